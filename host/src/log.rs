//! Log lines on standard error: `time level event key=value ..`. Never a byte of a payload.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As expected.
    Info,
    /// A peer misbehaves, or a connection was lost.
    Warn,
    /// The daemon cannot do its work.
    Error,
}

/// Writes a line. Values are written so that they stay one word: spaces, quotes and control characters are
/// escaped.
pub fn write(level: Level, event: &str, fields: &[(&str, &dyn fmt::Display)]) {
    let level = match level {
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    };
    let now_ms = now_ms();
    let mut line = format!("{}.{:03} {level} {event}", now_ms / 1000, now_ms % 1000);
    for (key, value) in fields {
        let _ = write!(line, " {key}=");
        let mut value_text = String::new();
        let _ = write!(value_text, "{value}");
        for character in value_text.chars() {
            match character {
                ' ' => line.push('_'),
                '"' | '\\' => line.extend(['\\', character]),
                control if control.is_control() => line.extend(control.escape_default()),
                other => line.push(other),
            }
        }
    }
    line.push('\n');
    // Nobody is left to be told that the log cannot be written.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// A bound on lines that a peer can cause: so many a second, the rest is counted and told with the next line.
#[derive(Debug)]
pub struct Limited {
    event: &'static str,
    second: AtomicU64,
    lines: AtomicU64,
    held_back: AtomicU64,
}

/// Lines a second of one kind.
const LINES_MAX: u64 = 5;

impl Limited {
    /// For lines about `event`.
    #[must_use]
    pub const fn new(event: &'static str) -> Self {
        Self { event, second: AtomicU64::new(0), lines: AtomicU64::new(0), held_back: AtomicU64::new(0) }
    }

    /// Writes a warning, unless there were too many in this second.
    pub fn warn(&self, fields: &[(&str, &dyn fmt::Display)]) {
        if let Some(held_back) = self.admit(now_ms() / 1000) {
            let mut fields = fields.to_vec();
            if held_back > 0 {
                fields.push(("held_back", &held_back));
            }
            write(Level::Warn, self.event, &fields);
        }
    }

    /// How many lines were held back before this one, or `None` when it is to be held back too. Two threads at
    /// the turn of a second may let a line more through.
    fn admit(&self, second: u64) -> Option<u64> {
        if self.second.swap(second, Ordering::Relaxed) != second {
            self.lines.store(0, Ordering::Relaxed);
        }
        if self.lines.fetch_add(1, Ordering::Relaxed) < LINES_MAX {
            Some(self.held_back.swap(0, Ordering::Relaxed))
        } else {
            self.held_back.fetch_add(1, Ordering::Relaxed);
            None
        }
    }
}

#[allow(clippy::disallowed_methods)] // a log line's time is no part of any judgement
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_bound_are_counted_and_told_later() {
        let limited = Limited::new("event");
        for _ in 0..LINES_MAX {
            assert_eq!(limited.admit(1), Some(0));
        }
        for _ in 0..7 {
            assert_eq!(limited.admit(1), None);
        }
        assert_eq!(limited.admit(2), Some(7));
        assert_eq!(limited.admit(2), Some(0));
    }
}
