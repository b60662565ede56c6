//! Typed data (EIP-712) as JSON text, the way eth_signTypedData_v4 takes it.
//!
//! ```text
//! { "types":       { "<struct>": [ { "name": "<field>", "type": "<type>" }, ... ], ... },
//!   "primaryType": "<struct>",
//!   "domain":      { ... },
//!   "message":     { ... } }
//! ```
//! There is no generic EIP-712 engine here: a venue lists the struct types it knows, a payload's `types` must be
//! exactly one of the venue's families, and what is hashed is the family's compiled type hash over values read
//! into a fixed struct. So neither a decoy member nor a foreign type can be shown and not signed, or signed and
//! not judged.
//!
//! Guarantees: every byte is looked at; members may come in any order; each value has one meaning.
//! Refuses: a member twice, unknown or missing, at any depth; escapes; a struct type that differs in a field's
//! name, type or place; a struct too many or too few (`EIP712Domain` must be there); integers with signs,
//! fractions, exponents or leading zeros, or wider than their type; addresses of another length or with a wrong
//! EIP-55 checksum.

mod document;
mod hash;
mod members;
mod struct_type;
mod value;

pub(crate) use document::{Document, Family};
pub(crate) use hash::{Word, address_word, digest, keccak, struct_hash, uint_word};
pub(crate) use members::members;
pub(crate) use struct_type::{StructType, struct_type};
pub(crate) use value::{HexBytes, Int256, address, bytes, bytes32, int256, uint, uint256};
