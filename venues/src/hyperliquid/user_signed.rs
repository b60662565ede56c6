//! User-signed actions: usdSend, spotSend and withdraw3, read from their JSON text.
//!
//! ```text
//! usdSend    {type, signatureChainId, hyperliquidChain, destination, amount, time}
//! spotSend   {type, signatureChainId, hyperliquidChain, destination, token, amount, time}
//! withdraw3  {type, signatureChainId, hyperliquidChain, destination, amount, time}
//! ```
//! Members may stand in any order: the exchange hashes each text by its name. The texts hashed are slices of the
//! payload, so what was checked is what is signed.
//! Refuses: other members, repeated and missing ones, escapes, a network or time that is not the envelope's,
//! and vaultAddress or expiresAfter beside the action, which the exchange does not hash here.

use wire::{Refusal, Shown, Why};

use super::action::{Content, Transferral};
use super::decimal::Decimal;
use super::envelope::Envelope;
use super::rules::{Network, Transfer};
use super::transcode::action_type;
use super::{eip712, hexadecimal};
use crate::Digest;
use crate::json::Json;

/// Longest token text, "NAME:0x…".
pub(crate) const TOKEN_SIZE_MAX: usize = 64;

/// Reads an action whole, checks it against the envelope and hashes it.
pub(crate) fn read_action<'s>(envelope: &Envelope, text: &'s [u8]) -> Result<(Content<'s>, Digest), Why> {
    let mut json = Json::new(text);
    let action = match action_type(json)? {
        b"usdSend" => Transfer::UsdSend,
        b"spotSend" => Transfer::SpotSend,
        b"withdraw3" => Transfer::Withdraw3,
        _ => return Err(Refusal::ActionNotSupported.into()),
    };
    let members = Members::read(&mut json)?;
    json.end()?;
    members.check(envelope, action)
}

/// The members as they stand in the text.
#[derive(Debug, Default)]
struct Members<'s> {
    action_type: Option<&'s str>,
    signature_chain_id: Option<&'s str>,
    network: Option<&'s str>,
    destination: Option<&'s str>,
    token: Option<&'s str>,
    amount: Option<&'s str>,
    time: Option<u64>,
}

impl<'s> Members<'s> {
    fn read(json: &mut Json<'s>) -> Result<Self, Why> {
        let mut members = Self::default();
        json.open_object()?;
        let mut first = true;
        while let Some(name) = json.member(first)? {
            first = false;
            let repeated = match name {
                "time" => members.time.replace(json.uint()?).is_some(),
                _ => members.text(name)?.replace(json.text()?).is_some(),
            };
            if repeated {
                return Err(Refusal::JsonMemberRepeated.into());
            }
        }
        Ok(members)
    }

    fn text(&mut self, name: &str) -> Result<&mut Option<&'s str>, Why> {
        Ok(match name {
            "type" => &mut self.action_type,
            "signatureChainId" => &mut self.signature_chain_id,
            "hyperliquidChain" => &mut self.network,
            "destination" => &mut self.destination,
            "token" => &mut self.token,
            "amount" => &mut self.amount,
            _ => return Err(Refusal::FieldNotKnown.into()),
        })
    }

    fn check(self, envelope: &Envelope, action: Transfer) -> Result<(Content<'s>, Digest), Why> {
        if envelope.vault_address.is_some() || envelope.expires_after.is_some() {
            return Err(Refusal::EnvelopeFieldNotAllowed.into());
        }
        let token = match (action, self.token) {
            (Transfer::SpotSend, token) => Some(check_token(there(token)?)?),
            (Transfer::UsdSend | Transfer::Withdraw3, None) => None,
            (Transfer::UsdSend | Transfer::Withdraw3, Some(_)) => return Err(Refusal::FieldNotKnown.into()),
        };
        let network_name = there(self.network)?;
        let network = match network_name {
            "Mainnet" => Network::Mainnet,
            "Testnet" => Network::Testnet,
            _ => return Err(Refusal::WordNotKnown.into()),
        };
        if network != envelope.network {
            return Err(Refusal::NetworkDiffers.into());
        }
        let time = there(self.time)?;
        if time != envelope.nonce {
            return Err(Why::new(Refusal::NonceDiffersFromAction)
                .observed(Shown::uint(envelope.nonce))
                .limit(Shown::uint(time)));
        }
        let destination_text = there(self.destination)?;
        let transferral = Transferral {
            action,
            destination: hexadecimal::any_case_address(destination_text)?,
            amount: Decimal::read(there(self.amount)?)?,
            token,
            signature_chain_id: hexadecimal::chain_id(there(self.signature_chain_id)?)?,
        };
        let digest = eip712::transfer_digest(&transferral, network_name, destination_text, time);
        let content = match action {
            Transfer::UsdSend => Content::UsdSend(transferral),
            Transfer::SpotSend => Content::SpotSend(transferral),
            Transfer::Withdraw3 => Content::Withdraw3(transferral),
        };
        Ok((content, digest))
    }
}

fn there<T>(member: Option<T>) -> Result<T, Why> {
    member.ok_or(Refusal::FieldMissing.into())
}

/// A token is printable ASCII; which ones may be sent is for the book to say.
fn check_token(token: &str) -> Result<&str, Why> {
    if token.is_empty() || token.len() > TOKEN_SIZE_MAX || !token.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Err(Refusal::WordNotKnown.into());
    }
    Ok(token)
}
