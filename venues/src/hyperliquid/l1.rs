//! The one decoder of L1 actions: strict msgpack in, checked content out.
//!
//! ```text
//! order            {type, orders: [{a, b, p, s, r, t, [c]}], grouping, [builder: {b, f}]}
//!                  t = {limit: {tif}} | {trigger: {isMarket, triggerPx, tpsl}}
//!                  grouping = "na" | "normalTpsl" | "positionTpsl" | {p}
//! cancel           {type, cancels: [{a, o}], [f]}
//! cancelByCloid    {type, cancels: [{asset, cloid}], [f]}
//! updateLeverage   {type, asset, isCross, leverage}
//! ```
//! Members stand in this order and no other (they are hashed as they stand); those in brackets are absent when
//! there is nothing to say, never nil and never false. Follows the exchange endpoint's documentation and, for
//! the order of members, the exchange's own Python SDK.

use wire::{Refusal, Shown, Why};

use super::action::{
    Builder, Cancel, CancelBatch, CancelByCloid, Content, Element, List, Order, OrderBatch, OrderGrouping,
    OrderKind, Tpsl, UpdateLeverage,
};
use super::decimal::Decimal;
use super::hexadecimal;
use super::msgpack::{Members, Reader};
use super::rules::{Grouping, TimeInForce};

/// Most orders or cancels in one action.
pub const LIST_LEN_MAX: usize = 512;

/// Largest builder fee the exchange takes on perpetuals, tenths of a basis point.
pub const PERP_BUILDER_FEE_MAX: u32 = 100;

/// Largest builder fee the exchange takes on anything, tenths of a basis point.
pub const BUILDER_FEE_MAX: u32 = 1000;

/// Largest priority rate the exchange takes: 8 basis points in units of 10^-7.
pub const PRIORITY_RATE_MAX: u32 = 80_000;

pub(crate) const ORDER_ACTION: Members =
    Members { names: &["type", "orders", "grouping", "builder"], required: 3 };
pub(crate) const ORDER: Members = Members { names: &["a", "b", "p", "s", "r", "t", "c"], required: 6 };
pub(crate) const LIMIT: Members = Members { names: &["tif"], required: 1 };
pub(crate) const TRIGGER: Members = Members { names: &["isMarket", "triggerPx", "tpsl"], required: 3 };
pub(crate) const PRIORITY: Members = Members { names: &["p"], required: 1 };
pub(crate) const BUILDER: Members = Members { names: &["b", "f"], required: 2 };
pub(crate) const CANCEL_ACTION: Members = Members { names: &["type", "cancels", "f"], required: 2 };
pub(crate) const CANCEL: Members = Members { names: &["a", "o"], required: 2 };
pub(crate) const CLOID_CANCEL: Members = Members { names: &["asset", "cloid"], required: 2 };
pub(crate) const LEVERAGE_ACTION: Members =
    Members { names: &["type", "asset", "isCross", "leverage"], required: 4 };

/// Reads an action from its first to its last byte.
pub(crate) fn read_action(msgpack: &[u8]) -> Result<Content<'_>, Why> {
    let reader = &mut Reader::new(msgpack);
    // The type is the first member of every action, so it is known before anything else is judged.
    let len = reader.map()?;
    if len == 0 {
        return Err(Refusal::FieldMissing.into());
    }
    if reader.text()? != "type" {
        return Err(Refusal::MsgpackNotCanonical.into());
    }
    let content = match reader.text()? {
        "order" => Content::Order(read_order_action(reader, len)?),
        "cancel" => Content::Cancel(read_cancel_action(reader, len)?),
        "cancelByCloid" => Content::CancelByCloid(read_cancel_action(reader, len)?),
        "updateLeverage" => Content::UpdateLeverage(read_leverage_action(reader, len)?),
        _ => return Err(Refusal::ActionNotSupported.into()),
    };
    reader.end()?;
    Ok(content)
}

fn read_order_action<'s>(reader: &mut Reader<'s>, len: usize) -> Result<OrderBatch<'s>, Why> {
    let Members { names, .. } = ORDER_ACTION;
    ORDER_ACTION.check(len)?;
    reader.key(names, 1)?;
    let mut close_all = None;
    let mut any_perp = false;
    let orders = read_list(reader, |index, order: &Order<'_>| {
        if order.size.units == 0 {
            close_all = close_all.or(Some(index));
        }
        any_perp |= is_perp(order.asset);
    })?;
    reader.key(names, 2)?;
    let grouping = read_grouping(reader)?;
    if let Some(index) = close_all
        && grouping != OrderGrouping::Named(Grouping::PositionTpsl)
    {
        return Err(Why::new(Refusal::SizeZero).subject(index));
    }
    let builder = if len == names.len() {
        reader.key(names, 3)?;
        let fee_max = if any_perp { PERP_BUILDER_FEE_MAX } else { BUILDER_FEE_MAX };
        Some(read_builder(reader, fee_max)?)
    } else {
        None
    };
    Ok(OrderBatch { orders, grouping, builder })
}

fn read_grouping(reader: &mut Reader<'_>) -> Result<OrderGrouping, Why> {
    let mut ahead = *reader;
    if ahead.map().is_ok() {
        reader.members(&PRIORITY)?;
        reader.key(PRIORITY.names, 0)?;
        let rate = reader.uint32()?;
        at_most(rate, PRIORITY_RATE_MAX)?;
        return Ok(OrderGrouping::PriorityRate(rate));
    }
    let grouping = match reader.text()? {
        "na" => Grouping::Na,
        "normalTpsl" => Grouping::NormalTpsl,
        "positionTpsl" => Grouping::PositionTpsl,
        _ => return Err(Refusal::WordNotKnown.into()),
    };
    Ok(OrderGrouping::Named(grouping))
}

fn read_builder(reader: &mut Reader<'_>, fee_max: u32) -> Result<Builder, Why> {
    reader.members(&BUILDER)?;
    reader.key(BUILDER.names, 0)?;
    let address = hexadecimal::lower_case_address(reader.text()?)?;
    reader.key(BUILDER.names, 1)?;
    let fee = reader.uint32()?;
    at_most(fee, fee_max)?;
    Ok(Builder { address, fee })
}

impl<'s> Element<'s> for Order<'s> {
    fn read(reader: &mut Reader<'s>) -> Result<Self, Why> {
        let Members { names, .. } = ORDER;
        let len = reader.members(&ORDER)?;
        reader.key(names, 0)?;
        let asset = reader.uint32()?;
        reader.key(names, 1)?;
        let is_buy = reader.flag()?;
        reader.key(names, 2)?;
        let price = Decimal::read_price(reader.text()?)?;
        reader.key(names, 3)?;
        let size = Decimal::read(reader.text()?)?;
        reader.key(names, 4)?;
        let reduce_only = reader.flag()?;
        reader.key(names, 5)?;
        let kind = read_order_kind(reader)?;
        // Size 0 stands for the whole position, and only an order that reduces one has a position to stand for.
        if size.units == 0 && !(reduce_only && matches!(kind, OrderKind::Trigger { .. })) {
            return Err(Refusal::SizeZero.into());
        }
        let cloid = if len == names.len() {
            reader.key(names, 6)?;
            Some(hexadecimal::cloid(reader.text()?)?)
        } else {
            None
        };
        Ok(Self { asset, is_buy, price, size, reduce_only, kind, cloid })
    }
}

fn read_order_kind<'s>(reader: &mut Reader<'s>) -> Result<OrderKind<'s>, Why> {
    const KIND: Members = Members { names: &["kind"], required: 1 };
    reader.members(&KIND)?;
    match reader.text()? {
        "limit" => {
            reader.members(&LIMIT)?;
            reader.key(LIMIT.names, 0)?;
            let tif = match reader.text()? {
                "Alo" => TimeInForce::Alo,
                "Ioc" => TimeInForce::Ioc,
                "Gtc" => TimeInForce::Gtc,
                "FrontendMarket" => TimeInForce::FrontendMarket,
                // The exchange's own word for the orders it liquidates with.
                "LiquidationMarket" => return Err(Refusal::TimeInForceNotSupported.into()),
                _ => return Err(Refusal::WordNotKnown.into()),
            };
            Ok(OrderKind::Limit { tif })
        }
        "trigger" => {
            reader.members(&TRIGGER)?;
            reader.key(TRIGGER.names, 0)?;
            let is_market = reader.flag()?;
            reader.key(TRIGGER.names, 1)?;
            let price = Decimal::read_price(reader.text()?)?;
            reader.key(TRIGGER.names, 2)?;
            let tpsl = match reader.text()? {
                "tp" => Tpsl::TakeProfit,
                "sl" => Tpsl::StopLoss,
                _ => return Err(Refusal::WordNotKnown.into()),
            };
            Ok(OrderKind::Trigger { is_market, price, tpsl })
        }
        _ => Err(Refusal::FieldNotKnown.into()),
    }
}

fn read_cancel_action<'s, T: Element<'s>>(
    reader: &mut Reader<'s>,
    len: usize,
) -> Result<CancelBatch<'s, T>, Why> {
    let Members { names, .. } = CANCEL_ACTION;
    CANCEL_ACTION.check(len)?;
    reader.key(names, 1)?;
    let cancels = read_list(reader, |_, _: &T| {})?;
    let fast = len == names.len();
    if fast {
        reader.key(names, 2)?;
        // A cancel that is not fast has no such member.
        if !reader.flag()? {
            return Err(Refusal::MsgpackNotCanonical.into());
        }
    }
    Ok(CancelBatch { cancels, fast })
}

impl<'s> Element<'s> for Cancel {
    fn read(reader: &mut Reader<'s>) -> Result<Self, Why> {
        reader.members(&CANCEL)?;
        reader.key(CANCEL.names, 0)?;
        let asset = reader.uint32()?;
        reader.key(CANCEL.names, 1)?;
        let oid = reader.uint()?;
        Ok(Self { asset, oid })
    }
}

impl<'s> Element<'s> for CancelByCloid<'s> {
    fn read(reader: &mut Reader<'s>) -> Result<Self, Why> {
        reader.members(&CLOID_CANCEL)?;
        reader.key(CLOID_CANCEL.names, 0)?;
        let asset = reader.uint32()?;
        reader.key(CLOID_CANCEL.names, 1)?;
        let cloid = hexadecimal::cloid(reader.text()?)?;
        Ok(Self { asset, cloid })
    }
}

fn read_leverage_action(reader: &mut Reader<'_>, len: usize) -> Result<UpdateLeverage, Why> {
    let Members { names, .. } = LEVERAGE_ACTION;
    LEVERAGE_ACTION.check(len)?;
    reader.key(names, 1)?;
    let asset = reader.uint32()?;
    reader.key(names, 2)?;
    let is_cross = reader.flag()?;
    reader.key(names, 3)?;
    let leverage = reader.uint32()?;
    if leverage == 0 {
        return Err(Why::new(Refusal::NumberOutOfRange).observed(Shown::uint(0)));
    }
    Ok(UpdateLeverage { asset, is_cross, leverage })
}

/// Reads every element once; `heard` is told each.
fn read_list<'s, T: Element<'s>>(
    reader: &mut Reader<'s>,
    mut heard: impl FnMut(usize, &T),
) -> Result<List<'s, T>, Why> {
    let len = reader.array()?;
    if len == 0 {
        return Err(Refusal::ListEmpty.into());
    }
    if len > LIST_LEN_MAX {
        return Err(Why::new(Refusal::ListTooLong)
            .observed(Shown::size(len))
            .limit(Shown::size(LIST_LEN_MAX)));
    }
    let bytes = reader.rest();
    for index in 0..len {
        let element = T::read(reader).map_err(|why| why.subject(index))?;
        heard(index, &element);
    }
    Ok(List::new(bytes, len))
}

/// Whether the exchange's smaller builder fee cap holds: perpetuals, those of HIP-3 included. Asset ids: perp
/// index, 10000 + spot index, 100000 + 10000 times dex + index, 100000000 + outcomes.
const fn is_perp(asset: u32) -> bool {
    matches!(asset, 0..=9_999 | 100_000..=99_999_999)
}

fn at_most(value: u32, limit: u32) -> Result<(), Why> {
    if value > limit {
        return Err(Why::new(Refusal::NumberOutOfRange)
            .observed(Shown::uint(value.into()))
            .limit(Shown::uint(limit.into())));
    }
    Ok(())
}
