//! `approve` judges by the book and reserves, and the approval tells what was approved, for whom.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use policies::{Approved, Asker, BOOK, BucketUsage, KeyUsage, Usage, approve};
use venues::{U256, evm};
use wire::{Now, Refusal, Why};

#[path = "../../tests/witness.rs"]
mod witness;
use witness::Witness as _;

const EVM: u16 = 0;
const HYPERLIQUID: u16 = 1;
const SOLANA: u16 = 2;
const NOW: Now = Now { monotonic_ms: 60_000, wall_ms: 1_790_000_000_000 };

/// 25 USDC on Ethereum to the demo desk's treasury: nonce 7, 100,000 gas at 30 gwei at most.
const TRANSFER: &str = "02f86e0107843b9aca008506fc23ac00830186a094a0b86991c6218b36c1d19d4a2e9eb0ce3606eb4880b844a9\
        059cbb0000000000000000000000009d8ef98e161a9fb2ab184ec539ad7a3095150d9c00000000000000000000\
        000000000000000000000000000000000000017d7840c0";

/// An unlimited approval for a stranger.
const APPROVAL: &str = "02f86d010a843b9aca008506fc23ac0082ea6094a0b86991c6218b36c1d19d4a2e9eb0ce3606eb4880b844095e\
        a7b30000000000000000000000006666666666666666666666666666666666666666ffffffffffffffffffffff\
        ffffffffffffffffffffffffffffffffffffffffffc0";

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn usage() -> Usage<Vec<KeyUsage>, Vec<BucketUsage>> {
    // A minute ago, so that the book's budgets are full.
    let booted = Now { monotonic_ms: 0, wall_ms: NOW.wall_ms - NOW.monotonic_ms };
    let buckets = vec![BucketUsage::EMPTY; BOOK.buckets.len()];
    Usage::at_boot(vec![KeyUsage::EMPTY; BOOK.slots.len()], buckets, booted)
}

type Judged<'f> = Result<Approved<evm::Transaction<'f>>, (evm::Transaction<'f>, Why)>;

#[expect(clippy::result_large_err, reason = "what `approve` returns, once a test")]
fn judged<'f>(payload: &'f [u8], book: &book::Book<'_>, slot: u16) -> Judged<'f> {
    approve(
        evm::decode(payload).unwrap(),
        book,
        Asker { client: 0, party: 0, key_slot: slot },
        &mut usage(),
        NOW,
    )
}

fn refused(judged: Judged<'_>) -> Refusal {
    judged.unwrap_err().1.refusal.witnessed()
}

#[test]
fn an_approval_tells_its_payload_its_key_and_what_it_counts() {
    let payload = bytes(TRANSFER);
    let approved = judged(&payload, &BOOK, EVM).unwrap();
    assert_eq!(approved.slot(), EVM);
    assert_eq!(*approved.payload(), evm::decode(&payload).unwrap());
    assert_eq!(approved.counted().native_spend, U256::from(100_000_u64 * 30_000_000_000));
    assert!(approved.counted().nonce_use.is_some());
}

#[test]
fn an_approval_keeps_the_number_of_its_slot_wherever_the_slot_stands() {
    let mut slots = BOOK.slots.to_vec();
    slots[0].slot = 700;
    let book = book::Book { slots: &slots, ..BOOK };
    let payload = bytes(TRANSFER);
    assert_eq!(judged(&payload, &book, 700).unwrap().slot(), 700);
    assert_eq!(refused(judged(&payload, &book, EVM)), Refusal::KeySlotNotInBook);
}

#[test]
fn what_the_rules_refuse_comes_back_with_the_rule() {
    let payload = bytes(APPROVAL);
    let (returned, why) = judged(&payload, &BOOK, EVM).unwrap_err();
    assert_eq!(why.refusal, Refusal::SpenderNotAllowed);
    assert_eq!(returned, evm::decode(&payload).unwrap());
}

#[test]
fn a_key_without_a_grant_of_the_venue_or_of_another_curve_is_refused() {
    let payload = bytes(TRANSFER);
    assert_eq!(refused(judged(&payload, &BOOK, HYPERLIQUID)), Refusal::VenueNotGranted);
    let mut slots = BOOK.slots.to_vec();
    let evm = slots[0].grants.evm;
    slots.iter_mut().find(|slot| slot.slot == SOLANA).unwrap().grants.evm = evm;
    let book = book::Book { slots: &slots, ..BOOK };
    assert_eq!(refused(judged(&payload, &book, SOLANA)), Refusal::KeySchemeDiffers);
}
