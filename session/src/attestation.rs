//! Who is on the other side: attestation documents, the roots that vouch for them, and what a client insists on.
//!
//! The vault's side is [`Attest`]. The client's is a [`Root`], which turns a document into what it says if it is
//! genuine, and a [`Pin`], which turns that into [`Pinned`] claims if they are the ones wanted. Only those start
//! a handshake.
//!
//! The development root's document:
//!
//! ```text
//!   0  "portcullis development document v1"  [34]
//!  34  claims                                [152]
//! 186  signature                             [64]  Ed25519 over all of the above
//! ```
//! Its signing key is derived from a public label, so **everybody can sign such documents: it proves nothing**.
//! The attestor that does is in a package of its own, `session-dev`, which no image may link.

use core::fmt;

use ed25519_dalek::{Signature, VerifyingKey};
use wire::codec::CodecFault;
use wire::session::{CLAIMS_SIZE, Claims, NONCE_SIZE, SIGNATURE_SIZE};

use crate::keys::PublicKey;

/// How far a document's time may lie ahead of the client's clock.
pub const AHEAD_MS_MAX: u64 = 5_000;

/// What a development document begins with.
pub const DEVELOPMENT_DOMAIN: &[u8; 34] = b"portcullis development document v1";

/// Bytes of a development document that are signed.
pub const DEVELOPMENT_SIGNED_SIZE: usize = DEVELOPMENT_DOMAIN.len() + CLAIMS_SIZE;

/// Size of a development document.
pub const DEVELOPMENT_DOCUMENT_SIZE: usize = DEVELOPMENT_SIGNED_SIZE + SIGNATURE_SIZE;

/// The development root's key: of the seed SHA-256("portcullis development root: everybody has this key").
pub const DEVELOPMENT_ROOT_KEY: [u8; 32] = [
    0x3b, 0xc6, 0xe3, 0xf4, 0xff, 0x1f, 0x95, 0x0a, 0x1d, 0xfd, 0x5a, 0x0d, 0x1f, 0xff, 0x2e, 0x7c, 0x60,
    0x51, 0xaa, 0xdb, 0x62, 0x92, 0x55, 0x89, 0xc4, 0x43, 0x44, 0xbc, 0xf8, 0xa9, 0x9a, 0x8f,
];

/// The vault's side: makes attestation documents.
pub trait Attest {
    /// Writes a document that says `claims` and returns its size, at most [`wire::session::DOCUMENT_SIZE_MAX`].
    ///
    /// # Errors
    /// [`NotAttested`]; nobody is let in then.
    fn attest(&mut self, claims: &Claims, into: &mut [u8]) -> Result<usize, NotAttested>;
}

/// No document could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAttested {
    /// It does not fit the buffer.
    DoesNotFit,
    /// The security module gave none.
    Unavailable,
}

/// The client's side: whoever vouches for documents.
pub trait Root {
    /// What a document says, if this root vouches for it at `now_ms`, milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Distrust::DocumentMalformed`], [`Distrust::RootUnknown`], [`Distrust::DocumentRefused`].
    fn verify(&self, document: &[u8], now_ms: u64) -> Result<Claims, Distrust>;
}

/// Why a document is not good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distrust {
    /// The bytes are no document of this root's kind.
    DocumentMalformed,
    /// The root does not vouch for it.
    RootUnknown,
    /// It breaks a rule of its kind.
    DocumentRefused {
        /// the rule's name
        rule: &'static str,
    },
    /// It is for another book.
    PolicyUnexpected {
        /// the book's hash in the document
        found: [u8; 32],
    },
    /// It is of another boot than the one wanted.
    BootUnexpected {
        /// the boot in the document
        found: [u8; 16],
    },
    /// Its session key is another than the one wanted, or no canonical key.
    SessionKeyUnexpected,
    /// It answers another hello.
    NonceUnexpected,
    /// It is older than the pin allows.
    Stale {
        /// its age in milliseconds
        age_ms: u64,
        /// the most
        age_ms_max: u64,
    },
    /// It was made in the future, by more than [`AHEAD_MS_MAX`]: one of the clocks is wrong.
    FromTheFuture {
        /// how far ahead, in milliseconds
        ahead_ms: u64,
    },
}

/// What a client insists on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The book, by its hash; never left out.
    pub policy_hash: [u8; 32],
    /// How old a document may be, in milliseconds.
    pub age_ms_max: u64,
    /// The hello it must answer; `None` takes a document that was made for somebody else, or for nobody,
    /// within [`Pin::age_ms_max`].
    pub nonce: Option<[u8; NONCE_SIZE]>,
    /// The boot, for whoever wants to go on where it was.
    pub boot_id: Option<[u8; 16]>,
    /// The vault's static key, for whoever knows it.
    pub session_key: Option<PublicKey>,
}

/// Claims that a root vouched for and a pin let through; [`Pin::check`] is their only source.
///
/// ```compile_fail,E0451
/// fn made_up(claims: wire::session::Claims, session_key: session::PublicKey) -> session::attestation::Pinned {
///     session::attestation::Pinned { claims, session_key }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinned {
    claims: Claims,
    session_key: PublicKey,
}

impl Pin {
    /// A pin on the book alone, for documents of at most `age_ms_max` milliseconds.
    #[must_use]
    pub const fn new(policy_hash: [u8; 32], age_ms_max: u64) -> Self {
        Self { policy_hash, age_ms_max, nonce: None, boot_id: None, session_key: None }
    }

    /// Checks a document at `now_ms` milliseconds since the Unix epoch, by the client's clock.
    ///
    /// # Errors
    /// [`Distrust`].
    pub fn check(
        &self,
        root: &(impl Root + ?Sized),
        document: &[u8],
        now_ms: u64,
    ) -> Result<Pinned, Distrust> {
        let claims = root.verify(document, now_ms)?;
        if claims.policy_hash != self.policy_hash {
            return Err(Distrust::PolicyUnexpected { found: claims.policy_hash });
        }
        if self.boot_id.is_some_and(|wanted| wanted != claims.boot_id) {
            return Err(Distrust::BootUnexpected { found: claims.boot_id });
        }
        let session_key = PublicKey::from_bytes(claims.session_key).ok_or(Distrust::SessionKeyUnexpected)?;
        if self.session_key.is_some_and(|wanted| wanted != session_key) {
            return Err(Distrust::SessionKeyUnexpected);
        }
        if self.nonce.is_some_and(|wanted| wanted != claims.challenge) {
            return Err(Distrust::NonceUnexpected);
        }
        let age_ms = now_ms.saturating_sub(claims.wall_ms);
        if age_ms > self.age_ms_max {
            return Err(Distrust::Stale { age_ms, age_ms_max: self.age_ms_max });
        }
        let ahead_ms = claims.wall_ms.saturating_sub(now_ms);
        if ahead_ms > AHEAD_MS_MAX {
            return Err(Distrust::FromTheFuture { ahead_ms });
        }
        Ok(Pinned { claims, session_key })
    }
}

impl Pinned {
    /// The claims.
    #[must_use]
    pub const fn claims(&self) -> &Claims {
        &self.claims
    }

    /// The vault's static key.
    #[must_use]
    pub const fn session_key(&self) -> PublicKey {
        self.session_key
    }
}

/// The root of development vaults. Everybody can sign its documents: it proves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct DevelopmentRoot;

impl Root for DevelopmentRoot {
    fn verify(&self, document: &[u8], _now_ms: u64) -> Result<Claims, Distrust> {
        let document: &[u8; DEVELOPMENT_DOCUMENT_SIZE] =
            document.try_into().map_err(|_| Distrust::DocumentMalformed)?;
        let (signed, signature) =
            document.split_last_chunk::<SIGNATURE_SIZE>().ok_or(Distrust::DocumentMalformed)?;
        let claims = signed.strip_prefix(DEVELOPMENT_DOMAIN).ok_or(Distrust::DocumentMalformed)?;
        VerifyingKey::from_bytes(&DEVELOPMENT_ROOT_KEY)
            .and_then(|key| key.verify_strict(signed, &Signature::from_bytes(signature)))
            .map_err(|_| Distrust::RootUnknown)?;
        Claims::read(claims).map_err(|_| Distrust::DocumentMalformed)
    }
}

/// The bytes of a development document that are signed.
///
/// # Errors
/// [`CodecFault`]; none, as long as the sizes are right.
pub fn development_document(claims: &Claims) -> Result<[u8; DEVELOPMENT_SIGNED_SIZE], CodecFault> {
    let mut bytes = [0; DEVELOPMENT_SIGNED_SIZE];
    let claims = claims.write()?;
    for (into, from) in bytes.iter_mut().zip(DEVELOPMENT_DOMAIN.iter().chain(&claims)) {
        *into = *from;
    }
    Ok(bytes)
}

impl fmt::Display for Distrust {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DocumentMalformed => formatter.write_str("not an attestation document"),
            Self::RootUnknown => formatter.write_str("the attestation document is not by the trusted root"),
            Self::DocumentRefused { rule } => {
                write!(formatter, "the attestation document is refused: {rule}")
            }
            Self::PolicyUnexpected { found } => {
                formatter.write_str("the vault runs another book: ")?;
                found.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
            }
            Self::BootUnexpected { .. } => formatter.write_str("the vault has booted anew"),
            Self::SessionKeyUnexpected => {
                formatter.write_str("the vault's session key is not the expected one")
            }
            Self::NonceUnexpected => formatter.write_str("the attestation document answers another hello"),
            Self::Stale { age_ms, age_ms_max } => {
                write!(
                    formatter,
                    "the attestation document is {age_ms} ms old, at most {age_ms_max} are allowed"
                )
            }
            Self::FromTheFuture { ahead_ms } => {
                write!(formatter, "the attestation document was made {ahead_ms} ms from now")
            }
        }
    }
}

impl core::error::Error for Distrust {}

impl fmt::Display for NotAttested {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::DoesNotFit => "the attestation document does not fit",
            Self::Unavailable => "the security module gives no attestation document",
        })
    }
}

impl core::error::Error for NotAttested {}
