//! Code shared by Linux and macOS: POSIX calls, and extensions of both. Each system re-exports it from its own folder.

pub(crate) mod child;
pub(crate) mod clock;
pub(crate) mod directory;
pub(crate) mod group;
pub(crate) mod host;
pub(crate) mod lock;
pub(crate) mod looked;
pub(crate) mod memory;
pub(crate) mod metadata;
pub(crate) mod ranges;
pub(crate) mod signals;
pub(crate) mod usage;
pub(crate) mod walk;

/// Converts the result of a call that returns zero if it succeeds.
pub(crate) fn check(result: impl Into<i64>) -> std::io::Result<()> {
    if result.into() == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}
