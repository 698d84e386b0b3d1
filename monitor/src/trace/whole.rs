//! A disk that is traced.

use model::Bytes;

/// A device to be traced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whole {
    pub name: String,
    pub dev: (u32, u32),
    /// What it stands on, in words.
    pub over: Vec<String>,
    pub without_requests: bool,
    pub size: Bytes,
    /// Bytes of a logical block; 0 = unknown.
    pub sector: u32,
    /// Numbers of its partitions, whose operations bear the disk's sectors already.
    pub partitions: Vec<(u32, u32)>,
}
