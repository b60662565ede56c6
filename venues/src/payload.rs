//! The traits that tie a decoded payload to its scheme, its rules and its receipt.

use sha3::{Digest as _, Keccak256};
use wire::facts::FactSink;
use wire::{Now, Venue, Why};

use crate::book_value::book_struct;
use crate::exposure::{Effect, Exposures, TokenValue};
use crate::{AccountKey, Address, U256, evm, hyperliquid, polymarket, solana, uniswapx};

/// Seals [`Payload`] and [`Scheme`]: a payload type invented elsewhere, whose rules always say yes, does not
/// compile.
pub(crate) mod sealed {
    /// Implemented in this crate only.
    pub trait Sealed {}
}

/// A signature scheme and what it signs.
pub trait Scheme: sealed::Sealed {
    /// What goes into the signer.
    type Preimage<'a>;
    /// How the scheme's venues name a key's owner.
    type Account: Copy;

    /// The account of a pinned key, `None` when the key is of another scheme.
    fn account(key: &PublicKey) -> Option<&Self::Account>;
}

/// ECDSA over secp256k1 with RFC 6979 nonces and low s; signs a 32-byte digest.
#[derive(Debug)]
pub enum Secp256k1 {}

/// Ed25519 (RFC 8032); signs a message.
#[derive(Debug)]
pub enum Ed25519 {}

impl sealed::Sealed for Secp256k1 {}
impl sealed::Sealed for Ed25519 {}

impl Scheme for Secp256k1 {
    type Preimage<'a> = Digest;
    type Account = Address;

    fn account(key: &PublicKey) -> Option<&Address> {
        match key {
            PublicKey::Secp256k1 { address, .. } => Some(address),
            PublicKey::Ed25519 { .. } => None,
        }
    }
}

impl Scheme for Ed25519 {
    type Preimage<'a> = Message<'a>;
    type Account = AccountKey;

    fn account(key: &PublicKey) -> Option<&AccountKey> {
        match key {
            PublicKey::Ed25519 { key } => Some(key),
            PublicKey::Secp256k1 { .. } => None,
        }
    }
}

/// A 32-byte digest that a decoder computed from the bytes it checked. It cannot be made outside this crate.
///
/// ```compile_fail,E0423
/// let digest = venues::Digest([0; 32]);
/// ```
/// Nor converted from bytes, of this length or another; it is always 32 bytes:
/// ```compile_fail,E0277
/// let digest: venues::Digest = [0_u8; 32].into();
/// ```
/// ```compile_fail,E0308
/// fn short(digest: &venues::Digest) -> &[u8; 31] {
///     digest.as_bytes()
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Keccak-256 over the concatenation of `parts`.
    #[inline(never)]
    pub(crate) fn keccak256(parts: &[&[u8]]) -> Self {
        let mut hash = Keccak256::new();
        for part in parts {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A message that a decoder checked from its first to its last byte. It cannot be made outside this crate.
///
/// ```compile_fail,E0423
/// let message = venues::Message(&[]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a>(&'a [u8]);

impl<'a> Message<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

/// A public key as the book pins it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicKey {
    /// A secp256k1 key.
    Secp256k1 {
        /// SEC 1 compressed form
        compressed: [u8; 33],
        /// the last 20 bytes of the Keccak-256 of the uncompressed form (EIP-55 addresses show it)
        address: Address,
    },
    /// An Ed25519 key.
    Ed25519 {
        /// RFC 8032 encoding; also the Solana account
        key: AccountKey,
    },
}

/// What a payload uses up when it is approved. Reserved before the key is touched and never given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// A venue nonce that may be signed once per key and venue. Unused venues leave it empty.
    pub single_use_nonce: Option<SingleUseNonce>,
    /// Numbers without an order that may be signed once per key: Permit2 nonces, order salts.
    pub single_use_ids: [Option<SingleUseId>; SINGLE_USE_IDS_MAX],
    /// The nonce of an EVM account, of which one transaction at most is ever included.
    pub account_nonce: Option<AccountNonce>,
}

/// Most numbers that one payload may use up: one for each token of a PermitBatch.
pub const SINGLE_USE_IDS_MAX: usize = 8;

/// A number that may be signed once and has no order, so that no floor can stand for the forgotten ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleUseId {
    /// What the number is.
    pub space: IdSpace,
    /// The chain it counts on (EIP-155).
    pub chain_id: u64,
    /// The number itself, or a hash of what it belongs to and the number.
    pub id: [u8; 32],
}

/// What a [`SingleUseId`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdSpace {
    /// The unordered nonce of a Permit2 signature transfer.
    Permit2Transfer,
    /// keccak256(token ‖ spender ‖ nonce), each a 32-byte word, of a Permit2 allowance permit.
    Permit2Allowance,
    /// The salt of a Polymarket order.
    PolymarketSalt,
}

/// A nonce of an EVM account. Several transactions may be signed for it, each in place of the ones before;
/// one at most is included, so what counts is the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountNonce {
    /// The chain (EIP-155).
    pub chain_id: u64,
    /// The nonce.
    pub nonce: u64,
    /// Most native coin the transaction can cost, wei: its value, and its gas limit at its maximum fee.
    pub native_spend_max: U256,
    /// Whether it only uses up the nonce.
    pub is_cancel: bool,
    /// Whether it is allowed only in place of a transaction that this boot has signed.
    pub only_replaces: bool,
}

/// A venue nonce that is a time and may be signed once.
///
/// Nothing is remembered across a restart, and an earlier boot may have signed up to `ahead_max_ms` beyond its own
/// end: after a boot only a nonce above the time of the boot plus `ahead_max_ms` is known to be new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleUseNonce {
    /// The nonce, ms since the Unix epoch.
    pub nonce: u64,
    /// How far ahead of now the book lets a nonce lie, ms.
    pub ahead_max_ms: u64,
}

/// A payload that was decoded whole. A type of one's own, whose rules always say yes, cannot be one, and the trait
/// that seals it cannot be named:
///
/// ```compile_fail,E0277
/// struct Anything;
/// impl venues::Payload for Anything {}
/// ```
/// ```compile_fail,E0603
/// struct Anything;
/// impl venues::payload::sealed::Sealed for Anything {}
/// ```
/// Nor can a scheme be invented:
/// ```compile_fail,E0277
/// struct Anything;
/// impl venues::Scheme for Anything {
///     type Preimage<'a> = venues::Digest;
///     type Account = venues::Address;
///     fn account(_: &venues::PublicKey) -> Option<&venues::Address> {
///         None
///     }
/// }
/// ```
/// What is signed belongs to what was checked: nobody but its decoder puts a payload together, in part or whole.
/// ```compile_fail,E0451
/// fn evm<'f>(checked: venues::evm::Transaction<'f>, signed: venues::Digest) -> venues::evm::Transaction<'f> {
///     venues::evm::Transaction { digest: signed, ..checked }
/// }
/// ```
/// ```compile_fail,E0616
/// fn hyperliquid(checked: &mut venues::hyperliquid::Action<'_>, signed: venues::Digest) {
///     checked.digest = signed;
/// }
/// ```
/// ```compile_fail,E0616
/// fn uniswapx(checked: &mut venues::uniswapx::TypedData<'_>, signed: venues::Digest) {
///     checked.digest = signed;
/// }
/// ```
/// ```compile_fail,E0616
/// fn polymarket(checked: &mut venues::polymarket::Message<'_>, signed: venues::Digest) {
///     checked.digest = signed;
/// }
/// ```
/// ```compile_fail,E0616
/// fn solana<'f>(checked: &mut venues::solana::Transaction<'f>, signed: venues::solana::MessageView<'f>) {
///     checked.view = signed;
/// }
/// ```
/// A payload of one curve is not taken where one of the other is asked for.
/// ```compile_fail,E0271
/// fn on_secp256k1<P: venues::Payload<Scheme = venues::Secp256k1>>(_: P) {}
/// fn solana(payload: venues::solana::Transaction<'_>) {
///     on_secp256k1(payload);
/// }
/// ```
pub trait Payload: sealed::Sealed {
    /// How it is signed.
    type Scheme: Scheme;
    /// The venue's rules, as a book states them.
    type Limits<'b>;

    /// Whose payload it is.
    const VENUE: Venue;

    /// What the signer signs: the digest of, or the very bytes that were checked.
    fn preimage(&self) -> <Self::Scheme as Scheme>::Preimage<'_>;

    /// 32 bytes that name what is signed, for the receipt: the signed digest itself, or SHA-256 of a message.
    fn label(&self) -> [u8; 32];

    /// The canonical bytes behind the digest: what a client posts or can hash again.
    fn canonical(&self) -> &[u8];

    /// This venue's entry in a key's grants; `None` means denied.
    fn limits<'g, 'b>(grants: &'g Grants<'b>) -> Option<&'g Self::Limits<'b>>;

    /// Judges the payload by the limits.
    ///
    /// # Errors
    /// The first rule that is broken, with the value and the limit.
    fn judge(
        &self,
        limits: &Self::Limits<'_>,
        account: &<Self::Scheme as Scheme>::Account,
        now: Now,
    ) -> Result<Charge, Why>;

    /// What signing it as `account` can do to the desk's risk, at worst.
    fn effect(&self, account: &<Self::Scheme as Scheme>::Account) -> Effect;

    /// Tells what it puts at stake, each order at its worst case, for the budgets of the book. Called only for a
    /// payload that the rules allow. What it cannot say, a budget that counts it refuses.
    ///
    /// # Errors
    /// [`wire::Refusal::TooManyMarkets`]; [`wire::Refusal::TokenHasNoValue`].
    fn expose(
        &self,
        limits: &Self::Limits<'_>,
        values: &[TokenValue<'_>],
        exposures: &mut Exposures,
    ) -> Result<(), Why>;

    /// Tells what was understood.
    fn facts(&self, sink: &mut dyn FactSink);
}

book_struct! {
    /// What one key may do. A venue that is not there is denied.
    pub struct Grants<'b> {
        /// EVM EIP-1559 transactions.
        pub evm: Option<evm::rules::Limits<'b>>,
        /// UniswapX orders and Permit2 permits.
        pub uniswapx: Option<uniswapx::rules::Limits<'b>>,
        /// Polymarket orders and ClobAuth.
        pub polymarket: Option<polymarket::rules::Limits<'b>>,
        /// Hyperliquid actions.
        pub hyperliquid: Option<hyperliquid::rules::Limits<'b>>,
        /// Solana messages: Drift and Velocity.
        pub solana: Option<solana::rules::Limits<'b>>,
    }
}

impl Grants<'_> {
    /// Nothing on any venue.
    pub const NONE: Self =
        Self { evm: None, uniswapx: None, polymarket: None, hyperliquid: None, solana: None };
}
