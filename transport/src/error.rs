//! What can go wrong between two processes.

use core::fmt;
use std::io;
use std::time::Duration;

use wire::frame::FrameFault;

/// What can go wrong between two processes. After any of them the connection is of no further use.
#[derive(Debug)]
pub enum Error {
    /// The operating system says no.
    Io(io::Error),
    /// The peer sent a prefix that no frame of this channel has.
    Frame(FrameFault),
    /// The stream ended inside a frame.
    ClosedInFrame {
        /// bytes of the frame that had come
        received: usize,
    },
    /// No frame started within the time that was allowed for it.
    Idle {
        /// how long that was
        waited: Duration,
    },
    /// A frame that had started did not come, or was not taken, to its end in time.
    DeadlinePassed {
        /// how long that was
        allowed: Duration,
    },
    /// The frame to be written does not fit the channel.
    TooLongToWrite {
        /// bytes of its body
        size: usize,
    },
    /// The other side of a hybrid socket did not answer `OK`.
    HybridRefused,
    /// This build has no vsock dialer and listener.
    VsockNotInThisBuild,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Frame(FrameFault::TooShort { declared }) => {
                write!(f, "the peer declared a frame of {declared} bytes, too short for one")
            }
            Self::Frame(FrameFault::TooLong { declared }) => {
                write!(f, "the peer declared a frame of {declared} bytes, more than the channel takes")
            }
            Self::Frame(FrameFault::Version(version)) => {
                write!(f, "the peer speaks protocol version {version}")
            }
            Self::Frame(FrameFault::Kind(kind)) => {
                write!(f, "the peer sent a frame of kind {kind:#04x}, which does not belong here")
            }
            Self::ClosedInFrame { received } => {
                write!(f, "the peer closed after {received} bytes of a frame")
            }
            Self::Idle { waited } => write!(f, "the peer sent nothing for {waited:?}"),
            Self::DeadlinePassed { allowed } => write!(f, "a started frame took longer than {allowed:?}"),
            Self::TooLongToWrite { size } => write!(f, "a frame of {size} bytes does not fit the channel"),
            Self::HybridRefused => f.write_str("nobody listens on that port behind the hybrid socket"),
            Self::VsockNotInThisBuild => f.write_str("this build has no vsock: use unix: or hybrid:"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Frame(_)
            | Self::ClosedInFrame { .. }
            | Self::Idle { .. }
            | Self::DeadlinePassed { .. }
            | Self::TooLongToWrite { .. }
            | Self::HybridRefused
            | Self::VsockNotInThisBuild => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rustix::io::Errno> for Error {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Io(error.into())
    }
}

impl From<FrameFault> for Error {
    fn from(fault: FrameFault) -> Self {
        Self::Frame(fault)
    }
}
