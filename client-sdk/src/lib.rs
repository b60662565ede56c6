//! Client for trading bots: hand payload bytes to a vault, get the signature that the venue takes, or a reason.
//!
//! ```no_run
//! use client_sdk::{Address, Client, Config, PayloadKind, SignError};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let address: Address = "unix:/run/portcullis/bots.sock".parse()?;
//! let mut client = Client::connect(address, Config::default())?;
//! # let unsigned_transaction = vec![0x02];
//! match client.sign(0, PayloadKind::EvmEip1559, &unsigned_transaction) {
//!     Ok(signed) => println!("signed: {:?}", signed.facts_json()),
//!     // The policy said no: the rule, the value it saw and the limit.
//!     Err(SignError::Refused(refused)) => eprintln!("{refused}"),
//!     // The vault may have signed it. Ask the venue before you send it again.
//!     Err(SignError::OutcomeUnknown { request_id, .. }) => eprintln!("request {request_id}: ask the venue"),
//!     Err(error) => return Err(error.into()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Guarantees: a request is sent at most once; it is sent again by itself only when the vault cannot have read
//! the one before. A signature is handed out only together with a receipt that speaks of the same request, key
//! and payload kind, and of the digest that the payload has when it is decoded here. Every wait has an end.

#![forbid(unsafe_code)]

pub mod build;
mod client;
mod config;
mod error;
mod records;
mod retry;
mod signed;

pub use client::Client;
pub use config::{Config, policy_hash, read_key};
pub use error::{Lost, Refused, SignError, Violation};
pub use records::{HandInFault, HandedIn};
pub use session::attestation::{DevelopmentRoot, Distrust, Pin, Root};
pub use session::{Fault, PublicKey, SessionKey};
pub use signed::{Signature, Signed};
pub use transport::key_file::KeyFileFault;
pub use transport::{Address, AddressFault, SessionError};
pub use wire::request::PayloadKind;
pub use wire::session::{Denial, Welcome};
pub use wire::{Family, Mode, Refusal, Shown};

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
