//! Swaps, the WETH of chains and Permit2 in a book file ([`venues::evm::rules`]).

use venues::book_value::AnyOr;
use venues::evm::rules::{
    Permit2ApproveLimits, Permit2Limits, PortionLimits, Ratio, Router, SwapLimits, WethLimits,
};
use venues::{Address, U256};

use crate::evm::{chains, is_decided, names, seconds_ahead};
use crate::fault::Rule;
use crate::field::{Field, Table};
use crate::scalars::{address, cap, cap_uint160, uint, uint256, wei};

/// Largest pool fee of Uniswap V3, a uint24.
const POOL_FEE_MAX: u32 = 0xff_ffff;

/// Hundredths of a percent in a whole.
const BIPS: u64 = 10_000;

const ROUTERS: &[(&str, Router)] = &[
    ("SwapRouter", Router::SwapRouter),
    ("SwapRouter02", Router::SwapRouter02),
    ("V2Router", Router::V2Router),
    ("UniversalRouter 1.2", Router::UniversalRouterV1_2),
    ("UniversalRouter 2.0", Router::UniversalRouterV2_0),
    ("UniversalRouter 2.1.1", Router::UniversalRouterV2_1_1),
    ("UniversalRouter 2.1.2", Router::UniversalRouterV2_1_2),
    ("UniversalRouter 2.2.0", Router::UniversalRouterV2_2_0),
];

/// The entries, of which the first that matches decides, with the chains' WETH if that could be read.
pub(crate) fn read_swaps(
    field: Field<'_>,
    granted: Option<&[u64]>,
    weth: Option<&[WethLimits<'_>]>,
) -> Option<Vec<SwapLimits<'static>>> {
    let mut earlier: Vec<SwapLimits<'static>> = Vec::new();
    field.list(|entry| {
        let read = entry.table(|table| swaps(table, granted))?;
        if earlier.iter().any(|earlier| is_other_kind(earlier, &read)) {
            let message = "an earlier entry says that a router of this one is of another kind";
            return entry.fault(Rule::TwoRouters, message);
        }
        let is_named = |chain| weth.is_none_or(|weth| weth.iter().any(|weth| weth.chains.contains(chain)));
        if read.native
            && let Some(chain) = read.chains.iter().find(|chain| !is_named(*chain))
        {
            let message = format_args!("native coin on chain {chain}, whose WETH no entry of weth names");
            return entry.fault(Rule::WethNotNamed, message);
        }
        if is_hidden(&earlier, &read) {
            return entry.fault(Rule::UnreachableRule, "earlier entries decide all that this one names");
        }
        earlier.push(read);
        Some(read)
    })
}

/// A contract takes the calls of one router: a second kind would be a second way past the first one's limits.
fn is_other_kind(earlier: &SwapLimits<'_>, entry: &SwapLimits<'_>) -> bool {
    earlier.router != entry.router
        && entry.chains.iter().any(|chain| earlier.chains.contains(chain))
        && entry.routers.iter().any(|router| earlier.routers.contains(router))
}

fn swaps(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<SwapLimits<'static>> {
    let chains = chains(table, granted);
    let routers = table.required("routers", |field| field.some_set(address));
    let router = table.required("router", |field| field.choice(ROUTERS));
    let tokens_in = table.required("tokens_in", |field| field.some_set(address));
    let tokens_out = table.required("tokens_out", |field| field.some_set(address));
    let intermediates = table.list("intermediates", |field| field.set(address));
    let pool_fees = pool_fees(table, router);
    let own = routers.as_deref().unwrap_or_default();
    let recipients = table.list("recipients", |field| field.set(|field| recipient(field, own)));
    let amount_in_max = table.required("amount_in_max", |field| cap(field, uint256(field)));
    let pairs = match (&tokens_in, &tokens_out) {
        (Some(tokens_in), Some(tokens_out)) => Some(count_pairs(tokens_in, tokens_out)),
        _ => None,
    };
    let out_per_in_min = table.required("out_per_in_min", |field| ratio(field, pairs));
    let exact_output = table.optional("exact_output", |field| field.flag());
    let native = table.optional("native", |field| field.flag());
    let fee_on_transfer =
        flag_of(table, "fee_on_transfer", router, is_v2_router, "only V2Router has such functions");
    let multicall =
        flag_of(table, "multicall", router, has_multicall, "only SwapRouter and SwapRouter02 have one");
    let without_deadline =
        flag_of(table, "without_deadline", router, goes_without_deadline, "its calls always have a deadline");
    let deadline_ahead_max_s = deadline_ahead_max_s(table, router, multicall);
    let portion = portion(table, router, own);
    if router == Some(Router::SwapRouter02) && multicall == Some(false) && without_deadline == Some(false) {
        let message = "without_deadline: of SwapRouter02's calls only a multicall has a deadline";
        return table.fault(Rule::MissingKey, message);
    }
    if pairs == Some(0) {
        return table.fault(Rule::UnreachableRule, "swaps: no token can be swapped into another one");
    }
    Some(SwapLimits {
        chains: chains?.leak(),
        routers: routers?.leak(),
        router: router?,
        tokens_in: tokens_in?.leak(),
        tokens_out: tokens_out?.leak(),
        intermediates: intermediates?.leak(),
        pool_fees: pool_fees?,
        recipients: recipients?.leak(),
        amount_in_max: amount_in_max?,
        out_per_in_min: out_per_in_min?,
        deadline_ahead_max_s: deadline_ahead_max_s?,
        without_deadline: without_deadline?,
        exact_output: exact_output?.unwrap_or(false),
        native: native?.unwrap_or(false),
        fee_on_transfer: fee_on_transfer?,
        multicall: multicall?,
        portion: portion?,
    })
}

/// Of SwapRouter02's calls only a multicall has a deadline; 0 stands for "none".
fn deadline_ahead_max_s(
    table: &mut Table<'_>,
    router: Option<Router>,
    multicall: Option<bool>,
) -> Option<u64> {
    const KEY: &str = "deadline_ahead_max_s";
    if router != Some(Router::SwapRouter02) || multicall == Some(true) {
        return table.required(KEY, seconds_ahead);
    }
    match table.take(KEY) {
        Some(field) => {
            field.fault(Rule::UnusedKey, "of SwapRouter02's calls only a multicall has a deadline")
        }
        None => Some(0),
    }
}

/// Who may get an output: routers have addresses that stand for the sender and themselves, and what a router
/// gets anyone may take. (The zero address is no address of a book.)
fn recipient(field: Field<'_>, routers: &[Address]) -> Option<Address> {
    const SENTINELS: [u8; 2] = [1, 2];
    let read = address(field)?;
    let [zeros @ .., last] = &read;
    if zeros.iter().all(|byte| *byte == 0) && SENTINELS.contains(last) {
        return field.fault(Rule::RouterRecipient, "stands for the sender or the router");
    }
    if routers.contains(&read) {
        return field.fault(Rule::RouterRecipient, "the entry's own router");
    }
    Some(read)
}

const fn goes_without_deadline(router: Router) -> bool {
    !matches!(router, Router::SwapRouter | Router::V2Router)
}

const fn is_v2_router(router: Router) -> bool {
    matches!(router, Router::V2Router)
}

const fn has_multicall(router: Router) -> bool {
    matches!(router, Router::SwapRouter | Router::SwapRouter02)
}

/// A grant that only some routers have a meaning for.
fn flag_of(
    table: &mut Table<'_>,
    key: &'static str,
    router: Option<Router>,
    has: fn(Router) -> bool,
    message: &str,
) -> Option<bool> {
    let granted = table.optional(key, |field| {
        let granted = field.flag()?;
        if router.is_some_and(|router| !has(router)) {
            return field.fault(Rule::UnusedKey, message);
        }
        Some(granted)
    });
    Some(granted?.unwrap_or(false))
}

fn portion(
    table: &mut Table<'_>,
    router: Option<Router>,
    own: &[Address],
) -> Option<Option<PortionLimits<'static>>> {
    table.optional("portion", |field| {
        if router.is_some_and(|router| is_v2_router(router) || has_multicall(router)) {
            return field.fault(Rule::UnusedKey, "only a Universal Router pays shares");
        }
        field.table(|table| {
            let recipients =
                table.required("recipients", |field| field.some_set(|field| recipient(field, own)));
            let bips_max = table.required("bips_max", |field| {
                let bips = cap(field, uint(field))?;
                if bips > BIPS {
                    return field
                        .fault(Rule::TooLarge, format_args!("{bips} is more than {BIPS}, the whole"));
                }
                Some(bips)
            });
            Some(PortionLimits { recipients: recipients?.leak(), bips_max: bips_max? })
        })
    })
}

/// The fees, or the word "any". The V2 router has no pools of V3.
fn pool_fees(table: &mut Table<'_>, router: Option<Router>) -> Option<AnyOr<'static, u32>> {
    const KEY: &str = "pool_fees";
    if router == Some(Router::V2Router) {
        return match table.take(KEY) {
            Some(field) => field.fault(Rule::UnusedKey, "pairs of V2 have no fee tiers"),
            None => Some(AnyOr::Listed(&[])),
        };
    }
    table.required(KEY, |field| {
        if field.value()?.is_str() {
            return field.choice(&[("any", AnyOr::Any)]);
        }
        Some(AnyOr::Listed(field.some_set(pool_fee)?.leak()))
    })
}

fn pool_fee(field: Field<'_>) -> Option<u32> {
    let fee = uint(field)?;
    if fee > POOL_FEE_MAX {
        return field.fault(Rule::TooLarge, format_args!("{fee} is more than 24 bits"));
    }
    Some(fee)
}

/// The ratio, or the word "any", which a book holds as a numerator of 0: it must be said, never counted.
pub(crate) fn ratio(field: Field<'_>, pairs: Option<usize>) -> Option<Ratio> {
    if field.value()?.is_str() {
        return field.choice(&[("any", Ratio { numerator: U256::ZERO, denominator: U256::ONE })]);
    }
    let ratio = field.table(|table| {
        let numerator = table.required("numerator", |field| {
            let numerator = uint256(field)?;
            if numerator.is_zero() {
                return field.fault(Rule::ZeroRatio, "holds nothing; a swap without a minimum is \"any\"");
            }
            Some(numerator)
        });
        let denominator = table.required("denominator", |field| {
            let denominator = uint256(field)?;
            if denominator.is_zero() {
                return field.fault(Rule::ZeroDenominator, "a ratio over zero");
            }
            Some(denominator)
        });
        Some(Ratio { numerator: numerator?, denominator: denominator? })
    })?;
    if pairs.is_some_and(|pairs| pairs > 1) {
        return field.fault(
            Rule::AmbiguousRatio,
            "base units of different tokens do not compare; one entry for each pair, or \"any\"",
        );
    }
    Some(ratio)
}

fn count_pairs(tokens_in: &[Address], tokens_out: &[Address]) -> usize {
    let both = tokens_in.iter().filter(|token| tokens_out.contains(token)).count();
    (tokens_in.len() * tokens_out.len()).saturating_sub(both)
}

/// Whether earlier entries, taken together, decide each swap that `entry` names, as the judge looks for them:
/// by chain, contract and both tokens.
fn is_hidden(earlier: &[SwapLimits<'_>], entry: &SwapLimits<'_>) -> bool {
    // All entries of a contract are of one kind, so the kind does not tell them apart.
    entry.chains.iter().all(|chain| {
        entry.routers.iter().all(|router| {
            let there: Vec<_> = earlier
                .iter()
                .filter(|earlier| earlier.chains.contains(chain) && earlier.routers.contains(router))
                .collect();
            !there.is_empty()
                && entry.tokens_in.iter().all(|token_in| is_sold_before(&there, entry, token_in))
        })
    })
}

fn is_sold_before(there: &[&SwapLimits<'_>], entry: &SwapLimits<'_>, token_in: &Address) -> bool {
    let selling: Vec<_> = there.iter().filter(|earlier| earlier.tokens_in.contains(token_in)).collect();
    let is_bought = |token| selling.iter().any(|earlier| earlier.tokens_out.contains(token));
    entry.tokens_out.iter().all(|token_out| token_out == token_in || is_bought(token_out))
}

pub(crate) fn weth(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<WethLimits<'static>> {
    let chains = chains(table, granted);
    let contract = table.required("contract", address);
    let deposit_max = table.optional("deposit_max", |field| cap(field, wei(field)));
    let withdraw_max = table.optional("withdraw_max", |field| cap(field, wei(field)));
    Some(WethLimits {
        chains: chains?.leak(),
        contract: contract?,
        deposit_max: deposit_max?,
        withdraw_max: withdraw_max?,
    })
}

/// A chain has one WETH, so an entry for a chain that an earlier one names says nothing.
pub(crate) fn hides_weth(earlier: &[WethLimits<'_>], entry: &WethLimits<'_>) -> bool {
    let is_named = |chain| earlier.iter().any(|earlier| earlier.chains.contains(chain));
    entry.chains.iter().any(is_named)
}

pub(crate) fn permit2(table: &mut Table<'_>, granted: Option<&[u64]>) -> Option<Permit2Limits<'static>> {
    let chains = chains(table, granted);
    let contracts = table.required("contracts", |field| field.some_set(address));
    let approve = table.optional("approve", |field| field.table(permit2_approve));
    let revoke = table.optional("revoke", |field| field.flag());
    let (approve, revoke) = (approve?, revoke?.unwrap_or(false));
    if approve.is_none() && !revoke {
        return table.fault(Rule::EmptyGrants, "permit2: neither approve nor revoke");
    }
    Some(Permit2Limits { chains: chains?.leak(), contracts: contracts?.leak(), approve, revoke })
}

fn permit2_approve(table: &mut Table<'_>) -> Option<Permit2ApproveLimits<'static>> {
    let tokens = table.required("tokens", |field| field.some_set(address));
    let spenders = table.required("spenders", |field| field.some_set(address));
    let amount_max = table.required("amount_max", cap_uint160);
    let expiration_ahead_max_s = table.required("expiration_ahead_max_s", seconds_ahead);
    Some(Permit2ApproveLimits {
        tokens: tokens?.leak(),
        spenders: spenders?.leak(),
        amount_max: amount_max?,
        expiration_ahead_max_s: expiration_ahead_max_s?,
    })
}

pub(crate) fn hides_permit2(earlier: &[Permit2Limits<'_>], entry: &Permit2Limits<'_>) -> bool {
    is_decided([entry.chains.len(), entry.contracts.len(), 1, 1], |[chain, contract, ..]| {
        let (chain, contract) = (entry.chains.get(chain), entry.contracts.get(contract));
        earlier.iter().any(|earlier| names(earlier.chains, chain) && names(earlier.contracts, contract))
    })
}
