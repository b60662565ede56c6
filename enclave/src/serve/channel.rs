//! A listener and the connections that came through it.

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{SendFlags, SocketFlags, accept_with, send};

use super::connection::{Connection, Due, Step};
use wire::session::Channel;

use super::{Place, Round, Serve};

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

    const fn of(channel: Channel) -> Self {
        match channel {
            Channel::Bots => Self::REQUESTS,
            Channel::Control => Self::CONTROL,
        }
    }

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
    /// After this time without a frame a connection without a session is cut.
    pub(super) idle_ms: u64,
    /// Whether a descriptor is held back, to be given up for a newcomer when the process has no other left.
    pub(super) has_reserve: bool,
}

pub(super) struct Places<'d> {
    listener: BorrowedFd<'d>,
    channel: Channel,
    token: Token,
    places: Box<[Connection]>,
    /// The frame a connection beyond the cap hears before it is closed; may be empty.
    turned_away: Box<[u8]>,
    frame_deadline_ms: u64,
    idle_ms: u64,
    /// Counts what happened to connections, to tell which one was idle longest.
    turn: u64,
    someone_waits: bool,
    /// Set while the listener is off the epoll set.
    paused_until_ms: Option<u64>,
    stopped: bool,
    has_reserve: bool,
    reserve: Option<OwnedFd>,
}

impl<'d> Places<'d> {
    pub(super) fn new(
        listener: BorrowedFd<'d>,
        channel: Channel,
        caps: Caps,
        turned_away: Box<[u8]>,
        epoll: impl rustix::fd::AsFd,
    ) -> std::io::Result<Self> {
        rustix::io::ioctl_fionbio(listener, true)?;
        let token = Token::of(channel);
        epoll::add(epoll, listener, token.data(), EventFlags::IN)?;
        let place = |_| Connection::new(caps.body_size_max, caps.reply_size_max);
        Ok(Self {
            listener,
            channel,
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
        } else if let Some(place) = u16::try_from(token.place).ok().and_then(|place| self.place(place)) {
            place.is_ready = true;
        }
    }

    /// One frame of every connection that has one.
    pub(super) fn serve_round(&mut self, epoll: BorrowedFd<'_>, round: &mut Round<'_, impl Serve>) {
        for place in 0..self.len() {
            let Some(connection) = self.place(place) else { continue };
            let is_ready = std::mem::take(&mut connection.is_ready);
            let is_due = if connection.waits_for_vault() {
                // Nothing is asked of the kernel meanwhile, so it tells of an end only.
                if is_ready {
                    self.close(place, round);
                }
                continue;
            } else if connection.has_reply_pending() {
                is_ready
            } else {
                is_ready || connection.has_frame_waiting()
            };
            if is_due && connection.socket.is_some() {
                self.serve(epoll, place, round);
            }
        }
    }

    /// Gives those an answer whose answer was to come later, and sends what was held and is held no more.
    pub(super) fn resume_round(&mut self, epoll: BorrowedFd<'_>, round: &mut Round<'_, impl Serve>) {
        let acknowledged = round.vault.acknowledged();
        for place in 0..self.len() {
            let (from, due) = (self.from(place), self.due(round, place));
            let Some(connection) = self.place(place) else { continue };
            if !connection.waits_for_vault() {
                continue;
            }
            let step = if connection.later_ms().is_some() {
                connection.resume(due, |reply| round.vault.resume(round.clock.now(), from, reply))
            } else {
                connection.release(due, acknowledged)
            };
            self.note(epoll, place, step, round);
        }
    }

    fn serve(&mut self, epoll: BorrowedFd<'_>, place: u16, round: &mut Round<'_, impl Serve>) {
        let (from, due, stopped) = (self.from(place), self.due(round, place), self.stopped);
        let Some(connection) = self.place(place) else { return };
        let was_pending = connection.has_reply_pending();
        if stopped && !was_pending {
            return;
        }
        let step =
            connection.advance(due, |body, reply| round.vault.handle(round.clock.now(), from, body, reply));
        if !was_pending && matches!(step, Step::Replied | Step::ReplyPending | Step::Ended) {
            round.counts.frames += 1;
            self.turn += 1;
            let turn = self.turn;
            if let Some(connection) = self.place(place) {
                connection.last_turn = turn;
            }
        }
        self.note(epoll, place, step, round);
    }

    /// What a step means for the place.
    fn note(&mut self, epoll: BorrowedFd<'_>, place: u16, step: Step, round: &mut Round<'_, impl Serve>) {
        match step {
            Step::Waits | Step::Replied | Step::ReplyPending => {
                let (token, stopped, due) = (self.token_of(place), self.stopped, self.due(round, place));
                let Some(connection) = self.place(place) else { return };
                if step == Step::Replied {
                    connection.note_session(due);
                }
                if !watch(epoll, connection, token, stopped) {
                    self.close(place, round);
                }
            }
            Step::Gone | Step::Ended => self.close(place, round),
            Step::Violation => {
                round.counts.violations += 1;
                self.close(place, round);
            }
        }
    }

    /// Frees a place, and has the vault forget who was there.
    fn close(&mut self, place: u16, round: &mut Round<'_, impl Serve>) {
        let from = self.from(place);
        if let Some(connection) = self.place(place) {
            connection.close();
            round.vault.forget(from);
        }
    }

    /// Takes who waits at the listener. When all places are taken a newcomer displaces who has no session and was idle
    /// longest, at most one a round: who has just come has as many rounds for the first frame as there are places. What
    /// a displaced one had sent is still answered. Who has a session is never displaced.
    pub(super) fn accept_round(
        &mut self,
        epoll: BorrowedFd<'_>,
        round: &mut Round<'_, impl Serve>,
    ) -> std::io::Result<()> {
        if self.paused_until_ms.is_some_and(|until_ms| until_ms <= round.now_ms) && !self.stopped {
            epoll::modify(epoll, self.listener, self.token.data(), EventFlags::IN)?;
            self.paused_until_ms = None;
        }
        if self.has_reserve && self.reserve.is_none() {
            self.reserve = self.listener.try_clone_to_owned().ok();
        }
        if !std::mem::take(&mut self.someone_waits) || self.stopped {
            return Ok(());
        }
        let mut may_displace = true;
        for _ in 0..ACCEPTS_MAX {
            let is_full = !self.has_free_place() && self.displaceable(round).is_some();
            if is_full && !may_displace {
                // The listener is reported again in the next round.
                break;
            }
            match accept_with(self.listener, SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK)) {
                Ok(socket) => {
                    if is_full {
                        may_displace = false;
                        self.displace(round);
                    }
                    self.admit(epoll, socket, round);
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                // The kernel says so before it looks whether anyone waits.
                Err(Errno::MFILE | Errno::NFILE) if self.has_reserve && !self.is_awaited() => break,
                Err(Errno::MFILE | Errno::NFILE) if self.reserve.is_some() => self.reserve = None,
                // Its own connections are the next to pay: there is one at least, which the reserve let in.
                Err(Errno::MFILE | Errno::NFILE)
                    if self.has_reserve && may_displace && self.displace(round) =>
                {
                    may_displace = false;
                }
                Err(_) => {
                    // No descriptor or memory left. The listener would be reported without end.
                    epoll::modify(epoll, self.listener, self.token.data(), EventFlags::empty())?;
                    self.paused_until_ms = Some(round.now_ms.saturating_add(ACCEPT_PAUSE_MS));
                    break;
                }
            }
        }
        Ok(())
    }

    fn admit(&mut self, epoll: BorrowedFd<'_>, socket: OwnedFd, round: &mut Round<'_, impl Serve>) {
        let free = (0..self.len()).zip(&mut self.places).find(|(_, place)| place.socket.is_none());
        let Some((place, _)) = free else {
            round.counts.turned_away += 1;
            let _ = send(socket, &self.turned_away, SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL));
            return;
        };
        let (token, due) = (self.token_of(place), self.due(round, place));
        if epoll::add(epoll, &socket, token.data(), EventFlags::IN).is_ok() {
            round.counts.accepted += 1;
            self.turn += 1;
            let turn = self.turn;
            if let Some(connection) = self.place(place) {
                connection.open(socket, due, turn);
            }
        }
    }

    /// The place of the connection without a session that was idle longest; one that had an answer goes before one
    /// that had none yet.
    fn displaceable(&self, round: &Round<'_, impl Serve>) -> Option<u16> {
        let taken = (0..).zip(&self.places).filter(|(_, connection)| connection.socket.is_some());
        let strangers = taken.filter(|(place, _)| !round.vault.has_session(self.from(*place)));
        let longest = strangers.min_by_key(|(_, connection)| (!connection.is_answered, connection.last_turn));
        longest.map(|(place, _)| place)
    }

    /// Frees the place of a connection that may be displaced. Its last bytes are read first: what was sent is
    /// answered. False when there is none.
    fn displace(&mut self, round: &mut Round<'_, impl Serve>) -> bool {
        let Some(place) = self.displaceable(round) else { return false };
        let (from, due) = (self.from(place), self.due(round, place));
        let Some(connection) = self.place(place) else { return false };
        let was_pending = connection.has_reply_pending();
        let step =
            connection.advance(due, |body, reply| round.vault.handle(round.clock.now(), from, body, reply));
        if matches!(step, Step::Replied | Step::ReplyPending | Step::Ended) && !was_pending {
            round.counts.frames += 1;
        }
        round.counts.displaced += 1;
        self.close(place, round);
        true
    }

    /// Closes the connections whose time has passed.
    pub(super) fn cut_late(&mut self, round: &mut Round<'_, impl Serve>) {
        for place in 0..self.len() {
            let Some(connection) = self.place(place) else { continue };
            let is_late = connection.due_ms().is_some_and(|due_ms| due_ms <= round.now_ms);
            // A whole frame that only waits for its round is not late.
            if is_late && !connection.has_frame_waiting() {
                round.counts.late += 1;
                self.close(place, round);
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
        let due = self.places.iter().filter_map(|place| place.due_ms().or(place.later_ms()));
        due.chain(self.paused_until_ms).min()
    }

    fn due(&self, round: &Round<'_, impl Serve>, place: u16) -> Due {
        let has_session = round.vault.has_session(self.from(place));
        Due {
            frame_ms: round.now_ms.saturating_add(self.frame_deadline_ms),
            idle_ms: (!has_session).then_some(round.now_ms.saturating_add(self.idle_ms)),
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

    fn len(&self) -> u16 {
        u16::try_from(self.places.len()).unwrap_or(u16::MAX)
    }

    fn place(&mut self, place: u16) -> Option<&mut Connection> {
        self.places.get_mut(usize::from(place))
    }

    fn from(&self, place: u16) -> Place {
        Place { channel: self.channel, index: place }
    }

    fn token_of(&self, place: u16) -> Token {
        Token { place: place.into(), ..self.token }
    }
}

/// Has the kernel report what the connection waits for: room for its reply, its next bytes, or only its end. False
/// when nothing is left to wait for.
fn watch(epoll: BorrowedFd<'_>, connection: &mut Connection, token: Token, stopped: bool) -> bool {
    let wanted = if connection.has_reply_pending() {
        EventFlags::OUT
    } else if stopped {
        return false;
    } else if connection.waits_for_vault() {
        EventFlags::empty()
    } else {
        EventFlags::IN
    };
    let Some(socket) = &connection.socket else { return true };
    if wanted == connection.watched {
        return true;
    }
    connection.watched = wanted;
    epoll::modify(epoll, socket.as_fd(), token.data(), wanted).is_ok()
}
