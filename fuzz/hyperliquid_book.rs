//! A book that grants as much as the vocabulary can say, so that the judgement's arithmetic is reached.

use venues::book_value::AnyOr;
use venues::Payload as _;
use venues::hyperliquid::rules::{
    AgentLimits, AssetLimits, BuilderFeeLimits, Grouping, Limits, Network, OrderLimits, ScheduleCancelLimits,
    TimeInForce, Transfer, TransferLimits, TwapLimits, VaultTransferLimits,
};
use venues::hyperliquid::{Action, Content};
use wire::Now;

/// Judges `action` by such a book; only that it comes back matters.
pub fn judge(action: &Action<'_>) {
    let assets: Vec<AssetLimits> = match action.content() {
        Content::Order(batch) => batch.orders.iter().map(|order| asset(order.unwrap().asset)).collect(),
        Content::Modify(modify) => vec![asset(modify.order.asset)],
        Content::BatchModify(batch) => batch.iter().map(|modify| asset(modify.unwrap().order.asset)).collect(),
        Content::TwapOrder(twap) => vec![asset(twap.asset)],
        Content::UpdateLeverage(update) => vec![asset(update.asset)],
        Content::UpdateIsolatedMargin(update) => vec![asset(update.asset)],
        _ => vec![asset(0), asset(1)],
    };
    let addresses: Vec<_> = match action.content() {
        Content::Order(batch) => batch.builder.iter().map(|builder| builder.address).collect(),
        Content::ApproveBuilderFee(approval) => vec![approval.builder],
        Content::ApproveAgent(approval) => vec![approval.agent],
        Content::VaultTransfer(transfer) => vec![transfer.vault],
        _ => Vec::new(),
    };
    let vaults: Vec<_> = action.envelope().vault_address.into_iter().collect();
    let sub_account = match action.content() {
        Content::SendAsset(send) => send.sub_account,
        Content::UsdClassTransfer(transfer) => transfer.sub_account,
        _ => None,
    };
    let sub_accounts: Vec<_> = sub_account.into_iter().collect();
    let transfers = [
        Transfer::UsdSend,
        Transfer::SpotSend,
        Transfer::Withdraw3,
        Transfer::UsdClassTransfer,
        Transfer::SendAsset,
    ]
    .map(|action| TransferLimits {
        action,
        destinations: &[],
        amount_max: u128::MAX,
        tokens: &["PURR:0xc4bf3f870c0e9465323c0b6ed28096c2"],
        usd_max: Some(u64::MAX),
        source_dexes: &["", "spot"],
        destination_dexes: &["", "spot"],
        sub_accounts: &sub_accounts,
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
            builders: &addresses,
            builder_fee_max: u32::MAX,
            priority_rate_max: Some(u32::MAX),
            orders_max: u32::MAX,
            action_notional_max: u128::MAX,
            modify: true,
            twap: Some(TwapLimits { minutes_min: 0, minutes_max: u32::MAX }),
        }),
        cancel: true,
        cancel_assets: &[0, 1, 2, 3],
        twap_cancel: true,
        schedule_cancel: Some(ScheduleCancelLimits { ahead_max_ms: u64::MAX, clear: true }),
        vault_transfer: Some(VaultTransferLimits {
            vaults: &addresses,
            deposit_max: u64::MAX,
            withdraw_max: u64::MAX,
        }),
        transfers: &transfers,
        approve_agent: Some(AgentLimits { agents: &addresses, names: AnyOr::Any }),
        approve_builder_fee: Some(BuilderFeeLimits { builders: &addresses, rate_max: u128::MAX }),
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
        quote_usd_max: u64::MAX,
        leverage_max: u32::MAX,
        margin_add_max: u64::MAX,
        margin_remove_max: u64::MAX,
    }
}
