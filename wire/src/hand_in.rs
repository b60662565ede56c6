//! Records that a client kept, on their way to the host: so that a host that lost some has them again.
//!
//! ```text
//! 0x2a HandIn   records, each behind its size (u16)     the client, before it opens a session
//! 0x2b Taken    records taken u16                        the host; a record that it had already counts
//! ```
//! Neither is sealed: it is the host's own socket, and a record is bound to its chain, not to who brings it.

use crate::frame::{self, BODY_SIZE_MIN, FrameFault, Kind};
use crate::receipt;
use crate::session::head;

/// Largest body of a [`Kind::HandIn`].
pub const HAND_IN_SIZE_MAX: usize = crate::REPLY_SIZE_MAX;

/// Size of a [`Kind::Taken`] body.
pub const TAKEN_SIZE: usize = BODY_SIZE_MIN + 2;

// One record always fits.
const _: () = assert!(BODY_SIZE_MIN + 2 + crate::RECEIPT_SIZE_MAX <= HAND_IN_SIZE_MAX);

/// Writes as many of `records` as fit into a [`Kind::HandIn`] body; gives how many they are and the body's size.
pub fn write_hand_in<'r>(
    records: impl IntoIterator<Item = &'r [u8]>,
    into: &mut [u8; HAND_IN_SIZE_MAX],
) -> (usize, usize) {
    let (front, mut rest) = into.split_at_mut(BODY_SIZE_MIN);
    front.copy_from_slice(&head(Kind::HandIn));
    let (mut count, mut size) = (0, BODY_SIZE_MIN);
    for record in records {
        let Some(used) = receipt::pack(record, rest) else { break };
        rest = rest.get_mut(used..).unwrap_or_default();
        (count, size) = (count + 1, size + used);
    }
    (count, size)
}

/// The records of a [`Kind::HandIn`] body.
///
/// # Errors
/// [`FrameFault`] for another frame.
pub fn read_hand_in(body: &[u8]) -> Result<impl Iterator<Item = &[u8]>, FrameFault> {
    Ok(receipt::unpack(frame::content(body, Kind::HandIn)?))
}

/// The body of a [`Kind::Taken`].
#[must_use]
pub fn write_taken(count: u16) -> [u8; TAKEN_SIZE] {
    let [version, kind] = head(Kind::Taken);
    let [low, high] = count.to_le_bytes();
    [version, kind, low, high]
}

/// How many records a host took.
///
/// # Errors
/// [`FrameFault`] for another frame or size.
pub fn read_taken(body: &[u8]) -> Result<u16, FrameFault> {
    let declared = u32::try_from(body.len()).unwrap_or(u32::MAX);
    match *frame::content(body, Kind::Taken)? {
        [low, high] => Ok(u16::from_le_bytes([low, high])),
        [] | [_] => Err(FrameFault::TooShort { declared }),
        _ => Err(FrameFault::TooLong { declared }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_handed_in_as_they_are_and_as_many_as_fit() {
        let mut body = [0; HAND_IN_SIZE_MAX];
        let records = [&[1, 2][..], &[3], &[7; 12_000], &[8; 12_000], &[9; 12_000]];
        let (count, size) = write_hand_in(records, &mut body);
        assert_eq!(count, 4);
        assert_eq!(body[..8], [1, 0x2a, 2, 0, 1, 2, 1, 0]);
        assert!(read_hand_in(&body[..size]).unwrap().eq(records.into_iter().take(4)));
        assert_eq!(write_hand_in([], &mut body), (0, 2));
    }

    #[test]
    fn what_was_taken_reads_back_and_nothing_else_does() {
        let body = write_taken(0x0102);
        assert_eq!(body, [1, 0x2b, 2, 1]);
        assert_eq!(read_taken(&body), Ok(0x0102));
        assert!(read_taken(&body[..3]).is_err());
        assert!(read_taken(&[1, 0x2b, 2, 1, 0]).is_err());
        assert!(read_taken(&[1, 0x2a, 2, 1]).is_err());
    }
}
