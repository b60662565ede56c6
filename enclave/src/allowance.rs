//! A bound on what costs the vault something: so much at once, and so much a second.

/// An allowance, full at first. Counts thousandths, so that each millisecond brings its part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    burst: u32,
    per_second: u32,
    thousandths: u64,
    at_ms: u64,
}

impl Allowance {
    pub(crate) const fn new(burst: u32, per_second: u32) -> Self {
        Self { burst, per_second, thousandths: burst as u64 * 1_000, at_ms: 0 }
    }

    /// Takes one, if one is there.
    pub(crate) fn take(&mut self, now_ms: u64) -> bool {
        let passed_ms = now_ms.saturating_sub(self.at_ms);
        let brought = passed_ms.saturating_mul(self.per_second.into());
        self.at_ms = self.at_ms.max(now_ms);
        self.thousandths = self.thousandths.saturating_add(brought).min(u64::from(self.burst) * 1_000);
        match self.thousandths.checked_sub(1_000) {
            Some(rest) => {
                self.thousandths = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_its_burst_and_then_so_many_a_second() {
        let mut allowance = Allowance::new(4, 2);
        let taken = |allowance: &mut Allowance, now_ms| (0..100).filter(|_| allowance.take(now_ms)).count();
        assert_eq!(taken(&mut allowance, 10), 4);
        assert_eq!(taken(&mut allowance, 509), 0);
        assert_eq!(taken(&mut allowance, 510), 1);
        assert_eq!(taken(&mut allowance, 400), 0, "an earlier time brings nothing");
        assert_eq!(taken(&mut allowance, 1_510), 2);
        assert_eq!(taken(&mut allowance, u64::MAX), 4);
    }
}
