//! The engines of macOS: their names are known, so that jobs and runs can be read, but none can be opened there.

use crate::engine::EngineEntry;
use crate::engines::files;

/// Every engine, in the order of Linux.
pub const ENGINES: &[EngineEntry] = engines! {
    own: [files::io_uring::ENTRY, files::libaio::ENTRY],
    behind_blocking: [],
};

/// Engines from which one would be chosen if none was requested.
pub const CANDIDATES: &[&str] = &["psync"];

/// Engines with many operations in flight, suggested to users who requested a queue depth from an engine of depth one.
pub const DEEP: &str = "io_uring or libaio";
