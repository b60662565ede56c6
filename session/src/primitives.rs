//! What the Noise state machine computes with: X25519 of `curve25519-dalek`, AES-256-GCM of `ring`, SHA-256
//! of `sha2`, and the entropy of the one handshake. There is no operating system's randomness to fall back to.

use core::cell::Cell;

use curve25519_dalek::MontgomeryPoint;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, Tag, UnboundKey};
use sha2::{Digest, Sha256};
use snow::Error;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::CryptoResolver;
use snow::types::{Cipher, Dh, Hash, Random};
use wire::session::{KEY_SIZE, TAG_SIZE};
use zeroize::Zeroizing;

use crate::keys::Entropy;

/// Gives one handshake its primitives.
pub(crate) struct Primitives(Cell<Option<Entropy>>);

impl Primitives {
    pub(crate) fn new(entropy: Entropy) -> Self {
        Self(Cell::new(Some(entropy)))
    }
}

impl CryptoResolver for Primitives {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        self.0.take().map(|entropy| Box::new(Once(Some(entropy))) as Box<dyn Random>)
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        (*choice == DHChoice::Curve25519).then(|| Box::<X25519>::default() as Box<dyn Dh>)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        (*choice == HashChoice::SHA256).then(|| Box::<Sha256State>::default() as Box<dyn Hash>)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        (*choice == CipherChoice::AESGCM).then(|| Box::<AesGcm>::default() as Box<dyn Cipher>)
    }
}

/// Gives its bytes once, for one ephemeral key.
struct Once(Option<Entropy>);

impl Random for Once {
    fn try_fill_bytes(&mut self, into: &mut [u8]) -> Result<(), Error> {
        let entropy = self.0.take().ok_or(Error::Rng)?;
        let into: &mut [u8; KEY_SIZE] = into.try_into().map_err(|_| Error::Rng)?;
        *into = *entropy.bytes();
        Ok(())
    }
}

/// A key pair of X25519 (RFC 7748).
#[derive(Default)]
struct X25519 {
    secret: Zeroizing<[u8; KEY_SIZE]>,
    public: [u8; KEY_SIZE],
}

impl Dh for X25519 {
    fn name(&self) -> &'static str {
        "25519"
    }

    fn pub_len(&self) -> usize {
        KEY_SIZE
    }

    fn priv_len(&self) -> usize {
        KEY_SIZE
    }

    fn set(&mut self, secret: &[u8]) {
        // Only ever called with a `SessionKey`; any other size leaves the key of zeros, which agrees with nobody.
        for (into, from) in self.secret.iter_mut().zip(secret) {
            *into = *from;
        }
        self.public = MontgomeryPoint::mul_base_clamped(*self.secret).to_bytes();
    }

    fn generate(&mut self, random: &mut dyn Random) -> Result<(), Error> {
        random.try_fill_bytes(&mut *self.secret)?;
        self.public = MontgomeryPoint::mul_base_clamped(*self.secret).to_bytes();
        Ok(())
    }

    fn pubkey(&self) -> &[u8] {
        &self.public
    }

    fn privkey(&self) -> &[u8] {
        &*self.secret
    }

    /// Refuses the points of low order: their product is zero whatever the secret is (RFC 7748, section 6.1).
    fn dh(&self, public: &[u8], into: &mut [u8]) -> Result<(), Error> {
        let public = public.first_chunk::<KEY_SIZE>().ok_or(Error::Dh)?;
        let shared = Zeroizing::new(MontgomeryPoint(*public).mul_clamped(*self.secret).to_bytes());
        if shared.iter().fold(0, |all, byte| all | byte) == 0 {
            return Err(Error::Dh);
        }
        *into.first_chunk_mut::<KEY_SIZE>().ok_or(Error::Dh)? = *shared;
        Ok(())
    }
}

/// AES-256-GCM with Noise's nonce: four bytes of zero and the counter, big-endian.
struct AesGcm(LessSafeKey);

impl AesGcm {
    #[expect(clippy::expect_used, reason = "ring refuses a key for its size alone, and the type has it")]
    fn key(bytes: &[u8; KEY_SIZE]) -> LessSafeKey {
        LessSafeKey::new(UnboundKey::new(&AES_256_GCM, bytes).expect("a key of 32 bytes"))
    }

    fn nonce(counter: u64) -> Nonce {
        let [c0, c1, c2, c3, c4, c5, c6, c7] = counter.to_be_bytes();
        Nonce::assume_unique_for_key([0, 0, 0, 0, c0, c1, c2, c3, c4, c5, c6, c7])
    }
}

impl Default for AesGcm {
    /// The key before the first one is mixed; the state machine uses none before it has set one.
    fn default() -> Self {
        Self(Self::key(&[0; KEY_SIZE]))
    }
}

impl Cipher for AesGcm {
    fn name(&self) -> &'static str {
        "AESGCM"
    }

    fn set(&mut self, key: &[u8; KEY_SIZE]) {
        self.0 = Self::key(key);
    }

    #[expect(
        clippy::expect_used,
        clippy::indexing_slicing,
        reason = "the trait has no error; the state machine checks the sizes before, and AES-GCM takes 64 GiB"
    )]
    fn encrypt(&self, counter: u64, authentic: &[u8], plain: &[u8], into: &mut [u8]) -> usize {
        let size = plain.len();
        let (body, tag) = into[..size + TAG_SIZE].split_at_mut(size);
        body.copy_from_slice(plain);
        let found = self
            .0
            .seal_in_place_separate_tag(Self::nonce(counter), Aad::from(authentic), body)
            .expect("a message below 64 GiB");
        tag.copy_from_slice(found.as_ref());
        size + TAG_SIZE
    }

    /// Leaves zeros in `into` when the tag is wrong.
    fn decrypt(
        &self,
        counter: u64,
        authentic: &[u8],
        sealed: &[u8],
        into: &mut [u8],
    ) -> Result<usize, Error> {
        let (body, tag) = sealed.split_last_chunk::<TAG_SIZE>().ok_or(Error::Decrypt)?;
        let into = into.get_mut(..body.len()).ok_or(Error::Decrypt)?;
        into.copy_from_slice(body);
        let aad = Aad::from(authentic);
        let opened = self.0.open_in_place_separate_tag(Self::nonce(counter), aad, Tag::from(*tag), into, 0..);
        if opened.is_err() {
            into.fill(0);
            return Err(Error::Decrypt);
        }
        Ok(body.len())
    }
}

#[derive(Default)]
struct Sha256State(Sha256);

impl Hash for Sha256State {
    fn name(&self) -> &'static str {
        "SHA256"
    }

    fn block_len(&self) -> usize {
        64
    }

    fn hash_len(&self) -> usize {
        32
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn input(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn result(&mut self, into: &mut [u8]) {
        for (into, from) in into.iter_mut().zip(self.0.finalize_reset()) {
            *into = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_given_once_and_for_one_key_only() {
        let primitives = Primitives::new(Entropy::new(Zeroizing::new([7; KEY_SIZE])));
        let mut random = primitives.resolve_rng().unwrap();
        assert!(primitives.resolve_rng().is_none());
        let mut into = [0; KEY_SIZE];
        assert_eq!(random.try_fill_bytes(&mut into), Ok(()));
        assert_eq!(into, [7; KEY_SIZE]);
        let mut again = [0; KEY_SIZE];
        assert_eq!(random.try_fill_bytes(&mut again), Err(Error::Rng));
        assert_eq!(again, [0; KEY_SIZE]);
    }

    #[test]
    fn no_primitive_but_those_of_the_protocol_is_given() {
        let primitives = Primitives::new(Entropy::new(Zeroizing::new([7; KEY_SIZE])));
        assert!(primitives.resolve_dh(&DHChoice::Curve448).is_none());
        assert!(primitives.resolve_hash(&HashChoice::SHA512).is_none());
        assert!(primitives.resolve_cipher(&CipherChoice::ChaChaPoly).is_none());
    }

    #[test]
    fn a_wrong_tag_leaves_zeros() {
        let cipher = AesGcm::default();
        let mut sealed = [0; 4 + TAG_SIZE];
        assert_eq!(cipher.encrypt(0, b"", b"body", &mut sealed), 20);
        let mut opened = [0; 4];
        assert_eq!(cipher.decrypt(0, b"", &sealed, &mut opened), Ok(4));
        assert_eq!(opened, *b"body");
        assert_eq!(cipher.decrypt(1, b"", &sealed, &mut opened), Err(Error::Decrypt));
        assert_eq!(opened, [0; 4]);
        assert_eq!(cipher.decrypt(0, b"", &sealed[..15], &mut opened), Err(Error::Decrypt));
        assert_eq!(cipher.decrypt(0, b"", &sealed, &mut opened[..3]), Err(Error::Decrypt));
    }
}
