//! The one place that reads clocks.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use wire::Now;

/// Makes [`Now`]: milliseconds since this value was made, and wall time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    boot: Instant,
}

impl Clock {
    /// A clock whose monotonic time starts at zero here.
    #[must_use]
    #[allow(clippy::disallowed_methods)] // the serve loop is where time enters
    pub fn start() -> Self {
        Self { boot: Instant::now() }
    }

    /// The time now. A wall clock before 1970 reads as 0, which every deadline and window refuses.
    #[must_use]
    #[allow(clippy::disallowed_methods)] // the serve loop is where time enters
    pub fn now(&self) -> Now {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Now {
            monotonic_ms: u64::try_from(self.boot.elapsed().as_millis()).unwrap_or(u64::MAX),
            wall_ms: u64::try_from(wall.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
