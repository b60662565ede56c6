//! What the rules refuse, and under which name.

use venues::book_value::AnyOr;
use venues::polymarket::decode;
use venues::polymarket::rules::{
    ClobAuthLimits, Exchange, Limits, MarketLimits, OrderLimits, V1Limits, V2Limits,
};
use venues::{IdSpace, Payload, SingleUseId, U256};
use wire::{Now, Refusal, Shown, Why};

use crate::draft::{
    Changes, NOW_MS, OWN, OWN_TEXT, STRANGER_TEXT, TOKEN_ID, V3_EXCHANGE, WALLET, WALLET_TEXT, clob_auth,
    nested, v1, v2,
};
use crate::witness::Witness as _;

const TOKENS: &[U256] = &[U256::from_limbs([TOKEN_ID, 0, 0, 0])];
const LISTED: [u8; 32] = [0xbb; 32];
const LISTED_TEXT: &str = "\"0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"";
const OTHER_TEXT: &str = "\"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\"";
const TAKER: [u8; 20] = [0x77; 20];
const TAKER_TEXT: &str = "\"0x7777777777777777777777777777777777777777\"";

/// Up to 1,000 shares, 0.2 to 0.6, 400 of collateral.
const MARKET: MarketLimits<'static> = MarketLimits {
    exchanges: &[Exchange::V1, Exchange::V2],
    token_ids: TOKENS,
    buy: true,
    sell: true,
    price_min: 200_000,
    price_max: 600_000,
    shares_max: 1_000_000_000,
    collateral_max: 400_000_000,
};

const V1: V1Limits<'static> = V1Limits {
    fee_rate_bps_max: 100,
    nonce_max: 5,
    takers: &[TAKER],
    expiration_ahead_max_s: 3600,
    without_expiration: true,
};

const V2: V2Limits<'static> = V2Limits {
    timestamp_behind_max_ms: 2000,
    timestamp_ahead_max_ms: 1000,
    builders: AnyOr::Listed(&[LISTED]),
    metadata: AnyOr::Listed(&[LISTED]),
};

const ORDER: OrderLimits<'static> = OrderLimits {
    eoa: true,
    proxies: &[WALLET],
    safes: &[WALLET],
    deposit_wallets: &[WALLET],
    rounding_max: 100,
    salt_53_bits: true,
    markets: &[MARKET],
    v1: Some(V1),
    v2: Some(V2),
};

const LIMITS: Limits<'static> = Limits {
    chains: &[137],
    order: Some(ORDER),
    clob_auth: Some(ClobAuthLimits { timestamp_behind_max_s: 20, timestamp_ahead_max_s: 10, nonce_max: 3 }),
};

fn judged(text: &str, limits: &Limits<'_>) -> Result<venues::Charge, Why> {
    let now = Now { monotonic_ms: 7, wall_ms: NOW_MS };
    decode(text.as_bytes()).unwrap().judge(limits, &OWN, now).witnessed()
}

fn refusal(text: &str, limits: &Limits<'_>) -> Option<Refusal> {
    judged(text, limits).err().map(|why| why.refusal)
}

macro_rules! rows {
    ($($name:ident: $text:expr $(, $refusal:ident)?;)+) => {
        $(#[test]
        fn $name() {
            let expected: &[Refusal] = &[$(Refusal::$refusal)?];
            assert_eq!(refusal(&$text, &LIMITS).as_slice(), expected);
        })+
    };
}

/// An order from a wallet of `signature_type`.
fn of_type(signature_type: &'static str) -> [(&'static str, &'static str); 2] {
    [("signatureType", signature_type), ("maker", WALLET_TEXT)]
}

fn sell(maker_amount: &str, taker_amount: &str) -> String {
    v2(&[("side", "1"), ("makerAmount", maker_amount), ("takerAmount", taker_amount)])
}

fn buy(maker_amount: &str, taker_amount: &str) -> String {
    v2(&[("makerAmount", maker_amount), ("takerAmount", taker_amount)])
}

rows! {
    an_order_of_version_1: v1(&[]);
    an_order_of_version_2: v2(&[]);
    a_nested_order: nested(&[]);
    a_clob_auth: clob_auth(&[]);

    an_eoa_whose_signer_is_another: v1(&[("signer", STRANGER_TEXT)]), OrderSignerNotThisKey;
    an_eoa_whose_maker_is_another: v1(&[("maker", STRANGER_TEXT)]), MakerNotThisKey;
    an_eoa_whose_maker_is_a_listed_wallet: v2(&[("maker", WALLET_TEXT)]), MakerNotThisKey;
    a_proxy: v1(&of_type("1"));
    a_safe: v2(&of_type("2"));
    a_proxy_that_is_a_stranger: v2(&[("signatureType", "1"), ("maker", STRANGER_TEXT)]), MakerNotAllowed;
    a_safe_that_is_a_stranger: v1(&[("signatureType", "2"), ("maker", STRANGER_TEXT)]), MakerNotAllowed;
    a_proxy_that_is_the_key_itself: v1(&[("signatureType", "1")]), MakerNotAllowed;
    a_proxy_signed_by_another: v1(&[("signatureType", "1"), ("maker", WALLET_TEXT), ("signer", STRANGER_TEXT)]), OrderSignerNotThisKey;
    a_safe_that_signs_for_itself: v2(&[("signatureType", "2"), ("maker", WALLET_TEXT), ("signer", WALLET_TEXT)]), OrderSignerNotThisKey;
    a_wallet_order_that_is_not_nested: v2(&[("signatureType", "3"), ("maker", WALLET_TEXT), ("signer", WALLET_TEXT)]), WalletOrderNotNested;
    a_nested_order_of_an_eoa: nested(&[("contents.signatureType", "0"), ("contents.maker", OWN_TEXT), ("contents.signer", OWN_TEXT)]), NestedOrderNotOfWallet;
    a_nested_order_of_a_safe: nested(&[("contents.signatureType", "2"), ("contents.signer", OWN_TEXT)]), NestedOrderNotOfWallet;
    a_nested_order_whose_wallet_is_not_its_maker: nested(&[("verifyingContract", STRANGER_TEXT)]), MakerNotWallet;
    a_nested_order_whose_maker_is_another: nested(&[("contents.maker", STRANGER_TEXT)]), MakerNotWallet;
    a_nested_order_whose_signer_is_the_key: nested(&[("contents.signer", OWN_TEXT)]), OrderSignerNotWallet;
    a_nested_order_of_a_stranger: nested(&[("contents.maker", STRANGER_TEXT), ("contents.signer", STRANGER_TEXT), ("verifyingContract", STRANGER_TEXT)]), MakerNotAllowed;

    a_token_that_is_not_listed: v1(&[("tokenId", "7002")]), TokenIdNotAllowed;
    an_exchange_that_is_not_listed: v2(&[("domain.version", "\"3\""), ("domain.verifyingContract", V3_EXCHANGE)]), ExchangeNotAllowed;
    the_neg_risk_exchange_of_the_same_version: v1(&[("domain.verifyingContract", "\"0xC5d563A36AE78145C45a50134d48A1215220f80a\"")]), ExchangeNotAllowed;
    amoy: v1(&[("domain.chainId", "80002"), ("domain.verifyingContract", "\"0xdFE02Eb6733538f8Ea35D585af8DE5958AD99E40\"")]), ChainNotAllowed;

    a_buy_at_the_top: buy("60000000", "100000000");
    a_buy_above_the_top_by_less_than_the_rounding: buy("60000059", "100000000");
    a_buy_above_the_top_by_the_rounding: buy("60000060", "100000000");
    a_buy_above_the_top_by_more_than_the_rounding: buy("60000061", "100000000"), SharePriceAboveCollar;
    a_buy_at_the_bottom: buy("20000000", "100000000");
    a_buy_below_the_bottom: buy("19999999", "100000000"), SharePriceBelowCollar;
    a_buy_above_1: buy("5000000", "1000000"), PriceAboveOne;
    a_tiny_buy_above_1: buy("2", "1"), PriceAboveOne;
    a_tiny_buy_that_the_rounding_forgives_whole: buy("60", "60");
    a_tiny_buy_that_it_does_not: buy("400", "400"), SharePriceAboveCollar;
    a_buy_for_nothing: buy("0", "100000000"), OrderAmountZero;
    a_buy_of_nothing: buy("1", "0"), OrderAmountZero;
    a_buy_of_too_many_shares: buy("300000000", "1000000001"), SharesAboveCap;
    a_buy_of_more_than_64_bits: buy("1", "\"115792089237316195423570985008687907853269984665640564039457584007913129639935\""), SharesAboveCap;
    a_buy_for_more_than_64_bits: buy("\"115792089237316195423570985008687907853269984665640564039457584007913129639935\"", "1"), PriceAboveOne;
    a_buy_of_all_the_collateral: buy("400000000", "1000000000");
    a_buy_of_more_than_the_collateral: buy("400000001", "1000000000"), OrderCollateralAboveCap;
    a_sell_at_the_top: sell("100000000", "60000000");
    a_sell_above_the_top_is_not_forgiven: sell("100000000", "60000001"), SharePriceAboveCollar;
    a_sell_at_the_bottom: sell("100000000", "20000000");
    a_sell_below_the_bottom: sell("100000000", "19999999"), SharePriceBelowCollar;
    a_sell_for_nothing: sell("100000000", "0"), OrderAmountZero;
    a_sell_for_almost_nothing: sell("100000000", "1"), SharePriceBelowCollar;
    a_sell_above_1: sell("1000000", "5000000"), PriceAboveOne;
    a_sell_is_valued_at_the_top: sell("666666666", "133333334");
    a_cheap_sell_worth_too_much_at_the_top: sell("666666667", "133333334"), OrderCollateralAboveCap;

    a_listed_taker: v1(&[("taker", TAKER_TEXT)]);
    a_private_taker: v1(&[("taker", STRANGER_TEXT)]), OrderTakerNotAllowed;
    the_highest_fee_rate: v1(&[("feeRateBps", "100")]);
    a_fee_rate_above_the_cap: v1(&[("feeRateBps", "101")]), FeeRateAboveCap;
    the_highest_nonce: v1(&[("nonce", "5")]);
    a_nonce_above_the_cap: v1(&[("nonce", "6")]), MakerNonceAboveCap;
    an_expiration_in_a_second: v1(&[("expiration", "1790000001")]);
    an_expiration_now: v1(&[("expiration", "1790000000")]), ExpirationPassed;
    an_expiration_of_1970: v1(&[("expiration", "1")]), ExpirationPassed;
    an_expiration_in_an_hour: v1(&[("expiration", "1790003600")]);
    an_expiration_later_than_that: v1(&[("expiration", "1790003601")]), ExpirationTooFar;
    an_expiration_in_milliseconds: v1(&[("expiration", "1790000001000")]), ExpirationTooFar;

    the_oldest_timestamp: v2(&[("timestamp", "1789999998000")]);
    a_timestamp_older_than_that: v2(&[("timestamp", "1789999997999")]), TimestampTooOld;
    a_timestamp_in_seconds: v2(&[("timestamp", "1790000000")]), TimestampTooOld;
    the_newest_timestamp: nested(&[("contents.timestamp", "1790000001000")]);
    a_timestamp_newer_than_that: nested(&[("contents.timestamp", "1790000001001")]), TimestampTooFarAhead;
    a_listed_builder: v2(&[("builder", LISTED_TEXT)]);
    another_builder: v2(&[("builder", OTHER_TEXT)]), BuilderCodeNotAllowed;
    listed_metadata: v2(&[("metadata", LISTED_TEXT)]);
    other_metadata: nested(&[("contents.metadata", OTHER_TEXT)]), MetadataNotAllowed;

    the_largest_salt: v1(&[("salt", "9007199254740991")]);
    a_salt_that_javascript_rounds: v2(&[("salt", "9007199254740992")]), SaltTooLarge;

    a_clob_auth_for_another: clob_auth(&[("address", STRANGER_TEXT)]), AuthAddressNotThisKey;
    a_clob_auth_for_a_listed_wallet: clob_auth(&[("address", WALLET_TEXT)]), AuthAddressNotThisKey;
    the_oldest_clob_auth: clob_auth(&[("timestamp", "\"1789999980\"")]);
    an_older_clob_auth: clob_auth(&[("timestamp", "\"1789999979\"")]), TimestampTooOld;
    the_newest_clob_auth: clob_auth(&[("timestamp", "\"1790000010\"")]);
    a_newer_clob_auth: clob_auth(&[("timestamp", "\"1790000011\"")]), TimestampTooFarAhead;
    a_clob_auth_in_milliseconds: clob_auth(&[("timestamp", "\"1790000000000\"")]), TimestampTooFarAhead;
    the_highest_clob_auth_nonce: clob_auth(&[("nonce", "3")]);
    a_higher_clob_auth_nonce: clob_auth(&[("nonce", "4")]), AuthNonceAboveCap;
}

/// What an order is refused for when `change` is made to the limits of orders.
fn without(text: &str, change: impl FnOnce(&mut OrderLimits<'static>)) -> Option<Refusal> {
    let mut order = ORDER;
    change(&mut order);
    refusal(text, &Limits { order: Some(order), ..LIMITS })
}

#[test]
fn what_is_not_granted_is_denied() {
    let nothing = Limits { order: None, clob_auth: None, ..LIMITS };
    for text in [v1(&[]), v2(&[]), nested(&[])] {
        assert_eq!(refusal(&text, &nothing), Some(Refusal::OrderNotAllowed));
    }
    assert_eq!(refusal(&clob_auth(&[]), &nothing), Some(Refusal::ClobAuthNotAllowed));
    assert_eq!(without(&v1(&[]), |order| order.v1 = None), Some(Refusal::OrderNotAllowed));
    assert_eq!(without(&v2(&[]), |order| order.v2 = None), Some(Refusal::OrderNotAllowed));
    assert_eq!(without(&v1(&[]), |order| order.v2 = None), None);
    assert_eq!(without(&v1(&[]), |order| order.markets = &[]), Some(Refusal::TokenIdNotAllowed));
}

#[test]
fn a_signature_type_without_a_grant_is_denied_whoever_the_maker_is() {
    let refused = Some(Refusal::SignatureTypeNotAllowed);
    assert_eq!(without(&v1(&[]), |order| order.eoa = false), refused);
    assert_eq!(without(&v1(&of_type("1")), |order| order.proxies = &[]), refused);
    assert_eq!(without(&v2(&of_type("2")), |order| order.safes = &[]), refused);
    assert_eq!(without(&nested(&[]), |order| order.deposit_wallets = &[]), refused);
}

#[test]
fn each_side_is_granted_by_itself() {
    const BUYS: &[MarketLimits<'static>] = &[MarketLimits { sell: false, ..MARKET }];
    const SELLS: &[MarketLimits<'static>] = &[MarketLimits { buy: false, ..MARKET }];
    let refused = Some(Refusal::SideNotAllowed);
    assert_eq!(without(&sell("100000000", "50000000"), |order| order.markets = BUYS), refused);
    assert_eq!(without(&v2(&[]), |order| order.markets = BUYS), None);
    assert_eq!(without(&v2(&[]), |order| order.markets = SELLS), refused);
    assert_eq!(without(&sell("100000000", "50000000"), |order| order.markets = SELLS), None);
}

#[test]
fn an_order_that_does_not_expire_needs_a_grant() {
    let asks = |order: &mut OrderLimits<'static>| {
        order.v1 = Some(V1Limits { without_expiration: false, ..V1 });
    };
    assert_eq!(without(&v1(&[]), asks), Some(Refusal::ExpirationMissing));
    assert_eq!(without(&v1(&[("expiration", "1790000060")]), asks), None);
}

#[test]
fn without_rounding_the_top_of_the_collar_is_exact() {
    assert_eq!(without(&buy("60000000", "100000000"), |order| order.rounding_max = 0), None);
    let refused = Some(Refusal::SharePriceAboveCollar);
    assert_eq!(without(&buy("60000001", "100000000"), |order| order.rounding_max = 0), refused);
}

#[test]
fn any_salt_is_taken_where_the_book_does_not_ask_for_53_bits() {
    let salt: Changes<'_> =
        &[("salt", "\"115792089237316195423570985008687907853269984665640564039457584007913129639935\"")];
    assert_eq!(without(&v1(salt), |order| order.salt_53_bits = false), None);
}

#[test]
fn an_order_uses_up_its_salt_on_its_chain_and_a_clob_auth_nothing() {
    let mut id = [0; 32];
    id[31] = 99;
    let salt = SingleUseId { space: IdSpace::PolymarketSalt, chain_id: 137, id };
    for text in [v1(&[]), v2(&[]), nested(&[])] {
        let charge = judged(&text, &LIMITS).unwrap();
        assert_eq!(charge.single_use_ids.iter().flatten().collect::<Vec<_>>(), [&salt]);
        assert_eq!(charge.single_use_nonce, None);
    }
    assert_eq!(judged(&clob_auth(&[]), &LIMITS), Ok(venues::Charge::default()));
}

#[test]
fn a_refusal_shows_what_was_seen_and_the_limit() {
    let shown = |text: &str| {
        let why = judged(text, &LIMITS).unwrap_err();
        (why.observed, why.limit)
    };
    let decimal = |units| Shown::Decimal { units, scale: 6 };
    assert_eq!(shown(&buy("70000000", "100000000")), (decimal(700_000), decimal(600_000)));
    assert_eq!(shown(&sell("100000000", "10000000")), (decimal(100_000), decimal(200_000)));
    assert_eq!(shown(&sell("666666667", "133333334")), (decimal(400_000_001), decimal(400_000_000)));
    let parties = (Shown::Address([0x66; 20]), Shown::Address(OWN));
    assert_eq!(shown(&v1(&[("signer", STRANGER_TEXT)])), parties);
}

#[test]
fn a_buy_puts_what_it_gives_at_stake_and_a_sell_its_shares_at_the_top_of_the_collar() {
    let stake = |text: &str| {
        let mut exposures = venues::Exposures::EMPTY;
        decode(text.as_bytes()).unwrap().expose(&LIMITS, &[], &mut exposures).unwrap();
        let entries = exposures.entries();
        assert!(entries.iter().all(|entry| entry.orders == 1 && !entry.is_post_only));
        entries.first().map(|entry| entry.notional_micro_usd)
    };
    let price_max = u128::from(ORDER.markets[0].price_max);
    assert_eq!(stake(&buy("3000000", "6000000")), Some(3_000_000));
    assert_eq!(stake(&sell("6000000", "3000000")), Some((6_000_000 * price_max).div_ceil(1_000_000)));
    assert_eq!(stake(&sell("1", "1")), Some(price_max.div_ceil(1_000_000)), "a micro-USD is the least");
}
