//! Checks plans for mistakes before a run: rules for parsed jobs, and rules that compare several jobs.
//!
//! [`lint_rules`] lists all rules. The module does no I/O: the caller passes in facts about the machine and its files
//! as [`LintFacts`].

mod diskspd;
mod files;
mod harm;
mod known;
mod matrix;
mod native;
mod section;

pub use diskspd::{diskspd_plan, is_drive};
pub use harm::Hazard;
pub use native::{NativePlan, is_synchronous, lint_native};

use crate::error::{JobError, Note, SourceLocation};
use crate::file::{JobFile, Section};
use crate::lower::paths_on;
use messages::sentence;
use model::judged::{Finding, ForeignFinding, RuleText, SourceLine};
use model::{Bytes, CompactSort, Limit, Sentence, Severity};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Facts about the machine that the rules need.
pub struct LintFacts<'a> {
    /// Memory in bytes, if known.
    pub memory: Option<Bytes>,
    /// Number of processors, if known.
    pub cpus: Option<u32>,
    /// Specified limits of the storage.
    pub limits: &'a [Limit],
    /// Function that returns the known facts about a file or device named in a plan.
    pub file: &'a dyn Fn(&Path) -> FileFact,
    /// Function that returns the data that a write to a path would destroy. Returns `None` if the path does not exist,
    /// or if secchi created the file.
    pub hazard: &'a dyn Fn(&Path) -> Option<Hazard>,
}

impl LintFacts<'_> {
    /// Returns the paths that a clone uses, as far as they can be determined on this machine.
    pub(crate) fn paths(&self, section: &Section, clone: u32) -> Vec<PathBuf> {
        // A plan for another machine may name a device that does not exist here.
        paths_on(section, clone, &|path| (self.file)(path) == FileFact::Device || path.starts_with("/dev"))
    }
}

/// Known facts about a file named in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFact {
    /// Neither the file nor its directory exists here, so the plan is for another machine.
    Elsewhere,
    /// The file does not exist, but its directory does.
    Absent,
    /// A device, or a file of unlimited size.
    Device,
    /// The file exists.
    There {
        /// Size of a regular file.
        size: Option<Bytes>,
        /// Number of bytes of the file that have been written, if the file system reports it.
        written: Option<Bytes>,
    },
}

/// Command line or job file to check.
pub struct Linted {
    /// File that contains the command, or `command line` for a typed command.
    pub source: Sentence,
    /// Line number, from 1; 0 = the whole file.
    pub line: u32,
    /// Command as typed, or the name of the job file.
    pub words: String,
    /// Arguments of the command, to which argument numbers in locations refer.
    pub arguments: Vec<String>,
    /// Output file of the command.
    pub output: Option<String>,
    /// Lines of a job file that failed to parse. The lines are searched for data that the plan would destroy.
    pub lines: Vec<String>,
    /// True if the command runs in the background (`&`), so the next command begins before it ends.
    pub background: bool,
    /// Words that were not checked, each with the reason. For example, the value of a script's variable may be unknown.
    pub unknown: Vec<Sentence>,
    /// Parsed jobs, or the reason why the jobs cannot run.
    pub jobs: Result<JobFile, JobError>,
}

/// Part of a script that was not checked as a plan.
pub struct Unread {
    /// Name of the script.
    pub source: Sentence,
    /// Line number, from 1; 0 = the whole script.
    pub line: u32,
    /// Source text of the command.
    pub words: String,
    /// Reason why the part was not checked.
    pub reason: UnreadReason,
}

/// Reason why part of a script was not checked as a plan.
pub enum UnreadReason {
    /// The part cannot be interpreted without running the script.
    Unknown(Sentence),
    /// The program that the script calls would refuse the command.
    Refused(Sentence),
}

/// Single observation made by a rule.
#[derive(Debug, Clone)]
pub(crate) struct Saw {
    pub rule: &'static RuleText,
    pub severity: Option<Severity>,
    pub statement: Sentence,
    pub line: SourceLine,
}

/// Function that applies a rule to one job. Returns the mistake and the option that causes it.
pub(crate) type JobRule = fn(&Section, &LintFacts) -> Option<(Sentence, &'static str)>;

/// Rule for one job.
pub(crate) struct LintRule {
    pub text: RuleText,
    pub look: JobRule,
}

/// Iterates over the descriptions of all rules.
pub fn lint_rules() -> impl Iterator<Item = &'static RuleText> {
    let harm = harm::RULES.iter().copied();
    harm.chain([&OUTRIGHT, &UNKNOWN, &UNCHECKED, &REMARK, &DASHES])
        .chain(section::RULES.iter().map(|r| &r.text))
        .chain(files::RULES.iter().copied())
        .chain(known::RULES.iter().copied())
        .chain(matrix::RULES.iter().copied())
}

static OUTRIGHT: RuleText = RuleText { id: "L00-refused", severity: Severity::Invalid };

static REMARK: RuleText = RuleText { id: "L00-remark", severity: Severity::Note };

/// IDs of the parser's notes about typographic dashes.
const DASH_NOTES: [&str; 4] = ["job-dash-argument", "job-dash-arguments", "job-dash-option", "job-dash-taken"];

static UNCHECKED: RuleText = RuleText { id: "L00-not-done", severity: Severity::Doubt };

static UNKNOWN: RuleText = RuleText { id: "L00-unknown", severity: Severity::Doubt };

static DASHES: RuleText = RuleText { id: "L05-dashes", severity: Severity::Doubt };

/// Checks plans, and reports the parts of scripts that were not checked.
#[must_use]
pub fn lint(plans: &[Linted], unread: &[Unread], facts: &LintFacts) -> Vec<ForeignFinding> {
    let mut saw: Vec<Saw> = Vec::new();
    saw.extend(unread.iter().map(|part| {
        let (rule, statement) = match &part.reason {
            UnreadReason::Unknown(what) => (&UNKNOWN, what.clone()),
            UnreadReason::Refused(what) => (&OUTRIGHT, what.clone()),
        };
        let line = SourceLine::new(&part.source, part.line, model::clip(&part.words));
        Saw { rule, severity: None, statement, line }
    }));
    for plan in plans {
        saw.extend(plan.unknown.iter().map(|u| finding(plan, &UNKNOWN, &SourceLocation::Argument(0), u.clone())));
        match &plan.jobs {
            // The unknown words may correct a mistake or supply a missing option.
            Err(_) if !plan.unknown.is_empty() => {}
            Ok(jobs) if !plan.unknown.is_empty() => saw.extend(harm::check(plan, jobs, facts)),
            Err(error) => {
                saw.extend(harm::look_unread(plan, facts));
                let rule = if error.is_not_done() { &UNCHECKED } else { &OUTRIGHT };
                saw.push(finding(plan, rule, &error.at, error.what.clone()));
            }
            Ok(jobs) => {
                let rule = |n: &Note| if DASH_NOTES.iter().any(|id| n.says(id)) { &DASHES } else { &REMARK };
                saw.extend(jobs.notes.iter().map(|n| finding(plan, rule(n), &n.at, n.text.clone())));
                for (i, section) in jobs.sections.iter().enumerate() {
                    // A fill is not a measurement. It ends when its files are complete.
                    if !files::is_preparation(section, &jobs.sections[i + 1..], facts) {
                        saw.extend(of_section(plan, section, facts));
                    }
                }
                saw.extend(files::check(plan, jobs, facts));
                saw.extend(known::check(plan, jobs, facts));
                saw.extend(harm::check(plan, jobs, facts));
            }
        }
    }
    saw.extend(matrix::check(plans));
    findings(saw)
}

fn of_section(plan: &Linted, section: &Section, facts: &LintFacts) -> Vec<Saw> {
    let tell = |rule: &'static LintRule| {
        let (statement, option) = (rule.look)(section, facts)?;
        Some(finding(plan, &rule.text, section.place_of(option), of_job(section, statement)))
    };
    section::RULES.iter().filter_map(tell).collect()
}

/// Prepends the name of the job to a sentence.
fn of_job(section: &Section, what: Sentence) -> Sentence {
    sentence!("lint-of-job", job = model::clip(&section.name), what)
}

/// Returns an observation with its location: a line of a job file, an argument of a typed command, or otherwise the
/// line of the plan.
fn finding(plan: &Linted, rule: &'static RuleText, at: &SourceLocation, statement: impl Into<Sentence>) -> Saw {
    let statement = statement.into();
    let line = match at {
        SourceLocation::Line { file, line, .. } => {
            SourceLine::new(file.to_string(), u32::try_from(*line).unwrap_or(u32::MAX), &statement)
        }
        SourceLocation::Argument(n) if plan.line == 0 => {
            let word = n.checked_sub(1).and_then(|n| plan.arguments.get(n)).unwrap_or(&plan.words);
            SourceLine::new(sentence!("lint-argument", source = &plan.source, n = *n), 0, model::clip(word))
        }
        _ => SourceLine::new(&plan.source, plan.line, model::clip(&plan.words)),
    };
    Saw { rule, severity: None, statement, line }
}

/// Merges the observations of each rule into one finding. Sorts the findings by severity, most severe first, then in
/// the order of the rules.
pub(crate) fn findings(saw: Vec<Saw>) -> Vec<ForeignFinding> {
    let mut findings: Vec<ForeignFinding> = Vec::new();
    for rule in lint_rules() {
        let matches: Vec<&Saw> = saw.iter().filter(|s| s.rule.id == rule.id).collect();
        let Some(first) = matches.first() else { continue };
        let severity = matches.iter().filter_map(|s| s.severity).max().unwrap_or(rule.severity);
        let (statement, evidence) = match matches.as_slice() {
            [one] => (one.statement.clone(), Vec::new()),
            many => {
                let mut seen = BTreeSet::new();
                let new = many.iter().map(|saw| &saw.statement).filter(|statement| seen.insert(*statement));
                let statements: Vec<Sentence> = new.cloned().collect();
                match statements.len() {
                    1 => (sentence!("saw-times", what = &first.statement, n = many.len()), Vec::new()),
                    n => (sentence!("saw-times", what = rule.title(), n), statements),
                }
            }
        };
        // Several observations may be on the same line. Each line is listed only once.
        let mut seen = BTreeSet::new();
        let lines = matches.iter().map(|saw| &saw.line).filter(|line| seen.insert(*line)).cloned().collect();
        let finding = Finding {
            id: rule.id.to_owned(),
            severity,
            statement,
            evidence,
            remedy: messages::sentence(rule.remedy()),
        };
        findings.push(ForeignFinding { finding, rows: Vec::new(), lines });
    }
    findings.compact_sort_by_key(|f| std::cmp::Reverse(f.finding.severity));
    findings
}

#[cfg(test)]
mod tests;
