//! Documents that are broken in one place: every one is refused, as malformed or unsupported.

use proptest::prelude::*;
use venues::uniswapx::decode;
use wire::Family;

use crate::document::{Dice, Node, Spelling, write};
use crate::families::{FAMILIES, random_document};

/// Integers as no grammar of this venue has them.
const BAD_INTEGERS: &[&str] = &[
    "\"\"",
    "\" 1\"",
    "\"1 \"",
    "\"01\"",
    "01",
    "\"+1\"",
    "+1",
    "1.0",
    "\"1.0\"",
    "1e3",
    "\"1e3\"",
    "\"1_000\"",
    "\"0x\"",
    "\"0x01\"",
    "\"0X1\"",
    "\"0xA\"",
    "\"-0x1\"",
    "\"-0\"",
    "\"0b1\"",
    "\"１\"",
    "null",
    "true",
    "[]",
    "{}",
    "\"115792089237316195423570985008687907853269984665640564039457584007913129639936\"",
    "115792089237316195423570985008687907853269984665640564039457584007913129639936",
];

/// Types that no field of these structs has.
const BAD_TYPES: &[&str] =
    &["uint", "uint128", "int256", "uint257", "string[]", "bytes32", "address payable", "X"];

#[derive(Clone, Copy, Debug)]
enum Mutation {
    Duplicate,
    DuplicateEscaped,
    Escape,
    Unknown,
    Missing,
    ForeignType,
    ForeignStruct,
    WrongNesting,
    BadInteger,
}

const MUTATIONS: &[Mutation] = &[
    Mutation::Duplicate,
    Mutation::DuplicateEscaped,
    Mutation::Escape,
    Mutation::Unknown,
    Mutation::Missing,
    Mutation::ForeignType,
    Mutation::ForeignStruct,
    Mutation::WrongNesting,
    Mutation::BadInteger,
];

/// Every node below `node` that `wanted` takes, itself included.
fn places<'n>(node: &'n mut Node, wanted: fn(&Node) -> bool, visit: &mut dyn FnMut(&'n mut Node)) {
    if wanted(node) {
        visit(node);
        return;
    }
    match node {
        Node::Object(members) => members.iter_mut().for_each(|(_, value)| places(value, wanted, visit)),
        Node::List(elements) => elements.iter_mut().for_each(|element| places(element, wanted, visit)),
        Node::Uint(_) | Node::Int(_) | Node::Address(_) | Node::Bytes(_) | Node::Text(_) | Node::Raw(_) => {}
    }
}

/// One of the objects of the document, at any depth.
fn random_object<'n>(node: &'n mut Node, dice: &mut Dice) -> &'n mut Vec<(String, Node)> {
    let Node::Object(members) = node else { unreachable!("a document is an object") };
    let inner: Vec<usize> = (0..members.len()).filter(|at| holds_object(&members[*at].1)).collect();
    if inner.is_empty() || dice.below(3) == 0 {
        return members;
    }
    let at = *dice.pick(&inner);
    match &mut members[at].1 {
        Node::List(elements) => {
            let at = usize::try_from(dice.below(elements.len() as u64)).unwrap();
            random_object(&mut elements[at], dice)
        }
        object @ (Node::Object(_)
        | Node::Uint(_)
        | Node::Int(_)
        | Node::Address(_)
        | Node::Bytes(_)
        | Node::Text(_)
        | Node::Raw(_)) => random_object(object, dice),
    }
}

fn holds_object(node: &Node) -> bool {
    match node {
        Node::Object(members) => !members.is_empty(),
        Node::List(elements) => elements.first().is_some_and(|first| matches!(first, Node::Object(_))),
        Node::Uint(_) | Node::Int(_) | Node::Address(_) | Node::Bytes(_) | Node::Text(_) | Node::Raw(_) => {
            false
        }
    }
}

fn escaped(name: &str) -> String {
    let first = name.bytes().next().unwrap();
    format!("\\u{first:04x}{}", &name[1..])
}

fn mutate(document: &mut Node, mutation: Mutation, dice: &mut Dice) {
    match mutation {
        Mutation::Duplicate | Mutation::DuplicateEscaped => {
            let members = random_object(document, dice);
            let (mut name, value) = dice.pick(members).clone();
            if matches!(mutation, Mutation::DuplicateEscaped) {
                name = escaped(&name);
            }
            members.push((name, value));
        }
        Mutation::Escape => {
            let members = random_object(document, dice);
            let at = usize::try_from(dice.below(members.len() as u64)).unwrap();
            members[at].0 = escaped(&members[at].0);
        }
        Mutation::Unknown => {
            let value = Node::Raw((*dice.pick(&["1", "\"x\"", "[]", "{}", "null"])).into());
            random_object(document, dice).push(("unheardOf".into(), value));
        }
        Mutation::Missing => {
            let members = random_object(document, dice);
            members.remove(usize::try_from(dice.below(members.len() as u64)).unwrap());
        }
        Mutation::ForeignType => {
            let fields = fields(document, dice);
            let at = usize::try_from(dice.below(fields.len() as u64)).unwrap();
            match dice.below(3) {
                0 => {
                    let Node::Object(field) = &mut fields[at] else { unreachable!() };
                    field[1].1 = Node::Text((*dice.pick(BAD_TYPES)).into());
                }
                1 => {
                    let Node::Object(field) = &mut fields[at] else { unreachable!() };
                    field[0].1 = Node::Text("another".into());
                }
                _ => {
                    let again = fields[at].clone();
                    fields.push(again);
                }
            }
        }
        Mutation::ForeignStruct => {
            let types = types(document);
            let again = dice.pick(types).1.clone();
            types.push(("Foreign".into(), again));
        }
        Mutation::WrongNesting => {
            let members = random_object(document, dice);
            let at = usize::try_from(dice.below(members.len() as u64)).unwrap();
            let inner = members[at].1.clone();
            members[at].1 = match dice.below(2) {
                0 => Node::List(vec![inner]),
                _ => Node::Object(vec![("inner".into(), inner)]),
            };
        }
        Mutation::BadInteger => {
            let mut found = Vec::new();
            places(document, |node| matches!(node, Node::Uint(_)), &mut |node| found.push(node));
            let at = usize::try_from(dice.below(found.len() as u64)).unwrap();
            *found[at] = Node::Raw((*dice.pick(BAD_INTEGERS)).into());
        }
    }
}

fn types(document: &mut Node) -> &mut Vec<(String, Node)> {
    let Node::Object(members) = document else { unreachable!() };
    let Node::Object(types) = &mut members[0].1 else { unreachable!() };
    types
}

/// The fields of a random struct type.
fn fields<'n>(document: &'n mut Node, dice: &mut Dice) -> &'n mut Vec<Node> {
    let types = types(document);
    let at = usize::try_from(dice.below(types.len() as u64)).unwrap();
    let Node::List(fields) = &mut types[at].1 else { unreachable!() };
    fields
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_document_that_is_broken_in_one_place_is_refused(
        seed in any::<u64>(),
        family in prop::sample::select(FAMILIES),
        mutation in prop::sample::select(MUTATIONS),
    ) {
        let mut dice = Dice(seed);
        let mut document = random_document(family, &mut dice);
        mutate(&mut document, mutation, &mut dice);
        let text = write(&document, Spelling::random(&mut dice), &mut dice);
        match decode(text.as_bytes()) {
            Ok(_) => prop_assert!(false, "decoded: {}", text),
            Err(why) => prop_assert!(
                matches!(why.refusal.family(), Family::Malformed | Family::Unsupported),
                "{:?} {}", why, text
            ),
        }
    }

    #[test]
    fn a_document_that_is_cut_or_followed_by_bytes_is_refused(
        seed in any::<u64>(),
        family in prop::sample::select(FAMILIES),
    ) {
        let mut dice = Dice(seed);
        let document = random_document(family, &mut dice);
        let text = write(&document, Spelling::random(&mut dice), &mut dice);
        let cut = usize::try_from(dice.below(text.len() as u64)).unwrap();
        prop_assert!(decode(&text.as_bytes()[..cut]).is_err());
        for whole in [text.clone() + "0", ["[", &text, "]"].concat()] {
            prop_assert!(decode(whole.as_bytes()).is_err());
        }
    }
}
