//! UniswapX orders: the witness of a permit to transfer (`UniswapX/src/lib/*OrderLib.sol`).
//!
//! Whatever its type, an order is read into one shape: what it may take at its start and at its worst, and what
//! each output is at its start and at its lowest.
//!
//! | type | most of the input | least of an output |
//! |---|---|---|
//! | ExclusiveDutch, V2Dutch | `inputEndAmount` | `endAmount` |
//! | V3Dutch | `maxAmount` | `minAmount` |
//! | Priority | `amount` | `amount` |
//!
//! A V3 reactor moves an amount along its curve and by the base fee, from a start that the cosigner may improve,
//! and bounds the result by `maxAmount` and `minAmount` (`NonlinearDutchDecayLib.decay`). Between the bounds
//! anything may come: base fee and cosigner are not known when the order is signed. So the bounds are the worst
//! case; a curve above a low `minAmount` holds nothing.

use wire::{Refusal, Why};

use super::list::List;
use super::permit::{TokenPermissions, TransferTerms, read_permitted};
use super::rules::OrderType;
use super::type_hashes as hashes;
use crate::json::Json;
use crate::typed_data::{
    HexBytes, Word, address, address_word, bytes, int256, members, struct_hash, uint_word, uint256,
};
use crate::{Address, U256};

/// Most outputs of an order.
pub const OUTPUTS_MAX: usize = 16;

/// Most points of a decay curve: as many 16-bit blocks as a uint256 packs.
pub const CURVE_POINTS_MAX: usize = 16;

/// `PermitWitnessTransferFrom` with an order as its witness.
#[derive(Clone, Copy, Debug)]
pub struct Order<'s> {
    /// What Permit2 may move.
    pub permitted: TokenPermissions,
    /// Spender, nonce and deadline of the permit.
    pub terms: TransferTerms,
    /// The order itself.
    pub witness: Witness<'s>,
}

/// What the reactor is told.
#[derive(Clone, Copy, Debug)]
pub struct Witness<'s> {
    /// Which order it is.
    pub order_type: OrderType,
    /// The part that all orders have.
    pub info: OrderInfo<'s>,
    /// Who sets the start of the auction; exclusive Dutch orders have none.
    pub cosigner: Option<Address>,
    /// What is sold.
    pub input: Input,
    /// What is bought, and for whom.
    pub outputs: List<Output, OUTPUTS_MAX>,
    /// Exclusive Dutch orders: when they decay and who is first.
    pub schedule: Option<Schedule>,
}

/// `OrderInfo`.
#[derive(Clone, Copy, Debug)]
pub struct OrderInfo<'s> {
    /// The contract that fills the order.
    pub reactor: Address,
    /// Whose tokens are sold.
    pub swapper: Address,
    /// Permit2's unordered nonce.
    pub nonce: U256,
    /// The last moment, seconds since the Unix epoch.
    pub deadline: U256,
    /// A contract that is asked before the order is filled, or zero.
    pub validation_contract: Address,
    /// What it is told.
    pub validation_data: HexBytes<'s>,
}

/// What is sold, base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The token.
    pub token: Address,
    /// At the start.
    pub start_amount: U256,
    /// The most that can be taken.
    pub max_amount: U256,
    /// Thousandths of a basis point less for each wei of priority fee.
    pub mps_per_priority_fee_wei: U256,
    /// The blocks of its curve, if it has one, ascend and are as many as its amounts.
    pub curve_ascends: bool,
}

/// What is bought, base units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The token; zero is the native coin.
    pub token: Address,
    /// At the start.
    pub start_amount: U256,
    /// The least that will be paid.
    pub min_amount: U256,
    /// Thousandths of a basis point more for each wei of priority fee.
    pub mps_per_priority_fee_wei: U256,
    /// The blocks of its curve, if it has one, ascend and are as many as its amounts.
    pub curve_ascends: bool,
    /// Who gets it.
    pub recipient: Address,
}

/// The decay of an exclusive Dutch order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Seconds since the Unix epoch.
    pub decay_start: U256,
    /// Seconds since the Unix epoch.
    pub decay_end: U256,
    /// Who alone may fill before the decay starts, or zero.
    pub exclusive_filler: Address,
    /// How much more others must pay before then, basis points; 0 bars them.
    pub exclusivity_override_bps: U256,
}

/// Reads the message of an order.
pub(super) fn read_order<'a>(json: &mut Json<'a>, order_type: OrderType) -> Result<(Order<'a>, Word), Why> {
    members!(json, {
        "permitted" => permitted: read_permitted(json),
        "spender" => spender: address(json),
        "nonce" => nonce: uint256(json),
        "deadline" => deadline: uint256(json),
        "witness" => witness: read_witness(json, order_type),
    });
    let ((permitted, permitted_hash), (witness, witness_hash)) = (permitted, witness);
    let type_hash = match order_type {
        OrderType::ExclusiveDutch => hashes::PERMIT_EXCLUSIVE_DUTCH_ORDER,
        OrderType::V2Dutch => hashes::PERMIT_V2_DUTCH_ORDER,
        OrderType::V3Dutch => hashes::PERMIT_V3_DUTCH_ORDER,
        OrderType::Priority => hashes::PERMIT_PRIORITY_ORDER,
    };
    let hash = struct_hash(&[
        type_hash,
        permitted_hash,
        address_word(&spender),
        uint_word(&nonce),
        uint_word(&deadline),
        witness_hash,
    ]);
    Ok((Order { permitted, terms: TransferTerms { spender, nonce, deadline }, witness }, hash))
}

fn read_witness<'a>(json: &mut Json<'a>, order_type: OrderType) -> Result<(Witness<'a>, Word), Why> {
    match order_type {
        OrderType::ExclusiveDutch => read_exclusive_dutch(json),
        OrderType::V2Dutch => read_v2_dutch(json),
        OrderType::V3Dutch => read_v3_dutch(json),
        OrderType::Priority => read_priority(json),
    }
}

fn read_info<'a>(json: &mut Json<'a>) -> Result<(OrderInfo<'a>, Word), Why> {
    members!(json, {
        "reactor" => reactor: address(json),
        "swapper" => swapper: address(json),
        "nonce" => nonce: uint256(json),
        "deadline" => deadline: uint256(json),
        "additionalValidationContract" => validation_contract: address(json),
        "additionalValidationData" => validation_data: bytes(json),
    });
    let hash = struct_hash(&[
        hashes::ORDER_INFO,
        address_word(&reactor),
        address_word(&swapper),
        uint_word(&nonce),
        uint_word(&deadline),
        address_word(&validation_contract),
        validation_data.hash(),
    ]);
    Ok((OrderInfo { reactor, swapper, nonce, deadline, validation_contract, validation_data }, hash))
}

fn read_exclusive_dutch<'a>(json: &mut Json<'a>) -> Result<(Witness<'a>, Word), Why> {
    members!(json, {
        "info" => info: read_info(json),
        "decayStartTime" => decay_start: uint256(json),
        "decayEndTime" => decay_end: uint256(json),
        "exclusiveFiller" => exclusive_filler: address(json),
        "exclusivityOverrideBps" => exclusivity_override_bps: uint256(json),
        "inputToken" => token: address(json),
        "inputStartAmount" => start_amount: uint256(json),
        "inputEndAmount" => max_amount: uint256(json),
        "outputs" => outputs: read_outputs(json, read_dutch_output),
    });
    let ((info, info_hash), (outputs, outputs_hash)) = (info, outputs);
    let hash = struct_hash(&[
        hashes::EXCLUSIVE_DUTCH_ORDER,
        info_hash,
        uint_word(&decay_start),
        uint_word(&decay_end),
        address_word(&exclusive_filler),
        uint_word(&exclusivity_override_bps),
        address_word(&token),
        uint_word(&start_amount),
        uint_word(&max_amount),
        outputs_hash,
    ]);
    let witness = Witness {
        order_type: OrderType::ExclusiveDutch,
        info,
        cosigner: None,
        input: dutch_input(token, start_amount, max_amount),
        outputs,
        schedule: Some(Schedule { decay_start, decay_end, exclusive_filler, exclusivity_override_bps }),
    };
    Ok((witness, hash))
}

fn read_v2_dutch<'a>(json: &mut Json<'a>) -> Result<(Witness<'a>, Word), Why> {
    members!(json, {
        "info" => info: read_info(json),
        "cosigner" => cosigner: address(json),
        "baseInputToken" => token: address(json),
        "baseInputStartAmount" => start_amount: uint256(json),
        "baseInputEndAmount" => max_amount: uint256(json),
        "baseOutputs" => outputs: read_outputs(json, read_dutch_output),
    });
    let ((info, info_hash), (outputs, outputs_hash)) = (info, outputs);
    let hash = struct_hash(&[
        hashes::V2_DUTCH_ORDER,
        info_hash,
        address_word(&cosigner),
        address_word(&token),
        uint_word(&start_amount),
        uint_word(&max_amount),
        outputs_hash,
    ]);
    let witness = Witness {
        order_type: OrderType::V2Dutch,
        info,
        cosigner: Some(cosigner),
        input: dutch_input(token, start_amount, max_amount),
        outputs,
        schedule: None,
    };
    Ok((witness, hash))
}

fn dutch_input(token: Address, start_amount: U256, max_amount: U256) -> Input {
    Input { token, start_amount, max_amount, mps_per_priority_fee_wei: U256::ZERO, curve_ascends: true }
}

fn read_dutch_output(json: &mut Json<'_>) -> Result<(Output, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "startAmount" => start_amount: uint256(json),
        "endAmount" => min_amount: uint256(json),
        "recipient" => recipient: address(json),
    });
    let hash = struct_hash(&[
        hashes::DUTCH_OUTPUT,
        address_word(&token),
        uint_word(&start_amount),
        uint_word(&min_amount),
        address_word(&recipient),
    ]);
    let mps_per_priority_fee_wei = U256::ZERO;
    Ok((
        Output { token, start_amount, min_amount, mps_per_priority_fee_wei, curve_ascends: true, recipient },
        hash,
    ))
}

fn read_outputs<'a>(
    json: &mut Json<'a>,
    read: impl Fn(&mut Json<'a>) -> Result<(Output, Word), Why>,
) -> Result<(List<Output, OUTPUTS_MAX>, Word), Why> {
    List::read(json, Refusal::TooManyOutputs, read)
}

fn read_v3_dutch<'a>(json: &mut Json<'a>) -> Result<(Witness<'a>, Word), Why> {
    members!(json, {
        "info" => info: read_info(json),
        "cosigner" => cosigner: address(json),
        "startingBaseFee" => starting_base_fee: uint256(json),
        "baseInput" => input: read_v3_input(json),
        "baseOutputs" => outputs: read_outputs(json, read_v3_output),
    });
    let ((info, info_hash), (input, input_hash), (outputs, outputs_hash)) = (info, input, outputs);
    let hash = struct_hash(&[
        hashes::V3_DUTCH_ORDER,
        info_hash,
        address_word(&cosigner),
        uint_word(&starting_base_fee),
        input_hash,
        outputs_hash,
    ]);
    let order_type = OrderType::V3Dutch;
    Ok((Witness { order_type, info, cosigner: Some(cosigner), input, outputs, schedule: None }, hash))
}

fn read_v3_input(json: &mut Json<'_>) -> Result<(Input, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "startAmount" => start_amount: uint256(json),
        "curve" => curve: read_curve(json),
        "maxAmount" => max_amount: uint256(json),
        "adjustmentPerGweiBaseFee" => adjustment: uint256(json),
    });
    let (curve_ascends, curve_hash) = curve;
    let hash = struct_hash(&[
        hashes::V3_DUTCH_INPUT,
        address_word(&token),
        uint_word(&start_amount),
        curve_hash,
        uint_word(&max_amount),
        uint_word(&adjustment),
    ]);
    let mps_per_priority_fee_wei = U256::ZERO;
    Ok((Input { token, start_amount, max_amount, mps_per_priority_fee_wei, curve_ascends }, hash))
}

fn read_v3_output(json: &mut Json<'_>) -> Result<(Output, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "startAmount" => start_amount: uint256(json),
        "curve" => curve: read_curve(json),
        "recipient" => recipient: address(json),
        "minAmount" => min_amount: uint256(json),
        "adjustmentPerGweiBaseFee" => adjustment: uint256(json),
    });
    let (curve_ascends, curve_hash) = curve;
    let hash = struct_hash(&[
        hashes::V3_DUTCH_OUTPUT,
        address_word(&token),
        uint_word(&start_amount),
        curve_hash,
        address_word(&recipient),
        uint_word(&min_amount),
        uint_word(&adjustment),
    ]);
    let mps_per_priority_fee_wei = U256::ZERO;
    Ok((Output { token, start_amount, min_amount, mps_per_priority_fee_wei, curve_ascends, recipient }, hash))
}

/// Reads a curve; whether its blocks ascend as the reactor expects them to.
fn read_curve(json: &mut Json<'_>) -> Result<(bool, Word), Why> {
    members!(json, {
        "relativeBlocks" => blocks: uint256(json),
        "relativeAmounts" => amounts: List::<(), CURVE_POINTS_MAX>::read(
            json,
            Refusal::TooManyCurvePoints,
            |json| Ok(((), int256(json)?.word())),
        ),
    });
    let (points, amounts_hash) = amounts;
    let hash = struct_hash(&[hashes::NONLINEAR_DUTCH_DECAY, uint_word(&blocks), amounts_hash]);
    Ok((is_ascending(blocks, points.as_slice().len()), hash))
}

/// Whether `points` 16-bit blocks, the first in the lowest bits, ascend strictly and nothing stands above them.
fn is_ascending(blocks: U256, points: usize) -> bool {
    let bytes: [u8; 32] = blocks.to_le_bytes();
    let (pairs, _) = bytes.as_chunks::<2>();
    let mut earlier = None;
    pairs.iter().enumerate().all(|(at, pair)| {
        let block = u16::from_le_bytes(*pair);
        let fits = if at < points { earlier.is_none_or(|earlier| earlier < block) } else { block == 0 };
        earlier = Some(block);
        fits
    })
}

fn read_priority<'a>(json: &mut Json<'a>) -> Result<(Witness<'a>, Word), Why> {
    members!(json, {
        "info" => info: read_info(json),
        "cosigner" => cosigner: address(json),
        "auctionStartBlock" => auction_start_block: uint256(json),
        "baselinePriorityFeeWei" => baseline_priority_fee: uint256(json),
        "input" => input: read_priority_input(json),
        "outputs" => outputs: read_outputs(json, read_priority_output),
    });
    let ((info, info_hash), (input, input_hash), (outputs, outputs_hash)) = (info, input, outputs);
    let hash = struct_hash(&[
        hashes::PRIORITY_ORDER,
        info_hash,
        address_word(&cosigner),
        uint_word(&auction_start_block),
        uint_word(&baseline_priority_fee),
        input_hash,
        outputs_hash,
    ]);
    let order_type = OrderType::Priority;
    Ok((Witness { order_type, info, cosigner: Some(cosigner), input, outputs, schedule: None }, hash))
}

fn read_priority_input(json: &mut Json<'_>) -> Result<(Input, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "amount" => amount: uint256(json),
        "mpsPerPriorityFeeWei" => mps_per_priority_fee_wei: uint256(json),
    });
    let hash = struct_hash(&[
        hashes::PRIORITY_INPUT,
        address_word(&token),
        uint_word(&amount),
        uint_word(&mps_per_priority_fee_wei),
    ]);
    let (start_amount, max_amount) = (amount, amount);
    Ok((Input { token, start_amount, max_amount, mps_per_priority_fee_wei, curve_ascends: true }, hash))
}

fn read_priority_output(json: &mut Json<'_>) -> Result<(Output, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "amount" => amount: uint256(json),
        "mpsPerPriorityFeeWei" => mps_per_priority_fee_wei: uint256(json),
        "recipient" => recipient: address(json),
    });
    let hash = struct_hash(&[
        hashes::PRIORITY_OUTPUT,
        address_word(&token),
        uint_word(&amount),
        uint_word(&mps_per_priority_fee_wei),
        address_word(&recipient),
    ]);
    let (start_amount, min_amount) = (amount, amount);
    Ok((
        Output { token, start_amount, min_amount, mps_per_priority_fee_wei, curve_ascends: true, recipient },
        hash,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_of_a_curve_ascend_strictly_and_are_as_many_as_its_amounts() {
        let blocks = U256::from(0x0030_0020_u32);
        assert!(is_ascending(blocks, 2));
        assert!(is_ascending(U256::ZERO, 0));
        assert!(is_ascending(U256::from(0x0020_0000_u32), 2), "the first may be 0");
        for (blocks, points) in [(blocks, 1), (blocks, 3), (U256::from(0x0020_0020_u32), 2), (U256::MAX, 16)]
        {
            assert!(!is_ascending(blocks, points), "{blocks:x} {points}");
        }
    }
}
