//! Target of the requests: an unnamed file in a directory, the file `ioping.tmp` that is kept there, another file, or a
//! device.

use super::options::Options;
use anyhow::Result;
use load::target::{FileRequest, JobFiles, JobsInspection, JobsRequest, Nameless, TargetError, nearest_path};
use model::plan::{Layout, NamedTarget, SyncMode, TargetKind};
use model::record::{PingPlace, PingWay};
use model::{Bytes, Job, RunRecord, Sentence, Target};
use run::{Files, LayoutError};
use session::bail;
use session::exit::{self, coded};
use session::job_files::HeldJobFiles;
use session::measure::provenance;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use sys::files::{FileTypeExt, MetadataExt};
use sys::storage::{Durability, LoadOpen};

/// Name of the file that is kept in a directory.
const KEPT: &str = "ioping.tmp";

/// An inspected target and its layout. Nothing is open for writing yet.
pub struct FoundTarget {
    pub place: PingPlace,
    pub target: Target,
    pub fill: Bytes,
    pub layout: Vec<Layout>,
    pub notes: Vec<String>,
    pub caveats: Vec<model::Caveat>,
    what: FoundKind,
}

enum FoundKind {
    Nameless(Nameless),
    Job(Box<JobsInspection>),
}

impl FoundTarget {
    /// Inspects the target that the options name.
    pub fn inspect(options: &Options) -> Result<FoundTarget> {
        let path = &options.path;
        let meta = sys::files::metadata(path).map_err(|e| {
            let near = nearest_path(path).filter(|_| e.kind() == ErrorKind::NotFound);
            let advice = near.map_or_else(
                || "name a directory, a file or a device".to_owned(),
                |near| format!("did you mean {}?", model::clip(&near.display().to_string())),
            );
            coded(exit::CANNOT, format!("{}: {e}; {advice}", path.display()))
        })?;
        let kind = meta.file_type();
        let writes = options.way != PingWay::Read;
        if !kind.is_dir() && writes && options.shred < 3 {
            bail!(exit::REFUSED, "writing would destroy the data in {}: give -WWW to allow it", path.display());
        }
        if kind.is_dir() && !options.keep {
            return FoundTarget::nameless(options, &meta);
        }
        let available = match () {
            () if kind.is_dir() => options.offset.saturating_add(options.temporary),
            () if kind.is_file() || kind.is_block_device() => {
                load::target::present_size(path)?.map_or(0, |size| size.as_u64())
            }
            () => {
                let reason = "is neither a directory, nor a file, nor a block device";
                bail!(exit::CANNOT, "{} {reason}", path.display());
            }
        };
        let part = part(options, available)?;
        FoundTarget::job(options, &meta, part)
    }

    fn nameless(options: &Options, meta: &sys::files::Metadata) -> Result<FoundTarget> {
        let how = LoadOpen {
            write: options.way != PingWay::Read,
            direct: options.direct,
            durability: durability(sync_of(options)),
            no_atime: false,
        };
        let (offset, size) = (Bytes(options.offset), Bytes(options.temporary));
        let align = alignment(options);
        let file = Nameless::inspect(&options.path, (offset, size), how, align, options.seed)?;
        let target = Target {
            kind: TargetKind::File,
            path: file.dir.clone(),
            size,
            offset,
            direct: options.direct,
            align: if options.direct { align } else { Bytes(1) },
            uuid: None,
        };
        Ok(FoundTarget {
            place: place_of(options, meta),
            target,
            fill: size,
            layout: Vec::new(),
            notes: file.notes.clone(),
            caveats: Vec::new(),
            what: FoundKind::Nameless(file),
        })
    }

    fn job(options: &Options, meta: &sys::files::Metadata, part: (u64, u64)) -> Result<FoundTarget> {
        let kept = meta.is_dir();
        let path: PathBuf = if kept { options.path.join(KEPT) } else { options.path.clone() };
        let writes = options.way != PingWay::Read;
        let device = meta.file_type().is_block_device();
        let request = FileRequest {
            size: Some(Bytes(part.0 + part.1)),
            reads: true,
            writes,
            fill: kept,
            create: kept,
            direct: options.direct,
            align: alignment(options),
            durable: true,
            stages: vec![0],
            ..FileRequest::new(&path)
        };
        let request = JobsRequest {
            allow_overwrite: options.allow_overwrite,
            // The device is the target of the command, so reading it needs no further consent.
            devices: if device { vec![path.clone()] } else { Vec::new() },
            destroy: options.destroy.clone(),
            share: !writes,
            ..JobsRequest::new(vec![request], provenance())
        };
        let inspection = JobFiles::inspect(&request)?;
        let file = inspection.files.first().expect("one file was requested");
        let target = file.target(Bytes(part.0), Bytes(part.1), options.direct);
        Ok(FoundTarget {
            place: place_of(options, meta),
            target,
            fill: inspection.to_write,
            layout: inspection.layout.clone(),
            notes: inspection.notes.clone(),
            caveats: inspection.caveats.clone(),
            what: FoundKind::Job(Box::new(inspection)),
        })
    }

    /// Locks and claims the target. Creates nothing yet.
    pub fn take(self, options: &Options) -> Result<PingFiles, TargetError> {
        let (offset, size) = (self.target.offset.as_u64(), self.target.size.as_u64());
        let drop = (!options.cached).then_some(offset..offset + size);
        let held = match self.what {
            FoundKind::Nameless(file) => HeldFile::Nameless(file),
            FoundKind::Job(inspection) => {
                HeldFile::Job(Box::new(HeldJobFiles::new(JobFiles::take(*inspection)?, options.hang)))
            }
        };
        Ok(PingFiles { held, read_ahead: options.linear && options.cached, drop })
    }
}

/// Returns the offset and the size of the part of the target that is used.
fn part(options: &Options, available: u64) -> Result<(u64, u64)> {
    let (offset, work, block) = (options.offset, options.work, options.block);
    let path = options.path.display();
    if work > available || offset > available - work {
        let asked = Bytes(offset.saturating_add(work));
        bail!(exit::CANNOT, "{path} is too small: {asked} are requested, and it has {}", Bytes(available));
    }
    let work = if work > 0 { work } else { available - offset };
    if block > work {
        bail!(exit::CANNOT, "a request of {} is larger than the {} of {path} that are used", Bytes(block), Bytes(work));
    }
    Ok((offset, work))
}

/// Returns the alignment of all requests: the largest power of two that divides their offsets and sizes.
fn alignment(options: &Options) -> Bytes {
    Bytes(1 << (options.block | options.offset).trailing_zeros().min(20))
}

pub fn sync_of(options: &Options) -> SyncMode {
    match (options.sync, options.dsync) {
        (true, _) => SyncMode::Full,
        (false, true) => SyncMode::Data,
        (false, false) => SyncMode::None,
    }
}

fn durability(sync: SyncMode) -> Durability {
    match sync {
        SyncMode::None => Durability::None,
        SyncMode::Data => Durability::Data,
        SyncMode::Full => Durability::Full,
    }
}

/// Returns the text that ioping shows in parentheses. For a file or directory, it is the file system from the mount
/// table.
fn place_of(options: &Options, meta: &sys::files::Metadata) -> PingPlace {
    let path = options.path.display().to_string();
    if meta.file_type().is_block_device() {
        let size = load::target::present_size(&options.path).ok().flatten().unwrap_or_default();
        return PingPlace { path, fs: "block".into(), device: "device".into(), size, ..PingPlace::default() };
    }
    let dev = sys::devices::device_number(meta.dev());
    let mount = sys::file_systems::mounts().unwrap_or_default().into_iter().find(|m| m.dev == dev);
    let (fs, source) = mount.map(|m| (m.fs, m.source)).unwrap_or_default();
    // A link in /dev/mapper resolves to the kernel's name of the device. A source such as `tmpfs` is not a path.
    let source = if source.is_absolute() { sys::files::canonical(&source).unwrap_or(source) } else { source };
    let space = sys::file_systems::space_at(&options.path).map_or(0, |s| s.total);
    PingPlace { path, fs, device: source.display().to_string(), size: Bytes(space), ..PingPlace::default() }
}

/// Returns the places of the requests on several hosts, from the recorded targets. A run on one host shows its target
/// as typed instead.
pub fn places_of_hosts(record: &RunRecord) -> Vec<PingPlace> {
    let place = |(i, named): (usize, &NamedTarget)| {
        let target = &named.target;
        let kept = target.path.file_name().is_some_and(|name| name == KEPT);
        let path = target.path.parent().filter(|_| kept).unwrap_or(&target.path).display().to_string();
        let host = named.name.clone();
        let storage = record.preflight.under_each.get(i);
        if target.kind == TargetKind::Device {
            return PingPlace { host, path, fs: "block".into(), device: "device".into(), size: target.size };
        }
        let device = storage.and_then(|s| s.devices.first()).map(|d| format!("/dev/{}", d.name));
        let fs = storage.map(|s| s.filesystem.clone()).unwrap_or_default();
        let device = device.unwrap_or_else(|| fs.clone());
        PingPlace { host, path, fs, device, size: storage.map(|s| s.fs_size).unwrap_or_default() }
    };
    record.plan.targets.iter().enumerate().map(place).collect()
}

/// File of the requests during the run.
pub struct PingFiles {
    held: HeldFile,
    /// True if the kernel may read ahead: requests are cached and sequential.
    read_ahead: bool,
    /// Range that is dropped from the page cache once, before the first request. The kernel keeps data that was written
    /// or read in one piece together and cannot drop a part of it, so dropping only the range of each request would
    /// have no effect.
    drop: Option<Range<u64>>,
}

enum HeldFile {
    Nameless(Nameless),
    Job(Box<HeldJobFiles>),
}

impl PingFiles {
    fn open_files(&self, job: &Job) -> io::Result<Vec<Arc<File>>> {
        let files = match &self.held {
            HeldFile::Nameless(file) => vec![Arc::new(file.open()?)],
            HeldFile::Job(held) => held.open_files(job)?,
        };
        if let Some(range) = &self.drop {
            files.iter().try_for_each(|file| sys::storage::drop_cache(file, range.clone()))?;
        }
        if !self.read_ahead {
            // Blocks that are read ahead would only be dropped again.
            files.iter().try_for_each(|file| sys::storage::advise_order(file, sys::storage::Order::Random))?;
        }
        Ok(files)
    }
}

impl Files for PingFiles {
    fn lay_out(&mut self, tell: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, LayoutError> {
        match &mut self.held {
            HeldFile::Nameless(file) => Ok(file.make(tell)?),
            HeldFile::Job(held) => held.lay_out(tell),
        }
    }

    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        self.open_files(job).map_err(|e| format!("{}: {e}", job.name).into())
    }

    fn present(&self) -> Result<(), TargetError> {
        match &self.held {
            HeldFile::Nameless(_) => Ok(()),
            HeldFile::Job(held) => held.present(),
        }
    }

    fn close(&mut self, job: &Job, files: &[Arc<File>]) -> io::Result<()> {
        match &mut self.held {
            HeldFile::Nameless(_) => Ok(()),
            HeldFile::Job(held) => held.close(job, files),
        }
    }
}
