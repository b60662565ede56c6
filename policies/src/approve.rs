//! From a decoded payload to the proof that the book allows it.

use book::Book;
use venues::{Charge, Payload, Scheme};
use wire::{Now, Refusal, Shown, Why};

use crate::{Counted, KeyUsage, Usage};

/// A payload that the book of one key allows, with its budget already reserved.
///
/// [`approve`] is its only constructor, so holding one is the proof that the rules said yes. It is neither
/// `Clone` nor `Copy`: one approval, one signature.
///
/// ```compile_fail,E0423
/// fn forge<P>(payload: P) -> policies::Approved<P> {
///     policies::Approved(payload)
/// }
/// ```
/// ```compile_fail,E0451
/// fn forge<P>(payload: P) -> policies::Approved<P> {
///     policies::Approved { payload, slot: 0, counted: Default::default() }
/// }
/// ```
/// ```compile_fail,E0277
/// fn twice<P: venues::Payload>(approved: policies::Approved<P>) -> impl Clone {
///     approved
/// }
/// ```
#[must_use = "an approval that is not signed has spent its budget for nothing"]
#[derive(Debug)]
pub struct Approved<P> {
    payload: P,
    slot: u16,
    counted: Counted,
}

impl<P> Approved<P> {
    /// The payload, to look at.
    pub fn payload(&self) -> &P {
        &self.payload
    }

    /// Gives the approval up for its payload, which cannot be approved again without being judged again.
    pub fn into_payload(self) -> P {
        self.payload
    }

    /// What it adds to what was counted before. Budgets will be charged with it.
    pub fn counted(&self) -> Counted {
        self.counted
    }

    /// The key slot whose grants allowed it.
    pub fn slot(&self) -> u16 {
        self.slot
    }
}

/// Judges `payload` by what `book` grants the key in `key_slot` and reserves what it uses up.
///
/// The order is fixed: slot, grant, the venue's rules, then reservations, so that a refused payload spends
/// nothing. Budgets (token buckets) come later; their place is [`Usage::reserve`], after the
/// rules and before the approval exists.
///
/// # Errors
/// The payload comes back with the first rule that it breaks, so that its facts can go into the receipt.
pub fn approve<P: Payload>(
    payload: P,
    book: &Book<'_>,
    key_slot: u16,
    usage: &mut Usage<impl AsMut<[KeyUsage]>>,
    now: Now,
) -> Result<Approved<P>, (P, Why)> {
    match judge(&payload, book, key_slot, now).and_then(|charge| usage.reserve(key_slot, charge)) {
        Ok(counted) => Ok(Approved { payload, slot: key_slot, counted }),
        Err(why) => Err((payload, why)),
    }
}

fn judge<P: Payload>(payload: &P, book: &Book<'_>, key_slot: u16, now: Now) -> Result<Charge, Why> {
    let slot = book
        .slot(key_slot)
        .ok_or_else(|| Why::new(Refusal::KeySlotNotInBook).observed(Shown::uint(key_slot.into())))?;
    let limits = P::limits(&slot.grants).ok_or(Refusal::VenueNotGranted)?;
    let account = P::Scheme::account(&slot.public_key).ok_or(Refusal::KeySchemeDiffers)?;
    payload.judge(limits, account, now)
}
