//! User-signed actions: transfers and approvals. Their nonce is inside the action, and they have no vault.

use venues::Address;
use wire::Refusal;
use wire::request::PayloadKind;

use super::{Decimal, Envelope, Error, Network, Request, hex, raw};

/// What every user-signed action carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserSigned {
    /// Mainnet or testnet.
    pub network: Network,
    /// Chain id of the EIP-712 domain, usually 0xa4b1 or 0x66eee.
    pub signature_chain_id: u64,
    /// Milliseconds since the Unix epoch; the exchange's nonce.
    pub nonce: u64,
}

/// Where the funds of a "sendAsset" come from and go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route<'a> {
    /// "" for the exchange's own perpetuals, "spot" for the spot balance, else a HIP-3 dex.
    pub source_dex: &'a str,
    /// The same, where they go.
    pub destination_dex: &'a str,
    /// The sub-account whose funds they are.
    pub sub_account: Option<Address>,
}

/// A transfer or withdrawal. Its nonce is its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transferral<'a> {
    /// Mainnet or testnet.
    pub network: Network,
    /// Chain id of the EIP-712 domain, usually 0xa4b1 or 0x66eee.
    pub signature_chain_id: u64,
    /// Who gets it.
    pub destination: Address,
    /// How much, of USD or of the token.
    pub amount: &'a Decimal,
    /// Milliseconds since the Unix epoch; the exchange's nonce.
    pub time: u64,
}

/// The payload of a "usdSend": USDC to another account of the exchange.
///
/// # Errors
/// [`Error::Refused`] when the chain id is zero.
pub fn usd_send(transferral: &Transferral<'_>) -> Result<Request, Error> {
    user_signed("usdSend", &transferral.signed(), &transferral_members(transferral, ""), "time")
}

/// The payload of a "spotSend": a spot token ("NAME:0x…") to another account of the exchange.
///
/// # Errors
/// [`Error::Refused`] when the chain id is zero or the token is no token's name.
pub fn spot_send(transferral: &Transferral<'_>, token: &str) -> Result<Request, Error> {
    let token = format!(r#""token":"{}","#, quotable(token)?);
    user_signed("spotSend", &transferral.signed(), &transferral_members(transferral, &token), "time")
}

/// The payload of a "withdraw3": USDC to an address of Arbitrum.
///
/// # Errors
/// [`Error::Refused`] when the chain id is zero.
pub fn withdraw(transferral: &Transferral<'_>) -> Result<Request, Error> {
    user_signed("withdraw3", &transferral.signed(), &transferral_members(transferral, ""), "time")
}

/// The payload of a "sendAsset": a token between dexes, spot and sub-accounts, of one's own or to another account.
///
/// # Errors
/// [`Error::Refused`] when the chain id is zero, or the token or a dex is no name.
pub fn send_asset(transferral: &Transferral<'_>, token: &str, route: &Route<'_>) -> Result<Request, Error> {
    let members = format!(
        r#""destination":"{}","sourceDex":"{}","destinationDex":"{}","token":"{}","amount":"{}","fromSubAccount":"{}","#,
        hex(&transferral.destination),
        quotable(route.source_dex)?,
        quotable(route.destination_dex)?,
        quotable(token)?,
        transferral.amount.as_str(),
        route.sub_account.map_or_else(String::new, |sub_account| hex(&sub_account)),
    );
    user_signed("sendAsset", &transferral.signed(), &members, "nonce")
}

/// The payload of a "usdClassTransfer": USDC between the spot and the perpetuals balance, of `sub_account` if there
/// is one.
///
/// # Errors
/// [`Error::Refused`] when the chain id is zero.
pub fn usd_class_transfer(
    signed: &UserSigned,
    amount: &Decimal,
    to_perp: bool,
    sub_account: Option<&Address>,
) -> Result<Request, Error> {
    let sub_account = sub_account.map_or_else(String::new, |address| format!(" subaccount:{}", hex(address)));
    let members = format!(r#""amount":"{}{sub_account}","toPerp":{to_perp},"#, amount.as_str());
    user_signed("usdClassTransfer", signed, &members, "nonce")
}

/// The payload of an "approveAgent": the agent may sign L1 actions for this account. Without a name it takes the
/// place of the unnamed agent.
///
/// # Errors
/// [`Error::Refused`] when the chain id is zero or the name is not one this vault reads.
pub fn approve_agent(signed: &UserSigned, agent: &Address, name: Option<&str>) -> Result<Request, Error> {
    let name = match name {
        Some(name) => format!(r#""agentName":"{}","#, quotable(name)?),
        None => String::new(),
    };
    let members = format!(r#""agentAddress":"{}",{name}"#, hex(agent));
    user_signed("approveAgent", signed, &members, "nonce")
}

/// The payload of an "approveBuilderFee": the builder may charge up to `rate_max` percent.
///
/// # Errors
/// [`Error::Refused`] when the chain id is zero.
pub fn approve_builder_fee(
    signed: &UserSigned,
    builder: &Address,
    rate_max: &Decimal,
) -> Result<Request, Error> {
    let members = format!(r#""maxFeeRate":"{}%","builder":"{}","#, rate_max.as_str(), hex(builder));
    user_signed("approveBuilderFee", signed, &members, "nonce")
}

impl Transferral<'_> {
    const fn signed(&self) -> UserSigned {
        UserSigned { network: self.network, signature_chain_id: self.signature_chain_id, nonce: self.time }
    }
}

fn transferral_members(transferral: &Transferral<'_>, token: &str) -> String {
    let (destination, amount) = (hex(&transferral.destination), transferral.amount.as_str());
    format!(r#""destination":"{destination}",{token}"amount":"{amount}","#)
}

/// A quote or an escape would end a text early; the decoder takes neither.
fn quotable(text: &str) -> Result<&str, Error> {
    if text.contains(['"', '\\']) {
        return Err(Error::Refused(Refusal::WordNotKnown.into()));
    }
    Ok(text)
}

/// `members` end in a comma; `time` is the name of the nonce in this action.
fn user_signed(name: &str, signed: &UserSigned, members: &str, time: &str) -> Result<Request, Error> {
    let UserSigned { network, signature_chain_id, nonce } = *signed;
    let network_name = match network {
        Network::Mainnet => "Mainnet",
        Network::Testnet => "Testnet",
    };
    let action_json = format!(
        r#"{{"type":"{name}","signatureChainId":"{signature_chain_id:#x}","hyperliquidChain":"{network_name}",{members}"{time}":{nonce}}}"#
    );
    let envelope = Envelope { network, nonce, vault_address: None, expires_after: None };
    raw(PayloadKind::HyperliquidUserJson, &envelope, action_json)
}
