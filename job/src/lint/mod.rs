//! What a plan would get wrong, before anything runs: rules over parsed jobs, and over several of them side by side.
//!
//! Each rule is one entry of [`lint_rules`]. Pure: what the machine has and which files there are comes in as [`LintFacts`].

mod files;
mod harm;
mod known;
mod matrix;
mod native;
mod section;

pub use harm::Hazard;
pub use native::{NativePlan, lint_native};

use crate::error::{JobError, Note, SourceLocation};
use crate::file::{JobFile, Section};
use crate::lower::paths_on;
use messages::sentence;
use model::CompactSort;
use model::{Bytes, Finding, ForeignFinding, Limit, RuleText, Sentence, Severity, SourceLine};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What the rules may know of the machine.
pub struct LintFacts<'a> {
    /// Memory, if known.
    pub memory: Option<Bytes>,
    /// Processors, if known.
    pub cpus: Option<u32>,
    /// What the storage was sold as.
    pub limits: &'a [Limit],
    /// What is known of a file or device that a plan names.
    pub file: &'a dyn Fn(&Path) -> FileFact,
    /// What writing to a path would destroy; `None` where nothing is there, or it is ours.
    pub hazard: &'a dyn Fn(&Path) -> Option<Hazard>,
}

impl LintFacts<'_> {
    /// What a clone works on, as far as is known here.
    pub(crate) fn paths(&self, section: &Section, clone: u32) -> Vec<PathBuf> {
        // A plan for another machine may name a device that is not here.
        paths_on(section, clone, &|path| (self.file)(path) == FileFact::Device || path.starts_with("/dev"))
    }
}

/// What is known of a file that a plan names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFact {
    /// Not even its directory is here: the plan is for another machine.
    Elsewhere,
    /// Its directory is here, and it is not.
    Absent,
    /// It is a device, or as endless as one.
    Device,
    /// It is here.
    There {
        /// Its size, of a regular file.
        size: Option<Bytes>,
        /// Bytes of it that were ever written, where the file system tells.
        written: Option<Bytes>,
    },
}

/// One command line or job file.
pub struct Linted {
    /// File it stands in; `command line` for typed words.
    pub source: Sentence,
    /// Line, counted from 1; 0 = the whole.
    pub line: u32,
    /// As it was typed, or the name of the job file.
    pub words: String,
    /// Its arguments, which places count.
    pub arguments: Vec<String>,
    /// File that its output goes to.
    pub output: Option<String>,
    /// Lines of the job file that it names, where it could not be read as a plan: what it would destroy is looked for in them.
    pub lines: Vec<String>,
    /// Left running while the next one begins (`&`).
    pub background: bool,
    /// Words of it that were left out of the check, and why: what a script's variables stand for is not known.
    pub unknown: Vec<Sentence>,
    /// What it was read as, or why it would not run.
    pub jobs: Result<JobFile, JobError>,
}

/// Part of a script that was not read as a plan.
pub struct Unread {
    /// Script.
    pub source: Sentence,
    /// Line, counted from 1; 0 = the whole.
    pub line: u32,
    /// Source text of the command.
    pub words: String,
    /// Why it was not read.
    pub reason: UnreadReason,
}

/// Why part of a script was not read as a plan.
pub enum UnreadReason {
    /// It cannot be followed without running the script.
    Unknown(Sentence),
    /// The program would refuse it.
    Refused(Sentence),
}

/// What a rule saw.
#[derive(Debug, Clone)]
pub(crate) struct Saw {
    pub rule: &'static RuleText,
    pub severity: Option<Severity>,
    pub statement: Sentence,
    pub line: SourceLine,
}

/// A rule over one job: what is wrong, and the option it hangs on.
pub(crate) type JobRule = fn(&Section, &LintFacts) -> Option<(Sentence, &'static str)>;

/// A rule.
pub(crate) struct LintRule {
    pub text: RuleText,
    pub look: JobRule,
}

/// Every rule's account of itself.
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

/// Notes of the parser about typographic dashes.
const DASH_NOTES: [&str; 4] = ["job-dash-argument", "job-dash-arguments", "job-dash-option", "job-dash-taken"];

static UNCHECKED: RuleText = RuleText { id: "L00-not-done", severity: Severity::Doubt };

static UNKNOWN: RuleText = RuleText { id: "L00-unknown", severity: Severity::Doubt };

static DASHES: RuleText = RuleText { id: "L05-dashes", severity: Severity::Doubt };

/// Judges plans, and reports the parts of scripts that were not read.
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
            // What is wrong or missing may be made right by what is left out.
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
                    // A fill is no measurement: it ends when it is done.
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

/// What is said of one job.
fn of_job(section: &Section, what: Sentence) -> Sentence {
    sentence!("lint-of-job", job = model::clip(&section.name), what)
}

/// A sight at a place: the line of a job file, else that of the plan.
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

/// Sights of one rule as one finding, the gravest first, else in the order of the table.
pub(crate) fn findings(saw: Vec<Saw>) -> Vec<ForeignFinding> {
    let mut found: Vec<ForeignFinding> = Vec::new();
    for rule in lint_rules() {
        let own: Vec<&Saw> = saw.iter().filter(|s| s.rule.id == rule.id).collect();
        let Some(first) = own.first() else { continue };
        let severity = own.iter().filter_map(|s| s.severity).max().unwrap_or(rule.severity);
        let (statement, evidence) = match own.as_slice() {
            [one] => (one.statement.clone(), Vec::new()),
            many => {
                let mut seen = BTreeSet::new();
                let new = many.iter().map(|saw| &saw.statement).filter(|statement| seen.insert(*statement));
                let told: Vec<Sentence> = new.cloned().collect();
                match told.len() {
                    1 => (sentence!("saw-times", what = &first.statement, n = many.len()), Vec::new()),
                    n => (sentence!("saw-times", what = rule.title(), n), told),
                }
            }
        };
        // The words of a job file's line are the statement itself: said already.
        let mut seen = BTreeSet::new();
        let lines = own.iter().map(|saw| &saw.line).filter(|line| seen.insert(*line)).cloned().collect();
        let finding = Finding {
            id: rule.id.to_owned(),
            severity,
            statement,
            evidence,
            remedy: messages::sentence(rule.remedy()),
        };
        found.push(ForeignFinding { finding, rows: Vec::new(), lines });
    }
    found.compact_sort_by_key(|f| std::cmp::Reverse(f.finding.severity));
    found
}

#[cfg(test)]
mod tests;
