//! Ed25519 (RFC 8032). Seed and public key live in one value, so that no signature is made with a foreign one.

use core::fmt;

use ed25519_dalek::{Signer, SigningKey};
use venues::{Message, PublicKey};
use wire::reply::ED25519_SIZE;

use crate::secret::Secret;

/// An Ed25519 key pair. The library wipes the seed when dropped.
pub(crate) struct Ed25519Key(SigningKey);

impl Ed25519Key {
    pub(crate) fn new(secret: &Secret) -> Self {
        Self(SigningKey::from_bytes(secret.bytes()))
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        PublicKey::Ed25519 { key: self.0.verifying_key().to_bytes() }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that signs Ed25519")]
    pub(crate) fn sign(&self, message: Message<'_>) -> [u8; ED25519_SIZE] {
        self.0.sign(message.as_bytes()).to_bytes()
    }
}

impl fmt::Debug for Ed25519Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Ed25519Key(..)")
    }
}
