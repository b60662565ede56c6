//! The vault's process leaves no core file behind.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_vault_that_serves_may_write_no_core_file() {
    let folder = std::env::temp_dir().join(format!("dumps-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let unix = |name| format!("unix:{}", folder.join(name).display());
    let mut vault = Command::new(env!("CARGO_BIN_EXE_enclave-dev"))
        .args(["serve", "--listen", &unix("v"), "--control", &unix("c"), "--book"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies/book/demo.toml"))
        .arg("--keys")
        .arg(folder.join("keys"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(vault.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", vault.id()));
    vault.kill().unwrap();
    vault.wait().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(said.contains("DEVELOPMENT VAULT"), "{said}");
    let limits = limits.unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"]);
}
