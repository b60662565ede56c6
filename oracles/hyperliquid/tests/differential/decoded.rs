//! What the decoder under test makes of an action.

use venues::Payload as _;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Envelope, Form, Scratch, decode};

/// Digest and canonical bytes by the decoder under test.
pub(crate) fn decoded(form: Form, envelope: &Envelope, action: &[u8]) -> ([u8; 32], Vec<u8>) {
    let mut head = [0; ENVELOPE_SIZE_MAX];
    let size = envelope.write(&Claims::default(), &mut head).unwrap();
    let payload = [&head[..size], action].concat();
    let mut scratch = Box::new(Scratch::new());
    let action = decode(form, &payload, &mut scratch).unwrap_or_else(|why| panic!("{why:?}"));
    (action.label(), action.canonical().to_vec())
}
