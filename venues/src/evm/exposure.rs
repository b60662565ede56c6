//! What a transaction can do to the desk's risk, and what it puts at stake.
//!
//! At stake is what can leave the account, or what others may take from it after: amounts at their most, and with the
//! first of them the gas at its most. A swap counts once, by what it sells; what a router pays for it with came from
//! there before. What only takes back puts nothing at stake, so that no budget that is spent keeps it from being
//! signed; its gas is held by the caps alone.

use wire::{Refusal, Venue, Why};

use super::judge::is_cancel;
use super::{Batch, Call, Permit, Permit2Approve, Permit2Permit, SelfPermit, Step, Transaction};
use crate::exposure::{Effect, Exposures, Market, NATIVE, TokenValue, token_worth};
use crate::{Address, U256};

/// A cancel uses up its nonce, a revocation takes an allowance or signed permits back. A batch has a swap, or it is
/// refused.
pub(super) fn effect(transaction: &Transaction<'_>, account: &Address) -> Effect {
    let only_takes_back = takes_back(transaction.call()) && transaction.value().is_zero();
    if only_takes_back || is_cancel(transaction, account) { Effect::Cancels } else { Effect::Opens }
}

/// Puts what `transaction` can move on the tokens it moves.
pub(super) fn expose(
    transaction: &Transaction<'_>,
    values: &[TokenValue<'_>],
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let (chain_id, fee) = (transaction.chain_id(), transaction.fee_max());
    let mut stakes = Stakes { chain_id, fee, values, exposures };
    let value = transaction.value();
    match transaction.call() {
        call if takes_back(call) => Ok(()),
        // Nothing but gas, whoever gets it.
        Call::NativeTransfer { .. } if value.is_zero() => Ok(()),
        Call::NativeTransfer { .. } | Call::Deposit { .. } => stakes.add(&NATIVE, value),
        Call::Transfer { token, amount, .. }
        | Call::TransferFrom { token, amount, .. }
        | Call::Approve { token, amount, .. }
        | Call::Permit(Permit { token, amount, .. })
        | Call::Permit2Approve(Permit2Approve { token, amount, .. })
        | Call::Withdraw { contract: token, amount } => stakes.add(token, *amount),
        Call::Swap(swap) => stakes.add(swap.route.token_in(), swap.amounts.sold_max()),
        Call::Batch(batch) => stakes.add_batch(batch, value),
        Call::Permit2Revoke { .. } | Call::Creation | Call::NotCanonical { .. } | Call::Unknown { .. } => {
            Err(Refusal::CallNotSupported.into())
        }
    }
}

/// Whether a call only takes back what others may take.
fn takes_back(call: &Call<'_>) -> bool {
    match call {
        Call::Approve { amount, .. }
        | Call::Permit(Permit { amount, .. })
        | Call::Permit2Approve(Permit2Approve { amount, .. }) => amount.is_zero(),
        Call::Permit2Revoke { .. } => true,
        Call::NativeTransfer { .. }
        | Call::Transfer { .. }
        | Call::TransferFrom { .. }
        | Call::Deposit { .. }
        | Call::Withdraw { .. }
        | Call::Swap(_)
        | Call::Batch(_)
        | Call::Creation
        | Call::NotCanonical { .. }
        | Call::Unknown { .. } => false,
    }
}

struct Stakes<'a, 'b> {
    chain_id: u64,
    /// Gas that is not counted yet, wei.
    fee: U256,
    values: &'a [TokenValue<'b>],
    exposures: &'a mut Exposures,
}

impl Stakes<'_, '_> {
    /// Gas stands with the first amount and not on a market of its own: a transaction that replaces one of the same
    /// market adds what it adds of both.
    fn add(&mut self, token: &Address, amount: U256) -> Result<(), Why> {
        let worth = |token, amount| token_worth(self.values, self.chain_id, token, amount);
        let (moved, fee) = (worth(token, amount)?, worth(&NATIVE, self.fee)?);
        self.fee = U256::ZERO;
        let market = Market::token(Venue::Evm, self.chain_id, token);
        self.exposures.add(market, false, moved.saturating_add(fee))
    }

    /// A V3 router takes coin for the WETH that its swaps sell, no more of it than they do. The Universal Router is sent
    /// coin to wrap, and what it pays for from what it holds was sent to it before.
    fn add_batch(&mut self, batch: &Batch<'_>, value: U256) -> Result<(), Why> {
        if batch.commands().is_some() && !value.is_zero() {
            self.add(&NATIVE, value)?;
        }
        for step in batch.steps() {
            match step? {
                Step::Swap(swap) if swap.payer_is_user => {
                    self.add(swap.route.token_in(), swap.amounts.sold_max())?;
                }
                Step::SelfPermit(SelfPermit { token, amount, .. })
                | Step::Permit2Permit(Permit2Permit { token, amount, .. })
                    if !amount.is_zero() =>
                {
                    self.add(token, amount)?;
                }
                Step::Swap(_)
                | Step::Wrap { .. }
                | Step::Unwrap { .. }
                | Step::Sweep { .. }
                | Step::RefundCoin
                | Step::SelfPermit(_)
                | Step::Permit2Permit(_)
                | Step::PayPortion { .. } => {}
            }
        }
        Ok(())
    }
}
