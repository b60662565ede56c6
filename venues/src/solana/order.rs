//! OrderParams and ModifyOrderParams, as Drift v2 and Velocity lay them out.
//!
//! The two programs share the first fields and differ in the last four; the program's id, never the bytes, says
//! which layout it is. A field that the other program has is `None`.
//!
//! ```text
//! order     type u8, market kind u8, direction u8, user order id u8, base u64, price u64, market u16,
//!           reduce only bool, post only u8, bit flags u8, max ts `Option<i64>`, trigger price `Option<u64>`,
//!           trigger condition u8, then
//! Drift v2  oracle price offset `Option<i32>`, auction duration `Option<u8>`, auction start price `Option<i64>`,
//!           auction end price `Option<i64>`
//! Velocity  oracle price offset `Option<i64>`, activation delay slots `Option<u32>`, builder `Option<u8>`,
//!           builder fee `Option<u16>`
//! ```
//!
//! A modification has the same fields as Options from direction to the offset, in Drift v2 the three auction
//! fields, then the policy `Option<u8>`.

use wire::Why;

use super::cursor::{Cursor, out_of_range};
use super::rules::{MarketKind, Program};

/// Declares a fieldless Borsh enum: its tags, its reader and the variants' names in the IDL.
macro_rules! tags {
    (
        $(#[$meta:meta])*
        pub enum $name:ident, last $last:literal {
            $($(#[$variant_meta:meta])* $variant:ident = $tag:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Why> {
                match cursor.u8()? {
                    $($tag => Ok(Self::$variant),)+
                    other => Err(out_of_range(other, $last)),
                }
            }

            /// The Borsh tag.
            #[must_use]
            pub const fn tag(self) -> u8 {
                match self {
                    $(Self::$variant => $tag,)+
                }
            }

            /// The name in the IDL.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($variant),)+
                }
            }
        }
    };
}

tags! {
    /// How an order finds its price.
    pub enum OrderType, last 4 {
        /// At the auction's price, then at any.
        Market = 0,
        /// At the limit price or better.
        Limit = 1,
        /// A market order once the trigger is met.
        TriggerMarket = 2,
        /// A limit order once the trigger is met.
        TriggerLimit = 3,
        /// At an offset from the oracle's price.
        Oracle = 4,
    }
}

tags! {
    /// Buy or sell.
    pub enum Direction, last 1 {
        /// Buy.
        Long = 0,
        /// Sell.
        Short = 1,
    }
}

tags! {
    /// Whether the order may take.
    pub enum PostOnly, last 3 {
        /// It may.
        None = 0,
        /// It fails where it would.
        MustPostOnly = 1,
        /// It is not placed where it would.
        TryPostOnly = 2,
        /// Its price moves where it would.
        Slide = 3,
    }
}

tags! {
    /// When a trigger is met.
    pub enum TriggerCondition, last 3 {
        /// At or above the trigger price.
        Above = 0,
        /// At or below the trigger price.
        Below = 1,
        /// It was, above.
        TriggeredAbove = 2,
        /// It was, below.
        TriggeredBelow = 3,
    }
}

pub(super) fn read_market_kind(cursor: &mut Cursor<'_>) -> Result<MarketKind, Why> {
    match cursor.u8()? {
        0 => Ok(MarketKind::Spot),
        1 => Ok(MarketKind::Perp),
        other => Err(out_of_range(other, 1)),
    }
}

/// An order to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderParams {
    /// How it finds its price.
    pub order_type: OrderType,
    /// Spot or perpetual.
    pub market_kind: MarketKind,
    /// Buy or sell.
    pub direction: Direction,
    /// The user's number, 0 for none.
    pub user_order_id: u8,
    /// Size in the market's base precision.
    pub base: u64,
    /// Limit price, 10^-6 of the quote; 0 for none.
    pub price: u64,
    /// The market.
    pub market_index: u16,
    /// Whether it may only shrink a position.
    pub reduce_only: bool,
    /// Whether it may take.
    pub post_only: PostOnly,
    /// 1 immediate or cancel, 2 raise the leverage mode, others by later versions.
    pub bit_flags: u8,
    /// When it expires, seconds.
    pub max_ts: Option<i64>,
    /// Trigger price, 10^-6 of the quote.
    pub trigger_price: Option<u64>,
    /// When the trigger is met.
    pub trigger_condition: TriggerCondition,
    /// Limit price as an offset from the oracle's, 10^-6 of the quote.
    pub oracle_price_offset: Option<i64>,
    /// Length of the auction in slots (Drift v2).
    pub auction_duration: Option<u8>,
    /// Price at the auction's start; for oracle orders, and limit orders with an offset, an offset (Drift v2).
    pub auction_start_price: Option<i64>,
    /// Price at the auction's end; likewise (Drift v2).
    pub auction_end_price: Option<i64>,
    /// Slots until it becomes active (Velocity).
    pub activation_delay_slots: Option<u32>,
    /// Which of the user's approved builders earns on it (Velocity).
    pub builder_idx: Option<u8>,
    /// What the builder earns, tenths of a basis point (Velocity).
    pub builder_fee_tenth_bps: Option<u16>,
}

impl OrderParams {
    pub(super) fn read(program: Program, cursor: &mut Cursor<'_>) -> Result<Self, Why> {
        let order = Self {
            order_type: OrderType::read(cursor)?,
            market_kind: read_market_kind(cursor)?,
            direction: Direction::read(cursor)?,
            user_order_id: cursor.u8()?,
            base: cursor.u64()?,
            price: cursor.u64()?,
            market_index: cursor.u16()?,
            reduce_only: cursor.bool()?,
            post_only: PostOnly::read(cursor)?,
            bit_flags: cursor.u8()?,
            max_ts: cursor.option(Cursor::i64)?,
            trigger_price: cursor.option(Cursor::u64)?,
            trigger_condition: TriggerCondition::read(cursor)?,
            oracle_price_offset: None,
            auction_duration: None,
            auction_start_price: None,
            auction_end_price: None,
            activation_delay_slots: None,
            builder_idx: None,
            builder_fee_tenth_bps: None,
        };
        Ok(match program {
            Program::DriftV2 => Self {
                oracle_price_offset: cursor.option(Cursor::i32)?.map(i64::from),
                auction_duration: cursor.option(Cursor::u8)?,
                auction_start_price: cursor.option(Cursor::i64)?,
                auction_end_price: cursor.option(Cursor::i64)?,
                ..order
            },
            Program::VelocityV1 => Self {
                oracle_price_offset: cursor.option(Cursor::i64)?,
                activation_delay_slots: cursor.option(Cursor::u32)?,
                builder_idx: cursor.option(Cursor::u8)?,
                builder_fee_tenth_bps: cursor.option(Cursor::u16)?,
                ..order
            },
        })
    }
}

/// The bit of [`OrderParams::bit_flags`] under which an order never rests.
pub(super) const IMMEDIATE_OR_CANCEL: u8 = 1;

/// What a modification changes; what is not there stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModifyOrderParams {
    /// Buy or sell.
    pub direction: Option<Direction>,
    /// Size in the market's base precision.
    pub base: Option<u64>,
    /// Limit price, 10^-6 of the quote.
    pub price: Option<u64>,
    /// Whether it may only shrink a position.
    pub reduce_only: Option<bool>,
    /// Whether it may take.
    pub post_only: Option<PostOnly>,
    /// As in [`OrderParams`].
    pub bit_flags: Option<u8>,
    /// When it expires, seconds.
    pub max_ts: Option<i64>,
    /// Trigger price, 10^-6 of the quote.
    pub trigger_price: Option<u64>,
    /// When the trigger is met.
    pub trigger_condition: Option<TriggerCondition>,
    /// Limit price as an offset from the oracle's, 10^-6 of the quote.
    pub oracle_price_offset: Option<i64>,
    /// Length of the auction in slots (Drift v2).
    pub auction_duration: Option<u8>,
    /// Price at the auction's start (Drift v2).
    pub auction_start_price: Option<i64>,
    /// Price at the auction's end (Drift v2).
    pub auction_end_price: Option<i64>,
    /// 1 fail where the order is not there, 2 leave out what was filled meanwhile.
    pub policy: Option<u8>,
}

/// The two bits of [`ModifyOrderParams::policy`].
const POLICY_MAX: u8 = 3;

impl ModifyOrderParams {
    pub(super) fn read(program: Program, cursor: &mut Cursor<'_>) -> Result<Self, Why> {
        let params = Self {
            direction: cursor.option(Direction::read)?,
            base: cursor.option(Cursor::u64)?,
            price: cursor.option(Cursor::u64)?,
            reduce_only: cursor.option(Cursor::bool)?,
            post_only: cursor.option(PostOnly::read)?,
            bit_flags: cursor.option(Cursor::u8)?,
            max_ts: cursor.option(Cursor::i64)?,
            trigger_price: cursor.option(Cursor::u64)?,
            trigger_condition: cursor.option(TriggerCondition::read)?,
            oracle_price_offset: None,
            auction_duration: None,
            auction_start_price: None,
            auction_end_price: None,
            policy: None,
        };
        let params = match program {
            Program::DriftV2 => Self {
                oracle_price_offset: cursor.option(Cursor::i32)?.map(i64::from),
                auction_duration: cursor.option(Cursor::u8)?,
                auction_start_price: cursor.option(Cursor::i64)?,
                auction_end_price: cursor.option(Cursor::i64)?,
                ..params
            },
            Program::VelocityV1 => Self { oracle_price_offset: cursor.option(Cursor::i64)?, ..params },
        };
        let policy = cursor.option(|cursor| match cursor.u8()? {
            policy @ ..=POLICY_MAX => Ok(policy),
            other => Err(out_of_range(other, POLICY_MAX)),
        })?;
        Ok(Self { policy, ..params })
    }
}
