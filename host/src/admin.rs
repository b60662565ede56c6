//! The admin socket: passes a command on to the vault's control channel and its status back.
//!
//! It shares nothing with the relay but the process: threads, connections and the channel to the vault are its
//! own, so that a kill gets through whatever the bots do. A connection that gives no command within 2 s is cut,
//! and earlier when others need its place.

use std::time::Duration;

use transport::{Address, Error, Framed, Patience, Stream};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command};

use crate::control::{Attempt, ask_once};
use crate::door::Busy;
use crate::log::{self, Level, Limited};

/// How long an operator's program may take to start its command, and then again to end it.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the vault may take. The operator's program asks again if this fails.
const ATTEMPT: Attempt = Attempt { connect: Duration::from_secs(1), answer: Duration::from_secs(2) };

static ADMIN_CUT: Limited = Limited::new("admin_cut");

/// Serves one operator: one command, one answer.
pub(crate) fn run(operator: Stream, busy: &Busy, vault_control: &Address) {
    if let Err(error) = pass_on(operator, busy, vault_control) {
        ADMIN_CUT.warn(&[("error", &error)]);
    }
}

fn pass_on(operator: Stream, busy: &Busy, vault_control: &Address) -> Result<(), Error> {
    let patience = Patience { idle: Some(COMMAND_TIMEOUT), frame: COMMAND_TIMEOUT };
    let mut operator = Framed::new(operator, CONTROL_SIZE_MAX, patience)?;
    let Some(body) = operator.read()? else {
        return Ok(());
    };
    let Ok(command) = control::read_command(body) else {
        let kind = body.get(1).copied().unwrap_or_default();
        return Err(Error::Frame(wire::frame::FrameFault::Kind(kind)));
    };
    busy.set();
    let is_kill = command == Command::Kill;
    let answer = match ask_once(vault_control, command, ATTEMPT) {
        Ok(answer) => answer,
        Err(error) => {
            log::write(Level::Error, "control_failed", &[("error", &error)]);
            return Ok(());
        }
    };
    if is_kill {
        let mode = answer.status().map(|status| format!("{:?}", status.mode));
        log::write(Level::Warn, "killed", &[("mode", &mode.unwrap_or_default())]);
    }
    operator.write([answer.body()])
}
