//! The control channel: commands of the host, orders of operators, and the records that tell of them.
//!
//! The host may look and make the vault stricter; everything milder is an operator's order ([`crate::operator`]).

use wire::control::{self, Answer, Command, Records, Status};
use wire::facts::{FactKey, FactSink};
use wire::operator::{Action, Order};
use wire::receipt::RecordKind;
use wire::{CONTROL_SIZE_MAX, Mode, Now, RECEIPT_SIZE_MAX, Scope, Why};

use crate::latches::Edge;
use crate::operator::Moment;
use crate::vault::{Desk, Vault};

/// How far the system's clock may be from the anchored time, milliseconds.
pub(crate) const CLOCK_DISAGREEMENT_MAX_MS: u64 = 2_000;

/// Room for records in one answer: the rest of it is some 40 bytes, and one record always fits.
const RECORDS_SIZE_MAX: usize = CONTROL_SIZE_MAX - 128;
const _: () = assert!(RECEIPT_SIZE_MAX + 2 <= RECORDS_SIZE_MAX);

/// What a command comes to.
enum Outcome {
    Status,
    Challenge([u8; 32]),
    Take(u64),
}

impl Vault {
    /// Takes one control body and writes one answer's body; `None` when the bytes are no command.
    pub fn control(&mut self, now: Now, body: &[u8], reply: &mut [u8; CONTROL_SIZE_MAX]) -> Option<usize> {
        let command = control::read_command(body).ok()?;
        self.settle(now);
        let answer = match self.obey(now, command) {
            Ok(Outcome::Status) => Answer::Status(self.status(now)),
            Ok(Outcome::Challenge(challenge)) => Answer::Challenge(challenge),
            Ok(Outcome::Take(next)) => return self.give_records(next, reply),
            Err(why) => {
                Answer::Refused { code: why.refusal.code(), observed: why.observed, limit: why.limit }
            }
        };
        control::write_answer(answer, reply).ok()
    }

    fn give_records(&self, next: u64, reply: &mut [u8; CONTROL_SIZE_MAX]) -> Option<usize> {
        let mut packed = [0; RECORDS_SIZE_MAX];
        let (first, used) = self.desk.outbox.pack(next, &mut packed);
        let packed = packed.get(..used).unwrap_or_default();
        let records = Records { boot_id: self.desk.chain.boot_id(), first, head: None, packed };
        control::write_answer(Answer::Records(records), reply).ok()
    }

    /// Notes what the system's clock says beside the anchored time in `now`.
    pub fn note_clock(&mut self, now: Now, system_wall_ms: u64) {
        let disagrees = now.wall_ms.abs_diff(system_wall_ms) > CLOCK_DISAGREEMENT_MAX_MS;
        self.sessions.latches.note_clock(now.monotonic_ms, disagrees);
        self.settle(now);
    }

    /// Judges the soft latches, and records what they do.
    pub(crate) fn settle(&mut self, now: Now) {
        let Self { sessions, desk, .. } = self;
        sessions.latches.settle(now.monotonic_ms, |edge| desk.tell_edge(now, edge));
    }

    /// The first record of a boot that does not start live tells so.
    pub(crate) fn tell_boot_mode(&mut self, now: Now) {
        let mode = self.sessions.latches.mode();
        if mode != Mode::Live {
            self.desk.tell_edge(now, Edge { latch: control::Latch::Boot, scope: Scope::Everything, mode });
        }
    }

    fn obey(&mut self, now: Now, command: Command<'_>) -> Result<Outcome, Why> {
        let Self { sessions, operators, randomness, desk, .. } = self;
        let latches = &mut sessions.latches;
        latches.hear_host(now.monotonic_ms);
        let edge = match command {
            Command::Status => None,
            Command::Kill => latches.kill(),
            Command::Tighten { scope, mode } => latches.tighten(scope, mode)?,
            Command::CutClient { client } => latches.cut(client)?,
            Command::Take { next, .. } => return Ok(Outcome::Take(next)),
            Command::Challenge => {
                return Ok(Outcome::Challenge(operators.open(randomness.draw(), now.monotonic_ms)));
            }
            Command::Order { order, signature } => {
                let moment = Moment {
                    book: desk.book,
                    policy_hash: desk.chain.policy_hash(),
                    boot_id: desk.chain.boot_id(),
                    monotonic_ms: now.monotonic_ms,
                };
                let order = operators.check(moment, order, &signature)?;
                self.obey_operator(now, &order)?;
                None
            }
        };
        if let Some(edge) = edge {
            self.desk.tell_edge(now, edge);
        }
        Ok(Outcome::Status)
    }

    /// The order is recorded before what it does.
    fn obey_operator(&mut self, now: Now, order: &Order) -> Result<(), Why> {
        let Self { sessions, desk, .. } = self;
        let latches = &mut sessions.latches;
        if let Action::OpenBudget { bucket } = order.action {
            desk.usage.open_budget(desk.book, bucket.into(), now)?;
        }
        desk.tell_order(now, order);
        let edge = match order.action {
            Action::Start => latches.start(),
            Action::Resume => {
                latches.resume(|edge| desk.tell_edge(now, edge));
                None
            }
            Action::SetMode { scope, mode } => latches.set_mode(scope, mode)?,
            Action::Reinstate { client } => latches.reinstate(&client),
            Action::OpenBudget { .. } => None,
        };
        if let Some(edge) = edge {
            desk.tell_edge(now, edge);
        }
        Ok(())
    }

    fn status(&self, now: Now) -> Status<'_> {
        let Desk { book, chain, signed, refused, .. } = &self.desk;
        Status {
            mode: self.sessions.latches.mode(),
            latches: self.sessions.latches.bits(),
            order_counter: self.operators.counter(),
            boot_id: chain.boot_id(),
            policy_hash: chain.policy_hash(),
            uptime_ms: now.monotonic_ms,
            receipts: chain.sealed(),
            head: chain.head(),
            signed: *signed,
            refused: *refused,
            desk: book.desk,
        }
    }
}

impl Desk {
    fn tell_edge(&mut self, now: Now, edge: Edge) {
        let kind = if edge.mode == Mode::Live { RecordKind::LatchCleared } else { RecordKind::LatchSet };
        self.record_event(now, kind, |facts| {
            facts.text(FactKey::Latch, edge.latch.as_str());
            tell_scope(facts, edge.scope);
            facts.text(FactKey::Mode, edge.mode.as_str());
        });
    }

    fn tell_order(&mut self, now: Now, order: &Order) {
        self.record_event(now, RecordKind::Order, |facts| {
            facts.key(FactKey::Operator, &order.operator);
            facts.uint_be(FactKey::Counter, &order.counter.to_be_bytes());
            match order.action {
                Action::Start => facts.text(FactKey::Order, "start"),
                Action::Resume => facts.text(FactKey::Order, "resume"),
                Action::SetMode { scope, mode } => {
                    facts.text(FactKey::Order, "set-mode");
                    tell_scope(facts, scope);
                    facts.text(FactKey::Mode, mode.as_str());
                }
                Action::Reinstate { client } => {
                    facts.text(FactKey::Order, "reinstate");
                    facts.key(FactKey::Client, &client);
                }
                Action::OpenBudget { bucket } => {
                    facts.text(FactKey::Order, "open-budget");
                    facts.uint_be(FactKey::Bucket, &bucket.to_be_bytes());
                }
            }
        });
    }

    fn record_event(&mut self, now: Now, kind: RecordKind, tell: impl FnOnce(&mut dyn FactSink)) {
        self.chain.seal_event(kind, [0; 32], now.wall_ms, tell);
        self.keep_record();
    }
}

fn tell_scope(facts: &mut dyn FactSink, scope: Scope) {
    match scope {
        Scope::Everything => {}
        Scope::Venue(venue) => facts.text(FactKey::Venue, venue.as_str()),
        Scope::Client(client) => facts.key(FactKey::Client, &client),
    }
}
