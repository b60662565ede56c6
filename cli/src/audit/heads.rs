//! What others hold of a chain, from files.
//!
//! ```text
//! a signed head    `wire::head`, exactly SIGNED_HEAD_SIZE bytes; counts only when its signature is the receipt key's
//! a receipt        the bytes that a client got with a signature (or a refusal); its link is computed here
//! several          each with its size before it, as in a segment
//! ```
//! A receipt needs no signature: a client has it from the vault, and the folder's record must have the same link.

use std::io;
use std::path::Path;
use std::str::FromStr;

use ed25519_dalek::{Signature, VerifyingKey};
use portcullis_host::receipts::{Held, Records, Step};
use wire::RECEIPT_SIZE_MAX;
use wire::head::{SIGNED_HEAD_SIZE, SignedHead};

use crate::hexadecimal;

/// The public key of a boot's receipt key.
#[derive(Clone, Debug)]
pub(crate) struct ReceiptKey(VerifyingKey);

impl FromStr for ReceiptKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix("ed25519:").unwrap_or(text);
        let bytes = hexadecimal::read(digits).ok_or("a receipt key is 64 hexadecimal digits")?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| "this is no Ed25519 key".to_owned())?;
        if key.is_weak() { Err("this Ed25519 key is weak".to_owned()) } else { Ok(Self(key)) }
    }
}

/// The heads in a file.
pub(crate) fn read(file: &Path, keys: &[ReceiptKey]) -> Result<Vec<Held>, String> {
    let shown = file.display();
    let size = file.metadata().map_err(|error| format!("{shown}: {error}"))?.len();
    if size <= RECEIPT_SIZE_MAX as u64 {
        let bytes = std::fs::read(file).map_err(|error| format!("{shown}: {error}"))?;
        if bytes.len() == SIGNED_HEAD_SIZE {
            return signed(&bytes, &shown.to_string(), keys).map(|held| vec![held]);
        }
        if let Some(held) = Held::by_record(&bytes, &shown.to_string()) {
            return Ok(vec![held]);
        }
    }
    several(file)
}

/// The heads that the host keeps beside the receipts, as far as one of the keys signed them.
pub(crate) fn kept(folder: &Path, keys: &[ReceiptKey]) -> io::Result<Vec<Held>> {
    let heads = portcullis_host::receipts::heads(folder)?;
    let signed = heads.iter().filter(|head| is_signed(head, keys));
    Ok(signed.map(|head| held(head, "the host")).collect())
}

fn signed(bytes: &[u8], shown: &str, keys: &[ReceiptKey]) -> Result<Held, String> {
    let head = SignedHead::read(bytes).map_err(|_| format!("{shown}: it is no signed head"))?;
    if keys.is_empty() {
        return Err(format!("{shown}: a signed head is checked with --receipt-key"));
    }
    if is_signed(&head, keys) {
        return Ok(held(&head, shown));
    }
    Err(format!("{shown}: the signature of the head is not the receipt key's"))
}

fn is_signed(head: &SignedHead, keys: &[ReceiptKey]) -> bool {
    let signature = Signature::from_bytes(&head.signature);
    keys.iter().any(|key| key.0.verify_strict(&head.message(), &signature).is_ok())
}

fn held(head: &SignedHead, holder: &str) -> Held {
    let holder = format!("{holder}, signed at {} ms", head.wall_ms);
    Held { boot_id: head.boot_id, sequence: head.sequence, link: head.link, holder }
}

fn several(file: &Path) -> Result<Vec<Held>, String> {
    let shown = file.display().to_string();
    let neither = || format!("{shown}: it holds neither a receipt nor a signed head");
    let mut records = Records::open(file).map_err(|error| format!("{shown}: {error}"))?;
    let mut held = Vec::new();
    loop {
        let offset = records.offset();
        match records.step().map_err(|error| format!("{shown}: {error}"))? {
            Step::Record(record) => {
                let holder = format!("{shown} offset {offset}");
                held.push(Held::by_record(&record, &holder).ok_or_else(neither)?);
            }
            Step::End if !held.is_empty() => return Ok(held),
            Step::End | Step::Torn { .. } | Step::Damaged { .. } => return Err(neither()),
        }
    }
}
