//! Engines for Windows.

use crate::engine::EngineEntry;
use crate::engines::files;

/// All engines, in order of preference. Names of Linux engines are recognized, and rejected with a suggestion.
pub const ENGINES: &[EngineEntry] = engines! {
    own: [files::windowsaio::ENTRY, files::ioring::ENTRY],
    behind_blocking: [files::io_uring::ENTRY, files::libaio::ENTRY],
};

/// Engines to try if no engine was requested, in order of preference. The last one works everywhere.
pub const CANDIDATES: &[&str] = &["windowsaio", "psync"];

/// Engine that keeps many operations in flight, suggested to users who requested a queue depth with an engine of depth
/// one.
pub const DEEP: &str = "windowsaio";
