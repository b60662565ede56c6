//! What a desk may allow of Polymarket orders and ClobAuth.

use crate::book_value::book_struct;

book_struct! {
    /// The rules of one key.
    pub struct Limits<'b> {
        /// Chains this key may sign for.
        pub chains: &'b [u64],
    }
}
