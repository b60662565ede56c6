//! The EVM decoder against alloy: its transaction type, its RLP and its ABI coder.
#![cfg(test)]

mod calls;
mod functions;
mod transactions;
