//! What an action can do to the desk's risk, and what it puts at stake.
//!
//! Orders are worth what the judge holds against the caps: a buy at its limit price, everything else at the top of the
//! collar. The book states prices in the market's quote; it counts as one dollar.

use wire::{Refusal, Venue, Why};

use super::action::{Content, Order, OrderKind, TwapOrder};
use super::judge::{find_asset, worst_price};
use super::rules::{AssetLimits, Decimal8, Limits, TimeInForce};
use crate::exposure::{Effect, Exposures, Market};

/// 10^-16 USD, the product of a price and a size, in a micro-USD.
const NOTIONAL_PER_MICRO_USD: u128 = 10_u128.pow(10);

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

/// Cancels and settings put nothing at stake. Transfers of tokens, and the margin of a position, have no value that a
/// book could state yet: a budget that counts them refuses them.
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
        Content::VaultTransfer(transfer) => {
            exposures.add(Market::funds(Venue::Hyperliquid), false, transfer.amount.into())
        }
        Content::UpdateIsolatedMargin(update) => {
            exposures.add(Market::funds(Venue::Hyperliquid), false, update.amount.unsigned_abs().into())
        }
        Content::UsdSend(_)
        | Content::SpotSend(_)
        | Content::Withdraw3(_)
        | Content::SendAsset(_)
        | Content::UsdClassTransfer(_) => Err(Refusal::TokenHasNoValue.into()),
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
    exposures.add(market(order.asset), is_post_only, worth(order.size.units, worst_price(order, asset)))
}

fn add_twap(twap: &TwapOrder<'_>, assets: &[AssetLimits], exposures: &mut Exposures) -> Result<(), Why> {
    let asset = find_asset(twap.asset, assets)?;
    exposures.add(market(twap.asset), false, worth(twap.size.units, asset.price_max))
}

fn market(asset: u32) -> Market {
    Market::number(Venue::Hyperliquid, asset.into())
}

/// What no 128 bits hold is worth the largest value.
fn worth(size: Decimal8, price: Decimal8) -> u128 {
    size.checked_mul(price).map_or(u128::MAX, |notional| notional.div_ceil(NOTIONAL_PER_MICRO_USD))
}
