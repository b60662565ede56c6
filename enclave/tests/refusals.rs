//! The refusals that the vault gives beside a venue's rules, each for an input that earns it. Together with what the
//! venues' own tests produce they are all there are (`tests/refusals.py`).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test that cannot go on fails"
)]

mod desk;

use book::{Book, Bucket, Counts, Orders, Per, Slot};
use desk::witness::Witness as _;
use desk::{BOOTED, Desk, EVM, HYPERLIQUID, NOW};
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use venues::U256;
use venues::book_value::AnyOr;
use venues::hyperliquid::rules::{AssetLimits, Limits as HyperliquidLimits, OrderLimits};
use wire::control::{self, Answer, Command};
use wire::operator::{Action, MESSAGE_SIZE_MAX, ORDER_TAG, ORDER_VERSION, Order};
use wire::request::PayloadKind;
use wire::{CONTROL_SIZE_MAX, Mode, Refusal, Scope};

/// A hundred orders a second.
const BUCKET: Bucket<'static> = Bucket {
    name: "budget",
    counts: Counts::Orders,
    per: Per::Desk,
    orders: Orders::All,
    venues: AnyOr::Any,
    keys: AnyOr::Any,
    clients: AnyOr::Any,
    capacity: 100,
    refill: 100,
    refill_ms: 1_000,
};

/// The refusal of a frame.
fn refused(desk: &mut Desk, body: &[u8]) -> Refusal {
    desk.handle(NOW, body).refusal()
}

/// The same request under another number: under its own the first answer would come again.
fn numbered(body: &[u8], request_id: u64) -> Vec<u8> {
    [&body[..8], &request_id.to_le_bytes(), &body[16..]].concat()
}

/// The refusal of a command, if there is one.
fn command<T>(desk: &mut Desk, command: Command<'_>, read: impl FnOnce(Answer<'_>) -> T) -> T {
    let mut body = [0; CONTROL_SIZE_MAX];
    let size = control::write_command(command, &mut body).unwrap();
    let reply = desk.control(&body[..size]).expect("an answer");
    read(control::read_answer(&reply).unwrap())
}

fn refused_command(desk: &mut Desk, given: Command<'_>) -> Option<Refusal> {
    command(desk, given, |answer| match answer {
        Answer::Refused { code, .. } => Refusal::from_code(code).witnessed(),
        Answer::Status(_) | Answer::Challenge(_) | Answer::Records(_) => None,
    })
}

/// What an order of the demo book's operator is refused for.
fn refused_order(desk: &mut Desk, counter: u64, action: Action) -> Option<Refusal> {
    let challenge = command(desk, Command::Challenge, |answer| match answer {
        Answer::Challenge(challenge) => challenge,
        other => panic!("{other:?}"),
    });
    let (boot_id, policy_hash) = command(desk, Command::Status, |answer| match answer {
        Answer::Status(status) => (status.boot_id, status.policy_hash),
        other => panic!("{other:?}"),
    });
    let key = SigningKey::from_bytes(&Sha256::digest(b"portcullis dev key: operator").into());
    let operator = key.verifying_key().to_bytes();
    let order = Order { version: ORDER_VERSION, policy_hash, boot_id, challenge, counter, operator, action };
    let mut message = [0; MESSAGE_SIZE_MAX];
    let size = order.write_message(&mut message).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the operator's side of the test")]
    let signature = key.sign(&message[..size]).to_bytes();
    refused_command(desk, Command::Order { order: &message[ORDER_TAG.len()..size], signature })
}

/// A desk with one budget, and Hyperliquid assets up to `assets` under the caps of the demo book's first.
fn desk_of(bucket: Bucket<'static>, assets: u32) -> Desk {
    let mut slots = policies::BOOK.slots.to_vec();
    let slot: &mut Slot<'_> = &mut slots[usize::from(HYPERLIQUID)];
    let limits = slot.grants.hyperliquid.unwrap();
    let order = limits.order.unwrap();
    let assets: Vec<AssetLimits> =
        (0..assets).map(|asset| AssetLimits { asset, ..order.assets[0] }).collect();
    let order = OrderLimits { assets: assets.leak(), orders_max: 70, ..order };
    slot.grants.hyperliquid = Some(HyperliquidLimits { order: Some(order), ..limits });
    let book = Book { slots: slots.leak(), buckets: vec![bucket].leak(), ..policies::BOOK };
    Desk::with_book(Box::leak(Box::new(book)), BOOTED)
}

/// An order of 600 USD on each of the assets, the nonce `at_ms` after the clock.
fn orders(assets: std::ops::Range<u32>, at_ms: u64) -> Vec<u8> {
    let order = |asset| json!({ "a": asset, "b": true, "p": "60000", "s": "0.01", "r": false, "t": { "limit": { "tif": "Ioc" } } });
    let orders: Vec<Value> = assets.map(order).collect();
    let action = json!({ "type": "order", "orders": orders, "grouping": "na" });
    let payload = desk::hyperliquid(NOW.wall_ms + at_ms, &action.to_string());
    desk::request(HYPERLIQUID, PayloadKind::HyperliquidL1Json, &payload)
}

#[test]
fn a_frame_that_is_no_request_is_refused_by_what_is_wrong_with_it() {
    let mut desk = Desk::new();
    let good = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer());
    let with = |at: usize, byte: u8| {
        let mut body = good.clone();
        body[at] = byte;
        body
    };
    for (body, refusal) in [
        (good[..15].to_vec(), Refusal::RequestTooShort),
        (vec![1; wire::REQUEST_SIZE_MAX + 1], Refusal::RequestTooLong),
        (with(0, 2), Refusal::VersionNotSupported),
        (with(1, 2), Refusal::KindNotARequest),
        (with(4, 99), Refusal::PayloadKindNotSupported),
        (with(7, 1), Refusal::FlagsNotKnown),
        (good[..16].to_vec(), Refusal::PayloadEmpty),
    ] {
        assert_eq!(refused(&mut desk, &body), refusal);
    }
    assert_eq!(refused(&mut desk, &good), Refusal::RequestIdConflict, "the number of the empty payload");
    assert_eq!(desk.handle(NOW, &numbered(&good, 7)).code, 0);
}

#[test]
fn the_text_of_an_address_or_of_bytes_is_held_to_its_form() {
    let mut desk = Desk::new();
    let example = desk::examples().into_iter().find(|example| example.what.starts_with("buy 100 shares"));
    let example = example.expect("an order of Polymarket");
    let good = String::from_utf8(example.payload).unwrap();
    let maker =
        serde_json::from_str::<Value>(&good).unwrap()["message"]["maker"].as_str().unwrap().to_owned();
    let zeros = format!("0x{}", "0".repeat(64));
    assert!(good.contains(&zeros), "metadata and builder");
    let mixed = format!("{}{}", &maker[..41], if maker.ends_with('b') { "B" } else { "b" });
    for (text, refusal) in [
        (good.replace(&maker, &maker[..41]), Refusal::AddressTextMalformed),
        (good.replace(&maker, &mixed.replace('a', "A")), Refusal::AddressChecksumDiffers),
        (good.replace(&zeros, &zeros[..65]), Refusal::BytesTextMalformed),
    ] {
        let body = desk::request(example.slot, example.kind, text.as_bytes());
        assert_eq!(refused(&mut desk, &body), refusal);
    }
    assert_eq!(desk.sign(example.slot, example.kind, good.as_bytes()).code, 0);
}

#[test]
fn a_budget_that_is_spent_refuses_by_what_it_counts() {
    let mut desk = desk_of(Bucket { capacity: 2, refill: 1, refill_ms: 1_000, ..BUCKET }, 4);
    assert_eq!(refused(&mut desk, &orders(0..3, 0)), Refusal::OrderBudgetSpent);
    assert_eq!(desk.handle(NOW, &orders(0..2, 0)).code, 0);
    let notional =
        Bucket { counts: Counts::Notional, capacity: 1_000_000_000, refill: 1_000_000_000, ..BUCKET };
    let mut desk = desk_of(notional, 4);
    assert_eq!(refused(&mut desk, &orders(0..2, 0)), Refusal::NotionalBudgetSpent);
    assert_eq!(desk.handle(NOW, &orders(0..1, 0)).code, 0);
}

#[test]
fn a_payload_on_more_markets_than_are_told_apart_is_refused() {
    let mut desk = desk_of(BUCKET, 20);
    assert_eq!(refused(&mut desk, &orders(0..17, 0)), Refusal::TooManyMarkets);
    assert_eq!(desk.handle(NOW, &orders(0..16, 0)).code, 0);
}

#[test]
fn a_budget_per_market_refuses_one_more_while_none_is_full() {
    // An hour after the boot every level is full, and what is taken comes back in days.
    let bucket = Bucket { per: Per::Market, capacity: 10, refill: 10, refill_ms: 3_600_000, ..BUCKET };
    let mut desk = desk_of(bucket, 300);
    for at in 0..16 {
        assert_eq!(desk.handle(NOW, &orders(at * 16..(at + 1) * 16, at.into())).code, 0);
    }
    assert_eq!(refused(&mut desk, &orders(256..257, 16)), Refusal::MarketTableFull);
    assert_eq!(desk.handle(NOW, &orders(0..1, 17)).code, 0, "one that is in the table");
}

#[test]
fn a_notional_budget_refuses_a_token_whose_worth_the_book_does_not_say() {
    let notional = Bucket { counts: Counts::Notional, capacity: u64::MAX / 2_000, ..BUCKET };
    let mut desk = desk_of(notional, 1);
    let body = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer());
    assert_eq!(refused(&mut desk, &body), Refusal::TokenHasNoValue);
}

#[test]
fn a_cancel_of_a_transaction_that_was_never_signed_is_refused_where_only_replacing_is_granted() {
    let mut slots = policies::BOOK.slots.to_vec();
    let limits = slots[usize::from(EVM)].grants.evm.unwrap();
    slots[usize::from(EVM)].grants.evm =
        Some(venues::evm::rules::Limits { native: &[], cancel: true, ..limits });
    let book = Book { slots: slots.leak(), ..policies::BOOK };
    let mut desk = Desk::with_book(Box::leak(Box::new(book)), BOOTED);
    let cancel = desk::request(EVM, PayloadKind::EvmEip1559, &desk::evm_cancel());
    assert_eq!(refused(&mut desk, &cancel), Refusal::CancelNonceNotSigned);
    assert_eq!(desk.sign(EVM, PayloadKind::EvmEip1559, &desk::evm_transfer()).code, 0);
    assert_eq!(desk.handle(NOW, &numbered(&cancel, 7)).code, 0);
}

#[test]
fn each_stricter_mode_refuses_an_order_in_its_own_name() {
    for (mode, refusal) in [
        (Mode::ReduceOnly, Refusal::ReduceOnlyMode),
        (Mode::CancelOnly, Refusal::CancelOnlyMode),
        (Mode::Halted, Refusal::Halted),
    ] {
        let mut desk = desk_of(BUCKET, 1);
        assert_eq!(refused_command(&mut desk, Command::Tighten { scope: Scope::Everything, mode }), None);
        assert_eq!(refused(&mut desk, &orders(0..1, 0)), refusal);
    }
}

#[test]
fn more_clients_than_the_table_holds_are_not_cut_off_in_silence() {
    let mut desk = Desk::new();
    let cut = |client: usize| Command::CutClient { client: [u8::try_from(client).unwrap(); 32] };
    for client in 0..enclave::latches::CLIENTS_MAX {
        assert_eq!(refused_command(&mut desk, cut(client)), None);
    }
    let refusal = refused_command(&mut desk, cut(enclave::latches::CLIENTS_MAX));
    assert_eq!(refusal, Some(Refusal::ClientTableFull));
}

#[test]
fn a_budget_is_opened_if_it_is_there_and_once() {
    let mut desk = desk_of(BUCKET, 1);
    let open = |bucket| Action::OpenBudget { bucket };
    assert_eq!(refused_order(&mut desk, 1, open(1)), Some(Refusal::BucketNotInBook));
    assert_eq!(refused_order(&mut desk, 2, open(0)), None);
    assert_eq!(refused_order(&mut desk, 3, open(0)), Some(Refusal::BudgetAlreadyOpened));
}

/// The longest order of UniswapX that its decoder takes is longer than a request may be. What the chain does with one
/// is seen without the vault around it.
#[test]
fn a_signature_whose_receipt_cannot_tell_all_does_not_leave() {
    use policies::{Asker, BucketUsage, KeyUsage, Usage, approve};
    use signing::{Asked, Chain};

    const UNISWAPX: u16 = 3;
    let slot = policies::BOOK.slots[usize::from(UNISWAPX)];
    let venues::PublicKey::Secp256k1 { address, .. } = slot.public_key else { panic!("a secp256k1 key") };
    let text = longest_order(address);
    let book = book_that_allows(&text);
    let keyring = desk::keyring(book);
    let keys = vec![KeyUsage::EMPTY; book.slots.len()];
    let mut usage = Usage::at_boot(keys, vec![BucketUsage::EMPTY; book.buckets.len()], BOOTED);
    let order = venues::uniswapx::decode(text.as_bytes()).unwrap();
    let asker = Asker { client: 0, party: 0, key_slot: UNISWAPX };
    let approved = approve(order, book, asker, &mut usage, NOW).map_err(|(_, why)| why).unwrap();
    let signed = keyring.sign(approved).map_err(|(_, refusal)| refusal).unwrap();
    let mut chain = Chain::at_boot([9; 16], book::policy_hash(book));
    let asked = Asked { now: NOW, client: [0; 32], request_id: 1, key_slot: UNISWAPX, payload_kind: 2 };
    let sealed = chain.seal(asked, signed);
    assert!(!sealed.is_signed());
    let mut reply = [0; wire::REPLY_SIZE_MAX];
    let size = sealed.write(true, &mut reply);
    let reply = wire::reply::Reply::read(&reply[..size]).unwrap();
    assert_eq!(Refusal::from_code(reply.code).witnessed(), Some(Refusal::FactsTooLong));
    assert!(reply.signature.is_empty() && reply.canonical.is_empty());
}

/// A V3 order of the vectors, for another swapper: sixteen outputs of sixteen points, each of them as long as it gets.
fn longest_order(swapper: [u8; 20]) -> String {
    let lines = include_str!("../../venues/vectors/uniswapx.jsonl").lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let line = lines.find(|line| line["kind"] == "V3DutchOrder" && line["shape"] == "ethers6").unwrap();
    let mut document: Value = serde_json::from_str(line["input"].as_str().unwrap()).unwrap();
    let digits: String = swapper.iter().map(|byte| format!("{byte:02x}")).collect();
    let deadline = (NOW.wall_ms / 1_000 + 600).to_string();
    // Blocks 1, 2, 3, ... in sixteen bits each, the first lowest.
    let blocks = (1..=16).rev().fold(U256::ZERO, |blocks, block| (blocks << 16) | U256::from(block));
    let longest: U256 = U256::MAX >> 1;
    let curve =
        json!({ "relativeBlocks": blocks.to_string(), "relativeAmounts": vec![longest.to_string(); 16] });
    let message = &mut document["message"];
    message["deadline"] = json!(deadline);
    let witness = &mut message["witness"];
    witness["info"]["deadline"] = json!(deadline);
    witness["info"]["swapper"] = json!(format!("0x{digits}"));
    witness["baseInput"]["curve"] = curve.clone();
    let mut output = witness["baseOutputs"][0].clone();
    output["recipient"] = json!(format!("0x{digits}"));
    output["curve"] = curve;
    witness["baseOutputs"] = json!(vec![output; 16]);
    document.to_string()
}

/// The demo book, its UniswapX key allowed what `order` says.
fn book_that_allows(order: &str) -> &'static Book<'static> {
    use venues::uniswapx::rules::{Limits, OrderType, ReactorLimits, SwapLimits};

    fn leaked<T: Copy>(one: T) -> &'static [T] {
        vec![one].leak()
    }
    let document: Value = serde_json::from_str(order).unwrap();
    let address = |pointer: &str| -> &'static [[u8; 20]] {
        let text = document.pointer(pointer).unwrap().as_str().unwrap();
        leaked(desk::hex(text.strip_prefix("0x").unwrap()).try_into().unwrap())
    };
    let chain_id = document["domain"]["chainId"].as_str().unwrap().strip_prefix("0x").unwrap().to_owned();
    let chains = leaked(u64::from_str_radix(&chain_id, 16).unwrap());
    let mut slots = policies::BOOK.slots.to_vec();
    let limits = slots[3].grants.uniswapx.unwrap();
    let reactor = ReactorLimits {
        order: OrderType::V3Dutch,
        chains,
        reactors: address("/message/spender"),
        cosigners: address("/message/witness/cosigner"),
        ..limits.reactors[0]
    };
    let swap = SwapLimits {
        chains,
        tokens_in: address("/message/witness/baseInput/token"),
        tokens_out: address("/message/witness/baseOutputs/0/token"),
        amount_in_max: U256::MAX,
        out_per_in_min: venues::uniswapx::rules::Ratio { numerator: U256::ZERO, denominator: U256::ONE },
        ..limits.swaps[0]
    };
    slots[3].grants.uniswapx =
        Some(Limits { chains, reactors: leaked(reactor), swaps: leaked(swap), ..limits });
    Box::leak(Box::new(Book { slots: slots.leak(), ..policies::BOOK }))
}
