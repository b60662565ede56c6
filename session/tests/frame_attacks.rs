//! Sealed frames attacked: everything a relay does to them ends in a typed fault, and nothing is opened.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

mod pair;

use pair::{connect, open, seal};
use session::Fault;
use wire::frame::FrameFault;

#[test]
fn frames_replayed_reordered_dropped_or_turned_back_end_the_session() {
    // replayed
    let (mut client, mut vault) = connect(1);
    let frame = seal(&mut client, b"first");
    assert!(open(&mut vault, &frame).is_ok());
    assert_eq!(open(&mut vault, &frame), Err(Fault::NotAuthentic));
    // reordered, which is also: dropped
    let (mut client, mut vault) = connect(1);
    let (_first, second) = (seal(&mut client, b"first"), seal(&mut client, b"second"));
    assert_eq!(open(&mut vault, &second), Err(Fault::NotAuthentic));
    // turned back to its sender
    let (mut client, _vault) = connect(1);
    let frame = seal(&mut client, b"first");
    assert_eq!(open(&mut client, &frame), Err(Fault::NotAuthentic));
    // an answer given before it was asked for is in order, but not one of an earlier place
    let (mut client, mut vault) = connect(1);
    let (first, second) = (seal(&mut vault, b"first"), seal(&mut vault, b"second"));
    assert!(open(&mut client, &first).is_ok());
    assert!(open(&mut client, &second).is_ok());
    assert_eq!(open(&mut client, &first), Err(Fault::NotAuthentic));
}

#[test]
fn the_right_frame_after_a_wrong_one_is_too_late() {
    let (mut client, mut vault) = connect(1);
    let frame = seal(&mut client, b"first");
    let mut edited = frame.clone();
    edited[10] ^= 1;
    assert_eq!(open(&mut vault, &edited), Err(Fault::NotAuthentic));
    assert_eq!(vault.open(&frame, &mut [0; 64]), Err(Fault::Closed));
}

#[test]
fn frames_of_another_session_do_not_open() {
    let (mut client, mut vault) = connect(1);
    let (mut other_client, mut other_vault) = connect(2);
    let (frame, other_frame) = (seal(&mut client, b"body"), seal(&mut other_client, b"body"));
    assert_eq!(open(&mut vault, &other_frame), Err(Fault::NotAuthentic));
    assert_eq!(open(&mut other_vault, &frame), Err(Fault::NotAuthentic));
}

#[test]
fn every_cut_and_every_longer_frame_ends_the_session() {
    let whole = seal(&mut connect(1).0, b"a body");
    for size in 0..whole.len() {
        let fault = open(&mut connect(1).1, &whole[..size]).unwrap_err();
        let expected = matches!(fault, Fault::NotAuthentic | Fault::TooShort { .. } | Fault::Frame(_));
        assert!(expected, "{size} bytes: {fault:?}");
    }
    for extra in [1, 16, 64] {
        let mut longer = whole.clone();
        longer.resize(whole.len() + extra, 0);
        assert_eq!(open(&mut connect(1).1, &longer), Err(Fault::NotAuthentic));
    }
}

#[test]
fn a_frame_that_is_not_sealed_ends_the_session() {
    for (body, fault) in [
        (&[1, 1, 0, 0, 0, 1][..], FrameFault::Kind(1)),
        (&[1, 0x22, 0, 0, 0, 1], FrameFault::Kind(0x22)),
        (&[1, 0x2f, 0, 0, 0, 1], FrameFault::Kind(0x2f)),
        (&[2, 0x24, 0, 0, 0, 1], FrameFault::Version(2)),
        (&[], FrameFault::TooShort { declared: 0 }),
    ] {
        assert_eq!(open(&mut connect(1).1, body), Err(Fault::Frame(fault)));
    }
    let fault = Fault::TooShort { size: 19, size_min: 20 };
    assert_eq!(open(&mut connect(1).1, &[&[1, 0x24][..], &[0; 17]].concat()), Err(fault));
}
