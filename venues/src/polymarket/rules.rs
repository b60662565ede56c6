//! What a desk may allow of Polymarket orders and ClobAuth.

use crate::book_value::{AnyOr, book_enum, book_struct};
use crate::{Address, U256};

/// Digits after the point of shares, collateral and prices: both tokens have six decimals.
pub const DECIMALS: u8 = 6;

/// 10^[`DECIMALS`]: one share, one unit of collateral, a price of 1.
pub const ONE: u64 = 1_000_000;

/// Most that a book may forgive for rounding, in 10^-6 shares. Clients round the shares of a market BUY down to two
/// decimals more than the market's tick has: to 10^-4 shares at the usual tick of 0.01, to 10^-3 at a tick of 0.1.
pub const ROUNDING_MAX: u64 = 1_000;

book_enum! {
    /// A CTF exchange: its version, and whether it trades the outcomes of neg-risk markets.
    pub enum Exchange {
        /// Version 1.
        V1 = 1,
        /// Version 1, neg-risk.
        NegRiskV1 = 2,
        /// Version 2.
        V2 = 3,
        /// Version 2, neg-risk.
        NegRiskV2 = 4,
        /// Version 3: position ids.
        V3 = 5,
    }
}

impl Exchange {
    /// The version in the exchange's EIP-712 domain.
    #[must_use]
    pub const fn domain_version(self) -> &'static str {
        match self {
            Self::V1 | Self::NegRiskV1 => "1",
            Self::V2 | Self::NegRiskV2 => "2",
            Self::V3 => "3",
        }
    }

    /// Whether orders are of version 1, with taker, expiration, nonce and fee rate.
    #[must_use]
    pub const fn is_v1(self) -> bool {
        matches!(self, Self::V1 | Self::NegRiskV1)
    }
}

book_struct! {
    /// The Polymarket rules of one key.
    pub struct Limits<'b> {
        /// Chains this key may sign for: 137 (Polygon) and 80002 (Amoy).
        pub chains: &'b [u64],
        /// Orders, if granted.
        pub order: Option<OrderLimits<'b>>,
        /// ClobAuth, if granted: with it the order book hands out API credentials.
        pub clob_auth: Option<ClobAuthLimits>,
    }
}

book_struct! {
    /// Orders.
    pub struct OrderLimits<'b> {
        /// Whether the key may trade from its own address (signature type 0, EOA).
        pub eoa: bool,
        /// Proxy wallets it may trade from (type 1, POLY_PROXY).
        pub proxies: &'b [Address],
        /// Safes it may trade from (type 2, POLY_GNOSIS_SAFE).
        pub safes: &'b [Address],
        /// Deposit wallets it may trade from (type 3, POLY_1271).
        pub deposit_wallets: &'b [Address],
        /// What is forgiven where a BUY's price is compared with `price_max`, 10^-6 shares, at most
        /// [`ROUNDING_MAX`]. Clients round the shares of a market order down, and what is signed lies above the
        /// price that was meant. It never costs more than this many shares at `price_max`.
        pub rounding_max: u64,
        /// Whether salts of 2^53 and more are refused: JavaScript rounds them in the body of the order.
        pub salt_53_bits: bool,
        /// The markets.
        pub markets: &'b [MarketLimits<'b>],
        /// Orders of version 1, if granted.
        pub v1: Option<V1Limits<'b>>,
        /// Orders of versions 2 and 3, if granted.
        pub v2: Option<V2Limits<'b>>,
    }
}

book_struct! {
    /// The outcomes of a market. Size cap, collateral cap and collar are mandatory and hold for each order.
    pub struct MarketLimits<'b> {
        /// Exchanges on which it may be traded. A market is neg-risk or not; an order on the wrong exchange
        /// trades something else, or nothing.
        pub exchanges: &'b [Exchange],
        /// Its outcome tokens.
        pub token_ids: &'b [U256],
        /// Whether the key may buy.
        pub buy: bool,
        /// Whether the key may sell.
        pub sell: bool,
        /// Lowest price, 10^-6 collateral a share.
        pub price_min: u64,
        /// Highest price, 10^-6 collateral a share, at most [`ONE`]. A sell is valued at this price.
        pub price_max: u64,
        /// Most shares of one order, 10^-6 shares.
        pub shares_max: u64,
        /// Most collateral of one order at its worst case, 10^-6.
        pub collateral_max: u64,
    }
}

book_struct! {
    /// What only orders of version 1 sign.
    pub struct V1Limits<'b> {
        /// Largest fee rate, hundredths of a percent.
        pub fee_rate_bps_max: u64,
        /// Largest nonce. One above the maker's present nonce makes an order that can wake up later.
        pub nonce_max: u64,
        /// Takers that an order may name, beside everybody (the zero address).
        pub takers: &'b [Address],
        /// How far the expiration may lie ahead of now, s.
        pub expiration_ahead_max_s: u64,
        /// Whether orders that do not expire (expiration 0) are allowed.
        pub without_expiration: bool,
    }
}

book_struct! {
    /// What only orders of versions 2 and 3 sign. These do not sign their expiration nor their fee.
    pub struct V2Limits<'b> {
        /// How far the timestamp may lie behind now, ms.
        pub timestamp_behind_max_ms: u64,
        /// How far the timestamp may lie ahead of now, ms.
        pub timestamp_ahead_max_ms: u64,
        /// Builder codes an order may carry, beside none (zero).
        pub builders: AnyOr<'b, [u8; 32]>,
        /// Metadata an order may carry, beside none (zero).
        pub metadata: AnyOr<'b, [u8; 32]>,
    }
}

book_struct! {
    /// ClobAuth, for the key's own address only.
    pub struct ClobAuthLimits {
        /// How far the timestamp may lie behind now, s.
        pub timestamp_behind_max_s: u64,
        /// How far the timestamp may lie ahead of now, s.
        pub timestamp_ahead_max_s: u64,
        /// Largest nonce: there is one set of credentials for each.
        pub nonce_max: u64,
    }
}
