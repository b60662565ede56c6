//! The polymarket rules of a book file ([`venues::polymarket::rules`]).

use venues::U256;
use venues::book_value::AnyOr;
use venues::polymarket::CLOBS;
use venues::polymarket::rules::{
    ClobAuthLimits, DECIMALS, Exchange, Limits, MarketLimits, ONE, OrderLimits, ROUNDING_MAX, V1Limits,
    V2Limits,
};

use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::scalars::{address, cap, collar, decimal, hex, uint, uint256};

/// The furthest expiration a book may grant, seconds: 90 days. More is milliseconds written by mistake.
const EXPIRATION_AHEAD_MAX_S: u64 = 90 * 24 * 3_600;

/// The widest window around now that a book may grant for a timestamp, seconds: a day.
const TIMESTAMP_WINDOW_MAX_S: u64 = 24 * 3_600;

/// The highest fee rate that the exchanges of version 1 take, hundredths of a percent.
const FEE_RATE_BPS_MAX: u64 = 1_000;

const EXCHANGES: [(&str, Exchange); 5] = [
    ("V1", Exchange::V1),
    ("NegRiskV1", Exchange::NegRiskV1),
    ("V2", Exchange::V2),
    ("NegRiskV2", Exchange::NegRiskV2),
    ("V3", Exchange::V3),
];

pub(crate) fn limits(table: &mut Table<'_>) -> Option<Limits<'static>> {
    let chains = table.required("chains", |field| field.some_set(chain));
    let order = table.optional("order", |field| field.table(order));
    let clob_auth = table.optional("clob_auth", |field| field.table(clob_auth));
    let (order, clob_auth) = (order?, clob_auth?);
    if order.is_none() && clob_auth.is_none() {
        return table.fault(Rule::EmptyGrants, "polymarket: neither order nor clob_auth");
    }
    Some(Limits { chains: chains?.leak(), order, clob_auth })
}

fn chain(field: Field<'_>) -> Option<u64> {
    let chain_id = uint(field)?;
    if !CLOBS.iter().any(|clob| clob.chain_id == chain_id) {
        return field.fault(Rule::UnknownValue, format_args!("{chain_id} is no chain of the venue"));
    }
    Some(chain_id)
}

fn order(table: &mut Table<'_>) -> Option<OrderLimits<'static>> {
    let eoa = table.flag("eoa");
    let mut wallets = |key| table.list(key, |field| field.set(address));
    let (proxies, safes) = (wallets("proxies"), wallets("safes"));
    let deposit_wallets = wallets("deposit_wallets");
    let rounding_max = table.required("rounding_max", |field| at_most(field, ROUNDING_MAX, amount(field)));
    let salt_53_bits = table.flag("salt_53_bits");
    let mut seen = Seen::default();
    let markets = table
        .required("markets", |field| field.some_list(|entry| entry.table(|table| market(table, &mut seen))));
    // Unknown while the markets hold faults of their own.
    let trades_v1 = |v1| {
        let on = |exchange: &Exchange| exchange.is_v1() == v1;
        Some(markets.as_ref()?.iter().any(|market| market.exchanges.iter().any(on)))
    };
    let v1 = of_version(table, "v1", trades_v1(true), v1);
    let v2 = of_version(table, "v2", trades_v1(false), v2);
    let (eoa, proxies, safes, deposit_wallets) = (eoa?, proxies?, safes?, deposit_wallets?);
    if !eoa && proxies.is_empty() && safes.is_empty() && deposit_wallets.is_empty() {
        return table.fault(
            Rule::EmptyGrants,
            "order: none of eoa, proxies, safes and deposit_wallets says whose funds may trade",
        );
    }
    if !deposit_wallets.is_empty() && trades_v1(false) == Some(false) {
        return table
            .fault(Rule::UnreachableRule, "deposit_wallets: exchanges of version 1 do not know them");
    }
    Some(OrderLimits {
        eoa,
        proxies: proxies.leak(),
        safes: safes.leak(),
        deposit_wallets: deposit_wallets.leak(),
        rounding_max: rounding_max?,
        salt_53_bits: salt_53_bits?,
        markets: markets?.leak(),
        v1: v1?,
        v2: v2?,
    })
}

/// What only orders of a version sign: there exactly when a market trades on an exchange of it.
fn of_version<'d, T>(
    table: &mut Table<'d>,
    key: &'static str,
    is_traded: Option<bool>,
    read: impl FnOnce(&mut Table<'d>) -> Option<T>,
) -> Option<Option<T>> {
    match is_traded {
        Some(true) => return table.required(key, |field| field.table(read)).map(Some),
        None => return table.optional(key, |field| field.table(read)),
        Some(false) => {}
    }
    match table.take(key) {
        Some(field) => {
            field.table(read);
            field.fault(Rule::UnusedKey, "no market trades on an exchange of this version")
        }
        None => Some(None),
    }
}

fn market(table: &mut Table<'_>, seen: &mut Seen<(Exchange, U256)>) -> Option<MarketLimits<'static>> {
    let exchanges = table.required("exchanges", |field| field.some_set(|field| field.choice(&EXCHANGES)));
    let token_ids = table.required("token_ids", |field| {
        field.some_set(|field| {
            let token_id = uint256(field)?;
            for exchange in exchanges.iter().flatten() {
                seen.once(&field, (*exchange, token_id))?;
            }
            Some(token_id)
        })
    });
    let (buy, sell) = (table.flag("buy"), table.flag("sell"));
    let prices = collar(table, |field| at_most(field, ONE, amount(field)));
    let shares_max = table.required("shares_max", |field| cap(field, amount(field)));
    let collateral_max = table.required("collateral_max", |field| cap(field, amount(field)));
    let (buy, sell) = (buy?, sell?);
    if !buy && !sell {
        return table.fault(Rule::EmptyGrants, "markets: neither buy nor sell is true");
    }
    let (price_min, price_max) = prices?;
    Some(MarketLimits {
        exchanges: exchanges?.leak(),
        token_ids: token_ids?.leak(),
        buy,
        sell,
        price_min,
        price_max,
        shares_max: shares_max?,
        collateral_max: collateral_max?,
    })
}

fn v1(table: &mut Table<'_>) -> Option<V1Limits<'static>> {
    let fee_rate_bps_max =
        table.required("fee_rate_bps_max", |field| at_most(field, FEE_RATE_BPS_MAX, uint(field)));
    let nonce_max = table.required("nonce_max", uint);
    let takers = table.list("takers", |field| field.set(address));
    let expiration_ahead_max_s =
        table.required("expiration_ahead_max_s", |field| at_most(field, EXPIRATION_AHEAD_MAX_S, uint(field)));
    let without_expiration = table.flag("without_expiration");
    Some(V1Limits {
        fee_rate_bps_max: fee_rate_bps_max?,
        nonce_max: nonce_max?,
        takers: takers?.leak(),
        expiration_ahead_max_s: expiration_ahead_max_s?,
        without_expiration: without_expiration?,
    })
}

fn v2(table: &mut Table<'_>) -> Option<V2Limits<'static>> {
    let mut window_ms =
        |key| table.required(key, |field| at_most(field, 1_000 * TIMESTAMP_WINDOW_MAX_S, uint(field)));
    let timestamp_behind_max_ms = window_ms("timestamp_behind_max_ms");
    let timestamp_ahead_max_ms = window_ms("timestamp_ahead_max_ms");
    let builders = words(table, "builders");
    let metadata = words(table, "metadata");
    Some(V2Limits {
        timestamp_behind_max_ms: timestamp_behind_max_ms?,
        timestamp_ahead_max_ms: timestamp_ahead_max_ms?,
        builders: builders?,
        metadata: metadata?,
    })
}

fn clob_auth(table: &mut Table<'_>) -> Option<ClobAuthLimits> {
    let mut window_s = |key| table.required(key, |field| at_most(field, TIMESTAMP_WINDOW_MAX_S, uint(field)));
    let timestamp_behind_max_s = window_s("timestamp_behind_max_s");
    let timestamp_ahead_max_s = window_s("timestamp_ahead_max_s");
    let nonce_max = table.required("nonce_max", uint);
    Some(ClobAuthLimits {
        timestamp_behind_max_s: timestamp_behind_max_s?,
        timestamp_ahead_max_s: timestamp_ahead_max_s?,
        nonce_max: nonce_max?,
    })
}

/// A list of 32-byte words, none if it is left out, or "any".
fn words(table: &mut Table<'_>, key: &'static str) -> Option<AnyOr<'static, [u8; 32]>> {
    let Some(field) = table.take(key) else {
        return Some(AnyOr::Listed(&[]));
    };
    if field.value()?.is_str() {
        return field.choice(&[("any", AnyOr::Any)]);
    }
    Some(AnyOr::Listed(field.set(word)?.leak()))
}

/// A word other than zero, which means none.
fn word(field: Field<'_>) -> Option<[u8; 32]> {
    let text = field.text()?;
    match text.strip_prefix("0x").and_then(hex::<32>) {
        Some(word) if word != [0; 32] => Some(word),
        _ => field.fault(
            Rule::UnknownValue,
            format_args!("{text:?} is not 0x and 64 hexadecimal digits, not all 0"),
        ),
    }
}

/// Shares, collateral or a price, in units of 10^-6.
fn amount(field: Field<'_>) -> Option<u64> {
    decimal(field, DECIMALS)
}

fn at_most(field: Field<'_>, most: u64, value: Option<u64>) -> Option<u64> {
    let value = value?;
    if value > most {
        return field.fault(Rule::TooLarge, format_args!("more than {most} (in the smallest unit)"));
    }
    Some(value)
}
