//! What the tests share: a folder, and a vault that seals real receipts and signs with nothing.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // each test program uses its part

pub mod daemon;

use std::io::{Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use wire::control::{self, Answer, Command, Mode, Records, Status};
use wire::receipt::{self, Link, RECEIPT_VERSION, Receipt, RecordKind};
use wire::reply::Reply;
use wire::request::{PayloadKind, Request};
use wire::{CONTROL_SIZE_MAX, RECEIPT_SIZE_MAX, REPLY_SIZE_MAX, Refusal, Shown};

/// Only a hung test meets this.
pub const HANG: Duration = Duration::from_secs(60);

const POLICY: [u8; 32] = [9; 32];

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

/// A vault on two unix sockets. A request whose payload is `hold` is judged at once and answered when
/// [`Vault::release`] is called; one whose payload is `die` takes the connection with it after it was judged.
pub struct Vault {
    pub requests: PathBuf,
    pub control: PathBuf,
    pub chain: Arc<Mutex<Chain>>,
    pub is_halted: Arc<Mutex<bool>>,
    /// Records that it gives to who takes them, one at a time; from the second on when a request was judged.
    pub kept: Arc<Mutex<Vec<Vec<u8>>>>,
    /// How many commands it has answered.
    pub commands: Arc<AtomicU32>,
    release: mpsc::Sender<()>,
    streams: Arc<Mutex<Vec<UnixStream>>>,
}

impl Vault {
    pub fn start(folder: &Path, boot: u8) -> Self {
        let (release, released) = mpsc::channel();
        let vault = Self {
            requests: folder.join("vault"),
            control: folder.join("control"),
            chain: Arc::new(Mutex::new(Chain::new(boot))),
            is_halted: Arc::default(),
            kept: Arc::default(),
            commands: Arc::default(),
            release,
            streams: Arc::default(),
        };
        let _ = std::fs::remove_file(&vault.requests);
        let _ = std::fs::remove_file(&vault.control);
        let released = Arc::new(Mutex::new(released));
        let (chain, is_halted) = (Arc::clone(&vault.chain), Arc::clone(&vault.is_halted));
        vault.listen(&vault.requests, move |stream| {
            serve_requests(stream, &chain, &is_halted, &released);
        });
        let (chain, is_halted) = (Arc::clone(&vault.chain), Arc::clone(&vault.is_halted));
        let commands = Arc::clone(&vault.commands);
        let kept = Arc::clone(&vault.kept);
        vault.listen(&vault.control, move |stream| {
            serve_control(stream, &chain, &is_halted, &commands, &kept);
        });
        vault
    }

    pub fn release(&self) {
        self.release.send(()).unwrap();
    }

    /// The vault dies: nobody listens any more and every connection ends.
    pub fn die(self) {
        for path in [&self.requests, &self.control] {
            std::fs::remove_file(path).unwrap();
        }
        for stream in self.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    fn listen(&self, path: &Path, serve: impl Fn(UnixStream) + Send + Sync + 'static) {
        let listener = UnixListener::bind(path).unwrap();
        let streams = Arc::clone(&self.streams);
        let serve = Arc::new(serve);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                streams.lock().unwrap().push(stream.try_clone().unwrap());
                let serve = Arc::clone(&serve);
                std::thread::spawn(move || serve(stream));
            }
        });
    }
}

fn serve_requests(
    mut stream: UnixStream,
    chain: &Mutex<Chain>,
    is_halted: &Mutex<bool>,
    released: &Mutex<mpsc::Receiver<()>>,
) {
    while let Some(body) = read_frame(&mut stream) {
        let request = Request::parse(&body).unwrap();
        let code = if *is_halted.lock().unwrap() { Refusal::Halted.code() } else { 0 };
        let record = chain.lock().unwrap().seal(request.request_id, code);
        if request.payload == b"die" {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return;
        }
        if request.payload == b"hold" {
            released.lock().unwrap().recv().unwrap();
        }
        let mut reply = [0; REPLY_SIZE_MAX];
        let signature: &[u8] = if code == 0 { &[1; 65] } else { &[] };
        let size =
            Reply { code, request_id: request.request_id, signature, receipt: &record, canonical: &[] }
                .write(&mut reply)
                .unwrap();
        if stream.write_all(&framed(&reply[..size])).is_err() {
            return;
        }
    }
}

fn serve_control(
    mut stream: UnixStream,
    chain: &Mutex<Chain>,
    is_halted: &Mutex<bool>,
    commands: &AtomicU32,
    kept: &Mutex<Vec<Vec<u8>>>,
) {
    while let Some(body) = read_frame(&mut stream) {
        let command = control::read_command(&body).unwrap();
        if let Command::Take { next, .. } = command {
            let kept = kept.lock().unwrap();
            let record = kept.get(usize::try_from(next).unwrap());
            while next == 1 && record.is_some() && chain.lock().unwrap().sequence <= kept.len() as u64 {
                std::thread::yield_now();
            }
            let packed = record.map_or(Vec::new(), |record| {
                [&u16::try_from(record.len()).unwrap().to_le_bytes()[..], record].concat()
            });
            let records =
                Records { boot_id: chain.lock().unwrap().boot_id, first: next, head: None, packed: &packed };
            let mut answer = [0; CONTROL_SIZE_MAX];
            let size = control::write_answer(Answer::Records(records), &mut answer).unwrap();
            if stream.write_all(&framed(&answer[..size])).is_err() {
                return;
            }
            continue;
        }
        let mut is_halted = is_halted.lock().unwrap();
        *is_halted |= command == Command::Kill;
        let chain = chain.lock().unwrap().clone();
        let status = Status {
            sessions: 0,
            unacknowledged: 0,
            mode: if *is_halted { Mode::Halted } else { Mode::Live },
            latches: 0,
            order_counter: 0,
            boot_id: chain.boot_id,
            policy_hash: POLICY,
            uptime_ms: 1,
            receipts: chain.sequence,
            head: chain.head,
            signed: 0,
            refused: 0,
            desk: "test",
        };
        let mut answer = [0; CONTROL_SIZE_MAX];
        let size = control::write_answer(Answer::Status(status), &mut answer).unwrap();
        let _ = stream.write_all(&framed(&answer[..size]));
        commands.fetch_add(1, Ordering::SeqCst);
    }
}

pub fn request(request_id: u64, payload: &[u8]) -> Vec<u8> {
    let request = Request {
        key_slot: 0,
        payload_kind: PayloadKind::EvmEip1559,
        return_canonical: false,
        request_id,
        payload,
    };
    [&request.header()[..], payload].concat()
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
