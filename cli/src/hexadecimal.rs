//! Bytes as hexadecimal text.

use std::fmt::Write as _;

use zeroize::Zeroizing;

/// `0x` and lower-case digits.
pub(crate) fn text(bytes: &[u8]) -> String {
    "0x".to_owned() + &digits(bytes)
}

/// Lower-case digits, written into room that is taken at once: no part of a secret is left behind by a growing text.
pub(crate) fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The 32 bytes of exactly 64 digits, of either case. It may be a secret.
pub(crate) fn read(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let mut bytes = Zeroizing::new([0; 32]);
    if text.len() != 2 * bytes.len() || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_nothing_but_64_digits_does() {
        let bytes: [u8; 32] = std::array::from_fn(|at| u8::try_from(at * 8).unwrap());
        let digits = digits(&bytes);
        assert_eq!(read(&digits).as_deref(), Some(&bytes));
        assert_eq!(read(&digits.to_uppercase()).as_deref(), Some(&bytes));
        assert_eq!(text(&bytes), format!("0x{digits}"));
        for wrong in [&digits[2..], &text(&bytes), &digits.replace("00", "+0"), &digits.replace("08", "0 ")] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }
}
