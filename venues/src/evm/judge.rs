//! The judgement: which rule of the book a transaction breaks first.
//!
//! The order is fixed: is the call understood; chain; fee per gas, gas limit, their product, access list; then
//! the entry for the call. Everything is compared as bytes and integers; a product that overflows is above
//! every cap.

use wire::{Now, Refusal, Shown, Why};

use super::rules::{Limits, NativeLimits, Ratio, Router, SwapLimits, TokenLimits};
use super::{Call, Deadline, ExactInputSingle, Selector, Transaction};
use crate::{Address, Charge, U256};

/// Judges `transaction`, signed by the key whose address is `account`, by `limits`.
pub(super) fn judge(
    transaction: &Transaction<'_>,
    limits: &Limits<'_>,
    account: &Address,
    now: Now,
) -> Result<Charge, Why> {
    let call = transaction.call();
    require_understood(call)?;
    judge_envelope(transaction, limits)?;
    let judged = Judged { chain_id: transaction.chain_id(), account, now };
    if let Call::NativeTransfer { recipient } = call {
        judged.native(limits.native, recipient, transaction.value())?;
        return Ok(Charge::default());
    }
    // None of the functions below is meant to be sent coin: a token would keep it, a router would wrap it.
    if !transaction.value().is_zero() {
        return Err(Why::new(Refusal::ValueNotAllowed)
            .observed(uint256(transaction.value()))
            .limit(Shown::uint(0)));
    }
    match call {
        Call::Transfer { token, recipient, amount } => {
            judged.transfer(limits.tokens, token, recipient, *amount)?
        }
        Call::Approve { token, spender, amount } => judged.approve(limits.tokens, token, spender, *amount)?,
        Call::TransferFrom { token, owner, recipient, amount } => {
            judged.transfer_from(limits.tokens, token, [owner, recipient], *amount)?
        }
        Call::ExactInputSingle(swap) => judged.swap(limits.swaps, swap)?,
        Call::NativeTransfer { .. } | Call::Creation | Call::NotCanonical { .. } | Call::Unknown { .. } => {
            return Err(Refusal::CallNotSupported.into());
        }
    }
    Ok(Charge::default())
}

fn require_understood(call: &Call<'_>) -> Result<(), Why> {
    match call {
        Call::NativeTransfer { .. }
        | Call::Transfer { .. }
        | Call::Approve { .. }
        | Call::TransferFrom { .. }
        | Call::ExactInputSingle(_) => Ok(()),
        Call::Creation => Err(Refusal::CreationNotSupported.into()),
        Call::NotCanonical { selector, .. } => {
            Err(Why::new(Refusal::CallDataNotCanonical).observed(shown_selector(*selector)))
        }
        Call::Unknown { selector, .. } => {
            Err(Why::new(Refusal::CallNotSupported).observed(selector.map_or(Shown::Nothing, shown_selector)))
        }
    }
}

/// The rules every transaction of the key keeps.
fn judge_envelope(transaction: &Transaction<'_>, limits: &Limits<'_>) -> Result<(), Why> {
    let (gas_limit, fee_per_gas) = (transaction.gas_limit(), transaction.max_fee_per_gas());
    if !limits.chains.contains(&transaction.chain_id()) {
        return Err(Why::new(Refusal::ChainNotAllowed).observed(Shown::uint(transaction.chain_id())));
    }
    require_at_most(fee_per_gas, limits.fee_per_gas_max, Refusal::FeePerGasAboveCap)?;
    if gas_limit > limits.gas_limit_max {
        return Err(Why::new(Refusal::GasLimitAboveCap)
            .observed(Shown::uint(gas_limit))
            .limit(Shown::uint(limits.gas_limit_max)));
    }
    match fee_per_gas.checked_mul(U256::from(gas_limit)) {
        Some(fee) => require_at_most(fee, limits.transaction_fee_max, Refusal::TransactionFeeAboveCap)?,
        // Too large to be shown.
        None => {
            return Err(Why::new(Refusal::TransactionFeeAboveCap).limit(uint256(limits.transaction_fee_max)));
        }
    }
    let access_list = transaction.access_list();
    let entries = u64::from(access_list.addresses()) + u64::from(access_list.storage_keys());
    if entries > limits.access_list_entries_max.into() {
        return Err(Why::new(Refusal::AccessListTooLong)
            .observed(Shown::uint(entries))
            .limit(Shown::uint(limits.access_list_entries_max.into())));
    }
    Ok(())
}

/// What every call is judged with.
struct Judged<'a> {
    chain_id: u64,
    account: &'a Address,
    now: Now,
}

impl Judged<'_> {
    fn native(&self, entries: &[NativeLimits<'_>], recipient: &Address, value: U256) -> Result<(), Why> {
        let on_chain = || entries.iter().filter(|entry| entry.chains.contains(&self.chain_id));
        if on_chain().next().is_none() {
            return Err(Refusal::FunctionNotAllowed.into());
        }
        let entry = on_chain()
            .find(|entry| self.is_own_or_listed(recipient, entry.recipients))
            .ok_or_else(|| of_address(Refusal::RecipientNotAllowed, recipient))?;
        require_at_most(value, entry.value_max, Refusal::ValueAboveCap)
    }

    fn transfer(
        &self,
        entries: &[TokenLimits<'_>],
        token: &Address,
        recipient: &Address,
        amount: U256,
    ) -> Result<(), Why> {
        let granted = self.token(entries, token, |entry| entry.transfer.as_ref())?;
        self.require_own_or_listed(recipient, granted.recipients, Refusal::RecipientNotAllowed)?;
        require_at_most(amount, granted.amount_max, Refusal::AmountAboveCap)
    }

    fn approve(
        &self,
        entries: &[TokenLimits<'_>],
        token: &Address,
        spender: &Address,
        amount: U256,
    ) -> Result<(), Why> {
        let granted = self.token(entries, token, |entry| entry.approve.as_ref())?;
        if !granted.spenders.contains(spender) {
            return Err(of_address(Refusal::SpenderNotAllowed, spender));
        }
        require_at_most(amount, granted.amount_max, Refusal::AmountAboveCap)
    }

    fn transfer_from(
        &self,
        entries: &[TokenLimits<'_>],
        token: &Address,
        [owner, recipient]: [&Address; 2],
        amount: U256,
    ) -> Result<(), Why> {
        let granted = self.token(entries, token, |entry| entry.transfer_from.as_ref())?;
        self.require_own_or_listed(owner, granted.owners, Refusal::OwnerNotAllowed)?;
        self.require_own_or_listed(recipient, granted.recipients, Refusal::RecipientNotAllowed)?;
        require_at_most(amount, granted.amount_max, Refusal::AmountAboveCap)
    }

    /// What the first entry that names chain and token and grants the function says about it.
    fn token<'e, 'b, G>(
        &self,
        entries: &'e [TokenLimits<'b>],
        token: &Address,
        granted: impl Fn(&'e TokenLimits<'b>) -> Option<&'e G>,
    ) -> Result<&'e G, Why> {
        let named = || {
            entries
                .iter()
                .filter(|entry| entry.chains.contains(&self.chain_id) && entry.tokens.contains(token))
        };
        if named().next().is_none() {
            return Err(of_address(Refusal::TokenNotAllowed, token));
        }
        named().find_map(granted).ok_or(Refusal::FunctionNotAllowed.into())
    }

    fn swap(&self, entries: &[SwapLimits<'_>], swap: &ExactInputSingle<'_>) -> Result<(), Why> {
        let router = match swap.deadline {
            Deadline::At(_) => Router::SwapRouter,
            Deadline::None => Router::SwapRouter02,
        };
        let entry = self.swap_entry(entries, router, swap)?;
        if !entry.pool_fees.is_empty() && !entry.pool_fees.contains(&swap.pool_fee) {
            return Err(Why::new(Refusal::PoolFeeNotAllowed).observed(Shown::uint(swap.pool_fee.into())));
        }
        if names_router_itself(router, swap) {
            return Err(of_address(Refusal::RecipientNotAllowed, swap.recipient));
        }
        self.require_own_or_listed(swap.recipient, entry.recipients, Refusal::RecipientNotAllowed)?;
        if swap.amount_in.is_zero() {
            return Err(Refusal::AmountInZero.into());
        }
        require_at_most(swap.amount_in, entry.amount_in_max, Refusal::AmountAboveCap)?;
        require_out_per_in(swap, &entry.out_per_in_min)?;
        self.require_timely(swap.deadline, entry.deadline_ahead_max_s)
    }

    /// The first entry that names chain, router and both tokens.
    fn swap_entry<'e, 'b>(
        &self,
        entries: &'e [SwapLimits<'b>],
        router: Router,
        swap: &ExactInputSingle<'_>,
    ) -> Result<&'e SwapLimits<'b>, Why> {
        let through_router = || {
            entries.iter().filter(|entry| {
                entry.chains.contains(&self.chain_id)
                    && entry.router == router
                    && entry.routers.contains(swap.router)
            })
        };
        if through_router().next().is_none() {
            return Err(of_address(Refusal::ContractNotAllowed, swap.router));
        }
        let sells = |entry: &&SwapLimits<'_>| entry.tokens_in.contains(swap.token_in);
        through_router()
            .filter(sells)
            .find(|entry| entry.tokens_out.contains(swap.token_out) && swap.token_in != swap.token_out)
            .ok_or_else(|| {
                let is_sold = through_router().any(|entry| sells(&entry));
                let token = if is_sold { swap.token_out } else { swap.token_in };
                of_address(Refusal::PairNotAllowed, token)
            })
    }

    fn require_timely(&self, deadline: Deadline, ahead_max_s: u64) -> Result<(), Why> {
        let Deadline::At(deadline) = deadline else {
            return Ok(());
        };
        let now_s = self.now.wall_ms / 1000;
        if deadline <= U256::from(now_s) {
            return Err(Why::new(Refusal::DeadlinePassed)
                .observed(uint256(deadline))
                .limit(Shown::uint(now_s)));
        }
        let latest = U256::from(now_s).saturating_add(U256::from(ahead_max_s));
        require_at_most(deadline, latest, Refusal::DeadlineTooFar)
    }

    fn is_own_or_listed(&self, address: &Address, listed: &[Address]) -> bool {
        address == self.account || listed.contains(address)
    }

    fn require_own_or_listed(
        &self,
        address: &Address,
        listed: &[Address],
        refusal: Refusal,
    ) -> Result<(), Why> {
        if self.is_own_or_listed(address, listed) { Ok(()) } else { Err(of_address(refusal, address)) }
    }
}

/// Whether the output would stay with the router, where the next caller may take it: the zero address for
/// SwapRouter (`SwapRouter.exactInputInternal`), address 2 for SwapRouter02 (`Constants.ADDRESS_THIS`), and
/// the router's own address for both. No list can allow that.
fn names_router_itself(router: Router, swap: &ExactInputSingle<'_>) -> bool {
    let itself = match router {
        Router::SwapRouter => U256::ZERO,
        Router::SwapRouter02 => U256::from(2),
    };
    swap.recipient == swap.router || U256::from_be_slice(swap.recipient) == itself
}

/// `amountOutMinimum * denominator >= amountIn * numerator`, in 512 bits.
fn require_out_per_in(swap: &ExactInputSingle<'_>, ratio: &Ratio) -> Result<(), Why> {
    let out: Product = swap.amount_out_min.widening_mul(ratio.denominator);
    let least: Product = swap.amount_in.widening_mul(ratio.numerator);
    if !swap.amount_out_min.is_zero() && !ratio.denominator.is_zero() && out >= least {
        return Ok(());
    }
    // The limit shown is the least minimum that would have passed, where one does.
    let quotient = least.checked_div(Product::from(ratio.denominator));
    let limit = quotient.map(|quotient| {
        let exact = quotient.wrapping_mul(Product::from(ratio.denominator)) == least;
        let rounded_up = if exact { quotient } else { quotient.wrapping_add(Product::ONE) };
        rounded_up.max(Product::ONE)
    });
    Err(Why::new(Refusal::MinimumOutBelowRatio).observed(uint256(swap.amount_out_min)).limit(
        limit
            .and_then(|limit| U256::checked_from_limbs_slice(limit.as_limbs()))
            .map_or(Shown::Nothing, uint256),
    ))
}

/// A product of two 256-bit integers.
type Product = ruint::Uint<512, 8>;

fn require_at_most(value: U256, cap: U256, refusal: Refusal) -> Result<(), Why> {
    if value <= cap {
        return Ok(());
    }
    Err(Why::new(refusal).observed(uint256(value)).limit(uint256(cap)))
}

fn of_address(refusal: Refusal, address: &Address) -> Why {
    Why::new(refusal).observed(Shown::Address(*address))
}

fn uint256(value: U256) -> Shown {
    Shown::Uint256(value.to_be_bytes())
}

fn shown_selector(selector: Selector) -> Shown {
    Shown::uint(u32::from_be_bytes(selector).into())
}
