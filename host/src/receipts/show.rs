//! Receipts for people: one line each.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use wire::Shown;
use wire::facts;
use wire::facts_json::JsonFacts;
use wire::receipt::Receipt;

use super::segment::{self, Records, Step};

/// Lines that may be asked for.
const LINES_MAX: usize = 10_000;

/// The last `lines` receipts of the boot whose segment was written last, oldest first.
///
/// # Errors
/// When a file cannot be read.
pub fn tail(folder: &Path, lines: usize) -> io::Result<Vec<String>> {
    let lines = lines.min(LINES_MAX);
    let segments = segment::list(folder)?;
    let mut newest = None;
    for (name, path) in &segments {
        let written = path.metadata()?.modified()?;
        if newest.is_none_or(|(time, _)| time <= written) {
            newest = Some((written, name.boot_id));
        }
    }
    let mut last = VecDeque::new();
    for (name, path) in segments {
        if newest.is_none_or(|(_, boot_id)| boot_id != name.boot_id) {
            continue;
        }
        let mut records = Records::open(&path)?;
        while let Step::Record(record) = records.step()? {
            last.push_back(record);
            if last.len() > lines {
                last.pop_front();
            }
        }
    }
    Ok(last.iter().map(|record| line(record)).collect())
}

fn line(record: &[u8]) -> String {
    let Ok(receipt) = Receipt::read(record) else {
        return "not a receipt".to_owned();
    };
    let mut line = format!(
        "{:>8}  {}.{:03}  key {}  kind {:#06x}  request {}  ",
        receipt.sequence,
        receipt.wall_ms / 1000,
        receipt.wall_ms % 1000,
        receipt.key_slot,
        receipt.payload_kind,
        receipt.request_id,
    );
    let _ = match receipt.refusal() {
        Ok(None) => write!(line, "signed"),
        Ok(Some(refusal)) => write!(line, "{} by {}", refusal.family().as_str(), refusal.name()),
        Err(code) => write!(line, "refused with code {code}"),
    };
    for (name, shown) in [("observed", receipt.observed), ("limit", receipt.limit)] {
        if shown != Shown::Nothing {
            let _ = write!(line, "  {name} {shown}");
        }
    }
    if let Some(digest) = receipt.digest {
        line.push_str("  0x");
        digest.iter().for_each(|byte| {
            let _ = write!(line, "{byte:02x}");
        });
    }
    let mut text = String::new();
    let mut json = JsonFacts::new(&mut text);
    if facts::read(receipt.facts, &mut json).is_ok() && json.finish().is_ok() {
        let _ = write!(line, "  {text}");
    }
    if !receipt.facts_complete {
        line.push_str("  facts cut: there were more than the receipt has room for");
    }
    line
}
