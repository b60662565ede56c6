//! An unsigned EIP-1559 transaction, walked item by item; call data word by word.

use std::hint::black_box;

use venues::U256;

/// The nine fields, the call data as a selector and words.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    pub(crate) chain_id: u64,
    pub(crate) nonce: u64,
    pub(crate) fees: [U256; 2],
    pub(crate) gas_limit: u64,
    pub(crate) to: &'a [u8],
    pub(crate) value: U256,
    pub(crate) selector: &'a [u8],
    pub(crate) access_list_size: usize,
}

/// Walks `02 ‖ rlp([...])`.
pub(crate) fn walk(payload: &[u8]) -> Option<Transaction<'_>> {
    let (_, rest) = item(payload.get(1..)?).map(|(list, rest)| (rest, list))?;
    let (chain_id, rest) = item(rest)?;
    let (nonce, rest) = item(rest)?;
    let (tip, rest) = item(rest)?;
    let (fee, rest) = item(rest)?;
    let (gas_limit, rest) = item(rest)?;
    let (to, rest) = item(rest)?;
    let (value, rest) = item(rest)?;
    let (data, rest) = item(rest)?;
    let (access_list, _) = item(rest)?;
    let selector = data.get(..4).unwrap_or(data);
    for word in data.get(4..).unwrap_or_default().chunks_exact(32) {
        black_box(U256::from_be_slice(word));
    }
    Some(Transaction {
        chain_id: short(chain_id),
        nonce: short(nonce),
        fees: [U256::from_be_slice(tip), U256::from_be_slice(fee)],
        gas_limit: short(gas_limit),
        to,
        value: U256::from_be_slice(value),
        selector,
        access_list_size: access_list.len(),
    })
}

/// The next item's payload and what follows the item.
fn item(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (head, rest) = bytes.split_first()?;
    match head {
        0..=0x7f => bytes.split_at_checked(1),
        0x80..=0xb7 => rest.split_at_checked(usize::from(head - 0x80)),
        0xc0..=0xf7 => rest.split_at_checked(usize::from(head - 0xc0)),
        0xb8..=0xbf => long(rest, usize::from(head - 0xb7)),
        0xf8..=0xff => long(rest, usize::from(head - 0xf7)),
    }
}

fn long(rest: &[u8], size_of_size: usize) -> Option<(&[u8], &[u8])> {
    let (size, rest) = rest.split_at_checked(size_of_size)?;
    rest.split_at_checked(usize::try_from(short(size)).ok()?)
}

fn short(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte))
}
