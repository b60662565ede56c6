//! The vector files: made with the libraries that wallets and bots run.

use std::fs;

use serde_json::Value;
use venues::evm::rules::{
    ApproveLimits, Limits, NativeLimits, Ratio, Router, SwapLimits, TokenLimits, TransferFromLimits,
    TransferLimits,
};
use venues::evm::{Transaction, decode};
use venues::{Address, Payload, U256};
use wire::{Family, Now, Why};

use crate::facts::facts_of;

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

fn address(text: &str) -> Option<Address> {
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
        "amount_in",
        "amount_out_min",
        "fee",
        "deadline",
    ];
    let facts = &line.json["facts"];
    let understood = told.get("function").is_some();
    for member in ENVELOPE.iter().chain(if understood { CALL } else { &[] }) {
        let expected = facts.get(member).map(|value| match value.as_str() {
            Some(text) if address(text).is_some() => Value::from(text.to_lowercase()),
            Some(text) => Value::from(text),
            // the file writes a creation's `to` as null
            None => Value::from(""),
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
        pool_fees: &[],
        recipients: allow,
        amount_in_max: cap,
        out_per_in_min: Ratio { numerator: U256::ZERO, denominator: U256::ONE },
        deadline_ahead_max_s: DAYS_90_S,
    };
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
        }],
        swaps: &[swap(Router::SwapRouter), swap(Router::SwapRouter02)],
    };
    let now = Now { monotonic_ms: 0, wall_ms };
    transaction.judge(&limits, account, now).map(drop)
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
            "v3_router_swap" => &["ValueNotAllowed", "CallNotSupported"],
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
