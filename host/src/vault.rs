//! The vault as its host reaches it: over attested sessions on the control channel.
//!
//! The host has a key that the book names ([`Identity`]); nobody else is heard there. It checks the vault as a client does:
//! a root vouches for the document, and the book is the one that it was told.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use session::SessionKey;
use session::attestation::{Pin, Root};
use transport::{Address, Attested, Opening, Patience, SessionError, Stream};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command};
use wire::session::{Channel, SEALED_BODY_SIZE_MAX};

use crate::control::{Answer, ControlError};

/// How old an attestation document may be, milliseconds.
const DOCUMENT_AGE_MS_MAX: u64 = 60_000;

/// How long the vault may take to take a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the vault may take for an answer, and a frame on its way.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// As whom the host comes, and what it takes for its vault.
pub struct Identity {
    key: SessionKey,
    pin: Pin,
    root: Box<dyn Root + Send + Sync>,
}

impl Identity {
    /// The host with this key, for vaults with this book, by the word of this root.
    #[must_use]
    pub fn new(key: SessionKey, policy_hash: [u8; 32], root: impl Root + Send + Sync + 'static) -> Self {
        Self { key, pin: Pin::new(policy_hash, DOCUMENT_AGE_MS_MAX), root: Box::new(root) }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("key", &self.key.public_key())
            .field("pin", &self.pin)
            .finish_non_exhaustive()
    }
}

/// Where the vault takes commands, and as whom to come.
#[derive(Debug)]
pub struct Vault {
    control: Address,
    identity: Identity,
}

impl Vault {
    /// A vault; nothing is connected yet.
    #[must_use]
    pub fn new(control: Address, identity: Identity) -> Self {
        Self { control, identity }
    }

    /// Opens a session.
    ///
    /// # Errors
    /// [`ControlError::Session`].
    pub fn call(&self) -> Result<Line, ControlError> {
        let Identity { key, pin, root } = &self.identity;
        let opening = Opening { root: &**root, pin: *pin, key, certificate: None, channel: Channel::Control };
        let patience = Patience { idle: Some(ANSWER_TIMEOUT), frame: ANSWER_TIMEOUT };
        let session = Attested::dial(&self.control, CONNECT_TIMEOUT, &opening, patience)?;
        Ok(Line { session, answer: vec![0; SEALED_BODY_SIZE_MAX].into_boxed_slice() })
    }
}

/// A session with the vault. After an error it is over.
#[derive(Debug)]
pub struct Line {
    session: Attested<Stream>,
    answer: Box<[u8]>,
}

impl Line {
    /// The boot that the session is with.
    #[must_use]
    pub fn boot_id(&self) -> [u8; 16] {
        self.session.welcome().boot_id
    }

    /// Gives a command and waits for its answer.
    ///
    /// # Errors
    /// [`ControlError`], but never [`ControlError::Refused`]: that is an answer.
    pub fn ask(&mut self, command: Command<'_>) -> Result<Answer, ControlError> {
        let mut body = [0; CONTROL_SIZE_MAX];
        let size = control::write_command(command, &mut body).map_err(|_| ControlError::DoesNotFit)?;
        let size = self.session.exchange(body.get(..size).unwrap_or_default(), &mut self.answer)?;
        Answer::new(self.answer.get(..size).unwrap_or_default())
    }
}

/// A session that is opened when it is needed, for who gives a command now and then. One command at a time.
#[derive(Debug)]
pub(crate) struct Standby {
    vault: Arc<Vault>,
    line: Mutex<Option<Line>>,
}

impl Standby {
    pub(crate) fn new(vault: Arc<Vault>) -> Self {
        Self { vault, line: Mutex::new(None) }
    }

    /// Gives a command, over a new session if the old one is lost: the vault may have booted anew.
    ///
    /// # Errors
    /// [`ControlError`].
    pub(crate) fn ask(&self, command: Command<'_>) -> Result<Answer, ControlError> {
        let mut place = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut line) = place.take()
            && let Ok(answer) = line.ask(command)
        {
            *place = Some(line);
            return Ok(answer);
        }
        let mut line = self.vault.call()?;
        let answer = line.ask(command)?;
        *place = Some(line);
        Ok(answer)
    }
}

impl From<SessionError> for ControlError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}
