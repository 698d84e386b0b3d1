//! `secchi db ramp`: processes raised level by level until a rule ends it, and the highest level that is accepted.

use super::open::OpenDatabase;
use super::plan::{Level, Verb};
use super::run::{Measure, check, supervised};
use crate::args::{DbRamp, RampVerb};
use crate::exit::{self, Code, coded};
use crate::measure::with_clock;
use crate::terminal::remark;
use anyhow::Result;
use db::DataFile;
use model::{Clause, DbWave, GlobalSize, Outcome, RunRecord, UnitError};

/// How processes are raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Times(u32),
    Plus(u32),
}

impl Step {
    /// `x2`, `+5`.
    pub fn parse(text: &str) -> Result<Step, UnitError> {
        let text = text.trim();
        let number = |t: &str| t.trim().parse::<u32>().ok();
        let step = match text.split_at_checked(1) {
            Some(("x" | "*", n)) => number(n).filter(|n| *n >= 2).map(Step::Times),
            Some(("+", n)) => number(n).filter(|n| *n >= 1).map(Step::Plus),
            _ => None,
        };
        step.ok_or_else(|| UnitError(format!("`{}` is no step; x2 doubles, +5 adds five", model::clip(text))))
    }

    fn after(self, n: u32) -> u32 {
        match self {
            Step::Times(by) => n.saturating_mul(by),
            Step::Plus(by) => n.saturating_add(by),
        }
    }
}

/// When a ramp ends: any of these.
#[derive(Debug, Clone, PartialEq)]
pub struct Ends(Vec<End>);

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// A figure beyond its bound.
    Beyond(Clause),
    /// The rate rose by less than this share over the level before.
    Gain(f64),
}

impl Ends {
    /// `avg>10ms | gain<10%`.
    pub fn parse(text: &str) -> Result<Ends, UnitError> {
        let one = |part: &str| -> Result<End, UnitError> {
            let part = part.trim();
            if let Some(gain) = part.strip_prefix("gain") {
                let percent = gain.trim().strip_prefix('<').map(|p| p.trim().trim_end_matches('%').trim());
                let percent = percent.and_then(|p| p.parse::<f64>().ok()).filter(|p| (0.0..=100.0).contains(p));
                let wrong = || UnitError(format!("`{}`: a gain ends it as `gain<10%`", model::clip(part)));
                return Ok(End::Gain(percent.ok_or_else(wrong)? / 100.0));
            }
            // What ends a ramp is the opposite of what is needed.
            let clause = match part.split_once(['>', '<']) {
                Some((metric, bound)) if part.contains('>') => format!("{metric}<={}", bound.trim_start_matches('=')),
                Some((metric, bound)) => format!("{metric}>={}", bound.trim_start_matches('=')),
                None => part.to_owned(),
            };
            clause.parse().map(End::Beyond).map_err(|e: UnitError| {
                UnitError(format!("`{}`: {}; such as `avg>10ms` or `gain<10%`", model::clip(part), e.0))
            })
        };
        text.split('|').map(one).collect::<Result<_, _>>().map(Ends)
    }
}

pub fn run(options: &DbRamp) -> Result<Code> {
    check(&options.run)?;
    let bad = |why: String| coded(exit::BAD_INPUT, why);
    if options.to < options.from {
        return Err(bad(format!("--to {}: at least as many as --from {}", options.to, options.from)));
    }
    let accept: Vec<Clause> = match &options.accept {
        None => Vec::new(),
        Some(text) => text
            .split(',')
            .map(|c| c.trim().parse())
            .collect::<Result<_, UnitError>>()
            .map_err(|e| bad(format!("--accept: {}", e.0)))?,
    };
    let verb = match options.verb {
        RampVerb::Ranread => Verb::RanRead,
        RampVerb::Ranwrite => Verb::RanWrite,
        RampVerb::Ranio => Verb::RanIo,
    };
    supervised(options.run.hang, |lifeline| {
        let args = &options.run;
        let levels = |place: &OpenDatabase, globals: &[GlobalSize], files: &[DataFile], seed| {
            let mut stages = Vec::new();
            let mut processes = options.from;
            while processes <= options.to {
                // A ramp of writes ends where there are no more globals to write to; one that cannot begin is refused.
                if verb.writes() && processes as usize > globals.len() && processes != options.from {
                    remark(&format!("up to {} processes: each updates a global of its own", globals.len()));
                    break;
                }
                stages.extend(Level { verb, processes, args, globals, files, seed }.stages(place)?);
                processes = options.step.after(processes);
            }
            Ok(stages)
        };
        // Before the first level there is nothing to judge.
        let mut gate = |record: &RunRecord, _: usize| -> Result<(), String> {
            let waves = record.db_waves();
            waves.split_last().and_then(|(wave, before)| ended(&options.stop, wave, before.last())).map_or(Ok(()), Err)
        };
        with_clock(Measure {
            directory: &options.dir.dir,
            verb,
            args,
            levels: &levels,
            ramp: Some(super::run::Ramp { gate: &mut gate, accept: !accept.is_empty() }),
            lifeline,
        })
    })
}

/// Why the ramp ends with this level, if it does.
fn ended(rules: &Ends, wave: &DbWave<'_>, before: Option<&DbWave<'_>>) -> Option<String> {
    let at = wave.processes;
    let rate = |wave: &DbWave<'_>| wave.reads_per_sec().0 + wave.writes_per_sec().0;
    rules.0.iter().find_map(|rule| match rule {
        End::Beyond(clause) => (analysis::wave_keeps(wave, std::slice::from_ref(clause)) == Outcome::Fail)
            .then(|| format!("the ramp ends at {at} processes: not {clause}")),
        End::Gain(least) => {
            let gain = rate(wave) / rate(before?).max(1e-9) - 1.0;
            (gain < *least).then(|| {
                let (gain, least) = (gain * 100.0, least * 100.0);
                format!("the ramp ends at {at} processes: {gain:+.1} % over the level before, less than {least} %")
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bound, Metric, Nanos};

    #[test]
    fn rules_of_a_ramp_are_read_and_mistakes_are_named() {
        assert_eq!((Step::parse("x2").unwrap(), Step::parse("+5").unwrap()), (Step::Times(2), Step::Plus(5)));
        assert!(Step::parse("x1").is_err() && Step::parse("2").unwrap_err().0.contains("x2 doubles"));
        let ends = Ends::parse("avg>10ms | gain<10%").unwrap();
        assert_eq!(ends.0[1], End::Gain(0.1));
        assert!(matches!(
            ends.0[0],
            End::Beyond(Clause { metric: Metric::Mean, bound: Bound::Latency(Nanos(10_000_000)) })
        ));
        assert!(Ends::parse("avg>10").unwrap_err().0.contains("no unit of time"));
        assert!(Ends::parse("gain>3").unwrap_err().0.contains("gain<10%"));
    }
}
