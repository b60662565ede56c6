//! One line of a vector file, and what its author says of it.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

/// A line, as it stands.
pub(crate) struct Line(Value);

impl Line {
    /// The lines of `venues/vectors/NAME.jsonl`.
    pub(crate) fn all(name: &str) -> impl Iterator<Item = Self> {
        read(&format!("{name}.jsonl"))
            .lines()
            .map(|line| Self(serde_json::from_str(line).unwrap()))
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// The contracts that the venues' SDKs name.
    pub(crate) fn addresses() -> Value {
        serde_json::from_str(&read("addresses.json")).unwrap()
    }

    pub(crate) fn get(&self, name: &str) -> &Value {
        &self.0[name]
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    pub(crate) fn id(&self) -> &str {
        self.text("id")
    }

    pub(crate) fn venue(&self) -> &str {
        match self.text("venue") {
            "evm_eip1559" => "evm_eip1559",
            "hyperliquid" => "hyperliquid",
            _ => "solana",
        }
    }

    pub(crate) fn base_id(&self) -> Option<&str> {
        self.0["base_id"].as_str()
    }

    pub(crate) fn is_core(&self) -> bool {
        self.0["core"] == json!(true)
    }

    pub(crate) fn layer(&self) -> &str {
        self.0["stage"].as_str().or(self.0["layer"].as_str()).unwrap_or_default()
    }

    pub(crate) fn reason(&self) -> &str {
        self.text("reason")
    }

    pub(crate) fn key(&self) -> String {
        let key = self.0["key"].as_str().or(self.0["private_key"].as_str());
        key.map_or_else(|| "42".repeat(32), str::to_owned)
    }

    pub(crate) fn digest(&self) -> String {
        super::hex(&self.0["digest"])
    }

    /// The expected signature; a recovery byte of 27 or 28 as 0 or 1.
    pub(crate) fn signature(&self) -> String {
        let text =
            super::hex(if self.0["sig65"].is_string() { &self.0["sig65"] } else { &self.0["signature"] });
        match text.split_at_checked(128) {
            Some((rs, "1b")) => format!("{rs}00"),
            Some((rs, "1c")) => format!("{rs}01"),
            _ => text,
        }
    }

    /// What a policy must have seen, under the names of the receipt's facts.
    pub(crate) fn expected_facts(&self) -> Value {
        match self.venue() {
            "evm_eip1559" => evm_facts(&self.0["facts"]),
            "hyperliquid" => hyperliquid_facts(&self.0["input"]["action"]),
            _ => solana_facts(&self.0["facts"]),
        }
    }
}

fn read(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../venues/vectors");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn pick(from: &Value, names: &[&str]) -> Map<String, Value> {
    let named = names.iter().filter(|name| !from[**name].is_null());
    named.map(|name| ((*name).to_owned(), from[*name].clone())).collect()
}

fn evm_facts(facts: &Value) -> Value {
    let mut expected = pick(
        facts,
        &["chain_id", "nonce", "max_priority_fee_per_gas", "max_fee_per_gas", "gas_limit", "to", "value"],
    );
    let function = facts["function"].as_str().unwrap_or_default();
    if !function.is_empty() && function != "multicall" && function != "execute" {
        expected.extend(pick(
            facts,
            &[
                "function",
                "token",
                "from",
                "owner",
                "recipient",
                "spender",
                "amount",
                "token_in",
                "token_out",
                "amount_in",
                "amount_out_min",
                "amount_out",
                "amount_in_max",
            ],
        ));
    }
    Value::Object(expected)
}

fn hyperliquid_facts(action: &Value) -> Value {
    let kind = action["type"].as_str().unwrap_or_default();
    let list = |name: &str, each: fn(&Value) -> Value| -> Value {
        action[name].as_array().into_iter().flatten().map(each).collect()
    };
    match kind {
        "order" => {
            json!({ "type": kind, "grouping": action["grouping"], "orders": list("orders", order_facts) })
        }
        "cancel" => json!({ "type": kind, "cancels": list("cancels", |cancel| {
            json!({ "asset": cancel["a"].to_string(), "oid": cancel["o"].to_string() })
        }) }),
        "cancelByCloid" => json!({ "type": kind, "cancels": list("cancels", |cancel| {
            json!({ "asset": cancel["asset"].to_string(), "cloid": cancel["cloid"] })
        }) }),
        "updateLeverage" => json!({ "type": kind, "asset": action["asset"].to_string(),
            "is_cross": action["isCross"], "leverage": action["leverage"].to_string() }),
        "usdSend" | "spotSend" | "withdraw3" => json!({ "type": kind, "amount": action["amount"],
            "destination": action["destination"].as_str().unwrap_or_default().to_lowercase() }),
        _ => json!({ "type": kind }),
    }
}

fn order_facts(order: &Value) -> Value {
    let side = if order["b"] == json!(true) { "buy" } else { "sell" };
    let mut facts = json!({ "asset": order["a"].to_string(), "side": side, "px": order["p"], "sz": order["s"],
        "reduce_only": order["r"], "cloid": order["c"] });
    let trigger = &order["t"]["trigger"];
    if trigger.is_null() {
        facts["tif"] = order["t"]["limit"]["tif"].clone();
    } else {
        facts["trigger"] = trigger["tpsl"].clone();
        facts["trigger_px"] = trigger["triggerPx"].clone();
        facts["trigger_is_market"] = trigger["isMarket"].clone();
    }
    facts
}

fn solana_facts(facts: &Value) -> Value {
    let mut instructions = Vec::new();
    for instruction in facts["instructions"].as_array().into_iter().flatten() {
        if instruction["program"] != "drift" && instruction["program"] != "velocity" {
            continue;
        }
        let (name, params) = (&instruction["name"], &instruction["args"]["params"]);
        let mut expected = json!({ "name": name });
        let places = ["placePerpOrder", "placeSpotOrder", "placeAndTakePerpOrder"];
        if places.iter().any(|place| name == place) {
            expected = json!({ "name": name, "market_index": params["marketIndex"].to_string(),
                "direction": params["direction"], "base": params["baseAssetAmount"], "price": params["price"],
                "order_type": params["orderType"], "reduce_only": params["reduceOnly"] });
        }
        instructions.push(expected);
    }
    if instructions.is_empty() { swift_facts(facts) } else { json!({ "instructions": instructions }) }
}

fn swift_facts(facts: &Value) -> Value {
    let params = &facts["params"];
    json!({ "market_index": params["marketIndex"].to_string(), "direction": params["direction"],
        "base": params["baseAssetAmount"], "price": params["price"], "slot": facts["slot"], "uuid": facts["uuid"],
        "sub_account_id": facts["subAccountId"].to_string() })
}

/// Where the answer's facts differ from what is expected; facts that are not expected are welcome.
pub(crate) fn difference(expected: &Value, found: &Value) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), _) => expected
            .iter()
            .find_map(|(name, value)| difference(value, &found[name]).map(|path| format!("{name}.{path}"))),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            pairs.into_iter().find_map(|(at, (expected, found))| {
                difference(expected, found).map(|path| format!("{at}.{path}"))
            })
        }
        (Value::String(expected), Value::String(found)) if is_address(expected) => {
            (expected.to_lowercase() != *found).then(|| format!("{expected} is not {found}"))
        }
        _ => (expected != found).then(|| format!("{expected} is not {found}")),
    }
}

pub(crate) fn is_address(text: &str) -> bool {
    text.len() == 42 && text.starts_with("0x") && text[2..].bytes().all(|byte| byte.is_ascii_hexdigit())
}
