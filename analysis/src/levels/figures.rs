//! Turns the steps of one level of concurrency into the figures of that level.
//!
//! Repeated passes of a level are combined by merging histograms and summing counts and time, never by averaging.
//! Figures come from the part of a step that is one level: the part after the start, or the last regime. No mean spans
//! a change of level (docs/design/statistics.md, "Levels of a series").

use crate::levels::disturbance::{self, Disturbance};
use messages::sentence;
use model::judged::{Estimate, FlushLatency, LevelFigures, OpLatency, Steadiness, Stretch, told_course};
use model::measured::{Phase, Window};
use model::plan::{BlockSizes, Pacing, Rate, Rates};
use model::record::{Step, StepStop};
use model::{
    BytesPerSecond, CompactSort, Interval, Iops, Job, LatencyHistogram, Limit, Nanos, Op, RunRecord, Sentence,
    bounds::LimitAxis, grouped,
};
use statistics::alternation::Alternation;
use statistics::ramp::ASSUMED_HALF;
use statistics::series::{Spread, mean_half, spread, windows_wanted};
use statistics::steady::{Regime, Shape, shape};
use statistics::tail;

/// One level of a stage, with the data that judgements need in addition to its printed figures.
#[derive(Debug, Clone)]
pub(crate) struct Level<'a> {
    /// Figures as printed.
    pub figures: LevelFigures,
    /// The job as run.
    pub job: &'a Job,
    /// Indices of its steps, one per pass.
    pub steps: Vec<usize>,
    /// Disturbed part of each step, which is set aside.
    pub disturbed: Vec<Option<Disturbance>>,
    /// Counters and histograms of the part that the figures are taken from; no windows.
    pub kept: Interval,
    /// Intervals of that part.
    pub seconds: Vec<&'a Interval>,
    /// Latency of data operations: from the due time for an open loop, otherwise from submission.
    pub latency: LatencyHistogram,
    /// Relative half-width of the rate for decisions, even if there are too few windows to print one.
    pub half: f64,
    /// Rates of the windows that the figures are taken from, pass after pass; empty if a pass was not at one level.
    pub windows: Vec<f64>,
    /// Number and rate of each pass.
    pub passes: Vec<(u32, f64)>,
    /// True if only a cap explains its rate, even if other processes used the device or the CPU
    /// (`blocks::only_a_cap_explains`).
    pub only_a_cap: bool,
    /// True if its latencies show a throttle (`throttle::throttled`); then only a cap explains its rate.
    pub throttled: bool,
}

/// Maximum number of stretches kept of an alternating series.
const SHOWN_STRETCHES: usize = 8;

/// Prefix of the reason why figures that span several levels are invalid.
pub(crate) const NOT_SETTLED: &str = "not-settled: ";

impl Level<'_> {
    /// Returns the steps of the level, each with its disturbed part.
    pub fn each_step(&self) -> impl Iterator<Item = (usize, Option<&Disturbance>)> {
        self.steps.iter().copied().zip(self.disturbed.iter().map(Option::as_ref))
    }

    /// Returns the operations in flight over all threads.
    pub fn concurrency(&self) -> u32 {
        self.job.concurrency()
    }

    /// Returns the operations per second.
    pub fn rate(&self) -> f64 {
        self.figures.iops.value
    }

    /// Returns the flushes per second.
    pub fn flushes(&self) -> f64 {
        self.kept.op(Op::Flush).tally.ops as f64 / self.figures.time.secs().max(1e-9)
    }

    /// Returns `true` if a judgement may rely on its figures.
    pub fn sound(&self) -> bool {
        self.figures.struck.is_none() && self.figures.ops > 0
    }

    /// Returns `true` if it was measured properly, even if it did not settle at one level.
    pub fn valid(&self) -> bool {
        self.sound() || self.unsettled() && self.figures.ops > 0
    }

    /// Returns `true` if its figures are invalid only because it did not settle at one level.
    pub fn unsettled(&self) -> bool {
        self.figures.steadiness.unsettled()
            && self.figures.struck.as_ref().is_none_or(|why| why.starts_with(NOT_SETTLED))
    }

    /// Returns the reason why its figures are invalid, if it did not settle at one level.
    pub fn unsettled_why(&self) -> Option<Sentence> {
        match &self.figures.steadiness {
            Steadiness::NotSettled { why } => Some(Sentence::concat([NOT_SETTLED.into(), why.clone()])),
            _ => None,
        }
    }

    /// Returns the reason why it did not settle at one level, if its figures are invalid for no other reason.
    pub fn no_level(&self) -> Option<&Sentence> {
        match &self.figures.steadiness {
            Steadiness::NotSettled { why } if self.unsettled() => Some(why),
            _ => None,
        }
    }

    /// Returns the lowest and the highest rate that the level had; both are the rate of the level if it stayed at one.
    pub fn between(&self) -> (f64, f64) {
        if !self.figures.steadiness.unsettled() || self.figures.course.is_empty() {
            return (self.rate(), self.rate());
        }
        let rates = self.figures.course.iter().map(|stretch| stretch.iops.per_second());
        rates.fold((f64::INFINITY, 0.0), |(low, high), rate| (low.min(rate), high.max(rate)))
    }

    /// Returns the requested rate, if more operations arrived than the storage completed (docs/design/statistics.md,
    /// "Open and closed loops"): at least 1 % less was done, and more is missing than chance explains. The number of
    /// arrivals of a Poisson process scatters by its square root; with fixed intervals, the start and the end may each
    /// cut off one arrival.
    pub fn missed_rate(&self) -> Option<Iops> {
        let pacing = self.job.workload.pacing;
        let asked = pacing.rate()?;
        let due = asked.per_second() * self.figures.time.secs();
        let chance = if matches!(pacing, Pacing::Poisson(_)) { 3.0 * due.sqrt() } else { 2.0 };
        let done = self.rate() * self.figures.time.secs();
        (done < due - chance.max(0.01 * due)).then_some(asked)
    }

    /// Returns the rate limits by direction (fio's `rate` and `rate_iops`), if the load came within 1 % of one of them.
    pub fn held_back(&self) -> Option<Rates> {
        let Pacing::Rates(mut rates) = self.job.workload.pacing else { return None };
        // One number applies to all directions; only the directions of the load matter.
        for (op, rate) in Op::ALL.iter().zip(&mut rates.of) {
            *rate = rate.filter(|_| self.share(*op) > 0.0);
        }
        let time = self.figures.time.secs();
        let reached = |(op, rate): (&Op, Option<Rate>)| {
            let tally = &self.kept.op(*op).tally;
            match rate {
                None => false,
                Some(Rate::Iops(most)) => tally.ops as f64 >= 0.99 * most.per_second() * time,
                Some(Rate::Bytes(most)) => tally.bytes as f64 >= 0.99 * most.per_second() * time,
            }
        };
        (time > 0.0 && Op::ALL.iter().zip(rates.of).any(reached)).then_some(rates)
    }

    /// Returns the mean size of a data operation as run, or as planned if nothing was run.
    pub fn mean_size(&self) -> f64 {
        let ops = self.kept.data_ops();
        if ops == 0 { self.job.workload.block.mean() } else { self.kept.bytes().as_u64() as f64 / ops as f64 }
    }

    /// Returns the average charge on `axis` for one of the operations that `limit` applies to. The sizes of a mix are
    /// charged one by one.
    pub fn charged(&self, limit: &Limit, axis: LimitAxis, merged: bool) -> f64 {
        let (mut ops, mut charged) = (0.0, 0.0);
        for op in Op::ALL.into_iter().filter(|op| *op != Op::Flush && limit.op.is_none_or(|of| of == *op)) {
            let tally = &self.kept.op(op).tally;
            let mean = tally.bytes as f64 / (tally.ops as f64).max(1.0);
            let each = match (self.job.workload.sizes_of(op), limit.charging) {
                (BlockSizes::Fixed(_), _) | (_, None) => limit.charged(axis, mean.max(1.0), merged),
                (sizes, Some(_)) => sizes.mean_of(|bytes| limit.charged(axis, bytes, merged)),
            };
            ops += tally.ops as f64;
            charged += tally.ops as f64 * each;
        }
        if ops == 0.0 { limit.charged(axis, self.mean_size().max(1.0), merged) } else { charged / ops }
    }

    /// Returns the share of `op` among data operations as run, or as planned if nothing was run.
    pub fn share(&self, op: Op) -> f64 {
        let ops = self.kept.data_ops();
        if ops == 0 { self.job.workload.mix.share(op) } else { self.kept.op(op).tally.ops as f64 / ops as f64 }
    }
}

/// Returns the levels of each stage in order of ascending concurrency; the sustained level is last. Steps without
/// measurements are left out.
pub(crate) fn levels(record: &RunRecord) -> Vec<Vec<Level<'_>>> {
    let mut stages: Vec<Vec<Level>> = record.plan.stages.iter().map(|_| Vec::new()).collect();
    let is_measured = |step: &Step| step.intervals.iter().any(|i| i.phase == Phase::Measure);
    let measured = record.steps.iter().enumerate().filter(|(_, s)| is_measured(s) && s.stage < stages.len());
    for (_, group) in grouped(measured.map(|(i, step)| (level_key(step), i))) {
        stages[record.steps[group[0]].stage].push(level(record, group));
    }
    for levels in &mut stages {
        levels.compact_sort_by_key(|l| (l.figures.hold, l.concurrency()));
    }
    stages
}

/// Properties that the steps of one level have in common: stage, hold, depth, threads, engine and limits.
type LevelKey<'a> = (usize, bool, u32, u32, &'a str, Option<&'a [Limit]>);

fn level_key(step: &Step) -> LevelKey<'_> {
    let job = &step.job;
    (step.stage, step.hold, job.queue_depth, job.threads, &job.engine, last_caps(step))
}

/// Returns the limits at the end of a step, if they differ from those of the preflight: passes under different limits
/// are different levels.
pub(crate) fn last_caps(step: &Step) -> Option<&[Limit]> {
    Some(&step.end.as_ref()?.caps.last()?.limits)
}

fn level(record: &RunRecord, steps: Vec<usize>) -> Level<'_> {
    let first = &record.steps[steps[0]];
    let disturbed: Vec<Option<Disturbance>> =
        steps.iter().map(|i| disturbance::of_step(record, &record.steps[*i])).collect();
    let pass_of = |(i, disturbed): (&usize, &Option<Disturbance>)| pass(&record.steps[*i], disturbed.as_ref());
    let passes: Vec<Pass> = steps.iter().zip(&disturbed).map(pass_of).collect();
    let mut kept = Interval::default();
    for p in &passes {
        append(&mut kept, &p.kept);
    }
    let seconds: Vec<&Interval> = passes.iter().flat_map(|p| p.seconds.iter().copied()).collect();
    let timed = timed(record, &steps, &kept);
    let latency = latency(record, &steps, &timed);
    let (mut iops, mut half) = estimate(&passes);
    let gravest = passes.iter().map(|p| (&p.steadiness, &p.course)).max_by_key(|(s, _)| rank(s));
    let (steadiness, course) = gravest.map_or((Steadiness::TooShort, Vec::new()), |(s, c)| (s.clone(), c.clone()));
    if steadiness.unsettled() {
        iops.ci = None;
        iops.ci_missing = sentence!("no-level-long-enough");
        // For decisions the rate may be anywhere between its lowest and its highest level.
        half = half.max(apart_by(&course) / iops.value.max(1e-9));
    }
    let flush = &timed.op(Op::Flush).latency;
    let ends = || steps.iter().filter_map(|i| record.steps[*i].end.as_ref());
    let cpu = kept.cpu_per_op();
    let time: f64 = passes.iter().map(|p| p.time).sum();
    let bytes: f64 = passes.iter().map(|p| p.bandwidth * p.time).sum();
    let counted: u64 = steps.iter().flat_map(|i| &record.steps[*i].intervals).map(Interval::failed).sum();
    let figures = LevelFigures {
        step: steps[0],
        engine: first.job.engine.clone(),
        queue_depth: first.job.queue_depth,
        threads: first.job.threads,
        hold: first.hold,
        ops: kept.data_ops(),
        time: Nanos::from_secs_f64(time),
        iops,
        bandwidth: BytesPerSecond(if time > 0.0 { bytes / time } else { 0.0 }),
        mean: latency.mean(),
        p50: latency.percentile(50.0),
        p99: latency.percentile(99.0),
        p99_ci: tail::interval(&latencies(&seconds, first.job.workload.pacing.is_open()), 99.0),
        p999: latency.percentile(99.9),
        max: latency.max(),
        apart: apart(&kept, &timed),
        flush: flush.mean().map(|mean| FlushLatency { mean, p99: flush.percentile(99.0) }),
        cpu_user: cpu.map(|c| c.0),
        cpu_system: cpu.map(|c| c.1),
        busiest_thread: ends().map(|e| e.busiest_thread).fold(0.0, f64::max),
        in_flight: kept.mean_in_flight(),
        little: crate::levels::accounting::ratio(&kept).unwrap_or(0.0),
        errors: counted.max(ends().map(|e| e.failed).sum()),
        steadiness,
        course,
        kept: steps.iter().zip(&passes).map(|(step, pass)| (*step, pass.kept.start)).collect(),
        caveats: Vec::new(),
        struck: None,
    };
    let rates = steps.iter().zip(&passes).map(|(i, p)| (record.steps[*i].pass, p.rate)).collect();
    let one_level = passes.iter().all(|p| !p.rates.is_empty());
    let windows = passes.iter().filter(|_| one_level).flat_map(|p| p.rates.iter().copied()).collect();
    Level {
        figures,
        job: &first.job,
        steps,
        disturbed,
        kept,
        seconds,
        latency,
        half,
        windows,
        passes: rates,
        only_a_cap: false,
        throttled: false,
    }
}

/// Adds the counters of another stretch to `sum`. Lengths add up, so a gap between passes does not count as time.
fn append(sum: &mut Interval, stretch: &Interval) {
    if sum.length.is_zero() {
        sum.start = stretch.start;
    }
    sum.merge_parallel(stretch);
    sum.length += stretch.length;
}

/// Returns the latencies that count: those of operations that completed in the kept part, and of operations that were
/// in flight at the end of their step and completed while draining. The latter are not part of any rate, but they must
/// be part of the latencies, because a stall that outlasts the step appears nowhere else. The result contains only
/// histograms.
fn timed(record: &RunRecord, steps: &[usize], kept: &Interval) -> Interval {
    let mut timed = Interval { per_op: kept.per_op.clone(), ..Interval::default() };
    for drained in steps.iter().flat_map(|i| record.steps[*i].drained()) {
        for (mine, theirs) in timed.per_op.iter_mut().zip(&drained.per_op) {
            mine.latency.merge(&theirs.latency);
            mine.response.merge(&theirs.response);
        }
    }
    timed
}

/// Returns the latencies of data operations. Operations still pending at the end of their step count with the age they
/// had reached (docs/design/statistics.md, "Operations still pending"); without them the worst latencies would vanish.
fn latency(record: &RunRecord, steps: &[usize], timed: &Interval) -> LatencyHistogram {
    let response = timed.response();
    let mut latency = if response.count() > 0 { response } else { timed.latency() };
    for end in steps.iter().filter_map(|i| record.steps[*i].end.as_ref()) {
        end.pending_ages.iter().for_each(|age| latency.record(*age));
    }
    latency
}

/// Returns the latencies of the single seconds, of the same kind as those of the level.
pub(crate) fn latencies(seconds: &[&Interval], open: bool) -> Vec<LatencyHistogram> {
    seconds.iter().map(|i| if open { i.response() } else { i.latency() }).collect()
}

/// Returns the latency of each kind of data operation if there are several: one mean over reads and writes hides which
/// of them is slow. Measured from the due time if the load is paced, as for the combined latency.
fn apart(kept: &Interval, timed: &Interval) -> Vec<OpLatency> {
    let figure = |op: &Op| {
        let stats = timed.op(*op);
        let latency = if stats.response.count() > 0 { &stats.response } else { &stats.latency };
        let ops = kept.op(*op).latency.count();
        Some(OpLatency { op: *op, ops, mean: latency.mean()?, p99: latency.percentile(99.0) })
    };
    let latencies: Vec<OpLatency> = [Op::Read, Op::Write, Op::Trim].iter().filter_map(figure).collect();
    if latencies.len() > 1 { latencies } else { Vec::new() }
}

/// One step, reduced to the part that is one level.
struct Pass<'a> {
    kept: Interval,
    seconds: Vec<&'a Interval>,
    /// Seconds that `rate` and `bandwidth` are based on.
    time: f64,
    rate: f64,
    bandwidth: f64,
    /// Rates of the windows if the step was at one level; empty if it was at several.
    rates: Vec<f64>,
    windows: u64,
    spread: Option<Spread>,
    steadiness: Steadiness,
    course: Vec<Stretch>,
}

fn pass<'a>(step: &'a Step, disturbed: Option<&Disturbance>) -> Pass<'a> {
    let quiet = |start: Nanos| !disturbed.is_some_and(|d| d.contains(start, step));
    let mut windows = series(step);
    windows.retain(|w| quiet(w.start));
    let rates: Vec<f64> = windows.iter().map(data_rate).collect();
    let shape = awake(shape(&rates, one_operation(&windows)), &windows);
    let whole = shape.kept.start == 0;
    // An interval that includes time before the cut would bring that time into every figure. Half a window is the slack
    // for slivers, which are not part of the series.
    let from = windows.get(shape.kept.start).map_or(0, |w| w.start.as_nanos().saturating_sub(w.length.as_nanos() / 2));
    let drain = drain_of(step);
    let measured = || step.intervals.iter().filter(|i| i.phase == Phase::Measure && quiet(i.start) && i.start < drain);
    let mut seconds: Vec<&Interval> = measured().filter(|i| whole || i.start.as_nanos() >= from).collect();
    let mut kept = Interval::default();
    seconds.iter().for_each(|i| append(&mut kept, i));
    let tail = &windows[shape.kept.start..];
    // Without a whole interval after the cut, only the windows after it give a correct rate.
    let (time, ops, bytes) = if !kept.length.is_zero() {
        (kept.length.secs(), kept.data_ops() as f64, kept.bytes().as_u64() as f64)
    } else {
        if let Some(last) = measured().next_back() {
            append(&mut kept, last);
            seconds.push(last);
        }
        let sum = |f: fn(&Window) -> u64| tail.iter().map(f).sum::<u64>() as f64;
        (tail.iter().map(|w| w.length.secs()).sum(), sum(data_ops), sum(Window::total_bytes))
    };
    let per_second = |v: f64| if time > 0.0 { v / time } else { 0.0 };
    let course = course(&shape, &windows);
    let one_level = matches!(shape.regime, Regime::Steady | Regime::Settled | Regime::TooShort);
    let spread = spread(&rates[shape.kept.start..]);
    Pass {
        kept,
        seconds,
        time,
        rate: per_second(ops),
        bandwidth: per_second(bytes),
        windows: tail.len() as u64,
        spread,
        rates: if one_level { rates[shape.kept.start..].to_vec() } else { Vec::new() },
        steadiness: steadiness(&shape, &windows, &course),
        course,
    }
}

/// Treats a last level at which nothing completed as a stall and not as a level: it yields no figures, although the
/// step did some work. Only the whole of such a step can be reported.
fn awake(shape: Shape, windows: &[Window]) -> Shape {
    let (before, last) = windows.split_at(shape.kept.start.min(windows.len()));
    let silent = |windows: &[Window]| windows.iter().all(|w| data_ops(w) == 0);
    if !silent(last) || silent(before) {
        return shape;
    }
    let regime = if matches!(shape.regime, Regime::Drift { .. }) { shape.regime } else { Regime::Unfinished };
    Shape { regime, kept: 0..windows.len(), ..shape }
}

/// Returns the windows of a step as a series, or its seconds if it has no windows. Slivers shorter than half of the
/// median, such as the last one cut off by the end, are left out: their rate is mostly due to chance. Longer ones,
/// caused by a late collector, stay: their rate is as good as any.
fn series(step: &Step) -> Vec<Window> {
    let drain = drain_of(step);
    let mut windows: Vec<Window> = step.windows().copied().filter(|w| !w.length.is_zero() && w.start < drain).collect();
    if windows.is_empty() {
        let measured = step.intervals.iter().filter(|i| i.phase == Phase::Measure && !i.length.is_zero());
        windows = measured.map(as_window).collect();
    }
    let mut lengths: Vec<u64> = windows.iter().map(|w| w.length.as_nanos()).collect();
    lengths.sort_unstable();
    let usual = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    windows.retain(|w| w.length.as_nanos() >= usual.div_ceil(2));
    windows
}

/// Returns the start of a closed loop's drain, if its time ran out and nothing completed in any later window: nothing
/// is issued from then on, and a slow device completes the requests in flight all at once at the end. `u64::MAX`
/// otherwise.
pub(crate) fn drain_of(step: &Step) -> Nanos {
    let (stop, never) = (&step.job.stop, Nanos(u64::MAX));
    let timed = step.end.as_ref().is_some_and(|end| end.stop == StepStop::Time);
    let Some(first) = step.intervals.iter().find(|i| i.phase == Phase::Measure).filter(|_| timed) else { return never };
    let from = Nanos(first.start.max(step.start + stop.ramp).as_nanos().saturating_add(stop.time.as_nanos()));
    let silent = step.windows().filter(|w| w.start >= from).all(|w| data_ops(w) == 0);
    if silent && step.job.workload.pacing == Pacing::Closed { from } else { never }
}

fn as_window(interval: &Interval) -> Window {
    Window {
        start: interval.start,
        length: interval.length,
        ops: Op::ALL.map(|op| interval.op(op).tally.ops),
        bytes: Op::ALL.map(|op| interval.op(op).tally.bytes),
        errors: interval.failed(),
        latency_sum: Op::ALL
            .iter()
            .map(|op| u64::try_from(interval.op(*op).latency.summary().sum).unwrap_or(u64::MAX))
            .fold(0, u64::saturating_add),
    }
}

/// Returns the operations that count for a rate: reads, writes and trims.
fn data_ops(window: &Window) -> u64 {
    window.total_ops() - window.ops[Op::Flush.index()]
}

fn data_rate(window: &Window) -> f64 {
    data_ops(window) as f64 / window.length.secs().max(1e-9)
}

/// Returns the rate of a window of median length in which one operation completed.
fn one_operation(windows: &[Window]) -> f64 {
    let mut lengths: Vec<f64> = windows.iter().map(|w| w.length.secs()).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).map_or(0.0, |length| 1.0 / length.max(1e-9))
}

fn rate_of(windows: &[Window]) -> Iops {
    let time: f64 = windows.iter().map(|w| w.length.secs()).sum();
    Iops(windows.iter().map(data_ops).sum::<u64>() as f64 / time.max(1e-9))
}

/// Returns the levels of a step that was not at one level.
fn course(shape: &Shape, windows: &[Window]) -> Vec<Stretch> {
    let n = windows.len();
    let edges: Vec<(usize, usize)> = match shape.regime {
        Regime::Drift { .. } => {
            let (from, eighth) = (shape.levels[0], ((n - shape.levels[0]) / 8).max(2));
            vec![(from, from + eighth), (n - eighth, n)]
        }
        Regime::Changed | Regime::Unfinished => {
            let ends = shape.levels.iter().skip(1).copied().chain([n]);
            shape.levels.iter().copied().zip(ends).collect()
        }
        Regime::Alternating(alternation) => alternating(&alternation, &windows[shape.kept.start..])
            .into_iter()
            .map(|(from, to)| (from + shape.kept.start, to + shape.kept.start))
            .collect(),
        Regime::Steady | Regime::Settled | Regime::TooShort => return Vec::new(),
    };
    let began = windows[0].start;
    let stretch = |(from, to): (usize, usize)| Stretch {
        from: windows[from].start.since(began),
        until: (windows[to - 1].start + windows[to - 1].length).since(began),
        iops: rate_of(&windows[from..to]),
    };
    edges.into_iter().map(stretch).collect()
}

/// Returns the first stretches of an alternating series: windows nearer to one of its rates, then windows nearer to the
/// other rate.
fn alternating(alternation: &Alternation, windows: &[Window]) -> Vec<(usize, usize)> {
    let middle = (alternation.low + alternation.high) / 2.0;
    let is_high: Vec<bool> = windows.iter().map(|w| data_rate(w) >= middle).collect();
    let changes = (1..windows.len()).filter(|i| is_high[*i] != is_high[i - 1]);
    let edges: Vec<usize> =
        std::iter::once(0).chain(changes).chain([windows.len()]).take(SHOWN_STRETCHES + 1).collect();
    edges.windows(2).map(|edge| (edge[0], edge[1])).collect()
}

fn steadiness(shape: &Shape, windows: &[Window], course: &[Stretch]) -> Steadiness {
    let at = windows.get(shape.kept.start).map_or(Nanos(0), |w| w.start);
    match (&shape.regime, course) {
        (Regime::Steady, _) => Steadiness::Steady,
        (Regime::Settled, _) => Steadiness::Settled { after: at.since(windows[0].start) },
        (Regime::Changed, [before, after]) => Steadiness::TwoRegimes { at, before: before.iops, after: after.iops },
        (Regime::Changed, several) => Steadiness::Changed { at, levels: several.len() as u32 },
        (Regime::Drift { from, to }, _) => Steadiness::NotSettled { why: drifted(*from, *to) },
        (Regime::Unfinished, several) => {
            let lasted = several.last().map_or(Nanos(0), |s| s.until.since(s.from));
            let still = several.last().is_some_and(|s| s.iops.per_second() == 0.0);
            let course = told_course(several);
            let reason = match still {
                true => sentence!("course-stalled", course, lasted),
                false => sentence!("course-too-short", course, lasted),
            };
            Steadiness::NotSettled { why: reason }
        }
        (Regime::Alternating(alternation), _) => {
            let length = windows[0].length.secs();
            let (low, high) = (Iops(alternation.low), Iops(alternation.high));
            let reason = match alternation.period {
                Some(period) => {
                    sentence!("course-repeats", low, high, period = Nanos::from_secs_f64(period as f64 * length))
                }
                None => sentence!("course-alternates", low, high),
            };
            Steadiness::NotSettled { why: reason }
        }
        (Regime::TooShort, _) => Steadiness::TooShort,
    }
}

/// Reports a change as a share of its starting value, so a fall never exceeds 100 %.
fn drifted(from: f64, to: f64) -> Sentence {
    let fell = to < from;
    let share = if fell { 1.0 - to / from } else { to / from.max(1e-9) - 1.0 };
    let by = format!("{:.0}", share * 100.0);
    let (from, to) = (Iops(from), Iops(to));
    match fell {
        true => sentence!("course-fell", from, to, by),
        false if share < 10.0 => sentence!("course-rose", from, to, by),
        false => sentence!("course-rose-far", from, to),
    }
}

/// Returns the difference between the highest and the lowest of the levels between which the rate changed.
fn apart_by(course: &[Stretch]) -> f64 {
    let rates = || course.iter().map(|s| s.iops.per_second());
    (rates().fold(0.0, f64::max) - rates().fold(f64::INFINITY, f64::min)).max(0.0)
}

/// Ranks regimes: the worst of the passes represents the level.
const fn rank(steadiness: &Steadiness) -> u8 {
    match steadiness {
        Steadiness::Steady => 0,
        Steadiness::Settled { .. } => 1,
        Steadiness::TooShort => 2,
        Steadiness::TwoRegimes { .. } => 3,
        Steadiness::Changed { .. } => 4,
        Steadiness::NotSettled { .. } => 5,
    }
}

/// Returns the rate over all passes with its interval, and its relative half-width for decisions.
///
/// Within a pass the error comes from its windows. Between passes there is drift that no window shows
/// (docs/design/statistics.md, "Intervals of a mean"). So with three or more passes the spread of the passes is
/// considered as well, and with two the interval covers at least both passes. The widest interval is used.
fn estimate(passes: &[Pass]) -> (Estimate, f64) {
    let time: f64 = passes.iter().map(|p| p.time).sum();
    let ops: f64 = passes.iter().map(|p| p.rate * p.time).sum();
    let value = if time > 0.0 { ops / time } else { 0.0 };
    let n = passes.iter().map(|p| p.windows).sum();
    let spreads: Vec<(f64, Spread)> = passes.iter().filter_map(|p| Some((p.time, p.spread?))).collect();
    let rates: Vec<f64> = passes.iter().map(|p| p.rate).collect();
    if spreads.len() < passes.len() || value <= 0.0 || time <= 0.0 {
        let ci_missing = match value <= 0.0 {
            true => sentence!("nothing-completed"),
            false => sentence!("too-few-windows"),
        };
        let half = ASSUMED_HALF.max(between(&rates) / value.max(1e-9));
        return (Estimate { value, ci: None, ci_missing, n }, half);
    }
    let within = spreads.iter().map(|(t, s)| (t * s.half).powi(2)).sum::<f64>().sqrt() / time;
    let half = within.max(between(&rates));
    let ess: f64 = spreads.iter().map(|(_, s)| s.ess()).sum();
    let tau = spreads.iter().map(|(_, s)| s.tau).fold(1.0, f64::max);
    let (ci, ci_missing) = if ess >= statistics::series::MIN_ESS {
        (Some(((value - half).max(0.0), value + half)), Sentence::default())
    } else {
        (None, windows_wanted(tau, n))
    };
    (Estimate { value, ci, ci_missing, n }, half / value)
}

/// Returns the half-width of the 95 % interval of the mean of the passes.
fn between(rates: &[f64]) -> f64 {
    match rates {
        [] | [_] => 0.0,
        [a, b] => (a - b).abs() / 2.0,
        _ => mean_half(rates),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run};
    use model::Bytes;
    use model::plan::{Access, Mix, StageRole, Workload};

    fn read_8k() -> Workload {
        Workload::new(Mix::READ, Bytes(8192), Access::RANDOM)
    }

    #[test]
    fn passes_of_a_level_are_put_together_by_counts_and_time() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, read_8k());
        rig.step(stage, Run::at(4, 1000.0));
        rig.step(stage, Run::at(4, 1100.0).seconds(8));
        let record = rig.record();
        let levels = levels(&record);
        assert_eq!(levels[0].len(), 1);
        let level = &levels[0][0];
        assert_eq!(level.steps, [0, 1]);
        // 4 s at 1000 and 8 s at 1100.
        assert!((level.rate() - 12_800.0 / 12.0).abs() < 5.0, "{}", level.rate());
        let (lo, hi) = level.figures.iops.ci.unwrap();
        assert!(lo <= level.rate() - 49.0 && hi >= level.rate() + 49.0, "the interval reaches both passes");
    }

    #[test]
    fn levels_rise_and_the_held_one_is_last() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, read_8k());
        for depth in [1, 2, 4] {
            rig.step(stage, Run::at(depth, 1000.0 * f64::from(depth)));
        }
        rig.step(stage, Run::at(2, 2000.0).hold());
        let record = rig.record();
        let got: Vec<(u32, bool)> = levels(&record)[0].iter().map(|l| (l.concurrency(), l.figures.hold)).collect();
        assert_eq!(got, [(1, false), (2, false), (4, false), (2, true)]);
    }

    #[test]
    fn a_burst_is_figured_by_its_last_regime_and_both_are_said() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        rig.step(stage, Run::at(32, 314.0).seconds(10).first(50, 3029.0));
        let record = rig.record();
        let level = &levels(&record)[0][0];
        assert!((level.rate() / 314.0 - 1.0).abs() < 0.02, "{}", level.rate());
        assert!((level.figures.time.secs() - 5.0).abs() < 0.2);
        let Steadiness::TwoRegimes { at, before, after } = &level.figures.steadiness else {
            panic!("{:?}", level.figures.steadiness)
        };
        assert!((before.per_second() / 3029.0 - 1.0).abs() < 0.02 && (after.per_second() / 314.0 - 1.0).abs() < 0.02);
        assert!((at.since(record.steps[0].start).secs() - 5.0).abs() <= 0.5);
        assert!(
            (level.figures.bandwidth.per_second() / (level.rate() * 8192.0) - 1.0).abs() < 1e-6,
            "BW = IOPS x size"
        );
    }

    #[test]
    fn a_rate_that_alternates_each_second_is_no_level() {
        // Formerly reported: "= steady", the device binds, need met at 5,009 [4,082, 5,936].
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        let bend = |t: f64| if (t * 15.0).fract() < 0.5 { 0.4 } else { 1.6 };
        rig.step(stage, Run { bend, ..Run::at(8, 5000.0).seconds(30) });
        rig.need("8k randread: iops>=4000");
        let record = rig.record();
        let level = &levels(&record)[0][0];
        let Steadiness::NotSettled { why: reason } = &level.figures.steadiness else {
            panic!("{:?}", level.figures.steadiness)
        };
        assert!(
            reason.starts_with("the rate rises and falls between 2,0")
                || reason.starts_with("the rate rises and falls between 1,9"),
            "{reason}"
        );
        assert!(reason.ends_with(" IOPS every 2.00 s"), "{reason}");
        assert_eq!(level.figures.iops.ci, None);
        let (low, high) = level.between();
        assert!(low < 2100.0 && high > 7900.0, "{low} {high}");
        let judgement = crate::judge::judge(&record);
        assert_eq!(judgement.needs[0].outcome, model::judged::Outcome::Undecided, "{:?}", judgement.needs);
        assert_eq!(judgement.patterns[0].binding.kind, model::judged::BindingKind::Unknown);
    }

    #[test]
    fn a_fall_is_told_as_a_share_of_where_it_began() {
        // As a share of the mean it was "fell steadily by 187 %".
        assert_eq!(drifted(8000.0, 400.0), "the rate fell steadily by 95 %, from 8,000 to 400 IOPS");
        assert_eq!(drifted(8000.0, 0.0), "the rate fell steadily by 100 %, from 8,000 to 0.00 IOPS");
        assert_eq!(drifted(400.0, 800.0), "the rate rose steadily by 100 %, from 400 to 800 IOPS");
        assert_eq!(drifted(0.0, 800.0), "the rate rose steadily from 0.00 to 800 IOPS");
    }

    #[test]
    fn operations_that_never_came_back_are_in_the_histogram() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        rig.step(stage, Run::at(4, 1000.0));
        let mut record = rig.record();
        let end = record.steps[0].end.as_mut().unwrap();
        end.pending = 1;
        end.pending_ages = vec![Nanos::from_secs(61)];
        assert_eq!(levels(&record)[0][0].figures.max, Some(Nanos::from_secs(61)));
    }

    #[test]
    fn a_stall_up_to_the_end_is_not_nothing_done() {
        for silent in [8, 12, 25, 38] {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Fixed, read_8k());
            rig.step(stage, Run::at(8, 0.0).seconds(5).first(50 - silent, 5400.0));
            let record = rig.record();
            let level = &levels(&record)[0][0];
            assert!(level.figures.ops > 0 && level.figures.mean.is_some(), "{silent} silent windows");
            let Steadiness::NotSettled { why: reason } = &level.figures.steadiness else {
                panic!("{silent}: {:?}", level.figures.steadiness)
            };
            let caveats = crate::judge::judge(&record).caveats;
            assert!(caveats.iter().all(|c| c.id != "no-io"), "{silent}: {caveats:?}");
            assert!(reason.contains(&Nanos(silent as u64 * 100_000_000).to_string()), "{silent}: {reason}");
        }
    }

    #[test]
    fn the_drain_of_a_slow_device_is_no_stall() {
        // 20 IOPS at depth 64 for 5 s: then nothing for 3.2 s, and 64 operations at once.
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        rig.step(stage, Run { cv: 0.0, ..Run::at(64, 20.0).seconds(6) });
        let mut record = rig.record();
        let step = &mut record.steps[0];
        step.job.stop.time = Nanos::from_secs(5);
        step.end.as_mut().unwrap().stop = model::record::StepStop::Time;
        let last = step.intervals.last_mut().unwrap();
        (last.per_op, last.windows) = (Default::default(), last.windows.clone());
        last.windows.iter_mut().for_each(|w| (w.ops, w.bytes) = ([0; 4], [0; 4]));
        let levels = levels(&record);
        let level = &levels[0][0];
        assert!((level.rate() - 20.0).abs() < 0.1, "{}", level.rate());
        assert_eq!(level.no_level(), None);
        assert!(crate::levels::gaps::gaps(&record, level).is_empty());
        record.steps[0].end.as_mut().unwrap().stop = model::record::StepStop::Signal;
        assert!(super::levels(&record)[0][0].no_level().is_some(), "it was stopped: the second may be a stall");
    }

    #[test]
    fn what_was_in_flight_at_the_end_is_in_the_latencies_and_in_no_rate() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        rig.step(stage, Run::at(2, 1000.0));
        let mut record = rig.record();
        let without = levels(&record)[0][0].figures.clone();
        let mut drain = Interval { phase: Phase::Drain, ..Interval::default() };
        let read = &mut drain.per_op[Op::Read.index()];
        (0..2).for_each(|_| read.latency.record(Nanos::from_millis(1_810)));
        read.tally.ops = 2;
        record.steps[0].intervals.push(drain);
        let levels = levels(&record);
        let with = &levels[0][0].figures;
        assert_eq!(with.max, Some(Nanos::from_millis(1_810)));
        assert_eq!((with.ops, with.iops.value, with.bandwidth), (without.ops, without.iops.value, without.bandwidth));
        assert_eq!(with.little, without.little, "Little's law is of the measured time");
    }

    #[test]
    fn the_latencies_of_a_level_are_those_its_figures_are_of() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        rig.step(stage, Run::at(8, 2000.0).seconds(10).first(40, 6000.0));
        let mut record = rig.record();
        let same = |record: &RunRecord| {
            let figures = levels(record)[0][0].figures.clone();
            let latencies = figures.latencies(record);
            assert_eq!((latencies.mean(), latencies.max()), (figures.mean, figures.max));
            assert_eq!((latencies.percentile(50.0), latencies.percentile(99.0)), (figures.p50, figures.p99));
            latencies
        };
        let last = same(&record);
        assert!(last.count() < record.steps[0].total().latency().count(), "of the last level only");
        // Operations that never completed count with their age.
        record.steps[0].end.as_mut().expect("it ended").pending_ages = vec![Nanos::from_secs(9)];
        assert_eq!(same(&record).count(), last.count() + 1);
    }

    #[test]
    fn short_steps_have_a_rate_and_a_reason_for_no_interval() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        rig.step(stage, Run::at(4, 1000.0).seconds(2));
        let record = rig.record();
        let figures = &levels(&record)[0][0].figures;
        assert_eq!(figures.iops.ci, None);
        assert!(figures.iops.ci_missing.ends_with("windows needed, 20 available"), "{}", figures.iops.ci_missing);
        assert!((figures.iops.value - 1000.0).abs() < 5.0);
    }

    /// Sets the length and the operations of one of the step's windows.
    fn bend(record: &mut RunRecord, at: usize, length: u64, ops: u64) {
        let windows = record.steps[0].intervals.iter_mut().flat_map(|i| &mut i.windows);
        let window = windows.into_iter().nth(at).expect("a window there");
        (window.length, window.ops) = (Nanos(length), [ops, 0, 0, 0]);
    }

    #[test]
    fn slivers_of_windows_decide_nothing() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        rig.step(stage, Run::at(4, 1000.0));
        let whole = rig.record();
        let mut cut = whole.clone();
        // The rates of these windows are ten times the usual rate, and zero.
        for (at, ops) in [(17, 300), (18, 0), (39, 400)] {
            bend(&mut cut, at, 49_000_000, ops);
        }
        let (whole, cut) = (levels(&whole), levels(&cut));
        let (a, b) = (&whole[0][0].figures, &cut[0][0].figures);
        assert_eq!((a.iops.n, b.iops.n), (40, 37));
        assert_eq!(b.steadiness, Steadiness::Steady);
        let width = |e: &Estimate| e.ci.map(|(lo, hi)| hi - lo).expect("an interval");
        assert!((width(&b.iops) / width(&a.iops) - 1.0).abs() < 0.5, "{:?} {:?}", a.iops, b.iops);
        assert_eq!(a.iops.value, b.iops.value, "what they counted stays counted");
    }

    #[test]
    fn windows_of_a_collector_that_came_late_count_by_their_own_length() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, read_8k());
        rig.step(stage, Run::at(4, 1000.0));
        let mut record = rig.record();
        bend(&mut record, 12, 700_000_000, 700);
        for at in 13..19 {
            bend(&mut record, at, 3_000_000, 1);
        }
        let levels = levels(&record);
        let figures = &levels[0][0].figures;
        assert_eq!((figures.iops.n, &figures.steadiness), (34, &Steadiness::Steady));
        assert!(figures.iops.ci.is_some_and(|(lo, hi)| hi - lo < 20.0), "{:?}", figures.iops);
    }

    #[test]
    fn reads_and_writes_of_a_mix_have_latencies_of_their_own() {
        let mut rig = Rig::new();
        let mix = Mix { write_percent: 50, trim_percent: 0 };
        let stage = rig.stage("r", StageRole::Fixed, Workload::new(mix, Bytes(16384), Access::RANDOM));
        rig.step(stage, Run::at(4, 1000.0));
        let reads = rig.stage("p", StageRole::Fixed, read_8k());
        rig.step(reads, Run::at(4, 1000.0));
        let mut record = rig.record();
        for interval in record.steps[0].intervals.iter_mut().filter(|i| i.phase == Phase::Measure) {
            interval.per_op[Op::Write.index()].latency = LatencyHistogram::default();
            (0..400).for_each(|_| interval.per_op[Op::Write.index()].latency.record(Nanos::from_millis(9)));
        }
        let levels = levels(&record);
        let mixed = &levels[0][0].figures;
        let [read, write] = mixed.apart.as_slice() else { panic!("{:?}", mixed.apart) };
        assert_eq!((read.op, write.op, write.ops), (Op::Read, Op::Write, 1600));
        assert!((read.mean.millis() / 4.0 - 1.0).abs() < 0.01, "{}", read.mean);
        assert_eq!(write.mean, Nanos::from_millis(9));
        assert!(mixed.mean.is_some_and(|m| read.mean < m && m < write.mean), "all together lie between");
        assert!(levels[1][0].figures.apart.is_empty(), "one kind needs no second telling");
    }

    #[test]
    fn a_second_that_holds_both_regimes_is_in_no_figure() {
        for windows in 51..60 {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Fixed, read_8k());
            rig.step(stage, Run::at(32, 314.0).seconds(10).first(windows, 3029.0));
            let record = rig.record();
            let levels = levels(&record);
            let level = &levels[0][0];
            assert!((level.rate() / 314.0 - 1.0).abs() < 0.03, "burst of {windows} windows: {}", level.rate());
            let latency = level.figures.mean.expect("completions").secs();
            assert!((latency / (32.0 / 314.0) - 1.0).abs() < 0.03, "burst of {windows} windows: {latency} s");
        }
    }
}
