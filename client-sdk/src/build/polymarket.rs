//! Polymarket orders and ClobAuth: the typed data that goes to the vault, the amounts that an order signs, and the
//! signature of a deposit wallet.
//!
//! Guarantees: what a builder returns was read by the vault's own decoder and says what was asked for; whether
//! the vault's book allows it is another question. Amounts are computed in integers, exactly as the venue's
//! Decimal client does: `shares` are rounded down to hundredths, `collateral` of a limit order is their exact
//! product with the price.
//! Refuses: prices off the tick, outside (0, 1), and amounts that round to nothing.
//!
//! ```
//! use client_sdk::build::polymarket::{
//!     Exchange, Order, Side, SignatureType, Terms, Tick, U256, deployment, limit_amounts, order,
//! };
//!
//! // BUY 100.5 shares at 0.42
//! let amounts = limit_amounts(Side::Buy, 420_000, 100_500_000, Tick::Cent)?;
//! assert_eq!((amounts.maker, amounts.taker), (42_210_000, 100_500_000));
//! let own = [0x11; 20];
//! let request = order(&Order {
//!     deployment: deployment(Exchange::V2, 137).expect("on Polygon"),
//!     salt: U256::from(23_333_470_186_u64),
//!     maker: own,
//!     signer: own,
//!     token_id: U256::from(7_001),
//!     maker_amount: U256::from(amounts.maker),
//!     taker_amount: U256::from(amounts.taker),
//!     side: Side::Buy,
//!     signature_type: SignatureType::Eoa,
//!     terms: Terms::V2 { timestamp: U256::from(1_790_000_000_000_u64), metadata: [0; 32], builder: [0; 32] },
//!     wallet: None,
//! })?;
//! assert!(request.payload.starts_with(br#"{"types":{"EIP712Domain":["#));
//! # Ok::<(), client_sdk::build::polymarket::Error>(())
//! ```

use std::fmt::{self, Write as _};

use venues::polymarket::{CLOBS, Content, DEPLOYMENTS, decode, texts};
use venues::{Address, Payload as _};
use wire::Why;

pub use venues::U256;
pub use venues::polymarket::rules::Exchange;
pub use venues::polymarket::{Deployment, Order, Side, SignatureType, Terms};

/// One share, one unit of collateral, a price of 1: both tokens have six decimals.
pub const ONE: u64 = 1_000_000;

/// Shares are rounded down to hundredths, and so is the collateral of a market BUY.
const SIZE_STEP: u64 = 10_000;

/// Why nothing was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The price is not between 0 and 1, both excluded, or not a multiple of the tick.
    PriceOffTick,
    /// An amount rounds to nothing, or does not fit 64 bits.
    AmountOutOfRange,
    /// The venue has no order book on this chain.
    ChainNotKnown(u64),
    /// The vault's decoder would refuse the message.
    Refused(Why),
    /// The message says another thing than what was asked: parts that do not belong together, such as the terms
    /// of version 1 on an exchange of version 2.
    NotAsAsked,
    /// The signature's last byte is not a recovery id: 0 or 1, or 27 or 28.
    RecoveryIdNotKnown(u8),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PriceOffTick => {
                formatter.write_str("the price is not a multiple of the tick between 0 and 1")
            }
            Self::AmountOutOfRange => formatter.write_str("an amount rounds to nothing or is too large"),
            Self::ChainNotKnown(chain_id) => write!(formatter, "there is no order book on chain {chain_id}"),
            Self::Refused(why) => formatter.write_str(why.refusal.explanation()),
            Self::NotAsAsked => formatter.write_str("the parts of the order do not belong together"),
            Self::RecoveryIdNotKnown(byte) => write!(formatter, "{byte} is not a recovery id"),
        }
    }
}

impl std::error::Error for Error {}

/// The step of a market's prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// 0.1
    Tenth,
    /// 0.01
    Cent,
    /// 0.005
    HalfCent,
    /// 0.0025
    QuarterCent,
    /// 0.001
    Thousandth,
    /// 0.0001
    TenThousandth,
}

impl Tick {
    /// The tick, 10^-6.
    #[must_use]
    pub const fn step(self) -> u64 {
        match self {
            Self::Tenth => 100_000,
            Self::Cent => 10_000,
            Self::HalfCent => 5_000,
            Self::QuarterCent => 2_500,
            Self::Thousandth => 1_000,
            Self::TenThousandth => 100,
        }
    }

    /// What the other amount of a market order is rounded down to, 10^-6: two decimals more than a price has.
    const fn amount_step(self) -> u64 {
        match self {
            Self::Tenth => 1_000,
            Self::Cent => 100,
            Self::HalfCent | Self::Thousandth => 10,
            Self::QuarterCent | Self::TenThousandth => 1,
        }
    }

    fn check(self, price: u64) -> Result<(), Error> {
        if price == 0 || price >= ONE || !price.is_multiple_of(self.step()) {
            return Err(Error::PriceOffTick);
        }
        Ok(())
    }
}

/// The two amounts of an order, 10^-6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    /// What the maker gives: collateral of a BUY, shares of a SELL.
    pub maker: u64,
    /// What the maker gets.
    pub taker: u64,
}

impl Amounts {
    fn of(side: Side, collateral: u64, shares: u64) -> Result<Self, Error> {
        if collateral == 0 || shares == 0 {
            return Err(Error::AmountOutOfRange);
        }
        Ok(match side {
            Side::Buy => Self { maker: collateral, taker: shares },
            Side::Sell => Self { maker: shares, taker: collateral },
        })
    }
}

/// The amounts of a limit order: `price` (10^-6) and `shares` (10^-6, rounded down to hundredths).
///
/// # Errors
/// [`Error::PriceOffTick`], [`Error::AmountOutOfRange`].
pub fn limit_amounts(side: Side, price: u64, shares: u64, tick: Tick) -> Result<Amounts, Error> {
    tick.check(price)?;
    let shares = round_down(shares, SIZE_STEP);
    Amounts::of(side, product(shares, price)?, shares)
}

/// The amounts of a market BUY: `collateral` (10^-6, rounded down to hundredths) is spent, at no more than `price`
/// (10^-6) but for the rounding of the shares.
///
/// # Errors
/// [`Error::PriceOffTick`], [`Error::AmountOutOfRange`].
pub fn market_buy_amounts(price: u64, collateral: u64, tick: Tick) -> Result<Amounts, Error> {
    tick.check(price)?;
    let collateral = round_down(collateral, SIZE_STEP);
    let shares = u128::from(collateral) * u128::from(ONE) / u128::from(price);
    let shares = u64::try_from(shares).map_err(|_| Error::AmountOutOfRange)?;
    Amounts::of(Side::Buy, collateral, round_down(shares, tick.amount_step()))
}

/// The amounts of a market SELL: `shares` (10^-6, rounded down to hundredths) are sold, at no less than `price`
/// (10^-6).
///
/// # Errors
/// [`Error::PriceOffTick`], [`Error::AmountOutOfRange`].
pub fn market_sell_amounts(price: u64, shares: u64, tick: Tick) -> Result<Amounts, Error> {
    limit_amounts(Side::Sell, price, shares, tick)
}

fn round_down(value: u64, step: u64) -> u64 {
    value - value % step
}

/// Exact: hundredths of a share times a price of four decimals has six.
fn product(shares: u64, price: u64) -> Result<u64, Error> {
    u64::try_from(u128::from(shares) * u128::from(price) / u128::from(ONE))
        .map_err(|_| Error::AmountOutOfRange)
}

/// Where an exchange is on a chain.
#[must_use]
pub fn deployment(exchange: Exchange, chain_id: u64) -> Option<&'static Deployment> {
    DEPLOYMENTS.iter().find(|known| known.exchange == exchange && known.chain_id == chain_id)
}

/// A payload for the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What goes to the vault, of kind [`crate::PayloadKind::PolymarketTypedData`]: JSON text.
    pub payload: Vec<u8>,
    /// What the vault will sign.
    pub digest: [u8; 32],
    /// The order, unless it is a ClobAuth.
    order: Option<Order>,
}

impl Request {
    /// The signature as the order book takes it: `r ‖ s ‖ v` with v 27 or 28; for a deposit wallet (ERC-7739)
    /// behind it the exchange's domain separator, the hash of the order, its type and the type's length in two
    /// bytes.
    ///
    /// # Errors
    /// [`Error::RecoveryIdNotKnown`].
    pub fn wire_signature(&self, signature: &[u8; 65]) -> Result<Vec<u8>, Error> {
        let [scalars @ .., last] = signature;
        let v = match last {
            0 | 1 => last + 27,
            27 | 28 => *last,
            _ => return Err(Error::RecoveryIdNotKnown(*last)),
        };
        let mut wire = [&scalars[..], &[v]].concat();
        if let Some(order) = self.order.filter(|order| order.wallet.is_some()) {
            let order_type = texts::ORDER_V2_ENCODED.as_bytes();
            let size = u16::try_from(order_type.len()).map_err(|_| Error::NotAsAsked)?;
            wire.extend_from_slice(&order.deployment.domain_separator);
            wire.extend_from_slice(&order.struct_hash());
            wire.extend_from_slice(order_type);
            wire.extend_from_slice(&size.to_be_bytes());
        }
        Ok(wire)
    }
}

/// The payload of an order; with a `wallet`, inside TypedDataSign.
///
/// # Errors
/// [`Error::Refused`] when the vault's decoder does, [`Error::NotAsAsked`].
pub fn order(order: &Order) -> Result<Request, Error> {
    let deployment = order.deployment;
    let domain = format!(
        r#"{{"name":"{}","version":"{}","chainId":{},"verifyingContract":"{}"}}"#,
        texts::EXCHANGE_NAME,
        deployment.exchange.domain_version(),
        deployment.chain_id,
        hex(&deployment.contract),
    );
    let contents = order_json(order);
    let json = match (&order.wallet, &order.terms) {
        (Some(wallet), _) => {
            let message = format!(
                r#"{{"contents":{contents},"name":"{}","version":"1","chainId":{},"verifyingContract":"{}","salt":"{}"}}"#,
                texts::WALLET_NAME,
                deployment.chain_id,
                hex(wallet),
                hex(&[0; 32]),
            );
            document(&texts::NESTED_ORDER_TYPES, "TypedDataSign", &domain, &message)
        }
        (None, Terms::V1 { .. }) => document(&texts::ORDER_V1_TYPES, "Order", &domain, &contents),
        (None, Terms::V2 { .. }) => document(&texts::ORDER_V2_TYPES, "Order", &domain, &contents),
    };
    let request = raw(json)?;
    if request.order.as_ref() != Some(order) {
        return Err(Error::NotAsAsked);
    }
    Ok(request)
}

/// The payload of a ClobAuth: `timestamp` in seconds since the Unix epoch, `nonce` says which credentials.
///
/// # Errors
/// [`Error::ChainNotKnown`]; [`Error::Refused`] when the vault's decoder does.
pub fn clob_auth(chain_id: u64, address: &Address, timestamp: u64, nonce: u64) -> Result<Request, Error> {
    if !CLOBS.iter().any(|clob| clob.chain_id == chain_id) {
        return Err(Error::ChainNotKnown(chain_id));
    }
    let domain = format!(r#"{{"name":"{}","version":"1","chainId":{chain_id}}}"#, texts::CLOB_AUTH_NAME);
    let message = format!(
        r#"{{"address":"{}","timestamp":"{timestamp}","nonce":{nonce},"message":"{}"}}"#,
        hex(address),
        texts::ATTESTATION,
    );
    raw(document(&texts::CLOB_AUTH_TYPES, "ClobAuth", &domain, &message))
}

/// The payload of typed data that another library made, as the JSON text of eth_signTypedData_v4.
///
/// # Errors
/// [`Error::Refused`] when the vault's decoder does.
pub fn raw(json: String) -> Result<Request, Error> {
    let message = decode(json.as_bytes()).map_err(Error::Refused)?;
    let order = match message.content() {
        Content::Order(order) => Some(*order),
        Content::ClobAuth(_) => None,
    };
    let digest = message.label();
    Ok(Request { payload: json.into_bytes(), digest, order })
}

fn document(types: &[(&str, &str)], primary_type: &str, domain: &str, message: &str) -> String {
    let types: Vec<_> = types.iter().map(|(name, fields)| format!("\"{name}\":{fields}")).collect();
    let types = types.join(",");
    format!(r#"{{"types":{{{types}}},"primaryType":"{primary_type}","domain":{domain},"message":{message}}}"#)
}

/// Integers as text, since JavaScript would round them.
fn order_json(order: &Order) -> String {
    let Order { salt, maker, signer, token_id, maker_amount, taker_amount, .. } = order;
    let (taker, terms) = match &order.terms {
        Terms::V1 { taker, expiration, nonce, fee_rate_bps } => (
            format!(r#""taker":"{}","#, hex(taker)),
            format!(r#""expiration":"{expiration}","nonce":"{nonce}","feeRateBps":"{fee_rate_bps}""#),
        ),
        Terms::V2 { timestamp, metadata, builder } => (
            String::new(),
            format!(
                r#""timestamp":"{timestamp}","metadata":"{}","builder":"{}""#,
                hex(metadata),
                hex(builder)
            ),
        ),
    };
    format!(
        r#"{{"salt":"{salt}","maker":"{}","signer":"{}",{taker}"tokenId":"{token_id}","makerAmount":"{maker_amount}","takerAmount":"{taker_amount}","side":{},"signatureType":{},{terms}}}"#,
        hex(maker),
        hex(signer),
        order.side as u8,
        order.signature_type as u8,
    )
}

fn hex(bytes: &[u8]) -> String {
    let mut text = "0x".to_owned();
    for byte in bytes {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
