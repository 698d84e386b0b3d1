//! Ways to make writes durable that `secchi durable` compares: the operations that a database performs when it commits.
//!
//! The methods are those of PostgreSQL's `wal_sync_method`, further cases of `pg_test_fsync`
//! (`src/bin/pg_test_fsync/pg_test_fsync.c`), methods that promise nothing, appends, and renames.

use crate::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Method that makes the writes of a commit durable: a call after the writes, or a flag with which the file is opened.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
    strum::VariantNames,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CommitMethod {
    /// No sync: the writes stay in the page cache.
    None,
    /// `sync_file_range(2)`, waiting before and after the write-out: the data is handed to the device.
    SyncFileRange,
    /// A file opened with `O_DIRECT`, which bypasses the page cache.
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
    /// Write through one descriptor, then `fsync(2)` through another descriptor of the same file.
    OtherFsync,
    /// Write past the end of a file, then `fdatasync(2)`, which must also persist the new size.
    Append,
    /// Write a new file, sync it with `fsync(2)`, rename it over the previous one, then `fsync(2)` the directory.
    Rename,
}

impl CommitMethod {
    /// All methods.
    pub const ALL: &'static [CommitMethod] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the name; it is PostgreSQL's name if PostgreSQL has the method.
    #[must_use]
    pub const fn name(self) -> &'static str {
        <Self as strum::VariantNames>::VARIANTS[self as usize]
    }

    /// Returns `true` if data must survive a loss of power once the method has returned, according to POSIX and the
    /// manual pages.
    #[must_use]
    pub const fn promises(self) -> bool {
        !matches!(self, CommitMethod::None | CommitMethod::SyncFileRange | CommitMethod::Direct)
    }

    /// Returns `true` if the file is opened with `O_DIRECT`.
    #[must_use]
    pub const fn is_direct(self) -> bool {
        matches!(self, CommitMethod::Direct | CommitMethod::DirectDatasync)
    }
}

/// Commit that a thread repeats: a number of writes, then the operation that makes them durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommitRule {
    /// Method that makes the writes durable.
    pub method: CommitMethod,
    /// Size of a write, in bytes.
    pub block: Bytes,
    /// Number of writes before each sync.
    pub writes: u32,
    /// True if writes and syncs are separate operations, each with its own latency. Otherwise a commit is one operation
    /// with one latency.
    pub apart: bool,
}

impl CommitRule {
    /// Returns the number of bytes written per commit.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.block.as_u64() * u64::from(self.writes))
    }
}

impl fmt::Display for CommitRule {
    /// Formats the rule as `fdatasync 2 x 8k`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (method, block) = (self.method, self.block.short());
        match (self.apart, self.writes) {
            (true, _) => write!(f, "{method} behind {}", self.bytes().short()),
            (false, 1) => write!(f, "{method} {block}"),
            (false, writes) => write!(f, "{method} {writes} x {block}"),
        }
    }
}
