//! The UniswapX builders against the vector file and the vault's own decoder.
#![cfg(test)]

use client_sdk::build::uniswapx::{
    Curve, DutchOutput, ExclusiveDutchOrder, Order, OrderInfo, PERMIT2, Permit2, PermitDetails,
    PriorityOrder, PriorityOutput, RelayFee, RelayOrder, TokenPermissions, TransferTerms, V2DutchOrder,
    V3DutchOrder, V3DutchOutput,
};
use serde_json::Value;
use venues::uniswapx::{Content, Form, decode};
use venues::{Address, Payload as _, U256};
use wire::Refusal;

fn lines() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../venues/vectors/uniswapx.jsonl");
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

fn number(value: &Value) -> U256 {
    value.as_str().map_or_else(|| U256::from(value.as_u64().unwrap()), |text| text.parse().unwrap())
}

fn time(value: &Value) -> Option<u64> {
    number(value).try_into().ok()
}

fn many<T>(list: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    list.as_array().unwrap().iter().map(read).collect()
}

fn info(info: &Value) -> Option<OrderInfo> {
    Some(OrderInfo {
        reactor: address(&info["reactor"]),
        swapper: address(&info["swapper"]),
        nonce: number(&info["nonce"]),
        deadline: time(&info["deadline"])?,
        validation_contract: address(&info["additionalValidationContract"]),
        validation_data: from_hex(&info["additionalValidationData"]),
    })
}

fn dutch_output(output: &Value) -> DutchOutput {
    DutchOutput {
        token: address(&output["token"]),
        start_amount: number(&output["startAmount"]),
        end_amount: number(&output["endAmount"]),
        recipient: address(&output["recipient"]),
    }
}

fn curve(curve: &Value) -> Curve {
    let blocks = number(&curve["relativeBlocks"]);
    let amounts = many(&curve["relativeAmounts"], |amount| amount.as_str().unwrap().parse().unwrap());
    let block = |at: usize| (blocks >> (16 * at) & U256::from(0xffff)).to::<u16>();
    Curve { points: amounts.into_iter().enumerate().map(|(at, amount)| (block(at), amount)).collect() }
}

fn v3_output(output: &Value) -> V3DutchOutput {
    V3DutchOutput {
        token: address(&output["token"]),
        start_amount: number(&output["startAmount"]),
        curve: curve(&output["curve"]),
        recipient: address(&output["recipient"]),
        min_amount: number(&output["minAmount"]),
        adjustment_per_gwei_base_fee: number(&output["adjustmentPerGweiBaseFee"]),
    }
}

fn priority_output(output: &Value) -> PriorityOutput {
    PriorityOutput {
        token: address(&output["token"]),
        amount: number(&output["amount"]),
        mps_per_priority_fee_wei: number(&output["mpsPerPriorityFeeWei"]),
        recipient: address(&output["recipient"]),
    }
}

/// The order of a line, `None` when its deadline is beyond every clock.
fn order(kind: &str, witness: &Value) -> Option<Order> {
    let info = info(&witness["info"])?;
    let cosigner = || address(&witness["cosigner"]);
    Some(match kind {
        "ExclusiveDutchOrder" => Order::ExclusiveDutch(ExclusiveDutchOrder {
            info,
            decay_start: time(&witness["decayStartTime"])?,
            decay_end: time(&witness["decayEndTime"])?,
            exclusive_filler: address(&witness["exclusiveFiller"]),
            exclusivity_override_bps: time(&witness["exclusivityOverrideBps"])?,
            input_token: address(&witness["inputToken"]),
            input_start_amount: number(&witness["inputStartAmount"]),
            input_end_amount: number(&witness["inputEndAmount"]),
            outputs: many(&witness["outputs"], dutch_output),
        }),
        "V2DutchOrder" => Order::V2Dutch(V2DutchOrder {
            info,
            cosigner: cosigner(),
            input_token: address(&witness["baseInputToken"]),
            input_start_amount: number(&witness["baseInputStartAmount"]),
            input_end_amount: number(&witness["baseInputEndAmount"]),
            outputs: many(&witness["baseOutputs"], dutch_output),
        }),
        "V3DutchOrder" => {
            let input = &witness["baseInput"];
            Order::V3Dutch(V3DutchOrder {
                info,
                cosigner: cosigner(),
                starting_base_fee: number(&witness["startingBaseFee"]),
                input_token: address(&input["token"]),
                input_start_amount: number(&input["startAmount"]),
                input_curve: curve(&input["curve"]),
                input_max_amount: number(&input["maxAmount"]),
                input_adjustment_per_gwei_base_fee: number(&input["adjustmentPerGweiBaseFee"]),
                outputs: many(&witness["baseOutputs"], v3_output),
            })
        }
        "PriorityOrder" => {
            let input = &witness["input"];
            Order::Priority(PriorityOrder {
                info,
                cosigner: cosigner(),
                auction_start_block: time(&witness["auctionStartBlock"])?,
                baseline_priority_fee_wei: number(&witness["baselinePriorityFeeWei"]),
                input_token: address(&input["token"]),
                input_amount: number(&input["amount"]),
                input_mps_per_priority_fee_wei: number(&input["mpsPerPriorityFeeWei"]),
                outputs: many(&witness["outputs"], priority_output),
            })
        }
        other => panic!("{other}"),
    })
}

fn details(details: &Value) -> PermitDetails {
    PermitDetails {
        token: address(&details["token"]),
        amount: number(&details["amount"]),
        expiration: time(&details["expiration"]).unwrap(),
        nonce: time(&details["nonce"]).unwrap(),
    }
}

#[test]
fn every_line_is_built_from_its_values_with_the_digest_of_the_venue_s_packages() {
    let mut built = 0;
    for line in lines().iter().filter(|line| line["shape"] != "web3py_ints") {
        let document: Value = serde_json::from_str(line["input"].as_str().unwrap()).unwrap();
        let chain_id = line["facts"]["chain_id"].as_str().unwrap().parse().unwrap();
        let permit2 = Permit2 { chain_id, contract: address(&document["domain"]["verifyingContract"]) };
        let (kind, message) = (line["kind"].as_str().unwrap(), &document["message"]);
        let spender = address(&message["spender"]);
        let request = match kind {
            "PermitSingle" => time(&message["sigDeadline"])
                .map(|deadline| permit2.permit_single(details(&message["details"]), spender, deadline)),
            "PermitBatch" => time(&message["sigDeadline"])
                .map(|deadline| permit2.permit_batch(&many(&message["details"], details), spender, deadline)),
            "PermitTransferFrom" => time(&message["deadline"]).map(|deadline| {
                let permitted = TokenPermissions {
                    token: address(&message["permitted"]["token"]),
                    amount: number(&message["permitted"]["amount"]),
                };
                let terms = TransferTerms { spender, nonce: number(&message["nonce"]), deadline };
                permit2.permit_transfer_from(permitted, terms)
            }),
            _ => order(kind, &message["witness"]).map(|order| permit2.order(&order)),
        };
        // A deadline beyond 64 bits is nothing that a builder makes.
        let Some(request) = request else { continue };
        let request = request.unwrap();
        assert_eq!(&request.digest[..], from_hex(&line["digest"]), "{}", line["id"]);
        assert_eq!(decode(&request.payload).unwrap().label(), request.digest);
        // What the venue's own libraries sign ends in 27 or 28; the vault's signature in 0 or 1.
        let expected: [u8; 65] = from_hex(&line["signature"]).try_into().unwrap();
        let mut parity = expected;
        parity[64] -= 27;
        assert_eq!(request.wire_signature(&parity), expected);
        assert_eq!(request.wire_signature(&expected), expected, "27 and 28 stay");
        built += 1;
    }
    assert!(built >= 140, "{built} of 150 lines");
}

const MAINNET: Permit2 = Permit2 { chain_id: 1, contract: PERMIT2 };

#[test]
fn a_relay_order_and_a_batch_transfer_read_back() {
    let relay = RelayOrder {
        reactor: [1; 20],
        swapper: [2; 20],
        nonce: U256::from(3),
        deadline: 4,
        input: TokenPermissions { token: [5; 20], amount: U256::from(6) },
        recipient: [7; 20],
        fee: RelayFee {
            token: [8; 20],
            start_amount: U256::from(9),
            end_amount: U256::from(10),
            start_time: 2,
            end_time: 3,
        },
        router_calldata: vec![0xab, 0xcd],
    };
    let request = MAINNET.relay(&relay).unwrap();
    let data = decode(&request.payload).unwrap();
    let Content::Relay(read) = data.content() else { panic!("{data:?}") };
    assert_eq!((read.input.recipient, read.fee.end_amount), (relay.recipient, relay.fee.end_amount));
    assert_eq!((read.router_calldata.len(), read.permitted.as_slice().len()), (2, 2));
    assert_eq!(read.terms.spender, relay.reactor);

    let terms = TransferTerms { spender: [1; 20], nonce: U256::MAX, deadline: 9 };
    let request = MAINNET.permit_batch_transfer_from(&[relay.input; 2], terms).unwrap();
    let data = decode(&request.payload).unwrap();
    let Content::Transfer(read, Form::Batch) = data.content() else { panic!("{data:?}") };
    assert_eq!((read.terms.nonce, read.permitted.as_slice().len()), (U256::MAX, 2));
}

#[test]
fn what_the_vault_does_not_read_is_not_built() {
    let terms = TransferTerms { spender: [1; 20], nonce: U256::ZERO, deadline: 9 };
    let permitted = TokenPermissions { token: [5; 20], amount: U256::from(6) };
    let error = MAINNET.permit_batch_transfer_from(&[permitted; 9], terms).unwrap_err();
    assert_eq!(error.0.refusal, Refusal::TooManyPermittedTokens);
    let wide = PermitDetails { token: [5; 20], amount: U256::MAX, expiration: 0, nonce: 0 };
    let error = MAINNET.permit_single(wide, [1; 20], 9).unwrap_err();
    assert_eq!(error.0.refusal, Refusal::NumberOutOfRange);
    assert!(!error.to_string().is_empty());
}
