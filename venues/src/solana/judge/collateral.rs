//! Judging deposits and withdrawals.
//!
//! Both name a spot market; its account must be passed and its vault must be the book's, which Drift compares as
//! well. What a lookup table says is never believed about the one account that nothing else holds: a withdrawal's
//! destination stands in the message itself. A deposit moves tokens of the authority, this key, into a user
//! account of the book, wherever they come from.

use wire::{Refusal, Shown, Why};

use super::differs;
use crate::solana::action::Movement;
use crate::solana::rules::{CollateralLimits, ProgramLimits};
use crate::solana::{Instruction, MovementAccounts, Transaction};

/// Judges a deposit.
pub(super) fn judge_deposit(
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
    program: &ProgramLimits<'_>,
    movement: &Movement,
) -> Result<(), Why> {
    let (limits, _) = judge_market(transaction, instruction, program, movement)?;
    let deposit_max = limits.deposit_max.ok_or(Why::new(Refusal::InstructionNotAllowed))?;
    judge_amount(movement.amount, deposit_max)
}

/// Judges a withdrawal.
pub(super) fn judge_withdrawal(
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
    program: &ProgramLimits<'_>,
    movement: &Movement,
) -> Result<(), Why> {
    let (limits, accounts) = judge_market(transaction, instruction, program, movement)?;
    let withdraw = limits.withdraw.ok_or(Why::new(Refusal::InstructionNotAllowed))?;
    if accounts.signer != Some(&program.signer) {
        return Err(differs(Refusal::VaultAccountDiffers, accounts.signer, &program.signer));
    }
    let shown = Shown::Key(*accounts.token_account);
    if !accounts.token_account_is_static {
        return Err(Why::new(Refusal::TokenAccountNotStatic).observed(shown));
    }
    if !withdraw.destinations.contains(accounts.token_account) {
        return Err(Why::new(Refusal::TokenAccountNotAllowed).observed(shown));
    }
    if !withdraw.borrow && !movement.reduce_only {
        return Err(Why::new(Refusal::BorrowNotAllowed));
    }
    judge_amount(movement.amount, withdraw.amount_max)
}

/// The spot market's limits and the accounts, of which market and vault are the book's.
fn judge_market<'b, 't>(
    transaction: &Transaction<'_>,
    instruction: &'t Instruction<'_>,
    program: &ProgramLimits<'b>,
    movement: &Movement,
) -> Result<(&'b CollateralLimits<'b>, MovementAccounts<'t>), Why> {
    let index = Shown::uint(movement.market_index.into());
    let mut markets = program.collateral.iter();
    let limits = markets
        .find(|limits| limits.market_index == movement.market_index)
        .ok_or(Why::new(Refusal::MarketNotAllowed).observed(index))?;
    if !transaction.passes(instruction, &limits.account) {
        let missing = Why::new(Refusal::MarketAccountMissing).observed(index);
        return Err(missing.limit(Shown::Key(limits.account)));
    }
    match instruction.movement {
        Some(accounts) if *accounts.vault == limits.vault => Ok((limits, accounts)),
        other => {
            let vault = other.map(|accounts| accounts.vault);
            Err(differs(Refusal::VaultAccountDiffers, vault, &limits.vault))
        }
    }
}

fn judge_amount(amount: u64, amount_max: u64) -> Result<(), Why> {
    if amount <= amount_max {
        return Ok(());
    }
    Err(Why::new(Refusal::CollateralAboveCap).observed(Shown::uint(amount)).limit(Shown::uint(amount_max)))
}
