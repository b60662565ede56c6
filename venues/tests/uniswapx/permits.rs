//! Permits without a swap, and relay orders.

use serde_json::{Value, json};
use venues::{IdSpace, U256};
use wire::Refusal;

use crate::desk::{Desk, Draft, STRANGER, ZERO, address};
use crate::witness::Witness as _;

const UINT160_MAX: &str = "1461501637330902918203684832716283019655932542975";
const UINT256_MAX: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

fn single() -> Draft {
    let draft = Draft::of("PermitSingle", |_| true).with("/details/amount", "7");
    let deadline = draft.at("/sigDeadline");
    draft.with("/details/expiration", deadline)
}

fn batch(count: u64) -> Draft {
    let draft = Draft::of("PermitBatch", |_| true);
    let token = draft.at("/details/0/token");
    let details: Vec<Value> = (0..count)
        .map(|nonce| json!({ "token": token, "amount": "7", "expiration": "0", "nonce": nonce }))
        .collect();
    draft.with("/details", details)
}

fn transfer() -> Draft {
    Draft::of("PermitTransferFrom", |_| true).with("/permitted/amount", "7")
}

#[test]
fn a_listed_spender_gets_an_allowance_and_each_nonce_is_used_up() {
    let charge = single().judge().unwrap();
    assert_eq!(charge.single_use_ids.iter().flatten().count(), 1);
    let charge = batch(8).judge().unwrap();
    let ids: Vec<_> = charge.single_use_ids.iter().flatten().collect();
    assert_eq!(ids.len(), 8);
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(id.space, IdSpace::Permit2Allowance);
        assert!(ids[at + 1..].iter().all(|other| other.id != id.id));
    }
}

#[test]
fn a_permit_of_more_tokens_than_it_can_use_up_is_unsupported_by_name() {
    let text = batch(9).document.to_string();
    let refusal = venues::uniswapx::decode(text.as_bytes()).unwrap_err().witnessed().refusal;
    assert_eq!(refusal, Refusal::TooManyPermittedTokens);
}

#[test]
fn an_allowance_is_refused_by_the_rule_it_breaks() {
    let table = [
        (single().with("/spender", STRANGER), Refusal::PermitSpenderNotAllowed),
        (single().with("/spender", ZERO), Refusal::PermitSpenderNotAllowed),
        (single().with("/details/token", STRANGER), Refusal::PermitTokenNotAllowed),
        (single().with("/details/amount", UINT160_MAX), Refusal::PermitAmountAboveCap),
        (single().with("/details/expiration", "281474976710655"), Refusal::PermitExpirationTooFar),
        (single().with("/sigDeadline", UINT256_MAX), Refusal::OrderDeadlineTooFar),
        (single().with("/sigDeadline", "1"), Refusal::OrderDeadlinePassed),
        (batch(0), Refusal::PermitsEmpty),
        (batch(2).with("/details/1/token", STRANGER), Refusal::PermitTokenNotAllowed),
    ];
    for (draft, expected) in table {
        assert_eq!(draft.refusal(), Some(expected));
    }
}

#[test]
fn unlimited_is_above_every_cap() {
    let unlimited = |desk: &mut Desk| desk.amount_max = U256::MAX;
    let single = single().with("/details/amount", UINT160_MAX);
    assert_eq!(single.judge_by(unlimited).unwrap_err().refusal, Refusal::PermitAmountAboveCap);
    let transfer = transfer().with("/permitted/amount", UINT256_MAX);
    assert_eq!(transfer.judge_by(unlimited).unwrap_err().refusal, Refusal::PermitAmountAboveCap);
}

#[test]
fn permits_are_off_unless_they_are_granted_on_the_chain() {
    for draft in [single(), batch(1), transfer()] {
        assert_eq!(draft.refusal(), None);
        let text = draft.document.to_string();
        let data = venues::uniswapx::decode(text.as_bytes()).unwrap();
        let now = wire::Now { monotonic_ms: 0, wall_ms: draft.now_s * 1000 };
        let refusal = Desk::new(&draft.known).judged(|limits| {
            let mut limits = *limits;
            (limits.allowances, limits.transfers) = (&[], &[]);
            venues::Payload::judge(&data, &limits, &draft.account, now).unwrap_err().witnessed().refusal
        });
        assert_eq!(refusal, Refusal::PermitNotGranted);
    }
}

#[test]
fn a_transfer_is_refused_by_the_rule_it_breaks() {
    assert_eq!(transfer().judge().unwrap().single_use_ids[0].unwrap().space, IdSpace::Permit2Transfer);
    let table = [
        (transfer().with("/spender", STRANGER), Refusal::PermitSpenderNotAllowed),
        (transfer().with("/permitted/token", STRANGER), Refusal::PermitTokenNotAllowed),
        (transfer().with("/deadline", UINT256_MAX), Refusal::OrderDeadlineTooFar),
        (transfer().with("/deadline", "0"), Refusal::OrderDeadlinePassed),
    ];
    for (draft, expected) in table {
        assert_eq!(draft.refusal(), Some(expected));
    }
}

/// 7 of a token for each of `tokens`.
fn transfer_batch(tokens: &[&str]) -> Draft {
    let mut draft = transfer();
    let (token, second) = (draft.at("/permitted/token"), json!(STRANGER));
    let permitted: Vec<_> = tokens
        .iter()
        .map(|name| json!({ "token": if *name == "first" { &token } else { &second }, "amount": "7" }))
        .collect();
    let types = draft.document["types"].as_object_mut().unwrap();
    let mut fields = types.remove("PermitTransferFrom").unwrap();
    *fields.pointer_mut("/0/type").unwrap() = json!("TokenPermissions[]");
    types.insert("PermitBatchTransferFrom".into(), fields);
    draft.document["primaryType"] = json!("PermitBatchTransferFrom");
    draft.known.push(address(STRANGER));
    draft.with("/permitted", permitted)
}

#[test]
fn a_token_that_is_permitted_several_times_is_held_to_its_cap_in_all() {
    let capped = |tokens: &[&str], cap: u64| {
        let judged = transfer_batch(tokens).judge_by(|desk| desk.amount_max = U256::from(cap));
        judged.err().map(|why| (why.refusal, why.subject, why.observed))
    };
    let sum = |amount: u64| wire::Shown::Uint256(U256::from(amount).to_be_bytes());
    assert_eq!(capped(&["first", "second"], 7), None);
    assert_eq!(capped(&["first"; 8], 56), None);
    let above = |at, amount| Some((Refusal::PermitAmountAboveCap, Some(at), sum(amount)));
    assert_eq!(capped(&["first"; 8], 55), above(7, 56));
    assert_eq!(capped(&["first", "second", "first"], 13), above(2, 14));
    let huge = transfer_batch(&["first", "first"]).with("/permitted/1/amount", UINT256_MAX);
    assert_eq!(huge.refusal(), Some(Refusal::PermitAmountAboveCap));
}

/// A relay order of 100 of one token for `to`, with a fee of at most 5 of another.
pub(crate) fn relay(to: &str) -> Draft {
    let field = |name: &str, field_type: &str| json!({ "name": name, "type": field_type });
    let list =
        |fields: &[(&str, &str)]| Value::from(fields.iter().map(|(n, t)| field(n, t)).collect::<Vec<_>>());
    let (token, fee, reactor) =
        (format!("0x{}", "0a".repeat(20)), format!("0x{}", "0b".repeat(20)), STRANGER);
    let swapper = format!("0x{}", "0c".repeat(20));
    let numbers = [("nonce", "uint256"), ("deadline", "uint256")];
    let info = [&[("reactor", "address"), ("swapper", "address")][..], &numbers].concat();
    let permit = [
        &[("permitted", "TokenPermissions[]"), ("spender", "address")][..],
        &numbers,
        &[("witness", "RelayOrder")],
    ]
    .concat();
    let document = json!({
        "types": {
            "EIP712Domain": list(&[("name", "string"), ("chainId", "uint256"), ("verifyingContract", "address")]),
            "TokenPermissions": list(&[("token", "address"), ("amount", "uint256")]),
            "PermitBatchWitnessTransferFrom": list(&permit),
            "RelayOrder": list(&[
                ("info", "RelayOrderInfo"), ("input", "Input"), ("fee", "FeeEscalator"),
                ("universalRouterCalldata", "bytes"),
            ]),
            "RelayOrderInfo": list(&info),
            "Input": list(&[("token", "address"), ("amount", "uint256"), ("recipient", "address")]),
            "FeeEscalator": list(&[
                ("token", "address"), ("startAmount", "uint256"), ("endAmount", "uint256"),
                ("startTime", "uint256"), ("endTime", "uint256"),
            ]),
        },
        "primaryType": "PermitBatchWitnessTransferFrom",
        "domain": {
            "name": "Permit2", "chainId": 1, "verifyingContract": "0x000000000022D473030F116dDEE9F6B43aC78BA3",
        },
        "message": {
            "permitted": [{ "token": token, "amount": 100 }, { "token": fee, "amount": 5 }],
            "spender": reactor, "nonce": 9, "deadline": 1000,
            "witness": {
                "info": { "reactor": reactor, "swapper": swapper, "nonce": 9, "deadline": 1000 },
                "input": { "token": token, "amount": 100, "recipient": to },
                "fee": { "token": fee, "startAmount": 1, "endAmount": 5, "startTime": 900, "endTime": 1000 },
                "universalRouterCalldata": "0x",
            },
        },
    });
    let known = [&token, &fee, &reactor.to_owned()].map(|known| address(known)).to_vec();
    Draft { document, account: address(&swapper), now_s: 940, known }
}

#[test]
fn a_relay_order_without_call_data_is_a_transfer_with_a_fee() {
    let own = format!("0x{}", "0c".repeat(20));
    assert_eq!(relay(&own).refusal(), None);
    let table = [
        ("/witness/universalRouterCalldata", json!("0x24856bc3"), Refusal::RouterCalldataNotSupported),
        ("/spender", json!(ZERO), Refusal::SpenderNotReactor),
        ("/nonce", json!(8), Refusal::PermitNonceDiffers),
        ("/deadline", json!(999), Refusal::PermitDeadlineDiffers),
        ("/permitted/0/amount", json!(101), Refusal::PermitAmountDiffers),
        ("/permitted/1/amount", json!(6), Refusal::PermitAmountDiffers),
        ("/permitted/1/token", json!(STRANGER), Refusal::PermitTokenDiffers),
        ("/permitted", json!([]), Refusal::PermittedCountDiffers),
        ("/witness/info/swapper", json!(STRANGER), Refusal::SwapperNotThisKey),
        ("/witness/fee/startAmount", json!(6), Refusal::AmountsNotOrdered),
        ("/witness/fee/startTime", json!(1001), Refusal::DecayTimesNotOrdered),
        ("/witness/fee/endTime", json!(1001), Refusal::DecayTimesNotOrdered),
        ("/witness/input/recipient", json!(ZERO), Refusal::RelayInputNotAllowed),
    ];
    for (pointer, value, expected) in table {
        assert_eq!(relay(&own).with(pointer, value).refusal(), Some(expected), "{pointer}");
    }
    let feeless = relay(&own).judge_by(|desk| desk.fee_tokens.clear()).unwrap_err();
    assert_eq!(feeless.refusal, Refusal::RelayFeeNotAllowed);
    let dear = relay(&own).judge_by(|desk| desk.fee_max = U256::from(4)).unwrap_err();
    assert_eq!(
        (dear.refusal, dear.limit),
        (Refusal::RelayFeeNotAllowed, wire::Shown::Uint256(U256::from(4).to_be_bytes()))
    );
    let why = relay(&own).judge_by(|desk| desk.amount_max = U256::from(99)).unwrap_err();
    assert_eq!(why.refusal, Refusal::OrderAmountAboveCap);
    let why = relay(&own).judge_by(|desk| desk.reactors.clear()).unwrap_err();
    assert_eq!(why.refusal, Refusal::ReactorNotAllowed);
}
