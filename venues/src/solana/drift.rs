//! Drift v2's instructions: discriminators and Borsh layouts, as its published IDL states them.
//!
//! ```text
//! data    discriminator 8 (SHA-256 of "global:<snake_case name>"), arguments (Borsh, little-endian)
//! order   type u8, market kind u8, direction u8, user order id u8, base u64, price u64, market u16,
//!         reduce only bool, post only u8, bit flags u8, max ts `Option<i64>`, trigger price `Option<u64>`,
//!         trigger condition u8, oracle price offset `Option<i32>`, auction duration `Option<u8>`,
//!         auction start price `Option<i64>`, auction end price `Option<i64>`
//! ```
//!
//! | instruction | arguments | accounts |
//! |---|---|---|
//! | placePerpOrder, placeSpotOrder | order | state, user w, authority s |
//! | placeOrders | u32 n, n × order | state, user w, authority s |
//! | placeAndTakePerpOrder | order, `Option<u32>` success condition | state, user w, user stats w, authority s |
//! | cancelOrder | `Option<u32>` order id | state, user w, authority s |
//! | cancelOrderByUserId | u8 | state, user w, authority s |
//! | cancelOrders | `Option<market kind>`, `Option<u16>` market, `Option<direction>` | state, user w, authority s |
//! | cancelOrdersByIds | u32 n, n × u32 | state, user w, authority s |
//! | modifyOrder | `Option<u32>` order id, modification | state, user w, authority s |
//! | modifyOrderByUserId | u8, modification | state, user w, authority s |
//! | settlePnl | u16 market | state, user w, authority s, spot market vault |
//! | settleMultiplePnls | u32 n, n × u16, u8 mode | state, user w, authority s, spot market vault |
//!
//! The markets and oracles that the program needs follow these accounts.
//!
//! Guarantees: the data are consumed to the last byte; every tag is one that the IDL names.
//! Refuses: every other instruction of the program, by its absence from this table.

use wire::{Refusal, Shown, Why};

use super::cursor::{Cursor, out_of_range};
use super::order::{Direction, ModifyOrderParams, OrderParams, read_market_kind};
use super::rules::MarketKind;
use crate::AccountKey;

/// Drift v2, dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH.
pub const DRIFT_V2: AccountKey = [
    9, 84, 219, 190, 158, 201, 96, 201, 138, 122, 41, 63, 226, 19, 54, 150, 111, 225, 128, 209, 81, 174, 75,
    129, 121, 86, 31, 137, 133, 74, 83, 246,
];

/// Most orders of one placeOrders: as many as a user account holds open.
pub const ORDERS_MAX: u32 = 32;

/// What a Drift instruction asks for, under the names of the IDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'f> {
    /// One perpetual order.
    PlacePerpOrder(Orders<'f>),
    /// One spot order.
    PlaceSpotOrder(Orders<'f>),
    /// Several orders of either kind.
    PlaceOrders(Orders<'f>),
    /// One perpetual order that takes from makers passed along.
    PlaceAndTakePerpOrder {
        /// The order.
        orders: Orders<'f>,
        /// What must have been filled for the instruction to succeed.
        success_condition: Option<u32>,
    },
    /// Cancel one order; without an id the last one.
    CancelOrder {
        /// The program's order id.
        order_id: Option<u32>,
    },
    /// Cancel one order by the user's number.
    CancelOrderByUserId {
        /// The user's number.
        user_order_id: u8,
    },
    /// Cancel the orders that match all of the filters that are there.
    CancelOrders {
        /// Only of this kind of market.
        market_kind: Option<MarketKind>,
        /// Only of the market with this index.
        market_index: Option<u16>,
        /// Only in this direction.
        direction: Option<Direction>,
    },
    /// Cancel orders by the program's ids.
    CancelOrdersByIds {
        /// The ids, u32 little-endian.
        order_ids: &'f [[u8; 4]],
    },
    /// Replace an order by one that differs in the given fields.
    ModifyOrder {
        /// The program's order id; without it the last one.
        order_id: Option<u32>,
        /// What to change.
        params: ModifyOrderParams,
    },
    /// The same by the user's number.
    ModifyOrderByUserId {
        /// The user's number.
        user_order_id: u8,
        /// What to change.
        params: ModifyOrderParams,
    },
    /// Settle the profit and loss of one perpetual market.
    SettlePnl {
        /// The perpetual market.
        market_index: u16,
    },
    /// Settle the profit and loss of several perpetual markets.
    SettleMultiplePnls {
        /// The perpetual markets, u16 little-endian.
        market_indexes: &'f [[u8; 2]],
        /// Whether one market that cannot be settled fails them all.
        must_settle: bool,
    },
}

impl<'f> Action<'f> {
    /// Reads an instruction's data.
    pub(super) fn read(data: &'f [u8]) -> Result<Self, Why> {
        let mut cursor = Cursor::new(data, Refusal::InstructionDataMalformed);
        let action = Self::read_arguments(cursor.array()?, &mut cursor)?;
        if cursor.rest().is_empty() {
            return Ok(action);
        }
        Err(Why::new(Refusal::InstructionDataMalformed).observed(Shown::size(data.len())))
    }

    fn read_arguments(discriminator: &[u8; 8], cursor: &mut Cursor<'f>) -> Result<Self, Why> {
        Ok(match *discriminator {
            [0x45, 0xa1, 0x5d, 0xca, 0x78, 0x7e, 0x4c, 0xb9] => {
                Self::PlacePerpOrder(Orders::read_one_of(MarketKind::Perp, cursor)?)
            }
            [0x2d, 0x4f, 0x51, 0xa0, 0xf8, 0x5a, 0x5b, 0xdc] => {
                Self::PlaceSpotOrder(Orders::read_one_of(MarketKind::Spot, cursor)?)
            }
            [0x3c, 0x3f, 0x32, 0x7b, 0x0c, 0xc5, 0x3c, 0xbe] => Self::PlaceOrders(Orders::read_list(cursor)?),
            [0xd5, 0x33, 0x01, 0xbb, 0x6c, 0xdc, 0xe6, 0xe0] => Self::PlaceAndTakePerpOrder {
                orders: Orders::read_one_of(MarketKind::Perp, cursor)?,
                success_condition: cursor.option(Cursor::u32)?,
            },
            [0x5f, 0x81, 0xed, 0xf0, 0x08, 0x31, 0xdf, 0x84] => {
                Self::CancelOrder { order_id: cursor.option(Cursor::u32)? }
            }
            [0x6b, 0xd3, 0xfa, 0x85, 0x12, 0x25, 0x39, 0x64] => {
                Self::CancelOrderByUserId { user_order_id: cursor.u8()? }
            }
            [0xee, 0xe1, 0x5f, 0x9e, 0xe3, 0x67, 0x08, 0xc2] => Self::CancelOrders {
                market_kind: cursor.option(read_market_kind)?,
                market_index: cursor.option(Cursor::u16)?,
                direction: cursor.option(Direction::read)?,
            },
            [0x86, 0x13, 0x90, 0xa5, 0x5e, 0xf0, 0xd2, 0x5e] => {
                Self::CancelOrdersByIds { order_ids: read_array(cursor)? }
            }
            [0x2f, 0x7c, 0x75, 0xff, 0xc9, 0xc5, 0x82, 0x5e] => Self::ModifyOrder {
                order_id: cursor.option(Cursor::u32)?,
                params: ModifyOrderParams::read(cursor)?,
            },
            [0x9e, 0x4d, 0x04, 0xfd, 0xfc, 0xc2, 0xa1, 0xb3] => Self::ModifyOrderByUserId {
                user_order_id: cursor.u8()?,
                params: ModifyOrderParams::read(cursor)?,
            },
            [0x2b, 0x3d, 0xea, 0x2d, 0x0f, 0x5f, 0x98, 0x99] => {
                Self::SettlePnl { market_index: cursor.u16()? }
            }
            [0x7f, 0x42, 0x75, 0x39, 0x28, 0x32, 0x98, 0x7f] => Self::SettleMultiplePnls {
                market_indexes: read_array(cursor)?,
                must_settle: read_settle_mode(cursor)?,
            },
            _ => return Err(Why::new(Refusal::InstructionNotSupported)),
        })
    }

    /// The name in the IDL.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PlacePerpOrder(_) => "placePerpOrder",
            Self::PlaceSpotOrder(_) => "placeSpotOrder",
            Self::PlaceOrders(_) => "placeOrders",
            Self::PlaceAndTakePerpOrder { .. } => "placeAndTakePerpOrder",
            Self::CancelOrder { .. } => "cancelOrder",
            Self::CancelOrderByUserId { .. } => "cancelOrderByUserId",
            Self::CancelOrders { .. } => "cancelOrders",
            Self::CancelOrdersByIds { .. } => "cancelOrdersByIds",
            Self::ModifyOrder { .. } => "modifyOrder",
            Self::ModifyOrderByUserId { .. } => "modifyOrderByUserId",
            Self::SettlePnl { .. } => "settlePnl",
            Self::SettleMultiplePnls { .. } => "settleMultiplePnls",
        }
    }

    /// The orders it places, `None` when it places none.
    #[must_use]
    pub const fn orders(&self) -> Option<Orders<'f>> {
        match self {
            Self::PlacePerpOrder(orders)
            | Self::PlaceSpotOrder(orders)
            | Self::PlaceOrders(orders)
            | Self::PlaceAndTakePerpOrder { orders, .. } => Some(*orders),
            Self::CancelOrder { .. }
            | Self::CancelOrderByUserId { .. }
            | Self::CancelOrders { .. }
            | Self::CancelOrdersByIds { .. }
            | Self::ModifyOrder { .. }
            | Self::ModifyOrderByUserId { .. }
            | Self::SettlePnl { .. }
            | Self::SettleMultiplePnls { .. } => None,
        }
    }

    /// Where its named accounts stand and how many it has.
    pub(super) const fn roles(&self) -> Roles {
        match self {
            Self::PlaceAndTakePerpOrder { .. } => Roles { user_stats: Some(2), authority: 3, least: 4 },
            Self::SettlePnl { .. } | Self::SettleMultiplePnls { .. } => {
                Roles { user_stats: None, authority: 2, least: 4 }
            }
            Self::PlacePerpOrder(_)
            | Self::PlaceSpotOrder(_)
            | Self::PlaceOrders(_)
            | Self::CancelOrder { .. }
            | Self::CancelOrderByUserId { .. }
            | Self::CancelOrders { .. }
            | Self::CancelOrdersByIds { .. }
            | Self::ModifyOrder { .. }
            | Self::ModifyOrderByUserId { .. } => Roles { user_stats: None, authority: 2, least: 3 },
        }
    }
}

/// Positions of an instruction's named accounts; state is always 0 and user always 1.
pub(super) struct Roles {
    pub(super) user_stats: Option<usize>,
    pub(super) authority: usize,
    pub(super) least: usize,
}

/// Orders of one instruction, read once to their end and told again on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders<'f> {
    count: u32,
    bytes: &'f [u8],
}

impl<'f> Orders<'f> {
    fn read_one_of(kind: MarketKind, cursor: &mut Cursor<'f>) -> Result<Self, Why> {
        let before = cursor.rest();
        let order = OrderParams::read(cursor)?;
        if order.market_kind == kind {
            return Ok(Self { count: 1, bytes: read_since(before, cursor) });
        }
        Err(Why::new(Refusal::MarketTypeDiffers))
    }

    fn read_list(cursor: &mut Cursor<'f>) -> Result<Self, Why> {
        let count = cursor.u32()?;
        if count > ORDERS_MAX {
            return Err(Why::new(Refusal::InstructionDataMalformed)
                .observed(Shown::uint(count.into()))
                .limit(Shown::uint(ORDERS_MAX.into())));
        }
        let before = cursor.rest();
        for _ in 0..count {
            OrderParams::read(cursor)?;
        }
        Ok(Self { count, bytes: read_since(before, cursor) })
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The orders, exactly `count` of them. Orders that were read yield no error.
    pub fn iter(&self) -> impl Iterator<Item = Result<OrderParams, Why>> {
        let mut cursor = Cursor::new(self.bytes, Refusal::InstructionDataMalformed);
        (0..self.count).map(move |_| OrderParams::read(&mut cursor))
    }
}

/// What `cursor` read since `before` was its rest.
fn read_since<'f>(before: &'f [u8], cursor: &Cursor<'f>) -> &'f [u8] {
    let size = before.len().saturating_sub(cursor.rest().len());
    before.get(..size).unwrap_or_default()
}

/// A Borsh `Vec` of `N`-byte integers.
fn read_array<'f, const N: usize>(cursor: &mut Cursor<'f>) -> Result<&'f [[u8; N]], Why> {
    let count = usize::try_from(cursor.u32()?).map_err(|_| Why::new(Refusal::InstructionDataMalformed))?;
    cursor.arrays(count)
}

/// SettlePnlMode: 0 MustSettle, 1 TrySettle.
fn read_settle_mode(cursor: &mut Cursor<'_>) -> Result<bool, Why> {
    match cursor.u8()? {
        0 => Ok(true),
        1 => Ok(false),
        other => Err(out_of_range(other, 1)),
    }
}
