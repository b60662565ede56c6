//! Images as the operator's tool shows and compares them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::path::PathBuf;
use std::process::Command;

use eif::{Metadata, Policy, write};

const DEMO: &str = include_str!("../../policies/book/demo.toml");

fn portcullis(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

/// An image file with this book.
fn image(name: &str, kernel: &[u8], book: &str, hash: Option<&str>) -> String {
    let compiled = compile::compile("demo.toml", book).unwrap();
    let digits: String = book::policy_hash(compiled).iter().map(|byte| format!("{byte:02x}")).collect();
    let policy = Policy { policy_hash: hash.map_or(digits, str::to_owned), book: book.to_owned() };
    let bytes =
        write(kernel, "reboot=k", &Metadata::new("0.1.0", "6.12", policy), &[b"boot", b"app"]).unwrap();
    let path: PathBuf = std::env::temp_dir().join(format!("image-{}-{name}.eif", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn an_image_is_described_as_by_nitro_cli() {
    let file = image("described", b"kernel", DEMO, None);
    let (code, text) = portcullis(&["eif", "describe", &file]);
    assert_eq!(code, 0, "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let measurements = eif::Image::read(&std::fs::read(&file).unwrap()).unwrap().measurements();
    let pcr0: String = measurements.pcr0.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(value["Measurements"]["PCR0"], pcr0);
    assert_eq!(value["Cmdline"], "reboot=k");
    let (_, hash) = portcullis(&["policy", "hash", "../policies/book/demo.toml"]);
    assert_eq!(format!("0x{}", value["PolicyHash"].as_str().unwrap()), hash.split(' ').next().unwrap());
    std::fs::remove_file(file).unwrap();
}

#[test]
fn two_images_differ_by_measurements_parts_and_rules() {
    let old = image("old", b"kernel", DEMO, None);
    assert_eq!(portcullis(&["eif", "diff", &old, &old]), (0, String::new()));
    let looser = DEMO.replacen("capacity = 5_000", "capacity = 6_000", 1);
    assert_ne!(looser, DEMO);
    let new = image("new", b"kernel 2", &looser, None);
    let (code, text) = portcullis(&["eif", "diff", &old, &new]);
    assert_eq!(code, 1, "{text}");
    for part in [
        "- PCR0: ",
        "+ PCR1: ",
        "~ kernel: 6 bytes before, 8 bytes now",
        "+ policy hash: ",
        "capacity",
        "(looser)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("PCR2") && !text.contains("ramdisk"), "{text}");
    // A book that is not the one it is said to be.
    let lying = image("lying", b"kernel", &looser, Some(&"00".repeat(32)));
    let (code, text) = portcullis(&["eif", "diff", &old, &lying]);
    assert!(code == 2 && text.contains("not the one that it names"), "{text}");
    [old, new, lying].iter().for_each(|file| std::fs::remove_file(file).unwrap());
}

#[test]
fn what_is_no_image_is_named() {
    for (file, part) in [("../Cargo.toml", "not an enclave image"), ("/nowhere", "No such file")] {
        let (code, text) = portcullis(&["eif", "describe", file]);
        assert!(code == 2 && text.contains(part), "{text}");
    }
}
