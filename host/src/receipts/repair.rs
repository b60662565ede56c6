//! What a power failure left of a record at a segment's end: moved aside, never dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use wire::receipt::Receipt;

use super::ledger::Ledger;
use super::segment::{Records, SIZE_SIZE, Step, private};

/// Side files of one torn end.
const SIDE_FILES_MAX: u32 = 16;

/// A torn end that was moved aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The segment.
    pub segment: PathBuf,
    /// Where its end now is.
    pub offset: u64,
    /// Where the bytes are that were there.
    pub side_file: PathBuf,
}

/// Moves torn ends aside, as the start of the daemon does. Nothing is dropped and nothing else is changed.
///
/// # Errors
/// When there is no such folder, it cannot be used, others may write to it, or a daemon holds it (`WouldBlock`).
pub fn repair(folder: &Path) -> io::Result<Vec<Repair>> {
    if !folder.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let (_ledger, repairs) = Ledger::open(folder)?;
    Ok(repairs)
}

/// Moves a torn end aside. Returns the sequence that comes next, if there is a record, and what was done. A file that
/// is damaged in another way is left as it is; `verify` names the place.
pub(super) fn recover(path: &Path) -> io::Result<(Option<u64>, Option<Repair>)> {
    let mut records = Records::open(path)?;
    let mut sequence: Option<u64> = None;
    loop {
        match records.step()? {
            Step::Record(record) => {
                if let Ok(receipt) = Receipt::read(&record) {
                    sequence = sequence.max(Some(receipt.sequence.saturating_add(1)));
                }
            }
            Step::Torn { size } => {
                let repair = move_aside(path, records.offset(), size)?;
                return Ok((sequence, Some(repair)));
            }
            Step::End | Step::Damaged { .. } => return Ok((sequence, None)),
        }
    }
}

fn move_aside(path: &Path, offset: u64, size: u64) -> io::Result<Repair> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    // At most a record: `Records` calls nothing larger torn.
    let mut torn = vec![0; usize::try_from(size).unwrap_or(SIZE_SIZE)];
    file.read_exact_at(&mut torn, offset)?;
    let (side_file, mut copy) = side_file(path, offset)?;
    copy.write_all(&torn)?;
    copy.sync_all()?;
    file.set_len(offset)?;
    file.sync_all()?;
    Ok(Repair { segment: path.to_owned(), offset, side_file })
}

/// A new file beside the segment. One that an interrupted repair left is kept too.
fn side_file(path: &Path, offset: u64) -> io::Result<(PathBuf, File)> {
    for attempt in 0..SIDE_FILES_MAX {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".torn-{offset}.{attempt}"));
        match private().create_new(true).open(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (PathBuf::from(name), file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
