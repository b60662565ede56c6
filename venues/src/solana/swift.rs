//! Drift's Swift texts: an order signed off chain, which a keeper puts on chain for the user.
//!
//! ```text
//! text     lower-case hexadecimal of the message: these ASCII digits are what is signed
//! message  discriminator 8 (SHA-256 of "global:SignedMsgOrderParamsMessage"), order (see `order.rs`),
//!          sub-account u16, slot u64, uuid 8, take profit `Option<trigger>`, stop loss `Option<trigger>`,
//!          max margin ratio `Option<u16>`, builder `Option<u8>`, builder fee `Option<u16>`,
//!          [isolated position deposit `Option<u64>`]
//! delegate discriminator 8 (of "global:SignedMsgOrderParamsDelegateMessage"), order, taker 32 (the user account)
//!          in place of the sub-account, the rest as above
//! trigger  trigger price u64, base u64
//! ```
//!
//! Clients older than the isolated deposit leave that field out; the program then reads it as `None`.
//!
//! Guarantees: the text is the only writing of what was read; every byte is consumed, every tag is one that the
//! IDL names; the order is of a perpetual market.
//! Refuses: upper-case digits and raw bytes; another discriminator; Velocity's texts, which begin with
//! "velocity-signed-msg:" and the program's id, by name.

use sha2::{Digest as _, Sha256};
use wire::{Refusal, Shown, Why};

use super::cursor::Cursor;
use super::order::OrderParams;
use super::rules::{MarketKind, Program};
use crate::AccountKey;

/// Longest message: each Option there, the delegate's form.
const MESSAGE_SIZE_MAX: usize = 8 + ORDER_SIZE_MAX + 32 + 8 + 8 + 2 * 17 + 3 + 2 + 3 + 9;

/// Longest order of Drift v2: 4 tags, 18 bytes of amounts and market, 3 flags, then the Options.
const ORDER_SIZE_MAX: usize = 4 + 18 + 3 + 9 + 9 + 1 + 5 + 2 + 9 + 9;

/// Longest text, in bytes.
pub const SWIFT_TEXT_SIZE_MAX: usize = 2 * MESSAGE_SIZE_MAX;

const AUTHORITY_MESSAGE: [u8; 8] = [0xc8, 0xd5, 0xa6, 0x5e, 0x22, 0x34, 0xf5, 0x5d];
const DELEGATE_MESSAGE: [u8; 8] = [0x42, 0x65, 0x66, 0x38, 0xc7, 0x25, 0x9e, 0x23];

/// How Velocity's texts begin.
const VELOCITY_DOMAIN: &[u8] = b"velocity-signed-msg:";

/// A Swift text that was decoded whole.
#[derive(Clone, Copy, Debug)]
pub struct SwiftMessage<'f> {
    text: &'f [u8],
    label: [u8; 32],
    uuid_text: &'f [u8],
    order: SwiftOrder,
}

/// What a Swift text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwiftOrder {
    /// The order.
    pub order: OrderParams,
    /// Whose it is.
    pub account: SwiftAccount,
    /// The slot it was made in. The program takes the text until about 500 slots later; Drift v2 takes it earlier
    /// as well.
    pub slot: u64,
    /// The user's number of the text.
    pub uuid: [u8; 8],
    /// An order that closes at a profit.
    pub take_profit: Option<TriggerOrder>,
    /// An order that closes at a loss.
    pub stop_loss: Option<TriggerOrder>,
    /// Margin that the position is held to beyond the market's own, 10^-4.
    pub max_margin_ratio: Option<u16>,
    /// Which of the user's approved builders earns on it.
    pub builder_idx: Option<u8>,
    /// What the builder earns, tenths of a basis point.
    pub builder_fee_tenth_bps: Option<u16>,
    /// What moves into the isolated position.
    pub isolated_deposit: IsolatedDeposit,
}

/// Whose order it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwiftAccount {
    /// The signer's sub-account with this number.
    SubAccount(u16),
    /// This user account, whose delegate the signer is.
    Taker(AccountKey),
}

/// An order that closes once a trigger is met: a reduce-only trigger market order of the opposite direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerOrder {
    /// Trigger price, 10^-6 of the quote.
    pub trigger_price: u64,
    /// Size in the market's base precision.
    pub base: u64,
}

/// Collateral that moves from the user account into an isolated position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsolatedDeposit {
    /// The field is left out, as older clients do.
    LeftOut,
    /// None.
    None,
    /// This much, in the token's smallest unit.
    Amount(u64),
}

impl<'f> SwiftMessage<'f> {
    /// The text it was read from: what is signed.
    #[must_use]
    pub const fn text(&self) -> &'f [u8] {
        self.text
    }

    /// What it says.
    #[must_use]
    pub const fn order(&self) -> &SwiftOrder {
        &self.order
    }

    /// SHA-256 of the text.
    pub(super) const fn text_label(&self) -> [u8; 32] {
        self.label
    }

    /// The uuid's digits, as they stand in the text.
    pub(super) fn uuid_text(&self) -> &'f str {
        core::str::from_utf8(self.uuid_text).unwrap_or_default()
    }
}

/// Decodes a payload: the text itself.
///
/// # Errors
/// Malformed when the text is not lower-case hexadecimal or does not follow the layout to its last byte;
/// unsupported when it is another kind of message or one of Velocity's.
pub fn decode_swift(text: &[u8]) -> Result<SwiftMessage<'_>, Why> {
    if text.is_empty() {
        return Err(Why::new(Refusal::PayloadEmpty));
    }
    if text.starts_with(VELOCITY_DOMAIN) {
        return Err(Why::new(Refusal::SwiftDomainNotSupported));
    }
    let mut room = [0; MESSAGE_SIZE_MAX];
    let message = read_hexadecimal(text, &mut room)?;
    let mut cursor = Cursor::new(message, Refusal::SwiftMessageMalformed);
    let is_delegate = match *cursor.array()? {
        AUTHORITY_MESSAGE => false,
        DELEGATE_MESSAGE => true,
        _ => return Err(Why::new(Refusal::SwiftMessageNotSupported)),
    };
    let (order, uuid_at) = read_order(is_delegate, message.len(), &mut cursor)?;
    if !cursor.rest().is_empty() {
        return Err(Why::new(Refusal::SwiftMessageMalformed).observed(Shown::size(message.len())));
    }
    if order.order.market_kind != MarketKind::Perp {
        return Err(Why::new(Refusal::MarketTypeDiffers));
    }
    let uuid_text = text.get(2 * uuid_at..).and_then(|rest| rest.get(..16)).unwrap_or_default();
    Ok(SwiftMessage { text, label: Sha256::digest(text).into(), uuid_text, order })
}

/// Reads what follows the discriminator, and where in the message the uuid stands.
fn read_order(
    is_delegate: bool,
    message_size: usize,
    cursor: &mut Cursor<'_>,
) -> Result<(SwiftOrder, usize), Why> {
    let order = OrderParams::read(Program::DriftV2, cursor)?;
    let account = if is_delegate {
        SwiftAccount::Taker(*cursor.array()?)
    } else {
        SwiftAccount::SubAccount(cursor.u16()?)
    };
    let slot = cursor.u64()?;
    let uuid_at = message_size.saturating_sub(cursor.rest().len());
    let order = SwiftOrder {
        order,
        account,
        slot,
        uuid: *cursor.array()?,
        take_profit: cursor.option(read_trigger)?,
        stop_loss: cursor.option(read_trigger)?,
        max_margin_ratio: cursor.option(Cursor::u16)?,
        builder_idx: cursor.option(Cursor::u8)?,
        builder_fee_tenth_bps: cursor.option(Cursor::u16)?,
        isolated_deposit: read_isolated_deposit(cursor)?,
    };
    Ok((order, uuid_at))
}

fn read_trigger(cursor: &mut Cursor<'_>) -> Result<TriggerOrder, Why> {
    Ok(TriggerOrder { trigger_price: cursor.u64()?, base: cursor.u64()? })
}

fn read_isolated_deposit(cursor: &mut Cursor<'_>) -> Result<IsolatedDeposit, Why> {
    if cursor.rest().is_empty() {
        return Ok(IsolatedDeposit::LeftOut);
    }
    Ok(cursor.option(Cursor::u64)?.map_or(IsolatedDeposit::None, IsolatedDeposit::Amount))
}

/// Reads pairs of lower-case digits into `room`.
fn read_hexadecimal<'r>(text: &[u8], room: &'r mut [u8; MESSAGE_SIZE_MAX]) -> Result<&'r [u8], Why> {
    let (pairs, odd) = text.as_chunks();
    if pairs.len() > room.len() {
        return Err(Why::new(Refusal::SwiftMessageMalformed)
            .observed(Shown::size(text.len()))
            .limit(Shown::size(SWIFT_TEXT_SIZE_MAX)));
    }
    let not_hexadecimal = Why::new(Refusal::SwiftTextNotHexadecimal);
    if !odd.is_empty() {
        return Err(not_hexadecimal);
    }
    for (byte, [high, low]) in room.iter_mut().zip(pairs) {
        *byte = nibble(*high).ok_or(not_hexadecimal)? << 4 | nibble(*low).ok_or(not_hexadecimal)?;
    }
    Ok(room.get(..pairs.len()).unwrap_or_default())
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}
