//! Identities that every measurement must satisfy (docs/design/statistics.md, "Identities"): Little's law, the bytes,
//! the counts.

use crate::levels::accounting::ratio;
use crate::levels::figures::Level;
use messages::sentence;
use model::{Caveat, Interval, Nanos, Op, RunRecord, Sentence, Severity, plan::TargetKind, record::Step};

/// Returns the allowed deviation of X*R from N: `max(1 %, 3*Q/(X*T), Q*L_max/(N*T))`.
///
/// The start and the end of the measured time each cut off parts of up to Q operations, of at most the longest latency.
/// The first two terms alone assume that these operations are average. This is wrong under a throttle that occasionally
/// delays operations for tens of milliseconds (0.986 over 0.7 s at depth 1, 6000 IOPS). Operations cut off by the end
/// completed after it, so the longest latency is that of the whole step, draining included (0.72 and 0.83 on a machine
/// so busy that the completion of the last operation was noticed late).
fn tolerance(concurrency: u32, total: &Interval, longest: Nanos) -> f64 {
    let q = f64::from(concurrency);
    let cut = q * longest.as_nanos() as f64 / (total.in_flight_ns as f64).max(1.0);
    (3.0 * q / (total.ops() as f64).max(1.0)).max(cut).max(0.01)
}

/// Returns doubts from the identities for one level.
pub(crate) fn doubts(record: &RunRecord, level: &Level) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    caveats.extend(littles_law(record, level));
    for step in &level.steps {
        caveats.extend(counts(&record.steps[*step], *step));
        caveats.extend(bytes(&record.steps[*step], *step));
    }
    caveats
}

/// Returns the longest latency in a level's steps, including intervals that do not count.
fn longest(record: &RunRecord, level: &Level) -> Nanos {
    let by_op = level.steps.iter().flat_map(|i| &record.steps[*i].intervals).flat_map(|i| &i.per_op);
    by_op.filter_map(|op| op.latency.max()).max().unwrap_or_default()
}

fn littles_law(record: &RunRecord, level: &Level) -> Option<Caveat> {
    // The null engine completes inside the submitting call: nothing is ever in flight between two timestamps.
    if level.job.target.kind == TargetKind::Null || level.kept.ops() == 0 {
        return None;
    }
    let u = ratio(&level.kept)?;
    let allowed = tolerance(level.concurrency(), &level.kept, longest(record, level));
    if (u - 1.0).abs() <= allowed {
        return None;
    }
    let evidence = sentence!("seen-little", ratio = format!("{u:.3}"), allowed = format!("{allowed:.3}"));
    let caveat = Caveat::new("little-violated", Severity::Invalid, sentence!("doubt-little"), evidence);
    let caveat = caveat.weighing((u - 1.0).abs());
    Some(caveat.at_step(level.steps[0]).remedy(sentence!("remedy-little")))
}

/// Checks that submitted = completed + failed + pending, and that no operation was measured that the workers did not
/// complete.
fn counts(step: &Step, index: usize) -> Option<Caveat> {
    let end = step.end.as_ref()?;
    let known = end.completed.saturating_add(end.failed).saturating_add(end.pending);
    let measured: u64 = step.intervals.iter().map(Interval::ops).sum();
    if end.submitted == known && measured <= end.completed {
        return None;
    }
    Some(own_counts(
        sentence!(
            "seen-counts",
            submitted = end.submitted,
            completed = end.completed,
            failed = end.failed,
            pending = end.pending,
            measured
        ),
        index,
    ))
}

/// Checks that sum(bytes) = count * size: exactly for one size, between the smallest and the largest for several.
fn bytes(step: &Step, index: usize) -> Option<Caveat> {
    let workload = &step.job.workload;
    for op in [Op::Read, Op::Write, Op::Trim] {
        let (mut ops, mut bytes) = (0u64, 0u64);
        for interval in &step.intervals {
            ops = ops.saturating_add(interval.op(op).tally.ops);
            bytes = bytes.saturating_add(interval.op(op).tally.bytes);
        }
        // If sizes follow the order of access, either list may determine the size for either direction.
        let lists = match workload.detail.block_by_order {
            true => [workload.sizes_of(Op::Read), workload.sizes_of(Op::Write)],
            false => [workload.sizes_of(op), workload.sizes_of(op)],
        };
        let low = lists.iter().map(|l| l.min()).min().unwrap_or_default();
        let high = lists.iter().map(|l| l.max()).max().unwrap_or_default();
        if (low.as_u64().saturating_mul(ops)..=high.as_u64().saturating_mul(ops)).contains(&bytes) {
            continue;
        }
        let evidence = match low == high {
            true => sentence!("seen-bytes", ops, op, size = low, bytes),
            false => sentence!("seen-bytes-of-sizes", ops, op, low, high, bytes),
        };
        return Some(own_counts(evidence, index));
    }
    None
}

fn own_counts(evidence: Sentence, step: usize) -> Caveat {
    Caveat::new("accounting-mismatch", Severity::Invalid, sentence!("doubt-own-counts"), evidence)
        .at_step(step)
        .remedy(sentence!("remedy-own-counts"))
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Rig, Run};
    use model::plan::{Access, Mix, StageRole, Workload};
    use model::{Bytes, Interval, Nanos, RunRecord};

    fn record() -> RunRecord {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, Workload::new(Mix::READ, Bytes(8192), Access::RANDOM));
        rig.step(stage, Run::at(8, 1000.0));
        rig.record()
    }

    fn ids(record: &RunRecord) -> Vec<String> {
        let levels = crate::levels::figures::levels(record);
        super::doubts(record, &levels[0][0]).into_iter().map(|c| c.id).collect()
    }

    #[test]
    fn an_honest_step_raises_no_doubt() {
        assert!(ids(&record()).is_empty());
    }

    #[test]
    fn a_rate_that_contradicts_its_latency_is_seen() {
        let mut record = record();
        record.steps[0].intervals.iter_mut().for_each(|i| i.in_flight_ns = i.in_flight_ns * 105 / 100);
        assert_eq!(ids(&record), ["little-violated"]);
    }

    #[test]
    fn a_few_operations_at_the_edge_are_no_violation() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, Workload::new(Mix::READ, Bytes(8192), Access::RANDOM));
        rig.step(stage, Run::at(8, 100.0).seconds(1));
        let mut record = rig.record();
        record.steps[0].intervals.iter_mut().for_each(|i| i.in_flight_ns = i.in_flight_ns * 110 / 100);
        assert!(ids(&record).is_empty(), "3 * 8 / 100 = 24 % is allowed");
    }

    #[test]
    fn an_operation_held_back_across_the_edge_is_no_violation() {
        let mut total = Interval::default();
        for _ in 0..990 {
            total.per_op[0].latency.record(Nanos::from_micros(100));
        }
        // Ten operations in a second are held for 90 ms. If the integral misses one of them, the difference is 9 %.
        for _ in 0..10 {
            total.per_op[0].latency.record(Nanos::from_millis(90));
        }
        total.per_op[0].tally.ops = 1000;
        total.in_flight_ns = 1_000_000_000;
        assert!(super::tolerance(1, &total, Nanos::from_millis(90)) >= 0.09);
    }

    #[test]
    fn an_operation_that_ends_after_the_measured_time_is_no_violation() {
        let mut record = record();
        let integral: u128 = record.steps[0].intervals.iter().map(|i| i.in_flight_ns).sum();
        // One operation in flight for a tenth of the integral, seen only after the end.
        let last = record.steps[0].intervals.last_mut().expect("a second was measured");
        last.in_flight_ns += integral / 10;
        assert_eq!(ids(&record), ["little-violated"]);
        let mut drain = Interval { phase: model::measured::Phase::Drain, ..Interval::default() };
        drain.per_op[0].latency.record(Nanos(integral as u64 / 10));
        record.steps[0].intervals.push(drain);
        assert!(ids(&record).is_empty());
    }

    #[test]
    fn operations_that_are_nowhere_are_seen() {
        let mut record = record();
        record.steps[0].end.as_mut().unwrap().submitted += 1;
        assert_eq!(ids(&record), ["accounting-mismatch"]);
    }

    #[test]
    fn bytes_that_are_not_count_times_size_are_seen() {
        let mut record = record();
        record.steps[0].intervals[0].per_op[0].tally.bytes -= 1;
        assert_eq!(ids(&record), ["accounting-mismatch"]);
    }
}
