//! The compute budget program: the units a message may use and what a unit pays on top of the base fee.
//!
//! ```text
//! 02, units u32 LE            setComputeUnitLimit
//! 03, micro-lamports u64 LE   setComputeUnitPrice
//! ```
//!
//! Refuses: either one twice (so does the runtime), bytes that follow. Not supported: accounts, which the
//! runtime ignores, and the program's other instructions.

use wire::{Refusal, Shown, Why};

use super::cursor::Cursor;
use super::message::CompiledInstruction;
use crate::AccountKey;

/// ComputeBudget111111111111111111111111111111.
pub const COMPUTE_BUDGET: AccountKey = [
    3, 6, 70, 111, 229, 33, 23, 50, 255, 236, 173, 186, 114, 195, 155, 231, 188, 140, 229, 187, 197, 247, 18,
    107, 44, 67, 155, 58, 64, 0, 0, 0,
];

/// Most compute units of one transaction.
pub const UNIT_LIMIT_MAX: u32 = 1_400_000;

/// Compute units that the runtime grants an instruction of a message without a limit
/// (DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT).
const UNITS_PER_INSTRUCTION: u32 = 200_000;

/// The same for an instruction of this program, which the runtime runs itself (SIMD-0170; before it they counted
/// nothing).
const UNITS_PER_BUILTIN_INSTRUCTION: u32 = 3_000;

/// What a message says about its compute budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComputeBudget {
    /// Compute units.
    pub unit_limit: Option<u32>,
    /// Micro-lamports for each unit.
    pub unit_price: Option<u64>,
    /// Instructions of this program.
    pub own_instructions: u32,
    /// Instructions of other programs.
    pub other_instructions: u32,
}

impl ComputeBudget {
    /// The priority fee at its most, in micro-lamports: limit times price. Without a limit it is the runtime's
    /// default for these instructions, at most [`UNIT_LIMIT_MAX`]; a limit above that is valued as written.
    #[must_use]
    pub fn priority_fee(&self) -> u128 {
        u128::from(self.unit_limit.unwrap_or_else(|| self.default_unit_limit()))
            * u128::from(self.unit_price.unwrap_or(0))
    }

    /// What the runtime takes as the limit of a message that sets none.
    fn default_unit_limit(&self) -> u32 {
        let own = UNITS_PER_BUILTIN_INSTRUCTION.saturating_mul(self.own_instructions);
        let others = UNITS_PER_INSTRUCTION.saturating_mul(self.other_instructions);
        own.saturating_add(others).min(UNIT_LIMIT_MAX)
    }

    /// Takes in one instruction of the program.
    pub(super) fn read(&mut self, instruction: &CompiledInstruction<'_>) -> Result<(), Why> {
        self.own_instructions = self.own_instructions.saturating_add(1);
        let mut cursor = Cursor::new(instruction.data, Refusal::InstructionDataMalformed);
        let repeated = match cursor.u8()? {
            2 => self.unit_limit.replace(cursor.u32()?).is_some(),
            3 => self.unit_price.replace(cursor.u64()?).is_some(),
            other => {
                return Err(Why::new(Refusal::InstructionNotSupported).observed(Shown::uint(other.into())));
            }
        };
        if repeated {
            return Err(Why::new(Refusal::ComputeBudgetRepeated));
        }
        if !cursor.rest().is_empty() {
            return Err(
                Why::new(Refusal::InstructionDataMalformed).observed(Shown::size(instruction.data.len()))
            );
        }
        if !instruction.accounts.is_empty() {
            return Err(
                Why::new(Refusal::AccountsNotSupported).observed(Shown::size(instruction.accounts.len()))
            );
        }
        Ok(())
    }
}
