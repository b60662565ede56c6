//! Swift texts: every line, every refusal, and what was read is what is signed.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use venues::Payload;
use venues::solana::rules::{
    BuilderLimits, MarginRatioLimits, MarketKind, MarketLimits, ProgramLimits, SwiftLimits,
};
use venues::solana::{
    IsolatedDeposit, OrderParams, SWIFT_TEXT_SIZE_MAX, SwiftAccount, SwiftMessage, SwiftOrder, TriggerOrder,
    decode_swift,
};
use wire::facts::FactWriter;
use wire::facts_json::JsonFacts;
use wire::{Family, Now, Refusal, Shown, Why};

use crate::draft::{ORDER, PAYER, STRANGER, encode_order, option};
use crate::judgement::{MARKET_LIMITS, PROGRAM, UNPRICED, limits};
use crate::lines::{bytes, hex};
use crate::witness::Witness as _;

const TAKER: [u8; 32] = [30; 32];

const SWIFT: SwiftLimits<'_> =
    SwiftLimits { delegated: &[TAKER], slot_max: 1_000, isolated_deposit_max: 0, margin_ratio: None };

pub(crate) const GRANTED: ProgramLimits<'_> =
    ProgramLimits { swift: Some(SWIFT), markets: &[UNPRICED], ..PROGRAM };

pub(crate) const TEXT: SwiftOrder = SwiftOrder {
    order: ORDER,
    account: SwiftAccount::SubAccount(0),
    slot: 1_000,
    uuid: *b"\x01\x23\x45\x67\x89\xab\xcd\xef",
    take_profit: None,
    stop_loss: None,
    max_margin_ratio: None,
    builder_idx: None,
    builder_fee_tenth_bps: None,
    isolated_deposit: IsolatedDeposit::None,
};

/// The text of an order, written here.
pub(crate) fn text(order: &SwiftOrder) -> Vec<u8> {
    let trigger = |order: TriggerOrder| {
        let mut both = [0; 16];
        both[..8].copy_from_slice(&order.trigger_price.to_le_bytes());
        both[8..].copy_from_slice(&order.base.to_le_bytes());
        both
    };
    let (discriminator, account) = match order.account {
        SwiftAccount::SubAccount(number) => ("c8d5a65e2234f55d", number.to_le_bytes().to_vec()),
        SwiftAccount::Taker(key) => ("42656638c7259e23", key.to_vec()),
    };
    let message = [
        bytes(discriminator),
        encode_order(&order.order),
        account,
        order.slot.to_le_bytes().to_vec(),
        order.uuid.to_vec(),
        option(order.take_profit.map(trigger)),
        option(order.stop_loss.map(trigger)),
        option(order.max_margin_ratio.map(u16::to_le_bytes)),
        option(order.builder_idx.map(u8::to_le_bytes)),
        option(order.builder_fee_tenth_bps.map(u16::to_le_bytes)),
        match order.isolated_deposit {
            IsolatedDeposit::LeftOut => Vec::new(),
            IsolatedDeposit::None => vec![0],
            IsolatedDeposit::Amount(amount) => option(Some(amount.to_le_bytes())),
        },
    ]
    .concat();
    hex(&message).into_bytes()
}

fn lines(file: &str) -> Vec<Value> {
    let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let all = std::fs::read_to_string(path).unwrap();
    all.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["input"]["form"] == "swift_hex_ascii")
        .collect()
}

fn texts() -> Vec<Vec<u8>> {
    lines("solana_drift.jsonl")
        .iter()
        .map(|line| bytes(line["input"]["signed_bytes"].as_str().unwrap()))
        .collect()
}

fn facts(message: &SwiftMessage<'_>) -> Value {
    let mut text = String::new();
    let mut sink = JsonFacts::new(&mut text);
    message.facts(&mut sink);
    sink.finish().unwrap();
    serde_json::from_str(&text).unwrap()
}

fn refused(text: &[u8]) -> Why {
    decode_swift(text).map(|_| ()).unwrap_err().witnessed()
}

fn judged_by(program: ProgramLimits<'_>, order: &SwiftOrder) -> Result<(), Why> {
    let text = text(order);
    let now = Now { monotonic_ms: 0, wall_ms: 0 };
    let judged = decode_swift(&text).unwrap().judge(&limits(&[program]), &PAYER, now);
    judged.map(|charge| assert_eq!(charge, venues::Charge::default())).witnessed()
}

fn judged(order: &SwiftOrder) -> Result<(), Refusal> {
    judged_by(GRANTED, order).map_err(|why| why.refusal)
}

#[test]
fn every_line_gives_its_label_its_bytes_and_its_facts() {
    let lines = lines("solana_drift.jsonl");
    assert!(lines.len() >= 9);
    for line in &lines {
        let text_read = bytes(line["input"]["signed_bytes"].as_str().unwrap());
        let message = decode_swift(&text_read).unwrap();
        assert_eq!(hex(&message.label()), line["digest"].as_str().unwrap());
        assert_eq!(message.preimage().as_bytes(), text_read);
        assert_eq!(text(message.order()), text_read);
        let (facts, wanted) = (facts(&message), &line["facts"]);
        let number =
            |value: &Value| value.as_str().map_or_else(|| json!(value.to_string()), |text| json!(text));
        for (ours, theirs) in [
            ("slot", &wanted["slot"]),
            ("uuid", &wanted["uuid"]),
            ("sub_account_id", &wanted["subAccountId"]),
            ("order_type", &wanted["params"]["orderType"]),
            ("direction", &wanted["params"]["direction"]),
            ("base", &wanted["params"]["baseAssetAmount"]),
            ("price", &wanted["params"]["price"]),
            ("market_index", &wanted["params"]["marketIndex"]),
            ("oracle_price_offset", &wanted["params"]["oraclePriceOffset"]),
            ("auction_start_price", &wanted["params"]["auctionStartPrice"]),
            ("max_ts", &wanted["params"]["maxTs"]),
            ("max_margin_ratio", &wanted["maxMarginRatio"]),
            ("builder_idx", &wanted["builderIdx"]),
        ] {
            let theirs = if theirs.is_null() { Value::Null } else { number(theirs) };
            assert_eq!(facts[ours], theirs, "{} {ours}", line["id"]);
        }
        for (ours, theirs) in [("take_profit", "takeProfit"), ("stop_loss", "stopLoss")] {
            assert_eq!(facts[ours]["trigger_price"], wanted[theirs]["triggerPrice"]);
            assert_eq!(facts[ours]["base"], wanted[theirs]["baseAssetAmount"]);
        }
    }
}

#[test]
fn every_negative_line_is_refused_for_its_own_reason() {
    let lines = lines("negative_solana_drift.jsonl");
    for line in &lines {
        let expected = match line["reason"].as_str().unwrap() {
            "swift: raw borsh bytes where the hex text is signed" | "swift: upper-case hex" => {
                Refusal::SwiftTextNotHexadecimal
            }
            "swift: unknown discriminator" => Refusal::SwiftMessageNotSupported,
            "swift: truncated" => Refusal::SwiftMessageMalformed,
            other => panic!("{other}"),
        };
        assert_eq!(refused(&bytes(line["input"]["message"].as_str().unwrap())).refusal, expected);
    }
    assert!(lines.len() >= 4);
}

#[test]
fn what_is_not_a_swift_text_of_drift_is_refused_by_name() {
    let good = text(&TEXT);
    assert_eq!(refused(b"").refusal, Refusal::PayloadEmpty);
    assert_eq!(refused(&good[..good.len() - 1]).refusal, Refusal::SwiftTextNotHexadecimal);
    let velocity = [b"velocity-signed-msg:vELoC1audYbSYVRXn1vPaV8Axoa9oU6BYmNGZZBDZ1P:", &good[..]].concat();
    let why = refused(&velocity);
    assert_eq!((why.refusal, why.refusal.family()), (Refusal::SwiftDomainNotSupported, Family::Unsupported));
    let long = vec![b'0'; SWIFT_TEXT_SIZE_MAX + 2];
    let why = refused(&long);
    assert_eq!((why.refusal, why.limit), (Refusal::SwiftMessageMalformed, Shown::size(SWIFT_TEXT_SIZE_MAX)));
    for more in [&b"00"[..], b"0100", b"0000000000"] {
        assert_eq!(refused(&[&good[..], more].concat()).refusal, Refusal::SwiftMessageMalformed);
    }
    let spot = SwiftOrder { order: OrderParams { market_kind: MarketKind::Spot, ..ORDER }, ..TEXT };
    assert_eq!(refused(&text(&spot)).refusal, Refusal::MarketTypeDiffers);
}

#[test]
fn the_longest_text_is_as_long_as_the_cap() {
    let every = SwiftOrder {
        order: OrderParams {
            max_ts: Some(1),
            trigger_price: Some(200),
            oracle_price_offset: Some(1),
            auction_duration: Some(1),
            auction_start_price: Some(200),
            auction_end_price: Some(200),
            ..ORDER
        },
        account: SwiftAccount::Taker(TAKER),
        take_profit: Some(TriggerOrder { trigger_price: 200, base: 1 }),
        stop_loss: Some(TriggerOrder { trigger_price: 200, base: 1 }),
        max_margin_ratio: Some(1),
        builder_idx: Some(1),
        builder_fee_tenth_bps: Some(1),
        isolated_deposit: IsolatedDeposit::Amount(1),
        ..TEXT
    };
    let text = text(&every);
    assert_eq!(text.len(), SWIFT_TEXT_SIZE_MAX);
    let message = decode_swift(&text).unwrap();
    assert_eq!(*message.order(), every);
    let mut room = [0; wire::FACTS_SIZE_MAX];
    let mut writer = FactWriter::new(&mut room);
    message.facts(&mut writer);
    assert!(writer.is_complete());
}

#[test]
fn a_book_without_the_grant_signs_no_text() {
    assert_eq!(judged(&TEXT), Ok(()));
    assert_eq!(judged_by(PROGRAM, &TEXT).unwrap_err().refusal, Refusal::SwiftNotAllowed);
    let now = Now { monotonic_ms: 0, wall_ms: 0 };
    let text = text(&TEXT);
    let why = decode_swift(&text).unwrap().judge(&limits(&[]), &PAYER, now).unwrap_err();
    assert_eq!(why.refusal, Refusal::ProgramNotAllowed);
}

#[test]
fn a_margin_ratio_lies_between_those_of_the_book_and_needs_the_grant() {
    let ratio = |ratio| SwiftOrder { max_margin_ratio: Some(ratio), ..TEXT };
    for set in [0, 200, u16::MAX] {
        let why = judged_by(GRANTED, &ratio(set)).unwrap_err();
        assert_eq!((why.refusal, why.observed), (Refusal::MarginRatioNotAllowed, Shown::uint(set.into())));
    }
    let swift = SwiftLimits { margin_ratio: Some(MarginRatioLimits { min: 200, max: 1_000 }), ..SWIFT };
    let granted = ProgramLimits { swift: Some(swift), ..GRANTED };
    let judged = |order| judged_by(granted, &order).map_err(|why| (why.refusal, why.limit));
    assert_eq!(judged(TEXT), Ok(()));
    assert_eq!(judged(ratio(200)), Ok(()));
    assert_eq!(judged(ratio(1_000)), Ok(()));
    assert_eq!(judged(ratio(199)), Err((Refusal::MarginRatioNotAllowed, Shown::uint(200))));
    assert_eq!(judged(ratio(1_001)), Err((Refusal::MarginRatioNotAllowed, Shown::uint(1_000))));
}

#[test]
fn a_text_for_another_account_is_refused() {
    let account = |account| SwiftOrder { account, ..TEXT };
    let why = judged_by(GRANTED, &account(SwiftAccount::SubAccount(1))).unwrap_err();
    assert_eq!((why.refusal, why.observed), (Refusal::SubAccountNotAllowed, Shown::uint(1)));
    assert_eq!(judged(&account(SwiftAccount::Taker(TAKER))), Ok(()));
    let why = judged_by(GRANTED, &account(SwiftAccount::Taker(STRANGER))).unwrap_err();
    assert_eq!((why.refusal, why.observed), (Refusal::TakerNotAllowed, Shown::Key(STRANGER)));
    // The same sub-account of a book whose authority is another key.
    let now = Now { monotonic_ms: 0, wall_ms: 0 };
    let text = text(&TEXT);
    let judged = decode_swift(&text).unwrap().judge(&limits(&[GRANTED]), &STRANGER, now);
    assert_eq!(judged.unwrap_err().refusal, Refusal::SubAccountNotAllowed);
}

#[test]
fn a_text_beyond_the_books_last_slot_is_refused() {
    let why = judged_by(GRANTED, &SwiftOrder { slot: 1_001, ..TEXT }).unwrap_err();
    assert_eq!(
        (why.refusal, why.observed, why.limit),
        (Refusal::SlotAboveCap, Shown::uint(1_001), Shown::uint(1_000))
    );
    assert_eq!(judged(&SwiftOrder { slot: u64::MAX, ..TEXT }), Err(Refusal::SlotAboveCap));
}

#[test]
fn its_order_is_judged_like_any_other() {
    let priced = ProgramLimits { markets: &[MARKET_LIMITS], ..GRANTED };
    for (order, expected) in [
        (OrderParams { base: 1_001, ..ORDER }, Refusal::BaseAboveCap),
        (OrderParams { base: (1 << 63) - 1, price: 0, ..ORDER }, Refusal::BaseAboveCap),
        (OrderParams { price: 99, ..ORDER }, Refusal::LimitPriceBelowCollar),
        (OrderParams { auction_end_price: Some(301), ..ORDER }, Refusal::LimitPriceAboveCollar),
        (OrderParams { price: 0, ..ORDER }, Refusal::UnpricedOrderNotAllowed),
        (OrderParams { market_index: 4, ..ORDER }, Refusal::MarketNotAllowed),
        (OrderParams { bit_flags: 2, ..ORDER }, Refusal::OrderBitsNotAllowed),
    ] {
        let refused = judged_by(priced, &SwiftOrder { order, ..TEXT }).unwrap_err().refusal;
        assert_eq!(refused, expected, "{order:?}");
    }
    let market = SwiftOrder { order: OrderParams { price: 0, ..ORDER }, ..TEXT };
    assert_eq!(judged(&market), Ok(()));
}

#[test]
fn take_profit_and_stop_loss_have_the_markets_size_and_collar() {
    for (base, trigger_price, expected) in [
        (1_000, 100, Ok(())),
        (1_000, 300, Ok(())),
        (1_001, 200, Err(Refusal::BaseAboveCap)),
        (1, 99, Err(Refusal::LimitPriceBelowCollar)),
        (1, 0, Err(Refusal::LimitPriceBelowCollar)),
        (1, 301, Err(Refusal::LimitPriceAboveCollar)),
    ] {
        let trigger = Some(TriggerOrder { trigger_price, base });
        assert_eq!(judged(&SwiftOrder { take_profit: trigger, ..TEXT }), expected);
        assert_eq!(judged(&SwiftOrder { stop_loss: trigger, ..TEXT }), expected);
        // No limit price holds them.
        let priced: &[MarketLimits] = &[MARKET_LIMITS];
        let priced = ProgramLimits { markets: priced, ..GRANTED };
        assert!(judged_by(priced, &SwiftOrder { stop_loss: trigger, ..TEXT }).is_err());
    }
}

#[test]
fn builder_and_isolated_deposit_need_a_grant() {
    let builder = SwiftOrder { builder_idx: Some(1), builder_fee_tenth_bps: Some(20), ..TEXT };
    assert_eq!(judged(&builder), Err(Refusal::OrderBuilderNotAllowed));
    let builders = Some(BuilderLimits { indexes: &[1], fee_tenth_bps_max: 20 });
    let granted = ProgramLimits { builders, ..GRANTED };
    assert_eq!(judged_by(granted, &builder), Ok(()));
    let dear = SwiftOrder { builder_fee_tenth_bps: Some(21), ..builder };
    assert_eq!(judged_by(granted, &dear).unwrap_err().refusal, Refusal::OrderBuilderFeeAboveCap);
    let deposit = |amount| SwiftOrder { isolated_deposit: IsolatedDeposit::Amount(amount), ..TEXT };
    assert_eq!(judged(&deposit(0)), Ok(()));
    assert_eq!(judged(&deposit(1)), Err(Refusal::IsolatedDepositAboveCap));
    let swift = Some(SwiftLimits { isolated_deposit_max: 9, ..SWIFT });
    assert_eq!(judged_by(ProgramLimits { swift, ..GRANTED }, &deposit(9)), Ok(()));
}

proptest! {
    #[test]
    fn a_mutated_text_is_refused_or_has_another_label_and_encodes_again(
        line in any::<Index>(), at in any::<Index>(), to in any::<u8>(),
    ) {
        let original = line.get(&texts()).clone();
        let mut mutated = original.clone();
        mutated[at.index(original.len())] = to;
        if let Ok(message) = decode_swift(&mutated) {
            prop_assert_eq!(text(message.order()), mutated.clone());
            prop_assert_eq!(message.canonical(), &mutated[..]);
            let before = decode_swift(&original).unwrap();
            prop_assert_eq!(message.label() == before.label(), mutated == original);
        }
    }

    #[test]
    fn a_cut_text_is_refused_unless_only_the_isolated_deposit_is_cut(
        line in any::<Index>(), size in any::<Index>(),
    ) {
        let original = line.get(&texts()).clone();
        let cut = &original[..size.index(original.len())];
        if let Ok(message) = decode_swift(cut) {
            prop_assert_eq!(message.order().isolated_deposit, IsolatedDeposit::LeftOut);
            prop_assert_eq!(cut.len() + 2, original.len());
        }
    }
}
