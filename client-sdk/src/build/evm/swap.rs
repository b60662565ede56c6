//! Call data of swaps along a path on Uniswap's V2 router, SwapRouter and SwapRouter02, of what stands beside
//! them in a `multicall`, and of the multicall itself. Each goes into [`call`](super::call).

use venues::{Address, U256};

use super::abi::{Arg, address_word, call_data};
use super::token::SignedPermit;
use super::{Error, Router};

/// How much is sold and bought, base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amounts {
    /// An exact input for at least a minimum.
    ExactIn {
        /// what is sold
        amount_in: U256,
        /// least that must be bought
        amount_out_min: U256,
    },
    /// An exact output for at most a maximum.
    ExactOut {
        /// what is bought
        amount_out: U256,
        /// most that may be sold
        amount_in_max: U256,
    },
}

impl Amounts {
    pub(super) const fn words(&self) -> [U256; 2] {
        match *self {
            Self::ExactIn { amount_in, amount_out_min } => [amount_in, amount_out_min],
            Self::ExactOut { amount_out, amount_in_max } => [amount_out, amount_in_max],
        }
    }

    pub(super) const fn is_exact_out(&self) -> bool {
        matches!(self, Self::ExactOut { .. })
    }
}

/// A path through pools of V3, from the token that is sold to the one that is bought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V3Path {
    /// The token that is sold.
    pub token_in: Address,
    /// The fee of each pool in hundredths of a basis point, below 2^24, and the token behind it.
    pub pools: Vec<(u32, Address)>,
}

impl V3Path {
    /// The packed path; an exact output has it backwards.
    pub(super) fn pack(&self, is_exact_out: bool) -> Result<Vec<u8>, Error> {
        if self.pools.is_empty() {
            return Err(Error::PathEmpty);
        }
        let mut parts: Vec<Vec<u8>> = vec![self.token_in.to_vec()];
        for (fee, token) in &self.pools {
            let [0, fee @ ..] = fee.to_be_bytes() else { return Err(Error::PoolFeeTooLarge) };
            parts.extend([fee.to_vec(), token.to_vec()]);
        }
        if is_exact_out {
            parts.reverse();
        }
        Ok(parts.concat())
    }
}

/// `exactInput` or `exactOutput` of SwapRouter or SwapRouter02.
///
/// # Errors
/// [`Error::PathEmpty`] or [`Error::PoolFeeTooLarge`].
pub fn v3_swap(
    router: Router,
    path: &V3Path,
    recipient: &Address,
    amounts: &Amounts,
) -> Result<Vec<u8>, Error> {
    let packed = path.pack(amounts.is_exact_out())?;
    let mut members = vec![Arg::Bytes(&packed), recipient.into()];
    let selector = match (router, amounts.is_exact_out()) {
        (Router::SwapRouter { .. }, false) => [0xc0, 0x4b, 0x8d, 0x59],
        (Router::SwapRouter { .. }, true) => [0xf2, 0x8c, 0x04, 0x98],
        (Router::SwapRouter02, false) => [0xb8, 0x58, 0x18, 0x3f],
        (Router::SwapRouter02, true) => [0x09, 0xb8, 0x13, 0x46],
    };
    if let Router::SwapRouter { deadline_s } = router {
        members.push(deadline_s.into());
    }
    members.extend(amounts.words().map(Arg::from));
    Ok(call_data(selector, &[Arg::Struct(members)]))
}

/// `exactOutputSingle`, or `exactInputSingle`, of SwapRouter or SwapRouter02.
///
/// # Errors
/// [`Error::PoolFeeTooLarge`] or [`Error::PriceLimitTooLarge`].
pub fn v3_single(
    router: Router,
    [token_in, token_out]: [&Address; 2],
    pool_fee: u32,
    recipient: &Address,
    amounts: &Amounts,
    sqrt_price_limit_x96: U256,
) -> Result<Vec<u8>, Error> {
    if pool_fee >= 1 << 24 {
        return Err(Error::PoolFeeTooLarge);
    }
    if sqrt_price_limit_x96.bit_len() > 160 {
        return Err(Error::PriceLimitTooLarge);
    }
    let selector = match (router, amounts.is_exact_out()) {
        (Router::SwapRouter { .. }, false) => [0x41, 0x4b, 0xf3, 0x89],
        (Router::SwapRouter { .. }, true) => [0xdb, 0x3e, 0x21, 0x98],
        (Router::SwapRouter02, false) => [0x04, 0xe4, 0x5a, 0xaf],
        (Router::SwapRouter02, true) => [0x50, 0x23, 0xb4, 0xdf],
    };
    let mut words: Vec<Arg<'_>> =
        vec![token_in.into(), token_out.into(), u64::from(pool_fee).into(), recipient.into()];
    if let Router::SwapRouter { deadline_s } = router {
        words.push(deadline_s.into());
    }
    words.extend(amounts.words().map(Arg::from));
    words.push(sqrt_price_limit_x96.into());
    Ok(call_data(selector, &words))
}

/// What a V2 swap moves. Coin stands for WETH, which is then the path's first or last token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum V2Kind {
    /// Tokens for tokens.
    Tokens,
    /// Native coin for tokens: the transaction's value is the (most) input.
    FromCoin,
    /// Tokens for native coin.
    ToCoin,
}

/// A swap on the V2 router. `is_fee_on_transfer` takes the functions for tokens that keep a fee of each transfer;
/// they have exact inputs only.
///
/// # Errors
/// [`Error::PathEmpty`] below two tokens; [`Error::FeeOnTransferExactOut`].
pub fn v2_swap(
    kind: V2Kind,
    path: &[Address],
    recipient: &Address,
    amounts: &Amounts,
    is_fee_on_transfer: bool,
    deadline_s: u64,
) -> Result<Vec<u8>, Error> {
    if path.len() < 2 {
        return Err(Error::PathEmpty);
    }
    let selector = match (kind, amounts.is_exact_out(), is_fee_on_transfer) {
        (_, true, true) => return Err(Error::FeeOnTransferExactOut),
        (V2Kind::Tokens, false, false) => [0x38, 0xed, 0x17, 0x39],
        (V2Kind::Tokens, true, false) => [0x88, 0x03, 0xdb, 0xee],
        (V2Kind::Tokens, false, true) => [0x5c, 0x11, 0xd7, 0x95],
        (V2Kind::FromCoin, false, false) => [0x7f, 0xf3, 0x6a, 0xb5],
        (V2Kind::FromCoin, true, false) => [0xfb, 0x3b, 0xdb, 0x41],
        (V2Kind::FromCoin, false, true) => [0xb6, 0xf9, 0xde, 0x95],
        (V2Kind::ToCoin, false, false) => [0x18, 0xcb, 0xaf, 0xe5],
        (V2Kind::ToCoin, true, false) => [0x4a, 0x25, 0xd9, 0x4a],
        (V2Kind::ToCoin, false, true) => [0x79, 0x1a, 0xc9, 0x47],
    };
    let mut arguments: Vec<Arg<'_>> = match (kind, *amounts) {
        (V2Kind::FromCoin, Amounts::ExactIn { amount_out_min: out, .. })
        | (V2Kind::FromCoin, Amounts::ExactOut { amount_out: out, .. }) => vec![out.into()],
        (V2Kind::Tokens | V2Kind::ToCoin, amounts) => amounts.words().map(Arg::from).into(),
    };
    arguments.push(Arg::Words(path.iter().map(address_word).collect()));
    arguments.extend([recipient.into(), deadline_s.into()]);
    Ok(call_data(selector, &arguments))
}

/// `unwrapWETH9(amountMinimum, recipient)`, inside a multicall.
#[must_use]
pub fn unwrap_weth(amount_min: U256, recipient: &Address) -> Vec<u8> {
    call_data([0x49, 0x40, 0x4b, 0x7c], &[amount_min.into(), recipient.into()])
}

/// `sweepToken(token, amountMinimum, recipient)`, inside a multicall.
#[must_use]
pub fn sweep_token(token: &Address, amount_min: U256, recipient: &Address) -> Vec<u8> {
    call_data([0xdf, 0x2a, 0xb5, 0xbb], &[token.into(), amount_min.into(), recipient.into()])
}

/// `refundETH()`, inside a multicall.
#[must_use]
pub fn refund_eth() -> Vec<u8> {
    call_data([0x12, 0x21, 0x0e, 0x8a], &[])
}

/// `selfPermit(token, value, deadline, v, r, s)`, inside a multicall.
#[must_use]
pub fn self_permit(token: &Address, permit: &SignedPermit) -> Vec<u8> {
    let terms = [token.into(), permit.amount.into(), permit.deadline_s.into()];
    let arguments: Vec<Arg<'_>> = terms.into_iter().chain(permit.signature_words().map(Arg::from)).collect();
    call_data([0xf3, 0x99, 0x5c, 0x67], &arguments)
}

/// What bounds a multicall in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Nothing but the deadlines of the calls: both routers take it.
    None,
    /// Unix time in seconds (SwapRouter02).
    Deadline(u64),
    /// The hash of the block before (SwapRouter02).
    PreviousBlockhash([u8; 32]),
}

/// `multicall` of `calls`, each the data of a call of the same router.
#[must_use]
pub fn multicall(bound: Bound, calls: &[Vec<u8>]) -> Vec<u8> {
    match bound {
        Bound::None => call_data([0xac, 0x96, 0x50, 0xd8], &[Arg::List(calls)]),
        Bound::Deadline(deadline_s) => {
            call_data([0x5a, 0xe4, 0x01, 0xdc], &[deadline_s.into(), Arg::List(calls)])
        }
        Bound::PreviousBlockhash(hash) => {
            let hash = Arg::Word(U256::from_be_bytes(hash));
            call_data([0x1f, 0x04, 0x64, 0xd1], &[hash, Arg::List(calls)])
        }
    }
}
