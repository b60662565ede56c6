//! `policies/REFERENCE.md` is made from what the code does: which keys a table has, what they take and which faults they
//! give is asked of the compiler, what they are of the documentation of the book's types, and what they refuse of the
//! desks' cases. `UPDATE_DOCS=1 cargo test -p cases --test reference` writes it anew.
//!
//! A key that no desk and not `every_key.toml` uses fails the test: nothing could be said about it.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod documentation;
mod key;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use cases::{Suite, limits};
use compile::Rule;

use compiler::Compiler;
use documentation::Documentation;
use key::Key;

const DESKS: [&str; 5] = ["demo", "hyperliquid-maker", "polymarket-maker", "uniswapx-swapper", "drift-bot"];

const HEAD: &str = "# Reference of the book file

Every table and key of a desk's book. Made from the code by `UPDATE_DOCS=1 cargo test -p cases --test reference`; a test
compares the two. How to write a book, and why, is in [README.md](README.md).

- **takes**: how the value is written; the README says how numbers, decimals and addresses are. Limits of size are those
  of the type and, where there are closer ones, theirs.
- **left out**: *mandatory*; *optional*, which grants nothing unless it says so; or the fault that a book gives without it.
- **what it is**: of the type that the vault holds, in its unit; a decimal is written in whole units: 1.5, where the
  vault holds 1,500,000 of 10^-6.
- **faults**: what the compiler was seen to refuse it with, beside `unknown-key`, `wrong-type` and `float`, which every key
  can give. The rules are at the end.
- **refuses with**: what the desks' cases show that payloads beyond it are refused with.
";

#[test]
fn the_reference_is_what_the_code_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../REFERENCE.md");
    let rendered = render();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path, &rendered).unwrap();
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    assert!(committed == rendered, "policies/REFERENCE.md differs; UPDATE_DOCS=1 writes it anew");
}

fn desk(name: &str, ending: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../book/{name}{ending}"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn render() -> String {
    let books: Vec<_> = DESKS.iter().map(|name| desk(name, ".toml")).collect();
    let more = include_str!("every_key.toml");
    let texts: Vec<_> = books.iter().map(String::as_str).chain([more]).collect();
    let compiler = Compiler::new(&texts);
    let documentation = Documentation::new(&texts);
    let mut reference = Reference { compiler, documentation, refusals: refusals(), text: HEAD.to_owned() };
    reference.table("", documentation::BOOK);
    reference.documentation.assert_all_used();
    reference.rules();
    reference.text
}

/// By table and key, what the desks' cases are refused with.
fn refusals() -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut refusals: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for name in DESKS {
        let suite = Suite::read(&desk(name, ".cases.toml")).unwrap();
        for limit in limits(name, &desk(name, ".toml"), &suite).unwrap() {
            refusals.entry((limit.table, limit.key)).or_default().extend(limit.refusals.unwrap_or_default());
        }
    }
    refusals
}

struct Reference {
    compiler: Compiler,
    documentation: Documentation,
    refusals: BTreeMap<(String, String), BTreeSet<String>>,
    text: String,
}

impl Reference {
    /// A table's section, and those of the tables in it behind it. `path` is its type in the book.
    fn table(&mut self, table: &str, path: &'static str) {
        let is_list = self.compiler.is_list(table);
        let title = match (table, is_list) {
            ("", _) => "the file".to_owned(),
            (table, true) => format!("`[[{table}]]`"),
            (table, false) => format!("`[{table}]`"),
        };
        let about = self.documentation.of_type(path);
        let about = if about.is_empty() { about } else { format!("{about}\n\n") };
        write!(self.text, "\n## {title}\n\n{about}").unwrap();
        self.text.push_str(
            "| key | takes | left out | what it is | faults | refuses with |\n|---|---|---|---|---|---|\n",
        );
        let mut inner = Vec::new();
        for name in self.compiler.keys(table) {
            let key = Key::learn(&self.compiler, table, &name);
            let (about, child) = self.documentation.of_key(table, path, &name);
            let refusals = self.refusals.get(&(table.to_owned(), name.clone()));
            let refusals = refusals.into_iter().flatten().map(|name| format!("`{name}`"));
            let faults = key.faults.iter().map(|rule| format!("`{rule}`"));
            writeln!(
                self.text,
                "| `{name}` | {} | {} | {about} | {} | {} |",
                key.takes,
                key.left_out,
                faults.collect::<Vec<_>>().join(", "),
                refusals.collect::<Vec<_>>().join(", "),
            )
            .unwrap();
            if key.has_table {
                let table = if table.is_empty() { name } else { format!("{table}.{name}") };
                inner.push((table, child));
            }
        }
        for (table, path) in inner {
            self.table(&table, path);
        }
    }

    fn rules(&mut self) {
        self.text.push_str(
            "\n## Faults\n\nShown as `file:line:column: [rule] message`, all of a file at once.\n\n| rule | what is wrong |\n|---|---|\n",
        );
        for rule in Rule::ALL {
            writeln!(self.text, "| `{rule}` | {} |", documentation::sentence(rule.explanation())).unwrap();
        }
    }
}
