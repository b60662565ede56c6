//! The calls this vault understands, by selector.
//!
//! ```text
//! EIP-20         transfer, approve, transferFrom; permit (ERC-2612)
//! WETH9          deposit, withdraw
//! Permit2        approve, invalidateUnorderedNonces, invalidateNonces, lockdown
//! V2 router      the nine swap functions
//! SwapRouter     exactInputSingle, exactInput, exactOutputSingle, exactOutput, multicall
//! SwapRouter02   the same without deadlines, two swaps of V2, multicall with a deadline or a block hash
//! Universal R.   execute, with or without a deadline
//! ```
//!
//! Guarantees: a call is one of these only if its data are canonical (`abi.rs`). What a multicall or an execute
//! holds is read when it is judged, by the readers here and in `batch.rs`.

use super::abi::{Word, open, read_address, read_uint, read_uint160, read_uint256, read_words};
use super::batch::{self, Batch};
use super::swap::{self, ReadSwap, Swap};
use super::swap_v2;
use crate::{Address, U256};

/// The first four bytes of the Keccak-256 of a function's signature.
pub type Selector = [u8; 4];

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
    /// ERC-2612 `permit(owner, spender, value, deadline, v, r, s)`.
    Permit(Permit<'f>),
    /// WETH9 `deposit()`: the transaction's value.
    Deposit {
        /// the WETH contract
        contract: &'f Address,
    },
    /// WETH9 `withdraw(amount)`.
    Withdraw {
        /// the WETH contract
        contract: &'f Address,
        /// how much
        amount: U256,
    },
    /// Permit2 `approve(token, spender, amount, expiration)`.
    Permit2Approve(Permit2Approve<'f>),
    /// A Permit2 call that only takes allowances or permits back.
    Permit2Revoke {
        /// the Permit2 contract
        contract: &'f Address,
        /// what is taken back
        revocation: Revocation<'f>,
    },
    /// A swap on a router.
    Swap(Swap<'f>),
    /// Several calls at once: a router's `multicall`, or the Universal Router's `execute`.
    Batch(Batch<'f>),
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

/// An ERC-2612 permit that is handed in. Whose signature it carries only the token can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit<'f> {
    /// The token contract.
    pub token: &'f Address,
    /// Whose tokens.
    pub owner: &'f Address,
    /// Who may then move them.
    pub spender: &'f Address,
    /// How many.
    pub amount: U256,
    /// Until when it may be handed in, Unix time in seconds.
    pub deadline: U256,
}

/// An allowance in Permit2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit2Approve<'f> {
    /// The Permit2 contract.
    pub contract: &'f Address,
    /// The token contract.
    pub token: &'f Address,
    /// Who may then move the sender's tokens.
    pub spender: &'f Address,
    /// How many, below 2^160.
    pub amount: U256,
    /// Until when, Unix time in seconds, below 2^48; zero is the block's own time.
    pub expiration: u64,
}

/// What a Permit2 call takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revocation<'f> {
    /// `invalidateUnorderedNonces(wordPos, mask)`: signed transfer permits.
    UnorderedNonces {
        /// which 256 nonces
        word: U256,
        /// which of them
        mask: U256,
    },
    /// `invalidateNonces(token, spender, newNonce)`: signed allowances.
    Nonces {
        /// the token contract
        token: &'f Address,
        /// whose allowance
        spender: &'f Address,
        /// the first nonce that is still good, below 2^48
        nonce: u64,
    },
    /// `lockdown((token, spender)[])`: allowances to zero.
    Lockdown(Pairs<'f>),
}

/// Tokens and spenders of a `lockdown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs<'f> {
    words: &'f [Word],
}

impl<'f> Pairs<'f> {
    /// Each token with its spender.
    pub fn iter(&self) -> impl Iterator<Item = (&'f Address, &'f Address)> + use<'f> {
        let (pairs, _) = self.words.as_chunks::<2>();
        pairs.iter().filter_map(|[token, spender]| Some((read_address(token)?, read_address(spender)?)))
    }
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
            | Self::Permit(Permit { token: to, .. })
            | Self::Deposit { contract: to }
            | Self::Withdraw { contract: to, .. }
            | Self::Permit2Approve(Permit2Approve { contract: to, .. })
            | Self::Permit2Revoke { contract: to, .. }
            | Self::Swap(Swap { router: to, .. })
            | Self::NotCanonical { contract: to, .. }
            | Self::Unknown { contract: to, .. } => Some(to),
            Self::Batch(batch) => Some(batch.router()),
            Self::Creation => None,
        }
    }
}

/// What `data`, sent with `value`, ask of `contract`.
pub(super) fn read_call<'f>(contract: &'f Address, value: U256, data: &'f [u8]) -> Call<'f> {
    if data.is_empty() {
        return Call::NativeTransfer { recipient: contract };
    }
    let Some((&selector, arguments)) = data.split_first_chunk::<4>() else {
        return Call::Unknown { contract, selector: None };
    };
    let call = match selector {
        [0xa9, 0x05, 0x9c, 0xbb] => read_transfer(contract, arguments),
        [0x09, 0x5e, 0xa7, 0xb3] => read_approve(contract, arguments),
        [0x23, 0xb8, 0x72, 0xdd] => read_transfer_from(contract, arguments),
        [0xd5, 0x05, 0xac, 0xcf] => read_permit(contract, arguments),
        [0xd0, 0xe3, 0x0d, 0xb0] => read_words::<0>(arguments).map(|[]| Call::Deposit { contract }),
        [0x2e, 0x1a, 0x7d, 0x4d] => {
            read_words(arguments).map(|[amount]| Call::Withdraw { contract, amount: read_uint256(amount) })
        }
        [0x87, 0x51, 0x7c, 0x45] => read_permit2_approve(contract, arguments),
        [0x3f, 0xf9, 0xdc, 0xb1] | [0x65, 0xd9, 0x72, 0x3c] | [0xcc, 0x53, 0x28, 0x7f] => {
            read_revocation(selector, arguments)
                .map(|revocation| Call::Permit2Revoke { contract, revocation })
        }
        _ => match (swap_reader(selector), batch::reader(selector)) {
            (Some(read), _) => read(contract, arguments, value).map(Call::Swap),
            (_, Some(read)) => read(contract, arguments, value).map(Call::Batch),
            (None, None) => return Call::Unknown { contract, selector: Some(selector) },
        },
    };
    call.unwrap_or(Call::NotCanonical { contract, selector })
}

/// The reader of a swap function's arguments.
pub(super) const fn swap_reader(selector: Selector) -> Option<ReadSwap> {
    Some(match selector {
        [0x41, 0x4b, 0xf3, 0x89] => swap::exact_input_single,
        [0xc0, 0x4b, 0x8d, 0x59] => swap::exact_input,
        [0xdb, 0x3e, 0x21, 0x98] => swap::exact_output_single,
        [0xf2, 0x8c, 0x04, 0x98] => swap::exact_output,
        [0x04, 0xe4, 0x5a, 0xaf] => swap::exact_input_single_02,
        [0xb8, 0x58, 0x18, 0x3f] => swap::exact_input_02,
        [0x50, 0x23, 0xb4, 0xdf] => swap::exact_output_single_02,
        [0x09, 0xb8, 0x13, 0x46] => swap::exact_output_02,
        [0x47, 0x2b, 0x43, 0xf3] => swap_v2::tokens_for_tokens_02,
        [0x42, 0x71, 0x2a, 0x67] => swap_v2::tokens_for_exact_tokens_02,
        [0x38, 0xed, 0x17, 0x39] => swap_v2::tokens_for_tokens,
        [0x88, 0x03, 0xdb, 0xee] => swap_v2::tokens_for_exact_tokens,
        [0x7f, 0xf3, 0x6a, 0xb5] => swap_v2::coin_for_tokens,
        [0x4a, 0x25, 0xd9, 0x4a] => swap_v2::tokens_for_exact_coin,
        [0x18, 0xcb, 0xaf, 0xe5] => swap_v2::tokens_for_coin,
        [0xfb, 0x3b, 0xdb, 0x41] => swap_v2::coin_for_exact_tokens,
        [0x5c, 0x11, 0xd7, 0x95] => swap_v2::fee_tokens_for_tokens,
        [0xb6, 0xf9, 0xde, 0x95] => swap_v2::coin_for_fee_tokens,
        [0x79, 0x1a, 0xc9, 0x47] => swap_v2::fee_tokens_for_coin,
        _ => return None,
    })
}

fn read_transfer<'f>(token: &'f Address, arguments: &'f [u8]) -> Option<Call<'f>> {
    let [recipient, amount] = read_words(arguments)?;
    Some(Call::Transfer { token, recipient: read_address(recipient)?, amount: read_uint256(amount) })
}

fn read_approve<'f>(token: &'f Address, arguments: &'f [u8]) -> Option<Call<'f>> {
    let [spender, amount] = read_words(arguments)?;
    Some(Call::Approve { token, spender: read_address(spender)?, amount: read_uint256(amount) })
}

fn read_transfer_from<'f>(token: &'f Address, arguments: &'f [u8]) -> Option<Call<'f>> {
    let [owner, recipient, amount] = read_words(arguments)?;
    Some(Call::TransferFrom {
        token,
        owner: read_address(owner)?,
        recipient: read_address(recipient)?,
        amount: read_uint256(amount),
    })
}

fn read_permit<'f>(token: &'f Address, arguments: &'f [u8]) -> Option<Call<'f>> {
    let [owner, spender, amount, deadline, v, _r, _s] = read_words(arguments)?;
    read_uint::<1>(v)?;
    Some(Call::Permit(Permit {
        token,
        owner: read_address(owner)?,
        spender: read_address(spender)?,
        amount: read_uint256(amount),
        deadline: read_uint256(deadline),
    }))
}

fn read_permit2_approve<'f>(contract: &'f Address, arguments: &'f [u8]) -> Option<Call<'f>> {
    let [token, spender, amount, expiration] = read_words(arguments)?;
    Some(Call::Permit2Approve(Permit2Approve {
        contract,
        token: read_address(token)?,
        spender: read_address(spender)?,
        amount: read_uint160(amount)?,
        expiration: read_uint::<6>(expiration)?,
    }))
}

fn read_revocation(selector: Selector, arguments: &[u8]) -> Option<Revocation<'_>> {
    match selector {
        [0x3f, 0xf9, 0xdc, 0xb1] => {
            let [word, mask] = read_words(arguments)?;
            Some(Revocation::UnorderedNonces { word: read_uint256(word), mask: read_uint256(mask) })
        }
        [0x65, 0xd9, 0x72, 0x3c] => {
            let [token, spender, nonce] = read_words(arguments)?;
            Some(Revocation::Nonces {
                token: read_address(token)?,
                spender: read_address(spender)?,
                nonce: read_uint::<6>(nonce)?,
            })
        }
        _ => {
            let ([offset], mut tail) = open(arguments)?;
            let words = tail.word_pairs(offset)?;
            tail.close()?;
            let clean = words.iter().all(|word| read_address(word).is_some());
            clean.then_some(Revocation::Lockdown(Pairs { words }))
        }
    }
}
