//! What a desk may allow of Hyperliquid actions.

use crate::Address;
use crate::book_value::{AnyOr, book_enum, book_struct};

/// Digits after the point of [`Decimal8`].
pub const DECIMAL_SCALE: u8 = 8;

/// Digits after the point of the whole numbers that updateIsolatedMargin and vaultTransfer carry, in USD.
pub const USD_SCALE: u8 = 6;

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
        /// usdClassTransfer
        UsdClassTransfer = 4,
        /// sendAsset
        SendAsset = 5,
    }
}

book_struct! {
    /// The Hyperliquid rules of one key.
    pub struct Limits<'b> {
        /// Networks this key may sign for.
        pub networks: &'b [Network],
        /// Whether L1 actions may go without a vaultAddress ("none" is a value). User-signed ones never have one.
        pub without_vault: bool,
        /// Vaults and sub-accounts that L1 actions may act for. User-signed ones move funds of those that
        /// their own entry of `transfers` lists.
        pub vaults: &'b [Address],
        /// How far a nonce may lie behind now, ms. The exchange takes two days.
        pub nonce_behind_max_ms: u64,
        /// How far a nonce may lie ahead of now, ms. The exchange takes one day. After a boot, nonces up to this
        /// far beyond it are refused: an earlier boot may have signed them.
        pub nonce_ahead_max_ms: u64,
        /// Orders, if granted.
        pub order: Option<OrderLimits<'b>>,
        /// cancel and cancelByCloid, on the assets of `order` and of `cancel_assets`.
        pub cancel: bool,
        /// Further assets on which cancels are granted.
        pub cancel_assets: &'b [u32],
        /// twapCancel, on the same assets.
        pub twap_cancel: bool,
        /// scheduleCancel, if granted.
        pub schedule_cancel: Option<ScheduleCancelLimits>,
        /// vaultTransfer, if granted.
        pub vault_transfer: Option<VaultTransferLimits<'b>>,
        /// Transfers and withdrawals. The entry that names the action, and its token where it has one, decides.
        pub transfers: &'b [TransferLimits<'b>],
        /// approveAgent, if granted.
        pub approve_agent: Option<AgentLimits<'b>>,
        /// approveBuilderFee, if granted.
        pub approve_builder_fee: Option<BuilderFeeLimits<'b>>,
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
        /// Largest priority rate, the fee that stands in place of a grouping and is burned: 10^-8 of the notional that
        /// is filled. Without it none.
        pub priority_rate_max: Option<u32>,
        /// Most orders in one action.
        pub orders_max: u32,
        /// Largest notional of all orders of one action together, 10^-16 USD (price times size).
        pub action_notional_max: u128,
        /// modify and batchModify: the order that comes is judged like any other.
        pub modify: bool,
        /// twapOrder, if granted, under the caps of its asset.
        pub twap: Option<TwapLimits>,
    }
}

book_struct! {
    /// How long a TWAP may run. What it may trade is for its asset to say.
    pub struct TwapLimits {
        /// Shortest, minutes.
        pub minutes_min: u32,
        /// Longest, minutes.
        pub minutes_max: u32,
    }
}

book_struct! {
    /// One asset. Size cap and collar are mandatory: a book cannot grant an asset without them.
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
        /// What one of the coin that the asset is quoted in is worth at most, micro-USD, for budgets. All other
        /// amounts of the asset that are named in USD are of that coin.
        pub quote_usd_max: u64,
        /// Largest leverage updateLeverage may set; 0 grants none.
        pub leverage_max: u32,
        /// Most that updateIsolatedMargin may add to a position's margin at once, 10^-6 USD; 0 grants none.
        pub margin_add_max: u64,
        /// Most that it may take away at once, 10^-6 USD; 0 grants none.
        pub margin_remove_max: u64,
    }
}

book_struct! {
    /// scheduleCancel.
    pub struct ScheduleCancelLimits {
        /// How far ahead of now the time may lie, ms: a switch that is set for next year holds nothing.
        pub ahead_max_ms: u64,
        /// Whether the schedule may be taken away.
        pub clear: bool,
    }
}

book_struct! {
    /// vaultTransfer.
    pub struct VaultTransferLimits<'b> {
        /// The vaults.
        pub vaults: &'b [Address],
        /// Largest deposit, 10^-6 USD; 0 grants none.
        pub deposit_max: u64,
        /// Largest withdrawal, 10^-6 USD; 0 grants none.
        pub withdraw_max: u64,
    }
}

book_struct! {
    /// Transfers and withdrawals.
    pub struct TransferLimits<'b> {
        /// Which action.
        pub action: Transfer,
        /// To these addresses. The key's own address is always allowed. usdClassTransfer has none.
        pub destinations: &'b [Address],
        /// Largest amount, 10^-8 of the token.
        pub amount_max: Decimal8,
        /// Spot tokens ("NAME:0x…"), for spotSend and sendAsset; each in one entry of the action. Empty grants none.
        pub tokens: &'b [&'b str],
        /// What one of these tokens is worth at most, micro-USD; without it budgets that count them refuse them. The
        /// other actions move USDC, which counts as one dollar.
        pub usd_max: Option<u64>,
        /// sourceDex values of sendAsset; "" is the exchange's own perpetuals, "spot" the spot balance.
        pub source_dexes: &'b [&'b str],
        /// destinationDex values of sendAsset.
        pub destination_dexes: &'b [&'b str],
        /// Sub-accounts whose funds usdClassTransfer and sendAsset may move.
        pub sub_accounts: &'b [Address],
    }
}

book_struct! {
    /// approveAgent. An agent signs L1 actions for the account and is bound by no book: name only keys whose own
    /// limits are known.
    pub struct AgentLimits<'b> {
        /// The agents.
        pub agents: &'b [Address],
        /// The names they may get; "" is the unnamed one.
        pub names: AnyOr<'b, &'b str>,
    }
}

book_struct! {
    /// approveBuilderFee.
    pub struct BuilderFeeLimits<'b> {
        /// The builders.
        pub builders: &'b [Address],
        /// Highest rate, 10^-8 percent.
        pub rate_max: Decimal8,
    }
}
