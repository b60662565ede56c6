//! The catalogues of what the decoders know, held to what they do with the venues' own payloads.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::collections::BTreeSet;

use serde_json::Value;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Envelope, Form, Scratch, rules::Network};
use venues::{Catalogue, Payload, evm, hyperliquid, polymarket, solana, uniswapx};
use wire::Refusal;
use wire::facts::{self, FactWriter};
use wire::facts_json::JsonFacts;

fn lines(file: &str) -> Vec<Value> {
    let path = format!("{}/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn hex(text: &str) -> Vec<u8> {
    let (pairs, _) = text.trim_start_matches("0x").as_bytes().as_chunks::<2>();
    pairs.iter().map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn facts_of(payload: &impl Payload) -> Value {
    let mut buffer = [0; 16 * 1024];
    let mut writer = FactWriter::new(&mut buffer);
    payload.facts(&mut writer);
    assert!(writer.is_complete());
    let used = writer.used();
    let mut text = String::new();
    let mut sink = JsonFacts::new(&mut text);
    facts::read(&buffer[..used], &mut sink).unwrap();
    sink.finish().unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The texts under `keys`, at any depth.
fn names(facts: &Value, keys: &[&str], found: &mut BTreeSet<String>) {
    match facts {
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str() {
                    Some(name) if keys.contains(&key.as_str()) => _ = found.insert(name.into()),
                    _ => names(value, keys, found),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| names(element, keys, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Every name that a decoded vector tells is in the catalogue; what is in the catalogue and in no vector is exactly
/// what `elsewhere` lists, whose tests are the venue's own.
fn compare(catalogue: &Catalogue, told: &BTreeSet<String>, elsewhere: &[&str]) {
    let understood: BTreeSet<String> = catalogue.understood.iter().map(|known| known.name.into()).collect();
    let unlisted: Vec<_> = told.difference(&understood).collect();
    assert!(unlisted.is_empty(), "{}: told and not in the catalogue: {unlisted:?}", catalogue.venue);
    let untold: BTreeSet<&str> = understood.difference(told).map(String::as_str).collect();
    assert_eq!(untold, elsewhere.iter().copied().collect(), "{}: in no vector", catalogue.venue);
}

#[test]
fn the_calls_of_evm_are_in_its_catalogue() {
    let mut told = BTreeSet::new();
    for line in lines("evm_eip1559") {
        let payload = hex(line["input"].as_str().unwrap());
        if let Ok(transaction) = evm::decode(&payload) {
            if matches!(transaction.call(), evm::Call::NativeTransfer { .. }) {
                told.insert("native transfer".into());
            }
            names(&facts_of(&transaction), &["function", "command"], &mut told);
        }
    }
    let elsewhere = [
        "V2_SWAP_EXACT_OUT",
        "invalidateNonces",
        "invalidateUnorderedNonces",
        "lockdown",
        "refundETH",
        "selfPermit",
        "swapExactETHForTokensSupportingFeeOnTransferTokens",
        "swapExactTokensForETHSupportingFeeOnTransferTokens",
        "swapExactTokensForTokensSupportingFeeOnTransferTokens",
        "sweepToken",
    ];
    compare(&evm::CATALOGUE, &told, &elsewhere);
}

#[test]
fn the_typed_data_of_uniswapx_is_in_its_catalogue() {
    let mut told = BTreeSet::new();
    for line in lines("uniswapx") {
        let Ok(signature) = uniswapx::decode(line["input"].as_str().unwrap().as_bytes()) else { continue };
        let facts = facts_of(&signature);
        let name = facts["witness_type"].as_str().or(facts["primary_type"].as_str()).unwrap();
        told.insert(name.into());
    }
    compare(&uniswapx::CATALOGUE, &told, &["RelayOrder", "PermitBatchTransferFrom"]);
}

#[test]
fn the_typed_data_of_polymarket_is_in_its_catalogue() {
    let mut told = BTreeSet::new();
    for line in lines("polymarket") {
        if let Ok(message) = polymarket::decode(line["input"].as_str().unwrap().as_bytes()) {
            names(&facts_of(&message), &["primary_type"], &mut told);
        }
    }
    compare(&polymarket::CATALOGUE, &told, &[]);
}

fn envelope(nonce: u64) -> Vec<u8> {
    let envelope = Envelope { network: Network::Mainnet, nonce, vault_address: None, expires_after: None };
    let mut bytes = vec![0; ENVELOPE_SIZE_MAX];
    let size = envelope.write(&Claims::default(), &mut bytes).unwrap();
    bytes.truncate(size);
    bytes
}

#[test]
fn the_actions_of_hyperliquid_are_in_its_catalogue() {
    let mut told = BTreeSet::new();
    let mut scratch = Box::new(Scratch::new());
    for line in lines("hyperliquid") {
        let action = &line["input"]["action"];
        let form = if line["scheme"] == "l1_agent" { Form::L1Json } else { Form::UserJson };
        let nonce = action["time"].as_u64().or(action["nonce"].as_u64()).unwrap_or(1);
        let mut envelope = envelope(nonce);
        if line["input"]["isMainnet"] == false {
            envelope[0] &= !1;
        }
        let payload = [&envelope, line["action_json"].as_str().unwrap().as_bytes()].concat();
        if let Ok(action) = hyperliquid::decode(form, &payload, &mut scratch) {
            told.insert(action.content().type_name().to_owned());
        }
    }
    compare(&hyperliquid::CATALOGUE, &told, &[]);
}

#[test]
fn the_actions_that_hyperliquids_catalogue_refuses_are_unsupported_in_every_form() {
    let mut scratch = Box::new(Scratch::new());
    for known in hyperliquid::CATALOGUE.refused {
        let payload = [&envelope(1), format!("{{\"type\":\"{}\"}}", known.name).as_bytes()].concat();
        for form in [Form::L1Json, Form::UserJson] {
            let why = hyperliquid::decode(form, &payload, &mut scratch).unwrap_err();
            assert_eq!(why.refusal, Refusal::ActionNotSupported, "{}", known.name);
        }
    }
}

#[test]
fn the_instructions_of_solana_are_in_its_catalogue() {
    let mut told = BTreeSet::new();
    for line in lines("solana_drift").iter().chain(&lines("solana_velocity")) {
        let input = &line["input"];
        if input["form"] == "swift_hex_ascii" {
            told.insert("signedMsgOrderParams".into());
            continue;
        }
        let message = hex(input["message"].as_str().unwrap());
        let size = u16::try_from(message.len()).unwrap().to_le_bytes();
        // Lines with lookup tables need their addresses; nearly every instruction stands in lines without, too.
        if let Ok(transaction) = solana::decode(&[&size[..], &message].concat()) {
            names(&facts_of(&transaction)["instructions"], &["name"], &mut told);
        }
    }
    compare(&solana::CATALOGUE, &told, &["settleMultiplePnls"]);
}
