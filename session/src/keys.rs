//! Static keys and entropy.

use core::fmt;

use curve25519_dalek::MontgomeryPoint;
use zeroize::Zeroizing;

use wire::session::KEY_SIZE;

/// 2^255 - 19 as its lowest byte; all others are 0xff but the highest, 0x7f.
const PRIME_LOWEST: u8 = 0xed;

/// An X25519 public key (RFC 7748) in its one canonical form.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; KEY_SIZE]);

impl PublicKey {
    /// Takes a key, or `None` when the bytes are another way to write a point: the highest bit set, or a
    /// number not below 2^255 - 19. X25519 takes those for the same key, and a list of keys would not.
    #[must_use]
    pub fn from_bytes(bytes: [u8; KEY_SIZE]) -> Option<Self> {
        let [lowest, middle @ .., highest] = bytes;
        let is_reduced = highest < 0x7f || middle.iter().any(|byte| *byte != 0xff) || lowest < PRIME_LOWEST;
        (highest < 0x80 && is_reduced).then_some(Self(bytes))
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; KEY_SIZE] {
        &self.0
    }
}

impl fmt::Display for PublicKey {
    /// `x25519:` and 64 hexadecimal digits, as in a book.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("x25519:")?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A static X25519 key pair: of a client, of the host, or of the vault's boot. Wiped when dropped; never
/// copied, shown or serialised.
///
/// ```compile_fail,E0599
/// let key = session::SessionKey::from_bytes(zeroize::Zeroizing::new([1; 32]));
/// let twice = key.clone();
/// ```
pub struct SessionKey {
    secret: Zeroizing<[u8; KEY_SIZE]>,
    public: PublicKey,
}

impl SessionKey {
    /// The key pair of 32 random bytes. The caller wipes what it copied them from.
    #[must_use]
    pub fn from_bytes(secret: Zeroizing<[u8; KEY_SIZE]>) -> Self {
        // The product is always reduced, so it is canonical without a check.
        let public = PublicKey(MontgomeryPoint::mul_base_clamped(*secret).to_bytes());
        Self { secret, public }
    }

    /// The public half.
    #[must_use]
    pub const fn public_key(&self) -> PublicKey {
        self.public
    }

    pub(crate) fn secret(&self) -> &[u8; KEY_SIZE] {
        &self.secret
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SessionKey(..)")
    }
}

/// 32 random bytes for one handshake: they become its ephemeral key. There is no other source of randomness
/// in this crate, so that whoever drives it decides; using the same bytes twice gives both sessions away.
///
/// ```compile_fail,E0599
/// let entropy = session::Entropy::new(zeroize::Zeroizing::new([1; 32]));
/// let twice = entropy.clone();
/// ```
pub struct Entropy(Zeroizing<[u8; KEY_SIZE]>);

impl Entropy {
    /// Takes the bytes over. The caller wipes what it copied them from.
    #[must_use]
    pub fn new(bytes: Zeroizing<[u8; KEY_SIZE]>) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_SIZE] {
        &self.0
    }
}

impl fmt::Debug for Entropy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Entropy(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_show_themselves() {
        let key = SessionKey::from_bytes(Zeroizing::new([0xab; 32]));
        assert_eq!(format!("{key:?}"), "SessionKey(..)");
        assert_eq!(format!("{:?}", Entropy::new(Zeroizing::new([0xab; 32]))), "Entropy(..)");
    }

    #[test]
    fn the_public_key_of_rfc_7748_section_6_1_is_found() {
        let secret = hex("77076d0a7318a57d3c16c17251b26645df4c99fb55fd3e45c0e0a2f84b1c0ae6");
        // The clamped bytes and the raw ones are the same key.
        let key = SessionKey::from_bytes(Zeroizing::new(secret));
        let alice = SessionKey::from_bytes(Zeroizing::new(hex(
            "77076d0a7318a57d3c16c17251b26645df4c99fb55fd3e45c0e0a2f84b1c0a66",
        )));
        assert_eq!(key.public_key(), alice.public_key());
    }

    #[test]
    fn another_way_to_write_a_key_is_no_key() {
        let prime = |lowest: u8, highest: u8| {
            let mut bytes = [0xff; 32];
            (bytes[0], bytes[31]) = (lowest, highest);
            bytes
        };
        assert!(PublicKey::from_bytes(prime(0xec, 0x7f)).is_some());
        assert!(PublicKey::from_bytes(prime(0xff, 0x7e)).is_some());
        for lowest in 0xed..=0xff {
            assert_eq!(PublicKey::from_bytes(prime(lowest, 0x7f)), None);
        }
        let mut key = *SessionKey::from_bytes(Zeroizing::new([5; 32])).public_key().as_bytes();
        assert!(PublicKey::from_bytes(key).is_some());
        key[31] |= 0x80;
        assert_eq!(PublicKey::from_bytes(key), None);
    }

    fn hex(text: &str) -> [u8; 32] {
        core::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
    }
}
