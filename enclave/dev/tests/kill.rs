//! `kill -9` under load: every signature that a client was given has its record in the host's folder.
//!
//! The vault is the real program; the host is this program started again, which runs the daemon as its own does. Four
//! clients sign through the SDK all the time and keep the receipts they get. In each round one process is killed as soon
//! as the clients have got so many signatures, and started again while they go on.
//!
//! In a `durable` book each record is in the ledger. In a `bounded` one the vault's death may take records with it that the
//! host had not yet: clients hold those, and hand them in when they connect anew.
//!
//! `KILL_ROUNDS` says how often each process is killed (default 10).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::collections::BTreeSet;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use client_sdk::{Address, Client, Config, DevelopmentRoot, Pin, SignError};
use enclave_dev::examples::{Example, examples};
use portcullis_host::access::Access;
use portcullis_host::daemon;
use portcullis_host::receipts::{Held, Records, Step, verify};
use portcullis_host::vault::Identity;
use rustix::process::{Pid, Signal, kill_process};
use session_dev::throw_away_key;
use wire::receipt::link;
use wire::request::PayloadKind;

const BOOK: &str = include_str!("../../../policies/book/demo.toml");

/// Clients at the same time.
const CLIENTS: usize = 4;

/// Only a hung test meets this.
const HANG: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--as-host") {
        return run_host(Path::new(&arguments[at + 1]));
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let rounds = std::env::var("KILL_ROUNDS").map_or(10, |rounds| rounds.parse().unwrap());
    for mode in [Mode::Durable, Mode::Bounded] {
        for victim in [Victim::Host, Victim::Vault] {
            kill_often(victim, mode, rounds);
        }
    }
    ExitCode::SUCCESS
}

fn run_host(folder: &Path) -> ExitCode {
    let address = |name| format!("unix:{}", folder.join(name).display()).parse().unwrap();
    let config = daemon::Config {
        vault: address("vault"),
        control: address("control"),
        identity: Identity::new(throw_away_key("host"), policy_hash(folder), DevelopmentRoot),
        listen: folder.join("bots"),
        admin: folder.join("admin"),
        receipts: folder.join("receipts"),
        access: Access::own(),
        mode: 0o600,
    };
    if daemon::run(config).unwrap() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What the book says of receipts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Durable,
    Bounded,
}

impl Mode {
    /// Signatures that clients get before a process is killed, on average; varied from round to round. In a bounded book
    /// so many that the host must have been there.
    fn signatures(self) -> usize {
        match self {
            Self::Durable => 40,
            Self::Bounded => 600,
        }
    }

    fn book(self) -> String {
        match self {
            Self::Bounded => BOOK.to_owned(),
            Self::Durable => {
                let durable =
                    BOOK.replace("mode = \"bounded\"\nunacknowledged_max = 256", "mode = \"durable\"");
                assert_ne!(durable, BOOK);
                durable
            }
        }
    }
}

/// Of the book in the folder.
fn policy_hash(folder: &Path) -> [u8; 32] {
    let text = std::fs::read_to_string(folder.join("book.toml")).unwrap();
    book::policy_hash(compile::compile("demo.toml", &text).unwrap())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Host,
    Vault,
}

/// A process that does not outlive the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn new(victim: Victim, mode: Mode) -> Self {
        let path = std::env::temp_dir().join(format!("kill-{victim:?}-{mode:?}-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&path).unwrap();
        std::fs::write(path.join("book.toml"), mode.book()).unwrap();
        Self(path)
    }

    fn start(&self, victim: Victim) -> Process {
        let address = |name| format!("unix:{}", self.0.join(name).display());
        let mut command = match victim {
            Victim::Host => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.arg("--as-host").arg(&self.0);
                command
            }
            Victim::Vault => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_enclave-dev"));
                command.arg("serve").arg("--book").arg(self.0.join("book.toml"));
                command.arg("--keys").arg(self.0.join("keys"));
                command.arg("--listen").arg(address("vault")).arg("--control").arg(address("control"));
                command
            }
        };
        Process(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

fn kill_often(victim: Victim, mode: Mode, rounds: usize) {
    let folder = Folder::new(victim, mode);
    let mut vault = folder.start(Victim::Vault);
    let mut host = folder.start(Victim::Host);
    let example = examples().unwrap().into_iter();
    let mut example = example.filter(|it| it.kind == PayloadKind::EvmEip1559 && it.refused.is_none());
    let example = example.next().unwrap();
    let (stop, (tell, told)) = (AtomicBool::new(false), mpsc::channel());
    let (bots, hash) = (folder.0.join("bots"), policy_hash(&folder.0));
    let mut kept: Vec<Vec<u8>> = Vec::new();
    std::thread::scope(|scope| {
        let (stop, bots, example) = (&stop, &bots, &example);
        for _ in 0..CLIENTS {
            let tell = tell.clone();
            scope.spawn(move || sign_until(stop, bots, hash, example, &tell));
        }
        // The clients end with this thread, by a panic too.
        let _end = End(stop);
        for round in 0..=rounds {
            let signatures = mode.signatures();
            for _ in 0..signatures / 2 + round * 7 % signatures {
                kept.push(told.recv_timeout(HANG).expect("no signature comes any more"));
            }
            let process = if victim == Victim::Host { &mut host } else { &mut vault };
            if round < rounds {
                process.0.kill().unwrap();
                process.0.wait().unwrap();
                *process = folder.start(victim);
            }
        }
    });
    kept.extend(told.try_iter());
    kill_process(Pid::from_child(&host.0), Signal::TERM).unwrap();
    assert!(host.0.wait().unwrap().success(), "the last host did not keep every receipt");
    check(victim, mode, rounds, &folder.0.join("receipts"), &kept);
}

struct End<'s>(&'s AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Signs all the time and tells each receipt; the client connects anew by itself, and hands in what it kept.
fn sign_until(
    stop: &AtomicBool,
    bots: &Path,
    policy_hash: [u8; 32],
    example: &Example,
    tell: &mpsc::Sender<Vec<u8>>,
) {
    let address: Address = format!("unix:{}", bots.display()).parse().unwrap();
    let config = Config::new(throw_away_key("bot"), Pin::new(policy_hash, 60_000), DevelopmentRoot);
    let config = Config { pause_max: Duration::from_millis(50), ..config };
    let payload = example.payload(0);
    let mut client = loop {
        match Client::connect(address.clone(), config.clone()) {
            Ok(client) => break client,
            Err(_) if stop.load(Ordering::Relaxed) => return,
            Err(_) => {}
        }
    };
    while !stop.load(Ordering::Relaxed) {
        match client.sign(example.slot, example.kind, &payload) {
            Ok(signed) => tell.send(signed.receipt).unwrap(),
            Err(SignError::ProtocolViolation { violation, .. }) => panic!("{violation:?}"),
            // A mode or budget of the desk, a connection that was lost: the next one.
            Err(_) => {}
        }
    }
}

/// Every record that a client holds is on disk: in the ledger, or where only the vault that died had it, handed in.
fn check(victim: Victim, mode: Mode, rounds: usize, folder: &Path, kept: &[Vec<u8>]) {
    let mut in_ledger = BTreeSet::new();
    let mut handed_in = BTreeSet::new();
    for (folder, links) in [(folder.to_owned(), &mut in_ledger), (folder.join("handed-in"), &mut handed_in)] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "log") {
                let mut records = Records::open(&path).unwrap();
                while let Step::Record(record) = records.step().unwrap() {
                    links.insert(link(&record));
                }
            }
        }
    }
    let not_in = |links: &BTreeSet<_>| kept.iter().filter(|record| !links.contains(&link(record))).count();
    let only_handed_in = not_in(&in_ledger);
    let anywhere = in_ledger.union(&handed_in).copied().collect();
    assert_eq!(
        not_in(&anywhere),
        0,
        "{victim:?}, {mode:?}: clients hold signatures whose records are not on disk"
    );
    let may_lose = victim == Victim::Vault && mode == Mode::Bounded;
    assert!(may_lose || only_handed_in == 0, "{victim:?}, {mode:?}: {only_handed_in} are not in the ledger");
    // Where records may be lost, one before those that a client has may be among them.
    let held = kept.iter().filter(|_| !may_lose).map(|record| Held::by_record(record, "a client").unwrap());
    let report = verify(folder, &held.collect::<Vec<_>>()).unwrap();
    assert_eq!(report.found, [], "{victim:?}, {mode:?}: the chain is broken");
    let boots = if victim == Victim::Vault { rounds + 1 } else { 1 };
    assert_eq!(report.boots.len(), boots, "{victim:?}, {mode:?}");
    println!(
        "{mode:?}, {victim:?} killed {rounds} times: {} signatures with clients, {} records in {} boots and {} segments, \
         {only_handed_in} of the signatures only handed in, {} torn ends; all there",
        kept.len(),
        report.records,
        report.boots.len(),
        report.segments,
        report.side_files.len()
    );
}
