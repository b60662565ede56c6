//! What typed data can do to the desk's risk, and what they put at stake: what a filler, a relayer or a spender can take
//! at its most. That is what the permit says, which the judge holds equal to the most that the order can take.

use wire::{Venue, Why};

use super::Content;
use crate::exposure::{Effect, Exposures, Market, TokenValue, token_worth};
use crate::{Address, U256};

/// A permit that sets allowances to nothing takes back what a spender may take. Orders are cancelled by a transaction.
pub(super) fn effect(content: &Content<'_>) -> Effect {
    match content {
        Content::Allowance(allowance, _) => {
            let details = allowance.details.as_slice();
            let takes_back = !details.is_empty() && details.iter().all(|detail| detail.amount.is_zero());
            if takes_back { Effect::Cancels } else { Effect::Opens }
        }
        Content::Order(_) | Content::Relay(_) | Content::Transfer(..) => Effect::Opens,
    }
}

/// An order is one on its input token; each token of a permit is a movement, unless it takes an allowance back.
pub(super) fn expose(
    content: &Content<'_>,
    chain_id: u64,
    values: &[TokenValue<'_>],
    exposures: &mut Exposures,
) -> Result<(), Why> {
    let mut add = |token: &Address, amount: U256| {
        let worth = token_worth(values, chain_id, token, amount)?;
        exposures.add(Market::token(Venue::Uniswapx, chain_id, token), false, worth)
    };
    match content {
        Content::Order(order) => add(&order.permitted.token, order.permitted.amount),
        Content::Relay(relay) => relay
            .permitted
            .as_slice()
            .iter()
            .try_for_each(|permitted| add(&permitted.token, permitted.amount)),
        Content::Transfer(transfer, _) => {
            let mut permitted = transfer.permitted.as_slice().iter();
            permitted.try_for_each(|permitted| add(&permitted.token, permitted.amount))
        }
        Content::Allowance(allowance, _) => {
            let details = allowance.details.as_slice().iter();
            let mut given = details.filter(|detail| !detail.amount.is_zero());
            given.try_for_each(|detail| add(&detail.token, detail.amount))
        }
    }
}
