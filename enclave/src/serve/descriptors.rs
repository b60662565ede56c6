//! How many descriptors the loop can need, against how many the process may open: with too few, requests could
//! take what a kill needs.

use std::io;

use rustix::process::{Resource, getrlimit};

use super::Limits;

/// Both listeners and their locks, the epoll set, both ends of the stop, the reserve for a kill.
const OWN: usize = 8;

/// Standard streams, the signals' handles, one connection a listener on its way out, and what the program that
/// started this one left open.
const MARGIN: usize = 24;

/// Checks that the limits fit into `RLIMIT_NOFILE` (getrlimit(2)).
///
/// # Errors
/// Says how many are needed and how many there may be.
pub(super) fn check(limits: &Limits) -> io::Result<()> {
    let needed = limits
        .connections_max
        .saturating_add(limits.control_connections_max)
        .saturating_add(OWN)
        .saturating_add(MARGIN);
    match getrlimit(Resource::Nofile).current {
        Some(allowed) if u64::try_from(needed).unwrap_or(u64::MAX) > allowed => {
            Err(io::Error::other(format!(
                "the vault can need {needed} open descriptors and this process may have {allowed}; raise it (ulimit -n), \
                 or a kill could find none left"
            )))
        }
        Some(_) | None => Ok(()),
    }
}
