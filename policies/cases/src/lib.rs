//! What a desk's book must allow and deny: cases beside the book, judged as the vault judges.
//!
//! A book `<desk>.toml` has its cases in `<desk>.cases.toml`: payloads with places to fill in, and for each case what is
//! filled in and what must become of it. A case is decoded and approved by the very code the vault runs (`venues`,
//! `policies::approve`), with nothing used up before but what the case says. No key is needed and nothing is signed.
//!
//! Guarantees: a case whose payload, place, rule or member does not exist is a fault and never passes; so are cases without
//! a denial or without an approval, and a payload that no case uses.
//! Says nothing about: modes, sessions, receipts and signatures, which come before and after approval.
//!
//! The language is documented in `policies/README.md`.

#![forbid(unsafe_code)]

mod coverage;
mod hexadecimal;
mod judge;
mod payload;
mod places;
mod rlp;
mod suite;

pub use coverage::{Limit, limits};
pub use suite::{Suite, Verdict};

/// Why cases cannot be read or run.
pub type Fault = String;
