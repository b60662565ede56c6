//! The demo's committed requests (`enclave/dev/demo/requests.json`), for the demo and the benchmark.

use std::collections::BTreeMap;

use client_sdk::build::hyperliquid::{Envelope, Network};
use client_sdk::build::solana;
use serde::Deserialize;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX};
use wire::Refusal;
use wire::request::PayloadKind;

use crate::hexadecimal;

/// How far ahead the deadlines of the examples lie.
const DEADLINE_AHEAD_S: u64 = 600;

const REQUESTS: &str = include_str!("../demo/requests.json");

/// One request, and what must become of it under the demo desk's book.
#[derive(Clone, Debug)]
pub struct Example {
    /// The key slot that is asked.
    pub slot: u16,
    /// What the payload's bytes are.
    pub kind: PayloadKind,
    /// What it is, for people.
    pub what: String,
    /// The rule that refuses it, if one does.
    pub refused: Option<Refusal>,
    /// The payload; for Hyperliquid the action alone, for typed data with places for times and numbers.
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Committed {
    slot: u16,
    kind: String,
    what: String,
    payload: String,
    #[serde(default)]
    lookup_tables: BTreeMap<String, Vec<String>>,
    refused: Option<String>,
}

/// The committed requests cannot be read.
pub type Fault = Box<dyn std::error::Error>;

/// All committed requests.
///
/// # Errors
/// When the file names a kind, rule or key that does not exist.
pub fn examples() -> Result<Vec<Example>, Fault> {
    let committed: Vec<Committed> = serde_json::from_str(REQUESTS)?;
    committed.into_iter().map(example).collect()
}

fn example(committed: Committed) -> Result<Example, Fault> {
    let Committed { slot, kind, what, payload, lookup_tables, refused } = committed;
    let (kind, bytes) = match kind.as_str() {
        "evm_tx" => (PayloadKind::EvmEip1559, hexadecimal::read(&payload)?),
        "uniswapx" => (PayloadKind::UniswapxTypedData, payload.into_bytes()),
        "polymarket" => (PayloadKind::PolymarketTypedData, payload.into_bytes()),
        "l1_json" => (PayloadKind::HyperliquidL1Json, payload.into_bytes()),
        "solana_message" => {
            let mut tables = BTreeMap::new();
            for (table, addresses) in &lookup_tables {
                let addresses: Result<Vec<_>, _> = addresses.iter().map(|text| solana::key(text)).collect();
                tables.insert(solana::key(table)?, addresses?);
            }
            (PayloadKind::SolanaMessage, solana::payload_with_tables(&hexadecimal::read(&payload)?, &tables)?)
        }
        other => return Err(format!("unknown kind {other}").into()),
    };
    let rule = |name: String| {
        let found = Refusal::ALL.iter().find(|refusal| refusal.name() == name).copied();
        found.ok_or_else(|| format!("unknown rule {name}"))
    };
    Ok(Example { slot, kind, what, refused: refused.map(rule).transpose()?, bytes })
}

impl Example {
    /// The payload at a time that no other payload of the boot has, ms since the Unix epoch: a Hyperliquid action
    /// goes out under it as its nonce, on mainnet; typed data carry it as nonce, salt, timestamp and, ten minutes
    /// later, as deadline.
    #[must_use]
    pub fn payload(&self, now_ms: u64) -> Vec<u8> {
        match self.kind {
            PayloadKind::HyperliquidL1Json => self.action(now_ms),
            PayloadKind::UniswapxTypedData | PayloadKind::PolymarketTypedData => {
                let now_s = now_ms / 1_000;
                let text = String::from_utf8_lossy(&self.bytes)
                    .replace("{nonce}", &now_ms.to_string())
                    .replace("{now_ms}", &now_ms.to_string())
                    .replace("{now_s}", &now_s.to_string())
                    .replace("{deadline}", &now_s.saturating_add(DEADLINE_AHEAD_S).to_string());
                text.into_bytes()
            }
            PayloadKind::EvmEip1559
            | PayloadKind::HyperliquidL1Msgpack
            | PayloadKind::HyperliquidUserJson
            | PayloadKind::SolanaMessage
            | PayloadKind::SolanaSwift => self.bytes.clone(),
        }
    }

    fn action(&self, nonce: u64) -> Vec<u8> {
        let envelope =
            Envelope { network: Network::Mainnet, nonce, vault_address: None, expires_after: None };
        let mut payload = vec![0; ENVELOPE_SIZE_MAX];
        let size = envelope.write(&Claims::default(), &mut payload).unwrap_or(0);
        payload.truncate(size);
        payload.extend_from_slice(&self.bytes);
        payload
    }
}
