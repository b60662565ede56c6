//! Multicalls and Universal Router commands: every step is judged, and nothing stays with the router.

use proptest::prelude::*;
use venues::evm::rules::{Limits, Router, SwapLimits};
use venues::evm::{Call, STEPS_MAX, decode};
use venues::{Address, Payload, U256};
use wire::{Refusal, Shown, Why};

use crate::book::{
    BOOK, DAI, FEE_TAKER, FRIEND, NOW_S, ONE, OWN, ROUTER, ROUTER_02, STRANGER, TWO, UNIVERSAL,
    UNIVERSAL_NEW, USDC, WETH, ZERO, swaps, u,
};
use crate::calls::packed;
use crate::draft::{Arg, Draft, arguments_of, call_data, word};
use crate::facts::facts_of;
use crate::rules::{allows, big, judge, judge_by};

pub(crate) const AHEAD: U256 = u(NOW_S + 60);
const WHOLE: U256 = U256::from_limbs([0, 0, 0, 1 << 63]);

fn words(selector: u32, words: &[U256]) -> Vec<u8> {
    Draft::call(ZERO, selector, words).data
}

/// On SwapRouter02.
pub(crate) fn sell(pair: [Address; 2], recipient: Address, amounts: [u64; 2]) -> Vec<u8> {
    let [amount_in, out_min] = amounts.map(u);
    let pool = [word(pair[0]), word(pair[1]), u(500), word(recipient)];
    words(0x04e4_5aaf, &[&pool[..], &[amount_in, out_min, u(0)]].concat())
}

pub(crate) fn buy(pair: [Address; 2], recipient: Address, amounts: [u64; 2]) -> Vec<u8> {
    let [out, in_max] = amounts.map(u);
    let pool = [word(pair[0]), word(pair[1]), u(500), word(recipient)];
    words(0x5023_b4df, &[&pool[..], &[out, in_max, u(0)]].concat())
}

fn unwrap_to(amount_min: u64, recipient: Address) -> Vec<u8> {
    words(0x4940_4b7c, &[u(amount_min), word(recipient)])
}

fn sweep_to(token: Address, amount_min: u64, recipient: Address) -> Vec<u8> {
    words(0xdf2a_b5bb, &[word(token), u(amount_min), word(recipient)])
}

pub(crate) fn refund() -> Vec<u8> {
    words(0x1221_0e8a, &[])
}

fn approve() -> Vec<u8> {
    words(0x095e_a7b3, &[word(STRANGER), U256::MAX])
}

pub(crate) fn self_permit(amount: u64) -> Vec<u8> {
    words(0xf399_5c67, &[word(USDC), u(amount), AHEAD, u(27), u(1), u(2)])
}

const GOOD: [u64; 2] = [1000, 1500];

pub(crate) fn good() -> Vec<u8> {
    sell([USDC, WETH], OWN, GOOD)
}

pub(crate) fn multicall(calls: &[Vec<u8>]) -> Draft {
    Draft::call_with(ROUTER_02, 0xac96_50d8, &[Arg::List(calls.to_vec())])
}

fn multicall_until(deadline: U256, calls: &[Vec<u8>]) -> Draft {
    Draft::call_with(ROUTER_02, 0x5ae4_01dc, &[Arg::Word(deadline), Arg::List(calls.to_vec())])
}

fn with_value(value: u64, draft: Draft) -> Draft {
    Draft { value: u(value), ..draft }
}

/// A command with its input.
pub(crate) type Command = (u8, Vec<u8>);

pub(crate) fn execute(router: Address, commands: &[Command]) -> Draft {
    let bytes = commands.iter().map(|(command, _)| *command).collect();
    let inputs = commands.iter().map(|(_, input)| input.clone()).collect();
    Draft::call_with(router, 0x3593_564c, &[Arg::Bytes(bytes), Arg::List(inputs), Arg::Word(AHEAD)])
}

pub(crate) fn v3(
    command: u8,
    recipient: Address,
    amounts: [U256; 2],
    path: [Address; 2],
    from_user: bool,
) -> Command {
    let [first, second] = amounts.map(Arg::Word);
    let path = Arg::Bytes(packed(&path, &[500]));
    let payer = Arg::Word(U256::from(from_user));
    (command, arguments_of(&[Arg::Word(word(recipient)), first, second, path, payer]))
}

fn v2_new(recipient: Address, amounts: [U256; 2], hop_prices: Vec<U256>) -> Command {
    let [first, second] = amounts.map(Arg::Word);
    let path = Arg::Words(vec![word(USDC), word(WETH)]);
    let payer = Arg::Word(U256::ONE);
    let arguments = [Arg::Word(word(recipient)), first, second, path, payer, Arg::Words(hop_prices)];
    (0x08, arguments_of(&arguments))
}

pub(crate) fn sold(recipient: Address) -> Command {
    v3(0x00, recipient, GOOD.map(u), [USDC, WETH], true)
}

fn input(command: u8, words: &[U256]) -> Command {
    (command, arguments_of(&words.iter().copied().map(Arg::Word).collect::<Vec<_>>()))
}

pub(crate) fn wrap(recipient: Address, amount: U256) -> Command {
    input(0x0b, &[word(recipient), amount])
}

pub(crate) fn unwrap(recipient: Address, amount_min: u64) -> Command {
    input(0x0c, &[word(recipient), u(amount_min)])
}

pub(crate) fn sweep(token: Address, recipient: Address, amount_min: u64) -> Command {
    input(0x04, &[word(token), word(recipient), u(amount_min)])
}

pub(crate) fn portion(token: Address, recipient: Address, bips: u64) -> Command {
    input(0x06, &[word(token), word(recipient), u(bips)])
}

pub(crate) fn permit2(spender: Address, amount: u64, deadline: U256) -> Command {
    let permit = [word(USDC), u(amount), u(NOW_S + 600), u(3), word(spender), deadline];
    let mut arguments: Vec<Arg> = permit.into_iter().map(Arg::Word).collect();
    arguments.push(Arg::Bytes(vec![7; 65]));
    (0x0a, arguments_of(&arguments))
}

allowed! {
    a_multicall_of_one_good_swap: multicall(&[good()]);
    a_multicall_with_a_deadline: multicall_until(AHEAD, &[good()]);
    two_swaps_that_stay_within_the_cap_together: multicall(&[
        sell([USDC, WETH], OWN, [400, 600]), sell([USDC, WETH], OWN, [600, 900])]);
    a_multicall_behind_a_block:
        Draft::call_with(ROUTER_02, 0x1f04_64d1, &[Arg::Word(U256::MAX), Arg::List(vec![good()])]);
    output_that_stays_is_unwrapped_for_a_listed_recipient:
        multicall(&[sell([USDC, WETH], TWO, GOOD), unwrap_to(1, FRIEND)]);
    output_that_stays_is_swept_to_oneself: multicall(&[sell([USDC, WETH], TWO, GOOD), sweep_to(WETH, 1, OWN)]);
    coin_is_sold_and_the_rest_refunded: with_value(1000, multicall(&[buy([WETH, USDC], OWN, [1500, 1000]), refund()]));
    coin_that_is_all_sold_needs_no_refund: with_value(1000, multicall(&[sell([WETH, USDC], OWN, GOOD)]));
    a_permit_for_the_router_comes_first: multicall(&[self_permit(500), good()]);

    an_execute_of_one_swap: execute(UNIVERSAL, &[sold(ONE)]);
    an_execute_that_pays_a_listed_recipient: execute(UNIVERSAL, &[sold(FRIEND)]);
    an_execute_of_a_newer_router: execute(UNIVERSAL_NEW, &[v2_new(ONE, GOOD.map(u), vec![u(1)])]);
    coin_is_wrapped_sold_and_the_rest_unwrapped: with_value(1000, execute(UNIVERSAL, &[
        wrap(TWO, u(1000)), v3(0x01, ONE, [u(1500), u(1000)], [USDC, WETH], false), unwrap(ONE, 0)]));
    wrapped_coin_is_sold_whole: with_value(1000, execute(UNIVERSAL, &[
        wrap(TWO, WHOLE), v3(0x00, ONE, [WHOLE, u(1500)], [WETH, USDC], false)]));
    output_is_unwrapped: execute(UNIVERSAL, &[sold(TWO), unwrap(FRIEND, 1500)]);
    a_share_is_paid_before_the_rest_is_swept: execute(UNIVERSAL, &[
        v3(0x00, TWO, [u(1000), u(1504)], [USDC, WETH], true), portion(WETH, FEE_TAKER, 25), sweep(WETH, ONE, 1500)]);
    a_permit_for_the_universal_router_comes_first: execute(UNIVERSAL, &[permit2(UNIVERSAL, 500, AHEAD), sold(ONE)]);
}

refused! {
    a_bad_call_behind_a_good_one_refuses_the_whole: multicall(&[good(), sell([USDC, WETH], OWN, [1000, 1499])])
        => MinimumOutBelowRatio at 1 observed big(1499), limit big(1500);
    two_swaps_that_exceed_the_cap_together_are_refused: multicall(&[good(), sell([USDC, WETH], OWN, [1, 2])])
        => AmountAboveCap at 1 observed big(1001), limit big(1000);
    two_commands_that_exceed_the_cap_together_are_refused: execute(UNIVERSAL, &[sold(ONE), sold(ONE)])
        => AmountAboveCap at 1 observed big(2000), limit big(1000);
    a_good_call_behind_a_bad_one_does_not_help: multicall(&[sell([USDC, WETH], STRANGER, GOOD), good()])
        => RecipientNotAllowed at 0 observed Shown::Address(STRANGER);
    an_approval_hidden_behind_a_swap_is_unsupported: multicall(&[good(), approve()])
        => CallNotSupported at 1 observed Shown::uint(0x095e_a7b3);
    a_multicall_inside_a_multicall_is_unsupported: multicall(&[multicall(&[good()]).data])
        => NestedMulticallNotSupported at 0 observed Shown::uint(0xac96_50d8);
    a_call_with_a_byte_too_many_refuses_the_whole: multicall(&[good(), [good(), vec![0]].concat()])
        => CallDataNotCanonical at 1 observed Shown::uint(0x04e4_5aaf);
    a_call_without_a_selector_is_unsupported: multicall(&[good(), vec![1, 2]]) => CallNotSupported at 1;
    a_multicall_of_nothing_is_refused: multicall(&[]) => SwapMissing;
    too_many_calls_are_unsupported: multicall(&vec![good(); STEPS_MAX + 1])
        => TooManySteps observed Shown::uint(STEPS_MAX as u64 + 1), limit Shown::uint(STEPS_MAX as u64);
    a_deadline_that_has_passed_refuses_the_whole: multicall_until(u(NOW_S), &[good()])
        => DeadlinePassed at 0 observed big(NOW_S), limit Shown::uint(NOW_S);
    a_call_of_the_other_router_is_refused: multicall(&[SWAP_ON_SWAP_ROUTER.to_vec()])
        => CallDataNotCanonical at 0 observed Shown::uint(0x414b_f389);
    output_that_stays_is_refused: multicall(&[sell([USDC, WETH], TWO, GOOD)]) => LeftInRouter;
    output_unwrapped_for_a_stranger_is_refused: multicall(&[sell([USDC, WETH], TWO, GOOD), unwrap_to(1, STRANGER)])
        => RecipientNotAllowed at 1 observed Shown::Address(STRANGER);
    output_unwrapped_without_a_minimum_is_refused: multicall(&[sell([USDC, WETH], TWO, GOOD), unwrap_to(0, OWN)])
        => PayoutMinimumZero at 1;
    output_swept_before_it_is_there_stays: multicall(&[unwrap_to(1, OWN), sell([USDC, WETH], TWO, GOOD)])
        => LeftInRouter;
    a_sweep_of_another_token_leaves_the_output: multicall(&[sell([USDC, WETH], TWO, GOOD), sweep_to(DAI, 1, OWN)])
        => LeftInRouter;
    a_sweep_of_what_others_left_goes_to_oneself_only: multicall(&[good(), sweep_to(DAI, 1, FRIEND)])
        => RecipientNotAllowed at 1 observed Shown::Address(FRIEND);
    coin_that_is_not_refunded_is_left: with_value(1000, multicall(&[buy([WETH, USDC], OWN, [1500, 1000])]))
        => LeftInRouter;
    coin_beside_a_swap_of_tokens_is_left: with_value(1, multicall(&[good()])) => LeftInRouter;
    a_permit_for_the_router_above_the_cap_is_refused: multicall(&[self_permit(501), good()])
        => AmountAboveCap at 0 observed big(501), limit big(500);

    a_command_with_the_flag_that_lets_it_fail_is_unsupported:
        execute(UNIVERSAL, &[sold(ONE), (0x80, sold(ONE).1)]) => CommandFlagNotSupported at 1 observed Shown::uint(0x80);
    a_command_with_bit_40_is_another_command: execute(UNIVERSAL, &[(0x40, sold(ONE).1)])
        => CommandNotSupported at 0 observed Shown::uint(0x40);
    an_unknown_command_is_unsupported: execute(UNIVERSAL, &[sold(ONE), (0x3f, vec![])])
        => CommandNotSupported at 1 observed Shown::uint(0x3f);
    permit2_transfer_from_is_unsupported: execute(UNIVERSAL, &[input(0x02, &[word(USDC), word(STRANGER), u(5)])])
        => CommandNotSupported at 0 observed Shown::uint(0x02);
    a_nested_plan_is_unsupported: execute(UNIVERSAL, &[(0x21, vec![])])
        => CommandNotSupported at 0 observed Shown::uint(0x21);
    more_commands_than_inputs_are_unsupported: Draft::call_with(
        UNIVERSAL, 0x2485_6bc3, &[Arg::Bytes(vec![0, 0]), Arg::List(vec![sold(ONE).1])])
        => CommandCountDiffers observed Shown::uint(1), limit Shown::uint(2);
    more_inputs_than_commands_are_unsupported: Draft::call_with(
        UNIVERSAL, 0x2485_6bc3, &[Arg::Bytes(vec![]), Arg::List(vec![sold(ONE).1])])
        => CommandCountDiffers observed Shown::uint(1), limit Shown::uint(0);
    an_input_with_a_word_too_many_is_unsupported:
        execute(UNIVERSAL, &[(0x00, [sold(ONE).1, vec![0; 32]].concat())])
        => CallDataNotCanonical at 0 observed Shown::uint(0);
    the_inputs_of_an_older_router_are_refused: execute(UNIVERSAL_NEW, &[sold(ONE)])
        => RouterVersionDiffers at 0 observed Shown::Address(UNIVERSAL_NEW);
    the_inputs_of_a_newer_router_are_refused: execute(UNIVERSAL, &[v2_new(ONE, GOOD.map(u), vec![])])
        => RouterVersionDiffers at 0 observed Shown::Address(UNIVERSAL);
    an_execute_on_another_router_is_refused: execute(ROUTER, &[sold(ONE)])
        => ContractNotAllowed at 0 observed Shown::Address(ROUTER);
    an_execute_without_a_swap_is_refused: execute(UNIVERSAL, &[permit2(UNIVERSAL, 5, AHEAD)]) => SwapMissing;
    output_of_an_execute_that_stays_is_refused: execute(UNIVERSAL, &[sold(TWO)]) => LeftInRouter;
    output_of_an_execute_for_a_stranger_is_refused: execute(UNIVERSAL, &[sold(STRANGER)])
        => RecipientNotAllowed at 0 observed Shown::Address(STRANGER);
    coin_swept_to_a_friend_is_refused:
        with_value(1000, execute(UNIVERSAL, &[sold(ONE), sweep(ZERO, FRIEND, 1)]))
        => RecipientNotAllowed at 1 observed Shown::Address(FRIEND);
    wrapped_coin_swept_to_a_friend_is_refused:
        with_value(1000, execute(UNIVERSAL, &[sold(ONE), wrap(TWO, u(1000)), sweep(WETH, FRIEND, 1)]))
        => RecipientNotAllowed at 2 observed Shown::Address(FRIEND);
    coin_wrapped_for_a_friend_is_refused: with_value(1000, execute(UNIVERSAL, &[wrap(FRIEND, u(1000)), sold(ONE)]))
        => RecipientNotAllowed at 0 observed Shown::Address(FRIEND);
    wrapping_more_than_came_along_is_refused: with_value(999, execute(UNIVERSAL, &[wrap(TWO, u(1000)), sold(ONE)]))
        => AmountNotHeld at 0 observed big(1000), limit big(999);
    the_whole_balance_of_an_output_is_not_known: execute(UNIVERSAL, &[
        sold(TWO), v3(0x00, ONE, [WHOLE, u(9000)], [WETH, USDC], false), sweep(WETH, ONE, 1)])
        => AmountNotHeld at 1 observed Shown::Uint256(WHOLE.to_be_bytes()), limit big(1500);
    paying_from_what_the_router_has_of_others_is_refused:
        execute(UNIVERSAL, &[v3(0x00, ONE, GOOD.map(u), [USDC, WETH], false)])
        => AmountNotHeld at 0 observed big(1000), limit big(0);
    the_whole_balance_of_the_router_is_not_sold: execute(UNIVERSAL, &[v3(0x00, ONE, [WHOLE, u(1)], [USDC, WETH], true)])
        => AmountNotHeld at 0 observed Shown::Uint256(WHOLE.to_be_bytes());
    a_share_for_a_stranger_is_refused: execute(UNIVERSAL, &[sold(TWO), portion(WETH, STRANGER, 1), sweep(WETH, ONE, 1)])
        => PortionNotAllowed at 1 observed Shown::Address(STRANGER);
    a_share_above_the_cap_is_refused: execute(UNIVERSAL, &[sold(TWO), portion(WETH, FEE_TAKER, 26), sweep(WETH, ONE, 1)])
        => PortionAboveCap at 1 observed big(26), limit big(25);
    a_share_that_leaves_too_little_is_refused:
        execute(UNIVERSAL, &[sold(TWO), portion(WETH, FEE_TAKER, 25), sweep(WETH, ONE, 1)])
        => MinimumOutBelowRatio at 1 observed big(1496), limit big(1500);
    a_share_of_nothing_is_refused: execute(UNIVERSAL, &[sold(ONE), portion(WETH, FEE_TAKER, 25)])
        => PortionNotAllowed at 1 observed Shown::Address(WETH);
    a_permit_for_another_spender_is_refused: execute(UNIVERSAL, &[permit2(STRANGER, 5, AHEAD), sold(ONE)])
        => SpenderNotAllowed at 0 observed Shown::Address(STRANGER);
    a_permit_above_the_cap_of_permit2_is_refused: execute(UNIVERSAL, &[permit2(UNIVERSAL, 501, AHEAD), sold(ONE)])
        => AmountAboveCap at 0 observed big(501), limit big(500);
    a_permit_that_may_be_handed_in_for_ever_is_refused:
        execute(UNIVERSAL, &[permit2(UNIVERSAL, 5, U256::MAX), sold(ONE)])
        => DeadlineTooFar at 0 observed Shown::Uint256([0xff; 32]), limit big(NOW_S + 600);
}

/// `exactInputSingle` of SwapRouter, cut short.
const SWAP_ON_SWAP_ROUTER: [u8; 4] = [0x41, 0x4b, 0xf3, 0x89];

/// A book whose only swap entry is `entry`.
fn judge_by_entry(entry: SwapLimits<'_>, draft: &Draft) -> Option<Refusal> {
    judge_by(&Limits { swaps: &[entry], ..BOOK }, draft).err().map(|why| why.refusal)
}

#[test]
fn what_an_entry_does_not_grant_is_refused() {
    let router_02 = swaps(Router::SwapRouter02, &[ROUTER_02]);
    let universal = swaps(Router::UniversalRouterV2_0, &[UNIVERSAL]);
    let refused = Some(Refusal::FunctionNotAllowed);
    let coin = with_value(1000, multicall(&[sell([WETH, USDC], OWN, GOOD)]));
    assert_eq!(judge_by_entry(SwapLimits { multicall: false, ..router_02 }, &multicall(&[good()])), refused);
    assert_eq!(judge_by_entry(SwapLimits { native: false, ..router_02 }, &coin), refused);
    let unwrapped = multicall(&[sell([USDC, WETH], TWO, GOOD), unwrap_to(1, OWN)]);
    assert_eq!(judge_by_entry(SwapLimits { native: false, ..router_02 }, &unwrapped), refused);
    let bought = multicall(&[buy([USDC, WETH], OWN, [1500, 1000])]);
    assert_eq!(judge_by_entry(SwapLimits { exact_output: false, ..router_02 }, &bought), refused);
    let shared = execute(UNIVERSAL, &[sold(TWO), portion(WETH, FEE_TAKER, 0), sweep(WETH, ONE, 1)]);
    assert_eq!(judge_by_entry(universal, &shared), None);
    assert_eq!(judge_by_entry(SwapLimits { portion: None, ..universal }, &shared), refused);
}

#[test]
fn every_step_is_told() {
    let draft = execute(UNIVERSAL, &[permit2(UNIVERSAL, 500, AHEAD), sold(TWO), unwrap(FRIEND, 1500)]);
    let payload = draft.encode();
    let told = facts_of(&decode(&payload).unwrap());
    let functions: Vec<_> =
        told["calls"].as_array().unwrap().iter().map(|call| call["function"].clone()).collect();
    assert_eq!(functions, ["PERMIT2_PERMIT", "V3_SWAP_EXACT_IN", "UNWRAP_WETH"]);
    assert_eq!(told["calls"][1]["amount_out_min"], "1500");
    assert_eq!(told["function"], "execute");
}

#[test]
fn the_largest_batch_that_is_read_fits_into_a_receipt() {
    let path = packed(&[USDC; 9], &[0xff_ffff; 8]);
    let arguments = [
        Arg::Word(word(OWN)),
        Arg::Word(U256::MAX),
        Arg::Word(U256::MAX),
        Arg::Bytes(path),
        Arg::Word(U256::ZERO),
    ];
    let commands = vec![(0x00, arguments_of(&arguments)); STEPS_MAX];
    let payload = execute(UNIVERSAL, &commands).encode();
    // Asserts that every fact fitted.
    let told = facts_of(&decode(&payload).unwrap());
    assert_eq!(told["calls"].as_array().unwrap().len(), STEPS_MAX);
}

#[test]
fn a_list_whose_offsets_turn_back_ahead_or_out_is_not_canonical() {
    let good = multicall(&[good(), good()]);
    let list = 4 + 32 + 32;
    for (at, offset) in [(4, 0_u64), (4, 64), (list, 0), (list, 32), (list + 32, 64), (list + 32, u64::MAX)] {
        let mut data = good.data.clone();
        data[at..at + 32].copy_from_slice(&u(offset).to_be_bytes::<32>());
        let payload = Draft { data, ..good.clone() }.encode();
        let is_refused = matches!(decode(&payload).unwrap().call(), Call::NotCanonical { .. });
        assert!(is_refused, "{offset} at {at}");
    }
    let huge = call_data(0xac96_50d8, &[Arg::Words(vec![])]);
    for count in [u64::MAX, u64::MAX / 32 + 1, 1 << 40] {
        let mut data = huge.clone();
        data[36..68].copy_from_slice(&u(count).to_be_bytes::<32>());
        let payload = Draft { data, ..good.clone() }.encode();
        assert!(matches!(decode(&payload).unwrap().call(), Call::NotCanonical { .. }));
    }
}

proptest! {
    /// Flipping any bit of a batch that is allowed gives one that is refused, or that says something else.
    #[test]
    fn a_batch_with_any_bit_flipped_is_refused_or_told_differently(
        at in any::<prop::sample::Index>(), bit in 0..8_u32, which in 0..2_u8,
    ) {
        let mut draft = if which == 0 {
            multicall(&[sell([USDC, WETH], TWO, GOOD), unwrap_to(1, FRIEND)])
        } else {
            execute(UNIVERSAL, &[sold(TWO), sweep(WETH, ONE, 1500)])
        };
        let payload = draft.encode();
        let told = facts_of(&decode(&payload).unwrap());
        let at = at.index(draft.data.len());
        draft.data[at] ^= 1_u8 << bit;
        let payload = draft.encode();
        let flipped = decode(&payload).unwrap();
        if allows(&draft) {
            prop_assert_ne!(facts_of(&flipped), told);
        }
        let digest = flipped.preimage();
        prop_assert_eq!(decode(&payload).unwrap().preimage(), digest);
    }
}
