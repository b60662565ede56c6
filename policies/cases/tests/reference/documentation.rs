//! What keys are, as the types of the book document their fields.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use book::Book;
use compile::tree::Node;
use venues::book_value::{BookValue as _, Described};

/// The type of the whole book.
pub(crate) const BOOK: &str = "::book::Book";

/// Keys that are no field of the book under their name, by the last part of their table: what they are.
const OTHERS: &[(&str, &str, &str)] = &[
    (
        "public_key",
        "ed25519",
        "Ed25519 (RFC 8032), in base 58 or as 0x and 64 digits: operators, and slots for Solana.",
    ),
    ("public_key", "secp256k1", "A compressed point, 0x and 66 digits: slots for the other venues."),
    ("public_key", "x25519", "X25519 (RFC 7748), 0x and 64 digits: the key of a session."),
    ("approve_builder_fee", "rate_percent_max", "Largest rate, percent."),
    ("programs", "sub_accounts", "Sub-accounts of the slot's own key; their user accounts are derived."),
    ("markets", "base_decimals", "Decimals of a spot market's token. A perpetual has 9 and does not say so."),
    ("collateral", "decimals", "Decimals of the spot market's token."),
    (
        "withdraw",
        "own_account_of_mint",
        "A mint whose associated token account of the slot's own key, which is derived, is a destination.",
    ),
    ("swift", "margin_ratio_min", "Lowest margin ratio that a text may set, 10^-4; with `margin_ratio_max`."),
    (
        "swift",
        "margin_ratio_max",
        "Highest margin ratio that a text may set, 10^-4; with `margin_ratio_min`.",
    ),
];

pub(crate) struct Documentation {
    types: BTreeMap<&'static str, &'static Described>,
    /// The type of a field that holds a struct or a list of structs.
    inner: BTreeMap<(&'static str, &'static str), &'static str>,
    used: RefCell<BTreeSet<(&'static str, &'static str)>>,
}

impl Documentation {
    pub(crate) fn new(texts: &[&str]) -> Self {
        let mut types = BTreeMap::new();
        Book::describe(&mut |described| {
            types.insert(described.path, described);
        });
        let mut inner = BTreeMap::new();
        for text in texts {
            learn(&Node::of(compile::compile("book", text).unwrap()), &mut inner);
        }
        Self { types, inner, used: RefCell::default() }
    }

    /// What a type is.
    pub(crate) fn of_type(&self, path: &str) -> String {
        self.types.get(path).map(|described| sentence(described.doc)).unwrap_or_default()
    }

    /// What a key of a table of this type is, and the type of the table that it is, if it is one.
    pub(crate) fn of_key(&self, table: &str, path: &'static str, key: &str) -> (String, &'static str) {
        let end = table.rsplit('.').next().unwrap_or_default();
        if let Some((of, name, said)) = OTHERS.iter().find(|(of, name, _)| *of == end && *name == key) {
            self.used.borrow_mut().insert((of, name));
            return ((*said).to_owned(), "");
        }
        let found = self.field(path, key);
        let (owner, field, doc) = found.unwrap_or_else(|| {
            panic!("nothing says what {key} in {table:?} is: say it in tests/reference/documentation.rs")
        });
        (sentence(doc), self.inner.get(&(owner, field)).copied().unwrap_or_default())
    }

    /// The field of that name in a struct or in one of its structs; the unit at a field's end may be left out.
    fn field(&self, path: &'static str, key: &str) -> Option<(&'static str, &'static str, &'static str)> {
        let described = self.types.get(path)?;
        let is_named = |name: &str| name == key || name.strip_suffix("_ms") == Some(key);
        if let Some((field, doc)) = described.members.iter().find(|(name, _)| is_named(name)) {
            return Some((described.path, *field, *doc));
        }
        described
            .members
            .iter()
            .find_map(|(name, _)| self.field(self.inner.get(&(described.path, *name))?, key))
    }

    /// What is said here about keys that are gone is no documentation.
    pub(crate) fn assert_all_used(&self) {
        let used = self.used.borrow();
        let unused: Vec<_> = OTHERS.iter().filter(|(of, key, _)| !used.contains(&(*of, *key))).collect();
        assert!(unused.is_empty(), "{unused:?}");
    }
}

fn learn(node: &Node, inner: &mut BTreeMap<(&'static str, &'static str), &'static str>) {
    if let Node::List(elements) = node {
        elements.iter().for_each(|element| learn(element, inner));
    }
    if let Node::Struct(path, fields) = node {
        for (field, value) in fields {
            let of = if let Node::List(elements) = value { elements.first() } else { Some(value) };
            if let Some(Node::Struct(of, _)) = of {
                inner.insert((path, field), of);
            }
            learn(value, inner);
        }
    }
}

/// Documentation as one table cell: links of the source lose their brackets, bars are escaped.
pub(crate) fn sentence(doc: &str) -> String {
    doc.trim().replace("[`", "`").replace("`]", "`").replace('|', "\\|").replace('\n', " ")
}
