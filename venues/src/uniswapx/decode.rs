//! From text to a payload and its digest.

use wire::Why;

use super::domain::Domain;
use super::order::read_order;
use super::permit::{read_allowance, read_allowance_batch, read_transfer, read_transfer_batch};
use super::relay::read_relay;
use super::rules::OrderType;
use super::types::{FAMILIES, KNOWN, Kind};
use super::{Content, Form, TypedData};
use crate::json::Json;
use crate::typed_data::{Document, Word, digest};

/// Reads the JSON text of typed data, as `eth_signTypedData_v4` takes it, to its last byte.
///
/// # Errors
/// Malformed: text that is no strict JSON, members that are missing, twice or unknown, values outside their type.
/// Unsupported: `TypesNotSupported`, `DomainNotSupported`, `TooManyOutputs`, `TooManyPermittedTokens`,
/// `TooManyCurvePoints`.
pub fn decode(text: &[u8]) -> Result<TypedData<'_>, Why> {
    let document = Document::read(text, KNOWN)?;
    let kind = document.family(FAMILIES)?.kind;
    // `document` read both over already, so that what follows them is known to be well-formed.
    let (mut domain, mut message) = (document.domain, document.message);
    let domain = Domain::read(&mut domain)?;
    let (content, hash) = read_message(kind, &mut message)?;
    Ok(TypedData { text, digest: digest(&domain.separator(), &hash), domain, content })
}

/// Reads the message of a family; the content and its struct hash.
fn read_message<'a>(kind: Kind, json: &mut Json<'a>) -> Result<(Content<'a>, Word), Why> {
    let order_type = match kind {
        Kind::ExclusiveDutch => OrderType::ExclusiveDutch,
        Kind::V2Dutch => OrderType::V2Dutch,
        Kind::V3Dutch => OrderType::V3Dutch,
        Kind::Priority => OrderType::Priority,
        Kind::Relay => return read_relay(json).map(|(relay, hash)| (Content::Relay(relay), hash)),
        Kind::PermitSingle => {
            return read_allowance(json)
                .map(|(permit, hash)| (Content::Allowance(permit, Form::Single), hash));
        }
        Kind::PermitBatch => {
            return read_allowance_batch(json)
                .map(|(permit, hash)| (Content::Allowance(permit, Form::Batch), hash));
        }
        Kind::PermitTransferFrom => {
            return read_transfer(json).map(|(permit, hash)| (Content::Transfer(permit, Form::Single), hash));
        }
        Kind::PermitBatchTransferFrom => {
            return read_transfer_batch(json)
                .map(|(permit, hash)| (Content::Transfer(permit, Form::Batch), hash));
        }
    };
    read_order(json, order_type).map(|(order, hash)| (Content::Order(order), hash))
}
