//! The running daemon: listeners, threads, and how they end.
//!
//! ```text
//! main      accepts bots        one thread each, at most BOTS_MAX
//! admin     accepts operators   one thread each, at most OPERATORS_MAX
//! sync      syncs the ledger every SYNC_EVERY
//! ```
//! On SIGTERM or SIGINT: nothing more is accepted or read; what was passed on to the vault is followed to its
//! receipt and reply; the ledger is synced. When the ledger fails, the relay ends in the same way and the admin
//! socket stays, so that the switch can still be pulled.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use transport::{Address, Error, Listen as _, Listener, Stop, Stream};

use crate::access::Access;
use crate::admin;
use crate::log::{self, Level, Limited};
use crate::receipts::{Ledger, SYNC_EVERY};
use crate::relay::Relay;

/// Bots at the same time; the vault takes as many connections.
const BOTS_MAX: usize = 64;

/// Operators at the same time.
const OPERATORS_MAX: usize = 8;

/// How long nobody is accepted after the process had no descriptor or thread left for it.
const ACCEPT_PAUSE: std::time::Duration = std::time::Duration::from_millis(100);

static PEER_REFUSED: Limited = Limited::new("peer_refused");
static PEER_BEYOND_CAP: Limited = Limited::new("peer_beyond_cap");
static ACCEPT_FAILED: Limited = Limited::new("accept_failed");

/// How the daemon is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the vault takes requests.
    pub vault: Address,
    /// Where it takes commands.
    pub control: Address,
    /// The socket for bots.
    pub listen: PathBuf,
    /// The socket for operators.
    pub admin: PathBuf,
    /// The folder for receipts.
    pub receipts: PathBuf,
    /// Who may use the bots' socket. Operators are the daemon's own user.
    pub access: Access,
    /// Permission bits of the bots' socket.
    pub mode: u32,
}

/// Runs until SIGTERM or SIGINT. Returns whether every receipt was kept.
///
/// # Errors
/// When a socket or the receipts folder cannot be used.
pub fn run(config: Config) -> Result<bool, Error> {
    let stop = Stop::new()?;
    for signal in [SIGTERM, SIGINT] {
        pipe::register_raw(signal, stop.teller()?)?;
    }
    run_until(config, &stop)
}

/// Like [`run`], until `stop`.
///
/// # Errors
/// Like [`run`].
pub fn run_until(config: Config, stop: &Stop) -> Result<bool, Error> {
    let (ledger, repairs) = Ledger::open(&config.receipts)?;
    for repair in repairs {
        let (segment, side_file) = (repair.segment.display(), repair.side_file.display());
        log::write(
            Level::Error,
            "torn_receipt_moved_aside",
            &[("segment", &segment), ("offset", &repair.offset), ("side_file", &side_file)],
        );
    }
    let ledger = Arc::new(ledger);
    let bots = Address::Unix(config.listen).listen(config.mode)?;
    let operators = Address::Unix(config.admin).listen(0o600)?;
    let relay_stop = Stop::new()?;
    let relay =
        Arc::new(Relay { vault: config.vault, ledger: Arc::clone(&ledger), stop: relay_stop.clone() });
    let admin_door = Door::new(operators, Access::own(), OPERATORS_MAX, Stop::new()?);
    let control = Arc::new(config.control);
    let admin_stop = stop.clone();
    let admin = thread::Builder::new().name("admin".into()).spawn(move || {
        admin_door.serve(&admin_stop, |operator| {
            let control = Arc::clone(&control);
            move || admin::run(operator, &control)
        });
    })?;
    let sync = sync_until(&relay_stop, Arc::clone(&ledger))?;
    log::write(Level::Info, "started", &[("vault", &relay.vault), ("listen", &bots.path().display())]);
    Door::new(bots, config.access, BOTS_MAX, relay_stop).serve(stop, |bot| {
        let relay = Arc::clone(&relay);
        move || relay.run(bot)
    });
    let _ = sync.join();
    let kept = ledger.finish();
    if let Err(error) = &kept {
        log::write(Level::Error, "relay_ended", &[("error", error)]);
    }
    // Without a relay there is still a switch.
    let _ = admin.join();
    log::write(Level::Info, "stopped", &[]);
    Ok(kept.is_ok())
}

fn sync_until(stop: &Stop, ledger: Arc<Ledger>) -> io::Result<JoinHandle<()>> {
    let stop = stop.clone();
    thread::Builder::new().name("sync".into()).spawn(move || {
        while !stop.is_stopped_within(SYNC_EVERY) {
            if let Err(error) = ledger.sync() {
                log::write(Level::Error, "receipts_not_synced", &[("error", &error)]);
                stop.stop();
            }
        }
    })
}

/// A listener, who may come in, and how many.
struct Door {
    listener: Listener,
    access: Access,
    peers_max: usize,
    /// Closes this door alone, and tells those who are in.
    closing: Stop,
    threads: Vec<JoinHandle<()>>,
}

impl Door {
    fn new(listener: Listener, access: Access, peers_max: usize, closing: Stop) -> Self {
        Self { listener, access, peers_max, closing, threads: Vec::with_capacity(peers_max) }
    }

    /// Accepts until `stop` or `closing`, closes the door, and waits for those who are in.
    fn serve<F: FnOnce() + Send + 'static>(mut self, stop: &Stop, peer: impl Fn(Stream) -> F) {
        while self.wait(stop) {
            match self.listener.accept() {
                Ok(stream) => self.admit(stream, &peer),
                Err(error) => {
                    ACCEPT_FAILED.warn(&[("error", &error)]);
                    thread::sleep(ACCEPT_PAUSE);
                }
            }
        }
        drop(self.listener);
        self.closing.stop();
        for thread in self.threads {
            let _ = thread.join();
        }
    }

    /// Whether someone waits at the door; false when it is time to stop.
    fn wait(&self, stop: &Stop) -> bool {
        loop {
            let mut watched = [
                PollFd::new(stop, PollFlags::IN),
                PollFd::new(&self.closing, PollFlags::IN),
                PollFd::new(&self.listener, PollFlags::IN),
            ];
            match poll(&mut watched, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return false,
            }
            let [stop, closing, _] = watched.map(|watched| !watched.revents().is_empty());
            return !stop && !closing;
        }
    }

    fn admit<F: FnOnce() + Send + 'static>(&mut self, stream: Stream, peer: &impl Fn(Stream) -> F) {
        if let Err(uid) = self.access.check(&stream) {
            let uid = uid.map_or("unknown".to_owned(), |uid| uid.to_string());
            return PEER_REFUSED.warn(&[("uid", &uid)]);
        }
        self.threads.retain(|thread| !thread.is_finished());
        if self.threads.len() >= self.peers_max {
            return PEER_BEYOND_CAP.warn(&[("peers_max", &self.peers_max)]);
        }
        match thread::Builder::new().name("peer".into()).spawn(peer(stream)) {
            Ok(thread) => self.threads.push(thread),
            Err(error) => ACCEPT_FAILED.warn(&[("error", &error)]),
        }
    }
}
