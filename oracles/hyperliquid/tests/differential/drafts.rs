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
    UpdateLeverage { asset: u32, is_cross: bool, leverage: u32 },
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

/// A user-signed transfer.
#[derive(Clone, Debug)]
pub(crate) struct TransferDraft {
    pub(crate) kind: &'static str,
    pub(crate) network: Network,
    pub(crate) signature_chain_id: u64,
    pub(crate) destination: String,
    pub(crate) token: String,
    pub(crate) amount: String,
    pub(crate) time: u64,
}

impl TransferDraft {
    pub(crate) fn envelope(&self) -> Envelope {
        Envelope { network: self.network, nonce: self.time, vault_address: None, expires_after: None }
    }

    pub(crate) fn json(&self) -> String {
        let Self { kind, signature_chain_id, destination, amount, time, .. } = self;
        let network = match self.network {
            Network::Mainnet => "Mainnet",
            Network::Testnet => "Testnet",
        };
        let token = if *kind == "spotSend" { format!(r#""token":"{}","#, self.token) } else { String::new() };
        format!(
            r#"{{"type":"{kind}","signatureChainId":"{signature_chain_id:#x}","hyperliquidChain":"{network}","destination":"{destination}",{token}"amount":"{amount}","time":{time}}}"#
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

pub(crate) fn transfer_draft() -> impl Strategy<Value = TransferDraft> {
    let kind = select(vec!["usdSend", "spotSend", "withdraw3"]);
    let token = "[A-Z]{1,6}:0x[0-9a-f]{32}";
    (kind, network(), 1..=u64::MAX, "0x[0-9a-fA-F]{40}", token, decimal(), any::<u64>()).prop_map(
        |(kind, network, signature_chain_id, destination, token, amount, time)| TransferDraft {
            kind,
            network,
            signature_chain_id,
            destination,
            token,
            amount,
            time,
        },
    )
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
    prop_oneof![3 => orders, 1 => cancels, 1 => cancels_by_cloid, 1 => leverage]
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
