//! One payload of every kind in the vectors.

use std::collections::{BTreeMap, HashSet};

use client_sdk::build;
use serde_json::Value;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Envelope, Form, Scratch};
use venues::{evm, hyperliquid, polymarket, solana, uniswapx};

use crate::Fault;

/// A payload that the decoder takes.
pub(crate) struct Payload {
    /// Form, kind and, where kinds are spelled in several ways, who spells it so.
    pub(crate) kind: String,
    /// What the workload goes by; for typed data the kind stands behind the form.
    pub(crate) form: String,
    pub(crate) bytes: Vec<u8>,
}

/// Reads them.
///
/// # Errors
/// When a vector file cannot be read.
pub(crate) fn read() -> Result<Vec<Payload>, Fault> {
    let mut payloads = Vec::new();
    let mut seen = HashSet::new();
    let mut scratch = Box::new(Scratch::new());
    for file in ["evm_eip1559", "uniswapx", "polymarket", "hyperliquid", "solana_drift", "solana_velocity"] {
        for line in lines(file)? {
            for payload in of_line(&line)? {
                if decodes(&payload, &mut scratch) && seen.insert(payload.kind.clone()) {
                    payloads.push(payload);
                }
            }
        }
    }
    Ok(payloads)
}

fn lines(file: &str) -> Result<Vec<Value>, Fault> {
    let path = format!("{}/../../venues/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn decodes(payload: &Payload, scratch: &mut Scratch) -> bool {
    let bytes = &payload.bytes;
    match payload.form.split(' ').next().unwrap_or_default() {
        "evm" => evm::decode(bytes).is_ok(),
        "hyperliquid_msgpack" => hyperliquid::decode(Form::L1Msgpack, bytes, scratch).is_ok(),
        "hyperliquid_json" => hyperliquid::decode(Form::L1Json, bytes, scratch).is_ok(),
        "hyperliquid_user" => hyperliquid::decode(Form::UserJson, bytes, scratch).is_ok(),
        "uniswapx" => uniswapx::decode(bytes).is_ok(),
        "polymarket" => polymarket::decode(bytes).is_ok(),
        _ => solana::decode(bytes).is_ok(),
    }
}

fn of_line(line: &Value) -> Result<Vec<Payload>, Fault> {
    let kind = text(line, "kind")?;
    let payload = |form: &str, bytes| Payload { kind: format!("{form} {kind}"), form: form.into(), bytes };
    Ok(match text(line, "venue")? {
        "evm_eip1559" => vec![payload("evm", hex(text(line, "input")?)?)],
        // serde_json reads bare integers of this size through floats: the spelling has no reference.
        "uniswapx" | "polymarket" if matches!(text(line, "shape")?, "web3py_ints" | "python_json_dumps") => {
            vec![]
        }
        venue @ ("uniswapx" | "polymarket") => {
            let form = format!("{venue} {kind}");
            let bytes = text(line, "input")?.as_bytes().to_vec();
            vec![Payload { kind: format!("{form} {}", text(line, "shape")?), form, bytes }]
        }
        "hyperliquid" => {
            let envelope = envelope(&line["input"])?;
            let with = |action: &[u8]| -> Result<Vec<u8>, Fault> {
                let mut bytes = vec![0; ENVELOPE_SIZE_MAX];
                let size =
                    envelope.write(&Claims::default(), &mut bytes).ok_or("an envelope beyond its size")?;
                bytes.truncate(size);
                bytes.extend_from_slice(action);
                Ok(bytes)
            };
            let json = with(text(line, "action_json")?.as_bytes())?;
            if line["scheme"] == "l1_agent" {
                vec![
                    payload("hyperliquid_msgpack", with(&hex(text(line, "msgpack")?)?)?),
                    payload("hyperliquid_json", json),
                ]
            } else {
                vec![payload("hyperliquid_user", json)]
            }
        }
        _ => solana_message(line)?.map(|bytes| payload("solana", bytes)).into_iter().collect(),
    })
}

fn envelope(input: &Value) -> Result<Envelope, Fault> {
    let vault_address = match input["vaultAddress"].as_str() {
        Some(address) => Some(hex(address)?.try_into().map_err(|_| "a vaultAddress that is none")?),
        None => None,
    };
    Ok(Envelope {
        network: if input["isMainnet"] == false { Network::Testnet } else { Network::Mainnet },
        nonce: input["nonce"]
            .as_u64()
            .or(input.pointer("/action/time").and_then(Value::as_u64))
            .unwrap_or_default(),
        vault_address,
        expires_after: input["expiresAfter"].as_u64(),
    })
}

fn solana_message(line: &Value) -> Result<Option<Vec<u8>>, Fault> {
    let input = &line["input"];
    let Some(message) = input["message"].as_str() else { return Ok(None) };
    if input["form"] != "solana_message" {
        return Ok(None);
    }
    let mut tables = BTreeMap::new();
    for (table, addresses) in input["lookup_tables"].as_object().into_iter().flatten() {
        let addresses: Result<Vec<_>, _> = addresses.as_array().into_iter().flatten().map(key).collect();
        tables.insert(key(&Value::from(table.as_str()))?, addresses?);
    }
    Ok(build::solana::payload_with_tables(&hex(message)?, &tables).ok())
}

fn key(text: &Value) -> Result<[u8; 32], Fault> {
    let bytes =
        bs58::decode(text.as_str().unwrap_or_default()).into_vec().map_err(|error| error.to_string())?;
    bytes.try_into().map_err(|_| "a key that is not 32 bytes".into())
}

fn text<'v>(line: &'v Value, member: &str) -> Result<&'v str, Fault> {
    line[member].as_str().ok_or_else(|| format!("{}: no {member}", line["id"]).into())
}

fn hex(text: &str) -> Result<Vec<u8>, Fault> {
    let (pairs, odd) = text.trim_start_matches("0x").as_bytes().as_chunks::<2>();
    if !odd.is_empty() {
        return Err("an odd number of digits".into());
    }
    pairs.iter().map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?)).collect()
}
