//! The Solana decoder on arbitrary bytes: what decodes is the message at the front of the payload, tells its
//! facts and is judged, by a book that lists every account in it and by one that lists none.
#![no_main]

use venues::solana::rules::{
    CollateralLimits, Limits, MarketKind, MarketLimits, ModifyLimits, ProgramLimits, UserAccount,
    WithdrawLimits,
};
use venues::solana::{Action, Instruction, Transaction, decode};
use venues::{AccountKey, Payload};
use wire::facts::{self, FactWriter};
use wire::{FACTS_SIZE_MAX, Family, Now};

const NOW: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_005_000 };

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    match decode(payload) {
        Ok(transaction) => assert_sound(&transaction, payload),
        Err(why) => {
            let family = why.refusal.family();
            assert!(matches!(family, Family::Malformed | Family::Unsupported), "{why:?}");
        }
    }
});

fn assert_sound(transaction: &Transaction<'_>, payload: &[u8]) {
    assert_eq!(Some(transaction.canonical()), payload.get(2..2 + transaction.canonical().len()));
    assert_eq!(transaction.preimage().as_bytes(), transaction.canonical());

    let mut told = [0; FACTS_SIZE_MAX];
    let mut writer = FactWriter::new(&mut told);
    transaction.facts(&mut writer);
    let used = writer.used();
    let mut retold = [0; FACTS_SIZE_MAX];
    facts::read(&told[..used], &mut FactWriter::new(&mut retold)).expect("facts that were told can be read");

    let payer = transaction.view().fee_payer().expect("a message has a fee payer");
    assert!(!judge(transaction, payer, None), "a book without programs allows nothing");
    let mut other = *payer;
    other[31] ^= 1;
    assert!(!judge(transaction, &other, transaction.instructions().next()), "another key's message");
    if judge(transaction, payer, transaction.instructions().next()) {
        assert_eq!(transaction.view().required_signatures, 1);
        for instruction in transaction.instructions() {
            assert_eq!(instruction.authority, payer);
            assert!(instruction.user_is_static);
            let orders =
                instruction.action.orders().into_iter().flat_map(|orders| orders.iter().collect::<Vec<_>>());
            assert!(orders.flatten().all(|order| order.base <= 1 << 62 && order.bit_flags & !1 == 0));
            if let Action::Withdraw(movement) = instruction.action {
                assert!(movement.reduce_only && movement.amount <= 1 << 62);
                assert!(instruction.movement.is_some_and(|accounts| accounts.token_account_is_static));
            }
        }
    }
}

/// Judges by a book made of the accounts and markets of `like`.
fn judge(transaction: &Transaction<'_>, account: &AccountKey, like: Option<&Instruction<'_>>) -> bool {
    let users: Vec<_> = like
        .map(|like| UserAccount {
            authority: *account,
            sub_account: 0,
            user: *like.user,
            user_stats: like.user_stats.copied().unwrap_or_default(),
        })
        .into_iter()
        .collect();
    let named = transaction.instructions().filter_map(|instruction| instruction.action.orders());
    let orders: Vec<_> = named.flat_map(|orders| orders.iter().flatten().collect::<Vec<_>>()).collect();
    // Clients pass the perpetual market of a single order last.
    let compiled = like.and_then(|like| transaction.view().instructions().flatten().nth(like.position));
    let market = compiled.and_then(|compiled| transaction.view().account(*compiled.accounts.last()?));
    let markets: Vec<_> = orders
        .iter()
        .map(|order| MarketLimits {
            kind: order.market_kind,
            index: order.market_index,
            account: market.copied().unwrap_or_default(),
            base_decimals: 9,
            base_max: 1 << 62,
            price_min: 1,
            price_max: u64::MAX,
            unpriced: order.market_kind == MarketKind::Perp,
            oracle_offset_max: Some(1 << 62),
        })
        .collect();
    let token_accounts: Vec<_> =
        like.and_then(|like| like.movement).map(|accounts| *accounts.token_account).into_iter().collect();
    let withdraw = WithdrawLimits { amount_max: 1 << 62, destinations: &token_accounts, borrow: false };
    let moved = like.and_then(|like| match like.action {
        Action::Deposit(movement) | Action::Withdraw(movement) => Some((movement, like.movement?)),
        _ => None,
    });
    let collateral: Vec<_> = moved
        .map(|(movement, accounts)| CollateralLimits {
            market_index: movement.market_index,
            account: market.copied().unwrap_or_default(),
            vault: *accounts.vault,
            decimals: 9,
            usd_max: None,
            deposit_max: Some(1 << 62),
            withdraw: Some(withdraw),
        })
        .into_iter()
        .collect();
    let programs: Vec<_> = like
        .map(|like| ProgramLimits {
            program: like.program,
            state: *like.state,
            signer: like.movement.and_then(|accounts| accounts.signer.copied()).unwrap_or_default(),
            users: &users,
            markets: &markets,
            orders: true,
            modify: Some(ModifyLimits {
                partial: true,
                base_max: 1 << 62,
                price_min: 1,
                price_max: u64::MAX,
                unpriced: true,
            }),
            cancel: true,
            settle_pnl: true,
            order_bits: 1,
            builders: None,
            collateral: &collateral,
            swift: None,
        })
        .into_iter()
        .collect();
    let limits = Limits {
        programs: &programs,
        priority_fee_max: 100_000_000_000_000,
        placements_max: 1,
        orders_max: 64,
    };
    transaction.judge(&limits, account, NOW).is_ok()
}
