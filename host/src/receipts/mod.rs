//! Receipts on disk: kept, repaired, verified, shown.

mod ledger;
mod repair;
mod segment;
mod show;
mod verify;

pub use ledger::{Flight, Ledger, LedgerError, SYNC_EVERY};
pub use repair::Repair;
pub use segment::{Name, Records, Step};
pub use show::tail;
pub use verify::{Break, Expected, Fault, Report, verify, verify_live};
