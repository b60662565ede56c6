//! Asking the vault on its control channel, over a connection made for the one question.

use core::fmt;
use std::thread;
use std::time::{Duration, Instant};

use transport::{Address, Dial as _, Error, Framed, Patience, Stream};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command, Status};
use wire::{Refusal, Shown};

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
            Self::Closed => f.write_str("closed without an answer"),
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

/// Gives the vault (or the daemon's admin socket, which speaks the same) one command, over a new connection each
/// time, until there is an answer or 5 s have passed. Every command may be given any number of times; of an order all but the
/// first are refused.
///
/// # Errors
/// [`ControlError::NoAnswer`]. A kill may or may not have been obeyed; ask again.
pub fn ask(address: &Address, command: Command<'_>) -> Result<Answer, ControlError> {
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
pub fn ask_once(address: &Address, command: Command<'_>, attempt: Attempt) -> Result<Answer, ControlError> {
    let patience = Patience { idle: Some(attempt.answer), frame: attempt.answer };
    let stream = address.dial(attempt.connect)?;
    ask_on(&mut Framed::new(stream, CONTROL_SIZE_MAX, patience)?, command)
}

/// Like [`ask_once`], over a connection that is there.
pub(crate) fn ask_on(connection: &mut Framed<Stream>, command: Command<'_>) -> Result<Answer, ControlError> {
    let mut question = [0; CONTROL_SIZE_MAX];
    let size = control::write_command(command, &mut question).map_err(|_| ControlError::NotAnAnswer)?;
    connection.write([question.get(..size).unwrap_or_default()])?;
    let answer = Answer { body: connection.read()?.ok_or(ControlError::Closed)?.to_vec() };
    match answer.read() {
        Ok(_) | Err(ControlError::Refused { .. }) => Ok(answer),
        Err(error) => Err(error),
    }
}

#[allow(clippy::disallowed_methods)] // bounds a wait; no part of any judgement
fn started() -> Instant {
    Instant::now()
}
