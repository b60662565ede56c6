//! Velocity: the program's id selects the layout, and what the table does not name is unsupported.

use proptest::prelude::*;
use proptest::sample::Index;
use venues::Payload;
use venues::solana::rules::{BuilderLimits, MarketLimits, ModifyLimits, Program, ProgramLimits};
use venues::solana::{self, DRIFT_V2, ModifyOrderParams, OrderParams, VELOCITY_V1};
use wire::{Family, Refusal};

use crate::draft::{
    self, Draft, MODIFICATION, ORDER, STRANGER, encode_modification_of, encode_order, encode_order_of,
    place_and_take,
};
use crate::judgement::{MARKET_LIMITS, PROGRAM, UNPRICED, judged_by, judged_within, limits};
use crate::lines::{line_payload, messages, payload};
use crate::witness::Witness as _;

const PLACE_PERP: &str = "45a15dca787e4cb9";
const PLACE_ORDERS: &str = "3c3f327b0cc53cbe";
const MODIFY_BY_USER_ID: &str = "9e4d04fdfcc2a1b3";

const VELOCITY: ProgramLimits<'_> = ProgramLimits { program: Program::VelocityV1, ..PROGRAM };

fn placing(order: &OrderParams) -> Draft {
    draft::velocity(PLACE_PERP, &encode_order_of(Program::VelocityV1, order))
}

fn decoded(draft: &Draft) -> Result<(), Refusal> {
    solana::decode(&payload(&draft.encode(), &[])).map(|_| ()).map_err(|why| why.refusal).witnessed()
}

fn judged(draft: &Draft, program: ProgramLimits<'_>) -> Result<(), Refusal> {
    judged_by(program, draft, &[]).map_err(|why| why.refusal)
}

#[test]
fn only_its_four_order_instructions_are_supported() {
    let order = encode_order_of(Program::VelocityV1, &ORDER);
    let taking = [&order[..], &[0]].concat();
    let modification = [&[7][..], &encode_modification_of(Program::VelocityV1, &MODIFICATION)].concat();
    let listed = [&[1, 0, 0, 0][..], &order].concat();
    let mut take = Draft::new(vec![place_and_take(&ORDER)]);
    take.instructions[0].2 = [&crate::lines::bytes("d53301bb6cdce6e0")[..], &taking].concat();
    take.keys[7] = VELOCITY_V1;
    for draft in [
        placing(&ORDER),
        draft::velocity(PLACE_ORDERS, &listed),
        draft::velocity(MODIFY_BY_USER_ID, &modification),
        take,
    ] {
        assert_eq!(decoded(&draft), Ok(()));
        assert_eq!(judged(&draft, VELOCITY), Ok(()));
    }
    for (discriminator, arguments) in [
        ("2d4f51a0f85a5bdc", order), // placeSpotOrder fails at run time
        ("5f81edf00831df84", vec![0]),
        ("6bd3fa8512253964", vec![0]),
        ("eee15f9ee36708c2", vec![0, 0, 0]),
        ("8613905fe0f0d25e", vec![0, 0, 0, 0]),
        ("2f7c75ffc9c5825e", modification),
        ("2b3dea2d0f5f9899", vec![3, 0]),
        (draft::DEPOSIT, vec![0; 11]),
        (draft::WITHDRAW, vec![0; 11]),
        ("0100000000000000", vec![]),
    ] {
        let draft = draft::velocity(discriminator, &arguments);
        assert_eq!(decoded(&draft), Err(Refusal::InstructionNotSupported), "{discriminator}");
    }
}

/// Both programs read data without the last four fields; what tells them apart then are the accounts.
#[test]
fn data_of_one_program_under_the_others_id_are_never_signed() {
    let with = |last: [bool; 4]| OrderParams {
        oracle_price_offset: last[0].then_some(5),
        activation_delay_slots: last[1].then_some(6),
        builder_idx: last[2].then_some(7),
        builder_fee_tenth_bps: last[3].then_some(8),
        ..ORDER
    };
    let mut same = 0;
    for bits in 0..16_u8 {
        let order = with([bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0]);
        let mut draft = placing(&order);
        draft.keys[7] = DRIFT_V2;
        match decoded(&draft) {
            Ok(()) => same += 1,
            Err(refusal) => assert_eq!(refusal.family(), Family::Malformed),
        }
    }
    assert_eq!(same, 1, "the data without any of the four");
    for bits in 1..8_u8 {
        let order = OrderParams {
            oracle_price_offset: (bits & 1 != 0).then_some(5),
            auction_start_price: (bits & 2 != 0).then_some(200),
            auction_end_price: (bits & 4 != 0).then_some(200),
            ..ORDER
        };
        let draft = draft::velocity(PLACE_PERP, &encode_order(&order));
        assert!(decoded(&draft).is_err(), "{bits}");
    }
}

#[test]
fn every_line_of_one_program_is_refused_under_the_others_id() {
    for (file, from, to) in
        [("solana_velocity.jsonl", VELOCITY_V1, DRIFT_V2), ("solana_drift.jsonl", DRIFT_V2, VELOCITY_V1)]
    {
        let mut seen = 0;
        for line in messages(file) {
            let original = line_payload(&line);
            let Some(at) = original.windows(32).position(|key| *key == from) else {
                continue;
            };
            let Ok(before) = solana::decode(&original) else {
                continue;
            };
            let instruction = before.instructions().next().unwrap();
            let users = [solana::rules::UserAccount {
                authority: *instruction.authority,
                sub_account: 0,
                user: *instruction.user,
                user_stats: *instruction.user_stats.unwrap_or(&STRANGER),
            }];
            // A book that grants everything of the other program, under its own state account.
            let granted = ProgramLimits {
                program: if to == DRIFT_V2 { Program::DriftV2 } else { Program::VelocityV1 },
                state: [77; 32],
                users: &users,
                ..PROGRAM
            };
            let mut swapped = original.clone();
            swapped[at..at + 32].copy_from_slice(&to);
            if let Ok(transaction) = solana::decode(&swapped) {
                let now = wire::Now { monotonic_ms: 0, wall_ms: 0 };
                let judged = transaction.judge(&limits(&[granted]), instruction.authority, now);
                assert!(judged.is_err(), "{}", line["id"]);
                assert_ne!(transaction.label(), before.label());
            }
            seen += 1;
        }
        assert!(seen >= 40, "{file} {seen}");
    }
}

#[test]
fn a_book_of_one_program_does_not_grant_the_other() {
    assert_eq!(judged(&placing(&ORDER), PROGRAM), Err(Refusal::ProgramNotAllowed));
    assert_eq!(judged(&Draft::place(ORDER), VELOCITY), Err(Refusal::ProgramNotAllowed));
    let both = [PROGRAM, VELOCITY];
    assert_eq!(judged_within(&limits(&both), &placing(&ORDER), &[]), Ok(()));
    assert_eq!(judged_within(&limits(&both), &Draft::place(ORDER), &[]), Ok(()));
}

#[test]
fn a_market_order_without_a_limit_of_its_size_is_refused() {
    let whole = OrderParams { order_type: solana::OrderType::Market, base: (1 << 63) - 1, price: 0, ..ORDER };
    let capped = MarketLimits { base_max: 1 << 62, ..UNPRICED };
    let velocity = ProgramLimits { markets: &[capped], ..VELOCITY };
    assert_eq!(judged(&placing(&whole), velocity), Err(Refusal::BaseAboveCap));
    assert_eq!(
        judged(&Draft::place(whole), ProgramLimits { markets: &[capped], ..PROGRAM }),
        Err(Refusal::BaseAboveCap)
    );
    let held = OrderParams { base: 1 << 62, ..whole };
    assert_eq!(judged(&placing(&held), velocity), Ok(()));
}

#[test]
fn its_orders_are_judged_like_drifts() {
    let priced = ProgramLimits { markets: &[MARKET_LIMITS], ..VELOCITY };
    for (order, expected) in [
        (OrderParams { price: 99, ..ORDER }, Refusal::LimitPriceBelowCollar),
        (OrderParams { price: 301, ..ORDER }, Refusal::LimitPriceAboveCollar),
        (OrderParams { oracle_price_offset: Some(i64::MIN), ..ORDER }, Refusal::OracleOffsetNotAllowed),
        (OrderParams { bit_flags: 2, ..ORDER }, Refusal::OrderBitsNotAllowed),
        (OrderParams { market_index: 4, ..ORDER }, Refusal::MarketNotAllowed),
    ] {
        assert_eq!(judged(&placing(&order), priced), Err(expected), "{order:?}");
    }
    let modifying = |params| {
        let data = [&[7][..], &encode_modification_of(Program::VelocityV1, &params)].concat();
        judged(&draft::velocity(MODIFY_BY_USER_ID, &data), priced)
    };
    let large = ModifyOrderParams { base: Some(1_001), ..MODIFICATION };
    assert_eq!(modifying(large), Err(Refusal::BaseAboveCap));
    let offset = ModifyOrderParams { oracle_price_offset: Some(-5), ..MODIFICATION };
    assert_eq!(modifying(offset), Err(Refusal::OracleOffsetNotAllowed));
    let wide = ModifyLimits { base_max: 9, price_min: 1, price_max: 9, unpriced: true, partial: true };
    let unpriced = ProgramLimits { markets: &[UNPRICED], modify: Some(wide), ..VELOCITY };
    let data = [&[7][..], &encode_modification_of(Program::VelocityV1, &offset)].concat();
    assert_eq!(judged(&draft::velocity(MODIFY_BY_USER_ID, &data), unpriced), Ok(()));
}

#[test]
fn builders_and_their_fees_need_a_grant() {
    let builders = BuilderLimits { indexes: &[1, 4], fee_tenth_bps_max: 20 };
    let granted = ProgramLimits { builders: Some(builders), ..VELOCITY };
    let order = |idx, fee| OrderParams { builder_idx: idx, builder_fee_tenth_bps: fee, ..ORDER };
    for (idx, fee, without, with) in [
        (None, None, Ok(()), Ok(())),
        (None, Some(0), Ok(()), Ok(())),
        (Some(4), None, Err(Refusal::OrderBuilderNotAllowed), Ok(())),
        (Some(4), Some(20), Err(Refusal::OrderBuilderNotAllowed), Ok(())),
        (Some(2), Some(20), Err(Refusal::OrderBuilderNotAllowed), Err(Refusal::OrderBuilderNotAllowed)),
        (Some(1), Some(21), Err(Refusal::OrderBuilderNotAllowed), Err(Refusal::OrderBuilderFeeAboveCap)),
        (None, Some(21), Err(Refusal::OrderBuilderFeeAboveCap), Err(Refusal::OrderBuilderFeeAboveCap)),
    ] {
        assert_eq!(judged(&placing(&order(idx, fee)), VELOCITY), without, "{idx:?} {fee:?}");
        assert_eq!(judged(&placing(&order(idx, fee)), granted), with, "{idx:?} {fee:?}");
    }
}

proptest! {
    #[test]
    fn a_byte_more_or_less_in_its_data_is_refused(which in any::<Index>(), extra in any::<u8>()) {
        let lines = messages("solana_velocity.jsonl");
        let payload_before = line_payload(which.get(&lines));
        let mut draft = Draft::of(solana::decode(&payload_before).unwrap().view());
        let at = draft.instructions.len() - 1;
        let data = draft.instructions[at].2.clone();
        draft.instructions[at].2.push(extra);
        prop_assert_eq!(decoded_lines(&draft, &payload_before), Some(Family::Malformed));
        draft.instructions[at].2 = data[..data.len() - 1].to_vec();
        prop_assert_eq!(decoded_lines(&draft, &payload_before), Some(Family::Malformed));
    }
}

/// The family of the refusal of `draft` with the addresses that `original` was given.
fn decoded_lines(draft: &Draft, original: &[u8]) -> Option<Family> {
    let size = usize::from(u16::from_le_bytes([original[0], original[1]]));
    let message = draft.encode();
    let start = u16::try_from(message.len()).unwrap().to_le_bytes();
    let payload = [&start[..], &message, &original[2 + size..]].concat();
    solana::decode(&payload).err().map(|why| why.refusal.family())
}
