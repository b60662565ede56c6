//! Bytes as hexadecimal text, in either case, behind "0x".

/// Reads exactly `N` bytes; `None` for another length, another prefix or a digit that is none.
pub(crate) fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, odd) = text.strip_prefix("0x")?.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !odd.is_empty() {
        return None;
    }
    let mut into = [0; N];
    // A digit that is none leaves a bit above the low four; one test at the end serves all of them.
    let mut seen = 0;
    for (byte, [high, low]) in into.iter_mut().zip(pairs) {
        let (high, low) = (digit(*high), digit(*low));
        seen |= high | low;
        *byte = (high << 4) | (low & 0x0f);
    }
    (seen <= 0x0f).then_some(into)
}

/// The value of a digit; [`NO_DIGIT`] for anything else.
pub(crate) fn digit(digit: u8) -> u8 {
    DIGITS.get(usize::from(digit)).copied().unwrap_or(NO_DIGIT)
}

/// What [`digit`] says of a byte that is no hexadecimal digit.
pub(crate) const NO_DIGIT: u8 = 0xff;

#[expect(clippy::indexing_slicing, reason = "a byte is below 256; this runs at compile time")]
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let (mut value, mut bytes): (u8, &[u8]) = (0, b"0123456789abcdef");
    while let [byte, rest @ ..] = bytes {
        digits[*byte as usize] = value;
        digits[byte.to_ascii_uppercase() as usize] = value;
        (value, bytes) = (value + 1, rest);
    }
    digits
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_number_of_digits_in_either_case_behind_0x_is_read() {
        assert_eq!(bytes("0x00fF9aA9"), Some([0x00, 0xff, 0x9a, 0xa9]));
        assert_eq!(bytes("0x"), Some([]));
        for text in [
            "",
            "0",
            "00ff9aa9",
            "0X00ff9aa9",
            "0x00ff9a",
            "0x00ff9aa",
            "0x00ff9aa900",
            "0x00ff9aag",
            "0x+0ff9aa9",
        ] {
            assert_eq!(bytes::<4>(text), None, "{text}");
        }
    }

    #[test]
    fn every_byte_is_a_digit_exactly_when_the_standard_library_says_so() {
        for byte in 0..=u8::MAX {
            let expected =
                char::from(byte).to_digit(16).map_or(NO_DIGIT, |value| u8::try_from(value).unwrap());
            assert_eq!(digit(byte), expected);
        }
    }
}
