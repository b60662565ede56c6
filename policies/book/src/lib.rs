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
use wire::{Mode, Venue};

/// The book version this build understands.
pub const BOOK_VERSION: u32 = 1;

/// Most slots in a book.
pub const SLOTS_MAX: usize = 64;

/// Most operators in a book.
pub const OPERATORS_MAX: usize = 8;

/// The shortest heartbeat, milliseconds.
pub const HEARTBEAT_MS_MIN: u32 = 1_000;

/// Most clients and roles together in a book.
pub const CLIENTS_MAX: usize = 64;

/// Most keys that one client or role is let near.
pub const SCOPES_MAX: usize = SLOTS_MAX;

/// The longest certificate of a role, days.
pub const CERTIFICATE_DAYS_MAX: u16 = 30;

/// The most records that may wait for the host's acknowledgement.
pub const UNACKNOWLEDGED_MAX: u16 = 1_024;

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
        /// The host, if the vault knows one; nobody else gets a session on the control channel.
        pub host: Option<Host>,
        /// When a signature leaves, beside its record.
        pub receipts: Receipts,
        /// Who may ask, by key.
        pub clients: &'b [Client<'b>],
        /// Who may ask, by a certificate that an operator signed.
        pub roles: &'b [Role<'b>],
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
    /// The host: who it is, and what the vault expects of it.
    pub struct Host {
        /// X25519 (RFC 7748).
        pub public_key: [u8; 32],
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
    /// What becomes of records.
    pub struct Receipts {
        /// What a signature waits for.
        pub mode: ReceiptMode,
        /// While so many records wait for the host's acknowledgement nothing is signed, and clients keep as many of
        /// theirs; at most [`UNACKNOWLEDGED_MAX`], and 0 where nobody acknowledges.
        pub unacknowledged_max: u16,
    }
}

book_enum! {
    /// What a signature waits for.
    pub enum ReceiptMode {
        /// Until the host has its record on disk.
        Durable = 1,
        /// For nothing, while not too many records wait for the host.
        Bounded = 2,
        /// For nothing: the client alone is trusted to keep its records.
        Client = 3,
    }
}

book_struct! {
    /// A client: a trading program with a key of its own.
    pub struct Client<'b> {
        /// The desk's name for it.
        pub name: &'b str,
        /// X25519 (RFC 7748).
        pub public_key: [u8; 32],
        /// What it may ask for.
        pub access: Access<'b>,
    }
}

book_struct! {
    /// A role that an operator's certificate gives to a client.
    pub struct Role<'b> {
        /// The name that certificates carry.
        pub name: &'b str,
        /// How long a certificate may be good, days; at most [`CERTIFICATE_DAYS_MAX`].
        pub certificate_days_max: u16,
        /// What its holder may ask for.
        pub access: Access<'b>,
    }
}

book_struct! {
    /// What a client may ask for, and what its silence means.
    pub struct Access<'b> {
        /// The keys, and the venues for each; what is not here is refused.
        pub may: &'b [May<'b>],
        /// `None`: it may be silent.
        pub heartbeat: Option<Heartbeat>,
    }
}

book_struct! {
    /// One key, and the venues it may be asked to sign for.
    pub struct May<'b> {
        /// The key slot.
        pub key: u16,
        /// The venues, by their numbers.
        pub venues: AnyOr<'b, u8>,
    }
}

book_struct! {
    /// A dead man's switch: armed by the first session of a client in a boot.
    pub struct Heartbeat {
        /// After this time without a frame the vault is stricter with this client, milliseconds; at least
        /// [`HEARTBEAT_MS_MIN`].
        pub heartbeat_ms: u32,
        /// How strict it is then.
        pub when_gone: WhenGone,
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
        /// The clients it counts: places among the clients of the book, and after them its roles.
        pub clients: AnyOr<'b, u16>,
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

impl Access<'_> {
    /// Whether it may have this key sign for this venue.
    #[must_use]
    pub fn allows(&self, key: u16, venue: Venue) -> bool {
        self.may.iter().any(|may| may.key == key && may.venues.allows(&(venue as u8)))
    }
}

impl<'b> Book<'b> {
    /// What a client or, after them, a role may ask for, by its place.
    #[must_use]
    pub fn access(&self, party: u16) -> Option<&'b Access<'b>> {
        let clients = self.clients.iter().map(|client| &client.access);
        let roles = self.roles.iter().map(|role| &role.access);
        clients.chain(roles).nth(party.into())
    }

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
            receipts: Receipts { mode: ReceiptMode::Client, unacknowledged_max: 0 },
            clients: &[],
            roles: &[],
            values: &[],
            buckets: &[],
            slots: &slots,
        };
        assert_eq!(book.slot(9).map(|slot| slot.name), Some("nine"));
        assert_eq!(book.slot(1), None);
    }
}
