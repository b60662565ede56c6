//! The levels of a budget per market: a bounded table that loses nothing.
//!
//! A market that is not in the table stands where an untouched one stands. No market is ever above that level, so a
//! full level is the untouched one as well, and its place may be given away: the market that had it is told apart
//! from an untouched one by nothing. Only full levels are given away.

use book::Bucket;
use venues::{Exposure, Market};
use wire::{Refusal, Shown, Why};

use crate::buckets::{amount, spent};
use crate::level::Level;

/// How many markets a budget tells apart while none of them is full.
pub(crate) const MARKETS_MAX: usize = 256;

/// The level of each market that was charged and may not be full again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarketLevels {
    untouched: Level,
    levels: [Level; MARKETS_MAX],
    markets: [Option<Market>; MARKETS_MAX],
    /// [`tag`] of each market: 64 bits are compared faster than 33 bytes.
    tags: [u64; MARKETS_MAX],
    used: usize,
}

impl MarketLevels {
    pub(crate) const EMPTY: Self = Self {
        untouched: Level::EMPTY,
        levels: [Level::EMPTY; MARKETS_MAX],
        markets: [None; MARKETS_MAX],
        tags: [0; MARKETS_MAX],
        used: 0,
    };

    /// Fills the level of every market.
    pub(crate) fn fill(&mut self, bucket: &Bucket<'_>, now_ms: u64) {
        self.untouched = Level::full(bucket, now_ms);
        self.used = 0;
    }

    /// Whether each market has what is wanted of it, and a place in the table. Changes nothing.
    ///
    /// # Errors
    /// The budget's refusal at the first market that has less, and [`Refusal::MarketTableFull`].
    pub(crate) fn check(
        &self,
        bucket: &Bucket<'_>,
        index: usize,
        exposures: &[Exposure],
        now_ms: u64,
    ) -> Result<(), Why> {
        let mut new_markets = 0;
        for (market, wanted) in wanted_per_market(bucket, exposures) {
            let place = self.find(&market);
            new_markets += usize::from(place.is_none());
            let level = place.and_then(|at| self.levels.get(at)).unwrap_or(&self.untouched);
            let available = level.available(bucket, now_ms);
            if wanted > available.into() {
                return Err(spent(bucket, index, wanted, available));
            }
        }
        let free = MARKETS_MAX.saturating_sub(self.used);
        let missing = new_markets.saturating_sub(free);
        if self.given_away(bucket, exposures, now_ms).take(missing).count() == missing {
            return Ok(());
        }
        Err(Why::new(Refusal::MarketTableFull).limit(Shown::size(MARKETS_MAX)).subject(index))
    }

    /// Takes what [`MarketLevels::check`] has said is there, and gives its sum. The markets that are in the table come
    /// first, so that none of their places is given away.
    pub(crate) fn take(&mut self, bucket: &Bucket<'_>, exposures: &[Exposure], now_ms: u64) -> u64 {
        let mut sum = 0_u64;
        for is_known in [true, false] {
            for (market, wanted) in wanted_per_market(bucket, exposures) {
                let place = self.find(&market);
                if is_known != place.is_some() {
                    continue;
                }
                let Some(at) = place.or_else(|| self.insert(bucket, market, now_ms)) else { continue };
                let Some(level) = self.levels.get_mut(at) else { continue };
                let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
                level.take(bucket, now_ms, wanted);
                sum = sum.saturating_add(wanted);
            }
        }
        sum
    }

    fn find(&self, market: &Market) -> Option<usize> {
        let tag = tag(market);
        let mut places = self.tags.iter().zip(&self.markets).take(self.used);
        places.position(|(known_tag, known)| *known_tag == tag && known.as_ref() == Some(market))
    }

    /// The places that may be given to markets that have none.
    fn given_away(
        &self,
        bucket: &Bucket<'_>,
        exposures: &[Exposure],
        now_ms: u64,
    ) -> impl Iterator<Item = &Level> {
        let is_wanted = move |market: &Market| {
            exposures.iter().any(|exposure| exposure.market == *market && amount(bucket, exposure) > 0)
        };
        let places = self.levels.iter().zip(&self.markets).take(self.used);
        let given_away = places.filter(move |(level, market)| {
            level.is_full(bucket, now_ms) && !market.as_ref().is_some_and(is_wanted)
        });
        given_away.map(|(level, _)| level)
    }

    /// A place for a market that stands where an untouched one stands: a free one, else one whose level is full.
    fn insert(&mut self, bucket: &Bucket<'_>, market: Market, now_ms: u64) -> Option<usize> {
        let at = if self.used < MARKETS_MAX {
            self.used += 1;
            self.used - 1
        } else {
            self.levels.iter().position(|level| level.is_full(bucket, now_ms))?
        };
        *self.levels.get_mut(at)? = self.untouched;
        *self.markets.get_mut(at)? = Some(market);
        *self.tags.get_mut(at)? = tag(&market);
        Some(at)
    }
}

/// What is wanted of each market of which something is; each market once. At most
/// [`venues::EXPOSURES_MAX`] squared steps.
fn wanted_per_market(bucket: &Bucket<'_>, exposures: &[Exposure]) -> impl Iterator<Item = (Market, u128)> {
    let sum = |market: Market| {
        let same = exposures.iter().filter(move |exposure| exposure.market == market);
        same.fold(0_u128, |sum, exposure| sum.saturating_add(amount(bucket, exposure)))
    };
    let is_first =
        |at: usize, market: &Market| !exposures.iter().take(at).any(|exposure| exposure.market == *market);
    let markets = exposures.iter().enumerate();
    markets
        .filter(move |(at, exposure)| is_first(*at, &exposure.market))
        .map(move |(_, exposure)| (exposure.market, sum(exposure.market)))
        .filter(|(_, wanted)| *wanted > 0)
}

/// A number that differs for most markets that differ: small numbers, addresses and hashes alike.
fn tag(market: &Market) -> u64 {
    let (words, _) = market.id.as_chunks::<8>();
    words.iter().fold(market.venue as u64, |tag, word| tag.rotate_left(13) ^ u64::from_be_bytes(*word))
}
