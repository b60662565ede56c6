//! The operator's tool.
//!
//! It holds no secret and talks to no vault yet: it checks, hashes and shows books, and audits receipts.
//!
//! Exit codes: 0 done, 2 wrong usage or a file that cannot be read, 6 a book that is not valid, 8 receipts that are not
//! the vaults' chains.

#![forbid(unsafe_code)]

mod audit;
mod policy;
mod show;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The operator's tool of Portcullis.
#[derive(Parser)]
#[command(name = "portcullis", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Books: what a vault's keys may sign
    #[command(subcommand)]
    Policy(policy::Command),
    /// Receipts: what the vaults decided
    #[command(subcommand)]
    Audit(audit::Command),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Policy(command) => policy::run(&command),
        Command::Audit(command) => audit::run(&command),
    }
}
