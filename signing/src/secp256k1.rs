//! ECDSA over secp256k1: RFC 6979 nonces, low s (EIP-2), with the recovery bit.

use core::fmt;

use k256::ecdsa::SigningKey;
use sha3::{Digest as _, Keccak256};
use venues::{Digest, PublicKey};
use wire::reply::SECP256K1_SIZE;

use crate::keyring::KeyFault;
use crate::secret::Secret;

/// A secp256k1 secret key. The library wipes it when dropped.
pub(crate) struct Secp256k1Key(SigningKey);

impl Secp256k1Key {
    pub(crate) fn new(secret: &Secret) -> Result<Self, KeyFault> {
        SigningKey::from_slice(secret.bytes()).map(Self).map_err(|_| KeyFault::OutOfRange)
    }

    pub(crate) fn public_key(&self) -> Result<PublicKey, KeyFault> {
        let point = self.0.verifying_key().to_sec1_point(false);
        let uncompressed = point.as_bytes().get(1..).ok_or(KeyFault::OutOfRange)?;
        let hash: [u8; 32] = Keccak256::digest(uncompressed).into();
        let [_, _, _, _, _, _, _, _, _, _, _, _, address @ ..] = hash;
        let compressed = self.0.verifying_key().to_sec1_point(true);
        let compressed = compressed.as_bytes().try_into().map_err(|_| KeyFault::OutOfRange)?;
        Ok(PublicKey::Secp256k1 { compressed, address })
    }

    /// r ‖ s ‖ y parity. The library's r is below n for every k that occurs in practice; the recovery id's
    /// second bit (r reduced) is kept in the last byte all the same.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that signs ECDSA")]
    pub(crate) fn sign(&self, digest: Digest) -> [u8; SECP256K1_SIZE] {
        let (signature, recovery) = self.0.sign_prehash_recoverable(digest.as_bytes());
        let mut bytes = [recovery.to_byte(); SECP256K1_SIZE];
        if let Some(rs) = bytes.first_chunk_mut::<64>() {
            *rs = signature.to_bytes().into();
        }
        bytes
    }
}

impl fmt::Debug for Secp256k1Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secp256k1Key(..)")
    }
}
