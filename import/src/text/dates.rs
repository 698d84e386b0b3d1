//! Conversion between dates and seconds since 1970, for tools that print only dates or only seconds. Most tools omit
//! the time zone, so the seconds are usually in the local time of the machine on which the file was written.

use jiff::Timestamp;
use jiff::civil::Date;

/// Number of days from day 0 of InterSystems' $HOROLOG (1840-12-31) to 1970-01-01.
pub(crate) const HOROLOG_DAYS: i64 = 47_117;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Formats seconds since 1970 as a date such as `2026-11-21T15:44:06+00:00`. Returns an empty text after the year 9999.
pub(crate) fn rfc3339(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|s| Timestamp::from_second(s).ok());
    time.map(|t| t.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string()).unwrap_or_default()
}

/// Returns the number of days from 1970-01-01 to a date, or `None` if the date does not exist.
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let year = i16::try_from(year).ok().filter(|y| (1600..=9999).contains(y))?;
    let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    Some(i64::from(Date::constant(1970, 1, 1).until(date).ok()?.get_days()))
}

/// Parses a time of day, such as `18:35:03`, `10:41:37.144` or `06:35:03 PM`, into seconds since midnight.
pub(crate) fn time_of_day(text: &str) -> Option<f64> {
    let text = text.trim();
    let upper = text.to_ascii_uppercase();
    let (clock, half) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(clock), _) => (clock.trim(), Some(0.0)),
        (_, Some(clock)) => (clock.trim(), Some(12.0)),
        _ => (upper.as_str(), None),
    };
    let mut parts = clock.split(':');
    let hour: f64 = parts.next().filter(|h| is_digits(h, 2))?.parse().ok()?;
    let minute: f64 = parts.next().filter(|m| is_digits(m, 2))?.parse().ok()?;
    let second: f64 = match parts.next() {
        Some(s) if s.bytes().all(|b| b.is_ascii_digit() || b == b'.') => s.parse().ok()?,
        Some(_) => return None,
        None => 0.0,
    };
    if parts.next().is_some() || hour > 24.0 || minute > 59.0 || second >= 61.0 {
        return None;
    }
    let hour = half.map_or(hour, |half| hour % 12.0 + half);
    Some(hour * 3600.0 + minute * 60.0 + second)
}

fn is_digits(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// Order in which a file writes year, month and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateOrder {
    YearMonthDay,
    MonthDayYear,
    DayMonthYear,
}

/// Parses the three numbers of a date, and returns their order if the numbers reveal it.
pub(crate) fn date_parts(text: &str) -> Option<([i64; 3], Option<DateOrder>)> {
    let mut parts = text.trim().split(['/', '-', '.']);
    let mut next = || parts.next().filter(|p| is_digits(p, 4))?.parse::<i64>().ok();
    let numbers = [next()?, next()?, next()?];
    if parts.next().is_some() {
        return None;
    }
    let order = match numbers {
        [1000..=9999, ..] => Some(DateOrder::YearMonthDay),
        [13..=31, 1..=12, _] => Some(DateOrder::DayMonthYear),
        [_, 13..=31, _] => Some(DateOrder::MonthDayYear),
        _ => None,
    };
    Some((numbers, order))
}

/// Converts the three numbers of a date in the given order to days since 1970-01-01. Two-digit years are in the 21st
/// century.
pub(crate) fn ordered(numbers: [i64; 3], order: DateOrder) -> Option<i64> {
    let [a, b, c] = numbers;
    let (year, month, day) = match order {
        DateOrder::YearMonthDay => (a, b, c),
        DateOrder::MonthDayYear => (c, a, b),
        DateOrder::DayMonthYear => (c, b, a),
    };
    days(if year < 100 { year + 2000 } else { year }, month, day)
}

/// Returns the order of year, month and day in a file's dates. The second value is `true` if a date revealed the order.
pub(crate) fn date_order<'a>(texts: impl Iterator<Item = &'a str>) -> (DateOrder, bool) {
    let sure = texts.filter_map(date_parts).find_map(|(_, order)| order);
    (sure.unwrap_or(DateOrder::MonthDayYear), sure.is_some())
}

/// Converts a date in the given order and a time of day to seconds since 1970.
pub(crate) fn date_time(date: &str, time: &str, order: DateOrder) -> Option<f64> {
    let (numbers, detected) = date_parts(date)?;
    let day = ordered(numbers, detected.unwrap_or(order)).or_else(|| ordered(numbers, order))?;
    Some(day as f64 * 86_400.0 + time_of_day(time)?)
}

/// Parses a date in the C library's format, such as `Fri Apr  8 13:13:06 2022`, into seconds since 1970.
pub(crate) fn ctime(text: &str) -> Option<i64> {
    let mut words = text.split_ascii_whitespace().skip(1);
    let month = words.next()?;
    let month = MONTHS.iter().position(|m| *m == month)? as i64 + 1;
    let day = words.next()?.parse().ok()?;
    let second = time_of_day(words.next()?)?;
    // There may be a time zone between the time and the year.
    let year = words.filter(|w| is_digits(w, 4)).last()?.parse().ok()?;
    Some(days(year, month, day)? * 86_400 + second as i64)
}

/// Parses an ISO 8601 date, such as `2022-04-08T13:13:06Z`, `2022-04-08 13:13:06` or `...+09:00`, into seconds
/// since 1970. The time zone, if given, is applied.
pub(crate) fn iso(text: &str) -> Option<i64> {
    iso_on_the_wall(text).map(|(wall, east)| wall - i64::from(east.unwrap_or(0)))
}

/// Parses an ISO 8601 date into seconds since 1970 in local time. Also returns by how many seconds local time is ahead
/// of UTC, if the time zone is given.
pub(crate) fn iso_on_the_wall(text: &str) -> Option<(i64, Option<i32>)> {
    let text = text.trim();
    let date = text.get(..10)?;
    let (numbers, Some(DateOrder::YearMonthDay)) = date_parts(date)? else { return None };
    let day = ordered(numbers, DateOrder::YearMonthDay)?;
    let Some(rest) = text.get(11..) else { return Some((day * 86_400, None)) };
    let end = rest.find(['Z', 'z', '+', '-', ' ']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    let second = time_of_day(clock)? as i64;
    // Names of time zones are ignored, except for `Z` and `UTC`, which need no table.
    let east = if zone.starts_with(['+', '-']) { Some(zone_east(zone)?) } else { zone_east(zone) };
    Some((day * 86_400 + second, east))
}

/// Returns the beginning of a file from an ISO 8601 date: seconds since 1970 in local time, and seconds ahead of UTC.
pub(crate) fn began(text: &str) -> (Option<i64>, Option<i32>) {
    iso_on_the_wall(text).map_or((None, None), |(wall, zone)| (Some(wall), zone))
}

/// Parses a time zone, such as `Z`, `+09:00`, `-0500` or `+09`, into seconds ahead of UTC.
pub(crate) fn zone_east(zone: &str) -> Option<i32> {
    let zone = zone.trim();
    if matches!(zone, "Z" | "z" | "UTC") {
        return Some(0);
    }
    let amount = zone.strip_prefix(['+', '-'])?;
    let digits: String = amount.chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = match digits.len() {
        2 if is_digits(&digits, 2) => (digits.parse::<i32>().ok()?, 0),
        4 if is_digits(&digits, 4) => (digits[..2].parse().ok()?, digits[2..].parse().ok()?),
        _ => return None,
    };
    let east = (hours * 60 + minutes) * 60;
    (hours <= 15 && minutes < 60).then_some(if zone.starts_with('-') { -east } else { east })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_every_form_are_the_same_second() {
        let wanted = days(2022, 4, 8).unwrap() * 86_400 + 13 * 3600 + 13 * 60 + 6;
        assert_eq!(rfc3339(wanted as u64), "2022-04-08T13:13:06+00:00");
        for text in ["Fri Apr  8 13:13:06 2022", "Fri Apr 8 13:13:06 JST 2022"] {
            assert_eq!(ctime(text), Some(wanted), "{text}");
        }
        for text in
            ["2022-04-08T13:13:06Z", "2022-04-08 13:13:06", "2022-04-08T22:13:06+09:00", "2022-04-08T08:13:06-0500"]
        {
            assert_eq!(iso(text), Some(wanted), "{text}");
        }
        assert_eq!(iso_on_the_wall("2022-04-08T22:13:06+0900"), Some((wanted + 9 * 3600, Some(9 * 3600))));
        assert_eq!(iso_on_the_wall("2022-04-08T13:13:06"), Some((wanted, None)));
        assert_eq!(
            ["Z", "-03:30", "+05", "+1", "+25:00", "JST"].map(zone_east),
            [Some(0), Some(-12_600), Some(18_000), None, None, None]
        );
        assert_eq!([(2023, 2, 29), (2024, 13, 1), (1599, 12, 31)].map(|(y, m, d)| days(y, m, d)), [None; 3]);
        assert_eq!(days(1970, 1, 1), Some(0));
        assert_eq!(days(9999, 12, 31), Some(2_932_896));
        assert_eq!(days(1840, 12, 31), Some(-HOROLOG_DAYS));
        assert_eq!(date_parts("04/15/2022"), Some(([4, 15, 2022], Some(DateOrder::MonthDayYear))));
        assert_eq!(date_parts("15/04/2022"), Some(([15, 4, 2022], Some(DateOrder::DayMonthYear))));
        assert_eq!(date_parts("04/07/2022").map(|(_, order)| order), Some(None));
        assert_eq!(time_of_day("06:35:03 PM"), time_of_day("18:35:03"));
        assert_eq!(time_of_day("12:00:00 AM"), Some(0.0));
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00+00:00");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00+00:00");
        assert_eq!(rfc3339(1_795_275_846), "2026-11-21T15:44:06+00:00");
        assert_eq!(rfc3339(u64::MAX), "");
    }
}
