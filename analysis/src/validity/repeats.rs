//! Loops: the same step run several times in a row, as disk mark tools do. Checks whether the loops agree.
//!
//! The best of several loops is the least disturbed one, but it is also the one that benefits most from a burst, a
//! cache or zeros. Each of these is reported with its figures.

use messages::sentence;
use model::plan::{Filling, StageRole, TargetKind};
use model::record::{Step, StepStop};
use model::{Bytes, BytesPerSecond, Caveat, Nanos, RunRecord, Sentence, Severity, Stage};

/// Minimum factor by which all loops before a drop exceed all later ones if it is a change of level and not noise.
const FALL: f64 = 1.15;
/// Minimum number of loops at a level, to the end of the series: a rate that only one loop reached is not a level.
const STAYS: usize = 2;
/// Maximum difference between the fastest and the slowest loop, as a share of the median loop.
const APART: f64 = 0.25;
/// Size of large disk and controller caches; smaller files may stay in them.
const DEVICE_CACHE: u64 = 512 << 20;

/// Returns `true` if a stage belongs to a series of loops: it runs alone, as planned.
fn is_loop(stage: &Stage) -> bool {
    let place = &stage.place;
    stage.role == StageRole::Fixed && !place.with_previous && place.section.is_none() && place.after.is_none()
}

fn same(a: &Stage, b: &Stage) -> bool {
    (a.job.queue_depth, a.job.threads) == (b.job.queue_depth, b.job.threads)
        && a.job.workload == b.job.workload
        && a.job.target == b.job.target
}

/// Returns `true` if a run consists only of loops.
pub(crate) fn made_of_loops(record: &RunRecord) -> bool {
    !record.plan.stages.is_empty() && record.plan.stages.iter().all(is_loop)
}

/// Returns the complete steps of each series of equal stages, with their rates.
fn series(record: &RunRecord) -> Vec<Vec<(usize, f64)>> {
    let stages = &record.plan.stages;
    let mut series: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut last: Option<usize> = None;
    for (i, step) in record.steps.iter().enumerate().filter(|(_, s)| is_whole(s)) {
        let Some(stage) = stages.get(step.stage).filter(|s| is_loop(s)) else { continue };
        let rate = step.total().bandwidth().per_second();
        match last {
            Some(before) if same(&stages[before], stage) && before != step.stage => {
                series.last_mut().expect("one was begun").push((i, rate));
            }
            _ => series.push(vec![(i, rate)]),
        }
        last = Some(step.stage);
    }
    series
}

fn is_whole(step: &Step) -> bool {
    step.end.as_ref().is_some_and(|e| matches!(e.stop, StepStop::Time | StepStop::Count | StepStop::Steady))
}

/// Returns the doubts from comparing the loops of each series; each refers to the first step of its series.
pub(crate) fn doubts(record: &RunRecord) -> Vec<Caveat> {
    let mut caveats: Vec<Caveat> = series(record).iter().filter_map(|loops| apart(loops)).collect();
    caveats.extend(compressible(record));
    caveats
}

fn apart(loops: &[(usize, f64)]) -> Option<Caveat> {
    let rates: Vec<f64> = loops.iter().map(|(_, rate)| *rate).collect();
    let caveat = fall(&rates).or_else(|| rise(&rates)).or_else(|| spread(&rates))?;
    Some(caveat.at_step(loops[0].0))
}

/// Returns the lowest and the highest rate.
fn bounds(rates: &[f64]) -> (f64, f64) {
    (rates.iter().copied().fold(f64::INFINITY, f64::min), rates.iter().copied().fold(0.0, f64::max))
}

/// Formats a range: `141.0 MB/s`, `141.0 to 142.2 MB/s`.
fn range(rates: &[f64]) -> Sentence {
    let (low, high) = bounds(rates);
    let (low, high) = (BytesPerSecond(low).to_string(), BytesPerSecond(high).to_string());
    if low == high { high.into() } else { sentence!("seen-range", low, high) }
}

/// Formats a range with its number of loops: `141.0 MB/s in 3 loops`.
fn in_loops(rates: &[f64]) -> Sentence {
    sentence!("seen-loops", rates = range(rates), n = rates.len())
}

/// Reports first loops that are all faster than the later ones: some credit or cache was used up.
fn fall(rates: &[f64]) -> Option<Caveat> {
    let ends = 1..rates.len().saturating_sub(STAYS - 1);
    let at = ends.into_iter().find(|k| bounds(&rates[..*k]).0 > FALL * bounds(&rates[*k..]).1)?;
    let first = sentence!("seen-first-loops", rates = range(&rates[..at]), n = at);
    let evidence = sentence!("seen-then", first, then = in_loops(&rates[at..]));
    Some(Caveat::new("burst", Severity::Doubt, sentence!("doubt-burst"), evidence).remedy(sentence!("remedy-burst")))
}

/// Reports first loops that are all slower than the later ones: a cache was warmed.
fn rise(rates: &[f64]) -> Option<Caveat> {
    let ends = 1..rates.len().saturating_sub(STAYS - 1);
    let at = ends.into_iter().find(|k| FALL * bounds(&rates[..*k]).1 < bounds(&rates[*k..]).0)?;
    let evidence = sentence!("seen-then", first = in_loops(&rates[..at]), then = range(&rates[at..]));
    Some(
        Caveat::new("faster-later", Severity::Doubt, sentence!("doubt-faster-later"), evidence)
            .remedy(sentence!("remedy-faster-later")),
    )
}

fn spread(rates: &[f64]) -> Option<Caveat> {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = *sorted.get(sorted.len() / 2)?;
    let (low, high) = bounds(rates);
    (high - low > APART * middle).then(|| {
        Caveat::new("loops-differ", Severity::Doubt, sentence!("doubt-loops-differ"), in_loops(rates))
            .remedy(sentence!("remedy-loops-differ"))
    })
}

/// Reports zeros or one repeated block: storage that compresses or deduplicates looks faster than it is.
fn compressible(record: &RunRecord) -> Option<Caveat> {
    let zeros = |s: &Step| s.job.workload.detail.contents.kind == Filling::Zero && is_loop(record.stage_of(s));
    let n = record.steps.iter().filter(|s| zeros(s)).count();
    (n > 0).then(|| {
        Caveat::new(
            "compressible-data",
            Severity::Doubt,
            sentence!("doubt-compressible-data"),
            sentence!("seen-zeros-hold", size = record.plan.target.size),
        )
        .remedy(sentence!("remedy-compressible-data"))
    })
}

/// Reports a file that device caches can hold, and the number of passes over it. Only for runs that consist of loops:
/// other runs choose their size themselves.
pub(crate) fn too_small(record: &RunRecord) -> Option<Caveat> {
    let target = &record.plan.target;
    if !made_of_loops(record)
        || !target.direct
        || target.kind == TargetKind::Null
        || target.size.as_u64() >= DEVICE_CACHE
    {
        return None;
    }
    let moved: u64 = record.steps.iter().map(|s| s.total().bytes().as_u64()).fold(0, u64::saturating_add);
    let times = moved as f64 / (target.size.as_u64() as f64).max(1.0);
    let time: u64 = record.steps.iter().map(|s| s.total().length.as_nanos()).sum();
    (times >= 2.0).then(|| {
        Caveat::new(
            "too-small",
            Severity::Doubt,
            sentence!("doubt-too-small"),
            sentence!("seen-gone-through", size = target.size, n = format!("{times:.0}"), time = Nanos(time)),
        )
        .remedy(sentence!("remedy-larger", size = Bytes(DEVICE_CACHE * 2).short()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};

    /// Returns loops of one test at these rates (operations per second).
    fn run(rates: &[f64]) -> Rig {
        let mut rig = Rig::new();
        for (i, rate) in rates.iter().enumerate() {
            let stage = rig.stage(&format!("loop-{i}"), StageRole::Fixed, randread(8192));
            rig.step(stage, Run::at(1, *rate));
        }
        rig
    }

    fn ids(rates: &[f64]) -> Vec<String> {
        doubts(&run(rates).record()).into_iter().map(|c| c.id).collect()
    }

    #[test]
    fn loops_that_agree_raise_no_doubt() {
        assert!(ids(&[6000.0, 6050.0, 5950.0, 6010.0, 5990.0]).is_empty());
        assert!(ids(&[6000.0]).is_empty());
        assert!(ids(&[]).is_empty());
    }

    #[test]
    fn a_first_loop_that_stands_above_all_others_is_a_burst() {
        let caveats = doubts(&run(&[6000.0, 3000.0, 3010.0, 2990.0]).record());
        assert_eq!(caveats.len(), 1);
        assert_eq!((caveats[0].id.as_str(), caveats[0].step), ("burst", Some(0)));
        assert!(caveats[0].evidence.contains("in the first loop, then 24."), "{}", caveats[0].evidence);
        assert_eq!(ids(&[6000.0, 6100.0, 3000.0, 3010.0, 2990.0]), ["burst"]);
    }

    #[test]
    fn loops_that_become_faster_may_have_a_cache() {
        assert_eq!(ids(&[3000.0, 6000.0, 6010.0, 5990.0]), ["faster-later"]);
        assert_eq!(ids(&[3000.0, 3000.0, 6000.0]), ["loops-differ"], "one loop is no level");
        assert_eq!(ids(&[6000.0, 3000.0]), ["loops-differ"]);
        assert_eq!(ids(&[6000.0, 5200.0]), Vec::<String>::new());
    }

    #[test]
    fn loops_that_only_differ_are_said_to() {
        assert_eq!(ids(&[6000.0, 4000.0, 6010.0, 5990.0, 4100.0]), ["loops-differ"]);
    }

    #[test]
    fn another_test_begins_another_series() {
        let mut rig = Rig::new();
        for (name, size, rate) in [("a", 4096, 6000.0), ("b", 8192, 3000.0), ("c", 8192, 3000.0)] {
            let stage = rig.stage(name, StageRole::Fixed, randread(size));
            rig.step(stage, Run::at(1, rate));
        }
        assert!(doubts(&rig.record()).is_empty());
    }

    #[test]
    fn jobs_that_run_together_are_no_loops() {
        let mut rig = run(&[6000.0, 3000.0]).record();
        rig.plan.stages[1].place.with_previous = true;
        assert!(doubts(&rig).is_empty());
    }

    #[test]
    fn a_loop_that_was_cut_short_is_not_compared() {
        let mut record = run(&[6000.0, 6000.0, 1000.0]).record();
        record.steps[2].end.as_mut().unwrap().stop = StepStop::Signal;
        assert!(doubts(&record).is_empty());
        record.steps[2].end = None;
        assert!(doubts(&record).is_empty());
    }

    #[test]
    fn zeros_are_said_to_be_zeros() {
        let mut record = run(&[6000.0, 6000.0]).record();
        for step in &mut record.steps {
            step.job.workload.detail.contents.kind = Filling::Zero;
        }
        let caveats = doubts(&record);
        assert_eq!(caveats.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["compressible-data"]);
    }

    #[test]
    fn a_small_file_that_was_gone_through_often_is_doubted() {
        let mut rig = run(&[6000.0, 6000.0]);
        rig.target().size = Bytes::from_mib(16);
        let record = rig.record();
        let caveat = too_small(&record).unwrap();
        assert!(caveat.evidence.starts_with("16 MiB was accessed 23 times in 8.00 s"), "{}", caveat.evidence);
        assert!(too_small(&run(&[6000.0]).record()).is_none(), "64 GiB");
        let mut ramped = record.clone();
        ramped.plan.stages[0].role = StageRole::Ramp;
        assert!(too_small(&ramped).is_none());
    }
}
