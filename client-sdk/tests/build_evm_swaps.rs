//! Swaps, batches and permits built from the facts of the vector lines are the lines.
#![cfg(test)]

use client_sdk::build::evm::swap::{self, Amounts, Bound, V2Kind, V3Path};
use client_sdk::build::evm::token::{self, SignedPermit};
use client_sdk::build::evm::universal_router::{self, Command, Inputs, SignedPermitSingle};
use client_sdk::build::evm::{Address, Error, Gas, Router, U256, call, cancel};
use serde_json::Value;
use venues::evm::{Call, decode};

fn lines() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../venues/vectors/evm_eip1559.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn from_hex(text: &Value) -> Vec<u8> {
    let digits = text.as_str().unwrap().strip_prefix("0x").unwrap();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn address(text: &Value) -> Address {
    from_hex(text).try_into().unwrap()
}

fn number(value: &Value) -> U256 {
    value.as_str().map_or_else(|| U256::from(value.as_u64().unwrap()), |text| text.parse().unwrap())
}

fn amounts(facts: &Value) -> Amounts {
    match facts.get("amount_in") {
        Some(amount_in) => Amounts::ExactIn {
            amount_in: number(amount_in),
            amount_out_min: number(&facts["amount_out_min"]),
        },
        None => Amounts::ExactOut {
            amount_out: number(&facts["amount_out"]),
            amount_in_max: number(&facts["amount_in_max"]),
        },
    }
}

/// A V3 path; the file writes that of an exact output backwards.
fn v3_path(facts: &Value) -> V3Path {
    let backwards = facts.get("path_reversed");
    let mut tokens: Vec<Address> =
        backwards.unwrap_or(&facts["path"]).as_array().unwrap().iter().map(address).collect();
    let mut fees: Vec<u32> = facts["fees"].as_array().unwrap().iter().map(|fee| number(fee).to()).collect();
    if backwards.is_some() {
        tokens.reverse();
        fees.reverse();
    }
    V3Path { token_in: tokens[0], pools: fees.into_iter().zip(tokens[1..].iter().copied()).collect() }
}

fn router(facts: &Value) -> Router {
    facts
        .get("deadline")
        .map_or(Router::SwapRouter02, |deadline| Router::SwapRouter { deadline_s: number(deadline).to() })
}

/// The data of a call on one of V3's routers.
fn v3_data(facts: &Value) -> Vec<u8> {
    let recipient = address(&facts["recipient"]);
    match facts["function"].as_str().unwrap() {
        "exactInput" | "exactOutput" => {
            swap::v3_swap(router(facts), &v3_path(facts), &recipient, &amounts(facts)).unwrap()
        }
        "exactInputSingle" | "exactOutputSingle" => {
            let pair = [&address(&facts["token_in"]), &address(&facts["token_out"])];
            let fee = number(&facts["fee"]).to();
            swap::v3_single(router(facts), pair, fee, &recipient, &amounts(facts), U256::ZERO).unwrap()
        }
        "unwrapWETH9" => swap::unwrap_weth(number(&facts["amount_min"]), &recipient),
        other => panic!("{other}"),
    }
}

fn v2_data(facts: &Value) -> Vec<u8> {
    let function = facts["function"].as_str().unwrap();
    let kind = match function {
        _ if function.contains("ETHFor") => V2Kind::FromCoin,
        _ if function.ends_with("ETH") => V2Kind::ToCoin,
        _ => V2Kind::Tokens,
    };
    let path: Vec<Address> = facts["path"].as_array().unwrap().iter().map(address).collect();
    let (recipient, deadline) = (address(&facts["recipient"]), number(&facts["deadline"]).to());
    swap::v2_swap(kind, &path, &recipient, &amounts(facts), false, deadline).unwrap()
}

fn command(facts: &Value) -> Command {
    let parameter = |name: &str| {
        let parameters = facts["params"].as_array().unwrap();
        parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["value"].clone()
    };
    let recipient = || address(&parameter("recipient"));
    let exact_in = || Amounts::ExactIn {
        amount_in: number(&parameter("amountIn")),
        amount_out_min: number(&parameter("amountOutMin")),
    };
    let exact_out = || Amounts::ExactOut {
        amount_out: number(&parameter("amountOut")),
        amount_in_max: number(&parameter("amountInMax")),
    };
    let pools = || {
        let path = parameter("path");
        let pools = path.as_array().unwrap();
        V3Path {
            token_in: address(&pools[0]["tokenIn"]),
            pools: pools.iter().map(|pool| (number(&pool["fee"]).to(), address(&pool["tokenOut"]))).collect(),
        }
    };
    let payer_is_user = || parameter("payerIsUser") == "true";
    let name = facts["command"].as_str().unwrap();
    match name {
        "V3_SWAP_EXACT_IN" | "V3_SWAP_EXACT_OUT" => Command::V3Swap {
            path: pools(),
            recipient: recipient(),
            amounts: if name == "V3_SWAP_EXACT_IN" { exact_in() } else { exact_out() },
            payer_is_user: payer_is_user(),
        },
        "V2_SWAP_EXACT_IN" => Command::V2Swap {
            path: parameter("path").as_array().unwrap().iter().map(address).collect(),
            recipient: recipient(),
            amounts: exact_in(),
            payer_is_user: payer_is_user(),
        },
        "WRAP_ETH" => Command::WrapEth { recipient: recipient(), amount: number(&parameter("amount")) },
        "UNWRAP_WETH" => {
            Command::UnwrapWeth { recipient: recipient(), amount_min: number(&parameter("amountMin")) }
        }
        "SWEEP" => Command::Sweep {
            token: address(&parameter("token")),
            recipient: recipient(),
            amount_min: number(&parameter("amountMin")),
        },
        other => panic!("{other}"),
    }
}

/// The call data a bot would build from a line's facts, if there is a builder for them here.
fn built(line: &Value) -> Option<Vec<u8>> {
    let facts = &line["facts"];
    let kind = line["kind"].as_str().unwrap();
    Some(match (kind, facts["function"].as_str()?) {
        ("weth_deposit", _) => token::deposit(),
        ("weth_withdraw", _) => token::withdraw(number(&facts["amount"])),
        ("v2_router_swap", _) => v2_data(facts),
        (_, "multicall") => {
            let calls: Vec<_> = facts["inner"].as_array().unwrap().iter().map(v3_data).collect();
            let bound = match facts["selector"].as_str().unwrap() {
                "0x5ae401dc" => Bound::Deadline(number(&facts["deadline"]).to()),
                // The file does not tell the hash of the block.
                "0x1f0464d1" => Bound::PreviousBlockhash(previous_blockhash(line)),
                _ => Bound::None,
            };
            swap::multicall(bound, &calls)
        }
        ("v3_router_swap" | "v3_router02_exactInputSingle" | "v3_router_exactInputSingle", _) => {
            v3_data(facts)
        }
        ("universal_router_execute", _) => {
            let commands = facts["ur_commands"].as_array().unwrap();
            // The line with a permit carries a signature of 64 bytes, which the vault does not make.
            if commands.iter().any(|command| command["command"] == "PERMIT2_PERMIT") {
                return None;
            }
            let commands: Vec<_> = commands.iter().map(command).collect();
            let inputs = match facts["ur_version"].as_str().unwrap() {
                "1.2" | "2.0" => Inputs::Plain,
                _ => Inputs::WithMinHopPrices,
            };
            let deadline = facts.get("deadline").map(|deadline| number(deadline).to());
            universal_router::execute(inputs, &commands, deadline).unwrap()
        }
        _ => return None,
    })
}

fn previous_blockhash(line: &Value) -> [u8; 32] {
    let payload = from_hex(&line["input"]);
    let transaction = decode(&payload).unwrap();
    let Call::Batch(batch) = transaction.call() else { panic!("not a batch") };
    *batch.previous_blockhash().unwrap()
}

#[test]
fn call_data_built_from_the_facts_of_a_line_are_the_lines() {
    let mut kinds = std::collections::BTreeMap::new();
    for line in &lines() {
        let Some(data) = built(line) else { continue };
        let facts = &line["facts"];
        let gas = Gas {
            chain_id: number(&facts["chain_id"]).to(),
            nonce: number(&facts["nonce"]).to(),
            max_priority_fee_per_gas: number(&facts["max_priority_fee_per_gas"]),
            max_fee_per_gas: number(&facts["max_fee_per_gas"]),
            gas_limit: number(&facts["gas_limit"]).to(),
        };
        let payload = call(&gas, &address(&facts["to"]), number(&facts["value"]), &data).unwrap();
        assert_eq!(payload, from_hex(&line["input"]), "{}", line["id"]);
        *kinds.entry(line["kind"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    let count = |kind: &str| kinds.get(kind).copied().unwrap_or(0);
    assert_eq!(count("v2_router_swap"), 6);
    assert_eq!(count("v3_router_swap"), 6);
    assert_eq!(count("v3_router02_multicall"), 3);
    assert_eq!(count("universal_router_execute"), 5);
    assert_eq!(count("weth_deposit") + count("weth_withdraw"), 2);
}

const GAS: Gas = Gas {
    chain_id: 1,
    nonce: 7,
    max_priority_fee_per_gas: U256::ONE,
    max_fee_per_gas: U256::ONE,
    gas_limit: 21_000,
};

/// Whether the vault's decoder takes the data as a call it knows.
fn is_understood(data: &[u8]) -> bool {
    let payload = call(&GAS, &[7; 20], U256::ZERO, data).unwrap();
    let transaction = decode(&payload).unwrap();
    if let Call::Batch(batch) = transaction.call() {
        return batch.steps().all(|step| step.is_ok());
    }
    !matches!(
        transaction.call(),
        Call::Unknown { .. } | Call::NotCanonical { .. } | Call::Creation | Call::NativeTransfer { .. }
    )
}

#[test]
fn what_no_line_holds_is_understood_too() {
    let permit = SignedPermit { amount: U256::MAX, deadline_s: 9, signature: [27; 65] };
    let single = SignedPermitSingle {
        token: [1; 20],
        amount: U256::ONE,
        expiration_s: 9,
        nonce: 1,
        spender: [2; 20],
        deadline_s: 9,
        signature: [27; 65],
    };
    let exact_in = Amounts::ExactIn { amount_in: U256::ONE, amount_out_min: U256::ONE };
    let exact_out = Amounts::ExactOut { amount_out: U256::ONE, amount_in_max: U256::ONE };
    let path = [[1; 20], [2; 20]];
    let commands = [
        Command::Permit2Permit(single),
        Command::V2Swap { path: path.into(), recipient: [3; 20], amounts: exact_out, payer_is_user: true },
        Command::PayPortion { token: [2; 20], recipient: [3; 20], bips: 25 },
    ];
    let mut calls = vec![
        token::permit(&[1; 20], &[2; 20], &permit),
        token::permit2_approve(&[1; 20], &[2; 20], U256::MAX >> 96, (1 << 48) - 1).unwrap(),
        token::permit2_invalidate_unordered_nonces(U256::MAX, U256::MAX),
        token::permit2_invalidate_nonces(&[1; 20], &[2; 20], (1 << 48) - 1).unwrap(),
        token::permit2_lockdown(&[([1; 20], [2; 20]), ([3; 20], [4; 20])]),
        universal_router::execute(Inputs::Plain, &commands, None).unwrap(),
        universal_router::execute(Inputs::WithMinHopPrices, &commands, Some(9)).unwrap(),
        swap::multicall(
            Bound::None,
            &[
                swap::self_permit(&[1; 20], &permit),
                swap::sweep_token(&[1; 20], U256::ONE, &[2; 20]),
                swap::refund_eth(),
            ],
        ),
    ];
    for kind in [V2Kind::Tokens, V2Kind::FromCoin, V2Kind::ToCoin] {
        calls.push(swap::v2_swap(kind, &path, &[3; 20], &exact_in, true, 9).unwrap());
        calls.push(swap::v2_swap(kind, &path, &[3; 20], &exact_out, false, 9).unwrap());
    }
    for (index, data) in calls.iter().enumerate() {
        assert!(is_understood(data), "call {index}");
    }
}

#[test]
fn a_cancel_sends_nothing_to_oneself() {
    let payload = cancel(&GAS, &[7; 20]).unwrap();
    let transaction = decode(&payload).unwrap();
    assert_eq!(transaction.call(), &Call::NativeTransfer { recipient: &[7; 20] });
    assert!(transaction.value().is_zero());
    assert_eq!(transaction.nonce(), GAS.nonce);
}

#[test]
fn what_does_not_fit_its_type_is_not_built() {
    let exact_out = Amounts::ExactOut { amount_out: U256::ONE, amount_in_max: U256::ONE };
    let v3 = |pools| {
        swap::v3_swap(Router::SwapRouter02, &V3Path { token_in: [1; 20], pools }, &[3; 20], &exact_out)
    };
    assert_eq!(v3(vec![]), Err(Error::PathEmpty));
    assert_eq!(v3(vec![(1 << 24, [2; 20])]), Err(Error::PoolFeeTooLarge));
    let v2 = |path: &[Address], fee| swap::v2_swap(V2Kind::Tokens, path, &[3; 20], &exact_out, fee, 9);
    assert_eq!(v2(&[[1; 20]], false), Err(Error::PathEmpty));
    assert_eq!(v2(&[[1; 20], [2; 20]], true), Err(Error::FeeOnTransferExactOut));
    assert_eq!(token::permit2_approve(&[1; 20], &[2; 20], U256::ONE << 160, 0), Err(Error::AmountTooLarge));
    assert_eq!(token::permit2_approve(&[1; 20], &[2; 20], U256::ONE, 1 << 48), Err(Error::AmountTooLarge));
    assert_eq!(token::permit2_invalidate_nonces(&[1; 20], &[2; 20], 1 << 48), Err(Error::AmountTooLarge));
}
