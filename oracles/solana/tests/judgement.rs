//! The vector lines judged by a book like the judge's, with accounts that Anza's crates derive.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod lines;

use std::collections::BTreeSet;

use client_sdk::build::solana::Key;
use compile::pda;
use proptest::prelude::*;
use serde_json::Value;
use solana_pubkey::Pubkey;
use venues::Payload;
use venues::solana::rules::{
    Limits, MarketKind, MarketLimits, ModifyLimits, Program, ProgramLimits, UserAccount,
};
use venues::solana::{DRIFT_V2, decode};
use wire::{Now, Why};

fn derive(seeds: &[&[u8]]) -> Key {
    Pubkey::find_program_address(seeds, &Pubkey::from(DRIFT_V2)).0.to_bytes()
}

fn market_account(kind: MarketKind, index: u16) -> Key {
    let seed: &[u8] = match kind {
        MarketKind::Spot => b"spot_market",
        MarketKind::Perp => b"perp_market",
    };
    derive(&[seed, &index.to_le_bytes()])
}

proptest! {
    #[test]
    fn derived_addresses_are_those_of_the_crates(
        seeds in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..=32), 0..=15),
        program in any::<[u8; 32]>(),
    ) {
        let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
        let ours = pda::find_program_address(&seeds, &program);
        let theirs = Pubkey::try_find_program_address(&seeds, &Pubkey::from(program));
        prop_assert_eq!(ours, theirs.map(|(key, bump)| (key.to_bytes(), bump)));
    }

    #[test]
    fn drift_accounts_are_those_of_the_crates(authority in any::<[u8; 32]>(), number in any::<u16>()) {
        let number_le = number.to_le_bytes();
        prop_assert_eq!(pda::drift_state(), Some(derive(&[b"drift_state"])));
        prop_assert_eq!(pda::drift_user(&authority, number), Some(derive(&[b"user", &authority, &number_le])));
        prop_assert_eq!(pda::drift_user_stats(&authority), Some(derive(&[b"user_stats", &authority])));
        for kind in [MarketKind::Perp, MarketKind::Spot] {
            prop_assert_eq!(pda::drift_market(kind, number), Some(market_account(kind, number)));
        }
    }
}

/// Every market index that stands beside a market type, or alone for both kinds: what the judge puts in its book.
fn markets(value: &Value, found: &mut BTreeSet<(u8, u16)>) {
    if let Some(index) = value.get("marketIndex").and_then(Value::as_u64) {
        let index = u16::try_from(index).unwrap();
        let kinds = match value.get("marketType").and_then(Value::as_str) {
            Some("Spot") => vec![0],
            Some(_) => vec![1],
            None => vec![0, 1],
        };
        found.extend(kinds.into_iter().map(|kind| (kind, index)));
    }
    match value {
        Value::Object(members) => members.values().for_each(|member| markets(member, found)),
        Value::Array(elements) => elements.iter().for_each(|element| markets(element, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Judges `line` with the book that the judge would build for `author`: the line itself or its unbroken base.
fn judged(line: &Value, author: &Value) -> Result<(), Why> {
    let payload = lines::payload(line);
    let transaction = decode(&payload)?;
    let account = lines::base58(&author["pubkey"]);
    let sub_account = u16::try_from(author["facts"]["subAccountId"].as_u64().unwrap_or(0)).unwrap();
    let users = [UserAccount {
        authority: account,
        sub_account,
        user: derive(&[b"user", &account, &sub_account.to_le_bytes()]),
        user_stats: derive(&[b"user_stats", &account]),
    }];
    let mut found = BTreeSet::new();
    markets(&author["facts"], &mut found);
    let markets: Vec<_> = found
        .into_iter()
        .map(|(kind, index)| {
            let kind = if kind == 0 { MarketKind::Spot } else { MarketKind::Perp };
            MarketLimits {
                kind,
                index,
                account: market_account(kind, index),
                base_max: 1 << 62,
                price_min: 1,
                price_max: u64::MAX,
                unpriced: true,
            }
        })
        .collect();
    let program = ProgramLimits {
        program: Program::DriftV2,
        state: derive(&[b"drift_state"]),
        users: &users,
        markets: &markets,
        orders: true,
        modify: Some(ModifyLimits { base_max: 1 << 62, price_min: 1, price_max: u64::MAX, unpriced: true }),
        cancel: true,
        settle_pnl: true,
        order_bits: 1,
    };
    let limits = Limits {
        programs: &[program],
        priority_fee_max: 100_000_000_000_000,
        placements_max: 1,
        orders_max: 64,
    };
    let now = Now { monotonic_ms: 0, wall_ms: 0 };
    transaction.judge(&limits, &account, now).map(|_| ())
}

#[test]
fn every_supported_line_passes_a_book_like_the_judges() {
    let lines = lines::messages("solana_drift.jsonl");
    let mut signed = 0;
    for line in &lines {
        match judged(line, line) {
            Ok(()) => signed += 1,
            Err(why) => {
                assert_eq!(why.refusal.family(), wire::Family::Unsupported, "{}: {why:?}", line["id"])
            }
        }
    }
    // The judge's floor is 60 of 100, swift texts counted in.
    assert!(signed * 100 > lines.len() * 70, "{signed} of {}", lines.len());
}

#[test]
fn no_negative_line_passes_and_most_of_their_bases_do() {
    let bases = lines::messages("solana_drift.jsonl");
    let (mut lines_seen, mut unsigned) = (0, 0);
    for line in lines::messages("negative_solana_drift.jsonl") {
        let base = bases.iter().find(|base| base["id"] == line["base_id"]).unwrap();
        let refused = judged(&line, base).unwrap_err();
        let undecodable = line["layer"] == "wire";
        assert!(
            !undecodable || refused.refusal.family() == wire::Family::Malformed,
            "{}: {refused:?}",
            line["id"]
        );
        lines_seen += 1;
        unsigned += usize::from(judged(base, base).is_err());
    }
    assert!(unsigned * 5 < lines_seen, "{unsigned} of {lines_seen}");
}
