//! Solana messages.
