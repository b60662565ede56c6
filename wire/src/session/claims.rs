use bincode::{BorrowDecode, Encode};

use crate::codec::{self, CodecFault};

/// Size of the claims as bytes; below the 512 bytes of user data that a Nitro document takes.
pub const CLAIMS_SIZE: usize = 32 + 16 + 32 + 32 + 32 + 8;

const _: () = assert!(CLAIMS_SIZE <= 512);

/// What an attestation document says about this boot.
///
/// ```text
///   0  policy hash  [32]
///  32  boot id      [16]
///  48  session key  [32]  X25519
///  80  receipt key  [32]  Ed25519
/// 112  challenge    [32]
/// 144  wall ms      u64   little-endian
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub struct Claims {
    /// SHA-256 of the book.
    pub policy_hash: [u8; 32],
    /// Drawn at boot.
    pub boot_id: [u8; 16],
    /// The vault's static key of every handshake (X25519), born at boot.
    pub session_key: [u8; 32],
    /// The key that signs heads of receipts (Ed25519), born at boot.
    pub receipt_key: [u8; 32],
    /// The nonce of the hello that the document answers; zeros when it was made for nobody.
    pub challenge: [u8; 32],
    /// When the document was made, milliseconds since the Unix epoch.
    pub wall_ms: u64,
}

impl Claims {
    /// The claims as bytes.
    ///
    /// # Errors
    /// [`CodecFault`]; none, as long as the sizes above are right.
    pub fn write(&self) -> Result<[u8; CLAIMS_SIZE], CodecFault> {
        let mut bytes = [0; CLAIMS_SIZE];
        match codec::encode(self, &mut bytes)? {
            CLAIMS_SIZE => Ok(bytes),
            _ => Err(CodecFault::DoesNotFit),
        }
    }

    /// Reads claims that take up all of `bytes`.
    ///
    /// # Errors
    /// [`CodecFault`].
    pub fn read(bytes: &[u8]) -> Result<Self, CodecFault> {
        codec::decode(bytes)
    }
}
