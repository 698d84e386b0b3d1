//! The filter language of `--where`: `target~/mnt and bs=8k and not tag=old`.
//!
//! ```text
//! filter = all { "or" all }        all = one { "and" one }        one = "not" one | "(" filter ")" | test
//! test   = FIELD OPERATOR VALUE | ("since" | "before") MOMENT
//! ```
//!
//! User input never becomes part of an SQL text: fields and operators are looked up in the tables below, and values are
//! bound. A filter selects a run if at least one of the run's workloads satisfies the whole filter. A test of an
//! unknown value fails.

mod parse;
mod sql;
mod value;

pub(crate) use sql::{Dialect, select};
pub use value::Now;
pub(crate) use value::Value;

use std::fmt;

/// Kind of value that a field holds. It determines the allowed operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Text, with the operators = != ~ !~.
    Text,
    /// Beginning of an id, with the operators = !=.
    Id,
    /// A number.
    Number,
    /// Size, such as `8k` or `64MiB`.
    Size,
    /// Duration, such as `1.5ms`.
    Time,
    /// Operations per second, such as `12k`.
    Rate,
    /// Bandwidth, such as `200MB`; MB if no unit is given.
    Bandwidth,
    /// Point in time, such as `2026-11-01` or `2026-11-01T10:00`.
    Moment,
}

/// A field of a run, or of one of its workloads.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in the filter language.
    pub name: &'static str,
    /// Alternative names.
    pub also: &'static [&'static str],
    /// Kind of value that the field holds.
    pub kind: FieldKind,
    /// Description for the help.
    pub doc: &'static str,
    /// Column of the index that holds the value, as `table.column`.
    column: &'static str,
}

const fn field(
    name: &'static str,
    also: &'static [&'static str],
    kind: FieldKind,
    column: &'static str,
    doc: &'static str,
) -> Field {
    Field { name, also, kind, doc, column }
}

/// All fields, in the order of the documentation.
pub const FIELDS: &[Field] = &[
    field("id", &["run"], FieldKind::Id, "run.id", "its id, or the first digits of it"),
    field("tag", &["tags", "name"], FieldKind::Text, "tag.tag", "one of its tags"),
    field("note", &[], FieldKind::Text, "run.note", "its note"),
    field(
        "kind",
        &[],
        FieldKind::Text,
        "run.kind",
        "blocks, metadata, mark, job_file, ping, replay, durability, database or watch",
    ),
    field("command", &[], FieldKind::Text, "run.command", "qualify, fio, mark, ping, db, watch"),
    field("target", &[], FieldKind::Text, "run.target", "path of the target"),
    field("plan", &[], FieldKind::Text, "run.plan", "key of the plan, equal for runs with the same plan"),
    field("host", &[], FieldKind::Text, "run.host", "name of the host"),
    field("tool", &["version"], FieldKind::Text, "run.tool", "version of secchi"),
    field(
        "state",
        &[],
        FieldKind::Text,
        "run.state",
        "running, complete, interrupted, stopped, hung, failed, unreadable",
    ),
    field("verdict", &[], FieldKind::Text, "run.verdict", "the verdict's sentence"),
    field("exit", &[], FieldKind::Number, "run.exit_code", "the judge's exit code: 0 met, 1 not met, 2 undecided"),
    field("started", &["date"], FieldKind::Moment, "run.began_ns", "start time"),
    field("took", &["duration"], FieldKind::Time, "run.duration_ns", "duration"),
    field("size", &[], FieldKind::Size, "run.size", "bytes under test"),
    field("workload", &["job"], FieldKind::Text, "workload.name", "name of a workload: 8k randread, or of a job"),
    field(
        "pattern",
        &["op", "rw"],
        FieldKind::Text,
        "workload.pattern",
        "randread, randwrite, randrw, read, write, ...",
    ),
    field("bs", &["block"], FieldKind::Size, "workload.bs", "size of an operation"),
    field("engine", &["ioengine"], FieldKind::Text, "workload.engine", "engine that ran it"),
    field("depth", &["iodepth"], FieldKind::Number, "workload.depth", "operations in flight, of all jobs together"),
    field("jobs", &["numjobs"], FieldKind::Number, "workload.jobs", "number of jobs that ran it at the same time"),
    field("iops", &[], FieldKind::Rate, "workload.iops", "operations per second"),
    field("mbps", &["bw"], FieldKind::Bandwidth, "workload.bandwidth", "bytes per second"),
    field("avg", &["mean", "lat"], FieldKind::Time, "workload.mean_ns", "mean latency"),
    field("p99", &[], FieldKind::Time, "workload.p99_ns", "99th percentile of latency"),
];

/// Operator that compares a field with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// The field equals the value.
    Equal,
    /// The field differs from the value.
    Differs,
    /// The field contains the value; case-insensitive for ASCII letters.
    Contains,
    /// The field does not contain the value.
    Lacks,
    /// The field is less than the value.
    Less,
    /// The field is at most the value.
    AtMost,
    /// The field is greater than the value.
    More,
    /// The field is at least the value.
    AtLeast,
}

impl Operator {
    /// Operators, each with its sign. A longer sign comes before its prefixes.
    const ALL: [(&str, Operator); 9] = [
        ("==", Operator::Equal),
        ("!=", Operator::Differs),
        ("!~", Operator::Lacks),
        ("<=", Operator::AtMost),
        (">=", Operator::AtLeast),
        ("=", Operator::Equal),
        ("~", Operator::Contains),
        ("<", Operator::Less),
        (">", Operator::More),
    ];

    fn sign(self) -> &'static str {
        Operator::ALL.iter().rev().find(|(_, o)| *o == self).map_or("=", |(sign, _)| sign)
    }

    fn fits(self, kind: FieldKind) -> bool {
        kind.operators().split(' ').any(|sign| sign == self.sign())
    }
}

impl FieldKind {
    fn operators(self) -> &'static str {
        match self {
            FieldKind::Text => "= != ~ !~",
            FieldKind::Id => "= !=",
            _ => "= != < <= > >=",
        }
    }
}

/// Comparison of a field with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    field: &'static Field,
    operator: Operator,
    value: Value,
    /// The value as typed, for printing.
    typed: String,
    /// True if the test was typed as `since` or `before`.
    moment: bool,
}

/// A filter for runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// Single test.
    Test(Box<Test>),
    /// Negation of a filter.
    Not(Box<Filter>),
    /// Conjunction: true if every filter is true.
    All(Vec<Filter>),
    /// Disjunction: true if at least one filter is true.
    Any(Vec<Filter>),
}

/// Mistake in a filter, described in one clause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FilterError(pub String);

/// Looks up a field by name or alias. The error for an unknown name suggests the most similar one.
fn find(typed: &str) -> Result<&'static Field, FilterError> {
    let named = |f: &&Field| f.name.eq_ignore_ascii_case(typed) || f.also.iter().any(|a| a.eq_ignore_ascii_case(typed));
    FIELDS.iter().find(named).ok_or_else(|| {
        let names = FIELDS.iter().flat_map(|f| std::iter::once(f.name).chain(f.also.iter().copied()));
        let lower = typed.to_ascii_lowercase();
        let hint = model::units::suggestion(&lower, names);
        let fields: Vec<&str> = FIELDS.iter().map(|f| f.name).collect();
        FilterError(format!("unknown field `{}`; known fields: {}{hint}", model::clip(typed), fields.join(" ")))
    })
}

/// Returns `true` if the value needs no quotes.
fn plain(text: &str) -> bool {
    let is_syntax = |c: char| c.is_whitespace() || "()'\"".contains(c);
    // A leading sign would be parsed as part of the operator.
    !text.is_empty() && !text.contains(is_syntax) && !text.starts_with(['=', '~', '<', '>', '!'])
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = format!("'{}'", self.typed.replace('\'', "''"));
        let value = if plain(&self.typed) { &self.typed } else { &quoted };
        match (self.moment, self.operator) {
            (true, Operator::Less) => write!(f, "before {value}"),
            (true, _) => write!(f, "since {value}"),
            (false, operator) => write!(f, "{}{}{value}", self.field.name, operator.sign()),
        }
    }
}

impl fmt::Display for Filter {
    /// Formats the filter as text that can be parsed to the same filter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Filter], word: &str| {
            for (i, part) in parts.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { word })?;
                match part {
                    Filter::Test(_) | Filter::Not(_) => part.fmt(f)?,
                    Filter::All(_) | Filter::Any(_) => write!(f, "({part})")?,
                }
            }
            Ok(())
        };
        match self {
            Filter::Test(test) => test.fmt(f),
            Filter::Not(inner) if matches!(**inner, Filter::Test(_) | Filter::Not(_)) => write!(f, "not {inner}"),
            Filter::Not(inner) => write!(f, "not ({inner})"),
            Filter::All(parts) => list(f, parts, " and "),
            Filter::Any(parts) => list(f, parts, " or "),
        }
    }
}

#[cfg(test)]
mod tests;
