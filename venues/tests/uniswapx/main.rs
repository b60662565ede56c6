//! UniswapX and Permit2: the vectors made by the venue's own packages, and each rule of the judgement.
#![cfg(test)]
// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod desk;
mod exposure;
mod orders;
mod permits;
mod vectors;
#[path = "../../../tests/witness.rs"]
mod witness;
