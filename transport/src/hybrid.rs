//! Vsock behind a unix socket, as Firecracker and vhost-device-vsock offer it.
//!
//! The dialer connects to the monitor's unix socket, writes `CONNECT <port>\n` and reads `OK <n>\n`; after
//! that the stream is the machine's. In the other direction the monitor connects to `<path>_<port>`.
//! Followed: Firecracker, `docs/vsock.md`, "Host-initiated connections".

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::framed::Deadline;
use crate::{Error, Stream, Timed as _, unix};

/// Longest answer: `OK `, ten digits, a newline.
const ANSWER_SIZE_MAX: usize = 14;

/// The unix socket on which connections to `port` from inside the machine arrive.
pub(crate) fn listening_path(path: &Path, port: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("_{port}"));
    PathBuf::from(name)
}

pub(crate) fn dial(path: &Path, port: u32, timeout: Duration) -> Result<Stream, Error> {
    let deadline = Deadline::after(timeout);
    let mut stream = unix::dial(path, timeout)?;
    stream.set_write_timeout(Some(deadline.left()?))?;
    stream.write_all(format!("CONNECT {port}\n").as_bytes())?;
    let mut answer = [0_u8; ANSWER_SIZE_MAX];
    let mut size = 0;
    // Byte by byte: what follows the newline belongs to the stream.
    for place in &mut answer {
        stream.set_read_timeout(Some(deadline.left()?))?;
        let mut byte = [0_u8; 1];
        match stream.read(&mut byte) {
            Ok(1..) => {}
            Ok(0) => return Err(Error::HybridRefused),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                return Err(Error::DeadlinePassed { allowed: timeout });
            }
            // The monitor resets the connection when nobody listens on that port.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {
                return Err(Error::HybridRefused);
            }
            Err(error) => return Err(error.into()),
        }
        [*place] = byte;
        size += 1;
        if *place == b'\n' {
            break;
        }
    }
    if !is_ok(answer.get(..size).unwrap_or_default()) {
        return Err(Error::HybridRefused);
    }
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    Ok(stream)
}

fn is_ok(answer: &[u8]) -> bool {
    answer
        .strip_prefix(b"OK ")
        .and_then(|rest| rest.strip_suffix(b"\n"))
        .is_some_and(|port| !port.is_empty() && port.iter().all(u8::is_ascii_digit))
}
