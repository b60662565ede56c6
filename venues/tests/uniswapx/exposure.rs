//! What typed data can do to the desk's risk, and what they put at stake: the measure of modes and budgets.

use serde_json::{Value, json};
use venues::uniswapx::decode;
use venues::{Address, Effect, Exposures, Market, Payload as _, TokenValue, U256};
use wire::{Refusal, Shown, Venue, Why};

use crate::desk::{Desk, Draft, ZERO, address, from_hex, lines};
use crate::permits::relay;

/// Tokens with orders and amounts: a base unit of every token is worth a micro-USD.
fn exposed(text: &[u8], known: &[Address]) -> Result<Vec<(Market, u32, u128)>, Why> {
    let data = decode(text).unwrap();
    let chain_id = data.domain().chain_id;
    let value =
        |token: &Address| TokenValue { name: "token", chain_id, token: *token, decimals: 0, usd_max: 1 };
    let values: Vec<_> = known.iter().map(value).collect();
    let mut exposures = Exposures::EMPTY;
    Desk::new(known).judged(|limits| data.expose(limits, &values, &mut exposures))?;
    let entries = exposures.entries().iter();
    assert!(entries.clone().all(|entry| !entry.is_post_only));
    Ok(entries.map(|entry| (entry.market, entry.orders, entry.notional_micro_usd)).collect())
}

fn effect(text: &[u8]) -> Effect {
    decode(text).unwrap().effect(&[0; 20])
}

/// Of a draft's one chain.
fn market(draft: &Draft, token: &Value) -> Market {
    let chain_id = decode(&text(draft)).unwrap().domain().chain_id;
    Market::token(Venue::Uniswapx, chain_id, &address(token.as_str().unwrap()))
}

fn allowances(amounts: &[&str]) -> Draft {
    let draft = Draft::of("PermitBatch", |_| true);
    let token = draft.at("/details/0/token");
    let details = amounts.iter().zip(0..);
    let details: Vec<Value> = details
        .map(|(amount, nonce)| json!({ "token": token, "amount": amount, "expiration": "0", "nonce": nonce }))
        .collect();
    draft.with("/details", details)
}

fn text(draft: &Draft) -> Vec<u8> {
    draft.document.to_string().into_bytes()
}

#[test]
fn every_line_puts_at_stake_what_its_permit_says() {
    let lines = lines("uniswapx");
    assert_eq!(lines.len(), 200);
    for line in lines {
        let text = line
            .get("input")
            .and_then(Value::as_str)
            .map_or_else(|| from_hex(line["input_hex"].as_str().unwrap()), |text| text.as_bytes().to_vec());
        let facts = &line["facts"];
        let of = |member: &str| facts[member].as_array().unwrap().iter().map(|value| value.as_str().unwrap());
        let tokens: Vec<Address> = of("tokens").map(address).collect();
        let amounts = of("amounts").map(|amount| amount.parse::<u128>().unwrap_or(u128::MAX));
        let is_allowance = facts["primary_type"] == "PermitSingle" || facts["primary_type"] == "PermitBatch";
        let chain_id = facts["chain_id"].as_str().unwrap().parse().unwrap();
        let mut expected: Vec<(Market, u32, u128)> = Vec::new();
        for (token, amount) in tokens.iter().zip(amounts).filter(|(_, amount)| !is_allowance || *amount != 0)
        {
            let market = Market::token(Venue::Uniswapx, chain_id, token);
            match expected.iter_mut().find(|(known, ..)| *known == market) {
                Some((_, orders, sum)) => (*orders, *sum) = (*orders + 1, sum.saturating_add(amount)),
                None => expected.push((market, 1, amount)),
            }
        }
        assert_eq!(exposed(&text, &tokens), Ok(expected), "{}", line["id"]);
        assert_eq!(effect(&text), Effect::Opens, "{}", line["id"]);
    }
}

#[test]
fn an_order_is_one_and_at_stake_is_the_most_that_it_can_take() {
    for (kind, start, most) in [
        ("ExclusiveDutchOrder", "/witness/inputStartAmount", "/witness/inputEndAmount"),
        ("V2DutchOrder", "/witness/baseInputStartAmount", "/witness/baseInputEndAmount"),
        ("V3DutchOrder", "/witness/baseInput/startAmount", "/witness/baseInput/maxAmount"),
    ] {
        let draft = Draft::of(kind, |line| line["mix"] == "common")
            .with(start, "5000")
            .with(most, "7000")
            .with("/permitted/amount", "7000");
        let stake = (market(&draft, &draft.at("/permitted/token")), 1, 7000);
        assert_eq!(exposed(&text(&draft), &draft.known), Ok(vec![stake]), "{kind}");
        if kind != "V3DutchOrder" {
            assert_eq!(draft.refusal(), None, "{kind}");
        }
    }
    let priority = Draft::of("PriorityOrder", |line| line["mix"] == "common")
        .with("/witness/input/amount", "7000")
        .with("/permitted/amount", "7000");
    let stake = (market(&priority, &priority.at("/permitted/token")), 1, 7000);
    assert_eq!(exposed(&text(&priority), &priority.known), Ok(vec![stake]));
}

#[test]
fn a_permit_puts_each_of_its_tokens_at_stake_and_what_it_takes_back_not() {
    let draft = allowances(&["7", "0", "5"]);
    let stake = (market(&draft, &draft.at("/details/0/token")), 2, 12);
    assert_eq!(exposed(&text(&draft), &draft.known), Ok(vec![stake]));
    assert_eq!(effect(&text(&draft)), Effect::Opens);
}

#[test]
fn a_relay_order_puts_its_input_and_its_most_fee_at_stake() {
    let draft = relay(ZERO);
    assert_eq!(effect(&text(&draft)), Effect::Opens);
    let [input, fee] = ["/permitted/0/token", "/permitted/1/token"].map(|at| market(&draft, &draft.at(at)));
    assert_eq!(exposed(&text(&draft), &draft.known), Ok(vec![(input, 1, 100), (fee, 1, 5)]));
}

#[test]
fn a_permit_of_no_allowance_cancels_and_puts_nothing_at_stake() {
    let single = Draft::of("PermitSingle", |_| true).with("/details/amount", "0");
    for draft in [single, allowances(&["0", "0"])] {
        assert_eq!(effect(&text(&draft)), Effect::Cancels);
        assert_eq!(exposed(&text(&draft), &[]), Ok(vec![]));
    }
    assert_eq!(effect(&text(&allowances(&[]))), Effect::Opens, "a permit of nothing is no cancel");
    let transfer = Draft::of("PermitTransferFrom", |_| true).with("/permitted/amount", "0");
    assert_eq!(effect(&text(&transfer)), Effect::Opens);
}

#[test]
fn a_permit_without_end_is_worth_more_than_any_budget_holds() {
    let draft = Draft::of("PermitTransferFrom", |_| true).with("/permitted/amount", U256::MAX.to_string());
    let stake = (market(&draft, &draft.at("/permitted/token")), 1, u128::MAX);
    assert_eq!(exposed(&text(&draft), &draft.known), Ok(vec![stake]));
}

#[test]
fn a_token_that_the_book_does_not_value_is_refused() {
    let draft = Draft::of("V2DutchOrder", |line| line["mix"] == "common");
    let token = address(draft.at("/permitted/token").as_str().unwrap());
    let others: Vec<_> = draft.known.iter().copied().filter(|known| *known != token).collect();
    let why = exposed(&text(&draft), &others).unwrap_err();
    assert_eq!((why.refusal, why.observed), (Refusal::TokenHasNoValue, Shown::Address(token)));
}
