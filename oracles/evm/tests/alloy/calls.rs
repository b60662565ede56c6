//! Call data: what alloy's ABI coder writes is read the same, and what is read alloy would have written.

use alloy_primitives::aliases::{U24, U160};
use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, sol};
use proptest::prelude::*;
use proptest::sample::Index;
use venues::evm::rules::Router;
use venues::evm::{Amounts, Call, Coin, Deadline, Route, Swap, Taker, decode};

use crate::transactions::{arb_address, arb_u256, encode, plain};

sol! {
    #![sol(all_derives)]

    interface Token {
        function transfer(address to, uint256 amount) external returns (bool);
        function approve(address spender, uint256 amount) external returns (bool);
        function transferFrom(address from, address to, uint256 amount) external returns (bool);
    }

    interface SwapRouter {
        struct ExactInputSingleParams {
            address tokenIn;
            address tokenOut;
            uint24 fee;
            address recipient;
            uint256 deadline;
            uint256 amountIn;
            uint256 amountOutMinimum;
            uint160 sqrtPriceLimitX96;
        }

        function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256);
    }

    interface SwapRouter02 {
        struct ExactInputSingleParams {
            address tokenIn;
            address tokenOut;
            uint24 fee;
            address recipient;
            uint256 amountIn;
            uint256 amountOutMinimum;
            uint160 sqrtPriceLimitX96;
        }

        function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256);
    }
}

/// A call whose values alloy knows.
#[derive(Clone, Debug)]
enum Known {
    Transfer(Token::transferCall),
    Approve(Token::approveCall),
    TransferFrom(Token::transferFromCall),
    Swap(SwapRouter::exactInputSingleCall),
    Swap02(SwapRouter02::exactInputSingleCall),
}

impl Known {
    fn abi_encode(&self) -> Vec<u8> {
        match self {
            Self::Transfer(call) => call.abi_encode(),
            Self::Approve(call) => call.abi_encode(),
            Self::TransferFrom(call) => call.abi_encode(),
            Self::Swap(call) => call.abi_encode(),
            Self::Swap02(call) => call.abi_encode(),
        }
    }

    /// What alloy reads, if writing it again gives the same bytes.
    fn canonical(data: &[u8]) -> Option<Self> {
        let call = match data.first_chunk::<4>().copied()? {
            Token::transferCall::SELECTOR => Self::Transfer(SolCall::abi_decode_validate(data).ok()?),
            Token::approveCall::SELECTOR => Self::Approve(SolCall::abi_decode_validate(data).ok()?),
            Token::transferFromCall::SELECTOR => Self::TransferFrom(SolCall::abi_decode_validate(data).ok()?),
            SwapRouter::exactInputSingleCall::SELECTOR => {
                Self::Swap(SolCall::abi_decode_validate(data).ok()?)
            }
            SwapRouter02::exactInputSingleCall::SELECTOR => {
                Self::Swap02(SolCall::abi_decode_validate(data).ok()?)
            }
            _ => return None,
        };
        (call.abi_encode() == data).then_some(call)
    }

    fn is_selector(data: &[u8]) -> bool {
        data.first_chunk::<4>().is_some_and(|selector| {
            [
                Token::transferCall::SELECTOR,
                Token::approveCall::SELECTOR,
                Token::transferFromCall::SELECTOR,
                SwapRouter::exactInputSingleCall::SELECTOR,
                SwapRouter02::exactInputSingleCall::SELECTOR,
            ]
            .contains(selector)
        })
    }

    /// The same call as our decoder tells it.
    fn as_ours<'a>(&'a self, to: &'a [u8; 20]) -> Call<'a> {
        match self {
            Self::Transfer(call) => Call::Transfer { token: to, recipient: &call.to, amount: call.amount },
            Self::Approve(call) => Call::Approve { token: to, spender: &call.spender, amount: call.amount },
            Self::TransferFrom(call) => {
                Call::TransferFrom { token: to, owner: &call.from, recipient: &call.to, amount: call.amount }
            }
            Self::Swap(SwapRouter::exactInputSingleCall { params }) => {
                let route = Route::Single {
                    token_in: &params.tokenIn,
                    token_out: &params.tokenOut,
                    pool_fee: params.fee.to(),
                };
                Call::Swap(Swap {
                    recipient: &params.recipient,
                    deadline: Deadline::At(params.deadline),
                    amounts: Amounts::ExactIn {
                        amount_in: params.amountIn,
                        amount_out_min: params.amountOutMinimum,
                    },
                    sqrt_price_limit_x96: params.sqrtPriceLimitX96.to(),
                    ..single(to, Router::SwapRouter, route)
                })
            }
            Self::Swap02(SwapRouter02::exactInputSingleCall { params }) => {
                let route = Route::Single {
                    token_in: &params.tokenIn,
                    token_out: &params.tokenOut,
                    pool_fee: params.fee.to(),
                };
                Call::Swap(Swap {
                    recipient: &params.recipient,
                    amounts: Amounts::ExactIn {
                        amount_in: params.amountIn,
                        amount_out_min: params.amountOutMinimum,
                    },
                    sqrt_price_limit_x96: params.sqrtPriceLimitX96.to(),
                    ..single(to, Router::SwapRouter02, route)
                })
            }
        }
    }
}

/// What all calls of `exactInputSingle` have in common.
fn single<'a>(to: &'a [u8; 20], router: Router, route: Route<'a>) -> Swap<'a> {
    Swap {
        router: to,
        taker: Taker::Router(router),
        function: "exactInputSingle",
        route,
        recipient: to,
        deadline: Deadline::None,
        amounts: Amounts::ExactIn { amount_in: U256::ZERO, amount_out_min: U256::ZERO },
        sqrt_price_limit_x96: U256::ZERO,
        coin: Coin::No,
        takes_fee: false,
        payer_is_user: true,
    }
}

prop_compose! {
    fn arb_swap()(
        tokens in [arb_address(), arb_address()],
        fee in 0_u32..1 << 24,
        recipient in arb_address(),
        amounts in [arb_u256(), arb_u256(), arb_u256()],
        price_limit in arb_u256(),
    ) -> SwapRouter::ExactInputSingleParams {
        SwapRouter::ExactInputSingleParams {
            tokenIn: tokens[0],
            tokenOut: tokens[1],
            fee: U24::from(fee),
            recipient,
            deadline: amounts[0],
            amountIn: amounts[1],
            amountOutMinimum: amounts[2],
            sqrtPriceLimitX96: (price_limit >> 96_usize).to::<U160>(),
        }
    }
}

fn arb_known() -> impl Strategy<Value = Known> {
    let pair = || (arb_address(), arb_u256());
    prop_oneof![
        pair().prop_map(|(to, amount)| Known::Transfer(Token::transferCall { to, amount })),
        pair().prop_map(|(spender, amount)| Known::Approve(Token::approveCall { spender, amount })),
        (arb_address(), pair()).prop_map(|(from, (to, amount))| {
            Known::TransferFrom(Token::transferFromCall { from, to, amount })
        }),
        arb_swap().prop_map(|params| Known::Swap(SwapRouter::exactInputSingleCall { params })),
        arb_swap().prop_map(|params| {
            Known::Swap02(SwapRouter02::exactInputSingleCall {
                params: SwapRouter02::ExactInputSingleParams {
                    tokenIn: params.tokenIn,
                    tokenOut: params.tokenOut,
                    fee: params.fee,
                    recipient: params.recipient,
                    amountIn: params.amountIn,
                    amountOutMinimum: params.amountOutMinimum,
                    sqrtPriceLimitX96: params.sqrtPriceLimitX96,
                },
            })
        }),
    ]
}

/// Ways to spoil call data a little.
#[derive(Clone, Debug)]
enum Change {
    Byte(Index, u8),
    Cut(Index),
    Append(Vec<u8>),
}

fn arb_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), 1_u8..).prop_map(|(at, change)| Change::Byte(at, change)),
        any::<Index>().prop_map(Change::Cut),
        prop::collection::vec(any::<u8>(), 1..40).prop_map(Change::Append),
        Just(Change::Append(vec![0; 32])),
    ]
}

impl Change {
    fn apply(self, data: &mut Vec<u8>) {
        match self {
            Self::Byte(at, change) => {
                let at = at.index(data.len());
                data[at] ^= change;
            }
            Self::Cut(size) => data.truncate(size.index(data.len())),
            Self::Append(tail) => data.extend(tail),
        }
    }
}

/// Our reading of `data` is alloy's, and neither is laxer.
fn assert_read_alike(to: Address, data: &[u8]) -> Result<(), TestCaseError> {
    let payload = encode(&plain(to, U256::ZERO, data));
    let transaction = decode(&payload).unwrap();
    match Known::canonical(data) {
        Some(known) => prop_assert_eq!(*transaction.call(), known.as_ours(&to)),
        None if data.is_empty() => {
            prop_assert_eq!(*transaction.call(), Call::NativeTransfer { recipient: &to });
        }
        None if Known::is_selector(data) => {
            let refused = matches!(transaction.call(), Call::NotCanonical { .. });
            prop_assert!(refused, "{:?}", transaction.call());
        }
        None if crate::functions::is_known(data) => {}
        None => {
            let unknown = Call::Unknown { contract: &to, selector: data.first_chunk().copied() };
            prop_assert_eq!(*transaction.call(), unknown);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_call_that_alloy_writes_is_read_the_same(to in arb_address(), known in arb_known()) {
        let data = known.abi_encode();
        let payload = encode(&plain(to, U256::ZERO, &data));
        let transaction = decode(&payload).unwrap();
        prop_assert_eq!(*transaction.call(), known.as_ours(&to));
    }

    #[test]
    fn spoiled_call_data_are_read_as_strictly_as_alloy_writes_them(
        to in arb_address(), known in arb_known(), change in arb_change(),
    ) {
        let mut data = known.abi_encode();
        change.apply(&mut data);
        assert_read_alike(to, &data)?;
    }

    #[test]
    fn any_words_behind_a_known_selector_are_read_as_strictly_as_alloy_writes_them(
        to in arb_address(), known in arb_known(),
        words in prop::collection::vec(prop_oneof![arb_u256(), arb_u256().prop_map(|word| word >> 96_usize)], 0..10),
    ) {
        let mut data = known.abi_encode();
        data.truncate(4);
        for word in words {
            data.extend(word.to_be_bytes::<32>());
        }
        assert_read_alike(to, &data)?;
    }

    #[test]
    fn any_call_data_are_read_alike(to in arb_address(), data in prop::collection::vec(any::<u8>(), 0..300)) {
        assert_read_alike(to, &data)?;
    }
}
