//! Asking the vault on its control channel, over a connection made for the one question.

use core::fmt;
use std::time::Duration;

use transport::{Address, Dial as _, Error, Framed, Patience};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command, Status};

/// How long a connection to the vault may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the vault may take for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Why there is no answer.
#[derive(Debug)]
pub enum ControlError {
    /// The socket failed.
    Transport(Error),
    /// The vault closed without an answer.
    Closed,
    /// What came is no status.
    NotAStatus,
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(f),
            Self::Closed => f.write_str("closed without an answer"),
            Self::NotAStatus => f.write_str("the answer is no status"),
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

/// Gives the vault (or the daemon's admin socket, which speaks the same) one command.
///
/// # Errors
/// [`ControlError`]. After an error a kill may or may not have been obeyed; ask again.
pub fn ask(address: &Address, command: Command) -> Result<Answer, ControlError> {
    let patience = Patience { idle: Some(ANSWER_TIMEOUT), frame: ANSWER_TIMEOUT };
    let stream = address.dial(CONNECT_TIMEOUT)?;
    let mut framed = Framed::new(stream, CONTROL_SIZE_MAX, patience)?;
    let mut question = [0; CONTROL_SIZE_MAX];
    let size = control::write_command(command, &mut question).map_err(|_| ControlError::NotAStatus)?;
    framed.write([question.get(..size).unwrap_or_default()])?;
    let answer = Answer { body: framed.read()?.ok_or(ControlError::Closed)?.to_vec() };
    answer.status()?;
    Ok(answer)
}
