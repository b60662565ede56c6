//! Strict JSON (RFC 8259), read from the front of a slice, nothing allocated.
//!
//! Guarantees: every byte is looked at; white space may stand where the grammar lets it; nesting is bounded.
//! Refuses: anything after the value, control characters in strings, leading zeros, fractions, exponents and
//! signs where an integer is wanted, and any escape in a member name or text that is read: no payload of this
//! vault needs one, and without escapes two names are the same exactly when their bytes are.
//! Values that are skipped may hold escapes; they belong to actions that are refused as unsupported, or are
//! read again later.

use wire::{Refusal, Shown, Why};

/// Deepest nesting that is skipped over.
pub(crate) const DEPTH_MAX: u8 = 16;

/// Reads from the front of a slice; a copy is a bookmark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a> {
    rest: &'a [u8],
}

impl<'a> Json<'a> {
    /// At the start of `text`.
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// The next byte that is not white space.
    pub(crate) fn peek(&mut self) -> Result<u8, Why> {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
        self.rest.first().copied().ok_or(Refusal::PayloadTruncated.into())
    }

    /// Opens an object.
    pub(crate) fn open_object(&mut self) -> Result<(), Why> {
        self.open(b'{')
    }

    /// Opens an array.
    pub(crate) fn open_array(&mut self) -> Result<(), Why> {
        self.open(b'[')
    }

    /// The next member's name, its value next; `None` when the object closes. `first` before the first one.
    pub(crate) fn member(&mut self, first: bool) -> Result<Option<&'a str>, Why> {
        if !self.another(first, b'}')? {
            return Ok(None);
        }
        if self.peek()? != b'"' {
            return Err(Refusal::JsonMalformed.into());
        }
        let name = self.text()?;
        self.punctuation(b':')?;
        Ok(Some(name))
    }

    /// Whether another element follows; false when the array closes. `first` before the first one.
    pub(crate) fn element(&mut self, first: bool) -> Result<bool, Why> {
        self.another(first, b']')
    }

    /// Text without escapes.
    pub(crate) fn text(&mut self) -> Result<&'a str, Why> {
        if self.peek()? != b'"' {
            return Err(self.not_expected());
        }
        let (text, escaped) = self.raw_text()?;
        if escaped {
            return Err(Refusal::JsonEscapeNotAllowed.into());
        }
        core::str::from_utf8(text).map_err(|_| Refusal::JsonMalformed.into())
    }

    /// Text that may hold escapes, as it stands between its quotes. `None` when the value is no text.
    pub(crate) fn text_as_written(&mut self) -> Result<Option<&'a [u8]>, Why> {
        if self.peek()? == b'"' { self.raw_text().map(|(text, _)| Some(text)) } else { Ok(None) }
    }

    /// Steps behind `text` if it comes next, to the letter.
    pub(crate) fn accept(&mut self, text: &str) -> Result<bool, Why> {
        self.peek()?;
        let rest = self.rest.strip_prefix(text.as_bytes());
        self.rest = rest.unwrap_or(self.rest);
        Ok(rest.is_some())
    }

    /// An integer from 0 to 2^64-1.
    pub(crate) fn uint(&mut self) -> Result<u64, Why> {
        if !matches!(self.peek()?, b'0'..=b'9' | b'-') {
            return Err(self.not_expected());
        }
        let number = self.number()?;
        let mut value = 0_u64;
        for byte in number {
            // A sign, a fraction or an exponent.
            if !byte.is_ascii_digit() {
                return Err(Refusal::NumberOutOfRange.into());
            }
            value = value
                .checked_mul(10)
                .and_then(|value| value.checked_add(u64::from(byte.wrapping_sub(b'0'))))
                .ok_or(Why::new(Refusal::NumberOutOfRange).limit(Shown::uint(u64::MAX)))?;
        }
        Ok(value)
    }

    /// An integer from -2^63 to 2^63-1; there is no -0.
    pub(crate) fn int(&mut self) -> Result<i64, Why> {
        if self.peek()? != b'-' {
            return i64::try_from(self.uint()?).map_err(|_| Refusal::NumberOutOfRange.into());
        }
        let number = self.number()?;
        let digits = number.get(1..).unwrap_or_default();
        // A fraction or an exponent.
        if digits == b"0" || !digits.iter().all(u8::is_ascii_digit) {
            return Err(Refusal::NumberOutOfRange.into());
        }
        digits
            .iter()
            .try_fold(0_i64, |value, digit| {
                value.checked_mul(10)?.checked_sub(i64::from(digit.wrapping_sub(b'0')))
            })
            .ok_or(Refusal::NumberOutOfRange.into())
    }

    /// True or false.
    pub(crate) fn flag(&mut self) -> Result<bool, Why> {
        match self.peek()? {
            b't' => self.word(b"true").map(|()| true),
            b'f' => self.word(b"false").map(|()| false),
            _ => Err(self.not_expected()),
        }
    }

    /// Passes over one value of any kind, checking its grammar.
    pub(crate) fn skip(&mut self) -> Result<(), Why> {
        self.skip_at(0)
    }

    /// Nothing but white space may follow.
    pub(crate) fn end(&mut self) -> Result<(), Why> {
        match self.peek() {
            Err(_) => Ok(()),
            Ok(_) => Err(Why::new(Refusal::TrailingBytes).observed(Shown::size(self.rest.len()))),
        }
    }

    fn skip_at(&mut self, depth: u8) -> Result<(), Why> {
        if depth > DEPTH_MAX {
            return Err(Why::new(Refusal::JsonMalformed).limit(Shown::uint(DEPTH_MAX.into())));
        }
        let inner = depth.saturating_add(1);
        match self.peek()? {
            b'{' => {
                self.open_object()?;
                let mut first = true;
                while self.another(first, b'}')? {
                    if self.text_as_written()?.is_none() {
                        return Err(Refusal::JsonMalformed.into());
                    }
                    self.punctuation(b':')?;
                    self.skip_at(inner)?;
                    first = false;
                }
                Ok(())
            }
            b'[' => {
                self.open_array()?;
                let mut first = true;
                while self.element(first)? {
                    self.skip_at(inner)?;
                    first = false;
                }
                Ok(())
            }
            b'"' => self.raw_text().map(|_| ()),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number().map(|_| ()),
        }
    }

    fn open(&mut self, bracket: u8) -> Result<(), Why> {
        if self.peek()? == bracket { self.punctuation(bracket) } else { Err(self.not_expected()) }
    }

    fn another(&mut self, first: bool, close: u8) -> Result<bool, Why> {
        let next = self.peek()?;
        if next == close {
            self.punctuation(close)?;
            return Ok(false);
        }
        if !first {
            self.punctuation(b',')?;
        }
        Ok(true)
    }

    fn punctuation(&mut self, mark: u8) -> Result<(), Why> {
        if self.peek()? != mark {
            return Err(Refusal::JsonMalformed.into());
        }
        self.rest = self.rest.get(1..).unwrap_or_default();
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Why> {
        self.rest = self.rest.strip_prefix(word).ok_or(Refusal::JsonMalformed)?;
        Ok(())
    }

    /// From an opening quote past the closing one: the bytes between, and whether there are escapes.
    fn raw_text(&mut self) -> Result<(&'a [u8], bool), Why> {
        let inside = self.rest.get(1..).unwrap_or_default();
        let mut escaped = false;
        let mut at = plain_size(inside);
        while let Some(byte) = inside.get(at) {
            match byte {
                b'"' => {
                    let (text, rest) = inside.split_at_checked(at).unwrap_or_default();
                    self.rest = rest.get(1..).unwrap_or_default();
                    return Ok((text, escaped));
                }
                b'\\' => {
                    escaped = true;
                    let escape = inside.get(at..).unwrap_or_default();
                    let size = escape_size(escape)?;
                    at = at
                        .saturating_add(size)
                        .saturating_add(plain_size(escape.get(size..).unwrap_or_default()));
                }
                _ => return Err(Refusal::JsonMalformed.into()),
            }
        }
        Err(Refusal::PayloadTruncated.into())
    }

    /// A number by the grammar: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    pub(crate) fn number(&mut self) -> Result<&'a [u8], Why> {
        let start = self.rest;
        let mut rest = start;
        rest = rest.strip_prefix(b"-").unwrap_or(rest);
        rest = match rest {
            [b'0', after @ ..] => after,
            _ => digits(rest)?,
        };
        if let Some(fraction) = rest.strip_prefix(b".") {
            rest = digits(fraction)?;
        }
        if let [b'e' | b'E', exponent @ ..] = rest {
            let exponent = match exponent {
                [b'+' | b'-', unsigned @ ..] => unsigned,
                _ => exponent,
            };
            rest = digits(exponent)?;
        }
        // "01" or "1x": a number ends where the grammar's other marks begin.
        if !matches!(rest.first(), None | Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')) {
            return Err(Refusal::JsonMalformed.into());
        }
        self.rest = rest;
        Ok(start.get(..start.len().saturating_sub(rest.len())).unwrap_or_default())
    }

    /// Why a value is not of the kind that is wanted here.
    pub(crate) fn not_expected(&self) -> Why {
        match self.rest.first() {
            Some(b'"' | b'{' | b'[' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => {
                Refusal::FieldTypeNotExpected.into()
            }
            _ => Refusal::JsonMalformed.into(),
        }
    }
}

/// How many bytes there are before the first quote, backslash or control character, eight at a time.
fn plain_size(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    // The high bit of each byte that is below `bound`, right up to the first such byte: a borrow only reaches the
    // bytes behind it.
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES.wrapping_mul(bound.into())) & !word & HIGHS;
    let is = |word: u64, byte: u8| below(word ^ ONES.wrapping_mul(byte.into()), 1);
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (chunk, at) in chunks.iter().zip((0_usize..).step_by(8)) {
        let word = u64::from_le_bytes(*chunk);
        let special = below(word, 0x20) | is(word, b'"') | is(word, b'\\');
        if special != 0 {
            let byte = usize::try_from(special.trailing_zeros() / 8).unwrap_or_default();
            return at.saturating_add(byte);
        }
    }
    let plain = rest.iter().take_while(|byte| !matches!(byte, 0..=0x1f | b'"' | b'\\')).count();
    bytes.len().saturating_sub(rest.len()).saturating_add(plain)
}

fn digits(rest: &[u8]) -> Result<&[u8], Why> {
    let size = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match rest.split_at_checked(size) {
        Some((_, after)) if size > 0 => Ok(after),
        _ => Err(Refusal::JsonMalformed.into()),
    }
}

fn escape_size(escape: &[u8]) -> Result<usize, Why> {
    match escape {
        [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Ok(2),
        [_, b'u', d0, d1, d2, d3, ..] if [d0, d1, d2, d3].into_iter().all(u8::is_ascii_hexdigit) => Ok(6),
        _ => Err(Refusal::JsonMalformed.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(text: &str) -> Result<(), Refusal> {
        let mut json = Json::new(text.as_bytes());
        json.skip().and_then(|()| json.end()).map_err(|why| why.refusal)
    }

    #[test]
    fn values_by_the_grammar_are_skipped_whole() {
        for text in [
            "{}",
            "[]",
            " [ ] ",
            r#"{"a":1,"b":[true,false,null,-0.5e+3],"c":{"d":"\u00e9\n\""}}"#,
            "0",
            "-0",
            "1E9",
            "\"\"",
            "\t{\r\n\"a\" : [ 1 , 2 ] }",
        ] {
            assert_eq!(skipped(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "{",
            "[1",
            "\"",
            "\"a",
            "[1,]",
            "{,}",
            "{\"a\":1,}",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "[1 2]",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "tru",
            "nul",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\n\"",
            "NaN",
            "'a'",
            "[1]]",
            "{}{}",
            "1x",
            "",
        ] {
            assert!(skipped(text).is_err(), "{text}");
        }
    }

    #[test]
    fn text_ends_at_the_first_special_byte_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            let is_plain = !matches!(byte, 0..=0x1f | b'"' | b'\\');
            for (len, at) in (0..20).flat_map(|len| (0..len).map(move |at| (len, at))) {
                let mut bytes = [b'a'; 20];
                bytes[at] = byte;
                // What follows must not be taken for the first one.
                bytes[at + 1..].fill(0x1f);
                let expected = if is_plain { at + 1 } else { at };
                assert_eq!(plain_size(&bytes[..len]), expected.min(len), "{byte:#x} at {at} of {len}");
                let other = [0xff, 0x80, 0x7f, 0x20, 0x21, 0x23, 0x5b, 0x5d];
                bytes[..at].iter_mut().zip(other.into_iter().cycle()).for_each(|(byte, other)| *byte = other);
                assert_eq!(plain_size(&bytes[..len]), expected.min(len), "{byte:#x} at {at} of {len}");
            }
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let mut deep = [b'['; 2 * DEPTH_MAX as usize + 6];
        let middle = deep.len() / 2;
        deep[middle..].fill(b']');
        let deep = core::str::from_utf8(&deep).unwrap();
        assert_eq!(skipped(deep), Err(Refusal::JsonMalformed));
        assert_eq!(skipped(&deep[2..deep.len() - 2]), Ok(()));
    }

    #[test]
    fn an_integer_has_no_sign_fraction_exponent_or_leading_zero() {
        let read = |text: &str| Json::new(text.as_bytes()).uint().map_err(|why| why.refusal);
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        for text in ["-1", "1.0", "1e3", "18446744073709551616", "-0"] {
            assert_eq!(read(text), Err(Refusal::NumberOutOfRange), "{text}");
        }
        assert_eq!(read("01"), Err(Refusal::JsonMalformed));
        assert_eq!(read("\"1\""), Err(Refusal::FieldTypeNotExpected));
    }

    #[test]
    fn a_signed_integer_has_one_form() {
        let read = |text: &str| Json::new(text.as_bytes()).int().map_err(|why| why.refusal);
        assert_eq!(read("-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(read("9223372036854775807"), Ok(i64::MAX));
        assert_eq!(read("-129"), Ok(-129));
        for text in ["-0", "-1.0", "-1e3", "9223372036854775808", "-9223372036854775809"] {
            assert_eq!(read(text), Err(Refusal::NumberOutOfRange), "{text}");
        }
        assert_eq!(read("--1"), Err(Refusal::JsonMalformed));
        assert_eq!(read("-01"), Err(Refusal::JsonMalformed));
        assert_eq!(read("\"-1\""), Err(Refusal::FieldTypeNotExpected));
    }

    #[test]
    fn a_name_with_an_escape_is_refused() {
        let mut json = Json::new(br#"{"\u0070":1}"#);
        json.open_object().unwrap();
        assert_eq!(json.member(true).unwrap_err().refusal, Refusal::JsonEscapeNotAllowed);
    }
}
