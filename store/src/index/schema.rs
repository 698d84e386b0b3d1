//! The index's tables: what they are in every database.

/// Version of the tables. An older one is made anew from the journals; a reader of an older program refuses this one.
pub(crate) const VERSION: u32 = 4;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Real,
    /// May be unknown: NULL.
    MaybeInteger,
}

/// A table. All that is in its texts are words of this file.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    pub(crate) key: &'static str,
}

use Kind::{Integer, MaybeInteger, Real, Text};

/// One row per run. `crc` covers all other cells of the run, in all tables: a flipped byte would otherwise be shown as the
/// truth.
pub(crate) const RUN: Table = Table {
    name: "run",
    columns: &[
        ("id", Text),
        ("started", Text),
        ("began_ns", MaybeInteger),
        ("command", Text),
        ("target", Text),
        ("tool", Text),
        ("state", Text),
        ("duration_ns", Integer),
        ("verdict", Text),
        // What says it in other languages, in JSON; empty where nothing does.
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
    ],
    key: "run, n",
};

/// One row per tag of a run.
pub(crate) const TAG: Table = Table { name: "tag", columns: &[("run", Text), ("tag", Text)], key: "run, tag" };

pub(crate) const TABLES: [&Table; 3] = [&RUN, &WORKLOAD, &TAG];

impl Table {
    /// Its statement of creation, with a database's own words for the kinds.
    pub(crate) fn create(&self, word: fn(Kind) -> &'static str, end: &str) -> String {
        let columns: Vec<String> = self.columns.iter().map(|(name, kind)| format!("{name} {}", word(*kind))).collect();
        format!("CREATE TABLE {} ({}, PRIMARY KEY ({})){end}", self.name, columns.join(", "), self.key)
    }

    /// Its statement that reads all columns in order of the key; `one` of a run alone, its id bound.
    pub(crate) fn select(&self, one: &str) -> String {
        let columns: Vec<&str> = self.columns.iter().map(|c| c.0).collect();
        format!("SELECT {} FROM {}{one} ORDER BY {}", columns.join(", "), self.name, self.key)
    }

    /// Its statement that puts a row in, a parameter for each column.
    pub(crate) fn insert(&self, verb: &str, sign: char) -> String {
        let marks: Vec<String> = (1..=self.columns.len()).map(|n| format!("{sign}{n}")).collect();
        format!("{verb} INTO {} VALUES ({})", self.name, marks.join(", "))
    }
}
