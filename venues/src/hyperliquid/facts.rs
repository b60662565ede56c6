//! What goes into the receipt of an action.

use wire::facts::{FactKey, FactSink};

use super::Action;
use super::action::{Content, Order, OrderBatch, OrderGrouping, OrderKind, Transferral};
use super::rules::{Grouping, Network, TimeInForce};

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
        Content::Cancel(batch) => {
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
        Content::CancelByCloid(batch) => {
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
        Content::UpdateLeverage(update) => {
            sink.uint(FactKey::Asset, update.asset.into());
            sink.flag(FactKey::IsCross, update.is_cross);
            sink.uint(FactKey::Leverage, update.leverage.into());
        }
        Content::UsdSend(transferral) | Content::SpotSend(transferral) | Content::Withdraw3(transferral) => {
            tell_transferral(transferral, sink);
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
    sink.text(FactKey::Side, if order.is_buy { "buy" } else { "sell" });
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
