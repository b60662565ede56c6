//! What an action says, once it has been decoded.

use super::decimal::Decimal;
use super::list::List;
use super::rules::{Grouping, TimeInForce, Transfer};
use crate::Address;

/// The decoded content of an action.
#[derive(Clone, Copy, Debug)]
pub enum Content<'s> {
    /// order
    Order(OrderBatch<'s>),
    /// cancel
    Cancel(CancelBatch<'s, Cancel>),
    /// cancelByCloid
    CancelByCloid(CancelBatch<'s, CancelByCloid<'s>>),
    /// modify
    Modify(Modify<'s>),
    /// batchModify
    BatchModify(List<'s, Modify<'s>>),
    /// twapOrder
    TwapOrder(TwapOrder<'s>),
    /// twapCancel
    TwapCancel(TwapCancel),
    /// scheduleCancel
    ScheduleCancel(ScheduleCancel),
    /// updateLeverage
    UpdateLeverage(UpdateLeverage),
    /// updateIsolatedMargin
    UpdateIsolatedMargin(UpdateIsolatedMargin),
    /// vaultTransfer
    VaultTransfer(VaultTransfer),
    /// usdSend
    UsdSend(Transferral<'s>),
    /// spotSend
    SpotSend(Transferral<'s>),
    /// withdraw3
    Withdraw3(Transferral<'s>),
    /// sendAsset
    SendAsset(SendAsset<'s>),
    /// usdClassTransfer
    UsdClassTransfer(UsdClassTransfer<'s>),
    /// approveAgent
    ApproveAgent(ApproveAgent<'s>),
    /// approveBuilderFee
    ApproveBuilderFee(ApproveBuilderFee<'s>),
}

impl Content<'_> {
    /// The action's type as the exchange spells it.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Order(_) => "order",
            Self::Cancel(_) => "cancel",
            Self::CancelByCloid(_) => "cancelByCloid",
            Self::Modify(_) => "modify",
            Self::BatchModify(_) => "batchModify",
            Self::TwapOrder(_) => "twapOrder",
            Self::TwapCancel(_) => "twapCancel",
            Self::ScheduleCancel(_) => "scheduleCancel",
            Self::UpdateLeverage(_) => "updateLeverage",
            Self::UpdateIsolatedMargin(_) => "updateIsolatedMargin",
            Self::VaultTransfer(_) => "vaultTransfer",
            Self::UsdSend(_) => "usdSend",
            Self::SpotSend(_) => "spotSend",
            Self::Withdraw3(_) => "withdraw3",
            Self::SendAsset(_) => "sendAsset",
            Self::UsdClassTransfer(_) => "usdClassTransfer",
            Self::ApproveAgent(_) => "approveAgent",
            Self::ApproveBuilderFee(_) => "approveBuilderFee",
        }
    }
}

/// An "order" action.
#[derive(Clone, Copy, Debug)]
pub struct OrderBatch<'s> {
    /// The orders.
    pub orders: List<'s, Order<'s>>,
    /// How they belong together.
    pub grouping: OrderGrouping,
    /// Who is paid for having routed them.
    pub builder: Option<Builder>,
}

/// The member "grouping" of an order action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderGrouping {
    /// "na", "normalTpsl" or "positionTpsl"
    Named(Grouping),
    /// {"p": rate}: a priority fee of rate times 10^-8 of the filled notional, burned.
    PriorityRate(u32),
}

/// The builder of an order action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builder {
    /// b
    pub address: Address,
    /// f, tenths of a basis point of the notional
    pub fee: u32,
}

/// One order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order<'s> {
    /// a: the full asset id
    pub asset: u32,
    /// b
    pub is_buy: bool,
    /// p: the limit price
    pub price: Decimal<'s>,
    /// s, in base units
    pub size: Decimal<'s>,
    /// r
    pub reduce_only: bool,
    /// t
    pub kind: OrderKind<'s>,
    /// c: the client's own id
    pub cloid: Option<&'s str>,
}

/// The member "t" of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKind<'s> {
    /// limit
    Limit {
        /// tif
        tif: TimeInForce,
    },
    /// trigger
    Trigger {
        /// isMarket: executes without regard to the limit price, up to the exchange's slippage tolerance
        is_market: bool,
        /// triggerPx
        price: Decimal<'s>,
        /// tpsl
        tpsl: Tpsl,
    },
}

/// What a trigger order is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tpsl {
    /// "tp"
    TakeProfit,
    /// "sl"
    StopLoss,
}

impl Tpsl {
    /// The exchange's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TakeProfit => "tp",
            Self::StopLoss => "sl",
        }
    }
}

/// A "modify" action, or one element of "batchModify": the order that stands takes the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modify<'s> {
    /// oid: the order that goes.
    pub target: OrderReference<'s>,
    /// order: the one that comes, whole.
    pub order: Order<'s>,
}

/// An order that is on the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderReference<'s> {
    /// The exchange's order id.
    Oid(u64),
    /// The client's own id.
    Cloid(&'s str),
}

/// A "twapOrder" action: the exchange trades the size in slices over a while, at whatever the market asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwapOrder<'s> {
    /// a: the full asset id
    pub asset: u32,
    /// b
    pub is_buy: bool,
    /// s, in base units, of all slices together; not zero
    pub size: Decimal<'s>,
    /// r
    pub reduce_only: bool,
    /// m, at least 1
    pub minutes: u32,
    /// t: whether the slices come at random times
    pub randomize: bool,
}

/// A "twapCancel" action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwapCancel {
    /// a: the full asset id
    pub asset: u32,
    /// t: the exchange's id of the TWAP
    pub twap_id: u64,
}

/// A "scheduleCancel" action: the dead man's switch over all orders of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleCancel {
    /// time, ms since the Unix epoch; absent takes the schedule away
    pub time: Option<u64>,
}

/// A "cancel" or "cancelByCloid" action.
#[derive(Clone, Copy, Debug)]
pub struct CancelBatch<'s, T> {
    /// What is cancelled.
    pub cancels: List<'s, T>,
    /// f: a fast cancel, which the exchange rejects for trigger orders
    pub fast: bool,
}

/// One cancel by order id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// a: the full asset id
    pub asset: u32,
    /// o: the exchange's order id
    pub oid: u64,
}

/// One cancel by client order id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancelByCloid<'s> {
    /// asset: the full asset id
    pub asset: u32,
    /// cloid
    pub cloid: &'s str,
}

/// An "updateLeverage" action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateLeverage {
    /// asset: the full asset id
    pub asset: u32,
    /// isCross
    pub is_cross: bool,
    /// leverage, at least 1
    pub leverage: u32,
}

/// An "updateIsolatedMargin" action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateIsolatedMargin {
    /// asset: the full asset id
    pub asset: u32,
    /// isBuy: the side of the position; the exchange does not look at it
    pub is_buy: bool,
    /// ntli, 10^-6 USD: added to the position's margin, or taken from it where it is negative
    pub amount: i64,
}

/// A "vaultTransfer" action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaultTransfer {
    /// vaultAddress: the vault that is paid into or out of; not the one acted for
    pub vault: Address,
    /// isDeposit
    pub is_deposit: bool,
    /// usd, 10^-6 USD
    pub amount: u64,
}

/// A user-signed action that moves funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transferral<'s> {
    /// Which action it is.
    pub action: Transfer,
    /// destination
    pub destination: Address,
    /// amount, of USD or of the token
    pub amount: Decimal<'s>,
    /// token, "NAME:0x…"; spotSend and sendAsset have one, the others none
    pub token: Option<&'s str>,
    /// signatureChainId: the chain id of the EIP-712 domain
    pub signature_chain_id: u64,
}

/// A "sendAsset" action: a transfer between the exchange's books, of its own account or to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendAsset<'s> {
    /// What goes where.
    pub transferral: Transferral<'s>,
    /// sourceDex: "" is the exchange's own perpetuals, "spot" the spot balance, else a HIP-3 dex
    pub source_dex: &'s str,
    /// destinationDex
    pub destination_dex: &'s str,
    /// fromSubAccount: whose funds they are; "" (the signer's) is none
    pub sub_account: Option<Address>,
}

/// A "usdClassTransfer" action: USDC between the spot and the perpetuals balance of one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsdClassTransfer<'s> {
    /// The number at the front of amount, USD
    pub amount: Decimal<'s>,
    /// " subaccount:0x…" behind it: whose balances they are
    pub sub_account: Option<Address>,
    /// toPerp
    pub to_perp: bool,
    /// signatureChainId
    pub signature_chain_id: u64,
}

/// An "approveAgent" action: another key may sign L1 actions for this account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApproveAgent<'s> {
    /// agentAddress
    pub agent: Address,
    /// agentName; absent and null sign as ""
    pub name: &'s str,
    /// signatureChainId
    pub signature_chain_id: u64,
}

/// An "approveBuilderFee" action: a builder may charge this account up to a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApproveBuilderFee<'s> {
    /// builder
    pub builder: Address,
    /// The number in front of the % of maxFeeRate, in percent
    pub rate_max: Decimal<'s>,
    /// signatureChainId
    pub signature_chain_id: u64,
}
