//! `[[buckets]]`, `[[values]]` and `expires`: how they are read, and every rule they are held to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use book::{Bucket, Counts, Orders, Per, policy_hash};
use compile::{Rule, compile};
use venues::TokenValue;
use venues::book_value::AnyOr;

const DESK: &str = include_str!("desk.toml");

/// One EVM key that may move two tokens and the native coin.
const EVM_DESK: &str = r#"
version = 1
desk = "evm-desk"
boot_mode = "live"
clients = [{ name = "bot", public_key = { x25519 = "0x3962653503c55e587bb66a98fa92c62e2bc29d53d16db33cb528e0ceb3797521" }, may = [{ key = 7, venues = "any" }] }]

[[slots]]
slot = 7
name = "evm"
public_key = { secp256k1 = "0x0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6" }

[slots.evm]
chains = [1, 10]
fee_per_gas_max = "100 gwei"
gas_limit_max = 500_000
transaction_fee_max = "0.05 ether"
access_list_entries_max = 8

[[slots.evm.native]]
chains = [1]
recipients = ["0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C"]
value_max = "1 ether"

[[slots.evm.tokens]]
chains = [1, 10]
tokens = ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]
transfer = { recipients = ["0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C"], amount_max = 10_000_000_000 }
"#;

const BUDGET: &str = r#"
[[buckets]]
name = "desk-notional"
counts = "notional"
per = "desk"
orders = "all"
venues = "any"
keys = "any"
clients = "any"
capacity = "250000.5"
refill = "50000"
refill_ms = 60_000
"#;

fn value(name: &str, chain: u64, token: &str) -> String {
    format!(
        "[[values]]\nname = {name:?}\nchain_id = {chain}\ntoken = {token:?}\ndecimals = 6\nusd_max = \"1.01\"\n"
    )
}

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

fn values() -> String {
    let coins = value("ether", 1, "native") + &value("ether-op", 10, "native");
    coins + &value("usdc", 1, USDC) + &value("usdc-op", 10, USDC)
}

fn rules(text: &str) -> Vec<Rule> {
    compile("desk.toml", text).unwrap_err().iter().map(|fault| fault.rule).collect()
}

/// The rules that the EVM desk breaks with all values and one budget of which a line was changed.
fn broken(from: &str, to: &str) -> Vec<Rule> {
    assert_eq!(BUDGET.matches(from).count(), 1, "{from:?} stands once in the budget");
    rules(&(EVM_DESK.to_owned() + &values() + &BUDGET.replace(from, to)))
}

#[test]
fn budgets_and_values_are_read_as_they_are_written() {
    let more = r#"
[[buckets]]
name = "key-requests"
counts = "requests"
per = "key"
venues = ["evm"]
keys = [7]
clients = "any"
capacity = 100
refill = 10
refill_ms = 1_000

[[buckets]]
name = "client-orders"
counts = "orders"
per = "client"
orders = "taking"
venues = ["evm"]
keys = "any"
clients = "any"
capacity = 5
refill = 1
refill_ms = 4294967295
"#;
    let book = compile("desk.toml", &(EVM_DESK.to_owned() + &values() + BUDGET + more)).unwrap();
    let first = Bucket {
        name: "desk-notional",
        counts: Counts::Notional,
        per: Per::Desk,
        orders: Orders::All,
        venues: AnyOr::Any,
        keys: AnyOr::Any,
        clients: AnyOr::Any,
        capacity: 250_000_500_000,
        refill: 50_000_000_000,
        refill_ms: 60_000,
    };
    let second = Bucket {
        name: "key-requests",
        counts: Counts::Requests,
        per: Per::Key,
        orders: Orders::All,
        venues: AnyOr::Listed(&[1]),
        keys: AnyOr::Listed(&[7]),
        clients: AnyOr::Any,
        capacity: 100,
        refill: 10,
        refill_ms: 1_000,
    };
    let third = Bucket {
        name: "client-orders",
        counts: Counts::Orders,
        per: Per::Client,
        orders: Orders::Taking,
        venues: AnyOr::Listed(&[1]),
        keys: AnyOr::Any,
        clients: AnyOr::Any,
        capacity: 5,
        refill: 1,
        refill_ms: u32::MAX,
    };
    assert_eq!(book.buckets, [first, second, third]);
    let native = TokenValue { name: "ether", chain_id: 1, token: [0; 20], decimals: 6, usd_max: 1_010_000 };
    assert_eq!(book.values.len(), 4);
    assert_eq!(book.values[0], native);
}

#[test]
fn the_hash_and_the_const_source_cover_every_word_of_a_budget() {
    let text = EVM_DESK.to_owned() + &values() + BUDGET;
    let book = compile("desk.toml", &text).unwrap();
    let source = compile::source::module(book);
    assert!(source.contains("::book::Bucket {") && source.contains("capacity: 250000500000"));
    for (from, to) in [
        ("desk-notional", "other"),
        ("per = \"desk\"", "per = \"market\""),
        ("orders = \"all\"", "orders = \"taking\""),
        ("venues = \"any\"", "venues = [\"evm\"]"),
        ("keys = \"any\"", "keys = [7]"),
        ("250000.5", "250000.6"),
        ("refill = \"50000\"", "refill = \"50001\""),
        ("60_000", "60_001"),
        ("name = \"ether\"", "name = \"eth\""),
        ("usd_max = \"1.01\"", "usd_max = \"1.02\""),
    ] {
        let other = compile("desk.toml", &text.replacen(from, to, 1)).unwrap();
        assert_ne!(policy_hash(other), policy_hash(book), "{from}");
    }
}

#[test]
fn a_slot_may_expire() {
    let text = DESK.replacen("slot = 9\n", "slot = 9\nexpires = \"2027-01-31T00:00:00Z\"\n", 1);
    let book = compile("desk.toml", &text).unwrap();
    assert_eq!(book.slot(9).unwrap().expires_ms, Some(1_801_353_600_000));
    assert_ne!(policy_hash(book), policy_hash(compile("desk.toml", DESK).unwrap()));
    for (time, rule) in [
        ("\"2027-01-31\"", Rule::BadTime),
        ("\"2027-02-29T00:00:00Z\"", Rule::BadTime),
        ("2027-01-31T00:00:00Z", Rule::WrongType),
        ("1801353600000", Rule::WrongType),
    ] {
        let text = DESK.replacen("slot = 9\n", &format!("slot = 9\nexpires = {time}\n"), 1);
        assert_eq!(rules(&text), [rule], "{time}");
    }
}

#[test]
fn each_rule_of_a_budget_is_told_by_name() {
    for (from, to, rule) in [
        ("counts = \"notional\"", "counts = \"usd\"", Rule::UnknownValue),
        ("per = \"desk\"", "per = \"venue\"", Rule::UnknownValue),
        ("orders = \"all\"\n", "", Rule::MissingKey),
        ("orders = \"all\"", "orders = \"maker\"", Rule::UnknownValue),
        ("venues = \"any\"", "venues = \"evm\"", Rule::UnknownValue),
        ("venues = \"any\"", "venues = [\"binance\"]", Rule::UnknownValue),
        ("venues = \"any\"", "venues = [\"evm\", \"evm\"]", Rule::Duplicate),
        ("venues = \"any\"", "venues = []", Rule::EmptyList),
        ("venues = \"any\"", "venues = [\"solana\"]", Rule::UnreachableRule),
        ("keys = \"any\"", "keys = [8]", Rule::UnknownKeySlot),
        ("keys = \"any\"", "keys = []", Rule::EmptyList),
        ("keys = \"any\"", "keys = [65536]", Rule::TooLarge),
        ("capacity = \"250000.5\"", "capacity = 0", Rule::ZeroCap),
        ("capacity = \"250000.5\"", "capacity = 250000.5", Rule::Float),
        ("capacity = \"250000.5\"", "capacity = \"0.0000001\"", Rule::NotANumber),
        ("capacity = \"250000.5\"", "capacity = \"18446744073709.551615\"", Rule::UnlimitedCap),
        ("capacity = \"250000.5\"", "capacity = \"18446744073709.551616\"", Rule::TooLarge),
        ("refill = \"50000\"", "refill = 0", Rule::ZeroCap),
        ("refill_ms = 60_000", "refill_ms = 0", Rule::ZeroCap),
        ("refill_ms = 60_000", "refill_ms = 4294967296", Rule::TooLarge),
        ("refill_ms = 60_000", "refill_ms = 60_000\nrefill_s = 60", Rule::UnknownKey),
        ("name = \"desk-notional\"", "name = \"Desk\"", Rule::BadName),
    ] {
        assert_eq!(broken(from, to), [rule], "{to}");
    }
}

#[test]
fn requests_are_of_no_market_and_of_no_kind_of_orders() {
    let requests = BUDGET
        .replace("counts = \"notional\"", "counts = \"requests\"")
        .replace("\"250000.5\"", "5")
        .replace("\"50000\"", "5");
    let text = |budget: &str| EVM_DESK.to_owned() + budget;
    assert_eq!(rules(&text(&requests)), [Rule::UnusedKey]);
    let requests = requests.replace("orders = \"all\"\n", "");
    assert!(compile("desk.toml", &text(&requests)).is_ok(), "requests need no values");
    assert_eq!(rules(&text(&requests.replace("\"desk\"", "\"market\""))), [Rule::RequestsPerMarket]);
    assert_eq!(rules(&text(&requests.replace("= 5\n", "= \"5.5\"\n"))), [Rule::NotANumber; 2]);
}

#[test]
fn names_are_unique_and_there_are_at_most_32_budgets() {
    let text = EVM_DESK.to_owned() + &values();
    assert_eq!(rules(&(text.clone() + BUDGET + BUDGET)), [Rule::Duplicate]);
    let budgets = |count: usize| -> String {
        (0..count).map(|index| BUDGET.replace("desk-notional", &format!("budget-{index}"))).collect()
    };
    assert!(compile("desk.toml", &(text.clone() + &budgets(32))).is_ok());
    assert_eq!(rules(&(text + &budgets(33))), [Rule::ListTooLong]);
}

#[test]
fn a_budget_that_counts_a_token_without_a_value_is_refused_and_the_token_is_listed() {
    let only = values().replace(&value("usdc-op", 10, USDC), "");
    for counts in ["notional", "orders"] {
        let budget = BUDGET.replace("\"notional\"", &format!("{counts:?}")).replace("\"250000.5\"", "5");
        let budget = budget.replace("\"50000\"", "5");
        let faults = compile("desk.toml", &(EVM_DESK.to_owned() + &only + &budget)).unwrap_err();
        assert_eq!(faults.iter().map(|fault| fault.rule).collect::<Vec<_>>(), [Rule::TokenHasNoValue]);
        assert!(
            faults[0].message.ends_with(&format!("without a value: {USDC} on chain 10")),
            "{}",
            faults[0]
        );
        let none = compile("desk.toml", &(EVM_DESK.to_owned() + &budget)).unwrap_err();
        let all = format!("native on chain 1, native on chain 10, {USDC} on chain 1, {USDC} on chain 10");
        assert!(none[0].message.ends_with(&all), "{}", none[0]);
    }
}

#[test]
fn what_is_wrapped_needs_the_value_of_the_coin_and_what_is_unwrapped_its_own() {
    const WETH: &str = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
    let text = |grant: &str| {
        let weth = format!("[[slots.evm.weth]]\nchains = [1]\ncontract = {WETH:?}\n{grant} = \"1 ether\"\n");
        EVM_DESK.to_owned() + &weth + &values() + BUDGET
    };
    assert!(compile("desk.toml", &text("deposit_max")).is_ok());
    let faults = compile("desk.toml", &text("withdraw_max")).unwrap_err();
    assert_eq!(faults.iter().map(|fault| fault.rule).collect::<Vec<_>>(), [Rule::TokenHasNoValue]);
    assert!(faults[0].message.ends_with(&format!("without a value: {WETH} on chain 1")), "{}", faults[0]);
}

#[test]
fn a_budget_of_other_keys_or_venues_needs_no_values() {
    let budget = BUDGET.replace("venues = \"any\"", "venues = [\"solana\"]");
    assert!(compile("desk.toml", &(DESK.to_owned() + &budget)).is_ok());
    assert_eq!(rules(&(DESK.to_owned() + BUDGET)), [Rule::TokenHasNoValue]);
}

#[test]
fn spot_tokens_and_collateral_have_their_value_in_the_entry_that_grants_them() {
    let collateral = "order_bits = 1\ncollateral = [{ market_index = 2, decimals = 6, deposit_max = 1 }]";
    let desk = DESK.replace("order_bits = 1", collateral);
    for (venue, without, with, token) in [
        (
            "hyperliquid",
            "amount_max = \"4.5\"",
            "amount_max = \"4.5\"\nusd_max = \"0.25\"",
            "PURR:0xc1fb593aeffbeb02f85e0308e9956a90 on Hyperliquid",
        ),
        ("solana", "decimals = 6, d", "decimals = 6, usd_max = 1, d", "collateral of Drift's spot market 2"),
    ] {
        let budget = BUDGET.replace("venues = \"any\"", &format!("venues = [{venue:?}]"));
        let faults = compile("desk.toml", &(desk.clone() + &budget)).unwrap_err();
        assert_eq!(faults.iter().map(|fault| fault.rule).collect::<Vec<_>>(), [Rule::TokenHasNoValue]);
        assert!(faults[0].message.ends_with(&format!("without a value: {token}")), "{}", faults[0]);
        assert!(compile("desk.toml", &(desk.replace(without, with) + &budget)).is_ok());
    }
}

#[test]
fn each_rule_of_a_value_is_told_by_name() {
    let usdc = value("usdc", 1, USDC);
    for (changed, rule) in [
        (usdc.replace("decimals = 6", "decimals = 78"), Rule::TooLarge),
        (usdc.replace("\"1.01\"", "0"), Rule::ZeroCap),
        (usdc.replace("\"1.01\"", "\"0.0000001\""), Rule::NotANumber),
        (usdc.replace("\"1.01\"", "1.01"), Rule::Float),
        (usdc.replace("chain_id = 1\n", "chain_id = 2\n"), Rule::UnusedKey),
        (usdc.replace("eB48", "eb48"), Rule::Checksum),
        (usdc.replace(USDC, "0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C"), Rule::UnusedKey),
        (usdc.clone() + &usdc.replace("\"usdc\"", "\"usd-coin\""), Rule::Duplicate),
        (usdc.clone() + &usdc.replace("chain_id = 1\n", "chain_id = 10\n"), Rule::Duplicate),
        (usdc.replace("decimals = 6\n", ""), Rule::MissingKey),
    ] {
        assert_eq!(rules(&(EVM_DESK.to_owned() + &changed)), [rule], "{changed}");
    }
    assert!(compile("desk.toml", &(EVM_DESK.to_owned() + &usdc)).is_ok());
}
