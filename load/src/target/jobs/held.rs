//! Files that are held during a run. They are locked or claimed before the first job and released after the last one.
//! Each job opens its files and closes them at its end.

use super::super::error::{TargetError, failed, lost, printable, refused};
use super::super::proof::{Purpose, lock};
use super::super::resolve::{open as open_place, open_inspected_directory};
use super::super::test_target::TestTarget;
use super::super::{changed, device, own};
use super::inspect::{self, held_access, home};
use super::mark::{Mark, Origin, origin};
use super::room::{Room, rooms};
use super::{FileAction, FoundFile, JobFile, JobsInspection, JobsRequest};
use model::{Bytes, Job};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use sys::files::{Access, FileId, FileTypeExt, MetadataExt, OpenHow};
use sys::storage::LoadOpen;

/// Files of all jobs of a run. While this value exists, files are locked and devices claimed. When the value is
/// dropped, the files are kept, as in fio, except files that a job unlinks.
#[derive(Debug)]
pub struct JobFiles {
    pub(super) files: Vec<Held>,
    pub(super) rooms: Vec<Room>,
    pub(super) request: JobsRequest,
    notes: Mutex<Vec<String>>,
}

/// File of a job that is held during the run.
#[derive(Debug)]
pub(super) struct Held {
    pub file: JobFile,
    pub home: FileLocation,
    /// Mark of a file created by secchi, on file systems that support marks.
    pub mark: Mutex<Option<Mark>>,
    /// True if this run created the file.
    pub made: bool,
    /// Minimum size in bytes. If the file is smaller, another process has truncated it.
    pub least: u64,
    /// Number of jobs that have not yet closed the file.
    users: usize,
    unlink: bool,
    pub gone: bool,
}

/// Location of a file.
#[derive(Debug)]
pub(super) enum FileLocation {
    Device {
        target: Box<TestTarget>,
        dev: (u32, u32),
    },
    /// Regular file in a directory. `file` holds the lock; it is `None` until a new file is created.
    File {
        dir: Arc<File>,
        name: OsString,
        file: Option<(File, FileId)>,
    },
}

impl JobFiles {
    /// Inspects the files of all jobs and reports what would be done. Opens nothing for writing and changes nothing.
    ///
    /// # Errors
    /// Returns a [`TargetError`] before anything was changed.
    pub fn inspect(request: &JobsRequest) -> Result<JobsInspection, TargetError> {
        inspect::inspect(request)
    }

    /// Repeats the checks, locks the files and claims the devices. Does not create or write anything yet.
    ///
    /// # Errors
    /// Returns a [`TargetError`], for example if a file or device has changed since the inspection.
    pub fn take(inspection: JobsInspection) -> Result<JobFiles, TargetError> {
        let rooms = rooms(&inspection.files)?;
        let request = inspection.request;
        let mut dirs: Vec<(FileId, Arc<File>)> = Vec::new();
        let files = inspection.files.into_iter().map(|file| Held::take(file, &request, &mut dirs)).collect();
        Ok(JobFiles { files: files_or_limit(files)?, rooms, request, notes: Mutex::default() })
    }

    /// Returns the notes added since the last call, one sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn note(&self, text: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// Checks that all files and devices exist with their full size, and that enough space is left where files are
    /// created. Called every second; never waits for I/O, except on a network file system.
    ///
    /// # Errors
    /// Returns a [`TargetError`] that describes the change.
    pub fn present(&self) -> Result<(), TargetError> {
        self.files.iter().filter(|h| !h.gone).try_for_each(|held| held.present())
    }

    /// Checks that the file systems of growing files still have the minimum free space.
    ///
    /// # Errors
    /// Returns a [`TargetError`] with the figures.
    pub fn room(&self) -> Result<(), TargetError> {
        self.rooms.iter().filter(|r| r.watched).try_for_each(|room| room.check(0).map(drop))
    }

    /// After a job's load, makes its files durable and removes them if the job requests removal. A file that later jobs
    /// use is removed after the last of these jobs. A file that secchi did not create is never removed; a note is added
    /// instead. All files are processed, and the first error is returned.
    ///
    /// # Errors
    /// Returns an error if a flush failed or a file could not be removed. A failed flush is final and never retried
    /// (docs/design/safety.md, "Failed flushes").
    pub fn close(&mut self, job: &Job, files: &[Arc<File>]) -> io::Result<()> {
        let closing = job.tuning.closing;
        let mut outcome: Result<(), TargetError> = Ok(());
        let mut and = |result: Result<(), TargetError>| {
            if outcome.is_ok() {
                outcome = result;
            }
        };
        let (mut seen, mut flushed) = (Vec::new(), Vec::new());
        let commands = job.tuning.opening.commands;
        for (target, file) in job.targets().filter(|t| t.kind.is_local()).zip(files) {
            // A command node cannot be flushed; its block device forwards the flush to the drive.
            let held = commands.then(|| self.find(&target.path).ok()?.held()).flatten();
            let file = held.unwrap_or(file);
            let file_system = FileId::from_file(file).ok().map(|id| id.dev);
            if closing.flush_file_system && (file_system.is_none() || !flushed.contains(&file_system)) {
                flushed.push(file_system);
                and(sys::file_systems::sync_file_system(file)
                    .map_err(|e| failed(format!("flush the file system of {}", printable(&target.path)), &e)));
            }
            if closing.flush || closing.flush_on_close {
                and(sys::files::sync_file(file).map_err(|e| failed(format!("flush {}", printable(&target.path)), &e)));
            }
            let Some(which) = self.position(&target.path) else { continue };
            if seen.contains(&which) {
                continue;
            }
            seen.push(which);
            let held = &mut self.files[which];
            held.users = held.users.saturating_sub(1);
            held.unlink |= closing.unlink;
            let last = held.users == 0;
            self.seal(&self.files[which]);
            if last && self.files[which].unlink {
                and(self.unlink(which));
            }
        }
        outcome.map_err(io::Error::other)
    }

    fn unlink(&mut self, which: usize) -> Result<(), TargetError> {
        let path = self.files[which].file.path.clone();
        if !self.files[which].file.removable() {
            self.note(format!("unlink=1: {} was not created by secchi and is not removed", printable(&path)));
            return Ok(());
        }
        if !self.files[which].remove().map_err(|e| failed(format!("remove {}", printable(&path)), &e))? {
            self.note(format!("unlink=1: {} is now another file and is not removed", printable(&path)));
        }
        Ok(())
    }

    pub(super) fn position(&self, path: &Path) -> Option<usize> {
        self.files.iter().position(|h| h.file.path == path || h.file.typed.iter().any(|t| t == path))
    }

    pub(super) fn find(&self, path: &Path) -> Result<&Held, TargetError> {
        let which = self.position(path);
        which.map(|w| &self.files[w]).ok_or_else(|| {
            refused(format!("open {}", printable(path)), "it was not inspected before the run", "start again")
        })
    }

    /// Marks the file as in use. Until the mark is sealed, other runs do not treat the file as created by secchi.
    pub(super) fn unseal(&self, held: &Held) -> Result<(), TargetError> {
        let mut mark = held.mark.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(mark), Some(file)) = (mark.as_mut().filter(|m| m.left.is_some()), held.held()) {
            mark.open(file).map_err(|e| failed(format!("mark {}", printable(&held.file.path)), &e))?;
        }
        Ok(())
    }

    /// Seals the mark of a file that this run no longer writes, so that the next run recognizes the file.
    pub(super) fn seal(&self, held: &Held) {
        if !matches!(held.seal(), Ok(true)) {
            self.note(unmarked(&held.file));
        }
    }
}

/// Returns the note for a file that has no mark.
pub(super) fn unmarked(file: &JobFile) -> String {
    format!(
        "{} cannot be marked as created by secchi on {}: writing to it again will need overwrite=1 or \
         --allow-overwrite",
        printable(&file.path),
        file.filesystem
    )
}

/// If the error is that the run has too many open files, adds advice to the error. Called before anything is created.
fn files_or_limit(files: Result<Vec<Held>, TargetError>) -> Result<Vec<Held>, TargetError> {
    files.map_err(|e| match e {
        TargetError::Cannot(mut reason) if reason.why.contains(&format!("os error {})", sys::errno::EMFILE)) => {
            "raise the limit on open files (ulimit -n)".clone_into(&mut reason.advice);
            TargetError::Cannot(reason)
        }
        other => other,
    })
}

impl Held {
    fn take(file: JobFile, request: &JobsRequest, dirs: &mut Vec<(FileId, Arc<File>)>) -> Result<Held, TargetError> {
        let mut mark = None;
        let mut least = 0;
        let home = match file.seen.clone() {
            FoundFile::New { dir: id } => {
                let dir = open_inspected_directory(&file.path, id)?;
                let name = file.path.file_name().unwrap_or_default().to_owned();
                FileLocation::File { dir: shared(dirs, id, dir), name, file: None }
            }
            FoundFile::File { id, len } => {
                let (place, dir, name) = home(&file.path, id)?;
                let what = || format!("open {}", printable(&file.path));
                let held = open_place(&place, OpenHow::plain(held_access(&file))).map_err(|e| failed(what(), &e))?;
                // `/dev/null` and `/dev/zero` are shared by all processes and cannot be locked.
                if file.action != FileAction::Endless {
                    lock(&held, id, Purpose { take: true, share: request.share })
                        .map_err(|e| own::inspect::unproven(&file.path, e))?;
                }
                let meta = sys::files::file_metadata(&held).map_err(|e| failed(what(), &e))?;
                if meta.len() != len {
                    return Err(changed(&file.path));
                }
                if file.removable() {
                    match origin(&held, &meta).map_err(|e| failed(what(), &e))? {
                        Origin::Ours(proven) if Some(proven.uuid) == file.uuid => mark = Some(proven),
                        _ => return Err(changed(&file.path)),
                    }
                }
                least = len;
                let dir_id = FileId::from_file(&dir).map_err(|e| failed(what(), &e))?;
                FileLocation::File { dir: shared(dirs, dir_id, dir), name, file: Some((held, id)) }
            }
            FoundFile::Device(inspection) => {
                let dev = inspection.device.as_ref().map(|d| d.dev).ok_or_else(|| changed(&file.path))?;
                let size = inspection.device.as_ref().map_or(0, |d| d.size.as_u64());
                FileLocation::Device { target: Box::new(device::open(*inspection, dev, size)?), dev }
            }
        };
        let users = file.stages.len().max(1);
        Ok(Held { file, home, mark: Mutex::new(mark), made: false, least, users, unlink: false, gone: false })
    }

    /// Returns the descriptor that holds the lock on the file or the claim on the device.
    pub(super) fn held(&self) -> Option<&File> {
        match &self.home {
            FileLocation::Device { target, .. } => Some(target.held()),
            FileLocation::File { file, .. } => file.as_ref().map(|(f, _)| f),
        }
    }

    /// Reopens the file by its name in the directory.
    pub(super) fn open(&self, how: LoadOpen) -> io::Result<File> {
        match &self.home {
            FileLocation::Device { .. } => sys::storage::open_for_load(None, &self.file.path, how),
            FileLocation::File { dir, name, .. } => sys::storage::open_for_load(Some(dir), Path::new(name), how),
        }
    }

    /// Opens the node that accepts the device's commands. Neither direct I/O nor durability flags are needed, because
    /// there is no cache.
    pub(super) fn open_node(&self, write: bool) -> Result<File, TargetError> {
        let Some(node) = &self.file.node else {
            let reason = "the job does not name a node that accepts its commands";
            return Err(refused(
                format!("send commands to {}", printable(&self.file.path)),
                reason,
                "use a node such as /dev/ng0n1",
            ));
        };
        let what = || format!("open {}", printable(&node.path));
        let how = LoadOpen { write, ..LoadOpen::default() };
        let file = sys::storage::open_for_load(None, &node.path, how).map_err(|e| failed(what(), &e))?;
        let number = sys::files::file_metadata(&file)
            .map(|m| (m.file_type().is_char_device(), sys::devices::device_number(m.rdev())));
        // The node is checked again, in case the name was replaced meanwhile.
        let FileLocation::Device { dev, .. } = &self.home else { return Err(changed(&node.path)) };
        match number {
            Ok((true, number))
                if number == node.number && sys::devices::command_node(number).is_some_and(|n| n.block == *dev) =>
            {
                Ok(file)
            }
            Ok(_) => Err(changed(&node.path)),
            Err(e) => Err(failed(what(), &e)),
        }
    }

    /// Returns `true` if `file` is the same file as the held one.
    pub(super) fn is(&self, file: &File) -> io::Result<bool> {
        match &self.home {
            FileLocation::Device { dev, .. } => Ok(sys::devices::block_number(file)? == Some(*dev)),
            FileLocation::File { file: held, .. } => {
                let id = FileId::from_file(file)?;
                Ok(held.as_ref().is_some_and(|(_, held)| *held == id))
            }
        }
    }

    fn present(&self) -> Result<(), TargetError> {
        let path = || printable(&self.file.path);
        match &self.home {
            FileLocation::Device { target, .. } => target.still_there(),
            FileLocation::File { file: None, .. } => Ok(()),
            FileLocation::File { file: Some((file, _)), .. } => match sys::files::file_metadata(file) {
                Ok(m) if m.len() >= self.least || self.file.work.cut => Ok(()),
                Ok(m) => Err(lost(path(), format!("the file was truncated to {}", Bytes(m.len())))),
                Err(e) => Err(lost(path(), e.to_string())),
            },
        }
    }

    /// Removes the name if it still refers to the file; returns `false` if it does not.
    pub(super) fn remove(&mut self) -> io::Result<bool> {
        let FileLocation::File { dir, name, file: Some((_, id)) } = &self.home else { return Ok(false) };
        if !sys::files::names_file(dir, name, *id) {
            return Ok(false);
        }
        sys::files::remove_at(dir, name)?;
        self.gone = true;
        Ok(true)
    }

    /// Seals the mark of a file that is no longer written. Returns `true` even if there is nothing to do.
    fn seal(&self) -> io::Result<bool> {
        let mut mark = self.mark.lock().unwrap_or_else(PoisonError::into_inner);
        match (mark.as_mut(), self.held()) {
            (Some(mark), Some(file)) if !self.gone && (self.made || held_access(&self.file) == Access::ReadWrite) => {
                mark.seal(file)
            }
            _ => Ok(true),
        }
    }
}

impl JobFile {
    /// Returns `true` if secchi created the file: in this run, or provably in an earlier one.
    #[must_use]
    pub fn removable(&self) -> bool {
        matches!(self.action, FileAction::Make | FileAction::Complete | FileAction::Reuse)
    }
}

fn shared(dirs: &mut Vec<(FileId, Arc<File>)>, id: FileId, dir: File) -> Arc<File> {
    if let Some((_, known)) = dirs.iter().find(|(i, _)| *i == id) {
        return Arc::clone(known);
    }
    let dir = Arc::new(dir);
    dirs.push((id, Arc::clone(&dir)));
    dir
}

impl Drop for JobFiles {
    fn drop(&mut self) {
        for held in &mut self.files {
            if held.unlink && !held.gone && held.file.removable() {
                // The jobs that should have closed the file never ran, and an error could no longer be reported.
                let _ = held.remove();
            }
            let _ = held.seal();
        }
    }
}
