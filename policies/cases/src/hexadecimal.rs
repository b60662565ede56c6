//! Bytes as hexadecimal text.

use crate::Fault;

/// Lower-case digits.
pub(crate) fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes of text in which spaces, lines, commas and comments from `#` to the end of their line may stand.
pub(crate) fn read(text: &str) -> Result<Vec<u8>, Fault> {
    let lines = text.lines().map(|line| line.split_once('#').map_or(line, |(digits, _)| digits));
    let digits: String =
        lines.flat_map(str::chars).filter(|digit| !matches!(digit, ' ' | '\t' | ',')).collect();
    let digits = digits.strip_prefix("0x").unwrap_or(&digits).as_bytes();
    let (pairs, []) = digits.as_chunks::<2>() else {
        return Err("an odd number of hexadecimal digits".to_owned());
    };
    let nibble = |digit: &u8| char::from(*digit).to_digit(16).and_then(|nibble| u8::try_from(nibble).ok());
    let byte = |[high, low]: &[u8; 2]| Some(nibble(high)? << 4 | nibble(low)?);
    pairs.iter().map(byte).collect::<Option<_>>().ok_or_else(|| "not hexadecimal digits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_may_be_explained() {
        assert_eq!(read("0x01 02 # two\n 0a,0B"), Ok(vec![1, 2, 10, 11]));
        assert_eq!(text(&[1, 2, 10, 11]), "01020a0b");
        assert!(read("012").is_err() && read("0g").is_err());
    }
}
