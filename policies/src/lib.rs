//! Who may do what: the book of this build, and [`approve`], the only maker of [`Approved`].
//!
//! Guarantees: no allocation, no clock, no I/O; a payload is approved by the rules of its own venue or not at
//! all; what an approval uses up is reserved before the key is touched and never given back.
//! Refuses: a budget that is spent ([`BucketUsage`]), a slot whose time has passed, a venue that the key's grants do not name, and everything the venue's rules do not allow.

#![no_std]
#![forbid(unsafe_code)]

mod account_nonces;
mod approve;
mod buckets;
mod compiled;
mod ids;
mod level;
mod market_levels;
mod nonces;
mod usage;

pub use account_nonces::NonceUse;
pub use approve::{Approved, Asker, approve, effect};
pub use buckets::{BucketUsage, CLIENTS_MAX};
pub use compiled::{BOOK, POLICY_HASH};
pub use usage::{Counted, KeyUsage, Usage};
