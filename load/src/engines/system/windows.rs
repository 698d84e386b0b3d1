//! The engines of Windows.

use super::{commit, files, metadata, names, servers, space};
use crate::engine::EngineEntry;

/// Every engine, the preferred one first.
pub const ENGINES: &[EngineEntry] = &[
    files::windowsaio::ENTRY,
    files::psync::PSYNC,
    files::psync::SYNC,
    files::mmap::ENTRY,
    files::null::ENTRY,
    space::ftruncate::ENTRY,
    names::FILE_CREATE,
    names::FILE_STAT,
    names::FILE_DELETE,
    names::DIR_CREATE,
    names::DIR_STAT,
    names::DIR_DELETE,
    metadata::ENTRY,
    commit::ENTRY,
    servers::http::ENTRY,
];

/// Engines one of which is chosen where none was asked for, the preferred one first; the last one works everywhere.
pub const CANDIDATES: &[&str] = &["windowsaio", "psync"];

/// Engines with many operations in flight, for those who asked one of depth one for them.
pub const DEEP: &str = "windowsaio";
