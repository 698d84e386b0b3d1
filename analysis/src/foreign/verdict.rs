//! The first sentence about other tools' files, and the exit code.

use super::case::{Case, DirectionResult};
use super::format;
use super::rules::limits::COUNTED;
use super::rules::touch::FIRST_TOUCH;
use super::rules::whole::NOT_WHOLE;
use messages::sentence;
use model::foreign::{ForeignValue, ForeignWork, Quantity};
use model::judged::{ForeignFinding, ForeignRow, NeedResult, Outcome};
use model::{Bytes, Sentence, Severity, grouped};
use std::collections::BTreeSet;

/// Rules about figures that a tool does not measure or print.
const LEFT_OUT: [&str; 2] = ["B14-not-measured", "B40-no-percentile"];

/// Maximum number of reasons and workloads that are listed; the others are counted.
const MOST: usize = 3;

/// Returns the outcome of all needs, and the exit code.
///
/// Without needs, a pass requires that nothing is invalid and that there are figures to judge. If no need fails, a run
/// that failed or was cut short makes the outcome undecided.
pub(super) fn outcome(case: &Case, needs: &[NeedResult], findings: &[ForeignFinding]) -> (Outcome, u8) {
    let any = |o: Outcome| needs.iter().any(|n| n.outcome == o);
    let invalid = findings.iter().any(|f| f.finding.severity == Severity::Invalid);
    let failed = findings.iter().any(|f| f.finding.id == NOT_WHOLE);
    let open = invalid || !case.files.is_empty() && !has_figures(case);
    if any(Outcome::Fail) {
        (Outcome::Fail, 1)
    } else if any(Outcome::Undecided) || failed || needs.is_empty() && open {
        (Outcome::Undecided, 2)
    } else {
        (Outcome::Pass, 0)
    }
}

/// Returns `true` if there is any figure of a load or any sample of an interval; a report of the time since a machine
/// started is neither.
fn has_figures(case: &Case) -> bool {
    let sampled = case.files.iter().flat_map(|f| &f.series).any(|s| !s.points.is_empty());
    let measured = |t: &super::case::Test| {
        let has_figures = t.sides().iter().any(|s| s.rate().is_some() || DirectionResult::mean(s).is_some());
        let has_value =
            |v: &ForeignValue| v.value.is_some() && (is_count(v.of) || matches!(v.of, Quantity::Bandwidth(_)));
        has_figures || !t.test.histograms.is_empty() || t.test.values.iter().any(has_value)
    };
    sampled || case.tests.iter().any(measured)
}

fn counts_transactions(test: &super::case::Test) -> bool {
    let is_one = |of| matches!(of, Quantity::Work(ForeignWork::NewOrders | ForeignWork::Transactions, _));
    test.test.values.iter().any(|v| is_one(v.of))
}

/// Returns `true` for counts that are results without a rate: those of irisstat.
fn is_count(of: Quantity) -> bool {
    matches!(of, Quantity::OfBlocks(..))
}

/// Returns one sentence: failures, needs, unusable results, binding limits (first the storage's own counts), then the
/// most severe of the other findings.
pub(super) fn verdict(case: &Case, rows: &[ForeignRow], needs: &[NeedResult], findings: &[ForeignFinding]) -> Sentence {
    let mut parts: Vec<Sentence> = Vec::new();
    let failed = findings.iter().find(|f| f.finding.id == NOT_WHOLE);
    parts.extend(failed.map(|f| f.finding.statement.clone()));
    parts.extend(needs_part(needs));
    // If the only row failed, the failure already explains why it is not usable.
    let is_reported = failed.is_some_and(|f| rows.len() == 1 && f.rows == [0]);
    parts.extend(unusable(case, rows, findings).filter(|_| !is_reported));
    let counted = findings.iter().find(|f| f.finding.id == COUNTED);
    parts.extend(counted.map(|f| f.finding.statement.clone()));
    parts.extend(binding(case, rows));
    let rowless = |f: &&ForeignFinding| {
        f.finding.severity >= Severity::Doubt
            && f.finding.id != NOT_WHOLE
            && !f.rows.iter().any(|r| rows[*r].struck.is_some())
    };
    let loud: Vec<&ForeignFinding> = findings.iter().filter(rowless).collect();
    let total = parts.len();
    if total < 2 {
        parts.extend(loud.iter().take(2 - total).map(|f| f.finding.statement.clone()));
    }
    // Use a note about the storage; a note about something that a tool omits is not a headline.
    let note = findings.iter().find(|f| !LEFT_OUT.contains(&f.finding.id.as_str()));
    if parts.is_empty() {
        parts.extend(note.map(|f| f.finding.statement.clone()));
    }
    if parts.is_empty() {
        parts.push(match rows {
            _ if !case.files.is_empty() && !has_figures(case) => match case.tests.iter().any(counts_transactions) {
                true => sentence!("judged-transactions-only"),
                false => sentence!("judged-no-figures"),
            },
            [] => sentence!("judged-samples-fine"),
            [one] => sentence!("judged-result-fine", figures = figures(one)),
            many => sentence!("judged-results-fine", n = many.len()),
        });
    }
    Sentence::join(parts, "; ")
}

fn figures(row: &ForeignRow) -> Sentence {
    let rate = row.iops.map(format::iops).or_else(|| row.bandwidth.map(format::rate));
    let figures: Sentence = match rate {
        Some(rate) => format::enumerated([row.label().into(), rate.into()]),
        None => row.label().into(),
    };
    match row.mean {
        Some(mean) => sentence!("judged-at-mean", figures, mean = format::time(mean)),
        None => figures,
    }
}

fn needs_part(needs: &[NeedResult]) -> Option<Sentence> {
    let first = |o: Outcome| needs.iter().find(|n| n.outcome == o);
    if needs.is_empty() {
        return None;
    }
    Some(match (first(Outcome::Fail), first(Outcome::Undecided)) {
        (Some(n), _) => sentence!("judged-need-not-met", need = &n.text),
        (None, Some(n)) => sentence!("judged-need-undecided", need = &n.text),
        (None, None) => sentence!("judged-needs-met", n = needs.len()),
    })
}

fn unusable(case: &Case, rows: &[ForeignRow], findings: &[ForeignFinding]) -> Option<Sentence> {
    let struck: Vec<&ForeignRow> = rows.iter().filter(|r| r.struck.is_some()).collect();
    let first = struck.first()?;
    // Several results of one file that the same rule invalidates are listed once.
    let mut places: Vec<(&str, &str)> = Vec::new();
    let mut known: BTreeSet<(&str, &str)> = BTreeSet::new();
    for row in &struck {
        let place = (case.names.name_of(&row.source), row.struck.as_deref().unwrap_or_default());
        if known.insert(place) {
            places.push(place);
        }
    }
    if rows.len() == 1 {
        let reason = findings.iter().find(|f| first.struck.as_ref() == Some(&f.finding.id));
        let reason = reason.map(|f| f.finding.statement.clone()).unwrap_or_default();
        // The statement of a stall already ends with the consequence.
        let says_so = first.struck.as_deref() == Some(FIRST_TOUCH);
        return Some(if says_so { reason } else { sentence!("judged-not-usable", why = reason) });
    }
    let name = |(file, rule): &(&str, &str)| sentence!("saw-by", what = *file, evidence = *rule);
    let mut names: Vec<Sentence> = places.iter().take(MOST).map(name).collect();
    if places.len() > MOST {
        names.push(sentence!("saw-list-rest", rest = places.len() - MOST));
    }
    Some(sentence!("judged-some-not-usable", n = struck.len(), all = rows.len(), names = format::list(&names)))
}

/// Returns the workloads by binding limit, in the order of the rows.
fn binding(case: &Case, rows: &[ForeignRow]) -> Vec<Sentence> {
    let bound = rows.iter().filter(|r| !r.binds.is_empty() && r.struck.is_none());
    let mut groups: Vec<(&Sentence, Vec<&ForeignRow>)> = grouped(bound.map(|row| (&row.binds, row)));
    // Among many rows, the latency limit of a single operation in flight is not worth listing.
    groups.retain(|g| g.0.id() != Some("row-binds-latency") || rows.len() == 1);
    let label_sets: Vec<BTreeSet<String>> = groups.iter().map(|g| g.1.iter().map(|r| r.label()).collect()).collect();
    let part = |(i, (what, group)): (usize, &(&Sentence, Vec<&ForeignRow>))| {
        let elsewhere =
            |label: &String| label_sets.iter().enumerate().any(|(j, labels)| i != j && labels.contains(label));
        // If the same workload is in several groups, the groups are distinguished by files instead of workload names.
        match label_sets[i].iter().any(elsewhere) {
            true => sentence!("saw-of", subject = files(case, group), what = *what),
            false => sentence!("saw-of", subject = labels(group), what = *what),
        }
    };
    let mut parts: Vec<Sentence> = groups.iter().enumerate().take(MOST).map(part).collect();
    if groups.len() > MOST {
        parts.push(sentence!("judged-more-kinds", n = groups.len() - MOST));
    }
    parts
}

/// Returns the names of their files, or the number of results.
fn files(case: &Case, group: &[&ForeignRow]) -> Sentence {
    let mut names: Vec<String> = group.iter().map(|r| case.names.name_of(&r.source).to_owned()).collect();
    names.sort();
    names.dedup();
    named(group, &names)
}

/// Returns the names, or the number of results if there are too many names.
fn named(group: &[&ForeignRow], names: &[String]) -> Sentence {
    if names.len() > MOST { sentence!("judged-results", n = group.len()) } else { format::list(names) }
}

/// Returns a text such as `randrw 4k to 32k`, or the names of the workloads.
fn labels(group: &[&ForeignRow]) -> Sentence {
    let mut sizes: Vec<Bytes> = group.iter().filter_map(|r| r.block).collect();
    sizes.sort();
    sizes.dedup();
    let one_rw = group.iter().all(|r| r.rw == group[0].rw);
    match (one_rw, sizes.as_slice()) {
        (true, [first, .., last]) => {
            sentence!("saw-sizes", rw = &group[0].rw, first = first.short(), last = last.short())
        }
        _ => {
            let mut names: Vec<String> = group.iter().map(|r| r.label()).collect();
            names.sort();
            names.dedup();
            named(group, &names)
        }
    }
}
