//! The Swift decoder on arbitrary bytes: what decodes is the text itself, tells its facts, and is judged by a book
//! that lists its account and market and by one that lists none.
#![no_main]

use venues::Payload;
use venues::solana::rules::{
    BuilderLimits, Limits, MarketLimits, Program, ProgramLimits, SwiftLimits, UserAccount,
};
use venues::solana::{IsolatedDeposit, SwiftAccount, SwiftOrder, decode_swift};
use wire::facts::{self, FactWriter};
use wire::{FACTS_SIZE_MAX, Family, Now};

const NOW: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_005_000 };
const KEY: [u8; 32] = [1; 32];
const SLOT_MAX: u64 = 1_000_000_000;

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let message = match decode_swift(payload) {
        Ok(message) => message,
        Err(why) => {
            let family = why.refusal.family();
            assert!(matches!(family, Family::Malformed | Family::Unsupported), "{why:?}");
            return;
        }
    };
    assert_eq!(message.preimage().as_bytes(), payload);
    assert_eq!(message.canonical(), payload);
    assert!(payload.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')));

    let mut told = [0; FACTS_SIZE_MAX];
    let mut writer = FactWriter::new(&mut told);
    message.facts(&mut writer);
    assert!(writer.is_complete());
    let used = writer.used();
    let mut retold = [0; FACTS_SIZE_MAX];
    facts::read(&told[..used], &mut FactWriter::new(&mut retold)).expect("facts that were told can be read");

    let none = Limits { programs: &[], priority_fee_max: 0, placements_max: 0, orders_max: 0 };
    assert!(message.judge(&none, &KEY, NOW).is_err(), "a book without programs allows nothing");
    let order = message.order();
    if judge(order, |limits| message.judge(limits, &KEY, NOW).is_ok()) {
        assert!(order.slot <= SLOT_MAX && order.order.base <= 1 << 62);
        assert!(order.builder_fee_tenth_bps.is_none_or(|fee| fee <= 20));
        assert!(!matches!(order.isolated_deposit, IsolatedDeposit::Amount(1..)));
        let triggers = [order.take_profit, order.stop_loss];
        assert!(
            triggers
                .into_iter()
                .flatten()
                .all(|trigger| trigger.base <= 1 << 62 && trigger.trigger_price > 0)
        );
    }
});

/// Judges by a book that lists the text's account and market.
fn judge(order: &SwiftOrder, judge: impl FnOnce(&Limits<'_>) -> bool) -> bool {
    let (sub_account, delegated) = match order.account {
        SwiftAccount::SubAccount(number) => (number, [[9; 32]]),
        SwiftAccount::Taker(taker) => (0, [taker]),
    };
    let users = [UserAccount { authority: KEY, sub_account, user: [2; 32], user_stats: [3; 32] }];
    let markets = [MarketLimits {
        kind: order.order.market_kind,
        index: order.order.market_index,
        account: [4; 32],
        base_decimals: 9,
        base_max: 1 << 62,
        price_min: 1,
        price_max: u64::MAX,
        unpriced: true,
        oracle_offset_max: Some(1 << 62),
    }];
    let program = ProgramLimits {
        program: Program::DriftV2,
        state: [5; 32],
        signer: [6; 32],
        users: &users,
        markets: &markets,
        orders: false,
        modify: None,
        cancel: false,
        settle_pnl: false,
        order_bits: 1,
        builders: Some(BuilderLimits { indexes: &[0, 1], fee_tenth_bps_max: 20 }),
        collateral: &[],
        swift: Some(SwiftLimits {
            delegated: &delegated,
            slot_max: SLOT_MAX,
            isolated_deposit_max: 0,
            margin_ratio: None,
        }),
    };
    judge(&Limits { programs: &[program], priority_fee_max: 0, placements_max: 0, orders_max: 0 })
}
