//! Hyperliquid L1 and user-signed actions.
//!
//! Guarantees: the digest of an L1 action is computed from the very msgpack that was read and judged, whether it
//! came in the request or was made from the action's JSON; the digest of a user-signed action is computed from
//! slices of its text. Action types, EIP-712 types and domains are compiled in.
//! Refuses: every action type that [`Content`] does not name, every unknown member, every second way to write a value, every digest or agent handed in.
//!
//! The formats are drawn in [`envelope`], `l1`, `user_signed` and `decode`; the venue's README shows one payload
//! byte by byte.

mod action;
mod decimal;
mod decode;
mod eip712;
pub mod envelope;
mod exposure;
mod facts;
mod hexadecimal;
mod judge;
mod judge_user_signed;
mod known;
mod l1;
mod list;
mod msgpack;
mod order;
pub mod rules;
mod transcode;
mod user_signed;

use crate::exposure::{Effect, Exposures, TokenValue};
use wire::Venue;
use wire::facts::FactSink;
use wire::request::PAYLOAD_SIZE_MAX;
use wire::{Now, Why};

use crate::payload::sealed::Sealed;
use crate::{Address, Charge, Digest, Grants, Payload, Secp256k1};

pub use action::{
    ApproveAgent, ApproveBuilderFee, Builder, Cancel, CancelBatch, CancelByCloid, Content, Modify, Order,
    OrderBatch, OrderGrouping, OrderKind, OrderReference, ScheduleCancel, SendAsset, Tpsl, Transferral,
    TwapCancel, TwapOrder, UpdateIsolatedMargin, UpdateLeverage, UsdClassTransfer, VaultTransfer,
};
pub use decimal::Decimal;
pub use decode::decode;
pub use envelope::{Claims, ENVELOPE_SIZE_MAX, Envelope};
pub use known::CATALOGUE;
pub use l1::{CANCELS_LEN_MAX, CLOID_CANCELS_LEN_MAX, MODIFIES_LEN_MAX, ORDERS_LEN_MAX};
pub use list::{Elements, List};
pub use order::{BUILDER_FEE_MAX, PERP_BUILDER_FEE_MAX, PRIORITY_RATE_MAX};

/// What the action's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An L1 action as canonical msgpack.
    L1Msgpack,
    /// An L1 action as JSON text.
    L1Json,
    /// A user-signed action as JSON text.
    UserJson,
}

/// Where the msgpack of an L1 action goes that came as JSON.
#[derive(Clone, Debug)]
pub struct Scratch {
    msgpack: [u8; PAYLOAD_SIZE_MAX],
}

impl Scratch {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self { msgpack: [0; PAYLOAD_SIZE_MAX] }
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

/// An action that was decoded whole, with the envelope it is posted in.
#[derive(Clone, Copy, Debug)]
pub struct Action<'s> {
    envelope: Envelope,
    content: Content<'s>,
    canonical: &'s [u8],
    connection_id: Option<[u8; 32]>,
    digest: Digest,
}

impl<'s> Action<'s> {
    /// What is posted beside the action.
    #[must_use]
    pub const fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// What the action says.
    #[must_use]
    pub const fn content(&self) -> &Content<'s> {
        &self.content
    }

    /// The connectionId of an L1 action's phantom agent; a user-signed action has none.
    #[must_use]
    pub const fn connection_id(&self) -> Option<&[u8; 32]> {
        self.connection_id.as_ref()
    }
}

impl Sealed for Action<'_> {}

impl Payload for Action<'_> {
    const VENUE: Venue = Venue::Hyperliquid;

    fn effect(&self, _account: &Address) -> Effect {
        exposure::effect(&self.content)
    }

    fn expose(
        &self,
        limits: &Self::Limits<'_>,
        _values: &[TokenValue<'_>],
        exposures: &mut Exposures,
    ) -> Result<(), Why> {
        exposure::expose(&self.content, limits, exposures)
    }

    type Scheme = Secp256k1;
    type Limits<'b> = rules::Limits<'b>;

    fn preimage(&self) -> Digest {
        self.digest
    }

    fn label(&self) -> [u8; 32] {
        *self.digest.as_bytes()
    }

    /// The msgpack of an L1 action; the JSON text of a user-signed one as it was given.
    fn canonical(&self) -> &[u8] {
        self.canonical
    }

    fn limits<'g, 'b>(grants: &'g Grants<'b>) -> Option<&'g rules::Limits<'b>> {
        grants.hyperliquid.as_ref()
    }

    fn judge(&self, limits: &rules::Limits<'_>, account: &Address, now: Now) -> Result<Charge, Why> {
        judge::judge(self, limits, account, now)
    }

    fn facts(&self, sink: &mut dyn FactSink) {
        facts::tell(self, sink);
    }
}
