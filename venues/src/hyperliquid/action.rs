//! What an action says, once it has been decoded.

use core::marker::PhantomData;

use wire::Why;

use super::decimal::Decimal;
use super::msgpack::Reader;
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
    /// updateLeverage
    UpdateLeverage(UpdateLeverage),
    /// usdSend
    UsdSend(Transferral<'s>),
    /// spotSend
    SpotSend(Transferral<'s>),
    /// withdraw3
    Withdraw3(Transferral<'s>),
}

impl Content<'_> {
    /// The action's type as the exchange spells it.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Order(_) => "order",
            Self::Cancel(_) => "cancel",
            Self::CancelByCloid(_) => "cancelByCloid",
            Self::UpdateLeverage(_) => "updateLeverage",
            Self::UsdSend(_) => "usdSend",
            Self::SpotSend(_) => "spotSend",
            Self::Withdraw3(_) => "withdraw3",
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
    /// {"p": rate}: a priority fee of rate times 10^-7 of the filled notional, burned.
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

/// A user-signed action that moves funds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transferral<'s> {
    /// Which action it is.
    pub action: Transfer,
    /// destination
    pub destination: Address,
    /// amount, of USD or of the token
    pub amount: Decimal<'s>,
    /// token, "NAME:0x…"; spotSend has one, the others none
    pub token: Option<&'s str>,
    /// signatureChainId: the chain id of the EIP-712 domain
    pub signature_chain_id: u64,
}

/// A list whose elements stand as msgpack in the canonical bytes.
///
/// Nothing is copied out of them: going over the list reads the same bytes again, with the same reader that
/// checked every element when the action was decoded, so there is no second opinion on what they say.
#[derive(Clone, Copy, Debug)]
pub struct List<'s, T> {
    bytes: &'s [u8],
    len: usize,
    element: PhantomData<T>,
}

/// What a [`List`] is made of.
pub(crate) trait Element<'s>: Sized {
    /// Reads one element whole and checks it.
    fn read(reader: &mut Reader<'s>) -> Result<Self, Why>;
}

impl<'s, T> List<'s, T> {
    /// `len` elements at the front of `bytes`, every one of which was read.
    pub(crate) const fn new(bytes: &'s [u8], len: usize) -> Self {
        Self { bytes, len, element: PhantomData }
    }

    /// How many; never zero.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Goes over the elements.
    #[must_use]
    pub const fn iter(&self) -> Elements<'s, T> {
        Elements { reader: Reader::new(self.bytes), left: self.len, element: PhantomData }
    }
}

/// The elements of a [`List`]. Each was read before, so none is an error; should one be, it is handed on.
#[derive(Clone, Debug)]
pub struct Elements<'s, T> {
    reader: Reader<'s>,
    left: usize,
    element: PhantomData<T>,
}

macro_rules! elements {
    ($($element:ty),+) => {
        $(impl<'s> Iterator for Elements<'s, $element> {
            type Item = Result<$element, Why>;

            fn next(&mut self) -> Option<Self::Item> {
                self.left = self.left.checked_sub(1)?;
                Some(Element::read(&mut self.reader))
            }
        })+
    };
}

elements!(Order<'s>, Cancel, CancelByCloid<'s>);
