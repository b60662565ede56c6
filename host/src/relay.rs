//! The relay: one connection to the vault for each bot, frame by frame.
//!
//! ```text
//! bot     ── request ──>  kind and size checked  ── the same bytes ──>  vault
//! bot     <── the same bytes ──  receipt appended to the ledger  <── reply ──
//! ```
//! A reply whose receipt is not in the ledger does not go on. A request that was passed on is followed to its
//! receipt even when the bot is gone by then.

use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use transport::{Address, Dial as _, Error, Framed, Patience, Stop, Stream};
use wire::frame::{self, Kind};
use wire::receipt::CODE_SIGNED;
use wire::reply::Reply;
use wire::{REPLY_SIZE_MAX, REQUEST_SIZE_MAX};

use crate::log::{self, Level, Limited};
use crate::receipts::{Flight, Ledger, LedgerError};

/// How long a connection to the vault may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the vault may take for a reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// From a frame's first byte to its last, in either direction.
const FRAME_TIMEOUT: Duration = Duration::from_secs(2);

static VAULT_AWAY: Limited = Limited::new("vault_away");
static BOT_CUT: Limited = Limited::new("bot_cut");
static VAULT_LOST: Limited = Limited::new("vault_lost");

/// What all connections share.
pub(crate) struct Relay {
    pub(crate) vault: Address,
    pub(crate) ledger: Arc<Ledger>,
    /// Told by whoever wants the relay to end; tells everyone else.
    pub(crate) stop: Stop,
}

/// Why a connection ended.
enum End {
    /// The bot left, or the relay stops.
    Quiet,
    /// The bot sent what it may not, or did not take its reply.
    Bot(Error),
    /// The vault left or did not answer.
    Vault(Error),
    /// The receipt could not be kept.
    Ledger(LedgerError),
}

impl Relay {
    /// Serves one bot until either side leaves.
    pub(crate) fn run(&self, bot: Stream) {
        let vault = match self.vault.dial(CONNECT_TIMEOUT) {
            Ok(vault) => vault,
            // Nothing of the bot was read, so its system tells it that nothing was taken.
            Err(error) => return VAULT_AWAY.warn(&[("error", &error)]),
        };
        match self.carry(bot, vault) {
            Ok(()) | Err(End::Quiet) => {}
            Err(End::Bot(error)) => BOT_CUT.warn(&[("error", &error)]),
            Err(End::Vault(error)) => VAULT_LOST.warn(&[("error", &error)]),
            Err(End::Ledger(error @ (LedgerError::NotAReceipt | LedgerError::TooManyWaiting))) => {
                VAULT_LOST.warn(&[("error", &error)]);
            }
            Err(End::Ledger(error @ LedgerError::Disk(_))) => {
                log::write(Level::Error, "receipts_not_kept", &[("error", &error)]);
                self.stop.stop();
            }
        }
    }

    fn carry(&self, bot: Stream, vault: Stream) -> Result<(), End> {
        let patience = |idle| Patience { idle: Some(idle), frame: FRAME_TIMEOUT };
        let mut bot = Framed::new(bot, REQUEST_SIZE_MAX, patience(FRAME_TIMEOUT)).map_err(End::Bot)?;
        let mut vault = Framed::new(vault, REPLY_SIZE_MAX, patience(REPLY_TIMEOUT)).map_err(End::Vault)?;
        loop {
            self.wait(&bot, &vault)?;
            let Some(request) = bot.read().map_err(End::Bot)? else {
                return Ok(());
            };
            match frame::kind(request) {
                Ok(Kind::Request) => {}
                Ok(other) => return Err(End::Bot(Error::Frame(frame::FrameFault::Kind(other as u8)))),
                Err(fault) => return Err(End::Bot(Error::Frame(fault))),
            }
            let flight = self.ledger.begin();
            vault.write([request]).map_err(End::Vault)?;
            let reply = vault.read().map_err(End::Vault)?.ok_or_else(vault_closed)?;
            keep_receipt(flight, reply)?;
            bot.write([reply]).map_err(End::Bot)?;
        }
    }

    /// Waits for the bot's next frame to start. Ends when the vault leaves meanwhile, or the relay stops.
    fn wait(&self, bot: &Framed<Stream>, vault: &Framed<Stream>) -> Result<(), End> {
        loop {
            let timeout = bot.has_buffered().then(Default::default);
            let mut watched = [
                PollFd::new(&self.stop, PollFlags::IN),
                PollFd::new(vault, PollFlags::IN),
                PollFd::new(bot, PollFlags::IN),
            ];
            match poll(&mut watched, timeout.as_ref()) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(End::Bot(error.into())),
            }
            let [stop, vault, _] = watched.map(|watched| !watched.revents().is_empty());
            if stop {
                return Err(End::Quiet);
            }
            if vault {
                // It has nothing to say unasked: it closed, or it has no place for this connection.
                return Err(vault_closed());
            }
            return Ok(());
        }
    }
}

fn keep_receipt(flight: Flight<'_>, body: &[u8]) -> Result<(), End> {
    let reply = Reply::read(body).map_err(|_| End::Ledger(LedgerError::NotAReceipt))?;
    if reply.receipt.is_empty() && reply.code != CODE_SIGNED {
        // The vault could not seal one and says so; it signed nothing.
        return Ok(());
    }
    reply.receipt().map_err(|_| End::Ledger(LedgerError::NotAReceipt))?;
    flight.append(reply.receipt).map_err(End::Ledger)
}

fn vault_closed() -> End {
    End::Vault(Error::Io(std::io::ErrorKind::UnexpectedEof.into()))
}
