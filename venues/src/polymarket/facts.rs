//! What a message tells the receipt.

use wire::facts::{FactKey, FactSink};

use super::types::CLOB_AUTH_VERSION;
use super::{ClobAuth, Content, Order, Terms};
use crate::U256;

/// Tells everything that was understood of `content`.
pub(super) fn tell(content: &Content, sink: &mut dyn FactSink) {
    match content {
        Content::Order(order) => tell_order(order, sink),
        Content::ClobAuth(clob_auth) => tell_clob_auth(clob_auth, sink),
    }
}

fn tell_order(order: &Order, sink: &mut dyn FactSink) {
    sink.uint(FactKey::ChainId, order.deployment.chain_id);
    sink.text(FactKey::PrimaryType, if order.wallet.is_some() { "TypedDataSign" } else { "Order" });
    sink.text(FactKey::DomainVersion, order.deployment.exchange.domain_version());
    sink.address(FactKey::VerifyingContract, &order.deployment.contract);
    uint256(sink, FactKey::Salt, order.salt);
    sink.address(FactKey::Maker, &order.maker);
    sink.address(FactKey::Signer, &order.signer);
    uint256(sink, FactKey::TokenId, order.token_id);
    uint256(sink, FactKey::MakerAmount, order.maker_amount);
    uint256(sink, FactKey::TakerAmount, order.taker_amount);
    sink.text(FactKey::Side, order.side.as_str());
    sink.uint(FactKey::SignatureType, (order.signature_type as u8).into());
    match &order.terms {
        Terms::V1 { taker, expiration, nonce, fee_rate_bps } => {
            sink.address(FactKey::Taker, taker);
            uint256(sink, FactKey::Expiration, *expiration);
            uint256(sink, FactKey::Nonce, *nonce);
            uint256(sink, FactKey::FeeRateBps, *fee_rate_bps);
        }
        Terms::V2 { timestamp, metadata, builder } => {
            uint256(sink, FactKey::Timestamp, *timestamp);
            sink.key(FactKey::Metadata, metadata);
            sink.key(FactKey::Builder, builder);
        }
    }
    if let Some(wallet) = &order.wallet {
        sink.address(FactKey::DepositWallet, wallet);
    }
}

fn tell_clob_auth(clob_auth: &ClobAuth, sink: &mut dyn FactSink) {
    sink.uint(FactKey::ChainId, clob_auth.clob.chain_id);
    sink.text(FactKey::PrimaryType, "ClobAuth");
    sink.text(FactKey::DomainVersion, CLOB_AUTH_VERSION);
    sink.address(FactKey::AuthAddress, &clob_auth.address);
    sink.uint(FactKey::Timestamp, clob_auth.timestamp);
    uint256(sink, FactKey::Nonce, clob_auth.nonce);
}

fn uint256(sink: &mut dyn FactSink, key: FactKey, value: U256) {
    sink.uint_be(key, &value.to_be_bytes::<32>());
}
