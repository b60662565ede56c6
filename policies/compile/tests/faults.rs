//! Every rule of a book file, broken once or more in a desk that is otherwise good.
//!
//! A row makes changes to `desk.toml`; `§` in them marks where the faults must be told, in the order of the text.

// Functions beside the tests are not seen as tests by clippy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use compile::{FILE_SIZE_MAX, Fault, LIST_LEN_MAX, Rule, compile, compile_desk};

const DESK: &str = include_str!("desk.toml");

/// The desk's Hyperliquid transfer.
const TRANSFER: &str = "[[slots.hyperliquid.transfers]]
action = \"spotSend\"
amount_max = \"4.5\"
tokens = [\"PURR:0xc1fb593aeffbeb02f85e0308e9956a90\"]
";

/// The desk's other user-signed actions.
const APPROVALS: &str = "approve_agent = { agents = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"], names = [\"desk\", \"\"] }
approve_builder_fee = { builders = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"], rate_percent_max = \"0.01000001\" }
";

fn faults(text: &str) -> Vec<Fault> {
    compile("desk.toml", text).expect_err("a faulty desk")
}

fn assert_faults(changes: &[(&str, &str)], rules: &[Rule]) {
    let mut marked = DESK.to_owned();
    for (from, to) in changes {
        assert_eq!(marked.replace('§', "").matches(from).count(), 1, "{from:?} stands once in the desk");
        assert!(marked.contains(from), "a change must not cut through a mark");
        marked = marked.replacen(from, to, 1);
    }
    let marks = marks(&marked);
    assert_eq!(marks.len(), rules.len(), "a mark for each fault");
    let expected: Vec<_> = marks.into_iter().zip(rules.iter().copied()).collect();
    let found = faults(&marked.replace('§', ""));
    let told: Vec<_> = found.iter().map(|fault| ((fault.line, fault.column), fault.rule)).collect();
    assert_eq!(told, expected, "{found:#?}");
}

/// Line and column of each mark, as if the marks were not there.
fn marks(marked: &str) -> Vec<(usize, usize)> {
    let mut marks = Vec::new();
    let (mut line, mut column) = (1, 1);
    for character in marked.chars() {
        match character {
            '§' => marks.push((line, column)),
            '\n' => (line, column) = (line + 1, 1),
            _ => column += 1,
        }
    }
    marks
}

macro_rules! rows {
    ($($name:ident: [$($from:expr => $to:expr),+], $($rule:ident)+;)+) => {
        $(#[test]
        fn $name() {
            assert_faults(&[$(($from, $to)),+], &[$(Rule::$rule),+]);
        })+

        #[test]
        fn every_rule_has_a_row() {
            let rows = [$($(Rule::$rule),+),+];
            for rule in Rule::ALL {
                // These need more text than a row holds, or a file's name; they have tests of their own.
                let other = matches!(rule, Rule::FileTooLong | Rule::ListTooLong | Rule::DeskNotFile);
                assert!(other || rows.contains(rule), "{rule}");
            }
        }
    };
}

rows! {
    text_that_is_not_toml: ["= 0x7a120" => "= 0x7§g120"], Syntax;
    a_key_twice: ["slot = 9" => "slot = 9\n§slot = 10"], Syntax;

    an_unknown_key_at_the_top: ["version = 1" => "version = 1\n§surprise = 1"], UnknownKey;
    an_unknown_venue: ["[slots.solana]" => "[slots.§bitcoin]\n[slots.solana]"], UnknownKey;
    an_unknown_key_in_a_venue: ["placements_max = 2" => "placements_max = 2\n§placement_max = 2"], UnknownKey;
    an_unknown_key_in_an_inline_table: ["amount_max = 5" => "amount_max = 5, §budget = 5"], UnknownKey;
    all_unknown_keys_of_a_file: ["version = 1" => "§a = 1\nversion = 1", "placements_max = 2" => "placements_max = 2\n§b = 1"], UnknownKey UnknownKey;

    no_version: ["version = 1" => "§"], MissingKey;
    no_public_key: ["[[slots]]\nslot = 9" => "§[[slots]]\nslot = 9", "public_key = { ed25519 = \"2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3\" }" => ""], MissingKey;
    no_size_cap: ["[[slots.hyperliquid.order.assets]]" => "§[[slots.hyperliquid.order.assets]]", "size_max = \"1.5\"" => ""], MissingKey;
    no_collar: ["[[slots.hyperliquid.order.assets]]" => "§§[[slots.hyperliquid.order.assets]]", "price_min = \"0.00000001\"\nprice_max = 2" => ""], MissingKey MissingKey;
    no_collar_of_a_drift_market: ["[[slots.solana.programs.markets]]\nkind = \"perp\"" => "§[[slots.solana.programs.markets]]\nkind = \"perp\"", "price_max = \"2.5\"" => ""], MissingKey;
    no_fee_cap: ["[slots.evm]" => "§[slots.evm]", "fee_per_gas_max = \"1.5 gwei\"" => ""], MissingKey;
    no_amount_cap: ["{ recipients = [], amount_max = 5 }" => "§{ recipients = [] }"], MissingKey;
    no_ratio: ["[[slots.evm.swaps]]" => "§[[slots.evm.swaps]]", "out_per_in_min = { numerator = 9, denominator = 10 }" => ""], MissingKey;
    no_deadline_for_the_router_that_has_one: ["[[slots.evm.swaps]]" => "§[[slots.evm.swaps]]", "deadline_ahead_max_s = 60" => ""], MissingKey;
    no_base_decimals_of_a_spot_market: ["[[slots.solana.programs.markets]]\nkind = \"spot\"" => "§[[slots.solana.programs.markets]]\nkind = \"spot\"", "base_decimals = 6" => ""], MissingKey;
    no_tokens_for_spot_send: ["[[slots.hyperliquid.transfers]]" => "§[[slots.hyperliquid.transfers]]", "tokens = [\"PURR:0xc1fb593aeffbeb02f85e0308e9956a90\"]" => ""], MissingKey;
    no_signature_chains_for_transfers: ["[slots.hyperliquid]" => "§[slots.hyperliquid]", "signature_chain_ids = [0xa4b1, 0x66eee]" => ""], MissingKey;

    no_deadline_for_a_multicall: ["[[slots.evm.swaps]]" => "§[[slots.evm.swaps]]", "\"SwapRouter\"" => "\"SwapRouter02\"\nmulticall = true", "deadline_ahead_max_s = 60" => ""], MissingKey;
    pool_fees_for_pairs_of_v2: ["\"SwapRouter\"" => "\"V2Router\"", "pool_fees = [500]" => "pool_fees = §[500]"], UnusedKey;
    fee_functions_for_a_router_without: ["\"SwapRouter\"" => "\"SwapRouter\"\nfee_on_transfer = §true"], UnusedKey;
    a_multicall_for_a_router_without: ["\"SwapRouter\"" => "\"UniversalRouter 2.0\"\nmulticall = §true"], UnusedKey;
    a_share_for_a_router_without: ["\"SwapRouter\"" => "\"SwapRouter\"\nportion = §{ recipients = [], bips_max = 1 }"], UnusedKey;
    a_deadline_for_the_router_that_has_none: ["\"SwapRouter\"" => "\"SwapRouter02\"\nwithout_deadline = true", "deadline_ahead_max_s = 60" => "deadline_ahead_max_s = §60"], UnusedKey;
    base_decimals_of_a_perpetual: ["kind = \"perp\"" => "kind = \"perp\"\nbase_decimals = §9"], UnusedKey;
    a_builder_fee_without_builders: ["\nbuilders = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]" => "", "builder_fee_max = 10" => "builder_fee_max = §10"], UnusedKey;
    signature_chains_without_transfers: [TRANSFER => "", APPROVALS => "", "signature_chain_ids = [" => "signature_chain_ids = §["], UnusedKey;
    sub_accounts_of_an_action_without: ["amount_max = \"4.5\"" => "amount_max = \"4.5\"\nsub_accounts = §[]"], UnusedKey;
    a_value_of_another_action_than_spot_send: ["\"spotSend\"" => "\"usdSend\"", "tokens = [\"PURR:0xc1fb593aeffbeb02f85e0308e9956a90\"]" => "usd_max = §1"], UnusedKey;
    tokens_of_another_action_than_spot_send: ["\"spotSend\"" => "\"usdSend\"", "tokens = [\"PURR" => "tokens = §[\"PURR"], UnusedKey;

    text_for_a_number: ["gas_limit_max = 0x7a120" => "gas_limit_max = §true"], WrongType;
    a_number_for_text: ["desk = \"test-desk\"" => "desk = §7"], WrongType;
    a_number_for_a_flag: ["\ncancel = true" => "\ncancel = §1"], WrongType;
    one_value_for_a_list: ["chains = [1, 10]\nfee" => "chains = §1\nfee"], WrongType;
    a_list_for_a_table: ["out_per_in_min = { numerator = 9, denominator = 10 }" => "out_per_in_min = §[9, 10]"], WrongType;
    a_date_for_a_number: ["deadline_ahead_max_s = 60" => "deadline_ahead_max_s = §2026-11-30"], WrongType;

    a_float_size: ["size_max = \"1.5\"" => "size_max = §1.5"], Float;
    a_float_that_is_whole: ["placements_max = 2" => "placements_max = §2.0"], Float;
    a_float_in_a_list: ["pool_fees = [500]" => "pool_fees = [500, §3e3]"], Float;
    a_float_that_is_no_number: ["price_max = \"2.5\"" => "price_max = §nan"], Float;

    a_negative_number: ["deadline_ahead_max_s = 60" => "deadline_ahead_max_s = §-60"], NotANumber;
    text_that_is_no_number: ["size_max = \"1.5\"" => "size_max = §\"1,5\""], NotANumber;
    text_with_an_exponent: ["size_max = \"1.5\"" => "size_max = §\"1e5\""], NotANumber;
    text_with_a_sign: ["size_max = \"1.5\"" => "size_max = §\"+1.5\""], NotANumber;
    a_fraction_without_digits: ["size_max = \"1.5\"" => "size_max = §\"1.\""], NotANumber;
    a_fraction_where_whole_units_are_meant: ["amount_max = 6" => "amount_max = §\"6.5\""], NotANumber;
    more_decimals_than_the_unit: ["size_max = \"1.5\"" => "size_max = §\"1.500000001\""], NotANumber;
    an_octal_number: ["gas_limit_max = 0x7a120" => "gas_limit_max = §0o7"], NotANumber;
    a_binary_number: ["gas_limit_max = 0x7a120" => "gas_limit_max = §0b11"], NotANumber;
    an_octal_decimal: ["price_max = 2\nnotional" => "price_max = §0o2\nnotional"], NotANumber;
    half_a_wei: ["\"1.5 gwei\"" => "§\"0.5 wei\""], NotANumber;

    a_value_beyond_256_bits: ["7913129639934\"" => "7913129639936\"", "value_max = " => "value_max = §"], TooLarge;
    a_chain_beyond_64_bits: ["placements_max = 2" => "placements_max = §4_294_967_296"], TooLarge;
    an_integer_beyond_64_bits: ["gas_limit_max = 0x7a120" => "gas_limit_max = §0x1_0000_0000_0000_0000"], TooLarge;
    a_size_beyond_128_bits: ["size_max = \"1.5\"" => "size_max = §\"3402823669209384634633746074318.0\""], TooLarge;
    a_pool_fee_beyond_24_bits: ["pool_fees = [500]" => "pool_fees = [§16_777_216]"], TooLarge;
    a_deadline_in_milliseconds: ["deadline_ahead_max_s = 60" => "deadline_ahead_max_s = §7_776_001"], TooLarge;
    a_nonce_window_beyond_the_exchanges: ["nonce_behind_max_ms = 5_000" => "nonce_behind_max_ms = §172_800_001"], TooLarge;
    a_dead_mans_switch_for_next_month: ["ahead_max_ms = 60_000" => "ahead_max_ms = §604_800_001"], TooLarge;
    a_builder_rate_above_the_exchanges: ["rate_percent_max = \"0.01000001\"" => "rate_percent_max = §\"1.00000001\""], TooLarge;
    a_builder_fee_above_the_exchanges: ["builder_fee_max = 10" => "builder_fee_max = §1_001"], TooLarge;
    a_priority_rate_above_the_exchanges: ["priority_rate_max = 500" => "priority_rate_max = §80_001"], TooLarge;
    an_order_bit_beyond_8_bits: ["order_bits = 1" => "order_bits = §256"], TooLarge;

    another_version: ["version = 1" => "version = §2"], UnknownValue;
    another_boot_mode: ["boot_mode = \"live\"" => "boot_mode = §\"paused\""], UnknownValue;
    a_budget_of_a_key_that_is_not_there: ["version = 1" => "buckets = [{ name = \"b\", counts = \"requests\", per = \"desk\", venues = \"any\", keys = [7, §8], clients = \"any\", capacity = 1, refill = 1, refill_ms = 1 }]\nversion = 1"], UnknownKeySlot;
    a_budget_of_requests_per_market: ["version = 1" => "buckets = [{ name = \"b\", counts = \"requests\", per = §\"market\", venues = \"any\", keys = \"any\", clients = \"any\", capacity = 1, refill = 1, refill_ms = 1 }]\nversion = 1"], RequestsPerMarket;
    a_budget_of_tokens_without_a_value: ["version = 1" => "buckets = [§{ name = \"b\", counts = \"orders\", per = \"market\", orders = \"all\", venues = \"any\", keys = \"any\", clients = \"any\", capacity = 1, refill = 1, refill_ms = 1 }]\nversion = 1"], TokenHasNoValue;
    a_host_by_another_kind_of_key: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = §{ §ed25519 = \"0x00\" }, heartbeat_ms = 1_000, when_gone = \"halted\" }"], MissingKey UnknownKey;
    a_host_key_of_small_order: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = { x25519 = §\"0x0100000000000000000000000000000000000000000000000000000000000000\" }, heartbeat_ms = 1_000, when_gone = \"halted\" }"], BadKey;
    a_host_key_in_its_second_writing: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = { x25519 = §\"0xf6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f\" }, heartbeat_ms = 1_000, when_gone = \"halted\" }"], BadKey;
    a_client_with_the_key_of_the_host: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = { x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }, heartbeat_ms = 1_000, when_gone = \"halted\" }", "x25519 = \"0x3962653503c55e587bb66a98fa92c62e2bc29d53d16db33cb528e0ceb3797521\"" => "x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\"", "public_key = { x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }\nmay" => "public_key = §{ x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }\nmay"], Duplicate;
    receipts_that_nobody_acknowledges: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nreceipts = { mode = §\"durable\" }"], NobodyAcknowledges;
    a_number_of_receipts_that_wait_for_nobody: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nreceipts = { mode = \"client\", unacknowledged_max = §1 }"], UnusedKey;
    more_receipts_than_can_wait: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = { x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }, heartbeat_ms = 1_000, when_gone = \"halted\" }\nreceipts = { mode = \"bounded\", unacknowledged_max = §1_025 }"], TooLarge;
    no_receipt_that_may_wait: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = { x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }, heartbeat_ms = 1_000, when_gone = \"halted\" }\nreceipts = { mode = \"bounded\", unacknowledged_max = §0 }"], ZeroCap;
    a_client_of_a_key_that_is_not_there: ["{ key = 9, venues" => "{ key = §8, venues"], UnknownKeySlot;
    a_client_of_one_key_twice: ["{ key = 9, venues" => "{ key = §7, venues"], Duplicate;
    a_client_of_a_venue_that_the_key_is_not_granted: ["venues = [\"hyperliquid\"] }," => "venues = [§\"evm\"] },"], UnreachableRule;
    a_client_that_may_nothing: ["[[clients]]" => "[[clients]]\nname = \"idle\"\npublic_key = { x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }\nmay = §[]\n[[clients]]"], EmptyList;
    a_client_whose_absence_is_never_noticed: ["name = \"bot\"" => "name = \"bot\"\nwhen_gone = §\"halted\""], UnusedKey;
    a_client_whose_absence_costs_nothing: ["[[clients]]" => "§[[clients]]", "name = \"bot\"" => "name = \"bot\"\nheartbeat_ms = 1_000"], MissingKey;
    a_certificate_for_more_than_a_month: ["[[clients]]" => "[[roles]]\nname = \"r\"\ncertificate_days_max = §31\nmay = [{ key = 7, venues = \"any\" }]\n[[clients]]"], TooLarge;
    a_role_called_as_a_client_is: ["[[clients]]" => "[[roles]]\nname = §\"bot\"\ncertificate_days_max = 30\nmay = [{ key = 7, venues = \"any\" }]\n[[clients]]"], Duplicate;
    a_budget_of_a_client_that_is_not_there: ["version = 1" => "buckets = [{ name = \"b\", counts = \"requests\", per = \"desk\", venues = \"any\", keys = \"any\", clients = [\"bot\", §\"cat\"], capacity = 1, refill = 1, refill_ms = 1 }]\nversion = 1"], UnknownClient;
    an_end_on_a_day_that_is_not: ["slot = 9" => "slot = 9\nexpires = §\"2027-02-29T00:00:00Z\""], BadTime;
    a_vault_that_nobody_can_start: ["boot_mode = \"live\"" => "boot_mode = §\"halted\""], NobodyStarts;
    a_vault_that_nobody_can_start_beyond_cancels: ["boot_mode = \"live\"" => "boot_mode = §\"cancel-only\""], NobodyStarts;
    operators_without_one: ["boot_mode = \"live\"" => "boot_mode = \"live\"\noperators = §[]"], EmptyList;
    an_operator_of_another_scheme: ["boot_mode = \"live\"" => "boot_mode = \"live\"\noperators = [{ name = \"ann\", public_key = §{ secp256k1 = \"0x03d61de6d549751ff029a87210ec68b275582e580f33d7d3e6e0771a312baa39e5\" } }]"], WrongScheme;
    an_operator_of_small_order: ["boot_mode = \"live\"" => "boot_mode = \"live\"\noperators = [{ name = \"ann\", public_key = { ed25519 = §\"0x0100000000000000000000000000000000000000000000000000000000000000\" } }]"], BadKey;
    a_heartbeat_below_a_second: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = { x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }, heartbeat_ms = §999, when_gone = \"halted\" }"], HeartbeatTooShort;
    a_heartbeat_beyond_a_day: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = { x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }, heartbeat_ms = §86_400_001, when_gone = \"halted\" }"], TooLarge;
    a_host_whose_absence_costs_nothing: ["boot_mode = \"live\"" => "boot_mode = \"live\"\nhost = { public_key = { x25519 = \"0xc4fb32b755c4a246077b761bda204ddaa00ae6a68623d6bbfb93b48107c14a5d\" }, heartbeat_ms = 1_000, when_gone = §\"live\" }"], UnknownValue;
    a_key_that_nobody_may_ask: ["[[slots]]\nslot = 9" => "§[[slots]]\nslot = 9", "    { key = 9, venues = \"any\" },\n" => ""], NobodyAsks;
    a_venue_that_nobody_may_ask_a_key_for: ["[[slots]]\nslot = 7" => "§[[slots]]\nslot = 7", "{ key = 7, venues = \"any\" }" => "{ key = 7, venues = [\"uniswapx\"] }", "[slots.evm]\n" => "[slots.uniswapx]\nchains = [1]\npermit2 = [\"0x000000000022D473030F116dDEE9F6B43aC78BA3\"]\ndeadline_ahead_max_s = 60\n[[slots.uniswapx.transfers]]\nchains = [1]\nspenders = [\"0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af\"]\ntokens = [\"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"]\namount_max = 8\n[slots.evm]\n"], NobodyAsks;
    nobody_who_may_ask: ["version = 1" => "§version = 1", "[[clients]]\nname = \"bot\"\npublic_key = { x25519 = \"0x3962653503c55e587bb66a98fa92c62e2bc29d53d16db33cb528e0ceb3797521\" }\nmay = [\n    { key = 7, venues = \"any\" },\n    { key = 3, venues = [\"hyperliquid\"] },\n    { key = 9, venues = \"any\" },\n]" => ""], NobodyAsks;
    another_unit: ["\"1.5 gwei\"" => "§\"1.5 finney\""], UnknownValue;
    another_network: ["[\"testnet\"]" => "[§\"devnet\"]"], UnknownValue;
    a_word_in_other_case: ["tifs = [\"Alo\", " => "tifs = [§\"alo\", "], UnknownValue;

    a_word_for_pool_fees: ["pool_fees = [500]" => "pool_fees = §\"all\""], UnknownValue;

    a_desk_with_a_space: ["\"test-desk\"" => "§\"test desk\""], BadName;
    a_slot_without_a_name: ["name = \"evm\"" => "name = §\"\""], BadName;

    no_chain: ["chains = [1, 10]\nfee" => "chains = §[]\nfee"], EmptyList;
    no_spender: ["spenders = [\"0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45\"]" => "spenders = §[]"], EmptyList;
    modifications_without_a_market: ["[[slots.solana.programs]]" => "§[[slots.solana.programs]]", "orders = true\norder_bits" => "order_bits", "[[slots.solana.programs.markets]]\nkind = \"perp\"\nindex = 13\nbase_max = \"0.5\"\nprice_min = \"0.000001\"\nprice_max = \"2.5\"\noracle_offset_max = \"0.25\"\n" => "", "[[slots.solana.programs.markets]]\nkind = \"spot\"\nindex = 13\nbase_decimals = 6\nbase_max = \"0.5\"\nprice_min = 1\nprice_max = 2\nunpriced = true\n" => ""], EmptyList;
    no_sub_account: ["sub_accounts = [0]" => "sub_accounts = §[]"], EmptyList;
    no_pool_fee: ["pool_fees = [500]" => "pool_fees = §[]"], EmptyList;
    no_grouping: ["groupings = [\"na\"]" => "groupings = §[]"], EmptyList;

    a_slot_number_twice: ["slot = 9" => "slot = §7"], Duplicate;
    a_slot_name_twice: ["name = \"drift\"" => "name = §\"evm\""], Duplicate;
    a_public_key_twice: ["0x023b1e6f62ab9be9cf22b3f49c326c9ff77d681c42ac977320cc15b09db9265fa3" => "0x0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6", "name = \"hyperliquid\"\npublic_key = " => "name = \"hyperliquid\"\npublic_key = §"], Duplicate;
    a_chain_twice: ["chains = [1, 10]\nfee" => "chains = [1, 10, §1]\nfee"], Duplicate;
    an_asset_twice: ["[[slots.hyperliquid.transfers]]" => "[[slots.hyperliquid.order.assets]]\nasset = §5\nsize_max = 1\nprice_min = 1\nprice_max = 1\nnotional_max = 1\n[[slots.hyperliquid.transfers]]"], Duplicate;
    a_market_twice: ["kind = \"spot\"\nindex = 13\nbase_decimals = 6" => "kind = \"perp\"\nindex = §13"], Duplicate;
    an_address_twice_in_other_case: ["tokens_in = [" => "tokens_in = [\"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48\", §", "out_per_in_min = { numerator = 9, denominator = 10 }" => "out_per_in_min = \"any\""], Duplicate;
    an_action_twice: ["[[slots.hyperliquid.transfers]]" => "[[slots.hyperliquid.transfers]]\naction = \"withdraw3\"\namount_max = 1\n[[slots.hyperliquid.transfers]]\naction = §\"withdraw3\"\namount_max = 2\n[[slots.hyperliquid.transfers]]"], Duplicate;
    a_token_in_two_entries_of_an_action: ["[[slots.hyperliquid.transfers]]" => "[[slots.hyperliquid.transfers]]\naction = \"spotSend\"\namount_max = 1\ntokens = [\"PURR:0xc1fb593aeffbeb02f85e0308e9956a90\"]\n[[slots.hyperliquid.transfers]]", "amount_max = \"4.5\"\ntokens = [\"PURR" => "amount_max = \"4.5\"\ntokens = [§\"PURR"], Duplicate;

    a_size_cap_of_zero: ["size_max = \"1.5\"" => "size_max = §\"0.00\""], ZeroCap;
    a_fee_cap_of_zero: ["\"1.5 gwei\"" => "§\"0 gwei\""], ZeroCap;
    a_gas_cap_of_zero: ["gas_limit_max = 0x7a120" => "gas_limit_max = §0"], ZeroCap;
    a_base_cap_of_zero: ["base_decimals = 6\nbase_max = \"0.5\"" => "base_decimals = 6\nbase_max = §0"], ZeroCap;
    placements_of_zero: ["placements_max = 2" => "placements_max = §0"], ZeroCap;
    orders_of_zero: ["orders_max = 3" => "orders_max = §0"], ZeroCap;
    a_notional_cap_of_zero: ["notional_max = \"3.25\"" => "notional_max = §0"], ZeroCap;

    a_collar_that_starts_at_zero: ["price_min = \"0.000001\"" => "price_min = §0"], Collar;
    a_collar_upside_down: ["price_min = 1\nprice_max = 2" => "price_min = 3\nprice_max = §2"], Collar;

    a_collar_of_modifications_upside_down: ["price_max = 1_000" => "price_max = §\"0.4\""], Collar;

    a_ratio_of_zero: ["numerator = 9" => "numerator = §0"], ZeroRatio;
    another_word_for_a_ratio: ["out_per_in_min = { numerator = 9, denominator = 10 }" => "out_per_in_min = §\"none\""], UnknownValue;
    an_unlimited_amount: ["{ recipients = [], amount_max = 5 }" => "{ recipients = [], amount_max = §\"115792089237316195423570985008687907853269984665640564039457584007913129639935\" }"], UnlimitedCap;
    an_unlimited_fee: ["fee_per_gas_max = \"1.5 gwei\"" => "fee_per_gas_max = §0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"], UnlimitedCap;
    an_unlimited_permit2_approval: ["[[slots.evm.swaps]]" => "[[slots.evm.permit2]]\nchains = [1]\ncontracts = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\napprove = { tokens = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"], spenders = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"], amount_max = §\"1461501637330902918203684832716283019655932542975\", expiration_ahead_max_s = 60 }\n[[slots.evm.swaps]]"], UnlimitedCap;
    a_ratio_over_zero: ["denominator = 10" => "denominator = §0"], ZeroDenominator;
    a_ratio_over_two_pairs: ["tokens_out = [" => "tokens_out = [\"0xdAC17F958D2ee523a2206206994597C13D831ec7\", ", "out_per_in_min = " => "out_per_in_min = §"], AmbiguousRatio;

    an_address_cut_short: ["routers = [\"0xE592427A0AEce92De3Edee1F18E0157C05861564\"]" => "routers = [§\"0xE592427A0AEce92De3Edee1F18E0157C058615\"]"], BadAddress;
    an_address_without_0x: ["routers = [\"0xE592427A0AEce92De3Edee1F18E0157C05861564\"]" => "routers = [§\"E592427A0AEce92De3Edee1F18E0157C05861564\"]"], BadAddress;
    the_zero_address: ["owners = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]" => "owners = [§\"0x0000000000000000000000000000000000000000\"]"], BadAddress;
    a_token_without_its_id: ["\"PURR:0xc1fb593aeffbeb02f85e0308e9956a90\"" => "§\"PURR\""], BadAddress;
    an_address_with_one_letter_in_the_wrong_case: ["[\"0xE592427A0AEce92De3Edee1F18E0157C05861564\"]" => "[§\"0xe592427A0AEce92De3Edee1F18E0157C05861564\"]"], Checksum;

    a_key_off_the_curve: ["secp256k1 = \"0x0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6\"" => "secp256k1 = §\"0x020000000000000000000000000000000000000000000000000000000000000005\""], BadKey;
    an_uncompressed_key: ["\"0x0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6\"" => "§\"0x0420b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6\""], BadKey;
    an_ed25519_key_off_the_curve: ["\"2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3\"" => "§\"5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN\""], BadKey;
    an_ed25519_key_of_small_order: ["\"2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3\"" => "§\"0x0100000000000000000000000000000000000000000000000000000000000000\""], BadKey;
    an_ed25519_key_in_another_form: ["\"2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3\"" => "§\"0xf0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f\""], BadKey;
    base_58_with_a_leading_one_too_many: ["\"2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3\"" => "§\"12snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3\""], BadKey;
    two_keys_in_a_slot: ["public_key = { ed25519" => "public_key = §{ secp256k1 = \"0x03d61de6d549751ff029a87210ec68b275582e580f33d7d3e6e0771a312baa39e5\", ed25519"], BadKey;

    solana_for_a_secp256k1_key: ["{ ed25519 = \"2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3\" }" => "{ secp256k1 = \"0x03d61de6d549751ff029a87210ec68b275582e580f33d7d3e6e0771a312baa39e5\" }", "[slots.solana]" => "§[slots.solana]"], WrongScheme;
    evm_for_an_ed25519_key: ["[slots.solana]" => "§[slots.evm]\nchains = [1]\nfee_per_gas_max = 1\ngas_limit_max = 1\ntransaction_fee_max = 1\naccess_list_entries_max = 0\nnative = [{ chains = [1], value_max = 1 }]\n[slots.solana]"], WrongScheme;

    a_slot_without_grants: ["[[slots]]\nslot = 9" => "§[[slots]]\nslot = 10\nname = \"idle\"\npublic_key = { secp256k1 = \"0x03d61de6d549751ff029a87210ec68b275582e580f33d7d3e6e0771a312baa39e5\" }\n[[slots]]\nslot = 9"], EmptyGrants;
    a_venue_without_grants: ["[[slots]]\nslot = 9" => "[[slots]]\nslot = 10\nname = \"idle\"\npublic_key = { secp256k1 = \"0x03d61de6d549751ff029a87210ec68b275582e580f33d7d3e6e0771a312baa39e5\" }\nevm = §{ chains = [1], fee_per_gas_max = 1, gas_limit_max = 1, transaction_fee_max = 1, access_list_entries_max = 0 }\n[[slots]]\nslot = 9"], EmptyGrants;
    a_token_entry_without_grants: ["[[slots.evm.swaps]]" => "§[[slots.evm.tokens]]\nchains = [1]\ntokens = [\"0xdAC17F958D2ee523a2206206994597C13D831ec7\"]\n[[slots.evm.swaps]]"], EmptyGrants;
    orders_without_a_vault_to_act_for: ["[slots.hyperliquid]" => "§[slots.hyperliquid]", "\nvaults = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]" => ""], EmptyGrants;
    orders_without_a_time_in_force_or_triggers: ["[slots.hyperliquid.order]" => "§[slots.hyperliquid.order]", "tifs = [\"Alo\", \"Ioc\", \"Gtc\", \"FrontendMarket\"]" => ""], EmptyGrants;
    a_program_without_grants: ["[[slots.solana.programs]]" => "§[[slots.solana.programs]]", "orders = true" => "", "modify = { base_max = 11, price_min = \"0.5\", price_max = 1_000, unpriced = true, partial = true }" => ""], EmptyGrants;

    swift_without_a_last_slot: ["order_bits = 1" => "order_bits = 1\nswift = §{ isolated_deposit_max = 0 }"], MissingKey;
    swift_without_a_cap_of_isolated_deposits: ["order_bits = 1" => "order_bits = 1\nswift = §{ slot_max = 1 }"], MissingKey;
    swift_with_a_last_slot_of_zero: ["order_bits = 1" => "order_bits = 1\nswift = { slot_max = §0, isolated_deposit_max = 0 }"], ZeroCap;
    swift_with_a_last_slot_that_never_comes: ["order_bits = 1" => "order_bits = 1\nswift = { slot_max = §2_000_000_001, isolated_deposit_max = 0 }"], TooLarge;
    swift_with_half_a_range_of_margin_ratios: ["order_bits = 1" => "order_bits = 1\nswift = §{ slot_max = 1, isolated_deposit_max = 0, margin_ratio_max = 5 }"], MissingKey;
    swift_with_margin_ratios_upside_down: ["order_bits = 1" => "order_bits = 1\nswift = { slot_max = 1, isolated_deposit_max = 0, margin_ratio_min = 6, margin_ratio_max = §5 }"], UnreachableRule;
    swift_with_a_margin_ratio_of_zero: ["order_bits = 1" => "order_bits = 1\nswift = { slot_max = 1, isolated_deposit_max = 0, margin_ratio_min = §0, margin_ratio_max = 5 }"], ZeroCap;
    swift_for_a_taker_that_is_no_key: ["order_bits = 1" => "order_bits = 1\nswift = { delegated = [§\"0xab\"], slot_max = 1, isolated_deposit_max = 0 }"], BadAddress;
    builders_without_a_fee_cap: ["order_bits = 1" => "order_bits = 1\nbuilders = §{ indexes = [1] }"], MissingKey;
    builders_without_an_index: ["order_bits = 1" => "order_bits = 1\nbuilders = { indexes = §[], fee_tenth_bps_max = 1 }"], EmptyList;
    collateral_that_may_neither_come_nor_go: ["order_bits = 1" => "order_bits = 1\ncollateral = [§{ market_index = 1, decimals = 6 }]"], EmptyGrants;
    collateral_of_one_market_twice: ["order_bits = 1" => "order_bits = 1\ncollateral = [{ market_index = 1, decimals = 6, deposit_max = 1 }, { market_index = §1, decimals = 6, deposit_max = 1 }]"], Duplicate;
    collateral_without_decimals: ["order_bits = 1" => "order_bits = 1\ncollateral = [§{ market_index = 1, deposit_max = 1 }]"], MissingKey;
    a_deposit_cap_of_zero: ["order_bits = 1" => "order_bits = 1\ncollateral = [{ market_index = 1, decimals = 6, deposit_max = §0 }]"], ZeroCap;
    a_withdrawal_without_a_cap: ["order_bits = 1" => "order_bits = 1\ncollateral = [{ market_index = 1, decimals = 6, withdraw = §{ destinations = [\"5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN\"] } }]"], MissingKey;
    a_withdrawal_to_nowhere: ["order_bits = 1" => "order_bits = 1\ncollateral = [{ market_index = 1, decimals = 6, withdraw = §{ amount_max = 1 } }]"], EmptyList;
    a_withdrawal_to_what_is_no_account: ["order_bits = 1" => "order_bits = 1\ncollateral = [{ market_index = 1, decimals = 6, withdraw = { amount_max = 1, destinations = [§\"5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcs0\"] } }]"], BadAddress;
    velocity_with_what_only_drift_has: ["program = \"DriftV2\"" => "program = \"VelocityV1\"", "order_bits = 1" => "order_bits = 1\ncancel = §true\nsettle_pnl = §true\ncollateral = §[]\nswift = §{}", "kind = \"spot\"" => "kind = §\"spot\""], UnusedKey UnusedKey UnusedKey UnusedKey UnusedKey;

    an_entry_for_a_chain_that_is_not_the_keys: ["[[slots.evm.native]]\nchains = [1]" => "[[slots.evm.native]]\nchains = [1, §137]"], UnreachableRule;
    a_native_entry_behind_another: ["[[slots.evm.tokens]]" => "§[[slots.evm.native]]\nchains = [1]\nvalue_max = 1\n[[slots.evm.tokens]]"], UnreachableRule;
    a_token_entry_behind_another: ["[[slots.evm.swaps]]" => "§[[slots.evm.tokens]]\nchains = [10]\ntokens = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]\ntransfer = { amount_max = 1 }\n[[slots.evm.swaps]]"], UnreachableRule;
    a_swap_behind_another: ["[[slots]]\nslot = 3" => "§[[slots.evm.swaps]]\nchains = [1]\nrouters = [\"0xE592427A0AEce92De3Edee1F18E0157C05861564\"]\nrouter = \"SwapRouter\"\ntokens_in = [\"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"]\ntokens_out = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]\npool_fees = [3000]\namount_in_max = 8\nout_per_in_min = { numerator = 9, denominator = 10 }\ndeadline_ahead_max_s = 60\n[[slots]]\nslot = 3"], UnreachableRule;
    a_contract_that_is_two_routers: ["[[slots]]\nslot = 3" => "§[[slots.evm.swaps]]\nchains = [1]\nrouters = [\"0xE592427A0AEce92De3Edee1F18E0157C05861564\"]\nrouter = \"SwapRouter02\"\ntokens_in = [\"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"]\ntokens_out = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]\npool_fees = [3000]\namount_in_max = 8\nout_per_in_min = { numerator = 9, denominator = 10 }\ndeadline_ahead_max_s = 60\nmulticall = true\n[[slots]]\nslot = 3"], TwoRouters;
    a_contract_that_is_two_versions_of_a_router: ["\"SwapRouter\"" => "\"UniversalRouter 2.0\"", "[[slots]]\nslot = 3" => "§[[slots.evm.swaps]]\nchains = [10, 1]\nrouters = [\"0xE592427A0AEce92De3Edee1F18E0157C05861564\"]\nrouter = \"UniversalRouter 1.2\"\ntokens_in = [\"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"]\ntokens_out = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]\npool_fees = [3000]\namount_in_max = 8\nout_per_in_min = { numerator = 9, denominator = 10 }\ndeadline_ahead_max_s = 60\n[[slots]]\nslot = 3"], TwoRouters;
    a_swap_behind_two_others_together: ["[[slots]]\nslot = 3" => "[[slots.evm.swaps]]\nchains = [10]\nrouters = [\"0xE592427A0AEce92De3Edee1F18E0157C05861564\"]\nrouter = \"SwapRouter\"\ntokens_in = [\"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"]\ntokens_out = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]\npool_fees = [3000]\namount_in_max = 8\nout_per_in_min = { numerator = 9, denominator = 10 }\ndeadline_ahead_max_s = 60\n§[[slots.evm.swaps]]\nchains = [1, 10]\nrouters = [\"0xE592427A0AEce92De3Edee1F18E0157C05861564\"]\nrouter = \"SwapRouter\"\ntokens_in = [\"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"]\ntokens_out = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]\npool_fees = [3000]\namount_in_max = 8\nout_per_in_min = { numerator = 9, denominator = 10 }\ndeadline_ahead_max_s = 60\n[[slots]]\nslot = 3"], UnreachableRule;
    a_recipient_that_stands_for_the_sender: ["\"SwapRouter\"" => "\"SwapRouter\"\nrecipients = [§\"0x0000000000000000000000000000000000000001\"]"], RouterRecipient;
    a_recipient_that_stands_for_the_router: ["\"SwapRouter\"" => "\"SwapRouter\"\nrecipients = [§\"0x0000000000000000000000000000000000000002\"]"], RouterRecipient;
    a_recipient_that_is_nobody: ["\"SwapRouter\"" => "\"SwapRouter\"\nrecipients = [§\"0x0000000000000000000000000000000000000000\"]"], BadAddress;
    a_recipient_that_is_the_router_itself: ["\"SwapRouter\"" => "\"SwapRouter\"\nrecipients = [§\"0xe592427a0aece92de3edee1f18e0157c05861564\"]"], RouterRecipient;
    a_share_for_the_router_itself: ["\"SwapRouter\"" => "\"UniversalRouter 2.0\"\nportion = { recipients = [§\"0xe592427a0aece92de3edee1f18e0157c05861564\"], bips_max = 1 }"], RouterRecipient;
    native_coin_without_a_weth: ["[[slots.evm.swaps]]" => "§[[slots.evm.swaps]]", "\"SwapRouter\"" => "\"SwapRouter\"\nnative = true"], WethNotNamed;
    native_coin_on_a_chain_whose_weth_is_not_named: ["[[slots.evm.swaps]]\nchains = [1]" => "[[slots.evm.weth]]\nchains = [1]\ncontract = \"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"\n§[[slots.evm.swaps]]\nnative = true\nchains = [1, 10]"], WethNotNamed;
    single_calls_of_swap_router_02_that_may_not_go_without_a_deadline: ["[[slots.evm.swaps]]" => "§[[slots.evm.swaps]]", "\"SwapRouter\"" => "\"SwapRouter02\"", "deadline_ahead_max_s = 60" => ""], MissingKey;
    no_deadline_for_a_router_whose_calls_have_one: ["\"SwapRouter\"" => "\"SwapRouter\"\nwithout_deadline = §true"], UnusedKey;
    no_deadline_for_the_router_of_v2: ["\"SwapRouter\"" => "\"V2Router\"\nwithout_deadline = §true", "pool_fees = [500]\n" => ""], UnusedKey;
    a_second_weth_of_a_chain: ["[[slots.evm.swaps]]" => "[[slots.evm.weth]]\nchains = [1]\ncontract = \"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"\n§[[slots.evm.weth]]\nchains = [10, 1]\ncontract = \"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"\n[[slots.evm.swaps]]"], UnreachableRule;
    a_permit2_entry_behind_two_others_together: ["[[slots.evm.swaps]]" => "[[slots.evm.permit2]]\nchains = [1]\ncontracts = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\nrevoke = true\n[[slots.evm.permit2]]\nchains = [10]\ncontracts = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\nrevoke = true\n§[[slots.evm.permit2]]\nchains = [1, 10]\ncontracts = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\nrevoke = true\n[[slots.evm.swaps]]"], UnreachableRule;
    a_permit2_entry_behind_another: ["[[slots.evm.swaps]]" => "[[slots.evm.permit2]]\nchains = [1]\ncontracts = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\nrevoke = true\n§[[slots.evm.permit2]]\nchains = [1]\ncontracts = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\nrevoke = true\n[[slots.evm.swaps]]"], UnreachableRule;
    a_permit2_entry_without_grants: ["[[slots.evm.swaps]]" => "§[[slots.evm.permit2]]\nchains = [1]\ncontracts = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]\n[[slots.evm.swaps]]"], EmptyGrants;
    a_swap_of_a_token_into_itself: ["[[slots.evm.swaps]]" => "§[[slots.evm.swaps]]", "tokens_in = [\"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\"]" => "tokens_in = [\"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\"]"], UnreachableRule;
    cancel_assets_without_cancels: ["[slots.hyperliquid]" => "§[slots.hyperliquid]", "\ncancel = true" => "", "twap_cancel = true" => ""], UnreachableRule;

    an_outcome_above_1: ["asset = 5" => "asset = 100_000_050", "price_max = 2\nnotional" => "price_max = §2\nnotional"], Collar;
    an_outcome_of_a_third_side: ["asset = 5" => "asset = §100_000_052", "price_max = 2\nnotional" => "price_max = 1\nnotional"], UnknownValue;
    a_twap_shorter_than_the_exchange_takes: ["minutes_min = 5" => "minutes_min = §4"], UnknownValue;
    a_twap_longer_than_the_exchange_takes: ["minutes_max = 90" => "minutes_max = §1441"], UnknownValue;
    a_twap_upside_down: ["minutes_min = 5, minutes_max = 90" => "minutes_min = 90, minutes_max = §5"], UnreachableRule;
    a_twap_without_minutes: ["twap = { minutes_min = 5, minutes_max = 90 }" => "twap = §§{ }"], MissingKey MissingKey;
    a_margin_cap_of_zero: ["margin_add_max = \"1.500001\"" => "margin_add_max = §0"], ZeroCap;
    a_margin_finer_than_the_exchanges: ["margin_add_max = \"1.500001\"" => "margin_add_max = §\"1.5000001\""], NotANumber;
    a_scheduled_cancel_without_reach: ["{ ahead_max_ms = 60_000, clear = true }" => "§{ clear = true }"], MissingKey;
    a_vault_transfer_without_vaults: ["vault_transfer = { vaults = [\"0x9D8EF98e161a9fB2AB184eC539aD7A3095150d9C\"]," => "vault_transfer = §{"], MissingKey;
    a_vault_transfer_in_no_direction: [", deposit_max = \"2.5\" }" => " }", "vault_transfer = {" => "vault_transfer = §{"], EmptyGrants;
    an_agent_whose_name_is_not_said: [", names = [\"desk\", \"\"] }" => " }", "approve_agent = {" => "approve_agent = §{"], MissingKey;
    an_agent_with_any_other_word: ["names = [\"desk\", \"\"]" => "names = §\"all\""], UnknownValue;
    an_agent_with_no_names: ["names = [\"desk\", \"\"]" => "names = §[]"], EmptyList;
    an_agents_name_beyond_ascii: ["names = [\"desk\", \"\"]" => "names = [§\"bürö\"]"], BadName;
    a_builder_rate_of_zero: ["\"0.01000001\"" => "§0"], ZeroCap;
    a_destination_of_a_class_transfer: ["action = \"spotSend\"\namount_max = \"4.5\"\ntokens = [\"PURR:0xc1fb593aeffbeb02f85e0308e9956a90\"]" => "action = \"usdClassTransfer\"\namount_max = 1\ndestinations = §[]"], UnusedKey;
    a_dex_of_another_action_than_send_asset: ["amount_max = \"4.5\"" => "amount_max = \"4.5\"\nsource_dexes = §[\"\"]"], UnusedKey;
    no_dexes_for_send_asset: ["[[slots.hyperliquid.transfers]]" => "§§[[slots.hyperliquid.transfers]]", "\"spotSend\"" => "\"sendAsset\""], MissingKey MissingKey;
    faults_of_three_venues_at_once: ["gas_limit_max = 0x7a120" => "gas_limit_max = §0", "asset = 5" => "asset = §5.0", "index = 13\nbase_max" => "index = §65536\nbase_max"], ZeroCap Float TooLarge;
}

#[test]
fn a_fault_is_shown_with_file_line_column_rule_and_what_is_wrong() {
    let shown: Vec<_> = faults("version = 1\ndesk = \"d\"\nboot_mode = \"live\"\nslots = 0.5\nclients = []")
        .iter()
        .map(ToString::to_string)
        .collect();
    let float = "a book holds no floats; write a whole number, or text where the key takes fractions";
    let empty = "an empty list allows nothing";
    let expected =
        ["4:9: [float] slots: ".to_owned() + float, "5:11: [empty-list] clients: ".to_owned() + empty];
    assert_eq!(shown, expected.map(|line| format!("desk.toml:{line}")));
}

#[test]
fn a_desk_is_called_as_its_file_is() {
    for path in ["test-desk.toml", "policies/book/test-desk.toml", "/a.toml/test-desk.toml"] {
        assert!(compile_desk(path, DESK).is_ok(), "{path}");
    }
    for path in ["desk.toml", "test-desk", "test-desk.toml/x", "test-desk.toml.toml", "Test-desk.toml", ""] {
        let found = compile_desk(path, DESK).expect_err("a desk in a file of another name");
        let told: Vec<_> = found.iter().map(|fault| (fault.line, fault.column, fault.rule)).collect();
        let line = 1 + DESK.lines().position(|line| line.starts_with("desk = ")).unwrap();
        assert_eq!(told, [(line, 8, Rule::DeskNotFile)], "{path}");
    }
}

#[test]
fn columns_count_characters_and_not_bytes() {
    let found = faults("slots = [ { slot = 1, \"éé\" = \"éé\", name = 2.0 } ]");
    let float = found.iter().find(|fault| fault.rule == Rule::Float).unwrap();
    assert_eq!((float.line, float.column), (1, 43));
}

#[test]
fn a_list_beyond_its_maximum_is_refused_before_it_is_read() {
    let list: Vec<_> = (0..=LIST_LEN_MAX).map(|fee| fee.to_string()).collect();
    let text = DESK.replace("pool_fees = [500]", &format!("pool_fees = [{}]", list.join(",")));
    let found = faults(&text);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].rule, found[0].column), (Rule::ListTooLong, 13));
    let longest = text.replace(&format!(",{LIST_LEN_MAX}]"), "]");
    assert!(compile("desk.toml", &longest).is_ok());
}

#[test]
fn a_book_with_too_many_slots_is_refused() {
    let slots = "[[slots]]\nsurprise = 1\n".repeat(LIST_LEN_MAX + 1);
    let found = faults(&format!("version = 1\ndesk = \"d\"\nboot_mode = \"live\"\n{slots}"));
    assert!(found.iter().any(|fault| fault.rule == Rule::ListTooLong));
}

#[test]
fn a_file_beyond_its_maximum_is_not_parsed() {
    let found = faults(&"#".repeat(FILE_SIZE_MAX + 1));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule, Rule::FileTooLong);
}

/// The desk cut anywhere is faulty or, between two slots, shorter; it never panics.
#[test]
fn a_desk_cut_anywhere_is_refused_or_shorter() {
    let whole = compile("desk.toml", DESK).unwrap();
    for (at, _) in DESK.trim_end().char_indices().step_by(7) {
        if let Ok(book) = compile("desk.toml", &DESK[..at]) {
            assert_ne!(book, whole);
        }
    }
}

/// Every seventh character of the desk replaced by each of a few: refused or read, never a panic.
#[test]
fn a_changed_character_never_makes_the_compiler_panic() {
    let mut refused = 0;
    for (at, character) in DESK.char_indices().step_by(7) {
        for other in ["", "0", "f", "\"", "-", "é", "\n", "["] {
            let text = format!("{}{other}{}", &DESK[..at], &DESK[at + character.len_utf8()..]);
            refused += usize::from(compile("desk.toml", &text).is_err());
        }
    }
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn a_file_without_slots_is_refused() {
    let (top, _) = DESK.split_once("[[slots]]").unwrap();
    let found = faults(top);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].to_string(), "desk.toml:1:1: [missing-key] slots is missing");
}
