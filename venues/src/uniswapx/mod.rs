//! UniswapX orders and Permit2 permits, as typed data (EIP-712) in JSON text.
//!
//! ```text
//! PermitWitnessTransferFrom        ExclusiveDutchOrder | V2DutchOrder | V3DutchOrder | PriorityOrder
//! PermitBatchWitnessTransferFrom   RelayOrder
//! PermitSingle | PermitBatch       an allowance for a spender
//! PermitTransferFrom | PermitBatchTransferFrom
//! digest = keccak256(19 01 ‖ domain separator of Permit2 ‖ struct hash of the message)
//! ```
//! Guarantees: types and domain are Permit2's and UniswapX's to the letter; every member of the message is read,
//! hashed and told; permit and order say the same.
//! Refuses: any other type or list of types, any other domain, more outputs, tokens or curve points than are
//! read, and a relay order's call data for the Universal Router, which nothing here decodes.

mod curve;
mod decode;
mod domain;
mod exposure;
mod facts;
mod judge;
mod known;
mod list;
mod order;
mod permit;
mod relay;
pub mod rules;
mod share;
mod swap;
mod type_hashes;
mod types;

pub use curve::{CURVE_POINTS_MAX, Curve};
pub use decode::decode;
pub use domain::{Domain, PERMIT2};
pub use known::CATALOGUE;
pub use list::List;
pub use order::{Auction, Input, OUTPUTS_MAX, Order, OrderInfo, Output, Schedule, Witness};
pub use permit::{Allowance, PERMITTED_MAX, PermitDetails, TokenPermissions, Transfer, TransferTerms};
pub use relay::{FeeEscalator, Relay, RelayInput, RelayOrderInfo};

use wire::Venue;
use wire::facts::FactSink;
use wire::{Now, Why};

use crate::exposure::{Effect, Exposures, TokenValue};
use crate::payload::sealed::Sealed;
use crate::{Address, Charge, Digest, Grants, Payload, Secp256k1};

/// Typed data that were decoded whole.
#[derive(Clone, Copy, Debug)]
pub struct TypedData<'s> {
    text: &'s [u8],
    digest: Digest,
    domain: Domain,
    content: Content<'s>,
}

/// What the message is.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "nothing is allocated")]
pub enum Content<'s> {
    /// A swap.
    Order(Order<'s>),
    /// A relayed call.
    Relay(Relay<'s>),
    /// `PermitSingle`, `PermitBatch`.
    Allowance(Allowance, Form),
    /// `PermitTransferFrom`, `PermitBatchTransferFrom`.
    Transfer(Transfer, Form),
}

/// Whether a permit names one token or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One.
    Single,
    /// A list.
    Batch,
}

impl<'s> TypedData<'s> {
    /// Chain and contract.
    #[must_use]
    pub const fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The message.
    #[must_use]
    pub const fn content(&self) -> &Content<'s> {
        &self.content
    }
}

impl Content<'_> {
    /// The primary type.
    #[must_use]
    pub const fn primary_type(&self) -> &'static str {
        match self {
            Self::Order(_) => "PermitWitnessTransferFrom",
            Self::Relay(_) => "PermitBatchWitnessTransferFrom",
            Self::Allowance(_, Form::Single) => "PermitSingle",
            Self::Allowance(_, Form::Batch) => "PermitBatch",
            Self::Transfer(_, Form::Single) => "PermitTransferFrom",
            Self::Transfer(_, Form::Batch) => "PermitBatchTransferFrom",
        }
    }
}

impl Sealed for TypedData<'_> {}

impl Payload for TypedData<'_> {
    const VENUE: Venue = Venue::Uniswapx;

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

    fn judge(&self, limits: &rules::Limits<'_>, account: &Address, now: Now) -> Result<Charge, Why> {
        judge::judge(self, limits, account, now)
    }

    fn effect(&self, _account: &Address) -> Effect {
        exposure::effect(&self.content)
    }

    fn expose(
        &self,
        _limits: &rules::Limits<'_>,
        values: &[TokenValue<'_>],
        exposures: &mut Exposures,
    ) -> Result<(), Why> {
        exposure::expose(&self.content, self.domain.chain_id, values, exposures)
    }

    fn facts(&self, sink: &mut dyn FactSink) {
        facts::tell(self, sink);
    }
}
