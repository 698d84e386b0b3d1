//! The note in parentheses after a request: whether it counts, and whether it was fast or slow
//! (docs/design/foreign-results.md, "ioping").

use model::Nanos;
use model::record::{PingStats, Standing};

/// A request is marked only if there are more than this many requests to compare with.
const KNOWN: u64 = 5;

/// Rule for marking requests as fast or slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Marks {
    /// ioping 1.3 and later: less than half, or more than twice, the mean so far.
    #[default]
    Current,
    /// ioping before 1.3: in the lowest or the highest 5 % of the range between the minimum and the maximum so far. The
    /// layout also matches these versions: it has no file system size.
    Old,
}

impl Marks {
    /// Returns the rule of a version of ioping, as typed after `--marks`.
    #[must_use]
    pub fn from_version(text: &str) -> Option<Marks> {
        let (major, minor) = text.split_once('.')?;
        let version: (u32, u32) = (major.parse().ok()?, minor.split('.').next()?.parse().ok()?);
        Some(if version < (1, 3) { Marks::Old } else { Marks::Current })
    }

    /// Returns the mark of the last request added to `stats`, which must be one that counts.
    fn mark_request(self, stats: &PingStats, time: Nanos) -> Option<&'static str> {
        let times = stats.times.summary();
        if times.count <= KNOWN {
            return None;
        }
        match self {
            Marks::Current => {
                let mean = times.sum / u128::from(times.count);
                let time = u128::from(time.as_nanos());
                match () {
                    () if time * 2 < mean => Some("fast"),
                    () if time > mean * 2 => Some("slow"),
                    () => None,
                }
            }
            Marks::Old if times.min < times.max => {
                let percent = u128::from(time.as_nanos() - times.min) * 100 / u128::from(times.max - times.min);
                match percent {
                    0..5 => Some("fast"),
                    96.. => Some("slow"),
                    _ => None,
                }
            }
            Marks::Old => None,
        }
    }
}

/// Returns the note after the last request added to `stats`.
#[must_use]
pub fn notice(marks: Marks, stats: &PingStats, standing: Standing, time: Nanos) -> Option<&'static str> {
    match standing {
        Standing::Warmup => Some("warmup"),
        Standing::TooFast => Some("too fast"),
        Standing::TooSlow => Some("too slow"),
        Standing::Counts => marks.mark_request(stats, time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_names_its_rule() {
        assert_eq!(Marks::from_version("1.0"), Some(Marks::Old));
        assert_eq!(Marks::from_version("1.2.1"), Some(Marks::Old));
        assert_eq!(Marks::from_version("1.3"), Some(Marks::Current));
        assert_eq!(Marks::from_version("2.0"), Some(Marks::Current));
        assert_eq!(Marks::from_version("new"), None);
    }

    #[test]
    fn the_current_rule_is_half_and_twice_the_mean() {
        let mut stats = PingStats::begin(Nanos(0));
        for time in [100, 100, 100, 100, 100] {
            stats.add(Nanos(time), Standing::Counts);
            assert_eq!(notice(Marks::Current, &stats, Standing::Counts, Nanos(time)), None, "too few to compare");
        }
        let mut mark_of = |time| {
            stats.add(Nanos(time), Standing::Counts);
            notice(Marks::Current, &stats, Standing::Counts, Nanos(time))
        };
        // The mean includes the request itself: 700/6 = 116.
        assert_eq!(mark_of(200), None);
        assert_eq!(mark_of(300), Some("slow"));
        assert_eq!(mark_of(50), Some("fast"));
        assert_eq!(mark_of(100), None);
    }
}
