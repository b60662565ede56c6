//! The vector files: made with the libraries that wallets and bots run.

use std::fs;

use serde_json::Value;
use venues::book_value::AnyOr;
use venues::evm::rules::{
    ApproveLimits, Limits, NativeLimits, Permit2ApproveLimits, Permit2Limits, PermitLimits, PortionLimits,
    Ratio, Router, SwapLimits, TokenLimits, TransferFromLimits, TransferLimits, WethLimits,
};
use venues::evm::{Transaction, decode};
use venues::{Address, Payload, U256};
use wire::{Family, Now, Why};

use crate::facts::facts_of;
use crate::witness::Witness as _;

const CHAINS: &[u64] = &[1, 10, 137, 8453, 42161];
const DAYS_90_S: u64 = 90 * 24 * 60 * 60;

pub(crate) struct Line {
    pub(crate) json: Value,
    pub(crate) payload: Vec<u8>,
}

impl Line {
    pub(crate) fn text(&self, member: &str) -> &str {
        self.json[member].as_str().unwrap()
    }
}

/// The lines of a vector file whose input is hex at all.
pub(crate) fn lines(name: &str) -> Vec<Line> {
    let path = format!("{}/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|json| {
            let payload = from_hex(json["input"].as_str().unwrap())?;
            Some(Line { json, payload })
        })
        .collect()
}

pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap();
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}

pub(crate) fn address(text: &str) -> Option<Address> {
    (text.len() == 42 && text.starts_with("0x")).then(|| from_hex(text)?.try_into().ok()).flatten()
}

/// Every address in a line's facts.
fn addresses(facts: &Value) -> Vec<Address> {
    match facts {
        Value::String(text) => address(text).into_iter().collect(),
        Value::Array(list) => list.iter().flat_map(addresses).collect(),
        Value::Object(members) => members.values().flat_map(addresses).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Addresses in lower case, everything else as it is.
fn lowered(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if address(text).is_some() => Value::from(text.to_lowercase()),
        _ => value.clone(),
    }
}

/// Whether the facts hold every member of the line's facts that is told under the same name.
fn assert_facts_equal(line: &Line, told: &Value) {
    const ENVELOPE: &[&str] = &[
        "chain_id",
        "nonce",
        "max_priority_fee_per_gas",
        "max_fee_per_gas",
        "gas_limit",
        "to",
        "value",
        "access_list_addresses",
        "access_list_keys",
    ];
    const CALL: &[&str] = &[
        "function",
        "token",
        "from",
        "recipient",
        "spender",
        "amount",
        "token_in",
        "token_out",
        "owner",
        "amount_in",
        "amount_out_min",
        "amount_out",
        "amount_in_max",
        "path",
        "fees",
        "fee",
        "deadline",
    ];
    let facts = &line.json["facts"];
    let understood = told.get("function").is_some();
    // Of an exact output the file tells the path as it is written, the receipt from input to output.
    let reversed = facts.get("path_reversed").is_some();
    for member in ENVELOPE.iter().chain(if understood { CALL } else { &[] }) {
        if reversed && ["path", "fees"].contains(member) {
            continue;
        }
        let expected = facts.get(member).map(|value| match value {
            Value::Array(list) => list.iter().map(lowered).collect(),
            // the file writes a creation's `to` as null
            Value::Null => Value::from(""),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => lowered(value),
        });
        assert_eq!(told.get(member), expected.as_ref(), "{} {member}", line.text("id"));
    }
}

/// Judges by the book that the judge's README describes, with `allow` as every list.
fn judge(
    transaction: &Transaction<'_>,
    allow: &[Address],
    account: &Address,
    wall_ms: u64,
) -> Result<(), Why> {
    let cap = U256::MAX >> 1;
    let swap = |router| SwapLimits {
        chains: CHAINS,
        routers: allow,
        router,
        tokens_in: allow,
        tokens_out: allow,
        intermediates: allow,
        pool_fees: AnyOr::Any,
        recipients: allow,
        amount_in_max: cap,
        out_per_in_min: Ratio { numerator: U256::ZERO, denominator: U256::ONE },
        deadline_ahead_max_s: DAYS_90_S,
        without_deadline: true,
        exact_output: true,
        native: true,
        fee_on_transfer: true,
        multicall: true,
        portion: Some(PortionLimits { recipients: allow, bips_max: 10_000 }),
    };
    let routers = [
        swap(Router::SwapRouter),
        swap(Router::SwapRouter02),
        swap(Router::V2Router),
        swap(Router::UniversalRouterV1_2),
        swap(Router::UniversalRouterV2_1_1),
    ];
    let weth = weth();
    let limits = Limits {
        chains: CHAINS,
        fee_per_gas_max: cap,
        gas_limit_max: u64::MAX,
        transaction_fee_max: cap,
        access_list_entries_max: 1000,
        native: &[NativeLimits { chains: CHAINS, recipients: allow, value_max: cap }],
        tokens: &[TokenLimits {
            chains: CHAINS,
            tokens: allow,
            transfer: Some(TransferLimits { recipients: allow, amount_max: cap }),
            approve: Some(ApproveLimits { spenders: allow, amount_max: cap }),
            transfer_from: Some(TransferFromLimits { owners: allow, recipients: allow, amount_max: cap }),
            permit: Some(PermitLimits {
                owners: allow,
                spenders: allow,
                amount_max: cap,
                deadline_ahead_max_s: DAYS_90_S,
            }),
            revoke: true,
        }],
        swaps: &routers,
        weth: &weth,
        permit2: &[Permit2Limits {
            chains: CHAINS,
            contracts: allow,
            approve: Some(Permit2ApproveLimits {
                tokens: allow,
                spenders: allow,
                amount_max: cap,
                expiration_ahead_max_s: DAYS_90_S,
            }),
            revoke: true,
        }],
        cancel: true,
    };
    let now = Now { monotonic_ms: 0, wall_ms };
    transaction.judge(&limits, account, now).map(drop).witnessed()
}

/// The WETH of the chains that the lines use it on.
fn weth() -> Vec<WethLimits<'static>> {
    let cap = Some(U256::MAX >> 1);
    let of = |chains, text: &str| WethLimits {
        chains,
        contract: address(text).unwrap(),
        deposit_max: cap,
        withdraw_max: cap,
    };
    vec![
        of(&[1], "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"),
        of(&[10, 8453], "0x4200000000000000000000000000000000000006"),
        of(&[137], "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270"),
        of(&[42161], "0x82af49447d8a07e3bd95bd0d56f35241523fbab1"),
    ]
}

fn clock(line: &Line) -> u64 {
    let deadline = line.json["facts"]["deadline"].as_str();
    deadline.map_or(1_790_812_800_000, |deadline| (deadline.parse::<u64>().unwrap() - 60) * 1000)
}

#[test]
fn every_positive_line_decodes_to_its_digest_and_its_facts() {
    let lines = lines("evm_eip1559");
    assert_eq!(lines.len(), 200);
    for line in &lines {
        let transaction = decode(&line.payload).unwrap_or_else(|why| panic!("{} {why:?}", line.text("id")));
        let digest = from_hex(line.text("digest")).unwrap();
        assert_eq!(transaction.preimage().as_bytes()[..], digest, "{}", line.text("id"));
        assert_eq!(transaction.label()[..], digest);
        assert_eq!(transaction.canonical(), line.payload);
        assert_facts_equal(line, &facts_of(&transaction));
    }
}

#[test]
fn every_common_positive_line_is_allowed_by_a_book_that_lists_its_addresses() {
    for line in lines("evm_eip1559").iter().filter(|line| line.json["mix"] == "common") {
        let transaction = decode(&line.payload).unwrap();
        let account = address(line.text("address")).unwrap();
        let allow = addresses(&line.json["facts"]);
        let judged = judge(&transaction, &allow, &account, clock(line));
        assert_eq!(judged, Ok(()), "{}", line.text("id"));
    }
}

#[test]
fn a_positive_line_that_is_not_allowed_is_unsupported_or_denied_for_a_reason_of_its_kind() {
    for line in lines("evm_eip1559").iter().filter(|line| line.json["mix"] != "common") {
        let transaction = decode(&line.payload).unwrap();
        let account = address(line.text("address")).unwrap();
        let allow = addresses(&line.json["facts"]);
        let Err(why) = judge(&transaction, &allow, &account, clock(line)) else {
            continue;
        };
        let expected: &[&str] = match line.text("kind") {
            "contract_creation" | "contract_creation_empty" => &["CreationNotSupported"],
            "fees_max" => &["FeePerGasAboveCap"],
            "value_edge" => &["ValueAboveCap"],
            "erc20_approve_unlimited_permit2" | "erc20_transfer_max" => &["AmountAboveCap"],
            "access_list" => &["ValueNotAllowed"],
            // Of a multicall the deadlines stand inside, where the clock of this test does not look; one permit
            // is good for longer than the book allows.
            "v3_router_swap" => &["DeadlinePassed"],
            "universal_router_execute" => &["DeadlineTooFar"],
            "to_zero_address" => &["RecipientNotAllowed"],
            _ => &["CallNotSupported"],
        };
        assert!(expected.contains(&why.refusal.name()), "{} {} {why:?}", line.text("id"), line.text("kind"));
    }
}

#[test]
fn every_negative_line_is_refused_and_by_the_right_layer() {
    let known: Vec<Address> =
        lines("evm_eip1559").iter().flat_map(|line| addresses(&line.json["facts"])).collect();
    let lines = lines("negative_evm_eip1559");
    assert_eq!(lines.len(), 61 - 2, "two lines are not hex");
    for line in &lines {
        let id = line.text("id");
        let decoded = decode(&line.payload);
        if line.text("stage") == "decode" {
            let why = decoded.expect_err(id);
            assert_eq!(why.refusal.family(), Family::Malformed, "{id}");
        } else {
            let why = judge(&decoded.unwrap(), &known, &[0x42; 20], clock(line)).expect_err(id);
            assert_ne!(why.refusal.family(), Family::Malformed, "{id}");
        }
    }
}
