//! A throttle's pauses in the latencies of a level (docs/design/limits.md, "A throttle without a row").
//!
//! A throttle that counts by time slices serves requests at the speed of the storage until the slice is used up, and
//! holds the rest until the next one. Most requests are then as fast as alone, and a few wait for nearly the same time.
//! Saturated storage delays all of them.

use crate::levels::figures::Level;
use model::{LatencyHistogram, Nanos, judged::Steadiness, measured::bucket_mid, plan::Pacing};

/// Share of the longest latency from which latencies count as pauses, because they are nearly equal.
const NEARLY_EQUAL: f64 = 0.5;
/// Minimum share of the time that requests spend in pauses.
const PAUSED: f64 = 0.5;
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
/// another depth with pauses has the same rate. At the lowest depth that reaches the throttle's rate the storage itself
/// takes nearly all of the time, so pauses at a greater depth are enough. In short levels, credits saved earlier may
/// hide the throttle's rate, so those levels must be even.
pub(crate) fn throttled(levels: &[Level], chosen: usize) -> bool {
    let level = &levels[chosen];
    let measured = |l: &Level| l.sound() && l.job.workload.pacing == Pacing::Closed;
    if !measured(level) {
        return false;
    }
    let pauses = has_pauses(&level.latency);
    let apart = |other: &Level| {
        let (a, b) = (other.concurrency(), level.concurrency());
        a >= 2 * b || pauses && b >= 2 * a
    };
    let same = |other: &Level| (other.rate() / level.rate() - 1.0).abs() <= SAME_RATE;
    let lasted = level.figures.steadiness != Steadiness::TooShort;
    let shows = |l: &Level| measured(l) && apart(l) && same(l) && has_pauses(&l.latency);
    pauses && is_even(level) || lasted && levels.iter().any(shows)
}

/// Returns `true` if few, long and nearly equal latencies take most of the time.
fn has_pauses(latency: &LatencyHistogram) -> bool {
    let (Some(mean), Some(longest)) = (latency.mean(), latency.max()) else { return false };
    let Some(median) = latency.percentile(50.0).value() else { return false };
    let from = longest.as_nanos() as f64 * NEARLY_EQUAL;
    let (mut paused, mut pauses) = (0.0, 0);
    for (bucket, count) in latency.buckets() {
        let time = bucket_mid(bucket).as_nanos() as f64;
        if time >= from {
            (paused, pauses) = (paused + time * count as f64, pauses + count);
        }
    }
    longest >= SHORTEST
        && pauses > 2
        && median.as_nanos() as f64 <= MEDIAN * mean.as_nanos() as f64
        && paused >= PAUSED * latency.summary().sum as f64
        && pauses as f64 <= FEW * latency.count() as f64
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
    use model::judged::{BindingKind, PatternJudgement};
    use model::{LatencyHistogram, Nanos, RunRecord, Severity, plan::StageRole};

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
        assert!(binding.evidence.iter().any(|e| e.contains("indicates a throttle")), "{:?}", binding.evidence);
    }

    /// As measured on 2026-11-28 with hidden caps of 12,000 and 20,000, next to 50 MB/s of other traffic and a busy
    /// core: pauses took 46 % and 20 % of the time of the sustained level.
    #[test]
    fn a_level_at_the_edge_of_a_throttle_is_named_by_a_deeper_one() {
        let judged = |ramp: [(u32, f64); 4], deeper_pauses: bool, held: f64, share: f64| {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Ramp, randread(8192));
            for (depth, rate) in ramp {
                rig.step(stage, Run::at(depth, rate).seconds(1));
            }
            rig.step(stage, Run::at(2, held).seconds(3).hold());
            let mut record = rig.record();
            let (depth, rate) = ramp[3];
            if deeper_pauses {
                pause(&mut record, 3, Nanos::from_millis(52), f64::from(depth) / rate * 0.6 / 0.052);
            }
            pause(&mut record, 4, Nanos::from_millis(33), 2.0 / held * share / 0.033);
            for accounting in record.steps.iter_mut().filter_map(|s| s.accounting.as_mut()) {
                accounting.device_read = accounting.device_read.map(|read| read * 153 / 100);
                accounting.device_ops = accounting.device_ops.map(|ops| ops * 106 / 100);
            }
            crate::judge::judge(&record)
        };
        let ramp = [(1, 11_782.0), (2, 12_000.0), (4, 12_000.0), (8, 12_000.0)];
        let bursts = [(1, 12_688.0), (2, 24_014.0), (4, 20_616.0), (8, 20_044.0)];
        for judgement in [judged(ramp, true, 12_018.0, 0.46), judged(bursts, true, 19_881.0, 0.2)] {
            let binding = &judgement.patterns[0].binding;
            assert_eq!(binding.kind, BindingKind::Cap, "{}", binding.statement);
            assert!(judgement.caveats.iter().all(|c| c.severity != Severity::Invalid), "{:?}", judgement.caveats);
        }
        assert_ne!(
            judged(ramp, false, 12_018.0, 0.46).patterns[0].binding.kind,
            BindingKind::Cap,
            "no pauses at depth 8"
        );
        assert_ne!(judged(bursts, true, 21_000.0, 0.2).patterns[0].binding.kind, BindingKind::Cap, "another rate");
    }

    #[test]
    fn without_pauses_one_size_does_not_distinguish_a_cap_from_the_device() {
        let binding = ramp(false).binding;
        assert_ne!(binding.kind, BindingKind::Device, "{}", binding.statement);
        assert_ne!(binding.kind, BindingKind::Cap, "{}", binding.statement);
    }
}
