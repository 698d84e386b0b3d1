//! Inspection of the files of all jobs: determines what would be done with each, or the reason for rejecting it. Opens
//! nothing for writing.

use super::super::error::{TargetError, bad_input, cannot, failed, printable, refused};
use super::super::own::inspect::unproven;
use super::super::proof::{Purpose, lock};
use super::super::ranges::RangeSet;
use super::super::resolve::{FileSystem, ResolvedPath, locate, open, open_directory, parent, refuse_kernel_path};
use super::super::written::{Evidence, written_ranges};
use super::super::{TargetRequest, check_direct, file_system_notes};
use super::block;
use super::gather::{Stand, Wanted, gather, no_file, remedy};
use super::mark::{Origin, origin};
use super::remarks::Remarks;
use super::room::rooms;
use super::{FileAction, FoundFile, JobFile, JobsInspection, JobsRequest, Work};
use model::plan::{Layout, Reserve, TargetKind};
use model::{Bytes, Caveat, Severity};
use std::fs::File;
use std::path::{Path, PathBuf};
use sys::files::{Access, FileId, FileTypeExt, MetadataExt, OpenHow};
use uuid::Uuid;

/// Maximum fraction of unwritten bytes, which the kernel returns as zeros without using the device. Above this
/// fraction, the figures do not represent the device (docs/design/storage.md, "Never-written blocks").
const HOLES: f64 = 0.02;

/// Inspects all files.
pub(super) fn inspect(request: &JobsRequest) -> Result<JobsInspection, TargetError> {
    let mut remarks = Remarks::default();
    let mut files = Vec::new();
    for wanted in gather(request)? {
        files.push(inspect_file(request, wanted, &mut remarks)?);
    }
    block::consents_used(request, &files)?;
    let rooms = rooms(&files)?;
    for room in &rooms {
        room.check(room.needed)?;
    }
    let to_write = Bytes(files.iter().map(|f| f.work.bytes()).sum());
    let mut seen = std::collections::HashSet::new();
    remarks.notes.retain(|note| seen.insert(note.clone()));
    Ok(JobsInspection {
        layout: files
            .iter()
            .filter(|f| f.kind == TargetKind::File && f.action != FileAction::Endless)
            .map(layout)
            .collect(),
        files,
        to_write,
        notes: remarks.notes,
        caveats: remarks.caveats,
        request: request.clone(),
    })
}

fn inspect_file(request: &JobsRequest, wanted: Wanted, remarks: &mut Remarks) -> Result<JobFile, TargetError> {
    match &wanted.stand {
        Stand::Missing { dir, name } => {
            let path = dir.path.join(name);
            sys::files::check_name(name)
                .map_err(|e| bad_input(printable(&path), e.to_string(), "use the exact name of the file"))?;
            missing(&wanted, dir, path, remarks)
        }
        Stand::There(place) => {
            if let Some(link) = &place.through_link {
                remarks.notes.push(format!("{} is a symbolic link to {}", printable(link), printable(&place.path)));
            }
            if !wanted.file.unwritten.is_empty() {
                return Err(refused(
                    printable(&place.path),
                    "it already exists, so writing it does not allocate new space",
                    "remove it, or use another directory",
                ));
            }
            let kind = place.meta.file_type();
            if kind.is_block_device() {
                block::inspect(request, &wanted, place, remarks)
            } else if kind.is_file() {
                regular(request, &wanted, place, remarks)
            } else if super::is_endless(&place.meta) {
                remarks.notes.push(format!("{} does not store data: no storage is measured", printable(&place.path)));
                let seen = FoundFile::File { id: FileId::from(&place.meta), len: 0 };
                let size = wanted.file.size.unwrap_or_default();
                Ok(JobFile::new(&wanted, place.path.clone(), FileAction::Endless, size, seen))
            } else {
                Err(no_file(&place.path, &place.meta))
            }
        }
    }
}

/// Plans a file that is to be created.
fn missing(
    wanted: &Wanted,
    folder: &ResolvedPath,
    path: PathBuf,
    remarks: &mut Remarks,
) -> Result<JobFile, TargetError> {
    if !wanted.file.create {
        return Err(bad_input(printable(&path), "it does not exist, and allow_file_create=0 forbids creating it", ""));
    }
    refuse_kernel_path(&path)?;
    // A file that is written until the disk is full needs no size.
    let Some(size) = wanted.file.size.or(wanted.file.grows.then_some(Bytes(0))) else {
        return Err(bad_input(printable(&path), "it does not exist, and no size was given to create it", "set a size"));
    };
    let dir = open_directory(folder)?;
    if !sys::files::may_write(&dir, None) {
        return Err(cannot(
            format!("make {}", printable(&path)),
            format!("no permission to write in {}", printable(&folder.path)),
            "check owner and mode, or use another directory",
        ));
    }
    let fs = FileSystem::holding(&dir);
    remarks.notes.extend(file_system_notes(&fs));
    let unwritten: RangeSet = wanted.file.unwritten.iter().cloned().collect();
    let fill = if wanted.file.fill { unwritten.missing(0..size.as_u64()).as_slice().to_vec() } else { Vec::new() };
    let seen = FoundFile::New { dir: FileId::from(&folder.meta) };
    let mut job_file = JobFile::new(wanted, path, FileAction::Make, size, seen);
    job_file.uuid = Some(Uuid::new_v4().as_u128());
    job_file.filesystem = fs.name;
    job_file.work = Work {
        reserve: (!size.is_zero()).then_some(wanted.file.reserve),
        fill,
        unwritten: wanted.file.unwritten.clone(),
        durable: wanted.file.durable,
        needs: size.as_u64(),
        watched: true,
        ..job_file.work
    };
    Ok(job_file)
}

/// Plans the use of an existing regular file.
fn regular(
    request: &JobsRequest,
    wanted: &Wanted,
    place: &ResolvedPath,
    remarks: &mut Remarks,
) -> Result<JobFile, TargetError> {
    let path = &place.path;
    let what = || format!("look at {}", printable(path));
    let file = open(place, OpenHow::plain(Access::Read)).map_err(|e| failed(what(), &e))?;
    let id = FileId::from(&place.meta);
    let used = sys::devices::file_uses(id).into_iter().next();
    if let Some(used) = &used
        && wanted.file.writes
    {
        return Err(refused(format!("writing to {}", printable(path)), format!("it {used}"), "use another file"));
    }
    remarks.notes.extend(used.map(|used| format!("{} {used}", printable(path))));
    let purpose = Purpose { take: false, share: request.share };
    remarks.notes.extend(lock(&file, id, purpose).map_err(|e| unproven(path, e))?);
    // The size is reliable only now that the file is locked.
    let meta = sys::files::file_metadata(&file).map_err(|e| failed(what(), &e))?;
    let fs = FileSystem::holding(&file);
    remarks.notes.extend(file_system_notes(&fs));
    direct_here(wanted, &file, path, &fs.name)?;
    let size = wanted.file.size.map_or(meta.len(), |size| size.as_u64());
    if size == 0 && !wanted.file.grows {
        return Err(bad_input(printable(path), "it is empty, and no size was given", "set a size"));
    }
    let allocated = meta.blocks().saturating_mul(512);
    let seen = FoundFile::File { id, len: meta.len() };
    let mut job_file = JobFile::new(wanted, path.clone(), FileAction::Read, Bytes(size), seen);
    job_file.now = Some(Bytes(meta.len()));
    job_file.align = sys::storage::direct_align(&file).ok().flatten().map_or(Bytes(0), |a| Bytes(a.offset.into()));
    job_file.filesystem = fs.name;
    match origin(&file, &meta).map_err(|e| failed(what(), &e))? {
        Origin::Ours(mark) => {
            job_file.uuid = Some(mark.uuid);
            ours(wanted, place, &file, &mut job_file)?;
        }
        Origin::Foreign(_)
            if meta.len() == 0 && meta.nlink() == 1 && size > 0 && (wanted.file.reads || wanted.file.writes) =>
        {
            lay_out(wanted, &mut job_file, remarks);
        }
        Origin::Foreign(reason) => foreign(request, wanted, &file, reason, &mut job_file, remarks)?,
    }
    let (dir, name) = parent(place)?;
    if held_access(&job_file) == Access::ReadWrite && !sys::files::may_write(&dir, Some(&name)) {
        return Err(cannot(
            format!("write to {}", printable(path)),
            "no permission to write to it",
            "check owner and mode, or run as a user with permission",
        ));
    }
    let lasting = job_file.work.fill.iter().map(|r| r.end).max().unwrap_or(0);
    if wanted.file.writes || lasting > 0 {
        let whole = if wanted.file.writes { size } else { size.min(lasting) };
        job_file.work.needs = whole.saturating_sub(allocated);
        job_file.work.watched = job_file.work.needs > 0 || wanted.file.grows;
    }
    Ok(job_file)
}

/// Plans the use of a file created by secchi. Missing data will be written before the load.
fn ours(wanted: &Wanted, place: &ResolvedPath, file: &File, job_file: &mut JobFile) -> Result<(), TargetError> {
    let (size, len) = (job_file.size.as_u64(), job_file.now.map_or(0, |n| n.as_u64()));
    let mut fill = Vec::new();
    if wanted.file.reads {
        let within = size.min(len);
        let written =
            written_ranges(file, within).map_err(|e| failed(format!("map {}", printable(&job_file.path)), &e))?;
        // Sampling finds zeros, but not the ranges they occupy, so everything is written.
        fill.extend_from_slice(written.ranges.missing(0..within).as_slice());
    }
    if size > len && wanted.file.fill {
        fill.push(len..size);
    }
    job_file.action = if fill.is_empty() && size <= len { FileAction::Reuse } else { FileAction::Complete };
    if job_file.action == FileAction::Complete {
        // The file was found through a link and is now to be written.
        if place.through_link.is_some() {
            for typed in &job_file.typed {
                locate(typed, true)?;
            }
        }
        job_file.work.reserve = (size > len).then_some(wanted.file.reserve);
        job_file.work.fill = fill;
        job_file.work.durable = wanted.file.durable;
    }
    Ok(())
}

/// Plans the use of an empty file that secchi did not create. As in fio, it is extended to the requested size.
fn lay_out(wanted: &Wanted, job_file: &mut JobFile, remarks: &mut Remarks) {
    job_file.action = FileAction::LayOut;
    job_file.work.reserve = Some(wanted.file.reserve);
    job_file.work.durable = wanted.file.durable;
    if wanted.file.reads || wanted.file.fill {
        job_file.work.fill = std::iter::once(0..job_file.size.as_u64()).collect();
    }
    remarks.notes.push(format!("{} was empty and is extended to {}", printable(&job_file.path), job_file.size));
}

/// Plans the use of a user's file. The file is read up to its end. It is written only with consent, and never beyond
/// its end.
fn foreign(
    request: &JobsRequest,
    wanted: &Wanted,
    file: &File,
    reason: &str,
    job_file: &mut JobFile,
    remarks: &mut Remarks,
) -> Result<(), TargetError> {
    let path = &job_file.path;
    let (size, len) = (job_file.size, job_file.now.unwrap_or_default());
    let links = sys::files::file_metadata(file).map_or(1, |m| m.nlink());
    if wanted.file.writes {
        if !(request.allow_overwrite || wanted.consent) {
            return Err(refused(
                format!("writing to {}", printable(path)),
                format!("the file exists and {reason}"),
                "set overwrite=1 in the job or --allow-overwrite to allow it; a new file name is always safe",
            ));
        }
        let longer = size > len || wanted.file.grows;
        if longer && !wanted.file.default_name {
            let asked = if wanted.file.grows { "more".to_owned() } else { size.to_string() };
            return Err(refused(
                format!("writing to {}", printable(path)),
                format!("it has {len}, {asked} would be written, and {reason}: secchi never extends such a file"),
                remedy(size),
            ));
        }
        job_file.action = FileAction::Overwrite;
        if longer {
            // The file has fio's default name, so it is extended, as in fio.
            job_file.work.reserve = Some(wanted.file.reserve);
            job_file.work.durable = wanted.file.durable;
            if wanted.file.fill && size > len {
                job_file.work.fill = std::iter::once(len.as_u64()..size.as_u64()).collect();
            }
            remarks.notes.push(format!("{} had {len} and is extended to {size}", printable(path)));
        }
        if links > 1 {
            remarks
                .notes
                .push(format!("{} has {links} names (hard links), all of which show what is written", printable(path)));
        }
        remarks.notes.push(format!("{} is overwritten, as allowed; {reason}", printable(path)));
    } else if size > len {
        return Err(bad_input(
            printable(path),
            format!("it has {len}, but {size} would be read; reading never extends a file"),
            remedy(size),
        ));
    }
    if wanted.file.reads {
        unwritten(file, path, size, remarks)?;
    }
    Ok(())
}

/// Adds a note about the parts of a user's file that are read without using the device (docs/design/storage.md,
/// "Never-written blocks").
fn unwritten(file: &File, path: &Path, size: Bytes, remarks: &mut Remarks) -> Result<(), TargetError> {
    let written = written_ranges(file, size.as_u64()).map_err(|e| failed(format!("map {}", printable(path)), &e))?;
    if written.encoded {
        remarks.notes.push(format!("the file system compresses or encrypts {}", printable(path)));
    }
    let missing = written.ranges.missing(0..size.as_u64()).bytes();
    if missing == 0 {
        return Ok(());
    }
    let (share, evidence) = match written.evidence {
        Evidence::Extents | Evidence::Holes => {
            let share = missing as f64 / size.as_u64().max(1) as f64;
            (share, format!("{} of {size} ({:.1} %) were never written", Bytes(missing), share * 100.0))
        }
        Evidence::Sampled { blocks, zero } => {
            let share = f64::from(zero) / f64::from(blocks.max(1));
            (share, format!("{zero} of {blocks} sampled blocks contain only zeros"))
        }
    };
    let severity = if share > HOLES { Severity::Invalid } else { Severity::Doubt };
    let statement = format!("some reads of {} are answered without accessing the device", printable(path));
    let caveat = Caveat::new("unwritten-extents", severity, statement, evidence)
        .remedy("use a file that does not exist: secchi creates and fills it");
    remarks.caveats.push(caveat);
    Ok(())
}

/// Checks that direct I/O is possible on this file with this alignment.
fn direct_here(wanted: &Wanted, file: &File, path: &Path, fs: &str) -> Result<(), TargetError> {
    let request = TargetRequest {
        direct: wanted.file.direct,
        align: wanted.file.align,
        ..TargetRequest::new(path, super::Provenance::default())
    };
    check_direct(&request, file, path, fs)
}

fn layout(file: &JobFile) -> Layout {
    Layout {
        path: file.path.clone(),
        size: file.size.max(file.now.unwrap_or_default()),
        reserve: file.work.reserve.unwrap_or(Reserve::None),
        write: !file.work.fill.is_empty(),
        unwritten: file.work.unwritten.clone(),
        durable: file.work.durable,
        exists: !matches!(file.action, FileAction::Make | FileAction::Complete | FileAction::LayOut),
        stages: file.stages.clone(),
    }
}

/// Returns the access mode of the descriptor that is held for the whole run.
pub(super) fn held_access(file: &JobFile) -> Access {
    if file.writes || matches!(file.action, FileAction::Complete | FileAction::LayOut) {
        Access::ReadWrite
    } else {
        Access::Read
    }
}

/// Returns the resolved path of an existing file, its directory, and its name in that directory. Returns an error if
/// the file is not the inspected one.
pub(super) fn home(path: &Path, id: FileId) -> Result<(ResolvedPath, File, std::ffi::OsString), TargetError> {
    let place = locate(path, true)?;
    if FileId::from(&place.meta) != id {
        return Err(super::super::changed(path));
    }
    let (dir, name) = parent(&place)?;
    Ok((place, dir, name))
}
