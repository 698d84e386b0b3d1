//! Ways to make writes durable, one after the other (`secchi durable`): what a database does when it commits.
//!
//! The methods of PostgreSQL's `wal_sync_method` and what `pg_test_fsync` compares
//! (`src/bin/pg_test_fsync/pg_test_fsync.c`), beside those that promise nothing, growing files and names.

use crate::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is called once the writes of a commit are made, or how its file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitMethod {
    /// Nothing: writes that the page cache keeps.
    None,
    /// `sync_file_range(2)`, waiting before and behind: data is handed to the device.
    SyncFileRange,
    /// A file opened with `O_DIRECT`: past the page cache.
    Direct,
    /// `fdatasync(2)`.
    Fdatasync,
    /// `fsync(2)`.
    Fsync,
    /// A file opened with `O_DSYNC`.
    OpenDatasync,
    /// A file opened with `O_SYNC`.
    OpenSync,
    /// A file opened with `O_DIRECT` and `O_DSYNC`.
    DirectDatasync,
    /// Written by one descriptor, then `fsync(2)` of another one of the same file.
    OtherFsync,
    /// Written behind the end of a file, then `fdatasync(2)`, which must keep the new size, too.
    Append,
    /// A new file that is written, `fsync(2)`ed, given the name of the one before it, and `fsync(2)` of the directory.
    Rename,
}

impl CommitMethod {
    /// Every method.
    pub const ALL: [CommitMethod; 11] = [
        CommitMethod::None,
        CommitMethod::SyncFileRange,
        CommitMethod::Direct,
        CommitMethod::Fdatasync,
        CommitMethod::Fsync,
        CommitMethod::OpenDatasync,
        CommitMethod::OpenSync,
        CommitMethod::DirectDatasync,
        CommitMethod::OtherFsync,
        CommitMethod::Append,
        CommitMethod::Rename,
    ];

    /// PostgreSQL's word, where it has one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CommitMethod::None => "none",
            CommitMethod::SyncFileRange => "sync_file_range",
            CommitMethod::Direct => "direct",
            CommitMethod::Fdatasync => "fdatasync",
            CommitMethod::Fsync => "fsync",
            CommitMethod::OpenDatasync => "open_datasync",
            CommitMethod::OpenSync => "open_sync",
            CommitMethod::DirectDatasync => "direct_datasync",
            CommitMethod::OtherFsync => "other_fsync",
            CommitMethod::Append => "append",
            CommitMethod::Rename => "rename",
        }
    }

    /// Whether what it returned for is to survive a loss of power, by POSIX and the manual pages.
    #[must_use]
    pub const fn promises(self) -> bool {
        !matches!(self, CommitMethod::None | CommitMethod::SyncFileRange | CommitMethod::Direct)
    }

    /// Whether its file is opened past the page cache.
    #[must_use]
    pub const fn is_direct(self) -> bool {
        matches!(self, CommitMethod::Direct | CommitMethod::DirectDatasync)
    }
}

impl fmt::Display for CommitMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a thread does again and again: so many writes, then what makes them durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CommitRule {
    /// How.
    pub method: CommitMethod,
    /// Bytes of a write.
    pub block: Bytes,
    /// Writes before each sync.
    pub writes: u32,
    /// Writes and syncs are operations of their own, each with its latency; otherwise a commit is one operation and all of it is its
    /// latency.
    pub apart: bool,
}

impl CommitRule {
    /// Bytes of a commit.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.block.as_u64() * u64::from(self.writes))
    }
}

impl fmt::Display for CommitRule {
    /// `fdatasync 2 x 8k`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (method, block) = (self.method, self.block.short());
        match (self.apart, self.writes) {
            (true, _) => write!(f, "{method} behind {}", self.bytes().short()),
            (false, 1) => write!(f, "{method} {block}"),
            (false, writes) => write!(f, "{method} {writes} x {block}"),
        }
    }
}

/// What a run of `secchi durable` compares, in its order.
#[must_use]
pub fn commit_rules() -> Vec<CommitRule> {
    use CommitMethod as M;
    let one = |method| CommitRule { method, block: Bytes::from_kib(8), writes: 1, apart: false };
    let pieces = |method, kib, writes| CommitRule { block: Bytes::from_kib(kib), writes, ..one(method) };
    // As pg_test_fsync has them: one write, two writes, 16 KiB in pieces, another descriptor.
    let mut rules: Vec<CommitRule> = M::ALL.map(one).to_vec();
    rules.extend([M::Fdatasync, M::Fsync, M::OpenDatasync, M::OpenSync].map(|method| pieces(method, 8, 2)));
    rules.extend([(16, 1), (4, 4), (2, 8), (1, 16)].map(|(kib, writes)| pieces(M::OpenSync, kib, writes)));
    let dirty =
        |mib: u32| CommitRule { block: Bytes::from_kib(64), writes: mib * 16, apart: true, ..one(M::Fdatasync) };
    rules.extend([1, 8, 64].map(dirty));
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_stages_have_one_name_and_no_method_is_left_out() {
        let rules = commit_rules();
        let names: std::collections::BTreeSet<String> = rules.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), rules.len(), "{names:?}");
        assert!(CommitMethod::ALL.iter().all(|method| rules.iter().any(|rule| rule.method == *method)));
        assert!(names.contains("fdatasync behind 64m") && names.contains("open_sync 16 x 1k"), "{names:?}");
    }
}
