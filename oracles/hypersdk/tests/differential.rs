//! The decoder hashes what a public Hyperliquid SDK hashes.

#![cfg(test)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../hyperliquid/tests/differential/decoded.rs"]
mod decoded;
#[path = "../../hyperliquid/tests/differential/drafts.rs"]
mod drafts;

use chrono::DateTime;
use decoded::decoded;
use drafts::{Action as Draft, L1Draft, UserDraft, l1_draft, user_draft};
use hypersdk::hypercore::Chain;
use hypersdk::hypercore::api::Action;
use proptest::prelude::*;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{Envelope, Form};

fn by_hypersdk(envelope: &Envelope, action_json: &str) -> [u8; 32] {
    let action: Action = serde_json::from_str(action_json).unwrap();
    let vault_address = envelope.vault_address.map(hypersdk::Address::from);
    let expires_after =
        envelope.expires_after.map(|time| DateTime::from_timestamp_millis(time.try_into().unwrap()).unwrap());
    let chain = match envelope.network {
        Network::Mainnet => Chain::Mainnet,
        Network::Testnet => Chain::Testnet,
    };
    action.prehash(envelope.nonce, vault_address, expires_after, chain).unwrap().0
}

proptest! {
    /// hypersdk 0.3.0 packs the absent time of a scheduleCancel as nil, which other SDKs do not.
    #[test]
    fn an_l1_action_is_hashed_as_hypersdk_hashes_it(draft in l1_draft()) {
        let L1Draft { envelope, action } = draft;
        prop_assume!(!matches!(action, Draft::ScheduleCancel { time: None }));
        let text = serde_json::to_string(&action).unwrap();
        let (digest, _) = decoded(Form::L1Json, &envelope, text.as_bytes());
        prop_assert_eq!(digest, by_hypersdk(&envelope, &text), "{}", text);
    }

    /// hypersdk 0.3.0 signs withdraw3 under a type name of its own ("Withdraw3"), takes the domain's chain id
    /// from the network instead of signatureChainId, and hashes addresses in lower case whatever was posted; so
    /// those are left to alloy.
    #[test]
    fn a_user_signed_action_is_hashed_as_hypersdk_hashes_it(draft in user_draft()) {
        prop_assume!(draft.kind != "withdraw3");
        let lower = |(name, kind, value): (_, _, String)| {
            (name, kind, if value.starts_with("\"0x") { value.to_lowercase() } else { value })
        };
        let draft = UserDraft {
            signature_chain_id: match draft.network {
                Network::Mainnet => 0xa4b1,
                Network::Testnet => 0x66eee,
            },
            members: draft.members.into_iter().map(lower).collect(),
            ..draft
        };
        let (digest, _) = decoded(Form::UserJson, &draft.envelope(), draft.json().as_bytes());
        prop_assert_eq!(digest, by_hypersdk(&draft.envelope(), &draft.json()), "{}", draft.json());
    }
}
