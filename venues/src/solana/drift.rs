//! Drift v2's instructions: discriminators and Borsh layouts, as its published IDL states them.
//!
//! ```text
//! data    discriminator 8 (SHA-256 of "global:<snake_case name>"), arguments (Borsh, little-endian)
//! order   see `order.rs`
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
//! | deposit | u16 spot market, u64 amount, bool reduce only | state, user w, user stats w, authority s, spot market vault w, token account w, token program |
//! | withdraw | the same | state, user w, user stats w, authority s, spot market vault w, program's signer, token account w, token program |
//!
//! The markets and oracles that the program needs follow these accounts.
//!
//! Guarantees: the data are consumed to the last byte; every tag is one that the IDL names.
//! Refuses: every other instruction of the program, by its absence from this table.

use wire::{Refusal, Why};

use super::action::{Action, Movement};
use super::cursor::{Cursor, out_of_range};
use super::order::{Direction, ModifyOrderParams, read_market_kind};
use super::orders::Orders;
use super::rules::{MarketKind, Program};
use crate::AccountKey;

/// Drift v2, dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH.
pub const DRIFT_V2: AccountKey = [
    9, 84, 219, 190, 158, 201, 96, 201, 138, 122, 41, 63, 226, 19, 54, 150, 111, 225, 128, 209, 81, 174, 75,
    129, 121, 86, 31, 137, 133, 74, 83, 246,
];

const DRIFT: Program = Program::DriftV2;

/// Reads the arguments of the instruction with this discriminator.
pub(super) fn read_arguments<'f>(
    discriminator: &[u8; 8],
    cursor: &mut Cursor<'f>,
) -> Result<Action<'f>, Why> {
    Ok(match *discriminator {
        [0x45, 0xa1, 0x5d, 0xca, 0x78, 0x7e, 0x4c, 0xb9] => {
            Action::PlacePerpOrder(Orders::read_one_of(DRIFT, MarketKind::Perp, cursor)?)
        }
        [0x2d, 0x4f, 0x51, 0xa0, 0xf8, 0x5a, 0x5b, 0xdc] => {
            Action::PlaceSpotOrder(Orders::read_one_of(DRIFT, MarketKind::Spot, cursor)?)
        }
        [0x3c, 0x3f, 0x32, 0x7b, 0x0c, 0xc5, 0x3c, 0xbe] => {
            Action::PlaceOrders(Orders::read_list(DRIFT, cursor)?)
        }
        [0xd5, 0x33, 0x01, 0xbb, 0x6c, 0xdc, 0xe6, 0xe0] => Action::PlaceAndTakePerpOrder {
            orders: Orders::read_one_of(DRIFT, MarketKind::Perp, cursor)?,
            success_condition: cursor.option(Cursor::u32)?,
        },
        [0x5f, 0x81, 0xed, 0xf0, 0x08, 0x31, 0xdf, 0x84] => {
            Action::CancelOrder { order_id: cursor.option(Cursor::u32)? }
        }
        [0x6b, 0xd3, 0xfa, 0x85, 0x12, 0x25, 0x39, 0x64] => {
            Action::CancelOrderByUserId { user_order_id: cursor.u8()? }
        }
        [0xee, 0xe1, 0x5f, 0x9e, 0xe3, 0x67, 0x08, 0xc2] => Action::CancelOrders {
            market_kind: cursor.option(read_market_kind)?,
            market_index: cursor.option(Cursor::u16)?,
            direction: cursor.option(Direction::read)?,
        },
        [0x86, 0x13, 0x90, 0xa5, 0x5e, 0xf0, 0xd2, 0x5e] => {
            Action::CancelOrdersByIds { order_ids: read_array(cursor)? }
        }
        [0x2f, 0x7c, 0x75, 0xff, 0xc9, 0xc5, 0x82, 0x5e] => Action::ModifyOrder {
            order_id: cursor.option(Cursor::u32)?,
            params: ModifyOrderParams::read(DRIFT, cursor)?,
        },
        [0x9e, 0x4d, 0x04, 0xfd, 0xfc, 0xc2, 0xa1, 0xb3] => Action::ModifyOrderByUserId {
            user_order_id: cursor.u8()?,
            params: ModifyOrderParams::read(DRIFT, cursor)?,
        },
        [0x2b, 0x3d, 0xea, 0x2d, 0x0f, 0x5f, 0x98, 0x99] => Action::SettlePnl { market_index: cursor.u16()? },
        [0x7f, 0x42, 0x75, 0x39, 0x28, 0x32, 0x98, 0x7f] => Action::SettleMultiplePnls {
            market_indexes: read_array(cursor)?,
            must_settle: read_settle_mode(cursor)?,
        },
        [0xf2, 0x23, 0xc6, 0x89, 0x52, 0xe1, 0xf2, 0xb6] => Action::Deposit(read_movement(cursor)?),
        [0xb7, 0x12, 0x46, 0x9c, 0x94, 0x6d, 0xa1, 0x22] => Action::Withdraw(read_movement(cursor)?),
        _ => return Err(Why::new(Refusal::InstructionNotSupported)),
    })
}

fn read_movement(cursor: &mut Cursor<'_>) -> Result<Movement, Why> {
    Ok(Movement { market_index: cursor.u16()?, amount: cursor.u64()?, reduce_only: cursor.bool()? })
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
