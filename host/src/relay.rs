//! The relay: one connection to the vault for each bot, frame by frame. It reads none of them.
//!
//! ```text
//! bot   ── hello, handshake, sealed ──>  kind and size checked  ── the same bytes ──>  vault
//! bot   <── the same bytes ──────────────────────────────────────── its one answer ──  vault
//! bot   ── records that it kept ──>  handed-in/        (the vault hears nothing of it)
//! ```
//! Whether a reply waits for its record to be on disk is the vault's to decide, by its book: a relay could not be trusted
//! with that, and it cannot see a record in a sealed frame anyway.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use transport::{Address, Dial as _, Error, Framed, Patience, Stop, Stream};
use wire::frame::{self, FrameFault, Kind};
use wire::hand_in::{read_hand_in, write_taken};
use wire::session::{ATTESTATION_SIZE_MAX, SEALED_REPLY_SIZE_MAX, SEALED_REQUEST_SIZE_MAX};

use crate::log::Limited;
use crate::receipts::HandedIn;

/// How long a connection to the vault may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the vault may take for a reply. In a book whose receipts are durable it waits for the disk.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// From a frame's first byte to its last, in either direction, and for a connection's first frame.
const FRAME_TIMEOUT: Duration = Duration::from_secs(2);

const _: () = assert!(ATTESTATION_SIZE_MAX <= SEALED_REPLY_SIZE_MAX);

static VAULT_AWAY: Limited = Limited::new("vault_away");
static BOT_CUT: Limited = Limited::new("bot_cut");
static VAULT_LOST: Limited = Limited::new("vault_lost");
static HANDED_IN_FULL: Limited = Limited::new("handed_in_full");
static NOT_HANDED_IN: Limited = Limited::new("records_not_handed_in");

/// What all connections share.
pub(crate) struct Relay {
    pub(crate) vault: Address,
    pub(crate) handed_in: Arc<HandedIn>,
    /// Told by whoever wants the relay to end; tells everyone else.
    pub(crate) stop: Stop,
}

/// Why a connection ended.
enum End {
    /// The bot left, or the relay stops.
    Quiet,
    /// The bot sent what it may not, or did not take its reply.
    Bot(Error),
    /// The vault was not there.
    Away(Error),
    /// The vault left or did not answer.
    Vault(Error),
    /// Records could not be written.
    Disk(std::io::Error),
}

impl Relay {
    /// Serves one bot until either side leaves.
    pub(crate) fn run(&self, bot: Stream) {
        match self.carry(bot) {
            Ok(()) | Err(End::Quiet) => {}
            Err(End::Bot(error)) => BOT_CUT.warn(&[("error", &error)]),
            Err(End::Away(error)) => VAULT_AWAY.warn(&[("error", &error)]),
            Err(End::Vault(error)) => VAULT_LOST.warn(&[("error", &error)]),
            Err(End::Disk(error)) => NOT_HANDED_IN.warn(&[("error", &error)]),
        }
    }

    fn carry(&self, bot: Stream) -> Result<(), End> {
        let patience = Patience { idle: Some(FRAME_TIMEOUT), frame: FRAME_TIMEOUT };
        let mut bot = Framed::new(bot, SEALED_REQUEST_SIZE_MAX, patience).map_err(End::Bot)?;
        let mut vault = None;
        loop {
            self.wait(&mut bot, vault.as_mut())?;
            let Some(body) = bot.read().map_err(End::Bot)? else {
                return Ok(());
            };
            match frame::kind(body) {
                // Before a session alone: who is in one has nothing to say in the open.
                Ok(Kind::HandIn) if vault.is_none() => {
                    let records = read_hand_in(body).map_err(|fault| End::Bot(Error::Frame(fault)))?;
                    let taken = self.handed_in.take(records).map_err(End::Disk)?;
                    if taken.is_full {
                        HANDED_IN_FULL.warn(&[]);
                    }
                    bot.write([&write_taken(taken.count)]).map_err(End::Bot)?;
                }
                Ok(Kind::Hello | Kind::Handshake1 | Kind::Sealed) => {
                    let vault = match &mut vault {
                        Some(vault) => vault,
                        // The first frame of a connection asks for nothing that could be lost.
                        None => vault.insert(self.dial()?),
                    };
                    vault.write([body]).map_err(End::Vault)?;
                    let reply = vault.read().map_err(End::Vault)?.ok_or_else(vault_closed)?;
                    bot.write([reply]).map_err(End::Bot)?;
                }
                Ok(other) => return Err(End::Bot(Error::Frame(FrameFault::Kind(other as u8)))),
                Err(fault) => return Err(End::Bot(Error::Frame(fault))),
            }
        }
    }

    fn dial(&self) -> Result<Framed<Stream>, End> {
        let patience = Patience { idle: Some(REPLY_TIMEOUT), frame: FRAME_TIMEOUT };
        let stream = self.vault.dial(CONNECT_TIMEOUT).map_err(End::Away)?;
        Framed::new(stream, SEALED_REPLY_SIZE_MAX, patience).map_err(End::Vault)
    }

    /// Waits for the bot's next frame to start: for as long as it takes once the vault is reached, which cuts strangers by
    /// itself. Ends when the vault leaves meanwhile, or the relay stops. Nothing of the bot is read then, so its system
    /// tells it that nothing was taken.
    fn wait(&self, bot: &mut Framed<Stream>, vault: Option<&mut Framed<Stream>>) -> Result<(), End> {
        loop {
            let patience = vault.is_none().then_some(FRAME_TIMEOUT);
            let patience = if bot.has_buffered() { Some(Duration::ZERO) } else { patience };
            let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
            // Before there is a vault its place is the bot's a second time.
            let third = vault.as_deref().map_or(bot.as_fd(), AsFd::as_fd);
            let mut watched = [
                PollFd::new(&self.stop, PollFlags::IN),
                PollFd::new(&*bot, PollFlags::IN),
                PollFd::from_borrowed_fd(third, PollFlags::IN),
            ];
            match poll(&mut watched, timeout.as_ref()) {
                Ok(0) if !bot.has_buffered() => return Err(End::Bot(Error::Idle { waited: FRAME_TIMEOUT })),
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(End::Bot(error.into())),
            }
            let [stop, _, third] = watched.map(|watched| !watched.revents().is_empty());
            if stop {
                return Err(End::Quiet);
            }
            let Some(vault) = vault.filter(|_| third) else {
                return Ok(());
            };
            // It has nothing to say unasked but that it ends the connection, and why.
            return Err(match vault.read() {
                Ok(Some(denied)) if frame::kind(denied) == Ok(Kind::Denied) => {
                    let _ = bot.write([denied]);
                    End::Quiet
                }
                Err(error) => End::Vault(error),
                Ok(_) => vault_closed(),
            });
        }
    }
}

fn vault_closed() -> End {
    End::Vault(Error::Io(std::io::ErrorKind::UnexpectedEof.into()))
}
