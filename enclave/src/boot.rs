//! What differs from boot to boot.

use sha2::{Digest as _, Sha256};
use wire::Now;

/// What a vault is told when it boots.
#[derive(Debug)]
pub struct Boot {
    /// Drawn at random for each boot.
    pub id: [u8; 16],
    /// Drawn at random for each boot and told to nobody: challenges come from it.
    pub seed: [u8; 32],
    /// The time of the boot.
    pub now: Now,
}

/// Random bytes from a seed: SHA-256 over the seed and a counter. Never repeats within a boot, and from what was drawn
/// nothing else can be told.
pub(crate) struct Randomness {
    seed: [u8; 32],
    drawn: u64,
}

impl Randomness {
    pub(crate) const fn new(seed: [u8; 32]) -> Self {
        Self { seed, drawn: 0 }
    }

    /// 32 bytes that were never drawn before in this boot.
    pub(crate) fn draw(&mut self) -> [u8; 32] {
        self.drawn = self.drawn.saturating_add(1);
        let mut hash = Sha256::new();
        hash.update(b"portcullis randomness v1");
        hash.update(self.seed);
        hash.update(self.drawn.to_le_bytes());
        hash.finalize().into()
    }
}

impl core::fmt::Debug for Randomness {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Randomness(..)")
    }
}
