//! From a question to its answer.

use enclave::Boot;
use serde_json::{Map, Value, json};
use signing::{Keyring, Secret};
use wire::facts_json::JsonFacts;
use wire::receipt::Receipt;
use wire::reply::Reply;
use wire::request::{PayloadKind, Request};
use wire::{Family, Now, Refusal, facts};
use zeroize::Zeroizing;

use super::book_text::book_text;
use super::payload::{Encoded, encode};
use super::question::Question;
use crate::hexadecimal;
use crate::in_process::InProcess;

/// The vault boots this long before the question's clock.
const BOOTED_BEFORE_MS: u64 = 3 * 24 * 3_600 * 1_000;

/// The throw-away session key that the book lists.
pub(super) const CLIENT: &str = "bot";

/// Why there is no answer at all.
pub(super) type Fault = Box<dyn std::error::Error>;

/// Puts a question, and the one before it if there is one, to a vault of its own.
///
/// # Errors
/// When the question itself is broken (not its payload): an unknown form, a key that is none, a book that does
/// not compile.
pub fn answer(question: &Question) -> Result<Value, Fault> {
    let mut vault = vault(question)?;
    if let Some(before) = &question.before {
        put(&mut vault, before, 1)?;
    }
    put(&mut vault, question, 2)
}

fn vault(question: &Question) -> Result<InProcess, Fault> {
    let bytes: [u8; 32] =
        hexadecimal::read(&question.key)?.try_into().map_err(|_| "the key is not 32 bytes")?;
    let secret = || Secret::new(Zeroizing::new(bytes));
    let text = book_text(question, &secret())?;
    let book = compile::compile("conformance", &text)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let mut keyring = Keyring::default();
    for slot in book.slots {
        keyring.insert(slot, secret())?;
    }
    let booted = Now { monotonic_ms: 0, wall_ms: question.now_ms.saturating_sub(BOOTED_BEFORE_MS) };
    InProcess::at_boot(book, keyring, Boot { id: [0; 16], seed: [0; 32], now: booted }, CLIENT)
}

fn put(vault: &mut InProcess, question: &Question, request_id: u64) -> Result<Value, Fault> {
    let (payload_kind, payload) = match encode(question)? {
        Encoded::Payload(kind, payload) => (kind, payload),
        // What cannot be put into a frame is refused before it reaches the vault, as the SDK does.
        Encoded::Malformed(code) => {
            return Ok(json!({ "id": question.id, "outcome": Family::Malformed.as_str(), "code": code }));
        }
    };
    let now = Now { monotonic_ms: BOOTED_BEFORE_MS, wall_ms: question.now_ms };
    let reply = vault.ask(now, &body(request_id, payload_kind, &payload))?;
    let reply = Reply::read(reply).map_err(|_| "not a reply")?;
    let receipt = reply.receipt().map_err(|_| "a reply without its receipt")?;
    answer_of(question, &reply, &receipt)
}

fn answer_of(question: &Question, reply: &Reply<'_>, receipt: &Receipt<'_>) -> Result<Value, Fault> {
    let refusal = reply.refusal().map_err(|code| format!("unknown code {code}"))?;
    let mut answer = Map::new();
    answer.insert("id".into(), json!(question.id));
    answer.insert("outcome".into(), json!(outcome(refusal)));
    if let Some(refusal) = refusal {
        answer.insert("code".into(), json!(refusal.name()));
    }
    if let Some(digest) = receipt.digest {
        answer.insert("digest".into(), json!(hexadecimal::text(&digest)));
        answer.insert("facts".into(), facts_of(receipt)?);
    }
    if refusal.is_none() {
        answer.insert("signature".into(), json!(hexadecimal::text(reply.signature)));
    }
    Ok(Value::Object(answer))
}

fn facts_of(receipt: &Receipt<'_>) -> Result<Value, Fault> {
    let mut text = String::new();
    let mut sink = JsonFacts::new(&mut text);
    facts::read(receipt.facts, &mut sink).map_err(|_| "the receipt's facts cannot be read")?;
    sink.finish()?;
    Ok(serde_json::from_str(&text)?)
}

/// A request body; the payload kind may be one that no vault knows.
fn body(request_id: u64, payload_kind: u16, payload: &[u8]) -> Vec<u8> {
    let known = PayloadKind::EvmEip1559;
    let request =
        Request { key_slot: 0, payload_kind: known, return_canonical: false, request_id, payload: &[] };
    let [version, kind, slot_low, slot_high, _, _, rest @ ..] = request.header();
    let [kind_low, kind_high] = payload_kind.to_le_bytes();
    let start = [version, kind, slot_low, slot_high, kind_low, kind_high];
    [&start[..], &rest[..], payload].concat()
}

fn outcome(refusal: Option<Refusal>) -> &'static str {
    refusal.map_or("signed", |refusal| refusal.family().as_str())
}
