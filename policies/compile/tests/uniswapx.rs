//! The UniswapX rules of a book: what a desk writes is what the vault holds, and each fault is told where it is.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use compile::{Rule, compile};
use venues::U256;
use venues::uniswapx::PERMIT2;
use venues::uniswapx::rules::{FeeLimits, Limits, OrderType, Ratio};

const DESK: &str = r#"version = 1
desk = "swaps"
boot_mode = "live"
clients = [{ name = "bot", public_key = { x25519 = "0x3962653503c55e587bb66a98fa92c62e2bc29d53d16db33cb528e0ceb3797521" }, may = [{ key = 0, venues = "any" }] }]
[[slots]]
slot = 0
name = "swaps"
public_key = { secp256k1 = "0x0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6" }
[slots.uniswapx]
chains = [1, 8453]
permit2 = ["0x000000000022D473030F116dDEE9F6B43aC78BA3"]
deadline_ahead_max_s = 600
validation_contracts = ["0x0000000000000000000000000000000000000009"]
[[slots.uniswapx.reactors]]
order = "V2Dutch"
chains = [1]
reactors = ["0x00000011F84B9aa48e5f8aA8B9897600006289Be"]
cosigners = ["0x4449Cd34d1eb1FEDCF02A1Be3834FfDe8E6A6180"]
[[slots.uniswapx.reactors]]
order = "Priority"
chains = [8453]
reactors = ["0x000000001Ec5656dcdB24D90DFa42742738De729"]
[[slots.uniswapx.reactors]]
order = "ExclusiveDutch"
chains = [1]
reactors = ["0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4"]
exclusive_fillers = ["0x0000000000000000000000000000000000000005"]
[[slots.uniswapx.swaps]]
chains = [1]
tokens_in = ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]
tokens_out = ["0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"]
amount_in_max = 2_000_000_000
out_per_in_min = { numerator = 200_000_000, denominator = 1 }
fees = { recipients = ["0x0000000000000000000000000000000000000007"], share_max_bps = 25 }
[[slots.uniswapx.swaps]]
chains = [1, 8453]
tokens_in = ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"]
native_out = true
amount_in_max = 3
out_per_in_min = { numerator = 1, denominator = 2 }
[[slots.uniswapx.relays]]
chains = [1]
reactors = ["0x0000000000A4e21E2597DCac987455c48b12edBF"]
tokens = ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]
amount_max = 4
fee_tokens = ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]
fee_max = 5
[[slots.uniswapx.allowances]]
chains = [1]
spenders = ["0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af"]
tokens = ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]
amount_max = 6
expiration_ahead_max_s = 3600
[[slots.uniswapx.transfers]]
chains = [1]
spenders = ["0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af"]
tokens = ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]
amount_max = 7
"#;

fn limits(text: &str) -> Limits<'static> {
    compile("desk.toml", text).unwrap().slots[0].grants.uniswapx.unwrap()
}

#[test]
fn a_desk_is_held_as_it_is_written() {
    let limits = limits(DESK);
    assert_eq!(
        (limits.chains, limits.permit2, limits.deadline_ahead_max_s),
        (&[1, 8453][..], &[PERMIT2][..], 600)
    );
    let [v2, priority, exclusive] = limits.reactors else { panic!("{limits:?}") };
    assert_eq!((v2.order, v2.chains, v2.cosigners.len()), (OrderType::V2Dutch, &[1][..], 1));
    assert_eq!((priority.order, priority.cosigners.len()), (OrderType::Priority, 0));
    assert_eq!((exclusive.order, exclusive.exclusive_fillers.len()), (OrderType::ExclusiveDutch, 1));
    let [swap, to_native] = limits.swaps else { panic!("{limits:?}") };
    assert_eq!(swap.amount_in_max, U256::from(2_000_000_000_u64));
    assert_eq!(swap.out_per_in_min, Ratio { numerator: U256::from(200_000_000), denominator: U256::ONE });
    let mut recipient = [0; 20];
    recipient[19] = 7;
    let fees = FeeLimits { recipients: &[recipient], share_max_bps: 25, other_tokens: false };
    assert_eq!((swap.fees, swap.native_out, swap.same_token), (Some(fees), false, false));
    assert_eq!((to_native.fees, to_native.native_out, to_native.tokens_out.len()), (None, true, 0));
    assert_eq!((limits.relays[0].amount_max, limits.relays[0].fee_max), (U256::from(4), U256::from(5)));
    assert_eq!(limits.allowances[0].expiration_ahead_max_s, 3600);
    assert_eq!(limits.transfers[0].amount_max, U256::from(7));
}

/// One change to the desk and the faults it makes.
fn assert_fault(from: &str, to: &str, rules: &[Rule]) {
    assert_eq!(DESK.matches(from).count(), 1, "{from:?} stands once in the desk");
    let faults = compile("desk.toml", &DESK.replacen(from, to, 1)).unwrap_err();
    let told: Vec<_> = faults.iter().map(|fault| fault.rule).collect();
    assert_eq!(told, rules, "{faults:#?}");
}

#[test]
fn each_fault_is_told_by_its_rule() {
    let table: &[(&str, &str, &[Rule])] = &[
        ("permit2 = [\"0x000000000022D473030F116dDEE9F6B43aC78BA3\"]\n", "", &[Rule::MissingKey]),
        ("deadline_ahead_max_s = 600\n", "", &[Rule::MissingKey]),
        ("deadline_ahead_max_s = 600", "deadline_ahead_max_s = 7776001", &[Rule::TooLarge]),
        ("\"V2Dutch\"", "\"V4Dutch\"", &[Rule::UnknownValue]),
        ("cosigners = [\"0x4449Cd34d1eb1FEDCF02A1Be3834FfDe8E6A6180\"]\n", "", &[Rule::MissingKey]),
        ("\"0x4449Cd34d1eb1FEDCF02A1Be3834FfDe8E6A6180\"", "", &[Rule::EmptyList]),
        ("exclusive_fillers", "cosigners", &[Rule::UnusedKey]),
        ("\"Priority\"\n", "\"Priority\"\nexclusive_fillers = []\n", &[Rule::UnusedKey]),
        (
            "0x00000011F84B9aa48e5f8aA8B9897600006289Be",
            "0x0000000000000000000000000000000000000000",
            &[Rule::BadAddress],
        ),
        (
            "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
            "0x0000000000000000000000000000000000000000",
            &[Rule::BadAddress],
        ),
        ("chains = [8453]", "chains = [10]", &[Rule::UnreachableRule]),
        ("amount_in_max = 2_000_000_000\n", "", &[Rule::MissingKey]),
        ("amount_in_max = 2_000_000_000", "amount_in_max = 0", &[Rule::ZeroCap]),
        ("out_per_in_min = { numerator = 200_000_000, denominator = 1 }\n", "", &[Rule::MissingKey]),
        ("denominator = 1 }", "denominator = 0 }", &[Rule::ZeroDenominator]),
        ("amount_in_max = 2_000_000_000", "amount_in_max = 2\nnative_out = true", &[Rule::AmbiguousRatio]),
        ("native_out = true\n", "", &[Rule::UnreachableRule]),
        ("native_out = true", "native_out = 1", &[Rule::WrongType]),
        ("share_max_bps = 25", "share_max_bps = 10001", &[Rule::TooLarge]),
        ("share_max_bps = 25", "share_max_bps = 0", &[Rule::ZeroCap]),
        (", share_max_bps = 25", "", &[Rule::MissingKey]),
        ("fee_max = 5\n", "", &[Rule::MissingKey]),
        (
            "amount_max = 6",
            "amount_max = \"1461501637330902918203684832716283019655932542975\"",
            &[Rule::UnlimitedCap],
        ),
        (
            "amount_max = 7",
            "amount_max = \"115792089237316195423570985008687907853269984665640564039457584007913129639935\"",
            &[Rule::UnlimitedCap],
        ),
        ("expiration_ahead_max_s = 3600\n", "", &[Rule::MissingKey]),
        (
            "[[slots.uniswapx.relays]]",
            "[[slots.uniswapx.swaps]]\nchains = [8453]\ntokens_in = [\"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913\"]\n\
             native_out = true\namount_in_max = 9\nout_per_in_min = \"any\"\n\
             [[slots.uniswapx.relays]]",
            &[Rule::UnreachableRule],
        ),
    ];
    for (from, to, rules) in table {
        assert_fault(from, to, rules);
    }
}

#[test]
fn orders_need_both_reactors_and_swaps_and_something_must_be_granted() {
    let (head, _) = DESK.split_once("[[slots.uniswapx.reactors]]").unwrap();
    let faults = compile("desk.toml", head).unwrap_err();
    assert_eq!(faults[0].rule, Rule::EmptyGrants);
    let reactors = &DESK
        [DESK.find("[[slots.uniswapx.reactors]]").unwrap()..DESK.find("[[slots.uniswapx.swaps]]").unwrap()];
    let faults = compile("desk.toml", &format!("{head}{reactors}")).unwrap_err();
    assert_eq!(faults[0].rule, Rule::UnreachableRule);
}
