//! The throw-away keys of the demo desk are the ones that its file says they are.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use book::Book;
use compile::{compile, keys};
use sha2::{Digest, Sha256};
use venues::PublicKey;

/// The secret of a dev key: public knowledge.
fn secret(name: &str) -> [u8; 32] {
    Sha256::new_with_prefix("portcullis dev key: ").chain_update(name).finalize().into()
}

fn secp256k1(name: &str) -> PublicKey {
    let key = k256::SecretKey::from_slice(&secret(name)).unwrap().public_key();
    let compressed = k256::elliptic_curve::sec1::ToSec1Point::to_sec1_point(&key, true);
    keys::secp256k1(compressed.as_bytes().try_into().unwrap()).unwrap()
}

fn ed25519(name: &str) -> PublicKey {
    let key = ed25519_dalek::SigningKey::from_bytes(&secret(name)).verifying_key();
    keys::ed25519(key.as_bytes()).unwrap()
}

fn desk(name: &str) -> &'static Book<'static> {
    let file = format!("{}/../book/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    compile(&file, &std::fs::read_to_string(&file).unwrap()).unwrap()
}

#[test]
fn the_demo_desk_pins_the_dev_keys() {
    let slots = desk("demo").slots.iter();
    let pinned: Vec<_> = slots.map(|slot| (slot.name, slot.public_key)).collect();
    let expected = [
        ("evm", secp256k1("evm")),
        ("hyperliquid", secp256k1("hyperliquid")),
        ("drift", ed25519("drift")),
        ("uniswapx", secp256k1("uniswapx")),
        ("polymarket", secp256k1("polymarket")),
    ];
    assert_eq!(pinned, expected);
}

fn x25519(name: &str) -> [u8; 32] {
    curve25519_dalek::MontgomeryPoint::mul_base_clamped(secret(name)).to_bytes()
}

#[test]
fn the_clients_the_host_and_the_operator_of_the_demo_desk_are_dev_keys() {
    let demo = desk("demo");
    let clients: Vec<_> = demo.clients.iter().map(|client| (client.name, client.public_key)).collect();
    assert_eq!(clients, [("bot", x25519("bot")), ("maker", x25519("maker"))]);
    assert_eq!(demo.host.map(|host| host.public_key), Some(x25519("host")));
    assert_eq!(PublicKey::Ed25519 { key: demo.operators[0].public_key }, ed25519("operator"));
    assert_eq!(desk("hyperliquid-maker").clients[0].public_key, x25519("quoter"));
}

#[test]
fn the_treasury_of_the_demo_desk_is_a_dev_key_too() {
    let PublicKey::Secp256k1 { address, .. } = secp256k1("treasury") else {
        panic!("a secp256k1 key");
    };
    let evm = desk("demo").slots[0].grants.evm.unwrap();
    assert_eq!(evm.native[0].recipients, [address]);
}

#[test]
fn the_examples_pin_dev_keys() {
    let keys = |name| desk(name).slots.iter().map(|slot| slot.public_key).collect::<Vec<_>>();
    assert_eq!(keys("hyperliquid-maker"), [secp256k1("maker"), secp256k1("withdrawals")]);
    assert_eq!(keys("polymarket-maker"), [secp256k1("quoter")]);
    assert_eq!(keys("uniswapx-swapper"), [secp256k1("swapper")]);
    assert_eq!(keys("drift-bot"), [ed25519("bot")]);
}
