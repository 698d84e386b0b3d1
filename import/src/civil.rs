//! Seconds since 1970 as a date and back, for tools that write down one of them only. Zones are not told by most: these are seconds
//! on the clock on the wall of that machine.

/// Day 0 of InterSystems' $HOROLOG is 1840-12-31: so many days before 1970.
pub(crate) const HOROLOG_DAYS: i64 = 47_117;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `2026-11-21T15:44:06+00:00`; empty beyond the year 9999.
pub(crate) fn rfc3339(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days from 0000-03-01 (Howard Hinnant, chrono-compatible low-level date algorithms).
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    if year > 9999 {
        return String::new();
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+00:00")
}

/// Days since 1970 of a date of the calendar; nothing for one that is none.
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1600..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let era = year / 400;
    let year_of_era = year - era * 400;
    let shifted_month = (month + 9) % 12;
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// Seconds of the day: `18:35:03`, `10:41:37.144`, `06:35:03 PM`.
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

/// The order in which a file writes year, month and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateOrder {
    YearMonthDay,
    MonthDayYear,
    DayMonthYear,
}

/// Three numbers of a date and the order that they themselves show, if one of them does.
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

/// Days since 1970 of such three numbers; years of two digits are of this century.
pub(crate) fn ordered(numbers: [i64; 3], order: DateOrder) -> Option<i64> {
    let [a, b, c] = numbers;
    let (year, month, day) = match order {
        DateOrder::YearMonthDay => (a, b, c),
        DateOrder::MonthDayYear => (c, a, b),
        DateOrder::DayMonthYear => (c, b, a),
    };
    days(if year < 100 { year + 2000 } else { year }, month, day)
}

/// Seconds of the C library's form: `Fri Apr  8 13:13:06 2022`.
pub(crate) fn ctime(text: &str) -> Option<i64> {
    let mut words = text.split_ascii_whitespace().skip(1);
    let month = words.next()?;
    let month = MONTHS.iter().position(|m| *m == month)? as i64 + 1;
    let day = words.next()?.parse().ok()?;
    let second = time_of_day(words.next()?)?;
    // A zone may stand between time and year.
    let year = words.filter(|w| is_digits(w, 4)).last()?.parse().ok()?;
    Some(days(year, month, day)? * 86_400 + second as i64)
}

/// Seconds of ISO 8601: `2022-04-08T13:13:06Z`, `2022-04-08 13:13:06`, `...+09:00`. A zone is taken into account.
pub(crate) fn iso(text: &str) -> Option<i64> {
    iso_on_the_wall(text).map(|(wall, east)| wall - i64::from(east.unwrap_or(0)))
}

/// The same as the clock on the wall showed it, and how many seconds it was ahead of UTC, if that is told.
pub(crate) fn iso_on_the_wall(text: &str) -> Option<(i64, Option<i32>)> {
    let text = text.trim();
    let date = text.get(..10)?;
    let (numbers, Some(DateOrder::YearMonthDay)) = date_parts(date)? else { return None };
    let day = ordered(numbers, DateOrder::YearMonthDay)?;
    let Some(rest) = text.get(11..) else { return Some((day * 86_400, None)) };
    let end = rest.find(['Z', 'z', '+', '-', ' ']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    let second = time_of_day(clock)? as i64;
    // Names of zones are not told apart but for the one that needs no table.
    let east = if zone.starts_with(['+', '-']) { Some(zone_east(zone)?) } else { zone_east(zone) };
    Some((day * 86_400 + second, east))
}

/// Seconds ahead of UTC: `Z`, `+09:00`, `-0500`, `+09`.
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
        assert_eq!(days(1970, 1, 1), Some(0));
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
