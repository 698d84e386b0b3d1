//! A burst that ended, and its bucket of credits (docs/design/statistics.md, "Burst buckets").
//!
//! A token bucket of depth B that refills at rate r lets x through until it is empty, after `T = B / (x - r)`, and r
//! from then on. So the values of one run, x, T and r, determine the depth: `B = (x - r) * T`. T counts from the start
//! of the load, including warm-up, which drains the bucket too. Earlier steps also drained it, so B is a lower bound
//! unless the bucket had time to fill.

use crate::levels::figures::Level;
use crate::validity::cache;
use messages::sentence;
use model::judged::{Finding, Steadiness};
use model::{BytesPerSecond, Interval, Iops, Nanos, RunRecord, Severity, measured::Window};
use statistics::series::spread;

/// Duration of a test that many consider long enough.
const USUAL_TEST: Nanos = Nanos::from_secs(60);

/// A fitted burst bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bucket {
    /// Rate while there was credit.
    pub burst: Iops,
    /// Rate without credit, which is the refill rate.
    pub refill: Iops,
    /// Operations in the bucket when the load began: a lower bound.
    pub depth: f64,
    /// Duration of the burst under this load.
    pub lasted: Nanos,
}

impl Bucket {
    /// Returns the time to refill the bucket without any load.
    pub fn recovery(&self) -> Nanos {
        Nanos::from_secs_f64(self.depth / self.refill.per_second().max(1e-9))
    }
}

/// Maximum relative scatter of the rate after the burst: a limiter sets the refill rate, so it is even.
const EVEN: f64 = 0.1;
/// Maximum number of windows in which the rate falls from one level to the other.
const SHARP: usize = 3;

/// Fits the bucket of a level that fell from one rate to another once and permanently: sharply, to a rate as even as a
/// limiter's, without other users of the device and with unchanged limits. A slow fall or a new neighbour gives `None`.
pub(crate) fn fit(record: &RunRecord, level: &Level) -> Option<Bucket> {
    let Steadiness::TwoRegimes { at, before, after } = &level.figures.steadiness else { return None };
    // A limit that was lowered explains the fall.
    let turned = || level.steps.iter().filter_map(|i| record.steps[*i].end.as_ref()).any(|end| !end.caps.is_empty());
    let others = || turned() || cache::doubts(record, level).iter().any(|c| c.id == "foreign-load");
    if after >= before || after.per_second() <= 0.0 || !is_limiter(record, level, *at, *before, *after) || others() {
        return None;
    }
    let step = level.steps.iter().map(|i| &record.steps[*i]).filter(|s| s.start <= *at).max_by_key(|s| s.start)?;
    let lasted = at.since(step.start);
    // Operations before the change, counted by windows if possible: a second may contain the change.
    let whole = |i: &&Interval| i.start.as_nanos() + i.length.as_nanos() <= at.as_nanos();
    let seconds: u64 = step.intervals.iter().filter(whole).map(Interval::data_ops).sum();
    let part = step.intervals.iter().filter(|i| !whole(i)).flat_map(|i| &i.windows).filter(|w| w.start < *at);
    let through = seconds as f64 + part.map(|w| w.total_ops()).sum::<u64>() as f64;
    let depth = (through - after.per_second() * lasted.secs())
        .max((before.per_second() - after.per_second()) * 0.5 * lasted.secs());
    Some(Bucket { burst: *before, refill: *after, depth, lasted })
}

/// Returns `true` if the windows around a change look like those of a limiter.
fn is_limiter(record: &RunRecord, level: &Level, at: Nanos, before: Iops, after: Iops) -> bool {
    let windows = || level.steps.iter().flat_map(|i| record.steps[*i].windows()).filter(|w| !w.length.is_zero());
    let rate = |w: &Window| w.iops().per_second();
    // Rates between the two levels, at least a quarter of their distance from both.
    let (low, high) = (
        after.per_second() + (before.per_second() - after.per_second()) / 4.0,
        before.per_second() - (before.per_second() - after.per_second()) / 4.0,
    );
    let between = windows().filter(|w| (low..high).contains(&rate(w))).count();
    let refill: Vec<f64> = windows().filter(|w| w.start > at).map(rate).collect();
    // Windows with few operations scatter by one operation.
    let whole = after.per_second() * windows().next().map_or(0.1, |w| w.length.secs());
    let even = spread(&refill).is_none_or(|s| s.sd <= s.mean * EVEN.max(1.5 / whole.max(1e-9)));
    between <= SHARP && even
}

/// Returns the finding about a burst that ended.
pub(crate) fn finding(record: &RunRecord, label: &str, level: &Level) -> Option<Finding> {
    let bucket = fit(record, level)?;
    let size = level.mean_size();
    let in_bytes = |rate: f64| BytesPerSecond(rate * size);
    let only = if bucket.lasted >= USUAL_TEST { USUAL_TEST } else { bucket.lasted };
    let Bucket { burst, refill, depth, lasted } = bucket;
    let gb = format!("{:.1}", depth * size / 1e9);
    Some(Finding {
        id: "burst-bucket".into(),
        severity: Severity::Doubt,
        statement: sentence!("found-burst-bucket", label, burst, lasted, refill, only),
        evidence: vec![
            sentence!("seen-burst-rate", rate = burst, bandwidth = in_bytes(burst.per_second())),
            sentence!("seen-refill-rate", rate = refill, bandwidth = in_bytes(refill.per_second())),
            sentence!("seen-bucket-depth", n = Iops(depth), gb),
            sentence!("seen-recovery", time = bucket.recovery()),
        ],
        remedy: sentence!("remedy-burst-bucket"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::plan::StageRole;

    fn run(run: Run) -> RunRecord {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, run);
        rig.record()
    }

    fn bucket(record: &RunRecord) -> Option<Bucket> {
        let stages = crate::levels::figures::levels(record);
        fit(record, &stages[0][0])
    }

    #[test]
    fn rate_depth_and_refill_are_those_of_the_bucket() {
        // docs/design/limits.md, "A bucket kept by a controller": 3029 then 314. A bucket of 13,575 above the refill,
        // drained at 2715 per second: 5 s.
        let b = bucket(&run(Run::at(32, 314.0).seconds(15).first(50, 3029.0))).unwrap();
        assert!(
            (b.burst.per_second() / 3029.0 - 1.0).abs() < 0.02 && (b.refill.per_second() / 314.0 - 1.0).abs() < 0.02,
            "{b:?}"
        );
        assert!((b.depth / 13_575.0 - 1.0).abs() < 0.03, "{b:?}");
        assert!((b.lasted.secs() - 5.0).abs() <= 0.5);
        assert!((b.recovery().secs() / (13_575.0 / 314.0) - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_burst_of_minutes_would_have_fooled_a_test_of_one() {
        let record = run(Run::at(32, 300.0).seconds(400).first(2500, 3000.0));
        let stages = crate::levels::figures::levels(&record);
        let f = finding(&record, "8k randread", &stages[0][0]).unwrap();
        assert!(f.statement.ends_with("a test of 60.0 s would have seen only the burst"), "{}", f.statement);
        assert!(crate::judge::judge(&record).findings.iter().any(|f| f.id == "burst-bucket"));
    }

    /// Returns a run of 15 s whose window rates are a function of their index.
    fn made(rate: fn(usize) -> f64) -> RunRecord {
        let mut record = run(Run::at(32, 1000.0).seconds(15));
        for (i, w) in record.steps[0].intervals.iter_mut().flat_map(|i| &mut i.windows).enumerate() {
            w.ops[0] = (rate(i) / 10.0) as u64;
        }
        record
    }

    #[test]
    fn a_slow_fall_an_uneven_end_and_a_neighbour_are_no_bucket() {
        assert!(bucket(&made(|i| if i < 50 { 3000.0 } else { 500.0 })).is_some());
        assert_eq!(
            bucket(&made(|i| if i < 50 { 3000.0 } else { 500.0 + 2500.0 * (-(i as f64 - 50.0) / 10.0).exp() })),
            None
        );
        assert_eq!(bucket(&made(|i| if i < 50 { 3000.0 } else { 300.0 + 100.0 * (i * 7 % 11) as f64 })), None);
        let mut beside = made(|i| if i < 50 { 3000.0 } else { 500.0 });
        let counts = beside.steps[0].accounting.as_mut().expect("counted");
        (counts.device_read, counts.device_ops) = (counts.device_read.map(|b| b * 3), counts.device_ops.map(|n| n * 3));
        assert_eq!(bucket(&beside), None, "others were on the device: it may be theirs");
    }

    #[test]
    fn a_steady_rate_and_a_rise_have_no_bucket() {
        assert_eq!(bucket(&run(Run::at(32, 3000.0).seconds(15))), None);
        assert_eq!(bucket(&run(Run::at(32, 3000.0).seconds(15).first(75, 1000.0))), None);
    }
}
