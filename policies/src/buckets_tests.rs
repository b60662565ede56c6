//! Budgets against a model that has no bounds, and against what they promise of any window of time.

extern crate std;

use std::collections::HashMap;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;
use venues::book_value::AnyOr;
use venues::{Market, PublicKey, U256};

use super::samples::bucket;
use super::*;
use crate::market_levels::MARKETS_MAX;
use book::{BOOK_VERSION, BootMode, ReceiptMode, Receipts, Slot};
use venues::Grants;

/// A book with these budgets and as many slots as given, numbered 0, 10, 20...
fn book(buckets: Vec<Bucket<'static>>, slots: u16) -> Book<'static> {
    let slot = |index: u16| Slot {
        slot: 10 * index,
        name: "slot",
        expires_ms: None,
        public_key: PublicKey::Ed25519 { key: [1; 32] },
        grants: Grants::NONE,
    };
    Book {
        version: BOOK_VERSION,
        desk: "desk",
        boot_mode: BootMode::Live,
        operators: &[],
        host: None,
        receipts: Receipts { mode: ReceiptMode::Client, unacknowledged_max: 0 },
        clients: &[],
        roles: &[],
        values: &[],
        buckets: buckets.leak(),
        slots: (0..slots).map(slot).collect::<Vec<_>>().leak(),
    }
}

/// One request: what it wants and when.
#[derive(Clone, Debug)]
struct Ask {
    venue: Venue,
    client: u16,
    slot_index: u16,
    entries: Vec<(u64, bool, u128)>,
}

impl Ask {
    fn of(entries: &[(u64, bool, u128)]) -> Self {
        Self { venue: Venue::Hyperliquid, client: 0, slot_index: 0, entries: entries.to_vec() }
    }

    fn exposures(&self) -> Exposures {
        let mut exposures = Exposures::EMPTY;
        for (market, is_post_only, notional) in &self.entries {
            exposures.add(Market::number(self.venue, *market), *is_post_only, *notional).unwrap();
        }
        exposures
    }
}

/// The budgets of one boot.
struct Boot<'b> {
    book: &'b Book<'static>,
    usages: Vec<BucketUsage>,
}

impl<'b> Boot<'b> {
    fn new(book: &'b Book<'static>) -> Self {
        Self { book, usages: vec![BucketUsage::EMPTY; book.buckets.len()] }
    }

    fn ask(&mut self, ask: &Ask, now_ms: u64) -> Result<Charged, Why> {
        let exposures = ask.exposures();
        let asker = Asker { client: ask.client, party: ask.client, key_slot: 10 * ask.slot_index };
        let wanted =
            Wanted { venue: ask.venue, asker, slot_index: ask.slot_index.into(), exposures: &exposures };
        check(self.book, &self.usages, wanted, now_ms)?;
        Ok(charge(self.book, &mut self.usages, wanted, now_ms))
    }
}

/// Who has a level in the model.
type Holder = (usize, Option<Market>, u64);

/// The same budgets with levels for everybody, in 256 bits.
struct Model<'b> {
    book: &'b Book<'static>,
    levels: HashMap<Holder, (U256, u64)>,
}

impl Model<'_> {
    fn level(&self, holder: &Holder, now_ms: u64) -> U256 {
        let bucket = &self.book.buckets[holder.0];
        let (level, at) = self.levels.get(holder).copied().unwrap_or((U256::ZERO, 0));
        let brought = U256::from(bucket.refill) * U256::from(now_ms - at);
        (level + brought).min(U256::from(bucket.capacity) * U256::from(bucket.refill_ms))
    }

    fn wants(&self, ask: &Ask) -> Vec<(Holder, U256)> {
        let mut wants: Vec<(Holder, U256)> = Vec::new();
        for (index, bucket) in self.book.buckets.iter().enumerate() {
            let key_slot = 10 * ask.slot_index;
            if !bucket.venues.allows(&(ask.venue as u8)) || !bucket.keys.allows(&key_slot) {
                continue;
            }
            let own = match bucket.per {
                Per::Client => ask.client.into(),
                Per::Key => ask.slot_index.into(),
                Per::Desk | Per::Market => 0,
            };
            if bucket.counts == Counts::Requests {
                wants.push(((index, None, own), U256::ONE));
                continue;
            }
            for (market, is_post_only, notional) in &ask.entries {
                if bucket.orders == if *is_post_only { Orders::Taking } else { Orders::PostOnly } {
                    continue;
                }
                let market = (bucket.per == Per::Market).then(|| Market::number(ask.venue, *market));
                let amount = if bucket.counts == Counts::Orders { U256::ONE } else { U256::from(*notional) };
                match wants.iter_mut().find(|(holder, _)| *holder == (index, market, own)) {
                    Some((_, sum)) => *sum += amount,
                    None => wants.push(((index, market, own), amount)),
                }
            }
        }
        wants
    }

    /// The index of the first budget that holds too little, and the markets that are not full, if there are too many.
    fn ask(&mut self, ask: &Ask, now_ms: u64) -> Result<(), (Refusal, usize)> {
        let mut wants = self.wants(ask);
        wants.retain(|(_, amount)| !amount.is_zero());
        for index in 0..self.book.buckets.len() {
            let bucket = &self.book.buckets[index];
            let scale = U256::from(bucket.refill_ms);
            let mine = || wants.iter().filter(|((of, ..), _)| *of == index);
            if mine().any(|(holder, amount)| *amount * scale > self.level(holder, now_ms)) {
                let refusal = match bucket.counts {
                    Counts::Requests => Refusal::RequestBudgetSpent,
                    Counts::Orders => Refusal::OrderBudgetSpent,
                    Counts::Notional => Refusal::NotionalBudgetSpent,
                };
                return Err((refusal, index));
            }
            if bucket.per == Per::Market && self.places_after(index, &wants, now_ms) > MARKETS_MAX {
                return Err((Refusal::MarketTableFull, index));
            }
        }
        for (holder, amount) in wants {
            let scale = U256::from(self.book.buckets[holder.0].refill_ms);
            let level = self.level(&holder, now_ms) - amount * scale;
            self.levels.insert(holder, (level, now_ms));
        }
        Ok(())
    }

    /// How many markets were charged and are not full, or are wanted.
    fn places_after(&self, index: usize, wants: &[(Holder, U256)], now_ms: u64) -> usize {
        let bucket = &self.book.buckets[index];
        let full = U256::from(bucket.capacity) * U256::from(bucket.refill_ms);
        let is_wanted = |holder: &Holder| wants.iter().any(|(wanted, _)| wanted == holder);
        let charged = self.levels.keys().filter(|holder| holder.0 == index);
        let not_full = charged.filter(|holder| self.level(holder, now_ms) < full && !is_wanted(holder));
        not_full.count()
            + wants.iter().filter(|((of, market, _), _)| *of == index && market.is_some()).count()
    }
}

fn a_bucket() -> impl Strategy<Value = Bucket<'static>> {
    let counts = prop_oneof![Just(Counts::Orders), Just(Counts::Notional), Just(Counts::Requests)];
    let per = prop_oneof![Just(Per::Desk), Just(Per::Client), Just(Per::Key), Just(Per::Market)];
    let orders = prop_oneof![Just(Orders::All), Just(Orders::PostOnly), Just(Orders::Taking)];
    let venues = prop_oneof![Just(AnyOr::Any), Just(AnyOr::Listed(&[4_u8][..]))];
    let keys = prop_oneof![Just(AnyOr::Any), Just(AnyOr::Listed(&[0_u16, 20][..]))];
    let numbers = (1_u64..40, 1_u64..20, 1_u32..30);
    (counts, per, orders, venues, keys, numbers).prop_map(
        |(counts, per, orders, venues, keys, (capacity, refill, refill_ms))| {
            // What the compiler refuses.
            let per = if counts == Counts::Requests && per == Per::Market { Per::Desk } else { per };
            Bucket { counts, per, orders, venues, keys, capacity, refill, refill_ms, ..bucket() }
        },
    )
}

fn an_ask(markets: u64, entries_max: usize) -> impl Strategy<Value = Ask> {
    let venue = prop_oneof![Just(Venue::Hyperliquid), Just(Venue::Solana)];
    let entry = (0..markets, any::<bool>(), prop_oneof![8 => 0_u128..12, 1 => Just(u128::from(u64::MAX))]);
    (venue, 0_u16..3, 0_u16..3, prop::collection::vec(entry, 0..entries_max))
        .prop_map(|(venue, client, slot_index, entries)| Ask { venue, client, slot_index, entries })
}

proptest! {
    #[test]
    fn budgets_answer_like_a_model_without_bounds(
        buckets in prop::collection::vec(a_bucket(), 0..6),
        asks in prop::collection::vec((0_u64..30, an_ask(5, 5)), 0..60),
    ) {
        let book = book(buckets, 3);
        let (mut boot, mut model) = (Boot::new(&book), Model { book: &book, levels: HashMap::new() });
        let mut now = 0;
        for (step, ask) in asks {
            now += step;
            let answer = boot.ask(&ask, now);
            let refused = answer.as_ref().err().map(|why| (why.refusal, usize::from(why.subject.unwrap())));
            prop_assert_eq!(refused, model.ask(&ask, now).err());
        }
    }

    #[test]
    fn a_full_market_that_loses_its_place_is_told_apart_from_an_untouched_one_by_nothing(
        (capacity, refill) in (1_u64..12, 1_u64..6),
        asks in prop::collection::vec((0_u64..3, an_ask(400, 10)), 300..500),
    ) {
        // Slow enough that more than 256 markets can be under way, and fast enough that places come back.
        let buckets = vec![
            Bucket { per: Per::Market, counts: Counts::Orders, capacity, refill, refill_ms: 150, ..bucket() },
        ];
        let book = book(buckets, 3);
        let (mut boot, mut model) = (Boot::new(&book), Model { book: &book, levels: HashMap::new() });
        let mut now = 2_000;
        for (step, ask) in asks {
            now += step;
            let answer = boot.ask(&ask, now).map(drop).map_err(|why| (why.refusal, 0));
            prop_assert_eq!(answer, model.ask(&ask, now));
        }
    }

    #[test]
    fn in_no_window_is_more_used_than_the_capacity_and_what_came_back(
        bucket in a_bucket(),
        events in prop::collection::vec((0_u64..40, prop::option::weighted(0.9, an_ask(3, 4))), 0..120),
    ) {
        let book = book(vec![bucket], 3);
        let bucket = book.buckets[0];
        let mut boot = Boot::new(&book);
        let (mut now, mut booted) = (0, 0);
        let mut used: HashMap<Holder, Vec<(u64, U256)>> = HashMap::new();
        for (step, event) in events {
            now += step;
            let Some(ask) = event else {
                (boot, booted) = (Boot::new(&book), now);
                continue;
            };
            if boot.ask(&ask, now - booted).is_ok() {
                for (holder, amount) in (Model { book: &book, levels: HashMap::new() }).wants(&ask) {
                    used.entry(holder).or_default().push((now, amount));
                }
            }
        }
        for uses in used.values() {
            for (first, (from, _)) in uses.iter().enumerate() {
                let mut sum = U256::ZERO;
                for (to, amount) in &uses[first..] {
                    sum += *amount;
                    let came_back = U256::from(bucket.refill) * U256::from(to - from);
                    let bound = U256::from(bucket.capacity) * U256::from(bucket.refill_ms) + came_back;
                    prop_assert!(sum * U256::from(bucket.refill_ms) <= bound);
                }
            }
        }
    }

    #[test]
    fn a_payload_that_one_budget_refuses_charges_none(
        buckets in prop::collection::vec(a_bucket(), 1..6),
        asks in prop::collection::vec((0_u64..30, an_ask(5, 5)), 0..60),
    ) {
        // The same budgets with one behind them that refuses every second payload, and a run without those payloads.
        let narrow = Bucket { capacity: 1, refill: 1, refill_ms: u32::MAX, counts: Counts::Orders, ..bucket() };
        let open = book(buckets.clone(), 3);
        let closed = book(buckets.into_iter().chain([narrow]).collect(), 3);
        let (mut open_boot, mut closed_boot) = (Boot::new(&open), Boot::new(&closed));
        let mut now = 0;
        for (at, (step, ask)) in asks.iter().enumerate() {
            now += step;
            let is_refused = at % 2 == 0 && !ask.entries.is_empty();
            let answer = if is_refused {
                let answer = closed_boot.ask(ask, now);
                prop_assert!(answer.is_err());
                continue;
            } else {
                let ask = Ask { entries: vec![], ..ask.clone() };
                (closed_boot.ask(&ask, now).map(drop), open_boot.ask(&ask, now).map(drop))
            };
            prop_assert_eq!(answer.0, answer.1);
        }
        for (bucket, (open, closed)) in open.buckets.iter().zip(open_boot.usages.iter().zip(&closed_boot.usages)) {
            for (open, closed) in open.levels.iter().zip(&closed.levels) {
                prop_assert_eq!(open.available(bucket, now), closed.available(bucket, now));
            }
        }
    }
}

#[test]
fn a_bucket_is_empty_at_boot_and_fills_with_time() {
    let book = book(vec![bucket()], 1);
    let mut boot = Boot::new(&book);
    let ask = Ask::of(&[(1, false, 100)]);
    let why = boot.ask(&ask, 9).unwrap_err();
    let usd = |units| Shown::Decimal { units, scale: 6 };
    assert_eq!((why.refusal, why.observed, why.limit), (Refusal::NotionalBudgetSpent, usd(100), usd(90)));
    assert_eq!(why.subject, Some(0));
    let charged = boot.ask(&ask, 10).unwrap();
    assert_eq!(charged, Charged { orders: None, notional_micro_usd: Some(100) });
    assert!(boot.ask(&ask, 10).is_err());
}

#[test]
fn twenty_restarts_gain_nothing() {
    let book =
        book(vec![Bucket { counts: Counts::Orders, capacity: 5, refill: 1, refill_ms: 10, ..bucket() }], 1);
    let ask = Ask::of(&[(1, false, 0)]);
    let orders_until = |boots: u64, until_ms: u64| {
        let boot_ms = until_ms / boots;
        let mut orders = 0;
        for _ in 0..boots {
            let mut boot = Boot::new(&book);
            orders += (0..boot_ms).filter(|now| boot.ask(&ask, *now).is_ok()).count();
        }
        orders
    };
    assert_eq!(orders_until(1, 1_000), 99);
    assert!(orders_until(20, 1_000) <= 99);
    assert_eq!(orders_until(100, 1_000), 0);
}

#[test]
fn a_budget_is_opened_once_in_a_boot_and_is_full_then() {
    for per in [Per::Desk, Per::Client, Per::Key, Per::Market] {
        let book = book(vec![Bucket { per, ..bucket() }], 1);
        let mut boot = Boot::new(&book);
        let all = Ask::of(&[(1, false, 1_000)]);
        assert!(boot.ask(&all, 0).is_err());
        assert_eq!(open(&book, &mut boot.usages, 0, 0), Ok(()));
        boot.ask(&all, 0).unwrap();
        let opened =
            |boot: &mut Boot<'_>, index| open(&book, &mut boot.usages, index, 5).map_err(|why| why.refusal);
        assert_eq!(opened(&mut boot, 0), Err(Refusal::BudgetAlreadyOpened));
        assert!(boot.ask(&all, 5).is_err(), "the second opening filled nothing");
        assert_eq!(opened(&mut boot, 1), Err(Refusal::BucketNotInBook));
    }
}

#[test]
fn a_client_or_key_without_a_level_has_nothing() {
    for per in [Per::Client, Per::Key] {
        let book = book(vec![Bucket { per, ..bucket() }], 1);
        let mut boot = Boot::new(&book);
        let stranger = Ask { client: 128, slot_index: 128, ..Ask::of(&[(1, false, 1)]) };
        let why = boot.ask(&stranger, 1_000_000).unwrap_err();
        assert_eq!(
            (why.refusal, why.limit),
            (Refusal::NotionalBudgetSpent, Shown::Decimal { units: 0, scale: 6 })
        );
    }
}

#[test]
fn a_budget_of_some_clients_charges_nobody_else() {
    let book = book(vec![Bucket { clients: AnyOr::Listed(&[1, 3]), ..bucket() }], 1);
    let mut boot = Boot::new(&book);
    let of = |client| Ask { client, ..Ask::of(&[(1, false, 600)]) };
    assert_eq!(boot.ask(&of(0), 100).unwrap().notional_micro_usd, None);
    assert_eq!(boot.ask(&of(1), 100).unwrap().notional_micro_usd, Some(600));
    assert_eq!(boot.ask(&of(3), 100).unwrap_err().refusal, Refusal::NotionalBudgetSpent);
    assert_eq!(boot.ask(&of(2), 100).unwrap().notional_micro_usd, None);
}

#[test]
fn the_257th_market_is_refused_until_one_is_full_again() {
    let slow = Bucket { per: Per::Market, capacity: 10, refill: 1, refill_ms: 100, ..bucket() };
    let book = book(vec![slow], 1);
    let mut boot = Boot::new(&book);
    let now = 1_000;
    for market in 0..MARKETS_MAX as u64 {
        boot.ask(&Ask::of(&[(market, false, if market == 9 { 1 } else { 5 })]), now).unwrap();
    }
    let one_more = Ask::of(&[(1_000, false, 10)]);
    let why = boot.ask(&one_more, now).unwrap_err();
    assert_eq!((why.refusal, why.limit), (Refusal::MarketTableFull, Shown::size(MARKETS_MAX)));
    assert_eq!(why.subject, Some(0));
    boot.ask(&Ask::of(&[(7, false, 5)]), now).unwrap();
    let both = Ask::of(&[(9, false, 1), (1_000, false, 1)]);
    assert_eq!(boot.ask(&both, now + 100).unwrap_err().refusal, Refusal::MarketTableFull, "9 is wanted");
    boot.ask(&one_more, now + 100).unwrap();
    assert!(boot.ask(&one_more, now + 100).is_err());
    assert_eq!(
        boot.ask(&Ask::of(&[(9, false, 1)]), now + 100).unwrap_err().refusal,
        Refusal::MarketTableFull
    );
}

#[test]
fn the_largest_amounts_are_refused_and_overflow_nothing() {
    let largest = Bucket { capacity: u64::MAX, refill: u64::MAX, refill_ms: u32::MAX, ..bucket() };
    let book = book(vec![largest, Bucket { per: Per::Market, ..largest }], 1);
    let mut boot = Boot::new(&book);
    let ask = Ask::of(&[(1, false, u128::MAX), (1, true, u128::MAX), (2, false, u128::MAX)]);
    assert_eq!(boot.ask(&ask, u64::MAX).unwrap_err().observed, Shown::Decimal { units: u128::MAX, scale: 6 });
    boot.ask(&Ask::of(&[(1, false, u64::MAX.into())]), u64::MAX).unwrap();
    assert!(boot.ask(&Ask::of(&[(1, false, 1)]), u64::MAX).is_err());
}
