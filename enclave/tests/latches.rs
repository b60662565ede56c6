//! Latches and operators' orders, as pure code and through the vault's two doors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test that cannot go on fails"
)]

mod desk;

use book::{Book, BootMode, Host, Operator, WhenGone};
use desk::witness::Witness as _;
use desk::{BOOTED, BOT, EVM, HOST, HYPERLIQUID, NOW, hyperliquid_cancel};
use ed25519_dalek::{Signer as _, SigningKey};
use enclave::latches::{CALM_MS, CLIENTS_MAX, Edge, Latches, Watch};
use enclave::{Boot, Vault};
use session_dev::{DevelopmentAttestor, Peer, throw_away_key};
use wire::control::{self, Answer, CHALLENGE_MS, Command, Latch, Status};
use wire::operator::{Action, MESSAGE_SIZE_MAX, ORDER_TAG, ORDER_VERSION, Order};
use wire::receipt::{ChainReader, Receipt, RecordKind};
use wire::reply::Reply;
use wire::request::PayloadKind;
use wire::session::SEALED_SIZE_MAX;
use wire::{CONTROL_SIZE_MAX, Mode, Now, Refusal, Scope, Venue};

const HOST_SILENCE_MS: u64 = 5_000;

/// A vault whose book has one operator, and that operator.
struct World {
    vault: Box<Vault>,
    bot: Peer,
    host: Peer,
    operator: SigningKey,
    counter: u64,
    now: Now,
}

fn book_of(operator: &SigningKey, boot_mode: BootMode, silence_max_ms: u64) -> &'static Book<'static> {
    let public_key = *throw_away_key("host").public_key().as_bytes();
    let heartbeat_ms = u32::try_from(silence_max_ms).unwrap();
    let host = Some(Host { public_key, heartbeat_ms, when_gone: WhenGone::CancelOnly });
    let operators = vec![Operator { name: "ann", public_key: operator.verifying_key().to_bytes() }];
    Box::leak(Box::new(Book { boot_mode, operators: operators.leak(), host, ..policies::BOOK }))
}

impl World {
    fn booted(boot_mode: BootMode, boot_id: u8) -> Self {
        Self::seeded(boot_mode, boot_id, boot_id, HOST_SILENCE_MS)
    }

    /// A host that may be silent for so long.
    fn seeded(boot_mode: BootMode, boot_id: u8, seed: u8, silence_max_ms: u64) -> Self {
        let operator = SigningKey::from_bytes(&[7; 32]);
        let book = book_of(&operator, boot_mode, silence_max_ms);
        let boot = Boot { id: [boot_id; 16], seed: [seed; 32], now: BOOTED };
        let attestor = Box::new(DevelopmentAttestor::new());
        let mut vault = Box::new(Vault::at_boot(book, desk::keyring(book), attestor, boot).unwrap());
        let host = desk::open(&mut vault, book, HOST, "host", BOOTED).unwrap();
        let bot = desk::open(&mut vault, book, BOT, "bot", BOOTED).unwrap();
        let now = Now { monotonic_ms: 0, ..BOOTED };
        let mut world = Self { vault, bot, host, operator, counter: 0, now };
        // An hour after the boot, so that the demo's times fit; the host was heard all the while.
        world.pass_with_host(NOW.monotonic_ms);
        world
    }

    fn pass(&mut self, ms: u64) {
        self.now.monotonic_ms += ms;
        self.now.wall_ms += ms;
    }

    fn pass_with_host(&mut self, ms: u64) {
        self.pass(ms);
        self.status();
        self.pass(CALM_MS + 1);
        self.status();
    }

    fn control<T>(&mut self, command: Command<'_>, read: impl FnOnce(Answer<'_>) -> T) -> T {
        let mut body = [0; CONTROL_SIZE_MAX];
        let size = control::write_command(command, &mut body).unwrap();
        let Self { vault, host, now, .. } = self;
        let answer = desk::ask(vault, HOST, host, &mut [0; SEALED_SIZE_MAX], *now, &body[..size]);
        read(control::read_answer(&answer.expect("an answer")).unwrap())
    }

    fn status(&mut self) -> (Mode, u16, u64) {
        self.command(Command::Status).expect("a status")
    }

    /// Mode, latches and receipts, or the refusal.
    fn command(&mut self, command: Command<'_>) -> Result<(Mode, u16, u64), Refusal> {
        self.control(command, |answer| match answer {
            Answer::Status(Status { mode, latches, receipts, .. }) => Ok((mode, latches, receipts)),
            Answer::Refused { code, .. } => Err(Refusal::from_code(code).unwrap().witnessed()),
            other => panic!("{other:?}"),
        })
    }

    fn challenge(&mut self) -> [u8; 32] {
        self.control(Command::Challenge, |answer| match answer {
            Answer::Challenge(challenge) => challenge,
            other => panic!("{other:?}"),
        })
    }

    fn order(&mut self, action: Action) -> Order {
        let challenge = self.challenge();
        self.counter += 1;
        let (mut boot_id, mut policy_hash) = ([0; 16], [0; 32]);
        self.control(Command::Status, |answer| {
            let Answer::Status(status) = answer else { panic!("{answer:?}") };
            (boot_id, policy_hash) = (status.boot_id, status.policy_hash);
        });
        let operator = self.operator.verifying_key().to_bytes();
        let counter = self.counter;
        Order { version: ORDER_VERSION, policy_hash, boot_id, challenge, counter, operator, action }
    }

    fn give(&mut self, order: &Order, key: &SigningKey) -> Result<(Mode, u16, u64), Refusal> {
        let (bytes, signature) = signed(order, key);
        self.command(Command::Order { order: &bytes, signature })
    }

    fn obey(&mut self, action: Action) -> Result<(Mode, u16, u64), Refusal> {
        let order = self.order(action);
        let key = self.operator.clone();
        self.give(&order, &key)
    }

    /// The code of the reply to a transfer, signed in live mode.
    fn sign(&mut self) -> u16 {
        self.ask(&desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer()))
    }

    /// The code of the reply to a request.
    fn ask(&mut self, body: &[u8]) -> u16 {
        let Self { vault, bot, now, .. } = self;
        let reply = desk::ask(vault, BOT, bot, &mut [0; SEALED_SIZE_MAX], *now, body);
        Reply::read(&reply.unwrap()).unwrap().code
    }

    fn records(&mut self) -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = Vec::new();
        loop {
            let next = all.len() as u64;
            let more: Vec<Vec<u8>> =
                self.control(Command::Take { next, acknowledged: 0, wait_ms: 0 }, |answer| match answer {
                    Answer::Records(records) => records.iter().map(<[u8]>::to_vec).collect(),
                    other => panic!("{other:?}"),
                });
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    }
}

fn signed(order: &Order, key: &SigningKey) -> (Vec<u8>, [u8; 64]) {
    let mut message = [0; MESSAGE_SIZE_MAX];
    let size = order.write_message(&mut message).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the operator's side of the test")]
    let signature = key.sign(&message[..size]);
    (message[ORDER_TAG.len()..size].to_vec(), signature.to_bytes())
}

const SIGNED: u16 = 0;
const HALTED: u16 = Refusal::Halted.code();

#[test]
fn a_vault_that_boots_halted_signs_nothing_before_a_signed_start() {
    let mut world = World::booted(BootMode::Halted, 1);
    assert_eq!(world.status().0, Mode::Halted);
    for _ in 0..20 {
        assert_eq!(world.sign(), HALTED);
    }
    assert_eq!(world.obey(Action::Resume), Ok((Mode::Halted, Latch::Boot.bit(), 24)), "a resume is no start");
    assert_eq!(world.sign(), HALTED);
    assert_eq!(world.obey(Action::Start).map(|status| status.0), Ok(Mode::Live));
    assert_eq!(world.sign(), SIGNED);
}

#[test]
fn a_start_does_not_lift_a_kill_and_a_resume_does_not_start() {
    let mut world = World::booted(BootMode::Halted, 1);
    assert_eq!(world.command(Command::Kill).unwrap().0, Mode::Halted);
    assert_eq!(world.obey(Action::Start).unwrap().1, Latch::Kill.bit());
    assert_eq!(world.sign(), HALTED);
    assert_eq!(world.obey(Action::Resume).unwrap().0, Mode::Live);
    assert_eq!(world.sign(), SIGNED);
}

#[test]
fn nothing_that_a_host_can_say_makes_the_vault_milder() {
    let mut world = World::booted(BootMode::Live, 1);
    world.command(Command::Kill).unwrap();
    for command in [
        Command::Status,
        Command::Kill,
        Command::Tighten { scope: Scope::Everything, mode: Mode::Live },
        Command::Tighten { scope: Scope::Venue(Venue::Evm), mode: Mode::Live },
        Command::CutClient { client: [1; 32] },
    ] {
        assert_eq!(world.command(command).unwrap().0, Mode::Halted, "{command:?}");
    }
    world.challenge();
    world.pass_with_host(3_600_000);
    assert_eq!(world.sign(), HALTED);
}

#[test]
fn cancel_only_lets_a_drift_cancel_through_and_refuses_an_order() {
    let mut world = World::booted(BootMode::Live, 1);
    world.command(Command::Tighten { scope: Scope::Everything, mode: Mode::CancelOnly }).unwrap();
    let order = desk::example_of("buy 1.5 SOL-PERP at 150");
    assert_eq!(world.ask(&order), Refusal::CancelOnlyMode.code());
    assert_eq!(world.ask(&desk::example_of("cancel all SOL-PERP orders")), SIGNED);
}

#[test]
fn what_the_host_tightened_it_cannot_loosen() {
    let mut world = World::booted(BootMode::Live, 1);
    let tighten = |mode| Command::Tighten { scope: Scope::Venue(Venue::Evm), mode };
    world.command(tighten(Mode::CancelOnly)).unwrap();
    assert_eq!(world.sign(), Refusal::CancelOnlyMode.code());
    for milder in [Mode::Live, Mode::ReduceOnly] {
        world.command(tighten(milder)).unwrap();
        assert_eq!(world.sign(), Refusal::CancelOnlyMode.code());
    }
    world.command(tighten(Mode::Halted)).unwrap();
    assert_eq!(world.sign(), HALTED);
    assert_eq!(world.status().0, Mode::Live, "other venues go on");
    world.obey(Action::Resume).unwrap();
    assert_eq!(world.sign(), SIGNED);
}

#[test]
fn an_order_is_obeyed_once_in_its_boot_and_for_its_challenge() {
    let mut world = World::booted(BootMode::Halted, 1);
    let operator = world.operator.clone();
    let start = world.order(Action::Start);
    world.give(&start, &operator).unwrap();
    assert_eq!(world.give(&start, &operator), Err(Refusal::ChallengeNotOpen), "replayed");

    let resume = world.order(Action::Resume);
    let mut rebooted = World::booted(BootMode::Halted, 2);
    for old in [start, resume] {
        assert_eq!(rebooted.give(&old, &operator), Err(Refusal::OrderForAnotherBoot));
    }
    // A boot that drew the same id must still not take it: its challenges are others.
    let mut twin = World::seeded(BootMode::Halted, 1, 99, HOST_SILENCE_MS);
    twin.challenge();
    for old in [start, resume] {
        assert_eq!(twin.give(&old, &operator), Err(Refusal::ChallengeNotOpen));
    }
    assert_eq!(rebooted.sign(), HALTED);
    assert_eq!(twin.sign(), HALTED);
}

#[test]
fn each_thing_wrong_with_an_order_is_named_and_spoils_no_challenge() {
    let mut world = World::booted(BootMode::Halted, 1);
    let operator = world.operator.clone();
    let stranger = SigningKey::from_bytes(&[8; 32]);
    let good = world.order(Action::Start);
    let by_stranger = Order { operator: stranger.verifying_key().to_bytes(), ..good };
    assert_eq!(world.give(&by_stranger, &stranger), Err(Refusal::OperatorNotInBook));
    assert_eq!(world.give(&good, &stranger), Err(Refusal::OrderSignatureWrong));
    let for_another_policy = Order { policy_hash: [1; 32], ..good };
    assert_eq!(world.give(&for_another_policy, &operator), Err(Refusal::OrderForAnotherBoot));
    let for_another_challenge = Order { challenge: [1; 32], ..good };
    assert_eq!(world.give(&for_another_challenge, &operator), Err(Refusal::ChallengeNotOpen));
    let counter_of_zero = Order { counter: 0, ..good };
    assert_eq!(world.give(&counter_of_zero, &operator), Err(Refusal::OrderCounterNotAbove));
    let (mut bytes, signature) = signed(&good, &operator);
    for (at, is_signed) in (0..bytes.len()).map(|at| (at, true)) {
        bytes[at] ^= 1;
        let refused = world.command(Command::Order { order: &bytes, signature });
        assert!(refused.is_err(), "byte {at} {is_signed}");
        bytes[at] ^= 1;
    }
    assert_eq!(world.command(Command::Order { order: &bytes[1..], signature }), Err(Refusal::OrderMalformed));
    assert_eq!(world.sign(), HALTED);
    assert_eq!(world.give(&good, &operator).map(|status| status.0), Ok(Mode::Live));
}

#[test]
fn a_challenge_is_good_for_a_minute_and_another_takes_its_place() {
    let mut world = World::seeded(BootMode::Halted, 1, 1, 86_400_000);
    let operator = world.operator.clone();
    let late = world.order(Action::Start);
    world.pass(CHALLENGE_MS + 1);
    assert_eq!(world.give(&late, &operator), Err(Refusal::ChallengeExpired));
    let first = world.order(Action::Start);
    let second = world.order(Action::Start);
    assert_ne!(first.challenge, second.challenge);
    assert_eq!(world.give(&first, &operator), Err(Refusal::ChallengeNotOpen));
    world.pass(CHALLENGE_MS);
    assert_eq!(world.give(&second, &operator).map(|status| status.0), Ok(Mode::Live));
}

#[test]
fn counters_only_go_up() {
    let mut world = World::booted(BootMode::Live, 1);
    world.counter = 41;
    world.obey(Action::Resume).unwrap();
    for counter in [0, 40, 41] {
        world.counter = counter;
        assert_eq!(world.obey(Action::Resume), Err(Refusal::OrderCounterNotAbove), "{counter}");
    }
    world.counter = 42;
    world.obey(Action::Resume).unwrap();
}

#[test]
fn a_host_that_is_not_heard_makes_the_vault_stricter_until_it_is_back_for_a_second() {
    let mut world = World::booted(BootMode::Live, 1);
    assert_eq!(world.sign(), SIGNED);
    world.pass(HOST_SILENCE_MS - CALM_MS);
    assert_eq!(world.sign(), SIGNED);
    world.pass(CALM_MS + 1);
    assert_eq!(world.sign(), Refusal::CancelOnlyMode.code());
    assert_eq!(world.status().0, Mode::CancelOnly, "back, and not long enough");
    world.pass(CALM_MS - 1);
    assert_eq!(world.sign(), Refusal::CancelOnlyMode.code());
    world.pass(1);
    assert_eq!(world.sign(), Refusal::CancelOnlyMode.code(), "heard once is not back");
    world.status();
    assert_eq!(world.sign(), SIGNED);
}

#[test]
fn a_silence_that_ends_with_the_next_word_is_recorded_all_the_same() {
    let mut world = World::booted(BootMode::Live, 1);
    let before = world.records().len();
    world.pass(HOST_SILENCE_MS + 1);
    world.status();
    let records = world.records();
    let edges: Vec<_> = records[before..].iter().map(|record| Receipt::read(record).unwrap().kind).collect();
    assert_eq!(edges, [RecordKind::LatchSet]);
}

#[test]
fn a_system_clock_that_jumps_an_hour_leaves_cancels_only_and_moves_no_time() {
    for jump_ms in [3_600_000_i64, -3_600_000] {
        let mut world = World::booted(BootMode::Live, 1);
        let system = world.now.wall_ms.checked_add_signed(jump_ms).unwrap();
        world.vault.note_clock(world.now, world.now.wall_ms + 2_000);
        assert_eq!(world.sign(), SIGNED, "within two seconds");
        world.vault.note_clock(world.now, system);
        assert_eq!(world.sign(), Refusal::CancelOnlyMode.code());
        world.vault.note_clock(world.now, world.now.wall_ms);
        world.pass(CALM_MS);
        assert_eq!(world.sign(), SIGNED);
    }
}

#[test]
fn every_change_of_a_latch_is_a_record_of_an_unbroken_chain() {
    let mut world = World::booted(BootMode::CancelOnly, 1);
    world.obey(Action::Start).unwrap();
    world.command(Command::Kill).unwrap();
    world.command(Command::Kill).unwrap();
    world.sign();
    world.obey(Action::Resume).unwrap();
    world.obey(Action::SetMode { scope: Scope::Venue(Venue::Solana), mode: Mode::ReduceOnly }).unwrap();
    world.command(Command::CutClient { client: [5; 32] }).unwrap();
    world.obey(Action::Reinstate { client: [5; 32] }).unwrap();
    let mut chain = ChainReader::default();
    let mut kinds = Vec::new();
    for record in world.records() {
        kinds.push(chain.follow(&record).expect("the next record").kind);
    }
    use RecordKind::{Decision, LatchCleared, LatchSet, Order};
    let boot_and_silence = [LatchSet, LatchSet, LatchCleared];
    let story = [
        Order,
        LatchCleared, // start
        LatchSet,     // kill, once
        Decision,
        Order,
        LatchCleared, // resume
        Order,
        LatchSet, // set-mode
        LatchSet, // cut
        Order,
        LatchCleared, // reinstate
    ];
    assert_eq!(kinds, [&boot_and_silence[..], &story[..]].concat());
    let status = world.status();
    assert_eq!(status.2, kinds.len() as u64);
}

#[test]
fn after_a_kill_is_answered_no_signed_record_has_a_higher_sequence() {
    let mut world = World::booted(BootMode::Live, 1);
    for _ in 0..10 {
        assert_eq!(world.sign(), SIGNED);
    }
    let (_, _, receipts) = world.command(Command::Kill).unwrap();
    for _ in 0..10 {
        assert_eq!(world.sign(), HALTED);
    }
    for record in world.records() {
        let receipt = Receipt::read(&record).unwrap();
        assert!(!receipt.is_signed() || receipt.sequence < receipts);
    }
}

#[test]
fn a_cancel_on_a_venue_that_is_halted_is_refused_too() {
    let mut world = World::booted(BootMode::Live, 1);
    let venue = Scope::Venue(Venue::Hyperliquid);
    world.command(Command::Tighten { scope: venue, mode: Mode::Halted }).unwrap();
    let payload = hyperliquid_cancel(NOW.wall_ms, 7);
    let body = desk::request(HYPERLIQUID, PayloadKind::HyperliquidL1Msgpack, &payload);
    assert_eq!(world.ask(&body), HALTED);
}

#[test]
fn the_strictest_latch_counts_whatever_the_order_they_were_set_in() {
    let client = [1; 32];
    let mut latches = Latches::at_boot(Mode::Live, None);
    latches.set_mode(Scope::Client(client), Mode::ReduceOnly).unwrap();
    latches.tighten(Scope::Venue(Venue::Evm), Mode::CancelOnly).unwrap();
    assert_eq!(latches.mode_for(Some(&client), Venue::Evm), Mode::CancelOnly);
    assert_eq!(latches.mode_for(Some(&client), Venue::Solana), Mode::ReduceOnly);
    assert_eq!(latches.mode_for(Some(&[2; 32]), Venue::Solana), Mode::Live);
    latches.set_mode(Scope::Client(client), Mode::Live).unwrap();
    assert_eq!(latches.mode_for(Some(&client), Venue::Evm), Mode::CancelOnly);
    latches.cut(client).unwrap();
    assert_eq!(latches.mode_for(Some(&client), Venue::Solana), Mode::Halted);
    latches.resume(|_| {});
    assert_eq!(latches.mode_for(Some(&client), Venue::Evm), Mode::Halted, "a resume lets nobody in again");
    assert!(latches.reinstate(&client).is_some());
    assert_eq!(latches.mode_for(Some(&client), Venue::Evm), Mode::Live);
}

#[test]
fn a_full_table_of_clients_refuses_one_more_by_name_and_keeps_the_others() {
    let mut latches = Latches::at_boot(Mode::Live, None);
    let key = |number: usize| [u8::try_from(number).unwrap(); 32];
    for number in 0..CLIENTS_MAX {
        latches.cut(key(number)).unwrap();
    }
    assert_eq!(latches.cut(key(CLIENTS_MAX)).unwrap_err().refusal, Refusal::ClientTableFull);
    assert_eq!(latches.cut(key(3)), Ok(None), "known already");
    assert!(latches.reinstate(&key(3)).is_some());
    latches.cut(key(CLIENTS_MAX)).unwrap();
    for number in (0..=CLIENTS_MAX).filter(|number| *number != 3) {
        assert_eq!(latches.mode_for(Some(&key(number)), Venue::Evm), Mode::Halted);
    }
}

#[test]
fn a_latch_whose_cause_comes_back_within_the_second_stays() {
    let watch = Watch { host_silence_max_ms: 1_000, host_gone: Mode::Halted };
    let mut latches = Latches::at_boot(Mode::Live, Some(watch));
    let mut edges: Vec<Edge> = Vec::new();
    for now_ms in (0..20_000).step_by(100) {
        latches.settle(now_ms, |edge| edges.push(edge));
        // Heard at 0, and then every 1.5 s: it is never there for a whole second.
        if now_ms % 1_500 == 0 {
            latches.hear_host(now_ms);
        }
    }
    assert_eq!(edges.len(), 1, "{edges:?}");
    assert_eq!(latches.mode(), Mode::Halted);
}
