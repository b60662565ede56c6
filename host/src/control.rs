//! Asking the vault on its control channel, over a connection made for the one question.

use core::fmt;
use std::thread;
use std::time::{Duration, Instant};

use transport::{Address, Dial as _, Error, Framed, Patience};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command, Status};

/// How long one attempt may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// for the connection to be made
    pub connect: Duration,
    /// then for the answer
    pub answer: Duration,
}

/// How long one attempt of [`ask`] may take; longer than the daemon's own question to the vault.
const ATTEMPT: Attempt = Attempt { connect: Duration::from_secs(1), answer: Duration::from_secs(4) };

/// After this time no further attempt begins.
const ASK_TIME_MAX: Duration = Duration::from_secs(5);

/// Between two attempts.
const ATTEMPT_PAUSE: Duration = Duration::from_millis(50);

/// Why there is no answer.
#[derive(Debug)]
pub enum ControlError {
    /// The socket failed.
    Transport(Error),
    /// The vault closed without an answer.
    Closed,
    /// What came is no status.
    NotAStatus,
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
            Self::Closed => f.write_str("closed without an answer"),
            Self::NotAStatus => f.write_str("the answer is no status"),
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

/// The body of a status, known to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    body: Vec<u8>,
}

impl Answer {
    /// The status.
    ///
    /// # Errors
    /// Never; it was read before.
    pub fn status(&self) -> Result<Status<'_>, ControlError> {
        control::read_status(&self.body).map_err(|_| ControlError::NotAStatus)
    }

    /// As it came.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// Gives the vault (or the daemon's admin socket, which speaks the same) one command, over a new connection each
/// time, until there is an answer or 5 s have passed. Both commands may be given any number of times.
///
/// # Errors
/// [`ControlError::NoAnswer`]. A kill may or may not have been obeyed; ask again.
pub fn ask(address: &Address, command: Command) -> Result<Answer, ControlError> {
    let since = started();
    let mut attempts: u32 = 0;
    loop {
        let error = match ask_once(address, command, ATTEMPT) {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        attempts = attempts.saturating_add(1);
        let is_hopeless = matches!(error, ControlError::Transport(Error::VsockNotInThisBuild));
        if is_hopeless || since.elapsed() >= ASK_TIME_MAX {
            return Err(ControlError::NoAnswer { attempts, last: Box::new(error) });
        }
        thread::sleep(ATTEMPT_PAUSE);
    }
}

/// One attempt of [`ask`].
///
/// # Errors
/// [`ControlError`]. After an error a kill may or may not have been obeyed.
pub fn ask_once(address: &Address, command: Command, attempt: Attempt) -> Result<Answer, ControlError> {
    let patience = Patience { idle: Some(attempt.answer), frame: attempt.answer };
    let stream = address.dial(attempt.connect)?;
    let mut framed = Framed::new(stream, CONTROL_SIZE_MAX, patience)?;
    let mut question = [0; CONTROL_SIZE_MAX];
    let size = control::write_command(command, &mut question).map_err(|_| ControlError::NotAStatus)?;
    framed.write([question.get(..size).unwrap_or_default()])?;
    let answer = Answer { body: framed.read()?.ok_or(ControlError::Closed)?.to_vec() };
    answer.status()?;
    Ok(answer)
}

#[allow(clippy::disallowed_methods)] // bounds a wait; no part of any judgement
fn started() -> Instant {
    Instant::now()
}
