//! What a session tells a bot, and whom it lets in.

use crate::server::*;
use client_sdk::{Client, Config, Denial, Mode, SignError, Violation};
use std::time::Duration;

#[test]
fn a_heartbeat_tells_the_mode_and_needs_no_thread() {
    fn is_send<T: Send>(_: &T) {}
    let mut server = Server::start([Peer::serve as Script]);
    let mut client = server.client();
    is_send(&client);
    assert_eq!((client.mode(), client.welcome().boot_id), (Mode::Live, BOOT_ID));
    assert_eq!(client.heartbeat().unwrap(), Mode::CancelOnly);
    assert_eq!(client.mode(), Mode::CancelOnly);
    client.sign(4, EVM, &PAYLOAD).unwrap();
    client.heartbeat().unwrap();
    drop(client);
    server.join();
}

#[test]
fn a_heartbeat_over_a_broken_connection_opens_another_one() {
    let mut server = Server::start([(|peer: &mut Peer| drop(peer.request())) as Script, Peer::serve]);
    let mut client = server.client();
    client.heartbeat().unwrap();
    drop(client);
    server.join();
}

#[test]
fn what_is_no_answer_to_a_heartbeat_is_refused() {
    for script in [
        (|peer: &mut Peer| peer.answer_heartbeat(&[1, 0x27, 4])) as Script,
        |peer| peer.answer_heartbeat(&[1, 0x27]),
        |peer| peer.answer_heartbeat(&[1, 0x27, 0, 0]),
        |peer| peer.answer_heartbeat(&[1, 0x02, 0]),
        |peer| peer.answer_heartbeat(&[2, 0x27, 0]),
    ] {
        let mut server = Server::start([script]);
        let mut client = server.client();
        let error = client.heartbeat().unwrap_err();
        let expected =
            matches!(error, SignError::ProtocolViolation { violation: Violation::NotAStanding, .. });
        assert!(expected, "{error:?}");
        assert_eq!(client.mode(), Mode::Live);
        server.join();
    }
}

#[test]
fn a_certificate_that_is_none_is_not_sent() {
    let mut server = Server::start([Peer::serve as Script]);
    let config = Config { certificate: Some([1, 2, 3].into()), ..impatient() };
    let error = Client::connect(server.address(), config).unwrap_err();
    assert!(matches!(error, SignError::SessionBroken { request_id: None, .. }), "{error:?}");
    server.join();
}

#[test]
fn a_client_that_is_not_let_in_hears_why_and_does_not_try_again() {
    // A second attempt would be let in.
    let mut server = Server::start([
        (|peer: &mut Peer| {
            peer.frame();
            peer.deny(Denial::ClientCut);
        }) as Script,
        Peer::serve,
    ]);
    let error = Client::connect(server.address(), impatient()).unwrap_err();
    assert_eq!(error.denial(), Some(Denial::ClientCut), "{error:?}");
    drop(server.client());
    server.join();
}

#[test]
fn a_client_that_is_cut_off_between_two_requests_hears_it_at_once() {
    // Further attempts would be let in.
    let mut server = Server::start([
        (|peer: &mut Peer| peer.answer(|_| {})) as Script,
        |peer| {
            peer.frame();
            peer.deny(Denial::ClientCut);
        },
        Peer::serve,
    ]);
    let mut client = server.client();
    client.sign(4, EVM, &PAYLOAD).unwrap();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    assert_eq!(error.denial(), Some(Denial::ClientCut), "{error:?}");
    assert!(!error.is_outcome_unknown());
    assert!(client.ask_again().is_none());
    client.sign(4, EVM, &PAYLOAD).unwrap();
    drop(client);
    server.join();
}

#[test]
fn what_is_shown_of_a_client_holds_no_payload() {
    let mut server = Server::start([Peer::serve as Script]);
    let mut client = server.client();
    client.sign(4, EVM, &PAYLOAD).unwrap();
    let shown = format!("{client:?}");
    assert!(shown.contains("x25519:"));
    // The buffers have tens of thousands of bytes.
    assert!(shown.len() < 3_000, "{} characters", shown.len());
    drop(client);
    server.join();
}

#[test]
fn a_vault_that_says_nothing_to_a_hello_is_given_up() {
    let mut server = Server::start([(|peer: &mut Peer| {
        peer.frame();
        peer.wait_for_close();
    }) as Script]);
    let config = Config { request_timeout: Duration::from_millis(20), attempts_max: 1, ..impatient() };
    let error = Client::connect(server.address(), config).unwrap_err();
    assert!(matches!(error, SignError::NotConnected { attempts: 1, .. }), "{error:?}");
    server.join();
}
