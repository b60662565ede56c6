//! The Solana builders against the lines that the venues' own libraries made.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use client_sdk::build::solana::{
    self, AccountMeta, BuildError, Direction, DriftAccounts, Instruction, Key, ModifyOrderParams,
    OrderParams, Program, Replaced, SwiftAccount, SwiftOrder, Transfer, key, key_text, legacy_message,
    payload, payload_with_tables, signed_transaction, swift_text,
};
use serde_json::Value;
use venues::solana::{
    Action, COMPUTE_BUDGET, DRIFT_V2, Movement, Transaction, VELOCITY_V1, decode, decode_swift,
};

fn all_lines(file: &str) -> Vec<Value> {
    let path = format!("{}/../venues/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
}

fn lines() -> Vec<Value> {
    let lines = [all_lines("solana_drift.jsonl"), all_lines("solana_velocity.jsonl")].concat();
    lines.into_iter().filter(|line| line["input"]["form"] == "solana_message").collect()
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

fn transfer(movement: &Movement, vault: Key, token_account: Key) -> Transfer {
    let Movement { market_index, amount, reduce_only } = *movement;
    Transfer { market_index, vault, token_account, amount, reduce_only }
}

/// The instruction that the typed builders make of what was decoded.
fn rebuilt(program: Program, action: &Action<'_>, metas: &[AccountMeta]) -> Option<Instruction> {
    let moves = matches!(action, Action::Deposit(_) | Action::Withdraw(_));
    let with_stats = usize::from(moves || matches!(action, Action::PlaceAndTakePerpOrder { .. }));
    let more = match action {
        Action::SettlePnl { .. } => 1,
        Action::Deposit(_) => 3,
        Action::Withdraw(_) => 4,
        Action::PlacePerpOrder(_)
        | Action::PlaceSpotOrder(_)
        | Action::PlaceOrders(_)
        | Action::PlaceAndTakePerpOrder { .. }
        | Action::CancelOrder { .. }
        | Action::CancelOrderByUserId { .. }
        | Action::CancelOrders { .. }
        | Action::CancelOrdersByIds { .. }
        | Action::ModifyOrder { .. }
        | Action::ModifyOrderByUserId { .. }
        | Action::SettleMultiplePnls { .. } => 0,
    };
    let accounts = DriftAccounts {
        program,
        state: metas[0].key,
        user: metas[1].key,
        user_stats: (with_stats == 1).then_some(metas[2].key),
        authority: metas[2 + with_stats].key,
        remaining: metas[3 + with_stats + more..].to_vec(),
    };
    let orders =
        action.orders().into_iter().flat_map(|orders| orders.iter().map(Result::unwrap).collect::<Vec<_>>());
    let orders: Vec<_> = orders.collect();
    Some(match action {
        Action::PlacePerpOrder(_) => Instruction::place_perp_order(&accounts, &orders[0]).unwrap(),
        Action::PlaceSpotOrder(_) => Instruction::place_spot_order(&accounts, &orders[0]).unwrap(),
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
            Instruction::modify_order(&accounts, replaced, params).unwrap()
        }
        Action::ModifyOrderByUserId { user_order_id, params } => {
            Instruction::modify_order(&accounts, Replaced::UserOrderId(*user_order_id), params).unwrap()
        }
        Action::SettlePnl { market_index } => Instruction::settle_pnl(&accounts, metas[3].key, *market_index),
        Action::Deposit(movement) => {
            Instruction::deposit(&accounts, &transfer(movement, metas[4].key, metas[5].key)).unwrap()
        }
        Action::Withdraw(movement) => {
            let transfer = transfer(movement, metas[4].key, metas[6].key);
            Instruction::withdraw(&accounts, &transfer, metas[5].key).unwrap()
        }
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
    assert!(seen > 190, "{seen}");
}

#[test]
fn typed_builders_give_the_instructions_of_the_venues_own_libraries() {
    for_each_supported(|line, transaction| {
        for instruction in transaction.instructions() {
            let theirs = &line["facts"]["instructions"][instruction.position];
            let metas = metas(theirs);
            let Some(ours) = rebuilt(instruction.program, &instruction.action, &metas) else {
                continue;
            };
            let program = match instruction.program {
                Program::DriftV2 => DRIFT_V2,
                Program::VelocityV1 => VELOCITY_V1,
            };
            assert_eq!(ours.program, program);
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
        program: Program::DriftV2,
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
    let built = Instruction::modify_order(&accounts(), Replaced::UserOrderId(8), &params).unwrap();
    let payload = payload(&legacy_message(&[3; 32], &[4; 32], &[built]).unwrap(), &[]).unwrap();
    let transaction = decode(&payload).unwrap();
    let action = transaction.instructions().next().unwrap().action;
    assert_eq!(action, Action::ModifyOrderByUserId { user_order_id: 8, params });
}

fn an_order() -> OrderParams {
    let line = lines().into_iter().find(|line| line["kind"] == "legacy.placePerpOrder.Limit").unwrap();
    let payload = payload_with_tables(&bytes(&line["input"]["message"]), &BTreeMap::new()).unwrap();
    let transaction = decode(&payload).unwrap();
    let orders = transaction.instructions().next().unwrap().action.orders().unwrap();
    orders.iter().next().unwrap().unwrap()
}

#[test]
fn a_field_that_the_programs_layout_does_not_have_is_not_left_out_in_silence() {
    let (drift, order) = (accounts(), an_order());
    let velocity = DriftAccounts { program: Program::VelocityV1, ..accounts() };
    let refused = Err(BuildError::FieldNotInLayout);
    for order in [
        OrderParams { activation_delay_slots: Some(0), ..order },
        OrderParams { builder_idx: Some(0), ..order },
        OrderParams { builder_fee_tenth_bps: Some(0), ..order },
        OrderParams { oracle_price_offset: Some(i64::from(i32::MAX) + 1), ..order },
    ] {
        assert_eq!(Instruction::place_perp_order(&drift, &order), refused);
        assert!(Instruction::place_perp_order(&velocity, &order).is_ok());
    }
    for order in [
        OrderParams { auction_duration: Some(0), ..order },
        OrderParams { auction_start_price: Some(0), ..order },
        OrderParams { auction_end_price: Some(0), ..order },
    ] {
        assert!(Instruction::place_perp_order(&drift, &order).is_ok());
        assert_eq!(Instruction::place_perp_order(&velocity, &order), refused);
        assert_eq!(Instruction::place_orders(&velocity, &[order]), refused);
    }
}

#[test]
fn swift_texts_are_those_of_the_venues_own_libraries() {
    let lines = all_lines("solana_drift.jsonl");
    let mut seen = 0;
    for line in lines.iter().filter(|line| line["input"]["form"] == "swift_hex_ascii") {
        let theirs = bytes(&line["input"]["signed_bytes"]);
        let message = decode_swift(&theirs).unwrap();
        assert_eq!(swift_text(message.order()), Ok(theirs.clone()), "{}", line["id"]);
        seen += 1;
    }
    assert!(seen >= 9);
}

#[test]
fn a_swift_text_for_a_taker_reads_back() {
    let order = SwiftOrder {
        order: an_order(),
        account: SwiftAccount::Taker([9; 32]),
        slot: 7,
        uuid: [1, 2, 3, 4, 5, 6, 7, 8],
        take_profit: Some(solana::TriggerOrder { trigger_price: 1, base: 2 }),
        stop_loss: None,
        max_margin_ratio: Some(500),
        builder_idx: Some(1),
        builder_fee_tenth_bps: Some(2),
        isolated_deposit: solana::IsolatedDeposit::Amount(3),
    };
    let text = swift_text(&order).unwrap();
    assert_eq!(*decode_swift(&text).unwrap().order(), order);
    let wide = OrderParams { activation_delay_slots: Some(1), ..order.order };
    assert_eq!(swift_text(&SwiftOrder { order: wide, ..order }), Err(BuildError::FieldNotInLayout));
}

#[test]
fn collateral_needs_the_statistics_account() {
    let transfer =
        Transfer { market_index: 0, vault: [5; 32], token_account: [6; 32], amount: 1, reduce_only: true };
    assert_eq!(Instruction::deposit(&accounts(), &transfer), Err(BuildError::UserStatsMissing));
    assert_eq!(Instruction::withdraw(&accounts(), &transfer, [7; 32]), Err(BuildError::UserStatsMissing));
}
