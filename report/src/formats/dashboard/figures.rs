//! Figures shown next to a run in a list: those of one workload, taken from the judgement.

use crate::overview;
use crate::widgets::figures::megabytes;
use messages::{Language, Message, message};
use model::judged::{LevelFigures, Outcome, PatternJudgement};
use model::{BytesPerSecond, Iops, Judgement, Nanos, plan::StageRole, units::thousands};
use serde::Serialize;

/// The most informative figures of a run, for a single row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headline {
    /// Outcome of the needs. Without needs, it shows whether the run can be trusted.
    pub outcome: Outcome,
    /// Number of needs that the run was judged against.
    pub needs: usize,
    /// Workload and concurrency of these figures, such as `8k randread × 16`; empty if there are none.
    pub label: String,
    /// Number of other workloads in the run.
    pub more: usize,
    /// I/O operations per second; `None` for a database's own operations.
    pub iops: Option<f64>,
    /// Operations per second of a database, and the kind of these operations; 0 and empty for other runs.
    pub rate: (f64, &'static str),
    /// Bandwidth, in bytes per second.
    pub bandwidth: Option<f64>,
    /// 99th percentile of latency, in nanoseconds.
    pub p99_ns: Option<u64>,
    /// Rate, bandwidth and p99 formatted for display; empty if there is no figure, a dash if the figures are not valid.
    pub shown: [String; 3],
}

impl Headline {
    /// Returns the headline of a judged run, formatted in `language`. The last wave represents a database run. For
    /// other runs, it is the held or best level of the first ramp, or the first workload if there is no ramp.
    #[must_use]
    pub fn new(judgement: &Judgement, language: Language) -> Headline {
        let mut headline = Headline {
            outcome: judgement.outcome,
            needs: judgement.needs.len(),
            label: String::new(),
            more: 0,
            iops: None,
            rate: (0.0, ""),
            bandwidth: None,
            p99_ns: None,
            shown: Default::default(),
        };
        let waves = judgement.database().map(|d| d.waves.as_slice()).unwrap_or_default();
        if let Some(wave) = waves.last() {
            headline.label = format!("{} × {}", wave.class, wave.processes);
            headline.more = waves.len() - 1;
            if let Some((name, waited)) = wave.waited_kind() {
                headline.rate = (waited.rate.map_or(0.0, |rate| rate.per_second()), name.name());
                headline.p99_ns = waited.p99.value().map(|n| n.as_nanos());
                let kind = Message::new(crate::kinds::words::kind(name));
                let shown = match waited.rate {
                    Some(rate) => message!("listed-rate", rate = thousands(rate.per_second()), kind),
                    None => message!("listed-no-rate", kind),
                };
                headline.shown[0] = messages::format(language, &shown);
                headline.shown[2] = waited.p99.value().map(|n| n.to_string()).unwrap_or_default();
            }
        } else if let Some((pattern, level)) = leading(&judgement.patterns) {
            headline.label = format!("{} × {}", pattern.label, level.concurrency());
            headline.more = judgement.patterns.iter().filter(|p| p.role != StageRole::Probe).count().max(1) - 1;
            match level.struck {
                None => headline.put(Iops(level.iops.value), level.bandwidth, level.p99.value()),
                // Empty cells would look as if the figures were still to come.
                Some(_) => headline.shown = std::array::from_fn(|_| "–".to_owned()),
            }
        }
        headline
    }

    fn put(&mut self, iops: Iops, bandwidth: BytesPerSecond, p99: Option<Nanos>) {
        (self.iops, self.bandwidth, self.p99_ns) =
            (Some(iops.per_second()), Some(bandwidth.per_second()), p99.map(|n| n.as_nanos()));
        self.shown =
            [thousands(iops.per_second()), megabytes(bandwidth), p99.map(|n| n.to_string()).unwrap_or_default()];
    }
}

fn leading(patterns: &[PatternJudgement]) -> Option<(&PatternJudgement, &LevelFigures)> {
    let having_role = |role: StageRole| patterns.iter().find(|p| p.role == role);
    let pattern = having_role(StageRole::Ramp).or(having_role(StageRole::Fixed)).or(patterns.first())?;
    Some((pattern, overview::level(pattern)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_held_level_of_the_first_ramp_speaks_for_a_run() {
        let (_, judgement) = crate::fixture::capped();
        let headline = Headline::new(&judgement, Language::English);
        assert_eq!((headline.label.as_str(), headline.more), ("8k randread × 16", 5));
        assert_eq!(headline.iops, judgement.patterns[3].levels.iter().find(|l| l.hold).map(|l| l.iops.value));
        assert!(headline.shown.iter().all(|s| !s.is_empty()), "{headline:?}");
    }

    #[test]
    fn an_invalid_held_level_is_a_dash_as_in_reports() {
        let (_, mut judgement) = crate::fixture::capped();
        judgement.patterns[3].levels.iter_mut().filter(|l| l.hold).for_each(|l| l.struck = Some("hung".into()));
        let headline = Headline::new(&judgement, Language::English);
        assert_eq!((headline.label.as_str(), headline.iops), ("8k randread × 16", None));
    }

    #[test]
    fn figures_that_are_not_valid_are_a_dash() {
        let (_, mut judgement) = crate::fixture::capped();
        judgement.patterns.iter_mut().flat_map(|p| &mut p.levels).for_each(|l| l.struck = Some("host-busy".into()));
        let headline = Headline::new(&judgement, Language::English);
        assert_eq!((headline.iops, headline.p99_ns, headline.shown), (None, None, ["–", "–", "–"].map(str::to_owned)));
    }

    #[test]
    fn what_a_database_did_is_no_iops() {
        let record = analysis::database_fixture::updates();
        let headline = Headline::new(&analysis::judge(&record), Language::English);
        assert_eq!((headline.iops, headline.bandwidth, headline.rate.1), (None, None, "transactions"));
        assert!(headline.shown[0].ends_with(" transactions/s") && headline.shown[1].is_empty(), "{headline:?}");
        assert!(headline.rate.0 > 0.0 && headline.p99_ns.is_some());
    }

    #[test]
    fn a_run_without_figures_has_none() {
        let (_, mut judgement) = crate::fixture::capped();
        judgement.patterns.clear();
        let headline = Headline::new(&judgement, Language::English);
        assert_eq!((headline.label.as_str(), headline.iops), ("", None));
    }
}
