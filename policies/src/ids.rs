//! Numbers without an order that may be signed once.

use venues::SingleUseId;
use wire::{Refusal, Shown, Why};

/// How many numbers a key remembers.
pub(crate) const IDS_MAX: usize = 1_024;

/// The last [`IDS_MAX`] numbers a key has signed.
///
/// The numbers are random, so none of them says that it is older than a forgotten one: a number is signed once
/// among these, and what an order's deadline and the venue's own bitmap rule out is not repeated here. A ledger
/// starts empty at each boot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdLedger {
    /// The low bytes of each number: what is looked through first. A place that is not used yet holds zeros.
    lows: [u64; IDS_MAX],
    ids: [Option<SingleUseId>; IDS_MAX],
    next: usize,
}

impl IdLedger {
    /// Nothing signed yet.
    pub(crate) const EMPTY: Self = Self { lows: [0; IDS_MAX], ids: [None; IDS_MAX], next: 0 };

    /// Whether none of `ids` was signed and none stands there twice.
    ///
    /// # Errors
    /// [`Refusal::NonceAlreadyUsed`] with the number and its index.
    pub(crate) fn check(&self, ids: &[Option<SingleUseId>]) -> Result<(), Why> {
        for (at, id) in ids.iter().enumerate() {
            let Some(asked) = id else { continue };
            let is_repeated = ids.iter().take(at).any(|earlier| earlier == id);
            if is_repeated || self.contains(asked) {
                return Err(Why::new(Refusal::NonceAlreadyUsed)
                    .observed(Shown::Uint256(asked.id))
                    .subject(at));
            }
        }
        Ok(())
    }

    fn contains(&self, id: &SingleUseId) -> bool {
        let low = low(id);
        let places = self.lows.iter().zip(&self.ids);
        places.filter(|(known, _)| **known == low).any(|(_, known)| known.as_ref() == Some(id))
    }

    /// Marks numbers as signed; the oldest are forgotten.
    pub(crate) fn record(&mut self, ids: &[Option<SingleUseId>]) {
        for id in ids.iter().flatten() {
            if let (Some(place), Some(place_low)) =
                (self.ids.get_mut(self.next), self.lows.get_mut(self.next))
            {
                (*place, *place_low) = (Some(*id), low(id));
            }
            self.next = (self.next + 1) % IDS_MAX;
        }
    }
}

/// The last eight bytes: small numbers differ there, and hashes everywhere.
fn low(id: &SingleUseId) -> u64 {
    id.id.last_chunk().map_or(0, |low| u64::from_be_bytes(*low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use venues::IdSpace;

    fn id(space: IdSpace, chain_id: u64, id: u8) -> Option<SingleUseId> {
        Some(SingleUseId { space, chain_id, id: [id; 32] })
    }

    #[test]
    fn a_number_is_signed_once_per_space_and_chain() {
        let mut ledger = IdLedger::EMPTY;
        let first = [id(IdSpace::Permit2Transfer, 1, 7), None];
        ledger.check(&first).unwrap();
        ledger.record(&first);
        assert_eq!(ledger.check(&first).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
        for other in [
            id(IdSpace::Permit2Transfer, 10, 7),
            id(IdSpace::Permit2Transfer, 1, 8),
            id(IdSpace::PolymarketSalt, 1, 7),
        ] {
            assert_eq!(ledger.check(&[other]), Ok(()));
        }
    }

    #[test]
    fn a_number_twice_in_one_payload_is_refused_at_its_second_place() {
        let twice = [id(IdSpace::Permit2Allowance, 1, 7), None, id(IdSpace::Permit2Allowance, 1, 7)];
        let why = IdLedger::EMPTY.check(&twice).unwrap_err();
        assert_eq!((why.refusal, why.subject), (Refusal::NonceAlreadyUsed, Some(2)));
    }

    #[test]
    fn different_numbers_of_one_payload_are_all_taken() {
        let (first, second) = (id(IdSpace::Permit2Allowance, 1, 7), id(IdSpace::Permit2Allowance, 1, 8));
        assert_eq!(IdLedger::EMPTY.check(&[first, None, second]), Ok(()));
    }

    #[test]
    fn numbers_with_the_same_low_bytes_are_told_apart() {
        let ending = |first: u8| {
            let mut bytes = [0; 32];
            bytes[0] = first;
            [Some(SingleUseId { space: IdSpace::Permit2Transfer, chain_id: 1, id: bytes })]
        };
        let mut ledger = IdLedger::EMPTY;
        ledger.check(&ending(0)).unwrap();
        for first in [1, 2] {
            ledger.check(&ending(first)).unwrap();
            ledger.record(&ending(first));
        }
        assert!(ledger.check(&ending(1)).is_err() && ledger.check(&ending(2)).is_err());
        assert_eq!(ledger.check(&ending(3)), Ok(()));
    }

    #[test]
    fn the_last_ids_are_remembered() {
        let mut ledger = IdLedger::EMPTY;
        let numbered = |number: usize| {
            let mut bytes = [0; 32];
            bytes[24..].copy_from_slice(&(number as u64).to_be_bytes());
            [Some(SingleUseId { space: IdSpace::PolymarketSalt, chain_id: 137, id: bytes })]
        };
        for number in 0..=IDS_MAX {
            ledger.record(&numbered(number));
        }
        assert_eq!(ledger.check(&numbered(0)), Ok(()));
        for number in 1..=IDS_MAX {
            assert!(ledger.check(&numbered(number)).is_err());
        }
    }
}
