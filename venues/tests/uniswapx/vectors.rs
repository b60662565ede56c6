//! The vector files.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use venues::uniswapx::decode;
use venues::{Payload as _, U256};
use wire::facts::FactWriter;
use wire::facts_json::JsonFacts;
use wire::{FACTS_SIZE_MAX, Family, Now, Refusal};

use crate::desk::{Desk, Draft, address, addresses, from_hex, lines};
use crate::witness::Witness as _;

fn text_of(line: &Value) -> Vec<u8> {
    match line.get("input").and_then(Value::as_str) {
        Some(text) => text.as_bytes().to_vec(),
        None => from_hex(line["input_hex"].as_str().unwrap()),
    }
}

#[test]
fn every_line_is_decoded_to_the_digest_and_the_facts_of_the_venue_s_packages() {
    const SAME: &[&str] = &[
        "chain_id",
        "primary_type",
        "deadline",
        "sig_deadline",
        "amounts",
        "expirations",
        "nonces",
        "witness_type",
        "order_nonce",
        "order_deadline",
        "input_start",
        "decay_start",
        "decay_end",
    ];
    const ADDRESSES: &[&str] = &[
        "spender",
        "tokens",
        "reactor",
        "swapper",
        "input_token",
        "cosigner",
        "exclusive_filler",
        "validation_contract",
    ];
    let lines = lines("uniswapx");
    assert_eq!(lines.len(), 200);
    for line in &lines {
        let text = text_of(line);
        let data = decode(&text).unwrap();
        assert_eq!(&data.label()[..], from_hex(line["digest"].as_str().unwrap()), "{}", line["id"]);
        let mut told = String::new();
        let mut sink = JsonFacts::new(&mut told);
        data.facts(&mut sink);
        sink.finish().unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let facts = &line["facts"];
        for name in SAME.iter().filter(|name| facts.get(**name).is_some()) {
            assert_eq!(told[name], facts[name], "{} {name}", line["id"]);
        }
        for name in ADDRESSES.iter().filter(|name| facts.get(**name).is_some()) {
            let lower = facts[name].to_string().to_lowercase();
            assert_eq!(told[name].to_string(), lower, "{} {name}", line["id"]);
        }
        for (at, output) in facts["outputs"].as_array().into_iter().flatten().enumerate() {
            let told = &told["outputs"][at];
            let least =
                output.get("end_amount").or(output.get("min_amount")).unwrap_or(&output["start_amount"]);
            assert_eq!((&told["start_amount"], &told["min_amount"]), (&output["start_amount"], least));
            for name in ["token", "recipient"] {
                assert_eq!(told[name].to_string(), output[name].to_string().to_lowercase());
            }
        }
    }
}

fn told(text: &str) -> Value {
    let mut told = String::new();
    let mut sink = JsonFacts::new(&mut told);
    decode(text.as_bytes()).unwrap().facts(&mut sink);
    sink.finish().unwrap();
    serde_json::from_str(&told).unwrap()
}

#[test]
fn what_moves_the_amounts_is_told() {
    let draft = Draft::of("PriorityOrder", |_| true);
    let facts = told(&draft.document.to_string());
    assert_eq!(facts["auction_start_block"], draft.number("/witness/auctionStartBlock").to_string());
    assert_eq!(
        facts["baseline_priority_fee_wei"],
        draft.number("/witness/baselinePriorityFeeWei").to_string()
    );
    let least = U256::ONE.wrapping_shl(255).to_string();
    let curve = json!({ "relativeBlocks": "4294967295", "relativeAmounts": ["7", format!("-{least}")] });
    let blocks = json!({ "relativeBlocks": "4294836225", "relativeAmounts": ["7", format!("-{least}")] });
    let draft = Draft::of("V3DutchOrder", |_| true)
        .with("/witness/startingBaseFee", "5")
        .with("/witness/baseInput/curve", curve)
        .with("/witness/baseOutputs/0/curve", blocks)
        .with("/witness/baseOutputs/0/adjustmentPerGweiBaseFee", "9")
        .with("/witness/info/additionalValidationData", "0x00");
    let facts = told(&draft.document.to_string());
    assert_eq!(facts["starting_base_fee"], "5");
    assert_eq!(facts["input_curve"]["relative_blocks"], json!(["65535", "65535"]));
    assert_eq!(facts["outputs"][0]["relative_blocks"], json!(["1", "65534"]));
    assert_eq!(facts["outputs"][0]["relative_amounts"], json!(["7", format!("-{least}")]));
    assert_eq!(facts["outputs"][0]["adjustment_per_gwei_base_fee"], "9");
    let hash = "0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a";
    assert_eq!((&facts["validation_data_hash"], &facts["validation_data_size"]), (&json!(hash), &json!("1")));
}

/// Sixteen outputs of sixteen points.
fn longest_order(amount: &str) -> String {
    let curve = json!({
        "relativeBlocks": (0..16_usize).fold(U256::ZERO, |all, at| all | U256::from(at + 60_000).wrapping_shl(16 * at)).to_string(),
        "relativeAmounts": vec![amount; 16],
    });
    let draft = Draft::of("V3DutchOrder", |_| true)
        .with("/witness/baseInput/curve", curve.clone())
        .with("/witness/baseOutputs/0/curve", curve);
    let output = draft.at("/witness/baseOutputs/0");
    draft.with("/witness/baseOutputs", vec![output; 16]).document.to_string()
}

#[test]
fn the_facts_of_the_longest_order_fit_unless_its_amounts_are_absurd() {
    let fits = |text: &str| {
        let mut buffer = [0; FACTS_SIZE_MAX];
        let mut writer = FactWriter::new(&mut buffer);
        decode(text.as_bytes()).unwrap().facts(&mut writer);
        writer.is_complete()
    };
    assert!(fits(&longest_order(&U256::MAX.wrapping_shr(128).to_string())));
    assert!(!fits(&longest_order(&U256::MAX.wrapping_shr(1).to_string())), "refused as FactsTooLong");
}

#[test]
fn a_desk_that_knows_whom_a_line_deals_with_signs_nearly_all_everyday_lines() {
    let lines = lines("uniswapx");
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    let everyday = lines.iter().filter(|line| line["mix"] == "common");
    for line in everyday.clone() {
        let text = text_of(line);
        let data = decode(&text).unwrap();
        let known: Vec<_> = addresses(&line["facts"]).into_iter().filter(|known| *known != [0; 20]).collect();
        let deadline: u64 = line["facts"]["deadline"].as_str().unwrap().parse().unwrap();
        let now = Now { monotonic_ms: 0, wall_ms: (deadline - 60) * 1000 };
        let account = address(line["address"].as_str().unwrap());
        if let Err(why) = Desk::new(&known).judged(|limits| data.judge(limits, &account, now)) {
            *refused.entry(why.refusal.name()).or_default() += 1;
        }
    }
    // Two lines have a curve whose blocks go back.
    assert_eq!(everyday.count(), 120);
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), [("CurveBlocksNotAscending", 2)]);
}

#[test]
fn every_negative_is_refused_in_its_family() {
    let positives = lines("uniswapx");
    let negatives = lines("negative_uniswapx");
    assert_eq!(negatives.len(), 69);
    for line in &negatives {
        let text = text_of(line);
        let base = positives.iter().find(|base| base["id"] == line["base"]).unwrap();
        let known: Vec<_> = addresses(&base["facts"]).into_iter().filter(|known| *known != [0; 20]).collect();
        let refusal = match decode(&text) {
            Err(why) => why.refusal,
            Ok(data) => {
                let facts = &base["facts"];
                let deadline = facts.get("deadline").or(facts.get("sig_deadline")).unwrap();
                let deadline: u64 = deadline.as_str().unwrap().parse().unwrap();
                let now = Now { monotonic_ms: 0, wall_ms: (deadline - 60) * 1000 };
                let account = address(base["address"].as_str().unwrap());
                // Reactors are known by the chain they are deployed on.
                let chain_id: U256 = facts["chain_id"].as_str().unwrap().parse().unwrap();
                let mut desk = Desk::new(&known);
                desk.chains = Vec::leak(vec![chain_id.to::<u64>()]);
                desk.judged(|limits| data.judge(limits, &account, now)).unwrap_err().refusal
            }
        };
        if line["stage"] == "decode" {
            assert_ne!(refusal.family(), Family::Denied, "{} {}", line["id"], refusal.name());
        }
    }
}

#[test]
fn typed_data_of_other_types_are_unsupported() {
    let edge = lines("eip712_edge");
    assert_eq!(edge.len(), 61);
    for line in &edge {
        let refusal = decode(&text_of(line)).unwrap_err().witnessed().refusal;
        assert_eq!(refusal, Refusal::TypesNotSupported, "{}", line["id"]);
    }
}
