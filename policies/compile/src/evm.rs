//! The EVM rules of a book file ([`venues::evm::rules`]).

use venues::evm::rules::{
    ApproveLimits, Limits, NativeLimits, PermitLimits, TokenLimits, TransferFromLimits, TransferLimits,
};

use crate::evm_swaps::{hides_permit2, hides_weth, permit2, read_swaps, weth};
use crate::fault::Rule;
use crate::field::{Field, Table};
use crate::scalars::{address, cap, uint, uint256, wei};

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
    let weth = table.list("weth", |field| entries(field, |table| weth(table, granted), hides_weth));
    let swaps = table.list("swaps", |field| read_swaps(field, granted, weth.as_deref()));
    let permit2 =
        table.list("permit2", |field| entries(field, |table| permit2(table, granted), hides_permit2));
    let cancel = table.optional("cancel", |field| field.flag());
    let (native, tokens, swaps) = (native?, tokens?, swaps?);
    let (weth, permit2) = (weth?, permit2?);
    let wraps = weth.iter().any(|entry| entry.deposit_max.is_some() || entry.withdraw_max.is_some());
    if native.is_empty() && tokens.is_empty() && swaps.is_empty() && permit2.is_empty() && !wraps {
        return table.fault(
            Rule::EmptyGrants,
            "evm: none of native, tokens, swaps, permit2, deposits and withdrawals",
        );
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
        weth: weth.leak(),
        permit2: permit2.leak(),
        cancel: cancel?.unwrap_or(false),
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
    // The key's own address, which needs no list, is the one that is `None`.
    let recipients: Vec<_> = entry.recipients.iter().map(Some).chain([None]).collect();
    is_decided([entry.chains.len(), recipients.len(), 1, 1], |[chain, recipient, ..]| {
        let (chain, recipient) = (entry.chains.get(chain), recipients.get(recipient).copied().flatten());
        earlier.iter().any(|earlier| {
            names(earlier.chains, chain)
                && recipient.is_none_or(|recipient| earlier.recipients.contains(recipient))
        })
    })
}

fn tokens(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<TokenLimits<'static>> {
    let chains = chains(table, granted);
    let tokens = table.required("tokens", |field| field.some_set(address));
    let transfer = table.optional("transfer", |field| field.table(transfer));
    let approve = table.optional("approve", |field| field.table(approve));
    let transfer_from = table.optional("transfer_from", |field| field.table(transfer_from));
    let permit = table.optional("permit", |field| field.table(permit));
    let revoke = table.optional("revoke", |field| field.flag());
    let (transfer, approve, transfer_from) = (transfer?, approve?, transfer_from?);
    let (permit, revoke) = (permit?, revoke?.unwrap_or(false));
    if transfer.is_none() && approve.is_none() && transfer_from.is_none() && permit.is_none() && !revoke {
        let message = "tokens: none of transfer, approve, transfer_from, permit and revoke";
        return table.fault(Rule::EmptyGrants, message);
    }
    Some(TokenLimits {
        chains: chains?.leak(),
        tokens: tokens?.leak(),
        transfer,
        approve,
        transfer_from,
        permit,
        revoke,
    })
}

/// An entry is hidden when each function it grants is granted before, for all its chains and tokens.
fn hides_tokens(earlier: &[TokenLimits<'_>], entry: &TokenLimits<'_>) -> bool {
    let hidden = |grants: fn(&TokenLimits<'_>) -> bool| {
        !grants(entry)
            || is_decided([entry.chains.len(), entry.tokens.len(), 1, 1], |[chain, token, ..]| {
                let (chain, token) = (entry.chains.get(chain), entry.tokens.get(token));
                earlier.iter().any(|earlier| {
                    grants(earlier) && names(earlier.chains, chain) && names(earlier.tokens, token)
                })
            })
    };
    hidden(|limits| limits.transfer.is_some())
        && hidden(|limits| limits.approve.is_some())
        && hidden(|limits| limits.transfer_from.is_some())
        && hidden(|limits| limits.permit.is_some())
        && hidden(|limits| limits.revoke)
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

fn permit(table: &mut Table<'_>) -> Option<PermitLimits<'static>> {
    let owners = table.list("owners", |field| field.set(address));
    let spenders = table.required("spenders", |field| field.some_set(address));
    let amount_max = table.required("amount_max", |field| cap(field, uint256(field)));
    let deadline_ahead_max_s = table.required("deadline_ahead_max_s", seconds_ahead);
    Some(PermitLimits {
        owners: owners?.leak(),
        spenders: spenders?.leak(),
        amount_max: amount_max?,
        deadline_ahead_max_s: deadline_ahead_max_s?,
    })
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

/// Most combinations that are looked at one by one; of a larger entry nothing is said.
const COMBINATIONS_MAX: usize = 10_000;

/// Whether earlier entries, together, decide every combination of what an entry names: `lens` are the lengths of
/// its lists, `decided` says it of one place in each.
pub(crate) fn is_decided(lens: [usize; 4], decided: impl Fn([usize; 4]) -> bool) -> bool {
    let combinations = lens.iter().try_fold(1_usize, |product, len| product.checked_mul(*len));
    let Some(combinations) = combinations.filter(|count| *count <= COMBINATIONS_MAX) else {
        return false;
    };
    (0..combinations).all(|combination| {
        let mut rest = combination;
        decided(lens.map(|len| {
            let place = rest % len;
            rest /= len;
            place
        }))
    })
}

/// Whether a list has an element that is there.
pub(crate) fn names<T: PartialEq>(list: &[T], element: Option<&T>) -> bool {
    element.is_some_and(|element| list.contains(element))
}
