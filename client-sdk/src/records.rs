//! Records of this client's requests: what they must say, the last of them, and how a host gets them again.
//!
//! A host writes records down before it passes replies on; one that loses some, and a vault that is gone, would leave a
//! gap that only the bot can fill. So the client keeps as many as the vault asks for and hands them in when it
//! connects anew: on a connection of their own, before there is a session, since they are the host's and not the
//! vault's. A vault that is reached without a host between denies that, which is no error.

use core::fmt;
use std::io::ErrorKind;
use std::time::Duration;

use transport::{Address, Dial as _, Error, Framed, Patience};
use wire::RECEIPT_SIZE_MAX;
use wire::frame::{self, BODY_SIZE_MIN, Kind};
use wire::hand_in::{HAND_IN_SIZE_MAX, TAKEN_SIZE, read_taken, write_hand_in};
use wire::receipt::Receipt;
use wire::session::{SEALED_REQUEST_SIZE_MAX, Welcome};

use crate::error::Violation;

// One record always fits.
const _: () = assert!(BODY_SIZE_MIN + 2 + RECEIPT_SIZE_MAX <= SEALED_REQUEST_SIZE_MAX);

/// Most records that a client keeps, whatever the vault asks for: no book asks for more.
const KEPT_MAX: usize = 1024;

/// The last records, oldest first. Room for all of them is taken at once; what is not used is never touched.
pub(crate) struct Records {
    /// A slot of [`RECEIPT_SIZE_MAX`] bytes for each.
    bytes: Box<[u8]>,
    sizes: Box<[usize]>,
    oldest: usize,
    count: usize,
    client: [u8; 32],
    boot_id: [u8; 16],
    policy_hash: [u8; 32],
    /// The sequence number of this connection's last record.
    sequence: Option<u64>,
}

/// What became of records that were handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandedIn {
    /// The host has `taken` of the `offered` ones; it had some of them before, or all.
    Taken {
        /// records that were handed to it
        offered: usize,
        /// records that it has now
        taken: usize,
    },
    /// A vault answered: there is no host between.
    NoHost,
}

/// Why nobody knows whether records were taken. They are kept and handed in again.
#[derive(Debug)]
pub enum HandInFault {
    /// The socket failed, or the host closed.
    Transport(Error),
    /// The answer is none, or speaks of more records than there were.
    NotAnAnswer,
}

impl Records {
    /// Those of a client with this public key; none yet.
    pub(crate) fn new(client: [u8; 32], welcome: &Welcome) -> Self {
        let mut records = Self {
            bytes: Box::default(),
            sizes: Box::default(),
            oldest: 0,
            count: 0,
            client,
            boot_id: [0; 16],
            policy_hash: [0; 32],
            sequence: None,
        };
        records.connect(welcome);
        records
    }

    /// A new connection: from here on records are of the boot and book of its welcome.
    pub(crate) fn connect(&mut self, welcome: &Welcome) {
        (self.boot_id, self.policy_hash, self.sequence) = (welcome.boot_id, welcome.policy_hash, None);
        let kept = usize::try_from(welcome.records_kept).unwrap_or(KEPT_MAX).min(KEPT_MAX);
        if kept == self.sizes.len() {
            return;
        }
        let mut wider = Self {
            bytes: vec![0; kept * RECEIPT_SIZE_MAX].into_boxed_slice(),
            sizes: vec![0; kept].into_boxed_slice(),
            oldest: 0,
            count: 0,
            ..*self
        };
        self.iter().for_each(|record| wider.keep(record));
        *self = wider;
    }

    /// Checks that a record is of this boot, book and client and comes after the connection's last one, and keeps it.
    pub(crate) fn accept(&mut self, receipt: &Receipt<'_>, record: &[u8]) -> Result<(), Violation> {
        if receipt.boot_id != self.boot_id {
            return Err(Violation::ReceiptOfAnotherBoot);
        }
        if receipt.policy_hash != self.policy_hash {
            return Err(Violation::ReceiptOfAnotherPolicy);
        }
        if receipt.client != self.client {
            return Err(Violation::ReceiptOfAnotherClient);
        }
        if self.sequence.is_some_and(|last| receipt.sequence <= last) {
            return Err(Violation::ReceiptOutOfSequence);
        }
        self.sequence = Some(receipt.sequence);
        self.keep(record);
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The kept records, the oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).filter_map(|at| {
            let slot = self.slot(at);
            self.bytes.get(slot * RECEIPT_SIZE_MAX..)?.get(..*self.sizes.get(slot)?)
        })
    }

    fn keep(&mut self, record: &[u8]) {
        if self.sizes.is_empty() {
            return;
        }
        if self.count == self.sizes.len() {
            self.oldest = self.slot(1);
        } else {
            self.count += 1;
        }
        let slot = self.slot(self.count - 1);
        let room =
            self.bytes.get_mut(slot * RECEIPT_SIZE_MAX..).and_then(|room| room.get_mut(..record.len()));
        if let (Some(room), Some(size)) = (room, self.sizes.get_mut(slot)) {
            room.copy_from_slice(record);
            *size = record.len();
        }
    }

    /// Where the record `after` the oldest stands.
    fn slot(&self, after: usize) -> usize {
        (self.oldest + after) % self.sizes.len().max(1)
    }

    /// Hands all of them to the host at `address`, in as many frames as they need, on one connection; each step of it may
    /// take `timeout`.
    pub(crate) fn hand_in(&self, address: &Address, timeout: Duration) -> Result<HandedIn, HandInFault> {
        let patience = Patience { idle: Some(timeout), frame: timeout };
        let mut host = Framed::new(address.dial(timeout)?, TAKEN_SIZE, patience)?;
        let mut body = Box::new([0; HAND_IN_SIZE_MAX]);
        let mut taken = 0;
        while taken < self.count {
            let (offered, size) = write_hand_in(self.fitting(taken), &mut body);
            host.write([body.get(..size).unwrap_or_default()])?;
            let answer = host.read()?.ok_or_else(|| Error::Io(ErrorKind::UnexpectedEof.into()))?;
            if frame::kind(answer) == Ok(Kind::Denied) {
                return Ok(HandedIn::NoHost);
            }
            let more = usize::from(read_taken(answer).map_err(|_| HandInFault::NotAnAnswer)?);
            if more > offered {
                return Err(HandInFault::NotAnAnswer);
            }
            taken += more;
            // A host that stops among these does not take what comes after them.
            if more < offered || offered == 0 {
                break;
            }
        }
        Ok(HandedIn::Taken { offered: self.count, taken })
    }

    /// The records from the one at this place on, as many as a frame holds that a vault reads too: it denies it then, and
    /// would close on a longer one without a word.
    fn fitting(&self, first: usize) -> impl Iterator<Item = &[u8]> {
        let mut room = SEALED_REQUEST_SIZE_MAX - BODY_SIZE_MIN;
        self.iter().skip(first).take_while(move |record| {
            let left = room.checked_sub(2 + record.len());
            room = left.unwrap_or(0);
            left.is_some()
        })
    }
}

impl From<Error> for HandInFault {
    fn from(error: Error) -> Self {
        Self::Transport(error)
    }
}

impl fmt::Display for HandInFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(formatter),
            Self::NotAnAnswer => formatter.write_str("the answer to records that were handed in is none"),
        }
    }
}

impl std::error::Error for HandInFault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Transport(error) = self { Some(error) } else { None }
    }
}
