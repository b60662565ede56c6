//! What was found, for people and for programs.

use std::fmt::Write as _;

use portcullis_host::receipts::{Boot, Mark, Repair, Report};
use serde_json::{Value, json};
use wire::facts;
use wire::facts_json::JsonFacts;
use wire::receipt::{Receipt, RecordKind, link};

use crate::hexadecimal;

/// A report for people. The last line is the judgement.
pub(crate) fn text(report: &Report) -> String {
    let mut text = format!(
        "{} receipts ({} signed, {} refused, {} events) of {} boots in {} segments\n",
        report.records,
        report.signed,
        report.refused,
        report.events,
        report.boots.len(),
        report.segments
    );
    let mut before: Option<&Boot> = None;
    for boot in &report.boots {
        if let Some(gap_ms) = before.and_then(|before| gap_ms(before, boot)) {
            let _ = match u64::try_from(gap_ms) {
                Ok(ms) => writeln!(text, "  gap of {}.{:03} s without a receipt", ms / 1000, ms % 1000),
                Err(_) => writeln!(text, "  OVERLAP: the boot before has receipts of after this one began"),
            };
        }
        tell_boot(&mut text, boot);
        before = Some(boot);
    }
    if report.filled > 0 {
        let _ = writeln!(text, "{} of them are not in the ledger: clients handed them in", report.filled);
    }
    if report.stray > 0 {
        let _ = writeln!(
            text,
            "{} more that were handed in fit nowhere: forged, or a record before them is lost",
            report.stray
        );
    }
    for side_file in &report.side_files {
        let _ = writeln!(text, "torn end moved aside earlier: {}", side_file.display());
    }
    for found in &report.found {
        let _ = writeln!(text, "BROKEN at {found}");
    }
    let told = u64::try_from(report.found.len()).unwrap_or(u64::MAX);
    if report.breaks > told {
        let _ = writeln!(text, "and {} more breaks", report.breaks - told);
    }
    let unproven: u64 = report.boots.iter().map(Boot::unproven).sum();
    let _ = match (report.breaks, unproven) {
        (0, 0) => writeln!(text, "chain intact and proven to its end"),
        (0, unproven) => writeln!(
            text,
            "chain intact; UNPROVEN: {unproven} receipts that no head held elsewhere vouches for"
        ),
        (breaks, _) => writeln!(text, "chain BROKEN: {breaks} breaks"),
    };
    text
}

fn tell_boot(text: &mut String, boot: &Boot) {
    let _ = writeln!(
        text,
        "boot {}: {} receipts in {} segments",
        hexadecimal::text(&boot.boot_id),
        boot.records,
        boot.segments
    );
    let (Some(first), Some(last)) = (boot.first, boot.last) else {
        let _ = writeln!(text, "  no receipts");
        return;
    };
    let _ = writeln!(text, "  begins {}", mark(first));
    let _ = writeln!(text, "  ends   {}", mark(last));
    let _ = match boot.proven {
        _ if boot.breaks > 0 => writeln!(text, "  broken: {} breaks", boot.breaks),
        None => writeln!(text, "  unproven: receipts 0 to {}, no head is held elsewhere", last.sequence),
        Some(proven) if boot.unproven() == 0 => writeln!(text, "  proven: receipts 0 to {proven}, all"),
        Some(proven) => {
            let next = proven.saturating_add(1);
            writeln!(text, "  proven: receipts 0 to {proven}; unproven: {next} to {}", last.sequence)
        }
    };
}

fn mark(mark: Mark) -> String {
    let (seconds, ms) = (mark.wall_ms / 1000, mark.wall_ms % 1000);
    format!("at {seconds}.{ms:03} with receipt {} ({})", mark.sequence, mark.kind.as_str())
}

/// From the last record of one boot to the first of the next, in ms; negative when they overlap.
fn gap_ms(before: &Boot, boot: &Boot) -> Option<i128> {
    Some(i128::from(boot.first?.wall_ms).saturating_sub(i128::from(before.last?.wall_ms)))
}

/// A report for programs.
pub(crate) fn json(report: &Report) -> String {
    let mut before: Option<&Boot> = None;
    let mut boots = Vec::new();
    for boot in &report.boots {
        let gap_ms = before.and_then(|before| gap_ms(before, boot)).and_then(|ms| i64::try_from(ms).ok());
        boots.push(json!({
            "boot_id": hexadecimal::text(&boot.boot_id),
            "segments": boot.segments,
            "records": boot.records,
            "breaks": boot.breaks,
            "first": boot.first.map(mark_json),
            "last": boot.last.map(mark_json),
            "proven_to": boot.proven,
            "unproven": boot.unproven(),
            "gap_before_ms": gap_ms,
        }));
        before = Some(boot);
    }
    let breaks = report.found.iter().map(|found| {
        json!({
            "file": found.file.display().to_string(),
            "offset": found.offset,
            "fault": found.fault.name(),
            "text": found.fault.to_string(),
            "other": found.other,
        })
    });
    let value = json!({
        "intact": report.breaks == 0,
        "proven": report.is_proven(),
        "records": report.records,
        "signed": report.signed,
        "refused": report.refused,
        "events": report.events,
        "segments": report.segments,
        "filled": report.filled,
        "stray": report.stray,
        "breaks": report.breaks,
        "found": breaks.collect::<Vec<_>>(),
        "boots": boots,
        "torn_ends": report.side_files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn mark_json(mark: Mark) -> Value {
    json!({ "sequence": mark.sequence, "wall_ms": mark.wall_ms, "kind": mark.kind.as_str() })
}

/// A record for programs, on one line.
pub(crate) fn record_json(record: &[u8]) -> String {
    let Ok(receipt) = Receipt::read(record) else {
        return json!({ "fault": "not a receipt" }).to_string();
    };
    let mut text = String::new();
    let mut told = JsonFacts::new(&mut text);
    let is_read = facts::read(receipt.facts, &mut told).is_ok() && told.finish().is_ok();
    let facts: Option<Value> = serde_json::from_str(&text).ok().filter(|_| is_read);
    let result = match receipt.refusal() {
        _ if receipt.kind != RecordKind::Decision => "event".to_owned(),
        Ok(None) => "signed".to_owned(),
        Ok(Some(refusal)) => refusal.name().to_owned(),
        Err(_) => "refused by a later build".to_owned(),
    };
    json!({
        "sequence": receipt.sequence,
        "boot_id": hexadecimal::text(&receipt.boot_id),
        "kind": receipt.kind.as_str(),
        "result": result,
        "code": receipt.code,
        "wall_ms": receipt.wall_ms,
        "client": hexadecimal::text(&receipt.client),
        "request_id": receipt.request_id,
        "key": receipt.key_slot,
        "payload_kind": receipt.payload_kind,
        "subject": receipt.subject,
        "observed": receipt.observed.to_string(),
        "limit": receipt.limit.to_string(),
        "digest": receipt.digest.map(|digest| hexadecimal::text(&digest)),
        "policy_hash": hexadecimal::text(&receipt.policy_hash),
        "previous": hexadecimal::text(&receipt.previous),
        "link": hexadecimal::text(&link(record)),
        "facts_complete": receipt.facts_complete,
        "facts": facts,
    })
    .to_string()
}

pub(crate) fn repairs_text(repairs: &[Repair]) -> String {
    if repairs.is_empty() {
        return "no torn ends\n".to_owned();
    }
    repairs.iter().fold(String::new(), |mut text, repair| {
        let (segment, side_file) = (repair.segment.display(), repair.side_file.display());
        let _ = writeln!(text, "torn end of {segment} at {} moved to {side_file}", repair.offset);
        text
    })
}

pub(crate) fn repairs_json(repairs: &[Repair]) -> String {
    let repairs = repairs.iter().map(|repair| {
        let (segment, side_file) =
            (repair.segment.display().to_string(), repair.side_file.display().to_string());
        json!({ "segment": segment, "offset": repair.offset, "side_file": side_file })
    });
    format!("{:#}\n", json!({ "torn_ends": repairs.collect::<Vec<_>>() }))
}
