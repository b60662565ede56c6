//! Velocity's instructions: Drift v2's successor, a program of its own with fresh accounts.
//!
//! | instruction | arguments | accounts |
//! |---|---|---|
//! | placePerpOrder | order | state, user w, authority s |
//! | placeOrders | u32 n, n × order | state, user w, authority s |
//! | placeAndTakePerpOrder | order, `Option<u32>` success condition | state, user w, user stats w, authority s |
//! | modifyOrderByUserId | u8, modification | state, user w, authority s |
//!
//! Discriminators and accounts are those of Drift v2, the orders' last fields are not (see `order.rs`): the bytes
//! of one program are often readable as the other's, with another meaning. So the program's id selects the
//! layout, and a message is only signed with the accounts that this program derives.
//!
//! Refuses: every other instruction of the program, by its absence from this table. That holds for spot orders,
//! which the program itself refuses (SpotDlobTradingDisabled), and for first bytes that it dispatches natively.

use wire::{Refusal, Why};

use super::action::Action;
use super::cursor::Cursor;
use super::order::ModifyOrderParams;
use super::orders::Orders;
use super::rules::{MarketKind, Program};
use crate::AccountKey;

/// Velocity, vELoC1audYbSYVRXn1vPaV8Axoa9oU6BYmNGZZBDZ1P.
pub const VELOCITY_V1: AccountKey = [
    13, 162, 222, 50, 93, 130, 241, 222, 120, 205, 77, 177, 103, 33, 15, 103, 45, 147, 250, 167, 129, 184,
    165, 217, 84, 183, 159, 1, 88, 249, 227, 150,
];

const VELOCITY: Program = Program::VelocityV1;

/// Reads the arguments of the instruction with this discriminator.
pub(super) fn read_arguments<'f>(
    discriminator: &[u8; 8],
    cursor: &mut Cursor<'f>,
) -> Result<Action<'f>, Why> {
    Ok(match *discriminator {
        [0x45, 0xa1, 0x5d, 0xca, 0x78, 0x7e, 0x4c, 0xb9] => {
            Action::PlacePerpOrder(Orders::read_one_of(VELOCITY, MarketKind::Perp, cursor)?)
        }
        [0x3c, 0x3f, 0x32, 0x7b, 0x0c, 0xc5, 0x3c, 0xbe] => {
            Action::PlaceOrders(Orders::read_list(VELOCITY, cursor)?)
        }
        [0xd5, 0x33, 0x01, 0xbb, 0x6c, 0xdc, 0xe6, 0xe0] => Action::PlaceAndTakePerpOrder {
            orders: Orders::read_one_of(VELOCITY, MarketKind::Perp, cursor)?,
            success_condition: cursor.option(Cursor::u32)?,
        },
        [0x9e, 0x4d, 0x04, 0xfd, 0xfc, 0xc2, 0xa1, 0xb3] => Action::ModifyOrderByUserId {
            user_order_id: cursor.u8()?,
            params: ModifyOrderParams::read(VELOCITY, cursor)?,
        },
        _ => return Err(Why::new(Refusal::InstructionNotSupported)),
    })
}
