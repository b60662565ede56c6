//! The judgement of a batch: each step by its own entry, and what the steps leave with the router.
//!
//! Anyone may take what a router holds when the transaction ends, so [`Custody`] follows it: coin that was sent
//! along, WETH that was wrapped, output of swaps whose recipient is the router. Output may be paid out to the
//! recipients of the entry that decided its swap, coin and WETH that were brought along only to oneself, and at
//! the end nothing may be left. Coin that came along must be of use: all of it is sold as WETH or wrapped, and
//! what is wrapped is sold, or a deposit that the book grants.

use wire::{Refusal, Why};

use super::batch::{Batch, Permit2Permit, STEPS_MAX, Step};
use super::judge::{Judged, of_address, require_at_most, require_no_value, uint256};
use super::judge_swap::{Payee, require_out_per_in};
use super::rules::SwapLimits;
use super::swap::{Amounts, Deadline, Swap};
use crate::{Address, U256};

/// `Constants.CONTRACT_BALANCE`, 2^255: whatever the Universal Router has.
const WHOLE_BALANCE: U256 = U256::from_limbs([0, 0, 0, 1 << 63]);

/// Hundredths of a percent in a whole.
const BIPS: U256 = U256::from_limbs([10_000, 0, 0, 0]);

impl Judged<'_, '_> {
    /// A batch that was sent `value`.
    pub(super) fn batch(&self, batch: &Batch<'_>, value: U256) -> Result<(), Why> {
        if self.weth().is_none() {
            // Which token the router would pay for with it is not known.
            require_no_value(value)?;
        }
        let mut custody = Custody::new(value);
        for (index, step) in batch.steps().enumerate() {
            self.step(batch, step?, &mut custody).map_err(|why| why.subject(index))?;
        }
        if custody.swaps == 0 {
            return Err(Refusal::SwapMissing.into());
        }
        if !custody.is_empty() {
            return Err(Refusal::LeftInRouter.into());
        }
        self.require_coin_of_use(batch, &custody, value)
    }

    /// Coin beyond what the swaps can use has no business with a router, even if a refund is asked for. Wrapping
    /// it to sell it is the swaps' grant; wrapping it to keep it is a deposit.
    fn require_coin_of_use(&self, batch: &Batch<'_>, custody: &Custody<'_>, value: U256) -> Result<(), Why> {
        let usable = if batch.commands().is_some() { custody.wrapped } else { custody.coin_sold };
        require_at_most(value, usable, Refusal::ValueNotAllowed)?;
        let kept = custody.wrapped.saturating_sub(custody.coin_sold);
        if kept.is_zero() {
            return Ok(());
        }
        let deposit_max = self.weth_entry().and_then(|weth| weth.deposit_max);
        require_at_most(kept, deposit_max.ok_or(Refusal::FunctionNotAllowed)?, Refusal::ValueAboveCap)
    }

    fn step<'s>(&'s self, batch: &Batch<'s>, step: Step<'s>, custody: &mut Custody<'s>) -> Result<(), Why> {
        match step {
            Step::Swap(swap) => self.batched_swap(batch, swap, custody),
            Step::Wrap { recipient, amount } => {
                let payee = self.mapped_payee(batch.router(), recipient);
                if let Payee::Other(recipient) = payee {
                    return Err(of_address(Refusal::RecipientNotAllowed, recipient));
                }
                let amount = if amount == WHOLE_BALANCE { custody.coin.amount } else { amount };
                custody.coin.take(amount)?;
                custody.wrapped = custody.wrapped.saturating_add(amount);
                if payee == Payee::Router {
                    custody.weth.put(amount);
                }
                Ok(())
            }
            Step::Unwrap { recipient, amount_min, .. } => {
                let weth = self.weth().ok_or(Why::new(Refusal::CoinTokenNotWeth))?;
                self.pay_out(batch, custody, weth, recipient, amount_min, true)
            }
            Step::Sweep { token, recipient, amount_min, .. } => {
                if batch.commands().is_some() && *token == [0; 20] {
                    return self.sweep_coin(batch, custody, recipient);
                }
                self.pay_out(batch, custody, token, recipient, amount_min, false)
            }
            Step::RefundCoin => {
                custody.coin = Remainder::NOTHING;
                Ok(())
            }
            Step::SelfPermit(permit) => self.permit(&permit.of(self.account)),
            Step::Permit2Permit(permit) => self.permit2_permit(batch.router(), &permit),
            Step::PayPortion { token, recipient, bips } => self.pay_portion(custody, token, recipient, bips),
        }
    }

    fn batched_swap<'s>(
        &'s self,
        batch: &Batch<'s>,
        mut swap: Swap<'s>,
        custody: &mut Custody<'s>,
    ) -> Result<(), Why> {
        let entry = self.swap(&swap)?;
        let is_universal = batch.commands().is_some();
        if !is_universal && !entry.multicall {
            return Err(Refusal::FunctionNotAllowed.into());
        }
        let sells_weth = self.weth() == Some(swap.route.token_in());
        if !is_universal && custody.has_coin {
            self.require_no_weth_between(&swap)?;
        }
        let is_from_router = is_universal && !swap.payer_is_user;
        let is_of_output = is_from_router && custody.holds_output(swap.route.token_in());
        if is_from_router {
            swap.amounts = custody.pay(&swap, sells_weth)?;
        } else if is_universal && swap.amounts.sold_max() == WHOLE_BALANCE {
            return Err(Why::new(Refusal::AmountNotHeld).observed(uint256(WHOLE_BALANCE)));
        }
        if sells_weth && custody.has_coin && (is_from_router || !is_universal) {
            self.require_weth(swap.route.token_in(), entry)?;
        }
        if !is_universal && sells_weth {
            custody.pay_coin(&swap.amounts);
        }
        self.require_amounts(&swap.amounts, entry)?;
        let sold = custody.count_sold(entry, swap.route.token_in(), swap.amounts.sold_max())?;
        require_at_most(sold, entry.amount_in_max, Refusal::AmountAboveCap)?;
        self.require_timely_swap([batch.deadline(), swap.deadline], entry)?;
        if sells_weth && entry.native && !is_of_output {
            custody.coin_sold = custody.coin_sold.saturating_add(swap.amounts.sold_max());
        }
        custody.swaps = custody.swaps.saturating_add(1);
        if self.swap_payee(&swap) == Payee::Router {
            let (token, amounts) = (swap.route.token_out(), swap.amounts);
            custody.put_output(Output { token, limits: entry, amounts, bips: U256::ZERO })?;
        }
        Ok(())
    }

    /// A V3 router pays each hop of a path out of WETH with the coin it has: the WETH of the hop before would be
    /// left for the next caller.
    fn require_no_weth_between(&self, swap: &Swap<'_>) -> Result<(), Why> {
        match swap.route.intermediates().find(|token| self.weth() == Some(*token)) {
            Some(weth) => Err(of_address(Refusal::CoinPaysIntermediate, weth)),
            None => Ok(()),
        }
    }

    /// All the router has of `token` is paid out, as native coin if `as_coin`.
    fn pay_out(
        &self,
        batch: &Batch<'_>,
        custody: &mut Custody<'_>,
        token: &Address,
        recipient: Option<&Address>,
        amount_min: U256,
        as_coin: bool,
    ) -> Result<(), Why> {
        let payee = self.step_payee(batch, recipient)?;
        let mut is_output = false;
        for slot in &mut custody.outputs {
            let Some(output) = slot.filter(|output| output.token == token) else { continue };
            is_output = true;
            if let Payee::Other(recipient) = payee
                && !output.limits.recipients.contains(recipient)
            {
                return Err(of_address(Refusal::RecipientNotAllowed, recipient));
            }
            if as_coin {
                self.require_weth(token, output.limits)?;
            }
            if amount_min.is_zero() {
                return Err(Refusal::PayoutMinimumZero.into());
            }
            *slot = None;
        }
        let is_weth = self.weth() == Some(token);
        let is_brought = is_weth && !custody.weth.is_nothing();
        if let Payee::Other(recipient) = payee
            && (is_brought || !is_output)
        {
            return Err(of_address(Refusal::RecipientNotAllowed, recipient));
        }
        if is_weth {
            custody.weth = Remainder::NOTHING;
        }
        Ok(())
    }

    fn sweep_coin(
        &self,
        batch: &Batch<'_>,
        custody: &mut Custody<'_>,
        recipient: Option<&Address>,
    ) -> Result<(), Why> {
        match self.step_payee(batch, recipient)? {
            Payee::Other(recipient) => Err(of_address(Refusal::RecipientNotAllowed, recipient)),
            Payee::Own | Payee::Router => {
                custody.coin = Remainder::NOTHING;
                Ok(())
            }
        }
    }

    /// Who gets a payout; never the router. Only the Universal Router has addresses that stand for others here.
    fn step_payee<'p>(&self, batch: &Batch<'_>, recipient: Option<&'p Address>) -> Result<Payee<'p>, Why> {
        let Some(recipient) = recipient else { return Ok(Payee::Own) };
        let payee = match batch.commands() {
            Some(_) => self.mapped_payee(batch.router(), recipient),
            None => self.literal_payee(batch.router(), recipient),
        };
        if payee == Payee::Router {
            return Err(of_address(Refusal::RecipientNotAllowed, recipient));
        }
        Ok(payee)
    }

    fn permit2_permit(&self, router: &Address, permit: &Permit2Permit<'_>) -> Result<(), Why> {
        if permit.spender != router {
            return Err(of_address(Refusal::SpenderNotAllowed, permit.spender));
        }
        // The router knows its Permit2; which one that is does not change what is allowed.
        self.permit2_approve(self.limits.permit2, &permit.allowance(router))?;
        self.require_timely(Deadline::At(permit.deadline), self.permit2_ahead_max_s(permit.token))
    }

    /// A share of an output: what is left of its minimum must still keep the ratio.
    fn pay_portion(
        &self,
        custody: &mut Custody<'_>,
        token: &Address,
        recipient: &Address,
        bips: U256,
    ) -> Result<(), Why> {
        let is_brought = self.weth() == Some(token) && !custody.weth.is_nothing();
        let mut outputs =
            custody.outputs.iter_mut().flatten().filter(|output| output.token == token).peekable();
        if is_brought || outputs.peek().is_none() {
            return Err(of_address(Refusal::PortionNotAllowed, token));
        }
        for output in outputs {
            let granted = output.limits.portion.as_ref().ok_or(Why::new(Refusal::FunctionNotAllowed))?;
            if !granted.recipients.contains(recipient) {
                return Err(of_address(Refusal::PortionNotAllowed, recipient));
            }
            // The sum bounds what several shares take, each of them of what the ones before left.
            let bips_in_all = output.bips.saturating_add(bips);
            let bips_max = U256::from(granted.bips_max).min(BIPS);
            require_at_most(bips_in_all, bips_max, Refusal::PortionAboveCap)?;
            let (sold_max, bought_min) = (output.amounts.sold_max(), output.amounts.bought_min());
            let left = share(bought_min, BIPS.saturating_sub(bips));
            require_out_per_in(left, sold_max, &output.limits.out_per_in_min)?;
            output.bips = bips_in_all;
            output.amounts = Amounts::ExactIn { amount_in: sold_max, amount_out_min: left };
        }
        Ok(())
    }
}

/// `amount * bips / 10000`, rounded down; `bips` is at most 10000.
fn share(amount: U256, bips: U256) -> U256 {
    let (whole, rest) = (amount.wrapping_div(BIPS), amount.wrapping_rem(BIPS));
    whole.saturating_mul(bips).saturating_add(rest.saturating_mul(bips).wrapping_div(BIPS))
}

/// What the router holds between two steps.
struct Custody<'s> {
    coin: Remainder,
    /// Whether coin came along at all.
    has_coin: bool,
    /// How much of it was wrapped.
    wrapped: U256,
    /// How much of it swaps that may sell coin can use.
    coin_sold: U256,
    weth: Remainder,
    outputs: [Option<Output<'s>>; STEPS_MAX],
    swaps: usize,
    sold: [Option<Sold<'s>>; STEPS_MAX],
}

/// What all swaps of one token sell that one entry decided: its cap holds for the batch, not for each of them.
#[derive(Clone, Copy)]
struct Sold<'s> {
    limits: &'s SwapLimits<'s>,
    token: &'s Address,
    amount: U256,
}

/// What was brought along and is not spent yet: exactly so much, or at most so much.
#[derive(Clone, Copy)]
struct Remainder {
    amount: U256,
    is_exact: bool,
}

/// What a swap leaves with the router: at least its minimum.
#[derive(Clone, Copy)]
struct Output<'s> {
    token: &'s Address,
    limits: &'s SwapLimits<'s>,
    amounts: Amounts,
    /// Shares paid of it so far, hundredths of a percent.
    bips: U256,
}

impl<'s> Custody<'s> {
    fn new(value: U256) -> Self {
        Self {
            coin: Remainder { amount: value, is_exact: true },
            has_coin: !value.is_zero(),
            wrapped: U256::ZERO,
            coin_sold: U256::ZERO,
            weth: Remainder::NOTHING,
            outputs: [None; STEPS_MAX],
            swaps: 0,
            sold: [None; STEPS_MAX],
        }
    }

    fn is_empty(&self) -> bool {
        self.coin.is_nothing() && self.weth.is_nothing() && self.outputs.iter().all(Option::is_none)
    }

    fn holds_output(&self, token: &Address) -> bool {
        self.outputs.iter().flatten().any(|output| output.token == token)
    }

    /// Counts a sale; gives what was sold so far with it.
    fn count_sold(
        &mut self,
        limits: &'s SwapLimits<'s>,
        token: &'s Address,
        amount: U256,
    ) -> Result<U256, Why> {
        let is_it = |sold: &Sold<'_>| core::ptr::eq(sold.limits, limits) && sold.token == token;
        let place = self.sold.iter_mut().find(|place| place.as_ref().is_none_or(is_it));
        let place = place.ok_or(Why::new(Refusal::TooManySteps))?;
        let so_far = place.map_or(U256::ZERO, |sold| sold.amount);
        let amount = so_far.saturating_add(amount);
        *place = Some(Sold { limits, token, amount });
        Ok(amount)
    }

    fn put_output(&mut self, output: Output<'s>) -> Result<(), Why> {
        let free = self.outputs.iter_mut().find(|slot| slot.is_none());
        *free.ok_or(Why::new(Refusal::TooManySteps))? = Some(output);
        Ok(())
    }

    /// The Universal Router pays for a swap from what it holds: gives the amounts, which are known.
    fn pay(&mut self, swap: &Swap<'_>, sells_weth: bool) -> Result<Amounts, Why> {
        let token = swap.route.token_in();
        let mut held = self.outputs.iter().flatten().filter(|output| output.token == token);
        if let Some(output) = held.next() {
            // More may be there than the minimum, so the rest stays in custody.
            let known = output.amounts.bought_min();
            let sold_max = swap.amounts.sold_max();
            return if sold_max <= known && held.next().is_none() && (!sells_weth || self.weth.is_nothing()) {
                Ok(swap.amounts)
            } else {
                Err(Why::new(Refusal::AmountNotHeld).observed(uint256(sold_max)).limit(uint256(known)))
            };
        }
        let weth = if sells_weth { &mut self.weth } else { &mut Remainder { ..Remainder::NOTHING } };
        match swap.amounts {
            Amounts::ExactIn { amount_in: WHOLE_BALANCE, amount_out_min } if weth.is_exact => {
                let amount_in = weth.amount;
                weth.take(amount_in)?;
                Ok(Amounts::ExactIn { amount_in, amount_out_min })
            }
            Amounts::ExactIn { amount_in, .. } => {
                weth.take(amount_in)?;
                Ok(swap.amounts)
            }
            Amounts::ExactOut { amount_in_max, .. } => {
                weth.take(amount_in_max)?;
                // Some of it may be left.
                *weth = Remainder { amount: weth.amount.saturating_add(amount_in_max), is_exact: false };
                Ok(swap.amounts)
            }
        }
    }

    /// A V3 router pays for WETH with the coin it has, if that is enough, and takes the sender's WETH if not.
    fn pay_coin(&mut self, amounts: &Amounts) {
        if self.coin.is_nothing() {
            return;
        }
        match amounts {
            Amounts::ExactIn { amount_in, .. } if self.coin.is_exact => {
                if let Some(left) = self.coin.amount.checked_sub(*amount_in) {
                    self.coin.amount = left;
                }
            }
            Amounts::ExactIn { .. } | Amounts::ExactOut { .. } => self.coin.is_exact = false,
        }
    }
}

impl Remainder {
    const NOTHING: Self = Self { amount: U256::ZERO, is_exact: true };

    fn is_nothing(&self) -> bool {
        self.is_exact && self.amount.is_zero()
    }

    fn put(&mut self, amount: U256) {
        self.amount = self.amount.saturating_add(amount);
    }

    /// Takes what is known to be there.
    fn take(&mut self, amount: U256) -> Result<(), Why> {
        let left = if self.is_exact { self.amount.checked_sub(amount) } else { None };
        self.amount = left.ok_or_else(|| {
            Why::new(Refusal::AmountNotHeld).observed(uint256(amount)).limit(uint256(self.amount))
        })?;
        Ok(())
    }
}
