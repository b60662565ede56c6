//! The client's side of a session with a vault in the same process: for tests, the conformance program and benchmarks.

use session::attestation::{DevelopmentRoot, Distrust, Pin};
use session::{Entropy, Fault, Initiator, Session, SessionKey};
use sha2::{Digest, Sha256};
use wire::frame::FrameFault;
use wire::session::{
    ATTESTATION_SIZE_MAX, Channel, HANDSHAKE1_SIZE_MAX, SEALED_SIZE_MAX, Welcome, read_attestation,
    write_hello,
};
use zeroize::Zeroizing;

/// How old a document may be here: it was made just now.
const AGE_MS_MAX: u64 = 1_000;

const _: () = assert!(ATTESTATION_SIZE_MAX <= SEALED_SIZE_MAX);

/// The throw-away session key that everybody can make: SHA-256("portcullis dev key: " ‖ name).
#[must_use]
pub fn throw_away_key(name: &str) -> SessionKey {
    let secret = Sha256::new_with_prefix("portcullis dev key: ").chain_update(name).finalize();
    SessionKey::from_bytes(Zeroizing::new(secret.into()))
}

/// Who it is, what for, and what it insists on.
pub struct Caller<'c> {
    /// Its key.
    pub key: &'c SessionKey,
    /// What the session is for.
    pub channel: Channel,
    /// Its certificate, if it has one.
    pub certificate: Option<&'c [u8]>,
    /// The vault's book.
    pub policy_hash: [u8; 32],
    /// The time, milliseconds since the Unix epoch.
    pub wall_ms: u64,
    /// Drawn anew for each session, here as everywhere.
    pub seed: [u8; 32],
}

/// A session, and room for a frame of it.
pub struct Peer {
    session: Session,
    welcome: Welcome,
    frame: Box<[u8; SEALED_SIZE_MAX]>,
}

/// Why there is no session, or no longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The answer to the hello is no document.
    NoDocument(FrameFault),
    /// The document is not good enough.
    Distrusted(Distrust),
    /// The handshake or a frame failed; [`Fault::Denied`] when the vault said no.
    Failed(Fault),
    /// The vault ended the connection.
    Ended,
}

impl Peer {
    /// Opens a session through `exchange`, which takes a frame's body to the vault and writes that of its reply;
    /// `None` where the vault ends the connection.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn open(
        caller: &Caller<'_>,
        mut exchange: impl FnMut(&[u8], &mut [u8]) -> Option<usize>,
    ) -> Result<Self, Refused> {
        let mut frame = Box::new([0; SEALED_SIZE_MAX]);
        let nonce = Sha256::new_with_prefix("nonce").chain_update(caller.seed).finalize().into();
        let size = exchange(&write_hello(&nonce), &mut frame[..]).ok_or(Refused::Ended)?;
        let body = frame.get(..size).unwrap_or_default();
        let document = read_attestation(body).map_err(|fault| match wire::session::read_denied(body) {
            Ok(code) => Refused::Failed(Fault::Denied { code }),
            Err(_) => Refused::NoDocument(fault),
        })?;
        let pin = Pin { nonce: Some(nonce), ..Pin::new(caller.policy_hash, AGE_MS_MAX) };
        let pinned = pin.check(&DevelopmentRoot, document, caller.wall_ms).map_err(Refused::Distrusted)?;
        let mut first = [0; HANDSHAKE1_SIZE_MAX];
        let entropy = Entropy::new(Zeroizing::new(caller.seed));
        let Caller { key, channel, certificate, .. } = *caller;
        let (initiator, size) = Initiator::start(key, &pinned, channel, certificate, entropy, &mut first)
            .map_err(Refused::Failed)?;
        let first = first.get(..size).unwrap_or_default();
        let size = exchange(first, &mut frame[..]).ok_or(Refused::Ended)?;
        let (session, welcome) =
            initiator.finish(frame.get(..size).unwrap_or_default()).map_err(Refused::Failed)?;
        Ok(Self { session, welcome, frame })
    }

    /// What the vault welcomed it with.
    #[must_use]
    pub const fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// Seals a body; the frame is good until the next call.
    ///
    /// # Errors
    /// [`Refused::Failed`].
    pub fn seal(&mut self, body: &[u8]) -> Result<&[u8], Refused> {
        let size = self.session.seal(body, &mut self.frame[..]).map_err(Refused::Failed)?;
        Ok(self.frame.get(..size).unwrap_or_default())
    }

    /// Opens a frame into `body` and gives the body's size.
    ///
    /// # Errors
    /// [`Refused::Failed`].
    pub fn open_frame(&mut self, frame: &[u8], body: &mut [u8]) -> Result<usize, Refused> {
        self.session.open(frame, body).map_err(Refused::Failed)
    }
}

impl core::fmt::Debug for Peer {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.debug_struct("Peer").field("welcome", &self.welcome).finish_non_exhaustive()
    }
}
