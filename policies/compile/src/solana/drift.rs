//! What only Drift v2 can be granted: cancels, settling, collateral, Swift texts.

use venues::AccountKey;
use venues::solana::rules::{
    CollateralLimits, MarginRatioLimits, MarketKind, Program, SwiftLimits, WithdrawLimits,
};

use super::BASE_DECIMALS_MAX;
use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::pda;
use crate::scalars::{base58_bytes, cap, decimal, uint, usd};

const DRIFT: Program = Program::DriftV2;

/// Highest slot a book may name. At 400 ms a slot the chain gets there 25 years after its start in 2020: what lies
/// beyond is a mistake, and would leave texts without an end.
const SLOT_MAX: u64 = 2_000_000_000;

/// The grants that [`Program::VelocityV1`] does not have.
pub(super) struct DriftGrants {
    pub(super) cancel: bool,
    pub(super) settle_pnl: bool,
    pub(super) collateral: Vec<CollateralLimits<'static>>,
    pub(super) swift: Option<SwiftLimits<'static>>,
}

impl DriftGrants {
    pub(super) fn are_empty(&self) -> bool {
        !self.cancel && !self.settle_pnl && self.collateral.is_empty() && self.swift.is_none()
    }
}

/// Reads them.
pub(super) fn drift_grants(table: &mut Table<'_>, authority: Option<AccountKey>) -> Option<DriftGrants> {
    let cancel = table.flag("cancel");
    let settle_pnl = table.flag("settle_pnl");
    let mut seen = Seen::default();
    let collateral = table.list("collateral", |field| {
        field.list(|entry| entry.table(|table| collateral(table, authority, &mut seen)))
    });
    let swift = table.optional("swift", |field| field.table(swift));
    Some(DriftGrants { cancel: cancel?, settle_pnl: settle_pnl?, collateral: collateral?, swift: swift? })
}

/// Tells each of them that is there: nothing of it is decoded for Velocity.
pub(super) fn no_drift_grants(table: &mut Table<'_>) -> Option<DriftGrants> {
    let keys = ["cancel", "settle_pnl", "collateral", "swift"];
    let found = keys.map(|key| match table.take(key) {
        Some(field) => field.fault::<()>(Rule::UnusedKey, "is decoded for DriftV2 only"),
        None => Some(()),
    });
    found.into_iter().collect::<Option<Vec<()>>>()?;
    Some(DriftGrants { cancel: false, settle_pnl: false, collateral: Vec::new(), swift: None })
}

fn collateral(
    table: &mut Table<'_>,
    authority: Option<AccountKey>,
    seen: &mut Seen<u16>,
) -> Option<CollateralLimits<'static>> {
    let market_index = table.required("market_index", |field| seen.once(&field, uint(field)?));
    let decimals = table.required("decimals", |field| {
        let decimals = uint(field)?;
        if decimals > BASE_DECIMALS_MAX {
            return field.fault(Rule::TooLarge, format_args!("more than {BASE_DECIMALS_MAX}"));
        }
        Some(decimals)
    });
    let usd_max = table.optional("usd_max", usd);
    let deposit_max = table.optional("deposit_max", |field| cap(field, decimal(field, decimals?)));
    let withdraw =
        table.optional("withdraw", |field| field.table(|table| withdraw(table, decimals, authority)));
    let (market_index, deposit_max, withdraw) = (market_index?, deposit_max?, withdraw?);
    if deposit_max.is_none() && withdraw.is_none() {
        return table.fault(Rule::EmptyGrants, "collateral: neither deposit_max nor withdraw");
    }
    Some(CollateralLimits {
        market_index,
        account: pda::market(DRIFT, MarketKind::Spot, market_index)?,
        vault: pda::spot_market_vault(DRIFT, market_index)?,
        decimals: decimals?,
        usd_max: usd_max?,
        deposit_max,
        withdraw,
    })
}

/// A withdrawal goes to listed token accounts, and to the slot's own associated token account of a mint.
fn withdraw(
    table: &mut Table<'_>,
    decimals: Option<u8>,
    authority: Option<AccountKey>,
) -> Option<WithdrawLimits<'static>> {
    let amount_max = table.required("amount_max", |field| cap(field, decimal(field, decimals?)));
    let destinations = table.list("destinations", |field| field.set(account_key));
    let own = table.optional("own_account_of_mint", |field| {
        let mint = account_key(field)?;
        pda::associated_token_account(&authority?, &mint)
    });
    let borrow = table.flag("borrow");
    let (mut destinations, own) = (destinations?, own?);
    destinations.extend(own.filter(|own| !destinations.contains(own)));
    if destinations.is_empty() {
        return table.fault(Rule::EmptyList, "withdraw: neither destinations nor own_account_of_mint");
    }
    Some(WithdrawLimits { amount_max: amount_max?, destinations: destinations.leak(), borrow: borrow? })
}

fn swift(table: &mut Table<'_>) -> Option<SwiftLimits<'static>> {
    let delegated = table.list("delegated", |field| field.set(account_key));
    let slot_max = table.required("slot_max", |field| {
        let slot = cap(field, uint(field))?;
        if slot > SLOT_MAX {
            return field.fault(Rule::TooLarge, format_args!("{slot} is more than {SLOT_MAX}"));
        }
        Some(slot)
    });
    let isolated_deposit_max = table.required("isolated_deposit_max", uint);
    let margin_ratio = margin_ratio(table);
    Some(SwiftLimits {
        delegated: delegated?.leak(),
        slot_max: slot_max?,
        isolated_deposit_max: isolated_deposit_max?,
        margin_ratio: margin_ratio?,
    })
}

/// `margin_ratio_min` and `margin_ratio_max`, both or none.
fn margin_ratio(table: &mut Table<'_>) -> Option<Option<MarginRatioLimits>> {
    let min = table.optional("margin_ratio_min", |field| cap(field, uint(field)));
    let max = table.optional("margin_ratio_max", |field| {
        let max = cap(field, uint(field))?;
        if min.flatten().is_some_and(|min| max < min) {
            return field.fault(Rule::UnreachableRule, "is below margin_ratio_min");
        }
        Some(max)
    });
    match (min?, max?) {
        (Some(min), Some(max)) => Some(Some(MarginRatioLimits { min, max })),
        (None, None) => Some(None),
        _ => table.fault(Rule::MissingKey, "margin_ratio_min and margin_ratio_max need each other"),
    }
}

/// An account in base 58.
fn account_key(field: Field<'_>) -> Option<AccountKey> {
    let text = field.text()?;
    match base58_bytes(text) {
        Some(key) => Some(key),
        None => field.fault(Rule::BadAddress, format_args!("{text:?} is not a 32-byte key in base 58")),
    }
}
