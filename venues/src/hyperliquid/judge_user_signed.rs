//! The judgement of the actions a user signs as they are: transfers, approvals.
//!
//! They have no vaultAddress. A sub-account whose funds they move stands in the entry that grants the transfer: to
//! trade for an account is one right, to empty it another.

use wire::{Refusal, Shown, Why};

use super::action::{ApproveAgent, ApproveBuilderFee, SendAsset, Transferral, UsdClassTransfer};
use super::decimal::Decimal;
use super::judge::shown;
use super::rules::{Limits, Transfer, TransferLimits};
use crate::Address;

pub(super) fn judge_transferral(
    transferral: &Transferral<'_>,
    limits: &Limits<'_>,
    account: &Address,
) -> Result<(), Why> {
    let entry = find_entry(transferral.action, transferral.token, limits)?;
    judge_signature_chain(transferral.signature_chain_id, limits)?;
    let destination = &transferral.destination;
    if destination != account && !entry.destinations.contains(destination) {
        return Err(Why::new(Refusal::DestinationNotAllowed).observed(Shown::Address(*destination)));
    }
    judge_amount(&transferral.amount, entry)
}

pub(super) fn judge_send_asset(
    send: &SendAsset<'_>,
    limits: &Limits<'_>,
    account: &Address,
) -> Result<(), Why> {
    judge_transferral(&send.transferral, limits, account)?;
    let entry = find_entry(Transfer::SendAsset, send.transferral.token, limits)?;
    let route = [(send.source_dex, entry.source_dexes), (send.destination_dex, entry.destination_dexes)];
    if route.iter().any(|(dex, dexes)| !dexes.contains(dex)) {
        return Err(Refusal::DexNotAllowed.into());
    }
    judge_sub_account(send.sub_account.as_ref(), entry)
}

pub(super) fn judge_class_transfer(transfer: &UsdClassTransfer<'_>, limits: &Limits<'_>) -> Result<(), Why> {
    let entry = find_entry(Transfer::UsdClassTransfer, None, limits)?;
    judge_signature_chain(transfer.signature_chain_id, limits)?;
    judge_sub_account(transfer.sub_account.as_ref(), entry)?;
    judge_amount(&transfer.amount, entry)
}

pub(super) fn judge_agent(approval: &ApproveAgent<'_>, limits: &Limits<'_>) -> Result<(), Why> {
    let entry = limits.approve_agent.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    judge_signature_chain(approval.signature_chain_id, limits)?;
    if !entry.agents.contains(&approval.agent) {
        return Err(Why::new(Refusal::AgentNotAllowed).observed(Shown::Address(approval.agent)));
    }
    if !entry.names.allows(&approval.name) {
        return Err(Refusal::AgentNameNotAllowed.into());
    }
    Ok(())
}

pub(super) fn judge_builder_fee(approval: &ApproveBuilderFee<'_>, limits: &Limits<'_>) -> Result<(), Why> {
    let entry = limits.approve_builder_fee.as_ref().ok_or(Refusal::ActionNotAllowed)?;
    judge_signature_chain(approval.signature_chain_id, limits)?;
    if !entry.builders.contains(&approval.builder) {
        return Err(Why::new(Refusal::BuilderNotAllowed).observed(Shown::Address(approval.builder)));
    }
    if approval.rate_max.units > entry.rate_max {
        return Err(Why::new(Refusal::BuilderFeeAboveCap)
            .observed(shown(approval.rate_max.units))
            .limit(shown(entry.rate_max)));
    }
    Ok(())
}

/// The entry that names the action, and its token where it has one: each token has caps of its own.
pub(super) fn find_entry<'l>(
    action: Transfer,
    token: Option<&str>,
    limits: &Limits<'l>,
) -> Result<&'l TransferLimits<'l>, Why> {
    let mut refusal = Refusal::ActionNotAllowed;
    for entry in limits.transfers.iter().filter(|entry| entry.action == action) {
        if token.is_none_or(|token| entry.tokens.contains(&token)) {
            return Ok(entry);
        }
        refusal = Refusal::TransferTokenNotAllowed;
    }
    Err(refusal.into())
}

fn judge_signature_chain(signature_chain_id: u64, limits: &Limits<'_>) -> Result<(), Why> {
    if !limits.signature_chain_ids.contains(&signature_chain_id) {
        return Err(Why::new(Refusal::SignatureChainNotAllowed).observed(Shown::uint(signature_chain_id)));
    }
    Ok(())
}

fn judge_sub_account(sub_account: Option<&Address>, entry: &TransferLimits<'_>) -> Result<(), Why> {
    match sub_account {
        Some(address) if !entry.sub_accounts.contains(address) => {
            Err(Why::new(Refusal::VaultNotAllowed).observed(Shown::Address(*address)))
        }
        _ => Ok(()),
    }
}

fn judge_amount(amount: &Decimal<'_>, entry: &TransferLimits<'_>) -> Result<(), Why> {
    if amount.units > entry.amount_max {
        return Err(Why::new(Refusal::TransferAboveCap)
            .observed(shown(amount.units))
            .limit(shown(entry.amount_max)));
    }
    Ok(())
}
