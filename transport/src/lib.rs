//! Sockets and frames: the only way bytes get from one process of Portcullis to another.
//!
//! An [`Address`] says where a peer is (unix socket, hybrid vsock, vsock); [`Dial`] connects to it, [`Listen`]
//! waits there; both give a [`Stream`]. [`Framed`] reads and writes whole frames over a stream, blocking and
//! with deadlines; [`FrameBuffer`] is the part of it that does no I/O, for loops that wait on many streams.
//! [`Attested`] is a client's session with a vault over such frames; [`key_file`] reads the key it comes with.
//!
//! Guarantees: no frame grows past the cap of its channel, and the cap is checked on the four prefix bytes,
//! before anything is read for it; a buffer is allocated once, when the connection is made; every wait has an
//! end; a frame is one write; an end of stream inside a frame is never taken for a clean one.
//! Refuses: TCP. There is no address for it.

#![forbid(unsafe_code)]

mod address;
mod attested;
mod error;
mod frame_buffer;
mod framed;
mod hybrid;
pub mod key_file;
mod stop;
mod stream;
mod unix;

use std::os::fd::AsFd;
use std::time::Duration;

pub use address::{Address, AddressFault};
pub use attested::{Attested, Opening, SessionError};
pub use error::Error;
pub use frame_buffer::FrameBuffer;
pub use framed::{Framed, Patience};
pub use stop::Stop;
pub use stream::{Stream, Timed};
pub use unix::{Listener, peer_uid};

/// A place where peers arrive. The descriptor turns readable when one waits.
pub trait Listen: AsFd {
    /// Waits for the next peer.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn accept(&self) -> Result<Stream, Error>;
}

/// A place that can be connected to.
pub trait Dial {
    /// Connects, for at most `timeout`.
    ///
    /// # Errors
    /// [`Error::Io`] when nobody listens there, [`Error::HybridRefused`] when the far end of a hybrid socket
    /// has no listener on that port, [`Error::VsockNotInThisBuild`].
    fn dial(&self, timeout: Duration) -> Result<Stream, Error>;
}

impl Dial for Address {
    fn dial(&self, timeout: Duration) -> Result<Stream, Error> {
        match self {
            Self::Unix(path) => unix::dial(path, timeout),
            Self::Hybrid { path, port } => hybrid::dial(path, *port, timeout),
            Self::Vsock { .. } => Err(Error::VsockNotInThisBuild),
        }
    }
}

impl Address {
    /// Binds and listens here. `mode` are the permission bits of a socket file, in force before anyone can
    /// connect.
    ///
    /// A hybrid address is listened to as its far side expects: on the unix socket `<path>_<port>`.
    ///
    /// # Errors
    /// [`Error::Io`], with `AddrInUse` when a living process listens there; [`Error::VsockNotInThisBuild`].
    pub fn listen(&self, mode: u32) -> Result<Listener, Error> {
        match self {
            Self::Unix(path) => Listener::bind(path, mode),
            Self::Hybrid { path, port } => Listener::bind(&hybrid::listening_path(path, *port), mode),
            Self::Vsock { .. } => Err(Error::VsockNotInThisBuild),
        }
    }
}
