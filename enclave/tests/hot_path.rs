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

use desk::{Desk, EVM, HYPERLIQUID, NOW};
use wire::REPLY_SIZE_MAX;
use wire::request::PayloadKind;

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

#[test]
fn signing_and_refusing_allocate_nothing() {
    let mut desk = Desk::new();
    let mut reply = Box::new([0; REPLY_SIZE_MAX]);
    let evm = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer());
    let refused = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer_of(u64::MAX));
    let order = r#"{"type":"order","orders":[{"a":0,"b":true,"p":"60000","s":"0.01","r":false,"t":{"limit":{"tif":"Gtc"}}}],"grouping":"na"}"#;
    let hyperliquid =
        |nonce| desk::request(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &desk::hyperliquid(nonce, order));
    // The curve's tables are built at first use, which a vault does at boot.
    desk.vault().handle(NOW, &evm, &mut reply);
    let bodies = [
        ("EVM, signed", evm),
        ("EVM, refused", refused),
        ("Hyperliquid, signed", hyperliquid(NOW.wall_ms)),
        ("Hyperliquid, nonce used", hyperliquid(NOW.wall_ms)),
        ("not a request", vec![7; 300]),
    ];
    for (what, body) in &bodies {
        let vault = desk.vault();
        let count = allocations(|| _ = std::hint::black_box(vault.handle(NOW, body, &mut reply)));
        assert_eq!(count, 0, "{what}");
    }
}
