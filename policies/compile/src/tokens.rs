//! Which tokens the grants of a slot can move, and which they name.

use book::Slot;
use venues::book_value::AnyOr;
use venues::{Address, NATIVE, TokenValue};
use wire::Venue;

use crate::scalars::checksummed;

/// Most tokens that one fault lists.
const LISTED_MAX: usize = 8;

/// Tokens of an entry: each of them on each of the chains.
type Tokens<'b> = (&'b [u64], &'b [Address]);

/// Tokens that the slots can move on the venues and that have no value, as a fault shows them; at most
/// [`LISTED_MAX`], each once.
pub(crate) fn without_value<'s>(
    slots: impl Iterator<Item = &'s Slot<'s>>,
    venues: &AnyOr<'_, u8>,
    values: &[TokenValue<'_>],
) -> Vec<String> {
    let mut missing = Vec::new();
    for slot in slots {
        let mut found = Vec::new();
        let mut entries = Vec::new();
        if venues.allows(&(Venue::Evm as u8)) {
            entries.extend(moved_on_evm(slot));
        }
        if venues.allows(&(Venue::Uniswapx as u8)) {
            entries.extend(moved_on_uniswapx(slot));
        }
        for (chains, tokens) in entries {
            let pairs = chains.iter().flat_map(|chain| tokens.iter().map(move |token| (*chain, *token)));
            let has_value = |pair| values.iter().any(|value| (value.chain_id, value.token) == pair);
            found.extend(pairs.filter(|pair| !has_value(*pair)).map(|(chain, token)| shown(chain, &token)));
        }
        if venues.allows(&(Venue::Hyperliquid as u8)) {
            found.extend(unvalued_on_hyperliquid(slot));
        }
        if venues.allows(&(Venue::Solana as u8)) {
            found.extend(unvalued_on_solana(slot));
        }
        for token in found {
            if !missing.contains(&token) {
                missing.push(token);
            }
        }
    }
    missing.truncate(LISTED_MAX);
    missing
}

/// Spot tokens of transfers whose entry names no value.
fn unvalued_on_hyperliquid(slot: &Slot<'_>) -> Vec<String> {
    let transfers = slot.grants.hyperliquid.map_or(&[][..], |limits| limits.transfers);
    let unvalued = transfers.iter().filter(|entry| entry.usd_max.is_none());
    unvalued.flat_map(|entry| entry.tokens).map(|token| format!("{token} on Hyperliquid")).collect()
}

/// Collateral whose entry names no value.
fn unvalued_on_solana(slot: &Slot<'_>) -> Vec<String> {
    let programs = slot.grants.solana.map_or(&[][..], |limits| limits.programs);
    let collateral = programs.iter().flat_map(|program| program.collateral);
    let unvalued = collateral.filter(|entry| entry.usd_max.is_none());
    unvalued.map(|entry| format!("collateral of Drift's spot market {}", entry.market_index)).collect()
}

/// Whether a grant names the token, to be moved or to be bought.
pub(crate) fn names(slot: &Slot<'_>, chain_id: u64, token: &Address) -> bool {
    let mut entries = moved_on_evm(slot);
    entries.extend(moved_on_uniswapx(slot));
    entries.extend(bought(slot));
    entries.iter().any(|(chains, tokens)| chains.contains(&chain_id) && tokens.contains(token))
}

/// A token as a fault shows it.
fn shown(chain_id: u64, token: &Address) -> String {
    let token = if *token == NATIVE { "native".to_owned() } else { checksummed(token) };
    format!("{token} on chain {chain_id}")
}

fn moved_on_evm<'b>(slot: &Slot<'b>) -> Vec<Tokens<'b>> {
    let Some(evm) = &slot.grants.evm else { return Vec::new() };
    // Gas is paid in it, whatever is moved.
    let native = (evm.chains, &[NATIVE][..]);
    let tokens = evm.tokens.iter().map(|entry| (entry.chains, entry.tokens));
    let sold = evm.swaps.iter().map(|entry| (entry.chains, entry.tokens_in));
    let unwrapped = evm.weth.iter().filter(|entry| entry.withdraw_max.is_some());
    let unwrapped = unwrapped.map(|entry| (entry.chains, core::slice::from_ref(&entry.contract)));
    let permits = evm.permit2.iter().filter_map(|entry| Some((entry.chains, entry.approve?.tokens)));
    core::iter::once(native).chain(tokens).chain(sold).chain(unwrapped).chain(permits).collect()
}

fn moved_on_uniswapx<'b>(slot: &Slot<'b>) -> Vec<Tokens<'b>> {
    let Some(uniswapx) = &slot.grants.uniswapx else { return Vec::new() };
    let sold = uniswapx.swaps.iter().map(|entry| (entry.chains, entry.tokens_in));
    let relayed = uniswapx
        .relays
        .iter()
        .flat_map(|entry| [(entry.chains, entry.tokens), (entry.chains, entry.fee_tokens)]);
    let allowances = uniswapx.allowances.iter().map(|entry| (entry.chains, entry.tokens));
    let transfers = uniswapx.transfers.iter().map(|entry| (entry.chains, entry.tokens));
    sold.chain(relayed).chain(allowances).chain(transfers).collect()
}

/// What swaps buy, and what coin is wrapped as.
fn bought<'b>(slot: &Slot<'b>) -> Vec<Tokens<'b>> {
    let mut entries = Vec::new();
    if let Some(evm) = &slot.grants.evm {
        entries.extend(evm.swaps.iter().map(|entry| (entry.chains, entry.tokens_out)));
        entries.extend(evm.weth.iter().map(|entry| (entry.chains, core::slice::from_ref(&entry.contract))));
    }
    if let Some(uniswapx) = &slot.grants.uniswapx {
        entries.extend(uniswapx.swaps.iter().map(|entry| (entry.chains, entry.tokens_out)));
    }
    entries
}
