//! The blocking client.

use std::io::ErrorKind;
use std::time::Duration;

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use transport::{Address, Dial as _, Error, Framed, Patience, Stream};
use venues::hyperliquid::Scratch;
use wire::reply::Reply;
use wire::request::{PAYLOAD_SIZE_MAX, PayloadKind, Request};
use wire::{REPLY_SIZE_MAX, Refusal};

use crate::error::{SignError, Trouble, Violation};
use crate::retry::Retry;
use crate::signed::{self, Signed};

/// How patient a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// How long one attempt to connect may take.
    pub connect_timeout: Duration,
    /// How long the vault may take for a reply, once the request is sent.
    pub request_timeout: Duration,
    /// How often connecting (and sending on the new connection) is tried for one request.
    pub attempts_max: u32,
    /// The pause after the first failed attempt; each one after it is twice as long.
    pub pause_min: Duration,
    /// The longest pause.
    pub pause_max: Duration,
    /// Ask for the canonical bytes that were signed.
    pub return_canonical: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(1),
            request_timeout: Duration::from_secs(2),
            attempts_max: 6,
            pause_min: Duration::from_millis(10),
            pause_max: Duration::from_secs(1),
            return_canonical: false,
        }
    }
}

/// A connection to a vault, or to the host daemon before it, that is made anew when it breaks. One request at
/// a time; for more at once use more clients.
#[derive(Debug)]
pub struct Client {
    address: Address,
    config: Config,
    connection: Option<Framed<Stream>>,
    next_request_id: u64,
    retry: Retry,
    /// For the decode that a reply's digest is compared with.
    scratch: Box<Scratch>,
}

/// Why an exchange gave no reply.
enum Miss {
    /// The vault cannot have read the request; it may be sent again.
    NotTaken(Trouble),
    /// It may have been read and signed.
    Unknown(Error),
}

impl Client {
    /// Connects. Request numbers start at a random place and then count up, so that two runs of a bot do not
    /// share them.
    ///
    /// # Errors
    /// [`SignError::NotConnected`] after `config.attempts_max` attempts.
    pub fn connect(address: Address, config: Config) -> Result<Self, SignError> {
        let seed = random();
        let mut client = Self {
            address,
            config,
            connection: None,
            // Half the range is left to count in.
            next_request_id: random() >> 1,
            retry: Retry::new(&config, seed),
            scratch: Box::new(Scratch::new()),
        };
        client.retry.start();
        loop {
            match client.dial() {
                Ok(connection) => {
                    client.connection = Some(connection);
                    return Ok(client);
                }
                Err(trouble) => client.retry.pause(trouble)?,
            }
        }
    }

    /// Has `payload` judged and signed by the key in `key_slot`.
    ///
    /// # Errors
    /// [`SignError`]; [`SignError::is_retryable`] tells whether the same request may succeed later.
    pub fn sign(
        &mut self,
        key_slot: u16,
        payload_kind: PayloadKind,
        payload: &[u8],
    ) -> Result<Signed, SignError> {
        if payload.len() > PAYLOAD_SIZE_MAX {
            return Err(SignError::PayloadTooLong { size: payload.len(), size_max: PAYLOAD_SIZE_MAX });
        }
        let request = Request {
            key_slot,
            payload_kind,
            return_canonical: self.config.return_canonical,
            request_id: self.next_request_id,
            payload,
        };
        self.next_request_id = self.next_request_id.wrapping_add(1);
        self.retry.start();
        loop {
            match self.exchange(&request) {
                Ok(outcome) => return outcome,
                Err(Miss::NotTaken(trouble)) => self.retry.pause(trouble)?,
                Err(Miss::Unknown(cause)) => {
                    return Err(SignError::OutcomeUnknown { request_id: request.request_id, cause });
                }
            }
        }
    }

    /// Sends the request once. The connection is kept only when a reply came that it can go on after.
    fn exchange(&mut self, request: &Request<'_>) -> Result<Result<Signed, SignError>, Miss> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.dial().map_err(Miss::NotTaken)?,
        };
        if let Err(error) = connection.write([&request.header(), request.payload]) {
            // The frame is not complete at the other end, so nothing can have come of it. Why the peer closed
            // may be waiting here.
            let was_turned_away = matches!(connection.read(), Ok(Some(body)) if is_turned_away(body));
            return Err(Miss::NotTaken(if was_turned_away {
                Trouble::TurnedAway
            } else {
                Trouble::Transport(error)
            }));
        }
        let is_unix = !matches!(self.address, Address::Vsock { .. });
        let violation =
            |violation| SignError::ProtocolViolation { request_id: request.request_id, violation };
        let body = match connection.read() {
            Ok(Some(body)) => body,
            Ok(None) => return Err(Miss::Unknown(Error::Io(ErrorKind::UnexpectedEof.into()))),
            Err(Error::Frame(_)) => return Ok(Err(violation(Violation::NotAReply))),
            // A unix socket is reset, and not just ended, when its far end closed without having read all
            // that was sent (unix_release_sock in the kernel): the frame was not complete there. A reset inside
            // a reply is another error.
            Err(error) if is_unix && is_reset(&error) => {
                return Err(Miss::NotTaken(Trouble::Transport(error)));
            }
            Err(error) => return Err(Miss::Unknown(error)),
        };
        if is_turned_away(body) {
            return Err(Miss::NotTaken(Trouble::TurnedAway));
        }
        let outcome = signed::read(body, request, &mut self.scratch);
        if !matches!(outcome, Err(SignError::ProtocolViolation { .. })) && !connection.has_buffered() {
            self.connection = Some(connection);
        }
        Ok(outcome)
    }

    fn dial(&self) -> Result<Framed<Stream>, Trouble> {
        let timeout = self.config.request_timeout;
        let patience = Patience { idle: Some(timeout), frame: timeout };
        self.address
            .dial(self.config.connect_timeout)
            .and_then(|stream| Framed::new(stream, REPLY_SIZE_MAX, patience))
            .map_err(Trouble::Transport)
    }
}

/// Whether a body is the notice of a vault that has no connection free. It stands alone: no request was read.
fn is_turned_away(body: &[u8]) -> bool {
    Reply::read(body).is_ok_and(|reply| {
        reply.code == Refusal::TooManyConnections.code() && reply.request_id == 0 && reply.receipt.is_empty()
    })
}

fn is_reset(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() == ErrorKind::ConnectionReset)
}

/// From the kernel; `getrandom` gives this few bytes whole or not at all. If it cannot, zero will do: neither
/// request numbers nor pauses are secrets.
fn random() -> u64 {
    let mut bytes = [0_u8; 8];
    loop {
        match getrandom(&mut bytes, GetRandomFlags::empty()) {
            Err(Errno::INTR) => {}
            _ => return u64::from_le_bytes(bytes),
        }
    }
}
