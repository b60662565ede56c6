//! The struct types of the exchanges and of ClobAuth, and what hashing them needs, as constants. A test computes
//! each of them again.

use crate::typed_data::{Family, StructType, Word, struct_type};

/// What a payload is, by its struct types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Order of the exchanges of version 1.
    OrderV1,
    /// Order of the exchanges of versions 2 and 3.
    OrderV2,
    /// The same order for a deposit wallet, inside TypedDataSign (ERC-7739).
    NestedOrderV2,
    /// ClobAuth.
    ClobAuth,
}

/// The families of struct types that are understood.
pub(super) const FAMILIES: &[Family<Kind>] = &[
    Family { kind: Kind::OrderV2, primary_type: "Order", types: 0b00_1001 },
    Family { kind: Kind::OrderV1, primary_type: "Order", types: 0b00_0101 },
    Family { kind: Kind::NestedOrderV2, primary_type: "TypedDataSign", types: 0b01_1001 },
    Family { kind: Kind::ClobAuth, primary_type: "ClobAuth", types: 0b10_0010 },
];

/// Every struct type of a family; the bits of [`FAMILIES`] number them from the right.
pub(super) const STRUCT_TYPES: &[StructType] =
    &[EXCHANGE_DOMAIN, CLOB_AUTH_DOMAIN, ORDER_V1, ORDER_V2, TYPED_DATA_SIGN, CLOB_AUTH];

const EXCHANGE_DOMAIN: StructType = struct_type!("EIP712Domain" {
    "name": "string",
    "version": "string",
    "chainId": "uint256",
    "verifyingContract": "address",
});

/// A signature for the order book's own server, not for a contract.
const CLOB_AUTH_DOMAIN: StructType = struct_type!("EIP712Domain" {
    "name": "string",
    "version": "string",
    "chainId": "uint256",
});

const ORDER_V1: StructType = struct_type!("Order" {
    "salt": "uint256",
    "maker": "address",
    "signer": "address",
    "taker": "address",
    "tokenId": "uint256",
    "makerAmount": "uint256",
    "takerAmount": "uint256",
    "expiration": "uint256",
    "nonce": "uint256",
    "feeRateBps": "uint256",
    "side": "uint8",
    "signatureType": "uint8",
});

const ORDER_V2: StructType = struct_type!("Order" {
    "salt": "uint256",
    "maker": "address",
    "signer": "address",
    "tokenId": "uint256",
    "makerAmount": "uint256",
    "takerAmount": "uint256",
    "side": "uint8",
    "signatureType": "uint8",
    "timestamp": "uint256",
    "metadata": "bytes32",
    "builder": "bytes32",
});

const TYPED_DATA_SIGN: StructType = struct_type!("TypedDataSign" {
    "contents": "Order",
    "name": "string",
    "version": "string",
    "chainId": "uint256",
    "verifyingContract": "address",
    "salt": "bytes32",
});

const CLOB_AUTH: StructType = struct_type!("ClobAuth" {
    "address": "address",
    "timestamp": "string",
    "nonce": "uint256",
    "message": "string",
});

/// The texts of the struct types, for clients that write typed data.
pub mod texts {
    /// The `types` of an order of version 1.
    pub const ORDER_V1_TYPES: [(&str, &str); 2] = [entry(&super::EXCHANGE_DOMAIN), entry(&super::ORDER_V1)];
    /// The `types` of an order of version 2 or 3.
    pub const ORDER_V2_TYPES: [(&str, &str); 2] = [entry(&super::EXCHANGE_DOMAIN), entry(&super::ORDER_V2)];
    /// The `types` of an order inside TypedDataSign.
    pub const NESTED_ORDER_TYPES: [(&str, &str); 3] =
        [entry(&super::EXCHANGE_DOMAIN), entry(&super::ORDER_V2), entry(&super::TYPED_DATA_SIGN)];
    /// The `types` of a ClobAuth.
    pub const CLOB_AUTH_TYPES: [(&str, &str); 2] =
        [entry(&super::CLOB_AUTH_DOMAIN), entry(&super::CLOB_AUTH)];
    /// `encodeType` of an order of version 2 or 3, which goes with the signature of a deposit wallet.
    pub const ORDER_V2_ENCODED: &str = super::ORDER_V2.encoded;
    pub use super::{ATTESTATION, CLOB_AUTH_NAME, EXCHANGE_NAME, WALLET_NAME};

    /// The name of a struct type and its fields as JSON.
    const fn entry(of: &super::StructType) -> (&'static str, &'static str) {
        (of.name, of.compact)
    }
}

/// The domain name of every exchange.
pub const EXCHANGE_NAME: &str = "Polymarket CTF Exchange";

/// The domain name and version of ClobAuth.
pub const CLOB_AUTH_NAME: &str = "ClobAuthDomain";
/// See [`CLOB_AUTH_NAME`].
pub(super) const CLOB_AUTH_VERSION: &str = "1";

/// The only message of a ClobAuth.
pub const ATTESTATION: &str = "This message attests that I control the given wallet";

/// The domain name and version of deposit wallets.
pub const WALLET_NAME: &str = "DepositWallet";
/// See [`WALLET_NAME`].
pub(super) const WALLET_VERSION: &str = "1";

/// keccak256 of [`ORDER_V1`]
pub(super) const ORDER_V1_TYPE_HASH: Word = [
    0xa8, 0x52, 0x56, 0x6c, 0x4e, 0x14, 0xd0, 0x08, 0x69, 0xb6, 0xdb, 0x02, 0x20, 0x88, 0x8a, 0x90, 0x90,
    0xa1, 0x3e, 0xcc, 0xda, 0xea, 0x03, 0x71, 0x3f, 0xf0, 0xa3, 0xd2, 0x7b, 0xf9, 0x76, 0x7c,
];

/// keccak256 of [`ORDER_V2`]
pub(super) const ORDER_V2_TYPE_HASH: Word = [
    0xbb, 0x86, 0x31, 0x8a, 0x21, 0x38, 0xf5, 0xfa, 0x8a, 0xe3, 0x2f, 0xbe, 0x8e, 0x65, 0x9f, 0x8f, 0xcf,
    0x13, 0xcc, 0x6a, 0xe4, 0x01, 0x4a, 0x70, 0x78, 0x93, 0x05, 0x54, 0x33, 0x81, 0x85, 0x89,
];

/// keccak256 of [`TYPED_DATA_SIGN`] and [`ORDER_V2`] behind it
pub(super) const TYPED_DATA_SIGN_TYPE_HASH: Word = [
    0x6b, 0xa0, 0x28, 0x56, 0x5c, 0xb3, 0x24, 0xc2, 0xaa, 0x02, 0xbb, 0x71, 0x4b, 0x98, 0x16, 0xd0, 0xbd,
    0xdd, 0x55, 0x7a, 0x2f, 0x33, 0xbb, 0x36, 0xcf, 0x13, 0x27, 0x2a, 0x42, 0x56, 0xbd, 0x42,
];

/// keccak256 of [`CLOB_AUTH`]
pub(super) const CLOB_AUTH_TYPE_HASH: Word = [
    0x52, 0x57, 0x8c, 0x5c, 0x72, 0x5a, 0x28, 0xa8, 0x4f, 0xed, 0xc8, 0xc2, 0x2a, 0xa4, 0x79, 0x47, 0x82,
    0x29, 0x42, 0xf3, 0x5b, 0x4d, 0xc3, 0x50, 0xdb, 0x02, 0x8e, 0x45, 0x32, 0x0e, 0x03, 0x5c,
];

/// keccak256 of [`WALLET_NAME`]
pub(super) const WALLET_NAME_HASH: Word = [
    0xd6, 0x82, 0xb5, 0x29, 0xa1, 0x7c, 0xda, 0x19, 0xaa, 0x27, 0x5f, 0x3a, 0x05, 0x06, 0x08, 0xf9, 0xe9,
    0x40, 0x1f, 0xad, 0xd1, 0xb0, 0xd2, 0x33, 0xd8, 0x15, 0x19, 0x97, 0x22, 0x95, 0x82, 0x8b,
];

/// keccak256 of [`WALLET_VERSION`]
pub(super) const WALLET_VERSION_HASH: Word = [
    0xc8, 0x9e, 0xfd, 0xaa, 0x54, 0xc0, 0xf2, 0x0c, 0x7a, 0xdf, 0x61, 0x28, 0x82, 0xdf, 0x09, 0x50, 0xf5,
    0xa9, 0x51, 0x63, 0x7e, 0x03, 0x07, 0xcd, 0xcb, 0x4c, 0x67, 0x2f, 0x29, 0x8b, 0x8b, 0xc6,
];

/// keccak256 of [`ATTESTATION`]
pub(super) const ATTESTATION_HASH: Word = [
    0x47, 0x49, 0x24, 0xbb, 0x27, 0x02, 0x25, 0x42, 0x02, 0x00, 0x23, 0xb4, 0xa5, 0x2f, 0xb8, 0x34, 0xca,
    0x5e, 0x3d, 0xd7, 0x0b, 0x9a, 0x4d, 0x7e, 0x7f, 0xe9, 0xca, 0x13, 0x22, 0x8c, 0xbd, 0xa3,
];

#[cfg(test)]
mod tests {
    extern crate std;

    use std::format;

    use super::*;
    use crate::typed_data::keccak;

    /// `types` of [`FAMILIES`] by name, so that a bit that is off shows.
    #[test]
    fn a_family_holds_its_domain_and_every_struct_type_it_refers_to() {
        for family in FAMILIES {
            let held = || {
                STRUCT_TYPES
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| family.types & (1 << at) != 0)
                    .map(|(_, it)| it)
            };
            let own = held().filter(|it| it.name == family.primary_type);
            let fields: std::vec::Vec<_> = own.flat_map(|it| it.fields).collect();
            assert!(!fields.is_empty(), "{family:?}");
            let mut expected: std::vec::Vec<_> = fields
                .iter()
                .map(|(_, field_type)| *field_type)
                .filter(|name| STRUCT_TYPES.iter().any(|it| it.name == *name))
                .chain(["EIP712Domain", family.primary_type])
                .collect();
            let mut found: std::vec::Vec<_> = held().map(|it| it.name).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{family:?}");
            let has_contract = held().any(|it| *it.encoded == *EXCHANGE_DOMAIN.encoded);
            assert_eq!(has_contract, family.kind != Kind::ClobAuth);
            let is_v1 = held().any(|it| *it.encoded == *ORDER_V1.encoded);
            assert_eq!(is_v1, family.kind == Kind::OrderV1);
        }
    }

    #[test]
    fn the_constants_are_what_eip_712_computes() {
        let hash = |text: &str| keccak(text.as_bytes());
        assert_eq!(ORDER_V1_TYPE_HASH, hash(ORDER_V1.encoded));
        assert_eq!(ORDER_V2_TYPE_HASH, hash(ORDER_V2.encoded));
        let nested = format!("{}{}", TYPED_DATA_SIGN.encoded, ORDER_V2.encoded);
        assert_eq!(TYPED_DATA_SIGN_TYPE_HASH, hash(&nested));
        assert_eq!(CLOB_AUTH_TYPE_HASH, hash(CLOB_AUTH.encoded));
        assert_eq!(WALLET_NAME_HASH, hash(WALLET_NAME));
        assert_eq!(WALLET_VERSION_HASH, hash(WALLET_VERSION));
        assert_eq!(ATTESTATION_HASH, hash(ATTESTATION));
    }

    /// type_strings.json was read out of the venue's own libraries.
    #[test]
    fn the_struct_types_are_those_of_the_venues_libraries() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/type_strings.json");
        let strings: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let text = |name: &str, member: &str| strings["types"][name][member].as_str().unwrap();
        for (name, encoded, type_hash, domain) in [
            ("OrderV1", ORDER_V1.encoded.into(), ORDER_V1_TYPE_HASH, EXCHANGE_DOMAIN),
            ("OrderV2", ORDER_V2.encoded.into(), ORDER_V2_TYPE_HASH, EXCHANGE_DOMAIN),
            ("OrderV3", ORDER_V2.encoded.into(), ORDER_V2_TYPE_HASH, EXCHANGE_DOMAIN),
            (
                "OrderV3_POLY_1271",
                format!("{}{}", TYPED_DATA_SIGN.encoded, ORDER_V2.encoded),
                TYPED_DATA_SIGN_TYPE_HASH,
                EXCHANGE_DOMAIN,
            ),
            ("ClobAuth", CLOB_AUTH.encoded.into(), CLOB_AUTH_TYPE_HASH, CLOB_AUTH_DOMAIN),
        ] {
            assert_eq!(text(name, "encode_type"), encoded, "{name}");
            let digits: std::string::String = type_hash.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(text(name, "type_hash"), format!("0x{digits}"), "{name}");
            assert_eq!(domain.encoded, format!("EIP712Domain({})", text(name, "domain_fields")), "{name}");
        }
    }
}
