//! The control channel: commands of the host, orders of operators, and the records that tell of them.
//!
//! The host may look and make the vault stricter; everything milder is an operator's order ([`crate::operator`]).

use wire::control::{self, Answer, Command, Records, Status, TAKE_WAIT_MS_MAX};
use wire::facts::{FactKey, FactSink};
use wire::head::SIGNED_HEAD_SIZE;
use wire::operator::{Action, Order};
use wire::receipt::RecordKind;
use wire::session::Channel;
use wire::{CONTROL_SIZE_MAX, Mode, Now, RECEIPT_SIZE_MAX, Scope, Why};

use crate::clients::Client;
use crate::desk::Desk;
use crate::latches::{ClientKey, Edge};
use crate::operator::Moment;
use crate::serve::{Place, Verdict};
use crate::vault::Vault;

/// How far the system's clock may be from the anchored time, milliseconds.
pub(crate) const CLOCK_DISAGREEMENT_MAX_MS: u64 = 2_000;

/// Room for records in one answer: beside the head the rest of it is some 40 bytes, and one record always fits.
const RECORDS_SIZE_MAX: usize = CONTROL_SIZE_MAX - SIGNED_HEAD_SIZE - 128;
const _: () = assert!(RECEIPT_SIZE_MAX + 2 <= RECORDS_SIZE_MAX);

/// How often clients are looked at, milliseconds: their silence is judged, and their refusals are summed up.
const SWEEP_MS: u64 = 1_000;

/// A host that waits for records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taking {
    pub(crate) from: Place,
    next: u64,
    until_ms: u64,
}

/// What a command comes to.
enum Outcome {
    Status,
    Challenge([u8; 32]),
    Take { next: u64, wait_ms: u16 },
}

impl Vault {
    /// Answers a command of the host.
    pub(crate) fn answer_host(&mut self, now: Now, from: Place, body: &[u8], reply: &mut [u8]) -> Verdict {
        self.latches.hear_host(now.monotonic_ms);
        let Ok(command) = control::read_command(body) else { return Verdict::Close };
        let answer = match self.obey(now, command) {
            Ok(Outcome::Status) => Answer::Status(self.status(now)),
            Ok(Outcome::Challenge(challenge)) => Answer::Challenge(challenge),
            Ok(Outcome::Take { next, wait_ms }) => {
                let until_ms = now.monotonic_ms.saturating_add(wait_ms.min(TAKE_WAIT_MS_MAX).into());
                self.takings.push(Taking { from, next, until_ms });
                return self.resume(now, from, reply);
            }
            Err(why) => {
                Answer::Refused { code: why.refusal.code(), observed: why.observed, limit: why.limit }
            }
        };
        let mut body = [0; CONTROL_SIZE_MAX];
        match control::write_answer(answer, &mut body) {
            Ok(size) => self.sessions.seal(from, body.get(..size).unwrap_or_default(), reply),
            Err(_) => Verdict::Close,
        }
    }

    /// Gives the host that waits at a place its records, once there is one or its time is up.
    pub(crate) fn resume(&mut self, now: Now, from: Place, reply: &mut [u8]) -> Verdict {
        let Some(at) = self.takings.iter().position(|taking| taking.from == from) else {
            return Verdict::Close;
        };
        let Some(Taking { next, until_ms, .. }) = self.takings.get(at).copied() else {
            return Verdict::Close;
        };
        if next >= self.desk.outbox.next() && now.monotonic_ms < until_ms {
            return Verdict::Later { until_ms };
        }
        self.takings.swap_remove(at);
        let mut packed = [0; RECORDS_SIZE_MAX];
        let (first, used) = self.desk.outbox.pack(next, &mut packed);
        let records = Records {
            boot_id: self.desk.chain.boot_id(),
            first,
            head: self.head_key.sign(&self.desk.chain, now.wall_ms),
            packed: packed.get(..used).unwrap_or_default(),
        };
        let mut body = [0; CONTROL_SIZE_MAX];
        match control::write_answer(Answer::Records(records), &mut body) {
            Ok(size) => self.sessions.seal(from, body.get(..size).unwrap_or_default(), reply),
            Err(_) => Verdict::Close,
        }
    }

    /// Notes what the system's clock says beside the anchored time in `now`.
    pub fn note_clock(&mut self, now: Now, system_wall_ms: u64) {
        let disagrees = now.wall_ms.abs_diff(system_wall_ms) > CLOCK_DISAGREEMENT_MAX_MS;
        self.latches.note_clock(now.monotonic_ms, disagrees);
        self.settle(now);
        if now.monotonic_ms >= self.sweep_ms {
            self.sweep_ms = now.monotonic_ms.saturating_add(SWEEP_MS);
            self.sweep(now);
        }
    }

    /// Judges the soft latches, and records what they do.
    pub(crate) fn settle(&mut self, now: Now) {
        let Self { latches, desk, .. } = self;
        latches.note_credit(now.monotonic_ms, desk.is_spent());
        latches.settle(now.monotonic_ms, |edge| desk.tell_edge(now, edge));
    }

    /// Judges the silence of clients, and sums up what they were refused without a record.
    fn sweep(&mut self, now: Now) {
        let Self { clients, desk, .. } = self;
        for client in clients.iter_mut() {
            client.settle(now.monotonic_ms, |edge| desk.tell_edge(now, edge));
            if client.unrecorded > 0 && !desk.is_spent() {
                desk.tell_summary(now, client);
            }
        }
    }

    /// The first record of a boot that does not start live tells so.
    pub(crate) fn tell_boot_mode(&mut self, now: Now) {
        let mode = self.latches.mode();
        if mode != Mode::Live {
            self.desk.tell_edge(now, Edge { latch: control::Latch::Boot, scope: Scope::Everything, mode });
        }
    }

    fn obey(&mut self, now: Now, command: Command<'_>) -> Result<Outcome, Why> {
        let Self { latches, operators, randomness, desk, .. } = self;
        let edge = match command {
            Command::Status => None,
            Command::Kill => latches.kill(),
            Command::Tighten { scope, mode } => latches.tighten(scope, mode)?,
            Command::CutClient { client } => latches.cut(client)?,
            Command::Take { next, acknowledged, wait_ms } => {
                desk.outbox.acknowledge(acknowledged);
                return Ok(Outcome::Take { next, wait_ms });
            }
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
        let Self { latches, desk, .. } = self;
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
            mode: self.latches.mode(),
            latches: self.latches.bits() | self.clients.latches(),
            sessions: u16::try_from(self.sessions.count(Channel::Bots, None)).unwrap_or(u16::MAX),
            unacknowledged: self.desk.outbox.waiting(),
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
    pub(crate) fn tell_edge(&mut self, now: Now, edge: Edge) {
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

    fn tell_summary(&mut self, now: Now, client: &mut Client) {
        let (count, code) = (std::mem::take(&mut client.unrecorded), client.unrecorded_code);
        self.record(now, RecordKind::Summary, client.key, |facts| {
            facts.uint_be(FactKey::Refused, &count.to_be_bytes());
            facts.uint_be(FactKey::Code, &code.to_be_bytes());
        });
    }

    fn record_event(&mut self, now: Now, kind: RecordKind, tell: impl FnOnce(&mut dyn FactSink)) {
        self.record(now, kind, [0; 32], tell);
    }

    fn record(
        &mut self,
        now: Now,
        kind: RecordKind,
        client: ClientKey,
        tell: impl FnOnce(&mut dyn FactSink),
    ) {
        self.chain.seal_event(kind, client, now, tell);
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
