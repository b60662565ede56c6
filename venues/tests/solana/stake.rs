//! What messages and Swift texts put at stake: the measure of budgets. Figures are micro-USD, worked out by hand.

use venues::solana::rules::{
    CollateralLimits, Limits, MarketKind, MarketLimits, ModifyLimits, Program, ProgramLimits, WithdrawLimits,
};
use venues::solana::{
    self, Direction, IsolatedDeposit, ModifyOrderParams, Movement, OrderParams, OrderType, PostOnly,
    SwiftOrder, TriggerOrder, decode_swift,
};
use venues::{Effect, Exposure, Exposures, Market, Payload};
use wire::{Refusal, Shown, Venue, Why};

use crate::draft::{
    self, DEPOSIT, Draft, MARKET, MODIFICATION, ORDER, PAYER, TOKENS, VAULT, WITHDRAW, cancel,
    encode_order_of, modify, movement, place, place_and_take, place_orders, place_spot, settle, unit_limit,
    unit_price,
};
use crate::judgement::{MARKET_LIMITS, PROGRAM};
use crate::lines::payload;
use crate::swift::{self, TEXT};

/// 2 contracts at a limit of 150 dollars.
const BUY: OrderParams = OrderParams { base: 2_000_000_000, price: 150_000_000, ..ORDER };

/// A perpetual with a collar of 100 to 300 dollars.
const PERP: MarketLimits = MarketLimits {
    base_max: 10_000_000_000,
    price_min: 100_000_000,
    price_max: 300_000_000,
    unpriced: true,
    oracle_offset_max: Some(1_000_000),
    ..MARKET_LIMITS
};

/// A spot market of a token with 6 decimals, collar 1 to 2 dollars, under the same index.
const SPOT: MarketLimits = MarketLimits {
    kind: MarketKind::Spot,
    base_decimals: 6,
    price_min: 1_000_000,
    price_max: 2_000_000,
    ..PERP
};

/// A token with 6 decimals, at most 1.01 dollars.
const TOKEN: CollateralLimits<'_> = CollateralLimits {
    market_index: 3,
    account: MARKET,
    vault: VAULT,
    decimals: 6,
    usd_max: Some(1_010_000),
    deposit_max: Some(u64::MAX),
    withdraw: Some(WithdrawLimits { amount_max: u64::MAX, destinations: &[TOKENS], borrow: true }),
};

const BOOK: ProgramLimits<'_> =
    ProgramLimits { markets: &[PERP, SPOT], collateral: &[TOKEN], swift: swift::GRANTED.swift, ..PROGRAM };

fn limits<'b>(programs: &'b [ProgramLimits<'b>]) -> Limits<'b> {
    Limits { programs, priority_fee_max: u128::MAX, placements_max: 9, orders_max: 99 }
}

fn exposed_by(program: ProgramLimits<'_>, draft: &Draft) -> Result<Vec<Exposure>, Why> {
    let payload = payload(&draft.encode(), &[]);
    let mut exposures = Exposures::EMPTY;
    solana::decode(&payload).unwrap().expose(&limits(&[program]), &[], &mut exposures)?;
    Ok(exposures.entries().to_vec())
}

fn exposed(instructions: Vec<(u8, Vec<u8>, Vec<u8>)>) -> Vec<Exposure> {
    exposed_by(BOOK, &Draft::new(instructions)).unwrap()
}

fn market(program: Program, kind: MarketKind, index: u16) -> Market {
    let mut id = [0; 32];
    id[28..].copy_from_slice(&[program as u8, kind as u8, index.to_be_bytes()[0], index.to_be_bytes()[1]]);
    Market { venue: Venue::Solana, id }
}

fn stake(kind: MarketKind, is_post_only: bool, orders: u32, notional_micro_usd: u128) -> Exposure {
    Exposure { market: market(Program::DriftV2, kind, 3), is_post_only, orders, notional_micro_usd }
}

fn perp(orders: u32, notional_micro_usd: u128) -> Vec<Exposure> {
    vec![stake(MarketKind::Perp, false, orders, notional_micro_usd)]
}

fn funds(notional_micro_usd: u128) -> Vec<Exposure> {
    let market = Market::funds(Venue::Solana);
    vec![Exposure { market, is_post_only: false, orders: 1, notional_micro_usd }]
}

#[test]
fn an_order_is_worth_its_base_at_the_highest_price_it_can_trade_at() {
    let (limit, top) = (300_000_000, 600_000_000);
    for (order, micro_usd) in [
        (BUY, limit),
        (OrderParams { order_type: OrderType::Market, ..BUY }, limit),
        (OrderParams { order_type: OrderType::TriggerLimit, trigger_price: Some(200_000_000), ..BUY }, limit),
        (OrderParams { reduce_only: true, ..BUY }, limit),
        (OrderParams { auction_start_price: Some(140_000_000), ..BUY }, limit),
        (OrderParams { auction_start_price: Some(-1), ..BUY }, limit),
        (OrderParams { auction_end_price: Some(160_000_000), ..BUY }, 320_000_000),
        (OrderParams { direction: Direction::Short, ..BUY }, top),
        (OrderParams { price: 0, ..BUY }, top),
        (OrderParams { price: 0, oracle_price_offset: Some(-1_000_000), ..BUY }, top),
        (OrderParams { oracle_price_offset: Some(0), ..BUY }, top),
        (OrderParams { order_type: OrderType::Oracle, ..BUY }, top),
        (OrderParams { order_type: OrderType::TriggerMarket, trigger_price: Some(200_000_000), ..BUY }, top),
        (OrderParams { base: 0, ..BUY }, 0),
        // 10^-9 of a contract at 10^-6 dollars: less than a micro-USD counts as one.
        (OrderParams { base: 1, price: 1, ..BUY }, 1),
        // 1.000000001 contracts at 1.000001 dollars: 1,000,001.001000001 micro-USD.
        (OrderParams { base: 1_000_000_001, price: 1_000_001, ..BUY }, 1_000_002),
        (OrderParams { base: u64::MAX, price: u64::MAX, ..BUY }, 340_282_366_920_938_463_426_481_119_285),
    ] {
        assert_eq!(exposed(vec![place(&order)]), perp(1, micro_usd), "{order:?}");
        assert_eq!(exposed(vec![place_and_take(&order)]), perp(1, micro_usd), "{order:?}");
    }
}

#[test]
fn orders_add_up_by_market_and_only_limit_orders_that_never_take_are_post_only() {
    let maker = OrderParams { post_only: PostOnly::MustPostOnly, ..BUY };
    for post_only in [PostOnly::MustPostOnly, PostOnly::TryPostOnly, PostOnly::Slide] {
        let order = OrderParams { post_only, ..BUY };
        assert_eq!(exposed(vec![place(&order)]), [stake(MarketKind::Perp, true, 1, 300_000_000)]);
        let other = OrderParams { order_type: OrderType::Oracle, ..order };
        assert_eq!(exposed(vec![place(&other)]), perp(1, 600_000_000));
        let never_rests = OrderParams { bit_flags: 1, ..order };
        assert_eq!(exposed(vec![place(&never_rests)]), perp(1, 300_000_000));
    }
    // 3 tokens of 10^-6 at 1.5 dollars.
    let spot = OrderParams { market_kind: MarketKind::Spot, base: 3_000_000, price: 1_500_000, ..ORDER };
    assert_eq!(exposed(vec![place_spot(&spot)]), [stake(MarketKind::Spot, false, 1, 4_500_000)]);
    let sell = OrderParams { direction: Direction::Short, ..spot };
    let all = exposed(vec![place_orders(&[BUY, maker, BUY, sell]), place(&BUY)]);
    assert_eq!(
        all,
        [
            stake(MarketKind::Perp, false, 3, 900_000_000),
            stake(MarketKind::Perp, true, 1, 300_000_000),
            stake(MarketKind::Spot, false, 1, 6_000_000),
        ]
    );
}

#[test]
fn the_same_index_of_the_other_program_is_another_market() {
    let velocity = ProgramLimits { program: Program::VelocityV1, ..BOOK };
    let data = encode_order_of(Program::VelocityV1, &BUY);
    let exposed = exposed_by(velocity, &draft::velocity("45a15dca787e4cb9", &data)).unwrap();
    assert_eq!(exposed[0].market, market(Program::VelocityV1, MarketKind::Perp, 3));
    assert_eq!((exposed.len(), exposed[0].notional_micro_usd), (1, 300_000_000));
}

#[test]
fn cancels_settling_and_priority_fees_put_nothing_at_stake() {
    assert_eq!(exposed(vec![unit_limit(1_400_000), unit_price(1_000_000), cancel()]), []);
    assert_eq!(exposed(vec![settle(3)]), []);
    assert_eq!(exposed(vec![unit_price(1_000_000), cancel(), place(&BUY)]), perp(1, 300_000_000));
}

#[test]
fn a_modification_stands_on_every_market_at_the_top_of_its_collar() {
    let stated = ModifyOrderParams { base: Some(2_000_000), price: Some(150_000_000), ..MODIFICATION };
    // 0.002 contracts at 300 dollars, or 2 tokens at 2 dollars.
    assert_eq!(
        exposed(vec![modify(&stated)]),
        [stake(MarketKind::Perp, false, 1, 600_000), stake(MarketKind::Spot, false, 1, 4_000_000)]
    );
    let wide =
        ModifyLimits { base_max: u64::MAX, price_min: 1, price_max: u64::MAX, unpriced: true, partial: true };
    let book = ProgramLimits { modify: Some(wide), ..BOOK };
    for partial in [
        MODIFICATION,
        ModifyOrderParams { base: None, ..stated },
        ModifyOrderParams { price: None, ..stated },
    ] {
        let why = exposed_by(book, &Draft::new(vec![unit_limit(1), modify(&partial)])).unwrap_err();
        assert_eq!((why.refusal, why.subject), (Refusal::ModificationPartial, Some(1)));
    }
}

#[test]
fn deposits_and_withdrawals_are_worth_what_their_entry_says() {
    for discriminator in [DEPOSIT, WITHDRAW] {
        for (amount, micro_usd) in
            [(0, 0), (1, 2), (1_000_000, 1_010_000), (u64::MAX, 18_631_211_514_446_647_132)]
        {
            let draft = movement(discriminator, Movement { market_index: 3, amount, reduce_only: true });
            assert_eq!(exposed_by(BOOK, &draft), Ok(funds(micro_usd)), "{amount}");
        }
        let draft = movement(discriminator, Movement { market_index: 3, amount: 1, reduce_only: true });
        let without = ProgramLimits { collateral: &[CollateralLimits { usd_max: None, ..TOKEN }], ..BOOK };
        let why = exposed_by(without, &draft).unwrap_err();
        assert_eq!((why.refusal, why.observed), (Refusal::TokenHasNoValue, Shown::uint(3)));
    }
}

fn swift_exposed(order: &SwiftOrder) -> Vec<Exposure> {
    let mut exposures = Exposures::EMPTY;
    let text = swift::text(order);
    decode_swift(&text).unwrap().expose(&limits(&[BOOK]), &[], &mut exposures).unwrap();
    exposures.entries().to_vec()
}

#[test]
fn a_swift_text_counts_its_order_what_closes_it_and_its_deposit() {
    let text = SwiftOrder { order: BUY, ..TEXT };
    assert_eq!(swift_exposed(&text), perp(1, 300_000_000));
    let trigger = |base| Some(TriggerOrder { trigger_price: 200_000_000, base });
    let closed =
        SwiftOrder { take_profit: trigger(1_000_000_000), stop_loss: trigger(2_000_000_000), ..text };
    assert_eq!(swift_exposed(&closed), perp(3, 300_000_000 + 300_000_000 + 600_000_000));
    let deposit = SwiftOrder { isolated_deposit: IsolatedDeposit::Amount(5_000_001), ..text };
    assert_eq!(swift_exposed(&deposit), [perp(1, 300_000_000), funds(5_000_001)].concat());
}

#[test]
fn a_swift_text_reduces_when_its_order_does_and_nothing_else_is_asked() {
    let reducing =
        SwiftOrder { order: OrderParams { reduce_only: true, ..BUY }, builder_idx: Some(1), ..TEXT };
    let trigger = Some(TriggerOrder { trigger_price: 200_000_000, base: 1 });
    for (order, expected) in [
        (reducing, Effect::Reduces),
        (SwiftOrder { isolated_deposit: IsolatedDeposit::LeftOut, ..reducing }, Effect::Reduces),
        (SwiftOrder { take_profit: trigger, stop_loss: trigger, ..reducing }, Effect::Reduces),
        (SwiftOrder { order: BUY, ..reducing }, Effect::Opens),
        (SwiftOrder { order: OrderParams { bit_flags: 1, ..reducing.order }, ..reducing }, Effect::Reduces),
        (SwiftOrder { order: OrderParams { bit_flags: 2, ..reducing.order }, ..reducing }, Effect::Opens),
        (SwiftOrder { max_margin_ratio: Some(1), ..reducing }, Effect::Opens),
        (SwiftOrder { isolated_deposit: IsolatedDeposit::Amount(0), ..reducing }, Effect::Opens),
    ] {
        assert_eq!(decode_swift(&swift::text(&order)).unwrap().effect(&PAYER), expected, "{order:?}");
    }
}
