//! Every line of the vector files.

use serde_json::{Value, json};
use venues::Payload;
use venues::solana::{self, Action, MessageView, ORDERS_MAX, Transaction};
use wire::facts_json::JsonFacts;
use wire::{Family, Refusal, Why};

use crate::lines::{bytes, hex, key, line_payload, messages, payload};
use crate::witness::Witness as _;

const SUPPORTED: [&str; 14] = [
    "placePerpOrder",
    "placeSpotOrder",
    "placeOrders",
    "placeAndTakePerpOrder",
    "cancelOrder",
    "cancelOrderByUserId",
    "cancelOrders",
    "cancelOrdersByIds",
    "modifyOrder",
    "modifyOrderByUserId",
    "settlePnl",
    "settleMultiplePnls",
    "deposit",
    "withdraw",
];

fn instructions(line: &Value) -> &[Value] {
    line["facts"]["instructions"].as_array().unwrap()
}

fn is_supported(line: &Value) -> bool {
    instructions(line).iter().all(|instruction| {
        instruction["program"] == "compute_budget"
            || ["drift", "velocity"].contains(&instruction["program"].as_str().unwrap())
                && SUPPORTED.contains(&instruction["name"].as_str().unwrap())
    })
}

fn facts(transaction: &Transaction<'_>) -> Value {
    let mut text = String::new();
    let mut sink = JsonFacts::new(&mut text);
    transaction.facts(&mut sink);
    sink.finish().unwrap();
    serde_json::from_str(&text).unwrap()
}

fn place(params: &Value) -> Value {
    let mut wanted = json!({
        "order_type": params["orderType"], "market_type": params["marketType"],
        "market_index": params["marketIndex"].to_string(), "direction": params["direction"],
        "base": params["baseAssetAmount"], "price": params["price"],
        "reduce_only": params["reduceOnly"], "post_only": params["postOnly"],
        "bit_flags": params["bitFlags"].to_string(), "user_order_id": params["userOrderId"].to_string(),
    });
    if !params["triggerPrice"].is_null() {
        wanted["trigger_condition"] = params["triggerCondition"].clone();
    }
    add_prices(&mut wanted, params);
    wanted
}

fn number_text(value: &Value) -> Value {
    value.as_str().map_or_else(|| json!(value.to_string()), |text| json!(text))
}

/// Adds under `name` what is not null, numbers as text.
fn add(wanted: &mut Value, name: &str, value: &Value) {
    if !value.is_null() {
        wanted[name] = if value.is_number() { number_text(value) } else { value.clone() };
    }
}

fn add_prices(wanted: &mut Value, params: &Value) {
    for (name, theirs) in [
        ("trigger_price", "triggerPrice"),
        ("oracle_price_offset", "oraclePriceOffset"),
        ("auction_duration", "auctionDuration"),
        ("auction_start_price", "auctionStartPrice"),
        ("auction_end_price", "auctionEndPrice"),
        ("max_ts", "maxTs"),
        ("activation_delay_slots", "activationDelaySlots"),
        ("builder_idx", "builderIdx"),
        ("builder_fee_tenth_bps", "builderFeeTenthBps"),
    ] {
        add(wanted, name, &params[theirs]);
    }
}

fn list(values: &Value) -> Value {
    values.as_array().unwrap().iter().map(number_text).collect()
}

/// The facts that a venue's instruction of a line must give.
fn wanted_facts(instruction: &Value) -> Value {
    let (args, name) = (&instruction["args"], instruction["name"].as_str().unwrap());
    let mut wanted = match name {
        "placePerpOrder" | "placeSpotOrder" | "placeAndTakePerpOrder" => place(&args["params"]),
        "placeOrders" => {
            json!({ "orders": args["params"].as_array().unwrap().iter().map(place).collect::<Vec<_>>() })
        }
        "cancelOrdersByIds" => json!({ "order_ids": list(&args["orderIds"]) }),
        "settleMultiplePnls" => json!({
            "market_indexes": list(&args["marketIndexes"]), "must_settle": args["mode"] == "MustSettle",
        }),
        _ => json!({}),
    };
    let params = &args["modifyOrderParams"];
    for (name, value) in [
        ("order_id", &args["orderId"]),
        ("user_order_id", &args["userOrderId"]),
        ("success_condition", &args["successCondition"]),
        ("market_index", &args["marketIndex"]),
        ("market_type", &args["marketType"]),
        ("direction", &args["direction"]),
        ("direction", &params["direction"]),
        ("base", &params["baseAssetAmount"]),
        ("price", &params["price"]),
        ("reduce_only", &params["reduceOnly"]),
        ("post_only", &params["postOnly"]),
        ("bit_flags", &params["bitFlags"]),
        ("trigger_condition", &params["triggerCondition"]),
        ("modify_policy", &params["policy"]),
        ("reduce_only", &args["reduceOnly"]),
        ("token_amount", &args["amount"]),
    ] {
        add(&mut wanted, name, value);
    }
    add_prices(&mut wanted, params);
    let tokens = match name {
        "deposit" => Some(5),
        "withdraw" => Some(6),
        _ => None,
    };
    if let Some(at) = tokens {
        wanted["token_account"] =
            json!(format!("0x{}", hex(&key(instruction["accounts"][at]["pubkey"].as_str().unwrap()))));
    }
    wanted["name"] = json!(name);
    wanted["program"] = instruction["program"].clone();
    wanted["user"] =
        json!(format!("0x{}", hex(&key(instruction["accounts"][1]["pubkey"].as_str().unwrap()))));
    wanted
}

#[test]
fn every_supported_line_gives_its_label_and_facts() {
    let lines = [messages("solana_drift.jsonl"), messages("solana_velocity.jsonl")].concat();
    let mut seen = 0;
    for line in lines.iter().filter(|line| is_supported(line)) {
        let (id, payload) = (&line["id"], line_payload(line));
        let transaction = solana::decode(&payload).unwrap_or_else(|why| panic!("{id}: {why:?}"));
        assert_eq!(hex(&transaction.label()), line["digest"].as_str().unwrap(), "{id}");
        assert_eq!(transaction.preimage().as_bytes(), bytes(line["input"]["message"].as_str().unwrap()));
        let facts = facts(&transaction);
        let venue =
            instructions(line).iter().filter(|instruction| instruction["program"] != "compute_budget");
        assert_eq!(facts["instructions"], venue.map(wanted_facts).collect::<Value>(), "{id}");
        let argument = |name: &str, field: &str| {
            let found = instructions(line).iter().find(|instruction| instruction["name"] == name);
            found.map_or(Value::Null, |instruction| number_text(&instruction["args"][field]))
        };
        assert_eq!(facts["compute_unit_limit"], argument("setComputeUnitLimit", "units"));
        assert_eq!(facts["compute_unit_price"], argument("setComputeUnitPrice", "microLamports"));
        let text = |field: &str| json!(format!("0x{}", hex(&key(line["facts"][field].as_str().unwrap()))));
        assert_eq!(facts["fee_payer"], text("feePayer"), "{id}");
        assert_eq!(facts["blockhash"], text("recentBlockhash"), "{id}");
        seen += 1;
    }
    assert!(seen > 190, "{seen}");
}

#[test]
fn every_other_line_is_unsupported_and_none_is_malformed() {
    let lines = messages("solana_drift.jsonl");
    let mut seen = 0;
    for line in lines.iter().filter(|line| !is_supported(line)) {
        let payload = line_payload(line);
        let why = solana::decode(&payload).unwrap_err();
        assert_eq!(why.refusal.family(), Family::Unsupported, "{}: {why:?}", line["id"]);
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn accounts_and_data_are_those_of_the_line() {
    for line in messages("solana_drift.jsonl").iter().filter(|line| is_supported(line)) {
        let payload = line_payload(line);
        let transaction = solana::decode(&payload).unwrap();
        let view = transaction.view();
        for (compiled, wanted) in view.instructions().map(Result::unwrap).zip(instructions(line)) {
            assert_eq!(view.account(compiled.program), Some(&key(wanted["programId"].as_str().unwrap())));
            assert_eq!(hex(compiled.data), wanted["data"].as_str().unwrap());
            let accounts = wanted["accounts"].as_array().unwrap();
            assert_eq!(compiled.accounts.len(), accounts.len());
            for (index, account) in compiled.accounts.iter().zip(accounts) {
                assert_eq!(view.account(*index), Some(&key(account["pubkey"].as_str().unwrap())));
                // The fee payer is writable whatever an instruction asks for.
                assert_eq!(view.is_signer(*index), account["signer"].as_bool().unwrap());
                assert_eq!(view.is_writable(*index), account["writable"].as_bool().unwrap() || *index == 0);
            }
        }
    }
}

/// What the decoder alone says to a negative line. `None`: well formed, the book must refuse it.
fn wanted_refusal(reason: &str) -> Option<Refusal> {
    Some(match reason {
        "account count written with two bytes (compact-u16 alias)"
        | "instruction count written with two bytes"
        | "data length written with three bytes"
        | "account count over 65535"
        | "lookup-table count written with two bytes" => Refusal::CompactU16NotCanonical,
        "one trailing byte" => Refusal::TrailingBytes,
        "last byte missing" => Refusal::PayloadTruncated,
        "message version 1 (0x81)" => Refusal::MessageVersionNotSupported,
        "zero required signatures"
        | "more required signatures than keys"
        | "fee payer read-only (read-only signed = required)" => Refusal::HeaderMalformed,
        "duplicate static account" => Refusal::AccountKeyRepeated,
        "program index out of range" | "account index out of range" => Refusal::AccountIndexOutOfRange,
        "program index 0 (fee payer as program)" | "program id taken from a lookup table" => {
            Refusal::ProgramIndexNotAllowed
        }
        "lookup with no indexes" | "table contents not given with the request" => Refusal::LookupUnresolved,
        "no instructions" => Refusal::InstructionsEmpty,
        "postOnly 4 (out of range)"
        | "cancelOrder with Option tag 7"
        | "orderType 5 (out of range)"
        | "marketType 2 (out of range)"
        | "direction 2 (out of range)"
        | "reduceOnly byte 2 (not a bool)"
        | "Option tag 2" => Refusal::TagOutOfRange,
        "placeOrders vector length larger than the data"
        | "order data one byte short"
        | "order data one byte long"
        | "discriminator only"
        | "four bytes of data" => Refusal::InstructionDataMalformed,
        "updateUserDelegate hidden behind an order"
        | "unknown discriminator"
        // There it is the compute budget program that gets the order.
        | "program index off by one inside the static keys (another static account as program)" => Refusal::InstructionNotSupported,
        "unknown extra program after the order"
        | "look-alike program id (one bit off Drift)"
        | "SOL transfer appended after the order"
        | "durable nonce: AdvanceNonceAccount first (the order can be sent much later)"
        | "token Approve to a stranger before nothing else changes" => Refusal::ProgramNotSupported,
        "perp order with marketType Spot" => Refusal::MarketTypeDiffers,
        // Added to a message that has a compute unit price already.
        "priority fee of 1,400,000 CU x 10^12 micro-lamports" => Refusal::ComputeBudgetRepeated,
        "too few accounts" => Refusal::AccountsMissing,
        "authority slot points at a non-signer" => Refusal::AccountFlagsDiffer,
        _ => return None,
    })
}

/// Refused by the book alone; `judgement.rs` and the oracle judge them.
const DECODED: [&str; 7] = [
    "state account replaced",
    "user account is not a PDA of the signer",
    "market index in the data is not the market account passed",
    "a second required signer",
    "fee payer is somebody else",
    "vault key is not among the signers",
    "withdraw to a token account that is not the signer's own",
];

#[test]
fn every_negative_line_is_refused_for_its_own_reason() {
    let mut unexpected = Vec::new();
    for line in messages("negative_solana_drift.jsonl") {
        let payload = line_payload(&line);
        let reason = line["reason"].as_str().unwrap();
        let refusal = solana::decode(&payload).err().map(|why: Why| why.refusal).witnessed();
        let any_malformed = [
            "whole transaction (signature count first) given instead of a message",
            "v0 message without its prefix",
        ]
        .contains(&reason)
            && refusal.is_some_and(|refusal| refusal.family() == Family::Malformed);
        if !any_malformed
            && (refusal != wanted_refusal(reason) || refusal.is_none() && !DECODED.contains(&reason))
        {
            unexpected.push(format!("{}: {reason}: {refusal:?}", line["id"]));
        }
    }
    assert!(unexpected.is_empty(), "{unexpected:#?}");
}

#[test]
fn more_or_fewer_loaded_addresses_than_the_lookups_name_are_refused() {
    let lines = messages("solana_drift.jsonl");
    let line = lines.iter().find(|line| is_supported(line) && line["facts"]["nLookupTables"] == 1).unwrap();
    let whole = line_payload(line);
    let refusal = |payload: &[u8]| solana::decode(payload).map(|_| ()).unwrap_err().witnessed().refusal;
    assert_eq!(refusal(&whole[..whole.len() - 32]), Refusal::LookupUnresolved);
    assert_eq!(refusal(&whole[..whole.len() - 1]), Refusal::LookupUnresolved);
    assert_eq!(refusal(&[&whole[..], &[7; 32]].concat()), Refusal::TrailingBytes);
    assert_eq!(refusal(&[&whole[..], &[7]].concat()), Refusal::TrailingBytes);
    assert_eq!(refusal(&[]), Refusal::PayloadEmpty);
    assert_eq!(refusal(&[1]), Refusal::PayloadTruncated);
}

#[test]
fn orders_are_told_as_often_as_they_were_counted() {
    for line in messages("solana_drift.jsonl").iter().filter(|line| is_supported(line)) {
        let payload = line_payload(line);
        for instruction in solana::decode(&payload).unwrap().instructions() {
            let Action::PlaceOrders(orders) = instruction.action else {
                continue;
            };
            assert!(orders.count() <= ORDERS_MAX);
            assert_eq!(orders.iter().map(Result::unwrap).count(), usize::try_from(orders.count()).unwrap());
        }
    }
}

#[test]
fn a_message_alone_is_read_without_its_tables() {
    for line in messages("solana_drift.jsonl") {
        let message = bytes(line["input"]["message"].as_str().unwrap());
        let view = MessageView::read(&message).unwrap();
        let names_lookups = view.lookups().next().is_some();
        assert_eq!(names_lookups, line["facts"]["nLookupTables"] == 1);
        assert_eq!(
            solana::decode(&payload(&message, &[]))
                .is_err_and(|why| why.refusal == Refusal::LookupUnresolved),
            names_lookups
        );
    }
}

#[test]
fn lookup_tables_and_the_number_of_loaded_accounts_are_told() {
    use crate::draft::{Draft, ORDER, TABLE};
    let told = |draft: &Draft, loaded: &[[u8; 32]]| {
        let payload = payload(&draft.encode(), loaded);
        facts(&solana::decode(&payload).unwrap())
    };
    let looking_up = told(&Draft::place(ORDER).looking_up(&[7], &[8, 9]), &[[40; 32], [41; 32], [42; 32]]);
    assert_eq!(looking_up["lookup_tables"].as_array().unwrap().len(), 1);
    assert_eq!(
        looking_up["lookup_tables"][0],
        told(&Draft { keys: renamed(TABLE), ..Draft::place(ORDER) }, &[])["fee_payer"]
    );
    assert_eq!(looking_up["loaded_accounts"], "3");
    let without = told(&Draft::place(ORDER), &[]);
    assert!(without["lookup_tables"].is_null() && without["loaded_accounts"].is_null());
}

/// The drafts' keys with another payer.
fn renamed(payer: [u8; 32]) -> Vec<[u8; 32]> {
    let mut keys = crate::draft::KEYS.to_vec();
    keys[0] = payer;
    keys
}

#[test]
fn the_facts_of_the_longest_lists_fit_the_receipt() {
    use crate::draft::{Draft, ORDER, drift, place_orders};
    let list = |count: u32, size: usize, tail: &[u8]| {
        let elements = vec![0xff; usize::try_from(count).unwrap() * size];
        [&count.to_le_bytes()[..], &elements, tail].concat()
    };
    for (grow, least) in [
        (Box::new(|count| drift("861390a55ef0d25e", &list(count, 4, &[]))) as Box<dyn Fn(u32) -> _>, 200),
        (Box::new(|count| drift("7f4275392832987f", &list(count, 2, &[0]))), 400),
        (Box::new(|count| place_orders(&vec![ORDER; usize::try_from(count).unwrap()])), 24),
    ] {
        // The longest that the size of a transaction lets through.
        let payloads = (1..500).map(|count| payload(&Draft::new(vec![grow(count)]).encode(), &[]));
        let longest = payloads.take_while(|payload| solana::decode(payload).is_ok()).enumerate().last();
        let (index, longest) = longest.unwrap();
        assert!(index >= least, "{index}");
        let mut room = [0; wire::FACTS_SIZE_MAX];
        let mut writer = wire::facts::FactWriter::new(&mut room);
        solana::decode(&longest).unwrap().facts(&mut writer);
        assert!(writer.is_complete() && writer.used() < wire::FACTS_SIZE_MAX / 2, "{}", writer.used());
    }
}
