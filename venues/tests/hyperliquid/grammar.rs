//! Actions drawn at random by their grammar, as trees that write themselves as JSON and as msgpack.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{Envelope, Form};

/// JSON with its members in an order of their own.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Object(Vec<(&'static str, Tree)>),
    Array(Vec<Tree>),
    Text(String),
    Uint(u64),
    /// Below zero.
    Negative(i64),
    Flag(bool),
    Null,
}

use Tree::{Array, Flag, Negative, Null, Object, Text, Uint};

impl Tree {
    /// Compact JSON text.
    pub(crate) fn json(&self) -> String {
        self.json_with("", &mut |_| {})
    }

    /// JSON text with `space` wherever the grammar lets it, after `arrange` has had each object's members.
    pub(crate) fn json_with(
        &self,
        space: &str,
        arrange: &mut impl FnMut(&mut Vec<(&'static str, Tree)>),
    ) -> String {
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
            Negative(value) => value.to_string(),
            Flag(value) => value.to_string(),
            Null => "null".to_owned(),
        };
        format!("{space}{inner}{space}")
    }

    /// MessagePack by the specification's shortest forms; written for the tests and nothing else.
    pub(crate) fn msgpack(&self) -> Vec<u8> {
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
            Negative(value @ -32..=-1) => value.to_be_bytes()[7..].to_vec(),
            Negative(value) => {
                let size = [1_u32, 2, 4, 8]
                    .into_iter()
                    .find(|size| *size == 8 || value >> (8 * size - 1) == -1)
                    .unwrap();
                let skip = usize::try_from(8 - size).unwrap();
                [&[0xd0 + u8::try_from(size.ilog2()).unwrap()], &value.to_be_bytes()[skip..]].concat()
            }
            Flag(value) => vec![0xc2 + u8::from(*value)],
            Null => vec![0xc0],
        }
    }

    /// How many objects there are, this one included.
    pub(crate) fn objects(&self) -> usize {
        match self {
            Object(members) => 1 + members.iter().map(|(_, value)| value.objects()).sum::<usize>(),
            Array(elements) => elements.iter().map(Tree::objects).sum(),
            Text(_) | Uint(_) | Negative(_) | Flag(_) | Null => 0,
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

pub(crate) fn l1_action() -> impl Strategy<Value = Tree> {
    let leverage =
        (asset(), any::<bool>(), 1..=u64::from(u32::MAX)).prop_map(|(asset, is_cross, leverage)| {
            Object(vec![
                ("type", Text("updateLeverage".to_owned())),
                ("asset", asset),
                ("isCross", Flag(is_cross)),
                ("leverage", Uint(leverage)),
            ])
        });
    prop_oneof![3 => order_action(), 2 => cancel_action(), 3 => modify_action(), 1 => leverage, 3 => small_action()]
}

fn action(kind: &'static str, members: Vec<(&'static str, Tree)>) -> Tree {
    Object([vec![("type", Text(kind.to_owned()))], members].concat())
}

fn address(digits: &'static str) -> impl Strategy<Value = Tree> {
    any::<[u8; 20]>().prop_map(move |bytes| {
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Text(format!("0x{}", if digits == "mixed" { text.to_uppercase() } else { text }))
    })
}

fn modify_action() -> impl Strategy<Value = Tree> {
    let modification = || {
        (prop_oneof![uint().prop_map(Uint), cloid()], order())
            .prop_map(|(oid, order)| vec![("oid", oid), ("order", order)])
    };
    prop_oneof![
        modification().prop_map(|members| action("modify", members)),
        vec(modification().prop_map(Object), 1..20)
            .prop_map(|batch| action("batchModify", vec![("modifies", Array(batch))])),
    ]
}

/// Those of a handful of members.
fn small_action() -> impl Strategy<Value = Tree> {
    let minutes = 1..=u64::from(u32::MAX);
    let twap = (asset(), any::<bool>(), decimal(), any::<bool>(), minutes, any::<bool>()).prop_map(
        |(asset, is_buy, size, reduce_only, minutes, randomize)| {
            let twap = vec![
                ("a", asset),
                ("b", Flag(is_buy)),
                ("s", Text(size)),
                ("r", Flag(reduce_only)),
                ("m", Uint(minutes)),
                ("t", Flag(randomize)),
            ];
            action("twapOrder", vec![("twap", Object(twap))])
        },
    );
    let twap_cancel =
        (asset(), uint()).prop_map(|(asset, id)| action("twapCancel", vec![("a", asset), ("t", Uint(id))]));
    let schedule = proptest::option::of(uint()).prop_map(|time| {
        action("scheduleCancel", time.map(|time| ("time", Uint(time))).into_iter().collect())
    });
    let amount = (any::<i64>(), 0_u32..64).prop_map(|(value, shift)| match value >> shift {
        value @ 0.. => Uint(value.unsigned_abs()),
        value => Negative(value),
    });
    let margin = (asset(), any::<bool>(), amount).prop_map(|(asset, is_buy, amount)| {
        action("updateIsolatedMargin", vec![("asset", asset), ("isBuy", Flag(is_buy)), ("ntli", amount)])
    });
    let vault = (address("lower"), any::<bool>(), uint()).prop_map(|(vault, is_deposit, usd)| {
        let members = vec![("vaultAddress", vault), ("isDeposit", Flag(is_deposit)), ("usd", Uint(usd))];
        action("vaultTransfer", members)
    });
    prop_oneof![twap, twap_cancel, schedule, margin, vault]
}

pub(crate) fn envelope() -> impl Strategy<Value = Envelope> {
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

/// The members of a user-signed action that are its own, its time or nonce left out.
fn user_members() -> impl Strategy<Value = (&'static str, Vec<(&'static str, Tree)>)> {
    let to = || address("mixed");
    let amount = || decimal().prop_map(Text);
    let token = || "[A-Z]{1,6}:0x[0-9a-f]{32}".prop_map(Text);
    let dex = || select(vec!["", "spot", "xyz"]).prop_map(|dex| Text(dex.to_owned()));
    let send = (select(vec!["usdSend", "withdraw3"]), to(), amount())
        .prop_map(|(kind, to, amount)| (kind, vec![("destination", to), ("amount", amount)]));
    let spot_send = (to(), token(), amount()).prop_map(|(to, token, amount)| {
        ("spotSend", vec![("destination", to), ("token", token), ("amount", amount)])
    });
    let sub_account = prop_oneof![Just(Text(String::new())), to()];
    let send_asset = (to(), dex(), dex(), token(), amount(), sub_account).prop_map(
        |(to, source, destination, token, amount, sub_account)| {
            let members = vec![
                ("destination", to),
                ("sourceDex", source),
                ("destinationDex", destination),
                ("token", token),
                ("amount", amount),
                ("fromSubAccount", sub_account),
            ];
            ("sendAsset", members)
        },
    );
    let class_transfer = (decimal(), proptest::option::of("0x[0-9a-fA-F]{40}"), any::<bool>()).prop_map(
        |(amount, sub_account, to_perp)| {
            let amount = match sub_account {
                Some(sub_account) => format!("{amount} subaccount:{sub_account}"),
                None => amount,
            };
            ("usdClassTransfer", vec![("amount", Text(amount)), ("toPerp", Flag(to_perp))])
        },
    );
    let name =
        prop_oneof![Just(None), Just(Some(Null)), "[ -!#-\\[\\]-~]{0,20}".prop_map(|name| Some(Text(name)))];
    let agent = (to(), name).prop_map(|(agent, name)| {
        let name = name.map(|name| ("agentName", name));
        ("approveAgent", [("agentAddress", agent)].into_iter().chain(name).collect())
    });
    let builder_fee = (decimal(), to()).prop_map(|(rate, builder)| {
        ("approveBuilderFee", vec![("maxFeeRate", Text(format!("{rate}%"))), ("builder", builder)])
    });
    prop_oneof![send, spot_send, send_asset, class_transfer, agent, builder_fee]
}

pub(crate) fn user_action() -> impl Strategy<Value = (Envelope, Tree)> {
    let network = select(vec![(Network::Mainnet, "Mainnet"), (Network::Testnet, "Testnet")]);
    (user_members(), 1..=u64::MAX, network, any::<u64>()).prop_map(
        |((kind, members), chain, (network, name), nonce)| {
            let time = if matches!(kind, "usdSend" | "spotSend" | "withdraw3") { "time" } else { "nonce" };
            let mut own = vec![
                ("signatureChainId", Text(format!("{chain:#x}"))),
                ("hyperliquidChain", Text(name.to_owned())),
            ];
            own.extend(members);
            own.push((time, Uint(nonce)));
            (Envelope { network, nonce, vault_address: None, expires_after: None }, action(kind, own))
        },
    )
}

/// An action in the JSON form of its scheme.
pub(crate) fn any_action() -> impl Strategy<Value = (Form, Envelope, Tree)> {
    prop_oneof![
        (envelope(), l1_action()).prop_map(|(envelope, tree)| (Form::L1Json, envelope, tree)),
        user_action().prop_map(|(envelope, tree)| (Form::UserJson, envelope, tree)),
    ]
}

/// A value of another JSON type than `value`, or a number of another kind.
pub(crate) fn foreign(name: &str, value: &Tree, which: usize) -> Option<String> {
    let candidates = [
        ("null", matches!(value, Null) || name == "agentName"),
        ("true", matches!(value, Flag(_))),
        ("1.5", false),
        ("1e3", false),
        ("7", matches!(value, Uint(_) | Negative(_)) || name == "oid"),
        ("\"\"", matches!(value, Text(_) | Null)),
        ("\"7\"", matches!(value, Text(_) | Null)),
        ("[]", false),
        ("{}", false),
        ("[7]", false),
        ("{\"z\":7}", false),
    ];
    let (text, is_own) = candidates[which % candidates.len()];
    (!is_own).then(|| text.to_owned())
}
