//! Handshakes attacked. Whoever sits between a client and the vault: everything it tries ends in a typed fault, and nothing is opened.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

mod foreign;
mod pair;
#[path = "../../tests/witness.rs"]
mod witness;

use pair::{
    BOOT_ID, POLICY_HASH, WELCOME, accept, claims, client_key, entropy, hello, key, open, pinned, read, seal,
    vault_key,
};
use session::{Fault, Initiator, PublicKey, Responder, Session};
use wire::frame::FrameFault;
use wire::session::{
    CERTIFICATE_SIZE_MAX, Channel, Claims, Denial, HANDSHAKE1_OVERHEAD, HANDSHAKE1_SIZE_MAX, HANDSHAKE2_SIZE,
    Welcome, write_denied,
};
use witness::Witness as _;

/// A handshake whose answer comes back as `welcome`.
fn finish_with(welcome: &Welcome) -> Result<(Session, Welcome), Fault> {
    let (initiator, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    let mut answer = [0; HANDSHAKE2_SIZE];
    read(Channel::Bots, &message, 2).unwrap().accept(welcome, &mut answer).unwrap();
    initiator.finish(&answer)
}

#[test]
fn a_relay_with_a_static_key_of_its_own_can_neither_read_nor_answer() {
    let (initiator, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    let relay = key(0x66);
    let responder = Responder::new(&relay, Channel::Bots, &BOOT_ID, &POLICY_HASH);
    assert_eq!(responder.read(&message, entropy(2)).unwrap_err(), Fault::NotAuthentic);
    // It answers a handshake of its own making instead.
    let own = pinned(&Claims { session_key: *relay.public_key().as_bytes(), ..claims() });
    let (_, forged) = hello(&own, Channel::Bots, 3);
    let (_, answer) = accept(responder.read(&forged, entropy(4)).unwrap());
    assert_eq!(initiator.finish(&answer).unwrap_err(), Fault::NotAuthentic);
}

#[test]
fn a_relay_that_opens_its_own_session_to_the_vault_is_not_the_client() {
    let relay = key(0x66);
    let mut message = [0; HANDSHAKE1_SIZE_MAX];
    let (_, size) =
        Initiator::start(&relay, &pinned(&claims()), Channel::Bots, None, entropy(1), &mut message).unwrap();
    let greeting = read(Channel::Bots, &message[..size], 2).unwrap();
    assert_eq!(greeting.client(), relay.public_key());
    assert_ne!(greeting.client(), client_key().public_key());
}

#[test]
fn an_answer_for_another_handshake_of_the_same_client_is_refused() {
    let (first, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    let (second, other_message) = hello(&pinned(&claims()), Channel::Bots, 3);
    let (_, answer) = accept(read(Channel::Bots, &message, 2).unwrap());
    let (_, other_answer) = accept(read(Channel::Bots, &other_message, 4).unwrap());
    assert_eq!(first.finish(&other_answer).unwrap_err(), Fault::NotAuthentic);
    assert_eq!(second.finish(&answer).unwrap_err(), Fault::NotAuthentic);
}

#[test]
fn a_replayed_first_message_makes_a_session_that_nobody_can_use() {
    let (initiator, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    let (mut vault, answer) = accept(read(Channel::Bots, &message, 2).unwrap());
    let (mut client, _) = initiator.finish(&answer).unwrap();
    let recorded = seal(&mut client, b"a request");
    assert!(open(&mut vault, &recorded).is_ok());
    // The relay replays the whole recording on a connection of its own.
    let (mut replayed, second_answer) = accept(read(Channel::Bots, &message, 5).unwrap());
    assert_ne!(answer, second_answer);
    assert_eq!(open(&mut replayed, &recorded), Err(Fault::NotAuthentic));
    assert!(!replayed.is_confirmed());
    assert!(vault.is_confirmed() && !vault.is_closed());
}

#[test]
fn another_channel_boot_or_book_does_not_decrypt() {
    let (_, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    assert_eq!(read(Channel::Control, &message, 2).unwrap_err(), Fault::NotAuthentic);
    let (vault_key, other) = (vault_key(), [9; 16]);
    for (boot_id, policy_hash) in [(other, POLICY_HASH), (BOOT_ID, [9; 32])] {
        let responder = Responder::new(&vault_key, Channel::Bots, &boot_id, &policy_hash);
        assert_eq!(responder.read(&message, entropy(2)).unwrap_err(), Fault::NotAuthentic);
        let (_, message) = hello(&pinned(&Claims { boot_id, policy_hash, ..claims() }), Channel::Bots, 1);
        assert_eq!(read(Channel::Bots, &message, 2).unwrap_err(), Fault::NotAuthentic);
    }
}

#[test]
fn a_vault_that_says_other_than_it_attested_is_refused() {
    for (welcome, fault) in [
        (Welcome { boot_id: [1; 16], ..WELCOME }, Fault::WelcomeOfAnotherBoot),
        (Welcome { policy_hash: [1; 32], ..WELCOME }, Fault::WelcomeOfAnotherPolicy),
        (Welcome { receipt_key: [1; 32], ..WELCOME }, Fault::WelcomeOfAnotherReceiptKey),
    ] {
        assert_eq!(finish_with(&welcome).unwrap_err(), fault);
    }
    assert!(finish_with(&WELCOME).is_ok());
}

#[test]
fn the_first_message_carries_no_request() {
    let payload = b"\x01\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00a request";
    let mut into = [0; HANDSHAKE1_SIZE_MAX];
    let started = Initiator::start(
        &client_key(),
        &pinned(&claims()),
        Channel::Bots,
        Some(payload),
        entropy(1),
        &mut into,
    );
    assert_eq!(started.unwrap_err(), Fault::NotACertificate);
    // A client of another make that sends one all the same is not let in.
    for payload in [&payload[..], &[0], &[0; CERTIFICATE_SIZE_MAX]] {
        let message = foreign::first_message(payload, None);
        let fault = read(Channel::Bots, &message, 2).unwrap_err();
        assert_eq!(fault, Fault::NotACertificate);
        assert_eq!(fault.denial().witnessed(), Some(Denial::CertificateMalformed));
    }
    assert!(read(Channel::Bots, &foreign::first_message(&[], None), 2).is_ok());
}

#[test]
fn a_first_message_outside_its_bounds_is_refused_by_size_alone() {
    let (_, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    for size in 2..message.len() {
        let fault = Fault::TooShort { size, size_min: HANDSHAKE1_OVERHEAD };
        assert_eq!(read(Channel::Bots, &message[..size], 2).unwrap_err(), fault);
    }
    let mut longer = message.clone();
    longer.resize(HANDSHAKE1_SIZE_MAX, 0);
    assert_eq!(read(Channel::Bots, &longer, 2).unwrap_err(), Fault::NotAuthentic);
    longer.push(0);
    let fault = Fault::TooLong { size: HANDSHAKE1_SIZE_MAX + 1, size_max: HANDSHAKE1_SIZE_MAX };
    assert_eq!(read(Channel::Bots, &longer, 2).unwrap_err(), fault);
}

#[test]
fn every_flipped_bit_of_both_handshake_messages_is_refused() {
    let (_, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    for bit in 0..message.len() * 8 {
        let mut edited = message.clone();
        edited[bit / 8] ^= 1 << (bit % 8);
        let fault = read(Channel::Bots, &edited, 2).unwrap_err();
        assert!(matches!(fault, Fault::NotAuthentic | Fault::Frame(_)), "bit {bit}: {fault:?}");
    }
    let (_, answer) = accept(read(Channel::Bots, &message, 2).unwrap());
    for bit in 0..answer.len() * 8 {
        let (initiator, _) = hello(&pinned(&claims()), Channel::Bots, 1);
        let mut edited = answer.clone();
        edited[bit / 8] ^= 1 << (bit % 8);
        let fault = initiator.finish(&edited).unwrap_err();
        assert!(matches!(fault, Fault::NotAuthentic | Fault::Frame(_)), "bit {bit}: {fault:?}");
    }
}

#[test]
fn every_cut_of_the_answer_is_refused() {
    let (_, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    let (_, answer) = accept(read(Channel::Bots, &message, 2).unwrap());
    for size in 2..answer.len() {
        let (initiator, _) = hello(&pinned(&claims()), Channel::Bots, 1);
        let fault = initiator.finish(&answer[..size]).unwrap_err();
        assert_eq!(fault, Fault::TooShort { size, size_min: HANDSHAKE2_SIZE });
    }
}

#[test]
fn a_denial_is_told_with_its_code_and_a_malformed_one_is_a_fault_of_the_frame() {
    for denial in Denial::ALL {
        let (initiator, _) = hello(&pinned(&claims()), Channel::Bots, 1);
        let fault = initiator.finish(&write_denied(*denial)).unwrap_err();
        assert_eq!(fault, Fault::Denied { code: denial.code() });
    }
    let (initiator, _) = hello(&pinned(&claims()), Channel::Bots, 1);
    let fault = initiator.finish(&[1, 0x25, 0]).unwrap_err();
    assert_eq!(fault, Fault::Frame(FrameFault::TooShort { declared: 3 }));
}

#[test]
fn keys_of_low_order_make_no_session() {
    // RFC 7748, section 6.1: their product with any secret is zero.
    let mut points = vec![[0; 32], [0; 32]];
    points[1][0] = 1;
    points.push([0xff; 32]);
    points[2][0] = 0xec;
    points[2][31] = 0x7f;
    points.push(hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"));
    points.push(hex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"));
    let (_, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    for point in points {
        let mut edited = message.clone();
        edited[2..34].copy_from_slice(&point);
        assert_eq!(read(Channel::Bots, &edited, 2).unwrap_err(), Fault::KeyRefused);
        let mut into = [0; HANDSHAKE1_SIZE_MAX];
        let vault = pinned(&Claims { session_key: point, ..claims() });
        let started = Initiator::start(&client_key(), &vault, Channel::Bots, None, entropy(1), &mut into);
        assert_eq!(started.unwrap_err(), Fault::KeyRefused);
    }
}

#[test]
fn a_key_written_another_way_is_not_another_client() {
    let mut alias = *client_key().public_key().as_bytes();
    alias[31] |= 0x80;
    assert_eq!(PublicKey::from_bytes(alias), None);
    let message = foreign::first_message(&[], Some(alias));
    assert_eq!(read(Channel::Bots, &message, 2).unwrap_err(), Fault::KeyRefused);
    assert!(read(Channel::Bots, &foreign::first_message(&[], None), 2).is_ok());
}

fn hex(text: &str) -> [u8; 32] {
    core::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
}
