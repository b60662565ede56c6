//! Venue nonces that may be signed once.

use wire::{Refusal, Shown, Why};

/// How many nonces above the floor a key remembers. Hyperliquid itself keeps the 100 highest per signer.
pub(crate) const NONCES_MAX: usize = 256;

/// The highest [`NONCES_MAX`] nonces a key has signed and a floor below which every nonce counts as signed.
///
/// When a nonce is displaced the floor rises to it, so that forgetting never allows a second signature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NonceLedger {
    floor: u64,
    /// Ascending; the first `used` entries are valid.
    nonces: [u64; NONCES_MAX],
    used: usize,
}

impl NonceLedger {
    /// Nothing signed yet. Zero is never signed.
    pub(crate) const EMPTY: Self = Self { floor: 0, nonces: [0; NONCES_MAX], used: 0 };

    /// Marks a nonce as signed.
    ///
    /// # Errors
    /// [`Refusal::NonceAlreadyUsed`] when it is, or when it is not above the floor.
    pub(crate) fn reserve(&mut self, nonce: u64) -> Result<(), Why> {
        let refused = || {
            Why::new(Refusal::NonceAlreadyUsed).observed(Shown::uint(nonce)).limit(Shown::uint(self.floor))
        };
        if nonce <= self.floor {
            return Err(refused());
        }
        let signed = self.nonces.get(..self.used).unwrap_or_default();
        let Err(mut at) = signed.binary_search(&nonce) else {
            return Err(refused());
        };
        if self.used == NONCES_MAX {
            // The lowest entry gives way and becomes the floor. A newcomer below all entries is that lowest.
            let [lowest, ..] = self.nonces;
            self.floor = lowest.min(nonce);
            if at == 0 {
                return Ok(());
            }
            self.nonces.copy_within(1.., 0);
            self.used -= 1;
            at -= 1;
        }
        self.nonces.copy_within(at..self.used, at + 1);
        if let Some(place) = self.nonces.get_mut(at) {
            *place = nonce;
            self.used += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    extern crate std;
    use std::collections::BTreeSet;

    #[test]
    fn a_full_ledger_raises_its_floor_to_the_nonce_it_forgets() {
        let mut ledger = NonceLedger::EMPTY;
        for nonce in 0..NONCES_MAX as u64 {
            ledger.reserve(100 + 2 * nonce).unwrap();
        }
        ledger.reserve(101).unwrap();
        assert_eq!(ledger.floor, 100);
        for refused in [100, 101, 102] {
            assert_eq!(ledger.reserve(refused).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
        }
        ledger.reserve(103).unwrap();
    }

    #[test]
    fn a_late_nonce_below_a_full_ledger_is_signed_once_and_becomes_the_floor() {
        let mut ledger = NonceLedger::EMPTY;
        for nonce in 0..NONCES_MAX as u64 {
            ledger.reserve(100 + nonce).unwrap();
        }
        ledger.reserve(50).unwrap();
        assert_eq!(ledger.floor, 50);
        assert_eq!(ledger.reserve(50).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
        assert_eq!(ledger.reserve(49).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
        assert_eq!(ledger.reserve(100).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
        ledger.reserve(51).unwrap();
    }

    proptest! {
        #[test]
        fn no_sequence_of_requests_signs_a_nonce_twice(nonces in prop::collection::vec(0_u64..700, 0..2_000)) {
            let mut ledger = NonceLedger::EMPTY;
            let mut signed = BTreeSet::new();
            for nonce in nonces {
                if ledger.reserve(nonce).is_ok() {
                    prop_assert!(nonce > 0);
                    prop_assert!(signed.insert(nonce), "{nonce} signed twice");
                }
            }
        }
    }
}
