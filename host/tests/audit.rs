//! Attacks on a folder of receipts, and what the audit names.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod world;

use std::fs;
use std::path::PathBuf;

use portcullis_host::receipts::{Fault, HandedIn, Held, Ledger, Report, Taken, line, repair, tail, verify};
use wire::receipt::{ChainFault, RecordKind};
use world::{Chain, Folder, framed};

fn path(folder: &Folder, number: u32) -> PathBuf {
    folder.0.join(format!("receipts-{}-{number:08}.log", "01".repeat(16)))
}

/// Writes a segment of boot 1 as anyone who owns the folder could.
fn write(folder: &Folder, number: u32, records: &[&Vec<u8>]) {
    let bytes: Vec<u8> = records.iter().flat_map(|record| framed(record)).collect();
    fs::write(path(folder, number), bytes).unwrap();
}

fn kept(record: &[u8]) -> Held {
    Held::by_record(record, "a client").unwrap()
}

fn assert_found(report: &Report, expected: &[(u64, Fault)]) {
    let found: Vec<_> = report.found.iter().map(|found| (found.offset, found.fault)).collect();
    assert_eq!(found, expected);
    assert_eq!(report.breaks, expected.len() as u64);
}

#[test]
fn the_record_of_a_client_proves_all_before_it_and_names_the_rest_unproven() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(6));
    write(&folder, 0, &records.iter().collect::<Vec<_>>());
    let report = verify(&folder.0, &[kept(&records[3]), kept(&records[1])]).unwrap();
    assert_found(&report, &[]);
    assert_eq!((report.boots[0].proven, report.boots[0].unproven()), (Some(3), 2));
    assert!(!report.is_proven());
    assert!(verify(&folder.0, &[kept(&records[5])]).unwrap().is_proven());
    assert_eq!(verify(&folder.0, &[]).unwrap().boots[0].unproven(), 6);
}

#[test]
fn a_cut_end_is_found_by_the_record_of_a_client() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(4));
    write(&folder, 0, &[&records[0], &records[1]]);
    let report = verify(&folder.0, &[kept(&records[3])]).unwrap();
    let end = path(&folder, 0).metadata().unwrap().len();
    assert_found(&report, &[(end, Fault::EndMissing { sealed: 4 })]);
    assert_eq!(report.found[0].file, path(&folder, 0));
    assert_eq!(report.boots[0].proven, None);
}

#[test]
fn a_boot_that_is_gone_is_found_by_the_record_of_a_client() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(2));
    write(&folder, 0, &records.iter().collect::<Vec<_>>());
    let report = verify(&folder.0, &[kept(&Chain::new(2).seal(1, 0))]).unwrap();
    assert_found(&report, &[(0, Fault::EndMissing { sealed: 1 })]);
}

#[test]
fn a_chain_written_anew_is_found_by_the_record_of_a_client() {
    let folder = Folder::new();
    let truth = Chain::new(1).seal_many(4);
    let mut forger = Chain::new(1);
    let mut forged = forger.seal_many(1);
    forged.push(forger.seal_with(99, 0, |_| {}));
    forged.extend(forger.seal_many(2));
    write(&folder, 0, &forged.iter().collect::<Vec<_>>());
    assert_eq!(verify(&folder.0, &[]).unwrap().breaks, 0, "the chain alone has no key");
    let report = verify(&folder.0, &[kept(&truth[2])]).unwrap();
    let offset = 2 * (truth[0].len() as u64 + 4);
    assert_found(&report, &[(offset, Fault::HeadDiffers)]);
    assert!(report.found[0].other.as_ref().unwrap().contains("a client"));
}

#[test]
fn a_fork_is_named_with_both_places() {
    let folder = Folder::new();
    let mut chain = Chain::new(1);
    let mut records = chain.seal_many(2);
    let other = chain.clone().seal(77, 0);
    records.push(chain.seal(1, 0));
    write(&folder, 0, &[&records[0], &records[1], &records[2]]);
    write(&folder, 1, &[&other]);
    let report = verify(&folder.0, &[]).unwrap();
    assert_found(&report, &[(0, Fault::Fork { sequence: 2 })]);
    assert_eq!(report.found[0].file, path(&folder, 1));
    let first = report.found[0].other.clone().unwrap();
    let offset = 2 * (records[0].len() + 4);
    assert!(first.ends_with(&format!("-00000000.log offset {offset}")), "{first}");
}

#[test]
fn a_duplicate_is_named_with_both_places_and_told_from_a_fork() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(3));
    let size = records[0].len() as u64 + 4;
    write(&folder, 0, &[&records[0], &records[1], &records[0], &records[2]]);
    let report = verify(&folder.0, &[]).unwrap();
    assert_found(&report, &[(2 * size, Fault::Duplicate { sequence: 0 })]);
    assert!(report.found[0].other.as_ref().unwrap().ends_with("offset 0"));
}

#[test]
fn reordered_records_are_a_gap_and_a_late_record_and_no_fork() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(4));
    let size = records[0].len() as u64 + 4;
    write(&folder, 0, &[&records[0], &records[2], &records[1], &records[3]]);
    let late = |expected, found| Fault::Chain(ChainFault::SequenceDiffers { expected, found });
    assert_found(&verify(&folder.0, &[]).unwrap(), &[(size, late(1, 2)), (2 * size, late(3, 1))]);
}

#[test]
fn an_edited_record_is_found_at_the_one_behind_it_or_by_its_head() {
    let folder = Folder::new();
    let records = Chain::new(1).seal_many(3);
    let size = records[0].len() as u64 + 4;
    for at in 0..3 {
        let mut edited = records.clone();
        let last = edited[at].len() - 1;
        edited[at][last] ^= 1;
        write(&folder, 0, &edited.iter().collect::<Vec<_>>());
        let report = verify(&folder.0, &[kept(&records[2])]).unwrap();
        let expected = match at {
            2 => (2 * size, Fault::HeadDiffers),
            at => ((at as u64 + 1) * size, Fault::Chain(ChainFault::LinkDiffers)),
        };
        assert_found(&report, &[expected]);
    }
}

#[test]
fn boots_are_told_in_the_order_of_their_time_with_their_first_and_last_records() {
    let folder = Folder::new();
    let mut ledger = Ledger::open(&folder.0).unwrap().0;
    for (boot, wall_ms) in [(3, 1_000), (1, 5_000), (2, 3_000)] {
        let mut chain = Chain::new(boot);
        for later in 0..2 {
            let record = chain.seal_with(1, 0, |receipt| receipt.wall_ms = wall_ms + later);
            ledger.append(&record).unwrap();
        }
    }
    let report = verify(&folder.0, &[]).unwrap();
    let times = report.boots.iter().map(|boot| (boot.boot_id[0], boot.first.unwrap(), boot.last.unwrap()));
    let times: Vec<_> =
        times.map(|(boot, first, last)| (boot, first.wall_ms, last.wall_ms, last.sequence)).collect();
    assert_eq!(times, [(3, 1_000, 1_001, 1), (2, 3_000, 3_001, 1), (1, 5_000, 5_001, 1)]);
    assert_eq!(report.boots[0].first.unwrap().kind, RecordKind::Decision);
}

#[test]
fn more_breaks_than_are_told_are_counted() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(1));
    write(&folder, 0, &vec![&records[0]; 101]);
    let report = verify(&folder.0, &[]).unwrap();
    assert_eq!((report.breaks, report.found.len()), (100, 64));
}

#[test]
fn a_full_segment_is_followed_by_the_next_and_all_verify() {
    let folder = Folder::new();
    let mut chain = Chain::new(1);
    let size = chain.clone().seal(1, 0).len() as u64 + 4;
    let mut ledger = Ledger::open_with(&folder.0, 3 * size).unwrap().0;
    for record in chain.seal_many(10) {
        ledger.append(&record).unwrap();
    }
    let report = verify(&folder.0, &[]).unwrap();
    assert_eq!((report.records, report.segments, report.breaks), (10, 4, 0));
    for (number, records) in [(0, 3), (1, 3), (2, 3), (3, 1)] {
        assert_eq!(path(&folder, number).metadata().unwrap().len(), records * size);
    }
}

#[test]
fn a_segment_that_was_made_and_not_written_to_does_not_hide_the_sequence() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(4));
    write(&folder, 0, &[&records[0], &records[1], &records[2]]);
    write(&folder, 1, &[]);
    let mut ledger = Ledger::open(&folder.0).unwrap().0;
    assert_eq!(ledger.next([1; 16]), 3);
    ledger.append(&records[3]).unwrap();
    let report = verify(&folder.0, &[]).unwrap();
    assert_eq!((report.records, report.breaks), (4, 0));
}

#[test]
fn repair_moves_torn_ends_aside_and_leaves_a_held_folder_alone() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(3));
    write(&folder, 0, &records.iter().collect::<Vec<_>>());
    let whole = fs::read(path(&folder, 0)).unwrap();
    fs::write(path(&folder, 0), [&whole[..], &[9, 0]].concat()).unwrap();
    let ledger = Ledger::open(&Folder::new().0).unwrap();
    drop(ledger);
    let repairs = repair(&folder.0).unwrap();
    assert_eq!(repairs.len(), 1);
    assert_eq!(fs::read(&repairs[0].side_file).unwrap(), [9, 0]);
    assert_eq!(fs::read(path(&folder, 0)).unwrap(), whole);
    assert_eq!(repair(&folder.0).unwrap(), []);
    let _held = Ledger::open(&folder.0).unwrap();
    assert_eq!(repair(&folder.0).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    assert!(repair(&folder.0.join("nowhere")).is_err());
    assert!(!folder.0.join("nowhere").exists());
}

#[test]
fn a_tail_goes_on_over_segments_and_a_newer_boot_and_tells_each_record_once() {
    let folder = Folder::new();
    let mut chain = Chain::new(1);
    let size = chain.clone().seal(1, 0).len() as u64 + 4;
    let mut ledger = Ledger::open_with(&folder.0, 2 * size).unwrap().0;
    let mut append = |chain: &mut Chain, count| {
        let records = chain.seal_many(count);
        records.iter().for_each(|record| ledger.append(record).unwrap());
        records
    };
    append(&mut chain, 3);
    let (last, mut follow) = tail(&folder.0, 2).unwrap();
    assert_eq!(last.len(), 2);
    assert_eq!(follow.more().unwrap(), Vec::<Vec<u8>>::new());
    assert_eq!(append(&mut chain, 4), follow.more().unwrap());
    assert_eq!(append(&mut Chain::new(2), 1), follow.more().unwrap());
    assert_eq!(follow.more().unwrap(), Vec::<Vec<u8>>::new());
    assert!(line(&last[0]).contains("signed"));
}

#[test]
fn an_event_is_shown_as_what_it_is_and_not_as_signed() {
    let event = Chain::new(1).seal_with(0, wire::receipt::CODE_EVENT, |receipt| {
        receipt.kind = RecordKind::LatchSet;
        receipt.digest = None;
    });
    let line = line(&event);
    assert!(line.contains("latch set") && !line.contains("signed"), "{line}");
}

/// Puts records where clients' ones are.
fn hand_in(folder: &Folder, records: &[&Vec<u8>]) {
    let taken = HandedIn::open(&folder.0).unwrap().take(records.iter().map(|record| &record[..])).unwrap();
    assert_eq!((usize::from(taken.count), taken.is_full), (records.len(), false));
}

#[test]
fn records_of_clients_fill_gaps_the_end_and_whole_boots() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(9));
    let other = Chain::new(2).seal_many(2);
    let without = |left_out: &[usize]| {
        (0..9).filter(|at| !left_out.contains(at)).map(|at| &records[at]).collect::<Vec<_>>()
    };
    write(&folder, 0, &without(&[0, 3, 4, 8]));
    assert_eq!(verify(&folder.0, &[]).unwrap().breaks, 2);
    // In any order, each more than once.
    for _ in 0..2 {
        hand_in(
            &folder,
            &[&records[8], &other[1], &records[4], &records[3], &other[0], &records[0], &records[5]],
        );
    }
    let report = verify(&folder.0, &[kept(&records[8]), kept(&other[1])]).unwrap();
    assert_found(&report, &[]);
    assert_eq!((report.records, report.filled, report.stray), (11, 6, 0));
    assert!(report.is_proven());
}

#[test]
fn a_record_that_nobody_sealed_fills_no_gap_whoever_hands_it_in() {
    let (folder, mut chain) = (Folder::new(), Chain::new(1));
    let mut records = chain.seal_many(2);
    let forged = chain.clone().seal(77, 0);
    let forged_behind = {
        let mut forger = chain.clone();
        forger.seal(77, 0);
        forger.seal(78, 0)
    };
    records.extend(chain.seal_many(3));
    write(&folder, 0, &[&records[0], &records[1], &records[4]]);
    hand_in(&folder, &[&forged, &forged_behind]);
    let report = verify(&folder.0, &[]).unwrap();
    let gap = Fault::Chain(ChainFault::SequenceDiffers { expected: 2, found: 4 });
    assert_found(&report, &[(2 * (records[0].len() as u64 + 4), gap)]);
    assert_eq!((report.filled, report.stray), (0, 2));
    // The true ones beside them: what is there and what is missing is told to the record.
    hand_in(&folder, &[&records[3]]);
    let gap = Fault::Chain(ChainFault::SequenceDiffers { expected: 2, found: 3 });
    let report = verify(&folder.0, &[]).unwrap();
    assert_eq!((report.found[0].fault, report.breaks, report.filled, report.stray), (gap, 1, 1, 2));
    hand_in(&folder, &[&records[2]]);
    let report = verify(&folder.0, &[]).unwrap();
    assert_eq!((report.breaks, report.filled, report.stray), (0, 2, 2));
}

#[test]
fn behind_the_end_the_record_that_a_head_vouches_for_is_preferred() {
    let (folder, mut chain) = (Folder::new(), Chain::new(1));
    let mut records = chain.seal_many(2);
    let forged = chain.clone().seal(77, 0);
    records.push(chain.seal(1, 0));
    write(&folder, 0, &[&records[0], &records[1]]);
    hand_in(&folder, &[&forged, &records[2]]);
    let report = verify(&folder.0, &[kept(&records[2])]).unwrap();
    assert_found(&report, &[]);
    assert_eq!((report.filled, report.stray, report.is_proven()), (1, 1, true));
}

#[test]
fn what_is_handed_in_ends_at_the_first_that_is_no_record_and_a_torn_end_is_moved_aside() {
    let (folder, records) = (Folder::new(), Chain::new(1).seal_many(3));
    let handed_in = HandedIn::open(&folder.0).unwrap();
    let offered = [&records[0][..], b"no record", &records[1]];
    assert_eq!(handed_in.take(offered.into_iter()).unwrap(), Taken { count: 1, is_full: false });
    drop(handed_in);
    let file = folder.0.join("handed-in").join(format!("{}.log", "01".repeat(16)));
    let whole = fs::read(&file).unwrap();
    fs::write(&file, [&whole[..], &framed(&records[1])[..50]].concat()).unwrap();
    hand_in(&folder, &[&records[1], &records[2]]);
    let report = verify(&folder.0, &[]).unwrap();
    assert_eq!((report.records, report.breaks, report.filled), (3, 0, 3));
}

#[test]
fn so_many_boots_are_kept_and_records_of_others_are_not() {
    let folder = Folder::new();
    let handed_in = HandedIn::open(&folder.0).unwrap();
    let record = |boot: u16| {
        let mut chain = Chain::new(1);
        chain.boot_id[..2].copy_from_slice(&boot.to_le_bytes());
        chain.seal(1, 0)
    };
    for boot in 0..1_024 {
        let taken = handed_in.take([&record(boot)[..]].into_iter()).unwrap();
        assert_eq!(taken, Taken { count: 1, is_full: false });
    }
    let offered = [record(7), record(1_024), record(8)];
    let taken = handed_in.take(offered.iter().map(|record| &record[..])).unwrap();
    assert_eq!(taken, Taken { count: 1, is_full: true });
    // Nor after a start.
    drop(handed_in);
    let taken = HandedIn::open(&folder.0).unwrap().take([&record(1_024)[..]].into_iter()).unwrap();
    assert_eq!(taken, Taken { count: 0, is_full: true });
}
