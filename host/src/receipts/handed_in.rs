//! Records that clients kept and handed in, for those that the ledger lost: `handed-in/<boot id>.log`.
//!
//! A client's record is as good as its link: in an unbroken chain it fills the one place that it fits ([`super::verify`]).
//! Nobody vouches for one that fits nowhere, so they are kept apart from the ledger.
//!
//! Bounded: [`BOOTS_MAX`] boots and [`BYTES_MAX`] bytes in all. What was handed in before takes no room, nor does what the last
//! segments of the ledger have. One frame at a time is looked at, and at most [`SEGMENTS_MAX`] segments are read for it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use wire::receipt::{Link, Receipt, link};

use super::repair::recover;
use super::segment::{self, Records, Step, private};

/// Its folder, in that of the receipts.
const FOLDER: &str = "handed-in";

/// Boots whose records are kept.
const BOOTS_MAX: usize = 1_024;

/// Bytes that are kept in all.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Segments of the ledger that are read for one frame.
const SEGMENTS_MAX: usize = 2;

/// What became of records that were handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// So many of them, from the first on, are on disk now.
    pub count: u16,
    /// There was no room for the next one.
    pub is_full: bool,
}

/// The records that were handed in.
#[derive(Debug)]
pub struct HandedIn {
    receipts: PathBuf,
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The links of what is kept, by boot.
    boots: BTreeMap<[u8; 16], BTreeSet<Link>>,
    bytes: u64,
}

impl HandedIn {
    /// Opens the folder in the receipts folder `receipts`, makes it when it is not there, and moves torn ends aside.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn open(receipts: &Path) -> io::Result<Self> {
        let folder = receipts.join(FOLDER);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let mut state = State::default();
        for (boot_id, path) in files(&folder)? {
            recover(&path)?;
            let links = read(&path)?.iter().map(|record| link(record)).collect();
            state.bytes = state.bytes.saturating_add(path.metadata()?.len());
            state.boots.insert(boot_id, links);
        }
        Ok(Self { receipts: receipts.to_owned(), folder, state: Mutex::new(state) })
    }

    /// Takes records as far as they are some and there is room.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn take<'r>(&self, records: impl Iterator<Item = &'r [u8]>) -> io::Result<Taken> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let offered: Vec<(Receipt<'_>, &[u8])> =
            records.map_while(|record| Some((Receipt::read(record).ok()?, record))).collect();
        let mut wanted: BTreeMap<[u8; 16], BTreeSet<u64>> = BTreeMap::new();
        for (receipt, _) in &offered {
            wanted.entry(receipt.boot_id).or_default().insert(receipt.sequence);
        }
        let (mut in_ledger, mut segments_max) = (BTreeSet::new(), SEGMENTS_MAX);
        for (boot_id, sequences) in &wanted {
            in_ledger.extend(segment::links(&self.receipts, *boot_id, sequences, &mut segments_max)?);
        }
        let mut files: BTreeMap<[u8; 16], File> = BTreeMap::new();
        let mut taken = Taken { count: 0, is_full: false };
        for (receipt, record) in &offered {
            let link = link(record);
            if !in_ledger.contains(&link) {
                if !state.admits(receipt.boot_id, record) {
                    taken.is_full = true;
                    break;
                }
                state.keep(&self.folder, &mut files, receipt.boot_id, link, record)?;
            }
            taken.count = taken.count.saturating_add(1);
        }
        for file in files.values() {
            file.sync_data()?;
        }
        Ok(taken)
    }
}

impl State {
    fn admits(&self, boot_id: [u8; 16], record: &[u8]) -> bool {
        let is_boot_admitted = self.boots.contains_key(&boot_id) || self.boots.len() < BOOTS_MAX;
        is_boot_admitted && self.bytes.saturating_add(record.len() as u64) <= BYTES_MAX
    }

    fn keep(
        &mut self,
        folder: &Path,
        files: &mut BTreeMap<[u8; 16], File>,
        boot_id: [u8; 16],
        link: Link,
        record: &[u8],
    ) -> io::Result<()> {
        if self.boots.get(&boot_id).is_some_and(|links| links.contains(&link)) {
            return Ok(());
        }
        let file = match files.entry(boot_id) {
            Entry::Occupied(file) => file.into_mut(),
            Entry::Vacant(vacant) => {
                let file = private().append(true).create(true).open(path(folder, boot_id))?;
                File::open(folder)?.sync_all()?;
                vacant.insert(file)
            }
        };
        let size = u32::try_from(record.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let line = [&size.to_le_bytes()[..], record].concat();
        file.write_all(&line)?;
        self.bytes = self.bytes.saturating_add(line.len() as u64);
        self.boots.entry(boot_id).or_default().insert(link);
        Ok(())
    }
}

/// The records that were handed in to the folder `receipts`, by boot.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn all(receipts: &Path) -> io::Result<BTreeMap<[u8; 16], Vec<Vec<u8>>>> {
    let mut boots = BTreeMap::new();
    for (boot_id, path) in files(&receipts.join(FOLDER))? {
        boots.insert(boot_id, read(&path)?);
    }
    Ok(boots)
}

fn path(folder: &Path, boot_id: [u8; 16]) -> PathBuf {
    folder.join(format!("{:032x}.log", u128::from_be_bytes(boot_id)))
}

fn files(folder: &Path) -> io::Result<Vec<([u8; 16], PathBuf)>> {
    let mut files = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(files),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let boot = name.to_str().and_then(|name| name.strip_suffix(".log"));
        let boot_id = boot.and_then(|boot| u128::from_str_radix(boot, 16).ok()).map(u128::to_be_bytes);
        files.extend(
            boot_id.filter(|boot_id| path(folder, *boot_id) == entry.path()).map(|id| (id, entry.path())),
        );
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut records = Records::open(path)?;
    let mut all = Vec::new();
    while let Step::Record(record) = records.step()? {
        all.push(record);
    }
    Ok(all)
}
