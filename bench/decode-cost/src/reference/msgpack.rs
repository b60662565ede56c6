//! The msgpack of a Hyperliquid action behind its envelope, value by value.

use std::hint::black_box;

use venues::hyperliquid::Envelope;

/// How many values there are.
pub(crate) fn walk(payload: &[u8]) -> Option<usize> {
    let (envelope, _, action) = Envelope::read(payload).ok()?;
    black_box(envelope);
    let mut rest = action;
    value(&mut rest)
}

fn value(rest: &mut &[u8]) -> Option<usize> {
    let (head, after) = rest.split_first()?;
    *rest = after;
    match head {
        0x00..=0x7f | 0xe0..=0xff => black_box(Some(1)),
        0x80..=0x8f => values(rest, 2 * u64::from(head & 0x0f)),
        0x90..=0x9f => values(rest, u64::from(head & 0x0f)),
        0xa0..=0xbf => text(rest, u64::from(head & 0x1f)),
        0xc0 | 0xc2 | 0xc3 => Some(1),
        0xcc => uint(rest, 1).map(|_| 1),
        0xcd => uint(rest, 2).map(|_| 1),
        0xce => uint(rest, 4).map(|_| 1),
        0xcf => uint(rest, 8).map(|_| 1),
        0xd9 => uint(rest, 1).and_then(|size| text(rest, size)),
        0xdc => uint(rest, 2).and_then(|len| values(rest, len)),
        0xde => uint(rest, 2).and_then(|len| values(rest, 2 * len)),
        _ => None,
    }
}

fn values(rest: &mut &[u8], len: u64) -> Option<usize> {
    let mut seen = 1;
    for _ in 0..len {
        seen += value(rest)?;
    }
    Some(seen)
}

fn text(rest: &mut &[u8], size: u64) -> Option<usize> {
    let (text, after) = rest.split_at_checked(usize::try_from(size).ok()?)?;
    *rest = after;
    black_box(std::str::from_utf8(text).ok()?);
    Some(1)
}

fn uint(rest: &mut &[u8], size: usize) -> Option<u64> {
    let (bytes, after) = rest.split_at_checked(size)?;
    *rest = after;
    Some(black_box(bytes.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte))))
}
