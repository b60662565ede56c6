//! From a question's form to the payload of a request, as a client would make it.

use std::collections::BTreeMap;

use client_sdk::build::solana;
use serde_json::Value;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Envelope};
use wire::request::PayloadKind;

use super::answer::Fault;
use super::question::Question;
use crate::hexadecimal;

/// What a question asks the vault to sign.
pub(super) enum Encoded {
    /// A payload kind's number, known to the vault or not, and the payload.
    Payload(u16, Vec<u8>),
    /// Text that a client cannot turn into a payload; the reason in one word.
    Malformed(&'static str),
}

/// Payload kinds that no vault has: what would have to be signed blindly, or by a venue that is not decoded.
const NO_PAYLOAD_KIND: u16 = 0;

/// Encodes a question.
///
/// # Errors
/// When the form is unknown or lacks a member.
pub(super) fn encode(question: &Question) -> Result<Encoded, Fault> {
    match question.form.as_str() {
        "evm_tx" => Ok(match hexadecimal::read(question.hex.as_deref().ok_or("evm_tx without hex")?) {
            Ok(payload) => Encoded::Payload(PayloadKind::EvmEip1559.number(), payload),
            Err(_) => Encoded::Malformed("HexMalformed"),
        }),
        "l1_json" | "multisig" => {
            let json = question.json.as_deref().ok_or("no json")?;
            hyperliquid(question, PayloadKind::HyperliquidL1Json, json.as_bytes())
        }
        "user_json" => {
            let json = question.json.as_deref().ok_or("no json")?;
            hyperliquid(question, PayloadKind::HyperliquidUserJson, json.as_bytes())
        }
        "l1_msgpack" => match hexadecimal::read(question.msgpack.as_deref().ok_or("no msgpack")?) {
            Ok(msgpack) => hyperliquid(question, PayloadKind::HyperliquidL1Msgpack, &msgpack),
            Err(_) => Ok(Encoded::Malformed("HexMalformed")),
        },
        "solana_message" => solana_message(question),
        "typed_data" if question.venue == "uniswapx" => typed_data(question, PayloadKind::UniswapxTypedData),
        "typed_data" if question.venue == "polymarket" => {
            typed_data(question, PayloadKind::PolymarketTypedData)
        }
        "swift_hex_ascii" => {
            let text = question.signed_bytes.as_deref().ok_or("swift_hex_ascii without signed_bytes")?;
            Ok(match hexadecimal::read(text) {
                Ok(payload) => Encoded::Payload(PayloadKind::SolanaSwift.number(), payload),
                Err(_) => Encoded::Malformed("HexMalformed"),
            })
        }
        "typed_data" | "digest" => Ok(Encoded::Payload(NO_PAYLOAD_KIND, Vec::new())),
        other => Err(format!("unknown form {other}").into()),
    }
}

/// The text as it is, or bytes that may be no text at all.
fn typed_data(question: &Question, kind: PayloadKind) -> Result<Encoded, Fault> {
    let payload = match (&question.json, &question.hex) {
        (Some(json), None) => json.clone().into_bytes(),
        (None, Some(hex)) => hexadecimal::read(hex)?,
        _ => return Err("typed_data has json or hex".into()),
    };
    Ok(Encoded::Payload(kind.number(), payload))
}

fn hyperliquid(question: &Question, kind: PayloadKind, action: &[u8]) -> Result<Encoded, Fault> {
    let vault_address = match question.vault_address.as_deref().map(address) {
        None => None,
        Some(Some(address)) => Some(address),
        Some(None) => return Ok(Encoded::Malformed("VaultAddressMalformed")),
    };
    let is_mainnet = question.is_mainnet.ok_or("no isMainnet")?;
    let envelope = Envelope {
        network: if is_mainnet { Network::Mainnet } else { Network::Testnet },
        nonce: question.nonce.ok_or("no nonce")?,
        vault_address,
        expires_after: question.expires_after,
    };
    let typed_data = question.typed_data.as_ref();
    if let Some(typed_data) = typed_data
        && !agrees(typed_data, action)
    {
        return Ok(Encoded::Malformed("ClaimDiffers"));
    }
    let claimed =
        |member: &str| typed_data.and_then(|data| data.pointer(&format!("/message/{member}"))?.as_str());
    let Ok(source) = question.source.as_deref().or(claimed("source")).map(one_byte).transpose() else {
        return Ok(Encoded::Malformed("ClaimDiffers"));
    };
    let connection_id = question.connection_id.as_deref().or(claimed("connectionId")).map(hash);
    let Ok(connection_id) = connection_id.transpose() else {
        return Ok(Encoded::Malformed("ClaimDiffers"));
    };
    let primary_type = typed_data.and_then(|data| data.get("primaryType")?.as_str());
    let claims = Claims { source, connection_id, primary_type };
    let mut payload = vec![0; ENVELOPE_SIZE_MAX];
    let size = envelope.write(&claims, &mut payload).ok_or("the envelope does not fit")?;
    payload.truncate(size);
    payload.extend_from_slice(action);
    Ok(Encoded::Payload(kind.number(), payload))
}

/// Whether the caller's own typed data say the same as the action where both say something. Source,
/// connectionId and primary type are compared by the vault itself.
fn agrees(typed_data: &Value, action: &[u8]) -> bool {
    let Ok(action) = serde_json::from_slice::<Value>(action) else {
        return true; // the vault will say what is wrong with it
    };
    let domain_chain = typed_data.pointer("/domain/chainId").and_then(Value::as_u64);
    let action_chain = action
        .get("signatureChainId")
        .and_then(Value::as_str)
        .and_then(|text| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok());
    let same_chain = action_chain.is_none() || domain_chain == action_chain;
    let message = typed_data.get("message").and_then(Value::as_object);
    same_chain
        && message.is_none_or(|message| {
            message.iter().all(|(name, value)| action.get(name).is_none_or(|other| other == value))
        })
}

fn solana_message(question: &Question) -> Result<Encoded, Fault> {
    let Ok(message) = hexadecimal::read(question.message.as_deref().ok_or("no message")?) else {
        return Ok(Encoded::Malformed("HexMalformed"));
    };
    let mut tables = BTreeMap::new();
    for (table, addresses) in question.lookup_tables.iter().flatten() {
        let addresses: Result<Vec<_>, _> = addresses.iter().map(|text| solana::key(text)).collect();
        tables.insert(solana::key(table)?, addresses?);
    }
    // A message whose lookups cannot be resolved goes to the vault without addresses: it must refuse by itself.
    let payload = solana::payload_with_tables(&message, &tables).or_else(|_| solana::payload(&message, &[]));
    Ok(match payload {
        Ok(payload) => Encoded::Payload(PayloadKind::SolanaMessage.number(), payload),
        Err(_) => Encoded::Malformed("MessageTooLong"),
    })
}

fn address(text: &str) -> Option<[u8; 20]> {
    hexadecimal::read(text.strip_prefix("0x")?).ok()?.try_into().ok()
}

fn hash(text: &str) -> Result<[u8; 32], &'static str> {
    hexadecimal::read(text)?.try_into().map_err(|_| "not 32 bytes")
}

fn one_byte(text: &str) -> Result<u8, &'static str> {
    match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => Err("not one character"),
    }
}
