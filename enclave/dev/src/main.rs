//! The development vault.

fn main() {}
