//! A payload as a case file writes it, and its bytes as a client would send them.

use std::collections::BTreeMap;

use client_sdk::build::hyperliquid::{Envelope, Network};
use client_sdk::build::solana;
use serde::Deserialize;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX};
use venues::{Address, U256};
use wire::request::PayloadKind;

use crate::Fault;
use crate::places::Places;
use crate::{hexadecimal, rlp};

/// The words for the kinds of payloads.
const KINDS: [(&str, PayloadKind); 8] = [
    ("evm_tx", PayloadKind::EvmEip1559),
    ("uniswapx", PayloadKind::UniswapxTypedData),
    ("polymarket", PayloadKind::PolymarketTypedData),
    ("l1_msgpack", PayloadKind::HyperliquidL1Msgpack),
    ("l1_json", PayloadKind::HyperliquidL1Json),
    ("user_json", PayloadKind::HyperliquidUserJson),
    ("solana_message", PayloadKind::SolanaMessage),
    ("solana_swift", PayloadKind::SolanaSwift),
];

/// A payload with places.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Template {
    /// The key slot that is asked.
    pub(crate) slot: u16,
    kind: String,
    /// JSON text, or hexadecimal digits.
    text: Option<String>,
    /// An EVM transaction by its fields, in place of text.
    transaction: Option<Transaction>,
    /// What goes to Hyperliquid beside the action.
    #[serde(default)]
    envelope: EnvelopeText,
    /// Lookup tables of a Solana message.
    #[serde(default)]
    lookup_tables: BTreeMap<String, Vec<String>>,
    /// What is filled in unless a case says something else.
    #[serde(default)]
    pub(crate) with: BTreeMap<String, Value>,
}

/// What may be filled in: text, or a whole number.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Text(String),
    Number(u64),
}

impl Value {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Transaction {
    chain_id: String,
    nonce: String,
    max_priority_fee_per_gas: String,
    max_fee_per_gas: String,
    gas_limit: String,
    to: String,
    #[serde(default)]
    value: String,
    #[serde(default)]
    data: String,
    /// How many storage keys of the called contract the access list names; empty where there is no list.
    #[serde(default)]
    access_list_keys: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct EnvelopeText {
    network: String,
    nonce: String,
    vault: String,
}

impl Default for EnvelopeText {
    fn default() -> Self {
        Self { network: "mainnet".into(), nonce: "{nonce}".into(), vault: String::new() }
    }
}

impl Template {
    /// The kind, and the payload with its places filled.
    pub(crate) fn payload(&self, places: &mut Places<'_>) -> Result<(PayloadKind, Vec<u8>), Fault> {
        let kind = KINDS.iter().find(|(word, _)| *word == self.kind);
        let Some((_, kind)) = kind else { return Err(format!("{:?} is no kind of payload", self.kind)) };
        if let Some(transaction) = &self.transaction {
            if *kind != PayloadKind::EvmEip1559 {
                return Err("only an evm_tx has a transaction".to_owned());
            }
            return Ok((*kind, transaction.payload(places)?));
        }
        let text = self.text.as_deref().ok_or("a payload needs its text")?;
        let payload = match kind {
            PayloadKind::EvmEip1559 => hexadecimal::read(&places.fill(text)?)?,
            PayloadKind::UniswapxTypedData | PayloadKind::PolymarketTypedData => {
                places.fill(text)?.into_bytes()
            }
            PayloadKind::HyperliquidL1Json | PayloadKind::HyperliquidUserJson => {
                let action = places.fill(text)?.into_bytes();
                [self.envelope.bytes(places)?, action].concat()
            }
            PayloadKind::HyperliquidL1Msgpack => {
                let action = hexadecimal::read(&places.fill(text)?)?;
                [self.envelope.bytes(places)?, action].concat()
            }
            PayloadKind::SolanaMessage => self.solana(&hexadecimal::read(&places.fill(text)?)?)?,
            PayloadKind::SolanaSwift => {
                hexadecimal::text(&hexadecimal::read(&places.fill(text)?)?).into_bytes()
            }
        };
        Ok((*kind, payload))
    }

    fn solana(&self, message: &[u8]) -> Result<Vec<u8>, Fault> {
        let key = |text: &String| solana::key(text).map_err(|error| format!("{text}: {error}"));
        let mut tables = BTreeMap::new();
        for (table, addresses) in &self.lookup_tables {
            tables.insert(key(table)?, addresses.iter().map(key).collect::<Result<Vec<_>, _>>()?);
        }
        // A message that cannot be read goes to the decoder as it is, which tells what is wrong with it.
        solana::payload_with_tables(message, &tables)
            .or_else(|_| solana::payload(message, &[]))
            .map_err(|error| error.to_string())
    }
}

impl EnvelopeText {
    fn bytes(&self, places: &mut Places<'_>) -> Result<Vec<u8>, Fault> {
        let network = match places.fill(&self.network)?.as_str() {
            "mainnet" => Network::Mainnet,
            "testnet" => Network::Testnet,
            other => return Err(format!("{other:?} is no network")),
        };
        let nonce = places.fill(&self.nonce)?;
        let nonce = nonce.parse().map_err(|_| format!("{nonce:?} is no nonce"))?;
        let vault = places.fill(&self.vault)?;
        let vault_address = if vault.is_empty() { None } else { Some(address(&vault)?) };
        let envelope = Envelope { network, nonce, vault_address, expires_after: None };
        let mut bytes = vec![0; ENVELOPE_SIZE_MAX];
        let size = envelope.write(&Claims::default(), &mut bytes).ok_or("the envelope does not fit")?;
        bytes.truncate(size);
        Ok(bytes)
    }
}

impl Transaction {
    fn payload(&self, places: &mut Places<'_>) -> Result<Vec<u8>, Fault> {
        let [chain_id, nonce, max_priority_fee_per_gas, max_fee_per_gas, gas_limit, value] = [
            &self.chain_id,
            &self.nonce,
            &self.max_priority_fee_per_gas,
            &self.max_fee_per_gas,
            &self.gas_limit,
            &self.value,
        ]
        .map(|text| number(&places.fill(text)?));
        let to = address(&places.fill(&self.to)?)?;
        let data = hexadecimal::read(&places.fill(&self.data)?)?;
        let access_list = access_list(&to, &places.fill(&self.access_list_keys)?)?;
        let fields = [
            rlp::number(&chain_id?),
            rlp::number(&nonce?),
            rlp::number(&max_priority_fee_per_gas?),
            rlp::number(&max_fee_per_gas?),
            rlp::number(&gas_limit?),
            rlp::string(&to),
            rlp::number(&value?),
            rlp::string(&data),
            access_list,
        ];
        Ok([vec![2], rlp::list(&fields)].concat())
    }
}

/// The contract and that many of its storage keys; nothing where no number is.
fn access_list(contract: &Address, keys: &str) -> Result<Vec<u8>, Fault> {
    if keys.is_empty() {
        return Ok(rlp::list(&[]));
    }
    let keys: u8 = keys.parse().map_err(|_| format!("{keys:?} is no number of at most 255 storage keys"))?;
    let keys: Vec<_> = (0..keys).map(|key| rlp::string(&[key; 32])).collect();
    Ok(rlp::list(&[rlp::list(&[rlp::string(contract), rlp::list(&keys)])]))
}

/// A whole number; nothing is zero.
fn number(text: &str) -> Result<U256, Fault> {
    let digits = text.replace('_', "");
    let digits = if digits.is_empty() { "0" } else { &digits };
    U256::from_str_radix(digits, 10).map_err(|_| format!("{text:?} is not a whole number"))
}

fn address(text: &str) -> Result<Address, Fault> {
    hexadecimal::read(text)?.try_into().map_err(|_| format!("{text:?} is no address"))
}
