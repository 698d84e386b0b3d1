//! Figures of the waves of a database run, and of a ramp of waves.

use super::Run;
use crate::levels::figures::Level;
use messages::sentence;
use model::bounds::{Bound, Clause, DbOperation, Metric};
use model::judged::{
    ArrivalFigures, Estimate, JobFigures, OpFigures, Outcome, RampFigures, Steadiness, WaveFigures, WaveOfHost,
    told_course,
};
use model::{Interval, Iops, LatencyHistogram, Op, RunRecord, Sentence, measured::Transacted, record::DbWave};

/// Minimum relative increase of the rate over the previous wave that counts as a gain.
const GAIN: f64 = 0.1;

/// Returns the figures of each wave, in order. `levels` are those of the combined waves, for their intervals.
pub(super) fn figures(run: &Run, levels: &[Level]) -> Vec<WaveFigures> {
    let accept = accept(run.record);
    let mut waves: Vec<WaveFigures> = Vec::with_capacity(run.waves.len());
    for wave in &run.waves {
        let level = levels.iter().find(|l| wave.jobs.iter().any(|j| l.steps.contains(&j.step)));
        let mut one = figure(wave, level);
        name_hosts(run.record, wave, &mut one);
        let before = waves.last().filter(|b| b.processes < one.processes && b.class == one.class);
        one.gain = before.filter(|b| b.rate.value > 0.0).map(|b| one.rate.value / b.rate.value - 1.0);
        // A wave that did not settle cannot be accepted.
        let unsettled = level.is_some_and(|l| l.figures.steadiness.unsettled());
        one.accepted = (!accept.is_empty()).then(|| match wave_keeps(wave, &accept) {
            Outcome::Pass if unsettled => Outcome::Undecided,
            outcome => outcome,
        });
        waves.push(one);
    }
    waves
}

/// Returns the last level if the rate changed. The figures by kind then come from that level, because a mean must not
/// span a change.
pub(super) fn last_level<'a>(level: Option<&'a Level>) -> Option<&'a Interval> {
    level.filter(|l| l.figures.steadiness.changed()).map(|l| &l.kept)
}

/// Returns the latencies of one kind of operation over a wave; `kind` is a name from [`WaveFigures::kinds`].
pub(crate) fn kind_latency(wave: &DbWave, kind: DbOperation) -> LatencyHistogram {
    kind_latency_in(&wave.total(), kind)
}

/// Returns the latencies of one kind of operation in a stretch of a run.
pub(crate) fn kind_latency_in(stretch: &Interval, kind: DbOperation) -> LatencyHistogram {
    match kind {
        DbOperation::Reads => stretch.op(Op::Read).from_due().clone(),
        DbOperation::Updates => stretch.op(Op::Write).from_due().clone(),
        DbOperation::Commits => stretch.op(Op::Flush).latency.clone(),
        DbOperation::Transactions => stretch.transacted.as_deref().map(Transacted::all).unwrap_or_default(),
    }
}

/// Describes the levels of a wave that did not stay at one level.
fn moved(level: &Level) -> Option<Sentence> {
    match &level.figures.steadiness {
        Steadiness::NotSettled { why } => Some(why.clone()),
        _ => (!level.figures.course.is_empty()).then(|| messages::sentence(told_course(&level.figures.course))),
    }
}

fn figure(wave: &DbWave, level: Option<&Level>) -> WaveFigures {
    let whole = wave.total();
    let last = last_level(level);
    let total = last.unwrap_or(&whole);
    let transacted = match last {
        Some(last) => last.transacted.as_deref().cloned().unwrap_or_default(),
        None => wave.transacted(),
    };
    let settled = !level.is_some_and(|l| l.figures.steadiness.unsettled());
    let seconds = total.length.secs().max(1e-9);
    let by_time = |n: u64| Some(Iops(n as f64 / seconds)).filter(|_| settled);
    // The rates of the workers are added up, as in PerfTools; the last level has one count for all of them.
    let rate_of = |op: Op, rate: Iops| {
        let rate = if last.is_some() { by_time(total.op(op).tally.ops) } else { Some(rate).filter(|_| settled) };
        OpFigures::new(total.op(op).from_due(), rate)
    };
    let transactions = |h: &LatencyHistogram| OpFigures::new(h, by_time(h.count()));
    let commits = total.op(Op::Flush).tally.ops;
    let transactions_of_kinds = transacted.all();
    let grouped = wave.rule.filter(|r| r.transaction && r.read_percent < 100);
    WaveFigures {
        name: wave.name.to_owned(),
        class: wave.class(),
        processes: wave.processes,
        read_percent: wave.read_percent(),
        time: whole.length,
        reads: rate_of(Op::Read, wave.reads_per_sec()),
        updates: rate_of(Op::Write, wave.writes_per_sec()),
        commits: OpFigures::new(&total.op(Op::Flush).latency, by_time(commits)),
        transactions: transactions(&transactions_of_kinds).filter(|_| grouped.is_some()),
        outside: transactions(&transacted.outside),
        inside: transactions(&transacted.inside),
        commits_outside: transactions(&transacted.commits_outside),
        commits_inside: transactions(&transacted.commits_inside),
        errors: whole.failed(),
        batch: grouped.map(|r| r.batch),
        block: wave.rule.is_none().then_some(wave.block),
        engine_blocks: wave.rule.is_some_and(|r| r.blocks),
        hang: wave.rule.map(|r| r.hang).zip(wave.achieved_hang()),
        arrivals: arrivals(wave),
        idle: wave.pausing().as_nanos() as f64 / wave.working().as_nanos().max(1) as f64,
        rate: rate(wave, level),
        moved: level.and_then(moved),
        gain: None,
        accepted: None,
        jobs: wave
            .jobs
            .iter()
            .map(|j| JobFigures {
                job: j.number,
                host: String::new(),
                reads: j.reads(),
                writes: j.writes(),
                reads_per_sec: j.reads_per_sec(),
                writes_per_sec: j.writes_per_sec(),
                proc_time: j.total.length,
            })
            .collect(),
        hosts: Vec::new(),
    }
}

/// Returns the due batches over the whole measured time: a requested rate has no levels.
fn arrivals(wave: &DbWave) -> Option<ArrivalFigures> {
    let arrivals = wave.rule?.extra.arrivals?;
    let rate = arrivals.pacing.rate()?.per_second();
    let lag = wave.transacted().lag;
    // A worker's share of the batches is due only for the time that it worked.
    let due = rate / f64::from(arrivals.workers.max(1)) * wave.working().secs();
    let seconds = wave.total().length.secs().max(1e-9);
    let begun = OpFigures::new(&lag, Some(Iops(lag.count() as f64 / seconds)))?;
    Some(ArrivalFigures { asked: arrivals.pacing, due, begun })
}

/// Adds the figures of each host, and the host of each worker, if there are several.
fn name_hosts(record: &RunRecord, wave: &DbWave, figures: &mut WaveFigures) {
    if record.preflight.ranks.len() < 2 {
        return;
    }
    let targets = &record.plan.targets;
    let name = |side: usize| targets.get(side).map(|t| t.name.clone()).unwrap_or_default();
    for (job, told) in wave.jobs.iter().zip(&mut figures.jobs) {
        told.host = name(job.side);
    }
    let of_host = |side: usize| {
        let jobs = wave.jobs.iter().filter(|j| j.side == side).cloned().collect();
        let figures = figure(&DbWave { jobs, ..wave.clone() }, None);
        let WaveFigures { reads, updates, commits, transactions, .. } = figures;
        WaveOfHost { host: name(side), reads, updates, commits, transactions }
    };
    figures.hosts = (0..targets.len()).map(of_host).collect();
}

/// Returns the reads and updates per second. The interval is that of the windows of all workers, scaled to the sum of
/// their rates; if the rate changed, both belong to the last level.
fn rate(wave: &DbWave, level: Option<&Level>) -> Estimate {
    let value = wave.reads_per_sec().per_second() + wave.writes_per_sec().per_second();
    let moved = level.filter(|l| !l.figures.course.is_empty());
    if let Some(level) = moved {
        return level.figures.iops.clone();
    }
    match level.map(|l| &l.figures.iops) {
        Some(e) if e.value > 0.0 => {
            let around = |bound: f64| bound / e.value * value;
            Estimate { value, ci: e.ci.map(|(low, high)| (around(low), around(high))), ..e.clone() }
        }
        _ => Estimate { value, ci: None, ci_missing: sentence!("db-no-windows"), n: 0 },
    }
}

/// Returns the clauses of the ramp's `--accept`. They are only in the arguments, because they affect the judgement and
/// not the run.
fn accept(record: &RunRecord) -> Vec<Clause> {
    let args = &record.plan.args;
    let given = args.iter().enumerate().filter_map(|(i, a)| match a.strip_prefix("--accept=") {
        Some(text) => Some(text),
        None => args.get(i + 1).filter(|_| a == "--accept").map(String::as_str),
    });
    given.flat_map(|text| text.split(',')).filter_map(|clause| clause.trim().parse().ok()).collect()
}

/// Checks every clause on the operations that the wave's sessions wait for ([`DbWave::waited`]): the rule that ends a
/// ramp also judges it.
#[must_use]
pub fn wave_keeps(wave: &DbWave, accept: &[Clause]) -> Outcome {
    let latency = wave.waited();
    let total: Interval = wave.total();
    let rate = wave.reads_per_sec().per_second() + wave.writes_per_sec().per_second();
    let one = |clause: &Clause| {
        let took = match clause.metric {
            Metric::Iops | Metric::Bandwidth | Metric::DeviceWrites => None,
            Metric::Mean => latency.mean(),
            Metric::Max => latency.max(),
            Metric::Percentile(p) => latency.percentile(p).value(),
        };
        let met = match clause.bound {
            Bound::Iops(least) => rate >= least.per_second(),
            Bound::Bandwidth(least) => total.bandwidth() >= least,
            Bound::Latency(most) => match took {
                Some(took) => took <= most,
                None => return Outcome::Undecided,
            },
        };
        if met { Outcome::Pass } else { Outcome::Fail }
    };
    let outcomes: Vec<Outcome> = accept.iter().map(one).collect();
    [Outcome::Fail, Outcome::Undecided].into_iter().find(|o| outcomes.contains(o)).unwrap_or(Outcome::Pass)
}

/// Returns the figures of a ramp: several waves with rising numbers of workers. `None` if there is only one wave, or
/// the numbers do not rise.
pub(super) fn ramp(record: &RunRecord, waves: &[WaveFigures]) -> Option<RampFigures> {
    let rising = waves.windows(2).all(|w| w[0].processes < w[1].processes && w[0].class == w[1].class);
    if waves.len() < 2 || !rising {
        return None;
    }
    let accept = accept(record);
    let accepted = waves.iter().take_while(|w| w.accepted == Some(Outcome::Pass)).last();
    let best = waves.iter().max_by(|a, b| a.rate.value.total_cmp(&b.rate.value))?;
    let gaining = waves.iter().take_while(|w| w.gain.is_none_or(|g| g >= GAIN)).last()?;
    Some(RampFigures {
        accepted: accepted.map(|w| w.processes),
        gain_until: gaining.processes,
        best: best.processes,
        accept,
    })
}
