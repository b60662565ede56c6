//! Plain readings of the payloads: every value is reached and turned into what a program would compute with,
//! nothing is checked that need not be checked for that.

pub(crate) mod evm;
pub(crate) mod hyperliquid;
pub(crate) mod msgpack;
pub(crate) mod solana;
pub(crate) mod typed_data;
