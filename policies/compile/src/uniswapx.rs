//! The UniswapX and Permit2 rules of a book file ([`venues::uniswapx::rules`]).

use venues::Address;
use venues::uniswapx::rules::{
    AllowanceLimits, FeeLimits, Limits, OrderType, ReactorLimits, RelayLimits, SwapLimits, TransferLimits,
};

use crate::evm::{chains, entries, is_decided, names, seconds_ahead};
use crate::evm_swaps::ratio;
use crate::fault::Rule;
use crate::field::Table;
use crate::scalars::{address, cap, cap_uint160, uint, uint256};

/// Basis points in a whole.
const BPS: u32 = 10_000;

pub(crate) fn limits(table: &mut Table<'_>) -> Option<Limits<'static>> {
    let chains = table.required("chains", |field| field.some_set(|chain| cap(chain, uint(chain))));
    let permit2 = table.required("permit2", |field| field.some_set(address));
    let deadline_ahead_max_s = table.required("deadline_ahead_max_s", seconds_ahead);
    let validation_contracts = table.list("validation_contracts", |field| field.set(address));
    let granted = chains.as_deref();
    let reactors =
        table.list("reactors", |field| entries(field, |table| reactors(table, granted), hides_reactors));
    let swaps = table.list("swaps", |field| entries(field, |table| swaps(table, granted), hides_swaps));
    let relays = table.list("relays", |field| entries(field, |table| relays(table, granted), hides_relays));
    let allowances = table
        .list("allowances", |field| entries(field, |table| allowances(table, granted), hides_allowances));
    let transfers =
        table.list("transfers", |field| entries(field, |table| transfers(table, granted), hides_transfers));
    let (reactors, swaps, relays) = (reactors?, swaps?, relays?);
    let (allowances, transfers) = (allowances?, transfers?);
    if reactors.is_empty() && relays.is_empty() && allowances.is_empty() && transfers.is_empty() {
        return table
            .fault(Rule::EmptyGrants, "uniswapx: none of reactors, relays, allowances and transfers");
    }
    if reactors.is_empty() != swaps.is_empty() {
        return table.fault(Rule::UnreachableRule, "uniswapx: an order needs both reactors and swaps");
    }
    Some(Limits {
        chains: chains?.leak(),
        permit2: permit2?.leak(),
        deadline_ahead_max_s: deadline_ahead_max_s?,
        validation_contracts: validation_contracts?.leak(),
        reactors: reactors.leak(),
        swaps: swaps.leak(),
        relays: relays.leak(),
        allowances: allowances.leak(),
        transfers: transfers.leak(),
    })
}

fn reactors(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<ReactorLimits<'static>> {
    let order = table.required("order", |field| {
        field.choice(&[
            ("ExclusiveDutch", OrderType::ExclusiveDutch),
            ("V2Dutch", OrderType::V2Dutch),
            ("V3Dutch", OrderType::V3Dutch),
            ("Priority", OrderType::Priority),
        ])
    });
    let chains = chains(table, granted);
    let reactors = table.required("reactors", |field| field.some_set(address));
    let (cosigners, exclusive_fillers) = (cosigners(table, order), exclusive_fillers(table, order));
    Some(ReactorLimits {
        order: order?,
        chains: chains?.leak(),
        reactors: reactors?.leak(),
        cosigners: cosigners?.leak(),
        exclusive_fillers: exclusive_fillers?.leak(),
    })
}

/// V2 and V3 orders need a cosigner, priority orders may have one, exclusive Dutch orders have none.
fn cosigners(table: &mut Table<'_>, order: Option<OrderType>) -> Option<Vec<Address>> {
    const KEY: &str = "cosigners";
    match order {
        Some(OrderType::ExclusiveDutch) => match table.take(KEY) {
            Some(field) => field.fault(Rule::UnusedKey, "an exclusive Dutch order has no cosigner"),
            None => Some(Vec::new()),
        },
        Some(OrderType::V2Dutch | OrderType::V3Dutch) => table.required(KEY, |field| field.some_set(address)),
        Some(OrderType::Priority) | None => table.list(KEY, |field| field.set(address)),
    }
}

fn exclusive_fillers(table: &mut Table<'_>, order: Option<OrderType>) -> Option<Vec<Address>> {
    const KEY: &str = "exclusive_fillers";
    match order {
        Some(OrderType::V2Dutch | OrderType::V3Dutch | OrderType::Priority) => match table.take(KEY) {
            Some(field) => field.fault(Rule::UnusedKey, "only exclusive Dutch orders name their filler"),
            None => Some(Vec::new()),
        },
        Some(OrderType::ExclusiveDutch) | None => table.list(KEY, |field| field.set(address)),
    }
}

fn hides_reactors(earlier: &[ReactorLimits<'_>], entry: &ReactorLimits<'_>) -> bool {
    is_decided([entry.chains.len(), entry.reactors.len(), 1, 1], |[chain, reactor, ..]| {
        let (chain, reactor) = (entry.chains.get(chain), entry.reactors.get(reactor));
        earlier.iter().any(|earlier| {
            earlier.order == entry.order && names(earlier.chains, chain) && names(earlier.reactors, reactor)
        })
    })
}

fn swaps(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<SwapLimits<'static>> {
    let chains = chains(table, granted);
    let tokens_in = table.required("tokens_in", |field| field.some_set(address));
    let tokens_out = table.list("tokens_out", |field| field.set(address));
    let (native_out, same_token) = (table.flag("native_out"), table.flag("same_token"));
    let amount_in_max = table.required("amount_in_max", |field| cap(field, uint256(field)));
    let pairs = match (&tokens_in, &tokens_out, native_out, same_token) {
        (Some(tokens_in), Some(tokens_out), Some(native_out), Some(same_token)) => {
            Some(count_pairs(tokens_in, tokens_out, native_out, same_token))
        }
        _ => None,
    };
    let out_per_in_min = table.required("out_per_in_min", |field| ratio(field, pairs));
    let fees = table.optional("fees", |field| field.table(fees));
    if pairs == Some(0) {
        return table.fault(Rule::UnreachableRule, "swaps: no token can be swapped into another one");
    }
    Some(SwapLimits {
        chains: chains?.leak(),
        tokens_in: tokens_in?.leak(),
        tokens_out: tokens_out?.leak(),
        native_out: native_out?,
        same_token: same_token?,
        amount_in_max: amount_in_max?,
        out_per_in_min: out_per_in_min?,
        fees: fees?,
    })
}

fn count_pairs(tokens_in: &[Address], tokens_out: &[Address], native_out: bool, same_token: bool) -> usize {
    let both = tokens_in.iter().filter(|token| tokens_out.contains(token)).count();
    let same = if same_token { 0 } else { both };
    let bought = tokens_out.len() + usize::from(native_out);
    (tokens_in.len() * bought).saturating_sub(same)
}

fn fees(table: &mut Table<'_>) -> Option<FeeLimits<'static>> {
    let recipients = table.required("recipients", |field| field.some_set(address));
    let share_max_bps = table.required("share_max_bps", |field| {
        let share = cap(field, uint(field))?;
        if share > BPS {
            return field
                .fault(Rule::TooLarge, format_args!("{share} basis points are more than all, {BPS}"));
        }
        Some(share)
    });
    let other_tokens = table.flag("other_tokens");
    Some(FeeLimits {
        recipients: recipients?.leak(),
        share_max_bps: share_max_bps?,
        other_tokens: other_tokens?,
    })
}

fn hides_swaps(earlier: &[SwapLimits<'_>], entry: &SwapLimits<'_>) -> bool {
    // The native coin, which is granted without a list, is the one that is `None`.
    let bought: Vec<_> = entry.tokens_out.iter().map(Some).chain(entry.native_out.then_some(None)).collect();
    let lens = [entry.chains.len(), entry.tokens_in.len(), bought.len(), 1];
    is_decided(lens, |[chain, token_in, token_out, _]| {
        let (chain, token_in) = (entry.chains.get(chain), entry.tokens_in.get(token_in));
        let token_out = bought.get(token_out).copied().flatten();
        let is_same = token_in == token_out;
        (is_same && !entry.same_token)
            || earlier.iter().any(|earlier| {
                names(earlier.chains, chain)
                    && names(earlier.tokens_in, token_in)
                    && token_out.map_or(earlier.native_out, |token| earlier.tokens_out.contains(token))
                    && (earlier.same_token || !is_same)
            })
    })
}

fn relays(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<RelayLimits<'static>> {
    let chains = chains(table, granted);
    let reactors = table.required("reactors", |field| field.some_set(address));
    let tokens = table.required("tokens", |field| field.some_set(address));
    let recipients = table.list("recipients", |field| field.set(address));
    let amount_max = table.required("amount_max", |field| cap(field, uint256(field)));
    let fee_tokens = table.required("fee_tokens", |field| field.some_set(address));
    let fee_max = table.required("fee_max", |field| cap(field, uint256(field)));
    Some(RelayLimits {
        chains: chains?.leak(),
        reactors: reactors?.leak(),
        tokens: tokens?.leak(),
        recipients: recipients?.leak(),
        amount_max: amount_max?,
        fee_tokens: fee_tokens?.leak(),
        fee_max: fee_max?,
    })
}

fn hides_relays(earlier: &[RelayLimits<'_>], entry: &RelayLimits<'_>) -> bool {
    is_decided([entry.chains.len(), entry.reactors.len(), 1, 1], |[chain, reactor, ..]| {
        let (chain, reactor) = (entry.chains.get(chain), entry.reactors.get(reactor));
        earlier.iter().any(|earlier| names(earlier.chains, chain) && names(earlier.reactors, reactor))
    })
}

fn allowances(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<AllowanceLimits<'static>> {
    let chains = chains(table, granted);
    let spenders = table.required("spenders", |field| field.some_set(address));
    let tokens = table.required("tokens", |field| field.some_set(address));
    let amount_max = table.required("amount_max", cap_uint160);
    let expiration_ahead_max_s = table.required("expiration_ahead_max_s", seconds_ahead);
    Some(AllowanceLimits {
        chains: chains?.leak(),
        spenders: spenders?.leak(),
        tokens: tokens?.leak(),
        amount_max: amount_max?,
        expiration_ahead_max_s: expiration_ahead_max_s?,
    })
}

fn hides_allowances(earlier: &[AllowanceLimits<'_>], entry: &AllowanceLimits<'_>) -> bool {
    let lens = [entry.chains.len(), entry.spenders.len(), entry.tokens.len(), 1];
    is_decided(lens, |[chain, spender, token, _]| {
        let (chain, spender) = (entry.chains.get(chain), entry.spenders.get(spender));
        let token = entry.tokens.get(token);
        earlier.iter().any(|earlier| {
            names(earlier.chains, chain) && names(earlier.spenders, spender) && names(earlier.tokens, token)
        })
    })
}

fn transfers(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<TransferLimits<'static>> {
    let chains = chains(table, granted);
    let spenders = table.required("spenders", |field| field.some_set(address));
    let tokens = table.required("tokens", |field| field.some_set(address));
    let amount_max = table.required("amount_max", |field| cap(field, uint256(field)));
    Some(TransferLimits {
        chains: chains?.leak(),
        spenders: spenders?.leak(),
        tokens: tokens?.leak(),
        amount_max: amount_max?,
    })
}

fn hides_transfers(earlier: &[TransferLimits<'_>], entry: &TransferLimits<'_>) -> bool {
    let lens = [entry.chains.len(), entry.spenders.len(), entry.tokens.len(), 1];
    is_decided(lens, |[chain, spender, token, _]| {
        let (chain, spender) = (entry.chains.get(chain), entry.spenders.get(spender));
        let token = entry.tokens.get(token);
        earlier.iter().any(|earlier| {
            names(earlier.chains, chain) && names(earlier.spenders, spender) && names(earlier.tokens, token)
        })
    })
}
