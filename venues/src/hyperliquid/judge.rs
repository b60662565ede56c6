//! The judgement of an action by the rules of a book.
//!
//! An order is valued at its worst case: a buy at its limit price, since it cannot cost more;
//! a sell, and a trigger order that turns into a market order, at the top of the collar. An order that closes a
//! whole position (size 0, a reduce-only trigger under positionTpsl) only reduces exposure and is worth nothing.

use wire::{Now, Refusal, Shown, Why};

use super::Action;
use super::action::{
    Builder, Content, Modify, Order, OrderBatch, OrderGrouping, OrderKind, ScheduleCancel, TwapOrder,
    UpdateIsolatedMargin, UpdateLeverage, VaultTransfer,
};
use super::decimal::Decimal;
use super::envelope::Envelope;
use super::judge_user_signed::{
    judge_agent, judge_builder_fee, judge_class_transfer, judge_send_asset, judge_transferral,
};
use super::rules::{AssetLimits, DECIMAL_SCALE, Decimal8, Limits, OrderLimits, USD_SCALE};
use crate::{Address, Charge, SingleUseNonce};

/// Digits after the point of a notional, the product of two [`Decimal8`].
pub(super) const NOTIONAL_SCALE: u8 = 2 * DECIMAL_SCALE;

/// Judges an action; every action uses up its nonce.
pub(super) fn judge(
    action: &Action<'_>,
    limits: &Limits<'_>,
    account: &Address,
    now: Now,
) -> Result<Charge, Why> {
    let envelope = action.envelope();
    judge_envelope(envelope, limits, now)?;
    if action.connection_id().is_some() {
        judge_vault(envelope, limits)?;
    }
    match action.content() {
        Content::Order(batch) => judge_orders(batch, limits)?,
        Content::Modify(modify) => judge_modifies(1, core::iter::once(Ok(*modify)), limits)?,
        Content::BatchModify(batch) => judge_modifies(batch.len(), batch.iter(), limits)?,
        Content::TwapOrder(twap) => judge_twap(twap, limits)?,
        Content::Cancel(batch) => {
            judge_cancels(limits.cancel, limits, batch.cancels.iter().map(|cancel| Ok(cancel?.asset)))?;
        }
        Content::CancelByCloid(batch) => {
            judge_cancels(limits.cancel, limits, batch.cancels.iter().map(|cancel| Ok(cancel?.asset)))?;
        }
        Content::TwapCancel(cancel) => {
            judge_cancels(limits.twap_cancel, limits, core::iter::once(Ok(cancel.asset)))?;
        }
        Content::ScheduleCancel(schedule) => judge_schedule(schedule, limits, now)?,
        Content::UpdateLeverage(update) => judge_leverage(update, limits)?,
        Content::UpdateIsolatedMargin(update) => judge_margin(update, limits)?,
        Content::VaultTransfer(transfer) => judge_vault_transfer(transfer, limits)?,
        Content::UsdSend(transferral) | Content::SpotSend(transferral) | Content::Withdraw3(transferral) => {
            judge_transferral(transferral, limits, account)?;
        }
        Content::SendAsset(send) => judge_send_asset(send, limits, account)?,
        Content::UsdClassTransfer(transfer) => judge_class_transfer(transfer, limits)?,
        Content::ApproveAgent(approval) => judge_agent(approval, limits)?,
        Content::ApproveBuilderFee(approval) => judge_builder_fee(approval, limits)?,
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
    judge_count(batch.orders.len(), limits)?;
    match batch.grouping {
        OrderGrouping::Named(grouping) if limits.groupings.contains(&grouping) => {}
        OrderGrouping::Named(_) => return Err(Refusal::GroupingNotAllowed.into()),
        OrderGrouping::PriorityRate(rate) => judge_priority_rate(rate, limits)?,
    }
    if let Some(builder) = &batch.builder {
        judge_builder(builder, limits)?;
    }
    judge_each(batch.orders.iter(), limits)
}

/// A modification is judged as the order that comes: what goes is on the exchange's book, where the vault cannot
/// look, so nothing is taken off for it.
fn judge_modifies<'s>(
    len: usize,
    modifies: impl Iterator<Item = Result<Modify<'s>, Why>>,
    limits: &Limits<'_>,
) -> Result<(), Why> {
    let limits = limits.order.as_ref().filter(|order| order.modify).ok_or(Refusal::ActionNotAllowed)?;
    judge_count(len, limits)?;
    judge_each(modifies.map(|modify| Ok(modify?.order)), limits)
}

fn judge_count(len: usize, limits: &OrderLimits<'_>) -> Result<(), Why> {
    if len > usize::try_from(limits.orders_max).unwrap_or(usize::MAX) {
        return Err(Why::new(Refusal::TooManyOrders)
            .observed(Shown::size(len))
            .limit(Shown::uint(limits.orders_max.into())));
    }
    Ok(())
}

/// Judges the orders of one action, each and all together.
fn judge_each<'s>(
    orders: impl Iterator<Item = Result<Order<'s>, Why>>,
    limits: &OrderLimits<'_>,
) -> Result<(), Why> {
    let mut action_notional = 0_u128;
    for (index, order) in orders.enumerate() {
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

/// What it costs is burned, whoever fills the orders.
fn judge_priority_rate(rate: u32, limits: &OrderLimits<'_>) -> Result<(), Why> {
    let why = |refusal| Why::new(refusal).observed(Shown::uint(rate.into()));
    let rate_max = limits.priority_rate_max.ok_or(why(Refusal::PriorityFeeNotAllowed))?;
    if rate > rate_max {
        return Err(why(Refusal::PriorityRateAboveCap).limit(Shown::uint(rate_max.into())));
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
    judge_size(&order.size, worst_price(order, asset), asset)
}

/// The price that an order is valued at.
pub(super) fn worst_price(order: &Order<'_>, asset: &AssetLimits) -> Decimal8 {
    let is_unpriced = matches!(order.kind, OrderKind::Trigger { is_market: true, .. });
    if order.is_buy && !is_unpriced { order.price.units } else { asset.price_max }
}

/// Holds a size against the caps of its asset and returns its notional at `worst_price`.
fn judge_size(size: &Decimal<'_>, worst_price: Decimal8, asset: &AssetLimits) -> Result<u128, Why> {
    if size.units > asset.size_max {
        return Err(Why::new(Refusal::SizeAboveCap).observed(shown(size.units)).limit(shown(asset.size_max)));
    }
    let notional =
        size.units.checked_mul(worst_price).ok_or_else(|| notional_above(u128::MAX, asset.notional_max))?;
    if notional > asset.notional_max {
        return Err(notional_above(notional, asset.notional_max));
    }
    Ok(notional)
}

/// A TWAP has no price at all, so it is worth its whole size at the top of the collar, whichever side it is on.
fn judge_twap(twap: &TwapOrder<'_>, limits: &Limits<'_>) -> Result<(), Why> {
    let order = limits.order.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    let limits = order.twap.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    let asset = find_asset(twap.asset, order.assets)?;
    let why = |limit: u32| {
        Why::new(Refusal::TwapMinutesNotAllowed)
            .observed(Shown::uint(twap.minutes.into()))
            .limit(Shown::uint(limit.into()))
    };
    if twap.minutes < limits.minutes_min {
        return Err(why(limits.minutes_min));
    }
    if twap.minutes > limits.minutes_max {
        return Err(why(limits.minutes_max));
    }
    let notional = judge_size(&twap.size, asset.price_max, asset)?;
    if notional > order.action_notional_max {
        return Err(notional_above(notional, order.action_notional_max));
    }
    Ok(())
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

fn judge_cancels(
    granted: bool,
    limits: &Limits<'_>,
    assets: impl Iterator<Item = Result<u32, Why>>,
) -> Result<(), Why> {
    if !granted {
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

/// The cap is the asset's, and there is one for each direction: adding puts more at stake, taking away brings the
/// liquidation nearer.
fn judge_margin(update: &UpdateIsolatedMargin, limits: &Limits<'_>) -> Result<(), Why> {
    let limits = limits.order.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    let asset = find_asset(update.asset, limits.assets)?;
    let cap = if update.amount < 0 { asset.margin_remove_max } else { asset.margin_add_max };
    judge_usd(update.amount.unsigned_abs(), cap, Refusal::MarginAboveCap)
}

fn judge_schedule(schedule: &ScheduleCancel, limits: &Limits<'_>, now: Now) -> Result<(), Why> {
    let limits = limits.schedule_cancel.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    let Some(time) = schedule.time else {
        return if limits.clear { Ok(()) } else { Err(Refusal::ScheduleClearNotAllowed.into()) };
    };
    let latest = now.wall_ms.saturating_add(limits.ahead_max_ms);
    let why =
        |limit| Why::new(Refusal::ScheduleNotAllowed).observed(Shown::uint(time)).limit(Shown::uint(limit));
    match time {
        _ if time <= now.wall_ms => Err(why(now.wall_ms)),
        _ if time > latest => Err(why(latest)),
        _ => Ok(()),
    }
}

fn judge_vault_transfer(transfer: &VaultTransfer, limits: &Limits<'_>) -> Result<(), Why> {
    let limits = limits.vault_transfer.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    if !limits.vaults.contains(&transfer.vault) {
        return Err(Why::new(Refusal::DestinationNotAllowed).observed(Shown::Address(transfer.vault)));
    }
    let cap = if transfer.is_deposit { limits.deposit_max } else { limits.withdraw_max };
    judge_usd(transfer.amount, cap, Refusal::TransferAboveCap)
}

/// Holds 10^-6 USD against a cap of which 0 grants nothing.
fn judge_usd(amount: u64, cap: u64, refusal: Refusal) -> Result<(), Why> {
    let shown = |units: u64| Shown::Decimal { units: units.into(), scale: USD_SCALE };
    if cap == 0 {
        return Err(Refusal::ActionNotAllowed.into());
    }
    if amount > cap {
        return Err(Why::new(refusal).observed(shown(amount)).limit(shown(cap)));
    }
    Ok(())
}

pub(super) fn find_asset(asset: u32, assets: &[AssetLimits]) -> Result<&AssetLimits, Why> {
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

pub(super) const fn shown(units: Decimal8) -> Shown {
    Shown::Decimal { units, scale: DECIMAL_SCALE }
}
