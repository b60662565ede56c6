//! Length-prefixed frames: `length: u32 little-endian`, then `length` bytes of body.
//!
//! The first two body bytes are the protocol version and the [`Kind`]. Kinds 0x20 to 0x2f belong to the
//! session layer: [`crate::session`].

use crate::PROTOCOL_VERSION;

/// Bytes of the length prefix.
pub const PREFIX_SIZE: usize = 4;

/// Smallest body: version and kind.
pub const BODY_SIZE_MIN: usize = 2;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A bot asks for a signature: [`crate::request::Request`].
    Request = 0x01,
    /// The vault answers: [`crate::reply::Reply`].
    Reply = 0x02,
    /// The host or an operator asks: [`crate::control::Command`].
    Control = 0x10,
    /// The vault answers a control frame: [`crate::control::Status`].
    ControlReply = 0x11,
    /// A client asks who is there: a nonce.
    Hello = 0x20,
    /// The vault answers a hello: an attestation document.
    Attestation = 0x21,
    /// A client opens a session: the first Noise message.
    Handshake1 = 0x22,
    /// The vault opens its side: the second Noise message.
    Handshake2 = 0x23,
    /// Any other body, sealed within a session.
    Sealed = 0x24,
    /// The vault gives no session: [`crate::session::Denial`].
    Denied = 0x25,
    /// Inside a session: a client is alive and asks how it stands.
    Heartbeat = 0x26,
    /// The vault answers a heartbeat: the mode in force for this client.
    Standing = 0x27,
    /// A client hands the host records that it kept: [`crate::hand_in`].
    HandIn = 0x2a,
    /// The host answers: how many of them it took.
    Taken = 0x2b,
}

/// Why a frame cannot be taken. The connection is closed: what follows can no longer be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameFault {
    /// The declared length is below [`BODY_SIZE_MIN`].
    TooShort {
        /// declared length in bytes
        declared: u32,
    },
    /// The declared length is above the cap of this channel.
    TooLong {
        /// declared length in bytes
        declared: u32,
    },
    /// The version byte is not [`PROTOCOL_VERSION`].
    Version(u8),
    /// The kind byte is unknown or does not belong on this channel.
    Kind(u8),
}

/// The body length a prefix declares, checked against the channel's cap before anything is reserved.
///
/// # Errors
/// [`FrameFault::TooShort`] or [`FrameFault::TooLong`].
pub const fn body_size(prefix: [u8; PREFIX_SIZE], body_size_max: usize) -> Result<usize, FrameFault> {
    let declared = u32::from_le_bytes(prefix);
    // u32 to usize is lossless on every target this builds for.
    #[allow(clippy::cast_possible_truncation)]
    let size = declared as usize;
    if size < BODY_SIZE_MIN {
        return Err(FrameFault::TooShort { declared });
    }
    if size > body_size_max {
        return Err(FrameFault::TooLong { declared });
    }
    Ok(size)
}

/// The prefix for a body of `size` bytes, or `None` when it does not fit a `u32`.
#[must_use]
pub fn prefix(size: usize) -> Option<[u8; PREFIX_SIZE]> {
    u32::try_from(size).ok().map(u32::to_le_bytes)
}

/// The kind of a body, once its version is known to be ours.
///
/// # Errors
/// [`FrameFault::TooShort`], [`FrameFault::Version`] or [`FrameFault::Kind`].
pub fn kind(body: &[u8]) -> Result<Kind, FrameFault> {
    let [version, kind, ..] = *body else {
        return Err(FrameFault::TooShort { declared: u32::try_from(body.len()).unwrap_or(u32::MAX) });
    };
    if version != PROTOCOL_VERSION {
        return Err(FrameFault::Version(version));
    }
    match kind {
        0x01 => Ok(Kind::Request),
        0x02 => Ok(Kind::Reply),
        0x10 => Ok(Kind::Control),
        0x11 => Ok(Kind::ControlReply),
        0x20 => Ok(Kind::Hello),
        0x21 => Ok(Kind::Attestation),
        0x22 => Ok(Kind::Handshake1),
        0x23 => Ok(Kind::Handshake2),
        0x24 => Ok(Kind::Sealed),
        0x25 => Ok(Kind::Denied),
        0x26 => Ok(Kind::Heartbeat),
        0x27 => Ok(Kind::Standing),
        0x2a => Ok(Kind::HandIn),
        0x2b => Ok(Kind::Taken),
        other => Err(FrameFault::Kind(other)),
    }
}

/// What follows version and kind in a body that must be of the `wanted` kind.
///
/// # Errors
/// [`FrameFault::TooShort`], [`FrameFault::Version`] or [`FrameFault::Kind`].
pub fn content(body: &[u8], wanted: Kind) -> Result<&[u8], FrameFault> {
    let found = kind(body)?;
    if found != wanted {
        return Err(FrameFault::Kind(found as u8));
    }
    Ok(body.get(BODY_SIZE_MIN..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_zero_is_refused() {
        assert_eq!(body_size([0; 4], 100), Err(FrameFault::TooShort { declared: 0 }));
    }

    #[test]
    fn the_cap_itself_is_accepted_and_one_more_is_not() {
        assert_eq!(body_size(100_u32.to_le_bytes(), 100), Ok(100));
        assert_eq!(body_size(101_u32.to_le_bytes(), 100), Err(FrameFault::TooLong { declared: 101 }));
    }

    #[test]
    fn a_length_of_four_gigabytes_is_refused() {
        assert_eq!(body_size([0xff; 4], 16 * 1024), Err(FrameFault::TooLong { declared: u32::MAX }));
    }

    #[test]
    fn kinds_of_the_session_layer_that_do_not_exist_are_refused() {
        for reserved in [0x28, 0x29, 0x2c, 0x2d, 0x2e, 0x2f] {
            assert_eq!(kind(&[PROTOCOL_VERSION, reserved]), Err(FrameFault::Kind(reserved)));
        }
    }

    #[test]
    fn another_version_is_refused() {
        assert_eq!(kind(&[2, 1]), Err(FrameFault::Version(2)));
    }
}
