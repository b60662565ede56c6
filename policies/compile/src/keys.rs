//! Public keys: from the text of a book, and from the bytes of a key that was made elsewhere.

use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::{MontgomeryPoint, Scalar};
use k256::elliptic_curve::sec1::ToSec1Point;
use sha3::{Digest, Keccak256};
use venues::PublicKey;

use crate::fault::Rule;
use crate::field::{Field, Table};
use crate::scalars::{base58_bytes, hex};

/// The pinned form of a secp256k1 key in SEC 1 compressed form: the point is on the curve, and its address is the
/// last 20 bytes of Keccak-256 over the uncompressed form without its first byte (Yellow Paper, appendix F).
#[must_use]
pub fn secp256k1(compressed: &[u8; 33]) -> Option<PublicKey> {
    let key = k256::PublicKey::from_sec1_bytes(compressed).ok()?;
    let uncompressed = key.to_sec1_point(false);
    let hash: [u8; 32] = Keccak256::digest(uncompressed.as_bytes().get(1..)?).into();
    let (_, address) = hash.split_last_chunk::<20>()?;
    Some(PublicKey::Secp256k1 { compressed: *compressed, address: *address })
}

/// The pinned form of an Ed25519 key in RFC 8032 encoding: canonical, on the curve, and in the group of the base
/// point (not of small or mixed order), which every key that was made from a seed is.
#[must_use]
pub fn ed25519(key: &[u8; 32]) -> Option<PublicKey> {
    let point = CompressedEdwardsY(*key).decompress()?;
    let canonical = point.compress().as_bytes() == key;
    (canonical && !point.is_small_order() && point.is_torsion_free())
        .then_some(PublicKey::Ed25519 { key: *key })
}

/// `{ secp256k1 = "0x02…" }` or `{ ed25519 = "<base 58 or 0x…>" }`.
pub(crate) fn public_key(table: &mut Table<'_>) -> Option<PublicKey> {
    let secp256k1 = table.optional("secp256k1", read_secp256k1);
    let ed25519 = table.optional("ed25519", read_ed25519);
    match (secp256k1?, ed25519?) {
        (Some(key), None) | (None, Some(key)) => Some(key),
        _ => table.fault(Rule::BadKey, "public_key: exactly one of secp256k1 and ed25519"),
    }
}

/// `{ x25519 = "0x…" }`: the key of a session (RFC 7748), in its one canonical writing and not of small order.
pub(crate) fn session_key(table: &mut Table<'_>) -> Option<[u8; 32]> {
    table.required("x25519", |field| {
        let bytes = field.text()?.strip_prefix("0x").and_then(hex);
        match bytes.filter(x25519) {
            Some(key) => Some(key),
            None => field.fault(Rule::BadKey, "not an X25519 public key, as 0x and 64 hexadecimal digits"),
        }
    })
}

/// Whether the bytes are a u-coordinate below 2^255 - 19 that is of no small order.
#[must_use]
pub fn x25519(key: &[u8; 32]) -> bool {
    let torsion = MontgomeryPoint(*key) * Scalar::from(8_u8);
    is_below_modulus(key) && torsion != MontgomeryPoint([0; 32])
}

/// RFC 7748, section 5: values from 2^255 - 19 on are second writings of others.
fn is_below_modulus(key: &[u8; 32]) -> bool {
    let mut modulus = [0xff; 32];
    (modulus[0], modulus[31]) = (0xed, 0x7f);
    key.iter().rev().lt(modulus.iter().rev())
}

fn read_secp256k1(field: Field<'_>) -> Option<PublicKey> {
    let text = field.text()?;
    match text.strip_prefix("0x").and_then(hex).as_ref().and_then(secp256k1) {
        Some(key) => Some(key),
        None => field
            .fault(Rule::BadKey, "not a point of secp256k1 in compressed form, 0x and 66 hexadecimal digits"),
    }
}

fn read_ed25519(field: Field<'_>) -> Option<PublicKey> {
    let text = field.text()?;
    let bytes = text.strip_prefix("0x").map_or_else(|| base58_bytes(text), hex);
    match bytes.as_ref().and_then(ed25519) {
        Some(key) => Some(key),
        None => field
            .fault(Rule::BadKey, "not an Ed25519 public key, in base 58 or as 0x and 64 hexadecimal digits"),
    }
}
