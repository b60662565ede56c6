//! One wish, told to many: stop.

use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// A descriptor that turns readable when it is time to stop, and stays so. Clones share the wish.
#[derive(Clone, Debug)]
pub struct Stop {
    ends: Arc<Ends>,
}

#[derive(Debug)]
struct Ends {
    told: UnixStream,
    teller: UnixStream,
}

impl Stop {
    /// A wish that nobody has had yet.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        let (told, teller) = UnixStream::pair()?;
        teller.set_nonblocking(true)?;
        Ok(Self { ends: Arc::new(Ends { told, teller }) })
    }

    /// Stop. Never blocks and may be called any number of times.
    pub fn stop(&self) {
        // The only failure is a full socket, and then it is readable already.
        let _ = (&self.ends.teller).write(&[1]);
    }

    /// A descriptor on which one written byte means stop, for a signal handler's own write.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn teller(&self) -> io::Result<OwnedFd> {
        self.ends.teller.try_clone().map(Into::into)
    }

    /// Whether it is time to stop; waits for it for at most `patience`.
    #[must_use]
    pub fn is_stopped_within(&self, patience: Duration) -> bool {
        let timeout = Timespec::try_from(patience).ok();
        let mut watched = [PollFd::new(self, PollFlags::IN)];
        matches!(poll(&mut watched, timeout.as_ref()), Ok(1..))
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ends.told.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clone_hears_it_and_it_is_never_unsaid() {
        let stop = Stop::new().unwrap();
        let other = stop.clone();
        assert!(!other.is_stopped_within(Duration::ZERO));
        for _ in 0..100_000 {
            stop.stop();
        }
        assert!(other.is_stopped_within(Duration::from_secs(60)));
        assert!(stop.is_stopped_within(Duration::ZERO));
    }
}
