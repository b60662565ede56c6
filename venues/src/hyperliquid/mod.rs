//! Hyperliquid L1 and user-signed actions.

pub mod rules;
