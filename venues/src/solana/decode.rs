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

use super::action::{Action, MovementRoles};
use super::compute_budget::{self, ComputeBudget};
use super::cursor::Cursor;
use super::message::{CompiledInstruction, MessageView};
use super::rules::Program;
use super::{
    DRIFT_V2, INSTRUCTIONS_KEPT_MAX, Instruction, MovementAccounts, TOKEN_PROGRAM, Transaction, VELOCITY_V1,
    drift, velocity,
};
use crate::AccountKey;

/// Decodes a payload.
///
/// # Errors
/// Malformed when the message is not canonical, when its lookups are not resolved exactly, or when a known
/// instruction does not follow its layout; unsupported when it names another program or instruction, or more
/// accounts or venue instructions than are read.
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
        let program = match view.account(compiled.program) {
            Some(&compute_budget::COMPUTE_BUDGET) => {
                compute_budget.read(&compiled).map_err(subject)?;
                continue;
            }
            Some(&DRIFT_V2) => Program::DriftV2,
            Some(&VELOCITY_V1) => Program::VelocityV1,
            Some(other) => {
                let why = Why::new(Refusal::ProgramNotSupported).observed(Shown::Key(*other));
                return Err(subject(why));
            }
            None => return Err(subject(Why::new(Refusal::AccountIndexOutOfRange))),
        };
        compute_budget.other_instructions = compute_budget.other_instructions.saturating_add(1);
        let instruction = read_instruction(&view, position, program, &compiled).map_err(subject)?;
        *free.next().ok_or(subject(too_many()))? = Some(instruction);
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

/// Reads an instruction's data to their last byte.
fn read_action(program: Program, data: &[u8]) -> Result<Action<'_>, Why> {
    let mut cursor = Cursor::new(data, Refusal::InstructionDataMalformed);
    let discriminator = cursor.array()?;
    let action = match program {
        Program::DriftV2 => drift::read_arguments(discriminator, &mut cursor)?,
        Program::VelocityV1 => velocity::read_arguments(discriminator, &mut cursor)?,
    };
    if cursor.rest().is_empty() {
        return Ok(action);
    }
    Err(Why::new(Refusal::InstructionDataMalformed).observed(Shown::size(data.len())))
}

/// Reads one instruction of a venue and the accounts its layout names.
fn read_instruction<'f>(
    view: &MessageView<'f>,
    position: usize,
    program: Program,
    compiled: &CompiledInstruction<'f>,
) -> Result<Instruction<'f>, Why> {
    let action = read_action(program, compiled.data)?;
    let roles = action.roles();
    if compiled.accounts.len() < roles.least {
        return Err(Why::new(Refusal::AccountsMissing)
            .observed(Shown::size(compiled.accounts.len()))
            .limit(Shown::size(roles.least)));
    }
    let accounts = Accounts { view, indexes: compiled.accounts };
    accounts.flagged(1, MessageView::is_writable)?;
    accounts.flagged(roles.authority, |view, index| view.is_signer(index))?;
    if let Some(at) = roles.user_stats {
        accounts.flagged(at, MessageView::is_writable)?;
    }
    let movement = roles.movement.map(|roles| read_movement_accounts(&accounts, &roles)).transpose()?;
    Ok(Instruction {
        position,
        program,
        action,
        state: accounts.key(0)?,
        user: accounts.key(1)?,
        user_is_static: accounts.is_static(1)?,
        user_stats: roles.user_stats.map(|at| accounts.key(at)).transpose()?,
        authority: accounts.key(roles.authority)?,
        movement,
        accounts: compiled.accounts,
    })
}

/// The accounts that only deposits and withdrawals have. Token-2022 is not supported: its transfer hooks run
/// programs that nobody here has read. So the token program stands in the message itself: of a lookup table the
/// caller could say that it holds the one and the network find the other.
fn read_movement_accounts<'f>(
    accounts: &Accounts<'_, 'f>,
    roles: &MovementRoles,
) -> Result<MovementAccounts<'f>, Why> {
    accounts.flagged(roles.vault, MessageView::is_writable)?;
    accounts.flagged(roles.token_account, MessageView::is_writable)?;
    let token_program = accounts.key(roles.token_program)?;
    if *token_program != TOKEN_PROGRAM {
        return Err(Why::new(Refusal::TokenProgramNotSupported).observed(Shown::Key(*token_program)));
    }
    if !accounts.is_static(roles.token_program)? {
        return Err(Why::new(Refusal::TokenProgramNotStatic).observed(Shown::Key(*token_program)));
    }
    Ok(MovementAccounts {
        vault: accounts.key(roles.vault)?,
        signer: roles.signer.map(|at| accounts.key(at)).transpose()?,
        token_account: accounts.key(roles.token_account)?,
        token_account_is_static: accounts.is_static(roles.token_account)?,
    })
}

/// The accounts of one instruction, by their position in it.
struct Accounts<'a, 'f> {
    view: &'a MessageView<'f>,
    indexes: &'f [u8],
}

impl<'f> Accounts<'_, 'f> {
    fn index(&self, at: usize) -> Result<u8, Why> {
        let missing = Why::new(Refusal::AccountsMissing).observed(Shown::size(at));
        self.indexes.get(at).copied().ok_or(missing)
    }

    fn key(&self, at: usize) -> Result<&'f AccountKey, Why> {
        self.view.account(self.index(at)?).ok_or(Why::new(Refusal::AccountIndexOutOfRange))
    }

    fn is_static(&self, at: usize) -> Result<bool, Why> {
        Ok(self.view.is_static(self.index(at)?))
    }

    fn flagged(&self, at: usize, is: impl FnOnce(&MessageView<'f>, u8) -> bool) -> Result<(), Why> {
        if is(self.view, self.index(at)?) {
            return Ok(());
        }
        Err(Why::new(Refusal::AccountFlagsDiffer).observed(Shown::size(at)))
    }
}
