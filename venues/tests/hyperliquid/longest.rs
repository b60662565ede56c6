//! The longest list of each action: its facts fit the receipt, and one element more is refused by the decoder, before
//! a nonce is used up for it.

use venues::Payload as _;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{
    CANCELS_LEN_MAX, CLOID_CANCELS_LEN_MAX, Claims, Envelope, Form, MODIFIES_LEN_MAX, ORDERS_LEN_MAX,
};
use wire::facts::FactWriter;
use wire::request::PAYLOAD_SIZE_MAX;
use wire::{FACTS_SIZE_MAX, Refusal, Shown, Why};

use crate::grammar::Tree::{self, Array, Flag, Object, Text, Uint};
use crate::vectors::{payload, with_payload};

/// The longest texts that a price and a size can have.
const PRICE: &str = "3000000000000000000000000000000";
const SIZE: &str = "99999999999999999999999.12345678";

const ENVELOPE: Envelope = Envelope {
    network: Network::Testnet,
    nonce: u64::MAX,
    vault_address: Some([0xff; 20]),
    expires_after: Some(u64::MAX),
};

fn text(text: &str) -> Tree {
    Text(text.to_owned())
}

fn cloid() -> Tree {
    Text(format!("0x{}", "f".repeat(32)))
}

fn order() -> Tree {
    let trigger = Object(vec![("isMarket", Flag(true)), ("triggerPx", text(PRICE)), ("tpsl", text("tp"))]);
    Object(vec![
        ("a", Uint(u32::MAX.into())),
        ("b", Flag(false)),
        ("p", text(PRICE)),
        ("s", text(SIZE)),
        ("r", Flag(true)),
        ("t", Object(vec![("trigger", trigger)])),
        ("c", cloid()),
    ])
}

fn orders(len: usize) -> Tree {
    let builder = Object(vec![("b", Text(format!("0x{}", "f".repeat(40)))), ("f", Uint(100))]);
    Object(vec![
        ("type", text("order")),
        ("orders", Array(vec![order(); len])),
        ("grouping", text("positionTpsl")),
        ("builder", builder),
    ])
}

fn modifies(len: usize) -> Tree {
    let modify = Object(vec![("oid", cloid()), ("order", order())]);
    Object(vec![("type", text("batchModify")), ("modifies", Array(vec![modify; len]))])
}

fn cancels(len: usize) -> Tree {
    let cancel = Object(vec![("a", Uint(u32::MAX.into())), ("o", Uint(u64::MAX))]);
    Object(vec![("type", text("cancel")), ("cancels", Array(vec![cancel; len])), ("f", Flag(true))])
}

fn cancels_by_cloid(len: usize) -> Tree {
    let cancel = Object(vec![("asset", Uint(u32::MAX.into())), ("cloid", cloid())]);
    Object(vec![("type", text("cancelByCloid")), ("cancels", Array(vec![cancel; len])), ("f", Flag(true))])
}

/// How much of a receipt the facts take.
fn facts_size(action: &Tree) -> Result<usize, Why> {
    let payload = payload(&ENVELOPE, &Claims::default(), &action.msgpack());
    assert!(payload.len() <= PAYLOAD_SIZE_MAX, "it fits a request: {}", payload.len());
    with_payload(Form::L1Msgpack, &payload, |action| {
        let mut room = [0; FACTS_SIZE_MAX];
        let mut writer = FactWriter::new(&mut room);
        action?.facts(&mut writer);
        assert!(writer.is_complete());
        Ok(writer.used())
    })
}

#[test]
fn the_facts_of_the_longest_list_fit_and_a_longer_one_is_refused_by_the_decoder() {
    for (action, len_max) in [
        (orders as fn(usize) -> Tree, ORDERS_LEN_MAX),
        (modifies, MODIFIES_LEN_MAX),
        (cancels, CANCELS_LEN_MAX),
        (cancels_by_cloid, CLOID_CANCELS_LEN_MAX),
    ] {
        let size = facts_size(&action(len_max)).unwrap();
        // The bound is no shorter than the receipt asks for.
        assert!(size > FACTS_SIZE_MAX * 9 / 10, "{size}");
        assert_eq!(
            facts_size(&action(len_max + 1)),
            Err(Why::new(Refusal::ListTooLong)
                .observed(Shown::size(len_max + 1))
                .limit(Shown::size(len_max)))
        );
    }
}
