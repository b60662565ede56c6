//! The one book that judges every question, as a desk would write it.

use std::fmt::Write as _;

use client_sdk::build::solana::key;
use signing::{KeyScheme, Secret, public_key_of};
use venues::PublicKey;

use super::answer::Fault;
use super::question::Question;
use crate::hexadecimal;

const CHAINS: [u64; 5] = [1, 10, 137, 8453, 42161];

/// Uniswap V3's first SwapRouter, the same on every chain that has it; its swaps carry a deadline.
const SWAP_ROUTER: &str = "0xe592427a0aece92de3edee1f18e0157c05861564";

/// Universal Routers by version, on every chain.
const UNIVERSAL_ROUTERS: [(&str, &[&str]); 5] = [
    (
        "UniversalRouter 1.2",
        &[
            "0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad",
            "0x4d73a4411ca1c660035e4aecc8270e5dddec8c17",
            "0x4dae2f939acf50408e13d58534ff8c2776d45265",
            "0x5e325eda8064b456f4781070c0738d849c824258",
            "0xcb1355ff08ab38bbce60111f1bb2b784be25d7e8",
            "0xec7be89e9d109e7e3fec59c222cf297125fefda2",
        ],
    ),
    (
        "UniversalRouter 2.0",
        &[
            "0x1095692a6237d83c6a72f3f5efedb9a670c49223",
            "0x1906c1d672b88cd1b9ac7593301ca990f94eae07",
            "0x66a9893cc07d91d95644aedd05d03f95e1dba8af",
            "0x6ff5693b99212da76ad316178a184ab56d299b43",
            "0x851116d9223fabed8e56c0e6b8ad0c31d98b3507",
            "0x94b75331ae8d42c1b61065089b7d48fe14aa73b7",
            "0xa51afafe0263b40edaef0df8781ea9aa03e381a3",
            "0xef740bf23acae26f6492b10de645d6b98dc8eaf3",
        ],
    ),
    (
        "UniversalRouter 2.1.1",
        &[
            "0x4c82d1fbfe28c977cbb58d8c7ff8fcf9f70a2cca",
            "0x8b844f885672f333bc0042cb669255f93a4c1e6b",
            "0xfdf682f51fe81aa4898f0ae2163d8a55c127fbc7",
        ],
    ),
    (
        "UniversalRouter 2.1.2",
        &[
            "0x23617e59a5925b2a4bf75d73ff6711cd0b29de85",
            "0x2d01411773c8c24805306e89a41f7855c3c4fe65",
            "0x661e93cca42afacb172121ef892830ca3b70f08d",
            "0xc09255d86db563cbc11c2fcf4a0c512e160111b4",
            "0xd1b797d92d87b688193a2b976efc8d577d204343",
            "0xd6145b2d3f379919e8cdeda7b97e37c4b2ca9c40",
            "0xdc264714f68d84cf29bc605589405e78bdbe7c9f",
        ],
    ),
    ("UniversalRouter 2.2.0", &["0xab863e752bf67d8dcdd929eaae9be9dc83fb3bbb"]),
];

/// Uniswap's V2 routers, on every chain.
const V2_ROUTERS: [&str; 5] = [
    "0x284f11109359a7e1306c3e447ef14d38400063ff",
    "0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24",
    "0x4a7b5da61326a6379179b40d00f57e5bbdc962c2",
    "0x7a250d5630b4cf539739df2c5dacb4c659f2488d",
    "0xedf6066a2b290c185783862c7f4776a2c8077ad1",
];

/// The WETH of each chain.
const WETH: [(&[u64], &str); 4] = [
    (&[1], "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"),
    (&[10, 8453], "0x4200000000000000000000000000000000000006"),
    (&[137], "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270"),
    (&[42161], "0x82af49447d8a07e3bd95bd0d56f35241523fbab1"),
];

/// Permit2, the same on every chain of these.
const PERMIT2: &str = "0x000000000022d473030f116ddee9f6b43ac78ba3";

/// Amounts stay below 2^255.
const EVM_AMOUNT_MAX: &str = "57896044618658097711785492504343953926634992332820282019728792003956564819967";

/// Below all ones, which no book grants.
const FEE_MAX: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639934";

/// Deadlines lie ahead of now by at most 90 days.
const DAYS_90_S: u64 = 90 * 24 * 3_600;

/// Below the largest uint160, which means "unlimited" to Permit2.
const ALLOWANCE_MAX: &str = "1461501637330902918203684832716283019655932542974";

/// UniswapX's reactors: order type, contract, chains it is deployed on.
const REACTORS: [(&str, &str, &[u64]); 13] = [
    ("ExclusiveDutch", "0x6000da47483062a0d734ba3dc7576ce6a0b645c4", &[1, 137]),
    ("V2Dutch", "0x00000011f84b9aa48e5f8aa8b9897600006289be", &[1]),
    ("V2Dutch", "0x1bd1aadc9e230626c44a139d7e70d842749351eb", &[42161]),
    ("V3Dutch", "0x0000000015757c461808ea25eb309638b62681cf", &[1]),
    ("V3Dutch", "0x000000000923439a92dae8930613568824108631", &[10]),
    ("V3Dutch", "0x00000000a55e50c71b70db3c8b58749cd1e18eb2", &[56]),
    ("V3Dutch", "0x000000005af66799d1a6317714d66800f9ca1406", &[130]),
    ("V3Dutch", "0x00000000bab6e234db8ad638b6a6395b7c499bc4", &[137]),
    ("V3Dutch", "0x000000008a8330b5d1f43a62bf4c673a49f27ba0", &[8453]),
    ("V3Dutch", "0xb274d5f4b833b61b340b654d600a864fb604a87c", &[42161]),
    ("V3Dutch", "0x00000000862ccf095823fc7576fa6c7e6b7385ef", &[43114]),
    ("Priority", "0x000000001ec5656dcdb24d90dfa42742738de729", &[8453]),
    ("Priority", "0x00000006021a6bce796be7ba509bbba71e956e37", &[130]),
];

/// Tokens that spotSend may move; a question does not name any.
const SPOT_TOKENS: [&str; 3] = [
    "PURR:0xc4bf3f870c0e9465323c0b6ed28096c2",
    "USDC:0x6d1e7cde53ba9467b783cb7c530ce054",
    "HYPE:0x0d01dc56dcaaca66ad901c959b4011ec",
];

/// The dexes between which sendAsset may move; a question does not name any.
const DEXES: [&str; 8] = ["", "spot", "xyz", "flx", "vntl", "hyna", "km", "cash"];

/// The first asset id of an outcome.
const OUTCOMES_FROM: u32 = 100_000_000;

/// Margin and vault transfers are capped as notionals are.
const USD_MAX: &str = "10000000000";

/// Sub-accounts of the key that may trade on Drift.
const SUB_ACCOUNTS: std::ops::Range<u16> = 0..10;

/// Writes the book for a question.
///
/// # Errors
/// When the key is none, or the venue is unknown.
pub(super) fn book_text(question: &Question, secret: &Secret) -> Result<String, Fault> {
    let scheme = if question.venue == "solana" { KeyScheme::Ed25519 } else { KeyScheme::Secp256k1 };
    let public_key = match public_key_of(scheme, secret)? {
        PublicKey::Secp256k1 { compressed, .. } => {
            format!("{{ secp256k1 = \"{}\" }}", hexadecimal::text(&compressed))
        }
        PublicKey::Ed25519 { key } => format!("{{ ed25519 = \"{}\" }}", bs58::encode(key).into_string()),
    };
    let mut text = format!(
        "version = 1\ndesk = \"conformance\"\nboot_mode = \"live\"\n\
         [[clients]]\nname = \"conformance\"\nmay = [{{ key = 0, venues = \"any\" }}]\n\
         public_key = {{ x25519 = \"0x3962653503c55e587bb66a98fa92c62e2bc29d53d16db33cb528e0ceb3797521\" }}\n\
         [[slots]]\nslot = 0\nname = \"key\"\n\
         public_key = {public_key}\n"
    );
    match question.venue.as_str() {
        "evm_eip1559" => evm(&mut text, question)?,
        "uniswapx" => uniswapx(&mut text, question)?,
        "polymarket" => polymarket(&mut text, question)?,
        "hyperliquid" => hyperliquid(&mut text, question)?,
        "solana" => solana(&mut text, question)?,
        other => return Err(format!("unknown venue {other}").into()),
    }
    Ok(text)
}

/// The addresses of `allow` as a TOML list. The zero address is nobody's.
fn addresses<'q>(question: &'q Question, wanted: impl Fn(&str) -> bool + 'q) -> String {
    let zero = format!("0x{}", "0".repeat(40));
    let listed =
        question.allow.iter().filter(|text| text.starts_with("0x") && **text != zero && wanted(text));
    format!("[{}]", listed.map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", "))
}

fn evm(text: &mut String, question: &Question) -> std::fmt::Result {
    let all = addresses(question, |_| true);
    write!(
        text,
        "[slots.evm]\nchains = {CHAINS:?}\nfee_per_gas_max = \"{FEE_MAX}\"\ngas_limit_max = {}\n\
         transaction_fee_max = \"{FEE_MAX}\"\naccess_list_entries_max = 1000\ncancel = true\n\
         [[slots.evm.native]]\nchains = {CHAINS:?}\nrecipients = {all}\nvalue_max = \"{EVM_AMOUNT_MAX}\"\n",
        i64::MAX
    )?;
    // Which contract is a chain's WETH is a fact; wrapping takes part only where the line's author names it.
    for (chains, contract) in WETH {
        write!(text, "[[slots.evm.weth]]\nchains = {chains:?}\ncontract = \"{contract}\"\n")?;
        if question.allow.iter().any(|listed| listed == contract) {
            write!(text, "deposit_max = \"{EVM_AMOUNT_MAX}\"\nwithdraw_max = \"{EVM_AMOUNT_MAX}\"\n")?;
        }
    }
    if all == "[]" {
        return Ok(());
    }
    write!(
        text,
        "[[slots.evm.tokens]]\nchains = {CHAINS:?}\ntokens = {all}\nrevoke = true\n\
         transfer = {{ recipients = {all}, amount_max = \"{EVM_AMOUNT_MAX}\" }}\n\
         approve = {{ spenders = {all}, amount_max = \"{EVM_AMOUNT_MAX}\" }}\n\
         transfer_from = {{ owners = {all}, recipients = {all}, amount_max = \"{EVM_AMOUNT_MAX}\" }}\n\
         permit = {{ owners = {all}, spenders = {all}, amount_max = \"{EVM_AMOUNT_MAX}\", \
         deadline_ahead_max_s = {DAYS_90_S} }}\n\
         [[slots.evm.permit2]]\nchains = {CHAINS:?}\ncontracts = [\"{PERMIT2}\"]\nrevoke = true\n\
         approve = {{ tokens = {all}, spenders = {all}, amount_max = \"{ALLOWANCE_MAX}\", \
         expiration_ahead_max_s = {DAYS_90_S} }}\n"
    )?;
    evm_swaps(text, question, &all)
}

/// Addresses 1 and 2, which stand for the sender and the router.
fn is_sentinel(text: &str) -> bool {
    matches!(text.trim_start_matches("0x").trim_start_matches('0'), "1" | "2")
}

/// Each contract that the line's author names is granted as the router it is; one that is none of the others
/// as a SwapRouter02, of which every chain has its own. An entry for each: a router is no recipient of its own.
fn evm_swaps(text: &mut String, question: &Question, all: &str) -> std::fmt::Result {
    let universal = UNIVERSAL_ROUTERS.iter().map(|(router, contracts)| (*router, *contracts));
    let known = [("SwapRouter", &[SWAP_ROUTER][..]), ("V2Router", &V2_ROUTERS[..])];
    let known: Vec<_> = known.into_iter().chain(universal).collect();
    let kind_of = |text: &str| known.iter().find(|(_, contracts)| contracts.contains(&text));
    for contract in &question.allow {
        let is_named = addresses(question, |text| text == contract) != "[]";
        if !is_named || question.allow.len() < 2 {
            continue;
        }
        let router = kind_of(contract).map_or("SwapRouter02", |(router, _)| router);
        let recipients = addresses(question, |text| text != contract && !is_sentinel(text));
        let grants = match router {
            "V2Router" => "fee_on_transfer = true\n".to_owned(),
            "SwapRouter" => "pool_fees = \"any\"\nmulticall = true\n".to_owned(),
            "SwapRouter02" => "pool_fees = \"any\"\nmulticall = true\nwithout_deadline = true\n".to_owned(),
            _ => format!(
                "pool_fees = \"any\"\nwithout_deadline = true\n\
                 portion = {{ recipients = {recipients}, bips_max = 10000 }}\n"
            ),
        };
        write!(
            text,
            "[[slots.evm.swaps]]\nchains = {CHAINS:?}\nrouters = [\"{contract}\"]\nrouter = \"{router}\"\n\
             tokens_in = {all}\ntokens_out = {all}\nintermediates = {all}\nrecipients = {recipients}\n\
             exact_output = true\nnative = true\namount_in_max = \"{EVM_AMOUNT_MAX}\"\n\
             out_per_in_min = \"any\"\ndeadline_ahead_max_s = {DAYS_90_S}\n{grants}"
        )?;
    }
    Ok(())
}

/// The line's author may trade from every address it deals with, on every exchange: a question names no wallet's
/// kind and no market's.
fn polymarket(text: &mut String, question: &Question) -> std::fmt::Result {
    let all = addresses(question, |_| true);
    write!(
        text,
        "[slots.polymarket]\nchains = [137, 80002]\n\
         clob_auth = {{ timestamp_behind_max_s = 60, timestamp_ahead_max_s = 60, nonce_max = {} }}\n",
        i64::MAX
    )?;
    if question.markets.is_empty() {
        return Ok(());
    }
    write!(
        text,
        "[slots.polymarket.order]\neoa = true\nproxies = {all}\nsafes = {all}\ndeposit_wallets = {all}\n\
         rounding_max = \"0.0001\"\n\
         v1 = {{ fee_rate_bps_max = 1000, nonce_max = {}, takers = [], expiration_ahead_max_s = 7776000, \
         without_expiration = true }}\n\
         v2 = {{ timestamp_behind_max_ms = 60000, timestamp_ahead_max_ms = 60000, builders = \"any\", \
         metadata = \"any\" }}\n",
        i64::MAX
    )?;
    write!(
        text,
        "[[slots.polymarket.order.markets]]\nexchanges = [\"V1\", \"NegRiskV1\", \"V2\", \"NegRiskV2\", \"V3\"]\n\
         token_ids = {:?}\nbuy = true\nsell = true\nprice_min = \"0.000001\"\nprice_max = 1\n\
         shares_max = 10000000\ncollateral_max = 10000000\n",
        question.markets
    )
}

/// Orders go through the reactors that Uniswap has deployed, each on its own chains; permits are for the chains of
/// [`CHAINS`].
fn uniswapx(text: &mut String, question: &Question) -> std::fmt::Result {
    let all = addresses(question, |_| true);
    write!(
        text,
        "[slots.uniswapx]\nchains = [1, 10, 56, 130, 137, 8453, 42161, 43114]\n\
         permit2 = [\"0x000000000022d473030f116ddee9f6b43ac78ba3\"]\n\
         deadline_ahead_max_s = 7776000\nvalidation_contracts = {all}\n"
    )?;
    if all == "[]" {
        // A book must grant something: whatever the payload is, it does not deal with this address.
        return write!(
            text,
            "[[slots.uniswapx.transfers]]\nchains = [1]\nspenders = [\"0x{0}\"]\ntokens = [\"0x{0}\"]\n\
             amount_max = 1\n",
            "11".repeat(20)
        );
    }
    let mut granted = Vec::new();
    for (order, reactor, chains) in REACTORS {
        if addresses(question, |text| text == reactor) == "[]" {
            continue;
        }
        let cosigners = if order == "ExclusiveDutch" { "exclusive_fillers" } else { "cosigners" };
        write!(
            text,
            "[[slots.uniswapx.reactors]]\norder = \"{order}\"\nchains = {chains:?}\nreactors = [\"{reactor}\"]\n\
             {cosigners} = {all}\n"
        )?;
        granted.extend_from_slice(chains);
    }
    granted.sort_unstable();
    granted.dedup();
    if !granted.is_empty() {
        write!(
            text,
            "[[slots.uniswapx.swaps]]\nchains = {granted:?}\ntokens_in = {all}\ntokens_out = {all}\n\
             native_out = true\nsame_token = true\namount_in_max = \"{EVM_AMOUNT_MAX}\"\n\
             out_per_in_min = \"any\"\n\
             fees = {{ recipients = {all}, share_max_bps = 10000, other_tokens = true }}\n"
        )?;
    }
    write!(
        text,
        "[[slots.uniswapx.allowances]]\nchains = {CHAINS:?}\nspenders = {all}\ntokens = {all}\n\
         amount_max = \"{ALLOWANCE_MAX}\"\nexpiration_ahead_max_s = 7776000\n\
         [[slots.uniswapx.transfers]]\nchains = {CHAINS:?}\nspenders = {all}\ntokens = {all}\n\
         amount_max = \"{EVM_AMOUNT_MAX}\"\n"
    )
}

fn hyperliquid(text: &mut String, question: &Question) -> std::fmt::Result {
    let all = addresses(question, |_| true);
    // An outcome's id ends in its side: the book language takes no other.
    let assets = question.markets.iter().filter_map(|text| text.parse::<u32>().ok());
    let assets: Vec<u32> = assets.filter(|asset| *asset < OUTCOMES_FROM || asset % 10 <= 1).collect();
    let any_market = !assets.is_empty();
    write!(
        text,
        "[slots.hyperliquid]\nnetworks = [\"mainnet\", \"testnet\"]\nwithout_vault = true\nvaults = {all}\n\
         nonce_behind_max_ms = 172800000\nnonce_ahead_max_ms = 86400000\ncancel = {any_market}\n\
         twap_cancel = {any_market}\nschedule_cancel = {{ ahead_max_ms = 604800000, clear = true }}\n\
         signature_chain_ids = [0xa4b1, 0x66eee]\n"
    )?;
    if all != "[]" {
        write!(
            text,
            "vault_transfer = {{ vaults = {all}, deposit_max = {USD_MAX}, withdraw_max = {USD_MAX} }}\n\
             approve_agent = {{ agents = {all}, names = \"any\" }}\n\
             approve_builder_fee = {{ builders = {all}, rate_percent_max = \"0.1\" }}\n"
        )?;
    }
    for action in ["usdSend", "spotSend", "withdraw3", "usdClassTransfer", "sendAsset"] {
        write!(
            text,
            "[[slots.hyperliquid.transfers]]\naction = \"{action}\"\namount_max = \"10000000000\"\n"
        )?;
        if action != "usdClassTransfer" {
            writeln!(text, "destinations = {all}")?;
        }
        if matches!(action, "usdClassTransfer" | "sendAsset") {
            writeln!(text, "sub_accounts = {all}")?;
        }
        if matches!(action, "spotSend" | "sendAsset") {
            writeln!(text, "tokens = {SPOT_TOKENS:?}")?;
        }
        if action == "sendAsset" {
            writeln!(text, "source_dexes = {DEXES:?}\ndestination_dexes = {DEXES:?}")?;
        }
    }
    if !any_market {
        return Ok(());
    }
    let builder_fee_max = if all == "[]" { "" } else { "builder_fee_max = 100\n" };
    write!(
        text,
        "[slots.hyperliquid.order]\ntifs = [\"Alo\", \"Ioc\", \"Gtc\", \"FrontendMarket\"]\ntriggers = true\n\
         groupings = [\"na\", \"normalTpsl\", \"positionTpsl\"]\nbuilders = {all}\n{builder_fee_max}\
         orders_max = 1000\naction_notional_max = \"1000000000000\"\nmodify = true\n\
         twap = {{ minutes_min = 5, minutes_max = 1440 }}\n"
    )?;
    for asset in assets {
        // An outcome settles at 0 or 1: the book language takes no higher price.
        let price_max = if asset >= OUTCOMES_FROM { 1 } else { 1_000_000 };
        write!(
            text,
            "[[slots.hyperliquid.order.assets]]\nasset = {asset}\nsize_max = 200000000\n\
             price_min = \"0.00000001\"\nprice_max = {price_max}\nnotional_max = 10000000000\n\
             leverage_max = 50\nmargin_add_max = {USD_MAX}\nmargin_remove_max = {USD_MAX}\n"
        )?;
    }
    Ok(())
}

/// Largest base size and amount of the Solana rules, 2^62, with nine decimals.
const SOLANA_AMOUNT_MAX: &str = "4611686018.427387904";

/// Farthest offset from an oracle's price of the Solana rules, 2^62 with six decimals.
const SOLANA_OFFSET_MAX: &str = "4611686018427.387904";

/// Highest price of the Solana rules: the collar is any number but 0.
const SOLANA_PRICE_MAX: &str = "18446744073709.551615";

fn solana(text: &mut String, question: &Question) -> std::fmt::Result {
    text.push_str(
        "[slots.solana]\npriority_fee_max = \"100000000000000\"\nplacements_max = 1\norders_max = 64\n",
    );
    let mut markets = Vec::new();
    for market in &question.markets {
        markets.push(market.split_once(':').ok_or(std::fmt::Error)?);
    }
    let any_perp = markets.iter().any(|(kind, _)| *kind == "perp");
    drift_program(text, "DriftV2", !markets.is_empty())?;
    text.push_str("cancel = true\nsettle_pnl = true\n");
    if !markets.is_empty() {
        text.push_str(
            "swift = { slot_max = 1000000000, isolated_deposit_max = 0, margin_ratio_min = 100, \
             margin_ratio_max = 10000 }\n",
        );
    }
    // A modification names no market, and where the line names none either the book needs one all the same.
    let for_modifications: &[_] = if any_perp { &[] } else { &[("perp", "0")] };
    for (kind, index) in markets.iter().chain(for_modifications) {
        drift_market(text, kind, index)?;
    }
    let destinations: Vec<_> = question.allow.iter().filter(|text| key(text).is_ok()).collect();
    for (_, index) in markets.iter().filter(|(kind, _)| *kind == "spot") {
        write!(
            text,
            "[[slots.solana.programs.collateral]]\nmarket_index = {index}\ndecimals = 9\n\
             deposit_max = \"{SOLANA_AMOUNT_MAX}\"\n"
        )?;
        if !destinations.is_empty() {
            writeln!(
                text,
                "withdraw = {{ amount_max = \"{SOLANA_AMOUNT_MAX}\", destinations = {destinations:?}, \
                 borrow = true }}"
            )?;
        }
    }
    drift_program(text, "VelocityV1", any_perp)?;
    let perps = markets.iter().filter(|(kind, _)| *kind == "perp");
    for (kind, index) in perps.chain(for_modifications) {
        drift_market(text, kind, index)?;
    }
    Ok(())
}

fn drift_program(text: &mut String, program: &str, orders: bool) -> std::fmt::Result {
    let sub_accounts: Vec<u16> = SUB_ACCOUNTS.collect();
    let builders: Vec<u8> = (0..=u8::MAX).collect();
    write!(
        text,
        "[[slots.solana.programs]]\nprogram = \"{program}\"\nsub_accounts = {sub_accounts:?}\n\
         orders = {orders}\norder_bits = 1\nbuilders = {{ indexes = {builders:?}, fee_tenth_bps_max = 100 }}\n\
         modify = {{ base_max = {}, price_min = \"0.000001\", price_max = \"{SOLANA_PRICE_MAX}\", \
         unpriced = true, partial = true }}\n",
        1_u64 << 62
    )
}

fn drift_market(text: &mut String, kind: &str, index: &str) -> std::fmt::Result {
    let decimals = if kind == "spot" { "base_decimals = 9\n" } else { "" };
    write!(
        text,
        "[[slots.solana.programs.markets]]\nkind = \"{kind}\"\nindex = {index}\n{decimals}\
         base_max = \"{SOLANA_AMOUNT_MAX}\"\nprice_min = \"0.000001\"\nprice_max = \"{SOLANA_PRICE_MAX}\"\n\
         unpriced = true\noracle_offset_max = \"{SOLANA_OFFSET_MAX}\"\n"
    )
}
