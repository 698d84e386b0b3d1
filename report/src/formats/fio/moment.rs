//! Wall-clock times of a run, derived from its RFC 3339 start: seconds since 1970 and the text of C's `ctime`.

use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use jiff::tz::{Offset, TimeZone};

/// A time in milliseconds since 1970-01-01 UTC, and the UTC offset in which it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub millis: i64,
    offset: Offset,
}

impl Moment {
    /// Parses `2026-11-21T09:41:07.25+01:00`; returns `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Moment> {
        // RFC 3339 has fixed widths and always includes seconds; jiff accepts more.
        let pieces = Pieces::parse(text).ok().filter(|_| text.as_bytes().get(16) == Some(&b':'))?;
        let offset = pieces.to_numeric_offset()?;
        let at = offset.to_timestamp(pieces.date().to_datetime(pieces.time()?)).ok()?;
        // To the nearest millisecond.
        let millis = i64::try_from((at.as_nanosecond() + 500_000).div_euclid(1_000_000)).ok()?;
        Some(Moment { millis, offset })
    }

    /// Returns the time `nanos` nanoseconds later.
    pub(super) fn plus(self, nanos: u64) -> Moment {
        Moment { millis: self.millis.saturating_add((nanos / 1_000_000) as i64), ..self }
    }

    /// Returns whole seconds since 1970.
    pub(super) fn seconds(self) -> i64 {
        self.millis.div_euclid(1000)
    }

    /// Formats the time like C's `ctime`, without the newline, in the UTC offset in which it was given: `Sat Nov 21
    /// 12:47:51 2026`.
    pub(super) fn ctime(self) -> String {
        let at = Timestamp::from_second(self.seconds()).unwrap_or(Timestamp::MAX);
        at.to_zoned(TimeZone::fixed(self.offset)).strftime("%a %b %e %H:%M:%S %Y").to_string()
    }
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
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            let _ = Moment::parse(&text);
        }
    }
}
