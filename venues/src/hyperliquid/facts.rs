//! What goes into the receipt of an action.

use wire::facts::{FactKey, FactSink};

use super::Action;
use super::action::{
    Cancel, CancelBatch, CancelByCloid, Content, Modify, Order, OrderBatch, OrderGrouping, OrderKind,
    OrderReference, SendAsset, Transferral, TwapOrder, UsdClassTransfer,
};
use super::list::List;
use super::rules::{Grouping, Network, TimeInForce};
use crate::Address;

/// Tells all that was understood of `action`. Prices, sizes and amounts are the texts that are hashed.
pub(super) fn tell(action: &Action<'_>, sink: &mut dyn FactSink) {
    sink.text(FactKey::Type, action.content.type_name());
    let network = match action.envelope.network {
        Network::Mainnet => "mainnet",
        Network::Testnet => "testnet",
    };
    sink.text(FactKey::Network, network);
    sink.uint(FactKey::Nonce, action.envelope.nonce);
    if let Some(vault) = &action.envelope.vault_address {
        sink.address(FactKey::Vault, vault);
    }
    if let Some(time) = action.envelope.expires_after {
        sink.uint(FactKey::ExpiresAfter, time);
    }
    match &action.content {
        Content::Order(batch) => tell_orders(batch, sink),
        Content::Cancel(batch) => tell_cancels(batch, sink),
        Content::CancelByCloid(batch) => tell_cancels_by_cloid(batch, sink),
        Content::Modify(modify) => tell_modify(modify, sink),
        Content::BatchModify(modifies) => tell_modifies(modifies, sink),
        Content::TwapOrder(twap) => tell_twap(twap, sink),
        Content::TwapCancel(cancel) => {
            sink.uint(FactKey::Asset, cancel.asset.into());
            sink.uint(FactKey::TwapId, cancel.twap_id);
        }
        Content::ScheduleCancel(schedule) => {
            if let Some(time) = schedule.time {
                sink.uint(FactKey::ScheduledTime, time);
            }
        }
        Content::UpdateLeverage(update) => {
            sink.uint(FactKey::Asset, update.asset.into());
            sink.flag(FactKey::IsCross, update.is_cross);
            sink.uint(FactKey::Leverage, update.leverage.into());
        }
        Content::UpdateIsolatedMargin(update) => {
            sink.uint(FactKey::Asset, update.asset.into());
            sink.text(FactKey::Side, side(update.is_buy));
            sink.int(FactKey::Margin, update.amount);
        }
        Content::VaultTransfer(transfer) => {
            sink.address(FactKey::TransferVault, &transfer.vault);
            sink.flag(FactKey::IsDeposit, transfer.is_deposit);
            sink.uint(FactKey::Usd, transfer.amount);
        }
        Content::UsdSend(transferral) | Content::SpotSend(transferral) | Content::Withdraw3(transferral) => {
            tell_transferral(transferral, sink);
        }
        Content::SendAsset(send) => tell_send_asset(send, sink),
        Content::UsdClassTransfer(transfer) => tell_class_transfer(transfer, sink),
        Content::ApproveAgent(approval) => {
            sink.address(FactKey::Agent, &approval.agent);
            sink.text(FactKey::AgentName, approval.name);
            sink.uint(FactKey::SignatureChainId, approval.signature_chain_id);
        }
        Content::ApproveBuilderFee(approval) => {
            sink.address(FactKey::Builder, &approval.builder);
            sink.text(FactKey::FeeRateMax, approval.rate_max.text);
            sink.uint(FactKey::SignatureChainId, approval.signature_chain_id);
        }
    }
}

fn tell_orders(batch: &OrderBatch<'_>, sink: &mut dyn FactSink) {
    match batch.grouping {
        OrderGrouping::Named(grouping) => sink.text(
            FactKey::Grouping,
            match grouping {
                Grouping::Na => "na",
                Grouping::NormalTpsl => "normalTpsl",
                Grouping::PositionTpsl => "positionTpsl",
            },
        ),
        OrderGrouping::PriorityRate(rate) => sink.uint(FactKey::PriorityFee, rate.into()),
    }
    if let Some(builder) = &batch.builder {
        sink.address(FactKey::Builder, &builder.address);
        sink.uint(FactKey::BuilderFee, builder.fee.into());
    }
    sink.open_list(FactKey::Orders);
    for order in batch.orders.iter().flatten() {
        sink.open_object(FactKey::Element);
        tell_order(&order, sink);
        sink.close();
    }
    sink.close();
}

fn tell_order(order: &Order<'_>, sink: &mut dyn FactSink) {
    sink.uint(FactKey::Asset, order.asset.into());
    sink.text(FactKey::Side, side(order.is_buy));
    sink.text(FactKey::Price, order.price.text);
    sink.text(FactKey::Size, order.size.text);
    sink.flag(FactKey::ReduceOnly, order.reduce_only);
    if let Some(cloid) = order.cloid {
        sink.text(FactKey::Cloid, cloid);
    }
    match order.kind {
        OrderKind::Limit { tif } => sink.text(
            FactKey::TimeInForce,
            match tif {
                TimeInForce::Alo => "Alo",
                TimeInForce::Ioc => "Ioc",
                TimeInForce::Gtc => "Gtc",
                TimeInForce::FrontendMarket => "FrontendMarket",
            },
        ),
        OrderKind::Trigger { is_market, price, tpsl } => {
            sink.text(FactKey::Trigger, tpsl.as_str());
            sink.text(FactKey::TriggerPrice, price.text);
            sink.flag(FactKey::TriggerIsMarket, is_market);
        }
    }
}

/// The order that goes, then the one that comes.
fn tell_modify(modify: &Modify<'_>, sink: &mut dyn FactSink) {
    match modify.target {
        OrderReference::Oid(oid) => sink.uint(FactKey::ModifiedOid, oid),
        OrderReference::Cloid(cloid) => sink.text(FactKey::ModifiedCloid, cloid),
    }
    tell_order(&modify.order, sink);
}

fn tell_twap(twap: &TwapOrder<'_>, sink: &mut dyn FactSink) {
    sink.uint(FactKey::Asset, twap.asset.into());
    sink.text(FactKey::Side, side(twap.is_buy));
    sink.text(FactKey::Size, twap.size.text);
    sink.flag(FactKey::ReduceOnly, twap.reduce_only);
    sink.uint(FactKey::Minutes, twap.minutes.into());
    sink.flag(FactKey::Randomize, twap.randomize);
}

const fn side(is_buy: bool) -> &'static str {
    if is_buy { "buy" } else { "sell" }
}

fn tell_modifies(modifies: &List<'_, Modify<'_>>, sink: &mut dyn FactSink) {
    sink.open_list(FactKey::Modifies);
    for modify in modifies.iter().flatten() {
        sink.open_object(FactKey::Element);
        tell_modify(&modify, sink);
        sink.close();
    }
    sink.close();
}

fn tell_cancels(batch: &CancelBatch<'_, Cancel>, sink: &mut dyn FactSink) {
    tell_fast(batch.fast, sink);
    sink.open_list(FactKey::Cancels);
    for cancel in batch.cancels.iter().flatten() {
        sink.open_object(FactKey::Element);
        sink.uint(FactKey::Asset, cancel.asset.into());
        sink.uint(FactKey::OrderId, cancel.oid);
        sink.close();
    }
    sink.close();
}

fn tell_cancels_by_cloid(batch: &CancelBatch<'_, CancelByCloid<'_>>, sink: &mut dyn FactSink) {
    tell_fast(batch.fast, sink);
    sink.open_list(FactKey::Cancels);
    for cancel in batch.cancels.iter().flatten() {
        sink.open_object(FactKey::Element);
        sink.uint(FactKey::Asset, cancel.asset.into());
        sink.text(FactKey::Cloid, cancel.cloid);
        sink.close();
    }
    sink.close();
}

fn tell_fast(fast: bool, sink: &mut dyn FactSink) {
    if fast {
        sink.flag(FactKey::Fast, true);
    }
}

fn tell_transferral(transferral: &Transferral<'_>, sink: &mut dyn FactSink) {
    sink.address(FactKey::Destination, &transferral.destination);
    sink.text(FactKey::Amount, transferral.amount.text);
    if let Some(token) = transferral.token {
        sink.text(FactKey::Token, token);
    }
    sink.uint(FactKey::SignatureChainId, transferral.signature_chain_id);
}

fn tell_send_asset(send: &SendAsset<'_>, sink: &mut dyn FactSink) {
    tell_transferral(&send.transferral, sink);
    sink.text(FactKey::SourceDex, send.source_dex);
    sink.text(FactKey::DestinationDex, send.destination_dex);
    tell_sub_account(send.sub_account.as_ref(), sink);
}

fn tell_class_transfer(transfer: &UsdClassTransfer<'_>, sink: &mut dyn FactSink) {
    sink.text(FactKey::Amount, transfer.amount.text);
    tell_sub_account(transfer.sub_account.as_ref(), sink);
    sink.flag(FactKey::ToPerp, transfer.to_perp);
    sink.uint(FactKey::SignatureChainId, transfer.signature_chain_id);
}

fn tell_sub_account(sub_account: Option<&Address>, sink: &mut dyn FactSink) {
    if let Some(sub_account) = sub_account {
        sink.address(FactKey::SubAccount, sub_account);
    }
}
