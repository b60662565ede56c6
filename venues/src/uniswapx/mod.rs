//! UniswapX orders and Permit2 permits.

pub mod rules;

use wire::facts::FactSink;
use wire::{Now, Refusal, Why};

use crate::payload::sealed::Sealed;
use crate::{Address, Charge, Digest, Grants, Payload, Secp256k1};

/// Typed data that was decoded whole.
#[derive(Clone, Copy, Debug)]
pub struct Signature<'s> {
    text: &'s [u8],
    digest: Digest,
}

/// Reads the text of typed data.
///
/// # Errors
/// `TypesNotSupported`.
pub fn decode(_text: &[u8]) -> Result<Signature<'_>, Why> {
    Err(Refusal::TypesNotSupported.into())
}

impl Sealed for Signature<'_> {}

impl Payload for Signature<'_> {
    type Scheme = Secp256k1;
    type Limits<'b> = rules::Limits<'b>;

    fn preimage(&self) -> Digest {
        self.digest
    }

    fn label(&self) -> [u8; 32] {
        *self.digest.as_bytes()
    }

    /// The text as it was given.
    fn canonical(&self) -> &[u8] {
        self.text
    }

    fn limits<'g, 'b>(grants: &'g Grants<'b>) -> Option<&'g rules::Limits<'b>> {
        grants.uniswapx.as_ref()
    }

    fn judge(&self, _limits: &rules::Limits<'_>, _account: &Address, _now: Now) -> Result<Charge, Why> {
        Err(Refusal::TypesNotSupported.into())
    }

    fn facts(&self, _sink: &mut dyn FactSink) {}
}
