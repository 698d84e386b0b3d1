//! Requests sent one at a time and told one at a time (`secchi ping`): at what beat they come, which of them count, and
//! what is known of those that do.

use crate::{Bytes, LatencyHistogram, Nanos};
use serde::{Deserialize, Serialize};

/// One operation at a time, at a beat (ioping's way).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestInterval {
    /// From the begin of one operation to that of the next. One that comes late begins at once, and the beat with it:
    /// nothing is made up for, unless `from_due`.
    pub interval: Nanos,
    /// Operations in a row before each interval, at least one.
    pub burst: u64,
    /// Operations are due at even distances from the start, whatever became of those before (an open loop): one that was
    /// held up begins late and keeps its due time.
    pub from_due: bool,
    /// Before each operation its range is dropped from the page cache; not timed.
    pub uncached: bool,
    /// A write has completed when a flush behind it has (fdatasync); timed with it.
    pub durable: bool,
    /// A write, then a read, by turns.
    pub by_turns: bool,
}

/// A [`RequestInterval`] at work: when the next operation is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metronome {
    request_interval: RequestInterval,
    due: u64,
    /// Operations since the last interval.
    in_row: u64,
}

impl Metronome {
    /// The first operation is due at `start`.
    #[must_use]
    pub const fn new(request_interval: RequestInterval, start: Nanos) -> Self {
        Metronome { request_interval, due: start.as_nanos(), in_row: 0 }
    }

    /// When the next operation is due.
    #[must_use]
    #[inline]
    pub const fn due(&self) -> Nanos {
        Nanos(self.due)
    }

    /// The operation that was due has ended.
    #[inline]
    pub fn ended(&mut self, now: Nanos) {
        self.in_row += 1;
        if self.in_row >= self.request_interval.burst {
            self.in_row = 0;
            self.due = self.due.saturating_add(self.request_interval.interval.as_nanos());
        }
        if !self.request_interval.from_due {
            self.due = self.due.max(now.as_nanos());
        }
    }
}

/// Which requests count in the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PingRule {
    /// So many at the beginning do not.
    pub warmup: u64,
    /// Those that took less do not.
    pub shortest: Nanos,
    /// Those that took more do not.
    pub longest: Nanos,
}

impl Default for PingRule {
    /// All but the first, as ioping has it.
    fn default() -> Self {
        PingRule { warmup: 1, shortest: Nanos(0), longest: Nanos(u64::MAX) }
    }
}

/// What a request is to the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// One of the first.
    Warmup,
    /// Took less than what counts.
    TooFast,
    /// Took more than what counts.
    TooSlow,
    /// It counts.
    Counts,
}

impl PingRule {
    /// What request `number` (from 1), which took `time`, is.
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

/// Requests of a stretch of time. Sums are integers: nothing is rounded before it is printed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PingStats {
    /// When the stretch began, on the run's clock.
    pub start: Nanos,
    /// When it ended.
    pub finish: Nanos,
    /// Completed requests, those that do not count included.
    pub count: u64,
    /// Of these, too fast.
    pub too_fast: u64,
    /// Of these, too slow.
    pub too_slow: u64,
    /// Times of those that count.
    pub times: LatencyHistogram,
}

impl PingStats {
    /// Nothing yet.
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

    /// Adds what another host did at the same time.
    pub fn merge_parallel(&mut self, other: &PingStats) {
        let start = self.start.min(other.start);
        self.merge(other);
        self.start = start;
    }

    /// Puts the next stretch behind this one.
    pub fn merge(&mut self, later: &PingStats) {
        self.finish = self.finish.max(later.finish);
        self.count += later.count;
        self.too_fast += later.too_fast;
        self.too_slow += later.too_slow;
        self.times.merge(&later.times);
    }

    /// Its length.
    #[must_use]
    pub fn length(&self) -> Nanos {
        self.finish.since(self.start)
    }
}

/// Which way requests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PingWay {
    /// They read.
    #[default]
    Read,
    /// They write.
    Write,
    /// By turns.
    ByTurns,
}

/// What was named, in ioping's words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PingPlace {
    /// The host, where there are several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// As typed.
    pub path: String,
    /// Type of the file system; `block` for a device.
    pub fs: String,
    /// What that is mounted from; `device` for a device.
    pub device: String,
    /// Size of the file system or the device.
    pub size: Bytes,
}

/// A run of requests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pinged {
    /// What was asked, and on which file system or device.
    pub place: PingPlace,
    /// Bytes of each.
    pub block: Bytes,
    /// Which way.
    pub way: PingWay,
    /// Times are counted from when a request was due, not from when it was sent.
    pub from_due: bool,
    /// All of them.
    pub total: PingStats,
    /// Of each host, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<Pinged>,
}

impl Pinged {
    /// What several hosts did at the same time, as one, with each beside. One alone is itself.
    #[must_use]
    pub fn of_hosts(hosts: &[Pinged]) -> Pinged {
        let [first, others @ ..] = hosts else { return Pinged::default() };
        let mut all = first.clone();
        if others.is_empty() {
            return all;
        }
        let begun = |pinged: &&Pinged| pinged.total.count > 0;
        all.total = PingStats::default();
        for (i, pinged) in hosts.iter().filter(begun).enumerate() {
            if i == 0 { all.total = pinged.total.clone() } else { all.total.merge_parallel(&pinged.total) }
        }
        let each = |of: fn(&PingPlace) -> &str| {
            let mut told: Vec<&str> = hosts.iter().map(|pinged| of(&pinged.place)).collect();
            told.sort_unstable();
            told.dedup();
            told.join("+")
        };
        all.place = PingPlace {
            host: String::new(),
            path: format!("{} hosts", hosts.len()),
            fs: each(|place| &place.fs),
            device: each(|place| &place.device),
            size: hosts.iter().map(|pinged| pinged.place.size).sum(),
        };
        all.hosts = hosts.to_vec();
        all
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
        let all = Pinged::of_hosts(&hosts);
        assert_eq!((all.total.start, all.total.finish, all.total.count), (Nanos(50), Nanos(1_100), 3));
        assert_eq!((all.total.times.max(), all.total.times.summary().sum), (Some(Nanos(30)), 60));
        assert_eq!((all.place.path.as_str(), all.place.fs.as_str(), all.place.size), ("3 hosts", "ext4", Bytes(15)));
        assert_eq!(all.hosts, hosts);
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
