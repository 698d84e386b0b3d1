//! Engines for Windows.

use crate::engine::EngineEntry;
use crate::engines::files;

/// Every engine, the preferred one first. Names of Linux engines are recognized, and rejected with a suggestion.
pub const ENGINES: &[EngineEntry] = engines! {
    own: [files::windowsaio::ENTRY, files::ioring::ENTRY],
    behind_blocking: [files::io_uring::ENTRY, files::libaio::ENTRY],
};

/// Engines to try if none was requested, the preferred one first. The last one works everywhere.
pub const CANDIDATES: &[&str] = &["windowsaio", "psync"];

/// Engine that keeps many operations in flight, suggested to users who requested a queue depth with an engine of depth
/// one.
pub const DEEP: &str = "windowsaio";
