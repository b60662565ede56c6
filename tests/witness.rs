//! Tells which refusals the tests have produced: each test crate includes this file and calls [`Witness::witnessed`]
//! where an input comes back refused.
//!
//! Tests of random inputs do not call it: what they note would be another set each time, and not asserted.
//!
//! Nothing is noted unless the environment names a folder in `REFUSALS`, as `tests/refusals.py` does: one line a code
//! and test, `CODE PACKAGE TEST`. What is noted is a value that the code under test gave back for bytes, never a name
//! that a test wrote down.

use std::io::Write as _;

use wire::session::Denial;
use wire::{Refusal, Why};

/// What may hold a refusal.
pub(crate) trait Witness: Sized {
    /// The code of the refusal, if it is one.
    fn code_seen(&self) -> Option<u16>;

    /// Notes the refusal, and gives back what it was asked about.
    fn witnessed(self) -> Self {
        if let Some(code) = self.code_seen() {
            note(code);
        }
        self
    }
}

impl Witness for Refusal {
    fn code_seen(&self) -> Option<u16> {
        Some(self.code())
    }
}

impl Witness for Denial {
    fn code_seen(&self) -> Option<u16> {
        Some(self.code())
    }
}

impl Witness for Why {
    fn code_seen(&self) -> Option<u16> {
        Some(self.refusal.code())
    }
}

impl<W: Witness> Witness for Option<W> {
    fn code_seen(&self) -> Option<u16> {
        self.as_ref().and_then(W::code_seen)
    }
}

impl<T, W: Witness> Witness for Result<T, W> {
    fn code_seen(&self) -> Option<u16> {
        self.as_ref().err().and_then(W::code_seen)
    }
}

/// Notes a code in the name of the test whose thread this is.
#[allow(clippy::expect_used, reason = "a test that cannot go on fails")]
fn note(code: u16) {
    let Some(folder) = std::env::var_os("REFUSALS") else { return };
    let thread = std::thread::current();
    let line = format!("{code} {} {}\n", env!("CARGO_PKG_NAME"), thread.name().expect("a test has a name"));
    let path = std::path::Path::new(&folder).join(std::process::id().to_string());
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    // One write, so that the lines of threads do not mix.
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the folder that REFUSALS names");
}
