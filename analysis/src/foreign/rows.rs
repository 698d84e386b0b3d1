//! The result table: one row for each result, with parameters from its content and its binding limit.

use super::caps::{burst, caps};
use super::case::{Case, Part, Test};
use super::rules::{shape, values};
use messages::sentence;
use model::judged::{ForeignFinding, ForeignRow};
use model::{Bytes, Sentence, Severity};
use std::collections::BTreeSet;

/// Returns the rows of all results. `findings` are those of the rules, with row indices.
pub(super) fn rows(case: &Case, findings: &[ForeignFinding]) -> Vec<ForeignRow> {
    let capped: BTreeSet<usize> = shape::capped(case).iter().flatten().map(|t| t.index).collect();
    let mut of_rows: Vec<Vec<&ForeignFinding>> = vec![Vec::new(); case.rows().count()];
    for finding in findings {
        finding.rows.iter().for_each(|row| of_rows[*row].push(finding));
    }
    let one = |(test, own): (&Test, Vec<&ForeignFinding>)| row(case, test, &own, capped.contains(&test.index));
    case.rows().zip(of_rows).map(one).collect()
}

fn row(case: &Case, test: &Test, own: &[&ForeignFinding], capped: bool) -> ForeignRow {
    let struck = own.iter().find(|f| f.finding.severity == Severity::Invalid).map(|f| f.finding.id.clone());
    let corrected = test.corrected();
    let rate = corrected.or_else(|| test.rate());
    // Without a latency, Little's law gives the mean: operations in flight divided by the rate.
    let by_little = || Some(test.concurrency()? / test.rate()?);
    // The reported response times include the same wait.
    let reported = corrected.and_then(|r| Some(test.concurrency()? / r)).or_else(|| test.mean());
    let mean = reported.or_else(|| by_little().filter(|_| test.is_fio() && test.concurrency().is_some()));
    let tightest = burst(case, test).or_else(|| caps(case, test).into_iter().next());
    let is_syncs = test.part == Part::Sync;
    let ops: f64 = test.sides().iter().filter_map(super::case::DirectionResult::ops).sum();
    ForeignRow {
        source: test.file.source.clone(),
        line: test.test.line,
        name: test.test.name.clone(),
        rw: test.rw().to_owned(),
        block: test.block().map(|b| Bytes(b.round() as u64)),
        depth: test.depth(),
        jobs: test.asked().jobs,
        engine: test.engine().to_owned(),
        ops: (ops > 0.0).then_some(ops),
        seconds: test.seconds(),
        iops: rate,
        iops_between: if corrected.is_some() { None } else { test.rate_between() },
        reads: test.reads(),
        bandwidth: test.bandwidth().or_else(|| Some(rate? * test.one_block().filter(|_| !is_syncs)? as f64)),
        work: test.work(),
        mean,
        mean_by_little: reported.is_none() && mean.is_some(),
        p99: test.percentile(99.0),
        p99_least: test.least_percentile(99.0),
        max: test.max().and_then(|v| v.value),
        in_flight: if corrected.is_some() { None } else { test.in_flight() },
        submit_cpu: test.submit_cpu().filter(|_| test.is_async()),
        passes: test.passes().filter(|_| !is_syncs),
        limit: tightest.map(|c| (c.name.into(), c.used)),
        binds: binds(case, test, struck.as_deref(), capped),
        struck,
        findings: own.iter().map(|f| f.finding.id.clone()).collect(),
    }
}

/// Returns a short description of what limits a result.
fn binds(case: &Case, test: &Test, struck: Option<&str>, capped: bool) -> Sentence {
    if struck.is_some() || test.rate().is_none() {
        return Sentence::default();
    }
    let caps = caps(case, test);
    let met: Vec<_> = caps.iter().filter(|c| c.met()).collect();
    match met.as_slice() {
        [_, second, ..] if second.allows <= met[0].allows * (1.0 + crate::limits::caps::TOLERANCE) => {
            let either = met.iter().map(|c| c.name.clone());
            let names = either.reduce(|all, next| sentence!("row-either", all, next)).unwrap_or_default();
            return sentence!("row-binds-one-of", names);
        }
        [first, ..] => return first.word(),
        [] => {}
    }
    if let Some(burst) = burst(case, test) {
        return burst.word();
    }
    if let Some(above) = caps.iter().find(|c| c.refuted()) {
        return sentence!("row-above", limit = &above.name);
    }
    if values::is_client_bound(test) {
        return sentence!("row-binds-client");
    }
    if capped {
        return sentence!("row-binds-cap");
    }
    if shape::is_alone(test) {
        return sentence!("row-binds-latency");
    }
    if caps.is_empty() { Sentence::default() } else { sentence!("limit-undecided") }
}
