//! What the keys of this boot have used up.

use book::{Book, Slot};
use venues::{Charge, Exposures, Payload, SingleUseNonce, U256};
use wire::{Now, Refusal, Shown, Why};

use crate::Asker;
use crate::account_nonces::{AccountNonceLedger, NonceUse};
use crate::buckets::{self, BucketUsage, Wanted};
use crate::ids::IdLedger;
use crate::nonces::NonceLedger;

/// Reservations per key slot, and the budgets. Starts empty at boot; nothing is ever given back.
///
/// A key takes some 100 KiB and a budget 20, so the caller says where they stand: `K` is a slice of
/// [`KeyUsage::EMPTY`], one for each slot of the book, and `B` one of [`BucketUsage::EMPTY`], one for each of its
/// buckets.
#[derive(Debug)]
pub struct Usage<K, B> {
    keys: Keys<K>,
    buckets: B,
    boot_ms: u64,
    /// The latest time told, milliseconds since boot: time does not step back.
    latest_ms: u64,
    /// What the payload at hand puts at stake.
    exposures: Exposures,
}

/// Reservations of all keys.
#[derive(Debug)]
struct Keys<K> {
    keys: K,
    boot_wall_ms: u64,
}

/// Reservations of one key.
#[derive(Clone, Copy, Debug)]
pub struct KeyUsage {
    slot: Option<u16>,
    nonces: NonceLedger,
    ids: IdLedger,
    account_nonces: AccountNonceLedger,
}

impl KeyUsage {
    /// Nothing signed yet, and no key's yet.
    pub const EMPTY: Self = Self {
        slot: None,
        nonces: NonceLedger::EMPTY,
        ids: IdLedger::EMPTY,
        account_nonces: AccountNonceLedger::EMPTY,
    };
}

/// What a reservation adds to what was counted before: what budgets are charged with.
///
/// Of native coin only what a transaction itself can spend is counted: value and gas. What a rollup takes for its
/// data, and fees paid in tokens, are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Native coin of the transaction's chain, wei.
    pub native_spend: U256,
    /// What the account's nonce is signed for, where the venue has one.
    pub nonce_use: Option<NonceUse>,
    /// The most that a budget of notional was charged, micro-USD; `None` where none counts the venue and key.
    pub notional_micro_usd: Option<u64>,
    /// The most that a budget of orders was charged; `None` where none counts the venue and key.
    pub orders: Option<u64>,
}

impl<K: AsMut<[KeyUsage]>, B: AsMut<[BucketUsage]>> Usage<K, B> {
    /// The usage at boot; `keys` and `buckets` are empty.
    #[must_use]
    pub const fn at_boot(keys: K, buckets: B, booted: Now) -> Self {
        let keys = Keys { keys, boot_wall_ms: booted.wall_ms };
        Self { keys, buckets, boot_ms: booted.monotonic_ms, latest_ms: 0, exposures: Exposures::EMPTY }
    }

    /// Fills the budget with that index in the book to its capacity, every level of it; once in a boot.
    ///
    /// # Errors
    /// [`Refusal::BucketNotInBook`], [`Refusal::BudgetAlreadyOpened`].
    pub fn open_budget(&mut self, book: &Book<'_>, index: usize, now: Now) -> Result<(), Why> {
        let now_ms = self.since_boot_ms(now);
        buckets::open(book, self.buckets.as_mut(), index, now_ms)
    }

    /// Reserves what a payload that the rules allow uses up, whole or not at all: budgets are asked first, then
    /// nonces are reserved, which may still refuse, then budgets are charged.
    ///
    /// # Errors
    /// [`Refusal::RequestBudgetSpent`], [`Refusal::OrderBudgetSpent`], [`Refusal::NotionalBudgetSpent`] and
    /// [`Refusal::MarketTableFull`] with the bucket's index; what [`Payload::expose`] refuses; and what
    /// nonces are refused for: [`Refusal::NonceAlreadyUsed`],
    /// [`Refusal::NonceBelowBootFloor`], [`Refusal::CancelNonceNotSigned`].
    pub(crate) fn reserve<P: Payload>(
        &mut self,
        payload: &P,
        book: &Book<'_>,
        (slot, limits): (&Slot<'_>, &P::Limits<'_>),
        asker: Asker,
        charge: Charge,
        now: Now,
    ) -> Result<Counted, Why> {
        let now_ms = self.since_boot_ms(now);
        let Self { keys, buckets, exposures, .. } = self;
        exposures.clear();
        if buckets::needs_exposures(book, P::VENUE, asker) {
            payload.expose(limits, book.values, exposures)?;
        }
        let account_nonce = charge.account_nonce;
        let stake = match &account_nonce {
            Some(nonce) => keys.key(slot.slot)?.account_nonces.discount(nonce, asker.client, exposures),
            None => None,
        };
        let slot_index = book.slots.iter().position(|known| known.slot == slot.slot).unwrap_or(usize::MAX);
        let wanted = Wanted { venue: P::VENUE, asker, slot_index, exposures };
        buckets::check(book, buckets.as_mut(), wanted, now_ms)?;
        let counted = keys.reserve(slot.slot, charge)?;
        if let (Some(nonce), Some(stake)) = (account_nonce, stake) {
            keys.key(slot.slot)?.account_nonces.note_stake(&nonce, stake);
        }
        let charged = buckets::charge(book, buckets.as_mut(), wanted, now_ms);
        Ok(Counted { notional_micro_usd: charged.notional_micro_usd, orders: charged.orders, ..counted })
    }

    /// Milliseconds since boot, never less than told before.
    fn since_boot_ms(&mut self, now: Now) -> u64 {
        self.latest_ms = self.latest_ms.max(now.monotonic_ms.saturating_sub(self.boot_ms));
        self.latest_ms
    }
}

impl<K: AsMut<[KeyUsage]>> Keys<K> {
    /// Reserves a charge for a key, whole or not at all. A venue charges one kind of nonce or none.
    ///
    /// Gives what is newly counted: of the first transaction for an account nonce all it can spend, of one that
    /// replaces it only what it can spend beyond the most so far.
    ///
    /// # Errors
    /// [`Refusal::NonceAlreadyUsed`]; [`Refusal::NonceBelowBootFloor`] when an earlier boot may have signed the
    /// nonce; [`Refusal::CancelNonceNotSigned`] when a cancel may only replace and there is nothing to replace;
    /// [`Refusal::KeySlotNotInBook`] when the table of keys is full.
    fn reserve(&mut self, slot: u16, charge: Charge) -> Result<Counted, Why> {
        let Charge { single_use_nonce, single_use_ids, account_nonce } = charge;
        let has_ids = single_use_ids.iter().any(Option::is_some);
        if has_ids {
            self.key(slot)?.ids.check(&single_use_ids)?;
        }
        if let Some(SingleUseNonce { nonce, ahead_max_ms }) = single_use_nonce {
            // Until it ended, the boot before signed nonces up to its own now plus the book's look-ahead. Its now
            // was before this boot's, and the book is in the measurement.
            let floor = self.boot_wall_ms.saturating_add(ahead_max_ms);
            if nonce <= floor {
                return Err(Why::new(Refusal::NonceBelowBootFloor)
                    .observed(Shown::uint(nonce))
                    .limit(Shown::uint(floor)));
            }
            self.key(slot)?.nonces.reserve(nonce)?;
        }
        if has_ids {
            self.key(slot)?.ids.record(&single_use_ids);
        }
        let Some(nonce) = account_nonce else { return Ok(Counted::default()) };
        let (nonce_use, native_spend) = self.key(slot)?.account_nonces.reserve(&nonce)?;
        Ok(Counted { native_spend, nonce_use: Some(nonce_use), ..Counted::default() })
    }

    /// The key's own place, or the first that is nobody's yet.
    fn key(&mut self, slot: u16) -> Result<&mut KeyUsage, Why> {
        let mut keys = self.keys.as_mut().iter_mut();
        let key =
            keys.find(|key| key.slot.is_none_or(|known| known == slot)).ok_or(Refusal::KeySlotNotInBook)?;
        key.slot = Some(slot);
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage<const N: usize>(keys: [KeyUsage; N], wall_ms: u64) -> Keys<[KeyUsage; N]> {
        Keys { keys, boot_wall_ms: wall_ms }
    }

    const AHEAD_MAX_MS: u64 = 50;

    fn nonce(nonce: u64) -> Charge {
        Charge {
            single_use_nonce: Some(SingleUseNonce { nonce, ahead_max_ms: AHEAD_MAX_MS }),
            ..Charge::default()
        }
    }

    #[test]
    fn a_nonce_is_reserved_once_per_key() {
        let mut usage = usage([KeyUsage::EMPTY; 2], 1_000);
        assert_eq!(usage.reserve(1, nonce(1_051)), Ok(Counted::default()));
        assert_eq!(usage.reserve(1, nonce(1_051)).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
        assert_eq!(usage.reserve(2, nonce(1_051)), Ok(Counted::default()));
    }

    #[test]
    fn a_nonce_that_an_earlier_boot_may_have_signed_is_refused() {
        // The boot before ended at 999 at the latest and signed nonces up to 999 + 50.
        let mut usage = usage([KeyUsage::EMPTY; 2], 1_000);
        for refused in [0, 999, 1_000, 1_049, 1_050] {
            let why = usage.reserve(1, nonce(refused)).unwrap_err();
            assert_eq!((why.refusal, why.limit), (Refusal::NonceBelowBootFloor, Shown::uint(1_050)));
        }
        assert_eq!(usage.reserve(1, nonce(1_051)), Ok(Counted::default()));
    }

    #[test]
    fn more_keys_than_the_table_holds_are_refused_and_nothing_is_lost() {
        let mut usage = usage([KeyUsage::EMPTY; 3], 0);
        for slot in 0..3 {
            assert_eq!(usage.reserve(slot, nonce(500)), Ok(Counted::default()));
        }
        assert_eq!(usage.reserve(999, nonce(500)).unwrap_err().refusal, Refusal::KeySlotNotInBook);
        assert_eq!(usage.reserve(0, nonce(500)).unwrap_err().refusal, Refusal::NonceAlreadyUsed);
    }
}
