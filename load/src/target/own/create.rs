//! Making a test file, and taking up one that is there.
//!
//! Order matters, for a run can be killed between any two steps. The data file gets its name last, when it is locked
//! and carries its first block, so that no other run finds it half made; then comes the sidecar, then the room is
//! reserved. Whatever a killed run leaves is recognised by `proof.rs` and used by the next.

use super::directory::remove_announced_directory;
use super::proof::{Purpose, is_left, prove, read_sidecar};
use super::sidecar::{Part, RECIPE, Sidecar};
use crate::content::{Content, GRANULE};
use crate::target::error::{TargetError, failed, printable, refused};
use crate::target::own::inspect::unproven;
use crate::target::ranges::RangeSet;
use crate::target::resolve::{FileSystem, locate, open};
use crate::target::space;
use crate::target::test_target::{Kind, Own, TestTarget};
use crate::target::{Inspection, changed};
use model::Bytes;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use sys::FileExt;
use sys::{Access, FileId, LockFile, OpenHow};

/// Test files of killed runs looked at in one directory.
const MOST_LEFT: usize = 256;

/// Removes the test file, or the directory of files, of a process that is gone and did not do so itself, by the path that it announced.
/// Whether it was there and is gone.
#[must_use]
pub fn remove_leftover(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let place = path.parent().and_then(|folder| locate(folder, true).ok());
    let Some(dir) = place.and_then(|place| open(&place, OpenHow::plain(Access::Directory)).ok()) else { return false };
    match (Part::Data.uuid_in(name), Part::Directory.uuid_in(name)) {
        (Some(uuid), _) => remove_left(&dir, uuid),
        (_, Some(uuid)) => remove_announced_directory(&dir, uuid),
        (None, None) => false,
    }
}

/// Removes a test file of ours that no run holds and nobody asked to keep.
fn remove_left(dir: &File, uuid: u128) -> bool {
    // Elsewhere a run of another host may hold it, whose lock does not reach us.
    if FileSystem::holding(dir).is_remote() {
        return false;
    }
    let Ok(proof) = prove(dir, uuid, Purpose { take: true, share: false }) else { return false };
    let data = Part::Data.name(uuid);
    // Where there are no locks nobody can tell whether a run still holds it.
    let free = matches!(sys::try_lock(&proof.file, true), Ok(true));
    let ours = free && is_left(&proof) && sys::names_file(dir, &data, proof.id);
    let gone = ours && sys::remove_at(dir, &data).is_ok();
    if gone {
        // Data first: a sidecar alone is known to belong to nobody.
        for part in [Part::Sidecar, Part::Draft] {
            let _ = sys::remove_at(dir, &part.name(uuid));
        }
    }
    gone
}

/// Makes the file that `Action::Create` announced.
pub(in crate::target) fn new_file(inspection: Inspection, dir_id: FileId) -> Result<TestTarget, TargetError> {
    let (dir, folder) = same_directory(&inspection, dir_id)?;
    let fs = FileSystem::holding(&dir);
    space::check(&dir, &folder, &fs, inspection.size)?;
    let what = || format!("make the test file {}", printable(&inspection.path));
    let uuid = inspection.own_uuid();
    let shared = inspection.request.share;
    let file = sys::create_whole(&dir, &Part::Data.name(uuid), |file| {
        // Where there are no locks, the inspection of the next run says so.
        let _ = sys::try_lock(file, !shared);
        file.write_all(&first_block(uuid))
    })
    .map_err(|e| failed(what(), &e))?;
    let made = Unfinished { dir: &dir, uuid, armed: true };
    let id = FileId::from_file(&file).map_err(|e| failed(what(), &e))?;
    let own = own(&inspection, &dir, &fs, id, inspection.size.as_u64(), RangeSet::new())?;
    sys::create_whole(&dir, &Part::Sidecar.name(uuid), |f| f.write_all(&own.sidecar.encode()))
        .map_err(|e| failed(format!("make the sidecar of {}", printable(&inspection.path)), &e))?;
    reserve(&file, own.sidecar.size).map_err(|e| failed(what(), &e))?;
    made.keep();
    sweep(&dir, &folder, uuid);
    Ok(TestTarget::new(inspection, file, Kind::Own(Box::new(own))))
}

/// Takes the file that `Action::Reuse` announced.
pub(in crate::target) fn existing(
    inspection: Inspection,
    dir_id: FileId,
    id: FileId,
) -> Result<TestTarget, TargetError> {
    let (dir, folder) = same_directory(&inspection, dir_id)?;
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
    let mut own = own(&inspection, &dir, &fs, id, size, proof.filled)?;
    if let Some(before) = &proof.sidecar {
        own.sidecar.made = before.made.clone();
        // Who once asked to keep it still wants it.
        own.sidecar.keep |= before.keep;
    }
    let what = || format!("prepare the test file {}", printable(&path));
    if !own.sidecar.filled.missing(0..inspection.size.as_u64()).is_empty() {
        space::check(&dir, &folder, &fs, Bytes(size.saturating_sub(proof.allocated)))?;
        if nothing_yet {
            proof.file.write_all_at(&first_block(uuid), 0).map_err(|e| failed(what(), &e))?;
        }
    }
    let mut target = TestTarget::new(inspection, proof.file, Kind::Own(Box::new(own)));
    // What is not filled must not be called so by anybody who comes after a crash.
    target.save_sidecar()?;
    if !target.unfilled().is_empty() {
        reserve(target.held(), size).map_err(|e| failed(what(), &e))?;
    }
    sweep(&dir, &folder, uuid);
    Ok(target)
}

/// Opens the directory again; it must be the one that was inspected.
fn same_directory(inspection: &Inspection, id: FileId) -> Result<(File, std::path::PathBuf), TargetError> {
    let folder = inspection.path.parent().unwrap_or(Path::new("/"));
    let place = locate(folder, true)?;
    if !place.meta.is_dir() || FileId::from(&place.meta) != id {
        return Err(changed(folder));
    }
    let dir = open(&place, OpenHow::plain(Access::Directory))
        .map_err(|e| failed(format!("open the directory {}", printable(folder)), &e))?;
    Ok((dir, folder.to_owned()))
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
                format!("wait for it; if it is long gone, remove {}", name.to_string_lossy()),
            )
        })?);
    }
    let dir = dir.try_clone().map_err(|e| failed(what(), &e))?;
    let sidecar =
        Sidecar { uuid, size, recipe: RECIPE.to_owned(), filled, made: request.made.clone(), keep: request.keep };
    Ok(Own { dir, id, sidecar, fs: fs.clone(), lock })
}

/// The block that proves whose the file is, before anything else is in it.
fn first_block(uuid: u128) -> Vec<u8> {
    let mut block = vec![0; GRANULE];
    let content = Content::new(uuid, 0);
    content.fill_pool(&mut block);
    content.stamp(&mut block, 0, 0);
    block
}

/// Reserves the room, so that a full disk shows now and not in the middle; where the file system cannot, the file
/// only gets its length.
fn reserve(file: &File, size: u64) -> io::Result<()> {
    if !sys::allocate(file, size)? && sys::file_metadata(file)?.len() < size {
        file.set_len(size)?;
    }
    file.sync_all()
}

/// Removes what was just made, unless kept.
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
            // Made by us a moment ago, under a name nobody else uses; the error that led here is the one to tell.
            for part in [Part::Data, Part::Sidecar] {
                let _ = sys::remove_at(self.dir, &part.name(self.uuid));
            }
        }
    }
}

/// Removes what killed runs left: test files that nobody holds and nobody asked to keep, but `own`; and sidecars whose data
/// file is gone: a run was killed while it removed its target. The data file is always made first and removed first, so such
/// a sidecar belongs to nobody.
fn sweep(dir: &File, folder: &Path, own: u128) {
    let names = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let left: Vec<u128> = names.filter_map(|e| Part::Data.uuid_in(&e.file_name())).filter(|u| *u != own).collect();
    for uuid in left.into_iter().take(MOST_LEFT) {
        remove_left(dir, uuid);
    }
    let names = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for name in names.map(|e| e.file_name()) {
        for part in [Part::Sidecar, Part::Draft] {
            let Some(uuid) = part.uuid_in(&name) else { continue };
            let look = OpenHow::plain(Access::Locate);
            let data = sys::open_no_links(Some(dir), Path::new(&Part::Data.name(uuid)), look);
            let gone = data.is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
            if gone && (part == Part::Draft || matches!(read_sidecar(dir, uuid), Ok(Some(_)))) {
                let _ = sys::remove_at(dir, &name);
            }
        }
    }
}
