//! `portcullis policy`: check, hash, show and compare the books of desks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use book::{Book, policy_hash};
use cases::{Suite, Verdict};
use clap::Subcommand;

use crate::{diff, hexadecimal, show};
use compile::tree::Node;

/// Two books that differ, or a case that fails.
const EXIT_DIFFERENT: u8 = 1;

/// A file that cannot be read; what clap exits with on wrong usage, too.
const EXIT_USAGE: u8 = 2;

/// A book that is not valid.
const EXIT_INVALID: u8 = 6;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Tell every fault of book files, as file:line:column: `[rule]` message
    Check {
        /// TOML files, one a desk
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Print the policy hash and the desk of a book file
    Hash {
        /// A TOML file
        file: PathBuf,
    },
    /// Print what two book files say otherwise, rule by rule; exit code 0 if nothing, 1 if something, 2 if one is at fault
    Diff {
        /// The book as it is
        old: PathBuf,
        /// The book as it would be
        new: PathBuf,
    },
    /// Put the cases of a book file to it; exit code 1 if one of them fails
    Test {
        /// The book
        file: PathBuf,
        /// Its cases; beside it, with the ending .cases.toml, if nothing is said
        #[arg(long)]
        cases: Option<PathBuf>,
        /// Also tell the limits that no case holds, by loosening each in turn; exit code 1 if there is one
        #[arg(long)]
        coverage: bool,
    },
    /// Print what a book file allows, with every amount in human units
    Show {
        /// A TOML file
        file: PathBuf,
    },
}

pub(crate) fn run(command: &Command) -> ExitCode {
    match command {
        Command::Check { files } => {
            let codes = files.iter().map(|file| match read(file) {
                Ok(book) => {
                    println!("{}: desk {}, {} slots", file.display(), book.desk, book.slots.len());
                    0
                }
                Err(code) => code,
            });
            ExitCode::from(codes.fold(0, worse))
        }
        Command::Hash { file } => {
            print(file, |book| format!("{}  {}\n", hexadecimal::text(&policy_hash(book)), book.desk))
        }
        Command::Diff { old, new } => compare(old, new),
        Command::Test { file, cases, coverage } => {
            let cases = cases.clone().unwrap_or_else(|| file.with_extension("cases.toml"));
            test(file, &cases, *coverage).unwrap_or_else(ExitCode::from)
        }
        Command::Show { file } => print(file, |book| {
            let hash = hexadecimal::text(&policy_hash(book));
            format!("policy hash: {hash}\n{}", show::text(book))
        }),
    }
}

fn print(file: &Path, text: impl Fn(&Book<'_>) -> String) -> ExitCode {
    match read(file) {
        Ok(book) => {
            print!("{}", text(book));
            ExitCode::SUCCESS
        }
        Err(code) => ExitCode::from(code),
    }
}

/// Both books are read even when the first is at fault, so that all faults are told at once.
fn compare(old: &Path, new: &Path) -> ExitCode {
    let (old, new) = (read(old), read(new));
    let (Ok(old), Ok(new)) = (old, new) else { return ExitCode::from(EXIT_USAGE) };
    if policy_hash(old) == policy_hash(new) {
        return ExitCode::SUCCESS;
    }
    let hash = |book: &Book<'_>| hexadecimal::text(&policy_hash(book));
    println!("- policy hash: {}\n+ policy hash: {}", hash(old), hash(new));
    print!("{}", diff::text(&Node::of(old), &Node::of(new)));
    ExitCode::from(EXIT_DIFFERENT)
}

fn test(file: &Path, cases: &Path, coverage: bool) -> Result<ExitCode, u8> {
    let book = read(file)?;
    let fault = |fault: String| {
        eprintln!("{}: {fault}", cases.display());
        EXIT_USAGE
    };
    let text = fs::read_to_string(cases).map_err(|error| fault(error.to_string()))?;
    let suite = Suite::read(&text).map_err(fault)?;
    let verdicts = suite.run(book).map_err(fault)?;
    for verdict in &verdicts {
        let Verdict { what, expected, found, passed } = verdict;
        if *passed {
            println!("ok    {what}: {found}");
        } else {
            println!("FAIL  {what}: expected {expected}; found {found}");
        }
    }
    let failed = verdicts.iter().filter(|verdict| !verdict.passed).count();
    println!("{} cases, {} of them denials; {failed} failed", suite.len(), suite.denials());
    let mut is_bad = failed > 0;
    if coverage && !is_bad {
        let text = fs::read_to_string(file).map_err(|error| fault(error.to_string()))?;
        let limits = cases::limits(&file.display().to_string(), &text, &suite).map_err(fault)?;
        let uncovered: Vec<_> = limits.iter().filter(|limit| limit.is_uncovered()).collect();
        for limit in &uncovered {
            println!("no case holds {}:{limit}", file.display());
        }
        println!("{} limits that no case holds", uncovered.len());
        is_bad |= !uncovered.is_empty();
    }
    Ok(if is_bad { ExitCode::from(EXIT_DIFFERENT) } else { ExitCode::SUCCESS })
}

/// Reads and compiles; what is wrong goes to standard error.
pub(crate) fn read(file: &Path) -> Result<&'static Book<'static>, u8> {
    let shown = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|error| {
        eprintln!("{shown}: {error}");
        EXIT_USAGE
    })?;
    compile::compile_desk(&shown, &text).map_err(|faults| {
        for fault in faults {
            eprintln!("{fault}");
        }
        EXIT_INVALID
    })
}

/// An unreadable file outweighs an invalid one: nothing is known about it.
fn worse(one: u8, other: u8) -> u8 {
    match (one, other) {
        (EXIT_USAGE, _) | (_, EXIT_USAGE) => EXIT_USAGE,
        _ => one.max(other),
    }
}
