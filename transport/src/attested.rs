//! A client's side of an attested session over a stream: blocking, with deadlines.
//!
//! ```text
//! Attested::open   Hello, a fresh nonce  ->      whom to trust and as whom to come are arguments: Opening
//!                                       <-   Attestation: Pin::check, or Distrust
//!                  Handshake1           ->
//!                                       <-   Handshake2, or Denied
//! exchange         Sealed               <->  Sealed: one write, one frame back
//! ```
//! Guarantees: nothing is sent to a vault whose document the root and the pin have not let through for the nonce of this
//! very connection; what [`Attested::receive`] gives is what that vault sealed, as the next of this session; the first
//! error ends the session. After opening nothing is allocated.

use core::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use session::attestation::{Distrust, Pin, Pinned, Root};
use session::{Entropy, Fault, Initiator, Session, SessionKey};
use wire::frame::{self, Kind};
use wire::session::KEY_SIZE;
use wire::session::{
    Channel, Claims, Denial, HANDSHAKE1_SIZE_MAX, NONCE_SIZE, SEALED_SIZE_MAX, Welcome, read_attestation,
    read_denied, write_hello,
};
use zeroize::Zeroizing;

use crate::{Address, Dial as _, Error, Framed, Patience, Stream, Timed};

/// Whom to trust and as whom to come.
#[derive(Clone, Copy)]
pub struct Opening<'o> {
    /// Who vouches for attestation documents.
    pub root: &'o dyn Root,
    /// What the vault must be. Its nonce is not looked at: each connection draws its own.
    pub pin: Pin,
    /// The client's static key.
    pub key: &'o SessionKey,
    /// The operator's certificate of a client that the book does not name.
    pub certificate: Option<&'o [u8]>,
    /// What the session is for.
    pub channel: Channel,
}

/// An attested session over a stream. One exchange at a time.
pub struct Attested<S> {
    framed: Framed<S>,
    session: Session,
    claims: Claims,
    welcome: Welcome,
    /// Where frames are sealed.
    sealed: Box<[u8]>,
}

/// Why there is no session, or no longer one.
#[derive(Debug)]
pub enum SessionError {
    /// The socket failed, a deadline passed, or a prefix is none.
    Transport(Error),
    /// The peer closed where its frame was due.
    Closed,
    /// The vault is not the one wanted, or nobody knows whether it is. Nothing was sent to it.
    Distrust(Distrust),
    /// Somebody, the vault or whoever sits between, says that there will be no session: a [`Denial`]'s code.
    Denied {
        /// the code; a later vault may know more of them
        code: u16,
    },
    /// A frame is not the vault's, not the next of this session, or not one that belongs here.
    Fault(Fault),
}

impl Attested<Stream> {
    /// Connects to `address` within `timeout` and opens a session.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn dial(
        address: &Address,
        timeout: Duration,
        opening: &Opening<'_>,
        patience: Patience,
    ) -> Result<Self, SessionError> {
        Self::open(address.dial(timeout)?, opening, patience)
    }
}

impl<S: Timed> Attested<S> {
    /// Opens a session over a connected stream. Each answer must start within `patience.idle`.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn open(stream: S, opening: &Opening<'_>, patience: Patience) -> Result<Self, SessionError> {
        let mut framed = Framed::new(stream, SEALED_SIZE_MAX, patience)?;
        let pinned = attest(&mut framed, opening)?;
        let mut message = [0; HANDSHAKE1_SIZE_MAX];
        let Opening { key, certificate, channel, .. } = *opening;
        let entropy = Entropy::new(random::<KEY_SIZE>()?);
        let (initiator, size) = Initiator::start(key, &pinned, channel, certificate, entropy, &mut message)?;
        framed.write([message.get(..size).unwrap_or_default()])?;
        let (session, welcome) = initiator.finish(answer(&mut framed)?)?;
        let sealed = vec![0; SEALED_SIZE_MAX].into_boxed_slice();
        Ok(Self { framed, session, claims: *pinned.claims(), welcome, sealed })
    }

    /// What the vault attested to this connection.
    #[must_use]
    pub const fn claims(&self) -> &Claims {
        &self.claims
    }

    /// What the vault said when it let this client in.
    #[must_use]
    pub const fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// The session.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Sends `body` and puts what comes back into `reply`; gives its size.
    ///
    /// # Errors
    /// As [`Attested::send`] and [`Attested::receive`].
    pub fn exchange(&mut self, body: &[u8], reply: &mut [u8]) -> Result<usize, SessionError> {
        self.send(body)?;
        self.receive(reply)
    }

    /// Seals `body` and sends it in one write. After an error the vault has not got all of it.
    ///
    /// # Errors
    /// [`SessionError`]; the session is over.
    pub fn send(&mut self, body: &[u8]) -> Result<(), SessionError> {
        let size = self.session.seal(body, &mut self.sealed)?;
        let frame = self.sealed.get(..size).unwrap_or_default();
        self.framed.write([frame]).inspect_err(|_| self.session.close())?;
        Ok(())
    }

    /// Waits for the next frame, opens it into `reply` and gives the size of what was inside. What was sent before an
    /// error may have been read by the vault or not.
    ///
    /// # Errors
    /// [`SessionError`]; the session is over.
    pub fn receive(&mut self, reply: &mut [u8]) -> Result<usize, SessionError> {
        if self.session.is_closed() {
            return Err(Fault::Closed.into());
        }
        match self.framed.read() {
            Ok(Some(frame)) => Ok(self.session.open(frame, reply)?),
            Ok(None) => {
                self.session.close();
                Err(SessionError::Closed)
            }
            Err(error) => {
                self.session.close();
                Err(error.into())
            }
        }
    }
}

/// Asks who is there, with a nonce of this connection's own.
fn attest<S: Timed>(framed: &mut Framed<S>, opening: &Opening<'_>) -> Result<Pinned, SessionError> {
    let nonce = *random::<NONCE_SIZE>()?;
    // An error of the write is not the reason: why the peer closed may be waiting to be read.
    let written = framed.write([&write_hello(&nonce)]);
    let body = match (answer(framed), written) {
        (Err(SessionError::Closed | SessionError::Transport(_)), Err(error)) => return Err(error.into()),
        (answer, _) => answer?,
    };
    let document = read_attestation(body).map_err(Fault::Frame)?;
    let pin = Pin { nonce: Some(nonce), ..opening.pin };
    pin.check(opening.root, document, now_ms()).map_err(SessionError::Distrust)
}

/// The peer's next frame before there is a session, if it is no "no".
fn answer<S: Timed>(framed: &mut Framed<S>) -> Result<&[u8], SessionError> {
    let body = framed.read()?.ok_or(SessionError::Closed)?;
    match frame::kind(body) {
        Ok(Kind::Denied) => Err(SessionError::Denied { code: read_denied(body).map_err(Fault::Frame)? }),
        _ => Ok(body),
    }
}

/// Random bytes of the kernel.
fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, Error> {
    // So few bytes come whole or not at all (getrandom(2)).
    const { assert!(N <= 256) };
    let mut bytes = Zeroizing::new([0; N]);
    loop {
        match getrandom(&mut bytes[..], GetRandomFlags::empty()) {
            Ok(_) => return Ok(bytes),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Milliseconds since the Unix epoch.
#[allow(clippy::disallowed_methods)] // a client's own clock, for the age of a document that has just come
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

impl SessionError {
    /// What the vault denied with, if this build knows the code.
    #[must_use]
    pub const fn denial(&self) -> Option<Denial> {
        if let Self::Denied { code } = self { Denial::from_code(*code) } else { None }
    }
}

impl From<Error> for SessionError {
    fn from(error: Error) -> Self {
        Self::Transport(error)
    }
}

impl From<Fault> for SessionError {
    fn from(fault: Fault) -> Self {
        if let Fault::Denied { code } = fault { Self::Denied { code } } else { Self::Fault(fault) }
    }
}

impl<S: fmt::Debug> fmt::Debug for Attested<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Attested")
            .field("framed", &self.framed)
            .field("session", &self.session)
            .field("welcome", &self.welcome)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Opening<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pin, key, certificate, channel, root: _ } = self;
        formatter
            .debug_struct("Opening")
            .field("pin", pin)
            .field("key", &key.public_key())
            .field("certificate", certificate)
            .field("channel", channel)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(formatter),
            Self::Closed => formatter.write_str("the peer closed the connection"),
            Self::Distrust(distrust) => write!(formatter, "not trusted: {distrust}"),
            Self::Denied { code } => Fault::Denied { code: *code }.fmt(formatter),
            Self::Fault(fault) => write!(formatter, "the session is broken: {fault}"),
        }
    }
}

impl std::error::Error for SessionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Transport(error) => Some(error),
            Self::Distrust(distrust) => Some(distrust),
            Self::Fault(fault) => Some(fault),
            Self::Closed | Self::Denied { .. } => None,
        }
    }
}
