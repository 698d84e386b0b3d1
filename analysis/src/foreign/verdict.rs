//! The first sentence about other tools' files, and the exit code.

use super::say;
use messages::sentence;
use model::{Bytes, ForeignFinding, ForeignRow, NeedResult, Outcome, Sentence, Severity, file_name};

/// Reasons and workloads spelled out; the rest is counted.
const MOST: usize = 3;

/// Outcome over the needs and the exit code; without needs nothing may be invalid.
pub(super) fn outcome(needs: &[NeedResult], findings: &[ForeignFinding]) -> (Outcome, u8) {
    let any = |o: Outcome| needs.iter().any(|n| n.outcome == o);
    let invalid = findings.iter().any(|f| f.finding.severity == Severity::Invalid);
    if any(Outcome::Fail) {
        (Outcome::Fail, 1)
    } else if any(Outcome::Undecided) || needs.is_empty() && invalid {
        (Outcome::Undecided, 2)
    } else {
        (Outcome::Pass, 0)
    }
}

/// One sentence: needs, what cannot be used, what binds, what else matters most.
pub(super) fn verdict(rows: &[ForeignRow], needs: &[NeedResult], findings: &[ForeignFinding]) -> Sentence {
    let mut parts: Vec<Sentence> = Vec::new();
    parts.extend(needs_part(needs));
    parts.extend(unusable(rows, findings));
    parts.extend(binding(rows));
    let rowless = |f: &&ForeignFinding| {
        f.finding.severity >= Severity::Doubt && !f.rows.iter().any(|r| rows[*r].struck.is_some())
    };
    let loud: Vec<&ForeignFinding> = findings.iter().filter(rowless).collect();
    let all = parts.len();
    if all < 2 {
        parts.extend(loud.iter().take(2 - all).map(|f| f.finding.statement.clone()));
    }
    if parts.is_empty() && !findings.is_empty() {
        parts.push(findings[0].finding.statement.clone());
    }
    if parts.is_empty() {
        parts.push(match rows {
            [] => sentence!("judged-samples-fine"),
            [one] => sentence!("judged-result-fine", figures = figures(one)),
            many => sentence!("judged-results-fine", n = many.len()),
        });
    }
    Sentence::join(parts, "; ")
}

fn figures(row: &ForeignRow) -> Sentence {
    let figures: Sentence = match row.iops {
        Some(iops) => say::enumerated([row.label().into(), say::iops(iops).into()]),
        None => row.label().into(),
    };
    match row.mean {
        Some(mean) => sentence!("judged-at-mean", figures, mean = say::time(mean)),
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

fn unusable(rows: &[ForeignRow], findings: &[ForeignFinding]) -> Option<Sentence> {
    let struck: Vec<&ForeignRow> = rows.iter().filter(|r| r.struck.is_some()).collect();
    let first = struck.first()?;
    let name = |r: &ForeignRow| {
        sentence!("saw-by", what = file_name(&r.source), evidence = r.struck.as_deref().unwrap_or_default())
    };
    if rows.len() == 1 {
        let why = findings.iter().find(|f| first.struck.as_ref() == Some(&f.finding.id));
        let why = why.map(|f| f.finding.statement.clone()).unwrap_or_default();
        return Some(if why.contains("not usable") { why } else { sentence!("judged-not-usable", why) });
    }
    let mut names: Vec<Sentence> = struck.iter().take(MOST).map(|r| name(r)).collect();
    if struck.len() > MOST {
        names.push(sentence!("saw-list-rest", rest = struck.len() - MOST));
    }
    Some(sentence!("judged-some-not-usable", n = struck.len(), all = rows.len(), names = say::list(&names)))
}

/// Workloads by what binds them, in the order of the rows.
fn binding(rows: &[ForeignRow]) -> Vec<Sentence> {
    let mut groups: Vec<(&Sentence, Vec<&ForeignRow>)> = Vec::new();
    for row in rows.iter().filter(|r| !r.binds.is_empty() && r.struck.is_none()) {
        match groups.iter_mut().find(|g| *g.0 == row.binds) {
            Some(group) => group.1.push(row),
            None => groups.push((&row.binds, vec![row])),
        }
    }
    // What one in flight is bound by needs no saying among many.
    groups.retain(|g| *g.0 != "latency" || rows.len() == 1);
    let of: Vec<Vec<String>> = groups.iter().map(|g| g.1.iter().map(|r| r.label()).collect()).collect();
    let told = |(i, (what, group)): (usize, &(&Sentence, Vec<&ForeignRow>))| {
        let elsewhere = |label: &String| of.iter().enumerate().any(|(j, all)| i != j && all.contains(label));
        // The same workload on two sides is told apart by files, not by what it was.
        match of[i].iter().any(elsewhere) {
            true => sentence!("saw-of", subject = files(group), what = *what),
            false => sentence!("saw-of", subject = labels(group), what = *what),
        }
    };
    let mut parts: Vec<Sentence> = groups.iter().enumerate().take(MOST).map(told).collect();
    if groups.len() > MOST {
        parts.push(sentence!("judged-more-kinds", n = groups.len() - MOST));
    }
    parts
}

/// Names of their files, or how many they are.
fn files(group: &[&ForeignRow]) -> Sentence {
    let mut names: Vec<String> = group.iter().map(|r| file_name(&r.source).to_owned()).collect();
    names.dedup();
    named(group, &names)
}

/// The names, or how many results they are.
fn named(group: &[&ForeignRow], names: &[String]) -> Sentence {
    if names.len() > MOST { sentence!("judged-results", n = group.len()) } else { say::list(names) }
}

/// `randrw 4k to 32k`, or the workloads by name.
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
