//! Nonces of EVM accounts: what was signed for each, counted once.

use venues::{AccountNonce, Exposures, Market, U256};
use wire::{Refusal, Shown, Why};

/// How many (chain, nonce) pairs a key remembers, the latest ones. Nodes keep no more than 64 transactions of an
/// account waiting (go-ethereum, `AccountQueue`), so older ones are settled or lost.
pub(crate) const ACCOUNT_NONCES_MAX: usize = 256;

/// What an account's nonce is signed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonceUse {
    /// The first transaction of this boot with that nonce.
    First,
    /// Another one with a nonce that was signed before: at most one of them is included.
    Replacement,
    /// An empty transfer to oneself with a nonce that was signed before.
    Cancel,
}

/// What budgets of notional were charged for a nonce: the most on one market, by one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stake {
    client: u16,
    market: Market,
    notional_micro_usd: u128,
}

/// The most that was signed for each of the last [`ACCOUNT_NONCES_MAX`] (chain, nonce) pairs of a key.
///
/// Of all transactions signed for one nonce of one chain at most one is included, so they count once, at the
/// largest. A pair that was forgotten counts whole again and cannot be cancelled by a cancel-only grant: both
/// are on the safe side. Nothing is known of earlier boots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccountNonceLedger {
    nonces: [u64; ACCOUNT_NONCES_MAX],
    chains: [u64; ACCOUNT_NONCES_MAX],
    /// Wei. More than 128 bits is more than there is of any coin and stands as the largest value.
    spends: [u128; ACCOUNT_NONCES_MAX],
    stakes: [Option<Stake>; ACCOUNT_NONCES_MAX],
    used: usize,
    /// Where the oldest pair stands once all places are used.
    oldest: usize,
}

impl AccountNonceLedger {
    pub(crate) const EMPTY: Self = Self {
        nonces: [0; ACCOUNT_NONCES_MAX],
        chains: [0; ACCOUNT_NONCES_MAX],
        spends: [0; ACCOUNT_NONCES_MAX],
        stakes: [None; ACCOUNT_NONCES_MAX],
        used: 0,
        oldest: 0,
    };

    /// Notes what is about to be signed; gives what the nonce is used for, and the wei it adds to what was signed for
    /// it before.
    ///
    /// # Errors
    /// [`Refusal::CancelNonceNotSigned`] when it may only replace and nothing is known for the nonce.
    pub(crate) fn reserve(&mut self, charge: &AccountNonce) -> Result<(NonceUse, U256), Why> {
        let spend = u128::try_from(charge.native_spend_max).unwrap_or(u128::MAX);
        if let Some(at) = self.find(charge.chain_id, charge.nonce) {
            let so_far = self.spends.get_mut(at).ok_or(Refusal::KeySlotNotInBook)?;
            let added = spend.saturating_sub(*so_far);
            *so_far = spend.max(*so_far);
            let nonce_use = if charge.is_cancel { NonceUse::Cancel } else { NonceUse::Replacement };
            return Ok((nonce_use, U256::from(added)));
        }
        if charge.only_replaces {
            return Err(Why::new(Refusal::CancelNonceNotSigned).observed(Shown::uint(charge.nonce)));
        }
        self.insert(charge.chain_id, charge.nonce, spend);
        Ok((NonceUse::First, U256::from(spend)))
    }

    /// Takes away from what a replacement puts at stake what its nonce was charged with before, and gives the stake to
    /// be noted once it is reserved; `None` when the nonce leaves none.
    ///
    /// Kept simple, and never below what is due: only a replacement on one market, the one of the last stake, by
    /// the same client is discounted. Any other counts whole and its own stake stands from then on. Requests and
    /// orders count each time.
    pub(crate) fn discount(
        &self,
        charge: &AccountNonce,
        client: u16,
        exposures: &mut Exposures,
    ) -> Option<Stake> {
        let at = self.find(charge.chain_id, charge.nonce);
        let noted = at.and_then(|at| self.stakes.get(at)).copied().flatten();
        let sole = exposures.sole()?;
        let (market, notional_micro_usd) = (sole.market, sole.notional_micro_usd);
        match noted {
            Some(stake) if stake.client == client && stake.market == market => {
                sole.notional_micro_usd = notional_micro_usd.saturating_sub(stake.notional_micro_usd);
                let notional_micro_usd = notional_micro_usd.max(stake.notional_micro_usd);
                Some(Stake { notional_micro_usd, ..stake })
            }
            _ => Some(Stake { client, market, notional_micro_usd }),
        }
    }

    /// Notes the stake of a nonce that was just reserved.
    pub(crate) fn note_stake(&mut self, charge: &AccountNonce, stake: Stake) {
        let at = self.find(charge.chain_id, charge.nonce);
        if let Some(place) = at.and_then(|at| self.stakes.get_mut(at)) {
            *place = Some(stake);
        }
    }

    fn find(&self, chain_id: u64, nonce: u64) -> Option<usize> {
        let mut pairs = self.nonces.iter().zip(&self.chains).take(self.used);
        pairs.position(|(known, chain)| *known == nonce && *chain == chain_id)
    }

    fn insert(&mut self, chain_id: u64, nonce: u64, spend: u128) {
        let at = if self.used < ACCOUNT_NONCES_MAX {
            self.used += 1;
            self.used - 1
        } else {
            let at = self.oldest;
            self.oldest = (at + 1) % ACCOUNT_NONCES_MAX;
            at
        };
        let place = (self.nonces.get_mut(at), self.chains.get_mut(at), self.spends.get_mut(at));
        if let (Some(known), Some(chain), Some(most)) = place {
            (*known, *chain, *most) = (nonce, chain_id, spend);
        }
        if let Some(stake) = self.stakes.get_mut(at) {
            *stake = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    extern crate std;
    use std::collections::BTreeMap;

    fn transaction(chain_id: u64, nonce: u64, spend: u64) -> AccountNonce {
        AccountNonce {
            chain_id,
            nonce,
            native_spend_max: U256::from(spend),
            is_cancel: false,
            only_replaces: false,
        }
    }

    fn cancel(nonce: u64, spend: u64) -> AccountNonce {
        AccountNonce { is_cancel: true, only_replaces: true, ..transaction(1, nonce, spend) }
    }

    #[test]
    fn a_replacement_counts_only_what_it_adds_to_the_most_so_far() {
        let mut ledger = AccountNonceLedger::EMPTY;
        let mut added = |spend| ledger.reserve(&transaction(1, 7, spend)).unwrap().1;
        assert_eq!(added(100), U256::from(100));
        assert_eq!(added(130), U256::from(30));
        assert_eq!(added(90), U256::ZERO);
        assert_eq!(added(131), U256::ONE);
    }

    #[test]
    fn a_nonce_of_another_chain_is_another_nonce() {
        let mut ledger = AccountNonceLedger::EMPTY;
        for chain in [1, 10] {
            assert_eq!(ledger.reserve(&transaction(chain, 7, 100)), Ok((NonceUse::First, U256::from(100))));
        }
    }

    #[test]
    fn a_cancel_that_may_only_replace_is_refused_at_a_nonce_that_was_not_signed() {
        let mut ledger = AccountNonceLedger::EMPTY;
        let why = ledger.reserve(&cancel(7, 5)).unwrap_err();
        assert_eq!((why.refusal, why.observed), (Refusal::CancelNonceNotSigned, Shown::uint(7)));
        ledger.reserve(&transaction(10, 7, 3)).unwrap();
        assert!(ledger.reserve(&cancel(7, 5)).is_err(), "signed for another chain");
        ledger.reserve(&transaction(1, 7, 3)).unwrap();
        assert_eq!(ledger.reserve(&cancel(7, 5)), Ok((NonceUse::Cancel, U256::from(2))));
        assert_eq!(ledger.reserve(&transaction(1, 7, 6)), Ok((NonceUse::Replacement, U256::ONE)));
    }

    #[test]
    fn a_refused_cancel_does_not_make_its_nonce_known() {
        let mut ledger = AccountNonceLedger::EMPTY;
        assert!(ledger.reserve(&cancel(7, 5)).is_err());
        assert!(ledger.reserve(&cancel(7, 5)).is_err());
    }

    #[test]
    fn a_full_ledger_forgets_the_oldest_pair_which_then_counts_whole_again() {
        let mut ledger = AccountNonceLedger::EMPTY;
        for nonce in 0..=ACCOUNT_NONCES_MAX as u64 {
            ledger.reserve(&transaction(1, nonce, 100)).unwrap();
        }
        assert!(ledger.reserve(&cancel(0, 1)).is_err());
        let mut added = |nonce| ledger.reserve(&transaction(1, nonce, 100)).unwrap().1;
        assert_eq!(added(1), U256::ZERO);
        assert_eq!(added(0), U256::from(100));
        assert_eq!(added(2), U256::ZERO);
        assert_eq!(added(1), U256::from(100), "displaced by nonce 0");
    }

    #[test]
    fn more_than_there_can_be_counts_as_the_largest_value() {
        let mut ledger = AccountNonceLedger::EMPTY;
        let all = AccountNonce { native_spend_max: U256::MAX, ..transaction(1, 7, 0) };
        assert_eq!(ledger.reserve(&all).unwrap().1, U256::from(u128::MAX));
        assert_eq!(ledger.reserve(&all).unwrap().1, U256::ZERO);
    }

    proptest! {
        #[test]
        fn what_is_counted_is_the_largest_of_each_nonce(
            signed in prop::collection::vec((1_u64..3, 0_u64..20, 0_u64..1_000), 0..400),
        ) {
            let mut ledger = AccountNonceLedger::EMPTY;
            let mut largest = BTreeMap::new();
            let mut counted = U256::ZERO;
            for (chain, nonce, spend) in signed {
                counted += ledger.reserve(&transaction(chain, nonce, spend)).unwrap().1;
                let most = largest.entry((chain, nonce)).or_insert(0);
                *most = spend.max(*most);
            }
            prop_assert_eq!(counted, U256::from(largest.values().sum::<u64>()));
        }
    }
}
