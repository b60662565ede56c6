//! From a decoded payload to the proof that the book allows it.

use book::{Book, Slot};
use venues::{Effect, Payload, Scheme};
use wire::{Now, Refusal, Shown, Why};

use crate::{BucketUsage, Counted, KeyUsage, Usage};

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

/// Who asks, and for which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The client's index, below [`crate::CLIENTS_MAX`]. Budgets per client have nothing for an index beyond.
    pub client: u16,
    /// What the book knows it as: its place among the clients, or that of its role behind them.
    pub party: u16,
    /// The key slot.
    pub key_slot: u16,
}

/// Judges `payload` by what `book` grants the asker's key slot and reserves what it uses up.
///
/// The order is fixed: slot, its expiry, grant, the venue's rules, then budgets and nonces, whole or not at all, so
/// that a refused payload spends nothing.
///
/// # Errors
/// The payload comes back with the first rule that it breaks, so that its facts can go into the receipt.
pub fn approve<P: Payload>(
    payload: P,
    book: &Book<'_>,
    asker: Asker,
    usage: &mut Usage<impl AsMut<[KeyUsage]>, impl AsMut<[BucketUsage]>>,
    now: Now,
) -> Result<Approved<P>, (P, Why)> {
    match judge(&payload, book, asker, usage, now) {
        Ok(counted) => Ok(Approved { payload, slot: asker.key_slot, counted }),
        Err(why) => Err((payload, why)),
    }
}

/// What signing `payload` with the asker's key can do to the desk's risk; the worst where the book has no such key, for
/// which nothing is approved either.
pub fn effect<P: Payload>(payload: &P, book: &Book<'_>, asker: Asker) -> Effect {
    let slot = book.slot(asker.key_slot);
    let account = slot.and_then(|slot| P::Scheme::account(&slot.public_key));
    account.map_or(Effect::Opens, |account| payload.effect(account))
}

fn judge<P: Payload>(
    payload: &P,
    book: &Book<'_>,
    asker: Asker,
    usage: &mut Usage<impl AsMut<[KeyUsage]>, impl AsMut<[BucketUsage]>>,
    now: Now,
) -> Result<Counted, Why> {
    let slot = book
        .slot(asker.key_slot)
        .ok_or_else(|| Why::new(Refusal::KeySlotNotInBook).observed(Shown::uint(asker.key_slot.into())))?;
    check_expiry(slot, now)?;
    let limits = P::limits(&slot.grants).ok_or(Refusal::VenueNotGranted)?;
    let account = P::Scheme::account(&slot.public_key).ok_or(Refusal::KeySchemeDiffers)?;
    let charge = payload.judge(limits, account, now)?;
    usage.reserve(payload, book, (slot, limits), asker, charge, now)
}

/// Grants end by the wall clock: the only time that means the same before and after a boot.
fn check_expiry(slot: &Slot<'_>, now: Now) -> Result<(), Why> {
    match slot.expires_ms {
        Some(expires_ms) if now.wall_ms >= expires_ms => Err(Why::new(Refusal::GrantExpired)
            .observed(Shown::uint(now.wall_ms))
            .limit(Shown::uint(expires_ms))),
        _ => Ok(()),
    }
}
