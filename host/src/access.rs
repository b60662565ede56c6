//! Who may connect: user ids, as the kernel vouches for them (`SO_PEERCRED`).

use std::os::fd::AsFd;

use rustix::process::geteuid;

/// The user ids that may connect. Root is not among them unless it is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    uids: Vec<u32>,
}

impl Access {
    /// The named user ids; without any, the daemon's own.
    #[must_use]
    pub fn new(uids: &[u32]) -> Self {
        if uids.is_empty() {
            return Self::own();
        }
        Self { uids: uids.to_vec() }
    }

    /// The daemon's own user id.
    #[must_use]
    pub fn own() -> Self {
        Self { uids: vec![geteuid().as_raw()] }
    }

    /// Lets the peer in, or says who it is; `None` when the kernel does not know.
    ///
    /// # Errors
    /// The peer's user id when it is not on the list.
    pub fn check(&self, peer: &impl AsFd) -> Result<(), Option<u32>> {
        match transport::peer_uid(peer) {
            Ok(uid) if self.uids.contains(&uid) => Ok(()),
            Ok(uid) => Err(Some(uid)),
            Err(_) => Err(None),
        }
    }
}
