//! What the keys of this boot have used up.

use book::SLOTS_MAX;
use venues::Charge;
use wire::{Refusal, Why};

use crate::nonces::NonceLedger;

/// Reservations per key slot. Starts empty at boot; nothing is ever given back.
#[derive(Debug)]
pub struct Usage {
    keys: [KeyUsage; SLOTS_MAX],
    keys_used: usize,
    nonce_floor: u64,
}

#[derive(Clone, Copy, Debug)]
struct KeyUsage {
    slot: u16,
    nonces: NonceLedger,
}

impl Usage {
    /// The usage at boot. A single-use venue nonce (Hyperliquid's: a time in ms) below `boot_wall_ms` is never
    /// signed: an earlier boot may have signed it.
    #[must_use]
    pub const fn at_boot(boot_wall_ms: u64) -> Self {
        let key = KeyUsage { slot: 0, nonces: NonceLedger::above(boot_wall_ms) };
        Self { keys: [key; SLOTS_MAX], keys_used: 0, nonce_floor: boot_wall_ms }
    }

    /// Reserves a charge for a key, whole or not at all.
    ///
    /// # Errors
    /// [`Refusal::NonceAlreadyUsed`], or [`Refusal::KeySlotNotInBook`] when the table of keys is full.
    pub fn reserve(&mut self, slot: u16, charge: Charge) -> Result<(), Why> {
        let Charge { single_use_nonce } = charge;
        if let Some(nonce) = single_use_nonce {
            self.key(slot)?.nonces.reserve(nonce)?;
        }
        Ok(())
    }

    fn key(&mut self, slot: u16) -> Result<&mut KeyUsage, Why> {
        let used = self.keys_used;
        let at = match self.keys.iter().take(used).position(|key| key.slot == slot) {
            Some(at) => at,
            None => {
                let fresh = KeyUsage { slot, nonces: NonceLedger::above(self.nonce_floor) };
                *self.keys.get_mut(used).ok_or(Refusal::KeySlotNotInBook)? = fresh;
                self.keys_used = used + 1;
                used
            }
        };
        self.keys.get_mut(at).ok_or_else(|| Refusal::KeySlotNotInBook.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn nonce(nonce: u64) -> Charge {
        Charge { single_use_nonce: Some(nonce) }
    }

    #[test]
    fn a_nonce_is_reserved_once_per_key() {
        let mut usage = Usage::at_boot(1_000);
        assert_eq!(usage.reserve(1, nonce(1_001)), Ok(()));
        assert_eq!(usage.reserve(1, nonce(1_001)).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
        assert_eq!(usage.reserve(2, nonce(1_001)), Ok(()));
    }

    #[test]
    fn a_nonce_from_before_the_boot_is_refused() {
        let mut usage = Usage::at_boot(1_000);
        assert_eq!(usage.reserve(1, nonce(1_000)).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
    }

    #[test]
    fn more_keys_than_the_table_holds_are_refused_and_nothing_is_lost() {
        let mut usage = Usage::at_boot(0);
        for slot in 0..SLOTS_MAX {
            assert_eq!(usage.reserve(u16::try_from(slot).unwrap(), nonce(5)), Ok(()));
        }
        assert_eq!(usage.reserve(999, nonce(5)).unwrap_err().refusal, Refusal::KeySlotNotInBook);
        assert_eq!(usage.reserve(0, nonce(5)).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
    }
}
