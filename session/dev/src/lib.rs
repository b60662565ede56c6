//! The attestor of development vaults, in a package of its own so that no image can link it by accident:
//! `deny.toml` lists who may depend on it, and the vault's own crates are not among them.
//!
//! Its key is derived from a public label. **Everybody has it: its documents prove nothing.**

#![forbid(unsafe_code)]

mod peer;

pub use peer::{Caller, Peer, Refused, throw_away_key};

use ed25519_dalek::{Signer, SigningKey};
use session::attestation::{Attest, DEVELOPMENT_DOCUMENT_SIZE, NotAttested, development_document};
use sha2::{Digest, Sha256};
use wire::session::Claims;

/// What the development root's seed is the SHA-256 of.
const LABEL: &[u8] = b"portcullis development root: everybody has this key";

/// Signs documents of the development root.
#[derive(Debug)]
pub struct DevelopmentAttestor(SigningKey);

impl DevelopmentAttestor {
    /// The one that everybody has.
    #[must_use]
    pub fn new() -> Self {
        Self(SigningKey::from_bytes(&Sha256::digest(LABEL).into()))
    }

    /// The public half; [`session::attestation::DEVELOPMENT_ROOT_KEY`].
    #[must_use]
    pub fn public_key(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }
}

impl Default for DevelopmentAttestor {
    fn default() -> Self {
        Self::new()
    }
}

impl Attest for DevelopmentAttestor {
    #[expect(clippy::disallowed_methods, reason = "signs development documents, nothing of a venue")]
    fn attest(&mut self, claims: &Claims, into: &mut [u8]) -> Result<usize, NotAttested> {
        let into = into.get_mut(..DEVELOPMENT_DOCUMENT_SIZE).ok_or(NotAttested::DoesNotFit)?;
        let signed = development_document(claims).map_err(|_| NotAttested::DoesNotFit)?;
        let signature = self.0.sign(&signed).to_bytes();
        for (into, from) in into.iter_mut().zip(signed.iter().chain(&signature)) {
            *into = *from;
        }
        Ok(DEVELOPMENT_DOCUMENT_SIZE)
    }
}
