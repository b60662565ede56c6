//! A book as a person reads it: every value of the compiled book, indented, amounts in human units.
//!
//! It prints what the vault will hold and not what the file says: derived accounts and defaults are there.

use book::Book;
use venues::U256;
use venues::book_value::{BookValue, BookVisitor};

use crate::hexadecimal;

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
    ("solana::rules::CollateralLimits", "usd_max", 6, "USD"),
];

/// The whole book.
pub(crate) fn text(book: &Book<'_>) -> String {
    let mut show = Show::default();
    book.visit(&mut show);
    show.text
}

#[derive(Default)]
struct Show {
    text: String,
    /// The structs and lists around the next value.
    around: Vec<Around>,
    /// The field whose value follows.
    field: &'static str,
}

enum Around {
    Struct(&'static str),
    List,
}

impl Show {
    /// Begins a line for the value that follows: its field's name, or a dash in a list.
    fn begin(&mut self) {
        match self.around.last() {
            None => {}
            Some(Around::Struct(_)) => {
                self.indent();
                self.text.push_str(self.field);
                self.text.push(':');
            }
            Some(Around::List) => {
                self.indent();
                self.text.push('-');
            }
        }
    }

    fn indent(&mut self) {
        let depth = self.around.len().saturating_sub(1);
        self.text.extend(core::iter::repeat_n("  ", depth));
    }

    fn leaf(&mut self, value: &str) {
        self.begin();
        self.text.push(' ');
        self.text.push_str(value);
        self.text.push('\n');
    }

    fn open(&mut self, inner: Around) {
        let top = self.around.is_empty();
        self.begin();
        if !top {
            self.text.push('\n');
        }
        self.around.push(inner);
    }

    /// A number: with its unit where it is an amount, else (an id, a count) as it is.
    fn number(&mut self, value: &U256) {
        let path = match self.around.last() {
            Some(Around::Struct(path)) => path.trim_start_matches("::venues::"),
            Some(Around::List) | None => "",
        };
        let unit = UNITS.iter().find(|(of, field, ..)| *of == path && *field == self.field);
        match unit {
            Some((_, _, decimals, unit)) => self.leaf(&format!("{} {unit}", decimal(value, *decimals))),
            None => self.leaf(&value.to_string()),
        }
    }
}

impl BookVisitor for Show {
    fn open_struct(&mut self, path: &'static str) {
        self.open(Around::Struct(path));
    }

    fn field(&mut self, name: &'static str) {
        self.field = name;
    }

    fn close_struct(&mut self) {
        self.around.pop();
    }

    fn open_list(&mut self, len: usize) {
        if len == 0 {
            self.leaf("(none)");
            self.around.push(Around::List);
        } else {
            self.open(Around::List);
        }
    }

    fn close_list(&mut self) {
        self.around.pop();
    }

    fn open_some(&mut self) {}

    fn close_some(&mut self) {}

    fn none(&mut self) {
        self.leaf("not granted");
    }

    fn flag(&mut self, value: bool) {
        self.leaf(if value { "yes" } else { "no" });
    }

    fn uint(&mut self, value: u128) {
        self.number(&U256::from(value));
    }

    fn uint256(&mut self, value: &U256) {
        self.number(value);
    }

    fn bytes(&mut self, value: &[u8]) {
        if let Ok(address) = value.try_into() {
            self.leaf(&compile::checksummed(address));
        } else if let Ok(account) = value.try_into() {
            self.leaf(&compile::base58(account));
        } else {
            self.leaf(&hexadecimal::text(value));
        }
    }

    fn text(&mut self, value: &str) {
        self.leaf(value);
    }

    fn any(&mut self) {
        self.leaf("any");
    }

    fn open_listed(&mut self) {}

    fn close_listed(&mut self) {}

    fn variant(&mut self, path: &'static str, _number: u8) {
        self.leaf(path.rsplit("::").next().unwrap_or(path));
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

    /// A renamed field would silently lose its unit.
    #[test]
    fn every_unit_belongs_to_a_field_of_the_rules() {
        let mut fields = Vec::new();
        Book::describe(&mut |described| {
            let path = described.path.trim_start_matches("::venues::");
            fields.extend(described.members.iter().map(|(name, _)| (path, *name)));
        });
        for (of, field, ..) in UNITS {
            assert!(fields.contains(&(of, field)), "{of}.{field}");
        }
    }
}
