//! Hyperliquid: the vectors made by the venue's own SDKs, and what must hold of the decoder for any input.

#![cfg(test)]

#[path = "hyperliquid/exposure.rs"]
mod exposure;
#[path = "hyperliquid/funds.rs"]
mod funds;
#[path = "hyperliquid/grammar.rs"]
mod grammar;
#[path = "hyperliquid/longest.rs"]
mod longest;
#[path = "hyperliquid/negatives.rs"]
mod negatives;
#[path = "hyperliquid/positives.rs"]
mod positives;
#[path = "hyperliquid/properties.rs"]
mod properties;
#[path = "hyperliquid/refusals.rs"]
mod refusals;
#[path = "hyperliquid/stake.rs"]
mod stake;
#[path = "hyperliquid/vectors.rs"]
mod vectors;
#[path = "../../tests/witness.rs"]
mod witness;
