//! A book as a person reads it: every value of the compiled book, indented, amounts in human units.
//!
//! It prints what the vault will hold and not what the file says: derived accounts and defaults are there.

use book::Book;
use venues::U256;

use crate::hexadecimal;
use compile::tree::Node;

/// The amounts that a book holds in a fine unit: struct, field, decimals and the unit that is shown.
const UNITS: &[(&str, &str, usize, &str)] = &[
    ("evm::rules::Limits", "fee_per_gas_max", 9, "gwei"),
    ("evm::rules::Limits", "transaction_fee_max", 18, "ether"),
    ("evm::rules::NativeLimits", "value_max", 18, "ether"),
    ("evm::rules::TransferLimits", "amount_max", 0, "base units"),
    ("evm::rules::ApproveLimits", "amount_max", 0, "base units"),
    ("evm::rules::TransferFromLimits", "amount_max", 0, "base units"),
    ("evm::rules::SwapLimits", "amount_in_max", 0, "base units"),
    ("evm::rules::SwapLimits", "deadline_ahead_max_s", 0, "s"),
    ("evm::rules::PermitLimits", "amount_max", 0, "base units"),
    ("evm::rules::PermitLimits", "deadline_ahead_max_s", 0, "s"),
    ("evm::rules::WethLimits", "deposit_max", 18, "ether"),
    ("evm::rules::WethLimits", "withdraw_max", 18, "ether"),
    ("evm::rules::Permit2ApproveLimits", "amount_max", 0, "base units"),
    ("evm::rules::Permit2ApproveLimits", "expiration_ahead_max_s", 0, "s"),
    ("uniswapx::rules::Limits", "deadline_ahead_max_s", 0, "s"),
    ("uniswapx::rules::SwapLimits", "amount_in_max", 0, "base units"),
    ("polymarket::rules::OrderLimits", "rounding_max", 6, "shares"),
    ("polymarket::rules::MarketLimits", "price_min", 6, "collateral a share"),
    ("polymarket::rules::MarketLimits", "price_max", 6, "collateral a share"),
    ("polymarket::rules::MarketLimits", "shares_max", 6, "shares"),
    ("polymarket::rules::MarketLimits", "collateral_max", 6, "collateral"),
    ("polymarket::rules::V1Limits", "expiration_ahead_max_s", 0, "s"),
    ("polymarket::rules::V2Limits", "timestamp_behind_max_ms", 3, "s"),
    ("polymarket::rules::V2Limits", "timestamp_ahead_max_ms", 3, "s"),
    ("polymarket::rules::ClobAuthLimits", "timestamp_behind_max_s", 0, "s"),
    ("polymarket::rules::ClobAuthLimits", "timestamp_ahead_max_s", 0, "s"),
    ("hyperliquid::rules::Limits", "nonce_behind_max_ms", 3, "s"),
    ("hyperliquid::rules::Limits", "nonce_ahead_max_ms", 3, "s"),
    ("hyperliquid::rules::OrderLimits", "action_notional_max", 16, "USD"),
    ("hyperliquid::rules::OrderLimits", "priority_rate_max", 6, "%"),
    ("hyperliquid::rules::AssetLimits", "size_max", 8, "base"),
    ("hyperliquid::rules::AssetLimits", "price_min", 8, "USD"),
    ("hyperliquid::rules::AssetLimits", "price_max", 8, "USD"),
    ("hyperliquid::rules::AssetLimits", "notional_max", 16, "USD"),
    ("hyperliquid::rules::AssetLimits", "quote_usd_max", 6, "USD"),
    ("hyperliquid::rules::AssetLimits", "margin_add_max", 6, "USD"),
    ("hyperliquid::rules::AssetLimits", "margin_remove_max", 6, "USD"),
    ("hyperliquid::rules::ScheduleCancelLimits", "ahead_max_ms", 3, "s"),
    ("hyperliquid::rules::VaultTransferLimits", "deposit_max", 6, "USD"),
    ("hyperliquid::rules::VaultTransferLimits", "withdraw_max", 6, "USD"),
    ("hyperliquid::rules::BuilderFeeLimits", "rate_max", 8, "%"),
    ("hyperliquid::rules::TransferLimits", "amount_max", 8, "of the token"),
    ("hyperliquid::rules::TransferLimits", "usd_max", 6, "USD"),
    ("solana::rules::Limits", "priority_fee_max", 6, "lamports"),
    ("solana::rules::MarketLimits", "price_min", 6, "of the quote"),
    ("solana::rules::MarketLimits", "price_max", 6, "of the quote"),
    ("solana::rules::MarketLimits", "oracle_offset_max", 6, "of the quote"),
    ("solana::rules::MarketLimits", "base_max", 0, "base units (10^9 a perpetual)"),
    ("solana::rules::ModifyLimits", "base_max", 0, "base units"),
    ("solana::rules::ModifyLimits", "price_min", 6, "of the quote"),
    ("solana::rules::ModifyLimits", "price_max", 6, "of the quote"),
    ("book::Bucket", "refill_ms", 3, "s"),
    ("book::Host", "heartbeat_ms", 3, "s"),
    ("book::Heartbeat", "heartbeat_ms", 3, "s"),
    ("exposure::TokenValue", "usd_max", 6, "USD"),
    ("solana::rules::CollateralLimits", "usd_max", 6, "USD"),
];

/// The field that holds when a slot's grants end.
const EXPIRY: &str = "expires_ms";

/// The whole book's path.
const BOOK: &str = "::book::Book";

/// Decimals of a budget of notional.
const USD_DECIMALS: usize = 6;

/// The whole book.
pub(crate) fn text(book: &Book<'_>) -> String {
    lines(&Node::of(book)).into_iter().map(|line| line + "\n").collect()
}

/// Everything that a struct says, indented.
pub(crate) fn lines(node: &Node) -> Vec<String> {
    let mut lines = Vec::new();
    inner(node, 0, &mut lines);
    lines
}

/// The fields of a struct, or the elements of a list.
fn inner(node: &Node, depth: usize, lines: &mut Vec<String>) {
    match node {
        Node::Struct(path, fields) => {
            for (field, value) in fields {
                outer(&format!("{field}:"), value, &Around { path, field, node }, depth, lines);
            }
        }
        Node::List(elements) => {
            for element in elements {
                outer("-", element, &Around::NOTHING, depth, lines);
            }
        }
        Node::Any
        | Node::Nothing
        | Node::Flag(_)
        | Node::Number(_)
        | Node::Bytes(_)
        | Node::Text(_)
        | Node::Word(_) => {}
    }
}

/// A value behind its name, or behind a dash; what stands in it one step further in.
fn outer(name: &str, value: &Node, around: &Around<'_>, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    let is_list = matches!(value, Node::List(elements) if !elements.is_empty());
    let has_lines = is_list || matches!(value, Node::Struct(..));
    if has_lines {
        lines.push(format!("{indent}{name}"));
        inner(value, depth + 1, lines);
    } else {
        lines.push(format!("{indent}{name} {}", self::value(value, around)));
    }
}

/// Where a value stands, which says the unit of numbers.
#[derive(Clone, Copy)]
pub(crate) struct Around<'n> {
    /// The path of the struct around it.
    pub(crate) path: &'n str,
    /// Its field there.
    pub(crate) field: &'n str,
    /// The struct.
    pub(crate) node: &'n Node,
}

impl Around<'_> {
    /// A value that stands alone.
    pub(crate) const NOTHING: Self = Self { path: "", field: "", node: &Node::Nothing };
}

/// A value on one line.
pub(crate) fn value(node: &Node, around: &Around<'_>) -> String {
    match node {
        Node::Struct(path, _) if path.ends_with("::Ratio") => ratio(node),
        Node::Struct(..) => "(…)".to_owned(),
        Node::List(elements) if elements.is_empty() => "(none)".to_owned(),
        Node::List(elements) => {
            let shown: Vec<_> = elements.iter().map(|element| value(element, &Around::NOTHING)).collect();
            format!("[{}]", shown.join(", "))
        }
        Node::Any => "any".to_owned(),
        Node::Nothing if around.field == EXPIRY => "never".to_owned(),
        Node::Nothing if around.path == BOOK || around.path.ends_with("book::Access") => "none".to_owned(),
        Node::Nothing => "not granted".to_owned(),
        Node::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Node::Number(number) => amount(number, around),
        // Keys of operators, clients and the host, which a book writes so.
        Node::Bytes(bytes) if around.path.starts_with("::book::") => hexadecimal::text(bytes),
        Node::Bytes(bytes) => self::bytes(bytes),
        Node::Text(text) => text.clone(),
        Node::Word(path) => path.rsplit("::").next().unwrap_or(path).to_owned(),
    }
}

/// Output units over input units.
fn ratio(node: &Node) -> String {
    let part = |name| node.field(name).map(|part| value(part, &Around::NOTHING)).unwrap_or_default();
    format!("{} / {}", part("numerator"), part("denominator"))
}

/// A number: with its unit where it is an amount, else (an id, a count) as it is.
fn amount(number: &U256, around: &Around<'_>) -> String {
    if around.field == EXPIRY {
        return time(number);
    }
    let path = around.path.trim_start_matches("::venues::").trim_start_matches("::");
    if path == "book::Bucket" && matches!(around.field, "capacity" | "refill") {
        let counts_usd =
            matches!(around.node.field("counts"), Some(Node::Word(word)) if word.ends_with("::Notional"));
        return if counts_usd {
            format!("{} USD", decimal(number, USD_DECIMALS))
        } else {
            number.to_string()
        };
    }
    let unit = UNITS.iter().find(|(of, field, ..)| *of == path && *field == around.field);
    match unit {
        Some((_, _, decimals, unit)) => format!("{} {unit}", decimal(number, *decimals)),
        None => number.to_string(),
    }
}

/// A time as a book writes it.
fn time(epoch_ms: &U256) -> String {
    let Ok(epoch_ms) = u64::try_from(*epoch_ms) else { return format!("{epoch_ms} ms") };
    let (days, seconds) = (epoch_ms / 86_400_000, epoch_ms / 1_000 % 86_400);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut day) = (1970, days);
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", day + 1)
}

/// An address, an account or other bytes.
fn bytes(bytes: &[u8]) -> String {
    if let Ok(address) = bytes.try_into() {
        compile::checksummed(address)
    } else if let Ok(account) = bytes.try_into() {
        compile::base58(account)
    } else {
        hexadecimal::text(bytes)
    }
}

/// A number in units of 10^-`decimals`, without trailing zeros, thousands apart.
fn decimal(value: &U256, decimals: usize) -> String {
    let digits = format!("{value:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let mut shown = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            shown.push('_');
        }
        shown.push(digit);
    }
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        shown.push('.');
        shown.push_str(fraction);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use venues::book_value::BookValue as _;

    #[test]
    fn a_number_is_shown_in_its_unit() {
        let rows = [
            (0_u64, 0, "0"),
            (0, 8, "0"),
            (1, 8, "0.00000001"),
            (50_000_000, 8, "0.5"),
            (123_456_700_000_000, 8, "1_234_567"),
            (1_000, 0, "1_000"),
        ];
        for (value, decimals, shown) in rows {
            assert_eq!(decimal(&U256::from(value), decimals), shown);
        }
    }

    #[test]
    fn a_time_is_shown_as_a_book_writes_it() {
        for (seconds, shown) in [
            (0_u64, "1970-01-01T00:00:00Z"),
            (951_825_600, "2000-02-29T12:00:00Z"),
            (1_801_353_600, "2027-01-31T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(time(&U256::from(1_000 * seconds)), shown);
        }
    }

    /// A renamed field would silently lose its unit.
    #[test]
    fn every_unit_belongs_to_a_field_of_the_rules() {
        let mut fields = Vec::new();
        Book::describe(&mut |described| {
            let path = described.path.trim_start_matches("::venues::").trim_start_matches("::");
            fields.extend(described.members.iter().map(|(name, _)| (path, *name)));
        });
        for (of, field, ..) in UNITS {
            assert!(fields.contains(&(of, field)), "{of}.{field}");
        }
    }
}
