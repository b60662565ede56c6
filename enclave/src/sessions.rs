//! Sessions: who is at which place, and what the vault is willing to do for them.
//!
//! ```text
//! Hello       -> Attestation   any number of times, before the handshake
//! Handshake1  -> Handshake2    once; or Denied, which ends the connection
//! Sealed      -> Sealed        from then on
//! ```
//! [`admit`] stands before the decoder and [`Admitted::check`] behind it: who is halted is refused before a payload is
//! looked at; what a stricter mode lets through depends on what the payload does ([`Effect`]).
//!
//! Guarantees: a session that was not confirmed by a frame counts for nothing, because a recorded handshake can be sent
//! again; handshakes and documents are bounded in number, since each costs what hundreds of requests do.

use std::fmt;

use book::Access;
use session::attestation::Attest;
use session::{Entropy, Responder, Session, SessionKey};
use venues::Effect;
use wire::request::Request;
use wire::session::{Channel, Claims, DOCUMENT_SIZE_MAX, Denial, Welcome, read_hello, write_attestation};
use wire::{Mode, Now, Refusal, Shown, Why};
use zeroize::Zeroizing;

use crate::allowance::Allowance;
use crate::boot::Randomness;
use crate::serve::{Place, Verdict};

/// Places that the vault knows of on a channel.
pub(crate) const PLACES_MAX: usize = 256;

/// Sessions of one client at a time.
pub(crate) const SESSIONS_PER_CLIENT_MAX: usize = 8;

/// Sessions of the host at a time: fewer than there are places, so that a newcomer gets one.
pub(crate) const SESSIONS_OF_HOST_MAX: usize = 4;

/// Handshakes and documents on one channel: at once, and a second. Each takes some 0.2 ms.
const GREETINGS_BURST: u32 = 64;
const GREETINGS_PER_SECOND: u32 = 100;

/// A session at its place.
pub(crate) struct Open {
    pub(crate) session: Session,
    /// The client's place in the table; nothing to a session of the host.
    pub(crate) client: u16,
    /// When it ends by the wall clock: with its certificate.
    pub(crate) ends_ms: u64,
}

/// What the vault is to those that come.
pub(crate) struct Identity {
    pub(crate) key: SessionKey,
    pub(crate) attestor: Box<dyn Attest + Send>,
    pub(crate) boot_id: [u8; 16],
    pub(crate) policy_hash: [u8; 32],
    pub(crate) receipt_key: [u8; 32],
}

/// Everybody's session.
pub(crate) struct Sessions {
    identity: Identity,
    bots: Box<[Option<Open>]>,
    control: Box<[Option<Open>]>,
    greetings: [Allowance; 2],
}

impl Sessions {
    /// No session yet. All places are taken here.
    pub(crate) fn at_boot(identity: Identity) -> Self {
        let places = || (0..PLACES_MAX).map(|_| None).collect();
        let greetings = [Allowance::new(GREETINGS_BURST, GREETINGS_PER_SECOND); 2];
        Self { identity, bots: places(), control: places(), greetings }
    }

    pub(crate) fn at(&mut self, place: Place) -> Option<&mut Open> {
        self.places(place.channel).get_mut(usize::from(place.index))?.as_mut()
    }

    /// Whether who is there has shown who it is.
    pub(crate) fn is_confirmed(&self, place: Place) -> bool {
        let places = match place.channel {
            Channel::Bots => &self.bots,
            Channel::Control => &self.control,
        };
        places.get(usize::from(place.index)).is_some_and(|open| open.as_ref().is_some_and(is_confirmed))
    }

    pub(crate) fn forget(&mut self, place: Place) {
        if let Some(open) = self.places(place.channel).get_mut(usize::from(place.index)) {
            *open = None;
        }
    }

    /// Confirmed sessions of one client, or of all.
    pub(crate) fn count(&self, channel: Channel, client: Option<u16>) -> usize {
        let places = match channel {
            Channel::Bots => &self.bots,
            Channel::Control => &self.control,
        };
        let open = places.iter().flatten().filter(|open| is_confirmed(open));
        open.filter(|open| client.is_none_or(|client| open.client == client)).count()
    }

    /// Seals a body for who is at a place.
    pub(crate) fn seal(&mut self, place: Place, body: &[u8], reply: &mut [u8]) -> Verdict {
        match self.at(place).map(|open| open.session.seal(body, reply)) {
            Some(Ok(size)) => Verdict::Reply(size),
            _ => Verdict::Close,
        }
    }

    /// Answers a hello with a document.
    ///
    /// # Errors
    /// [`Denial`].
    pub(crate) fn attest(
        &mut self,
        now: Now,
        place: Place,
        body: &[u8],
        reply: &mut [u8],
    ) -> Result<usize, Denial> {
        let challenge = read_hello(body).map_err(|_| Denial::SessionRequired)?;
        self.take_greeting(place.channel, now, Denial::AttestationUnavailable)?;
        let identity = &mut self.identity;
        let claims = Claims {
            policy_hash: identity.policy_hash,
            boot_id: identity.boot_id,
            session_key: *identity.key.public_key().as_bytes(),
            receipt_key: identity.receipt_key,
            challenge,
            wall_ms: now.wall_ms,
        };
        let mut document = [0; DOCUMENT_SIZE_MAX];
        let size = identity.attestor.attest(&claims, &mut document);
        let document = size.ok().and_then(|size| document.get(..size));
        document.and_then(|document| write_attestation(document, reply)).ok_or(Denial::AttestationUnavailable)
    }

    /// Answers a handshake with a session, if `admit` says who it is: its place in the table, when its session ends,
    /// and what it is welcomed with.
    ///
    /// # Errors
    /// [`Denial`]; `None` where there is nothing to tell it.
    pub(crate) fn greet(
        &mut self,
        now: Now,
        place: Place,
        body: &[u8],
        reply: &mut [u8],
        randomness: &mut Randomness,
        admit: impl FnOnce(&Identity, session::PublicKey, Option<&[u8]>) -> Result<(u16, u64, Welcome), Denial>,
    ) -> Result<usize, Option<Denial>> {
        self.take_greeting(place.channel, now, Denial::SessionsFull)?;
        let identity = &self.identity;
        let responder =
            Responder::new(&identity.key, place.channel, &identity.boot_id, &identity.policy_hash);
        let entropy = Entropy::new(Zeroizing::new(randomness.draw()));
        let greeting = responder.read(body, entropy).map_err(|fault| fault.denial())?;
        let (client, ends_ms, welcome) = admit(identity, greeting.client(), greeting.certificate())?;
        let sessions_max = match place.channel {
            Channel::Bots => SESSIONS_PER_CLIENT_MAX,
            Channel::Control => SESSIONS_OF_HOST_MAX,
        };
        if self.count(place.channel, Some(client)) >= sessions_max {
            return Err(Some(Denial::SessionsFull));
        }
        let (session, size) = greeting.accept(&welcome, reply).map_err(|fault| fault.denial())?;
        let free = self.places(place.channel).get_mut(usize::from(place.index));
        *free.ok_or(Some(Denial::SessionsFull))? = Some(Open { session, client, ends_ms });
        Ok(size)
    }

    fn take_greeting(&mut self, channel: Channel, now: Now, denial: Denial) -> Result<(), Denial> {
        let [bots, control] = &mut self.greetings;
        let greetings = match channel {
            Channel::Bots => bots,
            Channel::Control => control,
        };
        if greetings.take(now.monotonic_ms) { Ok(()) } else { Err(denial) }
    }

    fn places(&mut self, channel: Channel) -> &mut [Option<Open>] {
        match channel {
            Channel::Bots => &mut self.bots,
            Channel::Control => &mut self.control,
        }
    }
}

fn is_confirmed(open: &Open) -> bool {
    open.session.is_confirmed()
}

impl fmt::Debug for Sessions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |channel| self.count(channel, None);
        let (bots, control) = (count(Channel::Bots), count(Channel::Control));
        formatter
            .debug_struct("Sessions")
            .field("bots", &bots)
            .field("control", &control)
            .finish_non_exhaustive()
    }
}

/// A request that may be looked at. [`admit`] is its only constructor.
#[derive(Debug)]
pub(crate) struct Admitted<'f> {
    request: Request<'f>,
    mode: Mode,
}

/// Lets a request in whose client may have this key sign for this venue, in the mode that is in force for it.
///
/// # Errors
/// [`Refusal::KeyNotInScope`], [`Refusal::Halted`].
pub(crate) fn admit<'f>(request: Request<'f>, access: &Access<'_>, mode: Mode) -> Result<Admitted<'f>, Why> {
    if !access.allows(request.key_slot, request.payload_kind.venue()) {
        return Err(Why::new(Refusal::KeyNotInScope).observed(Shown::uint(request.key_slot.into())));
    }
    match mode {
        Mode::Halted => Err(Refusal::Halted.into()),
        Mode::Live | Mode::ReduceOnly | Mode::CancelOnly => Ok(Admitted { request, mode }),
    }
}

impl<'f> Admitted<'f> {
    /// The request.
    #[must_use]
    pub(crate) fn request(&self) -> &Request<'f> {
        &self.request
    }

    /// Whether the mode in force lets a payload with this effect through.
    ///
    /// # Errors
    /// [`Refusal::ReduceOnlyMode`], [`Refusal::CancelOnlyMode`], [`Refusal::Halted`].
    pub(crate) fn check(&self, effect: Effect) -> Result<(), Why> {
        match (self.mode, effect) {
            (Mode::Live, _)
            | (Mode::ReduceOnly, Effect::Cancels | Effect::Reduces)
            | (Mode::CancelOnly, Effect::Cancels) => Ok(()),
            (Mode::ReduceOnly, Effect::Opens) => Err(Refusal::ReduceOnlyMode.into()),
            (Mode::CancelOnly, Effect::Reduces | Effect::Opens) => Err(Refusal::CancelOnlyMode.into()),
            (Mode::Halted, _) => Err(Refusal::Halted.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use book::May;
    use venues::book_value::AnyOr;
    use wire::Venue;
    use wire::request::PayloadKind;

    const fn request(key_slot: u16) -> Request<'static> {
        Request {
            key_slot,
            payload_kind: PayloadKind::EvmEip1559,
            return_canonical: false,
            request_id: 1,
            payload: &[],
        }
    }

    const EVM_WITH_KEY_3: Access<'static> =
        Access { may: &[May { key: 3, venues: AnyOr::Listed(&[Venue::Evm as u8]) }], heartbeat: None };

    #[test]
    fn each_mode_lets_through_what_its_name_says_and_nothing_else() {
        use Effect::{Cancels, Opens, Reduces};
        let check = |mode, effect| admit(request(3), &EVM_WITH_KEY_3, mode)?.check(effect);
        let let_through = |mode| {
            let effects = [Cancels, Reduces, Opens];
            effects.into_iter().filter(|effect| check(mode, *effect).is_ok()).collect::<Vec<_>>()
        };
        assert_eq!(let_through(Mode::Live), [Cancels, Reduces, Opens]);
        assert_eq!(let_through(Mode::ReduceOnly), [Cancels, Reduces]);
        assert_eq!(let_through(Mode::CancelOnly), [Cancels]);
        assert_eq!(let_through(Mode::Halted), []);
        assert_eq!(check(Mode::ReduceOnly, Opens).unwrap_err().refusal, Refusal::ReduceOnlyMode);
        assert_eq!(check(Mode::CancelOnly, Reduces).unwrap_err().refusal, Refusal::CancelOnlyMode);
    }

    #[test]
    fn a_client_reaches_the_keys_and_venues_of_its_scope_alone() {
        let admitted = |key, access: &Access<'_>| admit(request(key), access, Mode::Live).map(|_| ());
        assert_eq!(admitted(3, &EVM_WITH_KEY_3), Ok(()));
        assert_eq!(admitted(4, &EVM_WITH_KEY_3).unwrap_err().refusal, Refusal::KeyNotInScope);
        let solana = [May { key: 3, venues: AnyOr::Listed(&[Venue::Solana as u8]) }];
        let solana = Access { may: &solana, heartbeat: None };
        assert_eq!(admitted(3, &solana).unwrap_err().refusal, Refusal::KeyNotInScope);
        let any = [May { key: 3, venues: AnyOr::Any }];
        assert_eq!(admitted(3, &Access { may: &any, heartbeat: None }), Ok(()));
    }
}
