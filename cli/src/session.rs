//! `portcullis session`: the keys that clients and hosts come with.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use session::SessionKey;
use transport::key_file;
use zeroize::Zeroizing;

use crate::hexadecimal;

/// A file that cannot be made.
const EXIT_FAILED: u8 = 2;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make the key of a client or a host and print what the book needs of it
    Keygen {
        /// The file to make; it must not be there
        file: PathBuf,
    },
}

pub(crate) fn run(command: &Command) -> ExitCode {
    let Command::Keygen { file } = command;
    match generate(file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("portcullis: {}: {fault}", file.display());
            ExitCode::from(EXIT_FAILED)
        }
    }
}

fn generate(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut secret = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *secret)?;
    key_file::create(file, &secret)?;
    let public = SessionKey::from_bytes(secret).public_key();
    println!("public_key = {{ x25519 = \"{}\" }}", hexadecimal::text(public.as_bytes()));
    Ok(())
}
