//! The only crate that sees a secret.
//!
//! [`Keyring::sign`] takes an [`Approved`](policies::Approved) payload and nothing else; the signature it makes
//! is private to [`Signed`] and leaves only through [`Chain::seal`], which writes the receipt first. So there
//! is no way from bytes, from a digest or from an unapproved payload to a signature, and none from a signature
//! past its receipt:
//!
//! ```compile_fail,E0308
//! fn blind(keyring: &signing::Keyring, digest: [u8; 32]) {
//!     let _ = keyring.sign::<venues::evm::Transaction<'_>>(digest);
//! }
//! ```
//! ```compile_fail,E0308
//! fn unapproved(keyring: &signing::Keyring, payload: venues::evm::Transaction<'_>) {
//!     let _ = keyring.sign::<venues::evm::Transaction<'_>>(payload);
//! }
//! ```
//! ```compile_fail,E0382
//! fn twice(keyring: &signing::Keyring, approved: policies::Approved<venues::evm::Transaction<'_>>) {
//!     let _ = keyring.sign(approved);
//!     let _ = keyring.sign(approved);
//! }
//! ```
//! ```compile_fail,E0616
//! fn unsealed(signed: signing::Signed<venues::evm::Transaction<'_>>) -> [u8; 65] {
//!     signed.signature
//! }
//! ```
//! ```compile_fail,E0382
//! fn sent_twice(sealed: signing::Sealed<'_, venues::evm::Transaction<'_>>, into: &mut [u8; wire::REPLY_SIZE_MAX]) {
//!     let _ = sealed.write(false, into);
//!     let _ = sealed.write(false, into);
//! }
//! ```
//! ```compile_fail,E0277
//! struct Anything;
//! impl signing::Signs for Anything {}
//! ```
//! ```compile_fail,E0599
//! fn shown(secret: signing::Secret) -> String {
//!     secret.to_string()
//! }
//! ```
//! ```compile_fail,E0277
//! fn copied(secret: signing::Secret) -> impl Clone {
//!     secret
//! }
//! ```
//!
//! Refuses: a secret that is zero or not below the group order, a key whose public half is not the one that the
//! book pins, and a payload of another scheme than its slot's key.
//!
//! Presignatures (nonces computed ahead of the request) are not there yet; their place is beside `secp256k1.rs`.

#![forbid(unsafe_code)]

mod chain;
mod ed25519;
mod head;
mod keyring;
mod secp256k1;
mod secret;

pub use chain::{Asked, Chain, Sealed};
pub use head::HeadKey;
pub use keyring::{KeyFault, KeyScheme, Keyring, Signed, Signs, public_key_of};
pub use secret::Secret;
