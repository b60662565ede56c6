//! Records that a client keeps, and hands in when it connects anew.

use crate::server::*;
use client_sdk::{Client, Denial, HandInFault, HandedIn};
use std::sync::Mutex;
use wire::hand_in::{read_hand_in, write_taken};
use wire::receipt::Receipt;

/// Answers so many requests, then closes.
fn answer(peer: &mut Peer, first: u64, count: usize) {
    (peer.records_kept, peer.sequence) = (3, first);
    (0..count).for_each(|_| peer.answer(|_| {}));
}

fn sequences<'r>(records: impl Iterator<Item = &'r [u8]>) -> Vec<u64> {
    records.map(|record| Receipt::read(record).unwrap().sequence).collect()
}

/// What became of the records of five answers, after a second connection that is `script` and a third that answers.
fn hand_in_to(script: Script) -> (Server, Client) {
    let scripts = [(|peer| answer(peer, 10, 5)) as Script, script, |peer| answer(peer, 20, 1)];
    let mut server = Server::start(scripts);
    let mut client = server.client();
    assert!(client.handed_in().is_none());
    (0..6).for_each(|_| drop(client.sign(4, EVM, &PAYLOAD).unwrap()));
    server.join();
    (server, client)
}

#[test]
fn the_last_records_are_handed_in_before_the_next_session_on_a_connection_of_their_own() {
    static FOUND: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    let (_server, client) = hand_in_to(|peer| {
        let body = peer.frame();
        *FOUND.lock().unwrap() = sequences(read_hand_in(&body).unwrap());
        peer.send_plain(&write_taken(3));
        peer.wait_for_close();
    });
    assert_eq!(*FOUND.lock().unwrap(), [12, 13, 14]);
    assert!(matches!(client.handed_in(), Some(Ok(HandedIn::Taken { offered: 3, taken: 3 }))));
    assert_eq!(sequences(client.records()), [13, 14, 20]);
}

#[test]
fn a_vault_that_is_reached_without_a_host_denies_them_and_that_is_no_error() {
    let (_server, client) = hand_in_to(|peer| {
        peer.frame();
        peer.deny(Denial::SessionRequired);
    });
    assert!(matches!(client.handed_in(), Some(Ok(HandedIn::NoHost))));
}

#[test]
fn a_host_that_does_not_take_them_is_told_and_the_session_goes_on() {
    let (_server, client) = hand_in_to(|peer| {
        peer.frame();
        peer.send_plain(&write_taken(1));
        peer.wait_for_close();
    });
    assert!(matches!(client.handed_in(), Some(Ok(HandedIn::Taken { offered: 3, taken: 1 }))));
    let (_server, client) = hand_in_to(|peer| {
        peer.frame();
        peer.send_plain(&write_taken(4));
        peer.wait_for_close();
    });
    assert!(matches!(client.handed_in(), Some(Err(HandInFault::NotAnAnswer))));
    let (_server, client) = hand_in_to(|peer| drop(peer.frame()));
    assert!(matches!(client.handed_in(), Some(Err(HandInFault::Transport(_)))));
}

#[test]
fn more_records_than_a_frame_holds_go_in_several_that_a_vault_could_read() {
    static FOUND: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());
    let mut server = Server::start([
        (|peer: &mut Peer| {
            peer.records_kept = 100;
            (0..100).for_each(|_| peer.answer(|_| {}));
        }) as Script,
        |peer| {
            while let Some(body) = peer.frame_or_end() {
                assert!(body.len() <= wire::session::SEALED_REQUEST_SIZE_MAX);
                let found = sequences(read_hand_in(&body).unwrap());
                peer.send_plain(&write_taken(u16::try_from(found.len()).unwrap()));
                FOUND.lock().unwrap().push(found);
            }
        },
        |peer| peer.answer(|_| {}),
    ]);
    let mut client = server.client();
    (0..101).for_each(|_| drop(client.sign(4, EVM, &PAYLOAD).unwrap()));
    server.join();
    assert!(matches!(client.handed_in(), Some(Ok(HandedIn::Taken { offered: 100, taken: 100 }))));
    let found = FOUND.lock().unwrap();
    assert!(found.len() > 1);
    assert!(found.iter().flatten().copied().eq(0..100));
}

#[test]
fn a_client_of_a_vault_that_asks_for_none_keeps_none() {
    let mut server =
        Server::start([(|peer: &mut Peer| peer.answer(|_| {})) as Script, |peer| peer.answer(|_| {})]);
    let mut client = server.client();
    client.sign(4, EVM, &PAYLOAD).unwrap();
    client.sign(4, EVM, &PAYLOAD).unwrap();
    assert_eq!(client.records().count(), 0);
    assert!(client.handed_in().is_none());
    drop(client);
    server.join();
}
