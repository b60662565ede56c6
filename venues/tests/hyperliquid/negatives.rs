//! Lines that must be refused, whatever a permissive book says.

use std::collections::BTreeMap;

use venues::Payload as _;
use venues::hyperliquid::{Claims, Form};
use wire::{Family, Refusal, Why};

use crate::vectors::{Book, Line, NOW, hex, lines, payload, with_payload};
use crate::witness::Witness as _;

/// Refusals of an envelope that only a clock can give, hence denied.
const BY_THE_CLOCK: [Refusal; 3] = [Refusal::NonceTooOld, Refusal::NonceTooFarAhead, Refusal::ExpiryPassed];

#[test]
fn no_negative_is_signed_and_each_is_refused_by_the_right_family() {
    let bases: BTreeMap<String, Line> =
        lines("hyperliquid.jsonl").into_iter().map(|line| (line.text("id").to_owned(), line)).collect();
    let mut refused = 0;
    for line in lines("negative_hyperliquid.jsonl") {
        let Some((form, payload)) = payload_of(&line) else {
            continue;
        };
        let base = &bases[line.text("base_id")];
        let why = refusal(form, &payload, &Book::of(base));
        let family = why.refusal.family();
        let right = match line.text("layer") {
            "wire" | "value" | "blind" => matches!(family, Family::Malformed | Family::Unsupported),
            "envelope" => family == Family::Malformed || BY_THE_CLOCK.contains(&why.refusal),
            _ => matches!(family, Family::Denied | Family::Unsupported),
        };
        assert!(right, "{} {}: {why:?}", line["id"], line["reason"]);
        refused += 1;
    }
    // Of 60, two are blind requests (no payload kind takes a digest or an agent) and one has a vault of 19
    // bytes, which no envelope can carry.
    assert_eq!(refused, 57);
}

fn refusal(form: Form, payload: &[u8], book: &Book) -> Why {
    with_payload(form, payload, |action| match action {
        Err(why) => why,
        Ok(action) => action.judge(&book.limits(), &[0; 20], NOW).unwrap_err(),
    })
    .witnessed()
}

fn payload_of(line: &Line) -> Option<(Form, Vec<u8>)> {
    let input = &line["input"];
    let (form, action) = match input["form"].as_str().unwrap() {
        "l1_msgpack" => (Form::L1Msgpack, hex(input["msgpack"].as_str().unwrap())),
        "l1_json" => (Form::L1Json, input["action_json"].as_str().unwrap().as_bytes().to_vec()),
        "user_json" => (Form::UserJson, input["action_json"].as_str().unwrap().as_bytes().to_vec()),
        _ => return None,
    };
    let claims = Claims {
        source: input["source"].as_str().map(|source| source.as_bytes()[0]),
        connection_id: input["connectionId"].as_str().map(|id| hex(id).try_into().unwrap()),
        primary_type: input["typed_data"]["primaryType"].as_str(),
    };
    Some((form, payload(&line.envelope()?, &claims, &action)))
}

/// The rule each line breaks, by name.
#[test]
fn the_refusal_names_the_rule_that_was_broken() {
    for (reason, refusal_wanted) in [
        ("integer written wider than needed (uint8)", Refusal::MsgpackNotCanonical),
        ("order id written as signed int64 (0xd3) instead of uint64 (0xcf)", Refusal::MsgpackNotCanonical),
        ("map keys in another order (top level: orders before type)", Refusal::MsgpackNotCanonical),
        ("map keys in another order (order fields sorted by name)", Refusal::MsgpackNotCanonical),
        ("duplicate key in an order (second price wins in most decoders)", Refusal::MsgpackNotCanonical),
        ("trailing byte after the action", Refusal::TrailingBytes),
        ("truncated by one byte", Refusal::PayloadTruncated),
        ("duplicate JSON key 'p' in an order", Refusal::JsonMemberRepeated),
        ("JSON number in place of a string price", Refusal::FieldTypeNotExpected),
        ("trailing zero in a price", Refusal::DecimalNotCanonical),
        ("more than 8 decimals (float_to_wire would round)", Refusal::DecimalNotCanonical),
        ("zero price", Refusal::PriceZero),
        (
            "zero size without position TP/SL grouping (closes a whole position when reduce-only)",
            Refusal::SizeZero,
        ),
        ("unknown field at the top of the action", Refusal::FieldNotKnown),
        ("unknown field in an order", Refusal::FieldNotKnown),
        ("unknown time in force", Refusal::WordNotKnown),
        ("limit and trigger both present", Refusal::FieldNotKnown),
        ("no orders", Refusal::ListEmpty),
        ("unknown action type", Refusal::ActionNotSupported),
        ("cloid of the wrong length", Refusal::CloidMalformed),
        ("builder fee over the perp maximum of 100", Refusal::NumberOutOfRange),
        (
            "builder address in mixed case (exchange lower-cases, hash differs)",
            Refusal::ActionAddressMalformed,
        ),
        ("leverage 0", Refusal::NumberOutOfRange),
        ("negative asset id", Refusal::NumberOutOfRange),
        ("nonce older than two days", Refusal::NonceTooOld),
        ("nonce more than one day ahead", Refusal::NonceTooFarAhead),
        ("nonce in seconds", Refusal::NonceTooOld),
        ("expiresAfter already past", Refusal::ExpiryPassed),
        ("connectionId given with the request does not match the action", Refusal::ClaimDiffers),
        ("expiresAfter set on a user-signed action", Refusal::EnvelopeFieldNotAllowed),
        ("outer nonce differs from the action's own time", Refusal::NonceDiffersFromAction),
        ("hyperliquidChain does not match the network", Refusal::NetworkDiffers),
        ("action type and EIP-712 primary type disagree", Refusal::ClaimDiffers),
        ("withdrawal or transfer to an address on no list", Refusal::DestinationNotAllowed),
        ("approveAgent smuggled as an L1 action", Refusal::ActionNotSupported),
        ("second order in the batch breaks the limit (first is small)", Refusal::SizeAboveCap),
    ] {
        let negatives = lines("negative_hyperliquid.jsonl");
        let line = negatives.iter().find(|line| line["reason"] == reason).unwrap();
        let bases = lines("hyperliquid.jsonl");
        let base = bases.iter().find(|base| base["id"] == line["base_id"]).unwrap();
        let (form, payload) = payload_of(line).unwrap();
        let why = refusal(form, &payload, &Book::of(base));
        assert_eq!(why.refusal, refusal_wanted, "{reason}");
        if reason.starts_with("second order") {
            assert_eq!(why.subject, Some(1));
        }
    }
}
