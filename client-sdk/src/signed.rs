//! What comes back when the vault signs, and how a reply is read.

use venues::{Payload as _, evm, hyperliquid, polymarket, solana, uniswapx};
use wire::codec::CodecFault;
use wire::facts;
use wire::facts_json::JsonFacts;
use wire::receipt::Receipt;
use wire::reply::Reply;
use wire::request::{PayloadKind, Request};
use wire::{Refusal, Shown};

use crate::error::{Refused, SignError, Violation};
use crate::records::Records;

/// A signature, in the form its curve has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// ECDSA over secp256k1 with low s (EVM, Hyperliquid).
    Secp256k1 {
        /// r, big-endian
        r: [u8; 32],
        /// s, big-endian
        s: [u8; 32],
        /// the parity of the y coordinate of R: 0 or 1
        y_parity: u8,
    },
    /// Ed25519 (Solana), RFC 8032.
    Ed25519([u8; 64]),
}

impl Signature {
    /// Reads a signature as it stands in a reply: 65 bytes `r ‖ s ‖ y parity`, or 64.
    fn read(bytes: &[u8]) -> Option<Self> {
        if let Ok(signature) = bytes.try_into() {
            return Some(Self::Ed25519(signature));
        }
        let (r, rest) = bytes.split_first_chunk()?;
        match rest.split_first_chunk()? {
            (s, [y_parity @ (0 | 1)]) => Some(Self::Secp256k1 { r: *r, s: *s, y_parity: *y_parity }),
            _ => None,
        }
    }

    /// `r ‖ s ‖ y parity`, if it is ECDSA.
    #[must_use]
    pub fn secp256k1(&self) -> Option<[u8; 65]> {
        match self {
            Self::Secp256k1 { r, s, y_parity } => {
                let mut bytes = [*y_parity; 65];
                let (first, rest) = bytes.split_at_mut(32);
                first.copy_from_slice(r);
                rest.get_mut(..32)?.copy_from_slice(s);
                Some(bytes)
            }
            Self::Ed25519(_) => None,
        }
    }

    /// The 64 bytes, if it is Ed25519.
    #[must_use]
    pub fn ed25519(&self) -> Option<[u8; 64]> {
        match self {
            Self::Ed25519(bytes) => Some(*bytes),
            Self::Secp256k1 { .. } => None,
        }
    }

    /// The bytes of either scheme: 65 or 64.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        match self {
            Self::Secp256k1 { r, s, y_parity } => [&r[..], &s[..], &[*y_parity]].concat(),
            Self::Ed25519(bytes) => bytes.to_vec(),
        }
    }

    fn fits(&self, payload_kind: PayloadKind) -> bool {
        match payload_kind {
            PayloadKind::SolanaMessage | PayloadKind::SolanaSwift => matches!(self, Self::Ed25519(_)),
            PayloadKind::EvmEip1559
            | PayloadKind::UniswapxTypedData
            | PayloadKind::PolymarketTypedData
            | PayloadKind::HyperliquidL1Msgpack
            | PayloadKind::HyperliquidL1Json
            | PayloadKind::HyperliquidUserJson => matches!(self, Self::Secp256k1 { .. }),
        }
    }
}

/// A signed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The signature.
    pub signature: Signature,
    /// The record of the decision, as it stands in the vault's chain.
    pub receipt: Vec<u8>,
    /// The canonical bytes that were signed; empty unless [`crate::Config::return_canonical`] is set.
    pub canonical: Vec<u8>,
    /// What was signed: the 32-byte digest of an EVM or Hyperliquid payload, SHA-256 of a Solana message or
    /// Swift text.
    pub digest: [u8; 32],
    /// The number this request had.
    pub request_id: u64,
}

impl Signed {
    /// The receipt, read.
    ///
    /// # Errors
    /// [`CodecFault`] when `self.receipt` was changed since the vault made it.
    pub fn receipt(&self) -> Result<Receipt<'_>, CodecFault> {
        Receipt::read(&self.receipt)
    }

    /// What the vault understood of the payload, as JSON text; `None` when the receipt holds facts of a later
    /// build.
    #[must_use]
    pub fn facts_json(&self) -> Option<String> {
        facts_json(self.receipt().ok()?.facts)
    }
}

/// Packed facts as JSON text.
pub(crate) fn facts_json(packed: &[u8]) -> Option<String> {
    let mut text = String::new();
    let mut json = JsonFacts::new(&mut text);
    facts::read(packed, &mut json).ok()?;
    json.finish().ok()?;
    Some(text)
}

/// Reads the body of the reply to `request`. Checked here: that the reply and its receipt speak of this
/// request, key and payload kind, that the receipt is of this session's boot, book and client and comes after the one
/// before, that a signature has a receipt, a digest and the form of its scheme, and that the digest is the one that the
/// payload has, by a decode of its own. The receipt is kept among `records`.
pub(crate) fn read(
    body: &[u8],
    request: &Request<'_>,
    records: &mut Records,
    scratch: &mut hyperliquid::Scratch,
) -> Result<Signed, SignError> {
    let violation = |violation| SignError::ProtocolViolation { request_id: request.request_id, violation };
    let reply = Reply::read(body).map_err(|_| violation(Violation::NotAReply))?;
    if reply.request_id != request.request_id {
        return Err(violation(Violation::AnotherRequest));
    }
    let refusal = reply.refusal();
    if reply.receipt.is_empty() {
        // A vault that could not seal a receipt, or gives a client that is refused too often none of its own, says so;
        // it never signs without one.
        return Err(match refusal {
            Ok(Some(refusal)) => refused(refusal, None, request.request_id),
            Ok(None) => violation(Violation::ReceiptMissing),
            Err(code) => SignError::RefusedByLaterBuild { request_id: request.request_id, code },
        });
    }
    let receipt = reply.receipt().map_err(|_| violation(Violation::ReceiptDiffers))?;
    if receipt.key_slot != request.key_slot || receipt.payload_kind != request.payload_kind.number() {
        return Err(violation(Violation::ReceiptDiffers));
    }
    records.accept(&receipt, reply.receipt).map_err(violation)?;
    match refusal {
        Ok(None) => {}
        Ok(Some(refusal)) => {
            return Err(refused(refusal, Some((receipt, reply.receipt)), request.request_id));
        }
        Err(code) => {
            return Err(SignError::RefusedByLaterBuild { request_id: request.request_id, code });
        }
    }
    let signature = Signature::read(reply.signature).filter(|found| found.fits(request.payload_kind));
    let signature = signature.ok_or_else(|| violation(Violation::SignatureForm))?;
    if !reply.canonical.is_empty() && !request.return_canonical {
        return Err(violation(Violation::CanonicalUnasked));
    }
    let digest = receipt.digest.ok_or_else(|| violation(Violation::DigestMissing))?;
    if digest_of(request, scratch) != Some(digest) {
        return Err(violation(Violation::DigestDiffers));
    }
    Ok(Signed {
        signature,
        receipt: reply.receipt.to_vec(),
        canonical: reply.canonical.to_vec(),
        digest,
        request_id: request.request_id,
    })
}

/// What the vault signs of this payload, found with the vault's own decoders; `None` when they refuse it.
fn digest_of(request: &Request<'_>, scratch: &mut hyperliquid::Scratch) -> Option<[u8; 32]> {
    let payload = request.payload;
    let mut action = |form| Some(hyperliquid::decode(form, payload, scratch).ok()?.label());
    match request.payload_kind {
        PayloadKind::EvmEip1559 => Some(evm::decode(payload).ok()?.label()),
        PayloadKind::UniswapxTypedData => Some(uniswapx::decode(payload).ok()?.label()),
        PayloadKind::PolymarketTypedData => Some(polymarket::decode(payload).ok()?.label()),
        PayloadKind::HyperliquidL1Msgpack => action(hyperliquid::Form::L1Msgpack),
        PayloadKind::HyperliquidL1Json => action(hyperliquid::Form::L1Json),
        PayloadKind::HyperliquidUserJson => action(hyperliquid::Form::UserJson),
        PayloadKind::SolanaMessage => Some(solana::decode(payload).ok()?.label()),
        PayloadKind::SolanaSwift => Some(solana::decode_swift(payload).ok()?.label()),
    }
}

fn refused(refusal: Refusal, sealed: Option<(Receipt<'_>, &[u8])>, request_id: u64) -> SignError {
    if refusal == Refusal::Halted {
        return SignError::Halted;
    }
    let (receipt, record) = sealed.unzip();
    SignError::Refused(Box::new(Refused {
        refusal,
        observed: receipt.map_or(Shown::Nothing, |receipt| receipt.observed),
        limit: receipt.map_or(Shown::Nothing, |receipt| receipt.limit),
        subject: receipt.and_then(|receipt| receipt.subject),
        request_id,
        receipt: record.unwrap_or_default().to_vec(),
    }))
}
