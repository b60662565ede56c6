//! The one place that touches `bincode`: control messages and receipts.
//!
//! Legacy configuration (fixed-width little-endian integers, `u32` enum tags, `u64` lengths), a size limit,
//! and nothing may follow the value. `bincode` is pinned to 2.0.1 because 3.0.0 is a tombstone that does not
//! compile (RUSTSEC-2025-0141, see `deny.toml`); golden bytes in the tests hold the format, so that another
//! codec can take over without a change on the wire.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use bincode::{BorrowDecode, Encode};

use crate::CONTROL_SIZE_MAX;

type Config = Configuration<LittleEndian, Fixint, Limit<CONTROL_SIZE_MAX>>;

const CONFIG: Config = bincode::config::legacy().with_limit::<CONTROL_SIZE_MAX>();

/// Why a value could not be written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodecFault {
    /// The value does not fit the buffer or the limit.
    DoesNotFit,
    /// The bytes are not such a value.
    NotAValue,
    /// Bytes follow the value.
    TrailingBytes,
}

/// Writes `value` at the start of `into` and returns its size in bytes.
///
/// # Errors
/// [`CodecFault::DoesNotFit`].
pub fn encode<T: Encode>(value: T, into: &mut [u8]) -> Result<usize, CodecFault> {
    bincode::encode_into_slice(value, into, CONFIG).map_err(|_| CodecFault::DoesNotFit)
}

/// Reads one value that takes up all of `bytes`.
///
/// # Errors
/// [`CodecFault::NotAValue`], [`CodecFault::TrailingBytes`].
pub fn decode<'b, T: BorrowDecode<'b, ()>>(bytes: &'b [u8]) -> Result<T, CodecFault> {
    let (value, size) =
        bincode::borrow_decode_from_slice(bytes, CONFIG).map_err(|_| CodecFault::NotAValue)?;
    if size == bytes.len() { Ok(value) } else { Err(CodecFault::TrailingBytes) }
}

/// Reads one value at the start of `bytes` and says how many bytes it took.
///
/// # Errors
/// [`CodecFault::NotAValue`].
pub fn decode_prefix<'b, T: BorrowDecode<'b, ()>>(bytes: &'b [u8]) -> Result<(T, usize), CodecFault> {
    bincode::borrow_decode_from_slice(bytes, CONFIG).map_err(|_| CodecFault::NotAValue)
}
