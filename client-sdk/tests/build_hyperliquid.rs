//! The builders make what the venue's own SDKs post, to the byte.

#![cfg(test)]

use std::path::Path;

use client_sdk::PayloadKind;
use client_sdk::build::hyperliquid::{
    Builder, Cancel, Decimal, Envelope, Error, Grouping, Modify, Network, Order, OrderKind, OrderReference,
    Request, Route, TimeInForce, Tpsl, Transferral, TwapCancel, TwapOrder, UpdateIsolatedMargin,
    UpdateLeverage, UserSigned, VaultTransfer, approve_agent, approve_builder_fee, batch_modify, cancels,
    cancels_by_cloid, exchange_body, modify, orders, raw, schedule_cancel, send_asset, spot_send,
    twap_cancel, twap_order, update_isolated_margin, update_leverage, usd_class_transfer, usd_send,
    vault_transfer, withdraw,
};
use serde_json::Value;
use wire::Refusal;

fn lines() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../venues/vectors");
    ["hyperliquid.jsonl", "hyperliquid_bench200.jsonl"]
        .iter()
        .flat_map(|file| {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
        })
        .collect()
}

fn hex<const N: usize>(text: &Value) -> [u8; N] {
    let digits = text.as_str().unwrap().trim_start_matches("0x");
    std::array::from_fn(|index| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).unwrap())
}

fn uint(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn asset(value: &Value) -> u32 {
    uint(value).try_into().unwrap()
}

fn cloid(value: &Value) -> u128 {
    u128::from_be_bytes(hex(value))
}

fn decimal(value: &Value) -> Decimal {
    Decimal::new(value.as_str().unwrap()).unwrap()
}

fn envelope(line: &Value) -> Envelope {
    let input = &line["input"];
    Envelope {
        network: if input["isMainnet"] == true { Network::Mainnet } else { Network::Testnet },
        nonce: uint(&input["nonce"]),
        vault_address: input["vaultAddress"].is_string().then(|| hex(&input["vaultAddress"])),
        expires_after: input["expiresAfter"].as_u64(),
    }
}

fn order(order: &Value) -> Order {
    let kind = match order["t"]["limit"]["tif"].as_str() {
        Some(tif) => OrderKind::Limit {
            tif: match tif {
                "Alo" => TimeInForce::Alo,
                "Ioc" => TimeInForce::Ioc,
                "Gtc" => TimeInForce::Gtc,
                _ => TimeInForce::FrontendMarket,
            },
        },
        None => {
            let trigger = &order["t"]["trigger"];
            OrderKind::Trigger {
                is_market: trigger["isMarket"] == true,
                price: decimal(&trigger["triggerPx"]),
                tpsl: if trigger["tpsl"] == "tp" { Tpsl::TakeProfit } else { Tpsl::StopLoss },
            }
        }
    };
    Order {
        asset: asset(&order["a"]),
        is_buy: order["b"] == true,
        price: decimal(&order["p"]),
        size: decimal(&order["s"]),
        reduce_only: order["r"] == true,
        kind,
        cloid: order["c"].is_string().then(|| cloid(&order["c"])),
    }
}

fn modification(one: &Value) -> Modify {
    let target = match one["oid"].as_u64() {
        Some(oid) => OrderReference::Oid(oid),
        None => OrderReference::Cloid(cloid(&one["oid"])),
    };
    Modify { target, order: order(&one["order"]) }
}

/// A user-signed action that is no plain transfer.
fn build_user_signed(action: &Value, envelope: &Envelope) -> Option<Result<Request, Error>> {
    let chain = action["signatureChainId"].as_str()?.trim_start_matches("0x");
    let signature_chain_id = u64::from_str_radix(chain, 16).unwrap();
    let signed = UserSigned { network: envelope.network, signature_chain_id, nonce: envelope.nonce };
    Some(match action["type"].as_str().unwrap() {
        "sendAsset" => {
            let sub_account = &action["fromSubAccount"];
            let route = Route {
                source_dex: action["sourceDex"].as_str().unwrap(),
                destination_dex: action["destinationDex"].as_str().unwrap(),
                sub_account: (*sub_account != "").then(|| hex(sub_account)),
            };
            let transferral = Transferral {
                network: envelope.network,
                signature_chain_id,
                destination: hex(&action["destination"]),
                amount: &decimal(&action["amount"]),
                time: envelope.nonce,
            };
            send_asset(&transferral, action["token"].as_str().unwrap(), &route)
        }
        "usdClassTransfer" => {
            let text = action["amount"].as_str().unwrap();
            let (amount, sub_account) = match text.split_once(" subaccount:") {
                Some((amount, address)) => (amount, Some(hex(&address.into()))),
                None => (text, None),
            };
            let to_perp = action["toPerp"] == true;
            usd_class_transfer(&signed, &Decimal::new(amount).unwrap(), to_perp, sub_account.as_ref())
        }
        "approveAgent" => approve_agent(&signed, &hex(&action["agentAddress"]), action["agentName"].as_str()),
        "approveBuilderFee" => {
            let rate = action["maxFeeRate"].as_str().unwrap().trim_end_matches('%');
            approve_builder_fee(&signed, &hex(&action["builder"]), &Decimal::new(rate).unwrap())
        }
        _ => return None,
    })
}

/// The line's action by the typed builder, `None` when there is none for its type.
fn build(line: &Value) -> Option<Request> {
    let (action, envelope) = (&line["input"]["action"], envelope(line));
    let list = |name: &str| action[name].as_array().unwrap().iter();
    let transfer = |build: &dyn Fn(&Transferral<'_>) -> Result<Request, Error>| {
        let chain = action["signatureChainId"].as_str().unwrap().trim_start_matches("0x");
        build(&Transferral {
            network: envelope.network,
            signature_chain_id: u64::from_str_radix(chain, 16).unwrap(),
            destination: hex(&action["destination"]),
            amount: &decimal(&action["amount"]),
            time: uint(&action["time"]),
        })
    };
    let request = match action["type"].as_str().unwrap() {
        "order" => {
            let grouping = match action["grouping"].as_str()? {
                "na" => Grouping::Na,
                "normalTpsl" => Grouping::NormalTpsl,
                _ => Grouping::PositionTpsl,
            };
            let builder = action["builder"].is_object().then(|| Builder {
                address: hex(&action["builder"]["b"]),
                fee: asset(&action["builder"]["f"]),
            });
            let batch: Vec<Order> = list("orders").map(order).collect();
            orders(&envelope, &batch, grouping, builder.as_ref())
        }
        "cancel" => {
            let batch: Vec<Cancel> =
                list("cancels").map(|one| Cancel { asset: asset(&one["a"]), oid: uint(&one["o"]) }).collect();
            cancels(&envelope, &batch)
        }
        "cancelByCloid" => {
            let batch: Vec<(u32, u128)> =
                list("cancels").map(|one| (asset(&one["asset"]), cloid(&one["cloid"]))).collect();
            cancels_by_cloid(&envelope, &batch)
        }
        "updateLeverage" => update_leverage(
            &envelope,
            &UpdateLeverage {
                asset: asset(&action["asset"]),
                is_cross: action["isCross"] == true,
                leverage: asset(&action["leverage"]),
            },
        ),
        "modify" => modify(&envelope, &modification(action)),
        "batchModify" => {
            let batch: Vec<Modify> = list("modifies").map(modification).collect();
            batch_modify(&envelope, &batch)
        }
        "twapOrder" => {
            let twap = &action["twap"];
            let order = TwapOrder {
                asset: asset(&twap["a"]),
                is_buy: twap["b"] == true,
                size: decimal(&twap["s"]),
                reduce_only: twap["r"] == true,
                minutes: asset(&twap["m"]),
                randomize: twap["t"] == true,
            };
            twap_order(&envelope, &order)
        }
        "twapCancel" => {
            let cancel = TwapCancel { asset: asset(&action["a"]), twap_id: uint(&action["t"]) };
            twap_cancel(&envelope, &cancel)
        }
        "scheduleCancel" => schedule_cancel(&envelope, action["time"].as_u64()),
        "updateIsolatedMargin" => {
            let update = UpdateIsolatedMargin {
                asset: asset(&action["asset"]),
                is_buy: action["isBuy"] == true,
                amount: action["ntli"].as_i64().unwrap(),
            };
            update_isolated_margin(&envelope, &update)
        }
        "vaultTransfer" => {
            let transfer = VaultTransfer {
                vault: hex(&action["vaultAddress"]),
                is_deposit: action["isDeposit"] == true,
                amount: uint(&action["usd"]),
            };
            vault_transfer(&envelope, &transfer)
        }
        "usdSend" => transfer(&|transferral| usd_send(transferral)),
        "spotSend" => transfer(&|transferral| spot_send(transferral, action["token"].as_str().unwrap())),
        "withdraw3" => transfer(&|transferral| withdraw(transferral)),
        _ => build_user_signed(action, &envelope)?,
    };
    Some(request.unwrap_or_else(|error| panic!("{} {error}", line["id"])))
}

/// The action as the builders write it: an agent without a name has no such member, and addresses that are
/// hashed as bytes are in lower case.
fn written(action: &Value) -> Value {
    let mut action = action.clone();
    if let Some(members) = action.as_object_mut() {
        members.retain(|name, value| name != "agentName" || !value.is_null());
        if let Some(agent) = members.get_mut("agentAddress") {
            *agent = agent.as_str().unwrap().to_lowercase().into();
        }
    }
    action
}

#[test]
fn a_built_action_says_what_the_sdks_action_says() {
    let mut built = 0;
    for line in lines() {
        let Some(request) = build(&line) else {
            continue;
        };
        let json: Value = serde_json::from_str(&request.action_json).unwrap();
        assert_eq!(json, written(&line["input"]["action"]), "{}", line["id"]);
        if line["scheme"] == "l1_agent" {
            assert_eq!(request.payload_kind, PayloadKind::HyperliquidL1Json);
            assert_eq!(request.action_json, line["action_json"].as_str().unwrap());
        }
        let again = raw(request.payload_kind, &request.envelope, request.action_json.clone());
        assert_eq!(again, Ok(request));
        built += 1;
    }
    assert_eq!(built, 363);
}

#[test]
fn the_body_is_the_one_the_sdk_posts() {
    let mut compared = 0;
    for line in lines() {
        let posted: Value = serde_json::from_str(line["input"]["posted_body"].as_str().unwrap()).unwrap();
        let Some(request) = build(&line) else {
            continue;
        };
        let body: Value =
            serde_json::from_str(&request.exchange_body(&hex(&line["sig65"])).unwrap()).unwrap();
        // The vault is the one that was hashed; the Python SDK posts its own beside some user-signed actions.
        assert_eq!(body["vaultAddress"], line["input"]["vaultAddress"], "{}", line["id"]);
        assert_eq!(body["action"], written(&posted["action"]), "{}", line["id"]);
        for name in ["nonce", "expiresAfter"] {
            assert_eq!(body[name], posted[name], "{} {name}", line["id"]);
        }
        for scalar in ["r", "s"] {
            // Some SDKs drop leading zeros, others keep them.
            let digits = |body: &Value| {
                body["signature"][scalar]
                    .as_str()
                    .unwrap()
                    .trim_start_matches("0x")
                    .trim_start_matches('0')
                    .to_owned()
            };
            assert_eq!(digits(&body), digits(&posted), "{}", line["id"]);
            assert_eq!(body["signature"][scalar].as_str().unwrap().len(), 66);
        }
        assert_eq!(body["signature"]["v"], posted["signature"]["v"]);
        compared += 1;
    }
    assert_eq!(compared, 363);
}

#[test]
fn the_parity_of_a_reply_becomes_v() {
    let mut signature = [1; 65];
    for (last, v) in [(0, 27), (1, 28), (27, 27), (28, 28)] {
        signature[64] = last;
        let body: Value =
            serde_json::from_str(&exchange_body("{}", 1, &signature, None, None).unwrap()).unwrap();
        assert_eq!(body["signature"]["v"], v);
    }
    signature[64] = 2;
    assert_eq!(exchange_body("{}", 1, &signature, None, None), Err(Error::RecoveryIdNotKnown(2)));
}

#[test]
fn what_the_vault_would_refuse_is_not_built() {
    assert_eq!(Decimal::new("1.0"), Err(Error::NotADecimal(Refusal::DecimalNotCanonical)));
    assert_eq!(Decimal::new("1e5"), Err(Error::NotADecimal(Refusal::DecimalNotCanonical)));
    let line = &lines()[0];
    let mut request = order(&line["input"]["action"]["orders"][0]);
    request.cloid = Some(0);
    let fine = order(&line["input"]["action"]["orders"][0]);
    match orders(&envelope(line), &[fine, request], Grouping::Na, None) {
        Err(Error::Refused(why)) => {
            assert_eq!((why.refusal, why.subject), (Refusal::CloidMalformed, Some(1)));
        }
        other => panic!("{other:?}"),
    }
    let amount = Decimal::new("1").unwrap();
    let transferral = Transferral {
        network: Network::Mainnet,
        signature_chain_id: 0xa4b1,
        destination: [1; 20],
        amount: &amount,
        time: 1,
    };
    let sneaky = r#"PURR:0x00","amount":"9"#;
    assert!(matches!(spot_send(&transferral, sneaky), Err(Error::Refused(_))));
    let unsupported = raw(PayloadKind::HyperliquidL1Json, &envelope(line), r#"{"type":"noop"}"#.to_owned());
    match unsupported {
        Err(Error::Refused(why)) => assert_eq!(why.refusal, Refusal::ActionNotSupported),
        other => panic!("{other:?}"),
    }
}
