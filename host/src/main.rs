//! `portcullis-host`.

#![forbid(unsafe_code)]

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use portcullis_host::access::Access;
use portcullis_host::control::{Answer, ask, ask_vault};
use portcullis_host::daemon::{self, Config};
use portcullis_host::receipts::{self, Held, Report};
use portcullis_host::vault::{Identity, Vault};
use session::SessionKey;
use session::attestation::DevelopmentRoot;
use session_nitro::{Measurements, NitroRoot};
use signal_hook::consts::SIGXFSZ;
use transport::{Address, key_file};
use wire::control::{Command, Latch, Mode, Status};
use wire::{Scope, Venue};

/// Something failed.
const EXIT_FAILED: u8 = 1;

/// The receipts are not the vault's chain.
const EXIT_CHAIN_BROKEN: u8 = 8;

/// How long the end that the vault speaks of may be on its way to the folder.
const END_TIME_MAX: Duration = Duration::from_secs(2);

/// Relay, receipts store and kill switch of a Portcullis vault.
#[derive(Parser)]
#[command(name = "portcullis-host", version)]
struct Program {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run the daemon until SIGTERM.
    Run(RunArgs),
    /// Pull the switch: the vault signs nothing more until an operator resumes it.
    Kill(ControlArgs),
    /// Make the vault stricter until an operator resumes it.
    Tighten(TightenArgs),
    /// Sign nothing more for a client until an operator reinstates it.
    CutClient {
        #[command(flatten)]
        to: ControlArgs,
        /// Its public key: 64 hexadecimal digits
        #[arg(value_parser = bytes)]
        client: [u8; 32],
    },
    /// Show how the vault stands.
    Status(ControlArgs),
    /// Work with stored receipts.
    #[command(subcommand)]
    Receipts(ReceiptsTask),
}

#[derive(Args)]
struct RunArgs {
    /// Where the vault takes requests: unix:/path, hybrid:/path:PORT or vsock:CID:PORT
    #[arg(long)]
    vault: Address,
    /// Where the vault takes commands
    #[arg(long)]
    control: Address,
    #[command(flatten)]
    identity: IdentityArgs,
    /// Path of the unix socket for bots
    #[arg(long)]
    listen: PathBuf,
    /// Path of the unix socket for `kill` and `status` [default: the path of --listen with .admin behind it]
    #[arg(long)]
    admin: Option<PathBuf>,
    /// Folder for receipts
    #[arg(long)]
    receipts: PathBuf,
    /// User id that may use the bots' socket; may be given several times [default: this user only]
    #[arg(long = "allow-uid", num_args = 1..)]
    allow_uids: Vec<u32>,
    /// Let the socket's group connect too (mode 0660 in place of 0600); user ids are checked all the same
    #[arg(long)]
    group: bool,
}

/// As whom to come to the vault, and what to take for it.
#[derive(Args)]
struct IdentityArgs {
    /// File with the host's key, whose public half is in the book (`portcullis session keygen`)
    #[arg(long)]
    key: PathBuf,
    /// Hash of the vault's book (`portcullis policy hash`)
    #[arg(long, value_parser = bytes)]
    policy_hash: [u8; 32],
    /// Who vouches for the vault
    #[arg(long, value_enum)]
    root: RootName,
    /// For --root nitro: the list of allowed images, with its signature beside it in FILE.sig
    #[arg(long)]
    measurements: Option<PathBuf>,
    /// For --root nitro: the operator's public key that signed the list, 64 hexadecimal digits
    #[arg(long, value_parser = bytes)]
    operator: Option<[u8; 32]>,
}

#[derive(Clone, Copy, ValueEnum)]
enum RootName {
    /// The development root, which vouches for everybody: it proves nothing
    Development,
    /// Amazon's, for Nitro enclaves with one of the allowed images
    Nitro,
}

/// Through a daemon, or past it with the host's key.
#[derive(Args)]
struct ControlArgs {
    /// Path of a running daemon's admin socket
    #[arg(long, conflicts_with_all = ["control", "key", "policy_hash", "root", "measurements", "operator"], required_unless_present = "control")]
    admin: Option<PathBuf>,
    /// The vault's control address, past the daemon
    #[arg(long, requires = "key")]
    control: Option<Address>,
    #[command(flatten)]
    identity: Option<IdentityArgs>,
}

#[derive(Args)]
struct TightenArgs {
    #[command(flatten)]
    to: ControlArgs,
    /// Only for this venue: evm, uniswapx, polymarket, hyperliquid, solana
    #[arg(long, conflicts_with = "client")]
    venue: Option<String>,
    /// Only for the client with this public key: 64 hexadecimal digits
    #[arg(long, value_parser = bytes)]
    client: Option<[u8; 32]>,
    /// reduce-only, cancel-only or halted
    mode: String,
}

#[derive(Subcommand)]
enum ReceiptsTask {
    /// Check that the receipts are the vault's chain, whole and in order; exit code 8 if not.
    Verify {
        /// Folder with receipts
        folder: PathBuf,
        /// Also ask the vault behind this admin socket what its last receipt is
        #[arg(long)]
        admin: Option<PathBuf>,
    },
    /// Show the last receipts of the newest boot.
    Tail {
        /// Folder with receipts
        folder: PathBuf,
        /// How many
        #[arg(short = 'n', long, default_value_t = 10)]
        lines: usize,
    },
}

fn main() -> ExitCode {
    // A file that may not grow any more (RLIMIT_FSIZE) is then a failed write (EFBIG) and not the end.
    if let Err(error) = signal_hook::flag::register(SIGXFSZ, Arc::default()) {
        complain(format_args!("portcullis-host: SIGXFSZ cannot be caught: {error}"));
        return ExitCode::from(EXIT_FAILED);
    }
    let outcome = match Program::parse().task {
        Task::Run(args) => run(args),
        Task::Kill(to) => kill(to),
        Task::Tighten(args) => tighten(args),
        Task::CutClient { to, client } => make_stricter(to, Command::CutClient { client }),
        Task::Status(to) => status(to),
        Task::Receipts(ReceiptsTask::Verify { folder, admin }) => verify(&folder, admin),
        Task::Receipts(ReceiptsTask::Tail { folder, lines }) => tail(&folder, lines),
    };
    outcome.unwrap_or_else(|error| {
        complain(format_args!("portcullis-host: {error}"));
        ExitCode::from(EXIT_FAILED)
    })
}

type Outcome = Result<ExitCode, Box<dyn std::error::Error>>;

fn run(args: RunArgs) -> Outcome {
    let admin = args.admin.unwrap_or_else(|| {
        let mut path = args.listen.clone().into_os_string();
        path.push(".admin");
        path.into()
    });
    let config = Config {
        vault: args.vault,
        control: args.control,
        identity: args.identity.read()?,
        listen: args.listen,
        admin,
        receipts: args.receipts,
        access: Access::new(&args.allow_uids),
        mode: if args.group { 0o660 } else { 0o600 },
    };
    let is_all_kept = daemon::run(config)?;
    Ok(if is_all_kept { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FAILED) })
}

fn kill(to: ControlArgs) -> Outcome {
    let answer = to.ask(Command::Kill)?;
    let status = answer.status()?;
    say(format_args!("{}", describe(&status)));
    if status.mode == Mode::Halted {
        return Ok(ExitCode::SUCCESS);
    }
    complain(format_args!("portcullis-host: the vault does not say that it is halted"));
    Ok(ExitCode::from(EXIT_FAILED))
}

fn tighten(args: TightenArgs) -> Outcome {
    let scope = match (args.venue, args.client) {
        (_, Some(client)) => Scope::Client(client),
        (None, None) => Scope::Everything,
        (Some(name), None) => {
            Scope::Venue(Venue::from_name(&name).ok_or_else(|| format!("no venue is called {name:?}"))?)
        }
    };
    let mode = Mode::from_name(&args.mode).filter(|mode| *mode != Mode::Live);
    let mode = mode.ok_or_else(|| format!("no stricter mode is called {:?}", args.mode))?;
    make_stricter(args.to, Command::Tighten { scope, mode })
}

fn make_stricter(to: ControlArgs, command: Command<'_>) -> Outcome {
    let answer = to.ask(command)?;
    say(format_args!("{}", describe(&answer.status()?)));
    Ok(ExitCode::SUCCESS)
}

fn status(to: ControlArgs) -> Outcome {
    let answer = to.ask(Command::Status)?;
    say(format_args!("{}", describe(&answer.status()?)));
    Ok(ExitCode::SUCCESS)
}

fn verify(folder: &Path, admin: Option<PathBuf>) -> Outcome {
    let report = if let Some(admin) = admin {
        // Asked before the files are read: what is sealed from now on is not held against them.
        let answer = ask(&Address::Unix(admin), Command::Status)?;
        let status = answer.status()?;
        let held: Vec<_> = Held::by_vault(status.boot_id, status.receipts, status.head).into_iter().collect();
        receipts::verify_live(folder, &held, END_TIME_MAX)?
    } else {
        receipts::verify(folder, &[])?
    };
    Ok(tell(&report))
}

fn tail(folder: &Path, lines: usize) -> Outcome {
    for record in receipts::tail(folder, lines)?.0 {
        say(format_args!("{}", receipts::line(&record)));
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(report: &Report) -> ExitCode {
    say(format_args!(
        "{} receipts ({} signed, {} refused) of {} boots in {} segments",
        report.records,
        report.signed,
        report.refused,
        report.boots.len(),
        report.segments
    ));
    if report.filled + report.stray > 0 {
        say(format_args!(
            "{} of them are not in the ledger: clients handed them in; {} more fit nowhere",
            report.filled, report.stray
        ));
    }
    for side_file in &report.side_files {
        say(format_args!("torn end moved aside earlier: {}", side_file.display()));
    }
    let Some(first) = report.first_break() else {
        say(format_args!("chain intact"));
        return ExitCode::SUCCESS;
    };
    say(format_args!("chain BROKEN at {first}"));
    if report.breaks > 1 {
        say(format_args!("{} breaks in all", report.breaks));
    }
    ExitCode::from(EXIT_CHAIN_BROKEN)
}

impl IdentityArgs {
    fn read(self) -> Result<Identity, Box<dyn std::error::Error>> {
        let secret = key_file::read(&self.key).map_err(|fault| format!("{}: {fault}", self.key.display()))?;
        let key = SessionKey::from_bytes(secret);
        match (self.root, self.measurements, self.operator) {
            (RootName::Development, None, None) => Ok(Identity::new(key, self.policy_hash, DevelopmentRoot)),
            (RootName::Nitro, Some(list), Some(operator)) => {
                let images = read_images(&list, &operator)?;
                Ok(Identity::new(key, self.policy_hash, NitroRoot::new(images)))
            }
            (RootName::Development, ..) => Err("--measurements and --operator are for --root nitro".into()),
            (RootName::Nitro, ..) => Err("--root nitro needs --measurements and --operator".into()),
        }
    }
}

impl ControlArgs {
    fn ask(self, command: Command<'_>) -> Result<Answer, Box<dyn std::error::Error>> {
        match (self.admin, self.control, self.identity) {
            (Some(admin), _, _) => Ok(ask(&Address::Unix(admin), command)?),
            (None, Some(control), Some(identity)) => {
                Ok(ask_vault(&Vault::new(control, identity.read()?), command)?)
            }
            (None, ..) => Err("neither --admin nor --control with --key, --policy-hash and --root".into()),
        }
    }
}

/// The images of a list, which the operator signed.
fn read_images(list: &Path, operator: &[u8; 32]) -> Result<Measurements, Box<dyn std::error::Error>> {
    let mut beside = list.as_os_str().to_owned();
    beside.push(".sig");
    let named = |path: &Path, fault: &dyn fmt::Display| format!("{}: {fault}", path.display());
    let text = std::fs::read(list).map_err(|error| named(list, &error))?;
    let signature = std::fs::read(&beside).map_err(|error| named(Path::new(&beside), &error))?;
    let signature: &[u8; 64] = signature.as_slice().try_into().map_err(|_| "a signature has 64 bytes")?;
    Ok(Measurements::read(&text, signature, operator).map_err(|fault| named(list, &fault))?)
}

/// 32 bytes from 64 hexadecimal digits, with or without `0x`.
fn bytes(text: &str) -> Result<[u8; 32], String> {
    let fault = || "64 hexadecimal digits are wanted".to_owned();
    let (pairs, rest) = text.strip_prefix("0x").unwrap_or(text).as_bytes().as_chunks::<2>();
    let mut bytes = [0; 32];
    if pairs.len() != bytes.len() || !rest.is_empty() {
        return Err(fault());
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        let value = high.zip(low).and_then(|(high, low)| u8::try_from(high << 4 | low).ok());
        *byte = value.ok_or_else(fault)?;
    }
    Ok(bytes)
}

fn describe(status: &Status<'_>) -> String {
    let mode = match status.mode {
        Mode::Halted => "HALTED",
        Mode::Live | Mode::ReduceOnly | Mode::CancelOnly => status.mode.as_str(),
    };
    let latches: Vec<_> = Latch::set_in(status.latches).map(Latch::as_str).collect();
    let latches = if latches.is_empty() { "none".to_owned() } else { latches.join(", ") };
    format!(
        "{mode}: desk {}, {} sessions, boot {}, up {}.{:03} s, {} receipts ({} not acknowledged), {} signed, {} refused\nlatches {latches}; last order {}\npolicy {}\nhead   {}",
        status.desk,
        status.sessions,
        hex(&status.boot_id),
        status.uptime_ms / 1000,
        status.uptime_ms % 1000,
        status.receipts,
        status.unacknowledged,
        status.signed,
        status.refused,
        status.order_counter,
        hex(&status.policy_hash),
        hex(&status.head),
    )
}

/// A line on standard output. Who closed it does not want to know; the exit code says it all.
fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn complain(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
