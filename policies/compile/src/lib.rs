//! TOML to Book.

pub mod pda;
