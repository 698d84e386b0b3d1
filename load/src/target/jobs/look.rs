//! Looking at the files of all jobs: what would be done with each, or why not. Opens nothing for writing.

use super::super::error::{TargetError, bad_input, cannot, failed, refused, shown};
use super::super::own::unproven;
use super::super::place::{FileSystem, Place, locate, open, parent};
use super::super::proof::{Purpose, lock};
use super::super::written::{Evidence, written_ranges};
use super::super::{
    PlannedOpen, TargetRequest, check_direct, device, file_system_notes, large, planned, size_within, space,
};
use super::gather::{Stand, Wanted, gather, no_file, remedy};
use super::mark::{Origin, origin};
use super::{FileAction, JobFile, JobsInspection, JobsRequest, Seen, Work};
use model::{Bytes, Caveat, Layout, Reserve, Severity, TargetKind};
use std::fs::File;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use sys::{Access, FileId, OpenHow};
use uuid::Uuid;

/// Above this share of bytes no device is asked for, figures are not the device's (`measurement.md` 2.5).
const HOLES: f64 = 0.02;

/// What is found on the way and told beside the files.
#[derive(Default)]
pub(super) struct Told {
    notes: Vec<String>,
    caveats: Vec<Caveat>,
}

/// Looks at everything.
pub(super) fn inspect(request: &JobsRequest) -> Result<JobsInspection, TargetError> {
    let mut told = Told::default();
    let mut files = Vec::new();
    for wanted in gather(request)? {
        files.push(one(request, wanted, &mut told)?);
    }
    consents_used(request, &files)?;
    let rooms = rooms(&files)?;
    for room in &rooms {
        space::check(&room.dir, &room.path, &room.fs, Bytes(room.needed))?;
    }
    let to_write = Bytes(files.iter().map(|f| f.work.bytes()).sum());
    let large = rooms.iter().find_map(|room| {
        let total = sys::space(&room.dir).map_or(0, |s| s.total);
        large(Bytes(room.needed), Bytes(total))
    });
    let mut said = std::collections::HashSet::new();
    told.notes.retain(|note| said.insert(note.clone()));
    Ok(JobsInspection {
        layout: files.iter().filter(|f| f.kind == TargetKind::File).map(layout).collect(),
        opens: files.iter().flat_map(opens).collect(),
        files,
        to_write,
        large,
        notes: told.notes,
        caveats: told.caveats,
        request: request.clone(),
    })
}

fn one(request: &JobsRequest, wanted: Wanted, told: &mut Told) -> Result<JobFile, TargetError> {
    match &wanted.stand {
        Stand::Missing { dir, name } => {
            let path = dir.path.join(name);
            missing(&wanted, dir, path, told)
        }
        Stand::There(place) => {
            if let Some(link) = &place.through_link {
                told.notes.push(format!("{} is a symbolic link to {}", shown(link), shown(&place.path)));
            }
            let kind = place.meta.file_type();
            if kind.is_block_device() {
                block_device(request, &wanted, place, told)
            } else if kind.is_file() {
                regular(request, &wanted, place, told)
            } else {
                Err(no_file(&place.path, &place.meta))
            }
        }
    }
}

/// A file to be made.
fn missing(wanted: &Wanted, folder: &Place, path: PathBuf, told: &mut Told) -> Result<JobFile, TargetError> {
    if !wanted.create {
        return Err(bad_input(shown(&path), "it does not exist, and allow_file_create=0 forbids to make it", ""));
    }
    // What is written until the disk is full needs no size.
    let Some(size) = wanted.size.or(wanted.grows.then_some(0)) else {
        return Err(bad_input(shown(&path), "it does not exist, and no size was given to make it", "give a size"));
    };
    let dir = open(folder, OpenHow::plain(Access::Directory))
        .map_err(|e| failed(format!("open the directory {}", shown(&folder.path)), &e))?;
    if !sys::may_write(&dir, None) {
        return Err(cannot(
            format!("make {}", shown(&path)),
            format!("no permission to write in {}", shown(&folder.path)),
            "check owner and mode, or name another directory",
        ));
    }
    let fs = FileSystem::of(&dir);
    told.notes.extend(file_system_notes(&fs));
    let fill = if wanted.fill && size > 0 { std::iter::once(0..size).collect() } else { Vec::new() };
    Ok(JobFile {
        typed: wanted.typed.clone(),
        kind: TargetKind::File,
        action: FileAction::Make,
        size: Bytes(size),
        now: None,
        align: Bytes(0),
        uuid: Uuid::new_v4().as_u128(),
        filesystem: fs.name,
        mount_point: fs.mount_point,
        device: None,
        work: Work {
            reserve: (size > 0).then_some(wanted.reserve),
            fill,
            durable: wanted.durable,
            direct: wanted.direct,
            needs: size,
            watched: true,
        },
        seen: Seen::New { dir: FileId::from(&folder.meta) },
        writes: wanted.writes,
        stages: wanted.stages.clone(),
        path,
    })
}

/// A regular file that is there.
fn regular(request: &JobsRequest, wanted: &Wanted, place: &Place, told: &mut Told) -> Result<JobFile, TargetError> {
    let path = &place.path;
    let what = || format!("look at {}", shown(path));
    let file = open(place, OpenHow::plain(Access::Read)).map_err(|e| failed(what(), &e))?;
    let id = FileId::from(&place.meta);
    let used = sys::file_uses(id).into_iter().next();
    if let Some(used) = &used
        && wanted.writes
    {
        return Err(refused(format!("writing to {}", shown(path)), format!("it {used}"), "name another file"));
    }
    told.notes.extend(used.map(|used| format!("{} {used}", shown(path))));
    let purpose = Purpose { take: false, share: request.share };
    told.notes.extend(lock(&file, id, purpose).map_err(|e| unproven(path, e))?);
    // Only now is the size sure to stand still.
    let meta = file.metadata().map_err(|e| failed(what(), &e))?;
    let fs = FileSystem::of(&file);
    told.notes.extend(file_system_notes(&fs));
    direct_here(wanted, &file, path, &fs.name)?;
    let size = wanted.size.unwrap_or(meta.len());
    if size == 0 && !wanted.grows {
        return Err(bad_input(shown(path), "it is empty, and no size was given", "give a size"));
    }
    let allocated = meta.blocks().saturating_mul(512);
    let mut found = JobFile {
        path: path.clone(),
        typed: wanted.typed.clone(),
        kind: TargetKind::File,
        action: FileAction::Read,
        size: Bytes(size),
        now: Some(Bytes(meta.len())),
        align: sys::direct_align(&file).ok().flatten().map_or(Bytes(0), |a| Bytes(a.offset.into())),
        uuid: 0,
        filesystem: fs.name,
        mount_point: fs.mount_point,
        device: None,
        work: Work { direct: wanted.direct, ..Work::default() },
        seen: Seen::File { id, len: meta.len() },
        writes: wanted.writes,
        stages: wanted.stages.clone(),
    };
    match origin(&file, &meta).map_err(|e| failed(what(), &e))? {
        Origin::Ours(mark) => {
            found.uuid = mark.uuid;
            ours(wanted, place, &file, &mut found)?;
        }
        Origin::Foreign(why) => foreign(request, wanted, &file, why, &mut found, told)?,
    }
    let (dir, name) = parent(place)?;
    if held_access(&found) == Access::ReadWrite && !sys::may_write(&dir, Some(&name)) {
        return Err(cannot(
            format!("write to {}", shown(path)),
            "no permission to write to it",
            "check owner and mode, or run as a user who may",
        ));
    }
    let lasting = found.work.fill.iter().map(|r| r.end).max().unwrap_or(0);
    if wanted.writes || lasting > 0 {
        let whole = if wanted.writes { size } else { size.min(lasting) };
        found.work.needs = whole.saturating_sub(allocated);
        found.work.watched = found.work.needs > 0 || wanted.grows;
    }
    Ok(found)
}

/// A file of ours: completed where something is missing.
fn ours(wanted: &Wanted, place: &Place, file: &File, found: &mut JobFile) -> Result<(), TargetError> {
    let (size, len) = (found.size.0, found.now.map_or(0, |n| n.0));
    let mut fill = Vec::new();
    if wanted.reads {
        let within = size.min(len);
        let written = written_ranges(file, within).map_err(|e| failed(format!("map {}", shown(&found.path)), &e))?;
        // Zeros found by sampling say nothing about where: all of it is written.
        fill.extend_from_slice(written.ranges.missing(0..within).as_slice());
    }
    if size > len && wanted.fill {
        fill.push(len..size);
    }
    found.action = if fill.is_empty() && size <= len { FileAction::Reuse } else { FileAction::Complete };
    if found.action == FileAction::Complete {
        // Found through a link, and now to be written.
        if place.through_link.is_some() {
            for typed in &found.typed {
                locate(typed, true)?;
            }
        }
        found.work.reserve = (size > len).then_some(wanted.reserve);
        found.work.fill = fill;
        found.work.durable = wanted.durable;
    }
    Ok(())
}

/// A user's file: read as far as it goes, written only with consent and never beyond its end.
fn foreign(
    request: &JobsRequest,
    wanted: &Wanted,
    file: &File,
    why: &str,
    found: &mut JobFile,
    told: &mut Told,
) -> Result<(), TargetError> {
    let path = &found.path;
    let (size, len) = (found.size, found.now.unwrap_or_default());
    let links = file.metadata().map_or(1, |m| m.nlink());
    if wanted.writes {
        if !(request.allow_overwrite || wanted.consent) {
            return Err(refused(
                format!("writing to {}", shown(path)),
                format!("the file exists and {why}"),
                "overwrite=1 in the job or --allow-overwrite allows it; a name that does not exist yet is always safe",
            ));
        }
        if size > len || wanted.grows {
            let asked = if wanted.grows { "more".to_owned() } else { size.to_string() };
            return Err(refused(
                format!("writing to {}", shown(path)),
                format!("it has {len}, {asked} would be written, and {why}: such a file is never made longer"),
                remedy(size.0),
            ));
        }
        found.action = FileAction::Overwrite;
        if links > 1 {
            told.notes
                .push(format!("{} has {links} names (hard links): all of them show what is written", shown(path)));
        }
        told.notes.push(format!("{} is overwritten, as was allowed; {why}", shown(path)));
    } else if size > len {
        return Err(bad_input(
            shown(path),
            format!("it has {len}, {size} are to be read; reading never makes a file longer"),
            remedy(size.0),
        ));
    }
    if wanted.reads {
        unwritten(file, path, size, told)?;
    }
    Ok(())
}

/// Says which part of a user's file no device is asked for (`measurement.md` 2.5).
fn unwritten(file: &File, path: &Path, size: Bytes, told: &mut Told) -> Result<(), TargetError> {
    let written = written_ranges(file, size.0).map_err(|e| failed(format!("map {}", shown(path)), &e))?;
    if written.encoded {
        told.notes.push(format!("the file system compresses or encrypts {}", shown(path)));
    }
    let missing = written.ranges.missing(0..size.0).bytes();
    if missing == 0 {
        return Ok(());
    }
    let (share, evidence) = match written.evidence {
        Evidence::Extents | Evidence::Holes => {
            let share = missing as f64 / size.0.max(1) as f64;
            (share, format!("{} of {size} ({:.1} %) were never written", Bytes(missing), share * 100.0))
        }
        Evidence::Sampled { blocks, zero } => {
            let share = f64::from(zero) / f64::from(blocks.max(1));
            (share, format!("{zero} of {blocks} blocks looked at hold nothing but zeros"))
        }
    };
    let severity = if share > HOLES { Severity::Invalid } else { Severity::Doubt };
    let statement = format!("reads of {} are answered in part without the device being asked", shown(path));
    let caveat = Caveat::new("unwritten-extents", severity, statement, evidence)
        .remedy("name a file that does not exist: secchi makes it and writes it through");
    told.caveats.push(caveat);
    Ok(())
}

/// Direct I/O: possible on this file, in this grain?
fn direct_here(wanted: &Wanted, file: &File, path: &Path, fs: &str) -> Result<(), TargetError> {
    let request = TargetRequest {
        direct: wanted.direct,
        align: Bytes(wanted.align),
        ..TargetRequest::new(path, super::Provenance::default())
    };
    check_direct(&request, file, path, fs)
}

/// A device, behind the guard that all commands share.
fn block_device(
    request: &JobsRequest,
    wanted: &Wanted,
    place: &Place,
    told: &mut Told,
) -> Result<JobFile, TargetError> {
    let path = &place.path;
    if !wanted.writes && !names_device(request, place)? {
        return Err(refused(
            shown(path),
            "it is a block device",
            format!("name it again with --device {} to read it", shown(path)),
        ));
    }
    let guard = TargetRequest {
        will_write: wanted.writes,
        direct: wanted.direct,
        align: Bytes(if wanted.align.is_power_of_two() { wanted.align } else { 1 }),
        consent: request.destroy.clone().filter(|_| wanted.writes),
        share: request.share,
        ..TargetRequest::new(path, request.made.clone())
    };
    let inspection = device::inspect(&guard, place)?;
    let report = inspection.device.clone();
    let whole = report.as_ref().map_or(inspection.size, |d| d.size);
    let sector = report.as_ref().map_or(512, |d| d.logical_block.0);
    let size = wanted.size.map_or(whole, Bytes);
    if size > whole {
        // For the message only: it says what is asked and what is there.
        size_within(&TargetRequest { size: Some(size), ..guard }, whole.0, path)?;
    }
    if wanted.direct && wanted.align > 0 && !wanted.align.is_multiple_of(sector) {
        return Err(bad_input(
            shown(path),
            format!("direct I/O here must be aligned to {sector} bytes, not {}", wanted.align),
            "",
        ));
    }
    told.notes.extend(inspection.notes.iter().filter(|n| !n.contains("is not filled again")).cloned());
    let action = if wanted.writes { FileAction::DestroyDevice } else { FileAction::ReadDevice };
    Ok(JobFile {
        path: path.clone(),
        typed: wanted.typed.clone(),
        kind: TargetKind::Device,
        action,
        size,
        now: Some(whole),
        align: Bytes(sector),
        uuid: inspection.uuid,
        filesystem: inspection.filesystem.clone(),
        mount_point: PathBuf::new(),
        device: report,
        work: Work { direct: wanted.direct, ..Work::default() },
        seen: Seen::Device(Box::new(inspection)),
        writes: wanted.writes,
        stages: wanted.stages.clone(),
    })
}

/// Whether --device names this device, under whatever name.
fn names_device(request: &JobsRequest, place: &Place) -> Result<bool, TargetError> {
    for allowed in &request.devices {
        let named = locate(allowed, false)?;
        if named.meta.file_type().is_block_device() && named.meta.rdev() == place.meta.rdev() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A consent that nothing needs was meant for something else.
fn consents_used(request: &JobsRequest, files: &[JobFile]) -> Result<(), TargetError> {
    let destroys = files.iter().any(|f| f.action == FileAction::DestroyDevice);
    if let Some(word) = request.destroy.as_deref().filter(|_| !destroys) {
        let what = format!("--destroy {}", model::clip(word));
        return Err(bad_input(what, "no job writes to a device", "leave it out, or check the file name of the job"));
    }
    for allowed in &request.devices {
        let named = locate(allowed, false)?;
        let rdev = named.meta.rdev();
        let used = files.iter().any(|f| match &f.seen {
            Seen::Device(i) => i.device.as_ref().is_some_and(|d| d.dev == sys::device_number(rdev)),
            _ => false,
        });
        if !used || !named.meta.file_type().is_block_device() {
            let what = format!("--device {}", shown(allowed));
            return Err(bad_input(what, "no job uses this device", "leave it out, or check the file name of the job"));
        }
    }
    Ok(())
}

/// A file system on which something is made, and the room all files on it take.
#[derive(Debug)]
pub(super) struct Room {
    pub dir: File,
    pub path: PathBuf,
    pub fs: FileSystem,
    pub needed: u64,
    pub watched: bool,
    dev: u64,
}

/// The file systems the files lie on, each once.
pub(super) fn rooms(files: &[JobFile]) -> Result<Vec<Room>, TargetError> {
    let mut rooms: Vec<Room> = Vec::new();
    for file in files.iter().filter(|f| f.work.needs > 0 || f.work.watched) {
        let folder = file.path.parent().unwrap_or(Path::new("/"));
        let place = locate(folder, true)?;
        let dev = place.meta.dev();
        if !rooms.iter().any(|r| r.dev == dev) {
            let dir = open(&place, OpenHow::plain(Access::Directory))
                .map_err(|e| failed(format!("open the directory {}", shown(folder)), &e))?;
            let fs = FileSystem::of(&dir);
            rooms.push(Room { dir, path: folder.to_owned(), fs, needed: 0, watched: false, dev });
        }
        if let Some(room) = rooms.iter_mut().find(|r| r.dev == dev) {
            room.needed = room.needed.saturating_add(file.work.needs);
            room.watched |= file.work.watched;
        }
    }
    Ok(rooms)
}

fn layout(file: &JobFile) -> Layout {
    Layout {
        path: file.path.clone(),
        size: file.size.max(file.now.unwrap_or_default()),
        reserve: file.work.reserve.unwrap_or(Reserve::None),
        write: !file.work.fill.is_empty(),
        durable: file.work.durable,
        exists: !matches!(file.action, FileAction::Make | FileAction::Complete),
        stages: file.stages.clone(),
    }
}

/// What will be opened for a file, and how.
fn opens(file: &JobFile) -> Vec<PlannedOpen> {
    let load = sys::LoadOpen { write: file.writes, direct: file.work.direct, ..sys::LoadOpen::default() };
    let load =
        PlannedOpen { path: file.path.clone(), flags: format!("{load} (no symbolic links)"), purpose: "the load" };
    if let Seen::Device(inspection) = &file.seen {
        let mut opens = inspection.opens.clone();
        opens.pop();
        opens.push(load);
        return opens;
    }
    let held = if file.action == FileAction::Make {
        PlannedOpen {
            path: file.path.clone(),
            flags: "O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW, mode 0600".to_owned(),
            purpose: "the file, made new and locked for the whole run",
        }
    } else {
        planned(file.path.clone(), OpenHow::plain(held_access(file)), "the file, locked for the whole run")
    };
    vec![held, load]
}

/// What the descriptor that is held for the whole run is opened for.
pub(super) fn held_access(file: &JobFile) -> Access {
    if file.writes || file.action == FileAction::Complete { Access::ReadWrite } else { Access::Read }
}

/// The directory of a file that is there, and its name in it; it must be the one that was seen.
pub(super) fn home(path: &Path, id: FileId) -> Result<(Place, File, std::ffi::OsString), TargetError> {
    let place = locate(path, true)?;
    if FileId::from(&place.meta) != id {
        return Err(super::super::changed(path));
    }
    let (dir, name) = parent(&place)?;
    Ok((place, dir, name))
}
