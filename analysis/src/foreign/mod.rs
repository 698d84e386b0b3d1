//! Judges results of other tools by comparing their figures with each other, with themselves and with limits.
//!
//! The rules are pure functions over [`ForeignFile`]s. Each is one entry of a table (`rules/`), with its input, its
//! evidence as lines of the files, and a remedy. A rule never reports anything without figures, and does not guess what
//! a file does not contain.
//!
//! | file | content |
//! |---|---|
//! | `case` | files as results with derived figures |
//! | `loads` | clones that were reported one by one, as one result |
//! | `caps` | limits as constraints on one result |
//! | `beside` | loads and the counters of their devices at the same time |
//! | `samples` | time series of devices, sums at the same moment |
//! | `rule`, `rules/` | the table of rules |
//! | `rows` | the result table: parameters from the content, and the binding limit |
//! | `unjudged` | mistakes that no file can show |
//! | `needs`, `verdict` | needs checked with intervals, and the first sentence |
//! | `format` | formatting of figures and names |

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
use model::judged::{Finding, ForeignFinding, ForeignJudgement, ForeignRow, RuleText, SourceLine};
use model::{Bytes, Limit, Sentence, Severity, bounds::Need, foreign::ForeignFile, map_on_all_cpus};
use rule::{Rule, RuleMatch};
use std::collections::BTreeMap;

/// Criteria by which foreign files are judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForeignRequest<'a> {
    /// Limits that the storage was sold with.
    pub limits: &'a [Limit],
    /// Needs to check.
    pub needs: &'a [Need],
    /// Memory of the machine that was measured, if it is known.
    pub memory: Option<Bytes>,
}

/// Maximum number of evidence lines kept for one finding; a log of many results has more.
const MOST_LINES: usize = 60;
/// Rules that doubt a whole run, and therefore also the row of its syncs.
const OF_WHOLE_RUN: [&str; 3] = [rules::whole::NOT_WHOLE, "B03-label", "B34-absurd"];
/// Maximum number of remarks of the readers that are kept.
const MOST_REMARKS: usize = 200;

/// Returns the text of every rule, in the order of the table.
pub fn foreign_rules() -> impl Iterator<Item = &'static RuleText> {
    rules::all().map(|r| &r.text)
}

/// Returns the mistakes without a rule: why no file shows them, and how secchi avoids them in its own runs.
#[must_use]
pub fn unjudged() -> &'static [RuleText] {
    unjudged::UNJUDGED
}

/// Judges files of other tools.
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

/// Returns the order of the rows: by access pattern, then family, size, jobs and depth; equal rows in the order of the
/// files.
fn order(rows: &[ForeignRow]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let family =
        |r: &ForeignRow| model::text::file_name(&r.source).chars().filter(|c| c.is_alphabetic()).collect::<String>();
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

/// Adds, to each match without lines, the line on which its result begins.
fn grounded(mut seen: Vec<RuleMatch>, case: &Case) -> Vec<RuleMatch> {
    for one in seen.iter_mut().filter(|s| s.lines.is_empty()) {
        one.lines = one.rows.iter().filter_map(|r| case.rows().nth(*r)).map(|t| t.head(t.test.name.clone())).collect();
    }
    seen
}

/// Turns the matches of a rule into findings, one for each severity. A single match becomes a finding unchanged;
/// several are merged, with the cases as evidence.
fn to_findings(rule: &Rule, seen: Vec<RuleMatch>) -> Vec<ForeignFinding> {
    let severity_of = |s: &RuleMatch| s.severity.unwrap_or(rule.text.severity);
    [Severity::Invalid, Severity::Doubt, Severity::Note]
        .into_iter()
        .filter_map(|severity| {
            merge_matches(rule, severity, seen.iter().filter(|s| severity_of(s) == severity).collect())
        })
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

/// Maximum number of subjects named for a shared statement; the others are counted.
const MOST_SUBJECTS: usize = 4;

/// Returns the matches, one line each; matches with the same statement share a line that names their subjects.
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
        // Plain names: the jobs of one file follow its name, which appears once.
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

/// Returns the remarks of the readers about what they skipped or guessed.
fn remarks(files: &[ForeignFile]) -> Vec<SourceLine> {
    let remarks = files.iter().flat_map(|f| f.remarks.iter().map(move |r| (f, r)));
    let line = |(f, r): (&ForeignFile, &model::foreign::ForeignRemark)| SourceLine::new(&f.source, r.line, &r.text);
    remarks.take(MOST_REMARKS).map(line).collect()
}
