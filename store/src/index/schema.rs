//! Tables of the index, common to all databases.

/// Version of the tables. An index of another version is rebuilt from the journals; a team store of another version is
/// rejected.
pub(crate) const VERSION: u32 = 1;

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Real,
    /// Integer that may be unknown (NULL).
    MaybeInteger,
}

/// Table of the index. All of its texts are constants in this file.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    pub(crate) key: &'static str,
}

use Kind::{Integer, MaybeInteger, Real, Text};

/// One row per run. `crc` covers all other cells of the run in all tables, so that a flipped byte is detected.
pub(crate) const RUN: Table = Table {
    name: "run",
    columns: &[
        ("id", Text),
        ("started", Text),
        ("began_ns", MaybeInteger),
        // Name of the kind; empty if the journal cannot be read.
        ("kind", Text),
        ("command", Text),
        ("target", Text),
        ("tool", Text),
        ("state", Text),
        ("duration_ns", Integer),
        ("verdict", Text),
        // Translatable message of the verdict, in JSON; empty if there is none.
        ("verdict_message", Text),
        ("exit_code", MaybeInteger),
        ("host", Text),
        ("size", Integer),
        ("plan", Text),
        ("note", Text),
        ("crc", Integer),
    ],
    key: "id",
};

/// One row per workload of a run, in order.
pub(crate) const WORKLOAD: Table = Table {
    name: "workload",
    columns: &[
        ("run", Text),
        ("n", Integer),
        ("name", Text),
        ("pattern", Text),
        ("bs", MaybeInteger),
        ("engine", Text),
        ("depth", Integer),
        ("jobs", MaybeInteger),
        ("iops", Real),
        ("bandwidth", Real),
        ("mean_ns", MaybeInteger),
        ("p99_ns", MaybeInteger),
        // Reasons why these four are NULL, as a JSON array; empty if none is.
        ("reasons", Text),
    ],
    key: "run, n",
};

/// One row per tag of a run.
pub(crate) const TAG: Table = Table { name: "tag", columns: &[("run", Text), ("tag", Text)], key: "run, tag" };

pub(crate) const TABLES: [&Table; 3] = [&RUN, &WORKLOAD, &TAG];

impl Table {
    /// Returns the CREATE TABLE statement. `word` returns the database's name for a type.
    pub(crate) fn create(&self, word: fn(Kind) -> &'static str, end: &str) -> String {
        let columns: Vec<String> = self.columns.iter().map(|(name, kind)| format!("{name} {}", word(*kind))).collect();
        format!("CREATE TABLE {} ({}, PRIMARY KEY ({})){end}", self.name, columns.join(", "), self.key)
    }

    /// Returns the SELECT statement for all columns, sorted by key. `one` is an optional WHERE clause for a single run,
    /// whose id is bound.
    pub(crate) fn select(&self, one: &str) -> String {
        let columns: Vec<&str> = self.columns.iter().map(|c| c.0).collect();
        format!("SELECT {} FROM {}{one} ORDER BY {}", columns.join(", "), self.name, self.key)
    }

    /// Returns the INSERT statement, with one parameter per column.
    pub(crate) fn insert(&self, verb: &str, sign: char) -> String {
        let marks: Vec<String> = (1..=self.columns.len()).map(|n| format!("{sign}{n}")).collect();
        format!("{verb} INTO {} VALUES ({})", self.name, marks.join(", "))
    }
}
