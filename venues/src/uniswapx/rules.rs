//! What a desk may allow of UniswapX orders and Permit2 permits. Where nothing is listed nothing is allowed;
//! `judge.rs` says in which order the rules are asked.

use crate::book_value::{book_enum, book_struct};
use crate::{Address, U256};

pub use crate::evm::rules::Ratio;

book_struct! {
    /// The rules of one key.
    pub struct Limits<'b> {
        /// Chains (EIP-155) this key may sign for.
        pub chains: &'b [u64],
        /// Permit2 contracts: the domain's verifyingContract.
        pub permit2: &'b [Address],
        /// How far ahead of now a deadline may lie, seconds.
        pub deadline_ahead_max_s: u64,
        /// Additional validation contracts an order may name. None (the zero address) is always allowed.
        pub validation_contracts: &'b [Address],
        /// Whom orders go through. The first entry that names order type, chain and reactor decides.
        pub reactors: &'b [ReactorLimits<'b>],
        /// What may be swapped. The first entry that names chain, input token and own output token decides.
        pub swaps: &'b [SwapLimits<'b>],
        /// Relay orders. The first entry that names chain and reactor decides.
        pub relays: &'b [RelayLimits<'b>],
        /// Allowance permits (PermitSingle, PermitBatch). The first entry that names chain, spender and token
        /// decides, for each token.
        pub allowances: &'b [AllowanceLimits<'b>],
        /// Transfer permits without an order (PermitTransferFrom, PermitBatchTransferFrom). The first entry that
        /// names chain, spender and token decides, for each token.
        pub transfers: &'b [TransferLimits<'b>],
    }
}

book_enum! {
    /// The type of an order, which is the type of its reactor.
    pub enum OrderType {
        /// `ExclusiveDutchOrder`.
        ExclusiveDutch = 1,
        /// `V2DutchOrder`.
        V2Dutch = 2,
        /// `V3DutchOrder`.
        V3Dutch = 3,
        /// `PriorityOrder`.
        Priority = 4,
    }
}

book_struct! {
    /// Reactors of one order type.
    pub struct ReactorLimits<'b> {
        /// Which type.
        pub order: OrderType,
        /// On these chains.
        pub chains: &'b [u64],
        /// These contracts.
        pub reactors: &'b [Address],
        /// Who may cosign: sets the start of the auction and may improve its amounts. An exclusive Dutch order
        /// has none; a priority order may name none (the zero address), which is always allowed.
        pub cosigners: &'b [Address],
        /// Exclusive Dutch orders: who may have the exclusive right to fill at first. Nobody (the zero address)
        /// is always allowed.
        pub exclusive_fillers: &'b [Address],
    }
}

book_struct! {
    /// One or more pairs of tokens.
    pub struct SwapLimits<'b> {
        /// On these chains.
        pub chains: &'b [u64],
        /// Tokens that may be sold.
        pub tokens_in: &'b [Address],
        /// Tokens that may be bought.
        pub tokens_out: &'b [Address],
        /// Whether the native coin (the zero address among the outputs) may be bought too.
        pub native_out: bool,
        /// Whether a token may be swapped for itself.
        pub same_token: bool,
        /// Largest input at its worst, base units. An input of zero is refused.
        pub amount_in_max: U256,
        /// Least own output per input, base units, each at its worst:
        /// `lowest output * denominator >= highest input * numerator`. Zero is refused whatever the ratio says.
        pub out_per_in_min: Ratio,
        /// Outputs to other addresses, if granted.
        pub fees: Option<FeeLimits<'b>>,
    }
}

book_struct! {
    /// Outputs to others than the key itself.
    pub struct FeeLimits<'b> {
        /// To these addresses.
        pub recipients: &'b [Address],
        /// Largest share of them in all outputs of the own output's token, basis points, wherever the amounts can
        /// be when the order is filled; 10,000 is no limit.
        pub share_max_bps: u32,
        /// Whether they may also be in another token than the own output, where no share can be told.
        pub other_tokens: bool,
    }
}

book_struct! {
    /// Relay orders: a fixed input to a recipient and a fee to whoever relays.
    pub struct RelayLimits<'b> {
        /// On these chains.
        pub chains: &'b [u64],
        /// Relay reactors.
        pub reactors: &'b [Address],
        /// Tokens that may be sent.
        pub tokens: &'b [Address],
        /// To these addresses. The key's own address is always allowed.
        pub recipients: &'b [Address],
        /// Largest amount, base units.
        pub amount_max: U256,
        /// Tokens the fee may be paid in.
        pub fee_tokens: &'b [Address],
        /// Largest fee at its end, base units.
        pub fee_max: U256,
    }
}

book_struct! {
    /// Permits that set an allowance in Permit2.
    pub struct AllowanceLimits<'b> {
        /// On these chains.
        pub chains: &'b [u64],
        /// For these spenders.
        pub spenders: &'b [Address],
        /// Of these tokens.
        pub tokens: &'b [Address],
        /// Largest amount, base units. The largest uint160 means "unlimited" and is always above it.
        pub amount_max: U256,
        /// How far ahead of now an allowance may expire, seconds.
        pub expiration_ahead_max_s: u64,
    }
}

book_struct! {
    /// Permits to transfer once, without an order.
    pub struct TransferLimits<'b> {
        /// On these chains.
        pub chains: &'b [u64],
        /// For these spenders, who choose where it goes.
        pub spenders: &'b [Address],
        /// Of these tokens.
        pub tokens: &'b [Address],
        /// Largest amount of a token in one permit, base units. The largest uint256 is always above it.
        pub amount_max: U256,
    }
}
