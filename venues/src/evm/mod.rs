//! EVM EIP-1559 transactions: what an unsigned type-2 transaction asks, and the digest its sender signs.
//!
//! ```text
//! payload  02 || rlp([chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data, accessList])
//! digest   keccak256(payload)
//! ```
//!
//! Guarantees: a payload decodes only if it is the one canonical encoding of what it says, so the facts in the
//! receipt determine the digest's preimage; the digest is taken from the very bytes that were read.
//! Refuses: every other transaction type, non-canonical RLP, field values no chain accepts. Call data that are
//! not understood decode, so that digest and facts reach the receipt, and are never approved.
//!
//! Follows [EIP-1559](https://eips.ethereum.org/EIPS/eip-1559), [EIP-2718](https://eips.ethereum.org/EIPS/eip-2718),
//! [EIP-2930](https://eips.ethereum.org/EIPS/eip-2930) (access lists), [EIP-2681](https://eips.ethereum.org/EIPS/eip-2681)
//! (nonces) and [EIP-20](https://eips.ethereum.org/EIPS/eip-20) (tokens). `README.md` beside this file takes one
//! payload apart byte by byte.

mod abi;
mod decode;
mod facts;
mod judge;
mod rlp;
pub mod rules;

use wire::facts::FactSink;
use wire::{Now, Why};

pub use self::abi::Selector;
pub use self::decode::decode;
use crate::payload::sealed::Sealed;
use crate::{Address, Charge, Digest, Grants, Payload, Secp256k1, U256};

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

/// What a transaction asks. Amounts are in the token's base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call<'f> {
    /// Native coin, no data.
    NativeTransfer {
        /// who gets the value
        recipient: &'f Address,
    },
    /// EIP-20 `transfer(to, amount)`.
    Transfer {
        /// the token contract
        token: &'f Address,
        /// who gets the tokens
        recipient: &'f Address,
        /// how many
        amount: U256,
    },
    /// EIP-20 `approve(spender, amount)`.
    Approve {
        /// the token contract
        token: &'f Address,
        /// who may then move the sender's tokens
        spender: &'f Address,
        /// how many
        amount: U256,
    },
    /// EIP-20 `transferFrom(from, to, amount)`.
    TransferFrom {
        /// the token contract
        token: &'f Address,
        /// whose tokens are moved
        owner: &'f Address,
        /// who gets them
        recipient: &'f Address,
        /// how many
        amount: U256,
    },
    /// Uniswap V3 `exactInputSingle` on either router.
    ExactInputSingle(ExactInputSingle<'f>),
    /// A contract is created.
    Creation,
    /// A known function whose call data do not follow its canonical ABI.
    NotCanonical {
        /// who is called
        contract: &'f Address,
        /// the known function
        selector: Selector,
    },
    /// Any other call data.
    Unknown {
        /// who is called
        contract: &'f Address,
        /// the function, if the data are long enough to name one
        selector: Option<Selector>,
    },
}

impl<'f> Call<'f> {
    /// Who is called; `None` creates a contract.
    #[must_use]
    pub const fn to(&self) -> Option<&'f Address> {
        match self {
            Self::NativeTransfer { recipient: to }
            | Self::Transfer { token: to, .. }
            | Self::Approve { token: to, .. }
            | Self::TransferFrom { token: to, .. }
            | Self::ExactInputSingle(ExactInputSingle { router: to, .. })
            | Self::NotCanonical { contract: to, .. }
            | Self::Unknown { contract: to, .. } => Some(to),
            Self::Creation => None,
        }
    }
}

/// The parameters of Uniswap V3 `exactInputSingle`: `ISwapRouter.ExactInputSingleParams` with a deadline,
/// `IV3SwapRouter.ExactInputSingleParams` without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactInputSingle<'f> {
    /// The router contract.
    pub router: &'f Address,
    /// The token that is sold.
    pub token_in: &'f Address,
    /// The token that is bought.
    pub token_out: &'f Address,
    /// The pool's fee, hundredths of a basis point, below 2^24.
    pub pool_fee: u32,
    /// Who gets what is bought.
    pub recipient: &'f Address,
    /// Until when.
    pub deadline: Deadline,
    /// How much is sold, base units.
    pub amount_in: U256,
    /// Least that must be bought, base units.
    pub amount_out_min: U256,
    /// Where the pool's price stops the swap, below 2^160; zero means nowhere. The minimum out is due all
    /// the same, so a limit can only sell less for at least as much.
    pub sqrt_price_limit_x96: U256,
}

/// Until when a swap may run. Which one it is also says which router takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// SwapRouter02 takes none.
    None,
    /// SwapRouter: Unix time in seconds.
    At(U256),
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

    fn facts(&self, sink: &mut dyn FactSink) {
        facts::tell(self, sink);
    }
}
