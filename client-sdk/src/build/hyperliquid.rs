//! Hyperliquid actions.
