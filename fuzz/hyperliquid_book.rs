//! A book that grants as much as the vocabulary can say, so that the judgement's arithmetic is reached.

use venues::Payload as _;
use venues::hyperliquid::rules::{
    AssetLimits, Grouping, Limits, Network, OrderLimits, TimeInForce, Transfer, TransferLimits,
};
use venues::hyperliquid::{Action, Content};
use wire::Now;

/// Judges `action` by such a book; only that it comes back matters.
pub fn judge(action: &Action<'_>) {
    let assets: Vec<AssetLimits> = match action.content() {
        Content::Order(batch) => batch.orders.iter().map(|order| asset(order.unwrap().asset)).collect(),
        Content::UpdateLeverage(update) => vec![asset(update.asset)],
        _ => vec![asset(0), asset(1)],
    };
    let builders: Vec<_> = match action.content() {
        Content::Order(batch) => batch.builder.iter().map(|builder| builder.address).collect(),
        _ => Vec::new(),
    };
    let vaults: Vec<_> = action.envelope().vault_address.into_iter().collect();
    let transfers = [Transfer::UsdSend, Transfer::SpotSend, Transfer::Withdraw3].map(|action| TransferLimits {
        action,
        destinations: &[],
        amount_max: u128::MAX,
        tokens: &["PURR:0xc4bf3f870c0e9465323c0b6ed28096c2"],
    });
    let limits = Limits {
        networks: &[Network::Mainnet, Network::Testnet],
        without_vault: true,
        vaults: &vaults,
        nonce_behind_max_ms: u64::MAX,
        nonce_ahead_max_ms: u64::MAX,
        order: Some(OrderLimits {
            assets: &assets,
            tifs: &[TimeInForce::Alo, TimeInForce::Ioc, TimeInForce::Gtc, TimeInForce::FrontendMarket],
            triggers: true,
            groupings: &[Grouping::Na, Grouping::NormalTpsl, Grouping::PositionTpsl],
            builders: &builders,
            builder_fee_max: u32::MAX,
            orders_max: u32::MAX,
            action_notional_max: u128::MAX,
        }),
        cancel: true,
        cancel_assets: &[0, 1, 2, 3],
        transfers: &transfers,
        signature_chain_ids: &[0xa4b1, 0x66eee],
    };
    let _ = action.judge(&limits, &[0x11; 20], Now { monotonic_ms: 0, wall_ms: 1_790_000_005_000 });
}

fn asset(asset: u32) -> AssetLimits {
    AssetLimits {
        asset,
        size_max: u128::MAX,
        price_min: 0,
        price_max: u128::MAX / 4,
        notional_max: u128::MAX,
        leverage_max: u32::MAX,
    }
}
