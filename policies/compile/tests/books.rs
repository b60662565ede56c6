//! A good desk compiles to exactly the book that it says, in the venues' own units.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use book::{BOOK_VERSION, Book, BootMode, Slot, policy_hash};
use compile::{compile, pda, source};
use venues::evm::rules as evm;
use venues::hyperliquid::rules as hyperliquid;
use venues::solana::rules as solana;
use venues::{Address, Grants, PublicKey, U256};

const DESK: &str = include_str!("desk.toml");

fn desk() -> &'static Book<'static> {
    compile("desk.toml", DESK).unwrap()
}

fn slot(number: u16) -> &'static Slot<'static> {
    desk().slot(number).unwrap()
}

fn address(digits: &str) -> Address {
    let value: U256 = format!("0x{digits}").parse().unwrap();
    value.to_be_bytes::<32>()[12..].try_into().unwrap()
}

fn treasury() -> Address {
    address("9D8EF98e161a9fB2AB184eC539aD7A3095150d9C")
}

#[test]
fn the_top_is_as_written_and_the_slots_stand_by_number() {
    let book = desk();
    assert_eq!(book.version, BOOK_VERSION);
    assert_eq!(book.desk, "test-desk");
    assert_eq!(book.boot_mode, BootMode::Live);
    let slots: Vec<_> = book.slots.iter().map(|slot| (slot.slot, slot.name)).collect();
    assert_eq!(slots, [(3, "hyperliquid"), (7, "evm"), (9, "drift")]);
}

#[test]
fn the_address_of_a_secp256k1_key_is_derived() {
    let PublicKey::Secp256k1 { compressed, address: derived } = slot(7).public_key else {
        panic!("a secp256k1 key");
    };
    assert_eq!(compressed[..3], [0x02, 0x20, 0xb9]);
    assert_eq!(derived, address("4a9A1FB490401a4Ae65ceB3d3D345bcFd31220DD"));
}

/// The key of secret 1 and its address, as every Ethereum library gives them.
#[test]
fn the_address_of_the_generator_is_the_published_one() {
    let mut compressed = [0; 33];
    compressed[0] = 0x02;
    let x: U256 = "0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798".parse().unwrap();
    compressed[1..].copy_from_slice(&x.to_be_bytes::<32>());
    let expected =
        PublicKey::Secp256k1 { compressed, address: address("7E5F4552091A69125d5DfCb7b8C2659029395Bdf") };
    assert_eq!(compile::keys::secp256k1(&compressed), Some(expected));
}

#[test]
fn evm_rules_are_in_wei_and_base_units() {
    let usdc = address("A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
    let weth = address("C02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2");
    let expected = evm::Limits {
        chains: &[1, 10],
        fee_per_gas_max: U256::from(1_500_000_000),
        gas_limit_max: 500_000,
        transaction_fee_max: U256::from(1_000_000),
        access_list_entries_max: 0,
        native: &[evm::NativeLimits { chains: &[1], recipients: &[treasury()], value_max: U256::MAX }],
        tokens: &[evm::TokenLimits {
            chains: &[1, 10],
            tokens: &[usdc, weth],
            transfer: Some(evm::TransferLimits { recipients: &[], amount_max: U256::from(5) }),
            approve: Some(evm::ApproveLimits {
                spenders: &[address("68b3465833fb72A70ecDF485E0e4C7bD8665Fc45")],
                amount_max: U256::from(6),
            }),
            transfer_from: Some(evm::TransferFromLimits {
                owners: &[treasury()],
                recipients: &[],
                amount_max: U256::from(7),
            }),
            permit: None,
            revoke: false,
        }],
        swaps: &[evm::SwapLimits {
            chains: &[1],
            routers: &[address("E592427A0AEce92De3Edee1F18E0157C05861564")],
            router: evm::Router::SwapRouter,
            tokens_in: &[usdc],
            tokens_out: &[weth],
            intermediates: &[],
            pool_fees: &[500],
            recipients: &[],
            amount_in_max: U256::from(8),
            out_per_in_min: evm::Ratio { numerator: U256::from(9), denominator: U256::from(10) },
            deadline_ahead_max_s: 60,
            exact_output: false,
            native: false,
            fee_on_transfer: false,
            multicall: false,
            portion: None,
        }],
        weth: &[],
        permit2: &[],
        cancel: false,
    };
    assert_eq!(slot(7).grants, Grants { evm: Some(expected), ..Grants::NONE });
}

#[test]
fn hyperliquid_rules_are_in_the_venues_finest_unit() {
    let expected = hyperliquid::Limits {
        networks: &[hyperliquid::Network::Testnet],
        without_vault: false,
        vaults: &[treasury()],
        nonce_behind_max_ms: 5_000,
        nonce_ahead_max_ms: 1_000,
        order: Some(hyperliquid::OrderLimits {
            assets: &[hyperliquid::AssetLimits {
                asset: 5,
                size_max: 150_000_000,
                price_min: 1,
                price_max: 200_000_000,
                notional_max: 32_500_000_000_000_000,
                leverage_max: 0,
            }],
            tifs: &[
                hyperliquid::TimeInForce::Alo,
                hyperliquid::TimeInForce::Ioc,
                hyperliquid::TimeInForce::Gtc,
                hyperliquid::TimeInForce::FrontendMarket,
            ],
            triggers: false,
            groupings: &[hyperliquid::Grouping::Na],
            builders: &[treasury()],
            builder_fee_max: 10,
            orders_max: 4,
            action_notional_max: 1,
        }),
        cancel: true,
        cancel_assets: &[10_107],
        transfers: &[hyperliquid::TransferLimits {
            action: hyperliquid::Transfer::SpotSend,
            destinations: &[],
            amount_max: 450_000_000,
            tokens: &["PURR:0xc1fb593aeffbeb02f85e0308e9956a90"],
        }],
        signature_chain_ids: &[0xa4b1, 0x66eee],
    };
    assert_eq!(slot(3).grants, Grants { hyperliquid: Some(expected), ..Grants::NONE });
}

#[test]
fn any_pool_fee_is_a_word_and_the_longest_deadline_90_days() {
    let text = DESK
        .replace("pool_fees = [500]", "pool_fees = \"any\"")
        .replace("deadline_ahead_max_s = 60", "deadline_ahead_max_s = 7_776_000");
    let book = compile("desk.toml", &text).unwrap();
    let swaps = book.slot(7).unwrap().grants.evm.unwrap().swaps;
    assert_eq!((swaps[0].pool_fees, swaps[0].deadline_ahead_max_s), (&[][..], 7_776_000));
}

#[test]
fn a_key_that_only_moves_funds_needs_no_vault() {
    let (before, rest) = DESK.split_once("vaults = [").unwrap();
    let (vault, rest) = rest.split_once("\n").unwrap();
    let (window, rest) = rest.split_once("cancel = true\ncancel_assets = [10_107]\n").unwrap();
    let (chains, rest) = rest.split_once("[slots.hyperliquid.order]").unwrap();
    let (_, transfers) = rest.split_once("[[slots.hyperliquid.transfers]]").unwrap();
    assert!(vault.contains("0x"));
    let text = format!("{before}{window}{chains}[[slots.hyperliquid.transfers]]{transfers}");
    let limits = compile("desk.toml", &text).unwrap().slot(3).unwrap().grants.hyperliquid.unwrap();
    assert!(!limits.without_vault && limits.vaults.is_empty());
    assert_eq!(limits.transfers.len(), 1);
}

#[test]
fn solana_rules_pin_the_accounts_of_the_slots_own_key() {
    let PublicKey::Ed25519 { key: authority } = slot(9).public_key else {
        panic!("an Ed25519 key");
    };
    let market = |kind, base_max, price_min, price_max, unpriced| solana::MarketLimits {
        kind,
        index: 13,
        account: pda::drift_market(kind, 13).unwrap(),
        base_max,
        price_min,
        price_max,
        unpriced,
    };
    let expected = solana::Limits {
        programs: &[solana::ProgramLimits {
            program: solana::Program::DriftV2,
            state: pda::drift_state().unwrap(),
            users: &[solana::UserAccount {
                authority,
                sub_account: 0,
                user: pda::drift_user(&authority, 0).unwrap(),
                user_stats: pda::drift_user_stats(&authority).unwrap(),
            }],
            markets: &[
                market(solana::MarketKind::Perp, 500_000_000, 1, 2_500_000, false),
                market(solana::MarketKind::Spot, 500_000, 1_000_000, 2_000_000, true),
            ],
            orders: true,
            modify: Some(solana::ModifyLimits {
                base_max: 11,
                price_min: 500_000,
                price_max: 1_000_000_000,
                unpriced: true,
            }),
            cancel: false,
            settle_pnl: false,
            order_bits: 1,
        }],
        priority_fee_max: 100,
        placements_max: 2,
        orders_max: 3,
    };
    assert_eq!(slot(9).grants, Grants { solana: Some(expected), ..Grants::NONE });
}

#[test]
fn the_same_book_in_other_words_has_the_same_hash() {
    let text = DESK
        .replace("0x7a120", "\"500_000\"")
        .replace("\"1.5 gwei\"", "1_500_000_000")
        .replace("size_max = \"1.5\"", "size_max = \"1.50000000\" # base units")
        .replace("price_max = 2\nnotional", "price_max = \"2.0\"\nnotional")
        .replace("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "0xA0B86991C6218B36C1D19D4A2E9EB0CE3606EB48")
        .replace("orders = true", "settle_pnl = false\norders = true");
    assert_ne!(text, DESK);
    let other = compile("other.toml", &text).unwrap();
    assert_eq!(policy_hash(other), policy_hash(desk()));
    assert_eq!(source::module(other), source::module(desk()));
}

/// How the source looks; that it compiles to the same value is a test of `policies`.
#[test]
fn const_source_is_one_value_a_line_with_full_paths() {
    let transfers = slot(3).grants.hyperliquid.unwrap().transfers;
    let expected = r#"&[
    ::venues::hyperliquid::rules::TransferLimits {
        action: ::venues::hyperliquid::rules::Transfer::SpotSend,
        destinations: &[
        ],
        amount_max: 450000000,
        tokens: &[
            "PURR:0xc1fb593aeffbeb02f85e0308e9956a90",
        ],
    },
]"#;
    assert_eq!(source::expression(&transfers), expected);
}

#[test]
fn every_grant_of_swaps_weth_and_permit2_is_read() {
    const ADDRESS: &str = "\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"";
    let swap = |router: &str, more: &str| {
        format!(
            "[[slots.evm.swaps]]\nchains = [1]\nrouters = [{ADDRESS}]\nrouter = \"{router}\"\ntokens_in = [{ADDRESS}]\n\
             tokens_out = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]\nintermediates = [{ADDRESS}]\n\
             amount_in_max = 1\nout_per_in_min = {{ numerator = 1, denominator = 1 }}\nnative = true\n\
             exact_output = true\n{more}\n"
        )
    };
    let text = [
        include_str!("desk.toml").split("[[slots.evm.native]]").next().unwrap().to_owned(),
        "cancel = true\n".to_owned(),
        swap("SwapRouter02", "pool_fees = \"any\"\nmulticall = true\ndeadline_ahead_max_s = 61"),
        swap("V2Router", "fee_on_transfer = true\ndeadline_ahead_max_s = 62"),
        swap("UniversalRouter 2.1.1", &format!(
            "pool_fees = [500]\ndeadline_ahead_max_s = 63\nportion = {{ recipients = [{ADDRESS}], bips_max = 25 }}"
        )),
        format!("[[slots.evm.weth]]\nchains = [1]\ncontract = {ADDRESS}\ndeposit_max = \"1 gwei\"\n"),
        format!(
            "[[slots.evm.permit2]]\nchains = [1]\ncontracts = [{ADDRESS}]\nrevoke = true\napprove = \
             {{ tokens = [{ADDRESS}], spenders = [{ADDRESS}], amount_max = 9, expiration_ahead_max_s = 64 }}\n"
        ),
        format!(
            "[[slots.evm.tokens]]\nchains = [1]\ntokens = [{ADDRESS}]\nrevoke = true\n\
             permit = {{ spenders = [{ADDRESS}], amount_max = 9, deadline_ahead_max_s = 65 }}\n"
        ),
    ]
    .concat();
    let book = compile::compile("desk.toml", &text).unwrap();
    let limits = book.slots[0].grants.evm.unwrap();
    assert!(limits.cancel);
    let [first, second, third] = limits.swaps else { panic!("three entries") };
    assert_eq!(
        (first.router, first.multicall, first.deadline_ahead_max_s),
        (evm::Router::SwapRouter02, true, 61)
    );
    assert!(first.native && first.exact_output && !first.fee_on_transfer && first.portion.is_none());
    assert_eq!(
        (second.router, second.fee_on_transfer, second.pool_fees),
        (evm::Router::V2Router, true, &[][..])
    );
    assert_eq!(third.router, evm::Router::UniversalRouterV2_1_1);
    assert_eq!(third.portion.unwrap(), evm::PortionLimits { recipients: &[treasury()], bips_max: 25 });
    let weth = evm::WethLimits {
        chains: &[1],
        contract: treasury(),
        deposit_max: Some(U256::from(1_000_000_000)),
        withdraw_max: None,
    };
    assert_eq!(limits.weth, [weth]);
    assert!(limits.permit2[0].revoke && limits.tokens[0].revoke);
    assert_eq!(limits.permit2[0].approve.unwrap().expiration_ahead_max_s, 64);
    assert_eq!(limits.tokens[0].permit.unwrap().deadline_ahead_max_s, 65);
}
