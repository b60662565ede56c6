//! A listener and the connections that came through it.

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{SendFlags, SocketFlags, accept_with, send};

use super::Counts;
use super::connection::{Connection, Due, Step};

/// New connections taken in one round.
const ACCEPTS_MAX: usize = 16;

/// How long nobody is accepted after the kernel had no descriptor or memory left for it.
const ACCEPT_PAUSE_MS: u64 = 100;

/// What the loop's epoll set knows a descriptor by: the channel in the high half, the place in the low half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    channel: u32,
    place: u32,
}

/// The place of the listener itself.
const LISTENER: u32 = u32::MAX;

impl Token {
    pub(super) const STOP: Self = Self::listener(0);
    pub(super) const REQUESTS: Self = Self::listener(1);
    pub(super) const CONTROL: Self = Self::listener(2);

    const fn listener(channel: u32) -> Self {
        Self { channel, place: LISTENER }
    }

    /// The token of the listener of this token's channel.
    pub(super) fn channel(self) -> Self {
        Self::listener(self.channel)
    }

    pub(super) fn data(self) -> EventData {
        EventData::new_u64((u64::from(self.channel) << 32) | u64::from(self.place))
    }

    pub(super) fn from_data(data: EventData) -> Self {
        let [c0, c1, c2, c3, p0, p1, p2, p3] = data.u64().to_be_bytes();
        Self { channel: u32::from_be_bytes([c0, c1, c2, c3]), place: u32::from_be_bytes([p0, p1, p2, p3]) }
    }
}

/// The bounds of a channel.
pub(super) struct Caps {
    pub(super) connections_max: usize,
    pub(super) body_size_max: usize,
    pub(super) reply_size_max: usize,
    pub(super) frame_deadline_ms: u64,
    /// After this time without a frame a connection is cut, and when all places are taken a newcomer gets one of
    /// them. `None`: connections may stay, and newcomers are turned away.
    pub(super) idle_ms: Option<u64>,
    /// Whether a descriptor is held back, to be given up for a newcomer when the process has no other left.
    pub(super) has_reserve: bool,
}

pub(super) struct Channel<'d> {
    listener: BorrowedFd<'d>,
    token: Token,
    places: Box<[Connection]>,
    /// The frame a connection beyond the cap hears before it is closed; may be empty.
    turned_away: Box<[u8]>,
    frame_deadline_ms: u64,
    idle_ms: Option<u64>,
    /// Counts what happened to connections, to tell which one was idle longest.
    turn: u64,
    someone_waits: bool,
    /// Set while the listener is off the epoll set.
    paused_until_ms: Option<u64>,
    stopped: bool,
    has_reserve: bool,
    reserve: Option<OwnedFd>,
}

impl<'d> Channel<'d> {
    pub(super) fn new(
        listener: BorrowedFd<'d>,
        token: Token,
        caps: Caps,
        turned_away: Box<[u8]>,
        epoll: impl rustix::fd::AsFd,
    ) -> std::io::Result<Self> {
        rustix::io::ioctl_fionbio(listener, true)?;
        epoll::add(epoll, listener, token.data(), EventFlags::IN)?;
        let place = |_| Connection::new(caps.body_size_max, caps.reply_size_max);
        Ok(Self {
            listener,
            token,
            places: (0..caps.connections_max).map(place).collect(),
            turned_away,
            frame_deadline_ms: caps.frame_deadline_ms,
            idle_ms: caps.idle_ms,
            turn: 0,
            someone_waits: false,
            paused_until_ms: None,
            stopped: false,
            has_reserve: caps.has_reserve,
            reserve: caps.has_reserve.then(|| listener.try_clone_to_owned()).transpose()?,
        })
    }

    pub(super) fn note_ready(&mut self, token: Token) {
        if token == self.token {
            self.someone_waits = true;
        } else if let Some(place) = self.place(token.place) {
            place.is_ready = true;
        }
    }

    /// One frame of every connection that has one.
    pub(super) fn serve_round(
        &mut self,
        epoll: BorrowedFd<'_>,
        now_ms: u64,
        counts: &mut Counts,
        mut answer: impl FnMut(&[u8], &mut [u8]) -> Option<usize>,
    ) {
        let due = self.due(now_ms);
        for (place, connection) in (0..).zip(&mut self.places) {
            let was_pending = connection.has_reply_pending();
            let may_read = !self.stopped && (connection.is_ready || connection.has_frame_waiting());
            let may_write = was_pending && connection.is_ready;
            connection.is_ready = false;
            if connection.socket.is_none() || !(may_read || may_write) {
                continue;
            }
            match connection.advance(due, &mut answer) {
                Step::Waits => {}
                Step::Replied | Step::ReplyPending if was_pending => {}
                Step::Replied | Step::ReplyPending => {
                    counts.frames += 1;
                    self.turn += 1;
                    connection.last_turn = self.turn;
                }
                Step::Gone => connection.close(),
                Step::Violation => {
                    counts.violations += 1;
                    connection.close();
                }
            }
            if was_pending != connection.has_reply_pending() {
                let token = Token { place, ..self.token };
                watch(epoll, connection, token, self.stopped);
            }
        }
    }

    /// Takes who waits at the listener. Where newcomers displace others, at most one is displaced a round: who
    /// has just come has as many rounds for the first frame as there are places. What a displaced one had sent
    /// is still answered.
    pub(super) fn accept_round(
        &mut self,
        epoll: BorrowedFd<'_>,
        now_ms: u64,
        counts: &mut Counts,
        mut answer: impl FnMut(&[u8], &mut [u8]) -> Option<usize>,
    ) -> std::io::Result<()> {
        if self.paused_until_ms.is_some_and(|until_ms| until_ms <= now_ms) && !self.stopped {
            epoll::modify(epoll, self.listener, self.token.data(), EventFlags::IN)?;
            self.paused_until_ms = None;
        }
        if self.has_reserve && self.reserve.is_none() {
            self.reserve = self.listener.try_clone_to_owned().ok();
        }
        if !std::mem::take(&mut self.someone_waits) || self.stopped {
            return Ok(());
        }
        let due = self.due(now_ms);
        let mut may_displace = self.idle_ms.is_some();
        for _ in 0..ACCEPTS_MAX {
            let is_full = self.idle_ms.is_some() && !self.has_free_place();
            if is_full && !may_displace {
                // The listener is reported again in the next round.
                break;
            }
            match accept_with(self.listener, SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK)) {
                Ok(socket) => {
                    if is_full {
                        may_displace = false;
                        self.displace(due, counts, &mut answer);
                    }
                    self.admit(epoll, socket, due, counts);
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                // The kernel says so before it looks whether anyone waits.
                Err(Errno::MFILE | Errno::NFILE) if self.has_reserve && !self.is_awaited() => break,
                Err(Errno::MFILE | Errno::NFILE) if self.reserve.is_some() => self.reserve = None,
                // Its own connections are the next to pay: there is one at least, which the reserve let in.
                Err(Errno::MFILE | Errno::NFILE)
                    if may_displace && self.displace(due, counts, &mut answer) =>
                {
                    may_displace = false;
                }
                Err(_) => {
                    // No descriptor or memory left. The listener would be reported without end.
                    epoll::modify(epoll, self.listener, self.token.data(), EventFlags::empty())?;
                    self.paused_until_ms = Some(now_ms.saturating_add(ACCEPT_PAUSE_MS));
                    break;
                }
            }
        }
        Ok(())
    }

    fn admit(&mut self, epoll: BorrowedFd<'_>, socket: OwnedFd, due: Due, counts: &mut Counts) {
        let free = (0..).zip(&mut self.places).find(|(_, place)| place.socket.is_none());
        let Some((place, connection)) = free else {
            counts.turned_away += 1;
            let _ = send(socket, &self.turned_away, SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL));
            return;
        };
        let token = Token { place, ..self.token };
        if epoll::add(epoll, &socket, token.data(), EventFlags::IN).is_ok() {
            counts.accepted += 1;
            self.turn += 1;
            connection.open(socket, due, self.turn);
        }
    }

    /// Frees the place of the connection that was idle longest; one that had an answer goes before one that had
    /// none yet. Its last bytes are read first: a command that was sent is obeyed. False when there is none.
    fn displace(
        &mut self,
        due: Due,
        counts: &mut Counts,
        answer: &mut impl FnMut(&[u8], &mut [u8]) -> Option<usize>,
    ) -> bool {
        let taken = self.places.iter_mut().filter(|place| place.socket.is_some());
        let Some(connection) = taken.min_by_key(|place| (!place.is_answered, place.last_turn)) else {
            return false;
        };
        let was_pending = connection.has_reply_pending();
        if matches!(connection.advance(due, answer), Step::Replied | Step::ReplyPending) && !was_pending {
            counts.frames += 1;
        }
        counts.displaced += 1;
        connection.close();
        true
    }

    /// Closes the connections whose time has passed.
    pub(super) fn cut_late(&mut self, now_ms: u64, counts: &mut Counts) {
        for connection in &mut self.places {
            // A whole frame that only waits for its round is not late.
            if connection.due_ms().is_some_and(|due_ms| due_ms <= now_ms) && !connection.has_frame_waiting() {
                counts.late += 1;
                connection.close();
            }
        }
    }

    /// Reads and accepts nothing more; only pending replies are still watched.
    pub(super) fn stop(&mut self, epoll: BorrowedFd<'_>) -> std::io::Result<()> {
        self.stopped = true;
        self.paused_until_ms = None;
        epoll::delete(epoll, self.listener)?;
        for connection in &mut self.places {
            if !connection.has_reply_pending() {
                connection.close();
            }
        }
        Ok(())
    }

    pub(super) fn has_reply_pending(&self) -> bool {
        self.places.iter().any(Connection::has_reply_pending)
    }

    pub(super) fn has_frame_waiting(&self) -> bool {
        self.places.iter().any(Connection::has_frame_waiting)
    }

    pub(super) fn next_due_ms(&self) -> Option<u64> {
        let due = self.places.iter().filter_map(Connection::due_ms);
        due.chain(self.paused_until_ms).min()
    }

    fn due(&self, now_ms: u64) -> Due {
        Due {
            frame_ms: now_ms.saturating_add(self.frame_deadline_ms),
            idle_ms: self.idle_ms.map(|idle_ms| now_ms.saturating_add(idle_ms)),
        }
    }

    /// Whether anyone waits at the listener.
    fn is_awaited(&self) -> bool {
        let mut listener = [PollFd::new(&self.listener, PollFlags::IN)];
        matches!(poll(&mut listener, Some(&Timespec::default())), Ok(1..))
    }

    fn has_free_place(&self) -> bool {
        self.places.iter().any(|place| place.socket.is_none())
    }

    fn place(&mut self, index: u32) -> Option<&mut Connection> {
        self.places.get_mut(usize::try_from(index).ok()?)
    }
}

/// Has the kernel report what the connection waits for: room for its reply, or its next bytes.
fn watch(epoll: BorrowedFd<'_>, connection: &mut Connection, token: Token, stopped: bool) {
    let interest = match (connection.has_reply_pending(), stopped) {
        (true, _) => EventFlags::OUT,
        (false, false) => EventFlags::IN,
        (false, true) => return connection.close(),
    };
    let Some(socket) = &connection.socket else { return };
    if epoll::modify(epoll, socket.as_fd(), token.data(), interest).is_err() {
        connection.close();
    }
}
