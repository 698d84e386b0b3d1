//! The engines of Linux.

use crate::engine::EngineEntry;
use crate::engines::{commit, files, metadata, names, servers, space};

/// Every engine, the preferred one first.
pub const ENGINES: &[EngineEntry] = &[
    files::io_uring::ENTRY,
    files::libaio::ENTRY,
    files::psync::PSYNC,
    files::psync::SYNC,
    files::psync::PVSYNC,
    files::psync::PVSYNC2,
    files::vsync::ENTRY,
    files::posixaio::ENTRY,
    files::mmap::ENTRY,
    files::null::ENTRY,
    space::falloc::ENTRY,
    space::ftruncate::ENTRY,
    space::e4defrag::ENTRY,
    files::io_uring_cmd::ENTRY,
    files::sg::ENTRY,
    names::FILE_CREATE,
    names::FILE_STAT,
    names::FILE_DELETE,
    names::DIR_CREATE,
    names::DIR_STAT,
    names::DIR_DELETE,
    metadata::ENTRY,
    commit::ENTRY,
    servers::http::ENTRY,
    servers::nfs::ENTRY,
    servers::rbd::ENTRY,
];

/// Engines one of which is chosen where none was asked for, the preferred one first; the last one works everywhere.
pub const CANDIDATES: &[&str] = &["io_uring", "libaio", "psync"];

/// Engines with many operations in flight, for those who asked one of depth one for them.
pub const DEEP: &str = "io_uring or libaio";
