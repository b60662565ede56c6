//! Actions that raise exposure another way than an order does: the same caps hold.

use venues::Payload as _;
use venues::hyperliquid::rules::{Limits, OrderLimits, ScheduleCancelLimits, VaultTransferLimits};
use venues::hyperliquid::{Content, Form, OrderReference};
use wire::{Refusal, Shown, Why};

use crate::refusals::{ASSET, ENVELOPE, LIMITS, ORDER, VAULT, judged, l1, with_limits};
use crate::vectors::{E8, NOW, with_decoded};

pub(crate) const MODIFY: &str = r#"{"type":"modify","oid":7,"order":{"a":3,"b":true,"p":"100","s":"2","r":false,"t":{"limit":{"tif":"Ioc"}}}}"#;
pub(crate) const BATCH_MODIFY: &str = r#"{"type":"batchModify","modifies":[{"oid":7,"order":{"a":3,"b":true,"p":"100","s":"2","r":false,"t":{"limit":{"tif":"Ioc"}}}},{"oid":"0x00000000000000000000000000000008","order":{"a":3,"b":false,"p":"100","s":"1","r":false,"t":{"limit":{"tif":"Ioc"}}}}]}"#;
pub(crate) const TWAP: &str =
    r#"{"type":"twapOrder","twap":{"a":3,"b":true,"s":"2","r":false,"m":30,"t":true}}"#;
const TWAP_CANCEL: &str = r#"{"type":"twapCancel","a":3,"t":46219}"#;
pub(crate) const MARGIN: &str = r#"{"type":"updateIsolatedMargin","asset":3,"isBuy":true,"ntli":40000000}"#;
pub(crate) const SCHEDULE: &str = r#"{"type":"scheduleCancel","time":1790000005001}"#;
const DEPOSIT: &str = r#"{"type":"vaultTransfer","vaultAddress":"0x7777777777777777777777777777777777777777","isDeposit":true,"usd":20000000}"#;

fn refused(action: &str) -> Refusal {
    l1(action).unwrap_err().refusal
}

/// The book with another one of orders.
fn with_orders(change: impl FnOnce(&mut OrderLimits<'static>)) -> Limits<'static> {
    let mut order = LIMITS.order.unwrap();
    change(&mut order);
    Limits { order: Some(order), ..LIMITS }
}

#[test]
fn what_the_tests_below_are_made_of_is_granted() {
    for action in [MODIFY, BATCH_MODIFY, TWAP, TWAP_CANCEL, MARGIN, SCHEDULE, DEPOSIT] {
        assert_eq!(l1(action), Ok(()), "{action}");
    }
}

#[test]
fn a_sell_of_a_huge_size_at_a_tiny_price_is_worth_the_top_of_the_collar() {
    let sell = ORDER.replace("\"b\":true", "\"b\":false").replace("\"100\"", "\"50\"");
    // 8 × 50 is far below the cap of 1,000 on one order; 8 × 200 is above it.
    let why = l1(&sell.replace("\"2\"", "\"8\"")).unwrap_err();
    assert_eq!((why.refusal, why.subject), (Refusal::NotionalAboveCap, Some(0)));
    assert_eq!(why.observed, Shown::Decimal { units: 8 * 200 * E8 * E8, scale: 16 });
    let huge = sell.replace("\"2\"", "\"1000000000\"");
    assert_eq!(refused(&huge), Refusal::SizeAboveCap);
    let below = ORDER.replace("\"b\":true", "\"b\":false").replace("\"100\"", "\"0.00000001\"");
    assert_eq!(refused(&below), Refusal::PriceBelowCollar);
}

#[test]
fn a_modification_that_raises_the_size_above_the_cap_is_denied() {
    assert_eq!(
        l1(&MODIFY.replace("\"2\"", "\"10.00000001\"")),
        Err(Why::new(Refusal::SizeAboveCap)
            .observed(Shown::Decimal { units: 10 * E8 + 1, scale: 8 })
            .limit(Shown::Decimal { units: 10 * E8, scale: 8 })
            .subject(0))
    );
    assert_eq!(refused(&MODIFY.replace("\"100\"", "\"201\"")), Refusal::PriceAboveCollar);
    assert_eq!(refused(&MODIFY.replace("\"a\":3", "\"a\":4")), Refusal::AssetNotAllowed);
    assert_eq!(refused(&MODIFY.replace("Ioc", "Gtc")), Refusal::TimeInForceNotAllowed);
    let sell = MODIFY.replace("\"b\":true", "\"b\":false").replace("\"2\"", "\"6\"");
    assert_eq!(refused(&sell), Refusal::NotionalAboveCap);
}

#[test]
fn a_batch_with_one_good_and_one_bad_modification_is_denied_and_names_the_bad_one() {
    let bad = BATCH_MODIFY.replace("\"s\":\"1\"", "\"s\":\"11\"");
    let why = l1(&bad).unwrap_err();
    assert_eq!((why.refusal, why.subject), (Refusal::SizeAboveCap, Some(1)));
    let malformed = BATCH_MODIFY.replace("\"s\":\"1\"", "\"s\":\"1.0\"");
    let why = l1(&malformed).unwrap_err();
    assert_eq!((why.refusal, why.subject), (Refusal::DecimalNotCanonical, Some(1)));
}

#[test]
fn the_modifications_of_a_batch_share_the_caps_of_an_action() {
    // Each is worth at most 1,000; 8 × 100 and 4 × 200 together are above 1,500.
    let both = BATCH_MODIFY.replace("\"s\":\"2\"", "\"s\":\"8\"").replace("\"s\":\"1\"", "\"s\":\"4\"");
    assert_eq!(refused(&both), Refusal::NotionalAboveCap);
    let limits = with_orders(|order| order.orders_max = 1);
    assert_eq!(with_limits(&limits, BATCH_MODIFY).unwrap_err().refusal, Refusal::TooManyOrders);
    assert_eq!(refused(r#"{"type":"batchModify","modifies":[]}"#), Refusal::ListEmpty);
}

#[test]
fn a_modification_to_size_zero_is_refused_since_nothing_says_it_closes_a_position() {
    let trigger = r#"{"trigger":{"isMarket":true,"triggerPx":"90","tpsl":"sl"}}"#;
    let closing = MODIFY
        .replace(r#"{"limit":{"tif":"Ioc"}}"#, trigger)
        .replace("\"r\":false", "\"r\":true")
        .replace("\"2\"", "\"0\"");
    assert_eq!(refused(&closing), Refusal::SizeZero);
}

#[test]
fn the_order_that_goes_is_named_by_a_number_or_a_client_order_id() {
    with_decoded(Form::L1Json, BATCH_MODIFY.as_bytes(), |action| {
        let action = action.unwrap();
        let Content::BatchModify(batch) = action.content() else {
            panic!("a batchModify");
        };
        let targets: Vec<_> = batch.iter().map(|modify| modify.unwrap().target).collect();
        let cloid = "0x00000000000000000000000000000008";
        assert_eq!(targets, [OrderReference::Oid(7), OrderReference::Cloid(cloid)]);
    });
    for (oid, refusal) in [
        ("\"7\"", Refusal::CloidMalformed),
        ("\"0x00000000000000000000000000000000\"", Refusal::CloidMalformed),
        ("-7", Refusal::NumberOutOfRange),
        ("7.5", Refusal::NumberOutOfRange),
        ("null", Refusal::FieldTypeNotExpected),
        ("true", Refusal::FieldTypeNotExpected),
    ] {
        assert_eq!(refused(&MODIFY.replace(":7,", &format!(":{oid},"))), refusal, "{oid}");
    }
}

#[test]
fn a_twap_of_the_whole_book_is_denied() {
    assert_eq!(refused(&TWAP.replace("\"2\"", "\"100000000\"")), Refusal::SizeAboveCap);
    // Within the size cap, and above the notional at the top of the collar on either side.
    for side in ["true", "false"] {
        let six = TWAP.replace("\"2\"", "\"6\"").replace("\"b\":true", &format!("\"b\":{side}"));
        let why = l1(&six).unwrap_err();
        assert_eq!(why.refusal, Refusal::NotionalAboveCap);
        assert_eq!(why.observed, Shown::Decimal { units: 6 * 200 * E8 * E8, scale: 16 });
    }
    let limits = with_orders(|order| order.action_notional_max = 399 * E8 * E8);
    assert_eq!(with_limits(&limits, TWAP).unwrap_err().refusal, Refusal::NotionalAboveCap);
}

#[test]
fn a_twap_has_a_size_and_runs_within_the_minutes_of_the_book() {
    for (minutes, judgement) in [
        ("0", Err(Refusal::NumberOutOfRange)),
        ("9", Err(Refusal::TwapMinutesNotAllowed)),
        ("10", Ok(())),
        ("60", Ok(())),
        ("61", Err(Refusal::TwapMinutesNotAllowed)),
    ] {
        let twap = TWAP.replace(":30,", &format!(":{minutes},"));
        assert_eq!(l1(&twap).map_err(|why| why.refusal), judgement, "{minutes}");
    }
    assert_eq!(refused(&TWAP.replace("\"2\"", "\"0\"")), Refusal::SizeZero);
    assert_eq!(refused(&TWAP.replace("\"a\":3", "\"a\":9")), Refusal::AssetNotAllowed);
}

#[test]
fn each_action_needs_its_own_grant() {
    let without = |change: fn(&mut Limits<'static>)| {
        let mut limits = LIMITS;
        change(&mut limits);
        limits
    };
    let no_modify = with_orders(|order| order.modify = false);
    let no_twap = with_orders(|order| order.twap = None);
    let no_margin = with_orders(|order| {
        order.assets = const { &[venues::hyperliquid::rules::AssetLimits { margin_add_max: 0, ..ASSET }] };
    });
    for (limits, action) in [
        (no_modify, MODIFY),
        (no_modify, BATCH_MODIFY),
        (no_twap, TWAP),
        (no_margin, MARGIN),
        (without(|limits| limits.twap_cancel = false), TWAP_CANCEL),
        (without(|limits| limits.schedule_cancel = None), SCHEDULE),
        (without(|limits| limits.vault_transfer = None), DEPOSIT),
    ] {
        assert_eq!(with_limits(&limits, action), Err(Refusal::ActionNotAllowed.into()), "{action}");
        assert_eq!(with_limits(&limits, ORDER), Ok(()));
    }
}

#[test]
fn a_twap_is_cancelled_on_the_assets_that_may_be_cancelled_on() {
    assert_eq!(l1(&TWAP_CANCEL.replace("\"a\":3", "\"a\":9")), Ok(()));
    assert_eq!(refused(&TWAP_CANCEL.replace("\"a\":3", "\"a\":4")), Refusal::AssetNotAllowed);
}

#[test]
fn margin_is_capped_in_each_direction() {
    let margin = |ntli: &str| l1(&MARGIN.replace("40000000", ntli)).map_err(|why| why.refusal);
    assert_eq!(margin("-30000000"), Ok(()));
    assert_eq!(margin("-30000001"), Err(Refusal::MarginAboveCap));
    assert_eq!(margin("-9223372036854775808"), Err(Refusal::MarginAboveCap));
    assert_eq!(margin("-0"), Err(Refusal::NumberOutOfRange));
    assert_eq!(margin("1.5"), Err(Refusal::NumberOutOfRange));
    assert_eq!(margin("\"1\""), Err(Refusal::FieldTypeNotExpected));
}

#[test]
fn a_cancel_is_scheduled_within_the_books_reach_and_cleared_only_where_it_says_so() {
    let at = |time: u64| l1(&SCHEDULE.replace("1790000005001", &time.to_string())).map_err(|why| why.refusal);
    assert_eq!(at(NOW.wall_ms + 60_000), Ok(()));
    assert_eq!(at(NOW.wall_ms + 60_001), Err(Refusal::ScheduleNotAllowed));
    let clear = r#"{"type":"scheduleCancel"}"#;
    let schedule_cancel = Some(ScheduleCancelLimits { ahead_max_ms: 1, clear: true });
    assert_eq!(with_limits(&Limits { schedule_cancel, ..LIMITS }, clear), Ok(()));
    // Neither null nor nil stands for an absent time: the exchange hashes the action without it.
    assert_eq!(refused(r#"{"type":"scheduleCancel","time":null}"#), Refusal::FieldTypeNotExpected);
    let nil = b"\x82\xa4type\xaescheduleCancel\xa4time\xc0";
    let why = with_decoded(Form::L1Msgpack, nil, |action| action.map(|_| ()).unwrap_err());
    assert_eq!(why.refusal, Refusal::MsgpackNotCanonical);
}

#[test]
fn a_stranger_vault_is_neither_paid_nor_asked() {
    for is_deposit in ["true", "false"] {
        let stranger = DEPOSIT.replace(&"7".repeat(40), &"8".repeat(40)).replace("true", is_deposit);
        assert_eq!(
            l1(&stranger),
            Err(Why::new(Refusal::DestinationNotAllowed).observed(Shown::Address([0x88; 20])))
        );
    }
}

#[test]
fn a_vault_transfer_is_capped_in_each_direction_in_millionths_of_a_dollar() {
    let limit = |units| Shown::Decimal { units, scale: 6 };
    assert_eq!(
        l1(&DEPOSIT.replace("20000000", "20000001")),
        Err(Why::new(Refusal::TransferAboveCap).observed(limit(20_000_001)).limit(limit(20_000_000)))
    );
    let withdrawal = DEPOSIT.replace("true", "false");
    assert_eq!(refused(&withdrawal), Refusal::TransferAboveCap);
    assert_eq!(l1(&withdrawal.replace("20000000", "10000000")), Ok(()));
    let vault_transfer = Some(VaultTransferLimits { vaults: &[VAULT], deposit_max: 0, withdraw_max: 1 });
    let refusal = with_limits(&Limits { vault_transfer, ..LIMITS }, DEPOSIT);
    assert_eq!(refusal, Err(Refusal::ActionNotAllowed.into()));
    assert_eq!(refused(&DEPOSIT.replace(&"7".repeat(40), &"aB".repeat(20))), Refusal::ActionAddressMalformed);
}

#[test]
fn every_l1_action_says_whom_it_acts_for() {
    let strangers = venues::hyperliquid::Envelope { vault_address: Some([1; 20]), ..ENVELOPE };
    for action in [MODIFY, BATCH_MODIFY, TWAP, TWAP_CANCEL, MARGIN, SCHEDULE, DEPOSIT] {
        let why = judged(Form::L1Json, strangers, action).unwrap_err();
        assert_eq!(why.refusal, Refusal::VaultNotAllowed, "{action}");
    }
}

#[test]
fn a_market_is_named_by_its_full_asset_id_and_the_receipt_keeps_it() {
    // A perpetual, a spot pair, a perpetual of the second dex, both sides of an outcome.
    for id in [3_u32, 10_003, 110_003, 100_000_030, 100_000_031] {
        let order = ORDER.replace("\"a\":3", &format!("\"a\":{id}"));
        let other = venues::hyperliquid::rules::AssetLimits { asset: id, ..ASSET };
        let order_limits = OrderLimits { assets: &[other], ..LIMITS.order.unwrap() };
        let limits = Limits { order: Some(order_limits), ..LIMITS };
        assert_eq!(with_limits(&limits, &order), Ok(()), "{id}");
        with_decoded(Form::L1Json, order.as_bytes(), |action| {
            let facts = crate::vectors::facts(&action.unwrap());
            assert_eq!(facts["orders"][0]["asset"], id.to_string());
        });
        for stranger in [id + 1, id + 10_000, id - 1] {
            let order = ORDER.replace("\"a\":3", &format!("\"a\":{stranger}"));
            assert_eq!(with_limits(&limits, &order).unwrap_err().refusal, Refusal::AssetNotAllowed);
        }
    }
}

#[test]
fn every_action_uses_up_its_nonce() {
    for action in [MODIFY, TWAP, SCHEDULE, DEPOSIT] {
        with_decoded(Form::L1Json, action.as_bytes(), |decoded| {
            let charge = decoded.unwrap().judge(&LIMITS, &[0; 20], NOW).unwrap();
            assert_eq!(charge.single_use_nonce.unwrap().nonce, NOW.wall_ms);
        });
    }
}
