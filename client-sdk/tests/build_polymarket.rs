//! The builders make what the venue's own SDKs sign: the same digests, amounts and wire signatures.

#![cfg(test)]

use std::path::Path;

use client_sdk::build::polymarket::{
    Error, Exchange, Order, Side, SignatureType, Terms, Tick, U256, clob_auth, deployment, limit_amounts,
    market_buy_amounts, market_sell_amounts, order, raw,
};
use serde_json::Value;
use wire::Refusal;

fn lines() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../venues/vectors/polymarket.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap().trim_start_matches("0x");
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn fixed<const N: usize>(value: &Value) -> [u8; N] {
    bytes(value).try_into().unwrap()
}

fn number(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

/// Six decimals.
fn micro(value: &Value) -> u64 {
    let (whole, fraction) = value.as_str().unwrap().split_once('.').unwrap_or((value.as_str().unwrap(), ""));
    format!("{whole}{fraction:0<6}").parse().unwrap()
}

fn order_of(facts: &Value) -> Order {
    let exchange = match (facts["domain_version"].as_str().unwrap(), facts["neg_risk"] == "true") {
        ("1", false) => Exchange::V1,
        ("1", true) => Exchange::NegRiskV1,
        ("2", false) => Exchange::V2,
        ("2", true) => Exchange::NegRiskV2,
        _ => Exchange::V3,
    };
    let terms = if exchange.is_v1() {
        Terms::V1 {
            taker: fixed(&facts["taker"]),
            expiration: number(&facts["expiration"]),
            nonce: number(&facts["nonce"]),
            fee_rate_bps: number(&facts["fee_rate_bps"]),
        }
    } else {
        Terms::V2 {
            timestamp: number(&facts["timestamp"]),
            metadata: fixed(&facts["metadata"]),
            builder: fixed(&facts["builder"]),
        }
    };
    Order {
        deployment: deployment(exchange, 137).unwrap(),
        salt: number(&facts["salt"]),
        maker: fixed(&facts["maker"]),
        signer: fixed(&facts["signer"]),
        token_id: number(&facts["token_id"]),
        maker_amount: number(&facts["maker_amount"]),
        taker_amount: number(&facts["taker_amount"]),
        side: if facts["side"] == "BUY" { Side::Buy } else { Side::Sell },
        signature_type: match facts["signature_type"].as_str().unwrap() {
            "0" => SignatureType::Eoa,
            "1" => SignatureType::PolyProxy,
            "2" => SignatureType::PolyGnosisSafe,
            _ => SignatureType::Poly1271,
        },
        terms,
        wallet: (facts["primary_type"] == "TypedDataSign").then(|| fixed(&facts["wallet_contract"])),
    }
}

#[test]
fn every_line_is_built_with_the_digest_of_the_venues_sdk() {
    let lines = lines();
    assert_eq!(lines.len(), 200);
    for line in &lines {
        let facts = &line["facts"];
        let request = if facts["primary_type"] == "ClobAuth" {
            let number = |name: &str| facts[name].as_str().unwrap().parse().unwrap();
            clob_auth(137, &fixed(&facts["auth_address"]), number("timestamp"), number("nonce")).unwrap()
        } else {
            order(&order_of(facts)).unwrap()
        };
        assert_eq!(request.digest, fixed(&line["digest"]), "{}", line["id"]);
        let theirs = raw(line["input"].as_str().unwrap().to_owned()).unwrap();
        assert_eq!(theirs.digest, request.digest);
    }
}

#[test]
fn the_signature_of_a_deposit_wallet_is_wrapped_as_the_venues_sdk_wraps_it() {
    let lines = lines();
    let wrapped: Vec<_> = lines.iter().filter(|line| line["facts"]["wire_signature"].is_string()).collect();
    assert_eq!(wrapped.len(), 18);
    for line in wrapped {
        let signature: [u8; 65] = fixed(&line["signature"]);
        let wire = order(&order_of(&line["facts"])).unwrap().wire_signature(&signature).unwrap();
        let is_nested = line["facts"]["primary_type"] == "TypedDataSign";
        assert_eq!(wire.len(), if is_nested { 317 } else { 65 });
        assert_eq!(wire, bytes(&line["facts"]["wire_signature"]));
    }
}

#[test]
fn other_signatures_go_as_they_are_with_27_or_28() {
    let lines = lines();
    let line = lines.iter().find(|line| line["kind"] == "OrderV1").unwrap();
    let request = order(&order_of(&line["facts"])).unwrap();
    let signature: [u8; 65] = fixed(&line["signature"]);
    assert_eq!(request.wire_signature(&signature).unwrap(), signature);
    let mut with_parity = signature;
    with_parity[64] -= 27;
    assert_eq!(request.wire_signature(&with_parity).unwrap(), signature);
    with_parity[64] = 2;
    assert_eq!(request.wire_signature(&with_parity), Err(Error::RecoveryIdNotKnown(2)));
}

#[test]
fn amounts_are_those_of_the_venues_decimal_clients() {
    let lines = lines();
    let mut compared = 0;
    for line in &lines {
        let facts = &line["facts"];
        // An edge line may keep the wish of the order that it was made from.
        if !facts["user_price"].is_string() || line["mix"] != "common" {
            continue;
        }
        let tick = match facts["tick"].as_str().unwrap() {
            "0.1" => Tick::Tenth,
            "0.01" => Tick::Cent,
            "0.001" => Tick::Thousandth,
            _ => Tick::TenThousandth,
        };
        let (price, size) = (micro(&facts["user_price"]), micro(&facts["user_size"]));
        let amounts = match (facts["market"] == "true", facts["side"] == "BUY") {
            (true, true) => market_buy_amounts(price, size, tick),
            (true, false) => market_sell_amounts(price, size, tick),
            (false, true) => limit_amounts(Side::Buy, price, size, tick),
            (false, false) => limit_amounts(Side::Sell, price, size, tick),
        };
        let Ok(amounts) = amounts else { panic!("{} {amounts:?}", line["id"]) };
        let expected = [number(&facts["maker_amount"]), number(&facts["taker_amount"])];
        assert_eq!([amounts.maker, amounts.taker].map(U256::from), expected, "{}", line["id"]);
        compared += 1;
    }
    assert_eq!(compared, 120);
}

#[test]
fn a_market_buy_signs_a_ratio_above_its_price_by_less_than_the_rounding() {
    let amounts = market_buy_amounts(420_000, 5_000_000, Tick::Cent).unwrap();
    assert_eq!((amounts.maker, amounts.taker), (5_000_000, 11_904_700));
    let above = |shares: u64| amounts.maker * 1_000_000 > 420_000 * shares;
    assert!(above(amounts.taker) && !above(amounts.taker + 100));
}

#[test]
fn a_price_off_the_tick_or_outside_0_and_1_is_refused() {
    for (price, tick) in [
        (0, Tick::Cent),
        (1_000_000, Tick::Cent),
        (425_000, Tick::Cent),
        (421_000, Tick::HalfCent),
        (2_500, Tick::HalfCent),
        (421_000, Tick::QuarterCent),
        (50_000, Tick::Tenth),
        (150, Tick::TenThousandth),
    ] {
        assert_eq!(limit_amounts(Side::Buy, price, 5_000_000, tick), Err(Error::PriceOffTick), "{price}");
        assert_eq!(market_buy_amounts(price, 5_000_000, tick), Err(Error::PriceOffTick), "{price}");
    }
    assert!(limit_amounts(Side::Buy, 425_000, 5_000_000, Tick::HalfCent).is_ok());
    assert!(limit_amounts(Side::Buy, 422_500, 5_000_000, Tick::QuarterCent).is_ok());
}

#[test]
fn an_amount_that_rounds_to_nothing_or_is_too_large_is_refused() {
    assert_eq!(limit_amounts(Side::Buy, 500_000, 9_999, Tick::Cent), Err(Error::AmountOutOfRange));
    assert_eq!(market_buy_amounts(500_000, 9_999, Tick::Cent), Err(Error::AmountOutOfRange));
    assert_eq!(market_buy_amounts(100, u64::MAX, Tick::TenThousandth), Err(Error::AmountOutOfRange));
    assert!(limit_amounts(Side::Sell, 990_000, u64::MAX, Tick::Cent).is_ok());
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let lines = lines();
    let line = |kind: &str| order_of(&lines.iter().find(|line| line["kind"] == kind).unwrap()["facts"]);
    let (v1, v2) = (line("OrderV1"), line("OrderV2"));
    let refused = |built: &Order| {
        if let Err(Error::Refused(why)) = order(built) { Some(why.refusal) } else { None }
    };
    let crossed = Order { deployment: v2.deployment, ..v1 };
    assert_eq!(refused(&crossed), Some(Refusal::OrderVersionDiffers));
    assert_eq!(refused(&Order { deployment: v1.deployment, ..v2 }), Some(Refusal::OrderVersionDiffers));
    assert!(order(&Order { wallet: Some([1; 20]), ..v1 }).is_err());
    assert_eq!(clob_auth(1, &[0x11; 20], 1_790_000_000, 0), Err(Error::ChainNotKnown(1)));
}
