//! Checks that the receipts in a folder are the vault's chain, whole and in order.
//!
//! Every boot's records, over all of its segments, must follow one another without a gap from the first
//! (`wire::receipt::ChainReader`). What a folder alone cannot show is that its end was cut off between two
//! records: for that the vault's own word is needed ([`Expected`], from a status).

use core::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use wire::receipt::{ChainFault, ChainReader, Link, Receipt, link};

use super::segment::{self, Name, Records, Step};

/// What the vault says about its running boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The boot.
    pub boot_id: [u8; 16],
    /// How many receipts it has sealed.
    pub receipts: u64,
    /// The link of the last of them.
    pub head: Link,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Segments read.
    pub segments: u64,
    /// Boots they belong to.
    pub boots: u64,
    /// Records read.
    pub records: u64,
    /// Records of signatures.
    pub signed: u64,
    /// Records of refusals.
    pub refused: u64,
    /// Breaks found.
    pub breaks: u64,
    /// The first of them.
    pub first_break: Option<Break>,
    /// Whether the folder ends before what the vault says is its last receipt.
    pub is_end_missing: bool,
    /// Torn ends that an earlier start of the daemon moved aside. Their replies never went on.
    pub side_files: Vec<PathBuf>,
}

/// Where a chain is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The segment.
    pub file: PathBuf,
    /// Where in it, in bytes.
    pub offset: u64,
    /// How.
    pub fault: Fault,
}

/// How a chain is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A record does not follow the one before it.
    Chain(ChainFault),
    /// A record of another boot than the file's name says.
    AnotherBoot,
    /// The file ends inside a record.
    Torn {
        /// bytes left over
        size: u64,
    },
    /// No record has this size; the rest of the file was not read.
    Damaged {
        /// the size that stands there
        declared: u32,
    },
    /// The vault has sealed more than is here.
    EndMissing {
        /// receipts the vault has sealed
        sealed: u64,
    },
    /// The vault's own link of its last receipt is another one.
    HeadDiffers,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain(ChainFault::NotARecord) => f.write_str("the bytes are no receipt"),
            Self::Chain(ChainFault::LinkDiffers) => {
                f.write_str("the record names another predecessor: it or the one before it was changed")
            }
            Self::Chain(ChainFault::SequenceDiffers { expected, found }) if found > expected => {
                write!(f, "a gap: receipts {expected} to {} are missing", found - 1)
            }
            Self::Chain(ChainFault::SequenceDiffers { expected, found }) => {
                write!(f, "out of order: receipt {found} where {expected} should be")
            }
            Self::Chain(ChainFault::PolicyChanged) => f.write_str("the policy changed within a boot"),
            Self::AnotherBoot => f.write_str("a record of another boot than the file's"),
            Self::Torn { size } => write!(f, "the file ends inside a record ({size} bytes)"),
            Self::Damaged { declared } => write!(f, "no record has a size of {declared} bytes"),
            Self::EndMissing { sealed } => {
                write!(f, "the end is missing: the vault has sealed {sealed} receipts")
            }
            Self::HeadDiffers => f.write_str("the last record is not the one that the vault has sealed"),
        }
    }
}

/// Between two readings of a folder that is being written.
const READING_PAUSE: Duration = Duration::from_millis(50);

/// Like [`verify`] with what the vault said before, while a daemon writes: a receipt that the vault has sealed may
/// still be on its way to the folder, or half written. As long as the end is not there the files are read again,
/// until `patience` has passed.
///
/// # Errors
/// Like [`verify`].
pub fn verify_live(folder: &Path, expected: Expected, patience: Duration) -> io::Result<Report> {
    let mut waited = Duration::ZERO;
    loop {
        let report = verify(folder, Some(expected))?;
        let is_torn = matches!(report.first_break, Some(Break { fault: Fault::Torn { .. }, .. }));
        if waited >= patience || !(report.is_end_missing || is_torn) {
            return Ok(report);
        }
        thread::sleep(READING_PAUSE);
        waited = waited.saturating_add(READING_PAUSE);
    }
}

/// Reads all segments in `folder` and follows the chain of every boot. With `expected`, the boot it speaks of
/// must also be there up to the end it had when the vault was asked.
///
/// # Errors
/// When a file cannot be read. A broken chain is no error but a finding.
pub fn verify(folder: &Path, expected: Option<Expected>) -> io::Result<Report> {
    let mut report = Report::default();
    let mut follower: Option<Follower> = None;
    let mut is_end_seen = false;
    for (name, path) in segment::list(folder)? {
        if follower.as_ref().is_none_or(|follower| follower.boot_id != name.boot_id) {
            report.boots += 1;
            follower = Some(Follower::new(name.boot_id));
        }
        let Some(follower) = &mut follower else { continue };
        report.segments += 1;
        is_end_seen |= read_segment(&mut report, follower, (name, &path), expected)?;
    }
    if let Some(expected) = expected.filter(|expected| expected.receipts > 0 && !is_end_seen) {
        let fault = Fault::EndMissing { sealed: expected.receipts };
        report.note(folder, 0, fault);
        report.is_end_missing = true;
    }
    report.side_files = side_files(folder)?;
    Ok(report)
}

/// Returns whether the record was there that the vault said was its last.
fn read_segment(
    report: &mut Report,
    follower: &mut Follower,
    (name, path): (Name, &Path),
    expected: Option<Expected>,
) -> io::Result<bool> {
    let mut records = Records::open(path)?;
    let mut is_end_seen = false;
    loop {
        let offset = records.offset();
        match records.step()? {
            Step::Record(record) => {
                report.records += 1;
                if let Err(fault) = follower.follow(&record) {
                    report.note(path, offset, fault);
                }
                let Ok(receipt) = Receipt::read(&record) else {
                    continue;
                };
                match receipt.refusal() {
                    Ok(None) => report.signed += 1,
                    Ok(Some(_)) | Err(_) => report.refused += 1,
                }
                let last = expected.filter(|expected| {
                    expected.boot_id == name.boot_id
                        && expected.receipts.checked_sub(1) == Some(receipt.sequence)
                });
                if let Some(last) = last {
                    is_end_seen = true;
                    if last.head != link(&record) {
                        report.note(path, offset, Fault::HeadDiffers);
                    }
                }
            }
            Step::End => return Ok(is_end_seen),
            Step::Torn { size } => {
                report.note(path, offset, Fault::Torn { size });
                return Ok(is_end_seen);
            }
            Step::Damaged { declared } => {
                report.note(path, offset, Fault::Damaged { declared });
                return Ok(is_end_seen);
            }
        }
    }
}

impl Report {
    fn note(&mut self, file: &Path, offset: u64, fault: Fault) {
        self.breaks += 1;
        self.first_break.get_or_insert_with(|| Break { file: file.to_owned(), offset, fault });
    }
}

/// Follows one boot. Behind a break it goes on from the record that broke it, so that one lost receipt does
/// not hide the state of all that follow.
struct Follower {
    boot_id: [u8; 16],
    reader: ChainReader,
    /// Sequence and link of the last record, once the chain is broken.
    behind_break: Option<(u64, Link)>,
}

impl Follower {
    fn new(boot_id: [u8; 16]) -> Self {
        Self { boot_id, reader: ChainReader::default(), behind_break: None }
    }

    fn follow(&mut self, record: &[u8]) -> Result<(), Fault> {
        let receipt = Receipt::read(record).map_err(|_| Fault::Chain(ChainFault::NotARecord))?;
        if receipt.boot_id != self.boot_id {
            return Err(Fault::AnotherBoot);
        }
        let outcome = match self.behind_break {
            None => self.reader.follow(record).map(drop),
            Some((sequence, _)) if receipt.sequence != sequence.saturating_add(1) => {
                Err(ChainFault::SequenceDiffers {
                    expected: sequence.saturating_add(1),
                    found: receipt.sequence,
                })
            }
            Some((_, link)) if receipt.previous != link => Err(ChainFault::LinkDiffers),
            Some(_) => Ok(()),
        };
        if outcome.is_err() || self.behind_break.is_some() {
            self.behind_break = Some((receipt.sequence, link(record)));
        }
        outcome.map_err(Fault::Chain)
    }
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
