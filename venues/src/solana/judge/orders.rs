//! Judging orders and modifications.
//!
//! An order's worst case is its whole base size at any price that the book lets through, so the size cap and
//! the collar are the limits on what one order can cost:
//!
//! - the limit price, where there is one, lies in the collar;
//! - so do the trigger price of an order (for a trigger order it must be there, and 0 is a price like any
//!   other) and its auction prices, where they are prices;
//! - prices that are offsets from the oracle's lie in the market's `oracle_offset_max`, without which there are none: an
//!   oracle offset, and the auction prices of an oracle order and of a limit order with an offset
//!   (`calculate_auction_price` of Drift v2);
//! - an order that neither its limit price nor, as a limit order, its offset holds needs the market's grant `unpriced`.
//!   An oracle order does in any case: the program may change its auction.
//!
//! A modification names an order and not its market, so what it sets must be allowed by the book's limits for
//! modifications and by those of every market of the book.

use wire::{Refusal, Shown, Why};

use crate::solana::order::{ModifyOrderParams, OrderParams, OrderType};
use crate::solana::rules::{MarketKind, MarketLimits, ModifyLimits, ProgramLimits};
use crate::solana::swift::TriggerOrder;

/// The market of `order`, if the book has it.
pub(in crate::solana) fn market_of<'b>(
    program: &ProgramLimits<'b>,
    order: &OrderParams,
) -> Result<&'b MarketLimits, Why> {
    let not_allowed = Why::new(Refusal::MarketNotAllowed).observed(Shown::uint(order.market_index.into()));
    market(program, order.market_kind, order.market_index).ok_or(not_allowed)
}

/// Judges an order that is placed in `market`.
pub(super) fn judge_order(
    program: &ProgramLimits<'_>,
    market: &MarketLimits,
    order: &OrderParams,
) -> Result<(), Why> {
    judge_base(order.base, market.base_max)?;
    judge_bits(order.bit_flags, program)?;
    judge_builder(program, order.builder_idx, order.builder_fee_tenth_bps)?;
    let is_oracle = order.order_type == OrderType::Oracle;
    let offset = order.oracle_price_offset;
    judge_offset(offset, market.oracle_offset_max)?;
    // What Drift holds by its offset; it reads 0 as none.
    let is_pegged = order.order_type == OrderType::Limit && offset.is_some_and(|offset| offset != 0);
    if !market.unpriced && !is_pegged && (order.price == 0 || offset.is_some() || is_oracle) {
        return Err(Why::new(Refusal::UnpricedOrderNotAllowed));
    }
    let collar = Collar::of(market);
    if order.price != 0 {
        collar.judge(order.price.into())?;
    }
    let trigger_price = match order.order_type {
        OrderType::TriggerMarket | OrderType::TriggerLimit => Some(order.trigger_price.unwrap_or(0)),
        OrderType::Market | OrderType::Limit | OrderType::Oracle => order.trigger_price,
    };
    if let Some(price) = trigger_price {
        collar.judge(price.into())?;
    }
    let mut auction_prices = [order.auction_start_price, order.auction_end_price].into_iter();
    if is_oracle || is_pegged {
        return auction_prices.try_for_each(|offset| judge_offset(offset, market.oracle_offset_max));
    }
    auction_prices.flatten().try_for_each(|price| collar.judge(price.into()))
}

/// How far from the oracle's price, up or down.
fn judge_offset(offset: Option<i64>, offset_max: Option<u64>) -> Result<(), Why> {
    let Some(offset) = offset else { return Ok(()) };
    let why = Why::new(Refusal::OracleOffsetNotAllowed).observed(Shown::Int(offset.into()));
    let offset_max = offset_max.ok_or(why)?;
    if offset.unsigned_abs() <= offset_max {
        return Ok(());
    }
    Err(why.limit(Shown::uint(offset_max)))
}

/// A modification keeps what it leaves out, so it states size and limit price unless the book grants otherwise.
/// It does not say which market, so beside the book's own limits for modifications its size must
/// fit every market of the book, its prices must lie in the collar of every one, its offset within what every one
/// grants, and every one must grant orders that no limit price holds before it can make one.
pub(super) fn judge_modification(
    program: &ProgramLimits<'_>,
    modify: &ModifyLimits,
    params: &ModifyOrderParams,
) -> Result<(), Why> {
    if !modify.partial && (params.base.is_none() || params.price.is_none()) {
        return Err(Why::new(Refusal::ModificationPartial));
    }
    if let Some(base) = params.base {
        let base_max = program.markets.iter().map(|market| market.base_max);
        judge_base(base, base_max.fold(modify.base_max, u64::min))?;
    }
    judge_bits(params.bit_flags.unwrap_or(0), program)?;
    let offset = params.oracle_price_offset;
    program.markets.iter().try_for_each(|market| judge_offset(offset, market.oracle_offset_max))?;
    let unpriced = params.price == Some(0)
        || offset.is_some()
        || params.auction_start_price.is_some()
        || params.auction_end_price.is_some();
    let grants_unpriced = modify.unpriced && program.markets.iter().all(|market| market.unpriced);
    if unpriced && !grants_unpriced {
        return Err(Why::new(Refusal::UnpricedOrderNotAllowed));
    }
    let own = Collar { min: modify.price_min, max: modify.price_max };
    // A limit price of 0 takes the price away: that is what `unpriced` grants. A trigger price of 0 is a price.
    let price = params.price.filter(|price| *price != 0);
    for price in [price, params.trigger_price].into_iter().flatten() {
        own.judge(price.into())?;
        program.markets.iter().try_for_each(|market| Collar::of(market).judge(price.into()))?;
    }
    Ok(())
}

fn judge_base(base: u64, base_max: u64) -> Result<(), Why> {
    if base <= base_max {
        return Ok(());
    }
    Err(Why::new(Refusal::BaseAboveCap).observed(Shown::uint(base)).limit(Shown::uint(base_max)))
}

fn judge_bits(bits: u8, program: &ProgramLimits<'_>) -> Result<(), Why> {
    if bits & !program.order_bits == 0 {
        return Ok(());
    }
    Err(Why::new(Refusal::OrderBitsNotAllowed)
        .observed(Shown::uint(bits.into()))
        .limit(Shown::uint(program.order_bits.into())))
}

/// A builder, and a fee even without one.
pub(super) fn judge_builder(
    program: &ProgramLimits<'_>,
    idx: Option<u8>,
    fee_tenth_bps: Option<u16>,
) -> Result<(), Why> {
    let (indexes, fee_max) =
        program.builders.map_or((&[][..], 0), |builders| (builders.indexes, builders.fee_tenth_bps_max));
    if let Some(idx) = idx
        && !indexes.contains(&idx)
    {
        return Err(Why::new(Refusal::OrderBuilderNotAllowed).observed(Shown::uint(idx.into())));
    }
    match fee_tenth_bps {
        Some(fee) if fee > fee_max => Err(Why::new(Refusal::OrderBuilderFeeAboveCap)
            .observed(Shown::uint(fee.into()))
            .limit(Shown::uint(fee_max.into()))),
        _ => Ok(()),
    }
}

/// An order that a trigger turns into a market order that closes: its size and trigger price, and since no limit
/// price holds it, the market's grant.
pub(super) fn judge_trigger(market: &MarketLimits, order: &TriggerOrder) -> Result<(), Why> {
    judge_base(order.base, market.base_max)?;
    if !market.unpriced {
        return Err(Why::new(Refusal::UnpricedOrderNotAllowed));
    }
    Collar::of(market).judge(order.trigger_price.into())
}

/// The lowest and the highest price, both allowed.
struct Collar {
    min: u64,
    max: u64,
}

impl Collar {
    const fn of(market: &MarketLimits) -> Self {
        Self { min: market.price_min, max: market.price_max }
    }

    fn judge(&self, price: i128) -> Result<(), Why> {
        let (refusal, limit) = if price < self.min.into() {
            (Refusal::LimitPriceBelowCollar, self.min)
        } else if price > self.max.into() {
            (Refusal::LimitPriceAboveCollar, self.max)
        } else {
            return Ok(());
        };
        Err(Why::new(refusal).observed(Shown::Int(price)).limit(Shown::uint(limit)))
    }
}

/// The limits of a market, if the book has it.
pub(super) fn market<'b>(
    program: &ProgramLimits<'b>,
    kind: MarketKind,
    index: u16,
) -> Option<&'b MarketLimits> {
    let mut markets = program.markets.iter();
    markets.find(|market| market.kind == kind && market.index == index)
}
