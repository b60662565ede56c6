//! Secret key bytes on their way into the keyring.

use core::fmt;

use zeroize::Zeroizing;

/// 32 bytes of a secret key: a secp256k1 scalar or an Ed25519 seed. Wiped when dropped; never shown, copied or
/// serialised.
pub struct Secret(Zeroizing<[u8; 32]>);

impl Secret {
    /// Takes the bytes over. The caller wipes what it copied them from.
    #[must_use]
    pub fn new(bytes: Zeroizing<[u8; 32]>) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_show_itself() {
        let secret = Secret::new(Zeroizing::new([0xab; 32]));
        assert_eq!(format!("{secret:?}"), "Secret(..)");
    }
}
