//! Numbers, addresses and keys as a book writes them.
//!
//! Whole numbers stand as TOML integers (decimal, or hexadecimal with `0x`) or as decimal text; both take `_`
//! between digits and any size; octal (`0o`) and binary (`0b`) are refused. Fractions stand as text only. A float is never read.

use sha3::{Digest, Keccak256};
use toml::de::DeInteger;
use venues::{Address, U256};

use crate::fault::Rule;
use crate::field::{Field, Table};

/// The digits of Bitcoin's base 58, which Solana writes keys with.
const BASE58_DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Units of the native coin, as decimals over a wei.
const COIN_UNITS: [(&str, u8); 3] = [("wei", 0), ("gwei", 9), ("ether", 18)];

/// A whole number of at most 128 bits.
pub(crate) fn uint<T: TryFrom<u128>>(field: Field<'_>) -> Option<T> {
    let value = uint256(field)?;
    match u128::try_from(value).ok().and_then(|value| T::try_from(value).ok()) {
        Some(value) => Some(value),
        None => field.fault(Rule::TooLarge, format_args!("{value} is more than {} bits", 8 * size_of::<T>())),
    }
}

/// A whole number of at most 256 bits.
pub(crate) fn uint256(field: Field<'_>) -> Option<U256> {
    let value = field.value()?;
    if let Some(integer) = value.as_integer() {
        return whole(field, integer);
    }
    let Some(text) = value.as_str() else {
        return field.wrong_type("a whole number, as an integer or as text");
    };
    match whole_and_fraction(text) {
        Some((whole, "")) => digits(field, whole, 10),
        _ => field.fault(Rule::NotANumber, format_args!("{text:?} is not a whole number")),
    }
}

/// An amount of the native coin in wei: a whole number of wei, or text with a unit ("30 gwei", "0.05 ether").
pub(crate) fn wei(field: Field<'_>) -> Option<U256> {
    let unit = field.value()?.as_str().and_then(|text| text.split_once(' '));
    let Some((number, unit)) = unit else {
        return uint256(field);
    };
    match COIN_UNITS.iter().find(|(name, _)| *name == unit) {
        Some((_, decimals)) => scaled(field, number, *decimals),
        None => field.fault(Rule::UnknownValue, format_args!("{unit:?} is not wei, gwei or ether")),
    }
}

/// A decimal number in units of 10^-`decimals`: a whole number, or text with at most that many decimals.
pub(crate) fn decimal<T: TryFrom<u128>>(field: Field<'_>, decimals: u8) -> Option<T> {
    let value = field.value()?;
    let value = if let Some(integer) = value.as_integer() {
        let whole = whole(field, integer)?;
        scale(field, whole, decimals)?
    } else if let Some(text) = value.as_str() {
        scaled(field, text, decimals)?
    } else {
        return field.wrong_type("a number: a whole one, or text such as \"1.5\"");
    };
    match u128::try_from(value).ok().and_then(|value| T::try_from(value).ok()) {
        Some(value) => Some(value),
        None => field.fault(
            Rule::TooLarge,
            format_args!("more than {} bits in units of 10^-{decimals}", 8 * size_of::<T>()),
        ),
    }
}

/// Decimals of a micro-USD.
const USD_DECIMALS: u8 = 6;

/// USD as micro-USD; not zero.
pub(crate) fn usd(field: Field<'_>) -> Option<u64> {
    cap(field, decimal(field, USD_DECIMALS))
}

/// A number that a cap is: whether it limits nothing.
pub(crate) trait Cap: Default + PartialEq {
    /// All ones of its type, which means "unlimited".
    const ALL_ONES: Self;
}

macro_rules! caps {
    ($($number:ty),+) => {
        $(impl Cap for $number {
            const ALL_ONES: Self = Self::MAX;
        })+
    };
}

caps!(u8, u16, u32, u64, u128, U256);

/// The value, unless it is zero or all ones.
pub(crate) fn cap<T: Cap>(field: Field<'_>, value: Option<T>) -> Option<T> {
    let value = value?;
    if value == T::default() {
        return field.fault(Rule::ZeroCap, "a cap of zero allows nothing; leave the grant out instead");
    }
    if value == T::ALL_ONES {
        return field.fault(Rule::UnlimitedCap, "a cap of all ones means \"unlimited\"; no book grants that");
    }
    Some(value)
}

/// A cap of an amount that Permit2 keeps in 160 bits.
pub(crate) fn cap_uint160(field: Field<'_>) -> Option<U256> {
    let amount = cap(field, uint256(field))?;
    if amount >= U256::MAX.wrapping_shr(96) {
        return field.fault(
            Rule::UnlimitedCap,
            "2^160-1 and more mean \"unlimited\" to Permit2; no book grants that",
        );
    }
    Some(amount)
}

/// A price collar: the lowest price, not zero, and the highest, not below it.
pub(crate) fn collar<T: Default + PartialOrd + Copy>(
    table: &mut Table<'_>,
    read: impl Fn(Field<'_>) -> Option<T>,
) -> Option<(T, T)> {
    let low = table.required("price_min", |field| {
        let low = read(field)?;
        if low == T::default() {
            return field.fault(Rule::Collar, "a collar that starts at zero holds nothing back");
        }
        Some(low)
    });
    let high = table.required("price_max", |field| {
        let high = read(field)?;
        if low.is_some_and(|low| high < low) {
            return field.fault(Rule::Collar, "is below price_min");
        }
        Some(high)
    });
    Some((low?, high?))
}

/// A 20-byte address, `0x` and 40 hexadecimal digits; in mixed case its EIP-55 checksum must be right. Never zero.
pub(crate) fn address(field: Field<'_>) -> Option<Address> {
    let text = field.text()?;
    let Some(address) = text.strip_prefix("0x").and_then(hex::<20>) else {
        return field.fault(Rule::BadAddress, format_args!("{text:?} is not 0x and 40 hexadecimal digits"));
    };
    if address == [0; 20] {
        return field.fault(Rule::BadAddress, "the zero address");
    }
    let expected = checksummed(&address);
    let mixed = text.bytes().any(|byte| matches!(byte, b'a'..=b'f'))
        && text.bytes().any(|byte| matches!(byte, b'A'..=b'F'));
    if mixed && text != expected {
        return field.fault(
            Rule::Checksum,
            format_args!(
                "{text} fails its EIP-55 checksum; if the address is right it is written {expected}"
            ),
        );
    }
    Some(address)
}

/// A name for people: a-z, 0-9 and "-", 1 to 32 characters.
pub(crate) fn name(field: Field<'_>) -> Option<&'static str> {
    let text = field.text()?;
    let plain = text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if !plain || text.is_empty() || text.len() > 32 {
        return field.fault(
            Rule::BadName,
            format_args!("{text:?}; a name has 1 to 32 characters of a-z, 0-9 and \"-\""),
        );
    }
    Some(text.to_owned().leak())
}

/// An address with the upper and lower case of EIP-55.
#[must_use]
pub fn checksummed(address: &Address) -> String {
    let lower: String = address.iter().map(|byte| format!("{byte:02x}")).collect();
    let hash = Keccak256::digest(lower.as_bytes());
    let nibbles = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let cased = lower.chars().zip(nibbles).map(
        |(digit, nibble)| {
            if nibble >= 8 { digit.to_ascii_uppercase() } else { digit }
        },
    );
    "0x".chars().chain(cased).collect()
}

/// Bytes in base 58, as Solana writes account keys.
#[must_use]
pub fn base58(bytes: &[u8; 32]) -> String {
    let mut value = U256::from_be_bytes(*bytes);
    let mut digits = Vec::with_capacity(44);
    while !value.is_zero() {
        let (rest, digit) = value.div_rem(U256::from(58));
        let digit = BASE58_DIGITS.get(digit.to::<usize>()).copied();
        digits.extend(digit);
        value = rest;
    }
    digits.extend(bytes.iter().take_while(|byte| **byte == 0).map(|_| b'1'));
    digits.iter().rev().map(|digit| char::from(*digit)).collect()
}

/// 32 bytes of base 58, if it is their only writing.
pub(crate) fn base58_bytes(text: &str) -> Option<[u8; 32]> {
    let mut value = U256::ZERO;
    for byte in text.bytes() {
        let digit = BASE58_DIGITS.iter().position(|digit| *digit == byte)?;
        value = value.checked_mul(U256::from(58))?.checked_add(U256::from(digit))?;
    }
    let bytes = value.to_be_bytes();
    (base58(&bytes) == text).then_some(bytes)
}

/// Exactly `N` bytes of hexadecimal.
pub(crate) fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        for digit in pair {
            let nibble = char::from(*digit).to_digit(16)?;
            *byte = (*byte << 4) | u8::try_from(nibble).ok()?;
        }
    }
    Some(bytes)
}

/// Splits "1_000.25" into "1_000" and "25". `None` unless each is digits with single `_` between them.
fn whole_and_fraction(text: &str) -> Option<(&str, &str)> {
    let is_number = |part: &str| {
        part.split('_').all(|run| !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match text.split_once('.') {
        Some((whole, fraction)) => (is_number(whole) && is_number(fraction)).then_some((whole, fraction)),
        None => is_number(text).then_some((text, "")),
    }
}

/// Text with an optional fraction, in units of 10^-`decimals`.
fn scaled(field: Field<'_>, text: &str, decimals: u8) -> Option<U256> {
    let Some((whole, fraction)) = whole_and_fraction(text) else {
        return field.fault(Rule::NotANumber, format_args!("{text:?} is not a decimal number"));
    };
    let fraction = fraction.replace('_', "");
    let Some(missing) = usize::from(decimals).checked_sub(fraction.len()) else {
        return field.fault(Rule::NotANumber, format_args!("{text:?} has more than {decimals} decimals"));
    };
    let all = format!("{whole}{fraction}{}", "0".repeat(missing));
    digits(field, &all, 10)
}

fn scale(field: Field<'_>, whole: U256, decimals: u8) -> Option<U256> {
    match U256::from(10).checked_pow(U256::from(decimals)).and_then(|unit| whole.checked_mul(unit)) {
        Some(value) => Some(value),
        None => field.fault(Rule::TooLarge, "more than 256 bits"),
    }
}

/// A TOML integer. In octal, `0o10` would be an 8 that reads like a 10, and nothing here is counted in bits.
fn whole(field: Field<'_>, integer: &DeInteger<'_>) -> Option<U256> {
    match integer.radix() {
        radix @ (10 | 16) => digits(field, integer.as_str(), radix),
        _ => field.fault(Rule::NotANumber, "a number is written in decimal, or in hexadecimal with 0x"),
    }
}

fn digits(field: Field<'_>, text: &str, radix: u32) -> Option<U256> {
    let mut value = U256::ZERO;
    for digit in text.chars().filter(|character| *character != '_') {
        let Some(digit) = digit.to_digit(radix) else {
            return field.fault(Rule::NotANumber, format_args!("{text} is not a number of zero or more"));
        };
        let next =
            value.checked_mul(U256::from(radix)).and_then(|value| value.checked_add(U256::from(digit)));
        value = match next {
            Some(next) => next,
            None => return field.fault(Rule::TooLarge, "more than 256 bits"),
        };
    }
    Some(value)
}
