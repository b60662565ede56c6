//! The message of a Solana transaction, legacy or version 0 (solana.com/docs/core/transactions).
//!
//! ```text
//! [0x80]                                     version 0 only
//! required u8, readonly signed u8, readonly unsigned u8
//! keys          compact-u16 n, n × 32
//! blockhash     32
//! instructions  compact-u16 n, n × (program u8, compact-u16 n, n × account u8, compact-u16 n, n data)
//! lookups       version 0 only: compact-u16 n, n × (table 32, compact-u16 n, n × u8 writable,
//!                                                             compact-u16 n, n × u8 readonly)
//! ```
//!
//! Accounts are numbered: the static keys, then the loaded writable ones of all tables, then the loaded
//! readonly ones.
//!
//! Guarantees: the bytes are the only encoding of what was read; every account index points at an account;
//! no static or loaded key stands twice; programs are static and not the fee payer.

use wire::{Refusal, Shown, Why};

use super::cursor::Cursor;
use crate::AccountKey;

/// Largest transaction: what an IPv6 packet of 1280 bytes leaves (the network's PACKET_DATA_SIZE).
pub const TRANSACTION_SIZE_MAX: usize = 1232;

/// Most accounts of one transaction (the runtime's MAX_TX_ACCOUNT_LOCKS; it locks 64 until the feature
/// `increase_tx_account_lock_limit` is active).
pub const ACCOUNTS_MAX: usize = 128;

/// Most instructions of one message (the runtime's trace limit).
pub const INSTRUCTIONS_MAX: u16 = 64;

const SIGNATURE_SIZE: usize = 64;
const VERSION_0: u8 = 0x80;

/// The two message formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Without a version byte and without lookups.
    Legacy,
    /// 0x80, with address lookup tables.
    V0,
}

/// A message that was read whole, with the addresses its lookups stand for.
#[derive(Clone, Copy, Debug)]
pub struct MessageView<'f> {
    bytes: &'f [u8],
    /// The format.
    pub version: Version,
    /// How many of the first keys must sign.
    pub required_signatures: u8,
    /// How many of those, the last ones, are readonly.
    pub readonly_signed: u8,
    /// How many of the other static keys, the last ones, are readonly.
    pub readonly_unsigned: u8,
    /// The static keys; the first one pays the fee.
    pub static_keys: &'f [AccountKey],
    /// The recent blockhash, which ends the message's life after about a minute.
    pub blockhash: &'f [u8; 32],
    instruction_count: u16,
    instruction_bytes: &'f [u8],
    lookup_count: u16,
    lookup_bytes: &'f [u8],
    loaded_writable: usize,
    loaded_count: usize,
    loaded: &'f [AccountKey],
}

/// An instruction as the message carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompiledInstruction<'f> {
    /// Account index of the program.
    pub program: u8,
    /// Account indexes.
    pub accounts: &'f [u8],
    /// The program's own encoding.
    pub data: &'f [u8],
}

/// A lookup as the message carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup<'f> {
    /// The table's account.
    pub table: &'f AccountKey,
    /// Indexes of writable accounts in the table.
    pub writable: &'f [u8],
    /// Indexes of readonly accounts in the table.
    pub readonly: &'f [u8],
}

impl<'f> MessageView<'f> {
    /// Reads `message` to its last byte, without the addresses of its lookups.
    ///
    /// # Errors
    /// Malformed when the bytes are not the canonical encoding of a message. Keys and indexes are looked at
    /// when the lookups' addresses are known, by [`super::decode`].
    pub fn read(message: &'f [u8]) -> Result<Self, Why> {
        let mut cursor = Cursor::new(message, Refusal::PayloadTruncated);
        let (version, required_signatures) = read_version(&mut cursor)?;
        let (readonly_signed, readonly_unsigned) = (cursor.u8()?, cursor.u8()?);
        let key_count = cursor.compact_u16()?;
        let static_keys = cursor.arrays(key_count.into())?;
        let blockhash = cursor.array()?;
        let instruction_count = cursor.compact_u16()?;
        let instruction_bytes = read_instructions(&mut cursor, instruction_count)?;
        let (lookup_count, before) = match version {
            Version::Legacy => (0, cursor.rest()),
            Version::V0 => (cursor.compact_u16()?, cursor.rest()),
        };
        let (loaded_writable, loaded_count) = read_lookups(&mut cursor, lookup_count)?;
        if !cursor.rest().is_empty() {
            return Err(Why::new(Refusal::TrailingBytes).observed(Shown::size(cursor.rest().len())));
        }
        Ok(Self {
            bytes: message,
            version,
            required_signatures,
            readonly_signed,
            readonly_unsigned,
            static_keys,
            blockhash,
            instruction_count,
            instruction_bytes,
            lookup_count,
            lookup_bytes: before,
            loaded_writable,
            loaded_count,
            loaded: &[],
        })
    }

    /// Takes `loaded` as the addresses of its lookups, in account order, and checks the whole.
    pub(super) fn resolve(mut self, loaded: &'f [u8]) -> Result<Self, Why> {
        self.loaded = read_loaded(loaded, self.loaded_count)?;
        self.check()?;
        Ok(self)
    }

    /// The bytes it was read from: what is signed.
    #[must_use]
    pub const fn bytes(&self) -> &'f [u8] {
        self.bytes
    }

    /// The account that pays the fee. Every message that was read has one.
    #[must_use]
    pub fn fee_payer(&self) -> Option<&'f AccountKey> {
        self.static_keys.first()
    }

    /// The key of account `index`.
    #[must_use]
    pub fn account(&self, index: u8) -> Option<&'f AccountKey> {
        let index = usize::from(index);
        match index.checked_sub(self.static_keys.len()) {
            None => self.static_keys.get(index),
            Some(loaded) => self.loaded.get(loaded),
        }
    }

    /// Whether account `index` stands in the message itself.
    #[must_use]
    pub fn is_static(&self, index: u8) -> bool {
        usize::from(index) < self.static_keys.len()
    }

    /// Whether account `index` must sign.
    #[must_use]
    pub const fn is_signer(&self, index: u8) -> bool {
        index < self.required_signatures
    }

    /// Whether account `index` may be written.
    #[must_use]
    pub fn is_writable(&self, index: u8) -> bool {
        let at = usize::from(index);
        match at.checked_sub(self.static_keys.len()) {
            Some(loaded) => loaded < self.loaded_writable,
            None if self.is_signer(index) => {
                at + usize::from(self.readonly_signed) < self.required_signatures.into()
            }
            None => at + usize::from(self.readonly_unsigned) < self.static_keys.len(),
        }
    }

    /// The instructions, in order. A message that was read yields no error.
    pub fn instructions(&self) -> impl Iterator<Item = Result<CompiledInstruction<'f>, Why>> {
        let mut cursor = Cursor::new(self.instruction_bytes, Refusal::PayloadTruncated);
        (0..self.instruction_count).map(move |_| read_instruction(&mut cursor))
    }

    /// The lookups, in order. A message that was read yields no error.
    pub fn lookups(&self) -> impl Iterator<Item = Result<Lookup<'f>, Why>> {
        let mut cursor = Cursor::new(self.lookup_bytes, Refusal::PayloadTruncated);
        (0..self.lookup_count).map(move |_| read_lookup(&mut cursor))
    }

    /// How many accounts the lookups load.
    #[must_use]
    pub const fn loaded_count(&self) -> usize {
        self.loaded_count
    }

    fn check(&self) -> Result<(), Why> {
        self.check_header()?;
        self.check_size()?;
        if self.blockhash == &[0; 32] {
            return Err(Why::new(Refusal::BlockhashZero));
        }
        self.check_keys()?;
        for (position, instruction) in self.instructions().enumerate() {
            self.check_indexes(&instruction?).map_err(|why| why.subject(position))?;
        }
        Ok(())
    }

    fn check_header(&self) -> Result<(), Why> {
        let least = usize::from(self.required_signatures) + usize::from(self.readonly_unsigned);
        if self.readonly_signed < self.required_signatures && least <= self.static_keys.len() {
            return Ok(());
        }
        Err(Why::new(Refusal::HeaderMalformed))
    }

    fn check_size(&self) -> Result<(), Why> {
        let signatures = 1 + SIGNATURE_SIZE * usize::from(self.required_signatures);
        let size_max = TRANSACTION_SIZE_MAX.saturating_sub(signatures);
        bounded(self.bytes.len(), size_max, Refusal::MessageTooLong).map(|_| ())
    }

    /// At most `ACCOUNTS_MAX` accounts and no key twice: static, loaded, or one of each; no table twice.
    fn check_keys(&self) -> Result<(), Why> {
        bounded(self.static_keys.len() + self.loaded.len(), ACCOUNTS_MAX, Refusal::TooManyAccounts)?;
        let repeated = |key: &AccountKey| Why::new(Refusal::AccountKeyRepeated).observed(Shown::Key(*key));
        let after = |keys: &'f [AccountKey], index: usize| keys.get(index + 1..).unwrap_or_default();
        for (index, key) in self.static_keys.iter().enumerate() {
            if after(self.static_keys, index).contains(key) || self.loaded.contains(key) {
                return Err(repeated(key).subject(index));
            }
        }
        for (index, key) in self.loaded.iter().enumerate() {
            if after(self.loaded, index).contains(key) {
                return Err(repeated(key).subject(self.static_keys.len() + index));
            }
        }
        for (index, lookup) in self.lookups().enumerate() {
            let table = lookup?.table;
            for later in self.lookups().skip(index + 1) {
                if later?.table == table {
                    return Err(repeated(table));
                }
            }
        }
        Ok(())
    }

    fn check_indexes(&self, instruction: &CompiledInstruction<'_>) -> Result<(), Why> {
        let count = self.static_keys.len() + self.loaded.len();
        for index in instruction.accounts.iter().chain([&instruction.program]) {
            if usize::from(*index) >= count {
                return Err(Why::new(Refusal::AccountIndexOutOfRange)
                    .observed(Shown::uint((*index).into()))
                    .limit(Shown::size(count.saturating_sub(1))));
            }
        }
        if instruction.program == 0 || !self.is_static(instruction.program) {
            return Err(
                Why::new(Refusal::ProgramIndexNotAllowed).observed(Shown::uint(instruction.program.into()))
            );
        }
        Ok(())
    }
}

fn read_version(cursor: &mut Cursor<'_>) -> Result<(Version, u8), Why> {
    match cursor.u8()? {
        VERSION_0 => Ok((Version::V0, cursor.u8()?)),
        other if other & 0x80 != 0 => {
            Err(Why::new(Refusal::MessageVersionNotSupported).observed(Shown::uint((other & 0x7f).into())))
        }
        required_signatures => Ok((Version::Legacy, required_signatures)),
    }
}

fn read_instructions<'f>(cursor: &mut Cursor<'f>, count: u16) -> Result<&'f [u8], Why> {
    if count == 0 {
        return Err(Why::new(Refusal::InstructionsEmpty));
    }
    bounded(count.into(), INSTRUCTIONS_MAX.into(), Refusal::TooManyInstructions)?;
    let before = cursor.rest();
    for _ in 0..count {
        read_instruction(cursor)?;
    }
    Ok(before)
}

fn read_instruction<'f>(cursor: &mut Cursor<'f>) -> Result<CompiledInstruction<'f>, Why> {
    let program = cursor.u8()?;
    let account_count = cursor.compact_u16()?;
    let accounts = cursor.take(account_count.into())?;
    let data_size = cursor.compact_u16()?;
    Ok(CompiledInstruction { program, accounts, data: cursor.take(data_size.into())? })
}

/// How many addresses the lookups load: the writable ones, and all.
fn read_lookups(cursor: &mut Cursor<'_>, count: u16) -> Result<(usize, usize), Why> {
    let (mut writable, mut all) = (0, 0);
    for position in 0..count {
        let lookup = read_lookup(cursor)?;
        if lookup.writable.is_empty() && lookup.readonly.is_empty() {
            return Err(Why::new(Refusal::LookupUnresolved).subject(position.into()));
        }
        writable += lookup.writable.len();
        all += lookup.writable.len() + lookup.readonly.len();
    }
    Ok((writable, all))
}

fn read_lookup<'f>(cursor: &mut Cursor<'f>) -> Result<Lookup<'f>, Why> {
    let table = cursor.array()?;
    let writable_count = cursor.compact_u16()?;
    let writable = cursor.take(writable_count.into())?;
    let readonly_count = cursor.compact_u16()?;
    Ok(Lookup { table, writable, readonly: cursor.take(readonly_count.into())? })
}

/// The addresses the host gave for the lookups: exactly `count`.
fn read_loaded(bytes: &[u8], count: usize) -> Result<&[AccountKey], Why> {
    let (keys, odd) = bytes.as_chunks();
    if keys.len() < count {
        return Err(Why::new(Refusal::LookupUnresolved)
            .observed(Shown::size(keys.len()))
            .limit(Shown::size(count)));
    }
    if keys.len() > count || !odd.is_empty() {
        return Err(Why::new(Refusal::TrailingBytes).observed(Shown::size(bytes.len())));
    }
    Ok(keys)
}

fn bounded(seen: usize, most: usize, refusal: Refusal) -> Result<usize, Why> {
    if seen <= most {
        return Ok(seen);
    }
    Err(Why::new(refusal).observed(Shown::size(seen)).limit(Shown::size(most)))
}
