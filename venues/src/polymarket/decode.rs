//! From the JSON text to the message and its digest.

use wire::{Refusal, Why};

use super::exchange::{read_clob, read_deployment};
use super::types::{
    ATTESTATION, ATTESTATION_HASH, CLOB_AUTH_TYPE_HASH, FAMILIES, Kind, STRUCT_TYPES, WALLET_NAME,
    WALLET_VERSION,
};
use super::{ClobAuth, Content, Deployment, Message, Order, Side, SignatureType, Terms};
use crate::U256;
use crate::json::Json;
use crate::typed_data::{
    Document, Word, address, address_word, bytes32, digest, keccak, members, struct_hash, uint, uint_word,
    uint256,
};

/// Reads the text of typed data.
///
/// # Errors
/// - `TypesNotSupported`, `DomainNotSupported`, `ExchangeNotSupported`, `OrderVersionDiffers`,
///   `WalletDomainNotSupported`, `AttestationNotSupported` for what is not one of this venue's messages
/// - the codes of JSON and of values, `SideNotKnown`, `SignatureTypeNotKnown`, `TimestampTextMalformed`,
///   `WalletChainDiffers`, `ChainIdZero` for what is malformed
pub fn decode(text: &[u8]) -> Result<Message<'_>, Why> {
    let mut document = Document::read(text, STRUCT_TYPES)?;
    let kind = document.family(FAMILIES)?.kind;
    if kind == Kind::ClobAuth {
        let clob = read_clob(&mut document.domain)?;
        let (clob_auth, hash) = read_clob_auth(&mut document.message, clob)?;
        let digest = digest(&clob.domain_separator, &hash);
        return Ok(Message { text, content: Content::ClobAuth(clob_auth), digest });
    }
    let deployment = read_deployment(&mut document.domain)?;
    if deployment.exchange.is_v1() != (kind == Kind::OrderV1) {
        return Err(Refusal::OrderVersionDiffers.into());
    }
    let message = &mut document.message;
    let order = match kind {
        Kind::OrderV1 => read_order_v1(message, deployment)?,
        Kind::NestedOrderV2 => read_nested_order(message, deployment)?,
        Kind::OrderV2 | Kind::ClobAuth => read_order_v2(message, deployment)?,
    };
    let digest = digest(&deployment.domain_separator, &order.signed_hash());
    Ok(Message { text, content: Content::Order(order), digest })
}

fn read_order_v1(json: &mut Json<'_>, deployment: &'static Deployment) -> Result<Order, Why> {
    members!(json, {
        "salt" => salt: uint256(json),
        "maker" => maker: address(json),
        "signer" => signer: address(json),
        "taker" => taker: address(json),
        "tokenId" => token_id: uint256(json),
        "makerAmount" => maker_amount: uint256(json),
        "takerAmount" => taker_amount: uint256(json),
        "expiration" => expiration: uint256(json),
        "nonce" => nonce: uint256(json),
        "feeRateBps" => fee_rate_bps: uint256(json),
        "side" => side: read_side(json),
        "signatureType" => signature_type: read_signature_type(json),
    });
    if signature_type == SignatureType::Poly1271 {
        return Err(Refusal::SignatureTypeNotKnown.into());
    }
    let terms = Terms::V1 { taker, expiration, nonce, fee_rate_bps };
    Ok(Order {
        deployment,
        salt,
        maker,
        signer,
        token_id,
        maker_amount,
        taker_amount,
        side,
        signature_type,
        terms,
        wallet: None,
    })
}

fn read_order_v2(json: &mut Json<'_>, deployment: &'static Deployment) -> Result<Order, Why> {
    members!(json, {
        "salt" => salt: uint256(json),
        "maker" => maker: address(json),
        "signer" => signer: address(json),
        "tokenId" => token_id: uint256(json),
        "makerAmount" => maker_amount: uint256(json),
        "takerAmount" => taker_amount: uint256(json),
        "side" => side: read_side(json),
        "signatureType" => signature_type: read_signature_type(json),
        "timestamp" => timestamp: uint256(json),
        "metadata" => metadata: bytes32(json),
        "builder" => builder: bytes32(json),
    });
    let terms = Terms::V2 { timestamp, metadata, builder };
    Ok(Order {
        deployment,
        salt,
        maker,
        signer,
        token_id,
        maker_amount,
        taker_amount,
        side,
        signature_type,
        terms,
        wallet: None,
    })
}

/// ERC-7739: the wallet's own domain stands inside the message, so that a signature for one wallet is none for
/// another of the same owner.
fn read_nested_order(json: &mut Json<'_>, deployment: &'static Deployment) -> Result<Order, Why> {
    members!(json, {
        "contents" => contents: read_order_v2(json, deployment),
        "name" => name: json.text(),
        "version" => version: json.text(),
        "chainId" => chain_id: uint256(json),
        "verifyingContract" => wallet: address(json),
        "salt" => salt: bytes32(json),
    });
    if name != WALLET_NAME || version != WALLET_VERSION || salt != [0; 32] {
        return Err(Refusal::WalletDomainNotSupported.into());
    }
    if chain_id != U256::from(deployment.chain_id) {
        return Err(Refusal::WalletChainDiffers.into());
    }
    Ok(Order { wallet: Some(wallet), ..contents })
}

fn read_clob_auth(json: &mut Json<'_>, clob: &'static super::Clob) -> Result<(ClobAuth, Word), Why> {
    members!(json, {
        "address" => owner: address(json),
        "timestamp" => timestamp: json.text(),
        "nonce" => nonce: uint256(json),
        "message" => message: json.text(),
    });
    if message != ATTESTATION {
        return Err(Refusal::AttestationNotSupported.into());
    }
    let hash = struct_hash(&[
        CLOB_AUTH_TYPE_HASH,
        address_word(&owner),
        keccak(timestamp.as_bytes()),
        uint_word(&nonce),
        ATTESTATION_HASH,
    ]);
    let clob_auth = ClobAuth { clob, address: owner, timestamp: seconds(timestamp)?, nonce };
    Ok((clob_auth, hash))
}

/// Decimal digits without a leading zero, below 2^64: the text is hashed, and has one meaning.
fn seconds(text: &str) -> Result<u64, Why> {
    let malformed = || Refusal::TimestampTextMalformed.into();
    if !matches!(text.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit)) {
        return Err(malformed());
    }
    text.parse().map_err(|_| malformed())
}

fn read_side(json: &mut Json<'_>) -> Result<Side, Why> {
    let side = uint(json, 8)?;
    match side.as_limbs() {
        [0, 0, 0, 0] => Ok(Side::Buy),
        [1, 0, 0, 0] => Ok(Side::Sell),
        _ => Err(Why::new(Refusal::SideNotKnown).observed(shown(side))),
    }
}

fn read_signature_type(json: &mut Json<'_>) -> Result<SignatureType, Why> {
    let signature_type = uint(json, 8)?;
    match signature_type.as_limbs() {
        [0, 0, 0, 0] => Ok(SignatureType::Eoa),
        [1, 0, 0, 0] => Ok(SignatureType::PolyProxy),
        [2, 0, 0, 0] => Ok(SignatureType::PolyGnosisSafe),
        [3, 0, 0, 0] => Ok(SignatureType::Poly1271),
        _ => Err(Why::new(Refusal::SignatureTypeNotKnown).observed(shown(signature_type))),
    }
}

fn shown(value: U256) -> wire::Shown {
    wire::Shown::Uint256(value.to_be_bytes())
}
