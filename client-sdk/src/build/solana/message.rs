//! Instructions and legacy messages.

use venues::solana::{COMPUTE_BUDGET, TRANSACTION_SIZE_MAX};

use super::{BuildError, Key};

/// An account that an instruction is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountMeta {
    /// Its key.
    pub key: Key,
    /// Whether it must sign.
    pub is_signer: bool,
    /// Whether it may be written.
    pub is_writable: bool,
}

impl AccountMeta {
    /// An account that is read.
    #[must_use]
    pub const fn readonly(key: Key) -> Self {
        Self { key, is_signer: false, is_writable: false }
    }

    /// An account that is written.
    #[must_use]
    pub const fn writable(key: Key) -> Self {
        Self { key, is_signer: false, is_writable: true }
    }

    /// An account that signs and is not written.
    #[must_use]
    pub const fn signer(key: Key) -> Self {
        Self { key, is_signer: true, is_writable: false }
    }
}

/// One call of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The program.
    pub program: Key,
    /// The accounts it is given, in order.
    pub accounts: Vec<AccountMeta>,
    /// The program's own encoding.
    pub data: Vec<u8>,
}

impl Instruction {
    /// Bounds the compute units that the message may use.
    #[must_use]
    pub fn compute_unit_limit(units: u32) -> Self {
        Self::compute_budget([&[2][..], &units.to_le_bytes()].concat())
    }

    /// Pays for priority, micro-lamports a unit.
    #[must_use]
    pub fn compute_unit_price(micro_lamports: u64) -> Self {
        Self::compute_budget([&[3][..], &micro_lamports.to_le_bytes()].concat())
    }

    fn compute_budget(data: Vec<u8>) -> Self {
        Self { program: COMPUTE_BUDGET, accounts: Vec::new(), data }
    }
}

/// Compiles a legacy message: every account once, with the widest rights that any instruction asks for, signers
/// first, writable before readonly, then by key, as the Solana crates do; `fee_payer` comes first and is always a
/// writable signer.
///
/// # Errors
/// [`BuildError::InstructionsEmpty`], [`BuildError::ListTooLong`] (over 255 accounts),
/// [`BuildError::MessageTooLong`] (with its signatures over 1232 bytes).
pub fn legacy_message(
    fee_payer: &Key,
    blockhash: &[u8; 32],
    instructions: &[Instruction],
) -> Result<Vec<u8>, BuildError> {
    if instructions.is_empty() {
        return Err(BuildError::InstructionsEmpty);
    }
    let accounts = merged_accounts(fee_payer, instructions);
    let signers = accounts.iter().filter(|account| account.is_signer).count();
    let readonly = |is_signer: bool| {
        let matching = |account: &&AccountMeta| account.is_signer == is_signer && !account.is_writable;
        byte(accounts.iter().filter(matching).count())
    };
    let mut message = vec![byte(signers)?, readonly(true)?, readonly(false)?];
    push_compact_u16(&mut message, accounts.len())?;
    message.extend(accounts.iter().flat_map(|account| account.key));
    message.extend(blockhash);
    push_compact_u16(&mut message, instructions.len())?;
    let index = |key: &Key| {
        let position = accounts.iter().position(|account| account.key == *key);
        byte(position.unwrap_or(usize::MAX))
    };
    for instruction in instructions {
        message.push(index(&instruction.program)?);
        push_compact_u16(&mut message, instruction.accounts.len())?;
        for account in &instruction.accounts {
            message.push(index(&account.key)?);
        }
        push_compact_u16(&mut message, instruction.data.len())?;
        message.extend(&instruction.data);
    }
    if 1 + 64 * signers + message.len() > TRANSACTION_SIZE_MAX {
        return Err(BuildError::MessageTooLong);
    }
    Ok(message)
}

/// Each account once, in the order a message wants.
fn merged_accounts(fee_payer: &Key, instructions: &[Instruction]) -> Vec<AccountMeta> {
    let mut merged = vec![AccountMeta { key: *fee_payer, is_signer: true, is_writable: true }];
    let programs = instructions.iter().map(|instruction| AccountMeta::readonly(instruction.program));
    let accounts = instructions.iter().flat_map(|instruction| instruction.accounts.iter().copied());
    for account in accounts.chain(programs) {
        match merged.iter_mut().find(|other| other.key == account.key) {
            Some(other) => {
                other.is_signer |= account.is_signer;
                other.is_writable |= account.is_writable;
            }
            None => merged.push(account),
        }
    }
    merged.sort_by_key(|account| {
        let is_other = account.key != *fee_payer;
        (is_other, !account.is_signer, !account.is_writable, account.key)
    });
    merged
}

fn byte(number: usize) -> Result<u8, BuildError> {
    u8::try_from(number).map_err(|_| BuildError::ListTooLong)
}

/// Seven bits a byte, low bits first, a set high bit for "more follows".
fn push_compact_u16(message: &mut Vec<u8>, number: usize) -> Result<(), BuildError> {
    let mut rest = u16::try_from(number).map_err(|_| BuildError::ListTooLong)?;
    loop {
        let [low, _] = (rest & 0x7f).to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            message.push(low);
            return Ok(());
        }
        message.push(low | 0x80);
    }
}
