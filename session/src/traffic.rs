//! Sealed frames: Noise transport messages in strict sequence.

use core::fmt;

use snow::{HandshakeState, TransportState};
use wire::frame::{self, BODY_SIZE_MIN, Kind};
use wire::session::{
    MESSAGES_MAX, REKEY_MESSAGES, SEALED_BODY_SIZE_MAX, SEALED_OVERHEAD, SEALED_SIZE_MAX, head,
};

use crate::Fault;
use crate::handshake::within;
use crate::keys::PublicKey;

/// An established session.
///
/// Each direction has a key and a counter of its own. A frame opens only as the very next of its session and
/// direction. Every 2^16 messages a direction replaces its key. The first fault ends the session: its keys
/// are dropped, and every later call gives [`Fault::Closed`].
///
/// ```compile_fail,E0599
/// fn twice(session: session::Session) -> (session::Session, session::Session) {
///     (session.clone(), session)
/// }
/// ```
pub struct Session {
    /// `None` after a fault.
    transport: Option<TransportState>,
    peer: PublicKey,
    id: [u8; 32],
    is_confirmed: bool,
    messages_max: u64,
}

impl Session {
    pub(crate) fn new(state: HandshakeState, peer: PublicKey) -> Result<Self, Fault> {
        let id = state.get_handshake_hash().try_into().map_err(|_| Fault::Defect)?;
        let transport = Some(state.into_transport_mode()?);
        Ok(Self { transport, peer, id, is_confirmed: false, messages_max: MESSAGES_MAX })
    }

    /// Seals `body`, writes the sealed frame's body into `into` and returns its size: the body's and
    /// [`SEALED_OVERHEAD`]. Allocates nothing.
    ///
    /// # Errors
    /// [`Fault::TooShort`], [`Fault::TooLong`], [`Fault::BufferTooSmall`], [`Fault::Exhausted`],
    /// [`Fault::Closed`]; each ends the session.
    pub fn seal(&mut self, body: &[u8], into: &mut [u8]) -> Result<usize, Fault> {
        let mut transport = self.transport.take().ok_or(Fault::Closed)?;
        within(body.len(), BODY_SIZE_MIN, SEALED_BODY_SIZE_MAX)?;
        let size = body.len() + SEALED_OVERHEAD;
        let fault = Fault::BufferTooSmall { size: into.len(), needed: size };
        let (front, message) =
            into.get_mut(..size).and_then(|into| into.split_at_mut_checked(BODY_SIZE_MIN)).ok_or(fault)?;
        if self.is_new_key_due(transport.sending_nonce())? {
            transport.rekey_outgoing();
        }
        front.copy_from_slice(&head(Kind::Sealed));
        transport.write_message(body, message)?;
        self.transport = Some(transport);
        Ok(size)
    }

    /// Opens the body of a sealed frame, writes the body inside into `into` and returns its size. On a fault
    /// `into` holds nothing of it. Allocates nothing.
    ///
    /// # Errors
    /// [`Fault::Frame`], [`Fault::TooShort`], [`Fault::TooLong`], [`Fault::BufferTooSmall`],
    /// [`Fault::NotAuthentic`], [`Fault::Exhausted`], [`Fault::Closed`]; each ends the session.
    pub fn open(&mut self, frame: &[u8], into: &mut [u8]) -> Result<usize, Fault> {
        let mut transport = self.transport.take().ok_or(Fault::Closed)?;
        let message = frame::content(frame, Kind::Sealed)?;
        within(frame.len(), SEALED_OVERHEAD + BODY_SIZE_MIN, SEALED_SIZE_MAX)?;
        let size = frame.len() - SEALED_OVERHEAD;
        let fault = Fault::BufferTooSmall { size: into.len(), needed: size };
        let into = into.get_mut(..size).ok_or(fault)?;
        if self.is_new_key_due(transport.receiving_nonce())? {
            transport.rekey_incoming();
        }
        transport.read_message(message, into)?;
        self.transport = Some(transport);
        self.is_confirmed = true;
        Ok(size)
    }

    /// Ends the session and drops its keys.
    pub fn close(&mut self) {
        self.transport = None;
    }

    /// Whether the session ended.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.transport.is_none()
    }

    /// Whether a frame was opened: only then is the peer known to be there now. A replayed first message
    /// makes a session on the vault's side that never comes this far.
    #[must_use]
    pub const fn is_confirmed(&self) -> bool {
        self.is_confirmed
    }

    /// The peer's static key.
    #[must_use]
    pub const fn peer(&self) -> PublicKey {
        self.peer
    }

    /// The handshake's hash: the same on both sides, another for every session, and no secret.
    #[must_use]
    pub const fn id(&self) -> &[u8; 32] {
        &self.id
    }

    /// How many messages were sealed and how many opened; zeros after the session ended.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        self.transport.as_ref().map_or((0, 0), |state| (state.sending_nonce(), state.receiving_nonce()))
    }

    fn is_new_key_due(&self, counter: u64) -> Result<bool, Fault> {
        if counter >= self.messages_max {
            return Err(Fault::Exhausted);
        }
        Ok(counter != 0 && counter.is_multiple_of(REKEY_MESSAGES))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Session")
            .field("peer", &self.peer)
            .field("is_closed", &self.is_closed())
            .field("is_confirmed", &self.is_confirmed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;
    use crate::primitives::Primitives;
    use crate::{Entropy, SessionKey};

    /// A session by the state machine alone, without documents and frames.
    fn connect() -> (Session, Session) {
        let [client, vault] = [1, 2].map(|seed| SessionKey::from_bytes(Zeroizing::new([seed; 32])));
        let public = *vault.public_key().as_bytes();
        let builder = |seed| {
            let primitives = Primitives::new(Entropy::new(Zeroizing::new([seed; 32])));
            snow::Builder::with_resolver(wire::session::NOISE_PROTOCOL.parse().unwrap(), Box::new(primitives))
        };
        let mut initiator = builder(3).local_private_key(client.secret()).unwrap();
        initiator = initiator.remote_public_key(&public).unwrap();
        let mut initiator = initiator.build_initiator().unwrap();
        let mut responder = builder(4).local_private_key(vault.secret()).unwrap().build_responder().unwrap();
        let (mut message, mut payload) = ([0; 96], [0; 96]);
        let size = initiator.write_message(&[], &mut message).unwrap();
        responder.read_message(&message[..size], &mut payload).unwrap();
        let size = responder.write_message(&[], &mut message).unwrap();
        initiator.read_message(&message[..size], &mut payload).unwrap();
        let (client, vault) = (client.public_key(), vault.public_key());
        (Session::new(initiator, vault).unwrap(), Session::new(responder, client).unwrap())
    }

    #[test]
    fn a_direction_that_carried_all_its_messages_is_exhausted_and_never_starts_again() {
        let (mut client, mut vault) = connect();
        (client.messages_max, vault.messages_max) = (4, 3);
        let (mut frame, mut body) = ([0; 64], [0; 64]);
        for _ in 0..3 {
            let size = client.seal(b"body", &mut frame).unwrap();
            assert_eq!(vault.open(&frame[..size], &mut body), Ok(4));
        }
        let size = client.seal(b"body", &mut frame).unwrap();
        assert_eq!(vault.open(&frame[..size], &mut body), Err(Fault::Exhausted));
        assert_eq!(vault.open(&frame[..size], &mut body), Err(Fault::Closed));
        assert_eq!(client.seal(b"body", &mut frame), Err(Fault::Exhausted));
        assert_eq!(client.seal(b"body", &mut frame), Err(Fault::Closed));
    }

    #[test]
    fn a_side_that_does_not_replace_its_key_in_time_is_not_understood() {
        let (mut client, mut vault) = connect();
        let (mut frame, mut body) = ([0; 64], [0; 64]);
        for _ in 0..REKEY_MESSAGES {
            let size = client.seal(b"body", &mut frame).unwrap();
            assert_eq!(vault.open(&frame[..size], &mut body), Ok(4));
        }
        let old = client.transport.as_mut().unwrap();
        let size = old.write_message(b"body", &mut frame[BODY_SIZE_MIN..]).unwrap();
        frame[..BODY_SIZE_MIN].copy_from_slice(&head(Kind::Sealed));
        assert_eq!(vault.open(&frame[..BODY_SIZE_MIN + size], &mut body), Err(Fault::NotAuthentic));
    }
}
