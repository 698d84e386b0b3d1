//! Inspection of directories and regular files: determines which test file would be used or created, and checks whether
//! a user's file can be read.

use crate::target::error::{TargetError, bad_input, cannot, failed, printable, refused};
use crate::target::proof::{Proof, Purpose, Unproven, is_left, lock, prove};
use crate::target::resolve::{FileSystem, ResolvedPath, locate, open, open_directory, parent, refuse_kernel_path};
use crate::target::sidecar::Part;
use crate::target::space;
use crate::target::test_target::{Kind, TestTarget};
use crate::target::written::{Evidence, Written, mapped_ranges, written_ranges};
use crate::target::{
    Action, FoundTarget, Inspection, PlannedOpen, TargetRequest, changed, check_direct, file_system_notes, large,
    load_how, load_open, planned, size_within,
};
use model::{Bytes, plan::TargetKind};
use std::fs::File;
use std::io;
use std::path::Path;
use sys::files::{Access, FileId, OpenHow};
use uuid::Uuid;

/// Maximum number of test files that are checked in one directory.
const MAX_CANDIDATES: usize = 256;

/// Inspects a directory: selects the newest secchi test file that is free and large enough, or plans a new one.
pub(in crate::target) fn in_directory(
    request: &TargetRequest,
    place: &ResolvedPath,
) -> Result<Inspection, TargetError> {
    if place.through_link.is_some() {
        // Writing is assumed, because even a load that only reads needs a file to be created and filled.
        locate(&request.path, true)?;
    }
    if request.adopt {
        return Err(bad_input(
            printable(&place.path),
            "--adopt reads a file, but this is a directory",
            "use a file in it",
        ));
    }
    let dir = open_directory(place)?;
    let mut notes = Vec::new();
    let candidate = candidates(request, &dir, &place.path, &mut notes)
        .map_err(|e| failed(format!("list the directory {}", printable(&place.path)), &e))?;
    if let Some((uuid, proof)) = candidate {
        return reuse(request, &dir, &place.path, uuid, proof, notes);
    }
    refuse_kernel_path(&place.path)?;
    create(request, &dir, &place.path, notes)
}

/// Returns the best of the usable test files in a directory.
fn candidates(
    request: &TargetRequest,
    dir: &File,
    path: &Path,
    notes: &mut Vec<String>,
) -> io::Result<Option<(u128, Proof)>> {
    let mut best: Option<(u128, Proof)> = None;
    let names = std::fs::read_dir(path)?.filter_map(Result::ok).filter_map(|e| Part::Data.uuid_in(&e.file_name()));
    for uuid in names.take(MAX_CANDIDATES) {
        let name = Part::Data.name(uuid);
        let name = name.to_string_lossy();
        match prove(dir, uuid, Purpose { take: false, share: request.share }) {
            Ok(proof) => {
                let has = proof.sidecar.as_ref().map(|s| s.size);
                match (has, request.size) {
                    // A file that was created but never filled is as good as new, if its intended size is known.
                    (None, None) => continue,
                    (Some(has), Some(wanted)) if has < wanted.as_u64() => {
                        let fate = match is_left(&proof) {
                            true => "was left by a killed run and is removed",
                            false => "was kept on request and stays unchanged",
                        };
                        notes.push(format!("{name} was created by secchi, but has only {}; it {fate}", Bytes(has)));
                        continue;
                    }
                    _ => {}
                }
                if best.as_ref().is_none_or(|(_, b)| better(&proof, b)) {
                    best = Some((uuid, proof));
                }
            }
            Err(Unproven::Busy(reason)) => notes.push(format!("{name}: {reason}; two loads would disturb each other")),
            Err(Unproven::NotOurs(reason)) => notes.push(format!("{name} {reason}; it is not used")),
            Err(Unproven::Failed(e)) => notes.push(format!("{name} cannot be examined ({e}); it is not used")),
        }
    }
    Ok(best)
}

/// Returns `true` if `a` is better than `b`: a filled file is better than one that is not filled; otherwise the newer
/// one is better.
fn better(a: &Proof, b: &Proof) -> bool {
    (!a.filled.is_empty(), a.modified) > (!b.filled.is_empty(), b.modified)
}

fn create(request: &TargetRequest, dir: &File, path: &Path, mut notes: Vec<String>) -> Result<Inspection, TargetError> {
    let Some(asked) = request.size else {
        return Err(bad_input(
            printable(path),
            "it contains no test file of secchi, and no size was given to create one",
            "set a size",
        ));
    };
    let (size, rounded) = size_within(request, asked.as_u64(), path)?;
    notes.extend(rounded);
    let fs = FileSystem::holding(dir);
    let verdict = space::check(dir, path, &fs, size)?;
    if !sys::files::may_write(dir, None) {
        return Err(cannot(
            format!("create a test file in {}", printable(path)),
            "no permission to write to it",
            "check owner and mode, or use another directory",
        ));
    }
    let uuid = Uuid::new_v4().as_u128();
    let data = path.join(Part::Data.name(uuid));
    notes.extend(file_system_notes(&fs));
    if verdict.total.is_zero() {
        notes.push(format!("{} does not report its size: free space is not monitored", fs.name));
    }
    let made = |part: Part, purpose| PlannedOpen {
        path: path.join(part.name(uuid)),
        flags: "O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW, mode 0600".to_owned(),
        purpose,
    };
    let mut opens = vec![
        planned(path.to_owned(), OpenHow::plain(Access::Directory), "the directory, open for the whole run"),
        made(Part::Data, "the test file, created and locked for the whole run"),
        made(Part::Sidecar, "its sidecar"),
    ];
    opens.extend(fs.is_remote().then(|| made(Part::Lock, "its lock file, for other hosts")));
    opens.push(planned(data.clone(), load_how(request.direct, true), "fill and load"));
    Ok(Inspection {
        request: request.clone(),
        action: Action::Create,
        kind: TargetKind::File,
        path: data,
        size,
        uuid: Some(uuid),
        to_fill: size,
        filesystem: fs.name,
        space: Some(verdict),
        device: None,
        large: large(size, verdict.total),
        opens,
        notes,
        seen: FoundTarget::New { dir: id_of(dir, path)? },
    })
}

fn id_of(file: &File, path: &Path) -> Result<FileId, TargetError> {
    FileId::from_file(file).map_err(|e| failed(format!("look at {}", printable(path)), &e))
}

fn reuse(
    request: &TargetRequest,
    dir: &File,
    path: &Path,
    uuid: u128,
    proof: Proof,
    mut notes: Vec<String>,
) -> Result<Inspection, TargetError> {
    let data = path.join(Part::Data.name(uuid));
    let has = proof.sidecar.as_ref().map(|s| s.size).or(request.size.map(|s| s.as_u64()));
    let Some(has) = has else {
        return Err(bad_input(
            printable(&data),
            "it was created but never filled, and no size was given",
            "set a size",
        ));
    };
    let (size, rounded) = size_within(request, has, &data)?;
    notes.extend(rounded);
    notes.extend(proof.notes);
    let fs = FileSystem::holding(dir);
    notes.extend(file_system_notes(&fs));
    check_direct(request, &proof.file, &data, &fs.name)?;
    let to_fill = Bytes(proof.filled.missing(0..size.as_u64()).bytes());
    let needed = Bytes(has.max(size.as_u64()).saturating_sub(proof.allocated));
    // An existing, filled file can be read and overwritten in place even on a full disk.
    let filled = to_fill.is_zero();
    let verdict = if filled { space::measure(dir, path, &fs, Bytes(0)) } else { space::check(dir, path, &fs, needed) }?;
    let sidecar = path.join(Part::Sidecar.name(uuid));
    let mut opens = vec![
        planned(path.to_owned(), OpenHow::plain(Access::Directory), "the directory, open for the whole run"),
        planned(data.clone(), OpenHow::plain(Access::ReadWrite), "the test file, locked for the whole run"),
        planned(sidecar.clone(), OpenHow::plain(Access::Read), "its sidecar"),
        PlannedOpen {
            path: path.join(Part::Draft.name(uuid)),
            flags: "O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW, mode 0600, then renamed".to_owned(),
            purpose: "its sidecar, when more is filled",
        },
    ];
    opens.push(planned(
        data.clone(),
        load_how(request.direct, request.will_write || !to_fill.is_zero()),
        "fill and load",
    ));
    Ok(Inspection {
        request: request.clone(),
        action: Action::Reuse,
        kind: TargetKind::File,
        path: data.clone(),
        size,
        uuid: Some(uuid),
        to_fill,
        filesystem: fs.name,
        space: Some(verdict),
        device: None,
        large: large(to_fill, verdict.total),
        opens,
        notes,
        seen: FoundTarget::Own { dir: id_of(dir, path)?, file: proof.id },
    })
}

/// Inspects a regular file. A file that secchi did not provably create is a user's file, which is never written, and
/// read only on request.
pub(in crate::target) fn named(request: &TargetRequest, place: &ResolvedPath) -> Result<Inspection, TargetError> {
    let (dir, name) = parent(place)?;
    let path = &place.path;
    let reason = match Part::Data.uuid_in(&name) {
        None => "it is not a test file made by secchi".to_owned(),
        Some(uuid) => match prove(&dir, uuid, Purpose { take: false, share: request.share }) {
            Ok(proof) => {
                let folder = path.parent().unwrap_or(Path::new("/"));
                let notes = request.adopt.then(|| "it is a test file of secchi: --adopt was not needed".to_owned());
                return reuse(request, &dir, folder, uuid, proof, notes.into_iter().collect());
            }
            Err(Unproven::NotOurs(reason)) => format!("it is named like a test file of secchi, but {reason}"),
            Err(other) => return Err(unproven(path, other)),
        },
    };
    if !request.adopt {
        return Err(refused(
            printable(path),
            format!("{reason}; it was not changed"),
            "use a directory, in which secchi creates a test file, or read this file with --adopt",
        ));
    }
    foreign(request, place)
}

/// Returns the error for a file that was expected to be secchi's.
pub(in crate::target) fn unproven(path: &Path, cause: Unproven) -> TargetError {
    match cause {
        Unproven::NotOurs(reason) => {
            refused(printable(path), format!("it {reason}; it was not changed"), "use a directory instead")
        }
        Unproven::Busy(reason) => refused(printable(path), reason, "wait for it, or allow both with --share"),
        Unproven::Failed(e) => failed(format!("look at {}", printable(path)), &e),
    }
}

/// Inspects a user's file for reading. The whole range must have been written.
fn foreign(request: &TargetRequest, place: &ResolvedPath) -> Result<Inspection, TargetError> {
    let path = &place.path;
    let file =
        open(place, OpenHow::plain(Access::Read)).map_err(|e| failed(format!("open {}", printable(path)), &e))?;
    let id = id_of(&file, path)?;
    let purpose = Purpose { take: false, share: request.share };
    let mut notes: Vec<String> = lock(&file, id, purpose).map_err(|e| unproven(path, e))?.into_iter().collect();
    let (size, rounded) = size_within(request, place.meta.len(), path)?;
    notes.extend(rounded);
    let fs = FileSystem::holding(&file);
    notes.extend(file_system_notes(&fs));
    check_direct(request, &file, path, &fs.name)?;
    let written = match request.untouched {
        true => mapped_ranges(&file, size.as_u64()).map(|written| written.unwrap_or_else(|| Written::whole(size))),
        false => written_ranges(&file, size.as_u64()),
    };
    let written = written.map_err(|e| failed(format!("map {}", printable(path)), &e))?;
    let missing = written.ranges.missing(0..size.as_u64());
    if !missing.is_empty() {
        return Err(refused(
            format!("reading {}", printable(path)),
            format!(
                "{} of {size} were never written{}: reading them would not access the device",
                Bytes(missing.bytes()),
                match written.evidence {
                    Evidence::Extents | Evidence::Holes => String::new(),
                    Evidence::Sampled { blocks, zero } => format!(" ({zero} of {blocks} sampled blocks are zero)"),
                }
            ),
            "use a directory: secchi creates and fills a test file in it",
        ));
    }
    if written.encoded {
        notes.push("the file system compresses or encrypts this file".to_owned());
    }
    Ok(Inspection {
        request: request.clone(),
        action: Action::Adopt,
        kind: TargetKind::File,
        path: path.clone(),
        size,
        uuid: None,
        to_fill: Bytes(0),
        filesystem: fs.name,
        space: None,
        device: None,
        large: None,
        opens: vec![
            planned(path.clone(), OpenHow::plain(Access::Read), "the file, locked for the whole run"),
            load_open(request, place, false),
        ],
        notes,
        seen: FoundTarget::Foreign { file: id },
    })
}

/// Opens a user's file for reading.
pub(in crate::target) fn adopt(inspection: Inspection, id: FileId) -> Result<TestTarget, TargetError> {
    let path = inspection.path.clone();
    let place = locate(&path, true)?;
    if FileId::from(&place.meta) != id || place.meta.len() < inspection.size.as_u64() {
        return Err(changed(&path));
    }
    let (dir, name) = parent(&place)?;
    let file =
        open(&place, OpenHow::plain(Access::Read)).map_err(|e| failed(format!("open {}", printable(&path)), &e))?;
    let purpose = Purpose { take: true, share: inspection.request.share };
    lock(&file, id, purpose).map_err(|e| unproven(&path, e))?;
    Ok(TestTarget::new(inspection, file, Kind::Named { dir, name, id }))
}
