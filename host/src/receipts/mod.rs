//! Receipts on disk: kept, repaired, verified, shown.

mod ledger;
mod segment;
mod show;
mod verify;

pub use ledger::{GAP_WAIT, Ledger, LedgerError, Repair, SYNC_EVERY};
pub use segment::{Name, Records, Step};
pub use show::tail;
pub use verify::{Break, Expected, Fault, Report, verify};
