//! A test file without a name, in a directory: nobody else finds it, and it is gone with the run that made it, however
//! that ends. What `secchi ping` works on, as ioping does.

use crate::contents::randomize;
use crate::random::Random;
use crate::target::error::{TargetError, bad_input, cannot, failed, printable};
use crate::target::resolve::{FileSystem, ResolvedPath, locate, open, refuse_kernel_path};
use crate::target::{changed, file_system_notes, space};
use model::Bytes;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use sys::FileExt;
use sys::{Access, FileId, LoadOpen, OpenHow};

/// Bytes written at once.
const PIECE: usize = 1 << 20;
/// Of what is free, such a file takes at most one part in so many, where it does not leave the floor free anyway: a small
/// probe harms no nearly full disk.
const SHARE: u64 = 10;

/// A file without a name, as it is to be made.
#[derive(Debug)]
pub struct Nameless {
    /// The directory, absolute and without links.
    pub dir: PathBuf,
    /// Its bytes; those before `offset` are never written.
    pub size: Bytes,
    /// Where the part begins that is written before the load.
    pub offset: Bytes,
    /// One line each: what a user should know.
    pub notes: Vec<String>,
    id: FileId,
    how: LoadOpen,
    seed: u64,
    file: Option<File>,
}

impl Nameless {
    /// Looks whether such a file can be made in the directory, which `path` names. Makes nothing. `how` is how the load
    /// opens it; `align` what its requests are multiples of.
    ///
    /// # Errors
    /// [`TargetError`], before anything was touched.
    pub fn inspect(
        path: &Path,
        (offset, size): (Bytes, Bytes),
        how: LoadOpen,
        align: Bytes,
        seed: u64,
    ) -> Result<Nameless, TargetError> {
        let place = standing(path)?;
        if !place.meta.is_dir() {
            return Err(bad_input(printable(path), "it is no directory", ""));
        }
        refuse_kernel_path(&place.path)?;
        let what = || format!("open the directory {}", printable(&place.path));
        let dir = open(&place, OpenHow::plain(Access::Directory)).map_err(|e| failed(what(), &e))?;
        let end = offset.as_u64().checked_add(size.as_u64()).filter(|end| i64::try_from(*end).is_ok());
        let Some(end) = end else {
            return Err(bad_input("size", "it is more than a file can hold", "ask for less"));
        };
        if !sys::may_write(&dir, None) {
            return Err(cannot(
                format!("make a test file in {}", printable(&place.path)),
                "no permission to write there",
                "check owner and mode, or name a file to read",
            ));
        }
        let fs = FileSystem::holding(&dir);
        room(&dir, &place.path, &fs, size)?;
        let notes = file_system_notes(&fs);
        aligned(&place.path, &dir, how, align)?;
        let id = FileId::from(&place.meta);
        Ok(Nameless { dir: place.path, size: Bytes(end), offset, notes, id, how, seed, file: None })
    }

    /// Makes it and fills it with random bytes, durably. `tell` is told bytes done and bytes in all, and says whether to
    /// go on. Returns the bytes written.
    ///
    /// # Errors
    /// [`TargetError`]; what was made is gone then.
    pub fn make(&mut self, tell: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, TargetError> {
        let what = || format!("make a test file in {}", printable(&self.dir));
        let place = standing(&self.dir)?;
        if FileId::from(&place.meta) != self.id {
            return Err(changed(&self.dir));
        }
        let dir = open(&place, OpenHow::plain(Access::Directory)).map_err(|e| failed(what(), &e))?;
        let file = sys::create_nameless(&dir).map_err(|e| failed(what(), &e))?;
        let (mut at, end) = (self.offset.as_u64(), self.size.as_u64());
        let all = end - at;
        let mut random = Random::new(self.seed);
        let mut piece = vec![0; PIECE.min(all.max(1) as usize)];
        while at < end {
            let length = (end - at).min(PIECE as u64) as usize;
            randomize(&mut piece[..length], &mut random);
            file.write_all_at(&piece[..length], at)
                .map_err(|e| failed(format!("fill a test file in {}", printable(&self.dir)), &e))?;
            at += length as u64;
            if !tell(at - self.offset.as_u64(), all) {
                return Ok(at - self.offset.as_u64());
            }
        }
        // Pages still to be written cannot be dropped, and would be timed.
        file.sync_all().map_err(|e| failed(format!("flush the test file in {}", printable(&self.dir)), &e))?;
        self.file = Some(file);
        Ok(all)
    }

    /// Opens it for the load.
    ///
    /// # Errors
    /// When it was not made, or cannot be opened so.
    pub fn open(&self) -> io::Result<File> {
        let file = self.file.as_ref().ok_or_else(|| io::Error::other("the test file was not made"))?;
        sys::reopen_for_load(file, self.how).map_err(|e| {
            let shown = printable(&self.dir);
            let why = match e.kind() {
                io::ErrorKind::InvalidInput if self.how.direct => {
                    format!("the file system of {shown} has no direct I/O; leave out -D")
                }
                io::ErrorKind::NotFound => format!("cannot open the test file in {shown}: /proc is not mounted"),
                _ => format!("cannot open the test file in {shown} ({}): {e}", self.how),
            };
            io::Error::new(e.kind(), why)
        })
    }
}

/// What stands at the path. A link to a directory is followed: what is made in it has no name that could be another's.
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

/// Direct I/O must be aligned as the file system tells; where it does not, the first request will.
fn aligned(path: &Path, dir: &File, how: LoadOpen, align: Bytes) -> Result<(), TargetError> {
    if !how.direct {
        return Ok(());
    }
    // A directory tells nothing of direct I/O: a file of the same kind does, and is gone at once.
    let Ok(probe) = sys::create_nameless(dir) else { return Ok(()) };
    let Some(needed) = sys::direct_align(&probe).ok().flatten() else { return Ok(()) };
    if needed.offset == 0 {
        return Err(cannot(
            format!("go past the page cache in {}", printable(path)),
            "its file system says that it cannot do direct I/O",
            "leave out -D",
        ));
    }
    if align.as_u64().is_multiple_of(u64::from(needed.offset)) {
        return Ok(());
    }
    Err(bad_input(
        printable(path),
        format!(
            "direct I/O here must be aligned to {} bytes; size and offset are multiples of {}",
            needed.offset,
            align.as_u64()
        ),
        "",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sys::MetadataExt;

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
        let tell = &mut |done, all| {
            progress = (done, all);
            true
        };
        assert_eq!(file.make(tell).unwrap(), 1 << 20);
        assert_eq!(progress, (1 << 20, 1 << 20));
        let open = file.open().unwrap();
        // Where it cannot be without a name, it has one that goes with it.
        assert_eq!(
            (sys::file_metadata(&open).unwrap().len(), sys::file_metadata(&open).unwrap().nlink()),
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
