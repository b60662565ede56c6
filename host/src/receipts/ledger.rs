//! The ledger: the records that the vault gives, in sequence, on disk to stay.
//!
//! One thread owns it: the one that takes records from the vault ([`crate::taker`]). There is no other way in, so nothing
//! comes out of turn, and what was appended and synced is what the vault is told to be acknowledged.
//!
//! ```text
//! append   a record behind the last one: one write. It may leave a gap where the vault has lost records; `audit` names it
//! sync     what was appended is on the disk (fdatasync), and the segment still has its name
//! ```
//! Before a sync a record may be lost with the power, not with the process. A torn record that a power failure leaves is
//! moved to `<segment>.torn-<offset>.<n>` at the next start, never dropped.
//!
//! After the first error of a write or a sync nothing is appended any more. That the open segment has lost its name
//! (it or its folder was removed, renamed or replaced) is such an error.

use core::fmt;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use wire::head::SignedHead;
use wire::receipt::Receipt;

use super::heads;
use super::repair::{Repair, recover};
use super::segment::{self, Name, private};

/// Where a segment is full and the next one begins, in bytes: it ends with the record that reaches this.
pub const SEGMENT_SIZE_MAX: u64 = 256 * 1024 * 1024;

/// Why a record is not on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// It is no record.
    NotARecord,
    /// It comes before what the boot's chain is waiting for.
    OutOfTurn {
        /// the sequence that comes next, at least
        next: u64,
        /// the record's
        sequence: u64,
    },
    /// The folder has records of the running boot that its vault has not sealed: they are not that vault's.
    AheadOfVault {
        /// the sequence that comes next in the folder
        next: u64,
        /// how many records the vault has sealed
        sealed: u64,
    },
    /// The disk failed, now or earlier.
    Disk(io::ErrorKind),
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARecord => f.write_str("it is no record"),
            Self::OutOfTurn { next, sequence } => {
                write!(f, "record {sequence} comes where {next} is the next")
            }
            Self::AheadOfVault { next, sealed } => {
                write!(f, "the folder goes up to {next} where the vault has sealed {sealed}")
            }
            Self::Disk(kind) => write!(f, "{kind}"),
        }
    }
}

/// The receipts folder, held by one daemon at a time.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
    segment_size_max: u64,
    /// The next segment number and sequence of each boot that has no open segment.
    known: BTreeMap<[u8; 16], Next>,
    /// The segment that is written, of the boot whose record came last.
    open: Option<Segment>,
    failed: Option<io::ErrorKind>,
    /// Holds the folder's lock.
    _lock: File,
}

#[derive(Clone, Copy, Debug, Default)]
struct Next {
    number: u32,
    sequence: u64,
}

#[derive(Debug)]
struct Segment {
    name: Name,
    path: PathBuf,
    file: File,
    size: u64,
    /// The sequence of the boot's next record.
    next: u64,
    is_dirty: bool,
}

impl Ledger {
    /// Opens `folder`, makes it when it is not there, and moves torn ends aside. What an earlier daemon wrote is synced
    /// here: it may have died before it did that.
    ///
    /// # Errors
    /// When the folder cannot be used, others may write to it (`PermissionDenied`), or another daemon holds it (`WouldBlock`).
    pub fn open(folder: &Path) -> io::Result<(Self, Vec<Repair>)> {
        Self::open_with(folder, SEGMENT_SIZE_MAX)
    }

    /// Like [`Ledger::open`], with segments that end at `segment_size_max` bytes.
    ///
    /// # Errors
    /// Like [`Ledger::open`].
    pub fn open_with(folder: &Path, segment_size_max: u64) -> io::Result<(Self, Vec<Repair>)> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        check_private(folder)?;
        let lock = private().create(true).truncate(false).open(folder.join("lock"))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let mut known = BTreeMap::new();
        let mut repairs = Vec::new();
        let segments = segment::list(folder)?;
        for boot in segments.chunk_by(|(one, _), (other, _)| one.boot_id == other.boot_id) {
            let Some((last, _)) = boot.last() else { continue };
            let mut next = Next { number: last.number.saturating_add(1), sequence: 0 };
            // A segment that was made and not written to tells nothing of the sequence; the one before it does.
            for (_, path) in boot.iter().rev() {
                let (sequence, repair) = recover(path)?;
                repairs.extend(repair);
                if let Some(sequence) = sequence {
                    File::open(path)?.sync_data()?;
                    next.sequence = sequence;
                    break;
                }
            }
            known.insert(last.boot_id, next);
        }
        let folder = folder.to_owned();
        Ok((Self { folder, segment_size_max, known, open: None, failed: None, _lock: lock }, repairs))
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The sequence behind the last record of a boot that is here; 0 when there is none.
    #[must_use]
    pub fn next(&self, boot_id: [u8; 16]) -> u64 {
        match &self.open {
            Some(open) if open.name.boot_id == boot_id => open.next,
            _ => self.known.get(&boot_id).map_or(0, |next| next.sequence),
        }
    }

    /// Writes a record behind the last one of its boot. Its place may lie further on: then those between are missing.
    ///
    /// # Errors
    /// [`LedgerError`]. After [`LedgerError::Disk`] nothing is taken any more.
    pub fn append(&mut self, record: &[u8]) -> Result<(), LedgerError> {
        self.check()?;
        let receipt = Receipt::read(record).map_err(|_| LedgerError::NotARecord)?;
        let (next, sequence) = (self.next(receipt.boot_id), receipt.sequence);
        if sequence < next {
            return Err(LedgerError::OutOfTurn { next, sequence });
        }
        self.write(receipt.boot_id, sequence, record).map_err(|error| self.fail(&error))
    }

    /// Puts what was appended on the disk.
    ///
    /// # Errors
    /// [`LedgerError::Disk`] when it fails now or failed before; the ledger then takes nothing more.
    pub fn sync(&mut self) -> Result<(), LedgerError> {
        self.check()?;
        let synced = self.open.as_mut().map_or(Ok(()), Segment::sync);
        synced.map_err(|error| self.fail(&error))
    }

    /// Keeps what the vault signed of where its chain stands, in place of what it signed earlier. It is a proof and no record:
    /// one that is lost with the power costs the proof of what came since the one before.
    ///
    /// # Errors
    /// [`LedgerError::Disk`].
    pub fn keep_head(&mut self, head: &SignedHead) -> Result<(), LedgerError> {
        self.check()?;
        heads::keep(&self.folder, head).map_err(|error| self.fail(&error))
    }

    fn write(&mut self, boot_id: [u8; 16], sequence: u64, record: &[u8]) -> io::Result<()> {
        let segment_size_max = self.segment_size_max;
        let is_open = |open: &Segment| open.name.boot_id == boot_id && open.size < segment_size_max;
        if !self.open.as_ref().is_some_and(is_open) {
            self.turn_over(boot_id)?;
        }
        let open = self.open.as_mut().ok_or(io::ErrorKind::NotFound)?;
        open.write(record)?;
        open.next = sequence.saturating_add(1);
        Ok(())
    }

    /// Ends the open segment, which is full or of another boot, and begins the next one of `boot_id`.
    fn turn_over(&mut self, boot_id: [u8; 16]) -> io::Result<()> {
        if let Some(mut over) = self.open.take() {
            over.sync()?;
            let next = Next { number: over.name.number.saturating_add(1), sequence: over.next };
            self.known.insert(over.name.boot_id, next);
        }
        let next = self.known.get(&boot_id).copied().unwrap_or_default();
        self.open = Some(Segment::begin(&self.folder, boot_id, next)?);
        Ok(())
    }

    fn check(&self) -> Result<(), LedgerError> {
        self.failed.map_or(Ok(()), |kind| Err(LedgerError::Disk(kind)))
    }

    fn fail(&mut self, error: &io::Error) -> LedgerError {
        LedgerError::Disk(*self.failed.get_or_insert(error.kind()))
    }
}

impl Segment {
    fn begin(folder: &Path, boot_id: [u8; 16], next: Next) -> io::Result<Self> {
        let name = Name { boot_id, number: next.number };
        let path = folder.join(name.to_string());
        let file = private().append(true).create_new(true).open(&path)?;
        File::open(folder)?.sync_all()?;
        Ok(Self { name, path, file, size: 0, next: next.sequence, is_dirty: false })
    }

    fn write(&mut self, record: &[u8]) -> io::Result<()> {
        let size = u32::try_from(record.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let line = [&size.to_le_bytes()[..], record].concat();
        if let Err(error) = self.file.write_all(&line) {
            // What stands there now is a part of a record at best.
            let _ = self.file.set_len(self.size);
            return Err(error);
        }
        self.size = self.size.saturating_add(line.len() as u64);
        self.is_dirty = true;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_dirty) {
            self.file.sync_data()?;
        }
        self.check_name()
    }

    /// Whether the file still has its name: what is written to one that was removed, or whose folder was, is
    /// gone when the daemon ends.
    fn check_name(&self) -> io::Result<()> {
        let open = self.file.metadata()?;
        let named = fs::symlink_metadata(&self.path)?;
        let is_same = (open.dev(), open.ino()) == (named.dev(), named.ino());
        if open.nlink() > 0 && is_same { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// Others could put receipts there, or take them away.
fn check_private(folder: &Path) -> io::Result<()> {
    let mode = fs::metadata(folder)?.mode() & 0o7777;
    if mode & 0o022 == 0 {
        return Ok(());
    }
    let folder = folder.display();
    let text = format!("others may write to the receipts folder {folder} (mode {mode:04o}): chmod go-w it");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}
