//! Dates and times of runs, in the UTC offset of the machine that recorded them.

use jiff::civil::DateTime;
use jiff::{Span, Timestamp};
use model::Nanos;

/// Parses the start time for sorting runs; invalid times become `None` and sort first.
pub(crate) fn instant(started: &str) -> Option<Timestamp> {
    started.parse().ok()
}

/// Returns the date and time `later` after an RFC 3339 time, such as `("2026-11-21", "14:01:27")`; text that is not a
/// time is returned unchanged.
pub(crate) fn local(started: &str, later: Nanos) -> (String, String) {
    let begun = started.get(..19).and_then(|t| t.parse::<DateTime>().ok());
    let seconds = i64::try_from(later.whole_secs()).unwrap_or(0);
    match begun.and_then(|b| b.checked_add(Span::new().try_seconds(seconds).ok()?).ok()) {
        Some(at) => (at.date().to_string(), at.strftime("%H:%M:%S").to_string()),
        None => (started.to_owned(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_waves_of_a_ramp_have_a_time_of_their_own() {
        let at = |s, n: u64| local(s, Nanos::from_secs(n));
        assert_eq!(at("2026-11-21T14:01:27+09:00", 0), ("2026-11-21".into(), "14:01:27".into()));
        assert_eq!(at("2024-02-28T23:59:30.25Z", 45), ("2024-02-29".into(), "00:00:15".into()));
        assert_eq!(at("yesterday", 5), ("yesterday".into(), String::new()));
        assert!(instant("2026-11-21T14:01:27+09:00") < instant("2026-11-21T14:01:27Z"));
    }
}
