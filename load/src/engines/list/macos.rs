//! Engines for macOS. Their names are known, so that jobs and runs can be read, but none of them can be opened on
//! macOS.

use crate::engine::EngineEntry;
use crate::engines::files;

/// All engines, in the same order as on Linux.
pub const ENGINES: &[EngineEntry] = engines! {
    own: [files::io_uring::ENTRY, files::libaio::ENTRY],
    behind_blocking: [],
};

/// Engines to try if no engine was requested.
pub const CANDIDATES: &[&str] = &["psync"];

/// Engines that keep many operations in flight, suggested to users who requested a queue depth with an engine of depth
/// one.
pub const DEEP: &str = "io_uring or libaio";
