//! User-signed actions, read from their JSON text.
//!
//! ```text
//! usdSend            {destination, amount, time}
//! spotSend           {destination, token, amount, time}
//! withdraw3          {destination, amount, time}
//! usdClassTransfer   {amount, toPerp, nonce}             amount = decimal [" subaccount:0x…"]
//! sendAsset          {destination, sourceDex, destinationDex, token, amount, fromSubAccount, nonce}
//! approveAgent       {agentAddress, [agentName], nonce}  agentName = text | null, both "" where it is hashed
//! approveBuilderFee  {maxFeeRate, builder, nonce}        maxFeeRate = decimal "%"
//! each of them       {type, signatureChainId, hyperliquidChain}
//! ```
//! Members may stand in any order: the exchange hashes each by its name. The texts hashed are slices of the
//! payload, so what was checked is what is signed.
//! Refuses: other members, repeated and missing ones, escapes, a network or time that is not the envelope's,
//! and vaultAddress or expiresAfter beside the action, which the exchange does not hash here.

use wire::{Refusal, Shown, Why};

use super::action::{ApproveAgent, ApproveBuilderFee, Content, SendAsset, Transferral, UsdClassTransfer};
use super::decimal::Decimal;
use super::eip712::{UserSigned, digest, flag_word, text_word, uint_word};
use super::envelope::Envelope;
use super::hexadecimal;
use super::rules::{Network, Transfer};
use super::transcode::action_type;
use crate::json::Json;
use crate::typed_data::address_word;
use crate::{Address, Digest};

/// Longest token text, "NAME:0x…".
pub(crate) const TOKEN_SIZE_MAX: usize = 64;

/// Longest name of an agent or dex.
pub(crate) const NAME_SIZE_MAX: usize = 64;

/// What stands between the number of a usdClassTransfer and the sub-account it is for.
const SUB_ACCOUNT_MARK: &str = " subaccount:";

/// Reads an action whole, checks it against the envelope and hashes it.
pub(crate) fn read_action<'s>(envelope: &Envelope, text: &'s [u8]) -> Result<(Content<'s>, Digest), Why> {
    let mut json = Json::new(text);
    let kind = match action_type(json)? {
        b"usdSend" => UserSigned::UsdSend,
        b"spotSend" => UserSigned::SpotSend,
        b"withdraw3" => UserSigned::Withdraw,
        b"usdClassTransfer" => UserSigned::UsdClassTransfer,
        b"sendAsset" => UserSigned::SendAsset,
        b"approveAgent" => UserSigned::ApproveAgent,
        b"approveBuilderFee" => UserSigned::ApproveBuilderFee,
        _ => return Err(Refusal::ActionNotSupported.into()),
    };
    let members = Members::read(&mut json, kind)?;
    json.end()?;
    members.check_envelope(envelope)?;
    members.read_content(kind)
}

/// The members of each action beside "type", "signatureChainId" and "hyperliquidChain".
const fn member_names(kind: UserSigned) -> &'static [&'static str] {
    match kind {
        UserSigned::UsdSend | UserSigned::Withdraw => &["destination", "amount", "time"],
        UserSigned::SpotSend => &["destination", "token", "amount", "time"],
        UserSigned::UsdClassTransfer => &["amount", "toPerp", "nonce"],
        UserSigned::SendAsset => {
            &["destination", "sourceDex", "destinationDex", "token", "amount", "fromSubAccount", "nonce"]
        }
        UserSigned::ApproveAgent => &["agentAddress", "agentName", "nonce"],
        UserSigned::ApproveBuilderFee => &["maxFeeRate", "builder", "nonce"],
    }
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
    source_dex: Option<&'s str>,
    destination_dex: Option<&'s str>,
    sub_account: Option<&'s str>,
    agent: Option<&'s str>,
    agent_name: Option<&'s str>,
    fee_rate_max: Option<&'s str>,
    builder: Option<&'s str>,
    to_perp: Option<bool>,
    /// "time" or "nonce", of which an action has one.
    time: Option<u64>,
}

impl<'s> Members<'s> {
    fn read(json: &mut Json<'s>, kind: UserSigned) -> Result<Self, Why> {
        let mut members = Self::default();
        json.open_object()?;
        let mut first = true;
        while let Some(name) = json.member(first)? {
            first = false;
            let common = matches!(name, "type" | "signatureChainId" | "hyperliquidChain");
            if !common && !member_names(kind).contains(&name) {
                return Err(Refusal::FieldNotKnown.into());
            }
            let repeated = match name {
                "time" | "nonce" => members.time.replace(json.uint()?).is_some(),
                "toPerp" => members.to_perp.replace(json.flag()?).is_some(),
                "agentName" if json.peek()? == b'n' => {
                    // skip() takes nothing but null here.
                    json.skip()?;
                    members.agent_name.replace("").is_some()
                }
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
            "sourceDex" => &mut self.source_dex,
            "destinationDex" => &mut self.destination_dex,
            "fromSubAccount" => &mut self.sub_account,
            "agentAddress" => &mut self.agent,
            "agentName" => &mut self.agent_name,
            "maxFeeRate" => &mut self.fee_rate_max,
            "builder" => &mut self.builder,
            _ => return Err(Refusal::FieldNotKnown.into()),
        })
    }

    fn check_envelope(&self, envelope: &Envelope) -> Result<(), Why> {
        if envelope.vault_address.is_some() || envelope.expires_after.is_some() {
            return Err(Refusal::EnvelopeFieldNotAllowed.into());
        }
        let network = match there(self.network)? {
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
        Ok(())
    }

    fn read_content(&self, kind: UserSigned) -> Result<(Content<'s>, Digest), Why> {
        match kind {
            UserSigned::UsdSend => {
                let (transferral, digest) = self.send(kind, Transfer::UsdSend)?;
                Ok((Content::UsdSend(transferral), digest))
            }
            UserSigned::Withdraw => {
                let (transferral, digest) = self.send(kind, Transfer::Withdraw3)?;
                Ok((Content::Withdraw3(transferral), digest))
            }
            UserSigned::SpotSend => self.spot_send(),
            UserSigned::SendAsset => self.send_asset(),
            UserSigned::UsdClassTransfer => self.usd_class_transfer(),
            UserSigned::ApproveAgent => self.approve_agent(),
            UserSigned::ApproveBuilderFee => self.approve_builder_fee(),
        }
    }

    fn transferral(&self, action: Transfer, token: Option<&'s str>) -> Result<Transferral<'s>, Why> {
        Ok(Transferral {
            action,
            destination: hexadecimal::any_case_address(there(self.destination)?)?,
            amount: Decimal::read(there(self.amount)?)?,
            token,
            signature_chain_id: self.chain_id()?,
        })
    }

    fn send(&self, kind: UserSigned, action: Transfer) -> Result<(Transferral<'s>, Digest), Why> {
        let transferral = self.transferral(action, None)?;
        let digest =
            self.digest(kind, &[text_word(there(self.destination)?), text_word(transferral.amount.text)])?;
        Ok((transferral, digest))
    }

    fn spot_send(&self) -> Result<(Content<'s>, Digest), Why> {
        let token = check_token(there(self.token)?)?;
        let transferral = self.transferral(Transfer::SpotSend, Some(token))?;
        let digest = self.digest(
            UserSigned::SpotSend,
            &[text_word(there(self.destination)?), text_word(token), text_word(transferral.amount.text)],
        )?;
        Ok((Content::SpotSend(transferral), digest))
    }

    fn send_asset(&self) -> Result<(Content<'s>, Digest), Why> {
        let token = check_token(there(self.token)?)?;
        let transferral = self.transferral(Transfer::SendAsset, Some(token))?;
        let source_dex = check_dex(there(self.source_dex)?)?;
        let destination_dex = check_dex(there(self.destination_dex)?)?;
        let sub_account = match there(self.sub_account)? {
            "" => None,
            text => Some(hexadecimal::any_case_address(text)?),
        };
        let digest = self.digest(
            UserSigned::SendAsset,
            &[
                text_word(there(self.destination)?),
                text_word(source_dex),
                text_word(destination_dex),
                text_word(token),
                text_word(transferral.amount.text),
                text_word(there(self.sub_account)?),
            ],
        )?;
        Ok((Content::SendAsset(SendAsset { transferral, source_dex, destination_dex, sub_account }), digest))
    }

    fn usd_class_transfer(&self) -> Result<(Content<'s>, Digest), Why> {
        let text = there(self.amount)?;
        let (number, sub_account) = match text.split_once(SUB_ACCOUNT_MARK) {
            Some((number, address)) => (number, Some(hexadecimal::any_case_address(address)?)),
            None => (text, None),
        };
        let transfer = UsdClassTransfer {
            amount: Decimal::read(number)?,
            sub_account,
            to_perp: there(self.to_perp)?,
            signature_chain_id: self.chain_id()?,
        };
        let words = [text_word(text), flag_word(transfer.to_perp)];
        Ok((Content::UsdClassTransfer(transfer), self.digest(UserSigned::UsdClassTransfer, &words)?))
    }

    fn approve_agent(&self) -> Result<(Content<'s>, Digest), Why> {
        let approval = ApproveAgent {
            agent: some_address(there(self.agent)?)?,
            name: check_agent_name(self.agent_name.unwrap_or_default())?,
            signature_chain_id: self.chain_id()?,
        };
        let words = [address_word(&approval.agent), text_word(approval.name)];
        Ok((Content::ApproveAgent(approval), self.digest(UserSigned::ApproveAgent, &words)?))
    }

    fn approve_builder_fee(&self) -> Result<(Content<'s>, Digest), Why> {
        let text = there(self.fee_rate_max)?;
        let approval = ApproveBuilderFee {
            builder: some_address(there(self.builder)?)?,
            rate_max: Decimal::read(text.strip_suffix('%').ok_or(Refusal::DecimalNotCanonical)?)?,
            signature_chain_id: self.chain_id()?,
        };
        let words = [text_word(text), address_word(&approval.builder)];
        Ok((Content::ApproveBuilderFee(approval), self.digest(UserSigned::ApproveBuilderFee, &words)?))
    }

    fn chain_id(&self) -> Result<u64, Why> {
        Ok(hexadecimal::chain_id(there(self.signature_chain_id)?)?)
    }

    /// `words` are those between the network, which is always first, and the time, always last.
    fn digest<const N: usize>(&self, kind: UserSigned, words: &[[u8; 32]; N]) -> Result<Digest, Why> {
        let (network, time) = (text_word(there(self.network)?), uint_word(there(self.time)?));
        Ok(digest(kind, self.chain_id()?, &[&network, words.as_flattened(), &time]))
    }
}

fn there<T>(member: Option<T>) -> Result<T, Why> {
    member.ok_or(Refusal::FieldMissing.into())
}

/// An address that is hashed as 20 bytes: how it is written does not matter.
fn some_address(text: &str) -> Result<Address, Why> {
    Ok(hexadecimal::any_case_address(text)?)
}

/// A token is printable ASCII; which ones may be sent is for the book to say.
fn check_token(token: &str) -> Result<&str, Why> {
    if token.is_empty() || token.len() > TOKEN_SIZE_MAX || !token.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Err(Refusal::WordNotKnown.into());
    }
    Ok(token)
}

/// A dex is printable ASCII, or nothing.
fn check_dex(name: &str) -> Result<&str, Why> {
    if name.len() > NAME_SIZE_MAX || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Refusal::NameNotSupported.into());
    }
    Ok(name)
}

/// An agent's name may hold spaces: "desk valid_until 1790000000000" says when the approval ends.
fn check_agent_name(name: &str) -> Result<&str, Why> {
    if name.len() > NAME_SIZE_MAX || !name.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(Refusal::NameNotSupported.into());
    }
    Ok(name)
}
