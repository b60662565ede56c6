//! The conformance program: one question a line in, one answer a line out, each through its own [`Vault`].
//!
//! A question carries a payload, a key, a clock and the lists of the one book that judges every line. The book
//! is written as TOML and compiled like any desk's, so the book language itself is part of what is tested.
//!
//! [`Vault`]: enclave::Vault

mod answer;
mod book_text;
mod payload;
mod question;

pub use answer::answer;
pub use question::Question;
