//! The judgement: which rule of the book a transaction breaks first.
//!
//! The order is fixed: is the call understood, with every step of a batch; chain; fee per gas, gas limit, their
//! product, access list; then the entry for the call. Everything is compared as bytes and integers; a product
//! that overflows is above every cap. Swaps are judged in `judge_swap.rs`, batches in `judge_batch.rs`.

use wire::{Now, Refusal, Shown, Why};

use super::call::{Permit, Permit2Approve, Selector};
use super::rules::{Limits, NativeLimits, Permit2Limits, TokenLimits, WethLimits};
use super::swap::{Deadline, HOPS_MAX, Swap};
use super::{Call, STEPS_MAX, Step, Transaction};
use crate::{AccountNonce, Address, Charge, U256};

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
    let judged = Judged { chain_id: transaction.chain_id(), account, now, limits };
    let value = transaction.value();
    let mut only_replaces = false;
    let is_cancel = is_cancel(transaction, account);
    match call {
        Call::NativeTransfer { recipient } => match judged.native(limits.native, recipient, value) {
            Err(why) if is_cancel && limits.cancel && why.refusal == Refusal::FunctionNotAllowed => {
                only_replaces = true;
            }
            judgement => judgement?,
        },
        Call::Deposit { contract } => judged.deposit(contract, value)?,
        // A router wraps coin or keeps it: value is judged together with the swap.
        Call::Swap(swap) => judged.single_swap(swap, value)?,
        Call::Batch(batch) => judged.batch(batch, value)?,
        Call::Transfer { .. }
        | Call::Approve { .. }
        | Call::TransferFrom { .. }
        | Call::Permit(_)
        | Call::Withdraw { .. }
        | Call::Permit2Approve(_)
        | Call::Permit2Revoke { .. }
        | Call::Creation
        | Call::NotCanonical { .. }
        | Call::Unknown { .. } => {
            // None of these needs coin: a token rejects or keeps it.
            require_no_value(value)?;
            judged.call_without_value(call)?;
        }
    }
    let nonce = account_nonce(transaction, is_cancel, only_replaces);
    Ok(Charge { account_nonce: Some(nonce), ..Charge::default() })
}

/// Whether the transaction does nothing but use up its nonce: nothing is sent to oneself, and nothing is warmed up.
pub(super) fn is_cancel(transaction: &Transaction<'_>, account: &Address) -> bool {
    matches!(transaction.call(), Call::NativeTransfer { recipient } if *recipient == account)
        && transaction.value().is_zero()
        && transaction.access_list().items().is_empty()
}

fn account_nonce(transaction: &Transaction<'_>, is_cancel: bool, only_replaces: bool) -> AccountNonce {
    AccountNonce {
        chain_id: transaction.chain_id(),
        nonce: transaction.nonce(),
        native_spend_max: transaction.value().saturating_add(transaction.fee_max()),
        is_cancel,
        only_replaces,
    }
}

fn require_understood(call: &Call<'_>) -> Result<(), Why> {
    match call {
        Call::Swap(swap) => require_short_path(swap),
        Call::Batch(batch) => {
            if batch.len() > STEPS_MAX {
                return Err(Why::new(Refusal::TooManySteps)
                    .observed(Shown::size(batch.len()))
                    .limit(Shown::size(STEPS_MAX)));
            }
            if let Some(commands) = batch.commands()
                && commands.len() != batch.len()
            {
                return Err(Why::new(Refusal::CommandCountDiffers)
                    .observed(Shown::size(batch.len()))
                    .limit(Shown::size(commands.len())));
            }
            for (index, step) in batch.steps().enumerate() {
                if let Step::Swap(swap) = step? {
                    require_short_path(&swap).map_err(|why| why.subject(index))?;
                }
            }
            Ok(())
        }
        Call::Creation => Err(Refusal::CreationNotSupported.into()),
        Call::NotCanonical { selector, .. } => {
            Err(Why::new(Refusal::CallDataNotCanonical).observed(shown_selector(*selector)))
        }
        Call::Unknown { selector, .. } => {
            Err(Why::new(Refusal::CallNotSupported).observed(selector.map_or(Shown::Nothing, shown_selector)))
        }
        Call::NativeTransfer { .. }
        | Call::Transfer { .. }
        | Call::Approve { .. }
        | Call::TransferFrom { .. }
        | Call::Permit(_)
        | Call::Deposit { .. }
        | Call::Withdraw { .. }
        | Call::Permit2Approve(_)
        | Call::Permit2Revoke { .. } => Ok(()),
    }
}

fn require_short_path(swap: &Swap<'_>) -> Result<(), Why> {
    let hops = swap.route.hops();
    if hops <= HOPS_MAX {
        return Ok(());
    }
    Err(Why::new(Refusal::PathTooLong).observed(Shown::size(hops)).limit(Shown::size(HOPS_MAX)))
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
pub(super) struct Judged<'a, 'b> {
    pub(super) chain_id: u64,
    pub(super) account: &'a Address,
    now: Now,
    pub(super) limits: &'a Limits<'b>,
}

impl<'a> Judged<'a, '_> {
    fn call_without_value(&self, call: &Call<'_>) -> Result<(), Why> {
        let tokens = self.limits.tokens;
        match call {
            Call::Transfer { token, recipient, amount } => self.transfer(tokens, token, recipient, *amount),
            Call::Approve { token, spender, amount } => self.approve(tokens, token, spender, *amount),
            Call::TransferFrom { token, owner, recipient, amount } => {
                self.transfer_from(tokens, token, [owner, recipient], *amount)
            }
            Call::Permit(permit) => self.permit(permit),
            Call::Withdraw { contract, amount } => self.withdraw(contract, *amount),
            Call::Permit2Approve(approve) => {
                let entry = self.permit2(approve.contract)?;
                self.permit2_approve(&[*entry], approve)
            }
            Call::Permit2Revoke { contract, revocation: _ } => self.permit2_revoke(contract),
            Call::NativeTransfer { .. }
            | Call::Deposit { .. }
            | Call::Swap(_)
            | Call::Batch(_)
            | Call::Creation
            | Call::NotCanonical { .. }
            | Call::Unknown { .. } => Err(Refusal::CallNotSupported.into()),
        }
    }

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
        if amount.is_zero() && self.token(entries, token, |entry| entry.revoke.then_some(&())).is_ok() {
            return Ok(());
        }
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

    pub(super) fn permit(&self, permit: &Permit<'_>) -> Result<(), Why> {
        let granted = self.token(self.limits.tokens, permit.token, |entry| entry.permit.as_ref())?;
        self.require_own_or_listed(permit.owner, granted.owners, Refusal::OwnerNotAllowed)?;
        if !granted.spenders.contains(permit.spender) {
            return Err(of_address(Refusal::SpenderNotAllowed, permit.spender));
        }
        require_at_most(permit.amount, granted.amount_max, Refusal::AmountAboveCap)?;
        self.require_timely(Deadline::At(permit.deadline), granted.deadline_ahead_max_s)
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

    fn deposit(&self, contract: &Address, value: U256) -> Result<(), Why> {
        let granted = self.named_weth(contract)?.deposit_max.ok_or(Why::new(Refusal::FunctionNotAllowed))?;
        require_at_most(value, granted, Refusal::ValueAboveCap)
    }

    fn withdraw(&self, contract: &Address, amount: U256) -> Result<(), Why> {
        let granted = self.named_weth(contract)?.withdraw_max.ok_or(Why::new(Refusal::FunctionNotAllowed))?;
        require_at_most(amount, granted, Refusal::AmountAboveCap)
    }

    fn named_weth(&self, contract: &Address) -> Result<&'a WethLimits<'a>, Why> {
        let named = self.weth_entry().filter(|entry| entry.contract == *contract);
        named.ok_or_else(|| of_address(Refusal::ContractNotAllowed, contract))
    }

    pub(super) fn weth_entry(&self) -> Option<&'a WethLimits<'a>> {
        self.limits.weth.iter().find(|entry| entry.chains.contains(&self.chain_id))
    }

    /// The chain's WETH, if the book names it.
    pub(super) fn weth(&self) -> Option<&'a Address> {
        self.weth_entry().map(|entry| &entry.contract)
    }

    fn permit2(&self, contract: &Address) -> Result<&'a Permit2Limits<'a>, Why> {
        let mut entries = self.limits.permit2.iter();
        entries
            .find(|entry| entry.chains.contains(&self.chain_id) && entry.contracts.contains(contract))
            .ok_or_else(|| of_address(Refusal::ContractNotAllowed, contract))
    }

    /// An allowance, by the first of `entries` that names the chain and grants some for the token.
    pub(super) fn permit2_approve(
        &self,
        entries: &[Permit2Limits<'_>],
        approve: &Permit2Approve<'_>,
    ) -> Result<(), Why> {
        let on_chain = entries.iter().filter(|entry| entry.chains.contains(&self.chain_id));
        let mut granted = on_chain.filter_map(|entry| entry.approve.as_ref()).peekable();
        if granted.peek().is_none() {
            return Err(Refusal::FunctionNotAllowed.into());
        }
        let granted = granted
            .find(|granted| granted.tokens.contains(approve.token))
            .ok_or_else(|| of_address(Refusal::TokenNotAllowed, approve.token))?;
        if !granted.spenders.contains(approve.spender) {
            return Err(of_address(Refusal::SpenderNotAllowed, approve.spender));
        }
        require_at_most(approve.amount, granted.amount_max, Refusal::AmountAboveCap)?;
        // An end that has passed allows nothing and harms nobody.
        let latest = self.latest(granted.expiration_ahead_max_s);
        require_at_most(U256::from(approve.expiration), latest, Refusal::DeadlineTooFar)
    }

    /// How far ahead of now allowances of `token` may be handed in.
    pub(super) fn permit2_ahead_max_s(&self, token: &Address) -> u64 {
        let on_chain = self.limits.permit2.iter().filter(|entry| entry.chains.contains(&self.chain_id));
        let mut granted = on_chain.filter_map(|entry| entry.approve.as_ref());
        let granted = granted.find(|granted| granted.tokens.contains(token));
        granted.map_or(0, |granted| granted.expiration_ahead_max_s)
    }

    fn permit2_revoke(&self, contract: &Address) -> Result<(), Why> {
        if self.permit2(contract)?.revoke { Ok(()) } else { Err(Refusal::FunctionNotAllowed.into()) }
    }

    pub(super) fn require_timely(&self, deadline: Deadline, ahead_max_s: u64) -> Result<(), Why> {
        let Deadline::At(deadline) = deadline else {
            return Ok(());
        };
        let now_s = self.now.wall_ms / 1000;
        if deadline <= U256::from(now_s) {
            return Err(Why::new(Refusal::DeadlinePassed)
                .observed(uint256(deadline))
                .limit(Shown::uint(now_s)));
        }
        require_at_most(deadline, self.latest(ahead_max_s), Refusal::DeadlineTooFar)
    }

    fn latest(&self, ahead_max_s: u64) -> U256 {
        U256::from(self.now.wall_ms / 1000).saturating_add(U256::from(ahead_max_s))
    }

    pub(super) fn is_own_or_listed(&self, address: &Address, listed: &[Address]) -> bool {
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

pub(super) fn require_no_value(value: U256) -> Result<(), Why> {
    if value.is_zero() {
        return Ok(());
    }
    Err(Why::new(Refusal::ValueNotAllowed).observed(uint256(value)).limit(Shown::uint(0)))
}

pub(super) fn require_at_most(value: U256, cap: U256, refusal: Refusal) -> Result<(), Why> {
    if value <= cap {
        return Ok(());
    }
    Err(Why::new(refusal).observed(uint256(value)).limit(uint256(cap)))
}

pub(super) fn of_address(refusal: Refusal, address: &Address) -> Why {
    Why::new(refusal).observed(Shown::Address(*address))
}

pub(super) fn uint256(value: U256) -> Shown {
    Shown::Uint256(value.to_be_bytes())
}

fn shown_selector(selector: Selector) -> Shown {
    Shown::uint(u32::from_be_bytes(selector).into())
}
