//! Random messages of every family, in the spellings of the living clients: alloy's generic EIP-712 engine and
//! this vault's compiled types give the same digest.
#![cfg(test)]

use alloy_dyn_abi::TypedData;
use alloy_primitives::{Address, B256, U256};
use proptest::prelude::*;
use venues::Payload;
use venues::polymarket::rules::Exchange;
use venues::polymarket::{CLOBS, Content, DEPLOYMENTS, Deployment, Side, decode, texts};

/// How a client spells what it writes.
#[derive(Clone, Copy, Debug)]
struct Spelling {
    /// bare numbers, decimal text or hexadecimal text, by turns
    integers: u8,
    /// lower case, upper case or EIP-55
    addresses: u8,
    /// Python's json.dumps puts a space behind commas and colons
    spaced: bool,
}

/// What alloy reads for certain: decimal text and lower case.
const PLAIN: Spelling = Spelling { integers: 1, addresses: 0, spaced: false };

impl Spelling {
    fn integer(self, value: U256) -> String {
        match self.integers % 3 {
            0 => value.to_string(),
            1 => format!("\"{value}\""),
            _ => format!("\"{value:#x}\""),
        }
    }

    fn address(self, value: Address) -> String {
        match self.addresses % 3 {
            0 => format!("\"{value:#x}\""),
            1 => format!("\"0x{}\"", format!("{value:x}").to_uppercase()),
            _ => format!("\"{}\"", value.to_checksum(None)),
        }
    }

    fn object(self, members: &[(&str, String)]) -> String {
        let (comma, colon) = if self.spaced { (", ", ": ") } else { (",", ":") };
        let members: Vec<_> =
            members.iter().map(|(name, value)| format!("\"{name}\"{colon}{value}")).collect();
        format!("{{{}}}", members.join(comma))
    }

    fn document(
        self,
        types: &[(&'static str, &'static str)],
        primary_type: &str,
        [domain, message]: [String; 2],
    ) -> String {
        let fields = |fields: &str| {
            if self.spaced { fields.replace(':', ": ").replace(',', ", ") } else { fields.to_owned() }
        };
        let types: Vec<_> = types.iter().map(|(name, list)| (*name, fields(list))).collect();
        self.object(&[
            ("primaryType", format!("\"{primary_type}\"")),
            ("message", message),
            ("domain", domain),
            ("types", self.object(&types)),
        ])
    }
}

#[derive(Clone, Debug)]
struct Order {
    deployment: &'static Deployment,
    integers: [U256; 7],
    addresses: [Address; 4],
    words: [B256; 2],
    side: u8,
    signature_type: u8,
    is_nested: bool,
}

impl Order {
    fn is_v1(&self) -> bool {
        matches!(self.deployment.exchange, Exchange::V1 | Exchange::NegRiskV1)
    }

    fn text(&self, spelling: Spelling) -> String {
        let [salt, token_id, maker_amount, taker_amount, a, b, c] =
            self.integers.map(|it| spelling.integer(it));
        let [maker, signer, taker, wallet] = self.addresses.map(|it| spelling.address(it));
        let small = |value: u8| spelling.integer(U256::from(value));
        let chain_id = || spelling.integer(U256::from(self.deployment.chain_id));
        let domain = spelling.object(&[
            ("name", "\"Polymarket CTF Exchange\"".into()),
            ("version", format!("\"{}\"", self.deployment.exchange.domain_version())),
            ("chainId", chain_id()),
            ("verifyingContract", spelling.address(self.deployment.contract.into())),
        ]);
        let (side, signature_type) = (small(self.side), small(self.signature_type));
        if self.is_v1() {
            let message = spelling.object(&[
                ("signatureType", signature_type),
                ("side", side),
                ("feeRateBps", a),
                ("nonce", b),
                ("expiration", c),
                ("takerAmount", taker_amount),
                ("makerAmount", maker_amount),
                ("tokenId", token_id),
                ("taker", taker),
                ("signer", signer),
                ("maker", maker),
                ("salt", salt),
            ]);
            return spelling.document(&texts::ORDER_V1_TYPES, "Order", [domain, message]);
        }
        let [metadata, builder] = self.words.map(|word| format!("\"{word}\""));
        let contents = spelling.object(&[
            ("builder", builder),
            ("salt", salt),
            ("maker", maker),
            ("signer", signer),
            ("tokenId", token_id),
            ("makerAmount", maker_amount),
            ("takerAmount", taker_amount),
            ("side", side),
            ("signatureType", signature_type),
            ("timestamp", a),
            ("metadata", metadata),
        ]);
        if !self.is_nested {
            return spelling.document(&texts::ORDER_V2_TYPES, "Order", [domain, contents]);
        }
        let message = spelling.object(&[
            ("name", "\"DepositWallet\"".into()),
            ("version", "\"1\"".into()),
            ("chainId", chain_id()),
            ("verifyingContract", wallet),
            ("salt", format!("\"{}\"", B256::ZERO)),
            ("contents", contents),
        ]);
        spelling.document(&texts::NESTED_ORDER_TYPES, "TypedDataSign", [domain, message])
    }
}

/// Small, middling and any.
fn integer() -> impl Strategy<Value = U256> {
    prop_oneof![
        (0..1000_u64).prop_map(U256::from),
        any::<u64>().prop_map(U256::from),
        any::<[u8; 32]>().prop_map(U256::from_be_bytes),
        Just(U256::ZERO),
        Just(U256::MAX),
    ]
}

fn address() -> impl Strategy<Value = Address> {
    prop_oneof![4 => any::<[u8; 20]>().prop_map(Address::from), 1 => Just(Address::ZERO)]
}

fn word() -> impl Strategy<Value = B256> {
    prop_oneof![any::<[u8; 32]>().prop_map(B256::from), Just(B256::ZERO)]
}

fn spelling() -> impl Strategy<Value = Spelling> {
    (0..3_u8, 0..3_u8, any::<bool>()).prop_map(|(integers, addresses, spaced)| Spelling {
        integers,
        addresses,
        spaced,
    })
}

fn order() -> impl Strategy<Value = Order> {
    let amounts = proptest::array::uniform7(integer());
    let addresses = proptest::array::uniform4(address());
    let words = proptest::array::uniform2(word());
    (
        proptest::sample::select(DEPLOYMENTS.iter().collect::<Vec<_>>()),
        amounts,
        addresses,
        words,
        0..2_u8,
        0..4_u8,
        any::<bool>(),
    )
        .prop_map(|(deployment, integers, addresses, words, side, signature_type, is_nested)| {
            let is_v1 = deployment.exchange.is_v1();
            let signature_type = if is_v1 { signature_type % 3 } else { signature_type };
            Order {
                deployment,
                integers,
                addresses,
                words,
                side,
                signature_type,
                is_nested: is_nested && !is_v1,
            }
        })
}

/// What alloy signs.
fn alloy_digest(text: &str) -> [u8; 32] {
    let typed_data: TypedData = serde_json::from_str(text).unwrap();
    typed_data.eip712_signing_hash().unwrap().0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn an_order_has_the_digest_that_alloy_gives_it(order in order(), spelling in spelling()) {
        let text = order.text(spelling);
        let message = decode(text.as_bytes()).map_err(|why| TestCaseError::fail(format!("{why:?} {text}")))?;
        prop_assert_eq!(message.label(), alloy_digest(&order.text(PLAIN)));

        let Content::Order(read) = *message.content() else { panic!("an order") };
        let [salt, token_id, maker_amount, taker_amount, ..] = order.integers;
        prop_assert_eq!(read.deployment, order.deployment);
        prop_assert_eq!([read.salt, read.token_id, read.maker_amount, read.taker_amount], [salt, token_id, maker_amount, taker_amount]);
        prop_assert_eq!([read.maker, read.signer], [order.addresses[0].0.0, order.addresses[1].0.0]);
        prop_assert_eq!(read.side == Side::Sell, order.side == 1);
        prop_assert_eq!(read.signature_type as u8, order.signature_type);
        prop_assert_eq!(read.wallet, order.is_nested.then_some(order.addresses[3].0.0));
    }

    #[test]
    fn a_clob_auth_has_the_digest_that_alloy_gives_it(
        clob in proptest::sample::select(CLOBS.iter().collect::<Vec<_>>()),
        owner in address(), timestamp in 1..u64::MAX, nonce in integer(), spelling in spelling(),
    ) {
        let text = |spelling: Spelling| {
            let domain = spelling.object(&[
                ("chainId", spelling.integer(U256::from(clob.chain_id))),
                ("name", "\"ClobAuthDomain\"".into()),
                ("version", "\"1\"".into()),
            ]);
            let message = spelling.object(&[
                ("message", format!("\"{}\"", texts::ATTESTATION)),
                ("nonce", spelling.integer(nonce)),
                ("timestamp", format!("\"{timestamp}\"")),
                ("address", spelling.address(owner)),
            ]);
            spelling.document(&texts::CLOB_AUTH_TYPES, "ClobAuth", [domain, message])
        };
        let written = text(spelling);
        let message = decode(written.as_bytes()).map_err(|why| TestCaseError::fail(format!("{why:?} {written}")))?;
        prop_assert_eq!(message.label(), alloy_digest(&text(PLAIN)));
    }
}
