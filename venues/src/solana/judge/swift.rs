//! Judging Swift texts: whose order it is, until when it can be placed, the order and what goes with it.
//!
//! Nothing but the slot ends a text's life (no blockhash is in it), and nobody but the keeper decides whether the
//! order is placed at all. A text of an authority cannot pass as one of its delegate or the reverse unless a user
//! account's key has the bytes of a slot and a uuid: the program does not compare discriminators.

use wire::{Refusal, Shown, Why};

use super::orders::{judge_builder, judge_order, judge_trigger, market_of};
use super::program;
use crate::AccountKey;
use crate::solana::rules::{Limits, Program, ProgramLimits, SwiftLimits};
use crate::solana::swift::{IsolatedDeposit, SwiftAccount, SwiftOrder};

/// Judges `text`, signed by the key `account`.
pub(in crate::solana) fn judge_swift(
    text: &SwiftOrder,
    limits: &Limits<'_>,
    account: &AccountKey,
) -> Result<(), Why> {
    let program = program(limits, Program::DriftV2)?;
    let swift = program.swift.ok_or(Why::new(Refusal::SwiftNotAllowed))?;
    judge_owner(&text.account, program, &swift, account)?;
    if text.slot > swift.slot_max {
        return Err(Why::new(Refusal::SlotAboveCap)
            .observed(Shown::uint(text.slot))
            .limit(Shown::uint(swift.slot_max)));
    }
    let market = market_of(program, &text.order)?;
    judge_order(program, market, &text.order)?;
    for order in [text.take_profit, text.stop_loss].into_iter().flatten() {
        judge_trigger(market, &order)?;
    }
    judge_builder(program, text.builder_idx, text.builder_fee_tenth_bps)?;
    judge_margin_ratio(text.max_margin_ratio, &swift)?;
    match text.isolated_deposit {
        IsolatedDeposit::Amount(amount) if amount > swift.isolated_deposit_max => {
            Err(Why::new(Refusal::IsolatedDepositAboveCap)
                .observed(Shown::uint(amount))
                .limit(Shown::uint(swift.isolated_deposit_max)))
        }
        IsolatedDeposit::LeftOut | IsolatedDeposit::None | IsolatedDeposit::Amount(_) => Ok(()),
    }
}

/// A text without a margin ratio leaves the position's alone; one that sets it needs the grant.
fn judge_margin_ratio(margin_ratio: Option<u16>, swift: &SwiftLimits<'_>) -> Result<(), Why> {
    let Some(ratio) = margin_ratio else {
        return Ok(());
    };
    let not_allowed = Why::new(Refusal::MarginRatioNotAllowed).observed(Shown::uint(ratio.into()));
    let limits = swift.margin_ratio.ok_or(not_allowed)?;
    if ratio < limits.min {
        return Err(not_allowed.limit(Shown::uint(limits.min.into())));
    }
    if ratio > limits.max {
        return Err(not_allowed.limit(Shown::uint(limits.max.into())));
    }
    Ok(())
}

/// A sub-account of this key, or a user account that the book says this key is the delegate of.
fn judge_owner(
    owner: &SwiftAccount,
    program: &ProgramLimits<'_>,
    swift: &SwiftLimits<'_>,
    account: &AccountKey,
) -> Result<(), Why> {
    match owner {
        SwiftAccount::SubAccount(number) => {
            let mut users = program.users.iter();
            if users.any(|user| user.authority == *account && user.sub_account == *number) {
                return Ok(());
            }
            Err(Why::new(Refusal::SubAccountNotAllowed).observed(Shown::uint((*number).into())))
        }
        SwiftAccount::Taker(taker) if swift.delegated.contains(taker) => Ok(()),
        SwiftAccount::Taker(taker) => Err(Why::new(Refusal::TakerNotAllowed).observed(Shown::Key(*taker))),
    }
}
