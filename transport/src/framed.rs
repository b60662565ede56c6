//! Whole frames over a stream, blocking, each with a deadline.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use wire::frame;

use crate::{Error, FrameBuffer, Timed};

/// Most parts of one frame's body.
const PARTS_MAX: usize = 3;

/// Longest deadline; keeps the sum with the clock in its range.
const ALLOWED_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// How long to wait for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a frame to start; `None` for as long as it takes.
    pub idle: Option<Duration>,
    /// From a frame's first byte to its last, in either direction. Above zero.
    pub frame: Duration,
}

/// A stream of frames. In the ordinary case a frame is one read or one write and nothing else.
#[derive(Debug)]
pub struct Framed<S> {
    stream: S,
    buffer: FrameBuffer,
    patience: Patience,
    /// What the socket's read timeout is at present, so that it is set only when it changes.
    read_timeout: Option<Duration>,
}

impl<S: Timed> Framed<S> {
    /// Frames over `stream`, received ones of at most `body_size_max` bytes.
    ///
    /// # Errors
    /// [`Error::Io`] when the stream takes no timeouts.
    pub fn new(mut stream: S, body_size_max: usize, patience: Patience) -> Result<Self, Error> {
        stream.set_read_timeout(patience.idle)?;
        stream.set_write_timeout(Some(patience.frame))?;
        Ok(Self { stream, buffer: FrameBuffer::new(body_size_max), patience, read_timeout: patience.idle })
    }

    /// Reads the next frame's body; `None` when the peer closed between two frames. An end or a reset inside
    /// a frame is always [`Error::ClosedInFrame`].
    ///
    /// # Errors
    /// [`Error::Frame`], [`Error::ClosedInFrame`], [`Error::Idle`], [`Error::DeadlinePassed`], [`Error::Io`].
    pub fn read(&mut self) -> Result<Option<&[u8]>, Error> {
        let mut deadline = None;
        while !self.buffer.is_complete()? {
            if deadline.is_none() && !self.buffer.is_empty() {
                deadline = Some(Deadline::after(self.patience.frame));
            }
            self.set_read_timeout(match &deadline {
                Some(deadline) => Some(deadline.left()?),
                None => self.patience.idle,
            })?;
            match self.stream.read(self.buffer.space()) {
                Ok(0) if self.buffer.is_empty() => return Ok(None),
                Ok(0) => return Err(self.closed_in_frame()),
                Ok(size) => self.buffer.received(size),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) => return Err(self.timed_out(deadline.is_some())),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset && !self.buffer.is_empty() => {
                    return Err(self.closed_in_frame());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.buffer.pop()?)
    }

    /// Writes one frame whose body is `parts`, one after the other: prefix and body leave in one write. An
    /// error means that the peer did not get all of it.
    ///
    /// # Errors
    /// [`Error::TooLongToWrite`], [`Error::DeadlinePassed`], [`Error::Io`].
    pub fn write<const N: usize>(&mut self, parts: [&[u8]; N]) -> Result<(), Error> {
        const { assert!(N <= PARTS_MAX) };
        let size: usize = parts.iter().map(|part| part.len()).sum();
        let prefix = frame::prefix(size).ok_or(Error::TooLongToWrite { size })?;
        let mut slices = [IoSlice::new(&[]); PARTS_MAX + 1];
        for (slice, part) in slices.iter_mut().zip([&prefix[..]].into_iter().chain(parts)) {
            *slice = IoSlice::new(part);
        }
        let mut left = &mut slices[..];
        let mut deadline = None;
        loop {
            let written = match self.stream.write_vectored(left) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(written) => written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Err(error) if is_timeout(&error) => return Err(self.timed_out(true)),
                Err(error) => return Err(error.into()),
            };
            IoSlice::advance_slices(&mut left, written);
            if left.iter().all(|slice| slice.is_empty()) {
                return Ok(());
            }
            // Each write has the socket's timeout; this bounds their sum.
            deadline.get_or_insert_with(|| Deadline::after(self.patience.frame)).left()?;
        }
    }

    /// Whether bytes wait in the buffer, so that the descriptor need not turn readable for the next frame.
    #[must_use]
    pub fn has_buffered(&self) -> bool {
        !self.buffer.is_empty()
    }

    fn set_read_timeout(&mut self, timeout: Option<Duration>) -> Result<(), Error> {
        if self.read_timeout != timeout {
            self.stream.set_read_timeout(timeout)?;
            self.read_timeout = timeout;
        }
        Ok(())
    }

    fn closed_in_frame(&self) -> Error {
        Error::ClosedInFrame { received: self.buffer.size() }
    }

    fn timed_out(&self, started: bool) -> Error {
        if started {
            Error::DeadlinePassed { allowed: self.patience.frame }
        } else {
            Error::Idle { waited: self.patience.idle.unwrap_or_default() }
        }
    }
}

impl<S: AsFd> AsFd for Framed<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// A point in time after which a peer has had its chance.
pub(crate) struct Deadline {
    at: Instant,
    allowed: Duration,
}

impl Deadline {
    #[allow(clippy::disallowed_methods)] // deadlines of sockets are no part of any judgement
    pub(crate) fn after(allowed: Duration) -> Self {
        Self { at: Instant::now() + allowed.min(ALLOWED_MAX), allowed }
    }

    /// Time left, never zero: a socket takes a timeout of zero for "forever" or refuses it.
    #[allow(clippy::disallowed_methods)] // as above
    pub(crate) fn left(&self) -> Result<Duration, Error> {
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::DeadlinePassed { allowed: self.allowed });
        }
        // The kernel counts in microseconds.
        Ok(left.max(Duration::from_micros(1)))
    }
}
