//! secchi's own directory for the files of metadata tests (in the style of mdtest) and of commits. The directory is
//! named `secchi-UUID.files`. It is created in the named directory and removed with all its files at the end.
//!
//! It contains a mark that identifies the owner (`secchi-UUID.mark`), a directory for each task (`easy.0`, `easy.1`
//! ...) and a common directory for all tasks (`hard`). The directory is held open and locked during the run, and every
//! file in it is accessed relative to this open directory. Only files with secchi's names are removed; each level is
//! opened without following links. If the directory contains any other file, that file and the directory are kept. A
//! directory is recognized as a leftover of a killed run by its name, owner and mark, if no process holds its lock.
//!
//! The ranks of a run on many hosts share one directory. Rank 0 creates it ([`OwnDirectory::begin`]). The other ranks
//! find it by name if it is visible to them ([`OwnDirectory::find`]). The lock is shared, so that it is held as long as
//! any rank is alive.

use crate::engines::{FileNames, is_commit_file};
use crate::target::error::{TargetError, bad_input, cannot, failed, lost, printable, refused};
use crate::target::resolve::{FileSystem, locate, open, refuse_kernel_path};
use crate::target::sidecar::{Part, Provenance};
use crate::target::space;
use model::{Bytes, metadata::MetadataShape};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sys::files::{Access, FileId, MetadataExt, OpenHow};
use uuid::Uuid;

/// First words of a mark.
const MARK: &str = "secchi: files that a run makes and removes";
/// Maximum number of bytes read from a mark.
const LONGEST_MARK: u64 = 4096;
/// Maximum space that a name and its file's metadata occupy on any file system, in bytes.
const ENTRY: u64 = 512;
/// Block size to which the space for small files is rounded up, in bytes.
const BLOCK: u64 = 4096;
/// Maximum number of leftover directories that are checked.
const MOST_LEFT: usize = 256;
/// Number of files removed between two calls of the progress callback.
const TELL: u64 = 1000;
const HARD: &str = "hard";

fn easy(owner: u32) -> OsString {
    format!("easy.{owner}").into()
}

/// Request for a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryRequest {
    /// Parent directory.
    pub path: PathBuf,
    /// Number of tasks, each with its own directory: the threads of all ranks that use the directory.
    pub tasks: u32,
    /// Number of files per task in each of the two layouts, easy and hard.
    pub files: u64,
    /// Space for other files, in addition to the tasks' files.
    pub room: Bytes,
    /// Origin, recorded in the mark.
    pub made: Provenance,
}

impl DirectoryRequest {
    /// Returns the total number of files and directories.
    fn inodes(&self) -> u64 {
        u64::from(self.tasks).saturating_mul(self.files.saturating_mul(2).saturating_add(1)).saturating_add(3)
    }

    /// Returns the total space that all files need.
    fn bytes(&self) -> Bytes {
        let contents = MetadataShape::Hard.file_size().as_u64().next_multiple_of(BLOCK);
        let hard = u64::from(self.tasks).saturating_mul(self.files).saturating_mul(contents);
        Bytes(hard.saturating_add(self.inodes().saturating_mul(ENTRY)).saturating_add(self.room.as_u64()))
    }
}

/// Result of the inspection; nothing was changed.
#[derive(Debug)]
pub struct DirectoryInspection {
    /// Original request.
    pub request: DirectoryRequest,
    /// Parent directory, absolute and without links.
    pub path: PathBuf,
    uuid: u128,
    id: FileId,
}

impl DirectoryInspection {
    /// Checks that the directory can be created, without changing anything.
    ///
    /// # Errors
    /// Returns a [`TargetError`] if the parent is not a directory, contains devices, is not writable, or lacks space or
    /// inodes.
    pub fn inspect(request: DirectoryRequest) -> Result<DirectoryInspection, TargetError> {
        let shown = printable(&request.path);
        let place = locate(&request.path, true)?;
        if !place.meta.is_dir() {
            let advice = "use a directory on a file system";
            return Err(bad_input(shown, "its files are created in a directory, but this is not a directory", advice));
        }
        refuse_kernel_path(&place.path)?;
        let inspection = DirectoryInspection {
            id: FileId::from(&place.meta),
            uuid: Uuid::new_v4().as_u128(),
            path: place.path,
            request,
        };
        inspection.opened()?;
        Ok(inspection)
    }

    /// Returns the path that the directory will have.
    #[must_use]
    pub fn own_path(&self) -> PathBuf {
        self.path.join(self.own_name())
    }

    /// Returns the name that the directory will have.
    #[must_use]
    pub fn own_name(&self) -> String {
        Part::Directory.name(self.uuid).to_string_lossy().into_owned()
    }

    /// Opens the parent directory and checks its space.
    fn opened(&self) -> Result<(File, FileSystem), TargetError> {
        let shown = printable(&self.path);
        let what = || format!("open the directory {shown}");
        let place = locate(&self.path, true)?;
        let dir = open(&place, OpenHow::plain(Access::Directory)).map_err(|e| failed(what(), &e))?;
        if FileId::from_file(&dir).ok() != Some(self.id) {
            return Err(cannot(what(), "another directory has this name now", "start again"));
        }
        let fs = FileSystem::holding(&dir);
        self.request.check_room(&dir, &self.path, &fs)?;
        if !sys::files::may_write(&dir, None) {
            return Err(cannot(
                format!("create a directory in {shown}"),
                "no permission to write to it",
                "check owner and mode",
            ));
        }
        Ok((dir, fs))
    }
}

impl DirectoryRequest {
    /// Checks that there is enough space, and enough inodes.
    fn check_room(&self, dir: &File, path: &Path, fs: &FileSystem) -> Result<(), TargetError> {
        space::check(dir, path, fs, self.bytes())?;
        self.check_inodes(dir, path, fs)
    }

    /// Checks the number of free inodes. A twentieth of all inodes must stay free.
    fn check_inodes(&self, dir: &File, path: &Path, fs: &FileSystem) -> Result<(), TargetError> {
        let (needed, shown) = (self.inodes(), printable(path));
        let space =
            sys::file_systems::space(dir).map_err(|e| failed(format!("query the free inodes at {shown}"), &e))?;
        // Some file systems create inodes on demand and report none.
        let (free, floor) = (space.files_available, space.files / 20);
        if space.files == 0 || free >= needed.saturating_add(floor) {
            return Ok(());
        }
        let each = free.saturating_sub(floor).saturating_sub(3) / u64::from(self.tasks.max(1));
        let most = each.saturating_sub(1) / 2;
        let advice = match most {
            0 => "remove some files, or use another file system".to_owned(),
            n => format!("use at most --metadata-files {n}"),
        };
        let reason = format!("{free} inodes are free on {}, and {floor} of them must stay free", fs.name);
        Err(refused(format!("{needed} files and directories in {shown}"), reason, advice))
    }
}

/// Directory created by secchi, open and locked.
#[derive(Debug)]
pub struct OwnDirectory {
    /// Parent directory.
    parent: File,
    directory: File,
    id: FileId,
    uuid: u128,
    path: PathBuf,
    fs: FileSystem,
    /// Mark, which is locked in place of the directory on systems that cannot lock directories.
    mark: Option<File>,
    /// Directories of the tasks whose files this process uses, by task number.
    easy: BTreeMap<u32, Arc<File>>,
    /// Directory for all tasks; `None` until it exists.
    hard: Option<Arc<File>>,
}

impl OwnDirectory {
    /// Creates the directory with its subdirectories. Leftovers of killed runs in the parent are removed.
    ///
    /// # Errors
    /// Returns a [`TargetError`] that names the object that could not be created; nothing is left in that case.
    pub fn make(inspection: &DirectoryInspection) -> Result<OwnDirectory, TargetError> {
        let mut directory = OwnDirectory::begin(inspection)?;
        match directory.fill(&inspection.request, 0..inspection.request.tasks) {
            Ok(()) => Ok(directory),
            Err(error) => {
                // The directory was created by this call; the original error is the one to report.
                let _ = directory.remove(&mut || ());
                Err(error)
            }
        }
    }

    /// Creates the directory with only the mark in it. Leftovers of killed runs in the parent are removed.
    ///
    /// # Errors
    /// Returns a [`TargetError`] that names the object that could not be created; nothing is left in that case.
    pub fn begin(inspection: &DirectoryInspection) -> Result<OwnDirectory, TargetError> {
        let (parent, fs) = inspection.opened()?;
        if !fs.is_remote() {
            sweep(&parent);
        }
        let (uuid, path) = (inspection.uuid, inspection.own_path());
        let what = || format!("create the directory {}", printable(&path));
        let name = Part::Directory.name(uuid);
        let directory = sys::files::create_directory_at(&parent, &name).map_err(|e| failed(what(), &e))?;
        let marked = mark(&directory, uuid, &inspection.request.made);
        match marked.and_then(|mark| Ok((mark, FileId::from_file(&directory)?))) {
            Ok((mark, id)) => {
                Ok(OwnDirectory { parent, directory, id, uuid, path, fs, mark, easy: BTreeMap::new(), hard: None })
            }
            Err(error) => {
                let _ =
                    empty(&directory, uuid, &mut || ()).and_then(|()| sys::files::remove_directory_at(&parent, &name));
                Err(failed(what(), &error))
            }
        }
    }

    /// Finds the directory with this name, which another rank [created](OwnDirectory::begin). Returns `None` if the
    /// directory is not visible on this host, because the host uses a different file system.
    ///
    /// # Errors
    /// Returns a [`TargetError`] if the directory exists but cannot be opened.
    pub fn find(inspection: &DirectoryInspection, name: &str) -> Result<Option<OwnDirectory>, TargetError> {
        let Some(uuid) = Part::Directory.uuid_in(OsStr::new(name)) else { return Ok(None) };
        let (parent, fs) = inspection.opened()?;
        let path = inspection.path.join(name);
        let failed = |e| failed(format!("open the directory {}, which another rank created", printable(&path)), &e);
        let directory =
            match sys::files::open_no_links(Some(&parent), Path::new(name), OpenHow::plain(Access::Directory)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                opened => opened.map_err(failed)?,
            };
        if !is_marked(&directory, uuid) {
            return Ok(None);
        }
        let mark = hold(&directory, uuid);
        let id = FileId::from_file(&directory).map_err(failed)?;
        Ok(Some(OwnDirectory { parent, directory, id, uuid, path, fs, mark, easy: BTreeMap::new(), hard: None }))
    }

    /// Creates the common directory and the directories of all tasks. Opens the common directory and those of `owners`.
    ///
    /// # Errors
    /// Returns a [`TargetError`] if there is not enough space, or if a directory cannot be created.
    pub fn fill(
        &mut self,
        request: &DirectoryRequest,
        owners: impl IntoIterator<Item = u32>,
    ) -> Result<(), TargetError> {
        request.check_room(&self.directory, &self.path, &self.fs)?;
        let make = |name: &OsStr| sys::files::create_directory_at(&self.directory, name).map(drop);
        (0..request.tasks)
            .try_for_each(|owner| make(&easy(owner)))
            .and_then(|()| make(OsStr::new(HARD)))
            .map_err(|e| failed(format!("create directories in {}", printable(&self.path)), &e))?;
        self.open(owners)
    }

    /// Opens the common directory and the directories of these tasks.
    ///
    /// # Errors
    /// Returns a [`TargetError`] if a directory cannot be opened.
    pub fn open(&mut self, owners: impl IntoIterator<Item = u32>) -> Result<(), TargetError> {
        let open = |name: &OsStr| {
            sys::files::open_no_links(Some(&self.directory), Path::new(name), OpenHow::plain(Access::Directory))
                .map(Arc::new)
                .map_err(|e| failed(format!("open {}", printable(&self.path.join(name))), &e))
        };
        self.hard = Some(open(OsStr::new(HARD))?);
        self.easy =
            owners.into_iter().map(|owner| Ok((owner, open(&easy(owner))?))).collect::<Result<_, TargetError>>()?;
        Ok(())
    }

    /// Returns the path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory of a task's files, or `None` if it is not open in this process.
    #[must_use]
    pub fn place(&self, shape: MetadataShape, owner: u32) -> Option<Arc<File>> {
        match shape {
            MetadataShape::Easy => self.easy.get(&owner).cloned(),
            MetadataShape::Hard => self.hard.clone(),
        }
    }

    /// Makes all changes to the directory's file system durable.
    ///
    /// # Errors
    /// Returns an error if `syncfs(2)` fails.
    pub fn sync(&self) -> io::Result<()> {
        sys::file_systems::sync_file_system(&self.directory)
    }

    /// Checks that the directory still exists at its path.
    ///
    /// # Errors
    /// Returns [`TargetError::Lost`] if the directory does not exist.
    pub fn present(&self) -> Result<(), TargetError> {
        match sys::files::names_file(&self.parent, &Part::Directory.name(self.uuid), self.id) {
            true => Ok(()),
            false => Err(lost(printable(&self.path), "it was moved or removed")),
        }
    }

    /// Checks that the file system still has the minimum free space.
    ///
    /// # Errors
    /// Returns a [`TargetError`] with the figures.
    pub fn room(&self) -> Result<(), TargetError> {
        space::check(&self.directory, &self.path, &self.fs, Bytes(0)).map(drop)
    }

    /// Removes the directory and its files. Calls `alive` at intervals. Several ranks may remove the directory
    /// concurrently.
    ///
    /// # Errors
    /// Returns a [`TargetError`] with the reason if something could not be removed.
    pub fn remove(&mut self, alive: &mut dyn FnMut()) -> Result<(), TargetError> {
        // Some systems remove a name only when no process has it open.
        self.easy.clear();
        (self.hard, self.mark) = (None, None);
        let what = || format!("remove the directory {}", printable(&self.path));
        self.present()?;
        empty(&self.directory, self.uuid, alive)
            .and_then(|()| gone(sys::files::remove_directory_at(&self.parent, &Part::Directory.name(self.uuid))))
            .map_err(|e| failed(what(), &e))
    }
}

/// Locks a new directory and writes its mark. On systems that cannot lock directories, the mark is locked before other
/// processes can see it.
fn mark(directory: &File, uuid: u128, made: &Provenance) -> io::Result<Option<File>> {
    let Provenance { host, created, tool } = made;
    let text = format!("{}\n{tool} on {host}, {created}\n", first_line(uuid));
    let name = Part::Mark.name(uuid);
    if sys::locks::try_lock(directory, false).is_ok() {
        sys::files::create_new(directory, &name)?.write_all(text.as_bytes())?;
        return Ok(None);
    }
    let locked = sys::files::create_soon(directory, &name, |file| {
        file.write_all(text.as_bytes())?;
        // If the system has no locks at all, no other run removes the directory after a crash.
        let _ = sys::locks::try_lock(file, false);
        Ok(())
    });
    locked.map(Some)
}

/// Takes a shared lock on the directory, so that other runs cannot remove the directory as a leftover: they would need
/// an exclusive lock. Returns the mark if it is locked in place of the directory.
fn hold(directory: &File, uuid: u128) -> Option<File> {
    if sys::locks::try_lock(directory, false).is_ok() {
        return None;
    }
    let mark = sys::files::open_at(directory, &Part::Mark.name(uuid)).ok()?;
    matches!(sys::locks::try_lock(&mark, false), Ok(true)).then_some(mark)
}

/// Returns `true` if no process [holds](hold) the directory. Returns `false` if the system does not support locks.
fn is_free(directory: &File, uuid: u128) -> bool {
    sys::locks::try_lock(directory, true).unwrap_or_else(|_| {
        let mark = sys::files::open_at(directory, &Part::Mark.name(uuid));
        mark.is_ok_and(|mark| matches!(sys::locks::try_lock(&mark, true), Ok(true)))
    })
}

/// Treats the removal of a file that another process has already removed as a success.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn first_line(uuid: u128) -> String {
    format!("{MARK} ({})", Uuid::from_u128(uuid))
}

/// Removes all entries that have secchi's names. Any other entry is kept, and so is the directory that contains it.
fn empty(directory: &File, uuid: u128, alive: &mut dyn FnMut()) -> io::Result<()> {
    let names: Vec<OsString> = sys::files::names_in(directory)?.collect::<io::Result<_>>()?;
    let ours = |name: &OsStr| {
        let number = name.to_str().and_then(|n| n.strip_prefix("easy.")).and_then(|n| n.parse().ok());
        name == HARD || number.is_some_and(|n| easy(n) == name)
    };
    for name in names.iter().filter(|name| ours(name)) {
        let inner = match sys::files::open_no_links(Some(directory), Path::new(name), OpenHow::plain(Access::Directory))
        {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        empty_of_files(&inner, alive)?;
        gone(sys::files::remove_directory_at(directory, name))?;
    }
    gone(sys::files::remove_at(directory, &Part::Mark.name(uuid)))
}

fn empty_of_files(directory: &File, alive: &mut dyn FnMut()) -> io::Result<()> {
    // Removals may shift entries past the read position, so repeat until no file is found.
    loop {
        let mut removed = 0u64;
        for name in sys::files::names_in(directory)? {
            let name = name?;
            if !FileNames::is_one(&name) && !is_commit_file(&name) {
                continue;
            }
            gone(sys::files::remove_at(directory, &name))?;
            removed += 1;
            if removed.is_multiple_of(TELL) {
                alive();
            }
        }
        if removed == 0 {
            return Ok(());
        }
    }
}

/// Removes the directory of a killed run, by its name in `parent`. Returns `true` if it existed, belonged to secchi,
/// was not held by any process, and has been removed.
fn remove_left_directory(parent: &File, uuid: u128) -> bool {
    let Some(directory) = left_directory(parent, uuid) else { return false };
    // A run on another host may hold the directory, and that run's lock is not visible here.
    let free = is_free(&directory, uuid) && !FileSystem::holding(parent).is_remote();
    free && remove_with_files(parent, &directory, uuid)
}

/// Removes the directory that a process announced before it ended; no other run can hold this directory. Returns `true`
/// if the directory existed and has been removed.
pub(in crate::target) fn remove_announced_directory(parent: &File, uuid: u128) -> bool {
    left_directory(parent, uuid).is_some_and(|directory| remove_with_files(parent, &directory, uuid))
}

/// Opens a directory created by secchi. It is recognized by its name, owner and mark.
fn left_directory(parent: &File, uuid: u128) -> Option<File> {
    let name = Part::Directory.name(uuid);
    let directory =
        sys::files::open_no_links(Some(parent), Path::new(&name), OpenHow::plain(Access::Directory)).ok()?;
    let mine = sys::files::file_metadata(&directory).is_ok_and(|meta| meta.uid() == sys::files::effective_user());
    (mine && (is_marked(&directory, uuid) || is_empty(&directory))).then_some(directory)
}

fn remove_with_files(parent: &File, directory: &File, uuid: u128) -> bool {
    let name = Part::Directory.name(uuid);
    empty(directory, uuid, &mut || ()).and_then(|()| gone(sys::files::remove_directory_at(parent, &name))).is_ok()
}

fn is_marked(directory: &File, uuid: u128) -> bool {
    let mut text = String::new();
    let read = sys::files::open_at(directory, &Part::Mark.name(uuid))
        .and_then(|file| file.take(LONGEST_MARK).read_to_string(&mut text));
    read.is_ok() && text.lines().next() == Some(&first_line(uuid))
}

/// Returns `true` if the directory is empty. This is the case if a run was killed before it created the mark or after
/// it removed it.
fn is_empty(directory: &File) -> bool {
    sys::files::names_in(directory).is_ok_and(|mut names| names.next().is_none())
}

/// Removes leftovers of killed runs from the parent directory.
fn sweep(parent: &File) {
    let Ok(names) = sys::files::names_in(parent) else { return };
    let left: Vec<u128> = names.flatten().filter_map(|name| Part::Directory.uuid_in(&name)).take(MOST_LEFT).collect();
    left.into_iter().for_each(|uuid| {
        remove_left_directory(parent, uuid);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{Class, remove_leftover};

    fn request(path: &Path) -> DirectoryRequest {
        DirectoryRequest { path: path.to_owned(), tasks: 2, files: 3, room: Bytes(0), made: Provenance::default() }
    }

    fn made(path: &Path) -> OwnDirectory {
        let inspection = DirectoryInspection::inspect(request(path)).unwrap_or_else(|e| panic!("{e}"));
        OwnDirectory::make(&inspection).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Returns a temporary directory without links in its path.
    fn temp() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().expect("a directory");
        let path = sys::files::canonical(temp.path()).expect("it is there");
        (temp, path)
    }

    fn put(place: &File, name: &str) {
        sys::files::create_new(place, OsStr::new(name)).expect("it is made");
    }

    fn names_go_at_once(path: &Path) -> bool {
        let (parent, name) = (crate::test_directory(path), OsStr::new("held"));
        let _held = sys::files::create_directory_at(&parent, name).expect("it is made");
        sys::files::remove_directory_at(&parent, name).expect("it is empty");
        !path.join(name).exists()
    }

    fn left(path: &Path) -> Vec<PathBuf> {
        std::fs::read_dir(path).expect("it is there").map(|e| e.expect("an entry").path()).collect()
    }

    #[test]
    fn it_goes_with_all_its_files() {
        let (_temp, path) = temp();
        let mut directory = made(&path);
        for (shape, owner) in [(MetadataShape::Easy, 0), (MetadataShape::Easy, 1), (MetadataShape::Hard, 0)] {
            let place = directory.place(shape, owner).expect("there are two threads");
            (0..3).for_each(|i| put(&place, &format!("file.mdtest.{owner}.{i}")));
        }
        assert!(directory.place(MetadataShape::Easy, 2).is_none());
        directory.present().expect("it is there");
        directory.remove(&mut || ()).expect("it goes");
        drop(directory);
        assert_eq!(left(&path), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_is_not_ours_stays_and_so_does_the_directory() {
        let (_temp, path) = temp();
        let mut directory = made(&path);
        let place = directory.place(MetadataShape::Hard, 0).expect("it has one");
        put(&place, "file.mdtest.0.0");
        put(&place, "precious");
        let inner = directory.path().to_owned();
        let error = directory.remove(&mut || ()).expect_err("it holds something").to_string();
        assert!(error.contains("not empty"), "{error}");
        assert_eq!(left(&inner.join("hard")), [inner.join("hard/precious")]);
        assert!(!remove_leftover(&inner), "it is no better afterwards");
        assert!(inner.join("hard/precious").exists());
    }

    #[test]
    fn what_a_killed_run_left_is_removed_by_the_next_and_what_only_looks_like_it_is_not() {
        let (_temp, path) = temp();
        let killed = made(&path);
        put(&killed.place(MetadataShape::Easy, 1).expect("two threads"), "file.mdtest.1.0");
        let held = killed.path().to_owned();
        let mut next = made(&path);
        assert!(held.exists(), "a run holds it");
        next.remove(&mut || ()).expect("it goes");
        // A directory with a name like secchi's, in which a user put a file.
        let other = path.join(Part::Directory.name(7));
        std::fs::create_dir_all(other.join("hard")).expect("it is made");
        std::fs::write(other.join("hard/file.mdtest.0.0"), "precious").expect("it is written");
        drop(killed);
        drop(next);
        let mut next = made(&path);
        assert!(!held.exists(), "nobody holds it any more");
        assert_eq!(std::fs::read_to_string(other.join("hard/file.mdtest.0.0")).expect("it stays"), "precious");
        next.remove(&mut || ()).expect("it goes");
        drop(next);
        assert_eq!(left(&path), [other]);
    }

    #[test]
    fn what_one_rank_makes_the_others_find_and_nobody_takes_it_while_one_of_them_lives() {
        let (_temp, path) = temp();
        let inspected = || DirectoryInspection::inspect(request(&path)).expect("it can be");
        let (first, second) = (inspected(), inspected());
        assert!(OwnDirectory::find(&second, &first.own_name()).expect("nothing fails").is_none(), "nobody made it");
        let mut made = OwnDirectory::begin(&first).expect("it is made");
        let mut joined = OwnDirectory::find(&second, &first.own_name()).expect("nothing fails").expect("it is seen");
        assert!(OwnDirectory::find(&second, &second.own_name()).expect("nothing fails").is_none());
        assert!(OwnDirectory::find(&second, "../secchi").expect("nothing fails").is_none());
        assert!(joined.open([0]).is_err(), "nothing is in it yet");
        let four_tasks = DirectoryRequest { tasks: 4, ..request(&path) };
        made.fill(&four_tasks, [0, 2]).expect("there is room");
        joined.open([1, 3]).expect("they are there");
        assert_eq!((0..5).filter(|n| made.place(MetadataShape::Easy, *n).is_some()).collect::<Vec<_>>(), [0, 2]);
        put(&made.place(MetadataShape::Hard, 0).expect("for all"), "file.mdtest.0.0");
        put(&joined.place(MetadataShape::Hard, 1).expect("for all"), "file.mdtest.1.0");
        let place = joined.path().to_owned();
        assert_eq!(left(&place.join("hard")).len(), 2, "one directory");
        // The rank that created it has ended, and another run begins.
        drop(made);
        let mut next = OwnDirectory::make(&inspected()).expect("it is made");
        assert!(place.exists(), "another rank still works in it");
        next.remove(&mut || ()).expect("it goes");
        drop(next);
        if !names_go_at_once(&path) {
            testkit::skip!("names go only when nobody has them open any more (wine)");
        }
        assert!(remove_leftover(&place), "whoever looked after the one that made it knows its name");
        assert!(joined.remove(&mut || ()).is_err(), "it is gone");
        drop(joined);
        assert_eq!(left(&path), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let (_temp, path) = temp();
        let mut directory = made(&path);
        let elsewhere = path.join("elsewhere");
        std::fs::create_dir(&elsewhere).expect("it is made");
        std::fs::write(elsewhere.join("file.mdtest.0.0"), "precious").expect("it is written");
        std::fs::remove_dir(directory.path().join("hard")).expect("it is empty");
        let Ok(()) = testkit::symlink(&elsewhere, directory.path().join("hard")) else {
            testkit::skip!("no symbolic link can be made here")
        };
        assert!(directory.remove(&mut || ()).is_err());
        assert!(elsewhere.join("file.mdtest.0.0").exists());
    }

    #[test]
    fn what_is_no_directory_is_bad_input_and_too_many_files_are_refused() {
        let (_temp, path) = temp();
        let file = path.join("file");
        std::fs::write(&file, "x").expect("it is written");
        let error = DirectoryInspection::inspect(request(&file)).expect_err("a file");
        assert_eq!(error.class(), Class::BadInput);
        assert!(error.to_string().contains("this is not a directory"), "{error}");
        let many = DirectoryRequest { files: u64::MAX / 8, ..request(&path) };
        let error = DirectoryInspection::inspect(many).expect_err("no file system holds so many");
        assert_eq!(error.class(), Class::Refused, "{error}");
        assert_eq!(left(&path), [file]);
    }

    #[test]
    fn inodes_are_asked_for_before_anything_is_made() {
        let (_temp, path) = temp();
        let dir = crate::test_directory(&path);
        let space = sys::file_systems::space(&dir).expect("it tells");
        if space.files == 0 {
            testkit::skipped("this file system has no bound of inodes");
            return;
        }
        // Request more files than there are inodes. The file system must run out of inodes before it runs out of space.
        let many = DirectoryRequest { files: space.files, tasks: 1, ..request(&path) };
        let error = many.check_inodes(&dir, &path, &FileSystem::holding(&dir)).expect_err("too many").to_string();
        assert!(error.contains("inodes are free") && error.contains("--metadata-files"), "{error}");
    }
}
