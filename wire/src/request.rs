//! A signing request.
//!
//! ```text
//!  0  version      u8   = 1
//!  1  kind         u8   = 0x01
//!  2  key slot     u16
//!  4  payload kind u16  venue in the high byte, form in the low byte
//!  6  flags        u16  bit 0: return the canonical bytes that were signed
//!  8  request id   u64  chosen by the client, returned in the reply and in the receipt
//! 16  payload           the rest of the body
//! ```
//! All integers are little-endian.

use crate::refusal::{Refusal, Why};
use crate::shown::Shown;
use crate::{PROTOCOL_VERSION, REQUEST_SIZE_MAX, Venue, frame::Kind};

/// Bytes before the payload.
pub const HEADER_SIZE: usize = 16;

/// Largest payload in bytes.
pub const PAYLOAD_SIZE_MAX: usize = REQUEST_SIZE_MAX - HEADER_SIZE;

/// Ask for the canonical bytes in the reply.
const FLAG_RETURN_CANONICAL: u16 = 1;

/// What the payload bytes are. The number is stable; a number not listed here is refused as unsupported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum PayloadKind {
    /// An unsigned EIP-1559 transaction: `0x02 ‖ rlp([...])` (EIP-2718, EIP-1559).
    EvmEip1559 = 0x0100,
    /// A UniswapX order or a Permit2 permit: JSON text as eth_signTypedData_v4 takes it (EIP-712).
    UniswapxTypedData = 0x0200,
    /// A Polymarket order or ClobAuth: JSON text as eth_signTypedData_v4 takes it (EIP-712).
    PolymarketTypedData = 0x0300,
    /// Hyperliquid L1 action: envelope, then the action as canonical msgpack.
    HyperliquidL1Msgpack = 0x0400,
    /// Hyperliquid L1 action: envelope, then the action as JSON text.
    HyperliquidL1Json = 0x0401,
    /// Hyperliquid user-signed action: envelope, then the action as JSON text.
    HyperliquidUserJson = 0x0402,
    /// A Solana message (legacy or v0) and the addresses its lookups resolve to.
    SolanaMessage = 0x0500,
    /// A Swift text of Drift: an order signed off chain, lower-case hexadecimal.
    SolanaSwift = 0x0501,
}

impl PayloadKind {
    /// Every kind this build understands.
    pub const ALL: [Self; 8] = [
        Self::EvmEip1559,
        Self::UniswapxTypedData,
        Self::PolymarketTypedData,
        Self::HyperliquidL1Msgpack,
        Self::HyperliquidL1Json,
        Self::HyperliquidUserJson,
        Self::SolanaMessage,
        Self::SolanaSwift,
    ];

    /// The stable number on the wire.
    #[must_use]
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The venue it is for.
    #[must_use]
    pub const fn venue(self) -> Venue {
        match self {
            Self::EvmEip1559 => Venue::Evm,
            Self::UniswapxTypedData => Venue::Uniswapx,
            Self::PolymarketTypedData => Venue::Polymarket,
            Self::HyperliquidL1Msgpack | Self::HyperliquidL1Json | Self::HyperliquidUserJson => {
                Venue::Hyperliquid
            }
            Self::SolanaMessage | Self::SolanaSwift => Venue::Solana,
        }
    }

    /// The kind of a number, if this build understands it.
    #[must_use]
    pub const fn from_number(number: u16) -> Option<Self> {
        match number {
            0x0100 => Some(Self::EvmEip1559),
            0x0200 => Some(Self::UniswapxTypedData),
            0x0300 => Some(Self::PolymarketTypedData),
            0x0400 => Some(Self::HyperliquidL1Msgpack),
            0x0401 => Some(Self::HyperliquidL1Json),
            0x0402 => Some(Self::HyperliquidUserJson),
            0x0500 => Some(Self::SolanaMessage),
            0x0501 => Some(Self::SolanaSwift),
            _ => None,
        }
    }
}

/// A request as it stands in the frame; nothing is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'f> {
    /// Which key of the book is to sign.
    pub key_slot: u16,
    /// What the payload bytes are.
    pub payload_kind: PayloadKind,
    /// Whether the reply is to carry the canonical bytes that were signed.
    pub return_canonical: bool,
    /// The client's own number for this request.
    pub request_id: u64,
    /// The payload, never empty beyond what its decoder accepts.
    pub payload: &'f [u8],
}

/// A request that cannot be read, with what is known of it so that the refusal can still be addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Why.
    pub why: Why,
    /// The request id if the header got that far, else 0.
    pub request_id: u64,
    /// The key slot if the header got that far, else 0.
    pub key_slot: u16,
    /// The raw payload kind if the header got that far, else 0.
    pub payload_kind: u16,
}

impl<'f> Request<'f> {
    /// Reads a frame body.
    ///
    /// # Errors
    /// [`Unreadable`] with a `Malformed` or `Unsupported` code.
    pub fn parse(body: &'f [u8]) -> Result<Self, Unreadable> {
        let fault =
            |why, request_id, key_slot, payload_kind| Unreadable { why, request_id, key_slot, payload_kind };
        if body.len() > REQUEST_SIZE_MAX {
            let why = Why::new(Refusal::RequestTooLong)
                .observed(Shown::size(body.len()))
                .limit(Shown::size(REQUEST_SIZE_MAX));
            return Err(fault(why, 0, 0, 0));
        }
        let Some((header, payload)) = body.split_first_chunk::<HEADER_SIZE>() else {
            let why = Why::new(Refusal::RequestTooShort)
                .observed(Shown::size(body.len()))
                .limit(Shown::size(HEADER_SIZE));
            return Err(fault(why, 0, 0, 0));
        };
        let [version, kind, s0, s1, k0, k1, f0, f1, id @ ..] = *header;
        let key_slot = u16::from_le_bytes([s0, s1]);
        let number = u16::from_le_bytes([k0, k1]);
        let flags = u16::from_le_bytes([f0, f1]);
        let request_id = u64::from_le_bytes(id);
        let fault = |why| fault(why, request_id, key_slot, number);
        if version != PROTOCOL_VERSION {
            return Err(fault(Why::new(Refusal::VersionNotSupported).observed(Shown::uint(version.into()))));
        }
        if kind != Kind::Request as u8 {
            return Err(fault(Why::new(Refusal::KindNotARequest).observed(Shown::uint(kind.into()))));
        }
        if flags & !FLAG_RETURN_CANONICAL != 0 {
            return Err(fault(Why::new(Refusal::FlagsNotKnown).observed(Shown::uint(flags.into()))));
        }
        let Some(payload_kind) = PayloadKind::from_number(number) else {
            return Err(fault(
                Why::new(Refusal::PayloadKindNotSupported).observed(Shown::uint(number.into())),
            ));
        };
        let return_canonical = flags & FLAG_RETURN_CANONICAL != 0;
        Ok(Self { key_slot, payload_kind, return_canonical, request_id, payload })
    }

    /// The sixteen header bytes that come before the payload.
    #[must_use]
    pub fn header(&self) -> [u8; HEADER_SIZE] {
        let [s0, s1] = self.key_slot.to_le_bytes();
        let [k0, k1] = self.payload_kind.number().to_le_bytes();
        let [f0, f1] = if self.return_canonical { FLAG_RETURN_CANONICAL } else { 0 }.to_le_bytes();
        let [i0, i1, i2, i3, i4, i5, i6, i7] = self.request_id.to_le_bytes();
        let kind = Kind::Request as u8;
        [PROTOCOL_VERSION, kind, s0, s1, k0, k1, f0, f1, i0, i1, i2, i3, i4, i5, i6, i7]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use std::vec::Vec;

    fn body(request: &Request<'_>) -> Vec<u8> {
        let mut body = request.header().to_vec();
        body.extend_from_slice(request.payload);
        body
    }

    #[test]
    fn a_written_request_reads_back_as_itself() {
        for payload_kind in PayloadKind::ALL {
            let request = Request {
                key_slot: 7,
                payload_kind,
                return_canonical: payload_kind == PayloadKind::HyperliquidL1Json,
                request_id: 0x1122_3344_5566_7788,
                payload: b"payload",
            };
            assert_eq!(Request::parse(&body(&request)), Ok(request));
            assert_eq!(PayloadKind::from_number(payload_kind.number()), Some(payload_kind));
        }
    }

    #[test]
    fn a_flag_that_is_not_known_is_refused_by_name() {
        let request = Request {
            key_slot: 0,
            payload_kind: PayloadKind::EvmEip1559,
            return_canonical: false,
            request_id: 1,
            payload: b"",
        };
        let mut body = body(&request);
        body[7] = 0x80;
        assert_eq!(Request::parse(&body).unwrap_err().why.refusal, Refusal::FlagsNotKnown);
    }

    #[test]
    fn a_header_cut_short_is_refused() {
        for size in 0..HEADER_SIZE {
            let why = Request::parse(&[1; HEADER_SIZE][..size]).unwrap_err().why;
            assert_eq!(why.refusal, Refusal::RequestTooShort);
        }
    }
}
