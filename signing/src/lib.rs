//! Keys and the receipt chain.
