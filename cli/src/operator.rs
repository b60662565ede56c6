//! `portcullis operator`: an operator's key, and the orders it signs.
//!
//! The key is a file of 64 hexadecimal digits that only its owner may read. An order goes to the host's admin socket,
//! which passes it on: first the vault is asked for a challenge and for how things stand, then the order that answers
//! the challenge is signed and given.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use ed25519_dalek::{Signer as _, SigningKey};
use portcullis_host::control::{ControlError, ask};
use transport::{Address, key_file};
use wire::control::{Answer, Command as Asked, Latch};
use wire::operator::{Action, MESSAGE_SIZE_MAX, ORDER_TAG, ORDER_VERSION, Order};
use wire::{Mode, Scope, Venue};
use zeroize::Zeroizing;

use crate::certify::{CertifyArgs, certify};
use crate::hexadecimal;

/// Wrong usage, a file that cannot be used, or a vault that did not obey.
const EXIT_FAILED: u8 = 2;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a key and print what the book needs of it
    Keygen {
        /// The file to make; it must not be there
        file: PathBuf,
    },
    /// Start a vault whose book does not boot it live
    Start(To),
    /// Lift a kill and what was made stricter; clients that were cut off stay so
    Resume(To),
    /// Set the operators' own mode of a venue or of everything
    SetMode {
        #[command(flatten)]
        to: To,
        /// Only of this venue: evm, uniswapx, polymarket, hyperliquid, solana
        #[arg(long)]
        venue: Option<String>,
        /// live, reduce-only, cancel-only or halted
        mode: String,
    },
    /// Sign for a client again that was cut off
    Reinstate {
        #[command(flatten)]
        to: To,
        /// Its public key: 64 hexadecimal digits
        client: String,
    },
    /// Make a key a client in a role of a book, for some days; the vault is not asked
    Certify(CertifyArgs),
    /// Fill a budget to its capacity, once a boot
    OpenBudget {
        #[command(flatten)]
        to: To,
        /// The index of the bucket in the book, from 0
        bucket: u16,
    },
}

#[derive(Args)]
pub(crate) struct To {
    /// The host's admin socket
    #[arg(long)]
    admin: PathBuf,
    /// The operator's key file
    #[arg(long)]
    key: PathBuf,
}

type Fault = Box<dyn std::error::Error>;

pub(crate) fn run(command: &Command) -> ExitCode {
    let outcome = match command {
        Command::Keygen { file } => generate(file),
        Command::Start(to) => give(to, Action::Start),
        Command::Resume(to) => give(to, Action::Resume),
        Command::SetMode { to, venue, mode } => {
            set_mode(venue.as_deref(), mode).and_then(|action| give(to, action))
        }
        Command::Reinstate { to, client } => reinstate(client).and_then(|action| give(to, action)),
        Command::Certify(args) => certify(args),
        Command::OpenBudget { to, bucket } => give(to, Action::OpenBudget { bucket: *bucket }),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("portcullis: {fault}");
            ExitCode::from(EXIT_FAILED)
        }
    }
}

fn set_mode(venue: Option<&str>, mode: &str) -> Result<Action, Fault> {
    let scope = match venue {
        None => Scope::Everything,
        Some(name) => {
            Scope::Venue(Venue::from_name(name).ok_or_else(|| format!("no venue is called {name:?}"))?)
        }
    };
    let mode = Mode::from_name(mode).ok_or_else(|| format!("no mode is called {mode:?}"))?;
    Ok(Action::SetMode { scope, mode })
}

fn reinstate(client: &str) -> Result<Action, Fault> {
    let digits = client.strip_prefix("0x").unwrap_or(client);
    let client = *hexadecimal::read(digits).ok_or("a public key is 64 hexadecimal digits")?;
    Ok(Action::Reinstate { client })
}

fn generate(file: &Path) -> Result<(), Fault> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed)?;
    key_file::create(file, &seed)?;
    let public = SigningKey::from_bytes(&seed).verifying_key();
    println!("public_key = {{ ed25519 = \"{}\" }}", hexadecimal::text(public.as_bytes()));
    Ok(())
}

fn give(to: &To, action: Action) -> Result<(), Fault> {
    let key = read_key(&to.key)?;
    let admin = Address::Unix(to.admin.clone());
    let answer = ask(&admin, Asked::Status)?;
    let status = answer.status()?;
    let (policy_hash, boot_id) = (status.policy_hash, status.boot_id);
    let counter =
        status.order_counter.checked_add(1).ok_or("the vault has obeyed all the orders there are")?;
    let answer = ask(&admin, Asked::Challenge)?;
    let Answer::Challenge(challenge) = answer.read()? else { return Err(ControlError::NotAnAnswer.into()) };
    let operator = key.verifying_key().to_bytes();
    let order = Order { version: ORDER_VERSION, policy_hash, boot_id, challenge, counter, operator, action };
    let mut message = [0; MESSAGE_SIZE_MAX];
    let size = order.write_message(&mut message).map_err(|_| "the order does not fit")?;
    let message = message.get(..size).unwrap_or_default();
    #[expect(clippy::disallowed_methods, reason = "signs an operator's order, nothing of a venue")]
    let signature = key.sign(message).to_bytes();
    let order = message.get(ORDER_TAG.len()..).unwrap_or_default();
    let answer = ask(&admin, Asked::Order { order, signature })?;
    let status = answer.status()?;
    let latches: Vec<_> = Latch::set_in(status.latches).map(Latch::as_str).collect();
    println!(
        "obeyed as order {}: {}; latches: {}",
        status.order_counter,
        status.mode.as_str(),
        latches.join(", ")
    );
    Ok(())
}

fn read_key(path: &Path) -> Result<SigningKey, Fault> {
    let seed = key_file::read(path).map_err(|fault| format!("{}: {fault}", path.display()))?;
    Ok(SigningKey::from_bytes(&seed))
}
