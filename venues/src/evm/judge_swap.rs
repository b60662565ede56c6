//! The judgement of one swap, alone or as a step of a batch.
//!
//! The order is fixed: the entry, what it grants, no price limit, pool fees and intermediate tokens, recipient,
//! amounts and their ratio, deadline, native coin.

use wire::{Refusal, Shown, Why};

use super::judge::{Judged, of_address, require_at_most, require_no_value, uint256};
use super::rules::{Ratio, Router, SwapLimits};
use super::swap::{Amounts, Coin, Deadline, Swap, Taker};
use crate::{Address, U256};

impl Router {
    /// Whether the inputs of its swap commands end with `minHopPriceX36`; `None` for other routers.
    const fn has_min_hop_prices(self) -> Option<bool> {
        match self {
            Self::SwapRouter | Self::SwapRouter02 | Self::V2Router => None,
            Self::UniversalRouterV1_2 | Self::UniversalRouterV2_0 => Some(false),
            Self::UniversalRouterV2_1_1 | Self::UniversalRouterV2_1_2 | Self::UniversalRouterV2_2_0 => {
                Some(true)
            }
        }
    }
}

/// Who a recipient is to a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payee<'p> {
    /// The key's own address.
    Own,
    /// The router, where the next caller could take what it gets.
    Router,
    /// Anyone else.
    Other(&'p Address),
}

impl Judged<'_, '_> {
    /// A swap that is the whole call.
    pub(super) fn single_swap(&self, swap: &Swap<'_>, value: U256) -> Result<(), Why> {
        let entry = self.swap(swap)?;
        if self.swap_payee(swap) == Payee::Router {
            return Err(of_address(Refusal::RecipientNotAllowed, swap.recipient));
        }
        self.require_amounts(&swap.amounts, entry)?;
        self.require_timely_swap([swap.deadline], entry)?;
        match (swap.coin, swap.amounts) {
            // The value is what is sold.
            (Coin::In, _) => self.require_weth(swap.route.token_in(), entry),
            (Coin::Out, _) => {
                require_no_value(value)?;
                self.require_weth(swap.route.token_out(), entry)
            }
            (Coin::No, _) if value.is_zero() => Ok(()),
            // V3's routers pay with the coin they were sent if it is enough; what is left of it stays with them.
            (Coin::No, Amounts::ExactIn { amount_in, .. })
                if swap.taker != Taker::Router(Router::V2Router)
                    && entry.native
                    && self.weth() == Some(swap.route.token_in()) =>
            {
                if value == amount_in {
                    return Ok(());
                }
                Err(Why::new(Refusal::ValueNotAllowed).observed(uint256(value)).limit(uint256(amount_in)))
            }
            (Coin::No, _) => require_no_value(value),
        }
    }

    /// What holds of a swap wherever it stands: gives the entry that decides.
    pub(super) fn swap<'s>(&'s self, swap: &Swap<'_>) -> Result<&'s SwapLimits<'s>, Why> {
        let entry = self.swap_entry(swap)?;
        let is_exact_output = matches!(swap.amounts, Amounts::ExactOut { .. });
        if (is_exact_output && !entry.exact_output) || (swap.takes_fee && !entry.fee_on_transfer) {
            return Err(Refusal::FunctionNotAllowed.into());
        }
        require_no_price_limit(swap.sqrt_price_limit_x96)?;
        if let Some(fee) = swap.route.pool_fees().find(|fee| !entry.pool_fees.allows(fee)) {
            return Err(Why::new(Refusal::PoolFeeNotAllowed).observed(Shown::uint(fee.into())));
        }
        let mut intermediates = swap.route.intermediates();
        if let Some(token) = intermediates.find(|token| !entry.intermediates.contains(*token)) {
            return Err(of_address(Refusal::IntermediateNotAllowed, token));
        }
        match self.swap_payee(swap) {
            Payee::Own | Payee::Router => Ok(entry),
            Payee::Other(recipient) if entry.recipients.contains(recipient) => Ok(entry),
            Payee::Other(recipient) => Err(of_address(Refusal::RecipientNotAllowed, recipient)),
        }
    }

    /// The first entry that names chain, router and both tokens.
    fn swap_entry<'s>(&'s self, swap: &Swap<'_>) -> Result<&'s SwapLimits<'s>, Why> {
        let at_contract = || {
            self.limits
                .swaps
                .iter()
                .filter(|entry| entry.chains.contains(&self.chain_id) && entry.routers.contains(swap.router))
        };
        let through_router = || at_contract().filter(|entry| takes(entry.router, swap.taker));
        if through_router().next().is_none() {
            let is_universal = matches!(swap.taker, Taker::UniversalRouter { .. });
            if is_universal && at_contract().any(|entry| entry.router.has_min_hop_prices().is_some()) {
                return Err(of_address(Refusal::RouterVersionDiffers, swap.router));
            }
            return Err(of_address(Refusal::ContractNotAllowed, swap.router));
        }
        let (token_in, token_out) = (swap.route.token_in(), swap.route.token_out());
        let sells = |entry: &&SwapLimits<'_>| entry.tokens_in.contains(token_in);
        through_router()
            .filter(sells)
            .find(|entry| entry.tokens_out.contains(token_out) && token_in != token_out)
            .ok_or_else(|| {
                let is_sold = through_router().any(|entry| sells(&entry));
                of_address(Refusal::PairNotAllowed, if is_sold { token_out } else { token_in })
            })
    }

    /// Amounts that are known: not zero, below the cap, and at the ratio at least.
    pub(super) fn require_amounts(&self, amounts: &Amounts, entry: &SwapLimits<'_>) -> Result<(), Why> {
        let sold_max = amounts.sold_max();
        if sold_max.is_zero() {
            return Err(Refusal::AmountInZero.into());
        }
        require_at_most(sold_max, entry.amount_in_max, Refusal::AmountAboveCap)?;
        require_out_per_in(amounts.bought_min(), sold_max, &entry.out_per_in_min)
    }

    /// Every deadline there is lies in the entry's window; without any the entry must say so.
    pub(super) fn require_timely_swap<const N: usize>(
        &self,
        deadlines: [Deadline; N],
        entry: &SwapLimits<'_>,
    ) -> Result<(), Why> {
        if !entry.without_deadline && deadlines.iter().all(|deadline| *deadline == Deadline::None) {
            return Err(Refusal::DeadlineMissing.into());
        }
        deadlines
            .into_iter()
            .try_for_each(|deadline| self.require_timely(deadline, entry.deadline_ahead_max_s))
    }

    /// Native coin stands for `token`.
    pub(super) fn require_weth(&self, token: &Address, entry: &SwapLimits<'_>) -> Result<(), Why> {
        if !entry.native {
            return Err(Refusal::FunctionNotAllowed.into());
        }
        if self.weth() == Some(token) { Ok(()) } else { Err(of_address(Refusal::CoinTokenNotWeth, token)) }
    }

    pub(super) fn swap_payee<'s>(&self, swap: &Swap<'s>) -> Payee<'s> {
        let written = U256::from_be_slice(swap.recipient);
        match swap.taker {
            // `SwapRouter.exactInputInternal`: the zero address is the router.
            Taker::Router(Router::SwapRouter) if written.is_zero() => Payee::Router,
            Taker::Router(Router::SwapRouter | Router::V2Router) => {
                self.literal_payee(swap.router, swap.recipient)
            }
            // `Constants.sol` of both: address 1 is the sender, address 2 the router.
            Taker::Router(_) | Taker::UniversalRouter { .. } => {
                self.mapped_payee(swap.router, swap.recipient)
            }
        }
    }

    /// A recipient where addresses 1 and 2 stand for the sender and the router.
    pub(super) fn mapped_payee<'p>(&self, router: &Address, recipient: &'p Address) -> Payee<'p> {
        match U256::from_be_slice(recipient) {
            U256::ONE => Payee::Own,
            ADDRESS_THIS => Payee::Router,
            _ => self.literal_payee(router, recipient),
        }
    }

    /// A recipient that is what it says.
    pub(super) fn literal_payee<'p>(&self, router: &Address, recipient: &'p Address) -> Payee<'p> {
        if recipient == router {
            Payee::Router
        } else if recipient == self.account {
            Payee::Own
        } else {
            Payee::Other(recipient)
        }
    }
}

/// Of a swap that stops at a price no output is due: `exactOutputInternal` of both V3 routers compares what was
/// bought only where the limit is zero, and coin that an exact input then does not use stays with the router.
fn require_no_price_limit(sqrt_price_limit_x96: U256) -> Result<(), Why> {
    if sqrt_price_limit_x96.is_zero() {
        return Ok(());
    }
    let why = Why::new(Refusal::PriceLimitNotAllowed).observed(uint256(sqrt_price_limit_x96));
    Err(why.limit(Shown::uint(0)))
}

/// `Constants.ADDRESS_THIS`.
const ADDRESS_THIS: U256 = U256::from_limbs([2, 0, 0, 0]);

fn takes(router: Router, taker: Taker) -> bool {
    match taker {
        Taker::Router(kind) => kind == router,
        Taker::UniversalRouter { has_min_hop_prices } => {
            router.has_min_hop_prices() == Some(has_min_hop_prices)
        }
    }
}

/// `out * denominator >= in * numerator`, in 512 bits.
pub(super) fn require_out_per_in(bought_min: U256, sold_max: U256, ratio: &Ratio) -> Result<(), Why> {
    let out: Product = bought_min.widening_mul(ratio.denominator);
    let least: Product = sold_max.widening_mul(ratio.numerator);
    if !bought_min.is_zero() && !ratio.denominator.is_zero() && out >= least {
        return Ok(());
    }
    // The limit shown is the least output that would have passed, where one does.
    let quotient = least.checked_div(Product::from(ratio.denominator));
    let limit = quotient.map(|quotient| {
        let exact = quotient.wrapping_mul(Product::from(ratio.denominator)) == least;
        let rounded_up = if exact { quotient } else { quotient.wrapping_add(Product::ONE) };
        rounded_up.max(Product::ONE)
    });
    Err(Why::new(Refusal::MinimumOutBelowRatio).observed(uint256(bought_min)).limit(
        limit
            .and_then(|limit| U256::checked_from_limbs_slice(limit.as_limbs()))
            .map_or(Shown::Nothing, uint256),
    ))
}

/// A product of two 256-bit integers.
type Product = ruint::Uint<512, 8>;
