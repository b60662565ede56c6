//! One row a refusal.

use venues::Payload as _;
use venues::book_value::AnyOr;
use venues::hyperliquid::rules::{
    AgentLimits, AssetLimits, BuilderFeeLimits, Grouping, Limits, Network, OrderLimits, ScheduleCancelLimits,
    TimeInForce, Transfer, TransferLimits, TwapLimits, VaultTransferLimits,
};
use venues::hyperliquid::{Claims, Envelope, Form};
use wire::{Refusal, Shown, Why};

use crate::exposure::{MARGIN, SCHEDULE, TWAP};
use crate::funds::{APPROVE_AGENT, SEND_ASSET};
use crate::vectors::{E8, NOW, payload, with_decoded, with_payload};
use crate::witness::Witness as _;

pub(crate) const ME: [u8; 20] = [0xee; 20];
pub(crate) const VAULT: [u8; 20] = [0x77; 20];
pub(crate) const SUB_ACCOUNT: [u8; 20] = [0x66; 20];

pub(crate) const ORDER: &str = r#"{"type":"order","orders":[{"a":3,"b":true,"p":"100","s":"2","r":false,"t":{"limit":{"tif":"Ioc"}}}],"grouping":"na"}"#;
pub(crate) const TRIGGER: &str = r#"{"type":"order","orders":[{"a":3,"b":true,"p":"100","s":"2","r":true,"t":{"trigger":{"isMarket":true,"triggerPx":"90","tpsl":"sl"}}}],"grouping":"na"}"#;
const LEVERAGE: &str = r#"{"type":"updateLeverage","asset":3,"isCross":true,"leverage":5}"#;
pub(crate) const USD_SEND: &str = r#"{"type":"usdSend","signatureChainId":"0xa4b1","hyperliquidChain":"Mainnet","destination":"0x1111111111111111111111111111111111111111","amount":"5","time":1790000005000}"#;
pub(crate) const SPOT_SEND: &str = r#"{"type":"spotSend","signatureChainId":"0xa4b1","hyperliquidChain":"Mainnet","destination":"0x1111111111111111111111111111111111111111","token":"PURR:0x01","amount":"5","time":1790000005000}"#;

pub(crate) const ASSET: AssetLimits = AssetLimits {
    asset: 3,
    size_max: 10 * E8,
    price_min: 50 * E8,
    price_max: 200 * E8,
    notional_max: 1_000 * E8 * E8,
    quote_usd_max: 1_000_000,
    leverage_max: 5,
    margin_add_max: 40_000_000,
    margin_remove_max: 30_000_000,
};

pub(crate) const LIMITS: Limits<'static> = Limits {
    networks: &[Network::Mainnet],
    without_vault: true,
    vaults: &[VAULT],
    nonce_behind_max_ms: 30_000,
    nonce_ahead_max_ms: 5_000,
    order: Some(OrderLimits {
        assets: &[ASSET],
        tifs: &[TimeInForce::Ioc],
        triggers: true,
        groupings: &[Grouping::Na, Grouping::PositionTpsl],
        builders: &[[0x22; 20]],
        builder_fee_max: 10,
        priority_rate_max: None,
        orders_max: 2,
        action_notional_max: 1_500 * E8 * E8,
        modify: true,
        twap: Some(TwapLimits { minutes_min: 10, minutes_max: 60 }),
    }),
    cancel: true,
    cancel_assets: &[9],
    twap_cancel: true,
    schedule_cancel: Some(ScheduleCancelLimits { ahead_max_ms: 60_000, clear: false }),
    vault_transfer: Some(VaultTransferLimits {
        vaults: &[VAULT],
        deposit_max: 20_000_000,
        withdraw_max: 10_000_000,
    }),
    transfers: &[
        TransferLimits {
            action: Transfer::UsdSend,
            destinations: &[[0x11; 20]],
            amount_max: 5 * E8,
            tokens: &[],
            usd_max: None,
            source_dexes: &[],
            destination_dexes: &[],
            sub_accounts: &[],
        },
        TransferLimits {
            action: Transfer::SpotSend,
            destinations: &[[0x11; 20]],
            amount_max: 5 * E8,
            tokens: &["PURR:0x01"],
            usd_max: None,
            source_dexes: &[],
            destination_dexes: &[],
            sub_accounts: &[],
        },
        TransferLimits {
            action: Transfer::UsdClassTransfer,
            destinations: &[],
            amount_max: 7 * E8,
            tokens: &[],
            usd_max: None,
            source_dexes: &[],
            destination_dexes: &[],
            sub_accounts: &[SUB_ACCOUNT],
        },
        TransferLimits {
            action: Transfer::SendAsset,
            destinations: &[[0x11; 20]],
            amount_max: 5 * E8,
            tokens: &["USDC:0x02"],
            usd_max: None,
            source_dexes: &["spot"],
            destination_dexes: &["", "xyz"],
            sub_accounts: &[SUB_ACCOUNT],
        },
    ],
    approve_agent: Some(AgentLimits { agents: &[[0x44; 20]], names: AnyOr::Listed(&["desk", ""]) }),
    approve_builder_fee: Some(BuilderFeeLimits { builders: &[[0x22; 20]], rate_max: E8 / 100 }),
    signature_chain_ids: &[0xa4b1],
};

pub(crate) const ENVELOPE: Envelope =
    Envelope { network: Network::Mainnet, nonce: NOW.wall_ms, vault_address: None, expires_after: None };

pub(crate) fn judged(form: Form, envelope: Envelope, action: &str) -> Result<(), Why> {
    with_payload(form, &payload(&envelope, &Claims::default(), action.as_bytes()), |action| {
        action.and_then(|action| action.judge(&LIMITS, &ME, NOW)).map(|_| ()).witnessed()
    })
}

pub(crate) fn l1(action: &str) -> Result<(), Why> {
    judged(Form::L1Json, ENVELOPE, action)
}

pub(crate) fn user(action: &str) -> Result<(), Why> {
    judged(Form::UserJson, ENVELOPE, action)
}

fn enveloped(change: impl FnOnce(&mut Envelope)) -> Result<(), Why> {
    let mut envelope = ENVELOPE;
    change(&mut envelope);
    judged(Form::L1Json, envelope, ORDER)
}

#[test]
fn what_the_rows_below_are_made_of_is_granted() {
    for action in [ORDER, TRIGGER, LEVERAGE] {
        assert_eq!(l1(action), Ok(()), "{action}");
    }
    for action in [USD_SEND, SPOT_SEND] {
        assert_eq!(user(action), Ok(()), "{action}");
    }
    assert_eq!(l1(r#"{"type":"cancel","cancels":[{"a":3,"o":1},{"a":9,"o":2}],"f":true}"#), Ok(()));
    assert_eq!(enveloped(|envelope| envelope.vault_address = Some(VAULT)), Ok(()));
    assert_eq!(enveloped(|envelope| envelope.expires_after = Some(NOW.wall_ms + 1)), Ok(()));
    // The key's own address needs no entry, in whatever case it is written.
    let own = USD_SEND.replace(&"1".repeat(40), &"eE".repeat(20));
    assert_eq!(user(&own), Ok(()));
}

/// Every refusal of this venue, with a payload that earns it.
fn rows() -> Vec<(Refusal, Result<(), Why>)> {
    let order = |from: &str, to: &str| l1(&ORDER.replace(from, to));
    let msgpack = |bytes: &[u8]| with_decoded(Form::L1Msgpack, bytes, |action| action.map(|_| ()));
    let sized = |sizes: &[&str]| {
        let (head, tail) = ORDER.split_once('[').unwrap();
        let (one, tail) = tail.split_once(']').unwrap();
        let orders: Vec<String> = sizes.iter().map(|size| one.replace("\"2\"", size)).collect();
        l1(&format!("{head}[{}]{tail}", orders.join(",")))
    };
    let many: Vec<&str> = vec![r#"{"a":3,"o":1}"#; 513];
    let claim = Claims { source: Some(b'b'), ..Claims::default() };
    vec![
        (Refusal::PayloadEmpty, with_payload(Form::L1Json, b"", |action| action.map(|_| ()))),
        (Refusal::TrailingBytes, l1(&format!("{ORDER}1"))),
        (Refusal::PayloadTruncated, l1(ORDER.trim_end_matches('}'))),
        (Refusal::EnvelopeMalformed, with_payload(Form::L1Json, &[0x81; 12], |action| action.map(|_| ()))),
        (Refusal::MsgpackNotCanonical, msgpack(&[0xde, 0, 1])),
        (Refusal::JsonMalformed, order("\"a\":3", "\"a\":03")),
        (Refusal::JsonMemberRepeated, order("\"a\":3", "\"a\":3,\"a\":3")),
        (Refusal::FieldNotKnown, order("\"a\":3", "\"z\":3")),
        (Refusal::FieldMissing, order("\"a\":3,", "")),
        (Refusal::DecimalNotCanonical, order("\"100\"", "\"100.0\"")),
        (Refusal::PriceZero, order("\"100\"", "\"0\"")),
        (Refusal::SizeZero, order("\"2\"", "\"0\"")),
        (Refusal::PriceTooPrecise, order("\"100\"", "\"100.001\"")),
        (Refusal::CloidMalformed, order("\"a\":3", "\"a\":3,\"c\":\"0x00000000000000000000000000000000\"")),
        (
            Refusal::ActionAddressMalformed,
            order("\"na\"", &format!("\"na\",\"builder\":{{\"b\":\"0x{}\",\"f\":1}}", "Ab".repeat(20))),
        ),
        (Refusal::ListEmpty, l1(r#"{"type":"cancel","cancels":[]}"#)),
        (Refusal::ListTooLong, l1(&format!(r#"{{"type":"cancel","cancels":[{}]}}"#, many.join(",")))),
        (Refusal::WordNotKnown, order("Ioc", "Fok")),
        (Refusal::NumberOutOfRange, order("\"a\":3", "\"a\":4294967296")),
        (
            Refusal::ClaimDiffers,
            with_payload(Form::L1Json, &payload(&ENVELOPE, &claim, ORDER.as_bytes()), |action| {
                action.map(|_| ())
            }),
        ),
        (Refusal::NonceDiffersFromAction, user(&USD_SEND.replace("05000", "05001"))),
        (Refusal::NetworkDiffers, user(&USD_SEND.replace("Mainnet", "Testnet"))),
        (
            Refusal::EnvelopeFieldNotAllowed,
            judged(Form::UserJson, Envelope { vault_address: Some(VAULT), ..ENVELOPE }, USD_SEND),
        ),
        (Refusal::FieldTypeNotExpected, order("\"100\"", "100")),
        (Refusal::JsonEscapeNotAllowed, order("\"p\"", "\"\\u0070\"")),
        (Refusal::ActionNotSupported, l1(r#"{"type":"noop"}"#)),
        (Refusal::TimeInForceNotSupported, order("Ioc", "LiquidationMarket")),
        (Refusal::NetworkNotAllowed, enveloped(|envelope| envelope.network = Network::Testnet)),
        (Refusal::VaultNotAllowed, enveloped(|envelope| envelope.vault_address = Some([1; 20]))),
        (Refusal::ActionNotAllowed, user(&USD_SEND.replace("usdSend", "withdraw3"))),
        (Refusal::AssetNotAllowed, order("\"a\":3", "\"a\":4")),
        (Refusal::SizeAboveCap, order("\"2\"", "\"10.00000001\"")),
        (Refusal::PriceBelowCollar, order("\"100\"", "\"49.999\"")),
        (Refusal::PriceAboveCollar, order("\"100\"", "\"200.01\"")),
        (Refusal::NotionalAboveCap, sized(&["\"8\"", "\"8\""])),
        (Refusal::LeverageAboveCap, l1(&LEVERAGE.replace(":5", ":6"))),
        (
            Refusal::BuilderNotAllowed,
            order("\"na\"", &format!("\"na\",\"builder\":{{\"b\":\"0x{}\",\"f\":1}}", "ab".repeat(20))),
        ),
        (
            Refusal::BuilderFeeAboveCap,
            order("\"na\"", &format!("\"na\",\"builder\":{{\"b\":\"0x{}\",\"f\":11}}", "22".repeat(20))),
        ),
        (Refusal::TimeInForceNotAllowed, order("Ioc", "Gtc")),
        (Refusal::NonceTooOld, enveloped(|envelope| envelope.nonce -= 30_001)),
        (Refusal::NonceTooFarAhead, enveloped(|envelope| envelope.nonce += 5_001)),
        (Refusal::ExpiryPassed, enveloped(|envelope| envelope.expires_after = Some(NOW.wall_ms))),
        (Refusal::DestinationNotAllowed, user(&USD_SEND.replace(&"1".repeat(40), &"2".repeat(40)))),
        (Refusal::TransferAboveCap, user(&USD_SEND.replace("\"5\"", "\"5.00000001\""))),
        (Refusal::TransferTokenNotAllowed, user(&SPOT_SEND.replace("PURR:0x01", "PURR:0x02"))),
        (Refusal::SignatureChainNotAllowed, user(&USD_SEND.replace("0xa4b1", "0x66eee"))),
        (Refusal::GroupingNotAllowed, order("\"na\"", "\"normalTpsl\"")),
        (Refusal::PriorityFeeNotAllowed, order("\"na\"", "{\"p\":100}")),
        (Refusal::TooManyOrders, sized(&["\"1\"", "\"1\"", "\"1\""])),
        (Refusal::NameNotSupported, user(&APPROVE_AGENT.replace("desk", "bürö"))),
        (Refusal::TwapMinutesNotAllowed, l1(&TWAP.replace(":30,", ":61,"))),
        (Refusal::ScheduleNotAllowed, l1(&SCHEDULE.replace("05001", "05000"))),
        (Refusal::ScheduleClearNotAllowed, l1(r#"{"type":"scheduleCancel"}"#)),
        (Refusal::MarginAboveCap, l1(&MARGIN.replace("40000000", "40000001"))),
        (Refusal::DexNotAllowed, user(&SEND_ASSET.replace("xyz", "abc"))),
        (Refusal::AgentNotAllowed, user(&APPROVE_AGENT.replace(&"4".repeat(40), &"5".repeat(40)))),
        (Refusal::AgentNameNotAllowed, user(&APPROVE_AGENT.replace("desk", "mine"))),
    ]
}

#[test]
fn each_refusal_is_given_for_the_payload_that_earns_it() {
    for (refusal, result) in rows() {
        assert_eq!(result.witnessed().map_err(|why| why.refusal), Err(refusal));
    }
}

/// Codes whose rule is another crate's or needs another book than [`LIMITS`].
const ELSEWHERE: [Refusal; 4] = [
    Refusal::NonceAlreadyUsed,
    Refusal::NonceBelowBootFloor,
    Refusal::TriggerNotAllowed,
    Refusal::PriorityRateAboveCap,
];

#[test]
fn no_refusal_of_this_venue_is_without_a_row() {
    let covered: Vec<Refusal> = rows().into_iter().map(|(refusal, _)| refusal).chain(ELSEWHERE).collect();
    for refusal in Refusal::ALL.iter().filter(|refusal| (refusal.code() / 100) % 10 == 4) {
        assert!(covered.contains(refusal), "{}", refusal.name());
    }
}

#[test]
fn a_priority_rate_needs_a_cap_and_is_held_to_it() {
    let order = OrderLimits { priority_rate_max: Some(500), ..LIMITS.order.unwrap() };
    let limits = Limits { order: Some(order), ..LIMITS };
    let rate = |rate: u32| ORDER.replace("\"na\"", &format!("{{\"p\":{rate}}}"));
    for granted in [0, 1, 500] {
        assert_eq!(with_limits(&limits, &rate(granted)), Ok(()), "{granted}");
        let why = l1(&rate(granted)).unwrap_err();
        assert_eq!(
            (why.refusal, why.observed),
            (Refusal::PriorityFeeNotAllowed, Shown::uint(granted.into()))
        );
    }
    let why = with_limits(&limits, &rate(501)).unwrap_err();
    assert_eq!(
        (why.refusal, why.observed, why.limit),
        (Refusal::PriorityRateAboveCap, Shown::uint(501), Shown::uint(500))
    );
    // 8 basis points are as much as the exchange takes.
    assert_eq!(with_limits(&limits, &rate(80_001)).unwrap_err().refusal, Refusal::NumberOutOfRange);
}

pub(crate) fn with_limits(limits: &Limits<'_>, action: &str) -> Result<(), Why> {
    with_decoded(Form::L1Json, action.as_bytes(), |action| {
        action.and_then(|action| action.judge(limits, &ME, NOW)).map(|_| ()).witnessed()
    })
}

#[test]
fn trigger_orders_need_a_grant_of_their_own() {
    let order = OrderLimits { triggers: false, ..LIMITS.order.unwrap() };
    let limits = Limits { order: Some(order), ..LIMITS };
    assert_eq!(with_limits(&limits, TRIGGER), Err(Why::new(Refusal::TriggerNotAllowed).subject(0)));
}

#[test]
fn a_book_that_grants_nothing_denies_every_action() {
    let limits = Limits { order: None, cancel: false, cancel_assets: &[], ..LIMITS };
    for action in [ORDER, LEVERAGE, r#"{"type":"cancel","cancels":[{"a":3,"o":1}]}"#] {
        assert_eq!(with_limits(&limits, action), Err(Refusal::ActionNotAllowed.into()));
    }
    let only_vaults = Limits { without_vault: false, ..LIMITS };
    assert_eq!(with_limits(&only_vaults, ORDER), Err(Refusal::VaultNotAllowed.into()));
}

/// The notional that an order of size 2 is judged at, read off the refusal under a cap of nothing.
fn valued(action: &str) -> u128 {
    let asset = AssetLimits { notional_max: 0, ..ASSET };
    let order = OrderLimits { assets: &[asset], ..LIMITS.order.unwrap() };
    let why = with_limits(&Limits { order: Some(order), ..LIMITS }, action).unwrap_err();
    match (why.refusal, why.observed) {
        (Refusal::NotionalAboveCap, Shown::Decimal { units, scale: 16 }) => units,
        _ => panic!("{why:?}"),
    }
}

#[test]
fn a_buy_is_worth_its_limit_and_a_sell_or_an_unpriced_buy_the_top_of_the_collar() {
    assert_eq!(valued(ORDER), 2 * 100 * E8 * E8);
    assert_eq!(valued(&ORDER.replace("\"b\":true", "\"b\":false")), 2 * 200 * E8 * E8);
    assert_eq!(valued(TRIGGER), 2 * 200 * E8 * E8);
    assert_eq!(valued(&TRIGGER.replace("\"isMarket\":true", "\"isMarket\":false")), 2 * 100 * E8 * E8);
}

#[test]
fn a_trigger_price_outside_the_collar_is_denied_too() {
    let why = l1(&TRIGGER.replace("\"90\"", "\"49\"")).unwrap_err();
    assert_eq!((why.refusal, why.subject), (Refusal::PriceBelowCollar, Some(0)));
}

#[test]
fn size_zero_closes_a_position_only_as_a_trigger_under_position_tpsl() {
    let closing = TRIGGER.replace("\"2\"", "\"0\"");
    assert_eq!(l1(&closing).unwrap_err().refusal, Refusal::SizeZero);
    assert_eq!(l1(&closing.replace("\"na\"", "\"positionTpsl\"")), Ok(()));
    let limit = ORDER.replace("\"2\"", "\"0\"").replace("\"na\"", "\"positionTpsl\"");
    assert_eq!(l1(&limit).unwrap_err().refusal, Refusal::SizeZero);
    let opening = closing.replace("\"na\"", "\"positionTpsl\"").replace("\"r\":true", "\"r\":false");
    assert_eq!(l1(&opening), Err(Why::new(Refusal::SizeZero).subject(0)));
}

#[test]
fn a_time_in_force_of_the_exchange_that_is_not_claimed_is_unsupported_in_msgpack_too() {
    let msgpack = |word: &str| {
        let canonical = with_decoded(Form::L1Json, ORDER.as_bytes(), |action| {
            action.map(|action| action.canonical().to_vec()).unwrap()
        });
        let at = canonical.windows(4).position(|bytes| bytes == b"\xa3Ioc").unwrap();
        let text = [&[0xa0 | u8::try_from(word.len()).unwrap()], word.as_bytes()].concat();
        let bytes = [&canonical[..at], &text, &canonical[at + 4..]].concat();
        with_decoded(Form::L1Msgpack, &bytes, |action| action.map(|_| ()))
    };
    assert_eq!(msgpack("Gtc"), Ok(()));
    let why = msgpack("LiquidationMarket").unwrap_err();
    assert_eq!(why, Why::new(Refusal::TimeInForceNotSupported).subject(0));
    assert_eq!(why.refusal.family(), wire::Family::Unsupported);
    assert_eq!(msgpack("Fok").unwrap_err().refusal, Refusal::WordNotKnown);
}

#[test]
fn the_vault_rule_is_for_l1_actions_and_not_for_user_signed_ones() {
    let limits = Limits { without_vault: false, vaults: &[], ..LIMITS };
    for (form, action, judged) in [
        (Form::UserJson, USD_SEND, Ok(())),
        (Form::UserJson, SPOT_SEND, Ok(())),
        (Form::L1Json, ORDER, Err(Refusal::VaultNotAllowed)),
        (Form::L1Json, LEVERAGE, Err(Refusal::VaultNotAllowed)),
        (Form::L1Json, r#"{"type":"cancel","cancels":[{"a":3,"o":1}]}"#, Err(Refusal::VaultNotAllowed)),
        (
            Form::L1Json,
            r#"{"type":"cancelByCloid","cancels":[{"asset":3,"cloid":"0x00000000000000000000000000000001"}]}"#,
            Err(Refusal::VaultNotAllowed),
        ),
    ] {
        let result =
            with_payload(form, &payload(&ENVELOPE, &Claims::default(), action.as_bytes()), |action| {
                action.unwrap().judge(&limits, &ME, NOW).map(|_| ())
            });
        assert_eq!(result.map_err(|why| why.refusal), judged, "{action}");
    }
}

#[test]
fn a_notional_beyond_128_bits_is_above_any_cap() {
    let asset = AssetLimits { size_max: u128::MAX, price_max: u128::MAX, notional_max: u128::MAX, ..ASSET };
    let order = OrderLimits { assets: &[asset], action_notional_max: u128::MAX, ..LIMITS.order.unwrap() };
    let limits = Limits { order: Some(order), ..LIMITS };
    let huge = ORDER.replace("\"2\"", "\"1000000000000000000000000000000\"");
    assert_eq!(with_limits(&limits, &huge).unwrap_err().refusal, Refusal::NotionalAboveCap);
}

#[test]
fn a_refusal_in_a_batch_says_which_order_it_is_about() {
    let second = |fault: &str| {
        let one = r#"{"a":3,"b":true,"p":"100","s":"2","r":false,"t":{"limit":{"tif":"Ioc"}}}"#;
        let orders = format!("{one},{}", one.replace("\"2\"", fault));
        l1(&format!(r#"{{"type":"order","orders":[{orders}],"grouping":"na"}}"#)).unwrap_err()
    };
    for (fault, refusal) in [
        ("\"11\"", Refusal::SizeAboveCap),
        ("\"1.0\"", Refusal::DecimalNotCanonical),
        ("1", Refusal::FieldTypeNotExpected),
    ] {
        let why = second(fault);
        assert_eq!((why.refusal, why.subject), (refusal, Some(1)));
    }
}
