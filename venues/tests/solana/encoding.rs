//! What was checked is what is signed: decoding and encoding again gives the same bytes.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use venues::Payload;
use venues::solana::rules::{MarketKind, Program};
use venues::solana::{
    self, Direction, ModifyOrderParams, OrderParams, OrderType, PostOnly, Transaction, TriggerCondition,
};
use wire::facts::FactWriter;

use crate::draft::{self, Draft, encode_arguments};
use crate::lines::{line_payload, messages, payload};

/// The message and every Drift instruction's data, encoded again from what was decoded.
fn assert_encodes_again(transaction: &Transaction<'_>) {
    let mut again = Draft::of(transaction.view());
    for instruction in transaction.instructions() {
        let data = &mut again.instructions[instruction.position].2;
        data.truncate(8);
        data.extend(encode_arguments(instruction.program, &instruction.action));
    }
    assert_eq!(again.encode(), transaction.canonical());
    assert_eq!(transaction.preimage().as_bytes(), transaction.canonical());
}

/// The payloads of the vector lines that are accepted.
static ACCEPTED: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let lines = [messages("solana_drift.jsonl"), messages("solana_velocity.jsonl")].concat();
    let payloads = lines.iter().map(line_payload);
    payloads.filter(|payload| solana::decode(payload).is_ok()).collect()
});

#[test]
fn every_accepted_line_encodes_again_to_its_bytes() {
    for payload in ACCEPTED.iter() {
        assert_encodes_again(&solana::decode(payload).unwrap());
    }
}

fn order() -> impl Strategy<Value = OrderParams> {
    let kinds = (
        select(vec![
            OrderType::Market,
            OrderType::Limit,
            OrderType::TriggerMarket,
            OrderType::TriggerLimit,
            OrderType::Oracle,
        ]),
        select(vec![Direction::Long, Direction::Short]),
        select(vec![PostOnly::None, PostOnly::MustPostOnly, PostOnly::TryPostOnly, PostOnly::Slide]),
        select(vec![
            TriggerCondition::Above,
            TriggerCondition::Below,
            TriggerCondition::TriggeredAbove,
            TriggerCondition::TriggeredBelow,
        ]),
        any::<(bool, u8, u8, u16)>(),
    );
    let amounts =
        any::<(u64, u64, Option<i64>, Option<u64>, Option<i32>, Option<u8>, Option<i64>, Option<i64>)>();
    (kinds, amounts).prop_map(|((order_type, direction, post_only, trigger_condition, small), amounts)| {
        OrderParams {
            order_type,
            market_kind: MarketKind::Perp,
            direction,
            user_order_id: small.1,
            base: amounts.0,
            price: amounts.1,
            market_index: small.3,
            reduce_only: small.0,
            post_only,
            bit_flags: small.2,
            max_ts: amounts.2,
            trigger_price: amounts.3,
            trigger_condition,
            oracle_price_offset: amounts.4.map(i64::from),
            auction_duration: amounts.5,
            auction_start_price: amounts.6,
            auction_end_price: amounts.7,
            ..draft::ORDER
        }
    })
}

/// An order that Velocity's layout holds.
fn velocity_order() -> impl Strategy<Value = OrderParams> {
    (order(), any::<(Option<i64>, Option<u32>, Option<u8>, Option<u16>)>()).prop_map(|(order, last)| {
        OrderParams {
            oracle_price_offset: last.0,
            auction_duration: None,
            auction_start_price: None,
            auction_end_price: None,
            activation_delay_slots: last.1,
            builder_idx: last.2,
            builder_fee_tenth_bps: last.3,
            ..order
        }
    })
}

fn modification() -> impl Strategy<Value = ModifyOrderParams> {
    (order(), any::<[bool; 7]>(), proptest::option::of(0..=3_u8)).prop_map(|(order, there, policy)| {
        ModifyOrderParams {
            direction: there[0].then_some(order.direction),
            base: there[1].then_some(order.base),
            price: there[2].then_some(order.price),
            reduce_only: there[3].then_some(order.reduce_only),
            post_only: there[4].then_some(order.post_only),
            bit_flags: there[5].then_some(order.bit_flags),
            max_ts: order.max_ts,
            trigger_price: order.trigger_price,
            trigger_condition: there[6].then_some(order.trigger_condition),
            oracle_price_offset: order.oracle_price_offset,
            auction_duration: order.auction_duration,
            auction_start_price: order.auction_start_price,
            auction_end_price: order.auction_end_price,
            policy,
        }
    })
}

proptest! {
    #[test]
    fn orders_are_read_as_they_were_written(order in order()) {
        let payload = payload(&Draft::place(order).encode(), &[]);
        let transaction = solana::decode(&payload).unwrap();
        let orders = transaction.instructions().next().unwrap().action.orders().unwrap();
        prop_assert_eq!(orders.iter().map(Result::unwrap).collect::<Vec<_>>(), vec![order]);
        assert_encodes_again(&transaction);
    }

    #[test]
    fn velocitys_orders_are_read_as_they_were_written(
        order in velocity_order(), params in modification(), number in any::<u8>(),
    ) {
        let data = draft::encode_order_of(Program::VelocityV1, &order);
        let payload = payload(&draft::velocity("45a15dca787e4cb9", &data).encode(), &[]);
        let transaction = solana::decode(&payload).unwrap();
        let orders = transaction.instructions().next().unwrap().action.orders().unwrap();
        prop_assert_eq!(orders.iter().map(Result::unwrap).collect::<Vec<_>>(), vec![order]);
        assert_encodes_again(&transaction);

        let params = ModifyOrderParams {
            auction_duration: None, auction_start_price: None, auction_end_price: None, ..params
        };
        let data = [vec![number], draft::encode_modification_of(Program::VelocityV1, &params)].concat();
        let payload = crate::lines::payload(&draft::velocity("9e4d04fdfcc2a1b3", &data).encode(), &[]);
        let transaction = solana::decode(&payload).unwrap();
        let action = transaction.instructions().next().unwrap().action;
        prop_assert_eq!(action, solana::Action::ModifyOrderByUserId { user_order_id: number, params });
        assert_encodes_again(&transaction);
    }

    #[test]
    fn modifications_are_read_as_they_were_written(params in modification()) {
        let payload = payload(&Draft::new(vec![draft::modify(&params)]).encode(), &[]);
        let transaction = solana::decode(&payload).unwrap();
        let action = transaction.instructions().next().unwrap().action;
        prop_assert_eq!(action, solana::Action::ModifyOrder { order_id: None, params });
        assert_encodes_again(&transaction);
    }

    #[test]
    fn a_mutated_message_is_refused_or_has_another_label(
        line in any::<Index>(), at in any::<Index>(), by in 1..=255_u8,
    ) {
        let original = line.get(&ACCEPTED);
        let message_size = solana::decode(original).unwrap().canonical().len();
        let mut mutated = original.clone();
        mutated[2 + at.index(message_size)] ^= by;
        if let Ok(transaction) = solana::decode(&mutated) {
            assert_encodes_again(&transaction);
            prop_assert_ne!(transaction.label(), solana::decode(original).unwrap().label());
        }
    }

    #[test]
    fn a_mutated_size_or_a_cut_is_refused(line in any::<Index>(), at in any::<Index>(), by in 1..=255_u8) {
        let original = line.get(&ACCEPTED);
        let mut mutated = original.clone();
        mutated[at.index(2)] ^= by;
        prop_assert!(solana::decode(&mutated).is_err());
        prop_assert!(solana::decode(&original[..at.index(original.len())]).is_err());
    }

    #[test]
    fn whatever_is_accepted_encodes_again_and_tells_its_facts(
        line in any::<Index>(), edits in proptest::collection::vec((any::<Index>(), any::<u8>()), 0..4),
    ) {
        let mut payload = line.get(&ACCEPTED).clone();
        for (at, value) in edits {
            let at = at.index(payload.len());
            payload[at] = value;
        }
        if let Ok(transaction) = solana::decode(&payload) {
            assert_encodes_again(&transaction);
            let mut room = [0; wire::FACTS_SIZE_MAX];
            let mut writer = FactWriter::new(&mut room);
            transaction.facts(&mut writer);
            prop_assert!(writer.is_complete());
        }
    }
}
