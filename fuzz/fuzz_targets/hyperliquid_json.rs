//! Hyperliquid L1 actions as JSON: what is accepted is, as msgpack, accepted with the same digest.
#![no_main]

use venues::Payload as _;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Form, Scratch, decode};

#[path = "../hyperliquid_book.rs"]
mod book;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut scratch = Box::new(Scratch::new());
    let Ok(action) = decode(Form::L1Json, bytes, &mut scratch) else {
        return;
    };
    book::judge(&action);
    let mut head = [0; ENVELOPE_SIZE_MAX];
    let size = action.envelope().write(&Claims::default(), &mut head).expect("it was read");
    let payload = [&head[..size], action.canonical()].concat();
    let mut unused = Box::new(Scratch::new());
    let again = decode(Form::L1Msgpack, &payload, &mut unused).expect("what was transcoded decodes");
    assert_eq!(again.label(), action.label());
    assert_eq!(again.connection_id(), action.connection_id());
});
