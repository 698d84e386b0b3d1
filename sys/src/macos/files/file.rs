//! Opens files so that no name can be replaced meanwhile, and makes them durable.
//!
//! Every path that may be written to is walked name by name, opening each with `O_NOFOLLOW`. (`O_NOFOLLOW_ANY` does
//! this in one call, but systems before macOS 11 silently ignore it.) Afterwards the file is identified by its
//! [`FileId`], never by its name (docs/design/safety.md, "Targets").

use crate::common::{Access, FileId, OpenHow};
use crate::macos::unmeasured;
use crate::unix::directory::{create_new, remove_at, single};
use crate::unix::walk::{resolved, walk};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

impl fmt::Display for OpenHow {
    /// Formats the access as in the manual: `O_RDWR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.access {
            Access::Locate => "O_EVTONLY",
            Access::Directory => "O_RDONLY|O_DIRECTORY",
            Access::Read => "O_RDONLY",
            Access::ReadWrite => "O_RDWR",
        })?;
        f.write_str(if self.direct { " with F_NOCACHE" } else { "" })?;
        f.write_str(if self.exclusive { "|O_EXCL" } else { "" })
    }
}

/// Opens an existing file without following symbolic links anywhere in the path. `at` is the directory that a relative
/// path starts from; the working directory if `None`. Directories on the way must be readable.
///
/// # Errors
/// Errors of `openat(2)`; a link gives an error for which [`crate::files::is_link_error`] returns `true`; `Unsupported`
/// for what only measurements need: locating a file without opening it, unbuffered I/O, and exclusive access.
pub fn open_no_links(at: Option<&File>, path: &Path, how: OpenHow) -> io::Result<File> {
    let flags = match how {
        OpenHow { direct: true, .. } | OpenHow { exclusive: true, .. } | OpenHow { access: Access::Locate, .. } => {
            return Err(unmeasured());
        }
        OpenHow { access: Access::Directory, .. } => OFlags::RDONLY | OFlags::DIRECTORY,
        OpenHow { access: Access::Read, .. } => OFlags::RDONLY | OFlags::NOCTTY,
        OpenHow { access: Access::ReadWrite, .. } => OFlags::RDWR | OFlags::NOCTTY,
    } | OFlags::CLOEXEC;
    Ok(walk(at.map_or(CWD, |f| f.as_fd()), path, OFlags::RDONLY, flags)?.into())
}

/// Returns `true` if an error means that a device has gone: unplugged, detached, or its link lost.
#[must_use]
pub fn is_lost_error(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENXIO | libc::ESTALE))
}

/// Returns `true` if a path is below `/dev`, where the kernel would reject a mistyped `/dev/nul`, and a write to the
/// link `/dev/stdin` would replace it for all processes. The path need not exist; links on the way to it are followed,
/// a link at its end is not.
#[must_use]
pub fn is_kernel_path(place: &Path) -> bool {
    resolved(place).starts_with("/dev")
}

/// Makes the data of an open file durable, or the creations, renames and deletions in an open directory: down to the
/// medium (`F_FULLFSYNC`), because `fsync(2)` of macOS does not flush the drive. If the file system only supports
/// `fsync(2)` (SMB, NFS, some FAT drivers), that is called.
///
/// # Errors
/// Errors of `fcntl(2)` and `fsync(2)`.
pub fn sync_file(file: &File) -> io::Result<()> {
    match rustix::fs::fcntl_fullfsync(file) {
        Err(Errno::OPNOTSUPP | Errno::NOTSUP | Errno::INVAL | Errno::NOTTY) => Ok(rustix::fs::fsync(file)?),
        other => Ok(other?),
    }
}

/// Syncs like [`sync_file`]: macOS has no weaker call that reaches the medium.
///
/// # Errors
/// Errors of [`sync_file`].
pub fn sync_data(file: &File) -> io::Result<()> {
    sync_file(file)
}

/// Creates a file for [`crate::files::create_whole`] under the name `.secchi-PID-...`, since macOS has no files without a
/// name.
pub(crate) fn created(
    dir: &File,
    name: &OsStr,
    mut write: impl FnMut(&mut File) -> io::Result<()>,
    durable: bool,
) -> io::Result<File> {
    let settle = |file: &File| if durable { sync_file(file) } else { Ok(()) };
    let name = single(name)?;
    let draft = format!(".secchi-{}-{}", std::process::id(), super::super::clock::monotonic_ns());
    let draft = OsStr::new(&draft);
    let mut file = create_new(dir, draft)?;
    let named = write(&mut file).and_then(|()| settle(&file)).and_then(|()| match rename_new_at(dir, draft, name) {
        // This file system cannot rename without replacing; a hard link never replaces a file.
        Err(Errno::NOTSUP | Errno::OPNOTSUPP | Errno::INVAL) => {
            rustix::fs::linkat(dir, draft, dir, name, AtFlags::empty())?;
            remove_at(dir, draft)
        }
        other => Ok(other?),
    });
    if let Err(e) = named {
        // The draft was created above.
        let _ = remove_at(dir, draft);
        return Err(e);
    }
    settle(dir)?;
    Ok(file)
}

fn rename_new_at(dir: &File, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    rustix::fs::renameat_with(dir, from, dir, to, rustix::fs::RenameFlags::NOREPLACE)
}

/// Creates a directory in a directory, with mode 0700, and opens it.
///
/// # Errors
/// Errors of `mkdirat(2)` and `openat(2)`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn create_directory_at(dir: &File, name: &OsStr) -> io::Result<File> {
    rustix::fs::mkdirat(dir, single(name)?, Mode::RWXU)?;
    open_no_links(Some(dir), Path::new(name), OpenHow::plain(Access::Directory))
}

/// Returns `true` if the name still refers to this file; a link of that name does not.
#[must_use]
pub fn names_file(dir: &File, name: &OsStr, id: FileId) -> bool {
    let Ok(name) = single(name) else { return false };
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|s| {
        let dev = s.st_dev as u64;
        FileId { dev, ino: s.st_ino } == id
    })
}

/// Returns `true` if a process does not exist, or has ended but was not waited for. Its locks remain until its last
/// thread has returned from the kernel.
#[must_use]
pub fn is_ending(pid: u32) -> bool {
    crate::macos::process::query_process(pid).is_none_or(|process| process.ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::create_whole;
    use std::io::Write;

    fn dir() -> (tempfile::TempDir, File) {
        let dir = tempfile::tempdir().unwrap();
        let open = File::open(dir.path()).unwrap();
        (dir, open)
    }

    #[test]
    fn no_link_is_followed_at_any_place_of_the_path() {
        let (temp, _) = dir();
        // The path of the temporary directory contains links.
        let real = temp.path().canonicalize().unwrap();
        std::fs::create_dir(real.join("d")).unwrap();
        std::fs::write(real.join("d/file"), "x").unwrap();
        std::os::unix::fs::symlink("d", real.join("link")).unwrap();
        std::os::unix::fs::symlink("file", real.join("d/last")).unwrap();
        let open = |path: &str, access| open_no_links(None, &real.join(path), OpenHow::plain(access));
        for (path, access) in [
            ("link/file", Access::Read),
            ("link", Access::Directory),
            ("link/", Access::Directory),
            ("d/last", Access::Read),
            ("d/last", Access::ReadWrite),
        ] {
            assert!(crate::files::is_link_error(&open(path, access).unwrap_err()), "{path}");
        }
        open("d/file", Access::ReadWrite).unwrap();
        open("d/", Access::Directory).unwrap();
        assert_eq!(open("d/file", Access::Locate).unwrap_err().kind(), io::ErrorKind::Unsupported);
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let (temp, at) = dir();
        let name = OsStr::new("whole");
        let made = create_whole(&at, name, |file| file.write_all(b"all of it")).unwrap();
        assert!(names_file(&at, name, FileId::from_file(&made).unwrap()));
        let again = create_whole(&at, name, |file| file.write_all(b"other")).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        create_whole(&at, OsStr::new("none"), |_| Err(io::Error::other("no"))).unwrap_err();
        let names: Vec<_> = std::fs::read_dir(temp.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["whole"]);
        assert_eq!(std::fs::read(temp.path().join("whole")).unwrap(), b"all of it");
    }

    #[test]
    fn files_and_directories_are_synced() {
        let (temp, at) = dir();
        let file = create_new(&at, OsStr::new("a")).unwrap();
        sync_file(&file).unwrap();
        sync_data(&file).unwrap();
        sync_file(&at).unwrap();
        crate::files::sync_directory(temp.path()).unwrap();
    }
}
