//! The Hyperliquid rules of a book file ([`venues::hyperliquid::rules`]).

use venues::hyperliquid::rules::{
    AssetLimits, DECIMAL_SCALE, Grouping, Limits, Network, OrderLimits, TimeInForce, Transfer, TransferLimits,
};

use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::scalars::{address, cap, collar, decimal, hex, uint};

/// Decimals of a notional: those of a price and those of a size.
const NOTIONAL_SCALE: u8 = 2 * DECIMAL_SCALE;

/// How far the exchange lets a nonce lie behind, ms.
const NONCE_BEHIND_MAX_MS: u64 = 2 * 24 * 3_600 * 1_000;

/// How far the exchange lets a nonce lie ahead, ms.
const NONCE_AHEAD_MAX_MS: u64 = 24 * 3_600 * 1_000;

pub(crate) fn limits(table: &mut Table<'_>) -> Option<Limits<'static>> {
    let networks = table.required("networks", |field| field.some_set(network));
    let without_vault = table.flag("without_vault");
    let vaults = table.list("vaults", |field| field.set(address));
    let nonce_behind_max_ms =
        table.required("nonce_behind_max_ms", |field| at_most(field, NONCE_BEHIND_MAX_MS));
    let nonce_ahead_max_ms = table.required("nonce_ahead_max_ms", |field| at_most(field, NONCE_AHEAD_MAX_MS));
    let order = table.optional("order", |field| field.table(order));
    let cancels = cancels(table, order.is_some_and(|order| order.is_none()));
    let transfers = table.list("transfers", transfers);
    let signature_chain_ids = signature_chain_ids(table, transfers.as_ref().map(Vec::is_empty));
    let (order, (cancel, cancel_assets), transfers) = (order?, cancels?, transfers?);
    let (vaults, without_vault) = (vaults?, without_vault?);
    if order.is_none() && !cancel && transfers.is_empty() {
        return table.fault(Rule::EmptyGrants, "hyperliquid: none of order, cancel and transfers");
    }
    if (order.is_some() || cancel) && !without_vault && vaults.is_empty() {
        return table.fault(
            Rule::EmptyGrants,
            "hyperliquid: orders and cancels need without_vault = true or a vault in vaults",
        );
    }
    Some(Limits {
        networks: networks?.leak(),
        without_vault,
        vaults: vaults.leak(),
        nonce_behind_max_ms: nonce_behind_max_ms?,
        nonce_ahead_max_ms: nonce_ahead_max_ms?,
        order,
        cancel,
        cancel_assets: cancel_assets.leak(),
        transfers: transfers.leak(),
        signature_chain_ids: signature_chain_ids?.leak(),
    })
}

fn network(field: Field<'_>) -> Option<Network> {
    field.choice(&[("mainnet", Network::Mainnet), ("testnet", Network::Testnet)])
}

fn at_most(field: Field<'_>, max: u64) -> Option<u64> {
    let value = uint(field)?;
    if value > max {
        return field.fault(Rule::TooLarge, format_args!("{value} is more than the exchange takes, {max}"));
    }
    Some(value)
}

/// `cancel` and `cancel_assets`, which need each other where there are no orders to cancel.
fn cancels(table: &mut Table<'_>, without_orders: bool) -> Option<(bool, Vec<u32>)> {
    let assets = table.list("cancel_assets", |field| field.set(uint));
    let no_asset = without_orders && assets.as_ref().is_some_and(Vec::is_empty);
    let some_asset = assets.as_ref().is_some_and(|assets| !assets.is_empty());
    let field = table.take("cancel");
    let cancel = field.map_or(Some(false), |field| field.flag());
    match (field, cancel?) {
        (Some(field), true) if no_asset => field
            .fault(Rule::UnreachableRule, "there is no asset to cancel on: neither order nor cancel_assets"),
        (_, false) if some_asset => table.fault(Rule::UnreachableRule, "cancel_assets without cancel = true"),
        (_, cancel) => Some((cancel, assets?)),
    }
}

fn order(table: &mut Table<'_>) -> Option<OrderLimits<'static>> {
    let mut seen = Seen::default();
    let assets = table
        .required("assets", |field| field.some_list(|entry| entry.table(|table| asset(table, &mut seen))));
    let tifs = table.list("tifs", |field| field.set(tif));
    let triggers = table.flag("triggers");
    let groupings = table.required("groupings", |field| field.some_set(grouping));
    let builders = table.list("builders", |field| field.set(address));
    let builder_fee_max = builder_fee_max(table, builders.as_ref().map(Vec::is_empty));
    let orders_max = table.required("orders_max", |field| cap(field, uint(field)));
    let action_notional_max =
        table.required("action_notional_max", |field| cap(field, decimal(field, NOTIONAL_SCALE)));
    let (tifs, triggers) = (tifs?, triggers?);
    if tifs.is_empty() && !triggers {
        return table.fault(Rule::EmptyGrants, "order: neither a time in force nor triggers");
    }
    Some(OrderLimits {
        assets: assets?.leak(),
        tifs: tifs.leak(),
        triggers,
        groupings: groupings?.leak(),
        builders: builders?.leak(),
        builder_fee_max: builder_fee_max?,
        orders_max: orders_max?,
        action_notional_max: action_notional_max?,
    })
}

fn asset(table: &mut Table<'_>, seen: &mut Seen<u32>) -> Option<AssetLimits> {
    let asset = table.required("asset", |field| seen.once(&field, uint(field)?));
    let size_max = table.required("size_max", |field| cap(field, decimal(field, DECIMAL_SCALE)));
    let prices = collar(table, |field| decimal(field, DECIMAL_SCALE));
    let notional_max = table.required("notional_max", |field| cap(field, decimal(field, NOTIONAL_SCALE)));
    let leverage_max = table.optional("leverage_max", |field| cap(field, uint(field)));
    let (price_min, price_max) = prices?;
    Some(AssetLimits {
        asset: asset?,
        size_max: size_max?,
        price_min,
        price_max,
        notional_max: notional_max?,
        leverage_max: leverage_max?.unwrap_or(0),
    })
}

fn tif(field: Field<'_>) -> Option<TimeInForce> {
    field.choice(&[
        ("Alo", TimeInForce::Alo),
        ("Ioc", TimeInForce::Ioc),
        ("Gtc", TimeInForce::Gtc),
        ("FrontendMarket", TimeInForce::FrontendMarket),
    ])
}

fn grouping(field: Field<'_>) -> Option<Grouping> {
    field.choice(&[
        ("na", Grouping::Na),
        ("normalTpsl", Grouping::NormalTpsl),
        ("positionTpsl", Grouping::PositionTpsl),
    ])
}

fn builder_fee_max(table: &mut Table<'_>, without_builders: Option<bool>) -> Option<u32> {
    const KEY: &str = "builder_fee_max";
    match without_builders {
        Some(true) => match table.take(KEY) {
            Some(field) => field.fault(Rule::UnusedKey, "there are no builders"),
            None => Some(0),
        },
        Some(false) => table.required(KEY, uint),
        None => table.optional(KEY, uint)?,
    }
}

/// Transfers, each action at most once: the first entry decides.
fn transfers(field: Field<'_>) -> Option<Vec<TransferLimits<'static>>> {
    let mut seen = Seen::default();
    field.list(|entry| entry.table(|table| transfer(table, &mut seen)))
}

fn transfer(table: &mut Table<'_>, seen: &mut Seen<Transfer>) -> Option<TransferLimits<'static>> {
    let action = table.required("action", |field| {
        let action = field.choice(&[
            ("usdSend", Transfer::UsdSend),
            ("spotSend", Transfer::SpotSend),
            ("withdraw3", Transfer::Withdraw3),
        ])?;
        seen.once(&field, action)
    });
    let destinations = table.list("destinations", |field| field.set(address));
    let amount_max = table.required("amount_max", |field| cap(field, decimal(field, DECIMAL_SCALE)));
    let tokens = match action {
        Some(Transfer::SpotSend) => table.required("tokens", |field| field.some_set(token)),
        Some(Transfer::UsdSend | Transfer::Withdraw3) => match table.take("tokens") {
            Some(field) => field.fault(Rule::UnusedKey, "only spotSend names a token"),
            None => Some(Vec::new()),
        },
        None => table.list("tokens", |field| field.set(token)),
    };
    Some(TransferLimits {
        action: action?,
        destinations: destinations?.leak(),
        amount_max: amount_max?,
        tokens: tokens?.leak(),
    })
}

/// A spot token as spotSend names it: NAME:0x and 32 hexadecimal digits.
fn token(field: Field<'_>) -> Option<&'static str> {
    let text = field.text()?;
    let is_token = text.split_once(":0x").is_some_and(|(name, id)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_graphic())
            && hex::<16>(id).is_some()
            && !id.bytes().any(|byte| byte.is_ascii_uppercase())
    });
    if !is_token {
        return field.fault(
            Rule::BadAddress,
            format_args!("{text:?} is not NAME:0x and 32 lower-case hexadecimal digits"),
        );
    }
    Some(text.to_owned().leak())
}

fn signature_chain_ids(table: &mut Table<'_>, without_transfers: Option<bool>) -> Option<Vec<u64>> {
    const KEY: &str = "signature_chain_ids";
    match without_transfers {
        Some(true) => match table.take(KEY) {
            Some(field) => field.fault(Rule::UnusedKey, "only transfers carry a signatureChainId"),
            None => Some(Vec::new()),
        },
        Some(false) => table.required(KEY, |field| field.some_set(uint)),
        None => table.list(KEY, |field| field.set(uint)),
    }
}
