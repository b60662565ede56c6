//! The level of one token bucket, exact.
//!
//! ```text
//! scaled      what is in it × refill_ms, so that a millisecond brings back `refill`, whole
//! capacity    capacity × refill_ms                        < 2^64 × 2^32 = 2^96
//! brought     refill × elapsed ms                         < 2^64 × 2^64 = 2^128
//! ```
//! Nothing is rounded on the way, and no book and no time overflows 128 bits: the one sum that could (level and what
//! is brought back) saturates far above any capacity, which caps it.

use book::Bucket;

/// What is in a bucket, as it was at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    scaled: u128,
    at_ms: u64,
}

impl Level {
    /// Empty at boot.
    pub(crate) const EMPTY: Self = Self { scaled: 0, at_ms: 0 };

    /// Full at a time, milliseconds since boot.
    pub(crate) fn full(bucket: &Bucket<'_>, at_ms: u64) -> Self {
        Self { scaled: capacity_scaled(bucket), at_ms }
    }

    /// What may be taken now, in the bucket's unit, rounded down. A time before the level's own brings nothing.
    pub(crate) fn available(&self, bucket: &Bucket<'_>, now_ms: u64) -> u64 {
        let units = self.scaled_at(bucket, now_ms).checked_div(bucket.refill_ms.into()).unwrap_or(0);
        u64::try_from(units).unwrap_or(u64::MAX)
    }

    /// Whether nothing more comes back.
    pub(crate) fn is_full(&self, bucket: &Bucket<'_>, now_ms: u64) -> bool {
        self.scaled_at(bucket, now_ms) == capacity_scaled(bucket)
    }

    /// Takes out what [`Level::available`] has said is there.
    pub(crate) fn take(&mut self, bucket: &Bucket<'_>, now_ms: u64, units: u64) {
        let taken = u128::from(units) * u128::from(bucket.refill_ms);
        self.scaled = self.scaled_at(bucket, now_ms).saturating_sub(taken);
        self.at_ms = self.at_ms.max(now_ms);
    }

    fn scaled_at(&self, bucket: &Bucket<'_>, now_ms: u64) -> u128 {
        let elapsed_ms = now_ms.saturating_sub(self.at_ms);
        let brought = u128::from(bucket.refill) * u128::from(elapsed_ms);
        self.scaled.saturating_add(brought).min(capacity_scaled(bucket))
    }
}

fn capacity_scaled(bucket: &Bucket<'_>) -> u128 {
    u128::from(bucket.capacity) * u128::from(bucket.refill_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets::samples::bucket;
    use proptest::prelude::*;
    use venues::U256;

    /// The same bucket in 256 bits, stepped from boot without ever saturating.
    fn model(bucket: &Bucket<'_>, steps: &[(u64, u64)]) -> std::vec::Vec<bool> {
        let big = |value: u64| U256::from(value);
        let capacity = big(bucket.capacity) * big(bucket.refill_ms.into());
        let (mut level, mut at) = (U256::ZERO, 0);
        let mut answers = std::vec::Vec::new();
        for (now, units) in steps {
            level = (level + big(bucket.refill) * big(now - at)).min(capacity);
            at = *now;
            let wanted = big(*units) * big(bucket.refill_ms.into());
            answers.push(wanted <= level);
            if wanted <= level {
                level -= wanted;
            }
        }
        answers
    }

    extern crate std;

    proptest! {
        #[test]
        fn a_level_is_exact_for_any_numbers(
            capacity in prop_oneof![any::<u64>(), 1_u64..50, Just(u64::MAX)],
            refill in prop_oneof![any::<u64>(), 1_u64..50, Just(u64::MAX)],
            refill_ms in prop_oneof![1..=u32::MAX, 1_u32..50, Just(u32::MAX)],
            steps in prop::collection::vec(
                (prop_oneof![0_u64..20, any::<u64>()], prop_oneof![0_u64..20, any::<u64>()]), 0..60),
        ) {
            let bucket = Bucket { capacity, refill, refill_ms, ..bucket() };
            let mut now = 0_u64;
            let steps: std::vec::Vec<_> = steps
                .into_iter()
                .map(|(step, units)| { now = now.saturating_add(step); (now, units) })
                .collect();
            let mut level = Level::EMPTY;
            let mut answers = std::vec::Vec::new();
            for (now, units) in &steps {
                let is_there = *units <= level.available(&bucket, *now);
                if is_there {
                    level.take(&bucket, *now, *units);
                }
                answers.push(is_there);
            }
            prop_assert_eq!(answers, model(&bucket, &steps));
        }
    }

    #[test]
    fn a_step_back_brings_nothing_then_or_later() {
        let bucket = Bucket { capacity: 100, refill: 1, refill_ms: 1, ..bucket() };
        let mut level = Level::EMPTY;
        level.take(&bucket, 50, 50);
        assert_eq!(level.available(&bucket, 40), 0);
        level.take(&bucket, 40, 0);
        assert_eq!(level.available(&bucket, 50), 0);
        assert_eq!(level.available(&bucket, 53), 3);
    }

    #[test]
    fn a_bucket_that_the_compiler_would_refuse_holds_nothing() {
        let bucket = Bucket { refill_ms: 0, ..bucket() };
        assert_eq!(Level::EMPTY.available(&bucket, u64::MAX), 0);
    }
}
