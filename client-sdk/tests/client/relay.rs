//! Somebody between the client and the vault, who does with their frames what it likes.

use crate::server::{read_frame, write_frame};
use client_sdk::Address;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Where a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    ToVault,
    ToClient,
}

/// A frame on its way.
pub(crate) struct Passing {
    pub(crate) way: Way,
    /// Which connection it belongs to, from 0.
    pub(crate) connection: usize,
    /// Which exchange of it, from 0: hello, handshake, then what is sealed.
    pub(crate) turn: usize,
    pub(crate) frame: Vec<u8>,
}

/// What goes on in a frame's place. Nothing towards the client ends the connection.
pub(crate) trait Tamper: FnMut(Passing) -> Vec<Vec<u8>> + Send {}

impl<T: FnMut(Passing) -> Vec<Vec<u8>> + Send> Tamper for T {}

impl Passing {
    /// Goes on as it is.
    pub(crate) fn on(self) -> Vec<Vec<u8>> {
        vec![self.frame]
    }

    pub(crate) fn is(&self, way: Way, turn: usize) -> bool {
        (self.way, self.turn) == (way, turn)
    }
}

pub(crate) struct Relay(PathBuf);

impl Relay {
    /// Passes frames on to the vault, one exchange after the other; `tamper` says what goes on in a frame's place.
    /// Nothing towards the client ends the connection.
    pub(crate) fn start(
        vault: &Path,
        mut tamper: impl FnMut(Passing) -> Vec<Vec<u8>> + Send + 'static,
    ) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("relay-{}-{}.sock", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        let (listener, vault) = (UnixListener::bind(&path).unwrap(), vault.to_owned());
        std::thread::spawn(move || {
            for connection in 0.. {
                let Ok((mut client, _)) = listener.accept() else { return };
                let Ok(mut vault) = UnixStream::connect(&vault) else { return };
                pass(&mut client, &mut vault, |way, turn, frame| {
                    tamper(Passing { way, connection, turn, frame })
                });
            }
        });
        Self(path)
    }

    pub(crate) fn address(&self) -> Address {
        Address::Unix(self.0.clone())
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn pass(
    client: &mut UnixStream,
    vault: &mut UnixStream,
    mut tamper: impl FnMut(Way, usize, Vec<u8>) -> Vec<Vec<u8>>,
) -> Option<()> {
    for turn in 0.. {
        let frames = tamper(Way::ToVault, turn, read_frame(client)?);
        for frame in &frames {
            write_frame(vault, frame).ok()?;
        }
        if frames.is_empty() {
            continue;
        }
        let frames = tamper(Way::ToClient, turn, read_frame(vault)?);
        for frame in &frames {
            write_frame(client, frame).ok()?;
        }
        if frames.is_empty() {
            return None;
        }
    }
    None
}
