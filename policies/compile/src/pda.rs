//! Program-derived addresses (PDAs) of Solana, and the accounts that Drift v2 and Velocity derive with
//! them.
//!
//! A PDA is the first SHA-256 of `seeds ‖ bump ‖ program ‖ "ProgramDerivedAddress"`, bump counted down from
//! 255, that is not a point of Curve25519: no private key can exist for it, so only the program can sign for
//! it (solana.com/docs/core/pda). The book pins these accounts when it is compiled; the vault compares keys
//! and derives nothing.
//!
//! Refuses: more seeds or longer seeds than the runtime takes.

use curve25519_dalek::edwards::CompressedEdwardsY;
use sha2::{Digest as _, Sha256};
use venues::AccountKey;
use venues::solana::rules::{MarketKind, Program};
use venues::solana::{DRIFT_V2, TOKEN_PROGRAM, VELOCITY_V1};

/// Most seeds of one address, the bump included (the runtime's MAX_SEEDS).
const SEEDS_MAX: usize = 16;

/// Longest seed in bytes (the runtime's MAX_SEED_LEN).
const SEED_SIZE_MAX: usize = 32;

/// The associated token account program, ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL.
const ASSOCIATED_TOKEN_PROGRAM: AccountKey = [
    140, 151, 37, 143, 78, 36, 137, 241, 187, 61, 16, 41, 20, 142, 13, 131, 11, 90, 19, 153, 218, 255, 16,
    132, 4, 142, 123, 216, 219, 233, 248, 89,
];

const MARKER: &[u8] = b"ProgramDerivedAddress";

/// The address and bump that `program` derives from `seeds`.
///
/// `None` when there are more than 15 seeds, when one is longer than 32 bytes, or when no bump leads off the
/// curve (for a given program and seeds about one in 2^255).
#[must_use]
pub fn find_program_address(seeds: &[&[u8]], program: &AccountKey) -> Option<(AccountKey, u8)> {
    if seeds.len() >= SEEDS_MAX || seeds.iter().any(|seed| seed.len() > SEED_SIZE_MAX) {
        return None;
    }
    let mut prefix = Sha256::new();
    for seed in seeds {
        prefix.update(seed);
    }
    (0..=u8::MAX).rev().find_map(|bump| {
        let mut hash = prefix.clone();
        hash.update([bump]);
        hash.update(program);
        hash.update(MARKER);
        let address: AccountKey = hash.finalize().into();
        (!is_on_curve(&address)).then_some((address, bump))
    })
}

/// The program's id.
#[must_use]
pub const fn program_id(program: Program) -> &'static AccountKey {
    match program {
        Program::DriftV2 => &DRIFT_V2,
        Program::VelocityV1 => &VELOCITY_V1,
    }
}

/// The state account: seed "drift_state" or "velocity_state".
#[must_use]
pub fn state(program: Program) -> Option<AccountKey> {
    let seed: &[u8] = match program {
        Program::DriftV2 => b"drift_state",
        Program::VelocityV1 => b"velocity_state",
    };
    derive(program, &[seed])
}

/// The account that signs for the program's vaults: seed "drift_signer" or "velocity_signer".
#[must_use]
pub fn signer(program: Program) -> Option<AccountKey> {
    let seed: &[u8] = match program {
        Program::DriftV2 => b"drift_signer",
        Program::VelocityV1 => b"velocity_signer",
    };
    derive(program, &[seed])
}

/// The user account of `authority` and sub-account: seeds "user", authority, number (u16 LE).
#[must_use]
pub fn user(program: Program, authority: &AccountKey, sub_account: u16) -> Option<AccountKey> {
    derive(program, &[b"user", authority, &sub_account.to_le_bytes()])
}

/// The statistics account of `authority`: seeds "user_stats", authority.
#[must_use]
pub fn user_stats(program: Program, authority: &AccountKey) -> Option<AccountKey> {
    derive(program, &[b"user_stats", authority])
}

/// The market account: seeds "perp_market" or "spot_market", index (u16 LE).
#[must_use]
pub fn market(program: Program, kind: MarketKind, index: u16) -> Option<AccountKey> {
    let seed: &[u8] = match kind {
        MarketKind::Spot => b"spot_market",
        MarketKind::Perp => b"perp_market",
    };
    derive(program, &[seed, &index.to_le_bytes()])
}

/// The vault of a spot market: seeds "spot_market_vault", index (u16 LE).
#[must_use]
pub fn spot_market_vault(program: Program, index: u16) -> Option<AccountKey> {
    derive(program, &[b"spot_market_vault", &index.to_le_bytes()])
}

/// The associated token account of `owner` for the SPL tokens of `mint`: seeds owner, token program, mint, of the
/// associated token account program.
#[must_use]
pub fn associated_token_account(owner: &AccountKey, mint: &AccountKey) -> Option<AccountKey> {
    let seeds: [&[u8]; 3] = [owner, &TOKEN_PROGRAM, mint];
    find_program_address(&seeds, &ASSOCIATED_TOKEN_PROGRAM).map(|(address, _)| address)
}

fn derive(program: Program, seeds: &[&[u8]]) -> Option<AccountKey> {
    find_program_address(seeds, program_id(program)).map(|(address, _)| address)
}

fn is_on_curve(address: &AccountKey) -> bool {
    CompressedEdwardsY(*address).decompress().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALPHABET: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

    fn key(text: &str) -> AccountKey {
        let mut bytes = [0; 32];
        for digit in text.bytes() {
            let mut carry = ALPHABET.iter().position(|letter| *letter == digit).unwrap();
            for byte in bytes.iter_mut().rev() {
                carry += usize::from(*byte) * 58;
                *byte = u8::try_from(carry & 0xff).unwrap();
                carry >>= 8;
            }
            assert_eq!(carry, 0);
        }
        bytes
    }

    const DRIFT: Program = Program::DriftV2;

    #[test]
    fn the_program_ids_are_the_published_ones() {
        assert_eq!(DRIFT_V2, key("dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH"));
        assert_eq!(VELOCITY_V1, key("vELoC1audYbSYVRXn1vPaV8Axoa9oU6BYmNGZZBDZ1P"));
        assert_eq!(TOKEN_PROGRAM, key("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"));
        assert_eq!(ASSOCIATED_TOKEN_PROGRAM, key("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"));
    }

    #[test]
    fn the_state_account_is_the_one_that_the_sdks_pass() {
        assert_eq!(state(DRIFT), Some(key("5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN")));
    }

    /// What a line's instructions of its program pass, by their place in the layout.
    fn instructions(file: &str) -> Vec<(String, serde_json::Value, Vec<AccountKey>)> {
        let path = format!("{}/../../venues/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let all: Vec<_> = lines
            .flat_map(|line| line["facts"]["instructions"].as_array().cloned().unwrap_or_default())
            .collect();
        let venue = all
            .iter()
            .filter(|instruction| instruction["program"] == "drift" || instruction["program"] == "velocity");
        venue
            .map(|instruction| {
                let accounts = instruction["accounts"].as_array().unwrap().iter();
                let keys = accounts.map(|account| key(account["pubkey"].as_str().unwrap())).collect();
                (instruction["name"].as_str().unwrap().to_owned(), instruction["args"].clone(), keys)
            })
            .collect()
    }

    /// Every account at the state, user, statistics, market, vault and signer positions of the vector lines.
    fn check_accounts(file: &str, program: Program) -> [usize; 4] {
        let (mut users, mut stats, mut markets, mut vaults) = (0, 0, 0, 0);
        for (name, args, accounts) in instructions(file) {
            assert_eq!(Some(accounts[0]), state(program));
            let moves = name == "deposit" || name == "withdraw";
            let with_stats = moves || name == "placeAndTakePerpOrder";
            let authority = accounts[if with_stats { 3 } else { 2 }];
            assert!((0..64).any(|number| user(program, &authority, number) == Some(accounts[1])));
            users += 1;
            if with_stats {
                assert_eq!(user_stats(program, &authority), Some(accounts[2]));
                stats += 1;
            }
            if moves {
                let index = u16::try_from(args["marketIndex"].as_u64().unwrap()).unwrap();
                assert_eq!(spot_market_vault(program, index), Some(accounts[4]));
                assert!(accounts.contains(&market(program, MarketKind::Spot, index).unwrap()));
                vaults += 1;
            }
            if name == "withdraw" {
                assert_eq!(signer(program), Some(accounts[5]));
            }
            let params = &args["params"];
            if let Some(index) = params["marketIndex"].as_u64() {
                let kind = if params["marketType"] == "Perp" { MarketKind::Perp } else { MarketKind::Spot };
                let market = market(program, kind, u16::try_from(index).unwrap()).unwrap();
                assert!(accounts.contains(&market));
                markets += 1;
            }
        }
        [users, stats, markets, vaults]
    }

    #[test]
    fn the_accounts_of_every_drift_line_are_derived() {
        let [users, stats, markets, vaults] = check_accounts("solana_drift.jsonl", DRIFT);
        assert!(
            users > 100 && stats > 5 && markets > 50 && vaults > 10,
            "{users} {stats} {markets} {vaults}"
        );
    }

    #[test]
    fn the_accounts_of_every_velocity_line_are_derived() {
        let [users, stats, markets, _] = check_accounts("solana_velocity.jsonl", Program::VelocityV1);
        assert!(users == 40 && stats > 5 && markets > 20, "{users} {stats} {markets}");
    }

    #[test]
    fn seeds_beyond_the_runtimes_limits_are_refused() {
        assert_eq!(find_program_address(&[&[0; 33][..]], &DRIFT_V2), None);
        assert_eq!(find_program_address(&[&[0; 1][..]; 16], &DRIFT_V2), None);
        assert!(find_program_address(&[&[0; 32][..]; 15], &DRIFT_V2).is_some());
    }

    #[test]
    fn a_public_key_is_on_the_curve_and_a_derived_address_is_not() {
        assert!(is_on_curve(&key("6g81RHY6FUdmPzJEnHsRbPdhG2AFbLAodwLPg1BEVkh5")));
        assert!(!is_on_curve(&key("5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN")));
    }
}
