//! What a payload puts at stake: the common measure of budgets and modes.
//!
//! Amounts are micro-USD (10^-6 USD), rounded up. USDC, pUSD and a venue's quote coin count as one dollar; a token is
//! worth what the book says ([`TokenValue`]). No price comes from outside.

use wire::{Refusal, Shown, Venue, Why};

use crate::book_value::book_struct;
use crate::{Address, U256};

/// Most (market, post-only) pairs that one payload may trade on.
pub const EXPOSURES_MAX: usize = 16;

/// Micro-USD in a dollar.
pub(crate) const MICRO_USD_PER_USD: u64 = 1_000_000;

/// What signing can do to the desk's risk, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It only takes orders away, or uses up a nonce.
    Cancels,
    /// It can only shrink a position.
    Reduces,
    /// Anything else.
    Opens,
}

/// A market, or whatever else a budget per market tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Market {
    /// The venue.
    pub venue: Venue,
    /// The venue's own number or address, big-endian, zeros before it.
    pub id: [u8; 32],
}

impl Market {
    /// What moves money and trades on no market: withdrawals, transfers between one's own accounts.
    #[must_use]
    pub const fn funds(venue: Venue) -> Self {
        Self { venue, id: [0xff; 32] }
    }

    /// A market with a number.
    #[must_use]
    pub fn number(venue: Venue, number: u64) -> Self {
        let mut id = [0; 32];
        if let Some(low) = id.last_chunk_mut() {
            *low = number.to_be_bytes();
        }
        Self { venue, id }
    }

    /// A token of an EVM chain: four bytes of the chain id's low half stand before its address.
    #[must_use]
    pub fn token(venue: Venue, chain_id: u64, token: &Address) -> Self {
        let mut id = [0; 32];
        let (chain, rest) = id.split_at_mut(8);
        chain.copy_from_slice(&chain_id.to_be_bytes());
        if let Some(place) = rest.last_chunk_mut::<20>() {
            *place = *token;
        }
        Self { venue, id }
    }
}

/// What one payload puts at stake on one market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// Where.
    pub market: Market,
    /// Whether all of it can only rest in the book.
    pub is_post_only: bool,
    /// Orders, or movements of funds.
    pub orders: u32,
    /// Worst case, micro-USD.
    pub notional_micro_usd: u128,
}

/// What one payload puts at stake, one entry for each market and way of trading.
#[derive(Clone, Debug)]
pub struct Exposures {
    entries: [Exposure; EXPOSURES_MAX],
    used: usize,
}

impl Exposures {
    /// Nothing.
    pub const EMPTY: Self = {
        let entry = Exposure {
            market: Market::funds(Venue::Evm),
            is_post_only: false,
            orders: 0,
            notional_micro_usd: 0,
        };
        Self { entries: [entry; EXPOSURES_MAX], used: 0 }
    };

    /// Forgets everything, for the next payload.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Adds one order. Sums beyond 128 bits stand as the largest value.
    ///
    /// # Errors
    /// [`Refusal::TooManyMarkets`].
    pub fn add(&mut self, market: Market, is_post_only: bool, notional_micro_usd: u128) -> Result<(), Why> {
        let known = self.entries.iter_mut().take(self.used);
        let mut same = known.filter(|entry| entry.market == market && entry.is_post_only == is_post_only);
        if let Some(entry) = same.next() {
            entry.orders = entry.orders.saturating_add(1);
            entry.notional_micro_usd = entry.notional_micro_usd.saturating_add(notional_micro_usd);
            return Ok(());
        }
        let Some(place) = self.entries.get_mut(self.used) else {
            return Err(Why::new(Refusal::TooManyMarkets)
                .observed(Shown::size(EXPOSURES_MAX + 1))
                .limit(Shown::size(EXPOSURES_MAX)));
        };
        *place = Exposure { market, is_post_only, orders: 1, notional_micro_usd };
        self.used += 1;
        Ok(())
    }

    /// The entry, where there is one only.
    pub fn sole(&mut self) -> Option<&mut Exposure> {
        if self.used == 1 { self.entries.first_mut() } else { None }
    }

    /// The entries.
    #[must_use]
    pub fn entries(&self) -> &[Exposure] {
        self.entries.get(..self.used).unwrap_or_default()
    }
}

/// What stands for a chain's native coin among its tokens.
pub const NATIVE: Address = [0; 20];

book_struct! {
    /// What a token is worth at most, for budgets in USD.
    pub struct TokenValue<'b> {
        /// The desk's name for it.
        pub name: &'b str,
        /// The chain (EIP-155).
        pub chain_id: u64,
        /// The token's contract; [`NATIVE`] stands for the chain's own coin.
        pub token: Address,
        /// Decimals of the token: its smallest units in one whole are 10 to this power.
        pub decimals: u8,
        /// What one whole token is worth at most, micro-USD.
        pub usd_max: u64,
    }
}

/// The worth of `amount` smallest units of a token, micro-USD, rounded up.
///
/// # Errors
/// [`Refusal::TokenHasNoValue`] with the token when the book says nothing of it.
pub fn token_worth(
    values: &[TokenValue<'_>],
    chain_id: u64,
    token: &Address,
    amount: U256,
) -> Result<u128, Why> {
    let known = values.iter().find(|value| value.chain_id == chain_id && value.token == *token);
    let Some(value) = known else {
        return Err(Why::new(Refusal::TokenHasNoValue).observed(Shown::Address(*token)));
    };
    Ok(worth(amount, value.decimals, value.usd_max))
}

/// The worth of `amount` units of 10^-`decimals`, of which one whole is worth `usd_max` micro-USD; micro-USD, rounded
/// up. What 128 bits do not hold is worth the largest value.
pub(crate) fn worth(amount: U256, decimals: u8, usd_max: u64) -> u128 {
    let whole = U256::from(10).checked_pow(U256::from(decimals)).unwrap_or(U256::MAX);
    let worth = amount.checked_mul(U256::from(usd_max)).map(|product| product.div_ceil(whole));
    worth.and_then(|worth| u128::try_from(worth).ok()).unwrap_or(u128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USDC: Address = [0xa0; 20];
    const VALUES: [TokenValue<'static>; 2] = [
        TokenValue { name: "usdc", chain_id: 1, token: USDC, decimals: 6, usd_max: 1_000_000 },
        TokenValue { name: "ether", chain_id: 1, token: [0; 20], decimals: 18, usd_max: 4_200_500_000 },
    ];

    #[test]
    fn worth_is_exact_and_rounded_up() {
        let worth = |token, amount: u128| token_worth(&VALUES, 1, token, U256::from(amount));
        assert_eq!(worth(&USDC, 25_000_000), Ok(25_000_000));
        assert_eq!(worth(&[0; 20], 1_000_000_000_000_000_000), Ok(4_200_500_000));
        assert_eq!(worth(&[0; 20], 1), Ok(1));
        assert_eq!(worth(&[0; 20], 0), Ok(0));
        assert_eq!(token_worth(&VALUES, 1, &USDC, U256::MAX), Ok(u128::MAX));
    }

    #[test]
    fn a_token_or_chain_that_the_book_does_not_value_is_refused() {
        for (chain, token) in [(10, USDC), (1, [7; 20])] {
            let why = token_worth(&VALUES, chain, &token, U256::ONE).unwrap_err();
            assert_eq!((why.refusal, why.observed), (Refusal::TokenHasNoValue, Shown::Address(token)));
        }
    }

    #[test]
    fn orders_of_one_market_are_one_entry_and_post_only_ones_another() {
        let mut exposures = Exposures::EMPTY;
        let market = Market::number(Venue::Hyperliquid, 7);
        for (is_post_only, notional) in [(true, 5), (false, 7), (true, u128::MAX)] {
            exposures.add(market, is_post_only, notional).unwrap();
        }
        let entry = |is_post_only, orders, notional_micro_usd| Exposure {
            market,
            is_post_only,
            orders,
            notional_micro_usd,
        };
        assert_eq!(exposures.entries(), [entry(true, 2, u128::MAX), entry(false, 1, 7)]);
    }

    #[test]
    fn one_market_more_than_the_most_is_refused() {
        let mut exposures = Exposures::EMPTY;
        for number in 0..EXPOSURES_MAX as u64 {
            exposures.add(Market::number(Venue::Solana, number), false, 1).unwrap();
        }
        let why = exposures.add(Market::number(Venue::Solana, 99), false, 1).unwrap_err();
        assert_eq!((why.refusal, why.limit), (Refusal::TooManyMarkets, Shown::size(EXPOSURES_MAX)));
        exposures.add(Market::number(Venue::Solana, 3), false, 1).unwrap();
    }
}
