//! What each of several targets side by side had of the sum, and whether a limit of its own holds it.

use crate::judge::judge_one;
use model::{BindingKind, Judgement, LevelFigures, PatternJudgement, RunRecord, TargetShare};

/// Adds the shares of the targets to the judgement of their sum.
pub(crate) fn tell(record: &RunRecord, judgement: &mut Judgement) {
    let alone: Vec<Judgement> = (0..record.plan.targets.len()).map(|side| judge_one(&record.only(side))).collect();
    for pattern in &mut judgement.patterns {
        let Some(level) = judged_level(pattern) else { continue };
        let mut shares: Vec<TargetShare> = Vec::new();
        for (named, own) in record.plan.targets.iter().zip(&alone) {
            let Some(own) = own.patterns.iter().find(|p| p.stage == pattern.stage) else { continue };
            let Some(figures) = own.levels.iter().find(|l| same_level(l, level, alone.len())) else { continue };
            shares.push(TargetShare {
                name: named.name.clone(),
                iops: model::Iops(figures.iops.value),
                bandwidth: figures.bandwidth,
                share: 0.0,
                mean: figures.mean,
                p99: figures.p99,
                at: own_limit(own),
            });
        }
        let sum: f64 = shares.iter().map(|s| s.iops.0).sum();
        for share in &mut shares {
            share.share = if sum > 0.0 { share.iops.0 / sum } else { 0.0 };
        }
        pattern.shares = shares;
    }
}

/// The held level, else the best.
fn judged_level(pattern: &PatternJudgement) -> Option<&LevelFigures> {
    let held = pattern.levels.iter().find(|l| l.hold && l.struck.is_none());
    held.or_else(|| pattern.levels.get(pattern.best?))
}

/// A level of one target, and the level of the sum it was part of: the sum has the threads of all.
fn same_level(one: &LevelFigures, sum: &LevelFigures, targets: usize) -> bool {
    let threads = u64::from(one.threads) * targets as u64;
    one.hold == sum.hold && one.queue_depth == sum.queue_depth && threads == u64::from(sum.threads)
}

fn own_limit(pattern: &PatternJudgement) -> Option<String> {
    let binds = matches!(pattern.binding.kind, BindingKind::LimitIops | BindingKind::LimitBandwidth);
    binds.then(|| pattern.binding.names.join(", "))
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Rig, Run, randread};
    use model::{Bytes, NamedTarget, StageRole};

    /// Two targets at one level each, run together for ten seconds.
    fn two(rates: (f64, f64), limits: &[&str]) -> model::Judgement {
        let mut rig = Rig::new();
        for limit in limits {
            rig.declare(limit);
        }
        let (a, b) =
            (rig.stage("r", StageRole::Fixed, randread(8192)), rig.stage("r@b", StageRole::Fixed, randread(8192)));
        rig.step(a, Run::at(16, rates.0).seconds(10));
        rig.step(b, Run::at(16, rates.1).seconds(10));
        let mut record = rig.record();
        record.plan.stages[b].place = model::Place { with_previous: true, side: 1, ..model::Place::default() };
        // The rig runs steps one after the other.
        let shift = record.steps[1].start.0 - record.steps[0].start.0;
        for interval in &mut record.steps[1].intervals {
            interval.start.0 -= shift;
            interval.windows.iter_mut().for_each(|w| w.start.0 -= shift);
        }
        let named = |name: &str| NamedTarget { name: name.into(), target: record.plan.target.clone(), fill: Bytes(0) };
        record.plan.targets = vec![named("a"), named("b")];
        crate::judge(&record)
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
}
