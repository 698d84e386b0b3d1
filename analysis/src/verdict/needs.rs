//! Comparison of needs with levels: every clause must hold at the same level.
//!
//! A figure is a range, not a point. For a rate, the range is its interval; for a percentile, it is the interval of its
//! rank; for a mean latency, it is the relative interval of the rate (by Little's law they share it). A bound inside
//! the range is undecided.

use super::commands::qualify_command;
use crate::levels::figures::{Level, latencies};
use crate::limits::{burst, caps};
use crate::validity::cache;
use crate::validity::cpu::starved;
use messages::sentence;
use model::bounds::{Bound, Clause, Metric, Need, NeedMode, NeedPhase};
use model::judged::{ClauseResult, NeedResult, Outcome, Steadiness, told_course};
use model::measured::{Percentile, bucket_mid};
use model::plan::{BlockSizes, Pacing, Workload};
use model::{BytesPerSecond, Iops, LatencyHistogram, Nanos, Op, RunRecord, Sentence, text::Said};
use statistics::series::ratio_half;

/// Minimum share of proportional growth: a level is linear if its rate is at least this share of the rate at the lowest
/// concurrency, scaled by the concurrency. The source of the rule requires "linear" without a figure; at 0.8 an
/// m4.xlarge (docs/design/limits.md, "m4.xlarge") is linear to 4 (94 %), not to 8 (48 %).
const LINEAR: f64 = 0.8;

/// Minimum number of operations: with fewer, rate and latencies are due to chance, and no need is met. Also applies to
/// results of other tools.
const FEW_OPS: u64 = 20;

/// Checks one need on all levels of all stages. `errors` is true if any operation of the run failed.
pub(crate) fn check(need: &Need, record: &RunRecord, stages: &[Vec<Level>], errors: bool) -> NeedResult {
    let (mut tried, mut fleeting) = (Vec::new(), Vec::new());
    let mut seen = false;
    // Sustained levels of the same workload: the rate of an earlier probe must last as well.
    let held: Vec<&Level> =
        stages.iter().flatten().filter(|l| l.figures.hold && matches(need, &l.job.workload)).collect();
    for levels in stages {
        for level in levels.iter().filter(|l| matches(need, &l.job.workload) && l.figures.ops > 0) {
            seen = true;
            if !in_phase(need.phase(), level, levels, !held.is_empty()) {
                continue;
            }
            let list = if did_not_last(level, &held) { &mut fleeting } else { &mut tried };
            list.push(Tried::new(need, level));
        }
    }
    // A level that did not settle may have met the need during one of its stretches.
    let open = tried.iter().find(|t| t.may_meet).map(|t| t.level.concurrency());
    let Some(best) = tried.into_iter().max_by(Tried::order) else {
        let mut what = Sentence::from(need.workload());
        if seen {
            what = sentence!("need-at-level", what, phase = need.phase().name());
        }
        return unmeasured(need, sentence!("need-unmeasured", what, command = qualify_command(need, record)));
    };
    let (mut outcome, mut reason) = best.outcome(errors, record);
    let lasted = best.level.figures.time;
    if let Some(lasting) = need.lasting.filter(|l| outcome == Outcome::Pass && *l > lasted) {
        outcome = Outcome::Undecided;
        reason = sentence!("need-met-too-short", lasted, lasting, command = qualify_command(need, record));
    }
    if let Some(depth) = open.filter(|_| outcome == Outcome::Fail) {
        outcome = Outcome::Undecided;
        reason = sentence!("need-unsettled-may-meet", depth);
    }
    if outcome == Outcome::Fail && fleeting.iter().any(|t| t.count(Outcome::Pass) == t.clauses.len()) {
        reason = sentence!("need-met-fleetingly");
    }
    if let Some(held_level) = held_in_doubt(need.phase(), best.level, &held).filter(|_| outcome != Outcome::Undecided) {
        // Short levels only lead to the sustained one: they cannot replace it if its figures are not valid.
        if outcome == Outcome::Pass || !held_level.unsettled() {
            let depth = held_level.concurrency();
            let struck = held_level.figures.struck.clone().unwrap_or_default();
            reason = match outcome {
                Outcome::Pass => sentence!("need-met-on-the-way", depth, struck),
                _ => sentence!("need-not-met-on-the-way", depth, struck),
            };
            outcome = Outcome::Undecided;
        }
    }
    let mut clauses = best.clauses;
    if !best.level.sound() || cache::from_cache(best.level) {
        // A figure that does not represent the storage neither meets nor misses a clause.
        clauses.iter_mut().for_each(|c| c.outcome = Outcome::Undecided);
    }
    if !best.level.sound() && !best.level.unsettled() {
        // As in the tables: parentheses mark values that must not be read as figures.
        clauses.iter_mut().for_each(|c| c.measured = Sentence::concat(["(".into(), c.measured.clone(), ")".into()]));
    }
    NeedResult { text: need.text.clone(), outcome, depth: Some(best.level.concurrency()), clauses, why: reason }
}

/// Returns `true` if the phase of a need includes this level among those of its stage. `held` is true if its workload
/// has a sustained level.
fn in_phase(phase: NeedPhase, level: &Level, stage: &[Level], held: bool) -> bool {
    match phase {
        NeedPhase::Any => true,
        NeedPhase::Held => level.figures.hold || !held && stage.len() == 1,
        NeedPhase::Alone => level.concurrency() == 1,
        NeedPhase::Linear => {
            let first = stage.iter().filter(|l| !l.figures.hold && l.sound()).min_by_key(|l| l.concurrency());
            first.is_none_or(|f| {
                let times = f64::from(level.concurrency()) / f64::from(f.concurrency().max(1));
                level.rate() >= LINEAR * times * f.rate()
            })
        }
    }
}

/// Returns the result of a need that the run did not measure, with the reason.
pub(crate) fn unmeasured(need: &Need, why: Sentence) -> NeedResult {
    let undecided =
        |c: &Clause| ClauseResult { clause: *c, outcome: Outcome::Undecided, measured: sentence!("not-measured") };
    NeedResult {
        text: need.text.clone(),
        outcome: Outcome::Undecided,
        depth: None,
        clauses: need.clauses.iter().map(undecided).collect(),
        why,
    }
}

/// Returns the command that would measure an unmeasured need.
pub(crate) fn measured_by(result: &NeedResult) -> Option<&str> {
    let Some(Said::Message(reason)) = result.why.message() else { return None };
    let place = reason.places.iter().find(|(name, _)| reason.id == "need-unmeasured" && name == "command");
    match place {
        Some((_, Said::Text(command))) => Some(command),
        _ => None,
    }
}

/// Corrects the result of a need that was met with burst credits. The baseline decides: a rate above it is not met, and
/// latencies at the baseline are unknown. A need with a duration was met for that duration.
pub(super) fn weigh_burst(record: &RunRecord, stages: &[Vec<Level>], need: &Need, result: &mut NeedResult) {
    if result.outcome != Outcome::Pass {
        return;
    }
    let of_need = |l: &&Level| Some(l.concurrency()) == result.depth && l.sound() && matches(need, &l.job.workload);
    let on_burst = |level| Some((burst::on_burst(record, level)?, level));
    let Some((on, level)) = stages.iter().flatten().filter(of_need).find_map(on_burst) else { return };
    let (loaded, lasts) = (burst::round(on.loaded), burst::round(on.lasts));
    if need.lasting.is_some() {
        result.why = sentence!("met-for-duration", cap = on.cap.phrase(), lasts);
        return;
    }
    let rate = Iops(on.cap.allows);
    let at_baseline = |bound: &Bound| match bound {
        Bound::Iops(v) => compare_exact(v.per_second() <= on.cap.allows),
        Bound::Bandwidth(v) => compare_exact(v.per_second() <= on.cap.allows * level.mean_size()),
        Bound::Latency(_) => Outcome::Undecided,
    };
    for clause in &mut result.clauses {
        clause.outcome = at_baseline(&clause.clause.bound);
        if clause.outcome == Outcome::Fail {
            clause.measured = sentence!("figure-at-baseline", rate, measured = &clause.measured);
        }
    }
    let any = |outcome| result.clauses.iter().any(|c| c.outcome == outcome);
    (result.outcome, result.why) = if any(Outcome::Fail) {
        (Outcome::Fail, sentence!("not-met-at-baseline", rate, loaded, lasts))
    } else if any(Outcome::Undecided) {
        (Outcome::Undecided, sentence!("met-on-burst", rate, loaded, lasts))
    } else {
        (Outcome::Pass, sentence!("met-above-baseline", cap = on.cap.phrase()))
    };
}

/// Returns the outcome of a comparison without an interval.
const fn compare_exact(met: bool) -> Outcome {
    if met { Outcome::Pass } else { Outcome::Fail }
}

/// Adds, to a rate that meets a need, the time for which it was sustained and the burst bucket that may explain it.
/// Only if no row defines a lasting rate and the need names no duration.
pub(super) fn add_held_time(record: &RunRecord, stages: &[Vec<Level>], need: &Need, result: &mut NeedResult) {
    let is_rate = |c: &Clause| matches!(c.bound, Bound::Iops(_) | Bound::Bandwidth(_));
    if result.outcome != Outcome::Pass || need.lasting.is_some() || !need.clauses.iter().any(is_rate) {
        return;
    }
    let of_need = |l: &&Level| Some(l.concurrency()) == result.depth && l.sound() && matches(need, &l.job.workload);
    let Some(level) = stages.iter().flatten().filter(of_need).max_by_key(|l| (l.figures.hold, l.figures.time)) else {
        return;
    };
    let lasting = |c: &caps::Cap| !c.is_cgroup() && c.burst.is_none() && !caps::above(caps::span(level), c.allows);
    if caps::caps(record, level).iter().any(lasting) || level.job.workload.pacing != Pacing::Closed {
        return;
    }
    let held = level.figures.time;
    let held = sentence!("need-held", time = held, n = Iops(level.rate() * held.secs()));
    result.why = Sentence::join([result.why.clone(), held].into_iter().filter(|s| !s.is_empty()), "; ");
}

/// Returns `true` if a level of a ramp, or an earlier probe, was faster by more than 3 % than the level sustained
/// afterwards. The fastest level is the one that is sustained, so it was a burst, or a limit was lowered since. A need
/// met only by such a level is met only for a moment.
fn did_not_last(level: &Level, held: &[&Level]) -> bool {
    let slower = |held: &&Level| held.sound() && caps::above(caps::span(level), caps::span(held).1);
    !level.figures.hold && held.iter().any(slower)
}

/// Returns a sustained level of the workload if none of them is valid and `level` is a short level before them, which
/// cannot decide the need alone. Returns `None` if the need refers to another phase.
fn held_in_doubt<'a, 'b>(phase: NeedPhase, level: &Level, held: &[&'a Level<'b>]) -> Option<&'a Level<'b>> {
    let asked = matches!(phase, NeedPhase::Any | NeedPhase::Held) && !level.figures.hold;
    held.iter().copied().find(|_| asked && held.iter().all(|h| !h.sound()))
}

/// Returns `true` if a need applies to a workload.
pub(crate) fn matches(need: &Need, workload: &Workload) -> bool {
    let Some(blocks) = need.blocks() else { return false };
    if !matches!(workload.block, BlockSizes::Fixed(block) if blocks.takes_block(block)) {
        return false;
    }
    if blocks.mode == NeedMode::Fdatasync {
        return workload.flush_every == Some(1) && workload.mix.writes();
    }
    workload.flush_every.is_none()
        && workload.rw() == blocks.mode.name()
        && blocks.mode.read_percent().is_none_or(|r| r == workload.mix.read_percent())
}

/// A level with its checked clauses.
struct Tried<'a, 'b> {
    level: &'a Level<'b>,
    clauses: Vec<ClauseResult>,
    /// True if the level did not settle, but one of its stretches may meet the need.
    may_meet: bool,
}

impl<'a, 'b> Tried<'a, 'b> {
    fn new(need: &Need, level: &'a Level<'b>) -> Self {
        let durable = need.is_durable();
        let mut clauses: Vec<ClauseResult> = need.clauses.iter().map(|c| clause(c, level, durable)).collect();
        let unsettled = level.unsettled();
        let may_meet =
            unsettled && clauses.iter().all(|c| c.outcome != Outcome::Fail || reached(c.clause.bound, level));
        if unsettled {
            // A level that changed has no mean and no interval, so it meets no clause.
            for one in &mut clauses {
                one.outcome = Outcome::Undecided;
                one.measured = match (&one.clause.bound, &level.figures.steadiness) {
                    (Bound::Iops(_) | Bound::Bandwidth(_), Steadiness::NotSettled { why }) => {
                        sentence!("not-settled-as", why)
                    }
                    _ => sentence!("not-settled"),
                };
            }
        }
        Tried { level, clauses, may_meet }
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.clauses.iter().filter(|c| c.outcome == outcome).count()
    }

    /// Orders levels, the better one being greater: sound figures, no failed clause, more met clauses, the sustained
    /// level, the higher rate.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let key = |t: &Self| {
            let all_passed = t.count(Outcome::Pass) == t.clauses.len();
            let none_failed = t.count(Outcome::Fail) == 0;
            (t.level.sound(), all_passed, none_failed, t.count(Outcome::Pass), t.level.figures.hold && all_passed)
        };
        key(self).cmp(&key(other)).then(self.level.rate().total_cmp(&other.level.rate()))
    }

    /// Returns `true` if a rate stays below its bound even if multiplied by `times`.
    fn out_of_reach(&self, times: f64) -> bool {
        let beyond = |c: &ClauseResult| match c.clause.bound {
            Bound::Iops(v) => self.level.rate() * times < v.per_second(),
            Bound::Bandwidth(v) => self.level.figures.bandwidth.per_second() * times < v.per_second(),
            Bound::Latency(_) => false,
        };
        self.clauses.iter().any(|c| c.outcome == Outcome::Fail && beyond(c))
    }

    fn outcome(&self, errors: bool, record: &RunRecord) -> (Outcome, Sentence) {
        if let (true, Steadiness::NotSettled { why: reason }) = (self.level.unsettled(), &self.level.figures.steadiness)
        {
            return (Outcome::Undecided, sentence!("need-no-level", why = reason));
        }
        if let Some(reason) = &self.level.figures.struck {
            return (Outcome::Undecided, sentence!("need-not-valid", why = reason));
        }
        if cache::from_cache(self.level) {
            return (Outcome::Undecided, sentence!("need-from-cache"));
        }
        if caps::of_several(record, self.level) {
            return (Outcome::Undecided, sentence!("need-limit-changed"));
        }
        if self.count(Outcome::Fail) > 0 && self.level.figures.caveats.iter().any(|c| c == "generator-bound") {
            return (Outcome::Undecided, sentence!("need-generator"));
        }
        // At a limit known to apply to us alone, others do not reduce the rate.
        let at_limit = || caps::at_any(record, self.level);
        let beside = || if at_limit() { 1.0 } else { 1.0 + cache::foreign(record, self.level) };
        if self.count(Outcome::Fail) > 0 && cache::disturbed(self.level) && !self.out_of_reach(beside()) {
            return (Outcome::Undecided, sentence!("need-others"));
        }
        // Threads that wait for a CPU do less work at higher latencies: without the waits a met need would be met all
        // the more.
        let starved = self.level.figures.caveats.iter().any(|c| c == starved::ID);
        if self.count(Outcome::Fail) > 0 && starved && !self.out_of_reach(starved::at_most(record, self.level)) {
            return (Outcome::Undecided, sentence!("need-others-cpu"));
        }
        if self.count(Outcome::Fail) > 0 {
            return (Outcome::Fail, sentence!("need-closest"));
        }
        if self.count(Outcome::Undecided) > 0 {
            return (Outcome::Undecided, sentence!("need-too-close"));
        }
        if errors {
            return (Outcome::Undecided, sentence!("need-errors"));
        }
        let figures = &self.level.figures;
        if figures.ops < FEW_OPS {
            return (Outcome::Undecided, sentence!("need-few-operations", n = figures.ops));
        }
        let remark = match figures.steadiness.changed() {
            true => sentence!("need-met-by-last", course = told_course(&figures.course)),
            false => Sentence::default(),
        };
        (Outcome::Pass, remark)
    }
}

/// Returns `true` if a level that changed reached this rate at some time.
fn reached(bound: Bound, level: &Level) -> bool {
    let most = level.figures.course.iter().map(|s| s.iops.per_second()).fold(0.0, f64::max);
    match bound {
        Bound::Iops(v) => most >= v.per_second(),
        Bound::Bandwidth(v) => most * level.mean_size() >= v.per_second(),
        Bound::Latency(_) => false,
    }
}

/// Range of a figure and its text, or the reason why there is none.
pub(crate) type Range = Result<(f64, f64, Sentence), Sentence>;

fn clause(clause: &Clause, level: &Level, durable: bool) -> ClauseResult {
    let flushes = &level.kept.op(Op::Flush).latency;
    let latency = if durable { flushes } else { &level.latency };
    let seconds = seconds(level, durable);
    let range = match clause.metric {
        Metric::Iops => Ok(rate(level)),
        Metric::Bandwidth => Ok(bandwidth(level)),
        Metric::Mean => mean(latency, level, &seconds),
        Metric::DeviceWrites => Err(sentence!("not-told")),
        Metric::Max => exact(latency.max()),
        Metric::Percentile(p) => percentile(latency, &seconds, p),
    };
    judged(clause, range)
}

/// Compares a range with the bound of a clause.
pub(crate) fn judged(clause: &Clause, range: Range) -> ClauseResult {
    let (outcome, measured) = match range {
        Ok((lo, hi, text)) => (compare(lo, hi, clause.bound), text),
        Err(why) => (Outcome::Undecided, why),
    };
    ClauseResult { clause: *clause, outcome, measured }
}

/// Returns the range of a latency without an interval.
pub(crate) fn exact(latency: Option<Nanos>) -> Range {
    let latency = latency.ok_or_else(no_samples)?;
    Ok((latency.as_nanos() as f64, latency.as_nanos() as f64, latency.to_string().into()))
}

pub(crate) fn no_samples() -> Sentence {
    sentence!("no-samples")
}

fn compare(lo: f64, hi: f64, bound: Bound) -> Outcome {
    // Negated for upper bounds, so that greater is better in both cases.
    let (lo, hi, bound) = match bound {
        Bound::Iops(v) => (lo, hi, v.per_second()),
        Bound::Bandwidth(v) => (lo, hi, v.per_second()),
        Bound::Latency(v) => (-hi, -lo, -(v.as_nanos() as f64)),
    };
    if lo >= bound {
        Outcome::Pass
    } else if hi < bound {
        Outcome::Fail
    } else {
        Outcome::Undecided
    }
}

/// Returns the interval of the rate. Without one, it is the uncertainty of its windows as far as known, at least 3 %.
fn rate_range(level: &Level) -> (f64, f64) {
    match level.figures.iops.ci {
        Some(ci) => ci,
        None => {
            let half = level.half.clamp(caps::TOLERANCE, 1.0);
            (level.rate() * (1.0 - half), level.rate() * (1.0 + half))
        }
    }
}

fn rate(level: &Level) -> (f64, f64, Sentence) {
    let (lo, hi) = rate_range(level);
    (lo, hi, format!("{} [{}, {}]", Iops(level.rate()), Iops(lo), Iops(hi)).into())
}

fn bandwidth(level: &Level) -> (f64, f64, Sentence) {
    let (lo, hi) = rate_range(level);
    let per_op = level.figures.bandwidth.per_second() / level.rate().max(1e-9);
    let mb = BytesPerSecond;
    let text = format!("{} [{}, {}]", mb(level.figures.bandwidth.per_second()), mb(lo * per_op), mb(hi * per_op));
    (lo * per_op, hi * per_op, text.into())
}

/// Returns the latencies of the single seconds, of the same kind as those of the level.
fn seconds(level: &Level, durable: bool) -> Vec<LatencyHistogram> {
    if durable {
        return level.seconds.iter().map(|i| i.op(Op::Flush).latency.clone()).collect();
    }
    latencies(&level.seconds, level.job.workload.pacing.is_open())
}

fn mean(latency: &LatencyHistogram, level: &Level, seconds: &[LatencyHistogram]) -> Range {
    let mean = latency.mean().ok_or_else(no_samples)?;
    if level.job.workload.pacing.is_open() {
        // Arrivals keep their rate independently of the latency, so the scatter of the latency itself over the seconds
        // is used.
        let sums: Vec<(f64, f64)> = seconds.iter().map(|s| (s.summary().sum as f64, s.count() as f64)).collect();
        let half = ratio_half(&sums).ok_or_else(|| sentence!("too-few-seconds", n = sums.len()))?;
        return Ok(((mean.as_nanos() as f64 - half).max(0.0), mean.as_nanos() as f64 + half, mean.to_string().into()));
    }
    let (lo, hi) = rate_range(level);
    // R = N / X: a rate above its estimate means a latency below it.
    let (fast, slow) = (level.rate() / hi.max(1e-9), level.rate() / lo.max(1e-9));
    Ok((mean.as_nanos() as f64 * fast, mean.as_nanos() as f64 * slow, mean.to_string().into()))
}

/// Returns the interval of a percentile: the values that cannot be distinguished from it, by the share of latencies
/// beyond each.
///
/// That share has a random error, `1.96*sqrt(p*(1-p)/n)`, which is the interval by order statistics and assumes
/// independent latencies (docs/design/statistics.md, "Percentiles"). If slow operations come in bursts, the share
/// scatters more from second to second, and the wider of the two is used. It is computed separately at each value,
/// because the tail that matters for 10 ms is the one beyond 10 ms. (The block bootstrap of `tail.rs` needs 30 seconds;
/// few steps have them.)
pub(crate) fn percentile(latency: &LatencyHistogram, seconds: &[LatencyHistogram], p: f64) -> Range {
    let Percentile::Value(value) = latency.percentile(p) else {
        return Err(sentence!("too-few-samples", n = latency.count(), percentile = format!("p{p}")));
    };
    let beyond = 1.0 - p / 100.0;
    let chance = 1.96 * (beyond * (1.0 - beyond) / latency.count() as f64).sqrt();
    let share = |bucket: usize| {
        let (over, under, half) = share_beyond(seconds, bucket);
        (over / under.max(1.0), half.max(chance))
    };
    let buckets: Vec<usize> = latency.buckets().map(|(bucket, _)| bucket).collect();
    let above = buckets.partition_point(|b| share(*b).0 - share(*b).1 > beyond);
    let not_below = buckets.partition_point(|b| share(*b).0 + share(*b).1 > beyond);
    let at = |i: usize| buckets.get(i).map_or(latency.max(), |b| Some(bucket_mid(*b)));
    let (lo, hi) = (at(above).map_or(value, |v| v.min(value)), at(not_below).map_or(value, |v| v.max(value)));
    let text = if lo == hi { value.to_string() } else { format!("{value} [{lo}, {hi}]") };
    Ok((lo.as_nanos() as f64, hi.as_nanos() as f64, text.into()))
}

/// Returns the latencies beyond a bucket, all latencies, and the half-width of their ratio by its scatter over the
/// seconds.
fn share_beyond(seconds: &[LatencyHistogram], bucket: usize) -> (f64, f64, f64) {
    let slow = |s: &LatencyHistogram| s.buckets().filter(|(b, _)| *b > bucket).map(|(_, n)| n).sum::<u64>();
    let pairs: Vec<(f64, f64)> = seconds.iter().map(|s| (slow(s) as f64, s.count() as f64)).collect();
    let (over, under) = pairs.iter().fold((0.0, 0.0), |s, (y, n)| (s.0 + y, s.1 + n));
    (over, under, ratio_half(&pairs).unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, Storage, randread};
    use model::plan::{Access, Mix, StageRole};
    use model::{Bytes, Nanos, RunRecord};

    fn judged(record: &RunRecord, need: &str) -> NeedResult {
        let mut stages = crate::levels::figures::levels(record);
        let caveats = crate::validity::caveats::doubts(record, &mut stages);
        check(&need.parse().unwrap(), record, &stages, caveats.iter().any(|c| c.id == "io-errors"))
    }

    fn ramp() -> RunRecord {
        let mut rig = Rig::new();
        rig.ramp(randread(8192), &Storage::capped(0.0006, 6000.0, 1e12));
        rig.record()
    }

    #[test]
    fn a_need_is_met_only_if_one_level_meets_every_clause() {
        let record = ramp();
        // 1,667 IOPS at 0.6 ms; 6,000 from depth 4 at 0.67 ms.
        let met = judged(&record, "8k randread: iops>=5800, avg<=2ms, p99<=5ms");
        assert_eq!((met.outcome, met.depth), (Outcome::Pass, Some(4)), "{met:?}");
        let torn = judged(&record, "8k randread: iops>=5800, avg<=0.61ms");
        assert_eq!(torn.outcome, Outcome::Fail, "each holds somewhere, both nowhere: {torn:?}");
        assert_eq!(torn.clauses.iter().filter(|c| c.outcome == Outcome::Pass).count(), 1);
    }

    /// Returns a step of 30 s at 8,000 IOPS whose rate follows `bend`.
    fn bent(bend: fn(f64) -> f64) -> RunRecord {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run { bend, ..Run::at(8, 8000.0).seconds(30) });
        rig.record()
    }

    #[test]
    fn no_need_is_met_by_a_mean_across_a_change() {
        // Steps of 8,000 and 2,000 gave "NEED MET ... 4,632 [4,493, 4,771]", a drift to 400 "MET" at 4,154.
        let need = "8k randread: iops>=3000";
        let steps = judged(&bent(|t| if t < 0.4 { 1.0 } else { 0.25 }), need);
        assert_eq!(steps.outcome, Outcome::Fail, "by the last level: {steps:?}");
        assert!(steps.clauses[0].measured.starts_with("1,99") || steps.clauses[0].measured.starts_with("2,0"));
        let low = judged(&bent(|t| if t < 0.4 { 1.0 } else { 0.25 }), "8k randread: iops>=1500");
        assert_eq!(low.outcome, Outcome::Pass);
        assert!(low.why.starts_with("met only by the last level: 8,0") || low.why.contains("7,99"), "{}", low.why);
        assert!(low.why.contains(" IOPS until 12.0 s, then "), "{}", low.why);
        let back = judged(&bent(|t| if (0.2..0.3).contains(&t) { 0.25 } else { 1.0 }), need);
        assert_eq!(back.outcome, Outcome::Pass, "a dip that went: {back:?}");
        assert!(back.why.contains("until 6.00 s") && back.why.contains("until 9.00 s, then"), "{}", back.why);
        type Shape = (&'static str, fn(f64) -> f64);
        let shapes: [Shape; 3] = [
            ("a drift", |t| 1.0 - 0.95 * t),
            ("a fall at the end", |t| if t < 0.95 { 1.0 } else { 0.25 }),
            ("a rise at the end", |t| if t < 0.95 { 0.25 } else { 1.0 }),
        ];
        for (name, factor) in shapes {
            for bound in [300, 1500, 3000, 7000] {
                let got = judged(&bent(factor), &format!("8k randread: iops>={bound}, avg<=50ms"));
                assert_eq!(got.outcome, Outcome::Undecided, "{name}, {bound}: {got:?}");
                assert!(got.clauses.iter().all(|c| c.outcome == Outcome::Undecided), "{name}: {got:?}");
                assert!(got.clauses[0].measured.starts_with("not settled: "), "{name}: {got:?}");
            }
        }
    }

    #[test]
    fn a_level_that_did_not_settle_leaves_open_what_the_others_do_not_meet() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        rig.step(stage, Run::at(4, 4000.0).seconds(30));
        rig.step(stage, Run { bend: |t| if t < 0.95 { 1.0 } else { 0.25 }, ..Run::at(8, 8000.0).seconds(30) });
        let record = rig.record();
        assert_eq!(judged(&record, "8k randread: iops>=3000").outcome, Outcome::Pass, "the other does");
        let got = judged(&record, "8k randread: iops>=6000");
        assert_eq!(got.outcome, Outcome::Undecided, "{got:?}");
        assert!(got.why.contains("the level at depth 8 might"), "{}", got.why);
        assert_eq!(judged(&record, "8k randread: iops>=9000").outcome, Outcome::Fail, "it was never at that");
    }

    #[test]
    fn a_bound_inside_the_interval_is_undecided() {
        let got = judged(&ramp(), "8k randread: iops>=6000");
        assert_eq!(got.outcome, Outcome::Undecided, "{got:?}");
        assert!(got.why.contains("too close"));
    }

    #[test]
    fn an_unmeasured_need_is_undecided_and_says_why() {
        let got = judged(&ramp(), "16k randrw 70/30: iops>=100");
        assert_eq!(got.outcome, Outcome::Undecided);
        assert!(got.why.starts_with("the run did not measure 16k randrw 70/30; this command does: "), "{}", got.why);
    }

    #[test]
    fn too_few_samples_for_a_percentile_are_undecided() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(1, 100.0));
        let got = judged(&rig.record(), "8k randread: p99.9<=50ms");
        assert_eq!(got.outcome, Outcome::Undecided);
        assert!(got.clauses[0].measured.contains("too few samples"), "{got:?}");
    }

    #[test]
    fn a_tail_fails_what_its_mean_would_pass() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run { tail: (0.02, 50.0), ..Run::at(8, 6000.0) });
        let got = judged(&rig.record(), "8k randread: avg<=2ms, p99<=5ms");
        assert_eq!(got.outcome, Outcome::Fail);
        assert_eq!(got.clauses[0].outcome, Outcome::Pass);
        assert_eq!(got.clauses[1].outcome, Outcome::Fail);
    }

    #[test]
    fn fdatasync_is_judged_by_the_flush_and_not_taken_for_a_write() {
        let mut rig = Rig::new();
        let mut durable = Workload::new(Mix::WRITE, Bytes(8192), Access::RANDOM);
        durable.flush_every = Some(1);
        let stage = rig.stage("d", StageRole::Probe, durable);
        rig.step(stage, Run::at(1, 500.0));
        let record = rig.record();
        assert_eq!(judged(&record, "8k fdatasync: p99<=10ms").outcome, Outcome::Pass);
        assert_eq!(judged(&record, "8k fdatasync: avg<=0.5ms").outcome, Outcome::Fail);
        assert!(judged(&record, "8k randwrite: iops>=1").why.contains("did not measure"));
    }

    #[test]
    fn nothing_passes_once_an_operation_failed() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        rig.step(stage, Run::at(4, 6000.0));
        rig.step(stage, Run { errors: 1, ..Run::at(8, 6000.0) });
        let got = judged(&rig.record(), "8k randread: iops>=1000");
        assert_eq!((got.outcome, got.depth), (Outcome::Undecided, Some(4)));
        let fail = judged(&ramp(), "8k randread: iops>=10000");
        assert_eq!(fail.outcome, Outcome::Fail);
    }

    #[test]
    fn a_lower_bound_of_the_storage_can_pass_but_not_fail() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run { throttled: 40, ..Run::at(8, 2500.0) });
        let record = rig.record();
        assert_eq!(judged(&record, "8k randread: iops>=2000").outcome, Outcome::Pass);
        let got = judged(&record, "8k randread: iops>=5000");
        assert_eq!(got.outcome, Outcome::Undecided);
        assert!(got.why.contains("may do better"), "{}", got.why);
    }

    #[test]
    fn what_the_page_cache_answered_decides_nothing_about_storage() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(4, 600_000.0));
        let mut record = rig.record();
        record.steps[0].job.target.direct = false;
        let a = record.steps[0].accounting.as_mut().unwrap();
        (a.process_read, a.cgroup_read) = (Some(0), None);
        for need in ["8k randread: iops>=1000", "8k randread: iops>=9000000"] {
            let got = judged(&record, need);
            assert_eq!(got.outcome, Outcome::Undecided, "{got:?}");
            assert!(got.why.contains("page cache"), "{}", got.why);
        }
        assert_eq!(
            crate::judge::judge(&record).exit_code,
            0,
            "without a need it is a measurement of what was asked for"
        );
    }

    #[test]
    fn beside_others_a_need_can_be_met_and_fails_only_beyond_what_they_took() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        rig.step(stage, Run { cv: 0.0, ..Run::at(4, 5000.0) });
        let mut record = rig.record();
        let a = record.steps[0].accounting.as_mut().unwrap();
        a.device_read = a.device_read.map(|b| b * 13 / 10);
        let outcome = |need: &str| judged(&record, need).outcome;
        assert_eq!(outcome("8k randread: iops>=4500"), Outcome::Pass);
        assert_eq!(outcome("8k randread: iops>=6000"), Outcome::Undecided, "6,500 with what others did");
        assert_eq!(outcome("8k randread: iops>=8000"), Outcome::Fail);
        assert_eq!(outcome("8k randread: avg<=0.5ms"), Outcome::Undecided, "0.8 ms, part of it waiting for others");
    }

    #[test]
    fn a_level_whose_figures_are_struck_decides_nothing() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.preflight().storage.memory = Some("tmpfs keeps its files in memory".into());
        rig.step(stage, Run::at(4, 600_000.0));
        let got = judged(&rig.record(), "8k randread: iops>=1000");
        assert_eq!(got.outcome, Outcome::Undecided);
        assert!(got.why.contains("not valid"), "{}", got.why);
        assert!(got.clauses[0].measured.starts_with("(599,") && got.clauses[0].measured.ends_with(')'), "{got:?}");
    }

    #[test]
    fn a_need_met_for_a_moment_of_the_ramp_and_not_when_held_is_not_met() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        rig.step(stage, Run::at(4, 3000.0).seconds(1));
        rig.step(stage, Run::at(8, 3010.0).seconds(1));
        rig.step(stage, Run::at(4, 300.0).seconds(20).hold());
        let got = judged(&rig.record(), "8k randread: iops>=2000");
        assert_eq!((got.outcome, got.depth), (Outcome::Fail, Some(4)), "{got:?}");
        assert!(got.clauses[0].measured.starts_with("300 "), "{got:?}");
        assert!(got.why.contains("did not last"), "{}", got.why);
        // The rate of a probe before the ramp does not last, either.
        let mut rig = Rig::new();
        let probe = rig.stage("p", StageRole::Probe, randread(8192));
        rig.step(probe, Run::at(1, 8000.0).seconds(2));
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        rig.step(stage, Run::at(1, 8000.0).seconds(1));
        rig.step(stage, Run::at(1, 400.0).seconds(6).hold());
        let got = judged(&rig.record(), "8k randread: iops>=1500");
        assert_eq!(got.outcome, Outcome::Fail, "{got:?}");
        assert!(got.why.contains("did not last"), "{}", got.why);
        // A rate that was reached at a lower depth and is below the sustained rate counts as lasting.
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Ramp, randread(8192));
        rig.step(stage, Run::at(1, 1500.0));
        rig.step(stage, Run::at(8, 6000.0).hold());
        assert_eq!(judged(&rig.record(), "8k randread: iops>=1000, avg<=1ms").outcome, Outcome::Pass);
    }

    #[test]
    fn where_the_held_level_tells_nothing_those_before_it_do_not_stand_in() {
        let beside = |held: Run| {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Ramp, randread(8192));
            rig.step(stage, Run::at(4, 8000.0).seconds(1));
            rig.step(stage, Run { hold: true, ..held });
            rig.record()
        };
        let drift = beside(Run { bend: |t| 1.0 - 0.95 * t, ..Run::at(4, 8000.0).seconds(6) });
        let got = judged(&drift, "8k randread: iops>=3000");
        assert_eq!(got.outcome, Outcome::Undecided, "{got:?}");
        assert!(got.why.contains("the level held afterwards, at depth 4, is not valid: not-settled"), "{}", got.why);
        assert_eq!(judged(&drift, "8k randread: iops>=20000").outcome, Outcome::Fail, "none of them came near");
        let starved = beside(Run { waited: 0.4, others: 1.9, idle: 0.0, ..Run::at(4, 2000.0).seconds(6) });
        for need in ["8k randread: iops>=3000", "8k randread: iops>=20000"] {
            let got = judged(&starved, need);
            assert_eq!(got.outcome, Outcome::Undecided, "{got:?}");
            assert!(got.why.contains("is not valid: host-busy"), "{}", got.why);
        }
        assert_eq!(judged(&drift, "8k randread alone: iops>=1").outcome, Outcome::Undecided, "none has one in flight");
    }

    #[test]
    fn a_rate_without_an_interval_is_as_wide_as_its_windows_leave_it() {
        // Few independent windows: "2,958 [2,870, 3,047]" of a burst.
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run { cv: 0.4, ..Run::at(8, 6000.0).seconds(1) });
        let record = rig.record();
        let got = judged(&record, "8k randread: iops>=5800");
        assert_eq!(got.outcome, Outcome::Undecided, "{got:?}");
        assert_eq!(judged(&record, "8k randread: iops>=2000").outcome, Outcome::Pass);
    }

    #[test]
    fn a_tail_that_comes_in_one_second_of_many_is_less_sure_than_its_samples() {
        let with = |seconds: &[usize]| {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Fixed, randread(8192));
            rig.step(stage, Run::at(8, 6000.0).seconds(20));
            let mut record = rig.record();
            for (i, interval) in record.steps[0].intervals.iter_mut().enumerate() {
                let reads = &mut interval.per_op[0].latency;
                *reads = LatencyHistogram::default();
                // 1.5 % slow over the run: by chance, or all in a few seconds.
                let slow = if seconds.contains(&i) { 1800 / seconds.len() } else { 0 };
                (0..6000).for_each(|k| reads.record(Nanos(if k < slow { 50_000_000 } else { 1_000_000 })));
                interval.in_flight_ns = interval.per_op[0].latency.summary().sum;
            }
            judged(&record, "8k randread: p99<=5ms").outcome
        };
        assert_eq!(with(&(0..20).collect::<Vec<_>>()), Outcome::Fail, "in every second");
        assert_eq!(with(&[7]), Outcome::Undecided, "in one of twenty: it may have been chance that there was one");
    }

    #[test]
    fn a_restless_tail_far_below_the_bound_is_no_doubt() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(8, 4000.0).seconds(5));
        let mut record = rig.record();
        for (interval, slow) in record.steps[0].intervals.iter_mut().zip([0, 150, 10, 60, 5]) {
            let reads = &mut interval.per_op[0].latency;
            *reads = LatencyHistogram::default();
            // About 1 % take 2 ms, spread evenly; one in a thousand takes 30 ms.
            let time = |k| {
                if k < 4 {
                    30_000_000
                } else if k < slow {
                    2_000_000
                } else {
                    100_000
                }
            };
            (0..4000).for_each(|k| reads.record(Nanos(time(k))));
            interval.in_flight_ns = interval.per_op[0].latency.summary().sum;
        }
        assert_eq!(judged(&record, "8k randread: p99<=10ms").outcome, Outcome::Pass);
        assert_eq!(judged(&record, "8k randread: p99<=1ms").outcome, Outcome::Undecided);
    }

    #[test]
    fn a_mean_under_an_open_loop_is_as_sure_as_its_seconds() {
        let mut rig = Rig::new();
        let mut workload = randread(8192);
        workload.pacing = Pacing::Fixed(Iops(1000.0));
        let stage = rig.stage("r", StageRole::Fixed, workload);
        rig.step(stage, Run::at(8, 1000.0).seconds(10));
        let mut record = rig.record();
        for (i, interval) in record.steps[0].intervals.iter_mut().enumerate() {
            // One second in ten at 30 ms: a mean of 3.9 ms, because the rate did not drop.
            let response = Nanos(if i == 4 { 30_000_000 } else { 1_000_000 });
            (0..1000).for_each(|_| interval.per_op[0].response.record(response));
        }
        assert_eq!(judged(&record, "8k randread: iops>=980, avg<=3ms").outcome, Outcome::Undecided);
        assert_eq!(judged(&record, "8k randread: iops>=980, avg<=20ms").outcome, Outcome::Pass);
    }

    #[test]
    fn a_handful_of_operations_meets_no_need() {
        let outcome = |rate: f64| {
            let mut rig = Rig::new();
            let stage = rig.stage("r", StageRole::Fixed, randread(8192));
            rig.step(stage, Run { cv: 0.0, ..Run::at(1, rate).seconds(4) });
            let got = judged(&rig.record(), "8k randread: avg<=10s");
            (got.outcome, got.why.to_string())
        };
        let (few, reason) = outcome(2.5);
        assert!(few == Outcome::Undecided && reason.contains("operations"), "{few:?} {reason}");
        assert_eq!(outcome(100.0).0, Outcome::Pass);
    }

    #[test]
    fn a_phase_leaves_the_other_levels_out() {
        let mut rig = Rig::new();
        let stage = rig.ramp(randread(8192), &Storage::capped(0.0006, 6000.0, 1e12));
        rig.step(stage, Run::at(4, 5990.0).hold().seconds(12));
        let record = rig.record();
        // One in flight reaches 1667 at 0.6 ms; the sustained level 5990 at 0.67 ms.
        let outcome = |need: &str| judged(&record, need).outcome;
        assert_eq!(outcome("8k randread: avg<=620us"), Outcome::Pass);
        assert_eq!(outcome("8k randread held: avg<=620us"), Outcome::Fail);
        assert_eq!(outcome("8k randread alone: iops>=3000"), Outcome::Fail);
        assert_eq!(outcome("8k randread held: iops>=5000"), Outcome::Pass);
        assert_eq!(judged(&record, "8k randread alone: avg<=620us").depth, Some(1));
    }

    #[test]
    fn a_need_for_a_time_is_not_met_in_less() {
        let mut rig = Rig::new();
        let stage = rig.ramp(randread(8192), &Storage::capped(0.0006, 6000.0, 1e12));
        rig.step(stage, Run::at(4, 5990.0).hold().seconds(12));
        let record = rig.record();
        assert_eq!(judged(&record, "8k randread for 10s held: iops>=5000").outcome, Outcome::Pass);
        let short = judged(&record, "8k randread for 30s held: iops>=5000");
        assert_eq!(short.outcome, Outcome::Undecided);
        assert!(
            short.why.contains("of the required 30.0 s") && short.why.contains("--need '8k randread for 30.0s held"),
            "{}",
            short.why
        );
        // A need that fails in a short time has failed.
        assert_eq!(judged(&record, "8k randread for 30s held: iops>=9000").outcome, Outcome::Fail);
    }

    #[test]
    fn proportion_ends_where_the_gain_does() {
        // RanRead's rule: 6000 are reached with 4 in flight. 8 and 16 add nothing, so those levels do not count.
        let record = ramp();
        let r = judged(&record, "8k randread linear: iops>=5000, avg<=10ms");
        assert_eq!((r.outcome, r.depth), (Outcome::Pass, Some(4)));
        let r = judged(&record, "8k randread linear: iops>=6500");
        assert_eq!((r.outcome, r.depth), (Outcome::Fail, Some(4)));
    }

    #[test]
    fn what_was_not_measured_comes_with_the_command_that_measures_it() {
        let r = judged(&ramp(), "16k randrw 70/30 for 30s: iops>=1000");
        assert_eq!(r.outcome, Outcome::Undecided);
        let reason = "this command does: secchi qualify ";
        assert!(
            r.why.contains(reason)
                && r.why.contains("--patterns randrw --need '16k randrw 70/30 for 30.0s: iops>=1000'"),
            "{}",
            r.why
        );
    }
}
