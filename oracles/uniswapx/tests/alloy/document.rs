//! JSON documents as trees, and the ways in which living clients write them.

use alloy_primitives::{Address, I256, U256};

/// A small generator of numbers (splitmix64): one seed, one document.
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub(crate) fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

/// A JSON value by what it means.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Uint(U256),
    Int(I256),
    Address(Address),
    Bytes(Vec<u8>),
    Text(String),
    Object(Vec<(String, Node)>),
    List(Vec<Node>),
    /// JSON as it is.
    Raw(String),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Integers {
    Bare,
    Text,
    Hexadecimal,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Case {
    Lower,
    Upper,
    Checksum,
}

/// How a document is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelling {
    pub(crate) integers: Integers,
    pub(crate) case: Case,
    /// What stands behind a colon or comma.
    pub(crate) gap: &'static str,
    /// Members in any order, or as declared.
    pub(crate) shuffled: bool,
}

/// What every library reads.
pub(crate) const PLAIN: Spelling =
    Spelling { integers: Integers::Text, case: Case::Lower, gap: "", shuffled: false };

impl Spelling {
    pub(crate) fn random(dice: &mut Dice) -> Self {
        Self {
            integers: *dice.pick(&[Integers::Bare, Integers::Text, Integers::Hexadecimal]),
            case: *dice.pick(&[Case::Lower, Case::Upper, Case::Checksum]),
            gap: *dice.pick(&["", " ", "\n\t  "]),
            shuffled: dice.below(2) == 0,
        }
    }
}

/// Writes `node`; member names stand as they are, escapes included.
pub(crate) fn write(node: &Node, spelling: Spelling, dice: &mut Dice) -> String {
    let mut text = String::new();
    put(node, spelling, dice, &mut text);
    text
}

fn put(node: &Node, spelling: Spelling, dice: &mut Dice, out: &mut String) {
    match node {
        Node::Raw(text) => out.push_str(text),
        Node::Text(text) => out.push_str(&format!("\"{text}\"")),
        Node::Uint(value) => out.push_str(&match spelling.integers {
            Integers::Bare => format!("{value}"),
            Integers::Text => format!("\"{value}\""),
            Integers::Hexadecimal => format!("\"{value:#x}\""),
        }),
        Node::Int(value) => out.push_str(&match spelling.integers {
            Integers::Bare => format!("{value}"),
            Integers::Hexadecimal if !value.is_negative() => format!("\"{:#x}\"", value.into_raw()),
            Integers::Text | Integers::Hexadecimal => format!("\"{value}\""),
        }),
        Node::Address(address) => out.push_str(&match spelling.case {
            Case::Lower => format!("\"{address:#x}\""),
            Case::Upper => format!("\"0x{}\"", format!("{address:x}").to_uppercase()),
            Case::Checksum => format!("\"{address}\""),
        }),
        Node::Bytes(bytes) => {
            out.push_str(&format!("\"{}\"", alloy_primitives::hex::encode_prefixed(bytes)));
        }
        Node::List(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(spelling.gap);
                put(element, spelling, dice, out);
            }
            out.push(']');
        }
        Node::Object(members) => {
            let mut members: Vec<&(String, Node)> = members.iter().collect();
            if spelling.shuffled {
                members.sort_by_cached_key(|_| dice.next());
            }
            out.push('{');
            for (at, (name, value)) in members.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(&format!("{}\"{name}\":{}", spelling.gap, spelling.gap));
                put(value, spelling, dice, out);
            }
            out.push('}');
        }
    }
}
