//! Everything that is linked into the enclave, with its features, is a committed list: a new crate or feature is
//! a reviewed difference. After a change that is meant: `UPDATE_CLOSURE=1 cargo test -p enclave closure`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn closure() -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args(["tree", "--locked", "--offline", "-p", "enclave"]);
    cargo.args([
        "-e",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p} [{f}]",
        "--target",
        "x86_64-unknown-linux-musl",
    ]);
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // "name vX.Y.Z (path or proc-macro) [features] (*)"
    let line = |line: &str| {
        let (package, features) =
            line.trim_end_matches(" (*)").split_once('[').expect("features in brackets");
        let mut words = package.split(' ');
        format!("{} {} [{features}", words.next().unwrap(), words.next().unwrap())
    };
    String::from_utf8(output.stdout).unwrap().lines().filter(|text| !text.is_empty()).map(line).collect()
}

#[test]
fn the_closure_of_the_enclave_is_the_committed_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("closure.txt");
    let found = closure();
    if std::env::var_os("UPDATE_CLOSURE").is_some() {
        let text: String = found.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    let committed: BTreeSet<String> = committed.lines().map(str::to_owned).collect();
    let added: Vec<_> = found.difference(&committed).collect();
    let removed: Vec<_> = committed.difference(&found).collect();
    assert!(added.is_empty() && removed.is_empty(), "added {added:#?}, removed {removed:#?}");
}

#[test]
fn nothing_of_the_development_vault_or_the_book_compiler_is_in_the_closure() {
    let foreign =
        ["enclave-dev", "compile", "client-sdk", "portcullis-host", "toml", "serde_json", "serde", "clap"];
    for line in closure() {
        let name = line.split(' ').next().unwrap();
        assert!(!foreign.contains(&name), "{line}");
    }
    // The list does hold what it should, so its silence about the others means something.
    assert!(closure().iter().any(|line| line.starts_with("k256 ")));
}
