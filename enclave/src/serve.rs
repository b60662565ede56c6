//! The serve loop: one thread that owns the vault and every connection to it.
//!
//! ```text
//! round   wait (epoll)            until a descriptor is ready or a deadline passes
//!         control connections     first, so that no flood of requests delays a kill beyond one round
//!         request connections     one frame each, so that no connection starves another
//!         new connections         up to the cap; one more is told TooManyConnections and closed; at the control
//!                                 socket it takes the place of the one idle longest, so that a kill gets in
//!         deadlines               who started a frame and did not end it, or did not take its reply, is cut;
//!                                 so is a control connection that asks nothing
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
use wire::reply::Reply;
use wire::{CONTROL_SIZE_MAX, Now, REPLY_SIZE_MAX, REQUEST_SIZE_MAX, Refusal};

use channel::{Caps, Channel, Token};
pub use clock::Clock;

/// Most events taken from one wait; what is left over is taken in the next.
const EVENTS_MAX: usize = 128;

/// Permission bits of both socket files.
const SOCKET_MODE: u32 = 0o600;

/// What the loop serves; the vault implements it.
pub trait Serve {
    /// Judges one request body and writes the body of its reply; there always is one. Returns its size.
    fn handle(&mut self, now: Now, body: &[u8], reply: &mut [u8; REPLY_SIZE_MAX]) -> usize;

    /// Obeys one control body and writes the body of the answer. Returns its size, or `None` when it is no
    /// control message; the connection is then closed.
    fn control(&mut self, now: Now, body: &[u8], reply: &mut [u8; CONTROL_SIZE_MAX]) -> Option<usize>;

    /// Hears what the system's clock says beside the anchored time in `now`, once a round.
    fn note_clock(&mut self, now: Now, system_wall_ms: u64);
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
    /// How long a control connection may go without a frame.
    pub control_idle_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 64,
            control_connections_max: 8,
            frame_deadline_ms: 2_000,
            control_idle_ms: 2_000,
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
    requests: Channel<'d>,
    control: Channel<'d>,
    clock: &'d Clock,
    counts: Counts,
    stopping: bool,
}

impl<'d> Loop<'d> {
    fn new(doors: Doors<'d>, limits: Limits, clock: &'d Clock) -> std::io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let requests = Caps {
            connections_max: limits.connections_max,
            body_size_max: REQUEST_SIZE_MAX,
            reply_size_max: REPLY_SIZE_MAX,
            frame_deadline_ms: limits.frame_deadline_ms,
            // A bot may keep its connection for as long as it has nothing to ask.
            idle_ms: None,
            has_reserve: false,
        };
        let control = Caps {
            connections_max: limits.control_connections_max,
            body_size_max: CONTROL_SIZE_MAX,
            reply_size_max: CONTROL_SIZE_MAX,
            frame_deadline_ms: limits.frame_deadline_ms,
            idle_ms: Some(limits.control_idle_ms),
            has_reserve: true,
        };
        let requests = Channel::new(doors.requests, Token::REQUESTS, requests, turned_away(), &epoll)?;
        let control = Channel::new(doors.control, Token::CONTROL, control, Box::default(), &epoll)?;
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
        let epoll = epoll.as_fd();
        let now = clock.now();
        vault.note_clock(now, Clock::system_wall_ms());
        let mut obey =
            |body: &[u8], reply: &mut [u8]| vault.control(clock.now(), body, reply.first_chunk_mut()?);
        control.serve_round(epoll, now.monotonic_ms, counts, &mut obey);
        control.accept_round(epoll, now.monotonic_ms, counts, &mut obey)?;
        let mut judge =
            |body: &[u8], reply: &mut [u8]| Some(vault.handle(clock.now(), body, reply.first_chunk_mut()?));
        requests.serve_round(epoll, now.monotonic_ms, counts, &mut judge);
        requests.accept_round(epoll, now.monotonic_ms, counts, &mut judge)?;
        let now_ms = clock.now().monotonic_ms;
        control.cut_late(now_ms, counts);
        requests.cut_late(now_ms, counts);
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

/// What a connection beyond the cap hears: a reply to whatever it was going to ask. It carries no receipt,
/// because nothing was judged.
fn turned_away() -> Box<[u8]> {
    let mut body = [0; REPLY_SIZE_MAX];
    let reply = Reply {
        code: Refusal::TooManyConnections.code(),
        request_id: 0,
        signature: &[],
        receipt: &[],
        canonical: &[],
    };
    let size = reply.write(&mut body).unwrap_or(0);
    let prefix = wire::frame::prefix(size).unwrap_or_default();
    prefix.iter().chain(body.iter().take(size)).copied().collect()
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}
