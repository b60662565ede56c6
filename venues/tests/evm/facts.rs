//! Facts as they come out of a receipt.

use serde_json::Value;
use venues::Payload;
use venues::evm::Transaction;
use wire::facts::{FactWriter, read};
use wire::facts_json::JsonFacts;

/// What `transaction` tells, packed as in a receipt and unpacked again.
pub(crate) fn facts_of(transaction: &Transaction<'_>) -> Value {
    let mut buffer = [0; wire::FACTS_SIZE_MAX];
    let mut writer = FactWriter::new(&mut buffer);
    transaction.facts(&mut writer);
    assert!(writer.is_complete());
    let used = writer.used();
    let mut text = String::new();
    let mut json = JsonFacts::new(&mut text);
    read(&buffer[..used], &mut json).unwrap();
    json.finish().unwrap();
    serde_json::from_str(&text).unwrap()
}
