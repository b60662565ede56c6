//! The client against a vault that follows a script, over real unix sockets.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod attacks;
mod records;
mod relay;
mod server;
mod sessions;

use client_sdk::build::hyperliquid::{
    Decimal, Envelope, Network, Transferral, UpdateLeverage, update_leverage, usd_send,
};
use client_sdk::{
    Address, Client, Config, Denial, Fault, Lost, Refusal, Shown, SignError, Signature, Violation,
};
use server::*;
use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::sync::mpsc;
use std::time::Duration;
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
    let expected = Signature::Secp256k1 { r: label(&PAYLOAD), s: [2; 32], y_parity: 1 };
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
        let mut peer = Peer::new(listener.accept().unwrap().0);
        for _ in 0..3 {
            let body = peer.request();
            let request = Request::parse(&body).unwrap();
            tell.send((request.key_slot, request.payload_kind, request.payload.to_vec(), request.request_id))
                .unwrap();
            let answer = peer.signed(&request);
            peer.send(&answer.body());
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
fn a_frame_longer_than_any_is_refused_on_its_prefix() {
    let error = sign_against(|peer| {
        peer.request();
        peer.stream.write_all(&[0xff; 4]).unwrap();
    })
    .unwrap_err();
    let expected = Fault::Frame(wire::frame::FrameFault::TooLong { declared: u32::MAX });
    assert!(
        matches!(error, SignError::SessionBroken { request_id: Some(_), fault } if fault == expected),
        "{error:?}"
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
fn a_receipt_of_another_boot_book_or_client_is_refused() {
    assert_violation(|peer| peer.answer(|answer| answer.boot_id = [1; 16]), Violation::ReceiptOfAnotherBoot);
    assert_violation(
        |peer| peer.answer(|answer| answer.policy_hash = [1; 32]),
        Violation::ReceiptOfAnotherPolicy,
    );
    assert_violation(|peer| peer.answer(|answer| answer.client = [1; 32]), Violation::ReceiptOfAnotherClient);
}

#[test]
fn a_receipt_that_is_not_after_the_one_before_is_refused() {
    for back in [0, 1] {
        let mut server = Server::start([(|peer: &mut Peer| {
            peer.sequence = 7;
            peer.answer(|_| {});
            peer.answer(|_| {});
            let body = peer.request();
            // How far back is what the client asks for.
            let request = Request::parse(&body).unwrap();
            peer.sequence -= 1 + u64::from(request.key_slot);
            let answer = peer.signed(&request);
            peer.send(&answer.body());
        }) as Script]);
        let mut client = server.client();
        client.sign(4, EVM, &PAYLOAD).unwrap();
        client.sign(4, EVM, &PAYLOAD).unwrap();
        match client.sign(back, EVM, &PAYLOAD) {
            Err(SignError::ProtocolViolation { violation: Violation::ReceiptOutOfSequence, .. }) => {}
            other => panic!("{other:?}"),
        }
        drop(client);
        server.join();
    }
}

#[test]
fn a_refusal_without_a_receipt_of_its_own_is_heard() {
    let error = sign_against(|peer| {
        peer.answer(|answer| {
            answer.refuse(Refusal::SizeAboveCap);
            answer.has_receipt = false;
        });
    })
    .unwrap_err();
    assert!(matches!(&error, SignError::Refused(refused) if refused.receipt.is_empty()), "{error:?}");
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
        let answer = peer.signed(&Request { payload: &PAYLOAD, ..request });
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
            let mut answer = peer.signed(&Request::parse(&body).unwrap());
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
fn a_request_whose_reply_was_lost_is_asked_again_with_the_same_number_and_bytes() {
    let (mut server, asked) = Server::start_and_listen([
        (|peer| drop(peer.request())) as Script,
        |peer| {
            let body = peer.request();
            let answer = peer.signed(&Request::parse(&body).unwrap()).body();
            peer.stream.write_all(&u32::try_from(answer.len()).unwrap().to_le_bytes()).unwrap();
            peer.stream.write_all(&answer[..20]).unwrap();
        },
        |peer| peer.answer(|_| {}),
    ]);
    let mut client = server.client();
    let signed = client.sign(4, EVM, &PAYLOAD).unwrap();
    drop(client);
    server.join();
    let asked: Vec<_> = asked.try_iter().collect();
    assert_eq!(asked.len(), 3);
    assert!(asked.iter().all(|body| *body == asked[0]));
    assert_eq!(Request::parse(&asked[0]).unwrap().request_id, signed.request_id);
}

#[test]
fn a_request_that_another_boot_may_have_signed_is_not_sent_to_this_one() {
    let (mut server, asked) = Server::start_and_listen([(|peer| drop(peer.request())) as Script, |peer| {
        peer.boot_id = [2; 16];
        peer.answer(|_| {});
    }]);
    let mut client = server.client();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    assert!(matches!(error, SignError::OutcomeUnknown { cause: Lost::BootChanged, .. }), "{error:?}");
    assert!(!error.is_retryable() && error.is_outcome_unknown());
    assert!(client.ask_again().is_none(), "nobody knows the answer any more");
    // The next request goes to the new boot.
    client.sign(4, EVM, &OTHER_PAYLOAD).unwrap();
    assert_eq!(client.welcome().boot_id, [2; 16]);
    drop(client);
    server.join();
    let payloads: Vec<_> = asked.try_iter().map(|body| body[16..].to_vec()).collect();
    assert_eq!(payloads, [PAYLOAD.to_vec(), OTHER_PAYLOAD.to_vec()]);
}

#[test]
fn a_vault_that_is_gone_after_it_has_read_leaves_the_outcome_unknown_until_it_is_asked_again() {
    let mut server = Server::start([(|peer: &mut Peer| drop(peer.request())) as Script]);
    let mut client = server.client();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    let SignError::OutcomeUnknown { request_id, cause: Lost::Session(_) } = error else {
        panic!("{error:?}")
    };
    server.restart([(|peer: &mut Peer| peer.answer(|_| {})) as Script]);
    assert_eq!(client.ask_again().unwrap().unwrap().request_id, request_id);
    assert!(client.ask_again().is_none());
    drop(client);
    server.join();
}

#[test]
fn a_vault_that_closes_without_reading_gets_the_request_again_even_in_another_boot() {
    let mut server = Server::start([
        (|peer| {
            peer.greet().unwrap();
            // Waits until the request is there, and leaves it unread.
            rustix::net::recv(&peer.stream, &mut [0_u8; 1], rustix::net::RecvFlags::PEEK).unwrap();
        }) as Script,
        |peer| {
            peer.boot_id = [2; 16];
            peer.answer(|_| {});
        },
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
fn a_full_vault_or_host_is_asked_again_and_named() {
    let deny: Script = |peer| peer.deny(Denial::SessionsFull);
    let mut server = Server::start([deny; 6]);
    let error = Client::connect(server.address(), impatient()).unwrap_err();
    let SignError::NotConnected { attempts: 6, trouble } = error else { panic!("{error:?}") };
    assert_eq!(trouble.denial(), Some(Denial::SessionsFull));
    server.join();
    server.restart([deny, |peer| peer.answer(|_| {})]);
    let mut client = server.client();
    client.sign(4, EVM, &PAYLOAD).unwrap();
    drop(client);
    server.join();
}

#[test]
fn a_reply_that_does_not_come_in_time_leaves_the_outcome_unknown() {
    let mut server = Server::start([
        (|peer: &mut Peer| {
            peer.request();
            peer.wait_for_close();
        }) as Script,
        |peer| peer.answer(|_| {}),
    ]);
    let config = Config { request_timeout: Duration::from_millis(200), ..impatient() };
    let mut client = Client::connect(server.address(), config).unwrap();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    assert!(matches!(error, SignError::OutcomeUnknown { cause: Lost::Session(_), .. }), "{error:?}");
    // The connection is given up with the request: a late reply can meet nobody.
    client.ask_again().unwrap().unwrap();
    drop(client);
    server.join();
}

#[test]
fn a_payload_that_fits_no_request_is_not_sent() {
    let mut server = Server::start([(|peer: &mut Peer| {
        peer.greet().unwrap();
        peer.wait_for_close();
    }) as Script]);
    let mut client = server.client();
    let error = client.sign(4, EVM, &[0; wire::REQUEST_SIZE_MAX]).unwrap_err();
    assert!(matches!(error, SignError::PayloadTooLong { .. }), "{error:?}");
    drop(client);
    server.join();
}
