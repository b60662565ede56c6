//! The EVM builders against the vault's own decoder and the vector file.
#![cfg(test)]

use client_sdk::build::evm::{
    Error, ExactInputSingle, Gas, Router, approve, assemble_signed, exact_input_single, native_transfer,
    transfer, transfer_from,
};
use serde_json::Value;
use venues::evm::{Amounts, Call, Deadline, Route, decode};
use venues::{Address, U256};
use wire::Refusal;

const GAS: Gas = Gas {
    chain_id: 8453,
    nonce: 300,
    max_priority_fee_per_gas: U256::from_limbs([5, 0, 0, 0]),
    max_fee_per_gas: U256::from_limbs([1_000_000, 0, 0, 0]),
    gas_limit: 90_000,
};
const CONTRACT: Address = [0xc0; 20];
const FIRST: Address = [0x01; 20];
const SECOND: Address = [0; 20];

fn swap() -> ExactInputSingle {
    ExactInputSingle {
        token_in: FIRST,
        token_out: SECOND,
        pool_fee: 0xff_ffff,
        recipient: CONTRACT,
        amount_in: U256::MAX,
        amount_out_min: U256::from(9),
        sqrt_price_limit_x96: U256::MAX >> 96,
    }
}

fn lines() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../venues/vectors/evm_eip1559.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn from_hex(text: &Value) -> Vec<u8> {
    let digits = text.as_str().unwrap().strip_prefix("0x").unwrap();
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn address(text: &Value) -> Address {
    from_hex(text).try_into().unwrap()
}

fn number(text: &Value) -> U256 {
    text.as_str().unwrap().parse().unwrap()
}

#[test]
fn every_line_of_the_vectors_is_assembled_to_its_raw_transaction() {
    let lines = lines();
    assert_eq!(lines.len(), 200);
    for line in &lines {
        let signature = from_hex(&line["signature"]).try_into().unwrap();
        let raw = assemble_signed(&from_hex(&line["input"]), &signature).unwrap();
        assert_eq!(raw, from_hex(&line["signed"]), "{}", line["id"]);
    }
}

/// The payload a bot would build from a line's facts, if there is a builder for it.
fn built(facts: &Value) -> Option<Vec<u8>> {
    let gas = Gas {
        chain_id: number(&facts["chain_id"]).to(),
        nonce: number(&facts["nonce"]).to(),
        max_priority_fee_per_gas: number(&facts["max_priority_fee_per_gas"]),
        max_fee_per_gas: number(&facts["max_fee_per_gas"]),
        gas_limit: number(&facts["gas_limit"]).to(),
    };
    let fact = |name: &str| address(&facts[name]);
    let amount = || number(&facts["amount"]);
    let plain = facts["access_list_addresses"] == "0" && !facts["to"].is_null() && facts["to"] != "";
    if !plain || (facts["data_len"] != "0" && facts["value"] != "0") {
        return None;
    }
    match facts["function"].as_str() {
        Some("transfer") => transfer(&gas, &fact("token"), &fact("recipient"), amount()),
        Some("approve") => approve(&gas, &fact("token"), &fact("spender"), amount()),
        Some("transferFrom") => {
            transfer_from(&gas, &fact("token"), &fact("from"), &fact("recipient"), amount())
        }
        Some("exactInputSingle") => {
            let router = facts.get("deadline").map_or(Router::SwapRouter02, |deadline| Router::SwapRouter {
                deadline_s: number(deadline).to(),
            });
            let swap = ExactInputSingle {
                token_in: fact("token_in"),
                token_out: fact("token_out"),
                pool_fee: number(&facts["fee"]).to(),
                recipient: fact("recipient"),
                amount_in: number(&facts["amount_in"]),
                amount_out_min: number(&facts["amount_out_min"]),
                sqrt_price_limit_x96: U256::ZERO,
            };
            exact_input_single(&gas, &fact("to"), router, &swap)
        }
        None if facts["data_len"] == "0" => native_transfer(&gas, &fact("to"), number(&facts["value"])),
        _ => return None,
    }
    .map(Some)
    .unwrap()
}

#[test]
fn a_line_built_from_its_facts_is_the_line() {
    let mut count = 0;
    for line in &lines() {
        if let Some(payload) = built(&line["facts"]) {
            assert_eq!(payload, from_hex(&line["input"]), "{}", line["id"]);
            count += 1;
        }
    }
    assert!(count >= 120, "at least the common lines: {count}");
}

#[test]
fn a_swap_decodes_to_what_was_asked_for() {
    for (router, deadline) in [
        (Router::SwapRouter02, Deadline::None),
        (Router::SwapRouter { deadline_s: 77 }, Deadline::At(U256::from(77))),
    ] {
        let payload = exact_input_single(&GAS, &CONTRACT, router, &swap()).unwrap();
        let transaction = decode(&payload).unwrap();
        let Call::Swap(decoded) = transaction.call() else {
            panic!("{:?}", transaction.call());
        };
        let expected = swap();
        assert_eq!(decoded.router, &CONTRACT);
        let route = Route::Single {
            token_in: &expected.token_in,
            token_out: &expected.token_out,
            pool_fee: expected.pool_fee,
        };
        assert_eq!(decoded.route, route);
        assert_eq!(decoded.recipient, &expected.recipient);
        assert_eq!(decoded.deadline, deadline);
        let amounts =
            Amounts::ExactIn { amount_in: expected.amount_in, amount_out_min: expected.amount_out_min };
        assert_eq!(decoded.amounts, amounts);
        assert_eq!(decoded.sqrt_price_limit_x96, expected.sqrt_price_limit_x96);
    }
}

#[test]
fn what_no_chain_accepts_is_not_built() {
    let build = |gas: Gas| native_transfer(&gas, &FIRST, U256::ONE);
    assert_eq!(build(Gas { chain_id: 0, ..GAS }), Err(Error::ChainIdZero));
    assert_eq!(build(Gas { nonce: u64::MAX, ..GAS }), Err(Error::NonceTooLarge));
    let tip = GAS.max_fee_per_gas + U256::ONE;
    assert_eq!(build(Gas { max_priority_fee_per_gas: tip, ..GAS }), Err(Error::PriorityFeeAboveMaxFee));
}

#[test]
fn what_does_not_fit_its_type_is_not_built() {
    let build = |swap| exact_input_single(&GAS, &CONTRACT, Router::SwapRouter02, &swap);
    assert_eq!(build(ExactInputSingle { pool_fee: 1 << 24, ..swap() }), Err(Error::PoolFeeTooLarge));
    assert_eq!(
        build(ExactInputSingle { sqrt_price_limit_x96: U256::ONE << 160, ..swap() }),
        Err(Error::PriceLimitTooLarge)
    );
}

#[test]
fn what_is_not_an_unsigned_transaction_is_not_assembled() {
    let payload = native_transfer(&GAS, &FIRST, U256::ONE).unwrap();
    let signed = assemble_signed(&payload, &[1; 65]).unwrap();
    assert_eq!(
        assemble_signed(&signed, &[1; 65]),
        Err(Error::PayloadMalformed(Refusal::TransactionFieldCount))
    );
}

#[test]
fn what_cannot_be_a_signature_is_not_assembled() {
    let payload = native_transfer(&GAS, &FIRST, U256::ONE).unwrap();
    let with = |r: u8, s: u8, v: u8| {
        let signature = [[r; 32], [s; 32]].concat();
        assemble_signed(&payload, &[&signature[..], &[v]].concat().try_into().unwrap())
    };
    assert_eq!(with(1, 1, 2), Err(Error::RecoveryIdNotKnown(2)));
    assert_eq!(with(0, 1, 0), Err(Error::SignatureZero));
    assert_eq!(with(1, 0, 0), Err(Error::SignatureZero));
    assert_eq!(with(1, 1, 27), with(1, 1, 0));
    assert_eq!(with(1, 1, 28), with(1, 1, 1));
}
