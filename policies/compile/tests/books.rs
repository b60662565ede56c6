//! A good desk compiles to exactly the book that it says, in the venues' own units.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use book::{BOOK_VERSION, Book, BootMode, Slot, policy_hash};
use compile::{compile, pda, source};
use venues::book_value::AnyOr;
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
        native: &[evm::NativeLimits {
            chains: &[1],
            recipients: &[treasury()],
            value_max: U256::MAX - U256::ONE,
        }],
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
            pool_fees: AnyOr::Listed(&[500]),
            recipients: &[],
            amount_in_max: U256::from(8),
            out_per_in_min: evm::Ratio { numerator: U256::from(9), denominator: U256::from(10) },
            deadline_ahead_max_s: 60,
            without_deadline: false,
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
                quote_usd_max: 1_010_000,
                leverage_max: 0,
                margin_add_max: 1_500_001,
                margin_remove_max: 0,
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
            priority_rate_max: Some(500),
            orders_max: 4,
            action_notional_max: 1,
            modify: true,
            twap: Some(hyperliquid::TwapLimits { minutes_min: 5, minutes_max: 90 }),
        }),
        cancel: true,
        cancel_assets: &[10_107],
        twap_cancel: true,
        schedule_cancel: Some(hyperliquid::ScheduleCancelLimits { ahead_max_ms: 60_000, clear: true }),
        vault_transfer: Some(hyperliquid::VaultTransferLimits {
            vaults: &[treasury()],
            deposit_max: 2_500_000,
            withdraw_max: 0,
        }),
        transfers: &[hyperliquid::TransferLimits {
            action: hyperliquid::Transfer::SpotSend,
            destinations: &[],
            amount_max: 450_000_000,
            tokens: &["PURR:0xc1fb593aeffbeb02f85e0308e9956a90"],
            usd_max: None,
            source_dexes: &[],
            destination_dexes: &[],
            sub_accounts: &[],
        }],
        approve_agent: Some(hyperliquid::AgentLimits {
            agents: &[treasury()],
            names: AnyOr::Listed(&["desk", ""]),
        }),
        approve_builder_fee: Some(hyperliquid::BuilderFeeLimits {
            builders: &[treasury()],
            rate_max: 1_000_001,
        }),
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
    assert_eq!((swaps[0].pool_fees, swaps[0].deadline_ahead_max_s), (AnyOr::Any, 7_776_000));
}

#[test]
fn a_key_that_only_moves_funds_needs_no_vault() {
    let (before, rest) = DESK.split_once("vaults = [").unwrap();
    let (vault, rest) = rest.split_once("\n").unwrap();
    let (window, rest) = rest.split_once("cancel = true\ncancel_assets = [10_107]\n").unwrap();
    let (_, rest) = rest.split_once("# user-signed\n").unwrap();
    let (chains, rest) = rest.split_once("[slots.hyperliquid.order]").unwrap();
    let (_, transfers) = rest.split_once("[[slots.hyperliquid.transfers]]").unwrap();
    assert!(vault.contains("0x"));
    let text = format!("{before}{window}{chains}[[slots.hyperliquid.transfers]]{transfers}");
    let limits = compile("desk.toml", &text).unwrap().slot(3).unwrap().grants.hyperliquid.unwrap();
    assert!(!limits.without_vault && limits.vaults.is_empty());
    assert_eq!(limits.transfers.len(), 1);
}

const DRIFT: solana::Program = solana::Program::DriftV2;

#[test]
fn a_key_may_do_one_thing_alone() {
    let (before, rest) = DESK.split_once("[slots.hyperliquid]").unwrap();
    let (_, after) = rest.split_once("[[slots]]").unwrap();
    let head = "[slots.hyperliquid]\nnetworks = [\"mainnet\"]\nwithout_vault = true\nnonce_behind_max_ms = 1\nnonce_ahead_max_ms = 1\n";
    let address = "0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C";
    for grant in [
        "schedule_cancel = { ahead_max_ms = 5 }".to_owned(),
        "twap_cancel = true\ncancel_assets = [1]".to_owned(),
        format!("vault_transfer = {{ vaults = [\"{address}\"], withdraw_max = \"0.000001\" }}"),
        format!("signature_chain_ids = [1]\napprove_agent = {{ agents = [\"{address}\"], names = \"any\" }}"),
        format!(
            "signature_chain_ids = [1]\napprove_builder_fee = {{ builders = [\"{address}\"], rate_percent_max = 1 }}"
        ),
        "signature_chain_ids = [1]\ntransfers = [{ action = \"usdClassTransfer\", amount_max = 1 }]".to_owned(),
        "signature_chain_ids = [1]\ntransfers = [{ action = \"sendAsset\", amount_max = 1, tokens = [\"USDC:0x6d1e7cde53ba9467b783cb7c530ce054\"], source_dexes = [\"\"], destination_dexes = [\"spot\"], sub_accounts = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"] }]".to_owned(),
        "signature_chain_ids = [1]\ntransfers = [{ action = \"spotSend\", amount_max = 1, tokens = [\"UBTC:0x8f254b963e8468305d409b33aa137c67\"] }, { action = \"spotSend\", amount_max = 9, tokens = [\"USDC:0x6d1e7cde53ba9467b783cb7c530ce054\"] }]".to_owned(),
    ] {
        let text = format!("{before}{head}{grant}\n\n[[slots]]{after}");
        assert!(compile("desk.toml", &text).is_ok(), "{grant}");
    }
}

#[test]
fn an_outcome_is_listed_by_the_id_of_its_side_with_a_collar_up_to_1() {
    let text = DESK.replace("asset = 5", "asset = 100_000_051").replace("price_max = 2\n", "price_max = 1\n");
    let order =
        compile("desk.toml", &text).unwrap().slot(3).unwrap().grants.hyperliquid.unwrap().order.unwrap();
    assert_eq!((order.assets[0].asset, order.assets[0].price_max), (100_000_051, 100_000_000));
}

#[test]
fn solana_rules_pin_the_accounts_of_the_slots_own_key() {
    let PublicKey::Ed25519 { key: authority } = slot(9).public_key else {
        panic!("an Ed25519 key");
    };
    let market = |kind, base_decimals, base_max, price_min, price_max| solana::MarketLimits {
        kind,
        index: 13,
        account: pda::market(DRIFT, kind, 13).unwrap(),
        base_decimals,
        base_max,
        price_min,
        price_max,
        unpriced: false,
        oracle_offset_max: None,
    };
    let expected = solana::Limits {
        programs: &[solana::ProgramLimits {
            program: solana::Program::DriftV2,
            state: pda::state(DRIFT).unwrap(),
            users: &[solana::UserAccount {
                authority,
                sub_account: 0,
                user: pda::user(DRIFT, &authority, 0).unwrap(),
                user_stats: pda::user_stats(DRIFT, &authority).unwrap(),
            }],
            markets: &[
                solana::MarketLimits {
                    oracle_offset_max: Some(250_000),
                    ..market(solana::MarketKind::Perp, 9, 500_000_000, 1, 2_500_000)
                },
                solana::MarketLimits {
                    unpriced: true,
                    ..market(solana::MarketKind::Spot, 6, 500_000, 1_000_000, 2_000_000)
                },
            ],
            orders: true,
            modify: Some(solana::ModifyLimits {
                base_max: 11,
                price_min: 500_000,
                price_max: 1_000_000_000,
                unpriced: true,
                partial: true,
            }),
            cancel: false,
            settle_pnl: false,
            order_bits: 1,
            signer: pda::signer(DRIFT).unwrap(),
            builders: None,
            collateral: &[],
            swift: None,
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
        usd_max: ::core::option::Option::None,
        source_dexes: &[
        ],
        destination_dexes: &[
        ],
        sub_accounts: &[
        ],
    },
]"#;
    assert_eq!(source::expression(&transfers), expected);
}

/// The desk's Solana slot with `more` put before its markets.
fn solana_book(more: &str) -> solana::Limits<'static> {
    let text =
        DESK.replace("orders = true\norder_bits = 1\n", &format!("orders = true\norder_bits = 1\n{more}\n"));
    let book = compile("desk.toml", &text).unwrap_or_else(|faults| panic!("{faults:?}"));
    book.slot(9).unwrap().grants.solana.unwrap()
}

#[test]
fn collateral_and_swift_are_read_with_their_accounts() {
    let PublicKey::Ed25519 { key: authority } = slot(9).public_key else {
        panic!("an Ed25519 key");
    };
    const MINT: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    const OTHER: &str = "5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN";
    let limits = solana_book(&format!(
        "builders = {{ indexes = [0, 7], fee_tenth_bps_max = 20 }}\n\
         swift = {{ delegated = [\"{OTHER}\"], slot_max = 400_000_000, isolated_deposit_max = 5, margin_ratio_min = 200, margin_ratio_max = 1_000 }}\n\
         collateral = [{{ market_index = 2, decimals = 6, deposit_max = \"1.5\", withdraw = {{ amount_max = 2, \
         destinations = [\"{OTHER}\"], own_account_of_mint = \"{MINT}\", borrow = true }} }}, \
         {{ market_index = 3, decimals = 0, usd_max = \"1.5\", deposit_max = 1 }}]"
    ));
    let program = limits.programs[0];
    let state = pda::state(DRIFT).unwrap();
    let mint = {
        // The same bytes by another reading: the mint stands as a key of the file.
        let text = DESK.replace("2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3", MINT);
        match compile("desk.toml", &text).unwrap().slot(9).unwrap().public_key {
            PublicKey::Ed25519 { key } => key,
            PublicKey::Secp256k1 { .. } => panic!("an Ed25519 key"),
        }
    };
    let own = pda::associated_token_account(&authority, &mint).unwrap();
    assert_eq!(program.builders, Some(solana::BuilderLimits { indexes: &[0, 7], fee_tenth_bps_max: 20 }));
    let margin_ratio = Some(solana::MarginRatioLimits { min: 200, max: 1_000 });
    let swift = solana::SwiftLimits {
        delegated: &[state],
        slot_max: 400_000_000,
        isolated_deposit_max: 5,
        margin_ratio,
    };
    assert_eq!(program.swift, Some(swift));
    let destinations: &[_] = &[state, own];
    let withdraw = solana::WithdrawLimits { amount_max: 2_000_000, destinations, borrow: true };
    let collateral = |index, decimals, usd_max, deposit_max, withdraw| solana::CollateralLimits {
        market_index: index,
        account: pda::market(DRIFT, solana::MarketKind::Spot, index).unwrap(),
        vault: pda::spot_market_vault(DRIFT, index).unwrap(),
        decimals,
        usd_max,
        deposit_max: Some(deposit_max),
        withdraw,
    };
    let expected: &[_] =
        &[collateral(2, 6, None, 1_500_000, Some(withdraw)), collateral(3, 0, Some(1_500_000), 1, None)];
    assert_eq!(program.collateral, expected);
}

#[test]
fn velocity_has_accounts_of_its_own() {
    let spot = DESK.find("[[slots.solana.programs.markets]]\nkind = \"spot\"").unwrap();
    let text = DESK[..spot].replace("DriftV2", "VelocityV1");
    let book = compile("desk.toml", &text).unwrap_or_else(|faults| panic!("{faults:?}"));
    let slot = book.slot(9).unwrap();
    let (PublicKey::Ed25519 { key: authority }, Some(limits)) = (slot.public_key, slot.grants.solana) else {
        panic!("an Ed25519 key with Solana grants");
    };
    let (program, velocity) = (limits.programs[0], solana::Program::VelocityV1);
    assert_eq!(program.program, velocity);
    assert_eq!(Some(program.state), pda::state(velocity));
    assert_ne!(program.state, pda::state(DRIFT).unwrap());
    assert_eq!(Some(program.users[0].user), pda::user(velocity, &authority, 0));
    assert_eq!(Some(program.markets[0].account), pda::market(velocity, solana::MarketKind::Perp, 13));
}

#[test]
fn every_grant_of_swaps_weth_and_permit2_is_read() {
    const ADDRESS: &str = "\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"";
    let swap = |contract: u8, router: &str, more: &str| {
        format!(
            "[[slots.evm.swaps]]\nchains = [1]\nrouters = [\"0x{}{contract:02}\"]\nrouter = \"{router}\"\ntokens_in = [{ADDRESS}]\n\
             tokens_out = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]\nintermediates = [{ADDRESS}]\n\
             amount_in_max = 1\nout_per_in_min = {{ numerator = 1, denominator = 1 }}\nnative = true\n\
             exact_output = true\n{more}\n",
            "9".repeat(38)
        )
    };
    let text = [
        include_str!("desk.toml").split("[[slots.evm.native]]").next().unwrap().replace(
            "    { key = 3, venues = [\"hyperliquid\"] },\n    { key = 9, venues = \"any\" },\n",
            "",
        ),
        "cancel = true\n".to_owned(),
        swap(1, "SwapRouter02", "without_deadline = true\npool_fees = \"any\"\nmulticall = true\ndeadline_ahead_max_s = 61"),
        swap(2, "V2Router", "fee_on_transfer = true\ndeadline_ahead_max_s = 62"),
        swap(3, "UniversalRouter 2.1.1", &format!(
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
    let book = compile("desk.toml", &text).unwrap();
    let limits = book.slots[0].grants.evm.unwrap();
    assert!(limits.cancel);
    let [first, second, third] = limits.swaps else { panic!("three entries") };
    assert_eq!(
        (first.router, first.multicall, first.deadline_ahead_max_s),
        (evm::Router::SwapRouter02, true, 61)
    );
    assert!(first.without_deadline && !second.without_deadline && !third.without_deadline);
    assert!(first.native && first.exact_output && !first.fee_on_transfer && first.portion.is_none());
    assert_eq!(
        (second.router, second.fee_on_transfer, second.pool_fees),
        (evm::Router::V2Router, true, AnyOr::Listed(&[]))
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
