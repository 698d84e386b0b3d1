//! Needs against levels: every clause must hold at one and the same level.
//!
//! A figure is a range, not a point: a rate has its interval, a percentile the interval of its rank, a mean latency
//! the rate's relative interval (by Little's law they share it). A bound inside the range is undecided.

use crate::figures::Level;
use crate::limits;
use model::{
    BlockSizes, Bound, BytesPerSecond, Clause, ClauseResult, Iops, LatencyHistogram, Metric, Nanos, Need, NeedResult,
    Op, Outcome, Percentile, Steadiness, Workload,
};

/// Checks one need on all levels of all stages. `errors`: whether any operation of the run failed.
pub(crate) fn check(need: &Need, stages: &[Vec<Level>], errors: bool) -> NeedResult {
    let tried: Vec<Tried> = stages
        .iter()
        .flatten()
        .filter(|l| matches(need, &l.job.workload) && l.figures.ops > 0)
        .map(|level| Tried::new(need, level))
        .collect();
    let Some(best) = tried.into_iter().max_by(Tried::order) else {
        return unmeasured(need);
    };
    let (outcome, why) = best.outcome(errors);
    NeedResult { text: need.text.clone(), outcome, depth: Some(best.level.concurrency()), clauses: best.clauses, why }
}

fn unmeasured(need: &Need) -> NeedResult {
    let mix = need.read_percent.map(|r| format!(" {r}/{}", 100 - r.min(100))).unwrap_or_default();
    NeedResult {
        text: need.text.clone(),
        outcome: Outcome::Undecided,
        depth: None,
        clauses: need
            .clauses
            .iter()
            .map(|c| ClauseResult { clause: *c, outcome: Outcome::Undecided, measured: "not measured".into() })
            .collect(),
        why: format!("the run has no {} {}{mix}", need.block.short(), need.rw),
    }
}

/// Whether a workload is the one a need speaks of.
fn matches(need: &Need, workload: &Workload) -> bool {
    if workload.block != BlockSizes::Fixed(need.block) {
        return false;
    }
    if need.rw == "fdatasync" {
        return workload.flush_every == 1 && workload.mix.writes();
    }
    workload.flush_every == 0
        && workload.rw() == need.rw
        && need.read_percent.is_none_or(|r| r == workload.mix.read_percent())
}

/// A level with the clauses checked on it.
struct Tried<'a, 'b> {
    level: &'a Level<'b>,
    clauses: Vec<ClauseResult>,
}

impl<'a, 'b> Tried<'a, 'b> {
    fn new(need: &Need, level: &'a Level<'b>) -> Self {
        let durable = need.rw == "fdatasync";
        Tried { level, clauses: need.clauses.iter().map(|c| clause(c, level, durable)).collect() }
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.clauses.iter().filter(|c| c.outcome == outcome).count()
    }

    /// Better is greater: sound figures, no clause failed, more passed, the held level, the higher rate.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let key = |t: &Self| {
            let all = t.count(Outcome::Pass) == t.clauses.len();
            let none_failed = t.count(Outcome::Fail) == 0;
            (t.level.sound(), all, none_failed, t.count(Outcome::Pass), t.level.figures.hold && all)
        };
        key(self).cmp(&key(other)).then(self.level.rate().total_cmp(&other.level.rate()))
    }

    fn outcome(&self, errors: bool) -> (Outcome, String) {
        if let Some(why) = &self.level.figures.struck {
            return (Outcome::Undecided, format!("its figures are not valid: {why}"));
        }
        if self.count(Outcome::Fail) > 0 && self.level.figures.caveats.iter().any(|c| c == "generator-bound") {
            return (Outcome::Undecided, "the generator ran out of CPU: the storage may do better".into());
        }
        if self.count(Outcome::Fail) > 0 {
            return (Outcome::Fail, "no level meets every clause; this one is the closest".into());
        }
        if self.count(Outcome::Undecided) > 0 {
            return (Outcome::Undecided, "too close to the bound, or too few samples, to tell".into());
        }
        if errors {
            return (Outcome::Undecided, "operations failed in this run; no need may pass".into());
        }
        let remark = match self.level.figures.steadiness {
            Steadiness::NotSettled { .. } => "met, but the rate had not settled",
            Steadiness::TwoRegimes { .. } => "met by the level after the change",
            _ => "",
        };
        (Outcome::Pass, remark.into())
    }
}

/// The range a figure lies in, and its text; or why there is none.
type Range = Result<(f64, f64, String), String>;

fn clause(clause: &Clause, level: &Level, durable: bool) -> ClauseResult {
    let flushes = &level.kept.op(Op::Flush).latency;
    let latency = if durable { flushes } else { &level.latency };
    let range = match clause.metric {
        Metric::Iops => Ok(rate(level)),
        Metric::Bandwidth => Ok(bandwidth(level)),
        Metric::Mean => mean(latency, level),
        Metric::Max => latency.max().map(|m| (m.0 as f64, m.0 as f64, m.to_string())).ok_or_else(no_samples),
        Metric::Percentile(p) => percentile(latency, p),
    };
    let (outcome, measured) = match range {
        Ok((lo, hi, text)) => (compare(lo, hi, clause.bound), text),
        Err(why) => (Outcome::Undecided, why),
    };
    ClauseResult { clause: *clause, outcome, measured }
}

fn no_samples() -> String {
    "no samples".to_owned()
}

fn compare(lo: f64, hi: f64, bound: Bound) -> Outcome {
    // Turned about for ceilings, so that greater is better in both cases.
    let (lo, hi, bound) = match bound {
        Bound::Iops(v) => (lo, hi, v.0),
        Bound::Bandwidth(v) => (lo, hi, v.0),
        Bound::Latency(v) => (-hi, -lo, -(v.0 as f64)),
    };
    if lo >= bound {
        Outcome::Pass
    } else if hi < bound {
        Outcome::Fail
    } else {
        Outcome::Undecided
    }
}

/// The interval of the rate, or +-3 % without one.
fn rate_range(level: &Level) -> (f64, f64) {
    match level.figures.iops.ci {
        Some(ci) => ci,
        None => limits::span(level),
    }
}

fn rate(level: &Level) -> (f64, f64, String) {
    let (lo, hi) = rate_range(level);
    (lo, hi, format!("{} [{}, {}]", Iops(level.rate()), Iops(lo), Iops(hi)))
}

fn bandwidth(level: &Level) -> (f64, f64, String) {
    let (lo, hi) = rate_range(level);
    let per_op = level.figures.bandwidth.0 / level.rate().max(1e-9);
    let mb = BytesPerSecond;
    let text = format!("{} [{}, {}]", mb(level.figures.bandwidth.0), mb(lo * per_op), mb(hi * per_op));
    (lo * per_op, hi * per_op, text)
}

fn mean(latency: &LatencyHistogram, level: &Level) -> Range {
    let mean = latency.mean().ok_or_else(no_samples)?;
    let (lo, hi) = rate_range(level);
    // R = N / X: a rate above its estimate is a latency below it.
    let (fast, slow) = (level.rate() / hi.max(1e-9), level.rate() / lo.max(1e-9));
    Ok((mean.0 as f64 * fast, mean.0 as f64 * slow, mean.to_string()))
}

/// Interval of a percentile by order statistics (`measurement.md` 2.2): the ranks `n*p -+ 1.96*sqrt(n*p*(1-p))`.
/// It takes latencies as independent; where they come in bursts the truth is wider.
fn percentile(latency: &LatencyHistogram, p: f64) -> Range {
    let Percentile::Value(value) = latency.percentile(p) else {
        return Err(format!("too few samples ({}) for p{p}", latency.count()));
    };
    let q = p / 100.0;
    let half = 1.96 * (q * (1.0 - q) / latency.count() as f64).sqrt();
    let at = |q: f64| latency.quantile(q.clamp(0.0, 1.0)).unwrap_or(value);
    let (lo, hi): (Nanos, Nanos) = (at(q - half), at(q + half));
    let text = if lo == hi { value.to_string() } else { format!("{value} [{lo}, {hi}]") };
    Ok((lo.0 as f64, hi.0 as f64, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, Storage, randread};
    use model::{Access, Bytes, Mix, RunRecord, StageRole};

    fn judged(record: &RunRecord, need: &str) -> NeedResult {
        let mut stages = crate::figures::levels(record);
        let caveats = crate::caveats::doubts(record, &mut stages);
        check(&need.parse().unwrap(), &stages, caveats.iter().any(|c| c.id == "io-errors"))
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
        assert_eq!(got.why, "the run has no 16k randrw 70/30");
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
        durable.flush_every = 1;
        let stage = rig.stage("d", StageRole::Probe, durable);
        rig.step(stage, Run::at(1, 500.0));
        let record = rig.record();
        assert_eq!(judged(&record, "8k fdatasync: p99<=10ms").outcome, Outcome::Pass);
        assert_eq!(judged(&record, "8k fdatasync: avg<=0.5ms").outcome, Outcome::Fail);
        assert!(judged(&record, "8k randwrite: iops>=1").why.contains("has no"));
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
    fn a_level_whose_figures_are_struck_decides_nothing() {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.preflight().storage.filesystem = "tmpfs".into();
        rig.step(stage, Run::at(4, 600_000.0));
        let got = judged(&rig.record(), "8k randread: iops>=1000");
        assert_eq!(got.outcome, Outcome::Undecided);
        assert!(got.why.contains("not valid"), "{}", got.why);
    }
}
