//! The Polymarket rules of a book file: what a good one compiles to, and every fault by its name and place.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use compile::{Rule, compile};
use venues::book_value::AnyOr;
use venues::polymarket::rules::{
    ClobAuthLimits, Exchange, Limits, MarketLimits, OrderLimits, V1Limits, V2Limits,
};
use venues::{Address, Grants, U256};

const DESK: &str = r#"version = 1
desk = "test-desk"
boot_mode = "live"
clients = [{ name = "bot", public_key = { x25519 = "0x3962653503c55e587bb66a98fa92c62e2bc29d53d16db33cb528e0ceb3797521" }, may = [{ key = 1, venues = "any" }] }]

[[slots]]
slot = 1
name = "polymarket"
public_key = { secp256k1 = "0x0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6" }

[slots.polymarket]
chains = [137]
clob_auth = { timestamp_behind_max_s = 30, timestamp_ahead_max_s = 5, nonce_max = 0 }

[slots.polymarket.order]
eoa = true
proxies = ["0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C"]
safes = ["0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C"]
deposit_wallets = ["0x4a9A1FB490401a4Ae65ceB3d3D345bcFd31220DD"]
rounding_max = "0.0001"
salt_53_bits = true

[slots.polymarket.order.v1]
fee_rate_bps_max = 100
nonce_max = 2
takers = ["0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C"]
expiration_ahead_max_s = 86_400
without_expiration = true

[slots.polymarket.order.v2]
timestamp_behind_max_ms = 5_000
timestamp_ahead_max_ms = 500
builders = ["0xc8270ff320c3476a599f8d770e7b8576efc090c7b5ab42935e2bff58365685b7"]
metadata = "any"

[[slots.polymarket.order.markets]]
exchanges = ["V1", "V2"]
token_ids = ["72506127891654209647791846342936290616491981394235405275532883418515855750165", 7]
buy = true
price_min = "0.01"
price_max = "0.99"
shares_max = 5_000
collateral_max = "2500.5"

[[slots.polymarket.order.markets]]
exchanges = ["NegRiskV1", "NegRiskV2", "V3"]
token_ids = [7]
sell = true
price_min = "0.000001"
price_max = 1
shares_max = 1
collateral_max = 1
"#;

fn address(digits: &str) -> Address {
    let value: U256 = format!("0x{digits}").parse().unwrap();
    value.to_be_bytes::<32>()[12..].try_into().unwrap()
}

#[test]
fn rules_are_in_millionths() {
    let treasury = address("9D8EF98e161a9fB2AB184eC539aD7A3095150d9C");
    let builder: U256 = "0xc8270ff320c3476a599f8d770e7b8576efc090c7b5ab42935e2bff58365685b7".parse().unwrap();
    let token_id: U256 =
        "72506127891654209647791846342936290616491981394235405275532883418515855750165".parse().unwrap();
    let expected = Limits {
        chains: &[137],
        order: Some(OrderLimits {
            eoa: true,
            proxies: &[treasury],
            safes: &[treasury],
            deposit_wallets: &[address("4a9A1FB490401a4Ae65ceB3d3D345bcFd31220DD")],
            rounding_max: 100,
            salt_53_bits: true,
            markets: &[
                MarketLimits {
                    exchanges: &[Exchange::V1, Exchange::V2],
                    token_ids: &[token_id, U256::from(7)],
                    buy: true,
                    sell: false,
                    price_min: 10_000,
                    price_max: 990_000,
                    shares_max: 5_000_000_000,
                    collateral_max: 2_500_500_000,
                },
                MarketLimits {
                    exchanges: &[Exchange::NegRiskV1, Exchange::NegRiskV2, Exchange::V3],
                    token_ids: &[U256::from(7)],
                    buy: false,
                    sell: true,
                    price_min: 1,
                    price_max: 1_000_000,
                    shares_max: 1_000_000,
                    collateral_max: 1_000_000,
                },
            ],
            v1: Some(V1Limits {
                fee_rate_bps_max: 100,
                nonce_max: 2,
                takers: &[treasury],
                expiration_ahead_max_s: 86_400,
                without_expiration: true,
            }),
            v2: Some(V2Limits {
                timestamp_behind_max_ms: 5_000,
                timestamp_ahead_max_ms: 500,
                builders: AnyOr::Listed(&[builder.to_be_bytes()]),
                metadata: AnyOr::Any,
            }),
        }),
        clob_auth: Some(ClobAuthLimits {
            timestamp_behind_max_s: 30,
            timestamp_ahead_max_s: 5,
            nonce_max: 0,
        }),
    };
    let grants = compile("desk.toml", DESK).unwrap().slot(1).unwrap().grants;
    assert_eq!(grants, Grants { polymarket: Some(expected), ..Grants::NONE });
}

fn changed(changes: &[(&str, &str)]) -> String {
    let mut desk = DESK.to_owned();
    for (from, to) in changes {
        assert_eq!(desk.replace('§', "").matches(from).count(), 1, "{from:?} stands once in the desk");
        desk = desk.replacen(from, to, 1);
    }
    desk
}

#[test]
fn what_is_left_out_is_not_granted() {
    let text = changed(&[
        ("builders = [\"0xc8270ff320c3476a599f8d770e7b8576efc090c7b5ab42935e2bff58365685b7\"]\n", ""),
        ("metadata = \"any\"\n", ""),
        ("takers = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\n", ""),
        ("without_expiration = true\n", ""),
        ("eoa = true\n", ""),
        ("salt_53_bits = true\n", ""),
        ("clob_auth = { timestamp_behind_max_s = 30, timestamp_ahead_max_s = 5, nonce_max = 0 }\n", ""),
    ]);
    let limits = compile("desk.toml", &text).unwrap().slot(1).unwrap().grants.polymarket.unwrap();
    let order = limits.order.unwrap();
    let (v1, v2) = (order.v1.unwrap(), order.v2.unwrap());
    assert_eq!((v2.builders, v2.metadata), (AnyOr::Listed(&[][..]), AnyOr::Listed(&[][..])));
    assert_eq!((v1.takers, v1.without_expiration), (&[][..], false));
    assert_eq!((order.eoa, order.salt_53_bits), (false, false));
    assert_eq!(limits.clob_auth, None);
}

macro_rules! rows {
    ($($name:ident: [$($from:expr => $to:expr),+], $($rule:ident)+;)+) => {
        $(
            /// `§` marks where each fault is told.
            #[test]
            fn $name() {
                let marked = changed(&[$(($from, $to)),+]);
                let faults = compile("desk.toml", &marked.replace('§', "")).expect_err("a faulty desk");
                let told: Vec<_> = faults.iter().map(|fault| (fault.line, fault.rule)).collect();
                let lines = marked.lines().enumerate();
                let marks: Vec<_> =
                    lines.flat_map(|(at, line)| vec![at + 1; line.matches('§').count()]).collect();
                let rules = [$(Rule::$rule),+];
                assert_eq!(told, marks.into_iter().zip(rules).collect::<Vec<_>>(), "{faults:#?}");
                assert_eq!(told.len(), rules.len());
            }
        )+
    };
}

const V1_TABLE: &str = "[slots.polymarket.order.v1]
fee_rate_bps_max = 100
nonce_max = 2
takers = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]
expiration_ahead_max_s = 86_400
without_expiration = true
";

rows! {
    another_chain: ["chains = [137]" => "chains = [137, §1]"], UnknownValue;
    neither_orders_nor_clob_auth: ["[[slots]]" => "[[slots]]\nslot = 2\nname = \"other\"\npublic_key = { secp256k1 = \"0x03d61de6d549751ff029a87210ec68b275582e580f33d7d3e6e0771a312baa39e5\" }\npolymarket = §{ chains = [137] }\n[[slots]]"], EmptyGrants;
    no_wallet: ["[slots.polymarket.order]" => "§[slots.polymarket.order]", "eoa = true\n" => "", "proxies = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\n" => "", "safes = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\n" => "", "deposit_wallets = [\"0x4a9A1FB490401a4Ae65ceB3d3D345bcFd31220DD\"]\n" => ""], EmptyGrants;
    neither_side: ["[[slots.polymarket.order.markets]]\nexchanges = [\"V1\"" => "§[[slots.polymarket.order.markets]]\nexchanges = [\"V1\"", "buy = true\n" => ""], EmptyGrants;
    no_rounding: ["[slots.polymarket.order]" => "§[slots.polymarket.order]", "rounding_max = \"0.0001\"\n" => ""], MissingKey;
    more_rounding_than_clients_do: ["rounding_max = \"0.0001\"" => "rounding_max = §\"0.001001\""], TooLarge;
    no_collateral_cap: ["[[slots.polymarket.order.markets]]\nexchanges = [\"V1\"" => "§[[slots.polymarket.order.markets]]\nexchanges = [\"V1\"", "collateral_max = \"2500.5\"\n" => ""], MissingKey;
    a_size_cap_of_zero: ["shares_max = 5_000" => "shares_max = §0"], ZeroCap;
    a_price_above_1: ["price_max = \"0.99\"" => "price_max = §\"1.000001\""], TooLarge;
    a_price_of_seven_decimals: ["price_max = \"0.99\"" => "price_max = §\"0.9999999\""], NotANumber;
    a_collar_that_starts_at_zero: ["price_min = \"0.01\"" => "price_min = §0"], Collar;
    a_collar_upside_down: ["price_max = \"0.99\"" => "price_max = §\"0.009\""], Collar;
    a_float_price: ["price_max = \"0.99\"" => "price_max = §0.99"], Float;
    an_unknown_exchange: ["[\"V1\", \"V2\"]" => "[\"V1\", §\"V4\"]"], UnknownValue;
    a_token_twice_on_an_exchange: ["exchanges = [\"NegRiskV1\", \"NegRiskV2\", \"V3\"]\ntoken_ids = [7]" => "exchanges = [\"V3\", \"V2\"]\ntoken_ids = [§7]"], Duplicate;
    no_token: ["token_ids = [7]" => "token_ids = §[]"], EmptyList;
    version_1_is_traded_and_not_limited: ["[slots.polymarket.order]" => "§[slots.polymarket.order]", V1_TABLE => ""], MissingKey;
    version_1_is_limited_and_not_traded: ["[\"V1\", \"V2\"]" => "[\"V2\"]", "\"NegRiskV1\", " => "", "[slots.polymarket.order.v1]" => "§[slots.polymarket.order.v1]"], UnusedKey;
    deposit_wallets_in_version_1_only: ["[\"V1\", \"V2\"]" => "[\"V1\"]", "[\"NegRiskV1\", \"NegRiskV2\", \"V3\"]" => "[\"NegRiskV1\"]", "[slots.polymarket.order]" => "§[slots.polymarket.order]", "[slots.polymarket.order.v2]" => "§[slots.polymarket.order.v2]"], UnreachableRule UnusedKey;
    a_fee_rate_that_the_exchange_refuses: ["fee_rate_bps_max = 100" => "fee_rate_bps_max = §1_001"], TooLarge;
    an_expiration_in_milliseconds: ["expiration_ahead_max_s = 86_400" => "expiration_ahead_max_s = §86_400_000"], TooLarge;
    a_window_of_two_days: ["timestamp_behind_max_ms = 5_000" => "timestamp_behind_max_ms = §172_800_000"], TooLarge;
    a_window_of_clob_auth_in_milliseconds: ["timestamp_behind_max_s = 30" => "timestamp_behind_max_s = §300_000"], TooLarge;
    a_word_for_metadata: ["metadata = \"any\"" => "metadata = §\"all\""], UnknownValue;
    a_builder_code_cut_short: ["builders = [\"0xc8270ff320c3476a599f8d770e7b8576efc090c7b5ab42935e2bff58365685b7\"]" => "builders = [§\"0xc8270ff3\"]"], UnknownValue;
    a_builder_code_of_zero: ["builders = [\"0xc8270ff320c3476a599f8d770e7b8576efc090c7b5ab42935e2bff58365685b7\"]" => "builders = [§\"0x0000000000000000000000000000000000000000000000000000000000000000\"]"], UnknownValue;
    the_zero_address_as_a_proxy: ["proxies = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]" => "proxies = [§\"0x0000000000000000000000000000000000000000\"]"], BadAddress;
    an_unknown_key: ["salt_53_bits = true" => "§salt_bits = 53"], UnknownKey;
}
