//! The SDK with the real development vault: sessions, answers that were lost, a vault that boots anew.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use client_sdk::{
    Client, Config, Denial, DevelopmentRoot, HandedIn, Lost, Mode, Pin, Refusal, SessionKey, SignError,
    Signed,
};
use enclave_dev::examples::{Example, examples};
use session_dev::throw_away_key;
use transport::{Address, Attested, Dial as _, Framed, Listen as _, Opening, Patience, Stream};
use wire::CONTROL_SIZE_MAX;
use wire::control::{Answer, Command as Asked, read_answer, write_command};
use wire::receipt::{Receipt, RecordKind};
use wire::request::PayloadKind;
use wire::session::{Channel, SEALED_SIZE_MAX};

const BOOK: &str = include_str!("../../../policies/book/demo.toml");

/// Only a hung test meets this.
const HANG: Duration = Duration::from_secs(60);
const PATIENCE: Patience = Patience { idle: Some(HANG), frame: HANG };

fn pin() -> Pin {
    Pin::new(book::policy_hash(compile::compile("demo.toml", BOOK).unwrap()), 60_000)
}

/// The vault's process, and a host that takes its records.
struct World {
    folder: PathBuf,
    vault: Child,
    host: Option<JoinHandle<Vec<Vec<u8>>>>,
    stop: Arc<AtomicBool>,
}

impl World {
    fn start() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("sdk-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
        std::fs::write(folder.join("book.toml"), BOOK).unwrap();
        let vault = boot(&folder);
        let stop = Arc::new(AtomicBool::new(false));
        let mut world = Self { folder, vault, host: None, stop };
        world.start_host();
        world
    }

    fn start_host(&mut self) {
        let (control, stop) = (self.address("control"), Arc::clone(&self.stop));
        self.host = Some(std::thread::spawn(move || take(&control, &stop)));
    }

    /// Kills the vault, and starts another.
    fn reboot(&mut self) {
        self.vault.kill().unwrap();
        self.vault.wait().unwrap();
        self.host.take().unwrap().join().unwrap();
        self.vault = boot(&self.folder);
        self.start_host();
    }

    /// The records that the host has of the vault's last boot.
    fn end(mut self) -> Vec<Vec<u8>> {
        self.stop.store(true, Ordering::Relaxed);
        self.host.take().unwrap().join().unwrap()
    }

    fn address(&self, name: &str) -> Address {
        Address::Unix(self.folder.join(name))
    }

    fn config(&self, key: SessionKey) -> Config {
        Config {
            request_timeout: HANG,
            attempts_max: 200,
            pause_max: Duration::from_millis(50),
            ..Config::new(key, pin(), DevelopmentRoot)
        }
    }

    /// A client of the vault, once its host is believed to be there.
    fn client(&self, name: &str) -> Client {
        let mut client = Client::connect(self.address(name), self.config(throw_away_key("bot"))).unwrap();
        while client.heartbeat().unwrap() != Mode::Live {}
        client
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.vault.kill();
        let _ = self.vault.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn boot(folder: &std::path::Path) -> Child {
    let address = |name| format!("unix:{}", folder.join(name).display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_enclave-dev"));
    command.arg("serve").arg("--book").arg(folder.join("book.toml")).arg("--keys").arg(folder.join("keys"));
    command.arg("--listen").arg(address("vault")).arg("--control").arg(address("control"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Takes records until it is told to stop or the vault is gone; the last answer it waits for has all that was decided.
fn take(control: &Address, stop: &AtomicBool) -> Vec<Vec<u8>> {
    let key = throw_away_key("host");
    let channel = Channel::Control;
    let opening = Opening { root: &DevelopmentRoot, pin: pin(), key: &key, certificate: None, channel };
    let mut session = loop {
        // The vault is about to be there.
        match Attested::dial(control, HANG, &opening, PATIENCE) {
            Ok(session) => break session,
            Err(_) => std::thread::yield_now(),
        }
    };
    let mut records = Vec::new();
    let (mut command, mut reply) = ([0; CONTROL_SIZE_MAX], vec![0; SEALED_SIZE_MAX]);
    loop {
        let is_last = stop.load(Ordering::Relaxed);
        let next = u64::try_from(records.len()).unwrap();
        let asked = Asked::Take { next, acknowledged: next, wait_ms: 50 };
        let size = write_command(asked, &mut command).unwrap();
        let Ok(size) = session.exchange(&command[..size], &mut reply) else { return records };
        let Answer::Records(taken) = read_answer(&reply[..size]).unwrap() else { panic!("no records") };
        records.extend(taken.iter().map(<[u8]>::to_vec));
        if is_last {
            return records;
        }
    }
}

/// Passes the frames of one connection after the other on to the vault. The reply with this number, counted over all
/// connections, is swallowed: that is told, and its connection ends as soon as there is a go or nobody to give it.
fn swallow(world: &World, swallowed: usize) -> (Address, Receiver<()>, Sender<()>) {
    let ((tell, told), (go, gone)) = (channel(), channel());
    let (listener, vault) = (world.address("between").listen(0o600).unwrap(), world.address("vault"));
    std::thread::spawn(move || {
        let mut replies = 0;
        let framed = |stream: Stream| Framed::new(stream, SEALED_SIZE_MAX, PATIENCE).unwrap();
        while let Ok(stream) = listener.accept() {
            let mut client = framed(stream);
            let Ok(stream) = vault.dial(HANG) else { continue };
            let mut vault = framed(stream);
            while let Ok(Some(frame)) = client.read() {
                vault.write([frame]).unwrap();
                let Ok(Some(reply)) = vault.read() else { break };
                replies += 1;
                if replies == swallowed {
                    let _ = tell.send(());
                    let _ = gone.recv();
                    break;
                }
                client.write([reply]).unwrap();
            }
        }
    });
    (world.address("between"), told, go)
}

fn example() -> Example {
    let mut examples = examples().unwrap().into_iter();
    examples.find(|it| it.kind == PayloadKind::EvmEip1559 && it.refused.is_none()).unwrap()
}

fn sign(client: &mut Client) -> Result<Signed, SignError> {
    let example = example();
    client.sign(example.slot, example.kind, &example.payload(0))
}

fn decisions(records: &[Vec<u8>], request_id: u64) -> usize {
    let receipts = records.iter().map(|record| Receipt::read(record).unwrap());
    receipts.filter(|it| it.kind == RecordKind::Decision && it.request_id == request_id).count()
}

fn edges(records: &[Vec<u8>]) -> usize {
    records.iter().filter(|record| Receipt::read(record).unwrap().kind != RecordKind::Decision).count()
}

#[test]
fn a_reply_that_was_lost_is_given_again_and_the_request_was_judged_once() {
    let world = World::start();
    let mut direct = world.client("vault");
    let known = sign(&mut direct).unwrap();
    // Document, handshake, then the reply.
    let (between, ..) = swallow(&world, 3);
    let mut client = Client::connect(between, world.config(throw_away_key("bot"))).unwrap();
    let signed = sign(&mut client).unwrap();
    assert_eq!(signed.signature, known.signature);
    assert_ne!(signed.request_id, known.request_id);
    drop((direct, client));
    let records = world.end();
    assert_eq!(decisions(&records, signed.request_id), 1);
    assert!(records.contains(&signed.receipt) && records.contains(&known.receipt));
}

#[test]
fn a_vault_that_boots_anew_leaves_the_outcome_unknown_and_goes_on_with_the_next_request() {
    let mut world = World::start();
    drop(world.client("vault"));
    // Document, handshake, the first reply, then the one that is lost.
    let (between, told, go) = swallow(&world, 4);
    let mut client = Client::connect(between, world.config(throw_away_key("bot"))).unwrap();
    let first = sign(&mut client).unwrap();
    let boot_id = client.welcome().boot_id;
    let lost = std::thread::spawn(move || {
        let error = sign(&mut client).unwrap_err();
        (client, error)
    });
    told.recv().unwrap();
    world.reboot();
    go.send(()).unwrap();
    let (mut client, error) = lost.join().unwrap();
    assert!(matches!(error, SignError::OutcomeUnknown { cause: Lost::BootChanged, .. }), "{error:?}");
    assert!(client.ask_again().is_none());
    assert_ne!(client.welcome().boot_id, boot_id);
    // The record of the boot before was offered to the vault itself, which is no host.
    assert!(matches!(client.handed_in(), Some(Ok(HandedIn::NoHost))), "{:?}", client.handed_in());
    assert!(client.records().any(|record| record == first.receipt));
    while client.heartbeat().unwrap() != Mode::Live {}
    let next = sign(&mut client).unwrap();
    assert_ne!(next.receipt().unwrap().boot_id, boot_id);
    drop(client);
    let records = world.end();
    assert!(records.contains(&next.receipt));
    assert_eq!(
        records.len(),
        decisions(&records, next.request_id) + edges(&records),
        "another decision of this boot"
    );
}

#[test]
fn strangers_are_denied_and_a_client_reaches_its_own_keys_alone() {
    let world = World::start();
    drop(world.client("vault"));
    let error =
        Client::connect(world.address("vault"), world.config(throw_away_key("stranger"))).unwrap_err();
    assert_eq!(error.denial(), Some(Denial::ClientNotKnown), "{error:?}");
    let pin = Pin::new([1; 32], 60_000);
    let config = Config { pin, ..world.config(throw_away_key("bot")) };
    assert!(matches!(Client::connect(world.address("vault"), config), Err(SignError::Distrusted(_))));
    let mut maker = Client::connect(world.address("vault"), world.config(throw_away_key("maker"))).unwrap();
    let error = sign(&mut maker).unwrap_err();
    assert!(
        matches!(&error, SignError::Refused(refused) if refused.refusal == Refusal::KeyNotInScope),
        "{error:?}"
    );
}
