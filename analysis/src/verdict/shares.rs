//! Each target's share of the sum if several run side by side, and the limit that binds it: its own, or one shared with
//! some of the others.

use super::workloads::judge_workloads;
use model::judged::{BindingKind, LevelFigures, PatternJudgement, TargetShare};
use model::{Judgement, RunRecord};
use std::collections::BTreeSet;

/// Adds the shares of the targets to the judgement of their sum.
pub(crate) fn add_shares(record: &RunRecord, judgement: &mut Judgement) {
    let alone: Vec<Judgement> =
        (0..record.plan.targets.len()).map(|side| judge_workloads(&record.only(&[side]))).collect();
    let some: Vec<(Vec<usize>, Judgement)> = groups(record)
        .into_iter()
        .map(|sides| {
            let judged = judge_workloads(&record.only(&sides).joint());
            (sides, judged)
        })
        .collect();
    for pattern in &mut judgement.patterns {
        let Some(level) = judged_level(pattern) else { continue };
        let mut shares: Vec<TargetShare> = Vec::new();
        for (side, (named, own)) in record.plan.targets.iter().zip(&alone).enumerate() {
            let Some(same_pattern) = own.patterns.iter().find(|p| p.stage == pattern.stage) else { continue };
            let Some(figures) = same_pattern.levels.iter().find(|l| same_level(l, level, alone.len())) else {
                continue;
            };
            shares.push(TargetShare {
                name: named.name.clone(),
                iops: model::Iops(figures.iops.value),
                bandwidth: figures.bandwidth,
                share: 0.0,
                mean: figures.mean,
                p99: figures.p99,
                at: own_limit(same_pattern).or_else(|| shared_limit(record, &some, side, &pattern.stage)),
            });
        }
        let sum: f64 = shares.iter().map(|s| s.iops.per_second()).sum();
        for share in &mut shares {
            share.share = if sum > 0.0 { share.iops.per_second() / sum } else { 0.0 };
        }
        pattern.shares = shares;
    }
}

/// Returns the sustained level, or else the best.
fn judged_level(pattern: &PatternJudgement) -> Option<&LevelFigures> {
    let held = pattern.levels.iter().find(|l| l.hold && l.struck.is_none());
    held.or_else(|| pattern.levels.get(pattern.best?))
}

/// Returns `true` if a level of one target is part of a level of the sum, which has the threads of all targets.
fn same_level(one: &LevelFigures, sum: &LevelFigures, targets: usize) -> bool {
    let threads = u64::from(one.threads) * targets as u64;
    one.hold == sum.hold && one.queue_depth == sum.queue_depth && threads == u64::from(sum.threads)
}

/// Returns the sets of targets, by index, that share a limit which does not apply to all of them.
fn groups(record: &RunRecord) -> BTreeSet<Vec<usize>> {
    let targets = &record.plan.targets;
    let limits = record.plan.limits.iter().chain(&record.preflight.limits);
    let sides = limits.map(|l| (0..targets.len()).filter(|i| l.on.contains(&targets[*i].name)).collect::<Vec<usize>>());
    sides.filter(|sides| sides.len() > 1 && sides.len() < targets.len()).collect()
}

/// Returns the limit that binds the sum of this target and some of the others: `disk IOPS of A + B`.
fn shared_limit(record: &RunRecord, some: &[(Vec<usize>, Judgement)], side: usize, stage: &str) -> Option<String> {
    some.iter().filter(|(sides, _)| sides.contains(&side)).find_map(|(sides, judged)| {
        let limit = own_limit(judged.patterns.iter().find(|p| p.stage == stage)?)?;
        let names: Vec<&str> = sides.iter().map(|i| record.plan.targets[*i].name.as_str()).collect();
        Some(format!("{limit} of {}", names.join(" + ")))
    })
}

fn own_limit(pattern: &PatternJudgement) -> Option<String> {
    let binds = matches!(pattern.binding.kind, BindingKind::LimitIops | BindingKind::LimitBandwidth);
    binds.then(|| pattern.binding.names.join(", "))
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Rig, Run, randread};
    use model::Bytes;
    use model::plan::{NamedTarget, StageRole};

    /// Judges two targets that run together.
    fn two(rates: (f64, f64), limits: &[&str]) -> model::Judgement {
        several(&[("a", rates.0), ("b", rates.1)], limits)
    }

    /// Judges targets at one level each, run together for ten seconds.
    fn several(sides: &[(&str, f64)], limits: &[&str]) -> model::Judgement {
        let mut rig = Rig::new();
        for limit in limits {
            rig.declare(limit);
        }
        for (name, rate) in sides {
            let stage = rig.stage(&format!("r@{name}"), StageRole::Fixed, randread(8192));
            rig.step(stage, Run::at(16, *rate).seconds(10));
        }
        let mut record = rig.record();
        // The rig runs the steps one after the other.
        let first = record.steps[0].start;
        for (side, step) in record.steps.iter_mut().enumerate() {
            let with_previous = side > 0;
            record.plan.stages[step.stage].place =
                model::plan::StagePlacement { with_previous, side, ..model::plan::StagePlacement::default() };
            let shift = step.start - first;
            for interval in &mut step.intervals {
                interval.start -= shift;
                interval.windows.iter_mut().for_each(|w| w.start -= shift);
            }
        }
        let target = record.plan.target.clone();
        let named =
            |(name, _): &(&str, f64)| NamedTarget { name: (*name).into(), target: target.clone(), fill: Bytes(0) };
        record.plan.targets = sides.iter().map(named).collect();
        crate::judge::judge(&record)
    }

    #[test]
    fn a_shared_cap_is_found_by_the_sum_and_shares_are_told() {
        let judged = two((4000.0, 2000.0), &["instance iops=6000"]);
        let pattern = &judged.patterns[0];
        assert_eq!(pattern.binding.names, ["instance IOPS"], "{:?}", pattern.binding);
        let shares: Vec<(String, i32)> =
            pattern.shares.iter().map(|s| (s.name.clone(), (s.share * 100.0).round() as i32)).collect();
        assert_eq!(shares, [("a".to_owned(), 67), ("b".to_owned(), 33)]);
        assert!(pattern.shares.iter().all(|s| s.at.is_none()), "no limit of their own binds them");
        assert!((pattern.levels[0].iops.value - 6000.0).abs() < 20.0);
    }

    #[test]
    fn where_every_target_is_at_its_own_cap_the_sum_is_at_theirs() {
        let judged = two((3000.0, 1000.0), &["volume on=a iops=3000", "volume on=b iops=1000", "instance iops=6000"]);
        let pattern = &judged.patterns[0];
        assert_eq!(pattern.binding.names, ["volume of a + b IOPS"], "{:?}", pattern.binding);
        let at: Vec<Option<&str>> = pattern.shares.iter().map(|s| s.at.as_deref()).collect();
        assert_eq!(at, [Some("volume IOPS"), Some("volume IOPS")]);
    }

    #[test]
    fn a_limit_of_one_target_is_none_of_the_sum() {
        let judged = two((3000.0, 3000.0), &["volume on=a iops=6000"]);
        let pattern = &judged.patterns[0];
        assert!(!pattern.binding.names.iter().any(|n| n.contains("volume")), "{:?}", pattern.binding);
    }

    #[test]
    fn a_cap_that_some_of_the_targets_share_is_told_of_these() {
        let judged = several(&[("a", 4000.0), ("b", 2000.0), ("c", 5000.0)], &["disk on=a+b iops=6000"]);
        let pattern = &judged.patterns[0];
        assert!(!pattern.binding.names.iter().any(|n| n.contains("disk")), "{:?}", pattern.binding);
        let at: Vec<Option<&str>> = pattern.shares.iter().map(|s| s.at.as_deref()).collect();
        assert_eq!(at, [Some("disk IOPS of a + b"), Some("disk IOPS of a + b"), None]);
        let judgement = several(&[("a", 4000.0), ("b", 2000.0)], &["disk on=a+b iops=6000"]);
        assert_eq!(judgement.patterns[0].binding.names, ["disk IOPS"], "{:?}", judgement.patterns[0].binding);
    }
}
