//! Creating a test file, and reusing an existing one.
//!
//! The order matters, because a run can be killed between any two steps. The data file gets its name only after it has
//! been locked and its first block has been written, so that no other run finds it incomplete. Then the sidecar is
//! created, and after that the space is reserved. `proof.rs` recognizes the leftovers of a killed run, and the next run
//! uses them.

use super::directory::remove_announced_directory;
use crate::content::{Content, GRANULE};
use crate::target::error::{TargetError, failed, printable, refused};
use crate::target::own::inspect::unproven;
use crate::target::proof::{Purpose, is_left, prove, read_sidecar};
use crate::target::ranges::RangeSet;
use crate::target::resolve::{FileSystem, locate, open_directory, open_inspected_directory};
use crate::target::sidecar::{Part, RECIPE, Sidecar};
use crate::target::space;
use crate::target::test_target::{Kind, Own, TestTarget};
use crate::target::{Inspection, changed};
use model::Bytes;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use sys::files::{Access, FileExt, FileId, OpenHow};
use sys::locks::LockFile;

/// Maximum number of leftover test files that are checked in one directory.
const MOST_LEFT: usize = 256;

/// Removes a test file or directory whose path a process announced, if that process ended without removing it. Returns
/// `true` if the file or directory existed and has been removed.
#[must_use]
pub fn remove_leftover(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let place = path.parent().and_then(|folder| locate(folder, true).ok());
    let Some(dir) = place.and_then(|place| open_directory(&place).ok()) else { return false };
    match (Part::Data.uuid_in(name), Part::Directory.uuid_in(name)) {
        (Some(uuid), _) => remove_left(&dir, uuid),
        (_, Some(uuid)) => remove_announced_directory(&dir, uuid),
        (None, None) => false,
    }
}

/// Removes a secchi test file that no run holds and that no user requested to keep.
fn remove_left(dir: &File, uuid: u128) -> bool {
    // On a remote file system, a run on another host may hold the file, and that run's lock is not visible here.
    if FileSystem::holding(dir).is_remote() {
        return false;
    }
    let Ok(proof) = prove(dir, uuid, Purpose { take: true, share: false }) else { return false };
    let data = Part::Data.name(uuid);
    // Without support for locks, it is unknown whether a run still holds the file.
    let free = matches!(sys::locks::try_lock(&proof.file, true), Ok(true));
    let ours = free && is_left(&proof) && sys::files::names_file(dir, &data, proof.id);
    let gone = ours && sys::files::remove_at(dir, &data).is_ok();
    if gone {
        // Remove the data first: a sidecar without data is recognized as a leftover.
        for part in [Part::Sidecar, Part::Draft] {
            let _ = sys::files::remove_at(dir, &part.name(uuid));
        }
    }
    gone
}

/// Creates the file that `Action::Create` announced.
pub(in crate::target) fn new_file(inspection: Inspection, dir_id: FileId) -> Result<TestTarget, TargetError> {
    let dir = open_inspected_directory(&inspection.path, dir_id)?;
    let folder = inspection.path.parent().unwrap_or(Path::new("/")).to_owned();
    let fs = FileSystem::holding(&dir);
    space::check(&dir, &folder, &fs, inspection.size)?;
    let what = || format!("create the test file {}", printable(&inspection.path));
    let uuid = inspection.own_uuid();
    let shared = inspection.request.share;
    let file = sys::files::create_whole(&dir, &Part::Data.name(uuid), |file| {
        // If the file system does not support locks, the inspection of the next run notes it.
        let _ = sys::locks::try_lock(file, !shared);
        file.write_all(&first_block(uuid))
    })
    .map_err(|e| failed(what(), &e))?;
    let made = Unfinished { dir: &dir, uuid, armed: true };
    let id = FileId::from_file(&file).map_err(|e| failed(what(), &e))?;
    let owned = own(&inspection, &dir, &fs, id, inspection.size.as_u64(), RangeSet::new())?;
    sys::files::create_whole(&dir, &Part::Sidecar.name(uuid), |f| f.write_all(&owned.sidecar.encode()))
        .map_err(|e| failed(format!("create the sidecar of {}", printable(&inspection.path)), &e))?;
    reserve(&file, owned.sidecar.size).map_err(|e| failed(what(), &e))?;
    made.keep();
    sweep(&dir, &folder, uuid);
    Ok(TestTarget::new(inspection, file, Kind::Own(Box::new(owned))))
}

/// Takes over the file that `Action::Reuse` announced.
pub(in crate::target) fn existing(
    inspection: Inspection,
    dir_id: FileId,
    id: FileId,
) -> Result<TestTarget, TargetError> {
    let dir = open_inspected_directory(&inspection.path, dir_id)?;
    let folder = inspection.path.parent().unwrap_or(Path::new("/")).to_owned();
    let path = inspection.path.clone();
    let uuid = inspection.own_uuid();
    let purpose = Purpose { take: true, share: inspection.request.share };
    let proof = prove(&dir, uuid, purpose).map_err(|e| unproven(&path, e))?;
    let size = proof.sidecar.as_ref().map_or(inspection.size.as_u64(), |s| s.size);
    if proof.id != id || size < inspection.size.as_u64() {
        return Err(changed(&path));
    }
    let fs = FileSystem::holding(&dir);
    let nothing_yet = proof.filled.is_empty();
    let mut owned = own(&inspection, &dir, &fs, id, size, proof.filled)?;
    if let Some(before) = &proof.sidecar {
        owned.sidecar.made = before.made.clone();
        // An earlier request to keep the file remains valid.
        owned.sidecar.keep |= before.keep;
    }
    let what = || format!("prepare the test file {}", printable(&path));
    if !owned.sidecar.filled.missing(0..inspection.size.as_u64()).is_empty() {
        space::check(&dir, &folder, &fs, Bytes(size.saturating_sub(proof.allocated)))?;
        if nothing_yet {
            proof.file.write_all_at(&first_block(uuid), 0).map_err(|e| failed(what(), &e))?;
        }
    }
    let mut target = TestTarget::new(inspection, proof.file, Kind::Own(Box::new(owned)));
    // After a crash, unfilled ranges must not be recorded as filled.
    target.save_sidecar()?;
    if !target.unfilled().is_empty() {
        reserve(target.held(), size).map_err(|e| failed(what(), &e))?;
    }
    sweep(&dir, &folder, uuid);
    Ok(target)
}

fn own(
    inspection: &Inspection,
    dir: &File,
    fs: &FileSystem,
    id: FileId,
    size: u64,
    filled: RangeSet,
) -> Result<Own, TargetError> {
    let uuid = inspection.own_uuid();
    let request = &inspection.request;
    let what = || format!("lock the test file {}", printable(&inspection.path));
    let mut lock = None;
    if fs.is_remote() && !request.share {
        let taken = LockFile::take(dir, &Part::Lock.name(uuid), &request.made.host).map_err(|e| failed(what(), &e))?;
        lock = Some(taken.map_err(|who| {
            let name = Part::Lock.name(uuid);
            refused(
                printable(&inspection.path),
                format!("another run uses it: {who}"),
                format!("wait for it; if it no longer runs, remove {}", name.to_string_lossy()),
            )
        })?);
    }
    let dir = dir.try_clone().map_err(|e| failed(what(), &e))?;
    let sidecar =
        Sidecar { uuid, size, recipe: RECIPE.to_owned(), filled, made: request.made.clone(), keep: request.keep };
    Ok(Own { dir, id, sidecar, fs: fs.clone(), lock })
}

/// Returns the block that identifies the owner of the file before the file has other contents.
fn first_block(uuid: u128) -> Vec<u8> {
    let mut block = vec![0; GRANULE];
    let content = Content::new(uuid, 0);
    content.fill_pool(&mut block);
    content.stamp(&mut block, 0, 0);
    block
}

/// Reserves the space, so that a full disk is detected now and not during the run. If the file system cannot reserve
/// space, only the length of the file is set.
fn reserve(file: &File, size: u64) -> io::Result<()> {
    if !sys::storage::allocate(file, size)? && sys::files::file_metadata(file)?.len() < size {
        file.set_len(size)?;
    }
    file.sync_all()
}

/// Guard that removes new files unless they are kept.
struct Unfinished<'a> {
    dir: &'a File,
    uuid: u128,
    armed: bool,
}

impl Unfinished<'_> {
    fn keep(mut self) {
        self.armed = false;
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if self.armed {
            // The files were created by this call under a unique name; the original error is the one to report.
            for part in [Part::Data, Part::Sidecar] {
                let _ = sys::files::remove_at(self.dir, &part.name(self.uuid));
            }
        }
    }
}

/// Removes leftovers of killed runs, except `kept`. Leftovers are test files that no run holds and that no user
/// requested to keep, and sidecars without a data file. The data file is always created first and removed first. A
/// sidecar without a data file therefore exists only if a run was killed while it removed its target.
fn sweep(dir: &File, folder: &Path, kept: u128) {
    let names = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let left: Vec<u128> = names.filter_map(|e| Part::Data.uuid_in(&e.file_name())).filter(|u| *u != kept).collect();
    for uuid in left.into_iter().take(MOST_LEFT) {
        remove_left(dir, uuid);
    }
    let names = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for name in names.map(|e| e.file_name()) {
        for part in [Part::Sidecar, Part::Draft] {
            let Some(uuid) = part.uuid_in(&name) else { continue };
            let how = OpenHow::plain(Access::Locate);
            let data = sys::files::open_no_links(Some(dir), Path::new(&Part::Data.name(uuid)), how);
            let gone = data.is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
            if gone && (part == Part::Draft || matches!(read_sidecar(dir, uuid), Ok(Some(_)))) {
                let _ = sys::files::remove_at(dir, &name);
            }
        }
    }
}
