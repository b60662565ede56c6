//! What must hold of any action, not only of those the SDKs made.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use venues::Payload as _;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{Claims, Envelope, Form};
use wire::Refusal;

use crate::vectors::{payload, with_payload};

/// JSON with its members in an order of their own.
#[derive(Clone, Debug)]
enum Tree {
    Object(Vec<(&'static str, Tree)>),
    Array(Vec<Tree>),
    Text(String),
    Uint(u64),
    Flag(bool),
}

use Tree::{Array, Flag, Object, Text, Uint};

impl Tree {
    /// Compact JSON text.
    fn json(&self) -> String {
        self.json_with("", &mut |_| {})
    }

    /// JSON text with `space` wherever the grammar lets it, after `arrange` has had each object's members.
    fn json_with(&self, space: &str, arrange: &mut impl FnMut(&mut Vec<(&'static str, Tree)>)) -> String {
        let inner = match self {
            Object(members) => {
                let mut members = members.clone();
                arrange(&mut members);
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| {
                        format!("{space}\"{name}\"{space}:{}", value.json_with(space, arrange))
                    })
                    .collect();
                format!("{{{}{space}}}", members.join(","))
            }
            Array(elements) => {
                let elements: Vec<String> =
                    elements.iter().map(|element| element.json_with(space, arrange)).collect();
                format!("[{}]", elements.join(","))
            }
            Text(text) => format!("\"{text}\""),
            Uint(value) => value.to_string(),
            Flag(value) => value.to_string(),
        };
        format!("{space}{inner}{space}")
    }

    /// MessagePack by the specification's shortest forms; written for the tests and nothing else.
    fn msgpack(&self) -> Vec<u8> {
        fn head(fix: u8, fix_max: usize, wide: &[(u8, usize)], len: usize) -> Vec<u8> {
            if len <= fix_max {
                return vec![fix | u8::try_from(len).unwrap()];
            }
            let (tag, size) = wide.iter().find(|(_, size)| len < 1 << (8 * size)).unwrap();
            [&[*tag], &len.to_be_bytes()[8 - size..]].concat()
        }
        match self {
            Object(members) => {
                let mut out = head(0x80, 15, &[(0xde, 2)], members.len());
                for (name, value) in members {
                    out.extend(Text((*name).to_owned()).msgpack());
                    out.extend(value.msgpack());
                }
                out
            }
            Array(elements) => {
                let mut out = head(0x90, 15, &[(0xdc, 2)], elements.len());
                out.extend(elements.iter().flat_map(Tree::msgpack));
                out
            }
            Text(text) => {
                let mut out = head(0xa0, 31, &[(0xd9, 1), (0xda, 2)], text.len());
                out.extend(text.as_bytes());
                out
            }
            Uint(value @ 0..=0x7f) => vec![u8::try_from(*value).unwrap()],
            Uint(value) => {
                let size = [1_usize, 2, 4, 8]
                    .into_iter()
                    .find(|size| *size == 8 || value >> (8 * size) == 0)
                    .unwrap();
                [&[0xcc + u8::try_from(size.ilog2()).unwrap()], &value.to_be_bytes()[8 - size..]].concat()
            }
            Flag(value) => vec![0xc2 + u8::from(*value)],
        }
    }

    /// How many objects there are, this one included.
    fn objects(&self) -> usize {
        match self {
            Object(members) => 1 + members.iter().map(|(_, value)| value.objects()).sum::<usize>(),
            Array(elements) => elements.iter().map(Tree::objects).sum(),
            Text(_) | Uint(_) | Flag(_) => 0,
        }
    }
}

fn decimal() -> impl Strategy<Value = String> {
    (1_u32..=99_999, -4_i32..=8).prop_map(|(figures, decimals)| {
        let text = if decimals <= 0 {
            format!("{figures}{}", "0".repeat(usize::try_from(-decimals).unwrap()))
        } else {
            let digits = format!("{figures:0>width$}", width = usize::try_from(decimals).unwrap() + 1);
            let (integer, fraction) = digits.split_at(digits.len() - usize::try_from(decimals).unwrap());
            format!("{integer}.{fraction}").trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        assert!(!text.is_empty());
        text
    })
}

fn uint() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0_u32..64).prop_map(|(value, shift)| value >> shift)
}

fn asset() -> impl Strategy<Value = Tree> {
    (any::<u32>(), 0_u32..32).prop_map(|(value, shift)| Uint(u64::from(value >> shift)))
}

fn cloid() -> impl Strategy<Value = Tree> {
    (1_u128..).prop_map(|id| Text(format!("0x{id:032x}")))
}

fn order() -> impl Strategy<Value = Tree> {
    let limit = select(vec!["Alo", "Ioc", "Gtc", "FrontendMarket"])
        .prop_map(|tif| Object(vec![("limit", Object(vec![("tif", Text(tif.to_owned()))]))]));
    let trigger =
        (any::<bool>(), decimal(), select(vec!["tp", "sl"])).prop_map(|(is_market, price, tpsl)| {
            let trigger = vec![
                ("isMarket", Flag(is_market)),
                ("triggerPx", Text(price)),
                ("tpsl", Text(tpsl.to_owned())),
            ];
            Object(vec![("trigger", Object(trigger))])
        });
    let kind = prop_oneof![limit, trigger];
    (asset(), any::<bool>(), decimal(), decimal(), any::<bool>(), kind, proptest::option::of(cloid()))
        .prop_map(|(asset, is_buy, price, size, reduce_only, kind, cloid)| {
            let mut order = vec![
                ("a", asset),
                ("b", Flag(is_buy)),
                ("p", Text(price)),
                ("s", Text(size)),
                ("r", Flag(reduce_only)),
                ("t", kind),
            ];
            order.extend(cloid.map(|cloid| ("c", cloid)));
            Object(order)
        })
}

fn order_action() -> impl Strategy<Value = Tree> {
    let grouping = prop_oneof![
        select(vec!["na", "normalTpsl", "positionTpsl"]).prop_map(|word| Text(word.to_owned())),
        (0..=80_000_u64).prop_map(|rate| Object(vec![("p", Uint(rate))])),
    ];
    let builder = proptest::option::of((any::<[u8; 20]>(), 0..=100_u64).prop_map(|(address, fee)| {
        let digits: String = address.iter().map(|byte| format!("{byte:02x}")).collect();
        Object(vec![("b", Text(format!("0x{digits}"))), ("f", Uint(fee))])
    }));
    (vec(order(), 1..20), grouping, builder).prop_map(|(orders, grouping, builder)| {
        let mut action =
            vec![("type", Text("order".to_owned())), ("orders", Array(orders)), ("grouping", grouping)];
        action.extend(builder.map(|builder| ("builder", builder)));
        Object(action)
    })
}

fn cancel_action() -> impl Strategy<Value = Tree> {
    let by_oid = (vec((asset(), uint()), 1..40)).prop_map(|cancels| {
        let cancels = cancels.into_iter().map(|(asset, oid)| Object(vec![("a", asset), ("o", Uint(oid))]));
        ("cancel", cancels.collect())
    });
    let by_cloid = vec((asset(), cloid()), 1..20).prop_map(|cancels| {
        let cancels =
            cancels.into_iter().map(|(asset, cloid)| Object(vec![("asset", asset), ("cloid", cloid)]));
        ("cancelByCloid", cancels.collect())
    });
    (prop_oneof![by_oid, by_cloid], any::<bool>()).prop_map(|((kind, cancels), fast): ((_, Vec<Tree>), _)| {
        let mut action = vec![("type", Text(str::to_owned(kind))), ("cancels", Array(cancels))];
        action.extend(fast.then_some(("f", Flag(true))));
        Object(action)
    })
}

fn l1_action() -> impl Strategy<Value = Tree> {
    let leverage =
        (asset(), any::<bool>(), 1..=u64::from(u32::MAX)).prop_map(|(asset, is_cross, leverage)| {
            Object(vec![
                ("type", Text("updateLeverage".to_owned())),
                ("asset", asset),
                ("isCross", Flag(is_cross)),
                ("leverage", Uint(leverage)),
            ])
        });
    prop_oneof![3 => order_action(), 2 => cancel_action(), 1 => leverage]
}

fn envelope() -> impl Strategy<Value = Envelope> {
    let network = select(vec![Network::Mainnet, Network::Testnet]);
    (network, any::<u64>(), any::<Option<[u8; 20]>>(), any::<Option<u64>>()).prop_map(
        |(network, nonce, vault_address, expires_after)| Envelope {
            network,
            nonce,
            vault_address,
            expires_after,
        },
    )
}

fn user_action() -> impl Strategy<Value = (Envelope, Tree)> {
    let kind = select(vec!["usdSend", "spotSend", "withdraw3"]);
    let destination = "0x[0-9a-fA-F]{40}";
    let network = select(vec![(Network::Mainnet, "Mainnet"), (Network::Testnet, "Testnet")]);
    (kind, 1..=u64::MAX, network, destination, "[A-Z]{1,6}:0x[0-9a-f]{32}", decimal(), any::<u64>()).prop_map(
        |(kind, chain, (network, name), destination, token, amount, nonce)| {
            let mut action = vec![
                ("type", Text(kind.to_owned())),
                ("signatureChainId", Text(format!("{chain:#x}"))),
                ("hyperliquidChain", Text(name.to_owned())),
                ("destination", Text(destination)),
            ];
            if kind == "spotSend" {
                action.push(("token", Text(token)));
            }
            action.extend([("amount", Text(amount)), ("time", Uint(nonce))]);
            (Envelope { network, nonce, vault_address: None, expires_after: None }, Object(action))
        },
    )
}

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
        order in vec(any::<Index>(), 8),
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
        order in vec(any::<Index>(), 8),
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
    fn a_repeated_unknown_or_missing_member_of_any_object_is_refused(
        envelope in envelope(),
        tree in l1_action(),
        which in any::<Index>(),
        member in any::<Index>(),
        order in vec(any::<Index>(), 9),
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
                        is_optional = matches!(name, "c" | "builder") || (name == "f" && value.json() == "true");
                        members.retain(|(other, _)| *other != name);
                    }
                }
                shuffle(members, &order);
            }
            object += 1;
        });
        let refusal = digest(Form::L1Json, &envelope, text.as_bytes());
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
