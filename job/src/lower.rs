//! From typed sections to stages of a plan: clones, files, sizes, waves. Everything that must be known of files and of
//! the machine is asked of [`Facts`], handed in.

use crate::check::SHORTEST_LOG;
use crate::error::JobError;
use crate::options::{
    Block, BufferOptions, ContinueOn, CpuMode, CpusPolicy, DedupeMode, ExitWhat as ExitWord, FadviseHint, Fallocate,
    FileOrder as FileWord, IoEngine, JobOptions, KbBase, LockMode, LogWindow, RandomDistribution, RateProcess, Rw,
    RwArgument, RwSequencer, ScsiWrite, StatCall, SteadyOf as SteadyWord, SyncMode as SyncWord, ThinkBlocks, UnifiedRw,
    UnitBase, VerifyMethod, WriteHint, ZoneMode,
};
use crate::read::LEADS_AWAY;
use crate::resolve::{JobFile, Section, TypedOption};
use crate::units::Extent;
use model::{
    Access, BlockSizes, Burn, ByPriority, Bytes, BytesPerSecond, Checksum, Closing, Contents, Detail, Distribution,
    Ends, ErrorPolicy, ExitWhat, FileLock, FileOrder, Filling, FlowRule, FlushKind, Iops, Job, JobTuning,
    LatencyTarget, Layout, LogValue, Logs, Mix, Nanos, OpeningRule, OtherWork, Pacing, Program, Queueing, Rate, Rates,
    ReportSettings, Reserve, ShellCommands, Stage, StagePlacement, StageRole, SteadyOf, SteadyRule, StopRule,
    StridedZone, SyncMode, Target, TargetKind, Think, ThreadRule, Unified, Verify, Workload, WriteLife, ZoneShare,
    ZoneSize, ZonedRule, expand_arguments, without_secret,
};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What a path is, before anything is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing is there.
    Missing,
    /// A regular file of this size.
    File(Bytes),
    /// `/dev/null` or `/dev/zero`: as long as is asked, and nothing of it is kept.
    Endless,
    /// A block device of this size.
    Device(Bytes),
    /// A directory.
    Directory,
    /// Something else: a pipe, a character device.
    Other,
}

/// What lowering asks of the world.
pub trait Facts {
    /// What a path is.
    fn kind(&self, path: &Path) -> PathKind;
    /// What offsets and lengths of direct I/O on it, or in its directory, must be multiples of.
    fn align(&self, path: &Path) -> Bytes;
    /// How long the zones of a device are; `None` = it has none.
    fn zone_size(&self, path: &Path) -> Option<Bytes> {
        let _ = path;
        None
    }
    /// The best asynchronous engine of this machine, for engines of other systems.
    fn native_engine(&self) -> &'static str;
    /// The CPUs of a NUMA node; `None` = there is no such node.
    fn cpus_of_node(&self, node: u32) -> Option<Vec<u32>>;
    /// Size of what a server keeps, by the engine that reaches it and its options.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn served_size(&self, engine: &str, options: &[(String, String)]) -> Result<Bytes, String> {
        let _ = options;
        Err(format!("{engine} is not reached from here"))
    }
    /// A random number: for what a job file wants different in every run.
    fn random(&self) -> u64;
    /// Contents of a pattern file.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn contents(&self, path: &Path) -> Result<Vec<u8>, String>;
}

/// What is to be run, as far as the language knows: targets, preflight and consent are the caller's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lowered {
    /// Stages, clone by clone.
    pub stages: Vec<Stage>,
    /// Sections as the report tells them.
    pub sections: Vec<model::Section>,
    /// Files to be made ready.
    pub layout: Vec<Layout>,
    /// Paths that writing jobs with `overwrite=1` name: consent to write over them.
    pub overwrite: Vec<PathBuf>,
    /// Make the files and end.
    pub create_only: bool,
}

/// Why no size counts zones any more: [`zones_as_bytes`] comes first.
const ZONES_ARE_BYTES: &str = "zones are bytes before sizes are asked for";
/// Longest time of a job without a time limit: it ends when its bytes are done.
const NO_LIMIT: Nanos = Nanos(365 * 24 * 3_600_000_000_000);
/// Size of a file that is written until nothing more fits.
const ENDLESS: u64 = 1 << 60;
/// Seed of everything random under `randrepeat`.
const REPEATED_SEED: u64 = 0x89;

/// Makes stages of the sections.
///
/// # Errors
/// What only the files can show to be wrong, and what is asked but not done.
pub fn lower(file: &JobFile, facts: &dyn Facts) -> Result<Lowered, JobError> {
    let mut lowering = Lowering { file, facts, out: Lowered::default(), clones: 0, served: Vec::new() };
    for (index, section) in file.sections.iter().enumerate() {
        lowering.section(index, section)?;
    }
    share_repeats(file, &mut lowering.out.stages);
    Ok(lowering.out)
}

/// Jobs with `dedupe_global` take their repeats from one set, as large as theirs together.
fn share_repeats(file: &JobFile, stages: &mut [Stage]) {
    let shares = |stage: &Stage| stage.place.section.is_some_and(|s| file.sections[s].options.buffers.dedupe_global);
    let size = |stage: &Stage| stage.job.targets().fold(0u64, |sum, t| sum.saturating_add(t.size.0));
    let together = stages.iter().filter(|s| shares(s)).map(size).fold(0u64, u64::saturating_add);
    for stage in stages.iter_mut().filter(|s| shares(s)) {
        stage.job.workload.detail.contents.dedupe_shared = Some(Bytes(together));
    }
}

struct Lowering<'a> {
    file: &'a JobFile,
    facts: &'a dyn Facts,
    out: Lowered,
    /// Clones so far: every one has a seed of its own.
    clones: u64,
    /// What servers said, by what they were asked.
    served: Vec<(Vec<(String, String)>, Bytes)>,
}

/// Why something is not done, at the option it stands under.
fn not_done(section: &Section, option: &str, why: impl Into<String>) -> JobError {
    JobError::new(section.place_of(option), format!("{option}: {}", why.into()))
}

impl Lowering<'_> {
    fn section(&mut self, index: usize, section: &Section) -> Result<(), JobError> {
        let section = &*zones_as_bytes(section, self.facts)?;
        let o = &section.options;
        refuse_combinations(section)?;
        self.out.create_only |= o.files.create_only;
        self.out.sections.push(told(self.file, section));
        let seed = match (o.pattern.randseed, o.pattern.randrepeat || o.pattern.allrandrepeat) {
            (Some(seed), _) => seed,
            (None, true) => REPEATED_SEED,
            (None, false) => self.facts.random(),
        };
        for clone in 0..o.job.numjobs {
            self.clones += 1;
            let stage = self.clone(index, section, clone, seed)?;
            self.out.stages.push(stage);
        }
        Ok(())
    }

    fn clone(&mut self, index: usize, section: &Section, clone: u32, seed: u64) -> Result<Stage, JobError> {
        let o = &section.options;
        let engine = engine_name(o.engine.engine, self.facts);
        let mut targets = match o.engine.engine {
            of_names if of_names.works_on_names() => names(section, clone),
            idle if idle.does_no_io() => vec![no_target(section)],
            served if served.is_served() => self.served(section, clone)?,
            _ => self.targets(section, clone, engine == "null")?,
        };
        check_zones(section, &targets.iter().map(|t| t.size).collect::<Vec<_>>())?;
        // A last piece that is shorter than a block is left alone, as by fio; what comes to no end of the file goes on to the size.
        let grain = match is_endless(o) && targets.len() == 1 {
            true => 1,
            false => used_blocks(o).map(|b| b.min().0).min().unwrap_or(1).max(1),
        };
        let bytes = Bytes(targets.iter().fold(0u64, |sum, t| sum.saturating_add(t.size.0 / grain * grain)));
        let workload = workload(section, self.facts)?;
        if self.file.run.readonly && workload.mix.writes() {
            return Err(not_done(section, "rw", "--readonly is given, and this job writes"));
        }
        let (stop, ends) = endings(section, bytes)?;
        let blocking = o.engine.engine.is_synchronous();
        let name = if o.job.numjobs > 1 { format!("{}.{clone}", section.name) } else { section.name.clone() };
        let (low, high) = o.time.startdelay;
        let span = high.0.saturating_sub(low.0);
        let delay = if span == 0 { low.0 } else { low.0 + self.facts.random() % (span + 1) };
        let target = targets.remove(0);
        let job = Job {
            name: name.clone(),
            workload,
            target,
            more: targets,
            engine: engine.to_owned(),
            queue_depth: if blocking { 1 } else { o.depth.iodepth },
            threads: 1,
            stop,
            on_error: policy(o),
            seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(self.clones),
            faults: None,
            manner: manner(section, blocking, ends, cpus(section, clone, self.facts)?, flow(self.file, section)),
        };
        let alone = self.out.stages.is_empty() || (clone == 0 && section.barrier);
        let after = self.awaited(index, section)?;
        let section = Some(index);
        let place = StagePlacement { with_previous: !alone, delay: Nanos(delay), section, clone, after, side: 0 };
        Ok(Stage { name, role: StageRole::Fixed, job, ramp: None, follows: None, max_threads: 1, place })
    }

    /// The section a job waits for (fio's wait_for): one before it, whatever else still runs.
    fn awaited(&self, index: usize, section: &Section) -> Result<Option<usize>, JobError> {
        let Some(name) = &section.options.process.wait_for else { return Ok(None) };
        let earlier = self.file.sections[..index].iter().rposition(|s| s.name == *name);
        match earlier {
            Some(place) => Ok(Some(place)),
            None => {
                Err(not_done(section, "wait_for", format!("no job before this one is named `{}`", model::clip(name))))
            }
        }
    }

    /// What a clone works on that a server keeps: nothing is made ready for it.
    fn served(&mut self, section: &Section, clone: u32) -> Result<Vec<Target>, JobError> {
        let o = &section.options;
        let needs = |option: &str| match o.server.text(option) {
            Some(text) => Ok(text),
            None => Err(not_done(section, "ioengine", format!("{} needs {option}", o.engine.engine.word()))),
        };
        let engine = o.engine.engine;
        if engine == IoEngine::Nfs {
            needs("nfs_url")?;
            if o.pattern.rw.trims() {
                return Err(not_done(section, "rw", "NFS gives no space back: nfs has no trims"));
            }
        }
        if o.files.unlink || o.files.unlink_each_loop {
            let why = format!("{} leaves what it wrote on the server; remove it there", engine.word());
            return Err(not_done(section, "unlink", why));
        }
        let (paths, kinds) = if engine == IoEngine::Rbd {
            // One image, however many files are asked for, as in fio.
            let path = PathBuf::from(format!("{}/{}", needs("pool")?, needs("rbdname")?));
            (vec![path], vec![PathKind::Device(self.served_size(section)?)])
        } else {
            let paths = paths(section, clone);
            let kinds = vec![PathKind::Missing; paths.len()];
            (paths, kinds)
        };
        let sizes = sizes(section, clone, &paths, &kinds, true, self.facts)?;
        if o.files.overwrite {
            self.out.overwrite.extend(paths.iter().cloned());
        }
        Ok(paths.into_iter().zip(sizes).map(|(path, (offset, size))| Target::served(path, offset, size)).collect())
    }

    /// How large what the section works on is, asked once of the server.
    fn served_size(&mut self, section: &Section) -> Result<Bytes, JobError> {
        let (engine, options) = (section.options.engine.engine.word(), engine_options(&section.options));
        if let Some((_, size)) = self.served.iter().find(|(known, _)| *known == options) {
            return Ok(*size);
        }
        let size = self.facts.served_size(engine, &options).map_err(|why| not_done(section, "ioengine", why))?;
        self.served.push((options, size));
        Ok(size)
    }

    /// The files of a clone; what has to be made ready for them is noted.
    fn targets(&mut self, section: &Section, clone: u32, null: bool) -> Result<Vec<Target>, JobError> {
        let o = &section.options;
        let named = if null { None } else { named_device(section, self.facts) };
        if !null && named.is_none() && section.name.starts_with('/') && names_one_file(section) {
            return Err(JobError::new(&section.at, format!("name `{}`: {LEADS_AWAY}", model::clip(&section.name))));
        }
        let paths = named.map_or_else(|| paths(section, clone), |device| vec![device]);
        let kind = |path: &PathBuf| if null { PathKind::Missing } else { self.facts.kind(path) };
        let kinds: Vec<PathKind> = paths.iter().map(kind).collect();
        for (path, kind) in paths.iter().zip(&kinds) {
            let what = match kind {
                PathKind::Directory => "is a directory",
                PathKind::Other => "is neither a file nor a block device",
                _ => continue,
            };
            return Err(not_done(section, "filename", format!("{} {what}", path.display())));
        }
        let sizes = sizes(section, clone, &paths, &kinds, null, self.facts)?;
        let stage = self.out.stages.len();
        let mut targets = Vec::with_capacity(paths.len());
        for ((path, kind), (offset, size)) in paths.into_iter().zip(kinds).zip(sizes) {
            let device = matches!(kind, PathKind::Device(_) | PathKind::Endless);
            let direct = o.engine.direct || o.engine.engine.commands();
            let align = if direct && !null { self.facts.align(&path) } else { Bytes(1) };
            check_align(section, align, offset)?;
            if !null && !device {
                self.lay_out(section, &path, kind, Bytes(offset.0.saturating_add(size.0)), stage)?;
            }
            let kind = match (null, device) {
                (true, _) => TargetKind::Null,
                (_, true) if kind != PathKind::Endless => TargetKind::Device,
                _ => TargetKind::File,
            };
            targets.push(Target { kind, path, size, offset, direct, align, uuid: 0 });
        }
        if o.files.overwrite && (o.pattern.rw.writes() || o.pattern.rw.trims()) {
            self.out.overwrite.extend(targets.iter().map(|t| t.path.clone()));
        }
        Ok(targets)
    }

    fn lay_out(
        &mut self,
        section: &Section,
        path: &Path,
        kind: PathKind,
        end: Bytes,
        stage: usize,
    ) -> Result<(), JobError> {
        let f = &section.options.files;
        if kind == PathKind::Missing && !f.allow_file_create {
            return Err(not_done(section, "allow_file_create", format!("{} does not exist", path.display())));
        }
        // What is filled is not reserved; what is read must be there.
        let later = f.create_on_open || (f.fill_device && (end.0 >= ENDLESS || !section.options.pattern.rw.reads()));
        let reserve = match f.fallocate {
            Fallocate::Native | Fallocate::Posix if !later => Reserve::Allocate,
            Fallocate::Keep if !later => Reserve::AllocateKeepSize,
            Fallocate::Truncate if !later => Reserve::Truncate,
            _ => Reserve::None,
        };
        // A file that is only written is reserved; one that is read, or is to be overwritten, is written through.
        let write = (section.options.pattern.rw.reads() || f.overwrite) && !later;
        let size = if later { Bytes(0) } else { end };
        match self.out.layout.iter_mut().find(|l| l.path == path) {
            Some(known) => {
                known.size = known.size.max(size);
                known.write |= write;
                known.stages.push(stage);
            }
            None => self.out.layout.push(Layout {
                path: path.to_owned(),
                size,
                reserve,
                write,
                durable: f.create_fsync,
                exists: matches!(kind, PathKind::File(_)),
                stages: vec![stage],
            }),
        }
        Ok(())
    }
}

/// Sizes and offsets that count zones, as the bytes these have: of the device, or else as `zonesize` says.
fn zones_as_bytes<'a>(section: &'a Section, facts: &dyn Facts) -> Result<Cow<'a, Section>, JobError> {
    let f = &section.options.files;
    let given = [("size", f.size), ("io_size", f.io_size), ("offset", Some(f.offset))];
    let given = given.into_iter().chain([("offset_increment", Some(f.offset_increment))]);
    let Some((option, _)) = given.clone().find(|(_, extent)| matches!(extent, Some(Extent::Zones(_)))) else {
        return Ok(Cow::Borrowed(section));
    };
    let zones = &section.options.zones;
    if zones.mode != ZoneMode::Zoned {
        return Err(not_done(section, option, "it counts zones, so it needs zonemode=zbd"));
    }
    let first = named_device(section, facts).or_else(|| paths(section, 0).into_iter().next());
    let own = first.and_then(|path| facts.zone_size(&path));
    let Some(zone) = own.or(Some(zones.size)).filter(|zone| zone.0 > 0) else {
        return Err(not_done(
            section,
            option,
            "it counts zones, and the device has none: zonesize says how to divide it",
        ));
    };
    let bytes = |extent: Extent| match extent {
        Extent::Zones(n) => Extent::Bytes(Bytes(n.saturating_mul(zone.0))),
        Extent::Bytes(_) | Extent::Percent(_) => extent,
    };
    let mut section = section.clone();
    let f = &mut section.options.files;
    // None of them is as none given: all there is.
    f.size = f.size.map(bytes).filter(|size| *size != Extent::Bytes(Bytes(0)));
    f.io_size = f.io_size.map(bytes);
    (f.offset, f.offset_increment) = (bytes(f.offset), bytes(f.offset_increment));
    Ok(Cow::Owned(section))
}

/// What an engine of names works on: one block each, for an operation each.
fn names(section: &Section, clone: u32) -> Vec<Target> {
    let block = largest_block(&section.options);
    paths(section, clone).into_iter().map(|path| Target::null(path, block)).collect()
}

/// Of a job without I/O: no file, and a size that nothing comes to.
fn no_target(section: &Section) -> Target {
    let block = largest_block(&section.options);
    Target::null(section.name.as_str(), block)
}

/// What a job does instead of I/O.
fn other_work(section: &Section) -> Option<Box<OtherWork>> {
    let (c, name) = (&section.options.other_work, section.name.as_str());
    let runtime = section.options.time.runtime;
    Some(Box::new(match section.options.engine.engine {
        IoEngine::Cpuio => OtherWork::Burn(Burn {
            load: c.load,
            chunk: c.chunk,
            sorts: c.mode == CpuMode::Qsort,
            until_io_ends: c.until_io_ends,
        }),
        IoEngine::Exec => OtherWork::Program(Program {
            program: c.program.clone().unwrap_or_default(),
            expanded: c.arguments.as_deref().map(|arguments| expand_arguments(arguments, name, runtime)),
            arguments: c.arguments.clone(),
            output: c.redirect.then(|| name.to_owned()),
            grace: c.grace,
            ends_job: runtime == Nanos(0),
        }),
        _ => return None,
    }))
}

/// Commands of the shell beside the load.
fn commands(section: &Section) -> ShellCommands {
    let p = &section.options.process;
    let commands = ShellCommands { name: section.name.clone(), before: p.before.clone(), after: p.after.clone() };
    if commands.is_empty() { ShellCommands::default() } else { commands }
}

fn direction_used(rw: Rw, direction: usize) -> bool {
    match direction {
        0 => rw.reads(),
        1 => rw.writes(),
        _ => rw.trims(),
    }
}

/// Largest block of the directions the job has; that of fio where it has none.
fn largest_block(o: &JobOptions) -> Bytes {
    used_blocks(o).map(Block::max).max().unwrap_or(Bytes(4096))
}

/// Block sizes of the directions the job has.
fn used_blocks(o: &JobOptions) -> impl Iterator<Item = &Block> {
    o.block.bs.iter().enumerate().filter(|(i, _)| direction_used(o.pattern.rw, *i)).map(|(_, block)| block)
}

fn check_align(section: &Section, align: Bytes, offset: Bytes) -> Result<(), JobError> {
    let grain = align.0.max(1);
    for block in used_blocks(&section.options) {
        let sizes: Vec<Bytes> = match block {
            Block::Fixed(size) => vec![*size],
            Block::Range(low, _) if section.options.block.unaligned => vec![*low, Bytes(1)],
            Block::Range(low, high) => vec![*low, *high],
            Block::Split(list) => list.iter().map(|s| s.size).collect(),
        };
        if let Some(wrong) = sizes.iter().find(|size| !size.0.is_multiple_of(grain)) {
            let why = format!("direct=1 needs sizes that are multiples of {grain} B here; {} B is none", wrong.0);
            return Err(not_done(section, "bs", why));
        }
    }
    if !offset.0.is_multiple_of(grain) {
        let why = format!("direct=1 needs offsets that are multiples of {grain} B here; {} B is none", offset.0);
        return Err(not_done(section, "offset", why));
    }
    Ok(())
}

/// What is understood but not done, or contradicts itself only now that everything is known.
fn refuse_combinations(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    let all = o.pattern.distribution.iter().enumerate();
    let laws: Vec<_> = all.filter(|(i, _)| direction_used(o.pattern.rw, *i)).map(|(_, law)| law).collect();
    if laws.windows(2).any(|w| w[0] != w[1]) {
        let why = "one distribution serves all directions; give reads and writes a job each";
        return Err(not_done(section, "random_distribution", why));
    }
    refuse_in_zones(section)
}

/// Whether the job has one file, which is named after it.
fn names_one_file(section: &Section) -> bool {
    section.options.files.filenames.is_empty() && section.options.files.nrfiles == 1
}

/// As fio has it: a job named as a device that is there works on that.
fn named_device(section: &Section, facts: &dyn Facts) -> Option<PathBuf> {
    let named = PathBuf::from(&section.name);
    let is_device = || matches!(facts.kind(&named), PathKind::Device(_) | PathKind::Endless);
    (names_one_file(section) && is_device()).then_some(named)
}

/// Names of the files of a clone.
pub(crate) fn paths(section: &Section, clone: u32) -> Vec<PathBuf> {
    let f = &section.options.files;
    let directory = f.directories.get((clone as usize).checked_rem(f.directories.len()).unwrap_or(0));
    let place = |name: &Path| match directory {
        // As fio: the directory stands in front, whatever the name looks like.
        Some(dir) => dir.join(name.strip_prefix("/").unwrap_or(name)),
        None => name.to_owned(),
    };
    if !f.filenames.is_empty() {
        return f.filenames.iter().map(|name| place(name)).collect();
    }
    let format = if f.filename_format.is_empty() { "$jobname.$jobnum.$filenum" } else { &f.filename_format };
    let name = |number: u32| {
        format
            .replace("$jobname", &section.name)
            // As in fio where no client asked for the run.
            .replace("$clientuid", "")
            .replace("$jobnum", &clone.to_string())
            .replace("$filenum", &number.to_string())
    };
    (0..f.nrfiles).map(|number| place(Path::new(&name(number)))).collect()
}

/// Offset and size of each file of a clone, by the rules of fio's `setup_files`.
fn sizes(
    section: &Section,
    clone: u32,
    paths: &[PathBuf],
    kinds: &[PathKind],
    null: bool,
    facts: &dyn Facts,
) -> Result<Vec<(Bytes, Bytes)>, JobError> {
    let o = &section.options;
    let f = &o.files;
    let grain = used_blocks(o).map(|b| b.min().0).min().unwrap_or(1).max(1);
    let smallest = used_blocks(o).map(|b| b.min().0).max().unwrap_or(1);
    let count = paths.len() as u64;
    let asked = match f.size {
        Some(Extent::Bytes(size)) => Some(size.0),
        _ => None,
    };
    // Even shares, whether or not blocks divide them; the first ones take whole blocks that are left over.
    let share = asked.map(|total| total / count);
    let mut extra = asked.map_or(0, |total| (total - share.unwrap_or(0) * count) / grain);
    let mut all = Vec::with_capacity(paths.len());
    for (path, kind) in paths.iter().zip(kinds) {
        let real = match kind {
            PathKind::File(size) | PathKind::Device(size) => size.0,
            _ => 0,
        };
        let device = matches!(kind, PathKind::Device(_));
        let endless = *kind == PathKind::Endless;
        let offset = if f.file_append && !device { real } else { offset_of(o, clone, real, grain) };
        let rest = real.saturating_sub(offset);
        // Percent are of the file as large as it is, or as it is to be.
        let part = |rest: u64| match f.size {
            Some(Extent::Percent(percent)) if percent < 100 => {
                percent_of(rest.saturating_add(offset), percent).min(rest) / grain * grain
            }
            _ => rest,
        };
        let size = match (f.filesize, share, f.size) {
            (Some((low, high)), _, _) if real < low.0 || real > high.0 => {
                let drawn = if low == high { low.0 } else { low.0 + facts.random() % (high.0 - low.0 + 1) };
                part(drawn.saturating_sub(offset) / grain * grain)
            }
            (Some(_), _, _) | (None, _, Some(Extent::Percent(_))) => part(rest),
            // One file has all of it, a last short piece included.
            (None, Some(share), _) if count == 1 => asked.unwrap_or(share),
            (None, Some(share), _) => {
                let more = if extra > 0 { grain } else { 0 };
                extra = extra.saturating_sub(1);
                share + more
            }
            (None, None, _) => rest,
        };
        let shown = path.display();
        // A size given ends the job as without `fill_device`, which then only forgives a full file system.
        if f.fill_device && asked.is_none() && f.filesize.is_none() && !device && !endless {
            if !o.pattern.rw.writes() {
                let why = "nothing is filled up to be read: give it a size, or a job that writes";
                return Err(not_done(section, "fill_device", why));
            }
            all.push((Bytes(offset), Bytes(ENDLESS)));
            continue;
        }
        if device && offset.saturating_add(size) > real {
            let why = format!("{shown} has {}; {} from {} on was asked", Bytes(real), Bytes(size), Bytes(offset));
            return Err(not_done(section, "size", why));
        }
        if size == 0 && asked.is_none() {
            let (option, why) = match kind {
                PathKind::Missing if null && o.engine.engine.is_served() => {
                    let what = format!("{} is not asked how large it is, so it needs a size", o.engine.engine.word());
                    ("size", what)
                }
                PathKind::Missing if null => ("size", "the null engine needs a size".to_owned()),
                PathKind::Missing => ("size", format!("{shown} does not exist, so it needs a size")),
                _ if real > 0 && offset >= real => {
                    let why =
                        format!("{} is at or beyond the end of {shown}, which has {}", Bytes(offset), Bytes(real));
                    ("offset", why)
                }
                _ => ("size", format!("{shown} is empty, so it needs a size")),
            };
            return Err(not_done(section, option, why));
        }
        if size < smallest {
            let why = format!("a block of {} does not fit into {} of {shown}", Bytes(smallest), Bytes(size));
            return Err(not_done(section, "bs", why));
        }
        all.push((Bytes(offset), Bytes(size)));
    }
    Ok(all)
}

fn percent_of(whole: u64, percent: u8) -> u64 {
    (u128::from(whole) * u128::from(percent) / 100) as u64
}

/// Where the part of a clone begins in a file of `real` bytes: percent are rounded up to blocks, increments included.
fn offset_of(o: &JobOptions, clone: u32, real: u64, grain: u64) -> u64 {
    let f = &o.files;
    let of_real = |extent: Extent| match extent {
        Extent::Bytes(bytes) => bytes.0,
        Extent::Percent(percent) => percent_of(real, percent),
        Extent::Zones(_) => unreachable!("{ZONES_ARE_BYTES}"),
    };
    let offset = of_real(f.offset).saturating_add(of_real(f.offset_increment).saturating_mul(u64::from(clone)));
    let whole = [f.offset, f.offset_increment].iter().all(|e| matches!(e, Extent::Bytes(_)));
    let grain = if f.offset_align.0 > 0 { f.offset_align.0 } else { grain };
    if whole { offset } else { offset.div_ceil(grain).saturating_mul(grain) }
}

fn engine_name(engine: IoEngine, facts: &dyn Facts) -> &'static str {
    match engine {
        IoEngine::Sync => "sync",
        IoEngine::Psync | IoEngine::Splice | IoEngine::Libzbc => "psync",
        IoEngine::Vsync => "vsync",
        IoEngine::Pvsync => "pvsync",
        IoEngine::Pvsync2 => "pvsync2",
        IoEngine::Libaio => "libaio",
        IoEngine::IoUring => "io_uring",
        IoEngine::Posixaio => "posixaio",
        IoEngine::Mmap | IoEngine::Libpmem => "mmap",
        IoEngine::Null | IoEngine::CppNull => "null",
        IoEngine::Falloc => "falloc",
        IoEngine::Ftruncate => "ftruncate",
        IoEngine::E4defrag => "e4defrag",
        IoEngine::FileCreate => "filecreate",
        IoEngine::FileStat => "filestat",
        IoEngine::FileDelete => "filedelete",
        IoEngine::DirCreate => "dircreate",
        IoEngine::DirStat => "dirstat",
        IoEngine::DirDelete => "dirdelete",
        IoEngine::Http => "http",
        IoEngine::Nfs => "nfs",
        IoEngine::Rbd => "rbd",
        IoEngine::IoUringCmd => "io_uring_cmd",
        IoEngine::Sg => "sg",
        IoEngine::Cpuio => "cpuio",
        IoEngine::Exec => "exec",
        IoEngine::WindowsAio | IoEngine::SolarisAio => facts.native_engine(),
    }
}

fn block_sizes(block: &Block) -> BlockSizes {
    match block {
        Block::Fixed(size) => BlockSizes::Fixed(*size),
        Block::Range(low, high) => BlockSizes::Range(*low, *high),
        Block::Split(list) => BlockSizes::Split(list.clone()),
    }
}

fn workload(section: &Section, facts: &dyn Facts) -> Result<Workload, JobError> {
    let o = &section.options;
    let p = &o.pattern;
    let mix = match p.rw {
        Rw::Read | Rw::RandRead => Mix::READ,
        Rw::Write | Rw::RandWrite => Mix::WRITE,
        Rw::Trim | Rw::RandTrim => Mix { write_percent: 0, trim_percent: 100 },
        Rw::ReadWrite | Rw::RandRw => Mix { write_percent: 100 - p.mix_read, trim_percent: 0 },
        Rw::TrimWrite | Rw::RandTrimWrite => Mix { write_percent: 50, trim_percent: 50 },
    };
    let used = (0..3).find(|i| direction_used(p.rw, *i)).unwrap_or(0);
    let (law, centre, zones) = distribution(&p.distribution[used]);
    let access = if p.rw.is_random() {
        let even = law == Distribution::Uniform && zones.is_empty();
        Access::Random { distribution: law, repeat: p.may_repeat() || !even }
    } else {
        Access::Sequential
    };
    let (run, stride) = match p.rw_argument {
        Some(RwArgument::Every(n)) => (u32::try_from(n).unwrap_or(u32::MAX), 0),
        Some(RwArgument::Skip(bytes)) => (1, bytes),
        None => (0, 0),
    };
    let read = block_sizes(&o.block.bs[0]);
    let apart = |i: usize| Some(block_sizes(&o.block.bs[i])).filter(|sizes| *sizes != read);
    let (flush, flush_every, full_flush_every) = match (o.engine.fsync, o.engine.fdatasync) {
        (0, data) => (FlushKind::Data, data, 0),
        (full, 0) => (FlushKind::Full, full, 0),
        (full, data) => (FlushKind::Data, data, full),
    };
    let aligned = o.block.align.iter().any(Option::is_some);
    let detail = Detail {
        write_block: apart(1),
        trim_block: apart(2),
        align: aligned.then(|| [0, 1, 2].map(|i| o.block.align[i].unwrap_or_else(|| o.block.bs[i].min()))),
        block_by_order: o.block.is_seq_rand,
        unaligned: o.block.unaligned,
        run,
        stride,
        identical: p.rw_sequencer == RwSequencer::Identical,
        random_percent: Some(p.percentage_random).filter(|percent| p.rw.is_random() && *percent != [100; 3]),
        zones,
        centre,
        zone: strided(o),
        zoned: zoned(o),
        file_order: file_order(o),
        flush,
        full_flush_every,
        think: think(o),
        contents: contents(section, facts)?,
        verify: verify(section, facts)?,
    };
    Ok(Workload { mix, block: read, access, pacing: pacing(o), flush_every, detail })
}

fn distribution(asked: &RandomDistribution) -> (Distribution, Option<f64>, Vec<ZoneShare>) {
    match asked {
        RandomDistribution::Uniform => (Distribution::Uniform, None, Vec::new()),
        RandomDistribution::Zipf { theta, center } => (Distribution::Zipf(*theta), *center, Vec::new()),
        RandomDistribution::Pareto { power, center } => (Distribution::Pareto(*power), *center, Vec::new()),
        RandomDistribution::Normal { deviation, center } => (Distribution::Normal(*deviation), *center, Vec::new()),
        RandomDistribution::Zoned(list) => {
            let zone = |z: &crate::options::ZoneShare| ZoneShare {
                ops_percent: z.access,
                size: ZoneSize::Percent(f64::from(z.size)),
            };
            (Distribution::Uniform, None, list.iter().map(zone).collect())
        }
        RandomDistribution::ZonedAbs(list) => {
            let zone =
                |z: &crate::options::ZoneSize| ZoneShare { ops_percent: z.access, size: ZoneSize::Bytes(z.size) };
            (Distribution::Uniform, None, list.iter().map(zone).collect())
        }
    }
}

fn file_order(o: &JobOptions) -> FileOrder {
    let every = u32::try_from(o.files.service.every.max(1)).unwrap_or(u32::MAX);
    match o.files.service.order {
        FileWord::RoundRobin => FileOrder::RoundRobin(every),
        FileWord::Sequential => FileOrder::Sequential,
        FileWord::Random => FileOrder::Random(every),
        FileWord::Zipf(theta) => FileOrder::Zipf(theta),
        FileWord::Pareto(power) => FileOrder::Pareto(power),
        FileWord::Normal(deviation) => FileOrder::Normal(deviation),
    }
}

fn think(o: &JobOptions) -> Option<Think> {
    let r = &o.rate;
    (r.thinktime.0 > 0).then(|| Think {
        time: r.thinktime,
        spin: r.thinktime_spin.min(r.thinktime),
        // Without a count of its own, the time of working alone decides.
        blocks: r.thinktime_blocks.unwrap_or(u32::from(r.thinktime_iotime.0 == 0)),
        by_issue: r.thinktime_blocks_type == ThinkBlocks::Issue,
        work_time: Some(r.thinktime_iotime).filter(|t| t.0 > 0),
    })
}

/// A rate by operations goes before one by bytes, as in fio.
fn rate_of(iops: u64, bytes: Bytes) -> Option<Rate> {
    match (iops, bytes.0) {
        (0, 0) => None,
        (0, bytes) => Some(Rate::Bytes(BytesPerSecond(bytes as f64))),
        (iops, _) => Some(Rate::Iops(Iops(iops as f64))),
    }
}

fn pacing(o: &JobOptions) -> Pacing {
    if !o.rate.is_limited() {
        return Pacing::Closed;
    }
    Pacing::Rates(Rates {
        of: [0, 1, 2].map(|i| rate_of(o.rate.iops[i], o.rate.bytes[i])),
        poisson: o.rate.process == RateProcess::Poisson,
        forgive_pauses: o.rate.ignore_thinktime,
    })
}

fn contents(section: &Section, facts: &dyn Facts) -> Result<Contents, JobError> {
    let b: &BufferOptions = &section.options.buffers;
    let kind = match &b.pattern {
        Some(pattern) => Filling::Pattern(pattern_bytes(section, "buffer_pattern", pattern, facts)?.0),
        None if b.zero => Filling::Zero,
        None if b.refill => Filling::Refilled,
        None if b.scramble => Filling::Scrambled,
        None => Filling::Fixed,
    };
    Ok(Contents {
        kind,
        compress_percent: b.compress_percentage.unwrap_or(0),
        compress_chunk: b.compress_chunk,
        dedupe_percent: b.dedupe_percentage.unwrap_or(0),
        dedupe_shared: None,
        dedupe_working_set: if b.dedupe_mode == DedupeMode::WorkingSet { b.dedupe_working_set } else { 0 },
    })
}

/// Bytes of a pattern, and where in them the offset of the operation stands.
fn pattern_bytes(
    section: &Section,
    option: &str,
    pattern: &crate::options::Pattern,
    facts: &dyn Facts,
) -> Result<(Vec<u8>, Vec<u32>), JobError> {
    use crate::options::PatternPart;
    let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
    for part in &pattern.0 {
        match part {
            PatternPart::Bytes(part) => bytes.extend_from_slice(part),
            PatternPart::File(path) => {
                let read = facts.contents(path);
                bytes.extend(read.map_err(|why| not_done(section, option, format!("{}: {why}", path.display())))?);
            }
            PatternPart::Offset => {
                offsets.push(bytes.len() as u32);
                bytes.extend([0; 8]);
            }
        }
    }
    Ok((bytes, offsets))
}

fn verify(section: &Section, facts: &dyn Facts) -> Result<Option<Verify>, JobError> {
    let v = &section.options.verify;
    let method = match v.method {
        VerifyMethod::None => return Ok(None),
        VerifyMethod::Crc32c => Checksum::Crc32c,
        VerifyMethod::Crc32 => Checksum::Crc32,
        VerifyMethod::Crc64 => Checksum::Crc64,
        VerifyMethod::Crc16 => Checksum::Crc16,
        VerifyMethod::Crc7 => Checksum::Crc7,
        VerifyMethod::Md5 => Checksum::Md5,
        VerifyMethod::Sha1 => Checksum::Sha1,
        VerifyMethod::Sha256 => Checksum::Sha256,
        VerifyMethod::Sha512 => Checksum::Sha512,
        VerifyMethod::Sha3_224 => Checksum::Sha3_224,
        VerifyMethod::Sha3_256 => Checksum::Sha3_256,
        VerifyMethod::Sha3_384 => Checksum::Sha3_384,
        VerifyMethod::Sha3_512 => Checksum::Sha3_512,
        VerifyMethod::Xxhash => Checksum::Xxhash,
        VerifyMethod::Pattern => Checksum::Pattern,
        VerifyMethod::PatternHdr => Checksum::PatternHeader,
        VerifyMethod::Meta => Checksum::Header,
        VerifyMethod::Null => Checksum::Null,
    };
    let (pattern, pattern_offsets) = match &v.pattern {
        Some(pattern) => pattern_bytes(section, "verify_pattern", pattern, facts)?,
        None => Default::default(),
    };
    Ok(Some(Verify {
        method,
        interval: interval(&section.options),
        offset: Bytes(u64::from(v.offset)),
        pattern,
        pattern_offsets,
        pattern_interval: v.pattern_interval,
        check: v.do_verify,
        only: v.verify_only,
        backlog: u32::try_from(v.backlog).unwrap_or(u32::MAX),
        backlog_batch: v.backlog_batch,
        fatal: v.fatal,
    }))
}

/// Bytes under a header. Where writes differ in size there is one for every piece they have in common, as in fio, so that
/// whoever reads them back need not know which write a piece came with.
fn interval(o: &JobOptions) -> Bytes {
    let block = &o.block.bs[1];
    // As in fio, no header stands for more than a write, and where sizes are no multiples of it they have their own.
    let given = o.verify.interval.min(block.min());
    let fits = |size: Bytes| given.0 > 0 && size.0.is_multiple_of(given.0);
    match () {
        () if fits(block.min()) && fits(block.max()) => given,
        () if given.0 == 0 && (block.min() == block.max() || o.verify.method == VerifyMethod::Pattern) => given,
        () => common(block),
    }
}

/// What all sizes have in common; 0 = too little to hold a header, as odd sizes have.
fn common(block: &Block) -> Bytes {
    let sizes: Vec<u64> = match block {
        Block::Split(list) => list.iter().map(|s| s.size.0).collect(),
        other => vec![other.min().0, other.max().0],
    };
    let common = sizes.into_iter().reduce(gcd).unwrap_or(0);
    Bytes(if common < SMALLEST_INTERVAL { 0 } else { common })
}

/// What holds every header.
const SMALLEST_INTERVAL: u64 = 512;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn strided(o: &JobOptions) -> Option<StridedZone> {
    let z = &o.zones;
    z.is_strided().then_some(StridedZone {
        size: z.size,
        range: if z.range.0 == 0 { z.size } else { z.range },
        skip: z.skip,
    })
}

fn zoned(o: &JobOptions) -> Option<Box<ZonedRule>> {
    let z = &o.zones;
    let given = |bytes: Bytes| Some(bytes).filter(|b| b.0 > 0);
    (z.mode == ZoneMode::Zoned).then(|| {
        Box::new(ZonedRule {
            size: given(z.size),
            capacity: given(z.capacity),
            skip: z.skip,
            max_open: z.max_open,
            job_max_open: z.job_max_open,
            ignore_limits: z.ignore_limits,
            read_beyond: z.read_beyond,
            reset_threshold: z.reset_threshold,
            reset_frequency: z.reset_frequency,
        })
    })
}

/// What cannot be done in zones of a device.
fn refuse_in_zones(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    if o.zones.mode != ZoneMode::Zoned {
        return Ok(());
    }
    let engine = o.engine.engine;
    if o.pattern.rw.trims() {
        return Err(not_done(
            section,
            "rw",
            "with zonemode=zbd trims would be resets of zones, which are made by writing",
        ));
    }
    if o.verify.method != VerifyMethod::None {
        return Err(not_done(
            section,
            "verify",
            "with zonemode=zbd nothing is verified: places move to the write pointers",
        ));
    }
    if engine.commands()
        || engine.works_on_names()
        || engine.is_served()
        || engine.does_no_io()
        || matches!(
            engine,
            IoEngine::Null | IoEngine::Falloc | IoEngine::Ftruncate | IoEngine::E4defrag | IoEngine::Mmap
        )
    {
        let why = format!("ioengine={} does not work in zones; use io_uring, libaio or psync", engine.word());
        return Err(not_done(section, "zonemode", why));
    }
    if o.pattern.rw.writes() && !o.engine.direct {
        return Err(not_done(
            section,
            "zonemode",
            "zones are written with direct=1 only: the page cache keeps no order",
        ));
    }
    Ok(())
}

/// Strided zones where they can be: fio counts the bytes of a zone over all files, so that where one ends is luck.
fn check_zones(section: &Section, sizes: &[Bytes]) -> Result<(), JobError> {
    let Some(zone) = strided(&section.options) else { return Ok(()) };
    if sizes.len() > 1 {
        return Err(not_done(section, "zonemode", "zones are done in one file: give each file a job"));
    }
    let option = if section.options.zones.range.0 > 0 { "zonerange" } else { "zonesize" };
    let largest = used_blocks(&section.options).map(Block::max).max().unwrap_or_default();
    if zone.range < largest {
        let why = format!("a block of {largest} does not fit into a zone of {}", zone.range);
        return Err(not_done(section, option, why));
    }
    Ok(())
}

/// Bytes of a pass in sequence whose last zone the end of the file cuts short: it ends the pass (fio, in which no more
/// can be read from there). `None` = zones go on at the start.
fn cut_short(zone: StridedZone, size: u64, grain: u64) -> Option<u64> {
    let (step, whole) = (zone.range.0.saturating_add(zone.skip.0).max(1), zone.size.0.div_ceil(grain) * grain);
    let last = (size - grain) / step;
    let left = (size - last * step) / grain * grain;
    (last > 0 && left < whole && left < zone.range.0).then(|| last * whole + left)
}

fn endings(section: &Section, bytes: Bytes) -> Result<(StopRule, Ends), JobError> {
    let o = &section.options;
    let g = &o.goals;
    let io = match o.files.io_size {
        Some(Extent::Bytes(io)) => io.0,
        Some(Extent::Percent(percent)) => (u128::from(bytes.0) * u128::from(percent) / 100) as u64,
        Some(Extent::Zones(_)) => unreachable!("{ZONES_ARE_BYTES}"),
        // Beside `filesize`, `size` is how much of the files is done.
        None => match (o.files.filesize, o.files.size) {
            (Some(_), Some(Extent::Bytes(size))) => bytes.0.min(size.0),
            _ => bytes.0,
        },
    };
    // What is more than the files hold goes on behind the last zone.
    let cut = strided(o)
        .filter(|_| !o.pattern.rw.is_random() && io <= bytes.0)
        .and_then(|zone| cut_short(zone, bytes.0, used_blocks(o).map(|b| b.min().0).min()?.max(1)));
    let io = cut.map_or(io, |cut| io.min(cut));
    if io == 0 {
        return Err(not_done(section, "io_size", "there is nothing to do"));
    }
    let filled = o.files.fill_device && bytes.0 >= ENDLESS;
    let endless = (o.time.time_based && o.time.runtime.0 > 0) || (filled && o.files.io_size.is_none());
    let loops = u64::from(o.job.loops.max(1));
    let pass = pass_of(o, io, bytes.0);
    let stop = StopRule {
        ramp: o.time.ramp_time,
        time: if o.time.runtime.0 > 0 { o.time.runtime } else { NO_LIMIT },
        steady_after: None,
        max_ops: (o.pattern.number_ios > 0).then(|| o.pattern.number_ios.saturating_mul(loops)),
    };
    let ends = Ends {
        max_bytes: (!endless).then(|| Bytes(all_passes(o, io, pass, loops))),
        pass_bytes: Some(Bytes(pass)),
        max_latency: Some(g.max_latency).filter(|m| *m != [Nanos(0); 3]),
        // What is not done has no rate to fall short of.
        floor: [0, 1, 2]
            .map(|i| rate_of(o.rate.iops_min[i], o.rate.bytes_min[i]).filter(|_| direction_used(o.pattern.rw, i))),
        floor_cycle: o.rate.cycle,
        steady: steady(o),
        latency_target: (g.latency_target.0 > 0).then_some(LatencyTarget {
            target: g.latency_target,
            window: g.latency_window,
            percentile: g.latency_percentile,
            run: g.latency_run,
        }),
        until_full: o.files.fill_device && o.pattern.rw.writes(),
        exit_all: (o.process.exitall || o.process.exitall_on_error).then_some(match o.process.exit_what {
            ExitWord::Group => ExitWhat::Group,
            ExitWord::Stonewall => ExitWhat::Stonewall,
            ExitWord::All => ExitWhat::All,
        }),
        exit_all_on_error: o.process.exitall_on_error && !o.process.exitall,
    };
    Ok((stop, ends))
}

/// Bytes of one pass, after which what was written is read back: the files once, or less. Writes that are drawn, not
/// dealt, have no end of the files to come to, and go on to `io_size` (fio). So do writes in sequence that are verified,
/// over the files as often as it takes, as in fio since 2026; fio 3.33 verified them after each pass.
fn pass_of(o: &JobOptions, io: u64, files: u64) -> u64 {
    let drawn = is_drawn(o) && o.pattern.rw.writes();
    let verified = o.verify.method != VerifyMethod::None || !o.verify.do_verify;
    let again = o.pattern.rw == Rw::Write && verified;
    if o.zones.is_strided() || drawn || again { io } else { io.min(files) }
}

/// Whether places are drawn with others that were there already, so that no pass ever uses them up.
fn is_drawn(o: &JobOptions) -> bool {
    let p = &o.pattern;
    let used = (0..3).find(|i| direction_used(p.rw, *i)).unwrap_or(0);
    let even = matches!(p.distribution[used], RandomDistribution::Uniform);
    p.rw.is_random() && (p.may_repeat() || !even)
}

/// Whether an operation more than the whole blocks of the file has room: drawn, or reads and writes in sequence, each from the start.
fn is_endless(o: &JobOptions) -> bool {
    !o.zones.is_strided()
        && match o.pattern.rw {
            Rw::RandRead | Rw::RandWrite | Rw::RandRw => is_drawn(o),
            rw => rw == Rw::ReadWrite,
        }
}

/// Bytes of all passes. What is less than a pass is done `loops` times. What is more ends with the pass in which it was
/// reached, if that is not the first `loops` have done it already; what is read back counts as much as what was asked
/// (fio's `keep_running`).
fn all_passes(o: &JobOptions, io: u64, pass: u64, loops: u64) -> u64 {
    let mut all = io.saturating_mul(loops);
    // fio takes the files up again for further loops, and for what is left of `io_size` only where `do_verify` stands.
    if !o.verify.do_verify && !is_endless(o) && !is_drawn(o) && !o.zones.is_strided() {
        all = all.min(pass.saturating_mul(loops));
    }
    let back = match o.pattern.rw {
        _ if o.verify.method == VerifyMethod::None || !o.verify.do_verify => 0,
        Rw::Write | Rw::RandWrite => pass,
        Rw::ReadWrite | Rw::RandRw => percent_of(pass, 100 - o.pattern.mix_read),
        _ => 0,
    };
    if io <= pass || (loops == 1 && back == 0) {
        return all;
    }
    // A rest that is smaller than a block is none.
    let largest = used_blocks(o).map(|b| b.max().0).max().unwrap_or(1).max(1);
    let passes = (io + 1).saturating_sub(largest).div_ceil(pass + back).max(loops);
    all.min(passes.saturating_mul(pass))
}

fn steady(o: &JobOptions) -> Option<SteadyRule> {
    let g = &o.goals;
    let (of, slope) = match g.steady.of {
        SteadyWord::Iops => (SteadyOf::Iops, false),
        SteadyWord::IopsSlope => (SteadyOf::Iops, true),
        SteadyWord::Bw => (SteadyOf::Bandwidth, false),
        SteadyWord::BwSlope => (SteadyOf::Bandwidth, true),
        SteadyWord::Lat => (SteadyOf::Latency, false),
        SteadyWord::LatSlope => (SteadyOf::Latency, true),
    };
    (g.steady_duration.0 > 0).then_some(SteadyRule {
        of,
        slope,
        limit: g.steady.limit,
        percent: g.steady.percent,
        duration: g.steady_duration,
        ramp: g.steady_ramp,
        check: g.steady_interval,
    })
}

fn policy(o: &JobOptions) -> ErrorPolicy {
    match o.process.continue_on_error {
        ContinueOn::None => ErrorPolicy::Stop,
        _ => ErrorPolicy::Continue,
    }
}

/// CPUs a clone may run on.
fn cpus(section: &Section, clone: u32, facts: &dyn Facts) -> Result<Vec<u32>, JobError> {
    let p = &section.options.process;
    let mut cpus = p.cpus.clone();
    if cpus.is_empty() {
        for node in &p.numa_nodes {
            let of_node = facts.cpus_of_node(*node);
            cpus.extend(
                of_node.ok_or_else(|| not_done(section, "numa_cpu_nodes", format!("there is no node {node}")))?,
            );
        }
    }
    Ok(match (p.cpus_policy, cpus.len()) {
        (CpusPolicy::Split, n) if n > 0 => vec![cpus[clone as usize % n]],
        _ => cpus,
    })
}

/// The proportion a job keeps with others. Where a weight of its flow is negative, all of them are the older fio's: what an
/// operation adds to a counter that is kept near zero, so that the numbers of operations are as one over the weights.
fn flow(file: &JobFile, section: &Section) -> Option<FlowRule> {
    /// What is divided by a weight of older versions; 8 and -1 come to 1 : 8.
    const WHOLE: f64 = 1e6;
    let p = &section.options.process;
    let weight = match has_older_flow(file, p.flow_id) {
        true if p.flow != 0 => (WHOLE / p.flow.unsigned_abs() as f64).round().max(1.0) as u32,
        _ => u32::try_from(p.flow).unwrap_or(0),
    };
    (weight > 0).then_some(FlowRule { id: p.flow_id, weight, pause: p.flow_sleep })
}

/// Whether the weights of a flow are meant as before fio 3.28.
pub(crate) fn has_older_flow(file: &JobFile, id: u32) -> bool {
    file.sections.iter().map(|s| &s.options.process).any(|p| p.flow_id == id && p.flow < 0)
}

fn manner(section: &Section, blocking: bool, ends: Ends, cpus: Vec<u32>, flow: Option<FlowRule>) -> JobTuning {
    let o = &section.options;
    let (d, p, f, log) = (&o.depth, &o.process, &o.files, &o.logs);
    let logged = log.bw.is_some() || log.lat.is_some() || log.iops.is_some();
    // What is averaged, or told as histograms, is made of windows and intervals: neither may be longer.
    let told_every = [(logged, log.avg), (log.hist.is_some(), log.hist_every)];
    let told_every = told_every.into_iter().filter(|(on, t)| *on && t.0 > 0).map(|(_, t)| t.max(SHORTEST_LOG)).min();
    // The last cycle of a search is told alone: it is found among short intervals.
    let searched = (o.goals.latency_target.0 > 0 && !o.goals.latency_run).then_some(SEARCHED);
    let priority = p.prio.is_some() || p.prio_class.is_some();
    let thread = ThreadRule {
        cpus,
        nice: p.nice,
        // fio's defaults, each where only the other is given.
        io_priority: priority.then(|| (p.prio_class.unwrap_or(2), p.prio.unwrap_or(0))),
        pinned: o.buffers.lockmem,
        memory: p.numa_memory.clone(),
    };
    JobTuning {
        queueing: Queueing {
            submit: if section.is_set("iodepth_batch") { d.batch_submit } else { 0 },
            complete_min: section.is_set("iodepth_batch_complete_min").then_some(d.batch_complete_min),
            complete_max: d.batch_complete_max.unwrap_or(0),
            low: d.low.filter(|low| *low < d.iodepth).unwrap_or(0),
            serialize: d.serialize_overlap,
        },
        sync: match o.engine.sync {
            SyncWord::None => SyncMode::None,
            SyncWord::Sync => SyncMode::Full,
            SyncWord::Dsync => SyncMode::Data,
        },
        // The null engine with one in flight returns when all is done, as the engines that wait.
        parts: !(blocking || o.engine.engine == IoEngine::Null && d.iodepth == 1),
        window: told_every.map(window).unwrap_or_default(),
        interval: told_every.filter(|t| *t < SECOND).into_iter().chain(searched).min().unwrap_or_default(),
        by_priority: by_priority(o, thread.priority()),
        thread,
        closing: Closing {
            flush: f.end_fsync && o.pattern.rw.writes(),
            flush_file_system: f.end_syncfs && o.pattern.rw.writes(),
            flush_on_close: f.fsync_on_close,
            unlink: f.unlink || f.unlink_each_loop,
        },
        ends,
        every_op: logged && log.avg.0 == 0,
        lock: match f.lock {
            LockMode::None => None,
            LockMode::Exclusive => Some(FileLock::Exclusive),
            LockMode::ReadWrite => Some(FileLock::ReadWrite),
        },
        opening: OpeningRule {
            invalidate: f.invalidate,
            advise: f.fadvise != FadviseHint::None,
            pre_read: f.pre_read,
            no_atime: false,
            life: section.is_set("write_hint").then_some(match o.engine.write_hint {
                WriteHint::None => WriteLife::None,
                WriteHint::Short => WriteLife::Short,
                WriteHint::Medium => WriteLife::Medium,
                WriteHint::Long => WriteLife::Long,
                WriteHint::Extreme => WriteLife::Extreme,
            }),
            commands: o.engine.engine.commands(),
        },
        engine_options: engine_options(o),
        ignore_errors: p.ignore_error.clone(),
        beat: None,
        session: None,
        other_work: other_work(section),
        commands: commands(section),
        flow,
        tolerate: match p.continue_on_error {
            ContinueOn::Read => Some([true, false]),
            ContinueOn::Write => Some([false, true]),
            ContinueOn::Verify => Some([false, false]),
            ContinueOn::None | ContinueOn::Io | ContinueOn::All => None,
        },
    }
}

/// Priorities that are told apart, as fio does: those that operations of a direction the job has are given.
fn by_priority(o: &JobOptions, own: u16) -> Option<ByPriority> {
    let mix = o.pattern.rw;
    let values = [(0, mix.reads()), (1, mix.writes())].map(|(way, used)| {
        let given = if used { o.engine.priorities_of(way) } else { Vec::new() };
        let own = (!given.is_empty()).then_some(own);
        own.into_iter().chain(given.into_iter().filter(|v| Some(*v) != own)).collect::<Vec<u16>>()
    });
    let told = values.iter().any(|v| !v.is_empty());
    told.then_some(ByPriority { values, whole: o.report.lat_percentiles })
}

fn engine_options(o: &JobOptions) -> Vec<(String, String)> {
    let e = &o.engine;
    let flags = [
        ("hipri", e.hipri),
        ("fixedbufs", e.fixedbufs),
        ("registerfiles", e.registerfiles),
        ("sqthread_poll", e.sqthread_poll),
        ("nowait", e.nowait),
        ("thp", e.thp),
        ("lstat", e.stat == StatCall::Lstat),
        ("inplace", e.inplace && e.engine == IoEngine::E4defrag),
        ("readfua", e.read_fua),
        ("writefua", e.write_fua),
        ("write_and_verify", e.scsi_write == ScsiWrite::Verify),
    ];
    let numbers = [("sqthread_poll_cpu", e.sqthread_poll_cpu), ("force_async", Some(e.force_async).filter(|n| *n > 0))];
    let flags = flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name.to_owned(), "1".to_owned()));
    let numbers = numbers.into_iter().filter_map(|(name, n)| Some((name.to_owned(), n?.to_string())));
    let priorities = e.priorities().map(|text| ("cmdprio".to_owned(), text));
    let donors = e.donor.as_ref().filter(|_| e.engine == IoEngine::E4defrag).map(|name| {
        let named = o.files.directories.first().map_or_else(|| PathBuf::from(name), |directory| directory.join(name));
        ("donors".to_owned(), named.parent().unwrap_or(Path::new("")).display().to_string())
    });
    flags.chain(numbers).chain(priorities).chain(donors).chain(server_options(o)).collect()
}

/// What the engine of the job must know of its server; what was given for another is left out.
fn server_options(o: &JobOptions) -> Vec<(String, String)> {
    let s = &o.server;
    let (engine, sync) = (o.engine.engine, o.engine.sync != SyncWord::None);
    let of = |names: &[&str]| -> Vec<(&str, &str)> {
        s.texts.iter().filter(|(name, _)| names.contains(name)).map(|(name, text)| (*name, text.as_str())).collect()
    };
    let given = match engine {
        IoEngine::Http => {
            let mut all: Vec<(&str, &str)> =
                s.texts.iter().filter(|(n, _)| n.starts_with("http_")).map(|(n, t)| (*n, t.as_str())).collect();
            all.extend([("https", s.https.word()), ("http_mode", s.http_mode.word())]);
            all.push(("http_object_mode", s.http_object_mode.word()));
            all
        }
        IoEngine::Nfs => of(&["nfs_url"]).into_iter().chain(sync.then_some(("sync", "1"))).collect(),
        IoEngine::Rbd => {
            let flags = [("busy_poll", s.busy_poll), ("direct", o.engine.direct)];
            let flags = flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, "1"));
            of(&["clustername", "pool", "rbdname", "clientname"]).into_iter().chain(flags).collect()
        }
        _ => Vec::new(),
    };
    given.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

const SECOND: Nanos = Nanos(1_000_000_000);
/// Intervals of a job that looks for its depth.
const SEARCHED: Nanos = Nanos(100_000_000);
/// Usual length of a window.
const WINDOW: u64 = 100_000_000;

/// The longest even part of a stretch that is no longer than a usual window: stretches end where windows do.
fn window(stretch: Nanos) -> Nanos {
    let fewest = stretch.0.div_ceil(WINDOW).max(1);
    // Whole milliseconds divide by some power of two not far above.
    let parts = (fewest..=fewest.saturating_mul(4)).find(|n| stretch.0.is_multiple_of(*n));
    Nanos(stretch.0 / parts.unwrap_or(fewest))
}

/// A section as the report tells it.
fn told(file: &JobFile, section: &Section) -> model::Section {
    let o = &section.options;
    let kept = |t: &TypedOption| (t.name.to_owned(), without_secret(t.name, &t.value).to_owned());
    let typed = |list: &[TypedOption]| list.iter().map(kept).collect::<Vec<_>>();
    let mut options = typed(&section.own);
    // Where it was given as an option; that of a section's head is none.
    if section.file.is_none() || section.is_set("name") {
        options.insert(0, ("name".to_owned(), section.name.clone()));
    }
    // What readers of the output cannot do without, even where it is a default.
    let always = [
        ("rw", o.pattern.rw.word().to_owned()),
        ("bs", used_blocks(o).next().map_or(4096, |b| b.min().0).to_string()),
        ("iodepth", o.depth.iodepth.to_string()),
        ("numjobs", o.job.numjobs.to_string()),
    ];
    for (name, value) in always {
        if !options.iter().any(|(n, _)| n == name) {
            let inherited = section.inherited.iter().find(|t| t.name == name).map(|t| t.value.clone());
            options.push((name.to_owned(), inherited.unwrap_or(value)));
        }
    }
    model::Section {
        name: section.name.clone(),
        options,
        globals: typed(&file.globals),
        group: section.group,
        one_report: o.report.group_reporting,
        description: o.job.description.clone(),
        telling: telling(section),
    }
}

/// Decimals of the longest entry of the list of percentiles, as typed.
fn precision(section: &Section) -> Option<u32> {
    let typed = section.own.iter().chain(&section.inherited).find(|t| t.name == "percentile_list")?;
    let decimals = |entry: &str| entry.split_once('.').map_or(0, |(_, rest)| rest.trim().len() as u32);
    typed.value.split(':').map(decimals).max()
}

fn telling(section: &Section) -> ReportSettings {
    let o = &section.options;
    let (r, log) = (&o.report, &o.logs);
    let text = |path: &Option<PathBuf>| path.as_ref().map(|p| p.to_string_lossy().into_owned());
    ReportSettings {
        percentiles: r.percentile_list.clone(),
        slat_percentiles: r.slat_percentiles,
        clat_percentiles: r.clat_percentiles,
        lat_percentiles: r.lat_percentiles,
        unified: match r.unified {
            UnifiedRw::None => Unified::None,
            UnifiedRw::Mixed => Unified::Mixed,
            UnifiedRw::Both => Unified::Both,
        },
        kb_base: if o.job.kb_base == KbBase::K1000 { 1000 } else { 1024 },
        bits: o.job.unit_base == UnitBase::Bits,
        significant_figures: u32::from(r.significant_figures),
        bandwidth_sample: log.bw_window,
        iops_sample: log.iops_window,
        logs: Logs {
            bandwidth: text(&log.bw),
            iops: text(&log.iops),
            latency: text(&log.lat),
            histogram: text(&log.hist),
            average: log.avg,
            value: match log.window {
                LogWindow::Average => LogValue::Mean,
                LogWindow::Max => LogValue::Max,
                LogWindow::Both => LogValue::Both,
            },
            histogram_every: log.hist_every,
            coarseness: u32::from(log.hist_coarseness),
            per_job: log.per_job,
            offsets: log.offset,
            unix_time: log.epoch,
            issue_times: log.issue_time,
            narrow: log.narrow,
            priority: log.prio,
            compressed: log.compressed,
        },
        percentile_precision: precision(section).unwrap_or(2),
        reported: r.stats,
        disks: r.disk_util,
        without: [false; 3],
    }
}
