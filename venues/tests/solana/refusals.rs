//! One row a refusal code of the decoder.

use venues::solana::{self, INSTRUCTIONS_KEPT_MAX, Version};
use wire::{Family, Refusal, Shown, Why};

use crate::draft::{
    self, Draft, MARKET, ORDER, PAYER, STRANGER, TABLE, USER, cancel, compute, drift, place, unit_limit,
};
use crate::lines::payload;
use crate::witness::Witness as _;

fn refused(draft: &Draft) -> Why {
    refused_loading(draft, &[])
}

fn refused_loading(draft: &Draft, loaded: &[[u8; 32]]) -> Why {
    solana::decode(&payload(&draft.encode(), loaded)).map(|_| ()).unwrap_err().witnessed()
}

/// The draft that places one order, changed.
fn changed(change: impl FnOnce(&mut Draft)) -> Draft {
    let mut draft = Draft::place(ORDER);
    change(&mut draft);
    draft
}

#[test]
fn the_unchanged_drafts_are_accepted() {
    assert!(solana::decode(&payload(&Draft::place(ORDER).encode(), &[])).is_ok());
    let looking_up = Draft::place(ORDER).looking_up(&[1], &[0]);
    assert!(solana::decode(&payload(&looking_up.encode(), &[STRANGER, [11; 32]])).is_ok());
}

#[test]
fn compact_u16_not_canonical() {
    let mut message = Draft::place(ORDER).encode();
    message.splice(3..4, [0x88, 0x00]);
    let why = solana::decode(&payload(&message, &[])).map(|_| ()).unwrap_err().witnessed();
    assert_eq!(why.refusal, Refusal::CompactU16NotCanonical);
}

#[test]
fn message_version_not_supported() {
    let mut message = changed(|draft| draft.version = Version::V0).encode();
    message[0] = 0x81;
    let why = solana::decode(&payload(&message, &[])).map(|_| ()).unwrap_err().witnessed();
    assert_eq!((why.refusal, why.observed), (Refusal::MessageVersionNotSupported, Shown::uint(1)));
}

#[test]
fn message_too_long() {
    let long = |size: usize| changed(|draft| draft.instructions.push(compute(&vec![0; size])));
    let size = long(200).encode().len() - 200;
    let fitting = 1232 - 65 - size;
    // One byte more than fits; with what fits the data themselves are refused.
    assert_eq!(refused(&long(fitting)).refusal, Refusal::InstructionNotSupported);
    let why = refused(&long(fitting + 1));
    assert_eq!((why.refusal, why.limit), (Refusal::MessageTooLong, Shown::uint(1232 - 65)));
}

#[test]
fn header_malformed() {
    for header in [[0, 0, 5], [1, 1, 5], [2, 2, 5], [9, 0, 0], [1, 0, 8], [127, 0, 255]] {
        assert_eq!(
            refused(&changed(|draft| draft.header = header)).refusal,
            Refusal::HeaderMalformed,
            "{header:?}"
        );
    }
}

#[test]
fn account_key_repeated() {
    let why = refused(&changed(|draft| draft.keys[2] = MARKET));
    assert_eq!((why.refusal, why.observed), (Refusal::AccountKeyRepeated, Shown::Key(MARKET)));
    let draft = Draft::place(ORDER).looking_up(&[1], &[0]);
    for loaded in [[USER, STRANGER], [STRANGER, PAYER], [STRANGER, STRANGER]] {
        assert_eq!(refused_loading(&draft, &loaded).refusal, Refusal::AccountKeyRepeated);
    }
    let twice = draft.looking_up(&[2], &[]);
    let why = refused_loading(&twice, &[[11; 32], [12; 32], [13; 32]]);
    assert_eq!((why.refusal, why.observed), (Refusal::AccountKeyRepeated, Shown::Key(TABLE)));
}

#[test]
fn account_index_out_of_range() {
    let why = refused(&changed(|draft| draft.instructions[0].1[4] = 8));
    assert_eq!(why.refusal, Refusal::AccountIndexOutOfRange);
    assert_eq!((why.observed, why.limit, why.subject), (Shown::uint(8), Shown::uint(7), Some(0)));
    assert_eq!(
        refused(&changed(|draft| draft.instructions[0].0 = 8)).refusal,
        Refusal::AccountIndexOutOfRange
    );
}

#[test]
fn program_index_not_allowed() {
    assert_eq!(
        refused(&changed(|draft| draft.instructions[0].0 = 0)).refusal,
        Refusal::ProgramIndexNotAllowed
    );
    let mut draft = Draft::place(ORDER).looking_up(&[], &[0]);
    draft.instructions[0].0 = 8;
    assert_eq!(refused_loading(&draft, &[STRANGER]).refusal, Refusal::ProgramIndexNotAllowed);
}

#[test]
fn instructions_empty() {
    assert_eq!(refused(&Draft::new(Vec::new())).refusal, Refusal::InstructionsEmpty);
}

#[test]
fn too_many_instructions() {
    let why = refused(&Draft::new(vec![(draft::DRIFT_INDEX, Vec::new(), Vec::new()); 65]));
    assert_eq!((why.refusal, why.limit), (Refusal::TooManyInstructions, Shown::uint(64)));
}

#[test]
fn too_many_venue_instructions() {
    let many = |count: usize| Draft::new(vec![cancel(); count]);
    assert!(solana::decode(&payload(&many(INSTRUCTIONS_KEPT_MAX).encode(), &[])).is_ok());
    let why = refused(&many(INSTRUCTIONS_KEPT_MAX + 1));
    assert_eq!((why.refusal, why.refusal.family()), (Refusal::TooManyVenueInstructions, Family::Unsupported));
    assert_eq!((why.observed, why.limit, why.subject), (Shown::uint(9), Shown::uint(8), Some(8)));
}

#[test]
fn too_many_accounts() {
    let indexes: Vec<u8> = (0..121).collect();
    let loaded: Vec<[u8; 32]> = (100..221).map(|byte| [byte; 32]).collect();
    let draft = |count: usize| Draft::place(ORDER).looking_up(&indexes[..count], &[]);
    assert!(solana::decode(&payload(&draft(120).encode(), &loaded[..120])).is_ok());
    let why = refused_loading(&draft(121), &loaded);
    assert_eq!((why.refusal, why.refusal.family()), (Refusal::TooManyAccounts, Family::Unsupported));
    assert_eq!((why.observed, why.limit), (Shown::uint(129), Shown::uint(128)));
}

#[test]
fn lookup_unresolved() {
    assert_eq!(refused(&Draft::place(ORDER).looking_up(&[], &[])).refusal, Refusal::LookupUnresolved);
    let why = refused_loading(&Draft::place(ORDER).looking_up(&[1], &[0]), &[STRANGER]);
    assert_eq!(why.refusal, Refusal::LookupUnresolved);
    assert_eq!((why.observed, why.limit), (Shown::uint(1), Shown::uint(2)));
}

#[test]
fn instruction_data_malformed() {
    let cut = changed(|draft| {
        draft.instructions[0].2.pop();
    });
    let long = changed(|draft| draft.instructions[0].2.push(0));
    let short = Draft::new(vec![drift("45a15dca", &[])]);
    let empty = Draft::new(vec![drift("", &[])]);
    let endless = Draft::new(vec![drift("3c3f327b0cc53cbe", &[0xff; 4])]);
    let missing = Draft::new(vec![drift("861390a55ef0d25e", &[2, 0, 0, 0, 1, 1, 1, 1])]);
    let unit_limit_long = Draft::new(vec![compute(&[2, 0, 0, 0, 0, 0])]);
    let unit_price_short = Draft::new(vec![compute(&[3, 0, 0, 0, 0])]);
    let unit_empty = Draft::new(vec![compute(&[])]);
    for draft in [cut, long, short, empty, endless, missing, unit_limit_long, unit_price_short, unit_empty] {
        assert_eq!(refused(&draft).refusal, Refusal::InstructionDataMalformed, "{draft:?}");
    }
}

#[test]
fn tag_out_of_range() {
    // byte of the order, first value out of range
    for (at, value) in [
        (0, 5),
        (1, 2),
        (2, 2),
        (22, 2),
        (23, 4),
        (25, 2),
        (26, 2),
        (27, 4),
        (28, 2),
        (29, 2),
        (30, 2),
        (31, 2),
    ] {
        let why = refused(&changed(|draft| draft.instructions[0].2[8 + at] = value));
        assert_eq!(
            (why.refusal, why.observed),
            (Refusal::TagOutOfRange, Shown::uint(value.into())),
            "byte {at}"
        );
        assert_eq!(why.limit, Shown::uint(u64::from(value) - 1));
    }
    for instruction in [
        drift("5f81edf00831df84", &[2]),
        drift("eee15f9ee36708c2", &[1, 2, 0, 0]),
        drift("7f4275392832987f", &[0, 0, 0, 0, 2]),
        drift("9e4d04fdfcc2a1b3", &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4]),
    ] {
        assert_eq!(refused(&Draft::new(vec![instruction])).refusal, Refusal::TagOutOfRange);
    }
}

#[test]
fn accounts_missing() {
    let why = refused(&changed(|draft| draft.instructions[0].1.truncate(2)));
    assert_eq!(
        (why.refusal, why.observed, why.limit),
        (Refusal::AccountsMissing, Shown::uint(2), Shown::uint(3))
    );
    let mut take = Draft::new(vec![draft::place_and_take(&ORDER)]);
    take.instructions[0].1.truncate(3);
    assert_eq!(refused(&take).refusal, Refusal::AccountsMissing);
}

#[test]
fn account_flags_differ() {
    let authority_does_not_sign = changed(|draft| draft.instructions[0].1[2] = 1);
    let user_is_readonly = changed(|draft| draft.instructions[0].1[1] = 4);
    let mut stats_are_readonly = Draft::new(vec![draft::place_and_take(&ORDER)]);
    stats_are_readonly.instructions[0].1[2] = 4;
    for (draft, position) in [(authority_does_not_sign, 2), (user_is_readonly, 1), (stats_are_readonly, 2)] {
        let why = refused(&draft);
        assert_eq!((why.refusal, why.observed), (Refusal::AccountFlagsDiffer, Shown::uint(position)));
    }
}

#[test]
fn blockhash_zero() {
    assert_eq!(refused(&changed(|draft| draft.blockhash = [0; 32])).refusal, Refusal::BlockhashZero);
}

#[test]
fn market_type_differs() {
    let mut spot = ORDER;
    spot.market_kind = solana::rules::MarketKind::Spot;
    for instruction in [place(&spot), draft::place_and_take(&spot), draft::place_spot(&ORDER)] {
        assert_eq!(refused(&Draft::new(vec![instruction])).refusal, Refusal::MarketTypeDiffers);
    }
}

#[test]
fn compute_budget_repeated() {
    let draft = Draft::new(vec![unit_limit(1), place(&ORDER), unit_limit(1)]);
    let why = refused(&draft);
    assert_eq!((why.refusal, why.subject), (Refusal::ComputeBudgetRepeated, Some(2)));
    let prices = Draft::new(vec![draft::unit_price(1), draft::unit_price(2)]);
    assert_eq!(refused(&prices).refusal, Refusal::ComputeBudgetRepeated);
}

#[test]
fn accounts_not_supported() {
    let mut draft = Draft::new(vec![unit_limit(1)]);
    draft.instructions[0].1.push(0);
    let why = refused(&draft);
    assert_eq!((why.refusal, why.refusal.family()), (Refusal::AccountsNotSupported, Family::Unsupported));
}

#[test]
fn program_not_supported() {
    let why = refused(&changed(|draft| draft.keys[7][31] ^= 1));
    assert_eq!((why.refusal, why.subject), (Refusal::ProgramNotSupported, Some(0)));
    let system = changed(|draft| {
        draft.keys[5] = [0; 32];
        draft.instructions.push((5, vec![0, 1], vec![4, 0, 0, 0]));
    });
    let why = refused(&system);
    assert_eq!(
        (why.refusal, why.observed, why.subject),
        (Refusal::ProgramNotSupported, Shown::Key([0; 32]), Some(1))
    );
}

#[test]
fn instruction_not_supported() {
    for instruction in [
        drift("141493df293fcc6f", &[0; 12]), // transferDeposit
        drift("0000000000000000", &[]),
        compute(&[1, 0, 0, 4, 0]), // requestHeapFrame
        compute(&[4, 0, 0, 4, 0]), // setLoadedAccountsDataSizeLimit
    ] {
        assert_eq!(refused(&Draft::new(vec![instruction])).refusal, Refusal::InstructionNotSupported);
    }
}
