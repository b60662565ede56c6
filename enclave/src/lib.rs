//! The vault: what an enclave runs between its socket and its keys.
//!
//! [`Vault::handle`] is pure: bytes and a time in, bytes out. Everything with a side effect is in [`serve`].
//! The production binary (boot, NSM, attestation, vsock) comes later; the development vault is
//! a package of its own, `enclave/dev`, which drives this same code over a unix socket.

mod allowance;
mod answers;
mod boot;
mod clients;
mod control;
mod desk;
pub mod latches;
pub mod operator;
mod outbox;
mod ring;
pub mod serve;
mod sessions;
mod vault;

pub use boot::Boot;
pub use vault::Vault;
