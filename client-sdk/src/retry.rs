//! Pauses between attempts: each twice as long as the one before, half of it left to chance, and an end.

use std::time::Duration;

use transport::SessionError;

use crate::Config;
use crate::error::SignError;

#[derive(Debug)]
pub(crate) struct Retry {
    attempts_max: u32,
    pause_min: Duration,
    pause_max: Duration,
    attempts: u32,
    /// State of a xorshift generator, never zero.
    chance: u64,
}

impl Retry {
    pub(crate) fn new(config: &Config, seed: u64) -> Self {
        Self {
            attempts_max: config.attempts_max,
            pause_min: config.pause_min,
            pause_max: config.pause_max,
            attempts: 0,
            chance: seed | 1,
        }
    }

    /// A new request: the count starts again.
    pub(crate) fn start(&mut self) {
        self.attempts = 0;
    }

    /// Sleeps before the next attempt, or gives up with what went wrong in the last one.
    pub(crate) fn pause(&mut self, trouble: SessionError) -> Result<(), SignError> {
        self.attempts = self.attempts.saturating_add(1);
        if self.attempts >= self.attempts_max {
            return Err(SignError::NotConnected { attempts: self.attempts, trouble });
        }
        std::thread::sleep(self.next_pause());
        Ok(())
    }

    fn next_pause(&mut self) -> Duration {
        let doublings = self.attempts.saturating_sub(1).min(20);
        let whole = self.pause_min.saturating_mul(1 << doublings).min(self.pause_max);
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        let half = whole / 2;
        let part = u32::try_from(self.chance % 1024).unwrap_or(0);
        half.saturating_add(half.saturating_mul(part) / 1024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(seed: u64) -> Retry {
        Retry {
            attempts_max: 6,
            pause_min: Duration::from_millis(10),
            pause_max: Duration::from_millis(100),
            attempts: 0,
            chance: seed | 1,
        }
    }

    #[test]
    fn a_pause_doubles_up_to_its_cap_and_half_of_it_is_chance() {
        for seed in 0..100 {
            let mut retry = retry(seed);
            for whole_ms in [10, 20, 40, 80, 100, 100] {
                retry.attempts += 1;
                let whole = Duration::from_millis(whole_ms);
                let pause = retry.next_pause();
                assert!(pause >= whole / 2 && pause <= whole, "{pause:?} of {whole:?}");
            }
        }
    }

    #[test]
    fn two_clients_do_not_pause_in_step() {
        let pauses = |seed| {
            let mut retry = retry(seed);
            (0..4).map(|_| retry.next_pause()).collect::<Vec<_>>()
        };
        assert_ne!(pauses(3), pauses(5));
    }

    #[test]
    fn the_last_attempt_gives_up_without_a_pause() {
        let mut retry = retry(1);
        retry.attempts = retry.attempts_max - 1;
        let error = retry.pause(SessionError::Closed).unwrap_err();
        assert!(matches!(error, SignError::NotConnected { attempts: 6, .. }));
    }
}
