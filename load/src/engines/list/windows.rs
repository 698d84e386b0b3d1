//! The engines of Windows.

use crate::engine::EngineEntry;
use crate::engines::files;

/// Every engine, the preferred one first. Those of Linux are known, and refused by name with what to take.
pub const ENGINES: &[EngineEntry] = engines! {
    own: [files::windowsaio::ENTRY, files::ioring::ENTRY],
    behind_blocking: [files::io_uring::ENTRY, files::libaio::ENTRY],
};

/// Engines one of which is chosen where none was asked for, the preferred one first; the last one works everywhere.
pub const CANDIDATES: &[&str] = &["windowsaio", "psync"];

/// Engines with many operations in flight, for those who asked one of depth one for them.
pub const DEEP: &str = "windowsaio";
