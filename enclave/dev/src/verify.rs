//! A check of finished signatures against the key that a book pins, and refusal values as text.

use ed25519_dalek::VerifyingKey as Ed25519Public;
use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use venues::PublicKey;
use wire::Shown;

/// Whether `signature` is `key`'s: over a 32-byte digest for secp256k1 (recovered, so that the parity is checked
/// too), over the message for Ed25519.
#[must_use]
pub fn verify(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    match key {
        PublicKey::Secp256k1 { compressed, .. } => recover(message, signature).is_some_and(|found| found == *compressed),
        PublicKey::Ed25519 { key } => {
            let (Ok(key), Ok(signature)) = (Ed25519Public::from_bytes(key), signature.try_into()) else {
                return false;
            };
            key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
        }
    }
}

fn recover(digest: &[u8], signature: &[u8]) -> Option<[u8; 33]> {
    let (parity, rs) = signature.split_last()?;
    let signature = Signature::from_slice(rs).ok()?;
    let key = VerifyingKey::recover_from_prehash(digest, &signature, RecoveryId::from_byte(*parity)?).ok()?;
    key.to_sec1_point(true).as_bytes().try_into().ok()
}

/// "saw 3, limit 0.5"; `None` when there is nothing to show.
#[must_use]
pub fn values(observed: &Shown, limit: &Shown) -> Option<String> {
    match (shown(observed), shown(limit)) {
        (Some(observed), Some(limit)) => Some(format!("saw {observed}, limit {limit}")),
        (Some(observed), None) => Some(format!("saw {observed}")),
        (None, Some(limit)) => Some(format!("limit {limit}")),
        (None, None) => None,
    }
}

fn shown(value: &Shown) -> Option<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match value {
        Shown::Nothing => None,
        Shown::Uint(value) => Some(value.to_string()),
        Shown::Uint256(value) => Some(venues::U256::from_be_bytes(*value).to_string()),
        Shown::Int(value) => Some(value.to_string()),
        Shown::Address(address) => Some(format!("0x{}", hex(address))),
        Shown::Key(key) => Some(bs58::encode(key).into_string()),
        Shown::Decimal { units, scale } => Some(decimal(*units, (*scale).into())),
    }
}

fn decimal(units: u128, scale: usize) -> String {
    let digits = format!("{units:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}
