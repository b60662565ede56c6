//! The functions with dynamic arguments, and all others beyond the first few: alloy's selectors are ours, what
//! alloy writes is read the same, and what is read is the only way alloy writes it.

use alloy_primitives::{Address, Bytes, FixedBytes, U256};
use alloy_sol_types::{SolCall, SolValue, sol};
use proptest::prelude::*;
use venues::evm::{Amounts, Call, Deadline, Revocation, Route, Step, decode};

use crate::transactions::{arb_address, arb_u256, encode, plain};

sol! {
    #![sol(all_derives)]

    interface Various {
        function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s);
        function deposit();
        function withdraw(uint256 amount);
        function approve(address token, address spender, uint160 amount, uint48 expiration);
        function invalidateUnorderedNonces(uint256 wordPos, uint256 mask);
        function invalidateNonces(address token, address spender, uint48 newNonce);
        function lockdown(Pair[] approvals);
        struct Pair { address token; address spender; }
    }

    interface V2 {
        function swapExactTokensForTokens(uint256 a, uint256 b, address[] path, address to, uint256 deadline);
        function swapTokensForExactTokens(uint256 a, uint256 b, address[] path, address to, uint256 deadline);
        function swapExactETHForTokens(uint256 a, address[] path, address to, uint256 deadline);
        function swapTokensForExactETH(uint256 a, uint256 b, address[] path, address to, uint256 deadline);
        function swapExactTokensForETH(uint256 a, uint256 b, address[] path, address to, uint256 deadline);
        function swapETHForExactTokens(uint256 a, address[] path, address to, uint256 deadline);
        function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 a, uint256 b, address[] path, address to, uint256 deadline);
        function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 a, address[] path, address to, uint256 deadline);
        function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 a, uint256 b, address[] path, address to, uint256 deadline);
    }

    interface V3 {
        struct In { bytes path; address recipient; uint256 deadline; uint256 a; uint256 b; }
        struct In02 { bytes path; address recipient; uint256 a; uint256 b; }
        struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 a; uint256 b; uint160 limit; }
        struct Single02 { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 a; uint256 b; uint160 limit; }
        function exactInput(In params);
        function exactOutput(In params);
        function exactOutputSingle(Single params);
        function multicall(bytes[] data);
        function unwrapWETH9(uint256 amountMinimum, address recipient);
        function sweepToken(address token, uint256 amountMinimum, address recipient);
        function refundETH();
        function selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s);
    }

    interface V3_02 {
        function exactInput(V3.In02 params);
        function exactOutput(V3.In02 params);
        function exactOutputSingle(V3.Single02 params);
        function swapExactTokensForTokens(uint256 a, uint256 b, address[] path, address to);
        function swapTokensForExactTokens(uint256 a, uint256 b, address[] path, address to);
        function multicall(uint256 deadline, bytes[] data);
        function unwrapWETH9(uint256 amountMinimum);
        function sweepToken(address token, uint256 amountMinimum);
    }

    interface V3Behind { function multicall(bytes32 previousBlockhash, bytes[] data); }
    interface Universal { function execute(bytes commands, bytes[] inputs); }
    interface UniversalUntil { function execute(bytes commands, bytes[] inputs, uint256 deadline); }
}

/// The selectors by alloy of every function that the vault reads as a whole call and `calls.rs` does not.
const SELECTORS: [[u8; 4]; 28] = [
    Various::permitCall::SELECTOR,
    Various::depositCall::SELECTOR,
    Various::withdrawCall::SELECTOR,
    Various::approveCall::SELECTOR,
    Various::invalidateUnorderedNoncesCall::SELECTOR,
    Various::invalidateNoncesCall::SELECTOR,
    Various::lockdownCall::SELECTOR,
    V2::swapExactTokensForTokensCall::SELECTOR,
    V2::swapTokensForExactTokensCall::SELECTOR,
    V2::swapExactETHForTokensCall::SELECTOR,
    V2::swapTokensForExactETHCall::SELECTOR,
    V2::swapExactTokensForETHCall::SELECTOR,
    V2::swapETHForExactTokensCall::SELECTOR,
    V2::swapExactTokensForTokensSupportingFeeOnTransferTokensCall::SELECTOR,
    V2::swapExactETHForTokensSupportingFeeOnTransferTokensCall::SELECTOR,
    V2::swapExactTokensForETHSupportingFeeOnTransferTokensCall::SELECTOR,
    V3::exactInputCall::SELECTOR,
    V3::exactOutputCall::SELECTOR,
    V3::exactOutputSingleCall::SELECTOR,
    V3::multicallCall::SELECTOR,
    V3_02::exactInputCall::SELECTOR,
    V3_02::exactOutputCall::SELECTOR,
    V3_02::exactOutputSingleCall::SELECTOR,
    V3_02::swapExactTokensForTokensCall::SELECTOR,
    V3_02::swapTokensForExactTokensCall::SELECTOR,
    V3_02::multicallCall::SELECTOR,
    V3Behind::multicallCall::SELECTOR,
    UniversalUntil::executeCall::SELECTOR,
];

/// Whether a function of this file is called.
pub(crate) fn is_known(data: &[u8]) -> bool {
    data.first_chunk()
        .is_some_and(|selector| SELECTORS.contains(selector) || *selector == Universal::executeCall::SELECTOR)
}

#[test]
fn every_selector_is_known_and_its_name_alone_is_no_call() {
    for selector in SELECTORS.into_iter().chain([Universal::executeCall::SELECTOR]) {
        // `deposit()` is its selector.
        let data = [&selector[..], &[1]].concat();
        let payload = encode(&plain(Address::ZERO, U256::ZERO, &data));
        let transaction = decode(&payload).unwrap();
        assert_eq!(*transaction.call(), Call::NotCanonical { contract: &[0; 20], selector });
    }
}

/// What a call is read as, by its steps if it has some.
fn read(data: &[u8], check: impl FnOnce(&Call<'_>)) {
    let payload = encode(&plain(Address::ZERO, U256::ZERO, data));
    check(decode(&payload).unwrap().call());
}

fn is_read(data: &[u8]) -> bool {
    let payload = encode(&plain(Address::ZERO, U256::ZERO, data));
    !matches!(decode(&payload).unwrap().call(), Call::NotCanonical { .. } | Call::Unknown { .. })
}

fn packed(tokens: &[Address], fees: &[u32]) -> Bytes {
    let mut path = tokens[0].to_vec();
    for (token, fee) in tokens[1..].iter().zip(fees) {
        path.extend(&fee.to_be_bytes()[1..]);
        path.extend(token);
    }
    path.into()
}

fn tokens_of(route: &Route<'_>) -> Vec<[u8; 20]> {
    let between = route.intermediates().copied();
    [*route.token_in()].into_iter().chain(between).chain([*route.token_out()]).collect()
}

prop_compose! {
    fn arb_path()(tokens in prop::collection::vec(arb_address(), 2..6), fees in [0_u32..1 << 24, 0..1 << 24, 0..1 << 24, 0..1 << 24, 0..1 << 24])
        -> (Vec<Address>, Vec<u32>) {
        let fees = fees[..tokens.len() - 1].to_vec();
        (tokens, fees)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_packed_path_is_read_both_ways((tokens, fees) in arb_path(), recipient in arb_address(), a in arb_u256(), b in arb_u256(), deadline in arb_u256()) {
        let params = V3::In { path: packed(&tokens, &fees), recipient, deadline, a, b };
        let forwards = V3::exactInputCall { params: params.clone() }.abi_encode();
        read(&forwards, |call| {
            let Call::Swap(swap) = call else { panic!("{call:?}") };
            assert_eq!(tokens_of(&swap.route), tokens.iter().map(|token| token.0.0).collect::<Vec<_>>());
            assert_eq!(swap.route.pool_fees().collect::<Vec<_>>(), fees);
            assert_eq!(swap.amounts, Amounts::ExactIn { amount_in: a, amount_out_min: b });
            assert_eq!((swap.recipient, swap.deadline), (&recipient.0.0, Deadline::At(deadline)));
        });
        let backwards = V3::exactOutputCall { params }.abi_encode();
        read(&backwards, |call| {
            let Call::Swap(swap) = call else { panic!("{call:?}") };
            assert_eq!(tokens_of(&swap.route), tokens.iter().rev().map(|token| token.0.0).collect::<Vec<_>>());
            assert_eq!(swap.route.pool_fees().collect::<Vec<_>>(), fees.iter().rev().copied().collect::<Vec<_>>());
            assert_eq!(swap.amounts, Amounts::ExactOut { amount_out: a, amount_in_max: b });
        });
    }

    #[test]
    fn a_path_of_pairs_is_read(path in prop::collection::vec(arb_address(), 2..6), to in arb_address(), a in arb_u256(), b in arb_u256(), deadline in arb_u256()) {
        let data = V2::swapTokensForExactETHCall { a, b, path: path.clone(), to, deadline }.abi_encode();
        read(&data, |call| {
            let Call::Swap(swap) = call else { panic!("{call:?}") };
            assert_eq!(tokens_of(&swap.route), path.iter().map(|token| token.0.0).collect::<Vec<_>>());
            assert_eq!(swap.amounts, Amounts::ExactOut { amount_out: a, amount_in_max: b });
        });
    }

    #[test]
    fn the_steps_of_a_batch_are_read((tokens, fees) in arb_path(), recipient in arb_address(), a in arb_u256(), b in arb_u256(), payer in any::<bool>(), prices in prop::option::of(prop::collection::vec(arb_u256(), 0..3))) {
        let path = packed(&tokens, &fees);
        let input = match &prices {
            None => (recipient, a, b, path, payer).abi_encode_params(),
            Some(prices) => (recipient, a, b, path, payer, prices.clone()).abi_encode_params(),
        };
        let unwrap = (recipient, a).abi_encode_params();
        let data = Universal::executeCall { commands: vec![0x00, 0x0c].into(), inputs: vec![input.into(), unwrap.into()] }.abi_encode();
        read(&data, |call| {
            let Call::Batch(batch) = call else { panic!("{call:?}") };
            let steps: Vec<_> = batch.steps().map(Result::unwrap).collect();
            let [Step::Swap(swap), Step::Unwrap { recipient: Some(to), amount_min, .. }] = steps[..] else {
                panic!("{steps:?}")
            };
            assert_eq!(tokens_of(&swap.route), tokens.iter().map(|token| token.0.0).collect::<Vec<_>>());
            assert_eq!((swap.payer_is_user, swap.amounts.sold_max()), (payer, a));
            assert_eq!((to, amount_min), (&recipient.0.0, a));
        });
        let call = V3::unwrapWETH9Call { amountMinimum: a, recipient }.abi_encode();
        let calls = vec![call.into(), V3::refundETHCall {}.abi_encode().into()];
        let data = V3_02::multicallCall { deadline: b, data: calls }.abi_encode();
        read(&data, |call| {
            let Call::Batch(batch) = call else { panic!("{call:?}") };
            assert_eq!((batch.deadline(), batch.len()), (Deadline::At(b), 2));
            assert!(batch.steps().all(|step| step.is_ok()));
        });
    }

    #[test]
    fn the_rest_is_read(token in arb_address(), spender in arb_address(), a in arb_u256(), b in arb_u256()) {
        let word = FixedBytes::from(b.to_be_bytes::<32>());
        let permit = Various::permitCall { owner: token, spender, value: a, deadline: b, v: 27, r: word, s: word };
        read(&permit.abi_encode(), |call| assert!(matches!(call, Call::Permit(permit) if permit.amount == a && *permit.spender == spender.0.0)));
        let pairs = vec![Various::Pair { token, spender }; 3];
        read(&Various::lockdownCall { approvals: pairs }.abi_encode(), |call| {
            let Call::Permit2Revoke { revocation: Revocation::Lockdown(pairs), .. } = call else { panic!("{call:?}") };
            assert_eq!(pairs.iter().collect::<Vec<_>>(), [(&token.0.0, &spender.0.0); 3]);
        });
        read(&Various::withdrawCall { amount: a }.abi_encode(), |call| assert!(matches!(call, Call::Withdraw { amount, .. } if *amount == a)));
    }

    /// Whatever is changed: what we read, alloy reads, and writes again as these very bytes.
    #[test]
    fn spoiled_arguments_are_read_only_if_alloy_writes_them_so(
        (tokens, fees) in arb_path(), which in 0..4, at in any::<prop::sample::Index>(), change in 1_u8..,
        small in any::<bool>(), cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (zero, deadline) = (Address::ZERO, U256::from(7));
        let params = V3::In { path: packed(&tokens, &fees), recipient: zero, deadline, a: deadline, b: deadline };
        let calls = vec![Bytes::from(vec![1, 2, 3, 4, 5]), Bytes::new(), Bytes::from(vec![7; 32])];
        let mut data = match which {
            0 => V3::exactInputCall { params }.abi_encode(),
            1 => V2::swapExactETHForTokensCall { a: deadline, path: tokens, to: zero, deadline }.abi_encode(),
            2 => V3_02::multicallCall { deadline, data: calls }.abi_encode(),
            _ => UniversalUntil::executeCall { commands: vec![1, 2, 3].into(), inputs: calls, deadline }.abi_encode(),
        };
        // Small changes are made where lengths and offsets stand.
        let place = if small { 4 + at.index((data.len() - 4) / 32) * 32 + 31 } else { 4 + at.index(data.len() - 4) };
        data[place] ^= change;
        if let Some(cut) = cut {
            data.truncate(4 + cut.index(data.len() - 4));
        }
        if is_read(&data) {
            let again = match which {
                0 => V3::exactInputCall::abi_decode_validate(&data).unwrap().abi_encode(),
                1 => V2::swapExactETHForTokensCall::abi_decode_validate(&data).unwrap().abi_encode(),
                2 => V3_02::multicallCall::abi_decode_validate(&data).unwrap().abi_encode(),
                _ => UniversalUntil::executeCall::abi_decode_validate(&data).unwrap().abi_encode(),
            };
            prop_assert_eq!(again, data);
        }
    }
}
