//! What goes into the receipt of typed data.

use wire::facts::{FactKey, FactSink};

use super::curve::Curve;
use super::order::{Auction, Order, Output};
use super::permit::{Allowance, TokenPermissions, Transfer, TransferTerms};
use super::relay::Relay;
use super::rules::OrderType;
use super::{Content, TypedData};
use crate::U256;

/// Tells all that was judged.
pub(super) fn tell(data: &TypedData<'_>, sink: &mut dyn FactSink) {
    sink.uint(FactKey::ChainId, data.domain.chain_id);
    sink.address(FactKey::VerifyingContract, &data.domain.verifying_contract);
    sink.text(FactKey::PrimaryType, data.content.primary_type());
    match &data.content {
        Content::Order(order) => tell_order(order, sink),
        Content::Relay(relay) => tell_relay(relay, sink),
        Content::Allowance(allowance, _) => tell_allowance(allowance, sink),
        Content::Transfer(Transfer { permitted, terms }, _) => {
            tell_permit(permitted.as_slice(), terms, sink);
        }
    }
}

fn tell_permit(permitted: &[TokenPermissions], terms: &TransferTerms, sink: &mut dyn FactSink) {
    sink.address(FactKey::Spender, &terms.spender);
    sink.open_list(FactKey::Tokens);
    for permitted in permitted {
        sink.address(FactKey::Element, &permitted.token);
    }
    sink.close();
    tell_amounts(FactKey::Amounts, permitted.iter().map(|permitted| permitted.amount), sink);
    tell_amount(FactKey::Nonce, &terms.nonce, sink);
    tell_amount(FactKey::Deadline, &terms.deadline, sink);
}

fn tell_allowance(allowance: &Allowance, sink: &mut dyn FactSink) {
    let details = allowance.details.as_slice();
    sink.address(FactKey::Spender, &allowance.spender);
    sink.open_list(FactKey::Tokens);
    for detail in details {
        sink.address(FactKey::Element, &detail.token);
    }
    sink.close();
    tell_amounts(FactKey::Amounts, details.iter().map(|detail| detail.amount), sink);
    tell_amounts(FactKey::Expirations, details.iter().map(|detail| detail.expiration), sink);
    tell_amounts(FactKey::Nonces, details.iter().map(|detail| detail.nonce), sink);
    tell_amount(FactKey::SigDeadline, &allowance.sig_deadline, sink);
}

fn tell_order(order: &Order<'_>, sink: &mut dyn FactSink) {
    tell_permit(&[order.permitted], &order.terms, sink);
    let witness = &order.witness;
    let info = &witness.info;
    sink.text(FactKey::WitnessType, type_name(witness.order_type));
    sink.address(FactKey::Reactor, &info.reactor);
    sink.address(FactKey::Swapper, &info.swapper);
    tell_amount(FactKey::OrderNonce, &info.nonce, sink);
    tell_amount(FactKey::OrderDeadline, &info.deadline, sink);
    sink.address(FactKey::ValidationContract, &info.validation_contract);
    sink.uint(FactKey::ValidationDataSize, u64::try_from(info.validation_data.len()).unwrap_or(u64::MAX));
    if !info.validation_data.is_empty() {
        sink.key(FactKey::ValidationDataHash, &info.validation_data.hash());
    }
    if let Some(cosigner) = &witness.cosigner {
        sink.address(FactKey::Cosigner, cosigner);
    }
    tell_auction(&witness.auction, sink);
    sink.address(FactKey::InputToken, &witness.input.token);
    tell_amount(FactKey::InputStart, &witness.input.start_amount, sink);
    tell_amount(FactKey::InputMax, &witness.input.max_amount, sink);
    tell_scaling(&witness.input.mps_per_priority_fee_wei, sink);
    if witness.order_type == OrderType::V3Dutch {
        sink.open_object(FactKey::InputCurve);
        tell_curve(&witness.input.curve, sink);
        sink.close();
    }
    sink.open_list(FactKey::Outputs);
    for output in witness.outputs.as_slice() {
        sink.open_object(FactKey::Element);
        tell_output(output, sink);
        if witness.order_type == OrderType::V3Dutch {
            tell_curve(&output.curve, sink);
        }
        sink.close();
    }
    sink.close();
}

fn tell_auction(auction: &Auction, sink: &mut dyn FactSink) {
    match auction {
        Auction::Timed(schedule) => {
            tell_amount(FactKey::DecayStart, &schedule.decay_start, sink);
            tell_amount(FactKey::DecayEnd, &schedule.decay_end, sink);
            sink.address(FactKey::ExclusiveFiller, &schedule.exclusive_filler);
            tell_amount(FactKey::ExclusivityOverrideBps, &schedule.exclusivity_override_bps, sink);
        }
        Auction::Cosigned => {}
        Auction::Blocks { starting_base_fee } => {
            tell_amount(FactKey::StartingBaseFee, starting_base_fee, sink);
        }
        Auction::PriorityFee { auction_start_block, baseline_priority_fee_wei } => {
            tell_amount(FactKey::AuctionStartBlock, auction_start_block, sink);
            tell_amount(FactKey::BaselinePriorityFeeWei, baseline_priority_fee_wei, sink);
        }
    }
}

fn tell_curve(curve: &Curve<'_>, sink: &mut dyn FactSink) {
    sink.open_list(FactKey::RelativeBlocks);
    for block in curve.relative_blocks() {
        sink.uint(FactKey::Element, block);
    }
    sink.close();
    sink.open_list(FactKey::RelativeAmounts);
    for amount in curve.relative_amounts() {
        if amount.is_negative {
            sink.negative_be(FactKey::Element, &amount.magnitude.to_be_bytes::<32>());
        } else {
            tell_amount(FactKey::Element, &amount.magnitude, sink);
        }
    }
    sink.close();
    tell_amount(FactKey::AdjustmentPerGweiBaseFee, &curve.adjustment_per_gwei_base_fee, sink);
}

fn tell_output(output: &Output<'_>, sink: &mut dyn FactSink) {
    sink.address(FactKey::Token, &output.token);
    tell_amount(FactKey::StartAmount, &output.start_amount, sink);
    tell_amount(FactKey::MinAmount, &output.min_amount, sink);
    tell_scaling(&output.mps_per_priority_fee_wei, sink);
    sink.address(FactKey::Recipient, &output.recipient);
}

fn tell_relay(relay: &Relay<'_>, sink: &mut dyn FactSink) {
    tell_permit(relay.permitted.as_slice(), &relay.terms, sink);
    sink.text(FactKey::WitnessType, "RelayOrder");
    sink.address(FactKey::Reactor, &relay.info.reactor);
    sink.address(FactKey::Swapper, &relay.info.swapper);
    tell_amount(FactKey::OrderNonce, &relay.info.nonce, sink);
    tell_amount(FactKey::OrderDeadline, &relay.info.deadline, sink);
    sink.address(FactKey::InputToken, &relay.input.token);
    tell_amount(FactKey::InputStart, &relay.input.amount, sink);
    sink.address(FactKey::Recipient, &relay.input.recipient);
    sink.open_object(FactKey::RelayFee);
    sink.address(FactKey::Token, &relay.fee.token);
    tell_amount(FactKey::StartAmount, &relay.fee.start_amount, sink);
    tell_amount(FactKey::MaxAmount, &relay.fee.end_amount, sink);
    tell_amount(FactKey::DecayStart, &relay.fee.start_time, sink);
    tell_amount(FactKey::DecayEnd, &relay.fee.end_time, sink);
    sink.close();
    sink.uint(FactKey::RouterCalldataSize, u64::try_from(relay.router_calldata.len()).unwrap_or(u64::MAX));
}

fn tell_scaling(mps_per_priority_fee_wei: &U256, sink: &mut dyn FactSink) {
    if !mps_per_priority_fee_wei.is_zero() {
        tell_amount(FactKey::MpsPerPriorityFeeWei, mps_per_priority_fee_wei, sink);
    }
}

fn tell_amounts(key: FactKey, amounts: impl Iterator<Item = U256>, sink: &mut dyn FactSink) {
    sink.open_list(key);
    for amount in amounts {
        tell_amount(FactKey::Element, &amount, sink);
    }
    sink.close();
}

fn tell_amount(key: FactKey, amount: &U256, sink: &mut dyn FactSink) {
    sink.uint_be(key, &amount.to_be_bytes::<32>());
}

const fn type_name(order_type: OrderType) -> &'static str {
    match order_type {
        OrderType::ExclusiveDutch => "ExclusiveDutchOrder",
        OrderType::V2Dutch => "V2DutchOrder",
        OrderType::V3Dutch => "V3DutchOrder",
        OrderType::Priority => "PriorityOrder",
    }
}
