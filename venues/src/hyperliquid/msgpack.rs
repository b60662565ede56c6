//! MessagePack in the one form that the exchange's own encoder writes, and nothing else of it.
//!
//! ```text
//! uint    00..7f | cc u8 >= 80 | cd u16 >= 100 | ce u32 >= 10000 | cf u64 >= 100000000     (hexadecimal)
//! int     uint, or below zero: e0..ff | d0 i8 < -20 | d1 i16 < -80 | d2 i32 < -8000 | d3 i64 < -80000000
//! text    a0..bf, bytes | d9 u8 >= 20, bytes
//! map     80..8f, then key and value in turn, keys in the venue's own order
//! array   90..9f | dc u16 >= 10
//! flag    c2 | c3
//! ```
//! Refuses wider forms, signed integers where a number has no sign, floats, nil, bin, ext, str16, map16, array32: the exchange hashes what
//! it encodes itself, so a second way to write a value is never a valid signature but could mislead a reader.

use wire::{Refusal, Why};

const FALSE: u8 = 0xc2;
const TRUE: u8 = 0xc3;
const UINT8: u8 = 0xcc;
const UINT16: u8 = 0xcd;
const UINT32: u8 = 0xce;
const UINT64: u8 = 0xcf;
const INT8: u8 = 0xd0;
const INT16: u8 = 0xd1;
const INT32: u8 = 0xd2;
const INT64: u8 = 0xd3;
const STR8: u8 = 0xd9;
const ARRAY16: u8 = 0xdc;

/// Lowest integer of one byte.
const FIXINT_MIN: i64 = -32;
const FIXSTR_SIZE_MAX: u8 = 31;
const FIXARRAY_LEN_MAX: u16 = 15;

/// The members of one map, in the venue's own order; those beyond the first `required` may be absent.
#[derive(Debug)]
pub(crate) struct Members {
    pub(crate) names: &'static [&'static str],
    pub(crate) required: usize,
}

impl Members {
    /// Whether a map of these members can have `len` of them.
    pub(crate) fn check(&self, len: usize) -> Result<(), Why> {
        if len < self.required {
            Err(Refusal::FieldMissing.into())
        } else if len > self.names.len() {
            // An excess member is either one of the names again or none of them.
            Err(Refusal::FieldNotKnown.into())
        } else {
            Ok(())
        }
    }
}

/// Reads from the front of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// At the start of `bytes`.
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What has not been read.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// A map's number of members.
    pub(crate) fn map(&mut self) -> Result<usize, Why> {
        match self.byte()? {
            head @ 0x80..=0x8f => Ok(usize::from(head & 0x0f)),
            _ => Err(Refusal::MsgpackNotCanonical.into()),
        }
    }

    /// An array's number of elements.
    pub(crate) fn array(&mut self) -> Result<usize, Why> {
        match self.byte()? {
            head @ 0x90..=0x9f => Ok(usize::from(head & 0x0f)),
            ARRAY16 => {
                let len = u16::from_be_bytes(self.array_of()?);
                canonical(len > FIXARRAY_LEN_MAX)?;
                Ok(usize::from(len))
            }
            _ => Err(Refusal::MsgpackNotCanonical.into()),
        }
    }

    /// An unsigned integer in its shortest form.
    pub(crate) fn uint(&mut self) -> Result<u64, Why> {
        let (value, wider_than) = match self.byte()? {
            head @ 0..=0x7f => return Ok(u64::from(head)),
            UINT8 => (u64::from(self.byte()?), 0x7f),
            UINT16 => (u64::from(u16::from_be_bytes(self.array_of()?)), u64::from(u8::MAX)),
            UINT32 => (u64::from(u32::from_be_bytes(self.array_of()?)), u64::from(u16::MAX)),
            UINT64 => (u64::from_be_bytes(self.array_of()?), u64::from(u32::MAX)),
            _ => return Err(Refusal::MsgpackNotCanonical.into()),
        };
        canonical(value > wider_than)?;
        Ok(value)
    }

    /// An unsigned integer of 32 bits.
    pub(crate) fn uint32(&mut self) -> Result<u32, Why> {
        let value = self.uint()?;
        u32::try_from(value).map_err(|_| {
            Why::new(Refusal::NumberOutOfRange)
                .observed(wire::Shown::uint(value))
                .limit(wire::Shown::uint(u32::MAX.into()))
        })
    }

    /// A signed integer in its shortest form.
    pub(crate) fn int(&mut self) -> Result<i64, Why> {
        let mut ahead = *self;
        let (value, wider_than) = match ahead.byte()? {
            head @ 0xe0..=0xff => (i64::from(head.cast_signed()), 0),
            INT8 => (i64::from(i8::from_be_bytes(ahead.array_of()?)), FIXINT_MIN),
            INT16 => (i64::from(i16::from_be_bytes(ahead.array_of()?)), i64::from(i8::MIN)),
            INT32 => (i64::from(i32::from_be_bytes(ahead.array_of()?)), i64::from(i16::MIN)),
            INT64 => (i64::from_be_bytes(ahead.array_of()?), i64::from(i32::MIN)),
            _ => {
                let value = self.uint()?;
                return i64::try_from(value).map_err(|_| {
                    Why::new(Refusal::NumberOutOfRange)
                        .observed(wire::Shown::uint(value))
                        .limit(wire::Shown::uint(i64::MAX.unsigned_abs()))
                });
            }
        };
        canonical(value < wider_than)?;
        *self = ahead;
        Ok(value)
    }

    /// Whether text comes next.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.rest.first(), Some(0xa0..=0xbf | &STR8))
    }

    /// Text of at most 255 bytes in its shortest form.
    pub(crate) fn text(&mut self) -> Result<&'a str, Why> {
        let size = match self.byte()? {
            head @ 0xa0..=0xbf => head & FIXSTR_SIZE_MAX,
            STR8 => {
                let size = self.byte()?;
                canonical(size > FIXSTR_SIZE_MAX)?;
                size
            }
            _ => return Err(Refusal::MsgpackNotCanonical.into()),
        };
        let bytes = self.take(usize::from(size))?;
        core::str::from_utf8(bytes).map_err(|_| Refusal::MsgpackNotCanonical.into())
    }

    /// True or false.
    pub(crate) fn flag(&mut self) -> Result<bool, Why> {
        match self.byte()? {
            FALSE => Ok(false),
            TRUE => Ok(true),
            _ => Err(Refusal::MsgpackNotCanonical.into()),
        }
    }

    /// Reads the key `names[index]`; `names` are all keys of this map in their order.
    pub(crate) fn key(&mut self, names: &[&str], index: usize) -> Result<(), Why> {
        let key = self.text()?;
        if names.get(index).is_some_and(|name| *name == key) {
            Ok(())
        } else if names.contains(&key) {
            Err(Refusal::MsgpackNotCanonical.into())
        } else {
            Err(Refusal::FieldNotKnown.into())
        }
    }

    /// Opens a map of `members` and says how many of them are there.
    pub(crate) fn members(&mut self, members: &Members) -> Result<usize, Why> {
        let len = self.map()?;
        members.check(len)?;
        Ok(len)
    }

    /// Nothing may follow.
    pub(crate) fn end(&self) -> Result<(), Why> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Why::new(Refusal::TrailingBytes).observed(wire::Shown::size(self.rest.len())))
        }
    }

    fn byte(&mut self) -> Result<u8, Why> {
        let (byte, rest) = self.rest.split_first().ok_or(Refusal::PayloadTruncated)?;
        self.rest = rest;
        Ok(*byte)
    }

    fn array_of<const N: usize>(&mut self) -> Result<[u8; N], Why> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or(Refusal::PayloadTruncated)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn take(&mut self, size: usize) -> Result<&'a [u8], Why> {
        let (bytes, rest) = self.rest.split_at_checked(size).ok_or(Refusal::PayloadTruncated)?;
        self.rest = rest;
        Ok(bytes)
    }
}

fn canonical(shortest: bool) -> Result<(), Why> {
    if shortest { Ok(()) } else { Err(Refusal::MsgpackNotCanonical.into()) }
}

/// Writes the same form into a fixed buffer.
#[derive(Debug)]
pub(crate) struct Writer<'b> {
    buffer: &'b mut [u8],
    used: usize,
}

impl<'b> Writer<'b> {
    /// At the start of `buffer`.
    pub(crate) const fn new(buffer: &'b mut [u8]) -> Self {
        Self { buffer, used: 0 }
    }

    /// Bytes written so far.
    pub(crate) const fn used(&self) -> usize {
        self.used
    }

    /// An unsigned integer.
    pub(crate) fn uint(&mut self, value: u64) -> Result<(), Why> {
        let [b0, b1, b2, b3, b4, b5, b6, b7] = value.to_be_bytes();
        match value {
            0..=0x7f => self.put(&[b7]),
            0x80..=0xff => self.put(&[UINT8, b7]),
            0x100..=0xffff => self.put(&[UINT16, b6, b7]),
            0x1_0000..=0xffff_ffff => self.put(&[UINT32, b4, b5, b6, b7]),
            _ => self.put(&[UINT64, b0, b1, b2, b3, b4, b5, b6, b7]),
        }
    }

    /// A signed integer.
    pub(crate) fn int(&mut self, value: i64) -> Result<(), Why> {
        let [b0, b1, b2, b3, b4, b5, b6, b7] = value.to_be_bytes();
        match value {
            0.. => self.uint(value.unsigned_abs()),
            FIXINT_MIN..=-1 => self.put(&[b7]),
            -0x80..=-1 => self.put(&[INT8, b7]),
            -0x8000..=-1 => self.put(&[INT16, b6, b7]),
            -0x8000_0000..=-1 => self.put(&[INT32, b4, b5, b6, b7]),
            _ => self.put(&[INT64, b0, b1, b2, b3, b4, b5, b6, b7]),
        }
    }

    /// Text; more than 255 bytes are refused as no action holds that much.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Why> {
        match u8::try_from(text.len()) {
            Ok(size @ 0..=FIXSTR_SIZE_MAX) => self.put(&[0xa0 | size])?,
            Ok(size) => self.put(&[STR8, size])?,
            Err(_) => return Err(Refusal::NumberOutOfRange.into()),
        }
        self.put(text.as_bytes())
    }

    /// True or false.
    pub(crate) fn flag(&mut self, value: bool) -> Result<(), Why> {
        self.put(&[if value { TRUE } else { FALSE }])
    }

    /// Opens a map of at most 15 members whose number is set by [`Writer::close_map`]; returns where.
    pub(crate) fn open_map(&mut self) -> Result<usize, Why> {
        let at = self.used;
        self.put(&[0x80])?;
        Ok(at)
    }

    /// Says how many members the map opened at `at` has.
    pub(crate) fn close_map(&mut self, at: usize, len: usize) -> Result<(), Why> {
        match (self.buffer.get_mut(at), u8::try_from(len)) {
            (Some(head), Ok(len @ 0..=15)) => {
                *head = 0x80 | len;
                Ok(())
            }
            _ => Err(Refusal::NumberOutOfRange.into()),
        }
    }

    /// Opens an array whose number of elements is set by [`Writer::close_array`]; returns where.
    pub(crate) fn open_array(&mut self) -> Result<usize, Why> {
        let at = self.used;
        self.put(&[0x90])?;
        Ok(at)
    }

    /// Says how many elements the array opened at `at` has; beyond 15 the elements move up by two bytes.
    pub(crate) fn close_array(&mut self, at: usize, len: usize) -> Result<(), Why> {
        let len = u16::try_from(len).map_err(|_| Refusal::ListTooLong)?;
        let [high, low] = len.to_be_bytes();
        if len <= FIXARRAY_LEN_MAX {
            if let Some(head) = self.buffer.get_mut(at) {
                *head = 0x90 | low;
            }
            return Ok(());
        }
        let end = self.used;
        self.put(&[0, 0])?;
        let array = self.buffer.get_mut(at..self.used).ok_or(Refusal::RequestTooLong)?;
        let elements_size = end.saturating_sub(at).saturating_sub(1);
        array.copy_within(1..=elements_size, 3);
        if let Some(head) = array.first_chunk_mut::<3>() {
            *head = [ARRAY16, high, low];
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Why> {
        let end = self.used.saturating_add(bytes.len());
        let room = self.buffer.get_mut(self.used..end).ok_or(Refusal::RequestTooLong)?;
        room.copy_from_slice(bytes);
        self.used = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_is_the_shortest_form() {
        for value in [0, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, u64::MAX] {
            let mut buffer = [0; 16];
            let mut writer = Writer::new(&mut buffer);
            writer.uint(value).unwrap();
            let used = writer.used();
            let mut reader = Reader::new(&buffer[..used]);
            assert_eq!(reader.uint(), Ok(value));
            assert_eq!(reader.end(), Ok(()));
        }
    }

    #[test]
    fn a_signed_integer_reads_back_and_has_one_form() {
        for (value, wide) in [
            (-1, &[0xd0, 0xff][..]),
            (-32, &[0xd0, 0xe0]),
            (-33, &[0xd1, 0xff, 0xdf]),
            (-128, &[0xd1, 0xff, 0x80]),
            (-129, &[0xd2, 0xff, 0xff, 0xff, 0x7f]),
            (-32_768, &[0xd2, 0xff, 0xff, 0x80, 0]),
            (-32_769, &[0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff]),
            (-2_147_483_648, &[0xd3, 0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0]),
            (5, &[0xd0, 5]),
            (i64::MIN, &[0xca, 0, 0, 0, 0]),
            (i64::MAX, &[0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            let mut buffer = [0; 16];
            let mut writer = Writer::new(&mut buffer);
            writer.int(value).unwrap();
            let used = writer.used();
            let mut reader = Reader::new(&buffer[..used]);
            assert_eq!(reader.int(), Ok(value));
            assert_eq!(reader.end(), Ok(()));
            let refusal = Reader::new(wide).int().unwrap_err().refusal;
            assert!(matches!(refusal, Refusal::MsgpackNotCanonical | Refusal::NumberOutOfRange), "{wide:x?}");
        }
    }

    #[test]
    fn an_integer_wider_than_needed_or_signed_is_not_canonical() {
        for bytes in [
            &[0xcc, 0x7f][..],
            &[0xcd, 0, 0xff],
            &[0xce, 0, 0, 0xff, 0xff],
            &[0xcf, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
            &[0xd0, 1],
            &[0xd3, 0, 0, 0, 1, 0, 0, 0, 0],
            &[0xff],
            &[0xc0],
            &[0xca, 0, 0, 0, 0],
        ] {
            assert_eq!(
                Reader::new(bytes).uint().unwrap_err().refusal,
                Refusal::MsgpackNotCanonical,
                "{bytes:x?}"
            );
        }
    }

    #[test]
    fn an_array_of_sixteen_gets_the_wide_header() {
        for len in [15_u8, 16, 200] {
            let mut buffer = [0; 256];
            let mut writer = Writer::new(&mut buffer);
            let at = writer.open_array().unwrap();
            for index in 0..len {
                writer.uint(u64::from(index & 0x7f)).unwrap();
            }
            writer.close_array(at, usize::from(len)).unwrap();
            let used = writer.used();
            let mut reader = Reader::new(&buffer[..used]);
            assert_eq!(reader.array(), Ok(usize::from(len)));
            for index in 0..len {
                assert_eq!(reader.uint(), Ok(u64::from(index & 0x7f)));
            }
            assert_eq!(reader.end(), Ok(()));
        }
    }
}
