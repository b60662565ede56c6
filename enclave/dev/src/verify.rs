//! A check of finished signatures against the key that a book pins.

use ed25519_dalek::VerifyingKey as Ed25519Public;
use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use venues::PublicKey;

/// Whether `signature` is `key`'s: over a 32-byte digest for secp256k1 (recovered, so that the parity is checked
/// too), over the message for Ed25519.
#[must_use]
pub fn verify(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    match key {
        PublicKey::Secp256k1 { compressed, .. } => {
            recover(message, signature).is_some_and(|found| found == *compressed)
        }
        PublicKey::Ed25519 { key } => {
            let (Ok(key), Ok(signature)) = (Ed25519Public::from_bytes(key), signature.try_into()) else {
                return false;
            };
            key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
        }
    }
}

fn recover(digest: &[u8], signature: &[u8]) -> Option<[u8; 33]> {
    let (parity, rs) = signature.split_last()?;
    let signature = Signature::from_slice(rs).ok()?;
    let key = VerifyingKey::recover_from_prehash(digest, &signature, RecoveryId::from_byte(*parity)?).ok()?;
    key.to_sec1_point(true).as_bytes().try_into().ok()
}
