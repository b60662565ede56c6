use super::*;
use crate::codec::CodecFault;
use crate::{Mode, Refusal};

const CLAIMS: Claims = Claims {
    policy_hash: [1; 32],
    boot_id: [2; 16],
    session_key: [3; 32],
    receipt_key: [4; 32],
    challenge: [5; 32],
    wall_ms: 0x0102_0304_0506_0708,
};

const WELCOME: Welcome = Welcome {
    boot_id: [1; 16],
    policy_hash: [2; 32],
    receipt_key: [3; 32],
    wall_ms: 4,
    mode: Mode::CancelOnly,
    heartbeat_ms: 5000,
    records_kept: 256,
};

const CERTIFICATE: Certificate<'static> = Certificate {
    desk: "demo",
    role: "maker",
    client: "bot-1",
    client_key: [1; 32],
    serial: 7,
    not_before_ms: 8,
    not_after_ms: 9,
    operator_key: [2; 32],
};

#[test]
fn the_bytes_of_hello_attestation_and_denied_are_golden() {
    let hello = write_hello(&[7; 32]);
    assert_eq!(hello[..3], [1, 0x20, 7]);
    assert_eq!(hello.len(), 34);
    assert_eq!(read_hello(&hello), Ok([7; 32]));
    let mut body = [0; 8];
    assert_eq!(write_attestation(b"doc", &mut body), Some(5));
    assert_eq!(body[..5], [1, 0x21, b'd', b'o', b'c']);
    assert_eq!(read_attestation(&body[..5]), Ok(&b"doc"[..]));
    let denied = write_denied(Denial::ClientNotKnown);
    assert_eq!(denied, [1, 0x25, 0x10, 0x0e]);
    assert_eq!(read_denied(&denied), Ok(3600));
}

#[test]
fn a_hello_or_denial_of_another_size_and_an_empty_or_oversized_document_are_refused() {
    let hello = write_hello(&[7; 32]);
    assert_eq!(read_hello(&hello[..33]), Err(FrameFault::TooShort { declared: 33 }));
    assert_eq!(read_hello(&[&hello[..], &[0]].concat()), Err(FrameFault::TooLong { declared: 35 }));
    assert_eq!(read_denied(&[1, 0x25, 0]), Err(FrameFault::TooShort { declared: 3 }));
    assert_eq!(read_denied(&[1, 0x25, 0, 0, 0]), Err(FrameFault::TooLong { declared: 5 }));
    assert_eq!(read_attestation(&[1, 0x21]), Err(FrameFault::TooShort { declared: 2 }));
    let mut body = [0; ATTESTATION_SIZE_MAX + 1];
    assert_eq!(write_attestation(&[], &mut body), None);
    assert_eq!(write_attestation(&[0; DOCUMENT_SIZE_MAX + 1], &mut body), None);
    assert_eq!(write_attestation(&[0; DOCUMENT_SIZE_MAX], &mut body), Some(ATTESTATION_SIZE_MAX));
    assert_eq!(write_attestation(&[0; 9], &mut body[..10]), None);
    assert!(read_attestation(&body[..ATTESTATION_SIZE_MAX]).is_ok());
    assert!(matches!(read_attestation(&body), Err(FrameFault::TooLong { .. })));
}

#[test]
fn a_frame_of_another_kind_or_version_is_not_read() {
    assert_eq!(read_hello(&write_denied(Denial::ClientCut)), Err(FrameFault::Kind(0x25)));
    assert_eq!(read_denied(&[2, 0x25, 0, 0]), Err(FrameFault::Version(2)));
    assert_eq!(read_attestation(&[1]), Err(FrameFault::TooShort { declared: 1 }));
}

#[test]
fn the_prologue_is_golden() {
    let prologue = prologue(Channel::Control, &[0xb0; 16], &[0xc0; 32]);
    assert_eq!(prologue.len(), 70);
    assert_eq!(prologue[..21], *b"portcullis session v1");
    assert_eq!(prologue[21], 2);
    assert_eq!(prologue[22..38], [0xb0; 16]);
    assert_eq!(prologue[38..], [0xc0; 32]);
}

#[test]
fn the_bytes_of_the_claims_are_golden() {
    let bytes = CLAIMS.write().unwrap();
    let expected = [&[1; 32][..], &[2; 16], &[3; 32], &[4; 32], &[5; 32], &[8, 7, 6, 5, 4, 3, 2, 1]].concat();
    assert_eq!(bytes[..], expected);
    assert_eq!(Claims::read(&bytes), Ok(CLAIMS));
    assert_eq!(Claims::read(&bytes[1..]), Err(CodecFault::NotAValue));
    assert_eq!(Claims::read(&[&bytes[..], &[0]].concat()), Err(CodecFault::TrailingBytes));
}

#[test]
fn the_bytes_of_the_welcome_are_golden() {
    let bytes = WELCOME.write().unwrap();
    let numbers = [4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x88, 0x13, 0, 0, 0, 1, 0, 0];
    assert_eq!(bytes[..], [&[1; 16][..], &[2; 32], &[3; 32], &numbers].concat());
    assert_eq!(Welcome::read(&bytes), Ok(WELCOME));
    assert_eq!(Welcome::read(&bytes[1..]), Err(CodecFault::NotAValue));
}

#[test]
fn the_bytes_of_a_certificate_are_golden() {
    let message = CERTIFICATE.message().unwrap();
    let names = [
        &[1, 4, 0, 0, 0, 0, 0, 0, 0][..],
        b"demo",
        &[5, 0, 0, 0, 0, 0, 0, 0],
        b"maker",
        &[5, 0, 0, 0, 0, 0, 0, 0],
        b"bot-1",
    ]
    .concat();
    let numbers = [7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
    let unsigned = [&names[..], &[1; 32], &numbers, &[2; 32]].concat();
    assert_eq!(message.as_bytes(), [CERTIFICATE_DOMAIN, &unsigned[..]].concat());
    let mut bytes = [0; CERTIFICATE_SIZE_MAX];
    let size = message.write_signed(&[9; 64], &mut bytes).unwrap();
    assert_eq!(bytes[..size], [&unsigned[..], &[9; 64]].concat());
    let read = SignedCertificate::read(&bytes[..size]).unwrap();
    assert_eq!(read.certificate, CERTIFICATE);
    assert_eq!(read.signature, [9; 64]);
    assert_eq!(read.message.as_bytes(), message.as_bytes());
    assert_eq!(message.write_signed(&[9; 64], &mut bytes[..size - 1]), Err(CodecFault::DoesNotFit));
    for cut in 0..size {
        assert!(SignedCertificate::read(&bytes[..cut]).is_err());
    }
    assert!(SignedCertificate::read(&bytes[..=size]).is_err());
}

#[test]
fn the_largest_certificate_fits_and_one_of_another_version_is_refused() {
    let name = core::str::from_utf8(&[b'n'; 32]).unwrap();
    let largest = Certificate { desk: name, role: name, client: name, ..CERTIFICATE };
    let mut bytes = [0; CERTIFICATE_SIZE_MAX];
    let size = largest.message().unwrap().write_signed(&[0; 64], &mut bytes).unwrap();
    assert_eq!((size, CERTIFICATE_SIZE_MAX), (273, 273));
    assert!(SignedCertificate::read(&bytes).is_ok());
    bytes[0] = 2;
    assert!(SignedCertificate::read(&bytes).is_err());
}

#[test]
fn a_name_that_a_book_would_not_take_is_no_name() {
    for (name, fault) in [
        ("", CodecFault::DoesNotFit),
        ("123456789012345678901234567890123", CodecFault::DoesNotFit),
        ("a b", CodecFault::NotAValue),
        ("ä", CodecFault::NotAValue),
        ("a\n", CodecFault::NotAValue),
        ("Maker", CodecFault::NotAValue),
    ] {
        assert_eq!(Certificate { desk: name, ..CERTIFICATE }.message().unwrap_err(), fault, "{name}");
        assert_eq!(Certificate { role: name, ..CERTIFICATE }.message().unwrap_err(), fault, "{name}");
        assert_eq!(Certificate { client: name, ..CERTIFICATE }.message().unwrap_err(), fault, "{name}");
    }
}

#[test]
fn denials_are_unique_ascending_and_never_the_number_of_a_refusal() {
    for pair in Denial::ALL.windows(2) {
        assert!(pair[0].code() < pair[1].code());
    }
    for denial in Denial::ALL {
        assert_eq!(Denial::from_code(denial.code()), Some(*denial));
        assert_eq!(Refusal::from_code(denial.code()), None, "{}", denial.name());
        assert_eq!(denial.code() / 100 % 10, 6);
        assert!(!denial.explanation().is_empty());
    }
    assert_eq!(Denial::from_code(0), None);
}
