//! The book of this build and `approve`.

#![no_std]
#![forbid(unsafe_code)]

mod compiled;

pub use compiled::{BOOK, POLICY_HASH};
