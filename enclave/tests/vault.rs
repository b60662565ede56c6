//! The vault as its serve loop sees it: bytes and a time in, bytes out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod desk;

use desk::{BOOTED, Desk, EVM, HYPERLIQUID, NOW, SOLANA, hyperliquid_cancel};
use wire::control::{Command, Mode};
use wire::receipt::{CODE_SIGNED, ChainReader};
use wire::request::PayloadKind;
use wire::{Now, Refusal};

#[test]
fn every_frame_gets_one_reply_and_the_next_receipt_of_the_chain() {
    let mut desk = Desk::new();
    let mut chain = ChainReader::default();
    let valid = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer());
    let mut bodies = vec![vec![0; 2], vec![0xff; 15], vec![1; 16_384], vec![0; 16_385], valid.clone()];
    for at in 0..valid.len() {
        let mut broken = valid.clone();
        broken[at] ^= 0x55;
        bodies.push(broken);
    }
    for (sequence, body) in (0_u64..).zip(&bodies) {
        // Slowly enough that each refusal has a record of its own.
        let ms = 100 * sequence;
        let now = Now { monotonic_ms: NOW.monotonic_ms + ms, wall_ms: NOW.wall_ms + ms };
        let reply = desk.handle(now, body);
        let receipt = chain.follow(&reply.receipt).expect("the next receipt");
        assert_eq!((receipt.sequence, receipt.code), (sequence, reply.code));
        assert_eq!(reply.signature.is_empty(), reply.code != CODE_SIGNED);
    }
    let status = desk.command(Command::Status);
    assert_eq!(status.receipts, bodies.len() as u64);
    assert_eq!(status.signed + status.refused, status.receipts);
    assert_eq!(Some(status.head), chain.head().map(|head| head.link));
}

#[test]
fn a_receipt_holds_what_the_policy_saw() {
    let mut desk = Desk::new();
    let reply = desk.sign(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert_eq!(reply.code, CODE_SIGNED);
    let facts = reply.facts();
    assert_eq!((facts["function"].as_str(), facts["amount"].as_str()), (Some("transfer"), Some("25000000")));
    assert_eq!(reply.request_id, reply.receipt().request_id);
}

#[test]
fn the_transactions_of_one_nonce_are_counted_once_and_a_cancel_is_told_as_one() {
    let mut desk = Desk::new();
    let fee = |reply: &desk::OwnedReply| reply.facts()["counted_spend"].as_str().map(str::to_owned);
    let mut sign = |payload: &[u8]| {
        let reply = desk.sign(EVM, PayloadKind::EvmEip1559, payload);
        (reply.facts()["nonce_use"].as_str().map(str::to_owned), fee(&reply))
    };
    let told = |nonce_use: &str, counted: &str| (Some(nonce_use.to_owned()), Some(counted.to_owned()));
    // 100,000 gas at 30 gwei; a cancel costs 21,000 at 54, which is less and adds nothing.
    assert_eq!(sign(&desk::evm_transfer()), told("first", "3000000000000000"));
    assert_eq!(sign(&desk::evm_transfer_of(1)), told("replacement", "0"));
    assert_eq!(sign(&desk::evm_cancel()), told("cancel", "0"));
    let mut other = Desk::new();
    let reply = other.sign(EVM, PayloadKind::EvmEip1559, &desk::evm_cancel());
    assert_eq!(reply.facts()["nonce_use"], "first", "nothing was signed that it could cancel");
}

#[test]
fn a_refusal_names_the_rule_the_value_and_the_limit() {
    let mut desk = Desk::new();
    let reply = desk.sign(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer_of(20_000_000_000));
    assert_eq!(reply.refusal(), Refusal::AmountAboveCap);
    let receipt = reply.receipt();
    assert_eq!(
        (receipt.observed.to_string(), receipt.limit.to_string()),
        ("20000000000".into(), "10000000000".into())
    );
    assert!(receipt.digest.is_some(), "what was decoded has its digest in the receipt");
}

#[test]
fn a_key_signs_nothing_for_a_venue_that_it_is_not_granted() {
    let mut desk = Desk::new();
    let reply = desk.sign(HYPERLIQUID, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert_eq!(reply.refusal(), Refusal::VenueNotGranted);
    let reply = desk.sign(99, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert_eq!(reply.refusal(), Refusal::KeyNotInScope);
}

#[test]
fn a_payload_of_one_curve_is_not_signed_by_a_key_of_the_other() {
    let mut slots = policies::BOOK.slots.to_vec();
    let keyring = desk::keyring(&policies::BOOK);
    // A book that the compiler refuses to write: EVM grants on the slot of an Ed25519 key.
    for slot in &mut slots {
        if slot.slot == SOLANA {
            slot.grants.evm = policies::BOOK.slots[0].grants.evm;
        }
    }
    let book = Box::leak(Box::new(book::Book { slots: slots.leak(), ..policies::BOOK }));
    let mut desk = Desk::with(book, keyring);
    let reply = desk.sign(SOLANA, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert_eq!(reply.refusal(), Refusal::KeySchemeDiffers);
    assert!(reply.signature.is_empty());
}

#[test]
fn a_hyperliquid_nonce_is_signed_once() {
    let mut desk = Desk::new();
    let nonce = NOW.wall_ms;
    let first = hyperliquid_cancel(nonce, 1);
    assert_eq!(desk.sign(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &first).code, CODE_SIGNED);
    for again in [first, hyperliquid_cancel(nonce, 2)] {
        let reply = desk.sign(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &again);
        assert_eq!(reply.refusal(), Refusal::NonceAlreadyUsed);
    }
    let next = hyperliquid_cancel(nonce + 1, 4);
    assert_eq!(desk.sign(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &next).code, CODE_SIGNED);
}

#[test]
fn a_nonce_of_one_boot_is_not_signed_by_the_next() {
    // As far ahead as the book allows, signed by a boot that ends at once.
    let now = Now { monotonic_ms: 1, wall_ms: BOOTED.wall_ms + 1_000 };
    let ahead_max_ms =
        policies::BOOK.slot(HYPERLIQUID).unwrap().grants.hyperliquid.unwrap().nonce_ahead_max_ms;
    let nonce = now.wall_ms + ahead_max_ms;
    let body = desk::request(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &hyperliquid_cancel(nonce, 1));
    assert_eq!(Desk::booted(BOOTED).handle(now, &body).code, CODE_SIGNED);
    let mut next = Desk::booted(Now { monotonic_ms: 0, wall_ms: now.wall_ms + 1 });
    for wall_ms in [now.wall_ms + 1, nonce, nonce + 1_000] {
        let reply = next.handle(Now { monotonic_ms: 1, wall_ms }, &body);
        assert_eq!(reply.refusal(), Refusal::NonceBelowBootFloor);
    }
}

#[test]
fn a_vault_does_not_start_with_keys_that_its_book_does_not_pin() {
    use signing::{KeyFault, Keyring};
    let nothing = desk::at_boot(&policies::BOOK, Keyring::default(), BOOTED);
    assert_eq!(nothing.err(), Some(KeyFault::Missing));
    let swapped = desk::book_with_swapped_keys();
    let keyring = desk::keyring(&policies::BOOK);
    assert_eq!(desk::at_boot(swapped, keyring, BOOTED).err(), Some(KeyFault::Missing));
}

#[test]
fn a_refused_action_does_not_use_up_its_nonce() {
    let mut desk = Desk::new();
    let foreign_asset = desk::hyperliquid(NOW.wall_ms, r#"{"type":"cancel","cancels":[{"a":77,"o":1}]}"#);
    let reply = desk.sign(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &foreign_asset);
    assert_eq!(reply.refusal(), Refusal::AssetNotAllowed);
    let good = hyperliquid_cancel(NOW.wall_ms, 1);
    assert_eq!(desk.sign(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &good).code, CODE_SIGNED);
}

#[test]
fn a_kill_holds_and_still_leaves_receipts() {
    let mut desk = Desk::new();
    assert_eq!(desk.command(Command::Status).mode, Mode::Live);
    assert_eq!(desk.command(Command::Kill).mode, Mode::Halted);
    let later = Now { monotonic_ms: u64::MAX, wall_ms: NOW.wall_ms + 1 };
    for now in [NOW, later] {
        let reply = desk.handle(now, &desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer()));
        assert_eq!(reply.refusal(), Refusal::Halted);
        assert_eq!(reply.receipt().request_id, reply.request_id);
    }
    assert_eq!(desk.command(Command::Status).mode, Mode::Halted);
    assert_eq!(desk.command(Command::Status).refused, 2);
}

#[test]
fn the_canonical_bytes_come_back_when_asked_for() {
    let mut desk = Desk::new();
    let payload = hyperliquid_cancel(NOW.wall_ms, 7);
    let mut body = desk::request(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &payload);
    body[6] = 1;
    let reply = desk.handle(NOW, &body);
    // {"type": "cancel", "cancels": [{"a": 0, "o": 7}]} in canonical msgpack.
    let mut expected = vec![0x82, 0xa4];
    expected.extend_from_slice(b"type\xa6cancel\xa7cancels\x91\x82\xa1a\x00\xa1o\x07");
    assert_eq!(reply.canonical, expected);
    assert!(
        desk.sign(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &hyperliquid_cancel(NOW.wall_ms + 1, 7))
            .canonical
            .is_empty()
    );
}

#[test]
fn bytes_that_are_no_command_are_not_answered() {
    let mut desk = Desk::new();
    for body in [vec![1, 0x10, 7, 0, 0, 0], vec![1, 0x26], desk::request(EVM, PayloadKind::EvmEip1559, &[])] {
        let mut desk = Desk::new();
        assert!(desk.control(&body).is_none());
    }
    assert_eq!(desk.command(Command::Status).mode, Mode::Live);
}
