//! What a stage measured of its pattern: the best level, the one judged, the knee, and the latency with one in flight.

use crate::levels::figures::{Level, last_caps};
use crate::limits::single;
use crate::validity::cpu::starved;
use crate::validity::{cache, caveats};
use model::{Knee, Nanos, RunRecord, Stage, StageRole};
use statistics::ramp::{RampLevel, best_level, knee};

/// What is known of a pattern before the question of its limit.
pub(crate) struct MeasuredPattern {
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

/// One per stage that measured anything, in order of the plan.
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
