//! Stalls: stretches in which nothing completed although operations were in flight, listed one by one.
//!
//! A mean hides stalls. A percentile shows them only through the delayed operations, of which a closed loop issues few
//! during a stall. Rates here divide by real time, so a stall counts with its full length. In a mean of samples it does
//! not, because a sample of 28 s has the same weight as one of half a second (1,313 instead of 1,027 IOPS,
//! docs/design/foreign-results.md, "Their figures").

use crate::levels::figures::{Level, drain_of};
use messages::sentence;
use model::{Nanos, Op, RunRecord, Sentence, Severity, judged::Finding, measured::Window};

/// Minimum length of a stall. Shorter pauses are typical of throttles, whose slices are 100 ms long.
const SHORTEST: Nanos = Nanos::from_millis(250);
/// Minimum length of a stall as a multiple of the usual time between completions: a slow target completes nothing in
/// most windows.
const TIMES: f64 = 20.0;
/// Maximum number of stalls that are listed one by one.
const MOST_TOLD: usize = 5;

/// A stall: its start on the run's clock, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub at: Nanos,
    pub length: Nanos,
}

/// Returns the stalls of a level in order of time.
pub(crate) fn gaps(record: &RunRecord, level: &Level) -> Vec<Gap> {
    let usual = if level.rate() > 0.0 { 1.0 / level.rate() } else { return Vec::new() };
    let least = SHORTEST.max(Nanos::from_secs_f64(TIMES * usual));
    let mut gaps = Vec::new();
    // A load with intended pauses stalls on purpose.
    if level.job.workload.detail.think.is_some()
        || level.job.workload.pacing.rate().is_some_and(|r| r.per_second() < 100.0)
    {
        return gaps;
    }
    for step in level.steps.iter().map(|i| &record.steps[*i]) {
        let mut open: Option<Gap> = None;
        let drain = drain_of(step);
        for window in step.windows().filter(|w| w.start < drain) {
            match (&mut open, is_silent(window)) {
                // A stall continues only in the next window; nothing is known about a gap between two windows.
                (Some(gap), true)
                    if gap.at.as_nanos() + gap.length.as_nanos() + window.length.as_nanos()
                        >= window.start.as_nanos() =>
                {
                    gap.length = window.start + window.length - gap.at;
                }
                (_, true) => {
                    gaps.extend(open.take());
                    open = Some(Gap { at: window.start, length: window.length });
                }
                (_, false) => gaps.extend(open.take()),
            }
        }
        gaps.extend(open);
    }
    gaps.retain(|g| g.length >= least);
    gaps
}

fn is_silent(window: &Window) -> bool {
    window.total_ops() - window.ops[Op::Flush.index()] == 0 && window.errors == 0 && !window.length.is_zero()
}

/// Returns the finding that reports the stalls of a level.
pub(crate) fn finding(record: &RunRecord, label: &str, level: &Level) -> Option<Finding> {
    let gaps = gaps(record, level);
    let longest = gaps.iter().map(|g| g.length).max()?;
    let total = gaps.iter().map(|g| g.length).sum::<Nanos>();
    let measured: f64 =
        level.steps.iter().flat_map(|i| record.steps[*i].windows()).map(|w| w.length.secs()).sum::<f64>().max(1e-9);
    let start = record.steps[level.steps[0]].start;
    let one = |gap: &Gap| sentence!("seen-stall", length = gap.length, at = gap.at.since(start));
    let mut evidence: Vec<Sentence> = gaps.iter().take(MOST_TOLD).map(one).collect();
    if gaps.len() > MOST_TOLD {
        evidence.push(sentence!("seen-more-stalls", n = gaps.len() - MOST_TOLD));
    }
    let share = format!("{:.1}", total.secs() / measured * 100.0);
    evidence.push(sentence!("seen-stalled", total, measured = format!("{measured:.1}"), share));
    Some(Finding {
        id: "stalls".into(),
        severity: Severity::Doubt,
        statement: sentence!("found-stalls", label, n = gaps.len(), longest),
        evidence,
        remedy: sentence!("remedy-stalls"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::plan::StageRole;

    /// Returns a run in which the given windows are silent.
    fn silent(windows: &[std::ops::Range<usize>]) -> RunRecord {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(8, 3000.0).seconds(10));
        let mut record = rig.record();
        let measured = record.steps[0].intervals.iter_mut().flat_map(|i| &mut i.windows);
        for (i, window) in measured.enumerate() {
            if windows.iter().any(|r| r.contains(&i)) {
                window.ops = [0; 4];
            }
        }
        record
    }

    fn found(record: &RunRecord) -> Vec<(f64, f64)> {
        let stages = crate::levels::figures::levels(record);
        let start = record.steps[0].start;
        gaps(record, &stages[0][0]).iter().map(|g| (g.at.since(start).secs(), g.length.secs())).collect()
    }

    #[test]
    fn every_stall_is_listed_with_its_time_and_length() {
        assert_eq!(found(&silent(&[20..30, 55..58, 97..100])), [(2.0, 1.0), (5.5, 0.3), (9.7, 0.3)]);
        let judgement = crate::judge::judge(&silent(&[20..30, 55..58]));
        let f = judgement.findings.iter().find(|f| f.id == "stalls").expect("a finding");
        assert!(f.statement.contains("stalled 2 times, for up to 1.00 s"), "{}", f.statement);
        assert_eq!(f.evidence[0], "1.00 s long, 2.00 s after the start of its step");
        assert!(f.evidence[2].contains("1.30 s of 10.0 s in total: 13.0 %"), "{:?}", f.evidence);
    }

    #[test]
    fn a_stall_up_to_the_end_is_told_though_the_level_is_struck() {
        let judgement = crate::judge::judge(&silent(std::slice::from_ref(&(92..100))));
        assert!(judgement.patterns[0].levels[0].struck.is_some(), "{:?}", judgement.patterns[0].levels[0]);
        let f = judgement.findings.iter().find(|f| f.id == "stalls").expect("a finding");
        assert_eq!(f.evidence[0], "800 ms long, 9.20 s after the start of its step");
    }

    #[test]
    fn the_pulse_of_a_throttle_and_a_slow_target_are_no_stalls() {
        assert_eq!(found(&silent(&[20..22, 50..52])), []);
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(1, 2.0).seconds(20));
        assert_eq!(found(&rig.record()), []);
    }
}
