//! The admin socket: passes a command on to the vault's control channel and its status back.
//!
//! It shares nothing with the relay but the process: threads, connections and the channel to the vault are its
//! own, so that a kill gets through whatever the bots do.

use std::time::Duration;

use transport::{Address, Error, Framed, Patience, Stream};
use wire::CONTROL_SIZE_MAX;
use wire::control::{self, Command};

use crate::control::ask;
use crate::log::{self, Level, Limited};

/// How long an operator's program may take for its command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

static ADMIN_CUT: Limited = Limited::new("admin_cut");

/// Serves one operator: one command, one answer.
pub(crate) fn run(operator: Stream, vault_control: &Address) {
    if let Err(error) = pass_on(operator, vault_control) {
        ADMIN_CUT.warn(&[("error", &error)]);
    }
}

fn pass_on(operator: Stream, vault_control: &Address) -> Result<(), Error> {
    let patience = Patience { idle: Some(COMMAND_TIMEOUT), frame: COMMAND_TIMEOUT };
    let mut operator = Framed::new(operator, CONTROL_SIZE_MAX, patience)?;
    let Some(body) = operator.read()? else {
        return Ok(());
    };
    let Ok(command) = control::read_command(body) else {
        let kind = body.get(1).copied().unwrap_or_default();
        return Err(Error::Frame(wire::frame::FrameFault::Kind(kind)));
    };
    let answer = match ask(vault_control, command) {
        Ok(answer) => answer,
        Err(error) => {
            log::write(Level::Error, "control_failed", &[("error", &error)]);
            return Ok(());
        }
    };
    if command == Command::Kill {
        let mode = answer.status().map(|status| format!("{:?}", status.mode));
        log::write(Level::Warn, "killed", &[("mode", &mode.unwrap_or_default())]);
    }
    operator.write([answer.body()])
}
