//! Operators' orders: which of them are obeyed.
//!
//! Guarantees: an order is obeyed at most once, only in the boot and under the policy it was signed for, only in
//! answer to a challenge that this boot drew within the last minute, and only when its counter is above that of every
//! order obeyed before. So an order of an earlier boot, a replayed one and one that was kept back are all refused.

use book::Book;
use ed25519_dalek::{Signature, VerifyingKey};
use wire::control::CHALLENGE_MS;
use wire::operator::{MESSAGE_SIZE_MAX, ORDER_TAG, Order};
use wire::{Refusal, Shown, Why};

/// The one challenge that is open, and what was obeyed.
#[derive(Debug)]
pub struct Operators {
    open: Option<Challenge>,
    counter: u64,
}

#[derive(Clone, Copy, Debug)]
struct Challenge {
    bytes: [u8; 32],
    drawn_ms: u64,
}

/// What an order must name.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'m> {
    /// The book with its operators.
    pub book: &'m Book<'m>,
    /// Its hash.
    pub policy_hash: [u8; 32],
    /// The boot.
    pub boot_id: [u8; 16],
    /// Milliseconds since boot.
    pub monotonic_ms: u64,
}

impl Operators {
    /// Nothing drawn, nothing obeyed.
    #[must_use]
    pub const fn at_boot() -> Self {
        Self { open: None, counter: 0 }
    }

    /// The counter of the last order that was obeyed.
    #[must_use]
    pub const fn counter(&self) -> u64 {
        self.counter
    }

    /// Opens a challenge in place of the one before. `random` is drawn for it.
    pub fn open(&mut self, random: [u8; 32], monotonic_ms: u64) -> [u8; 32] {
        self.open = Some(Challenge { bytes: random, drawn_ms: monotonic_ms });
        random
    }

    /// Checks an order. When it is to be obeyed its challenge and counter are used up; when it is refused nothing is,
    /// so that nobody without a key can spoil an operator's challenge.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn check(&mut self, moment: Moment<'_>, bytes: &[u8], signature: &[u8; 64]) -> Result<Order, Why> {
        let order = Order::read(bytes).map_err(|_| Refusal::OrderMalformed)?;
        let mut operators = moment.book.operators.iter();
        if !operators.any(|operator| operator.public_key == order.operator) {
            return Err(Why::new(Refusal::OperatorNotInBook).observed(Shown::Key(order.operator)));
        }
        verify(&order, signature)?;
        if order.policy_hash != moment.policy_hash || order.boot_id != moment.boot_id {
            return Err(Refusal::OrderForAnotherBoot.into());
        }
        let open = self.open.filter(|open| open.bytes == order.challenge);
        let open = open.ok_or(Refusal::ChallengeNotOpen)?;
        let age_ms = moment.monotonic_ms.saturating_sub(open.drawn_ms);
        if age_ms > CHALLENGE_MS {
            return Err(Why::new(Refusal::ChallengeExpired)
                .observed(Shown::uint(age_ms))
                .limit(Shown::uint(CHALLENGE_MS)));
        }
        if order.counter <= self.counter {
            return Err(Why::new(Refusal::OrderCounterNotAbove)
                .observed(Shown::uint(order.counter))
                .limit(Shown::uint(self.counter)));
        }
        self.open = None;
        self.counter = order.counter;
        Ok(order)
    }
}

/// Strict verification (RFC 8032, and no key or nonce point of small order).
fn verify(order: &Order, signature: &[u8; 64]) -> Result<(), Why> {
    let wrong = || Why::from(Refusal::OrderSignatureWrong);
    let mut message = [0; MESSAGE_SIZE_MAX];
    let size = order.write_message(&mut message).map_err(|_| Refusal::OrderMalformed)?;
    let message = message.get(..size).filter(|message| message.starts_with(ORDER_TAG)).ok_or_else(wrong)?;
    let key = VerifyingKey::from_bytes(&order.operator).map_err(|_| wrong())?;
    key.verify_strict(message, &Signature::from_bytes(signature)).map_err(|_| wrong())
}
