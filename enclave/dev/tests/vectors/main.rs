//! Every vector line of the supported venues through its own vault: digest, facts and signature as the venues'
//! own libraries made them, and no negative signed. The questions are the ones that the conformance program is
//! asked; here they are made from `venues/vectors/`, so that a checkout tests itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod line;
mod question;

use std::collections::{BTreeMap, BTreeSet};

use enclave_dev::conformance::answer;
use line::Line;
use serde_json::Value;

/// What came of a file's questions.
#[derive(Debug, Default)]
struct Tally {
    questions: usize,
    outcomes: BTreeMap<String, usize>,
    signed_lines: BTreeSet<String>,
}

impl Tally {
    fn count(&self, outcome: &str) -> usize {
        self.outcomes.get(outcome).copied().unwrap_or(0)
    }
}

/// Asks every question of a positive file and compares what comes back.
fn positives(name: &str) -> Tally {
    let mut tally = Tally::default();
    for line in Line::all(name) {
        for question in question::questions(&line, None) {
            let answer = answer(&question).unwrap();
            let outcome = answer["outcome"].as_str().unwrap().to_owned();
            let id = &question.id;
            assert_ne!(outcome, "malformed", "{id} is valid: {answer}");
            if outcome == "signed" || outcome == "denied" {
                assert_eq!(hex(&answer["digest"]), line.digest(), "{id} digest");
                let difference = line::difference(&line.expected_facts(), &answer["facts"]);
                assert_eq!(difference, None, "{id} facts: {}", answer["facts"]);
            }
            if outcome == "signed" {
                assert_eq!(hex(&answer["signature"]), line.signature(), "{id} signature");
                tally.signed_lines.insert(line.id().to_owned());
            }
            tally.questions += 1;
            *tally.outcomes.entry(outcome).or_default() += 1;
        }
    }
    println!("{name}: {} questions, {:?}", tally.questions, tally.outcomes);
    tally
}

/// Asks every question of a negative file; none may be signed. Returns how many lines' unbroken originals were
/// not signed either, which proves little.
fn negatives(name: &str, bases: &str, signed: &BTreeSet<String>) -> usize {
    let bases: BTreeMap<String, Line> = if bases.is_empty() {
        BTreeMap::new()
    } else {
        Line::all(bases).map(|line| (line.id().to_owned(), line)).collect()
    };
    let mut base_not_signed = 0;
    for line in Line::all(name) {
        let base = line.base_id().map(|id| bases.get(id).expect("a negative's base is in its positive file"));
        base_not_signed += usize::from(line.base_id().is_some_and(|id| !signed.contains(id)));
        for question in question::questions(&line, base) {
            let answer = answer(&question).unwrap();
            let outcome = answer["outcome"].as_str().unwrap();
            assert_ne!(outcome, "signed", "{} must be refused: {}", question.id, line.reason());
            assert!(
                ["malformed", "unsupported", "denied"].contains(&outcome),
                "{} is refused for a reason of its own: {answer}",
                question.id
            );
            if ["decode", "wire"].contains(&line.layer()) {
                assert_ne!(outcome, "denied", "{} cannot be decoded: {answer}", question.id);
            }
        }
    }
    println!("{name}: base not signed {base_not_signed}");
    base_not_signed
}

fn hex(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    text.strip_prefix("0x").unwrap_or(text).to_lowercase()
}

#[test]
fn evm_lines_have_the_digest_facts_and_signature_of_the_venues_libraries() {
    let tally = positives("evm_eip1559");
    assert_eq!(tally.questions, 200);
    for line in Line::all("evm_eip1559").filter(|line| line.text("mix") == "common") {
        assert!(tally.signed_lines.contains(line.id()), "{} is an everyday line and not signed", line.id());
    }
    assert!(tally.count("signed") >= 150, "{:?}", tally.outcomes);
    assert_eq!(negatives("negative_evm_eip1559", "", &tally.signed_lines), 0);
}

#[test]
fn hyperliquid_lines_have_the_digest_facts_and_signature_of_the_venues_libraries() {
    let tally = positives("hyperliquid");
    let core = Line::all("hyperliquid").filter(|line| line.is_core());
    for line in core {
        assert!(tally.signed_lines.contains(line.id()), "{} is core and not signed", line.id());
    }
    assert!(negatives("negative_hyperliquid", "hyperliquid", &tally.signed_lines) < 60 / 5);
}

#[test]
fn every_hyperliquid_bench_line_is_signed_from_json_and_from_msgpack() {
    let tally = positives("hyperliquid_bench200");
    assert_eq!((tally.questions, tally.count("signed")), (400, 400));
}

#[test]
fn drift_lines_have_the_facts_and_signature_of_the_venues_libraries() {
    let tally = positives("solana_drift");
    assert!(tally.count("signed") >= 160, "{:?}", tally.outcomes);
    assert!(negatives("negative_solana_drift", "solana_drift", &tally.signed_lines) < 56 / 10);
}

#[test]
fn every_velocity_line_is_signed() {
    let tally = positives("solana_velocity");
    assert_eq!((tally.questions, tally.count("signed")), (40, 40));
}

#[test]
fn a_nonce_that_was_signed_before_is_refused_whatever_the_action() {
    let lines: Vec<Line> = Line::all("hyperliquid").filter(Line::is_core).take(20).collect();
    for line in &lines {
        for mut question in question::questions(line, None) {
            question.before = Some(Box::new(question.clone()));
            let answer = answer(&question).unwrap();
            assert_eq!((&answer["outcome"], &answer["code"]), (&"denied".into(), &"NonceAlreadyUsed".into()));
        }
    }
    assert_eq!(lines.len(), 20);
}

#[test]
fn a_question_with_an_unknown_member_is_no_question() {
    let text =
        r#"{"id":"x","venue":"evm_eip1559","key":"0x01","now_ms":0,"allow":[],"markets":[],"form":"evm_tx"}"#;
    assert!(serde_json::from_str::<enclave_dev::conformance::Question>(text).is_ok());
    let text = text.replace("\"form\"", "\"colour\":1,\"form\"");
    assert!(serde_json::from_str::<enclave_dev::conformance::Question>(&text).is_err());
}

#[test]
fn a_claim_that_differs_from_the_action_is_malformed() {
    let line =
        Line::all("hyperliquid").find(|line| line.text("scheme") == "l1_agent" && line.is_core()).unwrap();
    let question = question::questions(&line, None).remove(0);
    let is_mainnet = question.is_mainnet.unwrap();
    let mut agreeing = question.clone();
    agreeing.source = Some(if is_mainnet { "a" } else { "b" }.to_owned());
    agreeing.connection_id = Some(line.text("connectionId").to_owned());
    assert_eq!(answer(&agreeing).unwrap()["outcome"], "signed");
    let mut other_network = agreeing.clone();
    other_network.source = Some(if is_mainnet { "b" } else { "a" }.to_owned());
    let mut other_action = agreeing;
    other_action.connection_id = Some(format!("0x{}", "11".repeat(32)));
    for differing in [other_network, other_action] {
        assert_eq!(answer(&differing).unwrap()["outcome"], "malformed");
    }
}
