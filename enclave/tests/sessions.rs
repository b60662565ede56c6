//! Who gets a session, what it is good for, and what becomes of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails"
)]

mod desk;

use book::{Access, Book, Client, Heartbeat, May, Operator, ReceiptMode, Receipts, Role, WhenGone};
use desk::witness::Witness as _;
use desk::{BOOTED, BOT, EVM, HOST, HYPERLIQUID, NOW};
use enclave::Vault;
use enclave::serve::{Place, Serve as _, Verdict};
use session::Fault;
use session::operator::OperatorKey;
use session_dev::{Caller, Peer, Refused, throw_away_key};
use venues::book_value::AnyOr;
use wire::control::{self, Answer, Command, Latch};
use wire::receipt::{Receipt, RecordKind};
use wire::reply::Reply;
use wire::request::PayloadKind;
use wire::session::{CERTIFICATE_SIZE_MAX, Certificate, Channel, Denial, SEALED_SIZE_MAX, read_denied};
use wire::{CONTROL_SIZE_MAX, Mode, Now, Refusal, Venue};
use zeroize::Zeroizing;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// A vault and the time; sessions are opened where and as whom a test says.
struct World {
    vault: Box<Vault>,
    book: &'static Book<'static>,
    now: Now,
    sessions: u8,
}

impl World {
    /// Of the demo's book, changed.
    fn of(change: impl FnOnce(&mut Book<'static>)) -> Self {
        let mut book = *desk::with_patient_host(&policies::BOOK);
        book.buckets = &[];
        change(&mut book);
        let book = Box::leak(Box::new(book));
        let vault = Box::new(desk::at_boot(book, desk::keyring(book), BOOTED).unwrap());
        Self { vault, book, now: NOW, sessions: 0 }
    }

    fn new() -> Self {
        Self::of(|_| {})
    }

    fn with_receipts(mode: ReceiptMode, unacknowledged_max: u16) -> Self {
        Self::of(|book| book.receipts = Receipts { mode, unacknowledged_max })
    }

    fn pass(&mut self, ms: u64) {
        self.now = Now { monotonic_ms: self.now.monotonic_ms + ms, wall_ms: self.now.wall_ms + ms };
        self.vault.note_clock(self.now, self.now.wall_ms);
    }

    fn open(&mut self, at: Place, name: &str) -> Result<Peer, Refused> {
        self.open_with(at, name, None, book::policy_hash(self.book))
    }

    fn open_with(
        &mut self,
        at: Place,
        name: &str,
        certificate: Option<&[u8]>,
        policy_hash: [u8; 32],
    ) -> Result<Peer, Refused> {
        self.sessions += 1;
        let key = throw_away_key(name);
        let (channel, wall_ms, seed) = (at.channel, self.now.wall_ms, [self.sessions; 32]);
        let caller = Caller { key: &key, channel, certificate, policy_hash, wall_ms, seed };
        let (vault, now) = (&mut self.vault, self.now);
        Peer::open(&caller, |frame, reply| desk::sent(vault.handle(now, at, frame, reply)))
    }

    /// The verdict on a body, and the body of the reply.
    fn exchange(&mut self, at: Place, peer: &mut Peer, body: &[u8]) -> (Verdict, Vec<u8>) {
        let mut frame = vec![0; SEALED_SIZE_MAX];
        let verdict = self.vault.handle(self.now, at, peer.seal(body).unwrap(), &mut frame);
        let mut reply = vec![0; SEALED_SIZE_MAX];
        let size = desk::sent(verdict).map_or(0, |size| peer.open_frame(&frame[..size], &mut reply).unwrap());
        reply.truncate(size);
        (verdict, reply)
    }

    fn ask(&mut self, at: Place, peer: &mut Peer, body: &[u8]) -> Vec<u8> {
        self.exchange(at, peer, body).1
    }

    fn code(&mut self, at: Place, peer: &mut Peer, body: &[u8]) -> u16 {
        let code = Reply::read(&self.ask(at, peer, body)).unwrap().code;
        Refusal::from_code(code).witnessed();
        code
    }

    fn tell<T>(&mut self, host: &mut Peer, command: Command<'_>, read: impl FnOnce(Answer<'_>) -> T) -> T {
        let mut body = [0; CONTROL_SIZE_MAX];
        let size = control::write_command(command, &mut body).unwrap();
        let answer = self.ask(HOST, host, &body[..size]);
        read(control::read_answer(&answer).unwrap())
    }

    fn records(&mut self, host: &mut Peer, acknowledged: u64) -> Vec<(RecordKind, u16, Vec<u8>)> {
        self.tell(host, Command::Take { next: 0, acknowledged, wait_ms: 0 }, |answer| {
            let Answer::Records(records) = answer else { panic!("{answer:?}") };
            let kind = |record: &[u8]| {
                let receipt = Receipt::read(record).unwrap();
                (receipt.kind, receipt.code, receipt.facts.to_vec())
            };
            records.iter().map(kind).collect()
        })
    }
}

const fn bot_at(index: u16) -> Place {
    Place { channel: Channel::Bots, index }
}

fn denied(opened: Result<Peer, Refused>) -> Denial {
    match opened.map(|_| ()) {
        Err(Refused::Failed(Fault::Denied { code })) => Denial::from_code(code).unwrap().witnessed(),
        other => panic!("{other:?}"),
    }
}

fn transfer() -> Vec<u8> {
    desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer())
}

fn cancel(nonce: u64) -> Vec<u8> {
    desk::request(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &desk::hyperliquid_cancel(nonce, 1))
}

#[test]
fn outside_of_a_session_nothing_is_answered_but_a_hello_and_a_handshake() {
    let mut world = World::new();
    let mut reply = vec![0; SEALED_SIZE_MAX];
    let command = [1, 0x10, 0, 0, 0, 0];
    for body in [&transfer()[..], &command, &[1, 0x24, 9, 9], &[1, 0x26], &[1, 0x23], &[2, 0x20], &[1], &[]] {
        for at in [BOT, HOST] {
            let verdict = world.vault.handle(world.now, at, body, &mut reply);
            let Verdict::Last(size) = verdict else { panic!("{verdict:?}") };
            let denial = read_denied(&reply[..size]).ok().and_then(Denial::from_code).witnessed();
            assert_eq!(denial, Some(Denial::SessionRequired));
        }
    }
    let mut host = world.open(HOST, "host").unwrap();
    assert!(world.records(&mut host, 0).is_empty(), "and leaves no record");
}

#[test]
fn each_channel_is_for_those_whom_the_book_names_for_it() {
    let mut world = World::new();
    assert_eq!(denied(world.open(BOT, "stranger")), Denial::ClientNotKnown);
    assert_eq!(denied(world.open(BOT, "host")), Denial::ClientNotKnown);
    for name in ["bot", "maker", "stranger", "operator"] {
        assert_eq!(denied(world.open(HOST, name)), Denial::ChannelNotAllowed);
    }
    let without_host = &mut World::of(|book| book.host = None);
    assert_eq!(denied(without_host.open(HOST, "host")), Denial::ChannelNotAllowed);
}

#[test]
fn a_client_that_pins_another_book_stops_before_it_says_who_it_is() {
    let mut world = World::new();
    let opened = world.open_with(BOT, "bot", None, [1; 32]).map(|_| ());
    assert!(matches!(opened, Err(Refused::Distrusted(_))), "{opened:?}");
}

#[test]
fn a_client_reaches_its_own_keys_and_venues_alone() {
    let mut world = World::new();
    let mut maker = world.open(bot_at(1), "maker").unwrap();
    assert_eq!(world.code(bot_at(1), &mut maker, &cancel(NOW.wall_ms)), 0);
    assert_eq!(world.code(bot_at(1), &mut maker, &transfer()), Refusal::KeyNotInScope.code());
    let nobody_s = desk::request(99, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert_eq!(world.code(bot_at(1), &mut maker, &nobody_s), Refusal::KeyNotInScope.code());
}

#[test]
fn the_same_request_has_the_same_answer_over_any_connection_and_is_not_signed_twice() {
    let mut world = World::new();
    let (mut first, mut second) =
        (world.open(bot_at(1), "bot").unwrap(), world.open(bot_at(2), "bot").unwrap());
    let body = cancel(NOW.wall_ms);
    let reply = world.ask(bot_at(1), &mut first, &body);
    assert_eq!(Reply::read(&reply).unwrap().code, 0);
    assert_eq!(world.ask(bot_at(2), &mut second, &body), reply);
    world.vault.forget(bot_at(1));
    let mut third = world.open(bot_at(1), "bot").unwrap();
    assert_eq!(world.ask(bot_at(1), &mut third, &body), reply);
    let mut other = cancel(NOW.wall_ms + 1);
    other[8..16].copy_from_slice(&body[8..16]);
    assert_eq!(world.code(bot_at(1), &mut third, &other), Refusal::RequestIdConflict.code());
    assert_eq!(world.ask(bot_at(1), &mut third, &body), reply, "a conflict forgets nothing");
    // Another client's numbers are its own.
    let mut maker = world.open(bot_at(3), "maker").unwrap();
    assert_eq!(world.code(bot_at(3), &mut maker, &other), 0);
}

#[test]
fn an_answer_is_kept_back_by_a_mode_that_would_not_let_its_payload_through() {
    let mut world = World::new();
    let (mut bot, mut host) = (world.open(BOT, "bot").unwrap(), world.open(HOST, "host").unwrap());
    let (opens, cancels) = (transfer(), cancel(NOW.wall_ms));
    assert_eq!((world.code(BOT, &mut bot, &opens), world.code(BOT, &mut bot, &cancels)), (0, 0));
    let scope = wire::Scope::Everything;
    world.tell(&mut host, Command::Tighten { scope, mode: Mode::CancelOnly }, |_| ());
    assert_eq!(world.code(BOT, &mut bot, &opens), Refusal::CancelOnlyMode.code());
    assert_eq!(world.code(BOT, &mut bot, &cancels), 0);
    world.tell(&mut host, Command::Kill, |_| ());
    assert_eq!(world.code(BOT, &mut bot, &cancels), Refusal::Halted.code());
}

#[test]
fn a_client_that_is_cut_off_is_refused_in_its_session_and_gets_no_other() {
    let mut world = World::new();
    let (mut bot, mut host) = (world.open(BOT, "bot").unwrap(), world.open(HOST, "host").unwrap());
    let mut maker = world.open(bot_at(1), "maker").unwrap();
    let client = *throw_away_key("bot").public_key().as_bytes();
    world.tell(&mut host, Command::CutClient { client }, |_| ());
    assert_eq!(world.code(BOT, &mut bot, &transfer()), Refusal::ClientCut.code());
    assert_eq!(denied(world.open(bot_at(2), "bot")), Denial::ClientCut);
    assert_eq!(world.code(bot_at(1), &mut maker, &cancel(NOW.wall_ms)), 0);
}

#[test]
fn a_recorded_handshake_sent_again_is_nobody_s_session() {
    let mut world = World::new();
    let key = throw_away_key("bot");
    let policy_hash = book::policy_hash(world.book);
    let (channel, wall_ms, seed) = (Channel::Bots, world.now.wall_ms, [9; 32]);
    let caller = Caller { key: &key, channel, certificate: None, policy_hash, wall_ms, seed };
    let mut recorded = Vec::new();
    let (vault, now) = (&mut world.vault, world.now);
    Peer::open(&caller, |frame, reply| {
        recorded = frame.to_vec();
        desk::sent(vault.handle(now, BOT, frame, reply))
    })
    .unwrap();
    for index in 10..30 {
        let mut reply = vec![0; SEALED_SIZE_MAX];
        let verdict = world.vault.handle(world.now, bot_at(index), &recorded, &mut reply);
        assert!(matches!(verdict, Verdict::Reply(_)), "it cannot be told from the first");
        assert!(!world.vault.has_session(bot_at(index)), "and counts for nothing");
    }
    // All of the client's own sessions are still to be had.
    for index in 1..=8 {
        let mut peer = world.open(bot_at(index), "bot").unwrap();
        world.ask(bot_at(index), &mut peer, &[1, 0x26]);
    }
    assert_eq!(denied(world.open(bot_at(9), "bot")), Denial::SessionsFull);
    world.vault.forget(bot_at(8));
    world.open(bot_at(9), "bot").unwrap();
    // Sessions of one client take none from another.
    world.open(bot_at(40), "maker").unwrap();
}

#[test]
fn a_handshake_that_was_changed_on_its_way_or_is_for_another_boot_is_not_authentic() {
    let mut world = World::new();
    let key = throw_away_key("bot");
    let policy_hash = book::policy_hash(world.book);
    let (channel, wall_ms, seed) = (Channel::Bots, world.now.wall_ms, [9; 32]);
    let caller = Caller { key: &key, channel, certificate: None, policy_hash, wall_ms, seed };
    for at in (2..98).step_by(8) {
        let (vault, now) = (&mut world.vault, world.now);
        let opened = Peer::open(&caller, |frame, reply| {
            let mut frame = frame.to_vec();
            if frame[1] == 0x22 {
                frame[at] ^= 1;
            }
            desk::sent(vault.handle(now, BOT, &frame, reply))
        });
        assert_eq!(denied(opened), Denial::HandshakeNotAuthentic);
    }
    let mut other = World::of(|book| book.boot_mode = book::BootMode::CancelOnly);
    let (vault, now) = (&mut world.vault, world.now);
    let opened = Peer::open(&caller, |frame, reply| {
        let vault = if frame[1] == 0x22 { &mut other.vault } else { &mut *vault };
        desk::sent(vault.handle(now, BOT, frame, reply))
    });
    assert_eq!(denied(opened), Denial::HandshakeNotAuthentic);
}

#[test]
fn handshakes_are_bounded_in_number_and_those_of_bots_keep_no_host_out() {
    let mut world = World::new();
    let opened = (0..200).filter(|index| world.open(bot_at(*index), "stranger").is_ok()).count();
    assert_eq!(opened, 0);
    assert_eq!(denied(world.open(bot_at(200), "bot")), Denial::AttestationUnavailable);
    world.open(HOST, "host").unwrap();
    world.pass(1_000);
    world.open(bot_at(200), "bot").unwrap();
}

#[test]
fn a_second_handshake_in_a_connection_ends_it() {
    let mut world = World::new();
    world.open(BOT, "bot").unwrap();
    assert_eq!(denied(world.open(BOT, "bot")), Denial::SessionRequired);
}

fn with_role(certificate_days_max: u16) -> (World, OperatorKey) {
    let operator = OperatorKey::from_seed(&Zeroizing::new([5; 32]));
    let operators = vec![Operator { name: "ann", public_key: operator.public_key() }].leak();
    let may = vec![May { key: HYPERLIQUID, venues: AnyOr::Listed(&[Venue::Hyperliquid as u8]) }].leak();
    let access = Access { may, heartbeat: None };
    let roles = vec![Role { name: "quoter", certificate_days_max, access }].leak();
    let world = World::of(|book| (book.operators, book.roles) = (operators, roles));
    (world, operator)
}

fn certificate(
    operator: &OperatorKey,
    name: &str,
    days: u64,
    change: impl FnOnce(&mut Certificate<'_>),
) -> Vec<u8> {
    let key = throw_away_key(name);
    let mut certificate = Certificate {
        serial: 1,
        desk: policies::BOOK.desk,
        role: "quoter",
        client: name,
        client_key: *key.public_key().as_bytes(),
        operator_key: operator.public_key(),
        not_before_ms: NOW.wall_ms - 1_000,
        not_after_ms: NOW.wall_ms - 1_000 + days * DAY_MS,
    };
    change(&mut certificate);
    let mut bytes = [0; CERTIFICATE_SIZE_MAX];
    let size = operator.sign_certificate(&certificate, &mut bytes).unwrap();
    bytes[..size].to_vec()
}

#[test]
fn a_certificate_lets_its_holder_in_for_its_role_until_it_ends() {
    let (mut world, operator) = with_role(7);
    let policy_hash = book::policy_hash(world.book);
    let good = certificate(&operator, "quoter-9", 7, |_| {});
    let mut quoter = world.open_with(BOT, "quoter-9", Some(&good), policy_hash).unwrap();
    assert_eq!(world.code(BOT, &mut quoter, &cancel(NOW.wall_ms)), 0);
    assert_eq!(world.code(BOT, &mut quoter, &transfer()), Refusal::KeyNotInScope.code());
    assert_eq!(denied(world.open(bot_at(1), "quoter-9")), Denial::ClientNotKnown, "it brings it each time");
    world.pass(7 * DAY_MS - 1_000);
    let (verdict, _) = world.exchange(BOT, &mut quoter, &[1, 0x26]);
    assert_eq!(verdict, Verdict::Close, "the session ends with the certificate");
    let again = world.open_with(bot_at(2), "quoter-9", Some(&good), policy_hash);
    assert_eq!(denied(again), Denial::CertificateExpired);
}

#[test]
fn each_thing_wrong_with_a_certificate_is_named() {
    let (mut world, operator) = with_role(7);
    let policy_hash = book::policy_hash(world.book);
    let stranger = OperatorKey::from_seed(&Zeroizing::new([6; 32]));
    let mut forged = certificate(&operator, "quoter-9", 7, |_| {});
    *forged.last_mut().unwrap() ^= 1;
    let cases = [
        (certificate(&operator, "quoter-9", 8, |_| {}), Denial::CertificateTooLong),
        (certificate(&operator, "another", 7, |_| {}), Denial::CertificateOfAnotherKey),
        (certificate(&stranger, "quoter-9", 7, |_| {}), Denial::OperatorNotKnown),
        (
            certificate(&operator, "quoter-9", 7, |found| found.desk = "another"),
            Denial::CertificateOfAnotherDesk,
        ),
        (certificate(&operator, "quoter-9", 7, |found| found.role = "trader"), Denial::RoleNotKnown),
        (
            certificate(&operator, "quoter-9", 7, |found| {
                (found.not_before_ms, found.not_after_ms) = (NOW.wall_ms + 1, NOW.wall_ms + DAY_MS);
            }),
            Denial::CertificateNotYetValid,
        ),
        (forged, Denial::CertificateSignatureWrong),
    ];
    for (index, (certificate, denial)) in (1..).zip(cases) {
        let opened = world.open_with(bot_at(index), "quoter-9", Some(&certificate), policy_hash);
        assert_eq!(denied(opened), denial);
    }
}

#[test]
fn as_many_holders_of_certificates_are_told_apart_as_there_is_room_for() {
    let (mut world, operator) = with_role(7);
    let policy_hash = book::policy_hash(world.book);
    let mut admitted = 0;
    for number in 0..200_u16 {
        world.pass(20);
        let name = format!("quoter-{number}");
        let good = certificate(&operator, &name, 7, |_| {});
        match world.open_with(BOT, &name, Some(&good), policy_hash) {
            Ok(_) => admitted += 1,
            refused => assert_eq!(denied(refused), Denial::ClientTableFull),
        }
        world.vault.forget(BOT);
    }
    assert_eq!(admitted + world.book.clients.len(), policies::CLIENTS_MAX);
    world.open(bot_at(1), "bot").unwrap();
}

#[test]
fn a_client_that_falls_silent_is_held_back_until_it_was_heard_for_a_second() {
    let heartbeat = Some(Heartbeat { heartbeat_ms: 3_000, when_gone: WhenGone::CancelOnly });
    let mut world = World::of(|book| {
        let clients = book.clients.iter().map(|client| match client.name {
            "bot" => Client { access: Access { heartbeat, ..client.access }, ..*client },
            _ => *client,
        });
        book.clients = clients.collect::<Vec<_>>().leak();
    });
    let (mut bot, mut host) = (world.open(BOT, "bot").unwrap(), world.open(HOST, "host").unwrap());
    let mut maker = world.open(bot_at(1), "maker").unwrap();
    assert_eq!((bot.welcome().heartbeat_ms, maker.welcome().heartbeat_ms), (3_000, 0));
    world.pass(60_000);
    assert_eq!(world.code(BOT, &mut bot, &transfer()), 0, "armed by its first frame");
    world.pass(3_000);
    assert_eq!(world.ask(BOT, &mut bot, &[1, 0x26]), [1, 0x27, Mode::Live as u8]);
    world.pass(3_001);
    let latches = |answer: Answer<'_>| match answer {
        Answer::Status(status) => status.latches,
        other => panic!("{other:?}"),
    };
    world.pass(1_000);
    assert_eq!(world.tell(&mut host, Command::Status, latches), Latch::ClientHeartbeat.bit());
    assert_eq!(world.ask(BOT, &mut bot, &[1, 0x26]), [1, 0x27, Mode::CancelOnly as u8]);
    assert_eq!(world.code(BOT, &mut bot, &transfer()), Refusal::CancelOnlyMode.code());
    let nonce = world.now.wall_ms;
    assert_eq!(world.code(BOT, &mut bot, &cancel(nonce)), 0);
    assert_eq!(world.code(bot_at(1), &mut maker, &cancel(nonce + 1)), 0, "nobody else pays for it");
    world.pass(1_000);
    world.ask(BOT, &mut bot, &[1, 0x26]);
    assert_eq!(world.code(BOT, &mut bot, &transfer()), 0);
    let kinds: Vec<_> = world.records(&mut host, 0).iter().map(|record| record.0).collect();
    let edges = kinds.iter().filter(|kind| matches!(kind, RecordKind::LatchSet | RecordKind::LatchCleared));
    assert!(edges.eq([&RecordKind::LatchSet, &RecordKind::LatchCleared]));
}

#[test]
fn a_durable_signature_is_held_for_its_record_and_a_refusal_is_not() {
    let mut world = World::with_receipts(ReceiptMode::Durable, 4);
    let (mut bot, mut host) = (world.open(BOT, "bot").unwrap(), world.open(HOST, "host").unwrap());
    assert_eq!(bot.welcome().records_kept, 4);
    let body = transfer();
    let (verdict, reply) = world.exchange(BOT, &mut bot, &body);
    assert!(matches!(verdict, Verdict::Held { sequence: 0, .. }), "{verdict:?}");
    let (verdict, again) = world.exchange(BOT, &mut bot, &body);
    assert!(matches!(verdict, Verdict::Held { sequence: 0, .. }), "the same answer waits as well");
    assert_eq!(again, reply);
    let foreign = desk::request(99, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert!(matches!(world.exchange(BOT, &mut bot, &foreign).0, Verdict::Reply(_)));
    assert_eq!(world.vault.acknowledged(), 0);
    world.records(&mut host, 1);
    assert_eq!(world.vault.acknowledged(), 1);
    assert!(matches!(world.exchange(BOT, &mut bot, &body).0, Verdict::Reply(_)));
    world.records(&mut host, u64::MAX);
    assert_eq!(world.vault.acknowledged(), 2, "what was not sealed is not acknowledged");
}

#[test]
fn nothing_is_signed_while_too_many_records_wait_and_none_of_them_is_lost() {
    for mode in [ReceiptMode::Durable, ReceiptMode::Bounded] {
        let mut world = World::with_receipts(mode, 4);
        let (mut bot, mut host) = (world.open(BOT, "bot").unwrap(), world.open(HOST, "host").unwrap());
        let codes: Vec<_> = (0..4).map(|_| world.code(BOT, &mut bot, &transfer())).collect();
        assert_eq!(codes, [0; 4]);
        for _ in 0..100 {
            let reply = world.ask(BOT, &mut bot, &transfer());
            let reply = Reply::read(&reply).unwrap();
            assert_eq!((reply.code, reply.receipt), (Refusal::ReceiptsNotAcknowledged.code(), &[][..]));
        }
        assert_eq!(world.records(&mut host, 0).len(), 4);
        world.records(&mut host, 1);
        assert_eq!(world.code(BOT, &mut bot, &transfer()), 0);
        assert_eq!(world.code(BOT, &mut bot, &transfer()), Refusal::ReceiptsNotAcknowledged.code());
    }
}

#[test]
fn a_host_that_stays_away_from_its_records_is_a_latch() {
    let mut world = World::with_receipts(ReceiptMode::Bounded, 2);
    let (mut bot, mut host) = (world.open(BOT, "bot").unwrap(), world.open(HOST, "host").unwrap());
    world.code(BOT, &mut bot, &transfer());
    world.code(BOT, &mut bot, &transfer());
    world.pass(1);
    world.pass(1_000);
    let latches = |answer: Answer<'_>| match answer {
        Answer::Status(status) => (status.mode, status.latches),
        other => panic!("{other:?}"),
    };
    let credit = Latch::ReceiptCredit.bit();
    assert_eq!(world.tell(&mut host, Command::Status, latches), (Mode::Halted, credit));
    world.records(&mut host, u64::MAX);
    assert_eq!(world.tell(&mut host, Command::Status, latches), (Mode::Halted, credit));
    world.pass(1_000);
    world.records(&mut host, u64::MAX);
    assert_eq!(world.tell(&mut host, Command::Status, latches), (Mode::Live, 0));
}

#[test]
fn refusals_beyond_a_client_s_allowance_are_summed_up_once_a_second() {
    let mut world = World::with_receipts(ReceiptMode::Client, 0);
    let (mut bot, mut host) = (world.open(BOT, "bot").unwrap(), world.open(HOST, "host").unwrap());
    let foreign = || desk::request(99, PayloadKind::EvmEip1559, &desk::evm_transfer());
    let recorded = (0..100)
        .filter(|_| {
            let reply = world.ask(BOT, &mut bot, &foreign());
            !Reply::read(&reply).unwrap().receipt.is_empty()
        })
        .count();
    assert_eq!(recorded, 64);
    assert_eq!(world.code(BOT, &mut bot, &transfer()), 0, "who is refused much may still be signed for");
    world.pass(1_000);
    world.pass(1_000);
    let records = world.records(&mut host, 0);
    let summaries: Vec<_> = records.iter().filter(|record| record.0 == RecordKind::Summary).collect();
    assert_eq!((records.len(), summaries.len()), (64 + 1 + 1, 1));
    let mut text = String::new();
    let mut sink = wire::facts_json::JsonFacts::new(&mut text);
    wire::facts::read(&summaries[0].2, &mut sink).unwrap();
    sink.finish().unwrap();
    let facts: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((facts["refused"].as_str(), facts["code"].as_str()), (Some("36"), Some("3009")), "{facts}");
}

#[test]
fn the_host_has_fewer_sessions_than_there_are_places() {
    let mut world = World::new();
    let at = |index| Place { channel: Channel::Control, index };
    for index in 0..4 {
        let mut host = world.open(at(index), "host").unwrap();
        world.ask(at(index), &mut host, &[1, 0x10, 0, 0, 0, 0]);
    }
    assert_eq!(denied(world.open(at(4), "host")), Denial::SessionsFull);
}

#[test]
fn a_take_waits_for_a_record_and_no_longer_than_it_asked() {
    let mut world = World::new();
    let (mut bot, mut host) = (world.open(BOT, "bot").unwrap(), world.open(HOST, "host").unwrap());
    let mut body = [0; CONTROL_SIZE_MAX];
    let take = Command::Take { next: 0, acknowledged: 0, wait_ms: u16::MAX };
    let size = control::write_command(take, &mut body).unwrap();
    let (verdict, _) = world.exchange(HOST, &mut host, &body[..size]);
    let until_ms = world.now.monotonic_ms + 250;
    assert_eq!(verdict, Verdict::Later { until_ms });
    let mut frame = vec![0; SEALED_SIZE_MAX];
    assert_eq!(world.vault.resume(world.now, HOST, &mut frame), Verdict::Later { until_ms });
    assert_eq!(world.code(BOT, &mut bot, &transfer()), 0);
    let Verdict::Reply(size) = world.vault.resume(world.now, HOST, &mut frame) else { panic!("records") };
    let mut answer = vec![0; SEALED_SIZE_MAX];
    let size = host.open_frame(&frame[..size], &mut answer).unwrap();
    let Ok(Answer::Records(records)) = control::read_answer(&answer[..size]) else { panic!("records") };
    assert_eq!((records.first, records.iter().count()), (0, 1));
    let head = records.head.unwrap();
    assert_eq!((head.sequence, head.link), (0, wire::receipt::link(records.iter().next().unwrap())));
    let (verdict, _) = world.exchange(HOST, &mut host, &{
        let take = Command::Take { next: 1, acknowledged: 1, wait_ms: 100 };
        let size = control::write_command(take, &mut body).unwrap();
        body[..size].to_vec()
    });
    assert!(matches!(verdict, Verdict::Later { .. }));
    world.pass(100);
    assert!(matches!(world.vault.resume(world.now, HOST, &mut frame), Verdict::Reply(_)));
}
