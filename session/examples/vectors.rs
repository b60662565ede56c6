//! Prints one session with fixed keys: names and hexadecimal bytes, one pair a line. What it prints is committed
//! as `session/vectors/session.txt`, which a test compares with this build and the second implementation in
//! `tests/noise_oracle.py` with its own.

use std::fmt::Write;

use session::attestation::{Attest, DEVELOPMENT_DOCUMENT_SIZE, DevelopmentRoot, Pin};
use session::{Entropy, Initiator, Responder, Session, SessionKey};
use session_dev::DevelopmentAttestor;
use wire::session::{Channel, Claims, HANDSHAKE1_SIZE_MAX, HANDSHAKE2_SIZE, REKEY_MESSAGES, Welcome};
use zeroize::Zeroizing;

const CLIENT: [u8; 32] = [0x21; 32];
const VAULT: [u8; 32] = [0x42; 32];
const CLIENT_EPHEMERAL: [u8; 32] = [0x63; 32];
const VAULT_EPHEMERAL: [u8; 32] = [0x84; 32];
const BOOT_ID: [u8; 16] = [0xb0; 16];
const POLICY_HASH: [u8; 32] = [0xc0; 32];
const RECEIPT_KEY: [u8; 32] = [0xd0; 32];
const NOW_MS: u64 = 1_800_000_000_000;

fn main() {
    print!("{}", vectors());
}

/// All lines.
#[allow(clippy::expect_used)] // an example for a test
pub(crate) fn vectors() -> String {
    let (client, vault) =
        (SessionKey::from_bytes(Zeroizing::new(CLIENT)), SessionKey::from_bytes(Zeroizing::new(VAULT)));
    let claims = Claims {
        policy_hash: POLICY_HASH,
        boot_id: BOOT_ID,
        session_key: *vault.public_key().as_bytes(),
        receipt_key: RECEIPT_KEY,
        challenge: [0; 32],
        wall_ms: NOW_MS,
    };
    let mut document = [0; DEVELOPMENT_DOCUMENT_SIZE];
    DevelopmentAttestor::new().attest(&claims, &mut document).expect("a document");
    let pinned = Pin::new(POLICY_HASH, 0).check(&DevelopmentRoot, &document, NOW_MS).expect("pinned");
    let mut first = [0; HANDSHAKE1_SIZE_MAX];
    let entropy = |seed| Entropy::new(Zeroizing::new(seed));
    let (initiator, first_size) =
        Initiator::start(&client, &pinned, Channel::Bots, None, entropy(CLIENT_EPHEMERAL), &mut first)
            .expect("a first message");
    let first = first.get(..first_size).unwrap_or_default();
    let responder = Responder::new(&vault, Channel::Bots, &BOOT_ID, &POLICY_HASH);
    let greeting = responder.read(first, entropy(VAULT_EPHEMERAL)).expect("a greeting");
    let welcome = Welcome {
        boot_id: BOOT_ID,
        policy_hash: POLICY_HASH,
        receipt_key: RECEIPT_KEY,
        wall_ms: NOW_MS,
        mode: wire::Mode::Live,
        heartbeat_ms: 5_000,
        records_kept: 256,
    };
    let mut second = [0; HANDSHAKE2_SIZE];
    let (mut vault_session, _) = greeting.accept(&welcome, &mut second).expect("a second message");
    let (mut client_session, _) = initiator.finish(&second).expect("a session");

    let mut lines = String::new();
    let mut line = |name: &str, bytes: &[u8]| print(&mut lines, name, bytes);
    line("client_secret", &CLIENT);
    line("vault_secret", &VAULT);
    line("client_ephemeral", &CLIENT_EPHEMERAL);
    line("vault_ephemeral", &VAULT_EPHEMERAL);
    line("boot_id", &BOOT_ID);
    line("policy_hash", &POLICY_HASH);
    line("welcome", &welcome.write().expect("a welcome"));
    line("handshake1", first);
    line("handshake2", &second);
    line("session_id", client_session.id());
    traffic(&mut lines, "client", &mut client_session);
    traffic(&mut lines, "vault", &mut vault_session);
    lines
}

/// The first frames, the last one under the first key, and the first two under the second.
fn traffic(lines: &mut String, name: &str, session: &mut Session) {
    let mut frame = [0; 256];
    for at in 0..REKEY_MESSAGES + 2 {
        let body = [&b"message "[..], &at.to_be_bytes()].concat();
        let size = session.seal(&body, &mut frame).unwrap_or_default();
        if !(3..REKEY_MESSAGES - 1).contains(&at) {
            print(lines, &format!("{name}_{at}"), frame.get(..size).unwrap_or_default());
        }
    }
}

fn print(lines: &mut String, name: &str, bytes: &[u8]) {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(lines, "{name} {digits}");
}
