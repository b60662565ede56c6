//! What the vectors say.

use venues::book_value::AnyOr;
use venues::polymarket::decode;
use venues::polymarket::rules::{
    ClobAuthLimits, Exchange, Limits, MarketLimits, OrderLimits, V1Limits, V2Limits,
};
use venues::{Payload, U256};
use wire::{Family, Now, Refusal};

use crate::lines::{Line, facts_of, from_hex, lines};

/// The facts that are told under the name that the files have.
const FACTS: &[&str] = &[
    "chain_id",
    "primary_type",
    "domain_version",
    "verifying_contract",
    "maker",
    "signer",
    "taker",
    "token_id",
    "maker_amount",
    "taker_amount",
    "side",
    "signature_type",
    "expiration",
    "nonce",
    "fee_rate_bps",
    "salt",
    "timestamp",
    "metadata",
    "builder",
    "auth_address",
];

/// Judges `line` by the judge's book for the author of `base`.
fn judge(line: &Line, base: &Line) -> Result<(), Refusal> {
    let message = decode(&line.payload).map_err(|why| why.refusal)?;
    let allow = base.addresses();
    let token_ids = [base.fact("token_id").parse().unwrap_or(U256::ZERO)];
    let markets = [MarketLimits {
        exchanges: &[Exchange::V1, Exchange::NegRiskV1, Exchange::V2, Exchange::NegRiskV2, Exchange::V3],
        token_ids: &token_ids,
        buy: true,
        sell: true,
        price_min: 1,
        price_max: 1_000_000,
        shares_max: 10_000_000_000_000,
        collateral_max: 10_000_000_000_000,
    }];
    let limits = Limits {
        chains: &[137],
        order: Some(OrderLimits {
            eoa: true,
            proxies: &allow,
            safes: &allow,
            deposit_wallets: &allow,
            rounding_max: 100,
            salt_53_bits: false,
            markets: &markets,
            v1: Some(V1Limits {
                fee_rate_bps_max: 1000,
                nonce_max: u64::MAX,
                takers: &[],
                expiration_ahead_max_s: 90 * 24 * 60 * 60,
                without_expiration: true,
            }),
            v2: Some(V2Limits {
                timestamp_behind_max_ms: 1000,
                timestamp_ahead_max_ms: 1000,
                builders: AnyOr::Any,
                metadata: AnyOr::Any,
            }),
        }),
        clob_auth: Some(ClobAuthLimits {
            timestamp_behind_max_s: 1,
            timestamp_ahead_max_s: 1,
            nonce_max: u64::MAX,
        }),
    };
    let now = Now { monotonic_ms: 0, wall_ms: base.now_ms() };
    message.judge(&limits, &base.account(), now).map(drop).map_err(|why| why.refusal)
}

#[test]
fn every_positive_line_decodes_to_its_digest_and_its_facts() {
    let lines = lines("polymarket");
    assert_eq!(lines.len(), 200);
    for line in &lines {
        let id = line.text("id");
        let message = decode(&line.payload).unwrap_or_else(|why| panic!("{id} {why:?}"));
        let digest = from_hex(line.text("digest"));
        assert_eq!(message.preimage().as_bytes()[..], digest, "{id}");
        assert_eq!(message.label()[..], digest);
        assert_eq!(message.canonical(), line.payload);
        let told = facts_of(&message);
        for fact in FACTS {
            let expected = line.fact(fact);
            let told = told.get(fact).and_then(|fact| fact.as_str()).unwrap_or_default();
            assert!(told.eq_ignore_ascii_case(expected), "{id} {fact}: {told} {expected}");
        }
    }
}

#[test]
fn a_positive_line_is_allowed_unless_it_is_an_edge_that_the_book_rules_out() {
    let lines = lines("polymarket");
    let mut denied = 0;
    for line in &lines {
        let Err(refusal) = judge(line, line) else { continue };
        assert_eq!(line.text("mix"), "edge", "{} {refusal:?}", line.text("id"));
        let amounts = [line.fact("maker_amount"), line.fact("taker_amount")];
        let edges = [
            (Refusal::OrderTakerNotAllowed, line.fact("taker") != format!("0x{}", "0".repeat(40))),
            (Refusal::SharesAboveCap, amounts.iter().any(|amount| amount.len() > 13)),
            (Refusal::OrderAmountZero, amounts.contains(&"0")),
            (Refusal::PriceAboveOne, line.fact("price").parse::<f64>().is_ok_and(|price| price > 1.0)),
            (Refusal::TimestampTooFarAhead, line.fact("timestamp").len() > 13),
            (Refusal::ExpirationTooFar, line.fact("expiration") == "4102444800"),
        ];
        let edge = edges.contains(&(refusal, true));
        assert!(edge, "{} {refusal:?}", line.text("id"));
        denied += 1;
    }
    assert_eq!(denied, 17);
}

#[test]
fn every_negative_line_is_refused_by_the_right_layer_and_its_base_is_allowed() {
    let positives = lines("polymarket");
    let lines = lines("negative_polymarket");
    assert_eq!(lines.len(), 72);
    for line in &lines {
        let id = line.text("id");
        let base = positives.iter().find(|base| base.text("id") == line.text("base")).unwrap();
        assert_eq!(judge(base, base), Ok(()), "{id}");
        let family = judge(line, base).expect_err(id).family();
        match line.text("stage") {
            "decode" => assert!(matches!(family, Family::Malformed | Family::Unsupported), "{id}"),
            _ => assert!(matches!(family, Family::Denied | Family::Unsupported), "{id}"),
        }
    }
}

#[test]
fn a_negative_line_is_refused_for_what_its_author_broke() {
    let positives = lines("polymarket");
    let mut found = 0;
    for line in lines("negative_polymarket") {
        let base = positives.iter().find(|base| base.text("id") == line.text("base")).unwrap();
        let expected = match line.text("kind") {
            "dup_message_key" | "dup_domain_key" => Refusal::JsonMemberRepeated,
            "dup_key_escaped" => Refusal::JsonEscapeNotAllowed,
            "missing_field" | "primary_missing" => Refusal::FieldMissing,
            "extra_field" | "extra_nested_or_domain" => Refusal::FieldNotKnown,
            "domain_reordered_type" | "narrower_type" | "type_uint" | "safe_tx" => Refusal::TypesNotSupported,
            "side_2" => Refusal::SideNotKnown,
            "chainid_zero" => Refusal::ChainIdZero,
            "name_cyrillic" | "name_nbsp" => Refusal::DomainNotSupported,
            "version_mismatch" | "unknown_contract" | "chainid_other" | "v2_struct_version_1" => {
                Refusal::ExchangeNotSupported
            }
            "signer_other" => Refusal::OrderSignerNotThisKey,
            "maker_stranger" => Refusal::MakerNotThisKey,
            "private_taker" => Refusal::OrderTakerNotAllowed,
            "price_above_one" => Refusal::PriceAboveOne,
            "sell_for_nothing" => Refusal::OrderAmountZero,
            "expired" => Refusal::ExpirationPassed,
            "size_huge" => Refusal::SharesAboveCap,
            "clobauth_other_address" => Refusal::AuthAddressNotThisKey,
            "tds_wallet_stranger" => Refusal::MakerNotWallet,
            _ => continue,
        };
        assert_eq!(judge(&line, base), Err(expected), "{}", line.text("id"));
        found += 1;
    }
    assert_eq!(found, 28);
}
