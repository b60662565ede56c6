//! What an action can do to the desk's risk, and what it puts at stake: the measure of modes and budgets.

use venues::hyperliquid::Form;
use venues::hyperliquid::rules::{AssetLimits, Limits, OrderLimits, TransferLimits};
use venues::{Effect, Exposure, Exposures, Market, Payload as _};
use wire::{Refusal, Venue, Why};

use crate::exposure::{BATCH_MODIFY, MARGIN, MODIFY, SCHEDULE, TWAP};
use crate::funds::{APPROVE_AGENT, CLASS_TRANSFER, SEND_ASSET};
use crate::refusals::{ASSET, LIMITS, ORDER, SPOT_SEND, USD_SEND};
use crate::vectors::with_decoded;

const CANCEL: &str = r#"{"type":"cancel","cancels":[{"a":3,"o":7}]}"#;
const CANCEL_BY_CLOID: &str =
    r#"{"type":"cancelByCloid","cancels":[{"asset":3,"cloid":"0x00000000000000000000000000000001"}]}"#;
const LEVERAGE: &str = r#"{"type":"updateLeverage","asset":3,"isCross":true,"leverage":2}"#;

fn effect(action: &str) -> Effect {
    with_decoded(Form::L1Json, action.as_bytes(), |action| action.unwrap().effect(&[0; 20]))
}

fn exposures_by(limits: &Limits<'_>, form: Form, action: &str) -> Result<Vec<Exposure>, Why> {
    with_decoded(form, action.as_bytes(), |action| {
        let mut exposures = Exposures::EMPTY;
        action.unwrap().expose(limits, &[], &mut exposures)?;
        Ok(exposures.entries().to_vec())
    })
}

fn exposures(action: &str) -> Result<Vec<Exposure>, Why> {
    exposures_by(&LIMITS, Form::L1Json, action)
}

fn funds(notional_micro_usd: u128) -> Vec<Exposure> {
    let market = Market::funds(Venue::Hyperliquid);
    vec![Exposure { market, is_post_only: false, orders: 1, notional_micro_usd }]
}

fn stake(is_post_only: bool, orders: u32, usd: u128) -> Exposure {
    let market = Market::number(Venue::Hyperliquid, 3);
    Exposure { market, is_post_only, orders, notional_micro_usd: usd * 1_000_000 }
}

#[test]
fn only_what_takes_orders_away_is_a_cancel() {
    for cancel in [CANCEL, CANCEL_BY_CLOID, SCHEDULE, r#"{"type":"twapCancel","a":3,"t":46219}"#] {
        assert_eq!(effect(cancel), Effect::Cancels, "{cancel}");
    }
    assert_eq!(effect(r#"{"type":"scheduleCancel"}"#), Effect::Opens, "it takes a protection away");
    for other in [ORDER, MODIFY, BATCH_MODIFY, TWAP, MARGIN, LEVERAGE] {
        assert_eq!(effect(other), Effect::Opens, "{other}");
    }
}

#[test]
fn an_action_reduces_when_every_order_of_it_is_reduce_only() {
    let reduce_only = |action: &str| action.replace("\"r\":false", "\"r\":true");
    for action in [ORDER, MODIFY, BATCH_MODIFY, TWAP] {
        assert_eq!(effect(&reduce_only(action)), Effect::Reduces, "{action}");
    }
    assert_eq!(effect(&BATCH_MODIFY.replacen("\"r\":false", "\"r\":true", 1)), Effect::Opens);
}

#[test]
fn a_buy_is_worth_its_limit_and_a_sell_the_top_of_the_collar() {
    assert_eq!(exposures(ORDER), Ok(vec![stake(false, 1, 200)]));
    let sell = ORDER.replace("\"b\":true", "\"b\":false");
    assert_eq!(exposures(&sell), Ok(vec![stake(false, 1, 400)]));
    assert_eq!(exposures(&ORDER.replace("Ioc", "Alo").replace("Gtc", "Alo")), Ok(vec![stake(true, 1, 200)]));
    assert_eq!(exposures(TWAP), Ok(vec![stake(false, 1, 400)]));
    // 2 at 100, and a sell of 1 at 200.
    assert_eq!(exposures(BATCH_MODIFY), Ok(vec![stake(false, 2, 400)]));
}

#[test]
fn less_than_a_micro_usd_counts_as_one() {
    let tiny = ORDER.replace("\"s\":\"2\"", "\"s\":\"0.00000001\"");
    assert_eq!(exposures(&tiny).unwrap()[0].notional_micro_usd, 1);
}

#[test]
fn cancels_and_settings_put_nothing_at_stake_and_margin_its_amount() {
    for nothing in [CANCEL, CANCEL_BY_CLOID, SCHEDULE, LEVERAGE] {
        assert_eq!(exposures(nothing), Ok(vec![]), "{nothing}");
    }
    let margin = exposures(MARGIN).unwrap();
    assert_eq!(margin[0].market, Market::funds(Venue::Hyperliquid));
    assert_eq!(margin[0].notional_micro_usd, 40_000_000);
}

#[test]
fn an_asset_that_the_book_does_not_name_has_no_worth() {
    let refused = exposures(&ORDER.replace("\"a\":3", "\"a\":4")).unwrap_err().refusal;
    assert_eq!(refused, Refusal::AssetNotAllowed);
}

#[test]
fn transfers_of_usdc_are_dollars_and_of_spot_tokens_what_their_entry_says() {
    let valued: Vec<_> = LIMITS
        .transfers
        .iter()
        .map(|entry| match entry.tokens {
            ["PURR:0x01"] => TransferLimits { usd_max: Some(250_000), ..*entry },
            ["USDC:0x02"] => TransferLimits { usd_max: Some(1_000_000), ..*entry },
            _ => *entry,
        })
        .collect();
    let limits = Limits { transfers: &valued, ..LIMITS };
    let withdraw = USD_SEND.replace("usdSend", "withdraw3");
    let of = |action: &str, from: &str, to: &str| {
        let action = action.replace(from, to);
        exposures_by(&limits, Form::UserJson, &action)
    };
    for (action, amount, micro_usd) in [
        (USD_SEND, "\"5\"", 5_000_000),
        (USD_SEND, "\"0\"", 0),
        // Less than a micro-USD counts as one.
        (USD_SEND, "\"0.00000001\"", 1),
        (USD_SEND, "\"1.00000101\"", 1_000_002),
        (USD_SEND, "\"3402823669209384634633746074317\"", 3_402_823_669_209_384_634_633_746_074_317_000_000),
        (&withdraw, "\"5\"", 5_000_000),
        (SPOT_SEND, "\"5\"", 1_250_000),
        (SPOT_SEND, "\"0.00000001\"", 1),
        (SEND_ASSET, "\"5\"", 5_000_000),
        (CLASS_TRANSFER, "\"7\"", 7_000_000),
        (CLASS_TRANSFER, "\"7 subaccount:0x6666666666666666666666666666666666666666\"", 7_000_000),
    ] {
        let stated = if action == CLASS_TRANSFER { "\"7\"" } else { "\"5\"" };
        assert_eq!(of(action, stated, amount), Ok(funds(micro_usd)), "{action} {amount}");
    }
    assert_eq!(of(APPROVE_AGENT, "desk", ""), Ok(vec![]));
    for unvalued in [SPOT_SEND, SEND_ASSET] {
        let refused = exposures_by(&LIMITS, Form::UserJson, unvalued).unwrap_err().refusal;
        assert_eq!(refused, Refusal::TokenHasNoValue);
    }
}

#[test]
fn what_an_asset_is_quoted_in_has_the_worth_that_the_book_says() {
    const OTHER: AssetLimits = AssetLimits { quote_usd_max: 1_500_001, ..ASSET };
    let limits = Limits { order: Some(OrderLimits { assets: &[OTHER], ..LIMITS.order.unwrap() }), ..LIMITS };
    let worth = |action: &str| exposures_by(&limits, Form::L1Json, action).unwrap()[0].notional_micro_usd;
    // 2 at 100, then 2 at the top of the collar, 200.
    assert_eq!(worth(ORDER), 200 * 1_500_001);
    assert_eq!(worth(TWAP), 400 * 1_500_001);
    assert_eq!(worth(MARGIN), 40 * 1_500_001);
    let tiny = ORDER.replace("\"s\":\"2\"", "\"s\":\"0.00000001\"");
    // A micro-USD and a half, and a bit.
    assert_eq!(worth(&tiny), 2);
    let most = ORDER.replace("\"s\":\"2\"", "\"s\":\"3402823669209384634633746074317\"");
    assert_eq!(worth(&most), u128::MAX, "more than 128 bits hold");
}
