//! What a desk may allow of Solana messages.

use crate::AccountKey;
use crate::book_value::{book_enum, book_struct};

book_enum! {
    /// A program whose instruction layouts are compiled in.
    pub enum Program {
        /// Drift v2, dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH
        DriftV2 = 1,
        /// Velocity, vELoC1audYbSYVRXn1vPaV8Axoa9oU6BYmNGZZBDZ1P
        VelocityV1 = 2,
    }
}

book_enum! {
    /// The two kinds of Drift markets.
    pub enum MarketKind {
        /// A spot market.
        Spot = 0,
        /// A perpetual market.
        Perp = 1,
    }
}

book_struct! {
    /// The Solana rules of one key.
    pub struct Limits<'b> {
        /// The programs, each at most once.
        pub programs: &'b [ProgramLimits<'b>],
        /// Largest compute unit limit times compute unit price, micro-lamports. A message that sets a price but
        /// no limit is valued at the runtime's default for its instructions.
        pub priority_fee_max: u128,
        /// Most instructions that place orders in one message.
        pub placements_max: u32,
        /// Most orders that one message places or modifies, over all its instructions.
        pub orders_max: u32,
    }
}

book_struct! {
    /// One program.
    pub struct ProgramLimits<'b> {
        /// Which.
        pub program: Program,
        /// The program's state account (a PDA, derived when the book is compiled).
        pub state: AccountKey,
        /// The account that signs for the program's vaults (PDA, derived when the book is compiled).
        pub signer: AccountKey,
        /// User accounts this key trades (PDAs, derived when the book is compiled).
        pub users: &'b [UserAccount],
        /// The markets.
        pub markets: &'b [MarketLimits],
        /// Whether orders may be placed.
        pub orders: bool,
        /// Whether and how orders may be modified.
        pub modify: Option<ModifyLimits>,
        /// Whether orders may be cancelled.
        pub cancel: bool,
        /// Whether profit and loss may be settled.
        pub settle_pnl: bool,
        /// Order bit flags that may be set.
        pub order_bits: u8,
        /// Which builders orders may name, and what these may earn; without it none.
        pub builders: Option<BuilderLimits<'b>>,
        /// Deposits and withdrawals, each spot market at most once (Drift v2).
        pub collateral: &'b [CollateralLimits<'b>],
        /// Orders signed off chain; without it none (Drift v2).
        pub swift: Option<SwiftLimits<'b>>,
    }
}

book_struct! {
    /// What a modification may set. It names an order but not the order's market, so these limits hold for the
    /// orders of every market. Besides, its size must fit every market of the book, its prices must lie in the
    /// collar of every one, and what `unpriced` grants every one must grant too. Under collars that do not
    /// overlap no modification can set a price: such a desk cancels and places. What a modification leaves out stays
    /// as it stands on chain, whoever placed it.
    pub struct ModifyLimits {
        /// Largest base size.
        pub base_max: u64,
        /// Lowest price and trigger price, 10^-6 of the quote.
        pub price_min: u64,
        /// Highest price and trigger price, 10^-6 of the quote.
        pub price_max: u64,
        /// Whether a modification may take the limit price away or set oracle offsets and auction prices, which
        /// are offsets or prices depending on the order. Every market must be `unpriced` as well.
        pub unpriced: bool,
        /// Whether a modification may leave out the size or the limit price, and so keep those of an order that this
        /// book may never have approved.
        pub partial: bool,
    }
}

book_struct! {
    /// A user account and what belongs to it.
    pub struct UserAccount {
        /// The authority that owns it: this key.
        pub authority: AccountKey,
        /// The sub-account number.
        pub sub_account: u16,
        /// The user account, PDA of ("user", authority, sub_account LE).
        pub user: AccountKey,
        /// The statistics account, PDA of ("user_stats", authority).
        pub user_stats: AccountKey,
    }
}

book_struct! {
    /// One market. Size cap and collar are mandatory: a book cannot grant a market without them.
    pub struct MarketLimits {
        /// Spot or perpetual.
        pub kind: MarketKind,
        /// The market index.
        pub index: u16,
        /// The market account, PDA of ("perp_market" or "spot_market", index LE).
        pub account: AccountKey,
        /// Decimals of the base: 9 for perpetuals, the token's own for a spot market.
        pub base_decimals: u8,
        /// Largest base size of one order, in the market's base precision (10^9 for perpetuals).
        pub base_max: u64,
        /// Lowest limit price, 10^-6 of the quote.
        pub price_min: u64,
        /// Highest limit price, 10^-6 of the quote.
        pub price_max: u64,
        /// Whether orders may be placed that neither a limit price nor, as limit orders, an oracle offset holds
        /// (market, trigger market, oracle).
        pub unpriced: bool,
        /// Farthest that an order's prices may be from the oracle's where they are offsets from it, up or down, 10^-6
        /// of the quote; without it no order has an offset.
        pub oracle_offset_max: Option<u64>,
    }
}

book_struct! {
    /// Builders that may earn on orders.
    pub struct BuilderLimits<'b> {
        /// Their numbers among the builders that the user has approved on chain.
        pub indexes: &'b [u8],
        /// Largest fee, tenths of a basis point of an order's notional.
        pub fee_tenth_bps_max: u16,
    }
}

book_struct! {
    /// Tokens that may move between token accounts and one spot market.
    pub struct CollateralLimits<'b> {
        /// The spot market.
        pub market_index: u16,
        /// The market account, PDA of ("spot_market", index LE).
        pub account: AccountKey,
        /// The market's vault, PDA of ("spot_market_vault", index LE).
        pub vault: AccountKey,
        /// Decimals of the token.
        pub decimals: u8,
        /// What one whole token is worth at most, micro-USD; without it budgets that count it refuse it.
        pub usd_max: Option<u64>,
        /// Largest amount of one deposit, in the token's smallest unit; without it none.
        pub deposit_max: Option<u64>,
        /// Withdrawals; without it none.
        pub withdraw: Option<WithdrawLimits<'b>>,
    }
}

book_struct! {
    /// Withdrawals from one spot market.
    pub struct WithdrawLimits<'b> {
        /// Largest amount of one withdrawal, in the token's smallest unit.
        pub amount_max: u64,
        /// Token accounts that it may go to; each must stand in the message itself.
        pub destinations: &'b [AccountKey],
        /// Whether it may borrow: a withdrawal that is not reduce-only takes what the account does not have as
        /// a loan.
        pub borrow: bool,
    }
}

book_struct! {
    /// Swift texts. Their orders are judged by the markets of the program, like others; they are not counted,
    /// and no blockhash ends their life.
    pub struct SwiftLimits<'b> {
        /// User accounts of others, whose delegate this key is.
        pub delegated: &'b [AccountKey],
        /// Highest slot. A text waits for its slot, however far ahead it lies; the vault cannot know the current
        /// one, so this is where the book's texts end.
        pub slot_max: u64,
        /// Largest deposit into an isolated position, in the token's smallest unit; 0 for none.
        pub isolated_deposit_max: u64,
        /// Which margin ratios a text may set; without it none.
        pub margin_ratio: Option<MarginRatioLimits>,
    }
}

book_struct! {
    /// Margin ratios that a Swift text may set for its position. A low one raises the leverage the position may
    /// reach, a high one takes margin that other positions need.
    pub struct MarginRatioLimits {
        /// Lowest, 10^-4.
        pub min: u16,
        /// Highest, 10^-4.
        pub max: u16,
    }
}
