//! Call data of the Universal Router's `execute`. It goes into [`call`](super::call).

use venues::{Address, U256};

use super::Error;
use super::abi::{Arg, address_word, call_data, encode};
use super::swap::{Amounts, V3Path};

/// The recipient that stands for the sender.
pub const SENDER: Address = sentinel(1);
/// The recipient that stands for the router: what it gets must be paid out by a later command.
pub const ROUTER: Address = sentinel(2);
/// The amount that stands for all the router has, 2^255.
pub const WHOLE_BALANCE: U256 = U256::from_limbs([0, 0, 0, 1 << 63]);

/// How the inputs of swaps are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// Routers 1.2 and 2.0.
    Plain,
    /// From 2.1.1 on: with `minHopPriceX36`, which is left empty.
    WithMinHopPrices,
}

/// A `PermitSingle` of Permit2 with its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedPermitSingle {
    /// The token contract.
    pub token: Address,
    /// How many, below 2^160.
    pub amount: U256,
    /// Until when, Unix time in seconds, below 2^48.
    pub expiration_s: u64,
    /// The allowance's nonce, below 2^48.
    pub nonce: u64,
    /// The router.
    pub spender: Address,
    /// Until when it may be handed in, Unix time in seconds.
    pub deadline_s: u64,
    /// r, s and v (27 or 28).
    pub signature: [u8; 65],
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `V3_SWAP_EXACT_IN` or `V3_SWAP_EXACT_OUT`.
    V3Swap {
        /// the pools
        path: V3Path,
        /// who gets what is bought
        recipient: Address,
        /// how much
        amounts: Amounts,
        /// whether the sender pays through Permit2, or the router from what it has
        payer_is_user: bool,
    },
    /// `V2_SWAP_EXACT_IN` or `V2_SWAP_EXACT_OUT`.
    V2Swap {
        /// the tokens
        path: Vec<Address>,
        /// who gets what is bought
        recipient: Address,
        /// how much
        amounts: Amounts,
        /// whether the sender pays through Permit2, or the router from what it has
        payer_is_user: bool,
    },
    /// `SWEEP`.
    Sweep {
        /// which; the zero address is native coin
        token: Address,
        /// to whom
        recipient: Address,
        /// at least so much
        amount_min: U256,
    },
    /// `PAY_PORTION`.
    PayPortion {
        /// which
        token: Address,
        /// to whom
        recipient: Address,
        /// hundredths of a percent
        bips: u64,
    },
    /// `PERMIT2_PERMIT`.
    Permit2Permit(SignedPermitSingle),
    /// `WRAP_ETH`.
    WrapEth {
        /// who gets the WETH
        recipient: Address,
        /// wei
        amount: U256,
    },
    /// `UNWRAP_WETH`.
    UnwrapWeth {
        /// to whom
        recipient: Address,
        /// at least so much
        amount_min: U256,
    },
}

/// `execute` with or without a deadline (Unix time in seconds).
///
/// # Errors
/// When a path is too short, a pool fee or an amount too large for its type.
pub fn execute(inputs: Inputs, commands: &[Command], deadline_s: Option<u64>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(commands.len());
    let mut encoded = Vec::with_capacity(commands.len());
    for command in commands {
        let (byte, input) = encode_command(inputs, command)?;
        bytes.push(byte);
        encoded.push(input);
    }
    let (bytes, list) = (Arg::Bytes(&bytes), Arg::List(&encoded));
    Ok(match deadline_s {
        Some(deadline_s) => call_data([0x35, 0x93, 0x56, 0x4c], &[bytes, list, deadline_s.into()]),
        None => call_data([0x24, 0x85, 0x6b, 0xc3], &[bytes, list]),
    })
}

fn encode_command(inputs: Inputs, command: &Command) -> Result<(u8, Vec<u8>), Error> {
    Ok(match command {
        Command::V3Swap { path, recipient, amounts, payer_is_user } => {
            let byte = if amounts.is_exact_out() { 0x01 } else { 0x00 };
            let path = path.pack(amounts.is_exact_out())?;
            (byte, swap_input(inputs, recipient, amounts, Arg::Bytes(&path), *payer_is_user))
        }
        Command::V2Swap { path, recipient, amounts, payer_is_user } => {
            if path.len() < 2 {
                return Err(Error::PathEmpty);
            }
            let byte = if amounts.is_exact_out() { 0x09 } else { 0x08 };
            let path = Arg::Words(path.iter().map(address_word).collect());
            (byte, swap_input(inputs, recipient, amounts, path, *payer_is_user))
        }
        Command::Sweep { token, recipient, amount_min } => {
            (0x04, encode(&[token.into(), recipient.into(), (*amount_min).into()]))
        }
        Command::PayPortion { token, recipient, bips } => {
            (0x06, encode(&[token.into(), recipient.into(), (*bips).into()]))
        }
        Command::Permit2Permit(permit) => (0x0a, permit_input(permit)?),
        Command::WrapEth { recipient, amount } => (0x0b, encode(&[recipient.into(), (*amount).into()])),
        Command::UnwrapWeth { recipient, amount_min } => {
            (0x0c, encode(&[recipient.into(), (*amount_min).into()]))
        }
    })
}

fn swap_input(
    inputs: Inputs,
    recipient: &Address,
    amounts: &Amounts,
    path: Arg<'_>,
    payer_is_user: bool,
) -> Vec<u8> {
    let [first, second] = amounts.words();
    let mut arguments: Vec<Arg<'_>> =
        vec![recipient.into(), first.into(), second.into(), path, u64::from(payer_is_user).into()];
    if inputs == Inputs::WithMinHopPrices {
        arguments.push(Arg::Words(Vec::new()));
    }
    encode(&arguments)
}

fn permit_input(permit: &SignedPermitSingle) -> Result<Vec<u8>, Error> {
    if permit.amount.bit_len() > 160 || permit.expiration_s >= 1 << 48 || permit.nonce >= 1 << 48 {
        return Err(Error::AmountTooLarge);
    }
    Ok(encode(&[
        (&permit.token).into(),
        permit.amount.into(),
        permit.expiration_s.into(),
        permit.nonce.into(),
        (&permit.spender).into(),
        permit.deadline_s.into(),
        Arg::Bytes(&permit.signature),
    ]))
}

const fn sentinel(last: u8) -> Address {
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]
}
