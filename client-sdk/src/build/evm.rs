//! EIP-1559 transactions.
