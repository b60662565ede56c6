//! Takes the vault's records, puts them on disk, and says so; by that it is the vault's heartbeat, too.
//!
//! ```text
//! Take { next, acknowledged, wait_ms }  ->   all below `acknowledged` is on disk to stay
//!                                       <-   the records from `next` on, as soon as there is one, and the signed head
//! append, one by one; when the vault has no more of them: sync, and only then acknowledge
//! ```
//! It is the only one that writes the ledger. A disk that is slow makes batches larger; one that hangs silences the
//! heartbeat, and the vault becomes as strict as its book says for a host that is gone.

use std::fmt;
use std::time::Duration;

use transport::Stop;
use wire::control::{self, Command, Records, TAKE_WAIT_MS_MAX};
use wire::head::SignedHead;
use wire::receipt::Receipt;

use crate::control::ControlError;
use crate::log::{self, Level, Limited};
use crate::receipts::{Ledger, LedgerError};
use crate::vault::{Line, Vault};

/// Between two attempts to reach a vault that is gone.
const RETRY_EVERY: Duration = Duration::from_millis(50);

/// Records that are taken without a sync between, while the vault has more.
const UNSYNCED_MAX: u64 = 1_024;

/// Under load a head is kept each time that so many records came since the last one; in quiet, with the last record.
const HEAD_EVERY: u64 = 1_024;

/// Failed attempts between two lines about them.
const SAY_EVERY: u64 = 200;

static VAULT_SILENT: Limited = Limited::new("vault_silent");

/// Takes until `stop`, and then as long as there are records; over when the vault is not reached then.
///
/// # Errors
/// When the disk failed: nothing can be kept any more.
pub(crate) fn run(vault: &Vault, ledger: &mut Ledger, stop: &Stop) -> Result<(), LedgerError> {
    let mut failures: u64 = 0;
    loop {
        let is_last = stop.is_stopped_within(Duration::ZERO);
        match vault
            .call()
            .inspect(|_| failures = 0)
            .map_err(End::Vault)
            .and_then(|line| converse(line, ledger, stop))
        {
            Ok(()) => return Ok(()),
            Err(End::Ledger(error @ LedgerError::Disk(_))) => return Err(error),
            Err(error) if failures.is_multiple_of(SAY_EVERY) => VAULT_SILENT.warn(&[("error", &error)]),
            Err(_) => {}
        }
        failures = failures.saturating_add(1);
        if is_last {
            return Ok(());
        }
        let _ = stop.is_stopped_within(RETRY_EVERY);
    }
}

/// Why a session with the vault ended.
enum End {
    Vault(ControlError),
    /// A record is none, or not in its turn: this is not the vault that it says it is.
    Ledger(LedgerError),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vault(error) => error.fmt(f),
            Self::Ledger(error) => write!(f, "a record is not taken: {error}"),
        }
    }
}

/// Over one session, from the first record of its boot that the ledger has not.
fn converse(mut line: Line, ledger: &mut Ledger, stop: &Stop) -> Result<(), End> {
    let boot_id = line.boot_id();
    let mut next = ledger.next(boot_id);
    // Nothing yet: the first answer tells whether what is in the folder is the vault's.
    let mut acknowledged = None;
    let mut head_kept = None;
    loop {
        let is_last = stop.is_stopped_within(Duration::ZERO);
        let wait_ms = if is_last || acknowledged.is_none() { 0 } else { TAKE_WAIT_MS_MAX };
        let answer = line.ask(Command::Take { next, acknowledged: acknowledged.unwrap_or(0), wait_ms });
        let answer = answer.map_err(End::Vault)?;
        let control::Answer::Records(records) = answer.read().map_err(End::Vault)? else {
            return Err(End::Vault(ControlError::NotAnAnswer));
        };
        let sealed = records.head.map_or(0, |head| head.sequence.saturating_add(1));
        if next > sealed {
            return Err(End::Ledger(LedgerError::AheadOfVault { next, sealed }));
        }
        let is_first = acknowledged.is_none();
        if is_first {
            let boot = format!("{:032x}", u128::from_be_bytes(boot_id));
            log::write(Level::Info, "vault_reached", &[("boot", &boot), ("records_from", &next)]);
        }
        let behind = append(&records, boot_id, next, ledger).map_err(End::Ledger)?;
        let is_quiet = behind == next;
        next = behind;
        let has_more = records.head.is_some_and(|head| head.sequence >= next) && !is_quiet;
        let on_disk = acknowledged.unwrap_or(0);
        if is_first || !has_more || next.saturating_sub(on_disk) >= UNSYNCED_MAX {
            ledger.sync().map_err(End::Ledger)?;
            acknowledged = Some(next);
        }
        let on_disk = acknowledged.unwrap_or(0);
        keep_head(records.head.as_ref(), on_disk, is_quiet, &mut head_kept, ledger).map_err(End::Ledger)?;
        if is_last && is_quiet && !is_first {
            return Ok(());
        }
    }
}

/// Writes records down. Gives the sequence behind the last one.
fn append(
    records: &Records<'_>,
    boot_id: [u8; 16],
    next: u64,
    ledger: &mut Ledger,
) -> Result<u64, LedgerError> {
    let mut behind = next;
    for record in records.iter() {
        let receipt = Receipt::read(record).map_err(|_| LedgerError::NotARecord)?;
        if receipt.boot_id != boot_id {
            return Err(LedgerError::NotARecord);
        }
        if receipt.sequence > behind {
            // Their clients may still have them.
            let fields: [(&str, &dyn fmt::Display); 2] = [("from", &behind), ("before", &receipt.sequence)];
            log::write(Level::Error, "records_lost", &fields);
        }
        ledger.append(record)?;
        behind = receipt.sequence.saturating_add(1);
    }
    Ok(behind)
}

/// Keeps a head whose record is on disk, when it is quiet or many records came since the one before.
fn keep_head(
    head: Option<&SignedHead>,
    acknowledged: u64,
    is_quiet: bool,
    kept: &mut Option<u64>,
    ledger: &mut Ledger,
) -> Result<(), LedgerError> {
    let Some(head) = head.filter(|head| head.sequence < acknowledged) else { return Ok(()) };
    let is_due = match *kept {
        None => true,
        Some(kept) => head.sequence != kept && (is_quiet || head.sequence.saturating_sub(kept) >= HEAD_EVERY),
    };
    if is_due {
        ledger.keep_head(head)?;
        *kept = Some(head.sequence);
    }
    Ok(())
}
