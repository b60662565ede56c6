//! The orders of one instruction.

use wire::{Refusal, Shown, Why};

use super::cursor::Cursor;
use super::order::OrderParams;
use super::rules::{MarketKind, Program};

/// Most orders of one placeOrders: as many as a user account holds open.
pub const ORDERS_MAX: u32 = 32;

/// Orders of one instruction, read once to their end and told again on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders<'f> {
    program: Program,
    count: u32,
    bytes: &'f [u8],
}

impl<'f> Orders<'f> {
    /// One order, of a market of this kind.
    pub(super) fn read_one_of(
        program: Program,
        kind: MarketKind,
        cursor: &mut Cursor<'f>,
    ) -> Result<Self, Why> {
        let before = cursor.rest();
        let order = OrderParams::read(program, cursor)?;
        if order.market_kind == kind {
            return Ok(Self { program, count: 1, bytes: read_since(before, cursor) });
        }
        Err(Why::new(Refusal::MarketTypeDiffers))
    }

    /// A Borsh `Vec` of orders.
    pub(super) fn read_list(program: Program, cursor: &mut Cursor<'f>) -> Result<Self, Why> {
        let count = cursor.u32()?;
        if count > ORDERS_MAX {
            return Err(Why::new(Refusal::InstructionDataMalformed)
                .observed(Shown::uint(count.into()))
                .limit(Shown::uint(ORDERS_MAX.into())));
        }
        let before = cursor.rest();
        for _ in 0..count {
            OrderParams::read(program, cursor)?;
        }
        Ok(Self { program, count, bytes: read_since(before, cursor) })
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The orders, exactly `count` of them. Orders that were read yield no error.
    pub fn iter(&self) -> impl Iterator<Item = Result<OrderParams, Why>> {
        let program = self.program;
        let mut cursor = Cursor::new(self.bytes, Refusal::InstructionDataMalformed);
        (0..self.count).map(move |_| OrderParams::read(program, &mut cursor))
    }
}

/// What `cursor` read since `before` was its rest.
fn read_since<'f>(before: &'f [u8], cursor: &Cursor<'f>) -> &'f [u8] {
    let size = before.len().saturating_sub(cursor.rest().len());
    before.get(..size).unwrap_or_default()
}
