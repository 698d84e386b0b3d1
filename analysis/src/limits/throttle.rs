//! A throttle's pauses in the latencies of a level (docs/design/limits.md, "A throttle without a row").
//!
//! A throttle that counts by time slices serves requests at the speed of the storage until the slice is used up, and
//! holds the rest until the next one. Most requests are then as fast as alone, and a few wait for nearly the same time.
//! Saturated storage delays all of them.

use crate::levels::figures::Level;
use model::{LatencyHistogram, Nanos, Pacing, Steadiness, bucket_mid};

/// Latencies of at least this share of the longest one count as pauses, because they are nearly equal.
const NEARLY_EQUAL: f64 = 0.5;
/// Minimum share of the time that requests spend in pauses.
const PAUSED: f64 = 0.5;
/// The same share for a level whose throttle shows at another depth: just above the depth from which a throttle binds,
/// the storage itself takes nearly all of the time.
const PAUSED_AT_THE_EDGE: f64 = 0.25;
/// Maximum share of the requests that pause.
const FEW: f64 = 0.25;
/// Maximum ratio of the median to the mean.
const MEDIAN: f64 = 0.5;
/// Minimum length of a pause: time slices are not shorter.
const SHORTEST: Nanos = Nanos::from_millis(5);
/// Maximum relative difference of the rates at two depths under the same throttle.
const SAME_RATE: f64 = 0.02;
/// Maximum scatter of the windows (standard deviation over mean) under a throttle, even if requests pause for as long
/// as a window.
const EVEN: f64 = 0.02;

/// Returns `true` if a level ran under a throttle: its latencies show pauses and its rate is even in spite of them, or
/// another depth with pauses has the same rate. In short levels earlier burst credits may hide the rate, so those must
/// be even.
pub(crate) fn throttled(levels: &[Level], chosen: usize) -> bool {
    let level = &levels[chosen];
    let measured = |l: &Level| l.sound() && l.job.workload.pacing == Pacing::Closed;
    let Some(pauses) = Pauses::of_latencies(&level.latency).filter(|_| measured(level)) else { return false };
    let apart = |other: &Level| {
        let (a, b) = (other.concurrency(), level.concurrency());
        a >= 2 * b || b >= 2 * a
    };
    let same = |other: &Level| (other.rate() / level.rate() - 1.0).abs() <= SAME_RATE;
    let shows = |other: &Level| Pauses::of_latencies(&other.latency).is_some_and(|p| p.prevail());
    let lasted = level.figures.steadiness != Steadiness::TooShort && pauses.share >= PAUSED_AT_THE_EDGE;
    pauses.prevail() && is_even(level)
        || lasted && levels.iter().any(|l| measured(l) && apart(l) && same(l) && shows(l))
}

/// Few, long and nearly equal latencies.
struct Pauses {
    /// Share of the time of all requests.
    share: f64,
    /// Median over mean of all latencies.
    median: f64,
}

impl Pauses {
    /// Returns the pauses among latencies, if the longest ones are few and as long as a time slice.
    fn of_latencies(latency: &LatencyHistogram) -> Option<Pauses> {
        let (mean, longest, median) = (latency.mean()?, latency.max()?, latency.percentile(50.0).value()?);
        let from = longest.as_nanos() as f64 * NEARLY_EQUAL;
        let (mut paused, mut pauses) = (0.0, 0);
        for (bucket, count) in latency.buckets() {
            let time = bucket_mid(bucket).as_nanos() as f64;
            if time >= from {
                (paused, pauses) = (paused + time * count as f64, pauses + count);
            }
        }
        let few = pauses > 2 && pauses as f64 <= FEW * latency.count() as f64;
        (longest >= SHORTEST && few).then(|| Pauses {
            share: paused / latency.summary().sum as f64,
            median: median.as_nanos() as f64 / mean.as_nanos() as f64,
        })
    }

    /// Returns `true` if the pauses take most of the time, so that the storage itself was idle.
    fn prevail(&self) -> bool {
        self.median <= MEDIAN && self.share >= PAUSED
    }
}

/// Returns `true` if the windows of a level scatter less than its pauses would cause. One operation more or less per
/// window is allowed.
fn is_even(level: &Level) -> bool {
    let Some(spread) = statistics::series::spread(&level.windows) else { return false };
    let windows_a_second = level.windows.len() as f64 / level.figures.time.secs().max(1e-9);
    level.windows.len() >= 10 && spread.sd <= (EVEN * spread.mean).max(windows_a_second / 2.0)
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Rig, Run, randread};
    use model::{BindingKind, LatencyHistogram, Nanos, PatternJudgement, RunRecord, Severity, StageRole};

    /// Replaces the latencies of a step: a share of the requests pauses for this time. Little's law still holds.
    fn pause(record: &mut RunRecord, step: usize, pause: Nanos, share: f64) {
        let depth = u64::from(record.steps[step].job.queue_depth);
        for interval in &mut record.steps[step].intervals {
            let ops = interval.ops();
            let slow = (ops as f64 * share).round() as u64;
            let total = depth * interval.length.as_nanos();
            let fast = total.saturating_sub(slow * pause.as_nanos()) / (ops - slow);
            let mut latency = LatencyHistogram::default();
            (0..ops).for_each(|k| latency.record(if k < slow { pause } else { Nanos(fast) }));
            interval.in_flight_ns = latency.summary().sum;
            interval.per_op[0].latency = latency;
        }
    }

    fn ramp(pauses: bool) -> PatternJudgement {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        for depth in [1, 2, 4] {
            rig.step(stage, Run::at(depth, 3000.0).seconds(1));
        }
        rig.step(stage, Run::at(2, 3000.0).seconds(6).hold());
        let mut record = rig.record();
        if pauses {
            // Measured: median 58 µs, mean 694 µs, longest 96 ms.
            for (step, depth) in [1.0, 2.0, 4.0, 2.0].into_iter().enumerate() {
                pause(&mut record, step, Nanos::from_millis(88), depth / 300.0);
            }
        }
        crate::judge::judge(&record).patterns.remove(0)
    }

    #[test]
    fn pauses_of_a_throttle_name_a_cap_with_one_size() {
        let binding = ramp(true).binding;
        assert_eq!(binding.kind, BindingKind::Cap, "{}", binding.statement);
        assert_eq!(binding.names, ["IOPS cap near 3,000", "bandwidth cap near 25 MB/s"]);
        assert!(binding.evidence.iter().any(|e| e.contains("paused")), "{:?}", binding.evidence);
    }

    /// As measured on 2026-11-28 below a hidden cap of 12,000, with 50 MB/s of others: of the held level's time, pauses
    /// took a little less than half.
    #[test]
    fn a_level_at_the_edge_of_a_throttle_is_named_by_a_deeper_one() {
        let judged = |deeper_pauses: bool, share_at_edge: f64| {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Ramp, randread(8192));
            for (depth, rate) in [(1, 11_782.0), (2, 12_000.0), (4, 12_000.0)] {
                rig.step(stage, Run::at(depth, rate).seconds(1));
            }
            rig.step(stage, Run::at(2, 12_018.0).seconds(3).hold());
            let mut record = rig.record();
            if deeper_pauses {
                pause(&mut record, 2, Nanos::from_millis(65), 4.0 / 12_000.0 * 0.75 / 0.065);
            }
            pause(&mut record, 3, Nanos::from_millis(50), share_at_edge * 166e-6 / 0.05);
            for accounting in record.steps.iter_mut().filter_map(|s| s.accounting.as_mut()) {
                accounting.device_read = accounting.device_read.map(|read| read * 153 / 100);
                accounting.device_ops = accounting.device_ops.map(|ops| ops * 106 / 100);
            }
            crate::judge::judge(&record)
        };
        let judgement = judged(true, 0.46);
        assert_eq!(judgement.patterns[0].binding.kind, BindingKind::Cap, "{}", judgement.patterns[0].binding.statement);
        assert!(judgement.caveats.iter().all(|c| c.severity != Severity::Invalid), "{:?}", judgement.caveats);
        let kind = |deeper_pauses, share| judged(deeper_pauses, share).patterns[0].binding.kind;
        assert_ne!(kind(false, 0.46), BindingKind::Cap, "no pauses at the deeper level");
        assert_ne!(kind(true, 0.1), BindingKind::Cap, "the storage itself takes the time");
    }

    #[test]
    fn without_pauses_one_size_does_not_distinguish_a_cap_from_the_device() {
        let binding = ramp(false).binding;
        assert_ne!(binding.kind, BindingKind::Device, "{}", binding.statement);
        assert_ne!(binding.kind, BindingKind::Cap, "{}", binding.statement);
    }
}
