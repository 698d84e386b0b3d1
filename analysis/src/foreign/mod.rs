//! What the figures of other tools' files show when they are held against each other, against themselves, and against limits.
//!
//! Pure rules over [`ForeignFile`]s: each is one entry of a table (`rules/`), with what it looks at, its evidence as lines of the
//! files, and what to do. A rule never speaks without figures, and what a file does not tell is not guessed.
//!
//! | file | what |
//! |---|---|
//! | `case` | files as results with figures derived from them |
//! | `loads` | clones that were reported one by one, as one result |
//! | `caps` | limits as constraints on one result |
//! | `beside` | loads and the counters of their devices at the same time |
//! | `samples` | tracks of devices over time, sums at the same moment |
//! | `rule`, `rules/` | the table of rules |
//! | `rows` | the one table: parameters from the content, what binds |
//! | `unjudged` | mistakes that no file can show |
//! | `needs`, `verdict` | needs by intervals, the first sentence |
//! | `format` | figures and names in words |

mod beside;
mod caps;
mod case;
mod format;
mod loads;
mod needs;
mod rows;
mod rule;
mod rules;
mod samples;
#[cfg(test)]
mod tests;
mod unjudged;
mod verdict;

use case::Case;
use messages::sentence;
use model::{
    Bytes, Finding, ForeignFile, ForeignFinding, ForeignJudgement, ForeignRow, Limit, Need, RuleText, Sentence,
    Severity, SourceLine, map_on_all_cpus,
};
use rule::{Rule, RuleMatch};
use std::collections::BTreeMap;

/// What foreign files are judged by.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForeignRequest<'a> {
    /// What the storage was sold as.
    pub limits: &'a [Limit],
    /// What is needed.
    pub needs: &'a [Need],
    /// Memory of the machine that was measured, if it is known.
    pub memory: Option<Bytes>,
}

/// Lines of evidence kept of one finding; a log of many results has more.
const MOST_LINES: usize = 60;
/// Rules that doubt a run as a whole, and so the row of its syncs as well.
const OF_WHOLE_RUN: [&str; 3] = [rules::whole::NOT_WHOLE, "B03-label", "B34-absurd"];
/// Remarks of the readers kept.
const MOST_REMARKS: usize = 200;

/// Every rule's account of itself, in the order of the table.
pub fn foreign_rules() -> impl Iterator<Item = &'static RuleText> {
    rules::all().map(|r| &r.text)
}

/// Mistakes without a rule of their own: why, and where secchi keeps from them instead.
#[must_use]
pub fn unjudged() -> &'static [RuleText] {
    unjudged::UNJUDGED
}

/// Judges other tools' files.
#[must_use]
pub fn judge_foreign(files: &[ForeignFile], request: &ForeignRequest) -> ForeignJudgement {
    let files = &*loads::gather(files);
    let names = format::Names::new(files);
    let case = Case::new(files, &names, request.limits, request.memory);
    let rules: Vec<&Rule> = rules::all().collect();
    let of_rule = |rule: &&Rule| to_findings(rule, grounded((rule.find)(&case), &case));
    let mut findings: Vec<ForeignFinding> = map_on_all_cpus(&rules, of_rule).into_iter().flatten().collect();
    for finding in findings.iter_mut().filter(|f| OF_WHOLE_RUN.contains(&f.finding.id.as_str())) {
        let tests = finding.rows.iter().filter_map(|row| case.tests.get(*row));
        let syncs: Vec<usize> = tests.filter_map(|t| case.syncs_of(t)).map(|sync| sync.index).collect();
        finding.rows.extend(syncs);
    }
    findings.sort_by_key(|f| std::cmp::Reverse(f.finding.severity));
    let rows = rows::rows(&case, &findings);
    let needs: Vec<_> = request.needs.iter().map(|n| needs::check(n, &case, &rows, &findings)).collect();
    let (outcome, exit_code) = verdict::outcome(&case, &needs, &findings);
    let order = order(&rows);
    let verdict = verdict::verdict(&case, &ordered(&rows, &order), &needs, &renumbered(findings.clone(), &order));
    ForeignJudgement {
        verdict,
        outcome,
        needs,
        limits: request.limits.to_vec(),
        files: files.iter().map(|f| (f.source.clone(), f.format.clone(), f.tool.clone())).collect(),
        rows: ordered(&rows, &order),
        sampled: files.iter().flat_map(samples::sampled).collect(),
        findings: renumbered(findings, &order),
        remarks: remarks(files),
        exit_code,
    }
}

/// Rows by what was done, then size, jobs and depth; of equal ones in the order of the files.
fn order(rows: &[ForeignRow]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let family = |r: &ForeignRow| model::file_name(&r.source).chars().filter(|c| c.is_alphabetic()).collect::<String>();
    order.sort_by_cached_key(|i| {
        let r = &rows[*i];
        (r.rw.clone(), family(r), r.block, r.jobs, r.depth, *i)
    });
    order
}

fn ordered(rows: &[ForeignRow], order: &[usize]) -> Vec<ForeignRow> {
    order.iter().map(|i| rows[*i].clone()).collect()
}

fn renumbered(mut findings: Vec<ForeignFinding>, order: &[usize]) -> Vec<ForeignFinding> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, row)| places[*row] = place);
    for finding in &mut findings {
        finding.rows = finding.rows.iter().filter_map(|row| places.get(*row).copied()).collect();
        finding.rows.sort_unstable();
    }
    findings
}

/// What stands on no line of its own stands on that where its result begins.
fn grounded(mut seen: Vec<RuleMatch>, case: &Case) -> Vec<RuleMatch> {
    for one in seen.iter_mut().filter(|s| s.lines.is_empty()) {
        one.lines = one.rows.iter().filter_map(|r| case.rows().nth(*r)).map(|t| t.head(t.test.name.clone())).collect();
    }
    seen
}

/// What a rule saw as findings: once, as it stands; more often, together, the cases as evidence; each severity by itself.
fn to_findings(rule: &Rule, seen: Vec<RuleMatch>) -> Vec<ForeignFinding> {
    let of = |s: &RuleMatch| s.severity.unwrap_or(rule.text.severity);
    [Severity::Invalid, Severity::Doubt, Severity::Note]
        .into_iter()
        .filter_map(|severity| merge_matches(rule, severity, seen.iter().filter(|s| of(s) == severity).collect()))
        .collect()
}

fn merge_matches(rule: &Rule, severity: Severity, seen: Vec<&RuleMatch>) -> Option<ForeignFinding> {
    let first = seen.first()?;
    let (statement, evidence) = match seen.as_slice() {
        [one] => (sentence!("saw-of", subject = &one.subject, what = &one.statement), one.evidence.clone()),
        many => (sentence!("saw-times", what = rule.text.title(), n = many.len()), cases(many)),
    };
    let mut lines: Vec<SourceLine> = Vec::new();
    for line in seen.iter().flat_map(|s| &s.lines) {
        if lines.len() < MOST_LINES && !lines.contains(line) {
            lines.push(line.clone());
        }
    }
    let mut rows: Vec<usize> = seen.iter().flat_map(|s| s.rows.iter().copied()).collect();
    rows.sort_unstable();
    rows.dedup();
    debug_assert!(!first.statement.is_empty());
    let finding = Finding {
        id: rule.text.id.to_owned(),
        severity,
        statement,
        evidence,
        remedy: messages::sentence(rule.text.remedy()),
    };
    Some(ForeignFinding { finding, rows, lines })
}

/// Subjects named where they share a statement; the rest is counted.
const MOST_SUBJECTS: usize = 4;

/// What was seen, a line each; what is the same of several stands once, with all of them.
fn cases(seen: &[&RuleMatch]) -> Vec<Sentence> {
    let mut groups: Vec<(Sentence, Vec<Sentence>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for one in seen {
        let what = match Sentence::join(one.evidence.clone(), "; ") {
            none if none.is_empty() => one.statement.clone(),
            evidence => sentence!("saw-by", what = &one.statement, evidence),
        };
        let place = *places.entry(what.to_string()).or_insert_with(|| {
            groups.push((what, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(one.subject.clone());
    }
    let line = |(what, mut subjects): (Sentence, Vec<Sentence>)| {
        // Plain names: those of one file stand behind its name, once.
        let plain: Option<Vec<String>> =
            subjects.iter().map(|s| s.message().is_none().then(|| s.to_string())).collect();
        let files = |names: &[String]| {
            let mut files: Vec<&str> = names.iter().map(|n| n.split(": ").next().unwrap_or(n)).collect();
            files.dedup();
            files.len()
        };
        if let Some(names) = plain.filter(|names| files(names) <= MOST_SUBJECTS) {
            return sentence!("saw-of", subject = format::titles(&names), what);
        }
        let rest = subjects.len().saturating_sub(MOST_SUBJECTS);
        if rest > 1 {
            subjects.truncate(MOST_SUBJECTS);
            subjects.push(sentence!("saw-list-rest", rest));
        }
        sentence!("saw-of", subject = format::list(&subjects), what)
    };
    groups.into_iter().map(line).collect()
}

/// What the readers passed over or guessed.
fn remarks(files: &[ForeignFile]) -> Vec<SourceLine> {
    let all = files.iter().flat_map(|f| f.remarks.iter().map(move |r| (f, r)));
    let line = |(f, r): (&ForeignFile, &model::ForeignRemark)| SourceLine::new(&f.source, r.line, &r.text);
    all.take(MOST_REMARKS).map(line).collect()
}
