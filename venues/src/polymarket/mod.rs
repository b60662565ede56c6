//! Polymarket orders and ClobAuth.
//!
//! The payload is the JSON text that a client would hand to eth_signTypedData_v4 (see `typed_data`):
//! an order of one of the CTF exchanges, alone or, for a deposit wallet, inside TypedDataSign; or a ClobAuth,
//! which asks the order book for API credentials.
//!
//! ```text
//! digest         = keccak256(19 01 ‖ domain separator of the exchange ‖ struct hash)
//! order          struct hash of Order
//! deposit wallet struct hash of TypedDataSign(Order contents, the wallet's own domain)        (ERC-7739)
//! ClobAuth       struct hash of ClobAuth, under a domain without a contract
//! ```
//!
//! Guarantees: domain version, contract and chain are those of one exchange; the order struct is that version's;
//! a nested order's wallet domain is a deposit wallet's on the same chain.
//! Refuses: every other type that the same wallets sign (SafeTx, Batch, Op, Withdraw, CreateProxy), as
//! unsupported.

mod decode;
mod exchange;
mod facts;
mod hash;
mod judge;
mod known;
pub mod rules;
mod types;

use crate::exposure::{Effect, Exposures, TokenValue};
use wire::Venue;
use wire::facts::FactSink;
use wire::{Now, Why};

use crate::payload::sealed::Sealed;
use crate::{Address, Charge, Digest, Grants, Payload, Secp256k1, U256};

pub use decode::decode;
pub use exchange::{CLOBS, Clob, DEPLOYMENTS, Deployment};
pub use known::CATALOGUE;
pub use types::texts;

/// Typed data that was decoded whole.
#[derive(Clone, Copy, Debug)]
pub struct Message<'s> {
    text: &'s [u8],
    content: Content,
    digest: Digest,
}

/// What typed data say.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, on the stack; nothing is allocated")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// An order.
    Order(Order),
    /// A ClobAuth.
    ClobAuth(ClobAuth),
}

/// An order for outcome tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Where it trades.
    pub deployment: &'static Deployment,
    /// Makes it unique.
    pub salt: U256,
    /// Whose funds it spends.
    pub maker: Address,
    /// Who signs for the maker.
    pub signer: Address,
    /// The outcome token.
    pub token_id: U256,
    /// Most that the maker gives: collateral of a BUY, shares of a SELL; 10^-6.
    pub maker_amount: U256,
    /// Least that the maker gets: shares of a BUY, collateral of a SELL; 10^-6.
    pub taker_amount: U256,
    /// BUY or SELL.
    pub side: Side,
    /// How the signature proves the maker's consent.
    pub signature_type: SignatureType,
    /// What only some versions sign.
    pub terms: Terms,
    /// The deposit wallet whose domain the order is nested in; `None` outside TypedDataSign.
    pub wallet: Option<Address>,
}

/// The side of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Side {
    /// The maker gives collateral.
    Buy = 0,
    /// The maker gives shares.
    Sell = 1,
}

/// How a signature proves the maker's consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SignatureType {
    /// The maker signs.
    Eoa = 0,
    /// The owner of the maker, a proxy wallet, signs.
    PolyProxy = 1,
    /// The owner of the maker, a Safe, signs.
    PolyGnosisSafe = 2,
    /// The maker is a contract that checks the signature itself (ERC-1271). Not in version 1.
    Poly1271 = 3,
}

/// What only some versions of an order sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Version 1.
    V1 {
        /// Who may fill it; everybody if zero.
        taker: Address,
        /// Seconds since the Unix epoch; never if zero.
        expiration: U256,
        /// The maker's nonce on the exchange.
        nonce: U256,
        /// Hundredths of a percent.
        fee_rate_bps: U256,
    },
    /// Versions 2 and 3.
    V2 {
        /// Milliseconds since the Unix epoch.
        timestamp: U256,
        /// Free.
        metadata: [u8; 32],
        /// The builder code, who brought the order; none if zero.
        builder: [u8; 32],
    },
}

/// A request for API credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClobAuth {
    /// On which chain.
    pub clob: &'static Clob,
    /// Whose credentials.
    pub address: Address,
    /// Seconds since the Unix epoch.
    pub timestamp: u64,
    /// Which credentials.
    pub nonce: U256,
}

impl Message<'_> {
    /// What was read.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }
}

impl Order {
    /// Collateral and shares, 10^-6 each.
    #[must_use]
    pub const fn collateral_and_shares(&self) -> (U256, U256) {
        match self.side {
            Side::Buy => (self.maker_amount, self.taker_amount),
            Side::Sell => (self.taker_amount, self.maker_amount),
        }
    }
}

impl Side {
    /// The venue's own word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Buy => "BUY",
            Self::Sell => "SELL",
        }
    }
}

impl Sealed for Message<'_> {}

impl Payload for Message<'_> {
    const VENUE: Venue = Venue::Polymarket;

    /// An order's sell may be of shares that the maker has or of some that it buys first, which the vault cannot know;
    /// orders are cancelled without a signature.
    fn effect(&self, _account: &Address) -> Effect {
        Effect::Opens
    }

    /// A ClobAuth puts nothing at stake.
    fn expose(
        &self,
        limits: &Self::Limits<'_>,
        _values: &[TokenValue<'_>],
        exposures: &mut Exposures,
    ) -> Result<(), Why> {
        match (&self.content, &limits.order) {
            (Content::Order(order), Some(granted)) => judge::expose_order(order, granted, exposures),
            (Content::Order(_), None) => Err(wire::Refusal::OrderNotAllowed.into()),
            (Content::ClobAuth(_), _) => Ok(()),
        }
    }

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
        grants.polymarket.as_ref()
    }

    fn judge(&self, limits: &rules::Limits<'_>, account: &Address, now: Now) -> Result<Charge, Why> {
        judge::judge(&self.content, limits, account, now)
    }

    fn facts(&self, sink: &mut dyn FactSink) {
        facts::tell(&self.content, sink);
    }
}
