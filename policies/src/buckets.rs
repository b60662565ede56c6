//! Budgets: what may be used up in a time, whatever is asked.
//!
//! Guarantees: a budget is empty at boot, refills with monotonic time alone and never gets anything back, so that in
//! any time T at most its capacity and T's refill are used, over restarts and whatever the wall clock says. Time is
//! told in whole milliseconds since boot; a step back of it counts as standing still. All budgets are asked before
//! any is charged; a payload that one of them refuses charges none.
//! Refuses: what a budget does not hold, [`Refusal::MarketTableFull`].
//!
//! An operator may open a budget, which fills it once in a boot: then its capacity comes on top, once.

use book::{Book, Bucket, Counts, Orders, Per, SLOTS_MAX};
use venues::{Exposure, Exposures};
use wire::{Refusal, Shown, Venue, Why};

use crate::Asker;
use crate::level::Level;
use crate::market_levels::MarketLevels;

/// Most clients that a budget per client tells apart.
pub const CLIENTS_MAX: usize = 2 * book::CLIENTS_MAX;

/// Most levels of a budget that is not per market.
const LEVELS_MAX: usize = if CLIENTS_MAX > SLOTS_MAX { CLIENTS_MAX } else { SLOTS_MAX };

/// The levels of one budget of the book.
///
/// They take some 20 KiB, so the caller says where they stand.
#[derive(Clone, Copy, Debug)]
pub struct BucketUsage {
    is_opened: bool,
    levels: [Level; LEVELS_MAX],
    markets: MarketLevels,
}

impl BucketUsage {
    /// Empty, as at boot.
    pub const EMPTY: Self =
        Self { is_opened: false, levels: [Level::EMPTY; LEVELS_MAX], markets: MarketLevels::EMPTY };
}

/// What a payload asks of the budgets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) venue: Venue,
    pub(crate) asker: Asker,
    /// The asker's place among the slots of the book.
    pub(crate) slot_index: usize,
    pub(crate) exposures: &'a Exposures,
}

/// The most that one budget was charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charged {
    pub(crate) orders: Option<u64>,
    pub(crate) notional_micro_usd: Option<u64>,
}

/// Whether any budget of the book needs to know what a payload puts at stake.
pub(crate) fn needs_exposures(book: &Book<'_>, venue: Venue, asker: Asker) -> bool {
    book.buckets.iter().any(|bucket| bucket.counts != Counts::Requests && concerns(bucket, venue, asker))
}

/// Whether each budget that the payload concerns has what it wants. Changes nothing.
pub(crate) fn check(
    book: &Book<'_>,
    usages: &[BucketUsage],
    wanted: Wanted<'_>,
    now_ms: u64,
) -> Result<(), Why> {
    for (index, bucket) in book.buckets.iter().enumerate() {
        if !concerns(bucket, wanted.venue, wanted.asker) {
            continue;
        }
        let usage = usages.get(index);
        if is_per_market(bucket) {
            let markets = usage.map_or(&MarketLevels::EMPTY, |usage| &usage.markets);
            markets.check(bucket, index, wanted.exposures.entries(), now_ms)?;
            continue;
        }
        let level = usage.and_then(|usage| usage.levels.get(place(bucket, wanted)));
        // Who has no level has nothing.
        let available = level.map_or(0, |level| level.available(bucket, now_ms));
        let amount = total(bucket, wanted.exposures.entries());
        if amount > available.into() {
            return Err(spent(bucket, index, amount, available));
        }
    }
    Ok(())
}

/// Charges what [`check`] has allowed, at the same time.
pub(crate) fn charge(
    book: &Book<'_>,
    usages: &mut [BucketUsage],
    wanted: Wanted<'_>,
    now_ms: u64,
) -> Charged {
    let mut charged = Charged::default();
    for (bucket, usage) in book.buckets.iter().zip(usages) {
        if !concerns(bucket, wanted.venue, wanted.asker) {
            continue;
        }
        let entries = wanted.exposures.entries();
        let amount = if is_per_market(bucket) {
            usage.markets.take(bucket, entries, now_ms)
        } else {
            let amount = u64::try_from(total(bucket, entries)).unwrap_or(u64::MAX);
            if let Some(level) = usage.levels.get_mut(place(bucket, wanted)) {
                level.take(bucket, now_ms, amount);
            }
            amount
        };
        let most = match bucket.counts {
            Counts::Requests => continue,
            Counts::Orders => &mut charged.orders,
            Counts::Notional => &mut charged.notional_micro_usd,
        };
        *most = Some(most.unwrap_or(0).max(amount));
    }
    charged
}

/// Fills every level of a budget, once in a boot.
pub(crate) fn open(
    book: &Book<'_>,
    usages: &mut [BucketUsage],
    index: usize,
    now_ms: u64,
) -> Result<(), Why> {
    let shown = Shown::size(index);
    let Some((bucket, usage)) = book.buckets.get(index).zip(usages.get_mut(index)) else {
        return Err(Why::new(Refusal::BucketNotInBook).observed(shown));
    };
    if usage.is_opened {
        return Err(Why::new(Refusal::BudgetAlreadyOpened).observed(shown));
    }
    usage.is_opened = true;
    usage.levels = [Level::full(bucket, now_ms); LEVELS_MAX];
    usage.markets.fill(bucket, now_ms);
    Ok(())
}

/// What a budget counts of an exposure, in its unit.
pub(crate) fn amount(bucket: &Bucket<'_>, exposure: &Exposure) -> u128 {
    let is_counted = match bucket.orders {
        Orders::All => true,
        Orders::PostOnly => exposure.is_post_only,
        Orders::Taking => !exposure.is_post_only,
    };
    match bucket.counts {
        _ if !is_counted => 0,
        Counts::Requests => 0,
        Counts::Orders => exposure.orders.into(),
        Counts::Notional => exposure.notional_micro_usd,
    }
}

/// The refusal of a budget that holds less than is wanted.
pub(crate) fn spent(bucket: &Bucket<'_>, index: usize, wanted: u128, available: u64) -> Why {
    let (refusal, scale) = match bucket.counts {
        Counts::Requests => (Refusal::RequestBudgetSpent, 0),
        Counts::Orders => (Refusal::OrderBudgetSpent, 0),
        Counts::Notional => (Refusal::NotionalBudgetSpent, USD_DECIMALS),
    };
    let shown = |units| Shown::Decimal { units, scale };
    Why::new(refusal).observed(shown(wanted)).limit(shown(available.into())).subject(index)
}

/// Amounts are micro-USD and shown in USD.
const USD_DECIMALS: u8 = 6;

fn concerns(bucket: &Bucket<'_>, venue: Venue, asker: Asker) -> bool {
    bucket.venues.allows(&(venue as u8))
        && bucket.keys.allows(&asker.key_slot)
        && bucket.clients.allows(&asker.party)
}

/// The compiler refuses a budget of requests per market: a request is of no market.
fn is_per_market(bucket: &Bucket<'_>) -> bool {
    bucket.per == Per::Market && bucket.counts != Counts::Requests
}

fn total(bucket: &Bucket<'_>, exposures: &[Exposure]) -> u128 {
    if bucket.counts == Counts::Requests {
        return 1;
    }
    exposures.iter().fold(0, |sum, exposure| sum.saturating_add(amount(bucket, exposure)))
}

fn place(bucket: &Bucket<'_>, wanted: Wanted<'_>) -> usize {
    match bucket.per {
        Per::Desk | Per::Market => 0,
        Per::Client => wanted.asker.client.into(),
        Per::Key => wanted.slot_index,
    }
}

#[cfg(test)]
#[path = "buckets_tests.rs"]
mod tests;

/// Budgets that tests start from.
#[cfg(test)]
pub(crate) mod samples {
    use book::{Bucket, Counts, Orders, Per};
    use venues::book_value::AnyOr;

    pub(crate) const fn bucket() -> Bucket<'static> {
        Bucket {
            name: "sample",
            counts: Counts::Notional,
            per: Per::Desk,
            orders: Orders::All,
            venues: AnyOr::Any,
            keys: AnyOr::Any,
            clients: AnyOr::Any,
            capacity: 1_000,
            refill: 100,
            refill_ms: 10,
        }
    }
}
