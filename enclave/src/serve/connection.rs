//! One place for a connection: its socket, its two buffers, its deadline. The buffers outlive the connection
//! and serve the next one.

use rustix::event::epoll::EventFlags;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use transport::FrameBuffer;
use wire::frame::{self, PREFIX_SIZE};

use super::Verdict;

/// A place that a connection can take.
pub(super) struct Connection {
    /// `None` when the place is free.
    pub(super) socket: Option<OwnedFd>,
    /// Whether the kernel has reported it since it was last looked at.
    pub(super) is_ready: bool,
    /// What the kernel reports of it.
    pub(super) watched: EventFlags,
    received: FrameBuffer,
    /// Prefix and body of the reply on its way out.
    reply: Box<[u8]>,
    reply_size: usize,
    reply_sent: usize,
    /// The record that must be acknowledged before the reply goes out.
    held_for: Option<u64>,
    /// A frame has no answer yet, and gets one at this time at the latest.
    later_ms: Option<u64>,
    /// Whether the connection ends with this reply.
    is_last: bool,
    /// When a started frame or an untaken reply is given up.
    frame_due_ms: Option<u64>,
    /// When a connection without a session is given up; `None` when it may stay.
    idle_due_ms: Option<u64>,
    /// Whether it has had an answer.
    pub(super) is_answered: bool,
    /// The turn of the channel in which it came or had its last answer. Bytes of an unfinished frame do not
    /// count.
    pub(super) last_turn: u64,
}

/// When a connection that waits for its peer from now on is given up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// For the rest of a frame, or for the peer to take a reply.
    pub(super) frame_ms: u64,
    /// For the first byte of the next frame, where it has no session; `None` for as long as the peer likes.
    pub(super) idle_ms: Option<u64>,
}

/// How a step with a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It waits for the peer.
    Waits,
    /// A frame was answered and the peer has the reply.
    Replied,
    /// A frame was answered and the peer has to take the reply first, or its record must be acknowledged.
    ReplyPending,
    /// A frame was answered and the peer has the reply, which is the last one.
    Ended,
    /// The peer is gone.
    Gone,
    /// The peer sent what the channel does not take.
    Violation,
}

impl Connection {
    pub(super) fn new(body_size_max: usize, reply_size_max: usize) -> Self {
        Self {
            socket: None,
            is_ready: false,
            watched: EventFlags::IN,
            received: FrameBuffer::new(body_size_max),
            reply: vec![0; PREFIX_SIZE + reply_size_max].into_boxed_slice(),
            reply_size: 0,
            reply_sent: 0,
            held_for: None,
            later_ms: None,
            is_last: false,
            frame_due_ms: None,
            idle_due_ms: None,
            is_answered: false,
            last_turn: 0,
        }
    }

    pub(super) fn open(&mut self, socket: OwnedFd, due: Due, turn: u64) {
        self.close();
        self.watched = EventFlags::IN;
        self.socket = Some(socket);
        self.idle_due_ms = due.idle_ms;
        self.last_turn = turn;
    }

    /// Frees the place. Closing the socket also takes it off the epoll set.
    pub(super) fn close(&mut self) {
        self.socket = None;
        self.is_ready = false;
        self.received.clear();
        (self.reply_size, self.reply_sent) = (0, 0);
        (self.held_for, self.later_ms, self.is_last) = (None, None, false);
        (self.frame_due_ms, self.idle_due_ms) = (None, None);
        self.is_answered = false;
    }

    /// When it is given up. The deadline of a frame replaces that of an idle connection while there is one.
    pub(super) fn due_ms(&self) -> Option<u64> {
        self.frame_due_ms.or(self.idle_due_ms)
    }

    /// Whether a reply is on its way out.
    pub(super) fn has_reply_pending(&self) -> bool {
        self.held_for.is_none() && self.reply_sent < self.reply_size
    }

    /// Whether nothing can happen before the vault moves: its reply is held, or there is none yet. Nothing is read
    /// then.
    pub(super) fn waits_for_vault(&self) -> bool {
        self.held_for.is_some() || self.later_ms.is_some()
    }

    /// When a frame that waits for its answer gets one at the latest.
    pub(super) fn later_ms(&self) -> Option<u64> {
        self.later_ms
    }

    /// The peer has a session, or none any more.
    pub(super) fn note_session(&mut self, due: Due) {
        self.idle_due_ms = due.idle_ms;
    }

    /// Whether a whole frame waits in the buffer for the next round. A wrong prefix counts as one: it is to
    /// be looked at.
    pub(super) fn has_frame_waiting(&self) -> bool {
        !self.has_reply_pending() && !self.waits_for_vault() && self.received.is_complete().unwrap_or(true)
    }

    /// Takes at most one frame to its answer. Receives at most once.
    pub(super) fn advance(&mut self, due: Due, answer: impl FnOnce(&[u8], &mut [u8]) -> Verdict) -> Step {
        if self.has_reply_pending() {
            return self.flush(due);
        }
        if !self.has_frame_waiting() {
            match self.receive() {
                Ok(0) | Err(Some(())) => return Step::Gone,
                Ok(_) => {}
                Err(None) => return Step::Waits,
            }
        }
        let body = match self.received.pop() {
            Ok(Some(body)) => body,
            Ok(None) => {
                // The deadline is the frame's: a byte now and then does not move it.
                self.frame_due_ms.get_or_insert(due.frame_ms);
                return Step::Waits;
            }
            Err(_) => return Step::Violation,
        };
        let Some(reply) = self.reply.get_mut(PREFIX_SIZE..) else { return Step::Gone };
        let verdict = answer(body, reply);
        self.frame_due_ms = None;
        self.take(verdict, due)
    }

    /// Asks again for the answer that was to come later.
    pub(super) fn resume(&mut self, due: Due, answer: impl FnOnce(&mut [u8]) -> Verdict) -> Step {
        let Some(reply) = self.reply.get_mut(PREFIX_SIZE..) else { return Step::Gone };
        let verdict = answer(reply);
        self.take(verdict, due)
    }

    /// Sends the reply that is held, if its record is below `acknowledged`.
    pub(super) fn release(&mut self, due: Due, acknowledged: u64) -> Step {
        match self.held_for {
            Some(sequence) if sequence < acknowledged => {
                self.held_for = None;
                self.flush(due)
            }
            _ => Step::Waits,
        }
    }

    fn take(&mut self, verdict: Verdict, due: Due) -> Step {
        self.later_ms = None;
        let size = match verdict {
            Verdict::Close => return Step::Violation,
            Verdict::Later { until_ms } => {
                (self.later_ms, self.idle_due_ms) = (Some(until_ms), None);
                return Step::Waits;
            }
            Verdict::Reply(size) | Verdict::Last(size) | Verdict::Held { size, .. } => size,
        };
        let size = size.min(self.reply.len() - PREFIX_SIZE);
        if let Some(prefix) = self.reply.first_chunk_mut::<PREFIX_SIZE>() {
            *prefix = frame::prefix(size).unwrap_or_default();
        }
        (self.reply_size, self.reply_sent) = (PREFIX_SIZE + size, 0);
        self.is_answered = true;
        self.is_last = matches!(verdict, Verdict::Last(_));
        if let Verdict::Held { sequence, .. } = verdict {
            self.held_for = Some(sequence);
            return Step::ReplyPending;
        }
        self.flush(due)
    }

    /// `Err(None)` when nothing is there, `Err(Some(()))` when the connection is broken.
    fn receive(&mut self) -> Result<usize, Option<()>> {
        let socket = self.socket.as_ref().ok_or(Some(()))?;
        match recv(socket, self.received.space(), RecvFlags::DONTWAIT) {
            Ok((size, _)) => {
                self.received.received(size);
                Ok(size)
            }
            Err(Errno::AGAIN | Errno::INTR) => Err(None),
            Err(_) => Err(Some(())),
        }
    }

    fn flush(&mut self, due: Due) -> Step {
        let (Some(socket), Some(rest)) = (&self.socket, self.reply.get(self.reply_sent..self.reply_size))
        else {
            return Step::Gone;
        };
        match send(socket, rest, SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL)) {
            Ok(size) => self.reply_sent = self.reply_sent.saturating_add(size),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return Step::Gone,
        }
        if self.has_reply_pending() {
            self.frame_due_ms.get_or_insert(due.frame_ms);
            return Step::ReplyPending;
        }
        (self.reply_size, self.reply_sent) = (0, 0);
        // A frame that had begun behind this one has its full time from here.
        self.frame_due_ms = (!self.received.is_empty()).then_some(due.frame_ms);
        self.idle_due_ms = due.idle_ms;
        if self.is_last { Step::Ended } else { Step::Replied }
    }
}
