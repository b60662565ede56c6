//! Vector lines, payloads made of them, and the book they are judged by.

use serde_json::{Value, json};
use venues::book_value::AnyOr;
use venues::hyperliquid::rules::{
    AgentLimits, AssetLimits, BuilderFeeLimits, Grouping, Limits, Network, OrderLimits, ScheduleCancelLimits,
    TimeInForce, Transfer, TransferLimits, TwapLimits, VaultTransferLimits,
};
use venues::hyperliquid::{Action, Claims, Envelope, Form, Scratch, decode};
use venues::{Address, Payload as _};
use wire::facts_json::JsonFacts;
use wire::{Now, Why};

/// The clock of all Hyperliquid lines.
pub(crate) const NOW: Now = Now { monotonic_ms: 259_200_000, wall_ms: 1_790_000_005_000 };

pub(crate) const E8: u128 = 100_000_000;

/// A line of a vector file.
pub(crate) struct Line(pub(crate) Value);

impl std::ops::Index<&str> for Line {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        &self.0[name]
    }
}

impl Line {
    pub(crate) fn text(&self, name: &str) -> &str {
        self[name].as_str().unwrap_or_else(|| panic!("{name} in {}", self["id"]))
    }

    pub(crate) fn action(&self) -> &Value {
        &self["input"]["action"]
    }

    /// The envelope of the line, `None` when it cannot be written (a vault of 19 bytes, say).
    pub(crate) fn envelope(&self) -> Option<Envelope> {
        let input = &self["input"];
        let vault_address = if input["vaultAddress"].is_null() {
            None
        } else {
            Some(hex(input["vaultAddress"].as_str()?).try_into().ok()?)
        };
        Some(Envelope {
            network: if input["isMainnet"].as_bool()? { Network::Mainnet } else { Network::Testnet },
            nonce: input["nonce"].as_u64()?,
            vault_address,
            expires_after: input["expiresAfter"].as_u64(),
        })
    }
}

pub(crate) fn lines(file: &str) -> Vec<Line> {
    let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| Line(serde_json::from_str(line).unwrap())).collect()
}

pub(crate) fn positives() -> Vec<Line> {
    let mut all = lines("hyperliquid.jsonl");
    all.extend(lines("hyperliquid_bench200.jsonl"));
    all
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

pub(crate) fn payload(envelope: &Envelope, claims: &Claims<'_>, action: &[u8]) -> Vec<u8> {
    let mut head = [0; venues::hyperliquid::envelope::ENVELOPE_SIZE_MAX];
    let size = envelope.write(claims, &mut head).unwrap();
    [&head[..size], action].concat()
}

/// Decodes an action in a plain mainnet envelope with nonce [`NOW`].
pub(crate) fn with_decoded<T>(
    form: Form,
    action: &[u8],
    then: impl FnOnce(Result<Action<'_>, Why>) -> T,
) -> T {
    let envelope =
        Envelope { network: Network::Mainnet, nonce: NOW.wall_ms, vault_address: None, expires_after: None };
    with_payload(form, &payload(&envelope, &Claims::default(), action), then)
}

pub(crate) fn with_payload<T>(
    form: Form,
    payload: &[u8],
    then: impl FnOnce(Result<Action<'_>, Why>) -> T,
) -> T {
    let mut scratch = Box::new(Scratch::new());
    then(decode(form, payload, &mut scratch))
}

/// The facts as the receipt shows them.
pub(crate) fn facts(action: &Action<'_>) -> Value {
    let mut text = String::new();
    let mut sink = JsonFacts::new(&mut text);
    action.facts(&mut sink);
    sink.finish().unwrap();
    serde_json::from_str(&text).unwrap()
}

/// What the judge wants to see of an action, by its own rules.
pub(crate) fn wanted_facts(action: &Value) -> Value {
    let text = |number: &Value| json!(number.to_string());
    let kind = action["type"].as_str().unwrap();
    match kind {
        "order" => {
            let orders: Vec<Value> = action["orders"].as_array().unwrap().iter().map(wanted_order).collect();
            json!({"type": kind, "orders": orders, "grouping": action["grouping"]})
        }
        "cancel" => {
            let cancels: Vec<Value> = action["cancels"]
                .as_array()
                .unwrap()
                .iter()
                .map(|cancel| json!({"asset": text(&cancel["a"]), "oid": text(&cancel["o"])}))
                .collect();
            json!({"type": kind, "cancels": cancels})
        }
        "cancelByCloid" => {
            let cancels: Vec<Value> = action["cancels"]
                .as_array()
                .unwrap()
                .iter()
                .map(|cancel| json!({"asset": text(&cancel["asset"]), "cloid": cancel["cloid"]}))
                .collect();
            json!({"type": kind, "cancels": cancels})
        }
        "updateLeverage" => json!({
            "type": kind,
            "asset": text(&action["asset"]),
            "is_cross": action["isCross"],
            "leverage": text(&action["leverage"]),
        }),
        "modify" => wanted_modify(kind, action),
        "batchModify" => {
            let modifies: Vec<Value> = action["modifies"]
                .as_array()
                .unwrap()
                .iter()
                .map(|modify| {
                    let mut wanted = wanted_modify(kind, modify);
                    wanted.as_object_mut().unwrap().remove("type");
                    wanted
                })
                .collect();
            json!({"type": kind, "modifies": modifies})
        }
        "twapOrder" => json!({
            "type": kind,
            "asset": text(&action["twap"]["a"]),
            "side": side(&action["twap"]["b"]),
            "sz": action["twap"]["s"],
            "reduce_only": action["twap"]["r"],
            "minutes": text(&action["twap"]["m"]),
            "randomize": action["twap"]["t"],
        }),
        "twapCancel" => json!({"type": kind, "asset": text(&action["a"]), "twap_id": text(&action["t"])}),
        "scheduleCancel" => match action.get("time") {
            Some(time) => json!({"type": kind, "scheduled_time": text(time)}),
            None => json!({"type": kind, "scheduled_time": null}),
        },
        "updateIsolatedMargin" => json!({
            "type": kind,
            "asset": text(&action["asset"]),
            "side": side(&action["isBuy"]),
            "ntli": text(&action["ntli"]),
        }),
        "vaultTransfer" => json!({
            "type": kind,
            "transfer_vault": action["vaultAddress"],
            "is_deposit": action["isDeposit"],
            "usd": text(&action["usd"]),
        }),
        _ => wanted_of_user_signed(kind, action),
    }
}

fn side(is_buy: &Value) -> &'static str {
    if is_buy.as_bool().unwrap() { "buy" } else { "sell" }
}

fn wanted_modify(kind: &str, modify: &Value) -> Value {
    let mut wanted = wanted_order(&modify["order"]);
    wanted["type"] = json!(kind);
    match modify["oid"].as_str() {
        Some(cloid) => wanted["modified_cloid"] = json!(cloid),
        None => wanted["modified_oid"] = json!(modify["oid"].to_string()),
    }
    wanted
}

fn wanted_of_user_signed(kind: &str, action: &Value) -> Value {
    let lower = |name: &str| action[name].as_str().unwrap().to_lowercase();
    let chain = u64::from_str_radix(&action["signatureChainId"].as_str().unwrap()[2..], 16).unwrap();
    let mut wanted = match kind {
        "usdClassTransfer" => {
            let amount = action["amount"].as_str().unwrap();
            let (number, sub_account) = match amount.split_once(" subaccount:") {
                Some((number, sub_account)) => (number, json!(sub_account)),
                None => (amount, Value::Null),
            };
            json!({"amount": number, "sub_account": sub_account, "to_perp": action["toPerp"]})
        }
        "approveAgent" => json!({
            "agent": lower("agentAddress"),
            "agent_name": action["agentName"].as_str().unwrap_or_default(),
        }),
        "approveBuilderFee" => json!({
            "builder": lower("builder"),
            "max_fee_rate": action["maxFeeRate"].as_str().unwrap().trim_end_matches('%'),
        }),
        _ => json!({
            "destination": lower("destination"),
            "amount": action["amount"],
            "token": action.get("token").unwrap_or(&Value::Null),
            "source_dex": action.get("sourceDex").unwrap_or(&Value::Null),
            "destination_dex": action.get("destinationDex").unwrap_or(&Value::Null),
            "sub_account": action
                .get("fromSubAccount")
                .filter(|text| *text != "")
                .unwrap_or(&Value::Null),
        }),
    };
    wanted["type"] = json!(kind);
    wanted["signature_chain_id"] = json!(chain.to_string());
    wanted
}

fn wanted_order(order: &Value) -> Value {
    let mut wanted = json!({
        "asset": order["a"].to_string(),
        "side": if order["b"].as_bool().unwrap() { "buy" } else { "sell" },
        "px": order["p"],
        "sz": order["s"],
        "reduce_only": order["r"],
    });
    if let Some(cloid) = order.get("c") {
        wanted["cloid"] = cloid.clone();
    }
    match order["t"].get("limit") {
        Some(limit) => wanted["tif"] = limit["tif"].clone(),
        None => {
            let trigger = &order["t"]["trigger"];
            wanted["trigger"] = trigger["tpsl"].clone();
            wanted["trigger_px"] = trigger["triggerPx"].clone();
            wanted["trigger_is_market"] = trigger["isMarket"].clone();
        }
    }
    wanted
}

/// Everything in `wanted` is in `got`, and lists and orders hold nothing else.
pub(crate) fn assert_facts(id: &Value, wanted: &Value, got: &Value) {
    for (name, value) in wanted.as_object().unwrap() {
        assert_eq!(value, &got[name], "{id} {name}");
    }
}

/// Ten thousand million USD in units of 10^-6.
const USD_MAX: u64 = 10_000_000_000 * 1_000_000;

const DEXES: &[&str] = &["", "spot", "xyz"];

/// The book of the judge: all is granted, to and for what the line's author deals with.
pub(crate) struct Book {
    pub(crate) assets: Vec<AssetLimits>,
    pub(crate) vaults: Vec<Address>,
    pub(crate) transfers: Vec<TransferLimits<'static>>,
    pub(crate) builders: Vec<Address>,
}

const TOKENS: &[&str] =
    &["PURR:0xc4bf3f870c0e9465323c0b6ed28096c2", "USDC:0x6d1e7cde53ba9467b783cb7c530ce054"];

impl Book {
    /// The book for the author of `line`.
    pub(crate) fn of(line: &Line) -> Self {
        let mut assets = Vec::new();
        let mut addresses = Vec::new();
        collect(line.action(), &mut assets, &mut addresses);
        let addresses: &'static [Address] = addresses.leak();
        let assets = assets
            .into_iter()
            .map(|asset| AssetLimits {
                asset,
                size_max: 200_000_000 * E8,
                price_min: 1,
                price_max: 1_000_000 * E8,
                notional_max: 10_000_000_000 * E8 * E8,
                quote_usd_max: 1_000_000,
                leverage_max: 50,
                margin_add_max: USD_MAX,
                margin_remove_max: USD_MAX,
            })
            .collect();
        let transfers = [
            Transfer::UsdSend,
            Transfer::SpotSend,
            Transfer::Withdraw3,
            Transfer::UsdClassTransfer,
            Transfer::SendAsset,
        ]
        .map(|action| TransferLimits {
            action,
            destinations: addresses,
            amount_max: 10_000_000_000 * E8,
            tokens: TOKENS,
            usd_max: None,
            source_dexes: DEXES,
            destination_dexes: DEXES,
            sub_accounts: addresses,
        })
        .to_vec();
        let mut vaults = addresses.to_vec();
        vaults.extend(line.envelope().and_then(|envelope| envelope.vault_address));
        Self { assets, vaults, transfers, builders: addresses.to_vec() }
    }

    pub(crate) fn limits(&self) -> Limits<'_> {
        Limits {
            networks: &[Network::Mainnet, Network::Testnet],
            without_vault: true,
            vaults: &self.vaults,
            nonce_behind_max_ms: 2 * 86_400_000,
            nonce_ahead_max_ms: 86_400_000,
            order: Some(OrderLimits {
                assets: &self.assets,
                tifs: &[TimeInForce::Alo, TimeInForce::Ioc, TimeInForce::Gtc, TimeInForce::FrontendMarket],
                triggers: true,
                groupings: &[Grouping::Na, Grouping::NormalTpsl, Grouping::PositionTpsl],
                builders: &self.builders,
                builder_fee_max: 100,
                priority_rate_max: None,
                orders_max: 512,
                action_notional_max: 10_000_000_000 * E8 * E8,
                modify: true,
                twap: Some(TwapLimits { minutes_min: 5, minutes_max: 1440 }),
            }),
            cancel: true,
            cancel_assets: &[],
            twap_cancel: true,
            schedule_cancel: Some(ScheduleCancelLimits { ahead_max_ms: 7 * 86_400_000, clear: true }),
            vault_transfer: Some(VaultTransferLimits {
                vaults: &self.vaults,
                deposit_max: USD_MAX,
                withdraw_max: USD_MAX,
            }),
            transfers: &self.transfers,
            approve_agent: Some(AgentLimits { agents: &self.builders, names: AnyOr::Any }),
            approve_builder_fee: Some(BuilderFeeLimits { builders: &self.builders, rate_max: E8 / 10 }),
            signature_chain_ids: &[0xa4b1, 0x66eee],
        }
    }
}

fn collect(value: &Value, assets: &mut Vec<u32>, addresses: &mut Vec<Address>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        if let ("a" | "asset", Some(asset)) = (name.as_str(), value.as_u64()) {
            assets.push(asset.try_into().unwrap());
        }
        collect(value, assets, addresses);
    }
    for value in value.as_array().into_iter().flatten() {
        collect(value, assets, addresses);
    }
    let last = value.as_str().and_then(|text| text.rsplit(':').next());
    if let Some(text) = last.filter(|text| text.len() == 42 && text.starts_with("0x")) {
        addresses.push(hex(text).try_into().unwrap());
    }
}
