//! The swap functions of the V2 router (`IUniswapV2Router02`), and the two that SwapRouter02 took over
//! (`IV2SwapRouter`, without a deadline).
//!
//! ```text
//! amounts (one, where the other is the transaction's value), address[] path, address to, uint256 deadline
//! ```

use super::abi::{Tail, Word, open, read_address, read_uint256};
use super::rules::Router;
use super::swap::{Amounts, Coin, Deadline, PairPath, Route, Swap, Taker};
use crate::{Address, U256};

macro_rules! from_tokens {
    ($($name:ident: $function:literal, $amounts:ident, $coin:ident, $takes_fee:literal;)+) => {
        $(pub(super) fn $name<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Swap<'f>> {
            let ([first, second, path, to, deadline], tail) = open(arguments)?;
            let amounts = $amounts(read_uint256(first), read_uint256(second));
            let swap = pairs(router, $function, [path, to], Some(deadline), amounts, tail)?;
            Some(Swap { coin: Coin::$coin, takes_fee: $takes_fee, ..swap })
        })+
    };
}

macro_rules! from_coin {
    ($($name:ident: $function:literal, $amounts:ident, $takes_fee:literal;)+) => {
        $(pub(super) fn $name<'f>(router: &'f Address, arguments: &'f [u8], value: U256) -> Option<Swap<'f>> {
            let ([out, path, to, deadline], tail) = open(arguments)?;
            let amounts = $amounts(value, read_uint256(out));
            let swap = pairs(router, $function, [path, to], Some(deadline), amounts, tail)?;
            Some(Swap { coin: Coin::In, takes_fee: $takes_fee, ..swap })
        })+
    };
}

from_tokens! {
    tokens_for_tokens: "swapExactTokensForTokens", in_and_out, No, false;
    tokens_for_exact_tokens: "swapTokensForExactTokens", out_and_in, No, false;
    tokens_for_coin: "swapExactTokensForETH", in_and_out, Out, false;
    tokens_for_exact_coin: "swapTokensForExactETH", out_and_in, Out, false;
    fee_tokens_for_tokens: "swapExactTokensForTokensSupportingFeeOnTransferTokens", in_and_out, No, true;
    fee_tokens_for_coin: "swapExactTokensForETHSupportingFeeOnTransferTokens", in_and_out, Out, true;
}

from_coin! {
    coin_for_tokens: "swapExactETHForTokens", in_and_out, false;
    coin_for_exact_tokens: "swapETHForExactTokens", in_and_exact_out, false;
    coin_for_fee_tokens: "swapExactETHForTokensSupportingFeeOnTransferTokens", in_and_out, true;
}

pub(super) fn tokens_for_tokens_02<'f>(
    router: &'f Address,
    arguments: &'f [u8],
    _: U256,
) -> Option<Swap<'f>> {
    let ([amount_in, amount_out_min, path, to], tail) = open(arguments)?;
    let amounts = in_and_out(read_uint256(amount_in), read_uint256(amount_out_min));
    pairs(router, "swapExactTokensForTokens", [path, to], None, amounts, tail)
}

pub(super) fn tokens_for_exact_tokens_02<'f>(
    router: &'f Address,
    arguments: &'f [u8],
    _: U256,
) -> Option<Swap<'f>> {
    let ([amount_out, amount_in_max, path, to], tail) = open(arguments)?;
    let amounts = out_and_in(read_uint256(amount_out), read_uint256(amount_in_max));
    pairs(router, "swapTokensForExactTokens", [path, to], None, amounts, tail)
}

fn pairs<'f>(
    router: &'f Address,
    function: &'static str,
    [path, to]: [&'f Word; 2],
    deadline: Option<&'f Word>,
    amounts: Amounts,
    mut tail: Tail<'f>,
) -> Option<Swap<'f>> {
    let route = Route::Pairs(PairPath::read(tail.words(path)?)?);
    tail.close()?;
    Some(Swap {
        router,
        taker: Taker::Router(if deadline.is_some() { Router::V2Router } else { Router::SwapRouter02 }),
        function,
        route,
        recipient: read_address(to)?,
        deadline: deadline.map_or(Deadline::None, |deadline| Deadline::At(read_uint256(deadline))),
        amounts,
        sqrt_price_limit_x96: U256::ZERO,
        coin: Coin::No,
        takes_fee: false,
        payer_is_user: true,
    })
}

const fn in_and_out(amount_in: U256, amount_out_min: U256) -> Amounts {
    Amounts::ExactIn { amount_in, amount_out_min }
}

const fn in_and_exact_out(amount_in_max: U256, amount_out: U256) -> Amounts {
    Amounts::ExactOut { amount_out, amount_in_max }
}

const fn out_and_in(amount_out: U256, amount_in_max: U256) -> Amounts {
    Amounts::ExactOut { amount_out, amount_in_max }
}
