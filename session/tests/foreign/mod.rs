//! A client that is not made of this crate: as much of the Noise specification as the first message of IK needs.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

use curve25519_dalek::MontgomeryPoint;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use ring::hmac::{HMAC_SHA256, Key, sign};
use wire::session::{Channel, prologue};

use crate::pair::{BOOT_ID, POLICY_HASH, client_key, key, vault_key};

/// A client's first message; with an `alias` it writes that instead of its public key.
pub(crate) fn first_message(payload: &[u8], alias: Option<[u8; 32]>) -> Vec<u8> {
    let own = alias.unwrap_or(*client_key().public_key().as_bytes());
    let vault = *vault_key().public_key().as_bytes();
    let mut foreign = Foreign::new(&prologue(Channel::Bots, &BOOT_ID, &POLICY_HASH));
    foreign.mix_hash(&vault);
    let ephemeral = key(0x33);
    let mut message = vec![1, 0x22];
    message.extend_from_slice(ephemeral.public_key().as_bytes());
    foreign.mix_hash(ephemeral.public_key().as_bytes());
    foreign.mix_key(&agree(&[0x33; 32], &vault));
    message.extend(foreign.seal(&own));
    foreign.mix_key(&agree(&[0x22; 32], &vault));
    message.extend(foreign.seal(payload));
    message
}

pub(crate) struct Foreign {
    hash: [u8; 32],
    chaining: [u8; 32],
    key: [u8; 32],
}

pub(crate) fn agree(secret: &[u8; 32], public: &[u8; 32]) -> [u8; 32] {
    MontgomeryPoint(*public).mul_clamped(*secret).to_bytes()
}

fn hmac(key: &[u8], data: &[u8]) -> [u8; 32] {
    sign(&Key::new(HMAC_SHA256, key), data).as_ref().try_into().unwrap()
}

impl Foreign {
    pub(crate) fn new(prologue: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash[..28].copy_from_slice(b"Noise_IK_25519_AESGCM_SHA256");
        let mut foreign = Self { hash, chaining: hash, key: [0; 32] };
        foreign.mix_hash(prologue);
        foreign
    }

    pub(crate) fn mix_hash(&mut self, data: &[u8]) {
        self.hash = digest(&SHA256, &[&self.hash, data].concat()).as_ref().try_into().unwrap();
    }

    pub(crate) fn mix_key(&mut self, input: &[u8; 32]) {
        let temporary = hmac(&self.chaining, input);
        self.chaining = hmac(&temporary, &[1]);
        self.key = hmac(&temporary, &[&self.chaining[..], &[2]].concat());
    }

    /// Every key seals one message here, so the counter is always zero.
    pub(crate) fn seal(&mut self, plain: &[u8]) -> Vec<u8> {
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &self.key).unwrap());
        let mut sealed = plain.to_vec();
        let nonce = Nonce::assume_unique_for_key([0; 12]);
        key.seal_in_place_append_tag(nonce, Aad::from(self.hash), &mut sealed).unwrap();
        self.mix_hash(&sealed);
        sealed
    }
}
