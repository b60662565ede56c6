//! `portcullis audit`: receipts verified, shown and repaired, by who need not trust the host.
//!
//! It reads the folder that the host daemon writes, or a copy of it. `repair` is for the machine of the daemon.

mod heads;
mod tell;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use portcullis_host::receipts::{self, line};

use heads::ReceiptKey;

/// A folder or file that cannot be read; what clap exits with on wrong usage, too.
const EXIT_USAGE: u8 = 2;

/// The receipts are not the vaults' chains, or, with `--strict`, not proven to be.
const EXIT_CHAIN_BROKEN: u8 = 8;

/// Between two looks of `tail --follow`.
const FOLLOW_PAUSE: Duration = Duration::from_millis(200);

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check that the receipts are the vaults' chains, whole and in order; exit code 8 if not
    Verify(Box<VerifyArgs>),
    /// Show the last receipts of the newest boot
    Tail(TailArgs),
    /// Move ends that a power failure tore aside, as the daemon's start does; nothing is dropped
    Repair {
        /// The receipts folder
        folder: PathBuf,
        /// Print one JSON value
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// The receipts folder
    folder: PathBuf,
    /// A file with what is held elsewhere: a receipt that a client kept, several as a segment holds them, or a signed
    /// head; may be given several times
    #[arg(long = "head")]
    heads: Vec<PathBuf>,
    /// A boot's receipt key, from a client's session and not from the host: signed heads are checked with it, also those
    /// that the host keeps beside the receipts; 64 hexadecimal digits; may be given several times
    #[arg(long = "receipt-key")]
    receipt_keys: Vec<ReceiptKey>,
    /// Exit with 8 as well when there are receipts that no head proves
    #[arg(long)]
    strict: bool,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct TailArgs {
    /// The receipts folder
    folder: PathBuf,
    /// How many
    #[arg(short = 'n', long, default_value_t = 10)]
    lines: usize,
    /// Go on with those that come
    #[arg(short, long)]
    follow: bool,
    /// Print a JSON value a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: &Command) -> ExitCode {
    let outcome = match command {
        Command::Verify(args) => verify(args),
        Command::Tail(args) => tail(args),
        Command::Repair { folder, json } => repair(folder, *json),
    };
    outcome.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "portcullis: {error}");
        ExitCode::from(EXIT_USAGE)
    })
}

type Outcome = Result<ExitCode, String>;

fn verify(args: &VerifyArgs) -> Outcome {
    let mut held = Vec::new();
    for file in &args.heads {
        held.extend(heads::read(file, &args.receipt_keys)?);
    }
    held.extend(heads::kept(&args.folder, &args.receipt_keys).map_err(|error| named(&args.folder, &error))?);
    let report = receipts::verify(&args.folder, &held).map_err(|error| named(&args.folder, &error))?;
    let text = if args.json { tell::json(&report) } else { tell::text(&report) };
    print(&text).map_err(|error| error.to_string())?;
    let is_good = report.breaks == 0 && (!args.strict || report.is_proven());
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::from(EXIT_CHAIN_BROKEN) })
}

fn tail(args: &TailArgs) -> Outcome {
    let fault = |error| named(&args.folder, &error);
    let (mut records, mut tail) = receipts::tail(&args.folder, args.lines).map_err(fault)?;
    loop {
        for record in &records {
            let text = if args.json { tell::record_json(record) } else { line(record) };
            if print(&(text + "\n")).is_err() {
                // Whoever read it is gone.
                return Ok(ExitCode::SUCCESS);
            }
        }
        if !args.follow {
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(FOLLOW_PAUSE);
        records = tail.more().map_err(fault)?;
    }
}

fn repair(folder: &Path, is_json: bool) -> Outcome {
    let repairs = receipts::repair(folder).map_err(|error| {
        if error.kind() == io::ErrorKind::WouldBlock {
            format!("{}: a daemon holds it; its start repairs", folder.display())
        } else {
            named(folder, &error)
        }
    })?;
    let text = if is_json { tell::repairs_json(&repairs) } else { tell::repairs_text(&repairs) };
    print(&text).map_err(|error| error.to_string())?;
    Ok(ExitCode::SUCCESS)
}

fn named(folder: &Path, error: &io::Error) -> String {
    format!("{}: {error}", folder.display())
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
