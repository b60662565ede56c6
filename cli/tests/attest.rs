//! Documents and lists of images, as the operator's tool judges them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::path::{Path, PathBuf};
use std::process::Command;

fn portcullis(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

/// A real document that is valid at its time, if it is beside this checkout.
fn real() -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/attestation");
    let file = folder.join("061b9b75a3a6.cbor");
    if file.is_file() {
        return Some(file.display().to_string());
    }
    println!("SKIPPED: real attestation documents are not beside this checkout");
    None
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("attest-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir(&path).unwrap();
    path
}

#[test]
fn a_real_document_is_verified_at_its_time_and_refused_now() {
    let Some(file) = real() else { return };
    let (code, text) = portcullis(&["attest", "verify", &file, "--at", "document"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("Amazon's root vouches for it when it was made; no list of images was given"),
        "{text}"
    );
    assert!(text.contains("\"pcr0\": \"d265a83faa7b4fa0"), "{text}");
    let (code, text) = portcullis(&["attest", "verify", &file]);
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("refused: certificate-expired of certificate 1: since"), "{text}");
    let (code, text) = portcullis(&["attest", "verify", &file, "--at", "document", "--nonce", "00"]);
    assert!(code == 5 && text.contains("another challenge"), "{text}");
    let hash = "00".repeat(32);
    let (code, text) = portcullis(&["attest", "verify", &file, "--at", "document", "--policy-hash", &hash]);
    assert!(code == 5 && text.contains("user-data-unexpected"), "{text}");
}

#[test]
fn images_count_when_their_list_is_signed_by_the_operator() {
    let Some(file) = real() else { return };
    let folder = folder("images");
    let path = |name: &str| folder.join(name).display().to_string();
    let (_, shown) = portcullis(&["attest", "show", &file]);
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let pcr = |index: usize| shown["measurements"][format!("pcr{index}")].as_str().unwrap().to_owned();
    let list = |pcr2: &str| {
        format!(
            r#"{{"version": 1, "images": [{{"name": "v1", "pcr0": "{}", "pcr1": "{}", "pcr2": "{pcr2}"}}]}}"#,
            pcr(0),
            pcr(1)
        )
    };
    let (_, line) = portcullis(&["operator", "keygen", &path("ann.key")]);
    let operator = line.split('"').nth(1).unwrap().to_owned();
    let verify = |operator: &str| {
        let list = path("measurements.json");
        let wanted =
            ["attest", "verify", &file, "--at", "document", "--measurements", &list, "--operator", operator];
        portcullis(&wanted)
    };
    let sign = || {
        portcullis(&["attest", "sign-measurements", &path("measurements.json"), "--key", &path("ann.key")])
    };
    std::fs::write(path("measurements.json"), list(&pcr(2))).unwrap();
    assert_eq!(verify(&operator).0, 2, "no signature");
    assert_eq!(sign().0, 0);
    let (code, text) = verify(&operator);
    assert!(code == 0 && text.contains("; image v1"), "{text}");
    let (code, text) = verify(&"11".repeat(32));
    assert!(code == 5 && text.contains("not signed by this operator"), "{text}");
    // Changed after it was signed, and then signed anew.
    std::fs::write(path("measurements.json"), list(&pcr(1))).unwrap();
    let (code, text) = verify(&operator);
    assert!(code == 5 && text.contains("not signed by this operator"), "{text}");
    assert_eq!(sign().0, 0);
    let (code, text) = verify(&operator);
    assert!(code == 5 && text.contains("none of those that are allowed"), "{text}");
    // What no client would take is not signed.
    for wrong in [list("zz"), list(&pcr(2)).replace(&pcr(0), &"0".repeat(96)), "{}".to_owned()] {
        std::fs::write(path("measurements.json"), wrong).unwrap();
        assert_eq!(sign().0, 2);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn bytes_that_are_no_document_are_refused_by_their_rule() {
    let folder = folder("bytes");
    let file = folder.join("document");
    for (bytes, rule) in
        [(vec![0x84], "truncated"), (vec![0xa0], "type-unexpected"), (vec![0; 20_000], "too-long")]
    {
        std::fs::write(&file, bytes).unwrap();
        for task in ["show", "verify"] {
            let (code, text) = portcullis(&["attest", task, file.to_str().unwrap()]);
            assert!(code == 5 && text.contains(&format!("refused: {rule}")), "{text}");
        }
    }
    assert_eq!(portcullis(&["attest", "show", "/nowhere"]).0, 2);
    std::fs::remove_dir_all(&folder).unwrap();
}
