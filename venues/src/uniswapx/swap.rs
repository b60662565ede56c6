//! The swap that an order is at its worst: the most it can take against the least it can give.

use wire::{Refusal, Shown, Why};

use super::judge::{ZERO, of_address, require_at_most, uint256};
use super::order::{Output, Witness};
use super::rules::{FeeLimits, Ratio, SwapLimits};
use super::share;
use crate::{Address, U256};

/// A product of two 256-bit integers.
pub(super) type Product = ruint::Uint<512, 8>;

/// Judges amounts and outputs by the first entry that names chain, input token and own output token.
///
/// The own output is what goes to `account` in the token of the first output that does, all of it together.
/// Other outputs to `account` are a gift; they count for nothing.
pub(super) fn judge(
    witness: &Witness<'_>,
    entries: &[SwapLimits<'_>],
    chain_id: u64,
    account: &Address,
) -> Result<(), Why> {
    let (input, outputs) = (&witness.input, witness.outputs.as_slice());
    if outputs.is_empty() {
        return Err(Refusal::OutputsEmpty.into());
    }
    for (at, output) in outputs.iter().enumerate() {
        if output.min_amount.is_zero() {
            return Err(Why::new(Refusal::OutputEndsAtZero).observed(Shown::uint(0)).subject(at));
        }
    }
    let own = outputs.iter().find(|output| output.recipient == *account).ok_or(Refusal::OwnOutputMissing)?;
    let entry = entry(entries, chain_id, &input.token, &own.token)?;
    judge_others(witness, &own.token, entry.fees.as_ref(), account)?;
    if input.max_amount.is_zero() {
        return Err(Refusal::OrderInputZero.into());
    }
    require_at_most(input.max_amount, entry.amount_in_max, Refusal::OrderAmountAboveCap)?;
    let is_own = |output: &&Output<'_>| output.recipient == *account && output.token == own.token;
    let least = sum(outputs.iter().filter(is_own).map(|output| output.min_amount));
    require_out_per_in(least, input.max_amount, &entry.out_per_in_min)
}

fn entry<'e, 'b>(
    entries: &'e [SwapLimits<'b>],
    chain_id: u64,
    token_in: &Address,
    token_out: &Address,
) -> Result<&'e SwapLimits<'b>, Why> {
    let sold = || {
        let on_chain = entries.iter().filter(|entry| entry.chains.contains(&chain_id));
        on_chain.filter(|entry| entry.tokens_in.contains(token_in))
    };
    let is_bought = |entry: &&SwapLimits<'_>| {
        let is_listed =
            if *token_out == ZERO { entry.native_out } else { entry.tokens_out.contains(token_out) };
        is_listed && (token_in != token_out || entry.same_token)
    };
    sold().find(is_bought).ok_or_else(|| {
        let token = if sold().next().is_some() { token_out } else { token_in };
        of_address(Refusal::OrderPairNotAllowed, token)
    })
}

/// Outputs to others: listed, and where they have a share, held to it ([`share`]).
fn judge_others(
    witness: &Witness<'_>,
    own_token: &Address,
    fees: Option<&FeeLimits<'_>>,
    account: &Address,
) -> Result<(), Why> {
    let others = witness.outputs.as_slice().iter().enumerate();
    let mut limits = None;
    for (at, output) in others.filter(|(_, output)| output.recipient != *account) {
        let fees = fees.filter(|fees| fees.recipients.contains(&output.recipient));
        let Some(fees) = fees else {
            return Err(of_address(Refusal::OutputRecipientNotAllowed, &output.recipient).subject(at));
        };
        if output.token != *own_token && !fees.other_tokens {
            return Err(of_address(Refusal::OutputTokenNotAllowed, &output.token).subject(at));
        }
        limits = Some(fees);
    }
    limits.map_or(Ok(()), |fees| share::judge(witness, own_token, fees.share_max_bps, account))
}

/// `least * denominator >= most * numerator`, in 512 bits.
fn require_out_per_in(least: U256, most: U256, ratio: &Ratio) -> Result<(), Why> {
    let out: Product = least.widening_mul(ratio.denominator);
    let needed: Product = most.widening_mul(ratio.numerator);
    if !least.is_zero() && !ratio.denominator.is_zero() && out >= needed {
        return Ok(());
    }
    // The limit shown is the least output that would have passed, where one does.
    let limit = needed
        .checked_add(Product::from(ratio.denominator).saturating_sub(Product::ONE))
        .and_then(|needed| needed.checked_div(Product::from(ratio.denominator)))
        .and_then(|limit| U256::checked_from_limbs_slice(limit.max(Product::ONE).as_limbs()));
    Err(Why::new(Refusal::OutputBelowRatio)
        .observed(uint256(least))
        .limit(limit.map_or(Shown::Nothing, uint256)))
}

/// A sum that is too large stands for the largest, which makes an own output look smaller than it is.
pub(super) fn sum(amounts: impl Iterator<Item = U256>) -> U256 {
    amounts.fold(U256::ZERO, U256::saturating_add)
}
