//! The EVM rules of a book file ([`venues::evm::rules`]).

use venues::U256;
use venues::evm::rules::{
    ApproveLimits, Limits, NativeLimits, Ratio, Router, SwapLimits, TokenLimits, TransferFromLimits,
    TransferLimits,
};

use crate::fault::Rule;
use crate::field::{Field, Table};
use crate::scalars::{address, cap, uint, uint256, wei};

/// Largest pool fee of Uniswap V3, a uint24.
const POOL_FEE_MAX: u32 = 0xff_ffff;

/// The longest deadline a book may grant, seconds: 90 days. More is milliseconds written by mistake.
const DEADLINE_AHEAD_MAX_S: u64 = 90 * 24 * 3_600;

pub(crate) fn limits(table: &mut Table<'_>) -> Option<Limits<'static>> {
    let chains = table.required("chains", |field| field.some_set(|chain| cap(chain, uint(chain))));
    let fee_per_gas_max = table.required("fee_per_gas_max", |field| cap(field, wei(field)));
    let gas_limit_max = table.required("gas_limit_max", |field| cap(field, uint(field)));
    let transaction_fee_max = table.required("transaction_fee_max", |field| cap(field, wei(field)));
    let access_list_entries_max = table.required("access_list_entries_max", uint);
    let granted = chains.as_deref();
    let native = table.list("native", |field| entries(field, |table| native(table, granted), hides_native));
    let tokens = table.list("tokens", |field| entries(field, |table| tokens(table, granted), hides_tokens));
    let swaps = table.list("swaps", |field| entries(field, |table| swaps(table, granted), hides_swaps));
    let (native, tokens, swaps) = (native?, tokens?, swaps?);
    if native.is_empty() && tokens.is_empty() && swaps.is_empty() {
        return table.fault(Rule::EmptyGrants, "evm: none of native, tokens and swaps");
    }
    Some(Limits {
        chains: chains?.leak(),
        fee_per_gas_max: fee_per_gas_max?,
        gas_limit_max: gas_limit_max?,
        transaction_fee_max: transaction_fee_max?,
        access_list_entries_max: access_list_entries_max?,
        native: native.leak(),
        tokens: tokens.leak(),
        swaps: swaps.leak(),
    })
}

/// Entries of which the first that matches decides: none may be hidden by the ones before it.
pub(crate) fn entries<'d, T: Copy>(
    field: Field<'d>,
    read: impl Fn(&mut Table<'d>) -> Option<T>,
    hides: impl Fn(&[T], &T) -> bool,
) -> Option<Vec<T>> {
    let mut earlier = Vec::new();
    field.list(|entry| {
        let read = entry.table(&read)?;
        if hides(&earlier, &read) {
            return entry.fault(Rule::UnreachableRule, "earlier entries decide all that this one names");
        }
        earlier.push(read);
        Some(read)
    })
}

/// The chains of an entry, each one of the key's.
pub(crate) fn chains(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<Vec<u64>> {
    table.required("chains", |field| {
        field.some_set(|chain| {
            let id = uint(chain)?;
            if granted.is_some_and(|granted| !granted.contains(&id)) {
                return chain
                    .fault(Rule::UnreachableRule, format_args!("chain {id} is not one of the key's"));
            }
            Some(id)
        })
    })
}

fn native(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<NativeLimits<'static>> {
    let chains = chains(table, granted);
    let recipients = table.list("recipients", |field| field.set(address));
    let value_max = table.required("value_max", |field| cap(field, wei(field)));
    Some(NativeLimits { chains: chains?.leak(), recipients: recipients?.leak(), value_max: value_max? })
}

fn hides_native(earlier: &[NativeLimits<'_>], entry: &NativeLimits<'_>) -> bool {
    earlier
        .iter()
        .any(|earlier| covers(earlier.chains, entry.chains) && covers(earlier.recipients, entry.recipients))
}

fn tokens(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<TokenLimits<'static>> {
    let chains = chains(table, granted);
    let tokens = table.required("tokens", |field| field.some_set(address));
    let transfer = table.optional("transfer", |field| field.table(transfer));
    let approve = table.optional("approve", |field| field.table(approve));
    let transfer_from = table.optional("transfer_from", |field| field.table(transfer_from));
    let (transfer, approve, transfer_from) = (transfer?, approve?, transfer_from?);
    if transfer.is_none() && approve.is_none() && transfer_from.is_none() {
        return table.fault(Rule::EmptyGrants, "tokens: none of transfer, approve and transfer_from");
    }
    Some(TokenLimits { chains: chains?.leak(), tokens: tokens?.leak(), transfer, approve, transfer_from })
}

/// An entry is hidden when each function it grants is granted before, for all its chains and tokens.
fn hides_tokens(earlier: &[TokenLimits<'_>], entry: &TokenLimits<'_>) -> bool {
    let hidden = |grants: fn(&TokenLimits<'_>) -> bool| {
        !grants(entry)
            || earlier.iter().any(|earlier| {
                grants(earlier)
                    && covers(earlier.chains, entry.chains)
                    && covers(earlier.tokens, entry.tokens)
            })
    };
    hidden(|limits| limits.transfer.is_some())
        && hidden(|limits| limits.approve.is_some())
        && hidden(|limits| limits.transfer_from.is_some())
}

fn transfer(table: &mut Table<'_>) -> Option<TransferLimits<'static>> {
    let recipients = table.list("recipients", |field| field.set(address));
    let amount_max = table.required("amount_max", |field| cap(field, uint256(field)));
    Some(TransferLimits { recipients: recipients?.leak(), amount_max: amount_max? })
}

fn approve(table: &mut Table<'_>) -> Option<ApproveLimits<'static>> {
    let spenders = table.required("spenders", |field| field.some_set(address));
    let amount_max = table.required("amount_max", |field| cap(field, uint256(field)));
    Some(ApproveLimits { spenders: spenders?.leak(), amount_max: amount_max? })
}

fn transfer_from(table: &mut Table<'_>) -> Option<TransferFromLimits<'static>> {
    let owners = table.list("owners", |field| field.set(address));
    let recipients = table.list("recipients", |field| field.set(address));
    let amount_max = table.required("amount_max", |field| cap(field, uint256(field)));
    Some(TransferFromLimits {
        owners: owners?.leak(),
        recipients: recipients?.leak(),
        amount_max: amount_max?,
    })
}

fn swaps(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<SwapLimits<'static>> {
    let chains = chains(table, granted);
    let routers = table.required("routers", |field| field.some_set(address));
    let router = table.required("router", |field| {
        field.choice(&[("SwapRouter", Router::SwapRouter), ("SwapRouter02", Router::SwapRouter02)])
    });
    let tokens_in = table.required("tokens_in", |field| field.some_set(address));
    let tokens_out = table.required("tokens_out", |field| field.some_set(address));
    let pool_fees = table.required("pool_fees", pool_fees);
    let recipients = table.list("recipients", |field| field.set(address));
    let amount_in_max = table.required("amount_in_max", |field| cap(field, uint256(field)));
    let pairs = match (&tokens_in, &tokens_out) {
        (Some(tokens_in), Some(tokens_out)) => Some(count_pairs(tokens_in, tokens_out)),
        _ => None,
    };
    let out_per_in_min = table.required("out_per_in_min", |field| {
        let ratio = field.table(ratio)?;
        if !ratio.numerator.is_zero() && pairs.is_some_and(|pairs| pairs > 1) {
            return field.fault(
                Rule::AmbiguousRatio,
                "base units of different tokens do not compare; one entry for each pair, or a numerator of 0",
            );
        }
        Some(ratio)
    });
    let deadline_ahead_max_s = deadline_ahead_max_s(table, router);
    if pairs == Some(0) {
        return table.fault(Rule::UnreachableRule, "swaps: no token can be swapped into another one");
    }
    Some(SwapLimits {
        chains: chains?.leak(),
        routers: routers?.leak(),
        router: router?,
        tokens_in: tokens_in?.leak(),
        tokens_out: tokens_out?.leak(),
        pool_fees: pool_fees?.leak(),
        recipients: recipients?.leak(),
        amount_in_max: amount_in_max?,
        out_per_in_min: out_per_in_min?,
        deadline_ahead_max_s: deadline_ahead_max_s?,
    })
}

/// Only SwapRouter's call has a deadline; 0 stands for "none" with SwapRouter02.
fn deadline_ahead_max_s(table: &mut Table<'_>, router: Option<Router>) -> Option<u64> {
    const KEY: &str = "deadline_ahead_max_s";
    match router {
        Some(Router::SwapRouter) => table.required(KEY, seconds_ahead),
        Some(Router::SwapRouter02) => match table.take(KEY) {
            Some(field) => field.fault(Rule::UnusedKey, "SwapRouter02's call has no deadline"),
            None => Some(0),
        },
        None => table.optional(KEY, uint)?,
    }
}

/// How far ahead of now a deadline may lie.
pub(crate) fn seconds_ahead(field: Field<'_>) -> Option<u64> {
    let seconds = cap(field, uint(field))?;
    if seconds > DEADLINE_AHEAD_MAX_S {
        return field.fault(
            Rule::TooLarge,
            format_args!("{seconds} seconds are more than 90 days, {DEADLINE_AHEAD_MAX_S}"),
        );
    }
    Some(seconds)
}

/// The fees, or the word "any", which a book holds as no fees at all: it must be said, never left empty.
fn pool_fees(field: Field<'_>) -> Option<Vec<u32>> {
    if field.value()?.is_str() {
        return field.choice(&[("any", ())]).map(|()| Vec::new());
    }
    field.some_set(pool_fee)
}

fn pool_fee(field: Field<'_>) -> Option<u32> {
    let fee = uint(field)?;
    if fee > POOL_FEE_MAX {
        return field.fault(Rule::TooLarge, format_args!("{fee} is more than 24 bits"));
    }
    Some(fee)
}

pub(crate) fn ratio(table: &mut Table<'_>) -> Option<Ratio> {
    let numerator = table.required("numerator", uint256);
    let denominator = table.required("denominator", |field| {
        let denominator = uint256(field)?;
        if denominator == U256::ZERO {
            return field.fault(Rule::ZeroDenominator, "a ratio over zero");
        }
        Some(denominator)
    });
    Some(Ratio { numerator: numerator?, denominator: denominator? })
}

fn count_pairs(tokens_in: &[venues::Address], tokens_out: &[venues::Address]) -> usize {
    let both = tokens_in.iter().filter(|token| tokens_out.contains(token)).count();
    (tokens_in.len() * tokens_out.len()).saturating_sub(both)
}

fn hides_swaps(earlier: &[SwapLimits<'_>], entry: &SwapLimits<'_>) -> bool {
    earlier.iter().any(|earlier| {
        earlier.router == entry.router
            && covers(earlier.chains, entry.chains)
            && covers(earlier.routers, entry.routers)
            && covers(earlier.tokens_in, entry.tokens_in)
            && covers(earlier.tokens_out, entry.tokens_out)
    })
}

/// Whether every element of `inner` is in `outer`.
pub(crate) fn covers<T: PartialEq>(outer: &[T], inner: &[T]) -> bool {
    inner.iter().all(|element| outer.contains(element))
}
