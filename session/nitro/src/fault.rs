//! Why a document is not good enough: one reason a rule.

use core::fmt;

/// Which certificate of the chain: 0 is the root, the last one the document's own.
pub type Place = usize;

/// The rule that a document breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFault {
    // ---- encoding (RFC 8949, RFC 9052) ----
    /// It is longer than [`crate::DOCUMENT_SIZE_MAX`].
    TooLong {
        /// bytes
        size: usize,
    },
    /// It ends inside an item.
    Truncated,
    /// Bytes follow the last item.
    TrailingBytes {
        /// how many
        size: usize,
    },
    /// An item has another major type than belongs there.
    TypeUnexpected {
        /// the one that belongs there
        expected: u8,
        /// the one that is there
        found: u8,
    },
    /// An item says its end at its end.
    LengthIndefinite,
    /// A number or a length is not in its shortest form.
    NumberNotShortest,
    /// An item's first byte is reserved.
    HeadReserved,
    /// A text is not UTF-8.
    TextNotUtf8,
    /// The tag is another than COSE_Sign1's (18).
    TagUnexpected {
        /// the tag
        found: u64,
    },
    /// It is no array of four: not a COSE_Sign1.
    NotSign1 {
        /// items
        found: u64,
    },
    /// The protected header is another than exactly `{1: -35}`: ES384.
    HeaderUnexpected,
    /// The unprotected header is not empty.
    UnprotectedHeader,
    /// The signature has another size than 96 bytes.
    SignatureSize {
        /// bytes
        found: usize,
    },

    // ---- the document's fields (AWS, "Validating attestation documents") ----
    /// A field that no document has.
    FieldUnknown,
    /// A field is there twice.
    FieldRepeated {
        /// its name
        name: &'static str,
    },
    /// A field is missing.
    FieldMissing {
        /// its name
        name: &'static str,
    },
    /// A field has a size that it may not have.
    FieldSize {
        /// its name
        name: &'static str,
        /// bytes
        found: usize,
    },
    /// The digest is another than SHA384.
    DigestUnexpected,
    /// The timestamp is zero.
    TimestampZero,
    /// There are no measurements, or more than 32.
    PcrCount {
        /// how many
        found: u64,
    },
    /// A measurement's index is above 31.
    PcrIndex {
        /// the index
        found: u64,
    },
    /// A measurement is there twice.
    PcrRepeated {
        /// its index
        index: u64,
    },
    /// A measurement has another size than 48 bytes.
    PcrSize {
        /// its index
        index: u64,
        /// bytes
        found: usize,
    },
    /// The chain is empty, or longer than [`crate::CHAIN_MAX`].
    ChainLength {
        /// certificates
        found: u64,
    },

    // ---- the chain of certificates (RFC 5280) ----
    /// The chain does not begin with the root that is trusted.
    RootUnknown,
    /// A certificate breaks a rule.
    Certificate {
        /// which one
        place: Place,
        /// the rule
        fault: CertificateFault,
    },
    /// The document's signature is not by its certificate.
    SignatureWrong,

    // ---- what the document says ----
    /// PCR0 is zero: the enclave runs in debug mode, and whoever runs it reads its memory.
    Debug,
    /// The image is none of those that are allowed.
    MeasurementUnexpected,
    /// It does not speak of a Portcullis vault: user data of another form.
    UserDataUnexpected,
    /// It names no session key of 32 bytes.
    SessionKeyMissing,
    /// It answers no challenge of 32 bytes.
    ChallengeMissing,
}

/// The rule that a certificate breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateFault {
    /// It is no certificate, or not in the one form that DER has.
    Malformed,
    /// It is not of version 3.
    Version,
    /// It is signed with another algorithm than ECDSA with SHA-384, or names two.
    Algorithm,
    /// Its key is not on P-384.
    Key,
    /// It names another issuer than the one before it.
    IssuerUnexpected,
    /// It is not valid yet.
    NotYetValid {
        /// from when on, seconds since the Unix epoch
        not_before: u64,
    },
    /// It is valid no more.
    Expired {
        /// since when, seconds since the Unix epoch
        not_after: u64,
    },
    /// It signs another one and is no authority.
    NotAnAuthority,
    /// It is the document's own, and an authority.
    IsAuthority,
    /// More authorities follow than it allows.
    PathTooLong {
        /// how many it allows
        allowed: u8,
    },
    /// It may not be used for what it is used for, or does not say.
    KeyUsage,
    /// A critical extension that nobody here knows.
    ExtensionUnknown,
    /// An extension is there twice.
    ExtensionRepeated,
    /// Its signature is not by the one before it.
    SignatureWrong,
}

impl CertificateFault {
    /// A word for programs; it does not change.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "certificate-malformed",
            Self::Version => "certificate-version",
            Self::Algorithm => "certificate-algorithm",
            Self::Key => "certificate-key",
            Self::IssuerUnexpected => "certificate-issuer",
            Self::NotYetValid { .. } => "certificate-not-yet-valid",
            Self::Expired { .. } => "certificate-expired",
            Self::NotAnAuthority => "certificate-not-an-authority",
            Self::IsAuthority => "certificate-is-authority",
            Self::PathTooLong { .. } => "certificate-path-too-long",
            Self::KeyUsage => "certificate-key-usage",
            Self::ExtensionUnknown => "certificate-extension-unknown",
            Self::ExtensionRepeated => "certificate-extension-repeated",
            Self::SignatureWrong => "certificate-signature",
        }
    }
}

impl DocumentFault {
    /// A word for programs; it does not change.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooLong { .. } => "too-long",
            Self::Truncated => "truncated",
            Self::TrailingBytes { .. } => "trailing-bytes",
            Self::TypeUnexpected { .. } => "type-unexpected",
            Self::LengthIndefinite => "length-indefinite",
            Self::NumberNotShortest => "number-not-shortest",
            Self::HeadReserved => "head-reserved",
            Self::TextNotUtf8 => "text-not-utf8",
            Self::TagUnexpected { .. } => "tag-unexpected",
            Self::NotSign1 { .. } => "not-sign1",
            Self::HeaderUnexpected => "header-unexpected",
            Self::UnprotectedHeader => "unprotected-header",
            Self::SignatureSize { .. } => "signature-size",
            Self::FieldUnknown => "field-unknown",
            Self::FieldRepeated { .. } => "field-repeated",
            Self::FieldMissing { .. } => "field-missing",
            Self::FieldSize { .. } => "field-size",
            Self::DigestUnexpected => "digest-unexpected",
            Self::TimestampZero => "timestamp-zero",
            Self::PcrCount { .. } => "pcr-count",
            Self::PcrIndex { .. } => "pcr-index",
            Self::PcrRepeated { .. } => "pcr-repeated",
            Self::PcrSize { .. } => "pcr-size",
            Self::ChainLength { .. } => "chain-length",
            Self::RootUnknown => "root-unknown",
            Self::Certificate { fault, .. } => fault.name(),
            Self::SignatureWrong => "signature-wrong",
            Self::Debug => "debug",
            Self::MeasurementUnexpected => "measurement-unexpected",
            Self::UserDataUnexpected => "user-data-unexpected",
            Self::SessionKeyMissing => "session-key-missing",
            Self::ChallengeMissing => "challenge-missing",
        }
    }
}

impl fmt::Display for DocumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match *self {
            Self::TooLong { size } => write!(f, ": {size} bytes, at most {}", crate::DOCUMENT_SIZE_MAX),
            Self::TrailingBytes { size } => write!(f, ": {size}"),
            Self::TypeUnexpected { expected, found } => write!(f, ": major type {found}, not {expected}"),
            Self::TagUnexpected { found } => write!(f, ": {found}, not 18"),
            Self::NotSign1 { found } => write!(f, ": {found} items, not 4"),
            Self::SignatureSize { found } => write!(f, ": {found} bytes, not 96"),
            Self::FieldRepeated { name } | Self::FieldMissing { name } => write!(f, ": {name}"),
            Self::FieldSize { name, found } => write!(f, ": {name} of {found} bytes"),
            Self::PcrCount { found } => write!(f, ": {found}, not 1 to 32"),
            Self::PcrIndex { found } => write!(f, ": {found}, at most 31"),
            Self::PcrRepeated { index } => write!(f, ": {index}"),
            Self::PcrSize { index, found } => write!(f, ": {found} bytes at index {index}, not 48"),
            Self::ChainLength { found } => write!(f, ": {found}, not 1 to {}", crate::CHAIN_MAX),
            Self::Certificate { place, fault } => write!(f, " of certificate {place}{}", Detail(fault)),
            Self::Debug => f.write_str(": PCR0 is zero, the enclave's memory can be read from outside"),
            Self::MeasurementUnexpected => f.write_str(": the image is none of those that are allowed"),
            Self::Truncated
            | Self::LengthIndefinite
            | Self::NumberNotShortest
            | Self::HeadReserved
            | Self::TextNotUtf8
            | Self::HeaderUnexpected
            | Self::UnprotectedHeader
            | Self::FieldUnknown
            | Self::DigestUnexpected
            | Self::TimestampZero
            | Self::RootUnknown
            | Self::SignatureWrong
            | Self::UserDataUnexpected
            | Self::SessionKeyMissing
            | Self::ChallengeMissing => Ok(()),
        }
    }
}

/// What there is to say beside the name.
struct Detail(CertificateFault);

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            CertificateFault::NotYetValid { not_before } => write!(f, ": from {not_before} s on"),
            CertificateFault::Expired { not_after } => write!(f, ": since {not_after} s"),
            CertificateFault::PathTooLong { allowed } => write!(f, ": {allowed} allowed"),
            CertificateFault::Malformed
            | CertificateFault::Version
            | CertificateFault::Algorithm
            | CertificateFault::Key
            | CertificateFault::IssuerUnexpected
            | CertificateFault::NotAnAuthority
            | CertificateFault::IsAuthority
            | CertificateFault::KeyUsage
            | CertificateFault::ExtensionUnknown
            | CertificateFault::ExtensionRepeated
            | CertificateFault::SignatureWrong => Ok(()),
        }
    }
}

impl core::error::Error for DocumentFault {}
