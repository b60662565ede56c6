//! A client's session over a socket: how it opens, what ends it, and that an exchange allocates nothing.
//!
//! What somebody between may do is tried in `client-sdk/tests/client/attacks.rs`.

#![allow(unsafe_code)] // a counting allocator cannot be written without
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too
#![allow(clippy::disallowed_methods)] // the vault's clock agrees with the client's

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use session::attestation::{Attest as _, DEVELOPMENT_DOCUMENT_SIZE, DevelopmentRoot, Distrust, Pin};
use session::{Entropy, Fault, Responder, Session};
use session_dev::{DevelopmentAttestor, throw_away_key};
use transport::{Attested, Error, Opening, Patience, SessionError, Stream};
use wire::Mode;
use wire::session::{
    Channel, Claims, Denial, HANDSHAKE2_SIZE, SEALED_SIZE_MAX, Welcome, read_hello, write_attestation,
    write_denied,
};
use zeroize::Zeroizing;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const POLICY_HASH: [u8; 32] = [0xc0; 32];
const BOOT_ID: [u8; 16] = [0xb0; 16];

/// Only a hung test meets this.
const HANG: Duration = Duration::from_secs(60);

/// The vault's end: frames in buffers that are there from the start.
struct Vault {
    stream: UnixStream,
    session: Option<Session>,
    frame: Vec<u8>,
    body: Vec<u8>,
}

impl Vault {
    fn read(&mut self) -> usize {
        let mut prefix = [0; 4];
        self.stream.read_exact(&mut prefix).unwrap();
        let size = usize::try_from(u32::from_le_bytes(prefix)).unwrap();
        self.stream.read_exact(&mut self.frame[..size]).unwrap();
        size
    }

    fn write(&mut self, body: &[u8]) {
        self.stream.write_all(&u32::try_from(body.len()).unwrap().to_le_bytes()).unwrap();
        self.stream.write_all(body).unwrap();
    }

    fn attest(&mut self) {
        let size = self.read();
        let challenge = read_hello(&self.frame[..size]).unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let claims = Claims {
            policy_hash: POLICY_HASH,
            boot_id: BOOT_ID,
            session_key: *throw_away_key("vault").public_key().as_bytes(),
            receipt_key: [0xd0; 32],
            challenge,
            wall_ms: u64::try_from(now.as_millis()).unwrap(),
        };
        let (mut document, mut body) = ([0; DEVELOPMENT_DOCUMENT_SIZE], [0; DEVELOPMENT_DOCUMENT_SIZE + 2]);
        DevelopmentAttestor::new().attest(&claims, &mut document).unwrap();
        write_attestation(&document, &mut body).unwrap();
        self.write(&body);
    }

    fn greet(&mut self, channel: Channel) {
        self.attest();
        let size = self.read();
        let key = throw_away_key("vault");
        let responder = Responder::new(&key, channel, &BOOT_ID, &POLICY_HASH);
        let greeting = match responder.read(&self.frame[..size], Entropy::new(Zeroizing::new([9; 32]))) {
            Ok(greeting) => greeting,
            Err(fault) => return self.write(&write_denied(fault.denial().unwrap())),
        };
        let welcome = Welcome {
            boot_id: BOOT_ID,
            policy_hash: POLICY_HASH,
            receipt_key: [0xd0; 32],
            wall_ms: 0,
            mode: Mode::ReduceOnly,
            heartbeat_ms: 0,
            records_kept: 7,
        };
        let mut body = [0; HANDSHAKE2_SIZE];
        let (session, _) = greeting.accept(&welcome, &mut body).unwrap();
        self.session = Some(session);
        self.write(&body);
    }

    fn close(&mut self) {
        self.stream.shutdown(std::net::Shutdown::Both).unwrap();
    }

    /// Sends back what it gets.
    fn echo(&mut self) {
        let size = self.read();
        let session = self.session.as_mut().unwrap();
        let opened = session.open(&self.frame[..size], &mut self.body).unwrap();
        let sealed = session.seal(&self.body[..opened], &mut self.frame).unwrap();
        let frame = std::mem::take(&mut self.frame);
        self.write(&frame[..sealed]);
        self.frame = frame;
    }
}

type Opened = Result<Attested<Stream>, SessionError>;

/// What becomes of a client for `channel` with a vault that does this.
fn open(channel: Channel, script: fn(&mut Vault)) -> (Opened, Vault) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_read_timeout(Some(HANG)).unwrap();
    let vault = std::thread::spawn(move || {
        let room = || vec![0; SEALED_SIZE_MAX];
        let mut vault = Vault { stream: theirs, session: None, frame: room(), body: room() };
        script(&mut vault);
        vault
    });
    let key = throw_away_key("bot");
    let pin = Pin { nonce: Some([1; 32]), ..Pin::new(POLICY_HASH, 60_000) };
    let opening = Opening { root: &DevelopmentRoot, pin, key: &key, certificate: None, channel };
    let patience = Patience { idle: Some(HANG), frame: HANG };
    let opened = Attested::open(Stream::from(ours), &opening, patience);
    (opened, vault.join().unwrap())
}

#[test]
fn an_exchange_gives_what_the_vault_answers_and_allocates_nothing() {
    for channel in [Channel::Bots, Channel::Control] {
        let script: fn(&mut Vault) = match channel {
            Channel::Bots => |vault| vault.greet(Channel::Bots),
            Channel::Control => |vault| vault.greet(Channel::Control),
        };
        let (client, mut vault) = open(channel, script);
        let mut client = client.unwrap();
        assert_eq!((client.welcome().mode, client.welcome().records_kept), (Mode::ReduceOnly, 7));
        assert_eq!(client.claims().boot_id, BOOT_ID);
        assert_eq!(client.session().peer(), throw_away_key("vault").public_key());
        let (body, mut reply) = (vec![7; 2_400], vec![0; SEALED_SIZE_MAX]);
        let before = ALLOCATIONS.get();
        for size in [2, 200, 2_400].into_iter().cycle().take(300) {
            client.send(&body[..size]).unwrap();
            vault.echo();
            assert_eq!(client.receive(&mut reply).unwrap(), size);
            assert_eq!(reply[..size], body[..size]);
        }
        assert_eq!(ALLOCATIONS.get(), before);
        drop(vec![1_u8]);
        assert!(ALLOCATIONS.get() > before, "the counter does not count");
    }
}

#[test]
fn a_session_for_another_channel_is_denied() {
    let (client, _vault) = open(Channel::Bots, |vault| vault.greet(Channel::Control));
    assert_eq!(client.unwrap_err().denial(), Some(Denial::HandshakeNotAuthentic));
}

#[test]
fn a_vault_that_closes_is_told_apart_from_one_that_breaks_the_session() {
    let (client, vault) = open(Channel::Bots, |vault| vault.greet(Channel::Bots));
    let (mut client, mut reply) = (client.unwrap(), [0; 64]);
    drop(vault);
    assert!(matches!(client.receive(&mut reply), Err(SessionError::Closed)));
    // The session is over, whatever is tried.
    assert!(matches!(client.send(b"body"), Err(SessionError::Fault(Fault::Closed))));
    assert!(matches!(client.receive(&mut reply), Err(SessionError::Fault(Fault::Closed))));

    let (client, mut vault) = open(Channel::Bots, |vault| vault.greet(Channel::Bots));
    let mut client = client.unwrap();
    vault.write(&[1, 0x24, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
    assert!(matches!(client.receive(&mut reply), Err(SessionError::Fault(Fault::NotAuthentic))));
    assert!(matches!(client.receive(&mut reply), Err(SessionError::Fault(Fault::Closed))));

    let steps: [fn(&mut Vault); 2] = [Vault::close, |vault| {
        vault.attest();
        vault.close();
    }];
    for step in steps {
        let (client, _vault) = open(Channel::Bots, step);
        let error = client.unwrap_err();
        let expected = matches!(
            error,
            SessionError::Closed | SessionError::Transport(Error::Io(_) | Error::ClosedInFrame { .. })
        );
        assert!(expected, "{error:?}");
    }
}

#[test]
fn a_frame_of_another_kind_before_the_session_is_a_fault() {
    let (client, _vault) = open(Channel::Bots, |vault| {
        vault.read();
        vault.write(&[1, 0x24, 0]);
    });
    assert!(matches!(client, Err(SessionError::Fault(Fault::Frame(_)))));
    let (client, _vault) = open(Channel::Bots, |vault| {
        vault.read();
        vault.write(&[1, 0x21, 0]);
    });
    assert!(matches!(client, Err(SessionError::Distrust(Distrust::DocumentMalformed))));
}
