//! Control messages between the host (or an operator) and the vault, on a channel of their own.
//!
//! A body is `version u8, kind u8`, then the [`crate::codec`] encoding of [`Command`] or [`Answer`]. The host
//! can only make the vault stricter: what lifts a latch is an operator's signed order, which it passes on.

use bincode::{BorrowDecode, Encode};

pub use crate::Mode;
use crate::codec::{self, CodecFault};
use crate::frame::Kind;
use crate::head::SignedHead;
use crate::receipt::{self, Link};
use crate::{CONTROL_SIZE_MAX, PROTOCOL_VERSION};
use crate::{Scope, Shown};

/// What the host may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub enum Command<'c> {
    /// Say how things stand. Counts as the host's heartbeat.
    Status,
    /// Sign nothing more until an operator resumes.
    Kill,
    /// Be no less strict than this until an operator resumes. `Live` changes nothing.
    Tighten {
        /// for what
        scope: Scope,
        /// from now on
        mode: Mode,
    },
    /// Sign nothing more for a client until an operator reinstates it.
    CutClient {
        /// its public session key (X25519)
        client: [u8; 32],
    },
    /// Give the records from this sequence on, as soon as there is one. Counts as the host's heartbeat.
    Take {
        /// the first that is wanted
        next: u64,
        /// every record below this sequence is on disk to stay
        acknowledged: u64,
        /// how long the answer may wait for a record, milliseconds; at most [`TAKE_WAIT_MS_MAX`]
        wait_ms: u16,
    },
    /// Draw a challenge for one operator's order. It is good for [`CHALLENGE_MS`] and one order.
    Challenge,
    /// Obey an operator.
    Order {
        /// the encoded [`crate::operator::Order`]
        order: &'c [u8],
        /// Ed25519, by the operator that the order names
        signature: [u8; 64],
    },
}

/// How long a challenge can be answered, milliseconds.
pub const CHALLENGE_MS: u64 = 60_000;

/// How long a [`Command::Take`] waits at most, milliseconds: shorter than any heartbeat.
pub const TAKE_WAIT_MS_MAX: u16 = 250;

/// What the vault answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub enum Answer<'r> {
    /// To everything that was obeyed and asks for no other answer.
    Status(Status<'r>),
    /// To [`Command::Challenge`].
    Challenge([u8; 32]),
    /// To [`Command::Take`].
    Records(Records<'r>),
    /// To what was not obeyed.
    Refused {
        /// the [`crate::Refusal`]'s code
        code: u16,
        /// what was seen
        observed: Shown,
        /// what would have been obeyed
        limit: Shown,
    },
}

/// Some records of the chain, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub struct Records<'r> {
    /// Drawn at boot.
    pub boot_id: [u8; 16],
    /// The sequence of the first of them: the one asked for, or the oldest that the vault still has.
    pub first: u64,
    /// Where the chain stands; `None` before its first record.
    pub head: Option<SignedHead>,
    /// Each one's size, `u16` little-endian, and bytes. Empty when there is none yet.
    pub packed: &'r [u8],
}

impl<'r> Records<'r> {
    /// The records; ends early where the bytes do not hold together.
    pub fn iter(&self) -> impl Iterator<Item = &'r [u8]> {
        receipt::unpack(self.packed)
    }
}

/// Something that holds the vault back; [`Status::latches`] has a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
#[repr(u8)]
pub enum Latch {
    /// This boot was not started yet.
    Boot = 0,
    /// The kill switch was pulled.
    Kill = 1,
    /// An operator asked for a stricter mode.
    Operator = 2,
    /// The host asked for a stricter mode.
    Tightened = 3,
    /// A client is cut off.
    CutClient = 4,
    /// The vault found a fault in itself.
    Integrity = 5,
    /// The host was not heard in time.
    HostHeartbeat = 6,
    /// Too many receipts are not acknowledged.
    ReceiptCredit = 7,
    /// A client was not heard in time.
    ClientHeartbeat = 8,
    /// The system's clock and the anchored time disagree.
    Clock = 9,
}

impl Latch {
    /// Every latch, in the order of its bit.
    pub const ALL: [Self; 10] = [
        Self::Boot,
        Self::Kill,
        Self::Operator,
        Self::Tightened,
        Self::CutClient,
        Self::Integrity,
        Self::HostHeartbeat,
        Self::ReceiptCredit,
        Self::ClientHeartbeat,
        Self::Clock,
    ];

    /// Its bit in [`Status::latches`].
    #[must_use]
    pub const fn bit(self) -> u16 {
        1 << (self as u8)
    }

    /// Its name in records and for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Boot => "boot",
            Self::Kill => "kill",
            Self::Operator => "operator",
            Self::Tightened => "tightened",
            Self::CutClient => "cut-client",
            Self::Integrity => "integrity",
            Self::HostHeartbeat => "host-heartbeat",
            Self::ReceiptCredit => "receipt-credit",
            Self::ClientHeartbeat => "client-heartbeat",
            Self::Clock => "clock",
        }
    }

    /// Those whose bits are set, as [`Status::latches`] has them.
    pub fn set_in(bits: u16) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |latch| bits & latch.bit() != 0)
    }
}

/// How things stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub struct Status<'r> {
    /// What the vault is willing to do for whoever is held back by nothing else.
    pub mode: Mode,
    /// [`Latch::bit`] of every latch that is set somewhere.
    pub latches: u16,
    /// Clients' sessions that are open.
    pub sessions: u16,
    /// How many records wait for the host's acknowledgement.
    pub unacknowledged: u64,
    /// The counter of the last order that was obeyed; 0 when there was none.
    pub order_counter: u64,
    /// Drawn at boot.
    pub boot_id: [u8; 16],
    /// SHA-256 of the book.
    pub policy_hash: [u8; 32],
    /// Milliseconds since boot.
    pub uptime_ms: u64,
    /// How many receipts this boot has sealed.
    pub receipts: u64,
    /// The link of the last receipt, or the boot's genesis.
    pub head: Link,
    /// How many requests were signed.
    pub signed: u64,
    /// How many were refused.
    pub refused: u64,
    /// The desk whose book this is.
    pub desk: &'r str,
}

/// Writes a command's body and returns its size.
///
/// # Errors
/// [`CodecFault::DoesNotFit`].
pub fn write_command(command: Command<'_>, into: &mut [u8; CONTROL_SIZE_MAX]) -> Result<usize, CodecFault> {
    write(Kind::Control, command, into)
}

/// Writes an answer's body and returns its size.
///
/// # Errors
/// [`CodecFault::DoesNotFit`].
pub fn write_answer(answer: Answer<'_>, into: &mut [u8; CONTROL_SIZE_MAX]) -> Result<usize, CodecFault> {
    write(Kind::ControlReply, answer, into)
}

/// Reads a command's body.
///
/// # Errors
/// [`CodecFault`].
pub fn read_command(body: &[u8]) -> Result<Command<'_>, CodecFault> {
    read(Kind::Control, body)
}

/// Reads an answer's body.
///
/// # Errors
/// [`CodecFault`].
pub fn read_answer(body: &[u8]) -> Result<Answer<'_>, CodecFault> {
    read(Kind::ControlReply, body)
}

/// Reads the body of an answer that is to be a status.
///
/// # Errors
/// [`CodecFault`]; another answer is [`CodecFault::NotAValue`].
pub fn read_status(body: &[u8]) -> Result<Status<'_>, CodecFault> {
    match read_answer(body)? {
        Answer::Status(status) => Ok(status),
        Answer::Challenge(_) | Answer::Records(_) | Answer::Refused { .. } => Err(CodecFault::NotAValue),
    }
}

fn write<T: Encode>(kind: Kind, message: T, into: &mut [u8; CONTROL_SIZE_MAX]) -> Result<usize, CodecFault> {
    let (head, rest) = into.split_at_mut(2);
    head.copy_from_slice(&[PROTOCOL_VERSION, kind as u8]);
    Ok(2 + codec::encode(message, rest)?)
}

fn read<'b, T: BorrowDecode<'b, ()>>(kind: Kind, body: &'b [u8]) -> Result<T, CodecFault> {
    match body {
        [PROTOCOL_VERSION, found, message @ ..] if *found == kind as u8 => codec::decode(message),
        _ => Err(CodecFault::NotAValue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Venue;

    const STATUS: Status<'static> = Status {
        mode: Mode::Halted,
        latches: 3,
        sessions: 2,
        unacknowledged: 1,
        order_counter: 9,
        boot_id: [1; 16],
        policy_hash: [2; 32],
        uptime_ms: 3,
        receipts: 4,
        head: [5; 32],
        signed: 6,
        refused: 7,
        desk: "demo",
    };

    #[test]
    fn the_bytes_of_the_commands_are_golden() {
        let tighten = Command::Tighten { scope: Scope::Venue(Venue::Evm), mode: Mode::ReduceOnly };
        let mut order = [6_u8; 4 + 8 + 2 + 64];
        order[..14].copy_from_slice(&[6, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, 8]);
        order[14..].fill(9);
        let cases: [(Command<'_>, &[u8]); 7] = [
            (Command::Status, &[0, 0, 0, 0]),
            (Command::Kill, &[1, 0, 0, 0]),
            (tighten, &[2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]),
            (
                Command::Take { next: 0x0102, acknowledged: 0x0304, wait_ms: 0x0506 },
                &[4, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 6, 5],
            ),
            (Command::Challenge, &[5, 0, 0, 0]),
            (Command::Order { order: &[7, 8], signature: [9; 64] }, &order),
            (
                Command::CutClient { client: [4; 32] },
                &[
                    3, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
                    4, 4, 4, 4, 4, 4,
                ],
            ),
        ];
        for (command, expected) in cases {
            let mut body = [0; CONTROL_SIZE_MAX];
            let size = write_command(command, &mut body).unwrap();
            assert_eq!(body[..2], [1, 0x10]);
            assert_eq!(&body[2..size], expected);
            assert_eq!(read_command(&body[..size]), Ok(command));
        }
    }

    #[test]
    fn answers_read_back_and_trailing_bytes_are_refused() {
        let records = Records { boot_id: [1; 16], first: 7, head: None, packed: &[2, 0, 8, 9, 1, 0, 7] };
        assert!(records.iter().eq([&[8, 9][..], &[7]]));
        let refused = Answer::Refused { code: 3020, observed: Shown::Uint(1), limit: Shown::Nothing };
        for answer in [Answer::Status(STATUS), Answer::Challenge([8; 32]), Answer::Records(records), refused]
        {
            let mut body = [0; CONTROL_SIZE_MAX];
            let size = write_answer(answer, &mut body).unwrap();
            assert_eq!(read_answer(&body[..size]), Ok(answer));
            assert_eq!(read_status(&body[..size]).is_ok(), matches!(answer, Answer::Status(_)));
            assert_eq!(read_answer(&body[..=size]), Err(CodecFault::TrailingBytes));
            assert_eq!(read_command(&body[..size]), Err(CodecFault::NotAValue));
        }
    }

    #[test]
    fn records_that_are_cut_short_end_the_list() {
        let records = Records { boot_id: [1; 16], first: 7, head: None, packed: &[1, 0, 8, 9, 0, 1] };
        assert!(records.iter().eq([&[8][..]]));
    }

    #[test]
    fn an_unknown_command_is_refused() {
        assert_eq!(read_command(&[1, 0x10, 9, 0, 0, 0]), Err(CodecFault::NotAValue));
    }

    #[test]
    fn every_latch_has_a_bit_and_a_name_of_its_own() {
        for (at, latch) in (0..).zip(Latch::ALL) {
            assert_eq!(latch.bit(), 1 << at);
            assert!(Latch::ALL.iter().filter(|other| other.as_str() == latch.as_str()).count() == 1);
        }
    }
}
