//! Which refusals hold each limit of a book, and which limits no case holds.
//!
//! Each limit of the book's text is loosened in turn (a cap doubled, a floor halved, a flag set the other way, an entry of a
//! list taken out), the book is compiled again and the cases are run. A limit whose change no case notices is not covered:
//! somebody could loosen it and every case would still pass.

use core::fmt;
use core::ops::Range;
use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Fault, Suite, Verdict};

/// Keys that say what an entry is about, and no limit.
const NAMES: [&str; 19] = [
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
    "key",
];

/// Tables and keys about modes, sessions and receipts, of which cases say nothing.
const BEYOND_CASES: [&str; 4] = ["host", "receipts", "heartbeat_ms", "certificate_days_max"];

/// A limit of a book's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The tables around it, such as `slots.evm.tokens`.
    pub table: String,
    /// Its key.
    pub key: String,
    /// The element of its list.
    pub index: Option<usize>,
    /// Where it stands, from 1.
    pub line: usize,
    /// What it refuses with as the cases show: those that a looser book signs, or a stricter one refuses. Where a looser text makes no other book: `None`.
    pub refusals: Option<BTreeSet<String>>,
}

impl Limit {
    /// Whether the book would be another one and no case would notice.
    #[must_use]
    pub fn is_uncovered(&self) -> bool {
        self.refusals.as_ref().is_some_and(BTreeSet::is_empty)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.line, self.key)?;
        self.index.map_or(Ok(()), |index| write!(formatter, "[{index}]"))
    }
}

/// Every limit of a book, and which refusals of the cases it is held by.
///
/// # Errors
/// As [`Suite::run`], and where the book does not compile or its cases fail as it is.
pub fn limits(path: &str, text: &str, suite: &Suite) -> Result<Vec<Limit>, Fault> {
    if failed(path, text, suite).is_none_or(|verdicts| !verdicts.is_empty()) {
        return Err("the cases do not hold for the book as it is".to_owned());
    }
    let document = DeTable::parse(text).map_err(|error| error.to_string())?;
    let mut changes = Changes { text, found: Vec::new() };
    changes.table("", document.get_ref());
    let limit = |change: Change| {
        let (before, after) = (text.get(..change.at.start)?, text.get(change.at.end..)?);
        // What does not compile is no other book; the first that does counts.
        let others = change.others.iter().map(|other| [before, other, after].concat());
        let verdicts = others.into_iter().find_map(|other| failed(path, &other, suite));
        let refusals = verdicts.map(|verdicts| {
            let told = verdicts.iter().filter_map(|verdict| verdict.refusal(change.is_looser));
            told.map(str::to_owned).collect()
        });
        let Change { table, key, index, .. } = change;
        Some(Limit { table, key, index, line: before.matches('\n').count() + 1, refusals })
    };
    Ok(changes.found.into_iter().filter_map(limit).collect())
}

/// The cases that fail under another book, where one that cannot even be put shows nothing; `None` if the text is no book.
fn failed(path: &str, text: &str, suite: &Suite) -> Option<Vec<Verdict>> {
    let book = compile::compile(path, text).ok()?;
    let mut verdicts = suite.run(book).unwrap_or_default();
    verdicts.retain(|verdict| !verdict.passed);
    Some(verdicts)
}

/// A piece of text and what may stand in its place.
struct Change {
    table: String,
    key: String,
    index: Option<usize>,
    at: Range<usize>,
    /// Whether more may be signed then; else less.
    is_looser: bool,
    others: Vec<String>,
}

struct Changes<'t> {
    text: &'t str,
    found: Vec<Change>,
}

impl Changes<'_> {
    fn table(&mut self, table: &str, entries: &DeTable<'_>) {
        for (key, entry) in entries {
            let key = key.get_ref().as_ref();
            if !NAMES.contains(&key) && !BEYOND_CASES.contains(&key) {
                self.value(table, key, entry);
            }
        }
    }

    fn value(&mut self, table: &str, key: &str, entry: &Spanned<DeValue<'_>>) {
        let inner = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        let at = entry.span();
        let (is_looser, others) = match entry.get_ref() {
            DeValue::Table(entries) => return self.table(&inner, entries),
            DeValue::Array(elements) => return self.list(table, key, &inner, elements),
            DeValue::Boolean(flag) => (!flag, vec![(!flag).to_string()]),
            DeValue::Integer(_) | DeValue::String(_) => {
                (true, loosened(key, self.text.get(at.clone()).unwrap_or_default()))
            }
            DeValue::Float(_) | DeValue::Datetime(_) => return,
        };
        if !others.is_empty() {
            let (table, key) = (table.to_owned(), key.to_owned());
            self.found.push(Change { table, key, index: None, at, is_looser, others });
        }
    }

    /// Tables of a list are walked; each other element is taken out.
    fn list(&mut self, table: &str, key: &str, inner: &str, elements: &[Spanned<DeValue<'_>>]) {
        for (index, element) in elements.iter().enumerate() {
            if let DeValue::Table(entries) = element.get_ref() {
                self.table(inner, entries);
                continue;
            }
            // With the comma behind it, or the one before the last.
            let next = elements.get(index + 1).map(|next| next.span().start);
            let before = index.checked_sub(1).and_then(|before| elements.get(before));
            let span = element.span();
            let start = before.map_or(span.start, |before| before.span().end);
            let at = next.map_or(start..span.end, |next| span.start..next);
            let (table, key) = (table.to_owned(), key.to_owned());
            let (is_looser, others) = (false, vec![String::new()]);
            self.found.push(Change { table, key, index: Some(index), at, is_looser, others });
        }
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
