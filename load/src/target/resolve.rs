//! Resolution of a typed path: the object at the path, and the file system that contains it.

use super::changed;
use super::error::{TargetError, bad_input, cannot, failed, printable, refused};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use sys::files::{Access, FileId, Metadata, OpenHow};

/// Object at a path. Nothing was opened for reading or writing.
#[derive(Debug)]
pub(super) struct ResolvedPath {
    /// Absolute path without links.
    pub path: PathBuf,
    pub meta: Metadata,
    /// Path as typed, if a symbolic link was followed (only for reading).
    pub through_link: Option<PathBuf>,
}

/// Finds the object at a path. A symbolic link anywhere in the path is rejected if anything may be written, because the
/// owner of the link decides what is overwritten.
pub(super) fn locate(path: &Path, will_write: bool) -> Result<ResolvedPath, TargetError> {
    if path.as_os_str().is_empty() {
        return Err(bad_input("target", "the path is empty", "use a directory, a test file or a device"));
    }
    if sys::files::has_nul(path) {
        return Err(bad_input(printable(path), "a path cannot contain a NUL byte", ""));
    }
    match sys::files::open_no_links(None, path, OpenHow::plain(Access::Locate)) {
        Ok(node) => placed(path, &node, None),
        Err(e) if sys::files::is_link_error(&e) => through_link(path, will_write),
        Err(e) => Err(missing(path, &e)),
    }
}

fn placed(path: &Path, node: &File, through_link: Option<PathBuf>) -> Result<ResolvedPath, TargetError> {
    let meta = sys::files::file_metadata(node).map_err(|e| failed(format!("look at {}", printable(path)), &e))?;
    // There was no link in the path, so this only removes `.` and `..`. The file itself is compared again when it is
    // opened.
    let clean = sys::files::canonical(path).or_else(|_| std::path::absolute(path));
    Ok(ResolvedPath { path: clean.unwrap_or_else(|_| path.to_owned()), meta, through_link })
}

fn through_link(path: &Path, will_write: bool) -> Result<ResolvedPath, TargetError> {
    let resolved = sys::files::canonical(path).map_err(|e| missing(path, &e))?;
    if will_write {
        return Err(refused(
            printable(path),
            format!("it contains a symbolic link and resolves to {}", printable(&resolved)),
            "secchi does not write through links; use the resolved path if it is correct",
        ));
    }
    match sys::files::open_no_links(None, &resolved, OpenHow::plain(Access::Locate)) {
        Ok(node) => placed(&resolved, &node, Some(path.to_owned())),
        Err(e) => Err(missing(&resolved, &e)),
    }
}

/// Maximum number of directory entries that are read to find a similar name.
const MOST_ENTRIES: usize = 10_000;

/// Returns the existing path whose name is most similar to a missing one in the same directory, if there is one.
#[must_use]
pub fn nearest_path(path: &Path) -> Option<PathBuf> {
    let (directory, typed) = (parent_of(path), path.file_name()?.to_str()?);
    let names = std::fs::read_dir(directory).ok()?.take(MOST_ENTRIES).flatten();
    let names: Vec<String> = names.filter_map(|e| e.file_name().into_string().ok()).collect();
    model::units::nearest(typed, names.iter().map(String::as_str)).map(|near| directory.join(near))
}

/// Returns the parent directory. A relative name without a slash is in the working directory.
pub(super) fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn missing(path: &Path, error: &std::io::Error) -> TargetError {
    match error.kind() {
        ErrorKind::NotFound => {
            let parent = parent_of(path);
            let device = Path::new("/dev").join(path);
            if path.components().count() == 1 && device.exists() {
                bad_input(printable(path), "it does not exist", format!("did you mean {}?", printable(&device)))
            } else if let Some(near) = nearest_path(path) {
                bad_input(printable(path), "it does not exist", format!("did you mean {}?", printable(&near)))
            } else if parent.is_dir() {
                let advice = format!("use the directory {}: secchi creates its own test file in it", printable(parent));
                bad_input(printable(path), "it does not exist", advice)
            } else {
                let reason = format!("the directory {} does not exist", printable(parent));
                bad_input(
                    printable(path),
                    reason,
                    "secchi does not create directories; create it, or check the spelling",
                )
            }
        }
        ErrorKind::NotADirectory => bad_input(printable(path), "a part of the path is a file, not a directory", ""),
        ErrorKind::InvalidFilename => bad_input(printable(path), "the name is too long", ""),
        // The path was rejected because of its name before it reached the system: a stream of a file, or an old device
        // name.
        ErrorKind::InvalidInput if error.raw_os_error().is_none() => bad_input(printable(path), error.to_string(), ""),
        _ => failed(format!("reach {}", printable(path)), error),
    }
}

/// Rejects the creation of files in directories of devices or of the kernel: a missing `/dev/sdx` would become a file
/// in memory.
pub(super) fn refuse_kernel_path(path: &Path) -> Result<(), TargetError> {
    // For a directory, check a file in it.
    if !sys::files::is_kernel_path(&path.join("file")) {
        return Ok(());
    }
    let reason = "the file would be created in a file system of the kernel, which is in memory";
    Err(refused(printable(path), reason, "check the name of the device, or use a directory on a disk"))
}

/// Opens the object by its resolved path and checks that it is still the same object.
pub(super) fn open(place: &ResolvedPath, how: OpenHow) -> std::io::Result<File> {
    let file = sys::files::open_no_links(None, &place.path, how)?;
    if FileId::from_file(&file)? == FileId::from(&place.meta) {
        Ok(file)
    } else {
        Err(std::io::Error::other("another file has this name now"))
    }
}

/// Opens a directory by its resolved path.
pub(super) fn open_directory(place: &ResolvedPath) -> Result<File, TargetError> {
    open(place, OpenHow::plain(Access::Directory))
        .map_err(|e| failed(format!("open the directory {}", printable(&place.path)), &e))
}

/// Opens the directory of a file again. It must be the one that was inspected.
pub(super) fn open_inspected_directory(file: &Path, id: FileId) -> Result<File, TargetError> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let place = locate(folder, true)?;
    if !place.meta.is_dir() || FileId::from(&place.meta) != id {
        return Err(changed(folder));
    }
    open_directory(&place)
}

/// Opens the directory of a file, and returns the directory with the file's name in it.
pub(super) fn parent(place: &ResolvedPath) -> Result<(File, std::ffi::OsString), TargetError> {
    let what = || format!("open the directory of {}", printable(&place.path));
    let (Some(dir), Some(name)) = (place.path.parent(), place.path.file_name()) else {
        return Err(cannot(what(), "it has none", ""));
    };
    let dir =
        sys::files::open_no_links(None, dir, OpenHow::plain(Access::Directory)).map_err(|e| failed(what(), &e))?;
    if !sys::files::names_file(&dir, name, FileId::from(&place.meta)) {
        return Err(cannot(what(), "another file has this name now", "start again"));
    }
    Ok((dir, name.to_owned()))
}

/// File system of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileSystem {
    /// Name such as `ext4`; `unknown` if /proc does not list it.
    pub name: String,
    pub mount_point: PathBuf,
}

impl FileSystem {
    pub(super) fn holding(file: &File) -> FileSystem {
        sys::file_systems::mount_of(file).map_or_else(
            || FileSystem { name: "unknown".to_owned(), mount_point: PathBuf::new() },
            |m| FileSystem { name: m.fs, mount_point: m.point },
        )
    }

    pub(super) fn is_memory(&self) -> bool {
        sys::file_systems::is_memory_fs(&self.name)
    }

    pub(super) fn is_remote(&self) -> bool {
        sys::file_systems::is_remote_fs(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Class;

    fn class(path: &Path) -> (Class, String) {
        let e = locate(path, true).unwrap_err();
        (e.class(), e.to_string())
    }

    #[test]
    fn paths_that_make_no_sense_are_bad_input_and_nothing_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let base = sys::files::canonical(dir.path()).unwrap();
        std::fs::write(base.join("file"), b"x").unwrap();
        for (path, expected) in [
            (PathBuf::new(), "path is empty"),
            (base.join("none"), "secchi creates its own test file in it"),
            (base.join("fiel"), "file?"),
            (base.join("none/x"), "secchi does not create directories"),
            (base.join("file/x"), "is a file, not a directory"),
            (base.join("x".repeat(300)), "too long"),
            (PathBuf::from("/a\0b"), "NUL"),
        ] {
            let (class, text) = class(&path);
            assert_eq!(class, Class::BadInput, "{text}");
            assert!(text.contains(expected), "{text}");
        }
        assert_eq!(std::fs::read_dir(&base).unwrap().count(), 1);
    }

    #[test]
    fn a_link_is_named_with_where_it_leads() {
        let dir = tempfile::tempdir().unwrap();
        let base = sys::files::canonical(dir.path()).unwrap();
        std::fs::write(base.join("file"), b"x").unwrap();
        let Ok(()) = testkit::symlink("file", base.join("link")) else {
            testkit::skip!("no symbolic link can be made here")
        };
        let (class, text) = class(&base.join("link"));
        assert_eq!(class, Class::Refused);
        assert!(text.contains(&format!("resolves to {}", base.join("file").display())), "{text}");
        let place = locate(&base.join("link"), false).unwrap();
        assert_eq!(place.path, base.join("file"));
        assert_eq!(place.through_link, Some(base.join("link")));
    }

    #[test]
    fn a_path_need_not_be_text() {
        let dir = tempfile::tempdir().unwrap();
        let Some(name) = model::path_of_bytes(b"\xFFdir".to_vec()) else { return };
        let path = sys::files::canonical(dir.path()).unwrap().join(name);
        std::fs::create_dir(&path).unwrap();
        assert_eq!(locate(&path, true).unwrap().path, path);
    }

    #[test]
    fn a_file_exchanged_for_another_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = sys::files::canonical(dir.path()).unwrap().join("file");
        std::fs::write(&path, b"x").unwrap();
        let place = locate(&path, true).unwrap();
        assert!(open(&place, OpenHow::plain(Access::Read)).is_ok());
        std::fs::write(dir.path().join("other"), b"y").unwrap();
        std::fs::rename(dir.path().join("other"), &path).unwrap();
        assert!(open(&place, OpenHow::plain(Access::Read)).is_err());
        assert!(parent(&place).is_err());
    }

    #[test]
    fn the_file_system_of_proc_is_proc() {
        let Ok(proc) = File::open(Path::new(sys::files::KERNEL_FILES[1]).join("self/stat")) else {
            testkit::skip!("there is no /proc here")
        };
        let fs = FileSystem::holding(&proc);
        assert_eq!((fs.name.as_str(), fs.is_memory(), fs.is_remote()), ("proc", false, false));
        let fuse = FileSystem { name: "fuse.sshfs".into(), ..fs };
        assert!(fuse.is_remote());
    }
}
