//! Judging a Solana message or a Swift text by the rules of a book.
//!
//! Cancels need the grant and the accounts only: they name orders, never sizes. Settling needs the grant, and
//! the account of each market that is in the book.

mod collateral;
mod orders;
mod swift;

use core::mem::discriminant;

use wire::{Refusal, Shown, Why};

pub(super) use self::orders::market_of;
use self::orders::{judge_modification, judge_order, market};
pub(super) use self::swift::judge_swift;
use super::action::Action;
use super::order::OrderParams;
use super::rules::{Limits, MarketKind, MarketLimits, Program, ProgramLimits};
use super::{Instruction, Transaction};
use crate::AccountKey;

/// Judges `transaction`, signed by the key `account`.
///
/// The subject of a refusal is the instruction, counted from 0 over the message; for a rule about one of
/// several orders it is the order, counted from 0 over its instruction.
pub(super) fn judge_transaction(
    transaction: &Transaction<'_>,
    limits: &Limits<'_>,
    account: &AccountKey,
) -> Result<(), Why> {
    judge_signer(transaction, account)?;
    judge_priority_fee(transaction, limits)?;
    judge_mix(transaction, limits)?;
    for instruction in transaction.instructions() {
        let program =
            program(limits, instruction.program).map_err(|why| why.subject(instruction.position))?;
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
/// granted. A modification is an order, as it may raise one, but no placement.
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
        if matches!(instruction.action, Action::ModifyOrder { .. } | Action::ModifyOrderByUserId { .. }) {
            orders = orders.saturating_add(1);
        } else if let Some(placed) = instruction.action.orders() {
            placements = placements.saturating_add(1);
            orders = orders.saturating_add(placed.count());
        } else {
            continue;
        }
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
                judge_placed(transaction, instruction, program, &order?).map_err(|why| why.subject(index))?;
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
        Action::Deposit(movement) => {
            collateral::judge_deposit(transaction, instruction, program, &movement).map_err(subject)
        }
        Action::Withdraw(movement) => {
            collateral::judge_withdrawal(transaction, instruction, program, &movement).map_err(subject)
        }
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

fn judge_placed(
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
    program: &ProgramLimits<'_>,
    order: &OrderParams,
) -> Result<(), Why> {
    let market = market_of(program, order)?;
    judge_market_account(transaction, instruction, market)?;
    judge_order(program, market, order)
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

/// The limits of a program, if the book has it.
pub(super) fn program<'b>(limits: &Limits<'b>, program: Program) -> Result<&'b ProgramLimits<'b>, Why> {
    let found = limits.programs.iter().find(|limits| limits.program == program);
    found.ok_or(Why::new(Refusal::ProgramNotAllowed))
}

fn differs(refusal: Refusal, seen: Option<&AccountKey>, expected: &AccountKey) -> Why {
    let seen = seen.map_or(Shown::Nothing, |key| Shown::Key(*key));
    Why::new(refusal).observed(seen).limit(Shown::Key(*expected))
}
