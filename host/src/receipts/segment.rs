//! A segment: one file of records of one boot.
//!
//! ```text
//! receipts-<boot id, 32 hex digits>-<number, 8 digits>.log
//!
//! record   size u32 little-endian, then `size` bytes as the vault sealed them (1 ..= RECEIPT_SIZE_MAX)
//! file     records, one after the other; nothing before, between or behind them
//! ```
//! Each start of the daemon begins a new segment, so only the last one of a boot can have a torn end.

use core::fmt;
use core::str::FromStr;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use wire::RECEIPT_SIZE_MAX;
use wire::receipt::{Link, Receipt, link};

/// Bytes of a record's size.
pub(super) const SIZE_SIZE: usize = 4;

/// Bytes that are all zero behind the last record are taken for a torn end up to this many: a file system may
/// have grown the file and not yet filled it when the power went.
const ZEROS_MAX: usize = SIZE_SIZE + RECEIPT_SIZE_MAX;

/// A segment's file name. Orders by boot, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The boot whose records it holds.
    pub boot_id: [u8; 16],
    /// Counts from 0 within a boot.
    pub number: u32,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("receipts-")?;
        self.boot_id.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, "-{:08}.log", self.number)
    }
}

/// The text is no segment's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAName;

impl FromStr for Name {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        let rest = text.strip_prefix("receipts-").and_then(|rest| rest.strip_suffix(".log"));
        let (boot, number) = rest.and_then(|rest| rest.split_once('-')).ok_or(NotAName)?;
        let name = Self {
            boot_id: u128::from_str_radix(boot, 16).map_err(|_| NotAName)?.to_be_bytes(),
            number: number.parse().map_err(|_| NotAName)?,
        };
        // One name for one segment: no sign, no capital, no missing zero.
        if name.to_string() == text { Ok(name) } else { Err(NotAName) }
    }
}

/// The segments in `folder`, in order.
///
/// # Errors
/// When the folder cannot be read.
pub(super) fn list(folder: &Path) -> io::Result<Vec<(Name, PathBuf)>> {
    let mut segments = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if let Some(Ok(name)) = entry.file_name().to_str().map(str::parse) {
            segments.push((name, entry.path()));
        }
    }
    segments.sort();
    Ok(segments)
}

/// The links of a boot's records with these sequences, as far as they are in its last segments; `segments_max` are read, and
/// taken off it.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn links(
    folder: &Path,
    boot_id: [u8; 16],
    sequences: &BTreeSet<u64>,
    segments_max: &mut usize,
) -> io::Result<BTreeSet<Link>> {
    let mut links = BTreeSet::new();
    let mut segments = list(folder)?;
    segments.retain(|(name, _)| name.boot_id == boot_id);
    let (Some(first), Some(last)) = (sequences.first(), sequences.last()) else { return Ok(links) };
    // From the end: a segment that begins at or before the first of them is the last one to be read.
    for (_, path) in segments.iter().rev() {
        let Some(left) = segments_max.checked_sub(1) else { break };
        *segments_max = left;
        let mut records = Records::open(path)?;
        let mut begins = None;
        while let Step::Record(record) = records.step()? {
            let Ok(receipt) = Receipt::read(&record) else { continue };
            if *begins.get_or_insert(receipt.sequence) > *last {
                break;
            }
            if sequences.contains(&receipt.sequence) {
                links.insert(link(&record));
            }
        }
        if begins.is_some_and(|begins| begins <= *first) {
            break;
        }
    }
    Ok(links)
}

/// Files that only the daemon's user can read.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

/// What stands at an offset of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A record.
    Record(Vec<u8>),
    /// The file ends here.
    End,
    /// The file ends inside a record, or in zeros: `size` bytes are left.
    Torn {
        /// bytes from here to the end
        size: u64,
    },
    /// No record has such a size; where the next one begins cannot be told.
    Damaged {
        /// the size that stands there
        declared: u32,
    },
}

/// Reads a segment record by record.
#[derive(Debug)]
pub struct Records {
    reader: BufReader<File>,
    offset: u64,
}

impl Records {
    /// Opens a segment at a place where a record begins.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open_at(path: &Path, offset: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { reader: BufReader::new(file), offset })
    }

    /// From the start of the file at `path`.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { reader: BufReader::new(File::open(path)?), offset: 0 })
    }

    /// Where the next step stands, in bytes from the start of the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next record, or why there is none. After anything but a record there is nothing further.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn step(&mut self) -> io::Result<Step> {
        let mut prefix = [0; SIZE_SIZE];
        let got = fill(&mut self.reader, &mut prefix)?;
        if got == 0 {
            return Ok(Step::End);
        }
        if got < SIZE_SIZE {
            return Ok(torn(got));
        }
        let declared = u32::from_le_bytes(prefix);
        let size = usize::try_from(declared).unwrap_or(usize::MAX);
        if declared == 0 {
            return self.zeros();
        }
        if size > RECEIPT_SIZE_MAX {
            return Ok(Step::Damaged { declared });
        }
        let mut record = vec![0; size];
        let got = fill(&mut self.reader, &mut record)?;
        if got < size {
            return Ok(torn(SIZE_SIZE + got));
        }
        self.offset = self.offset.saturating_add(u64::from(declared)).saturating_add(SIZE_SIZE as u64);
        Ok(Step::Record(record))
    }

    fn zeros(&mut self) -> io::Result<Step> {
        let mut rest = vec![0; ZEROS_MAX];
        let got = fill(&mut self.reader, &mut rest)?;
        let is_zero = rest.iter().all(|byte| *byte == 0);
        Ok(if got < ZEROS_MAX && is_zero { torn(SIZE_SIZE + got) } else { Step::Damaged { declared: 0 } })
    }
}

fn torn(size: usize) -> Step {
    Step::Torn { size: size as u64 }
}

/// Reads until `into` is full or the file ends.
fn fill(reader: &mut BufReader<File>, into: &mut [u8]) -> io::Result<usize> {
    let size = into.len() as u64;
    let mut filled = Vec::with_capacity(into.len());
    let got = reader.take(size).read_to_end(&mut filled)?;
    into.iter_mut().zip(filled).for_each(|(to, from)| *to = from);
    Ok(got)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_back_as_itself_and_only_so() {
        let name = Name { boot_id: [0x0a; 16], number: 7 };
        let text = format!("receipts-{}-00000007.log", "0a".repeat(16));
        assert_eq!(name.to_string(), text);
        assert_eq!(text.parse(), Ok(name));
        for wrong in [
            text.to_uppercase(),
            text.replace("0000000", "000000"),
            text.replace("0000000", "+000000"),
            format!("{text}.torn-12"),
            String::new(),
        ] {
            assert_eq!(wrong.parse::<Name>(), Err(NotAName), "{wrong}");
        }
    }

    #[test]
    fn names_order_by_number_within_a_boot() {
        let name = |number| Name { boot_id: [1; 16], number };
        assert!(name(2) < name(10));
        assert!(name(2).to_string() < name(10).to_string());
    }
}
