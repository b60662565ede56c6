//! Facts as JSON text: numbers as decimal text, addresses and keys as lower-case 0x hex.

use core::fmt::{self, Write};

use crate::facts::{DEPTH_MAX, FactKey, FactSink};

/// Writes the facts it hears as one JSON object. Call [`JsonFacts::finish`] at the end.
#[derive(Debug)]
pub struct JsonFacts<'w, W: Write> {
    out: &'w mut W,
    /// Whether each open level is a list, and whether it has a member yet.
    levels: [(bool, bool); DEPTH_MAX + 1],
    depth: usize,
    result: fmt::Result,
}

impl<'w, W: Write> JsonFacts<'w, W> {
    /// Opens the object.
    pub fn new(out: &'w mut W) -> Self {
        let result = out.write_char('{');
        Self { out, levels: [(false, false); DEPTH_MAX + 1], depth: 0, result }
    }

    /// Closes what is open.
    ///
    /// # Errors
    /// When the writer failed or the facts were nested too deep.
    pub fn finish(mut self) -> fmt::Result {
        while self.depth > 0 {
            self.close();
        }
        self.result?;
        self.out.write_char('}')
    }

    fn member(&mut self, key: FactKey, value: impl FnOnce(&mut W) -> fmt::Result) {
        if self.result.is_err() {
            return;
        }
        self.result = (|| {
            let (is_list, has_member) = self.levels.get_mut(self.depth).ok_or(fmt::Error)?;
            if core::mem::replace(has_member, true) {
                self.out.write_char(',')?;
            }
            if !*is_list {
                write!(self.out, "\"{}\":", key.as_str())?;
            }
            value(self.out)
        })();
    }

    fn open(&mut self, key: FactKey, is_list: bool) {
        self.member(key, |out| out.write_char(if is_list { '[' } else { '{' }));
        self.depth += 1;
        match self.levels.get_mut(self.depth) {
            Some(level) => *level = (is_list, false),
            None => self.result = Err(fmt::Error),
        }
    }
}

fn hex(out: &mut impl Write, bytes: &[u8]) -> fmt::Result {
    out.write_str("\"0x")?;
    for byte in bytes {
        write!(out, "{byte:02x}")?;
    }
    out.write_char('"')
}

/// Writes big-endian bytes as decimal digits. At most 32 bytes, which is 78 digits.
pub(crate) fn decimal(out: &mut impl Write, value: &[u8]) -> fmt::Result {
    let mut number = [0_u8; 32];
    let at = number.len().checked_sub(value.len()).ok_or(fmt::Error)?;
    number.get_mut(at..).ok_or(fmt::Error)?.copy_from_slice(value);
    let mut digits = [0_u8; 78];
    let mut count = 0;
    loop {
        let mut remainder = 0_u16;
        for byte in &mut number {
            let value = (remainder << 8) | u16::from(*byte);
            *byte = u8::try_from(value / 10).map_err(|_| fmt::Error)?;
            remainder = value % 10;
        }
        *digits.get_mut(count).ok_or(fmt::Error)? = b'0' + u8::try_from(remainder).map_err(|_| fmt::Error)?;
        count += 1;
        if number == [0; 32] {
            break;
        }
    }
    for digit in digits.iter().take(count).rev() {
        out.write_char(char::from(*digit))?;
    }
    Ok(())
}

fn quoted(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(out, "\\{character}")?,
            control if control < ' ' => write!(out, "\\u{:04x}", u32::from(control))?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('"')
}

impl<W: Write> FactSink for JsonFacts<'_, W> {
    fn flag(&mut self, key: FactKey, value: bool) {
        self.member(key, |out| out.write_str(if value { "true" } else { "false" }));
    }
    fn text(&mut self, key: FactKey, value: &str) {
        self.member(key, |out| quoted(out, value));
    }
    fn uint_be(&mut self, key: FactKey, value: &[u8]) {
        self.member(key, |out| {
            out.write_char('"')?;
            decimal(out, value)?;
            out.write_char('"')
        });
    }
    fn negative_be(&mut self, key: FactKey, absolute: &[u8]) {
        self.member(key, |out| {
            out.write_str("\"-")?;
            decimal(out, absolute)?;
            out.write_char('"')
        });
    }
    fn int(&mut self, key: FactKey, value: i64) {
        self.member(key, |out| write!(out, "\"{value}\""));
    }
    fn address(&mut self, key: FactKey, value: &[u8; 20]) {
        self.member(key, |out| hex(out, value));
    }
    fn key(&mut self, key: FactKey, value: &[u8; 32]) {
        self.member(key, |out| hex(out, value));
    }
    fn open_list(&mut self, key: FactKey) {
        self.open(key, true);
    }
    fn open_object(&mut self, key: FactKey) {
        self.open(key, false);
    }
    fn close(&mut self) {
        let is_list = self.levels.get(self.depth).is_some_and(|level| level.0);
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => self.result = Err(fmt::Error),
        }
        if self.result.is_ok() {
            self.result = self.out.write_char(if is_list { ']' } else { '}' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use std::string::String;

    #[test]
    fn facts_become_json_with_numbers_as_decimal_text() {
        let mut text = String::new();
        let mut sink = JsonFacts::new(&mut text);
        sink.uint_be(FactKey::Value, &[0xff; 32]);
        sink.uint_be(FactKey::Nonce, &[]);
        sink.int(FactKey::OraclePriceOffset, -7);
        sink.negative_be(FactKey::Margin, &[1, 0]);
        sink.open_list(FactKey::Orders);
        sink.open_object(FactKey::Element);
        sink.flag(FactKey::ReduceOnly, false);
        sink.text(FactKey::Side, "a\"b\\\n");
        sink.close();
        sink.uint(FactKey::Element, 10);
        sink.close();
        sink.address(FactKey::To, &[0xab; 20]);
        sink.finish().unwrap();
        assert_eq!(
            text,
            "{\"value\":\"115792089237316195423570985008687907853269984665640564039457584007913129639935\",\
             \"nonce\":\"0\",\"oracle_price_offset\":\"-7\",\"ntli\":\"-256\",\"orders\":[{\"reduce_only\":false,\"side\":\"a\\\"b\\\\\\u000a\"},\"10\"],\
             \"to\":\"0xabababababababababababababababababababab\"}"
        );
    }
}
