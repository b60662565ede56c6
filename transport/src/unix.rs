//! Unix sockets.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags, fchmod, flock};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout, socket_peercred};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use rustix::net::{accept_with, bind, connect, listen, socket_with};

use crate::{Error, Listen, Stream};

/// Connections that may wait to be accepted.
const BACKLOG_MAX: i32 = 128;

/// How long the test for a living listener may take.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);

/// The user id of the process at the other end of a unix socket, as it was when it connected (`SO_PEERCRED`,
/// unix(7)).
///
/// # Errors
/// [`Error::Io`] when the socket is not a unix socket.
pub fn peer_uid(stream: &impl AsFd) -> Result<u32, Error> {
    Ok(socket_peercred(stream)?.uid.as_raw())
}

/// Connects to the socket file at `path`. Waits for at most `timeout` when its backlog is full.
pub(crate) fn dial(path: &Path, timeout: Duration) -> Result<Stream, Error> {
    let socket = open()?;
    set_socket_timeout(&socket, Timeout::Send, Some(timeout))?;
    let address = SocketAddrUnix::new(path)?;
    loop {
        match connect(&socket, &address) {
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Err(Error::DeadlinePassed { allowed: timeout }),
            Err(error) => return Err(error.into()),
            Ok(()) => break,
        }
    }
    set_socket_timeout(&socket, Timeout::Send, None)?;
    Ok(socket.into())
}

/// A listening unix socket; its file goes when the value goes.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    path: PathBuf,
    /// Device and inode of the file, so that another's is never removed in its place.
    file: (u64, u64),
    /// Held for as long as the socket file is this listener's.
    _lock: OwnedFd,
}

impl Listener {
    /// Binds `path` with the permission bits `mode`. A socket file that no process listens on any more is
    /// replaced; anything else that stands there is left alone.
    ///
    /// Looking, removing and binding are three steps, so they are taken under a lock on `<path>.lock`. That file
    /// stays: were it removed, two processes could hold locks on two files of that name.
    ///
    /// # Errors
    /// [`Error::Io`]: `AddrInUse` when a living process listens or is about to listen there, or the file is no
    /// socket.
    pub(crate) fn bind(path: &Path, mode: u32) -> Result<Self, Error> {
        let lock = lock(path)?;
        remove_if_dead(path)?;
        let socket = open()?;
        // Before bind: the file then never exists with wider permissions. The process' umask may narrow them.
        fchmod(&socket, Mode::from_raw_mode(mode))?;
        bind(&socket, &SocketAddrUnix::new(path)?)?;
        listen(&socket, BACKLOG_MAX)?;
        let file = fs::symlink_metadata(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        Ok(Self { socket, path: path.to_owned(), file: (file.dev(), file.ino()), _lock: lock })
    }

    /// The socket file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Listen for Listener {
    fn accept(&self) -> Result<Stream, Error> {
        loop {
            match accept_with(&self.socket, SocketFlags::CLOEXEC) {
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                Err(error) => return Err(error.into()),
                Ok(socket) => return Ok(socket.into()),
            }
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|file| (file.dev(), file.ino()) == self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn open() -> Result<OwnedFd, Error> {
    Ok(socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?)
}

/// Locks `<path>.lock` (flock(2)) until the descriptor is closed.
fn lock(path: &Path) -> Result<OwnedFd, Error> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::CLOEXEC
        | OFlags::NONBLOCK
        | OFlags::NOCTTY;
    let file = rustix::fs::open(&*name, flags, Mode::RUSR | Mode::WUSR)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => Err(in_use(path, "another process holds its lock")),
        Err(error) => Err(error.into()),
    }
}

fn in_use(path: &Path, why: &str) -> Error {
    io::Error::new(io::ErrorKind::AddrInUse, format!("{} is in use: {why}", path.display())).into()
}

fn remove_if_dead(path: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
        Ok(file) if !file.file_type().is_socket() => {
            Err(in_use(path, "a file that is no socket stands there"))
        }
        Ok(_) => match dial(path, PROBE_TIMEOUT) {
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                Ok(fs::remove_file(path)?)
            }
            _ => Err(in_use(path, "another process listens there")),
        },
    }
}
