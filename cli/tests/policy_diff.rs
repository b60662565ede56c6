//! `portcullis policy diff`, run as an operator runs it: one change to a desk a row, and the lines it must tell.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::process::{Command, Output};

fn diff(old: &str, new: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_portcullis")).args(["policy", "diff", old, new]).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

fn desk(name: &str) -> String {
    fs::read_to_string(format!("{}/../policies/book/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A desk's file in a folder of the test's own.
fn file(folder: &str, name: &str, text: &str) -> String {
    let folder = format!("{}/diff-{folder}", env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(&folder).unwrap();
    let file = format!("{folder}/{name}.toml");
    fs::write(&file, text).unwrap();
    file
}

/// The lines told when a text of the desk is replaced once, without the two that tell the hashes.
fn told(folder: &str, name: &str, from: &str, to: &str) -> Vec<String> {
    let old = desk(name);
    assert!(old.contains(from), "{from:?} stands in {name}");
    let old_file = file(&format!("{folder}-old"), name, &old);
    let new_file = file(&format!("{folder}-new"), name, &old.replacen(from, to, 1));
    let output = diff(&old_file, &new_file);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let lines: Vec<_> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with("- policy hash: 0x") && lines[1].starts_with("+ policy hash: 0x"));
    lines[2..].to_vec()
}

const ETH: &str = "[[slots.hyperliquid.order.assets]]
asset = 1                            # ETH
size_max = 50
price_min = 500
price_max = 15_000
notional_max = 500_000
leverage_max = 3
";

macro_rules! rows {
    ($($name:ident: $desk:literal, $from:expr => $to:expr, [$($line:expr),+ $(,)?];)+) => {
        $(#[test]
        fn $name() {
            assert_eq!(told(stringify!($name), $desk, $from, $to), [$($line),+]);
        })+
    };
}

rows! {
    a_cap_that_grows_is_looser: "hyperliquid-maker", "size_max = 2" => "size_max = 3",
        ["~ slots[0].grants.hyperliquid.order.assets[0].size_max: 2 base -> 3 base  (looser)"];
    a_cap_that_shrinks_is_stricter: "hyperliquid-maker", "leverage_max = 3" => "leverage_max = 2",
        ["~ slots[0].grants.hyperliquid.order.assets[0].leverage_max: 3 -> 2  (stricter)"];
    a_floor_that_rises_is_stricter: "hyperliquid-maker", "price_min = 20_000" => "price_min = 30_000",
        ["~ slots[0].grants.hyperliquid.order.assets[0].price_min: 20_000 USD -> 30_000 USD  (stricter)"];
    the_top_of_a_collar_works_both_ways: "hyperliquid-maker", "price_max = 250_000" => "price_max = 240_000",
        ["~ slots[0].grants.hyperliquid.order.assets[0].price_max: 250_000 USD -> 240_000 USD  (other)"];
    a_nonce_window_ahead_works_both_ways: "hyperliquid-maker", "nonce_ahead_max_ms = 1_000" => "nonce_ahead_max_ms = 2_000",
        ["~ slots[0].grants.hyperliquid.nonce_ahead_max_ms: 1 s -> 2 s  (other)"];
    a_grant_that_goes_is_stricter: "hyperliquid-maker", "cancel = true\n" => "",
        ["~ slots[0].grants.hyperliquid.cancel: yes -> no  (stricter)"];
    a_word_that_comes_is_looser: "hyperliquid-maker", "tifs = [\"Alo\"]" => "tifs = [\"Alo\", \"Gtc\"]",
        ["+ slots[0].grants.hyperliquid.order.tifs: Gtc  (looser)"];
    a_destination_that_changes_goes_and_comes: "hyperliquid-maker",
        "destinations = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]" => "destinations = [\"0x4a9A1FB490401a4Ae65ceB3d3D345bcFd31220DD\"]",
        [
            "- slots[1].grants.hyperliquid.transfers[Withdraw3].destinations: 0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C  (stricter)",
            "+ slots[1].grants.hyperliquid.transfers[Withdraw3].destinations: 0x4a9A1FB490401a4Ae65ceB3d3D345bcFd31220DD  (looser)",
        ];
    an_asset_that_goes_is_told_whole: "hyperliquid-maker", ETH => "",
        [
            "- slots[0].grants.hyperliquid.order.assets[1]: removed  (stricter)",
            "-   asset: 1",
            "-   size_max: 50 base",
            "-   price_min: 500 USD",
            "-   price_max: 15_000 USD",
            "-   notional_max: 500_000 USD",
            "-   quote_usd_max: 1 USD",
            "-   leverage_max: 3",
            "-   margin_add_max: 0 USD",
            "-   margin_remove_max: 0 USD",
        ];
    an_asset_of_another_number_is_another_asset: "hyperliquid-maker", "asset = 1  " => "asset = 2  ",
        [
            "- slots[0].grants.hyperliquid.order.assets[1]: removed  (stricter)",
            "-   asset: 1",
            "-   size_max: 50 base",
            "-   price_min: 500 USD",
            "-   price_max: 15_000 USD",
            "-   notional_max: 500_000 USD",
            "-   quote_usd_max: 1 USD",
            "-   leverage_max: 3",
            "-   margin_add_max: 0 USD",
            "-   margin_remove_max: 0 USD",
            "+ slots[0].grants.hyperliquid.order.assets[2]: added  (looser)",
            "+   asset: 2",
            "+   size_max: 50 base",
            "+   price_min: 500 USD",
            "+   price_max: 15_000 USD",
            "+   notional_max: 500_000 USD",
            "+   quote_usd_max: 1 USD",
            "+   leverage_max: 3",
            "+   margin_add_max: 0 USD",
            "+   margin_remove_max: 0 USD",
        ];
    a_larger_budget_is_looser: "hyperliquid-maker", "capacity = 1_000_000" => "capacity = 2_000_000",
        ["~ buckets[market-notional].capacity: 1_000_000 USD -> 2_000_000 USD  (looser)"];
    a_slower_refill_is_stricter: "hyperliquid-maker", "refill_ms = 3_600_000" => "refill_ms = 7_200_000",
        ["~ buckets[withdrawals].refill_ms: 3_600 s -> 7_200 s  (stricter)"];
    a_budget_that_counts_all_orders_is_stricter: "hyperliquid-maker", "orders = \"post-only\"" => "orders = \"all\"",
        ["~ buckets[market-notional].orders: PostOnly -> All  (stricter)"];
    a_budget_that_counts_every_key_is_stricter: "hyperliquid-maker", "keys = [0]" => "keys = \"any\"",
        ["~ buckets[market-notional].keys: [0] -> any  (stricter)"];
    what_a_budget_counts_per_cannot_be_told: "hyperliquid-maker", "per = \"market\"" => "per = \"key\"",
        ["~ buckets[market-notional].per: Market -> Key  (other)"];
    a_vault_that_starts_live_is_looser: "hyperliquid-maker", "boot_mode = \"cancel-only\"" => "boot_mode = \"live\"",
        ["~ boot_mode: CancelOnly -> Live  (looser)"];
    a_host_that_may_be_gone_longer_is_looser: "hyperliquid-maker", "heartbeat_ms = 5_000" => "heartbeat_ms = 10_000",
        ["~ host.heartbeat_ms: 5 s -> 10 s  (looser)"];
    a_client_that_need_not_be_heard_is_looser: "hyperliquid-maker", "heartbeat_ms = 3_000\nwhen_gone = \"cancel-only\"\n" => "",
        [
            "- clients[quoter].access.heartbeat: removed  (looser)",
            "-   heartbeat_ms: 3 s",
            "-   when_gone: CancelOnly",
        ];
    a_venue_that_a_client_may_ask_for_is_looser: "demo", "may = [{ key = 1, venues = [\"hyperliquid\"] }]" => "may = [{ key = 1, venues = \"any\" }]",
        ["~ clients[maker].access.may[1].venues: [4] -> any  (looser)"];
    a_longer_certificate_is_looser: "demo", "certificate_days_max = 7" => "certificate_days_max = 8",
        ["~ roles[quoter].certificate_days_max: 7 -> 8  (looser)"];
    a_slot_that_ends_is_stricter: "hyperliquid-maker", "name = \"maker\"" => "name = \"maker\"\nexpires = \"2027-01-31T00:00:00Z\"",
        ["~ slots[0].expires_ms: never -> 2027-01-31T00:00:00Z  (stricter)"];
    a_name_says_nothing_of_strictness: "hyperliquid-maker", "name = \"maker\"" => "name = \"quoter\"",
        ["~ slots[0].name: maker -> quoter  (other)"];
    a_higher_ratio_is_stricter: "demo", "numerator = 100_000_000" => "numerator = 200_000_000",
        ["~ slots[0].grants.evm.swaps[1 0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2].out_per_in_min: 100000000 / 1 -> 200000000 / 1  (stricter)"];
    the_same_ratio_in_other_numbers_is_neither: "demo", "numerator = 100_000_000, denominator = 1 " => "numerator = 200_000_000, denominator = 2 ",
        ["~ slots[0].grants.evm.swaps[1 0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2].out_per_in_min: 100000000 / 1 -> 200000000 / 2  (other)"];
    a_chain_that_comes_to_an_entry_leaves_it_the_same_entry: "demo", "[[slots.evm.native]]\nchains = [1, 8453, 42161]" => "[[slots.evm.native]]\nchains = [1, 8453]",
        ["- slots[0].grants.evm.native[1,8453,…].chains: 42161  (stricter)"];
    an_entry_in_front_of_others_may_hide_them: "demo", "\n[[slots.evm.tokens]]\nchains = [1]\n" => "\n[[slots.evm.tokens]]\nchains = [1]\ntokens = [\"0x82aF49447D8a07e3bd95BD0d56f35241523fBab1\"]\nrevoke = true\n[[slots.evm.tokens]]\nchains = [1]\n",
        [
            "+ slots[0].grants.evm.tokens[1 0x82aF49447D8a07e3bd95BD0d56f35241523fBab1]: added  (other)",
            "+   chains:",
            "+     - 1",
            "+   tokens:",
            "+     - 0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
            "+   transfer: not granted",
            "+   approve: not granted",
            "+   transfer_from: not granted",
            "+   permit: not granted",
            "+   revoke: yes",
        ];
    a_grant_in_front_of_others_may_hide_theirs: "demo", "[[slots.evm.tokens]]\nchains = [1]" => "[[slots.evm.tokens]]\nrevoke = true\nchains = [1]",
        ["~ slots[0].grants.evm.tokens[1 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48].revoke: no -> yes  (other)"];
    a_guard_that_goes_is_looser: "demo", "salt_53_bits = true\n" => "",
        ["~ slots[4].grants.polymarket.order.salt_53_bits: yes -> no  (looser)"];
    a_list_left_open_is_looser: "demo", "timestamp_ahead_max_ms = 1_000 }" => "timestamp_ahead_max_ms = 1_000, builders = \"any\" }",
        ["~ slots[4].grants.polymarket.order.v2.builders: (none) -> any  (looser)"];
    an_order_of_a_list_is_told: "demo", "pool_fees = [100, 500, 3000]" => "pool_fees = [500, 100, 3000]",
        ["~ slots[0].grants.evm.swaps[1 0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2].pool_fees: the same entries in another order  (other)"];
    a_market_of_drift_bounds_modifications_too: "demo", "[[slots.solana.programs.markets]]" => "[[slots.solana.programs.markets]]\nkind = \"perp\"\nindex = 1\nbase_max = 1\nprice_min = 1\nprice_max = 2\n[[slots.solana.programs.markets]]",
        [
            "+ slots[2].grants.solana.programs[DriftV2].markets[Perp 1]: added  (other)",
            "+   kind: Perp",
            "+   index: 1",
            "+   account: 2UZMvVTBQR9yWxrEdzEQzXWE61bUjqQ5VpJAGqVb3B19",
            "+   base_decimals: 9",
            "+   base_max: 1_000_000_000 base units (10^9 a perpetual)",
            "+   price_min: 1 of the quote",
            "+   price_max: 2 of the quote",
            "+   unpriced: no",
            "+   oracle_offset_max: not granted",
        ];
}

#[test]
fn the_same_rules_in_other_words_do_not_differ() {
    let words = desk("demo").replacen("version = 1", "# a comment\nversion = 0x1", 1);
    let output = diff(&file("same-old", "demo", &desk("demo")), &file("same-new", "demo", &words));
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), ""));
}

#[test]
fn a_book_at_fault_is_told_and_the_other_one_too() {
    let old = file("faults-old", "demo", &desk("demo").replacen("version = 1", "version = 2", 1));
    let new = file("faults-new", "demo", &desk("demo").replacen("slot = 1", "slot = 1.5", 1));
    let output = diff(&old, &new);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    let faults = text(&output.stderr);
    assert!(faults.contains("[unknown-value]") && faults.contains("[float]"), "{faults}");
    assert_eq!(diff("no/such/file.toml", &new).status.code(), Some(2));
}

/// Every leaf of a desk that a test can change by text shows as at least one line of difference.
#[test]
fn every_number_of_a_desk_that_changes_shows() {
    let old = desk("hyperliquid-maker");
    let old_file = file("numbers-old", "hyperliquid-maker", &old);
    let mut changed = 0;
    for (index, line) in old.lines().enumerate() {
        let Some((key, value)) = line.split_once(" = ") else { continue };
        let digits: String = value.chars().take_while(|c| c.is_ascii_digit() || *c == '_').collect();
        if digits.is_empty() || key == "version" || key == "slot" || key == "asset" {
            continue;
        }
        let mut lines: Vec<_> = old.lines().map(str::to_owned).collect();
        lines[index] =
            line.replacen(&digits, &format!("{}", digits.replace('_', "").parse::<u64>().unwrap() + 1), 1);
        let new_file = file("numbers-new", "hyperliquid-maker", &lines.join("\n"));
        let output = diff(&old_file, &new_file);
        assert_eq!(output.status.code(), Some(1), "{line}: {}", text(&output.stderr));
        assert!(text(&output.stdout).lines().count() > 2, "{line}");
        changed += 1;
    }
    assert!(changed > 20, "{changed}");
}
