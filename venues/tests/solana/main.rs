//! The Solana venue against lines that the venues' own libraries made, and against a table of bypasses.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod collateral;
mod draft;
mod effect;
mod encoding;
mod judgement;
mod lines;
mod refusals;
mod stake;
mod swift;
mod vectors;
mod velocity;
#[path = "../../../tests/witness.rs"]
mod witness;
