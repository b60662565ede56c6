//! Whole lives of a vault from a seed: clients, host and operators do what comes to mind, frames are lost, edited and
//! repeated, clocks jump, the vault is killed and boots again. What must hold is checked at every step.
//!
//! ```text
//! every signature   has a record of its own in the chain, by the client that asked, and leaves as the book says
//! budgets           never more in a window than capacity, refill and what operators opened, whatever boots lie between
//! nonces            no Hyperliquid nonce is signed twice, over all boots
//! chain             from 0 without a gap, and every record that a client holds is in it
//! kill              nothing new is signed after its answer, until an operator resumes or the vault boots anew
//! refusals          no more records of them than a client's allowance
//! ```
//! `SIMULATION_SEEDS` says how many lives (1,000), `SIMULATION_FIRST` with which seed to begin.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test that cannot go on fails"
)]

mod desk;

use std::collections::{BTreeMap, BTreeSet};

use book::{Book, BootMode, Bucket, Counts, Host, Operator, Orders, Per, ReceiptMode, Receipts, WhenGone};
use desk::{EVM, HYPERLIQUID};
use ed25519_dalek::{Signer as _, SigningKey};
use enclave::serve::{Place, Serve as _, Verdict};
use enclave::{Boot, Vault};
use session_dev::{Caller, DevelopmentAttestor, Peer, throw_away_key};
use venues::book_value::AnyOr;
use wire::control::{self, Answer, Command};
use wire::operator::{Action, MESSAGE_SIZE_MAX, ORDER_TAG, ORDER_VERSION, Order};
use wire::receipt::{ChainReader, Receipt, RecordKind};
use wire::reply::Reply;
use wire::request::PayloadKind;
use wire::session::{Channel, SEALED_SIZE_MAX};
use wire::{CONTROL_SIZE_MAX, Mode, Now, Refusal, Scope, Venue};

/// Steps of one life.
const STEPS: usize = 300;

/// Clients of the demo desk that ask: one may use all keys, the other one Hyperliquid's alone.
const NAMES: [&str; 2] = ["bot", "maker"];

const HOST: Place = Place { channel: Channel::Control, index: 0 };
const STRANGER: Place = Place { channel: Channel::Bots, index: 9 };

const BUCKET: Bucket<'static> = Bucket {
    name: "requests",
    counts: Counts::Requests,
    per: Per::Desk,
    orders: Orders::All,
    venues: AnyOr::Any,
    keys: AnyOr::Any,
    clients: AnyOr::Any,
    capacity: 12,
    refill: 1,
    refill_ms: 10,
};

/// Few, so that a host that lags is met often.
const UNACKNOWLEDGED_MAX: u16 = 8;

const WALL_MS: u64 = 1_790_000_000_000;

#[test]
fn a_thousand_lives() {
    let number = |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let first: u64 = number("SIMULATION_FIRST", 0);
    let mut met = BTreeMap::new();
    for seed in first..first + number("SIMULATION_SEEDS", 1_000) {
        let life = std::panic::catch_unwind(|| World::new(seed).live());
        match life {
            Ok(told) => told.into_iter().for_each(|(what, count)| *met.entry(what).or_insert(0) += count),
            Err(fault) => {
                eprintln!("SIMULATION_FIRST={seed} SIMULATION_SEEDS=1 shows it again");
                std::panic::resume_unwind(fault);
            }
        }
    }
    println!("{met:?}");
    // A simulation in which nothing happens proves nothing.
    for what in
        ["signed", "held", "answered again", "boots", "kills", "conflicts", "not acknowledged", "summaries"]
    {
        assert!(met.get(what).is_some_and(|count| *count > 0), "no life met: {what}");
    }
}

/// splitmix64: the same numbers everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    fn one_in(&mut self, odds: u64) -> bool {
        self.below(odds) == 0
    }
}

/// What a client has asked, to ask it again.
#[derive(Clone)]
struct Asked {
    body: Vec<u8>,
    /// The Hyperliquid nonce in it.
    nonce: Option<u64>,
}

struct World {
    dice: Dice,
    book: &'static Book<'static>,
    operator: SigningKey,
    /// Milliseconds since the first boot, and the time of this one.
    at_ms: u64,
    booted_ms: u64,
    boots: u8,
    vault: Box<Vault>,
    bots: [Option<Peer>; NAMES.len()],
    host: Option<Peer>,
    sessions_opened: u64,
    request_id: u64,
    asked: [Vec<Asked>; NAMES.len()],
    /// Of this boot: orders that were given, what was acknowledged, the records of replies by sequence.
    orders: Vec<(Vec<u8>, [u8; 64])>,
    counter: u64,
    acknowledged: u64,
    replies: BTreeMap<u64, Vec<u8>>,
    killed_at: Option<u64>,
    /// Of all boots: when signatures were made and budgets opened, which nonces were signed.
    signed_ms: Vec<u64>,
    opened_ms: Vec<u64>,
    nonces: BTreeSet<u64>,
    met: BTreeMap<&'static str, u64>,
}

fn book_of(mode: ReceiptMode, boot_mode: BootMode, operator: &SigningKey) -> &'static Book<'static> {
    let unacknowledged_max = if mode == ReceiptMode::Client { 0 } else { UNACKNOWLEDGED_MAX };
    let operators = vec![Operator { name: "ann", public_key: operator.verifying_key().to_bytes() }];
    let public_key = *throw_away_key("host").public_key().as_bytes();
    Box::leak(Box::new(Book {
        boot_mode,
        operators: operators.leak(),
        host: Some(Host { public_key, heartbeat_ms: 2_000, when_gone: WhenGone::CancelOnly }),
        receipts: Receipts { mode, unacknowledged_max },
        buckets: vec![BUCKET].leak(),
        ..policies::BOOK
    }))
}

fn boot(book: &'static Book<'static>, number: u8, now: Now) -> Box<Vault> {
    let boot = Boot { id: [number; 16], seed: [number; 32], now };
    Box::new(Vault::at_boot(book, desk::keyring(book), Box::new(DevelopmentAttestor::new()), boot).unwrap())
}

impl World {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let operator = SigningKey::from_bytes(&[7; 32]);
        let modes = [ReceiptMode::Durable, ReceiptMode::Bounded, ReceiptMode::Client];
        let mode = modes[usize::try_from(dice.below(3)).unwrap()];
        let boot_mode = if dice.one_in(4) { BootMode::Halted } else { BootMode::Live };
        let book = book_of(mode, boot_mode, &operator);
        let vault = boot(book, 1, Now { monotonic_ms: 0, wall_ms: WALL_MS });
        Self {
            dice,
            book,
            operator,
            at_ms: 0,
            booted_ms: 0,
            boots: 1,
            vault,
            bots: [None, None],
            host: None,
            sessions_opened: 0,
            request_id: 0,
            asked: [Vec::new(), Vec::new()],
            orders: Vec::new(),
            counter: 0,
            acknowledged: 0,
            replies: BTreeMap::new(),
            killed_at: None,
            signed_ms: Vec::new(),
            opened_ms: Vec::new(),
            nonces: BTreeSet::new(),
            met: BTreeMap::new(),
        }
    }

    fn live(mut self) -> BTreeMap<&'static str, u64> {
        for _ in 0..STEPS {
            self.pass();
            match self.dice.below(100) {
                0..62 => self.ask(),
                62..84 => self.take(),
                84..88 => self.command(),
                88..91 => self.order(),
                91..94 => self.meddle(),
                94..96 => self.strange_bytes(),
                96..98 => self.beat(),
                98 => self.bots = [None, None],
                _ => self.reboot(),
            }
        }
        self.close_boot();
        self.check_budget();
        self.met
    }

    fn meet(&mut self, what: &'static str) {
        *self.met.entry(what).or_default() += 1;
    }

    fn now(&self) -> Now {
        Now { monotonic_ms: self.at_ms - self.booted_ms, wall_ms: WALL_MS + self.at_ms }
    }

    /// Time passes: mostly little, sometimes long; the system's clock is an hour off now and then.
    fn pass(&mut self) {
        self.at_ms += if self.dice.one_in(40) { self.dice.below(5_000) } else { self.dice.below(12) };
        let now = self.now();
        let jump_ms = if self.dice.one_in(200) { 3_600_000 } else { 0 };
        let system_ms = if self.dice.one_in(2) { now.wall_ms + jump_ms } else { now.wall_ms - jump_ms };
        self.vault.note_clock(now, system_ms);
    }

    // ---- sessions ----

    fn open(&mut self, at: Place, name: &str) -> Option<Peer> {
        self.sessions_opened += 1;
        let now = self.now();
        let key = throw_away_key(name);
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.sessions_opened.to_le_bytes());
        let policy_hash = book::policy_hash(self.book);
        let caller = Caller {
            key: &key,
            channel: at.channel,
            certificate: None,
            policy_hash,
            wall_ms: now.wall_ms,
            seed,
        };
        let vault = &mut self.vault;
        vault.forget(at);
        Peer::open(&caller, |frame, reply| desk::sent(vault.handle(now, at, frame, reply))).ok()
    }

    /// Sends a body within a session; the verdict and the reply's body, if it opens. A session that ends is forgotten.
    fn exchange(
        &mut self,
        at: Place,
        mut peer: Peer,
        body: &[u8],
    ) -> (Option<Peer>, Option<(Verdict, Vec<u8>)>) {
        let now = self.now();
        let mut frame = vec![0; SEALED_SIZE_MAX];
        let mut sealed = peer.seal(body).unwrap().to_vec();
        match self.dice.below(60) {
            // The frame is edited or cut on its way: nothing is answered, the session is over.
            0 => {
                let at_byte = usize::try_from(self.dice.below(sealed.len() as u64 - 2)).unwrap() + 2;
                sealed[at_byte] ^= 1 << self.dice.below(8);
                assert_eq!(self.vault.handle(now, at, &sealed, &mut frame), Verdict::Close);
                self.vault.forget(at);
                return (None, None);
            }
            // It comes twice.
            1 => {
                let verdict = self.vault.handle(now, at, &sealed, &mut frame);
                let again = self.vault.handle(now, at, &sealed, &mut vec![0; SEALED_SIZE_MAX]);
                assert_eq!(again, Verdict::Close);
                self.vault.forget(at);
                return (None, self.opened(&mut peer, verdict, &frame));
            }
            _ => {}
        }
        let verdict = self.vault.handle(now, at, &sealed, &mut frame);
        let opened = self.opened(&mut peer, verdict, &frame);
        // The reply is lost now and then, and the connection with it.
        if opened.is_none() || self.dice.one_in(50) {
            self.vault.forget(at);
            return (None, opened);
        }
        (Some(peer), opened)
    }

    fn opened(&mut self, peer: &mut Peer, verdict: Verdict, frame: &[u8]) -> Option<(Verdict, Vec<u8>)> {
        let size = desk::sent(verdict)?;
        let mut body = vec![0; size];
        let size = peer.open_frame(&frame[..size], &mut body).expect("the vault's next frame");
        body.truncate(size);
        Some((verdict, body))
    }

    // ---- clients ----

    fn ask(&mut self) {
        let client = usize::try_from(self.dice.below(NAMES.len() as u64)).unwrap();
        let at = Place { channel: Channel::Bots, index: u16::try_from(client).unwrap() };
        let peer = self.bots[client].take().or_else(|| self.open(at, NAMES[client]));
        let Some(peer) = peer else { return };
        let asked = self.next_request(client);
        let (peer, reply) = self.exchange(at, peer, &asked.body);
        self.bots[client] = peer;
        let Some((verdict, body)) = reply else { return };
        let reply = Reply::read(&body).unwrap();
        assert_eq!(reply.request_id.to_le_bytes(), asked.body[8..16]);
        assert_eq!(reply.signature.is_empty(), reply.code != 0);
        match Refusal::from_code(reply.code) {
            Some(Refusal::RequestIdConflict) => self.meet("conflicts"),
            Some(Refusal::ReceiptsNotAcknowledged) => {
                assert!(reply.receipt.is_empty());
                self.meet("not acknowledged");
            }
            _ => {}
        }
        if reply.receipt.is_empty() {
            assert_ne!(reply.code, 0, "a signature without a record");
            assert!(matches!(verdict, Verdict::Reply(_)));
            return;
        }
        let receipt = Receipt::read(reply.receipt).unwrap();
        assert_eq!(receipt.client, *throw_away_key(NAMES[client]).public_key().as_bytes());
        assert_eq!((receipt.code, receipt.request_id), (reply.code, reply.request_id));
        assert_eq!(receipt.boot_id, [self.boots; 16]);
        let is_durable = self.book.receipts.mode == ReceiptMode::Durable;
        let is_on_disk = receipt.sequence < self.acknowledged;
        match verdict {
            Verdict::Held { sequence, .. } => {
                assert!(is_durable && reply.code == 0 && sequence == receipt.sequence && !is_on_disk);
                self.meet("held");
            }
            Verdict::Reply(_) => assert!(!is_durable || reply.code != 0 || is_on_disk),
            other => panic!("{other:?}"),
        }
        if let Some(before) = self.replies.insert(receipt.sequence, reply.receipt.to_vec()) {
            assert_eq!(before, reply.receipt, "the same answer");
            self.meet("answered again");
        } else if reply.code == 0 {
            self.note_signed(&receipt, asked.nonce);
        }
    }

    fn note_signed(&mut self, receipt: &Receipt<'_>, nonce: Option<u64>) {
        self.meet("signed");
        self.signed_ms.push(self.at_ms);
        if let Some(nonce) = nonce {
            assert!(self.nonces.insert(nonce), "nonce {nonce} was signed twice");
        }
        if let Some(killed_at) = self.killed_at {
            assert!(receipt.sequence < killed_at, "signed after a kill was answered");
        }
        if self.book.receipts.mode != ReceiptMode::Client {
            let waiting = receipt.sequence + 1 - self.acknowledged;
            assert!(
                waiting <= u64::from(UNACKNOWLEDGED_MAX) + 4,
                "{waiting} records wait, events among them"
            );
        }
    }

    /// Something new, something that was asked before, or other bytes under a number that was used.
    fn next_request(&mut self, client: usize) -> Asked {
        let known = self.asked[client].len() as u64;
        if known > 0 && self.dice.one_in(5) {
            let asked = self.asked[client][usize::try_from(self.dice.below(known)).unwrap()].clone();
            if self.dice.one_in(2) {
                return asked;
            }
            let mut other = self.draw_request();
            other.body[8..16].copy_from_slice(&asked.body[8..16]);
            return other;
        }
        let asked = self.draw_request();
        self.asked[client].push(asked.clone());
        asked
    }

    fn draw_request(&mut self) -> Asked {
        self.request_id += 1;
        let wall_ms = self.now().wall_ms;
        let (slot, kind, payload, nonce) = match self.dice.below(10) {
            0..5 => {
                // Often the same nonce within a millisecond, sometimes one of the past or of the future.
                let nonce = wall_ms - self.dice.below(20) + self.dice.below(30);
                let cancel = desk::hyperliquid_cancel(nonce, self.dice.below(100));
                (HYPERLIQUID, PayloadKind::HyperliquidL1Json, cancel, Some(nonce))
            }
            5..8 => {
                let amount = self.dice.below(20_000_000_000);
                (EVM, PayloadKind::EvmEip1559, desk::evm_transfer_of(amount), None)
            }
            8 => (u16::try_from(self.dice.below(7)).unwrap(), PayloadKind::SolanaMessage, vec![7; 40], None),
            _ => (EVM, PayloadKind::EvmEip1559, desk::evm_cancel(), None),
        };
        let mut body = desk::request(slot, kind, &payload);
        body[8..16].copy_from_slice(&self.request_id.to_le_bytes());
        if self.dice.one_in(20) {
            let at = usize::try_from(self.dice.below(body.len() as u64 - 16)).unwrap() + 16;
            body[at] ^= 0x11;
            return Asked { body, nonce: None };
        }
        Asked { body, nonce }
    }

    fn beat(&mut self) {
        let at = Place { channel: Channel::Bots, index: 0 };
        let Some(peer) = self.bots[0].take() else { return };
        let (peer, answer) = self.exchange(at, peer, &[1, 0x26]);
        self.bots[0] = peer;
        if let Some((verdict, body)) = answer {
            assert!(matches!(verdict, Verdict::Reply(_)) && body[..2] == [1, 0x27] && body.len() == 3);
        }
    }

    // ---- host and operators ----

    fn tell<T>(&mut self, command: Command<'_>, read: impl FnOnce(&mut Self, Answer<'_>) -> T) -> Option<T> {
        let peer = self.host.take().or_else(|| self.open(HOST, "host"))?;
        let mut body = [0; CONTROL_SIZE_MAX];
        let size = control::write_command(command, &mut body).unwrap();
        let (peer, answer) = self.exchange(HOST, peer, &body[..size]);
        self.host = peer;
        let (_, answer) = answer?;
        Some(read(self, control::read_answer(&answer).unwrap()))
    }

    fn take(&mut self) {
        // As a host does: it acknowledges what it has, and sometimes claims more than there is.
        let next = self.acknowledged;
        let records = self.tell(Command::Take { next, acknowledged: next, wait_ms: 0 }, |world, answer| {
            let Answer::Records(records) = answer else { panic!("{answer:?}") };
            assert_eq!(
                (records.boot_id, records.first),
                ([world.boots; 16], next),
                "nothing that waits is lost"
            );
            records.iter().count() as u64
        });
        let Some(count) = records else { return };
        let has = next + self.dice.below(count + 1);
        let claimed = if self.dice.one_in(30) { u64::MAX } else { has };
        let told = self.tell(Command::Take { next: has, acknowledged: claimed, wait_ms: 0 }, |_, _| ());
        // Without an answer it does not know; a higher word stands, and no lower one takes it back.
        let waiting = self.tell(Command::Status, |_, answer| {
            let Answer::Status(status) = answer else { panic!("{answer:?}") };
            status.receipts - status.unacknowledged
        });
        if let Some(acknowledged) = waiting {
            assert!(acknowledged >= self.acknowledged, "an acknowledgement was taken back");
            assert!(told.is_none() || claimed == u64::MAX || acknowledged >= has);
            self.acknowledged = acknowledged;
        } else {
            // It may have come through.
            self.reboot();
        }
    }

    fn command(&mut self) {
        let scope = match self.dice.below(3) {
            0 => Scope::Everything,
            1 => Scope::Venue(Venue::Evm),
            _ => Scope::Client(*throw_away_key("maker").public_key().as_bytes()),
        };
        let command = match self.dice.below(12) {
            0 => Command::Kill,
            1 => Command::CutClient { client: *throw_away_key("maker").public_key().as_bytes() },
            2 => Command::Tighten { scope, mode: Mode::CancelOnly },
            3 => Command::Tighten { scope, mode: Mode::Live },
            _ => Command::Status,
        };
        let is_kill = command == Command::Kill;
        self.tell(command, |world, answer| {
            if let (true, Answer::Status(status)) = (is_kill, answer) {
                assert_eq!(status.mode, Mode::Halted);
                world.killed_at.get_or_insert(status.receipts);
                world.meet("kills");
            }
        });
    }

    fn order(&mut self) {
        if !self.orders.is_empty() && self.dice.one_in(3) {
            let count = self.orders.len() as u64;
            let (order, signature) = self.orders[usize::try_from(self.dice.below(count)).unwrap()].clone();
            self.tell(Command::Order { order: &order, signature }, |_, answer| {
                assert!(matches!(answer, Answer::Refused { .. }), "an old order was obeyed");
            });
            return;
        }
        let challenge = self.tell(Command::Challenge, |_, answer| match answer {
            Answer::Challenge(challenge) => challenge,
            other => panic!("{other:?}"),
        });
        let Some(challenge) = challenge else { return };
        let action = match self.dice.below(4) {
            0 => Action::OpenBudget { bucket: 0 },
            1 => Action::SetMode { scope: Scope::Everything, mode: Mode::Live },
            2 => Action::Resume,
            _ => Action::Start,
        };
        self.counter += 1;
        let order = Order {
            version: ORDER_VERSION,
            policy_hash: book::policy_hash(self.book),
            boot_id: [self.boots; 16],
            challenge,
            counter: self.counter,
            operator: self.operator.verifying_key().to_bytes(),
            action,
        };
        let mut message = [0; MESSAGE_SIZE_MAX];
        let size = order.write_message(&mut message).unwrap();
        #[expect(clippy::disallowed_methods, reason = "signs an operator's order, nothing of a venue")]
        let signature = self.operator.sign(&message[..size]).to_bytes();
        let bytes = message[ORDER_TAG.len()..size].to_vec();
        let obeyed = self.tell(Command::Order { order: &bytes, signature }, |_, answer| {
            matches!(answer, Answer::Status(_))
        });
        if obeyed == Some(true) {
            self.orders.push((bytes, signature));
        }
        // Where the answer was lost the order may have been obeyed.
        match action {
            Action::OpenBudget { .. } if obeyed != Some(false) => self.opened_ms.push(self.at_ms),
            Action::Resume if obeyed != Some(false) => self.killed_at = None,
            _ => {}
        }
    }

    // ---- what goes wrong ----

    /// A frame of one session is sent in the other's connection.
    fn meddle(&mut self) {
        let now = self.now();
        let [Some(peer), Some(_)] = &mut self.bots else { return };
        let body = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer());
        let sealed = peer.seal(&body).unwrap().to_vec();
        let other = Place { channel: Channel::Bots, index: 1 };
        assert_eq!(self.vault.handle(now, other, &sealed, &mut vec![0; SEALED_SIZE_MAX]), Verdict::Close);
        self.vault.forget(other);
        self.vault.forget(Place { channel: Channel::Bots, index: 0 });
        self.bots = [None, None];
    }

    fn strange_bytes(&mut self) {
        let now = self.now();
        let size = usize::try_from(self.dice.below(400)).unwrap();
        let mut bytes: Vec<u8> = (0..size).map(|_| self.dice.roll().to_le_bytes()[0]).collect();
        if let [version, kind, ..] = &mut bytes[..] {
            *version = 1;
            *kind = 0x20 + (*kind % 16);
        }
        let verdict = self.vault.handle(now, STRANGER, &bytes, &mut vec![0; SEALED_SIZE_MAX]);
        let is_hello = bytes.len() == 34 && bytes[1] == 0x20;
        assert!(is_hello || matches!(verdict, Verdict::Last(_) | Verdict::Close), "{verdict:?}");
    }

    fn reboot(&mut self) {
        self.close_boot();
        self.meet("boots");
        self.boots += 1;
        // The nonce floor of a boot is its time and the book's look-ahead: it takes at least a millisecond.
        self.at_ms += 1 + self.dice.below(50);
        self.booted_ms = self.at_ms;
        self.vault = boot(self.book, self.boots, Now { monotonic_ms: 0, wall_ms: WALL_MS + self.at_ms });
        (self.bots, self.host) = ([None, None], None);
        self.asked = [Vec::new(), Vec::new()];
        (self.orders, self.counter, self.acknowledged) = (Vec::new(), 0, 0);
        (self.replies, self.killed_at) = (BTreeMap::new(), None);
    }

    /// The chain of the boot, as the vault still has it, holds all that clients hold.
    fn close_boot(&mut self) {
        let mut chain = ChainReader::default();
        let mut refusals: BTreeMap<[u8; 32], Vec<u64>> = BTreeMap::new();
        let (mut next, mut tries) = (0, 0);
        loop {
            let taken = self.tell(Command::Take { next, acknowledged: 0, wait_ms: 0 }, |_, answer| {
                let Answer::Records(records) = answer else { panic!("{answer:?}") };
                records.iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
            });
            let Some(records) = taken else {
                // The answer was lost: ask again, over another session, when one can be had.
                tries += 1;
                self.at_ms += 1_000;
                assert!(tries < 1_000);
                continue;
            };
            if records.is_empty() {
                break;
            }
            for record in records {
                let receipt = chain.follow(&record).expect("an unbroken chain");
                if let Some(held) = self.replies.remove(&receipt.sequence) {
                    assert_eq!(held, record, "a client holds another record");
                }
                if receipt.kind == RecordKind::Summary {
                    *self.met.entry("summaries").or_default() += 1;
                } else if receipt.kind == RecordKind::Decision && !receipt.is_signed() {
                    refusals.entry(receipt.client).or_default().push(receipt.wall_ms);
                }
                next = receipt.sequence + 1;
            }
        }
        assert!(self.replies.is_empty(), "clients hold records that the chain has not");
        for times in refusals.values() {
            for (first, from) in times.iter().enumerate() {
                for (count, to) in (1_u64..).zip(&times[first..]) {
                    assert!(count <= 64 + 16 * (to - from) / 1_000 + 1, "{count} records of refusals");
                }
            }
        }
    }

    fn check_budget(&self) {
        for (first, from) in self.signed_ms.iter().enumerate() {
            for (count, to) in (1_u64..).zip(&self.signed_ms[first..]) {
                let opened = self.opened_ms.iter().filter(|at| (from..=to).contains(at)).count() as u64;
                // What was opened before the window may be spent in it: it fills the level, never beyond capacity.
                let holds = BUCKET.capacity * (1 + opened) + (to - from) / u64::from(BUCKET.refill_ms) + 1;
                assert!(count <= holds, "{count} signed in {} ms", to - from);
            }
        }
    }
}
