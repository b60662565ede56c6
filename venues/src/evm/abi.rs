//! The calls this vault understands, read from canonical call data (Solidity contract ABI specification).
//!
//! ```text
//! transfer(address,uint256)                        a9059cbb  recipient, amount
//! approve(address,uint256)                         095ea7b3  spender, amount
//! transferFrom(address,address,uint256)            23b872dd  owner, recipient, amount
//! exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))          414bf389
//!     tokenIn, tokenOut, fee, recipient, deadline, amountIn, amountOutMinimum, sqrtPriceLimitX96
//! exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))                  04e45aaf
//!     the same without the deadline
//! ```
//!
//! Every argument is static, so canonical means: exactly these words, and zeros above each value. The EVM
//! itself is laxer (it drops dirty upper bytes and ignores what follows the last word), which is why a known
//! selector with other words is told apart and never signed.

use crate::evm::{Call, Deadline, ExactInputSingle};
use crate::{Address, U256};

/// The first four bytes of the Keccak-256 of a function's signature.
pub type Selector = [u8; 4];

pub(super) const TRANSFER: Selector = [0xa9, 0x05, 0x9c, 0xbb];
pub(super) const APPROVE: Selector = [0x09, 0x5e, 0xa7, 0xb3];
pub(super) const TRANSFER_FROM: Selector = [0x23, 0xb8, 0x72, 0xdd];
pub(super) const EXACT_INPUT_SINGLE: Selector = [0x41, 0x4b, 0xf3, 0x89];
pub(super) const EXACT_INPUT_SINGLE_02: Selector = [0x04, 0xe4, 0x5a, 0xaf];

/// A 32-byte word of call data.
type Word = [u8; 32];

/// What `data` asks of `contract`.
pub(super) fn read_call<'f>(contract: &'f Address, data: &'f [u8]) -> Call<'f> {
    if data.is_empty() {
        return Call::NativeTransfer { recipient: contract };
    }
    let Some((&selector, arguments)) = data.split_first_chunk::<4>() else {
        return Call::Unknown { contract, selector: None };
    };
    let read = match selector {
        TRANSFER => read_transfer,
        APPROVE => read_approve,
        TRANSFER_FROM => read_transfer_from,
        EXACT_INPUT_SINGLE => read_exact_input_single,
        EXACT_INPUT_SINGLE_02 => read_exact_input_single_02,
        _ => {
            return Call::Unknown { contract, selector: Some(selector) };
        }
    };
    let (words, loose) = arguments.as_chunks::<32>();
    let call = if loose.is_empty() { read(contract, words) } else { None };
    call.unwrap_or(Call::NotCanonical { contract, selector })
}

fn read_transfer<'f>(token: &'f Address, words: &'f [Word]) -> Option<Call<'f>> {
    let [recipient, amount] = words else { return None };
    Some(Call::Transfer { token, recipient: read_address(recipient)?, amount: read_uint256(amount) })
}

fn read_approve<'f>(token: &'f Address, words: &'f [Word]) -> Option<Call<'f>> {
    let [spender, amount] = words else { return None };
    Some(Call::Approve { token, spender: read_address(spender)?, amount: read_uint256(amount) })
}

fn read_transfer_from<'f>(token: &'f Address, words: &'f [Word]) -> Option<Call<'f>> {
    let [owner, recipient, amount] = words else {
        return None;
    };
    Some(Call::TransferFrom {
        token,
        owner: read_address(owner)?,
        recipient: read_address(recipient)?,
        amount: read_uint256(amount),
    })
}

fn read_exact_input_single<'f>(router: &'f Address, words: &'f [Word]) -> Option<Call<'f>> {
    let [token_in, token_out, fee, recipient, deadline, amounts @ ..] = words else {
        return None;
    };
    let deadline = Deadline::At(read_uint256(deadline));
    read_swap(router, [token_in, token_out, fee, recipient], deadline, amounts)
}

fn read_exact_input_single_02<'f>(router: &'f Address, words: &'f [Word]) -> Option<Call<'f>> {
    let [token_in, token_out, fee, recipient, amounts @ ..] = words else {
        return None;
    };
    read_swap(router, [token_in, token_out, fee, recipient], Deadline::None, amounts)
}

fn read_swap<'f>(
    router: &'f Address,
    [token_in, token_out, fee, recipient]: [&'f Word; 4],
    deadline: Deadline,
    amounts: &'f [Word],
) -> Option<Call<'f>> {
    let [amount_in, amount_out_min, price_limit] = amounts else {
        return None;
    };
    read_address(price_limit)?;
    Some(Call::ExactInputSingle(ExactInputSingle {
        router,
        token_in: read_address(token_in)?,
        token_out: read_address(token_out)?,
        pool_fee: read_uint24(fee)?,
        recipient: read_address(recipient)?,
        deadline,
        amount_in: read_uint256(amount_in),
        amount_out_min: read_uint256(amount_out_min),
        // A uint160 has the shape of an address.
        sqrt_price_limit_x96: read_uint256(price_limit),
    }))
}

fn read_address(word: &Word) -> Option<&Address> {
    let (zeros, address) = word.split_first_chunk::<12>()?;
    if zeros != &[0; 12] {
        return None;
    }
    address.first_chunk()
}

fn read_uint24(word: &Word) -> Option<u32> {
    let (zeros, value) = word.split_last_chunk::<4>()?;
    let value = u32::from_be_bytes(*value);
    (zeros == [0; 28] && value < 1 << 24).then_some(value)
}

fn read_uint256(word: &Word) -> U256 {
    U256::from_be_bytes(*word)
}
