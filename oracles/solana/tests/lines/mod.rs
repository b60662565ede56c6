//! The vector lines and their payloads.

#![allow(dead_code, reason = "each test file takes what it needs")]

use std::collections::BTreeMap;
use std::sync::OnceLock;

use client_sdk::build::solana::{self, Key, key, payload_with_tables};
use serde_json::Value;
use venues::solana::decode;

/// The lines that carry a message.
pub(crate) fn messages(file: &str) -> Vec<Value> {
    let path = format!("{}/../../venues/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["input"]["form"] == "solana_message").collect()
}

pub(crate) fn base58(text: &Value) -> Key {
    key(text.as_str().unwrap()).unwrap()
}

/// What a client would send; a message that the SDK cannot resolve goes as it is.
pub(crate) fn payload(line: &Value) -> Vec<u8> {
    let hex = line["input"]["message"].as_str().unwrap();
    let pairs = (0..hex.len()).step_by(2);
    let message: Vec<u8> = pairs.map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    let contents = |keys: &Value| keys.as_array().unwrap().iter().map(base58).collect();
    let tables = line["input"]["lookup_tables"].as_object().unwrap().iter();
    let tables: BTreeMap<_, _> = tables.map(|(table, keys)| (key(table).unwrap(), contents(keys))).collect();
    payload_with_tables(&message, &tables).unwrap_or_else(|_| solana::payload(&message, &[]).unwrap())
}

/// The payloads of the positive lines that decode.
pub(crate) fn accepted() -> &'static [Vec<u8>] {
    static ACCEPTED: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    ACCEPTED.get_or_init(|| {
        let lines = [messages("solana_drift.jsonl"), messages("solana_velocity.jsonl")].concat();
        let payloads = lines.iter().map(payload);
        payloads.filter(|payload| decode(payload).is_ok()).collect()
    })
}
