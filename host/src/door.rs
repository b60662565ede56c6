//! A listener, who may come in, how many, and who has to make room.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};
use transport::{Listen as _, Listener, Stop, Stream};
use wire::session::{DENIED_SIZE, Denial, write_denied};

use crate::access::Access;
use crate::log::Limited;

/// How long nobody is accepted after the process had no descriptor or thread left for it.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

static PEER_REFUSED: Limited = Limited::new("peer_refused");
static PEER_BEYOND_CAP: Limited = Limited::new("peer_beyond_cap");
static PEER_CUT_FOR_ROOM: Limited = Limited::new("peer_cut_for_room");
static ACCEPT_FAILED: Limited = Limited::new("accept_failed");

/// What happens to one more when all places are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// It hears `SessionsFull` and is closed.
    TurnAway,
    /// The one that is idle longest is cut for it.
    CutIdle,
}

/// A peer's place: what its thread says of itself, and what to cut it with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy(Arc<Place>);

#[derive(Debug, Default)]
struct Place {
    is_busy: AtomicBool,
    /// `None` where nobody is cut, once it was, and once the thread has ended: a handle kept here would keep the
    /// connection open.
    stream: Mutex<Option<Stream>>,
}

impl Busy {
    fn new(stream: Option<Stream>) -> Self {
        Self(Arc::new(Place { is_busy: AtomicBool::new(false), stream: Mutex::new(stream) }))
    }

    /// Not idle any more.
    pub(crate) fn set(&self) {
        self.0.is_busy.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.is_busy.load(Ordering::Relaxed)
    }

    fn take_stream(&self) -> Option<Stream> {
        self.0.stream.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A listener, who may come in, and how many.
pub(crate) struct Door {
    listener: Listener,
    access: Access,
    peers_max: usize,
    full: Full,
    /// Closes this door alone, and tells those who are in.
    closing: Stop,
    /// In the order in which they came.
    peers: Vec<Peer>,
}

struct Peer {
    thread: JoinHandle<()>,
    busy: Busy,
}

impl Door {
    pub(crate) fn new(
        listener: Listener,
        access: Access,
        peers_max: usize,
        full: Full,
        closing: Stop,
    ) -> Self {
        Self { listener, access, peers_max, full, closing, peers: Vec::with_capacity(peers_max) }
    }

    /// Accepts until `stop` or `closing`, closes the door, and waits for those who are in.
    pub(crate) fn serve<F: FnOnce() + Send + 'static>(
        mut self,
        stop: &Stop,
        run: impl Fn(Stream, Busy) -> F,
    ) {
        while self.wait(stop) {
            match self.listener.accept() {
                Ok(stream) => self.admit(stream, &run),
                Err(error) => {
                    ACCEPT_FAILED.warn(&[("error", &error)]);
                    thread::sleep(ACCEPT_PAUSE);
                }
            }
        }
        drop(self.listener);
        self.closing.stop();
        for peer in self.peers {
            let _ = peer.thread.join();
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

    fn admit<F: FnOnce() + Send + 'static>(&mut self, stream: Stream, run: &impl Fn(Stream, Busy) -> F) {
        if let Err(uid) = self.access.check(&stream) {
            let uid = uid.map_or("unknown".to_owned(), |uid| uid.to_string());
            return PEER_REFUSED.warn(&[("uid", &uid)]);
        }
        self.peers.retain(|peer| !peer.thread.is_finished());
        if self.peers.len() >= self.peers_max && !self.make_room() {
            PEER_BEYOND_CAP.warn(&[("peers_max", &self.peers_max)]);
            return turn_away(stream, self.full);
        }
        let busy = Busy::new(match self.full {
            Full::TurnAway => None,
            Full::CutIdle => stream.try_clone().ok(),
        });
        let peer_run = run(stream, busy.clone());
        let place = busy.clone();
        let thread = thread::Builder::new().name("peer".into()).spawn(move || {
            peer_run();
            drop(place.take_stream());
        });
        match thread {
            Ok(thread) => self.peers.push(Peer { thread, busy }),
            Err(error) => ACCEPT_FAILED.warn(&[("error", &error)]),
        }
    }

    /// Cuts the peer that is idle longest. Its thread ends on its own; as many again may be about to.
    fn make_room(&mut self) -> bool {
        if self.peers.len() >= self.peers_max.saturating_mul(2) {
            return false;
        }
        let mut idle = self.peers.iter().filter(|peer| !peer.busy.is_set());
        let Some(stream) = idle.find_map(|peer| peer.busy.take_stream()) else {
            return false;
        };
        PEER_CUT_FOR_ROOM.warn(&[("peers_max", &self.peers_max)]);
        // Its reads alone: a whole command that has come is still obeyed and answered.
        shutdown(&stream, Shutdown::Read).is_ok()
    }
}

/// What a connection beyond the cap hears: that there will be no session, as the vault would say it. A new connection
/// has room for it, so this does not wait.
fn turn_away(mut stream: Stream, full: Full) {
    if full != Full::TurnAway {
        return;
    }
    let Some(prefix) = wire::frame::prefix(DENIED_SIZE) else {
        return;
    };
    let _ = stream.write(&[&prefix[..], &write_denied(Denial::SessionsFull)].concat());
}
