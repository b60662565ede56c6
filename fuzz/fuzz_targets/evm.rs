//! The EIP-1559 decoder on arbitrary bytes: what decodes is its own canonical form, tells its facts and is
//! judged, by a book that lists every address in it and by one that lists none.
#![no_main]

use venues::book_value::AnyOr;
use venues::evm::rules::{
    ApproveLimits, Limits, NativeLimits, Permit2ApproveLimits, Permit2Limits, PermitLimits, PortionLimits, Ratio,
    Router, SwapLimits, TokenLimits, TransferFromLimits, TransferLimits, WethLimits,
};
use venues::evm::{Call, Step, Swap, Transaction, decode};
use venues::{Address, Effect, Exposures, NATIVE, Payload, TokenValue, U256};
use wire::facts::{self, FactWriter};
use wire::{FACTS_SIZE_MAX, Family, Now, Refusal};

const NOW: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_005_000 };
const OWN: Address = [0x42; 20];
const CAP: U256 = U256::from_limbs([u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1]);

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    match decode(payload) {
        Ok(transaction) => assert_sound(&transaction, payload),
        Err(why) => assert_eq!(why.refusal.family(), Family::Malformed),
    }
});

fn assert_sound(transaction: &Transaction<'_>, payload: &[u8]) {
    assert_eq!(transaction.canonical(), payload);

    let mut told = [0; FACTS_SIZE_MAX];
    let mut writer = FactWriter::new(&mut told);
    transaction.facts(&mut writer);
    assert!(writer.is_complete());
    let used = writer.used();
    let mut retold = [0; FACTS_SIZE_MAX];
    facts::read(&told[..used], &mut FactWriter::new(&mut retold)).expect("facts that were told can be read");
    assert_eq!(told, retold);

    let stranger = judge(transaction, &[]);
    let friend = judge(transaction, &addresses(transaction.call()));
    assert!(friend || !stranger, "listing addresses allows more, never less");
    if matches!(transaction.call(), Call::Creation | Call::Unknown { .. } | Call::NotCanonical { .. }) {
        assert!(!friend, "what is not understood is never allowed");
    }
}

/// What is allowed is valued, gas and coin at least; what only takes back puts nothing at stake.
fn assert_stake(transaction: &Transaction<'_>, limits: &Limits<'_>, known: &[Address]) {
    let chain_id = transaction.chain_id();
    let value = |token: Address| TokenValue { name: "token", chain_id, token, decimals: 0, usd_max: 1 };
    let values: Vec<_> = known.iter().copied().chain([NATIVE]).map(value).collect();
    let mut exposures = Exposures::EMPTY;
    let exposed = transaction.expose(limits, &values, &mut exposures);
    if let Err(why) = exposed {
        assert_eq!(why.refusal, Refusal::TooManyMarkets);
        return;
    }
    let stake = exposures.entries().iter().fold(0_u128, |sum, entry| sum.saturating_add(entry.notional_micro_usd));
    if transaction.effect(&OWN) == Effect::Cancels {
        assert!(exposures.entries().is_empty(), "what takes back costs no budget");
    } else if !matches!(transaction.call(), Call::NativeTransfer { .. } if transaction.value().is_zero()) {
        let coin = transaction.value().saturating_add(transaction.fee_max());
        assert!(stake >= u128::try_from(coin).unwrap_or(u128::MAX), "coin and gas are at stake");
    }
}

fn addresses(call: &Call<'_>) -> Vec<Address> {
    let mut addresses: Vec<Address> = call.to().copied().into_iter().collect();
    match call {
        Call::Transfer { recipient, .. } => addresses.push(**recipient),
        Call::Approve { spender, .. } => addresses.push(**spender),
        Call::TransferFrom { owner, recipient, .. } => addresses.extend([**owner, **recipient]),
        Call::Permit(permit) => addresses.extend([*permit.owner, *permit.spender]),
        Call::Permit2Approve(approve) => addresses.extend([*approve.token, *approve.spender]),
        Call::Swap(swap) => addresses.extend(addresses_of(swap)),
        Call::Batch(batch) => {
            for step in batch.steps().flatten() {
                match step {
                    Step::Swap(swap) => addresses.extend(addresses_of(&swap)),
                    Step::Unwrap { recipient, .. } => addresses.extend(recipient),
                    Step::Sweep { token, recipient, .. } => addresses.extend(recipient.into_iter().chain([token])),
                    Step::Wrap { recipient, .. } => addresses.push(*recipient),
                    Step::PayPortion { token, recipient, .. } => addresses.extend([*token, *recipient]),
                    Step::SelfPermit(permit) => addresses.extend([*permit.token, *permit.spender]),
                    Step::Permit2Permit(permit) => addresses.extend([*permit.token, *permit.spender]),
                    Step::RefundCoin => {}
                }
            }
        }
        Call::NativeTransfer { .. }
        | Call::Deposit { .. }
        | Call::Withdraw { .. }
        | Call::Permit2Revoke { .. }
        | Call::Creation
        | Call::NotCanonical { .. }
        | Call::Unknown { .. } => {}
    }
    addresses
}

fn addresses_of(swap: &Swap<'_>) -> Vec<Address> {
    let ends = [*swap.route.token_in(), *swap.route.token_out(), *swap.recipient];
    ends.into_iter().chain(swap.route.intermediates().copied()).collect()
}

fn judge(transaction: &Transaction<'_>, allow: &[Address]) -> bool {
    let chains = &[transaction.chain_id()];
    let swap = |router| SwapLimits {
        chains,
        routers: allow,
        router,
        tokens_in: allow,
        tokens_out: allow,
        intermediates: allow,
        pool_fees: AnyOr::Any,
        recipients: allow,
        amount_in_max: CAP,
        out_per_in_min: Ratio { numerator: U256::ONE, denominator: CAP },
        deadline_ahead_max_s: 90 * 86_400,
        without_deadline: true,
        exact_output: true,
        native: true,
        fee_on_transfer: true,
        multicall: true,
        portion: Some(PortionLimits { recipients: allow, bips_max: 10_000 }),
    };
    let weth: Vec<_> = allow
        .first()
        .map(|contract| WethLimits { chains, contract: *contract, deposit_max: Some(CAP), withdraw_max: Some(CAP) })
        .into_iter()
        .collect();
    let limits = Limits {
        chains,
        fee_per_gas_max: U256::MAX,
        gas_limit_max: u64::MAX,
        transaction_fee_max: U256::MAX,
        access_list_entries_max: u32::MAX,
        native: &[NativeLimits { chains, recipients: allow, value_max: CAP }],
        tokens: &[TokenLimits {
            chains,
            tokens: allow,
            transfer: Some(TransferLimits { recipients: allow, amount_max: CAP }),
            approve: Some(ApproveLimits { spenders: allow, amount_max: CAP }),
            transfer_from: Some(TransferFromLimits { owners: allow, recipients: allow, amount_max: CAP }),
            permit: Some(PermitLimits {
                owners: allow,
                spenders: allow,
                amount_max: CAP,
                deadline_ahead_max_s: 90 * 86_400,
            }),
            revoke: true,
        }],
        swaps: &[
            swap(Router::SwapRouter),
            swap(Router::SwapRouter02),
            swap(Router::V2Router),
            swap(Router::UniversalRouterV2_0),
            swap(Router::UniversalRouterV2_1_1),
        ],
        weth: &weth,
        permit2: &[Permit2Limits {
            chains,
            contracts: allow,
            approve: Some(Permit2ApproveLimits {
                tokens: allow,
                spenders: allow,
                amount_max: CAP,
                expiration_ahead_max_s: 90 * 86_400,
            }),
            revoke: true,
        }],
        cancel: false,
    };
    let is_allowed = transaction.judge(&limits, &OWN, NOW).is_ok();
    if is_allowed {
        assert_stake(transaction, &limits, allow);
    }
    is_allowed
}
