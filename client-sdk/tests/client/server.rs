//! A vault that follows a script, and what it answers with.

use client_sdk::{Address, Client, Config, DevelopmentRoot, PayloadKind, Pin, Refusal, SessionKey, Shown};
use session::attestation::{Attest as _, DEVELOPMENT_DOCUMENT_SIZE};
use session::{Entropy, Responder, Session};
use session_dev::{DevelopmentAttestor, throw_away_key};
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use venues::Payload as _;
use venues::hyperliquid::{Form, Scratch};
use wire::facts::{FactKey, FactSink as _, FactWriter};
use wire::receipt::{RECEIPT_VERSION, Receipt, RecordKind};
use wire::reply::Reply;
use wire::request::Request;
use wire::session::{
    Channel, Claims, Denial, HANDSHAKE2_SIZE, SEALED_SIZE_MAX, Welcome, read_hello, write_attestation,
    write_denied,
};
use wire::{Mode, RECEIPT_SIZE_MAX, REPLY_SIZE_MAX};
use zeroize::Zeroizing;

/// The book, the boot and the receipt key of the vault, unless a script says otherwise.
pub(crate) const POLICY_HASH: [u8; 32] = [0xc0; 32];
pub(crate) const BOOT_ID: [u8; 16] = [0xb0; 16];
pub(crate) const RECEIPT_KEY: [u8; 32] = [0xd0; 32];

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

/// What the vault does with one connection.
pub(crate) type Script = fn(&mut Peer);

/// The vault's end of a connection. The session is opened with the first request that the script waits for.
pub(crate) struct Peer {
    pub(crate) stream: UnixStream,
    pub(crate) last_digest: Option<[u8; 32]>,
    pub(crate) boot_id: [u8; 16],
    pub(crate) records_kept: u32,
    pub(crate) sequence: u64,
    client: [u8; 32],
    session: Option<Session>,
    /// Hears every request.
    tell: Option<Sender<Vec<u8>>>,
}

impl Peer {
    pub(crate) fn new(stream: UnixStream) -> Self {
        let (boot_id, client) = (BOOT_ID, [0; 32]);
        Self {
            stream,
            last_digest: None,
            boot_id,
            records_kept: 0,
            sequence: 0,
            client,
            session: None,
            tell: None,
        }
    }

    /// The next frame's body, as it comes.
    pub(crate) fn frame(&mut self) -> Vec<u8> {
        read_frame(&mut self.stream).unwrap()
    }

    /// The next frame's body, as it comes; `None` when the client is gone.
    pub(crate) fn frame_or_end(&mut self) -> Option<Vec<u8>> {
        read_frame(&mut self.stream)
    }

    /// Sends a frame as it is.
    pub(crate) fn send_plain(&mut self, body: &[u8]) {
        // A client that is gone shows itself at the next frame.
        let _ = write_frame(&mut self.stream, body);
    }

    pub(crate) fn deny(&mut self, denial: Denial) {
        self.send_plain(&write_denied(denial));
    }

    /// Lets whoever is there in, if it is a client that holds on.
    pub(crate) fn greet(&mut self) -> Option<()> {
        let challenge = read_hello(&read_frame(&mut self.stream)?).ok()?;
        let key = throw_away_key("vault");
        let mut body = [0; DEVELOPMENT_DOCUMENT_SIZE + 2];
        let size =
            write_attestation(&document(&Claims { challenge, ..claims(self.boot_id) }), &mut body).unwrap();
        self.send_plain(&body[..size]);
        let responder = Responder::new(&key, Channel::Bots, &self.boot_id, &POLICY_HASH);
        let greeting = match responder.read(&read_frame(&mut self.stream)?, entropy()) {
            Ok(greeting) => greeting,
            Err(fault) => {
                self.deny(fault.denial()?);
                return None;
            }
        };
        self.client = *greeting.client().as_bytes();
        let welcome = Welcome {
            boot_id: self.boot_id,
            policy_hash: POLICY_HASH,
            receipt_key: RECEIPT_KEY,
            wall_ms: now_ms(),
            mode: Mode::Live,
            heartbeat_ms: 0,
            records_kept: self.records_kept,
        };
        let mut body = [0; HANDSHAKE2_SIZE];
        let (session, size) = greeting.accept(&welcome, &mut body).unwrap();
        self.session = Some(session);
        self.send_plain(&body[..size]);
        Some(())
    }

    /// The next body that the client has sealed; `None` when it is gone or a frame does not open.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        if self.session.is_none() {
            self.greet()?;
        }
        let frame = read_frame(&mut self.stream)?;
        let mut body = vec![0; SEALED_SIZE_MAX];
        let size = self.session.as_mut()?.open(&frame, &mut body).ok()?;
        body.truncate(size);
        Some(body)
    }

    pub(crate) fn request(&mut self) -> Vec<u8> {
        let body = self.next().unwrap();
        if let Some(tell) = &self.tell {
            tell.send(body.clone()).unwrap();
        }
        body
    }

    /// Seals a body and sends it.
    pub(crate) fn send(&mut self, body: &[u8]) {
        let frame = self.seal(body);
        self.send_plain(&frame);
    }

    pub(crate) fn seal(&mut self, body: &[u8]) -> Vec<u8> {
        let mut frame = vec![0; SEALED_SIZE_MAX];
        let size = self.session.as_mut().unwrap().seal(body, &mut frame).unwrap();
        frame.truncate(size);
        frame
    }

    /// The signed answer to a request, with this connection's next record.
    pub(crate) fn signed(&mut self, request: &Request<'_>) -> Answer {
        let (boot_id, client, sequence) = (self.boot_id, self.client, self.sequence);
        self.sequence += 1;
        Answer { boot_id, client, sequence, ..Answer::signed(request) }
    }

    /// Answers one request with a reply that `change` may spoil.
    pub(crate) fn answer(&mut self, change: fn(&mut Answer)) {
        let body = self.request();
        let mut answer = self.signed(&Request::parse(&body).unwrap());
        change(&mut answer);
        self.last_digest = answer.digest;
        self.send(&answer.body());
    }

    /// Answers requests and heartbeats until the client is gone or a frame does not open.
    pub(crate) fn serve(&mut self) {
        while let Some(body) = self.next() {
            if body == [1, 0x26] {
                self.send(&[1, 0x27, Mode::CancelOnly as u8]);
                continue;
            }
            if let Some(tell) = &self.tell {
                tell.send(body.clone()).unwrap();
            }
            let answer = self.signed(&Request::parse(&body).unwrap()).body();
            self.send(&answer);
        }
    }

    /// Answers one heartbeat with a body of any kind.
    pub(crate) fn answer_heartbeat(&mut self, body: &[u8]) {
        assert_eq!(self.next().unwrap(), [1, 0x26]);
        self.send(body);
        self.wait_for_close();
    }

    /// Waits until the client is gone.
    pub(crate) fn wait_for_close(&mut self) {
        assert_eq!(self.stream.read(&mut [0; 1]).unwrap(), 0);
    }
}

/// What the vault attests, but for the challenge.
pub(crate) fn claims(boot_id: [u8; 16]) -> Claims {
    Claims {
        policy_hash: POLICY_HASH,
        boot_id,
        session_key: *throw_away_key("vault").public_key().as_bytes(),
        receipt_key: RECEIPT_KEY,
        challenge: [0; 32],
        wall_ms: now_ms(),
    }
}

/// A document that the development root vouches for.
pub(crate) fn document(claims: &Claims) -> [u8; DEVELOPMENT_DOCUMENT_SIZE] {
    let mut document = [0; DEVELOPMENT_DOCUMENT_SIZE];
    DevelopmentAttestor::new().attest(claims, &mut document).unwrap();
    document
}

/// Fresh enough: another one for each handshake of this process.
pub(crate) fn entropy() -> Entropy {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let mut bytes = Zeroizing::new([0x55; 32]);
    bytes[..4].copy_from_slice(&COUNT.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    Entropy::new(bytes)
}

#[allow(clippy::disallowed_methods)] // the client has a clock of its own, and the vault must agree with it
pub(crate) fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// The next frame's body; `None` at the end of the stream.
pub(crate) fn read_frame(stream: &mut UnixStream) -> Option<Vec<u8>> {
    let mut prefix = [0; 4];
    stream.read_exact(&mut prefix).ok()?;
    let mut body = vec![0; usize::try_from(u32::from_le_bytes(prefix)).unwrap()];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}

pub(crate) fn write_frame(stream: &mut UnixStream, body: &[u8]) -> std::io::Result<()> {
    let prefix = u32::try_from(body.len()).unwrap().to_le_bytes();
    stream.write_all(&[&prefix[..], body].concat())
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
    pub(crate) boot_id: [u8; 16],
    pub(crate) policy_hash: [u8; 32],
    pub(crate) client: [u8; 32],
    pub(crate) sequence: u64,
}

impl Answer {
    /// Its r is the digest, so that a signature of something else shows.
    fn signed(request: &Request<'_>) -> Self {
        Self {
            code: 0,
            receipt_code: 0,
            request_id: request.request_id,
            receipt_request_id: request.request_id,
            key_slot: request.key_slot,
            payload_kind: request.payload_kind.number(),
            signature: [&digest(request)[..], &[2; 32], &[1]].concat(),
            digest: Some(digest(request)),
            canonical: Vec::new(),
            has_receipt: true,
            observed: Shown::Nothing,
            boot_id: BOOT_ID,
            policy_hash: POLICY_HASH,
            client: [0; 32],
            sequence: 0,
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
            sequence: self.sequence,
            boot_id: self.boot_id,
            previous: [0; 32],
            policy_hash: self.policy_hash,
            wall_ms: 1,
            client: self.client,
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
    tell: Option<Sender<Vec<u8>>>,
}

impl Server {
    /// Follows one script a connection, in order, and then stops listening.
    pub(crate) fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("client-{}-{}.sock", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut server = Self { path: std::env::temp_dir().join(name), thread: None, tell: None };
        server.restart(scripts);
        server
    }

    /// The same, and what is asked.
    pub(crate) fn start_and_listen(scripts: impl IntoIterator<Item = Script>) -> (Self, Receiver<Vec<u8>>) {
        let mut server = Self::start([]);
        let (tell, told) = channel();
        server.tell = Some(tell);
        server.restart(scripts);
        (server, told)
    }

    pub(crate) fn restart(&mut self, scripts: impl IntoIterator<Item = Script>) {
        self.join();
        let _ = std::fs::remove_file(&self.path);
        let listener = UnixListener::bind(&self.path).unwrap();
        let scripts: Vec<Script> = scripts.into_iter().collect();
        let tell = self.tell.clone();
        self.thread = Some(std::thread::spawn(move || {
            for script in scripts {
                let (stream, _) = listener.accept().unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
                script(&mut Peer { tell: tell.clone(), ..Peer::new(stream) });
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

pub(crate) fn bot_key() -> SessionKey {
    throw_away_key("bot")
}

pub(crate) fn impatient() -> Config {
    Config {
        pause_min: Duration::from_millis(1),
        pause_max: Duration::from_millis(4),
        request_timeout: Duration::from_secs(30),
        ..Config::new(bot_key(), Pin::new(POLICY_HASH, 60_000), DevelopmentRoot)
    }
}
