//! What a desk may allow of EIP-1559 transactions. Where nothing is listed nothing is allowed; `judge.rs` says
//! in which order the rules are asked. Calls that are not understood have no rule and cannot be allowed.

use crate::book_value::{book_enum, book_struct};
use crate::{Address, U256};

book_struct! {
    /// The EVM rules of one key.
    pub struct Limits<'b> {
        /// Chain ids (EIP-155) this key may sign for.
        pub chains: &'b [u64],
        /// Largest maxFeePerGas, wei.
        pub fee_per_gas_max: U256,
        /// Largest gas limit.
        pub gas_limit_max: u64,
        /// Largest gas limit times maxFeePerGas, wei.
        pub transaction_fee_max: U256,
        /// Most addresses and storage keys an access list may hold together.
        pub access_list_entries_max: u32,
        /// Plain transfers of the native coin. The first entry that names chain and recipient decides.
        pub native: &'b [NativeLimits<'b>],
        /// ERC-20 calls. The first entry that names chain and token and grants the function decides.
        pub tokens: &'b [TokenLimits<'b>],
        /// Single-pool swaps. The first entry that names chain, router and both tokens decides.
        pub swaps: &'b [SwapLimits<'b>],
    }
}

book_struct! {
    /// Transfers of the native coin without data.
    pub struct NativeLimits<'b> {
        /// On these chains.
        pub chains: &'b [u64],
        /// To these addresses. The key's own address is always allowed.
        pub recipients: &'b [Address],
        /// Largest value, wei.
        pub value_max: U256,
    }
}

book_struct! {
    /// ERC-20 calls (EIP-20), never with native value.
    pub struct TokenLimits<'b> {
        /// On these chains.
        pub chains: &'b [u64],
        /// These token contracts.
        pub tokens: &'b [Address],
        /// `transfer(to, amount)`, if granted.
        pub transfer: Option<TransferLimits<'b>>,
        /// `approve(spender, amount)`, if granted. An amount of zero (revoking) needs a listed spender too.
        pub approve: Option<ApproveLimits<'b>>,
        /// `transferFrom(from, to, amount)`, if granted.
        pub transfer_from: Option<TransferFromLimits<'b>>,
    }
}

book_struct! {
    /// `transfer`.
    pub struct TransferLimits<'b> {
        /// To these addresses. The key's own address is always allowed.
        pub recipients: &'b [Address],
        /// Largest amount, base units.
        pub amount_max: U256,
    }
}

book_struct! {
    /// `approve`.
    pub struct ApproveLimits<'b> {
        /// These spenders.
        pub spenders: &'b [Address],
        /// Largest amount, base units. "Unlimited" is an amount like any other.
        pub amount_max: U256,
    }
}

book_struct! {
    /// `transferFrom`.
    pub struct TransferFromLimits<'b> {
        /// From these owners. The key's own address is always allowed.
        pub owners: &'b [Address],
        /// To these addresses. The key's own address is always allowed.
        pub recipients: &'b [Address],
        /// Largest amount, base units.
        pub amount_max: U256,
    }
}

book_enum! {
    /// Which single-pool swap a router takes.
    pub enum Router {
        /// Uniswap V3 SwapRouter: `exactInputSingle` with a deadline.
        SwapRouter = 1,
        /// Uniswap SwapRouter02: `exactInputSingle` without one.
        SwapRouter02 = 2,
    }
}

book_struct! {
    /// Single-pool swaps with an exact input.
    pub struct SwapLimits<'b> {
        /// On these chains.
        pub chains: &'b [u64],
        /// Through these router contracts.
        pub routers: &'b [Address],
        /// Which router they are.
        pub router: Router,
        /// Tokens that may be sold.
        pub tokens_in: &'b [Address],
        /// Tokens that may be bought.
        pub tokens_out: &'b [Address],
        /// Pool fees in hundredths of a basis point; empty means any that fits uint24.
        pub pool_fees: &'b [u32],
        /// Output to these addresses. The key's own address is always allowed, the router itself never.
        pub recipients: &'b [Address],
        /// Largest input, base units of the token sold. An input of zero is refused.
        pub amount_in_max: U256,
        /// Least output per input, in base units: `amountOutMinimum * denominator >= amountIn * numerator`.
        /// A minimum of zero is refused whatever the ratio says.
        pub out_per_in_min: Ratio,
        /// How far ahead of now a deadline may lie, seconds (SwapRouter only).
        pub deadline_ahead_max_s: u64,
    }
}

book_struct! {
    /// A ratio of base units.
    pub struct Ratio {
        /// Output units.
        pub numerator: U256,
        /// Input units, never zero.
        pub denominator: U256,
    }
}
