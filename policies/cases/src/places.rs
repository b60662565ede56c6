//! Places in a payload, and what is filled in there.
//!
//! A place is `{name}`, `{name:form}`, where the value is a number `{name+5}`, `{name-5:form}`, or `{name*many}`: the value as
//! many times as the value of `many` says, with commas between. Without a form the value
//! stands as it is written; with one it stands as hexadecimal digits:
//!
//! | form | value | digits |
//! |---|---|---|
//! | `u8` `u16` `u32` `u64` | whole number | 1, 2, 4 or 8 bytes, little-endian |
//! | `word` | whole number, or `0x` and at most 64 digits | 32 bytes, big-endian |
//! | `address` | `0x` and 40 digits | 20 bytes |
//! | `key` | base 58 | 32 bytes |
//!
//! `now_ms` and `now_s` are the case's time; `nonce` is a number of milliseconds that no other request of the case has, and
//! the case's time in the case itself. Braces around anything else are text like any other: `{"type":…}`.

use std::collections::{BTreeMap, BTreeSet};

use venues::U256;

use crate::{Fault, hexadecimal};

/// Values by name.
pub(crate) type Values = BTreeMap<String, String>;

/// Fills places, and remembers which values were asked for.
pub(crate) struct Places<'v> {
    values: &'v Values,
    now_ms: u64,
    nonce: u64,
    used: BTreeSet<String>,
}

impl<'v> Places<'v> {
    pub(crate) fn new(values: &'v Values, now_ms: u64, nonce: u64) -> Self {
        Self { values, now_ms, nonce, used: BTreeSet::new() }
    }

    /// A value that no place asked for, if there is one.
    pub(crate) fn unused(&self) -> Option<&'v str> {
        self.values.keys().find(|name| !self.used.contains(*name)).map(String::as_str)
    }

    /// The text with its places filled.
    pub(crate) fn fill(&mut self, text: &str) -> Result<String, Fault> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            match after.split_once('}').and_then(|(inside, behind)| Some((Place::read(inside)?, behind))) {
                Some((place, behind)) => {
                    filled.push_str(&self.value(&place)?);
                    rest = behind;
                }
                None => {
                    filled.push('{');
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn repeated(&mut self, value: &str, many: &str) -> Result<String, Fault> {
        let times = self.values.get(many).and_then(|times| times.parse().ok());
        let times: usize = times.ok_or_else(|| format!("{many:?} does not say how many times"))?;
        self.used.insert(many.to_owned());
        if times > REPEATED_MAX {
            return Err(format!("{times} times; at most {REPEATED_MAX}"));
        }
        Ok(vec![value; times].join(","))
    }

    fn value(&mut self, place: &Place<'_>) -> Result<String, Fault> {
        let value = match (place.name, self.values.get(place.name)) {
            ("now_ms", _) => self.now_ms.to_string(),
            ("now_s", _) => (self.now_ms / 1_000).to_string(),
            ("nonce", None) => self.nonce.to_string(),
            (name, Some(value)) => {
                self.used.insert(name.to_owned());
                // A value may name the time.
                Places::new(&Values::new(), self.now_ms, self.nonce).fill(value)?
            }
            (name, None) => return Err(format!("nothing says what to fill in for {{{name}}}")),
        };
        let value = match place.offset {
            Some(('*', many)) => self.repeated(&value, many)?,
            _ => place.moved(value)?,
        };
        match place.form {
            Some(form) => {
                digits(form, &value).ok_or_else(|| format!("{value:?} cannot be written as {form}"))
            }
            None => Ok(value),
        }
    }
}

/// Most times that a value may be repeated.
const REPEATED_MAX: usize = 10_000;

struct Place<'t> {
    name: &'t str,
    /// The sign and the number behind the name.
    offset: Option<(char, &'t str)>,
    form: Option<&'t str>,
}

impl<'t> Place<'t> {
    /// What stands between braces, if that is a place.
    fn read(inside: &'t str) -> Option<Self> {
        let (named, form) =
            inside.split_once(':').map_or((inside, None), |(named, form)| (named, Some(form)));
        let (name, offset) = match named.find(['+', '-', '*']) {
            Some(at) => {
                let (name, offset) = named.split_at_checked(at)?;
                (name, Some((offset.chars().next()?, offset.get(1..)?)))
            }
            None => (named, None),
        };
        let is_word = |text: &str| {
            text.starts_with(|first: char| first.is_ascii_lowercase())
                && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        };
        (is_word(name) && form.is_none_or(is_word)).then_some(Self { name, offset, form })
    }

    fn moved(&self, value: String) -> Result<String, Fault> {
        let Some((sign, offset)) = self.offset else { return Ok(value) };
        let moved = value.parse::<u128>().ok().zip(offset.parse().ok()).and_then(|(value, offset)| {
            if sign == '+' { value.checked_add(offset) } else { value.checked_sub(offset) }
        });
        moved
            .map(|moved| moved.to_string())
            .ok_or_else(|| format!("{{{}{sign}{offset}}}: {value:?} cannot be moved by that", self.name))
    }
}

/// The value as hexadecimal digits.
fn digits(form: &str, value: &str) -> Option<String> {
    let little_endian = |size: usize| {
        let bytes = value.replace('_', "").parse::<u64>().ok()?.to_le_bytes();
        let (low, high) = bytes.split_at_checked(size)?;
        high.iter().all(|byte| *byte == 0).then(|| hexadecimal::text(low))
    };
    match form {
        "u8" => little_endian(1),
        "u16" => little_endian(2),
        "u32" => little_endian(4),
        "u64" => little_endian(8),
        "word" => {
            let number = match value.strip_prefix("0x") {
                Some(digits) => U256::from_str_radix(digits, 16).ok()?,
                None => U256::from_str_radix(&value.replace('_', ""), 10).ok()?,
            };
            Some(hexadecimal::text(&number.to_be_bytes::<32>()))
        }
        "address" => {
            let digits = value.strip_prefix("0x")?;
            let is_address = digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_address.then(|| digits.to_ascii_lowercase())
        }
        "key" => {
            let mut key = [0; 32];
            (bs58::decode(value).onto(&mut key) == Ok(32)).then(|| hexadecimal::text(&key))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str) -> Result<String, Fault> {
        let values = [
            ("a", "258"),
            ("later", "{now_s+60}"),
            ("many", "3"),
            ("none", "0"),
            ("who", "0x00000000000000000000000000000000000000Ab"),
            ("text", "1.5"),
            ("key", "11111111111111111111111111111112"),
        ];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Places::new(&values, 5_000, 4_999).fill(text)
    }

    #[test]
    fn places_are_filled_and_other_braces_stay() {
        for (text, filled) in [
            ("", ""),
            ("{a}", "258"),
            ("{\"a\":\"{text}\",\"b\":{}}", "{\"a\":\"1.5\",\"b\":{}}"),
            ("{a+2} {a-258} {now_ms} {now_s-1}", "260 0 5000 4"),
            ("{later}", "65"),
            ("{a:u16}{a:u32}{a+1:u64}", "0201020100000301000000000000"),
            ("{a:word}", &format!("{}0102", "00".repeat(30))),
            ("{who:address}", &format!("{}ab", "00".repeat(19))),
            ("{who:word}", &format!("{}ab", "00".repeat(31))),
            ("{key:key}", &format!("{}01", "00".repeat(31))),
            ("{A} {{", "{A} {{"),
            ("[{a*many}][{a*none}]", "[258,258,258][]"),
            ("{nonce} {nonce+1}", "4999 5000"),
        ] {
            assert_eq!(fill(text).as_deref(), Ok(filled), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_filled_is_a_fault() {
        for text in [
            "{b}",
            "{a:u8}",
            "{text:u64}",
            "{text+1}",
            "{a-259}",
            "{a:address}",
            "{a:key}",
            "{a:u128}",
            "{a*text}",
            "{a*b}",
        ] {
            assert!(fill(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_that_nobody_asked_for_is_known() {
        let values = [("a", "1"), ("b", "2")].map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let mut places = Places::new(&values, 0, 0);
        assert_eq!(places.fill("{b}").as_deref(), Ok("2"));
        assert_eq!(places.unused(), Some("a"));
    }
}
