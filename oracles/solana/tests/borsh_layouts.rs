//! Orders, modifications and Swift messages that the borsh crate encodes, from structs written after the programs'
//! own, decode to what went in; and what the SDK builds, borsh reads.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use borsh::{BorshDeserialize, BorshSerialize};
use client_sdk::build::solana::{
    AccountMeta, DriftAccounts, Instruction, Program, Replaced, legacy_message, payload, swift_text,
};
use proptest::prelude::*;
use proptest::sample::select;
use venues::Payload;
use venues::solana::{
    self as ours, Action, Direction, IsolatedDeposit, OrderType, PostOnly, SwiftAccount, TriggerCondition,
    TriggerOrder, decode, decode_swift, rules::MarketKind,
};

#[derive(BorshSerialize, BorshDeserialize, Clone, Debug, PartialEq)]
struct DriftOrderParams {
    order_type: u8,
    market_type: u8,
    direction: u8,
    user_order_id: u8,
    base_asset_amount: u64,
    price: u64,
    market_index: u16,
    reduce_only: bool,
    post_only: u8,
    bit_flags: u8,
    max_ts: Option<i64>,
    trigger_price: Option<u64>,
    trigger_condition: u8,
    oracle_price_offset: Option<i32>,
    auction_duration: Option<u8>,
    auction_start_price: Option<i64>,
    auction_end_price: Option<i64>,
}

#[derive(BorshSerialize, BorshDeserialize, Clone, Debug, PartialEq)]
struct VelocityOrderParams {
    order_type: u8,
    market_type: u8,
    direction: u8,
    user_order_id: u8,
    base_asset_amount: u64,
    price: u64,
    market_index: u16,
    reduce_only: bool,
    post_only: u8,
    bit_flags: u8,
    max_ts: Option<i64>,
    trigger_price: Option<u64>,
    trigger_condition: u8,
    oracle_price_offset: Option<i64>,
    activation_delay_slots: Option<u32>,
    builder_idx: Option<u8>,
    builder_fee_tenth_bps: Option<u16>,
}

#[derive(BorshSerialize, BorshDeserialize, Clone, Debug, PartialEq)]
struct VelocityModifyOrderParams {
    direction: Option<u8>,
    base_asset_amount: Option<u64>,
    price: Option<u64>,
    reduce_only: Option<bool>,
    post_only: Option<u8>,
    bit_flags: Option<u8>,
    max_ts: Option<i64>,
    trigger_price: Option<u64>,
    trigger_condition: Option<u8>,
    oracle_price_offset: Option<i64>,
    policy: Option<u8>,
}

#[derive(BorshSerialize, BorshDeserialize, Clone, Debug, PartialEq)]
struct TriggerOrderParams {
    trigger_price: u64,
    base_asset_amount: u64,
}

#[derive(BorshSerialize, BorshDeserialize, Clone, Debug, PartialEq)]
struct SwiftTail {
    slot: u64,
    uuid: [u8; 8],
    take_profit: Option<TriggerOrderParams>,
    stop_loss: Option<TriggerOrderParams>,
    max_margin_ratio: Option<u16>,
    builder_idx: Option<u8>,
    builder_fee_tenth_bps: Option<u16>,
    isolated_position_deposit: Option<u64>,
}

#[derive(BorshSerialize, BorshDeserialize, Clone, Debug, PartialEq)]
struct SwiftMessage {
    params: DriftOrderParams,
    sub_account_id: u16,
    tail: SwiftTail,
}

#[derive(BorshSerialize, BorshDeserialize, Clone, Debug, PartialEq)]
struct SwiftDelegateMessage {
    params: DriftOrderParams,
    taker: [u8; 32],
    tail: SwiftTail,
}

const TYPES: [OrderType; 5] = [
    OrderType::Market,
    OrderType::Limit,
    OrderType::TriggerMarket,
    OrderType::TriggerLimit,
    OrderType::Oracle,
];

fn common() -> impl Strategy<Value = ours::OrderParams> {
    (
        select(TYPES.to_vec()),
        select(vec![Direction::Long, Direction::Short]),
        select(vec![PostOnly::None, PostOnly::MustPostOnly, PostOnly::TryPostOnly, PostOnly::Slide]),
        select(vec![TriggerCondition::Above, TriggerCondition::Below, TriggerCondition::TriggeredBelow]),
        any::<(u8, u64, u64, u16, bool, u8)>(),
        any::<(Option<i64>, Option<u64>)>(),
    )
        .prop_map(|(order_type, direction, post_only, trigger_condition, fields, options)| {
            ours::OrderParams {
                order_type,
                market_kind: MarketKind::Perp,
                direction,
                user_order_id: fields.0,
                base: fields.1,
                price: fields.2,
                market_index: fields.3,
                reduce_only: fields.4,
                post_only,
                bit_flags: fields.5,
                max_ts: options.0,
                trigger_price: options.1,
                trigger_condition,
                oracle_price_offset: None,
                auction_duration: None,
                auction_start_price: None,
                auction_end_price: None,
                activation_delay_slots: None,
                builder_idx: None,
                builder_fee_tenth_bps: None,
            }
        })
}

fn drift_order() -> impl Strategy<Value = ours::OrderParams> {
    (common(), any::<(Option<i32>, Option<u8>, Option<i64>, Option<i64>)>()).prop_map(|(order, last)| {
        ours::OrderParams {
            oracle_price_offset: last.0.map(i64::from),
            auction_duration: last.1,
            auction_start_price: last.2,
            auction_end_price: last.3,
            ..order
        }
    })
}

fn velocity_order() -> impl Strategy<Value = ours::OrderParams> {
    (common(), any::<(Option<i64>, Option<u32>, Option<u8>, Option<u16>)>()).prop_map(|(order, last)| {
        ours::OrderParams {
            oracle_price_offset: last.0,
            activation_delay_slots: last.1,
            builder_idx: last.2,
            builder_fee_tenth_bps: last.3,
            ..order
        }
    })
}

fn drift(order: &ours::OrderParams) -> DriftOrderParams {
    DriftOrderParams {
        order_type: order.order_type as u8,
        market_type: order.market_kind as u8,
        direction: order.direction as u8,
        user_order_id: order.user_order_id,
        base_asset_amount: order.base,
        price: order.price,
        market_index: order.market_index,
        reduce_only: order.reduce_only,
        post_only: order.post_only as u8,
        bit_flags: order.bit_flags,
        max_ts: order.max_ts,
        trigger_price: order.trigger_price,
        trigger_condition: order.trigger_condition as u8,
        oracle_price_offset: order.oracle_price_offset.map(|offset| i32::try_from(offset).unwrap()),
        auction_duration: order.auction_duration,
        auction_start_price: order.auction_start_price,
        auction_end_price: order.auction_end_price,
    }
}

fn velocity(order: &ours::OrderParams) -> VelocityOrderParams {
    VelocityOrderParams {
        order_type: order.order_type as u8,
        market_type: order.market_kind as u8,
        direction: order.direction as u8,
        user_order_id: order.user_order_id,
        base_asset_amount: order.base,
        price: order.price,
        market_index: order.market_index,
        reduce_only: order.reduce_only,
        post_only: order.post_only as u8,
        bit_flags: order.bit_flags,
        max_ts: order.max_ts,
        trigger_price: order.trigger_price,
        trigger_condition: order.trigger_condition as u8,
        oracle_price_offset: order.oracle_price_offset,
        activation_delay_slots: order.activation_delay_slots,
        builder_idx: order.builder_idx,
        builder_fee_tenth_bps: order.builder_fee_tenth_bps,
    }
}

fn swift() -> impl Strategy<Value = ours::SwiftOrder> {
    let account = prop_oneof![
        any::<u16>().prop_map(SwiftAccount::SubAccount),
        any::<[u8; 32]>().prop_map(SwiftAccount::Taker),
    ];
    let triggers = any::<(Option<(u64, u64)>, Option<(u64, u64)>)>();
    let last = any::<(u64, [u8; 8], Option<u16>, Option<u8>, Option<u16>, Option<u64>)>();
    (drift_order(), account, triggers, last).prop_map(|(order, account, triggers, last)| {
        let trigger = |(trigger_price, base)| TriggerOrder { trigger_price, base };
        ours::SwiftOrder {
            order,
            account,
            slot: last.0,
            uuid: last.1,
            take_profit: triggers.0.map(trigger),
            stop_loss: triggers.1.map(trigger),
            max_margin_ratio: last.2,
            builder_idx: last.3,
            builder_fee_tenth_bps: last.4,
            isolated_deposit: last.5.map_or(IsolatedDeposit::None, IsolatedDeposit::Amount),
        }
    })
}

/// The signed text, by borsh and by another hexadecimal.
fn theirs(swift: &ours::SwiftOrder) -> String {
    let trigger = |order: TriggerOrder| TriggerOrderParams {
        trigger_price: order.trigger_price,
        base_asset_amount: order.base,
    };
    let tail = SwiftTail {
        slot: swift.slot,
        uuid: swift.uuid,
        take_profit: swift.take_profit.map(trigger),
        stop_loss: swift.stop_loss.map(trigger),
        max_margin_ratio: swift.max_margin_ratio,
        builder_idx: swift.builder_idx,
        builder_fee_tenth_bps: swift.builder_fee_tenth_bps,
        isolated_position_deposit: match swift.isolated_deposit {
            IsolatedDeposit::LeftOut | IsolatedDeposit::None => None,
            IsolatedDeposit::Amount(amount) => Some(amount),
        },
    };
    let params = drift(&swift.order);
    let (start, message) = match swift.account {
        SwiftAccount::SubAccount(sub_account_id) => {
            ("c8d5a65e2234f55d", borsh::to_vec(&SwiftMessage { params, sub_account_id, tail }))
        }
        SwiftAccount::Taker(taker) => {
            ("42656638c7259e23", borsh::to_vec(&SwiftDelegateMessage { params, taker, tail }))
        }
    };
    let digits = message.unwrap().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("{start}{digits}")
}

fn accounts(program: Program) -> DriftAccounts {
    DriftAccounts {
        program,
        state: [11; 32],
        user: [12; 32],
        user_stats: Some([13; 32]),
        authority: [14; 32],
        remaining: vec![AccountMeta::readonly([15; 32])],
    }
}

/// The action that a message with this instruction decodes to, with the orders it places.
fn check(instruction: Instruction, wanted: &[ours::OrderParams]) -> Result<(), TestCaseError> {
    let message = legacy_message(&[14; 32], &[9; 32], &[instruction]).unwrap();
    let payload = payload(&message, &[]).unwrap();
    let transaction = decode(&payload).map_err(|why| TestCaseError::fail(format!("{why:?}")))?;
    let action = transaction.instructions().next().unwrap().action;
    let orders: Vec<_> = action.orders().unwrap().iter().map(Result::unwrap).collect();
    prop_assert_eq!(orders, wanted);
    Ok(())
}

proptest! {
    #[test]
    fn orders_of_both_programs_are_read_as_borsh_writes_them(
        drift_order in drift_order(), velocity_order in velocity_order(), velocity_other in velocity_order(),
    ) {
        let built = Instruction::place_perp_order(&accounts(Program::DriftV2), &drift_order).unwrap();
        prop_assert_eq!(&built.data[8..], &borsh::to_vec(&drift(&drift_order)).unwrap()[..]);
        check(built, &[drift_order])?;

        let velocity_accounts = accounts(Program::VelocityV1);
        let built = Instruction::place_perp_order(&velocity_accounts, &velocity_order).unwrap();
        prop_assert_eq!(&built.data[8..], &borsh::to_vec(&velocity(&velocity_order)).unwrap()[..]);
        check(built, &[velocity_order])?;

        let both = [velocity_order, velocity_other];
        let built = Instruction::place_orders(&velocity_accounts, &both).unwrap();
        let list: Vec<_> = both.iter().map(velocity).collect();
        prop_assert_eq!(&built.data[8..], &borsh::to_vec(&list).unwrap()[..]);
        check(built, &both)?;
    }

    #[test]
    fn velocitys_modifications_are_read_as_borsh_writes_them(
        order in velocity_order(), there in any::<[bool; 7]>(), policy in proptest::option::of(0..=3_u8),
        number in any::<u8>(),
    ) {
        let params = ours::ModifyOrderParams {
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
            auction_duration: None,
            auction_start_price: None,
            auction_end_price: None,
            policy,
        };
        let theirs = VelocityModifyOrderParams {
            direction: params.direction.map(|value| value as u8),
            base_asset_amount: params.base,
            price: params.price,
            reduce_only: params.reduce_only,
            post_only: params.post_only.map(|value| value as u8),
            bit_flags: params.bit_flags,
            max_ts: params.max_ts,
            trigger_price: params.trigger_price,
            trigger_condition: params.trigger_condition.map(|value| value as u8),
            oracle_price_offset: params.oracle_price_offset,
            policy,
        };
        let replaced = Replaced::UserOrderId(number);
        let built = Instruction::modify_order(&accounts(Program::VelocityV1), replaced, &params).unwrap();
        prop_assert_eq!(&built.data[8..], &borsh::to_vec(&(number, theirs)).unwrap()[..]);
        let message = legacy_message(&[14; 32], &[9; 32], &[built]).unwrap();
        let payload = payload(&message, &[]).unwrap();
        let transaction = decode(&payload).unwrap();
        let action = transaction.instructions().next().unwrap().action;
        prop_assert_eq!(action, Action::ModifyOrderByUserId { user_order_id: number, params });
    }

    #[test]
    fn swift_texts_are_read_as_borsh_writes_them(swift in swift()) {
        let text = theirs(&swift);
        prop_assert_eq!(swift_text(&swift).unwrap(), text.as_bytes());
        let message = decode_swift(text.as_bytes()).unwrap();
        prop_assert_eq!(*message.order(), swift);
        prop_assert_eq!(message.preimage().as_bytes(), text.as_bytes());
    }
}
