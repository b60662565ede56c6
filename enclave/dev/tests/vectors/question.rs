//! From a line to its questions: the line without its answers.

use std::collections::BTreeSet;

use enclave_dev::conformance::Question;
use serde_json::{Value, json};

use super::line::{Line, is_address};

/// The clock of the Hyperliquid lines: every nonce and expiry of a positive lies ahead of it.
const HYPERLIQUID_NOW_MS: u64 = 1_790_000_005_000;

/// 2026-10-01, where a line implies no other time.
const NOW_MS: u64 = 1_790_812_800_000;

/// The questions of a line; a negative's lists are those of its unbroken original.
pub(crate) fn questions(line: &Line, base: Option<&Line>) -> Vec<Question> {
    let reference = base.unwrap_or(line);
    let mut question = json!({
        "venue": line.venue(),
        "key": line.key(),
        "now_ms": clock(line, reference),
        "allow": allow(reference),
        "markets": markets(reference),
    });
    let input = line.get("input");
    let forms = match line.venue() {
        "evm_eip1559" => vec![json!({ "form": "evm_tx", "hex": input })],
        "hyperliquid" => hyperliquid(line, input),
        _ => vec![solana(input)],
    };
    forms
        .into_iter()
        .enumerate()
        .map(|(number, form)| {
            question["id"] = json!(format!("{}/{number}", line.id()));
            let mut whole = question.clone();
            for (name, value) in form.as_object().unwrap() {
                whole[name] = value.clone();
            }
            serde_json::from_value(whole).unwrap()
        })
        .collect()
}

fn hyperliquid(line: &Line, input: &Value) -> Vec<Value> {
    if input["form"].is_string() {
        let renamed = |(name, value): (&String, &Value)| {
            (if name == "action_json" { "json".to_owned() } else { name.clone() }, value.clone())
        };
        return vec![
            input.as_object().unwrap().iter().map(renamed).collect::<serde_json::Map<_, _>>().into(),
        ];
    }
    let envelope = |form: &str, name: &str, action: &Value| {
        json!({ "form": form, name: action, "nonce": input["nonce"], "vaultAddress": input["vaultAddress"],
            "expiresAfter": input["expiresAfter"], "isMainnet": input["isMainnet"] })
    };
    let json = line.get("action_json");
    match line.text("scheme") {
        "l1_agent" => {
            vec![envelope("l1_json", "json", json), envelope("l1_msgpack", "msgpack", line.get("msgpack"))]
        }
        "user_signed" => vec![envelope("user_json", "json", json)],
        _ => vec![envelope("multisig", "json", json)],
    }
}

fn solana(input: &Value) -> Value {
    let is_swift = input["form"] == "swift_hex_ascii";
    let kept = input.as_object().unwrap().iter().filter(|(name, _)| *name != "borsh" && *name != "idl");
    let renamed = kept.map(|(name, value)| {
        let name = if is_swift && name == "message" { "signed_bytes" } else { name };
        (name.to_owned(), value.clone())
    });
    renamed.collect::<serde_json::Map<_, _>>().into()
}

fn clock(line: &Line, reference: &Line) -> u64 {
    if let Some(now_ms) = line.get("now_ms").as_u64() {
        return now_ms;
    }
    if line.venue() == "hyperliquid" {
        return HYPERLIQUID_NOW_MS;
    }
    let deadline = reference.get("facts")["deadline"].as_str().and_then(|text| text.parse::<u64>().ok());
    match deadline {
        Some(deadline) if (1_600_000_000..4_000_000_000).contains(&deadline) => (deadline - 60) * 1_000,
        _ => NOW_MS,
    }
}

/// The addresses and keys in the facts, and the vault that a Hyperliquid line acts for.
fn allow(reference: &Line) -> Vec<String> {
    let mut found = BTreeSet::new();
    // An EVM negative has no original; it is judged with every contract that the venues' SDKs name.
    let known = Line::addresses();
    let facts = if reference.get("facts").is_null() { &known } else { reference.get("facts") };
    each_text(facts, &mut |text| {
        let is_key =
            (32..=44).contains(&text.len()) && bs58::decode(text).into_vec().is_ok_and(|key| key.len() == 32);
        if is_address(text) {
            found.insert(text.to_lowercase());
        } else if is_key {
            found.insert(text.to_owned());
        }
    });
    if let Some(vault) = reference.get("input")["vaultAddress"].as_str() {
        found.insert(vault.to_lowercase());
    }
    found.into_iter().collect()
}

fn each_text(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(values) => values.iter().for_each(|value| each_text(value, visit)),
        Value::Object(members) => members.values().for_each(|value| each_text(value, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The markets that the line's author trades: Hyperliquid asset ids, Drift "perp:13" or "spot:1".
fn markets(reference: &Line) -> Vec<String> {
    let mut found = BTreeSet::new();
    each_market(reference.get("facts"), &mut found);
    if reference.venue() == "hyperliquid" {
        each_market(&reference.get("input")["action"], &mut found);
    }
    found.into_iter().collect()
}

fn each_market(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(index) = members.get("marketIndex").filter(|index| !index.is_null()) {
                match members.get("marketType").and_then(Value::as_str) {
                    Some(kind) => _ = found.insert(format!("{}:{index}", kind.to_lowercase())),
                    None => found.extend([format!("perp:{index}"), format!("spot:{index}")]),
                }
            }
            for (name, value) in members {
                if matches!(name.as_str(), "a" | "asset") && (value.is_number() || value.is_string()) {
                    found.insert(value.to_string().trim_matches('"').to_owned());
                }
                each_market(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| each_market(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
