//! Typed data of every family as text, with one value or another changed.

const EXCHANGE_DOMAIN: &str = r#""EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}]"#;
const CLOB_DOMAIN: &str = r#""EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"}]"#;
const ORDER_V1: &str = r#""Order":[{"name":"salt","type":"uint256"},{"name":"maker","type":"address"},{"name":"signer","type":"address"},{"name":"taker","type":"address"},{"name":"tokenId","type":"uint256"},{"name":"makerAmount","type":"uint256"},{"name":"takerAmount","type":"uint256"},{"name":"expiration","type":"uint256"},{"name":"nonce","type":"uint256"},{"name":"feeRateBps","type":"uint256"},{"name":"side","type":"uint8"},{"name":"signatureType","type":"uint8"}]"#;
const ORDER_V2: &str = r#""Order":[{"name":"salt","type":"uint256"},{"name":"maker","type":"address"},{"name":"signer","type":"address"},{"name":"tokenId","type":"uint256"},{"name":"makerAmount","type":"uint256"},{"name":"takerAmount","type":"uint256"},{"name":"side","type":"uint8"},{"name":"signatureType","type":"uint8"},{"name":"timestamp","type":"uint256"},{"name":"metadata","type":"bytes32"},{"name":"builder","type":"bytes32"}]"#;
const TYPED_DATA_SIGN: &str = r#""TypedDataSign":[{"name":"contents","type":"Order"},{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"},{"name":"salt","type":"bytes32"}]"#;
const CLOB_AUTH: &str = r#""ClobAuth":[{"name":"address","type":"address"},{"name":"timestamp","type":"string"},{"name":"nonce","type":"uint256"},{"name":"message","type":"string"}]"#;

pub(crate) const V1_EXCHANGE: &str = "\"0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e\"";
pub(crate) const V2_EXCHANGE: &str = "\"0xe111180000d2663c0091e4f400237545b87b996b\"";
pub(crate) const V3_EXCHANGE: &str = "\"0xe3333700ca9d93003f00f0f71f8515005f6c00aa\"";

/// The key's own address, a wallet of it, a stranger.
pub(crate) const OWN: [u8; 20] = [0x11; 20];
pub(crate) const WALLET: [u8; 20] = [0x22; 20];
pub(crate) const OWN_TEXT: &str = "\"0x1111111111111111111111111111111111111111\"";
pub(crate) const WALLET_TEXT: &str = "\"0x2222222222222222222222222222222222222222\"";
pub(crate) const STRANGER_TEXT: &str = "\"0x6666666666666666666666666666666666666666\"";
const ZERO_WORD: &str = "\"0x0000000000000000000000000000000000000000000000000000000000000000\"";
const ZERO_ADDRESS: &str = "\"0x0000000000000000000000000000000000000000\"";

pub(crate) const TOKEN_ID: u64 = 7_001;
pub(crate) const NOW_MS: u64 = 1_790_000_000_000;

/// Values by name; `domain.`, `contents.` and no prefix say where.
pub(crate) type Changes<'a> = &'a [(&'a str, &'a str)];

fn object(prefix: &str, members: &[(&str, &str)], changes: Changes<'_>) -> String {
    let member = |(name, value): &(&str, &str)| {
        let key = format!("{prefix}{name}");
        let value = changes.iter().find(|(changed, _)| *changed == key).map_or(*value, |(_, value)| *value);
        format!("\"{name}\":{value}")
    };
    format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
}

fn exchange_domain(version: &str, contract: &str, changes: Changes<'_>) -> String {
    let members = [
        ("name", "\"Polymarket CTF Exchange\""),
        ("version", version),
        ("chainId", "137"),
        ("verifyingContract", contract),
    ];
    object("domain.", &members, changes)
}

fn document(types: &[&str], primary: &str, domain: &str, message: &str) -> String {
    let types = types.join(",");
    format!(r#"{{"types":{{{types}}},"primaryType":"{primary}","domain":{domain},"message":{message}}}"#)
}

/// A BUY of 100 shares at 0.5 from the key's own address.
pub(crate) fn v1(changes: Changes<'_>) -> String {
    let members = [
        ("salt", "99"),
        ("maker", OWN_TEXT),
        ("signer", OWN_TEXT),
        ("taker", ZERO_ADDRESS),
        ("tokenId", "\"7001\""),
        ("makerAmount", "50000000"),
        ("takerAmount", "100000000"),
        ("expiration", "\"0\""),
        ("nonce", "0"),
        ("feeRateBps", "0"),
        ("side", "0"),
        ("signatureType", "0"),
    ];
    let domain = exchange_domain("\"1\"", V1_EXCHANGE, changes);
    document(&[EXCHANGE_DOMAIN, ORDER_V1], "Order", &domain, &object("", &members, changes))
}

const V2_MEMBERS: [(&str, &str); 11] = [
    ("salt", "99"),
    ("maker", OWN_TEXT),
    ("signer", OWN_TEXT),
    ("tokenId", "\"7001\""),
    ("makerAmount", "50000000"),
    ("takerAmount", "100000000"),
    ("side", "0"),
    ("signatureType", "0"),
    ("timestamp", "\"1790000000000\""),
    ("metadata", ZERO_WORD),
    ("builder", ZERO_WORD),
];

/// The same order in version 2.
pub(crate) fn v2(changes: Changes<'_>) -> String {
    let domain = exchange_domain("\"2\"", V2_EXCHANGE, changes);
    document(&[EXCHANGE_DOMAIN, ORDER_V2], "Order", &domain, &object("", &V2_MEMBERS, changes))
}

/// The same order from a deposit wallet.
pub(crate) fn nested(changes: Changes<'_>) -> String {
    let mut contents = V2_MEMBERS;
    for (name, value) in &mut contents {
        match *name {
            "maker" | "signer" => *value = WALLET_TEXT,
            "signatureType" => *value = "3",
            _ => {}
        }
    }
    let contents = object("contents.", &contents, changes);
    let members = [
        ("contents", &contents[..]),
        ("name", "\"DepositWallet\""),
        ("version", "\"1\""),
        ("chainId", "\"0x89\""),
        ("verifyingContract", WALLET_TEXT),
        ("salt", ZERO_WORD),
    ];
    let domain = exchange_domain("\"2\"", V2_EXCHANGE, changes);
    let types = [EXCHANGE_DOMAIN, ORDER_V2, TYPED_DATA_SIGN];
    document(&types, "TypedDataSign", &domain, &object("", &members, changes))
}

/// A ClobAuth for the key's own address.
pub(crate) fn clob_auth(changes: Changes<'_>) -> String {
    let members = [
        ("address", OWN_TEXT),
        ("timestamp", "\"1790000000\""),
        ("nonce", "0"),
        ("message", "\"This message attests that I control the given wallet\""),
    ];
    let domain = [("name", "\"ClobAuthDomain\""), ("version", "\"1\""), ("chainId", "137")];
    let domain = object("domain.", &domain, changes);
    document(&[CLOB_DOMAIN, CLOB_AUTH], "ClobAuth", &domain, &object("", &members, changes))
}

/// A draft of each family.
pub(crate) fn families() -> [String; 4] {
    [v1(&[]), v2(&[]), nested(&[]), clob_auth(&[])]
}

/// An order struct under the other version's types.
pub(crate) fn v1_types_around_v2(changes: Changes<'_>) -> String {
    let domain = exchange_domain("\"1\"", V1_EXCHANGE, changes);
    document(&[EXCHANGE_DOMAIN, ORDER_V2], "Order", &domain, &object("", &V2_MEMBERS, changes))
}

/// ClobAuth under the domain type that has a contract.
pub(crate) fn clob_auth_with_contract() -> String {
    clob_auth(&[]).replace(CLOB_DOMAIN, EXCHANGE_DOMAIN)
}

/// Types that no payload of the family needs.
pub(crate) fn with_a_type_too_many() -> String {
    v2(&[]).replace(ORDER_V2, &format!("{ORDER_V2},{CLOB_AUTH}"))
}
