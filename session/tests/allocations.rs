//! A session allocates nothing: neither when frames flow, nor when its keys are replaced, nor when it fails.

#![allow(unsafe_code)] // a counting allocator cannot be written without
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that cannot go on is a failed one

mod pair;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use wire::session::{REKEY_MESSAGES, SEALED_BODY_SIZE_MAX, SEALED_SIZE_MAX};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// One test, so that no other thread allocates meanwhile.
#[test]
fn frames_new_keys_and_faults_allocate_nothing() {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let (mut client, mut vault) = pair::connect(1);
    assert!(ALLOCATIONS.load(Ordering::Relaxed) > before, "the counter does not count");
    let body = vec![7; SEALED_BODY_SIZE_MAX];
    let (mut frame, mut opened) = (vec![0; SEALED_SIZE_MAX], vec![0; SEALED_BODY_SIZE_MAX]);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let mut sizes = [2, 200, 2_400].into_iter().cycle();
    for _ in 0..=REKEY_MESSAGES {
        let size = sizes.next().unwrap();
        let sealed = client.seal(&body[..size], &mut frame).unwrap();
        assert_eq!(vault.open(&frame[..sealed], &mut opened), Ok(size));
        let sealed = vault.seal(&body[..size], &mut frame).unwrap();
        assert_eq!(client.open(&frame[..sealed], &mut opened), Ok(size));
    }
    let sealed = client.seal(&body, &mut frame).unwrap();
    frame[100] ^= 1;
    assert!(vault.open(&frame[..sealed], &mut opened).is_err());
    assert!(vault.seal(&body, &mut frame).is_err());
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed), before);
}
