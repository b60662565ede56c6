//! A question as it stands on its line. An unknown member is an error, never an answer.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One line of standard input.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Returned in the answer.
    pub id: String,
    /// evm_eip1559, uniswapx, polymarket, hyperliquid or solana.
    pub venue: String,
    /// A secp256k1 secret or an Ed25519 seed, hex.
    pub key: String,
    /// The clock, ms since the Unix epoch.
    pub now_ms: u64,
    /// Whom the line's author may deal with.
    pub allow: Vec<String>,
    /// Which markets the line's author trades.
    pub markets: Vec<String>,
    /// A question to be put first, to the same vault.
    pub before: Option<Box<Question>>,
    /// What kind of payload it is.
    pub form: String,
    /// evm_tx, typed_data: the payload in hex.
    pub hex: Option<String>,
    /// The payload as JSON text.
    pub json: Option<String>,
    /// A Hyperliquid action in msgpack, hex.
    pub msgpack: Option<String>,
    /// Hyperliquid: the envelope.
    pub nonce: Option<u64>,
    /// Hyperliquid: the envelope.
    #[serde(rename = "vaultAddress")]
    pub vault_address: Option<String>,
    /// Hyperliquid: the envelope.
    #[serde(rename = "expiresAfter")]
    pub expires_after: Option<u64>,
    /// Hyperliquid: the envelope.
    #[serde(rename = "isMainnet")]
    pub is_mainnet: Option<bool>,
    /// Hyperliquid: the caller's own claim.
    pub source: Option<String>,
    /// Hyperliquid: the caller's own claim.
    #[serde(rename = "connectionId")]
    pub connection_id: Option<String>,
    /// Hyperliquid: the caller's own claim, or a blind request.
    pub typed_data: Option<serde_json::Value>,
    /// A blind request.
    pub digest: Option<String>,
    /// Solana: legacy or v0.
    pub version: Option<String>,
    /// Solana: the message, hex.
    pub message: Option<String>,
    /// Solana: what the tables hold.
    pub lookup_tables: Option<BTreeMap<String, Vec<String>>>,
    /// Solana: the bytes of a Swift order, hex.
    pub signed_bytes: Option<String>,
}
