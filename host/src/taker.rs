//! Takes the vault's records off its hands, and is its heartbeat.
//!
//! A record that belongs to no request (a latch, an operator's order) reaches the ledger only this way; so does the
//! record of a request whose connection was lost. Asking tells the vault that the host is there.
//!
//! At any time, from before the first bot is let in, one flight of the ledger is open that began before the last
//! question that had nothing new for an answer: so no gap is taken for final that an answer would fill. When the vault
//! is not reached, or is lost, a younger flight takes its place: who waited until then goes on, and who comes from then
//! on waits for the next attempt.

use std::sync::Arc;
use std::time::Duration;

use transport::{Address, Dial as _, Framed, Patience, Stop, Stream};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command};
use wire::receipt::Receipt;

use crate::control::{ControlError, ask_on};
use crate::log::{self, Level, Limited};
use crate::receipts::{Flight, Ledger, LedgerError};

/// Between two questions when there was nothing new.
const TAKE_EVERY: Duration = Duration::from_millis(50);

/// Between two attempts to reach a vault that is gone.
const RETRY_EVERY: Duration = Duration::from_millis(200);

/// How long the vault may take to be reached, and then to answer.
const PATIENCE: Duration = Duration::from_secs(1);

static VAULT_SILENT: Limited = Limited::new("vault_silent");

/// Takes until `stop`, and once more then. Calls `ready` when bots may be let in.
pub(crate) fn run(control: &Address, ledger: &Arc<Ledger>, stop: &Stop, ready: impl FnOnce()) {
    let mut flight = ledger.begin();
    ready();
    while !stop.is_stopped_within(Duration::ZERO) {
        let Err(error) = converse(control, ledger, stop, &mut flight) else { return };
        flight = ledger.begin();
        match error {
            End::Vault(error) => VAULT_SILENT.warn(&[("error", &error)]),
            End::Ledger(error) => {
                log::write(Level::Error, "receipts_not_kept", &[("error", &error)]);
                return stop.stop();
            }
        }
        let _ = stop.is_stopped_within(RETRY_EVERY);
    }
}

enum End {
    Vault(ControlError),
    Ledger(LedgerError),
}

/// Over one connection, from the first record the vault still has.
fn converse<'l>(
    control: &Address,
    ledger: &'l Ledger,
    stop: &Stop,
    flight: &mut Flight<'l>,
) -> Result<(), End> {
    let patience = Patience { idle: Some(PATIENCE), frame: PATIENCE };
    let vault = control.dial(PATIENCE).and_then(|stream| Framed::new(stream, CONTROL_SIZE_MAX, patience));
    let mut vault = vault.map_err(|error| End::Vault(error.into()))?;
    let mut next = 0;
    loop {
        let is_last = stop.is_stopped_within(Duration::ZERO);
        let younger = ledger.begin();
        let took = take(&mut vault, ledger, &mut next)?;
        if took {
            // An answer holds only so many: what is missing may be in the next. The older flight stays until there is
            // nothing new; bots that wait for it ask for nothing meanwhile, so that comes soon.
            continue;
        }
        *flight = younger;
        if is_last {
            return Ok(());
        }
        let _ = stop.is_stopped_within(TAKE_EVERY);
    }
}

/// One question. Returns whether there was anything new.
fn take(vault: &mut Framed<Stream>, ledger: &Ledger, next: &mut u64) -> Result<bool, End> {
    let answer =
        ask_on(vault, Command::Take { next: *next, acknowledged: 0, wait_ms: 0 }).map_err(End::Vault)?;
    let control::Answer::Records(records) = answer.read().map_err(End::Vault)? else {
        return Err(End::Vault(ControlError::NotAnAnswer));
    };
    let mut took = false;
    for record in records.iter() {
        let receipt = Receipt::read(record).map_err(|_| End::Ledger(LedgerError::NotAReceipt))?;
        if receipt.boot_id != records.boot_id {
            return Err(End::Ledger(LedgerError::NotAReceipt));
        }
        match ledger.take(record) {
            Ok(()) => {}
            Err(LedgerError::TooManyWaiting) => return Ok(false),
            Err(error) => return Err(End::Ledger(error)),
        }
        *next = receipt.sequence.saturating_add(1);
        took = true;
    }
    Ok(took)
}
