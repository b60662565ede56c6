//! Hyperliquid L1 actions as msgpack, in their envelope.
#![no_main]

use venues::Payload as _;
use venues::hyperliquid::{Envelope, Form, Scratch, decode};
use wire::facts::{self, FactWriter};

#[path = "../hyperliquid_book.rs"]
mod book;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut scratch = Box::new(Scratch::new());
    let Ok(action) = decode(Form::L1Msgpack, bytes, &mut scratch) else {
        return;
    };
    let (envelope, _, msgpack) = Envelope::read(bytes).expect("it was decoded");
    assert_eq!(action.envelope(), &envelope);
    assert_eq!(action.canonical(), msgpack);
    book::judge(&action);
    let mut buffer = vec![0; 8 * bytes.len() + 256];
    let mut writer = FactWriter::new(&mut buffer);
    action.facts(&mut writer);
    assert!(writer.is_complete());
    let used = writer.used();
    facts::read(&buffer[..used], &mut FactWriter::new(&mut [0; 64])).expect("facts read back");
});
