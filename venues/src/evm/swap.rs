//! Swaps on Uniswap's routers, whatever function, path and router version they are written in.
//!
//! Follows `ISwapRouter`, `IV3SwapRouter`, `IV2SwapRouter` and `IUniswapV2Router02`; the inputs of Universal
//! Router commands are in `batch.rs`.

use super::abi::{Word, open_struct, read_address, read_uint24, read_uint160, read_uint256, read_words};
use super::rules::Router;
use crate::{Address, U256};

/// Most pools of one path. Routing services give at most a handful.
pub const HOPS_MAX: usize = 8;

/// A swap. Amounts are in the tokens' base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap<'f> {
    /// The router contract.
    pub router: &'f Address,
    /// Who takes such a swap.
    pub taker: Taker,
    /// The function's name, or the command's.
    pub function: &'static str,
    /// From which token to which, through which pools.
    pub route: Route<'f>,
    /// Who gets what is bought, as written: routers have addresses that stand for the sender and themselves.
    pub recipient: &'f Address,
    /// Until when.
    pub deadline: Deadline,
    /// How much.
    pub amounts: Amounts,
    /// Where the pool's price stops the swap, below 2^160; zero means nowhere. With any other value the routers
    /// do not check that an exact output was bought, nor that all coin was spent. Single pools only.
    pub sqrt_price_limit_x96: U256,
    /// Which side is native coin.
    pub coin: Coin,
    /// Whether tokens that take a fee of each transfer are expected.
    pub takes_fee: bool,
    /// Whether the sender pays, or the router from what it holds.
    pub payer_is_user: bool,
}

/// Who takes a swap written this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taker {
    /// One kind of router.
    Router(Router),
    /// A Universal Router; the inputs say whether it is one that takes `minHopPriceX36`.
    UniversalRouter {
        /// The inputs hold `uint256[] minHopPriceX36`, as from version 2.1.1 on.
        has_min_hop_prices: bool,
    },
}

/// How much is sold and bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amounts {
    /// An exact input for at least a minimum.
    ExactIn {
        /// what is sold
        amount_in: U256,
        /// least that must be bought
        amount_out_min: U256,
    },
    /// An exact output for at most a maximum.
    ExactOut {
        /// what is bought
        amount_out: U256,
        /// most that may be sold
        amount_in_max: U256,
    },
}

impl Amounts {
    /// Most that is sold.
    #[must_use]
    pub const fn sold_max(&self) -> U256 {
        match self {
            Self::ExactIn { amount_in, .. } => *amount_in,
            Self::ExactOut { amount_in_max, .. } => *amount_in_max,
        }
    }

    /// Least that is bought.
    #[must_use]
    pub const fn bought_min(&self) -> U256 {
        match self {
            Self::ExactIn { amount_out_min, .. } => *amount_out_min,
            Self::ExactOut { amount_out, .. } => *amount_out,
        }
    }
}

/// Which side of a swap is native coin by the function's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coin {
    /// Neither; a router may still take the transaction's value for its WETH.
    No,
    /// The transaction's value is what is sold.
    In,
    /// WETH that is bought is paid out as native coin.
    Out,
}

/// Until when a call may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// It takes none.
    None,
    /// Unix time in seconds.
    At(U256),
}

/// The path of a swap, from the token that is sold to the one that is bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route<'f> {
    /// One pool of V3.
    Single {
        /// the token that is sold
        token_in: &'f Address,
        /// the token that is bought
        token_out: &'f Address,
        /// the pool's fee, hundredths of a basis point, below 2^24
        pool_fee: u32,
    },
    /// Pools of V3: token, fee, token, …; for an exact output the token that is bought stands first.
    Packed(PackedPath<'f>),
    /// Pairs of V2.
    Pairs(PairPath<'f>),
}

impl<'f> Route<'f> {
    /// The token that is sold.
    #[must_use]
    pub fn token_in(&self) -> &'f Address {
        match self {
            Self::Single { token_in, .. } => token_in,
            Self::Packed(path) if path.is_reversed => path.last(),
            Self::Packed(path) => path.first,
            Self::Pairs(path) => path.first,
        }
    }

    /// The token that is bought.
    #[must_use]
    pub fn token_out(&self) -> &'f Address {
        match self {
            Self::Single { token_out, .. } => token_out,
            Self::Packed(path) if path.is_reversed => path.first,
            Self::Packed(path) => path.last(),
            Self::Pairs(path) => path.last,
        }
    }

    /// How many pools.
    #[must_use]
    pub const fn hops(&self) -> usize {
        match self {
            Self::Single { .. } => 1,
            Self::Packed(path) => path.hops.len(),
            Self::Pairs(path) => path.between.len().saturating_add(1),
        }
    }

    /// The tokens between, in the order of the swap.
    pub fn intermediates(&self) -> impl Iterator<Item = &'f Address> + use<'f> {
        let between = self.hops().saturating_sub(1);
        let route = *self;
        (0..between).filter_map(move |at| match route {
            Self::Single { .. } => None,
            Self::Packed(path) => {
                let at = if path.is_reversed { between.checked_sub(at)?.checked_sub(1)? } else { at };
                path.hops.get(at)?.last_chunk()
            }
            Self::Pairs(path) => read_address(path.between.get(at)?),
        })
    }

    /// The pools' fees in the order of the swap, hundredths of a basis point; V2 has none.
    pub fn pool_fees(&self) -> impl Iterator<Item = u32> + use<'f> {
        let hops = self.hops();
        let route = *self;
        (0..hops).filter_map(move |at| match route {
            Self::Single { pool_fee, .. } => Some(pool_fee),
            Self::Packed(path) => {
                let at = if path.is_reversed { hops.checked_sub(at)?.checked_sub(1)? } else { at };
                let [high, middle, low, ..] = path.hops.get(at)?;
                Some(u32::from_be_bytes([0, *high, *middle, *low]))
            }
            Self::Pairs(_) => None,
        })
    }
}

const HOP_SIZE: usize = 23;

/// The packed path of V3: 20 bytes, and 23 for each pool (fee, token).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPath<'f> {
    first: &'f Address,
    hops: &'f [[u8; HOP_SIZE]],
    end: &'f Address,
    is_reversed: bool,
}

impl<'f> PackedPath<'f> {
    /// Reads a path of at least one pool; `is_reversed` for an exact output.
    #[must_use]
    pub fn read(path: &'f [u8], is_reversed: bool) -> Option<Self> {
        let (first, hops) = path.split_first_chunk()?;
        let (hops, loose) = hops.as_chunks::<HOP_SIZE>();
        let end = hops.last()?.last_chunk()?;
        loose.is_empty().then_some(Self { first, hops, end, is_reversed })
    }

    const fn last(&self) -> &'f Address {
        self.end
    }
}

/// The `address[]` path of V2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairPath<'f> {
    first: &'f Address,
    between: &'f [Word],
    last: &'f Address,
}

impl<'f> PairPath<'f> {
    /// Reads a path of at least two tokens.
    pub(super) fn read(words: &'f [Word]) -> Option<Self> {
        let [first, between @ .., last] = words else { return None };
        if between.iter().any(|word| read_address(word).is_none()) {
            return None;
        }
        Some(Self { first: read_address(first)?, between, last: read_address(last)? })
    }
}

/// Reads the arguments of a swap function.
pub(super) type ReadSwap = for<'f> fn(&'f Address, &'f [u8], U256) -> Option<Swap<'f>>;

const fn plain<'f>(
    router: &'f Address,
    kind: Router,
    function: &'static str,
    route: Route<'f>,
    recipient: &'f Address,
    deadline: Deadline,
    amounts: Amounts,
) -> Swap<'f> {
    Swap {
        router,
        taker: Taker::Router(kind),
        function,
        route,
        recipient,
        deadline,
        amounts,
        sqrt_price_limit_x96: U256::ZERO,
        coin: Coin::No,
        takes_fee: false,
        payer_is_user: true,
    }
}

const fn exact_in(amount_in: U256, amount_out_min: U256) -> Amounts {
    Amounts::ExactIn { amount_in, amount_out_min }
}

const fn exact_out(amount_out: U256, amount_in_max: U256) -> Amounts {
    Amounts::ExactOut { amount_out, amount_in_max }
}

// ---- V3: ISwapRouter and IV3SwapRouter ----

pub(super) fn exact_input_single<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Swap<'f>> {
    let [token_in, token_out, fee, recipient, deadline, amount_in, amount_out_min, price_limit] =
        read_words(arguments)?;
    let amounts = exact_in(read_uint256(amount_in), read_uint256(amount_out_min));
    let deadline = Deadline::At(read_uint256(deadline));
    let pool = [token_in, token_out, fee, recipient, price_limit];
    single(router, Router::SwapRouter, "exactInputSingle", pool, deadline, amounts)
}

pub(super) fn exact_input_single_02<'f>(
    router: &'f Address,
    arguments: &'f [u8],
    _: U256,
) -> Option<Swap<'f>> {
    let [token_in, token_out, fee, recipient, amount_in, amount_out_min, price_limit] =
        read_words(arguments)?;
    let amounts = exact_in(read_uint256(amount_in), read_uint256(amount_out_min));
    let pool = [token_in, token_out, fee, recipient, price_limit];
    single(router, Router::SwapRouter02, "exactInputSingle", pool, Deadline::None, amounts)
}

pub(super) fn exact_output_single<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Swap<'f>> {
    let [token_in, token_out, fee, recipient, deadline, amount_out, amount_in_max, price_limit] =
        read_words(arguments)?;
    let amounts = exact_out(read_uint256(amount_out), read_uint256(amount_in_max));
    let deadline = Deadline::At(read_uint256(deadline));
    let pool = [token_in, token_out, fee, recipient, price_limit];
    single(router, Router::SwapRouter, "exactOutputSingle", pool, deadline, amounts)
}

pub(super) fn exact_output_single_02<'f>(
    router: &'f Address,
    arguments: &'f [u8],
    _: U256,
) -> Option<Swap<'f>> {
    let [token_in, token_out, fee, recipient, amount_out, amount_in_max, price_limit] =
        read_words(arguments)?;
    let amounts = exact_out(read_uint256(amount_out), read_uint256(amount_in_max));
    let pool = [token_in, token_out, fee, recipient, price_limit];
    single(router, Router::SwapRouter02, "exactOutputSingle", pool, Deadline::None, amounts)
}

fn single<'f>(
    router: &'f Address,
    kind: Router,
    function: &'static str,
    [token_in, token_out, pool_fee, recipient, price_limit]: [&'f Word; 5],
    deadline: Deadline,
    amounts: Amounts,
) -> Option<Swap<'f>> {
    let route = Route::Single {
        token_in: read_address(token_in)?,
        token_out: read_address(token_out)?,
        pool_fee: read_uint24(pool_fee)?,
    };
    let swap = plain(router, kind, function, route, read_address(recipient)?, deadline, amounts);
    Some(Swap { sqrt_price_limit_x96: read_uint160(price_limit)?, ..swap })
}

pub(super) fn exact_input<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Swap<'f>> {
    let ([path, recipient, deadline, amount_in, amount_out_min], mut tail) = open_struct(arguments)?;
    let route = Route::Packed(PackedPath::read(tail.bytes(path)?, false)?);
    tail.close()?;
    let amounts = exact_in(read_uint256(amount_in), read_uint256(amount_out_min));
    let (recipient, deadline) = (read_address(recipient)?, Deadline::At(read_uint256(deadline)));
    Some(plain(router, Router::SwapRouter, "exactInput", route, recipient, deadline, amounts))
}

pub(super) fn exact_input_02<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Swap<'f>> {
    let ([path, recipient, amount_in, amount_out_min], mut tail) = open_struct(arguments)?;
    let route = Route::Packed(PackedPath::read(tail.bytes(path)?, false)?);
    tail.close()?;
    let amounts = exact_in(read_uint256(amount_in), read_uint256(amount_out_min));
    let recipient = read_address(recipient)?;
    Some(plain(router, Router::SwapRouter02, "exactInput", route, recipient, Deadline::None, amounts))
}

pub(super) fn exact_output<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Swap<'f>> {
    let ([path, recipient, deadline, amount_out, amount_in_max], mut tail) = open_struct(arguments)?;
    let route = Route::Packed(PackedPath::read(tail.bytes(path)?, true)?);
    tail.close()?;
    let amounts = exact_out(read_uint256(amount_out), read_uint256(amount_in_max));
    let (recipient, deadline) = (read_address(recipient)?, Deadline::At(read_uint256(deadline)));
    Some(plain(router, Router::SwapRouter, "exactOutput", route, recipient, deadline, amounts))
}

pub(super) fn exact_output_02<'f>(router: &'f Address, arguments: &'f [u8], _: U256) -> Option<Swap<'f>> {
    let ([path, recipient, amount_out, amount_in_max], mut tail) = open_struct(arguments)?;
    let route = Route::Packed(PackedPath::read(tail.bytes(path)?, true)?);
    tail.close()?;
    let amounts = exact_out(read_uint256(amount_out), read_uint256(amount_in_max));
    let recipient = read_address(recipient)?;
    Some(plain(router, Router::SwapRouter02, "exactOutput", route, recipient, Deadline::None, amounts))
}
