//! `secchi db ramp`: processes raised level by level until a rule ends it, and the highest level that is accepted.

use super::drive::{Measure, check, supervised};
use super::place::Place;
use super::plan::{Level, Verb};
use crate::args::{DbRamp, RampVerb};
use crate::exit::{self, Code, coded};
use crate::measure::with_clock;
use crate::terminal::remark;
use anyhow::Result;
use db::DataFile;
use model::{Bound, Clause, GlobalSize, Interval, Metric, Nanos, Op, Phase, RunRecord, UnitError};

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

/// Figures of a level.
#[derive(Debug, Clone)]
struct Figures {
    processes: u32,
    total: Interval,
}

impl Figures {
    /// Of the level that begins with this stage.
    fn of(record: &RunRecord, first: usize) -> Option<Figures> {
        let steps = record.steps.iter().filter(|s| level(record, s.stage) == Some(first));
        let mut total: Option<Interval> = None;
        let mut processes = 0;
        for step in steps {
            processes += 1;
            let mut own = Interval::default();
            step.intervals.iter().filter(|i| i.phase == Phase::Measure).for_each(|i| own.merge(i));
            match &mut total {
                None => total = Some(own),
                Some(total) => {
                    total.length = Nanos(total.length.0.max(own.length.0));
                    total.merge_parallel(&own);
                }
            }
        }
        Some(Figures { processes, total: total? })
    }

    fn rate(&self) -> f64 {
        self.total.data_ops() as f64 / self.total.length.secs().max(1e-9)
    }

    fn latency(&self) -> model::LatencyHistogram {
        let mut all = self.total.op(Op::Read).latency.clone();
        all.merge(&self.total.op(Op::Write).latency);
        all
    }

    /// Whether a clause is kept; `None` where there is nothing to tell by.
    fn keeps(&self, clause: &Clause) -> Option<bool> {
        let latency = self.latency();
        let value = match clause.metric {
            Metric::Iops => return Some(matches!(clause.bound, Bound::Iops(least) if self.rate() >= least.0)),
            Metric::Bandwidth => {
                let rate = self.total.bytes().0 as f64 / self.total.length.secs().max(1e-9);
                return Some(matches!(clause.bound, Bound::Bandwidth(least) if rate >= least.0));
            }
            Metric::Mean => latency.mean().map(|m| m.0 as f64)?,
            Metric::Max => latency.max()?.0 as f64,
            Metric::Percentile(p) => latency.percentile(p).value()?.0 as f64,
        };
        Some(matches!(clause.bound, Bound::Latency(most) if value <= most.0 as f64))
    }
}

/// The first stage of the level this stage belongs to.
fn level(record: &RunRecord, stage: usize) -> Option<usize> {
    (0..=stage).rev().find(|i| record.plan.stages.get(*i).is_some_and(|s| !s.place.with_previous))
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
    supervised(options.run.hang_limit, |lifeline| {
        let args = &options.run;
        let levels = |place: &Place, globals: &[GlobalSize], files: &[DataFile], seed| {
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
        let mut last: Option<usize> = None;
        let mut before: Option<Figures> = None;
        let mut gate = |record: &RunRecord, stage: usize| -> Result<(), String> {
            let Some(done) = last.replace(stage) else { return Ok(()) };
            let Some(figures) = Figures::of(record, done) else { return Ok(()) };
            let ended = ended(&options.stop, &figures, before.as_ref());
            before = Some(figures);
            ended.map_or(Ok(()), Err)
        };
        with_clock(Measure {
            directory: &options.dir.dir,
            verb,
            args,
            levels: &levels,
            ramp: Some(super::drive::Ramp { gate: &mut gate, accept: &accept }),
            lifeline,
        })
    })
}

/// Why the ramp ends with this level, if it does.
fn ended(rules: &Ends, figures: &Figures, before: Option<&Figures>) -> Option<String> {
    let at = figures.processes;
    rules.0.iter().find_map(|rule| match rule {
        End::Beyond(clause) => {
            (figures.keeps(clause) == Some(false)).then(|| format!("the ramp ends at {at} processes: not {clause}"))
        }
        End::Gain(least) => {
            let gain = figures.rate() / before?.rate().max(1e-9) - 1.0;
            (gain < *least).then(|| {
                let (gain, least) = (gain * 100.0, least * 100.0);
                format!("the ramp ends at {at} processes: {gain:+.1} % over the level before, less than {least} %")
            })
        }
    })
}

/// The highest level that keeps every clause, of those that were run; the levels below it must keep them too.
pub fn accepted(record: &RunRecord, clauses: &[Clause]) -> Option<u32> {
    let starts = record.steps.iter().filter_map(|s| level(record, s.stage));
    let mut starts: Vec<usize> = starts.collect();
    starts.dedup();
    let levels = starts.into_iter().filter_map(|first| Figures::of(record, first));
    levels.take_while(|f| clauses.iter().all(|c| f.keeps(c) == Some(true))).map(|f| f.processes).last()
}

#[cfg(test)]
mod tests {
    use super::*;

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
