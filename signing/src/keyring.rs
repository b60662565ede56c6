//! The keys of this boot, each in the slot whose public key the book pins.

use book::{Book, SLOTS_MAX, Slot};
use policies::{Approved, Counted};
use venues::{Digest, Ed25519, Message, Payload, PublicKey, Scheme, Secp256k1};
use wire::Refusal;
use wire::reply::{ED25519_SIZE, SECP256K1_SIZE};

use crate::ed25519::Ed25519Key;
use crate::secp256k1::Secp256k1Key;
use crate::secret::Secret;

/// Why a key cannot be taken into the keyring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFault {
    /// The secret is zero or not below the order of the group.
    OutOfRange,
    /// The secret's public key is not the one the book pins for the slot.
    PublicKeyDiffers,
    /// The slot has a key already.
    SlotTaken,
    /// The keyring holds [`SLOTS_MAX`] keys.
    Full,
    /// The book has a slot whose pinned key is not in the keyring.
    Missing,
}

impl core::fmt::Display for KeyFault {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str(match self {
            Self::OutOfRange => "the secret is zero or not below the order of the group",
            Self::PublicKeyDiffers => {
                "the secret's public key is not the one that the book pins for this slot"
            }
            Self::SlotTaken => "the slot has a key already",
            Self::Full => "the keyring is full",
            Self::Missing => "a slot of the book has no key, or another one than it pins",
        })
    }
}

impl core::error::Error for KeyFault {}

#[derive(Debug)]
pub(crate) enum Key {
    Secp256k1(Secp256k1Key),
    Ed25519(Ed25519Key),
}

/// The keys of this boot. Filled once at boot, immutable afterwards.
#[derive(Debug)]
pub struct Keyring {
    keys: [Option<(u16, Key)>; SLOTS_MAX],
}

impl Default for Keyring {
    /// An empty keyring.
    fn default() -> Self {
        Self { keys: [const { None }; SLOTS_MAX] }
    }
}

impl Keyring {
    /// Takes a secret into the slot whose public key it has.
    ///
    /// # Errors
    /// [`KeyFault`]; the secret is wiped either way.
    pub fn insert(&mut self, slot: &Slot<'_>, secret: Secret) -> Result<(), KeyFault> {
        let key = match slot.public_key {
            PublicKey::Secp256k1 { .. } => Key::Secp256k1(Secp256k1Key::new(&secret)?),
            PublicKey::Ed25519 { .. } => Key::Ed25519(Ed25519Key::new(&secret)),
        };
        if public_key(&key)? != slot.public_key {
            return Err(KeyFault::PublicKeyDiffers);
        }
        if self.key(slot.slot).is_some() {
            return Err(KeyFault::SlotTaken);
        }
        let place = self.keys.iter_mut().find(|place| place.is_none()).ok_or(KeyFault::Full)?;
        *place = Some((slot.slot, key));
        Ok(())
    }

    /// Checks that every slot of `book` has exactly the key that it pins, so that what is judged by a book is
    /// signed by that book's keys.
    ///
    /// # Errors
    /// [`KeyFault::Missing`].
    pub fn check(&self, book: &Book<'_>) -> Result<(), KeyFault> {
        for slot in book.slots {
            let key = self.key(slot.slot).ok_or(KeyFault::Missing)?;
            if public_key(key)? != slot.public_key {
                return Err(KeyFault::Missing);
            }
        }
        Ok(())
    }

    /// Signs what was approved; the approval is spent.
    ///
    /// # Errors
    /// [`Refusal::KeySchemeDiffers`] when the slot holds no key of the payload's scheme; the approval is spent
    /// all the same.
    pub fn sign<P: Payload>(&self, approved: Approved<P>) -> Result<Signed<P>, (P, Refusal)>
    where
        P::Scheme: Signs,
    {
        let key = self.key(approved.slot());
        let signature = key.and_then(|key| P::Scheme::sign_with(key, approved.payload().preimage()));
        let (slot, counted) = (approved.slot(), approved.counted());
        let payload = approved.into_payload();
        match signature {
            Some(signature) => Ok(Signed { payload, slot, counted, signature }),
            None => Err((payload, Refusal::KeySchemeDiffers)),
        }
    }

    fn key(&self, slot: u16) -> Option<&Key> {
        self.keys.iter().flatten().find(|(number, _)| *number == slot).map(|(_, key)| key)
    }
}

/// The public key of a secret, as a book pins it.
///
/// # Errors
/// [`KeyFault::OutOfRange`].
pub fn public_key_of(scheme: KeyScheme, secret: &Secret) -> Result<PublicKey, KeyFault> {
    match scheme {
        KeyScheme::Secp256k1 => Secp256k1Key::new(secret)?.public_key(),
        KeyScheme::Ed25519 => Ok(Ed25519Key::new(secret).public_key()),
    }
}

/// The two kinds of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyScheme {
    /// EVM, UniswapX, Polymarket, Hyperliquid.
    Secp256k1,
    /// Solana.
    Ed25519,
}

fn public_key(key: &Key) -> Result<PublicKey, KeyFault> {
    match key {
        Key::Secp256k1(key) => key.public_key(),
        Key::Ed25519(key) => Ok(key.public_key()),
    }
}

/// A payload and its signature, which only [`crate::Chain::seal`] can read.
#[must_use = "a signature that is not sealed has spent its approval for nothing"]
#[derive(Debug)]
pub struct Signed<P> {
    pub(crate) payload: P,
    pub(crate) slot: u16,
    pub(crate) counted: Counted,
    pub(crate) signature: SignatureBytes,
}

/// A signature of either scheme at its exact size.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SignatureBytes {
    Secp256k1([u8; SECP256K1_SIZE]),
    Ed25519([u8; ED25519_SIZE]),
}

impl SignatureBytes {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Secp256k1(bytes) => bytes,
            Self::Ed25519(bytes) => bytes,
        }
    }
}

/// A scheme this crate can sign with. How it does so stays in this crate.
#[expect(private_bounds, reason = "sealed: a bound that others can name and nobody else can use")]
pub trait Signs: SignsWith {}

impl Signs for Secp256k1 {}
impl Signs for Ed25519 {}

pub(crate) trait SignsWith: Scheme {
    /// `None` when the key is of another scheme.
    fn sign_with(key: &Key, preimage: Self::Preimage<'_>) -> Option<SignatureBytes>;
}

impl SignsWith for Secp256k1 {
    fn sign_with(key: &Key, digest: Digest) -> Option<SignatureBytes> {
        match key {
            Key::Secp256k1(key) => Some(SignatureBytes::Secp256k1(key.sign(digest))),
            Key::Ed25519(_) => None,
        }
    }
}

impl SignsWith for Ed25519 {
    fn sign_with(key: &Key, message: Message<'_>) -> Option<SignatureBytes> {
        match key {
            Key::Ed25519(key) => Some(SignatureBytes::Ed25519(key.sign(message))),
            Key::Secp256k1(_) => None,
        }
    }
}
