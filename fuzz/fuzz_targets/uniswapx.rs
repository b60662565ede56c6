//! The decoder of UniswapX and Permit2 typed data on arbitrary bytes: what decodes tells its facts whole, has one
//! digest, and is judged, by a book that lists every address in it and by one that lists none. White space around
//! it changes nothing; a byte after it refuses it.
#![no_main]

use venues::uniswapx::rules::{
    AllowanceLimits, FeeLimits, Limits, OrderType, Ratio, ReactorLimits, RelayLimits, SwapLimits,
    TransferLimits,
};
use venues::uniswapx::{Auction, Content, PERMITTED_MAX, TypedData, decode};
use venues::{Address, Effect, Exposures, Payload, TokenValue, U256};
use wire::facts::{self, FactWriter};
use wire::{FACTS_SIZE_MAX, Family, Now};

const CAP: U256 = U256::from_limbs([u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1]);
const DAYS_90_S: u64 = 90 * 86_400;

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    match decode(payload) {
        Ok(data) => assert_sound(&data, payload),
        Err(why) => {
            assert!(matches!(why.refusal.family(), Family::Malformed | Family::Unsupported));
        }
    }
});

fn assert_sound(data: &TypedData<'_>, payload: &[u8]) {
    assert_eq!(data.canonical(), payload);
    let spaced = [b" \n", payload, b"\t "].concat();
    assert_eq!(decode(&spaced).map(|spaced| spaced.label()), Ok(data.label()));
    assert!(decode(&[payload, b"0"].concat()).is_err());

    let mut told = [0; FACTS_SIZE_MAX];
    let mut writer = FactWriter::new(&mut told);
    data.facts(&mut writer);
    assert!(writer.is_complete());
    let used = writer.used();
    let mut retold = [0; FACTS_SIZE_MAX];
    facts::read(&told[..used], &mut FactWriter::new(&mut retold)).expect("facts that were told can be read");
    assert_eq!(told, retold);

    let (own, deadline) = own_and_deadline(data.content());
    let friends = addresses(data.content(), data.domain().verifying_contract);
    let judge = |listed: &[Address]| judge(data, listed, own, deadline);
    let (friend, stranger) = (judge(&friends), judge(&[]));
    assert!(!stranger, "nothing is signed for nobody");
    if friend {
        assert_worst_case_is_paid(data.content(), own);
    }
}

/// What is allowed is valued, and puts something at stake unless it takes allowances back.
fn assert_stake(data: &TypedData<'_>, limits: &Limits<'_>, own: &Address, listed: &[Address]) {
    let chain_id = data.domain().chain_id;
    let value = |token: &Address| TokenValue { name: "token", chain_id, token: *token, decimals: 0, usd_max: 1 };
    let values: Vec<_> = listed.iter().map(value).collect();
    let mut exposures = Exposures::EMPTY;
    data.expose(limits, &values, &mut exposures).expect("at most as many tokens as there are markets");
    assert_eq!(exposures.entries().is_empty(), data.effect(own) == Effect::Cancels);
}

/// What was signed gives something back, whatever happens.
fn assert_worst_case_is_paid(content: &Content<'_>, own: Address) {
    if let Content::Order(order) = content {
        let outputs = order.witness.outputs.as_slice();
        assert!(outputs.iter().any(|output| output.recipient == own));
        assert!(outputs.iter().all(|output| !output.min_amount.is_zero()));
        assert_eq!(order.permitted.amount, order.witness.input.max_amount);
        assert_eq!(order.terms.spender, order.witness.info.reactor);
    }
}

fn own_and_deadline(content: &Content<'_>) -> (Address, U256) {
    match content {
        Content::Order(order) => (order.witness.info.swapper, order.terms.deadline),
        Content::Relay(relay) => (relay.info.swapper, relay.terms.deadline),
        Content::Allowance(allowance, _) => ([0x42; 20], allowance.sig_deadline),
        Content::Transfer(transfer, _) => ([0x42; 20], transfer.terms.deadline),
    }
}

fn addresses(content: &Content<'_>, permit2: Address) -> Vec<Address> {
    let mut all = vec![permit2];
    match content {
        Content::Order(order) => {
            let witness = &order.witness;
            all.extend([order.permitted.token, order.terms.spender, witness.info.validation_contract]);
            all.extend(witness.cosigner);
            if let Auction::Timed(schedule) = witness.auction {
                all.push(schedule.exclusive_filler);
            }
            let outputs = witness.outputs.as_slice();
            all.extend(outputs.iter().flat_map(|output| [output.token, output.recipient]));
        }
        Content::Relay(relay) => {
            all.extend([relay.terms.spender, relay.input.token, relay.input.recipient, relay.fee.token]);
        }
        Content::Allowance(allowance, _) => {
            all.push(allowance.spender);
            all.extend(allowance.details.as_slice().iter().map(|detail| detail.token));
            assert!(allowance.details.as_slice().len() <= PERMITTED_MAX);
        }
        Content::Transfer(transfer, _) => {
            all.push(transfer.terms.spender);
            all.extend(transfer.permitted.as_slice().iter().map(|permitted| permitted.token));
        }
    }
    all
}

fn judge(data: &TypedData<'_>, listed: &[Address], own: Address, deadline: U256) -> bool {
    let chains = &[data.domain().chain_id];
    let reactors = |order| ReactorLimits {
        order,
        chains,
        reactors: listed,
        cosigners: listed,
        exclusive_fillers: listed,
    };
    let limits = Limits {
        chains,
        permit2: listed,
        deadline_ahead_max_s: DAYS_90_S,
        validation_contracts: listed,
        reactors: &[
            reactors(OrderType::ExclusiveDutch),
            reactors(OrderType::V2Dutch),
            reactors(OrderType::V3Dutch),
            reactors(OrderType::Priority),
        ],
        swaps: &[SwapLimits {
            chains,
            tokens_in: listed,
            tokens_out: listed,
            native_out: true,
            same_token: true,
            amount_in_max: CAP,
            out_per_in_min: Ratio { numerator: U256::ZERO, denominator: U256::ONE },
            fees: Some(FeeLimits { recipients: listed, share_max_bps: 10_000, other_tokens: true }),
        }],
        relays: &[RelayLimits {
            chains,
            reactors: listed,
            tokens: listed,
            recipients: listed,
            amount_max: CAP,
            fee_tokens: listed,
            fee_max: CAP,
        }],
        allowances: &[AllowanceLimits {
            chains,
            spenders: listed,
            tokens: listed,
            amount_max: CAP,
            expiration_ahead_max_s: DAYS_90_S,
        }],
        transfers: &[TransferLimits { chains, spenders: listed, tokens: listed, amount_max: CAP }],
    };
    let now_s = u64::try_from(deadline).unwrap_or(1_790_000_005).saturating_sub(60).min(u64::MAX / 1000);
    let is_allowed = data.judge(&limits, &own, Now { monotonic_ms: 0, wall_ms: now_s * 1000 }).is_ok();
    if is_allowed {
        assert_stake(data, &limits, &own, listed);
    }
    is_allowed
}
