//! `docs/PROTOCOL.md` says what the code does: its bytes are what a vault answers, its tables hold every kind, family,
//! code, fact and limit. After a change that is meant: `UPDATE_PROTOCOL=1 cargo test -p enclave-dev protocol`, which
//! writes the bytes and the lists at the document's end anew; prose, tables and notes are for a person to follow up.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod document;
mod exchange;

use std::collections::BTreeSet;

use document::Document;
use enclave::serve::Limits;
use exchange::Exchange;
use wire::facts::FactKey;
use wire::request::PayloadKind;
use wire::session::Denial;
use wire::{
    CONTROL_SIZE_MAX, FACTS_SIZE_MAX, PROTOCOL_VERSION, RECEIPT_SIZE_MAX, REPLY_SIZE_MAX, REQUEST_SIZE_MAX,
    Refusal, Shown, codec, frame,
};

#[test]
fn the_bytes_and_lists_of_the_document_are_those_of_the_code() {
    let exchange = Exchange::run();
    let mut document = Document::read();
    let examples = exchange.examples();
    let labels: BTreeSet<_> = examples.iter().map(|(label, _)| (*label).to_owned()).collect();
    assert_eq!(document.labels(), labels, "the examples of the document and of this test");
    for (label, bytes) in examples {
        document.check_bytes(label, &bytes);
    }
    document.check_list("refusals", &refusals());
    document.check_list("denials", &denials());
    document.check_list("facts", &facts());
    document.finish();
}

#[test]
fn every_frame_kind_has_its_row_and_no_other_kind_has_one() {
    let document = Document::read();
    let is_kind = |number: &u8| frame::kind(&[PROTOCOL_VERSION, *number]).is_ok();
    let known: Vec<_> = (0..=u8::MAX).filter(is_kind).map(|number| format!("`{number:#04x}`")).collect();
    assert_eq!(document.first_cells("Frame kinds", "`0x"), known);
}

#[test]
fn every_payload_kind_has_its_row_and_what_is_to_come_says_so() {
    let document = Document::read();
    let known = |row: &&String| {
        PayloadKind::ALL
            .iter()
            .any(|kind| row.starts_with(&format!("| `{:#06x}` | `{kind:?}` |", kind.number())))
    };
    let rows = document.rows("Payload kinds", "| `0x");
    let (there, to_come): (Vec<_>, Vec<_>) = rows.iter().partition(known);
    assert_eq!(there.len(), PayloadKind::ALL.len(), "rows of the kinds that exist: {there:?}");
    assert!(there.iter().all(|row| !row.contains("to come")), "is there, and marked as to come: {there:?}");
    assert!(to_come.iter().all(|row| row.contains("to come")), "not there, and not marked: {to_come:?}");
}

#[test]
fn every_refusal_family_has_its_row() {
    let known: BTreeSet<_> =
        Refusal::ALL.iter().map(|refusal| format!("`{}`", refusal.family().as_str())).collect();
    let rows: BTreeSet<_> = Document::read().first_cells("Refusals", "`").into_iter().collect();
    assert_eq!(rows, known);
}

#[test]
fn the_limits_of_the_document_are_those_of_the_code() {
    let limits = Limits::default();
    let table = [
        ("request body", REQUEST_SIZE_MAX as u64),
        ("reply body", REPLY_SIZE_MAX as u64),
        ("control body, either way", CONTROL_SIZE_MAX as u64),
        ("receipt", RECEIPT_SIZE_MAX as u64),
        ("facts inside a receipt", FACTS_SIZE_MAX as u64),
        ("request connections at the same time", limits.connections_max as u64),
        ("control connections at the same time", limits.control_connections_max as u64),
        ("from a frame's first byte to its last, ms", limits.frame_deadline_ms),
        ("for a reply to be taken by the client, ms", limits.frame_deadline_ms),
        ("connection without a session or a frame, ms", limits.stranger_idle_ms),
    ];
    let rows = Document::read().rows("Limits", "| ");
    for (what, limit) in table {
        let row = format!("| {what} | {limit} |");
        assert!(rows.iter().any(|found| found.starts_with(&row)), "no row {row:?} in {rows:#?}");
    }
}

#[test]
fn every_kind_of_shown_value_has_its_row() {
    let number = 1_u128;
    let shown = [
        Shown::Nothing,
        Shown::Uint(number),
        Shown::Uint256([0; 32]),
        Shown::Int(-1),
        Shown::Address([0; 20]),
        Shown::Key([0; 32]),
        Shown::Decimal { units: number, scale: 2 },
    ];
    let row = |shown: &Shown| {
        let name = match shown {
            Shown::Nothing => "Nothing",
            Shown::Uint(_) => "Uint",
            Shown::Uint256(_) => "Uint256",
            Shown::Int(_) => "Int",
            Shown::Address(_) => "Address",
            Shown::Key(_) => "Key",
            Shown::Decimal { .. } => "Decimal",
        };
        let mut bytes = [0; 64];
        codec::encode(*shown, &mut bytes).unwrap();
        format!("| {name} | {} |", u32::from_le_bytes(bytes[..4].try_into().unwrap()))
    };
    let expected: Vec<_> = shown.iter().map(row).collect();
    let rows = Document::read().rows("Receipt", "| ");
    let rows: Vec<_> =
        rows.iter().skip(1).map(|row| row.rsplitn(3, '|').last().unwrap().to_owned() + "|").collect();
    assert_eq!(rows, expected);
}

/// The list of codes, as Markdown.
fn refusals() -> String {
    codes(Refusal::ALL.iter().map(|refusal| (refusal.code(), refusal.name(), refusal.explanation())))
}

/// The list of a denial's codes, as Markdown.
fn denials() -> String {
    codes(Denial::ALL.iter().map(|denial| (denial.code(), denial.name(), denial.explanation())))
}

fn codes(codes: impl Iterator<Item = (u16, &'static str, &'static str)>) -> String {
    let row = |(code, name, explanation)| format!("| {code} | {name} | {explanation} |\n");
    format!("| code | name | what it says |\n|---|---|---|\n{}", codes.map(row).collect::<String>())
}

/// The list of fact keys, as Markdown.
fn facts() -> String {
    let row = |key: &FactKey| format!("| {} | {} |\n", *key as u8, key.as_str());
    format!("| key | name |\n|---|---|\n{}", FactKey::ALL.iter().skip(1).map(row).collect::<String>())
}
