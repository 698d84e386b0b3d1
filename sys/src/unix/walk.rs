//! Opens paths component by component without following links, and resolves paths that need not exist.

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Opens each component with `O_NOFOLLOW`: parent directories with the flags `step`, the last component with `flags`. A
/// relative path begins at the directory `at`. A link fails with `ELOOP`.
pub(crate) fn walk(at: BorrowedFd, path: &Path, step: OFlags, flags: OFlags) -> Result<OwnedFd, Errno> {
    if path.as_os_str().is_empty() {
        return Err(Errno::NOENT);
    }
    let step = step | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let start = if path.is_absolute() { "/" } else { "." };
    let mut here = rustix::fs::openat(at, start, step, Mode::empty())?;
    let names: Vec<&OsStr> = path
        .components()
        .filter_map(|c| match c {
            Component::Normal(name) => Some(name),
            Component::ParentDir => Some(OsStr::new("..")),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect();
    let Some((last, parents)) = names.split_last() else {
        return rustix::fs::openat(&here, ".", flags, Mode::empty());
    };
    for name in parents {
        here = open_component(&here, name, step)?;
    }
    // A path that ends in a slash must be a directory.
    let slash = if path.as_os_str().as_bytes().ends_with(b"/") { OFlags::DIRECTORY } else { OFlags::empty() };
    open_component(&here, last, flags | slash | OFlags::NOFOLLOW)
}

fn open_component(dir: &OwnedFd, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    match rustix::fs::openat(dir, name, flags, Mode::empty()) {
        // A link is not a directory, and systems differ in which of the two errors they return for it.
        Err(Errno::NOTDIR) if is_link(dir.as_fd(), name) => Err(Errno::LOOP),
        other => other,
    }
}

fn is_link(dir: BorrowedFd, name: &OsStr) -> bool {
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::Symlink)
}

/// Returns the path of `place` with all links of its parent directories resolved, but not a link at `place` itself.
/// `place` need not exist.
pub(crate) fn resolved(place: &Path) -> PathBuf {
    let absolute = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
    let existing = absolute.ancestors().skip(1).find_map(|a| Some((a, a.canonicalize().ok()?)));
    existing.and_then(|(a, real)| Some(real.join(absolute.strip_prefix(a).ok()?))).unwrap_or(absolute)
}
