//! The first sentence about other tools' files, and the exit code.

use super::say;
use model::{Bytes, ForeignFinding, ForeignRow, NeedResult, Outcome, Severity, file_name};

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
pub(super) fn verdict(rows: &[ForeignRow], needs: &[NeedResult], findings: &[ForeignFinding]) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(needs_part(needs));
    parts.extend(unusable(rows, findings));
    parts.extend(binding(rows));
    let rowless = |f: &&ForeignFinding| {
        f.finding.severity >= Severity::Doubt && !f.rows.iter().any(|r| rows[*r].struck.is_some())
    };
    let loud: Vec<&ForeignFinding> = findings.iter().filter(rowless).collect();
    let all = parts.len();
    if all < 2 {
        parts.extend(loud.iter().take(2 - all).map(|f| f.finding.statement.to_string()));
    }
    if parts.is_empty() && !findings.is_empty() {
        parts.push(findings[0].finding.statement.to_string());
    }
    if parts.is_empty() {
        parts.push(match rows {
            [] => "nothing found that speaks against the samples".to_owned(),
            [one] => format!("{}: nothing found that speaks against it", figures(one)),
            many => format!("{} results, and nothing found that speaks against them", many.len()),
        });
    }
    parts.join("; ")
}

fn figures(row: &ForeignRow) -> String {
    let mut text = row.label();
    if let Some(iops) = row.iops {
        text.push_str(&format!(", {}", say::iops(iops)));
    }
    if let Some(mean) = row.mean {
        text.push_str(&format!(" at {}", say::time(mean)));
    }
    text
}

fn needs_part(needs: &[NeedResult]) -> Option<String> {
    let first = |o: Outcome| needs.iter().find(|n| n.outcome == o);
    let name = |n: &NeedResult| format!("`{}`", n.text);
    if needs.is_empty() {
        return None;
    }
    Some(match (first(Outcome::Fail), first(Outcome::Undecided)) {
        (Some(n), _) => format!("need not met: {}", name(n)),
        (None, Some(n)) => format!("need undecided: {}", name(n)),
        (None, None) if needs.len() == 1 => "the need is met".to_owned(),
        (None, None) => format!("all {} needs are met", needs.len()),
    })
}

fn unusable(rows: &[ForeignRow], findings: &[ForeignFinding]) -> Option<String> {
    let struck: Vec<&ForeignRow> = rows.iter().filter(|r| r.struck.is_some()).collect();
    let first = struck.first()?;
    let name = |r: &ForeignRow| format!("{} ({})", file_name(&r.source), r.struck.as_deref().unwrap_or_default());
    if rows.len() == 1 {
        let why = findings.iter().find(|f| first.struck.as_ref() == Some(&f.finding.id));
        let why = why.map_or("", |f| f.finding.statement.as_str());
        return Some(if why.contains("not usable") { why.to_owned() } else { format!("not usable: {why}") });
    }
    let mut names: Vec<String> = struck.iter().take(MOST).map(|r| name(r)).collect();
    if struck.len() > MOST {
        names.push(format!("{} more", struck.len() - MOST));
    }
    let verb = if struck.len() == 1 { "is" } else { "are" };
    Some(format!("{} of {} results {verb} not usable: {}", struck.len(), rows.len(), say::list(&names)))
}

/// Workloads by what binds them, in the order of the rows.
fn binding(rows: &[ForeignRow]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&ForeignRow>)> = Vec::new();
    for row in rows.iter().filter(|r| !r.binds.is_empty() && r.struck.is_none()) {
        match groups.iter_mut().find(|g| g.0 == row.binds) {
            Some(group) => group.1.push(row),
            None => groups.push((row.binds.as_str(), vec![row])),
        }
    }
    // What one in flight is bound by needs no saying among many.
    groups.retain(|g| g.0 != "latency" || rows.len() == 1);
    let of: Vec<Vec<String>> = groups.iter().map(|g| g.1.iter().map(|r| r.label()).collect()).collect();
    let told = |(i, (word, group)): (usize, &(&str, Vec<&ForeignRow>))| {
        let elsewhere = |label: &String| of.iter().enumerate().any(|(j, all)| i != j && all.contains(label));
        // The same workload on two sides is told apart by files, not by what it was.
        match of[i].iter().any(elsewhere) {
            true => format!("{}: {word}", files(group)),
            false => format!("{}: {word}", labels(group)),
        }
    };
    let mut parts: Vec<String> = groups.iter().enumerate().take(MOST).map(told).collect();
    if groups.len() > MOST {
        parts.push(format!("{} more kinds", groups.len() - MOST));
    }
    parts
}

/// Names of their files, or how many they are.
fn files(group: &[&ForeignRow]) -> String {
    let mut names: Vec<String> = group.iter().map(|r| file_name(&r.source).to_owned()).collect();
    names.dedup();
    if names.len() > MOST { format!("{} results", group.len()) } else { say::list(&names) }
}

/// `randrw 4k to 32k`, or the workloads by name.
fn labels(group: &[&ForeignRow]) -> String {
    let mut sizes: Vec<Bytes> = group.iter().filter_map(|r| r.block).collect();
    sizes.sort();
    sizes.dedup();
    let one_rw = group.iter().all(|r| r.rw == group[0].rw);
    match (one_rw, sizes.as_slice()) {
        (true, [first, .., last]) => format!("{} {} to {}", group[0].rw, first.short(), last.short()),
        _ => {
            let mut names: Vec<String> = group.iter().map(|r| r.label()).collect();
            names.sort();
            names.dedup();
            if names.len() > MOST { format!("{} results", group.len()) } else { say::list(&names) }
        }
    }
}
