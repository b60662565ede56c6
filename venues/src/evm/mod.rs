//! EVM EIP-1559 transactions: what an unsigned type-2 transaction asks, and the digest its sender signs.
//!
//! ```text
//! payload  02 || rlp([chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data, accessList])
//! digest   keccak256(payload)
//! ```
//!
//! Guarantees: a payload decodes only if it is the one canonical encoding of what it says; the digest is taken from the very bytes that were read.
//! Refuses: every other transaction type, non-canonical RLP, field values no chain accepts. Call data that are
//! not understood decode, so that digest and facts reach the receipt, and are never approved.
//!
//! Follows [EIP-1559](https://eips.ethereum.org/EIPS/eip-1559), [EIP-2718](https://eips.ethereum.org/EIPS/eip-2718),
//! [EIP-2930](https://eips.ethereum.org/EIPS/eip-2930) (access lists), [EIP-2681](https://eips.ethereum.org/EIPS/eip-2681)
//! (nonces) and [EIP-20](https://eips.ethereum.org/EIPS/eip-20) (tokens). `README.md` beside this file takes one
//! payload apart byte by byte.

mod abi;
mod batch;
mod call;
mod decode;
mod exposure;
mod facts;
mod judge;
mod judge_batch;
mod judge_swap;
mod known;
mod rlp;
pub mod rules;
mod swap;
mod swap_v2;

use wire::Venue;
use wire::facts::FactSink;
use wire::{Now, Why};

pub use self::batch::{Batch, Permit2Permit, STEPS_MAX, SelfPermit, Step};
pub use self::call::{Call, Pairs, Permit, Permit2Approve, Revocation, Selector};
pub use self::decode::decode;
pub use self::swap::{Amounts, Coin, Deadline, HOPS_MAX, PackedPath, PairPath, Route, Swap, Taker};
use crate::exposure::{Effect, Exposures, TokenValue};
use crate::payload::sealed::Sealed;
use crate::{Address, Charge, Digest, Grants, Payload, Secp256k1, U256};
pub use known::CATALOGUE;

/// An unsigned EIP-1559 transaction that was decoded whole. Only [`decode`] makes one and nothing changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'f> {
    payload: &'f [u8],
    digest: Digest,
    chain_id: u64,
    nonce: u64,
    max_priority_fee_per_gas: U256,
    max_fee_per_gas: U256,
    gas_limit: u64,
    value: U256,
    data: &'f [u8],
    call: Call<'f>,
    access_list: AccessList<'f>,
}

impl<'f> Transaction<'f> {
    /// The chain (EIP-155), never zero.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// The sender's nonce, below 2^64-1.
    #[must_use]
    pub const fn nonce(&self) -> u64 {
        self.nonce
    }

    /// Most that goes to the block's producer, wei per gas; at most [`Self::max_fee_per_gas`].
    #[must_use]
    pub const fn max_priority_fee_per_gas(&self) -> U256 {
        self.max_priority_fee_per_gas
    }

    /// Most that is paid in all, wei per gas.
    #[must_use]
    pub const fn max_fee_per_gas(&self) -> U256 {
        self.max_fee_per_gas
    }

    /// Most gas that may be used.
    #[must_use]
    pub const fn gas_limit(&self) -> u64 {
        self.gas_limit
    }

    /// Most that gas can cost, wei; what 256 bits do not hold is the largest value.
    #[must_use]
    pub const fn fee_max(&self) -> U256 {
        self.max_fee_per_gas.saturating_mul(U256::from_limbs([self.gas_limit, 0, 0, 0]))
    }

    /// Who is called; `None` creates a contract.
    #[must_use]
    pub const fn to(&self) -> Option<&'f Address> {
        self.call.to()
    }

    /// Native coin sent along, wei.
    #[must_use]
    pub const fn value(&self) -> U256 {
        self.value
    }

    /// Call data, or the code that creates a contract.
    #[must_use]
    pub const fn data(&self) -> &'f [u8] {
        self.data
    }

    /// What is asked.
    #[must_use]
    pub const fn call(&self) -> &Call<'f> {
        &self.call
    }

    /// Addresses and storage keys that are warmed up.
    #[must_use]
    pub const fn access_list(&self) -> &AccessList<'f> {
        &self.access_list
    }
}

/// An access list (EIP-2930) whose shape was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessList<'f> {
    items: &'f [u8],
    addresses: u32,
    storage_keys: u32,
}

impl<'f> AccessList<'f> {
    /// The encoded items, without the header of the list around them.
    #[must_use]
    pub const fn items(&self) -> &'f [u8] {
        self.items
    }

    /// How many addresses.
    #[must_use]
    pub const fn addresses(&self) -> u32 {
        self.addresses
    }

    /// How many storage keys, all addresses together.
    #[must_use]
    pub const fn storage_keys(&self) -> u32 {
        self.storage_keys
    }
}

impl Sealed for Transaction<'_> {}

impl Payload for Transaction<'_> {
    const VENUE: Venue = Venue::Evm;

    type Scheme = Secp256k1;
    type Limits<'b> = rules::Limits<'b>;

    fn preimage(&self) -> Digest {
        self.digest
    }

    fn label(&self) -> [u8; 32] {
        *self.digest.as_bytes()
    }

    fn canonical(&self) -> &[u8] {
        self.payload
    }

    fn limits<'g, 'b>(grants: &'g Grants<'b>) -> Option<&'g Self::Limits<'b>> {
        grants.evm.as_ref()
    }

    fn judge(&self, limits: &Self::Limits<'_>, account: &Address, now: Now) -> Result<Charge, Why> {
        judge::judge(self, limits, account, now)
    }

    fn effect(&self, account: &Address) -> Effect {
        exposure::effect(self, account)
    }

    fn expose(
        &self,
        _limits: &Self::Limits<'_>,
        values: &[TokenValue<'_>],
        exposures: &mut Exposures,
    ) -> Result<(), Why> {
        exposure::expose(self, values, exposures)
    }

    fn facts(&self, sink: &mut dyn FactSink) {
        facts::tell(self, sink);
    }
}
