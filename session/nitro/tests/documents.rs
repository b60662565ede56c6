//! One document a rule: right in everything else, and refused by that rule alone.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod pki;

use pki::der::{self, Certificate, oid, sequence, tlv};
use pki::{CLAIMS, Draft, NOW_MS, PCRS, STRANGER, bytes, head, map, pcrs, root_of, sixteen, text};
use session::attestation::{Distrust, Pin, Root as _};
use session_nitro::{At, CertificateFault, DOCUMENT_SIZE_MAX, Document, DocumentFault};

/// What is changed, and the rule that it breaks.
pub(crate) type Row = (&'static str, fn(&mut Draft), DocumentFault);

fn at(place: usize, fault: CertificateFault) -> DocumentFault {
    DocumentFault::Certificate { place, fault }
}

const fn size(name: &'static str, found: usize) -> DocumentFault {
    DocumentFault::FieldSize { name, found }
}

const fn missing(name: &'static str) -> DocumentFault {
    DocumentFault::FieldMissing { name }
}

/// The encoding and the envelope.
fn encoding() -> Vec<Row> {
    use DocumentFault as F;
    vec![
        ("longer than 16 KiB", |it| it.after = vec![0; DOCUMENT_SIZE_MAX], F::TooLong { size: 0 }),
        ("a byte behind it", |it| it.after = vec![0], F::TrailingBytes { size: 1 }),
        ("a foreign tag", |it| it.before = head(6, 98), F::TagUnexpected { found: 98 }),
        ("a tag in a long form", |it| it.before = vec![0xd8, 0x12], F::NumberNotShortest),
        ("two tags", |it| it.before = vec![0xd2, 0xd2], F::TypeUnexpected { expected: 4, found: 6 }),
        ("no array", |it| it.envelope = head(5, 4), F::TypeUnexpected { expected: 4, found: 5 }),
        ("an array of three", |it| it.envelope = head(4, 3), F::NotSign1 { found: 3 }),
        ("an array without a length", |it| it.envelope = vec![0x9f], F::LengthIndefinite),
        ("a reserved head", |it| it.envelope = vec![0x9c], F::HeadReserved),
        ("a length in a long form", |it| it.envelope = vec![0x98, 4], F::NumberNotShortest),
        ("ES256", |it| it.protected = bytes(&[0xa1, 0x01, 0x26]), F::HeaderUnexpected),
        ("no algorithm", |it| it.protected = bytes(&[]), F::HeaderUnexpected),
        (
            "a header beside the algorithm",
            |it| it.protected = bytes(&[0xa2, 0x01, 0x38, 0x22, 0x04, 0x41, 0x00]),
            F::HeaderUnexpected,
        ),
        (
            "the algorithm where nobody signs it",
            |it| it.unprotected = map(&[(head(0, 1), vec![0x38, 0x22])]),
            F::UnprotectedHeader,
        ),
        ("a short signature", |it| it.signature = Some(vec![1; 95]), F::SignatureSize { found: 95 }),
        ("a signature in DER", |it| it.signature = Some(vec![0x30; 104]), F::SignatureSize { found: 104 }),
        (
            "a payload of another type",
            |it| it.payload_head = Some(head(4, 9)),
            F::TypeUnexpected { expected: 5, found: 4 },
        ),
        ("a payload that is cut", |it| it.payload_head = Some(head(5, 10)), F::Truncated),
        ("a byte behind the payload", |it| it.payload_tail = vec![0xf6], F::TrailingBytes { size: 1 }),
        ("a map without a length", |it| it.payload_head = Some(vec![0xbf]), F::LengthIndefinite),
    ]
}

/// The document's fields.
fn fields() -> Vec<Row> {
    use DocumentFault as F;
    vec![
        ("an unknown field", |it| it.fields.push((text("pcr_extra"), bytes(&[1]))), F::FieldUnknown),
        (
            "a field by number",
            |it| it.fields.push((head(0, 1), bytes(&[1]))),
            F::TypeUnexpected { expected: 3, found: 0 },
        ),
        (
            "a field twice",
            |it| it.fields.push((text("nonce"), bytes(&[8; 32]))),
            F::FieldRepeated { name: "nonce" },
        ),
        ("no module", |it| it.remove("module_id"), missing("module_id")),
        ("an empty module", |it| it.set("module_id", text("")), size("module_id", 0)),
        (
            "a module that is no text",
            |it| it.set("module_id", [head(3, 1), vec![0xff]].concat()),
            F::TextNotUtf8,
        ),
        ("no digest", |it| it.remove("digest"), missing("digest")),
        ("another digest", |it| it.set("digest", text("SHA256")), F::DigestUnexpected),
        ("no time", |it| it.remove("timestamp"), missing("timestamp")),
        ("a time of zero", |it| it.set("timestamp", head(0, 0)), F::TimestampZero),
        (
            "a time below zero",
            |it| it.set("timestamp", head(1, 5)),
            F::TypeUnexpected { expected: 0, found: 1 },
        ),
        (
            "a time with a fraction",
            |it| it.set("timestamp", [vec![0xfb], NOW_MS.to_be_bytes().to_vec()].concat()),
            F::TypeUnexpected { expected: 0, found: 7 },
        ),
        ("no measurements", |it| it.remove("pcrs"), missing("pcrs")),
        ("an empty map of measurements", |it| it.set("pcrs", head(5, 0)), F::PcrCount { found: 0 }),
        ("too many measurements", |it| it.set("pcrs", head(5, 33)), F::PcrCount { found: 33 }),
        (
            "a measurement of index 32",
            |it| it.set("pcrs", pcrs(&[sixteen(), vec![(32, vec![0; 48])]].concat())),
            F::PcrIndex { found: 32 },
        ),
        (
            "a measurement twice",
            |it| it.set("pcrs", pcrs(&[sixteen(), vec![(0, vec![1; 48])]].concat())),
            F::PcrRepeated { index: 0 },
        ),
        (
            "a measurement of 32 bytes",
            |it| it.set("pcrs", pcrs(&[(0, vec![1; 32])])),
            F::PcrSize { index: 0, found: 32 },
        ),
        ("no certificate", |it| it.remove("certificate"), missing("certificate")),
        ("an empty certificate", |it| it.set("certificate", bytes(&[])), size("certificate", 0)),
        (
            "a certificate beyond its size",
            |it| it.set("certificate", bytes(&[0x30; 1025])),
            size("certificate", 1025),
        ),
        ("no chain", |it| it.remove("cabundle"), missing("cabundle")),
        ("an empty chain", |it| it.set("cabundle", head(4, 0)), F::ChainLength { found: 0 }),
        ("a chain of nine", |it| it.set("cabundle", head(4, 9)), F::ChainLength { found: 9 }),
        (
            "an authority beyond its size",
            |it| it.set("cabundle", [head(4, 1), bytes(&[0x30; 1025])].concat()),
            size("cabundle", 1025),
        ),
        ("an empty key", |it| it.set("public_key", bytes(&[])), size("public_key", 0)),
        ("a key beyond its size", |it| it.set("public_key", bytes(&[1; 1025])), size("public_key", 1025)),
        (
            "a key of another type",
            |it| it.set("public_key", text("key")),
            F::TypeUnexpected { expected: 2, found: 3 },
        ),
        ("user data beyond their size", |it| it.set("user_data", bytes(&[1; 513])), size("user_data", 513)),
        ("a nonce beyond its size", |it| it.set("nonce", bytes(&[1; 513])), size("nonce", 513)),
    ]
}

/// The chain of certificates, and the signature.
fn chain() -> Vec<Row> {
    use CertificateFault as C;
    let authority_again = |it: &mut Draft| {
        it.certificates.insert(4, Certificate::authority("machine", "machine", Some(0)));
        it.issuers = vec![0, 0, 1, 2, 3, 3];
        it.certificates[5].issuer = "machine".to_owned();
    };
    vec![
        ("another root", |it| it.is_root_another = true, DocumentFault::RootUnknown),
        (
            "a root in another place",
            |it| {
                it.certificates.swap(0, 1);
                it.is_root_another = true;
            },
            DocumentFault::RootUnknown,
        ),
        (
            "bytes that are no certificate",
            |it| it.set("certificate", bytes(&[0x30; 40])),
            at(4, C::Malformed),
        ),
        ("a byte behind a certificate", |it| it.leaf().tail = vec![0], at(4, C::Malformed)),
        ("a certificate of version 1", |it| it.leaf().version = None, at(4, C::Version)),
        (
            "a certificate signed with SHA-256",
            |it| {
                let algorithm = sequence(&[oid(der::ECDSA_WITH_SHA256)]);
                (it.leaf().inner_algorithm, it.leaf().outer_algorithm) = (algorithm.clone(), algorithm);
            },
            at(4, C::Algorithm),
        ),
        (
            "a certificate that names two algorithms",
            |it| it.certificates[2].outer_algorithm = sequence(&[oid(der::ECDSA_WITH_SHA256)]),
            at(2, C::Algorithm),
        ),
        (
            "an algorithm with parameters",
            |it| {
                let algorithm = sequence(&[oid(der::ECDSA_WITH_SHA384), tlv(0x05, &[])]);
                (it.leaf().inner_algorithm, it.leaf().outer_algorithm) = (algorithm.clone(), algorithm);
            },
            at(4, C::Algorithm),
        ),
        ("a key on P-256", |it| it.leaf().curve = der::PRIME256V1.to_vec(), at(4, C::Key)),
        ("a key that is called RSA", |it| it.leaf().key_algorithm = der::RSA.to_vec(), at(4, C::Key)),
        ("a compressed key", |it| it.leaf().point = Some([&[2][..], &[1; 48]].concat()), at(4, C::Key)),
        ("another issuer", |it| it.certificates[3].issuer = "region".to_owned(), at(3, C::IssuerUnexpected)),
        (
            "a root that names another issuer",
            |it| it.certificates[0].issuer = "zone".to_owned(),
            at(0, C::IssuerUnexpected),
        ),
        (
            "a certificate of tomorrow",
            |it| it.certificates[1].not_before = "260101120001Z".to_owned(),
            at(1, C::NotYetValid { not_before: NOW_MS / 1000 + 1 }),
        ),
        (
            "a certificate that ends now",
            |it| it.leaf().not_after = "260101120000Z".to_owned(),
            at(4, C::Expired { not_after: NOW_MS / 1000 }),
        ),
        (
            "a root that has ended",
            |it| it.certificates[0].not_after = "260101110000Z".to_owned(),
            at(0, C::Expired { not_after: NOW_MS / 1000 - 3600 }),
        ),
        (
            "an authority that is none",
            |it| it.certificates[3].set(der::BASIC_CONSTRAINTS, true, der::constraints(false, None)),
            at(3, C::NotAnAuthority),
        ),
        (
            "an authority that does not say so",
            |it| it.certificates[3].remove(der::BASIC_CONSTRAINTS),
            at(3, C::NotAnAuthority),
        ),
        ("a longer path than allowed", authority_again, at(1, C::PathTooLong { allowed: 2 })),
        (
            "a path of none with one behind",
            |it| it.certificates[2].set(der::BASIC_CONSTRAINTS, true, der::constraints(true, Some(0))),
            at(2, C::PathTooLong { allowed: 0 }),
        ),
        (
            "an authority that may not sign certificates",
            |it| it.certificates[2].set(der::KEY_USAGE, true, der::DIGITAL_SIGNATURE.to_vec()),
            at(2, C::KeyUsage),
        ),
        ("an authority without a use", |it| it.certificates[2].remove(der::KEY_USAGE), at(2, C::KeyUsage)),
        (
            "an authority in the document's place",
            |it| it.leaf().set(der::BASIC_CONSTRAINTS, true, der::constraints(true, None)),
            at(4, C::IsAuthority),
        ),
        (
            "a certificate that may only sign certificates",
            |it| it.leaf().set(der::KEY_USAGE, true, der::CERTIFICATE_SIGN.to_vec()),
            at(4, C::KeyUsage),
        ),
        ("a certificate without a use", |it| it.leaf().remove(der::KEY_USAGE), at(4, C::KeyUsage)),
        (
            "a critical extension that nobody knows",
            |it| it.certificates[1].set(der::UNKNOWN, true, sequence(&[])),
            at(1, C::ExtensionUnknown),
        ),
        (
            "an extension twice",
            |it| it.leaf().extensions.push((der::KEY_USAGE.to_vec(), false, der::DIGITAL_SIGNATURE.to_vec())),
            at(4, C::ExtensionRepeated),
        ),
        (
            "constraints that are none",
            |it| it.leaf().set(der::BASIC_CONSTRAINTS, true, vec![0x30, 5]),
            at(4, C::Malformed),
        ),
        ("a forged certificate", |it| it.certificates[2].is_forged = true, at(2, C::SignatureWrong)),
        ("a certificate by a stranger", |it| it.issuers[4] = STRANGER, at(4, C::SignatureWrong)),
        ("a certificate by its issuer's issuer", |it| it.issuers[3] = 1, at(3, C::SignatureWrong)),
        ("a root that did not sign itself", |it| it.issuers[0] = STRANGER, at(0, C::SignatureWrong)),
        ("signed by a stranger", |it| it.signer = STRANGER, DocumentFault::SignatureWrong),
        ("signed by the authority", |it| it.signer = 3, DocumentFault::SignatureWrong),
        ("a signature of zeros", |it| it.signature = Some(vec![0; 96]), DocumentFault::SignatureWrong),
    ]
}

/// What it says.
fn content() -> Vec<Row> {
    use DocumentFault as F;
    vec![
        (
            "debug mode",
            |it| it.set("pcrs", pcrs(&(0..16).map(|index| (index, vec![0; 48])).collect::<Vec<_>>())),
            F::Debug,
        ),
        ("no PCR0", |it| it.set("pcrs", pcrs(&sixteen()[1..])), F::Debug),
        ("another PCR0", |it| it.set("pcrs", pcrs(&swapped(0))), F::MeasurementUnexpected),
        ("another PCR1", |it| it.set("pcrs", pcrs(&swapped(1))), F::MeasurementUnexpected),
        ("another PCR2", |it| it.set("pcrs", pcrs(&swapped(2))), F::MeasurementUnexpected),
        (
            "PCR0 of one image and the rest of another",
            |it| it.set("pcrs", pcrs(&mixed())),
            F::MeasurementUnexpected,
        ),
        ("no PCR2", |it| it.set("pcrs", pcrs(&sixteen()[..2])), F::MeasurementUnexpected),
        ("no user data", |it| it.set("user_data", vec![0xf6]), F::UserDataUnexpected),
        ("user data of another kind", |it| it.set("user_data", bytes(&[1; 100])), F::UserDataUnexpected),
        (
            "user data with a byte more",
            |it| it.set("user_data", bytes(&[&session_nitro::user_data(&CLAIMS)[..], &[0]].concat())),
            F::UserDataUnexpected,
        ),
        ("no session key", |it| it.remove("public_key"), F::SessionKeyMissing),
        ("a session key of 33 bytes", |it| it.set("public_key", bytes(&[6; 33])), F::SessionKeyMissing),
        ("no challenge", |it| it.set("nonce", vec![0xf6]), F::ChallengeMissing),
        ("a challenge of 31 bytes", |it| it.set("nonce", bytes(&[8; 31])), F::ChallengeMissing),
    ]
}

fn swapped(index: usize) -> Vec<(u64, Vec<u8>)> {
    let mut values = sixteen();
    values[index].1[47] ^= 1;
    values
}

/// The other image that is allowed has nines everywhere.
fn mixed() -> Vec<(u64, Vec<u8>)> {
    let mut values = sixteen();
    values[0].1 = vec![9; 48];
    values
}

/// Leaves a document for the second implementation (tests/nitro.sh).
fn note(what: &str, draft: &Draft, is_good: bool) {
    let (document, root) = draft.write();
    let at = match draft.at {
        At::Time(now_ms) => now_ms.to_string(),
        At::Document => "document".to_owned(),
    };
    pki::note(what, &document, &root, &at, is_good);
}

fn rows() -> Vec<Row> {
    [encoding(), fields(), chain(), content()].concat()
}

#[test]
fn each_document_is_refused_by_its_own_rule() {
    let rows = rows();
    println!("{} documents that are refused", rows.len());
    let mut wrong = Vec::new();
    for (what, change, expected) in rows {
        let mut draft = Draft::new();
        change(&mut draft);
        let mut found = draft.judge();
        note(what, &draft, found.is_ok());
        if let Err(DocumentFault::TooLong { size }) = &mut found {
            // Signatures of certificates differ in length from run to run.
            *size = 0;
        }
        if found != Err(expected) {
            wrong.push(format!("{what}: expected {expected:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_its_document() {
    let names: std::collections::BTreeSet<_> = rows().iter().map(|(_, _, fault)| fault.name()).collect();
    // Those that `name` gives, by its text: a rule that is added without a row is found here.
    let source = include_str!("../src/fault.rs");
    let listed = source.lines().filter_map(|line| line.trim().strip_prefix("Self::")?.split_once("=> \""));
    let listed: std::collections::BTreeSet<_> =
        listed.filter_map(|(_, name)| name.strip_suffix("\",")).collect();
    assert!(listed.len() > 40, "{listed:?}");
    assert_eq!(listed.difference(&names).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn a_good_document_says_what_the_vault_claims() {
    assert_eq!(Draft::new().judge(), Ok(CLAIMS));
    note("good", &Draft::new(), true);
    type Change = fn(&mut Draft);
    let also: [Change; 8] = [
        |it| it.before = vec![0xd2],
        |it| it.certificates[1].set(der::SUBJECT_KEY_ID, false, tlv(0x04, &[1; 20])),
        |it| it.certificates[1].set(der::UNKNOWN, false, sequence(&[])),
        |it| it.fields.reverse(),
        |it| it.set("pcrs", pcrs(&sixteen()[..3])),
        |it| it.leaf().remove(der::BASIC_CONSTRAINTS),
        |it| it.set("pcrs", pcrs(&(0..16).map(|index| (index, vec![9; 48])).collect::<Vec<_>>())),
        // A chain of the root alone.
        |it| {
            it.certificates =
                vec![Certificate::authority("root", "root", Some(0)), Certificate::leaf("root", "enclave")];
            it.issuers = vec![0, 0];
        },
    ];
    for (number, change) in also.into_iter().enumerate() {
        let mut draft = Draft::new();
        change(&mut draft);
        assert_eq!(draft.judge(), Ok(CLAIMS), "{number}");
        note(&format!("good, in another way {number}"), &draft, true);
    }
}

#[test]
fn an_archived_document_is_judged_at_its_own_time_only_when_it_is_asked_for() {
    let mut draft = Draft::new();
    draft.at = At::Time(NOW_MS + 86_400_000);
    let expired = CertificateFault::Expired { not_after: 1_767_312_000 };
    assert_eq!(draft.judge(), Err(at(0, expired)));
    draft.at = At::Document;
    assert_eq!(draft.judge(), Ok(CLAIMS));
}

#[test]
fn a_client_that_pins_the_document_finds_what_was_swapped() {
    let (document, root) = Draft::new().write();
    let root = root_of(root);
    let pin = Pin { nonce: Some(CLAIMS.challenge), ..Pin::new(CLAIMS.policy_hash, 60_000) };
    let check = |pin: Pin, now_ms| pin.check(&root, &document, now_ms).map(|pinned| *pinned.claims());
    assert_eq!(check(pin, NOW_MS + 59_000), Ok(CLAIMS));
    assert_eq!(check(pin, NOW_MS + 61_000), Err(Distrust::Stale { age_ms: 61_000, age_ms_max: 60_000 }));
    assert_eq!(check(Pin { nonce: Some([0; 32]), ..pin }, NOW_MS), Err(Distrust::NonceUnexpected));
    let other = Pin { policy_hash: [0; 32], ..pin };
    assert_eq!(check(other, NOW_MS), Err(Distrust::PolicyUnexpected { found: CLAIMS.policy_hash }));
    let late = root.verify(&document, NOW_MS + 86_400_000);
    assert_eq!(late, Err(Distrust::DocumentRefused { rule: "certificate-expired" }));
}

#[test]
fn no_flipped_bit_and_no_cut_is_let_through() {
    let (document, root) = Draft::new().write();
    let root = root_of(root);
    for at_byte in 0..document.len() {
        let mut changed = document.clone();
        changed[at_byte] ^= 1 << (at_byte % 8);
        assert!(root.check(&changed, At::Time(NOW_MS)).is_err(), "byte {at_byte}");
        assert!(Document::read(&document[..at_byte]).is_err(), "cut at {at_byte}");
    }
    assert_eq!(PCRS.len(), 3);
}
