//! Messages that Anza's crates compile, and messages that our decoder accepts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod lines;

use std::collections::{BTreeMap, BTreeSet};

use client_sdk::build::solana::{
    AccountMeta, DriftAccounts, Instruction, Key, ModifyOrderParams, OrderParams, Program, Replaced,
    Transfer, legacy_message, payload_with_tables,
};
use client_sdk::build::solana::{Direction, MarketKind, OrderType, PostOnly, TriggerCondition};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use solana_hash::Hash;
use solana_message::{AddressLookupTableAccount, Message, VersionedMessage, v0};
use solana_pubkey::Pubkey;
use venues::solana::{Action, TRANSACTION_SIZE_MAX, decode};

fn theirs(instruction: &Instruction) -> solana_instruction::Instruction {
    let accounts = instruction.accounts.iter();
    solana_instruction::Instruction {
        program_id: Pubkey::from(instruction.program),
        accounts: accounts
            .map(|meta| solana_instruction::AccountMeta {
                pubkey: Pubkey::from(meta.key),
                is_signer: meta.is_signer,
                is_writable: meta.is_writable,
            })
            .collect(),
        data: instruction.data.clone(),
    }
}

/// A key that differs for every number; never a program's.
fn numbered(number: u8) -> Key {
    let mut key = [number; 32];
    key[31] = 0xfe;
    key
}

fn order(kind: MarketKind) -> impl Strategy<Value = OrderParams> {
    (
        (
            select(vec![OrderType::Market, OrderType::Limit, OrderType::TriggerLimit, OrderType::Oracle]),
            select(vec![Direction::Long, Direction::Short]),
            select(vec![PostOnly::None, PostOnly::Slide]),
            select(vec![TriggerCondition::Above, TriggerCondition::TriggeredBelow]),
        ),
        any::<(u8, u64, u64, u16, bool, u8)>(),
        any::<(Option<i64>, Option<u64>, Option<i32>, Option<u8>, Option<i64>, Option<i64>)>(),
    )
        .prop_map(move |(tags, fields, options)| OrderParams {
            order_type: tags.0,
            market_kind: kind,
            direction: tags.1,
            user_order_id: fields.0,
            base: fields.1,
            price: fields.2,
            market_index: fields.3,
            reduce_only: fields.4,
            post_only: tags.2,
            bit_flags: fields.5,
            max_ts: options.0,
            trigger_price: options.1,
            trigger_condition: tags.3,
            oracle_price_offset: options.2.map(i64::from),
            auction_duration: options.3,
            auction_start_price: options.4,
            auction_end_price: options.5,
            activation_delay_slots: None,
            builder_idx: None,
            builder_fee_tenth_bps: None,
        })
}

fn accounts() -> impl Strategy<Value = DriftAccounts> {
    let remaining = vec((10..40_u8, any::<bool>()), 0..12);
    remaining.prop_map(|remaining| DriftAccounts {
        program: Program::DriftV2,
        state: numbered(1),
        user: numbered(2),
        user_stats: Some(numbered(3)),
        authority: numbered(0),
        remaining: remaining
            .into_iter()
            .map(|(number, is_writable)| AccountMeta { key: numbered(number), is_signer: false, is_writable })
            .collect(),
    })
}

fn drift_instruction() -> impl Strategy<Value = Instruction> {
    let orders = (order(MarketKind::Perp), order(MarketKind::Spot));
    (accounts(), orders, any::<(u32, u8, u16)>(), 0..12_u8).prop_map(
        |(accounts, (perp, spot), numbers, which)| {
            let modification = ModifyOrderParams {
                direction: Some(perp.direction),
                base: Some(perp.base),
                price: None,
                reduce_only: Some(perp.reduce_only),
                post_only: None,
                bit_flags: Some(perp.bit_flags),
                max_ts: perp.max_ts,
                trigger_price: perp.trigger_price,
                trigger_condition: None,
                oracle_price_offset: perp.oracle_price_offset,
                auction_duration: perp.auction_duration,
                auction_start_price: perp.auction_start_price,
                auction_end_price: None,
                policy: Some(numbers.1 & 3),
            };
            let transfer = Transfer {
                market_index: numbers.2,
                vault: numbered(6),
                token_account: numbered(7),
                amount: perp.base,
                reduce_only: perp.reduce_only,
            };
            match which {
                0 => Instruction::place_perp_order(&accounts, &perp).unwrap(),
                1 => Instruction::place_spot_order(&accounts, &spot).unwrap(),
                2 => Instruction::place_orders(&accounts, &[perp, spot]).unwrap(),
                3 => Instruction::place_and_take_perp_order(&accounts, &perp, Some(numbers.0)).unwrap(),
                4 => Instruction::cancel_order(&accounts, Some(numbers.0)),
                5 => Instruction::cancel_order_by_user_id(&accounts, numbers.1),
                6 => Instruction::cancel_orders(&accounts, None, Some(numbers.2), Some(perp.direction)),
                7 => Instruction::cancel_orders_by_ids(&accounts, &[numbers.0, 1, 2]).unwrap(),
                8 => {
                    Instruction::modify_order(&accounts, Replaced::OrderId(numbers.0), &modification).unwrap()
                }
                9 => Instruction::deposit(&accounts, &transfer).unwrap(),
                10 => Instruction::withdraw(&accounts, &transfer, numbered(8)).unwrap(),
                _ => Instruction::settle_pnl(&accounts, numbered(9), numbers.2),
            }
        },
    )
}

fn instructions() -> impl Strategy<Value = Vec<Instruction>> {
    let budget = any::<(Option<u32>, Option<u64>)>();
    (budget, vec(drift_instruction(), 1..4)).prop_map(|((limit, price), drift)| {
        let limit = limit.map(Instruction::compute_unit_limit);
        let price = price.map(Instruction::compute_unit_price);
        limit.into_iter().chain(price).chain(drift).collect()
    })
}

/// Keys, rights, programs, data and blockhash are those that went in.
fn assert_decodes(
    payload: &[u8],
    instructions: &[Instruction],
    message: &VersionedMessage,
) -> Result<(), TestCaseError> {
    let transaction = decode(payload).map_err(|why| TestCaseError::fail(format!("{why:?}")))?;
    let view = transaction.view();
    let keys: Vec<_> = message.static_account_keys().iter().map(|key| key.to_bytes()).collect();
    prop_assert_eq!(view.static_keys, keys.as_slice());
    prop_assert_eq!(view.blockhash, &message.recent_blockhash().to_bytes());
    prop_assert_eq!(view.instructions().count(), instructions.len());
    for (ours, theirs) in view.instructions().map(Result::unwrap).zip(instructions) {
        prop_assert_eq!(view.account(ours.program), Some(&theirs.program));
        prop_assert_eq!(ours.data, theirs.data.as_slice());
        prop_assert_eq!(ours.accounts.len(), theirs.accounts.len());
        for (index, meta) in ours.accounts.iter().zip(&theirs.accounts) {
            prop_assert_eq!(view.account(*index), Some(&meta.key));
            prop_assert_eq!(view.is_signer(*index), meta.is_signer);
            prop_assert!(view.is_writable(*index) || !meta.is_writable);
            prop_assert_eq!(view.is_signer(*index), message.is_signer((*index).into()));
        }
    }
    for (index, _) in (0_u8..).zip(view.static_keys) {
        let writable =
            message.is_maybe_writable_with_reserved_addresses(index.into(), None::<&BTreeSet<Pubkey>>);
        // The crates take the write right from programs, whatever the header says.
        prop_assert!(view.is_writable(index) == writable || message.is_invoked(index.into()));
    }
    Ok(())
}

fn fits(message: &[u8]) -> bool {
    message.len() + 65 <= TRANSACTION_SIZE_MAX
}

proptest! {
    #[test]
    fn legacy_messages_of_the_crates_decode_to_what_went_in(
        instructions in instructions(), blockhash in any::<[u8; 32]>(),
    ) {
        prop_assume!(blockhash != [0; 32]);
        let compiled: Vec<_> = instructions.iter().map(theirs).collect();
        let payer = Pubkey::from(numbered(0));
        let message = Message::new_with_blockhash(&compiled, Some(&payer), &Hash::new_from_array(blockhash));
        let message = VersionedMessage::Legacy(message);
        let bytes = message.serialize();
        prop_assume!(fits(&bytes));
        prop_assert_eq!(legacy_message(&numbered(0), &blockhash, &instructions), Ok(bytes.clone()));
        let payload = payload_with_tables(&bytes, &BTreeMap::new()).unwrap();
        assert_decodes(&payload, &instructions, &message)?;
    }

    #[test]
    fn version_0_messages_of_the_crates_decode_to_what_went_in(
        instructions in instructions(),
        tables in vec(vec(1..40_u8, 1..20), 0..3),
        blockhash in any::<[u8; 32]>(),
    ) {
        prop_assume!(blockhash != [0; 32]);
        let tables: Vec<_> = (200_u8..).zip(&tables)
            .map(|(number, contents)| AddressLookupTableAccount {
                key: Pubkey::from(numbered(number)),
                addresses: contents.iter().map(|number| Pubkey::from(numbered(*number))).collect(),
            })
            .collect();
        let compiled: Vec<_> = instructions.iter().map(theirs).collect();
        let payer = Pubkey::from(numbered(0));
        let hash = Hash::new_from_array(blockhash);
        let message = VersionedMessage::V0(v0::Message::try_compile(&payer, &compiled, &tables, hash).unwrap());
        let bytes = message.serialize();
        prop_assume!(fits(&bytes));
        let contents = tables.iter()
            .map(|table| (table.key.to_bytes(), table.addresses.iter().map(Pubkey::to_bytes).collect()))
            .collect();
        let payload = payload_with_tables(&bytes, &contents).unwrap();
        assert_decodes(&payload, &instructions, &message)?;
    }

    #[test]
    fn whatever_we_accept_the_crates_read_and_write_back(
        line in any::<Index>(), edits in vec((any::<Index>(), any::<u8>()), 0..4),
    ) {
        let payloads = lines::accepted();
        let mut payload = line.get(payloads).clone();
        for (at, value) in edits {
            let at = at.index(payload.len());
            payload[at] = value;
        }
        if let Ok(transaction) = decode(&payload) {
            let bytes = transaction.view().bytes();
            let message: VersionedMessage = wincode::deserialize(bytes).unwrap();
            prop_assert_eq!(message.serialize(), bytes);
            prop_assert!(message.sanitize().is_ok());
        }
    }
}

#[test]
fn every_accepted_line_is_read_and_written_back_by_the_crates() {
    let mut orders = 0;
    for payload in lines::accepted() {
        let transaction = decode(payload).unwrap();
        let bytes = transaction.view().bytes();
        let message: VersionedMessage = wincode::deserialize(bytes).unwrap();
        assert_eq!(message.serialize(), bytes);
        message.sanitize().unwrap();
        let places = |action: Action<'_>| action.orders().is_some();
        orders += transaction.instructions().filter(|instruction| places(instruction.action)).count();
    }
    assert!(orders > 50, "{orders}");
}
