//! Decimal text as the exchange hashes it: one way to write each number.
//!
//! ```text
//! decimal  = integer [ "." fraction ]
//! integer  = "0" | digit 1-9, then digits          no sign, no leading zero
//! fraction = 1 to 8 digits, the last not "0"       no trailing zero, no exponent
//! ```
//! A number written otherwise is refused, never repaired: the bot posts the text it has, and the exchange hashes
//! its own canonical text.

use wire::Refusal;

use super::rules::{DECIMAL_SCALE, Decimal8};

/// Longest text that is looked at.
pub(crate) const TEXT_SIZE_MAX: usize = 32;

/// Digits a price may have from its first non-zero one on, unless it is an integer.
pub(crate) const PRICE_FIGURES_MAX: usize = 5;

/// A decimal as it stands in the action, and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal<'s> {
    /// The text that is hashed.
    pub text: &'s str,
    /// Its value in units of 10^-8.
    pub units: Decimal8,
}

impl<'s> Decimal<'s> {
    /// Reads a size or amount; zero is a decimal too.
    ///
    /// # Errors
    /// `DecimalNotCanonical`, or `NumberOutOfRange` when the value does not fit 128 bits.
    pub fn read(text: &'s str) -> Result<Self, Refusal> {
        if text.len() > TEXT_SIZE_MAX {
            return Err(Refusal::DecimalNotCanonical);
        }
        let (integer, fraction) =
            text.split_once('.').map_or((text, None), |(integer, fraction)| (integer, Some(fraction)));
        let fraction_size = fraction.map_or(0, str::len);
        let scale = usize::from(DECIMAL_SCALE);
        let canonical = match (integer.as_bytes(), fraction.map(str::as_bytes)) {
            ([b'0', _, ..] | [], _) | (_, Some([] | [.., b'0'])) => false,
            _ => fraction_size <= scale,
        };
        if !canonical {
            return Err(Refusal::DecimalNotCanonical);
        }
        let padding = core::iter::repeat_n(b'0', scale.saturating_sub(fraction_size));
        let mut units: Decimal8 = 0;
        for digit in integer.bytes().chain(fraction.unwrap_or_default().bytes()).chain(padding) {
            if !digit.is_ascii_digit() {
                return Err(Refusal::DecimalNotCanonical);
            }
            units = units
                .checked_mul(10)
                .and_then(|units| units.checked_add(u128::from(digit.wrapping_sub(b'0'))))
                .ok_or(Refusal::NumberOutOfRange)?;
        }
        Ok(Self { text, units })
    }

    /// Reads a price: not zero, and at most five significant figures unless it is an integer ("Tick and lot
    /// size" in the exchange's documentation).
    ///
    /// # Errors
    /// As [`Decimal::read`], `PriceZero` or `PriceTooPrecise`.
    pub fn read_price(text: &'s str) -> Result<Self, Refusal> {
        let price = Self::read(text)?;
        if price.units == 0 {
            return Err(Refusal::PriceZero);
        }
        let figures = text.bytes().filter(|byte| *byte != b'.').skip_while(|byte| *byte == b'0').count();
        if text.contains('.') && figures > PRICE_FIGURES_MAX {
            return Err(Refusal::PriceTooPrecise);
        }
        Ok(price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_decimals_are_read_in_their_smallest_unit() {
        for (text, units) in [
            ("0", 0),
            ("1", 100_000_000),
            ("50000", 5_000_000_000_000),
            ("0.00000001", 1),
            ("10.5", 1_050_000_000),
            ("1000000", 100_000_000_000_000),
        ] {
            assert_eq!(Decimal::read(text), Ok(Decimal { text, units }));
        }
    }

    #[test]
    fn every_other_way_to_write_a_number_is_refused() {
        for text in [
            "",
            ".",
            "0.",
            ".5",
            "1.",
            "00",
            "01",
            "0.10",
            "50000.0",
            "-0",
            "-1",
            "+1",
            "1e5",
            "1E5",
            "NaN",
            "inf",
            " 1",
            "1 ",
            "1,5",
            "1.2.3",
            "0x1",
            "0.123456789",
            "١",
            "1_000",
            "000000000000000000000000000000001",
        ] {
            assert_eq!(Decimal::read(text), Err(Refusal::DecimalNotCanonical), "{text:?}");
        }
        assert_eq!(Decimal::read("99999999999999999999999999999999"), Err(Refusal::NumberOutOfRange));
    }

    #[test]
    fn a_price_has_five_significant_figures_or_is_an_integer() {
        for text in ["12345", "1234567", "123.45", "0.00012345", "1.0001", "100000"] {
            assert!(Decimal::read_price(text).is_ok(), "{text}");
        }
        for text in ["1234.56", "0.123456", "100000.5", "1.00001"] {
            assert_eq!(Decimal::read_price(text), Err(Refusal::PriceTooPrecise), "{text}");
        }
        assert_eq!(Decimal::read_price("0"), Err(Refusal::PriceZero));
    }
}
