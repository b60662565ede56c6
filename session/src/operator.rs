//! An operator's side of certificates. Only the operator's tool uses it: no vault and no host ever holds an
//! operator's key, and `clippy.toml` forbids [`OperatorKey::from_seed`] elsewhere.

use core::fmt;

use ed25519_dalek::{Signer, SigningKey};
use wire::session::{CERTIFICATE_MS_MAX, CERTIFICATE_SIZE_MAX, Certificate};
use zeroize::Zeroizing;

use crate::certificate::CertificateFault;
use crate::keys::PublicKey;

/// An operator's Ed25519 key pair (RFC 8032). The library wipes the seed when dropped.
///
/// ```compile_fail,E0599
/// fn twice(key: session::operator::OperatorKey) {
///     let _ = key.clone();
/// }
/// ```
pub struct OperatorKey(SigningKey);

impl OperatorKey {
    /// The key pair of 32 random bytes. The caller wipes what it copied them from.
    #[must_use]
    pub fn from_seed(seed: &Zeroizing<[u8; 32]>) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The public half, as a book lists it.
    #[must_use]
    pub fn public_key(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Signs a certificate, writes it into `into` and returns its size. The certificate must name this key as
    /// its operator and be good for 30 days at most; the desk and the role are the book's to check.
    ///
    /// # Errors
    /// [`CertificateFault::Malformed`], [`CertificateFault::OperatorUnknown`],
    /// [`CertificateFault::ClientUnexpected`] for a client's key that is not canonical,
    /// [`CertificateFault::NeverValid`], [`CertificateFault::TooLong`].
    #[expect(clippy::disallowed_methods, reason = "signs certificates of clients, nothing of a venue")]
    pub fn sign_certificate(
        &self,
        certificate: &Certificate<'_>,
        into: &mut [u8; CERTIFICATE_SIZE_MAX],
    ) -> Result<usize, CertificateFault> {
        if certificate.operator_key != self.public_key() {
            return Err(CertificateFault::OperatorUnknown);
        }
        if PublicKey::from_bytes(certificate.client_key).is_none() {
            return Err(CertificateFault::ClientUnexpected);
        }
        let valid_ms = certificate.not_after_ms.saturating_sub(certificate.not_before_ms);
        if valid_ms == 0 {
            return Err(CertificateFault::NeverValid);
        }
        if valid_ms > CERTIFICATE_MS_MAX {
            return Err(CertificateFault::TooLong { valid_ms, valid_ms_max: CERTIFICATE_MS_MAX });
        }
        let message = certificate.message().map_err(|_| CertificateFault::Malformed)?;
        let signature = self.0.sign(message.as_bytes()).to_bytes();
        message.write_signed(&signature, into).map_err(|_| CertificateFault::Malformed)
    }
}

impl fmt::Debug for OperatorKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OperatorKey(..)")
    }
}
