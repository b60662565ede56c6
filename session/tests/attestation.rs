//! Documents: the pin refuses each way in which one can be the wrong one.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

mod pair;

use pair::{BOOT_ID, NONCE, NOW_MS, POLICY_HASH, claims, document, key, vault_key};
use session::attestation::{
    AHEAD_MS_MAX, Attest, DEVELOPMENT_DOCUMENT_SIZE, DEVELOPMENT_ROOT_KEY, DevelopmentRoot, Distrust,
    NotAttested, Pin, Root,
};
use session_dev::DevelopmentAttestor;
use wire::session::Claims;

const PIN: Pin = Pin::new(POLICY_HASH, 60_000);

fn check(pin: &Pin, claims: &Claims) -> Result<(), Distrust> {
    let pinned = pin.check(&DevelopmentRoot, &document(claims), NOW_MS)?;
    assert_eq!(pinned.claims(), claims);
    assert_eq!(*pinned.session_key().as_bytes(), claims.session_key);
    Ok(())
}

#[test]
fn the_document_that_is_wanted_is_let_through() {
    assert_eq!(check(&PIN, &claims()), Ok(()));
    let whole = Pin {
        nonce: Some(NONCE),
        boot_id: Some(BOOT_ID),
        session_key: Some(vault_key().public_key()),
        ..PIN
    };
    assert_eq!(check(&whole, &claims()), Ok(()));
}

#[test]
fn another_book_is_refused() {
    let found = check(&PIN, &Claims { policy_hash: [1; 32], ..claims() });
    assert_eq!(found, Err(Distrust::PolicyUnexpected { found: [1; 32] }));
}

#[test]
fn another_boot_than_the_one_wanted_is_refused() {
    let pin = Pin { boot_id: Some(BOOT_ID), ..PIN };
    let found = check(&pin, &Claims { boot_id: [1; 16], ..claims() });
    assert_eq!(found, Err(Distrust::BootUnexpected { found: [1; 16] }));
}

#[test]
fn another_session_key_than_the_one_wanted_or_one_that_is_none_is_refused() {
    let pin = Pin { session_key: Some(key(0x44).public_key()), ..PIN };
    assert_eq!(check(&pin, &claims()), Err(Distrust::SessionKeyUnexpected));
    let found = check(&PIN, &Claims { session_key: [0xff; 32], ..claims() });
    assert_eq!(found, Err(Distrust::SessionKeyUnexpected));
}

#[test]
fn an_old_document_that_answers_another_hello_is_refused() {
    let pin = Pin { nonce: Some([1; 32]), ..PIN };
    assert_eq!(check(&pin, &claims()), Err(Distrust::NonceUnexpected));
}

#[test]
fn a_document_older_than_the_pin_allows_is_refused() {
    assert_eq!(check(&PIN, &Claims { wall_ms: NOW_MS - 60_000, ..claims() }), Ok(()));
    let found = check(&PIN, &Claims { wall_ms: NOW_MS - 60_001, ..claims() });
    assert_eq!(found, Err(Distrust::Stale { age_ms: 60_001, age_ms_max: 60_000 }));
    let found = check(&PIN, &Claims { wall_ms: 0, ..claims() });
    assert!(matches!(found, Err(Distrust::Stale { .. })));
}

#[test]
fn a_document_from_the_future_is_refused() {
    assert_eq!(check(&PIN, &Claims { wall_ms: NOW_MS + AHEAD_MS_MAX, ..claims() }), Ok(()));
    let found = check(&PIN, &Claims { wall_ms: NOW_MS + AHEAD_MS_MAX + 1, ..claims() });
    assert_eq!(found, Err(Distrust::FromTheFuture { ahead_ms: AHEAD_MS_MAX + 1 }));
    let found = check(&PIN, &Claims { wall_ms: u64::MAX, ..claims() });
    assert!(matches!(found, Err(Distrust::FromTheFuture { .. })));
}

#[test]
fn every_flipped_bit_of_a_document_is_refused() {
    let genuine = document(&claims());
    for bit in 0..genuine.len() * 8 {
        let mut edited = genuine;
        edited[bit / 8] ^= 1 << (bit % 8);
        let found = DevelopmentRoot.verify(&edited, NOW_MS);
        let expected = matches!(found, Err(Distrust::RootUnknown | Distrust::DocumentMalformed));
        assert!(expected, "bit {bit}: {found:?}");
    }
}

#[test]
fn a_document_of_another_root_or_size_is_refused() {
    struct OtherRoot;
    impl Root for OtherRoot {
        fn verify(&self, _: &[u8], _: u64) -> Result<Claims, Distrust> {
            Err(Distrust::RootUnknown)
        }
    }
    let genuine = document(&claims());
    assert_eq!(PIN.check(&OtherRoot, &genuine, NOW_MS), Err(Distrust::RootUnknown));
    // All of it right but signed with a key that is not the root's.
    let mut other = genuine;
    let at = DEVELOPMENT_DOCUMENT_SIZE - 64;
    other[at..].copy_from_slice(&other_signature(&genuine[..at]));
    assert_eq!(PIN.check(&DevelopmentRoot, &other, NOW_MS), Err(Distrust::RootUnknown));
    for size in 0..genuine.len() {
        assert_eq!(DevelopmentRoot.verify(&genuine[..size], NOW_MS), Err(Distrust::DocumentMalformed));
    }
    let longer = [&genuine[..], &[0]].concat();
    assert_eq!(DevelopmentRoot.verify(&longer, NOW_MS), Err(Distrust::DocumentMalformed));
}

#[expect(clippy::disallowed_methods, reason = "a root that nobody trusts")]
fn other_signature(signed: &[u8]) -> [u8; 64] {
    use ed25519_dalek::Signer;
    ed25519_dalek::SigningKey::from_bytes(&[9; 32]).sign(signed).to_bytes()
}

#[test]
fn the_roots_key_is_the_one_of_its_public_label() {
    assert_eq!(DevelopmentAttestor::new().public_key(), DEVELOPMENT_ROOT_KEY);
}

#[test]
fn an_attestor_says_so_when_its_document_does_not_fit() {
    let mut into = [0; DEVELOPMENT_DOCUMENT_SIZE - 1];
    let found = DevelopmentAttestor::new().attest(&claims(), &mut into);
    assert_eq!(found, Err(NotAttested::DoesNotFit));
}
