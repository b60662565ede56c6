//! EIP-1559 transactions: the unsigned payload that goes to the vault, and the raw transaction that goes to a
//! node once the signature is there.
//!
//! ```text
//! payload          02 || rlp([chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data, accessList])
//! raw transaction  02 || rlp([the same nine, yParity, r, s])
//! ```
//!
//! Guarantees: what a builder returns is canonical, so the vault decodes it to what was asked for; whether its
//! book allows it is another question. Access lists are empty; a transaction with one goes to the vault as a
//! raw payload.
//!
//! ```
//! use client_sdk::build::evm::{Gas, transfer};
//! use venues::U256;
//!
//! let gas = Gas {
//!     chain_id: 8453,
//!     nonce: 7,
//!     max_priority_fee_per_gas: U256::from(1_000_000),
//!     max_fee_per_gas: U256::from(20_000_000),
//!     gas_limit: 60_000,
//! };
//! let (usdc, recipient) = ([0x83; 20], [0x11; 20]);
//! let payload = transfer(&gas, &usdc, &recipient, U256::from(25_000_000))?;
//! assert_eq!(payload.first(), Some(&0x02));
//! # Ok::<(), client_sdk::build::evm::Error>(())
//! ```

mod abi;
pub mod swap;
pub mod token;
pub mod universal_router;

use std::fmt;

pub use venues::{Address, U256};

/// The chain, the nonce and what gas may cost: the fields every transaction has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gas {
    /// The chain (EIP-155), not zero.
    pub chain_id: u64,
    /// The sender's nonce, below 2^64-1 (EIP-2681).
    pub nonce: u64,
    /// Most that goes to the block's producer, wei per gas.
    pub max_priority_fee_per_gas: U256,
    /// Most that is paid in all, wei per gas; at least the priority fee.
    pub max_fee_per_gas: U256,
    /// Most gas that may be used.
    pub gas_limit: u64,
}

/// Which Uniswap V3 router a swap goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Router {
    /// SwapRouter, whose parameters hold a deadline.
    SwapRouter {
        /// Unix time in seconds after which the swap fails.
        deadline_s: u64,
    },
    /// SwapRouter02, which takes none.
    SwapRouter02,
}

/// A swap through one pool with an exact input. Amounts are in base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactInputSingle {
    /// The token that is sold.
    pub token_in: Address,
    /// The token that is bought.
    pub token_out: Address,
    /// The pool's fee in hundredths of a basis point (500 is 0.05 %), below 2^24.
    pub pool_fee: u32,
    /// Who gets what is bought.
    pub recipient: Address,
    /// How much is sold.
    pub amount_in: U256,
    /// Least that must be bought.
    pub amount_out_min: U256,
    /// Where the pool's price stops the swap, below 2^160; zero means nowhere.
    pub sqrt_price_limit_x96: U256,
}

/// Why nothing was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The chain id is zero.
    ChainIdZero,
    /// The nonce is 2^64-1, which no account reaches (EIP-2681).
    NonceTooLarge,
    /// The priority fee is above the maximum fee.
    PriorityFeeAboveMaxFee,
    /// The pool fee does not fit a uint24.
    PoolFeeTooLarge,
    /// The price limit does not fit a uint160.
    PriceLimitTooLarge,
    /// A path names no pool.
    PathEmpty,
    /// An amount, a time or a nonce does not fit its type.
    AmountTooLarge,
    /// The V2 router buys no exact output of tokens that keep a fee of each transfer.
    FeeOnTransferExactOut,
    /// What should be assembled is not an unsigned EIP-1559 transaction.
    PayloadMalformed(wire::Refusal),
    /// The signature's last byte is not a recovery id: 0 or 1, or 27 or 28.
    RecoveryIdNotKnown(u8),
    /// The signature's r or s is zero.
    SignatureZero,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChainIdZero => formatter.write_str("the chain id is zero"),
            Self::NonceTooLarge => formatter.write_str("the nonce is 2^64-1"),
            Self::PriorityFeeAboveMaxFee => formatter.write_str("the priority fee is above the maximum fee"),
            Self::PoolFeeTooLarge => formatter.write_str("the pool fee does not fit a uint24"),
            Self::PriceLimitTooLarge => formatter.write_str("the price limit does not fit a uint160"),
            Self::PathEmpty => formatter.write_str("the path names no pool"),
            Self::AmountTooLarge => formatter.write_str("an amount, a time or a nonce does not fit its type"),
            Self::FeeOnTransferExactOut => {
                formatter.write_str("no exact output of tokens that keep a fee of each transfer")
            }
            Self::PayloadMalformed(refusal) => {
                write!(formatter, "not an unsigned EIP-1559 transaction: {}", refusal.explanation())
            }
            Self::RecoveryIdNotKnown(byte) => write!(formatter, "{byte} is not a recovery id"),
            Self::SignatureZero => formatter.write_str("the signature's r or s is zero"),
        }
    }
}

impl std::error::Error for Error {}

/// The payload that sends `value` wei of native coin.
///
/// # Errors
/// When a field of `gas` is one no chain accepts.
pub fn native_transfer(gas: &Gas, recipient: &Address, value: U256) -> Result<Vec<u8>, Error> {
    encode(gas, recipient, value, &[])
}

/// The payload that does nothing but use up `gas.nonce`, in place of what was signed for it: nothing is sent to
/// `account`, the sender itself. Nodes want about a tenth more of both fees than the transaction it replaces.
///
/// # Errors
/// When a field of `gas` is one no chain accepts.
pub fn cancel(gas: &Gas, account: &Address) -> Result<Vec<u8>, Error> {
    native_transfer(gas, account, U256::ZERO)
}

/// The payload that calls `contract` with `data` of one of the builders in [`token`], [`swap`] and
/// [`universal_router`], and `value` wei.
///
/// # Errors
/// When a field of `gas` is one no chain accepts.
pub fn call(gas: &Gas, contract: &Address, value: U256, data: &[u8]) -> Result<Vec<u8>, Error> {
    encode(gas, contract, value, data)
}

/// The payload that calls `transfer(recipient, amount)` of a token (EIP-20).
///
/// # Errors
/// When a field of `gas` is one no chain accepts.
pub fn transfer(gas: &Gas, token: &Address, recipient: &Address, amount: U256) -> Result<Vec<u8>, Error> {
    let data = call_data([0xa9, 0x05, 0x9c, 0xbb], &[address_word(recipient), amount]);
    encode(gas, token, U256::ZERO, &data)
}

/// The payload that calls `approve(spender, amount)` of a token (EIP-20).
///
/// # Errors
/// When a field of `gas` is one no chain accepts.
pub fn approve(gas: &Gas, token: &Address, spender: &Address, amount: U256) -> Result<Vec<u8>, Error> {
    let data = call_data([0x09, 0x5e, 0xa7, 0xb3], &[address_word(spender), amount]);
    encode(gas, token, U256::ZERO, &data)
}

/// The payload that calls `transferFrom(owner, recipient, amount)` of a token (EIP-20).
///
/// # Errors
/// When a field of `gas` is one no chain accepts.
pub fn transfer_from(
    gas: &Gas,
    token: &Address,
    owner: &Address,
    recipient: &Address,
    amount: U256,
) -> Result<Vec<u8>, Error> {
    let words = [address_word(owner), address_word(recipient), amount];
    encode(gas, token, U256::ZERO, &call_data([0x23, 0xb8, 0x72, 0xdd], &words))
}

/// The payload that calls `exactInputSingle` of the router contract at `address`, which is a `router`.
///
/// # Errors
/// When a field of `gas` is one no chain accepts, or the pool fee or the price limit does not fit its type.
pub fn exact_input_single(
    gas: &Gas,
    address: &Address,
    router: Router,
    swap: &ExactInputSingle,
) -> Result<Vec<u8>, Error> {
    if swap.pool_fee >= 1 << 24 {
        return Err(Error::PoolFeeTooLarge);
    }
    if swap.sqrt_price_limit_x96.bit_len() > 160 {
        return Err(Error::PriceLimitTooLarge);
    }
    let pool = [
        address_word(&swap.token_in),
        address_word(&swap.token_out),
        U256::from(swap.pool_fee),
        address_word(&swap.recipient),
    ];
    let amounts = [swap.amount_in, swap.amount_out_min, swap.sqrt_price_limit_x96];
    let data = match router {
        Router::SwapRouter { deadline_s } => {
            let words = [&pool[..], &[U256::from(deadline_s)], &amounts].concat();
            call_data([0x41, 0x4b, 0xf3, 0x89], &words)
        }
        Router::SwapRouter02 => call_data([0x04, 0xe4, 0x5a, 0xaf], &[&pool[..], &amounts].concat()),
    };
    encode(gas, address, U256::ZERO, &data)
}

/// The raw transaction for `eth_sendRawTransaction`: `payload` with its signature (r, s and recovery id, as
/// the vault returns it) inside the list.
///
/// # Errors
/// When `payload` is not an unsigned EIP-1559 transaction, or `signature` cannot be a signature.
pub fn assemble_signed(payload: &[u8], signature: &[u8; 65]) -> Result<Vec<u8>, Error> {
    venues::evm::decode(payload).map_err(|why| Error::PayloadMalformed(why.refusal))?;
    let (r, rest) = signature.split_at(32);
    let (s, recovery_id) = rest.split_at(32);
    let y_parity = match recovery_id {
        [0 | 27] => U256::ZERO,
        [1 | 28] => U256::ONE,
        other => {
            return Err(Error::RecoveryIdNotKnown(other.first().copied().unwrap_or_default()));
        }
    };
    let (r, s) = (U256::from_be_slice(r), U256::from_be_slice(s));
    if r.is_zero() || s.is_zero() {
        return Err(Error::SignatureZero);
    }
    let mut items = list_items(payload).to_vec();
    // Integers, so without leading zeros: about one signature in 128 has one.
    put_integer(&mut items, y_parity);
    put_integer(&mut items, r);
    put_integer(&mut items, s);
    Ok(envelope(&items))
}

/// The type byte of EIP-1559 (EIP-2718).
const TRANSACTION_TYPE: u8 = 0x02;

fn encode(gas: &Gas, to: &Address, value: U256, data: &[u8]) -> Result<Vec<u8>, Error> {
    if gas.chain_id == 0 {
        return Err(Error::ChainIdZero);
    }
    if gas.nonce == u64::MAX {
        return Err(Error::NonceTooLarge);
    }
    if gas.max_priority_fee_per_gas > gas.max_fee_per_gas {
        return Err(Error::PriorityFeeAboveMaxFee);
    }
    let mut items = Vec::with_capacity(data.len() + 192);
    put_integer(&mut items, U256::from(gas.chain_id));
    put_integer(&mut items, U256::from(gas.nonce));
    put_integer(&mut items, gas.max_priority_fee_per_gas);
    put_integer(&mut items, gas.max_fee_per_gas);
    put_integer(&mut items, U256::from(gas.gas_limit));
    put_bytes(&mut items, to);
    put_integer(&mut items, value);
    put_bytes(&mut items, data);
    put_header(&mut items, LIST, 0);
    Ok(envelope(&items))
}

fn call_data(selector: [u8; 4], words: &[U256]) -> Vec<u8> {
    let mut data = Vec::with_capacity(selector.len() + 32 * words.len());
    data.extend(selector);
    for word in words {
        data.extend(word.to_be_bytes::<32>());
    }
    data
}

fn address_word(address: &Address) -> U256 {
    U256::from_be_slice(address)
}

/// The items of a decoded payload's list, without the type byte and the list's header.
fn list_items(payload: &[u8]) -> &[u8] {
    let header_size = match payload.get(1) {
        Some(&long) if long > LIST + SHORT_SIZE_MAX => 2 + usize::from(long - LIST - SHORT_SIZE_MAX),
        _ => 2,
    };
    payload.get(header_size..).unwrap_or_default()
}

fn envelope(items: &[u8]) -> Vec<u8> {
    let mut envelope = Vec::with_capacity(items.len() + 10);
    envelope.push(TRANSACTION_TYPE);
    put_header(&mut envelope, LIST, items.len());
    envelope.extend(items);
    envelope
}

// Canonical RLP (Yellow Paper, appendix B).

const STRING: u8 = 0x80;
const LIST: u8 = 0xc0;
/// Longest body whose length fits into the prefix.
const SHORT_SIZE_MAX: u8 = 55;

fn put_integer(out: &mut Vec<u8>, value: U256) {
    put_bytes(out, without_leading_zeros(&value.to_be_bytes::<32>()));
}

fn put_bytes(out: &mut Vec<u8>, body: &[u8]) {
    if !matches!(body, [0..STRING]) {
        put_header(out, STRING, body.len());
    }
    out.extend(body);
}

fn put_header(out: &mut Vec<u8>, kind: u8, size: usize) {
    match u8::try_from(size) {
        Ok(size @ 0..=SHORT_SIZE_MAX) => out.push(kind + size),
        _ => {
            let length = size.to_be_bytes();
            let length = without_leading_zeros(&length);
            let length_size = u8::try_from(length.len()).unwrap_or(u8::MAX);
            out.push(kind.saturating_add(SHORT_SIZE_MAX).saturating_add(length_size));
            out.extend(length);
        }
    }
}

fn without_leading_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(zeros..).unwrap_or_default()
}
