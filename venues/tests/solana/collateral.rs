//! Deposits and withdrawals: where money goes is in the book and in the message itself.

use venues::solana::rules::{CollateralLimits, ProgramLimits, WithdrawLimits};
use venues::solana::{self, Movement};
use wire::{Family, Refusal, Shown, Why};

use crate::draft::{
    DEPOSIT, Draft, MARKET, ORDER, SIGNER, STRANGER, TOKENS, VAULT, WITHDRAW, cancel, encode_order, movement,
    place, place_orders,
};
use crate::judgement::{PROGRAM, judged_by};
use crate::lines::payload;
use crate::witness::Witness as _;

const AMOUNT: Movement = Movement { market_index: 3, amount: 500, reduce_only: true };

const COLLATERAL: CollateralLimits<'_> = CollateralLimits {
    market_index: 3,
    account: MARKET,
    vault: VAULT,
    decimals: 6,
    usd_max: None,
    deposit_max: Some(500),
    withdraw: Some(WithdrawLimits { amount_max: 500, destinations: &[TOKENS], borrow: false }),
};

const GRANTED: ProgramLimits<'_> = ProgramLimits { collateral: &[COLLATERAL], ..PROGRAM };

fn judged(draft: &Draft) -> Result<(), Refusal> {
    judged_by(GRANTED, draft, &[]).map_err(|why| why.refusal)
}

fn changed(discriminator: &str, change: impl FnOnce(&mut Draft)) -> Draft {
    let mut draft = movement(discriminator, AMOUNT);
    change(&mut draft);
    draft
}

#[test]
fn what_the_book_grants_is_let_through_and_nothing_without_it() {
    for discriminator in [DEPOSIT, WITHDRAW] {
        let draft = movement(discriminator, AMOUNT);
        assert_eq!(judged(&draft), Ok(()));
        let why = judged_by(PROGRAM, &draft, &[]).unwrap_err();
        assert_eq!((why.refusal, why.subject), (Refusal::MarketNotAllowed, Some(0)));
        let neither = [CollateralLimits { deposit_max: None, withdraw: None, ..COLLATERAL }];
        let why = judged_by(ProgramLimits { collateral: &neither, ..PROGRAM }, &draft, &[]).unwrap_err();
        assert_eq!(why.refusal, Refusal::InstructionNotAllowed);
    }
}

#[test]
fn amounts_are_capped() {
    for discriminator in [DEPOSIT, WITHDRAW] {
        for amount in [501, u64::MAX] {
            let why: Why =
                judged_by(GRANTED, &movement(discriminator, Movement { amount, ..AMOUNT }), &[]).unwrap_err();
            assert_eq!(
                (why.refusal, why.observed, why.limit),
                (Refusal::CollateralAboveCap, Shown::uint(amount), Shown::uint(500))
            );
        }
    }
}

#[test]
fn a_withdrawal_goes_to_a_listed_token_account_only() {
    let why = judged_by(GRANTED, &changed(WITHDRAW, |draft| draft.keys[4] = STRANGER), &[]).unwrap_err();
    assert_eq!((why.refusal, why.observed), (Refusal::TokenAccountNotAllowed, Shown::Key(STRANGER)));
    // A deposit takes from wherever this key may take.
    assert_eq!(judged(&changed(DEPOSIT, |draft| draft.keys[4] = STRANGER)), Ok(()));
}

#[test]
fn a_withdrawal_to_a_token_account_of_a_lookup_table_is_refused_whatever_the_table_says() {
    let draft = changed(WITHDRAW, |draft| {
        draft.keys[4] = [40; 32];
        draft.instructions[0].1[6] = 10;
    })
    .looking_up(&[0], &[]);
    let why = judged_by(GRANTED, &draft, &[TOKENS]).unwrap_err();
    assert_eq!((why.refusal, why.observed), (Refusal::TokenAccountNotStatic, Shown::Key(TOKENS)));
}

#[test]
fn a_withdrawal_that_may_borrow_needs_the_grant() {
    let borrowing = movement(WITHDRAW, Movement { reduce_only: false, ..AMOUNT });
    assert_eq!(judged(&borrowing), Err(Refusal::BorrowNotAllowed));
    let withdraw = COLLATERAL.withdraw.map(|withdraw| WithdrawLimits { borrow: true, ..withdraw });
    let borrow = [CollateralLimits { withdraw, ..COLLATERAL }];
    assert_eq!(judged_by(ProgramLimits { collateral: &borrow, ..PROGRAM }, &borrowing, &[]), Ok(()));
    assert_eq!(judged(&movement(DEPOSIT, Movement { reduce_only: false, ..AMOUNT })), Ok(()));
}

#[test]
fn market_vault_and_signer_are_the_programs() {
    for discriminator in [DEPOSIT, WITHDRAW] {
        let other_market = movement(discriminator, Movement { market_index: 4, ..AMOUNT });
        assert_eq!(judged(&other_market), Err(Refusal::MarketNotAllowed));
        let unpassed = changed(discriminator, |draft| draft.keys[8] = STRANGER);
        assert_eq!(judged(&unpassed), Err(Refusal::MarketAccountMissing));
        let other_vault = changed(discriminator, |draft| draft.keys[3] = STRANGER);
        let why = judged_by(GRANTED, &other_vault, &[]).unwrap_err();
        assert_eq!((why.refusal, why.limit), (Refusal::VaultAccountDiffers, Shown::Key(VAULT)));
        let stats = changed(discriminator, |draft| draft.keys[2] = STRANGER);
        assert_eq!(judged(&stats), Err(Refusal::UserAccountNotAllowed));
        let user = changed(discriminator, |draft| draft.keys[1] = STRANGER);
        assert_eq!(judged(&user), Err(Refusal::UserAccountNotAllowed));
    }
    let why = judged_by(GRANTED, &changed(WITHDRAW, |draft| draft.keys[6] = STRANGER), &[]).unwrap_err();
    assert_eq!((why.refusal, why.limit), (Refusal::VaultAccountDiffers, Shown::Key(SIGNER)));
}

#[test]
fn another_token_program_is_not_supported() {
    for discriminator in [DEPOSIT, WITHDRAW] {
        let draft = changed(discriminator, |draft| draft.keys[7] = STRANGER);
        let why = solana::decode(&payload(&draft.encode(), &[])).map(|_| ()).unwrap_err().witnessed();
        assert_eq!(
            (why.refusal, why.refusal.family(), why.observed),
            (Refusal::TokenProgramNotSupported, Family::Unsupported, Shown::Key(STRANGER))
        );
    }
}

#[test]
fn a_token_program_of_a_lookup_table_is_refused_whatever_the_caller_says_it_is() {
    for (discriminator, at) in [(DEPOSIT, 6), (WITHDRAW, 7)] {
        let draft = changed(discriminator, |draft| {
            draft.keys[7] = [40; 32];
            draft.instructions[0].1[at] = 10;
        })
        .looking_up(&[], &[0]);
        let why = solana::decode(&payload(&draft.encode(), &[solana::TOKEN_PROGRAM]))
            .map(|_| ())
            .unwrap_err()
            .witnessed();
        assert_eq!(
            (why.refusal, why.refusal.family(), why.observed),
            (Refusal::TokenProgramNotStatic, Family::Unsupported, Shown::Key(solana::TOKEN_PROGRAM))
        );
    }
}

#[test]
fn a_readonly_vault_or_token_account_is_malformed() {
    for at in [3, 4] {
        let draft = changed(WITHDRAW, |draft| {
            // The last readonly keys of the header reach down to `at`.
            draft.header = [1, 0, u8::try_from(10 - at).unwrap()];
        });
        let why = solana::decode(&payload(&draft.encode(), &[])).map(|_| ()).unwrap_err().witnessed();
        assert_eq!(why.refusal, Refusal::AccountFlagsDiffer);
    }
}

#[test]
fn an_option_of_a_withdrawal_must_be_a_bool_and_its_data_complete() {
    for (change, expected) in [
        ((|data: &mut Vec<u8>| data[18] = 2) as fn(&mut Vec<u8>), Refusal::TagOutOfRange),
        (|data| data.push(0), Refusal::InstructionDataMalformed),
        (|data| data.truncate(18), Refusal::InstructionDataMalformed),
    ] {
        let draft = changed(WITHDRAW, |draft| change(&mut draft.instructions[0].2));
        let why = solana::decode(&payload(&draft.encode(), &[])).map(|_| ()).unwrap_err().witnessed();
        assert_eq!(why.refusal, expected);
    }
}

#[test]
fn cancel_and_place_places_once() {
    assert_eq!(judged(&Draft::new(vec![cancel(), place(&ORDER)])), Ok(()));
    assert_eq!(judged(&Draft::new(vec![cancel(), place_orders(&[ORDER, ORDER])])), Ok(()));
    let twice = Draft::new(vec![cancel(), place(&ORDER), place_orders(&[ORDER])]);
    assert_eq!(judged(&twice), Err(Refusal::TooManyPlacements));
    let same = Draft::new(vec![cancel(), place(&ORDER), place(&ORDER)]);
    assert_eq!(judged(&same), Err(Refusal::InstructionRepeated));
    let mut two_programs = Draft::new(vec![cancel(), place(&ORDER)]);
    two_programs.keys.push(solana::VELOCITY_V1);
    let data = [&crate::lines::bytes("3c3f327b0cc53cbe")[..], &[1, 0, 0, 0], &encode_order(&ORDER)].concat();
    two_programs.instructions.push((8, vec![3, 1, 0, 5, 4], data));
    two_programs.header[2] += 1;
    assert_eq!(judged(&two_programs), Err(Refusal::TooManyPlacements));
}

#[test]
fn a_durable_nonce_is_not_supported_wherever_it_stands() {
    for first in [true, false] {
        let mut draft = changed(WITHDRAW, |draft| {
            draft.keys.push([0; 32]);
            draft.header[2] += 1;
        });
        let advance = (10, vec![3, 8, 0], vec![4, 0, 0, 0]);
        draft.instructions.insert(usize::from(!first), advance);
        let why = solana::decode(&payload(&draft.encode(), &[])).map(|_| ()).unwrap_err().witnessed();
        assert_eq!((why.refusal, why.observed), (Refusal::ProgramNotSupported, Shown::Key([0; 32])));
    }
}
