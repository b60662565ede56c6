//! When the grants of a slot end: one form of RFC 3339, so that a time is written in one way.

use crate::fault::Rule;
use crate::field::Field;

/// Days of the months before each month of a year without a leap day.
const DAYS_BEFORE_MONTH: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// Years from 1970 on.
const YEAR_MIN: u64 = 1970;

/// `"2027-01-31T00:00:00Z"`: UTC, whole seconds, no leap second. Milliseconds since the Unix epoch.
pub(crate) fn expires_ms(field: Field<'_>) -> Option<u64> {
    let text = field.text()?;
    match epoch_s(text) {
        Some(seconds) => Some(1_000 * seconds),
        None => field.fault(
            Rule::BadTime,
            format_args!("{text:?} is not a time of 1970 or later such as \"2027-01-31T00:00:00Z\" (UTC)"),
        ),
    }
}

fn epoch_s(text: &str) -> Option<u64> {
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
    let bytes = text.as_bytes();
    if bytes.len() != 20 || separators.iter().any(|(at, separator)| bytes.get(*at) != Some(separator)) {
        return None;
    }
    let [year, month, day] = [digits(text, 0, 4)?, digits(text, 5, 2)?, digits(text, 8, 2)?];
    let [hour, minute, second] = [digits(text, 11, 2)?, digits(text, 14, 2)?, digits(text, 17, 2)?];
    if year < YEAR_MIN || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(86_400 * days(year, month, day)? + 3_600 * hour + 60 * minute + second)
}

/// Digits alone: no sign, no space.
fn digits(text: &str, at: usize, len: usize) -> Option<u64> {
    let digits = text.get(at..at + len)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let month_index = usize::try_from(month.checked_sub(1)?).ok()?;
    let before = *DAYS_BEFORE_MONTH.get(month_index)?;
    let leap_day = u64::from(is_leap(year));
    let next = DAYS_BEFORE_MONTH.get(month_index + 1).copied().unwrap_or(365);
    let in_month = next - before + if month == 2 { leap_day } else { 0 };
    if day == 0 || day > in_month {
        return None;
    }
    let leaps_before = |year: u64| (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400;
    let years = 365 * (year - YEAR_MIN) + leaps_before(year) - leaps_before(YEAR_MIN);
    Some(years + before + if month > 2 { leap_day } else { 0 } + day - 1)
}

#[cfg(test)]
mod tests {
    use super::epoch_s;

    #[test]
    fn times_are_seconds_since_1970() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1999-12-31T23:59:59Z", 946_684_799),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2000-03-01T00:00:00Z", 951_868_800),
            ("2026-12-01T00:00:00Z", 1_796_083_200),
            ("2027-01-31T00:00:00Z", 1_801_353_600),
            ("2028-02-29T00:00:00Z", 1_835_395_200),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            assert_eq!(epoch_s(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn there_is_one_way_to_write_a_time() {
        for text in [
            "",
            "2027-01-31",
            "2027-01-31 00:00:00Z",
            "2027-01-31t00:00:00z",
            "2027-01-31T00:00:00",
            "2027-01-31T00:00:00+00:00",
            "2027-01-31T00:00:00.0Z",
            "2027-1-31T00:00:00ZZZ",
            "+027-01-31T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2027-00-31T00:00:00Z",
            "2027-13-31T00:00:00Z",
            "2027-01-00T00:00:00Z",
            "2027-01-32T00:00:00Z",
            "2027-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "2027-04-31T00:00:00Z",
            "2027-01-31T24:00:00Z",
            "2027-01-31T00:60:00Z",
            "2016-12-31T23:59:60Z",
            "2027-01-3\u{661}T00:00:00",
        ] {
            assert_eq!(epoch_s(text), None, "{text}");
        }
    }
}
