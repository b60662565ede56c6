//! Vector lines, and payloads made of them.

use std::collections::BTreeMap;

use serde_json::Value;
use venues::AccountKey;
use venues::solana::MessageView;

/// The lines of a vector file that carry a message (swift texts are another payload kind).
pub(crate) fn messages(file: &str) -> Vec<Value> {
    let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["input"]["form"] == "solana_message")
        .collect()
}

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A key from base58 text.
pub(crate) fn key(text: &str) -> AccountKey {
    const ALPHABET: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut bytes = [0; 32];
    for digit in text.chars() {
        let mut carry = ALPHABET.find(digit).unwrap();
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = u8::try_from(carry & 0xff).unwrap();
            carry >>= 8;
        }
    }
    bytes
}

/// The payload: size, message, loaded addresses.
pub(crate) fn payload(message: &[u8], loaded: &[AccountKey]) -> Vec<u8> {
    let size = u16::try_from(message.len()).unwrap();
    [&size.to_le_bytes(), message, loaded.as_flattened()].concat()
}

/// The payload of a line: what its lookups name, as far as its tables say.
pub(crate) fn line_payload(line: &Value) -> Vec<u8> {
    let message = bytes(line["input"]["message"].as_str().unwrap());
    let tables: BTreeMap<_, Vec<_>> = line["input"]["lookup_tables"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(table, keys)| {
            let keys = keys.as_array().unwrap().iter();
            (key(table), keys.map(|text| key(text.as_str().unwrap())).collect())
        })
        .collect();
    let (mut loaded, mut readonly) = (Vec::new(), Vec::new());
    if let Ok(view) = MessageView::read(&message) {
        for lookup in view.lookups().map(Result::unwrap) {
            let contents = tables.get(lookup.table);
            let resolved = |index: &u8| contents?.get(usize::from(*index)).copied();
            loaded.extend(lookup.writable.iter().filter_map(resolved));
            readonly.extend(lookup.readonly.iter().filter_map(resolved));
        }
    }
    loaded.append(&mut readonly);
    payload(&message, &loaded)
}
