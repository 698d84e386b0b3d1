//! Judgement of a run of workloads on one target, or on several as one.

use super::binding::{self, Bound, Subject};
use super::measured::{MeasuredPattern, measured_patterns};
use super::{answer, findings, needs, sentences};
use crate::levels::figures::{Level, levels};
use crate::limits::blocks::{self, Blocks, Point};
use crate::limits::{burst, caps};
use crate::validity::cpu::generator::{Strength, generator};
use crate::validity::cpu::starved;
use crate::validity::{cache, caveats};
use messages::sentence;
use model::judged::{BindingKind, PatternJudgement, Steadiness};
use model::{Bytes, Caveat, Iops, Judgement, Nanos, RunRecord, Severity};
use std::collections::BTreeSet;

/// Judges a run on one target, or on several as one.
pub(crate) fn judge_workloads(record: &RunRecord) -> Judgement {
    let mut stages = levels(record);
    let mut caveats = caveats::doubts(record, &mut stages);
    let measured = measured_patterns(record, &stages);
    let bounds = bind(record, &stages, &measured);
    spare_disturbed_sizes(record, &stages, &measured, &bounds, &mut caveats);
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
        exit_code,
        ..Judgement::default()
    }
}

/// Reduces the severity of disturbances by others on some block sizes of a pattern to a doubt, if more of its sizes, at
/// least two, are sound and name the cap that binds. The levels of the disturbed sizes remain invalid.
fn spare_disturbed_sizes(
    record: &RunRecord,
    stages: &[Vec<Level>],
    measured: &[MeasuredPattern],
    bounds: &[Bound],
    caveats: &mut [Caveat],
) {
    let by_others = |c: &Caveat| {
        let step = c.step.filter(|_| c.severity == Severity::Invalid)?;
        [starved::ID, cache::FOREIGN_LOAD].contains(&c.id.as_str()).then(|| record.steps[step].stage)
    };
    let disturbed: BTreeSet<usize> = caveats.iter().filter_map(by_others).collect();
    let names_cap = |(body, bound): (&MeasuredPattern, &Bound)| {
        let sound = body.chosen.is_some_and(|i| stages[body.stage][i].sound());
        let named = matches!(
            bound.binding.kind,
            BindingKind::LimitIops
                | BindingKind::LimitBandwidth
                | BindingKind::IopsCap
                | BindingKind::BandwidthCap
                | BindingKind::Cap
        );
        (sound && named && bound.unclear.is_none() && !disturbed.contains(&body.stage)).then_some(body.stage)
    };
    let naming: BTreeSet<usize> = measured.iter().zip(bounds).filter_map(names_cap).collect();
    let workload = |stage: usize| &record.plan.stages[stage].job.workload;
    let outnumbered = |stage: usize| {
        let current = workload(stage);
        let sizes = |stages: &BTreeSet<usize>| {
            let other = stages.iter().map(|s| workload(*s));
            let alike = other
                .filter(|w| (w.mix, w.access) == (current.mix, current.access) && w.flush_every == current.flush_every);
            alike.map(|w| w.label()).collect::<BTreeSet<String>>().len()
        };
        let named = sizes(&naming);
        named >= 2 && named > sizes(&disturbed)
    };
    for caveat in caveats.iter_mut().filter(|c| by_others(c).is_some_and(outnumbered)) {
        caveat.severity = Severity::Doubt;
        caveat.statement = sentence!("doubt-size-left-out");
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
                // A time corrected by a level at a greater depth belongs to that level.
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

/// Returns the lowest and the highest rate among the seconds of a level. Seconds cut to less than 500 ms are left out,
/// because their rate is mostly due to chance. `None` if fewer than two remain.
fn seconds(level: &Level) -> Option<(Iops, Iops)> {
    let whole = level.seconds.iter().filter(|i| i.length >= Nanos::from_millis(500));
    let rates: Vec<f64> = whole.map(|i| i.data_ops() as f64 / i.length.secs()).collect();
    let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let high = rates.iter().copied().fold(0.0, f64::max);
    (rates.len() > 1).then_some((Iops(low), Iops(high)))
}

/// Returns the sound level whose concurrency is nearest to `n` by ratio, with its mean latency.
fn nearest_level(levels: &[Level], n: f64) -> Option<(u32, Nanos)> {
    let distance = |l: &&Level| (f64::from(l.concurrency().max(1)).ln() - n.max(1e-9).ln()).abs();
    let nearest = levels.iter().filter(|l| l.sound()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    Some((nearest.concurrency(), nearest.figures.mean?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::{judged::AnswerSubject, plan::StageRole};

    /// Judges sizes at a declared cap of 94 MB/s; other processes used the CPU during those in `starved`.
    fn judged(starved: &[u64], need: &str) -> Judgement {
        let mut rig = Rig::new();
        if !need.is_empty() {
            rig.need(need);
        }
        rig.declare("volume mbps=93.75MB");
        for size in [16u64 << 10, 64 << 10, 256 << 10, 1 << 20] {
            let full = 93.75e6 / size as f64;
            let run = match starved.contains(&size) {
                true => Run { waited: 0.45, others: 1.9, idle: 0.0, ..Run::at(4, full * 0.5) },
                false => Run::at(4, full),
            };
            let stage = rig.stage(&format!("s{size}"), StageRole::Fixed, randread(size));
            rig.step(stage, run.seconds(8));
        }
        crate::judge::judge(&rig.record())
    }

    #[test]
    fn one_disturbed_size_does_not_invalidate_a_run_whose_other_sizes_name_the_cap() {
        let one = judged(&[16 << 10], "");
        let binds = one.answer.lines.iter().find(|l| l.subject == AnswerSubject::Binds).expect("a line");
        assert!(binds.text.contains("volume bandwidth") && !binds.text.contains("not valid"), "{}", binds.text);
        assert_eq!(one.exit_code, 0, "{}", one.verdict);
        assert!(one.patterns[0].levels[0].struck.is_some(), "its own level stays struck");
        let doubt = one.caveats.iter().find(|c| c.id == starved::ID).expect("a doubt next to the level");
        assert_eq!(doubt.severity, Severity::Doubt);
        assert_eq!(judged(&[16 << 10], "16k randread: iops>=5000").exit_code, 2, "a need of that size is undecided");
        let half = judged(&[16 << 10, 64 << 10], "");
        assert_eq!(half.exit_code, 2, "as many sizes are disturbed as name a cap: {}", half.verdict);
    }
}
