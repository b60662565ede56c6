//! `[[buckets]]` and `[[values]]`: budgets, and what tokens are worth at most.
//!
//! A capacity below what one order may need is no fault: the budget is then the tighter cap of both, refuses what is
//! above it and can not be overrun. Levels are kept in units times `refill_ms`, which any capacity of 64 bits and any
//! time of 32 fit in.

use book::{BUCKETS_MAX, Bucket, Counts, Orders, Per, Slot, VALUES_MAX};
use venues::book_value::AnyOr;
use venues::{Address, NATIVE, TokenValue};
use wire::Venue;

use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::parties::Parties;
use crate::scalars;
use crate::tokens;

/// Most decimals of a token: 10 to the 77th is the last power that fits 256 bits.
const DECIMALS_MAX: u8 = 77;

/// `[[values]]`. `slots` are those of the book, if they could be read.
pub(crate) fn values(field: Field<'_>, slots: Option<&[Slot<'_>]>) -> Option<Vec<TokenValue<'static>>> {
    let (mut names, mut pairs) = (Seen::default(), Seen::default());
    let values = field.some_list(|entry| entry.table(|table| value(table, slots, &mut names, &mut pairs)))?;
    if values.len() > VALUES_MAX {
        return field.fault(Rule::ListTooLong, format_args!("{} values; at most {VALUES_MAX}", values.len()));
    }
    Some(values)
}

fn value(
    table: &mut Table<'_>,
    slots: Option<&[Slot<'_>]>,
    names: &mut Seen<&'static str>,
    pairs: &mut Seen<(u64, Address)>,
) -> Option<TokenValue<'static>> {
    let name = table.required("name", |field| names.once(&field, scalars::name(field)?));
    let chain_id = table.required("chain_id", scalars::uint::<u64>);
    let token = table.required("token", |field| {
        let token = if field.text()? == "native" { NATIVE } else { scalars::address(field)? };
        let Some(chain_id) = chain_id else { return Some(token) };
        pairs.once(&field, (chain_id, token))?;
        if slots.is_some_and(|slots| !slots.iter().any(|slot| tokens::names(slot, chain_id, &token))) {
            return field.fault(Rule::UnusedKey, "no grant names this token on this chain");
        }
        Some(token)
    });
    let decimals = table.required("decimals", |field| {
        let decimals = scalars::uint::<u8>(field)?;
        if decimals > DECIMALS_MAX {
            return field.fault(Rule::TooLarge, format_args!("{decimals} decimals; at most {DECIMALS_MAX}"));
        }
        Some(decimals)
    });
    let usd_max = table.required("usd_max", scalars::usd);
    Some(TokenValue {
        name: name?,
        chain_id: chain_id?,
        token: token?,
        decimals: decimals?,
        usd_max: usd_max?,
    })
}

/// `[[buckets]]`.
pub(crate) fn buckets(
    field: Field<'_>,
    slots: Option<&[Slot<'_>]>,
    values: Option<&[TokenValue<'_>]>,
    parties: Option<&Parties>,
) -> Option<Vec<Bucket<'static>>> {
    let mut names = Seen::default();
    let buckets = field.some_list(|entry| {
        let bucket = entry.table(|table| bucket(table, slots, parties, &mut names))?;
        let slots = slots.map(|slots| slots.iter().filter(|slot| bucket.keys.allows(&slot.slot)));
        if let (Some(slots), Some(values)) = (slots, values) {
            check_values(&entry, &bucket, slots, values)?;
        }
        Some(bucket)
    })?;
    if buckets.len() > BUCKETS_MAX {
        return field
            .fault(Rule::ListTooLong, format_args!("{} buckets; at most {BUCKETS_MAX}", buckets.len()));
    }
    Some(buckets)
}

fn bucket(
    table: &mut Table<'_>,
    slots: Option<&[Slot<'_>]>,
    parties: Option<&Parties>,
    names: &mut Seen<&'static str>,
) -> Option<Bucket<'static>> {
    let name = table.required("name", |field| names.once(&field, scalars::name(field)?));
    let counts = table.required("counts", |field| {
        let words =
            [("requests", Counts::Requests), ("orders", Counts::Orders), ("notional", Counts::Notional)];
        field.choice(&words)
    });
    let per = table.required("per", |field| per(field, counts));
    let orders = orders(table, counts);
    let keys = table.required("keys", |field| any_or(field, |field| key(field, slots)));
    let clients = table.required("clients", |field| any_or(field, |field| party(field, parties)));
    let venues = table.required("venues", |field| venues(field, slots, keys));
    let units = |field: Field<'_>| match counts {
        Some(Counts::Notional) => scalars::usd(field),
        Some(Counts::Orders | Counts::Requests) => scalars::cap(field, scalars::uint(field)),
        None => None,
    };
    let capacity = table.required("capacity", units);
    let refill = table.required("refill", units);
    let refill_ms = table.required("refill_ms", |field| match scalars::uint::<u32>(field)? {
        0 => field.fault(Rule::ZeroCap, "no time; it is what the refill takes, in milliseconds"),
        refill_ms => Some(refill_ms),
    });
    Some(Bucket {
        name: name?,
        counts: counts?,
        per: per?,
        orders: orders?,
        venues: venues?,
        keys: keys?,
        clients: clients?,
        capacity: capacity?,
        refill: refill?,
        refill_ms: refill_ms?,
    })
}

fn per(field: Field<'_>, counts: Option<Counts>) -> Option<Per> {
    let per = field.choice(&[
        ("desk", Per::Desk),
        ("client", Per::Client),
        ("key", Per::Key),
        ("market", Per::Market),
    ])?;
    if per == Per::Market && counts == Some(Counts::Requests) {
        return field.fault(Rule::RequestsPerMarket, "a request may trade on several markets; count orders");
    }
    Some(per)
}

fn orders(table: &mut Table<'_>, counts: Option<Counts>) -> Option<Orders> {
    if counts == Some(Counts::Requests) {
        return match table.take("orders") {
            None => Some(Orders::All),
            Some(field) => field.fault(Rule::UnusedKey, "requests are counted, whatever orders are in them"),
        };
    }
    table.required("orders", |field| {
        field.choice(&[("all", Orders::All), ("post-only", Orders::PostOnly), ("taking", Orders::Taking)])
    })
}

/// A slot of the book.
pub(crate) fn key(field: Field<'_>, slots: Option<&[Slot<'_>]>) -> Option<u16> {
    let key = scalars::uint::<u16>(field)?;
    if slots.is_some_and(|slots| !slots.iter().any(|slot| slot.slot == key)) {
        return field.fault(Rule::UnknownKeySlot, format_args!("there is no slot {key}"));
    }
    Some(key)
}

/// The place of a client or role of the book.
fn party(field: Field<'_>, parties: Option<&Parties>) -> Option<u16> {
    let name = field.text()?;
    match parties?.place(name) {
        Some(place) => Some(place),
        None => field.fault(Rule::UnknownClient, format_args!("there is no client or role {name:?}")),
    }
}

/// Each venue that is listed is granted to one of the keys.
pub(crate) fn venues(
    field: Field<'_>,
    slots: Option<&[Slot<'_>]>,
    keys: Option<AnyOr<'_, u16>>,
) -> Option<AnyOr<'static, u8>> {
    let words = Venue::ALL.map(|venue| (venue.as_str(), venue));
    any_or(field, |field| {
        let venue = field.choice(&words)?;
        if let (Some(slots), Some(keys)) = (slots, keys) {
            let mut counted = slots.iter().filter(|slot| keys.allows(&slot.slot));
            if !counted.any(|slot| has_venue(slot, venue)) {
                return field.fault(Rule::UnreachableRule, "none of the keys has grants of this venue");
            }
        }
        Some(venue as u8)
    })
}

/// Whether the slot has grants of the venue.
pub(crate) fn has_venue(slot: &Slot<'_>, venue: Venue) -> bool {
    let grants = &slot.grants;
    match venue {
        Venue::Evm => grants.evm.is_some(),
        Venue::Uniswapx => grants.uniswapx.is_some(),
        Venue::Polymarket => grants.polymarket.is_some(),
        Venue::Hyperliquid => grants.hyperliquid.is_some(),
        Venue::Solana => grants.solana.is_some(),
    }
}

/// The word "any", or a list.
fn any_or<T: Copy + PartialEq>(
    field: Field<'_>,
    read: impl FnMut(Field<'_>) -> Option<T>,
) -> Option<AnyOr<'static, T>> {
    if field.value()?.is_str() {
        return field.choice(&[("any", AnyOr::Any)]);
    }
    Some(AnyOr::Listed(field.some_set(read)?.leak()))
}

/// Tells which tokens the budget would have to count and could not: the vault refuses to sign for them.
fn check_values<'s>(
    field: &Field<'_>,
    bucket: &Bucket<'_>,
    slots: impl Iterator<Item = &'s Slot<'s>>,
    values: &[TokenValue<'_>],
) -> Option<()> {
    if bucket.counts == Counts::Requests {
        return Some(());
    }
    let missing = tokens::without_value(slots, &bucket.venues, values);
    if missing.is_empty() {
        return Some(());
    }
    field.fault(
        Rule::TokenHasNoValue,
        format_args!("budget {:?} counts tokens without a value: {}", bucket.name, missing.join(", ")),
    )
}
