//! What a transaction tells the receipt: the nine fields, then the call as it was understood. Of a batch every
//! step is told, up to one that is not understood, of which only the selector or command is known.

use wire::facts::{FactKey, FactSink};

use super::call::{Permit, Permit2Approve, Revocation, Selector};
use super::swap::{Amounts, Coin, Deadline, Route, Swap};
use super::{Batch, Call, STEPS_MAX, Step, Transaction};
use crate::{Address, U256};

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
        Call::Permit(Permit { token, owner, spender, amount, deadline }) => {
            sink.text(FactKey::Function, "permit");
            sink.address(FactKey::Token, token);
            sink.address(FactKey::Owner, owner);
            sink.address(FactKey::Spender, spender);
            tell_uint256(sink, FactKey::Amount, *amount);
            tell_uint256(sink, FactKey::Deadline, *deadline);
        }
        Call::Deposit { .. } => sink.text(FactKey::Function, "deposit"),
        Call::Withdraw { amount, .. } => {
            sink.text(FactKey::Function, "withdraw");
            tell_uint256(sink, FactKey::Amount, *amount);
        }
        Call::Permit2Approve(Permit2Approve { token, spender, amount, expiration, .. }) => {
            sink.text(FactKey::Function, "approve");
            sink.address(FactKey::Token, token);
            sink.address(FactKey::Spender, spender);
            tell_uint256(sink, FactKey::Amount, *amount);
            sink.uint(FactKey::PermitExpiration, *expiration);
        }
        Call::Permit2Revoke { revocation, .. } => tell_revocation(revocation, sink),
        Call::Swap(swap) => tell_swap(swap, sink),
        Call::Batch(batch) => tell_batch(batch, sink),
        Call::NotCanonical { selector, .. } => tell_selector(*selector, sink),
        Call::Unknown { selector, .. } => {
            if let Some(selector) = selector {
                tell_selector(*selector, sink);
            }
        }
    }
}

fn tell_revocation(revocation: &Revocation<'_>, sink: &mut dyn FactSink) {
    match revocation {
        Revocation::UnorderedNonces { word, mask } => {
            sink.text(FactKey::Function, "invalidateUnorderedNonces");
            tell_uint256(sink, FactKey::NonceWord, *word);
            tell_uint256(sink, FactKey::NonceMask, *mask);
        }
        Revocation::Nonces { token, spender, nonce } => {
            sink.text(FactKey::Function, "invalidateNonces");
            sink.address(FactKey::Token, token);
            sink.address(FactKey::Spender, spender);
            sink.uint(FactKey::PermitNonce, *nonce);
        }
        Revocation::Lockdown(pairs) => {
            sink.text(FactKey::Function, "lockdown");
            sink.open_list(FactKey::Calls);
            for (token, spender) in pairs.iter() {
                sink.open_object(FactKey::Element);
                sink.address(FactKey::Token, token);
                sink.address(FactKey::Spender, spender);
                sink.close();
            }
            sink.close();
        }
    }
}

fn tell_swap(swap: &Swap<'_>, sink: &mut dyn FactSink) {
    sink.text(FactKey::Function, swap.function);
    sink.address(FactKey::TokenIn, swap.route.token_in());
    sink.address(FactKey::TokenOut, swap.route.token_out());
    match swap.route {
        Route::Single { pool_fee, .. } => sink.uint(FactKey::PoolFee, pool_fee.into()),
        Route::Packed(_) | Route::Pairs(_) => tell_route(&swap.route, sink),
    }
    sink.address(FactKey::Recipient, swap.recipient);
    tell_deadline(swap.deadline, sink);
    match swap.amounts {
        Amounts::ExactIn { amount_in, amount_out_min } => {
            tell_uint256(sink, FactKey::AmountIn, amount_in);
            tell_uint256(sink, FactKey::AmountOutMin, amount_out_min);
        }
        Amounts::ExactOut { amount_out, amount_in_max } => {
            tell_uint256(sink, FactKey::AmountOut, amount_out);
            tell_uint256(sink, FactKey::AmountInMax, amount_in_max);
        }
    }
    if matches!(swap.route, Route::Single { .. }) {
        tell_uint256(sink, FactKey::SqrtPriceLimitX96, swap.sqrt_price_limit_x96);
    }
    if swap.coin == Coin::No && !swap.payer_is_user {
        sink.flag(FactKey::PayerIsUser, false);
    }
}

/// The whole path in the order of the swap, and the pools' fees, where there are any.
fn tell_route(route: &Route<'_>, sink: &mut dyn FactSink) {
    sink.open_list(FactKey::Path);
    sink.address(FactKey::Element, route.token_in());
    for token in route.intermediates() {
        sink.address(FactKey::Element, token);
    }
    sink.address(FactKey::Element, route.token_out());
    sink.close();
    if let Route::Packed(_) = route {
        sink.open_list(FactKey::Fees);
        for fee in route.pool_fees() {
            sink.uint(FactKey::Element, fee.into());
        }
        sink.close();
    }
}

fn tell_batch(batch: &Batch<'_>, sink: &mut dyn FactSink) {
    sink.text(FactKey::Function, if batch.commands().is_some() { "execute" } else { "multicall" });
    tell_deadline(batch.deadline(), sink);
    if let Some(blockhash) = batch.previous_blockhash() {
        sink.key(FactKey::PreviousBlockhash, blockhash);
    }
    sink.open_list(FactKey::Calls);
    // A batch of more is refused unseen.
    for step in batch.steps().take(STEPS_MAX) {
        sink.open_object(FactKey::Element);
        let understood = step.is_ok();
        if let Ok(step) = step {
            tell_step(&step, sink);
        }
        sink.close();
        if !understood {
            break;
        }
    }
    sink.close();
}

fn tell_step(step: &Step<'_>, sink: &mut dyn FactSink) {
    match step {
        Step::Swap(swap) => tell_swap(swap, sink),
        Step::Wrap { recipient, amount } => {
            sink.text(FactKey::Function, "WRAP_ETH");
            sink.address(FactKey::Recipient, recipient);
            tell_uint256(sink, FactKey::Amount, *amount);
        }
        Step::Unwrap { function, recipient, amount_min } => {
            sink.text(FactKey::Function, function);
            tell_payout(*recipient, *amount_min, sink);
        }
        Step::Sweep { function, token, recipient, amount_min } => {
            sink.text(FactKey::Function, function);
            sink.address(FactKey::Token, token);
            tell_payout(*recipient, *amount_min, sink);
        }
        Step::RefundCoin => sink.text(FactKey::Function, "refundETH"),
        Step::SelfPermit(permit) => {
            sink.text(FactKey::Function, "selfPermit");
            sink.address(FactKey::Token, permit.token);
            sink.address(FactKey::Spender, permit.spender);
            tell_uint256(sink, FactKey::Amount, permit.amount);
            tell_uint256(sink, FactKey::Deadline, permit.deadline);
        }
        Step::Permit2Permit(permit) => {
            sink.text(FactKey::Function, "PERMIT2_PERMIT");
            sink.address(FactKey::Token, permit.token);
            sink.address(FactKey::Spender, permit.spender);
            tell_uint256(sink, FactKey::Amount, permit.amount);
            sink.uint(FactKey::PermitExpiration, permit.expiration);
            sink.uint(FactKey::PermitNonce, permit.nonce);
            tell_uint256(sink, FactKey::Deadline, permit.deadline);
        }
        Step::PayPortion { token, recipient, bips } => {
            sink.text(FactKey::Function, "PAY_PORTION");
            sink.address(FactKey::Token, token);
            sink.address(FactKey::Recipient, recipient);
            tell_uint256(sink, FactKey::Bips, *bips);
        }
    }
}

fn tell_payout(recipient: Option<&Address>, amount_min: U256, sink: &mut dyn FactSink) {
    if let Some(recipient) = recipient {
        sink.address(FactKey::Recipient, recipient);
    }
    tell_uint256(sink, FactKey::AmountMin, amount_min);
}

fn tell_deadline(deadline: Deadline, sink: &mut dyn FactSink) {
    if let Deadline::At(deadline) = deadline {
        tell_uint256(sink, FactKey::Deadline, deadline);
    }
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
