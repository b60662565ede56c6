//! The L1 actions that put an order on the book, or one in the place of another.
//!
//! ```text
//! order         {type, orders: [order], grouping, [builder: {b, f}]}
//!               grouping = "na" | "normalTpsl" | "positionTpsl" | {p}
//! modify        {type, oid, order}
//! batchModify   {type, modifies: [{oid, order}]}      oid = a number | a cloid as text
//! twapOrder     {type, twap: {a, b, s, r, m, t}}
//! order         {a, b, p, s, r, t, [c]},  t = {limit: {tif}} | {trigger: {isMarket, triggerPx, tpsl}}
//! ```
//! The rules of members are those of [`super::l1`].

use wire::{Refusal, Shown, Why};

use super::action::{
    Builder, Modify, Order, OrderBatch, OrderGrouping, OrderKind, OrderReference, Tpsl, TwapOrder,
};
use super::decimal::Decimal;
use super::hexadecimal;
use super::l1::{MODIFIES_LEN_MAX, ORDERS_LEN_MAX, read_list};
use super::list::{Element, List};
use super::msgpack::{Members, Reader};
use super::rules::{Grouping, TimeInForce};

/// Largest builder fee the exchange takes on perpetuals, tenths of a basis point.
pub const PERP_BUILDER_FEE_MAX: u32 = 100;

/// Largest builder fee the exchange takes on anything, tenths of a basis point.
pub const BUILDER_FEE_MAX: u32 = 1000;

/// Largest priority rate the exchange takes: 8 basis points in units of 10^-8 ("Priority fees" in its documentation).
pub const PRIORITY_RATE_MAX: u32 = 80_000;

pub(crate) const ORDER_ACTION: Members =
    Members { names: &["type", "orders", "grouping", "builder"], required: 3 };
pub(crate) const ORDER: Members = Members { names: &["a", "b", "p", "s", "r", "t", "c"], required: 6 };
pub(crate) const LIMIT: Members = Members { names: &["tif"], required: 1 };
pub(crate) const TRIGGER: Members = Members { names: &["isMarket", "triggerPx", "tpsl"], required: 3 };
pub(crate) const PRIORITY: Members = Members { names: &["p"], required: 1 };
pub(crate) const BUILDER: Members = Members { names: &["b", "f"], required: 2 };
pub(crate) const MODIFY_ACTION: Members = Members { names: &["type", "oid", "order"], required: 3 };
pub(crate) const BATCH_MODIFY_ACTION: Members = Members { names: &["type", "modifies"], required: 2 };
pub(crate) const MODIFY: Members = Members { names: &["oid", "order"], required: 2 };
pub(crate) const TWAP_ACTION: Members = Members { names: &["type", "twap"], required: 2 };
pub(crate) const TWAP: Members = Members { names: &["a", "b", "s", "r", "m", "t"], required: 6 };

pub(super) fn read_order_action<'s>(reader: &mut Reader<'s>, len: usize) -> Result<OrderBatch<'s>, Why> {
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

/// A "modify" action: its members are those of an element of "batchModify", behind the type.
pub(super) fn read_modify_action<'s>(reader: &mut Reader<'s>, len: usize) -> Result<Modify<'s>, Why> {
    MODIFY_ACTION.check(len)?;
    read_modify(reader, &MODIFY_ACTION, 1)
}

pub(super) fn read_batch_modify_action<'s>(
    reader: &mut Reader<'s>,
    len: usize,
) -> Result<List<'s, Modify<'s>>, Why> {
    BATCH_MODIFY_ACTION.check(len)?;
    reader.key(BATCH_MODIFY_ACTION.names, 1)?;
    read_list(reader, |_, _: &Modify<'_>| {})
}

impl<'s> Element<'s> for Modify<'s> {
    const LEN_MAX: usize = MODIFIES_LEN_MAX;

    fn read(reader: &mut Reader<'s>) -> Result<Self, Why> {
        reader.members(&MODIFY)?;
        read_modify(reader, &MODIFY, 0)
    }
}

/// Reads "oid" and "order", which stand as members `first` and `first` + 1.
fn read_modify<'s>(reader: &mut Reader<'s>, members: &Members, first: usize) -> Result<Modify<'s>, Why> {
    reader.key(members.names, first)?;
    let target = if reader.is_text() {
        OrderReference::Cloid(hexadecimal::cloid(reader.text()?)?)
    } else {
        OrderReference::Oid(reader.uint()?)
    };
    reader.key(members.names, first.saturating_add(1))?;
    let order = Order::read(reader)?;
    // Nothing here says positionTpsl, the one grouping under which size 0 stands for a whole position.
    if order.size.units == 0 {
        return Err(Refusal::SizeZero.into());
    }
    Ok(Modify { target, order })
}

pub(super) fn read_twap_action<'s>(reader: &mut Reader<'s>, len: usize) -> Result<TwapOrder<'s>, Why> {
    TWAP_ACTION.check(len)?;
    reader.key(TWAP_ACTION.names, 1)?;
    let Members { names, .. } = TWAP;
    reader.members(&TWAP)?;
    reader.key(names, 0)?;
    let asset = reader.uint32()?;
    reader.key(names, 1)?;
    let is_buy = reader.flag()?;
    reader.key(names, 2)?;
    let size = Decimal::read(reader.text()?)?;
    reader.key(names, 3)?;
    let reduce_only = reader.flag()?;
    reader.key(names, 4)?;
    let minutes = reader.uint32()?;
    reader.key(names, 5)?;
    let randomize = reader.flag()?;
    if size.units == 0 {
        return Err(Refusal::SizeZero.into());
    }
    if minutes == 0 {
        return Err(Why::new(Refusal::NumberOutOfRange).observed(Shown::uint(0)));
    }
    Ok(TwapOrder { asset, is_buy, size, reduce_only, minutes, randomize })
}

impl<'s> Element<'s> for Order<'s> {
    const LEN_MAX: usize = ORDERS_LEN_MAX;

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
