//! Frames, requests, replies, receipts, control messages, sessions and facts from arbitrary bytes.
#![no_main]

use wire::facts::{self, FactWriter};
use wire::receipt::{ChainReader, Receipt};
use wire::reply::Reply;
use wire::request::Request;
use wire::session::{self, CERTIFICATE_SIZE_MAX, Claims, SignedCertificate, Welcome};
use wire::{REPLY_SIZE_MAX, control, frame};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = frame::kind(bytes);
    if let Some((prefix, _)) = bytes.split_first_chunk() {
        if let Ok(size) = frame::body_size(*prefix, wire::REQUEST_SIZE_MAX) {
            assert!((frame::BODY_SIZE_MIN..=wire::REQUEST_SIZE_MAX).contains(&size));
        }
    }
    if let Ok(request) = Request::parse(bytes) {
        assert_eq!([&request.header()[..], request.payload].concat(), bytes);
    }
    if let Ok(reply) = Reply::read(bytes) {
        let mut body = [0; REPLY_SIZE_MAX];
        let size = reply.write(&mut body).expect("a reply that was read can be written");
        assert_eq!(&body[..size], bytes);
        let _ = reply.receipt();
    }
    if let Ok(receipt) = Receipt::read(bytes) {
        let mut record = vec![0; bytes.len()];
        assert_eq!(wire::codec::encode(receipt, &mut record), Ok(bytes.len()));
        assert_eq!(record, bytes);
    }
    let _ = ChainReader::default().follow(bytes);
    if let Ok(nonce) = session::read_hello(bytes) {
        assert_eq!(session::write_hello(&nonce)[..], *bytes);
    }
    let _ = session::read_attestation(bytes);
    let _ = session::read_denied(bytes);
    if let Ok(claims) = Claims::read(bytes) {
        assert_eq!(claims.write().expect("claims that were read can be written")[..], *bytes);
    }
    if let Ok(welcome) = Welcome::read(bytes) {
        assert_eq!(welcome.write().expect("a welcome that was read can be written")[..], *bytes);
    }
    if let Ok(signed) = SignedCertificate::read(bytes) {
        let mut again = [0; CERTIFICATE_SIZE_MAX];
        let size = signed.message.write_signed(&signed.signature, &mut again).expect("it was as large before");
        assert_eq!(&again[..size], bytes);
    }
    let _ = control::read_command(bytes);
    let _ = control::read_status(bytes);
    let mut buffer = vec![0; bytes.len() + 64];
    let _ = facts::read(bytes, &mut FactWriter::new(&mut buffer));
});
