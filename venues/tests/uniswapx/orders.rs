//! Each rule of an order, broken once in an everyday order.

use serde_json::{Value, json};
use venues::uniswapx::decode;
use venues::uniswapx::rules::{OrderType, Ratio};
use venues::{IdSpace, U256};
use wire::{Refusal, Shown};

use crate::desk::{Desk, Draft, STRANGER, ZERO, address};
use crate::witness::Witness as _;

fn v2() -> Draft {
    Draft::of("V2DutchOrder", |line| {
        let facts = &line["facts"];
        line["mix"] == "common"
            && facts["outputs"].as_array().unwrap().len() == 1
            && facts["input_token"] != facts["outputs"][0]["token"]
    })
}

fn v3() -> Draft {
    Draft::of("V3DutchOrder", |line| line["mix"] == "common" && line["facts"]["chain_id"] == "8453")
}

fn exclusive_dutch() -> Draft {
    Draft::of("ExclusiveDutchOrder", |line| line["mix"] == "common")
}

fn priority() -> Draft {
    Draft::of("PriorityOrder", |line| line["mix"] == "common")
}

fn with_two_outputs() -> Draft {
    Draft::of("V2DutchOrder", |line| {
        let outputs = line["facts"]["outputs"].as_array().unwrap();
        line["mix"] == "common" && outputs.len() == 2 && outputs[0]["token"] == outputs[1]["token"]
    })
}

#[test]
fn an_everyday_order_is_signed_and_uses_its_nonce_up() {
    for draft in [v2(), v3(), exclusive_dutch(), priority(), with_two_outputs()] {
        let charge = draft.judge().unwrap();
        let [Some(first), rest @ ..] = charge.single_use_ids else { panic!("{charge:?}") };
        assert_eq!((first.space, first.id), (IdSpace::Permit2Transfer, draft.number("/nonce").to_be_bytes()));
        assert!(rest.iter().all(Option::is_none) && charge.single_use_nonce.is_none());
    }
}

macro_rules! refused {
    ($($name:ident: $draft:expr, { $($pointer:literal => $value:expr),+ }, $refusal:ident;)+) => {
        $(#[test]
        fn $name() {
            let draft = $draft;
            assert_eq!(draft.refusal(), None);
            let draft = draft$(.with($pointer, $value))+;
            assert_eq!(draft.refusal(), Some(Refusal::$refusal));
        })+
    };
}

const HUGE: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

refused! {
    a_spender_that_is_not_the_reactor_is_refused: v2(), { "/spender" => STRANGER }, SpenderNotReactor;
    a_reactor_that_is_not_listed_is_refused: v2(),
        { "/spender" => STRANGER, "/witness/info/reactor" => STRANGER }, ReactorNotAllowed;
    the_zero_reactor_is_refused: v2(), { "/spender" => ZERO, "/witness/info/reactor" => ZERO }, ReactorNotAllowed;
    another_nonce_is_refused: v2(), { "/nonce" => "1" }, PermitNonceDiffers;
    another_deadline_is_refused: v2(), { "/deadline" => HUGE }, PermitDeadlineDiffers;
    a_huge_deadline_is_refused: v2(),
        { "/deadline" => HUGE, "/witness/info/deadline" => HUGE }, OrderDeadlineTooFar;
    a_deadline_that_has_passed_is_refused: v2(),
        { "/deadline" => "1", "/witness/info/deadline" => "1" }, OrderDeadlinePassed;
    another_permitted_token_is_refused: v2(), { "/permitted/token" => STRANGER }, PermitTokenDiffers;
    a_permitted_amount_above_the_order_s_is_refused: v2(), { "/permitted/amount" => HUGE }, PermitAmountDiffers;
    a_permitted_amount_above_a_v3_order_s_is_refused: v3(), { "/permitted/amount" => HUGE }, PermitAmountDiffers;
    a_permitted_amount_above_a_priority_order_s_is_refused: priority(),
        { "/permitted/amount" => HUGE }, PermitAmountDiffers;
    another_swapper_is_refused: v2(), { "/witness/info/swapper" => STRANGER }, SwapperNotThisKey;
    a_validation_contract_that_is_not_listed_is_refused: v2(),
        { "/witness/info/additionalValidationContract" => STRANGER }, ValidationContractNotAllowed;
    validation_data_without_a_contract_are_refused: v2(),
        { "/witness/info/additionalValidationData" => "0x00" }, ValidationDataNotAllowed;
    a_stranger_as_cosigner_is_refused: v2(), { "/witness/cosigner" => STRANGER }, CosignerNotAllowed;
    a_stranger_as_cosigner_of_a_v3_order_is_refused: v3(), { "/witness/cosigner" => STRANGER }, CosignerNotAllowed;
    a_stranger_as_cosigner_of_a_priority_order_is_refused: priority(),
        { "/witness/cosigner" => STRANGER }, CosignerNotAllowed;
    no_cosigner_of_a_v2_order_is_refused: v2(), { "/witness/cosigner" => ZERO }, CosignerNotAllowed;
    an_exclusive_filler_that_is_not_listed_is_refused: exclusive_dutch(),
        { "/witness/exclusiveFiller" => STRANGER }, ExclusiveFillerNotAllowed;
    an_override_above_all_is_refused: exclusive_dutch(),
        { "/witness/exclusivityOverrideBps" => "10001" }, ExclusivityOverrideTooLarge;
    a_decay_that_ends_before_it_starts_is_refused: exclusive_dutch(),
        { "/witness/decayEndTime" => "1" }, DecayTimesNotOrdered;
    a_decay_that_ends_after_the_deadline_is_refused: exclusive_dutch(),
        { "/witness/decayEndTime" => HUGE }, DecayTimesNotOrdered;
    an_input_that_starts_above_its_end_is_refused: v2(),
        { "/witness/baseInputStartAmount" => HUGE }, AmountsNotOrdered;
    an_output_that_ends_above_its_start_is_refused: v2(),
        { "/witness/baseOutputs/0/endAmount" => HUGE }, AmountsNotOrdered;
    an_order_without_outputs_is_refused: v2(), { "/witness/baseOutputs" => json!([]) }, OutputsEmpty;
    an_output_that_ends_at_zero_is_refused: v2(),
        { "/witness/baseOutputs/0/endAmount" => "0" }, OutputEndsAtZero;
    a_curve_that_may_end_at_zero_is_refused: v3(),
        { "/witness/baseOutputs/0/minAmount" => "0",
          "/witness/baseOutputs/0/curve" => json!({ "relativeBlocks": "16", "relativeAmounts": [HUGE_FALL] }) },
        OutputEndsAtZero;
    a_curve_that_goes_back_is_refused: v3(),
        { "/witness/baseOutputs/0/curve" => json!({ "relativeBlocks": "655370", "relativeAmounts": ["1", "2"] }) },
        CurveBlocksNotAscending;
    a_curve_with_more_blocks_than_amounts_is_refused: v3(),
        { "/witness/baseInput/curve" => json!({ "relativeBlocks": "16", "relativeAmounts": [] }) },
        CurveBlocksNotAscending;
    a_priority_fee_that_scales_both_sides_is_refused: priority(),
        { "/witness/input/mpsPerPriorityFeeWei" => "1" }, PriorityScalesBoth;
    the_only_output_to_a_stranger_is_refused: v2(),
        { "/witness/baseOutputs/0/recipient" => STRANGER }, OwnOutputMissing;
    another_output_to_a_stranger_is_refused: with_two_outputs(),
        { "/witness/baseOutputs/1/recipient" => STRANGER }, OutputRecipientNotAllowed;
    an_output_in_a_token_that_is_not_listed_is_refused: v2(),
        { "/witness/baseOutputs/0/token" => STRANGER }, OrderPairNotAllowed;
    an_input_in_a_token_that_is_not_listed_is_refused: v2(),
        { "/permitted/token" => STRANGER, "/witness/baseInputToken" => STRANGER }, OrderPairNotAllowed;
    an_input_of_zero_is_refused: v2(),
        { "/permitted/amount" => "0", "/witness/baseInputStartAmount" => "0",
          "/witness/baseInputEndAmount" => "0" },
        OrderInputZero;
    an_input_above_the_cap_is_refused: v2(),
        { "/permitted/amount" => HUGE, "/witness/baseInputEndAmount" => HUGE }, OrderAmountAboveCap;
}

/// More than any start amount of the vectors.
const HUGE_FALL: &str = "1000000000000000000000000000000000";

#[test]
fn the_native_coin_is_bought_only_where_that_is_granted() {
    let draft = v2().with("/witness/baseOutputs/0/token", ZERO);
    assert_eq!(draft.refusal(), None);
    let why = draft.judge_by(|desk| desk.native_out = false).unwrap_err();
    assert_eq!(why.refusal, Refusal::OrderPairNotAllowed);
}

#[test]
fn a_token_is_swapped_for_itself_only_where_that_is_granted() {
    let draft = v2();
    let draft = draft.clone().with("/witness/baseOutputs/0/token", draft.at("/permitted/token"));
    assert_eq!(draft.refusal(), None);
    let why = draft.judge_by(|desk| desk.same_token = false).unwrap_err();
    assert_eq!(why.refusal, Refusal::OrderPairNotAllowed);
}

#[test]
fn a_priority_order_may_have_no_cosigner_and_an_exclusive_order_no_filler() {
    assert_eq!(priority().with("/witness/cosigner", ZERO).refusal(), None);
    assert_eq!(exclusive_dutch().with("/witness/exclusiveFiller", ZERO).refusal(), None);
}

/// The ratio is held by the lowest output and the highest input, to the unit.
fn assert_ratio_is_exact(draft: &Draft, least: &str, most: &str) {
    let (least, most) = (draft.number(least), draft.number(most));
    let judged = |numerator, denominator| {
        draft.judge_by(|desk: &mut Desk| desk.ratio = Ratio { numerator, denominator })
    };
    judged(least, most).unwrap();
    let why = judged(least + U256::ONE, most).unwrap_err();
    assert_eq!(why.refusal, Refusal::OutputBelowRatio);
    assert_eq!(why.observed, Shown::Uint256(least.to_be_bytes()));
    assert_eq!(why.limit, Shown::Uint256((least + U256::ONE).to_be_bytes()));
    assert_eq!(judged(U256::MAX, U256::ONE).unwrap_err().refusal, Refusal::OutputBelowRatio);
}

#[test]
fn the_ratio_is_held_at_the_worst_point_of_the_decay() {
    assert_ratio_is_exact(&v2(), "/witness/baseOutputs/0/endAmount", "/witness/baseInputEndAmount");
    assert_ratio_is_exact(&exclusive_dutch(), "/witness/outputs/0/endAmount", "/witness/inputEndAmount");
    assert_ratio_is_exact(&v3(), "/witness/baseOutputs/0/minAmount", "/witness/baseInput/maxAmount");
    assert_ratio_is_exact(&priority(), "/witness/outputs/0/amount", "/witness/input/amount");
}

#[test]
fn outputs_to_others_have_a_share_at_the_start_and_at_the_end() {
    let amounts = [("startAmount", 9_900, 100), ("endAmount", 990, 10)];
    let mut draft = with_two_outputs();
    for (name, own, other) in amounts {
        draft = draft
            .with(&format!("/witness/baseOutputs/0/{name}"), own.to_string())
            .with(&format!("/witness/baseOutputs/1/{name}"), other.to_string());
    }
    let capped = |draft: &Draft, bps| draft.judge_by(|desk: &mut Desk| desk.share_max_bps = bps);
    capped(&draft, 100).unwrap();
    assert_eq!(capped(&draft, 99).unwrap_err().refusal, Refusal::OutputShareAboveCap);
    let at_the_end = draft.with("/witness/baseOutputs/1/endAmount", "11");
    assert_eq!(capped(&at_the_end, 100).unwrap_err().refusal, Refusal::OutputShareAboveCap);
}

fn capped(draft: &Draft, bps: u32) -> Option<Refusal> {
    draft.judge_by(|desk: &mut Desk| desk.share_max_bps = bps).err().map(|why| why.refusal).witnessed()
}

/// A priority order that gives 9,900 to the key and 100 to another, scaled by a priority fee.
fn priority_with_fee(own_mps: &str, fee_mps: &str) -> Draft {
    let draft = priority().with("/witness/input/mpsPerPriorityFeeWei", "0");
    let output = draft.at("/witness/outputs/0");
    let fee = draft.at("/witness/info/reactor");
    draft
        .with("/witness/outputs", json!([output, output]))
        .with("/witness/outputs/0/amount", "9900")
        .with("/witness/outputs/0/mpsPerPriorityFeeWei", own_mps)
        .with("/witness/outputs/1/amount", "100")
        .with("/witness/outputs/1/mpsPerPriorityFeeWei", fee_mps)
        .with("/witness/outputs/1/recipient", fee)
}

#[test]
fn a_priority_fee_scales_an_output_to_others_no_faster_than_the_own_one() {
    for (own, fee) in [("0", "0"), ("7", "7"), ("7", "0")] {
        assert_eq!(capped(&priority_with_fee(own, fee), 100), None);
    }
    assert_eq!(capped(&priority_with_fee("7", "7"), 99), Some(Refusal::OutputShareAboveCap));
    for (own, fee) in [("0", "1"), ("0", "10000000"), ("7", "8"), ("7", HUGE)] {
        let draft = priority_with_fee(own, fee);
        assert_eq!(capped(&draft, 9_999), Some(Refusal::OutputScalesAboveOwn));
        assert_eq!(capped(&draft, 10_000), None, "all of it is no limit");
    }
    let swapper = priority().at("/witness/info/swapper");
    let draft = priority_with_fee("7", "7");
    let outputs = [0, 0, 1].map(|at| draft.at(&format!("/witness/outputs/{at}")));
    let draft = draft.with("/witness/outputs", outputs.to_vec());
    let draft = draft.with("/witness/outputs/1/mpsPerPriorityFeeWei", "6");
    assert_eq!(draft.at("/witness/outputs/1/recipient"), swapper);
    assert_eq!(capped(&draft, 100), Some(Refusal::OutputScalesAboveOwn), "the slowest own one counts");
}

/// A V3 order that starts with 9,900 for the key and 100 for another and ends with at least 990 and 10.
fn v3_with_fee(own: Value, fee: Value) -> Draft {
    let draft = v3();
    let output = draft.at("/witness/baseOutputs/0");
    let recipient = draft.at("/witness/info/reactor");
    let mut draft = draft
        .with("/witness/baseOutputs", json!([output, output]))
        .with("/witness/baseOutputs/1/recipient", recipient);
    for (at, start, min, curve) in [(0, "9900", "990", own), (1, "100", "10", fee)] {
        let place = format!("/witness/baseOutputs/{at}");
        draft = draft
            .with(&format!("{place}/startAmount"), start)
            .with(&format!("{place}/minAmount"), min)
            .with(&format!("{place}/adjustmentPerGweiBaseFee"), "0")
            .with(&format!("{place}/curve"), curve);
    }
    draft
}

fn curve(blocks: &[u32], amounts: &[i64]) -> Value {
    let packed = blocks.iter().rev().fold(0_u128, |packed, block| (packed << 16) | u128::from(*block));
    let amounts: Vec<_> = amounts.iter().map(ToString::to_string).collect();
    json!({ "relativeBlocks": packed.to_string(), "relativeAmounts": amounts })
}

#[test]
fn the_share_of_a_v3_order_is_held_at_every_point_of_its_curves() {
    let flat = || curve(&[], &[]);
    let together = v3_with_fee(curve(&[4, 9], &[990, 1980]), curve(&[4, 9], &[10, 20]));
    assert_eq!(capped(&together, 100), None);
    assert_eq!(capped(&together, 99), Some(Refusal::OutputShareAboveCap));
    assert_eq!(capped(&v3_with_fee(flat(), flat()), 100), None);
    assert_eq!(capped(&v3_with_fee(flat(), curve(&[4], &[10])), 100), None);
    assert_eq!(capped(&v3_with_fee(curve(&[4], &[-990]), curve(&[4], &[0])), 100), None);
    for (own, fee) in [
        (curve(&[4, 9], &[990, 1980]), flat()),
        (curve(&[4, 9], &[990, 0]), curve(&[4, 9], &[9, 0])),
        (curve(&[4, 9], &[0, 1980]), curve(&[4, 9], &[0, 19])),
        (curve(&[4], &[i64::MAX]), curve(&[4], &[89])),
    ] {
        assert_eq!(capped(&v3_with_fee(own, fee), 100), Some(Refusal::OutputShareAboveCap));
    }
}

#[test]
fn an_output_to_others_of_a_v3_order_never_rises_above_its_start() {
    let own = || curve(&[4], &[0]);
    let draft = v3_with_fee(own(), curve(&[4], &[-1]));
    assert_eq!(capped(&draft, 9_999), Some(Refusal::OutputToOthersRises));
    assert_eq!(capped(&draft, 10_000), None, "all of it is no limit");
    let draft =
        v3_with_fee(own(), curve(&[4], &[0])).with("/witness/baseOutputs/1/adjustmentPerGweiBaseFee", "1");
    assert_eq!(capped(&draft, 9_999), Some(Refusal::OutputToOthersRises));
    let draft = v3_with_fee(own(), curve(&[5], &[0]));
    assert_eq!(capped(&draft, 9_999), Some(Refusal::OutputCurvesDiffer));
}

#[test]
fn an_own_output_that_the_base_fee_moves_counts_with_its_least() {
    let flat = || curve(&[], &[]);
    let draft = v3_with_fee(flat(), flat()).with("/witness/baseOutputs/0/adjustmentPerGweiBaseFee", "1");
    // 100 beside 990.
    assert_eq!(capped(&draft, 917), Some(Refusal::OutputShareAboveCap));
    assert_eq!(capped(&draft, 918), None);
}

#[test]
fn an_output_to_another_in_another_token_needs_a_grant() {
    let draft = with_two_outputs();
    let other = draft.at("/permitted/token");
    let draft = if draft.at("/witness/baseOutputs/1/token") == other {
        draft.with("/witness/baseOutputs/1/token", ZERO)
    } else {
        draft.with("/witness/baseOutputs/1/token", other)
    };
    assert_eq!(draft.refusal(), None);
    let why = draft.judge_by(|desk| desk.other_tokens = false).unwrap_err();
    assert_eq!((why.refusal, why.subject), (Refusal::OutputTokenNotAllowed, Some(1)));
    let why = draft.judge_by(|desk| desk.others.clear()).unwrap_err();
    assert_eq!((why.refusal, why.subject), (Refusal::OutputRecipientNotAllowed, Some(1)));
}

#[test]
fn several_outputs_to_oneself_in_one_token_count_together() {
    let draft = with_two_outputs();
    let draft = draft.clone().with("/witness/baseOutputs/1/recipient", draft.at("/witness/info/swapper"));
    let least =
        draft.number("/witness/baseOutputs/0/endAmount") + draft.number("/witness/baseOutputs/1/endAmount");
    let most = draft.number("/witness/baseInputEndAmount");
    let judged =
        |numerator| draft.judge_by(|desk: &mut Desk| desk.ratio = Ratio { numerator, denominator: most });
    judged(least).unwrap();
    assert_eq!(judged(least + U256::ONE).unwrap_err().refusal, Refusal::OutputBelowRatio);
}

#[test]
fn chain_and_permit2_are_asked_first() {
    let why = v2().judge_by(|desk| desk.chains = &[5]).unwrap_err();
    assert_eq!(why.refusal, Refusal::PermitChainNotAllowed);
    let why = v2().judge_by(|desk| desk.permit2 = vec![address(STRANGER)]).unwrap_err();
    assert_eq!(why.refusal, Refusal::Permit2NotAllowed);
}

#[test]
fn an_order_type_without_a_reactor_on_its_chain_is_not_allowed() {
    let without = |desk: &mut Desk| desk.order_types = &[OrderType::V3Dutch, OrderType::Priority];
    assert_eq!(v2().judge_by(without).unwrap_err().refusal, Refusal::OrderTypeNotAllowed);
    v3().judge_by(without).unwrap();
}

fn decoded(draft: &Draft) -> Option<Refusal> {
    decode(draft.document.to_string().as_bytes()).err().map(|why| why.refusal).witnessed()
}

#[test]
fn more_outputs_and_points_than_are_read_are_unsupported_by_name() {
    let draft = v2();
    let output = draft.at("/witness/baseOutputs/0");
    let outputs = |count| draft.clone().with("/witness/baseOutputs", vec![output.clone(); count]);
    assert_eq!(decoded(&outputs(16)), None);
    assert_eq!(decoded(&outputs(17)), Some(Refusal::TooManyOutputs));
    let points = |count| {
        let curve = json!({ "relativeBlocks": "1", "relativeAmounts": vec![Value::from("-1"); count] });
        v3().with("/witness/baseOutputs/0/curve", curve)
    };
    assert_eq!(decoded(&points(16)), None);
    assert_eq!(decoded(&points(17)), Some(Refusal::TooManyCurvePoints));
}
