//! Orders that an operator signs: starts, resumes and whatever else makes the vault less strict.
//!
//! ```text
//! message = "portcullis operator order v1" ‖ order        what the operator's Ed25519 key signs
//! order   = codec { version, policy hash, boot id, challenge, counter, operator, action }
//! ```
//! An order is good for one boot of one policy, for one challenge that this boot drew, and once.

use bincode::{BorrowDecode, Encode};

use crate::codec::{self, CodecFault};
use crate::{Mode, Scope};

/// The version in the first byte of an order.
pub const ORDER_VERSION: u8 = 1;

/// Largest encoded order, bytes.
pub const ORDER_SIZE_MAX: usize = 256;

/// What stands before an order in the message that is signed.
pub const ORDER_TAG: &[u8; 28] = b"portcullis operator order v1";

/// Largest message, bytes.
pub const MESSAGE_SIZE_MAX: usize = ORDER_TAG.len() + ORDER_SIZE_MAX;

/// What an operator wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub enum Action {
    /// Lifts the latch that every boot sets whose book does not start live.
    Start,
    /// Lifts what was latched hard: a kill, what the host and operators made stricter, an integrity fault. Clients
    /// that were cut off stay cut off.
    Resume,
    /// Sets the operators' own latch of a scope; `Live` lifts it.
    SetMode {
        /// for what
        scope: Scope,
        /// from now on
        mode: Mode,
    },
    /// Lets a client in again that was cut off.
    Reinstate {
        /// its public session key (X25519)
        client: [u8; 32],
    },
    /// Fills a budget to its capacity, once a boot.
    OpenBudget {
        /// its index in the book
        bucket: u16,
    },
}

/// An action with all that binds it to one moment of one vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub struct Order {
    /// [`ORDER_VERSION`].
    pub version: u8,
    /// SHA-256 of the book.
    pub policy_hash: [u8; 32],
    /// The boot it is for.
    pub boot_id: [u8; 16],
    /// What the vault drew for this one order.
    pub challenge: [u8; 32],
    /// Above that of every order obeyed before in this boot.
    pub counter: u64,
    /// The operator's Ed25519 key, as the book has it.
    pub operator: [u8; 32],
    /// What is wanted.
    pub action: Action,
}

impl Order {
    /// Reads an order.
    ///
    /// # Errors
    /// [`CodecFault`] when the bytes are not exactly one order of this version.
    pub fn read(bytes: &[u8]) -> Result<Self, CodecFault> {
        let order: Self = codec::decode(bytes)?;
        if order.version == ORDER_VERSION { Ok(order) } else { Err(CodecFault::NotAValue) }
    }

    /// Writes the message that is signed and returns its size; the order is what follows [`ORDER_TAG`] in it.
    ///
    /// # Errors
    /// [`CodecFault::DoesNotFit`].
    pub fn write_message(&self, into: &mut [u8; MESSAGE_SIZE_MAX]) -> Result<usize, CodecFault> {
        let (tag, order) = into.split_at_mut(ORDER_TAG.len());
        tag.copy_from_slice(ORDER_TAG);
        Ok(ORDER_TAG.len() + codec::encode(*self, order)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Venue;

    fn order(action: Action) -> Order {
        Order {
            version: ORDER_VERSION,
            policy_hash: [1; 32],
            boot_id: [2; 16],
            challenge: [3; 32],
            counter: 4,
            operator: [5; 32],
            action,
        }
    }

    #[test]
    fn the_bytes_of_an_order_are_golden_and_read_back() {
        let set_mode = Action::SetMode { scope: Scope::Venue(Venue::Hyperliquid), mode: Mode::CancelOnly };
        let cases: [(Action, &[u8]); 5] = [
            (Action::Start, &[0, 0, 0, 0]),
            (Action::Resume, &[1, 0, 0, 0]),
            (set_mode, &[2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0]),
            (Action::Reinstate { client: [9; 32] }, &[3, 0, 0, 0, 9, 9]),
            (Action::OpenBudget { bucket: 7 }, &[4, 0, 0, 0, 7, 0]),
        ];
        for (action, ending) in cases {
            let mut message = [0; MESSAGE_SIZE_MAX];
            let size = order(action).write_message(&mut message).unwrap();
            let bytes = &message[ORDER_TAG.len()..size];
            assert_eq!(&message[..ORDER_TAG.len()], b"portcullis operator order v1");
            assert_eq!(bytes[0], 1);
            assert_eq!(bytes[1..33], [1; 32]);
            assert_eq!(bytes[33..49], [2; 16]);
            assert_eq!(bytes[49..81], [3; 32]);
            assert_eq!(bytes[81..89], [4, 0, 0, 0, 0, 0, 0, 0]);
            assert_eq!(bytes[89..121], [5; 32]);
            assert_eq!(&bytes[121..121 + ending.len()], ending);
            assert_eq!(Order::read(bytes), Ok(order(action)));
            assert!(Order::read(&bytes[..bytes.len() - 1]).is_err());
        }
    }

    #[test]
    fn an_order_of_another_version_and_one_with_more_behind_it_are_refused() {
        let mut message = [0; MESSAGE_SIZE_MAX];
        let size = order(Action::Start).write_message(&mut message).unwrap();
        assert_eq!(Order::read(&message[ORDER_TAG.len()..=size]), Err(CodecFault::TrailingBytes));
        message[ORDER_TAG.len()] = 2;
        assert_eq!(Order::read(&message[ORDER_TAG.len()..size]), Err(CodecFault::NotAValue));
    }
}
