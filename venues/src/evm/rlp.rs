//! A reader of canonical RLP (Yellow Paper, appendix B; EIP-2718 for the envelope around it).
//!
//! ```text
//! 00..7f             the byte itself
//! 80..b7             string of 0..55 bytes; one byte below 0x80 must be written as itself
//! b8..bf len         string of 56 bytes and more; len is 1..8 bytes, big-endian, no leading zero
//! c0..f7             list of 0..55 bytes of items
//! f8..ff len         list of 56 bytes and more of items
//! ```
//!
//! Guarantees: every item has exactly one spelling, so equal values mean equal bytes; no recursion, every
//! step consumes at least one byte.
//! Refuses: lengths not in their shortest form, items that reach beyond what holds them.

use wire::Refusal;

use crate::U256;

/// One item; what it holds is a part of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'f> {
    /// A byte string.
    Bytes(&'f [u8]),
    /// The items of a list, still encoded.
    List(&'f [u8]),
}

/// How reading an item can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The item reaches beyond the bytes there are.
    Short,
    /// Its length has a shorter spelling.
    NotCanonical,
}

/// Reads items one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'f> {
    rest: &'f [u8],
}

impl<'f> Reader<'f> {
    /// A reader over `bytes`, which hold whole items.
    pub(super) const fn new(bytes: &'f [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether every byte was read.
    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next item.
    pub(super) fn next(&mut self) -> Result<Item<'f>, Fault> {
        let (&first, rest) = self.rest.split_first().ok_or(Fault::Short)?;
        match first {
            0x00..=0x7f => {
                let (byte, rest) = self.rest.split_at_checked(1).ok_or(Fault::Short)?;
                self.rest = rest;
                Ok(Item::Bytes(byte))
            }
            0x80..=0xb7 => {
                let body = self.take(rest, usize::from(first - 0x80))?;
                match body {
                    [0x00..=0x7f] => Err(Fault::NotCanonical),
                    _ => Ok(Item::Bytes(body)),
                }
            }
            0xb8..=0xbf => self.take_long(rest, usize::from(first - 0xb7)).map(Item::Bytes),
            0xc0..=0xf7 => self.take(rest, usize::from(first - 0xc0)).map(Item::List),
            0xf8..=0xff => self.take_long(rest, usize::from(first - 0xf7)).map(Item::List),
        }
    }

    fn take(&mut self, from: &'f [u8], size: usize) -> Result<&'f [u8], Fault> {
        let (body, rest) = from.split_at_checked(size).ok_or(Fault::Short)?;
        self.rest = rest;
        Ok(body)
    }

    /// A body behind its own length of `length_size` (1 to 8) bytes.
    fn take_long(&mut self, from: &'f [u8], length_size: usize) -> Result<&'f [u8], Fault> {
        let (length, rest) = from.split_at_checked(length_size).ok_or(Fault::Short)?;
        if length.first() == Some(&0) {
            return Err(Fault::NotCanonical);
        }
        let size = length.iter().fold(0_u64, |size, byte| (size << 8) | u64::from(*byte));
        if size < LONG_SIZE_MIN {
            return Err(Fault::NotCanonical);
        }
        self.take(rest, usize::try_from(size).map_err(|_| Fault::Short)?)
    }
}

/// Shortest body that needs a length of its own.
const LONG_SIZE_MIN: u64 = 56;

/// An unsigned integer below 2^64: big-endian without leading zeros, zero is the empty string.
pub(super) fn read_u64(bytes: &[u8]) -> Result<u64, Refusal> {
    let value: [u8; 8] = read_integer(bytes)?;
    Ok(u64::from_be_bytes(value))
}

/// An unsigned integer below 2^256, spelled like [`read_u64`].
pub(super) fn read_u256(bytes: &[u8]) -> Result<U256, Refusal> {
    let value: [u8; 32] = read_integer(bytes)?;
    Ok(U256::from_be_bytes(value))
}

fn read_integer<const SIZE: usize>(bytes: &[u8]) -> Result<[u8; SIZE], Refusal> {
    let mut value = [0_u8; SIZE];
    let zeros = SIZE.checked_sub(bytes.len());
    let room = zeros.and_then(|zeros| value.get_mut(zeros..));
    match room {
        Some(room) if bytes.first() != Some(&0) => room.copy_from_slice(bytes),
        _ => return Err(Refusal::IntegerNotCanonical),
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Item<'_>, Fault> {
        Reader::new(bytes).next()
    }

    #[test]
    fn the_examples_of_the_yellow_paper_are_read() {
        assert_eq!(read(b"\x83dog"), Ok(Item::Bytes(b"dog")));
        assert_eq!(read(b"\xc8\x83cat\x83dog"), Ok(Item::List(b"\x83cat\x83dog")));
        assert_eq!(read(b"\x80"), Ok(Item::Bytes(b"")));
        assert_eq!(read(b"\xc0"), Ok(Item::List(b"")));
        assert_eq!(read(b"\x0f"), Ok(Item::Bytes(b"\x0f")));
        assert_eq!(read(b"\x82\x04\x00"), Ok(Item::Bytes(b"\x04\x00")));
    }

    #[test]
    fn a_small_byte_with_a_prefix_is_not_canonical() {
        assert_eq!(read(&[0x81, 0x7f]), Err(Fault::NotCanonical));
        assert_eq!(read(&[0x81, 0x80]), Ok(Item::Bytes(&[0x80])));
    }

    #[test]
    fn a_long_length_below_56_is_not_canonical() {
        let mut bytes = [0_u8; 60];
        bytes[..2].copy_from_slice(&[0xb8, 55]);
        assert_eq!(read(&bytes), Err(Fault::NotCanonical));
        bytes[..2].copy_from_slice(&[0xf8, 55]);
        assert_eq!(read(&bytes), Err(Fault::NotCanonical));
        bytes[..2].copy_from_slice(&[0xb8, 56]);
        assert_eq!(read(&bytes), Ok(Item::Bytes(&[0; 56])));
    }

    #[test]
    fn a_length_with_a_leading_zero_is_not_canonical() {
        let mut bytes = [0_u8; 80];
        bytes[..3].copy_from_slice(&[0xb9, 0, 60]);
        assert_eq!(read(&bytes), Err(Fault::NotCanonical));
    }

    #[test]
    fn the_largest_length_is_short_and_nothing_else() {
        assert_eq!(read(&[0xff; 9]), Err(Fault::Short));
        assert_eq!(read(&[0xbf, 0x80, 0, 0, 0, 0, 0, 0, 0]), Err(Fault::Short));
        assert_eq!(read(&[0xbf, 0xff]), Err(Fault::Short));
        assert_eq!(read(&[]), Err(Fault::Short));
    }

    #[test]
    fn integers_have_no_leading_zero_and_fit_their_width() {
        assert_eq!(read_u64(&[]), Ok(0));
        assert_eq!(read_u64(&[1, 0]), Ok(256));
        assert_eq!(read_u64(&[0xff; 8]), Ok(u64::MAX));
        assert_eq!(read_u64(&[0]), Err(Refusal::IntegerNotCanonical));
        assert_eq!(read_u64(&[0, 1]), Err(Refusal::IntegerNotCanonical));
        assert_eq!(read_u64(&[1; 9]), Err(Refusal::IntegerNotCanonical));
        assert_eq!(read_u256(&[0xff; 32]), Ok(U256::MAX));
        assert_eq!(read_u256(&[1; 33]), Err(Refusal::IntegerNotCanonical));
    }
}
