//! The share of others in an order's outputs, held wherever the amounts can be when the order is filled.
//!
//! | type | what moves the amounts | where the share is held |
//! |---|---|---|
//! | ExclusiveDutch, V2Dutch | time, all outputs at once and linearly | start and end |
//! | Priority | a priority fee, each output by its own `mpsPerPriorityFeeWei` | start; others scale no faster |
//! | V3Dutch | a curve for each, the base fee | start, end and every point of the curves |
//!
//! Of a V3 order nothing to others can rise above its start, and the curves of the own token's outputs have the
//! same blocks, or no points: between two of their points all amounts are linear, so the share holds there too.
//! An own output that the base fee can push down counts with its `minAmount` everywhere. Linear amounts are
//! rounded by the reactor: the share holds to a base unit for each output.
//!
//! What a cosigner adds to a start is not here: it can only be more, and comes out of the filler's pocket.

use wire::{Refusal, Shown, Why};

use super::curve::CURVE_POINTS_MAX;
use super::judge::{require_at_most, uint256};
use super::order::{Output, Witness};
use super::rules::OrderType;
use super::swap::{Product, sum};
use crate::{Address, U256};

/// Basis points in a whole.
const BPS: U256 = U256::from_limbs([10_000, 0, 0, 0]);

/// Judges the outputs of a witness that has some to others than `account`.
pub(super) fn judge(
    witness: &Witness<'_>,
    own_token: &Address,
    share_max_bps: u32,
    account: &Address,
) -> Result<(), Why> {
    let share_max_bps = U256::from(share_max_bps);
    if share_max_bps >= BPS {
        // All of it is no limit, wherever the amounts go.
        return Ok(());
    }
    let shares = Shares { outputs: witness.outputs.as_slice(), own_token, share_max_bps, account };
    shares.require_at(lowest_start)?;
    shares.require_at(|output| output.min_amount)?;
    match witness.order_type {
        OrderType::ExclusiveDutch | OrderType::V2Dutch => Ok(()),
        OrderType::Priority => shares.require_scaling(),
        OrderType::V3Dutch => shares.require_curves(),
    }
}

struct Shares<'a, 's> {
    outputs: &'a [Output<'s>],
    own_token: &'a Address,
    share_max_bps: U256,
    account: &'a Address,
}

impl<'a, 's> Shares<'a, 's> {
    fn is_other(&self, output: &Output<'_>) -> bool {
        output.recipient != *self.account
    }

    fn others(&self) -> impl Iterator<Item = (usize, &'a Output<'s>)> {
        self.outputs.iter().enumerate().filter(|(_, output)| self.is_other(output))
    }

    fn of_token(&self) -> impl Iterator<Item = (usize, &'a Output<'s>)> {
        self.outputs.iter().enumerate().filter(|(_, output)| output.token == *self.own_token)
    }

    fn require_at(&self, amount: fn(&Output<'_>) -> U256) -> Result<(), Why> {
        let of = |others: bool| {
            let outputs = self.of_token().filter(move |(_, output)| self.is_other(output) == others);
            sum(outputs.map(|(_, output)| amount(output)))
        };
        self.require_share(of(true), of(false))
    }

    fn require_share(&self, others: U256, own: U256) -> Result<(), Why> {
        let all = others.saturating_add(own);
        let (taken, allowed): (Product, Product) =
            (others.widening_mul(BPS), all.widening_mul(self.share_max_bps));
        if taken <= allowed {
            return Ok(());
        }
        Err(Why::new(Refusal::OutputShareAboveCap)
            .observed(uint256(others))
            .limit(Shown::Uint256(self.share_max_bps.to_be_bytes())))
    }

    /// Every output to others scales at most as the slowest own one.
    fn require_scaling(&self) -> Result<(), Why> {
        let own = self.of_token().filter(|(_, output)| !self.is_other(output));
        let slowest = own.map(|(_, output)| output.mps_per_priority_fee_wei).min().unwrap_or_default();
        for (at, output) in self.others() {
            require_at_most(output.mps_per_priority_fee_wei, slowest, Refusal::OutputScalesAboveOwn)
                .map_err(|why| why.subject(at))?;
        }
        Ok(())
    }

    fn require_curves(&self) -> Result<(), Why> {
        for (at, output) in self.others() {
            if output.curve.can_rise() {
                return Err(Why::new(Refusal::OutputToOthersRises).subject(at));
            }
        }
        let mut blocks = None;
        let mut others = [U256::ZERO; CURVE_POINTS_MAX];
        let mut own = [U256::ZERO; CURVE_POINTS_MAX];
        for (at, output) in self.of_token() {
            if let Some(packed) = output.curve.packed_blocks()
                && *blocks.get_or_insert(packed) != packed
            {
                return Err(Why::new(Refusal::OutputCurvesDiffer).subject(at));
            }
            add_points(output, if self.is_other(output) { &mut others } else { &mut own });
        }
        // Beyond the last point both sides stay where they are told to be there.
        others.iter().zip(&own).try_for_each(|(others, own)| self.require_share(*others, *own))
    }
}

/// The least that an output can be before its curve moves it.
fn lowest_start(output: &Output<'_>) -> U256 {
    if output.curve.can_be_adjusted() { output.min_amount } else { output.start_amount }
}

/// Adds what an output is, at the least, at each point of its curve; where that ends it stays.
fn add_points(output: &Output<'_>, sums: &mut [U256; CURVE_POINTS_MAX]) {
    let mut relative_amounts = output.curve.relative_amounts();
    let mut amount = lowest_start(output);
    for sum in sums {
        if let Some(relative) = relative_amounts.next()
            && !output.curve.can_be_adjusted()
        {
            amount = if relative.is_negative {
                output.start_amount.saturating_add(relative.magnitude)
            } else {
                output.start_amount.saturating_sub(relative.magnitude).max(output.min_amount)
            };
        }
        *sum = sum.saturating_add(amount);
    }
}
