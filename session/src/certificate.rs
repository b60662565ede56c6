//! Clients that are not in the book by name: an operator's certificate says in which role a key may come.

use core::fmt;

use ed25519_dalek::{Signature, VerifyingKey};
use wire::session::{CERTIFICATE_MS_MAX, Certificate, Denial, SignedCertificate};

use crate::keys::PublicKey;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// What a book says about certificates.
pub trait Terms {
    /// The desk's name.
    fn desk(&self) -> &str;

    /// Whether the book lists this operator's key (Ed25519).
    fn has_operator(&self, key: &[u8; 32]) -> bool;

    /// For how many days at most a certificate of this role is made out; `None` when there is no such role.
    fn certificate_days_max(&self, role: &str) -> Option<u16>;
}

/// Why a certificate lets nobody in; each names the one rule that it breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateFault {
    /// The bytes are no certificate, or not the one way to write it.
    Malformed,
    /// It is for another desk.
    DeskUnexpected,
    /// The book has no such role.
    RoleUnknown,
    /// The book has no such operator.
    OperatorUnknown,
    /// It is for another client's key than the one that made the handshake.
    ClientUnexpected,
    /// It ends before it begins, or at once.
    NeverValid,
    /// It is good for longer than 30 days or than its role allows.
    TooLong {
        /// for how long, in milliseconds
        valid_ms: u64,
        /// the most
        valid_ms_max: u64,
    },
    /// The signature is not the operator's.
    SignatureWrong,
    /// It is not good yet.
    NotYetValid {
        /// from when on, milliseconds since the Unix epoch
        not_before_ms: u64,
    },
    /// It is good no more.
    Expired {
        /// since when, milliseconds since the Unix epoch
        not_after_ms: u64,
    },
}

/// Reads a certificate and checks every rule at `now_ms` milliseconds since the Unix epoch (RFC 8032 with the
/// strict checks of `verify_strict`: no key or point of low order). It must be for `client`, the key that made
/// the handshake.
///
/// The caller ends the session at [`Certificate::not_after_ms`]: a session may outlast the check.
///
/// # Errors
/// [`CertificateFault`].
pub fn verify<'c>(
    bytes: &'c [u8],
    terms: &(impl Terms + ?Sized),
    client: PublicKey,
    now_ms: u64,
) -> Result<Certificate<'c>, CertificateFault> {
    let signed = SignedCertificate::read(bytes).map_err(|_| CertificateFault::Malformed)?;
    let found = signed.certificate;
    if found.desk != terms.desk() {
        return Err(CertificateFault::DeskUnexpected);
    }
    if !terms.has_operator(&found.operator_key) {
        return Err(CertificateFault::OperatorUnknown);
    }
    let days_max = terms.certificate_days_max(found.role).ok_or(CertificateFault::RoleUnknown)?;
    if found.client_key != *client.as_bytes() {
        return Err(CertificateFault::ClientUnexpected);
    }
    check_time(&found, days_max, now_ms)?;
    VerifyingKey::from_bytes(&found.operator_key)
        .and_then(|key| {
            key.verify_strict(signed.message.as_bytes(), &Signature::from_bytes(&signed.signature))
        })
        .map_err(|_| CertificateFault::SignatureWrong)?;
    Ok(found)
}

/// Checks a certificate's two ends.
fn check_time(found: &Certificate<'_>, days_max: u16, now_ms: u64) -> Result<(), CertificateFault> {
    let Certificate { not_before_ms, not_after_ms, .. } = *found;
    let valid_ms = not_after_ms.saturating_sub(not_before_ms);
    if valid_ms == 0 {
        return Err(CertificateFault::NeverValid);
    }
    let valid_ms_max = CERTIFICATE_MS_MAX.min(u64::from(days_max).saturating_mul(DAY_MS));
    if valid_ms > valid_ms_max {
        return Err(CertificateFault::TooLong { valid_ms, valid_ms_max });
    }
    if now_ms < not_before_ms {
        return Err(CertificateFault::NotYetValid { not_before_ms });
    }
    if now_ms >= not_after_ms {
        return Err(CertificateFault::Expired { not_after_ms });
    }
    Ok(())
}

impl CertificateFault {
    /// What the client is told.
    #[must_use]
    pub const fn denial(&self) -> Denial {
        match self {
            Self::Malformed => Denial::CertificateMalformed,
            Self::DeskUnexpected => Denial::CertificateOfAnotherDesk,
            Self::RoleUnknown => Denial::RoleNotKnown,
            Self::OperatorUnknown => Denial::OperatorNotKnown,
            Self::ClientUnexpected => Denial::CertificateOfAnotherKey,
            Self::SignatureWrong => Denial::CertificateSignatureWrong,
            Self::TooLong { .. } => Denial::CertificateTooLong,
            Self::NotYetValid { .. } => Denial::CertificateNotYetValid,
            Self::NeverValid | Self::Expired { .. } => Denial::CertificateExpired,
        }
    }
}

impl fmt::Display for CertificateFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverValid => formatter.write_str("The certificate ends before it begins."),
            Self::TooLong { valid_ms, valid_ms_max } => {
                write!(
                    formatter,
                    "The certificate is good for {valid_ms} ms, at most {valid_ms_max} are allowed."
                )
            }
            Self::NotYetValid { not_before_ms } => {
                write!(formatter, "The certificate is good from {not_before_ms} ms on.")
            }
            Self::Expired { not_after_ms } => {
                write!(formatter, "The certificate expired at {not_after_ms} ms.")
            }
            Self::Malformed
            | Self::DeskUnexpected
            | Self::RoleUnknown
            | Self::OperatorUnknown
            | Self::ClientUnexpected
            | Self::SignatureWrong => formatter.write_str(self.denial().explanation()),
        }
    }
}

impl core::error::Error for CertificateFault {}
