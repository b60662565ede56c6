//! The admin socket: passes an operator's command on to the vault, over the host's session, and the answer back.
//!
//! It shares nothing with the relay but the process: threads, connections and the session with the vault are its
//! own, so that a kill gets through whatever the bots do. A connection that gives no command within 1 s is cut,
//! and earlier when others need its place. Records are not given out here: who takes them says what is on disk.

use std::time::Duration;

use transport::{Error, Framed, Patience, Stream};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command};
use wire::frame::{FrameFault, Kind};

use crate::door::Busy;
use crate::log::{self, Level, Limited};
use crate::vault::Standby;

/// How long an operator's program may take to start its command, and then again to end it.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(1);

static ADMIN_CUT: Limited = Limited::new("admin_cut");

/// Serves one operator: one command, one answer.
pub(crate) fn run(operator: Stream, busy: &Busy, vault: &Standby) {
    if let Err(error) = pass_on(operator, busy, vault) {
        ADMIN_CUT.warn(&[("error", &error)]);
    }
}

fn pass_on(operator: Stream, busy: &Busy, vault: &Standby) -> Result<(), Error> {
    let patience = Patience { idle: Some(COMMAND_TIMEOUT), frame: COMMAND_TIMEOUT };
    let mut operator = Framed::new(operator, CONTROL_SIZE_MAX, patience)?;
    let Some(body) = operator.read()? else {
        return Ok(());
    };
    let command = match control::read_command(body) {
        Ok(Command::Take { .. }) => return Err(Error::Frame(FrameFault::Kind(Kind::Control as u8))),
        Ok(command) => command,
        Err(_) => {
            let kind = body.get(1).copied().unwrap_or_default();
            return Err(Error::Frame(FrameFault::Kind(kind)));
        }
    };
    busy.set();
    let answer = match vault.ask(command) {
        Ok(answer) => answer,
        // No answer is made up: the operator's program asks again.
        Err(error) => {
            log::write(Level::Error, "control_failed", &[("error", &error)]);
            return Ok(());
        }
    };
    tell(command, &answer);
    operator.write([answer.body()])
}

/// What made the vault stricter, or was to.
fn tell(command: Command<'_>, answer: &crate::control::Answer) {
    let event = match command {
        Command::Kill => "killed",
        Command::Tighten { .. } => "tightened",
        Command::CutClient { .. } => "client_cut",
        Command::Order { .. } => "order_given",
        Command::Status | Command::Challenge | Command::Take { .. } => return,
    };
    match answer.status() {
        Ok(status) => log::write(Level::Warn, event, &[("mode", &status.mode.as_str())]),
        Err(error) => log::write(Level::Warn, event, &[("error", &error)]),
    }
}
