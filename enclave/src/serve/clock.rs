//! The one place that reads clocks.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use wire::Now;

/// Makes [`Now`]: milliseconds since this value was made, and wall time.
///
/// Wall time is anchored: the time of the anchor and what has passed since by the monotonic clock. Whoever moves the
/// system's clock moves nothing here; the vault is told that the two disagree ([`Clock::system_wall_ms`]).
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    boot: Instant,
    anchor_ms: u64,
}

impl Clock {
    /// A clock whose monotonic time starts at zero here, and whose wall time is anchored in the system's.
    #[must_use]
    pub fn start() -> Self {
        Self::anchored(Self::system_wall_ms())
    }

    /// A clock whose monotonic time starts at zero here, at `anchor_ms` since the Unix epoch.
    #[must_use]
    #[allow(clippy::disallowed_methods)] // the serve loop is where time enters
    pub fn anchored(anchor_ms: u64) -> Self {
        Self { boot: Instant::now(), anchor_ms }
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Now {
        let monotonic_ms = u64::try_from(self.boot.elapsed().as_millis()).unwrap_or(u64::MAX);
        Now { monotonic_ms, wall_ms: self.anchor_ms.saturating_add(monotonic_ms) }
    }

    /// What the system's clock says, milliseconds since the Unix epoch; 0 before it, which every deadline and window
    /// refuses.
    #[must_use]
    #[allow(clippy::disallowed_methods)] // the serve loop is where time enters
    pub fn system_wall_ms() -> u64 {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(wall.as_millis()).unwrap_or(u64::MAX)
    }
}
