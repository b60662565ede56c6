//! The canonical bytes of a book and their hash, the policy hash.
//!
//! policy hash = SHA-256([`DOMAIN_TAG`] ‖ canonical bytes). The canonical bytes are what the walk over the book
//! ([`venues::book_value`]) tells, in that order, each event a tag byte and what follows it:
//!
//! ```text
//! 01 struct begins    path    text
//! 02 field            name    text
//! 03 struct ends
//! 04 list begins      length  u64
//! 05 list ends
//! 06 some begins
//! 07 some ends
//! 08 none
//! 09 yes or no        u8      0 or 1
//! 0a integer          u128    16 bytes, whatever its type
//! 0b 256-bit integer          32 bytes
//! 0c byte string      length  u64, then the bytes
//! 0d text             length  u64, then UTF-8
//! 0e enum value       path    text, then its number as u8
//! 0f any              a list left open
//! 10 listed begins    a list that could have been left open follows
//! 11 listed ends
//!
//! text in 01, 02 and 0e   length u64, then UTF-8
//! ```
//! All integers are big-endian. The paths are the full Rust paths (`::book::Book`) and every field's name is
//! there, so a renamed, moved, added or removed rule changes the hash even where its value does not. No two books
//! have the same bytes: every event says by its tag what it is, every length stands before what it counts.

use sha2::{Digest, Sha256};
use venues::U256;
use venues::book_value::{BookValue, BookVisitor};

use crate::Book;

/// What stands before the canonical bytes, so that no other SHA-256 of this project can be a policy hash.
pub const DOMAIN_TAG: &[u8] = b"portcullis policy hash v1\0";

/// The hash that names a book: in receipts, in the attestation, in `portcullis policy hash`.
#[must_use]
pub fn policy_hash(book: &Book<'_>) -> [u8; 32] {
    let mut canonical = Canonical { hash: Sha256::new_with_prefix(DOMAIN_TAG) };
    book.visit(&mut canonical);
    canonical.hash.finalize().into()
}

/// Streams the canonical bytes into the hash; nothing is held.
struct Canonical {
    hash: Sha256,
}

impl Canonical {
    fn tag(&mut self, tag: u8) {
        self.hash.update([tag]);
    }

    /// Length, then bytes.
    fn counted(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.hash.update(bytes);
    }

    fn length(&mut self, length: usize) {
        // Saturation cannot happen where usize has at most 64 bits.
        self.hash.update(u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes());
    }
}

impl BookVisitor for Canonical {
    fn open_struct(&mut self, path: &'static str) {
        self.tag(0x01);
        self.counted(path.as_bytes());
    }

    fn field(&mut self, name: &'static str) {
        self.tag(0x02);
        self.counted(name.as_bytes());
    }

    fn close_struct(&mut self) {
        self.tag(0x03);
    }

    fn open_list(&mut self, len: usize) {
        self.tag(0x04);
        self.length(len);
    }

    fn close_list(&mut self) {
        self.tag(0x05);
    }

    fn open_some(&mut self) {
        self.tag(0x06);
    }

    fn close_some(&mut self) {
        self.tag(0x07);
    }

    fn none(&mut self) {
        self.tag(0x08);
    }

    fn flag(&mut self, value: bool) {
        self.tag(0x09);
        self.hash.update([u8::from(value)]);
    }

    fn uint(&mut self, value: u128) {
        self.tag(0x0a);
        self.hash.update(value.to_be_bytes());
    }

    fn uint256(&mut self, value: &U256) {
        self.tag(0x0b);
        self.hash.update(value.to_be_bytes::<32>());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.tag(0x0c);
        self.counted(value);
    }

    fn text(&mut self, value: &str) {
        self.tag(0x0d);
        self.counted(value.as_bytes());
    }

    fn any(&mut self) {
        self.tag(0x0f);
    }

    fn open_listed(&mut self) {
        self.tag(0x10);
    }

    fn close_listed(&mut self) {
        self.tag(0x11);
    }

    fn variant(&mut self, path: &'static str, number: u8) {
        self.tag(0x0e);
        self.counted(path.as_bytes());
        self.hash.update([number]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BOOK_VERSION, BootMode, ReceiptMode, Receipts, Slot};
    use venues::{Grants, PublicKey};

    const GRANTS: Grants<'static> = Grants::NONE;

    const SLOTS: [Slot<'static>; 1] = [Slot {
        slot: 3,
        name: "maker",
        expires_ms: None,
        public_key: PublicKey::Ed25519 { key: [7; 32] },
        grants: GRANTS,
    }];

    const BOOK: Book<'static> = Book {
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
        slots: &SLOTS,
    };

    /// The bytes of [`BOOK`] written out by the table above and not by [`Canonical`].
    #[test]
    fn the_hash_is_over_exactly_the_bytes_of_the_table() {
        fn text(hash: &mut Sha256, tag: Option<u8>, text: &str) {
            hash.update(tag.as_slice());
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        let mut hash = Sha256::new();
        hash.update(b"portcullis policy hash v1\0");
        text(&mut hash, Some(1), "::book::Book");
        text(&mut hash, Some(2), "version");
        hash.update([0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        text(&mut hash, Some(2), "desk");
        text(&mut hash, Some(0x0d), "desk");
        text(&mut hash, Some(2), "boot_mode");
        text(&mut hash, Some(0x0e), "::book::BootMode::Live");
        hash.update([1]);
        text(&mut hash, Some(2), "operators");
        hash.update([4, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
        text(&mut hash, Some(2), "host");
        hash.update([8]);
        text(&mut hash, Some(2), "receipts");
        text(&mut hash, Some(1), "::book::Receipts");
        text(&mut hash, Some(2), "mode");
        text(&mut hash, Some(0x0e), "::book::ReceiptMode::Client");
        hash.update([3]);
        text(&mut hash, Some(2), "unacknowledged_max");
        hash.update([0x0a]);
        hash.update([0; 16]);
        hash.update([3]);
        for list in ["clients", "roles", "values", "buckets"] {
            text(&mut hash, Some(2), list);
            hash.update([4, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
        }
        text(&mut hash, Some(2), "slots");
        hash.update([4, 0, 0, 0, 0, 0, 0, 0, 1]);
        text(&mut hash, Some(1), "::book::Slot");
        text(&mut hash, Some(2), "slot");
        hash.update([0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
        text(&mut hash, Some(2), "name");
        text(&mut hash, Some(0x0d), "maker");
        text(&mut hash, Some(2), "public_key");
        text(&mut hash, Some(1), "::venues::PublicKey::Ed25519");
        text(&mut hash, Some(2), "key");
        hash.update([0x0c, 0, 0, 0, 0, 0, 0, 0, 32]);
        hash.update([7; 32]);
        hash.update([3]);
        text(&mut hash, Some(2), "expires_ms");
        hash.update([8]);
        text(&mut hash, Some(2), "grants");
        text(&mut hash, Some(1), "::venues::payload::Grants");
        for venue in ["evm", "uniswapx", "polymarket", "hyperliquid", "solana"] {
            text(&mut hash, Some(2), venue);
            hash.update([8]);
        }
        hash.update([3, 3, 5, 3]);
        let expected: [u8; 32] = hash.finalize().into();
        assert_eq!(policy_hash(&BOOK), expected);
    }

    #[test]
    fn every_changed_value_changes_the_hash() {
        let other_slot = [Slot { slot: 4, ..SLOTS[0] }];
        let other_name = [Slot { name: "make", ..SLOTS[0] }];
        let other_key = [Slot { public_key: PublicKey::Ed25519 { key: [8; 32] }, ..SLOTS[0] }];
        let others = [
            Book { version: 2, ..BOOK },
            Book { desk: "desl", ..BOOK },
            Book { slots: &[], ..BOOK },
            Book { slots: &other_slot, ..BOOK },
            Book { slots: &other_name, ..BOOK },
            Book { slots: &other_key, ..BOOK },
        ];
        for other in others {
            assert_ne!(policy_hash(&other), policy_hash(&BOOK), "{other:?}");
        }
    }
}
