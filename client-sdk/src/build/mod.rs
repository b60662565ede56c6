//! Typed builders: one file a venue. Each makes the payload bytes of a request, and where it helps puts the
//! signature into the form that the venue takes.

pub mod evm;
pub mod hyperliquid;
pub mod polymarket;
pub mod solana;
pub mod uniswapx;
