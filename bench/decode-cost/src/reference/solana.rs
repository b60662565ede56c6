//! A Solana message, part by part; the data of Drift's instructions as an order where they hold one.

use std::hint::black_box;

/// How many instructions there are.
pub(crate) fn walk(payload: &[u8]) -> Option<usize> {
    let (size_of_message, rest) = payload.split_first_chunk::<2>()?;
    let (message, loaded) = rest.split_at_checked(usize::from(u16::from_le_bytes(*size_of_message)))?;
    for key in loaded.as_chunks::<32>().0 {
        black_box(key);
    }
    let mut rest = message;
    let is_v0 = *message.first()? == 0x80;
    if is_v0 {
        take(&mut rest, 1)?;
    }
    black_box(take(&mut rest, 3)?);
    let keys = size(&mut rest)?;
    let keys = take(&mut rest, 32 * keys)?.as_chunks::<32>().0;
    black_box(take(&mut rest, 32)?);
    let instructions = size(&mut rest)?;
    for _ in 0..instructions {
        instruction(&mut rest, keys)?;
    }
    if is_v0 {
        for _ in 0..size(&mut rest)? {
            black_box(take(&mut rest, 32)?);
            for _ in 0..2 {
                let indexes = size(&mut rest)?;
                black_box(take(&mut rest, indexes)?);
            }
        }
    }
    rest.is_empty().then_some(instructions)
}

fn instruction(rest: &mut &[u8], keys: &[[u8; 32]]) -> Option<()> {
    let program = keys.get(usize::from(*take(rest, 1)?.first()?))?;
    let accounts = size(rest)?;
    for account in take(rest, accounts)? {
        black_box(keys.get(usize::from(*account)));
    }
    let data = size(rest)?;
    let data = take(rest, data)?;
    black_box(program);
    if let Some((discriminator, arguments)) = data.split_first_chunk::<8>() {
        black_box(u64::from_le_bytes(*discriminator));
        black_box(order(arguments));
    }
    Some(())
}

/// The fields of an order that always stand at the same place, and the options behind them.
fn order(arguments: &[u8]) -> Option<(u64, u64, u16)> {
    let mut rest = arguments;
    black_box(take(&mut rest, 4)?);
    let base = u64::from_le_bytes(take(&mut rest, 8)?.try_into().ok()?);
    let price = u64::from_le_bytes(take(&mut rest, 8)?.try_into().ok()?);
    let market = u16::from_le_bytes(take(&mut rest, 2)?.try_into().ok()?);
    black_box(take(&mut rest, 3)?);
    for size in [8, 8] {
        option(&mut rest, size)?;
    }
    black_box(take(&mut rest, 1)?);
    for size in [4, 1, 8, 8] {
        option(&mut rest, size)?;
    }
    Some((base, price, market))
}

fn option(rest: &mut &[u8], size: usize) -> Option<()> {
    if *take(rest, 1)?.first()? == 1 {
        black_box(take(rest, size)?);
    }
    Some(())
}

fn take<'a>(rest: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(size)?;
    *rest = after;
    Some(taken)
}

/// A compact-u16.
fn size(rest: &mut &[u8]) -> Option<usize> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *take(rest, 1)?.first()?;
        value |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
}
