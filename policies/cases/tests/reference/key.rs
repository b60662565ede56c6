//! What the compiler lets a key be.

use std::collections::BTreeSet;

use compile::{Fault, Rule};
use toml::Value;

use crate::compiler::{Compiler, Place};

/// What is known about a key.
pub(crate) struct Key {
    pub(crate) takes: String,
    pub(crate) left_out: String,
    pub(crate) faults: BTreeSet<&'static str>,
    pub(crate) has_table: bool,
}

impl Key {
    pub(crate) fn learn(compiler: &Compiler, table: &str, name: &str) -> Self {
        let places = compiler.places(table, name);
        let has_table = places.iter().any(|(_, value)| is_table(value) || is_list_of_tables(value));
        // A value that shows most: a list or table before the word that may stand in its place.
        let (place, value) =
            *places.iter().max_by_key(|(_, value)| value.is_array() || value.is_table()).unwrap();
        let mut asked = Asked { compiler, place, name, faults: BTreeSet::new() };
        let takes = asked.takes(value);
        Self { takes, left_out: left_out(compiler, table, &places, name), faults: asked.faults, has_table }
    }
}

fn is_table(value: &Value) -> bool {
    value.is_table()
}

fn is_list_of_tables(value: &Value) -> bool {
    value.as_array().is_some_and(|elements| !elements.is_empty() && elements.iter().all(is_table))
}

/// What the compiler says without the key. Where other parts of a book need it, another book may show more.
fn left_out(compiler: &Compiler, table: &str, places: &[(&Place, &Value)], name: &str) -> String {
    let told: Vec<Vec<Fault>> = places.iter().map(|(place, _)| compiler.with(place, name, None)).collect();
    let may_be_missing = compiler.has_without(table, name) || told.iter().any(Vec::is_empty);
    let missing = format!("{name} is missing");
    let is_missed =
        told.iter().flatten().any(|fault| fault.rule == Rule::MissingKey && fault.message == missing);
    match (is_missed, may_be_missing) {
        (true, false) => "mandatory".to_owned(),
        (true, true) => "mandatory where it has a meaning".to_owned(),
        (false, true) => "optional".to_owned(),
        (false, false) => {
            let rules: BTreeSet<_> = told.iter().flatten().map(|fault| format!("`{}`", fault.rule)).collect();
            rules.into_iter().collect::<Vec<_>>().join(", ")
        }
    }
}

/// Rules that every key can break.
const COMMON: [Rule; 2] = [Rule::WrongType, Rule::Float];

/// Texts that show what a text may be.
const TEXTS: [&str; 5] = [
    "?",
    "",
    "1 ?",
    "0x0000000000000000000000000000000000000000",
    // the last letter in the other case
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD",
];

struct Asked<'c> {
    compiler: &'c Compiler,
    place: &'c Place,
    name: &'c str,
    faults: BTreeSet<&'static str>,
}

impl Asked<'_> {
    /// What is said about the key when it has this value.
    fn put(&mut self, value: Value) -> Vec<Fault> {
        let start = format!("{}: ", self.name);
        let mut found = self.compiler.with(self.place, self.name, Some(value));
        found.retain(|fault| fault.message.starts_with(&start));
        self.faults.extend(
            found.iter().map(|fault| fault.rule).filter(|rule| !COMMON.contains(rule)).map(Rule::name),
        );
        found
    }

    /// What is said, about whatever key of it, when the first table of a list stands there again.
    fn put_twice(&mut self, tables: &[Value]) {
        let twice = Value::Array([&tables[..1], tables].concat());
        let found = self.compiler.with(self.place, self.name, Some(twice));
        self.faults.extend(found.iter().map(|fault| fault.rule.name()));
    }

    fn takes(&mut self, value: &Value) -> String {
        let words = self.words(&|value| value);
        let or_word = words.map(|words| format!(", or {words}")).unwrap_or_default();
        match value {
            Value::Table(_) => format!("table{or_word}"),
            Value::Array(elements) => {
                self.put(Value::Array(Vec::new()));
                if is_list_of_tables(value) {
                    self.put_twice(elements);
                    return "list of tables".to_owned();
                }
                let twice = elements.first().map_or_else(Vec::new, |first| vec![first.clone(); 2]);
                self.put(Value::Array(twice));
                let element = self.scalar(&|value| Value::Array(vec![value]));
                format!("list: {element}{or_word}")
            }
            Value::Boolean(_) => "`true` or `false`".to_owned(),
            Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Datetime(_) => {
                self.scalar(&|value| value)
            }
        }
    }

    /// The words that the key takes, if it takes words alone.
    fn words(&mut self, wrap: &dyn Fn(Value) -> Value) -> Option<String> {
        let told = self.put(wrap(Value::from("?")));
        let told = told.iter().find(|fault| fault.rule == Rule::UnknownValue)?;
        let (_, words) = told.message.split_once(" is not one of ")?;
        Some(words.split(", ").map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "))
    }

    fn scalar(&mut self, wrap: &dyn Fn(Value) -> Value) -> String {
        let wrong = self.put(wrap(Value::Boolean(true)));
        for text in TEXTS {
            self.put(wrap(Value::from(text)));
        }
        let expected = wrong.iter().find_map(|fault| {
            let (_, expected) = fault.message.split_once(": expected ")?;
            Some(expected.split_once(',').map_or(expected, |(expected, _)| expected).to_owned())
        });
        match expected.as_deref() {
            // Every book leaves the list open.
            Some("a list") => {
                let element = self.scalar(&|value| Value::Array(vec![value]));
                let word = self.words(wrap).map(|words| format!(", or {words}")).unwrap_or_default();
                format!("list: {element}{word}")
            }
            Some("text") => self.words(wrap).unwrap_or_else(|| self.text(wrap)),
            Some("a whole number") => {
                let told = self.put(wrap(Value::from("1 ?")));
                let is_wei = told.iter().any(|fault| fault.rule == Rule::UnknownValue);
                self.number(if is_wei { "wei" } else { "whole number" }, wrap)
            }
            Some("a number: a whole one") => {
                let told = self.put(wrap(Value::from(format!("0.{}1", "0".repeat(90)))));
                let decimals = told.iter().find_map(|fault| {
                    fault.message.split_once(" has more than ").map(|(_, decimals)| decimals.to_owned())
                });
                self.number(&format!("decimal, {}", decimals.unwrap()), wrap)
            }
            other => panic!("{}: takes {other:?}", self.name),
        }
    }

    fn text(&mut self, wrap: &dyn Fn(Value) -> Value) -> String {
        let told = self.put(wrap(Value::from("?")));
        let rule = told.first().map(|fault| fault.rule);
        match rule {
            Some(Rule::BadAddress) if told[0].message.contains("0x") => "address",
            Some(Rule::BadAddress) => "account",
            Some(Rule::BadName) => "name",
            Some(Rule::BadTime) => "time",
            Some(Rule::BadKey) => "public key",
            _ => "text",
        }
        .to_owned()
    }

    /// A number, the width of its type, and closer limits that the compiler tells.
    fn number(&mut self, kind: &str, wrap: &dyn Fn(Value) -> Value) -> String {
        let mut told = Vec::new();
        for number in [Value::Integer(-1), Value::Integer(0), Value::Integer(1)] {
            told.extend(self.put(wrap(number)));
        }
        let too_large = self.put(wrap(Value::from(format!("1{}", "0".repeat(80)))));
        let mut bits = None;
        for width in [8_u32, 16, 32, 64, 128, 160, 256] {
            // The largest number of the width, and where all ones are refused the one before it.
            for less in [1_u8, 2] {
                let largest =
                    venues::U256::MAX.wrapping_shr((256 - width) as usize) - venues::U256::from(less - 1);
                let found = self.put(wrap(Value::from(largest.to_string())));
                bits = bits.or_else(|| part(&found, "more than ", " bits"));
                told.extend(found);
            }
        }
        let bits = bits.or_else(|| part(&too_large, "more than ", " bits"));
        let mut text = format!("{kind}, {} bits", bits.unwrap());
        for word in ["at least ", "at most "] {
            if let Some(bound) = part(&told, word, "") {
                let bound = bound.split(',').next().unwrap_or_default();
                text = format!("{text}, {word}{bound}");
            }
        }
        text
    }
}

/// What stands between two pieces of a fault's message.
fn part(faults: &[Fault], before: &str, after: &str) -> Option<String> {
    faults.iter().find_map(|fault| {
        let (_, rest) = fault.message.split_once(before)?;
        let end = if after.is_empty() { rest.len() } else { rest.find(after)? };
        Some(rest[..end].to_owned())
    })
}
