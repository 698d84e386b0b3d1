//! Engines for Linux.

use crate::engine::EngineEntry;
use crate::engines::files;

/// All engines, in order of preference.
pub const ENGINES: &[EngineEntry] = engines! {
    own: [files::io_uring::ENTRY, files::libaio::ENTRY],
    behind_blocking: [],
};

/// Engines to try if no engine was requested, in order of preference. The last one works everywhere.
pub const CANDIDATES: &[&str] = &["io_uring", "libaio", "psync"];

/// Engines that keep many operations in flight, suggested to users who requested a queue depth with an engine of depth
/// one.
pub const DEEP: &str = "io_uring or libaio";
