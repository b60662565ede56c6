//! The document and its envelope, read strictly; nothing of it is trusted yet.
//!
//! ```text
//! [tag 18] [ {1: -35} as bytes, {}, payload as bytes, signature 96 ]          COSE_Sign1, RFC 9052 section 4.2
//! payload  { module_id, digest, timestamp, pcrs, certificate, cabundle, public_key, user_data, nonce }
//! ```
//! Sizes and types are those of "Validating attestation documents" in AWS' nsm-api (`docs/attestation_process.md`).

use crate::DocumentFault;
use crate::cbor::{Reader, write_array, write_bytes, write_text};

/// Largest document, bytes.
pub const DOCUMENT_SIZE_MAX: usize = 16 * 1024;

/// Most certificates of a chain beside the document's own. Real ones have four.
pub const CHAIN_MAX: usize = 8;

/// Size of a measurement: SHA-384.
pub const PCR_SIZE: usize = 48;

/// How many measurements there are at most.
pub const PCRS_MAX: usize = 32;

/// Size of an ES384 signature: r and s.
pub const SIGNATURE_SIZE: usize = 96;

/// The tag of COSE_Sign1.
const SIGN1: u64 = 18;

/// `{1: -35}`: the algorithm is ES384 (RFC 9053, section 2.1).
const PROTECTED: [u8; 4] = [0xa1, 0x01, 0x38, 0x22];

const CERTIFICATE_SIZE_MAX: usize = 1024;
const PUBLIC_KEY_SIZE_MAX: usize = 1024;
const USER_DATA_SIZE_MAX: usize = 512;
const NONCE_SIZE_MAX: usize = 512;

/// A document as it stands there.
#[derive(Clone, Debug)]
pub struct Document<'d> {
    /// Which machine and enclave made it.
    pub module_id: &'d str,
    /// When, milliseconds since the Unix epoch.
    pub timestamp_ms: u64,
    /// The measurements.
    pub pcrs: [Option<[u8; PCR_SIZE]>; PCRS_MAX],
    /// The certificate that signed it, DER.
    pub certificate: &'d [u8],
    /// Those that vouch for it, the root first, DER.
    pub chain: Vec<&'d [u8]>,
    /// What the enclave put in as its key.
    pub public_key: Option<&'d [u8]>,
    /// What else it put in.
    pub user_data: Option<&'d [u8]>,
    /// What it was asked with.
    pub nonce: Option<&'d [u8]>,
    payload: &'d [u8],
    signature: [u8; SIGNATURE_SIZE],
}

impl<'d> Document<'d> {
    /// Reads a document.
    ///
    /// # Errors
    /// [`DocumentFault`]: those of the encoding and of the fields.
    pub fn read(bytes: &'d [u8]) -> Result<Self, DocumentFault> {
        if bytes.len() > DOCUMENT_SIZE_MAX {
            return Err(DocumentFault::TooLong { size: bytes.len() });
        }
        let mut reader = Reader::new(bytes);
        match reader.tag()? {
            None | Some(SIGN1) => {}
            Some(found) => return Err(DocumentFault::TagUnexpected { found }),
        }
        match reader.array()? {
            4 => {}
            found => return Err(DocumentFault::NotSign1 { found }),
        }
        if reader.bytes()? != PROTECTED {
            return Err(DocumentFault::HeaderUnexpected);
        }
        if reader.map()? != 0 {
            return Err(DocumentFault::UnprotectedHeader);
        }
        let payload = reader.bytes()?;
        let signature = reader.bytes()?;
        reader.end()?;
        let found = signature.len();
        let signature = signature.try_into().map_err(|_| DocumentFault::SignatureSize { found })?;
        Fields::read(payload)?.document(payload, signature)
    }

    /// The bytes that are signed (RFC 9052, section 4.4), and the signature.
    pub(crate) fn signed(&self) -> (Vec<u8>, &[u8; SIGNATURE_SIZE]) {
        let mut signed = Vec::with_capacity(self.payload.len() + 32);
        write_array(4, &mut signed);
        write_text("Signature1", &mut signed);
        write_bytes(&PROTECTED, &mut signed);
        write_bytes(&[], &mut signed);
        write_bytes(self.payload, &mut signed);
        (signed, &self.signature)
    }

    /// A measurement.
    #[must_use]
    pub fn pcr(&self, index: usize) -> Option<&[u8; PCR_SIZE]> {
        self.pcrs.get(index)?.as_ref()
    }
}

/// The payload's fields as far as they were read. An optional one is `Some(None)` where it is null.
#[derive(Debug, Default)]
struct Fields<'d> {
    module_id: Option<&'d str>,
    digest: Option<&'d str>,
    timestamp_ms: Option<u64>,
    pcrs: Option<[Option<[u8; PCR_SIZE]>; PCRS_MAX]>,
    certificate: Option<&'d [u8]>,
    chain: Option<Vec<&'d [u8]>>,
    public_key: Option<Option<&'d [u8]>>,
    user_data: Option<Option<&'d [u8]>>,
    nonce: Option<Option<&'d [u8]>>,
}

impl<'d> Fields<'d> {
    fn read(payload: &'d [u8]) -> Result<Self, DocumentFault> {
        let mut reader = Reader::new(payload);
        let mut fields = Self::default();
        for _ in 0..reader.map()? {
            match reader.text()? {
                "module_id" => once("module_id", &mut fields.module_id, reader.text()?)?,
                "digest" => once("digest", &mut fields.digest, reader.text()?)?,
                "timestamp" => once("timestamp", &mut fields.timestamp_ms, reader.unsigned()?)?,
                "pcrs" => once("pcrs", &mut fields.pcrs, pcrs(&mut reader)?)?,
                "certificate" => once("certificate", &mut fields.certificate, certificate(&mut reader)?)?,
                "cabundle" => once("cabundle", &mut fields.chain, chain(&mut reader)?)?,
                "public_key" => once("public_key", &mut fields.public_key, reader.bytes_or_null()?)?,
                "user_data" => once("user_data", &mut fields.user_data, reader.bytes_or_null()?)?,
                "nonce" => once("nonce", &mut fields.nonce, reader.bytes_or_null()?)?,
                _ => return Err(DocumentFault::FieldUnknown),
            }
        }
        reader.end()?;
        Ok(fields)
    }

    fn document(
        self,
        payload: &'d [u8],
        signature: [u8; SIGNATURE_SIZE],
    ) -> Result<Document<'d>, DocumentFault> {
        let missing = |name| DocumentFault::FieldMissing { name };
        let module_id = self.module_id.ok_or(missing("module_id"))?;
        if module_id.is_empty() {
            return Err(DocumentFault::FieldSize { name: "module_id", found: 0 });
        }
        if self.digest.ok_or(missing("digest"))? != "SHA384" {
            return Err(DocumentFault::DigestUnexpected);
        }
        let timestamp_ms = self.timestamp_ms.ok_or(missing("timestamp"))?;
        if timestamp_ms == 0 {
            return Err(DocumentFault::TimestampZero);
        }
        // Those that are null may be left out as well.
        let public_key = sized("public_key", self.public_key.flatten(), 1, PUBLIC_KEY_SIZE_MAX)?;
        let user_data = sized("user_data", self.user_data.flatten(), 0, USER_DATA_SIZE_MAX)?;
        let nonce = sized("nonce", self.nonce.flatten(), 0, NONCE_SIZE_MAX)?;
        Ok(Document {
            module_id,
            timestamp_ms,
            pcrs: self.pcrs.ok_or(missing("pcrs"))?,
            certificate: self.certificate.ok_or(missing("certificate"))?,
            chain: self.chain.ok_or(missing("cabundle"))?,
            public_key,
            user_data,
            nonce,
            payload,
            signature,
        })
    }
}

fn once<T>(name: &'static str, place: &mut Option<T>, value: T) -> Result<(), DocumentFault> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(DocumentFault::FieldRepeated { name }),
    }
}

fn sized<'d>(
    name: &'static str,
    bytes: Option<&'d [u8]>,
    size_min: usize,
    size_max: usize,
) -> Result<Option<&'d [u8]>, DocumentFault> {
    match bytes {
        Some(bytes) if bytes.len() < size_min || bytes.len() > size_max => {
            Err(DocumentFault::FieldSize { name, found: bytes.len() })
        }
        bytes => Ok(bytes),
    }
}

fn certificate<'d>(reader: &mut Reader<'d>) -> Result<&'d [u8], DocumentFault> {
    let bytes = reader.bytes()?;
    Ok(sized("certificate", Some(bytes), 1, CERTIFICATE_SIZE_MAX)?.unwrap_or_default())
}

fn chain<'d>(reader: &mut Reader<'d>) -> Result<Vec<&'d [u8]>, DocumentFault> {
    let found = reader.array()?;
    if found == 0 || found > CHAIN_MAX as u64 {
        return Err(DocumentFault::ChainLength { found });
    }
    (0..found)
        .map(|_| {
            let bytes = reader.bytes()?;
            Ok(sized("cabundle", Some(bytes), 1, CERTIFICATE_SIZE_MAX)?.unwrap_or_default())
        })
        .collect()
}

fn pcrs(reader: &mut Reader<'_>) -> Result<[Option<[u8; PCR_SIZE]>; PCRS_MAX], DocumentFault> {
    let mut pcrs = [None; PCRS_MAX];
    let count = reader.map()?;
    if count == 0 || count > PCRS_MAX as u64 {
        return Err(DocumentFault::PcrCount { found: count });
    }
    for _ in 0..count {
        let index = reader.unsigned()?;
        let place = usize::try_from(index).ok().and_then(|index| pcrs.get_mut(index));
        let place = place.ok_or(DocumentFault::PcrIndex { found: index })?;
        let value = reader.bytes()?;
        let found = value.len();
        let value = value.try_into().map_err(|_| DocumentFault::PcrSize { index, found })?;
        if place.replace(value).is_some() {
            return Err(DocumentFault::PcrRepeated { index });
        }
    }
    Ok(pcrs)
}
