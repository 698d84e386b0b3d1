//! Opening, creating and removing files safely against concurrent renames, and properties of open files.
//!
//! Every path to which something may be written is resolved without symbolic links and without the magic links of /proc
//! (`openat2(2)`; if that call is missing, a walk that opens each component with `O_NOFOLLOW`). From then on the file
//! is identified by its [`FileId`], never by its name (docs/design/safety.md, "Targets").

use crate::common::{Access, FileId, OpenHow};
use crate::linux::clock::monotonic_ns;
use crate::unix::check;
use crate::unix::directory::{create_new, remove_at, single};
use crate::unix::walk::{resolved, walk};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

impl OpenHow {
    fn flags(self) -> OFlags {
        let mut flags = OFlags::CLOEXEC
            | match self.access {
                Access::Locate => OFlags::PATH | OFlags::NOFOLLOW,
                Access::Directory => OFlags::RDONLY | OFlags::DIRECTORY,
                Access::Read => OFlags::RDONLY | OFlags::NOCTTY,
                Access::ReadWrite => OFlags::RDWR | OFlags::NOCTTY,
            };
        flags.set(OFlags::DIRECT, self.direct);
        flags.set(OFlags::EXCL, self.exclusive);
        flags
    }
}

impl fmt::Display for OpenHow {
    /// Formats the flags as in the manual: `O_RDWR|O_DIRECT|O_EXCL`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.access {
            Access::Locate => "O_PATH",
            Access::Directory => "O_RDONLY|O_DIRECTORY",
            Access::Read => "O_RDONLY",
            Access::ReadWrite => "O_RDWR",
        })?;
        f.write_str(if self.direct { "|O_DIRECT" } else { "" })?;
        f.write_str(if self.exclusive { "|O_EXCL" } else { "" })
    }
}

/// Opens an existing file without following symbolic links anywhere in the path. A relative path begins at the
/// directory `at`, or at the working directory if `None`.
///
/// # Errors
/// As `openat2(2)`; for a link, an error that [`crate::files::is_link_error`] recognizes.
pub fn open_no_links(at: Option<&File>, path: &Path, how: OpenHow) -> io::Result<File> {
    open_with(at, path, how.flags())
}

/// Same as [`open_no_links`], with arbitrary flags.
pub(crate) fn open_with(at: Option<&File>, path: &Path, flags: OFlags) -> io::Result<File> {
    let at = at.map_or(CWD, |f| f.as_fd());
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let fd = match rustix::fs::openat2(at, path, flags, Mode::empty(), resolve) {
        // Old kernels have no such call; old container filters return EPERM for unknown calls.
        Err(Errno::NOSYS | Errno::PERM) => walk(at, path, OFlags::PATH, flags)?,
        other => other?,
    };
    refuse_link(fd)
}

/// Rejects a symbolic link, which `O_PATH|O_NOFOLLOW` opens itself.
fn refuse_link(fd: OwnedFd) -> io::Result<File> {
    let file = File::from(fd);
    if file.metadata()?.file_type().is_symlink() {
        return Err(Errno::LOOP.into());
    }
    Ok(file)
}

/// Returns `true` if an error means that a device is gone: unplugged, detached, or disconnected.
#[must_use]
pub fn is_lost_error(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENXIO | libc::EREMOTEIO | libc::ESTALE | libc::ENOMEDIUM))
}

/// Returns `true` if a path is among the devices and the kernel's own files, where a mistyped `/dev/nul` would become a
/// file in memory, and replacing the link `/dev/stdin` would affect every process. The path need not exist; links of
/// its parent directories are followed, but not a link at the path itself.
#[must_use]
pub fn is_kernel_path(place: &Path) -> bool {
    let resolved = resolved(place);
    let among = ["/proc", "/sys", "/dev"].iter().any(|dir| resolved.starts_with(dir));
    among && !resolved.starts_with("/dev/shm")
}

/// Makes all data written to the file system of this file durable.
///
/// # Errors
/// As `syncfs(2)`: including write errors of other processes since the file was opened.
pub fn sync_file_system(file: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(file)?)
}

/// Creates a file for [`crate::files::create_whole`]: without a name, or under its name if the file system has no
/// nameless files.
pub(crate) fn created(
    dir: &File,
    name: &OsStr,
    mut write: impl FnMut(&mut File) -> io::Result<()>,
    durable: bool,
) -> io::Result<File> {
    let settle = |file: &File| if durable { file.sync_all() } else { Ok(()) };
    let name = single(name)?;
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    if let Ok(fd) = rustix::fs::openat(dir, ".", flags, Mode::RUSR | Mode::WUSR) {
        let mut file = File::from(fd);
        write(&mut file)?;
        settle(&file)?;
        let fd_path = format!("/proc/self/fd/{}", file.as_raw_fd());
        match rustix::fs::linkat(CWD, fd_path.as_str(), dir, name, AtFlags::SYMLINK_FOLLOW) {
            Ok(()) => {
                settle(dir)?;
                return Ok(file);
            }
            Err(Errno::EXIST) => return Err(Errno::EXIST.into()),
            // /proc is not mounted, or links are forbidden: create it under its name.
            Err(_) => {}
        }
    }
    let mut file = create_new(dir, name)?;
    if let Err(e) = write(&mut file).and_then(|()| settle(&file)) {
        // The file was created by the call above.
        let _ = remove_at(dir, name);
        return Err(e);
    }
    settle(dir)?;
    Ok(file)
}

/// Creates a nameless file in the directory for reading and writing, mode 0600: it is deleted when it is no longer
/// open. If the file system has no nameless files, the file has a unique name for a moment.
///
/// # Errors
/// As `openat(2)`, `unlinkat(2)`.
pub fn create_nameless(dir: &File) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::openat(dir, ".", flags, Mode::RUSR | Mode::WUSR) {
        Ok(fd) => return Ok(fd.into()),
        // An old file system, or NFS.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => {}
        Err(e) => return Err(e.into()),
    }
    let name = format!(".secchi-{}-{}", std::process::id(), monotonic_ns());
    let file = create_new(dir, OsStr::new(&name))?;
    remove_at(dir, OsStr::new(&name))?;
    Ok(file)
}

/// Creates a directory in a directory, mode 0700, and opens it.
///
/// # Errors
/// As `mkdirat(2)`, `openat2(2)`; [`io::ErrorKind::InvalidInput`] if `name` is not a plain name.
pub fn create_directory_at(dir: &File, name: &OsStr) -> io::Result<File> {
    rustix::fs::mkdirat(dir, single(name)?, Mode::RWXU)?;
    open_no_links(Some(dir), Path::new(name), OpenHow::plain(Access::Directory))
}

/// Returns `true` if the name still refers to this file; a link of that name does not.
#[must_use]
pub fn names_file(dir: &File, name: &OsStr, id: FileId) -> bool {
    let how = OpenHow::plain(Access::Locate);
    single(name).and_then(|n| open_no_links(Some(dir), Path::new(n), how)).and_then(|f| FileId::from_file(&f)).ok()
        == Some(id)
}

/// Drops clean pages of a range from the page cache. This is advice, and dirty pages stay: sync first.
///
/// # Errors
/// As `posix_fadvise(2)`.
pub fn drop_cache(file: &File, range: Range<u64>) -> io::Result<()> {
    // The kernel takes length 0 as the rest of the file.
    let Some(len) = std::num::NonZeroU64::new(range.end.saturating_sub(range.start)) else { return Ok(()) };
    Ok(rustix::fs::fadvise(file, range.start, Some(len), rustix::fs::Advice::DontNeed)?)
}

/// Returns the number of pages of a range in the page cache. Returns `None` before Linux 6.5 or if the type of the file
/// or a filter forbids `cachestat(2)`.
///
/// # Errors
/// Any other error of the call.
pub fn cached_pages(file: &File, range: Range<u64>) -> io::Result<Option<u64>> {
    /// The same number on all architectures; libc does not define it on each.
    const SYS_CACHESTAT: libc::c_long = 451;
    if range.is_empty() {
        // The kernel takes length 0 as the rest of the file.
        return Ok(Some(0));
    }
    let range = [range.start, range.end - range.start];
    // Pages in the cache, dirty, under writeback, evicted, recently evicted.
    let mut stat = [0u64; 5];
    // SAFETY: the kernel reads two 64-bit numbers and writes five; both live until the call returns.
    match check(unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), range.as_ptr(), stat.as_mut_ptr(), 0) }) {
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENOSYS | libc::EOPNOTSUPP | libc::EPERM)) => Ok(None),
        other => other.map(|()| Some(stat[0])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{create_whole, is_link_error};
    use std::io::Write;
    use std::os::unix::fs::{FileExt, symlink};
    use std::path::PathBuf;

    const LOOK: OpenHow = OpenHow::plain(Access::Locate);

    fn house() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir(base.join("real")).unwrap();
        std::fs::write(base.join("real/file"), b"x").unwrap();
        symlink("real", base.join("dirlink")).unwrap();
        symlink("real/file", base.join("filelink")).unwrap();
        (dir, base)
    }

    /// Resolves a path in both ways. They must agree, or the fallback would be a security hole.
    fn both(path: &Path) -> [io::Result<FileId>; 2] {
        [
            open_no_links(None, path, LOOK).and_then(|f| FileId::from_file(&f)),
            walk(CWD, path, OFlags::PATH, LOOK.flags())
                .map_err(io::Error::from)
                .and_then(refuse_link)
                .and_then(|f| FileId::from_file(&f)),
        ]
    }

    #[test]
    fn devices_and_the_kernels_own_files_are_told_from_files_by_any_way_to_them() {
        let (_dir, base) = house();
        symlink("/dev", base.join("devices")).unwrap();
        for kernel_path in ["/dev/nul", "/proc/x", "/sys/x/y", "/dev/../dev/nul", "/dev"].map(PathBuf::from) {
            assert!(is_kernel_path(&kernel_path), "{}", kernel_path.display());
        }
        assert!(is_kernel_path(&base.join("devices/nul")) && is_kernel_path(&base.join("devices/none/below")));
        for others in ["/dev/shm/x", "/devices/x", "/processes", "x", "/"].map(PathBuf::from) {
            assert!(!is_kernel_path(&others), "{}", others.display());
        }
        // The target of a link does not matter: the link itself would be replaced.
        assert!(!is_kernel_path(&base.join("devices")));
    }

    #[test]
    fn no_link_is_followed_at_any_place_of_the_path() {
        let (_dir, base) = house();
        for path in ["filelink", "dirlink", "dirlink/file", "dirlink/", "dirlink/../real/file"] {
            for answer in both(&base.join(path)) {
                let error = answer.expect_err(path);
                assert!(is_link_error(&error), "{path}: {error}");
            }
        }
        let plain = FileId::from(&std::fs::metadata(base.join("real/file")).unwrap());
        for path in ["real/file", "./real/../real/file"] {
            for answer in both(&base.join(path)) {
                assert_eq!(answer.unwrap(), plain, "{path}");
            }
        }
    }

    #[test]
    fn magic_links_of_proc_are_links() {
        let file = tempfile::tempfile().unwrap();
        for path in [format!("/proc/self/fd/{}", file.as_raw_fd()), "/proc/self/cwd/Cargo.toml".to_owned()] {
            for answer in both(Path::new(&path)) {
                assert!(is_link_error(&answer.expect_err(&path)));
            }
        }
    }

    #[test]
    fn what_is_missing_is_not_a_link() {
        let (_dir, base) = house();
        for path in ["none", "none/none", "real/file/x"] {
            for answer in both(&base.join(path)) {
                assert!(!is_link_error(&answer.expect_err(path)), "{path}");
            }
        }
        for answer in both(Path::new("")) {
            assert_eq!(answer.unwrap_err().raw_os_error(), Some(libc::ENOENT));
        }
    }

    #[test]
    fn creating_never_opens_what_exists_and_takes_plain_names_only() {
        let (_dir, base) = house();
        let dir = open_no_links(None, &base, OpenHow::plain(Access::Directory)).unwrap();
        for taken in ["filelink", "dirlink", "real"] {
            assert_eq!(create_new(&dir, taken.as_ref()).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            let whole = create_whole(&dir, taken.as_ref(), |f| f.write_all(b"y"));
            assert_eq!(whole.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
        for wrong in ["", ".", "..", "../x", "real/x", "/x"] {
            assert_eq!(create_new(&dir, wrong.as_ref()).unwrap_err().kind(), io::ErrorKind::InvalidInput);
            assert_eq!(remove_at(&dir, wrong.as_ref()).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        assert_eq!(std::fs::read(base.join("real/file")).unwrap(), b"x");
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let (_dir, base) = house();
        let dir = open_no_links(None, &base, OpenHow::plain(Access::Directory)).unwrap();
        create_whole(&dir, "new".as_ref(), |f| f.write_all(b"all of it")).unwrap();
        assert_eq!(std::fs::read(base.join("new")).unwrap(), b"all of it");
        let failed = create_whole(&dir, "half".as_ref(), |f| {
            f.write_all(b"half")?;
            Err(io::Error::other("enough"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "enough");
        assert!(!base.join("half").exists());
    }

    #[test]
    fn a_name_is_known_to_stand_for_another_file() {
        let (_dir, base) = house();
        let dir = open_no_links(None, &base, OpenHow::plain(Access::Directory)).unwrap();
        let mine = create_new(&dir, "mine".as_ref()).unwrap();
        let id = FileId::from_file(&mine).unwrap();
        assert!(names_file(&dir, "mine".as_ref(), id));
        std::fs::rename(base.join("mine"), base.join("moved")).unwrap();
        symlink("moved", base.join("mine")).unwrap();
        assert!(!names_file(&dir, "mine".as_ref(), id));
        assert!(names_file(&dir, "moved".as_ref(), id));
    }

    #[test]
    fn the_page_cache_is_counted_and_dropped() {
        let file = tempfile::tempfile_in(".").unwrap();
        file.write_all_at(&[7; 65536], 0).unwrap();
        file.sync_all().unwrap();
        let cached = |range| cached_pages(&file, range).unwrap();
        let Some(pages) = cached(0..65536) else {
            testkit::skipped("no cachestat(2) here");
            return;
        };
        assert_eq!(pages, 16);
        // An empty range is nothing, not the rest of the file.
        assert_eq!(cached(0..0), Some(0));
        drop_cache(&file, 0..0).unwrap();
        assert_eq!(cached(0..65536), Some(16));
        drop_cache(&file, 0..65536).unwrap();
        assert!(cached(0..65536).unwrap() < 16);
    }

    #[test]
    fn flags_read_as_in_the_manual() {
        let how = OpenHow { access: Access::ReadWrite, direct: true, exclusive: true };
        assert_eq!(how.to_string(), "O_RDWR|O_DIRECT|O_EXCL");
    }
}
