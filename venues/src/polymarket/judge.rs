//! The judgement: which rule of the book a message breaks first.
//!
//! The order is fixed: chain; grant; who makes and who signs; market, exchange and side; amounts, price and
//! collateral; what only the version signs; the salt. A price is the ratio of collateral to shares and is
//! compared by cross products: nothing is divided, nothing is rounded.

use wire::{Now, Refusal, Shown, Venue, Why};

use super::rules::{ClobAuthLimits, DECIMALS, Limits, MarketLimits, ONE, OrderLimits, V1Limits, V2Limits};
use super::{ClobAuth, Content, Order, Side, SignatureType, Terms};
use crate::payload::{IdSpace, SINGLE_USE_IDS_MAX, SingleUseId};
use crate::{Address, Charge, Exposures, Market, U256};

/// Judges `content`, signed by the key whose address is `account`, by `limits`.
pub(super) fn judge(
    content: &Content,
    limits: &Limits<'_>,
    account: &Address,
    now: Now,
) -> Result<Charge, Why> {
    let chain_id = match content {
        Content::Order(order) => order.deployment.chain_id,
        Content::ClobAuth(clob_auth) => clob_auth.clob.chain_id,
    };
    if !limits.chains.contains(&chain_id) {
        return Err(Why::new(Refusal::ChainNotAllowed).observed(Shown::uint(chain_id)));
    }
    match (content, &limits.order, &limits.clob_auth) {
        (Content::Order(order), Some(granted), _) => judge_order(order, granted, account, now),
        (Content::Order(_), None, _) => Err(Refusal::OrderNotAllowed.into()),
        (Content::ClobAuth(clob_auth), _, Some(granted)) => {
            judge_clob_auth(clob_auth, granted, account, now)?;
            Ok(Charge::default())
        }
        (Content::ClobAuth(_), _, None) => Err(Refusal::ClobAuthNotAllowed.into()),
    }
}

fn judge_order(order: &Order, limits: &OrderLimits<'_>, account: &Address, now: Now) -> Result<Charge, Why> {
    judge_parties(order, limits, account)?;
    let market = market(order, limits.markets)?;
    judge_amounts(order, market, limits.rounding_max)?;
    match (&order.terms, &limits.v1, &limits.v2) {
        (Terms::V1 { .. }, Some(granted), _) => judge_v1(&order.terms, granted, now)?,
        (Terms::V2 { .. }, _, Some(granted)) => judge_v2(&order.terms, granted, now)?,
        (Terms::V1 { .. }, None, _) | (Terms::V2 { .. }, _, None) => {
            return Err(Refusal::OrderNotAllowed.into());
        }
    }
    if limits.salt_53_bits && order.salt.bit_len() > 53 {
        return Err(Why::new(Refusal::SaltTooLarge)
            .observed(uint256(order.salt))
            .limit(Shown::uint((1 << 53) - 1)));
    }
    let salt = SingleUseId {
        space: IdSpace::PolymarketSalt,
        chain_id: order.deployment.chain_id,
        id: order.salt.to_be_bytes(),
    };
    let mut single_use_ids = [None; SINGLE_USE_IDS_MAX];
    if let Some(first) = single_use_ids.first_mut() {
        *first = Some(salt);
    }
    Ok(Charge { single_use_ids, ..Charge::default() })
}

/// Maker and signer by signature type:
///
/// ```text
/// type                maker                         signer
/// 0 EOA               this key                      this key
/// 1 POLY_PROXY        one of the listed proxies     this key
/// 2 POLY_GNOSIS_SAFE  one of the listed Safes       this key
/// 3 POLY_1271         the wallet of TypedDataSign, one of the listed deposit wallets, both
/// ```
fn judge_parties(order: &Order, limits: &OrderLimits<'_>, account: &Address) -> Result<(), Why> {
    let (funders, wallet) = match (order.signature_type, &order.wallet) {
        (SignatureType::Poly1271, Some(wallet)) => (limits.deposit_wallets, wallet),
        (SignatureType::Poly1271, None) => return Err(Refusal::WalletOrderNotNested.into()),
        (signature_type, Some(_)) => {
            return Err(Why::new(Refusal::NestedOrderNotOfWallet)
                .observed(Shown::uint((signature_type as u8).into())));
        }
        (SignatureType::Eoa, None) => return judge_eoa(order, limits.eoa, account),
        (SignatureType::PolyProxy, None) => (limits.proxies, account),
        (SignatureType::PolyGnosisSafe, None) => (limits.safes, account),
    };
    if funders.is_empty() {
        return Err(type_not_allowed(order));
    }
    if order.wallet.is_some() {
        require_same(&order.maker, wallet, Refusal::MakerNotWallet)?;
        require_same(&order.signer, wallet, Refusal::OrderSignerNotWallet)?;
    } else {
        require_same(&order.signer, account, Refusal::OrderSignerNotThisKey)?;
    }
    if !funders.contains(&order.maker) {
        return Err(Why::new(Refusal::MakerNotAllowed).observed(Shown::Address(order.maker)));
    }
    Ok(())
}

fn judge_eoa(order: &Order, granted: bool, account: &Address) -> Result<(), Why> {
    if !granted {
        return Err(type_not_allowed(order));
    }
    require_same(&order.signer, account, Refusal::OrderSignerNotThisKey)?;
    require_same(&order.maker, account, Refusal::MakerNotThisKey)
}

fn type_not_allowed(order: &Order) -> Why {
    Why::new(Refusal::SignatureTypeNotAllowed).observed(Shown::uint((order.signature_type as u8).into()))
}

fn require_same(address: &Address, wanted: &Address, refusal: Refusal) -> Result<(), Why> {
    if address == wanted {
        return Ok(());
    }
    Err(Why::new(refusal).observed(Shown::Address(*address)).limit(Shown::Address(*wanted)))
}

/// The entry that names the token on the order's exchange, if it grants the side.
fn market<'e, 'b>(order: &Order, markets: &'e [MarketLimits<'b>]) -> Result<&'e MarketLimits<'b>, Why> {
    let named = || markets.iter().filter(|market| market.token_ids.contains(&order.token_id));
    if named().next().is_none() {
        return Err(Why::new(Refusal::TokenIdNotAllowed).observed(uint256(order.token_id)));
    }
    let market = named()
        .find(|market| market.exchanges.contains(&order.deployment.exchange))
        .ok_or(Why::new(Refusal::ExchangeNotAllowed).observed(Shown::Address(order.deployment.contract)))?;
    let granted = match order.side {
        Side::Buy => market.buy,
        Side::Sell => market.sell,
    };
    if granted { Ok(market) } else { Err(Refusal::SideNotAllowed.into()) }
}

/// Shares, price and collateral. At most the book's `rounding` is added to a BUY's shares where its price is held
/// against the top of the collar; the price of 1 and all caps are exact.
fn judge_amounts(order: &Order, market: &MarketLimits<'_>, rounding: u64) -> Result<(), Why> {
    let (collateral, shares) = order.collateral_and_shares();
    if collateral.is_zero() || shares.is_zero() {
        return Err(Refusal::OrderAmountZero.into());
    }
    let shares = at_most(shares, market.shares_max, Refusal::SharesAboveCap)?;
    let Some(collateral) = u64::try_from(collateral).ok().filter(|collateral| *collateral <= shares) else {
        return Err(Why::new(Refusal::PriceAboveOne)
            .observed(uint256(collateral))
            .limit(Shown::uint(shares)));
    };
    // Each factor is below 2^65: no product leaves 128 bits.
    let [collateral, shares] = [collateral, shares].map(u128::from);
    let [price_min, price_max, one] = [market.price_min, market.price_max, ONE].map(u128::from);
    let forgiven = match order.side {
        Side::Buy => u128::from(rounding),
        Side::Sell => 0,
    };
    let price = |refusal, limit| {
        let units = (collateral * one).checked_div(shares).unwrap_or_default();
        Why::new(refusal)
            .observed(Shown::Decimal { units, scale: DECIMALS })
            .limit(Shown::Decimal { units: limit, scale: DECIMALS })
    };
    if collateral * one < price_min * shares {
        return Err(price(Refusal::SharePriceBelowCollar, price_min));
    }
    if collateral * one > price_max * (shares + forgiven) {
        return Err(price(Refusal::SharePriceAboveCollar, price_max));
    }
    let worst = worst_collateral(order.side, collateral, shares, price_max);
    let cap = u128::from(market.collateral_max);
    if worst > cap * one {
        return Err(Why::new(Refusal::OrderCollateralAboveCap)
            .observed(Shown::Decimal { units: worst.div_ceil(one), scale: DECIMALS })
            .limit(Shown::Decimal { units: cap, scale: DECIMALS }));
    }
    Ok(())
}

/// What an order is worth at most, in collateral times [`ONE`]: a BUY gives what it says; the shares of a SELL are worth
/// up to the top of the collar.
fn worst_collateral(side: Side, collateral: u128, shares: u128, price_max: u128) -> u128 {
    match side {
        Side::Buy => collateral.saturating_mul(u128::from(ONE)),
        Side::Sell => price_max.saturating_mul(shares),
    }
}

/// Puts an order at its worst in micro-USD on its token: collateral has six decimals and counts as dollars.
pub(super) fn expose_order(
    order: &Order,
    limits: &OrderLimits<'_>,
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let market = market(order, limits.markets)?;
    let (collateral, shares) = order.collateral_and_shares();
    let [collateral, shares] = [collateral, shares].map(|units| u128::try_from(units).unwrap_or(u128::MAX));
    let worst = worst_collateral(order.side, collateral, shares, market.price_max.into());
    let token = Market { venue: Venue::Polymarket, id: order.token_id.to_be_bytes() };
    exposures.add(token, false, worst.div_ceil(ONE.into()))
}

fn judge_v1(terms: &Terms, limits: &V1Limits<'_>, now: Now) -> Result<(), Why> {
    let Terms::V1 { taker, expiration, nonce, fee_rate_bps } = terms else {
        return Err(Refusal::OrderNotAllowed.into());
    };
    if *taker != [0; 20] && !limits.takers.contains(taker) {
        return Err(Why::new(Refusal::OrderTakerNotAllowed).observed(Shown::Address(*taker)));
    }
    at_most(*fee_rate_bps, limits.fee_rate_bps_max, Refusal::FeeRateAboveCap)?;
    at_most(*nonce, limits.nonce_max, Refusal::MakerNonceAboveCap)?;
    if expiration.is_zero() {
        return if limits.without_expiration { Ok(()) } else { Err(Refusal::ExpirationMissing.into()) };
    }
    let now_s = now.wall_ms / 1000;
    if *expiration <= U256::from(now_s) {
        return Err(Why::new(Refusal::ExpirationPassed)
            .observed(uint256(*expiration))
            .limit(Shown::uint(now_s)));
    }
    let latest = now_s.saturating_add(limits.expiration_ahead_max_s);
    at_most(*expiration, latest, Refusal::ExpirationTooFar)?;
    Ok(())
}

fn judge_v2(terms: &Terms, limits: &V2Limits<'_>, now: Now) -> Result<(), Why> {
    let Terms::V2 { timestamp, metadata, builder } = terms else {
        return Err(Refusal::OrderNotAllowed.into());
    };
    let window = [limits.timestamp_behind_max_ms, limits.timestamp_ahead_max_ms];
    require_near(*timestamp, now.wall_ms, window)?;
    for (word, listed, refusal) in [
        (metadata, limits.metadata, Refusal::MetadataNotAllowed),
        (builder, limits.builders, Refusal::BuilderCodeNotAllowed),
    ] {
        if *word != [0; 32] && !listed.allows(word) {
            return Err(Why::new(refusal).observed(Shown::Key(*word)));
        }
    }
    Ok(())
}

fn judge_clob_auth(
    clob_auth: &ClobAuth,
    limits: &ClobAuthLimits,
    account: &Address,
    now: Now,
) -> Result<(), Why> {
    require_same(&clob_auth.address, account, Refusal::AuthAddressNotThisKey)?;
    let window = [limits.timestamp_behind_max_s, limits.timestamp_ahead_max_s];
    require_near(U256::from(clob_auth.timestamp), now.wall_ms / 1000, window)?;
    at_most(clob_auth.nonce, limits.nonce_max, Refusal::AuthNonceAboveCap)?;
    Ok(())
}

/// Whether a timestamp lies at most `behind` before and `ahead` after `now`, all in the same unit.
fn require_near(timestamp: U256, now: u64, [behind, ahead]: [u64; 2]) -> Result<(), Why> {
    let earliest = now.saturating_sub(behind);
    if timestamp < U256::from(earliest) {
        return Err(Why::new(Refusal::TimestampTooOld)
            .observed(uint256(timestamp))
            .limit(Shown::uint(earliest)));
    }
    at_most(timestamp, now.saturating_add(ahead), Refusal::TimestampTooFarAhead)?;
    Ok(())
}

/// The value, if it is no larger than `cap`.
fn at_most(value: U256, cap: u64, refusal: Refusal) -> Result<u64, Why> {
    u64::try_from(value)
        .ok()
        .filter(|value| *value <= cap)
        .ok_or(Why::new(refusal).observed(uint256(value)).limit(Shown::uint(cap)))
}

fn uint256(value: U256) -> Shown {
    Shown::Uint256(value.to_be_bytes())
}
