//! The engines of macOS: each is known by name, for what reads jobs and runs, and none can be opened there.

use crate::engine::EngineEntry;
use crate::engines::files;

/// Every engine, in the order of Linux.
pub const ENGINES: &[EngineEntry] = engines! {
    own: [files::io_uring::ENTRY, files::libaio::ENTRY],
    behind_blocking: [],
};

/// Engines one of which would be chosen where none was asked for.
pub const CANDIDATES: &[&str] = &["psync"];

/// Engines with many operations in flight, for those who asked one of depth one for them.
pub const DEEP: &str = "io_uring or libaio";
