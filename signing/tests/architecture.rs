//! The table "What does not compile" of ARCHITECTURE.md names its tests; they are there, and none is left out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose doctests the table is about.
const DOCUMENTED: [&str; 4] = ["venues/src", "policies/src", "signing/src", "policies/book/src"];

/// What the enclave links of ours.
const LINKED: [&str; 6] =
    ["wire/src", "venues/src", "policies/src", "policies/book/src", "signing/src", "enclave/src"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the table: wish, and what it is held by.
fn rows() -> Vec<(String, String)> {
    let document = text("ARCHITECTURE.md");
    let (_, table) = document.split_once("### What does not compile").expect("the section");
    let (table, _) = table.split_once("\n## ").expect("a section behind it");
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    let rows: Vec<Vec<String>> = table.lines().filter(|line| line.starts_with('|')).map(cells).collect();
    rows[2..].iter().map(|row| (row[0].clone(), row[2].clone())).collect()
}

fn is_later(held_by: &str) -> bool {
    held_by.starts_with("later: ")
}

/// `(file, code)` of the doctests and `(file, name)` of the tests that a row names.
fn named(held_by: &str) -> Vec<(String, String)> {
    let mut named = Vec::new();
    for item in held_by.split("; ") {
        let words: Vec<_> = item.split(' ').map(|word| word.trim_matches('`').to_owned()).collect();
        assert!(words.len() > 1, "{item:?} names a file and no test of it");
        named.extend(words[1..].iter().map(|word| (words[0].clone(), word.clone())));
    }
    named
}

fn is_code(word: &str) -> bool {
    word.strip_prefix('E').is_some_and(|digits| digits.len() == 4 && digits.parse::<u16>().is_ok())
}

/// The source files under some folders: path from the root, text.
fn sources(folders: &[&str]) -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    let mut sources = Vec::new();
    while let Some(path) = paths.pop() {
        let full = root().join(&path);
        if full.is_dir() {
            paths.extend(fs::read_dir(full).unwrap().map(|entry| path.join(entry.unwrap().file_name())));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push((path.to_str().unwrap().to_owned(), fs::read_to_string(full).unwrap()));
        }
    }
    sources
}

#[test]
fn every_row_is_held_by_tests_that_are_there_or_says_that_it_comes_later() {
    let (later, held): (Vec<_>, Vec<_>) = rows().into_iter().partition(|(_, held_by)| is_later(held_by));
    assert_eq!(later.len(), 1, "{later:?}");
    assert!(held.len() > 12, "{held:?}");
    for (wish, held_by) in held {
        for (file, name) in named(&held_by) {
            let source = text(&file);
            let is_there = if !is_code(&name) {
                source.contains(&format!("#[test]\nfn {name}()"))
                    || source.contains(&format!("    #[test]\n    fn {name}()"))
            } else if file.ends_with(".sh") {
                source.contains(&name)
            } else {
                source.contains(&format!("```compile_fail,{name}\n"))
            };
            assert!(is_there, "{wish}: {file} has no {name}");
        }
    }
}

#[test]
fn every_compile_fail_doctest_names_its_code_and_stands_in_the_table() {
    let rows = rows();
    let held = rows.iter().filter(|(_, held_by)| !is_later(held_by));
    let named: BTreeSet<_> = held.flat_map(|(_, held_by)| named(held_by)).collect();
    let mut found = 0;
    for (file, source) in sources(&DOCUMENTED) {
        for line in source.lines().filter(|line| line.contains("```compile_fail")) {
            let (_, code) = line.split_once("```compile_fail,").unwrap_or_else(|| panic!("{file}: {line}"));
            assert!(named.contains(&(file.clone(), code.to_owned())), "{file}: {code} is in no row");
            found += 1;
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn the_curves_are_asked_to_sign_in_three_places() {
    let rules = text("clippy.toml");
    for method in ["SigningKey::sign_prehash_recoverable", "Signer::sign\"", "PrehashSigner::sign_prehash\""]
    {
        assert!(rules.contains(method), "{method} is not disallowed");
    }
    let mut excepted = BTreeSet::new();
    for (file, source) in sources(&LINKED) {
        // The serve loop reads the clock, which the same lint is about.
        if source.contains("disallowed_methods") && file != "enclave/src/serve/clock.rs" {
            excepted.insert((file, source.matches("disallowed_methods").count()));
        }
    }
    let expected = ["signing/src/ed25519.rs", "signing/src/head.rs", "signing/src/secp256k1.rs"]
        .map(|file| (file.to_owned(), 1));
    assert_eq!(excepted, BTreeSet::from(expected));
}

#[test]
fn the_documents_promise_no_availability() {
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let security = words(text("SECURITY.md"));
    assert!(security.contains("Integrity is promised, availability is not"), "SECURITY.md");
}
