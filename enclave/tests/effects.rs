//! What a payload does, as modes and budgets see it: EVM and UniswapX through the vault.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod desk;

use book::{Book, Bucket, Counts, Orders, Per};
use desk::{BOOTED, Desk, EVM, HYPERLIQUID, OwnedReply};
use venues::book_value::AnyOr;
use venues::{Address, NATIVE, TokenValue};
use wire::control::{Command, Mode};
use wire::request::PayloadKind;
use wire::{Refusal, Scope, Shown, Venue};

const USDC: Address = [
    0xa0, 0xb8, 0x69, 0x91, 0xc6, 0x21, 0x8b, 0x36, 0xc1, 0xd1, 0x9d, 0x4a, 0x2e, 0x9e, 0xb0, 0xce, 0x36,
    0x06, 0xeb, 0x48,
];

const fn value(name: &'static str, token: Address, decimals: u8, usd_max: u64) -> TokenValue<'static> {
    TokenValue { name, chain_id: 1, token, decimals, usd_max }
}

const VALUES: &[TokenValue<'static>] =
    &[value("ether", NATIVE, 18, 4_000_000_000), value("usdc", USDC, 6, 1_010_000)];

/// Holds 3,000 USD at most, and that within an hour.
const NOTIONAL: Bucket<'static> = Bucket {
    name: "notional",
    counts: Counts::Notional,
    per: Per::Market,
    orders: Orders::Taking,
    venues: AnyOr::Any,
    keys: AnyOr::Any,
    clients: AnyOr::Any,
    capacity: 3_000_000_000,
    refill: 3_000_000_000,
    refill_ms: 3_600_000,
};

const ORDERS: Bucket<'static> =
    Bucket { name: "orders", counts: Counts::Orders, per: Per::Desk, capacity: 10, refill: 10, ..NOTIONAL };

fn desk(values: &'static [TokenValue<'static>]) -> Desk {
    let book = Book { values, buckets: &[NOTIONAL, ORDERS], ..policies::BOOK };
    Desk::with_book(Box::leak(Box::new(book)), BOOTED)
}

/// The committed request that is described so.
fn sign(desk: &mut Desk, what: &str) -> OwnedReply {
    let examples = desk::examples();
    let example = examples.iter().find(|example| example.what == what).expect("a committed request");
    desk.sign(example.slot, example.kind, &example.payload)
}

fn evm(desk: &mut Desk, payload: &[u8]) -> OwnedReply {
    desk.sign(EVM, PayloadKind::EvmEip1559, payload)
}

const SWAP: &str = "swap 1,000 USDC for at least 0.31 WETH";
const ORDER: &str = "V2 order: 1,000 USDC for at least 0.31 WETH";

#[track_caller]
fn assert_charged(reply: &OwnedReply, notional_micro_usd: &str, orders: &str) {
    assert_eq!(reply.code, 0, "{:?}", Refusal::from_code(reply.code));
    let facts = reply.facts();
    let told = ["charged_notional", "charged_orders"].map(|name| facts[name].as_str().unwrap());
    assert_eq!(told, [notional_micro_usd, orders]);
}

#[test]
fn only_what_takes_back_is_signed_in_cancel_only_mode() {
    for scope in [Scope::Everything, Scope::Venue(Venue::Evm)] {
        let mut desk = Desk::new();
        assert_eq!(evm(&mut desk, &desk::evm_transfer()).code, 0);
        desk.command(Command::Tighten { scope, mode: Mode::CancelOnly });
        assert_eq!(evm(&mut desk, &desk::evm_transfer()).code, 4003);
        assert_eq!(sign(&mut desk, SWAP).refusal(), Refusal::CancelOnlyMode);
        let cancel = evm(&mut desk, &desk::evm_cancel());
        assert_eq!((cancel.code, cancel.signature.len()), (0, 65));
        assert_eq!(cancel.facts()["nonce_use"], "cancel");
        let revocation = desk::evm_approve(0);
        assert_eq!(evm(&mut desk, &revocation).code, 0);
        assert_eq!(evm(&mut desk, &desk::evm_approve(1)).refusal(), Refusal::CancelOnlyMode);
    }
}

#[test]
fn a_cancel_of_another_key_is_none() {
    // The same bytes and grants, by the key that trades on Hyperliquid.
    let mut slots = policies::BOOK.slots.to_vec();
    slots[1].grants.evm = slots[0].grants.evm;
    let mut desk =
        Desk::with_book(Box::leak(Box::new(Book { slots: slots.leak(), ..policies::BOOK })), BOOTED);
    desk.command(Command::Tighten { scope: Scope::Everything, mode: Mode::CancelOnly });
    let cancel = desk::evm_cancel();
    assert_eq!(desk.sign(HYPERLIQUID, PayloadKind::EvmEip1559, &cancel).refusal(), Refusal::CancelOnlyMode);
    assert_eq!(evm(&mut desk, &cancel).code, 0);
}

#[test]
fn an_order_of_uniswapx_is_no_cancel() {
    let mut desk = Desk::new();
    assert_eq!(sign(&mut desk, ORDER).code, 0);
    for mode in [Mode::ReduceOnly, Mode::CancelOnly] {
        desk.command(Command::Tighten { scope: Scope::Venue(Venue::Uniswapx), mode });
        let refusal =
            if mode == Mode::ReduceOnly { Refusal::ReduceOnlyMode } else { Refusal::CancelOnlyMode };
        assert_eq!(sign(&mut desk, ORDER).refusal(), refusal);
    }
}

#[test]
fn a_swap_is_charged_with_what_it_sells_and_its_gas() {
    // 1,000 USDC at 1.01 USD, and 180,000 gas at 30 gwei of ether at 4,000 USD: 1,010 + 21.6.
    assert_charged(&sign(&mut desk(VALUES), SWAP), "1031600000", "1");
}

#[test]
fn an_order_of_uniswapx_is_charged_with_its_input_at_most() {
    let mut desk = desk(VALUES);
    assert_charged(&sign(&mut desk, ORDER), "1010000000", "1");
    // On a market of its own venue: the swap's is not touched.
    assert_charged(&sign(&mut desk, SWAP), "1031600000", "1");
    assert_charged(&evm(&mut desk, &desk::evm_transfer_of(1_000_000_000)), "1022000000", "1");
}

#[test]
fn what_replaces_a_transaction_is_charged_with_what_it_adds_and_a_cancel_with_nothing() {
    let mut desk = desk(VALUES);
    // 100,000 gas at 30 gwei: 12 USD.
    assert_charged(&evm(&mut desk, &desk::evm_transfer_of(1_000_000_000)), "1022000000", "1");
    assert_charged(&evm(&mut desk, &desk::evm_transfer_of(1_500_000_000)), "505000000", "1");
    assert_charged(&evm(&mut desk, &desk::evm_transfer_of(1_200_000_000)), "0", "1");
    assert_charged(&evm(&mut desk, &desk::evm_cancel()), "0", "0");
    assert_charged(&evm(&mut desk, &desk::evm_transfer_of(1_500_000_001)), "2", "1");
    let reply = evm(&mut desk, &desk::evm_transfer_of(3_000_000_000));
    assert_eq!(reply.refusal(), Refusal::NotionalBudgetSpent);
    let receipt = reply.receipt();
    let usd = |units| Shown::Decimal { units, scale: 6 };
    // 3,042 in all; 1,527.000002 were charged before, and as much is missing in the budget.
    assert_eq!((receipt.observed, receipt.limit), (usd(1_514_999_998), usd(1_472_999_998)));
}

#[test]
fn without_a_value_for_token_or_gas_a_budget_refuses_and_a_cancel_goes_through() {
    for known in [&VALUES[..1], &VALUES[1..]] {
        let mut desk = desk(known);
        assert_eq!(sign(&mut desk, SWAP).refusal(), Refusal::TokenHasNoValue);
        assert_eq!(evm(&mut desk, &desk::evm_cancel()).code, 0);
    }
    assert_eq!(sign(&mut desk(&VALUES[..1]), ORDER).refusal(), Refusal::TokenHasNoValue);
    assert_charged(&sign(&mut desk(&VALUES[1..]), ORDER), "1010000000", "1");
}
