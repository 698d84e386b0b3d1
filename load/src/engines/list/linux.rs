//! The engines of Linux.

use crate::engine::EngineEntry;
use crate::engines::files;

/// Every engine, the preferred one first.
pub const ENGINES: &[EngineEntry] = engines! {
    own: [files::io_uring::ENTRY, files::libaio::ENTRY],
    behind_blocking: [],
};

/// Engines one of which is chosen where none was asked for, the preferred one first; the last one works everywhere.
pub const CANDIDATES: &[&str] = &["io_uring", "libaio", "psync"];

/// Engines with many operations in flight, for those who asked one of depth one for them.
pub const DEEP: &str = "io_uring or libaio";
