//! The judgement: which rule of the book typed data break first.
//!
//! The order is fixed: chain, Permit2 contract; whether permit and order say the same; reactor, swapper,
//! cosigner, validation; deadlines; then amounts and outputs by the entry for the pair. Everything is compared as
//! integers; products in 512 bits.

use wire::{Now, Refusal, Shown, Why};

use super::order::{Auction, Order, OrderInfo, Schedule, Witness};
use super::permit::{Allowance, TokenPermissions, Transfer, TransferTerms};
use super::relay::Relay;
use super::rules::{Limits, OrderType, ReactorLimits};
use super::{Content, TypedData, swap};
use crate::typed_data::{address_word, keccak, uint_word};
use crate::{Address, Charge, IdSpace, SINGLE_USE_IDS_MAX, SingleUseId, U256};

/// The address of nobody.
pub(super) const ZERO: Address = [0; 20];

/// An exclusivity override beyond this bars everybody else in effect, basis points.
const EXCLUSIVITY_OVERRIDE_BPS_MAX: U256 = U256::from_limbs([10_000, 0, 0, 0]);

/// Judges `data`, signed by the key whose address is `account`, by `limits`.
pub(super) fn judge(
    data: &TypedData<'_>,
    limits: &Limits<'_>,
    account: &Address,
    now: Now,
) -> Result<Charge, Why> {
    let chain_id = data.domain.chain_id;
    if !limits.chains.contains(&chain_id) {
        return Err(Why::new(Refusal::PermitChainNotAllowed).observed(Shown::uint(chain_id)));
    }
    require_listed(&data.domain.verifying_contract, limits.permit2, Refusal::Permit2NotAllowed)?;
    let judged = Judged { limits, chain_id, account, now_s: now.wall_ms / 1000 };
    match &data.content {
        Content::Order(order) => judged.order(order),
        Content::Relay(relay) => judged.relay(relay),
        Content::Allowance(allowance, _) => judged.allowance(allowance),
        Content::Transfer(transfer, _) => judged.transfer(transfer),
    }
}

/// What everything is judged with.
struct Judged<'a, 'b> {
    limits: &'a Limits<'b>,
    chain_id: u64,
    account: &'a Address,
    now_s: u64,
}

impl Judged<'_, '_> {
    fn order(&self, order: &Order<'_>) -> Result<Charge, Why> {
        let Order { permitted, terms, witness } = order;
        let info = &witness.info;
        require_agreement(terms, &info.reactor, info.nonce, info.deadline)?;
        require_permitted(permitted, &witness.input.token, witness.input.max_amount)?;
        let entry = self.reactor(witness.order_type, &info.reactor)?;
        self.require_swapper(&info.swapper)?;
        self.require_validation(info)?;
        if let Some(cosigner) = &witness.cosigner {
            // Without a cosigner a priority order starts at the block it says; the other reactors fill nothing.
            let is_none = witness.order_type == OrderType::Priority && *cosigner == ZERO;
            if !is_none {
                require_listed(cosigner, entry.cosigners, Refusal::CosignerNotAllowed)?;
            }
        }
        self.require_timely(terms.deadline)?;
        if let Auction::Timed(schedule) = &witness.auction {
            require_schedule(schedule, info.deadline, entry)?;
        }
        require_shape(witness)?;
        swap::judge(witness, self.limits.swaps, self.chain_id, self.account)?;
        Ok(self.transfer_charge(terms))
    }

    /// The first entry that names order type, chain and reactor.
    fn reactor(&self, order_type: OrderType, reactor: &Address) -> Result<&ReactorLimits<'_>, Why> {
        let of_type = || {
            let entries = self.limits.reactors.iter();
            entries.filter(|entry| entry.order == order_type && entry.chains.contains(&self.chain_id))
        };
        if of_type().next().is_none() {
            return Err(Refusal::OrderTypeNotAllowed.into());
        }
        of_type()
            .find(|entry| *reactor != ZERO && entry.reactors.contains(reactor))
            .ok_or_else(|| of_address(Refusal::ReactorNotAllowed, reactor))
    }

    fn relay(&self, relay: &Relay<'_>) -> Result<Charge, Why> {
        if !relay.router_calldata.is_empty() {
            return Err(Why::new(Refusal::RouterCalldataNotSupported)
                .observed(Shown::size(relay.router_calldata.len())));
        }
        let Relay { permitted, terms, info, input, fee, .. } = relay;
        require_agreement(terms, &info.reactor, info.nonce, info.deadline)?;
        let [of_input, of_fee] = permitted.as_slice() else {
            return Err(Why::new(Refusal::PermittedCountDiffers)
                .observed(Shown::size(permitted.as_slice().len()))
                .limit(Shown::uint(2)));
        };
        require_permitted(of_input, &input.token, input.amount).map_err(|why| why.subject(0))?;
        require_permitted(of_fee, &fee.token, fee.end_amount).map_err(|why| why.subject(1))?;
        let entry = self
            .limits
            .relays
            .iter()
            .filter(|entry| entry.chains.contains(&self.chain_id) && info.reactor != ZERO)
            .find(|entry| entry.reactors.contains(&info.reactor))
            .ok_or_else(|| of_address(Refusal::ReactorNotAllowed, &info.reactor))?;
        self.require_swapper(&info.swapper)?;
        self.require_timely(terms.deadline)?;
        require_listed(&input.token, entry.tokens, Refusal::RelayInputNotAllowed)?;
        if input.recipient != *self.account {
            require_listed(&input.recipient, entry.recipients, Refusal::RelayInputNotAllowed)?;
        }
        require_at_most(input.amount, entry.amount_max, Refusal::OrderAmountAboveCap)?;
        require_listed(&fee.token, entry.fee_tokens, Refusal::RelayFeeNotAllowed)?;
        require_at_most(fee.end_amount, entry.fee_max, Refusal::RelayFeeNotAllowed)?;
        require_at_most(fee.start_amount, fee.end_amount, Refusal::AmountsNotOrdered)?;
        require_at_most(fee.start_time, fee.end_time, Refusal::DecayTimesNotOrdered)?;
        require_at_most(fee.end_time, terms.deadline, Refusal::DecayTimesNotOrdered)?;
        Ok(self.transfer_charge(terms))
    }

    fn allowance(&self, allowance: &Allowance) -> Result<Charge, Why> {
        let details = allowance.details.as_slice();
        let entries = || self.limits.allowances.iter().filter(|entry| entry.chains.contains(&self.chain_id));
        if entries().next().is_none() {
            return Err(Refusal::PermitNotGranted.into());
        }
        if details.is_empty() {
            return Err(Refusal::PermitsEmpty.into());
        }
        let for_spender = || entries().filter(|entry| entry.spenders.contains(&allowance.spender));
        if for_spender().next().is_none() || allowance.spender == ZERO {
            return Err(of_address(Refusal::PermitSpenderNotAllowed, &allowance.spender));
        }
        self.require_timely(allowance.sig_deadline)?;
        let mut charge = Charge::default();
        for (at, (detail, id)) in details.iter().zip(&mut charge.single_use_ids).enumerate() {
            let entry = for_spender()
                .find(|entry| entry.tokens.contains(&detail.token))
                .ok_or_else(|| of_address(Refusal::PermitTokenNotAllowed, &detail.token).subject(at))?;
            require_below_unlimited(detail.amount, entry.amount_max, UINT160_MAX)
                .map_err(|why| why.subject(at))?;
            let latest = U256::from(self.now_s).saturating_add(U256::from(entry.expiration_ahead_max_s));
            require_at_most(detail.expiration, latest, Refusal::PermitExpirationTooFar)
                .map_err(|why| why.subject(at))?;
            let words =
                [address_word(&detail.token), address_word(&allowance.spender), uint_word(&detail.nonce)];
            *id = Some(SingleUseId {
                space: IdSpace::Permit2Allowance,
                chain_id: self.chain_id,
                id: keccak(words.as_flattened()),
            });
        }
        Ok(charge)
    }

    fn transfer(&self, transfer: &Transfer) -> Result<Charge, Why> {
        let Transfer { permitted, terms } = transfer;
        let entries = || self.limits.transfers.iter().filter(|entry| entry.chains.contains(&self.chain_id));
        if entries().next().is_none() {
            return Err(Refusal::PermitNotGranted.into());
        }
        let all = permitted.as_slice();
        if all.is_empty() {
            return Err(Refusal::PermitsEmpty.into());
        }
        let for_spender = || entries().filter(|entry| entry.spenders.contains(&terms.spender));
        if for_spender().next().is_none() || terms.spender == ZERO {
            return Err(of_address(Refusal::PermitSpenderNotAllowed, &terms.spender));
        }
        self.require_timely(terms.deadline)?;
        for (at, permitted) in all.iter().enumerate() {
            let entry = for_spender()
                .find(|entry| entry.tokens.contains(&permitted.token))
                .ok_or_else(|| of_address(Refusal::PermitTokenNotAllowed, &permitted.token).subject(at))?;
            // A token may stand there several times, each to be moved: the cap is for all of it.
            let so_far = all.iter().take(at.saturating_add(1)).filter(|other| other.token == permitted.token);
            let amount = so_far.fold(U256::ZERO, |sum, other| sum.saturating_add(other.amount));
            require_below_unlimited(amount, entry.amount_max, U256::MAX).map_err(|why| why.subject(at))?;
        }
        Ok(self.transfer_charge(terms))
    }

    fn require_swapper(&self, swapper: &Address) -> Result<(), Why> {
        if swapper == self.account {
            return Ok(());
        }
        Err(of_address(Refusal::SwapperNotThisKey, swapper).limit(Shown::Address(*self.account)))
    }

    fn require_validation(&self, info: &OrderInfo<'_>) -> Result<(), Why> {
        if info.validation_contract != ZERO {
            let listed = self.limits.validation_contracts;
            return require_listed(&info.validation_contract, listed, Refusal::ValidationContractNotAllowed);
        }
        if info.validation_data.is_empty() {
            return Ok(());
        }
        Err(Why::new(Refusal::ValidationDataNotAllowed).observed(Shown::size(info.validation_data.len())))
    }

    fn require_timely(&self, deadline: U256) -> Result<(), Why> {
        let now_s = U256::from(self.now_s);
        if deadline <= now_s {
            return Err(Why::new(Refusal::OrderDeadlinePassed)
                .observed(uint256(deadline))
                .limit(Shown::uint(self.now_s)));
        }
        let latest = now_s.saturating_add(U256::from(self.limits.deadline_ahead_max_s));
        require_at_most(deadline, latest, Refusal::OrderDeadlineTooFar)
    }

    fn transfer_charge(&self, terms: &TransferTerms) -> Charge {
        let mut single_use_ids = [None; SINGLE_USE_IDS_MAX];
        if let Some(first) = single_use_ids.first_mut() {
            *first = Some(SingleUseId {
                space: IdSpace::Permit2Transfer,
                chain_id: self.chain_id,
                id: uint_word(&terms.nonce),
            });
        }
        Charge { single_use_ids, ..Charge::default() }
    }
}

const UINT160_MAX: U256 = U256::from_limbs([u64::MAX, u64::MAX, 0xffff_ffff, 0]);

/// The permit says nothing else than the order.
fn require_agreement(
    terms: &TransferTerms,
    reactor: &Address,
    nonce: U256,
    deadline: U256,
) -> Result<(), Why> {
    if terms.spender != *reactor {
        return Err(of_address(Refusal::SpenderNotReactor, &terms.spender).limit(Shown::Address(*reactor)));
    }
    require_equal(terms.nonce, nonce, Refusal::PermitNonceDiffers)?;
    require_equal(terms.deadline, deadline, Refusal::PermitDeadlineDiffers)
}

/// The permit lets exactly what the order can take be taken.
fn require_permitted(permitted: &TokenPermissions, token: &Address, amount: U256) -> Result<(), Why> {
    if permitted.token != *token {
        return Err(of_address(Refusal::PermitTokenDiffers, &permitted.token).limit(Shown::Address(*token)));
    }
    require_equal(permitted.amount, amount, Refusal::PermitAmountDiffers)
}

fn require_schedule(schedule: &Schedule, deadline: U256, entry: &ReactorLimits<'_>) -> Result<(), Why> {
    require_at_most(schedule.decay_start, schedule.decay_end, Refusal::DecayTimesNotOrdered)?;
    require_at_most(schedule.decay_end, deadline, Refusal::DecayTimesNotOrdered)?;
    if schedule.exclusive_filler != ZERO {
        let listed = entry.exclusive_fillers;
        require_listed(&schedule.exclusive_filler, listed, Refusal::ExclusiveFillerNotAllowed)?;
    }
    require_at_most(
        schedule.exclusivity_override_bps,
        EXCLUSIVITY_OVERRIDE_BPS_MAX,
        Refusal::ExclusivityOverrideTooLarge,
    )
}

/// What the reactors themselves hold an order to: amounts move one way, curves ascend, a priority fee scales
/// one side only. An order that breaks it fills nothing, or not as it reads.
fn require_shape(witness: &Witness<'_>) -> Result<(), Why> {
    let input = &witness.input;
    require_at_most(input.start_amount, input.max_amount, Refusal::AmountsNotOrdered)?;
    if !input.curve.ascends() {
        return Err(Refusal::CurveBlocksNotAscending.into());
    }
    for (at, output) in witness.outputs.as_slice().iter().enumerate() {
        require_at_most(output.min_amount, output.start_amount, Refusal::AmountsNotOrdered)
            .map_err(|why| why.subject(at))?;
        if !output.curve.ascends() {
            return Err(Why::new(Refusal::CurveBlocksNotAscending).subject(at));
        }
        if !input.mps_per_priority_fee_wei.is_zero() && !output.mps_per_priority_fee_wei.is_zero() {
            return Err(Why::new(Refusal::PriorityScalesBoth).subject(at));
        }
    }
    Ok(())
}

/// At most the cap, and never what stands for "unlimited", whatever the cap.
fn require_below_unlimited(amount: U256, cap: U256, unlimited: U256) -> Result<(), Why> {
    if amount < unlimited {
        return require_at_most(amount, cap, Refusal::PermitAmountAboveCap);
    }
    Err(Why::new(Refusal::PermitAmountAboveCap).observed(uint256(amount)).limit(uint256(cap)))
}

fn require_equal(found: U256, expected: U256, refusal: Refusal) -> Result<(), Why> {
    if found == expected {
        return Ok(());
    }
    Err(Why::new(refusal).observed(uint256(found)).limit(uint256(expected)))
}

pub(super) fn require_at_most(value: U256, cap: U256, refusal: Refusal) -> Result<(), Why> {
    if value <= cap {
        return Ok(());
    }
    Err(Why::new(refusal).observed(uint256(value)).limit(uint256(cap)))
}

fn require_listed(address: &Address, listed: &[Address], refusal: Refusal) -> Result<(), Why> {
    if listed.contains(address) { Ok(()) } else { Err(of_address(refusal, address)) }
}

pub(super) fn of_address(refusal: Refusal, address: &Address) -> Why {
    Why::new(refusal).observed(Shown::Address(*address))
}

pub(super) fn uint256(value: U256) -> Shown {
    Shown::Uint256(value.to_be_bytes())
}
