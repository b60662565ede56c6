//! The blocking client.

use core::fmt;
use std::io::ErrorKind;

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use session::Fault;
use transport::{Address, Attested, Error, SessionError, Stream};
use venues::hyperliquid::Scratch;
use wire::frame::{self, Kind};
use wire::request::{HEADER_SIZE, PAYLOAD_SIZE_MAX, PayloadKind, Request};
use wire::session::{Welcome, head};
use wire::{Family, Mode, REPLY_SIZE_MAX, REQUEST_SIZE_MAX};

use crate::Config;
use crate::error::{Lost, SignError, Violation};
use crate::records::{HandInFault, HandedIn, Records};
use crate::retry::Retry;
use crate::signed::{self, Signed};

/// A session with a vault, directly or through the host daemon, that is opened anew when it breaks. One request at a
/// time; for more at once use more clients.
pub struct Client {
    address: Address,
    config: Config,
    session: Option<Attested<Stream>>,
    /// What the vault said when it let this client in the last time.
    welcome: Welcome,
    /// The mode that it named last.
    mode: Mode,
    records: Records,
    /// Whether the records were not handed in since a session ended.
    is_hand_in_due: bool,
    handed_in: Option<Result<HandedIn, HandInFault>>,
    next_request_id: u64,
    /// Body of the last request, and what became of it as far as it is not known.
    request: Box<[u8]>,
    unknown: Option<Asked>,
    reply: Box<[u8]>,
    retry: Retry,
    /// For the decode that a reply's digest is compared with.
    scratch: Box<Scratch>,
}

/// A request whose body stands in [`Client::request`].
#[derive(Clone, Copy, Debug)]
struct Asked {
    request_id: u64,
    key_slot: u16,
    payload_kind: PayloadKind,
    return_canonical: bool,
    size: usize,
    /// The boot that may have read it.
    read_in: Option<[u8; 16]>,
}

/// Why an attempt gave no answer.
enum Miss {
    /// Another attempt may.
    Passing(SessionError),
    /// None will.
    Final(SignError),
}

impl Client {
    /// Connects, checks who is there and opens a session. Request numbers start at a random place and then count up, so
    /// that two runs of a bot do not share them.
    ///
    /// # Errors
    /// [`SignError::NotConnected`] after `config.attempts_max` attempts, [`SignError::Distrusted`],
    /// [`SignError::Denied`], [`SignError::SessionBroken`].
    pub fn connect(address: Address, config: Config) -> Result<Self, SignError> {
        let mut retry = Retry::new(&config, random());
        let session = loop {
            match open(&address, &config) {
                Ok(session) => break session,
                Err(error) if is_passing(&error) => retry.pause(error)?,
                Err(error) => return Err(final_error(error, None)),
            }
        };
        let welcome = *session.welcome();
        Ok(Self {
            records: Records::new(*config.key.public_key().as_bytes(), &welcome),
            address,
            config,
            session: Some(session),
            welcome,
            mode: welcome.mode,
            is_hand_in_due: false,
            handed_in: None,
            // Half the range is left to count in.
            next_request_id: random() >> 1,
            request: vec![0; REQUEST_SIZE_MAX].into_boxed_slice(),
            unknown: None,
            reply: vec![0; REPLY_SIZE_MAX].into_boxed_slice(),
            retry,
            scratch: Box::new(Scratch::new()),
        })
    }

    /// Has `payload` judged and signed by the key in `key_slot`.
    ///
    /// When the connection breaks, the same request goes out again over a new session with the same boot of the vault,
    /// which answers what it had answered, or judges the request if it had not got it.
    ///
    /// # Errors
    /// [`SignError`]; [`SignError::is_retryable`] tells whether the same request may succeed later,
    /// [`SignError::is_outcome_unknown`] whether it may have been signed all the same.
    pub fn sign(
        &mut self,
        key_slot: u16,
        payload_kind: PayloadKind,
        payload: &[u8],
    ) -> Result<Signed, SignError> {
        let fault = SignError::PayloadTooLong { size: payload.len(), size_max: PAYLOAD_SIZE_MAX };
        let size = HEADER_SIZE + payload.len();
        let Some(body) = self.request.get_mut(..size) else { return Err(fault) };
        let return_canonical = self.config.return_canonical;
        let request_id = self.next_request_id;
        let request = Request { key_slot, payload_kind, return_canonical, request_id, payload };
        for (into, from) in body.iter_mut().zip(request.header().iter().chain(payload)) {
            *into = *from;
        }
        self.next_request_id = self.next_request_id.wrapping_add(1);
        self.settle(Asked { request_id, key_slot, payload_kind, return_canonical, size, read_in: None })
    }

    /// Asks again for the answer to the last request, if it was sent and its outcome is not known: the same number and
    /// the same bytes, to which the vault gives the same answer. `None` when there is no such request.
    ///
    /// A vault remembers the last 256 answers of a client (256 KiB of them). An older request is judged anew, and its
    /// signature is another one only where the venue's scheme draws a number for each; none of these does.
    pub fn ask_again(&mut self) -> Option<Result<Signed, SignError>> {
        let asked = self.unknown.take()?;
        Some(self.settle(asked))
    }

    /// Says that this bot is alive, and asks which mode is in force for it.
    ///
    /// A vault whose book wants heartbeats ([`Welcome::heartbeat_ms`] is not 0) lets a client that it does not hear for
    /// so long do only what the book says for it. No thread of this crate sends them: a bot whose trading loop hangs is
    /// not alive, so it is the loop that has to call this. Every request counts as one too.
    ///
    /// # Errors
    /// [`SignError`].
    pub fn heartbeat(&mut self) -> Result<Mode, SignError> {
        self.retry.start();
        loop {
            match self.beat() {
                Ok(mode) => {
                    self.mode = mode;
                    return Ok(mode);
                }
                Err(Miss::Passing(error)) => self.retry.pause(error)?,
                Err(Miss::Final(error)) => return Err(error),
            }
        }
    }

    /// The mode in force for this client, as the vault said it last: when the session was opened, or in answer to the
    /// last heartbeat.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// What the vault said when it let this client in the last time: boot, book, receipt key, heartbeat, records kept.
    #[must_use]
    pub const fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// What became of the kept records the last time that they were handed in; `None` as long as they never were.
    #[must_use]
    pub const fn handed_in(&self) -> Option<&Result<HandedIn, HandInFault>> {
        self.handed_in.as_ref()
    }

    /// The last records of this client, the oldest first, as many as the vault asked for.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.records.iter()
    }

    /// Sends the request until there is an answer, or none to be had.
    fn settle(&mut self, mut asked: Asked) -> Result<Signed, SignError> {
        self.unknown = None;
        self.retry.start();
        let outcome = loop {
            match self.attempt(&mut asked) {
                Ok(outcome) => break outcome,
                Err(Miss::Final(error)) => break Err(error),
                Err(Miss::Passing(error)) => match self.retry.pause(error) {
                    Ok(()) => {}
                    Err(SignError::NotConnected { trouble, .. }) if asked.read_in.is_some() => {
                        let cause = Lost::Session(trouble);
                        break Err(SignError::OutcomeUnknown { request_id: asked.request_id, cause });
                    }
                    Err(error) => break Err(error),
                },
            }
        };
        let is_answerable = match &outcome {
            Err(SignError::OutcomeUnknown { cause, .. }) => !matches!(cause, Lost::BootChanged),
            Err(error) => error.is_outcome_unknown(),
            Ok(_) => false,
        };
        self.unknown = is_answerable.then_some(asked);
        outcome
    }

    /// Sends the request once. The session is kept only when a reply came that it can go on after.
    fn attempt(&mut self, asked: &mut Asked) -> Result<Result<Signed, SignError>, Miss> {
        let request_id = asked.request_id;
        let unknown =
            |error| Miss::Final(SignError::OutcomeUnknown { request_id, cause: Lost::Session(error) });
        let mut session = self.take_session().map_err(|error| match asked.read_in {
            _ if is_passing(&error) => Miss::Passing(error),
            Some(_) => unknown(error),
            None => Miss::Final(final_error(error, None)),
        })?;
        let boot_id = self.welcome.boot_id;
        if asked.read_in.is_some_and(|boot| boot != boot_id) {
            self.session = Some(session);
            let cause = Lost::BootChanged;
            return Err(Miss::Final(SignError::OutcomeUnknown { request_id, cause }));
        }
        // After an error the vault has not got all of the frame, and nothing can have come of it.
        session.send(self.request.get(..asked.size).unwrap_or_default()).map_err(Miss::Passing)?;
        let size = match session.receive(&mut self.reply) {
            Ok(size) => size,
            // A unix socket is reset, and not just ended, when its far end closed without having read all
            // that was sent (unix_release_sock in the kernel): the frame was not complete there. A reset inside
            // a reply is another error.
            Err(error) if self.is_unix() && is_reset(&error) => return Err(Miss::Passing(error)),
            Err(error) => {
                asked.read_in = Some(boot_id);
                return Err(if is_timeout(&error) {
                    // The bot's patience for this request is at its end.
                    unknown(error)
                } else if is_passing(&error) {
                    Miss::Passing(error)
                } else {
                    Miss::Final(final_error(error, Some(request_id)))
                });
            }
        };
        asked.read_in = Some(boot_id);
        let request = Request {
            key_slot: asked.key_slot,
            payload_kind: asked.payload_kind,
            return_canonical: asked.return_canonical,
            request_id,
            payload: self.request.get(HEADER_SIZE..asked.size).unwrap_or_default(),
        };
        let body = self.reply.get(..size).unwrap_or_default();
        let outcome = signed::read(body, &request, &mut self.records, &mut self.scratch);
        if !matches!(outcome, Err(SignError::ProtocolViolation { .. })) {
            self.session = Some(session);
        }
        Ok(outcome)
    }

    /// Sends a heartbeat once.
    fn beat(&mut self) -> Result<Mode, Miss> {
        let miss = |error| {
            if is_passing(&error) { Miss::Passing(error) } else { Miss::Final(final_error(error, None)) }
        };
        let mut session = self.take_session().map_err(miss)?;
        let size = session.exchange(&head(Kind::Heartbeat), &mut self.reply).map_err(miss)?;
        let standing = frame::content(self.reply.get(..size).unwrap_or_default(), Kind::Standing);
        let mode = match standing {
            Ok([number]) => Mode::ALL.get(usize::from(*number)),
            Ok(_) | Err(_) => None,
        };
        let violation = SignError::ProtocolViolation { request_id: 0, violation: Violation::NotAStanding };
        let mode = *mode.ok_or(Miss::Final(violation))?;
        self.session = Some(session);
        Ok(mode)
    }

    /// The session, or a new one. Before a new one the records are handed in.
    fn take_session(&mut self) -> Result<Attested<Stream>, SessionError> {
        if let Some(session) = self.session.take() {
            self.is_hand_in_due = true;
            return Ok(session);
        }
        if self.is_hand_in_due && !self.records.is_empty() {
            let outcome = self.records.hand_in(&self.address, self.config.connect_timeout);
            self.is_hand_in_due = outcome.is_err();
            self.handed_in = Some(outcome);
        }
        let session = open(&self.address, &self.config)?;
        self.welcome = *session.welcome();
        self.mode = self.welcome.mode;
        self.records.connect(&self.welcome);
        Ok(session)
    }

    const fn is_unix(&self) -> bool {
        !matches!(self.address, Address::Vsock { .. })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("address", &self.address)
            .field("config", &self.config)
            .field("session", &self.session)
            .field("mode", &self.mode)
            .field("unknown", &self.unknown)
            .finish_non_exhaustive()
    }
}

fn open(address: &Address, config: &Config) -> Result<Attested<Stream>, SessionError> {
    Attested::dial(address, config.connect_timeout, &config.opening(), config.patience())
}

/// Whether another attempt may do better: nobody was there, or everything was taken.
fn is_passing(error: &SessionError) -> bool {
    match error {
        SessionError::Transport(Error::Frame(_)) | SessionError::Distrust(_) | SessionError::Fault(_) => {
            false
        }
        SessionError::Transport(_) | SessionError::Closed => true,
        SessionError::Denied { .. } => {
            error.denial().is_some_and(|denial| denial.family() == Family::Unavailable)
        }
    }
}

/// The error of a bot whose session ended for good. A request with the number `read` may have been signed.
fn final_error(error: SessionError, read: Option<u64>) -> SignError {
    match error {
        SessionError::Distrust(distrust) => SignError::Distrusted(distrust),
        SessionError::Denied { code } => SignError::Denied { code },
        SessionError::Fault(fault) => SignError::SessionBroken { request_id: read, fault },
        SessionError::Transport(Error::Frame(fault)) => {
            SignError::SessionBroken { request_id: read, fault: Fault::Frame(fault) }
        }
        trouble @ (SessionError::Transport(_) | SessionError::Closed) => {
            SignError::NotConnected { attempts: 1, trouble }
        }
    }
}

fn is_timeout(error: &SessionError) -> bool {
    matches!(error, SessionError::Transport(Error::Idle { .. } | Error::DeadlinePassed { .. }))
}

fn is_reset(error: &SessionError) -> bool {
    matches!(error, SessionError::Transport(Error::Io(error)) if error.kind() == ErrorKind::ConnectionReset)
}

/// From the kernel; `getrandom` gives this few bytes whole or not at all. If it cannot, zero will do: neither
/// request numbers nor pauses are secrets.
fn random() -> u64 {
    let mut bytes = [0_u8; 8];
    loop {
        match getrandom(&mut bytes, GetRandomFlags::empty()) {
            Err(Errno::INTR) => {}
            _ => return u64::from_le_bytes(bytes),
        }
    }
}
