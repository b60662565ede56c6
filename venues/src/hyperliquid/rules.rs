//! What a desk may allow of Hyperliquid actions, and the judgement.
//!
//! An order is valued at its worst case (DESIGN.md, rule 7): a buy at its limit price, since it cannot cost more;
//! a sell, and a trigger order that turns into a market order, at the top of the collar. An order that closes a
//! whole position (size 0, positionTpsl) reduces exposure and is worth nothing.

use wire::{Now, Refusal, Shown, Why};

use super::Action;
use super::action::{
    Builder, Content, Order, OrderBatch, OrderGrouping, OrderKind, Transferral, UpdateLeverage,
};
use super::decimal::Decimal;
use super::envelope::Envelope;
use crate::book_value::{book_enum, book_struct};
use crate::{Address, Charge};

/// Digits after the point of a notional, the product of two [`Decimal8`].
const NOTIONAL_SCALE: u8 = 2 * DECIMAL_SCALE;

/// Digits after the point of [`Decimal8`].
pub const DECIMAL_SCALE: u8 = 8;

/// A price, size or amount in units of 10^-8, the finest the exchange takes.
pub type Decimal8 = u128;

book_enum! {
    /// Which network an action is for.
    pub enum Network {
        /// source "a", hyperliquidChain "Mainnet"
        Mainnet = 1,
        /// source "b", hyperliquidChain "Testnet"
        Testnet = 2,
    }
}

book_enum! {
    /// Time in force of a limit order.
    pub enum TimeInForce {
        /// Add liquidity only.
        Alo = 1,
        /// Immediate or cancel.
        Ioc = 2,
        /// Good till cancelled.
        Gtc = 3,
        /// The exchange's front end's market order: immediate or cancel, up to its limit price.
        FrontendMarket = 4,
    }
}

book_enum! {
    /// How the orders of one action belong together.
    pub enum Grouping {
        /// "na"
        Na = 1,
        /// "normalTpsl"
        NormalTpsl = 2,
        /// "positionTpsl"
        PositionTpsl = 3,
    }
}

book_enum! {
    /// User-signed actions that move funds.
    pub enum Transfer {
        /// usdSend
        UsdSend = 1,
        /// spotSend
        SpotSend = 2,
        /// withdraw3
        Withdraw3 = 3,
    }
}

book_struct! {
    /// The Hyperliquid rules of one key.
    pub struct Limits<'b> {
        /// Networks this key may sign for.
        pub networks: &'b [Network],
        /// Whether the key may act without a vaultAddress ("none" is a value).
        pub without_vault: bool,
        /// Vaults and sub-accounts it may act for.
        pub vaults: &'b [Address],
        /// How far a nonce may lie behind now, ms. The exchange takes two days.
        pub nonce_behind_max_ms: u64,
        /// How far a nonce may lie ahead of now, ms. The exchange takes one day.
        pub nonce_ahead_max_ms: u64,
        /// Orders, if granted.
        pub order: Option<OrderLimits<'b>>,
        /// cancel and cancelByCloid, on the assets of `order` and of `cancel_assets`.
        pub cancel: bool,
        /// Further assets on which cancels are granted.
        pub cancel_assets: &'b [u32],
        /// Transfers and withdrawals. The first entry that names the action decides.
        pub transfers: &'b [TransferLimits<'b>],
        /// signatureChainId values a user-signed action may carry. Usually 0xa4b1 and 0x66eee.
        pub signature_chain_ids: &'b [u64],
    }
}

book_struct! {
    /// Orders.
    pub struct OrderLimits<'b> {
        /// The assets, by full id (perp index, 10000 + spot index, 100000 + ..., see the venue's README).
        pub assets: &'b [AssetLimits],
        /// Times in force of limit orders.
        pub tifs: &'b [TimeInForce],
        /// Whether trigger orders (take profit, stop loss) are granted.
        pub triggers: bool,
        /// Groupings.
        pub groupings: &'b [Grouping],
        /// Builders that may be paid.
        pub builders: &'b [Address],
        /// Largest builder fee, tenths of a basis point.
        pub builder_fee_max: u32,
        /// Most orders in one action.
        pub orders_max: u32,
        /// Largest notional of all orders of one action together, 10^-16 USD (price times size).
        pub action_notional_max: u128,
    }
}

book_struct! {
    /// One asset. Size cap and collar are mandatory (DESIGN.md, rule 7).
    pub struct AssetLimits {
        /// The full asset id.
        pub asset: u32,
        /// Largest size of one order, 10^-8 base units.
        pub size_max: Decimal8,
        /// Lowest price, 10^-8 USD.
        pub price_min: Decimal8,
        /// Highest price, 10^-8 USD. A sell is valued at this price.
        pub price_max: Decimal8,
        /// Largest notional of one order at its worst case, 10^-16 USD.
        pub notional_max: u128,
        /// Largest leverage updateLeverage may set; 0 grants none.
        pub leverage_max: u32,
    }
}

book_struct! {
    /// Transfers and withdrawals.
    pub struct TransferLimits<'b> {
        /// Which action.
        pub action: Transfer,
        /// To these addresses. The key's own address is always allowed.
        pub destinations: &'b [Address],
        /// Largest amount, 10^-8 of the token.
        pub amount_max: Decimal8,
        /// Spot tokens ("NAME:0x…"), for spotSend. Empty grants none.
        pub tokens: &'b [&'b str],
    }
}

/// Judges an action; every action uses up its nonce.
pub(super) fn judge(
    action: &Action<'_>,
    limits: &Limits<'_>,
    account: &Address,
    now: Now,
) -> Result<Charge, Why> {
    judge_envelope(action.envelope(), limits, now)?;
    match action.content() {
        Content::Order(batch) => judge_orders(batch, limits)?,
        Content::Cancel(batch) => {
            judge_cancels(limits, batch.cancels.iter().map(|cancel| Ok(cancel?.asset)))?;
        }
        Content::CancelByCloid(batch) => {
            judge_cancels(limits, batch.cancels.iter().map(|cancel| Ok(cancel?.asset)))?;
        }
        Content::UpdateLeverage(update) => judge_leverage(update, limits)?,
        Content::UsdSend(transferral) | Content::SpotSend(transferral) | Content::Withdraw3(transferral) => {
            judge_transferral(transferral, limits, account)?;
        }
    }
    Ok(Charge {
        single_use_nonce: Some(action.envelope().nonce),
    })
}

fn judge_envelope(envelope: &Envelope, limits: &Limits<'_>, now: Now) -> Result<(), Why> {
    if !limits.networks.contains(&envelope.network) {
        return Err(Refusal::NetworkNotAllowed.into());
    }
    match &envelope.vault_address {
        None if limits.without_vault => {}
        Some(vault) if limits.vaults.contains(vault) => {}
        None => return Err(Refusal::VaultNotAllowed.into()),
        Some(vault) => {
            return Err(Why::new(Refusal::VaultNotAllowed).observed(Shown::Address(*vault)));
        }
    }
    let oldest = now.wall_ms.saturating_sub(limits.nonce_behind_max_ms);
    let newest = now.wall_ms.saturating_add(limits.nonce_ahead_max_ms);
    let nonce = |refusal, limit| {
        Why::new(refusal)
            .observed(Shown::uint(envelope.nonce))
            .limit(Shown::uint(limit))
    };
    if envelope.nonce < oldest {
        return Err(nonce(Refusal::NonceTooOld, oldest));
    }
    if envelope.nonce > newest {
        return Err(nonce(Refusal::NonceTooFarAhead, newest));
    }
    match envelope.expires_after {
        Some(time) if time <= now.wall_ms => Err(Why::new(Refusal::ExpiryPassed)
            .observed(Shown::uint(time))
            .limit(Shown::uint(now.wall_ms))),
        _ => Ok(()),
    }
}

fn judge_orders(batch: &OrderBatch<'_>, limits: &Limits<'_>) -> Result<(), Why> {
    let limits = limits.order.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    let orders_max = usize::try_from(limits.orders_max).unwrap_or(usize::MAX);
    if batch.orders.len() > orders_max {
        return Err(Why::new(Refusal::TooManyOrders)
            .observed(Shown::size(batch.orders.len()))
            .limit(Shown::uint(limits.orders_max.into())));
    }
    match batch.grouping {
        OrderGrouping::Named(grouping) if limits.groupings.contains(&grouping) => {}
        OrderGrouping::Named(_) => return Err(Refusal::GroupingNotAllowed.into()),
        // It burns money, and no book can cap that yet.
        OrderGrouping::PriorityRate(rate) => {
            return Err(Why::new(Refusal::PriorityFeeNotAllowed).observed(Shown::uint(rate.into())));
        }
    }
    if let Some(builder) = &batch.builder {
        judge_builder(builder, limits)?;
    }
    let mut action_notional = 0_u128;
    for (index, order) in batch.orders.iter().enumerate() {
        let notional = order
            .and_then(|order| judge_order(&order, limits))
            .map_err(|why| why.subject(index))?;
        action_notional = action_notional
            .checked_add(notional)
            .ok_or_else(|| notional_above(u128::MAX, limits.action_notional_max))?;
    }
    if action_notional > limits.action_notional_max {
        return Err(notional_above(action_notional, limits.action_notional_max));
    }
    Ok(())
}

fn judge_builder(builder: &Builder, limits: &OrderLimits<'_>) -> Result<(), Why> {
    if !limits.builders.contains(&builder.address) {
        return Err(Why::new(Refusal::BuilderNotAllowed).observed(Shown::Address(builder.address)));
    }
    if builder.fee > limits.builder_fee_max {
        return Err(Why::new(Refusal::BuilderFeeAboveCap)
            .observed(Shown::uint(builder.fee.into()))
            .limit(Shown::uint(limits.builder_fee_max.into())));
    }
    Ok(())
}

/// Judges one order and returns its notional at its worst case.
fn judge_order(order: &Order<'_>, limits: &OrderLimits<'_>) -> Result<u128, Why> {
    let asset = find_asset(order.asset, limits.assets)?;
    match order.kind {
        OrderKind::Limit { tif } if !limits.tifs.contains(&tif) => {
            return Err(Refusal::TimeInForceNotAllowed.into());
        }
        OrderKind::Trigger { .. } if !limits.triggers => return Err(Refusal::TriggerNotAllowed.into()),
        OrderKind::Limit { .. } => {}
        OrderKind::Trigger { price, .. } => judge_price(&price, asset)?,
    }
    judge_price(&order.price, asset)?;
    if order.size.units > asset.size_max {
        return Err(Why::new(Refusal::SizeAboveCap)
            .observed(shown(order.size.units))
            .limit(shown(asset.size_max)));
    }
    let unpriced = matches!(order.kind, OrderKind::Trigger { is_market: true, .. });
    let worst_price = if order.is_buy && !unpriced {
        order.price.units
    } else {
        asset.price_max
    };
    let notional = order
        .size
        .units
        .checked_mul(worst_price)
        .ok_or_else(|| notional_above(u128::MAX, asset.notional_max))?;
    if notional > asset.notional_max {
        return Err(notional_above(notional, asset.notional_max));
    }
    Ok(notional)
}

fn judge_price(price: &Decimal<'_>, asset: &AssetLimits) -> Result<(), Why> {
    let why = |refusal, limit| Why::new(refusal).observed(shown(price.units)).limit(shown(limit));
    if price.units < asset.price_min {
        return Err(why(Refusal::PriceBelowCollar, asset.price_min));
    }
    if price.units > asset.price_max {
        return Err(why(Refusal::PriceAboveCollar, asset.price_max));
    }
    Ok(())
}

fn judge_cancels(limits: &Limits<'_>, assets: impl Iterator<Item = Result<u32, Why>>) -> Result<(), Why> {
    if !limits.cancel {
        return Err(Refusal::ActionNotAllowed.into());
    }
    let traded = limits.order.map_or(&[][..], |order| order.assets);
    for (index, asset) in assets.enumerate() {
        let asset = asset?;
        if !limits.cancel_assets.contains(&asset) {
            find_asset(asset, traded).map_err(|why| why.subject(index))?;
        }
    }
    Ok(())
}

fn judge_leverage(update: &UpdateLeverage, limits: &Limits<'_>) -> Result<(), Why> {
    let limits = limits.order.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    let asset = find_asset(update.asset, limits.assets)?;
    if update.leverage > asset.leverage_max {
        return Err(Why::new(Refusal::LeverageAboveCap)
            .observed(Shown::uint(update.leverage.into()))
            .limit(Shown::uint(asset.leverage_max.into())));
    }
    Ok(())
}

fn judge_transferral(
    transferral: &Transferral<'_>,
    limits: &Limits<'_>,
    account: &Address,
) -> Result<(), Why> {
    let entry = limits
        .transfers
        .iter()
        .find(|entry| entry.action == transferral.action)
        .ok_or(Refusal::ActionNotAllowed)?;
    if !limits
        .signature_chain_ids
        .contains(&transferral.signature_chain_id)
    {
        return Err(
            Why::new(Refusal::SignatureChainNotAllowed).observed(Shown::uint(transferral.signature_chain_id))
        );
    }
    let destination = &transferral.destination;
    if destination != account && !entry.destinations.contains(destination) {
        return Err(Why::new(Refusal::DestinationNotAllowed).observed(Shown::Address(*destination)));
    }
    if transferral
        .token
        .is_some_and(|token| !entry.tokens.contains(&token))
    {
        return Err(Refusal::TransferTokenNotAllowed.into());
    }
    if transferral.amount.units > entry.amount_max {
        return Err(Why::new(Refusal::TransferAboveCap)
            .observed(shown(transferral.amount.units))
            .limit(shown(entry.amount_max)));
    }
    Ok(())
}

fn find_asset(asset: u32, assets: &[AssetLimits]) -> Result<&AssetLimits, Why> {
    assets
        .iter()
        .find(|limits| limits.asset == asset)
        .ok_or_else(|| Why::new(Refusal::AssetNotAllowed).observed(Shown::uint(asset.into())))
}

fn notional_above(observed: u128, limit: u128) -> Why {
    Why::new(Refusal::NotionalAboveCap)
        .observed(Shown::Decimal {
            units: observed,
            scale: NOTIONAL_SCALE,
        })
        .limit(Shown::Decimal {
            units: limit,
            scale: NOTIONAL_SCALE,
        })
}

const fn shown(units: Decimal8) -> Shown {
    Shown::Decimal {
        units,
        scale: DECIMAL_SCALE,
    }
}
