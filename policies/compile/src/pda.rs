//! Program-derived addresses (PDAs) of Solana, and the accounts that Drift v2 derives with them.
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
use venues::solana::DRIFT_V2;
use venues::solana::rules::MarketKind;

/// Most seeds of one address, the bump included (the runtime's MAX_SEEDS).
const SEEDS_MAX: usize = 16;

/// Longest seed in bytes (the runtime's MAX_SEED_LEN).
const SEED_SIZE_MAX: usize = 32;

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

/// Drift's state account: seed "drift_state".
#[must_use]
pub fn drift_state() -> Option<AccountKey> {
    drift(&[b"drift_state"])
}

/// The user account of `authority` and sub-account: seeds "user", authority, number (u16 LE).
#[must_use]
pub fn drift_user(authority: &AccountKey, sub_account: u16) -> Option<AccountKey> {
    drift(&[b"user", authority, &sub_account.to_le_bytes()])
}

/// The statistics account of `authority`: seeds "user_stats", authority.
#[must_use]
pub fn drift_user_stats(authority: &AccountKey) -> Option<AccountKey> {
    drift(&[b"user_stats", authority])
}

/// The market account: seeds "perp_market" or "spot_market", index (u16 LE).
#[must_use]
pub fn drift_market(kind: MarketKind, index: u16) -> Option<AccountKey> {
    let seed: &[u8] = match kind {
        MarketKind::Spot => b"spot_market",
        MarketKind::Perp => b"perp_market",
    };
    drift(&[seed, &index.to_le_bytes()])
}

fn drift(seeds: &[&[u8]]) -> Option<AccountKey> {
    find_program_address(seeds, &DRIFT_V2).map(|(address, _)| address)
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

    #[test]
    fn the_program_id_is_the_published_one() {
        assert_eq!(DRIFT_V2, key("dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH"));
    }

    #[test]
    fn the_state_account_is_the_one_that_the_sdks_pass() {
        assert_eq!(drift_state(), Some(key("5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN")));
    }

    /// Every account at the state, user, user-statistics and market positions of the vector lines.
    #[test]
    fn the_accounts_of_every_vector_line_are_derived() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../venues/vectors/solana_drift.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let (mut users, mut stats, mut markets) = (0, 0, 0);
        for line in text.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let Some(instructions) = line["facts"]["instructions"].as_array() else {
                continue;
            };
            for instruction in instructions.iter().filter(|instruction| instruction["program"] == "drift") {
                let accounts: Vec<_> = instruction["accounts"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|account| key(account["pubkey"].as_str().unwrap()))
                    .collect();
                assert_eq!(Some(accounts[0]), drift_state());
                let with_stats = instruction["name"] == "placeAndTakePerpOrder";
                let authority = accounts[if with_stats { 3 } else { 2 }];
                if ["deposit", "withdraw"].contains(&instruction["name"].as_str().unwrap()) {
                    continue;
                }
                assert!((0..64).any(|number| drift_user(&authority, number) == Some(accounts[1])));
                users += 1;
                if with_stats {
                    assert_eq!(drift_user_stats(&authority), Some(accounts[2]));
                    stats += 1;
                }
                let params = &instruction["args"]["params"];
                if let Some(index) = params["marketIndex"].as_u64() {
                    let kind =
                        if params["marketType"] == "Perp" { MarketKind::Perp } else { MarketKind::Spot };
                    let market = drift_market(kind, u16::try_from(index).unwrap()).unwrap();
                    assert!(accounts.contains(&market));
                    markets += 1;
                }
            }
        }
        assert!(users > 100 && stats > 5 && markets > 50, "{users} {stats} {markets}");
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
