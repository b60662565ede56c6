//! A compiled book as a tree of named values, for what looks at two books at once.
//!
//! The tree is made by the same walk as the canonical bytes behind the policy hash, so two books have the same tree exactly
//! when they have the same hash; it knows no part of a book by name, and new parts appear in it by themselves.

use book::Book;
use venues::U256;
use venues::book_value::{BookValue, BookVisitor};

/// A value of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A struct: its Rust path and its fields in their order.
    Struct(&'static str, Vec<(&'static str, Node)>),
    /// A list.
    List(Vec<Node>),
    /// A list left open by the word "any".
    Any,
    /// A grant or limit that is not there.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(U256),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Text.
    Text(String),
    /// A word of a list of words: the full path of its variant.
    Word(&'static str),
}

impl Node {
    /// The tree of a book.
    #[must_use]
    pub fn of(book: &Book<'_>) -> Self {
        let mut planter = Planter { open: Vec::new(), done: Self::Nothing };
        book.visit(&mut planter);
        planter.done
    }

    /// The value of a field of this struct.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Struct(_, fields) => fields.iter().find(|(field, _)| *field == name).map(|(_, node)| node),
            Self::List(_)
            | Self::Any
            | Self::Nothing
            | Self::Flag(_)
            | Self::Number(_)
            | Self::Bytes(_)
            | Self::Text(_)
            | Self::Word(_) => None,
        }
    }
}

/// What has begun and not ended.
enum Open {
    Struct(&'static str, Vec<(&'static str, Node)>, &'static str),
    List(Vec<Node>),
}

struct Planter {
    open: Vec<Open>,
    done: Node,
}

impl Planter {
    fn put(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(Open::Struct(_, fields, field)) => fields.push((*field, node)),
            Some(Open::List(nodes)) => nodes.push(node),
            None => self.done = node,
        }
    }
}

impl BookVisitor for Planter {
    fn open_struct(&mut self, path: &'static str) {
        self.open.push(Open::Struct(path, Vec::new(), ""));
    }

    fn field(&mut self, name: &'static str) {
        if let Some(Open::Struct(_, _, field)) = self.open.last_mut() {
            *field = name;
        }
    }

    fn close_struct(&mut self) {
        if let Some(Open::Struct(path, fields, _)) = self.open.pop() {
            self.put(Node::Struct(path, fields));
        }
    }

    fn open_list(&mut self, _len: usize) {
        self.open.push(Open::List(Vec::new()));
    }

    fn close_list(&mut self) {
        if let Some(Open::List(nodes)) = self.open.pop() {
            self.put(Node::List(nodes));
        }
    }

    fn open_some(&mut self) {}

    fn close_some(&mut self) {}

    fn none(&mut self) {
        self.put(Node::Nothing);
    }

    fn flag(&mut self, value: bool) {
        self.put(Node::Flag(value));
    }

    fn uint(&mut self, value: u128) {
        self.put(Node::Number(U256::from(value)));
    }

    fn uint256(&mut self, value: &U256) {
        self.put(Node::Number(*value));
    }

    fn bytes(&mut self, value: &[u8]) {
        self.put(Node::Bytes(value.to_vec()));
    }

    fn text(&mut self, value: &str) {
        self.put(Node::Text(value.to_owned()));
    }

    fn any(&mut self) {
        self.put(Node::Any);
    }

    fn open_listed(&mut self) {}

    fn close_listed(&mut self) {}

    fn variant(&mut self, path: &'static str, _number: u8) {
        self.put(Node::Word(path));
    }
}
