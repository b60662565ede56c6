//! The book that the rule tests judge by, and the addresses in it.

use venues::book_value::AnyOr;
use venues::evm::rules::{
    ApproveLimits, Limits, NativeLimits, Permit2ApproveLimits, Permit2Limits, PermitLimits, PortionLimits,
    Ratio, Router, SwapLimits, TokenLimits, TransferFromLimits, TransferLimits, WethLimits,
};
use venues::{Address, U256};
use wire::Now;

use crate::draft::GWEI;

pub(crate) const OWN: Address = [0xee; 20];
pub(crate) const FRIEND: Address = [0xf1; 20];
pub(crate) const RICH_FRIEND: Address = [0xf2; 20];
pub(crate) const STRANGER: Address = [0x57; 20];
pub(crate) const USDC: Address = [0xc1; 20];
pub(crate) const DAI: Address = [0xc2; 20];
pub(crate) const WETH: Address = [0xc3; 20];
pub(crate) const SPENDER: Address = [0x5b; 20];
pub(crate) const OWNER: Address = [0x03; 20];
pub(crate) const ROUTER: Address = [0x61; 20];
pub(crate) const ROUTER_02: Address = [0x62; 20];
pub(crate) const V2_ROUTER: Address = [0x63; 20];
/// A Universal Router 2.0 and a 2.1.1.
pub(crate) const UNIVERSAL: Address = [0x64; 20];
pub(crate) const UNIVERSAL_NEW: Address = [0x65; 20];
pub(crate) const PERMIT2: Address = [0x66; 20];
pub(crate) const FEE_TAKER: Address = [0xfe; 20];
pub(crate) const ONE: Address = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
/// The sentinels of the routers, listed by an imprudent desk.
pub(crate) const ZERO: Address = [0; 20];
pub(crate) const TWO: Address = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];

pub(crate) const NOW_S: u64 = 1_790_812_800;
pub(crate) const NOW: Now = Now { monotonic_ms: 5, wall_ms: NOW_S * 1000 + 999 };

pub(crate) const fn u(value: u64) -> U256 {
    U256::from_limbs([value, 0, 0, 0])
}

pub(crate) const fn swaps(router: Router, routers: &'static [Address]) -> SwapLimits<'static> {
    SwapLimits {
        chains: &[1],
        routers,
        router,
        tokens_in: &[USDC, WETH],
        tokens_out: &[WETH, USDC],
        intermediates: &[DAI],
        pool_fees: AnyOr::Listed(&[500, 3000]),
        recipients: &[FRIEND, ZERO, TWO, ROUTER_02],
        amount_in_max: u(1000),
        // At least three out for two in.
        out_per_in_min: Ratio { numerator: u(3), denominator: u(2) },
        deadline_ahead_max_s: 600,
        without_deadline: matches!(router, Router::SwapRouter02),
        exact_output: true,
        native: true,
        fee_on_transfer: true,
        multicall: true,
        portion: Some(PortionLimits { recipients: &[FEE_TAKER], bips_max: 25 }),
    }
}

pub(crate) const BOOK: Limits<'static> = Limits {
    chains: &[1, 10, 137],
    fee_per_gas_max: u(100 * GWEI),
    gas_limit_max: 400_000,
    transaction_fee_max: u(30_000_000 * GWEI),
    access_list_entries_max: 3,
    native: &[
        NativeLimits { chains: &[1], recipients: &[FRIEND], value_max: u(100) },
        NativeLimits { chains: &[1, 10], recipients: &[FRIEND, RICH_FRIEND], value_max: u(10_000) },
    ],
    tokens: &[
        TokenLimits {
            chains: &[1],
            tokens: &[USDC],
            transfer: Some(TransferLimits { recipients: &[FRIEND], amount_max: u(1000) }),
            approve: None,
            transfer_from: None,
            permit: None,
            revoke: false,
        },
        TokenLimits {
            chains: &[1],
            tokens: &[USDC],
            transfer: Some(TransferLimits { recipients: &[FRIEND, RICH_FRIEND], amount_max: u(100_000) }),
            approve: Some(ApproveLimits { spenders: &[SPENDER], amount_max: u(500) }),
            transfer_from: Some(TransferFromLimits {
                owners: &[OWNER],
                recipients: &[FRIEND],
                amount_max: u(50),
            }),
            permit: Some(PermitLimits {
                owners: &[OWNER],
                spenders: &[SPENDER, ROUTER_02],
                amount_max: u(500),
                deadline_ahead_max_s: 600,
            }),
            revoke: false,
        },
        TokenLimits {
            chains: &[1],
            tokens: &[DAI],
            transfer: None,
            approve: None,
            transfer_from: None,
            permit: None,
            revoke: true,
        },
    ],
    swaps: &[
        swaps(Router::SwapRouter, &[ROUTER]),
        swaps(Router::SwapRouter02, &[ROUTER_02]),
        swaps(Router::V2Router, &[V2_ROUTER]),
        swaps(Router::UniversalRouterV2_0, &[UNIVERSAL]),
        swaps(Router::UniversalRouterV2_1_1, &[UNIVERSAL_NEW]),
    ],
    weth: &[WethLimits { chains: &[1], contract: WETH, deposit_max: Some(u(70)), withdraw_max: Some(u(80)) }],
    permit2: &[Permit2Limits {
        chains: &[1],
        contracts: &[PERMIT2],
        approve: Some(Permit2ApproveLimits {
            tokens: &[USDC],
            spenders: &[SPENDER, UNIVERSAL],
            amount_max: u(500),
            expiration_ahead_max_s: 600,
        }),
        revoke: true,
    }],
    cancel: false,
};
