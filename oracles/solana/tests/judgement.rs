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
    CollateralLimits, Limits, MarketKind, MarketLimits, ModifyLimits, Program, ProgramLimits, UserAccount,
    WithdrawLimits,
};
use venues::solana::{DRIFT_V2, TOKEN_PROGRAM, VELOCITY_V1, decode};
use wire::{Now, Refusal, Why};

fn derive(program: Program, seeds: &[&[u8]]) -> Key {
    let id = match program {
        Program::DriftV2 => DRIFT_V2,
        Program::VelocityV1 => VELOCITY_V1,
    };
    Pubkey::find_program_address(seeds, &Pubkey::from(id)).0.to_bytes()
}

fn state(program: Program) -> Key {
    match program {
        Program::DriftV2 => derive(program, &[b"drift_state"]),
        Program::VelocityV1 => derive(program, &[b"velocity_state"]),
    }
}

fn signer(program: Program) -> Key {
    match program {
        Program::DriftV2 => derive(program, &[b"drift_signer"]),
        Program::VelocityV1 => derive(program, &[b"velocity_signer"]),
    }
}

fn market_account(program: Program, kind: MarketKind, index: u16) -> Key {
    let seed: &[u8] = match kind {
        MarketKind::Spot => b"spot_market",
        MarketKind::Perp => b"perp_market",
    };
    derive(program, &[seed, &index.to_le_bytes()])
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
    fn the_programs_accounts_are_those_of_the_crates(
        authority in any::<[u8; 32]>(), mint in any::<[u8; 32]>(), number in any::<u16>(),
    ) {
        let number_le = number.to_le_bytes();
        for program in [Program::DriftV2, Program::VelocityV1] {
            prop_assert_eq!(pda::state(program), Some(state(program)));
            prop_assert_eq!(pda::signer(program), Some(signer(program)));
            let user = derive(program, &[b"user", &authority, &number_le]);
            prop_assert_eq!(pda::user(program, &authority, number), Some(user));
            let stats = derive(program, &[b"user_stats", &authority]);
            prop_assert_eq!(pda::user_stats(program, &authority), Some(stats));
            let vault = derive(program, &[b"spot_market_vault", &number_le]);
            prop_assert_eq!(pda::spot_market_vault(program, number), Some(vault));
            for kind in [MarketKind::Perp, MarketKind::Spot] {
                let market = market_account(program, kind, number);
                prop_assert_eq!(pda::market(program, kind, number), Some(market));
            }
        }
        let associated: Pubkey = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL".parse().unwrap();
        let own = Pubkey::find_program_address(&[&authority, &TOKEN_PROGRAM, &mint], &associated).0.to_bytes();
        prop_assert_eq!(pda::associated_token_account(&authority, &mint), Some(own));
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

/// The account keys that a line's facts name: what the judge lets money go to.
fn named_keys(value: &Value, found: &mut Vec<Key>) {
    match value {
        Value::Object(members) => members.values().for_each(|member| named_keys(member, found)),
        Value::Array(elements) => elements.iter().for_each(|element| named_keys(element, found)),
        Value::String(text) => found.extend(client_sdk::build::solana::key(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Judges `line` with the book that the judge would build for `author`: the line itself or its unbroken base.
fn judged(line: &Value, author: &Value) -> Result<(), Why> {
    let payload = lines::payload(line);
    let transaction = decode(&payload)?;
    let account = lines::base58(&author["pubkey"]);
    let sub_account = u16::try_from(author["facts"]["subAccountId"].as_u64().unwrap_or(0)).unwrap();
    let (mut found, mut destinations) = (BTreeSet::new(), Vec::new());
    markets(&author["facts"], &mut found);
    named_keys(&author["facts"], &mut destinations);
    let granted = |program| {
        let users = vec![UserAccount {
            authority: account,
            sub_account,
            user: derive(program, &[b"user", &account, &sub_account.to_le_bytes()]),
            user_stats: derive(program, &[b"user_stats", &account]),
        }];
        let kinds = found
            .iter()
            .map(|(kind, index)| (if *kind == 0 { MarketKind::Spot } else { MarketKind::Perp }, *index));
        let markets: Vec<_> = kinds
            .map(|(kind, index)| MarketLimits {
                kind,
                index,
                account: market_account(program, kind, index),
                base_decimals: 9,
                base_max: 1 << 62,
                price_min: 1,
                price_max: u64::MAX,
                unpriced: true,
                oracle_offset_max: Some(1 << 62),
            })
            .collect();
        (program, users, markets)
    };
    let withdraw = WithdrawLimits { amount_max: 1 << 62, destinations: &destinations, borrow: true };
    let collateral: Vec<_> = found
        .iter()
        .filter(|(kind, _)| *kind == 0)
        .map(|(_, index)| CollateralLimits {
            market_index: *index,
            account: market_account(Program::DriftV2, MarketKind::Spot, *index),
            vault: derive(Program::DriftV2, &[b"spot_market_vault", &index.to_le_bytes()]),
            decimals: 9,
            usd_max: None,
            deposit_max: Some(1 << 62),
            withdraw: Some(withdraw),
        })
        .collect();
    let granted = [Program::DriftV2, Program::VelocityV1].map(granted);
    let programs = granted.each_ref().map(|(program, users, markets)| ProgramLimits {
        program: *program,
        state: state(*program),
        signer: signer(*program),
        users,
        markets,
        orders: true,
        modify: Some(ModifyLimits {
            base_max: 1 << 62,
            price_min: 1,
            price_max: u64::MAX,
            unpriced: true,
            partial: true,
        }),
        cancel: true,
        settle_pnl: true,
        order_bits: 1,
        builders: None,
        collateral: &collateral,
        swift: None,
    });
    let limits = Limits {
        programs: &programs,
        priority_fee_max: 100_000_000_000_000,
        placements_max: 1,
        orders_max: 64,
    };
    let now = Now { monotonic_ms: 0, wall_ms: 0 };
    transaction.judge(&limits, &account, now).map(|_| ())
}

#[test]
fn every_supported_line_passes_a_book_like_the_judges() {
    for (file, least_per_100) in [("solana_drift.jsonl", 80), ("solana_velocity.jsonl", 100)] {
        let lines = lines::messages(file);
        let mut signed = 0;
        for line in &lines {
            match judged(line, line) {
                Ok(()) => signed += 1,
                // A withdrawal to an account that only a table knows.
                Err(why) if why.refusal == Refusal::TokenAccountNotStatic => {}
                Err(why) => {
                    assert_eq!(why.refusal.family(), wire::Family::Unsupported, "{}: {why:?}", line["id"])
                }
            }
        }
        assert!(signed * 100 >= lines.len() * least_per_100, "{file}: {signed} of {}", lines.len());
    }
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
    assert!(unsigned * 10 < lines_seen, "{unsigned} of {lines_seen}");
}
