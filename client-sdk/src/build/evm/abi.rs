//! Canonical ABI encoding of call data (Solidity contract ABI specification).

use venues::{Address, U256};

/// An argument.
pub(super) enum Arg<'a> {
    Word(U256),
    Bytes(&'a [u8]),
    Words(Vec<U256>),
    /// `(address, address)[]`
    Pairs(Vec<[U256; 2]>),
    /// `bytes[]`
    List(&'a [Vec<u8>]),
    /// A struct with dynamic members.
    Struct(Vec<Arg<'a>>),
}

impl From<U256> for Arg<'_> {
    fn from(word: U256) -> Self {
        Self::Word(word)
    }
}

impl From<u64> for Arg<'_> {
    fn from(word: u64) -> Self {
        Self::Word(U256::from(word))
    }
}

impl From<&Address> for Arg<'_> {
    fn from(address: &Address) -> Self {
        Self::Word(address_word(address))
    }
}

pub(super) fn address_word(address: &Address) -> U256 {
    U256::from_be_slice(address)
}

/// A selector and its arguments.
pub(super) fn call_data(selector: [u8; 4], arguments: &[Arg<'_>]) -> Vec<u8> {
    let mut data = selector.to_vec();
    data.extend(encode(arguments));
    data
}

/// Arguments without a selector.
pub(super) fn encode(arguments: &[Arg<'_>]) -> Vec<u8> {
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    let head_size = 32 * arguments.len();
    for argument in arguments {
        if let Arg::Word(word) = argument {
            put_word(&mut head, *word);
            continue;
        }
        put_word(&mut head, U256::from(head_size + tail.len()));
        put_dynamic(&mut tail, argument);
    }
    head.extend(tail);
    head
}

fn put_dynamic(out: &mut Vec<u8>, argument: &Arg<'_>) {
    match argument {
        Arg::Word(word) => put_word(out, *word),
        Arg::Bytes(bytes) => {
            put_word(out, U256::from(bytes.len()));
            out.extend(*bytes);
            out.resize(out.len() + (bytes.len().next_multiple_of(32) - bytes.len()), 0);
        }
        Arg::Words(words) => {
            put_word(out, U256::from(words.len()));
            words.iter().for_each(|word| put_word(out, *word));
        }
        Arg::Pairs(pairs) => {
            put_word(out, U256::from(pairs.len()));
            pairs.iter().flatten().for_each(|word| put_word(out, *word));
        }
        Arg::List(elements) => {
            put_word(out, U256::from(elements.len()));
            let elements: Vec<Arg<'_>> = elements.iter().map(|element| Arg::Bytes(element)).collect();
            out.extend(encode(&elements));
        }
        Arg::Struct(members) => out.extend(encode(members)),
    }
}

fn put_word(out: &mut Vec<u8>, word: U256) {
    out.extend(word.to_be_bytes::<32>());
}
