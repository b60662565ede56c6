//! Commands to the vault and their answers, for operators' programs: through a daemon's admin socket, or straight to the
//! vault with the host's key.

use core::fmt;
use std::thread;
use std::time::{Duration, Instant};

use transport::{Address, Dial as _, Error, Framed, Patience, SessionError};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command, Status};
use wire::{Refusal, Shown};

use crate::vault::Vault;

/// How long a daemon may take to take a connection, and then to answer: longer than its own question to the vault.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(8);

/// After this time no further attempt begins.
const ASK_TIME_MAX: Duration = Duration::from_secs(5);

/// Between two attempts.
const ATTEMPT_PAUSE: Duration = Duration::from_millis(50);

/// Why there is no answer.
#[derive(Debug)]
pub enum ControlError {
    /// The daemon's socket failed.
    Transport(Error),
    /// There is no session with the vault, or no longer one.
    Session(SessionError),
    /// The daemon closed without an answer.
    Closed,
    /// The command is larger than a frame.
    DoesNotFit,
    /// What came is no answer, or none to this command.
    NotAnAnswer,
    /// The vault did not obey.
    Refused {
        /// the refusal's code
        code: u16,
        /// what it saw
        observed: Shown,
        /// what it would have obeyed
        limit: Shown,
    },
    /// None of several attempts got an answer.
    NoAnswer {
        /// how many there were
        attempts: u32,
        /// why the last one failed
        last: Box<ControlError>,
    },
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(f),
            Self::Session(error) => write!(f, "the vault: {error}"),
            Self::Closed => f.write_str("closed without an answer"),
            Self::DoesNotFit => f.write_str("the command is larger than a frame"),
            Self::NotAnAnswer => f.write_str("what came is no answer to this command"),
            Self::Refused { code, observed, limit } => {
                match Refusal::from_code(*code) {
                    Some(refusal) => {
                        let explanation = refusal.explanation().trim_end_matches('.');
                        write!(f, "refused by {}: {explanation}", refusal.name())?;
                    }
                    None => write!(f, "refused with code {code}")?,
                }
                for (name, shown) in [("observed", observed), ("limit", limit)] {
                    if *shown != Shown::Nothing {
                        write!(f, "; {name} {shown}")?;
                    }
                }
                Ok(())
            }
            Self::NoAnswer { attempts, last } => write!(f, "no answer in {attempts} attempts: {last}"),
        }
    }
}

impl std::error::Error for ControlError {}

impl From<Error> for ControlError {
    fn from(error: Error) -> Self {
        Self::Transport(error)
    }
}

/// The body of an answer, known to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    body: Vec<u8>,
}

impl Answer {
    /// Takes what came.
    ///
    /// # Errors
    /// [`ControlError::NotAnAnswer`].
    pub(crate) fn new(body: &[u8]) -> Result<Self, ControlError> {
        control::read_answer(body).map_err(|_| ControlError::NotAnAnswer)?;
        Ok(Self { body: body.to_vec() })
    }

    /// The answer.
    ///
    /// # Errors
    /// [`ControlError::Refused`] when the vault did not obey.
    pub fn read(&self) -> Result<control::Answer<'_>, ControlError> {
        match control::read_answer(&self.body) {
            Ok(control::Answer::Refused { code, observed, limit }) => {
                Err(ControlError::Refused { code, observed, limit })
            }
            Ok(answer) => Ok(answer),
            Err(_) => Err(ControlError::NotAnAnswer),
        }
    }

    /// The status.
    ///
    /// # Errors
    /// [`ControlError::Refused`]; [`ControlError::NotAnAnswer`] when it is another answer.
    pub fn status(&self) -> Result<Status<'_>, ControlError> {
        match self.read()? {
            control::Answer::Status(status) => Ok(status),
            control::Answer::Challenge(_) | control::Answer::Records(_) | control::Answer::Refused { .. } => {
                Err(ControlError::NotAnAnswer)
            }
        }
    }

    /// As it came.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// Gives the vault one command through a daemon's admin socket, over a new connection each time, until there is an answer
/// or 5 s have passed. Every command may be given any number of times; of an order all but the first are refused.
///
/// # Errors
/// [`ControlError::NoAnswer`]. A kill may or may not have been obeyed; ask again.
pub fn ask(admin: &Address, command: Command<'_>) -> Result<Answer, ControlError> {
    insist(|| ask_daemon(admin, command))
}

/// Like [`ask`], without a daemon.
///
/// # Errors
/// As [`ask`].
pub fn ask_vault(vault: &Vault, command: Command<'_>) -> Result<Answer, ControlError> {
    insist(|| vault.call()?.ask(command))
}

fn insist(attempt: impl Fn() -> Result<Answer, ControlError>) -> Result<Answer, ControlError> {
    let since = started();
    let mut attempts: u32 = 0;
    loop {
        let error = match attempt() {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        attempts = attempts.saturating_add(1);
        if error.is_hopeless() || since.elapsed() >= ASK_TIME_MAX {
            return Err(ControlError::NoAnswer { attempts, last: Box::new(error) });
        }
        thread::sleep(ATTEMPT_PAUSE);
    }
}

impl ControlError {
    /// Whether another attempt would end the same way.
    fn is_hopeless(&self) -> bool {
        match self {
            Self::Transport(error) | Self::Session(SessionError::Transport(error)) => {
                matches!(error, Error::VsockNotInThisBuild)
            }
            Self::Session(error) => matches!(error, SessionError::Distrust(_)),
            Self::DoesNotFit => true,
            Self::Closed | Self::NotAnAnswer | Self::Refused { .. } | Self::NoAnswer { .. } => false,
        }
    }
}

fn ask_daemon(admin: &Address, command: Command<'_>) -> Result<Answer, ControlError> {
    let patience = Patience { idle: Some(ANSWER_TIMEOUT), frame: ANSWER_TIMEOUT };
    let mut daemon = Framed::new(admin.dial(CONNECT_TIMEOUT)?, CONTROL_SIZE_MAX, patience)?;
    let mut question = [0; CONTROL_SIZE_MAX];
    let size = control::write_command(command, &mut question).map_err(|_| ControlError::DoesNotFit)?;
    daemon.write([question.get(..size).unwrap_or_default()])?;
    Answer::new(daemon.read()?.ok_or(ControlError::Closed)?)
}

#[allow(clippy::disallowed_methods)] // bounds a wait; no part of any judgement
fn started() -> Instant {
    Instant::now()
}
