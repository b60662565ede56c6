//! Decoding: payload bytes to a [`Transaction`], once, to the last byte.
//!
//! ```text
//! payload   message size u16 LE, message, loaded addresses n × 32
//! ```
//!
//! The loaded addresses are the ones that the message's lookups stand for, in account order: the writable ones
//! of all tables, then the readonly ones of all tables. They come from the caller, who may lie: the tables are
//! on chain and the vault cannot read them. The signature covers the lookups, not the addresses.

use sha2::{Digest as _, Sha256};
use wire::{Refusal, Shown, Why};

use super::compute_budget::{self, ComputeBudget};
use super::drift::{self, Action};
use super::message::{CompiledInstruction, MessageView};
use super::{INSTRUCTIONS_KEPT_MAX, Instruction, Transaction};

/// Decodes a payload.
///
/// # Errors
/// Malformed when the message is not canonical, when its lookups are not resolved exactly, or when a known
/// instruction does not follow its layout; unsupported when it names another program or instruction, or more
/// accounts or Drift instructions than are read.
/// The subject is the instruction, counted from 0.
pub fn decode(payload: &[u8]) -> Result<Transaction<'_>, Why> {
    let (message, loaded) = split(payload)?;
    let view = MessageView::read(message)?.resolve(loaded)?;
    let mut compute_budget = ComputeBudget::default();
    let mut instructions = [None; INSTRUCTIONS_KEPT_MAX];
    let mut free = instructions.iter_mut();
    for (position, compiled) in view.instructions().enumerate() {
        let subject = |why: Why| why.subject(position);
        let compiled = compiled?;
        match view.account(compiled.program) {
            Some(&compute_budget::COMPUTE_BUDGET) => compute_budget.read(&compiled).map_err(subject)?,
            Some(&drift::DRIFT_V2) => {
                let instruction = read_drift(&view, position, &compiled).map_err(subject)?;
                *free.next().ok_or(subject(too_many()))? = Some(instruction);
            }
            Some(other) => {
                let why = Why::new(Refusal::ProgramNotSupported).observed(Shown::Key(*other));
                return Err(subject(why));
            }
            None => return Err(subject(Why::new(Refusal::AccountIndexOutOfRange))),
        }
    }
    Ok(Transaction { label: Sha256::digest(message).into(), view, compute_budget, instructions })
}

fn split(payload: &[u8]) -> Result<(&[u8], &[u8]), Why> {
    if payload.is_empty() {
        return Err(Why::new(Refusal::PayloadEmpty));
    }
    let truncated = Why::new(Refusal::PayloadTruncated);
    let (size, rest) = payload.split_first_chunk().ok_or(truncated)?;
    rest.split_at_checked(u16::from_le_bytes(*size).into()).ok_or(truncated)
}

fn too_many() -> Why {
    Why::new(Refusal::TooManyVenueInstructions)
        .observed(Shown::size(INSTRUCTIONS_KEPT_MAX + 1))
        .limit(Shown::size(INSTRUCTIONS_KEPT_MAX))
}

/// Reads one Drift instruction and the accounts its layout names.
fn read_drift<'f>(
    view: &MessageView<'f>,
    position: usize,
    compiled: &CompiledInstruction<'f>,
) -> Result<Instruction<'f>, Why> {
    let action = Action::read(compiled.data)?;
    let roles = action.roles();
    if compiled.accounts.len() < roles.least {
        return Err(Why::new(Refusal::AccountsMissing)
            .observed(Shown::size(compiled.accounts.len()))
            .limit(Shown::size(roles.least)));
    }
    let index = |at: usize| {
        let missing = Why::new(Refusal::AccountsMissing).observed(Shown::size(at));
        compiled.accounts.get(at).copied().ok_or(missing)
    };
    let key = |at: usize| view.account(index(at)?).ok_or(Why::new(Refusal::AccountIndexOutOfRange));
    let flagged = |at: usize, flag: bool| {
        let differ = Why::new(Refusal::AccountFlagsDiffer).observed(Shown::size(at));
        if flag { Ok(()) } else { Err(differ) }
    };
    flagged(1, view.is_writable(index(1)?))?;
    flagged(roles.authority, view.is_signer(index(roles.authority)?))?;
    if let Some(at) = roles.user_stats {
        flagged(at, view.is_writable(index(at)?))?;
    }
    Ok(Instruction {
        position,
        action,
        state: key(0)?,
        user: key(1)?,
        user_is_static: view.is_static(index(1)?),
        user_stats: roles.user_stats.map(key).transpose()?,
        authority: key(roles.authority)?,
        accounts: compiled.accounts,
    })
}
