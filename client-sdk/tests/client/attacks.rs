//! Somebody between the client and the vault swaps, changes, repeats, drops and makes up frames. The client gets a typed
//! error or the vault's own answer to what it asked, and never anything else.

use crate::relay::{Passing, Relay, Tamper, Way};
use crate::server::*;
use client_sdk::{Client, Config, Denial, Distrust, Fault, Lost, Pin, SessionError, SignError, Signed};
use session::{Initiator, Responder};
use session_dev::throw_away_key;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use wire::frame::FrameFault;
use wire::reply::Reply;
use wire::request::Request;
use wire::session::{
    Channel, Claims, HANDSHAKE1_SIZE_MAX, read_attestation, read_hello, write_attestation, write_denied,
    write_hello,
};

use Way::{ToClient, ToVault};

/// Kinds of frames at their turns.
const HELLO: usize = 0;
const HANDSHAKE: usize = 1;
const FIRST: usize = 2;
const SECOND: usize = 3;

/// A vault, and somebody before it.
struct World {
    vault: Server,
    relay: Relay,
    /// What the vault was asked to sign.
    asked: Receiver<Vec<u8>>,
}

impl World {
    fn new(tamper: impl Tamper + 'static) -> Self {
        let (vault, asked) = Server::start_and_listen([Peer::serve as Script; 16]);
        let relay = Relay::start(&vault.path, tamper);
        Self { vault, relay, asked }
    }

    fn connect(&self, config: Config) -> Result<Client, SignError> {
        Client::connect(self.relay.address(), config)
    }

    fn client(&self) -> Client {
        self.connect(impatient()).unwrap()
    }

    fn asked(&self) -> usize {
        self.asked.try_iter().count()
    }
}

/// What a client hears that only connects.
fn connect_against(tamper: impl Tamper + 'static) -> SignError {
    let world = World::new(tamper);
    let error = world.connect(impatient()).unwrap_err();
    assert_eq!(world.asked(), 0, "something was asked of a vault that nobody knows");
    error
}

/// What a client hears whose first exchange in the session is tampered with.
fn sign_against(tamper: impl Tamper + 'static) -> SignError {
    World::new(tamper).client().sign(4, EVM, &PAYLOAD).unwrap_err()
}

/// The vault's own signature, and of this payload.
fn assert_genuine(signed: &Signed, payload: &[u8]) {
    assert_eq!(signed.signature.secp256k1().unwrap()[..32], label(payload));
    assert_eq!(signed.digest, label(payload));
}

fn assert_broken(error: &SignError, expected: Fault) {
    assert!(
        matches!(error, SignError::SessionBroken { request_id: Some(_), fault } if *fault == expected),
        "{error:?}"
    );
    assert!(error.is_outcome_unknown() && !error.is_retryable());
}

/// A relay that answers hellos with a document of its own, which everybody's root vouches for.
fn with_claims(change: fn(&mut Claims)) -> impl Tamper + 'static {
    let mut challenge = [0; 32];
    move |passing| {
        if passing.is(ToVault, HELLO) {
            challenge = read_hello(&passing.frame).unwrap();
        }
        if !passing.is(ToClient, HELLO) {
            return passing.on();
        }
        let mut claims = Claims { challenge, ..claims(BOOT_ID) };
        change(&mut claims);
        vec![attestation(&document(&claims))]
    }
}

fn attestation(document: &[u8]) -> Vec<u8> {
    let mut body = vec![0; document.len() + 2];
    write_attestation(document, &mut body).unwrap();
    body
}

#[test]
fn a_document_of_another_book_time_or_hello_is_distrusted_by_name() {
    let distrust = |change| {
        let error = connect_against(with_claims(change));
        let SignError::Distrusted(distrust) = error else { panic!("{error:?}") };
        distrust
    };
    assert_eq!(
        distrust(|claims| claims.policy_hash = [1; 32]),
        Distrust::PolicyUnexpected { found: [1; 32] }
    );
    assert_eq!(distrust(|claims| claims.challenge = [1; 32]), Distrust::NonceUnexpected);
    assert_eq!(distrust(|claims| claims.session_key = [0xff; 32]), Distrust::SessionKeyUnexpected);
    assert!(matches!(distrust(|claims| claims.wall_ms -= 61_000), Distrust::Stale { .. }));
    assert!(matches!(distrust(|claims| claims.wall_ms += 60_000), Distrust::FromTheFuture { .. }));
}

#[test]
fn a_document_that_answered_an_earlier_hello_is_distrusted() {
    let mut first = None;
    let world = World::new(move |passing| {
        if !passing.is(ToClient, HELLO) {
            return passing.on();
        }
        vec![first.get_or_insert(passing.frame).clone()]
    });
    let client = world.client();
    drop(client);
    let error = world.connect(impatient()).unwrap_err();
    assert!(matches!(error, SignError::Distrusted(Distrust::NonceUnexpected)), "{error:?}");
}

#[test]
fn a_hello_with_another_nonce_gives_a_document_that_is_distrusted() {
    let error = connect_against(|passing| {
        if passing.is(ToVault, HELLO) { vec![write_hello(&[1; 32]).to_vec()] } else { passing.on() }
    });
    assert!(matches!(error, SignError::Distrusted(Distrust::NonceUnexpected)), "{error:?}");
}

#[test]
fn a_document_changed_or_cut_anywhere_is_distrusted() {
    for at in (2..252).step_by(25) {
        let error = connect_against(move |mut passing| {
            if passing.is(ToClient, HELLO) {
                passing.frame[at] ^= 1;
            }
            passing.on()
        });
        let expected =
            matches!(error, SignError::Distrusted(Distrust::RootUnknown | Distrust::DocumentMalformed));
        assert!(expected, "{at}: {error:?}");
    }
    for size in [2, 3, 100, 251] {
        let error = connect_against(move |mut passing| {
            if passing.is(ToClient, HELLO) {
                passing.frame.truncate(size);
            }
            passing.on()
        });
        let expected = matches!(
            error,
            SignError::Distrusted(Distrust::DocumentMalformed)
                | SignError::SessionBroken {
                    request_id: None,
                    fault: Fault::Frame(FrameFault::TooShort { .. })
                }
        );
        assert!(expected, "{size}: {error:?}");
    }
}

#[test]
fn a_vault_with_another_session_key_is_distrusted_by_whoever_pins_it_and_cannot_pass_on_handshakes() {
    // With everybody's root anyone can attest to a key of their own; what it cannot do is use the vault's.
    let mallory =
        |claims: &mut Claims| claims.session_key = *throw_away_key("mallory").public_key().as_bytes();
    let world = World::new(with_claims(mallory));
    let pin =
        Pin { session_key: Some(throw_away_key("vault").public_key()), ..Pin::new(POLICY_HASH, 60_000) };
    let error = world.connect(Config { pin, ..impatient() }).unwrap_err();
    assert!(matches!(error, SignError::Distrusted(Distrust::SessionKeyUnexpected)), "{error:?}");
    let error = world.connect(impatient()).unwrap_err();
    assert_eq!(error.denial(), Some(Denial::HandshakeNotAuthentic), "{error:?}");
    assert_eq!(world.asked(), 0);
}

#[test]
fn a_handshake_of_somebody_elses_key_opens_no_session_for_the_client() {
    let mut pinned = None;
    let error = connect_against(move |passing| {
        if passing.is(ToClient, HELLO) {
            let document = read_attestation(&passing.frame).unwrap();
            let pin = Pin::new(POLICY_HASH, 60_000);
            pinned = Some(pin.check(&client_sdk::DevelopmentRoot, document, now_ms()).unwrap());
        }
        if !passing.is(ToVault, HANDSHAKE) {
            return passing.on();
        }
        let mut message = [0; HANDSHAKE1_SIZE_MAX];
        let (key, enclave) = (throw_away_key("mallory"), pinned.unwrap());
        let (_, size) =
            Initiator::start(&key, &enclave, Channel::Bots, None, entropy(), &mut message).unwrap();
        vec![message[..size].to_vec()]
    });
    let fault = Fault::NotAuthentic;
    assert!(
        matches!(error, SignError::SessionBroken { request_id: None, fault: found } if found == fault),
        "{error:?}"
    );
}

#[test]
fn a_handshake_answered_by_whoever_has_not_the_vaults_key_opens_no_session() {
    let error = connect_against(|passing| {
        if !passing.is(ToVault, HANDSHAKE) {
            return passing.on();
        }
        let key = throw_away_key("mallory");
        let responder = Responder::new(&key, Channel::Bots, &BOOT_ID, &POLICY_HASH);
        assert_eq!(responder.read(&passing.frame, entropy()).err(), Some(Fault::NotAuthentic));
        let mut forged = passing.frame;
        forged[10] ^= 1;
        vec![forged]
    });
    assert_eq!(error.denial(), Some(Denial::HandshakeNotAuthentic), "{error:?}");
}

#[test]
fn a_sealed_reply_changed_or_cut_anywhere_breaks_the_session() {
    for at in (2..300).step_by(27) {
        let error = sign_against(move |mut passing| {
            if passing.is(ToClient, FIRST) {
                passing.frame[at] ^= 0x10;
            }
            passing.on()
        });
        assert_broken(&error, Fault::NotAuthentic);
    }
    for size in [20, 100, 300] {
        let error = sign_against(move |mut passing| {
            if passing.is(ToClient, FIRST) {
                passing.frame.truncate(size);
            }
            passing.on()
        });
        assert_broken(&error, Fault::NotAuthentic);
    }
    let error = sign_against(|mut passing| {
        if passing.is(ToClient, FIRST) {
            passing.frame.truncate(10);
        }
        passing.on()
    });
    assert_broken(&error, Fault::TooShort { size: 10, size_min: 20 });
}

#[test]
fn a_sealed_request_that_is_changed_is_not_read_and_the_next_session_asks_again() {
    let world = World::new(|mut passing| {
        if passing.connection == 0 && passing.is(ToVault, FIRST) {
            passing.frame[30] ^= 1;
        }
        passing.on()
    });
    assert_genuine(&world.client().sign(4, EVM, &PAYLOAD).unwrap(), &PAYLOAD);
    assert_eq!(world.asked(), 1);
}

#[test]
fn a_reply_that_is_given_again_answers_nothing_else() {
    let mut first = Vec::new();
    let world = World::new(move |passing| {
        if passing.is(ToClient, FIRST) {
            first.clone_from(&passing.frame);
        }
        if passing.is(ToClient, SECOND) { vec![first.clone()] } else { passing.on() }
    });
    let mut client = world.client();
    assert_genuine(&client.sign(4, EVM, &PAYLOAD).unwrap(), &PAYLOAD);
    // Even the same payload: it is not the next frame.
    assert_broken(&client.sign(4, EVM, &PAYLOAD).unwrap_err(), Fault::NotAuthentic);
}

#[test]
fn replies_in_another_order_answer_nothing() {
    let mut kept = Vec::new();
    let world = World::new(move |passing| {
        match (passing.way, passing.turn) {
            // The heartbeat's answer is kept back and comes behind that of the request.
            (ToClient, SECOND) => vec![passing.frame, std::mem::take(&mut kept)],
            (ToClient, FIRST) => {
                kept.clone_from(&passing.frame);
                passing.on()
            }
            _ => passing.on(),
        }
    });
    let mut client = world.client();
    client.heartbeat().unwrap();
    assert_genuine(&client.sign(4, EVM, &PAYLOAD).unwrap(), &PAYLOAD);
    // What came behind the reply is taken for the next one, and is not.
    assert_broken(&client.sign(4, EVM, &OTHER_PAYLOAD).unwrap_err(), Fault::NotAuthentic);
}

#[test]
fn a_request_that_is_sent_twice_is_read_once() {
    let world = World::new(|passing| {
        if passing.connection == 0 && passing.is(ToVault, FIRST) {
            return vec![passing.frame.clone(), passing.frame];
        }
        passing.on()
    });
    let mut client = world.client();
    assert_genuine(&client.sign(4, EVM, &PAYLOAD).unwrap(), &PAYLOAD);
    // The vault has closed; the next request opens another session.
    assert_genuine(&client.sign(4, EVM, &OTHER_PAYLOAD).unwrap(), &OTHER_PAYLOAD);
    let asked: Vec<_> = world.asked.try_iter().collect();
    let payload = |at: usize| Request::parse(&asked[at]).unwrap().payload.to_vec();
    assert_eq!((asked.len(), payload(0), payload(1)), (2, PAYLOAD.to_vec(), OTHER_PAYLOAD.to_vec()));
}

#[test]
fn a_request_kept_back_from_an_older_session_does_not_open_in_a_newer_one() {
    let mut kept = Vec::new();
    let world = World::new(move |passing| match (passing.connection, passing.way, passing.turn) {
        (0, ToVault, FIRST) => {
            kept = passing.frame;
            Vec::new()
        }
        (1, ToVault, FIRST) => vec![std::mem::take(&mut kept)],
        _ => passing.on(),
    });
    let config = Config { request_timeout: Duration::from_millis(300), ..impatient() };
    let mut client = world.connect(config).unwrap();
    let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
    assert!(matches!(error, SignError::OutcomeUnknown { cause: Lost::Session(_), .. }), "{error:?}");
    assert_genuine(&client.sign(4, EVM, &OTHER_PAYLOAD).unwrap(), &OTHER_PAYLOAD);
    let asked: Vec<_> = world.asked.try_iter().collect();
    assert_eq!(asked.len(), 1, "the request that was kept back was read");
    assert_eq!(Request::parse(&asked[0]).unwrap().payload, OTHER_PAYLOAD);
}

#[test]
fn the_reply_of_one_session_answers_nothing_in_another() {
    let (tell, told) = channel();
    let world = World::new(move |passing| {
        if passing.is(ToClient, FIRST) {
            tell.send(passing.frame.clone()).unwrap();
        }
        passing.on()
    });
    assert_genuine(&world.client().sign(4, EVM, &PAYLOAD).unwrap(), &PAYLOAD);
    // The same client, key, payload and place in the sequence, in a session of its own.
    let other = Relay::start(&world.vault.path, move |passing| {
        if passing.is(ToClient, FIRST) { vec![told.recv().unwrap()] } else { passing.on() }
    });
    let mut client = Client::connect(other.address(), impatient()).unwrap();
    assert_broken(&client.sign(4, EVM, &PAYLOAD).unwrap_err(), Fault::NotAuthentic);
}

#[test]
fn a_reply_that_is_not_sealed_is_none() {
    let error = sign_against(|passing| {
        if !passing.is(ToClient, FIRST) {
            return passing.on();
        }
        let mut body = [0; wire::REPLY_SIZE_MAX];
        let reply = Reply { code: 0, request_id: 1, signature: &[7; 65], receipt: &[1; 200], canonical: &[] };
        let size = reply.write(&mut body).unwrap();
        vec![body[..size].to_vec()]
    });
    assert_broken(&error, Fault::Frame(FrameFault::Kind(0x02)));
}

#[test]
fn a_denial_that_somebody_makes_up_is_told_and_ends_at_most_the_session() {
    for turn in [HELLO, HANDSHAKE] {
        let error = connect_against(move |passing| {
            if passing.is(ToClient, turn) {
                return vec![write_denied(Denial::ClientNotKnown).to_vec()];
            }
            passing.on()
        });
        assert_eq!(error.denial(), Some(Denial::ClientNotKnown), "{error:?}");
        assert!(!error.is_retryable() && !error.is_outcome_unknown());
    }
    let error = sign_against(|passing| {
        if passing.is(ToClient, FIRST) {
            return vec![write_denied(Denial::SessionRequired).to_vec()];
        }
        passing.on()
    });
    assert_broken(&error, Fault::Frame(FrameFault::Kind(0x25)));
}

#[test]
fn a_denial_or_another_vault_instead_of_the_answer_leaves_the_outcome_unknown() {
    let deny = |_: Passing| vec![write_denied(Denial::ClientCut).to_vec()];
    let distrusted = with_claims(|claims| claims.policy_hash = [1; 32]);
    let tampers: [Box<dyn Tamper>; 2] = [Box::new(deny), Box::new(distrusted)];
    for mut tamper in tampers {
        let world = World::new(move |passing| match (passing.connection, passing.way, passing.turn) {
            (0, ToClient, FIRST) => Vec::new(),
            (0, ..) => passing.on(),
            (_, ToVault, _) if passing.turn != HELLO => passing.on(),
            (_, ToVault, _) => {
                let frame = passing.frame.clone();
                tamper(Passing { way: ToVault, ..passing });
                vec![frame]
            }
            _ => tamper(passing),
        });
        let mut client = world.client();
        let error = client.sign(4, EVM, &PAYLOAD).unwrap_err();
        let SignError::OutcomeUnknown { cause: Lost::Session(cause), .. } = &error else {
            panic!("{error:?}")
        };
        let expected = matches!(cause, SessionError::Distrust(_) | SessionError::Denied { .. });
        assert!(expected, "{cause:?}");
        assert_eq!(world.asked(), 1);
    }
}

#[test]
fn a_connection_that_is_cut_at_any_frame_gives_the_genuine_answer_or_an_error() {
    for way in [ToVault, ToClient] {
        for turn in [HELLO, HANDSHAKE, FIRST, SECOND] {
            let world = World::new(move |passing| {
                if passing.connection < 2 && passing.is(way, turn) {
                    // Half of a frame towards the vault, nothing towards the client.
                    return if way == ToVault { vec![vec![1]] } else { Vec::new() };
                }
                passing.on()
            });
            let mut client = world.client();
            for payload in [PAYLOAD, OTHER_PAYLOAD] {
                assert_genuine(&client.sign(4, EVM, &payload).unwrap(), &payload);
            }
        }
    }
}
