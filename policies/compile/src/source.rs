//! Const Rust source of a book: what the build script of `policies` writes and the enclave is built from.

use core::fmt::Write;

use book::{Book, policy_hash};
use venues::U256;
use venues::book_value::{BookValue, BookVisitor};

/// A module that holds `BOOK` and its `POLICY_HASH`.
#[must_use]
pub fn module(book: &Book<'_>) -> String {
    let hash = policy_hash(book);
    format!(
        "/// The book of this build.\n\
         pub static BOOK: ::book::Book<'static> = {};\n\n\
         /// The policy hash of [`BOOK`].\n\
         pub static POLICY_HASH: [u8; 32] = {hash:?};\n",
        expression(book)
    )
}

/// A const expression that gives the same value. Paths are absolute; the crate it stands in needs `book` and
/// `venues`.
#[must_use]
pub fn expression(value: &dyn BookValue) -> String {
    let mut source = Source::default();
    value.visit(&mut source);
    source.text.truncate(source.text.trim_end_matches([',', '\n']).len());
    source.text
}

/// Writes every value followed by a comma, which Rust takes in structs, lists and calls alike.
#[derive(Default)]
struct Source {
    text: String,
    depth: usize,
    /// Whether a field's name stands on this line already.
    in_line: bool,
}

impl Source {
    fn begin(&mut self, text: &str) {
        if !core::mem::take(&mut self.in_line) {
            self.text.extend(core::iter::repeat_n("    ", self.depth));
        }
        self.text.push_str(text);
    }

    fn open(&mut self, text: &str) {
        self.begin(text);
        self.text.push('\n');
        self.depth += 1;
    }

    fn close(&mut self, text: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.leaf(text);
    }

    fn leaf(&mut self, text: &str) {
        self.begin(text);
        self.text.push_str(",\n");
    }
}

impl BookVisitor for Source {
    fn open_struct(&mut self, path: &'static str) {
        self.open(&format!("{path} {{"));
    }

    fn field(&mut self, name: &'static str) {
        self.begin(name);
        self.text.push_str(": ");
        self.in_line = true;
    }

    fn close_struct(&mut self) {
        self.close("}");
    }

    fn open_list(&mut self, _len: usize) {
        self.open("&[");
    }

    fn close_list(&mut self) {
        self.close("]");
    }

    fn open_some(&mut self) {
        self.open("::core::option::Option::Some(");
    }

    fn close_some(&mut self) {
        self.close(")");
    }

    fn none(&mut self) {
        self.leaf("::core::option::Option::None");
    }

    fn flag(&mut self, value: bool) {
        self.leaf(if value { "true" } else { "false" });
    }

    fn uint(&mut self, value: u128) {
        self.leaf(&value.to_string());
    }

    fn uint256(&mut self, value: &U256) {
        self.leaf(&format!("::venues::U256::from_limbs({:?})", value.as_limbs()));
    }

    fn bytes(&mut self, value: &[u8]) {
        let mut text = String::from("[");
        for byte in value {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:#04x}, ");
        }
        self.leaf(&format!("{}]", text.trim_end_matches(", ")));
    }

    fn text(&mut self, value: &str) {
        self.leaf(&format!("{value:?}"));
    }

    fn any(&mut self) {
        self.leaf("::venues::book_value::AnyOr::Any");
    }

    fn open_listed(&mut self) {
        self.open("::venues::book_value::AnyOr::Listed(");
    }

    fn close_listed(&mut self) {
        self.close(")");
    }

    fn variant(&mut self, path: &'static str, _number: u8) {
        self.leaf(path);
    }
}
