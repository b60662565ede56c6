//! Values as living clients spell them.
//!
//! ```text
//! uint<N>   12 | "12" | "0xc"       one grammar: 0 | [1-9][0-9]*, or 0x and (0 | [1-9a-f][0-9a-f]*)
//! int256    -12 | "-12" and the above
//! address   "0x" and 40 digits: all lower case, all upper case, or with the checksum of EIP-55
//! bytes<N>  "0x" and 2N digits in either case
//! bytes     "0x" and an even number of digits
//! ```
//! Integers are read digit by digit, never through a float: Python clients write uint256 as bare numbers.

use sha3::{Digest as _, Keccak256};
use wire::{Refusal, Shown, Why};

use super::hash::Word;
use crate::json::Json;
use crate::{Address, U256, hexadecimal};

/// A uint256.
///
/// # Errors
/// `NumberOutOfRange`, `FieldTypeNotExpected`.
pub(crate) fn uint256(json: &mut Json<'_>) -> Result<U256, Why> {
    read_uint(digits(json)?)
}

/// A uint of `bits` bits.
///
/// # Errors
/// As [`uint256`], and `NumberOutOfRange` for one that is wider.
pub(crate) fn uint(json: &mut Json<'_>, bits: usize) -> Result<U256, Why> {
    let value = uint256(json)?;
    if value.bit_len() > bits {
        return Err(Why::new(Refusal::NumberOutOfRange)
            .observed(Shown::Uint256(value.to_be_bytes()))
            .limit(Shown::Uint256((U256::MAX >> 256_usize.saturating_sub(bits)).to_be_bytes())));
    }
    Ok(value)
}

/// A signed 256-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Int256 {
    /// Whether it is below zero.
    pub(crate) is_negative: bool,
    /// Its absolute value, at most 2^255.
    pub(crate) magnitude: U256,
}

impl Int256 {
    /// Two's complement, big-endian.
    pub(crate) fn word(&self) -> Word {
        let word = if self.is_negative { self.magnitude.wrapping_neg() } else { self.magnitude };
        word.to_be_bytes()
    }
}

/// An int256.
///
/// # Errors
/// As [`uint256`]; "-0" is out of range.
pub(crate) fn int256(json: &mut Json<'_>) -> Result<Int256, Why> {
    let text = digits(json)?;
    let (is_negative, magnitude) = match text {
        // A negative number has no hexadecimal spelling.
        [b'-', b'1'..=b'9', ..] => (true, read_decimal(text.get(1..).unwrap_or_default())?),
        _ => (false, read_uint(text)?),
    };
    let half = U256::ONE << 255;
    if magnitude > half || (magnitude == half && !is_negative) {
        return Err(Refusal::NumberOutOfRange.into());
    }
    Ok(Int256 { is_negative, magnitude })
}

/// An address.
///
/// # Errors
/// `AddressTextMalformed`; `AddressChecksumDiffers` in mixed case (EIP-55); `FieldTypeNotExpected`.
pub(crate) fn address(json: &mut Json<'_>) -> Result<Address, Why> {
    let text = json.text()?;
    let address = hexadecimal::bytes(text).ok_or(Refusal::AddressTextMalformed)?;
    let digits = text.as_bytes().get(2..).unwrap_or_default();
    let is_lower = !digits.iter().any(u8::is_ascii_uppercase);
    if !is_lower && digits.iter().any(u8::is_ascii_lowercase) && !has_checksum(digits) {
        return Err(Why::new(Refusal::AddressChecksumDiffers).observed(Shown::Address(address)));
    }
    Ok(address)
}

/// EIP-55: a letter is upper case exactly when the digit at its place in the Keccak-256 of the lower-case digits
/// is 8 or more.
fn has_checksum(digits: &[u8]) -> bool {
    let mut lower = [0; 40];
    for (lower, digit) in lower.iter_mut().zip(digits) {
        *lower = digit.to_ascii_lowercase();
    }
    let hash: Word = Keccak256::digest(lower).into();
    let (pairs, _) = digits.as_chunks::<2>();
    pairs.iter().zip(hash).all(|([high, low], byte)| {
        let fits = |digit: &u8, is_upper: bool| {
            !digit.is_ascii_alphabetic() || digit.is_ascii_uppercase() == is_upper
        };
        fits(high, byte & 0x80 != 0) && fits(low, byte & 0x08 != 0)
    })
}

/// 32 bytes.
///
/// # Errors
/// `BytesTextMalformed`, `FieldTypeNotExpected`.
pub(crate) fn bytes32(json: &mut Json<'_>) -> Result<Word, Why> {
    hexadecimal::bytes(json.text()?).ok_or(Refusal::BytesTextMalformed.into())
}

/// Bytes as they stand in the text: only digits, an even number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HexBytes<'a> {
    digits: &'a [u8],
}

impl HexBytes<'_> {
    /// How many bytes there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.digits.len() / 2
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.digits.is_empty()
    }

    /// Keccak-256 of the bytes, as EIP-712 encodes `bytes`.
    pub(crate) fn hash(&self) -> Word {
        if self.is_empty() {
            return EMPTY_HASH;
        }
        let mut hash = Keccak256::new();
        let mut block = [0; 128];
        for digits in self.digits.chunks(2 * block.len()) {
            let (pairs, _) = digits.as_chunks::<2>();
            for (byte, [high, low]) in block.iter_mut().zip(pairs) {
                *byte = (hexadecimal::digit(*high) << 4) | hexadecimal::digit(*low);
            }
            hash.update(block.get(..pairs.len()).unwrap_or_default());
        }
        hash.finalize().into()
    }
}

/// Bytes of any length.
///
/// # Errors
/// `BytesTextMalformed`, `FieldTypeNotExpected`.
pub(crate) fn bytes<'a>(json: &mut Json<'a>) -> Result<HexBytes<'a>, Why> {
    let text = json.text()?;
    let digits = text.strip_prefix("0x").ok_or(Refusal::BytesTextMalformed)?.as_bytes();
    if digits.len() % 2 != 0 || digits.iter().any(|digit| hexadecimal::digit(*digit) == hexadecimal::NO_DIGIT)
    {
        return Err(Refusal::BytesTextMalformed.into());
    }
    Ok(HexBytes { digits })
}

/// keccak256 of nothing
const EMPTY_HASH: Word = [
    0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d, 0xb2, 0xdc, 0xc7, 0x03, 0xc0, 0xe5,
    0x00, 0xb6, 0x53, 0xca, 0x82, 0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85, 0xa4, 0x70,
];

/// The text of an integer, in quotes or bare.
fn digits<'a>(json: &mut Json<'a>) -> Result<&'a [u8], Why> {
    match json.peek()? {
        b'"' => Ok(json.text()?.as_bytes()),
        b'-' | b'0'..=b'9' => {
            let number = json.number()?;
            // Only text may be hexadecimal, and JSON has no bare "0x": what is left is the grammar's own.
            Ok(number)
        }
        _ => Err(json.not_expected()),
    }
}

fn read_uint(text: &[u8]) -> Result<U256, Why> {
    match text {
        b"0" | b"0x0" => Ok(U256::ZERO),
        [b'0', b'x', hexadecimal @ ..] => read_hexadecimal(hexadecimal),
        [b'1'..=b'9', ..] => read_decimal(text),
        _ => Err(Refusal::NumberOutOfRange.into()),
    }
}

/// Lower case, the first digit not 0.
fn read_hexadecimal(text: &[u8]) -> Result<U256, Why> {
    if text.len() > 64 || matches!(text, [] | [b'0', ..]) {
        return Err(Refusal::NumberOutOfRange.into());
    }
    let mut value = U256::ZERO;
    for byte in text {
        let digit = hexadecimal::digit(*byte);
        if digit == hexadecimal::NO_DIGIT || byte.is_ascii_uppercase() {
            return Err(Refusal::NumberOutOfRange.into());
        }
        value = (value << 4) | U256::from(digit);
    }
    Ok(value)
}

/// Nineteen digits at a time: as many as fit 64 bits whatever they are.
fn read_decimal(text: &[u8]) -> Result<U256, Why> {
    let overflow = || Why::from(Refusal::NumberOutOfRange);
    let mut value = U256::ZERO;
    for digits in text.chunks(19) {
        let (mut part, mut scale) = (0_u64, 1_u64);
        for digit in digits {
            let digit = digit.wrapping_sub(b'0');
            if digit > 9 {
                return Err(overflow());
            }
            part = part.wrapping_mul(10).wrapping_add(u64::from(digit));
            scale = scale.wrapping_mul(10);
        }
        value = value
            .checked_mul(U256::from(scale))
            .and_then(|value| value.checked_add(U256::from(part)))
            .ok_or_else(overflow)?;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    fn read<'a, T>(text: &'a str, read: impl Fn(&mut Json<'a>) -> Result<T, Why>) -> Result<T, Refusal> {
        let mut json = Json::new(text.as_bytes());
        let value = read(&mut json).map_err(|why| why.refusal)?;
        json.end().map_err(|why| why.refusal)?;
        Ok(value)
    }

    #[test]
    fn an_integer_has_three_spellings_and_no_other() {
        for text in ["12", "\"12\"", "\"0xc\""] {
            assert_eq!(read(text, uint256), Ok(U256::from(12)), "{text}");
        }
        for text in ["0", "\"0\"", "\"0x0\""] {
            assert_eq!(read(text, uint256), Ok(U256::ZERO), "{text}");
        }
        let max = U256::MAX;
        let spelled = [std::format!("{max}"), std::format!("\"{max}\""), std::format!("\"{max:#x}\"")];
        for text in spelled {
            assert_eq!(read(&text, uint256), Ok(max), "{text}");
        }
        for text in [
            "\"\"",
            "-0",
            "-1",
            "\"-1\"",
            "1.0",
            "1e3",
            "\"1e3\"",
            "\"01\"",
            "\"0x\"",
            "\"0x01\"",
            "\"0xC\"",
            "\"0Xc\"",
            "\" 1\"",
            "\"1 \"",
            "\"1_000\"",
            "\"0b1\"",
            "\"0o7\"",
            "\"+1\"",
            "\"\u{ff11}\"",
            "115792089237316195423570985008687907853269984665640564039457584007913129639936",
            "\"0x10000000000000000000000000000000000000000000000000000000000000000\"",
        ] {
            assert_eq!(read(text, uint256), Err(Refusal::NumberOutOfRange), "{text}");
        }
        for text in ["null", "true", "[1]", "{\"a\":1}"] {
            assert_eq!(read(text, uint256), Err(Refusal::FieldTypeNotExpected), "{text}");
        }
        assert_eq!(read("01", uint256), Err(Refusal::JsonMalformed));
    }

    #[test]
    fn decimals_of_every_length_are_read_as_the_integer_library_reads_them() {
        let mut value = U256::ONE;
        while let Some(next) = value.checked_mul(U256::from(7)) {
            assert_eq!(read(&std::format!("{value}"), uint256), Ok(value));
            value = next;
        }
    }

    #[test]
    fn an_integer_fits_its_type() {
        assert_eq!(read("255", |json| uint(json, 8)), Ok(U256::from(255)));
        assert_eq!(read("256", |json| uint(json, 8)), Err(Refusal::NumberOutOfRange));
    }

    #[test]
    fn a_signed_integer_is_hashed_as_twos_complement() {
        let minus_two = read("\"-2\"", int256).unwrap();
        let mut expected = [0xff; 32];
        expected[31] = 0xfe;
        assert_eq!((minus_two.is_negative, minus_two.word()), (true, expected));
        assert_eq!(read("-2", int256), Ok(minus_two));
        assert_eq!(read("7", int256).unwrap().word()[31], 7);
        let half = U256::ONE << 255;
        assert!(read(&std::format!("-{half}"), int256).is_ok());
        for text in [std::format!("{half}"), "-0".into(), "\"-0x1\"".into(), "\"--1\"".into()] {
            assert_eq!(read(&text, int256), Err(Refusal::NumberOutOfRange), "{text}");
        }
    }

    #[test]
    fn an_address_is_in_one_case_or_has_its_checksum() {
        // From EIP-55.
        let checked = "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        let expected = hexadecimal::bytes(&std::format!("0x{checked}")).unwrap();
        for digits in [checked.into(), checked.to_lowercase(), checked.to_uppercase()] {
            assert_eq!(read(&std::format!("\"0x{digits}\""), address), Ok(expected), "{digits}");
        }
        for digits in ["5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed"]
        {
            let text = std::format!("\"0x{digits}\"");
            assert_eq!(read(&text, address), Err(Refusal::AddressChecksumDiffers), "{digits}");
        }
        for text in
            ["\"\"", "\"0x\"", "\"0x00\"", "\"alice.eth\"", "\"0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\""]
        {
            assert_eq!(read(text, address), Err(Refusal::AddressTextMalformed), "{text}");
        }
        assert_eq!(read("5", address), Err(Refusal::FieldTypeNotExpected));
    }

    #[test]
    fn bytes_are_hashed_whatever_their_length() {
        for len in [0, 1, 127, 128, 129, 255, 256, 257, 1000] {
            let bytes_: std::vec::Vec<u8> = (0..len).map(|at: usize| at.to_le_bytes()[0]).collect();
            let digits: std::string::String = bytes_.iter().map(|byte| std::format!("{byte:02x}")).collect();
            let text = std::format!("\"0x{digits}\"");
            let read = read(&text, bytes).unwrap();
            let expected: Word = Keccak256::digest(&bytes_).into();
            assert_eq!((read.len(), read.hash()), (len, expected));
        }
        for text in ["\"\"", "\"0x1\"", "\"0x1g\"", "\"ab\""] {
            assert_eq!(read(text, bytes), Err(Refusal::BytesTextMalformed), "{text}");
        }
    }
}
