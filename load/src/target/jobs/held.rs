//! The files of a run, held: locked or claimed from before the first job to after the last, opened for each job and put
//! away after it.

use super::super::error::{TargetError, failed, lost, printable, refused};
use super::super::own::proof::{Purpose, lock};
use super::super::resolve::{locate, open as open_place};
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
use sys::{Access, FileId, LoadOpen, OpenHow};
use sys::{FileTypeExt, MetadataExt};

/// The files of all jobs of a run. As long as it lives, files are locked and devices claimed. Dropped, it leaves the
/// files where they are, as fio does, those excepted that a job asked to unlink.
#[derive(Debug)]
pub struct JobFiles {
    pub(super) files: Vec<Held>,
    pub(super) rooms: Vec<Room>,
    pub(super) request: JobsRequest,
    notes: Mutex<Vec<String>>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Held {
    pub file: JobFile,
    pub home: FileLocation,
    /// Only for files of ours, on file systems that keep marks.
    pub mark: Mutex<Option<Mark>>,
    /// Made by this run.
    pub made: bool,
    /// Fewer bytes than this mean that somebody cut it.
    pub least: u64,
    /// Jobs that have not put it away yet.
    users: usize,
    unlink: bool,
    pub gone: bool,
}

/// Where a file is.
#[derive(Debug)]
pub(super) enum FileLocation {
    Device {
        target: Box<TestTarget>,
        dev: (u32, u32),
    },
    /// `file` carries the lock; `None` until a new file is made.
    File {
        dir: Arc<File>,
        name: OsString,
        file: Option<(File, FileId)>,
    },
}

impl JobFiles {
    /// Looks at the files of all jobs and says what would be done. Opens nothing for writing and changes nothing.
    ///
    /// # Errors
    /// [`TargetError`], before anything was touched.
    pub fn inspect(request: &JobsRequest) -> Result<JobsInspection, TargetError> {
        inspect::inspect(request)
    }

    /// Looks again, locks the files and claims the devices. Makes and writes nothing yet.
    ///
    /// # Errors
    /// [`TargetError`]; also when something is not any more what was inspected.
    pub fn take(inspection: JobsInspection) -> Result<JobFiles, TargetError> {
        let rooms = rooms(&inspection.files)?;
        let request = inspection.request;
        let mut dirs: Vec<(FileId, Arc<File>)> = Vec::new();
        let files = inspection.files.into_iter().map(|file| Held::take(file, &request, &mut dirs)).collect();
        Ok(JobFiles { files: files_or_limit(files)?, rooms, request, notes: Mutex::default() })
    }

    /// The files as they were inspected.
    pub fn files(&self) -> impl Iterator<Item = &JobFile> {
        self.files.iter().map(|held| &held.file)
    }

    /// What was worth saying since the last call: one sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn note(&self, text: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// Whether all files are there and as large as they were, devices too, and enough space is left where files are
    /// made. Asked each second; never waits for I/O, except on a network file system.
    ///
    /// # Errors
    /// [`TargetError`] saying what happened.
    pub fn present(&self) -> Result<(), TargetError> {
        self.files.iter().filter(|h| !h.gone).try_for_each(|held| held.present())
    }

    /// Whether the file systems of files that grow still have the room that is never used.
    ///
    /// # Errors
    /// [`TargetError`] with the figures.
    pub fn room(&self) -> Result<(), TargetError> {
        self.rooms.iter().filter(|r| r.watched).try_for_each(|room| room.check(0).map(drop))
    }

    /// Makes durable and removes what the job asks, after its load. A file that further jobs use is removed when the
    /// last of them has ended; one that is not secchi's never, which is noted. All files are gone through; the first
    /// failure is returned.
    ///
    /// # Errors
    /// When a flush failed (final: never tried again, docs/design/safety.md, "Failed flushes"), or a file could not be
    /// removed.
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
            // A node of commands has no flush of its own: its block device passes it on to the drive.
            let held = commands.then(|| self.find(&target.path).ok()?.held()).flatten();
            let file = held.unwrap_or(file);
            let file_system = FileId::from_file(file).ok().map(|id| id.dev);
            if closing.flush_file_system && (file_system.is_none() || !flushed.contains(&file_system)) {
                flushed.push(file_system);
                and(sys::sync_file_system(file)
                    .map_err(|e| failed(format!("flush the file system of {}", printable(&target.path)), &e)));
            }
            if closing.flush || closing.flush_on_close {
                and(sys::sync_file(file).map_err(|e| failed(format!("flush {}", printable(&target.path)), &e)));
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
        if !self.files[which].removable() {
            self.note(format!("unlink=1: {} is not secchi's, it is left where it is", printable(&path)));
            return Ok(());
        }
        if !self.files[which].remove().map_err(|e| failed(format!("remove {}", printable(&path)), &e))? {
            self.note(format!("unlink=1: another file stands at {} by now, it is left", printable(&path)));
        }
        Ok(())
    }

    pub(super) fn position(&self, path: &Path) -> Option<usize> {
        self.files.iter().position(|h| h.file.path == path || h.file.typed.iter().any(|t| t == path))
    }

    pub(super) fn find(&self, path: &Path) -> Result<&Held, TargetError> {
        let which = self.position(path);
        which.map(|w| &self.files[w]).ok_or_else(|| {
            refused(
                format!("open {}", printable(path)),
                "it was not among the files that were inspected",
                "start again",
            )
        })
    }

    /// From here on others cannot know from the mark that the file is ours.
    pub(super) fn unseal(&self, held: &Held) -> Result<(), TargetError> {
        let mut mark = held.mark.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(mark), Some(file)) = (mark.as_mut().filter(|m| m.left.is_some()), held.held()) {
            mark.open(file).map_err(|e| failed(format!("mark {}", printable(&held.file.path)), &e))?;
        }
        Ok(())
    }

    /// Nobody of us writes it now: the next run may know it again.
    pub(super) fn seal(&self, held: &Held) {
        if !matches!(held.seal(), Ok(true)) {
            self.note(unmarked(&held.file));
        }
    }
}

/// What a file without a mark means.
pub(super) fn unmarked(file: &JobFile) -> String {
    format!(
        "{} cannot be marked as secchi's on {}: writing it again will need overwrite=1 or --allow-overwrite",
        printable(&file.path),
        file.filesystem
    )
}

/// A run that opens too many files at once fails here, before anything is made.
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
                let folder = file.path.parent().unwrap_or(Path::new("/"));
                let place = locate(folder, true)?;
                if FileId::from(&place.meta) != id {
                    return Err(changed(folder));
                }
                let dir = open_place(&place, OpenHow::plain(Access::Directory))
                    .map_err(|e| failed(format!("open the directory {}", printable(folder)), &e))?;
                let name = file.path.file_name().unwrap_or_default().to_owned();
                FileLocation::File { dir: shared(dirs, id, dir), name, file: None }
            }
            FoundFile::File { id, len } => {
                let (place, dir, name) = home(&file.path, id)?;
                let what = || format!("open {}", printable(&file.path));
                let held = open_place(&place, OpenHow::plain(held_access(&file))).map_err(|e| failed(what(), &e))?;
                // Everybody's, and nobody's to lock.
                if file.action != FileAction::Endless {
                    lock(&held, id, Purpose { take: true, share: request.share })
                        .map_err(|e| own::inspect::unproven(&file.path, e))?;
                }
                let meta = sys::file_metadata(&held).map_err(|e| failed(what(), &e))?;
                if meta.len() != len {
                    return Err(changed(&file.path));
                }
                if file.removable() {
                    match origin(&held, &meta).map_err(|e| failed(what(), &e))? {
                        Origin::Ours(found) if Some(found.uuid) == file.uuid => mark = Some(found),
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

    /// The descriptor that carries the lock or the claim.
    pub(super) fn held(&self) -> Option<&File> {
        match &self.home {
            FileLocation::Device { target, .. } => Some(target.held()),
            FileLocation::File { file, .. } => file.as_ref().map(|(f, _)| f),
        }
    }

    /// Opened anew, by its place in its directory.
    pub(super) fn open(&self, how: LoadOpen) -> io::Result<File> {
        match &self.home {
            FileLocation::Device { .. } => sys::open_for_load(None, &self.file.path, how),
            FileLocation::File { dir, name, .. } => sys::open_for_load(Some(dir), Path::new(name), how),
        }
    }

    /// The node that takes the device's commands, opened: it has neither direct I/O nor durability, for there is no cache.
    pub(super) fn open_node(&self, write: bool) -> Result<File, TargetError> {
        let Some(node) = &self.file.node else {
            let why = "no node that takes its commands was named";
            return Err(refused(
                format!("send commands to {}", printable(&self.file.path)),
                why,
                "name /dev/ng0n1 or the like",
            ));
        };
        let what = || format!("open {}", printable(&node.path));
        let how = LoadOpen { write, ..LoadOpen::default() };
        let file = sys::open_for_load(None, &node.path, how).map_err(|e| failed(what(), &e))?;
        let number = sys::file_metadata(&file).map(|m| (m.file_type().is_char_device(), sys::device_number(m.rdev())));
        // The node is looked up again, so that a name exchanged on the way leads nowhere.
        let FileLocation::Device { dev, .. } = &self.home else { return Err(changed(&node.path)) };
        match number {
            Ok((true, number))
                if number == node.number && sys::command_node(number).is_some_and(|n| n.block == *dev) =>
            {
                Ok(file)
            }
            Ok(_) => Err(changed(&node.path)),
            Err(e) => Err(failed(what(), &e)),
        }
    }

    /// Whether an open file is the one that is held.
    pub(super) fn is(&self, file: &File) -> io::Result<bool> {
        match &self.home {
            FileLocation::Device { dev, .. } => Ok(sys::block_number(file)? == Some(*dev)),
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
            FileLocation::File { file: Some((file, _)), .. } => match sys::file_metadata(file) {
                Ok(m) if m.len() >= self.least || self.file.work.cut => Ok(()),
                Ok(m) => Err(lost(path(), format!("the file was cut to {}", Bytes(m.len())))),
                Err(e) => Err(lost(path(), e.to_string())),
            },
        }
    }

    /// Made by this run, or proven to be made by an earlier one.
    pub(super) fn removable(&self) -> bool {
        self.file.removable()
    }

    /// Takes the name away, if it still stands for the file; `false` if it does not.
    pub(super) fn remove(&mut self) -> io::Result<bool> {
        let FileLocation::File { dir, name, file: Some((_, id)) } = &self.home else { return Ok(false) };
        if !sys::names_file(dir, name, *id) {
            return Ok(false);
        }
        sys::remove_at(dir, name)?;
        self.gone = true;
        Ok(true)
    }

    /// Puts the mark of a file that is not written any more; nothing to do is as good as done.
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
    /// Whether it is secchi's: made by this run, or proven to be made by an earlier one.
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
            if held.unlink && !held.gone && held.removable() {
                // The jobs that would have put it away never ran; nobody is left to be told of a failure.
                let _ = held.remove();
            }
            let _ = held.seal();
        }
    }
}
