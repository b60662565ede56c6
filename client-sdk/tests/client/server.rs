//! A server that follows a script, and what it answers with.

use client_sdk::{Address, Client, Config, PayloadKind, Refusal, Shown};
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use venues::Payload as _;
use venues::hyperliquid::{Form, Scratch};
use wire::facts::{FactKey, FactSink as _, FactWriter};
use wire::receipt::{RECEIPT_VERSION, Receipt, RecordKind};
use wire::reply::Reply;
use wire::request::Request;
use wire::{RECEIPT_SIZE_MAX, REPLY_SIZE_MAX};

pub(crate) const EVM: PayloadKind = PayloadKind::EvmEip1559;

/// `02 || rlp([1, 0, 0, 0, 0, 20 bytes, 0, "", []])`, and the same with another nonce.
pub(crate) const PAYLOAD: [u8; 31] = transaction(0x80);
pub(crate) const OTHER_PAYLOAD: [u8; 31] = transaction(0x01);

pub(crate) const fn transaction(nonce: u8) -> [u8; 31] {
    [
        0x02, 0xdd, 0x01, nonce, 0x80, 0x80, 0x80, 0x94, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 0x80, 0x80, 0xc0,
    ]
}

pub(crate) fn digest(request: &Request<'_>) -> [u8; 32] {
    let form = match request.payload_kind {
        PayloadKind::EvmEip1559 => return label(request.payload),
        PayloadKind::SolanaMessage => return venues::solana::decode(request.payload).unwrap().label(),
        PayloadKind::SolanaSwift => return venues::solana::decode_swift(request.payload).unwrap().label(),
        PayloadKind::UniswapxTypedData | PayloadKind::PolymarketTypedData => {
            panic!("not sent by these tests")
        }
        PayloadKind::HyperliquidL1Msgpack => Form::L1Msgpack,
        PayloadKind::HyperliquidL1Json => Form::L1Json,
        PayloadKind::HyperliquidUserJson => Form::UserJson,
    };
    venues::hyperliquid::decode(form, request.payload, &mut Scratch::new()).unwrap().label()
}

pub(crate) fn label(payload: &[u8]) -> [u8; 32] {
    venues::evm::decode(payload).unwrap().label()
}

/// What the server does with one connection.
pub(crate) type Script = fn(&mut Peer);

pub(crate) struct Peer {
    pub(crate) stream: UnixStream,
    pub(crate) last_digest: Option<[u8; 32]>,
}

impl Peer {
    pub(crate) fn request(&mut self) -> Vec<u8> {
        let mut prefix = [0; 4];
        self.stream.read_exact(&mut prefix).unwrap();
        let mut body = vec![0; usize::try_from(u32::from_le_bytes(prefix)).unwrap()];
        self.stream.read_exact(&mut body).unwrap();
        body
    }

    pub(crate) fn send(&mut self, body: &[u8]) {
        let prefix = u32::try_from(body.len()).unwrap().to_le_bytes();
        self.stream.write_all(&[&prefix[..], body].concat()).unwrap();
    }

    /// Answers one request with a reply that `change` may spoil.
    pub(crate) fn answer(&mut self, change: fn(&mut Answer)) {
        let body = self.request();
        let mut answer = Answer::signed(&Request::parse(&body).unwrap());
        change(&mut answer);
        self.last_digest = answer.digest;
        self.send(&answer.body());
    }

    /// Waits until the client is gone.
    pub(crate) fn wait_for_close(&mut self) {
        assert_eq!(self.stream.read(&mut [0; 1]).unwrap(), 0);
    }
}

#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) receipt_code: u16,
    pub(crate) request_id: u64,
    pub(crate) receipt_request_id: u64,
    pub(crate) key_slot: u16,
    pub(crate) payload_kind: u16,
    pub(crate) signature: Vec<u8>,
    pub(crate) digest: Option<[u8; 32]>,
    pub(crate) canonical: Vec<u8>,
    pub(crate) has_receipt: bool,
    pub(crate) observed: Shown,
}

impl Answer {
    pub(crate) fn signed(request: &Request<'_>) -> Self {
        Self {
            code: 0,
            receipt_code: 0,
            request_id: request.request_id,
            receipt_request_id: request.request_id,
            key_slot: request.key_slot,
            payload_kind: request.payload_kind.number(),
            signature: [vec![1; 32], vec![2; 32], vec![1]].concat(),
            digest: Some(digest(request)),
            canonical: Vec::new(),
            has_receipt: true,
            observed: Shown::Nothing,
        }
    }

    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        (self.code, self.receipt_code) = (refusal.code(), refusal.code());
        self.signature.clear();
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        let mut facts = [0; 64];
        let mut writer = FactWriter::new(&mut facts);
        writer.uint(FactKey::ChainId, 8453);
        let used = writer.used();
        let receipt = Receipt {
            version: RECEIPT_VERSION,
            kind: RecordKind::Decision,
            sequence: 0,
            boot_id: [1; 16],
            previous: [0; 32],
            policy_hash: [0; 32],
            wall_ms: 1,
            client: [0; 32],
            request_id: self.receipt_request_id,
            key_slot: self.key_slot,
            payload_kind: self.payload_kind,
            code: self.receipt_code,
            subject: None,
            observed: self.observed,
            limit: Shown::Nothing,
            digest: self.digest,
            facts_complete: true,
            facts: &facts[..used],
        };
        let mut record = [0; RECEIPT_SIZE_MAX];
        let size = wire::codec::encode(receipt, &mut record).unwrap();
        let mut body = [0; REPLY_SIZE_MAX];
        let reply = Reply {
            code: self.code,
            request_id: self.request_id,
            signature: &self.signature,
            receipt: if self.has_receipt { &record[..size] } else { &[] },
            canonical: &self.canonical,
        };
        let size = reply.write(&mut body).unwrap();
        body[..size].to_vec()
    }
}

pub(crate) struct Server {
    pub(crate) path: PathBuf,
    pub(crate) thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Follows one script a connection, in order, and then stops listening.
    pub(crate) fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("client-{}-{}.sock", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut server = Self { path: std::env::temp_dir().join(name), thread: None };
        server.restart(scripts);
        server
    }

    pub(crate) fn restart(&mut self, scripts: impl IntoIterator<Item = Script>) {
        self.join();
        let _ = std::fs::remove_file(&self.path);
        let listener = UnixListener::bind(&self.path).unwrap();
        let scripts: Vec<Script> = scripts.into_iter().collect();
        self.thread = Some(std::thread::spawn(move || {
            for script in scripts {
                let (stream, _) = listener.accept().unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
                script(&mut Peer { stream, last_digest: None });
            }
        }));
    }

    pub(crate) fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub(crate) fn address(&self) -> Address {
        Address::Unix(self.path.clone())
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(self.address(), impatient()).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

pub(crate) fn impatient() -> Config {
    Config {
        pause_min: Duration::from_millis(1),
        pause_max: Duration::from_millis(4),
        request_timeout: Duration::from_secs(30),
        ..Config::default()
    }
}
