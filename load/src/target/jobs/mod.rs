//! Files of jobs in the fio language. This module checks what may be done with each file, prepares the files, and opens
//! and closes them.
//!
//! [`JobFiles::inspect`] inspects every file of every job and changes nothing. [`JobFiles::take`] repeats the checks,
//! locks the files and claims the devices. [`JobFiles::lay_out`] creates missing files. [`JobFiles::open`] and
//! [`JobFiles::close`] open and close the files of one job. fio overwrites any named file, and extends the files that
//! it reads. secchi follows these rules instead (docs/design/safety.md, "Files of jobs"):
//!
//! 1. A file that secchi did not create is written only with consent, never beyond its end, and never extended for
//!    reading. A mark on the inode proves that secchi created a file (`mark.rs`), because users choose the names.
//! 2. A missing file is created in an existing directory, if enough space stays free after all files are created: the
//!    smaller of 1 GiB and 5 % of the file system.
//! 3. A node that accepts a device's own commands (`/dev/ng0n1`, `/dev/sg0`) is treated as its block device, which is
//!    guarded and claimed instead (`commands.rs`).
//! 4. Devices are protected by the guard in `device.rs`: the name is enough to read a device, but to write to one, the
//!    user must type its identity.
//! 5. Only inspected files are used: each opened file is compared with the inspected one by device and inode. Only
//!    files created by secchi are ever removed.

mod block;
mod commands;
mod gather;
mod held;
mod inspect;
mod lay;
mod mark;
mod opening;
mod remarks;
mod room;

pub use held::JobFiles;

use super::DeviceReport;
use super::error::{TargetError, bad_input, printable};
use super::resolve::{locate, open};
use super::sidecar::{Part, Provenance};
use gather::Wanted;
use model::plan::{Layout, Reserve, TargetKind};
use model::{Bytes, Caveat, Stage, Target};
use std::ops::Range;
use std::path::{Path, PathBuf};
use sys::files::{Access, FileId, OpenHow};

/// Request for a file by one job, or by several clones with the same requirements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileRequest {
    /// Path of the file. Relative paths are relative to the working directory.
    pub path: PathBuf,
    /// Directory that must contain the file, if its name was derived from a job's name; `None` if the path was typed.
    pub within: Option<PathBuf>,
    /// Number of bytes that the job uses, counted from the beginning of the file and including its offset; `None` = the
    /// existing size.
    pub size: Option<Bytes>,
    /// True if the job reads the file, which must therefore hold data before the load begins.
    pub reads: bool,
    /// True if the job writes or trims the file.
    pub writes: bool,
    /// True if the file must hold data before the load although nothing reads it. This applies to engines that cannot
    /// extend a file.
    pub fill: bool,
    /// Ranges of a new file that are reserved but left unwritten, in bytes and in order.
    pub unwritten: Vec<Range<u64>>,
    /// True if the load extends the file beyond `size` (fio's fill_device, file_append).
    pub grows: bool,
    /// True if the load changes the length of the file, so that a shorter file does not mean that another process
    /// truncated it.
    pub cuts: bool,
    /// True for fio's overwrite=1: consent to write a file that secchi did not create. New files are then filled before
    /// the load.
    pub overwrite: bool,
    /// True for fio's default name (`job.0.0`): an existing file of this name is overwritten, as in fio.
    pub default_name: bool,
    /// True if the file may be created if it is missing (fio's allow_file_create).
    pub create: bool,
    /// True for direct I/O, bypassing the page cache.
    pub direct: bool,
    /// True if the load uses the device's native commands, which bypass the block layer: `/dev/ng0n1`, `/dev/sg0`.
    pub commands: bool,
    /// Common divisor of the offsets and lengths of the job's operations, in bytes; 0 = unknown.
    pub align: Bytes,
    /// Method of reserving space for a new file.
    pub reserve: Reserve,
    /// True if a new file is made durable before the load begins (fio's create_fsync).
    pub durable: bool,
    /// Indices of the stages of the plan that use the file.
    pub stages: Vec<usize>,
}

impl FileRequest {
    /// Creates a request for a whole file, with buffered I/O. The file is neither read nor written yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        FileRequest { path: path.into(), create: true, ..FileRequest::default() }
    }
}

/// All files of a run, with the user's consents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobsRequest {
    /// Files, in the order of the jobs. The requirements of repeated files are merged.
    pub files: Vec<FileRequest>,
    /// True if existing files not created by secchi may be written (--allow-overwrite).
    pub allow_overwrite: bool,
    /// Devices that may be read (--device).
    pub devices: Vec<PathBuf>,
    /// Identity of a device that may be overwritten, as typed by the user (--destroy).
    pub destroy: Option<String>,
    /// Identities of devices that may be overwritten by any job (SECCHI_DESTROY): for labs with disks dedicated to
    /// tests.
    pub may_destroy: Vec<String>,
    /// True if other runs may use the same files, and if devices in use may be read (--share).
    pub share: bool,
    /// Provenance, recorded in the mark of new files.
    pub made: Provenance,
}

impl JobsRequest {
    /// Creates a request for these files, without any consent.
    #[must_use]
    pub fn new(files: Vec<FileRequest>, made: Provenance) -> Self {
        JobsRequest { files, made, ..JobsRequest::default() }
    }

    /// Returns the request for these stages and their layout. `overwrite` lists the files whose writers have
    /// overwrite=1. Nothing else is allowed yet.
    #[must_use]
    pub fn from_stages(stages: &[Stage], layout: &[Layout], overwrite: &[PathBuf], made: Provenance) -> Self {
        let mut files = Vec::new();
        for (index, stage) in stages.iter().enumerate() {
            let (mix, grows) = (stage.job.workload.mix, stage.job.tuning.ends.until_full);
            for target in stage.job.targets().filter(|t| t.kind.is_local()) {
                let wanted = layout.iter().find(|l| l.path == target.path);
                let end = target.offset.saturating_add(target.size);
                files.push(FileRequest {
                    size: Some(end).filter(|_| !grows),
                    reads: mix.read_percent() > 0 || !stage.job.changes_target(),
                    writes: stage.job.changes_target(),
                    fill: wanted.is_some_and(|l| l.write),
                    unwritten: wanted.map_or_else(Vec::new, |l| l.unwritten.clone()),
                    grows,
                    cuts: stage.job.cuts_files(),
                    overwrite: overwrite.contains(&target.path),
                    direct: target.direct,
                    commands: stage.job.tuning.opening.commands,
                    reserve: wanted.map_or(Reserve::None, |l| l.reserve),
                    durable: wanted.is_some_and(|l| l.durable),
                    stages: vec![index],
                    ..FileRequest::new(&target.path)
                });
            }
        }
        JobsRequest::new(files, made)
    }
}

/// Action on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    /// Create a new file.
    Make,
    /// Complete a file that an earlier run of secchi created: extend it, or write unwritten parts.
    Complete,
    /// Use a file that an earlier run of secchi created, as it is.
    Reuse,
    /// Extend an empty file that secchi did not create to the requested size, and write it. An empty file contains no
    /// data that could be lost.
    LayOut,
    /// Only read a file that secchi did not create.
    Read,
    /// Write a file that secchi did not create, with consent.
    Overwrite,
    /// Use `/dev/null` or `/dev/zero`.
    Endless,
    /// Only read a device.
    ReadDevice,
    /// Write a device.
    DestroyDevice,
}

/// File of a run: its state at the inspection, and the action planned for it.
#[derive(Debug, Clone)]
pub struct JobFile {
    /// Absolute path without links, as used by a [`Target`].
    pub path: PathBuf,
    /// Paths that the jobs used for this file, without duplicates.
    pub typed: Vec<PathBuf>,
    /// File or device.
    pub kind: TargetKind,
    /// Action on the file.
    pub action: FileAction,
    /// Size when the load begins, in bytes. If no space is reserved, this is the final size.
    pub size: Bytes,
    /// Current size, in bytes; `None` if the file will be created.
    pub now: Option<Bytes>,
    /// Required alignment of direct I/O; 0 if unknown (for a file that will be created, or with an old kernel).
    pub align: Bytes,
    /// UUID written into the blocks of the file; `None` if secchi did not write its contents.
    pub uuid: Option<u128>,
    /// Type of the file system; `none` for a device.
    pub filesystem: String,
    /// Description of the device, if the target is a device.
    pub device: Option<DeviceReport>,
    /// Node that accepts the device's native commands, if a job uses it.
    node: Option<commands::Node>,
    /// Steps needed to prepare the file.
    work: Work,
    seen: FoundFile,
    writes: bool,
    stages: Vec<usize>,
}

impl JobFile {
    /// Creates the plan for an existing or new file that needs no preparation.
    fn new(wanted: &Wanted, path: PathBuf, action: FileAction, size: Bytes, seen: FoundFile) -> Self {
        JobFile {
            path,
            typed: wanted.typed.clone(),
            kind: if matches!(seen, FoundFile::Device(_)) { TargetKind::Device } else { TargetKind::File },
            action,
            size,
            now: None,
            align: Bytes(0),
            uuid: None,
            filesystem: "none".to_owned(),
            device: None,
            node: wanted.node.clone(),
            work: Work { direct: wanted.file.direct, cut: wanted.file.cuts, ..Work::default() },
            seen,
            writes: wanted.file.writes,
            stages: wanted.file.stages.clone(),
        }
    }

    /// Returns the UUID of a file that will be created; the inspection has assigned it.
    fn own_uuid(&self) -> u128 {
        self.uuid.expect("a file of ours has its UUID")
    }

    /// Returns the target for the range that a job uses.
    #[must_use]
    pub fn target(&self, offset: Bytes, size: Bytes, direct: bool) -> Target {
        Target {
            kind: self.kind,
            path: self.path.clone(),
            size,
            offset,
            direct,
            align: if direct { self.align.max(Bytes(1)) } else { Bytes(1) },
            uuid: self.uuid,
        }
    }
}

/// Steps needed to prepare a file.
#[derive(Debug, Clone, Default)]
struct Work {
    /// Method of reserving space; `None` = nothing is reserved or extended.
    reserve: Option<Reserve>,
    /// Byte ranges written before the load.
    fill: Vec<Range<u64>>,
    /// Byte ranges that are first written by the load.
    unwritten: Vec<Range<u64>>,
    durable: bool,
    /// True if a job uses direct I/O.
    direct: bool,
    /// True if a job changes the length of the file.
    cut: bool,
    /// Additional space that the file needs until the end of the load, in bytes.
    needs: u64,
    /// True if the file system is monitored during the load.
    watched: bool,
}

impl Work {
    fn bytes(&self) -> u64 {
        self.fill.iter().map(|r| r.end - r.start).sum()
    }
}

/// Identity of the file or device when it was inspected.
#[derive(Debug, Clone)]
enum FoundFile {
    /// A file that will be created in this directory.
    New { dir: FileId },
    /// A regular file.
    File { id: FileId, len: u64 },
    /// A device, with a separate inspection.
    Device(Box<super::Inspection>),
}

/// Result of the inspection: files found and planned actions. Created only by [`JobFiles::inspect`].
#[derive(Debug, Clone)]
pub struct JobsInspection {
    /// Files, each of them once, in order of first mention.
    pub files: Vec<JobFile>,
    /// Layout of the files for the plan, without devices.
    pub layout: Vec<Layout>,
    /// Bytes written before the load begins.
    pub to_write: Bytes,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
    /// Doubts that are known before the run.
    pub caveats: Vec<Caveat>,
    request: JobsRequest,
}

impl JobsInspection {
    /// Returns a file, by its resolved path or a path that a job named.
    #[must_use]
    pub fn find(&self, path: &Path) -> Option<&JobFile> {
        self.files.iter().find(|f| f.path == path || f.typed.iter().any(|t| t == path))
    }

    /// Updates the targets of the stages from the inspection: resolved path, kind, identity, and the alignment if it is
    /// known.
    pub fn settle(&self, stages: &mut [Stage]) {
        for stage in stages {
            for target in std::iter::once(&mut stage.job.target).chain(&mut stage.job.more) {
                if !target.kind.is_local() {
                    continue;
                }
                let Some(file) = self.find(&target.path) else { continue };
                let known = !file.align.is_zero() && target.direct;
                let align = if known { file.align.max(target.align) } else { target.align };
                *target = Target { align, ..file.target(target.offset, target.size, target.direct) };
            }
        }
    }
}

/// Returns the size of an existing file or device, for sizes given in percent, or `None` if the path does not exist.
/// Opens nothing.
///
/// # Errors
/// Returns a [`TargetError`] if the path is neither a file nor a device, or cannot be inspected.
pub fn present_size(path: &Path) -> Result<Option<Bytes>, TargetError> {
    use sys::files::FileTypeExt;
    let gather::Stand::There(place) = gather::stand(path, false)? else { return Ok(None) };
    let place = commands::behind(&place)?.unwrap_or(place);
    let kind = place.meta.file_type();
    if kind.is_file() {
        return Ok(Some(Bytes(place.meta.len())));
    }
    if kind.is_block_device() {
        // In sectors of 512 bytes, regardless of the device's sector size.
        let sectors = std::fs::read_to_string(in_sysfs(&place.meta).join("size"));
        let size = sectors.ok().and_then(|s| s.trim().parse::<u64>().ok()).map(|s| Bytes(s.saturating_mul(512)));
        return size.map(Some).ok_or_else(|| bad_input(printable(path), "no device is behind this node", ""));
    }
    Err(gather::no_file(path, &place.meta))
}

/// Returns the sysfs directory of a device, given its node.
fn in_sysfs(node: &sys::files::Metadata) -> PathBuf {
    use sys::files::MetadataExt;
    sys::devices::sysfs_block(Path::new("/sys"), sys::devices::device_number(node.rdev()))
}

/// Returns the zone size of a zoned device, or `None` for anything else. Opens nothing.
#[must_use]
pub fn zone_size(path: &Path) -> Option<Bytes> {
    use sys::files::FileTypeExt;
    let meta = sys::files::metadata(device_behind(path)).ok().filter(|meta| meta.file_type().is_block_device())?;
    // A partition uses the queue of its disk.
    let queue = ["queue", "../queue"].map(|queue| in_sysfs(&meta).join(queue));
    let read = |name: &str| queue.iter().find_map(|queue| std::fs::read_to_string(queue.join(name)).ok());
    read("zoned").filter(|model| ["host-managed", "host-aware"].contains(&model.trim()))?;
    // The value is in sectors of 512 bytes.
    let sectors: u64 = read("chunk_sectors")?.trim().parse().ok()?;
    Some(Bytes(sectors.saturating_mul(512)))
}

/// Returns the block device of a node that accepts its commands; any other path is returned unchanged. Opens nothing.
#[must_use]
pub fn device_behind(path: &Path) -> PathBuf {
    let behind = gather::stand(path, false).ok().and_then(|stand| match stand {
        gather::Stand::There(place) => commands::behind(&place).ok()?,
        gather::Stand::Missing { .. } => None,
    });
    behind.map_or_else(|| path.to_owned(), |place| place.path)
}

/// Returns `true` for devices such as `/dev/null` and `/dev/zero`: every request succeeds, and nothing is stored.
#[must_use]
pub fn is_endless(meta: &sys::files::Metadata) -> bool {
    use sys::files::{FileTypeExt, MetadataExt};
    meta.file_type().is_char_device() && matches!(sys::devices::device_number(meta.rdev()), (1, 3 | 5))
}

/// Returns the metadata of a name that is to be created, inspected or removed, or `None` if it does not exist. Opens
/// nothing.
///
/// # Errors
/// Returns a [`TargetError`] if the path contains a link or belongs to the kernel.
pub(super) fn stands(path: &Path) -> Result<Option<sys::files::Metadata>, TargetError> {
    match gather::stand(path, true)? {
        gather::Stand::There(place) => Ok(Some(place.meta)),
        gather::Stand::Missing { dir, name } => {
            super::resolve::refuse_kernel_path(&dir.path.join(name))?;
            Ok(None)
        }
    }
}

/// Returns `true` if secchi created the file and no other process has changed it since.
#[must_use]
pub fn is_ours(path: &Path) -> bool {
    if path.file_name().is_some_and(|name| Part::Data.uuid_in(name).is_some()) {
        return true;
    }
    let place = locate(path, false).ok();
    let file = place.and_then(|place| open(&place, OpenHow::plain(Access::Read)).ok());
    let origin = file.and_then(|file| mark::origin(&file, &sys::files::file_metadata(&file).ok()?).ok());
    matches!(origin, Some(mark::Origin::Ours(_)))
}
