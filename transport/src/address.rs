//! Where a peer is.
//!
//! ```text
//! unix:/run/portcullis/vault.sock       a unix socket
//! hybrid:/run/fc/v.sock:5000            vsock behind a unix socket (Firecracker, vhost-device-vsock)
//! vsock:16:5000                         AF_VSOCK: context id, port
//! ```

use core::fmt;
use core::str::FromStr;
use std::path::PathBuf;

/// Longest path of a unix socket in bytes (`sun_path` is 108 with its terminator, unix(7)).
const PATH_SIZE_MAX: usize = 107;

/// Where a peer is. Text and value are one to one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// A unix socket.
    Unix(PathBuf),
    /// A vsock port behind a unix socket: connect, write `CONNECT <port>\n`, read `OK <n>\n`.
    Hybrid {
        /// The unix socket of the machine monitor.
        path: PathBuf,
        /// The port inside the machine.
        port: u32,
    },
    /// `AF_VSOCK`, vsock(7). Only in a build with a vsock dialer.
    Vsock {
        /// Context id of the machine.
        cid: u32,
        /// The port inside the machine.
        port: u32,
    },
}

/// Why a text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressFault {
    /// It starts with none of `unix:`, `hybrid:`, `vsock:`.
    SchemeNotKnown,
    /// The path is empty, relative, or holds a NUL.
    PathNotAbsolute,
    /// The path is longer than a unix socket's can be.
    PathTooLong {
        /// bytes found
        size: usize,
    },
    /// A port or context id is missing or no decimal `u32`.
    NumberMalformed,
}

impl fmt::Display for AddressFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemeNotKnown => {
                f.write_str("an address is unix:/path, hybrid:/path:PORT or vsock:CID:PORT")
            }
            Self::PathNotAbsolute => f.write_str("the path of a socket must be absolute"),
            Self::PathTooLong { size } => {
                write!(f, "the path has {size} bytes, a unix socket's has at most {PATH_SIZE_MAX}")
            }
            Self::NumberMalformed => f.write_str("a port or context id must be a decimal number below 2^32"),
        }
    }
}

impl std::error::Error for AddressFault {}

impl FromStr for Address {
    type Err = AddressFault;

    fn from_str(text: &str) -> Result<Self, AddressFault> {
        let (scheme, rest) = text.split_once(':').ok_or(AddressFault::SchemeNotKnown)?;
        match scheme {
            "unix" => Ok(Self::Unix(path(rest)?)),
            "hybrid" => {
                let (socket, port) = rest.rsplit_once(':').ok_or(AddressFault::NumberMalformed)?;
                Ok(Self::Hybrid { path: path(socket)?, port: number(port)? })
            }
            "vsock" => {
                let (cid, port) = rest.split_once(':').ok_or(AddressFault::NumberMalformed)?;
                Ok(Self::Vsock { cid: number(cid)?, port: number(port)? })
            }
            _ => Err(AddressFault::SchemeNotKnown),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Hybrid { path, port } => write!(f, "hybrid:{}:{port}", path.display()),
            Self::Vsock { cid, port } => write!(f, "vsock:{cid}:{port}"),
        }
    }
}

fn path(text: &str) -> Result<PathBuf, AddressFault> {
    if !text.starts_with('/') || text.contains('\0') {
        return Err(AddressFault::PathNotAbsolute);
    }
    if text.len() > PATH_SIZE_MAX {
        return Err(AddressFault::PathTooLong { size: text.len() });
    }
    Ok(PathBuf::from(text))
}

/// Digits only: `u32::from_str` would also take a sign.
fn number(text: &str) -> Result<u32, AddressFault> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AddressFault::NumberMalformed);
    }
    text.parse().map_err(|_| AddressFault::NumberMalformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address, AddressFault> {
        text.parse()
    }

    #[test]
    fn an_address_prints_as_it_was_written() {
        for text in
            ["unix:/run/a.sock", "unix:/a:b", "hybrid:/run/v.sock:5000", "hybrid:/a:b:1", "vsock:16:5000"]
        {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_address_is_refused_by_name() {
        let table = [
            ("", AddressFault::SchemeNotKnown),
            ("/run/a.sock", AddressFault::SchemeNotKnown),
            ("tcp:127.0.0.1:80", AddressFault::SchemeNotKnown),
            ("unix:", AddressFault::PathNotAbsolute),
            ("unix:a.sock", AddressFault::PathNotAbsolute),
            ("unix:/a\0b", AddressFault::PathNotAbsolute),
            ("hybrid:/a", AddressFault::NumberMalformed),
            ("hybrid:/a:", AddressFault::NumberMalformed),
            ("hybrid:/a:+1", AddressFault::NumberMalformed),
            ("vsock:3", AddressFault::NumberMalformed),
            ("vsock:3:4294967296", AddressFault::NumberMalformed),
            ("vsock:3:4:5", AddressFault::NumberMalformed),
        ];
        for (text, fault) in table {
            assert_eq!(parse(text), Err(fault), "{text:?}");
        }
    }

    #[test]
    fn a_path_that_no_socket_can_have_is_refused() {
        let text = format!("unix:/{}", "a".repeat(PATH_SIZE_MAX));
        assert_eq!(parse(&text), Err(AddressFault::PathTooLong { size: PATH_SIZE_MAX + 1 }));
        assert!(parse(&text[..text.len() - 1]).is_ok());
    }
}
