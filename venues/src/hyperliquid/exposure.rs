//! What an action can do to the desk's risk, and what it puts at stake.
//!
//! Orders are worth what the judge holds against the caps: a buy at its limit price, everything else at the top of the
//! collar. Prices are in the coin that the asset is quoted in, whose worth the asset's rules name. Fees are not counted:
//! the exchange's, a builder's, the priority rate's.

use wire::{Refusal, Venue, Why};

use super::action::{Content, Order, OrderKind, Transferral, TwapOrder, UpdateIsolatedMargin};
use super::decimal::Decimal;
use super::judge::{NOTIONAL_SCALE, find_asset, worst_price};
use super::judge_user_signed::find_entry;
use super::rules::{AssetLimits, DECIMAL_SCALE, Decimal8, Limits, TimeInForce, USD_SCALE};
use crate::U256;
use crate::exposure::{Effect, Exposures, MICRO_USD_PER_USD, Market, worth};

/// A cancel takes orders away, whichever: also one that would have closed a position. To clear the scheduled cancel
/// takes a protection away and is none.
pub(super) fn effect(content: &Content<'_>) -> Effect {
    let reduces = |is_reducing: bool| if is_reducing { Effect::Reduces } else { Effect::Opens };
    match content {
        Content::Cancel(_) | Content::CancelByCloid(_) | Content::TwapCancel(_) => Effect::Cancels,
        Content::ScheduleCancel(schedule) if schedule.time.is_some() => Effect::Cancels,
        Content::Order(batch) => {
            let mut orders = batch.orders.iter();
            let is_reducing = orders.all(|order| order.is_ok_and(|order| order.reduce_only));
            reduces(is_reducing && batch.orders.len() > 0)
        }
        Content::Modify(modify) => reduces(modify.order.reduce_only),
        Content::BatchModify(batch) => {
            let mut modifies = batch.iter();
            let is_reducing = modifies.all(|modify| modify.is_ok_and(|modify| modify.order.reduce_only));
            reduces(is_reducing && batch.len() > 0)
        }
        Content::TwapOrder(twap) => reduces(twap.reduce_only),
        Content::ScheduleCancel(_)
        | Content::UpdateLeverage(_)
        | Content::UpdateIsolatedMargin(_)
        | Content::VaultTransfer(_)
        | Content::UsdSend(_)
        | Content::SpotSend(_)
        | Content::Withdraw3(_)
        | Content::SendAsset(_)
        | Content::UsdClassTransfer(_)
        | Content::ApproveAgent(_)
        | Content::ApproveBuilderFee(_) => Effect::Opens,
    }
}

/// Cancels and settings put nothing at stake. Transfers count whole, also those between one's own balances: a dollar
/// a USDC, and a spot token what the entry that grants the transfer says.
pub(super) fn expose(
    content: &Content<'_>,
    limits: &Limits<'_>,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let assets = limits.order.map_or(&[][..], |order| order.assets);
    match content {
        Content::Order(batch) => batch.orders.iter().try_for_each(|order| add(&order?, assets, exposures)),
        Content::Modify(modify) => add(&modify.order, assets, exposures),
        Content::BatchModify(batch) => {
            batch.iter().try_for_each(|modify| add(&modify?.order, assets, exposures))
        }
        Content::TwapOrder(twap) => add_twap(twap, assets, exposures),
        Content::UpdateIsolatedMargin(update) => add_margin(update, assets, exposures),
        Content::VaultTransfer(transfer) => add_funds(transfer.amount.into(), exposures),
        Content::UsdSend(transferral) | Content::Withdraw3(transferral) => {
            add_funds(usdc(&transferral.amount), exposures)
        }
        Content::UsdClassTransfer(transfer) => add_funds(usdc(&transfer.amount), exposures),
        Content::SpotSend(transferral) => add_tokens(transferral, limits, exposures),
        Content::SendAsset(send) => add_tokens(&send.transferral, limits, exposures),
        Content::Cancel(_)
        | Content::CancelByCloid(_)
        | Content::TwapCancel(_)
        | Content::ScheduleCancel(_)
        | Content::UpdateLeverage(_)
        | Content::ApproveAgent(_)
        | Content::ApproveBuilderFee(_) => Ok(()),
    }
}

fn add(order: &Order<'_>, assets: &[AssetLimits], exposures: &mut Exposures) -> Result<(), Why> {
    let asset = find_asset(order.asset, assets)?;
    let is_post_only = matches!(order.kind, OrderKind::Limit { tif: TimeInForce::Alo });
    let notional = notional(order.size.units, worst_price(order, asset), asset);
    exposures.add(market(order.asset), is_post_only, notional)
}

fn add_twap(twap: &TwapOrder<'_>, assets: &[AssetLimits], exposures: &mut Exposures) -> Result<(), Why> {
    let asset = find_asset(twap.asset, assets)?;
    exposures.add(market(twap.asset), false, notional(twap.size.units, asset.price_max, asset))
}

fn add_margin(
    update: &UpdateIsolatedMargin,
    assets: &[AssetLimits],
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let asset = find_asset(update.asset, assets)?;
    let amount = U256::from(update.amount.unsigned_abs());
    add_funds(worth(amount, USD_SCALE, asset.quote_usd_max), exposures)
}

fn add_tokens(
    transferral: &Transferral<'_>,
    limits: &Limits<'_>,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let entry = find_entry(transferral.action, transferral.token, limits)?;
    let usd_max = entry.usd_max.ok_or(Refusal::TokenHasNoValue)?;
    add_funds(worth(U256::from(transferral.amount.units), DECIMAL_SCALE, usd_max), exposures)
}

fn add_funds(micro_usd: u128, exposures: &mut Exposures) -> Result<(), Why> {
    exposures.add(Market::funds(Venue::Hyperliquid), false, micro_usd)
}

fn usdc(amount: &Decimal<'_>) -> u128 {
    worth(U256::from(amount.units), DECIMAL_SCALE, MICRO_USD_PER_USD)
}

fn market(asset: u32) -> Market {
    Market::number(Venue::Hyperliquid, asset.into())
}

fn notional(size: Decimal8, price: Decimal8, asset: &AssetLimits) -> u128 {
    let notional = U256::from(size).saturating_mul(U256::from(price));
    worth(notional, NOTIONAL_SCALE, asset.quote_usd_max)
}
