//! The running daemon: listeners, threads, and how they end.
//!
//! ```text
//! main      accepts bots        one thread each, at most BOTS_MAX; one more hears SessionsFull
//! admin     accepts operators   one thread each, at most OPERATORS_MAX; for one more the idlest is cut
//! taker     takes the vault's records, writes the ledger, and is the vault's heartbeat
//! space     says before the disk of the receipts is full
//! log       writes the log; nobody else waits for standard error
//! ```
//! A bot may keep its connection without a request for as long as it likes, and keeps its place by that: trading
//! bots are quiet for hours and then in a hurry. Who is on the list of users is trusted with places.
//!
//! On SIGTERM or SIGINT: nothing more is accepted or read; what was passed on to the vault is followed to its
//! reply; then the last records are taken. When the ledger fails, the relay ends in the same way and the admin
//! socket stays, so that the switch can still be pulled.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rustix::process::{Resource, getrlimit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use transport::{Address, Error, Stop};

use crate::access::Access;
use crate::admin;
use crate::door::{Door, Full};
use crate::log::{self, Level, Limited};
use crate::receipts::{Alarm, HandedIn, Ledger, Repair, Space, Watch};
use crate::relay::Relay;
use crate::taker;
use crate::vault::{Identity, Standby, Vault};

/// Bots at the same time; the vault takes as many connections.
const BOTS_MAX: usize = 64;

/// Operators at the same time.
const OPERATORS_MAX: usize = 8;

/// Descriptors that the process must be able to open: two for each bot, three for each operator (and as many
/// operators again that are on their way out), and some for listeners, segments, signals and whoever is turned away.
const DESCRIPTORS_MIN: u64 = 256;
const _: () = assert!(2 * BOTS_MAX + 3 * 2 * OPERATORS_MAX + 64 <= 256);

/// How long the end may wait for the log to be written.
const LOG_TIME_MAX: std::time::Duration = std::time::Duration::from_secs(1);

/// Between two looks at the room for receipts.
const LOOK_EVERY: std::time::Duration = std::time::Duration::from_secs(1);

static SPACE_UNKNOWN: Limited = Limited::new("receipts_disk_unknown");

/// How the daemon is set up.
#[derive(Debug)]
pub struct Config {
    /// Where the vault takes requests.
    pub vault: Address,
    /// Where it takes commands.
    pub control: Address,
    /// As whom to come there.
    pub identity: Identity,
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
    check_descriptors()?;
    let (mut ledger, repairs) = Ledger::open(&config.receipts)?;
    repairs.iter().for_each(tell_repair);
    let handed_in = Arc::new(HandedIn::open(&config.receipts)?);
    let bots = Address::Unix(config.listen).listen(config.mode)?;
    let operators = Address::Unix(config.admin).listen(0o600)?;
    let (relay_stop, taker_stop) = (Stop::new()?, Stop::new()?);
    let relay = Arc::new(Relay { vault: config.vault, handed_in, stop: relay_stop.clone() });
    let admin_door = Door::new(operators, Access::own(), OPERATORS_MAX, Full::CutIdle, Stop::new()?);
    let vault = Arc::new(Vault::new(config.control, config.identity));
    let standby = Arc::new(Standby::new(Arc::clone(&vault)));
    let admin_stop = stop.clone();
    let admin = thread::Builder::new().name("admin".into()).spawn(move || {
        admin_door.serve(&admin_stop, |operator, busy| {
            let standby = Arc::clone(&standby);
            move || admin::run(operator, &busy, &standby)
        });
    })?;
    let space_stop = taker_stop.clone();
    let folder = config.receipts;
    let space =
        thread::Builder::new().name("space".into()).spawn(move || watch_space(&folder, &space_stop))?;
    let (taker_told, relay_told) = (taker_stop.clone(), relay_stop.clone());
    let taker = thread::Builder::new().name("taker".into()).spawn(move || {
        let kept = taker::run(&vault, &mut ledger, &taker_told);
        if let Err(error) = &kept {
            log::write(Level::Error, "receipts_not_kept", &[("error", error)]);
            relay_told.stop();
        }
        kept.is_ok()
    })?;
    log::write(Level::Info, "started", &[("vault", &relay.vault), ("listen", &bots.path().display())]);
    Door::new(bots, config.access, BOTS_MAX, Full::TurnAway, relay_stop).serve(stop, |bot, _| {
        let relay = Arc::clone(&relay);
        move || relay.run(bot)
    });
    // Only now: replies may have waited for their records to be taken.
    taker_stop.stop();
    let is_all_kept = taker.join().unwrap_or(false);
    let _ = space.join();
    if !is_all_kept {
        log::write(Level::Error, "relay_ended", &[]);
    }
    // Without a relay there is still a switch.
    let _ = admin.join();
    log::write(Level::Info, "stopped", &[]);
    log::flush(LOG_TIME_MAX);
    Ok(is_all_kept)
}

fn tell_repair(repair: &Repair) {
    let (segment, side_file) = (repair.segment.display(), repair.side_file.display());
    log::write(
        Level::Error,
        "torn_receipt_moved_aside",
        &[("segment", &segment), ("offset", &repair.offset), ("side_file", &side_file)],
    );
}

/// Found out now, and not when a kill finds no descriptor left.
fn check_descriptors() -> io::Result<()> {
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < DESCRIPTORS_MIN => Err(io::Error::other(format!(
            "the limit of open files (RLIMIT_NOFILE, ulimit -n) is {limit}; {DESCRIPTORS_MIN} are needed"
        ))),
        _ => Ok(()),
    }
}

fn watch_space(folder: &Path, stop: &Stop) {
    let mut watch = Watch::default();
    loop {
        match Space::of(folder) {
            Ok(space) => tell_space(watch.look(space), space),
            Err(error) => SPACE_UNKNOWN.warn(&[("error", &error)]),
        }
        if stop.is_stopped_within(LOOK_EVERY) {
            return;
        }
    }
}

fn tell_space(alarm: Option<Alarm>, Space { free, total }: Space) {
    let (level, event) = match alarm {
        None => return,
        Some(Alarm::Over) => (Level::Info, "receipts_disk_has_room"),
        Some(Alarm::Low) => (Level::Warn, "receipts_disk_low"),
        Some(Alarm::Last) => (Level::Error, "receipts_disk_nearly_full"),
    };
    log::write(level, event, &[("free_bytes", &free), ("total_bytes", &total)]);
}
