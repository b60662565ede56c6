//! WETH, Permit2, permits, and swaps of every kind but in a batch.

use crate::book::{
    DAI, FRIEND, NOW_S, ONE, OWN, OWNER, PERMIT2, ROUTER, ROUTER_02, SPENDER, STRANGER, USDC, V2_ROUTER,
    WETH, ZERO, u,
};
use crate::draft::{Arg, Draft, word};
use crate::facts::facts_of;
use crate::rules::{big, judge};
use venues::evm::{Call, HOPS_MAX, decode};
use venues::{Address, U256};
use wire::{Refusal, Shown, Why};

const AHEAD: U256 = u(NOW_S + 60);

fn deposit(contract: Address, value: u64) -> Draft {
    Draft { value: u(value), ..Draft::call(contract, 0xd0e3_0db0, &[]) }
}

fn withdraw(contract: Address, amount: u64) -> Draft {
    Draft::call(contract, 0x2e1a_7d4d, &[u(amount)])
}

fn permit(owner: Address, spender: Address, amount: u64, deadline: U256) -> Draft {
    let words = [word(owner), word(spender), u(amount), deadline, u(27), U256::MAX, U256::MAX];
    Draft::call(USDC, 0xd505_accf, &words)
}

fn permit2_approve(token: Address, spender: Address, amount: u64, expiration: u64) -> Draft {
    Draft::call(PERMIT2, 0x8751_7c45, &[word(token), word(spender), u(amount), u(expiration)])
}

fn v2(selector: u32, amounts: [u64; 2], path: &[Address], to: Address, deadline: U256) -> Draft {
    let path = Arg::Words(path.iter().copied().map(word).collect());
    let [first, second] = amounts.map(|amount| Arg::Word(u(amount)));
    Draft::call_with(V2_ROUTER, selector, &[first, second, path, Arg::Word(word(to)), Arg::Word(deadline)])
}

/// A V2 swap whose input is the transaction's value.
fn v2_of_coin(selector: u32, value: u64, out: u64, path: &[Address]) -> Draft {
    let path = Arg::Words(path.iter().copied().map(word).collect());
    let arguments = [Arg::Word(u(out)), path, Arg::Word(word(OWN)), Arg::Word(AHEAD)];
    Draft { value: u(value), ..Draft::call_with(V2_ROUTER, selector, &arguments) }
}

pub(crate) fn packed(tokens: &[Address], fees: &[u32]) -> Vec<u8> {
    let mut path = tokens[0].to_vec();
    for (token, fee) in tokens[1..].iter().zip(fees) {
        path.extend(&fee.to_be_bytes()[1..]);
        path.extend(token);
    }
    path
}

fn exact_input(path: Vec<u8>, recipient: Address, amounts: [u64; 2]) -> Draft {
    let [amount_in, amount_out_min] = amounts.map(|amount| Arg::Word(u(amount)));
    let members =
        vec![Arg::Bytes(path), Arg::Word(word(recipient)), Arg::Word(AHEAD), amount_in, amount_out_min];
    Draft::call_with(ROUTER, 0xc04b_8d59, &[Arg::Struct(members)])
}

fn exact_output_02(path: Vec<u8>, amounts: [u64; 2]) -> Draft {
    let [amount_out, amount_in_max] = amounts.map(|amount| Arg::Word(u(amount)));
    let members = vec![Arg::Bytes(path), Arg::Word(word(OWN)), amount_out, amount_in_max];
    Draft::call_with(ROUTER_02, 0x09b8_1346, &[Arg::Struct(members)])
}

fn exact_output_single(amounts: [u64; 2]) -> Draft {
    let [out, in_max] = amounts.map(u);
    let words = [word(USDC), word(WETH), u(500), word(OWN), AHEAD, out, in_max, u(0)];
    Draft::call(ROUTER, 0xdb3e_2198, &words)
}

/// WETH for USDC on SwapRouter, with native coin.
fn coin_on_swap_router(value: u64, amount_in: u64) -> Draft {
    let words = [word(WETH), word(USDC), u(500), word(OWN), AHEAD, u(amount_in), u(1500), u(0)];
    Draft { value: u(value), ..Draft::call(ROUTER, 0x414b_f389, &words) }
}

allowed! {
    coin_is_wrapped_up_to_the_cap: deposit(WETH, 70);
    coin_is_unwrapped_up_to_the_cap: withdraw(WETH, 80);
    a_permit_of_a_listed_owner_is_handed_in: permit(OWNER, SPENDER, 500, AHEAD);
    a_permit_of_ones_own_is_handed_in: permit(OWN, SPENDER, 500, AHEAD);
    a_zero_approval_is_granted_for_any_spender: Draft::call(DAI, 0x095e_a7b3, &[word(STRANGER), u(0)]);
    an_allowance_in_permit2_is_given_to_a_listed_spender: permit2_approve(USDC, SPENDER, 500, NOW_S + 600);
    an_allowance_that_has_ended_harms_nobody: permit2_approve(USDC, SPENDER, 500, 0);
    unordered_nonces_are_invalidated: Draft::call(PERMIT2, 0x3ff9_dcb1, &[U256::MAX, U256::MAX]);
    nonces_are_invalidated: Draft::call(PERMIT2, 0x65d9_723c, &[word(DAI), word(STRANGER), u((1 << 48) - 1)]);
    allowances_are_locked_down:
        Draft::call_with(PERMIT2, 0xcc53_287f, &[Arg::Pairs(vec![[word(DAI), word(STRANGER)]; 2])]);

    tokens_for_tokens_at_the_ratio: v2(0x38ed_1739, [1000, 1500], &[USDC, WETH], FRIEND, AHEAD);
    tokens_for_tokens_through_a_listed_token: v2(0x38ed_1739, [1000, 1500], &[USDC, DAI, WETH], OWN, AHEAD);
    tokens_for_exact_tokens_at_the_ratio: v2(0x8803_dbee, [1500, 1000], &[USDC, WETH], OWN, AHEAD);
    tokens_for_coin: v2(0x18cb_afe5, [1000, 1500], &[USDC, WETH], OWN, AHEAD);
    tokens_for_exact_coin: v2(0x4a25_d94a, [1500, 1000], &[USDC, WETH], OWN, AHEAD);
    tokens_with_a_fee_for_tokens: v2(0x5c11_d795, [1000, 1500], &[USDC, WETH], OWN, AHEAD);
    tokens_with_a_fee_for_coin: v2(0x791a_c947, [1000, 1500], &[USDC, WETH], OWN, AHEAD);
    coin_for_tokens: v2_of_coin(0x7ff3_6ab5, 1000, 1500, &[WETH, USDC]);
    coin_for_exact_tokens: v2_of_coin(0xfb3b_db41, 1000, 1500, &[WETH, USDC]);
    coin_for_tokens_with_a_fee: v2_of_coin(0xb6f9_de95, 1000, 1500, &[WETH, USDC]);
    a_path_of_two_pools: exact_input(packed(&[USDC, DAI, WETH], &[500, 3000]), OWN, [1000, 1500]);
    an_exact_output_by_a_path_written_backwards:
        exact_output_02(packed(&[WETH, DAI, USDC], &[500, 3000]), [1500, 1000]);
    an_exact_output_through_one_pool: exact_output_single([1500, 1000]);
    coin_that_is_all_sold_on_swap_router: coin_on_swap_router(1000, 1000);
    address_1_is_the_sender_on_swap_router_02: Draft::call(
        ROUTER_02, 0x04e4_5aaf, &[word(USDC), word(WETH), u(500), word(ONE), u(1000), u(1500), u(0)]);
}

refused! {
    wrapping_above_the_cap_is_refused: deposit(WETH, 71) => ValueAboveCap observed big(71), limit big(70);
    a_deposit_in_another_contract_is_refused: deposit(DAI, 1)
        => ContractNotAllowed observed Shown::Address(DAI);
    a_deposit_with_arguments_is_not_canonical: Draft::call(WETH, 0xd0e3_0db0, &[u(0)])
        => CallDataNotCanonical observed Shown::uint(0xd0e3_0db0);
    unwrapping_above_the_cap_is_refused: withdraw(WETH, 81) => AmountAboveCap observed big(81), limit big(80);
    unwrapping_with_value_is_refused: Draft { value: u(1), ..withdraw(WETH, 1) }
        => ValueNotAllowed observed big(1), limit Shown::uint(0);
    a_permit_of_a_stranger_is_refused: permit(STRANGER, SPENDER, 1, AHEAD)
        => OwnerNotAllowed observed Shown::Address(STRANGER);
    a_permit_for_a_stranger_is_refused: permit(OWN, STRANGER, 1, AHEAD)
        => SpenderNotAllowed observed Shown::Address(STRANGER);
    a_permit_above_the_cap_is_refused: permit(OWN, SPENDER, 501, AHEAD)
        => AmountAboveCap observed big(501), limit big(500);
    a_permit_for_ever_is_refused: permit(OWN, SPENDER, 1, U256::MAX)
        => DeadlineTooFar observed Shown::Uint256([0xff; 32]), limit big(NOW_S + 600);
    an_allowance_of_an_unlisted_token_is_refused: permit2_approve(DAI, SPENDER, 1, 0)
        => TokenNotAllowed observed Shown::Address(DAI);
    an_allowance_for_a_stranger_is_refused: permit2_approve(USDC, STRANGER, 1, 0)
        => SpenderNotAllowed observed Shown::Address(STRANGER);
    an_allowance_above_the_cap_is_refused: permit2_approve(USDC, SPENDER, 501, 0)
        => AmountAboveCap observed big(501), limit big(500);
    an_allowance_for_ever_is_refused: permit2_approve(USDC, SPENDER, 1, (1 << 48) - 1)
        => DeadlineTooFar observed big((1 << 48) - 1), limit big(NOW_S + 600);
    an_allowance_that_ends_after_48_bits_is_not_canonical: permit2_approve(USDC, SPENDER, 1, 1 << 48)
        => CallDataNotCanonical observed Shown::uint(0x8751_7c45);
    an_allowance_in_another_contract_is_refused:
        Draft { to: Some(STRANGER), ..permit2_approve(USDC, SPENDER, 1, 0) }
        => ContractNotAllowed observed Shown::Address(STRANGER);

    a_minimum_out_of_1_is_below_the_ratio: v2(0x38ed_1739, [1000, 1], &[USDC, WETH], OWN, AHEAD)
        => MinimumOutBelowRatio observed big(1), limit big(1500);
    a_minimum_out_of_1_by_a_path_is_below_the_ratio:
        exact_input(packed(&[USDC, DAI, WETH], &[500, 3000]), OWN, [1000, 1])
        => MinimumOutBelowRatio observed big(1), limit big(1500);
    too_dear_an_exact_output_is_below_the_ratio: exact_output_single([1499, 1000])
        => MinimumOutBelowRatio observed big(1499), limit big(1500);
    an_exact_output_for_any_input_is_above_the_cap: exact_output_single([1500, 1001])
        => AmountAboveCap observed big(1001), limit big(1000);
    a_path_through_an_unlisted_token_is_refused:
        v2(0x38ed_1739, [1000, 1500], &[USDC, STRANGER, WETH], OWN, AHEAD)
        => IntermediateNotAllowed observed Shown::Address(STRANGER);
    a_packed_path_through_an_unlisted_token_is_refused:
        exact_input(packed(&[USDC, STRANGER, WETH], &[500, 500]), OWN, [1000, 1500])
        => IntermediateNotAllowed observed Shown::Address(STRANGER);
    an_unlisted_fee_of_the_second_pool_is_refused:
        exact_input(packed(&[USDC, DAI, WETH], &[500, 501]), OWN, [1000, 1500])
        => PoolFeeNotAllowed observed Shown::uint(501);
    a_path_written_backwards_is_read_backwards:
        exact_output_02(packed(&[USDC, DAI, WETH, STRANGER], &[500, 500, 500]), [1500, 1000])
        => PairNotAllowed observed Shown::Address(STRANGER);
    a_path_to_a_stranger_is_refused: exact_input(packed(&[USDC, WETH], &[500]), STRANGER, [1000, 1500])
        => RecipientNotAllowed observed Shown::Address(STRANGER);
    a_path_that_pays_the_router_alone_is_refused: exact_input(packed(&[USDC, WETH], &[500]), ZERO, [1000, 1500])
        => RecipientNotAllowed observed Shown::Address(ZERO);
    a_path_of_too_many_pools_is_unsupported:
        exact_input(packed(&[DAI; HOPS_MAX + 2], &[500; HOPS_MAX + 1]), OWN, [1000, 1500])
        => PathTooLong observed Shown::uint(HOPS_MAX as u64 + 1), limit Shown::uint(HOPS_MAX as u64);
    a_path_cut_in_a_pool_is_not_canonical: exact_input(vec![1; 42], OWN, [1000, 1500])
        => CallDataNotCanonical observed Shown::uint(0xc04b_8d59);
    a_path_without_a_pool_is_not_canonical: exact_input(USDC.to_vec(), OWN, [1000, 1500])
        => CallDataNotCanonical observed Shown::uint(0xc04b_8d59);
    a_path_of_one_token_is_not_canonical: v2(0x38ed_1739, [1000, 1500], &[USDC], OWN, AHEAD)
        => CallDataNotCanonical observed Shown::uint(0x38ed_1739);
    coin_for_what_is_not_weth_is_refused: v2_of_coin(0x7ff3_6ab5, 1000, 1500, &[USDC, WETH])
        => CoinTokenNotWeth observed Shown::Address(USDC);
    a_swap_of_no_coin_is_refused: v2_of_coin(0x7ff3_6ab5, 0, 1500, &[WETH, USDC]) => AmountInZero;
    tokens_for_coin_with_value_are_refused:
        Draft { value: u(1), ..v2(0x18cb_afe5, [1000, 1500], &[USDC, WETH], OWN, AHEAD) }
        => ValueNotAllowed observed big(1), limit Shown::uint(0);
    tokens_for_tokens_with_value_are_refused:
        Draft { value: u(1000), ..v2(0x38ed_1739, [1000, 1500], &[WETH, USDC], OWN, AHEAD) }
        => ValueNotAllowed observed big(1000), limit Shown::uint(0);
    more_coin_than_is_sold_stays_with_the_router: coin_on_swap_router(1001, 1000)
        => ValueNotAllowed observed big(1001), limit big(1000);
    coin_for_an_exact_output_stays_with_the_router: Draft { value: u(1000), ..exact_output_single([1500, 1000]) }
        => ValueNotAllowed observed big(1000), limit Shown::uint(0);
}

/// Whether every way to write the arguments laxly is refused.
fn assert_strict(draft: &Draft) {
    let canonical = |data: &[u8]| {
        let payload = Draft { data: data.to_vec(), ..draft.clone() }.encode();
        !matches!(decode(&payload).unwrap().call(), Call::NotCanonical { .. } | Call::Unknown { .. })
    };
    assert!(canonical(&draft.data));
    let payload = draft.encode();
    let original = facts_of(&decode(&payload).unwrap());
    for at in 4..draft.data.len() {
        assert!(!canonical(&draft.data[..at]), "cut at {at}");
    }
    for tail in [&[0][..], &[0; 32], &[7; 64]] {
        assert!(!canonical(&[&draft.data, tail].concat()));
    }
    // A word with another value is an amount or an address that is told, or breaks the reading.
    for at in (4..draft.data.len()).step_by(32) {
        let word = U256::from_be_slice(&draft.data[at..at + 32]);
        for changed in [U256::MAX, U256::ONE << 255, U256::from(u64::MAX), word.wrapping_add(U256::ONE << 64)]
        {
            let mut data = draft.data.clone();
            data[at..at + 32].copy_from_slice(&changed.to_be_bytes::<32>());
            if canonical(&data) {
                let payload = Draft { data, ..draft.clone() }.encode();
                let told = facts_of(&decode(&payload).unwrap());
                assert_ne!(told, original, "the word at {at} is read");
            }
        }
    }
}

#[test]
fn lax_arguments_are_refused() {
    assert_strict(&v2(0x38ed_1739, [1, 2], &[USDC, DAI, WETH], OWN, u(3)));
    assert_strict(&v2_of_coin(0x7ff3_6ab5, 1, 2, &[WETH, USDC]));
    assert_strict(&exact_input(packed(&[USDC, DAI, WETH], &[1, 2]), OWN, [1, 2]));
    assert_strict(&exact_output_02(packed(&[USDC, WETH], &[1]), [1, 2]));
    assert_strict(&permit2_approve(USDC, OWN, 1, 2));
}
