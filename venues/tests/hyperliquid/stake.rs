//! What an action can do to the desk's risk, and what it puts at stake: the measure of modes and budgets.

use venues::hyperliquid::Form;
use venues::{Effect, Exposure, Exposures, Market, Payload as _};
use wire::{Refusal, Venue, Why};

use crate::exposure::{BATCH_MODIFY, MARGIN, MODIFY, SCHEDULE, TWAP};
use crate::refusals::{LIMITS, ORDER};
use crate::vectors::with_decoded;

const CANCEL: &str = r#"{"type":"cancel","cancels":[{"a":3,"o":7}]}"#;
const CANCEL_BY_CLOID: &str =
    r#"{"type":"cancelByCloid","cancels":[{"asset":3,"cloid":"0x00000000000000000000000000000001"}]}"#;
const LEVERAGE: &str = r#"{"type":"updateLeverage","asset":3,"isCross":true,"leverage":2}"#;

fn effect(action: &str) -> Effect {
    with_decoded(Form::L1Json, action.as_bytes(), |action| action.unwrap().effect(&[0; 20]))
}

fn exposures(action: &str) -> Result<Vec<Exposure>, Why> {
    with_decoded(Form::L1Json, action.as_bytes(), |action| {
        let mut exposures = Exposures::EMPTY;
        action.unwrap().expose(&LIMITS, &[], &mut exposures)?;
        Ok(exposures.entries().to_vec())
    })
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
