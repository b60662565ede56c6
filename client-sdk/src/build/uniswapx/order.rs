//! The orders and how they are written.

use venues::{Address, U256};

use super::text::{Object, list};
use super::{StructType, TokenPermissions, TransferTerms};

/// What all orders have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderInfo {
    /// The contract that fills the order.
    pub reactor: Address,
    /// Whose tokens are sold: the slot's own address.
    pub swapper: Address,
    /// Permit2's unordered nonce.
    pub nonce: U256,
    /// The last moment, seconds since the Unix epoch.
    pub deadline: u64,
    /// A contract that is asked first, or zero.
    pub validation_contract: Address,
    /// What it is told.
    pub validation_data: Vec<u8>,
}

impl OrderInfo {
    /// Without additional validation.
    #[must_use]
    pub const fn plain(reactor: Address, swapper: Address, nonce: U256, deadline: u64) -> Self {
        let validation_data = Vec::new();
        Self { reactor, swapper, nonce, deadline, validation_contract: [0; 20], validation_data }
    }

    fn json(&self) -> String {
        Object::new()
            .address("reactor", &self.reactor)
            .address("swapper", &self.swapper)
            .uint("nonce", self.nonce)
            .uint("deadline", self.deadline)
            .address("additionalValidationContract", &self.validation_contract)
            .bytes("additionalValidationData", &self.validation_data)
            .close()
    }
}

/// An output of a Dutch order, base units; the token is zero for the native coin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DutchOutput {
    /// The token.
    pub token: Address,
    /// At the start of the decay.
    pub start_amount: U256,
    /// At its end.
    pub end_amount: U256,
    /// Who gets it.
    pub recipient: Address,
}

impl DutchOutput {
    fn json(&self) -> String {
        Object::new()
            .address("token", &self.token)
            .uint("startAmount", self.start_amount)
            .uint("endAmount", self.end_amount)
            .address("recipient", &self.recipient)
            .close()
    }
}

/// `ExclusiveDutchOrder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExclusiveDutchOrder {
    /// What all orders have.
    pub info: OrderInfo,
    /// Seconds since the Unix epoch.
    pub decay_start: u64,
    /// Seconds since the Unix epoch.
    pub decay_end: u64,
    /// Who alone may fill before the decay starts, or zero.
    pub exclusive_filler: Address,
    /// How much more others must pay before then, basis points; 0 bars them.
    pub exclusivity_override_bps: u64,
    /// The token that is sold.
    pub input_token: Address,
    /// Base units at the start.
    pub input_start_amount: U256,
    /// Base units at the end, the most.
    pub input_end_amount: U256,
    /// What is bought.
    pub outputs: Vec<DutchOutput>,
}

/// `V2DutchOrder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V2DutchOrder {
    /// What all orders have.
    pub info: OrderInfo,
    /// Who sets the start of the decay.
    pub cosigner: Address,
    /// The token that is sold.
    pub input_token: Address,
    /// Base units at the start.
    pub input_start_amount: U256,
    /// Base units at the end, the most.
    pub input_end_amount: U256,
    /// What is bought.
    pub outputs: Vec<DutchOutput>,
}

/// A decay in straight pieces: block after the start, and how much less than the start amount there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    /// At most 16 points whose blocks ascend; a negative amount is more than the start amount.
    pub points: Vec<(u16, i128)>,
}

impl Curve {
    fn json(&self) -> String {
        // The first block in the lowest 16 bits. What is beyond the sixteenth point the vault refuses by name.
        let packed = self.points.iter().zip((0..256_usize).step_by(16));
        let blocks =
            packed.fold(U256::ZERO, |blocks, ((block, _), shift)| blocks | (U256::from(*block) << shift));
        let amounts = self.points.iter().map(|(_, amount)| format!("\"{amount}\""));
        Object::new().uint("relativeBlocks", blocks).value("relativeAmounts", list(amounts)).close()
    }
}

/// An output of a V3 order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V3DutchOutput {
    /// The token.
    pub token: Address,
    /// Base units at the start.
    pub start_amount: U256,
    /// How it decays.
    pub curve: Curve,
    /// Who gets it.
    pub recipient: Address,
    /// The least, whatever curve and base fee say. The vault holds the book's ratio against it.
    pub min_amount: U256,
    /// How much less for each gwei that the base fee rises.
    pub adjustment_per_gwei_base_fee: U256,
}

impl V3DutchOutput {
    fn json(&self) -> String {
        Object::new()
            .address("token", &self.token)
            .uint("startAmount", self.start_amount)
            .value("curve", self.curve.json())
            .address("recipient", &self.recipient)
            .uint("minAmount", self.min_amount)
            .uint("adjustmentPerGweiBaseFee", self.adjustment_per_gwei_base_fee)
            .close()
    }
}

/// `V3DutchOrder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V3DutchOrder {
    /// What all orders have.
    pub info: OrderInfo,
    /// Who sets the start of the decay.
    pub cosigner: Address,
    /// The base fee that the adjustments are counted from, wei.
    pub starting_base_fee: U256,
    /// The token that is sold.
    pub input_token: Address,
    /// Base units at the start.
    pub input_start_amount: U256,
    /// How it grows: a negative amount is more.
    pub input_curve: Curve,
    /// The most, whatever curve and base fee say.
    pub input_max_amount: U256,
    /// How much more for each gwei that the base fee rises.
    pub input_adjustment_per_gwei_base_fee: U256,
    /// What is bought.
    pub outputs: Vec<V3DutchOutput>,
}

/// An output of a priority order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorityOutput {
    /// The token.
    pub token: Address,
    /// Base units, the least.
    pub amount: U256,
    /// Thousandths of a basis point more for each wei of priority fee.
    pub mps_per_priority_fee_wei: U256,
    /// Who gets it.
    pub recipient: Address,
}

impl PriorityOutput {
    fn json(&self) -> String {
        Object::new()
            .address("token", &self.token)
            .uint("amount", self.amount)
            .uint("mpsPerPriorityFeeWei", self.mps_per_priority_fee_wei)
            .address("recipient", &self.recipient)
            .close()
    }
}

/// `PriorityOrder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityOrder {
    /// What all orders have.
    pub info: OrderInfo,
    /// Who may let the auction start earlier, or zero.
    pub cosigner: Address,
    /// The first block of the auction.
    pub auction_start_block: u64,
    /// The priority fee above which amounts scale, wei.
    pub baseline_priority_fee_wei: U256,
    /// The token that is sold.
    pub input_token: Address,
    /// Base units, the most.
    pub input_amount: U256,
    /// Thousandths of a basis point less for each wei of priority fee. Not together with an output's.
    pub input_mps_per_priority_fee_wei: U256,
    /// What is bought.
    pub outputs: Vec<PriorityOutput>,
}

/// An order of any type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// `ExclusiveDutchOrder`.
    ExclusiveDutch(ExclusiveDutchOrder),
    /// `V2DutchOrder`.
    V2Dutch(V2DutchOrder),
    /// `V3DutchOrder`.
    V3Dutch(V3DutchOrder),
    /// `PriorityOrder`.
    Priority(PriorityOrder),
}

macro_rules! from_orders {
    ($($order:ident => $variant:ident),+) => {
        $(impl From<$order> for Order {
            fn from(order: $order) -> Self {
                Self::$variant(order)
            }
        })+
    };
}

from_orders!(
    ExclusiveDutchOrder => ExclusiveDutch,
    V2DutchOrder => V2Dutch,
    V3DutchOrder => V3Dutch,
    PriorityOrder => Priority
);

const ORDER_INFO: StructType<'static> = (
    "OrderInfo",
    "address reactor,address swapper,uint256 nonce,uint256 deadline,address additionalValidationContract,\
     bytes additionalValidationData",
);
const DUTCH_OUTPUT: StructType<'static> =
    ("DutchOutput", "address token,uint256 startAmount,uint256 endAmount,address recipient");

impl Order {
    /// What the permit repeats of the order.
    pub(super) fn terms(&self) -> TransferTerms {
        let info = match self {
            Self::ExclusiveDutch(order) => &order.info,
            Self::V2Dutch(order) => &order.info,
            Self::V3Dutch(order) => &order.info,
            Self::Priority(order) => &order.info,
        };
        TransferTerms { spender: info.reactor, nonce: info.nonce, deadline: info.deadline }
    }

    /// The most that the order can take.
    pub(super) fn permitted(&self) -> TokenPermissions {
        let (token, amount) = match self {
            Self::ExclusiveDutch(order) => (order.input_token, order.input_end_amount),
            Self::V2Dutch(order) => (order.input_token, order.input_end_amount),
            Self::V3Dutch(order) => (order.input_token, order.input_max_amount),
            Self::Priority(order) => (order.input_token, order.input_amount),
        };
        TokenPermissions { token, amount }
    }

    pub(super) const fn type_name(&self) -> &'static str {
        match self {
            Self::ExclusiveDutch(_) => "ExclusiveDutchOrder",
            Self::V2Dutch(_) => "V2DutchOrder",
            Self::V3Dutch(_) => "V3DutchOrder",
            Self::Priority(_) => "PriorityOrder",
        }
    }

    pub(super) const fn types(&self) -> &'static [StructType<'static>] {
        match self {
            Self::ExclusiveDutch(_) => &[
                (
                    "ExclusiveDutchOrder",
                    "OrderInfo info,uint256 decayStartTime,uint256 decayEndTime,address exclusiveFiller,\
                     uint256 exclusivityOverrideBps,address inputToken,uint256 inputStartAmount,\
                     uint256 inputEndAmount,DutchOutput[] outputs",
                ),
                ORDER_INFO,
                DUTCH_OUTPUT,
            ],
            Self::V2Dutch(_) => &[
                (
                    "V2DutchOrder",
                    "OrderInfo info,address cosigner,address baseInputToken,uint256 baseInputStartAmount,\
                     uint256 baseInputEndAmount,DutchOutput[] baseOutputs",
                ),
                ORDER_INFO,
                DUTCH_OUTPUT,
            ],
            Self::V3Dutch(_) => &[
                (
                    "V3DutchOrder",
                    "OrderInfo info,address cosigner,uint256 startingBaseFee,V3DutchInput baseInput,\
                     V3DutchOutput[] baseOutputs",
                ),
                ORDER_INFO,
                (
                    "V3DutchInput",
                    "address token,uint256 startAmount,NonlinearDutchDecay curve,uint256 maxAmount,\
                     uint256 adjustmentPerGweiBaseFee",
                ),
                (
                    "V3DutchOutput",
                    "address token,uint256 startAmount,NonlinearDutchDecay curve,address recipient,\
                     uint256 minAmount,uint256 adjustmentPerGweiBaseFee",
                ),
                ("NonlinearDutchDecay", "uint256 relativeBlocks,int256[] relativeAmounts"),
            ],
            Self::Priority(_) => &[
                (
                    "PriorityOrder",
                    "OrderInfo info,address cosigner,uint256 auctionStartBlock,uint256 baselinePriorityFeeWei,\
                     PriorityInput input,PriorityOutput[] outputs",
                ),
                ORDER_INFO,
                ("PriorityInput", "address token,uint256 amount,uint256 mpsPerPriorityFeeWei"),
                (
                    "PriorityOutput",
                    "address token,uint256 amount,uint256 mpsPerPriorityFeeWei,address recipient",
                ),
            ],
        }
    }

    pub(super) fn json(&self) -> String {
        let object = Object::new();
        match self {
            Self::ExclusiveDutch(order) => object
                .value("info", order.info.json())
                .uint("decayStartTime", order.decay_start)
                .uint("decayEndTime", order.decay_end)
                .address("exclusiveFiller", &order.exclusive_filler)
                .uint("exclusivityOverrideBps", order.exclusivity_override_bps)
                .address("inputToken", &order.input_token)
                .uint("inputStartAmount", order.input_start_amount)
                .uint("inputEndAmount", order.input_end_amount)
                .value("outputs", list(order.outputs.iter().map(DutchOutput::json))),
            Self::V2Dutch(order) => object
                .value("info", order.info.json())
                .address("cosigner", &order.cosigner)
                .address("baseInputToken", &order.input_token)
                .uint("baseInputStartAmount", order.input_start_amount)
                .uint("baseInputEndAmount", order.input_end_amount)
                .value("baseOutputs", list(order.outputs.iter().map(DutchOutput::json))),
            Self::V3Dutch(order) => {
                let input = Object::new()
                    .address("token", &order.input_token)
                    .uint("startAmount", order.input_start_amount)
                    .value("curve", order.input_curve.json())
                    .uint("maxAmount", order.input_max_amount)
                    .uint("adjustmentPerGweiBaseFee", order.input_adjustment_per_gwei_base_fee);
                object
                    .value("info", order.info.json())
                    .address("cosigner", &order.cosigner)
                    .uint("startingBaseFee", order.starting_base_fee)
                    .value("baseInput", input.close())
                    .value("baseOutputs", list(order.outputs.iter().map(V3DutchOutput::json)))
            }
            Self::Priority(order) => {
                let input = Object::new()
                    .address("token", &order.input_token)
                    .uint("amount", order.input_amount)
                    .uint("mpsPerPriorityFeeWei", order.input_mps_per_priority_fee_wei);
                object
                    .value("info", order.info.json())
                    .address("cosigner", &order.cosigner)
                    .uint("auctionStartBlock", order.auction_start_block)
                    .uint("baselinePriorityFeeWei", order.baseline_priority_fee_wei)
                    .value("input", input.close())
                    .value("outputs", list(order.outputs.iter().map(PriorityOutput::json)))
            }
        }
        .close()
    }
}

/// The fee of a relay order, base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayFee {
    /// The token.
    pub token: Address,
    /// At `start_time`.
    pub start_amount: U256,
    /// At `end_time`, the most.
    pub end_amount: U256,
    /// Seconds since the Unix epoch.
    pub start_time: u64,
    /// Seconds since the Unix epoch.
    pub end_time: u64,
}

/// `RelayOrder`. The vault refuses one with call data: it does not decode them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayOrder {
    /// The contract that relays.
    pub reactor: Address,
    /// Whose tokens are moved.
    pub swapper: Address,
    /// Permit2's unordered nonce.
    pub nonce: U256,
    /// The last moment, seconds since the Unix epoch.
    pub deadline: u64,
    /// What is sent.
    pub input: TokenPermissions,
    /// To whom.
    pub recipient: Address,
    /// For whoever relays.
    pub fee: RelayFee,
    /// What the Universal Router is called with.
    pub router_calldata: Vec<u8>,
}

impl RelayOrder {
    pub(super) const TYPES: &'static [StructType<'static>] = &[
        ("RelayOrder", "RelayOrderInfo info,Input input,FeeEscalator fee,bytes universalRouterCalldata"),
        ("RelayOrderInfo", "address reactor,address swapper,uint256 nonce,uint256 deadline"),
        ("Input", "address token,uint256 amount,address recipient"),
        (
            "FeeEscalator",
            "address token,uint256 startAmount,uint256 endAmount,uint256 startTime,uint256 endTime",
        ),
    ];

    pub(super) fn permitted(&self) -> [TokenPermissions; 2] {
        [self.input, TokenPermissions { token: self.fee.token, amount: self.fee.end_amount }]
    }

    pub(super) fn json(&self) -> String {
        let info = Object::new()
            .address("reactor", &self.reactor)
            .address("swapper", &self.swapper)
            .uint("nonce", self.nonce)
            .uint("deadline", self.deadline);
        let input = Object::new()
            .address("token", &self.input.token)
            .uint("amount", self.input.amount)
            .address("recipient", &self.recipient);
        let fee = Object::new()
            .address("token", &self.fee.token)
            .uint("startAmount", self.fee.start_amount)
            .uint("endAmount", self.fee.end_amount)
            .uint("startTime", self.fee.start_time)
            .uint("endTime", self.fee.end_time);
        Object::new()
            .value("info", info.close())
            .value("input", input.close())
            .value("fee", fee.close())
            .bytes("universalRouterCalldata", &self.router_calldata)
            .close()
    }
}
