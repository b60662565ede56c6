//! `portcullis policy`: check, hash and show the book of a desk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use book::{Book, policy_hash};
use clap::Subcommand;

use crate::{hexadecimal, show};

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

/// Reads and compiles; what is wrong goes to standard error.
fn read(file: &Path) -> Result<&'static Book<'static>, u8> {
    let shown = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|error| {
        eprintln!("{shown}: {error}");
        EXIT_USAGE
    })?;
    compile::compile(&shown, &text).map_err(|faults| {
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
