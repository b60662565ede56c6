//! How an amount of a V3 order moves (`UniswapX/src/lib/NonlinearDutchDecayLib.sol`).
//!
//! ```text
//! relativeBlocks   uint256   sixteen 16-bit blocks after the decay's start, the first in the lowest bits
//! relativeAmounts  int256[]  one for each block: amount there = startAmount - relativeAmount, bounded
//! ```
//! Between two points the amount is linear, after the last it stays. A *negative* relative amount is more than
//! the start. Before that the start itself moves by `adjustmentPerGweiBaseFee` for each gwei that the base fee
//! is away from the order's: an output is less when the base fee is higher, and more when it is lower.

use wire::{Refusal, Why};

use super::list::List;
use super::type_hashes as hashes;
use crate::U256;
use crate::json::Json;
use crate::typed_data::{Int256, Word, int256, members, struct_hash, uint_word, uint256};

/// Most points of a decay curve: as many 16-bit blocks as a uint256 packs.
pub const CURVE_POINTS_MAX: usize = 16;

/// `NonlinearDutchDecay` and the adjustment beside it. Of another order's amount it has no points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Curve<'s> {
    blocks: U256,
    points: usize,
    /// The amounts, which were read once: sixteen outputs of sixteen points would be 8 KiB in every payload.
    amounts: Option<Json<'s>>,
    is_ever_above_start: bool,
    pub(super) adjustment_per_gwei_base_fee: U256,
}

impl Curve<'_> {
    /// An amount that does not move.
    pub(super) const NONE: Self = Self {
        blocks: U256::ZERO,
        points: 0,
        amounts: None,
        is_ever_above_start: false,
        adjustment_per_gwei_base_fee: U256::ZERO,
    };

    /// Whether the blocks ascend as the reactor expects them to, as many as there are amounts.
    pub(super) fn ascends(&self) -> bool {
        is_ascending(self.blocks, self.points)
    }

    /// Whether curve or base fee can lift the amount above its start.
    pub(super) fn can_rise(&self) -> bool {
        self.is_ever_above_start || self.can_be_adjusted()
    }

    /// Whether the base fee moves the amount.
    pub(super) fn can_be_adjusted(&self) -> bool {
        !self.adjustment_per_gwei_base_fee.is_zero()
    }

    /// The packed blocks; none where there are no points.
    pub(super) fn packed_blocks(&self) -> Option<U256> {
        (self.points != 0).then_some(self.blocks)
    }

    /// The block of each point, counted from the decay's start.
    pub(super) fn relative_blocks(&self) -> impl Iterator<Item = u64> {
        let blocks = self.blocks;
        (0..self.points.min(CURVE_POINTS_MAX)).map(move |at| {
            let block = blocks.wrapping_shr(at.saturating_mul(16)) & U256::from(u16::MAX);
            u64::try_from(block).unwrap_or(u64::MAX)
        })
    }

    /// What each point is below the start; negative where it is above.
    pub(super) fn relative_amounts(&self) -> impl Iterator<Item = Int256> {
        let mut json = self.amounts.filter(|_| self.points != 0);
        let is_open = json.as_mut().is_some_and(|json| json.open_array().is_ok());
        (0..self.points.min(CURVE_POINTS_MAX)).map_while(move |at| {
            let json = json.as_mut().filter(|_| is_open)?;
            json.element(at == 0).ok().filter(|is_there| *is_there)?;
            int256(json).ok()
        })
    }
}

/// Reads a curve, without the adjustment that stands beside it.
pub(super) fn read_curve<'a>(json: &mut Json<'a>) -> Result<(Curve<'a>, Word), Why> {
    members!(json, {
        "relativeBlocks" => blocks: uint256(json),
        "relativeAmounts" => amounts: read_amounts(json),
    });
    let (mut curve, amounts_hash) = amounts;
    curve.blocks = blocks;
    let hash = struct_hash(&[hashes::NONLINEAR_DUTCH_DECAY, uint_word(&blocks), amounts_hash]);
    Ok((curve, hash))
}

fn read_amounts<'a>(json: &mut Json<'a>) -> Result<(Curve<'a>, Word), Why> {
    let amounts = Some(*json);
    let (rises, hash) = List::<bool, CURVE_POINTS_MAX>::read(json, Refusal::TooManyCurvePoints, |json| {
        let amount = int256(json)?;
        Ok((amount.is_negative, amount.word()))
    })?;
    let rises = rises.as_slice();
    let is_ever_above_start = rises.contains(&true);
    Ok((Curve { points: rises.len(), amounts, is_ever_above_start, ..Curve::NONE }, hash))
}

/// Whether `points` 16-bit blocks, the first in the lowest bits, ascend strictly and nothing stands above them.
fn is_ascending(blocks: U256, points: usize) -> bool {
    let bytes: [u8; 32] = blocks.to_le_bytes();
    let (pairs, _) = bytes.as_chunks::<2>();
    let mut earlier = None;
    pairs.iter().enumerate().all(|(at, pair)| {
        let block = u16::from_le_bytes(*pair);
        let fits = if at < points { earlier.is_none_or(|earlier| earlier < block) } else { block == 0 };
        earlier = Some(block);
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_of_a_curve_ascend_strictly_and_are_as_many_as_its_amounts() {
        let blocks = U256::from(0x0030_0020_u32);
        assert!(is_ascending(blocks, 2));
        assert!(is_ascending(U256::ZERO, 0));
        assert!(is_ascending(U256::from(0x0020_0000_u32), 2), "the first may be 0");
        for (blocks, points) in [(blocks, 1), (blocks, 3), (U256::from(0x0020_0020_u32), 2), (U256::MAX, 16)]
        {
            assert!(!is_ascending(blocks, points), "{blocks:x} {points}");
        }
    }
}
