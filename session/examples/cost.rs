//! What sessions cost on this machine: `cargo run --release -p session --example cost`.
//!
//! Times are the fastest of many batches, in nanoseconds, so that a busy machine disturbs little; both sides
//! run on one thread. `cost instructions SIZE COUNT` does only COUNT frames of SIZE bytes both ways, for
//! valgrind's callgrind.

use std::hint::black_box;
use std::time::Instant;

use session::attestation::{Attest, DEVELOPMENT_DOCUMENT_SIZE, DevelopmentRoot, Pin, Pinned};
use session::{Entropy, Fault, Initiator, Responder, Session, SessionKey};
use session_dev::DevelopmentAttestor;
use wire::session::{Channel, Claims, HANDSHAKE1_SIZE_MAX, HANDSHAKE2_SIZE, SEALED_SIZE_MAX, Welcome};
use zeroize::Zeroizing;

const BATCHES: u32 = 400;
const FRAMES: u32 = 250;
const WELCOME: Welcome = Welcome {
    boot_id: [1; 16],
    policy_hash: [2; 32],
    receipt_key: [3; 32],
    wall_ms: 4,
    mode: wire::Mode::Live,
    heartbeat_ms: 0,
    records_kept: 0,
};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let (client, vault) = (key(1), key(2));
    let claims = Claims {
        policy_hash: WELCOME.policy_hash,
        boot_id: WELCOME.boot_id,
        session_key: *vault.public_key().as_bytes(),
        receipt_key: WELCOME.receipt_key,
        challenge: [0; 32],
        wall_ms: 4,
    };
    let mut document = [0; DEVELOPMENT_DOCUMENT_SIZE];
    DevelopmentAttestor::new().attest(&claims, &mut document)?;
    let pin = Pin::new(WELCOME.policy_hash, 0);
    let pinned = pin.check(&DevelopmentRoot, &document, 4)?;
    let (mut at_client, mut at_vault) = connect(&client, &vault, &pinned)?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [_, size, count] = &arguments[..] {
        return Ok(carry(&mut at_client, &mut at_vault, size.parse()?, count.parse()?)?);
    }
    for size in [200, 2_400] {
        let best = fastest(|| carry(&mut at_client, &mut at_vault, size, FRAMES))? / u128::from(FRAMES);
        println!("seal and open of {size} bytes: {best} ns");
    }
    println!("a document checked: {} ns", fastest(|| check(&pin, &document))?);
    println!("a handshake, both sides: {} ns", fastest(|| connect(&client, &vault, &pinned).map(drop))?);
    println!("of it the vault's side: {} ns", vault_side(&client, &vault, &pinned)?);
    Ok(())
}

fn key(seed: u8) -> SessionKey {
    SessionKey::from_bytes(Zeroizing::new([seed; 32]))
}

fn entropy(seed: u8) -> Entropy {
    Entropy::new(Zeroizing::new([seed; 32]))
}

fn connect(client: &SessionKey, vault: &SessionKey, pinned: &Pinned) -> Result<(Session, Session), Fault> {
    let (mut first, mut second) = ([0; HANDSHAKE1_SIZE_MAX], [0; HANDSHAKE2_SIZE]);
    let (initiator, size) = Initiator::start(client, pinned, Channel::Bots, None, entropy(3), &mut first)?;
    let responder = Responder::new(vault, Channel::Bots, &WELCOME.boot_id, &WELCOME.policy_hash);
    let greeting = responder.read(first.get(..size).unwrap_or_default(), entropy(4))?;
    let (at_vault, _) = greeting.accept(&WELCOME, &mut second)?;
    let (at_client, _) = initiator.finish(&second)?;
    Ok((at_client, at_vault))
}

fn vault_side(client: &SessionKey, vault: &SessionKey, pinned: &Pinned) -> Result<u128, Fault> {
    let mut first = [0; HANDSHAKE1_SIZE_MAX];
    let (_, size) = Initiator::start(client, pinned, Channel::Bots, None, entropy(3), &mut first)?;
    let responder = Responder::new(vault, Channel::Bots, &WELCOME.boot_id, &WELCOME.policy_hash);
    fastest(|| {
        let greeting = responder.read(first.get(..size).unwrap_or_default(), entropy(4))?;
        greeting.accept(&WELCOME, &mut [0; HANDSHAKE2_SIZE]).map(drop)
    })
}

fn check(pin: &Pin, document: &[u8]) -> Result<(), Fault> {
    pin.check(&DevelopmentRoot, document, 4).map(drop).map_err(|_| Fault::Defect)
}

/// Seals `count` bodies of `size` bytes on one side and opens them on the other.
fn carry(from: &mut Session, to: &mut Session, size: usize, count: u32) -> Result<(), Fault> {
    let body = [7; SEALED_SIZE_MAX];
    let (mut frame, mut opened) = ([0; SEALED_SIZE_MAX], [0; SEALED_SIZE_MAX]);
    for _ in 0..count {
        let size = from.seal(black_box(body.get(..size).unwrap_or_default()), &mut frame)?;
        black_box(to.open(black_box(frame.get(..size).unwrap_or_default()), &mut opened)?);
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a measurement reads a clock")]
fn fastest(mut work: impl FnMut() -> Result<(), Fault>) -> Result<u128, Fault> {
    let mut best = u128::MAX;
    for _ in 0..BATCHES {
        let started = Instant::now();
        work()?;
        best = best.min(started.elapsed().as_nanos());
    }
    Ok(best)
}
