//! The struct types of Permit2 and of UniswapX, as their contracts declare them, and the families of them that
//! are understood (`permit2/src/libraries/PermitHash.sol`, `UniswapX/src/lib/*OrderLib.sol`).

use crate::typed_data::{Family, StructType, struct_type};

/// What typed data of a family are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ExclusiveDutch,
    V2Dutch,
    V3Dutch,
    Priority,
    Relay,
    PermitSingle,
    PermitBatch,
    PermitTransferFrom,
    PermitBatchTransferFrom,
}

/// Every struct type of the venue; a family names them by their place here.
pub(super) const KNOWN: &[StructType] = &[
    struct_type!("EIP712Domain" { "name": "string", "chainId": "uint256", "verifyingContract": "address" }),
    struct_type!("TokenPermissions" { "token": "address", "amount": "uint256" }),
    struct_type!("OrderInfo" {
        "reactor": "address", "swapper": "address", "nonce": "uint256", "deadline": "uint256",
        "additionalValidationContract": "address", "additionalValidationData": "bytes",
    }),
    struct_type!("PermitWitnessTransferFrom" {
        "permitted": "TokenPermissions", "spender": "address", "nonce": "uint256", "deadline": "uint256",
        "witness": "ExclusiveDutchOrder",
    }),
    struct_type!("PermitWitnessTransferFrom" {
        "permitted": "TokenPermissions", "spender": "address", "nonce": "uint256", "deadline": "uint256",
        "witness": "V2DutchOrder",
    }),
    struct_type!("PermitWitnessTransferFrom" {
        "permitted": "TokenPermissions", "spender": "address", "nonce": "uint256", "deadline": "uint256",
        "witness": "V3DutchOrder",
    }),
    struct_type!("PermitWitnessTransferFrom" {
        "permitted": "TokenPermissions", "spender": "address", "nonce": "uint256", "deadline": "uint256",
        "witness": "PriorityOrder",
    }),
    struct_type!("ExclusiveDutchOrder" {
        "info": "OrderInfo", "decayStartTime": "uint256", "decayEndTime": "uint256", "exclusiveFiller": "address",
        "exclusivityOverrideBps": "uint256", "inputToken": "address", "inputStartAmount": "uint256",
        "inputEndAmount": "uint256", "outputs": "DutchOutput[]",
    }),
    struct_type!("DutchOutput" {
        "token": "address", "startAmount": "uint256", "endAmount": "uint256", "recipient": "address",
    }),
    struct_type!("V2DutchOrder" {
        "info": "OrderInfo", "cosigner": "address", "baseInputToken": "address", "baseInputStartAmount": "uint256",
        "baseInputEndAmount": "uint256", "baseOutputs": "DutchOutput[]",
    }),
    struct_type!("V3DutchOrder" {
        "info": "OrderInfo", "cosigner": "address", "startingBaseFee": "uint256", "baseInput": "V3DutchInput",
        "baseOutputs": "V3DutchOutput[]",
    }),
    struct_type!("V3DutchInput" {
        "token": "address", "startAmount": "uint256", "curve": "NonlinearDutchDecay", "maxAmount": "uint256",
        "adjustmentPerGweiBaseFee": "uint256",
    }),
    struct_type!("V3DutchOutput" {
        "token": "address", "startAmount": "uint256", "curve": "NonlinearDutchDecay", "recipient": "address",
        "minAmount": "uint256", "adjustmentPerGweiBaseFee": "uint256",
    }),
    struct_type!("NonlinearDutchDecay" { "relativeBlocks": "uint256", "relativeAmounts": "int256[]" }),
    struct_type!("PriorityOrder" {
        "info": "OrderInfo", "cosigner": "address", "auctionStartBlock": "uint256",
        "baselinePriorityFeeWei": "uint256", "input": "PriorityInput", "outputs": "PriorityOutput[]",
    }),
    struct_type!("PriorityInput" { "token": "address", "amount": "uint256", "mpsPerPriorityFeeWei": "uint256" }),
    struct_type!("PriorityOutput" {
        "token": "address", "amount": "uint256", "mpsPerPriorityFeeWei": "uint256", "recipient": "address",
    }),
    struct_type!("PermitBatchWitnessTransferFrom" {
        "permitted": "TokenPermissions[]", "spender": "address", "nonce": "uint256", "deadline": "uint256",
        "witness": "RelayOrder",
    }),
    struct_type!("RelayOrder" {
        "info": "RelayOrderInfo", "input": "Input", "fee": "FeeEscalator", "universalRouterCalldata": "bytes",
    }),
    struct_type!("RelayOrderInfo" {
        "reactor": "address", "swapper": "address", "nonce": "uint256", "deadline": "uint256",
    }),
    struct_type!("Input" { "token": "address", "amount": "uint256", "recipient": "address" }),
    struct_type!("FeeEscalator" {
        "token": "address", "startAmount": "uint256", "endAmount": "uint256", "startTime": "uint256",
        "endTime": "uint256",
    }),
    struct_type!("PermitSingle" { "details": "PermitDetails", "spender": "address", "sigDeadline": "uint256" }),
    struct_type!("PermitBatch" { "details": "PermitDetails[]", "spender": "address", "sigDeadline": "uint256" }),
    struct_type!("PermitDetails" {
        "token": "address", "amount": "uint160", "expiration": "uint48", "nonce": "uint48",
    }),
    struct_type!("PermitTransferFrom" {
        "permitted": "TokenPermissions", "spender": "address", "nonce": "uint256", "deadline": "uint256",
    }),
    struct_type!("PermitBatchTransferFrom" {
        "permitted": "TokenPermissions[]", "spender": "address", "nonce": "uint256", "deadline": "uint256",
    }),
];

/// The families: primary type and all struct types it needs. One too many or too few is another family.
pub(super) const FAMILIES: &[Family<Kind>] = &[
    family(Kind::V2Dutch, "PermitWitnessTransferFrom", &[0, 1, 2, 4, 8, 9]),
    family(Kind::V3Dutch, "PermitWitnessTransferFrom", &[0, 1, 2, 5, 10, 11, 12, 13]),
    family(Kind::Priority, "PermitWitnessTransferFrom", &[0, 1, 2, 6, 14, 15, 16]),
    family(Kind::ExclusiveDutch, "PermitWitnessTransferFrom", &[0, 1, 2, 3, 7, 8]),
    family(Kind::Relay, "PermitBatchWitnessTransferFrom", &[0, 1, 17, 18, 19, 20, 21]),
    family(Kind::PermitSingle, "PermitSingle", &[0, 22, 24]),
    family(Kind::PermitBatch, "PermitBatch", &[0, 23, 24]),
    family(Kind::PermitTransferFrom, "PermitTransferFrom", &[0, 1, 25]),
    family(Kind::PermitBatchTransferFrom, "PermitBatchTransferFrom", &[0, 1, 26]),
];

const fn family(kind: Kind, primary_type: &'static str, places: &[u32]) -> Family<Kind> {
    let (mut types, mut rest) = (0, places);
    while let [place, others @ ..] = rest {
        types |= 1 << *place;
        rest = others;
    }
    Family { kind, primary_type, types }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    use super::super::type_hashes as hashes;
    use super::*;
    use crate::typed_data::{Word, keccak};

    /// `encodeType` of EIP-712: the type, then the types it refers to, sorted by name.
    fn encode_type(struct_type: &StructType, family: &Family<Kind>) -> String {
        let in_family: Vec<&StructType> = KNOWN
            .iter()
            .zip(0..)
            .filter(|(_, place)| family.types & (1 << place) != 0)
            .map(|at| at.0)
            .collect();
        let mut referred: Vec<&StructType> = Vec::new();
        let mut open = std::vec![struct_type];
        while let Some(next) = open.pop() {
            for (_, field_type) in next.fields {
                let name = field_type.trim_end_matches("[]");
                let found = in_family.iter().find(|known| known.name == name);
                if let Some(found) = found
                    && !referred.iter().any(|known| known.name == name)
                {
                    referred.push(found);
                    open.push(found);
                }
            }
        }
        referred.sort_by_key(|known| known.name);
        referred.iter().fold(struct_type.encoded.into(), |text, known| format!("{text}{}", known.encoded))
    }

    fn type_hash(kind: Kind, name: &str) -> Word {
        let family = FAMILIES.iter().find(|family| family.kind == kind).unwrap();
        let place = KNOWN
            .iter()
            .zip(0..)
            .position(|(known, place): (_, u32)| known.name == name && family.types & (1 << place) != 0)
            .unwrap();
        keccak(encode_type(&KNOWN[place], family).as_bytes())
    }

    fn assert_hashes(kind: Kind, table: &[(&str, Word)]) {
        for (name, expected) in table {
            assert_eq!(type_hash(kind, name), *expected, "{kind:?} {name}");
        }
        let family = FAMILIES.iter().find(|family| family.kind == kind).unwrap();
        assert_eq!(table.len(), family.types.count_ones() as usize, "every type of {kind:?}");
    }

    #[test]
    fn every_type_hash_is_the_hash_of_its_type() {
        let domain = ("EIP712Domain", hashes::DOMAIN);
        let token_permissions = ("TokenPermissions", hashes::TOKEN_PERMISSIONS);
        let info = ("OrderInfo", hashes::ORDER_INFO);
        let dutch_output = ("DutchOutput", hashes::DUTCH_OUTPUT);
        let details = ("PermitDetails", hashes::PERMIT_DETAILS);
        let permit = "PermitWitnessTransferFrom";
        assert_hashes(
            Kind::ExclusiveDutch,
            &[
                domain,
                token_permissions,
                info,
                dutch_output,
                ("ExclusiveDutchOrder", hashes::EXCLUSIVE_DUTCH_ORDER),
                (permit, hashes::PERMIT_EXCLUSIVE_DUTCH_ORDER),
            ],
        );
        assert_hashes(
            Kind::V2Dutch,
            &[
                domain,
                token_permissions,
                info,
                dutch_output,
                ("V2DutchOrder", hashes::V2_DUTCH_ORDER),
                (permit, hashes::PERMIT_V2_DUTCH_ORDER),
            ],
        );
        assert_hashes(
            Kind::V3Dutch,
            &[
                domain,
                token_permissions,
                info,
                ("V3DutchOrder", hashes::V3_DUTCH_ORDER),
                ("V3DutchInput", hashes::V3_DUTCH_INPUT),
                ("V3DutchOutput", hashes::V3_DUTCH_OUTPUT),
                ("NonlinearDutchDecay", hashes::NONLINEAR_DUTCH_DECAY),
                (permit, hashes::PERMIT_V3_DUTCH_ORDER),
            ],
        );
        assert_hashes(
            Kind::Priority,
            &[
                domain,
                token_permissions,
                info,
                ("PriorityOrder", hashes::PRIORITY_ORDER),
                ("PriorityInput", hashes::PRIORITY_INPUT),
                ("PriorityOutput", hashes::PRIORITY_OUTPUT),
                (permit, hashes::PERMIT_PRIORITY_ORDER),
            ],
        );
        assert_hashes(
            Kind::Relay,
            &[
                domain,
                token_permissions,
                ("RelayOrder", hashes::RELAY_ORDER),
                ("RelayOrderInfo", hashes::RELAY_ORDER_INFO),
                ("Input", hashes::INPUT),
                ("FeeEscalator", hashes::FEE_ESCALATOR),
                ("PermitBatchWitnessTransferFrom", hashes::PERMIT_RELAY_ORDER),
            ],
        );
        assert_hashes(Kind::PermitSingle, &[domain, details, ("PermitSingle", hashes::PERMIT_SINGLE)]);
        assert_hashes(Kind::PermitBatch, &[domain, details, ("PermitBatch", hashes::PERMIT_BATCH)]);
        assert_hashes(
            Kind::PermitTransferFrom,
            &[domain, token_permissions, ("PermitTransferFrom", hashes::PERMIT_TRANSFER_FROM)],
        );
        assert_hashes(
            Kind::PermitBatchTransferFrom,
            &[domain, token_permissions, ("PermitBatchTransferFrom", hashes::PERMIT_BATCH_TRANSFER_FROM)],
        );
    }

    /// The type hashes that Uniswap's own packages ship.
    #[test]
    fn the_primary_types_have_the_hashes_that_the_venue_s_packages_ship() {
        let shipped = [
            (Kind::V2Dutch, "a8cc1ce2c3d1c6f1ff0072b7a47d6e2876fef4f7f92648cd166fdd6dec0a7465"),
            (Kind::Priority, "62eb19740b0510aa84f3808ffd83de9e7648770a53b176290abac329392bdbfc"),
            (Kind::ExclusiveDutch, "2846b6ca8e0ecdbc9ca7696f16bdf77b3baf48504ac14d6a541484ec197e91eb"),
            (Kind::V3Dutch, "50bbe8caa8f7427c8a8be4675c1948f25626517609a84996d96169e4079815b9"),
            (Kind::PermitSingle, "f3841cd1ff0085026a6327b620b67997ce40f282c88a8e905a7a5626e310f3d0"),
            (Kind::PermitBatch, "af1b0d30d2cab0380e68f0689007e3254993c596f2fdd0aaa7f4d04f79440863"),
            (Kind::PermitTransferFrom, "939c21a48a8dbe3a9a2404a1d46691e4d39f6583d6ec6b35714604c986d80106"),
            (Kind::Relay, "918f75c8e25ec281e8dc3255229111f447dc1c210102666cc63cd9da2dee620c"),
            (
                Kind::PermitBatchTransferFrom,
                "fcf35f5ac6a2c28868dc44c302166470266239195f02b0ee408334829333b766",
            ),
        ];
        assert_eq!(shipped.len(), FAMILIES.len());
        for (kind, expected) in shipped {
            let family = FAMILIES.iter().find(|family| family.kind == kind).unwrap();
            let hash = type_hash(kind, family.primary_type);
            let text: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(text, expected, "{kind:?}");
        }
    }

    #[test]
    fn no_two_families_have_the_same_types() {
        for (at, family) in FAMILIES.iter().enumerate() {
            assert!(FAMILIES[at + 1..].iter().all(|other| other.types != family.types));
        }
        assert!(KNOWN.len() <= 32);
    }
}
