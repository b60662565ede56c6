//! Who may ask in this boot: the clients of the book, and those that came with an operator's certificate.
//!
//! Guarantees: a client keeps its place for the whole boot, so what it has used up stays with it; nobody is added
//! before the certificate was verified; at most [`CLIENTS_MAX`] are told apart.

use book::{Access, Book};
use policies::CLIENTS_MAX;
use session::{PublicKey, certificate};
use wire::control::Latch;
use wire::session::Denial;
use wire::{Mode, Scope};

use crate::allowance::Allowance;
use crate::answers::Answers;
use crate::latches::{ClientKey, Edge, Soft};

/// Refusals that have a record of their own: at once, and a second. Beyond that they are counted.
const REFUSALS_BURST: u32 = 64;
const REFUSALS_PER_SECOND: u32 = 16;

/// A client of this boot.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) key: ClientKey,
    /// Its place in the table, for budgets of its own.
    pub(crate) place: u16,
    /// Its place among the clients of the book, or that of its role behind them.
    pub(crate) party: u16,
    pub(crate) access: &'static Access<'static>,
    /// Until when its certificate holds, milliseconds since the Unix epoch; without one it has no end.
    pub(crate) ends_ms: u64,
    /// `None` before its first session.
    pub(crate) answers: Option<Answers>,
    /// Its dead man's switch, once it was heard.
    alive: Option<Soft>,
    refusals: Allowance,
    /// Refusals without a record since the last summary, and the code of the last of them.
    pub(crate) unrecorded: u64,
    pub(crate) unrecorded_code: u16,
    pub(crate) signed: u64,
    pub(crate) refused: u64,
}

impl Client {
    fn new(key: ClientKey, place: u16, party: u16, access: &'static Access<'static>) -> Self {
        Self {
            key,
            place,
            party,
            access,
            ends_ms: u64::MAX,
            answers: None,
            alive: None,
            refusals: Allowance::new(REFUSALS_BURST, REFUSALS_PER_SECOND),
            unrecorded: 0,
            unrecorded_code: 0,
            signed: 0,
            refused: 0,
        }
    }

    /// Whether its next refusal has a record.
    pub(crate) fn may_record_refusal(&mut self, now_ms: u64) -> bool {
        self.refusals.take(now_ms)
    }

    /// Counts a refusal that has no record.
    pub(crate) fn note_unrecorded(&mut self, code: u16) {
        self.unrecorded = self.unrecorded.saturating_add(1);
        self.unrecorded_code = code;
    }

    /// What its own silence costs it now.
    pub(crate) fn mode(&self) -> Mode {
        self.alive.as_ref().map_or(Mode::Live, Soft::mode)
    }

    /// Milliseconds it may be silent; 0 when it may for ever.
    pub(crate) fn heartbeat_ms(&self) -> u32 {
        self.access.heartbeat.map_or(0, |heartbeat| heartbeat.heartbeat_ms)
    }

    /// A frame of it was opened. What its silence until now has done is told first.
    pub(crate) fn hear(&mut self, now_ms: u64, tell: impl FnMut(Edge)) {
        self.settle(now_ms, tell);
        if let Some(heartbeat) = self.access.heartbeat {
            let silence_max_ms = Some(heartbeat.heartbeat_ms.into());
            self.alive
                .get_or_insert_with(|| Soft::new(heartbeat.when_gone.into(), silence_max_ms))
                .hear(now_ms);
        }
    }

    /// Judges its silence.
    pub(crate) fn settle(&mut self, now_ms: u64, mut tell: impl FnMut(Edge)) {
        let Some(alive) = &mut self.alive else { return };
        let edge = |mode| Edge { latch: Latch::ClientHeartbeat, scope: Scope::Client(self.key), mode };
        match alive.settle(now_ms) {
            Some(true) => tell(edge(alive.mode())),
            Some(false) => tell(edge(Mode::Live)),
            None => {}
        }
    }
}

/// All clients of this boot. Those of the book come first, in its order.
#[derive(Debug)]
pub(crate) struct Clients {
    book: &'static Book<'static>,
    table: Vec<Client>,
}

impl Clients {
    /// Those of the book. All places are taken here.
    pub(crate) fn at_boot(book: &'static Book<'static>) -> Self {
        let mut table = Vec::with_capacity(CLIENTS_MAX);
        let listed = (0..).zip(book.clients.iter().take(CLIENTS_MAX));
        table.extend(
            listed.map(|(party, client)| Client::new(client.public_key, party, party, &client.access)),
        );
        Self { book, table }
    }

    pub(crate) fn get_mut(&mut self, place: u16) -> Option<&mut Client> {
        self.table.get_mut(usize::from(place))
    }

    /// [`Latch::bit`] of the latch that is set for some of them.
    pub(crate) fn latches(&self) -> u16 {
        let is_set = self.table.iter().any(|client| client.mode() != Mode::Live);
        if is_set { Latch::ClientHeartbeat.bit() } else { 0 }
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Client> {
        self.table.iter_mut()
    }

    /// The place of who made a handshake: a client of the book, or who brings a certificate that is good at `wall_ms`.
    ///
    /// # Errors
    /// [`Denial`]: not known, or what is wrong with the certificate.
    pub(crate) fn admit(
        &mut self,
        key: PublicKey,
        certificate: Option<&[u8]>,
        wall_ms: u64,
    ) -> Result<u16, Denial> {
        let known = self.table.iter().position(|client| client.key == *key.as_bytes());
        if let Some(listed) = known.filter(|place| *place < self.book.clients.len()) {
            return u16::try_from(listed).map_err(|_| Denial::ClientNotKnown);
        }
        let certificate = certificate.ok_or(Denial::ClientNotKnown)?;
        let found = certificate::verify(certificate, &Terms(self.book), key, wall_ms)
            .map_err(|fault| fault.denial())?;
        let role = self.book.roles.iter().position(|role| role.name == found.role);
        let party = role.and_then(|role| u16::try_from(self.book.clients.len() + role).ok());
        let (party, access) =
            party.and_then(|party| Some((party, self.book.access(party)?))).ok_or(Denial::RoleNotKnown)?;
        let place = known.unwrap_or(self.table.len());
        let number =
            u16::try_from(place).ok().filter(|_| place < CLIENTS_MAX).ok_or(Denial::ClientTableFull)?;
        if known.is_none() {
            self.table.push(Client::new(*key.as_bytes(), number, party, access));
        }
        let client = self.table.get_mut(place).ok_or(Denial::ClientTableFull)?;
        (client.party, client.access, client.ends_ms) = (party, access, found.not_after_ms);
        Ok(number)
    }
}

/// What the book says about certificates.
struct Terms(&'static Book<'static>);

impl certificate::Terms for Terms {
    fn desk(&self) -> &str {
        self.0.desk
    }

    fn has_operator(&self, key: &[u8; 32]) -> bool {
        self.0.operators.iter().any(|operator| operator.public_key == *key)
    }

    fn certificate_days_max(&self, role: &str) -> Option<u16> {
        let mut roles = self.0.roles.iter();
        roles.find(|candidate| candidate.name == role).map(|role| role.certificate_days_max)
    }
}
