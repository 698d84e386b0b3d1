//! The judgement of a run of workloads on one target, or on several as one.

use super::binding::{self, Bound, Subject};
use super::measured::{MeasuredPattern, measured_patterns};
use super::{answer, findings, needs, sentences};
use crate::levels::figures::{Level, levels};
use crate::limits::blocks::{self, Blocks, Point};
use crate::limits::{burst, caps};
use crate::validity::cpu::generator::{Strength, generator};
use crate::validity::{cache, caveats};
use model::{Bytes, Iops, Judgement, Nanos, PatternJudgement, RunRecord, Steadiness};

/// Judges a run on one target, or on several as one.
pub(crate) fn judge_workloads(record: &RunRecord) -> Judgement {
    let mut stages = levels(record);
    let mut caveats = caveats::doubts(record, &mut stages);
    let measured = measured_patterns(record, &stages);
    let bounds = bind(record, &stages, &measured);
    caveats.extend(findings::beyond_limits(record, &stages, &measured, &bounds));
    caveats.extend(findings::not_counted(record, &stages, &measured, &bounds));
    let caveats = caveats::tidy(caveats);
    let errors = caveats.iter().any(|c| c.id == "io-errors" || c.id == "wrong-data");
    let need = |n| {
        let mut result = needs::check(n, record, &stages, errors);
        needs::weigh_burst(record, &stages, n, &mut result);
        needs::add_held_time(record, &stages, n, &mut result);
        result
    };
    let needs: Vec<_> = record.plan.needs.iter().map(need).collect();
    let findings = findings::find(record, &stages, &measured, &bounds);
    let (outcome, exit_code) = sentences::outcome(record, &needs, &caveats);
    let patterns: Vec<PatternJudgement> =
        measured.iter().zip(&bounds).map(|(body, bound)| pattern(record, &stages, body, bound)).collect();
    let sentence = sentences::first_sentence(record, &patterns, &bounds, &caveats);
    let asked = answer::Asked {
        record,
        stages: &stages,
        measured: &measured,
        bounds: &bounds,
        patterns: &patterns,
        needs: &needs,
        caveats: &caveats,
    };
    Judgement {
        answer: answer::answer(&asked),
        verdict: sentence,
        outcome,
        needs,
        patterns,
        findings,
        caveats,
        database: None,
        metadata: None,
        durability: None,
        exit_code,
        watch: None,
        sampling: None,
        layers: Vec::new(),
    }
}

fn bind(record: &RunRecord, stages: &[Vec<Level>], measured: &[MeasuredPattern]) -> Vec<Bound> {
    let points: Vec<Option<Point>> = measured.iter().map(|b| point(record, &stages[b.stage], b)).collect();
    let known: Vec<Point> = points.iter().flatten().cloned().collect();
    let with_point = measured.iter().zip(&points).filter(|(_, point)| point.is_some());
    let judged: Vec<&Level> = with_point.filter_map(|(b, _)| stages[b.stage].get(b.chosen?)).collect();
    let shown: Vec<&Level> =
        measured.iter().filter_map(|b| stages[b.stage].get(b.chosen?).filter(|l| l.valid())).collect();
    let mut next = 0;
    measured
        .iter()
        .zip(&points)
        .map(|(body, point)| {
            let levels = &stages[body.stage];
            let label = record.plan.stages[body.stage].job.workload.label();
            let subject = |chosen, blocks| Subject {
                record,
                levels,
                chosen,
                knee: &body.knee,
                saturated: body.saturated,
                cycle: body.cycle,
                // A time that a deeper level corrected is that level's.
                cycle_from: body.cycle.map(|_| body.l0_doubted.map_or(1, |(concurrency, _)| concurrency)),
                blocks,
                judged: &judged,
                points: &known,
            };
            let (Some(chosen), Some(_)) = (body.chosen, point) else {
                let struck = |l: &&Level| l.figures.struck.is_some();
                let level = body.chosen.map(|i| &levels[i]).filter(struck);
                let alone = Blocks::default();
                let wavered = body.chosen.and_then(|i| binding::wavered(&label, &subject(i, &alone), &shown));
                return wavered
                    .unwrap_or_else(|| binding::unjudged(&label, level.or_else(|| levels.iter().find(struck))));
            };
            let blocks = blocks::compare(&known, next);
            next += 1;
            binding::bind(&label, &subject(chosen, &blocks))
        })
        .collect()
}

fn point<'a>(record: &'a RunRecord, levels: &'a [Level], body: &MeasuredPattern) -> Option<Point<'a>> {
    let level = levels.get(body.chosen?).filter(|l| l.sound())?;
    let undisturbed = generator(record, level).strength != Strength::Strong && !cache::disturbed(level);
    let usable = undisturbed || level.only_a_cap || caps::at_any(record, level);
    Some(Point::from_level(level, body.saturated || level.throttled, usable && !cache::from_cache(level)))
}

fn pattern(record: &RunRecord, stages: &[Vec<Level>], body: &MeasuredPattern, bound: &Bound) -> PatternJudgement {
    let levels = &stages[body.stage];
    let stage = &record.plan.stages[body.stage];
    let x_max = body.best.map(|i| levels[i].rate());
    let n_star = x_max.zip(body.cycle).map(|(x, cycle)| x * cycle.secs());
    let sustained = levels
        .iter()
        .find(|l| l.figures.hold && l.sound())
        .filter(|l| l.figures.steadiness != Steadiness::TooShort)
        .filter(|l| burst::on_burst(record, l).is_none());
    let size = body.chosen.map_or(stage.job.workload.block.mean(), |i| levels[i].mean_size());
    PatternJudgement {
        label: stage.job.workload.label(),
        stage: stage.name.clone(),
        role: stage.role,
        mean_size: Bytes(size.round() as u64),
        levels: levels.iter().map(|l| l.figures.clone()).collect(),
        best: body.best,
        sustained: sustained.map(|l| l.figures.iops.clone()),
        sustained_seconds: sustained.and_then(seconds),
        l0: body.l0,
        l0_doubted: body.l0_doubted,
        at_n_star: n_star.and_then(|n| nearest_level(levels, n)),
        n_star,
        knee: body.knee.clone(),
        binding: bound.binding.clone(),
        shares: Vec::new(),
    }
}

/// Lowest and highest rate among the seconds of a level. Cut ones, shorter than half a second, are left out: their
/// rate is mostly chance. `None` where there are not two.
fn seconds(level: &Level) -> Option<(Iops, Iops)> {
    let whole = level.seconds.iter().filter(|i| i.length >= Nanos::from_millis(500));
    let rates: Vec<f64> = whole.map(|i| i.data_ops() as f64 / i.length.secs()).collect();
    let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let high = rates.iter().copied().fold(0.0, f64::max);
    (rates.len() > 1).then_some((Iops(low), Iops(high)))
}

/// The sound level whose concurrency is nearest to `n` as a factor, with its mean latency.
fn nearest_level(levels: &[Level], n: f64) -> Option<(u32, Nanos)> {
    let distance = |l: &&Level| (f64::from(l.concurrency().max(1)).ln() - n.max(1e-9).ln()).abs();
    let nearest = levels.iter().filter(|l| l.sound()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    Some((nearest.concurrency(), nearest.figures.mean?))
}
