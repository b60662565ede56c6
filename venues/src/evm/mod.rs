//! EVM EIP-1559 transactions.

pub mod rules;
