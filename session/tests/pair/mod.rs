//! A client and a vault that talk through buffers.

#![allow(dead_code)] // each test program uses its own part
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

use session::attestation::{Attest, DEVELOPMENT_DOCUMENT_SIZE, DevelopmentRoot, Pin, Pinned};
use session::{Entropy, Fault, Greeting, Initiator, Responder, Session, SessionKey};
use session_dev::DevelopmentAttestor;
use wire::Mode;
use wire::session::{Channel, Claims, HANDSHAKE1_SIZE_MAX, HANDSHAKE2_SIZE, SEALED_SIZE_MAX, Welcome};
use zeroize::Zeroizing;

pub(crate) const NOW_MS: u64 = 1_800_000_000_000;
pub(crate) const BOOT_ID: [u8; 16] = [0xb0; 16];
pub(crate) const POLICY_HASH: [u8; 32] = [0xc0; 32];
pub(crate) const RECEIPT_KEY: [u8; 32] = [0xd0; 32];
pub(crate) const NONCE: [u8; 32] = [0xa0; 32];
pub(crate) const WELCOME: Welcome = Welcome {
    boot_id: BOOT_ID,
    policy_hash: POLICY_HASH,
    receipt_key: RECEIPT_KEY,
    wall_ms: NOW_MS,
    mode: Mode::Live,
    heartbeat_ms: 5_000,
    records_kept: 256,
};

pub(crate) fn key(seed: u8) -> SessionKey {
    SessionKey::from_bytes(Zeroizing::new([seed; 32]))
}

pub(crate) fn entropy(seed: u8) -> Entropy {
    Entropy::new(Zeroizing::new([seed; 32]))
}

/// The vault's static key.
pub(crate) fn vault_key() -> SessionKey {
    key(0x11)
}

/// The client's static key.
pub(crate) fn client_key() -> SessionKey {
    key(0x22)
}

pub(crate) fn claims() -> Claims {
    Claims {
        policy_hash: POLICY_HASH,
        boot_id: BOOT_ID,
        session_key: *vault_key().public_key().as_bytes(),
        receipt_key: RECEIPT_KEY,
        challenge: NONCE,
        wall_ms: NOW_MS,
    }
}

pub(crate) fn document(claims: &Claims) -> [u8; DEVELOPMENT_DOCUMENT_SIZE] {
    let mut document = [0; DEVELOPMENT_DOCUMENT_SIZE];
    let size = DevelopmentAttestor::new().attest(claims, &mut document).unwrap();
    assert_eq!(size, DEVELOPMENT_DOCUMENT_SIZE);
    document
}

/// Claims that passed a pin on their own book.
pub(crate) fn pinned(claims: &Claims) -> Pinned {
    Pin::new(claims.policy_hash, 1_000).check(&DevelopmentRoot, &document(claims), claims.wall_ms).unwrap()
}

/// The client's first message.
pub(crate) fn hello(pinned: &Pinned, channel: Channel, seed: u8) -> (Initiator, Vec<u8>) {
    let mut message = [0; HANDSHAKE1_SIZE_MAX];
    let (initiator, size) =
        Initiator::start(&client_key(), pinned, channel, None, entropy(seed), &mut message).unwrap();
    (initiator, message[..size].to_vec())
}

/// The vault reads a first message on a channel.
pub(crate) fn read(channel: Channel, message: &[u8], seed: u8) -> Result<Greeting, Fault> {
    Responder::new(&vault_key(), channel, &BOOT_ID, &POLICY_HASH).read(message, entropy(seed))
}

/// The vault lets a client in.
pub(crate) fn accept(greeting: Greeting) -> (Session, Vec<u8>) {
    let mut answer = [0; HANDSHAKE2_SIZE];
    let (session, size) = greeting.accept(&WELCOME, &mut answer).unwrap();
    (session, answer[..size].to_vec())
}

/// A session of the client and of the vault; other seeds make another one.
pub(crate) fn connect(seed: u8) -> (Session, Session) {
    let (initiator, message) = hello(&pinned(&claims()), Channel::Bots, seed);
    let (vault, answer) = accept(read(Channel::Bots, &message, seed ^ 0x80).unwrap());
    let (client, welcome) = initiator.finish(&answer).unwrap();
    assert_eq!(welcome, WELCOME);
    (client, vault)
}

/// Seals into a frame of its own.
pub(crate) fn seal(session: &mut Session, body: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; SEALED_SIZE_MAX];
    let size = session.seal(body, &mut frame).unwrap();
    frame.truncate(size);
    frame
}

/// Opens a frame; on a fault the buffer must hold nothing of it.
pub(crate) fn open(session: &mut Session, frame: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut body = vec![0; SEALED_SIZE_MAX];
    match session.open(frame, &mut body) {
        Ok(size) => {
            body.truncate(size);
            Ok(body)
        }
        Err(fault) => {
            assert!(body.iter().all(|byte| *byte == 0), "a fault left bytes behind");
            assert!(session.is_closed());
            assert_eq!(session.open(frame, &mut body), Err(Fault::Closed));
            assert_eq!(session.seal(b"body", &mut body), Err(Fault::Closed));
            Err(fault)
        }
    }
}
