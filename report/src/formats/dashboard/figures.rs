//! What stands beside a run in a list: one workload's figures, as its judgement has them.

use crate::figures::megabytes;
use model::{BytesPerSecond, Iops, Judgement, LevelFigures, Nanos, Outcome, PatternJudgement, StageRole, thousands};
use serde::Serialize;

/// The figures of a run that tell most in the least room.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headline {
    /// Whether its needs were met; without needs, whether it can be trusted.
    pub outcome: Outcome,
    /// Needs it was held against.
    pub needs: usize,
    /// Whose figures these are: `8k randread × 16`; empty where there are none.
    pub label: String,
    /// Workloads beside that one.
    pub more: usize,
    /// Operations per second.
    pub iops: Option<f64>,
    /// Bytes per second.
    pub bandwidth: Option<f64>,
    /// Latency in nanoseconds that one of a hundred operations exceeds.
    pub p99_ns: Option<u64>,
    /// The same three for reading; empty where there is none.
    pub shown: [String; 3],
}

impl Headline {
    /// Of a judged run: of a database the last wave; else the first ramp at its held or best level, else the first workload.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Headline {
        let mut headline = Headline {
            outcome: judgement.outcome,
            needs: judgement.needs.len(),
            label: String::new(),
            more: 0,
            iops: None,
            bandwidth: None,
            p99_ns: None,
            shown: Default::default(),
        };
        let waves = judgement.database.as_ref().map(|d| d.waves.as_slice()).unwrap_or_default();
        if let Some(wave) = waves.last() {
            headline.label = format!("{} × {}", wave.class, wave.processes);
            headline.more = waves.len() - 1;
            if let Some(waited) = wave.waited() {
                headline.put(waited.rate, None, waited.p99.value());
            }
        } else if let Some((pattern, level)) = leading(&judgement.patterns) {
            headline.label = format!("{} × {}", pattern.label, level.concurrency());
            headline.more = judgement.patterns.iter().filter(|p| p.role != StageRole::Probe).count().max(1) - 1;
            headline.put(Iops(level.iops.value), Some(level.bandwidth), level.p99.value());
        }
        headline
    }

    fn put(&mut self, iops: Iops, bandwidth: Option<BytesPerSecond>, p99: Option<Nanos>) {
        (self.iops, self.bandwidth, self.p99_ns) = (Some(iops.0), bandwidth.map(|b| b.0), p99.map(|n| n.0));
        self.shown = [
            thousands(iops.0),
            bandwidth.map(megabytes).unwrap_or_default(),
            p99.map(|n| n.to_string()).unwrap_or_default(),
        ];
    }
}

fn leading(patterns: &[PatternJudgement]) -> Option<(&PatternJudgement, &LevelFigures)> {
    let of = |role: StageRole| patterns.iter().find(|p| p.role == role);
    let pattern = of(StageRole::Ramp).or(of(StageRole::Fixed)).or(patterns.first())?;
    let held = pattern.levels.iter().rev().find(|l| l.hold && l.struck.is_none());
    let level = held.or_else(|| pattern.levels.get(pattern.best?)).or(pattern.levels.last())?;
    Some((pattern, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_held_level_of_the_first_ramp_speaks_for_a_run() {
        let (_, judgement) = crate::fixture::capped();
        let headline = Headline::of(&judgement);
        assert_eq!((headline.label.as_str(), headline.more), ("8k randread × 16", 5));
        assert_eq!(headline.iops, judgement.patterns[3].levels.iter().find(|l| l.hold).map(|l| l.iops.value));
        assert!(headline.shown.iter().all(|s| !s.is_empty()), "{headline:?}");
    }

    #[test]
    fn a_run_without_figures_has_none() {
        let (_, mut judgement) = crate::fixture::capped();
        judgement.patterns.clear();
        let headline = Headline::of(&judgement);
        assert_eq!((headline.label.as_str(), headline.iops), ("", None));
    }
}
