//! Certificates written by hand, so that each rule can be broken alone.

use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _,
};

pub const ECDSA_WITH_SHA384: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03];
pub const ECDSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
pub const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
pub const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
pub const SECP384R1: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
pub const PRIME256V1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
pub const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
pub const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
/// One that nobody knows: 1.3.6.1.4.1.99999.1.
pub const UNKNOWN: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x86, 0x8d, 0x1f, 0x01];
pub const SUBJECT_KEY_ID: &[u8] = &[0x55, 0x1d, 0x0e];

pub const DIGITAL_SIGNATURE: &[u8] = &[0x03, 0x02, 0x07, 0x80];
pub const CERTIFICATE_SIGN: &[u8] = &[0x03, 0x02, 0x02, 0x04];

pub fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let size = content.len();
    let mut bytes = vec![tag];
    match size {
        0..=0x7f => bytes.push(size as u8),
        0x80..=0xff => bytes.extend([0x81, size as u8]),
        _ => bytes.extend([0x82, (size >> 8) as u8, size as u8]),
    }
    bytes.extend_from_slice(content);
    bytes
}

pub fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}

pub fn oid(bytes: &[u8]) -> Vec<u8> {
    tlv(0x06, bytes)
}

/// A key that signs in both of its forms.
pub struct Key {
    asn1: EcdsaKeyPair,
    fixed: EcdsaKeyPair,
}

impl Key {
    pub fn new() -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_ASN1_SIGNING, &random).unwrap();
        let pair = |algorithm| EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap();
        Self { asn1: pair(&ECDSA_P384_SHA384_ASN1_SIGNING), fixed: pair(&ECDSA_P384_SHA384_FIXED_SIGNING) }
    }

    pub fn point(&self) -> Vec<u8> {
        self.asn1.public_key().as_ref().to_vec()
    }

    pub fn sign_certificate(&self, bytes: &[u8]) -> Vec<u8> {
        self.asn1.sign(&SystemRandom::new(), bytes).unwrap().as_ref().to_vec()
    }

    pub fn sign_document(&self, bytes: &[u8]) -> Vec<u8> {
        self.fixed.sign(&SystemRandom::new(), bytes).unwrap().as_ref().to_vec()
    }
}

/// What stands in a certificate.
#[derive(Clone)]
pub struct Certificate {
    /// 2 is version 3; `None` leaves it out, which is version 1.
    pub version: Option<u8>,
    pub inner_algorithm: Vec<u8>,
    pub outer_algorithm: Vec<u8>,
    pub issuer: String,
    pub subject: String,
    /// YYMMDDHHMMSSZ
    pub not_before: String,
    pub not_after: String,
    pub key_algorithm: Vec<u8>,
    pub curve: Vec<u8>,
    /// In place of the key's point.
    pub point: Option<Vec<u8>>,
    /// Object identifier, critical, value.
    pub extensions: Vec<(Vec<u8>, bool, Vec<u8>)>,
    /// Flips a bit of the signature.
    pub is_forged: bool,
    /// Bytes behind it.
    pub tail: Vec<u8>,
}

impl Certificate {
    pub fn new(issuer: &str, subject: &str) -> Self {
        let algorithm = sequence(&[oid(ECDSA_WITH_SHA384)]);
        Self {
            version: Some(2),
            inner_algorithm: algorithm.clone(),
            outer_algorithm: algorithm,
            issuer: issuer.to_owned(),
            subject: subject.to_owned(),
            not_before: "260101000000Z".to_owned(),
            not_after: "260102000000Z".to_owned(),
            key_algorithm: EC_PUBLIC_KEY.to_vec(),
            curve: SECP384R1.to_vec(),
            point: None,
            extensions: Vec::new(),
            is_forged: false,
            tail: Vec::new(),
        }
    }

    pub fn authority(issuer: &str, subject: &str, path: Option<u8>) -> Self {
        let mut certificate = Self::new(issuer, subject);
        certificate.set(BASIC_CONSTRAINTS, true, constraints(true, path));
        certificate.set(KEY_USAGE, true, CERTIFICATE_SIGN.to_vec());
        certificate
    }

    pub fn leaf(issuer: &str, subject: &str) -> Self {
        let mut certificate = Self::new(issuer, subject);
        certificate.set(BASIC_CONSTRAINTS, true, constraints(false, None));
        certificate.set(KEY_USAGE, false, DIGITAL_SIGNATURE.to_vec());
        certificate
    }

    /// Puts an extension in the place of the one that is there.
    pub fn set(&mut self, id: &[u8], critical: bool, value: Vec<u8>) {
        self.remove(id);
        self.extensions.push((id.to_vec(), critical, value));
    }

    pub fn remove(&mut self, id: &[u8]) {
        self.extensions.retain(|(found, ..)| found != id);
    }

    pub fn write(&self, key: &Key, issuer: &Key) -> Vec<u8> {
        let name = |text: &str| {
            let attribute = sequence(&[oid(&[0x55, 0x04, 0x03]), tlv(0x0c, text.as_bytes())]);
            sequence(&[tlv(0x31, &attribute)])
        };
        let validity =
            sequence(&[tlv(0x17, self.not_before.as_bytes()), tlv(0x17, self.not_after.as_bytes())]);
        let point = self.point.clone().unwrap_or_else(|| key.point());
        let key_algorithm = sequence(&[oid(&self.key_algorithm), oid(&self.curve)]);
        let public = sequence(&[key_algorithm, tlv(0x03, &[&[0][..], &point].concat())]);
        let extensions = self.extensions.iter().map(|(id, critical, value)| {
            let critical = if *critical { tlv(0x01, &[0xff]) } else { Vec::new() };
            sequence(&[oid(id), critical, tlv(0x04, value)])
        });
        let extensions = sequence(&extensions.collect::<Vec<_>>());
        let tbs = sequence(&[
            self.version.map(|version| tlv(0xa0, &tlv(0x02, &[version]))).unwrap_or_default(),
            tlv(0x02, &[7]),
            self.inner_algorithm.clone(),
            name(&self.issuer),
            validity,
            name(&self.subject),
            public,
            if self.version == Some(2) { tlv(0xa3, &extensions) } else { Vec::new() },
        ]);
        let mut signature = issuer.sign_certificate(&tbs);
        if self.is_forged {
            *signature.last_mut().unwrap() ^= 1;
        }
        let signature = tlv(0x03, &[&[0][..], &signature].concat());
        [sequence(&[tbs, self.outer_algorithm.clone(), signature]), self.tail.clone()].concat()
    }
}

pub fn constraints(is_authority: bool, path: Option<u8>) -> Vec<u8> {
    let authority = if is_authority { tlv(0x01, &[0xff]) } else { Vec::new() };
    sequence(&[authority, path.map(|path| tlv(0x02, &[path])).unwrap_or_default()])
}
