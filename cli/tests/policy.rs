//! `portcullis policy`, run as an operator runs it.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::process::{Command, Output};

fn portcullis(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

const DEMO: &str = "policies/book/demo.toml";
const MAKER: &str = "policies/book/hyperliquid-maker.toml";

/// A copy of the demo desk with one change, in a folder of the test's own.
fn demo_with(name: &str, from: &str, to: &str) -> String {
    let demo = fs::read_to_string(format!("{}/../{DEMO}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert!(demo.contains(from));
    let folder = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(&folder).unwrap();
    let file = format!("{folder}/demo.toml");
    fs::write(&file, demo.replacen(from, to, 1)).unwrap();
    file
}

#[test]
fn check_is_silent_on_standard_error_about_valid_books() {
    let output = portcullis(&["policy", "check", DEMO, MAKER]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stdout),
        format!("{DEMO}: desk demo, 5 slots\n{MAKER}: desk hyperliquid-maker, 2 slots\n")
    );
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn check_tells_every_fault_of_every_file_and_exits_with_6() {
    let zero = demo_with("zero", "size_max = \"0.5\"", "size_max = 0");
    let float = demo_with("float", "size_max = \"0.5\"", "size_max = 0.5");
    let output = portcullis(&["policy", "check", &zero, DEMO, &float]);
    assert_eq!(output.status.code(), Some(6));
    let faults: Vec<_> = text(&output.stderr).lines().collect();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].starts_with(&format!("{zero}:")) && faults[0].contains("[zero-cap]"));
    assert!(faults[1].starts_with(&format!("{float}:")) && faults[1].contains("[float]"));
    assert_eq!(text(&output.stdout), format!("{DEMO}: desk demo, 5 slots\n"));
}

#[test]
fn hash_prints_the_policy_hash_and_the_desk() {
    let output = portcullis(&["policy", "hash", DEMO]);
    assert_eq!(output.status.code(), Some(0));
    let file = fs::read_to_string(format!("{}/../{DEMO}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let hash = book::policy_hash(compile::compile(DEMO, &file).unwrap());
    let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(text(&output.stdout), format!("0x{digits}  demo\n"));
}

#[test]
fn a_comment_does_not_change_the_hash_and_a_limit_does() {
    let comment = demo_with("comment", "version = 1", "# a comment\nversion = 1");
    let limit = demo_with("limit", "size_max = \"0.5\"", "size_max = \"0.50000001\"");
    let hash = |file: &str| portcullis(&["policy", "hash", file]).stdout;
    assert_eq!(hash(&comment), hash(DEMO));
    assert_ne!(hash(&limit), hash(DEMO));
}

#[test]
fn show_prints_amounts_in_human_units() {
    let output = portcullis(&["policy", "show", DEMO]);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<_> = text(&output.stdout).lines().map(str::trim).collect();
    for line in [
        "desk: demo",
        "fee_per_gas_max: 100 gwei",
        "transaction_fee_max: 0.05 ether",
        "size_max: 0.5 base",
        "price_max: 250_000 USD",
        "state: 5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN",
        "address: 0x4a9A1FB490401a4Ae65ceB3d3D345bcFd31220DD",
        "transfer_from: not granted",
    ] {
        assert!(lines.contains(&line), "{line}");
    }
}

#[test]
fn hash_and_show_of_an_invalid_book_print_nothing_but_its_faults() {
    let unknown = demo_with("unknown", "version = 1", "version = 1\nsurprise = 2");
    for command in ["hash", "show"] {
        let output = portcullis(&["policy", command, &unknown]);
        assert_eq!(output.status.code(), Some(6));
        assert_eq!(text(&output.stdout), "");
        assert!(text(&output.stderr).contains("[unknown-key] surprise"));
    }
}

#[test]
fn wrong_usage_and_a_missing_file_exit_with_2() {
    for arguments in [
        &["policy", "check"][..],
        &["policy", "hash", DEMO, MAKER],
        &["policy", "hash", "no/such/file.toml"],
        &["policy", "check", "no/such/file.toml", DEMO],
        &["surprise"],
    ] {
        assert_eq!(portcullis(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn show_tells_a_list_left_open_from_an_empty_one() {
    let closed = portcullis(&["policy", "show", DEMO]);
    assert!(text(&closed.stdout).contains("builders: (none)"), "{}", text(&closed.stdout));
    let window = "timestamp_ahead_max_ms = 1_000 }";
    let open = demo_with("open", window, "timestamp_ahead_max_ms = 1_000, builders = \"any\" }");
    let open = portcullis(&["policy", "show", &open]);
    assert!(text(&open.stdout).contains("builders: any"), "{}", text(&open.stdout));
}

#[test]
fn test_puts_a_desks_cases_to_it_and_exits_with_1_when_a_looser_book_signs_what_they_deny() {
    let output = portcullis(&["policy", "test", MAKER]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let cases = "policies/book/hyperliquid-maker.cases.toml";
    let path = format!("{}/../{MAKER}", env!("CARGO_MANIFEST_DIR"));
    let looser = fs::read_to_string(path).unwrap().replacen("size_max = 2", "size_max = 3", 1);
    let folder = format!("{}/looser", env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(&folder).unwrap();
    let file = format!("{folder}/hyperliquid-maker.toml");
    fs::write(&file, looser).unwrap();
    let output = portcullis(&["policy", "test", &file, "--cases", cases]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stdout).contains("FAIL  buy 2.1 BTC: expected SizeAboveCap"),
        "{}",
        text(&output.stdout)
    );
    // No cases beside it.
    assert_eq!(portcullis(&["policy", "test", &file]).status.code(), Some(2));
}
