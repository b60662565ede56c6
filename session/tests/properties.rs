//! Properties over many bodies, orders and edits.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

mod pair;

use pair::{connect, open, seal};
use proptest::prelude::*;
use session::Fault;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_was_sealed_opens_as_it_was(bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 2..3_000), 1..8)) {
        let (mut client, mut vault) = connect(1);
        for body in bodies {
            let up = seal(&mut client, &body);
            prop_assert_eq!(open(&mut vault, &up), Ok(body.clone()));
            let down = seal(&mut vault, &body);
            prop_assert_eq!(open(&mut client, &down), Ok(body));
        }
    }

    #[test]
    fn a_flipped_bit_anywhere_ends_the_session(
        body in prop::collection::vec(any::<u8>(), 2..600),
        place in any::<prop::sample::Index>(),
        sealed_by_vault in any::<bool>(),
    ) {
        let (mut client, mut vault) = connect(1);
        let (from, to) = if sealed_by_vault { (&mut vault, &mut client) } else { (&mut client, &mut vault) };
        let mut frame = seal(from, &body);
        let bit = place.index(frame.len() * 8);
        frame[bit / 8] ^= 1 << (bit % 8);
        let fault = open(to, &frame).unwrap_err();
        prop_assert!(matches!(fault, Fault::NotAuthentic | Fault::Frame(_)), "{:?}", fault);
    }

    #[test]
    fn bytes_that_were_not_sealed_do_not_open(frame in prop::collection::vec(any::<u8>(), 0..200)) {
        let (_, mut vault) = connect(1);
        prop_assert!(open(&mut vault, &frame).is_err());
        let (_, mut vault) = connect(1);
        let like_sealed = [&[1, 0x24][..], &frame].concat();
        prop_assert!(open(&mut vault, &like_sealed).is_err());
    }

    #[test]
    fn bytes_that_are_no_handshake_make_no_session(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let like_first = [&[1, 0x22][..], &bytes].concat();
        prop_assert!(pair::read(wire::session::Channel::Bots, &like_first, 2).is_err());
        let (initiator, _) = pair::hello(&pair::pinned(&pair::claims()), wire::session::Channel::Bots, 1);
        let like_second = [&[1, 0x23][..], &bytes].concat();
        prop_assert!(initiator.finish(&like_second).is_err());
    }

    /// Of two sessions' frames in any order only those open that are next in their own session; the first other
    /// one ends it. `None` stands for the one that is next.
    #[test]
    fn a_mix_of_two_sessions_opens_what_is_next_and_nothing_else(
        deliveries in prop::collection::vec(prop::option::weighted(0.3, (0..2_usize, 0..6_usize)), 6),
    ) {
        let ((mut client_a, mut vault), (mut client_b, _)) = (connect(1), connect(2));
        let frames: [Vec<_>; 2] = [&mut client_a, &mut client_b]
            .map(|client| (0..6_u8).map(|at| seal(client, &[at, at])).collect());
        for (next, delivery) in deliveries.into_iter().enumerate() {
            let (session, at) = delivery.unwrap_or((0, next));
            let mut body = [0; 64];
            let found = vault.open(&frames[session][at], &mut body);
            if (session, at) != (0, next) {
                prop_assert_eq!(found, Err(Fault::NotAuthentic));
                prop_assert_eq!(body, [0; 64]);
                prop_assert!(vault.is_closed());
                break;
            }
            prop_assert_eq!((found, usize::from(body[0])), (Ok(2), at));
        }
    }
}
