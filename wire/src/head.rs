//! Signed heads: the vault's own word about where its chain stands, for who was not there.
//!
//! ```text
//! signed    "portcullis head v1" ‖ boot_id 16 ‖ policy_hash 32 ‖ sequence u64 ‖ link 32 ‖ wall_ms u64
//! encoded   boot_id 16 ‖ policy_hash 32 ‖ sequence u64 ‖ link 32 ‖ wall_ms u64 ‖ signature 64
//! ```
//! Integers are little-endian. The signature is Ed25519 (RFC 8032) by the boot's receipt key.

use bincode::{BorrowDecode, Encode};

use crate::codec::{self, CodecFault};
use crate::receipt::Link;
use crate::reply::ED25519_SIZE;

/// What is signed begins with this.
const LABEL: &[u8; 18] = b"portcullis head v1";

/// Bytes that are signed.
pub const HEAD_MESSAGE_SIZE: usize = LABEL.len() + 16 + 32 + 8 + 32 + 8;

/// Bytes of an encoded head.
pub const SIGNED_HEAD_SIZE: usize = 16 + 32 + 8 + 32 + 8 + ED25519_SIZE;

/// Where a chain stood at a time, signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub struct SignedHead {
    /// The boot.
    pub boot_id: [u8; 16],
    /// SHA-256 of the boot's book.
    pub policy_hash: [u8; 32],
    /// Sequence of the record sealed last.
    pub sequence: u64,
    /// Its link.
    pub link: Link,
    /// When the head was signed: milliseconds since the Unix epoch.
    pub wall_ms: u64,
    /// Ed25519 over [`SignedHead::message`].
    pub signature: [u8; ED25519_SIZE],
}

impl SignedHead {
    /// The bytes that are signed.
    #[must_use]
    pub fn message(&self) -> [u8; HEAD_MESSAGE_SIZE] {
        let mut message = [0; HEAD_MESSAGE_SIZE];
        let (sequence, wall_ms) = (self.sequence.to_le_bytes(), self.wall_ms.to_le_bytes());
        let parts = [&LABEL[..], &self.boot_id, &self.policy_hash, &sequence, &self.link, &wall_ms];
        message.iter_mut().zip(parts.into_iter().flatten()).for_each(|(to, from)| *to = *from);
        message
    }

    /// Reads a head. The signature is not checked here.
    ///
    /// # Errors
    /// [`CodecFault`] when the bytes are not exactly one head.
    pub fn read(bytes: &[u8]) -> Result<Self, CodecFault> {
        codec::decode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: SignedHead = SignedHead {
        boot_id: [1; 16],
        policy_hash: [2; 32],
        sequence: 0x0304,
        link: [5; 32],
        wall_ms: 0x0607,
        signature: [8; 64],
    };

    #[test]
    fn the_bytes_of_a_head_are_golden() {
        let body = [&[1; 16][..], &[2; 32], &[4, 3, 0, 0, 0, 0, 0, 0], &[5; 32], &[7, 6, 0, 0, 0, 0, 0, 0]];
        let (mut message, mut encoded) = ([0; HEAD_MESSAGE_SIZE], [0; SIGNED_HEAD_SIZE]);
        message[..18].copy_from_slice(b"portcullis head v1");
        let mut at = 0;
        for part in body {
            message[18 + at..18 + at + part.len()].copy_from_slice(part);
            encoded[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        encoded[at..].copy_from_slice(&[8; 64]);
        assert_eq!(HEAD.message(), message);
        let mut bytes = [0; SIGNED_HEAD_SIZE];
        assert_eq!(codec::encode(HEAD, &mut bytes), Ok(SIGNED_HEAD_SIZE));
        assert_eq!(bytes, encoded);
        assert_eq!(SignedHead::read(&bytes), Ok(HEAD));
        assert_eq!(SignedHead::read(&bytes[1..]), Err(CodecFault::NotAValue));
    }

    #[test]
    fn every_field_but_the_signature_is_signed() {
        let others = [
            SignedHead { boot_id: [0; 16], ..HEAD },
            SignedHead { policy_hash: [0; 32], ..HEAD },
            SignedHead { sequence: 0, ..HEAD },
            SignedHead { link: [0; 32], ..HEAD },
            SignedHead { wall_ms: 0, ..HEAD },
        ];
        for other in others {
            assert_ne!(other.message(), HEAD.message());
        }
        assert_eq!(SignedHead { signature: [0; 64], ..HEAD }.message(), HEAD.message());
    }
}
