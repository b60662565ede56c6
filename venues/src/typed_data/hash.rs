//! The hashes of EIP-712: `encodeData`, struct hashes and the digest.

use crate::{Address, Digest, U256};

/// A 32-byte word of `encodeData`.
pub(crate) type Word = [u8; 32];

/// The hash of a struct, of an array or of the domain: Keccak-256 over its words, the type hash first where the
/// struct has one.
pub(crate) fn struct_hash(words: &[Word]) -> Word {
    keccak(words.as_flattened())
}

/// Keccak-256.
pub(crate) fn keccak(bytes: &[u8]) -> Word {
    *Digest::keccak256(&[bytes]).as_bytes()
}

/// What is signed: keccak256(19 01 ‖ domain separator ‖ struct hash).
pub(crate) fn digest(domain_separator: &Word, message: &Word) -> Digest {
    let mut bytes = [0; 66];
    let [prefix, version, words @ ..] = &mut bytes;
    (*prefix, *version) = (0x19, 0x01);
    let (domain, content) = words.split_at_mut(32);
    domain.copy_from_slice(domain_separator);
    content.copy_from_slice(message);
    Digest::keccak256(&[&bytes])
}

/// An address, left-padded.
pub(crate) fn address_word(address: &Address) -> Word {
    let mut word = [0; 32];
    if let Some(low) = word.last_chunk_mut() {
        *low = *address;
    }
    word
}

/// An unsigned integer, big-endian.
pub(crate) fn uint_word(value: &U256) -> Word {
    value.to_be_bytes()
}
