//! Attestation documents of AWS Nitro Enclaves: read strictly, verified up to the pinned root, held to allowed images.
//!
//! [`NitroRoot`] is the [`Root`] that clients and hosts of real vaults trust. What a vault claims is in the document thus:
//!
//! ```text
//! nonce        the challenge of the hello, 32 bytes
//! public_key   the session key, 32 bytes (X25519)
//! user_data    "portcullis claims v1" ‖ policy hash 32 ‖ boot id 16 ‖ receipt key 32, 100 bytes
//! timestamp    when it was made
//! ```
//! Guarantees: a document that is let through is signed by a certificate that Amazon's root vouches for at the time that is
//! asked about, was made by an enclave with one of the allowed images and not in debug mode, and says exactly these claims.
//! Refuses everything else by the rule that it breaks ([`DocumentFault`]). Sources: AWS' "Validating attestation documents"
//! (nsm-api, `docs/attestation_process.md`), RFC 5280, RFC 8949, RFC 9052.

#![forbid(unsafe_code)]

mod cbor;
mod chain;
mod document;
mod fault;
mod measurements;

use session::attestation::{Distrust, Root};
use wire::session::{Claims, NONCE_SIZE};

pub use document::{CHAIN_MAX, DOCUMENT_SIZE_MAX, Document, PCR_SIZE, PCRS_MAX, SIGNATURE_SIZE};
pub use fault::{CertificateFault, DocumentFault, Place};
pub use measurements::{
    IMAGES_MAX, Image, MEASUREMENTS_DOMAIN, MEASUREMENTS_SIZE_MAX, Measurements, MeasurementsFault, signed,
};

/// SHA-256 of the DER of Amazon's root, `aws.nitro-enclaves`, valid until 2049.
pub const AWS_ROOT_SHA256: [u8; 32] = [
    0x64, 0x1a, 0x03, 0x21, 0xa3, 0xe2, 0x44, 0xef, 0xe4, 0x56, 0x46, 0x31, 0x95, 0xd6, 0x06, 0x31, 0x7e,
    0xd7, 0xcd, 0xcc, 0x3c, 0x17, 0x56, 0xe0, 0x98, 0x93, 0xf3, 0xc6, 0x8f, 0x79, 0xbb, 0x5b,
];

/// What the user data of a vault's document begin with.
pub const CLAIMS_DOMAIN: &[u8; 20] = b"portcullis claims v1";

/// Size of a vault's user data.
pub const USER_DATA_SIZE: usize = CLAIMS_DOMAIN.len() + 32 + 16 + 32;

/// At which time certificates must be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// This one, milliseconds since the Unix epoch: for who is about to trust the vault.
    Time(u64),
    /// When the document was made: for archived proofs. It says nothing of now.
    Document,
}

/// The root of real vaults: Amazon's, for the allowed images.
#[derive(Clone, Debug)]
pub struct NitroRoot {
    root_sha256: [u8; 32],
    measurements: Measurements,
}

impl NitroRoot {
    /// Amazon's root.
    #[must_use]
    pub fn new(measurements: Measurements) -> Self {
        Self::with_root(AWS_ROOT_SHA256, measurements)
    }

    /// Another root, by the SHA-256 of its DER: for tests with certificates of one's own.
    #[must_use]
    pub fn with_root(root_sha256: [u8; 32], measurements: Measurements) -> Self {
        Self { root_sha256, measurements }
    }

    /// What a document claims, if all is right with it.
    ///
    /// # Errors
    /// [`DocumentFault`].
    pub fn check(&self, document: &[u8], at: At) -> Result<Claims, DocumentFault> {
        let document = Document::read(document)?;
        verify(&document, &self.root_sha256, at)?;
        if self.measurements.find(&document).is_none() {
            return Err(DocumentFault::MeasurementUnexpected);
        }
        claims(&document)
    }
}

impl Root for NitroRoot {
    fn verify(&self, document: &[u8], now_ms: u64) -> Result<Claims, Distrust> {
        self.check(document, At::Time(now_ms))
            .map_err(|fault| Distrust::DocumentRefused { rule: fault.name() })
    }
}

/// Verifies a document that was read: its chain, its signature, and that the enclave is not in debug mode. What it says, and
/// of which image, is not looked at.
///
/// # Errors
/// [`DocumentFault`].
pub fn verify(document: &Document<'_>, root_sha256: &[u8; 32], at: At) -> Result<(), DocumentFault> {
    let at_ms = match at {
        At::Time(now_ms) => now_ms,
        At::Document => document.timestamp_ms,
    };
    chain::verify(document, root_sha256, at_ms / 1_000)?;
    // An enclave in debug mode has measurements of zeros; one without PCR0 tells nothing.
    match document.pcr(0) {
        Some(pcr) if !measurements::is_zero(pcr) => Ok(()),
        Some(_) | None => Err(DocumentFault::Debug),
    }
}

/// The claims of a vault's document.
///
/// # Errors
/// [`DocumentFault::UserDataUnexpected`], [`DocumentFault::SessionKeyMissing`], [`DocumentFault::ChallengeMissing`].
pub fn claims(document: &Document<'_>) -> Result<Claims, DocumentFault> {
    let unexpected = DocumentFault::UserDataUnexpected;
    let user_data: &[u8; USER_DATA_SIZE] =
        document.user_data.and_then(|bytes| bytes.try_into().ok()).ok_or(unexpected)?;
    let rest = user_data.strip_prefix(CLAIMS_DOMAIN).ok_or(unexpected)?;
    let (policy_hash, rest) = rest.split_first_chunk().ok_or(unexpected)?;
    let (boot_id, receipt_key) = rest.split_first_chunk().ok_or(unexpected)?;
    let key = document.public_key.and_then(|bytes| bytes.try_into().ok());
    let challenge: Option<[u8; NONCE_SIZE]> = document.nonce.and_then(|bytes| bytes.try_into().ok());
    Ok(Claims {
        policy_hash: *policy_hash,
        boot_id: *boot_id,
        session_key: key.ok_or(DocumentFault::SessionKeyMissing)?,
        receipt_key: receipt_key.try_into().map_err(|_| unexpected)?,
        challenge: challenge.ok_or(DocumentFault::ChallengeMissing)?,
        wall_ms: document.timestamp_ms,
    })
}

/// The user data with which a vault asks for its document.
#[must_use]
pub fn user_data(claims: &Claims) -> [u8; USER_DATA_SIZE] {
    let mut bytes = [0; USER_DATA_SIZE];
    let parts = [&CLAIMS_DOMAIN[..], &claims.policy_hash, &claims.boot_id, &claims.receipt_key];
    bytes.iter_mut().zip(parts.into_iter().flatten()).for_each(|(into, from)| *into = *from);
    bytes
}
