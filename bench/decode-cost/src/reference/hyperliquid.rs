//! Hyperliquid actions as JSON, read by serde_json into static structs.

use std::hint::black_box;

use serde::Deserialize;
use venues::hyperliquid::Envelope;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Action<'a> {
    #[serde(borrow)]
    Order(Batch<'a>),
    BatchModify {
        modifies: Vec<Modify<'a>>,
    },
    Modify(Modify<'a>),
    Cancel {
        cancels: Vec<Cancel>,
    },
    CancelByCloid {
        cancels: Vec<CancelByCloid<'a>>,
    },
    #[serde(rename_all = "camelCase")]
    UpdateLeverage {
        asset: u32,
        is_cross: bool,
        leverage: u32,
    },
    #[serde(rename_all = "camelCase")]
    UpdateIsolatedMargin {
        asset: u32,
        is_buy: bool,
        ntli: i64,
    },
    ScheduleCancel {
        time: Option<u64>,
    },
    TwapOrder {
        twap: Twap<'a>,
    },
    TwapCancel {
        a: u32,
        t: u64,
    },
    #[serde(rename_all = "camelCase")]
    VaultTransfer {
        vault_address: &'a str,
        is_deposit: bool,
        usd: u64,
    },
}

#[derive(Debug, Deserialize)]
struct Batch<'a> {
    #[serde(borrow)]
    orders: Vec<Order<'a>>,
    #[serde(borrow)]
    grouping: Grouping<'a>,
    builder: Option<Builder<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Grouping<'a> {
    Named(&'a str),
    Rate { p: u32 },
}

#[derive(Debug, Deserialize)]
struct Builder<'a> {
    b: &'a str,
    f: u32,
}

#[derive(Debug, Deserialize)]
struct Order<'a> {
    a: u32,
    b: bool,
    #[serde(borrow)]
    p: &'a str,
    s: &'a str,
    r: bool,
    t: Kind<'a>,
    c: Option<&'a str>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind<'a> {
    Limit {
        tif: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Trigger {
        is_market: bool,
        trigger_px: &'a str,
        tpsl: &'a str,
    },
}

#[derive(Debug, Deserialize)]
struct Modify<'a> {
    #[serde(borrow)]
    oid: Oid<'a>,
    order: Order<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Oid<'a> {
    Number(u64),
    Cloid(&'a str),
}

#[derive(Debug, Deserialize)]
struct Cancel {
    a: u32,
    o: u64,
}

#[derive(Debug, Deserialize)]
struct CancelByCloid<'a> {
    asset: u32,
    cloid: &'a str,
}

#[derive(Debug, Deserialize)]
struct Twap<'a> {
    a: u32,
    b: bool,
    s: &'a str,
    r: bool,
    m: u32,
    t: bool,
}

/// Every member that any user-signed action of the vault has.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UserSigned<'a> {
    #[serde(rename = "type")]
    action_type: &'a str,
    signature_chain_id: &'a str,
    hyperliquid_chain: &'a str,
    destination: Option<&'a str>,
    source_dex: Option<&'a str>,
    destination_dex: Option<&'a str>,
    from_sub_account: Option<&'a str>,
    token: Option<&'a str>,
    amount: Option<&'a str>,
    to_perp: Option<bool>,
    agent_address: Option<&'a str>,
    agent_name: Option<&'a str>,
    max_fee_rate: Option<&'a str>,
    builder: Option<&'a str>,
    time: Option<u64>,
    nonce: Option<u64>,
}

/// An L1 action behind its envelope.
pub(crate) fn l1(payload: &[u8]) -> Option<()> {
    let (envelope, _, action) = Envelope::read(payload).ok()?;
    black_box(envelope);
    black_box(serde_json::from_slice::<Action<'_>>(action).ok()?);
    Some(())
}

/// A user-signed action behind its envelope.
pub(crate) fn user_signed(payload: &[u8]) -> Option<()> {
    let (envelope, _, action) = Envelope::read(payload).ok()?;
    black_box(envelope);
    black_box(serde_json::from_slice::<UserSigned<'_>>(action).ok()?);
    Some(())
}
