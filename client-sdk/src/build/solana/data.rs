//! Borsh data of instructions and Swift messages.

use venues::solana::rules::Program;
use venues::solana::{ModifyOrderParams, OrderParams};

use super::BuildError;

/// Borsh, as far as these instructions need it.
pub(super) struct Data(pub(super) Vec<u8>);

impl Data {
    pub(super) fn of(discriminator: [u8; 8]) -> Self {
        Self(discriminator.to_vec())
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    pub(super) fn option<const N: usize>(self, value: Option<[u8; N]>) -> Self {
        match value {
            None => self.bytes(&[0]),
            Some(value) => self.bytes(&[1]).bytes(&value),
        }
    }

    pub(super) fn count(self, count: usize) -> Result<Self, BuildError> {
        let count = u32::try_from(count).map_err(|_| BuildError::ListTooLong)?;
        Ok(self.bytes(&count.to_le_bytes()))
    }

    /// # Errors
    /// [`BuildError::FieldNotInLayout`].
    pub(super) fn order(self, program: Program, order: &OrderParams) -> Result<Self, BuildError> {
        let data = self
            .bytes(&[
                order.order_type.tag(),
                order.market_kind as u8,
                order.direction.tag(),
                order.user_order_id,
            ])
            .bytes(&order.base.to_le_bytes())
            .bytes(&order.price.to_le_bytes())
            .bytes(&order.market_index.to_le_bytes())
            .bytes(&[order.reduce_only.into(), order.post_only.tag(), order.bit_flags])
            .option(order.max_ts.map(i64::to_le_bytes))
            .option(order.trigger_price.map(u64::to_le_bytes))
            .bytes(&[order.trigger_condition.tag()])
            .offset(program, order.oracle_price_offset)?;
        let auction = (order.auction_duration, order.auction_start_price, order.auction_end_price);
        let velocity = (order.activation_delay_slots, order.builder_idx, order.builder_fee_tenth_bps);
        match program {
            Program::DriftV2 if velocity == (None, None, None) => Ok(data.auction(auction)),
            Program::VelocityV1 if auction == (None, None, None) => Ok(data
                .option(velocity.0.map(u32::to_le_bytes))
                .option(velocity.1.map(u8::to_le_bytes))
                .option(velocity.2.map(u16::to_le_bytes))),
            Program::DriftV2 | Program::VelocityV1 => Err(BuildError::FieldNotInLayout),
        }
    }

    /// # Errors
    /// [`BuildError::FieldNotInLayout`].
    pub(super) fn modification(
        self,
        program: Program,
        params: &ModifyOrderParams,
    ) -> Result<Self, BuildError> {
        let data = self
            .option(params.direction.map(|value| [value.tag()]))
            .option(params.base.map(u64::to_le_bytes))
            .option(params.price.map(u64::to_le_bytes))
            .option(params.reduce_only.map(|value| [value.into()]))
            .option(params.post_only.map(|value| [value.tag()]))
            .option(params.bit_flags.map(u8::to_le_bytes))
            .option(params.max_ts.map(i64::to_le_bytes))
            .option(params.trigger_price.map(u64::to_le_bytes))
            .option(params.trigger_condition.map(|value| [value.tag()]))
            .offset(program, params.oracle_price_offset)?;
        let auction = (params.auction_duration, params.auction_start_price, params.auction_end_price);
        let data = match program {
            Program::DriftV2 => data.auction(auction),
            Program::VelocityV1 if auction == (None, None, None) => data,
            Program::VelocityV1 => return Err(BuildError::FieldNotInLayout),
        };
        Ok(data.option(params.policy.map(u8::to_le_bytes)))
    }

    /// 32 bits in Drift v2, 64 in Velocity.
    fn offset(self, program: Program, offset: Option<i64>) -> Result<Self, BuildError> {
        match program {
            Program::DriftV2 => {
                let narrow = |offset| i32::try_from(offset).map_err(|_| BuildError::FieldNotInLayout);
                Ok(self.option(offset.map(narrow).transpose()?.map(i32::to_le_bytes)))
            }
            Program::VelocityV1 => Ok(self.option(offset.map(i64::to_le_bytes))),
        }
    }

    fn auction(self, (duration, start, end): (Option<u8>, Option<i64>, Option<i64>)) -> Self {
        self.option(duration.map(u8::to_le_bytes))
            .option(start.map(i64::to_le_bytes))
            .option(end.map(i64::to_le_bytes))
    }
}
