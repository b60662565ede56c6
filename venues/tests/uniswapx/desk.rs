//! The lines of the vector files, changed at will, and a desk that allows them.

use std::fs;

use crate::witness::Witness as _;
use serde_json::Value;
use venues::uniswapx::rules::{
    AllowanceLimits, FeeLimits, Limits, OrderType, Ratio, ReactorLimits, RelayLimits, SwapLimits,
    TransferLimits,
};
use venues::uniswapx::{PERMIT2, decode};
use venues::{Address, Charge, Payload as _, U256};
use wire::{Now, Refusal, Why};

pub(crate) const CHAINS: &[u64] = &[1, 10, 56, 130, 137, 8453, 42161];
pub(crate) const STRANGER: &str = "0x6666666666666666666666666666666666666666";
pub(crate) const ZERO: &str = "0x0000000000000000000000000000000000000000";

pub(crate) fn lines(name: &str) -> Vec<Value> {
    let path = format!("{}/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix("0x").unwrap();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

pub(crate) fn address(text: &str) -> Address {
    from_hex(text).try_into().unwrap()
}

/// Every address in a line's facts.
pub(crate) fn addresses(facts: &Value) -> Vec<Address> {
    match facts {
        Value::String(text) if text.len() == 42 && text.starts_with("0x") => vec![address(text)],
        Value::Array(list) => list.iter().flat_map(addresses).collect(),
        Value::Object(members) => members.values().flat_map(addresses).collect(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// An everyday line of a kind, whose numbers are text: the document, and what a desk must know.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) document: Value,
    pub(crate) account: Address,
    pub(crate) now_s: u64,
    pub(crate) known: Vec<Address>,
}

impl Draft {
    /// The first such line that `wanted` takes.
    pub(crate) fn of(kind: &str, wanted: impl Fn(&Value) -> bool) -> Self {
        let line = lines("uniswapx")
            .into_iter()
            .find(|line| line["kind"] == kind && line["shape"] != "web3py_ints" && wanted(line))
            .unwrap();
        let document: Value = serde_json::from_str(line["input"].as_str().unwrap()).unwrap();
        let facts = &line["facts"];
        let deadline = facts.get("deadline").or(facts.get("sig_deadline")).unwrap();
        let known = addresses(facts).into_iter().filter(|known| *known != [0; 20]).collect();
        Self {
            document,
            account: address(line["address"].as_str().unwrap()),
            now_s: deadline.as_str().unwrap().parse::<u64>().unwrap() - 60,
            known,
        }
    }

    /// With another value at a JSON pointer below the message.
    pub(crate) fn with(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        *self.document.pointer_mut(&format!("/message{pointer}")).unwrap() = value.into();
        self
    }

    pub(crate) fn at(&self, pointer: &str) -> Value {
        self.document.pointer(&format!("/message{pointer}")).unwrap().clone()
    }

    /// A number at a JSON pointer below the message.
    pub(crate) fn number(&self, pointer: &str) -> U256 {
        let value = self.at(pointer);
        value.as_str().map_or_else(|| U256::from(value.as_u64().unwrap()), |text| text.parse().unwrap())
    }

    pub(crate) fn judge(&self) -> Result<Charge, Why> {
        self.judge_by(|_| {})
    }

    /// Judged by a desk that knows every address of the line, changed by `change`.
    pub(crate) fn judge_by(&self, change: impl FnOnce(&mut Desk)) -> Result<Charge, Why> {
        let mut desk = Desk::new(&self.known);
        change(&mut desk);
        let text = self.document.to_string();
        let data = decode(text.as_bytes()).unwrap();
        let now = Now { monotonic_ms: 0, wall_ms: self.now_s * 1000 };
        desk.judged(|limits| data.judge(limits, &self.account, now)).witnessed()
    }

    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.judge().err().map(|why| why.refusal)
    }
}

/// What a desk allows, one entry of each kind.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) chains: &'static [u64],
    pub(crate) permit2: Vec<Address>,
    pub(crate) reactors: Vec<Address>,
    pub(crate) cosigners: Vec<Address>,
    pub(crate) fillers: Vec<Address>,
    pub(crate) validation: Vec<Address>,
    pub(crate) tokens: Vec<Address>,
    pub(crate) fee_tokens: Vec<Address>,
    pub(crate) order_types: &'static [OrderType],
    pub(crate) others: Vec<Address>,
    pub(crate) spenders: Vec<Address>,
    pub(crate) same_token: bool,
    pub(crate) native_out: bool,
    pub(crate) amount_max: U256,
    pub(crate) fee_max: U256,
    pub(crate) ratio: Ratio,
    pub(crate) share_max_bps: u32,
    pub(crate) other_tokens: bool,
    pub(crate) ahead_max_s: u64,
}

impl Desk {
    pub(crate) fn new(known: &[Address]) -> Self {
        Self {
            chains: CHAINS,
            permit2: vec![PERMIT2],
            reactors: known.to_vec(),
            cosigners: known.to_vec(),
            fillers: known.to_vec(),
            validation: known.to_vec(),
            tokens: known.to_vec(),
            fee_tokens: known.to_vec(),
            order_types: &[
                OrderType::ExclusiveDutch,
                OrderType::V2Dutch,
                OrderType::V3Dutch,
                OrderType::Priority,
            ],
            others: known.to_vec(),
            spenders: known.to_vec(),
            same_token: true,
            native_out: true,
            amount_max: U256::MAX >> 1,
            fee_max: U256::MAX >> 1,
            ratio: Ratio { numerator: U256::ZERO, denominator: U256::ONE },
            share_max_bps: 10_000,
            other_tokens: true,
            ahead_max_s: 90 * 86_400,
        }
    }

    pub(crate) fn judged<T>(&self, judge: impl FnOnce(&Limits<'_>) -> T) -> T {
        let chains = self.chains;
        let reactors = self.order_types.iter().map(|order| ReactorLimits {
            order: *order,
            chains,
            reactors: &self.reactors,
            cosigners: &self.cosigners,
            exclusive_fillers: &self.fillers,
        });
        let reactors: Vec<_> = reactors.collect();
        let fees = FeeLimits {
            recipients: &self.others,
            share_max_bps: self.share_max_bps,
            other_tokens: self.other_tokens,
        };
        let swap = SwapLimits {
            chains,
            tokens_in: &self.tokens,
            tokens_out: &self.tokens,
            native_out: self.native_out,
            same_token: self.same_token,
            amount_in_max: self.amount_max,
            out_per_in_min: self.ratio,
            fees: (!self.others.is_empty()).then_some(fees),
        };
        let relay = RelayLimits {
            chains,
            reactors: &self.reactors,
            tokens: &self.tokens,
            recipients: &self.others,
            amount_max: self.amount_max,
            fee_tokens: &self.fee_tokens,
            fee_max: self.fee_max,
        };
        let (spenders, tokens, amount_max) = (&self.spenders[..], &self.tokens[..], self.amount_max);
        let expiration_ahead_max_s = self.ahead_max_s;
        judge(&Limits {
            chains,
            permit2: &self.permit2,
            deadline_ahead_max_s: self.ahead_max_s,
            validation_contracts: &self.validation,
            reactors: &reactors,
            swaps: &[swap],
            relays: &[relay],
            allowances: &[AllowanceLimits { chains, spenders, tokens, amount_max, expiration_ahead_max_s }],
            transfers: &[TransferLimits { chains, spenders, tokens, amount_max }],
        })
    }
}
