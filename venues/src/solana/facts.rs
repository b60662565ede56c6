//! What a receipt tells of a Solana message, under the names of Drift's IDL.

use wire::facts::{FactKey, FactSink};

use super::action::{Action, Movement};
use super::message::MessageView;
use super::order::{ModifyOrderParams, OrderParams};
use super::rules::{MarketKind, Program};
use super::swift::{IsolatedDeposit, SwiftAccount, SwiftMessage, TriggerOrder};
use super::{Instruction, Transaction};

/// Tells the message: payer, blockhash, lookup tables, compute budget and each instruction of a venue.
pub(super) fn tell(transaction: &Transaction<'_>, sink: &mut dyn FactSink) {
    if let Some(payer) = transaction.view().fee_payer() {
        sink.key(FactKey::FeePayer, payer);
    }
    sink.key(FactKey::Blockhash, transaction.view().blockhash);
    tell_lookups(transaction.view(), sink);
    let budget = transaction.compute_budget();
    tell_uint(sink, FactKey::ComputeUnitLimit, budget.unit_limit);
    tell_uint(sink, FactKey::ComputeUnitPrice, budget.unit_price);
    sink.open_list(FactKey::Instructions);
    for instruction in transaction.instructions() {
        sink.open_object(FactKey::Element);
        tell_instruction(instruction, sink);
        sink.close();
    }
    sink.close();
}

/// Which tables the message looks accounts up in, and how many it loads; what they hold is the caller's word.
fn tell_lookups(view: &MessageView<'_>, sink: &mut dyn FactSink) {
    if view.loaded_count() == 0 {
        return;
    }
    tell_list(sink, FactKey::LookupTables, view.lookups().flatten(), |sink, lookup| {
        sink.key(FactKey::Element, lookup.table);
    });
    tell_uint(sink, FactKey::LoadedAccounts, u64::try_from(view.loaded_count()).ok());
}

/// Tells a Swift text: the account it is for, its order, and what goes with it.
pub(super) fn tell_swift(message: &SwiftMessage<'_>, sink: &mut dyn FactSink) {
    let swift = message.order();
    sink.text(FactKey::Program, program_name(Program::DriftV2));
    match swift.account {
        SwiftAccount::SubAccount(number) => sink.uint(FactKey::SubAccountId, number.into()),
        SwiftAccount::Taker(key) => sink.key(FactKey::Taker, &key),
    }
    sink.uint(FactKey::Slot, swift.slot);
    sink.text(FactKey::Uuid, message.uuid_text());
    tell_order(&swift.order, sink);
    tell_trigger(sink, FactKey::TakeProfit, swift.take_profit);
    tell_trigger(sink, FactKey::StopLoss, swift.stop_loss);
    tell_uint(sink, FactKey::MaxMarginRatio, swift.max_margin_ratio);
    tell_builder(sink, swift.builder_idx, swift.builder_fee_tenth_bps);
    if let IsolatedDeposit::Amount(amount) = swift.isolated_deposit {
        sink.uint(FactKey::IsolatedPositionDeposit, amount);
    }
}

fn tell_trigger(sink: &mut dyn FactSink, key: FactKey, order: Option<TriggerOrder>) {
    if let Some(TriggerOrder { trigger_price, base }) = order {
        sink.open_object(key);
        sink.uint(FactKey::DriftTriggerPrice, trigger_price);
        sink.uint(FactKey::Base, base);
        sink.close();
    }
}

fn tell_instruction(instruction: &Instruction<'_>, sink: &mut dyn FactSink) {
    sink.text(FactKey::Program, program_name(instruction.program));
    sink.text(FactKey::Name, instruction.action.name());
    sink.key(FactKey::User, instruction.user);
    match instruction.action {
        Action::PlacePerpOrder(orders) | Action::PlaceSpotOrder(orders) => {
            orders.iter().flatten().for_each(|order| tell_order(&order, sink));
        }
        Action::PlaceAndTakePerpOrder { orders, success_condition } => {
            orders.iter().flatten().for_each(|order| tell_order(&order, sink));
            tell_uint(sink, FactKey::SuccessCondition, success_condition);
        }
        Action::PlaceOrders(orders) => {
            tell_list(sink, FactKey::Orders, orders.iter().flatten(), |sink, order| {
                sink.open_object(FactKey::Element);
                tell_order(&order, sink);
                sink.close();
            })
        }
        Action::CancelOrder { order_id } => tell_uint(sink, FactKey::DriftOrderId, order_id),
        Action::CancelOrderByUserId { user_order_id } => {
            sink.uint(FactKey::UserOrderId, user_order_id.into());
        }
        Action::CancelOrders { market_kind, market_index, direction } => {
            tell_text(sink, FactKey::MarketType, market_kind.map(market_name));
            tell_uint(sink, FactKey::MarketIndex, market_index);
            tell_text(sink, FactKey::Direction, direction.map(|value| value.name()));
        }
        Action::CancelOrdersByIds { order_ids } => {
            tell_list(sink, FactKey::OrderIds, order_ids.iter(), |sink, id| {
                sink.uint(FactKey::Element, u32::from_le_bytes(*id).into());
            });
        }
        Action::ModifyOrder { order_id, params } => {
            tell_uint(sink, FactKey::DriftOrderId, order_id);
            tell_modification(&params, sink);
        }
        Action::ModifyOrderByUserId { user_order_id, params } => {
            sink.uint(FactKey::UserOrderId, user_order_id.into());
            tell_modification(&params, sink);
        }
        Action::SettlePnl { market_index } => sink.uint(FactKey::MarketIndex, market_index.into()),
        Action::SettleMultiplePnls { market_indexes, must_settle } => {
            tell_list(sink, FactKey::MarketIndexes, market_indexes.iter(), |sink, index| {
                sink.uint(FactKey::Element, u16::from_le_bytes(*index).into());
            });
            sink.flag(FactKey::MustSettle, must_settle);
        }
        Action::Deposit(Movement { market_index, amount, reduce_only })
        | Action::Withdraw(Movement { market_index, amount, reduce_only }) => {
            sink.uint(FactKey::MarketIndex, market_index.into());
            sink.uint(FactKey::TokenAmount, amount);
            sink.flag(FactKey::ReduceOnly, reduce_only);
            if let Some(accounts) = &instruction.movement {
                sink.key(FactKey::TokenAccount, accounts.token_account);
            }
        }
    }
}

fn tell_order(order: &OrderParams, sink: &mut dyn FactSink) {
    sink.text(FactKey::OrderType, order.order_type.name());
    sink.text(FactKey::MarketType, market_name(order.market_kind));
    sink.uint(FactKey::MarketIndex, order.market_index.into());
    sink.text(FactKey::Direction, order.direction.name());
    sink.uint(FactKey::Base, order.base);
    sink.uint(FactKey::LimitPrice, order.price);
    sink.flag(FactKey::ReduceOnly, order.reduce_only);
    sink.text(FactKey::PostOnly, order.post_only.name());
    sink.uint(FactKey::BitFlags, order.bit_flags.into());
    sink.uint(FactKey::UserOrderId, order.user_order_id.into());
    if order.trigger_price.is_some() {
        sink.text(FactKey::TriggerCondition, order.trigger_condition.name());
    }
    tell_prices(
        sink,
        order.trigger_price,
        order.oracle_price_offset,
        order.auction_duration,
        [order.auction_start_price, order.auction_end_price],
    );
    tell_int(sink, FactKey::MaxTs, order.max_ts);
    tell_uint(sink, FactKey::ActivationDelaySlots, order.activation_delay_slots);
    tell_builder(sink, order.builder_idx, order.builder_fee_tenth_bps);
}

fn tell_builder(sink: &mut dyn FactSink, idx: Option<u8>, fee_tenth_bps: Option<u16>) {
    tell_uint(sink, FactKey::BuilderIdx, idx);
    tell_uint(sink, FactKey::BuilderFeeTenthBps, fee_tenth_bps);
}

fn tell_modification(params: &ModifyOrderParams, sink: &mut dyn FactSink) {
    tell_text(sink, FactKey::Direction, params.direction.map(|value| value.name()));
    tell_uint(sink, FactKey::Base, params.base);
    tell_uint(sink, FactKey::LimitPrice, params.price);
    if let Some(reduce_only) = params.reduce_only {
        sink.flag(FactKey::ReduceOnly, reduce_only);
    }
    tell_text(sink, FactKey::PostOnly, params.post_only.map(|value| value.name()));
    tell_uint(sink, FactKey::BitFlags, params.bit_flags);
    tell_text(sink, FactKey::TriggerCondition, params.trigger_condition.map(|value| value.name()));
    tell_prices(
        sink,
        params.trigger_price,
        params.oracle_price_offset,
        params.auction_duration,
        [params.auction_start_price, params.auction_end_price],
    );
    tell_int(sink, FactKey::MaxTs, params.max_ts);
    tell_uint(sink, FactKey::ModifyPolicy, params.policy);
}

fn tell_prices(
    sink: &mut dyn FactSink,
    trigger_price: Option<u64>,
    oracle_price_offset: Option<i64>,
    auction_duration: Option<u8>,
    [auction_start_price, auction_end_price]: [Option<i64>; 2],
) {
    tell_uint(sink, FactKey::DriftTriggerPrice, trigger_price);
    tell_int(sink, FactKey::OraclePriceOffset, oracle_price_offset);
    tell_uint(sink, FactKey::AuctionDuration, auction_duration);
    tell_int(sink, FactKey::AuctionStartPrice, auction_start_price);
    tell_int(sink, FactKey::AuctionEndPrice, auction_end_price);
}

fn tell_list<T>(
    sink: &mut dyn FactSink,
    key: FactKey,
    elements: impl Iterator<Item = T>,
    tell: impl Fn(&mut dyn FactSink, T),
) {
    sink.open_list(key);
    elements.for_each(|element| tell(sink, element));
    sink.close();
}

fn tell_uint<T: Into<u64>>(sink: &mut dyn FactSink, key: FactKey, value: Option<T>) {
    if let Some(value) = value {
        sink.uint(key, value.into());
    }
}

fn tell_int<T: Into<i64>>(sink: &mut dyn FactSink, key: FactKey, value: Option<T>) {
    if let Some(value) = value {
        sink.int(key, value.into());
    }
}

fn tell_text(sink: &mut dyn FactSink, key: FactKey, value: Option<&str>) {
    if let Some(value) = value {
        sink.text(key, value);
    }
}

const fn market_name(kind: MarketKind) -> &'static str {
    match kind {
        MarketKind::Spot => "Spot",
        MarketKind::Perp => "Perp",
    }
}

const fn program_name(program: Program) -> &'static str {
    match program {
        Program::DriftV2 => "drift",
        Program::VelocityV1 => "velocity",
    }
}
