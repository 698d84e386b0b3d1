//! Judgement of whether a volume is still being loaded from its snapshot (`secchi hydration`). The rules are in
//! docs/design/hydration.md, "How much is not loaded".

use crate::limits::burst::round;
use crate::validity::caveats;
use crate::validity::cpu::starved;
use crate::verdict::sentences::without_needs;
use messages::sentence;
use model::judged::{HydrationFigures, HydrationStage, KindFigures, Outcome, ShareNotLoaded, Warmed};
use model::plan::HydrationReads;
use model::{
    Bytes, Caveat, Judgement, LatencyHistogram, Nanos, Op, RunRecord, RunState, Sentence, Severity,
    measured::bucket_bounds, record::Step,
};
use statistics::proportion::difference;

/// Share not loaded up to which a volume counts as loaded.
const LOADED: f64 = 0.01;
/// A first read is slow if it takes this many times the 99th percentile of the second reads.
const SLOWER: u64 = 2;
/// Minimum latency of a slow read: no object store answers sooner. Reads that are slower than the second ones but faster
/// than this missed a cache below, such as that of the host of a virtual disk.
const FETCH: Nanos = Nanos::from_millis(3);

/// Judges a run; `reads` is the purpose of each stage.
pub(crate) fn judge(record: &RunRecord, reads: &[HydrationReads]) -> Judgement {
    let steps: Vec<(HydrationReads, &Step)> =
        record.steps.iter().filter_map(|step| Some((*reads.get(step.stage)?, step))).collect();
    let figures = figures(record, &steps);
    let mut doubts = record.caveats.clone();
    doubts.extend(caveats::ended_early(record));
    doubts.extend(caveats::busy_host(record));
    doubts.extend(halves_differ(&steps));
    doubts.extend(rotating(record, &figures));
    doubts.extend(starved::worst(record));
    let (own, statement) = (outcome_of(&figures), statement(record, &figures));
    without_needs(record, doubts, own, statement, KindFigures::Hydration(Box::new(figures)))
}

/// Returns the outcome: a volume that is still loading counts as an unmet need.
fn outcome_of(figures: &HydrationFigures) -> (Outcome, u8) {
    match (&figures.not_loaded, &figures.warmed) {
        (Some(share), _) if share.high <= LOADED => (Outcome::Pass, 0),
        (Some(share), _) if share.low > LOADED => (Outcome::Fail, 1),
        (None, Some(warmed)) if warmed.until == figures.size => (Outcome::Pass, 0),
        _ => (Outcome::Undecided, 2),
    }
}

fn figures(record: &RunRecord, steps: &[(HydrationReads, &Step)]) -> HydrationFigures {
    let size = record.plan.target.size;
    let slow_over = slow_over(steps);
    let stages: Vec<HydrationStage> = steps.iter().map(|(reads, step)| stage(*reads, step, slow_over)).collect();
    let large = |stage: &&HydrationStage| matches!(stage.reads, HydrationReads::Rate | HydrationReads::Warm);
    let rate = stages.iter().find(large).map(|stage| stage.bandwidth).filter(|rate| rate.per_second() > 0.0);
    HydrationFigures {
        size,
        not_loaded: slow_over.and_then(|over| share(steps, over)),
        rate,
        full_read: rate.map(|rate| Nanos((size.as_u64() as f64 / rate.per_second() * 1e9) as u64)),
        warmed: warmed(record, steps),
        stages,
    }
}

fn stage(reads: HydrationReads, step: &Step, slow_over: Option<Nanos>) -> HydrationStage {
    let (total, latency) = (step.total(), step.latency());
    let sampled = matches!(reads, HydrationReads::First | HydrationReads::Second);
    HydrationStage {
        reads,
        block: step.job.workload.max_block(),
        in_flight: step.job.concurrency(),
        ops: total.op(Op::Read).tally.ops,
        slow: slow_over.filter(|_| sampled).map(|over| above(&latency, over)),
        bandwidth: total.bandwidth(),
        mean: latency.mean(),
        p50: latency.percentile(50.0),
        p99: latency.percentile(99.0),
        p999: latency.percentile(99.9),
        max: latency.max(),
        errors: total.failed(),
    }
}

/// Merges the latencies of all sampled reads with a purpose.
fn latencies(steps: &[(HydrationReads, &Step)], purpose: HydrationReads) -> LatencyHistogram {
    let mut latency = LatencyHistogram::default();
    steps.iter().filter(|(reads, _)| *reads == purpose).for_each(|(_, step)| latency.merge(&step.latency()));
    latency
}

/// Returns the latency above which a first read is slow; `None` without second reads.
fn slow_over(steps: &[(HydrationReads, &Step)]) -> Option<Nanos> {
    latencies(steps, HydrationReads::Second).quantile(0.99).map(|usual| (usual * SLOWER).max(FETCH))
}

/// Counts the latencies in buckets that lie above a limit.
fn above(latency: &LatencyHistogram, limit: Nanos) -> u64 {
    latency.buckets().filter(|(bucket, _)| bucket_bounds(*bucket).0 > limit.as_nanos()).map(|(_, count)| count).sum()
}

/// Estimates the share of blocks that are not loaded: the share of slow first reads, less that of slow second reads,
/// of the blocks that would otherwise have been fast.
fn share(steps: &[(HydrationReads, &Step)], over: Nanos) -> Option<ShareNotLoaded> {
    let (first, second) = (latencies(steps, HydrationReads::First), latencies(steps, HydrationReads::Second));
    let slow = |latency: &LatencyHistogram| (above(latency, over), latency.count());
    let (value, low, high) = difference(slow(&first), slow(&second))?;
    let fast = 1.0 - above(&second, over) as f64 / second.count() as f64;
    let of_fast = |share: f64| (share / fast).clamp(0.0, 1.0);
    let (value, low, high) = (of_fast(value), of_fast(low), of_fast(high));
    Some(ShareNotLoaded { value, low, high, blocks: first.count(), slow_over: over })
}

/// Returns the position up to which everything was read. Reads complete out of order, so those in flight at the end may
/// be missing anywhere below the last one.
fn warmed(record: &RunRecord, steps: &[(HydrationReads, &Step)]) -> Option<Warmed> {
    let mut warm = steps.iter().filter(|(reads, _)| *reads == HydrationReads::Warm).map(|(_, step)| *step).peekable();
    let from = warm.peek()?.job.target.offset;
    let read: u64 = warm.map(read_in_order).sum();
    let until = Bytes((from.as_u64() + read).min(record.plan.target.size.as_u64()));
    Some(Warmed { from, until })
}

fn read_in_order(step: &Step) -> u64 {
    let block = step.job.workload.max_block().as_u64();
    let ops: u64 = step.intervals.iter().map(|interval| interval.op(Op::Read).tally.ops).sum();
    match step.job.stop.max_ops {
        Some(all) if ops >= all => all * block,
        _ => ops.saturating_sub(step.job.concurrency().into()) * block,
    }
}

/// Returns the doubt that the two halves of the sample contradict each other: their intervals do not overlap.
fn halves_differ(steps: &[(HydrationReads, &Step)]) -> Option<Caveat> {
    let over = slow_over(steps)?;
    let halves: Vec<ShareNotLoaded> = steps.chunks(2).filter_map(|half| share(half, over)).collect();
    let [first, second] = halves.as_slice() else { return None };
    let apart = first.low > second.high || second.low > first.high;
    apart.then(|| {
        let evidence = sentence!("hydration-seen-halves", first = percent(first.value), second = percent(second.value));
        Caveat::new("hydration-halves", Severity::Doubt, sentence!("hydration-doubt-halves"), evidence)
            .remedy(sentence!("hydration-remedy-halves"))
    })
}

/// Returns the doubt that slow first reads are those of a rotating disk with a cache.
fn rotating(record: &RunRecord, figures: &HydrationFigures) -> Option<Caveat> {
    let disk = record.preflight.storage.devices.last().filter(|disk| disk.rotational)?;
    figures.not_loaded.filter(|share| share.low > LOADED)?;
    let evidence = sentence!("hydration-seen-rotating", device = &disk.name);
    Some(Caveat::new("hydration-rotating", Severity::Doubt, sentence!("hydration-doubt-rotating"), evidence))
}

fn statement(record: &RunRecord, figures: &HydrationFigures) -> Sentence {
    let loading = figures.not_loaded.map(|share| {
        let (low, high) = (percent(share.low), percent(share.high));
        match outcome_of(figures) {
            (Outcome::Pass, _) => sentence!("hydration-loaded", high, blocks = share.blocks),
            (Outcome::Fail, _) => sentence!("hydration-loading", value = percent(share.value), low, high),
            _ => sentence!("hydration-unclear", low, high),
        }
    });
    let warmed = figures.warmed.map(|warmed| match warmed.until == figures.size {
        true => sentence!("hydration-warmed", size = figures.size),
        false => sentence!("hydration-warmed-part", until = warmed.until, size = figures.size),
    });
    let rate = figures.rate.zip(figures.full_read).filter(|_| record.state == RunState::Complete);
    let span = |time: Nanos| if time.secs() < 10.0 { time.to_string() } else { round(time) };
    let rate = rate.map(|(rate, time)| sentence!("hydration-rate", rate, time = span(time)));
    let clauses: Vec<Sentence> = loading.into_iter().chain(warmed).chain(rate).collect();
    if clauses.is_empty() { sentence!("db-nothing-measured") } else { Sentence::join(clauses, "; ") }
}

/// Formats a share: one decimal below 10 %.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 10.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::measured::{OpStats, Phase};
    use model::plan::{Access, ErrorPolicy, JobTuning, Mix, StopRule, Workload};
    use model::{Interval, Job, Plan, RunKind, Stage, Target};

    const FAST: Nanos = Nanos::from_micros(500);
    const SLOW: Nanos = Nanos::from_millis(20);
    const SIZE: Bytes = Bytes::from_gib(100);

    /// Returns a run with one stage for each entry: purpose, block size, number of fast reads and of slow reads.
    fn record(stages: &[(HydrationReads, Bytes, u64, u64)]) -> RunRecord {
        let target = Target::null("/dev/sdb", SIZE);
        let job = |(number, (reads, block, fast, slow)): (usize, &(HydrationReads, Bytes, u64, u64))| Job {
            name: format!("{}-{number}", reads.name()),
            workload: Workload::new(Mix::READ, *block, Access::RANDOM),
            target: target.clone(),
            more: Vec::new(),
            engine: "psync".into(),
            queue_depth: if *reads == HydrationReads::Warm { 8 } else { 1 },
            threads: 1,
            stop: StopRule {
                ramp: Nanos(0),
                time: Nanos::from_days(1),
                steady_after: None,
                max_ops: Some(fast + slow),
            },
            on_error: ErrorPolicy::Stop,
            seed: 1,
            faults: None,
            tuning: JobTuning::default(),
        };
        let jobs: Vec<Job> = stages.iter().enumerate().map(job).collect();
        let kind = RunKind::Hydration { reads: stages.iter().map(|stage| stage.0).collect() };
        let plan_stages = jobs.iter().map(|job| Stage::fixed(job.name.clone(), job.clone())).collect();
        let plan = Plan::new(kind, target, plan_stages, Nanos(0));
        let mut record = RunRecord::new("secchi", "1", "2026-11-29", plan, model::record::Preflight::default());
        let steps = jobs.into_iter().zip(stages).enumerate().map(|(stage, (job, (_, block, fast, slow)))| {
            let mut stats = OpStats::default();
            (0..*fast).for_each(|_| stats.latency.record(FAST));
            (0..*slow).for_each(|_| stats.latency.record(SLOW));
            stats.tally.ops = fast + slow;
            stats.tally.bytes = block.times(fast + slow).as_u64();
            let mut interval = Interval { phase: Phase::Measure, length: Nanos::from_secs(1), ..Interval::default() };
            interval.per_op[Op::Read.index()] = stats;
            let intervals = vec![interval];
            let start = Nanos::from_secs(stage as u64);
            Step { stage, pass: 0, hold: false, job, start, intervals, sampled: None, end: None, accounting: None }
        });
        record.steps = steps.collect();
        record.state = RunState::Complete;
        record
    }

    /// Returns a sample in two halves, with the number of slow first reads in each.
    fn sample(slow: [u64; 2]) -> RunRecord {
        let block = Bytes::from_kib(16);
        let halves = slow
            .map(|slow| [(HydrationReads::First, block, 200 - slow, slow), (HydrationReads::Second, block, 199, 1)]);
        let rate = (HydrationReads::Rate, Bytes::from_mib(1), 100, 0);
        record(&[halves.concat(), vec![rate]].concat())
    }

    fn judged(record: &RunRecord) -> (HydrationFigures, Judgement) {
        let judgement = crate::judge(record);
        let Some(KindFigures::Hydration(figures)) = judgement.figures.clone() else { panic!("{judgement:?}") };
        (*figures, judgement)
    }

    #[test]
    fn the_share_of_slow_first_reads_is_not_loaded() {
        let (figures, judgement) = judged(&sample([80, 76]));
        let share = figures.not_loaded.expect("a sample");
        // 156 of 400, less 2 of 400 second reads, of the 99.5 % that are usually fast.
        assert!((share.value - (0.39 - 0.005) / 0.995).abs() < 1e-9, "{share:?}");
        assert!(share.low > 0.33 && share.high < 0.45 && share.blocks == 400, "{share:?}");
        assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Fail, 1));
        // 100 reads of 1 MiB in a second: 100 GiB take 1,024 s.
        assert_eq!(figures.full_read.map(|time| time.secs().round()), Some(1024.0));
        assert!(judgement.verdict.to_string().contains("17 min"), "{}", judgement.verdict);
        assert!(judgement.caveats.iter().all(|doubt| doubt.id != "hydration-halves"));
    }

    #[test]
    fn a_volume_is_loaded_if_next_to_no_first_read_is_slow_and_else_undecided() {
        let (figures, judgement) = judged(&sample([0, 0]));
        assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Pass, 0), "{:?}", figures.not_loaded);
        let (_, judgement) = judged(&sample([3, 3]));
        assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Undecided, 2), "{}", judgement.verdict);
    }

    #[test]
    fn misses_of_a_cache_below_are_no_loading() {
        let mut run = sample([0, 0]);
        // First reads take 2.5 ms, second reads, which a cache answers, 500 us.
        for step in run.steps.iter_mut().step_by(2).take(2) {
            let mut latency = LatencyHistogram::default();
            (0..200).for_each(|_| latency.record(Nanos::from_micros(2500)));
            step.intervals[0].per_op[Op::Read.index()].latency = latency;
        }
        let (figures, judgement) = judged(&run);
        assert_eq!(judgement.outcome, Outcome::Pass, "{:?}", figures.not_loaded);
    }

    #[test]
    fn halves_that_contradict_each_other_are_doubted() {
        let (_, judgement) = judged(&sample([100, 10]));
        let doubt = judgement.caveats.iter().find(|doubt| doubt.id == "hydration-halves").expect("a doubt");
        assert!(doubt.evidence.to_string().contains("50"), "{doubt:?}");
    }

    #[test]
    fn a_run_that_was_stopped_has_read_what_lies_before_the_reads_in_flight() {
        let mut run = record(&[(HydrationReads::Warm, Bytes::from_mib(1), 1000, 0)]);
        run.steps[0].job.target.offset = Bytes::from_gib(1);
        run.steps[0].job.stop.max_ops = Some(99 << 10);
        let (figures, _) = judged(&run);
        let warmed = figures.warmed.expect("it warms");
        assert_eq!((warmed.from, warmed.until), (Bytes::from_gib(1), Bytes::from_mib(1024 + 992)));
        run.steps[0].job.stop.max_ops = Some(1000);
        assert_eq!(judged(&run).0.warmed.map(|warmed| warmed.until), Some(Bytes::from_mib(2024)));
    }
}
