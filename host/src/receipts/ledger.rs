//! The ledger: receipts in sequence, on disk before their replies go on.
//!
//! Several connections carry replies at once, so receipts may come here out of turn. Each request is a [`Flight`]
//! from before it is sent until its receipt is here or its connection failed. [`Flight::append`] holds a receipt
//! back until those before it are written.
//!
//! ```text
//! receipt 7 comes, 5 was the last   a gap: 6 is missing. Whoever has 6 was in flight before 7 was sealed.
//! all of those flights have ended   nobody of this daemon has 6: 7 is written, and `verify` reports the gap
//! ```
//! So a gap is written when it is one and never otherwise, without a clock; a flight's own end is bounded by the
//! relay's timeouts. Whatever the daemon has written for a boot is a prefix of the vault's chain whenever all
//! of the vault's clients come through this daemon.
//!
//! Durability: a record is with the kernel (one `write`) before its reply goes on, so it outlives the daemon's
//! death, by `kill -9` too. It is synced to the disk every [`SYNC_EVERY`] and at the end: a power failure can
//! cost at most the receipts of that time. A torn record that it leaves is moved to `<segment>.torn-<offset>.<n>`
//! at the next start, never dropped.
//!
//! After the first error of a write or a sync nothing is appended any more. That the open segment has lost its name
//! (it or its folder was removed, renamed or replaced) is such an error: it is looked for before every write.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use wire::receipt::{Link, Receipt, link};

use super::repair::{Repair, recover};
use super::segment::{self, Name, private};
use super::space::Space;

/// How often written records are synced to the disk.
pub const SYNC_EVERY: Duration = Duration::from_millis(200);

/// Receipts that may wait for others at the same time. Each is held by a connection, of which there are fewer.
const WAITING_MAX: usize = 1024;

/// Written records whose links are remembered, for those that come twice: by their reply and by the vault's own list.
const RECENT_MAX: usize = 8_192;

/// Boots whose segments are open at the same time.
const CHAINS_MAX: usize = 4;

/// Where a segment is full and the next one begins, in bytes: it ends with the record that reaches this.
pub const SEGMENT_SIZE_MAX: u64 = 256 * 1024 * 1024;

/// Why a receipt is not on disk. Its reply must not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// It is no receipt.
    NotAReceipt,
    /// Too many wait.
    TooManyWaiting,
    /// The disk failed, now or earlier.
    Disk(io::ErrorKind),
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAReceipt => f.write_str("it is no receipt"),
            Self::TooManyWaiting => f.write_str("too many receipts wait for others"),
            Self::Disk(kind) => write!(f, "{kind}"),
        }
    }
}

/// The receipts folder, held by one daemon at a time.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
    state: Mutex<State>,
    written: Condvar,
    /// Holds the folder's lock.
    lock: File,
}

#[derive(Debug, Default)]
struct State {
    segment_size_max: u64,
    /// What earlier runs left: the next segment number and sequence of each boot.
    known: BTreeMap<[u8; 16], Next>,
    chains: Vec<Chain>,
    flights: Flights,
    failed: Option<io::ErrorKind>,
}

/// The requests whose receipts may still come.
#[derive(Debug, Default)]
struct Flights {
    next: u64,
    open: BTreeSet<u64>,
}

/// A receipt that waits for those before it.
#[derive(Debug)]
struct Waiting {
    record: Vec<u8>,
    /// The first flight that began after this receipt was here.
    flights_end: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Next {
    number: u32,
    sequence: u64,
}

/// One boot's open segment.
#[derive(Debug)]
struct Chain {
    boot_id: [u8; 16],
    next: Next,
    file: Arc<File>,
    path: PathBuf,
    size: u64,
    is_dirty: bool,
    waiting: BTreeMap<u64, Waiting>,
    /// Links of the last records written without a gap, up to the one before `next.sequence`.
    recent: VecDeque<Link>,
}

impl Ledger {
    /// Opens `folder`, makes it when it is not there, and moves torn ends aside.
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
        let mut state = State { segment_size_max, ..State::default() };
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
                    next.sequence = sequence;
                    break;
                }
            }
            state.known.insert(last.boot_id, next);
        }
        let ledger =
            Self { folder: folder.to_owned(), state: Mutex::new(state), written: Condvar::new(), lock };
        Ok((ledger, repairs))
    }

    /// A request is about to be sent to the vault. Begin before its first byte goes.
    #[must_use]
    pub fn begin(&self) -> Flight<'_> {
        let flights = &mut self.lock().flights;
        let id = flights.next;
        flights.next = id.saturating_add(1);
        flights.open.insert(id);
        Flight { ledger: self, id }
    }

    /// How much room the folder's file system has.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub fn space(&self) -> io::Result<Space> {
        Space::of(&self.lock)
    }

    /// How many receipts wait for others.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lock().chains.iter().map(|chain| chain.waiting.len()).sum()
    }

    fn append(&self, flight: u64, record: &[u8]) -> Result<(), LedgerError> {
        let mut state = self.lock();
        // From here on it has nothing that another could wait for.
        state.flights.open.remove(&flight);
        self.written.notify_all();
        let receipt = Receipt::read(record).map_err(|_| LedgerError::NotAReceipt)?;
        let (boot_id, sequence) = (receipt.boot_id, receipt.sequence);
        if !state.hold(&self.folder, &receipt, record)?
            && !state.chain(&self.folder, boot_id)?.holds(sequence, record)
        {
            // Its place is another's. Kept all the same; `verify` shows it as out of sequence.
            return state.write(&self.folder, boot_id, record);
        }
        self.wait_for_turn(state, boot_id, sequence)
    }

    /// Puts a record on disk that the vault gave unasked for by any request, unless it is there or waits already.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn take(&self, record: &[u8]) -> Result<(), LedgerError> {
        let mut state = self.lock();
        let receipt = Receipt::read(record).map_err(|_| LedgerError::NotAReceipt)?;
        if state.hold(&self.folder, &receipt, record)?
            && state.write_in_turn(&self.folder, receipt.boot_id)?
        {
            self.written.notify_all();
        }
        Ok(())
    }

    fn wait_for_turn(
        &self,
        mut state: MutexGuard<'_, State>,
        boot_id: [u8; 16],
        sequence: u64,
    ) -> Result<(), LedgerError> {
        loop {
            state.check()?;
            if state.write_in_turn(&self.folder, boot_id)? {
                self.written.notify_all();
            }
            let flight_oldest = state.flights.open.first().copied();
            let chain = state.chain(&self.folder, boot_id)?;
            if chain.next.sequence > sequence {
                return Ok(());
            }
            if chain.is_gap_final(flight_oldest) {
                // Go on behind the gap, with the first that waits.
                chain.recent.clear();
                chain.next.sequence = chain.waiting.keys().next().copied().unwrap_or(sequence);
                continue;
            }
            state = self.written.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Syncs what was written since the last call.
    ///
    /// # Errors
    /// [`LedgerError::Disk`] when it fails now or the disk failed before; the ledger then takes nothing more.
    pub fn sync(&self) -> Result<(), LedgerError> {
        let mut files = Vec::new();
        for chain in &mut self.lock().chains {
            if std::mem::take(&mut chain.is_dirty) {
                files.push(Arc::clone(&chain.file));
            }
        }
        for file in files {
            // Without the lock: appends go on meanwhile.
            if let Err(error) = file.sync_data() {
                let error = self.lock().fail(&error);
                self.written.notify_all();
                return Err(error);
            }
        }
        self.lock().check()
    }

    /// The last [`Ledger::sync`]: also looks whether the open segments are still where they were written.
    ///
    /// # Errors
    /// Like [`Ledger::sync`].
    pub fn finish(&self) -> Result<(), LedgerError> {
        self.sync()?;
        let mut state = self.lock();
        let named = state.chains.iter().try_for_each(Chain::check_name);
        named.map_err(|error| state.fail(&error))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked inside left the state as good as an error would.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request on its way to the vault and back. It ends when its receipt is here or the value goes.
#[derive(Debug)]
pub struct Flight<'l> {
    ledger: &'l Ledger,
    id: u64,
}

impl Flight<'_> {
    /// Puts the request's receipt on disk, in its turn. Returns when it is there.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn append(self, record: &[u8]) -> Result<(), LedgerError> {
        self.ledger.append(self.id, record)
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.ledger.lock().flights.open.remove(&self.id);
        // Behind an append as well: it may have written what others wait for, or failed.
        self.ledger.written.notify_all();
    }
}

impl State {
    fn check(&self) -> Result<(), LedgerError> {
        self.failed.map_or(Ok(()), |kind| Err(LedgerError::Disk(kind)))
    }

    fn fail(&mut self, error: &io::Error) -> LedgerError {
        let kind = *self.failed.get_or_insert(error.kind());
        LedgerError::Disk(kind)
    }

    /// The open chain of a boot; opens its next segment when there is none.
    fn chain(&mut self, folder: &Path, boot_id: [u8; 16]) -> Result<&mut Chain, LedgerError> {
        if let Some(at) = self.chains.iter().position(|chain| chain.boot_id == boot_id) {
            return self.chains.get_mut(at).ok_or(LedgerError::TooManyWaiting);
        }
        if self.chains.len() >= CHAINS_MAX {
            self.close_oldest()?;
        }
        let next = self.known.get(&boot_id).copied().unwrap_or_default();
        match Chain::open(folder, boot_id, next) {
            Ok(chain) => self.chains.push(chain),
            Err(error) => return Err(self.fail(&error)),
        }
        self.chains.last_mut().ok_or(LedgerError::TooManyWaiting)
    }

    /// A vault has one boot at a time; older ones only have replies that were on their way.
    fn close_oldest(&mut self) -> Result<(), LedgerError> {
        let at = self.chains.iter().position(|chain| chain.waiting.is_empty());
        let chain = self.chains.remove(at.ok_or(LedgerError::TooManyWaiting)?);
        self.known.insert(chain.boot_id, chain.next);
        chain.file.sync_data().map_err(|error| self.fail(&error))
    }

    /// Has a record wait for its turn. False when its place is taken: something is written there, or waits already.
    fn hold(&mut self, folder: &Path, receipt: &Receipt<'_>, record: &[u8]) -> Result<bool, LedgerError> {
        self.check()?;
        let flights_end = self.flights.next;
        let chain = self.chain(folder, receipt.boot_id)?;
        let sequence = receipt.sequence;
        if sequence < chain.next.sequence || chain.waiting.contains_key(&sequence) {
            return Ok(false);
        }
        if chain.waiting.len() >= WAITING_MAX {
            return Err(LedgerError::TooManyWaiting);
        }
        chain.waiting.insert(sequence, Waiting { record: record.to_vec(), flights_end });
        Ok(true)
    }

    /// Writes what waits, as far as it follows without a gap. Returns whether there was anything.
    fn write_in_turn(&mut self, folder: &Path, boot_id: [u8; 16]) -> Result<bool, LedgerError> {
        let mut is_any_written = false;
        loop {
            let chain = self.chain(folder, boot_id)?;
            let Some(waiting) = chain.waiting.remove(&chain.next.sequence) else {
                return Ok(is_any_written);
            };
            chain.next.sequence = chain.next.sequence.saturating_add(1);
            self.write(folder, boot_id, &waiting.record)?;
            self.chain(folder, boot_id)?.remember(link(&waiting.record));
            is_any_written = true;
        }
    }

    fn write(&mut self, folder: &Path, boot_id: [u8; 16], record: &[u8]) -> Result<(), LedgerError> {
        let segment_size_max = self.segment_size_max;
        let chain = self.chain(folder, boot_id)?;
        let outcome = chain.write(folder, record, segment_size_max);
        outcome.map_err(|error| self.fail(&error))
    }
}

impl Chain {
    fn open(folder: &Path, boot_id: [u8; 16], next: Next) -> io::Result<Self> {
        let number = next.number;
        let path = folder.join(Name { boot_id, number }.to_string());
        let file = private().append(true).create_new(true).open(&path)?;
        File::open(folder)?.sync_all()?;
        Ok(Self {
            boot_id,
            next: Next { number: number.saturating_add(1), ..next },
            file: Arc::new(file),
            path,
            size: 0,
            is_dirty: false,
            waiting: BTreeMap::new(),
            recent: VecDeque::new(),
        })
    }

    fn remember(&mut self, link: Link) {
        if self.recent.len() >= RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(link);
    }

    /// Whether this very record is written or waits. What was written long ago is not remembered.
    fn holds(&self, sequence: u64, record: &[u8]) -> bool {
        if let Some(waiting) = self.waiting.get(&sequence) {
            return waiting.record == record;
        }
        let back = usize::try_from(self.next.sequence.saturating_sub(sequence)).unwrap_or(usize::MAX);
        let at = self.recent.len().checked_sub(back);
        at.and_then(|at| self.recent.get(at)).is_some_and(|known| *known == link(record))
    }

    /// Whether nobody can hold a receipt any more that comes before those that wait: it was sealed before they
    /// were, so its flight had begun before the first of them was here.
    fn is_gap_final(&self, flight_oldest: Option<u64>) -> bool {
        let first_seen = self.waiting.values().map(|waiting| waiting.flights_end).min();
        first_seen.is_some_and(|end| flight_oldest.is_none_or(|oldest| oldest >= end))
    }

    /// Whether the file still has its name: what is written to one that was removed, or whose folder was, is
    /// gone when the daemon ends.
    fn check_name(&self) -> io::Result<()> {
        let open = self.file.metadata()?;
        let named = fs::symlink_metadata(&self.path)?;
        let is_same = (open.dev(), open.ino()) == (named.dev(), named.ino());
        if open.nlink() > 0 && is_same { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn write(&mut self, folder: &Path, record: &[u8], segment_size_max: u64) -> io::Result<()> {
        self.check_name()?;
        if self.size >= segment_size_max {
            self.file.sync_data()?;
            let waiting = std::mem::take(&mut self.waiting);
            let recent = std::mem::take(&mut self.recent);
            *self = Self::open(folder, self.boot_id, self.next)?;
            self.waiting = waiting;
            self.recent = recent;
        }
        let size = u32::try_from(record.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let line = [&size.to_le_bytes()[..], record].concat();
        if let Err(error) = (&*self.file).write_all(&line) {
            // What stands there now is a part of a record at best.
            let _ = self.file.set_len(self.size);
            return Err(error);
        }
        self.size = self.size.saturating_add(line.len() as u64);
        self.is_dirty = true;
        Ok(())
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
