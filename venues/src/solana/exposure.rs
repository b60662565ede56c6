//! What a message or a Swift text puts at stake.
//!
//! An order is worth its whole base at the highest price it can trade at: a buy that its limit price holds at that or its
//! auction's highest, everything else at the top of the market's collar, with or without `reduce_only`. Drift's quote
//! counts as one dollar. Orders whose price is an offset from the oracle's, or that nothing holds, may cost more than that
//! where the oracle is above the collar.
//!
//! A modification names no market, so it stands as an order on every market of the program.
//!
//! Priority fees are not counted: a cancel would need a budget otherwise. Each is capped by `priority_fee_max`, and how
//! many there are by budgets of requests.

use wire::{Refusal, Shown, Venue, Why};

use super::Transaction;
use super::action::{Action, Movement, is_reducing};
use super::judge::{market_of, program};
use super::order::{Direction, IMMEDIATE_OR_CANCEL, ModifyOrderParams, OrderParams, OrderType, PostOnly};
use super::rules::{Limits, MarketLimits, Program, ProgramLimits};
use super::swift::{IsolatedDeposit, SwiftOrder};
use crate::U256;
use crate::exposure::{Effect, Exposures, Market, worth};

/// Tells what each instruction puts at stake.
pub(super) fn expose(
    transaction: &Transaction<'_>,
    limits: &Limits<'_>,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    for instruction in transaction.instructions() {
        let program = program(limits, instruction.program)?;
        expose_action(&instruction.action, program, exposures)
            .map_err(|why| why.subject(instruction.position))?;
    }
    Ok(())
}

fn expose_action(
    action: &Action<'_>,
    program: &ProgramLimits<'_>,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    match action {
        Action::PlacePerpOrder(orders)
        | Action::PlaceSpotOrder(orders)
        | Action::PlaceOrders(orders)
        | Action::PlaceAndTakePerpOrder { orders, .. } => {
            orders.iter().try_for_each(|order| add(&order?, program, exposures))
        }
        Action::ModifyOrder { params, .. } | Action::ModifyOrderByUserId { params, .. } => {
            add_modification(params, program, exposures)
        }
        Action::Deposit(movement) | Action::Withdraw(movement) => add_movement(movement, program, exposures),
        Action::CancelOrder { .. }
        | Action::CancelOrderByUserId { .. }
        | Action::CancelOrders { .. }
        | Action::CancelOrdersByIds { .. }
        | Action::SettlePnl { .. }
        | Action::SettleMultiplePnls { .. } => Ok(()),
    }
}

fn add(order: &OrderParams, program: &ProgramLimits<'_>, exposures: &mut Exposures) -> Result<(), Why> {
    let market = market_of(program, order)?;
    let is_post_only = order.order_type == OrderType::Limit
        && order.post_only != PostOnly::None
        && order.bit_flags & IMMEDIATE_OR_CANCEL == 0;
    add_order(program, market, is_post_only, order.base, worst_price(order, market), exposures)
}

/// The price that an order is valued at. During an auction its prices hold the order and not the limit price.
fn worst_price(order: &OrderParams, market: &MarketLimits) -> u64 {
    let is_priced = order.price != 0 && order.oracle_price_offset.is_none();
    let holds = matches!(order.order_type, OrderType::Market | OrderType::Limit | OrderType::TriggerLimit);
    if order.direction == Direction::Short || !is_priced || !holds {
        return market.price_max;
    }
    let auction_prices = [order.auction_start_price, order.auction_end_price].into_iter().flatten();
    auction_prices.flat_map(u64::try_from).fold(order.price, u64::max)
}

/// It must state size and price, whatever the book lets it keep: those of the standing order are not known here.
fn add_modification(
    params: &ModifyOrderParams,
    program: &ProgramLimits<'_>,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let (Some(base), Some(_)) = (params.base, params.price) else {
        return Err(Refusal::ModificationPartial.into());
    };
    let mut markets = program.markets.iter();
    markets.try_for_each(|market| add_order(program, market, false, base, market.price_max, exposures))
}

fn add_order(
    program: &ProgramLimits<'_>,
    market: &MarketLimits,
    is_post_only: bool,
    base: u64,
    price: u64,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let micro_usd = worth(U256::from(base), market.base_decimals, price);
    exposures.add(market_id(program.program, market), is_post_only, micro_usd)
}

/// Program, kind and index: both programs and both kinds count their markets from 0.
fn market_id(program: Program, market: &MarketLimits) -> Market {
    let number =
        u64::from(program as u8) << 24 | u64::from(market.kind as u8) << 16 | u64::from(market.index);
    Market::number(Venue::Solana, number)
}

fn add_movement(
    movement: &Movement,
    program: &ProgramLimits<'_>,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let index = Shown::uint(movement.market_index.into());
    let mut markets = program.collateral.iter();
    let token = markets.find(|limits| limits.market_index == movement.market_index);
    let token = token.ok_or(Why::new(Refusal::MarketNotAllowed).observed(index))?;
    let usd_max = token.usd_max.ok_or(Why::new(Refusal::TokenHasNoValue).observed(index))?;
    let micro_usd = worth(U256::from(movement.amount), token.decimals, usd_max);
    exposures.add(Market::funds(Venue::Solana), false, micro_usd)
}

/// What a Swift text can do to the desk's risk. Take profit and stop loss only close; a margin ratio may raise the
/// leverage and a deposit moves collateral.
pub(super) fn swift_effect(swift: &SwiftOrder) -> Effect {
    let moves_collateral = matches!(swift.isolated_deposit, IsolatedDeposit::Amount(_));
    if is_reducing(&swift.order) && swift.max_margin_ratio.is_none() && !moves_collateral {
        return Effect::Reduces;
    }
    Effect::Opens
}

/// Tells what a Swift text puts at stake: its order, take profit and stop loss, which are market orders once triggered,
/// and the deposit, which is of the quote and so of micro-USD.
pub(super) fn expose_swift(
    swift: &SwiftOrder,
    limits: &Limits<'_>,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let program = program(limits, Program::DriftV2)?;
    add(&swift.order, program, exposures)?;
    let market = market_of(program, &swift.order)?;
    for order in [swift.take_profit, swift.stop_loss].into_iter().flatten() {
        add_order(program, market, false, order.base, market.price_max, exposures)?;
    }
    match swift.isolated_deposit {
        IsolatedDeposit::Amount(amount) => exposures.add(Market::funds(Venue::Solana), false, amount.into()),
        IsolatedDeposit::LeftOut | IsolatedDeposit::None => Ok(()),
    }
}
