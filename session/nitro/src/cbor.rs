//! The part of CBOR (RFC 8949) that documents are written in: definite lengths in their shortest form, no floats, no tags
//! inside, no simple values but null. Nothing is copied and nothing recurses.

use crate::DocumentFault;

/// A head: the major type and its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    major: u8,
    argument: u64,
}

const UNSIGNED: u8 = 0;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;
const SIMPLE: u8 = 7;

/// The one byte of null.
const NULL: u8 = 0xf6;

/// Reads items one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'d> {
    rest: &'d [u8],
}

impl<'d> Reader<'d> {
    pub(crate) fn new(bytes: &'d [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Ends the reading.
    pub(crate) fn end(self) -> Result<(), DocumentFault> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(DocumentFault::TrailingBytes { size: self.rest.len() })
        }
    }

    /// The number of a tag, if one comes next.
    pub(crate) fn tag(&mut self) -> Result<Option<u64>, DocumentFault> {
        let is_tag = self.rest.first().is_some_and(|first| first >> 5 == TAG);
        if is_tag { self.head().map(|head| Some(head.argument)) } else { Ok(None) }
    }

    pub(crate) fn unsigned(&mut self) -> Result<u64, DocumentFault> {
        self.argument_of(UNSIGNED)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'d [u8], DocumentFault> {
        let size = self.argument_of(BYTES)?;
        self.take(size)
    }

    /// Bytes, or `None` for null.
    pub(crate) fn bytes_or_null(&mut self) -> Result<Option<&'d [u8]>, DocumentFault> {
        if let Some((&NULL, rest)) = self.rest.split_first() {
            self.rest = rest;
            return Ok(None);
        }
        self.bytes().map(Some)
    }

    pub(crate) fn text(&mut self) -> Result<&'d str, DocumentFault> {
        let size = self.argument_of(TEXT)?;
        str::from_utf8(self.take(size)?).map_err(|_| DocumentFault::TextNotUtf8)
    }

    /// How many items an array has.
    pub(crate) fn array(&mut self) -> Result<u64, DocumentFault> {
        self.argument_of(ARRAY)
    }

    /// How many pairs a map has.
    pub(crate) fn map(&mut self) -> Result<u64, DocumentFault> {
        self.argument_of(MAP)
    }

    fn argument_of(&mut self, major: u8) -> Result<u64, DocumentFault> {
        let head = self.head()?;
        if head.major == major {
            return Ok(head.argument);
        }
        Err(DocumentFault::TypeUnexpected { expected: major, found: head.major })
    }

    fn head(&mut self) -> Result<Head, DocumentFault> {
        let (first, rest) = self.rest.split_first().ok_or(DocumentFault::Truncated)?;
        self.rest = rest;
        let (major, information) = (first >> 5, first & 0x1f);
        let (argument, least) = match information {
            0..=23 => (information.into(), 0),
            24 => (u64::from_be_bytes(self.number::<1>()?), 24),
            25 => (u64::from_be_bytes(self.number::<2>()?), 1 << 8),
            26 => (u64::from_be_bytes(self.number::<4>()?), 1 << 16),
            27 => (u64::from_be_bytes(self.number::<8>()?), 1 << 32),
            31 => return Err(DocumentFault::LengthIndefinite),
            _ => return Err(DocumentFault::HeadReserved),
        };
        // Of the simple values none but null is read, and that is looked for before.
        if argument < least && major != SIMPLE {
            return Err(DocumentFault::NumberNotShortest);
        }
        Ok(Head { major, argument })
    }

    /// The next `N` bytes behind zeros.
    fn number<const N: usize>(&mut self) -> Result<[u8; 8], DocumentFault> {
        let (bytes, rest) = self.rest.split_at_checked(N).ok_or(DocumentFault::Truncated)?;
        self.rest = rest;
        let mut number = [0; 8];
        for (into, from) in number.iter_mut().rev().zip(bytes.iter().rev()) {
            *into = *from;
        }
        Ok(number)
    }

    fn take(&mut self, size: u64) -> Result<&'d [u8], DocumentFault> {
        let size = usize::try_from(size).map_err(|_| DocumentFault::Truncated)?;
        let (taken, rest) = self.rest.split_at_checked(size).ok_or(DocumentFault::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// Writes the head of an item, for the structure that is signed.
pub(crate) fn write_head(major: u8, argument: u64, into: &mut Vec<u8>) {
    let major = major << 5;
    match argument {
        0..=23 => into.push(major | argument.to_be_bytes()[7]),
        24..=0xff => into.extend([major | 24, argument.to_be_bytes()[7]]),
        0x100..=0xffff => {
            into.push(major | 25);
            into.extend_from_slice(&argument.to_be_bytes()[6..]);
        }
        _ => {
            into.push(major | 26);
            into.extend_from_slice(&argument.to_be_bytes()[4..]);
        }
    }
}

/// Writes bytes.
pub(crate) fn write_bytes(bytes: &[u8], into: &mut Vec<u8>) {
    write_head(BYTES, bytes.len() as u64, into);
    into.extend_from_slice(bytes);
}

/// Writes text.
pub(crate) fn write_text(text: &str, into: &mut Vec<u8>) {
    write_head(TEXT, text.len() as u64, into);
    into.extend_from_slice(text.as_bytes());
}

/// Writes the head of an array.
pub(crate) fn write_array(count: u64, into: &mut Vec<u8>) {
    write_head(ARRAY, count, into);
}
