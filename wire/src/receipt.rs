//! Receipts: one record per decision, each bound to the one before it.
//!
//! `link(n) = SHA-256("portcullis receipt v3" ‖ record(n))`, and `record(n)` holds `link(n-1)`. The first
//! record of a boot holds [`genesis`] of its boot id and policy hash. The record is the [`crate::codec`]
//! encoding of [`Receipt`]; it is sealed before the reply that carries it, signed or refused.

use bincode::{BorrowDecode, Encode};
use sha2::{Digest as _, Sha256};

use crate::codec::{self, CodecFault};
use crate::refusal::Refusal;
use crate::shown::Shown;

/// A link of the chain: 32 bytes of SHA-256.
pub type Link = [u8; 32];

/// The code of a receipt whose request was signed.
pub const CODE_SIGNED: u16 = 0;

/// The code of a record that is no decision on a request.
pub const CODE_EVENT: u16 = 1;

/// The version in the first byte of a record.
pub const RECEIPT_VERSION: u8 = 3;

/// What a record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub enum RecordKind {
    /// A request was signed or refused.
    Decision,
    /// A latch was set, or set stricter.
    LatchSet,
    /// A latch was lifted.
    LatchCleared,
    /// An operator's order was obeyed.
    Order,
    /// What a client was refused without a record of its own.
    Summary,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Decision, Self::LatchSet, Self::LatchCleared, Self::Order, Self::Summary];

    /// Its name for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::LatchSet => "latch set",
            Self::LatchCleared => "latch cleared",
            Self::Order => "order",
            Self::Summary => "summary",
        }
    }
}

/// One decision. Integers and options as [`crate::codec`] writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub struct Receipt<'r> {
    /// [`RECEIPT_VERSION`].
    pub version: u8,
    /// What it tells. What follows about a request is zero in a record that tells of none.
    pub kind: RecordKind,
    /// Counts from 0 within a boot, without gaps.
    pub sequence: u64,
    /// Drawn at boot; a chain never crosses it.
    pub boot_id: [u8; 16],
    /// The link of the record before, or [`genesis`].
    pub previous: Link,
    /// SHA-256 of the book that judged.
    pub policy_hash: [u8; 32],
    /// When it was judged: milliseconds since the Unix epoch.
    pub wall_ms: u64,
    /// Who asked: the client's public session key (X25519).
    pub client: [u8; 32],
    /// The client's number for the request.
    pub request_id: u64,
    /// Which key was asked for.
    pub key_slot: u16,
    /// The payload kind as it stood in the request, known or not.
    pub payload_kind: u16,
    /// [`CODE_SIGNED`], [`CODE_EVENT`] or the code of a [`Refusal`].
    pub code: u16,
    /// Which order or instruction a refusal is about.
    pub subject: Option<u16>,
    /// The value a refusal saw.
    pub observed: Shown,
    /// The limit it broke.
    pub limit: Shown,
    /// What is signed: the 32-byte digest of an EVM or Hyperliquid payload, SHA-256 of a Solana message.
    /// Present whenever the payload was decoded.
    pub digest: Option<[u8; 32]>,
    /// Whether `facts` holds all that was decoded.
    pub facts_complete: bool,
    /// What was decoded, as [`crate::facts`] packs it.
    pub facts: &'r [u8],
}

impl<'r> Receipt<'r> {
    /// Reads a record.
    ///
    /// # Errors
    /// [`CodecFault`] when the bytes are not exactly one record of this version.
    pub fn read(record: &'r [u8]) -> Result<Self, CodecFault> {
        let receipt: Self = codec::decode(record)?;
        let is_event = receipt.code == CODE_EVENT;
        let is_whole =
            receipt.version == RECEIPT_VERSION && is_event == (receipt.kind != RecordKind::Decision);
        if is_whole { Ok(receipt) } else { Err(CodecFault::NotAValue) }
    }

    /// Whether it records a signature.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.code == CODE_SIGNED
    }

    /// The refusal this receipt records, `None` when it records a signature or an event.
    ///
    /// # Errors
    /// The code when it is of a later build than this reader.
    pub fn refusal(&self) -> Result<Option<Refusal>, u16> {
        if matches!(self.code, CODE_SIGNED | CODE_EVENT) {
            return Ok(None);
        }
        Refusal::from_code(self.code).map(Some).ok_or(self.code)
    }
}

/// The link that a record has.
#[must_use]
pub fn link(record: &[u8]) -> Link {
    let mut hash = Sha256::new();
    hash.update(b"portcullis receipt v3");
    hash.update(record);
    hash.finalize().into()
}

/// What stands in the place of the link before the first record of a boot.
#[must_use]
pub fn genesis(boot_id: &[u8; 16], policy_hash: &[u8; 32]) -> Link {
    let mut hash = Sha256::new();
    hash.update(b"portcullis boot v1");
    hash.update(boot_id);
    hash.update(policy_hash);
    hash.finalize().into()
}

/// Records that are packed one behind the other, each behind its size (`u16`, little-endian); ends early where the
/// bytes do not hold together.
pub fn unpack(packed: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = packed;
    core::iter::from_fn(move || {
        let (size, after) = rest.split_first_chunk::<2>()?;
        let (record, after) = after.split_at_checked(u16::from_le_bytes(*size).into())?;
        rest = after;
        Some(record)
    })
}

/// Packs a record at the start of `into` as [`unpack`] reads it, and gives the bytes used; `None` when it does not fit.
#[must_use]
pub fn pack(record: &[u8], into: &mut [u8]) -> Option<usize> {
    let size = u16::try_from(record.len()).ok()?;
    let (prefix, body) = into.get_mut(..2 + record.len())?.split_at_mut_checked(2)?;
    prefix.copy_from_slice(&size.to_le_bytes());
    body.copy_from_slice(record);
    Some(2 + record.len())
}

/// Why a record does not continue a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainFault {
    /// The bytes are not a record.
    NotARecord,
    /// The record names another predecessor than the last one seen.
    LinkDiffers,
    /// The sequence number does not follow.
    SequenceDiffers {
        /// what should have come
        expected: u64,
        /// what came
        found: u64,
    },
    /// The policy hash changed within a boot.
    PolicyChanged,
}

/// Follows the chain of one or several boots record by record.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChainReader {
    head: Option<Head>,
}

/// Where a chain stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The boot it belongs to.
    pub boot_id: [u8; 16],
    /// The policy of that boot.
    pub policy_hash: [u8; 32],
    /// Sequence of the last record.
    pub sequence: u64,
    /// Link of the last record.
    pub link: Link,
}

impl ChainReader {
    /// Checks that `record` comes next, either after the last one or as the first of a new boot.
    ///
    /// # Errors
    /// [`ChainFault`]; the reader then stays where it was.
    pub fn follow<'r>(&mut self, record: &'r [u8]) -> Result<Receipt<'r>, ChainFault> {
        let receipt = Receipt::read(record).map_err(|_| ChainFault::NotARecord)?;
        let (previous, expected) = match self.head {
            Some(head) if head.boot_id == receipt.boot_id => {
                if head.policy_hash != receipt.policy_hash {
                    return Err(ChainFault::PolicyChanged);
                }
                (head.link, head.sequence.saturating_add(1))
            }
            _ => (genesis(&receipt.boot_id, &receipt.policy_hash), 0),
        };
        if receipt.sequence != expected {
            return Err(ChainFault::SequenceDiffers { expected, found: receipt.sequence });
        }
        if receipt.previous != previous {
            return Err(ChainFault::LinkDiffers);
        }
        self.head = Some(Head {
            boot_id: receipt.boot_id,
            policy_hash: receipt.policy_hash,
            sequence: receipt.sequence,
            link: link(record),
        });
        Ok(receipt)
    }

    /// Where the chain stands.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.head
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RECEIPT_SIZE_MAX;

    fn receipt(sequence: u64, previous: Link) -> Receipt<'static> {
        Receipt {
            version: RECEIPT_VERSION,
            kind: RecordKind::Decision,
            sequence,
            boot_id: [3; 16],
            previous,
            policy_hash: [5; 32],
            wall_ms: 1_790_000_005_000,
            client: [4; 32],
            request_id: 42,
            key_slot: 1,
            payload_kind: 0x0400,
            code: Refusal::SizeAboveCap.code(),
            subject: Some(2),
            observed: Shown::Uint(10),
            limit: Shown::Uint(9),
            digest: Some([7; 32]),
            facts_complete: true,
            facts: &[1, 3, 1, 9],
        }
    }

    fn record(receipt: Receipt<'_>) -> ([u8; RECEIPT_SIZE_MAX], usize) {
        let mut bytes = [0; RECEIPT_SIZE_MAX];
        let size = codec::encode(receipt, &mut bytes).unwrap();
        (bytes, size)
    }

    #[test]
    fn the_bytes_of_a_record_are_golden() {
        let (bytes, size) = record(receipt(0x0102, [8; 32]));
        let mut expected = [0_u8; RECEIPT_SIZE_MAX];
        let mut used = 0;
        let mut put = |part: &[u8]| {
            expected[used..used + part.len()].copy_from_slice(part);
            used += part.len();
        };
        put(&[3]);
        put(&[0; 4]);
        put(&[2, 1, 0, 0, 0, 0, 0, 0]);
        put(&[3; 16]);
        put(&[8; 32]);
        put(&[5; 32]);
        put(&[0x88, 0x7f, 0x50, 0xc4, 0xa0, 1, 0, 0]);
        put(&[4; 32]);
        put(&[42, 0, 0, 0, 0, 0, 0, 0]);
        put(&[1, 0]);
        put(&[0, 4]);
        put(&[0x4c, 0x0d]);
        put(&[1, 2, 0]);
        put(&[1, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        put(&[1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        put(&[1]);
        put(&[7; 32]);
        put(&[1]);
        put(&[4, 0, 0, 0, 0, 0, 0, 0, 1, 3, 1, 9]);
        assert_eq!(&bytes[..size], &expected[..used]);
        assert_eq!(Receipt::read(&bytes[..size]), Ok(receipt(0x0102, [8; 32])));
    }

    #[test]
    fn an_event_with_a_decision_s_code_and_a_decision_with_an_event_s_are_no_records() {
        for kind in RecordKind::ALL {
            for code in [CODE_SIGNED, CODE_EVENT, 3000] {
                let (bytes, size) = record(Receipt { kind, code, ..receipt(0, [0; 32]) });
                let is_whole = (kind == RecordKind::Decision) == (code != CODE_EVENT);
                assert_eq!(Receipt::read(&bytes[..size]).is_ok(), is_whole, "{kind:?} {code}");
            }
        }
    }

    #[test]
    fn a_chain_is_followed_and_every_break_is_named() {
        let start = genesis(&[3; 16], &[5; 32]);
        let (first, first_size) = record(receipt(0, start));
        let first = &first[..first_size];
        let (second, second_size) = record(receipt(1, link(first)));
        let second = &second[..second_size];
        let mut reader = ChainReader::default();
        assert_eq!(reader.follow(second), Err(ChainFault::SequenceDiffers { expected: 0, found: 1 }));
        reader.follow(first).unwrap();
        assert_eq!(reader.follow(first), Err(ChainFault::SequenceDiffers { expected: 1, found: 0 }));
        let (forged, forged_size) = record(receipt(1, [1; 32]));
        assert_eq!(reader.follow(&forged[..forged_size]), Err(ChainFault::LinkDiffers));
        reader.follow(second).unwrap();
        assert_eq!(reader.head().unwrap().sequence, 1);
        assert_eq!(reader.follow(&second[1..]), Err(ChainFault::NotARecord));
    }

    #[test]
    fn any_changed_byte_of_a_record_changes_its_link() {
        let (bytes, size) = record(receipt(0, [0; 32]));
        let before = link(&bytes[..size]);
        for at in 0..size {
            let mut changed = bytes;
            changed[at] ^= 1;
            assert_ne!(link(&changed[..size]), before);
        }
    }

    #[test]
    fn the_largest_record_fits_its_cap() {
        let facts = [0; crate::FACTS_SIZE_MAX];
        let largest = Receipt {
            observed: Shown::Uint256([9; 32]),
            limit: Shown::Uint256([9; 32]),
            facts: &facts,
            ..receipt(u64::MAX, [0; 32])
        };
        assert!(codec::encode(largest, &mut [0; RECEIPT_SIZE_MAX]).is_ok());
    }
}
