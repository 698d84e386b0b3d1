//! What stands in parentheses behind a request: whether it counts, and whether it was fast or slow
//! (docs/design/foreign-results.md, "ioping").

use model::{Nanos, PingStats, Standing};

/// A mark needs more than so many requests to compare with.
const KNOWN: u64 = 5;

/// Whose rule says what is fast and slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Marks {
    /// ioping since 1.3: less than half, or more than twice, the mean so far.
    #[default]
    Current,
    /// ioping before 1.3: within 5 % of the range between the least and the greatest so far. The layout is that of these
    /// versions, too: without the size of a file system.
    Old,
}

impl Marks {
    /// Of a version of ioping, as typed after `--marks`.
    #[must_use]
    pub fn from_version(text: &str) -> Option<Marks> {
        let (major, minor) = text.split_once('.')?;
        let version: (u32, u32) = (major.parse().ok()?, minor.split('.').next()?.parse().ok()?);
        Some(if version < (1, 3) { Marks::Old } else { Marks::Current })
    }

    /// The mark of the request that was the last added to `stats`, and counts.
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

/// What stands behind the request that was the last added to `stats`.
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
        let mut of = |time| {
            stats.add(Nanos(time), Standing::Counts);
            notice(Marks::Current, &stats, Standing::Counts, Nanos(time))
        };
        // The mean includes the request itself: 700/6 = 116.
        assert_eq!(of(200), None);
        assert_eq!(of(300), Some("slow"));
        assert_eq!(of(50), Some("fast"));
        assert_eq!(of(100), None);
    }
}
