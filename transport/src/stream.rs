//! A connection.

use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, send, sendmsg};

/// A stream whose reads and writes end after a time.
pub trait Timed: Read + Write {
    /// How long one read may wait; `None` for as long as it takes.
    ///
    /// # Errors
    /// When the operating system refuses.
    fn set_read_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()>;

    /// How long one write may wait; `None` for as long as it takes.
    ///
    /// # Errors
    /// When the operating system refuses.
    fn set_write_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()>;
}

/// A connected stream socket of any family. A peer that is gone is an error of the write, never a signal.
#[derive(Debug)]
pub struct Stream {
    socket: OwnedFd,
}

impl Stream {
    /// A second handle on the same connection, for another thread.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.socket.try_clone().map(Self::from)
    }
}

impl From<OwnedFd> for Stream {
    fn from(socket: OwnedFd) -> Self {
        Self { socket }
    }
}

impl From<UnixStream> for Stream {
    fn from(stream: UnixStream) -> Self {
        Self { socket: stream.into() }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (size, _) = recv(&self.socket, buffer, RecvFlags::empty())?;
        Ok(size)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(send(&self.socket, bytes, SendFlags::NOSIGNAL)?)
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut nothing = SendAncillaryBuffer::default();
        Ok(sendmsg(&self.socket, parts, &mut nothing, SendFlags::NOSIGNAL)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Timed for Stream {
    fn set_read_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        Ok(set_socket_timeout(&self.socket, Timeout::Recv, timeout)?)
    }

    fn set_write_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        Ok(set_socket_timeout(&self.socket, Timeout::Send, timeout)?)
    }
}
