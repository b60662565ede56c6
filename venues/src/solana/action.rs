//! What an instruction asks for, and where its accounts stand.

use super::order::{Direction, IMMEDIATE_OR_CANCEL, ModifyOrderParams, OrderParams};
use super::orders::Orders;
use super::rules::MarketKind;
use crate::Effect;

/// What an instruction of Drift v2 or Velocity asks for, under the names of the IDL.
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
    /// Move tokens of the authority into the user account.
    Deposit(Movement),
    /// Move tokens out of the user account.
    Withdraw(Movement),
}

/// Tokens that move between a token account and the vault of a spot market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movement {
    /// The spot market.
    pub market_index: u16,
    /// Amount, in the token's smallest unit.
    pub amount: u64,
    /// A deposit that only pays back what was borrowed; a withdrawal that borrows nothing.
    pub reduce_only: bool,
}

impl<'f> Action<'f> {
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
            Self::Deposit(_) => "deposit",
            Self::Withdraw(_) => "withdraw",
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
            | Self::SettleMultiplePnls { .. }
            | Self::Deposit(_)
            | Self::Withdraw(_) => None,
        }
    }

    /// What it can do to the desk's risk. A cancel takes orders away, whichever, also one that would have closed a
    /// position. Settling moves money within the account and is neither.
    pub(super) fn effect(&self) -> Effect {
        let reduces = |is_reducing: bool| if is_reducing { Effect::Reduces } else { Effect::Opens };
        match self {
            Self::CancelOrder { .. }
            | Self::CancelOrderByUserId { .. }
            | Self::CancelOrders { .. }
            | Self::CancelOrdersByIds { .. } => Effect::Cancels,
            Self::PlacePerpOrder(orders)
            | Self::PlaceSpotOrder(orders)
            | Self::PlaceOrders(orders)
            | Self::PlaceAndTakePerpOrder { orders, .. } => {
                let are_reducing = orders.iter().all(|order| order.is_ok_and(|order| is_reducing(&order)));
                reduces(are_reducing && orders.count() > 0)
            }
            Self::ModifyOrder { params, .. } | Self::ModifyOrderByUserId { params, .. } => {
                reduces(params.reduce_only == Some(true) && asks_no_more(params.bit_flags.unwrap_or(0)))
            }
            Self::SettlePnl { .. }
            | Self::SettleMultiplePnls { .. }
            | Self::Deposit(_)
            | Self::Withdraw(_) => Effect::Opens,
        }
    }

    /// Where its named accounts stand and how many it has.
    pub(super) const fn roles(&self) -> Roles {
        const NONE: Roles = Roles { user_stats: None, authority: 2, movement: None, least: 3 };
        match self {
            Self::PlaceAndTakePerpOrder { .. } => {
                Roles { user_stats: Some(2), authority: 3, movement: None, least: 4 }
            }
            Self::SettlePnl { .. } | Self::SettleMultiplePnls { .. } => Roles { least: 4, ..NONE },
            Self::Deposit(_) => {
                let movement = MovementRoles { vault: 4, signer: None, token_account: 5, token_program: 6 };
                Roles { user_stats: Some(2), authority: 3, movement: Some(movement), least: 7 }
            }
            Self::Withdraw(_) => {
                let movement =
                    MovementRoles { vault: 4, signer: Some(5), token_account: 6, token_program: 7 };
                Roles { user_stats: Some(2), authority: 3, movement: Some(movement), least: 8 }
            }
            Self::PlacePerpOrder(_)
            | Self::PlaceSpotOrder(_)
            | Self::PlaceOrders(_)
            | Self::CancelOrder { .. }
            | Self::CancelOrderByUserId { .. }
            | Self::CancelOrders { .. }
            | Self::CancelOrdersByIds { .. }
            | Self::ModifyOrder { .. }
            | Self::ModifyOrderByUserId { .. } => NONE,
        }
    }
}

/// Whether an order can only shrink a position.
pub(super) const fn is_reducing(order: &OrderParams) -> bool {
    order.reduce_only && asks_no_more(order.bit_flags)
}

/// Bits other than immediate-or-cancel ask for more than the order, such as another leverage of the account.
const fn asks_no_more(bit_flags: u8) -> bool {
    bit_flags & !IMMEDIATE_OR_CANCEL == 0
}

/// Positions of an instruction's named accounts; state is always 0 and user always 1.
pub(super) struct Roles {
    pub(super) user_stats: Option<usize>,
    pub(super) authority: usize,
    pub(super) movement: Option<MovementRoles>,
    pub(super) least: usize,
}

/// Positions of the accounts that only deposits and withdrawals have.
pub(super) struct MovementRoles {
    pub(super) vault: usize,
    pub(super) signer: Option<usize>,
    pub(super) token_account: usize,
    pub(super) token_program: usize,
}
