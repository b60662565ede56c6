//! Room for receipts, and the alarm before it ends.
//!
//! A disk that is full ends the relay: nothing is signed whose receipt cannot be kept. So it is said before.
//!
//! ```text
//! free   ≥ 4 segments           fine
//!        < 4 segments   Low     make room, or move closed segments of boots that are over elsewhere
//!        < 1 segment    Last    the relay will end soon
//! ```
//! Each is said when it begins, and again every [`SAY_AGAIN_LOOKS`] looks while it lasts. [`Alarm::Over`] is said
//! once, when there is an eighth more than the limit: free space that sways about it is not said every time.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

use super::ledger::SEGMENT_SIZE_MAX;

/// Free bytes below which the alarm begins.
const LOW: u64 = 4 * SEGMENT_SIZE_MAX;

/// Free bytes below which the end is near.
const LAST: u64 = SEGMENT_SIZE_MAX;

/// Looks after which a lasting alarm is said again.
const SAY_AGAIN_LOOKS: u32 = 60;

/// The room of a file system, in bytes, for who is not root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Free.
    pub free: u64,
    /// In all.
    pub total: u64,
}

impl Space {
    /// The room of the file system that `folder` lies on.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let stat = statvfs(folder)?;
        let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
        Ok(Self { free: bytes(stat.f_bavail), total: bytes(stat.f_blocks) })
    }
}

/// What there is to say about the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alarm {
    /// There is enough again.
    Over,
    /// It becomes scarce.
    Low,
    /// It ends.
    Last,
}

/// Watches the room.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    /// What was said last, unless it is over.
    said: Option<Alarm>,
    looks: u32,
}

impl Watch {
    /// Looks once. Returns what is to be said now.
    pub fn look(&mut self, space: Space) -> Option<Alarm> {
        let now = match space.free {
            free if free < LAST => Some(Alarm::Last),
            free if free < LOW => Some(Alarm::Low),
            _ => None,
        };
        self.looks = self.looks.saturating_add(1);
        match (self.said, now) {
            (None, None) => return None,
            (Some(_), None) if space.free < LOW.saturating_add(LOW / 8) => return None,
            (Some(_), None) => {
                *self = Self::default();
                return Some(Alarm::Over);
            }
            (Some(said), Some(now)) if now <= said && self.looks < SAY_AGAIN_LOOKS => return None,
            (_, Some(_)) => {}
        }
        *self = Self { said: now, looks: 0 };
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(free: u64) -> Space {
        Space { free, total: u64::MAX }
    }

    #[test]
    fn an_alarm_is_said_when_it_begins_when_it_worsens_and_when_it_is_over() {
        let mut watch = Watch::default();
        let said = [
            (u64::MAX, None),
            (LOW, None),
            (LOW - 1, Some(Alarm::Low)),
            (LOW - 2, None),
            (LAST, None),
            (LAST - 1, Some(Alarm::Last)),
            (0, None),
            (LAST, None),
            (LOW, None),
            (LOW + LOW / 8 - 1, None),
            (LOW + LOW / 8, Some(Alarm::Over)),
            (u64::MAX, None),
            (0, Some(Alarm::Last)),
        ];
        for (free, expected) in said {
            assert_eq!(watch.look(space(free)), expected, "{free}");
        }
    }

    #[test]
    fn a_lasting_alarm_is_said_again() {
        let mut watch = Watch::default();
        assert_eq!(watch.look(space(0)), Some(Alarm::Last));
        let said = (0..2 * SAY_AGAIN_LOOKS).filter(|_| watch.look(space(0)).is_some()).count();
        assert_eq!(said, 2);
    }

    #[test]
    fn the_room_of_a_real_file_system_is_told() {
        let space = Space::of(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(space.total > 0 && space.free <= space.total, "{space:?}");
    }
}
