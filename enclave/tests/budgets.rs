//! Budgets as clients meet them: raced for by many, charged by nothing that is refused, and deaf to wall clocks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails"
)]

mod desk;

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use book::{Book, Bucket, Counts, Orders, Per, ReceiptMode, Receipts, Slot};
use desk::{BOOTED, Desk, EVM, HYPERLIQUID, NOW};

use enclave::serve::{Clock, Limits, Server};
use session_dev::{Caller, Peer, throw_away_key};
use transport::Address;
use venues::book_value::AnyOr;
use venues::hyperliquid::rules::{Transfer, TransferLimits};
use wire::receipt::Receipt;
use wire::reply::Reply;
use wire::request::PayloadKind;
use wire::session::{Channel, SEALED_SIZE_MAX};
use wire::{Now, Refusal, Shown};

/// Signs at most 20 and one in 10 ms.
const BUCKET: Bucket<'static> = Bucket {
    name: "requests",
    counts: Counts::Requests,
    per: Per::Desk,
    orders: Orders::All,
    venues: AnyOr::Any,
    keys: AnyOr::Any,
    clients: AnyOr::Any,
    capacity: 20,
    refill: 1,
    refill_ms: 10,
};

const CLIENTS: u8 = 8;

/// So long nothing that is answered takes.
const HANG: Duration = Duration::from_secs(60);

fn book(buckets: &[Bucket<'static>]) -> &'static Book<'static> {
    Box::leak(Box::new(Book { buckets: buckets.to_vec().leak(), ..policies::BOOK }))
}

fn at(monotonic_ms: u64) -> Now {
    Now { monotonic_ms, wall_ms: BOOTED.wall_ms + monotonic_ms }
}

fn evm() -> Vec<u8> {
    desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer())
}

#[test]
fn a_vault_signs_nothing_at_boot_and_as_much_as_came_back_after_it() {
    let mut desk = Desk::with_book(book(&[BUCKET]), BOOTED);
    let reply = desk.handle(at(9), &evm());
    assert_eq!(reply.refusal(), Refusal::RequestBudgetSpent);
    let receipt = reply.receipt();
    let shown = |units| Shown::Decimal { units, scale: 0 };
    assert_eq!((receipt.observed, receipt.limit, receipt.subject), (shown(1), shown(0), Some(0)));
    assert_eq!(desk.handle(at(10), &evm()).code, 0);
    assert_eq!(desk.handle(at(10), &evm()).refusal(), Refusal::RequestBudgetSpent);
    let signed = (0..30).filter(|_| desk.handle(at(10_000), &evm()).code == 0).count();
    assert_eq!(signed, 20);
}

#[test]
fn twenty_restarts_in_a_second_and_a_clock_that_jumps_an_hour_at_each_bring_nothing() {
    let mut signed = 0;
    for boot in 0..20_u64 {
        let hour = 3_600_000 * (boot % 3);
        let now = |ms| Now { monotonic_ms: boot * 977 + ms, wall_ms: BOOTED.wall_ms - 3_600_000 + hour + ms };
        let mut desk = Desk::with_book(book(&[BUCKET]), now(0));
        for ms in 0..50 {
            signed += (0..3).filter(|_| desk.handle(now(ms), &evm()).code == 0).count();
        }
    }
    // One in 10 ms of the time that passed in each boot, and no capacity: 49 ms are 4.
    assert_eq!(signed, 20 * 4);
}

#[test]
fn a_refusal_by_a_rule_a_nonce_or_the_last_budget_charges_none() {
    let never = Bucket { venues: AnyOr::Listed(&[4]), capacity: 1, refill: 1, refill_ms: u32::MAX, ..BUCKET };
    let mut desk = Desk::with_book(book(&[BUCKET, never]), BOOTED);
    let now = at(200);
    let cancel = desk::hyperliquid_cancel(BOOTED.wall_ms + 1_000_000, 1);
    let cancel = desk::request(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &cancel);
    let above = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer_of(u64::MAX));
    for _ in 0..50 {
        assert_ne!(desk.handle(now, &cancel).code, 0);
        assert_ne!(desk.handle(now, &above).code, 0);
    }
    let mut signed = (0..50).filter(|_| desk.handle(now, &evm()).code == 0);
    assert_eq!(signed.by_ref().count(), 20, "nothing was charged");

    let mut desk = Desk::with_book(book(&[BUCKET]), BOOTED);
    let old = desk::request(
        HYPERLIQUID,
        PayloadKind::HyperliquidL1Json,
        &desk::hyperliquid_cancel(BOOTED.wall_ms, 1),
    );
    for _ in 0..50 {
        assert_eq!(desk.handle(now, &old).refusal(), Refusal::NonceBelowBootFloor);
    }
    assert_eq!((0..50).filter(|_| desk.handle(now, &evm()).code == 0).count(), 20, "nor by a nonce");
}

#[test]
fn an_hour_of_wall_clock_in_either_direction_brings_nothing() {
    let mut desk = Desk::with_book(book(&[BUCKET]), BOOTED);
    let mut signed = 0;
    for monotonic_ms in 0..1_000 {
        let hour = 3_600_000 * (monotonic_ms % 3);
        let now = Now { monotonic_ms, wall_ms: BOOTED.wall_ms - 3_600_000 + hour };
        signed += u64::from(desk.handle(now, &evm()).code == 0);
    }
    assert_eq!(signed, 99);
}

/// A budget of dollars that two of what is asked below fill to the last micro-USD.
fn dollars(micro_usd: u64) -> Bucket<'static> {
    Bucket { counts: Counts::Notional, capacity: micro_usd, refill: micro_usd, refill_ms: 1_000, ..BUCKET }
}

/// Two are signed and charged `micro_usd` each, the third finds nothing left.
fn assert_two_fit(desk: &mut Desk, micro_usd: u64, request: impl Fn(u64) -> Vec<u8>) {
    for which in [1, 2] {
        let reply = desk.handle(NOW, &request(which));
        assert_eq!(reply.code, 0);
        assert_eq!(reply.facts()["charged_notional"], micro_usd.to_string());
    }
    let reply = desk.handle(NOW, &request(3));
    assert_eq!(reply.refusal(), Refusal::NotionalBudgetSpent);
    let receipt = reply.receipt();
    let shown = |units: u64| Shown::Decimal { units: units.into(), scale: 6 };
    assert_eq!((receipt.observed, receipt.limit, receipt.subject), (shown(micro_usd), shown(0), Some(0)));
}

#[test]
fn drift_orders_draw_on_a_budget_of_dollars_and_cancels_do_not() {
    let mut desk = Desk::with_book(book(&[dollars(450_000_000)]), BOOTED);
    // 1.5 contracts at a limit of 150 dollars.
    let buy = || desk::example_of("buy 1.5 SOL-PERP at 150");
    assert_two_fit(&mut desk, 225_000_000, |_| buy());
    let reply = desk.handle(NOW, &desk::example_of("cancel all SOL-PERP orders"));
    assert_eq!((reply.code, &reply.facts()["charged_notional"]), (0, &"0".into()));
    let larger = Desk::with_book(book(&[dollars(224_999_999)]), BOOTED).handle(NOW, &buy());
    assert_eq!(larger.refusal(), Refusal::NotionalBudgetSpent, "a budget below one order signs none");
}

#[test]
fn transfers_of_usdc_on_hyperliquid_draw_on_a_budget_of_dollars() {
    let entry = TransferLimits {
        action: Transfer::UsdSend,
        destinations: &[],
        amount_max: 100_000_000_000,
        tokens: &[],
        usd_max: None,
        source_dexes: &[],
        destination_dexes: &[],
        sub_accounts: &[],
    };
    let mut slots = policies::BOOK.slots.to_vec();
    let slot = slots.iter_mut().find(|slot| slot.slot == HYPERLIQUID).unwrap();
    let limits = slot.grants.hyperliquid.as_mut().unwrap();
    (limits.transfers, limits.signature_chain_ids) = (vec![entry].leak(), &[0xa4b1]);
    let buckets = vec![dollars(25_000_002)].leak();
    let book = Box::leak(Box::new(Book { slots: slots.leak(), buckets, ..policies::BOOK }));
    let mut desk = Desk::with_book(book, BOOTED);
    // To itself, and a hundredth of a micro-USD counts as one.
    assert_two_fit(&mut desk, 12_500_001, |which| {
        let time = NOW.wall_ms + which;
        let action = format!(
            r#"{{"type":"usdSend","signatureChainId":"0xa4b1","hyperliquidChain":"Mainnet","destination":"0x8487256abfb860d813f5efd622489f4ba94a5d3e","amount":"12.50000001","time":{time}}}"#
        );
        desk::request(HYPERLIQUID, PayloadKind::HyperliquidUserJson, &desk::hyperliquid(time, &action))
    });
}

#[test]
fn a_slot_that_has_expired_signs_nothing_more() {
    let expires_ms = NOW.wall_ms;
    let slots: Vec<_> =
        policies::BOOK.slots.iter().map(|slot| Slot { expires_ms: Some(expires_ms), ..*slot }).collect();
    let book = Box::leak(Box::new(Book { slots: slots.leak(), ..policies::BOOK }));
    let mut desk = Desk::with_book(book, BOOTED);
    let before = Now { wall_ms: expires_ms - 1, ..NOW };
    assert_eq!(desk.handle(before, &evm()).code, 0);
    let reply = desk.handle(NOW, &evm());
    assert_eq!(reply.refusal(), Refusal::GrantExpired);
    let receipt = reply.receipt();
    assert_eq!((receipt.observed, receipt.limit), (Shown::uint(expires_ms), Shown::uint(expires_ms)));
}

#[test]
fn eight_clients_that_race_for_a_budget_never_get_more_than_it_holds() {
    race(|asked, _| asked < 5_000);
}

/// `BUDGET_SECS` says for how long; a minute if it is not set.
#[test]
#[ignore = "takes a minute; run by the full tests"]
fn eight_clients_race_for_a_budget_for_long() {
    let seconds = std::env::var("BUDGET_SECS").map_or(60, |seconds| seconds.parse().unwrap());
    race(move |_, started: Instant| started.elapsed() < Duration::from_secs(seconds));
}

/// Eight clients ask as fast as they are answered while `goes_on`; then what was signed in any window is compared with
/// what the budget holds, by the times of the receipts.
fn race(goes_on: impl Fn(usize, Instant) -> bool + Copy + Send + 'static) {
    let name = format!("budgets-{}-{:?}", std::process::id(), std::thread::current().id());
    let folder = std::env::temp_dir().join(name.replace(['(', ')'], ""));
    std::fs::create_dir_all(&folder).unwrap();
    let address = |name| Address::Unix(folder.join(name));
    let server = Server::bind(&address("requests"), &address("control"), Limits::default()).unwrap();
    let stop = server.stop();
    let clock = Clock::start();
    // There is no host that takes records here.
    let receipts = Receipts { mode: ReceiptMode::Client, unacknowledged_max: 0 };
    let book = Box::leak(Box::new(Book { host: None, receipts, ..*book(&[BUCKET]) }));
    let vault = desk::at_boot(book, desk::keyring(book), clock.now()).unwrap();
    let policy_hash = book::policy_hash(book);
    let serving = std::thread::spawn(move || server.run(vault, clock).unwrap());
    let started = Instant::now();
    let clients: Vec<_> = (0_u8..CLIENTS)
        .map(|client| {
            let door = folder.join("requests");
            std::thread::spawn(move || ask_on(&door, policy_hash, client, |asked| goes_on(asked, started)))
        })
        .collect();
    let mut signed = Vec::new();
    let mut asked = 0;
    for client in clients {
        let (times, count) = client.join().unwrap();
        signed.extend(times);
        asked += count;
    }
    stop.stop();
    serving.join().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();

    signed.sort_unstable();
    println!("{} of {asked} requests signed", signed.len());
    assert!(!signed.is_empty() && signed.len() < asked, "the budget was not raced for");
    for (first, from) in signed.iter().enumerate() {
        for (count, to) in (1_u64..).zip(&signed[first..]) {
            // Wall times and the vault's monotonic ones begin their milliseconds at different moments.
            let elapsed_ms = to - from + 1;
            let holds = BUCKET.capacity + BUCKET.refill * elapsed_ms / u64::from(BUCKET.refill_ms);
            assert!(count <= holds, "{count} signed in {elapsed_ms} ms");
        }
    }
}

/// Gives the receipts' times of what was signed, and how much was asked.
fn ask_on(
    door: &Path,
    policy_hash: [u8; 32],
    client: u8,
    goes_on: impl Fn(usize) -> bool,
) -> (Vec<u64>, usize) {
    let mut stream = UnixStream::connect(door).unwrap();
    stream.set_read_timeout(Some(HANG)).unwrap();
    let key = throw_away_key("bot");
    let wall_ms = Clock::system_wall_ms();
    let (channel, seed) = (Channel::Bots, [client; 32]);
    let caller = Caller { key: &key, channel, certificate: None, policy_hash, wall_ms, seed };
    let mut peer = Peer::open(&caller, |frame, reply| Some(exchange(&mut stream, frame, reply))).unwrap();
    let (mut signed, mut asked) = (Vec::new(), 0);
    let (mut frame, mut body) = (vec![0; SEALED_SIZE_MAX], vec![0; SEALED_SIZE_MAX]);
    while goes_on(asked) {
        let sealed = peer.seal(&evm()).unwrap();
        let size = exchange(&mut stream, sealed, &mut frame);
        let size = peer.open_frame(&frame[..size], &mut body).unwrap();
        let reply = Reply::read(&body[..size]).unwrap();
        asked += 1;
        if reply.code == 0 {
            signed.push(Receipt::read(reply.receipt).unwrap().wall_ms);
        } else {
            assert_eq!(reply.code, Refusal::RequestBudgetSpent.code());
        }
    }
    (signed, asked)
}

/// Sends a frame and reads the next one.
fn exchange(stream: &mut UnixStream, body: &[u8], reply: &mut [u8]) -> usize {
    let frame = [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], body].concat();
    stream.write_all(&frame).unwrap();
    let mut prefix = [0; 4];
    stream.read_exact(&mut prefix).unwrap();
    let size = usize::try_from(u32::from_le_bytes(prefix)).unwrap();
    stream.read_exact(&mut reply[..size]).unwrap();
    size
}
