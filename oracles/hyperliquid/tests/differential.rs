//! The decoder hashes what the venue's SDK, serde's msgpack and alloy's EIP-712 hash.

#![cfg(test)]

#[path = "differential/drafts.rs"]
mod drafts;

use alloy_dyn_abi::TypedData;
use chrono::DateTime;
use drafts::{L1Draft, TransferDraft, l1_draft, transfer_draft};
use hypersdk::hypercore::Chain;
use hypersdk::hypercore::api::Action;
use proptest::prelude::*;
use serde_json::{Value, json};
use venues::Payload as _;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Envelope, Form, Scratch, decode};

/// Digest and canonical bytes by the decoder under test.
fn decoded(form: Form, envelope: &Envelope, action: &[u8]) -> ([u8; 32], Vec<u8>) {
    let mut head = [0; ENVELOPE_SIZE_MAX];
    let size = envelope.write(&Claims::default(), &mut head).unwrap();
    let payload = [&head[..size], action].concat();
    let mut scratch = Box::new(Scratch::new());
    let action = decode(form, &payload, &mut scratch).unwrap_or_else(|why| panic!("{why:?}"));
    (action.label(), action.canonical().to_vec())
}

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

fn by_alloy(transfer: &TransferDraft) -> [u8; 32] {
    let action: Value = serde_json::from_str(&transfer.json()).unwrap();
    let text = |name: &str| json!({"name": name, "type": "string"});
    let mut fields = vec![text("hyperliquidChain"), text("destination")];
    if transfer.kind == "spotSend" {
        fields.push(text("token"));
    }
    fields.extend([text("amount"), json!({"name": "time", "type": "uint64"})]);
    // withdraw3 signs as "Withdraw".
    let primary_type = match transfer.kind {
        "usdSend" => "HyperliquidTransaction:UsdSend",
        "spotSend" => "HyperliquidTransaction:SpotSend",
        _ => "HyperliquidTransaction:Withdraw",
    };
    let typed_data: TypedData = serde_json::from_value(json!({
        "types": {
            "EIP712Domain": [
                text("name"),
                text("version"),
                {"name": "chainId", "type": "uint256"},
                {"name": "verifyingContract", "type": "address"},
            ],
            primary_type: fields,
        },
        "primaryType": primary_type,
        "domain": {
            "name": "HyperliquidSignTransaction",
            "version": "1",
            "chainId": format!("{:#x}", transfer.signature_chain_id),
            "verifyingContract": "0x0000000000000000000000000000000000000000",
        },
        "message": action,
    }))
    .unwrap();
    typed_data.eip712_signing_hash().unwrap().0
}

proptest! {
    #[test]
    fn an_l1_action_is_hashed_as_hypersdk_hashes_it(draft in l1_draft()) {
        let L1Draft { envelope, action } = draft;
        let text = serde_json::to_string(&action).unwrap();
        let (digest, _) = decoded(Form::L1Json, &envelope, text.as_bytes());
        prop_assert_eq!(digest, by_hypersdk(&envelope, &text), "{}", text);
    }

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
    fn a_transfer_of_any_chain_is_hashed_as_alloy_hashes_its_typed_data(transfer in transfer_draft()) {
        let (digest, _) = decoded(Form::UserJson, &transfer.envelope(), transfer.json().as_bytes());
        prop_assert_eq!(digest, by_alloy(&transfer));
    }

    /// hypersdk 0.3.0 signs withdraw3 under a type name of its own ("Withdraw3"), takes the domain's chain id
    /// from the network instead of signatureChainId, and hashes the destination in lower case whatever was
    /// posted; so those are left to alloy.
    #[test]
    fn a_transfer_is_hashed_as_hypersdk_hashes_it(transfer in transfer_draft()) {
        prop_assume!(transfer.kind != "withdraw3");
        let transfer = TransferDraft {
            signature_chain_id: match transfer.network {
                Network::Mainnet => 0xa4b1,
                Network::Testnet => 0x66eee,
            },
            destination: transfer.destination.to_lowercase(),
            ..transfer
        };
        let (digest, _) = decoded(Form::UserJson, &transfer.envelope(), transfer.json().as_bytes());
        prop_assert_eq!(digest, by_hypersdk(&transfer.envelope(), &transfer.json()), "{}", transfer.json());
    }
}
