//! Every book in `policies/book` has cases, and they hold.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use cases::{Suite, limits};

/// Fewest cases of a desk that is an example to start from.
const CASES_MIN: usize = 12;

/// Desks that are no example: the demo's cases are the demo's requests.
const DEMO: &str = "demo";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book")
}

/// The desks' files.
fn books() -> Vec<PathBuf> {
    let paths = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let is_book = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.ends_with(".toml") && !name.ends_with(".cases.toml") && name != "Cargo.toml"
    };
    let mut books: Vec<_> = paths.filter(is_book).collect();
    books.sort();
    books
}

fn desk(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

fn suite(book: &Path) -> Suite {
    let path = book.with_extension("cases.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Suite::read(&text).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
}

#[test]
fn every_book_has_cases_and_they_hold() {
    let books = books();
    for name in ["demo", "hyperliquid-maker", "polymarket-maker", "uniswapx-swapper", "drift-bot"] {
        assert!(books.iter().any(|book| desk(book) == name), "{name}");
    }
    for path in books {
        let text = fs::read_to_string(&path).unwrap();
        let shown = format!("policies/book/{}.toml", desk(&path));
        let book = compile::compile_desk(&shown, &text).unwrap_or_else(|faults| panic!("{faults:#?}"));
        let verdicts = suite(&path).run(book).unwrap_or_else(|fault| panic!("{shown}: {fault}"));
        let failed: Vec<_> = verdicts.iter().filter(|verdict| !verdict.passed).collect();
        assert!(failed.is_empty(), "{shown}: {failed:#?}");
    }
}

#[test]
fn every_case_file_has_its_book() {
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if let Some(desk) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".cases.toml") {
            assert!(folder().join(format!("{desk}.toml")).exists(), "{desk}");
        }
    }
}

#[test]
fn the_examples_have_many_cases_of_both_kinds_and_hold_every_limit() {
    for path in books().iter().filter(|path| desk(path) != DEMO) {
        let suite = suite(path);
        let signed = suite.len() - suite.denials();
        assert!(
            suite.len() >= CASES_MIN && suite.denials() >= CASES_MIN / 2 && signed >= 3,
            "{}",
            desk(path)
        );
        let text = fs::read_to_string(path).unwrap();
        let limits = limits(&desk(path), &text, &suite).unwrap();
        let uncovered: Vec<_> = limits.iter().filter(|limit| limit.is_uncovered()).collect();
        assert!(uncovered.is_empty(), "{}: no case holds {uncovered:#?}", desk(path));
    }
}
