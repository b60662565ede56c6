//! A vault in this process with a session of one bot: what the conformance program, tests and benchmarks ask.

use book::Book;
use enclave::serve::{Place, Verdict};
use enclave::{Boot, Vault};
use session_dev::{Caller, DevelopmentAttestor, Peer, throw_away_key};
use signing::Keyring;
use wire::control::{self, Command};
use wire::session::{Channel, SEALED_SIZE_MAX};
use wire::{CONTROL_SIZE_MAX, Now};

type Fault = Box<dyn std::error::Error>;

/// Where the bot is.
const BOT: Place = Place { channel: Channel::Bots, index: 0 };

/// Where the host is.
const HOST: Place = Place { channel: Channel::Control, index: 0 };

/// The vault, the bot's session and room for what they say.
pub struct InProcess {
    vault: Vault,
    policy_hash: [u8; 32],
    bot: Peer,
    /// Opened by the first command.
    host: Option<Peer>,
    frame: Box<[u8; SEALED_SIZE_MAX]>,
    /// The last reply, and its size.
    body: Box<[u8; SEALED_SIZE_MAX]>,
    size: usize,
}

impl InProcess {
    /// A vault at boot and a session of the throw-away key called `bot`, which the book must list.
    ///
    /// # Errors
    /// When the keys are not the book's, or there is no session.
    pub fn at_boot(
        book: &'static Book<'static>,
        keyring: Keyring,
        boot: Boot,
        bot: &str,
    ) -> Result<Self, Fault> {
        let now = boot.now;
        let mut vault = Vault::at_boot(book, keyring, Box::new(DevelopmentAttestor::new()), boot)?;
        let policy_hash = book::policy_hash(book);
        let bot = open(&mut vault, policy_hash, BOT, bot, now)?;
        let (frame, body) = (Box::new([0; SEALED_SIZE_MAX]), Box::new([0; SEALED_SIZE_MAX]));
        Ok(Self { vault, policy_hash, bot, host: None, frame, body, size: 0 })
    }

    /// The vault.
    pub fn vault(&mut self) -> &mut Vault {
        &mut self.vault
    }

    /// The body of the reply to a request's body, both sealed on the way.
    ///
    /// # Errors
    /// When the vault ends the connection, or a frame does not open.
    pub fn ask(&mut self, now: Now, body: &[u8]) -> Result<&[u8], Fault> {
        let Self { vault, bot, frame, body: reply, size, .. } = self;
        *size = exchange(vault, BOT, bot, frame, now, body, reply)?;
        Ok(self.last())
    }

    /// The body of the last reply.
    #[must_use]
    pub fn last(&self) -> &[u8] {
        self.body.get(..self.size).unwrap_or_default()
    }

    /// The body of the answer to a command of the throw-away key called "host", which the book must name.
    ///
    /// # Errors
    /// Like [`InProcess::ask`].
    pub fn command(&mut self, now: Now, command: Command<'_>) -> Result<&[u8], Fault> {
        let Self { vault, policy_hash, host, frame, body: answer, size, .. } = self;
        let host = match host {
            Some(host) => host,
            None => host.insert(open(vault, *policy_hash, HOST, "host", now)?),
        };
        let mut body = [0; CONTROL_SIZE_MAX];
        let command_size =
            control::write_command(command, &mut body).map_err(|_| "a command that does not fit")?;
        let body = body.get(..command_size).unwrap_or_default();
        *size = exchange(vault, HOST, host, frame, now, body, answer)?;
        Ok(self.last())
    }
}

fn open(vault: &mut Vault, policy_hash: [u8; 32], at: Place, name: &str, now: Now) -> Result<Peer, Fault> {
    let key = throw_away_key(name);
    let (channel, wall_ms, seed) = (at.channel, now.wall_ms, [7; 32]);
    let caller = Caller { key: &key, channel, certificate: None, policy_hash, wall_ms, seed };
    let peer = Peer::open(&caller, |frame, reply| sent(vault.handle(now, at, frame, reply)));
    peer.map_err(|refused| format!("no session: {refused:?}").into())
}

fn exchange(
    vault: &mut Vault,
    at: Place,
    peer: &mut Peer,
    frame: &mut [u8; SEALED_SIZE_MAX],
    now: Now,
    body: &[u8],
    reply: &mut [u8; SEALED_SIZE_MAX],
) -> Result<usize, Fault> {
    let refused = |refused| format!("no session any more: {refused:?}");
    let sealed = peer.seal(body).map_err(refused)?;
    let size = sent(vault.handle(now, at, sealed, frame)).ok_or("the vault ended the connection")?;
    Ok(peer.open_frame(frame.get(..size).unwrap_or_default(), reply).map_err(refused)?)
}

/// The size of a reply that is sent; in this process none is held.
fn sent(verdict: Verdict) -> Option<usize> {
    match verdict {
        Verdict::Reply(size) | Verdict::Last(size) | Verdict::Held { size, .. } => Some(size),
        Verdict::Later { .. } | Verdict::Close => None,
    }
}
