//! Wall-clock moments of a run, from its RFC 3339 beginning: seconds since 1970 and the text of C's `ctime`.

/// A moment in milliseconds since 1970-01-01 UTC, and the offset of the clock it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub millis: i64,
    offset_seconds: i64,
}

impl Moment {
    /// Reads `2026-11-21T09:41:07.25+01:00`; `None` when it is nothing of the kind.
    pub(super) fn parse(text: &str) -> Option<Moment> {
        let (date, rest) = text.split_once(['T', 't', ' '])?;
        let mut ymd = date.splitn(3, '-').map(str::parse::<i64>);
        let (year, month, day) = (ymd.next()?.ok()?, ymd.next()?.ok()?, ymd.next()?.ok()?);
        let at = rest.find(['Z', 'z', '+', '-'])?;
        let (clock, zone) = rest.split_at(at);
        let mut hms = clock.splitn(3, ':');
        let (hour, minute) = (hms.next()?.parse::<i64>().ok()?, hms.next()?.parse::<i64>().ok()?);
        let second: f64 = hms.next()?.parse().ok()?;
        let offset_seconds = offset(zone)?;
        if !(1..=12).contains(&month) || !(0..10_000).contains(&year) || !(0.0..61.0).contains(&second) {
            return None;
        }
        if !(1..=31).contains(&day) || !(0..24).contains(&hour) || !(0..60).contains(&minute) {
            return None;
        }
        let whole = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 - offset_seconds;
        Some(Moment { millis: whole * 1000 + (second * 1000.0).round() as i64, offset_seconds })
    }

    /// So many nanoseconds later.
    pub(super) fn plus(self, nanos: u64) -> Moment {
        Moment { millis: self.millis.saturating_add((nanos / 1_000_000) as i64), ..self }
    }

    /// Whole seconds since 1970.
    pub(super) fn seconds(self) -> i64 {
        self.millis.div_euclid(1000)
    }

    /// As C's `ctime` writes it, without the newline, in the offset it was read in: `Sat Nov 21 12:47:51 2026`.
    pub(super) fn ctime(self) -> String {
        const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let local = self.seconds() + self.offset_seconds;
        let (day, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let (year, month, of_month) = civil(day);
        format!(
            "{} {}{of_month:3} {:02}:{:02}:{:02} {year}",
            DAYS[day.rem_euclid(7) as usize],
            MONTHS[(month - 1) as usize],
            second / 3600,
            second / 60 % 60,
            second % 60,
        )
    }
}

fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<i64>().ok()?.min(24) * 3600 + minutes.parse::<i64>().ok()?.min(59) * 60))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, counted in years that begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a day since 1970-01-01: the inverse of [`days`].
fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + i64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_moment_is_that_of_a_real_run() {
        // fio: "timestamp_ms" : 1795265271890, "time" : "Sat Nov 21 12:47:51 2026".
        let moment = Moment::parse("2026-11-21T13:47:51.890+01:00").unwrap();
        assert_eq!(moment.millis, 1_795_265_271_890);
        assert_eq!(moment.ctime(), "Sat Nov 21 13:47:51 2026");
        assert_eq!(
            Moment::parse("2026-11-01T00:00:00Z").unwrap().plus(1_000_000_000).ctime(),
            "Sun Nov  1 00:00:01 2026"
        );
    }

    #[test]
    fn what_is_no_moment_is_none() {
        for text in
            ["", "yesterday", "2026-11-21", "2026-13-21T00:00:00Z", "2026-11-21T00:00Z", "T::Z", "2026-11-21T0:0:0é"]
        {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_day_is_found_again(day in -700_000i64..2_900_000) {
            let (year, month, of_month) = civil(day);
            prop_assert_eq!(days(year, month, of_month), day);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            let _ = Moment::parse(&text);
        }
    }
}
