//! Hyperliquid actions: the payload that goes to the vault, and the body that goes to the exchange once the
//! signature is there.
//!
//! ```text
//! payload   envelope ‖ action    (see `venues::hyperliquid::envelope`)
//! body      {"action":…,"nonce":…,"signature":{"r":"0x…","s":"0x…","v":27|28},"vaultAddress":…,"expiresAfter":…}
//! ```
//!
//! Guarantees: what a builder returns was read by the vault's own decoder, so it is canonical and the vault
//! understands it; whether its book allows it is another question. The action that is posted is the one that was
//! signed, and so are its nonce, vault and expiry: [`Request::exchange_body`] takes them from the same place.
//! Refuses: prices, sizes and amounts that are not canonical decimals. Nothing is rounded or trimmed.
//!
//! ```
//! use client_sdk::build::hyperliquid::{Envelope, Network, Order, OrderKind, TimeInForce, Decimal, Grouping, orders};
//!
//! let envelope = Envelope {
//!     network: Network::Mainnet,
//!     nonce: 1_790_000_005_000,
//!     vault_address: None,
//!     expires_after: None,
//! };
//! let order = Order {
//!     asset: 0,
//!     is_buy: true,
//!     price: Decimal::new("96987")?,
//!     size: Decimal::new("0.0019")?,
//!     reduce_only: false,
//!     kind: OrderKind::Limit { tif: TimeInForce::Alo },
//!     cloid: None,
//! };
//! let request = orders(&envelope, &[order], Grouping::Na, None)?;
//! assert!(request.action_json.starts_with(r#"{"type":"order","orders":[{"a":0,"b":true,"p":"96987""#));
//! # Ok::<(), client_sdk::build::hyperliquid::Error>(())
//! ```

mod user_signed;

use std::fmt::{self, Write as _};

use venues::Address;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Form, Scratch, decode};
use wire::request::PayloadKind;
use wire::{Refusal, Why};

pub use user_signed::{
    Route, Transferral, UserSigned, approve_agent, approve_builder_fee, send_asset, spot_send,
    usd_class_transfer, usd_send, withdraw,
};
pub use venues::hyperliquid::rules::{Grouping, Network, TimeInForce, Transfer};
pub use venues::hyperliquid::{
    Builder, Cancel, Envelope, Tpsl, TwapCancel, UpdateIsolatedMargin, UpdateLeverage, VaultTransfer,
};

/// Why nothing was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A price, size or amount is not a canonical decimal; it holds which rule it breaks.
    NotADecimal(Refusal),
    /// The vault's decoder would refuse the action: the rule, and which order or cancel it is about.
    Refused(Why),
    /// The envelope holds a part that does not fit it.
    EnvelopeTooLarge,
    /// The signature's last byte is not a recovery id: 0 or 1, or 27 or 28.
    RecoveryIdNotKnown(u8),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotADecimal(refusal) => formatter.write_str(refusal.explanation()),
            Self::Refused(why) => {
                formatter.write_str(why.refusal.explanation())?;
                match why.subject {
                    Some(index) => write!(formatter, " (element {index})"),
                    None => Ok(()),
                }
            }
            Self::EnvelopeTooLarge => formatter.write_str("a part of the envelope is too large"),
            Self::RecoveryIdNotKnown(byte) => write!(formatter, "{byte} is not a recovery id"),
        }
    }
}

impl std::error::Error for Error {}

/// A price, size or amount as canonical text: no sign, exponent or superfluous zero, at most 8 decimals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal(String);

impl Decimal {
    /// Takes `text` if it is canonical.
    ///
    /// # Errors
    /// [`Error::NotADecimal`]; nothing is rounded or trimmed.
    pub fn new(text: impl Into<String>) -> Result<Self, Error> {
        let text = text.into();
        venues::hyperliquid::Decimal::read(&text).map_err(Error::NotADecimal)?;
        Ok(Self(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The full asset id: perp index, 10000 + spot index, 100000 + 10000 times dex + index.
    pub asset: u32,
    /// Buy or sell.
    pub is_buy: bool,
    /// The limit price: at most five significant figures unless it is an integer.
    pub price: Decimal,
    /// The size in base units.
    pub size: Decimal,
    /// Whether it may only reduce a position.
    pub reduce_only: bool,
    /// Limit or trigger.
    pub kind: OrderKind,
    /// The client's own id, not zero.
    pub cloid: Option<u128>,
}

/// What kind of order it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// A limit order.
    Limit {
        /// How long it stands.
        tif: TimeInForce,
    },
    /// A take profit or stop loss.
    Trigger {
        /// Whether it turns into a market order.
        is_market: bool,
        /// The price that triggers it.
        price: Decimal,
        /// Which of the two.
        tpsl: Tpsl,
    },
}

/// An order that stands, and the one that takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modify {
    /// The order that goes.
    pub target: OrderReference,
    /// The one that comes, whole.
    pub order: Order,
}

/// An order that is on the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderReference {
    /// The exchange's order id.
    Oid(u64),
    /// The client's own id, not zero.
    Cloid(u128),
}

/// A TWAP: the exchange trades the size in slices, at whatever the market asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwapOrder {
    /// The full asset id.
    pub asset: u32,
    /// Buy or sell.
    pub is_buy: bool,
    /// The size of all slices together, base units.
    pub size: Decimal,
    /// Whether it may only reduce a position.
    pub reduce_only: bool,
    /// How long it runs; the exchange takes 5 to 1440.
    pub minutes: u32,
    /// Whether the slices come at random times.
    pub randomize: bool,
}

/// A payload for the vault and what is posted to the exchange once it is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What the payload's bytes are.
    pub payload_kind: PayloadKind,
    /// What goes to the vault.
    pub payload: Vec<u8>,
    /// The action as JSON text, as it must be posted.
    pub action_json: String,
    /// What was signed beside the action.
    pub envelope: Envelope,
}

impl Request {
    /// The HTTP body for the exchange endpoint.
    ///
    /// # Errors
    /// [`Error::RecoveryIdNotKnown`].
    pub fn exchange_body(&self, signature: &[u8; 65]) -> Result<String, Error> {
        let Envelope { nonce, vault_address, expires_after, .. } = self.envelope;
        exchange_body(&self.action_json, nonce, signature, vault_address.as_ref(), expires_after)
    }
}

/// The payload of an "order" action.
///
/// # Errors
/// [`Error::Refused`] when the exchange's own rules do not allow an order or the batch.
pub fn orders(
    envelope: &Envelope,
    orders: &[Order],
    grouping: Grouping,
    builder: Option<&Builder>,
) -> Result<Request, Error> {
    let grouping = match grouping {
        Grouping::Na => "na",
        Grouping::NormalTpsl => "normalTpsl",
        Grouping::PositionTpsl => "positionTpsl",
    };
    let orders = list(orders, order_json);
    let builder = builder.map_or_else(String::new, |Builder { address, fee }| {
        format!(r#","builder":{{"b":"{}","f":{fee}}}"#, hex(address))
    });
    l1(envelope, format!(r#"{{"type":"order","orders":{orders},"grouping":"{grouping}"{builder}}}"#))
}

/// The payload of a "cancel" action.
///
/// # Errors
/// [`Error::Refused`] when there is nothing to cancel, or too much.
pub fn cancels(envelope: &Envelope, cancels: &[Cancel]) -> Result<Request, Error> {
    let cancels = list(cancels, |Cancel { asset, oid }| format!(r#"{{"a":{asset},"o":{oid}}}"#));
    l1(envelope, format!(r#"{{"type":"cancel","cancels":{cancels}}}"#))
}

/// The payload of a "cancelByCloid" action: pairs of asset and client order id.
///
/// # Errors
/// [`Error::Refused`] when there is nothing to cancel, too much, or an id is zero.
pub fn cancels_by_cloid(envelope: &Envelope, cancels: &[(u32, u128)]) -> Result<Request, Error> {
    let cancels = list(cancels, |(asset, cloid)| format!(r#"{{"asset":{asset},"cloid":"0x{cloid:032x}"}}"#));
    l1(envelope, format!(r#"{{"type":"cancelByCloid","cancels":{cancels}}}"#))
}

/// The payload of a "modify" action.
///
/// # Errors
/// [`Error::Refused`] when the exchange's own rules do not allow the order.
pub fn modify(envelope: &Envelope, modify: &Modify) -> Result<Request, Error> {
    l1(envelope, format!(r#"{{"type":"modify",{}}}"#, modify_members(modify)))
}

/// The payload of a "batchModify" action.
///
/// # Errors
/// [`Error::Refused`] when the exchange's own rules do not allow an order, or there are none or too many.
pub fn batch_modify(envelope: &Envelope, modifies: &[Modify]) -> Result<Request, Error> {
    let modifies = list(modifies, |modify| format!("{{{}}}", modify_members(modify)));
    l1(envelope, format!(r#"{{"type":"batchModify","modifies":{modifies}}}"#))
}

/// The payload of a "twapOrder" action.
///
/// # Errors
/// [`Error::Refused`] when the size or the time is zero.
pub fn twap_order(envelope: &Envelope, twap: &TwapOrder) -> Result<Request, Error> {
    let TwapOrder { asset, is_buy, size, reduce_only, minutes, randomize } = twap;
    let size = size.as_str();
    l1(
        envelope,
        format!(
            r#"{{"type":"twapOrder","twap":{{"a":{asset},"b":{is_buy},"s":"{size}","r":{reduce_only},"m":{minutes},"t":{randomize}}}}}"#
        ),
    )
}

/// The payload of a "twapCancel" action.
///
/// # Errors
/// [`Error::EnvelopeTooLarge`].
pub fn twap_cancel(envelope: &Envelope, cancel: &TwapCancel) -> Result<Request, Error> {
    let TwapCancel { asset, twap_id } = cancel;
    l1(envelope, format!(r#"{{"type":"twapCancel","a":{asset},"t":{twap_id}}}"#))
}

/// The payload of a "scheduleCancel" action: all orders are cancelled at `time`, ms since the Unix epoch; without
/// one the schedule is taken away.
///
/// # Errors
/// [`Error::EnvelopeTooLarge`].
pub fn schedule_cancel(envelope: &Envelope, time: Option<u64>) -> Result<Request, Error> {
    let time = time.map_or_else(String::new, |time| format!(r#","time":{time}"#));
    l1(envelope, format!(r#"{{"type":"scheduleCancel"{time}}}"#))
}

/// The payload of an "updateIsolatedMargin" action; the amount is in millionths of a dollar.
///
/// # Errors
/// [`Error::EnvelopeTooLarge`].
pub fn update_isolated_margin(envelope: &Envelope, update: &UpdateIsolatedMargin) -> Result<Request, Error> {
    let UpdateIsolatedMargin { asset, is_buy, amount } = update;
    l1(
        envelope,
        format!(r#"{{"type":"updateIsolatedMargin","asset":{asset},"isBuy":{is_buy},"ntli":{amount}}}"#),
    )
}

/// The payload of a "vaultTransfer" action; the amount is in millionths of a dollar.
///
/// # Errors
/// [`Error::EnvelopeTooLarge`].
pub fn vault_transfer(envelope: &Envelope, transfer: &VaultTransfer) -> Result<Request, Error> {
    let VaultTransfer { vault, is_deposit, amount } = transfer;
    let vault = hex(vault);
    l1(
        envelope,
        format!(
            r#"{{"type":"vaultTransfer","vaultAddress":"{vault}","isDeposit":{is_deposit},"usd":{amount}}}"#
        ),
    )
}

/// The payload of an "updateLeverage" action.
///
/// # Errors
/// [`Error::Refused`] when the leverage is zero.
pub fn update_leverage(envelope: &Envelope, update: &UpdateLeverage) -> Result<Request, Error> {
    let UpdateLeverage { asset, is_cross, leverage } = update;
    l1(
        envelope,
        format!(r#"{{"type":"updateLeverage","asset":{asset},"isCross":{is_cross},"leverage":{leverage}}}"#),
    )
}

/// The payload of an action that another library made, as JSON text in any order of members.
///
/// # Errors
/// [`Error::Refused`] when the vault's decoder does.
pub fn raw(payload_kind: PayloadKind, envelope: &Envelope, action_json: String) -> Result<Request, Error> {
    let form = if payload_kind == PayloadKind::HyperliquidL1Json {
        Form::L1Json
    } else if payload_kind == PayloadKind::HyperliquidUserJson {
        Form::UserJson
    } else {
        return Err(Error::Refused(Refusal::PayloadKindNotSupported.into()));
    };
    let mut payload = vec![0; ENVELOPE_SIZE_MAX];
    let size = envelope.write(&Claims::default(), &mut payload).ok_or(Error::EnvelopeTooLarge)?;
    payload.truncate(size);
    payload.extend_from_slice(action_json.as_bytes());
    let mut scratch = Box::new(Scratch::new());
    decode(form, &payload, &mut scratch).map_err(Error::Refused)?;
    Ok(Request { payload_kind, payload, action_json, envelope: *envelope })
}

/// The HTTP body of the exchange endpoint: r and s as 32 bytes each, v as 27 or 28, the vault exactly as signed.
///
/// # Errors
/// [`Error::RecoveryIdNotKnown`] when the signature's last byte is neither 0 or 1 nor 27 or 28.
pub fn exchange_body(
    action_json: &str,
    nonce: u64,
    signature: &[u8; 65],
    vault_address: Option<&Address>,
    expires_after: Option<u64>,
) -> Result<String, Error> {
    let [scalars @ .., last] = signature;
    let v = match last {
        0 | 1 => last + 27,
        27 | 28 => *last,
        _ => return Err(Error::RecoveryIdNotKnown(*last)),
    };
    let (r, s) = scalars.split_at(32);
    let vault_address =
        vault_address.map_or_else(|| "null".to_owned(), |vault| format!("\"{}\"", hex(vault)));
    let expires_after = expires_after.map_or_else(|| "null".to_owned(), |time| time.to_string());
    Ok(format!(
        r#"{{"action":{action_json},"nonce":{nonce},"signature":{{"r":"{}","s":"{}","v":{v}}},"vaultAddress":{vault_address},"expiresAfter":{expires_after}}}"#,
        hex(r),
        hex(s),
    ))
}

fn l1(envelope: &Envelope, action_json: String) -> Result<Request, Error> {
    raw(PayloadKind::HyperliquidL1Json, envelope, action_json)
}

fn modify_members(modify: &Modify) -> String {
    let order = order_json(&modify.order);
    match modify.target {
        OrderReference::Oid(oid) => format!(r#""oid":{oid},"order":{order}"#),
        OrderReference::Cloid(cloid) => format!(r#""oid":"0x{cloid:032x}","order":{order}"#),
    }
}

fn order_json(order: &Order) -> String {
    let kind = match &order.kind {
        OrderKind::Limit { tif } => {
            let tif = match tif {
                TimeInForce::Alo => "Alo",
                TimeInForce::Ioc => "Ioc",
                TimeInForce::Gtc => "Gtc",
                TimeInForce::FrontendMarket => "FrontendMarket",
            };
            format!(r#"{{"limit":{{"tif":"{tif}"}}}}"#)
        }
        OrderKind::Trigger { is_market, price, tpsl } => format!(
            r#"{{"trigger":{{"isMarket":{is_market},"triggerPx":"{}","tpsl":"{}"}}}}"#,
            price.as_str(),
            tpsl.as_str()
        ),
    };
    let cloid = order.cloid.map_or_else(String::new, |cloid| format!(r#","c":"0x{cloid:032x}""#));
    format!(
        r#"{{"a":{},"b":{},"p":"{}","s":"{}","r":{},"t":{kind}{cloid}}}"#,
        order.asset,
        order.is_buy,
        order.price.as_str(),
        order.size.as_str(),
        order.reduce_only,
    )
}

fn list<T>(elements: &[T], json: impl Fn(&T) -> String) -> String {
    let elements: Vec<String> = elements.iter().map(json).collect();
    format!("[{}]", elements.join(","))
}

fn hex(bytes: &[u8]) -> String {
    let mut text = "0x".to_owned();
    for byte in bytes {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
