//! Attested sessions: how a client knows which vault it talks to, how the vault knows who asks, and frames that
//! nobody between the two can read, change, replay or reorder. No I/O, no clock, no randomness: all are arguments.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod attestation;
pub mod certificate;
mod fault;
mod handshake;
mod keys;
pub mod operator;
mod primitives;
mod traffic;

pub use fault::Fault;
pub use handshake::{Greeting, Initiator, Responder};
pub use keys::{Entropy, PublicKey, SessionKey};
pub use traffic::Session;
