//! Handshakes that succeed and what flows after them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

mod pair;

use pair::{accept, claims, client_key, connect, entropy, hello, open, pinned, read, seal, vault_key};
use session::{Fault, Initiator};
use wire::session::{
    Channel, HANDSHAKE1_OVERHEAD, HANDSHAKE2_SIZE, REKEY_MESSAGES, SEALED_BODY_SIZE_MAX, SEALED_OVERHEAD,
    SEALED_SIZE_MAX,
};

#[test]
fn both_sides_learn_each_other_and_frames_flow_both_ways() {
    for channel in [Channel::Bots, Channel::Control] {
        let (initiator, message) = hello(&pinned(&claims()), channel, 1);
        assert_eq!(message.len(), HANDSHAKE1_OVERHEAD);
        let greeting = read(channel, &message, 2).unwrap();
        assert_eq!(greeting.client(), client_key().public_key());
        assert_eq!(greeting.certificate(), None);
        let (mut vault, answer) = accept(greeting);
        assert_eq!(answer.len(), HANDSHAKE2_SIZE);
        let (mut client, _) = initiator.finish(&answer).unwrap();
        assert_eq!(client.peer(), vault_key().public_key());
        assert_eq!(vault.peer(), client_key().public_key());
        assert_eq!(client.id(), vault.id());
        for size in [2, 3, 16, 200, 2_400, SEALED_BODY_SIZE_MAX] {
            let body: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let frame = seal(&mut client, &body);
            assert_eq!(frame.len(), size + SEALED_OVERHEAD);
            assert_eq!(open(&mut vault, &frame), Ok(body.clone()));
            assert_eq!(open(&mut client, &seal(&mut vault, &body)), Ok(body));
        }
        assert_eq!((client.counts(), vault.counts()), ((6, 6), (6, 6)));
    }
}

#[test]
fn a_session_is_confirmed_by_the_first_frame_it_opens_and_not_by_what_it_seals() {
    let (mut client, mut vault) = connect(1);
    let frame = seal(&mut client, b"body");
    seal(&mut vault, b"body");
    assert!(!client.is_confirmed() && !vault.is_confirmed());
    open(&mut vault, &frame).unwrap();
    assert!(!client.is_confirmed() && vault.is_confirmed());
}

#[test]
fn the_same_seeds_make_the_same_bytes_and_other_seeds_others() {
    let frames = |seed| {
        let (mut client, mut vault) = connect(seed);
        (*client.id(), seal(&mut client, b"body"), seal(&mut vault, b"body"))
    };
    assert_eq!(frames(1), frames(1));
    let ((id, up, down), (other_id, other_up, other_down)) = (frames(1), frames(2));
    assert!(id != other_id && up != other_up && down != other_down && up != down);
}

#[test]
fn bodies_do_not_show_in_their_frames() {
    let (mut client, _) = connect(1);
    let body = [0x5a; 64];
    let frame = seal(&mut client, &body);
    assert!(!frame.windows(4).any(|window| window == [0x5a; 4]));
    assert_ne!(frame[2..], seal(&mut client, &body)[2..]);
}

#[test]
fn keys_are_replaced_after_65536_messages_in_each_direction_on_its_own() {
    let (mut client, mut vault) = connect(1);
    let mut frame = [0; 64];
    let mut body = [0; 64];
    for message in 0..REKEY_MESSAGES + 3 {
        let sent = message.to_le_bytes();
        let size = client.seal(&sent, &mut frame).unwrap();
        assert_eq!(vault.open(&frame[..size], &mut body), Ok(8));
        assert_eq!(body[..8], sent);
        if message % 2 == 0 || message > REKEY_MESSAGES {
            let size = vault.seal(&sent, &mut frame).unwrap();
            assert_eq!(client.open(&frame[..size], &mut body), Ok(8));
        }
    }
    assert_eq!(client.counts().0, REKEY_MESSAGES + 3);
    for message in 0..REKEY_MESSAGES {
        let size = vault.seal(&message.to_le_bytes(), &mut frame).unwrap();
        assert_eq!(client.open(&frame[..size], &mut body), Ok(8));
    }
    assert!(client.counts().1 > REKEY_MESSAGES);
}

#[test]
fn a_body_outside_its_bounds_or_a_buffer_too_small_ends_the_session() {
    let mut frame = vec![0; SEALED_SIZE_MAX + 1];
    for (size, fault) in [
        (0, Fault::TooShort { size: 0, size_min: 2 }),
        (1, Fault::TooShort { size: 1, size_min: 2 }),
        (
            SEALED_BODY_SIZE_MAX + 1,
            Fault::TooLong { size: SEALED_BODY_SIZE_MAX + 1, size_max: SEALED_BODY_SIZE_MAX },
        ),
    ] {
        let (mut client, _) = connect(1);
        assert_eq!(client.seal(&vec![7; size], &mut frame), Err(fault));
        assert_eq!(client.seal(b"body", &mut frame), Err(Fault::Closed));
        assert!(client.is_closed());
    }
    let (mut client, mut vault) = connect(1);
    assert_eq!(client.seal(b"body", &mut frame[..21]), Err(Fault::BufferTooSmall { size: 21, needed: 22 }));
    let (mut client, _) = (connect(1).0, client);
    let sealed = seal(&mut client, b"body");
    assert_eq!(vault.open(&sealed, &mut [0; 3]), Err(Fault::BufferTooSmall { size: 3, needed: 4 }));
    assert_eq!(vault.open(&sealed, &mut frame), Err(Fault::Closed));
}

#[test]
fn a_handshake_message_that_does_not_fit_its_buffer_is_a_fault() {
    let needed = HANDSHAKE1_OVERHEAD;
    for size in [0, 1, 2, needed - 1] {
        let mut into = vec![0; size];
        let started =
            Initiator::start(&client_key(), &pinned(&claims()), Channel::Bots, None, entropy(1), &mut into);
        assert_eq!(started.err(), Some(Fault::BufferTooSmall { size, needed }));
    }
    let (_, message) = hello(&pinned(&claims()), Channel::Bots, 1);
    let greeting = read(Channel::Bots, &message, 2).unwrap();
    let accepted = greeting.accept(&pair::WELCOME, &mut [0; HANDSHAKE2_SIZE - 1]);
    let fault = Fault::BufferTooSmall { size: HANDSHAKE2_SIZE - 1, needed: HANDSHAKE2_SIZE };
    assert_eq!(accepted.err(), Some(fault));
}

#[test]
fn handshakes_and_sessions_may_move_to_another_thread() {
    fn moves<T: Send>() {}
    moves::<Initiator>();
    moves::<session::Responder<'static>>();
    moves::<session::Greeting>();
    moves::<session::Session>();
    moves::<session::SessionKey>();
}

#[test]
fn a_closed_session_stays_closed() {
    let (mut client, mut vault) = connect(1);
    let frame = seal(&mut client, b"body");
    vault.close();
    assert_eq!(vault.open(&frame, &mut [0; 64]), Err(Fault::Closed));
    assert_eq!(vault.seal(b"body", &mut [0; 64]), Err(Fault::Closed));
    assert_eq!(vault.counts(), (0, 0));
}
