//! Collection of the files of all jobs. Each file occurs once: names that refer to the same file are merged, together
//! with their requirements.

use super::super::error::{TargetError, bad_input, printable, refused};
use super::super::resolve::{ResolvedPath, locate, parent_of};
use super::commands::{self, Node};
use super::{FileRequest, JobsRequest};
use model::Bytes;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use sys::files::{FileId, FileTypeExt, Metadata, MetadataExt};

/// Object at a path.
#[derive(Debug)]
pub(super) enum Stand {
    There(ResolvedPath),
    /// No object, but the directory exists.
    Missing {
        dir: ResolvedPath,
        name: OsString,
    },
}

/// Combined requirements of all jobs for one file.
#[derive(Debug)]
pub(super) struct Wanted {
    pub stand: Stand,
    pub typed: Vec<PathBuf>,
    /// Merged requests of the jobs: the largest size, the smallest known alignment, and every requirement. The default
    /// name and the creation must be common to all jobs.
    pub file: FileRequest,
    /// True if every job that writes to the file has overwrite=1.
    pub consent: bool,
    /// Node that accepts the device's commands, if one of the jobs uses it.
    pub node: Option<Node>,
}

/// Identity of a file, independent of its names.
#[derive(Debug, PartialEq, Eq)]
enum Key {
    File(FileId),
    Device(u64),
    Missing(FileId, OsString),
}

/// Returns the files of all requests, each file once, in order of first mention.
pub(super) fn gather(request: &JobsRequest) -> Result<Vec<Wanted>, TargetError> {
    let mut gathered: Vec<(Key, Wanted)> = Vec::new();
    for file in &request.files {
        check(file)?;
        let (stand, node) = through_node(stand(&file.path, file.writes)?, file)?;
        let key = key(&stand);
        match gathered.iter_mut().find(|(k, _)| *k == key) {
            Some((_, wanted)) => {
                wanted.join(file);
                wanted.node = wanted.node.take().or(node);
            }
            None => gathered.push((key, Wanted { node, ..Wanted::new(stand, file) })),
        }
    }
    Ok(gathered.into_iter().map(|(_, wanted)| wanted).collect())
}

/// Replaces a node that accepts a device's commands with the block device, which is then guarded.
fn through_node(stand: Stand, file: &FileRequest) -> Result<(Stand, Option<Node>), TargetError> {
    let Stand::There(place) = stand else {
        return match file.commands {
            true => Err(bad_input(printable(&file.path), "it does not exist", "the engine sends commands to a device")),
            false => Ok((stand, None)),
        };
    };
    let node = commands::node(&place).map(|(node, _)| node);
    let place = commands::behind(&place)?.unwrap_or(place);
    commands::fitting(&place, node.as_ref(), file.commands)?;
    Ok((Stand::There(place), node))
}

/// Returns `true` if this job may use the file although secchi did not create it.
fn consented(file: &FileRequest) -> bool {
    file.overwrite || file.default_name || !file.writes
}

impl Wanted {
    fn new(stand: Stand, file: &FileRequest) -> Wanted {
        Wanted {
            stand,
            typed: vec![file.path.clone()],
            file: FileRequest { fill: fill(file), align: grain(file), ..file.clone() },
            consent: consented(file),
            node: None,
        }
    }

    /// Adds the requirements of another job for the same file.
    fn join(&mut self, file: &FileRequest) {
        if !self.typed.contains(&file.path) {
            self.typed.push(file.path.clone());
        }
        self.consent &= consented(file);
        let merged = &mut self.file;
        merged.size = merged.size.max(file.size);
        merged.reads |= file.reads;
        merged.writes |= file.writes;
        merged.fill |= fill(file);
        // If the jobs leave different ranges unwritten, the whole file is written.
        if merged.unwritten != file.unwritten {
            merged.unwritten.clear();
        }
        merged.grows |= file.grows;
        merged.cuts |= file.cuts;
        merged.default_name &= file.default_name;
        merged.create &= file.create;
        merged.direct |= file.direct;
        merged.align = match (merged.align, grain(file)) {
            (Bytes(0), known) | (known, Bytes(0)) => known,
            (a, b) => a.min(b),
        };
        merged.durable |= file.durable;
        for stage in &file.stages {
            if !merged.stages.contains(stage) {
                merged.stages.push(*stage);
            }
        }
    }
}

fn fill(file: &FileRequest) -> bool {
    file.reads || file.fill || (file.overwrite && !file.grows)
}

/// Returns the alignment of direct operations; 0 = unknown, or no direct operations.
fn grain(file: &FileRequest) -> Bytes {
    if file.direct { file.align } else { Bytes(0) }
}

fn key(stand: &Stand) -> Key {
    match stand {
        Stand::There(place) if place.meta.file_type().is_block_device() => Key::Device(place.meta.rdev()),
        Stand::There(place) => Key::File(FileId::from(&place.meta)),
        Stand::Missing { dir, name } => Key::Missing(FileId::from(&dir.meta), name.clone()),
    }
}

/// Performs the checks that do not depend on the machine.
fn check(file: &FileRequest) -> Result<(), TargetError> {
    let path = &file.path;
    if let Some(size) = file.size {
        if size.is_zero() {
            return Err(bad_input(printable(path), "its size is zero", "use a larger size"));
        }
        if i64::try_from(size.as_u64()).is_err() {
            return Err(bad_input(
                printable(path),
                format!("{size} exceeds the maximum size of a file"),
                "use a smaller size",
            ));
        }
    }
    let Some(within) = &file.within else { return Ok(()) };
    let inside = path.strip_prefix(within).is_ok_and(|rest| {
        rest.components().next().is_some() && rest.components().all(|c| matches!(c, Component::Normal(_)))
    });
    if inside {
        return Ok(());
    }
    Err(refused(
        printable(path),
        format!("the name of the job refers to a path outside of {}", printable(within)),
        "set filename=, or use a job name without `..`",
    ))
}

/// Finds the object at a path. Follows symbolic links only to read existing files.
pub(super) fn stand(path: &Path, will_write: bool) -> Result<Stand, TargetError> {
    if !path.as_os_str().is_empty() && !sys::files::has_nul(path) && is_missing(path) {
        let name = match path.file_name() {
            Some(name) if !path.to_string_lossy().ends_with(std::path::is_separator) => name.to_owned(),
            _ => {
                return Err(bad_input(
                    printable(path),
                    "it ends in a separator, so it is a directory that does not exist, not a file",
                    "",
                ));
            }
        };
        let parent = parent_of(path);
        // A link in the path is rejected, because the file will be created there.
        let dir = locate(parent, true)?;
        if dir.meta.is_dir() {
            return Ok(Stand::Missing { dir, name });
        }
        return Err(bad_input(printable(path), format!("{} is not a directory", printable(parent)), ""));
    }
    Ok(Stand::There(locate(path, will_write)?))
}

/// Returns `true` if the path does not exist, not even as a dangling link, but its parent directory does.
fn is_missing(path: &Path) -> bool {
    let missing = |p: &Path| sys::files::symlink_metadata(p).is_err_and(|e| e.kind() == ErrorKind::NotFound);
    missing(path) && !missing(parent_of(path))
}

/// Returns the error for a path that is neither a regular file nor a block device.
pub(super) fn no_file(path: &Path, meta: &Metadata) -> TargetError {
    let kind = meta.file_type();
    let (reason, advice) = if kind.is_dir() {
        ("it is a directory", "use a file in it, or set directory= to it")
    } else if kind.is_char_device() && is_null(path) {
        ("it is a character device, which has no offsets to read or write", "ioengine=null measures the tool itself")
    } else if kind.is_char_device() {
        ("it is a character device, which has no offsets to read or write", "use a file or a block device")
    } else if kind.is_fifo() {
        ("it is a pipe", "use a file or a block device")
    } else {
        ("it is neither a regular file nor a block device", "use one of these")
    };
    bad_input(printable(path), reason, advice)
}

fn is_null(path: &Path) -> bool {
    path == Path::new("/dev/null") || path == Path::new("/dev/zero")
}

/// Returns advice on how to get a secchi file of the requested size.
pub(super) fn remedy(size: Bytes) -> String {
    format!("use a smaller size, or a file that does not exist: secchi creates it with {size}")
}
