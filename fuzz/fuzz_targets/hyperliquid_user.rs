//! Hyperliquid user-signed actions, in their envelope.
#![no_main]

use venues::Payload as _;
use venues::hyperliquid::{Form, Scratch, decode};
use wire::facts::FactWriter;

#[path = "../hyperliquid_book.rs"]
mod book;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut scratch = Box::new(Scratch::new());
    let Ok(action) = decode(Form::UserJson, bytes, &mut scratch) else {
        return;
    };
    assert!(bytes.ends_with(action.canonical()));
    assert!(action.connection_id().is_none(), "an L1 action");
    book::judge(&action);
    let mut buffer = [0; 4096];
    let mut writer = FactWriter::new(&mut buffer);
    action.facts(&mut writer);
    assert!(writer.is_complete());
});
