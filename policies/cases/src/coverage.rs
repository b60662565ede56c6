//! Which limits of a book no case holds.
//!
//! Each limit of the book's text is loosened in turn (a cap doubled, a floor halved, a flag set the other way, an entry of a
//! list taken out), the book is compiled again and the cases are run. A limit whose change no case notices is not covered:
//! somebody could loosen it and every case would still pass.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Fault, Suite};

/// Keys that say what an entry is about, and no limit.
const NAMES: [&str; 18] = [
    "version",
    "desk",
    "name",
    "slot",
    "asset",
    "index",
    "kind",
    "program",
    "market_index",
    "base_decimals",
    "decimals",
    "chain_id",
    "public_key",
    "contract",
    "order",
    "router",
    "action",
    "denominator",
];

/// Tables and keys about modes, sessions and receipts, of which cases say nothing.
const BEYOND_CASES: [&str; 4] = ["host", "receipts", "heartbeat_ms", "certificate_days_max"];

/// Where each limit stands that no case holds, as `line: key`.
///
/// # Errors
/// As [`Suite::run`], and where the book does not compile or its cases fail as it is.
pub fn uncovered(path: &str, text: &str, suite: &Suite) -> Result<Vec<String>, Fault> {
    let all = |text: &str| -> Result<Option<bool>, Fault> {
        let Ok(book) = compile::compile(path, text) else { return Ok(None) };
        // A request that must be signed before a case and no longer is: the change was noticed.
        Ok(Some(suite.run(book).is_ok_and(|verdicts| verdicts.iter().all(|verdict| verdict.passed))))
    };
    if all(text)? != Some(true) {
        return Err("the cases do not hold for the book as it is".to_owned());
    }
    let document = DeTable::parse(text).map_err(|error| error.to_string())?;
    let mut changes = Vec::new();
    table(document.get_ref(), text, &mut changes);
    let mut uncovered = Vec::new();
    for change in changes {
        let mut noticed = None;
        for other in &change.others {
            let (Some(before), Some(after)) = (text.get(..change.at.start), text.get(change.at.end..)) else {
                continue;
            };
            // What does not compile is no other book.
            if let Some(passed) = all(&[before, other, after].concat())? {
                noticed = Some(!passed);
                break;
            }
        }
        if noticed == Some(false) {
            let line = text.get(..change.at.start).unwrap_or_default().matches('\n').count() + 1;
            uncovered.push(format!("{line}: {}", change.key));
        }
    }
    Ok(uncovered)
}

/// A piece of text and what may stand in its place; the first that compiles counts.
struct Change {
    key: String,
    at: Range<usize>,
    others: Vec<String>,
}

fn table(entries: &DeTable<'_>, text: &str, changes: &mut Vec<Change>) {
    for (key, entry) in entries {
        let key = key.get_ref().as_ref();
        if !NAMES.contains(&key) && !BEYOND_CASES.contains(&key) {
            value(key, entry, text, changes);
        }
    }
}

fn value(key: &str, entry: &Spanned<DeValue<'_>>, text: &str, changes: &mut Vec<Change>) {
    let at = entry.span();
    match entry.get_ref() {
        DeValue::Table(entries) => table(entries, text, changes),
        DeValue::Array(elements) => list(key, elements, text, changes),
        DeValue::Boolean(flag) => {
            changes.push(Change { key: key.to_owned(), at, others: vec![(!flag).to_string()] });
        }
        DeValue::Integer(_) | DeValue::String(_) => {
            let written = text.get(at.clone()).unwrap_or_default();
            let others = loosened(key, written);
            if !others.is_empty() {
                changes.push(Change { key: key.to_owned(), at, others });
            }
        }
        DeValue::Float(_) | DeValue::Datetime(_) => {}
    }
}

/// Tables of a list are walked; each other element is taken out.
fn list(key: &str, elements: &[Spanned<DeValue<'_>>], text: &str, changes: &mut Vec<Change>) {
    for (index, element) in elements.iter().enumerate() {
        if let DeValue::Table(entries) = element.get_ref() {
            table(entries, text, changes);
            continue;
        }
        // With the comma behind it, or the one before the last.
        let next = elements.get(index + 1).map(|next| next.span().start);
        let before =
            index.checked_sub(1).and_then(|before| elements.get(before)).map(|before| before.span().end);
        let span = element.span();
        let at = next.map_or(before.unwrap_or(span.start)..span.end, |next| span.start..next);
        changes.push(Change { key: format!("{key}[{index}]"), at, others: vec![String::new()] });
    }
}

/// A number that lets more through: as other digits in the same words.
fn loosened(key: &str, written: &str) -> Vec<String> {
    let is_floor = key.ends_with("_min") || matches!(key, "numerator" | "refill_ms");
    let quote = if written.starts_with('"') { "\"" } else { "" };
    let inner = written.trim_matches('"');
    let end = inner.find(|c: char| !c.is_ascii_digit() && c != '_' && c != '.').unwrap_or(inner.len());
    let (number, unit) = inner.split_at_checked(end).unwrap_or_default();
    if number.is_empty() || !unit.is_empty() && !unit.starts_with(' ') {
        return Vec::new();
    }
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let decimals = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let Ok(value) = digits.parse::<u128>() else { return Vec::new() };
    // One more digit, so that a half is exact.
    let value = value.saturating_mul(10);
    let others = if is_floor {
        vec![value / 2, value.saturating_sub(10)]
    } else {
        vec![value.saturating_mul(2), value.saturating_add(10), if value == 0 { 10 } else { value }]
    };
    let others = others.into_iter().filter(|other| *other != value);
    others.map(|other| format!("{quote}{}{unit}{quote}", written_with(other, decimals + 1, quote))).collect()
}

/// A number with that many decimals; whole where it may not have any.
fn written_with(value: u128, decimals: usize, quote: &str) -> String {
    let digits = format!("{value:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at_checked(digits.len() - decimals).unwrap_or_default();
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() || quote.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::loosened;

    #[test]
    fn caps_double_and_floors_halve() {
        for (key, written, first) in [
            ("size_max", "2", "4"),
            ("size_max", "1_000", "2000"),
            ("size_max", "\"0.5\"", "\"1\""),
            ("price_min", "\"0.05\"", "\"0.025\""),
            ("price_min", "3", "1"),
            ("fee_per_gas_max", "\"30 gwei\"", "\"60 gwei\""),
            ("access_list_entries_max", "0", "1"),
        ] {
            assert_eq!(loosened(key, written).first().map(String::as_str), Some(first), "{key} = {written}");
        }
        assert_eq!(loosened("boot_mode", "\"live\""), Vec::<String>::new());
        assert_eq!(loosened("recipient", "\"0x12\""), Vec::<String>::new());
    }
}
