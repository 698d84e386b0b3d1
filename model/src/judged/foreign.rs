//! Judgement of other tools' files. Derived, never stored: `analysis` produces it, `report` prints it.

use crate::judged::{Finding, NeedResult, Outcome};
use crate::{Bytes, Limit, Sentence, Severity, text::Message};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A rule: one entry of a table used for judging, explaining and documenting. Its texts are in the message catalogues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleText {
    /// Stable identifier: `B03-label`.
    pub id: &'static str,
    /// Severity of a match.
    pub severity: Severity,
}

impl RuleText {
    /// Returns the message with the problem that the rule finds, in a few words.
    #[must_use]
    pub fn title(&self) -> Message {
        self.message("title")
    }

    /// Returns the message with what the rule checks and why that matters, in sentences.
    #[must_use]
    pub fn explanation(&self) -> Message {
        self.message("explanation")
    }

    /// Returns the message with the suggested action.
    #[must_use]
    pub fn remedy(&self) -> Message {
        self.message("remedy")
    }

    fn message(&self, what: &str) -> Message {
        Message::new(&format!("rule-{}-{what}", self.id))
    }
}

/// A line of a file on which a statement is based.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceLine {
    /// File, as the user named it.
    pub source: Sentence,
    /// Line number, from 1; 0 means the whole file.
    pub line: u32,
    /// Text of the line.
    pub words: Sentence,
}

impl SourceLine {
    /// Returns a line of a file.
    #[must_use]
    pub fn new(source: impl Into<Sentence>, line: u32, words: impl Into<Sentence>) -> Self {
        SourceLine { source: source.into(), line, words: words.into() }
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.source, self.words),
            line => write!(f, "{}:{line}: {}", self.source, self.words),
        }
    }
}

/// A finding with the lines on which it is based.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeignFinding {
    /// The finding. Its identifier is that of the rule.
    #[serde(flatten)]
    pub finding: Finding,
    /// Indices of the affected rows of the table; empty if it affects no row.
    pub rows: Vec<usize>,
    /// Lines on which it is based.
    pub lines: Vec<SourceLine>,
}

/// One result as a row of the common table: parameters from the file's content, figures in base units.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeignRow {
    /// File, as the user named it.
    pub source: String,
    /// Line on which the result begins.
    pub line: u32,
    /// Name of the result in the file.
    pub name: String,
    /// Operation, as a value of fio's `rw=`; empty if the file does not contain it.
    pub rw: String,
    /// Mean size of an operation, in bytes.
    pub block: Option<Bytes>,
    /// Queue depth of one job.
    pub depth: Option<u32>,
    /// Jobs, threads or processes.
    pub jobs: Option<u32>,
    /// I/O engine.
    pub engine: String,
    /// Operations counted.
    pub ops: Option<f64>,
    /// Duration in seconds.
    pub seconds: Option<f64>,
    /// Operations per second: the count over the time if the file has both, else the tool's figure.
    pub iops: Option<f64>,
    /// Smallest and largest rate that the tool would have printed as this figure.
    pub iops_between: Option<(f64, f64)>,
    /// Share of reads, 0 to 1.
    pub reads: Option<f64>,
    /// Bytes per second.
    pub bandwidth: Option<f64>,
    /// Rate of work other than device operations, with its unit: 7,345 `entries/s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<(f64, String)>,
    /// Mean latency of all operations, in seconds.
    pub mean: Option<f64>,
    /// True if the mean was not measured but is the queue depth over the rate (Little's law).
    pub mean_by_little: bool,
    /// 99th percentile, in seconds; for a mix, that of the slower direction.
    pub p99: Option<f64>,
    /// Smallest possible value of the percentile, in seconds, if only percentiles of individual clones of a job are
    /// known; `p99` is then the largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_least: Option<f64>,
    /// Largest latency, in seconds.
    pub max: Option<f64>,
    /// Mean number of operations in flight, by Little's law: rate times latency.
    pub in_flight: Option<f64>,
    /// Share of one CPU that a job spent on submission: rate times submission latency.
    pub submit_cpu: Option<f64>,
    /// Number of times that the whole working set was transferred.
    pub passes: Option<f64>,
    /// Tightest of the given limits, and the share of this limit that was reached.
    pub limit: Option<(String, f64)>,
    /// Binding limit: `IOPS limit (volume)`, `latency`, `client`, `undecided`; empty if no limit is known.
    pub binds: Sentence,
    /// Reason why the row is unusable; `None` if it is usable.
    pub struck: Option<String>,
    /// Identifiers of the rules that matched the row.
    pub findings: Vec<String>,
}

impl ForeignRow {
    /// Returns a label such as `8k randwrite`; the name of the test replaces an unknown operation.
    #[must_use]
    pub fn label(&self) -> String {
        match self.block {
            Some(block) if self.rw.is_empty() => format!("{} {}", block.short(), self.name).trim_end().to_owned(),
            Some(block) => format!("{} {}", block.short(), self.rw),
            None if self.rw.is_empty() => self.name.clone(),
            None => self.rw.clone(),
        }
    }
}

/// Summary of one sampled series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeignSampled {
    /// File, as the user named it.
    pub source: String,
    /// Name of the series in the file.
    pub name: String,
    /// Unit of the values.
    pub unit: String,
    /// Number of samples.
    pub samples: usize,
    /// Time span of the samples, in seconds.
    pub seconds: f64,
    /// Mean, weighted by the length of each sample.
    pub mean: f64,
    /// Largest sample.
    pub max: f64,
}

/// Judgement of other tools' files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeignJudgement {
    /// Verdict, in one sentence.
    pub verdict: Sentence,
    /// Outcome of the needs; without needs `Pass` if nothing is invalid, else `Undecided`.
    pub outcome: Outcome,
    /// Each need with its outcome.
    pub needs: Vec<NeedResult>,
    /// Limits used for judging.
    pub limits: Vec<Limit>,
    /// Files, each with the detected format and the tool that wrote it.
    pub files: Vec<(String, String, String)>,
    /// Results, one per row.
    pub rows: Vec<ForeignRow>,
    /// Sampled series.
    pub sampled: Vec<ForeignSampled>,
    /// Findings, the most severe first.
    pub findings: Vec<ForeignFinding>,
    /// Lines of the files that were not understood.
    pub remarks: Vec<SourceLine>,
    /// Exit code: 0 for success, 1 if a need is not met, 2 if something is invalid or undecided.
    pub exit_code: u8,
}
