//! A request allocates nothing: a counting allocator watches `Vault::handle`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod desk;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeSet;

use desk::{BOT, Desk, EVM, HOST, HYPERLIQUID, NOW};
use enclave::serve::Verdict;
use wire::control::{self, Command};
use wire::reply::Reply;
use wire::request::PayloadKind;
use wire::{CONTROL_SIZE_MAX, REPLY_SIZE_MAX, Refusal};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[allow(unsafe_code)]
// SAFETY: every call is passed on to the system's allocator unchanged; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn the_counter_sees_an_allocation() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1_u64)))), 1);
}

/// Takes `body` through the bot's session and returns the reply's code and how often the vault allocated.
fn handled(desk: &mut Desk, body: &[u8], reply: &mut [u8; REPLY_SIZE_MAX]) -> (u16, u64) {
    let (vault, bot, frame) = desk.parts();
    let sealed = bot.seal(body).unwrap();
    let mut verdict = Verdict::Close;
    let count = allocations(|| verdict = std::hint::black_box(vault.handle(NOW, BOT, sealed, frame)));
    let size = desk::sent(verdict).expect("a reply");
    let size = bot.open_frame(&frame[..size], reply).unwrap();
    (Reply::read(&reply[..size]).expect("a reply").code, count)
}

/// A vault that has signed once: the curve's tables are built at first use.
fn warm(reply: &mut [u8; REPLY_SIZE_MAX]) -> Desk {
    let mut desk = Desk::new();
    let first = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert_eq!(handled(&mut desk, &first, reply).0, 0);
    desk
}

#[test]
fn a_request_of_each_venue_allocates_nothing_whether_signed_or_denied() {
    let mut reply = Box::new([0; REPLY_SIZE_MAX]);
    let mut desk = warm(&mut reply);
    let (mut signed, mut denied) = (BTreeSet::new(), BTreeSet::new());
    for example in desk::examples() {
        let body = desk::request(example.slot, example.kind, &example.payload);
        let expected = example.refused.map_or(0, Refusal::code);
        assert_eq!(handled(&mut desk, &body, &mut reply), (expected, 0), "{}", example.what);
        if expected == 0 { &mut signed } else { &mut denied }.insert(example.slot);
        assert_eq!(handled(&mut desk, &body, &mut reply), (expected, 0), "{} once more", example.what);
    }
    assert_eq!((signed.len(), denied.len()), (5, 5), "each venue's key signs and refuses");
}

#[test]
fn a_malformed_request_of_each_kind_allocates_nothing() {
    let mut reply = Box::new([0; REPLY_SIZE_MAX]);
    let mut desk = warm(&mut reply);
    let mut refused = 0;
    for example in desk::examples() {
        let payload = &example.payload;
        let changed = |at: usize| {
            let mut changed = payload.clone();
            changed[at] ^= 0x80;
            changed
        };
        let cut = |at: usize| payload[..at].to_vec();
        let longer = [&payload[..], &[0]].concat();
        let broken = [
            cut(1),
            cut(payload.len() / 2),
            cut(payload.len() - 1),
            changed(0),
            changed(payload.len() / 2),
            longer,
        ];
        for payload in broken {
            for kind in PayloadKind::ALL {
                let body = desk::request(example.slot, kind, &payload);
                let (code, count) = handled(&mut desk, &body, &mut reply);
                assert_eq!(count, 0, "{} as {kind:?}: {code}", example.what);
                refused += u64::from((1_000..3_000).contains(&code));
            }
        }
    }
    assert!(refused > 900, "{refused} of them are malformed or unsupported");
}

#[test]
fn the_other_forms_of_hyperliquid_and_bytes_that_are_no_request_allocate_nothing() {
    let mut reply = Box::new([0; REPLY_SIZE_MAX]);
    let mut desk = warm(&mut reply);
    let user = r#"{"type":"usdClassTransfer","amount":"1","toPerp":true}"#;
    let cancel = r#"{"type":"cancel","cancels":[{"a":0,"o":1}]}"#;
    let asked =
        desk::request(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &desk::hyperliquid(NOW.wall_ms, cancel));
    let bodies = [
        ("a nonce", asked.clone()),
        ("a nonce used", asked),
        (
            "user-signed",
            desk::request(
                HYPERLIQUID,
                PayloadKind::HyperliquidUserJson,
                &desk::hyperliquid(NOW.wall_ms + 1, user),
            ),
        ),
        ("no slot of the book", desk::request(u16::MAX, PayloadKind::EvmEip1559, &desk::evm_transfer())),
        ("another venue's key", desk::request(HYPERLIQUID, PayloadKind::EvmEip1559, &desk::evm_transfer())),
        ("not a request", vec![7; 300]),
        ("the longest body", vec![1; wire::REQUEST_SIZE_MAX]),
    ];
    for (what, body) in &bodies {
        assert_eq!(handled(&mut desk, body, &mut reply).1, 0, "{what}");
    }
}

#[test]
fn a_halted_vault_and_its_control_channel_allocate_nothing() {
    let mut reply = Box::new([0; REPLY_SIZE_MAX]);
    let mut desk = warm(&mut reply);
    let mut command = [0; CONTROL_SIZE_MAX];
    for order in [Command::Status, Command::Take { next: 0, acknowledged: 0, wait_ms: 0 }, Command::Kill] {
        let size = control::write_command(order, &mut command).unwrap();
        let (vault, host, frame) = desk.host_parts();
        let sealed = host.seal(&command[..size]).unwrap();
        let mut verdict = Verdict::Close;
        let count = allocations(|| verdict = std::hint::black_box(vault.handle(NOW, HOST, sealed, frame)));
        assert_eq!(count, 0);
        let size = desk::sent(verdict).expect("an answer");
        host.open_frame(&frame[..size], &mut reply[..]).unwrap();
    }
    let body = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert_eq!(handled(&mut desk, &body, &mut reply), (Refusal::Halted.code(), 0));
}
