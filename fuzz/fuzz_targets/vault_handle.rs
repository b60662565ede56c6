//! `Vault::handle` on arbitrary request bodies, and `Vault::control` on the same bytes.
//!
//! The vault lives on between inputs, because making its keys is slower than using them; its counters and its
//! nonce ledger never make an input fail that would not fail on a fresh vault.
#![no_main]

use std::cell::RefCell;

use enclave::{Boot, Vault};
use enclave_dev::keys::KeyFolder;
use wire::receipt::{ChainReader, Receipt};
use wire::reply::Reply;
use wire::{CONTROL_SIZE_MAX, Now, REPLY_SIZE_MAX};

const BOOK: &str = include_str!("../../policies/book/demo.toml");
const NOW: Now = Now { monotonic_ms: 86_400_000, wall_ms: 1_790_000_005_000 };
const BOOTED: Now = Now { monotonic_ms: 0, wall_ms: NOW.wall_ms - 86_400_000 };

thread_local! {
    static VAULT: RefCell<(Vault, ChainReader, u64)> = RefCell::new({
        let book = compile::compile("demo.toml", BOOK).expect("the demo book compiles");
        let keyring = KeyFolder::new("no-such-folder").keyring(book).expect("throw-away keys fit the demo book");
        let vault = Vault::at_boot(book, keyring, Boot { id: [7; 16], seed: [8; 32], now: BOOTED }).expect("the book's keys");
        (vault, ChainReader::default(), NOW.monotonic_ms)
    });
}

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    VAULT.with_borrow_mut(|(vault, chain, monotonic_ms)| {
        // Budgets fill again between two inputs; venues' times stay what the seeds were made for.
        *monotonic_ms += 1;
        let now = Now { monotonic_ms: *monotonic_ms, ..NOW };
        let mut reply = [0; REPLY_SIZE_MAX];
        let size = vault.handle(now, body, &mut reply);
        let reply = Reply::read(&reply[..size]).expect("every frame gets a reply");
        let receipt: Receipt<'_> = chain.follow(reply.receipt).expect("every reply carries the next receipt");
        assert_eq!(receipt.code, reply.code);
        assert_eq!(reply.signature.is_empty(), reply.code != 0);
        assert!(receipt.digest.is_some() || reply.code != 0, "signed, but nothing was decoded");
        // A kill among the inputs would end all signing: only bytes that are no command are tried.
        if wire::control::read_command(body).is_err() {
            assert!(vault.control(now, body, &mut [0; CONTROL_SIZE_MAX]).is_none());
        }
    });
});
