//! Books as large as the compiler takes them: lists of [`LIST_LEN_MAX`] entries in which what a payload names stands
//! last, and all [`BUCKETS_MAX`] budgets.

use std::fmt::Write as _;

use book::{BUCKETS_MAX, Book};
use compile::LIST_LEN_MAX;

use crate::Fault;

/// How many entries of EVM swaps that match all but the token sold stand before the one that decides: as many lists of
/// [`LIST_LEN_MAX`] addresses as a book file has room for, beside those that the payload needs.
const EVM_ENTRIES: usize = 8;

/// The same of UniswapX, whose order names more.
const UNISWAPX_ENTRIES: usize = 6;

const HEAD: &str = r#"
version = 1
desk = "largest"
boot_mode = "live"

[[clients]]
name = "bot"
public_key = { x25519 = "0x3962653503c55e587bb66a98fa92c62e2bc29d53d16db33cb528e0ceb3797521" }
may = [{ key = 0, venues = "any" }]

[[slots]]
slot = 0
name = "largest"
"#;

const SECP256K1: &str =
    r#"public_key = { secp256k1 = "0x0220b981817adcc438c023b097affbafbec040b7ccfa070e8941813d5f75d430a6" }"#;
const ED25519: &str = r#"public_key = { ed25519 = "2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3" }"#;

/// The address with this number, and none that a venue knows.
pub(super) fn address(list: u8, number: usize) -> [u8; 20] {
    let [.., high, low] = number.to_be_bytes();
    [&[list; 18][..], &[high, low]].concat().try_into().unwrap_or([0; 20])
}

/// A list of addresses; the last one is [`last`] of the list.
fn addresses(list: u8, len: usize) -> String {
    let hex =
        |address: [u8; 20]| address.iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"));
    listed((0..len).map(|number| format!("{:?}", hex(address(list, number)))))
}

/// The address of a list that is looked at last.
pub(super) fn last(list: u8) -> [u8; 20] {
    address(list, LIST_LEN_MAX - 1)
}

fn listed(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(","))
}

/// All budgets that a book may have, those of orders and notional with a level for each market where `per_market`. An
/// order of 2 USD has come back after a second.
fn budgets(per_market: bool) -> String {
    (0..BUCKETS_MAX).fold(String::new(), |mut text, number| {
        let (counts, per) = match (per_market, number % 2) {
            (true, 0) => ("notional", "market"),
            (true, _) => ("orders", "market"),
            (false, 0) => ("requests", "key"),
            (false, _) => ("requests", "client"),
        };
        let orders = if per_market { "orders = \"all\"\n" } else { "" };
        let refill = if counts == "notional" { 2 } else { 1 };
        let _ = write!(
            text,
            "\n[[buckets]]\nname = \"budget-{number}\"\ncounts = \"{counts}\"\nper = \"{per}\"\n{orders}\
             venues = \"any\"\nkeys = \"any\"\nclients = \"any\"\ncapacity = 2000\nrefill = {refill}\nrefill_ms = 1000\n"
        );
        text
    })
}

fn compiled(key: &str, grants: &str, per_market: bool) -> Result<&'static Book<'static>, Fault> {
    let text = format!("{HEAD}{key}\n{grants}{}", budgets(per_market));
    compile::compile("largest.toml", &text)
        .map_err(|faults| faults.first().map_or_else(String::new, ToString::to_string).into())
}

/// Hyperliquid: as many assets as a list holds, and as many again that may only be cancelled.
pub(super) fn hyperliquid() -> Result<&'static Book<'static>, Fault> {
    let mut grants = r#"
[slots.hyperliquid]
networks = ["mainnet"]
without_vault = true
nonce_behind_max_ms = 60000
nonce_ahead_max_ms = 60000
cancel = true
"#
    .to_owned();
    let _ =
        writeln!(grants, "cancel_assets = {}", listed((0..LIST_LEN_MAX).map(|at| (5_000 + at).to_string())));
    grants += r#"
[slots.hyperliquid.order]
tifs = ["Ioc"]
triggers = true
groupings = ["na", "normalTpsl", "positionTpsl"]
orders_max = 70
action_notional_max = 1000000
"#;
    for asset in 0..LIST_LEN_MAX {
        let _ = write!(
            grants,
            "[[slots.hyperliquid.order.assets]]\nasset = {asset}\nsize_max = 10\nprice_min = 1\nprice_max = 9\n\
             notional_max = 1000\n"
        );
    }
    compiled(SECP256K1, &grants, true)
}

/// EVM: entries of swaps that all match chain and router, long lists of tokens, the last entry's last token.
pub(super) fn evm() -> Result<&'static Book<'static>, Fault> {
    let mut grants = r#"
[slots.evm]
chains = [1]
fee_per_gas_max = "100 gwei"
gas_limit_max = 30000000
transaction_fee_max = "10 ether"
access_list_entries_max = 0
"#
    .to_owned();
    for entry in 0..=EVM_ENTRIES {
        let is_last = entry == EVM_ENTRIES;
        let list = if is_last { 0x10 } else { 0x20 + u8::try_from(entry)? };
        let between = if is_last { addresses(0x13, LIST_LEN_MAX) } else { "[]".to_owned() };
        let fees = listed((1..=if is_last { LIST_LEN_MAX } else { 1 }).map(|fee| fee.to_string()));
        let out = if is_last { addresses(0x11, LIST_LEN_MAX) } else { addresses(0x12, 1) };
        let _ = write!(
            grants,
            "[[slots.evm.swaps]]\nchains = [1]\nrouters = {}\nrouter = \"UniversalRouter 2.0\"\ntokens_in = {}\n\
             tokens_out = {out}\nintermediates = {between}\npool_fees = {fees}\namount_in_max = 1000000\n\
             out_per_in_min = \"any\"\nwithout_deadline = true\ndeadline_ahead_max_s = 3600\n",
            addresses(0x14, 1),
            addresses(list, LIST_LEN_MAX),
        );
    }
    compiled(SECP256K1, &grants, false)
}

/// UniswapX: the last of long lists of reactors, cosigners, tokens and recipients of fees.
pub(super) fn uniswapx() -> Result<&'static Book<'static>, Fault> {
    let mut grants = format!(
        "[slots.uniswapx]\nchains = [1]\npermit2 = [\"0x000000000022D473030F116dDEE9F6B43aC78BA3\"]\n\
         deadline_ahead_max_s = 3600\n[[slots.uniswapx.reactors]]\norder = \"V3Dutch\"\nchains = [1]\nreactors = {}\n\
         cosigners = {}\n",
        addresses(0x14, LIST_LEN_MAX),
        addresses(0x15, LIST_LEN_MAX),
    );
    for entry in 0..=UNISWAPX_ENTRIES {
        let is_last = entry == UNISWAPX_ENTRIES;
        let list = if is_last { 0x10 } else { 0x20 + u8::try_from(entry)? };
        let out = if is_last { addresses(0x11, LIST_LEN_MAX) } else { addresses(0x12, 1) };
        let _ = write!(
            grants,
            "[[slots.uniswapx.swaps]]\nchains = [1]\ntokens_in = {}\ntokens_out = {out}\namount_in_max = 1000000\n\
             out_per_in_min = \"any\"\nfees = {{ recipients = {}, share_max_bps = 10000, other_tokens = true }}\n",
            addresses(list, LIST_LEN_MAX),
            addresses(0x16, if is_last { LIST_LEN_MAX } else { 1 }),
        );
    }
    compiled(SECP256K1, &grants, false)
}

/// Polymarket: the last outcome token of the last market, from the last deposit wallet.
pub(super) fn polymarket() -> Result<&'static Book<'static>, Fault> {
    let mut grants = format!(
        "[slots.polymarket]\nchains = [137]\n[slots.polymarket.order]\ndeposit_wallets = {}\nrounding_max = 0\n\
         v2 = {{ timestamp_behind_max_ms = 60000, timestamp_ahead_max_ms = 60000, builders = {}, metadata = {} }}\n",
        addresses(0x14, LIST_LEN_MAX),
        words(0x15),
        words(0x16),
    );
    for market in 0..LIST_LEN_MAX {
        let _ = write!(
            grants,
            "[[slots.polymarket.order.markets]]\nexchanges = [\"V2\"]\ntoken_ids = [{}]\nbuy = true\nprice_min = 0.1\n\
             price_max = 0.9\nshares_max = 1000\ncollateral_max = 1000\n",
            market + 1
        );
    }
    compiled(SECP256K1, &grants.replace("0.1", "\"0.1\"").replace("0.9", "\"0.9\""), true)
}

/// A list of words of 32 bytes; the last one is [`word`] of the list.
fn words(list: u8) -> String {
    let hex = |word: [u8; 32]| word.iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"));
    listed((0..LIST_LEN_MAX).map(|number| format!("{:?}", hex(word(list, number)))))
}

/// The word with this number.
pub(super) fn word(list: u8, number: usize) -> [u8; 32] {
    let [.., high, low] = number.to_be_bytes();
    [&[list; 30][..], &[high, low]].concat().try_into().unwrap_or([0; 32])
}

/// Solana: the last market and the last sub-account of Drift.
pub(super) fn solana() -> Result<&'static Book<'static>, Fault> {
    let mut grants = format!(
        "[slots.solana]\npriority_fee_max = 10000000000\nplacements_max = 8\norders_max = 64\n\
         [[slots.solana.programs]]\nprogram = \"DriftV2\"\nsub_accounts = {}\norders = true\n\
         modify = {{ base_max = 1000000, price_min = 1, price_max = 9, partial = true }}\n",
        listed((0..LIST_LEN_MAX).map(|sub_account| sub_account.to_string())),
    );
    for market in 0..LIST_LEN_MAX {
        let _ = write!(
            grants,
            "[[slots.solana.programs.markets]]\nkind = \"perp\"\nindex = {market}\nbase_max = 100\nprice_min = 1\n\
             price_max = 9\n"
        );
    }
    compiled(ED25519, &grants, false)
}
