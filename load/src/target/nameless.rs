//! Test file without a name. No other process can find it, and it disappears when the run ends for any reason. `secchi
//! ping` uses such a file, as ioping does.

use crate::contents::randomize;
use crate::random::Random;
use crate::target::error::{TargetError, bad_input, cannot, failed, printable};
use crate::target::resolve::{FileSystem, ResolvedPath, locate, open, open_directory, refuse_kernel_path};
use crate::target::{changed, file_system_notes, space};
use model::Bytes;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use sys::files::{Access, FileExt, FileId, OpenHow};
use sys::storage::LoadOpen;

/// Size of one write, in bytes.
const PIECE: usize = 1 << 20;
/// Divisor of the free space: the file may use one tenth of the free space. This applies even if less than the usual
/// minimum then stays free, because a small probe does no harm on a nearly full disk.
const SHARE: u64 = 10;

/// Unnamed test file, before or after its creation.
#[derive(Debug)]
pub struct Nameless {
    /// Directory, absolute and without links.
    pub dir: PathBuf,
    /// Size of the file, in bytes. Bytes before `offset` are never written.
    pub size: Bytes,
    /// Start of the range that is written before the load.
    pub offset: Bytes,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
    id: FileId,
    how: LoadOpen,
    seed: u64,
    file: Option<File>,
}

impl Nameless {
    /// Checks that an unnamed test file can be created in the directory `path`. Creates nothing. `how` contains the
    /// load's flags; `align` is a common divisor of the load's offsets and lengths.
    ///
    /// # Errors
    /// Returns a [`TargetError`] before anything was changed.
    pub fn inspect(
        path: &Path,
        (offset, size): (Bytes, Bytes),
        how: LoadOpen,
        align: Bytes,
        seed: u64,
    ) -> Result<Nameless, TargetError> {
        let place = standing(path)?;
        if !place.meta.is_dir() {
            return Err(bad_input(printable(path), "it is not a directory", ""));
        }
        refuse_kernel_path(&place.path)?;
        let dir = open_directory(&place)?;
        let end = offset.as_u64().checked_add(size.as_u64()).filter(|end| i64::try_from(*end).is_ok());
        let Some(end) = end else {
            return Err(bad_input("size", "it exceeds the maximum size of a file", "use a smaller size"));
        };
        if !sys::files::may_write(&dir, None) {
            return Err(cannot(
                format!("create a test file in {}", printable(&place.path)),
                "no permission to write to it",
                "check owner and mode, or use a file to read",
            ));
        }
        let fs = FileSystem::holding(&dir);
        room(&dir, &place.path, &fs, size)?;
        let notes = file_system_notes(&fs);
        aligned(&place.path, &dir, how, align)?;
        let id = FileId::from(&place.meta);
        Ok(Nameless { dir: place.path, size: Bytes(end), offset, notes, id, how, seed, file: None })
    }

    /// Creates the file and fills it with random bytes, durably. `progress` receives the number of bytes written so far
    /// and the total, and returns `false` to stop. Returns the bytes written.
    ///
    /// # Errors
    /// Returns a [`TargetError`]; the file no longer exists in that case.
    pub fn make(&mut self, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, TargetError> {
        let what = || format!("create a test file in {}", printable(&self.dir));
        let place = standing(&self.dir)?;
        if FileId::from(&place.meta) != self.id {
            return Err(changed(&self.dir));
        }
        let dir = open(&place, OpenHow::plain(Access::Directory)).map_err(|e| failed(what(), &e))?;
        let file = sys::files::create_nameless(&dir).map_err(|e| failed(what(), &e))?;
        let (mut at, end) = (self.offset.as_u64(), self.size.as_u64());
        let total = end - at;
        let mut random = Random::new(self.seed);
        let mut piece = vec![0; PIECE.min(total.max(1) as usize)];
        while at < end {
            let length = (end - at).min(PIECE as u64) as usize;
            randomize(&mut piece[..length], &mut random);
            file.write_all_at(&piece[..length], at)
                .map_err(|e| failed(format!("fill a test file in {}", printable(&self.dir)), &e))?;
            at += length as u64;
            if !progress(at - self.offset.as_u64(), total) {
                return Ok(at - self.offset.as_u64());
            }
        }
        // Dirty pages cannot be dropped, and their write-back would be included in the measurement.
        file.sync_all().map_err(|e| failed(format!("flush the test file in {}", printable(&self.dir)), &e))?;
        self.file = Some(file);
        Ok(total)
    }

    /// Opens the file for the load.
    ///
    /// # Errors
    /// Returns an error if the file was not created, or cannot be opened with the load's flags.
    pub fn open(&self) -> io::Result<File> {
        let file = self.file.as_ref().ok_or_else(|| io::Error::other("the test file was not created"))?;
        sys::storage::reopen_for_load(file, self.how).map_err(|e| {
            let shown = printable(&self.dir);
            let message = match e.kind() {
                io::ErrorKind::InvalidInput if self.how.direct => {
                    format!("the file system of {shown} does not support direct I/O; leave out -D")
                }
                io::ErrorKind::NotFound => format!("cannot open the test file in {shown}: /proc is not mounted"),
                _ => format!("cannot open the test file in {shown} ({}): {e}", self.how),
            };
            io::Error::new(e.kind(), message)
        })
    }
}

/// Resolves the path. Links to a directory are followed, because a file without a name cannot replace another file.
fn standing(path: &Path) -> Result<ResolvedPath, TargetError> {
    locate(path, false)
}

fn room(dir: &File, path: &Path, fs: &FileSystem, size: Bytes) -> Result<(), TargetError> {
    let verdict = space::measure(dir, path, fs, size)?;
    if size.as_u64() <= verdict.free.as_u64() / SHARE {
        return Ok(());
    }
    space::check(dir, path, fs, size).map(|_| ())
}

/// Checks the alignment of direct I/O. If the file system does not report it, an unsuitable alignment is detected at
/// the first request.
fn aligned(path: &Path, dir: &File, how: LoadOpen, align: Bytes) -> Result<(), TargetError> {
    if !how.direct {
        return Ok(());
    }
    // A directory does not report the alignment of direct I/O, so a temporary file without a name is queried.
    let Ok(probe) = sys::files::create_nameless(dir) else { return Ok(()) };
    let Some(needed) = sys::storage::direct_align(&probe).ok().flatten() else { return Ok(()) };
    if needed.offset == 0 {
        return Err(cannot(
            format!("use direct I/O in {}", printable(path)),
            "its file system does not support direct I/O",
            "leave out -D",
        ));
    }
    if align.as_u64().is_multiple_of(u64::from(needed.offset)) {
        return Ok(());
    }
    Err(bad_input(
        printable(path),
        format!(
            "direct I/O on this file system must be aligned to {} bytes, but size and offset are multiples of {}",
            needed.offset,
            align.as_u64()
        ),
        "",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sys::files::MetadataExt;

    fn names(dir: &Path) -> usize {
        std::fs::read_dir(dir).expect("ours").count()
    }

    fn wish(dir: &Path, size: u64) -> Result<Nameless, TargetError> {
        Nameless::inspect(dir, (Bytes(4096), Bytes(size)), LoadOpen::default(), Bytes(4096), 1)
    }

    #[test]
    fn a_file_is_made_full_and_has_no_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = wish(dir.path(), 1 << 20).unwrap();
        assert!(file.open().is_err(), "nothing is made by looking");
        let mut progress = (0, 0);
        let record = &mut |done, total| {
            progress = (done, total);
            true
        };
        assert_eq!(file.make(record).unwrap(), 1 << 20);
        assert_eq!(progress, (1 << 20, 1 << 20));
        let open = file.open().unwrap();
        // If the system does not support unnamed files, the file has a name that disappears when the file is closed.
        assert_eq!(
            (sys::files::file_metadata(&open).unwrap().len(), sys::files::file_metadata(&open).unwrap().nlink()),
            ((1 << 20) + 4096, names(dir.path()) as u64)
        );
        let mut block = [0; 4096];
        open.read_exact_at(&mut block, 4096 + 8192).unwrap();
        assert!(block.iter().filter(|b| **b == 0).count() < 64, "random");
        assert!(open.write_at(b"x", 0).is_err(), "opened for reading only");
        drop((open, file));
        assert_eq!(names(dir.path()), 0);
    }

    #[test]
    fn what_does_not_fit_is_refused_before_anything_is_made() {
        let dir = tempfile::tempdir().unwrap();
        assert!(wish(dir.path(), 1 << 60).is_err());
        assert!(wish(&dir.path().join("none"), 4096).is_err());
        assert_eq!(names(dir.path()), 0);
    }
}
