//! The chain from the pinned root to the document's certificate (RFC 5280, section 6.1), and the document's signature.
//!
//! ```text
//! place 0   the root: pinned by the SHA-256 of its DER, never believed for what it says of itself alone
//! place i   signed by the key of place i - 1, names it as its issuer, valid, an authority, no longer path than it allows
//! the last  the document's own: no authority, for signatures; its key signed the document
//! ```
//! Nitro's chains have one algorithm, ECDSA with SHA-384 on P-384, and nothing else is read. There is no revocation: the
//! document's certificate lives for three hours, and its issuer for a day.

use der::asn1::ObjectIdentifier;
use der::{Decode as _, Reader as _, SliceReader, Tag, Tagged as _};
use ring::signature::{ECDSA_P384_SHA384_ASN1, ECDSA_P384_SHA384_FIXED, UnparsedPublicKey};
use x509_cert::Certificate;
use x509_cert::certificate::{TbsCertificate, Version};
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage};

use crate::document::Document;
use crate::fault::{CertificateFault, DocumentFault};

/// ecdsa-with-SHA384 (RFC 5758).
const ECDSA_WITH_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3");

/// id-ecPublicKey and secp384r1 (RFC 5480).
const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const SECP384R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");

/// Size of a P-384 point in its uncompressed form (SEC 1, section 2.3.3), and what that begins with.
const POINT_SIZE: usize = 97;
const UNCOMPRESSED: u8 = 4;

/// A certificate whose form is right.
struct Parsed<'d> {
    certificate: Certificate,
    /// What is signed, as it stands there.
    signed: &'d [u8],
    constraints: Option<BasicConstraints>,
    usage: Option<KeyUsage>,
}

/// Checks that the root vouches for the document at a time, seconds since the Unix epoch.
pub(crate) fn verify(document: &Document<'_>, root_sha256: &[u8; 32], at: u64) -> Result<(), DocumentFault> {
    let root = document.chain.first().copied().unwrap_or_default();
    if ring::digest::digest(&ring::digest::SHA256, root).as_ref() != root_sha256 {
        return Err(DocumentFault::RootUnknown);
    }
    let authorities = document.chain.len();
    let mut issuer: Option<Parsed<'_>> = None;
    for (place, bytes) in document.chain.iter().copied().chain([document.certificate]).enumerate() {
        let behind = authorities.checked_sub(place + 1);
        let own = Parsed::read(bytes).and_then(|own| own.check(behind, issuer.as_ref(), at));
        issuer = Some(own.map_err(|fault| DocumentFault::Certificate { place, fault })?);
    }
    let (signed, signature) = document.signed();
    let leaf = issuer.ok_or(DocumentFault::SignatureWrong)?;
    UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, leaf.key())
        .verify(&signed, signature)
        .map_err(|_| DocumentFault::SignatureWrong)
}

impl<'d> Parsed<'d> {
    fn read(bytes: &'d [u8]) -> Result<Self, CertificateFault> {
        let malformed = CertificateFault::Malformed;
        let certificate = Certificate::from_der(bytes).map_err(|_| malformed)?;
        let signed = signed_part(bytes).map_err(|_| malformed)?;
        let (constraints, usage) = extensions(certificate.tbs_certificate())?;
        let parsed = Self { certificate, signed, constraints, usage };
        parsed.check_form()?;
        Ok(parsed)
    }

    /// Checks it at its place: so many authorities are behind it, `None` for the document's own; the root is its own issuer.
    fn check(self, behind: Option<usize>, issuer: Option<&Self>, at: u64) -> Result<Self, CertificateFault> {
        self.check_time(at)?;
        match behind {
            Some(behind) => self.check_authority(behind)?,
            None => self.check_leaf()?,
        }
        self.check_issuer(issuer.unwrap_or(&self))?;
        Ok(self)
    }

    fn tbs(&self) -> &TbsCertificate {
        self.certificate.tbs_certificate()
    }

    fn key(&self) -> &[u8] {
        self.tbs().subject_public_key_info().subject_public_key.raw_bytes()
    }

    fn check_form(&self) -> Result<(), CertificateFault> {
        if self.tbs().version() != Version::V3 {
            return Err(CertificateFault::Version);
        }
        for algorithm in [self.certificate.signature_algorithm(), self.tbs().signature()] {
            if algorithm.oid != ECDSA_WITH_SHA384 || algorithm.parameters.is_some() {
                return Err(CertificateFault::Algorithm);
            }
        }
        let key = self.tbs().subject_public_key_info();
        let curve = key.algorithm.parameters.as_ref().and_then(|curve| curve.decode_as().ok());
        let bits = &key.subject_public_key;
        let is_point = bits
            .as_bytes()
            .is_some_and(|point| point.len() == POINT_SIZE && point.first() == Some(&UNCOMPRESSED));
        if key.algorithm.oid != EC_PUBLIC_KEY || curve != Some(SECP384R1) || !is_point {
            return Err(CertificateFault::Key);
        }
        Ok(())
    }

    /// From `not_before` on, and before `not_after`.
    fn check_time(&self, at: u64) -> Result<(), CertificateFault> {
        let validity = self.tbs().validity();
        let not_before = validity.not_before.to_unix_duration().as_secs();
        let not_after = validity.not_after.to_unix_duration().as_secs();
        if at < not_before {
            return Err(CertificateFault::NotYetValid { not_before });
        }
        if at >= not_after {
            return Err(CertificateFault::Expired { not_after });
        }
        Ok(())
    }

    /// It may sign certificates, with so many authorities behind it.
    fn check_authority(&self, behind: usize) -> Result<(), CertificateFault> {
        let constraints = self.constraints.as_ref().filter(|constraints| constraints.ca);
        let constraints = constraints.ok_or(CertificateFault::NotAnAuthority)?;
        if let Some(allowed) = constraints.path_len_constraint
            && behind > allowed.into()
        {
            return Err(CertificateFault::PathTooLong { allowed });
        }
        if !self.usage.as_ref().is_some_and(KeyUsage::key_cert_sign) {
            return Err(CertificateFault::KeyUsage);
        }
        Ok(())
    }

    fn check_leaf(&self) -> Result<(), CertificateFault> {
        if self.constraints.as_ref().is_some_and(|constraints| constraints.ca) {
            return Err(CertificateFault::IsAuthority);
        }
        if !self.usage.as_ref().is_some_and(KeyUsage::digital_signature) {
            return Err(CertificateFault::KeyUsage);
        }
        Ok(())
    }

    fn check_issuer(&self, issuer: &Self) -> Result<(), CertificateFault> {
        if self.tbs().issuer() != issuer.tbs().subject() {
            return Err(CertificateFault::IssuerUnexpected);
        }
        let wrong = CertificateFault::SignatureWrong;
        let signature = self.certificate.signature().as_bytes().ok_or(wrong)?;
        UnparsedPublicKey::new(&ECDSA_P384_SHA384_ASN1, issuer.key())
            .verify(self.signed, signature)
            .map_err(|_| wrong)
    }
}

/// The extensions that are read. Others may be there if they are not critical.
fn extensions(
    tbs: &TbsCertificate,
) -> Result<(Option<BasicConstraints>, Option<KeyUsage>), CertificateFault> {
    let malformed = CertificateFault::Malformed;
    let (mut constraints, mut usage) = (None, None);
    let extensions = tbs.extensions().map(Vec::as_slice).unwrap_or_default();
    for (at, extension) in extensions.iter().enumerate() {
        let before = extensions.get(..at).unwrap_or_default();
        if before.iter().any(|before| before.extn_id == extension.extn_id) {
            return Err(CertificateFault::ExtensionRepeated);
        }
        let value = extension.extn_value.as_bytes();
        match extension.extn_id {
            BASIC_CONSTRAINTS => {
                constraints = Some(BasicConstraints::from_der(value).map_err(|_| malformed)?)
            }
            KEY_USAGE => usage = Some(KeyUsage::from_der(value).map_err(|_| malformed)?),
            _ if extension.critical => return Err(CertificateFault::ExtensionUnknown),
            _ => {}
        }
    }
    Ok((constraints, usage))
}

/// The first of a certificate's three parts, with its header: what is signed.
fn signed_part(bytes: &[u8]) -> Result<&[u8], der::Error> {
    let mut reader = SliceReader::new(bytes)?;
    let outer = der::asn1::AnyRef::decode(&mut reader)?;
    if outer.tag() != Tag::Sequence {
        return Err(Tag::Sequence.value_error().into());
    }
    SliceReader::new(outer.value())?.tlv_bytes()
}
