//! Directory of an experiment: `secchi-durable`, inside the directory that the user names. A marker identifies the
//! owner of the directory. Every file is accessed relative to the open directory handle. Only files whose names secchi
//! generates are removed (docs/design/safety.md, "Targets").

use crate::experiment::{Marker, SyncMethod};
use crate::geometry::{Geometry, WriterKind};
use crate::sector::put_sectors;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use sys::files::{Access, FileTypeExt, MetadataExt, OpenHow};

/// Name of the directory that contains an experiment.
pub const NAME: &str = "secchi-durable";
const MARKER: &str = "experiment";
const NEW_MARKER: &str = "experiment.new";
/// Name of the file that exists while the directory is in use, on systems that cannot lock directories.
const HELD: &str = "experiment.held";
/// Temporary name that name writers give to a file before they rename it.
pub(crate) const NEW: &str = "new";
/// Maximum length of a marker, in bytes.
const LONGEST: u64 = 64 << 10;
/// Size of each write during the fill, in bytes.
const CHUNK: usize = 1 << 20;

/// Removes a file of a directory if it exists.
pub(crate) fn remove_if_present(directory: &File, name: &OsStr) -> io::Result<()> {
    match sys::files::remove_at(directory, name) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Writes a new file with the temporary name `draft`, and puts it in the place of the file `name`, durably.
pub(crate) fn replace_file(directory: &File, draft: &OsStr, name: &OsStr, bytes: &[u8]) -> io::Result<File> {
    remove_if_present(directory, draft)?;
    let mut file = sys::files::create_new(directory, draft)?;
    file.write_all(bytes)?;
    sys::files::sync_file(&file)?;
    sys::files::rename_at(directory, draft, name)?;
    sys::files::sync_file(directory)?;
    Ok(file)
}

/// Kind of a failure. The binary has an exit code for each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The given path is not suitable.
    BadInput,
    /// The request was refused for safety. Nothing was changed.
    Refused,
    /// Permissions, space or a file system feature is missing.
    Cannot,
    /// An operation failed while the experiment ran.
    Failed,
}

/// Reason why an experiment cannot be created or has ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Kind of the failure.
    pub kind: FailureKind,
    /// Description of the failure, in one sentence.
    pub message: String,
}

pub(crate) fn failure(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, message: message.into() }
}

/// Returns the failure for a file system operation, with the message `cannot WHAT: ERROR`.
pub(crate) fn cannot(what: &str, error: &io::Error) -> Failure {
    failure(FailureKind::Cannot, format!("cannot {what}: {error}"))
}

/// Open directory of an experiment.
#[derive(Debug)]
pub struct Home {
    directory: File,
    path: PathBuf,
    /// Locked file that keeps other processes out.
    held: Mutex<Option<File>>,
    /// True if the directory has a marker or was created by this process. Only then may secchi create files in it.
    ours: bool,
}

/// State of the path at which an experiment is or would be created.
#[derive(Debug)]
pub enum Standing {
    /// The path does not exist.
    Nothing,
    /// A directory created by secchi, with its marker.
    Ours(Home, Box<Marker>),
    /// A directory whose marker is missing or invalid. Holds the reason.
    Unmarked(Home, String),
}

/// Directory that the user named. The experiment's directory is created in it.
#[derive(Debug)]
pub struct Parent {
    directory: File,
    path: PathBuf,
}

impl Parent {
    /// Opens the directory without changing anything.
    ///
    /// # Errors
    /// Returns a [`Failure`] if the path does not exist, is not a directory, or is in a kernel file system.
    pub fn open(named: &Path) -> Result<Parent, Failure> {
        let shown = named.display();
        let bad = |why: String| failure(FailureKind::BadInput, format!("{shown}: {why}"));
        let path = sys::files::canonical(named).map_err(|e| bad(e.to_string()))?;
        let meta = sys::files::metadata(&path).map_err(|e| bad(e.to_string()))?;
        if meta.file_type().is_block_device() {
            return Err(bad(
                "it is a device; an experiment needs a file system: create one on it, mount it and use its directory"
                    .into(),
            ));
        }
        if !meta.is_dir() {
            return Err(bad("it is not a directory; use the directory in which the experiment creates its own".into()));
        }
        if sys::files::is_kernel_path(&path.join(NAME)) {
            return Err(bad("it is in a file system of the kernel".into()));
        }
        let directory = sys::files::open_no_links(None, &path, OpenHow::plain(Access::Directory));
        let directory = directory.map_err(|e| cannot(&format!("open {shown}"), &e))?;
        Ok(Parent { directory, path })
    }

    /// Returns the path of the experiment's directory, which may not exist.
    #[must_use]
    pub fn own_path(&self) -> PathBuf {
        self.path.join(NAME)
    }

    /// Returns the state of the experiment's directory without changing anything.
    ///
    /// # Errors
    /// Returns a [`Failure`] if the path is a file or a link, or if the directory belongs to another user or cannot be
    /// opened.
    pub fn inspect(&self) -> Result<Standing, Failure> {
        let path = self.own_path();
        let shown = path.display();
        let opened =
            sys::files::open_no_links(Some(&self.directory), Path::new(NAME), OpenHow::plain(Access::Directory));
        let directory = match opened {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Standing::Nothing),
            Err(e) if sys::files::is_link_error(&e) || e.kind() == io::ErrorKind::NotADirectory => {
                return Err(failure(
                    FailureKind::Refused,
                    format!("{shown} is not a directory of secchi and was not changed"),
                ));
            }
            other => other.map_err(|e| cannot(&format!("open {shown}"), &e))?,
        };
        let owner = sys::files::file_metadata(&directory).map_err(|e| cannot(&format!("look at {shown}"), &e))?.uid();
        if owner != sys::files::effective_user() {
            return Err(failure(
                FailureKind::Refused,
                format!("{shown} belongs to another user (ID {owner}) and was not changed"),
            ));
        }
        let home = Home { directory, path, held: Mutex::default(), ours: false };
        Ok(match home.read_marker() {
            Ok(marker) => Standing::Ours(Home { ours: true, ..home }, Box::new(marker)),
            Err(why) => Standing::Unmarked(home, why),
        })
    }

    /// Creates the directory and the marker for a new experiment.
    ///
    /// # Errors
    /// Returns a [`Failure`] if there is not enough space or the directory cannot be created. In that case, nothing is
    /// left behind.
    pub fn make(&self, marker: &Marker) -> Result<Home, Failure> {
        check_room(&self.directory, &self.path, &marker.geometry)?;
        let path = self.own_path();
        let what = format!("make {}", path.display());
        let directory =
            sys::files::create_directory_at(&self.directory, OsStr::new(NAME)).map_err(|e| cannot(&what, &e))?;
        let home = Home { directory, path, held: Mutex::default(), ours: true };
        let begun = home.lock().and_then(|()| home.begin(marker)).and_then(|()| {
            sys::files::sync_file(&self.directory).map_err(|e| cannot(&format!("sync {}", self.path.display()), &e))
        });
        begun.map(|()| home).inspect_err(|_| {
            // The directory was created above, so it may be removed.
            let _ = self.remove();
        })
    }

    /// Removes all files whose names secchi generates, and the directory if it is then empty. Returns `false` if other
    /// files are left.
    ///
    /// # Errors
    /// Returns a [`Failure`] if the directory is in use or cannot be removed.
    pub fn remove(&self) -> Result<bool, Failure> {
        let what = format!("remove {}", self.own_path().display());
        let home = match self.inspect()? {
            Standing::Nothing => return Ok(true),
            Standing::Ours(home, _) | Standing::Unmarked(home, _) => home,
        };
        home.lock()?;
        let clear = home.clear(true).and_then(|()| sys::files::remove_directory_at(&self.directory, OsStr::new(NAME)));
        match clear {
            Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            other => other.map(|()| true).map_err(|e| cannot(&what, &e)),
        }
    }
}

/// Checks that enough space stays free: the smaller of 1 GiB and 5 % of the file system. secchi requires this whenever
/// it creates files (docs/design/safety.md, "Free space").
fn check_room(directory: &File, path: &Path, geometry: &Geometry) -> Result<(), Failure> {
    let shown = path.display();
    let space =
        sys::file_systems::space(directory).map_err(|e| cannot(&format!("query the free space at {shown}"), &e))?;
    if space.read_only {
        return Err(failure(FailureKind::Cannot, format!("cannot write to {shown}: it is mounted read-only")));
    }
    let (needed, floor) = (geometry.bytes(), (space.total / 20).min(1 << 30));
    if space.total == 0 || space.available >= needed.saturating_add(floor) {
        return Ok(());
    }
    let (free, floor) = (model::Bytes(space.available), model::Bytes(floor));
    let needed = model::Bytes(needed);
    Err(failure(
        FailureKind::Refused,
        format!(
            "the experiment needs {needed}, but {free} are free at {shown}, of which {floor} must stay free; reduce \
             --size or --jobs"
        ),
    ))
}

/// Returns the name of a block writer's file.
#[must_use]
pub fn blocks_name(writer: u16) -> OsString {
    format!("blocks.{writer}").into()
}

/// Returns the name of an append writer's file with this number.
#[must_use]
pub fn append_name(writer: u16, file: u64) -> OsString {
    format!("append.{writer}.{file}").into()
}

/// Returns the name of a name writer's directory.
#[must_use]
pub fn names_name(writer: u16) -> OsString {
    format!("names.{writer}").into()
}

/// Returns the file name for a slot.
#[must_use]
pub fn slot_name(slot: u64) -> OsString {
    format!("slot.{slot}").into()
}

/// Parses a number in canonical form. `7` is accepted, `07` and `+7` are not.
fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Kind of a file or directory whose name secchi generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnName {
    /// File that marks the directory as in use. It is removed at the end.
    Held,
    Marker,
    File,
    Names,
}

fn own_name(name: &OsStr) -> Option<OwnName> {
    let name = name.to_str()?;
    if name == HELD {
        return Some(OwnName::Held);
    }
    if [MARKER, NEW_MARKER].contains(&name) {
        return Some(OwnName::Marker);
    }
    let mut parts = name.split('.');
    let kind = parts.next()?;
    let numbers = parts.map(number).collect::<Option<Vec<u64>>>()?;
    match (kind, numbers.len()) {
        ("blocks", 1) | ("append", 2) => Some(OwnName::File),
        ("names", 1) => Some(OwnName::Names),
        _ => None,
    }
}

impl Home {
    /// Returns the path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the open directory.
    #[must_use]
    pub fn directory(&self) -> &File {
        &self.directory
    }

    /// Locks the directory, so that no other secchi process uses it while this handle is open.
    ///
    /// # Errors
    /// Returns a [`Failure`] if another process has locked it.
    pub fn lock(&self) -> Result<(), Failure> {
        let shown = self.path.display();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return Ok(());
        }
        let taken = match self.ours {
            true => sys::locks::hold_directory(&self.directory, OsStr::new(HELD)),
            // The directory may belong to others, so lock it directly instead of creating a file in it.
            false => sys::locks::try_lock(&self.directory, true)
                .and_then(|free| if free { self.directory.try_clone().map(Some) } else { Ok(None) }),
        };
        match taken {
            Ok(Some(file)) => {
                *held = Some(file);
                Ok(())
            }
            Ok(None) => Err(failure(
                FailureKind::Refused,
                format!("{shown} is in use: an experiment is being written or verified there"),
            )),
            // If locks are not supported, other processes cannot be detected.
            Err(_) => Ok(()),
        }
    }

    fn read_marker(&self) -> Result<Marker, String> {
        let file = sys::files::open_at(&self.directory, OsStr::new(MARKER)).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => "it has no marker".to_owned(),
            _ => format!("its marker cannot be opened: {e}"),
        })?;
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes).map_err(|e| format!("its marker cannot be read: {e}"))?;
        Marker::from_bytes(&bytes).map_err(|why| format!("its marker is damaged: {why}"))
    }

    /// Replaces the marker durably and atomically. Readers see either the new marker or the previous one.
    ///
    /// # Errors
    /// Returns a [`Failure`] if the marker could not be written. In that case, the previous marker remains.
    pub fn put_marker(&self, marker: &Marker) -> Result<(), Failure> {
        replace_file(&self.directory, OsStr::new(NEW_MARKER), OsStr::new(MARKER), &marker.to_bytes())
            .map(drop)
            .map_err(|e| cannot(&format!("write the marker of {}", self.path.display()), &e))
    }

    /// Begins an experiment, or the next generation of an existing experiment. Writes the marker, then removes the
    /// files of the previous generation and creates new ones.
    ///
    /// # Errors
    /// Returns a [`Failure`] if the directory contains other files, if there is not enough space, or if a file cannot
    /// be written.
    pub fn begin(&self, marker: &Marker) -> Result<(), Failure> {
        let shown = self.path.display();
        if let Some(name) = self.foreign().map_err(|e| cannot(&format!("list {shown}"), &e))? {
            let name = name.to_string_lossy().into_owned();
            return Err(failure(
                FailureKind::Refused,
                format!(
                    "{shown} contains {}, which was not created by secchi; nothing was written to the directory",
                    model::clip(&name)
                ),
            ));
        }
        self.put_marker(marker)?;
        self.clear(false).map_err(|e| cannot(&format!("clear {shown}"), &e))?;
        check_room(&self.directory, &self.path, &marker.geometry)?;
        self.fill(marker)
    }

    /// Returns the first name in the directory that secchi does not generate, if any.
    fn foreign(&self) -> io::Result<Option<OsString>> {
        for name in sys::files::names_in(&self.directory)? {
            let name = name?;
            if own_name(&name).is_none() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Creates all files with their initial contents, and syncs them.
    fn fill(&self, marker: &Marker) -> Result<(), Failure> {
        let geometry = marker.geometry;
        for writer in 0..geometry.writers() {
            let (name, made) = match geometry.kind(writer) {
                WriterKind::Blocks => (blocks_name(writer), self.fill_blocks(marker, writer)),
                WriterKind::Append => {
                    let name = append_name(writer, 0);
                    let made = sys::files::create_new(&self.directory, &name).and_then(|file| file.sync_all());
                    (name, made)
                }
                WriterKind::Names => (names_name(writer), self.fill_names(marker, writer)),
            };
            let shown = self.path.join(name);
            made.map_err(|e| cannot(&format!("make {}", shown.display()), &e))?;
        }
        sys::files::sync_file(&self.directory).map_err(|e| cannot(&format!("sync {}", self.path.display()), &e))
    }

    fn fill_blocks(&self, marker: &Marker, writer: u16) -> io::Result<()> {
        let (block, blocks) = (marker.geometry.block as usize, marker.geometry.blocks);
        let mut file = sys::files::create_new(&self.directory, &blocks_name(writer))?;
        let mut chunk = vec![0; CHUNK.max(block) / block * block];
        let mut next = 0;
        while next < blocks {
            let count = ((chunk.len() / block) as u64).min(blocks - next) as usize;
            for (i, out) in chunk.chunks_exact_mut(block).take(count).enumerate() {
                put_sectors(marker.owner(), writer, 0, next + i as u64, out);
            }
            file.write_all(&chunk[..count * block])?;
            next += count as u64;
        }
        file.sync_all()
    }

    fn fill_names(&self, marker: &Marker, writer: u16) -> io::Result<()> {
        let directory = sys::files::create_directory_at(&self.directory, &names_name(writer))?;
        let mut bytes = vec![0; crate::sector::SECTOR];
        for slot in 0..marker.geometry.slots {
            let mut file = sys::files::create_new(&directory, &slot_name(slot))?;
            put_sectors(marker.owner(), writer, 0, slot, &mut bytes);
            file.write_all(&bytes)?;
            file.sync_all()?;
        }
        sys::files::sync_file(&directory)
    }

    /// Removes all files whose names secchi generates. Removes the marker last, and only if `with_marker` is set.
    fn clear(&self, with_marker: bool) -> io::Result<()> {
        let names: Vec<OsString> = sys::files::names_in(&self.directory)?.collect::<io::Result<_>>()?;
        for name in &names {
            match own_name(name) {
                Some(OwnName::File) => sys::files::remove_at(&self.directory, name)?,
                Some(OwnName::Names) => self.clear_names(name)?,
                Some(OwnName::Marker | OwnName::Held) | None => {}
            }
        }
        let markers = names.iter().filter(|name| with_marker && own_name(name) == Some(OwnName::Marker));
        markers.into_iter().try_for_each(|name| sys::files::remove_at(&self.directory, name))?;
        if with_marker {
            // Close the file that keeps other processes out, because the directory that contains it is removed.
            *self.held.lock().unwrap_or_else(PoisonError::into_inner) = None;
            remove_if_present(&self.directory, OsStr::new(HELD))?;
        }
        Ok(())
    }

    fn clear_names(&self, name: &OsStr) -> io::Result<()> {
        let directory =
            sys::files::open_no_links(Some(&self.directory), Path::new(name), OpenHow::plain(Access::Directory))?;
        let names: Vec<OsString> = sys::files::names_in(&directory)?.collect::<io::Result<_>>()?;
        let ours = |name: &OsStr| {
            name == NEW || name.to_str().and_then(|n| n.strip_prefix("slot.")).and_then(number).is_some()
        };
        names.iter().filter(|name| ours(name)).try_for_each(|name| sys::files::remove_at(&directory, name))?;
        sys::files::remove_directory_at(&self.directory, name)
    }

    /// Opens a name writer's directory.
    pub(crate) fn open_names(&self, writer: u16) -> io::Result<File> {
        let name = names_name(writer);
        sys::files::open_no_links(Some(&self.directory), Path::new(&name), OpenHow::plain(Access::Directory))
    }
}

/// Checks that direct I/O with blocks of this size is possible, if the experiment requires it.
pub(crate) fn check_direct(home: &Home, marker: &Marker) -> Result<(), Failure> {
    if marker.sync != SyncMethod::DirectDsync {
        return Ok(());
    }
    let file = sys::files::open_at(&home.directory, &blocks_name(0)).map_err(|e| cannot("open blocks.0", &e))?;
    let align = sys::storage::direct_align(&file).ok().flatten();
    match align {
        Some(align) if align.offset == 0 => Err(failure(
            FailureKind::Cannot,
            format!(
                "--sync direct-dsync: the file system at {} does not support direct I/O; use fdatasync, fsync, dsync \
                 or sync",
                home.path.display()
            ),
        )),
        Some(align) if !marker.geometry.block.is_multiple_of(align.offset) => Err(failure(
            FailureKind::BadInput,
            format!(
                "--block {}: direct I/O at {} requires multiples of {} bytes",
                marker.geometry.block,
                home.path.display(),
                align.offset
            ),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::example;
    use testkit::symlink;

    fn temp() -> (tempfile::TempDir, Parent) {
        let temp = tempfile::tempdir().expect("a directory");
        let parent = Parent::open(temp.path()).expect("it is there");
        (temp, parent)
    }

    #[test]
    fn an_experiment_is_made_found_begun_again_and_removed() {
        let (temp, parent) = temp();
        let marker = example();
        let home = parent.make(&marker).expect("it is made");
        let Standing::Ours(_, found_marker) = parent.inspect().expect("it is there") else { panic!("it is ours") };
        assert_eq!(*found_marker, marker);
        let size = sys::files::metadata(home.path().join("blocks.0")).expect("it has its size").len();
        assert_eq!(size, 32 * 4096);
        assert_eq!(std::fs::read_dir(home.path().join("names.2")).expect("slots").count(), 6);
        drop(home);
        let Standing::Ours(home, _) = parent.inspect().expect("it is there") else { panic!("it is ours") };
        let next = Marker { generation: 3, geometry: Geometry { jobs: 2, ..marker.geometry }, ..marker };
        home.begin(&next).expect("the next");
        assert!(home.path().join("names.3").exists() && !home.path().join("names.2").exists());
        drop(home);
        assert!(parent.remove().expect("it goes"));
        assert_eq!(std::fs::read_dir(temp.path()).expect("it stays").count(), 0);
    }

    #[test]
    fn what_is_not_ours_is_never_written_beside_and_never_removed() {
        let (temp, parent) = temp();
        let directory = temp.path().join(NAME);
        std::fs::create_dir(&directory).expect("made");
        std::fs::write(directory.join("precious"), "x").expect("written");
        let Standing::Unmarked(home, reason) = parent.inspect().expect("it is there") else {
            panic!("it has no marker")
        };
        assert!(reason.contains("no marker"), "{reason}");
        let error = home.begin(&example()).expect_err("foreign");
        assert!(error.kind == FailureKind::Refused && error.message.contains("precious"), "{error}");
        drop(home);
        assert!(!parent.remove().expect("nothing is ours"));
        assert_eq!(std::fs::read_to_string(directory.join("precious")).expect("it stays"), "x");
        assert_eq!(std::fs::read_dir(&directory).expect("it stays").count(), 1);
        std::fs::remove_dir_all(&directory).expect("gone");
        // The path is first a link, then a file.
        let elsewhere = temp.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).expect("made");
        if symlink(&elsewhere, &directory).is_ok() {
            assert_eq!(parent.inspect().expect_err("a link").kind, FailureKind::Refused);
            std::fs::remove_file(&directory).or_else(|_| std::fs::remove_dir(&directory)).expect("gone");
        } else {
            testkit::skipped("no symbolic link can be made here");
        }
        std::fs::write(&directory, "x").expect("a file");
        assert_eq!(parent.inspect().expect_err("a file").kind, FailureKind::Refused);
        assert_eq!(parent.make(&example()).expect_err("a file").kind, FailureKind::Cannot);
        assert_eq!(std::fs::read_to_string(&directory).expect("it stays"), "x");
    }

    #[test]
    fn what_an_experiment_cannot_stand_in_is_said() {
        let (temp, parent) = temp();
        let file = temp.path().join("file");
        std::fs::write(&file, "x").expect("written");
        // Directories in kernel file systems, if the system has them.
        let kernel = Some((Path::new(sys::files::KERNEL_FILES[1]), "in a file system of the kernel"))
            .filter(|(path, _)| path.is_dir());
        let others = [(file.as_path(), "not a directory"), (Path::new("/nowhere/at/all"), "/nowhere/at/all: ")];
        for (path, why) in others.into_iter().chain(kernel) {
            let error = Parent::open(path).expect_err("it is none");
            assert!(error.kind == FailureKind::BadInput && error.message.contains(why), "{error}");
        }
        let mut large = example();
        large.geometry = Geometry { blocks: Geometry::MOST_BLOCKS, block: Geometry::LARGEST_BLOCK, ..large.geometry };
        let error = parent.make(&large).expect_err("16 TiB");
        assert!(error.kind == FailureKind::Refused && error.message.contains("--size"), "{error}");
        assert!(!temp.path().join(NAME).exists(), "nothing is left");
    }

    #[test]
    fn a_second_writer_is_kept_out() {
        let (_temp, parent) = temp();
        let _first = parent.make(&example()).expect("it is made");
        let Standing::Ours(second, _) = parent.inspect().expect("it is there") else { panic!("it is ours") };
        assert!(second.lock().expect_err("held").message.contains("in use"));
    }

    #[test]
    fn only_numbers_as_we_write_them_are_ours() {
        for name in ["blocks.0", "append.1.17", "names.3", "experiment", "experiment.new"] {
            assert!(own_name(OsStr::new(name)).is_some(), "{name}");
        }
        for name in
            ["blocks", "blocks.00", "blocks.+1", "blocks.1.2", "append.1", "names.x", "experiment.old", "slot.1", ""]
        {
            assert!(own_name(OsStr::new(name)).is_none(), "{name}");
        }
    }
}
