use bincode::{BorrowDecode, Encode};

use crate::Mode;
use crate::codec::{self, CodecFault};

/// Size of a welcome as bytes.
pub const WELCOME_SIZE: usize = 16 + 32 + 32 + 8 + 4 + 4 + 4;

/// What the vault says inside its handshake message: the first bytes that only the vault of this boot can
/// have sent.
///
/// ```text
///  0  boot id        [16]
/// 16  policy hash    [32]
/// 48  receipt key    [32]  Ed25519
/// 80  wall ms        u64
/// 88  mode           u32   0 live, 1 reduce-only, 2 cancel-only, 3 halted
/// 92  heartbeat ms   u32   0 = none is asked for
/// 96  records kept   u32   0 = none
/// ```
/// All integers are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub struct Welcome {
    /// Drawn at boot. Answers to requests are kept within a boot only: after another one a client does not
    /// know what became of what it had sent.
    pub boot_id: [u8; 16],
    /// SHA-256 of the book.
    pub policy_hash: [u8; 32],
    /// The key that signs heads of receipts.
    pub receipt_key: [u8; 32],
    /// The vault's wall clock, milliseconds since the Unix epoch.
    pub wall_ms: u64,
    /// The mode in force for this client.
    pub mode: Mode,
    /// The vault latches this client when it hears nothing for so long; 0 when the book asks for none.
    pub heartbeat_ms: u32,
    /// How many of its last records the client is to keep and to hand in after a reconnect.
    pub records_kept: u32,
}

impl Welcome {
    /// The welcome as bytes.
    ///
    /// # Errors
    /// [`CodecFault`]; none, as long as the sizes above are right.
    pub fn write(&self) -> Result<[u8; WELCOME_SIZE], CodecFault> {
        let mut bytes = [0; WELCOME_SIZE];
        match codec::encode(self, &mut bytes)? {
            WELCOME_SIZE => Ok(bytes),
            _ => Err(CodecFault::DoesNotFit),
        }
    }

    /// Reads a welcome that takes up all of `bytes`.
    ///
    /// # Errors
    /// [`CodecFault`].
    pub fn read(bytes: &[u8]) -> Result<Self, CodecFault> {
        codec::decode(bytes)
    }
}
