//! The client against a server that follows a script, over real unix sockets.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod server;

use client_sdk::build::hyperliquid::{
    Decimal, Envelope, Network, Transferral, UpdateLeverage, update_leverage, usd_send,
};
use client_sdk::{Address, Client, Config, Refusal, Shown, SignError, Signature, Trouble, Violation};
use server::*;
use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::sync::mpsc;
use std::time::Duration;
use wire::REPLY_SIZE_MAX;
use wire::reply::Reply;
use wire::request::Request;

/// What a client gets that sends one request to a server with this script.
fn sign_against(script: Script) -> Result<client_sdk::Signed, SignError> {
    let mut server = Server::start([script]);
    let mut client = server.client();
    let outcome = client.sign(4, EVM, &PAYLOAD);
    drop(client);
    server.join();
    outcome
}

fn assert_violation(script: Script, expected: Violation) {
    match sign_against(script) {
        Err(SignError::ProtocolViolation { violation, .. }) => assert_eq!(violation, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_signature_comes_with_its_receipt_and_facts() {
    let signed = sign_against(|peer| peer.answer(|_| {})).unwrap();
    let expected = Signature::Secp256k1 { r: [1; 32], s: [2; 32], y_parity: 1 };
    assert_eq!(signed.signature, expected);
    assert_eq!(signed.digest, label(&PAYLOAD));
    assert_eq!(signed.receipt().unwrap().request_id, signed.request_id);
    assert_eq!(signed.facts_json().unwrap(), r#"{"chain_id":"8453"}"#);
}

#[test]
fn the_request_carries_slot_kind_and_payload_and_numbers_count_up() {
    let (tell, told) = mpsc::channel();
    let path = std::env::temp_dir().join(format!("client-{}-numbers.sock", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).unwrap();
    let serving = std::thread::spawn(move || {
        let mut peer = Peer { stream: listener.accept().unwrap().0, last_digest: None };
        for _ in 0..3 {
            let body = peer.request();
            let request = Request::parse(&body).unwrap();
            tell.send((request.key_slot, request.payload_kind, request.payload.to_vec(), request.request_id))
                .unwrap();
            peer.send(&Answer::signed(&request).body());
        }
    });
    let mut client = Client::connect(Address::Unix(path.clone()), impatient()).unwrap();
    let mut numbers = Vec::new();
    for payload in [PAYLOAD, OTHER_PAYLOAD, PAYLOAD] {
        let signed = client.sign(4, EVM, &payload).unwrap();
        assert_eq!(told.recv().unwrap(), (4, EVM, payload.to_vec(), signed.request_id));
        numbers.push(signed.request_id);
    }
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{numbers:?}");
    serving.join().unwrap();
    let _ = std::fs::remove_file(&path);
}

#[test]
fn a_refusal_tells_rule_value_and_whether_to_try_again() {
    let error = sign_against(|peer| {
        peer.answer(|answer| {
            answer.refuse(Refusal::SizeAboveCap);
            answer.observed = Shown::Uint(11);
        });
    })
    .unwrap_err();
    assert!(!error.is_retryable());
    let SignError::Refused(refused) = error else { panic!("{error:?}") };
    assert_eq!((refused.refusal, refused.observed), (Refusal::SizeAboveCap, Shown::Uint(11)));
    assert_eq!(refused.facts_json().unwrap(), r#"{"chain_id":"8453"}"#);
}

#[test]
fn a_halted_vault_is_an_error_of_its_own() {
    let error = sign_against(|peer| peer.answer(|answer| answer.refuse(Refusal::Halted))).unwrap_err();
    assert!(matches!(error, SignError::Halted), "{error:?}");
}

#[test]
fn a_refusal_of_a_later_build_is_told_by_its_code() {
    let error = sign_against(|peer| {
        peer.answer(|answer| {
            answer.refuse(Refusal::Halted);
            (answer.code, answer.receipt_code) = (3999, 3999);
        });
    })
    .unwrap_err();
    assert!(matches!(error, SignError::RefusedByLaterBuild { code: 3999, .. }), "{error:?}");
}

#[test]
fn a_vault_that_could_not_seal_a_receipt_is_heard() {
    let error = sign_against(|peer| {
        peer.answer(|answer| {
            answer.refuse(Refusal::ReceiptNotSealed);
            answer.has_receipt = false;
        });
    })
    .unwrap_err();
    assert!(matches!(&error, SignError::Refused(refused) if refused.receipt.is_empty()), "{error:?}");
}

#[test]
fn bytes_that_are_no_reply_are_refused() {
    assert_violation(
        |peer| {
            peer.request();
            peer.send(b"not a reply at all, but long enough to hold a header");
        },
        Violation::NotAReply,
    );
}

#[test]
fn a_reply_longer_than_any_is_refused_on_its_prefix() {
    assert_violation(
        |peer| {
            peer.request();
            peer.stream.write_all(&[0xff; 4]).unwrap();
        },
        Violation::NotAReply,
    );
}

#[test]
fn the_reply_to_another_request_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.request_id ^= 1), Violation::AnotherRequest);
}

#[test]
fn a_receipt_of_another_request_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.receipt_request_id ^= 1), Violation::ReceiptDiffers);
}

#[test]
fn a_receipt_that_records_a_refusal_is_refused_beside_a_signature() {
    assert_violation(
        |peer| peer.answer(|answer| answer.receipt_code = Refusal::SizeAboveCap.code()),
        Violation::ReceiptDiffers,
    );
}

#[test]
fn a_receipt_of_another_key_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.key_slot += 1), Violation::ReceiptDiffers);
}

#[test]
fn a_receipt_of_another_payload_kind_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.payload_kind = 0x0400), Violation::ReceiptDiffers);
}

#[test]
fn a_signature_without_a_receipt_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.has_receipt = false), Violation::ReceiptMissing);
}

#[test]
fn a_signature_without_a_digest_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.digest = None), Violation::DigestMissing);
}

#[test]
fn a_receipt_for_another_payload_is_refused() {
    assert_violation(
        |peer| peer.answer(|answer| answer.digest = Some(label(&OTHER_PAYLOAD))),
        Violation::DigestDiffers,
    );
}

#[test]
fn a_signature_for_a_payload_that_no_vault_takes_is_refused() {
    let mut server = Server::start([(|peer: &mut Peer| {
        let body = peer.request();
        let request = Request::parse(&body).unwrap();
        let answer = Answer::signed(&Request { payload: &PAYLOAD, ..request });
        peer.send(&answer.body());
    }) as Script]);
    let mut client = server.client();
    let trailing = [&PAYLOAD[..], &[0]].concat();
    match client.sign(4, EVM, &trailing) {
        Err(SignError::ProtocolViolation { violation: Violation::DigestDiffers, .. }) => {}
        other => panic!("{other:?}"),
    }
    drop(client);
    server.join();
}

#[test]
fn an_action_and_a_user_signed_action_are_compared_too() {
    let envelope =
        |nonce| Envelope { network: Network::Mainnet, nonce, vault_address: None, expires_after: None };
    let l1 = |nonce| {
        let update = UpdateLeverage { asset: 1, is_cross: true, leverage: 2 };
        let built = update_leverage(&envelope(nonce), &update).unwrap();
        (built.payload_kind, built.payload)
    };
    let user_signed = |time| {
        let amount = Decimal::new("1").unwrap();
        let transferral = Transferral {
            network: Network::Mainnet,
            signature_chain_id: 0xa4b1,
            destination: [7; 20],
            amount: &amount,
            time,
        };
        let built = usd_send(&transferral).unwrap();
        (built.payload_kind, built.payload)
    };
    for (asked, other) in [(l1(5), l1(6)), (user_signed(5), user_signed(6))] {
        assert_eq!(asked.0, other.0);
        let mut server = Server::start([(|peer: &mut Peer| {
            peer.answer(|_| {});
            // The second answer is about the payload before.
            let first = peer.last_digest.unwrap();
            let body = peer.request();
            let mut answer = Answer::signed(&Request::parse(&body).unwrap());
            answer.digest = Some(first);
            peer.send(&answer.body());
        }) as Script]);
        let mut client = server.client();
        client.sign(4, other.0, &other.1).unwrap();
        match client.sign(4, asked.0, &asked.1) {
            Err(SignError::ProtocolViolation { violation: Violation::DigestDiffers, .. }) => {}
            outcome => panic!("{outcome:?}"),
        }
        drop(client);
        server.join();
    }
}

#[test]
fn an_ed25519_signature_for_an_evm_payload_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.signature.truncate(64)), Violation::SignatureForm);
}

#[test]
fn a_parity_other_than_0_or_1_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.signature[64] = 27), Violation::SignatureForm);
}

#[test]
fn canonical_bytes_that_were_not_asked_for_are_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.canonical = vec![1]), Violation::CanonicalUnasked);
}

#[test]
fn a_server_that_dies_after_reading_leaves_the_outcome_unknown_and_nothing_is_sent_again() {
    // Were it sent again, the second script would answer it.
    let mut server = Server::start([(|peer| drop(peer.request())) as Script, |peer| peer.answer(|_| {})]);
    let mut client = server.client();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    assert!(matches!(error, SignError::OutcomeUnknown { .. }), "{error:?}");
    assert!(!error.is_retryable());
    // The next request goes out on a new connection.
    client.sign(4, EVM, &PAYLOAD).unwrap();
    drop(client);
    server.join();
}

#[test]
fn a_server_that_dies_inside_its_reply_leaves_the_outcome_unknown() {
    let error = sign_against(|peer| {
        let body = peer.request();
        let body = Answer::signed(&Request::parse(&body).unwrap()).body();
        peer.stream.write_all(&u32::try_from(body.len()).unwrap().to_le_bytes()).unwrap();
        peer.stream.write_all(&body[..20]).unwrap();
    })
    .unwrap_err();
    assert!(matches!(error, SignError::OutcomeUnknown { .. }), "{error:?}");
}

#[test]
fn a_server_that_closes_without_reading_gets_the_request_again() {
    let mut server = Server::start([
        (|peer| {
            // Waits until the request is there, and leaves it unread.
            rustix::net::recv(&peer.stream, &mut [0_u8; 1], rustix::net::RecvFlags::PEEK).unwrap();
        }) as Script,
        |peer| peer.answer(|_| {}),
    ]);
    let mut client = server.client();
    client.sign(4, EVM, &PAYLOAD).unwrap();
    drop(client);
    server.join();
}

#[test]
fn a_restarted_server_is_found_again() {
    let mut server = Server::start([(|peer: &mut Peer| peer.answer(|_| {})) as Script]);
    let mut client = server.client();
    client.sign(4, EVM, &PAYLOAD).unwrap();
    server.restart([(|peer: &mut Peer| peer.answer(|_| {})) as Script]);
    client.sign(4, EVM, &PAYLOAD).unwrap();
    drop(client);
    server.join();
}

#[test]
fn a_server_that_is_gone_is_not_connected_and_worth_another_try() {
    let mut server = Server::start([(|peer: &mut Peer| peer.answer(|_| {})) as Script]);
    let mut client = server.client();
    client.sign(4, EVM, &PAYLOAD).unwrap();
    server.join();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    assert!(matches!(error, SignError::NotConnected { attempts: 6, .. }), "{error:?}");
    assert!(error.is_retryable());
}

#[test]
fn a_full_vault_is_asked_again_and_named() {
    fn turn_away(peer: &mut Peer) {
        let mut body = [0; REPLY_SIZE_MAX];
        let reply = Reply {
            code: Refusal::TooManyConnections.code(),
            request_id: 0,
            signature: &[],
            receipt: &[],
            canonical: &[],
        };
        let size = reply.write(&mut body).unwrap();
        peer.send(&body[..size]);
    }
    let mut server = Server::start([turn_away as Script; 6]);
    let mut client = server.client();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    assert!(matches!(error, SignError::NotConnected { trouble: Trouble::TurnedAway, .. }), "{error:?}");
    server.join();
    server.restart([turn_away as Script, |peer| peer.answer(|_| {})]);
    client.sign(4, EVM, &PAYLOAD).unwrap();
    drop(client);
    server.join();
}

#[test]
fn a_reply_that_does_not_come_in_time_leaves_the_outcome_unknown() {
    let mut server = Server::start([(|peer: &mut Peer| {
        peer.request();
        peer.wait_for_close();
    }) as Script]);
    let config = Config { request_timeout: Duration::from_millis(20), ..impatient() };
    let mut client = Client::connect(server.address(), config).unwrap();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    assert!(matches!(error, SignError::OutcomeUnknown { .. }), "{error:?}");
    // The connection is given up with the request: a late reply can meet nobody.
    server.join();
}

#[test]
fn a_payload_that_fits_no_request_is_not_sent() {
    let mut server = Server::start([(|peer: &mut Peer| peer.wait_for_close()) as Script]);
    let mut client = server.client();
    let error = client.sign(4, EVM, &[0; wire::REQUEST_SIZE_MAX]).unwrap_err();
    assert!(matches!(error, SignError::PayloadTooLong { .. }), "{error:?}");
    drop(client);
    server.join();
}
