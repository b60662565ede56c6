//! What the SDKs made is understood as they meant it and hashed as they hashed it.

use venues::Payload as _;
use venues::hyperliquid::{Claims, Form};
use wire::{Family, Refusal};

use crate::vectors::{
    Book, Line, NOW, assert_facts, facts, hex, payload, positives, wanted_facts, with_payload,
};

const CLAIMED: [&str; 18] = [
    "order",
    "cancel",
    "cancelByCloid",
    "modify",
    "batchModify",
    "twapOrder",
    "twapCancel",
    "scheduleCancel",
    "updateLeverage",
    "updateIsolatedMargin",
    "vaultTransfer",
    "usdSend",
    "spotSend",
    "withdraw3",
    "usdClassTransfer",
    "sendAsset",
    "approveAgent",
    "approveBuilderFee",
];

/// The forms a line can be handed in, and its action in each.
fn forms(line: &Line) -> Vec<(Form, Vec<u8>)> {
    let json = line.text("action_json").as_bytes().to_vec();
    match line.text("scheme") {
        "l1_agent" => vec![(Form::L1Json, json), (Form::L1Msgpack, hex(line.text("msgpack")))],
        _ => vec![(Form::UserJson, json)],
    }
}

#[test]
fn every_claimed_line_has_the_sdks_digest_bytes_and_facts_and_is_granted_by_the_judges_book() {
    let mut decoded = 0;
    for line in positives() {
        let kind = line.action()["type"].as_str().unwrap();
        if !CLAIMED.contains(&kind) {
            continue;
        }
        let envelope = line.envelope().unwrap();
        for (form, action) in forms(&line) {
            let payload = payload(&envelope, &Claims::default(), &action);
            with_payload(form, &payload, |action| {
                let action = action.unwrap_or_else(|why| panic!("{} {why:?}", line["id"]));
                assert_eq!(action.label().to_vec(), hex(line.text("digest")), "{}", line["id"]);
                assert_eq!(action.preimage().as_bytes(), &action.label());
                if form == Form::UserJson {
                    assert_eq!(action.canonical(), line.text("action_json").as_bytes());
                    assert_eq!(action.connection_id(), None);
                } else {
                    assert_eq!(action.canonical(), hex(line.text("msgpack")), "{}", line["id"]);
                    assert_eq!(action.connection_id().unwrap().to_vec(), hex(line.text("connectionId")));
                }
                assert_facts(&line["id"], &wanted_facts(line.action()), &facts(&action));
                let charge = action
                    .judge(&Book::of(&line).limits(), &[0; 20], NOW)
                    .unwrap_or_else(|why| panic!("{} {why:?}", line["id"]));
                let nonce = charge.single_use_nonce.unwrap();
                assert_eq!(nonce.nonce, envelope.nonce);
                assert_eq!(nonce.ahead_max_ms, Book::of(&line).limits().nonce_ahead_max_ms);
                decoded += 1;
            });
        }
    }
    // 133 + 200 L1 lines in two forms each, 30 user-signed ones.
    assert_eq!(decoded, 2 * (133 + 200) + 30);
}

#[test]
fn every_other_kind_is_unsupported_by_name_and_never_malformed() {
    let mut refused = 0;
    for line in positives() {
        if CLAIMED.contains(&line.action()["type"].as_str().unwrap()) {
            continue;
        }
        let envelope = line.envelope().unwrap();
        let mut forms = forms(&line);
        // A multi-sig envelope may come as either, and a user-signed action smuggled in as an L1 one.
        forms.push((Form::L1Json, line.text("action_json").as_bytes().to_vec()));
        forms.push((Form::UserJson, line.text("action_json").as_bytes().to_vec()));
        for (form, action) in forms {
            let why = with_payload(form, &payload(&envelope, &Claims::default(), &action), |action| {
                action.unwrap_err()
            });
            assert_eq!(why.refusal, Refusal::ActionNotSupported, "{} {form:?}", line["id"]);
            refused += 1;
        }
    }
    assert!(refused >= 100, "{refused}");
}

#[test]
fn an_action_in_the_other_schemes_form_is_unsupported() {
    for line in positives() {
        let form = if line.text("scheme") == "l1_agent" { Form::UserJson } else { Form::L1Json };
        let payload =
            payload(&line.envelope().unwrap(), &Claims::default(), line.text("action_json").as_bytes());
        let why = with_payload(form, &payload, |action| action.unwrap_err());
        assert_eq!(why.refusal.family(), Family::Unsupported, "{}", line["id"]);
    }
}

#[test]
fn true_claims_are_accepted() {
    for line in positives().iter().filter(|line| CLAIMED.contains(&line.action()["type"].as_str().unwrap())) {
        let envelope = line.envelope().unwrap();
        let connection_id = line["connectionId"].as_str().map(|id| hex(id).try_into().unwrap());
        let claims = Claims {
            source: connection_id.is_some().then_some(if line["input"]["isMainnet"] == true {
                b'a'
            } else {
                b'b'
            }),
            connection_id,
            primary_type: line["typed_data"]["primaryType"].as_str(),
        };
        assert!(claims.primary_type.is_some());
        for (form, action) in forms(line) {
            let digest =
                with_payload(form, &payload(&envelope, &claims, &action), |action| action.unwrap().label());
            assert_eq!(digest.to_vec(), hex(line.text("digest")));
        }
    }
}
