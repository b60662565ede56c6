//! Actions drawn at random, with the members in the venue's own order.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use venues::hyperliquid::Envelope;
use venues::hyperliquid::rules::Network;

/// An L1 action and what is posted beside it.
#[derive(Clone, Debug)]
pub(crate) struct L1Draft {
    pub(crate) envelope: Envelope,
    pub(crate) action: Action,
}

/// serde writes the tag first and the members in the order they are declared, as JSON and as msgpack.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum Action {
    Order {
        orders: Vec<Order>,
        grouping: Grouping,
        #[serde(skip_serializing_if = "Option::is_none")]
        builder: Option<Builder>,
    },
    Cancel {
        cancels: Vec<Cancel>,
        #[serde(skip_serializing_if = "Option::is_none")]
        f: Option<bool>,
    },
    CancelByCloid {
        cancels: Vec<CancelByCloid>,
        #[serde(skip_serializing_if = "Option::is_none")]
        f: Option<bool>,
    },
    #[serde(rename_all = "camelCase")]
    UpdateLeverage {
        asset: u32,
        is_cross: bool,
        leverage: u32,
    },
    Modify {
        oid: Oid,
        order: Order,
    },
    BatchModify {
        modifies: Vec<Modify>,
    },
    TwapOrder {
        twap: Twap,
    },
    TwapCancel {
        a: u32,
        t: u64,
    },
    ScheduleCancel {
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<u64>,
    },
    #[serde(rename_all = "camelCase")]
    UpdateIsolatedMargin {
        asset: u32,
        is_buy: bool,
        ntli: i64,
    },
    #[serde(rename_all = "camelCase")]
    VaultTransfer {
        vault_address: String,
        is_deposit: bool,
        usd: u64,
    },
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Oid {
    Number(u64),
    Cloid(String),
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Modify {
    oid: Oid,
    order: Order,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Twap {
    a: u32,
    b: bool,
    s: String,
    r: bool,
    m: u32,
    t: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Order {
    a: u32,
    b: bool,
    p: String,
    s: String,
    r: bool,
    t: OrderType,
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum OrderType {
    Limit {
        tif: &'static str,
    },
    #[serde(rename_all = "camelCase")]
    Trigger {
        is_market: bool,
        trigger_px: String,
        tpsl: &'static str,
    },
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Grouping {
    Named(&'static str),
    Priority { p: u32 },
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Builder {
    b: String,
    f: u32,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cancel {
    a: u32,
    o: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CancelByCloid {
    asset: u32,
    cloid: String,
}

/// A user-signed action: its members in the order of its EIP-712 type.
#[derive(Clone, Debug)]
pub(crate) struct UserDraft {
    pub(crate) kind: &'static str,
    pub(crate) network: Network,
    pub(crate) signature_chain_id: u64,
    /// name, EIP-712 type, JSON value
    pub(crate) members: Vec<(&'static str, &'static str, String)>,
    pub(crate) nonce: u64,
}

impl UserDraft {
    pub(crate) fn envelope(&self) -> Envelope {
        Envelope { network: self.network, nonce: self.nonce, vault_address: None, expires_after: None }
    }

    /// What the nonce is called.
    pub(crate) fn nonce_name(&self) -> &'static str {
        if matches!(self.kind, "usdSend" | "spotSend" | "withdraw3") { "time" } else { "nonce" }
    }

    pub(crate) fn json(&self) -> String {
        let Self { kind, signature_chain_id, members, nonce, .. } = self;
        let network = match self.network {
            Network::Mainnet => "Mainnet",
            Network::Testnet => "Testnet",
        };
        let members: String =
            members.iter().map(|(name, _, value)| format!(r#""{name}":{value},"#)).collect();
        format!(
            r#"{{"type":"{kind}","signatureChainId":"{signature_chain_id:#x}","hyperliquidChain":"{network}",{members}"{}":{nonce}}}"#,
            self.nonce_name()
        )
    }
}

pub(crate) fn l1_draft() -> impl Strategy<Value = L1Draft> {
    // chrono's times, in which hypersdk takes the expiry, end before 2^53 ms.
    let envelope = (network(), any::<u64>(), option::of(any::<[u8; 20]>()), option::of(0..1_u64 << 42))
        .prop_map(|(network, nonce, vault_address, expires_after)| Envelope {
            network,
            nonce,
            vault_address,
            expires_after,
        });
    (envelope, action()).prop_map(|(envelope, action)| L1Draft { envelope, action })
}

pub(crate) fn user_draft() -> impl Strategy<Value = UserDraft> {
    (user_members(), network(), 1..=u64::MAX, any::<u64>()).prop_map(
        |((kind, members), network, signature_chain_id, nonce)| UserDraft {
            kind,
            network,
            signature_chain_id,
            members,
            nonce,
        },
    )
}

type UserMembers = (&'static str, Vec<(&'static str, &'static str, String)>);

fn user_members() -> impl Strategy<Value = UserMembers> {
    let quoted = |text: String| format!("\"{text}\"");
    let address = || "\"0x[0-9a-fA-F]{40}\"";
    let amount = move || decimal().prop_map(quoted);
    let token = || "\"[A-Z]{1,6}:0x[0-9a-f]{32}\"";
    let send = (select(vec!["usdSend", "withdraw3"]), address(), amount()).prop_map(|(kind, to, amount)| {
        (kind, vec![("destination", "string", to), ("amount", "string", amount)])
    });
    let spot = (address(), token(), amount()).prop_map(|(to, token, amount)| {
        let members =
            vec![("destination", "string", to), ("token", "string", token), ("amount", "string", amount)];
        ("spotSend", members)
    });
    let dex = || "\"(|spot|[a-z]{3})\"";
    let asset = (address(), dex(), dex(), token(), amount(), prop_oneof![Just("\"\"".to_owned()), address()])
        .prop_map(|(to, source, destination, token, amount, sub_account)| {
            let members = vec![
                ("destination", "string", to),
                ("sourceDex", "string", source),
                ("destinationDex", "string", destination),
                ("token", "string", token),
                ("amount", "string", amount),
                ("fromSubAccount", "string", sub_account),
            ];
            ("sendAsset", members)
        });
    let class = (decimal(), "(| subaccount:0x[0-9a-fA-F]{40})", any::<bool>()).prop_map(
        move |(amount, sub_account, to_perp)| {
            let amount = format!("\"{amount}{sub_account}\"");
            let members = vec![("amount", "string", amount), ("toPerp", "bool", to_perp.to_string())];
            ("usdClassTransfer", members)
        },
    );
    let agent = (address(), "\"[a-zA-Z0-9_ ]{0,17}\"").prop_map(|(agent, name)| {
        ("approveAgent", vec![("agentAddress", "address", agent), ("agentName", "string", name)])
    });
    let builder = (decimal(), address()).prop_map(|(rate, builder)| {
        let members = vec![("maxFeeRate", "string", format!("\"{rate}%\"")), ("builder", "address", builder)];
        ("approveBuilderFee", members)
    });
    prop_oneof![send, spot, asset, class, agent, builder]
}

fn action() -> impl Strategy<Value = Action> {
    let grouping = prop_oneof![
        select(vec!["na", "normalTpsl", "positionTpsl"]).prop_map(Grouping::Named),
        (0..=80_000_u32).prop_map(|p| Grouping::Priority { p }),
    ];
    let builder = option::of(("0x[0-9a-f]{40}", 0..=100_u32).prop_map(|(b, f)| Builder { b, f }));
    let orders = (vec(order(), 1..20), grouping, builder)
        .prop_map(|(orders, grouping, builder)| Action::Order { orders, grouping, builder });
    let fast = || any::<bool>().prop_map(|fast| fast.then_some(true));
    let cancel = (asset(), any::<u64>(), 0..64_u32).prop_map(|(a, o, shift)| Cancel { a, o: o >> shift });
    let cancels = (vec(cancel, 1..20), fast()).prop_map(|(cancels, f)| Action::Cancel { cancels, f });
    let by_cloid = (asset(), cloid()).prop_map(|(asset, cloid)| CancelByCloid { asset, cloid });
    let cancels_by_cloid =
        (vec(by_cloid, 1..20), fast()).prop_map(|(cancels, f)| Action::CancelByCloid { cancels, f });
    let leverage = (asset(), any::<bool>(), 1..=u32::MAX)
        .prop_map(|(asset, is_cross, leverage)| Action::UpdateLeverage { asset, is_cross, leverage });
    prop_oneof![3 => orders, 1 => cancels, 1 => cancels_by_cloid, 1 => leverage, 4 => later_action()]
}

/// The actions beside the core.
fn later_action() -> impl Strategy<Value = Action> {
    let oid = || prop_oneof![number().prop_map(Oid::Number), cloid().prop_map(Oid::Cloid)];
    let modify = (oid(), order()).prop_map(|(oid, order)| Action::Modify { oid, order });
    let modifies = vec((oid(), order()).prop_map(|(oid, order)| Modify { oid, order }), 1..20)
        .prop_map(|modifies| Action::BatchModify { modifies });
    let twap = (asset(), any::<bool>(), decimal(), any::<bool>(), 1..=u32::MAX, any::<bool>())
        .prop_map(|(a, b, s, r, m, t)| Action::TwapOrder { twap: Twap { a, b, s, r, m, t } });
    let twap_cancel = (asset(), number()).prop_map(|(a, t)| Action::TwapCancel { a, t });
    let schedule = option::of(number()).prop_map(|time| Action::ScheduleCancel { time });
    let margin =
        (asset(), any::<bool>(), any::<i64>(), 0..64_u32).prop_map(|(asset, is_buy, ntli, shift)| {
            Action::UpdateIsolatedMargin { asset, is_buy, ntli: ntli >> shift }
        });
    let vault = ("0x[0-9a-f]{40}", any::<bool>(), number()).prop_map(|(vault_address, is_deposit, usd)| {
        Action::VaultTransfer { vault_address, is_deposit, usd }
    });
    prop_oneof![modify, modifies, twap, twap_cancel, schedule, margin, vault]
}

fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64_u32).prop_map(|(value, shift)| value >> shift)
}

fn order() -> impl Strategy<Value = Order> {
    let limit = select(vec!["Alo", "Ioc", "Gtc", "FrontendMarket"]).prop_map(|tif| OrderType::Limit { tif });
    let trigger = (any::<bool>(), decimal(), select(vec!["tp", "sl"]))
        .prop_map(|(is_market, trigger_px, tpsl)| OrderType::Trigger { is_market, trigger_px, tpsl });
    let kind = prop_oneof![limit, trigger];
    (asset(), any::<bool>(), decimal(), decimal(), any::<bool>(), kind, option::of(cloid()))
        .prop_map(|(a, b, p, s, r, t, c)| Order { a, b, p, s, r, t, c })
}

fn network() -> impl Strategy<Value = Network> {
    select(vec![Network::Mainnet, Network::Testnet])
}

fn asset() -> impl Strategy<Value = u32> {
    (any::<u32>(), 0..32_u32).prop_map(|(asset, shift)| asset >> shift)
}

fn cloid() -> impl Strategy<Value = String> {
    (1_u128..).prop_map(|id| format!("0x{id:032x}"))
}

/// Up to five figures and eight decimals, canonical.
fn decimal() -> impl Strategy<Value = String> {
    (1_u32..=99_999, 0_usize..=8).prop_map(|(figures, decimals)| {
        let digits = format!("{figures:0>width$}", width = decimals + 1);
        let (integer, fraction) = digits.split_at(digits.len() - decimals);
        match fraction.trim_end_matches('0') {
            "" => integer.to_owned(),
            fraction => format!("{integer}.{fraction}"),
        }
    })
}
