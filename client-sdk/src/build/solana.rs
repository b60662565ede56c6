//! Solana messages: instructions of Drift v2 and Velocity, legacy messages, payloads, signed transactions; and
//! Drift's Swift texts ([`swift_text`]).
//!
//! ```no_run
//! use client_sdk::build::solana::{self, DriftAccounts, Instruction};
//! # fn f(accounts: DriftAccounts, payer: [u8; 32], blockhash: [u8; 32], signature: [u8; 64])
//! # -> Result<(), solana::BuildError> {
//! let message = solana::legacy_message(
//!     &payer,
//!     &blockhash,
//!     &[Instruction::compute_unit_limit(200_000), Instruction::cancel_order(&accounts, None)],
//! )?;
//! let payload = solana::payload(&message, &[])?; // PayloadKind::SolanaMessage
//! let transaction = solana::signed_transaction(&message, &signature);
//! # Ok(())
//! # }
//! ```
//!
//! What a bot built with another library works as well: [`payload_with_tables`] takes the bytes of any legacy
//! or version 0 message.

mod data;
mod drift;
mod message;
mod swift;

use core::fmt;
use std::collections::BTreeMap;

pub use drift::{DriftAccounts, Replaced, Transfer};
pub use message::{AccountMeta, Instruction, legacy_message};
pub use swift::swift_text;
pub use venues::solana::rules::{MarketKind, Program};
pub use venues::solana::{
    Direction, IsolatedDeposit, ModifyOrderParams, OrderParams, OrderType, PostOnly, SwiftAccount,
    SwiftOrder, TriggerCondition, TriggerOrder,
};

use venues::solana::{MessageView, TRANSACTION_SIZE_MAX};

/// An account key.
pub type Key = [u8; 32];

/// Why something could not be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// There are no instructions.
    InstructionsEmpty,
    /// A list has more elements than its field can count.
    ListTooLong,
    /// The message is longer than a packet leaves room for.
    MessageTooLong,
    /// The message does not follow the format; the vault would refuse it with this code.
    MessageMalformed(wire::Refusal),
    /// The contents of this lookup table were not given.
    TableMissing(Key),
    /// A lookup names an index beyond this table's contents.
    TableIndexMissing(Key, u8),
    /// The instruction needs the user statistics account.
    UserStatsMissing,
    /// A field is set that the program's layout does not have, or beyond its width there.
    FieldNotInLayout,
    /// The text is not a 32-byte key in base58.
    KeyMalformed,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InstructionsEmpty => f.write_str("there are no instructions"),
            Self::ListTooLong => f.write_str("a list is too long"),
            Self::MessageTooLong => write!(f, "the transaction is over {TRANSACTION_SIZE_MAX} bytes"),
            Self::MessageMalformed(refusal) => write!(f, "the message is malformed: {}", refusal.name()),
            Self::TableMissing(table) => write!(f, "no contents of lookup table {}", key_text(table)),
            Self::TableIndexMissing(table, index) => {
                write!(f, "lookup table {} has no address {index}", key_text(table))
            }
            Self::UserStatsMissing => f.write_str("the user statistics account is needed"),
            Self::FieldNotInLayout => f.write_str("a field is not in this program's layout"),
            Self::KeyMalformed => f.write_str("not a 32-byte key in base58"),
        }
    }
}

impl std::error::Error for BuildError {}

/// The payload of a request: the message's size, the message, and the addresses its lookups stand for (the
/// writable ones of all tables, then the readonly ones of all tables).
///
/// # Errors
/// [`BuildError::MessageTooLong`].
pub fn payload(message: &[u8], loaded: &[Key]) -> Result<Vec<u8>, BuildError> {
    if message.len() > TRANSACTION_SIZE_MAX {
        return Err(BuildError::MessageTooLong);
    }
    let size = u16::try_from(message.len()).map_err(|_| BuildError::MessageTooLong)?;
    Ok([&size.to_le_bytes(), message, loaded.as_flattened()].concat())
}

/// The payload of a request, with the lookups resolved from `tables`: each table's addresses, from index 0.
///
/// # Errors
/// [`BuildError::MessageMalformed`], [`BuildError::TableMissing`], [`BuildError::TableIndexMissing`],
/// [`BuildError::MessageTooLong`].
pub fn payload_with_tables(message: &[u8], tables: &BTreeMap<Key, Vec<Key>>) -> Result<Vec<u8>, BuildError> {
    let malformed = |why: wire::Why| BuildError::MessageMalformed(why.refusal);
    let view = MessageView::read(message).map_err(malformed)?;
    let (mut writable, mut readonly) = (Vec::new(), Vec::new());
    for lookup in view.lookups() {
        let lookup = lookup.map_err(malformed)?;
        let contents = tables.get(lookup.table).ok_or(BuildError::TableMissing(*lookup.table))?;
        for (indexes, keys) in [(lookup.writable, &mut writable), (lookup.readonly, &mut readonly)] {
            for index in indexes {
                let key = contents
                    .get(usize::from(*index))
                    .ok_or(BuildError::TableIndexMissing(*lookup.table, *index))?;
                keys.push(*key);
            }
        }
    }
    writable.append(&mut readonly);
    payload(message, &writable)
}

/// The transaction to send: one signature, then the message.
#[must_use]
pub fn signed_transaction(message: &[u8], signature: &[u8; 64]) -> Vec<u8> {
    [&[1], &signature[..], message].concat()
}

/// Reads a key from base58 text.
///
/// # Errors
/// [`BuildError::KeyMalformed`].
pub fn key(text: &str) -> Result<Key, BuildError> {
    let mut key = [0; 32];
    match bs58::decode(text).onto(&mut key) {
        Ok(32) => Ok(key),
        Ok(_) | Err(_) => Err(BuildError::KeyMalformed),
    }
}

/// A key as base58 text.
#[must_use]
pub fn key_text(key: &Key) -> String {
    bs58::encode(key).into_string()
}
