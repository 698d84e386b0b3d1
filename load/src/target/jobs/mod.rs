//! The files of jobs in the fio language: what may be done with each, making them ready, opening and putting them away.
//!
//! [`JobFiles::inspect`] looks at every file of every job and changes nothing; [`JobFiles::take`] looks again, locks the
//! files and claims the devices; [`JobFiles::lay_out`] makes what is missing; [`JobFiles::open`] and
//! [`JobFiles::close`] serve one job. fio overwrites whatever is named and extends what it reads; here
//! (docs/design/safety.md, "Files of jobs"):
//!
//! 1. A file that secchi did not make is written only with consent, never beyond its end, and never extended by reading.
//!    The proof that a file is ours is a mark on its inode (`mark.rs`), for the names are the user's.
//! 2. A file that is missing is made, in a directory that is there, if all of what is made leaves min(5 %, 1 GiB) free.
//! 3. A node that takes a device's own commands (`/dev/ng0n1`, `/dev/sg0`) stands for the block device behind it, which is
//!    guarded and claimed in its place (`commands.rs`).
//! 4. Devices stand behind the guard of `device.rs`: named to be read, their identity typed to be written.
//! 5. What was inspected is what is used, compared by device and inode, and only files of ours are ever removed.

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

use super::error::{TargetError, bad_input, printable};
use super::own::sidecar::{Part, Provenance};
use super::resolve::{locate, open};
use super::{DeviceReport, PlannedOpen};
use model::{Bytes, Caveat, Layout, Reserve, Stage, Target, TargetKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use sys::{Access, FileId, OpenHow};

/// One file of one job, or of several clones that ask the same of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRequest {
    /// Which. Relative paths begin in the working directory.
    pub path: PathBuf,
    /// The directory it must lie in, where its name was made from a job's name; `None` where the path was typed.
    pub within: Option<PathBuf>,
    /// Bytes from the file's begin that the job touches, its offset included. `None`: all that is there.
    pub size: Option<Bytes>,
    /// The job reads it: it holds data before the load begins.
    pub reads: bool,
    /// The job writes or trims it.
    pub writes: bool,
    /// It is to hold data before the load begins although nothing reads it: for engines that cannot extend a file.
    pub fill: bool,
    /// Parts of a new file that are reserved and hold nothing all the same, in bytes and in order.
    pub unwritten: Vec<Range<u64>>,
    /// The load makes it longer than `size` (fio's fill_device, file_append).
    pub grows: bool,
    /// The load changes its length: fewer bytes than it had are no sign that somebody else cut it.
    pub cuts: bool,
    /// fio's overwrite=1: consent to write a file that is not ours, and one that is made holds data before the load.
    pub overwrite: bool,
    /// The name is the one fio gives by itself (`job.0.0`): what is there under it is written over, as fio does.
    pub default_name: bool,
    /// It may be made if it is missing (fio's allow_file_create).
    pub create: bool,
    /// Past the page cache.
    pub direct: bool,
    /// By the device's own commands, past the block layer: `/dev/ng0n1`, `/dev/sg0`.
    pub commands: bool,
    /// What offsets and lengths of the job's operations are multiples of; 0 = not known.
    pub align: Bytes,
    /// How space for a new file is reserved.
    pub reserve: Reserve,
    /// A new file is made durable before the load begins (fio's create_fsync).
    pub durable: bool,
    /// Stages of the plan that use it, as indices.
    pub stages: Vec<usize>,
}

impl FileRequest {
    /// A file used whole and buffered, neither read nor written yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        FileRequest {
            path: path.into(),
            within: None,
            size: None,
            reads: false,
            writes: false,
            fill: false,
            unwritten: Vec::new(),
            grows: false,
            cuts: false,
            overwrite: false,
            default_name: false,
            create: true,
            direct: false,
            commands: false,
            align: Bytes(0),
            reserve: Reserve::default(),
            durable: false,
            stages: Vec::new(),
        }
    }
}

/// All files of a run, and what was consented to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobsRequest {
    /// Files, in order of the jobs. The same file may come often; what is asked of it is then put together.
    pub files: Vec<FileRequest>,
    /// Existing files that are not ours may be written (--allow-overwrite).
    pub allow_overwrite: bool,
    /// Devices that may be read (--device).
    pub devices: Vec<PathBuf>,
    /// Identity of a device that may be overwritten, as typed (--destroy).
    pub destroy: Option<String>,
    /// Identities of devices that may be overwritten whenever a job writes one (SECCHI_DESTROY): for labs whose disks are
    /// there for it.
    pub may_destroy: Vec<String>,
    /// Allow other runs on the same files, and reading devices in use (--share).
    pub share: bool,
    /// For the mark of files that are made.
    pub made: Provenance,
}

impl JobsRequest {
    /// These files, nothing allowed.
    #[must_use]
    pub fn new(files: Vec<FileRequest>, made: Provenance) -> Self {
        JobsRequest {
            files,
            allow_overwrite: false,
            devices: Vec::new(),
            destroy: None,
            may_destroy: Vec::new(),
            share: false,
            made,
        }
    }
}

impl JobsRequest {
    /// The request that stages and the layout they ask for amount to. `overwrite` names the files whose writers said
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
                    default_name: false,
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

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    /// Made new.
    Make,
    /// Ours from an earlier run: made longer, or what was never written is written.
    Complete,
    /// Ours from an earlier run, used as it is.
    Reuse,
    /// Not ours, and empty: nothing in it can be lost. It is made as long as was asked, and written.
    LayOut,
    /// Not ours, only read.
    Read,
    /// Not ours, written with consent.
    Overwrite,
    /// `/dev/null` or `/dev/zero`.
    Endless,
    /// A device, only read.
    ReadDevice,
    /// A device, written.
    DestroyDevice,
}

/// A file of the run as it was found, and what is done with it.
#[derive(Debug, Clone)]
pub struct JobFile {
    /// Absolute, without links; a [`Target`] names it so.
    pub path: PathBuf,
    /// As the jobs named it, each way once.
    pub typed: Vec<PathBuf>,
    /// File or device.
    pub kind: TargetKind,
    /// What is done with it.
    pub action: FileAction,
    /// Bytes it will have when the load begins, or that it is to have in the end where nothing reserves them.
    pub size: Bytes,
    /// Bytes it has now; `None` if it is to be made.
    pub now: Option<Bytes>,
    /// What direct I/O must be aligned to; 0 when that is not known (a file to be made, an old kernel).
    pub align: Bytes,
    /// Identity written into its blocks; `None` where its content is not ours.
    pub uuid: Option<u128>,
    /// Type of the file system; `none` for a device.
    pub filesystem: String,
    /// Where that is mounted; empty for a device.
    pub mount_point: PathBuf,
    /// The device, if it is one.
    pub device: Option<DeviceReport>,
    /// The node that takes the device's own commands, where a job works through it.
    node: Option<commands::Node>,
    /// How it is made ready.
    work: Work,
    seen: FoundFile,
    writes: bool,
    stages: Vec<usize>,
}

impl JobFile {
    /// UUID of a file that is made, which has one from its inspection on.
    fn own_uuid(&self) -> u128 {
        self.uuid.expect("a file of ours has its UUID")
    }

    /// The part of it that a job works on.
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

/// How a file is made ready.
#[derive(Debug, Clone, Default)]
struct Work {
    /// `None` = no space is reserved, nothing is made longer.
    reserve: Option<Reserve>,
    /// Bytes written before the load.
    fill: Vec<Range<u64>>,
    /// Bytes that are left for the load to write first.
    unwritten: Vec<Range<u64>>,
    durable: bool,
    /// Direct I/O was asked for by a job.
    direct: bool,
    /// A job changes its length.
    cut: bool,
    /// New room it takes, at the latest when the load has ended.
    needs: u64,
    /// Its file system is watched while the load runs.
    watched: bool,
}

impl Work {
    fn bytes(&self) -> u64 {
        self.fill.iter().map(|r| r.end - r.start).sum()
    }
}

/// The thing itself as it was when looked at.
#[derive(Debug, Clone)]
enum FoundFile {
    /// To be made in this directory.
    New { dir: FileId },
    /// A regular file.
    File { id: FileId, len: u64 },
    /// A device, which has a guard of its own.
    Device(Box<super::Inspection>),
}

/// What was found, and what would be done. Made only by [`JobFiles::inspect`].
#[derive(Debug, Clone)]
pub struct JobsInspection {
    /// Each file once, in order of first mention.
    pub files: Vec<JobFile>,
    /// The same as the plan tells it; devices are not in it.
    pub layout: Vec<Layout>,
    /// Bytes written before the load begins.
    pub to_write: Bytes,
    /// What a careful user would want to confirm: more than 10 % of a file system, or 100 GiB.
    pub large: Option<String>,
    /// Every file that will be opened, and how.
    pub opens: Vec<PlannedOpen>,
    /// One line each: what a user should know.
    pub notes: Vec<String>,
    /// Doubts that are known before anything ran.
    pub caveats: Vec<Caveat>,
    request: JobsRequest,
}

impl JobsInspection {
    /// A file, by the path a job named it with or by its resolved one.
    #[must_use]
    pub fn find(&self, path: &Path) -> Option<&JobFile> {
        self.files.iter().find(|f| f.path == path || f.typed.iter().any(|t| t == path))
    }
}

impl JobsInspection {
    /// Puts what was found into the targets of the stages: resolved path, kind, identity, and the alignment where it is
    /// known.
    pub fn settle(&self, stages: &mut [Stage]) {
        for stage in stages {
            for target in std::iter::once(&mut stage.job.target).chain(&mut stage.job.more) {
                if !target.kind.is_local() {
                    continue;
                }
                let Some(found) = self.find(&target.path) else { continue };
                let known = !found.align.is_zero() && target.direct;
                let align = if known { found.align.max(target.align) } else { target.align };
                *target = Target { align, ..found.target(target.offset, target.size, target.direct) };
            }
        }
    }
}

/// Bytes of what stands at a path, a file or a device, for sizes given in percent; `None` if nothing does. Opens
/// nothing.
///
/// # Errors
/// [`TargetError`] if it is neither, or cannot be looked at.
pub fn present_size(path: &Path) -> Result<Option<Bytes>, TargetError> {
    use sys::FileTypeExt;
    let gather::Stand::There(place) = gather::stand(path, false)? else { return Ok(None) };
    let place = commands::behind(&place)?.unwrap_or(place);
    let kind = place.meta.file_type();
    if kind.is_file() {
        return Ok(Some(Bytes(place.meta.len())));
    }
    if kind.is_block_device() {
        // In sectors of 512 bytes, whatever the device's are.
        let sectors = std::fs::read_to_string(in_sysfs(&place.meta).join("size"));
        let size = sectors.ok().and_then(|s| s.trim().parse::<u64>().ok()).map(|s| Bytes(s.saturating_mul(512)));
        return size.map(Some).ok_or_else(|| bad_input(printable(path), "no device is behind this node", ""));
    }
    Err(gather::no_file(path, &place.meta))
}

/// Where sysfs has the device behind a node.
fn in_sysfs(node: &sys::Metadata) -> PathBuf {
    use sys::MetadataExt;
    sys::sysfs_block(Path::new("/sys"), sys::device_number(node.rdev()))
}

/// How long the zones of a zoned device are; `None` of everything else. Opens nothing.
#[must_use]
pub fn zone_size(path: &Path) -> Option<Bytes> {
    use sys::FileTypeExt;
    let meta = sys::metadata(device_behind(path)).ok().filter(|meta| meta.file_type().is_block_device())?;
    // A partition has the queue of its disk.
    let queue = ["queue", "../queue"].map(|queue| in_sysfs(&meta).join(queue));
    let read = |name: &str| queue.iter().find_map(|queue| std::fs::read_to_string(queue.join(name)).ok());
    read("zoned").filter(|model| ["host-managed", "host-aware"].contains(&model.trim()))?;
    // In sectors of 512 bytes.
    let sectors: u64 = read("chunk_sectors")?.trim().parse().ok()?;
    Some(Bytes(sectors.saturating_mul(512)))
}

/// The block device behind a node that takes its commands; any other path as it is. Opens nothing.
#[must_use]
pub fn device_behind(path: &Path) -> PathBuf {
    let behind = gather::stand(path, false).ok().and_then(|stand| match stand {
        gather::Stand::There(place) => commands::behind(&place).ok()?,
        gather::Stand::Missing { .. } => None,
    });
    behind.map_or_else(|| path.to_owned(), |place| place.path)
}

/// Whether this is `/dev/null` or `/dev/zero`: whatever is asked of it is done, and nothing is kept.
#[must_use]
pub fn is_endless(meta: &sys::Metadata) -> bool {
    use sys::{FileTypeExt, MetadataExt};
    meta.file_type().is_char_device() && matches!(sys::device_number(meta.rdev()), (1, 3 | 5))
}

/// What stands at a name that is to be made, looked at or removed; `None` if nothing does. Opens nothing.
///
/// # Errors
/// [`TargetError`]: a link is on the way, or it is the kernel's.
pub(super) fn stands(path: &Path) -> Result<Option<sys::Metadata>, TargetError> {
    match gather::stand(path, true)? {
        gather::Stand::There(place) => Ok(Some(place.meta)),
        gather::Stand::Missing { dir, name } => {
            super::resolve::refuse_kernel_path(&dir.path.join(name))?;
            Ok(None)
        }
    }
}

/// Whether a file was made by us, and by nobody else since.
#[must_use]
pub fn is_ours(path: &Path) -> bool {
    if path.file_name().is_some_and(|name| Part::Data.uuid_in(name).is_some()) {
        return true;
    }
    let place = locate(path, false).ok();
    let file = place.and_then(|place| open(&place, OpenHow::plain(Access::Read)).ok());
    let origin = file.and_then(|file| mark::origin(&file, &sys::file_metadata(&file).ok()?).ok());
    matches!(origin, Some(mark::Origin::Ours(_)))
}
