//! Thefts that were possible once: coin that pays for another hop, outputs that need not be bought, shares taken
//! again and again, calls that may wait for ever.

use venues::evm::rules::{Limits, Router, SwapLimits, WethLimits};
use venues::{Address, U256};
use wire::{Refusal, Shown, Why};

use crate::book::{
    BOOK, DAI, FEE_TAKER, NOW_S, ONE, OWN, ROUTER, ROUTER_02, TWO, UNIVERSAL, USDC, WETH, swaps, u,
};
use crate::calls::packed;
use crate::draft::{Arg, Draft, arguments_of, call_data, word};
use crate::rules::{big, judge, judge_by};

const AHEAD: U256 = u(NOW_S + 60);

/// Without any deposit of coin.
const PLAIN_WETH: &[WethLimits<'static>] =
    &[WethLimits { chains: &[1], contract: WETH, deposit_max: None, withdraw_max: None }];

/// USDC for DAI through WETH, coin granted and not.
const THROUGH_WETH: SwapLimits<'static> = SwapLimits {
    tokens_in: &[USDC],
    tokens_out: &[DAI],
    intermediates: &[WETH],
    ..swaps(Router::SwapRouter02, &[ROUTER_02])
};

fn refusal_by(limits: &Limits<'_>, draft: &Draft) -> Option<Refusal> {
    judge_by(limits, draft).err().map(|why| why.refusal)
}

fn path_swap(tokens: &[Address]) -> Vec<u8> {
    let path = Arg::Bytes(packed(tokens, &[500; 2]));
    let amounts = [1000, 1500].map(|amount| Arg::Word(u(amount)));
    let [amount_in, out_min] = amounts;
    call_data(0xb858_183f, &[Arg::Struct(vec![path, Arg::Word(word(OWN)), amount_in, out_min])])
}

fn sell_weth(amount_in: u64) -> Vec<u8> {
    let amounts = [u(amount_in), u(amount_in * 2), u(0)];
    let words = [&[word(WETH), word(USDC), u(500), word(OWN)][..], &amounts].concat();
    Draft::call(ROUTER_02, 0x04e4_5aaf, &words).data
}

fn refund() -> Vec<u8> {
    0x1221_0e8a_u32.to_be_bytes().to_vec()
}

fn multicall(value: U256, calls: &[Vec<u8>]) -> Draft {
    Draft { value, ..Draft::call_with(ROUTER_02, 0xac96_50d8, &[Arg::List(calls.to_vec())]) }
}

fn input(words: &[U256]) -> Vec<u8> {
    arguments_of(&words.iter().copied().map(Arg::Word).collect::<Vec<_>>())
}

fn v3(recipient: Address, [amount_in, out_min]: [u64; 2], path: [Address; 2], payer_is_user: u64) -> Vec<u8> {
    let path = Arg::Bytes(packed(&path, &[500]));
    let [amount_in, out_min, payer] = [amount_in, out_min, payer_is_user].map(|word| Arg::Word(u(word)));
    arguments_of(&[Arg::Word(word(recipient)), amount_in, out_min, path, payer])
}

fn execute(value: u64, commands: &[u8], inputs: Vec<Vec<u8>>) -> Draft {
    let arguments = [Arg::Bytes(commands.to_vec()), Arg::List(inputs), Arg::Word(AHEAD)];
    Draft { value: u(value), ..Draft::call_with(UNIVERSAL, 0x3593_564c, &arguments) }
}

/// Coin is wrapped for `recipient`, and the sender's WETH is sold.
fn wrap_and_sell(recipient: Address, wrapped: u64, sold: u64) -> Draft {
    let sale = v3(ONE, [sold, sold * 2], [WETH, USDC], 1);
    execute(wrapped, &[0x0b, 0x00], vec![input(&[word(recipient), u(wrapped)]), sale])
}

#[test]
fn coin_does_not_pay_for_the_hop_out_of_weth() {
    let swap = path_swap(&[USDC, WETH, DAI]);
    for native in [false, true] {
        let entry = &[SwapLimits { native, ..THROUGH_WETH }];
        let book = Limits { native: &[], swaps: entry, ..BOOK };
        for value in [u(1), u(1000), u(u64::MAX)] {
            let draft = multicall(value, &[swap.clone(), refund()]);
            let why = Why::new(Refusal::CoinPaysIntermediate).observed(Shown::Address(WETH)).subject(0);
            assert_eq!(judge_by(&book, &draft).map(drop), Err(why), "{native} {value}");
        }
        assert_eq!(refusal_by(&book, &multicall(u(0), &[swap.clone(), refund()])), None);
    }
}

#[test]
fn a_sale_of_coin_beside_it_does_not_excuse_the_hop_out_of_weth() {
    let entries = &[THROUGH_WETH, swaps(Router::SwapRouter02, &[ROUTER_02])];
    let book = Limits { swaps: entries, ..BOOK };
    let draft = multicall(u(1000), &[path_swap(&[USDC, WETH, DAI]), sell_weth(1000)]);
    assert_eq!(refusal_by(&book, &draft), Some(Refusal::CoinPaysIntermediate));
}

#[test]
fn a_refund_does_not_excuse_more_coin_than_is_sold() {
    assert_eq!(judge(&multicall(u(1000), &[sell_weth(600), sell_weth(400), refund()])), Ok(()));
    let why = Why::new(Refusal::ValueNotAllowed).observed(big(1001)).limit(big(1000));
    assert_eq!(judge(&multicall(u(1001), &[sell_weth(600), sell_weth(400), refund()])), Err(why));
    let why = Why::new(Refusal::ValueNotAllowed).observed(big(1)).limit(big(0));
    let swap = Draft::call(
        ROUTER_02,
        0x04e4_5aaf,
        &[word(USDC), word(WETH), u(500), word(OWN), u(1000), u(1500), u(0)],
    )
    .data;
    assert_eq!(judge(&multicall(u(1), &[swap, refund()])), Err(why));
}

#[test]
fn coin_that_is_swept_back_unused_is_refused() {
    let swept = [v3(ONE, [1000, 1500], [USDC, WETH], 1), input(&[u(0), word(ONE), u(0)])];
    let why = Why::new(Refusal::ValueNotAllowed).observed(big(5)).limit(big(0));
    assert_eq!(judge(&execute(5, &[0x00, 0x04], swept.to_vec())), Err(why));
    assert_eq!(judge(&execute(0, &[0x00, 0x04], swept.to_vec())), Ok(()));
}

#[test]
fn a_batch_is_sent_no_coin_where_the_book_names_no_weth() {
    let entry = SwapLimits { native: false, ..swaps(Router::SwapRouter02, &[ROUTER_02]) };
    let book = Limits { weth: &[], swaps: &[entry], ..BOOK };
    let why = Why::new(Refusal::ValueNotAllowed).observed(big(1000)).limit(Shown::uint(0));
    for calls in [vec![sell_weth(1000)], vec![sell_weth(1000), refund()], vec![refund(), sell_weth(1000)]] {
        assert_eq!(judge_by(&book, &multicall(u(1000), &calls)).map(drop), Err(why));
        assert_eq!(refusal_by(&book, &multicall(u(0), &calls)), None);
    }
}

#[test]
fn an_exact_output_that_stops_at_a_price_need_not_be_bought() {
    let pool = [word(USDC), word(WETH), u(500), word(OWN)];
    let exact_out = |limit: U256| {
        let words = [&pool[..], &[u(1500), u(1000), limit]].concat();
        let with_deadline = [&pool[..], &[AHEAD, u(1500), u(1000), limit]].concat();
        let single = Draft::call(ROUTER_02, 0x5023_b4df, &words);
        let inside = multicall(u(0), std::slice::from_ref(&single.data));
        [single, Draft::call(ROUTER, 0xdb3e_2198, &with_deadline), inside]
    };
    for limit in [U256::ONE, u(4_295_128_740), U256::MAX >> 96] {
        for draft in exact_out(limit) {
            assert_eq!(refusal_by(&BOOK, &draft), Some(Refusal::PriceLimitNotAllowed));
        }
    }
    assert_eq!(exact_out(U256::ZERO).map(|draft| judge(&draft)), [Ok(()); 3]);
}

#[test]
fn coin_for_a_swap_that_stops_at_a_price_would_stay_with_the_router() {
    let words = [word(WETH), word(USDC), u(500), word(OWN), u(1000), u(1500), u(1)];
    let single = Draft { value: u(1000), ..Draft::call(ROUTER_02, 0x04e4_5aaf, &words) };
    let inside = multicall(u(1000), std::slice::from_ref(&single.data));
    for draft in [single, inside] {
        assert_eq!(refusal_by(&BOOK, &draft), Some(Refusal::PriceLimitNotAllowed));
    }
}

#[test]
fn a_share_is_capped_in_all_and_not_each_time() {
    let shares = |bips: &[u64]| {
        let mut inputs = vec![v3(TWO, [1000, 1600], [USDC, WETH], 1)];
        inputs.extend(bips.iter().map(|bips| input(&[word(WETH), word(FEE_TAKER), u(*bips)])));
        inputs.push(input(&[word(WETH), word(ONE), u(1)]));
        let commands = [&[0x00][..], &vec![0x06; bips.len()], &[0x04]].concat();
        judge(&execute(0, &commands, inputs))
    };
    let above =
        |at, bips| Err(Why::new(Refusal::PortionAboveCap).observed(big(bips)).limit(big(25)).subject(at));
    assert_eq!(shares(&[25]), Ok(()));
    assert_eq!(shares(&[10, 15]), Ok(()));
    assert_eq!(shares(&[10, 16]), above(2, 26));
    assert_eq!(shares(&[25; 14]), above(2, 50));
}

#[test]
fn wrapping_is_the_grant_of_a_sale_of_coin_or_of_a_deposit() {
    let by = |native, weth, draft: &Draft| {
        let entry = SwapLimits { native, ..swaps(Router::UniversalRouterV2_0, &[UNIVERSAL]) };
        judge_by(&Limits { weth, swaps: &[entry], ..BOOK }, draft).map(drop)
    };
    let not_granted = Err(Why::new(Refusal::FunctionNotAllowed));
    let above = Err(Why::new(Refusal::ValueAboveCap).observed(big(71)).limit(big(70)));
    // The sender's WETH that is sold is what was wrapped, if coin may be sold.
    assert_eq!(by(true, PLAIN_WETH, &wrap_and_sell(ONE, 500, 500)), Ok(()));
    assert_eq!(by(true, PLAIN_WETH, &wrap_and_sell(ONE, 501, 500)), not_granted);
    assert_eq!(by(false, PLAIN_WETH, &wrap_and_sell(ONE, 500, 500)), not_granted);
    // A deposit has its cap.
    assert_eq!(by(true, BOOK.weth, &wrap_and_sell(ONE, 570, 500)), Ok(()));
    assert_eq!(by(true, BOOK.weth, &wrap_and_sell(ONE, 571, 500)), above);
    assert_eq!(by(false, BOOK.weth, &wrap_and_sell(ONE, 70, 500)), Ok(()));
    assert_eq!(by(false, BOOK.weth, &wrap_and_sell(ONE, 71, 500)), above);
    // Through the router it is no other deed.
    let swept = |amount: u64| {
        let sale = v3(ONE, [1000, 1500], [USDC, WETH], 1);
        let sweep = input(&[word(WETH), word(ONE), u(0)]);
        execute(amount, &[0x0b, 0x00, 0x04], vec![input(&[word(TWO), u(amount)]), sale, sweep])
    };
    assert_eq!(by(true, PLAIN_WETH, &swept(1)), not_granted);
    assert_eq!(by(true, BOOK.weth, &swept(70)), Ok(()));
    assert_eq!(by(true, BOOK.weth, &swept(71)), above);
}

#[test]
fn weth_that_was_bought_and_is_sold_again_does_not_excuse_a_wrap() {
    let entries =
        &[SwapLimits { amount_in_max: u(3000), ..swaps(Router::UniversalRouterV2_0, &[UNIVERSAL]) }];
    let inputs = vec![
        input(&[word(ONE), u(1000)]),
        v3(TWO, [1000, 1500], [USDC, WETH], 1),
        v3(ONE, [1000, 1500], [WETH, USDC], 0),
        input(&[word(WETH), word(ONE), u(1)]),
    ];
    let book = Limits { weth: PLAIN_WETH, swaps: entries, ..BOOK };
    let bought_first = execute(1000, &[0x0b, 0x00, 0x00, 0x04], inputs);
    assert_eq!(refusal_by(&book, &bought_first), Some(Refusal::FunctionNotAllowed));
}

#[test]
fn a_call_without_a_deadline_is_refused_unless_the_book_says_so() {
    let words = [word(USDC), word(WETH), u(500), word(OWN), u(1000), u(1500), u(0)];
    let single = Draft::call(ROUTER_02, 0x04e4_5aaf, &words);
    let behind = [Arg::Word(U256::MAX), Arg::List(vec![single.data.clone()])];
    let swap = v3(ONE, [1000, 1500], [USDC, WETH], 1);
    let drafts = [
        single.clone(),
        multicall(u(0), std::slice::from_ref(&single.data)),
        Draft::call_with(ROUTER_02, 0x1f04_64d1, &behind),
        Draft::call_with(UNIVERSAL, 0x2485_6bc3, &[Arg::Bytes(vec![0]), Arg::List(vec![swap.clone()])]),
    ];
    let by = |without_deadline, draft: &Draft| {
        let entries = [
            SwapLimits { without_deadline, ..swaps(Router::SwapRouter02, &[ROUTER_02]) },
            SwapLimits { without_deadline, ..swaps(Router::UniversalRouterV2_0, &[UNIVERSAL]) },
        ];
        refusal_by(&Limits { swaps: &entries, ..BOOK }, draft)
    };
    for draft in &drafts {
        assert_eq!(by(false, draft), Some(Refusal::DeadlineMissing));
        assert_eq!(by(true, draft), None);
    }
    let until = [Arg::Word(AHEAD), Arg::List(vec![single.data])];
    assert_eq!(by(false, &Draft::call_with(ROUTER_02, 0x5ae4_01dc, &until)), None);
    assert_eq!(by(false, &execute(0, &[0], vec![swap])), None);
}

#[test]
fn the_deadline_of_each_swap_of_a_multicall_will_do() {
    let words = [word(USDC), word(WETH), u(500), word(OWN), AHEAD, u(1000), u(1500), u(0)];
    let swap = Draft::call(ROUTER, 0x414b_f389, &words).data;
    let draft = Draft::call_with(ROUTER, 0xac96_50d8, &[Arg::List(vec![swap])]);
    assert_eq!(judge(&draft), Ok(()));
}
