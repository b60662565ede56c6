//! A reader of canonical call data (Solidity contract ABI specification, formal encoding).
//!
//! ```text
//! static   address  twelve 00, 20 bytes       uintN  zeros above the value       bool  0 or 1
//! dynamic  the head holds an offset, counted from where the head begins; the value stands in the tail:
//!          bytes    length word, the bytes, 00 up to a whole word
//!          T[]      length word, one word each
//!          bytes[]  length word, one offset each (counted from behind the length), the elements
//! ```
//!
//! Guarantees: values follow one another without gaps, in the order of their offsets, and nothing is behind
//! the last one, so equal values mean equal bytes and no byte is unread; every step moves forward.
//! Refuses: dirty upper bytes, offsets that point back, ahead or outside, dirty padding, trailing words. The EVM
//! itself is laxer, which is why a known selector with other words is told apart and never signed.

use crate::{Address, U256};

/// A 32-byte word of call data.
pub(super) type Word = [u8; 32];

const WORD_SIZE: usize = size_of::<Word>();

/// The words of arguments that are all static.
pub(super) fn read_words<const N: usize>(arguments: &[u8]) -> Option<&[Word; N]> {
    let (words, loose) = arguments.as_chunks::<WORD_SIZE>();
    if loose.is_empty() { words.try_into().ok() } else { None }
}

/// Arguments with dynamic ones among them: the `N` words of the head, and the tail.
pub(super) fn open<const N: usize>(arguments: &[u8]) -> Option<(&[Word; N], Tail<'_>)> {
    let (words, _) = arguments.as_chunks::<WORD_SIZE>();
    let head = words.first_chunk::<N>()?;
    let offset = N.checked_mul(WORD_SIZE)?;
    Some((head, Tail { rest: arguments.get(offset..)?, offset }))
}

/// What a function whose only argument is a dynamic struct holds: the struct, from its own head on.
pub(super) fn open_struct<const N: usize>(arguments: &[u8]) -> Option<(&[Word; N], Tail<'_>)> {
    let ([offset], tail) = open::<1>(arguments)?;
    if read_size(offset)? != tail.offset {
        return None;
    }
    open(tail.rest)
}

/// The dynamic values behind a head, read in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail<'f> {
    rest: &'f [u8],
    /// Where `rest` begins, counted from where the head begins.
    offset: usize,
}

impl<'f> Tail<'f> {
    /// The `bytes` that `offset` points to.
    pub(super) fn bytes(&mut self, offset: &Word) -> Option<&'f [u8]> {
        let size = self.length(offset)?;
        let bytes = self.take(size)?;
        let padding = size.checked_next_multiple_of(WORD_SIZE)?.checked_sub(size)?;
        let padding = self.take(padding)?;
        padding.iter().all(|byte| *byte == 0).then_some(bytes)
    }

    /// The array of one-word elements that `offset` points to; the words are not looked at.
    pub(super) fn words(&mut self, offset: &Word) -> Option<&'f [Word]> {
        let count = self.length(offset)?;
        let (words, _) = self.take(count.checked_mul(WORD_SIZE)?)?.as_chunks::<WORD_SIZE>();
        Some(words)
    }

    /// The array of two-word elements that `offset` points to, as words; they are not looked at.
    pub(super) fn word_pairs(&mut self, offset: &Word) -> Option<&'f [Word]> {
        let count = self.length(offset)?.checked_mul(2)?;
        let (words, _) = self.take(count.checked_mul(WORD_SIZE)?)?.as_chunks::<WORD_SIZE>();
        Some(words)
    }

    /// The `bytes[]` that `offset` points to, every element checked.
    pub(super) fn bytes_list(&mut self, offset: &Word) -> Option<BytesList<'f>> {
        let count = self.length(offset)?;
        let heads_size = count.checked_mul(WORD_SIZE)?;
        let (heads, elements) = self.rest.split_at_checked(heads_size)?;
        let (heads, _) = heads.as_chunks::<WORD_SIZE>();
        let mut tail = Tail { rest: elements, offset: heads_size };
        for head in heads {
            tail.bytes(head)?;
        }
        let read = elements.len().checked_sub(tail.rest.len())?;
        self.take(heads_size.checked_add(read)?)?;
        Some(BytesList { count, elements })
    }

    /// Nothing is left.
    pub(super) fn close(self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }

    /// The length word that `offset` points to, which must be the next one.
    fn length(&mut self, offset: &Word) -> Option<usize> {
        if read_size(offset)? != self.offset {
            return None;
        }
        read_size(self.take(WORD_SIZE)?.first_chunk()?)
    }

    fn take(&mut self, size: usize) -> Option<&'f [u8]> {
        let (taken, rest) = self.rest.split_at_checked(size)?;
        self.rest = rest;
        self.offset = self.offset.checked_add(size)?;
        Some(taken)
    }
}

/// The elements of a `bytes[]` that was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BytesList<'f> {
    count: usize,
    elements: &'f [u8],
}

impl<'f> BytesList<'f> {
    pub(super) const fn len(&self) -> usize {
        self.count
    }
}

impl<'f> Iterator for BytesList<'f> {
    type Item = &'f [u8];

    fn next(&mut self) -> Option<&'f [u8]> {
        self.count = self.count.checked_sub(1)?;
        let (length, rest) = self.elements.split_first_chunk::<WORD_SIZE>()?;
        let (element, _) = rest.split_at_checked(read_size(length)?)?;
        self.elements = rest.get(element.len().checked_next_multiple_of(WORD_SIZE)?..)?;
        Some(element)
    }
}

/// A length or an offset.
fn read_size(word: &Word) -> Option<usize> {
    usize::try_from(read_uint::<8>(word)?).ok()
}

pub(super) fn read_address(word: &Word) -> Option<&Address> {
    let (zeros, address) = word.split_first_chunk::<12>()?;
    if zeros != &[0; 12] {
        return None;
    }
    address.first_chunk()
}

/// An unsigned integer of `SIZE` bytes, at most 8.
pub(super) fn read_uint<const SIZE: usize>(word: &Word) -> Option<u64> {
    let (zeros, value) = word.split_last_chunk::<8>()?;
    let value = u64::from_be_bytes(*value);
    let fits = SIZE >= 8 || value >> (8 * SIZE) == 0;
    (zeros == [0; 24] && fits).then_some(value)
}

pub(super) fn read_uint24(word: &Word) -> Option<u32> {
    u32::try_from(read_uint::<3>(word)?).ok()
}

/// A uint160 has the shape of an address.
pub(super) fn read_uint160(word: &Word) -> Option<U256> {
    read_address(word)?;
    Some(read_uint256(word))
}

pub(super) fn read_bool(word: &Word) -> Option<bool> {
    match read_uint::<1>(word)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

pub(super) fn read_uint256(word: &Word) -> U256 {
    U256::from_be_bytes(*word)
}
