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

/// Amounts stay below 2^255.
const EVM_AMOUNT_MAX: &str = "57896044618658097711785492504343953926634992332820282019728792003956564819967";
const UINT256_MAX: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

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
        "version = 1\ndesk = \"conformance\"\nboot_mode = \"live\"\n[[slots]]\nslot = 0\nname = \"key\"\n\
         public_key = {public_key}\n"
    );
    match question.venue.as_str() {
        "evm_eip1559" => evm(&mut text, question)?,
        "uniswapx" => uniswapx(&mut text, question)?,
        "polymarket" => write!(text, "[slots.polymarket]\nchains = [137]\n")?,
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
        "[slots.evm]\nchains = {CHAINS:?}\nfee_per_gas_max = \"{UINT256_MAX}\"\ngas_limit_max = {}\n\
         transaction_fee_max = \"{UINT256_MAX}\"\naccess_list_entries_max = 1000\n\
         [[slots.evm.native]]\nchains = {CHAINS:?}\nrecipients = {all}\nvalue_max = \"{EVM_AMOUNT_MAX}\"\n",
        i64::MAX
    )?;
    if all == "[]" {
        return Ok(());
    }
    write!(
        text,
        "[[slots.evm.tokens]]\nchains = {CHAINS:?}\ntokens = {all}\n\
         transfer = {{ recipients = {all}, amount_max = \"{EVM_AMOUNT_MAX}\" }}\n\
         approve = {{ spenders = {all}, amount_max = \"{EVM_AMOUNT_MAX}\" }}\n\
         transfer_from = {{ owners = {all}, recipients = {all}, amount_max = \"{EVM_AMOUNT_MAX}\" }}\n"
    )?;
    for (router, deadline) in [("SwapRouter", "deadline_ahead_max_s = 7776000\n"), ("SwapRouter02", "")] {
        let routers = addresses(question, |text| (text == SWAP_ROUTER) == (router == "SwapRouter"));
        if routers != "[]" && question.allow.len() > 1 {
            write!(
                text,
                "[[slots.evm.swaps]]\nchains = {CHAINS:?}\nrouters = {routers}\nrouter = \"{router}\"\n\
                 tokens_in = {all}\ntokens_out = {all}\npool_fees = \"any\"\nrecipients = {all}\n\
                 amount_in_max = \"{EVM_AMOUNT_MAX}\"\nout_per_in_min = {{ numerator = 0, denominator = 1 }}\n{deadline}"
            )?;
        }
    }
    Ok(())
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
             out_per_in_min = {{ numerator = 0, denominator = 1 }}\n\
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
         twap_cancel = {any_market}\nschedule_cancel = {{ ahead_max_ms = 2592000000, clear = true }}\n\
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
        text.push_str("swift = { slot_max = 1000000000, isolated_deposit_max = 0 }\n");
    }
    for (kind, index) in &markets {
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
    for (kind, index) in markets.iter().filter(|(kind, _)| *kind == "perp") {
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
         unpriced = true }}\n",
        1_u64 << 62
    )
}

fn drift_market(text: &mut String, kind: &str, index: &str) -> std::fmt::Result {
    let decimals = if kind == "spot" { "base_decimals = 9\n" } else { "" };
    write!(
        text,
        "[[slots.solana.programs.markets]]\nkind = \"{kind}\"\nindex = {index}\n{decimals}\
         base_max = \"{SOLANA_AMOUNT_MAX}\"\nprice_min = \"0.000001\"\nprice_max = \"{SOLANA_PRICE_MAX}\"\n\
         unpriced = true\n"
    )
}
