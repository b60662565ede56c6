//! The Solana rules of a book file ([`venues::solana::rules`]).
//!
//! A file names sub-accounts and markets by number; the accounts behind them are derived here ([`crate::pda`]),
//! from the slot's own key as authority.

use venues::AccountKey;
use venues::solana::rules::{
    BuilderLimits, Limits, MarketKind, MarketLimits, ModifyLimits, Program, ProgramLimits, UserAccount,
};

mod drift;

use self::drift::{drift_grants, no_drift_grants};
use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::pda;
use crate::scalars::{cap, collar, decimal, uint};

/// Decimals of a Drift price.
const PRICE_DECIMALS: u8 = 6;

/// Decimals of the base of every Drift perpetual.
const PERP_BASE_DECIMALS: u8 = 9;

/// Most decimals of a token that Drift lists.
const BASE_DECIMALS_MAX: u8 = 18;

pub(crate) fn limits(table: &mut Table<'_>, authority: Option<AccountKey>) -> Option<Limits<'static>> {
    let mut seen = Seen::default();
    let programs = table.required("programs", |field| {
        field.some_list(|entry| entry.table(|table| program(table, authority, &mut seen)))
    });
    let priority_fee_max = table.required("priority_fee_max", uint);
    let any = |grants: fn(&ProgramLimits<'_>) -> bool| {
        programs.as_ref().is_some_and(|programs| programs.iter().any(grants))
    };
    let places = any(|program| program.orders);
    let modifies = any(|program| program.modify.is_some());
    let mut placing_cap = |key, is_used| {
        table.required(key, |field| {
            let most = uint(field);
            if is_used { cap(field, most) } else { most }
        })
    };
    let placements_max = placing_cap("placements_max", places);
    let orders_max = placing_cap("orders_max", places || modifies);
    Some(Limits {
        programs: programs?.leak(),
        priority_fee_max: priority_fee_max?,
        placements_max: placements_max?,
        orders_max: orders_max?,
    })
}

fn program(
    table: &mut Table<'_>,
    authority: Option<AccountKey>,
    seen: &mut Seen<Program>,
) -> Option<ProgramLimits<'static>> {
    let program = table.required("program", |field| {
        seen.once(
            &field,
            field.choice(&[("DriftV2", Program::DriftV2), ("VelocityV1", Program::VelocityV1)])?,
        )
    });
    let users = table.required("sub_accounts", |field| users(field, program, authority));
    let mut markets_seen = Seen::default();
    let markets = table.list("markets", |field| {
        field.list(|entry| entry.table(|table| market(table, program, &mut markets_seen)))
    });
    let orders = table.flag("orders");
    let modify = table.optional("modify", |field| field.table(modify));
    let order_bits = table.optional("order_bits", uint);
    let builders = table.optional("builders", |field| field.table(builders));
    let drift = match program {
        Some(Program::VelocityV1) => no_drift_grants(table),
        Some(Program::DriftV2) | None => drift_grants(table, authority),
    };
    let (orders, modify, drift) = (orders?, modify?, drift?);
    if !orders && modify.is_none() && drift.are_empty() {
        return table.fault(
            Rule::EmptyGrants,
            "programs: none of orders, modify, cancel, settle_pnl, collateral and swift is granted",
        );
    }
    let (program, markets) = (program?, markets?);
    if markets.is_empty() && (orders || modify.is_some() || drift.swift.is_some()) {
        return table.fault(Rule::EmptyList, "markets: orders and modifications need one");
    }
    Some(ProgramLimits {
        program,
        state: pda::state(program)?,
        signer: pda::signer(program)?,
        users: users?.leak(),
        markets: markets.leak(),
        orders,
        modify,
        cancel: drift.cancel,
        settle_pnl: drift.settle_pnl,
        order_bits: order_bits?.unwrap_or(0),
        builders: builders?,
        collateral: drift.collateral.leak(),
        swift: drift.swift,
    })
}

/// The user accounts of the slot's own key.
fn users(
    field: Field<'_>,
    program: Option<Program>,
    authority: Option<AccountKey>,
) -> Option<Vec<UserAccount>> {
    let sub_accounts = field.some_set(uint)?;
    let (program, authority) = (program?, authority?);
    let user_stats = pda::user_stats(program, &authority)?;
    let user = |sub_account| {
        Some(UserAccount {
            authority,
            sub_account,
            user: pda::user(program, &authority, sub_account)?,
            user_stats,
        })
    };
    sub_accounts.into_iter().map(user).collect()
}

fn market(
    table: &mut Table<'_>,
    program: Option<Program>,
    seen: &mut Seen<(MarketKind, u16)>,
) -> Option<MarketLimits> {
    let kind = table.required("kind", |field| {
        let kind = field.choice(&[("perp", MarketKind::Perp), ("spot", MarketKind::Spot)])?;
        if program == Some(Program::VelocityV1) && kind == MarketKind::Spot {
            return field.fault(Rule::UnusedKey, "Velocity takes no spot orders");
        }
        Some(kind)
    });
    let index = table.required("index", |field| {
        let index = uint(field)?;
        match kind {
            Some(kind) => seen.once(&field, (kind, index)).map(|_| index),
            None => Some(index),
        }
    });
    let base_decimals = base_decimals(table, kind);
    let base_max = table.required("base_max", |field| cap(field, decimal(field, base_decimals?)));
    let prices = collar(table, |field| decimal(field, PRICE_DECIMALS));
    let unpriced = table.flag("unpriced");
    let oracle_offset_max =
        table.optional("oracle_offset_max", |field| cap(field, decimal(field, PRICE_DECIMALS)));
    let (kind, index, (price_min, price_max)) = (kind?, index?, prices?);
    Some(MarketLimits {
        kind,
        index,
        account: pda::market(program?, kind, index)?,
        base_decimals: base_decimals?,
        base_max: base_max?,
        price_min,
        price_max,
        unpriced: unpriced?,
        oracle_offset_max: oracle_offset_max?,
    })
}

/// What a modification may set. Its size is in raw base units, since it does not name its market.
fn modify(table: &mut Table<'_>) -> Option<ModifyLimits> {
    let base_max = table.required("base_max", |field| cap(field, uint(field)));
    let prices = collar(table, |field| decimal(field, PRICE_DECIMALS));
    let unpriced = table.flag("unpriced");
    let partial = table.flag("partial");
    let (price_min, price_max) = prices?;
    Some(ModifyLimits { base_max: base_max?, price_min, price_max, unpriced: unpriced?, partial: partial? })
}

fn builders(table: &mut Table<'_>) -> Option<BuilderLimits<'static>> {
    let indexes = table.required("indexes", |field| field.some_set(uint));
    let fee_tenth_bps_max = table.required("fee_tenth_bps_max", uint);
    Some(BuilderLimits { indexes: indexes?.leak(), fee_tenth_bps_max: fee_tenth_bps_max? })
}

/// The decimals of the market's base: 9 for every perpetual, the token's own for a spot market.
fn base_decimals(table: &mut Table<'_>, kind: Option<MarketKind>) -> Option<u8> {
    const KEY: &str = "base_decimals";
    match kind {
        Some(MarketKind::Perp) => match table.take(KEY) {
            Some(field) => field.fault(Rule::UnusedKey, "a perpetual's base always has 9 decimals"),
            None => Some(PERP_BASE_DECIMALS),
        },
        Some(MarketKind::Spot) => table.required(KEY, |field| {
            let decimals = uint(field)?;
            if decimals > BASE_DECIMALS_MAX {
                return field.fault(Rule::TooLarge, format_args!("more than {BASE_DECIMALS_MAX}"));
            }
            Some(decimals)
        }),
        None => table.optional(KEY, uint).flatten(),
    }
}
