//! Opening files so that no name can be swapped for another on the way, and making them durable.
//!
//! Every path that something may be written to is walked name by name, each opened with `O_NOFOLLOW` (`O_NOFOLLOW_ANY` does it in one
//! call, but a system before macOS 11 would let it pass without heeding it). What was found is afterwards known by its [`FileId`], never by
//! its name (docs/design/safety.md, "Targets").

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
    /// As in the manual: `O_RDWR`.
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

/// Opens an existing file without following any symbolic link, at any place of the path. `at` is the directory a
/// relative path begins in; the working directory if `None`. Directories on the way must be readable.
///
/// # Errors
/// As `openat(2)`; a link gives an error for which [`crate::is_link_error`] holds; `Unsupported` for what only measurements ask for: files
/// that are only located, past the cache, or exclusively.
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

/// Whether an error means that a device has gone: unplugged, detached, its link lost.
#[must_use]
pub fn is_lost_error(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENXIO | libc::ESTALE))
}

/// Whether a place lies among devices, where a mistyped `/dev/nul` would be refused by the kernel, and `/dev/stdin`, a link, be replaced
/// for everybody. It need not be there; links on the way to it are followed, and not its own.
#[must_use]
pub fn is_kernel_path(place: &Path) -> bool {
    resolved(place).starts_with("/dev")
}

/// Makes durable what was written to an open file, or what was made, renamed and removed in an open directory: down to the medium
/// (`F_FULLFSYNC`), which `fsync(2)` of macOS does not ask of the drive. Where the file system has only that (SMB, NFS, FAT of some
/// drivers) it is taken.
///
/// # Errors
/// As `fcntl(2)`, `fsync(2)`.
pub fn sync_file(file: &File) -> io::Result<()> {
    match rustix::fs::fcntl_fullfsync(file) {
        Err(Errno::OPNOTSUPP | Errno::NOTSUP | Errno::INVAL | Errno::NOTTY) => Ok(rustix::fs::fsync(file)?),
        other => Ok(other?),
    }
}

/// As [`sync_file`]: the system has nothing weaker that reaches the medium.
///
/// # Errors
/// As [`sync_file`].
pub fn sync_data(file: &File) -> io::Result<()> {
    sync_file(file)
}

/// Makes a file, lets `write` fill it, syncs it and only then gives it its name in the directory: whoever looks sees it whole or not at
/// all. Never replaces a file. There are no nameless files: a process killed on the way leaves `.secchi-PID-...` behind.
///
/// # Errors
/// `AlreadyExists` if the name is taken; as `openat(2)`, `renameatx_np(2)`, `fsync(2)`, or what `write` returned.
pub fn create_whole(dir: &File, name: &OsStr, write: impl FnMut(&mut File) -> io::Result<()>) -> io::Result<File> {
    created(dir, name, write, true)
}

/// As [`create_whole`], without waiting until it is durable: after a crash the file may be gone, or empty.
///
/// # Errors
/// As [`create_whole`].
pub fn create_soon(dir: &File, name: &OsStr, write: impl FnMut(&mut File) -> io::Result<()>) -> io::Result<File> {
    created(dir, name, write, false)
}

fn created(
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
        // A file system that renames only onto what may be there: a second name never replaces one.
        Err(Errno::NOTSUP | Errno::OPNOTSUPP | Errno::INVAL) => {
            rustix::fs::linkat(dir, draft, dir, name, AtFlags::empty())?;
            remove_at(dir, draft)
        }
        other => Ok(other?),
    });
    if let Err(e) = named {
        // Ours, made above.
        let _ = remove_at(dir, draft);
        return Err(e);
    }
    settle(dir)?;
    Ok(file)
}

fn rename_new_at(dir: &File, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    rustix::fs::renameat_with(dir, from, dir, to, rustix::fs::RenameFlags::NOREPLACE)
}

/// Makes a directory in a directory, mode 0700, and opens it.
///
/// # Errors
/// As `mkdirat(2)`, `openat(2)`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn create_directory_at(dir: &File, name: &OsStr) -> io::Result<File> {
    rustix::fs::mkdirat(dir, single(name)?, Mode::RWXU)?;
    open_no_links(Some(dir), Path::new(name), OpenHow::plain(Access::Directory))
}

/// Whether the name still stands for this file; a link under that name does not.
#[must_use]
pub fn names_file(dir: &File, name: &OsStr, id: FileId) -> bool {
    let Ok(name) = single(name) else { return false };
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|s| {
        let dev = s.st_dev as u64;
        FileId { dev, ino: s.st_ino } == id
    })
}

/// The process that holds a lock on a file: the system does not tell.
#[must_use]
pub fn lock_holder(_id: FileId) -> Option<u32> {
    None
}

/// Whether a process is gone, or ended and not waited for. What it has locked stays locked until its last thread has come back.
#[must_use]
pub fn is_ending(pid: u32) -> bool {
    crate::macos::process::look(pid).is_none_or(|process| process.ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn dir() -> (tempfile::TempDir, File) {
        let dir = tempfile::tempdir().unwrap();
        let open = File::open(dir.path()).unwrap();
        (dir, open)
    }

    #[test]
    fn no_link_is_followed_at_any_place_of_the_path() {
        let (temp, _) = dir();
        // The directory for such files is reached by links.
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
            assert!(crate::is_link_error(&open(path, access).unwrap_err()), "{path}");
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
        crate::sync_directory(temp.path()).unwrap();
    }
}
