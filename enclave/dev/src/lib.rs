//! The development composition of the vault. Nothing here is part of an enclave image.

pub mod conformance;
pub mod examples;
pub mod hexadecimal;
pub mod in_process;
pub mod keys;
pub mod verify;
