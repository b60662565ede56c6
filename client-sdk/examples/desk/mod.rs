//! A session with the demo desk's vault, from three arguments: where it listens, the hash of its book, the bot's key; and a
//! fourth for a bot that the book does not name, an operator's certificate.
//!
//! ```text
//! portcullis policy hash policies/book/demo.toml                      # HASH: the first of the two words
//! printf 'portcullis dev key: bot' | sha256sum | cut -c1-64 > bot.key # the demo's throw-away key: everybody has it
//! chmod 600 bot.key
//! cargo run -p client-sdk --example NAME -- unix:/path/of/the/vault.sock HASH bot.key
//! ```
//! The development vault attests with a root whose key everybody has too. It proves nothing.

use std::error::Error;

use client_sdk::{Client, Config, DevelopmentRoot, Pin, policy_hash, read_key};

/// How old an attestation document may be: it is made for each connection, so this is what clocks may differ.
const DOCUMENT_AGE_MS_MAX: u64 = 60_000;

pub(crate) fn connect(mut arguments: impl Iterator<Item = String>) -> Result<Client, Box<dyn Error>> {
    let mut argument = || arguments.next().ok_or("usage: unix:/path/of/the/vault.sock HASH KEY_FILE");
    let address = argument()?.parse()?;
    let hash = policy_hash(&argument()?).ok_or("a book's hash is 64 hexadecimal digits")?;
    let key = read_key(argument()?)?;
    let mut config = Config::new(key, Pin::new(hash, DOCUMENT_AGE_MS_MAX), DevelopmentRoot);
    if let Some(certificate) = arguments.next() {
        config.certificate = Some(std::fs::read(certificate)?.into());
    }
    Ok(Client::connect(address, config)?)
}
