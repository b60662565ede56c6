//! The vector files: made with the libraries that wallets and bots run.

use std::fs;

use serde_json::Value;
use venues::polymarket::Message;
use venues::{Address, Payload};
use wire::facts::{FactWriter, read};
use wire::facts_json::JsonFacts;

pub(crate) struct Line {
    pub(crate) json: Value,
    pub(crate) payload: Vec<u8>,
}

impl Line {
    pub(crate) fn text(&self, member: &str) -> &str {
        self.json[member].as_str().unwrap()
    }

    pub(crate) fn fact(&self, member: &str) -> &str {
        self.json["facts"][member].as_str().unwrap_or_default()
    }

    pub(crate) fn account(&self) -> Address {
        address(self.text("address")).unwrap()
    }

    /// The judge's clock: a minute before it expires, or when it was made.
    pub(crate) fn now_ms(&self) -> u64 {
        let expiration: u64 = self.fact("expiration").parse().unwrap_or_default();
        if (1_600_000_001..4_000_000_000).contains(&expiration) {
            return (expiration - 60) * 1000;
        }
        match (self.fact("timestamp").len(), self.fact("timestamp").parse::<u64>()) {
            (10, Ok(seconds)) => seconds * 1000,
            (13, Ok(milliseconds)) => milliseconds,
            _ => 1_790_812_800_000,
        }
    }

    /// Every address in the line's facts.
    pub(crate) fn addresses(&self) -> Vec<Address> {
        let facts = self.json["facts"].as_object().unwrap();
        facts.values().filter_map(|fact| address(fact.as_str()?)).filter(|it| *it != [0; 20]).collect()
    }
}

/// The lines of a vector file.
pub(crate) fn lines(name: &str) -> Vec<Line> {
    let path = format!("{}/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let line = |line| {
        let json: Value = serde_json::from_str(line).unwrap();
        let payload = match json["input"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => from_hex(json["input_hex"].as_str().unwrap()),
        };
        Line { json, payload }
    };
    fs::read_to_string(path).unwrap().lines().map(line).collect()
}

pub(crate) fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix("0x").unwrap();
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn address(text: &str) -> Option<Address> {
    (text.len() == 42 && text.starts_with("0x")).then(|| from_hex(text).try_into().unwrap())
}

/// What `message` tells, packed as in a receipt and unpacked again.
pub(crate) fn facts_of(message: &Message<'_>) -> Value {
    let mut buffer = [0; wire::FACTS_SIZE_MAX];
    let mut writer = FactWriter::new(&mut buffer);
    message.facts(&mut writer);
    assert!(writer.is_complete());
    let used = writer.used();
    let mut text = String::new();
    let mut json = JsonFacts::new(&mut text);
    read(&buffer[..used], &mut json).unwrap();
    json.finish().unwrap();
    serde_json::from_str(&text).unwrap()
}
