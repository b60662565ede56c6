//! What the tests share: a folder, a chain, and a vault that speaks real sessions with its host and signs with nothing.

#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)] // each test program uses its part

pub mod daemon;
pub mod vault;

use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
pub use vault::Vault;
use wire::receipt::{self, Link, RECEIPT_VERSION, Receipt, RecordKind};
use wire::request::PayloadKind;
use wire::session::head;
use wire::{RECEIPT_SIZE_MAX, Shown, frame};

/// Only a hung test meets this.
pub const HANG: Duration = Duration::from_secs(60);

pub const POLICY: [u8; 32] = [9; 32];

/// A folder of the test's own.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("host-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // Whatever the umask of whoever runs the tests.
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).unwrap();
        Self(path)
    }

    /// The file of the throw-away key with this name.
    pub fn key(&self, name: &str) -> PathBuf {
        let path = self.0.join(format!("{name}.key"));
        let secret = Sha256::digest(format!("portcullis dev key: {name}"));
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let file =
            std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
        file.unwrap().write_all(digits.as_bytes()).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Seals a chain.
#[derive(Clone)]
pub struct Chain {
    pub boot_id: [u8; 16],
    pub sequence: u64,
    pub head: Link,
}

impl Chain {
    pub fn new(boot: u8) -> Self {
        let boot_id = [boot; 16];
        Self { boot_id, sequence: 0, head: receipt::genesis(&boot_id, &POLICY) }
    }

    pub fn seal(&mut self, request_id: u64, code: u16) -> Vec<u8> {
        self.seal_with(request_id, code, |_| {})
    }

    pub fn seal_with(
        &mut self,
        request_id: u64,
        code: u16,
        change: impl FnOnce(&mut Receipt<'_>),
    ) -> Vec<u8> {
        let mut receipt = Receipt {
            version: RECEIPT_VERSION,
            kind: RecordKind::Decision,
            sequence: self.sequence,
            boot_id: self.boot_id,
            previous: self.head,
            policy_hash: POLICY,
            wall_ms: 1_790_000_000_000,
            client: [0; 32],
            request_id,
            key_slot: 0,
            payload_kind: PayloadKind::EvmEip1559.number(),
            code,
            subject: None,
            observed: Shown::Nothing,
            limit: Shown::Nothing,
            digest: Some([4; 32]),
            facts_complete: true,
            facts: &[1, 3, 1, 9],
        };
        change(&mut receipt);
        let mut record = [0; RECEIPT_SIZE_MAX];
        let size = wire::codec::encode(receipt, &mut record).unwrap();
        self.sequence += 1;
        self.head = receipt::link(&record[..size]);
        record[..size].to_vec()
    }

    pub fn seal_many(&mut self, count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|_| self.seal(1, 0)).collect()
    }
}

/// A sealed frame to a vault of these tests, which opens none: `content` says what to do.
pub fn sealed(content: &[u8]) -> Vec<u8> {
    framed(&[&head(frame::Kind::Sealed)[..], content].concat())
}

pub fn framed(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], body].concat()
}

/// The next frame, or `None` when the connection ended.
pub fn read_frame(stream: &mut UnixStream) -> Option<Vec<u8>> {
    let mut prefix = [0; 4];
    stream.read_exact(&mut prefix).ok()?;
    let mut body = vec![0; usize::try_from(u32::from_le_bytes(prefix)).unwrap()];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}
