//! What must hold of any action, not only of those the SDKs made.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use venues::Payload as _;
use venues::hyperliquid::{Claims, Envelope, Form};
use wire::Refusal;

use crate::grammar::Tree::{Object, Text};
use crate::grammar::{Tree, any_action, envelope, foreign, l1_action, user_action};
use crate::vectors::{payload, with_payload};

fn digest(form: Form, envelope: &Envelope, action: &[u8]) -> Result<[u8; 32], Refusal> {
    with_payload(form, &payload(envelope, &Claims::default(), action), |action| {
        action.map(|action| action.label()).map_err(|why| why.refusal)
    })
}

/// Moves members about, as `order` says.
fn shuffle(members: &mut Vec<(&'static str, Tree)>, order: &[Index]) {
    for (at, index) in order.iter().enumerate().take(members.len()) {
        let other = index.index(members.len());
        members.swap(at, other);
    }
}

proptest! {
    #[test]
    fn json_becomes_the_msgpack_of_the_specification_and_decodes_to_itself(
        envelope in envelope(),
        tree in l1_action(),
    ) {
        let msgpack = tree.msgpack();
        let from_json = payload(&envelope, &Claims::default(), tree.json().as_bytes());
        with_payload(Form::L1Json, &from_json, |action| {
            let action = action.unwrap();
            prop_assert_eq!(action.canonical(), msgpack.as_slice());
            Ok(())
        })?;
        let from_msgpack = payload(&envelope, &Claims::default(), &msgpack);
        with_payload(Form::L1Msgpack, &from_msgpack, |action| {
            let action = action.unwrap();
            prop_assert_eq!(action.canonical(), msgpack.as_slice());
            Ok(())
        })?;
    }

    #[test]
    fn members_in_any_order_and_any_white_space_give_the_same_digest(
        envelope in envelope(),
        tree in l1_action(),
        order in vec(any::<Index>(), 10),
        space in "[ \t\r\n]{0,3}",
    ) {
        let text = tree.json_with(&space, &mut |members| shuffle(members, &order));
        let wanted = digest(Form::L1Msgpack, &envelope, &tree.msgpack());
        prop_assert!(wanted.is_ok());
        prop_assert_eq!(digest(Form::L1Json, &envelope, text.as_bytes()), wanted);
    }

    #[test]
    fn a_user_signed_actions_members_may_stand_in_any_order(
        (envelope, tree) in user_action(),
        order in vec(any::<Index>(), 10),
        space in "[ \t\r\n]{0,3}",
    ) {
        let text = tree.json_with(&space, &mut |members| shuffle(members, &order));
        let wanted = digest(Form::UserJson, &envelope, tree.json().as_bytes());
        prop_assert!(wanted.is_ok(), "{wanted:?}");
        prop_assert_eq!(digest(Form::UserJson, &envelope, text.as_bytes()), wanted);
    }

    #[test]
    fn one_changed_byte_of_an_accepted_payload_changes_the_digest_or_is_refused(
        envelope in envelope(),
        tree in l1_action(),
        at in any::<Index>(),
        change in 1..=u8::MAX,
    ) {
        let mut bytes = payload(&envelope, &Claims::default(), &tree.msgpack());
        let decoded = |bytes: &[u8]| with_payload(Form::L1Msgpack, bytes, |action| action.map(|action| action.label()));
        let before = decoded(&bytes).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        prop_assert_ne!(decoded(&bytes), Ok(before));
    }

    #[test]
    fn a_payload_cut_anywhere_or_followed_by_a_byte_is_refused(
        envelope in envelope(),
        tree in l1_action(),
        at in any::<Index>(),
        extra in any::<u8>(),
    ) {
        for (form, action) in [(Form::L1Msgpack, tree.msgpack()), (Form::L1Json, tree.json().into_bytes())] {
            let bytes = payload(&envelope, &Claims::default(), &action);
            let cut = &bytes[..at.index(bytes.len())];
            prop_assert!(with_payload(form, cut, |action| action.is_err()));
            if form == Form::L1Msgpack || !extra.is_ascii_whitespace() {
                let longer = [&bytes[..], &[extra]].concat();
                prop_assert!(with_payload(form, &longer, |action| action.is_err()));
            }
        }
    }

    #[test]
    fn a_value_of_a_foreign_type_in_any_member_of_any_object_is_refused(
        (form, envelope, tree) in any_action(),
        which in any::<Index>(),
        member in any::<Index>(),
        kind in any::<usize>(),
        order in vec(any::<Index>(), 10),
    ) {
        let which = which.index(tree.objects());
        let mut object = 0;
        let mut replaced = None;
        let text = tree.json_with("", &mut |members| {
            if object == which {
                let at = member.index(members.len());
                let (name, value) = &mut members[at];
                if let Some(text) = foreign(name, value, kind) {
                    // Told apart from every text of an action, and put in the place of its quotes afterwards.
                    *value = Text("FOREIGN".to_owned());
                    replaced = Some(text);
                }
                shuffle(members, &order);
            }
            object += 1;
        });
        let Some(replacement) = replaced else {
            return Ok(());
        };
        let text = text.replacen("\"FOREIGN\"", &replacement, 1);
        prop_assert!(digest(form, &envelope, text.as_bytes()).is_err(), "{}", text);
    }

    #[test]
    fn a_repeated_unknown_or_missing_member_of_any_object_is_refused(
        (form, envelope, tree) in any_action(),
        which in any::<Index>(),
        member in any::<Index>(),
        order in vec(any::<Index>(), 11),
        fault in 0..3,
    ) {
        let which = which.index(tree.objects());
        let mut object = 0;
        let mut is_optional = false;
        let text = tree.json_with("", &mut |members| {
            if object == which {
                let (name, value) = members[member.index(members.len())].clone();
                match fault {
                    0 => members.push((name, value)),
                    1 => members.push(("z", value)),
                    _ => {
                        is_optional = matches!(name, "c" | "agentName")
                            || (name == "builder" && matches!(value, Object(_)))
                            || (name == "f" && value.json() == "true")
                            || (name == "time" && form == Form::L1Json);
                        members.retain(|(other, _)| *other != name);
                    }
                }
                shuffle(members, &order);
            }
            object += 1;
        });
        let refusal = digest(form, &envelope, text.as_bytes());
        match fault {
            0 => prop_assert_eq!(refusal, Err(Refusal::JsonMemberRepeated), "{}", text),
            1 => prop_assert_eq!(refusal, Err(Refusal::FieldNotKnown), "{}", text),
            _ if is_optional => prop_assert!(refusal.is_ok(), "{}", text),
            _ => prop_assert_eq!(refusal, Err(Refusal::FieldMissing), "{}", text),
        }
    }

    #[test]
    fn no_bytes_at_all_make_the_decoder_panic(bytes in vec(any::<u8>(), 0..300)) {
        for form in [Form::L1Msgpack, Form::L1Json, Form::UserJson] {
            with_payload(form, &bytes, |action| {
                prop_assert!(action.is_err());
                Ok(())
            })?;
        }
    }
}
