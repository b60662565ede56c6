//! User-signed actions that move funds or hand out rights.

use venues::book_value::AnyOr;
use venues::hyperliquid::rules::{AgentLimits, Limits, Transfer, TransferLimits};
use venues::hyperliquid::{Claims, Content, Form};
use wire::{Refusal, Shown, Why};

use crate::refusals::{ENVELOPE, LIMITS, ME, VAULT, user};
use crate::vectors::{E8, NOW, payload, with_decoded, with_payload};

pub(crate) const CLASS_TRANSFER: &str = r#"{"type":"usdClassTransfer","signatureChainId":"0xa4b1","hyperliquidChain":"Mainnet","amount":"7","toPerp":true,"nonce":1790000005000}"#;
pub(crate) const SEND_ASSET: &str = r#"{"type":"sendAsset","signatureChainId":"0xa4b1","hyperliquidChain":"Mainnet","destination":"0x1111111111111111111111111111111111111111","sourceDex":"spot","destinationDex":"xyz","token":"USDC:0x02","amount":"5","fromSubAccount":"","nonce":1790000005000}"#;
pub(crate) const APPROVE_AGENT: &str = r#"{"type":"approveAgent","signatureChainId":"0xa4b1","hyperliquidChain":"Mainnet","agentAddress":"0x4444444444444444444444444444444444444444","agentName":"desk","nonce":1790000005000}"#;
const APPROVE_BUILDER_FEE: &str = r#"{"type":"approveBuilderFee","signatureChainId":"0xa4b1","hyperliquidChain":"Mainnet","maxFeeRate":"0.01%","builder":"0x2222222222222222222222222222222222222222","nonce":1790000005000}"#;

const ALL: [&str; 4] = [CLASS_TRANSFER, SEND_ASSET, APPROVE_AGENT, APPROVE_BUILDER_FEE];

fn refused(action: &str) -> Refusal {
    user(action).unwrap_err().refusal
}

fn digest(action: &str) -> [u8; 32] {
    use venues::Payload as _;
    with_decoded(Form::UserJson, action.as_bytes(), |action| action.unwrap().label())
}

#[test]
fn what_the_tests_below_are_made_of_is_granted() {
    for action in ALL {
        assert_eq!(user(action), Ok(()), "{action}");
    }
}

#[test]
fn a_class_transfer_above_the_cap_is_denied() {
    let shown = |units| Shown::Decimal { units, scale: 8 };
    assert_eq!(
        user(&CLASS_TRANSFER.replace("\"7\"", "\"7.00000001\"")),
        Err(Why::new(Refusal::TransferAboveCap).observed(shown(7 * E8 + 1)).limit(shown(7 * E8)))
    );
}

#[test]
fn a_class_transfer_of_a_sub_account_needs_that_account_in_its_entry() {
    let of = |account: &str| CLASS_TRANSFER.replace("\"7\"", &format!("\"7 subaccount:0x{account}\""));
    assert_eq!(user(&of(&"66".repeat(20))), Ok(()));
    // That the key trades for an account does not let it move the account's funds.
    assert_eq!(LIMITS.vaults, [VAULT]);
    for (text, account) in [("77", VAULT), ("67", [0x67; 20])] {
        assert_eq!(
            user(&of(&text.repeat(20))),
            Err(Why::new(Refusal::VaultNotAllowed).observed(Shown::Address(account)))
        );
    }
    for (text, refusal) in [
        ("7 subaccount:0x77", Refusal::ActionAddressMalformed),
        ("7 subaccount:", Refusal::ActionAddressMalformed),
        ("7  subaccount:0x7777777777777777777777777777777777777777", Refusal::DecimalNotCanonical),
        ("7 Subaccount:0x7777777777777777777777777777777777777777", Refusal::DecimalNotCanonical),
        ("7.0", Refusal::DecimalNotCanonical),
        ("7 ", Refusal::DecimalNotCanonical),
    ] {
        assert_eq!(refused(&CLASS_TRANSFER.replace("\"7\"", &format!("\"{text}\""))), refusal, "{text}");
    }
}

#[test]
fn an_asset_goes_to_listed_destinations_over_listed_dexes_out_of_listed_accounts() {
    let asset = |from: &str, to: &str| user(&SEND_ASSET.replace(from, to)).map_err(|why| why.refusal);
    let stranger = "9".repeat(40);
    assert_eq!(asset(&"1".repeat(40), &stranger), Err(Refusal::DestinationNotAllowed));
    assert_eq!(asset(&"1".repeat(40), &"ee".repeat(20)), Ok(()));
    assert_eq!(asset("USDC:0x02", "USDC:0x03"), Err(Refusal::TransferTokenNotAllowed));
    assert_eq!(asset("\"5\"", "\"5.1\""), Err(Refusal::TransferAboveCap));
    assert_eq!(asset("\"spot\"", "\"\""), Err(Refusal::DexNotAllowed));
    assert_eq!(asset("\"xyz\"", "\"spot\""), Err(Refusal::DexNotAllowed));
    assert_eq!(asset("\"xyz\"", "\"\""), Ok(()));
    let sub_account = |text: &str| asset("Account\":\"\"", &format!("Account\":\"{text}\""));
    assert_eq!(sub_account(&format!("0x{}", "6".repeat(40))), Ok(()));
    assert_eq!(sub_account(&format!("0x{}", "7".repeat(40))), Err(Refusal::VaultNotAllowed));
    assert_eq!(sub_account("0x"), Err(Refusal::ActionAddressMalformed));
    assert_eq!(asset("spot", "sp ot"), Err(Refusal::NameNotSupported));
}

#[test]
fn each_token_is_held_to_the_entry_that_names_it() {
    use venues::Payload as _;
    let entry = |action, tokens, amount_max| TransferLimits {
        action,
        destinations: &[[0x11; 20]],
        amount_max,
        tokens,
        usd_max: None,
        source_dexes: &["spot"],
        destination_dexes: &["xyz"],
        sub_accounts: &[],
    };
    let transfers = [
        entry(Transfer::SendAsset, &["USDC:0x02"], 10_000 * E8),
        entry(Transfer::SendAsset, &["UBTC:0x03"], E8 / 10),
        entry(Transfer::SpotSend, &["UETH:0x04"], 10_000 * E8),
    ];
    let limits = Limits { transfers: &transfers, ..LIMITS };
    for (token, amount, expected) in [
        ("USDC:0x02", "10000", Ok(())),
        ("USDC:0x02", "10000.1", Err(Refusal::TransferAboveCap)),
        ("UBTC:0x03", "0.1", Ok(())),
        ("UBTC:0x03", "0.10000001", Err(Refusal::TransferAboveCap)),
        ("UBTC:0x03", "10000", Err(Refusal::TransferAboveCap)),
        ("UETH:0x04", "1", Err(Refusal::TransferTokenNotAllowed)),
    ] {
        let action = SEND_ASSET.replace("USDC:0x02", token).replace("\"5\"", &format!("\"{amount}\""));
        let judged = with_decoded(Form::UserJson, action.as_bytes(), |action| {
            action.unwrap().judge(&limits, &ME, NOW).map(|_| ()).map_err(|why| why.refusal)
        });
        assert_eq!(judged, expected, "{token} {amount}");
    }
}

#[test]
fn a_stranger_is_approved_neither_as_an_agent_nor_as_a_builder() {
    let stranger = APPROVE_AGENT.replace(&"4".repeat(40), &"3".repeat(40));
    assert_eq!(user(&stranger), Err(Why::new(Refusal::AgentNotAllowed).observed(Shown::Address([0x33; 20]))));
    // The key itself is no agent unless the book says so.
    assert_eq!(refused(&APPROVE_AGENT.replace(&"4".repeat(40), &"ee".repeat(20))), Refusal::AgentNotAllowed);
    assert_eq!(ME, [0xee; 20]);
    let builder = APPROVE_BUILDER_FEE.replace(&"2".repeat(40), &"3".repeat(40));
    assert_eq!(refused(&builder), Refusal::BuilderNotAllowed);
}

#[test]
fn an_agent_without_a_name_signs_as_one_with_the_empty_name() {
    let absent = APPROVE_AGENT.replace("\"agentName\":\"desk\",", "");
    let null = APPROVE_AGENT.replace("\"desk\"", "null");
    let empty = APPROVE_AGENT.replace("desk", "");
    assert_eq!(digest(&absent), digest(&empty));
    assert_eq!(digest(&null), digest(&empty));
    assert_ne!(digest(APPROVE_AGENT), digest(&empty));
    for action in [&absent, &null, &empty] {
        assert_eq!(user(action), Ok(()), "{action}");
        with_decoded(Form::UserJson, action.as_bytes(), |action| {
            let action = action.unwrap();
            let Content::ApproveAgent(approval) = action.content() else {
                panic!("an approveAgent");
            };
            assert_eq!(approval.name, "");
        });
    }
    let twice = APPROVE_AGENT.replace("\"desk\"", "null,\"agentName\":\"desk\"");
    assert_eq!(refused(&twice), Refusal::JsonMemberRepeated);
    assert_eq!(refused(&APPROVE_AGENT.replace("\"desk\"", "nul")), Refusal::JsonMalformed);
    // No other text may be null.
    assert_eq!(refused(&SEND_ASSET.replace("\"xyz\"", "null")), Refusal::FieldTypeNotExpected);
}

#[test]
fn an_agents_name_is_the_books_or_any_if_it_says_so() {
    let until = APPROVE_AGENT.replace("desk", "desk valid_until 1790000000000");
    assert_eq!(refused(&until), Refusal::AgentNameNotAllowed);
    let approve_agent = Some(AgentLimits { agents: &[[0x44; 20]], names: AnyOr::Any });
    let limits = Limits { approve_agent, ..LIMITS };
    let judged =
        with_payload(Form::UserJson, &payload(&ENVELOPE, &Claims::default(), until.as_bytes()), |action| {
            use venues::Payload as _;
            action.unwrap().judge(&limits, &ME, NOW).map(|_| ())
        });
    assert_eq!(judged, Ok(()));
}

#[test]
fn the_case_of_an_address_that_is_hashed_as_bytes_does_not_matter() {
    let lower = APPROVE_AGENT.replace(&"4".repeat(40), &"ab".repeat(20));
    let mixed = APPROVE_AGENT.replace(&"4".repeat(40), &"aB".repeat(20));
    assert_eq!(digest(&lower), digest(&mixed));
    let lower = SEND_ASSET.replace(&"1".repeat(40), &"ab".repeat(20));
    let mixed = SEND_ASSET.replace(&"1".repeat(40), &"aB".repeat(20));
    assert_ne!(digest(&lower), digest(&mixed));
}

#[test]
fn a_builders_rate_is_read_exactly_and_capped() {
    let rate = |text: &str| user(&APPROVE_BUILDER_FEE.replace("0.01%", text)).map_err(|why| why.refusal);
    for text in ["0%", "0.001%", "0.00999999%", "0.01%"] {
        assert_eq!(rate(text), Ok(()), "{text}");
    }
    for text in ["0.01000001%", "0.1%", "1%", "100%"] {
        assert_eq!(rate(text), Err(Refusal::BuilderFeeAboveCap), "{text}");
    }
    for text in
        ["0.010%", "0.01", "0.01%%", "%", "", ".01%", "1e-2%", "0.01 %", "+0.01%", "-0.01%", "0.000000001%"]
    {
        assert_eq!(rate(text), Err(Refusal::DecimalNotCanonical), "{text}");
    }
}

#[test]
fn each_action_needs_its_own_grant_and_a_granted_chain() {
    use venues::Payload as _;
    let limits = Limits { transfers: &[], approve_agent: None, approve_builder_fee: None, ..LIMITS };
    for action in ALL {
        let judged = with_decoded(Form::UserJson, action.as_bytes(), |action| {
            action.unwrap().judge(&limits, &ME, NOW).map(|_| ())
        });
        assert_eq!(judged, Err(Refusal::ActionNotAllowed.into()), "{action}");
        assert_eq!(refused(&action.replace("0xa4b1", "0x1")), Refusal::SignatureChainNotAllowed);
    }
}

#[test]
fn a_member_of_another_action_is_not_known_here() {
    for (action, member) in [
        (CLASS_TRANSFER, "\"destination\":\"0x1111111111111111111111111111111111111111\""),
        (CLASS_TRANSFER, "\"time\":1790000005000"),
        (SEND_ASSET, "\"toPerp\":true"),
        (SEND_ASSET, "\"time\":1790000005000"),
        (APPROVE_AGENT, "\"amount\":\"1\""),
        (APPROVE_BUILDER_FEE, "\"agentName\":null"),
    ] {
        let action = action.replacen('{', &format!("{{{member},"), 1);
        assert_eq!(refused(&action), Refusal::FieldNotKnown, "{action}");
    }
}

#[test]
fn a_claim_of_another_primary_type_is_refused() {
    for (action, own) in
        ALL.iter().zip(["UsdClassTransfer", "SendAsset", "ApproveAgent", "ApproveBuilderFee"])
    {
        for claimed in ["UsdClassTransfer", "SendAsset", "ApproveAgent", "ApproveBuilderFee", "UsdSend"] {
            let primary_type = format!("HyperliquidTransaction:{claimed}");
            let claims = Claims { primary_type: Some(&primary_type), ..Claims::default() };
            let refusal =
                with_payload(Form::UserJson, &payload(&ENVELOPE, &claims, action.as_bytes()), |action| {
                    action.err().map(|why| why.refusal)
                });
            assert_eq!(refusal, (claimed != own).then_some(Refusal::ClaimDiffers), "{own} {claimed}");
        }
    }
}
