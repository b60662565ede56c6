//! The EIP-712 hashes of the two schemes: the phantom agent of L1 actions, and the actions a user signs as they are.
//!
//! Every type string is compiled in and named by the action's type; none comes from a request. What does not
//! depend on the request is a constant, recomputed by a test.
//!
//! ```text
//! digest      = keccak256(19 01 ‖ domain separator ‖ struct hash)
//! L1          domain Exchange / 1 / 1337 / 0x0, struct Agent(string source, bytes32 connectionId)
//! user-signed domain HyperliquidSignTransaction / 1 / signatureChainId / 0x0, struct of the action
//! ```

use super::rules::Network;
use crate::Digest;

const PREFIX: [u8; 2] = [0x19, 0x01];

/// Digest of an L1 action.
pub(crate) fn agent_digest(network: Network, connection_id: &[u8; 32]) -> Digest {
    let source_hash = match network {
        Network::Mainnet => &MAINNET_SOURCE_HASH,
        Network::Testnet => &TESTNET_SOURCE_HASH,
    };
    let agent = Digest::keccak256(&[&AGENT_TYPE_HASH, source_hash, connection_id]);
    Digest::keccak256(&[&PREFIX, &EXCHANGE_DOMAIN, agent.as_bytes()])
}

/// A user-signed action, by its EIP-712 type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UserSigned {
    UsdSend,
    SpotSend,
    /// withdraw3; the EIP-712 type carries no 3
    Withdraw,
    UsdClassTransfer,
    SendAsset,
    ApproveAgent,
    ApproveBuilderFee,
}

impl UserSigned {
    /// The EIP-712 primary type.
    pub(crate) const fn primary_type(self) -> &'static str {
        match self {
            Self::UsdSend => "HyperliquidTransaction:UsdSend",
            Self::SpotSend => "HyperliquidTransaction:SpotSend",
            Self::Withdraw => "HyperliquidTransaction:Withdraw",
            Self::UsdClassTransfer => "HyperliquidTransaction:UsdClassTransfer",
            Self::SendAsset => "HyperliquidTransaction:SendAsset",
            Self::ApproveAgent => "HyperliquidTransaction:ApproveAgent",
            Self::ApproveBuilderFee => "HyperliquidTransaction:ApproveBuilderFee",
        }
    }

    const fn type_hash(self) -> &'static [u8; 32] {
        match self {
            Self::UsdSend => &USD_SEND_TYPE_HASH,
            Self::SpotSend => &SPOT_SEND_TYPE_HASH,
            Self::Withdraw => &WITHDRAW_TYPE_HASH,
            Self::UsdClassTransfer => &USD_CLASS_TRANSFER_TYPE_HASH,
            Self::SendAsset => &SEND_ASSET_TYPE_HASH,
            Self::ApproveAgent => &APPROVE_AGENT_TYPE_HASH,
            Self::ApproveBuilderFee => &APPROVE_BUILDER_FEE_TYPE_HASH,
        }
    }
}

/// Digest of a user-signed action; `words` are its encoded members, in three parts, in the order of its type.
pub(crate) fn digest(kind: UserSigned, signature_chain_id: u64, words: &[&[u8]; 3]) -> Digest {
    let [first, middle, last] = words;
    let content = Digest::keccak256(&[kind.type_hash(), first, middle, last]);
    let domain = Digest::keccak256(&[
        &DOMAIN_TYPE_HASH,
        &SIGN_TRANSACTION_NAME_HASH,
        &VERSION_HASH,
        &uint_word(signature_chain_id),
        &[0; 32],
    ]);
    Digest::keccak256(&[&PREFIX, domain.as_bytes(), content.as_bytes()])
}

/// The EIP-712 primary type of an L1 action.
pub(crate) const AGENT_PRIMARY_TYPE: &str = "Agent";

/// Text as EIP-712 encodes it: its hash.
pub(crate) fn text_word(text: &str) -> [u8; 32] {
    *Digest::keccak256(&[text.as_bytes()]).as_bytes()
}

/// An integer as EIP-712 encodes it: 32 bytes, big-endian.
pub(crate) fn uint_word(value: u64) -> [u8; 32] {
    let mut word = [0; 32];
    if let Some(low) = word.last_chunk_mut() {
        *low = value.to_be_bytes();
    }
    word
}

/// A yes or no as EIP-712 encodes it: 1 or 0.
pub(crate) fn flag_word(value: bool) -> [u8; 32] {
    uint_word(value.into())
}

/// keccak256 of EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)
const DOMAIN_TYPE_HASH: [u8; 32] = [
    0x8b, 0x73, 0xc3, 0xc6, 0x9b, 0xb8, 0xfe, 0x3d, 0x51, 0x2e, 0xcc, 0x4c, 0xf7, 0x59, 0xcc, 0x79, 0x23,
    0x9f, 0x7b, 0x17, 0x9b, 0x0f, 0xfa, 0xca, 0xa9, 0xa7, 0x5d, 0x52, 0x2b, 0x39, 0x40, 0x0f,
];

/// keccak256 of "1"
const VERSION_HASH: [u8; 32] = [
    0xc8, 0x9e, 0xfd, 0xaa, 0x54, 0xc0, 0xf2, 0x0c, 0x7a, 0xdf, 0x61, 0x28, 0x82, 0xdf, 0x09, 0x50, 0xf5,
    0xa9, 0x51, 0x63, 0x7e, 0x03, 0x07, 0xcd, 0xcb, 0x4c, 0x67, 0x2f, 0x29, 0x8b, 0x8b, 0xc6,
];

/// the domain separator of Exchange / 1 / 1337 / 0x0
const EXCHANGE_DOMAIN: [u8; 32] = [
    0xd7, 0x92, 0x97, 0xfc, 0xdf, 0x2f, 0xfc, 0xd4, 0xae, 0x22, 0x3d, 0x01, 0xed, 0xaa, 0x2b, 0xa2, 0x14,
    0xff, 0x8f, 0x40, 0x1d, 0x7c, 0x93, 0x00, 0xd9, 0x95, 0xd1, 0x7c, 0x82, 0xaa, 0x40, 0x40,
];

/// keccak256 of "HyperliquidSignTransaction"
const SIGN_TRANSACTION_NAME_HASH: [u8; 32] = [
    0xd6, 0x2e, 0xca, 0xba, 0x1a, 0xcb, 0xb2, 0x26, 0xfb, 0x1e, 0x4a, 0x55, 0xc3, 0x55, 0x78, 0xde, 0xf6,
    0x52, 0x15, 0xfb, 0x71, 0x24, 0xea, 0xe9, 0xb3, 0x54, 0xf5, 0xc0, 0x86, 0xce, 0xd5, 0x2f,
];

/// keccak256 of Agent(string source,bytes32 connectionId)
const AGENT_TYPE_HASH: [u8; 32] = [
    0x26, 0xf0, 0x5c, 0x2f, 0x72, 0x39, 0xb6, 0x98, 0x30, 0x75, 0xe5, 0x83, 0x21, 0x29, 0x2d, 0x77, 0xb3,
    0xaa, 0x17, 0x3d, 0x19, 0xb2, 0x72, 0x57, 0xac, 0x96, 0xab, 0x36, 0x25, 0x70, 0xf5, 0x08,
];

/// keccak256 of "a"
const MAINNET_SOURCE_HASH: [u8; 32] = [
    0x3a, 0xc2, 0x25, 0x16, 0x8d, 0xf5, 0x42, 0x12, 0xa2, 0x5c, 0x1c, 0x01, 0xfd, 0x35, 0xbe, 0xbf, 0xea,
    0x40, 0x8f, 0xda, 0xc2, 0xe3, 0x1d, 0xdd, 0x6f, 0x80, 0xa4, 0xbb, 0xf9, 0xa5, 0xf1, 0xcb,
];

/// keccak256 of "b"
const TESTNET_SOURCE_HASH: [u8; 32] = [
    0xb5, 0x55, 0x3d, 0xe3, 0x15, 0xe0, 0xed, 0xf5, 0x04, 0xd9, 0x15, 0x0a, 0xf8, 0x2d, 0xaf, 0xa5, 0xc4,
    0x66, 0x7f, 0xa6, 0x18, 0xed, 0x0a, 0x6f, 0x19, 0xc6, 0x9b, 0x41, 0x16, 0x6c, 0x55, 0x10,
];

/// keccak256 of HyperliquidTransaction:UsdSend(string hyperliquidChain,string destination,string amount,uint64 time)
const USD_SEND_TYPE_HASH: [u8; 32] = [
    0xc7, 0x41, 0x09, 0x64, 0x73, 0x7e, 0x21, 0x80, 0xe2, 0x58, 0xd6, 0x49, 0xf2, 0x3f, 0x74, 0xa4, 0x94,
    0x60, 0x43, 0x2f, 0xec, 0xbd, 0x94, 0x68, 0x81, 0x03, 0xec, 0xc6, 0x3f, 0xb6, 0x6b, 0x4c,
];

/// keccak256 of HyperliquidTransaction:SpotSend(string hyperliquidChain,string destination,string token,string amount,uint64 time)
const SPOT_SEND_TYPE_HASH: [u8; 32] = [
    0xd6, 0xd9, 0x47, 0x2f, 0x42, 0x9b, 0x5d, 0xeb, 0xb4, 0xcc, 0x47, 0x02, 0xfa, 0x99, 0x25, 0xe6, 0x21,
    0x49, 0x84, 0x72, 0xa9, 0x79, 0xf2, 0x58, 0x15, 0x53, 0xdd, 0x00, 0x7e, 0x27, 0x39, 0x83,
];

/// keccak256 of HyperliquidTransaction:Withdraw(string hyperliquidChain,string destination,string amount,uint64 time)
const WITHDRAW_TYPE_HASH: [u8; 32] = [
    0xdb, 0xde, 0x95, 0x2f, 0xa0, 0xde, 0x88, 0x15, 0x8f, 0xc7, 0x13, 0x36, 0xe4, 0x4c, 0x61, 0x87, 0x66,
    0x11, 0xa2, 0xa6, 0x55, 0x53, 0xbe, 0xbd, 0x4d, 0x52, 0xb4, 0x4a, 0x2a, 0x00, 0x0d, 0x9a,
];

/// keccak256 of HyperliquidTransaction:UsdClassTransfer(string hyperliquidChain,string amount,bool toPerp,uint64 nonce)
const USD_CLASS_TRANSFER_TYPE_HASH: [u8; 32] = [
    0x7a, 0x3e, 0xeb, 0xb1, 0x99, 0x7d, 0x2e, 0x45, 0x94, 0x72, 0x88, 0x6f, 0x8c, 0xf9, 0x82, 0x9a, 0x79,
    0xb1, 0xb0, 0x0c, 0x72, 0xa0, 0x6c, 0x9f, 0xe0, 0x15, 0xc9, 0x12, 0x99, 0xae, 0xcd, 0x43,
];

/// keccak256 of HyperliquidTransaction:SendAsset(string hyperliquidChain,string destination,string sourceDex,string destinationDex,string token,string amount,string fromSubAccount,uint64 nonce)
const SEND_ASSET_TYPE_HASH: [u8; 32] = [
    0x5f, 0x7c, 0xf3, 0x97, 0xb9, 0x77, 0xb0, 0x76, 0xf0, 0xfb, 0xb9, 0x93, 0xba, 0xdf, 0xc7, 0xdd, 0x11,
    0xbd, 0x71, 0x46, 0x1a, 0x3d, 0x07, 0x6c, 0x09, 0x40, 0xef, 0xf5, 0xf9, 0x1a, 0xc8, 0x49,
];

/// keccak256 of HyperliquidTransaction:ApproveAgent(string hyperliquidChain,address agentAddress,string agentName,uint64 nonce)
const APPROVE_AGENT_TYPE_HASH: [u8; 32] = [
    0x44, 0x64, 0xab, 0xf6, 0x14, 0x8f, 0x11, 0x5d, 0x79, 0x36, 0x2d, 0x98, 0x32, 0x00, 0x81, 0xaa, 0x2a,
    0xe8, 0xa5, 0xc8, 0x40, 0x08, 0x3c, 0xb6, 0x58, 0x20, 0xbf, 0xfc, 0x21, 0x39, 0x43, 0x78,
];

/// keccak256 of HyperliquidTransaction:ApproveBuilderFee(string hyperliquidChain,string maxFeeRate,address builder,uint64 nonce)
const APPROVE_BUILDER_FEE_TYPE_HASH: [u8; 32] = [
    0x46, 0x16, 0x84, 0xea, 0xb6, 0xdc, 0xdf, 0xdd, 0x79, 0xc6, 0x25, 0x06, 0x48, 0xd4, 0x1a, 0x1a, 0xbe,
    0x3c, 0x82, 0x6c, 0xea, 0xb6, 0xc5, 0x13, 0xfc, 0x4f, 0x30, 0x15, 0x6f, 0x23, 0x3a, 0xd3,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> [u8; 32] {
        *Digest::keccak256(&[text.as_bytes()]).as_bytes()
    }

    #[test]
    fn the_constants_are_what_eip_712_computes() {
        assert_eq!(
            DOMAIN_TYPE_HASH,
            hash("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
        );
        assert_eq!(VERSION_HASH, hash("1"));
        assert_eq!(SIGN_TRANSACTION_NAME_HASH, hash("HyperliquidSignTransaction"));
        assert_eq!(AGENT_TYPE_HASH, hash("Agent(string source,bytes32 connectionId)"));
        assert_eq!(MAINNET_SOURCE_HASH, hash("a"));
        assert_eq!(TESTNET_SOURCE_HASH, hash("b"));
        let domain = Digest::keccak256(&[
            &DOMAIN_TYPE_HASH,
            &hash("Exchange"),
            &VERSION_HASH,
            &uint_word(1337),
            &[0; 32],
        ]);
        assert_eq!(&EXCHANGE_DOMAIN, domain.as_bytes());
        for (kind, fields) in [
            (UserSigned::UsdSend, "string destination,string amount,uint64 time"),
            (UserSigned::SpotSend, "string destination,string token,string amount,uint64 time"),
            (UserSigned::Withdraw, "string destination,string amount,uint64 time"),
            (UserSigned::UsdClassTransfer, "string amount,bool toPerp,uint64 nonce"),
            (
                UserSigned::SendAsset,
                "string destination,string sourceDex,string destinationDex,string token,string amount,\
                 string fromSubAccount,uint64 nonce",
            ),
            (UserSigned::ApproveAgent, "address agentAddress,string agentName,uint64 nonce"),
            (UserSigned::ApproveBuilderFee, "string maxFeeRate,address builder,uint64 nonce"),
        ] {
            let parts = [kind.primary_type(), "(string hyperliquidChain,", fields, ")"].map(str::as_bytes);
            assert_eq!(kind.type_hash(), Digest::keccak256(&parts).as_bytes());
        }
    }
}
