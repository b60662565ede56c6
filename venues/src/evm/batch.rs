//! Several calls in one: a router's `multicall`, the Universal Router's `execute`.
//!
//! ```text
//! multicall  each bytes is a call of the router itself: selector, arguments
//! execute    one command byte for each input; an input is arguments without a selector
//!            00 V3_SWAP_EXACT_IN   01 V3_SWAP_EXACT_OUT   08 V2_SWAP_EXACT_IN   09 V2_SWAP_EXACT_OUT
//!            04 SWEEP   06 PAY_PORTION   0a PERMIT2_PERMIT   0b WRAP_ETH   0c UNWRAP_WETH
//! ```
//!
//! Guarantees: the framing is canonical when the transaction was decoded; each step is read whole or is an error.
//! The full command byte is compared: bit 0x80 lets a step fail, bit 0x40 was a flag once and is a command now.
//! Refuses: a multicall inside a multicall, every other function and command.

use wire::{Refusal, Shown, Why};

use super::abi::{
    BytesList, Word, open, read_address, read_bool, read_uint, read_uint160, read_uint256, read_words,
};
use super::call::{Permit, Permit2Approve, Selector, swap_reader};
use super::swap::{Amounts, Coin, Deadline, PackedPath, PairPath, Route, Swap, Taker};
use crate::{Address, U256};

/// Most steps that are read of one batch.
pub const STEPS_MAX: usize = 16;

/// Several calls at once, not yet looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch<'f> {
    router: &'f Address,
    form: Form<'f>,
    deadline: Deadline,
    steps: BytesList<'f>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form<'f> {
    Multicall { previous_blockhash: Option<&'f Word> },
    Execute { commands: &'f [u8] },
}

impl<'f> Batch<'f> {
    /// The router contract.
    #[must_use]
    pub const fn router(&self) -> &'f Address {
        self.router
    }

    /// Until when it may run.
    #[must_use]
    pub const fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// The commands of an `execute`; `None` for a multicall.
    #[must_use]
    pub const fn commands(&self) -> Option<&'f [u8]> {
        match self.form {
            Form::Multicall { .. } => None,
            Form::Execute { commands } => Some(commands),
        }
    }

    /// The block behind which alone a multicall may run, if it names one.
    #[must_use]
    pub const fn previous_blockhash(&self) -> Option<&'f [u8; 32]> {
        match self.form {
            Form::Multicall { previous_blockhash } => previous_blockhash,
            Form::Execute { .. } => None,
        }
    }

    /// How many steps.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The steps in order; one that is not understood is an error with its refusal, its index as the subject.
    pub fn steps(&self) -> impl Iterator<Item = Result<Step<'f>, Why>> + use<'f> {
        let Self { router, form, steps, .. } = *self;
        steps.enumerate().map(move |(index, bytes)| {
            let step = match form {
                Form::Multicall { .. } => read_inner_call(router, bytes),
                Form::Execute { commands } => {
                    let command = commands.get(index).copied();
                    command.map_or(Err(Refusal::CommandCountDiffers.into()), |command| {
                        read_command(router, command, bytes)
                    })
                }
            };
            step.map_err(|why| why.subject(index))
        })
    }
}

/// One step of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)]
pub enum Step<'f> {
    /// A swap.
    Swap(Swap<'f>),
    /// `WRAP_ETH`: native coin of the router becomes WETH.
    Wrap {
        /// who gets the WETH
        recipient: &'f Address,
        /// how much; 2^255 is all the router has
        amount: U256,
    },
    /// `unwrapWETH9`, `UNWRAP_WETH`: all WETH of the router is paid out as native coin.
    Unwrap {
        /// the function's or command's name
        function: &'static str,
        /// to whom; `None` is the sender
        recipient: Option<&'f Address>,
        /// at least so much
        amount_min: U256,
    },
    /// `sweepToken`, `SWEEP`: all the router has of a token is paid out.
    Sweep {
        /// the function's or command's name
        function: &'static str,
        /// which; the zero address is native coin for the Universal Router
        token: &'f Address,
        /// to whom; `None` is the sender
        recipient: Option<&'f Address>,
        /// at least so much
        amount_min: U256,
    },
    /// `refundETH`: all native coin of the router goes to the sender.
    RefundCoin,
    /// `selfPermit`: an ERC-2612 permit of the sender for the router. The owner is the sender.
    SelfPermit(SelfPermit<'f>),
    /// `PERMIT2_PERMIT`: a signed Permit2 allowance of the sender is handed in.
    Permit2Permit(Permit2Permit<'f>),
    /// `PAY_PORTION`: a share of what the router has of a token.
    PayPortion {
        /// which
        token: &'f Address,
        /// to whom
        recipient: &'f Address,
        /// hundredths of a percent
        bips: U256,
    },
}

/// `selfPermit(token, value, deadline, v, r, s)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfPermit<'f> {
    /// The token contract.
    pub token: &'f Address,
    /// The router, which may then move the sender's tokens.
    pub spender: &'f Address,
    /// How many.
    pub amount: U256,
    /// Until when it may be handed in, Unix time in seconds.
    pub deadline: U256,
}

impl<'f> SelfPermit<'f> {
    /// The same as a permit of `owner`.
    #[must_use]
    pub const fn of(&self, owner: &'f Address) -> Permit<'f> {
        let Self { token, spender, amount, deadline } = *self;
        Permit { token, owner, spender, amount, deadline }
    }
}

/// A `PermitSingle` of Permit2 with its signature, which only Permit2 can tell whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit2Permit<'f> {
    /// The token contract.
    pub token: &'f Address,
    /// Who may then move the sender's tokens.
    pub spender: &'f Address,
    /// How many, below 2^160.
    pub amount: U256,
    /// Until when, Unix time in seconds, below 2^48.
    pub expiration: u64,
    /// The allowance's nonce, below 2^48.
    pub nonce: u64,
    /// Until when it may be handed in, Unix time in seconds.
    pub deadline: U256,
}

impl<'f> Permit2Permit<'f> {
    /// The allowance it gives in `contract`.
    #[must_use]
    pub const fn allowance(&self, contract: &'f Address) -> Permit2Approve<'f> {
        let Self { token, spender, amount, expiration, .. } = *self;
        Permit2Approve { contract, token, spender, amount, expiration }
    }
}

type ReadBatch = for<'f> fn(&'f Address, &'f [u8], U256) -> Option<Batch<'f>>;

/// The reader of a batch function's arguments.
pub(super) const fn reader(selector: Selector) -> Option<ReadBatch> {
    Some(match selector {
        MULTICALL => multicall,
        MULTICALL_UNTIL => multicall_until,
        MULTICALL_BEHIND => multicall_behind,
        [0x24, 0x85, 0x6b, 0xc3] => execute,
        [0x35, 0x93, 0x56, 0x4c] => execute_until,
        _ => return None,
    })
}

const MULTICALL: Selector = [0xac, 0x96, 0x50, 0xd8];
const MULTICALL_UNTIL: Selector = [0x5a, 0xe4, 0x01, 0xdc];
const MULTICALL_BEHIND: Selector = [0x1f, 0x04, 0x64, 0xd1];

fn multicall<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Batch<'f>> {
    let ([data], mut tail) = open(arguments)?;
    let steps = tail.bytes_list(data)?;
    tail.close()?;
    let form = Form::Multicall { previous_blockhash: None };
    Some(Batch { router, form, deadline: Deadline::None, steps })
}

fn multicall_until<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Batch<'f>> {
    let ([deadline, data], mut tail) = open(arguments)?;
    let steps = tail.bytes_list(data)?;
    tail.close()?;
    let form = Form::Multicall { previous_blockhash: None };
    Some(Batch { router, form, deadline: Deadline::At(read_uint256(deadline)), steps })
}

fn multicall_behind<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Batch<'f>> {
    let ([blockhash, data], mut tail) = open(arguments)?;
    let steps = tail.bytes_list(data)?;
    tail.close()?;
    let form = Form::Multicall { previous_blockhash: Some(blockhash) };
    Some(Batch { router, form, deadline: Deadline::None, steps })
}

fn execute<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Batch<'f>> {
    let ([commands, inputs], mut tail) = open(arguments)?;
    let (commands, steps) = (tail.bytes(commands)?, tail.bytes_list(inputs)?);
    tail.close()?;
    Some(Batch { router, form: Form::Execute { commands }, deadline: Deadline::None, steps })
}

fn execute_until<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Batch<'f>> {
    let ([commands, inputs, deadline], mut tail) = open(arguments)?;
    let (commands, steps) = (tail.bytes(commands)?, tail.bytes_list(inputs)?);
    tail.close()?;
    let deadline = Deadline::At(read_uint256(deadline));
    Some(Batch { router, form: Form::Execute { commands }, deadline, steps })
}

/// A call inside a multicall. It is sent no value of its own.
fn read_inner_call<'f>(router: &'f Address, data: &'f [u8]) -> Result<Step<'f>, Why> {
    let (&selector, arguments) = data.split_first_chunk::<4>().ok_or(Why::new(Refusal::CallNotSupported))?;
    let step = match selector {
        [0x49, 0x40, 0x4b, 0x7c] => unwrap_to(arguments),
        [0x49, 0x61, 0x69, 0x97] => read_words(arguments).map(|[amount_min]| Step::Unwrap {
            function: "unwrapWETH9",
            recipient: None,
            amount_min: read_uint256(amount_min),
        }),
        [0xdf, 0x2a, 0xb5, 0xbb] => sweep_token_to(arguments),
        [0xe9, 0x0a, 0x18, 0x2f] => sweep_token(arguments),
        [0x12, 0x21, 0x0e, 0x8a] => read_words::<0>(arguments).map(|[]| Step::RefundCoin),
        [0xf3, 0x99, 0x5c, 0x67] => self_permit(router, arguments),
        MULTICALL | MULTICALL_UNTIL | MULTICALL_BEHIND => {
            return Err(Why::new(Refusal::NestedMulticallNotSupported).observed(shown(selector)));
        }
        // The V2 router has no multicall, and its functions with a deadline are not SwapRouter02's: a swap says
        // who takes it, and no book can name this contract as both.
        _ => match swap_reader(selector) {
            Some(read) => read(router, arguments, U256::ZERO).map(Step::Swap),
            None => return Err(Why::new(Refusal::CallNotSupported).observed(shown(selector))),
        },
    };
    step.ok_or_else(|| Why::new(Refusal::CallDataNotCanonical).observed(shown(selector)))
}

fn unwrap_to(arguments: &[u8]) -> Option<Step<'_>> {
    let [amount_min, recipient] = read_words(arguments)?;
    Some(Step::Unwrap {
        function: "unwrapWETH9",
        recipient: Some(read_address(recipient)?),
        amount_min: read_uint256(amount_min),
    })
}

fn sweep_token_to(arguments: &[u8]) -> Option<Step<'_>> {
    let [token, amount_min, recipient] = read_words(arguments)?;
    Some(Step::Sweep {
        function: "sweepToken",
        token: read_address(token)?,
        recipient: Some(read_address(recipient)?),
        amount_min: read_uint256(amount_min),
    })
}

fn sweep_token(arguments: &[u8]) -> Option<Step<'_>> {
    let [token, amount_min] = read_words(arguments)?;
    Some(Step::Sweep {
        function: "sweepToken",
        token: read_address(token)?,
        recipient: None,
        amount_min: read_uint256(amount_min),
    })
}

fn self_permit<'f>(router: &'f Address, arguments: &'f [u8]) -> Option<Step<'f>> {
    let [token, amount, deadline, v, _r, _s] = read_words(arguments)?;
    read_uint::<1>(v)?;
    Some(Step::SelfPermit(SelfPermit {
        token: read_address(token)?,
        spender: router,
        amount: read_uint256(amount),
        deadline: read_uint256(deadline),
    }))
}

/// The bit of a command that lets it fail without failing the rest.
const ALLOW_REVERT: u8 = 0x80;

fn read_command<'f>(router: &'f Address, command: u8, input: &'f [u8]) -> Result<Step<'f>, Why> {
    let refuse = |refusal| Why::new(refusal).observed(Shown::uint(command.into()));
    if command & ALLOW_REVERT != 0 {
        return Err(refuse(Refusal::CommandFlagNotSupported));
    }
    let step = match command {
        0x00 => command_swap(router, "V3_SWAP_EXACT_IN", input),
        0x01 => command_swap(router, "V3_SWAP_EXACT_OUT", input),
        0x08 => command_swap(router, "V2_SWAP_EXACT_IN", input),
        0x09 => command_swap(router, "V2_SWAP_EXACT_OUT", input),
        0x04 => read_sweep(input),
        0x06 => read_pay_portion(input),
        0x0a => read_permit2_permit(input),
        0x0b => read_wrap(input),
        0x0c => read_unwrap(input),
        _ => return Err(refuse(Refusal::CommandNotSupported)),
    };
    step.ok_or_else(|| refuse(Refusal::CallDataNotCanonical))
}

/// `(address recipient, uint256, uint256, bytes or address[] path, bool payerIsUser)`; from version 2.1.1 on
/// `uint256[] minHopPriceX36` follows. The offset of the path says which.
fn command_swap<'f>(router: &'f Address, function: &'static str, input: &'f [u8]) -> Option<Step<'f>> {
    let ([recipient, first, second, path, payer_is_user], five) = open(input)?;
    let has_min_hop_prices = read_uint::<8>(path)? == 6 * 32;
    let (hop_prices, mut tail) = if has_min_hop_prices {
        let ([_, _, _, _, _, hop_prices], six) = open(input)?;
        (Some(hop_prices), six)
    } else {
        (None, five)
    };
    let (first, second) = (read_uint256(first), read_uint256(second));
    let exact_in = Amounts::ExactIn { amount_in: first, amount_out_min: second };
    let exact_out = Amounts::ExactOut { amount_out: first, amount_in_max: second };
    let (route, amounts) = match function {
        "V3_SWAP_EXACT_IN" => (Route::Packed(PackedPath::read(tail.bytes(path)?, false)?), exact_in),
        "V3_SWAP_EXACT_OUT" => (Route::Packed(PackedPath::read(tail.bytes(path)?, true)?), exact_out),
        "V2_SWAP_EXACT_IN" => (Route::Pairs(PairPath::read(tail.words(path)?)?), exact_in),
        _ => (Route::Pairs(PairPath::read(tail.words(path)?)?), exact_out),
    };
    if let Some(hop_prices) = hop_prices {
        tail.words(hop_prices)?;
    }
    tail.close()?;
    Some(Step::Swap(Swap {
        router,
        taker: Taker::UniversalRouter { has_min_hop_prices },
        function,
        route,
        recipient: read_address(recipient)?,
        deadline: Deadline::None,
        amounts,
        sqrt_price_limit_x96: U256::ZERO,
        coin: Coin::No,
        takes_fee: false,
        payer_is_user: read_bool(payer_is_user)?,
    }))
}

fn read_sweep(input: &[u8]) -> Option<Step<'_>> {
    let [token, recipient, amount_min] = read_words(input)?;
    Some(Step::Sweep {
        function: "SWEEP",
        token: read_address(token)?,
        recipient: Some(read_address(recipient)?),
        amount_min: read_uint256(amount_min),
    })
}

fn read_pay_portion(input: &[u8]) -> Option<Step<'_>> {
    let [token, recipient, bips] = read_words(input)?;
    Some(Step::PayPortion {
        token: read_address(token)?,
        recipient: read_address(recipient)?,
        bips: read_uint256(bips),
    })
}

/// `(PermitSingle permit, bytes signature)`, a signature of 65 bytes or the 64 of EIP-2098.
fn read_permit2_permit(input: &[u8]) -> Option<Step<'_>> {
    let ([token, amount, expiration, nonce, spender, deadline, signature], mut tail) = open(input)?;
    let signature = tail.bytes(signature)?;
    tail.close()?;
    matches!(signature.len(), 64 | 65).then_some(())?;
    Some(Step::Permit2Permit(Permit2Permit {
        token: read_address(token)?,
        spender: read_address(spender)?,
        amount: read_uint160(amount)?,
        expiration: read_uint::<6>(expiration)?,
        nonce: read_uint::<6>(nonce)?,
        deadline: read_uint256(deadline),
    }))
}

fn read_wrap(input: &[u8]) -> Option<Step<'_>> {
    let [recipient, amount] = read_words(input)?;
    Some(Step::Wrap { recipient: read_address(recipient)?, amount: read_uint256(amount) })
}

fn read_unwrap(input: &[u8]) -> Option<Step<'_>> {
    let [recipient, amount_min] = read_words(input)?;
    Some(Step::Unwrap {
        function: "UNWRAP_WETH",
        recipient: Some(read_address(recipient)?),
        amount_min: read_uint256(amount_min),
    })
}

fn shown(selector: Selector) -> Shown {
    Shown::uint(u32::from_be_bytes(selector).into())
}
