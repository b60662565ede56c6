//! `demo`: a vault, a host and a bot on this machine, for two seconds.
//!
//! Starts `enclave-dev` and `portcullis-host` from the folder it lies in, puts the committed requests of
//! `enclave/dev/demo/requests.json` to them through the SDK, verifies every signature with the public key that
//! the book pins, pulls the kill switch, verifies the receipt chain and ends everything it started.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use client_sdk::{Client, Config, DevelopmentRoot, Pin, SignError, Signature, Signed};
use enclave_dev::examples::{Example, examples};
use enclave_dev::hexadecimal;
use enclave_dev::keys::throw_away_bytes;
use enclave_dev::verify::verify;
use session_dev::throw_away_key;
use transport::key_file;
use wire::request::PayloadKind;
use wire::{Mode, Refusal, Shown};

const BOOK: &str = include_str!("../../../../policies/book/demo.toml");

/// How long a process may take to be there.
const START_MAX: Duration = Duration::from_secs(10);

/// How old an attestation document may be.
const DOCUMENT_AGE_MS_MAX: u64 = 60_000;

type Fault = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("demo: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Fault> {
    // A signal ends the demo between two requests, so that it takes down what it started.
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let folder = Folder::create()?;
    let (vault, control) = (folder.address("vault.sock"), folder.address("control.sock"));
    let (host, admin) = (folder.path("host.sock"), folder.path("host.sock.admin"));
    let receipts = folder.path("receipts");
    std::fs::write(folder.path("demo.toml"), BOOK)?;
    let mut enclave = Process::start("enclave-dev", |command| {
        command
            .arg("serve")
            .arg("--book")
            .arg(folder.path("demo.toml"))
            .arg("--keys")
            .arg(folder.path("keys"));
        command.arg("--listen").arg(&vault).arg("--control").arg(&control);
    })?;
    wait_for(&folder.path("control.sock"), &mut enclave)?;
    let policy_hash = book::policy_hash(book()?);
    key_file::create(&folder.path("host.key"), &throw_away_bytes("host"))?;
    let mut daemon = Process::start("portcullis-host", |command| {
        command.arg("run").arg("--vault").arg(&vault).arg("--control").arg(&control);
        command.arg("--key").arg(folder.path("host.key"));
        command.arg("--policy-hash").arg(hexadecimal::text(&policy_hash)).args(["--root", "development"]);
        command.arg("--listen").arg(&host).arg("--receipts").arg(&receipts);
    })?;
    wait_for(&host, &mut daemon)?;

    println!("\n  A vault with five throw-away keys, a host that relays and keeps receipts, and a bot.\n");
    let pin = Pin::new(policy_hash, DOCUMENT_AGE_MS_MAX);
    let config = Config::new(throw_away_key("bot"), pin, DevelopmentRoot);
    let mut client = Client::connect(format!("unix:{}", host.display()).parse()?, config)?;
    wait_until_live(&mut client)?;
    let examples = examples()?;
    for example in &examples {
        if stop.load(Ordering::Relaxed) {
            return Err("stopped by a signal".into());
        }
        show(example, &mut client)?;
    }
    println!("\n  The host pulls the kill switch; the same bot asks once more:\n");
    Process::finish("portcullis-host", |command| {
        command.arg("kill").arg("--admin").arg(&admin).stdout(Stdio::null());
    })?;
    let mut halted = examples.first().ok_or("no examples")?.clone();
    halted.refused = Some(Refusal::Halted);
    show(&halted, &mut client)?;
    drop(client);

    println!("\n  Every decision left a receipt; the chain from the first to the last:\n");
    Process::finish("portcullis-host", |command| {
        command.arg("receipts").arg("verify").arg(&receipts).arg("--admin").arg(&admin);
    })?;
    daemon.stop()?;
    enclave.stop()?;
    println!();
    Ok(())
}

/// Waits until the vault has heard its host: until then it signs cancels only.
fn wait_until_live(client: &mut Client) -> Result<(), Fault> {
    let start = now();
    while client.heartbeat()? != Mode::Live {
        if start.elapsed() >= START_MAX {
            return Err("the vault does not hear its host".into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Puts one request, checks that the answer is the expected one, and prints a line about it.
fn show(example: &Example, client: &mut Client) -> Result<(), Fault> {
    let payload = example.payload(nonce()?);
    let before = now();
    let answer = client.sign(example.slot, example.kind, &payload);
    let took = before.elapsed().as_micros();
    let venue = ["evm", "hyperliquid", "drift", "uniswapx", "polymarket"]
        .get(usize::from(example.slot))
        .copied()
        .unwrap_or("?");
    let verdict = match (&answer, &example.refused) {
        (Ok(signed), None) => {
            check(example, &payload, signed)?;
            format!("{}   {}", coloured("signed", GREEN), short(&signed.signature))
        }
        (Err(SignError::Refused(refused)), Some(rule)) if refused.refusal == *rule => {
            format!("{}  {}", coloured("refused", RED), reason(refused))
        }
        // An earlier boot may have signed the nonces of the first moments; a bot takes a later one.
        (Err(SignError::Refused(refused)), None) if refused.refusal == Refusal::NonceBelowBootFloor => {
            let row = format!("{}  {}", coloured("refused", RED), reason(refused));
            println!("  {venue:<12} {:<46} {took:>6} µs  {row}", format!("{}: too soon", example.what));
            wait_past(&refused.limit)?;
            return show(example, client);
        }
        (Err(SignError::Halted), Some(Refusal::Halted)) => {
            format!("{}  Halted: the kill switch was pulled", coloured("refused", RED))
        }
        (Ok(_), Some(rule)) => {
            return Err(format!("{}: signed, but {} was to refuse it", example.what, rule.name()).into());
        }
        (Err(error), _) => return Err(format!("{}: {error}", example.what).into()),
    };
    println!("  {venue:<12} {:<46} {took:>6} µs  {verdict}", example.what);
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the demo shows how long an answer took")]
fn now() -> Instant {
    Instant::now()
}

/// The signature must be the pinned key's, over the digest (or message) that the payload has.
fn check(example: &Example, payload: &[u8], signed: &Signed) -> Result<(), Fault> {
    let slot = book()?.slot(example.slot).ok_or("the demo book has no such slot")?;
    // A Solana payload is the message's size, the message, and addresses that are not signed.
    let message = match (example.kind, payload) {
        (PayloadKind::SolanaMessage, [low, high, rest @ ..]) => {
            rest.get(..usize::from(u16::from_le_bytes([*low, *high]))).ok_or("a message cut short")?
        }
        _ => &signed.digest,
    };
    if verify(&slot.public_key, message, &signed.signature.to_vec()) {
        return Ok(());
    }
    Err(format!("{}: the signature is not the pinned key's", example.what).into())
}

const GREEN: u8 = 32;
const RED: u8 = 31;

/// Coloured on a terminal that wants colours, plain elsewhere.
fn coloured(text: &str, colour: u8) -> String {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        format!("\x1b[{colour}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// The book that the vault of this demo serves.
fn book() -> Result<&'static book::Book<'static>, Fault> {
    static BOOK_READ: OnceLock<Option<&'static book::Book<'static>>> = OnceLock::new();
    let book = *BOOK_READ.get_or_init(|| compile::compile("demo.toml", BOOK).ok());
    book.ok_or_else(|| "the demo book does not compile".into())
}

fn reason(refused: &client_sdk::Refused) -> String {
    let name = refused.refusal.name();
    match (refused.observed.to_string(), refused.limit.to_string()) {
        (observed, limit) if !observed.is_empty() && !limit.is_empty() => {
            format!("{name}: saw {observed}, limit {limit}")
        }
        (observed, _) if !observed.is_empty() => format!("{name}: saw {observed}"),
        _ => name.to_owned(),
    }
}

/// The exchange's nonce is a time in ms; two requests of one millisecond need two nonces.
fn nonce() -> Result<u64, Fault> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = unix_ms()?;
    let last = LAST.fetch_max(now, Ordering::Relaxed);
    Ok(if last < now { now } else { LAST.fetch_add(1, Ordering::Relaxed) + 1 })
}

fn unix_ms() -> Result<u64, Fault> {
    #[expect(clippy::disallowed_methods, reason = "a bot's nonce is the time")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(u64::try_from(now.as_millis())?)
}

/// Waits until the clock is past a floor in ms, a second at most.
fn wait_past(floor: &Shown) -> Result<(), Fault> {
    let Shown::Uint(floor) = floor else { return Err("a floor that is no number".into()) };
    let ms = u64::try_from(*floor)?.saturating_sub(unix_ms()?).min(1_000) + 1;
    std::thread::sleep(Duration::from_millis(ms));
    Ok(())
}

fn short(signature: &Signature) -> String {
    let digits: String = signature.to_vec().iter().map(|byte| format!("{byte:02x}")).collect();
    let (head, tail) =
        (digits.get(..10).unwrap_or_default(), digits.get(digits.len() - 6..).unwrap_or_default());
    format!("0x{head}…{tail}")
}

/// A folder of this run's own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn create() -> Result<Self, Fault> {
        let path = std::env::temp_dir().join(format!("portcullis-demo-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn address(&self, name: &str) -> String {
        format!("unix:{}", self.path(name).display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that does not outlive the demo.
struct Process {
    name: &'static str,
    child: Child,
}

impl Process {
    fn command(name: &str) -> Result<Command, Fault> {
        let beside = std::env::current_exe()?.with_file_name(name);
        Ok(Command::new(beside))
    }

    fn start(name: &'static str, arguments: impl FnOnce(&mut Command)) -> Result<Self, Fault> {
        let mut command = Self::command(name)?;
        arguments(&mut command);
        let child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(Self { name, child: child.map_err(|error| format!("{name}: {error}"))? })
    }

    fn finish(name: &str, arguments: impl FnOnce(&mut Command)) -> Result<(), Fault> {
        let mut command = Self::command(name)?;
        arguments(&mut command);
        let status = command.status()?;
        if status.success() { Ok(()) } else { Err(format!("{name}: {status}").into()) }
    }

    fn stop(&mut self) -> Result<(), Fault> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("{}: {status}", self.name).into()) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Waits until a process takes connections; it tells no one, so it is asked.
fn wait_for(socket: &Path, process: &mut Process) -> Result<(), Fault> {
    let start = now();
    while start.elapsed() < START_MAX {
        if std::os::unix::net::UnixStream::connect(socket).is_ok() {
            return Ok(());
        }
        if let Some(status) = process.child.try_wait()? {
            return Err(format!("{} ended at once: {status}", process.name).into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(format!("{} did not start within {START_MAX:?}", process.name).into())
}
