//! The Hyperliquid rules of a book file ([`venues::hyperliquid::rules`]).

use venues::book_value::AnyOr;
use venues::hyperliquid::rules::{
    AgentLimits, AssetLimits, BuilderFeeLimits, DECIMAL_SCALE, Grouping, Limits, Network, OrderLimits,
    ScheduleCancelLimits, TimeInForce, Transfer, TransferLimits, TwapLimits, VaultTransferLimits,
};

use venues::hyperliquid::{BUILDER_FEE_MAX, PRIORITY_RATE_MAX};

use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::scalars::{address, cap, collar, decimal, hex, uint, usd};

/// Decimals of a notional: those of a price and those of a size.
const NOTIONAL_SCALE: u8 = 2 * DECIMAL_SCALE;

/// How far the exchange lets a nonce lie behind, ms.
const NONCE_BEHIND_MAX_MS: u64 = 2 * 24 * 3_600 * 1_000;

/// How far the exchange lets a nonce lie ahead, ms.
const NONCE_AHEAD_MAX_MS: u64 = 24 * 3_600 * 1_000;

/// How far ahead a dead man's switch may be set, ms: one that waits for longer than a week holds nothing.
const SCHEDULE_AHEAD_MAX_MS: u64 = 7 * 24 * 3_600 * 1_000;

/// The highest rate that a builder may be approved for: 1 % on spot (0.1 % on perpetuals), in 10^-8 percent.
const BUILDER_RATE_MAX: u128 = 100_000_000;

/// How long a TWAP may run on the exchange, minutes.
const TWAP_MINUTES: core::ops::RangeInclusive<u32> = 5..=24 * 60;

/// The first asset id of an outcome: this and ten times the outcome and its side.
const OUTCOMES_FROM: u32 = 100_000_000;

/// What an outcome is worth at most, in units of a price: it settles at 0 or 1.
const OUTCOME_PRICE_MAX: u128 = 100_000_000;

/// What the coin that an asset is quoted in counts as where the book says nothing, micro-USD: a dollar.
const QUOTE_USD_MAX: u64 = 1_000_000;

/// Longest name of an agent or dex, as the decoder reads them.
const NAME_SIZE_MAX: usize = 64;

pub(crate) fn limits(table: &mut Table<'_>) -> Option<Limits<'static>> {
    let networks = table.required("networks", |field| field.some_set(network));
    let without_vault = table.flag("without_vault");
    let vaults = table.list("vaults", |field| field.set(address));
    let nonce_behind_max_ms =
        table.required("nonce_behind_max_ms", |field| at_most(field, NONCE_BEHIND_MAX_MS));
    let nonce_ahead_max_ms = table.required("nonce_ahead_max_ms", |field| at_most(field, NONCE_AHEAD_MAX_MS));
    let order = table.optional("order", |field| field.table(order));
    let cancels = cancels(table, order.is_some_and(|order| order.is_none()));
    let schedule_cancel = table.optional("schedule_cancel", |field| field.table(schedule_cancel));
    let vault_transfer = table.optional("vault_transfer", |field| field.table(vault_transfer));
    let transfers = table.list("transfers", transfers);
    let approve_agent = table.optional("approve_agent", |field| field.table(approve_agent));
    let approve_builder_fee = table.optional("approve_builder_fee", |field| field.table(approve_builder_fee));
    let user_signed = transfers.as_ref().zip(approve_agent.as_ref()).zip(approve_builder_fee.as_ref());
    let without_user_signed = user_signed.map(|((transfers, agent), builder_fee)| {
        transfers.is_empty() && agent.is_none() && builder_fee.is_none()
    });
    let signature_chain_ids = signature_chain_ids(table, without_user_signed);
    let (order, (cancel, twap_cancel, cancel_assets), transfers) = (order?, cancels?, transfers?);
    let (vaults, without_vault) = (vaults?, without_vault?);
    let (schedule_cancel, vault_transfer) = (schedule_cancel?, vault_transfer?);
    let l1 =
        order.is_some() || cancel || twap_cancel || schedule_cancel.is_some() || vault_transfer.is_some();
    if !l1 && without_user_signed? {
        return table.fault(Rule::EmptyGrants, "hyperliquid: no action is granted");
    }
    if l1 && !without_vault && vaults.is_empty() {
        return table.fault(
            Rule::EmptyGrants,
            "hyperliquid: L1 actions need without_vault = true or a vault in vaults",
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
        twap_cancel,
        schedule_cancel,
        vault_transfer,
        transfers: transfers.leak(),
        approve_agent: approve_agent?,
        approve_builder_fee: approve_builder_fee?,
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

/// `cancel`, `twap_cancel` and `cancel_assets`, which need each other where there are no orders to cancel.
fn cancels(table: &mut Table<'_>, without_orders: bool) -> Option<(bool, bool, Vec<u32>)> {
    let assets = table.list("cancel_assets", |field| field.set(uint));
    let no_asset = without_orders && assets.as_ref().is_some_and(Vec::is_empty);
    let some_asset = assets.as_ref().is_some_and(|assets| !assets.is_empty());
    let mut flag = |key| {
        let field = table.take(key);
        match (field, field.map_or(Some(false), |field| field.flag())?) {
            (Some(field), true) if no_asset => field.fault(
                Rule::UnreachableRule,
                "there is no asset to cancel on: neither order nor cancel_assets",
            ),
            (_, granted) => Some(granted),
        }
    };
    let (cancel, twap_cancel) = (flag("cancel"), flag("twap_cancel"));
    let (cancel, twap_cancel) = (cancel?, twap_cancel?);
    if some_asset && !cancel && !twap_cancel {
        return table
            .fault(Rule::UnreachableRule, "cancel_assets without cancel = true or twap_cancel = true");
    }
    Some((cancel, twap_cancel, assets?))
}

fn schedule_cancel(table: &mut Table<'_>) -> Option<ScheduleCancelLimits> {
    let ahead_max_ms = table.required("ahead_max_ms", |field| {
        let ahead = cap(field, uint(field))?;
        if ahead > SCHEDULE_AHEAD_MAX_MS {
            return field
                .fault(Rule::TooLarge, format_args!("{ahead} is more than a week, {SCHEDULE_AHEAD_MAX_MS}"));
        }
        Some(ahead)
    });
    let clear = table.flag("clear");
    Some(ScheduleCancelLimits { ahead_max_ms: ahead_max_ms?, clear: clear? })
}

fn vault_transfer(table: &mut Table<'_>) -> Option<VaultTransferLimits<'static>> {
    let vaults = table.required("vaults", |field| field.some_set(address));
    let deposit_max = usd_cap(table, "deposit_max");
    let withdraw_max = usd_cap(table, "withdraw_max");
    let (deposit_max, withdraw_max) = (deposit_max?, withdraw_max?);
    if deposit_max == 0 && withdraw_max == 0 {
        return table.fault(Rule::EmptyGrants, "vault_transfer: neither deposit_max nor withdraw_max");
    }
    Some(VaultTransferLimits { vaults: vaults?.leak(), deposit_max, withdraw_max })
}

/// A cap in USD that grants nothing when it is left out.
fn usd_cap(table: &mut Table<'_>, key: &'static str) -> Option<u64> {
    Some(table.optional(key, usd)?.unwrap_or(0))
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
    let priority_rate_max = table.optional("priority_rate_max", priority_rate);
    let orders_max = table.required("orders_max", |field| cap(field, uint(field)));
    let action_notional_max =
        table.required("action_notional_max", |field| cap(field, decimal(field, NOTIONAL_SCALE)));
    let modify = table.flag("modify");
    let twap = table.optional("twap", |field| field.table(twap));
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
        priority_rate_max: priority_rate_max?,
        orders_max: orders_max?,
        action_notional_max: action_notional_max?,
        modify: modify?,
        twap: twap?,
    })
}

fn twap(table: &mut Table<'_>) -> Option<TwapLimits> {
    let minutes_min = table.required("minutes_min", twap_minutes);
    let minutes_max = table.required("minutes_max", |field| {
        let minutes = twap_minutes(field)?;
        if minutes_min.is_some_and(|min| minutes < min) {
            return field.fault(Rule::UnreachableRule, "is below minutes_min");
        }
        Some(minutes)
    });
    Some(TwapLimits { minutes_min: minutes_min?, minutes_max: minutes_max? })
}

fn twap_minutes(field: Field<'_>) -> Option<u32> {
    let minutes = uint(field)?;
    if !TWAP_MINUTES.contains(&minutes) {
        return field.fault(
            Rule::UnknownValue,
            format_args!("the exchange takes {} to {} minutes", TWAP_MINUTES.start(), TWAP_MINUTES.end()),
        );
    }
    Some(minutes)
}

fn asset(table: &mut Table<'_>, seen: &mut Seen<u32>) -> Option<AssetLimits> {
    let asset = table.required("asset", |field| seen.once(&field, asset_id(field)?));
    let is_outcome = asset.is_some_and(|asset| asset >= OUTCOMES_FROM);
    let size_max = table.required("size_max", |field| cap(field, decimal(field, DECIMAL_SCALE)));
    let prices = collar(table, |field| {
        let price = decimal(field, DECIMAL_SCALE)?;
        if is_outcome && price > OUTCOME_PRICE_MAX {
            return field.fault(Rule::Collar, "an outcome settles at 0 or 1 and is never worth more than 1");
        }
        Some(price)
    });
    let notional_max = table.required("notional_max", |field| cap(field, decimal(field, NOTIONAL_SCALE)));
    let quote_usd_max = table.optional("quote_usd_max", usd);
    let leverage_max = table.optional("leverage_max", |field| cap(field, uint(field)));
    let margin_add_max = usd_cap(table, "margin_add_max");
    let margin_remove_max = usd_cap(table, "margin_remove_max");
    let (price_min, price_max) = prices?;
    Some(AssetLimits {
        asset: asset?,
        size_max: size_max?,
        price_min,
        price_max,
        notional_max: notional_max?,
        quote_usd_max: quote_usd_max?.unwrap_or(QUOTE_USD_MAX),
        leverage_max: leverage_max?.unwrap_or(0),
        margin_add_max: margin_add_max?,
        margin_remove_max: margin_remove_max?,
    })
}

/// A full asset id. That of an outcome ends in its side.
fn asset_id(field: Field<'_>) -> Option<u32> {
    let asset = uint(field)?;
    if asset >= OUTCOMES_FROM && asset % 10 > 1 {
        return field.fault(Rule::UnknownValue, "an outcome's id ends in its side, 0 or 1");
    }
    Some(asset)
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
        Some(false) => table.required(KEY, builder_fee),
        None => table.optional(KEY, builder_fee)?,
    }
}

fn builder_fee(field: Field<'_>) -> Option<u32> {
    let fee = uint(field)?;
    if fee > BUILDER_FEE_MAX {
        return field
            .fault(Rule::TooLarge, format_args!("{fee} is more than the exchange takes, {BUILDER_FEE_MAX}"));
    }
    Some(fee)
}

fn priority_rate(field: Field<'_>) -> Option<u32> {
    let rate = cap(field, uint(field))?;
    if rate > PRIORITY_RATE_MAX {
        return field.fault(
            Rule::TooLarge,
            format_args!("{rate} is more than the exchange takes, {PRIORITY_RATE_MAX}"),
        );
    }
    Some(rate)
}

/// Transfers: entries of one action differ in their tokens, so that one entry at most decides.
fn transfers(field: Field<'_>) -> Option<Vec<TransferLimits<'static>>> {
    let mut seen = Seen::default();
    field.list(|entry| entry.table(|table| transfer(table, &mut seen)))
}

fn transfer(
    table: &mut Table<'_>,
    seen: &mut Seen<(Transfer, &'static str)>,
) -> Option<TransferLimits<'static>> {
    let action = table.required("action", |field| {
        let action = field.choice(&[
            ("usdSend", Transfer::UsdSend),
            ("spotSend", Transfer::SpotSend),
            ("withdraw3", Transfer::Withdraw3),
            ("usdClassTransfer", Transfer::UsdClassTransfer),
            ("sendAsset", Transfer::SendAsset),
        ])?;
        // Those with a token are told apart by it.
        let has_token = matches!(action, Transfer::SpotSend | Transfer::SendAsset);
        if has_token { Some(action) } else { seen.once(&field, (action, "")).map(|_| action) }
    });
    let amount_max = table.required("amount_max", |field| cap(field, decimal(field, DECIMAL_SCALE)));
    let destinations = match action {
        Some(Transfer::UsdClassTransfer) => unused(table, "destinations", "usdClassTransfer stays at home"),
        _ => table.list("destinations", |field| field.set(address)),
    };
    let tokens = transfer_tokens(table, action, seen);
    let usd_max = table.optional("usd_max", |field| match action {
        Some(Transfer::UsdSend | Transfer::Withdraw3 | Transfer::UsdClassTransfer) => {
            field.fault(Rule::UnusedKey, "moves USDC, which counts as one dollar")
        }
        Some(Transfer::SpotSend | Transfer::SendAsset) | None => usd(field),
    });
    let source_dexes = transfer_dexes(table, "source_dexes", action);
    let destination_dexes = transfer_dexes(table, "destination_dexes", action);
    let sub_accounts = match action {
        Some(Transfer::UsdSend | Transfer::SpotSend | Transfer::Withdraw3) => {
            unused(table, "sub_accounts", "only usdClassTransfer and sendAsset name a sub-account")
        }
        _ => table.list("sub_accounts", |field| field.set(address)),
    };
    Some(TransferLimits {
        action: action?,
        destinations: destinations?.leak(),
        amount_max: amount_max?,
        tokens: tokens?.leak(),
        usd_max: usd_max?,
        source_dexes: source_dexes?.leak(),
        destination_dexes: destination_dexes?.leak(),
        sub_accounts: sub_accounts?.leak(),
    })
}

/// The tokens of an entry, none of which another entry of the action has.
fn transfer_tokens(
    table: &mut Table<'_>,
    action: Option<Transfer>,
    seen: &mut Seen<(Transfer, &'static str)>,
) -> Option<Vec<&'static str>> {
    const KEY: &str = "tokens";
    match action {
        Some(action @ (Transfer::SpotSend | Transfer::SendAsset)) => table.required(KEY, |field| {
            field.some_list(|element| {
                let token = token(element)?;
                seen.once(&element, (action, token)).map(|_| token)
            })
        }),
        Some(_) => unused(table, KEY, "only spotSend and sendAsset name a token"),
        None => table.list(KEY, |field| field.set(token)),
    }
}

fn transfer_dexes(
    table: &mut Table<'_>,
    key: &'static str,
    action: Option<Transfer>,
) -> Option<Vec<&'static str>> {
    match action {
        Some(Transfer::SendAsset) => table.required(key, |field| field.some_set(dex)),
        Some(_) => unused(table, key, "only sendAsset names a dex"),
        None => table.list(key, |field| field.set(dex)),
    }
}

/// A key that means nothing beside the others.
fn unused<T>(table: &mut Table<'_>, key: &'static str, why: &str) -> Option<Vec<T>> {
    table.take(key).map_or(Some(Vec::new()), |field| field.fault(Rule::UnusedKey, why))
}

fn approve_agent(table: &mut Table<'_>) -> Option<AgentLimits<'static>> {
    let agents = table.required("agents", |field| field.some_set(address));
    let names = table.required("names", |field| {
        if field.value()?.is_str() {
            return field.choice(&[("any", AnyOr::Any)]);
        }
        Some(AnyOr::Listed(field.some_set(agent_name)?.leak()))
    });
    Some(AgentLimits { agents: agents?.leak(), names: names? })
}

fn approve_builder_fee(table: &mut Table<'_>) -> Option<BuilderFeeLimits<'static>> {
    let builders = table.required("builders", |field| field.some_set(address));
    let rate_max = table.required("rate_percent_max", |field| {
        let rate = cap(field, decimal(field, DECIMAL_SCALE))?;
        if rate > BUILDER_RATE_MAX {
            return field.fault(Rule::TooLarge, "the exchange takes at most 1 percent");
        }
        Some(rate)
    });
    Some(BuilderFeeLimits { builders: builders?.leak(), rate_max: rate_max? })
}

/// A dex as sendAsset names it; "" is the exchange's own.
fn dex(field: Field<'_>) -> Option<&'static str> {
    printable(field, |byte| byte.is_ascii_graphic())
}

/// An agent's name; "" is the unnamed one.
fn agent_name(field: Field<'_>) -> Option<&'static str> {
    printable(field, |byte| matches!(byte, b' '..=b'~'))
}

fn printable(field: Field<'_>, takes: fn(&u8) -> bool) -> Option<&'static str> {
    let text = field.text()?;
    if text.len() > NAME_SIZE_MAX || !text.bytes().all(|byte| takes(&byte)) {
        return field.fault(
            Rule::BadName,
            format_args!("{text:?}; at most {NAME_SIZE_MAX} characters of printable ASCII"),
        );
    }
    Some(text.to_owned().leak())
}

/// A spot token as spotSend and sendAsset name it: NAME:0x and 32 hexadecimal digits.
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

fn signature_chain_ids(table: &mut Table<'_>, without_user_signed: Option<bool>) -> Option<Vec<u64>> {
    const KEY: &str = "signature_chain_ids";
    match without_user_signed {
        Some(true) => match table.take(KEY) {
            Some(field) => {
                field.fault(Rule::UnusedKey, "only transfers and approvals carry a signatureChainId")
            }
            None => Some(Vec::new()),
        },
        Some(false) => table.required(KEY, |field| field.some_set(uint)),
        None => table.list(KEY, |field| field.set(uint)),
    }
}
