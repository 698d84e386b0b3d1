//! Conversion of RFC 3339 text to instants. It is used only for sorting and filters; the text itself is stored and
//! shown.

use jiff::civil::{Date, date};

/// Returns an RFC 3339 time as nanoseconds since the Unix epoch; `None` if the text does not have this format.
pub(crate) fn parse_instant(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if bytes.len() < 20 || separators.iter().any(|(i, c)| bytes[*i] != *c) {
        return None;
    }
    if !matches!(bytes[10], b'T' | b't' | b' ') {
        return None;
    }
    let [year, month, day] = [number(&bytes[..4])?, number(&bytes[5..7])?, number(&bytes[8..10])?];
    let [hour, minute, second] = [number(&bytes[11..13])?, number(&bytes[14..16])?, number(&bytes[17..19])?];
    // 60 is a leap second; it sorts as the following second.
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (nanos, offset) = fraction_and_offset(&bytes[19..])?;
    let seconds = days(year, month, day)? * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
}

/// Parses a day, a minute, a second or an exact time. Returns its start in nanoseconds since the Unix epoch, and its
/// length in nanoseconds. If the text does not end with a UTC offset, it is in local time, which is `offset` seconds
/// ahead of UTC.
pub(crate) fn parse_span(typed: &str, offset: i32) -> Option<(i64, i64)> {
    const SECOND: i64 = 1_000_000_000;
    let typed = typed.trim();
    let zoned =
        typed.len() > 10 && (typed.ends_with(['Z', 'z']) || typed.get(10..).is_some_and(|t| t.contains(['+', '-'])));
    let at = match zoned {
        true => typed.find(['Z', 'z']).or_else(|| typed.rfind(['+', '-']))?,
        false => typed.len(),
    };
    let (time, zone) = (typed.get(..at)?, typed.get(at..)?);
    let (time, length) = match time.len() {
        10 if !zoned => (format!("{time}T00:00:00"), 86_400 * SECOND),
        16 => (format!("{time}:00"), 60 * SECOND),
        19 => (time.to_owned(), SECOND),
        20.. => (time.to_owned(), 1),
        _ => return None,
    };
    let zone = if zone.is_empty() { "Z" } else { zone };
    let ahead = if zoned { 0 } else { i128::from(offset) * i128::from(SECOND) };
    let from = i64::try_from(parse_instant(&format!("{time}{zone}"))? - ahead).ok()?;
    Some((from, length))
}

/// Parses the rest of a time, such as `.123456Z` or `+01:00`. Returns the nanoseconds, and the offset in seconds.
fn fraction_and_offset(mut rest: &[u8]) -> Option<(i64, i64)> {
    let mut nanos = 0;
    if let [b'.', digits @ ..] = rest {
        let n = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        if n == 0 {
            return None;
        }
        for i in 0..9 {
            nanos = nanos * 10 + digits.get(i).filter(|_| i < n).map_or(0, |b| i64::from(b - b'0'));
        }
        rest = &digits[n..];
    }
    match rest {
        b"Z" | b"z" => Some((nanos, 0)),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
            let offset = hours * 3600 + minutes * 60;
            (hours < 24 && minutes < 60).then_some((nanos, if *sign == b'-' { -offset } else { offset }))
        }
        _ => None,
    }
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0')))
}

/// Returns the number of days since 1970-01-01 in the Gregorian calendar; `None` if the month does not exist. Days past
/// the end of a month count as days of the next month, so that invalid dates written by other programs still sort
/// sensibly.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let first = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, 1).ok()?;
    Some(first.duration_since(date(1970, 1, 1)).as_hours() / 24 + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_instants_whatever_their_offset() {
        assert_eq!(parse_instant("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse_instant("2026-11-21T10:00:00+01:00"), parse_instant("2026-11-21T09:00:00Z"));
        assert_eq!(parse_instant("2026-11-21T00:30:00+05:45"), parse_instant("2026-11-20T18:45:00.000Z"));
        assert_eq!(parse_instant("2000-03-01T00:00:00Z"), Some(951_868_800_000_000_000));
        assert_eq!(parse_instant("2000-02-29T23:59:59.25Z"), Some(951_868_799_250_000_000));
        assert!(parse_instant("2026-11-21T10:00:00.1Z") < parse_instant("2026-11-21T10:00:00.123456789123Z"));
    }

    #[test]
    fn edges_of_the_calendar_are_seconds_since_1970() {
        for (text, seconds) in [
            ("0000-01-01T00:00:00Z", -62_167_219_200_i64),
            ("0000-02-29T00:00:00Z", -62_162_121_600),
            ("1900-02-28T23:59:59Z", -2_203_891_201),
            ("1900-03-01T00:00:00Z", -2_203_891_200),
            ("1969-12-31T23:59:59Z", -1),
            ("2024-02-29T12:00:00Z", 1_709_208_000),
            ("2026-12-31T23:59:60Z", 1_798_761_600),
            ("2100-02-28T00:00:00Z", 4_107_456_000),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("9999-12-31T23:59:59-23:59", 253_402_387_139),
            // Days past the end of a month count as days of the next month.
            ("2026-02-31T00:00:00Z", 1_772_496_000),
            ("2026-04-31T00:00:00Z", 1_777_593_600),
        ] {
            assert_eq!(parse_instant(text), Some(i128::from(seconds) * 1_000_000_000), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_has_no_instant() {
        for bad in [
            "",
            "yesterday",
            "2026-11-21",
            "2026-13-21T10:00:00Z",
            "2026-11-21T10:00:00",
            "2026-11-21T10:00:00+1",
            "2026-11-21T10:00:00.Z",
            "2026-11-21T25:00:00Z",
            "é026-11-21T10:00:00Z",
        ] {
            assert_eq!(parse_instant(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_typed_is_a_stretch_of_local_time_unless_it_says_its_zone() {
        let at = |text: &str| parse_instant(text).and_then(|i| i64::try_from(i).ok()).expect("a time");
        let (day, minute, second) = (86_400_000_000_000, 60_000_000_000, 1_000_000_000);
        assert_eq!(parse_span("2026-11-01", 3600), Some((at("2026-10-31T23:00:00Z"), day)));
        assert_eq!(parse_span("2026-11-01T10:00", -1800), Some((at("2026-11-01T10:30:00Z"), minute)));
        assert_eq!(parse_span("2026-11-01 10:00:07", 0), Some((at("2026-11-01T10:00:07Z"), second)));
        assert_eq!(parse_span("2026-11-01T10:00Z", 3600), Some((at("2026-11-01T10:00:00Z"), minute)));
        assert_eq!(parse_span("2026-11-01T10:00:00-02:00", 3600), Some((at("2026-11-01T12:00:00Z"), second)));
        for bad in
            ["", "2026", "2026-11-1", "2026-13-01", "2026-11-01Z", "2026-11-01T10", "9999-01-01", "3d", "é026-11-01"]
        {
            assert_eq!(parse_span(bad, 0), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>(), near in "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\PC{0,12}") {
            let _ = (parse_instant(&text), parse_instant(&near), parse_span(&text, 0), parse_span(&near, 0));
        }
    }
}
