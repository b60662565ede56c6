//! The Solana builders against the lines that the venues' own libraries made.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use client_sdk::build::solana::{
    self, AccountMeta, BuildError, Direction, DriftAccounts, Instruction, Key, ModifyOrderParams, Replaced,
    key, key_text, legacy_message, payload, payload_with_tables, signed_transaction,
};
use serde_json::Value;
use venues::solana::{Action, COMPUTE_BUDGET, DRIFT_V2, Transaction, decode};

fn lines() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../venues/vectors/solana_drift.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["input"]["form"] == "solana_message").collect()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    let pairs = (0..hex.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn base58(text: &Value) -> Key {
    key(text.as_str().unwrap()).unwrap()
}

fn tables(line: &Value) -> BTreeMap<Key, Vec<Key>> {
    let tables = line["input"]["lookup_tables"].as_object().unwrap().iter();
    let contents = |keys: &Value| keys.as_array().unwrap().iter().map(base58).collect();
    tables.map(|(table, keys)| (key(table).unwrap(), contents(keys))).collect()
}

fn metas(instruction: &Value) -> Vec<AccountMeta> {
    let accounts = instruction["accounts"].as_array().unwrap().iter();
    accounts
        .map(|account| AccountMeta {
            key: base58(&account["pubkey"]),
            is_signer: account["signer"].as_bool().unwrap(),
            is_writable: account["writable"].as_bool().unwrap(),
        })
        .collect()
}

/// The instruction that the typed builders make of what was decoded.
fn rebuilt(action: &Action<'_>, metas: &[AccountMeta]) -> Option<Instruction> {
    let with_stats = usize::from(matches!(action, Action::PlaceAndTakePerpOrder { .. }));
    let with_vault = usize::from(matches!(action, Action::SettlePnl { .. }));
    let accounts = DriftAccounts {
        state: metas[0].key,
        user: metas[1].key,
        user_stats: (with_stats == 1).then_some(metas[2].key),
        authority: metas[2 + with_stats].key,
        remaining: metas[3 + with_stats + with_vault..].to_vec(),
    };
    let orders =
        action.orders().into_iter().flat_map(|orders| orders.iter().map(Result::unwrap).collect::<Vec<_>>());
    let orders: Vec<_> = orders.collect();
    Some(match action {
        Action::PlacePerpOrder(_) => Instruction::place_perp_order(&accounts, &orders[0]),
        Action::PlaceSpotOrder(_) => Instruction::place_spot_order(&accounts, &orders[0]),
        Action::PlaceOrders(_) => Instruction::place_orders(&accounts, &orders).unwrap(),
        Action::PlaceAndTakePerpOrder { success_condition, .. } => {
            Instruction::place_and_take_perp_order(&accounts, &orders[0], *success_condition).unwrap()
        }
        Action::CancelOrder { order_id } => Instruction::cancel_order(&accounts, *order_id),
        Action::CancelOrderByUserId { user_order_id } => {
            Instruction::cancel_order_by_user_id(&accounts, *user_order_id)
        }
        Action::CancelOrders { market_kind, market_index, direction } => {
            Instruction::cancel_orders(&accounts, *market_kind, *market_index, *direction)
        }
        Action::CancelOrdersByIds { order_ids } => {
            let ids: Vec<_> = order_ids.iter().map(|id| u32::from_le_bytes(*id)).collect();
            Instruction::cancel_orders_by_ids(&accounts, &ids).unwrap()
        }
        Action::ModifyOrder { order_id, params } => {
            let replaced = order_id.map_or(Replaced::Last, Replaced::OrderId);
            Instruction::modify_order(&accounts, replaced, params)
        }
        Action::ModifyOrderByUserId { user_order_id, params } => {
            Instruction::modify_order(&accounts, Replaced::UserOrderId(*user_order_id), params)
        }
        Action::SettlePnl { market_index } => Instruction::settle_pnl(&accounts, metas[3].key, *market_index),
        Action::SettleMultiplePnls { .. } => return None,
    })
}

/// Calls `check` with every line that the decoder supports.
fn for_each_supported(mut check: impl FnMut(&Value, &Transaction<'_>)) {
    let mut seen = 0;
    for line in lines() {
        let payload = payload_with_tables(&bytes(&line["input"]["message"]), &tables(&line)).unwrap();
        if let Ok(transaction) = decode(&payload) {
            check(&line, &transaction);
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn typed_builders_give_the_instructions_of_the_venues_own_libraries() {
    for_each_supported(|line, transaction| {
        for instruction in transaction.instructions() {
            let theirs = &line["facts"]["instructions"][instruction.position];
            let metas = metas(theirs);
            let Some(ours) = rebuilt(&instruction.action, &metas) else {
                continue;
            };
            assert_eq!(ours.program, DRIFT_V2);
            assert_eq!(ours.accounts, metas, "{}", line["id"]);
            assert_eq!(ours.data, bytes(&theirs["data"]), "{}", line["id"]);
        }
        let budget = transaction.compute_budget();
        let ours = [
            budget.unit_limit.map(Instruction::compute_unit_limit),
            budget.unit_price.map(Instruction::compute_unit_price),
        ];
        for ours in ours.into_iter().flatten() {
            assert_eq!(ours.program, COMPUTE_BUDGET);
            let mut theirs = line["facts"]["instructions"].as_array().unwrap().iter();
            assert!(theirs.any(|theirs| bytes(&theirs["data"]) == ours.data));
        }
    });
}

#[test]
fn a_compiled_message_holds_the_instructions_and_rights_it_was_given() {
    let mut same = 0;
    for_each_supported(|line, _| {
        let facts = &line["facts"];
        let instructions: Vec<_> = facts["instructions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|instruction| Instruction {
                program: base58(&instruction["programId"]),
                accounts: metas(instruction),
                data: bytes(&instruction["data"]),
            })
            .collect();
        let payer = base58(&facts["feePayer"]);
        let message = legacy_message(&payer, &base58(&facts["recentBlockhash"]), &instructions).unwrap();
        same += usize::from(message == bytes(&line["input"]["message"]));
        let payload = payload(&message, &[]).unwrap();
        let transaction = decode(&payload).unwrap();
        let view = transaction.view();
        assert_eq!(view.fee_payer(), Some(&payer));
        for (ours, theirs) in view.instructions().map(Result::unwrap).zip(&instructions) {
            assert_eq!(view.account(ours.program), Some(&theirs.program));
            assert_eq!(ours.data, theirs.data);
            for (index, meta) in ours.accounts.iter().zip(&theirs.accounts) {
                assert_eq!(view.account(*index), Some(&meta.key));
                assert_eq!(view.is_signer(*index), meta.is_signer);
                assert_eq!(view.is_writable(*index), meta.is_writable || *index == 0);
            }
        }
    });
    // The lines that solders compiled to legacy messages; web3.js orders accounts in another way.
    assert!(same > 40, "{same}");
}

#[test]
fn a_signed_transaction_is_the_one_of_the_line() {
    for line in lines() {
        let signature = bytes(&line["signature"]).try_into().unwrap();
        let transaction = signed_transaction(&bytes(&line["input"]["message"]), &signature);
        assert_eq!(transaction, bytes(&line["transaction"]), "{}", line["id"]);
    }
}

#[test]
fn keys_read_and_write_as_base58() {
    let text = "dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH";
    assert_eq!(key(text), Ok(DRIFT_V2));
    assert_eq!(key_text(&DRIFT_V2), text);
    assert_eq!(key("11111111111111111111111111111111"), Ok([0; 32]));
    for bad in [
        "",
        "0",
        "dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33U",
        "1111111111111111111111111111111",
        "dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UHH",
    ] {
        assert_eq!(key(bad), Err(BuildError::KeyMalformed), "{bad}");
    }
}

fn accounts() -> DriftAccounts {
    DriftAccounts {
        state: [1; 32],
        user: [2; 32],
        user_stats: None,
        authority: [3; 32],
        remaining: Vec::new(),
    }
}

#[test]
fn what_cannot_be_built_is_said() {
    assert_eq!(legacy_message(&[3; 32], &[4; 32], &[]), Err(BuildError::InstructionsEmpty));
    let many = Instruction::cancel_orders_by_ids(&accounts(), &[7; 300]).unwrap();
    assert_eq!(legacy_message(&[3; 32], &[4; 32], &[many]), Err(BuildError::MessageTooLong));
    let mut crowded = Instruction::cancel_order(&accounts(), None);
    crowded.accounts = (0..=255).map(|byte| AccountMeta::readonly([byte; 32])).collect();
    assert_eq!(legacy_message(&[3; 32], &[4; 32], &[crowded]), Err(BuildError::ListTooLong));
    assert_eq!(payload(&[0; 1233], &[]), Err(BuildError::MessageTooLong));
    assert_eq!(
        payload_with_tables(&[0x81], &BTreeMap::new()),
        Err(BuildError::MessageMalformed(wire::Refusal::MessageVersionNotSupported))
    );
}

#[test]
fn an_order_that_takes_needs_the_statistics_account() {
    let line = lines().into_iter().find(|line| line["kind"] == "legacy.placeAndTakePerpOrder").unwrap();
    let payload = payload_with_tables(&bytes(&line["input"]["message"]), &BTreeMap::new()).unwrap();
    let transaction = decode(&payload).unwrap();
    let orders = transaction.instructions().next().unwrap().action.orders().unwrap();
    let order = orders.iter().next().unwrap().unwrap();
    let built = Instruction::place_and_take_perp_order(&accounts(), &order, None);
    assert_eq!(built, Err(BuildError::UserStatsMissing));
}

#[test]
fn a_table_that_is_not_given_or_too_short_is_named() {
    let line = lines().into_iter().find(|line| line["facts"]["nLookupTables"] == 1).unwrap();
    let (message, mut tables) = (bytes(&line["input"]["message"]), tables(&line));
    let table = *tables.keys().next().unwrap();
    assert_eq!(payload_with_tables(&message, &BTreeMap::new()), Err(BuildError::TableMissing(table)));
    tables.get_mut(&table).unwrap().truncate(1);
    let refused = payload_with_tables(&message, &tables);
    assert!(
        matches!(refused, Err(BuildError::TableIndexMissing(named, 1..)) if named == table),
        "{refused:?}"
    );
}

#[test]
fn a_modification_by_the_users_number_reads_back() {
    let params = ModifyOrderParams {
        direction: Some(Direction::Short),
        base: Some(5),
        price: None,
        reduce_only: Some(true),
        post_only: Some(solana::PostOnly::Slide),
        bit_flags: Some(1),
        max_ts: Some(-1),
        trigger_price: Some(9),
        trigger_condition: Some(solana::TriggerCondition::Below),
        oracle_price_offset: Some(-3),
        auction_duration: Some(4),
        auction_start_price: Some(1),
        auction_end_price: Some(2),
        policy: Some(3),
    };
    let built = Instruction::modify_order(&accounts(), Replaced::UserOrderId(8), &params);
    let payload = payload(&legacy_message(&[3; 32], &[4; 32], &[built]).unwrap(), &[]).unwrap();
    let transaction = decode(&payload).unwrap();
    let action = transaction.instructions().next().unwrap().action;
    assert_eq!(action, Action::ModifyOrderByUserId { user_order_id: 8, params });
}
