//! What the judge says of other tools' files. Derived, never stored: `analysis` makes it, `report` prints it.

use crate::{Bytes, Finding, Limit, Message, NeedResult, Outcome, Sentence, Severity};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A rule: one entry of a table that judges, explains and documents. The catalogues of messages hold what it says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleText {
    /// Stable identifier: `B03-label`.
    pub id: &'static str,
    /// How much it matters where it fires.
    pub severity: Severity,
}

impl RuleText {
    /// What is wrong where it fires, in a few words.
    #[must_use]
    pub fn title(&self) -> Message {
        self.message("title")
    }

    /// What it looks at and why that matters, in sentences.
    #[must_use]
    pub fn explanation(&self) -> Message {
        self.message("explanation")
    }

    /// What to do.
    #[must_use]
    pub fn remedy(&self) -> Message {
        self.message("remedy")
    }

    fn message(&self, what: &str) -> Message {
        Message::new(&format!("rule-{}-{what}", self.id))
    }
}

impl Severity {
    /// As it is told: `invalid`, `doubt`, `note`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Doubt => "doubt",
            Severity::Invalid => "invalid",
        }
    }
}

/// A line of a file that a statement rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceLine {
    /// The file as its user named it.
    pub source: Sentence,
    /// Line, counted from 1; 0 = the file as a whole.
    pub line: u32,
    /// Its words.
    pub words: Sentence,
}

impl SourceLine {
    /// A line of a file.
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

/// A finding with the lines it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignFinding {
    /// What was found. Its identifier is that of the rule.
    #[serde(flatten)]
    pub finding: Finding,
    /// Rows of the table it is about, as indices; empty = of no row.
    pub rows: Vec<usize>,
    /// Lines it rests on.
    pub lines: Vec<SourceLine>,
}

/// One result as a row of the one table: parameters from its content, figures in base units.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ForeignRow {
    /// The file as its user named it.
    pub source: String,
    /// Line it begins on.
    pub line: u32,
    /// Its name in the file.
    pub name: String,
    /// fio's word for what it did, empty where the file does not tell.
    pub rw: String,
    /// Mean bytes of an operation.
    pub block: Option<Bytes>,
    /// Operations in flight that one job may have.
    pub depth: Option<u32>,
    /// Jobs, threads or processes.
    pub jobs: Option<u32>,
    /// I/O engine.
    pub engine: String,
    /// Operations counted.
    pub ops: Option<f64>,
    /// Seconds it ran.
    pub seconds: Option<f64>,
    /// Operations per second: those counted over the time where both are told, else the tool's figure.
    pub iops: Option<f64>,
    /// Least and largest rate that is written like this.
    pub iops_between: Option<(f64, f64)>,
    /// Share of reads, 0 to 1.
    pub reads: Option<f64>,
    /// Bytes per second.
    pub bandwidth: Option<f64>,
    /// Rate of what is no operation of a device, and its unit: 7,345 `entries/s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<(f64, String)>,
    /// Mean latency, seconds, of all operations.
    pub mean: Option<f64>,
    /// The mean is no measurement: operations that may be in flight over the rate (Little's law).
    pub mean_by_little: bool,
    /// 99th percentile, seconds; of a mix the worse of both directions.
    pub p99: Option<f64>,
    /// Smallest value that the percentile may have, seconds, where only percentiles of single clones are known; `p99` is the
    /// largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_least: Option<f64>,
    /// Largest latency, seconds.
    pub max: Option<f64>,
    /// Mean operations in flight, by Little's law: rate times latency.
    pub in_flight: Option<f64>,
    /// Share of one processor that a job spent submitting: rate times submission latency.
    pub submit_cpu: Option<f64>,
    /// How many times the working set was moved.
    pub passes: Option<f64>,
    /// The tightest of the limits given, and the share of it that was reached.
    pub limit: Option<(String, f64)>,
    /// What binds: `IOPS limit (volume)`, `latency`, `client`, `undecided`; empty where no limit is known.
    pub binds: Sentence,
    /// `Some(reason)`: not usable.
    pub struck: Option<String>,
    /// Rules that speak of it.
    pub findings: Vec<String>,
}

impl ForeignRow {
    /// `8k randwrite`; where it is not told what was done, the name of the test.
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

/// What was sampled over time, in one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForeignSampled {
    /// The file as its user named it.
    pub source: String,
    /// As the file names it.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Number of samples.
    pub samples: usize,
    /// Seconds they stretch over.
    pub seconds: f64,
    /// Mean, each sample weighted with its length.
    pub mean: f64,
    /// The largest sample.
    pub max: f64,
}

/// What the judge says of other tools' files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForeignJudgement {
    /// One sentence first.
    pub verdict: Sentence,
    /// Outcome over the needs; without needs `Pass` when nothing is invalid, else `Undecided`.
    pub outcome: Outcome,
    /// Each need with its outcome.
    pub needs: Vec<NeedResult>,
    /// Limits it was judged by.
    pub limits: Vec<Limit>,
    /// Files, with the format each was read as and the tool that wrote it.
    pub files: Vec<(String, String, String)>,
    /// Results, one a row.
    pub rows: Vec<ForeignRow>,
    /// What was sampled.
    pub sampled: Vec<ForeignSampled>,
    /// What was found, the gravest first.
    pub findings: Vec<ForeignFinding>,
    /// What of the files was not understood.
    pub remarks: Vec<SourceLine>,
    /// Exit code: 0, 1 a need is not met, 2 something is invalid or undecided.
    pub exit_code: u8,
}
