//! The judgement of an action by the rules of a book.
//!
//! An order is valued at its worst case: a buy at its limit price, since it cannot cost more;
//! a sell, and a trigger order that turns into a market order, at the top of the collar. An order that closes a
//! whole position (size 0, a reduce-only trigger under positionTpsl) only reduces exposure and is worth nothing.

use wire::{Now, Refusal, Shown, Why};

use super::Action;
use super::action::{
    Builder, Content, Order, OrderBatch, OrderGrouping, OrderKind, Transferral, UpdateLeverage,
};
use super::decimal::Decimal;
use super::envelope::Envelope;
use super::rules::{AssetLimits, DECIMAL_SCALE, Decimal8, Limits, OrderLimits};
use crate::{Address, Charge, SingleUseNonce};

/// Digits after the point of a notional, the product of two [`Decimal8`].
const NOTIONAL_SCALE: u8 = 2 * DECIMAL_SCALE;

/// Judges an action; every action uses up its nonce.
pub(super) fn judge(
    action: &Action<'_>,
    limits: &Limits<'_>,
    account: &Address,
    now: Now,
) -> Result<Charge, Why> {
    let envelope = action.envelope();
    judge_envelope(envelope, limits, now)?;
    match action.content() {
        Content::Order(batch) => {
            judge_vault(envelope, limits)?;
            judge_orders(batch, limits)?;
        }
        Content::Cancel(batch) => {
            judge_vault(envelope, limits)?;
            judge_cancels(limits, batch.cancels.iter().map(|cancel| Ok(cancel?.asset)))?;
        }
        Content::CancelByCloid(batch) => {
            judge_vault(envelope, limits)?;
            judge_cancels(limits, batch.cancels.iter().map(|cancel| Ok(cancel?.asset)))?;
        }
        Content::UpdateLeverage(update) => {
            judge_vault(envelope, limits)?;
            judge_leverage(update, limits)?;
        }
        Content::UsdSend(transferral) | Content::SpotSend(transferral) | Content::Withdraw3(transferral) => {
            judge_transferral(transferral, limits, account)?;
        }
    }
    let nonce = envelope.nonce;
    let single_use_nonce = Some(SingleUseNonce { nonce, ahead_max_ms: limits.nonce_ahead_max_ms });
    Ok(Charge { single_use_nonce, ..Charge::default() })
}

fn judge_envelope(envelope: &Envelope, limits: &Limits<'_>, now: Now) -> Result<(), Why> {
    if !limits.networks.contains(&envelope.network) {
        return Err(Refusal::NetworkNotAllowed.into());
    }
    let oldest = now.wall_ms.saturating_sub(limits.nonce_behind_max_ms);
    let newest = now.wall_ms.saturating_add(limits.nonce_ahead_max_ms);
    let nonce =
        |refusal, limit| Why::new(refusal).observed(Shown::uint(envelope.nonce)).limit(Shown::uint(limit));
    if envelope.nonce < oldest {
        return Err(nonce(Refusal::NonceTooOld, oldest));
    }
    if envelope.nonce > newest {
        return Err(nonce(Refusal::NonceTooFarAhead, newest));
    }
    match envelope.expires_after {
        Some(time) if time <= now.wall_ms => {
            Err(Why::new(Refusal::ExpiryPassed).observed(Shown::uint(time)).limit(Shown::uint(now.wall_ms)))
        }
        _ => Ok(()),
    }
}

/// Whom an L1 action acts for. A user-signed one has no vaultAddress: the decoder refuses it there.
fn judge_vault(envelope: &Envelope, limits: &Limits<'_>) -> Result<(), Why> {
    match &envelope.vault_address {
        None if limits.without_vault => Ok(()),
        Some(vault) if limits.vaults.contains(vault) => Ok(()),
        None => Err(Refusal::VaultNotAllowed.into()),
        Some(vault) => Err(Why::new(Refusal::VaultNotAllowed).observed(Shown::Address(*vault))),
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
        let notional =
            order.and_then(|order| judge_order(&order, limits)).map_err(|why| why.subject(index))?;
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
    let worst_price = if order.is_buy && !unpriced { order.price.units } else { asset.price_max };
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
    if !limits.signature_chain_ids.contains(&transferral.signature_chain_id) {
        return Err(
            Why::new(Refusal::SignatureChainNotAllowed).observed(Shown::uint(transferral.signature_chain_id))
        );
    }
    let destination = &transferral.destination;
    if destination != account && !entry.destinations.contains(destination) {
        return Err(Why::new(Refusal::DestinationNotAllowed).observed(Shown::Address(*destination)));
    }
    if transferral.token.is_some_and(|token| !entry.tokens.contains(&token)) {
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
        .observed(Shown::Decimal { units: observed, scale: NOTIONAL_SCALE })
        .limit(Shown::Decimal { units: limit, scale: NOTIONAL_SCALE })
}

const fn shown(units: Decimal8) -> Shown {
    Shown::Decimal { units, scale: DECIMAL_SCALE }
}
