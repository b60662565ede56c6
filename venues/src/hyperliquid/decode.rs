//! The decoder: one payload in, one checked action with its digest out.
//!
//! ```text
//! L1Msgpack   envelope ‖ msgpack          ─────────────┐
//! L1Json      envelope ‖ JSON ─ transcode ─> msgpack ──┴─> l1::read_action ─> content
//!                                            msgpack ‖ tail ─> connectionId ─> digest
//! UserJson    envelope ‖ JSON ─> user_signed::read_action ─> content, digest
//! tail = nonce u64 BE ‖ (00 | 01 vaultAddress) ‖ [00 expiresAfter u64 BE]
//! ```

use wire::{Refusal, Why};

use super::action::Content;
use super::eip712::UserSigned;
use super::envelope::{Claims, Envelope};
use super::rules::Network;
use super::{Action, Form, Scratch, eip712, l1, transcode, user_signed};
use crate::Digest;

/// Decodes a payload of the given form. What the JSON of an L1 action becomes is put into `scratch`.
///
/// # Errors
/// `Malformed` when the bytes are not one canonical action with its envelope, or a claim differs from what was
/// computed; `ActionNotSupported` for every action type that [`Content`] does not name.
pub fn decode<'s>(form: Form, payload: &'s [u8], scratch: &'s mut Scratch) -> Result<Action<'s>, Why> {
    let (envelope, claims, action) = Envelope::read(payload)?;
    match form {
        Form::L1Msgpack => decode_l1(envelope, &claims, action),
        Form::L1Json => {
            let size = transcode::transcode(action, &mut scratch.msgpack)?;
            let msgpack = scratch.msgpack.get(..size).ok_or(Refusal::RequestTooLong)?;
            decode_l1(envelope, &claims, msgpack)
        }
        Form::UserJson => decode_user_signed(envelope, &claims, action),
    }
}

fn decode_l1<'s>(envelope: Envelope, claims: &Claims<'_>, msgpack: &'s [u8]) -> Result<Action<'s>, Why> {
    let content = l1::read_action(msgpack)?;
    let connection_id = hash_connection_id(&envelope, msgpack);
    let source = match envelope.network {
        Network::Mainnet => b'a',
        Network::Testnet => b'b',
    };
    check(claims.source.is_none_or(|claimed| claimed == source))?;
    check(claims.connection_id.is_none_or(|claimed| claimed == connection_id))?;
    check(claims.primary_type.is_none_or(|claimed| claimed == eip712::AGENT_PRIMARY_TYPE))?;
    Ok(Action {
        envelope,
        content,
        canonical: msgpack,
        connection_id: Some(connection_id),
        digest: eip712::agent_digest(envelope.network, &connection_id),
    })
}

/// Of a user-signed action there is no agent, so nobody can claim one.
fn decode_user_signed<'s>(
    envelope: Envelope,
    claims: &Claims<'_>,
    text: &'s [u8],
) -> Result<Action<'s>, Why> {
    let (content, digest) = user_signed::read_action(&envelope, text)?;
    let primary_type = primary_type(&content);
    check(claims.source.is_none() && claims.connection_id.is_none())?;
    check(claims.primary_type.is_none() || claims.primary_type == primary_type)?;
    Ok(Action { envelope, content, canonical: text, connection_id: None, digest })
}

/// The EIP-712 type of a user-signed action; an L1 action has none of its own.
const fn primary_type(content: &Content<'_>) -> Option<&'static str> {
    let kind = match content {
        Content::UsdSend(_) => UserSigned::UsdSend,
        Content::SpotSend(_) => UserSigned::SpotSend,
        Content::Withdraw3(_) => UserSigned::Withdraw,
        Content::SendAsset(_) => UserSigned::SendAsset,
        Content::UsdClassTransfer(_) => UserSigned::UsdClassTransfer,
        Content::ApproveAgent(_) => UserSigned::ApproveAgent,
        Content::ApproveBuilderFee(_) => UserSigned::ApproveBuilderFee,
        Content::Order(_)
        | Content::Modify(_)
        | Content::BatchModify(_)
        | Content::TwapOrder(_)
        | Content::TwapCancel(_)
        | Content::ScheduleCancel(_)
        | Content::Cancel(_)
        | Content::CancelByCloid(_)
        | Content::UpdateLeverage(_)
        | Content::UpdateIsolatedMargin(_)
        | Content::VaultTransfer(_) => return None,
    };
    Some(kind.primary_type())
}

fn hash_connection_id(envelope: &Envelope, msgpack: &[u8]) -> [u8; 32] {
    let vault_address: [&[u8]; 2] = match &envelope.vault_address {
        Some(address) => [&[1], address],
        None => [&[0], &[]],
    };
    let expires_after = envelope.expires_after.map(u64::to_be_bytes);
    let expiry: [&[u8]; 2] = match &expires_after {
        Some(time) => [&[0], time],
        None => [&[], &[]],
    };
    let nonce = envelope.nonce.to_be_bytes();
    let [vault_tag, vault] = vault_address;
    let [expiry_tag, expiry] = expiry;
    *Digest::keccak256(&[msgpack, &nonce, vault_tag, vault, expiry_tag, expiry]).as_bytes()
}

fn check(claim_holds: bool) -> Result<(), Why> {
    if claim_holds { Ok(()) } else { Err(Refusal::ClaimDiffers.into()) }
}
