//! The vault's answer to a signing request.
//!
//! ```text
//!  0  version        u8   = 1
//!  1  kind           u8   = 0x02
//!  2  signature size u8   0, 64 (Ed25519) or 65 (r ‖ s ‖ y parity, secp256k1)
//!  3  reserved       u8   = 0
//!  4  code           u16  0 = signed, else the code of a refusal
//!  6  receipt size   u16
//!  8  canonical size u16
//! 10  reserved       6    = 0
//! 16  request id     u64
//! 24  signature, receipt, canonical bytes
//! ```
//! The refusal's value and limit, the digest and the facts stand in the receipt.

use crate::receipt::{CODE_SIGNED, Receipt};
use crate::refusal::Refusal;
use crate::{PROTOCOL_VERSION, REPLY_SIZE_MAX, frame::Kind};

/// Bytes before the signature.
pub const HEADER_SIZE: usize = 24;

/// Size of an Ed25519 signature.
pub const ED25519_SIZE: usize = 64;

/// Size of a recoverable secp256k1 signature: r, s and the parity of y (0 or 1).
pub const SECP256K1_SIZE: usize = 65;

/// A reply as it stands in its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'f> {
    /// [`CODE_SIGNED`] or a refusal's code.
    pub code: u16,
    /// The request's number.
    pub request_id: u64,
    /// Empty unless signed.
    pub signature: &'f [u8],
    /// The sealed record; empty only when the vault could not seal one.
    pub receipt: &'f [u8],
    /// The canonical bytes, if asked for and signed.
    pub canonical: &'f [u8],
}

/// The bytes are not a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAReply;

impl<'f> Reply<'f> {
    /// Writes the reply's body into `into` and returns its size, or `None` when a part is too large.
    #[must_use]
    pub fn write(&self, into: &mut [u8; REPLY_SIZE_MAX]) -> Option<usize> {
        let size = HEADER_SIZE + self.signature.len() + self.receipt.len() + self.canonical.len();
        let signature_size = u8::try_from(self.signature.len()).ok()?;
        let receipt_size = u16::try_from(self.receipt.len()).ok()?;
        let canonical_size = u16::try_from(self.canonical.len()).ok()?;
        let body = into.get_mut(..size)?;
        let parts: [&[u8]; 9] = [
            &[PROTOCOL_VERSION, Kind::Reply as u8, signature_size, 0],
            &self.code.to_le_bytes(),
            &receipt_size.to_le_bytes(),
            &canonical_size.to_le_bytes(),
            &[0; 6],
            &self.request_id.to_le_bytes(),
            self.signature,
            self.receipt,
            self.canonical,
        ];
        let mut rest = body;
        for part in parts {
            let (head, tail) = rest.split_at_mut_checked(part.len())?;
            head.copy_from_slice(part);
            rest = tail;
        }
        Some(size)
    }

    /// Reads a reply's body.
    ///
    /// # Errors
    /// [`NotAReply`] when the header contradicts itself or the body's size.
    pub fn read(body: &'f [u8]) -> Result<Self, NotAReply> {
        let (header, rest) = body.split_first_chunk::<HEADER_SIZE>().ok_or(NotAReply)?;
        let [
            version,
            kind,
            signature_size,
            r3,
            c0,
            c1,
            t0,
            t1,
            n0,
            n1,
            reserved @ ..,
            i0,
            i1,
            i2,
            i3,
            i4,
            i5,
            i6,
            i7,
        ] = *header;
        if version != PROTOCOL_VERSION || kind != Kind::Reply as u8 || r3 != 0 || reserved != [0; 6] {
            return Err(NotAReply);
        }
        let code = u16::from_le_bytes([c0, c1]);
        let (signature, rest) = rest.split_at_checked(signature_size.into()).ok_or(NotAReply)?;
        let (receipt, canonical) =
            rest.split_at_checked(u16::from_le_bytes([t0, t1]).into()).ok_or(NotAReply)?;
        if canonical.len() != usize::from(u16::from_le_bytes([n0, n1])) {
            return Err(NotAReply);
        }
        let signed = matches!(signature.len(), ED25519_SIZE | SECP256K1_SIZE);
        if signed != (code == CODE_SIGNED) || (!signed && !signature.is_empty()) {
            return Err(NotAReply);
        }
        let request_id = u64::from_le_bytes([i0, i1, i2, i3, i4, i5, i6, i7]);
        Ok(Self { code, request_id, signature, receipt, canonical })
    }

    /// The refusal, `None` when signed.
    ///
    /// # Errors
    /// The code when it is of a later build than this reader.
    pub fn refusal(&self) -> Result<Option<Refusal>, u16> {
        if self.code == CODE_SIGNED {
            return Ok(None);
        }
        Refusal::from_code(self.code).map(Some).ok_or(self.code)
    }

    /// The receipt, read.
    ///
    /// # Errors
    /// [`NotAReply`] when it is no receipt or contradicts the reply.
    pub fn receipt(&self) -> Result<Receipt<'f>, NotAReply> {
        let receipt = Receipt::read(self.receipt).map_err(|_| NotAReply)?;
        if receipt.code == self.code && receipt.request_id == self.request_id {
            Ok(receipt)
        } else {
            Err(NotAReply)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: Reply<'static> =
        Reply { code: 0, request_id: 9, signature: &[1; 65], receipt: &[2; 10], canonical: &[3; 4] };

    #[test]
    fn a_written_reply_reads_back_as_itself() {
        let mut body = [0; REPLY_SIZE_MAX];
        let size = REPLY.write(&mut body).unwrap();
        assert_eq!(Reply::read(&body[..size]), Ok(REPLY));
        for cut in 0..size {
            assert_eq!(Reply::read(&body[..cut]), Err(NotAReply));
        }
    }

    #[test]
    fn a_refusal_with_a_signature_and_a_signed_reply_without_one_are_no_replies() {
        let mut body = [0; REPLY_SIZE_MAX];
        let size = Reply { code: 3000, ..REPLY }.write(&mut body).unwrap();
        assert_eq!(Reply::read(&body[..size]), Err(NotAReply));
        let size = Reply { signature: &[], ..REPLY }.write(&mut body).unwrap();
        assert_eq!(Reply::read(&body[..size]), Err(NotAReply));
    }
}
