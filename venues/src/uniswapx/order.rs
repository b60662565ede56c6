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

use super::curve::{Curve, read_curve};
use super::list::List;
use super::permit::{TokenPermissions, TransferTerms, read_permitted};
use super::rules::OrderType;
use super::type_hashes as hashes;
use crate::json::Json;
use crate::typed_data::{
    HexBytes, Word, address, address_word, bytes, members, struct_hash, uint_word, uint256,
};
use crate::{Address, U256};

/// Most outputs of an order.
pub const OUTPUTS_MAX: usize = 16;

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
    pub input: Input<'s>,
    /// What is bought, and for whom.
    pub outputs: List<Output<'s>, OUTPUTS_MAX>,
    /// When and from what the amounts move.
    pub auction: Auction,
}

/// What the amounts of an order move by, beside its cosigner's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auction {
    /// Exclusive Dutch orders: when they decay and who is first.
    Timed(Schedule),
    /// V2 orders: the cosigner says all of it.
    Cosigned,
    /// V3 orders: blocks from one that the cosigner says, and the base fee.
    Blocks {
        /// The base fee at which nothing is adjusted, wei.
        starting_base_fee: U256,
    },
    /// Priority orders.
    PriorityFee {
        /// The first block that may fill.
        auction_start_block: U256,
        /// The priority fee above which amounts scale, wei.
        baseline_priority_fee_wei: U256,
    },
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
#[derive(Clone, Copy, Debug)]
pub struct Input<'s> {
    /// The token.
    pub token: Address,
    /// At the start.
    pub start_amount: U256,
    /// The most that can be taken.
    pub max_amount: U256,
    /// Thousandths of a basis point less for each wei of priority fee.
    pub mps_per_priority_fee_wei: U256,
    /// How it moves, of V3 orders.
    pub curve: Curve<'s>,
}

/// What is bought, base units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Output<'s> {
    /// The token; zero is the native coin.
    pub token: Address,
    /// At the start.
    pub start_amount: U256,
    /// The least that will be paid.
    pub min_amount: U256,
    /// Thousandths of a basis point more for each wei of priority fee.
    pub mps_per_priority_fee_wei: U256,
    /// How it moves, of V3 orders.
    pub curve: Curve<'s>,
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
        auction: Auction::Timed(Schedule {
            decay_start,
            decay_end,
            exclusive_filler,
            exclusivity_override_bps,
        }),
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
        auction: Auction::Cosigned,
    };
    Ok((witness, hash))
}

fn dutch_input<'a>(token: Address, start_amount: U256, max_amount: U256) -> Input<'a> {
    Input { token, start_amount, max_amount, mps_per_priority_fee_wei: U256::ZERO, curve: Curve::NONE }
}

fn read_dutch_output<'a>(json: &mut Json<'a>) -> Result<(Output<'a>, Word), Why> {
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
        Output { token, start_amount, min_amount, mps_per_priority_fee_wei, curve: Curve::NONE, recipient },
        hash,
    ))
}

fn read_outputs<'a>(
    json: &mut Json<'a>,
    read: impl Fn(&mut Json<'a>) -> Result<(Output<'a>, Word), Why>,
) -> Result<(List<Output<'a>, OUTPUTS_MAX>, Word), Why> {
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
    Ok((
        Witness {
            order_type,
            info,
            cosigner: Some(cosigner),
            input,
            outputs,
            auction: Auction::Blocks { starting_base_fee },
        },
        hash,
    ))
}

fn read_v3_input<'a>(json: &mut Json<'a>) -> Result<(Input<'a>, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "startAmount" => start_amount: uint256(json),
        "curve" => curve: read_curve(json),
        "maxAmount" => max_amount: uint256(json),
        "adjustmentPerGweiBaseFee" => adjustment: uint256(json),
    });
    let (mut curve, curve_hash) = curve;
    curve.adjustment_per_gwei_base_fee = adjustment;
    let hash = struct_hash(&[
        hashes::V3_DUTCH_INPUT,
        address_word(&token),
        uint_word(&start_amount),
        curve_hash,
        uint_word(&max_amount),
        uint_word(&adjustment),
    ]);
    let mps_per_priority_fee_wei = U256::ZERO;
    Ok((Input { token, start_amount, max_amount, mps_per_priority_fee_wei, curve }, hash))
}

fn read_v3_output<'a>(json: &mut Json<'a>) -> Result<(Output<'a>, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "startAmount" => start_amount: uint256(json),
        "curve" => curve: read_curve(json),
        "recipient" => recipient: address(json),
        "minAmount" => min_amount: uint256(json),
        "adjustmentPerGweiBaseFee" => adjustment: uint256(json),
    });
    let (mut curve, curve_hash) = curve;
    curve.adjustment_per_gwei_base_fee = adjustment;
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
    Ok((Output { token, start_amount, min_amount, mps_per_priority_fee_wei, curve, recipient }, hash))
}

fn read_priority<'a>(json: &mut Json<'a>) -> Result<(Witness<'a>, Word), Why> {
    members!(json, {
        "info" => info: read_info(json),
        "cosigner" => cosigner: address(json),
        "auctionStartBlock" => auction_start_block: uint256(json),
        "baselinePriorityFeeWei" => baseline_priority_fee_wei: uint256(json),
        "input" => input: read_priority_input(json),
        "outputs" => outputs: read_outputs(json, read_priority_output),
    });
    let ((info, info_hash), (input, input_hash), (outputs, outputs_hash)) = (info, input, outputs);
    let hash = struct_hash(&[
        hashes::PRIORITY_ORDER,
        info_hash,
        address_word(&cosigner),
        uint_word(&auction_start_block),
        uint_word(&baseline_priority_fee_wei),
        input_hash,
        outputs_hash,
    ]);
    let order_type = OrderType::Priority;
    let auction = Auction::PriorityFee { auction_start_block, baseline_priority_fee_wei };
    Ok((Witness { order_type, info, cosigner: Some(cosigner), input, outputs, auction }, hash))
}

fn read_priority_input<'a>(json: &mut Json<'a>) -> Result<(Input<'a>, Word), Why> {
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
    Ok((Input { token, start_amount, max_amount, mps_per_priority_fee_wei, curve: Curve::NONE }, hash))
}

fn read_priority_output<'a>(json: &mut Json<'a>) -> Result<(Output<'a>, Word), Why> {
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
        Output { token, start_amount, min_amount, mps_per_priority_fee_wei, curve: Curve::NONE, recipient },
        hash,
    ))
}
