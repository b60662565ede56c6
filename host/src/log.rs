//! Log lines on standard error: `time level event key=value ..`. Never a byte of a payload.
//!
//! Whoever logs never waits for standard error: lines go through a bounded queue to one thread that writes them.
//! What does not fit is dropped, counted, and the count is logged when there is room again.

use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Lines that may wait for standard error.
const QUEUED_MAX: usize = 512;

static QUEUE: Queue = Queue::new();
static WRITER: Once = Once::new();

#[derive(Debug)]
struct Queue {
    state: Mutex<Queued>,
    changed: Condvar,
}

#[derive(Debug)]
struct Queued {
    lines: VecDeque<String>,
    dropped: u64,
    is_writing: bool,
}

impl Queue {
    const fn new() -> Self {
        let state = Queued { lines: VecDeque::new(), dropped: 0, is_writing: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Queued> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Never waits for the writer.
    fn push(&self, line: String) {
        let mut queued = self.lock();
        if queued.lines.len() >= QUEUED_MAX {
            queued.dropped = queued.dropped.saturating_add(1);
            return;
        }
        queued.lines.push_back(line);
        drop(queued);
        self.changed.notify_all();
    }

    /// The next line to be written; after a drop, first the lines from before it, then how many there were.
    fn next(&self) -> String {
        let mut queued = self.lock();
        queued.is_writing = false;
        loop {
            let line = match queued.lines.pop_front() {
                None if queued.dropped > 0 => {
                    let dropped = std::mem::take(&mut queued.dropped);
                    Some(line(Level::Warn, "log_lines_dropped", &[("count", &dropped)]))
                }
                line => line,
            };
            if let Some(line) = line {
                queued.is_writing = true;
                return line;
            }
            self.changed.notify_all();
            queued = self.changed.wait(queued).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn flush(&self, patience: Duration) -> bool {
        let is_busy =
            |queued: &mut Queued| queued.is_writing || !queued.lines.is_empty() || queued.dropped > 0;
        let waited = self.changed.wait_timeout_while(self.lock(), patience, is_busy);
        let (_state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        !waited.timed_out()
    }
}

/// Waits until all lines are written, for at most `patience`. Returns whether they are.
pub fn flush(patience: Duration) -> bool {
    QUEUE.flush(patience)
}

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

/// Queues a line. Never waits. Values are written so that they stay one word: spaces, quotes and control characters are
/// escaped.
pub fn write(level: Level, event: &str, fields: &[(&str, &dyn fmt::Display)]) {
    WRITER.call_once(|| {
        let writer = || loop {
            let line = QUEUE.next();
            // Nobody is left to be told that the log cannot be written.
            let _ = std::io::stderr().write_all(line.as_bytes());
        };
        // Without a thread the queue fills, and the daemon works on.
        let _ = thread::Builder::new().name("log".into()).spawn(writer);
    });
    QUEUE.push(line(level, event, fields));
}

fn line(level: Level, event: &str, fields: &[(&str, &dyn fmt::Display)]) -> String {
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
    line
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
    fn lines_that_do_not_fit_the_queue_are_dropped_and_their_count_is_a_line() {
        let queue = Queue::new();
        for n in 0..QUEUED_MAX + 3 {
            queue.push(n.to_string());
        }
        assert!(!queue.flush(Duration::ZERO));
        for n in 0..QUEUED_MAX {
            assert_eq!(queue.next(), n.to_string());
        }
        assert!(queue.next().ends_with(" warn log_lines_dropped count=3\n"));
        queue.push("later".to_owned());
        assert_eq!(queue.next(), "later");
        // The last one is still being written.
        assert!(!queue.flush(Duration::ZERO));
    }

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
