//! Needs on file operations: `mdtest-easy create: iops>=50k, p99<=1ms`. A run has each phase once, all threads
//! together, and every clause must hold there. A rate is an exact count, so it has no interval; a percentile has the
//! interval of its rank.

use super::{Gathered, expected};
use crate::verdict::commands::qualify_command;
use crate::verdict::needs::{exact, judged, no_samples, percentile, unmeasured};
use messages::sentence;
use model::bounds::{Clause, Metric, Need, NeedSubject};
use model::judged::{ClauseResult, MetadataFigures, MetadataPhaseFigures, NeedResult, Outcome};
use model::{Caveat, LatencyHistogram, Op, RunRecord, Sentence, Severity};

/// Checks every need of a run.
pub(super) fn check_all(record: &RunRecord, figures: &MetadataFigures, doubts: &[Caveat]) -> Vec<NeedResult> {
    let invalid = doubts.iter().find(|doubt| doubt.severity == Severity::Invalid).map(|doubt| &doubt.statement);
    record.plan.needs.iter().map(|need| check(need, record, figures, invalid)).collect()
}

fn check(need: &Need, record: &RunRecord, figures: &MetadataFigures, invalid: Option<&Sentence>) -> NeedResult {
    let command = || qualify_command(need, record);
    let measured = figures.phases.iter().find(|p| need.subject == NeedSubject::Metadata(p.shape, p.phase));
    let Some(phase_figures) = measured else {
        return unmeasured(need, sentence!("need-unmeasured", what = need.workload(), command = command()));
    };
    let clauses: Vec<ClauseResult> = need.clauses.iter().map(|c| clause(c, record, phase_figures)).collect();
    let count = |outcome| clauses.iter().filter(|c| c.outcome == outcome).count();
    let (outcome, reason) = if let Some(why) = invalid {
        (Outcome::Undecided, sentence!("db-need-not-valid", why = why.clone()))
    } else if phase_figures.all.files < expected(figures) {
        // The phase ended before all files were done.
        (
            Outcome::Undecided,
            sentence!("metadata-need-partial", done = phase_figures.all.files, all = expected(figures)),
        )
    } else if count(Outcome::Fail) > 0 {
        (Outcome::Fail, Sentence::default())
    } else if count(Outcome::Undecided) > 0 {
        (Outcome::Undecided, sentence!("need-too-close"))
    } else if phase_figures.all.errors > 0 {
        (Outcome::Undecided, sentence!("need-errors"))
    } else if let Some(lasting) = need.lasting.filter(|lasting| *lasting > phase_figures.all.time) {
        (Outcome::Undecided, sentence!("metadata-need-too-short", lasted = phase_figures.all.time, lasting))
    } else {
        (Outcome::Pass, Sentence::default())
    };
    NeedResult { text: need.text.clone(), outcome, depth: Some(figures.threads), clauses, why: reason }
}

fn clause(clause: &Clause, record: &RunRecord, of: &MetadataPhaseFigures) -> ClauseResult {
    let range = match clause.metric {
        Metric::Iops => Ok((of.all.rate.per_second(), of.all.rate.per_second(), of.all.rate.to_string().into())),
        Metric::Mean => exact(of.all.mean),
        Metric::Max => exact(of.all.max),
        Metric::Percentile(p) => latencies(record, of).ok_or_else(no_samples).and_then(|all| percentile(&all, &[], p)),
        Metric::Bandwidth | Metric::DeviceWrites => Err(sentence!("not-told")),
    };
    judged(clause, range)
}

/// Returns the latencies of every operation of a phase.
pub(crate) fn latencies(record: &RunRecord, of: &MetadataPhaseFigures) -> Option<LatencyHistogram> {
    let merged = Gathered::from_steps(of.steps.iter().filter_map(|step| record.steps.get(*step)))?;
    let mut latency = LatencyHistogram::default();
    [Op::Read, Op::Write, Op::Trim].iter().for_each(|op| latency.merge(&merged.total.op(*op).latency));
    Some(latency)
}
