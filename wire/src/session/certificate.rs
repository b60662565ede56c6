use bincode::{BorrowDecode, Encode};

use crate::codec::{self, CodecFault};

/// Longest desk, role or client name in a certificate, in bytes; as in a book.
pub const CERTIFICATE_NAME_SIZE_MAX: usize = 32;

/// Longest time between a certificate's two ends: 30 days.
pub const CERTIFICATE_MS_MAX: u64 = 30 * 24 * 60 * 60 * 1000;

/// Size of an Ed25519 signature (RFC 8032).
pub const SIGNATURE_SIZE: usize = 64;

/// What the signed bytes begin with.
pub const CERTIFICATE_DOMAIN: &[u8; 32] = b"portcullis client certificate v1";

/// Bytes of a certificate beside its names and signature.
const FIXED_SIZE: usize = 1 + 3 * 8 + 32 + 3 * 8 + 32;

/// Largest certificate without its signature.
const UNSIGNED_SIZE_MAX: usize = FIXED_SIZE + 3 * CERTIFICATE_NAME_SIZE_MAX;

/// Largest certificate.
pub const CERTIFICATE_SIZE_MAX: usize = UNSIGNED_SIZE_MAX + SIGNATURE_SIZE;

/// Largest message that is signed.
pub const CERTIFICATE_MESSAGE_SIZE_MAX: usize = CERTIFICATE_DOMAIN.len() + UNSIGNED_SIZE_MAX;

/// The only version of the layout.
const VERSION: u8 = 1;

/// An operator's word that the holder of a key is a client in a role.
///
/// ```text
/// version        u8    = 1
/// desk           u64 size (1 to 32), characters of a-z, 0-9 and "-"
/// role           u64 size (1 to 32), characters of a-z, 0-9 and "-"
/// client         u64 size (1 to 32), characters of a-z, 0-9 and "-"
/// client key     [32]  X25519
/// serial         u64
/// not before ms  u64   since the Unix epoch, inclusive
/// not after ms   u64   since the Unix epoch, exclusive
/// operator       [32]  Ed25519
/// signature      [64]  Ed25519 over "portcullis client certificate v1" ‖ all of the above
/// ```
/// All integers are little-endian. There is one way to write a certificate: what was read is written again
/// and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certificate<'c> {
    /// The desk in whose book the role stands.
    pub desk: &'c str,
    /// The role that says what the client may.
    pub role: &'c str,
    /// The client's name in receipts and logs.
    pub client: &'c str,
    /// The client's static key (X25519).
    pub client_key: [u8; 32],
    /// The operator's own number for it.
    pub serial: u64,
    /// From when on it is good, milliseconds since the Unix epoch.
    pub not_before_ms: u64,
    /// From when on it is good no more, milliseconds since the Unix epoch.
    pub not_after_ms: u64,
    /// Who signs it (Ed25519).
    pub operator_key: [u8; 32],
}

/// The certificate as the codec sees it.
#[derive(Encode, BorrowDecode)]
struct Encoded<'c> {
    version: u8,
    desk: &'c str,
    role: &'c str,
    client: &'c str,
    client_key: [u8; 32],
    serial: u64,
    not_before_ms: u64,
    not_after_ms: u64,
    operator_key: [u8; 32],
}

/// The bytes an operator signs.
#[derive(Clone, Copy, Debug)]
pub struct CertificateMessage {
    bytes: [u8; CERTIFICATE_MESSAGE_SIZE_MAX],
    size: usize,
}

/// A certificate and its signature, which nobody has checked yet.
#[derive(Clone, Copy, Debug)]
pub struct SignedCertificate<'c> {
    /// What it says.
    pub certificate: Certificate<'c>,
    /// What was signed, if the signature is good.
    pub message: CertificateMessage,
    /// The signature.
    pub signature: [u8; SIGNATURE_SIZE],
}

impl Certificate<'_> {
    /// The domain and the canonical bytes: what is signed.
    ///
    /// # Errors
    /// [`CodecFault::DoesNotFit`] for a name of no or more than 32 bytes, [`CodecFault::NotAValue`] for one
    /// with another character than a-z, 0-9 and "-".
    pub fn message(&self) -> Result<CertificateMessage, CodecFault> {
        for name in [self.desk, self.role, self.client] {
            if name.is_empty() || name.len() > CERTIFICATE_NAME_SIZE_MAX {
                return Err(CodecFault::DoesNotFit);
            }
            if !name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')) {
                return Err(CodecFault::NotAValue);
            }
        }
        let mut bytes = [0; CERTIFICATE_MESSAGE_SIZE_MAX];
        let (domain, rest) =
            bytes.split_first_chunk_mut::<{ CERTIFICATE_DOMAIN.len() }>().ok_or(CodecFault::DoesNotFit)?;
        *domain = *CERTIFICATE_DOMAIN;
        let size = CERTIFICATE_DOMAIN.len() + codec::encode(self.encoded(), rest)?;
        Ok(CertificateMessage { bytes, size })
    }

    fn encoded(&self) -> Encoded<'_> {
        Encoded {
            version: VERSION,
            desk: self.desk,
            role: self.role,
            client: self.client,
            client_key: self.client_key,
            serial: self.serial,
            not_before_ms: self.not_before_ms,
            not_after_ms: self.not_after_ms,
            operator_key: self.operator_key,
        }
    }
}

impl CertificateMessage {
    /// The signed bytes, domain included.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or_default()
    }

    /// Writes the certificate's own bytes and `signature` at the start of `into` and returns their size.
    ///
    /// # Errors
    /// [`CodecFault::DoesNotFit`].
    pub fn write_signed(
        &self,
        signature: &[u8; SIGNATURE_SIZE],
        into: &mut [u8],
    ) -> Result<usize, CodecFault> {
        let unsigned = self.unsigned();
        let size = unsigned.len() + SIGNATURE_SIZE;
        let into = into.get_mut(..size).ok_or(CodecFault::DoesNotFit)?;
        let (front, back) = into.split_at_mut_checked(unsigned.len()).ok_or(CodecFault::DoesNotFit)?;
        front.copy_from_slice(unsigned);
        back.copy_from_slice(signature);
        Ok(size)
    }

    fn unsigned(&self) -> &[u8] {
        self.as_bytes().get(CERTIFICATE_DOMAIN.len()..).unwrap_or_default()
    }
}

impl<'c> SignedCertificate<'c> {
    /// Reads a certificate that takes up all of `bytes`. Its signature is not checked here.
    ///
    /// # Errors
    /// [`CodecFault`] for bytes that are no certificate or not the one way to write it.
    pub fn read(bytes: &'c [u8]) -> Result<Self, CodecFault> {
        let (unsigned, signature) =
            bytes.split_last_chunk::<SIGNATURE_SIZE>().ok_or(CodecFault::NotAValue)?;
        if unsigned.len() > UNSIGNED_SIZE_MAX {
            return Err(CodecFault::NotAValue);
        }
        let read: Encoded<'c> = codec::decode(unsigned)?;
        if read.version != VERSION {
            return Err(CodecFault::NotAValue);
        }
        let certificate = Certificate {
            desk: read.desk,
            role: read.role,
            client: read.client,
            client_key: read.client_key,
            serial: read.serial,
            not_before_ms: read.not_before_ms,
            not_after_ms: read.not_after_ms,
            operator_key: read.operator_key,
        };
        let message = certificate.message()?;
        if message.unsigned() != unsigned {
            return Err(CodecFault::NotAValue);
        }
        Ok(Self { certificate, message, signature: *signature })
    }
}
