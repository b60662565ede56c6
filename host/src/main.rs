//! `portcullis-host`.

#![forbid(unsafe_code)]

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use portcullis_host::access::Access;
use portcullis_host::control::ask;
use portcullis_host::daemon::{self, Config};
use portcullis_host::receipts::{self, Held, Report};
use signal_hook::consts::SIGXFSZ;
use transport::Address;
use wire::control::{Command, Latch, Mode, Status};

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
    /// Pull the switch: the vault signs nothing more until it restarts.
    Kill(ControlArgs),
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

#[derive(Args)]
#[group(required = true, multiple = false)]
struct ControlArgs {
    /// Path of a running daemon's admin socket
    #[arg(long)]
    admin: Option<PathBuf>,
    /// The vault's control address, past the daemon
    #[arg(long)]
    control: Option<Address>,
}

#[derive(Subcommand)]
enum ReceiptsTask {
    /// Check that the receipts are the vault's chain, whole and in order; exit code 8 if not.
    Verify {
        /// Folder with receipts
        folder: PathBuf,
        /// Also ask the vault behind this admin socket what its last receipt is
        #[arg(long, conflicts_with = "control")]
        admin: Option<PathBuf>,
        /// Also ask the vault at this control address what its last receipt is
        #[arg(long)]
        control: Option<Address>,
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
        Task::Kill(args) => kill(args),
        Task::Status(args) => status(args),
        Task::Receipts(ReceiptsTask::Verify { folder, admin, control }) => verify(&folder, admin, control),
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
        listen: args.listen,
        admin,
        receipts: args.receipts,
        access: Access::new(&args.allow_uids),
        mode: if args.group { 0o660 } else { 0o600 },
    };
    let is_all_kept = daemon::run(config)?;
    Ok(if is_all_kept { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FAILED) })
}

fn kill(args: ControlArgs) -> Outcome {
    let answer = ask(&address(args.admin, args.control)?, Command::Kill)?;
    let status = answer.status()?;
    say(format_args!("{}", describe(&status)));
    if status.mode == Mode::Halted {
        return Ok(ExitCode::SUCCESS);
    }
    complain(format_args!("portcullis-host: the vault does not say that it is halted"));
    Ok(ExitCode::from(EXIT_FAILED))
}

fn status(args: ControlArgs) -> Outcome {
    let answer = ask(&address(args.admin, args.control)?, Command::Status)?;
    say(format_args!("{}", describe(&answer.status()?)));
    Ok(ExitCode::SUCCESS)
}

fn verify(folder: &std::path::Path, admin: Option<PathBuf>, control: Option<Address>) -> Outcome {
    let report = if admin.is_some() || control.is_some() {
        // Asked before the files are read: what is sealed from now on is not held against them.
        let answer = ask(&address(admin, control)?, Command::Status)?;
        let status = answer.status()?;
        let held: Vec<_> = Held::by_vault(status.boot_id, status.receipts, status.head).into_iter().collect();
        receipts::verify_live(folder, &held, END_TIME_MAX)?
    } else {
        receipts::verify(folder, &[])?
    };
    Ok(tell(&report))
}

fn tail(folder: &std::path::Path, lines: usize) -> Outcome {
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

fn address(admin: Option<PathBuf>, control: Option<Address>) -> Result<Address, Box<dyn std::error::Error>> {
    match (admin, control) {
        (_, Some(control)) => Ok(control),
        (Some(admin), None) => Ok(Address::Unix(admin)),
        (None, None) => Err("neither --admin nor --control".into()),
    }
}

fn describe(status: &Status<'_>) -> String {
    let mode = match status.mode {
        Mode::Halted => "HALTED",
        Mode::Live | Mode::ReduceOnly | Mode::CancelOnly => status.mode.as_str(),
    };
    let latches: Vec<_> = Latch::set_in(status.latches).map(Latch::as_str).collect();
    let latches = if latches.is_empty() { "none".to_owned() } else { latches.join(", ") };
    format!(
        "{mode}: desk {}, boot {}, up {}.{:03} s, {} receipts, {} signed, {} refused\nlatches {latches}; last order {}\npolicy {}\nhead   {}",
        status.desk,
        hex(&status.boot_id),
        status.uptime_ms / 1000,
        status.uptime_ms % 1000,
        status.receipts,
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
