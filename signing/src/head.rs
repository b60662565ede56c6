//! The receipt key: it signs heads of the chain and nothing else.
//!
//! It is born at boot and attested with it. What it signs begins with a label that no payload of a venue can, and the
//! type takes a chain only: there is no way from bytes to its signature.

use core::fmt;

use ed25519_dalek::{Signer, SigningKey};
use wire::head::SignedHead;

use crate::{Chain, Secret};

/// The receipt key of one boot. The library wipes the seed when dropped.
pub struct HeadKey(SigningKey);

impl HeadKey {
    /// From 32 random bytes, drawn for this boot.
    #[must_use]
    pub fn new(seed: &Secret) -> Self {
        Self(SigningKey::from_bytes(seed.bytes()))
    }

    /// The public half, for the attestation document.
    #[must_use]
    pub fn public_key(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Signs where `chain` stands at `wall_ms`; `None` before its first record.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that signs heads")]
    pub fn sign(&self, chain: &Chain, wall_ms: u64) -> Option<SignedHead> {
        let sequence = chain.sealed().checked_sub(1)?;
        let (boot_id, policy_hash, link) = (chain.boot_id(), chain.policy_hash(), chain.head());
        let mut head = SignedHead { boot_id, policy_hash, sequence, link, wall_ms, signature: [0; 64] };
        head.signature = self.0.sign(&head.message()).to_bytes();
        Some(head)
    }
}

impl fmt::Debug for HeadKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HeadKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signature, VerifyingKey};
    use wire::Now;
    use wire::receipt::RecordKind;
    use zeroize::Zeroizing;

    use super::*;

    fn key() -> HeadKey {
        HeadKey::new(&Secret::new(Zeroizing::new([7; 32])))
    }

    #[test]
    fn a_head_is_of_the_record_sealed_last_and_verifies_strictly() {
        let (key, mut chain) = (key(), Chain::at_boot([1; 16], [2; 32]));
        assert_eq!(key.sign(&chain, 5), None);
        for sequence in 0..3 {
            let record = chain
                .seal_event(RecordKind::LatchSet, [0; 32], Now { monotonic_ms: 0, wall_ms: 4 }, |_| {})
                .unwrap();
            let link = wire::receipt::link(record);
            let head = key.sign(&chain, 5).unwrap();
            assert_eq!((head.sequence, head.link, head.wall_ms), (sequence, link, 5));
            assert_eq!((head.boot_id, head.policy_hash), ([1; 16], [2; 32]));
            let public_key = VerifyingKey::from_bytes(&key.public_key()).unwrap();
            let signature = Signature::from_bytes(&head.signature);
            public_key.verify_strict(&head.message(), &signature).unwrap();
            let other = SignedHead { sequence: sequence + 1, ..head };
            assert!(public_key.verify_strict(&other.message(), &signature).is_err());
        }
    }

    #[test]
    fn the_receipt_key_does_not_show_itself() {
        assert_eq!(format!("{:?}", key()), "HeadKey(..)");
    }
}
