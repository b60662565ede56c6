//! `portcullis audit`, run as an operator runs it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use ed25519_dalek::{Signer as _, SigningKey};
use wire::head::{SIGNED_HEAD_SIZE, SignedHead};
use wire::receipt::{RECEIPT_VERSION, Receipt, RecordKind, genesis, link};
use wire::{RECEIPT_SIZE_MAX, Shown, codec};

const BOOT: [u8; 16] = [0xb0; 16];
const POLICY: [u8; 32] = [9; 32];

/// A folder of the test's own with one segment of four records.
fn folder(name: &str) -> (PathBuf, Vec<Vec<u8>>) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("audit-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let mut records: Vec<Vec<u8>> = Vec::new();
    for sequence in 0..4 {
        let previous = records.last().map_or(genesis(&BOOT, &POLICY), |record| link(record));
        let receipt = Receipt {
            version: RECEIPT_VERSION,
            kind: RecordKind::Decision,
            sequence,
            boot_id: BOOT,
            previous,
            policy_hash: POLICY,
            wall_ms: 1_790_000_000_000 + sequence,
            client: [0; 32],
            request_id: 1,
            key_slot: 0,
            payload_kind: 1,
            code: 0,
            subject: None,
            observed: Shown::Nothing,
            limit: Shown::Nothing,
            digest: Some([4; 32]),
            facts_complete: true,
            facts: &[],
        };
        let mut bytes = [0; RECEIPT_SIZE_MAX];
        let size = codec::encode(receipt, &mut bytes).unwrap();
        records.push(bytes[..size].to_vec());
    }
    write(&folder, &records);
    (folder, records)
}

fn write(folder: &std::path::Path, records: &[Vec<u8>]) {
    let framed =
        |record: &Vec<u8>| [&u32::try_from(record.len()).unwrap().to_le_bytes()[..], record].concat();
    let bytes: Vec<u8> = records.iter().flat_map(framed).collect();
    fs::write(folder.join(format!("receipts-{}-00000000.log", "b0".repeat(16))), bytes).unwrap();
}

fn audit(arguments: &[&str]) -> (i32, String) {
    let output: Output =
        Command::new(env!("CARGO_BIN_EXE_portcullis")).arg("audit").args(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn a_whole_chain_without_a_head_is_intact_and_unproven_and_not_good_enough_when_strict() {
    let (folder, _) = folder("unproven");
    let folder = folder.to_str().unwrap();
    let (code, text) = audit(&["verify", folder]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("UNPROVEN: 4 receipts"), "{text}");
    assert_eq!(audit(&["verify", folder, "--strict"]).0, 8);
}

#[test]
fn a_kept_receipt_proves_and_finds_a_cut_end() {
    let (folder, records) = folder("kept");
    let kept = folder.join("kept.bin");
    fs::write(&kept, &records[3]).unwrap();
    let arguments = ["verify", folder.to_str().unwrap(), "--strict", "--head", kept.to_str().unwrap()];
    let (code, text) = audit(&arguments);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("proven: receipts 0 to 3, all"), "{text}");
    write(&folder, &records[..2]);
    let (code, text) = audit(&arguments);
    assert_eq!(code, 8, "{text}");
    assert!(text.contains("the end is missing: the vault has sealed 4 receipts"), "{text}");
    assert!(text.contains("-00000000.log offset ") && text.contains("kept.bin"), "{text}");
}

#[test]
fn a_signed_head_counts_with_its_key_only() {
    let (folder, records) = folder("signed");
    let key = SigningKey::from_bytes(&[7; 32]);
    let mut head = SignedHead {
        boot_id: BOOT,
        policy_hash: POLICY,
        sequence: 2,
        link: link(&records[2]),
        wall_ms: 5,
        signature: [0; 64],
    };
    #[expect(clippy::disallowed_methods, reason = "a test stands in for the vault")]
    let signature = key.sign(&head.message());
    head.signature = signature.to_bytes();
    let mut bytes = [0; SIGNED_HEAD_SIZE];
    codec::encode(head, &mut bytes).unwrap();
    let file = folder.join("head.bin");
    fs::write(&file, bytes).unwrap();
    let hex = |key: &SigningKey| {
        key.verifying_key().to_bytes().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    };
    let verify = |key: &[&str]| {
        let arguments = ["verify", folder.to_str().unwrap(), "--head", file.to_str().unwrap()];
        audit(&[&arguments[..], key].concat())
    };
    let (code, text) = verify(&["--receipt-key", &hex(&key)]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("proven: receipts 0 to 2; unproven: 3 to 3"), "{text}");
    assert_eq!(verify(&["--receipt-key", &hex(&SigningKey::from_bytes(&[8; 32]))]).0, 2);
    assert_eq!(verify(&["--receipt-key", &"00".repeat(32)]).0, 2);
    assert_eq!(verify(&[]).0, 2);
    // The host keeps it, too: there it counts with the key, beside those of other boots, and is nothing without.
    let kept = format!("head-{}.bin", BOOT.map(|byte| format!("{byte:02x}")).concat());
    fs::rename(&file, folder.join(kept)).unwrap();
    let other = SigningKey::from_bytes(&[8; 32]);
    let verify = |keys: &[&SigningKey]| {
        let keys: Vec<_> = keys.iter().map(|key| hex(key)).collect();
        let keys = keys.iter().flat_map(|key| ["--receipt-key", key]);
        let (code, text) =
            audit(&["verify", folder.to_str().unwrap()].into_iter().chain(keys).collect::<Vec<_>>());
        assert_eq!(code, 0, "{text}");
        text.contains("proven: receipts 0 to 2; unproven: 3 to 3")
    };
    assert!(verify(&[&key]) && verify(&[&other, &key]));
    assert!(!verify(&[&other]) && !verify(&[]));
}

#[test]
fn programs_read_the_same_as_json() {
    let (folder, records) = folder("json");
    write(&folder, &[records[0].clone(), records[1].clone(), records[1].clone()]);
    let (code, text) = audit(&["verify", folder.to_str().unwrap(), "--json"]);
    assert_eq!(code, 8, "{text}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["found"][0]["fault"], "duplicate");
    assert_eq!(report["found"][0]["offset"], 2 * (records[0].len() + 4));
    assert_eq!((&report["intact"], &report["boots"][0]["unproven"]), (&false.into(), &2.into()));
    let (code, text) = audit(&["tail", folder.to_str().unwrap(), "-n", "1", "--json"]);
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &record["sequence"], &record["result"]), (0, &1.into(), &"signed".into()));
}

#[test]
fn what_cannot_be_read_is_no_verdict() {
    let (folder, _) = folder("unreadable");
    assert_eq!(audit(&["verify", folder.join("nowhere").to_str().unwrap()]).0, 2);
    let file = folder.join("noise.bin");
    fs::write(&file, b"noise").unwrap();
    let arguments = ["verify", folder.to_str().unwrap(), "--head", file.to_str().unwrap()];
    assert_eq!(audit(&arguments).0, 2);
    assert_eq!(audit(&["repair", folder.join("nowhere").to_str().unwrap()]).0, 2);
}

#[test]
fn repair_moves_a_torn_end_aside() {
    let (folder, _) = folder("torn");
    let segment = folder.join(format!("receipts-{}-00000000.log", "b0".repeat(16)));
    let whole = fs::read(&segment).unwrap();
    fs::write(&segment, [&whole[..], &[7]].concat()).unwrap();
    let shown = folder.to_str().unwrap();
    assert_eq!(audit(&["verify", shown]).0, 8);
    let (code, text) = audit(&["repair", shown]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("torn end of "), "{text}");
    assert_eq!(fs::read(&segment).unwrap(), whole);
    let (code, text) = audit(&["verify", shown]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("torn end moved aside earlier"), "{text}");
}
