//! Judging a Solana message by the rules of a book.
//!
//! An order's worst case is its whole base size at any price that the book lets through, so the size cap and
//! the collar are the limits on what one order can cost:
//!
//! - the limit price, where there is one, lies in the collar;
//! - so do the trigger price of an order (for a trigger order it must be there, and 0 is a price like any
//!   other) and the auction prices of an order that is not an oracle order;
//! - an order that no limit price holds (price 0, an oracle offset, or an oracle order, whose auction prices
//!   are offsets) needs the market's grant `unpriced`.
//!
//! A modification names an order and not its market, so what it sets must be allowed by the book's limits for
//! modifications and by those of every market of the book.
//!
//! Cancels need the grant and the accounts only: they name orders, never sizes. Settling needs the grant, and
//! the account of each market that is in the book.

use core::mem::discriminant;

use wire::{Refusal, Shown, Why};

use super::drift::Action;
use super::order::{ModifyOrderParams, OrderParams, OrderType};
use super::rules::{Limits, MarketKind, MarketLimits, ModifyLimits, Program, ProgramLimits};
use super::{Instruction, Transaction};
use crate::AccountKey;

/// Judges `transaction`, signed by the key `account`.
///
/// The subject of a refusal is the instruction, counted from 0 over the message; for a rule about one of
/// several orders it is the order, counted from 0 over its instruction.
pub(super) fn judge(
    transaction: &Transaction<'_>,
    limits: &Limits<'_>,
    account: &AccountKey,
) -> Result<(), Why> {
    judge_signer(transaction, account)?;
    judge_priority_fee(transaction, limits)?;
    judge_mix(transaction, limits)?;
    let program = limits
        .programs
        .iter()
        .find(|program| program.program == Program::DriftV2)
        .ok_or(Why::new(Refusal::ProgramNotAllowed))?;
    for instruction in transaction.instructions() {
        judge_accounts(instruction, program, account).map_err(|why| why.subject(instruction.position))?;
        judge_action(transaction, instruction, program)?;
    }
    Ok(())
}

fn judge_signer(transaction: &Transaction<'_>, account: &AccountKey) -> Result<(), Why> {
    let view = transaction.view();
    if view.required_signatures != 1 {
        return Err(Why::new(Refusal::SignerCountNotOne)
            .observed(Shown::uint(view.required_signatures.into()))
            .limit(Shown::uint(1)));
    }
    match view.fee_payer() {
        Some(payer) if payer == account => Ok(()),
        other => Err(differs(Refusal::FeePayerNotThisKey, other, account)),
    }
}

fn judge_priority_fee(transaction: &Transaction<'_>, limits: &Limits<'_>) -> Result<(), Why> {
    let fee = transaction.compute_budget().priority_fee();
    if fee <= limits.priority_fee_max {
        return Ok(());
    }
    Err(Why::new(Refusal::PriorityFeeAboveCap)
        .observed(Shown::Uint(fee))
        .limit(Shown::Uint(limits.priority_fee_max)))
}

/// At least one instruction, none of them twice, and neither more that place nor more orders in them than
/// granted.
fn judge_mix(transaction: &Transaction<'_>, limits: &Limits<'_>) -> Result<(), Why> {
    if transaction.instructions().next().is_none() {
        return Err(Why::new(Refusal::VenueInstructionMissing));
    }
    let (mut placements, mut orders) = (0_u32, 0_u32);
    for (index, instruction) in transaction.instructions().enumerate() {
        let same =
            |other: &&Instruction<'_>| discriminant(&other.action) == discriminant(&instruction.action);
        if transaction.instructions().take(index).any(|other| same(&other)) {
            return Err(Why::new(Refusal::InstructionRepeated).subject(instruction.position));
        }
        let Some(placed) = instruction.action.orders() else {
            continue;
        };
        placements = placements.saturating_add(1);
        orders = orders.saturating_add(placed.count());
        judge_count(placements, limits.placements_max, Refusal::TooManyPlacements)
            .and_then(|()| judge_count(orders, limits.orders_max, Refusal::TooManyOrdersInMessage))
            .map_err(|why| why.subject(instruction.position))?;
    }
    Ok(())
}

fn judge_count(seen: u32, most: u32, refusal: Refusal) -> Result<(), Why> {
    if seen <= most {
        return Ok(());
    }
    Err(Why::new(refusal).observed(Shown::uint(seen.into())).limit(Shown::uint(most.into())))
}

/// State, user and user statistics are the book's, and the user belongs to this key. That the authority is
/// this key follows: it signs, and only the fee payer does.
fn judge_accounts(
    instruction: &Instruction<'_>,
    program: &ProgramLimits<'_>,
    account: &AccountKey,
) -> Result<(), Why> {
    if *instruction.state != program.state {
        return Err(differs(Refusal::StateAccountDiffers, Some(instruction.state), &program.state));
    }
    let not_allowed = |key: &AccountKey| Why::new(Refusal::UserAccountNotAllowed).observed(Shown::Key(*key));
    let user = program
        .users
        .iter()
        .find(|user| {
            user.user == *instruction.user && [account, instruction.authority] == [&user.authority; 2]
        })
        .ok_or(not_allowed(instruction.user))?;
    if !instruction.user_is_static {
        return Err(Why::new(Refusal::UserAccountNotStatic).observed(Shown::Key(*instruction.user)));
    }
    match instruction.user_stats {
        Some(stats) if *stats != user.user_stats => {
            Err(not_allowed(stats).limit(Shown::Key(user.user_stats)))
        }
        _ => Ok(()),
    }
}

fn judge_action(
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
    program: &ProgramLimits<'_>,
) -> Result<(), Why> {
    let subject = |why: Why| why.subject(instruction.position);
    let granted = |flag: bool| {
        let not_allowed = subject(Why::new(Refusal::InstructionNotAllowed));
        if flag { Ok(()) } else { Err(not_allowed) }
    };
    match instruction.action {
        Action::PlacePerpOrder(orders)
        | Action::PlaceSpotOrder(orders)
        | Action::PlaceOrders(orders)
        | Action::PlaceAndTakePerpOrder { orders, .. } => {
            granted(program.orders)?;
            if orders.count() == 0 {
                return Err(subject(Why::new(Refusal::OrdersEmpty)));
            }
            for (index, order) in orders.iter().enumerate() {
                judge_order(transaction, instruction, program, &order?).map_err(|why| why.subject(index))?;
            }
            Ok(())
        }
        Action::ModifyOrder { params, .. } | Action::ModifyOrderByUserId { params, .. } => {
            let modify = program.modify.ok_or(subject(Why::new(Refusal::InstructionNotAllowed)))?;
            judge_modification(program, &modify, &params).map_err(subject)
        }
        Action::CancelOrder { .. }
        | Action::CancelOrderByUserId { .. }
        | Action::CancelOrders { .. }
        | Action::CancelOrdersByIds { .. } => granted(program.cancel),
        Action::SettlePnl { market_index } => {
            granted(program.settle_pnl)?;
            judge_settled(transaction, instruction, program, market_index).map_err(subject)
        }
        Action::SettleMultiplePnls { market_indexes, .. } => {
            granted(program.settle_pnl)?;
            for index in market_indexes {
                judge_settled(transaction, instruction, program, u16::from_le_bytes(*index))
                    .map_err(subject)?;
            }
            Ok(())
        }
    }
}

fn judge_order(
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
    program: &ProgramLimits<'_>,
    order: &OrderParams,
) -> Result<(), Why> {
    let market = market(program, order.market_kind, order.market_index)
        .ok_or(Why::new(Refusal::MarketNotAllowed).observed(Shown::uint(order.market_index.into())))?;
    judge_market_account(transaction, instruction, market)?;
    judge_base(order.base, market.base_max)?;
    judge_bits(order.bit_flags, program)?;
    let is_oracle = order.order_type == OrderType::Oracle;
    if !market.unpriced && (order.price == 0 || order.oracle_price_offset.is_some() || is_oracle) {
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
    if is_oracle {
        return Ok(());
    }
    let mut auction_prices = [order.auction_start_price, order.auction_end_price].into_iter();
    auction_prices.try_for_each(|price| price.map_or(Ok(()), |price| collar.judge(price.into())))
}

/// A modification does not say which market, so beside the book's own limits for modifications its size must
/// fit every market of the book, its prices must lie in the collar of every one, and every one must grant
/// orders that no limit price holds before it can make one.
fn judge_modification(
    program: &ProgramLimits<'_>,
    modify: &ModifyLimits,
    params: &ModifyOrderParams,
) -> Result<(), Why> {
    if let Some(base) = params.base {
        let base_max = program.markets.iter().map(|market| market.base_max);
        judge_base(base, base_max.fold(modify.base_max, u64::min))?;
    }
    judge_bits(params.bit_flags.unwrap_or(0), program)?;
    let unpriced = params.price == Some(0)
        || params.oracle_price_offset.is_some()
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

fn judge_settled(
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
    program: &ProgramLimits<'_>,
    index: u16,
) -> Result<(), Why> {
    match market(program, MarketKind::Perp, index) {
        Some(market) => judge_market_account(transaction, instruction, market),
        None => Ok(()),
    }
}

fn judge_market_account(
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
    market: &MarketLimits,
) -> Result<(), Why> {
    if transaction.passes(instruction, &market.account) {
        return Ok(());
    }
    Err(Why::new(Refusal::MarketAccountMissing)
        .observed(Shown::uint(market.index.into()))
        .limit(Shown::Key(market.account)))
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

fn market<'b>(program: &ProgramLimits<'b>, kind: MarketKind, index: u16) -> Option<&'b MarketLimits> {
    let mut markets = program.markets.iter();
    markets.find(|market| market.kind == kind && market.index == index)
}

fn differs(refusal: Refusal, seen: Option<&AccountKey>, expected: &AccountKey) -> Why {
    let seen = seen.map_or(Shown::Nothing, |key| Shown::Key(*key));
    Why::new(refusal).observed(seen).limit(Shown::Key(*expected))
}
