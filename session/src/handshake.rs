//! `Noise_IK_25519_AESGCM_SHA256`: the client knows the vault's key from its attestation document, the vault
//! learns the client's in the first message. The frames are drawn in [`wire::session`].

use core::fmt;

use snow::{Builder, HandshakeState};
use wire::frame::{self, BODY_SIZE_MIN, Kind};
use wire::session::{
    CERTIFICATE_SIZE_MAX, Channel, HANDSHAKE1_OVERHEAD, HANDSHAKE1_SIZE_MAX, HANDSHAKE2_SIZE, NOISE_PROTOCOL,
    PROLOGUE_SIZE, SignedCertificate, WELCOME_SIZE, Welcome, head, prologue, read_denied,
};

use crate::attestation::Pinned;
use crate::keys::{Entropy, PublicKey, SessionKey};
use crate::primitives::Primitives;
use crate::{Fault, Session};

/// A client's handshake between its message and the vault's.
///
/// It is made from [`Pinned`] claims only: whoever has not checked an attestation document cannot start.
pub struct Initiator {
    state: HandshakeState,
    enclave: Pinned,
}

impl Initiator {
    /// Writes the body of the first message into `into`, which takes [`HANDSHAKE1_SIZE_MAX`] bytes at most, and
    /// returns its size. The message carries the `certificate` or nothing, and never a request: whoever recorded
    /// it can send it again.
    ///
    /// # Errors
    /// [`Fault::NotACertificate`], [`Fault::KeyRefused`], [`Fault::BufferTooSmall`].
    pub fn start(
        key: &SessionKey,
        enclave: &Pinned,
        channel: Channel,
        certificate: Option<&[u8]>,
        entropy: Entropy,
        into: &mut [u8],
    ) -> Result<(Self, usize), Fault> {
        let payload = certificate.unwrap_or_default();
        if certificate.is_some() && SignedCertificate::read(payload).is_err() {
            return Err(Fault::NotACertificate);
        }
        let claims = enclave.claims();
        let prologue = prologue(channel, &claims.boot_id, &claims.policy_hash);
        let mut state = builder(entropy)?
            .prologue(&prologue)?
            .local_private_key(key.secret())?
            .remote_public_key(enclave.session_key().as_bytes())?
            .build_initiator()?;
        let size = write(&mut state, Kind::Handshake1, payload, HANDSHAKE1_OVERHEAD + payload.len(), into)?;
        Ok((Self { state, enclave: *enclave }, size))
    }

    /// Reads the vault's answer.
    ///
    /// # Errors
    /// [`Fault`]; [`Fault::Denied`] when the answer is a denial, which is not authenticated.
    pub fn finish(mut self, body: &[u8]) -> Result<(Session, Welcome), Fault> {
        if frame::kind(body) == Ok(Kind::Denied) {
            return Err(Fault::Denied { code: read_denied(body)? });
        }
        let message = frame::content(body, Kind::Handshake2)?;
        within(body.len(), HANDSHAKE2_SIZE, HANDSHAKE2_SIZE)?;
        let mut payload = [0; WELCOME_SIZE];
        let size = self.state.read_message(message, &mut payload)?;
        let welcome = payload.get(..size).map(Welcome::read);
        let Some(Ok(welcome)) = welcome else {
            return Err(Fault::NotAWelcome);
        };
        let claims = self.enclave.claims();
        if welcome.boot_id != claims.boot_id {
            return Err(Fault::WelcomeOfAnotherBoot);
        }
        if welcome.policy_hash != claims.policy_hash {
            return Err(Fault::WelcomeOfAnotherPolicy);
        }
        if welcome.receipt_key != claims.receipt_key {
            return Err(Fault::WelcomeOfAnotherReceiptKey);
        }
        Ok((Session::new(self.state, self.enclave.session_key())?, welcome))
    }
}

/// The vault's side of handshakes on one channel in this boot.
#[derive(Clone, Copy)]
pub struct Responder<'k> {
    key: &'k SessionKey,
    prologue: [u8; PROLOGUE_SIZE],
}

impl<'k> Responder<'k> {
    /// Answers handshakes for the vault's static `key`.
    #[must_use]
    pub fn new(key: &'k SessionKey, channel: Channel, boot_id: &[u8; 16], policy_hash: &[u8; 32]) -> Self {
        Self { key, prologue: prologue(channel, boot_id, policy_hash) }
    }

    /// Reads a client's first message. Nothing has been promised to the client yet.
    ///
    /// # Errors
    /// [`Fault`]; [`Fault::denial`] says what the client may be told.
    pub fn read(&self, body: &[u8], entropy: Entropy) -> Result<Greeting, Fault> {
        let message = frame::content(body, Kind::Handshake1)?;
        within(body.len(), HANDSHAKE1_OVERHEAD, HANDSHAKE1_SIZE_MAX)?;
        let mut state = builder(entropy)?
            .prologue(&self.prologue)?
            .local_private_key(self.key.secret())?
            .build_responder()?;
        let mut certificate = [0; CERTIFICATE_SIZE_MAX];
        let certificate_size = state.read_message(message, &mut certificate)?;
        let client = state.get_remote_static().and_then(|key| key.try_into().ok());
        let client = client.and_then(PublicKey::from_bytes).ok_or(Fault::KeyRefused)?;
        let payload = certificate.get(..certificate_size).ok_or(Fault::Defect)?;
        if !payload.is_empty() && SignedCertificate::read(payload).is_err() {
            return Err(Fault::NotACertificate);
        }
        Ok(Greeting { state, client, certificate, certificate_size })
    }
}

/// A client's first message, read: the holder of [`Greeting::client`] made it, but perhaps not now. Whoever
/// recorded it can send it again and gets a session that it cannot use; until [`Session::is_confirmed`] a
/// session is no sign of life and must not take the place of another one.
pub struct Greeting {
    state: HandshakeState,
    client: PublicKey,
    certificate: [u8; CERTIFICATE_SIZE_MAX],
    certificate_size: usize,
}

impl Greeting {
    /// Whose key made it.
    #[must_use]
    pub const fn client(&self) -> PublicKey {
        self.client
    }

    /// The certificate it brought, well-formed and not verified: [`crate::certificate::verify`].
    #[must_use]
    pub fn certificate(&self) -> Option<&[u8]> {
        self.certificate.get(..self.certificate_size).filter(|bytes| !bytes.is_empty())
    }

    /// Lets the client in: writes the body of the second message into `into` and returns its size,
    /// [`HANDSHAKE2_SIZE`]. To turn it away drop this and answer with a denial.
    ///
    /// # Errors
    /// [`Fault::BufferTooSmall`].
    pub fn accept(mut self, welcome: &Welcome, into: &mut [u8]) -> Result<(Session, usize), Fault> {
        let payload = welcome.write().map_err(|_| Fault::Defect)?;
        let size = write(&mut self.state, Kind::Handshake2, &payload, HANDSHAKE2_SIZE, into)?;
        Ok((Session::new(self.state, self.client)?, size))
    }
}

fn builder<'b>(entropy: Entropy) -> Result<Builder<'b>, Fault> {
    let parameters = NOISE_PROTOCOL.parse()?;
    Ok(Builder::with_resolver(parameters, Box::new(Primitives::new(entropy))))
}

fn write(
    state: &mut HandshakeState,
    kind: Kind,
    payload: &[u8],
    size: usize,
    into: &mut [u8],
) -> Result<usize, Fault> {
    let fault = Fault::BufferTooSmall { size: into.len(), needed: size };
    let body = into.get_mut(..size).ok_or(fault)?;
    let (front, message) = body.split_at_mut_checked(BODY_SIZE_MIN).ok_or(fault)?;
    front.copy_from_slice(&head(kind));
    let written = state.write_message(payload, message)?;
    if written == message.len() { Ok(size) } else { Err(Fault::Defect) }
}

pub(crate) fn within(size: usize, size_min: usize, size_max: usize) -> Result<(), Fault> {
    if size < size_min {
        return Err(Fault::TooShort { size, size_min });
    }
    if size > size_max {
        return Err(Fault::TooLong { size, size_max });
    }
    Ok(())
}

impl fmt::Debug for Initiator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Initiator").field("enclave", &self.enclave).finish_non_exhaustive()
    }
}

impl fmt::Debug for Responder<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Responder").field("key", self.key).finish_non_exhaustive()
    }
}

impl fmt::Debug for Greeting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Greeting").field("client", &self.client).finish_non_exhaustive()
    }
}
