//! The serve loop: one thread that owns the vault and every connection to it.
//!
//! ```text
//! round   wait (epoll)            until a descriptor is ready or a deadline passes
//!         control connections     first, so that no flood of requests delays a kill beyond one round
//!         held replies            those whose record was acknowledged meanwhile go out
//!         request connections     one frame each, so that no connection starves another
//!         new connections         up to the cap; one more takes the place of the one without a session that was idle
//!                                 longest; where all have one it is told SessionsFull and closed
//!         later answers           the host's wait for records ends where there are some
//!         deadlines               who started a frame and did not end it, or did not take its reply, is cut;
//!                                 so is a connection without a session that sends nothing
//! ```
//!
//! Guarantees: one read and one write a request in the ordinary case; at most one frame of a connection in
//! flight, the next one waits in its buffer or in the kernel; a frame's bytes are judged once, at one [`Now`];
//! all memory is taken before the first connection; every number below has a maximum.
//! Refuses: a prefix that declares less than a kind or more than the channel's cap (the connection is closed,
//! nothing is read for it). A frame that can be told apart always gets a reply and never costs the connection.
//!
//! The loop does not know what it serves: it is generic over [`Serve`].

mod channel;
mod clock;
mod connection;
mod descriptors;

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use transport::{Address, Listener, Stop};
use wire::Now;
use wire::session::{
    Channel, Denial, SEALED_CONTROL_SIZE_MAX, SEALED_REPLY_SIZE_MAX, SEALED_REQUEST_SIZE_MAX, write_denied,
};

use channel::{Caps, Places, Token};
pub use clock::Clock;

/// Most events taken from one wait; what is left over is taken in the next.
const EVENTS_MAX: usize = 128;

/// Permission bits of both socket files.
const SOCKET_MODE: u32 = 0o600;

/// A place that a connection has taken on one of the two channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which socket it came to.
    pub channel: Channel,
    /// Its number there.
    pub index: u16,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// The reply is so many bytes long.
    Reply(usize),
    /// So is the reply, and it goes out once the record is acknowledged.
    Held {
        /// its size in bytes
        size: usize,
        /// the record's sequence
        sequence: u64,
    },
    /// There is no reply yet: [`Serve::resume`] is asked in every round, and at this time at the latest.
    Later {
        /// milliseconds since boot
        until_ms: u64,
    },
    /// The reply is so many bytes long, and the connection ends with it.
    Last(usize),
    /// The connection ends here.
    Close,
}

/// What the loop serves; the vault implements it.
pub trait Serve {
    /// Takes one frame body and writes the body of its reply.
    fn handle(&mut self, now: Now, from: Place, body: &[u8], reply: &mut [u8]) -> Verdict;

    /// Writes the reply that was to come later, or says that it is still to come.
    fn resume(&mut self, now: Now, from: Place, reply: &mut [u8]) -> Verdict;

    /// Nobody is at this place any more.
    fn forget(&mut self, from: Place);

    /// Whether who is at this place has shown who it is: such a connection may be idle, and keeps its place.
    fn has_session(&self, from: Place) -> bool;

    /// Records below this sequence are acknowledged.
    fn acknowledged(&self) -> u64;

    /// Hears what the system's clock says beside the anchored time in `now`, once a round.
    fn note_clock(&mut self, now: Now, system_wall_ms: u64);
}

/// What one round of the loop works with.
pub(super) struct Round<'r, V> {
    vault: &'r mut V,
    clock: &'r Clock,
    counts: &'r mut Counts,
    /// When it began, milliseconds since boot.
    now_ms: u64,
}

/// How much the loop takes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Request connections at the same time.
    pub connections_max: usize,
    /// Control connections at the same time.
    pub control_connections_max: usize,
    /// From a frame's first byte to its last, and from a reply to the moment the peer has taken it.
    pub frame_deadline_ms: u64,
    /// How long a connection without a session may go without a frame.
    pub stranger_idle_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 64,
            control_connections_max: 8,
            frame_deadline_ms: 2_000,
            stranger_idle_ms: 2_000,
        }
    }
}

/// What came to pass, for logs and tests. Counts only, never a peer's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames that got a reply.
    pub frames: u64,
    /// Connections taken.
    pub accepted: u64,
    /// Connections turned away because all places were taken.
    pub turned_away: u64,
    /// Connections closed for what they sent: a length out of bounds, or no control message.
    pub violations: u64,
    /// Connections closed because a deadline passed.
    pub late: u64,
    /// Control connections closed because a newer one needed the place.
    pub displaced: u64,
}

/// Where peers arrive, and how the loop is told to end. Sockets of any family will do.
#[derive(Clone, Copy, Debug)]
pub struct Doors<'d> {
    /// Listens for bots.
    pub requests: BorrowedFd<'d>,
    /// Listens for the host.
    pub control: BorrowedFd<'d>,
    /// Turns readable when it is time to end: see `transport::Stop`.
    pub stop: BorrowedFd<'d>,
}

/// The two listening sockets and the means to end; what a program holds while it serves.
#[derive(Debug)]
pub struct Server {
    requests: Listener,
    control: Listener,
    limits: Limits,
    stop: Stop,
}

impl Server {
    /// Listens at both addresses, for this user alone.
    ///
    /// # Errors
    /// When the process may not open as many descriptors as `limits` can need, or an address cannot be listened
    /// to; see [`Address::listen`].
    pub fn bind(requests: &Address, control: &Address, limits: Limits) -> Result<Self, transport::Error> {
        descriptors::check(&limits)?;
        Ok(Self {
            requests: requests.listen(SOCKET_MODE)?,
            control: control.listen(SOCKET_MODE)?,
            limits,
            stop: Stop::new()?,
        })
    }

    /// A handle that ends [`Server::run`], for another thread or a signal ([`Stop::teller`]).
    #[must_use]
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Serves until stopped, and removes the socket files.
    ///
    /// # Errors
    /// Like [`serve`].
    pub fn run(self, mut vault: impl Serve, clock: Clock) -> std::io::Result<Counts> {
        let doors =
            Doors { requests: self.requests.as_fd(), control: self.control.as_fd(), stop: self.stop.as_fd() };
        serve(&mut vault, doors, self.limits, &clock)
    }
}

/// Serves until `doors.stop` turns readable. Replies that were begun by then are still delivered, within their
/// deadlines; nothing further is read.
///
/// # Errors
/// When the kernel refuses the loop's own descriptors. No peer can cause one.
pub fn serve(
    vault: &mut impl Serve,
    doors: Doors<'_>,
    limits: Limits,
    clock: &Clock,
) -> std::io::Result<Counts> {
    Loop::new(doors, limits, clock)?.run(vault)
}

struct Loop<'d> {
    epoll: rustix::fd::OwnedFd,
    requests: Places<'d>,
    control: Places<'d>,
    clock: &'d Clock,
    counts: Counts,
    stopping: bool,
}

impl<'d> Loop<'d> {
    fn new(doors: Doors<'d>, limits: Limits, clock: &'d Clock) -> std::io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let requests = Caps {
            connections_max: limits.connections_max,
            body_size_max: SEALED_REQUEST_SIZE_MAX,
            reply_size_max: SEALED_REPLY_SIZE_MAX,
            frame_deadline_ms: limits.frame_deadline_ms,
            idle_ms: limits.stranger_idle_ms,
            has_reserve: false,
        };
        let control = Caps {
            connections_max: limits.control_connections_max,
            body_size_max: SEALED_CONTROL_SIZE_MAX,
            reply_size_max: SEALED_CONTROL_SIZE_MAX,
            frame_deadline_ms: limits.frame_deadline_ms,
            idle_ms: limits.stranger_idle_ms,
            has_reserve: true,
        };
        let requests = Places::new(doors.requests, Channel::Bots, requests, turned_away(), &epoll)?;
        let control = Places::new(doors.control, Channel::Control, control, turned_away(), &epoll)?;
        epoll::add(&epoll, doors.stop, Token::STOP.data(), epoll::EventFlags::IN)?;
        Ok(Self { epoll, requests, control, clock, counts: Counts::default(), stopping: false })
    }

    fn run(mut self, vault: &mut impl Serve) -> std::io::Result<Counts> {
        let mut events: Vec<epoll::Event> = Vec::with_capacity(EVENTS_MAX);
        loop {
            self.wait(&mut events)?;
            if self.stopping && !(self.control.has_reply_pending() || self.requests.has_reply_pending()) {
                return Ok(self.counts);
            }
            self.round(vault)?;
        }
    }

    /// Waits for the next thing to do and notes who is ready.
    fn wait(&mut self, events: &mut Vec<epoll::Event>) -> std::io::Result<()> {
        let timeout = self.patience().map(timespec);
        events.clear();
        match epoll::wait(self.epoll.as_fd(), spare_capacity(events), timeout.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        for event in events.drain(..) {
            let token = Token::from_data(event.data);
            match token.channel() {
                Token::REQUESTS => self.requests.note_ready(token),
                Token::CONTROL => self.control.note_ready(token),
                _ => self.stop()?,
            }
        }
        Ok(())
    }

    fn stop(&mut self) -> std::io::Result<()> {
        if !self.stopping {
            self.stopping = true;
            self.control.stop(self.epoll.as_fd())?;
            self.requests.stop(self.epoll.as_fd())?;
        }
        Ok(())
    }

    fn round(&mut self, vault: &mut impl Serve) -> std::io::Result<()> {
        let Self { epoll, requests, control, clock, counts, .. } = self;
        let (epoll, clock, now) = (epoll.as_fd(), *clock, clock.now());
        vault.note_clock(now, Clock::system_wall_ms());
        let mut round = Round { vault, clock, counts, now_ms: now.monotonic_ms };
        control.serve_round(epoll, &mut round);
        control.accept_round(epoll, &mut round)?;
        requests.resume_round(epoll, &mut round);
        requests.serve_round(epoll, &mut round);
        requests.accept_round(epoll, &mut round)?;
        control.resume_round(epoll, &mut round);
        round.now_ms = clock.now().monotonic_ms;
        control.cut_late(&mut round);
        requests.cut_late(&mut round);
        Ok(())
    }

    /// How long the next wait may last: not at all when frames wait in buffers, else to the next deadline.
    fn patience(&self) -> Option<Duration> {
        if !self.stopping && (self.control.has_frame_waiting() || self.requests.has_frame_waiting()) {
            return Some(Duration::ZERO);
        }
        let due = [self.control.next_due_ms(), self.requests.next_due_ms()];
        let due = due.into_iter().flatten().min()?;
        Some(Duration::from_millis(due.saturating_sub(self.clock.now().monotonic_ms)))
    }
}

/// What a connection beyond the cap hears before it is closed.
fn turned_away() -> Box<[u8]> {
    let body = write_denied(Denial::SessionsFull);
    let prefix = wire::frame::prefix(body.len()).unwrap_or_default();
    prefix.into_iter().chain(body).collect()
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}
