//! What a desk may allow of EIP-1559 transactions. Where nothing is listed nothing is allowed; `judge.rs` says
//! in which order the rules are asked. Calls that are not understood have no rule and cannot be allowed.

use crate::book_value::{AnyOr, book_enum, book_struct};
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
        /// Swaps. The first entry that names chain, router and both tokens decides.
        pub swaps: &'b [SwapLimits<'b>],
        /// The WETH of each chain. The first entry that names the chain decides.
        pub weth: &'b [WethLimits<'b>],
        /// Permit2 calls. The first entry that names chain and contract decides.
        pub permit2: &'b [Permit2Limits<'b>],
        /// Whether a transfer of nothing to oneself may replace a transaction that this boot has signed, on
        /// chains where no entry of `native` allows it anyway.
        pub cancel: bool,
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
        /// `approve(spender, amount)`, if granted. Without `revoke` an amount of zero needs a listed spender too.
        pub approve: Option<ApproveLimits<'b>>,
        /// `transferFrom(from, to, amount)`, if granted.
        pub transfer_from: Option<TransferFromLimits<'b>>,
        /// `permit` (ERC-2612) and a router's `selfPermit`, if granted.
        pub permit: Option<PermitLimits<'b>>,
        /// Whether `approve` of zero is allowed for any spender.
        pub revoke: bool,
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

book_struct! {
    /// `permit` of ERC-2612.
    pub struct PermitLimits<'b> {
        /// From these owners. The key's own address is always allowed.
        pub owners: &'b [Address],
        /// For these spenders.
        pub spenders: &'b [Address],
        /// Largest amount, base units.
        pub amount_max: U256,
        /// How far ahead of now the permit's deadline may lie, seconds.
        pub deadline_ahead_max_s: u64,
    }
}

book_enum! {
    /// Which router a contract is, and so which calls it takes.
    pub enum Router {
        /// Uniswap V3 SwapRouter: its structs hold a deadline.
        SwapRouter = 1,
        /// Uniswap SwapRouter02: they do not.
        SwapRouter02 = 2,
        /// Uniswap V2 Router02.
        V2Router = 3,
        /// Universal Router 1.2.
        UniversalRouterV1_2 = 4,
        /// Universal Router 2.0.
        UniversalRouterV2_0 = 5,
        /// Universal Router 2.1.1, the first whose swap inputs end with `minHopPriceX36`.
        UniversalRouterV2_1_1 = 6,
        /// Universal Router 2.1.2.
        UniversalRouterV2_1_2 = 7,
        /// Universal Router 2.2.0.
        UniversalRouterV2_2_0 = 8,
    }
}

book_struct! {
    /// Swaps.
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
        /// Tokens a path may lead through; none means single pools only.
        pub intermediates: &'b [Address],
        /// Pool fees of V3 in hundredths of a basis point.
        pub pool_fees: AnyOr<'b, u32>,
        /// Output to these addresses. The key's own address is always allowed, the router itself never.
        pub recipients: &'b [Address],
        /// Largest input of one swap, base units of the token sold. An input of zero is refused.
        pub amount_in_max: U256,
        /// Least output per input, in base units: `out * denominator >= in * numerator`, the output at its least
        /// and the input at its most. An output of zero is refused whatever the ratio says.
        pub out_per_in_min: Ratio,
        /// How far ahead of now a deadline may lie, seconds, where the call has one.
        pub deadline_ahead_max_s: u64,
        /// Whether calls may go without a deadline: SwapRouter02's single ones, a multicall or an `execute` of
        /// the form that has none.
        pub without_deadline: bool,
        /// Whether swaps for an exact output are allowed.
        pub exact_output: bool,
        /// Whether native coin may stand for the chain's WETH on either side, and be wrapped to be sold.
        pub native: bool,
        /// Whether the functions for tokens that take a fee of each transfer are allowed (V2 router only).
        pub fee_on_transfer: bool,
        /// Whether the swap may stand inside a `multicall`. A Universal Router takes nothing but batches.
        pub multicall: bool,
        /// A share of the output that may be paid to others, if granted (Universal Router only).
        pub portion: Option<PortionLimits<'b>>,
    }
}

book_struct! {
    /// `PAY_PORTION`.
    pub struct PortionLimits<'b> {
        /// To these addresses.
        pub recipients: &'b [Address],
        /// Largest share of one output in all, hundredths of a percent.
        pub bips_max: u64,
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

book_struct! {
    /// The WETH of chains (WETH9: what wraps the native coin, whatever its name).
    pub struct WethLimits<'b> {
        /// Of these chains.
        pub chains: &'b [u64],
        /// The contract.
        pub contract: Address,
        /// Largest `deposit`, wei, if granted.
        pub deposit_max: Option<U256>,
        /// Largest `withdraw`, wei, if granted.
        pub withdraw_max: Option<U256>,
    }
}

book_struct! {
    /// Permit2.
    pub struct Permit2Limits<'b> {
        /// On these chains.
        pub chains: &'b [u64],
        /// These Permit2 contracts.
        pub contracts: &'b [Address],
        /// `approve`, and a Universal Router's `PERMIT2_PERMIT` for itself, if granted.
        pub approve: Option<Permit2ApproveLimits<'b>>,
        /// Whether allowances and permits may be taken back: `invalidateUnorderedNonces`, `invalidateNonces`,
        /// `lockdown`.
        pub revoke: bool,
    }
}

book_struct! {
    /// Allowances in Permit2.
    pub struct Permit2ApproveLimits<'b> {
        /// Of these tokens.
        pub tokens: &'b [Address],
        /// For these spenders.
        pub spenders: &'b [Address],
        /// Largest amount, base units, below 2^160. "Unlimited" is an amount like any other.
        pub amount_max: U256,
        /// How far ahead of now an allowance's end and a permit's deadline may lie, seconds.
        pub expiration_ahead_max_s: u64,
    }
}
