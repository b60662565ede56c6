//! The session layer: how a client and the vault come to share keys, and the frame that wraps every other.
//!
//! ```text
//! client                                                    vault
//!   Hello       nonce                                 ->
//!                                                    <-     Attestation  document (claims inside)
//!   Handshake1  Noise message 1, certificate or empty ->
//!                                                    <-     Handshake2   Noise message 2, Welcome
//!                                                           or Denied    code
//!   Sealed      a request, command, ...              <->    Sealed       a reply, status, ...
//! ```
//! Every body begins with `version u8 = 1, kind u8`. What follows:
//!
//! ```text
//! 0x20 Hello        nonce [32]                                                               34 bytes
//! 0x21 Attestation  document                                                                  1 to 16 KiB
//! 0x22 Handshake1   e [32] ‖ sealed s [48] ‖ sealed certificate (0 to 273) ‖ tag [16]
//! 0x23 Handshake2   e [32] ‖ sealed Welcome [100] ‖ tag [16]                                150 bytes
//! 0x24 Sealed       sealed body (2 to 30720) ‖ tag [16]
//! 0x25 Denied       code u16 little-endian                                                    4 bytes
//! ```
//! Handshakes are `Noise_IK_25519_AESGCM_SHA256` (The Noise Protocol Framework, revision 34) with the
//! [`prologue`]; the sealed frames are its transport messages, whose counter is not on the wire. `Hello`,
//! `Attestation` and `Denied` are not authenticated by the frame: a document is signed inside, and a
//! denial's code is a hint for people and never a proof.

mod certificate;
mod claims;
mod denial;
mod welcome;

pub use certificate::{
    CERTIFICATE_DOMAIN, CERTIFICATE_MESSAGE_SIZE_MAX, CERTIFICATE_MS_MAX, CERTIFICATE_NAME_SIZE_MAX,
    CERTIFICATE_SIZE_MAX, Certificate, CertificateMessage, SIGNATURE_SIZE, SignedCertificate,
};
pub use claims::{CLAIMS_SIZE, Claims};
pub use denial::Denial;
pub use welcome::{WELCOME_SIZE, Welcome};

use crate::frame::{self, BODY_SIZE_MIN, FrameFault, Kind, PREFIX_SIZE};
use crate::{CONTROL_SIZE_MAX, PROTOCOL_VERSION, REPLY_SIZE_MAX, REQUEST_SIZE_MAX};

/// What both sides run.
pub const NOISE_PROTOCOL: &str = "Noise_IK_25519_AESGCM_SHA256";

/// Size of an X25519 key (RFC 7748).
pub const KEY_SIZE: usize = 32;

/// Size of the tag of AES-256-GCM.
pub const TAG_SIZE: usize = 16;

/// Size of the nonce of a [`Kind::Hello`].
pub const NONCE_SIZE: usize = 32;

/// Size of a [`Kind::Hello`] body.
pub const HELLO_SIZE: usize = BODY_SIZE_MIN + NONCE_SIZE;

/// Largest attestation document in bytes: the answer of a Nitro security module is below 12 KiB.
pub const DOCUMENT_SIZE_MAX: usize = 16 * 1024;

/// Largest body of a [`Kind::Attestation`].
pub const ATTESTATION_SIZE_MAX: usize = BODY_SIZE_MIN + DOCUMENT_SIZE_MAX;

/// Bytes of a [`Kind::Handshake1`] body beside the certificate.
pub const HANDSHAKE1_OVERHEAD: usize = BODY_SIZE_MIN + KEY_SIZE + (KEY_SIZE + TAG_SIZE) + TAG_SIZE;

/// Largest body of a [`Kind::Handshake1`].
pub const HANDSHAKE1_SIZE_MAX: usize = HANDSHAKE1_OVERHEAD + CERTIFICATE_SIZE_MAX;

/// Bytes of a [`Kind::Handshake2`] body beside the welcome.
pub const HANDSHAKE2_OVERHEAD: usize = BODY_SIZE_MIN + KEY_SIZE + TAG_SIZE;

/// Size of a [`Kind::Handshake2`] body.
pub const HANDSHAKE2_SIZE: usize = HANDSHAKE2_OVERHEAD + WELCOME_SIZE;

/// Size of a [`Kind::Denied`] body.
pub const DENIED_SIZE: usize = BODY_SIZE_MIN + 2;

/// Bytes that a [`Kind::Sealed`] body has more than the body inside.
pub const SEALED_OVERHEAD: usize = BODY_SIZE_MIN + TAG_SIZE;

/// Largest body inside a sealed frame, on any channel.
pub const SEALED_BODY_SIZE_MAX: usize = REPLY_SIZE_MAX;

/// Largest sealed frame body on any channel.
pub const SEALED_SIZE_MAX: usize = SEALED_OVERHEAD + SEALED_BODY_SIZE_MAX;

/// Largest sealed request: what the vault takes from a bot.
pub const SEALED_REQUEST_SIZE_MAX: usize = SEALED_OVERHEAD + REQUEST_SIZE_MAX;

/// Largest sealed reply: what a bot takes from the vault.
pub const SEALED_REPLY_SIZE_MAX: usize = SEALED_OVERHEAD + REPLY_SIZE_MAX;

/// Largest sealed control message, either way.
pub const SEALED_CONTROL_SIZE_MAX: usize = SEALED_OVERHEAD + CONTROL_SIZE_MAX;

/// After so many messages in a direction its key is replaced (`Rekey`, The Noise Protocol Framework, 4.2).
pub const REKEY_MESSAGES: u64 = 1 << 16;

/// A direction ends after so many messages; Noise's own counter would end later.
pub const MESSAGES_MAX: u64 = 1 << 48;

/// What the prologue begins with.
pub const PROLOGUE_DOMAIN: &[u8; 21] = b"portcullis session v1";

/// Size of the prologue.
pub const PROLOGUE_SIZE: usize = PROLOGUE_DOMAIN.len() + 1 + 16 + 32;

// Every frame is one write below 32 KiB, see `crate::REPLY_SIZE_MAX`.
const _: () = assert!(PREFIX_SIZE + SEALED_SIZE_MAX < 32 * 1024);
const _: () = assert!(PREFIX_SIZE + ATTESTATION_SIZE_MAX < 32 * 1024);
const _: () = assert!(SEALED_REQUEST_SIZE_MAX <= SEALED_SIZE_MAX);
const _: () = assert!(SEALED_REPLY_SIZE_MAX <= SEALED_SIZE_MAX);
const _: () = assert!(SEALED_CONTROL_SIZE_MAX <= SEALED_SIZE_MAX);
// The vault's buffer for a bot's frames takes a first handshake message, a client's the answers to it.
const _: () = assert!(HANDSHAKE1_SIZE_MAX <= SEALED_REQUEST_SIZE_MAX);
const _: () = assert!(ATTESTATION_SIZE_MAX <= SEALED_CONTROL_SIZE_MAX);
const _: () = assert!(HANDSHAKE2_SIZE <= SEALED_CONTROL_SIZE_MAX);
const _: () = assert!(MESSAGES_MAX.is_multiple_of(REKEY_MESSAGES));

/// What a session is for. It is part of the prologue, so a handshake made for one does not fit the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Channel {
    /// Bots: requests and replies.
    Bots = 1,
    /// The host and operators: commands, answers, records.
    Control = 2,
}

/// `"portcullis session v1" ‖ channel u8 ‖ boot id [16] ‖ policy hash [32]`: what both sides must agree on
/// before the first message of a handshake decrypts.
#[must_use]
pub fn prologue(channel: Channel, boot_id: &[u8; 16], policy_hash: &[u8; 32]) -> [u8; PROLOGUE_SIZE] {
    let mut bytes = [0; PROLOGUE_SIZE];
    let channel = [channel as u8];
    let parts = PROLOGUE_DOMAIN.iter().chain(&channel).chain(boot_id).chain(policy_hash);
    for (into, from) in bytes.iter_mut().zip(parts) {
        *into = *from;
    }
    bytes
}

/// The body of a [`Kind::Hello`].
#[must_use]
pub fn write_hello(nonce: &[u8; NONCE_SIZE]) -> [u8; HELLO_SIZE] {
    let mut body = [0; HELLO_SIZE];
    for (into, from) in body.iter_mut().zip(head(Kind::Hello).iter().chain(nonce)) {
        *into = *from;
    }
    body
}

/// The nonce of a [`Kind::Hello`].
///
/// # Errors
/// [`FrameFault`] for another frame or size.
pub fn read_hello(body: &[u8]) -> Result<[u8; NONCE_SIZE], FrameFault> {
    exactly(frame::content(body, Kind::Hello)?, body.len())
}

/// Writes the body of a [`Kind::Attestation`] and returns its size, or `None` when the document is empty or
/// larger than [`DOCUMENT_SIZE_MAX`] or does not fit.
#[must_use]
pub fn write_attestation(document: &[u8], into: &mut [u8]) -> Option<usize> {
    if document.is_empty() || document.len() > DOCUMENT_SIZE_MAX {
        return None;
    }
    let size = BODY_SIZE_MIN + document.len();
    let (front, rest) = into.get_mut(..size)?.split_at_mut_checked(BODY_SIZE_MIN)?;
    front.copy_from_slice(&head(Kind::Attestation));
    rest.copy_from_slice(document);
    Some(size)
}

/// The document of a [`Kind::Attestation`].
///
/// # Errors
/// [`FrameFault`] for another frame, an empty document, or one above [`DOCUMENT_SIZE_MAX`].
pub fn read_attestation(body: &[u8]) -> Result<&[u8], FrameFault> {
    let document = frame::content(body, Kind::Attestation)?;
    let declared = u32::try_from(body.len()).unwrap_or(u32::MAX);
    match document.len() {
        0 => Err(FrameFault::TooShort { declared }),
        size if size > DOCUMENT_SIZE_MAX => Err(FrameFault::TooLong { declared }),
        _ => Ok(document),
    }
}

/// The body of a [`Kind::Denied`].
#[must_use]
pub fn write_denied(denial: Denial) -> [u8; DENIED_SIZE] {
    let [version, kind] = head(Kind::Denied);
    let [low, high] = denial.code().to_le_bytes();
    [version, kind, low, high]
}

/// The code of a [`Kind::Denied`]; [`Denial::from_code`] tells what it means if this build knows it.
///
/// # Errors
/// [`FrameFault`] for another frame or size.
pub fn read_denied(body: &[u8]) -> Result<u16, FrameFault> {
    exactly(frame::content(body, Kind::Denied)?, body.len()).map(u16::from_le_bytes)
}

/// Version and kind, as every body begins.
#[must_use]
pub const fn head(kind: Kind) -> [u8; BODY_SIZE_MIN] {
    [PROTOCOL_VERSION, kind as u8]
}

fn exactly<const N: usize>(content: &[u8], body_size: usize) -> Result<[u8; N], FrameFault> {
    let declared = u32::try_from(body_size).unwrap_or(u32::MAX);
    let fault =
        if content.len() < N { FrameFault::TooShort { declared } } else { FrameFault::TooLong { declared } };
    content.try_into().map_err(|_| fault)
}

#[cfg(test)]
mod tests;
