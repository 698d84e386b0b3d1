//! Overview of the workloads, each with its representative level.

use model::judged::{LevelFigures, PatternJudgement};
use model::{Bytes, Judgement, plan::StageRole};

/// A workload and its representative level.
pub(crate) type Entry<'a> = (&'a PatternJudgement, &'a LevelFigures);

/// Returns the representative level of a workload: the first valid held level (the best level, measured again for
/// longer), because sustained performance is what counts; an invalid one if no held level is valid. Without a held level,
/// returns the fastest.
pub(crate) fn level(pattern: &PatternJudgement) -> Option<&LevelFigures> {
    let held = || pattern.levels.iter().filter(|l| l.hold);
    let best = || pattern.best.and_then(|i| pattern.levels.get(i));
    held().find(|l| l.struck.is_none()).or_else(|| held().next()).or_else(best).or(pattern.levels.last())
}

/// Returns what a workload does apart from the size of its operations: `randread`.
pub(crate) fn mode(pattern: &PatternJudgement) -> &str {
    pattern.label.split_once(' ').map_or("", |(_, mode)| mode)
}

/// Returns each workload once: ramps first, then probes of workloads without a ramp, then other block sizes.
pub(crate) fn entries(judgement: &Judgement) -> Vec<Entry<'_>> {
    let probe = |p: &PatternJudgement| p.role == StageRole::Probe;
    let elsewhere = |p: &PatternJudgement| judgement.patterns.iter().any(|o| !probe(o) && o.label == p.label);
    let order = |p: &PatternJudgement| match p.role {
        StageRole::Ramp => 0,
        StageRole::Probe => 1,
        StageRole::Fixed | StageRole::Sweep => 2,
    };
    let patterns = judgement.patterns.iter().filter(|p| !probe(p) || !elsewhere(p));
    let mut entries: Vec<Entry> = patterns.filter_map(|p| Some((p, level(p)?))).collect();
    // Sizes of one pattern are adjacent, from small to large.
    entries.sort_by_cached_key(|(p, _)| match order(p) {
        2 => (2, mode(p).to_owned(), p.mean_size),
        first => (first, String::new(), Bytes(0)),
    });
    entries
}

/// Returns `true` if the figures of a level are invalid, its rate was not constant, or a doubt applies to it.
pub(crate) fn is_doubted(level: &LevelFigures, caveats: &[model::Caveat]) -> bool {
    let doubted = |c: &model::Caveat| c.severity >= model::Severity::Doubt && level.caveats.contains(&c.id);
    level.struck.is_some() || level.steadiness.changed() || level.steadiness.unsettled() || caveats.iter().any(doubted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn an_invalid_held_level_gives_way_only_to_a_valid_held_one() {
        let (_, judgement) = fixture::capped();
        let mut pattern = judgement.patterns[3].clone();
        let at = pattern.levels.len() - 1;
        pattern.levels[at].struck = Some("hung".into());
        assert_eq!(level(&pattern), Some(&pattern.levels[at]), "the rate of a short level is not sustained");
        let again = LevelFigures { struck: None, ..pattern.levels[at].clone() };
        pattern.levels.push(again);
        assert_eq!(level(&pattern), pattern.levels.last());
    }

    #[test]
    fn each_workload_stands_once_and_by_its_held_level() {
        let (_, judgement) = fixture::capped();
        let entries = entries(&judgement);
        let mut labels: Vec<&str> = entries.iter().map(|(p, _)| p.label.as_str()).collect();
        labels.dedup();
        assert_eq!(labels.len(), entries.len());
        for (pattern, level) in entries {
            assert!(level.hold || pattern.levels.iter().all(|l| !l.hold), "{}", pattern.label);
        }
    }
}
