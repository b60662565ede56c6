//! What a message can do to the desk's risk: the measure of modes.

use venues::solana::{self, ModifyOrderParams, OrderParams};
use venues::{Effect, Payload};

use crate::draft::{
    DEPOSIT, Draft, MODIFICATION, ORDER, cancel, modify, movement, place, place_orders, settle, unit_price,
};
use crate::lines::payload;

const REDUCE: OrderParams = OrderParams { reduce_only: true, bit_flags: 0, ..ORDER };

fn effect(draft: &Draft) -> Effect {
    solana::decode(&payload(&draft.encode(), &[])).unwrap().effect(&[0; 32])
}

fn of(instructions: Vec<(u8, Vec<u8>, Vec<u8>)>) -> Effect {
    effect(&Draft::new(instructions))
}

#[test]
fn cancels_are_cancels_with_a_priority_fee_and_without() {
    assert_eq!(of(vec![cancel()]), Effect::Cancels);
    assert_eq!(of(vec![unit_price(1), cancel()]), Effect::Cancels);
}

#[test]
fn an_order_reduces_when_all_of_them_are_reduce_only_and_ask_for_nothing_else() {
    assert_eq!(of(vec![place(&REDUCE)]), Effect::Reduces);
    assert_eq!(of(vec![place_orders(&[REDUCE, REDUCE])]), Effect::Reduces);
    assert_eq!(of(vec![place(&OrderParams { reduce_only: false, ..ORDER })]), Effect::Opens);
    assert_eq!(of(vec![place_orders(&[REDUCE, OrderParams { reduce_only: false, ..ORDER }])]), Effect::Opens);
    // Immediate or cancel is no more than the order; another leverage of the account is.
    for (bit_flags, expected) in [(1, Effect::Reduces), (2, Effect::Opens), (3, Effect::Opens)] {
        assert_eq!(of(vec![place(&OrderParams { bit_flags, ..REDUCE })]), expected, "{bit_flags}");
        let params =
            ModifyOrderParams { reduce_only: Some(true), bit_flags: Some(bit_flags), ..MODIFICATION };
        assert_eq!(of(vec![modify(&params)]), expected, "{bit_flags}");
    }
}

#[test]
fn the_worst_instruction_of_a_message_counts() {
    assert_eq!(of(vec![cancel(), place(&REDUCE)]), Effect::Reduces);
    assert_eq!(of(vec![cancel(), settle(3)]), Effect::Opens);
    assert_eq!(of(vec![unit_price(1)]), Effect::Opens, "nothing of the venue's is no cancel");
}

#[test]
fn a_modification_reduces_only_when_it_says_so_and_a_deposit_is_none() {
    let reduce_only = ModifyOrderParams { reduce_only: Some(true), bit_flags: None, ..MODIFICATION };
    assert_eq!(of(vec![modify(&reduce_only)]), Effect::Reduces);
    for keeps in [None, Some(false)] {
        let params = ModifyOrderParams { reduce_only: keeps, bit_flags: None, ..MODIFICATION };
        assert_eq!(of(vec![modify(&params)]), Effect::Opens);
    }
    let deposit = solana::Movement { market_index: 0, amount: 1, reduce_only: true };
    assert_eq!(effect(&movement(DEPOSIT, deposit)), Effect::Opens);
}
