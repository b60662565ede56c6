//! The types of a desk's book, its walk and its hash.
//!
//! A book says which keys a vault holds and what each may sign. It is written as TOML (`policies/README.md`),
//! checked and turned into const data when the enclave is built, and measured with it: nothing here reads a file
//! or builds a book, and the production binary links nothing that can.
//!
//! Guarantees: a book is plain borrowed data without behaviour; [`policy_hash`] covers every name and value of it.

#![no_std]
#![forbid(unsafe_code)]

mod canonical;

pub use canonical::{DOMAIN_TAG, policy_hash};

use venues::book_value::{AnyOr, book_enum, book_struct};
use venues::{Grants, PublicKey, TokenValue};
use wire::Mode;

/// The book version this build understands.
pub const BOOK_VERSION: u32 = 1;

/// Most slots in a book.
pub const SLOTS_MAX: usize = 64;

/// Most operators in a book.
pub const OPERATORS_MAX: usize = 8;

/// The shortest heartbeat, milliseconds.
pub const HEARTBEAT_MS_MIN: u32 = 1_000;

/// Most budgets in a book.
pub const BUCKETS_MAX: usize = 32;

/// Most tokens whose worth a book says.
pub const VALUES_MAX: usize = 64;

book_struct! {
    /// Everything a vault may do.
    pub struct Book<'b> {
        /// [`BOOK_VERSION`].
        pub version: u32,
        /// The desk's name.
        pub desk: &'b str,
        /// The mode a vault starts in.
        pub boot_mode: BootMode,
        /// Who may start the vault, resume it and make it less strict.
        pub operators: &'b [Operator<'b>],
        /// What happens when the host is gone; `None`: nothing.
        pub host: Option<Host>,
        /// What tokens are worth at most, for budgets in USD.
        pub values: &'b [TokenValue<'b>],
        /// The budgets.
        pub buckets: &'b [Bucket<'b>],
        /// The keys, by ascending slot number.
        pub slots: &'b [Slot<'b>],
    }
}

book_enum! {
    /// The mode a vault starts in. The book fixes it at build time, so no caller can choose it.
    pub enum BootMode {
        /// It signs at once. A restart lifts a halt, and the book says so.
        Live = 1,
        /// It signs cancels at once, and the rest after a start that an operator has signed.
        CancelOnly = 2,
        /// It signs nothing before a start that an operator has signed.
        Halted = 3,
    }
}

book_struct! {
    /// An operator: who signs starts, resumes and budget openings.
    pub struct Operator<'b> {
        /// The desk's name for it.
        pub name: &'b str,
        /// Ed25519 (RFC 8032).
        pub public_key: [u8; 32],
    }
}

book_struct! {
    /// What the vault expects of the host.
    pub struct Host {
        /// After this time without a word from the host the vault grows stricter, milliseconds; at least
        /// [`HEARTBEAT_MS_MIN`].
        pub heartbeat_ms: u32,
        /// How strict it is then.
        pub when_gone: WhenGone,
    }
}

book_enum! {
    /// How strict the vault is while somebody is gone who should be there.
    pub enum WhenGone {
        /// It signs what can shrink a position or takes an order away.
        ReduceOnly = 1,
        /// It signs what takes an order away.
        CancelOnly = 2,
        /// It signs nothing.
        Halted = 3,
    }
}

book_struct! {
    /// One key and what it may do.
    pub struct Slot<'b> {
        /// The number a request names.
        pub slot: u16,
        /// The desk's name for it.
        pub name: &'b str,
        /// The pinned key: a vault that holds another secret does not start.
        pub public_key: PublicKey,
        /// When its grants end, milliseconds since the Unix epoch; `None` when they do not.
        pub expires_ms: Option<u64>,
        /// What it may sign.
        pub grants: Grants<'b>,
    }
}

book_struct! {
    /// A budget: a token bucket. It is empty at boot, refills with monotonic time, is charged before a key is touched and
    /// is never given back; so what is used in any time T is at most the capacity and T's refill, whatever restarts.
    pub struct Bucket<'b> {
        /// The desk's name for it.
        pub name: &'b str,
        /// What it counts.
        pub counts: Counts,
        /// What has a level of its own.
        pub per: Per,
        /// Which orders it counts.
        pub orders: Orders,
        /// The venues it counts, by number.
        pub venues: AnyOr<'b, u8>,
        /// The key slots it counts.
        pub keys: AnyOr<'b, u16>,
        /// The most that is in it: micro-USD, orders or requests.
        pub capacity: u64,
        /// This much comes back
        pub refill: u64,
        /// in this time, milliseconds.
        pub refill_ms: u32,
    }
}

book_enum! {
    /// What a budget counts.
    pub enum Counts {
        /// Signed requests.
        Requests = 1,
        /// Orders, and movements of funds.
        Orders = 2,
        /// What is at stake at worst, micro-USD.
        Notional = 3,
    }
}

book_enum! {
    /// What has a level of its own in a budget.
    pub enum Per {
        /// The desk: one level.
        Desk = 1,
        /// Each client.
        Client = 2,
        /// Each key.
        Key = 3,
        /// Each market.
        Market = 4,
    }
}

book_enum! {
    /// Which orders a budget counts.
    pub enum Orders {
        /// All.
        All = 1,
        /// Those that can only rest in the book.
        PostOnly = 2,
        /// Those that may take, and movements of funds.
        Taking = 3,
    }
}

impl From<BootMode> for Mode {
    fn from(mode: BootMode) -> Self {
        match mode {
            BootMode::Live => Self::Live,
            BootMode::CancelOnly => Self::CancelOnly,
            BootMode::Halted => Self::Halted,
        }
    }
}

impl From<WhenGone> for Mode {
    fn from(mode: WhenGone) -> Self {
        match mode {
            WhenGone::ReduceOnly => Self::ReduceOnly,
            WhenGone::CancelOnly => Self::CancelOnly,
            WhenGone::Halted => Self::Halted,
        }
    }
}

impl<'b> Book<'b> {
    /// The slot of that number; at most [`SLOTS_MAX`] are looked at.
    #[must_use]
    pub fn slot(&self, slot: u16) -> Option<&'b Slot<'b>> {
        self.slots.iter().find(|candidate| candidate.slot == slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRANTS: Grants<'static> = Grants::NONE;

    const fn slot(slot: u16, name: &str) -> Slot<'_> {
        Slot { slot, name, expires_ms: None, public_key: PublicKey::Ed25519 { key: [7; 32] }, grants: GRANTS }
    }

    #[test]
    fn a_slot_is_found_by_its_number_and_not_by_its_place() {
        let slots = [slot(3, "three"), slot(9, "nine")];
        let book = Book {
            version: BOOK_VERSION,
            desk: "desk",
            boot_mode: BootMode::Live,
            operators: &[],
            host: None,
            values: &[],
            buckets: &[],
            slots: &slots,
        };
        assert_eq!(book.slot(9).map(|slot| slot.name), Some("nine"));
        assert_eq!(book.slot(1), None);
    }
}
