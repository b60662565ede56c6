//! A vault on two unix sockets. Whatever comes sealed on the first has a record; the record comes back in the clear, for the
//! relay reads none of it. The second one opens sessions for the throw-away key called "host".

use std::io::Write as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use session::attestation::Attest as _;
use session::{Entropy, Responder, Session, SessionKey};
use session_dev::{DevelopmentAttestor, throw_away_key};
use wire::control::{self, Answer, Command, Mode, Records, Status};
use wire::frame::{self, Kind};
use wire::head::SignedHead;
use wire::receipt;
use wire::session::{
    ATTESTATION_SIZE_MAX, Channel, Claims, DOCUMENT_SIZE_MAX, Denial, HANDSHAKE2_SIZE, SEALED_SIZE_MAX,
    Welcome, head, read_hello, write_attestation, write_denied,
};
use wire::{CONTROL_SIZE_MAX, Refusal};
use zeroize::Zeroizing;

use super::{Chain, HANG, POLICY, framed, read_frame};

/// Most records in one answer, so that a few of them need several.
const BATCH_MAX: usize = 7;

#[derive(Default)]
pub struct State {
    pub chain: Option<Chain>,
    /// All records of the boot.
    pub records: Vec<Vec<u8>>,
    /// Those before it are no longer given.
    pub first_kept: u64,
    pub acknowledged: u64,
    pub is_halted: bool,
    /// Replies wait for their record to be acknowledged.
    pub is_durable: bool,
    /// No record is given.
    pub withholds: bool,
    /// Replies that may go although they were asked to be held.
    pub released: usize,
    /// Commands that were answered, takes apart.
    pub commands: Vec<String>,
    /// Sessions with the host.
    pub sessions: u32,
    is_over: bool,
}

pub struct Vault {
    pub requests: PathBuf,
    pub control: PathBuf,
    shared: Arc<(Mutex<State>, Condvar)>,
    streams: Arc<Mutex<Vec<UnixStream>>>,
}

impl Vault {
    pub fn start(folder: &Path, boot: u8) -> Self {
        Self::start_with(folder, boot, |_| {})
    }

    pub fn start_with(folder: &Path, boot: u8, change: impl FnOnce(&mut State)) -> Self {
        let mut state = State { chain: Some(Chain::new(boot)), ..State::default() };
        change(&mut state);
        let (requests, control) = (folder.join("vault"), folder.join("control"));
        let shared = Arc::new((Mutex::new(state), Condvar::new()));
        let vault = Self { requests, control, shared, streams: Arc::default() };
        for path in [&vault.requests, &vault.control] {
            let _ = std::fs::remove_file(path);
        }
        let shared = Arc::clone(&vault.shared);
        vault.listen(&vault.requests, move |stream| serve_requests(stream, &shared));
        let shared = Arc::clone(&vault.shared);
        vault.listen(&vault.control, move |stream| {
            let _ = serve_control(stream, &shared);
        });
        vault
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap()
    }

    pub fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.shared.1.notify_all();
    }

    pub fn release(&self) {
        self.change(|state| state.released += 1);
    }

    pub fn seal(&self, count: usize) {
        self.change(|state| {
            let more = state.chain.as_mut().unwrap().seal_many(count);
            state.records.extend(more);
        });
    }

    /// Waits until the vault is in a state.
    pub fn wait_for(&self, is_so: impl Fn(&State) -> bool) {
        let waited = self.shared.1.wait_timeout_while(self.state(), HANG, |state| !is_so(state)).unwrap();
        assert!(!waited.1.timed_out(), "the vault waits in vain");
    }

    /// The vault dies: nobody listens any more and every connection ends.
    pub fn die(self) {
        for path in [&self.requests, &self.control] {
            std::fs::remove_file(path).unwrap();
        }
        self.change(|state| state.is_over = true);
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

/// `hold` is judged at once and answered when [`Vault::release`] is called; `die` takes the connection with it after it
/// was judged.
fn serve_requests(mut stream: UnixStream, shared: &(Mutex<State>, Condvar)) {
    while let Some(body) = read_frame(&mut stream) {
        if frame::kind(&body) != Ok(Kind::Sealed) {
            // As if it were the first part of a handshake.
            stream.write_all(&framed(&body)).unwrap();
            continue;
        }
        let (state, changed) = shared;
        let mut state = state.lock().unwrap();
        let code = if state.is_halted { Refusal::Halted.code() } else { 0 };
        let record = state.chain.as_mut().unwrap().seal(1, code);
        state.records.push(record.clone());
        let count = state.records.len() as u64;
        changed.notify_all();
        match &body[2..] {
            b"die" => {
                let _ = stream.shutdown(std::net::Shutdown::Both);
                return;
            }
            b"hold" => {
                state = changed.wait_while(state, |state| state.released == 0 && !state.is_over).unwrap();
                state.released = state.released.saturating_sub(1);
            }
            _ => {}
        }
        let waits = |state: &mut State| state.is_durable && state.acknowledged < count && !state.is_over;
        drop(changed.wait_while(state, waits).unwrap());
        if stream.write_all(&framed(&[&head(Kind::Sealed)[..], &record].concat())).is_err() {
            return;
        }
    }
}

fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

fn serve_control(mut stream: UnixStream, shared: &(Mutex<State>, Condvar)) -> Option<()> {
    let mut session = greet(&mut stream, shared)?;
    let (mut body, mut frame) = ([0; SEALED_SIZE_MAX], [0; SEALED_SIZE_MAX]);
    loop {
        let sealed = read_frame(&mut stream)?;
        let size = session.open(&sealed, &mut body).unwrap();
        let command = control::read_command(&body[..size]).unwrap();
        let mut answer = [0; CONTROL_SIZE_MAX];
        let size = obey(command, shared, &mut answer);
        let size = session.seal(&answer[..size], &mut frame).unwrap();
        stream.write_all(&framed(&frame[..size])).ok()?;
    }
}

fn greet(stream: &mut UnixStream, shared: &(Mutex<State>, Condvar)) -> Option<Session> {
    let boot_id = shared.0.lock().unwrap().chain.as_ref().unwrap().boot_id;
    let key = SessionKey::from_bytes(Zeroizing::new([3; 32]));
    let hello = read_frame(stream)?;
    let Ok(challenge) = read_hello(&hello) else {
        let _ = stream.write_all(&framed(&write_denied(Denial::SessionRequired)));
        return None;
    };
    let claims = Claims {
        policy_hash: POLICY,
        boot_id,
        session_key: *key.public_key().as_bytes(),
        receipt_key: [5; 32],
        challenge,
        wall_ms: now_ms(),
    };
    let mut document = [0; DOCUMENT_SIZE_MAX];
    let size = DevelopmentAttestor::new().attest(&claims, &mut document).unwrap();
    let mut body = vec![0; ATTESTATION_SIZE_MAX];
    let size = write_attestation(&document[..size], &mut body).unwrap();
    stream.write_all(&framed(&body[..size])).ok()?;
    let first = read_frame(stream)?;
    let entropy = Entropy::new(Zeroizing::new(challenge));
    let greeting = Responder::new(&key, Channel::Control, &boot_id, &POLICY).read(&first, entropy).unwrap();
    if greeting.client() != throw_away_key("host").public_key() {
        let _ = stream.write_all(&framed(&write_denied(Denial::ClientNotKnown)));
        return None;
    }
    let welcome = Welcome {
        boot_id,
        policy_hash: POLICY,
        receipt_key: [5; 32],
        wall_ms: now_ms(),
        mode: Mode::Live,
        heartbeat_ms: 0,
        records_kept: 0,
    };
    let mut second = [0; HANDSHAKE2_SIZE];
    let (session, size) = greeting.accept(&welcome, &mut second).unwrap();
    stream.write_all(&framed(&second[..size])).ok()?;
    shared.0.lock().unwrap().sessions += 1;
    shared.1.notify_all();
    Some(session)
}

fn obey(
    command: Command<'_>,
    shared: &(Mutex<State>, Condvar),
    answer: &mut [u8; CONTROL_SIZE_MAX],
) -> usize {
    let (state, changed) = shared;
    let mut state = state.lock().unwrap();
    if let Command::Take { next, acknowledged, wait_ms } = command {
        state.acknowledged = state.acknowledged.max(acknowledged);
        changed.notify_all();
        let wait = Duration::from_millis(wait_ms.into());
        let is_empty =
            |state: &mut State| (state.withholds || state.records.len() as u64 <= next) && !state.is_over;
        let (state, _) = changed.wait_timeout_while(state, wait, is_empty).unwrap();
        return give(&state, next, answer);
    }
    state.is_halted |= command == Command::Kill;
    state.commands.push(format!("{command:?}"));
    changed.notify_all();
    let chain = state.chain.as_ref().unwrap();
    let status = Status {
        sessions: 0,
        unacknowledged: 0,
        mode: if state.is_halted { Mode::Halted } else { Mode::Live },
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
    control::write_answer(Answer::Status(status), answer).unwrap()
}

fn give(state: &State, next: u64, answer: &mut [u8; CONTROL_SIZE_MAX]) -> usize {
    let chain = state.chain.as_ref().unwrap();
    let first = next.max(state.first_kept);
    let from = if state.withholds {
        state.records.len()
    } else {
        usize::try_from(first).unwrap().min(state.records.len())
    };
    let mut packed = vec![0; BATCH_MAX * 1_024];
    let mut used = 0;
    for record in state.records[from..].iter().take(BATCH_MAX) {
        used += receipt::pack(record, &mut packed[used..]).unwrap();
    }
    let head = chain.sequence.checked_sub(1).map(|sequence| SignedHead {
        boot_id: chain.boot_id,
        policy_hash: POLICY,
        sequence,
        link: chain.head,
        wall_ms: now_ms(),
        signature: [0; 64],
    });
    let records = Records { boot_id: chain.boot_id, first, head, packed: &packed[..used] };
    control::write_answer(Answer::Records(records), answer).unwrap()
}
