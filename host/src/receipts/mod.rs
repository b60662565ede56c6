//! Receipts on disk: kept, repaired, verified, shown.

mod fault;
mod handed_in;
mod heads;
mod ledger;
mod repair;
mod segment;
mod show;
mod space;
mod spare;
mod verify;

pub use fault::{Break, Fault};
pub use handed_in::{HandedIn, Taken};
pub use heads::heads;
pub use ledger::{Ledger, LedgerError, SEGMENT_SIZE_MAX};
pub use repair::{Repair, repair};
pub use segment::{Name, Records, Step};
pub use show::{Tail, line, tail};
pub use space::{Alarm, Space, Watch};
pub use verify::{BREAKS_MAX, Boot, Held, Mark, Report, verify, verify_live};
