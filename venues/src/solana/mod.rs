//! Solana messages: Drift v2 orders.

pub mod rules;
