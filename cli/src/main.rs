//! The operator's tool.
//!
//! It checks, hashes and shows books, audits receipts, and signs operators' orders and certificates. The one secret it ever
//! reads is an operator's key.
//!
//! Exit codes: 0 done, 1 books that differ or cases that fail, 2 wrong usage or a file that cannot be read, 5 an
//! attestation document that is refused, 6 a book that is not valid, 8 receipts that are not the vaults' chains.

#![forbid(unsafe_code)]

mod attest;
mod audit;
mod certify;
mod diff;
mod hexadecimal;
mod image;
mod meaning;
mod operator;
mod policy;
mod session;
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
    /// Operators: keys, starts, resumes, modes, budgets, certificates
    #[command(subcommand)]
    Operator(operator::Command),
    /// Sessions: the keys of clients and hosts
    #[command(subcommand)]
    Session(session::Command),
    /// Enclave images: what they measure, and how they differ
    #[command(subcommand)]
    Eif(image::Command),
    /// Attestation: documents of Nitro enclaves, and which images are allowed
    #[command(subcommand)]
    Attest(attest::Command),
    /// Receipts: what the vaults decided
    #[command(subcommand)]
    Audit(audit::Command),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Policy(command) => policy::run(&command),
        Command::Operator(command) => operator::run(&command),
        Command::Session(command) => session::run(&command),
        Command::Eif(command) => image::run(&command),
        Command::Attest(command) => attest::run(&command),
        Command::Audit(command) => audit::run(&command),
    }
}
