//! What a transaction tells the receipt: the nine fields, then the call as it was understood.

use wire::facts::{FactKey, FactSink};

use super::{Call, Deadline, ExactInputSingle, Selector, Transaction};
use crate::U256;

/// Tells everything that was understood of `transaction`.
pub(super) fn tell(transaction: &Transaction<'_>, sink: &mut dyn FactSink) {
    sink.uint(FactKey::ChainId, transaction.chain_id());
    sink.uint(FactKey::Nonce, transaction.nonce());
    tell_uint256(sink, FactKey::MaxPriorityFeePerGas, transaction.max_priority_fee_per_gas());
    tell_uint256(sink, FactKey::MaxFeePerGas, transaction.max_fee_per_gas());
    sink.uint(FactKey::GasLimit, transaction.gas_limit());
    match transaction.to() {
        Some(to) => sink.address(FactKey::To, to),
        None => sink.text(FactKey::To, ""),
    }
    tell_uint256(sink, FactKey::Value, transaction.value());
    let access_list = transaction.access_list();
    sink.uint(FactKey::AccessListAddresses, access_list.addresses().into());
    sink.uint(FactKey::AccessListKeys, access_list.storage_keys().into());
    tell_call(transaction.call(), sink);
}

fn tell_call(call: &Call<'_>, sink: &mut dyn FactSink) {
    match call {
        Call::NativeTransfer { .. } | Call::Creation => {}
        Call::Transfer { token, recipient, amount } => {
            sink.text(FactKey::Function, "transfer");
            sink.address(FactKey::Token, token);
            sink.address(FactKey::Recipient, recipient);
            tell_uint256(sink, FactKey::Amount, *amount);
        }
        Call::Approve { token, spender, amount } => {
            sink.text(FactKey::Function, "approve");
            sink.address(FactKey::Token, token);
            sink.address(FactKey::Spender, spender);
            tell_uint256(sink, FactKey::Amount, *amount);
        }
        Call::TransferFrom { token, owner, recipient, amount } => {
            sink.text(FactKey::Function, "transferFrom");
            sink.address(FactKey::Token, token);
            sink.address(FactKey::From, owner);
            sink.address(FactKey::Recipient, recipient);
            tell_uint256(sink, FactKey::Amount, *amount);
        }
        Call::ExactInputSingle(swap) => tell_swap(swap, sink),
        Call::NotCanonical { selector, .. } => tell_selector(*selector, sink),
        Call::Unknown { selector, .. } => {
            if let Some(selector) = selector {
                tell_selector(*selector, sink);
            }
        }
    }
}

fn tell_swap(swap: &ExactInputSingle<'_>, sink: &mut dyn FactSink) {
    sink.text(FactKey::Function, "exactInputSingle");
    sink.address(FactKey::TokenIn, swap.token_in);
    sink.address(FactKey::TokenOut, swap.token_out);
    sink.uint(FactKey::PoolFee, swap.pool_fee.into());
    sink.address(FactKey::Recipient, swap.recipient);
    if let Deadline::At(deadline) = swap.deadline {
        tell_uint256(sink, FactKey::Deadline, deadline);
    }
    tell_uint256(sink, FactKey::AmountIn, swap.amount_in);
    tell_uint256(sink, FactKey::AmountOutMin, swap.amount_out_min);
    tell_uint256(sink, FactKey::SqrtPriceLimitX96, swap.sqrt_price_limit_x96);
}

/// A selector as people write it: `0x` and eight hex digits.
fn tell_selector(selector: Selector, sink: &mut dyn FactSink) {
    let mut text = *b"0x00000000";
    let digits = text.iter_mut().skip(2);
    let nibbles = selector.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
    for (digit, nibble) in digits.zip(nibbles) {
        *digit = match nibble {
            0..=9 => b'0' + nibble,
            _ => b'a' + nibble - 10,
        };
    }
    if let Ok(text) = core::str::from_utf8(&text) {
        sink.text(FactKey::Selector, text);
    }
}

fn tell_uint256(sink: &mut dyn FactSink, key: FactKey, value: U256) {
    sink.uint_be(key, &value.to_be_bytes::<32>());
}
