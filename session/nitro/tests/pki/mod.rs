//! Documents by a root of the tests' own, with everything that can be wrong with one.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation
)]

pub mod der;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use der::{Certificate, Key};
use session_nitro::{At, DocumentFault, Image, Measurements, NitroRoot, user_data};
use wire::session::Claims;

/// 2026-01-01 12:00:00 UTC, in the middle of all certificates.
pub const NOW_MS: u64 = 1_767_268_800_000;

pub const PCRS: [[u8; 48]; 3] = [[1; 48], [2; 48], [3; 48]];

pub const CLAIMS: Claims = Claims {
    policy_hash: [4; 32],
    boot_id: [5; 16],
    session_key: [6; 32],
    receipt_key: [7; 32],
    challenge: [8; 32],
    wall_ms: NOW_MS,
};

/// Keys of the root, three authorities and the leaf; and a stranger's.
static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| (0..6).map(|_| Key::new()).collect());
pub const STRANGER: usize = 5;

/// A document before it is written. Whatever a test changes, it is signed as it is then.
#[derive(Clone)]
pub struct Draft {
    /// The root first, the document's own last.
    pub certificates: Vec<Certificate>,
    /// Who signs each of them.
    pub issuers: Vec<usize>,
    /// Written before the envelope.
    pub before: Vec<u8>,
    pub envelope: Vec<u8>,
    pub protected: Vec<u8>,
    pub unprotected: Vec<u8>,
    /// Name and value of the payload's fields, both as CBOR; `certificate` and `cabundle` are made when it is written.
    pub fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// In place of the payload's head.
    pub payload_head: Option<Vec<u8>>,
    pub payload_tail: Vec<u8>,
    /// In place of the real signature.
    pub signature: Option<Vec<u8>>,
    pub signer: usize,
    pub after: Vec<u8>,
    pub at: At,
    pub is_root_another: bool,
}

pub fn head(major: u8, argument: u64) -> Vec<u8> {
    let major = major << 5;
    match argument {
        0..=23 => vec![major | argument as u8],
        24..=0xff => vec![major | 24, argument as u8],
        0x100..=0xffff => [&[major | 25][..], &(argument as u16).to_be_bytes()].concat(),
        0x1_0000..=0xffff_ffff => [&[major | 26][..], &(argument as u32).to_be_bytes()].concat(),
        _ => [&[major | 27][..], &argument.to_be_bytes()].concat(),
    }
}

pub fn bytes(content: &[u8]) -> Vec<u8> {
    [head(2, content.len() as u64), content.to_vec()].concat()
}

pub fn text(content: &str) -> Vec<u8> {
    [head(3, content.len() as u64), content.as_bytes().to_vec()].concat()
}

pub fn map(pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let pairs_written = pairs.iter().flat_map(|(key, value)| [key.clone(), value.clone()].concat());
    head(5, pairs.len() as u64).into_iter().chain(pairs_written).collect()
}

pub fn pcrs(values: &[(u64, Vec<u8>)]) -> Vec<u8> {
    map(&values.iter().map(|(index, value)| (head(0, *index), bytes(value))).collect::<Vec<_>>())
}

/// Sixteen measurements; those above 2 are zero, as in real documents.
pub fn sixteen() -> Vec<(u64, Vec<u8>)> {
    (0..16)
        .map(|index: u64| (index, PCRS.get(index as usize).map_or(vec![0; 48], |pcr| pcr.to_vec())))
        .collect()
}

impl Draft {
    pub fn new() -> Self {
        let names = ["root", "region", "zone", "machine"];
        let mut certificates = vec![Certificate::authority("root", "root", None)];
        for (at, path) in [(1, 2), (2, 1), (3, 0)] {
            certificates.push(Certificate::authority(names[at - 1], names[at], Some(path)));
        }
        certificates.push(Certificate::leaf("machine", "enclave"));
        let field = |name, value| (text(name), value);
        Self {
            certificates,
            issuers: vec![0, 0, 1, 2, 3],
            before: Vec::new(),
            envelope: head(4, 4),
            protected: bytes(&[0xa1, 0x01, 0x38, 0x22]),
            unprotected: head(5, 0),
            fields: vec![
                field("module_id", text("i-0123456789abcdef0-enc0123456789abcdef")),
                field("digest", text("SHA384")),
                field("timestamp", head(0, NOW_MS)),
                field("pcrs", pcrs(&sixteen())),
                field("certificate", Vec::new()),
                field("cabundle", Vec::new()),
                field("public_key", bytes(&CLAIMS.session_key)),
                field("user_data", bytes(&user_data(&CLAIMS))),
                field("nonce", bytes(&CLAIMS.challenge)),
            ],
            payload_head: None,
            payload_tail: Vec::new(),
            signature: None,
            signer: 4,
            after: Vec::new(),
            at: At::Time(NOW_MS),
            is_root_another: false,
        }
    }

    pub fn set(&mut self, name: &str, value: Vec<u8>) {
        let name = text(name);
        self.fields.iter_mut().find(|(found, _)| *found == name).unwrap().1 = value;
    }

    pub fn remove(&mut self, name: &str) {
        let name = text(name);
        self.fields.retain(|(found, _)| *found != name);
    }

    pub fn leaf(&mut self) -> &mut Certificate {
        self.certificates.last_mut().unwrap()
    }

    /// The document, and the SHA-256 of its root.
    pub fn write(&self) -> (Vec<u8>, [u8; 32]) {
        let keys = &*KEYS;
        let last = self.certificates.len() - 1;
        let written = self.certificates.iter().zip(&self.issuers).enumerate();
        let written: Vec<_> = written
            .map(|(at, (certificate, issuer))| {
                let own = if at == last { 4 } else { at };
                certificate.write(&keys[own], &keys[*issuer])
            })
            .collect();
        let chain: Vec<u8> = written[..last].iter().flat_map(|certificate| bytes(certificate)).collect();
        let chain = [head(4, last as u64), chain].concat();
        let fields: Vec<_> = self
            .fields
            .iter()
            .cloned()
            .map(|(name, value)| match &name[1..] {
                b"certificate" if value.is_empty() => (name, bytes(&written[last])),
                b"cabundle" if value.is_empty() => (name, chain.clone()),
                _ => (name, value),
            })
            .collect();
        let payload_head = self.payload_head.clone().unwrap_or_else(|| head(5, fields.len() as u64));
        let fields = fields.into_iter().flat_map(|(name, value)| [name, value].concat());
        let payload: Vec<u8> =
            payload_head.into_iter().chain(fields).chain(self.payload_tail.clone()).collect();
        let signed =
            [head(4, 4), text("Signature1"), self.protected.clone(), bytes(&[]), bytes(&payload)].concat();
        let signature = self.signature.clone().unwrap_or_else(|| keys[self.signer].sign_document(&signed));
        let parts = [&self.before, &self.envelope, &self.protected, &self.unprotected];
        let mut document = parts.map(Clone::clone).concat();
        document.extend([bytes(&payload), bytes(&signature), self.after.clone()].concat());
        let mut root = ring::digest::digest(&ring::digest::SHA256, &written[0]).as_ref().try_into().unwrap();
        if self.is_root_another {
            root = [0; 32];
        }
        (document, root)
    }

    pub fn judge(&self) -> Result<Claims, DocumentFault> {
        let (document, root) = self.write();
        root_of(root).check(&document, self.at)
    }
}

/// The root of the tests, with one image that is allowed beside another one.
pub fn root_of(root_sha256: [u8; 32]) -> NitroRoot {
    let other = Image::new("old", [[9; 48], [9; 48], [9; 48]]);
    let images = Measurements::of(vec![other, Image::new("new", PCRS)]).unwrap();
    NitroRoot::with_root(root_sha256, images)
}

/// Writes a document and its verdict to the folder `NITRO_CORPUS`, if there is one.
pub fn note(what: &str, document: &[u8], root: &[u8; 32], at: &str, is_good: bool) {
    static LINES: AtomicUsize = AtomicUsize::new(0);
    let Some(folder) = std::env::var_os("NITRO_CORPUS").map(PathBuf::from) else { return };
    let number = LINES.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}-{number}.cbor", std::process::id());
    std::fs::write(folder.join(&name), document).unwrap();
    let root: String = root.iter().map(|byte| format!("{byte:02x}")).collect();
    let verdict = if is_good { "accept" } else { "refuse" };
    let index = std::fs::OpenOptions::new().append(true).create(true).open(folder.join("index.tsv"));
    // One write a line: tests run side by side.
    index.unwrap().write_all(format!("{name}\t{root}\t{at}\t{verdict}\t{what}\n").as_bytes()).unwrap();
}
