//! Results of requests that are sent one at a time (`secchi ping`): the rules for which requests count, and their
//! statistics.

use crate::{Bytes, LatencyHistogram, Nanos};
use serde::{Deserialize, Serialize};

/// Rule for which requests count in the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PingRule {
    /// Number of requests at the beginning that do not count.
    pub warmup: u64,
    /// Minimum time of a request that counts.
    pub shortest: Nanos,
    /// Maximum time of a request that counts.
    pub longest: Nanos,
}

impl Default for PingRule {
    /// Returns the rule of ioping: all requests but the first count.
    fn default() -> Self {
        PingRule { warmup: 1, shortest: Nanos(0), longest: Nanos(u64::MAX) }
    }
}

/// Classification of a request for the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// One of the first requests, which do not count.
    Warmup,
    /// Took less time than the rule accepts.
    TooFast,
    /// Took more time than the rule accepts.
    TooSlow,
    /// Counts in the statistics.
    Counts,
}

impl PingRule {
    /// Classifies request `number` (from 1), which took `time`.
    #[must_use]
    pub fn standing(&self, number: u64, time: Nanos) -> Standing {
        if number <= self.warmup {
            Standing::Warmup
        } else if time < self.shortest {
            Standing::TooFast
        } else if time > self.longest {
            Standing::TooSlow
        } else {
            Standing::Counts
        }
    }
}

/// Statistics of the requests of a period. Sums are integers; nothing is rounded before printing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PingStats {
    /// Start of the period on the run's clock.
    pub start: Nanos,
    /// End of the period.
    pub finish: Nanos,
    /// Number of completed requests, including those that do not count.
    pub count: u64,
    /// Number of completed requests that were too fast.
    pub too_fast: u64,
    /// Number of completed requests that were too slow.
    pub too_slow: u64,
    /// Times of the requests that count.
    pub times: LatencyHistogram,
}

impl PingStats {
    /// Creates empty statistics.
    #[must_use]
    pub fn begin(start: Nanos) -> Self {
        PingStats { start, finish: start, ..PingStats::default() }
    }

    /// Adds a completed request.
    pub fn add(&mut self, time: Nanos, standing: Standing) {
        self.count += 1;
        match standing {
            Standing::Warmup => {}
            Standing::TooFast => self.too_fast += 1,
            Standing::TooSlow => self.too_slow += 1,
            Standing::Counts => self.times.record(time),
        }
    }

    /// Adds the requests of another host in the same period.
    pub fn merge_parallel(&mut self, other: &PingStats) {
        let start = self.start.min(other.start);
        self.merge(other);
        self.start = start;
    }

    /// Appends the next period.
    pub fn merge(&mut self, later: &PingStats) {
        self.finish = self.finish.max(later.finish);
        self.count += later.count;
        self.too_fast += later.too_fast;
        self.too_slow += later.too_slow;
        self.times.merge(&later.times);
    }

    /// Returns the length of the period.
    #[must_use]
    pub fn length(&self) -> Nanos {
        self.finish.since(self.start)
    }
}

/// Direction of the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PingWay {
    /// Reads only.
    #[default]
    Read,
    /// Writes only.
    Write,
    /// Writes and reads in turn.
    ByTurns,
}

/// Target of the requests, in ioping's terms.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PingPlace {
    /// Host, if there are several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Path as typed.
    pub path: String,
    /// Type of the file system; `block` for a device.
    pub fs: String,
    /// Source of the mount; `device` for a device.
    pub device: String,
    /// Size of the file system or the device.
    pub size: Bytes,
}

/// Result of a ping run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pinged {
    /// Target as named by the user, with its file system or device.
    pub place: PingPlace,
    /// Size of each request, in bytes.
    pub block: Bytes,
    /// Direction of the requests.
    pub way: PingWay,
    /// True if times are measured from the due time of a request, not from when it was sent.
    pub from_due: bool,
    /// Statistics of all requests.
    pub total: PingStats,
    /// Results of the individual hosts, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<Pinged>,
}

impl Pinged {
    /// Combines the results of several hosts that ran at the same time and keeps each result in `hosts`. A single
    /// result is returned unchanged.
    #[must_use]
    pub fn of_hosts(hosts: &[Pinged]) -> Pinged {
        let [first, others @ ..] = hosts else { return Pinged::default() };
        let mut merged = first.clone();
        if others.is_empty() {
            return merged;
        }
        let begun = |pinged: &&Pinged| pinged.total.count > 0;
        merged.total = PingStats::default();
        for (i, pinged) in hosts.iter().filter(begun).enumerate() {
            if i == 0 { merged.total = pinged.total.clone() } else { merged.total.merge_parallel(&pinged.total) }
        }
        let each = |of: fn(&PingPlace) -> &str| {
            let mut places: Vec<&str> = hosts.iter().map(|pinged| of(&pinged.place)).collect();
            places.sort_unstable();
            places.dedup();
            places.join("+")
        };
        merged.place = PingPlace {
            host: String::new(),
            path: format!("{} hosts", hosts.len()),
            fs: each(|place| &place.fs),
            device: each(|place| &place.device),
            size: hosts.iter().map(|pinged| pinged.place.size).sum(),
        };
        merged.hosts = hosts.to_vec();
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_extreme_are_counted_apart() {
        let rule = PingRule { warmup: 2, shortest: Nanos(10), longest: Nanos(20) };
        let mut stats = PingStats::begin(Nanos(5));
        for (number, time) in [(1, 15), (2, 99), (3, 9), (4, 10), (5, 20), (6, 21)] {
            stats.add(Nanos(time), rule.standing(number, Nanos(time)));
        }
        assert_eq!((stats.count, stats.too_fast, stats.too_slow), (6, 1, 1));
        assert_eq!((stats.times.count(), stats.times.summary().sum), (2, 30));
    }

    #[test]
    fn hosts_at_the_same_time_are_one_run_of_all_their_requests() {
        let host = |name: &str, from: u64, times: &[u64]| {
            let mut total = PingStats::begin(Nanos(from));
            times.iter().for_each(|time| total.add(Nanos(*time), Standing::Counts));
            total.finish = Nanos(from + 1_000);
            let place = PingPlace { host: name.into(), fs: "ext4".into(), size: Bytes(5), ..PingPlace::default() };
            Pinged { place, total, ..Pinged::default() }
        };
        let hosts = [host("a", 100, &[10, 20]), host("b", 50, &[30]), host("c", 0, &[])];
        let merged = Pinged::of_hosts(&hosts);
        assert_eq!((merged.total.start, merged.total.finish, merged.total.count), (Nanos(50), Nanos(1_100), 3));
        assert_eq!((merged.total.times.max(), merged.total.times.summary().sum), (Some(Nanos(30)), 60));
        assert_eq!(
            (merged.place.path.as_str(), merged.place.fs.as_str(), merged.place.size),
            ("3 hosts", "ext4", Bytes(15))
        );
        assert_eq!(merged.hosts, hosts);
        assert_eq!(Pinged::of_hosts(&hosts[..1]), hosts[0], "one alone is itself");
    }

    #[test]
    fn stretches_put_together_are_one() {
        let rule = PingRule::default();
        let (mut whole, mut first, mut second) =
            (PingStats::begin(Nanos(0)), PingStats::begin(Nanos(0)), PingStats::begin(Nanos(50)));
        for number in 1..=100u64 {
            let time = Nanos(number * 7 % 1000);
            let standing = rule.standing(number, time);
            whole.add(time, standing);
            if number <= 50 { first.add(time, standing) } else { second.add(time, standing) }
        }
        second.finish = Nanos(100);
        whole.finish = Nanos(100);
        first.merge(&second);
        assert_eq!(first, whole);
    }
}
