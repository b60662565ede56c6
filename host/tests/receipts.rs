//! The ledger and its verification, on real files.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod world;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use portcullis_host::receipts::{Fault, Held, Ledger, LedgerError, Report, line, tail, verify, verify_live};
use wire::receipt::ChainFault;
use wire::{Refusal, Shown};
use world::{Chain, Folder};

fn open(folder: &Folder) -> Ledger {
    Ledger::open(&folder.0).unwrap().0
}

fn check(folder: &Folder) -> Report {
    verify(&folder.0, &[]).unwrap()
}

fn lines(folder: &Folder, count: usize) -> Vec<String> {
    tail(&folder.0, count).unwrap().0.iter().map(|record| line(record)).collect()
}

fn only_segment(folder: &Folder) -> PathBuf {
    let mut segments = segments(&folder.0);
    assert_eq!(segments.len(), 1);
    segments.remove(0)
}

fn segments(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "log")).collect();
    paths.sort();
    paths
}

/// A folder with one segment of `count` records.
fn filled(count: usize) -> (Folder, Vec<Vec<u8>>) {
    let folder = Folder::new();
    let mut ledger = open(&folder);
    let records = Chain::new(1).seal_many(count);
    for record in &records {
        ledger.append(record).unwrap();
    }
    (folder, records)
}

fn write_records(path: &Path, records: &[&Vec<u8>]) {
    let bytes: Vec<u8> = records.iter().flat_map(|record| world::framed(record)).collect();
    fs::write(path, bytes).unwrap();
}

fn assert_broken(folder: &Folder, record: u64, record_size: usize, fault: Fault) {
    let report = check(folder);
    let found = report.first_break().unwrap();
    assert_eq!(found.fault, fault);
    assert_eq!(found.offset, record * (record_size as u64 + 4));
    assert_eq!(found.file, *segments(&folder.0).last().unwrap());
}

#[test]
fn receipts_in_sequence_verify() {
    let (folder, _) = filled(20);
    let report = check(&folder);
    assert_eq!((report.records, report.signed, report.boots.len(), report.segments), (20, 20, 1, 1));
    assert_eq!(report.first_break(), None);
}

#[test]
fn records_that_the_vault_has_lost_are_reported_as_a_gap() {
    let folder = Folder::new();
    let mut ledger = open(&folder);
    let records = Chain::new(1).seal_many(6);
    for at in [0, 1, 4, 5] {
        ledger.append(&records[at]).unwrap();
    }
    let fault = ChainFault::SequenceDiffers { expected: 2, found: 4 };
    assert_broken(&folder, 2, records[0].len(), Fault::Chain(fault));
    let report = check(&folder);
    assert_eq!((report.records, report.breaks), (4, 1));
}

#[test]
fn a_record_before_the_last_one_is_not_taken() {
    let folder = Folder::new();
    let mut ledger = open(&folder);
    let records = Chain::new(1).seal_many(3);
    ledger.append(&records[0]).unwrap();
    ledger.append(&records[1]).unwrap();
    for sequence in [0, 1] {
        let fault = LedgerError::OutOfTurn { next: 2, sequence };
        assert_eq!(ledger.append(&records[usize::try_from(sequence).unwrap()]), Err(fault));
    }
    ledger.append(&records[2]).unwrap();
    assert_eq!((check(&folder).records, check(&folder).first_break()), (3, None));
    assert_eq!((ledger.next([1; 16]), ledger.next([2; 16])), (3, 0));
    drop(ledger);
    assert_eq!(open(&folder).next([1; 16]), 3);
}

#[test]
fn a_new_daemon_continues_the_chain_in_a_new_segment() {
    let folder = Folder::new();
    let mut chain = Chain::new(1);
    for _ in 0..3 {
        let mut ledger = open(&folder);
        for record in chain.seal_many(4) {
            ledger.append(&record).unwrap();
        }
    }
    let report = check(&folder);
    assert_eq!((report.records, report.segments, report.boots.len()), (12, 3, 1));
    assert_eq!(report.first_break(), None);
}

#[test]
fn boots_are_chains_of_their_own() {
    let folder = Folder::new();
    let mut ledger = open(&folder);
    // More than the ledger keeps open, in turns.
    let mut chains: Vec<_> = (0..9).map(Chain::new).collect();
    for _ in 0..3 {
        for chain in &mut chains {
            ledger.append(&chain.seal(1, 0)).unwrap();
        }
    }
    let report = check(&folder);
    assert_eq!((report.records, report.boots.len()), (27, 9));
    assert_eq!(report.first_break(), None);
}

#[test]
fn only_one_daemon_holds_the_folder() {
    let folder = Folder::new();
    let first = open(&folder);
    let error = Ledger::open(&folder.0).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
    drop(first);
    open(&folder);
}

#[test]
fn a_torn_end_is_moved_aside_and_the_chain_goes_on() {
    for cut in [1, 2, 5, 100] {
        let folder = Folder::new();
        let mut chain = Chain::new(1);
        let mut ledger = open(&folder);
        for record in chain.seal_many(3) {
            ledger.append(&record).unwrap();
        }
        drop(ledger);
        // The power failed inside the fourth record: its reply never went on, but the vault had sealed it.
        let path = only_segment(&folder);
        let whole = fs::read(&path).unwrap();
        let torn = &world::framed(&chain.clone().seal(1, 0))[..cut];
        fs::write(&path, [&whole[..], torn].concat()).unwrap();
        assert!(matches!(check(&folder).first_break().unwrap().fault, Fault::Torn { .. }));

        let (mut ledger, repairs) = Ledger::open(&folder.0).unwrap();
        assert_eq!(repairs.len(), 1);
        assert_eq!(fs::read(&repairs[0].side_file).unwrap(), torn);
        assert_eq!(fs::read(&path).unwrap(), whole);
        ledger.append(&chain.seal(1, 0)).unwrap();
        let report = check(&folder);
        assert_eq!((report.records, report.first_break()), (4, None));
        assert_eq!(report.side_files, [repairs[0].side_file.clone()]);
    }
}

#[test]
fn an_end_of_zeros_is_a_torn_end() {
    let (folder, _) = filled(3);
    let path = only_segment(&folder);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], &[0; 700]].concat()).unwrap();
    let (_, repairs) = Ledger::open(&folder.0).unwrap();
    assert_eq!(repairs.len(), 1);
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn a_size_that_no_record_has_is_damage_and_left_as_it_is() {
    let (folder, records) = filled(3);
    let path = only_segment(&folder);
    let mut bytes = fs::read(&path).unwrap();
    let second = records[0].len() + 4;
    bytes[second..second + 4].copy_from_slice(&[0xff; 4]);
    fs::write(&path, &bytes).unwrap();
    let (_, repairs) = Ledger::open(&folder.0).unwrap();
    assert_eq!(repairs, []);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_broken(&folder, 1, records[0].len(), Fault::Damaged { declared: u32::MAX });
}

#[test]
fn any_changed_byte_of_the_log_is_found() {
    let (folder, _) = filled(3);
    let path = only_segment(&folder);
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x40;
        fs::write(&path, &changed).unwrap();
        // The last record is held by no later one, only by the vault's own word.
        let mut vault = Chain::new(1);
        vault.seal_many(3);
        let expected = Held::by_vault(vault.boot_id, 3, vault.head).unwrap();
        let report = verify(&folder.0, &[expected]).unwrap();
        assert!(report.first_break().is_some(), "byte {at}");
    }
}

#[test]
fn a_missing_record_is_found() {
    let (folder, records) = filled(4);
    write_records(&only_segment(&folder), &[&records[0], &records[2], &records[3]]);
    let fault = ChainFault::SequenceDiffers { expected: 1, found: 2 };
    assert_broken(&folder, 1, records[0].len(), Fault::Chain(fault));
}

#[test]
fn a_missing_first_record_is_found() {
    let (folder, records) = filled(3);
    write_records(&only_segment(&folder), &[&records[1], &records[2]]);
    let fault = ChainFault::SequenceDiffers { expected: 0, found: 1 };
    assert_broken(&folder, 0, records[0].len(), Fault::Chain(fault));
}

#[test]
fn reordered_records_are_found() {
    let (folder, records) = filled(4);
    write_records(&only_segment(&folder), &[&records[0], &records[2], &records[1], &records[3]]);
    let fault = ChainFault::SequenceDiffers { expected: 1, found: 2 };
    assert_broken(&folder, 1, records[0].len(), Fault::Chain(fault));
}

#[test]
fn a_record_of_another_boot_is_found() {
    let (folder, records) = filled(3);
    let foreign = Chain::new(2).seal(1, 0);
    write_records(&only_segment(&folder), &[&records[0], &foreign, &records[1]]);
    assert_broken(&folder, 1, records[0].len(), Fault::AnotherBoot);
}

#[test]
fn an_end_cut_off_inside_a_record_is_found() {
    let (folder, records) = filled(3);
    let path = only_segment(&folder);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let size = records[0].len() as u64 + 3;
    assert_broken(&folder, 2, records[0].len(), Fault::Torn { size });
}

#[test]
fn an_end_cut_off_between_records_is_found_by_the_vaults_own_word() {
    let (folder, records) = filled(3);
    write_records(&only_segment(&folder), &[&records[0], &records[1]]);
    assert_eq!(check(&folder).first_break(), None);
    let mut vault = Chain::new(1);
    vault.seal_many(3);
    let expected = Held::by_vault(vault.boot_id, 3, vault.head).unwrap();
    let report = verify(&folder.0, &[expected]).unwrap();
    let found = report.first_break().unwrap();
    assert_eq!(found.fault, Fault::EndMissing { sealed: 3 });
}

#[test]
fn a_missing_segment_is_found() {
    let folder = Folder::new();
    let mut chain = Chain::new(1);
    for _ in 0..3 {
        let mut ledger = open(&folder);
        for record in chain.seal_many(2) {
            ledger.append(&record).unwrap();
        }
    }
    fs::remove_file(&segments(&folder.0)[1]).unwrap();
    let report = check(&folder);
    let found = report.first_break().unwrap();
    let fault = ChainFault::SequenceDiffers { expected: 2, found: 4 };
    assert_eq!(found.fault, Fault::Chain(fault));
}

#[test]
fn after_a_failure_of_the_disk_nothing_is_taken_any_more() {
    let folder = Folder::new();
    let mut ledger = open(&folder);
    let mut chain = Chain::new(1);
    fs::remove_dir_all(&folder.0).unwrap();
    let record = chain.seal(1, 0);
    assert!(matches!(ledger.append(&record), Err(LedgerError::Disk(_))));
    fs::create_dir_all(&folder.0).unwrap();
    assert!(matches!(ledger.append(&record), Err(LedgerError::Disk(_))));
    assert!(segments(&folder.0).is_empty());
}

#[test]
fn a_segment_that_lost_its_name_is_a_failure_of_the_disk() {
    type Attack = fn(&Folder, &Path);
    let attacks: [Attack; 5] = [
        |_, segment| fs::remove_file(segment).unwrap(),
        |_, segment| fs::rename(segment, segment.with_extension("away")).unwrap(),
        // A hard link keeps the file, but not where anyone looks for it.
        |_, segment| {
            fs::hard_link(segment, segment.with_extension("away")).unwrap();
            fs::remove_file(segment).unwrap();
        },
        // Another file of the same name.
        |_, segment| {
            let bytes = fs::read(segment).unwrap();
            fs::remove_file(segment).unwrap();
            fs::write(segment, bytes).unwrap();
        },
        |folder, _| fs::remove_dir_all(&folder.0).unwrap(),
    ];
    for attack in attacks {
        let folder = Folder::new();
        let mut ledger = open(&folder);
        let mut chain = Chain::new(1);
        ledger.append(&chain.seal(1, 0)).unwrap();
        ledger.sync().unwrap();
        attack(&folder, &only_segment(&folder));
        // It is written to a file that nobody finds, and never acknowledged.
        ledger.append(&chain.seal(1, 0)).unwrap();
        for _ in 0..2 {
            assert!(matches!(ledger.sync(), Err(LedgerError::Disk(_))));
            assert!(matches!(ledger.append(&chain.seal(1, 0)), Err(LedgerError::Disk(_))));
        }
    }
}

#[test]
fn bytes_that_are_no_receipt_are_not_written() {
    let folder = Folder::new();
    let mut ledger = open(&folder);
    assert_eq!(ledger.append(b"no receipt"), Err(LedgerError::NotARecord));
    assert!(segments(&folder.0).is_empty());
}

#[test]
fn the_tail_shows_the_last_receipts_oldest_first() {
    let (folder, _) = filled(5);
    let lines = lines(&folder, 2);
    assert_eq!(lines.len(), 2);
    assert!(lines[0].trim_start().starts_with("3 ") && lines[0].contains("signed"), "{}", lines[0]);
    assert!(lines[1].contains(r#"{"chain_id":"9"}"#), "{}", lines[1]);
}

#[test]
fn the_tail_says_what_was_observed_and_when_facts_were_cut() {
    let folder = Folder::new();
    let mut ledger = open(&folder);
    let mut chain = Chain::new(1);
    let cut = chain.seal_with(1, Refusal::Halted.code(), |receipt| {
        receipt.observed = Shown::Uint(70);
        receipt.limit = Shown::Uint(50);
        receipt.facts_complete = false;
    });
    ledger.append(&cut).unwrap();
    ledger.append(&chain.seal(2, 0)).unwrap();
    let lines = lines(&folder, 2);
    assert!(lines[0].contains("observed 70  limit 50") && lines[0].contains("facts cut"), "{}", lines[0]);
    assert!(!lines[1].contains("observed") && !lines[1].contains("facts cut"), "{}", lines[1]);
}

#[test]
fn a_folder_that_others_can_write_to_is_refused() {
    for mode in [0o770, 0o707, 0o1777] {
        let folder = Folder::new();
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(mode)).unwrap();
        let error = Ledger::open(&folder.0).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
        assert!(error.to_string().contains(&format!("mode {mode:04o}")), "{error}");
    }
    let folder = Folder::new();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
    open(&folder);
}

#[test]
fn an_end_that_does_not_come_is_missing_in_a_live_folder_too() {
    let (folder, _) = filled(2);
    let mut vault = Chain::new(1);
    vault.seal_many(3);
    let expected = Held::by_vault(vault.boot_id, 3, vault.head).unwrap();
    let report = verify_live(&folder.0, &[expected], Duration::from_millis(1)).unwrap();
    assert_eq!(report.first_break().unwrap().fault, Fault::EndMissing { sealed: 3 });
}
