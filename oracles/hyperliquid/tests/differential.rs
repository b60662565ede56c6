//! The decoder hashes what serde's msgpack and alloy's EIP-712 hash. What a Hyperliquid SDK hashes is in
//! `oracles/hypersdk`.

#![cfg(test)]

#[path = "differential/decoded.rs"]
mod decoded;
#[path = "differential/drafts.rs"]
mod drafts;

use alloy_dyn_abi::TypedData;
use decoded::decoded;
use drafts::{L1Draft, UserDraft, l1_draft, user_draft};
use proptest::prelude::*;
use serde_json::{Value, json};
use venues::hyperliquid::Form;

fn by_alloy(draft: &UserDraft) -> [u8; 32] {
    let action: Value = serde_json::from_str(&draft.json()).unwrap();
    let member = |name: &str, kind: &str| json!({"name": name, "type": kind});
    let text = |name: &str| member(name, "string");
    let mut fields = vec![text("hyperliquidChain")];
    fields.extend(draft.members.iter().map(|(name, kind, _)| member(name, kind)));
    fields.push(member(draft.nonce_name(), "uint64"));
    // withdraw3 signs as "Withdraw".
    let (first, rest) = draft.kind.trim_end_matches('3').split_at(1);
    let primary_type = format!("HyperliquidTransaction:{}{rest}", first.to_uppercase());
    let typed_data: TypedData = serde_json::from_value(json!({
        "types": {
            "EIP712Domain": [
                text("name"),
                text("version"),
                {"name": "chainId", "type": "uint256"},
                {"name": "verifyingContract", "type": "address"},
            ],
            (primary_type.as_str()): fields,
        },
        "primaryType": primary_type,
        "domain": {
            "name": "HyperliquidSignTransaction",
            "version": "1",
            "chainId": format!("{:#x}", draft.signature_chain_id),
            "verifyingContract": "0x0000000000000000000000000000000000000000",
        },
        "message": action,
    }))
    .unwrap();
    typed_data.eip712_signing_hash().unwrap().0
}

proptest! {
    #[test]
    fn the_canonical_bytes_are_those_that_serde_writes(draft in l1_draft()) {
        let L1Draft { envelope, action } = draft;
        let msgpack = rmp_serde::to_vec_named(&action).unwrap();
        let text = serde_json::to_string(&action).unwrap();
        let from_json = decoded(Form::L1Json, &envelope, text.as_bytes());
        prop_assert_eq!(&from_json.1, &msgpack);
        prop_assert_eq!(decoded(Form::L1Msgpack, &envelope, &msgpack), from_json);
    }

    #[test]
    fn a_user_signed_action_of_any_chain_is_hashed_as_alloy_hashes_its_typed_data(draft in user_draft()) {
        let (digest, _) = decoded(Form::UserJson, &draft.envelope(), draft.json().as_bytes());
        prop_assert_eq!(digest, by_alloy(&draft), "{}", draft.json());
    }
}
