//! The vault.

pub mod serve;
