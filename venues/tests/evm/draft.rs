//! Writes payloads for the tests: a second, independent spelling of the encoding.

use venues::evm::Transaction;
use venues::{Address, U256};

/// One gwei in wei.
pub(crate) const GWEI: u64 = 1_000_000_000;

/// The fields of a transaction to be.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) chain_id: u64,
    pub(crate) nonce: u64,
    pub(crate) tip: U256,
    pub(crate) fee: U256,
    pub(crate) gas_limit: u64,
    pub(crate) to: Option<Address>,
    pub(crate) value: U256,
    pub(crate) data: Vec<u8>,
    /// Encoded items of the access list.
    pub(crate) access_list: Vec<u8>,
}

impl Draft {
    pub(crate) fn to(to: Address) -> Self {
        Self {
            chain_id: 1,
            nonce: 7,
            tip: U256::from(GWEI),
            fee: U256::from(30 * GWEI),
            gas_limit: 100_000,
            to: Some(to),
            value: U256::ZERO,
            data: Vec::new(),
            access_list: Vec::new(),
        }
    }

    /// A call of the function whose selector this is, with one word each.
    pub(crate) fn call(to: Address, selector: u32, words: &[U256]) -> Self {
        let mut data = selector.to_be_bytes().to_vec();
        for word in words {
            data.extend(word.to_be_bytes::<32>());
        }
        Self { data, ..Self::to(to) }
    }

    /// A call with arguments of any kind.
    pub(crate) fn call_with(to: Address, selector: u32, arguments: &[Arg]) -> Self {
        Self { data: call_data(selector, arguments), ..Self::to(to) }
    }

    pub(crate) fn of(transaction: &Transaction<'_>) -> Self {
        Self {
            chain_id: transaction.chain_id(),
            nonce: transaction.nonce(),
            tip: transaction.max_priority_fee_per_gas(),
            fee: transaction.max_fee_per_gas(),
            gas_limit: transaction.gas_limit(),
            to: transaction.to().copied(),
            value: transaction.value(),
            data: transaction.data().to_vec(),
            access_list: transaction.access_list().items().to_vec(),
        }
    }

    /// The nine fields, each encoded.
    pub(crate) fn fields(&self) -> [Vec<u8>; 9] {
        [
            integer(U256::from(self.chain_id)),
            integer(U256::from(self.nonce)),
            integer(self.tip),
            integer(self.fee),
            integer(U256::from(self.gas_limit)),
            bytes(self.to.as_ref().map_or(&[][..], |to| &to[..])),
            integer(self.value),
            bytes(&self.data),
            list(&[&self.access_list]),
        ]
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        envelope(&self.fields())
    }
}

/// An argument of a call.
#[derive(Clone)]
pub(crate) enum Arg {
    Word(U256),
    Bytes(Vec<u8>),
    Words(Vec<U256>),
    Pairs(Vec<[U256; 2]>),
    List(Vec<Vec<u8>>),
    /// A dynamic struct.
    Struct(Vec<Arg>),
}

pub(crate) fn call_data(selector: u32, arguments: &[Arg]) -> Vec<u8> {
    [&selector.to_be_bytes()[..], &arguments_of(arguments)].concat()
}

/// The head and the tail of arguments.
pub(crate) fn arguments_of(arguments: &[Arg]) -> Vec<u8> {
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    for argument in arguments {
        if let Arg::Word(word) = argument {
            head.extend(word.to_be_bytes::<32>());
            continue;
        }
        head.extend(words(&[U256::from(32 * arguments.len() + tail.len())]));
        match argument {
            Arg::Word(_) => {}
            Arg::Bytes(bytes) => tail.extend(padded(bytes)),
            Arg::Words(elements) => {
                tail.extend(words(&[U256::from(elements.len())]));
                tail.extend(words(elements));
            }
            Arg::Pairs(pairs) => {
                tail.extend(words(&[U256::from(pairs.len())]));
                tail.extend(words(&pairs.concat()));
            }
            Arg::List(elements) => {
                tail.extend(words(&[U256::from(elements.len())]));
                let elements: Vec<Arg> = elements.iter().cloned().map(Arg::Bytes).collect();
                tail.extend(arguments_of(&elements));
            }
            Arg::Struct(members) => tail.extend(arguments_of(members)),
        }
    }
    [head, tail].concat()
}

fn words(words: &[U256]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes::<32>()).collect()
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let padding = bytes.len().next_multiple_of(32) - bytes.len();
    [&words(&[U256::from(bytes.len())]), bytes, &vec![0; padding]].concat()
}

/// The type byte and the list of `fields`.
pub(crate) fn envelope(fields: &[Vec<u8>]) -> Vec<u8> {
    let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
    [vec![2], list(&fields)].concat()
}

pub(crate) fn integer(value: U256) -> Vec<u8> {
    bytes(&trimmed(value))
}

pub(crate) fn bytes(body: &[u8]) -> Vec<u8> {
    match body {
        [single] if *single < 0x80 => body.to_vec(),
        _ => [header(0x80, body.len()), body.to_vec()].concat(),
    }
}

pub(crate) fn list(items: &[&[u8]]) -> Vec<u8> {
    let body = items.concat();
    [header(0xc0, body.len()), body].concat()
}

/// One entry of an access list.
pub(crate) fn access_entry(address: &[u8], keys: &[&[u8]]) -> Vec<u8> {
    let keys: Vec<Vec<u8>> = keys.iter().map(|key| bytes(key)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    list(&[&bytes(address), &list(&keys)])
}

fn header(base: u8, size: usize) -> Vec<u8> {
    let length = trimmed(U256::from(size));
    if size < 56 {
        vec![base + u8::try_from(size).unwrap()]
    } else {
        [&[base + 55 + u8::try_from(length.len()).unwrap()], &length[..]].concat()
    }
}

/// An address as a word.
pub(crate) fn word(address: Address) -> U256 {
    U256::from_be_slice(&address)
}

fn trimmed(value: U256) -> Vec<u8> {
    let bytes = value.to_be_bytes::<32>();
    bytes.into_iter().skip_while(|byte| *byte == 0).collect()
}
