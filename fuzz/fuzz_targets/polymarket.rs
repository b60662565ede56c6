//! The Polymarket decoder on arbitrary text: what decodes tells its facts and is judged, by a book made for it and
//! by one that grants nothing.
#![no_main]

use venues::book_value::AnyOr;
use venues::polymarket::rules::{Limits, MarketLimits, OrderLimits, V1Limits, V2Limits};
use venues::polymarket::{Content, Message, Order, decode};
use venues::{Address, Payload};
use wire::facts::{self, FactWriter};
use wire::{FACTS_SIZE_MAX, Family, Now};

const NOW: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_005_000 };

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    match decode(payload) {
        Ok(message) => assert_sound(&message, payload),
        Err(why) => {
            let family = why.refusal.family();
            assert!(matches!(family, Family::Malformed | Family::Unsupported), "{why:?}");
        }
    }
});

fn assert_sound(message: &Message<'_>, payload: &[u8]) {
    assert_eq!(message.canonical(), payload);
    let mut told = [0; FACTS_SIZE_MAX];
    let mut writer = FactWriter::new(&mut told);
    message.facts(&mut writer);
    assert!(writer.is_complete());
    let used = writer.used();
    let mut retold = [0; FACTS_SIZE_MAX];
    facts::read(&told[..used], &mut FactWriter::new(&mut retold)).expect("facts that were told can be read");

    let nothing = Limits { chains: &[137, 80002], order: None, clob_auth: None };
    assert!(message.judge(&nothing, &[0; 20], NOW).is_err());
    let Content::Order(order) = message.content() else { return };
    let signer = order.signer;
    if judge(message, order, &signer) {
        let (collateral, shares) = order.collateral_and_shares();
        assert!(!collateral.is_zero() && collateral <= shares && shares.bit_len() <= 40);
        assert!(order.wallet.is_none_or(|wallet| wallet == order.maker && wallet == order.signer));
        if order.wallet.is_none() {
            assert!(!judge(message, order, &[0xee; 20]) || signer == [0xee; 20], "another key's order");
        }
    }
}

/// Judges by a book made of the wallets and the market of `order`.
fn judge(message: &Message<'_>, order: &Order, account: &Address) -> bool {
    let (makers, tokens, exchanges) = ([order.maker], [order.token_id], [order.deployment.exchange]);
    let markets = [MarketLimits {
        exchanges: &exchanges,
        token_ids: &tokens,
        buy: true,
        sell: true,
        price_min: 1,
        price_max: 1_000_000,
        shares_max: (1 << 40) - 1,
        collateral_max: 1 << 40,
    }];
    let limits = Limits {
        chains: &[137, 80002],
        order: Some(OrderLimits {
            eoa: true,
            proxies: &makers,
            safes: &makers,
            deposit_wallets: &makers,
            rounding_max: 100,
            salt_53_bits: false,
            markets: &markets,
            v1: Some(V1Limits {
                fee_rate_bps_max: 1000,
                nonce_max: u64::MAX,
                takers: &[],
                expiration_ahead_max_s: 7_776_000,
                without_expiration: true,
            }),
            v2: Some(V2Limits {
                timestamp_behind_max_ms: u64::MAX,
                timestamp_ahead_max_ms: u64::MAX,
                builders: AnyOr::Any,
                metadata: AnyOr::Any,
            }),
        }),
        clob_auth: None,
    };
    message.judge(&limits, account, NOW).is_ok()
}
