//! The judge: record in, judgement out.

use crate::levels::clones;
use crate::levels::figures::{Level, last_caps, levels};
use crate::limits::blocks::{self, Blocks, Point};
use crate::limits::{burst, caps, single};
use crate::statistics::ramp::{RampLevel, best_level, knee};
use crate::validity::generator::{Strength, generator};
use crate::validity::{cache, caveats, layers, sampling, starved};
use crate::verdict::binding::{self, Bound, Subject};
use crate::verdict::{answer, findings, needs, sentences, shares};
use crate::{database, watch};
use model::{
    Bytes, Caveat, Iops, Judgement, Knee, Nanos, Need, PatternJudgement, RunRecord, Stage, StageRole, Steadiness,
};

/// Judges a run. Pure: the same record gives the same judgement, live or stored. Several targets side by side are judged
/// as one, by the sum of the same seconds, with what each had of it.
#[must_use]
pub fn judge(record: &RunRecord) -> Judgement {
    if record.database.is_some() {
        let judgement = database::judge(record);
        return Judgement { layers: layers::layers(record), ..judgement };
    }
    if let Some(plan) = &record.plan.watch {
        return watch::judge(record, plan);
    }
    let mut judgement = judge_one(&record.joint());
    judgement.sampling = sampling::sampling(record);
    judgement.layers = layers::layers(record);
    if record.plan.side_by_side() {
        shares::tell(record, &mut judgement);
    }
    judgement
}

/// Judges a run on one target, or on several as one.
pub(crate) fn judge_one(record: &RunRecord) -> Judgement {
    let mut stages = levels(record);
    let mut caveats = caveats::doubts(record, &mut stages);
    let bodies = bodies(record, &stages);
    let bounds = bind(record, &stages, &bodies);
    caveats.extend(findings::beyond_limits(record, &stages, &bodies, &bounds));
    let caveats = caveats::tidy(caveats);
    let errors = caveats.iter().any(|c| c.id == "io-errors" || c.id == "wrong-data");
    let need = |n| {
        let mut result = needs::check(n, record, &stages, errors);
        burst::weigh(record, &stages, n, &mut result);
        result
    };
    let needs: Vec<_> = record.plan.needs.iter().map(need).collect();
    let findings = findings::find(record, &stages, &bodies, &bounds);
    let (outcome, exit_code) = sentences::outcome(record, &needs, &caveats);
    let patterns: Vec<PatternJudgement> =
        bodies.iter().zip(&bounds).map(|(body, bound)| pattern(record, &stages, body, bound)).collect();
    let sentence = sentences::first_sentence(record, &patterns, &bounds, &caveats);
    let asked = answer::Asked {
        record,
        stages: &stages,
        bodies: &bodies,
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
        exit_code,
        watch: None,
        sampling: None,
        layers: Vec::new(),
    }
}

/// Judges a run by other needs than its own. Clones of a job count together.
#[must_use]
pub fn judge_by(record: &RunRecord, needs: Vec<Need>) -> (RunRecord, Judgement) {
    let mut asked = record.clone();
    asked.plan.needs = needs;
    let mut judgement = judge(&asked);
    if asked.plan.sections.is_empty() {
        return (asked, judgement);
    }
    let gathered = clones::gathered(&asked);
    let mut stages = levels(&gathered);
    let errors = judgement.caveats.iter().any(|c| c.id == "io-errors" || c.id == "wrong-data");
    // Doubts of single clones strike what they make together.
    for level in stages.iter_mut().flatten() {
        let section = |step: usize| asked.plan.stages[asked.steps[step].stage].place.section;
        let own = section(level.steps[0]);
        let of_it: Vec<Caveat> =
            judgement.caveats.iter().filter(|c| c.step.is_some_and(|s| section(s) == own)).cloned().collect();
        caveats::mark(level, &of_it, &asked.caveats);
    }
    judgement.needs = asked.plan.needs.iter().map(|n| needs::check(n, &asked, &stages, errors)).collect();
    (judgement.outcome, judgement.exit_code) = sentences::outcome(&asked, &judgement.needs, &judgement.caveats);
    judgement.answer = answer::by_needs(judgement.answer, &judgement.needs);
    (asked, judgement)
}

/// What is known of a pattern before the question of its limit.
pub(crate) struct Body {
    /// Index of its stage.
    pub stage: usize,
    /// Index of the level with the highest rate.
    pub best: Option<usize>,
    /// Index of the level judged.
    pub chosen: Option<usize>,
    pub knee: Knee,
    /// Mean latency with one in flight.
    pub l0: Option<Nanos>,
    /// Time from one operation to the next with one in flight, or the most that a deeper level leaves for it.
    pub cycle: Option<Nanos>,
    /// The level that contradicts L0, with the time that stands for it.
    pub l0_doubted: Option<(u32, Nanos)>,
    /// More concurrency brings no more, by its own ramp or the one it follows.
    pub saturated: bool,
}

/// One body per stage that measured anything, in order of the plan.
fn bodies(record: &RunRecord, stages: &[Vec<Level>]) -> Vec<Body> {
    let knees: Vec<Knee> = stages.iter().zip(&record.plan.stages).map(|(l, s)| knee_of(record, l, s)).collect();
    let at_knee = |stage: usize| matches!(knees[stage], Knee::Between { .. });
    let follows = |stage: &Stage| {
        let name = stage.follows.as_ref()?;
        record.plan.stages.iter().position(|s| s.name == *name)
    };
    let judged = stages.iter().enumerate().filter(|(_, levels)| !levels.is_empty());
    judged
        .map(|(i, levels)| {
            let single = single::place(record, stages, i).map(|(stage, level)| &stages[stage][level]);
            let cycle = single.and_then(single::cycle);
            let doubted = cycle.and_then(|cycle| single::contradiction(levels, cycle));
            Body {
                stage: i,
                best: best_of(levels),
                chosen: chosen_of(levels),
                knee: knees[i].clone(),
                l0: single.and_then(|l| l.kept.latency().mean()),
                cycle: doubted.map(|c| c.at_most).or(cycle),
                l0_doubted: doubted.map(|c| (c.concurrency, c.at_most)),
                saturated: at_knee(i)
                    || follows(&record.plan.stages[i]).is_some_and(at_knee)
                    || chosen_of(levels).is_some_and(|l| levels[l].only_a_cap),
            }
        })
        .collect()
}

/// The highest rate.
fn best_of(levels: &[Level]) -> Option<usize> {
    let sound = (0..levels.len()).filter(|i| levels[*i].sound());
    sound.max_by(|a, b| levels[*a].rate().total_cmp(&levels[*b].rate()))
}

/// The level whose limit is asked for: the held one if it was measured as it should be, also if it did not settle, which
/// is then said instead of a limit; else the one that would have been held. A short level of the ramp is no better evidence than a long one that wavered: under a throttle
/// it may be all credit saved up before (6,640 of a cap of 6,000 IOPS were seen over 0.7 s).
fn chosen_of(levels: &[Level]) -> Option<usize> {
    let sound: Vec<usize> = (0..levels.len()).filter(|i| levels[*i].sound()).collect();
    let rates: Vec<(u32, f64)> = sound.iter().map(|i| (levels[*i].concurrency(), levels[*i].rate())).collect();
    let wavering = || levels.iter().position(|l| l.figures.hold && l.valid());
    held(levels).or_else(wavering).or_else(|| best_level(&rates).map(|i| sound[i]))
}

fn held(levels: &[Level]) -> Option<usize> {
    levels.iter().position(|l| l.figures.hold && l.sound())
}

fn knee_of(record: &RunRecord, levels: &[Level], stage: &Stage) -> Knee {
    if stage.role != StageRole::Ramp {
        return Knee::NotAsked;
    }
    // Levels under different limits are of different ramps.
    let caps = |l: &Level| l.steps.first().and_then(|i| last_caps(&record.steps[*i]));
    let changed = |l: &Level| l.figures.caveats.iter().any(|c| c == caveats::LIMIT_CHANGED);
    if levels.iter().any(changed) || levels.windows(2).any(|pair| caps(&pair[0]) != caps(&pair[1])) {
        return Knee::NotResolved;
    }
    // What others did beside one level and not beside another may be all that tells them apart: the knee weighs it.
    let ramp: Vec<RampLevel> = levels
        .iter()
        .filter(|l| !l.figures.hold && l.valid() && !cache::slowed_by_others(record, l))
        .map(|l| RampLevel {
            concurrency: l.concurrency(),
            rate: l.rate(),
            half: l.half,
            windows: l.windows.clone(),
            passes: l.passes.clone(),
            latency: l.figures.mean,
            others: (cache::foreign(record, l) + starved::lost(record, l)) * l.rate(),
        })
        .collect();
    knee(&ramp)
}

fn bind(record: &RunRecord, stages: &[Vec<Level>], bodies: &[Body]) -> Vec<Bound> {
    let points: Vec<Option<Point>> = bodies.iter().map(|b| point(record, &stages[b.stage], b)).collect();
    let known: Vec<Point> = points.iter().flatten().cloned().collect();
    let with_point = bodies.iter().zip(&points).filter(|(_, point)| point.is_some());
    let judged: Vec<&Level> = with_point.filter_map(|(b, _)| stages[b.stage].get(b.chosen?)).collect();
    let shown: Vec<&Level> =
        bodies.iter().filter_map(|b| stages[b.stage].get(b.chosen?).filter(|l| l.valid())).collect();
    let mut next = 0;
    bodies
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

fn point<'a>(record: &'a RunRecord, levels: &'a [Level], body: &Body) -> Option<Point<'a>> {
    let level = levels.get(body.chosen?).filter(|l| l.sound())?;
    let undisturbed = generator(record, level).strength != Strength::Strong && !cache::disturbed(level);
    let usable = undisturbed || level.only_a_cap || caps::at_any(record, level);
    Some(Point::of(level, body.saturated, usable && !cache::from_cache(level)))
}

fn pattern(record: &RunRecord, stages: &[Vec<Level>], body: &Body, bound: &Bound) -> PatternJudgement {
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
    let whole = level.seconds.iter().filter(|i| i.length >= Nanos(500_000_000));
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
