//! What a receipt must hold before a signature leaves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use enclave::Boot;
use enclave_dev::in_process::InProcess;
use enclave_dev::keys::KeyFolder;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Envelope, ORDERS_LEN_MAX};
use wire::facts_json::JsonFacts;
use wire::receipt::Receipt;
use wire::reply::Reply;
use wire::request::{PayloadKind, Request};
use wire::{Now, Refusal};

const BOOTED: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_000_000 };
const NOW: Now = Now { monotonic_ms: 1_000, wall_ms: BOOTED.wall_ms + 1_000 };

/// The demo desk, but with batches as large as the exchange takes.
fn vault() -> InProcess {
    let text = include_str!("../../../policies/book/demo.toml");
    let text = text.replace("orders_max = 16", "orders_max = 1000");
    let text = text.replace("action_notional_max = 100_000", "action_notional_max = 1_000_000_000");
    let book = compile::compile("demo.toml", &text).unwrap();
    let hyperliquid = book.slot(1).unwrap().grants.hyperliquid.unwrap();
    assert_eq!(hyperliquid.order.unwrap().orders_max, 1_000, "the demo book has changed");
    let keyring = KeyFolder::new("no-key-files").keyring(book).unwrap();
    InProcess::at_boot(book, keyring, Boot { id: [0; 16], seed: [0; 32], now: BOOTED }, "bot").unwrap()
}

/// The code, whether the receipt tells all, and how many elements of `list` it tells.
fn put(vault: &mut InProcess, nonce: u64, action: &str, list: &str) -> (u16, bool, usize) {
    let envelope = Envelope { network: Network::Mainnet, nonce, vault_address: None, expires_after: None };
    let mut payload = vec![0; ENVELOPE_SIZE_MAX];
    let size = envelope.write(&Claims::default(), &mut payload).unwrap();
    payload.truncate(size);
    payload.extend_from_slice(action.as_bytes());
    let payload_kind = PayloadKind::HyperliquidL1Json;
    let request =
        Request { key_slot: 1, payload_kind, return_canonical: true, request_id: nonce, payload: &payload };
    let body = [&request.header()[..], &payload].concat();
    let reply = Reply::read(vault.ask(NOW, &body).unwrap()).unwrap();
    let receipt = Receipt::read(reply.receipt).unwrap();
    let mut text = String::new();
    let mut sink = JsonFacts::new(&mut text);
    wire::facts::read(receipt.facts, &mut sink).unwrap();
    sink.finish().unwrap();
    let facts: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(reply.signature.is_empty(), reply.code != 0);
    (reply.code, receipt.facts_complete, facts[list].as_array().map_or(0, Vec::len))
}

fn orders(order: &str, count: usize) -> String {
    format!(r#"{{"type":"order","orders":[{}],"grouping":"na"}}"#, [order].repeat(count).join(","))
}

#[test]
fn the_largest_batch_of_cancels_is_told_whole() {
    let cancel = r#"{"a":0,"o":9007199254740993}"#;
    let action = format!(r#"{{"type":"cancel","cancels":[{}]}}"#, [cancel].repeat(512).join(","));
    assert_eq!(put(&mut vault(), NOW.wall_ms, &action, "cancels"), (0, true, 512));
}

#[test]
fn the_largest_batch_of_orders_is_told_whole() {
    let order = r#"{"a":0,"b":true,"p":"60000","s":"0.0001","r":false,"t":{"limit":{"tif":"Gtc"}},"c":"0x515dc48710156c314476ed3101a491b0"}"#;
    let mut vault = vault();
    for (nonce, count) in (NOW.wall_ms..).zip([1, 20, ORDERS_LEN_MAX]) {
        let (code, is_complete, told) = put(&mut vault, nonce, &orders(order, count), "orders");
        assert_eq!((code, is_complete, told), (0, true, count));
    }
    let (code, _, told) = put(&mut vault, NOW.wall_ms + 50, &orders(order, ORDERS_LEN_MAX + 1), "orders");
    assert_eq!((code, told), (Refusal::ListTooLong.code(), 0));
}
