//! Reads that verify a job's own writes are not part of its load: figures cover the writes alone.
//!
//! A worker counts its load and its verification in the same intervals, and the kernel's counters include both, so the
//! record keeps them. Only the input of levels is reduced.

use model::measured::{OpStats, Phase};
use model::{Interval, Nanos, Op, RunRecord, record::Step};
use std::borrow::Cow;

/// Returns the record without the reads by which its jobs verified their writes; borrowed if there are none.
///
/// If an interval contains both kinds, the load gets the share of the time that its operations were in flight: a closed
/// loop has the same number in flight while it writes and while it verifies. A mixed job reads for both purposes. Its
/// intervals count up to the one with its last write, after which it only verifies.
#[must_use]
pub fn load_only(record: &RunRecord) -> Cow<'_, RunRecord> {
    if !record.steps.iter().any(|step| verifies(step) && step.intervals.iter().any(has_reads)) {
        return Cow::Borrowed(record);
    }
    let mut out = record.clone();
    for step in out.steps.iter_mut().filter(|step| verifies(step)) {
        if step.job.workload.mix.share(Op::Read) > 0.0 {
            keep_to_last_write(&mut step.intervals);
        } else {
            step.intervals.retain(|i| !(i.phase == Phase::Measure && has_reads(i) && waited(i, false) == 0));
            step.intervals.iter_mut().filter(|i| has_reads(i)).for_each(keep_writes);
        }
    }
    Cow::Owned(out)
}

fn verifies(step: &Step) -> bool {
    let workload = &step.job.workload;
    workload.detail.verify.as_ref().is_some_and(|v| v.reads_back(workload.mix.writes()))
}

fn has_reads(interval: &Interval) -> bool {
    interval.op(Op::Read).tally.ops > 0
}

/// Returns the sum of the latencies of reads, or of everything else, in nanoseconds.
fn waited(interval: &Interval, reads: bool) -> u128 {
    let counts_of = |op: &Op| {
        let stats = interval.op(*op);
        stats.latency.summary().sum + stats.failed.summary().sum
    };
    Op::ALL.iter().filter(|op| (**op == Op::Read) == reads).map(counts_of).sum()
}

fn keep_writes(interval: &mut Interval) {
    let (load, checks) = (waited(interval, false), waited(interval, true));
    let share = load as f64 / (load + checks).max(1) as f64;
    let scaled = |time: Nanos| Nanos((time.as_nanos() as f64 * share) as u64);
    interval.length = scaled(interval.length);
    interval.cpu_user = scaled(interval.cpu_user);
    interval.cpu_system = scaled(interval.cpu_system);
    if let Some(wait) = &mut interval.cpu_wait {
        wait.time = scaled(wait.time);
        wait.times = (wait.times as f64 * share) as u64;
    }
    interval.in_flight_ns = (interval.in_flight_ns as f64 * share) as u128;
    interval.per_op[Op::Read.index()] = OpStats::default();
    let is_load = |w: &model::measured::Window| w.ops[Op::Read.index()] == 0;
    interval.windows.retain(is_load);
    // Before the first check everything is flushed, and nothing is written during the flush.
    let last = interval.windows.iter().rposition(|w| w.ops[Op::Write.index()] > 0).map_or(0, |at| at + 1);
    interval.windows.truncate(last);
}

/// Removes the interval of the last write and every later one, if intervals with writes remain.
fn keep_to_last_write(intervals: &mut Vec<Interval>) {
    let writes = |i: &Interval| i.phase == Phase::Measure && i.op(Op::Write).tally.ops > 0;
    let Some(last) = intervals.iter().rposition(writes) else { return };
    if intervals[..last].iter().any(writes) && intervals[last..].iter().any(has_reads) {
        let (from, measured) = (intervals[last].start, Phase::Measure);
        intervals.retain(|i| i.phase != measured || i.start < from);
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::judge;
    use crate::testkit::{Rig, Run, randread};
    use model::plan::{Checksum, Mix, StageRole, Verify};
    use model::{Op, RunRecord, judged::Outcome, measured::OpStats};

    /// Returns three seconds of 4k writes at 2,000 IOPS. Verification, at 20,000 reads per second, starts in the middle
    /// of the second one and takes the whole third one.
    fn record() -> RunRecord {
        let mut rig = Rig::new();
        let mut workload = randread(4096);
        workload.mix = Mix::WRITE;
        workload.detail.verify = Some(Verify::new(Checksum::Crc32c));
        let stage = rig.stage("w", StageRole::Fixed, workload);
        rig.need("4k randwrite: iops>=3000");
        rig.step(stage, Run::at(1, 2000.0).seconds(3));
        let mut record = rig.record();
        let reads = |stats: &mut [OpStats; 4], n: u64, ns: u64| {
            let read = &mut stats[Op::Read.index()];
            *read = OpStats::default();
            read.tally.ops = n;
            read.tally.bytes = n * 4096;
            (0..n).for_each(|_| read.latency.record(model::Nanos(ns)));
        };
        let [_, mixed, checks] = record.steps[0].intervals.as_mut_slice() else { panic!("three seconds") };
        let write = &mut mixed.per_op[Op::Write.index()];
        *write = OpStats::default();
        (write.tally.ops, write.tally.bytes) = (1000, 4_096_000);
        (0..1000).for_each(|_| write.latency.record(model::Nanos(500_000)));
        reads(&mut mixed.per_op, 10_000, 50_000);
        checks.per_op[Op::Write.index()] = OpStats::default();
        reads(&mut checks.per_op, 20_000, 50_000);
        let n = mixed.windows.len();
        for (i, window) in mixed.windows.iter_mut().chain(&mut checks.windows).enumerate() {
            if i >= n / 2 {
                window.ops = [2000, 0, 0, 0];
                window.bytes = [2000 * 4096, 0, 0, 0];
            }
        }
        record
    }

    #[test]
    fn verification_is_in_no_rate_and_meets_no_need() {
        let record = record();
        let judgement = judge(&record);
        let level = &judgement.patterns[0].levels[0];
        assert!((level.iops.value - 2000.0).abs() < 20.0, "{:?}", level.iops);
        assert!((2950..=3050).contains(&level.ops), "{}", level.ops);
        assert_ne!(judgement.needs[0].outcome, Outcome::Pass, "{:?}", judgement.needs[0]);
        // The same applies with needs other than the run's own, and when runs are compared.
        let need = vec!["4k randwrite: iops>=3000".parse().unwrap()];
        assert_ne!(crate::judge::judge_by(&record, need).1.needs[0].outcome, Outcome::Pass);
        let figures = crate::compare::reduce(&record, "x", &[model::bounds::Metric::Iops]);
        let rate = figures.subjects[0].values[0].as_ref().copied();
        assert!(rate.is_err() || rate.is_ok_and(|r| r < 2100.0), "{:?}", figures.subjects);
    }

    #[test]
    fn a_mixed_load_that_verifies_meanwhile_meets_no_need() {
        let outcome = |backlog| {
            let mut rig = Rig::new();
            let mut workload = randread(4096);
            workload.mix = Mix { write_percent: 50, trim_percent: 0 };
            workload.detail.verify = Some(Verify { backlog, ..Verify::new(Checksum::Crc32c) });
            let stage = rig.stage("w", StageRole::Fixed, workload);
            rig.need("4k randrw 50/50: iops>=1000");
            rig.step(stage, Run::at(1, 2000.0).seconds(3));
            judge(&rig.record()).needs[0].outcome
        };
        assert_eq!(outcome(None), Outcome::Pass);
        assert_eq!(outcome(Some(64)), Outcome::Undecided);
    }

    #[test]
    fn a_load_that_verifies_nothing_is_left_as_it_is() {
        let mut record = record();
        record.steps[0].job.workload.detail.verify = None;
        assert!(matches!(super::load_only(&record), std::borrow::Cow::Borrowed(_)));
    }
}
