//! What a venue's payload means and what exactly is signed.
//!
//! One folder a venue, with the same file names in each: `mod.rs` (the payload types), `decode.rs` (the strict
//! decoder and the digest), `rules.rs` (the rule vocabulary and its judgement), `facts.rs` (what goes into the
//! receipt), `README.md`, and its vectors in `venues/vectors/`.
//!
//! Guarantees: one parse; the digest is computed from the very bytes that were checked; nothing is allocated,
//! no clock is read, no float is used; every loop is bounded by the payload's size.
//! Refuses: every unknown field, type, call, program, instruction, tag and trailing byte, by name.

#![no_std]
#![forbid(unsafe_code)]

pub mod book_value;
pub mod evm;
pub mod exposure;
mod hexadecimal;
pub mod hyperliquid;
mod json;
pub mod known;
pub mod payload;
pub mod polymarket;
pub mod solana;
mod typed_data;
pub mod uniswapx;

pub use exposure::{Effect, Exposure, Exposures, Market, NATIVE, TokenValue};
pub use known::{Catalogue, Known};
pub use payload::{
    AccountNonce, Charge, Digest, Ed25519, Grants, IdSpace, Message, Payload, PublicKey, SINGLE_USE_IDS_MAX,
    Scheme, Secp256k1, SingleUseId, SingleUseNonce,
};

/// A 20-byte EVM address.
pub type Address = [u8; 20];

/// A 32-byte Solana account key.
pub type AccountKey = [u8; 32];

/// A 256-bit unsigned integer.
pub type U256 = ruint::aliases::U256;
