//! Measurements of a stage's pattern: the best level, the judged level, the knee, and the latency with one operation in
//! flight.

use crate::levels::figures::{Level, last_caps};
use crate::limits::single;
use crate::validity::cpu::starved;
use crate::validity::{cache, caveats};
use model::{Nanos, RunRecord, Stage, judged::Knee, plan::StageRole};
use statistics::ramp::{RampLevel, best_level, knee};

/// Measurements of a pattern before its limit is determined.
pub(crate) struct MeasuredPattern {
    /// Index of its stage.
    pub stage: usize,
    /// Index of the level with the highest rate.
    pub best: Option<usize>,
    /// Index of the judged level.
    pub chosen: Option<usize>,
    pub knee: Knee,
    /// Mean latency with one operation in flight.
    pub l0: Option<Nanos>,
    /// Time from one operation to the next with one in flight, or the upper bound that a level at a greater depth sets.
    pub cycle: Option<Nanos>,
    /// Concurrency of the level that contradicts L0, and the time used instead.
    pub l0_doubted: Option<(u32, Nanos)>,
    /// True if more concurrency does not raise the rate, according to its own ramp or the ramp that it follows.
    pub saturated: bool,
}

/// Returns one entry for each stage with measurements, in the order of the plan.
pub(super) fn measured_patterns(record: &RunRecord, stages: &[Vec<Level>]) -> Vec<MeasuredPattern> {
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
            MeasuredPattern {
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

/// Returns the level with the highest rate.
fn best_of(levels: &[Level]) -> Option<usize> {
    let sound = (0..levels.len()).filter(|i| levels[*i].sound());
    sound.max_by(|a, b| levels[*a].rate().total_cmp(&levels[*b].rate()))
}

/// Returns the level whose limit is judged. This is the sustained level if it was measured properly, even if it did not
/// settle, which is then reported instead of a limit. Otherwise it is the level that would have been sustained. A short
/// level of the ramp is not better evidence than a long one that varied: under a throttle, its whole rate may come from
/// credit saved up before (6,640 at a cap of 6,000 IOPS over 0.7 s).
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
    // Levels under different limits belong to different ramps.
    let caps = |l: &Level| l.steps.first().and_then(|i| last_caps(&record.steps[*i]));
    let changed = |l: &Level| l.figures.caveats.iter().any(|c| c == caveats::LIMIT_CHANGED);
    if levels.iter().any(changed) || levels.windows(2).any(|pair| caps(&pair[0]) != caps(&pair[1])) {
        return Knee::NotResolved;
    }
    // Activity of others during some levels may be the only difference between them: the knee takes it into account.
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
