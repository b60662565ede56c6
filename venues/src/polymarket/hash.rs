//! The struct hashes of an order (EIP-712), from the fields as they were read.

use super::types::{
    ORDER_V1_TYPE_HASH, ORDER_V2_TYPE_HASH, TYPED_DATA_SIGN_TYPE_HASH, WALLET_NAME_HASH, WALLET_VERSION_HASH,
};
use super::{Order, Terms};
use crate::U256;
use crate::typed_data::{Word, address_word, struct_hash, uint_word};

impl Order {
    /// The struct hash of Order; what a deposit wallet calls the contents hash.
    #[must_use]
    pub fn struct_hash(&self) -> [u8; 32] {
        let [side, signature_type] = [self.side as u8, self.signature_type as u8].map(small_word);
        match &self.terms {
            Terms::V1 { taker, expiration, nonce, fee_rate_bps } => struct_hash(&[
                ORDER_V1_TYPE_HASH,
                uint_word(&self.salt),
                address_word(&self.maker),
                address_word(&self.signer),
                address_word(taker),
                uint_word(&self.token_id),
                uint_word(&self.maker_amount),
                uint_word(&self.taker_amount),
                uint_word(expiration),
                uint_word(nonce),
                uint_word(fee_rate_bps),
                side,
                signature_type,
            ]),
            Terms::V2 { timestamp, metadata, builder } => struct_hash(&[
                ORDER_V2_TYPE_HASH,
                uint_word(&self.salt),
                address_word(&self.maker),
                address_word(&self.signer),
                uint_word(&self.token_id),
                uint_word(&self.maker_amount),
                uint_word(&self.taker_amount),
                side,
                signature_type,
                uint_word(timestamp),
                *metadata,
                *builder,
            ]),
        }
    }

    /// The hash that the digest is made of: of the order, or of TypedDataSign around it.
    pub(super) fn signed_hash(&self) -> Word {
        let Some(wallet) = &self.wallet else {
            return self.struct_hash();
        };
        struct_hash(&[
            TYPED_DATA_SIGN_TYPE_HASH,
            self.struct_hash(),
            WALLET_NAME_HASH,
            WALLET_VERSION_HASH,
            uint_word(&U256::from(self.deployment.chain_id)),
            address_word(wallet),
            [0; 32],
        ])
    }
}

fn small_word(value: u8) -> Word {
    let mut word = [0; 32];
    if let Some(last) = word.last_mut() {
        *last = value;
    }
    word
}
