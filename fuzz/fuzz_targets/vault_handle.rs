//! `Vault::handle` on arbitrary request bodies inside a session, and on the same bytes as frames of strangers.
//!
//! The vault lives on between inputs, because making its keys is slower than using them; its counters and its
//! nonce ledger never make an input fail that would not fail on a fresh vault.
#![no_main]

use std::cell::RefCell;

use enclave::Boot;
use enclave::serve::{Place, Verdict};
use enclave_dev::in_process::InProcess;
use enclave_dev::keys::KeyFolder;
use wire::receipt::{ChainReader, Receipt};
use wire::reply::Reply;
use wire::Now;
use wire::session::{Channel, SEALED_SIZE_MAX};

const BOOK: &str = include_str!("../../policies/book/demo.toml");
const NOW: Now = Now { monotonic_ms: 86_400_000, wall_ms: 1_790_000_005_000 };
const BOOTED: Now = Now { monotonic_ms: 0, wall_ms: NOW.wall_ms - 86_400_000 };

/// Where nobody has a session.
const STRANGERS: [Place; 2] =
    [Place { channel: Channel::Bots, index: 5 }, Place { channel: Channel::Control, index: 5 }];

thread_local! {
    static VAULT: RefCell<(InProcess, ChainReader, u64)> = RefCell::new({
        // Nobody takes records here: a book without a host, whose silence would be a record of its own.
        let text = BOOK.replacen("mode = \"bounded\"\nunacknowledged_max = 256", "mode = \"client\"", 1);
        let (front, rest) = text.split_once("[host]").expect("the demo book has a host");
        let text = front.to_owned() + rest.split_once("\n\n").expect("and more").1;
        let book = compile::compile("demo.toml", &text).expect("the demo book compiles");
        let keyring = KeyFolder::new("no-such-folder").keyring(book).expect("throw-away keys fit the demo book");
        let boot = Boot { id: [7; 16], seed: [8; 32], now: BOOTED };
        let vault = InProcess::at_boot(book, keyring, boot, "bot").expect("the book's keys");
        (vault, ChainReader::default(), NOW.monotonic_ms)
    });
}

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    VAULT.with_borrow_mut(|(vault, chain, monotonic_ms)| {
        // Budgets fill again between two inputs, and each refusal has a record; venues' times stay what the seeds were
        // made for.
        *monotonic_ms += 100;
        let now = Now { monotonic_ms: *monotonic_ms, ..NOW };
        for stranger in STRANGERS {
            match vault.vault().handle(now, stranger, body, &mut [0; SEALED_SIZE_MAX]) {
                Verdict::Reply(_) => assert_eq!(body.get(1), Some(&0x20), "only a hello is answered"),
                Verdict::Last(_) | Verdict::Close => {}
                other => panic!("a stranger got {other:?}"),
            }
        }
        // A number of its own: the same bytes again would get the same reply.
        let mut body = body.to_vec();
        if let Some(request_id) = body.get_mut(8..16) {
            request_id.copy_from_slice(&monotonic_ms.to_le_bytes());
        }
        // What is no body is not sealed, and a sign of life has no record.
        if !(2..=wire::REQUEST_SIZE_MAX).contains(&body.len()) || body == [1, 0x26] {
            return;
        }
        let reply = Reply::read(vault.ask(now, &body).expect("every frame gets a reply")).expect("a reply");
        let receipt: Receipt<'_> = chain.follow(reply.receipt).expect("every reply carries the next receipt");
        assert_eq!(receipt.code, reply.code);
        assert_eq!(reply.signature.is_empty(), reply.code != 0);
        assert!(receipt.digest.is_some() || reply.code != 0, "signed, but nothing was decoded");
    });
});
