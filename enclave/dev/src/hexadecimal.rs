//! Bytes as hexadecimal text.

/// Bytes of hex text, with or without 0x.
pub(crate) fn read(text: &str) -> Result<Vec<u8>, &'static str> {
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    if !digits.len().is_multiple_of(2) {
        return Err("an odd number of hex digits");
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    for pair in digits.chunks_exact(2) {
        match pair {
            [high, low] => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => bytes.push(high << 4 | low),
                _ => return Err("not a hex digit"),
            },
            _ => return Err("an odd number of hex digits"),
        }
    }
    Ok(bytes)
}

/// Bytes as 0x and lower-case digits.
#[must_use]
pub fn text(bytes: &[u8]) -> String {
    let mut text = String::from("0x");
    for byte in bytes {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}
