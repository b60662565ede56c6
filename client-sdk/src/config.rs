//! Who the bot is, whom it trusts, and how patient it is.

use core::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use session::SessionKey;
use session::attestation::{Pin, Root};
use transport::key_file::{self, KeyFileFault};
use transport::{Opening, Patience};
use wire::session::Channel;

/// Who the bot is, whom it trusts, and how patient it is. There is no default: key, pin and root are the caller's to
/// decide; the rest has values that [`Config::new`] gives.
#[derive(Clone)]
pub struct Config {
    /// The bot's own key: [`read_key`]. Clients of one bot may share it; the vault gives one key 8 sessions at most.
    pub key: Arc<SessionKey>,
    /// The operator's certificate of a bot that the book does not name; it makes the bot a client of a role.
    pub certificate: Option<Arc<[u8]>>,
    /// What the vault must be, at least its book's hash ([`policy_hash`]). The nonce is not looked at: each connection
    /// draws its own.
    pub pin: Pin,
    /// Who vouches for the vault's attestation document.
    pub root: Arc<dyn Root + Send + Sync>,
    /// How long one attempt to connect may take, and one answer of a host that records are handed in to.
    pub connect_timeout: Duration,
    /// How long the vault may take for a reply, once the request is sent.
    pub request_timeout: Duration,
    /// How often connecting (and sending on the new connection) is tried for one request.
    pub attempts_max: u32,
    /// The pause after the first failed attempt; each one after it is twice as long.
    pub pause_min: Duration,
    /// The longest pause.
    pub pause_max: Duration,
    /// Ask for the canonical bytes that were signed.
    pub return_canonical: bool,
}

impl Config {
    /// A bot with this key that insists on this pin, by the word of this root: connects within 1 s, waits 2 s for a
    /// reply, tries six times with pauses from 10 ms to 1 s.
    #[must_use]
    pub fn new(key: SessionKey, pin: Pin, root: impl Root + Send + Sync + 'static) -> Self {
        Self {
            key: Arc::new(key),
            certificate: None,
            pin,
            root: Arc::new(root),
            connect_timeout: Duration::from_secs(1),
            request_timeout: Duration::from_secs(2),
            attempts_max: 6,
            pause_min: Duration::from_millis(10),
            pause_max: Duration::from_secs(1),
            return_canonical: false,
        }
    }

    pub(crate) fn opening(&self) -> Opening<'_> {
        Opening {
            root: &*self.root,
            pin: self.pin,
            key: &self.key,
            certificate: self.certificate.as_deref(),
            channel: Channel::Bots,
        }
    }

    pub(crate) fn patience(&self) -> Patience {
        Patience { idle: Some(self.request_timeout), frame: self.request_timeout }
    }
}

/// Reads a bot's key from a file of 64 hexadecimal digits that only its owner may read.
///
/// # Errors
/// [`KeyFileFault`].
pub fn read_key(file: impl AsRef<Path>) -> Result<SessionKey, KeyFileFault> {
    key_file::read(file.as_ref()).map(SessionKey::from_bytes)
}

/// A book's hash from its text: 64 hexadecimal digits, with or without `0x`, as `portcullis policy hash` prints it.
#[must_use]
pub fn policy_hash(text: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = text.strip_prefix("0x").unwrap_or(text).as_bytes().as_chunks::<2>();
    let mut hash = [0; 32];
    if pairs.len() != hash.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(pairs) {
        let [high, low] =
            pair.map(|digit| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
        *byte = high? << 4 | low?;
    }
    Some(hash)
}

impl fmt::Debug for Config {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Config")
            .field("key", &self.key.public_key())
            .field("pin", &self.pin)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_reads_with_and_without_its_prefix_and_nothing_else_does() {
        let digits = "0a".repeat(31) + "fF";
        let mut hash = [0x0a; 32];
        hash[31] = 0xff;
        assert_eq!(policy_hash(&digits), Some(hash));
        assert_eq!(policy_hash(&format!("0x{digits}")), Some(hash));
        for wrong in [
            "",
            &digits[2..],
            &format!("0x0x{digits}"),
            &digits.replacen("0a", "+a", 1),
            &format!("{digits}0"),
        ] {
            assert_eq!(policy_hash(wrong), None, "{wrong}");
        }
    }
}
