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

use venues::book_value::{book_enum, book_struct};
use venues::{Grants, PublicKey};

/// The book version this build understands.
pub const BOOK_VERSION: u32 = 1;

/// Most slots in a book.
pub const SLOTS_MAX: usize = 64;

book_struct! {
    /// Everything a vault may do.
    pub struct Book<'b> {
        /// [`BOOK_VERSION`].
        pub version: u32,
        /// The desk's name.
        pub desk: &'b str,
        /// The mode a vault starts in.
        pub boot_mode: BootMode,
        /// The keys, by ascending slot number.
        pub slots: &'b [Slot<'b>],
    }
}

book_enum! {
    /// The mode a vault starts in. The book fixes it at build time, so no caller can choose it.
    pub enum BootMode {
        /// It signs at once. A restart lifts a halt, and the book says so.
        Live = 1,
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
        /// What it may sign.
        pub grants: Grants<'b>,
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
        Slot { slot, name, public_key: PublicKey::Ed25519 { key: [7; 32] }, grants: GRANTS }
    }

    #[test]
    fn a_slot_is_found_by_its_number_and_not_by_its_place() {
        let slots = [slot(3, "three"), slot(9, "nine")];
        let book = Book { version: BOOK_VERSION, desk: "desk", boot_mode: BootMode::Live, slots: &slots };
        assert_eq!(book.slot(9).map(|slot| slot.name), Some("nine"));
        assert_eq!(book.slot(1), None);
    }
}
