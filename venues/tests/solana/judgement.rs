//! One row a refusal code of the book, and the orders that it lets through.

use venues::Payload;
use venues::solana::rules::{
    Limits, MarketKind, MarketLimits, ModifyLimits, Program, ProgramLimits, UserAccount,
};
use venues::solana::{self, Direction, ModifyOrderParams, OrderParams, OrderType};
use wire::{Now, Refusal, Shown, Why};

use crate::draft::{
    Draft, MARKET, MODIFICATION, ORDER, PAYER, SIGNER, STATE, STATS, STRANGER, USER, cancel, drift,
    encode_modification_of, modify, place, place_and_take, place_orders, place_spot, settle, unit_limit,
    unit_price,
};
use crate::lines::payload;
use crate::witness::Witness as _;

pub(crate) const MARKET_LIMITS: MarketLimits = MarketLimits {
    kind: MarketKind::Perp,
    index: 3,
    account: MARKET,
    base_decimals: 9,
    base_max: 1_000,
    price_min: 100,
    price_max: 300,
    unpriced: false,
    oracle_offset_max: None,
};

pub(crate) const UNPRICED: MarketLimits =
    MarketLimits { unpriced: true, oracle_offset_max: Some(7), ..MARKET_LIMITS };

const MODIFY: ModifyLimits =
    ModifyLimits { base_max: 2_000, price_min: 100, price_max: 300, unpriced: false, partial: true };

pub(crate) const PROGRAM: ProgramLimits<'_> = ProgramLimits {
    program: Program::DriftV2,
    state: STATE,
    users: &[UserAccount { authority: PAYER, sub_account: 0, user: USER, user_stats: STATS }],
    markets: &[MARKET_LIMITS],
    orders: true,
    modify: Some(MODIFY),
    cancel: true,
    settle_pnl: true,
    order_bits: 1,
    signer: SIGNER,
    builders: None,
    collateral: &[],
    swift: None,
};

pub(crate) const fn limits<'b>(programs: &'b [ProgramLimits<'b>]) -> Limits<'b> {
    Limits { programs, priority_fee_max: 1_400_000_000, placements_max: 1, orders_max: 2 }
}

pub(crate) fn judged_by(program: ProgramLimits<'_>, draft: &Draft, loaded: &[[u8; 32]]) -> Result<(), Why> {
    judged_within(&limits(&[program]), draft, loaded)
}

pub(crate) fn judged_within(limits: &Limits<'_>, draft: &Draft, loaded: &[[u8; 32]]) -> Result<(), Why> {
    let payload = payload(&draft.encode(), loaded);
    let transaction = solana::decode(&payload).unwrap();
    let now = Now { monotonic_ms: 0, wall_ms: 0 };
    transaction
        .judge(limits, &PAYER, now)
        .map(|charge| assert_eq!(charge, venues::Charge::default()))
        .witnessed()
}

fn judged(draft: &Draft) -> Result<(), Why> {
    judged_by(PROGRAM, draft, &[])
}

fn refused(draft: &Draft) -> Why {
    judged(draft).unwrap_err()
}

fn judged_order(order: OrderParams, market: MarketLimits) -> Result<(), Refusal> {
    let program = ProgramLimits { markets: &[market], ..PROGRAM };
    judged_by(program, &Draft::place(order), &[]).map_err(|why| why.refusal)
}

fn judged_modification(params: ModifyOrderParams) -> Result<(), Refusal> {
    judged(&Draft::new(vec![modify(&params)])).map_err(|why| why.refusal)
}

fn changed(change: impl FnOnce(&mut Draft)) -> Draft {
    let mut draft = Draft::place(ORDER);
    change(&mut draft);
    draft
}

#[test]
fn what_the_book_grants_is_let_through() {
    for draft in [
        Draft::place(ORDER),
        Draft::new(vec![place_and_take(&ORDER)]),
        Draft::new(vec![cancel()]),
        Draft::new(vec![settle(3)]),
        Draft::new(vec![unit_limit(1_400_000), unit_price(1_000), cancel(), place(&ORDER)]),
        Draft::new(vec![modify(&ModifyOrderParams { base: Some(1_000), price: Some(100), ..MODIFICATION })]),
        Draft::new(vec![drift("7f4275392832987f", &[1, 0, 0, 0, 3, 0, 1])]),
    ] {
        assert_eq!(judged(&draft), Ok(()), "{draft:?}");
    }
}

#[test]
fn signer_count_not_one() {
    let draft = changed(|draft| draft.header = [2, 0, 5]);
    let why = refused(&draft);
    assert_eq!(
        (why.refusal, why.observed, why.limit),
        (Refusal::SignerCountNotOne, Shown::uint(2), Shown::uint(1))
    );
}

#[test]
fn fee_payer_not_this_key() {
    let why = refused(&changed(|draft| draft.keys[0] = STRANGER));
    assert_eq!(
        (why.refusal, why.observed, why.limit),
        (Refusal::FeePayerNotThisKey, Shown::Key(STRANGER), Shown::Key(PAYER))
    );
}

#[test]
fn program_not_allowed() {
    let why = judged_within(&limits(&[]), &Draft::place(ORDER), &[]).unwrap_err();
    assert_eq!(why.refusal, Refusal::ProgramNotAllowed);
}

#[test]
fn instruction_not_allowed() {
    let none = ProgramLimits { orders: false, modify: None, cancel: false, settle_pnl: false, ..PROGRAM };
    for (instruction, program) in [
        (place(&ORDER), ProgramLimits { orders: true, ..none }),
        (modify(&MODIFICATION), ProgramLimits { modify: Some(MODIFY), ..none }),
        (cancel(), ProgramLimits { cancel: true, ..none }),
        (settle(3), ProgramLimits { settle_pnl: true, ..none }),
    ] {
        let draft = Draft::new(vec![unit_limit(1), instruction]);
        assert_eq!(judged_by(program, &draft, &[]), Ok(()));
        let why = judged_by(none, &draft, &[]).unwrap_err();
        assert_eq!((why.refusal, why.subject), (Refusal::InstructionNotAllowed, Some(1)));
    }
}

#[test]
fn state_account_differs() {
    assert_eq!(refused(&changed(|draft| draft.keys[3] = STRANGER)).refusal, Refusal::StateAccountDiffers);
}

#[test]
fn user_account_not_allowed() {
    let why = refused(&changed(|draft| draft.keys[1] = STRANGER));
    assert_eq!((why.refusal, why.observed), (Refusal::UserAccountNotAllowed, Shown::Key(STRANGER)));
    let mut stats = Draft::new(vec![place_and_take(&ORDER)]);
    stats.keys[2] = STRANGER;
    let why = refused(&stats);
    assert_eq!((why.refusal, why.limit), (Refusal::UserAccountNotAllowed, Shown::Key(STATS)));
    let foreign = [UserAccount { authority: STRANGER, ..PROGRAM.users[0] }];
    let why = judged_by(ProgramLimits { users: &foreign, ..PROGRAM }, &Draft::place(ORDER), &[]).unwrap_err();
    assert_eq!(why.refusal, Refusal::UserAccountNotAllowed);
}

#[test]
fn user_account_not_static() {
    let mut draft = Draft::place(ORDER).looking_up(&[0], &[]);
    draft.keys[1] = STRANGER;
    draft.instructions[0].1[1] = 8;
    assert_eq!(judged_by(PROGRAM, &draft, &[USER]).unwrap_err().refusal, Refusal::UserAccountNotStatic);
}

#[test]
fn accounts_that_the_program_checks_itself_may_come_from_a_table() {
    let mut draft = Draft::place(ORDER).looking_up(&[], &[0, 1]);
    (draft.keys[3], draft.keys[4]) = ([20; 32], [21; 32]);
    draft.instructions[0].1 = vec![8, 1, 0, 5, 9];
    assert_eq!(judged_by(PROGRAM, &draft, &[STATE, MARKET]), Ok(()));
}

#[test]
fn market_not_allowed() {
    let why = refused(&Draft::place(OrderParams { market_index: 4, ..ORDER }));
    assert_eq!(
        (why.refusal, why.observed, why.subject),
        (Refusal::MarketNotAllowed, Shown::uint(4), Some(0))
    );
    let spot = OrderParams { market_kind: MarketKind::Spot, ..ORDER };
    assert_eq!(refused(&Draft::new(vec![place_spot(&spot)])).refusal, Refusal::MarketNotAllowed);
}

#[test]
fn market_account_missing() {
    let why = refused(&changed(|draft| draft.keys[4] = STRANGER));
    assert_eq!((why.refusal, why.limit), (Refusal::MarketAccountMissing, Shown::Key(MARKET)));
    let mut settling = Draft::new(vec![settle(3)]);
    settling.keys[4] = STRANGER;
    assert_eq!(refused(&settling).refusal, Refusal::MarketAccountMissing);
}

#[test]
fn base_above_cap() {
    let why = refused(&Draft::place(OrderParams { base: 1_001, ..ORDER }));
    assert_eq!(
        (why.refusal, why.observed, why.limit),
        (Refusal::BaseAboveCap, Shown::uint(1_001), Shown::uint(1_000))
    );
    // u64::MAX asks Drift for as much as the leverage allows.
    let all = OrderParams { base: u64::MAX, reduce_only: true, ..ORDER };
    assert_eq!(refused(&Draft::place(all)).refusal, Refusal::BaseAboveCap);
}

#[test]
fn each_order_of_several_is_judged() {
    let second = OrderParams { base: 1_001, ..ORDER };
    let why = refused(&Draft::new(vec![place_orders(&[ORDER, second])]));
    assert_eq!((why.refusal, why.subject), (Refusal::BaseAboveCap, Some(1)));
}

#[test]
fn limit_price_below_collar() {
    let (limit, trigger) = (OrderType::Limit, OrderType::TriggerLimit);
    for order in [
        OrderParams { price: 99, ..ORDER },
        OrderParams { order_type: trigger, trigger_price: Some(99), ..ORDER },
        OrderParams { order_type: trigger, trigger_price: None, ..ORDER },
        OrderParams { order_type: limit, trigger_price: Some(99), ..ORDER },
        OrderParams { order_type: limit, trigger_price: Some(0), ..ORDER },
        OrderParams { auction_start_price: Some(99), ..ORDER },
        OrderParams { auction_end_price: Some(-200), ..ORDER },
    ] {
        assert_eq!(judged_order(order, UNPRICED), Err(Refusal::LimitPriceBelowCollar), "{order:?}");
    }
    let why = refused(&Draft::place(OrderParams { price: 99, ..ORDER }));
    assert_eq!((why.observed, why.limit), (Shown::Int(99), Shown::uint(100)));
}

#[test]
fn limit_price_above_collar() {
    for order in [
        OrderParams { price: 301, ..ORDER },
        OrderParams { order_type: OrderType::TriggerMarket, price: 0, trigger_price: Some(301), ..ORDER },
        OrderParams { auction_start_price: Some(301), ..ORDER },
        OrderParams { order_type: OrderType::Market, price: 0, auction_end_price: Some(i64::MAX), ..ORDER },
    ] {
        assert_eq!(judged_order(order, UNPRICED), Err(Refusal::LimitPriceAboveCollar), "{order:?}");
    }
}

#[test]
fn unpriced_order_not_allowed() {
    for order in [
        OrderParams { price: 0, ..ORDER },
        OrderParams { order_type: OrderType::Market, price: 0, auction_start_price: Some(200), ..ORDER },
        OrderParams { order_type: OrderType::TriggerMarket, price: 0, trigger_price: Some(200), ..ORDER },
        OrderParams { order_type: OrderType::Oracle, auction_start_price: Some(-7), ..ORDER },
        OrderParams { order_type: OrderType::Oracle, ..ORDER },
        OrderParams { order_type: OrderType::Oracle, oracle_price_offset: Some(7), ..ORDER },
        OrderParams { order_type: OrderType::Market, oracle_price_offset: Some(7), ..ORDER },
        // Drift reads an offset of 0 as none.
        OrderParams { price: 0, oracle_price_offset: Some(0), ..ORDER },
    ] {
        let priced = MarketLimits { unpriced: false, ..UNPRICED };
        assert_eq!(judged_order(order, priced), Err(Refusal::UnpricedOrderNotAllowed), "{order:?}");
        assert_eq!(judged_order(order, UNPRICED), Ok(()), "{order:?}");
    }
}

#[test]
fn oracle_offset_not_allowed() {
    let without = MarketLimits { oracle_offset_max: None, ..UNPRICED };
    let offsets = |offset| {
        let oracle = OrderParams { order_type: OrderType::Oracle, price: 0, ..ORDER };
        [
            OrderParams { price: 0, oracle_price_offset: Some(offset), ..ORDER },
            OrderParams { oracle_price_offset: Some(offset), ..oracle },
            OrderParams { auction_start_price: Some(offset), ..oracle },
            OrderParams { auction_end_price: Some(offset), ..oracle },
            OrderParams { oracle_price_offset: Some(1), auction_end_price: Some(offset), ..oracle },
            OrderParams { oracle_price_offset: Some(1), auction_start_price: Some(offset), ..ORDER },
        ]
    };
    for offset in [-8, -7, 0, 7, 8] {
        for order in offsets(offset) {
            assert_eq!(judged_order(order, without), Err(Refusal::OracleOffsetNotAllowed), "{order:?}");
            let expected = if offset.abs() <= 7 { Ok(()) } else { Err(Refusal::OracleOffsetNotAllowed) };
            assert_eq!(judged_order(order, UNPRICED), expected, "{order:?}");
        }
    }
    let program = ProgramLimits { markets: &[UNPRICED], ..PROGRAM };
    let why = judged_by(program, &Draft::place(offsets(-8)[0]), &[]).unwrap_err();
    assert_eq!((why.observed, why.limit), (Shown::Int(-8), Shown::uint(7)));
}

#[test]
fn an_offset_in_its_bound_holds_an_order_as_a_limit_price_does() {
    let market = MarketLimits { unpriced: false, ..UNPRICED };
    let pegged = OrderParams { price: 0, oracle_price_offset: Some(-7), ..ORDER };
    assert_eq!(judged_order(pegged, market), Ok(()));
    let unheld = OrderParams { oracle_price_offset: None, ..pegged };
    assert_eq!(judged_order(unheld, market), Err(Refusal::UnpricedOrderNotAllowed));
    // Its auction prices are offsets too: 200 would be that much above the oracle.
    for (price, expected) in [(-7, Ok(())), (7, Ok(())), (200, Err(Refusal::OracleOffsetNotAllowed))] {
        assert_eq!(judged_order(OrderParams { auction_end_price: Some(price), ..pegged }, market), expected);
    }
}

#[test]
fn a_modification_sets_an_offset_that_every_market_grants() {
    let judged = |markets: &[MarketLimits], price, offset| {
        let params = ModifyOrderParams {
            base: Some(1_000),
            price: Some(price),
            oracle_price_offset: Some(offset),
            ..MODIFICATION
        };
        let modify_limits = Some(ModifyLimits { unpriced: true, ..MODIFY });
        let program = ProgramLimits { markets, modify: modify_limits, ..PROGRAM };
        judged_by(program, &Draft::new(vec![modify(&params)]), &[]).map_err(|why| (why.refusal, why.limit))
    };
    let narrow = MarketLimits { index: 4, oracle_offset_max: Some(5), ..UNPRICED };
    let none = MarketLimits { index: 5, oracle_offset_max: None, ..UNPRICED };
    let priced = MarketLimits { index: 6, unpriced: false, ..UNPRICED };
    let refused = |limit| Err((Refusal::OracleOffsetNotAllowed, limit));
    assert_eq!(judged(&[UNPRICED, narrow], 0, 5), Ok(()));
    assert_eq!(judged(&[UNPRICED, narrow], 200, -5), Ok(()));
    assert_eq!(judged(&[UNPRICED, narrow], 0, -6), refused(Shown::uint(5)));
    assert_eq!(judged(&[UNPRICED, none], 0, 5), refused(Shown::Nothing));
    // It does not say the type of the order, which alone says whether the offset holds it.
    let unpriced = Err((Refusal::UnpricedOrderNotAllowed, Shown::Nothing));
    assert_eq!(judged(&[UNPRICED, priced], 200, 5), unpriced);
}

#[test]
fn order_bits_not_allowed() {
    assert_eq!(judged(&Draft::place(OrderParams { bit_flags: 1, ..ORDER })), Ok(()));
    let why = refused(&Draft::place(OrderParams { bit_flags: 3, ..ORDER }));
    assert_eq!(
        (why.refusal, why.observed, why.limit),
        (Refusal::OrderBitsNotAllowed, Shown::uint(3), Shown::uint(1))
    );
    assert_eq!(
        judged_modification(ModifyOrderParams { bit_flags: Some(2), ..MODIFICATION }),
        Err(Refusal::OrderBitsNotAllowed)
    );
}

#[test]
fn a_modification_has_limits_of_its_own_and_fits_every_market() {
    for (params, expected) in [
        (ModifyOrderParams { base: Some(1_001), ..MODIFICATION }, Err(Refusal::BaseAboveCap)),
        (ModifyOrderParams { price: Some(99), ..MODIFICATION }, Err(Refusal::LimitPriceBelowCollar)),
        (ModifyOrderParams { trigger_price: Some(301), ..MODIFICATION }, Err(Refusal::LimitPriceAboveCollar)),
        (ModifyOrderParams { trigger_price: Some(0), ..MODIFICATION }, Err(Refusal::LimitPriceBelowCollar)),
        (ModifyOrderParams { price: Some(0), ..MODIFICATION }, Err(Refusal::UnpricedOrderNotAllowed)),
        (
            ModifyOrderParams { oracle_price_offset: Some(1), ..MODIFICATION },
            Err(Refusal::OracleOffsetNotAllowed),
        ),
        (
            ModifyOrderParams { auction_start_price: Some(200), ..MODIFICATION },
            Err(Refusal::UnpricedOrderNotAllowed),
        ),
        (
            ModifyOrderParams { auction_end_price: Some(200), ..MODIFICATION },
            Err(Refusal::UnpricedOrderNotAllowed),
        ),
        (ModifyOrderParams { base: Some(1_000), price: Some(300), ..MODIFICATION }, Ok(())),
        (MODIFICATION, Ok(())),
    ] {
        assert_eq!(judged_modification(params), expected, "{params:?}");
    }
    let no_markets = ProgramLimits { markets: &[], ..PROGRAM };
    let draft = |base| Draft::new(vec![modify(&ModifyOrderParams { base: Some(base), ..MODIFICATION })]);
    assert_eq!(judged_by(no_markets, &draft(2_000), &[]), Ok(()));
    assert_eq!(judged_by(no_markets, &draft(2_001), &[]).unwrap_err().refusal, Refusal::BaseAboveCap);
}

#[test]
fn a_modification_sets_prices_in_the_collar_of_every_market_only() {
    let wide =
        ModifyLimits { base_max: u64::MAX, price_min: 1, price_max: u64::MAX, unpriced: true, partial: true };
    let higher = MarketLimits { index: 4, price_min: 200, price_max: 400, ..UNPRICED };
    let judged = |markets: &[MarketLimits], params| {
        let program = ProgramLimits { markets, modify: Some(wide), ..PROGRAM };
        judged_by(program, &Draft::new(vec![modify(&params)]), &[]).map_err(|why| (why.refusal, why.limit))
    };
    let price = |price| ModifyOrderParams { price: Some(price), ..MODIFICATION };
    let trigger_price = |price| ModifyOrderParams { trigger_price: Some(price), ..MODIFICATION };
    let below = Err((Refusal::LimitPriceBelowCollar, Shown::uint(200)));
    let above = Err((Refusal::LimitPriceAboveCollar, Shown::uint(300)));
    for markets in [[UNPRICED, higher], [higher, UNPRICED]] {
        for set in [price, trigger_price] {
            for (at, expected) in [(199, below), (200, Ok(())), (300, Ok(())), (301, above)] {
                assert_eq!(judged(&markets, set(at)), expected, "{at}");
            }
        }
    }
    let disjoint = MarketLimits { index: 4, price_min: 301, price_max: 400, ..UNPRICED };
    assert!((1..500).all(|at| judged(&[UNPRICED, disjoint], price(at)).is_err()));
    for unpriced in [
        price(0),
        ModifyOrderParams { auction_start_price: Some(200), ..MODIFICATION },
        ModifyOrderParams { auction_end_price: Some(200), ..MODIFICATION },
    ] {
        let refused = Err((Refusal::UnpricedOrderNotAllowed, Shown::Nothing));
        assert_eq!(judged(&[UNPRICED, higher], unpriced), Ok(()));
        assert_eq!(judged(&[higher, MARKET_LIMITS], unpriced), refused);
    }
}

#[test]
fn a_modification_states_size_and_price_unless_the_book_lets_it_keep_those_of_the_standing_order() {
    let whole = ModifyLimits { partial: false, ..MODIFY };
    let judged = |params: &ModifyOrderParams, modify: ModifyLimits| {
        let program = ProgramLimits { modify: Some(modify), ..PROGRAM };
        let by_user_id = drift(
            "9e4d04fdfcc2a1b3",
            &[&[7][..], &encode_modification_of(Program::DriftV2, params)].concat(),
        );
        let results = [crate::draft::modify(params), by_user_id]
            .map(|one| judged_by(program, &Draft::new(vec![one]), &[]).map_err(|why| why.refusal));
        assert_eq!(results[0], results[1]);
        results[0]
    };
    let both = ModifyOrderParams { base: Some(1_000), price: Some(200), ..MODIFICATION };
    let turned =
        ModifyOrderParams { direction: Some(Direction::Short), reduce_only: Some(false), ..MODIFICATION };
    assert_eq!(judged(&both, whole), Ok(()));
    for partial in [
        MODIFICATION,
        turned,
        ModifyOrderParams { base: None, ..both },
        ModifyOrderParams { price: None, ..both },
        ModifyOrderParams { price: Some(200), ..turned },
    ] {
        assert_eq!(judged(&partial, whole), Err(Refusal::ModificationPartial), "{partial:?}");
        assert_eq!(judged(&partial, MODIFY), Ok(()), "{partial:?}");
    }
}

#[test]
fn priority_fee_above_cap() {
    // A message without a limit: 200,000 units an instruction of the venue, 3,000 one of the compute budget.
    let price_alone = |price| Draft::new(vec![unit_price(price), cancel()]);
    assert_eq!(judged(&price_alone(1_400_000_000 / 203_000)), Ok(()));
    let why = refused(&price_alone(1_400_000_000 / 203_000 + 1));
    assert_eq!((why.refusal, why.observed), (Refusal::PriorityFeeAboveCap, Shown::Uint(6_897 * 203_000)));
    let many = vec![unit_price(1_001), cancel(), place(&ORDER), settle(3), modify(&MODIFICATION)];
    assert_eq!(judged(&Draft::new(many)), Ok(()));
    let both = |limit, price| Draft::new(vec![unit_limit(limit), unit_price(price), cancel()]);
    assert_eq!(judged(&both(1_000_000, 1_400)), Ok(()));
    assert_eq!(refused(&both(1_000_000, 1_401)).refusal, Refusal::PriorityFeeAboveCap);
    assert_eq!(refused(&both(u32::MAX, u64::MAX)).refusal, Refusal::PriorityFeeAboveCap);
    assert_eq!(judged(&Draft::new(vec![unit_limit(u32::MAX), cancel()])), Ok(()));
}

#[test]
fn venue_instruction_missing() {
    let draft = Draft::new(vec![unit_limit(1)]);
    assert_eq!(refused(&draft).refusal, Refusal::VenueInstructionMissing);
}

#[test]
fn instruction_repeated() {
    let why = refused(&Draft::new(vec![cancel(), unit_limit(1), cancel()]));
    assert_eq!((why.refusal, why.subject), (Refusal::InstructionRepeated, Some(2)));
    let other = drift("5f81edf00831df84", &[1, 9, 0, 0, 0]);
    assert_eq!(refused(&Draft::new(vec![cancel(), other])).refusal, Refusal::InstructionRepeated);
}

#[test]
fn too_many_placements() {
    let why = refused(&Draft::new(vec![place(&ORDER), place_and_take(&ORDER)]));
    assert_eq!(
        (why.refusal, why.observed, why.limit, why.subject),
        (Refusal::TooManyPlacements, Shown::uint(2), Shown::uint(1), Some(1))
    );
}

#[test]
fn too_many_orders_in_message() {
    assert_eq!(judged(&Draft::new(vec![place_orders(&[ORDER; 2])])), Ok(()));
    let why = refused(&Draft::new(vec![unit_limit(1), place_orders(&[ORDER; 3])]));
    assert_eq!(
        (why.refusal, why.observed, why.limit, why.subject),
        (Refusal::TooManyOrdersInMessage, Shown::uint(3), Shown::uint(2), Some(1))
    );
    // Counted over all instructions.
    let programs = [PROGRAM];
    let two_placements = Limits { placements_max: 2, ..limits(&programs) };
    let mixed = |orders: &[OrderParams]| Draft::new(vec![place(&ORDER), place_orders(orders)]);
    assert_eq!(judged_within(&two_placements, &mixed(&[ORDER]), &[]), Ok(()));
    let why = judged_within(&two_placements, &mixed(&[ORDER; 2]), &[]).unwrap_err();
    assert_eq!((why.refusal, why.observed), (Refusal::TooManyOrdersInMessage, Shown::uint(3)));
}

#[test]
fn a_modification_counts_as_an_order_and_not_as_a_placement() {
    let by_user_id = drift(
        "9e4d04fdfcc2a1b3",
        &[&[7][..], &encode_modification_of(Program::DriftV2, &MODIFICATION)].concat(),
    );
    let one = Draft::new(vec![modify(&MODIFICATION), place(&ORDER)]);
    assert_eq!(judged(&one), Ok(()));
    let both = Draft::new(vec![modify(&MODIFICATION), by_user_id.clone()]);
    assert_eq!(judged(&both), Ok(()));
    let why = refused(&Draft::new(vec![place(&ORDER), modify(&MODIFICATION), by_user_id]));
    assert_eq!(
        (why.refusal, why.observed, why.limit, why.subject),
        (Refusal::TooManyOrdersInMessage, Shown::uint(3), Shown::uint(2), Some(2))
    );
}

#[test]
fn orders_empty() {
    let why = refused(&Draft::new(vec![unit_limit(1), place_orders(&[])]));
    assert_eq!((why.refusal, why.subject), (Refusal::OrdersEmpty, Some(1)));
}
