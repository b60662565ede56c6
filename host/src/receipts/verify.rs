//! Checks that the receipts in a folder are the vault's chains, whole and in order.
//!
//! Every boot's records, over all of its segments, must follow one another without a gap from the first
//! (`wire::receipt::ChainReader`). Whoever can write the folder can also write another chain, or cut an end off:
//! against that stands what others hold ([`Held`]): a running vault's word, a head, a receipt a client kept.
//!
//! ```text
//! record   0 .. 41          42            43 .. 57
//!          ─ proven ─>  newest head held  ─ unproven: follows from the chain, nobody vouches for it ─
//! ```
//! Where the ledger has a gap or an end, what clients handed in fills it ([`super::spare`]).
//!
//! Memory is bounded: one record, one line a boot, the heads, what was handed in, and [`BREAKS_MAX`] breaks. A record that comes late is
//! compared with the one that came first in a second reading.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use wire::receipt::{ChainFault, Link, Receipt, RecordKind, genesis, link};

use super::fault::{Break, Fault};
use super::handed_in;
use super::segment::{self, Name, Records, Step};
use super::spare::Spare;

/// Breaks that are told one by one. All are counted.
pub const BREAKS_MAX: usize = 64;

/// The head of a boot's chain that somebody holds outside of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The boot.
    pub boot_id: [u8; 16],
    /// The sequence of the record.
    pub sequence: u64,
    /// Its link.
    pub link: Link,
    /// Who holds it, for people.
    pub holder: String,
}

impl Held {
    /// What a vault says of its running boot: how many receipts it has sealed, and the link of the last. `None`
    /// when there are none.
    #[must_use]
    pub fn by_vault(boot_id: [u8; 16], receipts: u64, link: Link) -> Option<Self> {
        let sequence = receipts.checked_sub(1)?;
        Some(Self { boot_id, sequence, link, holder: "the vault's own word".to_owned() })
    }

    /// A record that a client kept.
    #[must_use]
    pub fn by_record(record: &[u8], holder: &str) -> Option<Self> {
        let receipt = Receipt::read(record).ok()?;
        let (boot_id, sequence) = (receipt.boot_id, receipt.sequence);
        Some(Self { boot_id, sequence, link: link(record), holder: holder.to_owned() })
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Segments read.
    pub segments: u64,
    /// The boots, by the time of their first record.
    pub boots: Vec<Boot>,
    /// Records read.
    pub records: u64,
    /// Records of signatures.
    pub signed: u64,
    /// Records of refusals.
    pub refused: u64,
    /// Records of events: latches, operators' orders.
    pub events: u64,
    /// Records that are not in the ledger and fill its gaps or follow its end, because clients handed them in. They are among
    /// those above.
    pub filled: u64,
    /// Records that clients handed in and that fit nowhere. Nobody vouches for them, so they are no break.
    pub stray: u64,
    /// How many breaks there are.
    pub breaks: u64,
    /// The first [`BREAKS_MAX`] of them, in the order of the files.
    pub found: Vec<Break>,
    /// Whether the folder ends before a head that is held elsewhere.
    pub is_end_missing: bool,
    /// Torn ends that an earlier start of the daemon moved aside. Their replies never went on.
    pub side_files: Vec<PathBuf>,
}

/// One boot's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boot {
    /// Its id.
    pub boot_id: [u8; 16],
    /// Segments that hold its records.
    pub segments: u64,
    /// Records read.
    pub records: u64,
    /// Breaks among them.
    pub breaks: u64,
    /// The first record.
    pub first: Option<Mark>,
    /// The record of the highest sequence.
    pub last: Option<Mark>,
    /// The newest record up to which the chain is unbroken and ends in a head held elsewhere.
    pub proven: Option<u64>,
}

/// Which record, when, of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its sequence.
    pub sequence: u64,
    /// Its time, ms since the Unix epoch.
    pub wall_ms: u64,
    /// What it tells.
    pub kind: RecordKind,
}

impl Boot {
    /// How many records behind the proven ones nobody vouches for.
    #[must_use]
    pub fn unproven(&self) -> u64 {
        let end = self.last.map_or(0, |last| last.sequence.saturating_add(1));
        end.saturating_sub(self.proven.map_or(0, |proven| proven.saturating_add(1)))
    }
}

impl Report {
    /// The first break.
    #[must_use]
    pub fn first_break(&self) -> Option<&Break> {
        self.found.first()
    }

    /// Whether every record of every boot is proven.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.breaks == 0 && self.boots.iter().all(|boot| boot.unproven() == 0)
    }

    /// Counts a record that a client handed in, and follows it.
    fn fill(&mut self, file: &Path, follower: &mut Follower<'_>, record: &[u8]) {
        self.filled = self.filled.saturating_add(1);
        self.count(record);
        if let Err((fault, other)) = follower.follow(record) {
            self.note(file, 0, fault, other);
        }
    }

    fn count(&mut self, record: &[u8]) {
        self.records = self.records.saturating_add(1);
        let Ok(receipt) = Receipt::read(record) else { return };
        let count = match receipt.refusal() {
            _ if receipt.kind != RecordKind::Decision => &mut self.events,
            Ok(None) => &mut self.signed,
            Ok(Some(_)) | Err(_) => &mut self.refused,
        };
        *count = count.saturating_add(1);
    }

    fn note(&mut self, file: &Path, offset: u64, fault: Fault, other: Option<String>) {
        self.breaks = self.breaks.saturating_add(1);
        if self.found.len() < BREAKS_MAX {
            self.found.push(Break { file: file.to_owned(), offset, fault, other });
        }
    }
}

/// Between two readings of a folder that is being written.
const READING_PAUSE: Duration = Duration::from_millis(50);

/// Like [`verify`], while a daemon writes: a receipt that the vault has sealed may still be on its way to the
/// folder, or half written. As long as the end is not there the files are read again, until `patience` has passed.
///
/// # Errors
/// Like [`verify`].
pub fn verify_live(folder: &Path, held: &[Held], patience: Duration) -> io::Result<Report> {
    let mut waited = Duration::ZERO;
    loop {
        let report = verify(folder, held)?;
        let is_torn = matches!(report.first_break(), Some(Break { fault: Fault::Torn { .. }, .. }));
        if waited >= patience || !(report.is_end_missing || is_torn) {
            return Ok(report);
        }
        thread::sleep(READING_PAUSE);
        waited = waited.saturating_add(READING_PAUSE);
    }
}

/// Reads all segments in `folder` and follows the chain of every boot. The records of the heads in `held` must be
/// there, with the links they have there.
///
/// # Errors
/// When a file cannot be read. A broken chain is no error but a finding.
pub fn verify(folder: &Path, held: &[Held]) -> io::Result<Report> {
    let mut report = Report::default();
    let mut handed_in = handed_in::all(folder)?;
    let segments = segment::list(folder)?;
    for boot in segments.chunk_by(|(one, _), (other, _)| one.boot_id == other.boot_id) {
        let Some((Name { boot_id, .. }, _)) = boot.first() else { continue };
        let spare = Spare::new(handed_in.remove(boot_id).unwrap_or_default());
        read_boot(&mut report, folder, *boot_id, boot, spare, held)?;
    }
    for (boot_id, records) in handed_in {
        read_boot(&mut report, folder, boot_id, &[], Spare::new(records), held)?;
    }
    for held in held {
        if report.boots.iter().any(|boot| boot.boot_id == held.boot_id) {
            continue;
        }
        report.is_end_missing = true;
        let fault = Fault::EndMissing { sealed: held.sequence.saturating_add(1) };
        report.note(folder, 0, fault, Some(held_by(held)));
    }
    report.boots.sort_by_key(|boot| (boot.first.map(|first| first.wall_ms), boot.boot_id));
    report.side_files = side_files(folder)?;
    Ok(report)
}

fn read_boot(
    report: &mut Report,
    folder: &Path,
    boot_id: [u8; 16],
    segments: &[(Name, PathBuf)],
    spare: Spare,
    held: &[Held],
) -> io::Result<()> {
    let (breaks_before, found_before) = (report.breaks, report.found.len());
    let mut follower = Follower::new(boot_id, spare);
    for held in held.iter().filter(|held| held.boot_id == boot_id) {
        follower.held.entry(held.sequence).or_default().push(held);
    }
    for (_, path) in segments {
        report.segments = report.segments.saturating_add(1);
        follower.boot.segments = follower.boot.segments.saturating_add(1);
        read_segment(report, &mut follower, path)?;
    }
    compare_late(report, found_before, segments)?;
    let end = segments.last().map_or(folder, |(_, path)| path);
    while let Some(record) = follower.spare_behind() {
        report.fill(end, &mut follower, &record);
    }
    report.stray = report.stray.saturating_add(follower.spare.left());
    let last = follower.boot.last.map(|last| last.sequence);
    for held in follower.held.iter().filter(|(at, _)| !follower.seen.contains(at)).flat_map(|(_, held)| held)
    {
        let is_behind = last.is_none_or(|last| held.sequence > last);
        let fault = if is_behind {
            Fault::EndMissing { sealed: held.sequence.saturating_add(1) }
        } else {
            Fault::RecordMissing { sequence: held.sequence }
        };
        report.is_end_missing |= is_behind;
        let file = if is_behind { end } else { folder };
        let offset = if is_behind { file.metadata().map_or(0, |file| file.len()) } else { 0 };
        report.note(file, offset, fault, Some(held_by(held)));
    }
    let mut boot = follower.boot;
    boot.breaks = report.breaks.saturating_sub(breaks_before);
    report.boots.push(boot);
    Ok(())
}

fn read_segment(report: &mut Report, follower: &mut Follower<'_>, path: &Path) -> io::Result<()> {
    let mut records = Records::open(path)?;
    loop {
        let offset = records.offset();
        let fault = match records.step()? {
            Step::Record(record) => {
                for record in follower.spare_before(&record) {
                    report.fill(path, follower, &record);
                }
                report.count(&record);
                if let Err((fault, other)) = follower.follow(&record) {
                    report.note(path, offset, fault, other);
                }
                continue;
            }
            Step::End => return Ok(()),
            Step::Torn { size } => Fault::Torn { size },
            Step::Damaged { declared } => Fault::Damaged { declared },
        };
        follower.is_broken = true;
        report.note(path, offset, fault, None);
        return Ok(());
    }
}

fn held_by(held: &Held) -> String {
    format!("held: receipt {} by {}", held.sequence, held.holder)
}

/// Follows one boot. Behind a break it goes on, so that one lost receipt does not hide the state of all that follow:
/// from the record that broke it, but not from one that comes late.
struct Follower<'h> {
    boot: Boot,
    /// The heads of this boot by sequence, and those sequences among them whose record is there.
    held: BTreeMap<u64, Vec<&'h Held>>,
    spare: Spare,
    seen: BTreeSet<u64>,
    policy_hash: Option<[u8; 32]>,
    expected: u64,
    /// The last record's link; the boot's genesis before the first.
    link: Option<Link>,
    is_broken: bool,
}

impl Follower<'_> {
    fn new(boot_id: [u8; 16], spare: Spare) -> Self {
        let (segments, records, breaks, first, last, proven) = (0, 0, 0, None, None, None);
        let boot = Boot { boot_id, segments, records, breaks, first, last, proven };
        let (held, seen) = (BTreeMap::new(), BTreeSet::new());
        Self { boot, held, spare, seen, policy_hash: None, expected: 0, link: None, is_broken: false }
    }

    /// What clients handed in of the gap before this record of the ledger.
    fn spare_before(&mut self, record: &[u8]) -> Vec<Vec<u8>> {
        let Ok(receipt) = Receipt::read(record) else { return Vec::new() };
        if receipt.boot_id != self.boot.boot_id {
            return Vec::new();
        }
        self.spare.forget(receipt.sequence, &link(record));
        self.spare.lead_to(self.expected, receipt.sequence, receipt.previous)
    }

    /// What a client handed in that follows the last record.
    fn spare_behind(&mut self) -> Option<Vec<u8>> {
        let held: Vec<Link> =
            self.held.get(&self.expected).into_iter().flatten().map(|held| held.link).collect();
        self.spare.follow(self.expected, self.link, &held)
    }

    fn follow(&mut self, record: &[u8]) -> Result<(), (Fault, Option<String>)> {
        let outcome = self.place(record);
        self.is_broken |= outcome.is_err();
        let Ok(receipt) = Receipt::read(record) else {
            return outcome.map_err(|fault| (fault, None));
        };
        if receipt.boot_id != self.boot.boot_id {
            return outcome.map_err(|fault| (fault, None));
        }
        self.boot.records = self.boot.records.saturating_add(1);
        let mark = Mark { sequence: receipt.sequence, wall_ms: receipt.wall_ms, kind: receipt.kind };
        self.boot.first.get_or_insert(mark);
        if self.boot.last.is_none_or(|last| last.sequence < mark.sequence) {
            self.boot.last = Some(mark);
        }
        if let Some(held) = self.held.get(&receipt.sequence) {
            self.seen.insert(receipt.sequence);
            let own = link(record);
            if let Some(held) = held.iter().find(|held| held.link != own) {
                self.is_broken = true;
                return Err((Fault::HeadDiffers, Some(held_by(held))));
            }
            if !self.is_broken {
                self.boot.proven = Some(receipt.sequence);
            }
        }
        outcome.map_err(|fault| (fault, None))
    }

    /// Whether the record comes next. It is the one to follow from then, unless it comes late.
    fn place(&mut self, record: &[u8]) -> Result<(), Fault> {
        let receipt = Receipt::read(record).map_err(|_| Fault::Chain(ChainFault::NotARecord))?;
        if receipt.boot_id != self.boot.boot_id {
            return Err(Fault::AnotherBoot);
        }
        let (expected, found) = (self.expected, receipt.sequence);
        if found < expected {
            return Err(Fault::Chain(ChainFault::SequenceDiffers { expected, found }));
        }
        let is_policy_kept = *self.policy_hash.get_or_insert(receipt.policy_hash) == receipt.policy_hash;
        let before = self.link.unwrap_or_else(|| genesis(&receipt.boot_id, &receipt.policy_hash));
        let outcome = if found > expected {
            Err(ChainFault::SequenceDiffers { expected, found })
        } else if !is_policy_kept {
            Err(ChainFault::PolicyChanged)
        } else if receipt.previous != before {
            Err(ChainFault::LinkDiffers)
        } else {
            Ok(())
        };
        self.expected = found.saturating_add(1);
        self.link = Some(link(record));
        outcome.map_err(Fault::Chain)
    }
}

/// Tells the late records apart: the same as the one that came first, another one in its place, or only late.
fn compare_late(report: &mut Report, from: usize, segments: &[(Name, PathBuf)]) -> io::Result<()> {
    let late = |found: &Break| {
        let Fault::Chain(ChainFault::SequenceDiffers { expected, found }) = found.fault else { return None };
        (found < expected).then_some(found)
    };
    let found = report.found.get_mut(from..).unwrap_or_default();
    if !found.iter().any(|found| late(found).is_some()) {
        return Ok(());
    }
    let wanted: Vec<u64> = found.iter().filter_map(late).collect();
    let mut places: BTreeMap<u64, Vec<(Link, PathBuf, u64)>> = BTreeMap::new();
    for (_, path) in segments {
        let mut records = Records::open(path)?;
        loop {
            let offset = records.offset();
            let Step::Record(record) = records.step()? else { break };
            let Ok(receipt) = Receipt::read(&record) else { continue };
            if wanted.contains(&receipt.sequence) {
                let places = places.entry(receipt.sequence).or_default();
                if places.len() <= BREAKS_MAX {
                    places.push((link(&record), path.clone(), offset));
                }
            }
        }
    }
    for found in found {
        let Some(sequence) = late(found) else { continue };
        let Some(places) = places.get(&sequence) else { continue };
        let is_this =
            |(_, path, offset): &&(Link, PathBuf, u64)| (path, offset) == (&found.file, &found.offset);
        let (Some(this), Some(first)) = (places.iter().find(is_this), places.first()) else { continue };
        if (&first.1, first.2) == (&found.file, found.offset) {
            continue;
        }
        found.fault =
            if first.0 == this.0 { Fault::Duplicate { sequence } } else { Fault::Fork { sequence } };
        found.other = Some(format!("the first: {} offset {}", first.1.display(), first.2));
    }
    Ok(())
}

fn side_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_str().is_some_and(|path| path.contains(".log.torn-")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
