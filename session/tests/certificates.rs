//! Certificates: one negative for every rule.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

mod pair;

use pair::{NOW_MS, accept, claims, client_key, entropy, key, pinned, read};
use session::Initiator;
use session::certificate::{CertificateFault, Terms, verify};
use session::operator::OperatorKey;
use wire::session::{
    CERTIFICATE_MS_MAX, CERTIFICATE_SIZE_MAX, Certificate, Channel, Denial, HANDSHAKE1_OVERHEAD,
    HANDSHAKE1_SIZE_MAX,
};
use zeroize::Zeroizing;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

struct Book {
    operators: Vec<[u8; 32]>,
}

impl Terms for Book {
    fn desk(&self) -> &str {
        "demo"
    }

    fn has_operator(&self, key: &[u8; 32]) -> bool {
        self.operators.contains(key)
    }

    fn certificate_days_max(&self, role: &str) -> Option<u16> {
        match role {
            "maker" => Some(30),
            "taker" => Some(7),
            "eternal" => Some(u16::MAX),
            "closed" => Some(0),
            _ => None,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests are the operator")]
fn operator(seed: u8) -> OperatorKey {
    OperatorKey::from_seed(&Zeroizing::new([seed; 32]))
}

fn book() -> Book {
    Book { operators: vec![operator(1).public_key(), operator(2).public_key()] }
}

/// A certificate that lets the client in.
fn good() -> Certificate<'static> {
    Certificate {
        desk: "demo",
        role: "maker",
        client: "bot-1",
        client_key: *client_key().public_key().as_bytes(),
        serial: 7,
        not_before_ms: NOW_MS - DAY_MS,
        not_after_ms: NOW_MS + DAY_MS,
        operator_key: operator(1).public_key(),
    }
}

fn sign(certificate: &Certificate<'_>, seed: u8) -> Result<Vec<u8>, CertificateFault> {
    let mut bytes = [0; CERTIFICATE_SIZE_MAX];
    let size = operator(seed).sign_certificate(certificate, &mut bytes)?;
    Ok(bytes[..size].to_vec())
}

fn check(certificate: &Certificate<'_>) -> Result<(), CertificateFault> {
    let bytes = sign(certificate, 1).unwrap();
    let read = verify(&bytes, &book(), client_key().public_key(), NOW_MS)?;
    assert_eq!(read, *certificate);
    Ok(())
}

/// What an operator's tool would not sign, with another signature at its end.
fn forge(certificate: &Certificate<'_>) -> Vec<u8> {
    let mut bytes = [0; CERTIFICATE_SIZE_MAX];
    let size = certificate.message().unwrap().write_signed(&[7; 64], &mut bytes).unwrap();
    bytes[..size].to_vec()
}

#[test]
fn a_good_certificate_is_let_in_from_its_first_millisecond_to_before_its_last() {
    assert_eq!(check(&good()), Ok(()));
    assert_eq!(check(&Certificate { not_before_ms: NOW_MS, ..good() }), Ok(()));
    assert_eq!(check(&Certificate { not_after_ms: NOW_MS + 1, ..good() }), Ok(()));
    let second = Certificate { operator_key: operator(2).public_key(), ..good() };
    let bytes = sign(&second, 2).unwrap();
    assert!(verify(&bytes, &book(), client_key().public_key(), NOW_MS).is_ok());
}

#[test]
fn another_desk_is_refused() {
    assert_eq!(check(&Certificate { desk: "other", ..good() }), Err(CertificateFault::DeskUnexpected));
}

#[test]
fn a_role_that_the_book_does_not_have_is_refused() {
    assert_eq!(check(&Certificate { role: "admin", ..good() }), Err(CertificateFault::RoleUnknown));
}

#[test]
fn an_operator_that_the_book_does_not_have_is_refused() {
    let bytes = sign(&Certificate { operator_key: operator(3).public_key(), ..good() }, 3).unwrap();
    let found = verify(&bytes, &book(), client_key().public_key(), NOW_MS);
    assert_eq!(found, Err(CertificateFault::OperatorUnknown));
}

#[test]
fn the_certificate_of_another_client_is_refused() {
    let client_key = *key(0x44).public_key().as_bytes();
    assert_eq!(check(&Certificate { client_key, ..good() }), Err(CertificateFault::ClientUnexpected));
}

#[test]
fn a_certificate_that_is_not_good_yet_or_no_more_is_refused() {
    let not_before_ms = NOW_MS + 1;
    let found = check(&Certificate { not_before_ms, ..good() });
    assert_eq!(found, Err(CertificateFault::NotYetValid { not_before_ms }));
    let found = check(&Certificate { not_after_ms: NOW_MS, ..good() });
    assert_eq!(found, Err(CertificateFault::Expired { not_after_ms: NOW_MS }));
}

#[test]
fn a_certificate_for_more_than_30_days_is_neither_signed_nor_taken() {
    let longest = Certificate { not_after_ms: NOW_MS - DAY_MS + CERTIFICATE_MS_MAX, ..good() };
    assert_eq!(check(&longest), Ok(()));
    let longer = Certificate { not_after_ms: longest.not_after_ms + 1, ..longest };
    let fault =
        CertificateFault::TooLong { valid_ms: CERTIFICATE_MS_MAX + 1, valid_ms_max: CERTIFICATE_MS_MAX };
    assert_eq!(sign(&longer, 1), Err(fault));
    for role in ["maker", "eternal"] {
        let forged = forge(&Certificate { role, ..longer });
        assert_eq!(verify(&forged, &book(), client_key().public_key(), NOW_MS), Err(fault));
    }
    let forged = forge(&Certificate { not_before_ms: 0, not_after_ms: u64::MAX, ..good() });
    let found = verify(&forged, &book(), client_key().public_key(), NOW_MS);
    assert!(matches!(found, Err(CertificateFault::TooLong { valid_ms: u64::MAX, .. })));
}

#[test]
fn a_certificate_for_longer_than_its_role_allows_is_refused() {
    let week = Certificate { role: "taker", not_after_ms: NOW_MS + 6 * DAY_MS, ..good() };
    assert_eq!(check(&week), Ok(()));
    let found = check(&Certificate { not_after_ms: week.not_after_ms + 1, ..week });
    let valid_ms_max = 7 * DAY_MS;
    assert_eq!(found, Err(CertificateFault::TooLong { valid_ms: valid_ms_max + 1, valid_ms_max }));
    let found = check(&Certificate { role: "closed", ..good() });
    assert_eq!(found, Err(CertificateFault::TooLong { valid_ms: 2 * DAY_MS, valid_ms_max: 0 }));
}

#[test]
fn a_certificate_that_ends_before_it_begins_is_neither_signed_nor_taken() {
    for not_after_ms in [good().not_before_ms, good().not_before_ms - 1, 0] {
        let never = Certificate { not_after_ms, ..good() };
        assert_eq!(sign(&never, 1), Err(CertificateFault::NeverValid));
        let forged = forge(&never);
        let found = verify(&forged, &book(), client_key().public_key(), NOW_MS);
        assert_eq!(found, Err(CertificateFault::NeverValid));
    }
}

#[test]
fn every_flipped_bit_of_a_certificate_is_refused() {
    let bytes = sign(&good(), 1).unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut edited = bytes.clone();
        edited[bit / 8] ^= 1 << (bit % 8);
        assert!(verify(&edited, &book(), client_key().public_key(), NOW_MS).is_err(), "bit {bit}");
    }
}

#[test]
fn a_signature_of_another_operator_or_of_low_order_is_refused() {
    let bytes = sign(&Certificate { operator_key: operator(2).public_key(), ..good() }, 2).unwrap();
    let mut swapped = sign(&good(), 1).unwrap();
    let at = swapped.len() - 64;
    swapped[at..].copy_from_slice(&bytes[at..]);
    let found = verify(&swapped, &book(), client_key().public_key(), NOW_MS);
    assert_eq!(found, Err(CertificateFault::SignatureWrong));
    // The neutral element as a key makes R = neutral, s = 0 a signature of everything, but for the strict check.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let mut signature = [0; 64];
    signature[0] = 1;
    let weak = Certificate { operator_key: neutral, ..good() };
    let mut forged = [0; CERTIFICATE_SIZE_MAX];
    let size = weak.message().unwrap().write_signed(&signature, &mut forged).unwrap();
    let found =
        verify(&forged[..size], &Book { operators: vec![neutral] }, client_key().public_key(), NOW_MS);
    assert_eq!(found, Err(CertificateFault::SignatureWrong));
}

#[test]
fn a_certificate_is_not_signed_with_a_foreign_name_or_for_a_key_that_is_none() {
    assert_eq!(sign(&good(), 2), Err(CertificateFault::OperatorUnknown));
    let client_key = [0xff; 32];
    assert_eq!(sign(&Certificate { client_key, ..good() }, 1), Err(CertificateFault::ClientUnexpected));
    assert_eq!(sign(&Certificate { role: "", ..good() }, 1), Err(CertificateFault::Malformed));
    assert_eq!(verify(&[0; 300], &book(), key(1).public_key(), NOW_MS), Err(CertificateFault::Malformed));
}

#[test]
fn a_certificate_travels_in_the_first_message_and_is_verified_there() {
    let bytes = sign(&good(), 1).unwrap();
    let mut message = [0; HANDSHAKE1_SIZE_MAX];
    let (initiator, size) = Initiator::start(
        &client_key(),
        &pinned(&claims()),
        Channel::Bots,
        Some(&bytes),
        entropy(1),
        &mut message,
    )
    .unwrap();
    assert_eq!(size, HANDSHAKE1_OVERHEAD + bytes.len());
    assert!(!message.windows(5).any(|window| window == b"maker"), "the role travels in the clear");
    let greeting = read(Channel::Bots, &message[..size], 2).unwrap();
    let certificate = greeting.certificate().unwrap();
    assert_eq!(verify(certificate, &book(), greeting.client(), NOW_MS), Ok(good()));
    let (_, answer) = accept(greeting);
    assert!(initiator.finish(&answer).is_ok());
}

#[test]
fn every_fault_has_a_denial_and_a_sentence() {
    let zero = 0;
    for (fault, denial) in [
        (CertificateFault::Malformed, Denial::CertificateMalformed),
        (CertificateFault::DeskUnexpected, Denial::CertificateOfAnotherDesk),
        (CertificateFault::RoleUnknown, Denial::RoleNotKnown),
        (CertificateFault::OperatorUnknown, Denial::OperatorNotKnown),
        (CertificateFault::ClientUnexpected, Denial::CertificateOfAnotherKey),
        (CertificateFault::NeverValid, Denial::CertificateExpired),
        (CertificateFault::TooLong { valid_ms: zero, valid_ms_max: zero }, Denial::CertificateTooLong),
        (CertificateFault::SignatureWrong, Denial::CertificateSignatureWrong),
        (CertificateFault::NotYetValid { not_before_ms: zero }, Denial::CertificateNotYetValid),
        (CertificateFault::Expired { not_after_ms: zero }, Denial::CertificateExpired),
    ] {
        assert_eq!(fault.denial(), denial);
        assert!(fault.to_string().ends_with('.'));
    }
}
