//! How long a kill takes while eight clients ask as fast as they are answered: from the command's first byte to the
//! answer that says "halted", over real unix sockets and sessions. Each round ends with an operator's resume.
//!
//! Prints p50, p99 and the longest, and beside it the same for a status, which the vault answers without doing anything.
//! `cargo run --release -p bench --bin kill [ROUNDS]`

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use book::{Book, Operator};
use ed25519_dalek::{Signer as _, SigningKey};
use enclave::serve::{Clock, Limits, Server};
use enclave::{Boot, Vault};
use enclave_dev::examples::examples;
use enclave_dev::keys::KeyFolder;
use hdrhistogram::Histogram;
use session_dev::{Caller, DevelopmentAttestor, Peer, throw_away_key};
use transport::Address;
use wire::control::{self, Answer, Command};
use wire::operator::{Action, MESSAGE_SIZE_MAX, ORDER_TAG, ORDER_VERSION, Order};
use wire::reply::Reply;
use wire::request::Request;
use wire::session::{Channel, SEALED_SIZE_MAX};
use wire::{CONTROL_SIZE_MAX, Mode};

type Fault = Box<dyn std::error::Error>;

const CLIENTS: u8 = 8;
const ROUNDS: u64 = 2_000;
const BOOT_ID: [u8; 16] = [1; 16];

fn main() -> Result<(), Fault> {
    let rounds = std::env::args().nth(1).map_or(Ok(ROUNDS), |text| text.parse())?;
    let operator = SigningKey::from_bytes(&[7; 32]);
    let operators = vec![Operator { name: "bench", public_key: operator.verifying_key().to_bytes() }];
    let book: &'static Book<'static> =
        Box::leak(Box::new(Book { buckets: &[], operators: operators.leak(), ..policies::BOOK }));
    let folder = std::env::temp_dir().join(format!("portcullis-kill-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let outcome = measure(book, &operator, &folder, rounds);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn measure(
    book: &'static Book<'static>,
    operator: &SigningKey,
    folder: &Path,
    rounds: u64,
) -> Result<(), Fault> {
    let (requests, control) = (folder.join("requests"), folder.join("control"));
    let address = |path: &Path| Address::Unix(path.to_owned());
    let server = Server::bind(&address(&requests), &address(&control), Limits::default())?;
    let stop = server.stop();
    let clock = Clock::start();
    let keyring = KeyFolder::new("no-key-files").keyring(book)?;
    let boot = Boot { id: BOOT_ID, seed: [2; 32], now: clock.now() };
    let vault = Vault::at_boot(book, keyring, Box::new(DevelopmentAttestor::new()), boot)?;
    let serving = std::thread::spawn(move || server.run(vault, clock));
    let (is_over, signed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (door, is_over, signed) = (requests.clone(), Arc::clone(&is_over), Arc::clone(&signed));
            std::thread::spawn(move || {
                ask(book, &door, client, &is_over, &signed).map_err(|fault| fault.to_string())
            })
        })
        .collect();
    let outcome = host(book, operator, &control, rounds, &signed);
    is_over.store(true, Ordering::Relaxed);
    for client in clients {
        client.join().map_err(|_| "a client panicked")??;
    }
    stop.stop();
    serving.join().map_err(|_| "the vault panicked")??;
    outcome
}

/// Asks for the demo's first request until it is over.
fn ask(
    book: &Book<'_>,
    door: &Path,
    client: u8,
    is_over: &AtomicBool,
    signed: &AtomicU64,
) -> Result<(), Fault> {
    let mut line = Line::open(book, door, Channel::Bots, "bot", client)?;
    let example = examples()?.into_iter().next().ok_or("no examples")?;
    let payload = example.payload(Clock::system_wall_ms());
    let mut request_id = u64::from(client) << 32;
    while !is_over.load(Ordering::Relaxed) {
        request_id += 1;
        let (key_slot, payload_kind) = (example.slot, example.kind);
        let request =
            Request { key_slot, payload_kind, return_canonical: false, request_id, payload: &payload };
        let body = [&request.header()[..], &payload].concat();
        let reply = Reply::read(line.exchange(&body)?).map_err(|_| "not a reply")?;
        signed.fetch_add(u64::from(reply.code == 0), Ordering::Relaxed);
    }
    Ok(())
}

fn host(
    book: &Book<'_>,
    operator: &SigningKey,
    door: &Path,
    rounds: u64,
    signed: &AtomicU64,
) -> Result<(), Fault> {
    let mut line = Line::open(book, door, Channel::Control, "host", CLIENTS)?;
    let (mut kills, mut statuses) = (Histogram::<u64>::new(3)?, Histogram::<u64>::new(3)?);
    let mut next = 0;
    for counter in 1..=rounds {
        // The clients are at work: some were signed for since the resume.
        let before = signed.load(Ordering::Relaxed);
        while signed.load(Ordering::Relaxed) < before + u64::from(CLIENTS) {
            next = line.take(next)?;
        }
        statuses.record(line.timed(Command::Status)?.1)?;
        let (mode, took_ns) = line.timed(Command::Kill)?;
        if mode != Mode::Halted {
            return Err("the answer to a kill does not say that it is halted".into());
        }
        kills.record(took_ns)?;
        line.resume(book, operator, counter)?;
    }
    for (what, times) in [("status", &statuses), ("kill", &kills)] {
        let at = |quantile| times.value_at_quantile(quantile) / 1_000;
        println!("{what:<7} n {rounds}  p50 {} us  p99 {} us  longest {} us", at(0.5), at(0.99), at(1.0));
    }
    println!("{} signed by {CLIENTS} clients meanwhile", signed.load(Ordering::Relaxed));
    Ok(())
}

/// A session over a socket.
struct Line {
    stream: UnixStream,
    peer: Peer,
    frame: Vec<u8>,
    body: Vec<u8>,
}

impl Line {
    fn open(book: &Book<'_>, door: &Path, channel: Channel, name: &str, seed: u8) -> Result<Self, Fault> {
        let mut stream = UnixStream::connect(door)?;
        let key = throw_away_key(name);
        let (policy_hash, wall_ms, seed) = (book::policy_hash(book), Clock::system_wall_ms(), [seed; 32]);
        let caller = Caller { key: &key, channel, certificate: None, policy_hash, wall_ms, seed };
        let peer = Peer::open(&caller, |frame, reply| send(&mut stream, frame, reply).ok())
            .map_err(|refused| format!("no session: {refused:?}"))?;
        Ok(Self { stream, peer, frame: vec![0; SEALED_SIZE_MAX], body: vec![0; SEALED_SIZE_MAX] })
    }

    fn exchange(&mut self, body: &[u8]) -> Result<&[u8], Fault> {
        let broken = |refused| format!("no session any more: {refused:?}");
        let sealed = self.peer.seal(body).map_err(broken)?;
        let size = send(&mut self.stream, sealed, &mut self.frame)?;
        let frame = self.frame.get(..size).unwrap_or_default();
        let size = self.peer.open_frame(frame, &mut self.body).map_err(broken)?;
        Ok(self.body.get(..size).unwrap_or_default())
    }

    fn tell(&mut self, command: Command<'_>) -> Result<Answer<'_>, Fault> {
        let mut body = [0; CONTROL_SIZE_MAX];
        let size = control::write_command(command, &mut body).map_err(|_| "a command that does not fit")?;
        let answer = self.exchange(body.get(..size).unwrap_or_default())?;
        Ok(control::read_answer(answer).map_err(|_| "not an answer")?)
    }

    /// The mode that a status answers, and how long it took, ns.
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    fn timed(&mut self, command: Command<'_>) -> Result<(Mode, u64), Fault> {
        let since = Instant::now();
        let answer = self.tell(command)?;
        let took = since.elapsed();
        let Answer::Status(status) = answer else { return Err("not a status".into()) };
        Ok((status.mode, u64::try_from(took.as_nanos())?))
    }

    /// Takes records and acknowledges them at once: the vault never waits for a disk here.
    fn take(&mut self, next: u64) -> Result<u64, Fault> {
        let answer = self.tell(Command::Take { next, acknowledged: next, wait_ms: 1 })?;
        let Answer::Records(records) = answer else { return Err("not records".into()) };
        Ok(records.first + u64::try_from(records.iter().count())?)
    }

    #[expect(clippy::disallowed_methods, reason = "signs an operator's order, nothing of a venue")]
    fn resume(&mut self, book: &Book<'_>, operator: &SigningKey, counter: u64) -> Result<(), Fault> {
        let Answer::Challenge(challenge) = self.tell(Command::Challenge)? else {
            return Err("not a challenge".into());
        };
        let order = Order {
            version: ORDER_VERSION,
            policy_hash: book::policy_hash(book),
            boot_id: BOOT_ID,
            challenge,
            counter,
            operator: operator.verifying_key().to_bytes(),
            action: Action::Resume,
        };
        let mut message = [0; MESSAGE_SIZE_MAX];
        let size = order.write_message(&mut message).map_err(|_| "an order that does not fit")?;
        let message = message.get(..size).unwrap_or_default();
        let signature = operator.sign(message).to_bytes();
        let order = message.get(ORDER_TAG.len()..).unwrap_or_default();
        match self.tell(Command::Order { order, signature })? {
            Answer::Status(_) => Ok(()),
            other @ (Answer::Challenge(_) | Answer::Records(_) | Answer::Refused { .. }) => {
                Err(format!("not resumed: {other:?}").into())
            }
        }
    }
}

/// Sends a frame and reads the next one.
fn send(stream: &mut UnixStream, body: &[u8], reply: &mut [u8]) -> std::io::Result<usize> {
    let size = u32::try_from(body.len()).map_err(std::io::Error::other)?;
    stream.write_all(&[&size.to_le_bytes()[..], body].concat())?;
    let mut prefix = [0; 4];
    stream.read_exact(&mut prefix)?;
    let size = usize::try_from(u32::from_le_bytes(prefix)).map_err(std::io::Error::other)?;
    let frame = reply.get_mut(..size).ok_or_else(|| std::io::Error::other("a frame beyond its cap"))?;
    stream.read_exact(frame)?;
    Ok(size)
}
