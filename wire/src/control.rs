//! Control messages between the host (or an operator) and the vault, on a channel of their own.
//!
//! A body is `version u8, kind u8`, then the [`crate::codec`] encoding of [`Command`] or [`Status`]. The host
//! can only make the vault stricter: there is no command that lifts a kill.

use bincode::{BorrowDecode, Encode};

pub use crate::Mode;
use crate::codec::{self, CodecFault};
use crate::frame::Kind;
use crate::receipt::Link;
use crate::{CONTROL_SIZE_MAX, PROTOCOL_VERSION};

/// What the host may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub enum Command {
    /// Say how things stand.
    Status,
    /// Sign nothing more until the vault restarts.
    Kill,
}

/// How things stand; the answer to every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, BorrowDecode)]
pub struct Status<'r> {
    /// What the vault is willing to do.
    pub mode: Mode,
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
pub fn write_command(command: Command, into: &mut [u8; CONTROL_SIZE_MAX]) -> Result<usize, CodecFault> {
    write(Kind::Control, command, into)
}

/// Writes a status' body and returns its size.
///
/// # Errors
/// [`CodecFault::DoesNotFit`].
pub fn write_status(status: Status<'_>, into: &mut [u8; CONTROL_SIZE_MAX]) -> Result<usize, CodecFault> {
    write(Kind::ControlReply, status, into)
}

/// Reads a command's body.
///
/// # Errors
/// [`CodecFault`].
pub fn read_command(body: &[u8]) -> Result<Command, CodecFault> {
    read(Kind::Control, body)
}

/// Reads a status' body.
///
/// # Errors
/// [`CodecFault`].
pub fn read_status(body: &[u8]) -> Result<Status<'_>, CodecFault> {
    read(Kind::ControlReply, body)
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

    #[test]
    fn the_bytes_of_the_commands_are_golden() {
        let mut body = [0; CONTROL_SIZE_MAX];
        let size = write_command(Command::Status, &mut body).unwrap();
        assert_eq!(&body[..size], [1, 0x10, 0, 0, 0, 0]);
        let size = write_command(Command::Kill, &mut body).unwrap();
        assert_eq!(&body[..size], [1, 0x10, 1, 0, 0, 0]);
        assert_eq!(read_command(&body[..size]), Ok(Command::Kill));
    }

    #[test]
    fn a_status_reads_back_and_trailing_bytes_are_refused() {
        let status = Status {
            mode: Mode::Halted,
            boot_id: [1; 16],
            policy_hash: [2; 32],
            uptime_ms: 3,
            receipts: 4,
            head: [5; 32],
            signed: 6,
            refused: 7,
            desk: "demo",
        };
        let mut body = [0; CONTROL_SIZE_MAX];
        let size = write_status(status, &mut body).unwrap();
        assert_eq!(read_status(&body[..size]), Ok(status));
        assert_eq!(read_status(&body[..=size]), Err(CodecFault::TrailingBytes));
        assert_eq!(read_command(&body[..size]), Err(CodecFault::NotAValue));
    }

    #[test]
    fn an_unknown_command_is_refused() {
        assert_eq!(read_command(&[1, 0x10, 9, 0, 0, 0]), Err(CodecFault::NotAValue));
    }
}
